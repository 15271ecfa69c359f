# methods: the page that says which method runs and why is what the program says, table and examples
source "$(dirname "$0")/common.bash"

run "$python" scripts/methods-page "$CREASE" --check
judge $code "docs/methods.md: $out $err"
# Every core of the decision table has a row; prox-gradient, the last resort, follows the others.
for core in $(grep -oE '^ +&crs_core_[a-z_]+' src/composite/decide.c | sed 's/.*crs_core_//; s/^plain$//; s/_/-/g'); do
    grep -q "^| \`$core\` (" docs/methods.md
    judge $? "docs/methods.md has no row for $core: give scripts/methods-page an example"
done
$python tests/support/schema.py docs/problem.schema.json examples/problems/methods/*.json
judge $? "a problem of the page is not valid by the schema"
expect_json 'd["method"] == "newton" and d["then"] == ["panoc", "prox-gradient"]' \
    check examples/problems/lasso.json --json
expect_json 'd["method"] == "panoc" and d["then"] == []' \
    check examples/problems/lasso.json --method panoc --json
finish
