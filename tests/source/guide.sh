# The pages tell the truth: their C is that of the tested examples, their JSON is a file under
# examples/problems, and their commands print what they say.
set -u
passed=0 failed=0
check() {
  local name=$1
  shift
  if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAILED: $name"; fi
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

blocks() { # blocks LANGUAGE FILE: every fenced block of the language, as a file of its own
  rm -f "$work"/block.*
  awk -v fence="\`\`\`$1" -v out="$work/block." \
      '$0 == fence {n++; code = 1; next} $0 == "```" {code = 0} code {print > (out n)}' "$2"
  ls "$work"/block.* 2>/dev/null
}
c_is_in_the_examples() {
  local guide block all
  all=$(cat examples/*.c)
  for guide in $(find docs -name '*.md'); do
    for block in $(blocks c "$guide"); do
      [[ $all == *"$(cat "$block")"* ]] || { echo "$guide: not in examples/*.c:"; cat "$block"; return 1; }
    done
  done
}
json_is_a_problem_file() {
  local guide block found file
  for guide in $(find docs -name '*.md'); do
    for block in $(blocks json "$guide"); do
      python3 -m json.tool "$block" >/dev/null || return 1
      found=
      for file in examples/problems/*.json; do cmp -s "$block" "$file" && found=yes; done
      [ "$found" ] || { echo "no such file under examples/problems:"; cat "$block"; return 1; }
    done
  done
}
# A file or folder that a page names in backquotes is there, by its path or the end of it.
named_files_exist() {
  local page name status=0
  git ls-files 2>/dev/null | grep -q . && git ls-files >"$work/files" || find . -type f | sed 's|^\./||' >"$work/files"
  for page in $(find docs -name '*.md') README.md CONTRIBUTING.md study/results/*.md; do
    for name in $(grep -oE '`[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)*(\.(c|h|def|inc|sh|bash)|/)`' "$page" | tr -d '`' | sort -u); do
      grep -qE "(^|/)${name//./\\.}$([[ $name == */ ]] || echo '$')" "$work/files" ||
        { echo "$page: there is no $name"; status=1; }
    done
  done
  return $status
}
check "C blocks" c_is_in_the_examples
check "files that are named" named_files_exist
check "JSON blocks" json_is_a_problem_file
for guide in README.md $(grep -l '^```sh$' -r docs --include='*.md' | sort); do
  if grep -q '^ffmpeg' "$guide" && ! command -v ffmpeg >/dev/null; then
    echo "skipped: $guide needs ffmpeg"
    continue
  fi
  check "commands of $guide" /usr/bin/python3 tests/source/guide_commands.py "$CREASE" "$guide"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
