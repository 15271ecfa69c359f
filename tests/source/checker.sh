# The second checker, tests/support/checker.py, knows exactly stationary points and their corruptions.
set -u
passed=0 failed=0
python=/usr/bin/python3
"$python" -c 'import numpy' 2>/dev/null || { echo "skipped: $python has no numpy"; exit 0; }
scratch=$(mktemp -d) && trap 'rm -rf "$scratch"' EXIT

# judge CODE LAST PROBLEM RESULT: the exit status and the first word of the last line
judge() {
  local out code
  echo "$3" >"$scratch/problem.json"
  echo "$4" >"$scratch/result.json"
  out=$("$python" tests/support/checker.py "$scratch/problem.json" "$scratch/result.json" 2>&1)
  code=$?
  if [ "$code" -eq "$1" ] && [[ ${out##*$'\n'} == "$2"* ]]; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "exit $code instead of $1 for $4: $out"
  fi
}
point() { # point X Y LAMBDA EPS
  echo "{\"x\": {\"x\": $1, \"y\": $2}, \"lambda\": $3, \"certificate\": {\"eps\": $4}}"
}

# min |x|_1 + (1/2)|y - d|^2 with x = y, in quarters
split='{"crease": 1, "blocks": [{"name": "x", "shape": 2, "regularizer": "l1:1"},
  {"name": "y", "shape": [2]}], "smooth": [{"squared_distance": {"a": "y", "d": [3, 0.25]}}],
  "constraint": {"maps": {"x": 1, "y": {"identity": {"scale": -1}}}, "rhs": 0}}'
judge 0 "VALID 0" "$split" "$(point '[2, 0]' '[2, 0]' '[1, 0.25]' 1e-15)"
judge 1 INVALID "$split" "$(point '[2, 1e-300]' '[2, 0]' '[1, 0.25]' 1e-8)"
judge 1 INVALID "$split" "$(point '[2, 0]' '[2, 1e-7]' '[1, 0.25]' 1e-8)"
judge 1 INVALID "$split" "$(point '[2, 0]' '[2, 0]' '[1, 0.5]' 1e-8)"
judge 1 INVALID "$split" "$(point '[2, NaN]' '[2, 0]' '[1, 0.25]' 1e-8)"
judge 1 INVALID "$split" "$(point '[2, 0]' '[2, 0]' '[NaN, 0.25]' 1e-8)"

# f = <q, x>, r = |x|_1 on the simplex: the vertex with the least q + 1 is optimal
simplex='{"crease": 1, "blocks": [{"name": "x", "shape": 3, "regularizer": {"l1": {"lambda": 1}},
  "set": {"simplex": {"radius": 2}}}], "smooth": [{"quadratic": {"q": {"x": [1, -1, 0]}}}]}'
judge 0 "VALID 0" "$simplex" "$(point '[0, 2, 0]' 0 null 1e-15)"
judge 1 "INVALID 4" "$simplex" "$(point '[2, 0, 0]' 0 null 1)"
judge 1 "INVALID inf" "$simplex" "$(point '[0, 1.99, 0]' 0 null 100)"

# SCAD at 0 and on its flat part; an l0 term on a box
scad='{"crease": 1, "blocks": [{"name": "x", "shape": 2, "regularizer": "scad:1,3"}],
  "smooth": [{"least_squares": {"terms": {"x": [[1, 0], [0, 2]]}, "rhs": [1, 8]}}]}'
judge 0 "VALID 0" "$scad" "$(point '[0, 4]' 0 null 1e-15)"
judge 1 "INVALID" "$scad" "$(point '[0.001, 4]' 0 null 1e-4)"
box='{"crease": 1, "blocks": [{"name": "x", "shape": 2, "regularizer": "l0:1", "set": "box:-1,1"}],
  "smooth": [{"quadratic": {"q": {"x": [-5, 3]}}}]}'
judge 0 "VALID 0" "$box" "$(point '[1, 0]' 0 null 1e-15)"
judge 1 "INVALID 5" "$box" "$(point '[0.5, 0]' 0 null 1)"
judge 2 UNSUPPORTED "${box/l0:1/tv1d:1}" "$(point '[1, 0]' 0 null 1)"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
