# impossible: problems without an answer end with their own outcome and exit code, and a proof that
# crease verify confirms; what has an answer never does
source "$(dirname "$0")/common.bash"

# ends CODE OUTCOME SENTENCE PROBLEM [OPTION...]: the run, its folder, and the folder judged anew.
ends() {
    local code_wanted=$1 outcome=$2 sentence=$3
    printf '%s' "$4" >"$scratch/p.json"
    shift 4
    run "$CREASE" solve "$scratch/p.json" --quiet --json --out "$scratch/folder" --force "$@"
    printf '%s' "$out" >"$scratch/result"
    [ $code -eq "$code_wanted" ] && $python - "$outcome" "$sentence" "$scratch/result" <<'PY'
import json, sys
d = json.load(open(sys.argv[3]))
ok = d["outcome"] == sys.argv[1] and sys.argv[2] in d["details"]["note"]
if sys.argv[1] in ("infeasible", "unbounded"):
    ok = ok and d["verdict"] == "VALID" and d["details"]["guarantee"] == "none"
elif d["outcome"] != "stationary":
    ok = ok and d["verdict"] != "VALID" and d["details"]["guarantee"] == "none"
sys.exit(not ok)
PY
    judge $? "$outcome wanted: exit $code: $(cat "$scratch/p.json") $out $err"
    run "$CREASE" verify "$scratch/folder"
    case $outcome in
    infeasible | unbounded | stationary) [ $code -eq 0 ] && [[ $out == VALID* ]] ;;
    *) [ $code -ne 0 ] ;;
    esac
    judge $? "verify of $outcome: exit $code: $out $err"
}
distance='"smooth": [{"squared_distance": {"a": "x", "d": [1, 2, 3]}}]'
rows() { # rows SET RHS MAPS
    printf '{"crease": 1, "blocks": [{"name": "x", "shape": 3, %s}], %s,
     "constraint": {"maps": {"x": %s}, "rhs": %s}}' "$1" "$distance" "$3" "$2"
}
twice='[[1, 1, 1], [1, 1, 1]]'
for mode in practical paper; do
    ends 4 infeasible 'rows 1 and 2 of the constraint contradict' \
        "$(rows '"set": "box:0,1"' '[1, 2]' "$twice")" --mode $mode
done
ends 4 infeasible 'row 1 of the constraint' "$(rows '"set": "box:0,1"' '[4]' '[[1, 1, 1]]')"
ends 4 infeasible 'row 1 of the constraint' "$(rows '"set": "l2-ball:1"' '[4]' '[[1, 1, 1]]')"
ends 4 infeasible 'row 1 of the constraint' \
    "$(rows '"regularizer": "nonneg-l1:1"' '[-1]' '[[1, 1, 1]]')"
ends 4 infeasible 'rows 1 and 2' "$(rows '"regularizer": "l1:1"' '[1, 2]' "$twice")"
ends 4 infeasible 'rows 2 and 3' \
    "$(rows '"regularizer": "mcp:1,3"' '[5, 1, 2]' '[[1, 0, 0], [0, 1, 1], [0, 1, 1]]')"
ends 4 infeasible 'row 1 of the constraint contradicts' \
    "$(rows '"set": {"half-space": {"b": 1, "a": 1}}' '[3]' '[[1, 1, 1]]')"
ends 4 infeasible 'row 1 of the constraint contradicts' \
    "$(rows '"set": {"hyperplane": {"b": 1, "a": [2, 2, 2]}}' '[1]' '[[1, 1, 1]]')"
ends 4 infeasible 'of the constraint contradict' "$(rows '"set": "soc"' '[-1, 0]' '[[1, 0, 1], [0, 1, 2]]')"
ends 4 infeasible 'row 1 of the constraint' '{"crease": 1, "blocks": [{"name": "X", "shape": [2, 2],
    "set": "psd"}], "constraint": {"maps": {"X": [[1, 0, 0, 1]]}, "rhs": [-1]}}'
# A row of zeros, and a right-hand side that it cannot give.
ends 4 infeasible 'row 2' "$(rows '"regularizer": "l1:1"' '[1, 1]' '[[1, 0, 0], [0, 0, 0]]')"
# Feasible ones, one of them in a single point, are solved.
ends 0 stationary '' "$(rows '"set": "box:0,1"' '[1, 1]' "$twice")"
ends 0 stationary '' "$(rows '"set": "box:0,1"' '[3]' '[[1, 1, 1]]')"
ends 0 stationary '' "$(rows '"set": "simplex:1"' '[1, 1]' "$twice")"

free() { # free TERMS BLOCK
    printf '{"crease": 1, "blocks": [{"name": "u", "shape": 3, "start": 1, %s}], "smooth": [%s]}' \
        "$2" "$1"
}
line='{"quadratic": {"q": {"u": [-1, 0, 0]}}}'
saddle='{"quadratic": {"Q": {"u,u": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}}}'
blind='{"least_squares": {"terms": {"u": [[0, 1, 1], [0, 1, -1]]}, "rhs": [1, 2]}}'
ends 5 unbounded 'a ray of u: its slope is -1' "$(free "$line" '"set": "nonneg"')"
ends 5 unbounded 'a ray of u: its slope' "$(free "$line, $blind" '"regularizer": "l1:0.5"')"
ends 5 unbounded 'a ray of u: its slope' "$(free "$line, $blind" '"regularizer": "mcp:0.5,3"')"
for set in '"soc"' '{"half-space": {"b": 9, "a": [1, 1, 0]}}' '{"hyperplane": {"b": 3, "a": 1}}'; do
    ends 5 unbounded 'a ray of u: its slope' "$(free '{"quadratic": {"q": {"u": [1, 2, 1]}}}' \
        "\"set\": $set")" --method prox-bcd
done
ends 5 unbounded 'second derivative' "$(free "$saddle" '"regularizer": "l1:0.5"')"
ends 0 stationary '' "$(free "$line, $blind" '"regularizer": "l1:2"')"
ends 0 stationary '' "$(free "$saddle" '"set": "box:-1,1"')"
ends 0 stationary '' "$(free '{"quadratic": {"q": {"u": [1, 2, 3]}}}' '"set": "soc"')"
ends 0 stationary '' "$(free '{"quadratic": {"q": {"u": [-1, -1, 0]}}}' \
    '"set": {"half-space": {"b": 9, "a": [1, 1, 0]}}')"
# With a constraint: x1 = x2 + 1 = x3 + 2, x >= 0, and the sum of prices negative.
ends 5 unbounded 'a ray of x: its slope' '{"crease": 1, "blocks": [{"name": "x", "shape": 3, "set":
    "nonneg"}, {"name": "z", "shape": 2, "regularizer": "l1:1"}], "smooth": [{"quadratic": {"q":
    {"x": [-1, 0.5, 0.25]}}}, {"squared_distance": {"a": "z", "d": [1, 1]}}], "constraint":
    {"maps": {"x": [[1, -1, 0], [1, 0, -1]]}, "rhs": [1, 2]}}'

# A proof that was edited proves nothing.
ends 4 infeasible 'rows 1 and 2' "$(rows '"set": "box:0,1"' '[1, 2]' "$twice")"
$python - "$scratch/folder" <<'PY'
import sys, numpy
path = sys.argv[1] + "/separator.npy"
y = numpy.load(path)
y[0] = -y[0]
numpy.save(path, y)
PY
run "$CREASE" verify "$scratch/folder"
[ $code -eq 1 ] && [[ $out == INVALID* ]]
judge $? "an edited separator: exit $code: $out"
finish
