# problem_values: every map and coupling of a problem file means what it says: the objective and the
# feasibility of a start point, against their formulas
source "$(dirname "$0")/common.bash"

# start EXPRESSION TEXT: the run that stops at its start satisfies this of f and s.
start() {
    printf '%s' "$2" >"$scratch/p.json"
    run "$CREASE" solve "$scratch/p.json" --quiet --json --max-iterations 0
    $python - "$1" "$scratch/out" <<'PY'
import json, math, sys
d = json.load(open(sys.argv[2]))
f, s = d["objective"], d["details"]["certificate"]["feasibility"]
near = lambda a, b: abs(a - b) <= 1e-12 * (1 + abs(b))
sys.exit(not eval("(" + sys.argv[1] + ")"))
PY
    judge $? "$1: $2: exit $code $err $(grep -m 1 objective "$scratch/out")"
}
# f(x, y) and M, with x = (1, 2, 3), y = (-1, 2), M = [[1, 2], [3, 4]], N = [[1], [2]].
blocks='{"name": "x", "shape": 3, "start": [1, 2, 3]}, {"name": "y", "shape": 2, "start": [-1, 2]},
 {"name": "M", "shape": [2, 2], "start": [[1, 2], [3, 4]]},
 {"name": "U", "shape": [2, 2], "start": [[0, 0], [0, 0]]},
 {"name": "N", "shape": [2, 1], "start": [[1], [2]]},
 {"name": "P", "shape": [3, 1], "start": [1, -1, 0]},
 {"name": "C", "shape": [1, 1], "start": 2}'
smooth() { start "$1" "$(printf '{"crease": 1, "blocks": [%s], "smooth": [%s]}' "$blocks" "$2")"; }
# A map on x or M alone, the rest of the constraint zero: feasibility |A x - rhs|.
map() {
    start "$1" "$(printf '{"crease": 1, "blocks": [%s], "constraint": {"maps": {"%s": %s}%s},
        "options": {"method": "extension"}}' "$blocks" "$2" "$3" "${4:-}")"
}

smooth 'near(f, (4 + 25) / 2)' \
    '{"least_squares": {"terms": {"x": [[1, 0, 1], [0, 1, 0]], "y": 1}, "rhs": [1, -1]}}'
smooth 'near(f, (9 + 16) / 2)' \
    '{"least_squares": {"terms": {"x": [[1, 0, 1], [0, 1, 0]], "y": 1}, "rhs": 0}}'
smooth 'near(f, 0.5 * 4 / 2)' \
    '{"least_squares": {"terms": {"x": [[1, 0, 1], [0, 1, 0]], "y": 1}, "rhs": [1, -1], "weights": [0.5, 0]}}'
smooth 'near(f, (4 + 9) / 2)' '{"squared_hinge": {"terms": {"y": 1}, "labels": [1, -1]}}'
smooth 'near(f, 0.8 * (1 - 0.4 * 0.5) + 0.2 * (2 - 0.1 * 0.5))' \
    '{"quantile": {"terms": {"y": 1}, "tau": 0.8, "delta": 0.5}}'
smooth 'near(f, math.exp(-1) + 3 + math.exp(2) - 8)' '{"poisson": {"terms": {"y": 1}, "counts": [3, 4]}}'
smooth 'near(f, 4 - 3 * math.log(4) + 2 * 7)' \
    '{"poisson_identity": {"terms": {"y": 1}, "counts": [3, 0], "offset": 5, "weights": [1, 2]}}'
smooth 'near(f, (1 - 2 - 3) + (1 + 4 + 24))' '{"polynomial": {"terms": {"y": 1}, "coefficients": [1, 2, 0, 3]}}'
smooth 'near(f, math.log1p(math.exp(-1)) + 2 * (math.log1p(math.exp(-1)) + 1))' \
    '{"softmax": {"terms": {"M": 1}, "labels": [1, 0], "classes": 2, "weights": [1, 2]}}'
smooth 'near(f, 0.5 / 3 * 14 ** 1.5)' '{"norm_power": {"a": "x", "power": 3, "weight": 0.5}}'
smooth 'near(f, 8 ** 0.75 / 1.5)' '{"norm_power": {"a": "x", "power": 1.5, "d": [1, 0, 1]}}'
smooth 'near(f, 3 * (1 + 2 ** 1.5))' '{"lp_loss": {"terms": {"y": 1}, "p": 1.5, "weights": 3}}'
smooth 'near(f, math.log(1 + math.exp(1)) + math.log(1 + math.exp(2)))' \
    '{"logistic": {"terms": {"y": 1}, "labels": [1, -1]}}'
