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
        all((a["status"] == "proved" or a["status"] == "estimated" and
             a["name"] == "stationary point (1.1)") and a["reason"]
            for a in d["analysis"]["assumptions"])' \
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

# Feasibility: proved, violated with the rows that contradict each other, unknown; never assumed.
feasibility() { # feasibility STATUS EXIT RHS SET REASON
    printf '{"crease": 1, "blocks": [{"name": "x", "shape": 3, %s}],
     "smooth": [{"squared_distance": {"a": "x", "d": [1, 2, 3]}}],
     "constraint": {"maps": {"x": [[1, 1, 1], [1, 1, 1]]}, "rhs": %s}}' "$4" "$3" \
        >"$scratch/rows.json"
    run "$CREASE" check "$scratch/rows.json" --json
    printf '%s' "$out" >"$scratch/rows.out"
    [ $code -eq "$2" ] && $python - "$1" "$5" "$scratch/rows.out" <<'PY'
import json, sys
d = json.load(open(sys.argv[3]))
rows = [a for a in d["analysis"]["assumptions"] if a["name"] == "feasible"]
sys.exit(not (len(rows) == 1 and rows[0]["status"] == sys.argv[1] and
              sys.argv[2] in rows[0]["reason"] and (d["guarantee"] == "none") ==
              any(a["status"] in ("violated", "unknown") for a in d["analysis"]["assumptions"])))
PY
    judge $? "feasibility $*: exit $code: $out $err"
}
feasibility violated 2 '[1, 2]' '"set": "box:0,1"' 'rows 1 and 2 of the constraint contradict'
feasibility violated 2 '[1, 2]' '"regularizer": "l1:1"' 'rows 1 and 2 of the constraint contradict'
feasibility violated 2 '[3.5, 3.5]' '"set": "box:0,1"' 'contradict the sets'
feasibility violated 2 '[-1, -1]' '"set": "nonneg", "regularizer": "l1:1"' 'contradict the sets'
feasibility proved 0 '[1, 1]' '"set": "simplex:1"' 'satisfies it to rounding'
feasibility proved 0 '[3, 3]' '"set": "box:0,1"' 'satisfies it to rounding'

# Methods that do not apply are refused by name, with the alternative.
expect_exit 2 "takes no constraint.*admm-g" check "$examples/sharing.json" --method gcg
expect_exit 2 "needs a constraint.*prox-bcd" check "$examples/lasso.json" --method admm-g
expect_exit 2 "full row rank.*extension" check "$examples/rank_deficient.json" --method admm-m
expect_exit 2 "A_N = c I.*extension" check "$examples/rank_deficient.json" --method admm-g
printf '{"crease": 1, "blocks": [{"shape": 3, "regularizer": "l0:1", "set": "simplex:1"}]}' \
    >"$scratch/pair.json"
expect_exit 2 "l0.*simplex" check "$scratch/pair.json"
finish
