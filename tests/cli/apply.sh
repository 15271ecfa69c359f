# apply: new slices through the factors of a result: coefficients, parts, scores, bad input
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 10,12,14 --rank 3 --seed 1 --out g >/dev/null
"$CREASE" rpca g/tensor.npy --rank 3 --eps 1e-8 --out r >/dev/null

# The slices of the fit have the fit's coefficients; the parts are theirs.
for axis in 0 1 2; do
    run "$CREASE" apply r g/tensor.npy --axis $axis --out own$axis
    [ $code -eq 0 ] && [ -z "$err" ] && $python - $axis <<'END'
import json, sys
import numpy as np
n = int(sys.argv[1])
w = np.load("r/weights.npy")
F = [np.load("r/factor_%d.npy" % k) for k in (1, 2, 3)]
a = np.load("own%d/coefficients.npy" % n)
fitted = F[n] * w
assert np.linalg.norm(a - fitted) < 1e-4 * np.linalg.norm(fitted)
F[n] = a
low = np.einsum("ir,jr,kr->ijk", *F)
assert np.allclose(np.load("own%d/lowrank.npy" % n), low, atol=1e-10)
s = json.load(open("r/result.json"))["settings"]
t = s["alpha"] * float(s["penalty"].split(":")[1]) * (1 + s["alpha_noise"]) / (2 * s["alpha_noise"])
r = np.load("g/tensor.npy") - low
assert np.allclose(np.load("own%d/sparse.npy" % n), np.sign(r) * np.maximum(abs(r) - t, 0), atol=1e-9)
result = json.load(open("own%d/result.json" % n))
slices = result["details"]["slices"]
assert result["settings"]["axis"] == n
assert len(slices) == len(a) and all(x["gradient"] < 1e-8 for x in slices)
END
    judge $? "axis $axis: exit $code, $out $err"
done

# A core or two factors alone: slices along any axis have the fit's coefficients again.
spoils="--outliers 0.05 --magnitude 10 --noise 0.001 --seed 1"
"$CREASE" generate tucker --shape 10,12,14 --rank 2,2,3 $spoils --out gt >/dev/null
"$CREASE" generate matrix --shape 30,40 --rank 2 $spoils --out gm >/dev/null
"$CREASE" rpca gt/tensor.npy --model tucker --rank 2,2,3 --eps 1e-8 --quiet --out rt >/dev/null
"$CREASE" rpca gm/tensor.npy --model matrix --rank 2 --eps 1e-8 --quiet --out rm >/dev/null
"$CREASE" rpca gm/tensor.npy --model matrix --rank 2 --eta 0.05 --quiet --out rb >/dev/null
for try in rt:gt:0 rt:gt:1 rt:gt:2 rm:gm:0 rm:gm:1 rb:gm:0 rb:gm:1; do
    IFS=: read -r result data axis <<<"$try"
    run "$CREASE" apply $result $data/tensor.npy --axis $axis --out own --force
    [ $code -eq 0 ] && [ -z "$err" ] && $python - $result $data $axis <<'END'
import sys
import numpy as np
result, data, n = sys.argv[1], sys.argv[2], int(sys.argv[3])
T = np.load(data + "/tensor.npy")
a, f = np.load("own/coefficients.npy"), np.load("%s/factor_%d.npy" % (result, n + 1))
L, S, N = (np.load("own/%s.npy" % k) for k in ("lowrank", "sparse", "noise"))
assert a.shape == f.shape
if result != "rb":  # where the noise is bounded as a whole, a slice is another problem
    assert np.linalg.norm(a - f) < 1e-4 * np.linalg.norm(f), np.linalg.norm(a - f)
assert np.linalg.norm(L - np.load(data + "/lowrank.npy")) < 0.01 * np.linalg.norm(L)
assert np.allclose(L + S + N, T, rtol=0, atol=1e-14 * abs(T).max())
END
    judge $? "$try: exit $code, $out $err"
    run "$CREASE" verify own
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $try: exit $code, $out $err"
done
"$CREASE" rpca gm/tensor.npy --model pcp --quiet --out rp >/dev/null
expect_exit 64 "no factors to see slices through" apply rp gm/tensor.npy --out x

# Slices never seen: one with spikes, one with holes; any number of them, one without its axis.
$python - <<'END'
import numpy as np
w, F = np.load("r/weights.npy"), [np.load("r/factor_%d.npy" % k) for k in (1, 2, 3)]
rng = np.random.RandomState(0)
a = rng.randn(4, 3)
T = np.einsum("ir,r,jr,kr->ijk", a, w, F[1], F[2])
np.save("one.npy", T[0])
T[2][rng.rand(12, 14) < 0.2] += 50
T[3, 4, 5] = np.nan
np.save("new.npy", T); np.save("true.npy", a * w)
np.save("short.npy", T[:, :5]); np.save("vector.npy", T[0, 0])
END
run "$CREASE" apply r new.npy --missing nan --out new --json
[ $code -eq 0 ] && [ "$out" = "$(cat new/result.json)" ] && $python -c '
import json
import numpy as np
a, b = np.load("new/coefficients.npy"), np.load("true.npy")
assert np.allclose(a[[0, 1, 3]], b[[0, 1, 3]], atol=1e-7 * abs(b).max())
assert abs(a[2] - b[2]).max() < 0.1 * abs(b).max()
share = [s["share"] for s in json.load(open("new/result.json"))["details"]["slices"]]
assert share[2] > 0.1 and max(share[0], share[1], share[3]) == 0
assert json.load(open("new/result.json"))["details"]["slices"][3]["observed"] == 12 * 14 - 1'
judge $? "new slices: exit $code, $err"
run "$CREASE" apply r one.npy --out one
[ $code -eq 0 ] && [[ $out == *"slice  outliers"* ]] && $python -c '
import numpy as np
assert np.load("one/lowrank.npy").shape == (12, 14)
assert np.allclose(np.load("one/coefficients.npy")[0], np.load("true.npy")[0], rtol=1e-6)'
judge $? "a single slice: exit $code, $out $err"
run "$CREASE" apply r one.npy --json
[ $code -eq 0 ] && alike "$out" "$(cat one/result.json)"
judge $? "the document alone: exit $code, $err"

expect_exit 65 "entry .* is nan" apply r new.npy --out bad
expect_exit 65 "axis 1 of the data has length 5 and the model 12" apply r short.npy --out bad
expect_exit 65 "1 dimensions and the model 3" apply r vector.npy --out bad
expect_exit 64 "axis 3 .*from 0 to 2; axes are counted from 0" apply r new.npy --axis 3 --out bad
expect_exit 64 "does not take --mode" apply r new.npy --mode 1 --out bad
expect_exit 73 "exists already" apply r one.npy --out one
expect_exit 66 "cannot be opened" apply nothing one.npy --out bad
[ ! -e bad ]
judge $? "a failure leaves nothing behind"
finish
