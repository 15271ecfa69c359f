# check: the analysis of a problem: method, theorem, assumptions, K; exit 0 when a theorem covers it
source "$(dirname "$0")/common.bash"
examples=$(cd "$(dirname "$0")/../../examples/problems" && pwd)

for file in "$examples"/*.json; do
    run "$CREASE" check "$file"
    bound="at most" # the slack of the extension has one only when mu is large
    [[ $file == *rank_deficient* ]] && bound="no bound: mu is below"
    [ $code -eq 0 ] && [ -z "$err" ] &&
        [[ $out == *"covers this problem"*"K           $bound"*proved* ]]
    judge $? "check $file: exit $code: $out $err"
    expect_json 'd["guarantee"] == d["analysis"]["theorem"] and d["memory"] > 0 and
        (d["K"] is None if d["method"] == "extension" else d["K"] > 0) and
        len(d["analysis"]["assumptions"]) > 1 and d["problem"]["hash"].startswith("sha256:") and
        all(a["status"] == "proved" and a["reason"] for a in d["analysis"]["assumptions"])' \
        check "$file" --json
done
expect_json 'd["method"] == "gcg"' check "$examples/simplex.json" --json --method gcg
expect_json 'd["mode"] == "theory" and d["analysis"]["slack"] > 1' \
    check "$examples/sharing.json" --json --mode theory
sed 's/"name": "y", "shape": 2/"name": "y", "shape": 2, "start": [1, 0]/' \
    "$examples/rank_deficient.json" >"$scratch/feasible.json"
expect_json 'd["method"] == "extension" and d["K"] > 0' \
    check "$scratch/feasible.json" --json --mode theory
# K grows as eps shrinks: like 1/eps^2 here.
expect_json '0.99e4 < '"$("$CREASE" check "$examples/lasso.json" --json --eps 1e-8 |
    $python -c 'import json,sys;print(json.load(sys.stdin)["K"])')"' / d["K"] < 1.01e4' \
    check "$examples/lasso.json" --json --eps 1e-6

# Problems without a theorem: exit 2, the missing condition by name.
printf '{"crease": 1, "blocks": [{"name": "u", "shape": 2, "start": 1}],
 "smooth": [{"quadratic": {"Q": {"u": [[-1, 0], [0, 1]]}}}]}' >"$scratch/unbounded.json"
run "$CREASE" check "$scratch/unbounded.json"
[ $code -eq 2 ] && [[ $out == *"K           no bound"*"f bounded below"*unknown* ]]
judge $? "an unbounded objective: exit $code: $out"
expect_exit 2 "no theorem covers" check "$scratch/unbounded.json" --mode theory
run "$CREASE" check "$examples/lasso.json" --method bcd
[ $code -eq 2 ] && [[ $out == *violated* ]]
judge $? "classical BCD has no guarantee: exit $code"
run "$CREASE" check "$examples/sharing.json" --beta 0.5
[ $code -eq 2 ] && [[ $out == *"0.5 times its bound"* ]]
judge $? "a beta below its bound: exit $code: $out"

# Methods that do not apply are refused by name, with the alternative.
expect_exit 2 "takes no constraint.*admm-g" check "$examples/sharing.json" --method gcg
expect_exit 2 "needs a constraint.*prox-bcd" check "$examples/lasso.json" --method admm-g
expect_exit 2 "full row rank.*extension" check "$examples/rank_deficient.json" --method admm-m
expect_exit 2 "A_N = c I.*extension" check "$examples/rank_deficient.json" --method admm-g
printf '{"crease": 1, "blocks": [{"shape": 3, "regularizer": "l0:1", "set": "simplex:1"}]}' \
    >"$scratch/pair.json"
expect_exit 2 "l0.*simplex" check "$scratch/pair.json"
finish
