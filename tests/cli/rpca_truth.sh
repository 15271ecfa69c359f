# rpca --truth: cosines of the terms with the true factors, those that are there
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 10,20,30 --rank 3 --outliers 0.05 --seed 1 --out g >/dev/null

run "$CREASE" rpca --quiet g/tensor.npy --rank 3 --truth g --out found
[ $code -eq 0 ] && [ "$(grep -c '^cosines     mode [123]: [01]\.[0-9]* [01]\.[0-9]* [01]\.[0-9]*$' <<<"$out")" -eq 3 ]
judge $? "the cosines: exit $code, $out $err"

# Amounts alone, as they are known of measurements, of which there are more than were asked for.
mkdir amounts && cp g/factor_1.npy amounts
run "$CREASE" rpca --quiet g/tensor.npy --rank 2 --truth amounts --out fewer
[ $code -eq 0 ] && [[ $out == *"cosines     mode 1:"* && $out != *"mode 2:"* && $out != *errors* ]]
judge $? "one factor: exit $code, $out $err"

$python - <<'END'
import itertools, json
import numpy as np
def unit(f): return f / np.linalg.norm(f, axis=0)
T = [unit(np.load("g/factor_%d.npy" % n)) for n in (1, 2, 3)]
X = [np.load("found/factor_%d.npy" % n) for n in (1, 2, 3)]
C = [abs(t.T @ x) for t, x in zip(T, X)]
P = C[0] * C[1] * C[2]
best = max(itertools.permutations(range(3)), key=lambda p: sum(P[k, p[k]] for k in range(3)))
r = json.load(open("found/result.json"))["details"]
assert np.allclose(r["cosines"], [[c[k, best[k]] for c in C] for k in range(3)], atol=1e-12)
assert np.min(r["cosines"]) > 0.999
few = json.load(open("fewer/result.json"))["details"]
assert few["errors"] is None and [c[1:] for c in few["cosines"]] == [[None, None]] * 3
assert sum(c[0] == 0 for c in few["cosines"]) == 1
np.save("amounts/factor_2.npy", np.ones((20, 4)))
END
judge $? "the cosines by their definition"

expect_exit 65 "factor_2.npy must have 20 rows" rpca g/tensor.npy --rank 3 --truth amounts --out x
run "$CREASE" rpca --quiet g/tensor.npy --rank 3 --merge 0,1 --truth g --out merged
[[ $out == *errors* && $out != *cosines* ]]
judge $? "merged axes have no true factor: exit $code, $out $err"
[ ! -e x ]
judge $? "a refused run made its folder"
finish
