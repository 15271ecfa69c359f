# check: the analysis of a problem: method, theorem, assumptions, K; exit 0 when a theorem covers it
source "$(dirname "$0")/common.bash"
examples=$(cd "$(dirname "$0")/../../examples/problems" && pwd)

for file in "$examples"/*.json; do
    run "$CREASE" check "$file"
    bound="at most" covers="covers this problem" exit=0
    case $file in
    *poisson* | *softmax*) bound="no bound: no Lipschitz constant" ;; # exp grows, softmax has no matrix
    *rank_deficient*) bound="no bound: mu is below" ;; # the slack has a bound when mu is large
    *tv_image*) # multipliers promise a certificate, and no number of iterations
        bound="no bound: a run ends with a certificate or not"
        covers="except for the conditions" exit=2
        ;;
    esac
    [ $code -eq $exit ] && [ -z "$err" ] && [[ $out == *"$covers"*"K           $bound"*proved* ]]
    judge $? "check $file: exit $code: $out $err"
    run "$CREASE" check "$file" --json
    [ $code -eq $exit ] && [ -z "$err" ] && $python - "$scratch/out" "$bound" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
lines = d["analysis"]["assumptions"]
covered = d["guarantee"] == d["analysis"]["theorem"]
sys.exit(not (covered == (d["method"] not in ("multipliers", "grid")) and d["memory"] > 0 and
    (d["K"] > 0 if sys.argv[2] == "at most" else d["K"] is None) and len(lines) > 1 and
    d["problem"]["hash"].startswith("sha256:") and
    all(isinstance(line, str) and line for line in d["presolve"]) and
    all((a["status"] == "proved" or
         a["status"] == "estimated" and a["name"] in ("stationary point (1.1)", "L finite") or
         a["status"] == "unknown" and a["name"] == "iteration bound" and not covered) and a["reason"]
        for a in lines)))
PY
    judge $? "check --json $file: exit $code: $out $err"
done
# The paper's methods, by name: their theorems and bounds.
for pair in sharing:admm-m consensus:admm-m lasso:prox-bcd simplex:gcg; do
    run "$CREASE" check "$examples/${pair%:*}.json" --method "${pair#*:}"
    [ $code -eq 0 ] && [[ $out == *"method      ${pair#*:},"*"covers this problem"*"K           at most"* ]]
    judge $? "check $pair: exit $code: $out $err"
done
# What presolve does is shown; with a method of the paper it does nothing.
run "$CREASE" check "$examples/sharing_mcp.json"
[[ $out == *$'\npresolve    block u is free and stands in the constraint as 1 times itself: eliminated'* ]]
judge $? "presolve is shown: $out"
expect_json 'len(d["presolve"]) == 1 and "eliminated" in d["presolve"][0]' \
    check "$examples/sharing_mcp.json" --json
expect_json 'd["presolve"] == []' check "$examples/sharing_mcp.json" --json --method admm-m
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
    run "$CREASE" check "$scratch/rows.json" --json --method extension
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
expect_exit 2 "takes no constraint.*use auto" check "$examples/sharing.json" --method gcg
expect_exit 2 "needs a constraint.*use auto" check "$examples/lasso.json" --method admm-g
expect_exit 2 "multipliers needs a constraint; use another method or auto" check "$examples/lasso.json" --method multipliers
expect_exit 2 "full row rank.*extension" check "$examples/rank_deficient.json" --method admm-m
expect_exit 2 "A_N = c I.*extension" check "$examples/rank_deficient.json" --method admm-g
printf '{"crease": 1, "blocks": [{"shape": 3, "regularizer": "l0:1", "set": "simplex:1"}]}' \
    >"$scratch/pair.json"
expect_exit 2 "l0.*simplex" check "$scratch/pair.json"
finish
