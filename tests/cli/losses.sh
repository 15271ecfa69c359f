# losses: problems with every loss of labels, counts, classes, quantiles and powers are solved from a file, with
# weights, and the independent checker finds the answers VALID; a row of weight 0 changes nothing
source "$(dirname "$0")/common.bash"

A='[[1, 0.4, -0.3], [0.2, 1, 0.5], [-0.7, 0.6, 1], [0.9, -0.8, 0.1], [0.3, 0.3, -1.2], [5, 7, -9]]'
solved() { # solved NAME BLOCK_PARTS COUPLING: VALID, and the objective in $objective
    printf '{"crease": 1, "blocks": [{"name": "x", "shape": 3%s}], "smooth": [%s]}' "$2" "$3" >"$scratch/p.json"
    rm -rf "$scratch/$1"
    run "$CREASE" solve "$scratch/p.json" --quiet --json --eps 1e-8 --out "$scratch/$1"
    judge $((code != 0)) "solve $1: exit $code $err"
    objective=$($python -c 'import json, sys; print(json.load(sys.stdin)["objective"])' <"$scratch/out")
    run "$CREASE" verify "$scratch/$1"
    grep -q '^VALID' "$scratch/out"
    judge $? "verify $1: $(head -n 1 "$scratch/out")"
}
# The last row of A, of weight 0, may have any datum.
pair() { # pair NAME BLOCK_PARTS COUPLING FIRST SECOND: DATUM in the coupling is one or the other
    local first
    solved "$1" "$2" "${3//DATUM/$4}"
    first=$objective
    solved "$1" "$2" "${3//DATUM/$5}"
    $python -c 'import sys; a, b = map(float, sys.argv[1:]); sys.exit(abs(a - b) > 1e-12 * (1 + abs(a)))' \
        "$first" "$objective"
    judge $? "$1: a row of weight 0 changes $first to $objective"
}
common='"terms": {"x": '$A'}, "weights": [1, 0.5, 2, 1, 0.25, 0]'
l1=', "regularizer": "l1:0.05"'
pair squared_hinge "$l1" '{"squared_hinge": {'"$common"', "labels": [1, -1, 1, 1, -1, DATUM]}}' 1 -1
pair quantile "$l1" '{"quantile": {'"$common"', "rhs": [1, 2, -1, 0.5, 0, DATUM], "tau": 0.7, "delta": 0.1}}' 3 -90
pair poisson "$l1" '{"poisson": {'"$common"', "counts": [3, 0, 2, 7, 1, DATUM]}}' 0 1e6
pair poisson_identity ', "set": "nonneg"' \
    '{"poisson_identity": {"terms": {"x": [[1, 0.4, 0.3], [0.2, 1, 0.5], [0.7, 0.6, 1], [5, 7, 9]]},
      "weights": [1, 2, 0.5, 0], "counts": [3, 0, 2, DATUM], "offset": 0.25}}' 0 1e6
pair polynomial "$l1" '{"polynomial": {'"$common"', "rhs": [1, 2, -1, 0.5, 0, DATUM], "coefficients": [0, 0, 1, 0, 0.1]}}' 3 -90
pair softmax "$l1" '{"softmax": {"terms": {"x": [[1, 0, 0], [0, 1, 0.5], [0.3, 0, 1], [-1, 0.4, 2], [9, 0, 0], [0, 9, 0]]},
    "labels": [0, 1, DATUM], "classes": 2, "weights": [1, 2, 0]}}' 0 1
solved norm_power "$l1" '{"norm_power": {"a": "x", "power": 3, "d": [2, -1, 0.01]}}'
solved norm_root "$l1" '{"norm_power": {"a": "x", "power": 1.5, "weight": 2, "d": [2, -1, 0.01]}}'
finish
