# The README tells the truth: its shell examples print what it says, its C example is the tested
# one, its catalogue is the program's.
set -u
passed=0 failed=0
check() {
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}
shell_examples_print_what_follows() {
  local work command expected
  work=$(mktemp -d)
  ln -s "$CREASE" "$work/crease"
  # Every ```sh block with one command is followed by its output, indented by four blanks.
  awk '/^```sh$/ {command = ""; code = 1; next} /^```$/ && code {code = 0; wanted = 1; out = ""; next}
       code {command = command $0; next}
       wanted && /^    / {out = out substr($0, 5) "\\n"; next}
       wanted && out != "" {print command "\t" out; wanted = 0}' README.md >"$work/cases"
  [ -s "$work/cases" ] || return 1
  while IFS=$'\t' read -r command expected; do
    [ "$(PATH="$work:$PATH" bash -c "$command")" = "$(printf "$expected")" ] || { echo "$command"; return 1; }
  done <"$work/cases"
  rm -rf "$work"
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
check "shell examples" shell_examples_print_what_follows
check "C example" c_example_is_the_tested_one
check "catalogue" scripts/readme-catalogue "$CREASE" --check
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
