# rpca_noise: --noise: levels are written, undone in the parts, told, and judged: an edited one is not
# VALID; crease apply divides new slices by them; what cannot be is refused; --foreground asks by itself
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1

check() { # check WHAT COMMAND ARGUMENT...: it ends with 0
  "${@:2}" >/dev/null
  judge $? "$1"
}
verdict() { "$CREASE" verify "$@" 2>/dev/null | head -1; }

"$CREASE" generate cp --shape 12,14,16 --rank 2 --outliers 0.1 --magnitude 5 --noise 0.05 --seed 4 \
  --out g >/dev/null
$python - <<'PY'
import numpy as np
t, n = np.load("g/tensor.npy"), np.load("g/noise.npy")
s = (10.0 ** np.linspace(-1, 0.7, 14)).reshape(1, 14, 1)
np.save("differs.npy", t + n * (s - 1))
np.save("matrix.npy", (t + n * (s - 1)).transpose(1, 0, 2).reshape(14, -1))
np.save("new.npy", (t + n * (s - 1))[:3])
PY

fit() { # fit OUT DATA ARGUMENT...
  "$CREASE" rpca "$2" --rank 2 --quiet --out "$1" "${@:3}" >"$1.txt"
}
for noise in per-slice:1 per-slice auto; do
  out=cube-$noise
  check "$out is certified" fit "$out" differs.npy --noise "$noise"
  check "$out says its levels" grep -q '^  noise levels  *per-slice, .*noise_levels_2.npy' "$out.txt"
  check "$out is VALID" test "$(verdict "$out")" = VALID
done
check "rows are certified" fit rows matrix.npy --noise per-row
check "rows say so" grep -q '^  noise levels  *per-row, .*noise_levels_1.npy' rows.txt
check "rows are VALID" test "$(verdict rows)" = VALID
check "what was divided is told" grep -q 'divided by noise_levels_1.npy' rows/result.json
check "a few parts, with a constant" fit few differs.npy --noise auto --center all --write sparse
check "... are VALID" test "$(verdict few)" = VALID
check "the parts are of the data" $python - <<'PY'
import json, numpy as np
for out, data, mode in ("cube-auto", "differs.npy", 1), ("rows", "matrix.npy", 0):
    part = {k: np.load(f"{out}/{k}.npy") for k in ("lowrank", "sparse", "noise")}
    t = np.load(data)
    assert np.allclose(sum(part.values()), t, rtol=0, atol=1e-12 * abs(t).max())
    x = [np.load(f"{out}/factor_{n + 1}.npy") for n in range(t.ndim)]
    low = np.einsum("ir,jr,kr,r" if t.ndim == 3 else "ir,jr,r", *x, np.load(f"{out}/weights.npy"))
    assert np.allclose(low, part["lowrank"], rtol=0, atol=1e-12 * abs(t).max())
    levels, about = np.load(f"{out}/noise_levels_{mode + 1}.npy"), json.load(open(f"{out}/result.json"))
    assert levels.shape == (14,) and levels.max() > 5 * levels.min()
    assert about["details"]["noise_levels"]["mode"] == mode
    assert about["details"]["noise_levels"]["ratio"] > 3
PY

for out in cube-auto rows; do
  for times in 2 1.01; do
    rm -rf edited && cp -r $out edited
    $python - $times <<'PY'
import glob, sys, numpy as np
for f in glob.glob("edited/noise_levels_*.npy"):
    x = np.load(f)
    x[3] *= float(sys.argv[1])
    np.save(f, x)
PY
    reseal edited
    check "a level of $out times $times is not VALID" test "$(verdict edited)" != VALID
  done
  rm edited/noise_levels_*.npy
  reseal edited
  check "nor are levels of $out that are gone" test "$(verdict edited)" != VALID
done

check "slices are seen" "$CREASE" apply cube-auto new.npy --out seen
check "... VALID" test "$(verdict seen)" = VALID
check "... in the unit of the data" $python - <<'PY'
import numpy as np
part = {k: np.load(f"seen/{k}.npy") for k in ("lowrank", "sparse", "noise")}
t, old = np.load("new.npy"), np.load("cube-auto/lowrank.npy")[:3]
assert np.allclose(sum(part.values()), t, rtol=0, atol=1e-12 * abs(t).max())
assert np.linalg.norm(part["lowrank"] - old) < 0.01 * np.linalg.norm(old)
PY

refused() { # refused WORD ARGS: exit 64 with a sentence that has the word
  "$CREASE" "${@:2}" --out x >/dev/null 2>err
  check "${*:2} is refused" test $? = 64
  check "... by $1" grep -q -e "$1" err
}
refused 'along which the data are new' apply cube-auto differs.npy --axis 1
refused 'write global, per-row' rpca differs.npy --rank 2 --noise much
refused 'merge all but the last' rpca differs.npy --rank 2 --noise per-row
refused 'mode 3' rpca differs.npy --rank 2 --noise per-slice:3
refused 'ridge' rpca differs.npy --rank 2 --noise per-slice --ridge 0.1
refused 'model' rpca differs.npy --rank 2 --noise auto --model tucker
refused 'envelope' rpca differs.npy --rank 2 --noise per-slice:1 --method admm-g
"$CREASE" rpca differs.npy --rank 2 --noise auto --memory 1K --out x >/dev/null 2>err
check "data that are streamed are refused" grep -q 'with --noise the data must be in memory' err
check "auto leaves other methods alone" fit other differs.npy --noise auto --method admm-g
check "... and says why" grep -q '^  noise levels  *global: levels are of the envelope' other.txt

check "without levels" fit plain differs.npy
check "... they are advised" grep -q 'note .*--noise per-slice:1' plain.txt
check "one noise for all" fit one g/tensor.npy --noise auto
check "... is left alone" grep -q '^  noise levels  *global: ' one.txt
check "... and nothing is advised of it" fit same g/tensor.npy
check "... in the same bytes" cmp one/lowrank.npy same/lowrank.npy
test "$(grep -c -e --noise same.txt)" = 0
judge $? "no advice for one noise"
"$CREASE" rpca differs.npy --foreground --rank 1 --quiet --out clip >clip.txt
check "--foreground asks by itself" grep -q '^  noise levels ' clip.txt
finish
