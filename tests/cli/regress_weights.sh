# regress: weights of rows from a list or a file; a row of weight 2 is two rows
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - <<'END'
import numpy as np
r = np.random.RandomState(1)
X = r.randn(6, 2); y = X[:, 0] + 0.1 * r.randn(6); v = np.array([1, 2, 0, 1, 3, 1])
np.save("X.npy", X); np.save("y.npy", y); np.save("v.npy", v); np.save("c.npy", (y > 0) * 1.0)
np.savetxt("v.csv", v)
np.save("longX.npy", np.repeat(X, v, 0)); np.save("longy.npy", np.repeat(y, v))
np.save("square.npy", np.ones((6, 2)))
END
"$CREASE" regress longX.npy longy.npy --no-standardize --eps 1e-12 --path 5 --out long >/dev/null
for weights in 1,2,0,1,3,1 v.npy v.csv 0.5,1,0,0.5,1.5,0.5; do
    run "$CREASE" regress X.npy y.npy --no-standardize --eps 1e-12 --path 5 --out weighed --force \
        --row-weights $weights
    [ $code -eq 0 ] && [[ $out == *"rows weighed"* ]] && $python -c '
import json, sys
import numpy as np
a, b = np.load("long/coefficients.npy"), np.load("weighed/coefficients.npy")
assert np.allclose(a, b, rtol=1e-9, atol=1e-10), abs(a - b).max()
assert json.load(open("weighed/result.json"))["settings"]["row_weights"] == sys.argv[1]' $weights
    judge $? "--row-weights $weights: exit $code, $out $err"
done
expect_exit 65 "5 numbers for 6 rows" regress X.npy y.npy --row-weights 1,2,3,4,5 --out x
expect_exit 65 "12 numbers for 6 rows" regress X.npy y.npy --row-weights square.npy --out x
expect_exit 65 "weight of row 2 is -1" regress X.npy y.npy --row-weights 1,-1,1,1,1,1 --out x
expect_exit 65 "weight of row 1 is inf" regress X.npy y.npy --row-weights inf,1,1,1,1,1 --out x
expect_exit 65 "0 rows have a positive weight" regress X.npy y.npy --row-weights 0,0,0,0,0,0 --out x
expect_exit 64 "squared loss" regress X.npy c.npy --loss logistic --row-weights v.npy --out x
expect_exit 66 "cannot be opened" regress X.npy y.npy --row-weights nowhere.npy --out x
expect_exit 64 "does not take --row-weights" rpca X.npy --row-weights v.npy --out x
[ ! -e x ]
judge $? "a refusal leaves nothing"
finish
