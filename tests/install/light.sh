# A build with a C compiler, CMake, BLAS, LAPACKE and jansson alone works, and says what it lacks.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; tail -n 20 "$work/log"
  fi
}
optional=$(sed -nE 's/^crease_optional\(([A-Z0-9]+) .*/\1/p' cmake/dependencies.cmake | paste -sd';')
check "configure without $optional" cmake -S . -B "$work/build" -DCMAKE_C_COMPILER="${CC:-cc}" \
  -DCMAKE_BUILD_TYPE=None -DCREASE_WITHOUT="$optional" -DCREASE_WERROR=ON
cp "$work/log" "$work/told"
for name in ${optional//;/ }; do
  library=$(sed -nE "s/^crease_optional\($name [^ ]+ \"?([^ ]+;)?([^ \";]+)\"? .*/\2/p" cmake/dependencies.cmake)
  check "say that $library is absent" grep -q -- "-- without $library " "$work/told"
done
check "build" cmake --build "$work/build" -j2 --target crease_program
crease=$work/build/src/crease
check "solve a sparse problem" "$crease" solve examples/problems/tv_image.json --quiet --out "$work/tv"
check "confirm it" "$crease" verify "$work/tv"
check "take a tensor apart" sh -c \
  "'$crease' generate eem --shape 12,21,15 --seed 1 --out '$work/data' && \
   '$crease' rpca '$work/data/tensor.npy' --rank 3 --quiet --out '$work/parts'"
check "the same hash as the full build" "$CREASE" verify "$work/parts"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
