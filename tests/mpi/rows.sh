# Regression on rows over ranks has the bits of one process; a rank whose slab has nan ends all with its place.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; cat "$work/log" "$work/errors"
  fi
}
mpi() { timeout 100 "$MPIEXEC" -np "$1" "$CREASE_MPI" regress "${@:2}"; }
same() { cmp "$work/$1/coefficients.npy" "$work/$2/coefficients.npy" && cmp "$work/$1/solutions.csv" "$work/$2/solutions.csv"; }
python=${PYTHON:-/usr/bin/python3}
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - "$work" <<'END'
import sys, numpy as np
work, r = sys.argv[1], np.random.RandomState(5)
n, p = 850000, 9                       # three slabs
X = r.standard_normal((n, p)) + 2
np.save(work + "/X.npy", X)
np.save(work + "/y.npy", (X[:, 2] - X[:, 5] + r.standard_normal(n) > 0).astype(float))
np.save(work + "/v.npy", 1.0 + (np.arange(n) % 2))
X[800000, 3] = np.nan
np.save(work + "/bad.npy", X)
END
options="$work/X.npy $work/y.npy --row-weights $work/v.npy --quiet --threads 1"
"$CREASE" regress $options --path 3,0.1 --cv 3 --memory 160M --out "$work/one" >"$work/errors" 2>&1
check "one process" [ -e "$work/one/cv.csv" ]
for ranks in 2 4; do
  mpi $ranks $options --path 3,0.1 --cv 3 --memory 160M --out "$work/many$ranks" >"$work/errors" 2>&1
  check "$ranks ranks have the bits of one process" same one many$ranks
  check "$ranks ranks, scores" cmp "$work/one/cv.csv" "$work/many$ranks/cv.csv"
done
"$CREASE" regress $options --loss logistic --path 1 --memory 160M --out "$work/labels" >"$work/errors" 2>&1
mpi 2 $options --loss logistic --path 1 --memory 160M --out "$work/labels2" >"$work/errors" 2>&1
check "Newton's looks" same labels labels2
mpi 2 "$work/bad.npy" "$work/y.npy" --memory 160M --quiet --threads 1 --out "$work/none" >/dev/null 2>"$work/errors"
check "nan is named" grep -q "row 800001, column 4 of X is nan" "$work/errors"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
