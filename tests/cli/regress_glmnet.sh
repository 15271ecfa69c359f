# regress_glmnet: lasso, elastic net and logistic paths agree with Debian's r-cran-glmnet
source "$(dirname "$0")/common.bash"
here=$PWD
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
if ! Rscript -e 'library(glmnet)' >/dev/null 2>&1; then
    echo "skipped: R with glmnet is not installed (Debian: r-base-core r-cran-glmnet)"
    exit 0
fi
$python - <<'END'
import numpy as np
r = np.random.RandomState(3)
n, p = 70, 100
X = r.randn(n, p) * np.linspace(0.5, 3, p) + r.randn(p)
y = 1 + X[:, :6] @ np.array([1, -1, 0.5, 0.5, -2, 1]) + r.randn(n)
y /= y.std()  # glmnet's ridge part is that of y divided by its deviation
np.savetxt("X.csv", X, delimiter=",", fmt="%.17g"); np.savetxt("y.csv", y, fmt="%.17g")
np.savetxt("c.csv", (y > np.median(y)).astype(int), fmt="%d")
END
Rscript "$here/tests/support/glmnet.R" . || exit 1

# agrees NAME Y ARGUMENT...: the same coefficients at glmnet's own lambdas.
agrees() {
    local name=$1 y=$2
    shift 2
    $python -c "
import numpy as np
np.savetxt('lambda.txt', np.loadtxt('$name.csv', delimiter=',')[:, 0], fmt='%.17g')"
    run "$CREASE" regress X.csv $y.csv --lambda lambda.txt --eps 1e-10 \
        --out "$name" "$@"
    [ $code -eq 0 ] && $python - "$name" <<'END'
import sys
import numpy as np
theirs = np.loadtxt(sys.argv[1] + ".csv", delimiter=",")[:, 1:]
ours = np.load(sys.argv[1] + "/coefficients.npy")
worst = abs(ours - theirs).max() / abs(theirs).max()
print("%s: %d lambdas, largest relative difference %.1e" % (sys.argv[1], len(ours), worst))
assert ours.shape == theirs.shape and worst < 1e-4, worst
END
    judge $? "$name: exit $code, $err"
}
agrees lasso y
agrees net y --penalty elastic-net:0.5
agrees logistic c --loss logistic
finish