smooth 'near(f, (math.log(2) + math.log(5)) / 2)' '{"cauchy": {"terms": {"y": 1}}}'
smooth 'near(f, (1 - math.exp(-1) + 1 - math.exp(-4)) / 2)' '{"welsch": {"terms": {"y": 1}}}'
smooth 'near(f, (1 / 2 + 4 / 5) / 2)' '{"geman": {"terms": {"y": 1}}}'
smooth 'near(f, (1 - 0.75 ** 3) / 6 + 1 / 6)' '{"tukey": {"terms": {"y": {"diagonal": [0.5, 1]}}}}'
smooth 'near(f, 0.5 + 1.5 * (2 - 0.75))' '{"huber": {"terms": {"y": 1}, "delta": 1.5}}'
smooth 'near(f, 1 + 2 ** 1.5)' '{"lp_loss": {"terms": {"y": 1}, "p": 1.5}}'
smooth 'near(f, (1 + 8 + 27) / 2 + (-1 * 1 + 2 * 4 + 0) + 5 * -1 + 7 * 2)' \
    '{"quadratic": {"Q": {"x,x": [[1, 0, 0], [0, 2, 0], [0, 0, 3]], "y,x": [[1, 0, 0], [0, 2, 0]]},
      "q": {"y": [5, 7]}}}'
smooth 'near(f, -3 / 2 * (4 + 1 + 9))' \
    '{"squared_distance": {"a": "x", "d": [3, 1, 0], "weight": -3}}'
smooth 'near(f, (1 + 4 + (3 - 1) ** 2 + (4 - 1) ** 2) / 2)' \
    '{"squared_distance": {"a": "M", "b": "U", "d": [[0, 0], [1, 1]]}}'
smooth 'near(f, 2 * (1 * 1 * -1 + 2 * 3 * 2))' \
    '{"multilinear": {"tensor": [[1, 0], [0, 0], [0, 2]], "blocks": ["x", "y"], "weight": 2}}'
outer='for a in (1, 2) for b in (1, -1, 0)'
smooth "near(f, sum((1 - a * b) ** 2 $outer))" \
    '{"matrix_factorization": {"x": "N", "y": "P", "target": 1}}'
smooth "near(f, sum((1 - a * b) ** 2 $outer))" \
    '{"cp": {"factors": ["N", "P"], "rank": 1, "target": 1}}'
smooth "near(f, sum((1 - 2 * a * b) ** 2 $outer))" \
    '{"tucker": {"factors": ["N", "P"], "core": "C", "target": [[1, 1, 1], [1, 1, 1]]}}'
smooth 'near(f, 14 / 2 + 5 / 2)' \
    '{"squared_distance": {"a": "x"}}, {"sum": {"terms": [{"squared_distance": {"a": "y"}}]}}'

map 'near(s, math.sqrt(14))' x 1
map 'near(s, 2 * math.sqrt(14))' x '{"identity": {"scale": -2}}'
map 'near(s, math.sqrt(4 + 0 + 36 + 16))' M '{"diagonal": [[2, 0], [2, 1]]}'
map 'near(s, math.sqrt(1 + 9))' x '{"mask": [1, 0, 1]}'
map 'near(s, math.sqrt(9 + 1 + 9))' x '{"selection": [2, 0, 2]}'
map 'near(s, math.sqrt(2))' x '{"finite-difference": {}}'
map 'near(s, math.sqrt(2))' M '{"finite-difference": {"axis": 1}}'
map 'near(s, math.sqrt(8))' M '{"finite-difference": {"axis": 0}}'
map 'near(s, 14)' x '[1, 2, 3]'
map 'near(s, 13)' x '{"dense": [[1, 2, 3]]}' ', "rhs": [1]'
map 'near(s, math.sqrt(49 + 36))' x \
    '{"csr": {"rows": 2, "cols": 3, "start": [0, 2, 3], "col": [0, 2, 1], "value": [1, 2, 3]}}'
