# methods: the page that says which method runs and why is what the program says, table and examples
source "$(dirname "$0")/common.bash"

run "$python" scripts/methods-page "$CREASE" --check
judge $code "docs/methods.md: $out $err"
for method in direct gauss-newton variable-projection newton alternation tangent panoc splitting multipliers; do
    grep -q "^| \`$method\` (" docs/methods.md
    judge $? "docs/methods.md has no row for $method"
done
$python tests/support/schema.py docs/problem.schema.json examples/problems/methods/*.json
judge $? "a problem of the page is not valid by the schema"
expect_json 'd["method"] == "newton" and d["then"] == ["panoc", "prox-gradient"]' \
    check examples/problems/lasso.json --json
expect_json 'd["method"] == "panoc" and d["then"] == []' \
    check examples/problems/lasso.json --method panoc --json
finish
