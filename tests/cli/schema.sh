# schema: the JSON Schema of problem files is the program's: written from its catalogue, complete,
# and true of the examples; what it refuses, the program refuses
source "$(dirname "$0")/common.bash"
scripts/problem-schema "$CREASE" --check
judge $? "docs/problem.schema.json is up to date"

validate() { $python tests/support/schema.py docs/problem.schema.json "$@"; }
validate examples/problems/*.json
judge $? "every example conforms"

"$CREASE" list --json >"$scratch/list.json"
$python - "$scratch/list.json" <<'PY'
import json, re, sys
text = open("docs/problem.schema.json").read()
entries = json.load(open(sys.argv[1]))["entries"]
options = re.findall(r"X\((?:double|long), (\w+),", open("include/crease/options.h").read())
names = [e["name"] for e in entries if e["name"] != "callback"]
missing = [n for n in names if '"%s": {' % n not in text]
missing += [o for o in options + ["method", "mode"] if '"%s": {' % o not in text]
print(*missing)
sys.exit(bool(missing) or len(options) < 10)
PY
judge $? "every catalogue entry and option is in the schema"

# refused TEXT: neither the schema nor the program takes it. taken TEXT: both do.
refused() {
    printf '%s' "$1" >"$scratch/p.json"
    validate "$scratch/p.json" >/dev/null && fail "the schema takes $1"
    expect_exit 65 "p.json" check "$scratch/p.json"
}
taken() {
    printf '%s' "$1" >"$scratch/p.json"
    validate "$scratch/p.json" >/dev/null
    judge $? "the schema refuses $1"
    run "$CREASE" check "$scratch/p.json"
    [ "$code" -eq 0 ] || [ "$code" -eq 2 ]
    judge $? "the program refuses $1: $err"
}
one() { printf '{"crease": 1, "blocks": [{"name": "x", "shape": [2, 2], %s}]}' "$1"; }
refused '{"crease": 1}'
refused '{"crease": 2, "blocks": [{"shape": 1}]}'
refused '{"crease": 1, "blocks": [{"shape": 0}]}'
refused '{"crease": 1, "blocks": [{"shape": 1, "color": 1}]}'
refused "$(one '"regularizer": {"scad": {"lambda": 1, "a": 2}}')"
refused "$(one '"regularizer": {"scad": {"lambda": 1}}')"
refused "$(one '"regularizer": {"group-l1": {"lambda": 1}}')"
refused "$(one '"set": {"simplex": {"radius": -1}}')"
refused "$(one '"set": {"capped-simplex": {"k": 1.5}}')"
refused "$(one '"set": {"ball": {}}')"
refused "$(one '"set": {"half-space": {"b": 1}}')"
refused "$(one '"set": {"box-hyperplane": {"low": 0, "high": 1, "a": 1}}')"
refused "$(one '"set": {"rank-ball": {"k": 0}}')"
refused '{"crease": 1, "blocks": [{"shape": 1}], "options": {"eps": -1}}'
refused '{"crease": 1, "blocks": [{"shape": 1}], "options": {"method": "best"}}'
refused '{"crease": 1, "blocks": [{"shape": 1}], "smooth": [{"callback": {}}]}'
taken "$(one '"regularizer": "spectral-scad:1,3"')"
taken "$(one '"regularizer": {"scaled": {"alpha": 2, "regularizer": "nuclear:1"}}')"
taken "$(one '"regularizer": {"l1": {"lambda": 1, "weights": [[1, 2], [3, 0]]}}')"
taken "$(one '"regularizer": {"weighted-l1": {"lambda": [[1, 2], [3, 0]]}}')"
taken "$(one '"regularizer": {"group-l1": {"lambda": 1, "groups": {"labels": [1, 2, 1, 2]}}}')"
taken "$(one \
    '"regularizer": {"group-mcp": {"lambda": 1, "gamma": 3, "groups": [3, 1], "weights": [1, 2]}}')"
taken "$(one '"set": {"box": {"lower": [[0, "-inf"], [0, 1]], "high": "inf"}}')"
taken "$(one '"set": {"affine": {"inner": "simplex:1", "scale": -2, "shift": [[1, 0], [0, 1]]}}')"
taken '{"crease": 1, "blocks": [{"shape": 4, "set": {"product": {"parts":
    [{"set": "simplex:1", "shape": 3}, {"set": {"box": {"low": 0, "high": 1}}, "shape": 1}]}}}]}'
taken "$(one '"set": {"permutahedron": {"a": [[1, 2], [3, 4]]}}')"
taken "$(one '"set": {"half-space": {"b": 1, "a": [[1, 2], [3, 4]]}}')"
taken "$(one '"set": {"hyperplane": {"b": 0, "a": 1}}')"
taken "$(one '"set": {"box-hyperplane": {"low": 0, "high": 1, "a": 1, "b": 2}}')"
taken "$(one '"set": {"box-hyperplane": {"lower": 0, "upper": [[1, 2], [1, 2]], "a": 1, "b": 2}}')"
taken "$(one '"set": "psd"')"
taken "$(one '"set": {"capped-psd": {"trace": 2}}')"
taken "$(one '"set": "rank-ball:1"')"
taken "$(one '"start": 0.5')"
taken '{"crease": 1, "blocks": [{"shape": 1}], "options": {"audit": true, "relative": 1}}'
finish