map 'near(s, math.sqrt(9 + 36 + 81))' x '{"sum": {"maps": [1, {"identity": {}}], "scale": [1, 2]}}'
map 'near(s, 1 + 0 * 1)' x '{"composition": {"outer": [1, 0], "inner": {"finite-difference": {}}}}'
map 'near(s, 3)' x '{"sum": {"maps": [{"zero": {}}, [[0, 0, 1]]]}}'
map 'near(s, math.sqrt(1 + 9 + 9 + 16))' M '{"sum": {"maps": [1]}}' ', "rhs": [[0, -1], [0, 0]]'

# Files: .csv, .npy, .mtx (dense and sparse), relative to the problem.
printf '1,0,1\n0,1,0\n' >"$scratch/A.csv"
printf '%%%%MatrixMarket matrix coordinate real general\n%% note\n2 3 3\n1 1 1\n1 3 1\n2 2 1\n' \
    >"$scratch/A.mtx"
printf '%%%%MatrixMarket matrix array real general\n2 3\n1\n0\n0\n1\n1\n0\n' >"$scratch/full.mtx"
for file in A.csv A.mtx full.mtx; do
    smooth 'near(f, (4 + 25) / 2)' \
        '{"least_squares": {"terms": {"x": "'$file'", "y": 1}, "rhs": [1, -1]}}'
    map 'near(s, math.sqrt(16 + 4))' x '"'$file'"'
done
map 'near(s, math.sqrt(16 + 4))' x '{"csr": "A.mtx"}'
groups() { # several groups of rows
    start "$1" "$(printf '{"crease": 1, "blocks": [%s], "constraint": [%s],
        "options": {"method": "extension"}}' "$blocks" "$2")"
}
groups 'near(s, math.sqrt(14 + 9 + 4))' '{"maps": {"x": 1}}, {"maps": {"y": [[1, 1]]}, "rhs": [4]},
    {"maps": {"M": [[1, 0, 0, 0]], "x": [[0, 0, 1]]}, "rhs": 2}'
groups 'near(s, math.sqrt(25 + 49))' '{"maps": {"x": [[0, 1, 0]], "y": [[1, 2]]}},
    {"maps": {"M": [[1, 1, 1, 0]]}, "rhs": -1}'
groups 'near(s, math.sqrt(14))' '{"maps": {"x": 1}}'
map 'near(s, 28)' x '{"scaled": {"scale": -2, "map": [1, 2, 3]}}'
map 'near(s, math.sqrt(22 ** 2 + 28 ** 2))' x \
    '{"transposed": {"map": [[1, 2], [3, 4], [5, 6]], "shape": 2}}'
map 'near(s, math.sqrt(14 + 36))' x '{"stack": {"maps": [1, [1, 1, 1]]}}'
map 'near(s, abs(2 * 1 + 2 - 3))' x '{"side-by-side": {"maps": [2, [1, -1]], "shapes": [1, 2]}}'
map 'near(s, math.sqrt(4 + 4 + 1 + 1))' M '{"gradient": {}}'
map 'near(s, abs(1 * 1 * 5 + 1 * 2 * 6 + 2 * 3 * 5 + 2 * 4 * 6))' M \
    '{"kronecker": {"left": [[1, 2]], "right": [[5, 6]]}}'
map 'near(s, 14 * 5)' x '{"low-rank": {"u": [3, 4], "v": [1, 2, 3]}}'
map 'near(s, math.sqrt(14))' x '{"dct": {}}'
map 'near(s, abs(1 + 2 + 3) / math.sqrt(3))' x \
    '{"composition": {"outer": {"selection": [0]}, "inner": {"dct": {}}}}'
map 'near(s, math.sqrt(30))' M '{"wavelet": {"levels": 1}}'
map 'near(s, math.sqrt((1 + 30) ** 2 + (2 + 10) ** 2 + (3 + 20) ** 2))' x \
    '{"circular-convolution": {"kernel": [1, 10]}}'
map 'near(s, math.sqrt((10 + 2) ** 2 + (20 + 3) ** 2 + (30 + 1) ** 2))' x \
    '{"circular-convolution": {"kernel": [1, 10], "origin": [1]}}'
map 'near(s, math.sqrt((10 + 2) ** 2 + (100 + 20 + 3) ** 2 + (200 + 30) ** 2))' x \
    '{"convolution": {"kernel": [1, 10, 100]}}'
smooth 'near(f, (4 + 25) / 2)' \
    '{"least_squares": {"terms": {"x": {"dense": "A.mtx"}, "y": 1}, "rhs": [1, -1]}}'
finish
