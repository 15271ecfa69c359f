# aarch64: the kernels compile for it without a warning, and what they do in a tile is what kernels.h defines,
# in an emulator (tests/unit/rpca/kernels/tiles.c, which needs neither BLAS nor cmocka)
set -u
grep -qE '^CMAKE_C_FLAGS:.*(sanitize|coverage)' "$BUILD/CMakeCache.txt" && { echo "skipped: once is enough"; exit 0; }
cross=aarch64-linux-gnu-gcc emulator=$(command -v qemu-aarch64 || command -v qemu-aarch64-static)
if ! command -v $cross >/dev/null || [ -z "$emulator" ]; then
  echo "skipped: there is no $cross or no qemu-aarch64; on Debian, scripts/install-dependencies installs them"
  exit 77
fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
flags=(-std=c11 -O1 -ffp-contract=fast -fno-trapping-math -fno-math-errno -ffunction-sections -fdata-sections
       -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Werror
       -Isrc -Iinclude -I"$BUILD/include")
# Of the files beside the kernels, only what these call is linked: nothing that needs BLAS.
sources=(src/rpca/kernels/*.c src/rpca/envelope/pass.c src/reg/scalar.c tests/unit/rpca/kernels/tiles.c)
printf '%s\n' "${sources[@]}" |
  xargs -P 2 -I{} bash -c 'object=$1/$(tr / _ <<<"$2").o; shift; exec "${@:2}" -c "$1" -o "$object"' - "$work" {} \
    $cross "${flags[@]}" || { echo "FAILED: compile"; exit 1; }
$cross -static -Wl,--gc-sections "$work"/*.o -lm -o "$work/tiles" || { echo "FAILED: link"; exit 1; }
said=$("$emulator" "$work/tiles" 17) || { echo "$said"; exit 1; }
echo "$said"
grep -qx 'kernels: neon base' <<<"$said" || { echo "FAILED: the kernels that ran are not neon and base"; exit 1; }
