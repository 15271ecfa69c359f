# levels: crease solve --threads has the same bytes for any number; crease check says what can be updated at once
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1

# chain FILE ORDER: 8 blocks of 60 numbers, each with data of its own, and neighbours of a chain close to each other.
chain() {
    $python - "$1" "$2" <<'PY'
import json, sys
import numpy as np
rng, blocks, n = np.random.default_rng(4), 8, 60
order = list(range(0, blocks, 2)) + list(range(1, blocks, 2)) if sys.argv[2] == "odd" else range(blocks)
smooth = []
for t in range(blocks):
    A = rng.normal(size=(n, n)).round(3)
    smooth.append({"least_squares": {"terms": {f"x{t}": A.tolist()}, "rhs": rng.normal(size=n).round(3).tolist()}})
    if t: smooth.append({"squared_distance": {"a": f"x{t - 1}", "b": f"x{t}", "weight": 0.3}})
json.dump({"crease": 1, "blocks": [{"name": f"x{t}", "shape": n, "regularizer": "l1:0.1"} for t in order],
           "smooth": smooth}, open(sys.argv[1], "w"))
PY
}
chain given.json given
chain odd.json odd
for threads in 1 2 3; do
    run "$CREASE" solve odd.json --method prox-bcd --max-iterations 60 --threads $threads --out out$threads
    grep -q "^ *threads " "$scratch/out"
    judge $? "--threads $threads: the summary says nothing of it: $out"
    for x in out$threads/x_*.npy; do
        cmp -s "$x" "out1/$(basename "$x")"
        judge $? "$x: not the bytes of one thread"
    done
done
says() {
    run "$CREASE" check "$1" --method prox-bcd
    grep -q "^levels  *$2" "$scratch/out"
    judge $? "check $1: not '$2': $out"
}
says odd.json "2; the widest has 4 blocks"
says given.json "8: no two blocks"
for threads in 0 2.5 300; do
    run "$CREASE" solve odd.json --threads $threads
    [ "$code" -eq 64 ]
    judge $? "--threads $threads: exit $code: $err"
done
finish
