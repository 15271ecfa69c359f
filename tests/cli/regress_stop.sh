# regress: signals and --max-seconds end the path early, and what there is of it is written
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - <<'END'
import numpy as np
r = np.random.RandomState(1)
X = r.randn(2000, 60)
np.save("X.npy", X); np.save("c.npy", (X[:, 0] + r.randn(2000) > 0) * 1.0)
np.save("small.npy", X[:50, :4])
np.save("y.npy", X[:50, 0] + 1)
END

# part NAME STATUS: fewer lambdas than asked for, the files agree, all but the last certified.
part() {
    $python - "$1" "$2" <<'END'
import json, sys
import numpy as np
name, status = sys.argv[1:]
r = json.load(open(name + "/result.json"))
k = r["settings"]["path"]
assert r["status"].startswith(status), r["status"]
assert 1 <= k < r["settings"]["path_asked"] == 5000 and len(r["solutions"]) == k
assert np.load(name + "/coefficients.npy").shape == (k, 61)
assert len(open(name + "/solutions.csv").readlines()) == k + 1
assert r["certified"] >= k - 1 and r["cross_validation"] is None
assert r["warnings"][-1] == "stopped after %d of 5000 lambdas, without cross-validation" % k
END
}
long=(regress X.npy c.npy --no-standardize --no-intercept --loss logistic --path 5000 --cv 10)
for pair in INT:130 TERM:143; do
    signal=${pair%:*} wanted=${pair#*:}
    "$CREASE" "${long[@]}" --out "$signal" >out 2>err &
    child=$!
    sleep 0.5
    kill -s "$signal" $child
    wait $child
    code=$?
    [ "$code" -eq "$wanted" ] && part "$signal" "stopped"
    judge $? "SIG$signal: exit $code instead of $wanted, $(cat out err)"
done
run "$CREASE" "${long[@]}" --max-seconds 0.2 --out clock
[ $code -eq 2 ] && part clock "time limit"
judge $? "--max-seconds: exit $code, $out $err"

# No time at all: the first lambda, where everything is 0. Enough time: nothing changes.
run "$CREASE" regress small.npy y.npy --no-standardize --no-intercept --max-seconds 0 --cv 5 --out none
[ $code -eq 2 ] && [[ $out == *"stopped after 1 of 100 lambdas"* ]] && [ ! -e none/cv.csv ]
judge $? "--max-seconds 0: exit $code, $out $err"
run "$CREASE" regress small.npy y.npy --no-standardize --no-intercept --max-seconds 1000 --cv 5 --out some
"$CREASE" regress small.npy y.npy --no-standardize --no-intercept --cv 5 --out usual >/dev/null
[ $code -eq 0 ] && cmp -s some/coefficients.npy usual/coefficients.npy && cmp -s some/cv.csv usual/cv.csv
judge $? "--max-seconds 1000: exit $code, $out $err"
"$CREASE" regress small.npy y.npy --no-standardize --no-intercept --out some --force >/dev/null
[ ! -e some/cv.csv ]
judge $? "the cross-validation of an earlier result stays"
for wrong in -1 nan x; do
    expect_exit 64 "max.seconds" regress small.npy y.npy --max-seconds=$wrong --out x
done
[ ! -e x ]
judge $? "a refusal leaves nothing"
finish
