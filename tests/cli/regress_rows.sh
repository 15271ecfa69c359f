# regress_rows: rows in slabs: the same bytes for any memory and threads, near the path in memory, checked by streams
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - <<'END'
import numpy as np
r = np.random.RandomState(3)
n, p = 760000, 11                      # three slabs
X = r.standard_normal((n, p)) * np.arange(1, p + 1) + 5
y = X[:, 1] - 0.5 * X[:, 4] + r.standard_normal(n)
np.save("X.npy", X), np.save("y.npy", y)
np.save("labels.npy", (y > np.median(y)).astype(float))
np.save("v.npy", 0.5 + (np.arange(n) % 3)), np.save("fold.npy", (np.arange(n) % 4).astype(float))
X[500000, 7] = np.nan
np.save("bad.npy", X)
END

same() { # same FOLDER FOLDER
    local file
    for file in solutions.csv coefficients.npy; do cmp "$1/$file" "$2/$file" || return 1; done
}
near() { # near FOLDER FOLDER: coefficients and, where they are, scores
    $python - "$1" "$2" <<'END'
import os, sys
import numpy as np
a, b = sys.argv[1:]
for name in ["coefficients.npy", "cv.csv"]:
    if not os.path.exists(os.path.join(b, name)): continue
    x, y = [np.load(os.path.join(d, name)) if name.endswith("npy") else
            np.loadtxt(os.path.join(d, name), delimiter=",", skiprows=1) for d in (a, b)]
    if name.endswith("npy"): assert ((x == 0) == (y == 0)).all()
    assert np.abs(x - y).max() <= 1e-8 * (1 + np.abs(y).max()), np.abs(x - y).max()
END
}
# rows NAME MEMORY ARGUMENT...: streamed with one and two threads
rows() {
    local name=$1 memory=$2 threads
    shift 2
    for threads in 1 2; do
        run "$CREASE" regress "$@" --memory "$memory" --threads $threads --quiet --out "$name$threads"
        [ $code -eq 0 ] && [[ $out == *"each also by the independent checker"* ]]
        judge $? "$name, $threads threads: exit $code, $out $err"
    done
    same "${name}1" "${name}2"
    judge $? "$name: threads make a difference"
}
rows plain 160M X.npy y.npy --path 8,0.01 --eps 1e-10
run "$CREASE" regress X.npy y.npy --path 8,0.01 --eps 1e-10 --memory 175M --threads 1 --quiet --out more
[ $code -eq 0 ] && same plain1 more
judge $? "plain: memory makes a difference: $out $err"
run "$CREASE" regress X.npy y.npy --path 8,0.01 --eps 1e-10 --memory 8G --quiet --out memory
[ $code -eq 0 ] && near plain1 memory
judge $? "plain: in memory and streamed differ: $out $err"
run "$CREASE" verify plain1 --memory 100M
[ "$out" = VALID ] || [[ $out == VALID* ]]
judge $? "verify by streams: $out $err"
run "$CREASE" verify memory --memory 100M
[[ $out == VALID* ]]
judge $? "verify by streams of a path in memory: $out $err"

rows scores 170M X.npy y.npy --path 4,0.05 --penalty mcp --row-weights v.npy --folds fold.npy --eps 1e-10
run "$CREASE" regress X.npy y.npy --path 4,0.05 --penalty mcp --row-weights v.npy --folds fold.npy --eps 1e-10 \
    --memory 8G --quiet --out scores_memory
[ $code -eq 0 ] && near scores1 scores_memory
judge $? "scores: in memory and streamed differ: $out $err"
run "$CREASE" verify scores1
[[ $out == VALID* ]]
judge $? "verify weights by streams: $out $err"

run "$CREASE" regress X.npy labels.npy --loss logistic --path 3,0.1 --memory 160M --quiet --out logistic
[ $code -eq 0 ] && [[ $out == *"global minimizer"* ]]
judge $? "logistic: exit $code, $out $err"
run "$CREASE" verify logistic --memory 100M
[[ $out == VALID* ]]
judge $? "verify logistic by streams: $out $err"

sed 's/"hash": "sha256:../"hash": "sha256:zz/' plain1/certificate.json > changed && cp -r plain1 forged && cp changed forged/certificate.json
run "$CREASE" verify forged --memory 100M
[ $code -eq 1 ] && [[ $out == *changed* ]]
judge $? "another hash: $out $err"

run "$CREASE" regress bad.npy y.npy --memory 160M --quiet --out bad
[ $code -ne 0 ] && [[ $err == *"row 500001, column 8 of X is nan"* ]] && [ ! -e bad ]
judge $? "an entry that is nan: $err"
run "$CREASE" regress X.npy y.npy --memory 20M --quiet --out little
[ $code -eq 71 ] && [[ $err == *"takes at least"* ]]
judge $? "too little memory: $err"
run "$CREASE" regress X.npy y.npy --memory 160M --dry-run
[ $code -eq 0 ] && [[ $out == *"slabs"* ]]
judge $? "a forecast: $out $err"
if ! ldd "$CREASE" | grep -q "lib.san"; then
    run bash -c "ulimit -d 400000; '$CREASE' regress X.npy y.npy --path 3,0.1 --memory 160M --threads 1 --quiet --out limited"
    [ $code -eq 0 ]
    judge $? "with limited memory: $err"
fi
finish
