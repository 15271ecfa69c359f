# solve: every example is solved, certified and confirmed; results, limits, signals, outputs
source "$(dirname "$0")/common.bash"
examples=$(cd "$(dirname "$0")/../../examples/problems" && pwd)
lasso=$examples/lasso.json

# holds EXPRESSION [FILE]: the JSON document d (stdout of the last run, or FILE) satisfies it.
holds() {
    $python - "$1" "${2:-$scratch/out}" <<'PY'
import json, math, sys
def refuse(word): raise ValueError(word)
d = json.load(open(sys.argv[2]), parse_constant=refuse)
sys.exit(not eval("(" + sys.argv[1] + ")"))
PY
    judge $? "$1: $(head -c 300 "${2:-$scratch/out}")"
}
# solved CODE ARGUMENT...: this exit code.
solved() {
    local wanted=$1
    shift
    run "$CREASE" solve "$@"
    [ "$code" -eq "$wanted" ]
    judge $? "solve $*: exit $code instead of $wanted: $err"
}

# Every example: exit 0, quiet when asked, certified and confirmed, its verdict repeatable.
for file in "$examples"/*.json; do
    name=$(basename "$file" .json)
    solved 0 "$file" --quiet --json --out "$scratch/$name"
    [ -z "$err" ]
    judge $? "--quiet: $err"
    holds 'd["outcome"] == "stationary" and d["verdict"] == "VALID" and
           d["details"]["certificate"]["worst"] <= d["eps"] and
           (d["details"]["guarantee"] != "none") == (d["details"]["reasons"] == []) and
           (d["details"]["guarantee"] != "none") == (d["method"] not in ("multipliers", "grid")) and
           all(a["status"] == "proved" or a["status"] == "estimated" and
               a["name"] in ("feasible", "stationary point (1.1)", "L finite") or
               d["method"] in ("multipliers", "grid") and a["name"] == "iteration bound"
               for a in d["details"]["analysis"]["assumptions"])'
    cmp -s "$scratch/out" "$scratch/$name/result.json"
    judge $? "$name: --json and result.json are the same document"
done
# Relative residuals where every term of every condition vanishes: A x + u = b, |u|^2/2.
for A in '[[2, 1], [1, 3]]' 1; do
    for method in auto admm-g admm-m extension; do
        cat >"$scratch/system.json" <<END
{ "crease": 1, "blocks": [{ "name": "x", "shape": 2 }, { "name": "u", "shape": 2 }],
  "smooth": [{ "squared_distance": { "a": "u", "weight": 1 } }],
  "constraint": { "maps": { "x": $A, "u": 1 }, "rhs": [1, 2] },
  "options": { "relative": true, "max_iterations": 1000 } }
END
        solved 0 "$scratch/system.json" --method $method --quiet --json
        holds 'd["verdict"] == "VALID" and d["outcome"] == "stationary"'
    done
done

# 0 is stationary for l0, and a step leaves it; the answer as a start is said to be one.
cat >"$scratch/l0.json" <<'END'
{ "crease": 1, "blocks": [{ "name": "x", "shape": 3, "regularizer": "l0:0.1" }],
  "smooth": [{ "least_squares": { "terms": { "x": [[2, 1, 0], [1, 3, 1], [0, 1, 2], [1, 1, 1]] },
                                  "rhs": [5, -3, 2, 1] } }] }
END
solved 0 "$scratch/l0.json" --quiet --json
holds 'd["verdict"] == "VALID" and d["iterations"] > 0 and d["objective"] < 3'
# Several starts: the lowest certified point is shown, every point is listed, the seed decides.
solved 0 "$scratch/l0.json" --quiet --starts 6 --json
holds 'd["verdict"] == "VALID" and 6 <= len(d["details"]["points"]) <= 7 and
       d["iterations"] == sum(p["iterations"] for p in d["details"]["points"]) and
       d["objective"] <= 1e-6 + min(p["objective"] for p in d["details"]["points"]
                                    if p["outcome"] == "stationary")'
solved 0 "$scratch/l0.json" --quiet --starts 6 --seed 3
[[ $out == *"points       "*" found in "*" runs, objective "*"the lowest is shown"* ]]
judge $? "the line of points: $out"
solved 0 "$scratch/l0.json" --quiet --continuation 1 --json
holds 'd["verdict"] == "VALID" and [p["start"] for p in d["details"]["points"]] == ["given, led"]'
solved 0 "$scratch/l0.json" --quiet --json
holds 'd["details"]["points"] == []'
expect_exit 64 "starts = 0 is outside its range" solve "$scratch/l0.json" --starts 0 --quiet
expect_exit 64 "starts is read by .*this run uses prox-bcd" \
    solve "$scratch/l0.json" --starts 2 --method prox-bcd --quiet
sed 's/"regularizer": "l0:0.1"/"regularizer": "l1:100"/' "$scratch/l0.json" >"$scratch/l1.json"
solved 0 "$scratch/l1.json" --quiet
[[ $out == *"note         the start was already stationary"*"0 iterations of"* ]]
judge $? "a start that stays: $out"

holds 'd["method"] == "newton"' "$scratch/lasso/result.json"
holds 'd["method"] == "gcg"' "$scratch/farthest/result.json"

# A nonconvex f on a set with a linear oracle alone.
echo '{"crease": 1, "blocks": [{"name": "X", "shape": [3, 3], "set": "birkhoff", "start": 0.333}],
    "smooth": [{"squared_distance": {"a": "X", "d": [[0.6, 0, 0.2], [0, 1, 0.3], [0.5, 0, 0.9]]}},
               {"squared_distance": {"a": "X", "weight": -0.5}}]}' >"$scratch/oracle.json"
solved 0 "$scratch/oracle.json" --quiet --json
holds 'd["method"] == "frank-wolfe" and d["residual"] <= 1e-6'
holds 'd["method"] == "extension" and
       d["details"]["analysis"]["parameters"]["blocks"][-1]["block"] == "slack"' \
    "$scratch/rank_deficient/result.json"
holds 'd["method"] == "panoc" and len(d["details"]["lambda"]) == 2' "$scratch/sharing/result.json"

# The core that auto chooses, by the structure of the problem, and the work that it took.
# core METHOD PRESOLVE PROBLEM: this core at the start, solved, with so many lines of presolve.
core() {
    printf '{"crease": 1, %s}' "$3" >"$scratch/core.json"
    run "$CREASE" check "$scratch/core.json" --json
    holds 'd["method"] == "'"$1"'" and len(d["presolve"]) == '"$2"
    solved 0 "$scratch/core.json" --quiet --json
    holds 'd["verdict"] == "VALID" and d["details"]["mode"] == "practical" and
           len(d["details"]["presolve"]) == '"$2"' and d["details"]["work"]["pairs"] > 0 and
           all(d["details"]["work"][k] >= 0 for k in ("spectra", "factorizations"))'
}
fit='"least_squares": {"terms": {"x": [[2, 1, 0], [1, 3, 1], [0, 1, 2], [1, 1, 1]]}, "rhs": [5, -3, 2, 1]}'
core newton 0 '"blocks": [{"name": "x", "shape": 3, "regularizer": "l1:0.1"}], "smooth": [{'"$fit"'}]'
core newton 0 '"blocks": [{"name": "x", "shape": 3, "set": "box:0,1"}], "smooth": [{'"$fit"'}]'
core panoc 0 '"blocks": [{"name": "x", "shape": 3, "set": "simplex:1"}], "smooth": [{'"$fit"'}]'
holds 'd["details"]["work"]["factorizations"] == 0'
core tangent 0 '"blocks": [{"name": "X", "shape": [2, 2], "regularizer": "nuclear:0.1"}],
    "smooth": [{"least_squares": {"terms": {"X": [[1, 0, 2, 0], [0, 1, 1, 1], [1, 1, 0, 3]]},
        "rhs": [1, 2, 3]}}]'
holds 'd["details"]["work"]["spectra"] > 0'
core variable-projection 0 '"blocks": [{"name": "U", "shape": [3, 1], "start": 1},
        {"name": "V", "shape": [3, 1], "start": 0.5}],
    "smooth": [{"matrix_factorization": {"x": "U", "y": "V",
        "target": [[1, 2, 3], [2, 4, 6.5], [1, 1, 3]]}}]'
core gauss-newton 0 '"blocks": [{"name": "U", "shape": [12, 1], "start": 1},
        {"name": "V", "shape": [10, 1], "start": 0.5}],
    "smooth": [{"matrix_factorization": {"x": "U", "y": "V", "target": '"$($python -c '
print([[i * j % 7 + i / (j + 1) for j in range(10)] for i in range(12)])')"'}}]'
core alternation 0 '"blocks": [{"name": "L", "shape": [2, 2], "regularizer": "nuclear:0.4"},
        {"name": "S", "shape": [2, 2], "regularizer": "l1:0.3"}],
    "smooth": [{"least_squares": {"terms": {"L": 1, "S": 1}, "rhs": [[1, 2], [3, 5]]}}]'
core splitting 0 '"blocks": [{"name": "L", "shape": [2, 2], "regularizer": "nuclear:1"},
        {"name": "S", "shape": [2, 2], "regularizer": "l1:0.7"}],
    "constraint": {"maps": {"L": 1, "S": 1}, "rhs": [[1, 2], [3, 5]]}'
core multipliers 0 '"blocks": [{"name": "x", "shape": 3, "set": "box:0,1"}], "smooth": [{'"$fit"'}],
    "constraint": {"maps": {"x": [[1, 1, 1], [1, -1, 2]]}, "rhs": [1, 0.5]}'
core newton 1 '"blocks": [{"name": "x", "shape": 3, "regularizer": "l1:0.1"}, {"name": "z", "shape": 2}],
    "smooth": [{'"$fit"'}, {"squared_distance": {"a": "z", "d": [1, 2]}}],
    "constraint": {"maps": {"x": [[1, 1, 1], [1, -1, 2]], "z": -1}, "rhs": [0, 0]}'
holds '"eliminated" in d["details"]["presolve"][0]'
# Cores by name: each that suits ends at the same minimum, one that does not says what it needs.
for method in auto newton panoc prox-gradient prox-bcd; do
    solved 0 "$lasso" --quiet --json --method $method
    holds 'd["verdict"] == "VALID" and d["method"] == "'$method'".replace("auto", "newton") and
        abs(d["objective"] - json.load(open("'"$scratch"'/lasso/result.json"))["objective"]) < 1e-6'
done
for method in multipliers newton panoc; do
    solved 0 "$examples/sharing_mcp.json" --quiet --json --method $method
    holds 'd["verdict"] == "VALID" and d["method"] == "'$method'" and
        len(d["details"]["presolve"]) == '$([ $method = multipliers ] && echo 0 || echo 1)
done
refused() { # refused METHOD NEEDS FILE
    expect_exit 64 "$1 needs $2.*; use another method or auto" solve "$3" --method "$1" --quiet
}
refused multipliers 'a constraint' "$lasso"
refused splitting 'f = 0, two blocks' "$lasso"
refused tangent 'one block with a spectral regularizer' "$lasso"
refused alternation 'two blocks' "$lasso"
refused newton 'no constraint, regularizers and sets of single entries' "$examples/tv_image.json"
refused panoc 'no constraint' "$examples/tv_image.json"

# Known answers: the farthest points of the boxes, the consensus (soft threshold of the mean).
holds 'd["details"]["x"] == {"x": [1, 0, 0], "y": [-1, 2, 3]} and d["objective"] == -(4 + 4 + 9) / 2' \
    "$scratch/farthest/result.json"
holds 'all(abs(a - b) < 1e-6 for a, b in zip(d["details"]["x"]["x"], [1.95, 0.95, 0.95]))' \
    "$scratch/consensus/result.json"
# Optimality of the lasso, recomputed here: A_j(b - Ax) = 0.5 sign(x_j), or <= 0.5 where x_j = 0.
holds '(lambda p, x: all(
        abs(c - 0.5 * math.copysign(1, xj)) < 2e-6 if xj else abs(c) <= 0.5 + 2e-6
        for xj, c in zip(x, [sum(row[j] * (b - sum(a * t for a, t in zip(row, x)))
            for row, b in zip(p["terms"]["x"], p["rhs"])) for j in range(5)])))(
        json.load(open("'"$lasso"'"))["smooth"][0]["least_squares"], d["details"]["x"]["x"])' \
    "$scratch/lasso/result.json"

# The folder: all files, arrays equal to the inline numbers, a history that begins and ends right.
for file in result.json certificate.json history.csv lambda.npy x_a.npy x_b.npy x_c.npy x_z.npy; do
    [ -s "$scratch/sharing/$file" ]
    judge $? "the result has $file"
done
run "$CREASE" project box:-inf,inf --input "$scratch/sharing/x_c.npy" --json
holds 'd["x"] == json.load(open("'"$scratch"'/sharing/result.json"))["details"]["x"]["c"]'
head -n 1 "$scratch/sharing/history.csv" |
    grep -qx 'phase,iteration,objective,feasibility,worst,worst_relative,theta,potential,seconds'
judge $? "history.csv has its names"
last=$(tail -n 1 "$scratch/sharing/history.csv" | cut -d, -f2)
holds "d['iterations'] == $last" "$scratch/sharing/result.json"

# The command line beats the file; every option has its dashes.
cat >"$scratch/own.json" <<'JSON'
{"crease": 1, "blocks": [{"shape": 2, "regularizer": "l1:1"}],
 "smooth": [{"squared_distance": {"a": "x1", "d": [3, 0.5]}}],
 "options": {"eps": 1e-3, "max_iterations": 70, "mode": "theory", "audit": true}}
JSON
solved 0 "$scratch/own.json" --quiet --json
holds 'd["settings"]["eps"] == 1e-3 and d["settings"]["max_iterations"] == 70 and
       d["details"]["mode"] == "theory" and
       d["settings"]["audit"] == 1 and abs(d["details"]["x"]["x1"][0] - 2) < 1e-2 and d["details"]["x"]["x1"][1] == 0'
solved 0 "$scratch/own.json" --quiet --json --eps 1e-9 --max-iterations=500 \
    --mode practical --certify_every 1
holds 'd["settings"]["eps"] == 1e-9 and d["settings"]["max_iterations"] == 500 and
       d["details"]["mode"] == "practical"'

# Limits: exit 2, a result all the same, never "solved".
solved 2 "$lasso" --json --quiet --max-iterations 0 --out "$scratch/none"
holds 'd["outcome"] == "iteration_limit" and d["iterations"] == 0 and
       d["verdict"] == "INVALID"'
solved 2 "$lasso" --json --quiet --max-iterations 3 --method prox-bcd
holds 'd["outcome"] == "iteration_limit" and d["iterations"] == 3'
solved 2 "$lasso" --json --quiet --max-seconds 0 --eps 0
holds 'd["outcome"] == "time_limit"'
solved 2 "$lasso" --json --quiet --max-evaluations 5 --eps 0
holds 'd["outcome"] == "evaluation_limit"'
# An objective that falls without end: exit 5 with a proof, exit 3 without; the best finite point.
cat >"$scratch/unbounded.json" <<'JSON'
{"crease": 1, "blocks": [{"shape": 2, "start": 2}],
 "smooth": [{"quadratic": {"Q": {"x1": [[-1, 0], [0, 1]]}, "q": {"x1": [1, 1]}}}]}
JSON
printf '{"crease": 1, "blocks": [{"shape": [2, 1], "start": 2}, {"shape": [2, 1], "start": 1}],
 "smooth": [{"matrix_factorization": {"x": "x1", "y": "x2", "target": 1}},
  {"squared_distance": {"a": "x1", "weight": -1}}]}' >"$scratch/product.json"
ends_low() { # ends_low CODE OUTCOME FILE
    solved "$1" "$scratch/$3" --json --quiet --out "$scratch/$2"
    holds 'd["outcome"] == "'$2'" and None not in d["details"]["x"]["x1"] and
           d["details"]["guarantee"] == "none" and len(d["details"]["reasons"]) > 0'
}
ends_low 5 unbounded unbounded.json
ends_low 3 diverged product.json
# Theory mode refuses what no theorem covers, and says what would.
solved 64 "$scratch/unbounded.json" --mode theory
[[ $err == *"no theorem covers"*"bound"* ]]
judge $? "$err"
# Start points outside their sets are moved, with a word.
printf '{"crease": 1, "blocks": [{"shape": 2, "set": "simplex:1", "start": 5}],
 "smooth": [{"squared_distance": {"a": "x1", "d": [0.9, 0]}}]}' >"$scratch/outside.json"
solved 0 "$scratch/outside.json"
[[ $err == *"projected"* ]]
judge $? "the log tells of a moved start"

# So are those where a regularizer is infinite.
printf '{"crease": 1, "blocks": [{"shape": 2, "regularizer": "nonneg", "start": -5}],
 "smooth": [{"squared_distance": {"a": "x1", "d": [0.9, -1]}}]}' >"$scratch/domain.json"
solved 0 "$scratch/domain.json" --json --quiet
holds 'd["details"]["moved_starts"] == 1 and abs(d["details"]["x"]["x1"][0] - 0.9) < 1e-5 and d["details"]["x"]["x1"][1] == 0'

# With --verbose: banner, table, footer, one EXIT line; stdout is the summary.
solved 0 "$lasso" --method prox-bcd
[ -z "$err" ]
judge $? "a short run says nothing on standard error: $err"
solved 0 "$lasso" --method prox-bcd --verbose
[ "$(grep -c '^EXIT: eps-stationary point found and certified$' "$scratch/err")" -eq 1 ] &&
    [ "$(tail -n 1 "$scratch/err")" = "EXIT: eps-stationary point found and certified" ] &&
    [[ $err == "crease "*"5 variables"*"guarantee   Theorem"*iteration*objective* ]]
judge $? "the log: $err"
lines=$(awk '$1 ~ /^[0-9]+$/ {print $1}' "$scratch/err" | sort -nu | head -n 5 | tr '\n' ' ')
[ "$lines" = "0 1 2 5 10 " ]
judge $? "lines at 0, 1, 2, 5, 10"
[[ $out == *"  objective "*"x "*"  certified "*"confirmed by the independent checker"* ]]
judge $? "the summary: $out"
solved 0 "$lasso" --quiet --log-csv "$scratch/log.csv" --method prox-bcd
[ "$(wc -l <"$scratch/log.csv")" -ge 10 ] && [ -z "$err" ]
judge $? "--log-csv writes every iteration"
solved 0 "$lasso" --verbose --certify-every 1 --method prox-bcd
[ "$(awk '$1 ~ /^[0-9]+$/' "$scratch/err" | wc -l)" -gt 12 ]
judge $? "--verbose has more lines"

# Outputs in the way.
solved 73 "$lasso" --quiet --out "$scratch/lasso"
[[ $err == *"exists already"*"--force"* ]] && [ "$(wc -l <"$scratch/err")" -eq 1 ]
judge $? "an earlier result is not overwritten: $err"
solved 0 "$lasso" --quiet --out "$scratch/lasso" --force
mkdir "$scratch/mine" && touch "$scratch/mine/thesis.tex"
solved 73 "$lasso" --quiet --out "$scratch/mine" --force
[ -f "$scratch/mine/thesis.tex" ] && [[ $err == *"not a result"* ]]
judge $? "--force replaces results only"
solved 73 "$lasso" --quiet --out "$scratch/no/such/folder"
solved 73 "$lasso" --quiet --log-csv "$scratch/no/log.csv"
solved 73 "$lasso" --quiet --out "$lasso" --force
[ -z "$(find "$scratch" -name '*.tmp' -o -name '*.old')" ]
judge $? "nothing is left half-written"
"$CREASE" solve "$lasso" --quiet --json >/dev/full 2>/dev/null
[ $? -eq 74 ]
judge $? "a full standard output is exit 74"

# Signals: the result is written, 130 and 143.
for pair in INT:130 TERM:143; do
    signal=${pair%:*} wanted=${pair#*:}
    "$CREASE" solve "$lasso" --eps 0 --max-iterations 2000000000 --quiet --json \
        --out "$scratch/$signal" >"$scratch/out" 2>"$scratch/err" &
    child=$!
    sleep 0.5
    kill -s "$signal" $child
    wait $child
    code=$?
    [ "$code" -eq "$wanted" ] && [ -s "$scratch/$signal/result.json" ]
    judge $? "SIG$signal: exit $code instead of $wanted"
    holds 'd["outcome"] == "stopped" and d["details"]["certificate"]["worst"] < 1e-6' \
        "$scratch/$signal/result.json"
done

# Another locale gives the same numbers.
if locale -a 2>/dev/null | grep -qi '^de_DE.utf-\?8$'; then
    solved 0 "$lasso" --quiet
    LC_ALL=de_DE.UTF-8 "$CREASE" solve "$lasso" --quiet | grep -v iterations >"$scratch/german"
    grep -v iterations "$scratch/out" | cmp -s - "$scratch/german"
    judge $? "a decimal comma changes nothing"
fi
finish
