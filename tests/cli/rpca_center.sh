# rpca_center: constants are written, undone in lowrank.npy, and judged: an edited one is INVALID;
# crease apply takes them off new slices and puts them back
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1

check() { # check WHAT COMMAND ARGUMENT...: it ends with 0
  "${@:2}" >/dev/null
  judge $? "$1"
}

"$CREASE" generate cp --shape 9,8,7 --rank 2 --outliers 0.1 --magnitude 5 --noise 0.02 --seed 4 \
  --out g >/dev/null
$python - <<'PY'
import numpy as np
t = np.load("g/tensor.npy")
np.save("all.npy", t + 250)
np.save("mode.npy", t + 40 * np.arange(8).reshape(1, 8, 1))
PY

for model in cp tucker; do
  for center in all 1; do
    data=$([ $center = all ] && echo all || echo mode).npy
    out=$model-$center
    "$CREASE" rpca $data --model $model --rank 2 --center $center --quiet --out $out >$out.txt
    check "$out is certified" [ $? = 0 ]
    check "$out says its centre" grep -q '^  center  ' $out.txt
    check "$out is VALID" test "$("$CREASE" verify $out | head -1)" = VALID
    check "$out adds up and has the centre in its low-rank part" $python - $out $data $center <<'PY'
import sys, numpy as np
out, data, center = sys.argv[1:]
part = {k: np.load(f"{out}/{k}.npy") for k in ("lowrank", "sparse", "noise")}
t = np.load(data)
assert np.allclose(sum(part.values()), t, rtol=0, atol=1e-12 * abs(t).max())
truth = np.load("g/lowrank.npy") + t - np.load("g/tensor.npy")
assert np.linalg.norm(part["lowrank"] - truth) < 0.05 * np.linalg.norm(np.load("g/lowrank.npy"))
c = np.load(f"{out}/center.npy" if center == "all" else f"{out}/center_2.npy")
assert c.shape == ((1,) if center == "all" else (8,))
PY
    cp -r $out edited-$out
    $python - edited-$out <<'PY'
import glob, sys, numpy as np
for f in glob.glob(sys.argv[1] + "/center*.npy"): np.save(f, np.load(f) + 1)
PY
    reseal edited-$out
    check "an edited centre of $out is not VALID" test "$("$CREASE" verify edited-$out | head -1)" != VALID
    rm edited-$out/center*.npy
    reseal edited-$out
    check "nor is one that is gone" test "$("$CREASE" verify edited-$out 2>/dev/null | head -1)" != VALID
    "$CREASE" apply $out $data --out new-$out >/dev/null
    check "slices are seen through $out" test "$("$CREASE" verify new-$out | head -1)" = VALID
    check "with the centre in their low-rank part" $python - new-$out $data <<'PY'
import sys, numpy as np
out, data = sys.argv[1:]
low, t = np.load(f"{out}/lowrank.npy"), np.load(data)
truth = np.load("g/lowrank.npy") + t - np.load("g/tensor.npy")
assert np.linalg.norm(low - truth) < 0.05 * np.linalg.norm(np.load("g/lowrank.npy"))
PY
  done
done

refused() { # refused WORD ARGS: exit 64 with a sentence that has the word
  "$CREASE" "${@:2}" >/dev/null 2>err
  check "${*:2} is refused" test $? = 64
  check "... by $1" grep -q -e "$1" err
}
refused 'along which the data are new' apply cp-1 mode.npy --axis 1 --out x
refused 'counted from 0' rpca all.npy --rank 2 --center 3 --out x
refused 'write none, all' rpca all.npy --rank 2 --center mean --out x
refused 'center' rpca all.npy --merge 0,1 --model pcp --center all --out x

"$CREASE" rpca all.npy --rank 3 --quiet --out plain >plain.txt
check "a constant term is pointed out" grep -q 'note .*--center all would leave 2' plain.txt
finish
