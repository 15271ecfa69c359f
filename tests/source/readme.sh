# The README is short and true: every verb is there, its C example is the tested one; the catalogue
# is the program's. (Its commands run with those of the other pages: guide.sh.)
set -u
passed=0 failed=0
check() {
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}
c_example_is_the_tested_one() {
  sed -n '/^```c$/,/^```$/p' README.md | grep -v '^```' | while IFS= read -r line; do
    [ -z "$line" ] || grep -qF -- "$line" examples/first_prox.c || { echo "not in first_prox.c: $line"; exit 1; }
  done
}
every_verb_is_named() {
  local verb
  for verb in $(sed -n 's/^VERB(\(.*\))/\1/p' src/cli/verbs.def); do
    case $verb in version) continue ;; esac
    grep -q "crease $verb\b" README.md || { echo "crease $verb"; return 1; }
  done
}
check "every verb" every_verb_is_named
check "C example" c_example_is_the_tested_one
check "catalogue" scripts/catalogue-page "$CREASE" --check
check "at most 150 lines" test "$(wc -l <README.md)" -le 150
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
