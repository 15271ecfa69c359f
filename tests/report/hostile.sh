# hostile: results with markup in their words, without numbers, with arrays cut or of another shape:
# a page that holds its own markup alone, or a sentence
set -u
: "${CREASE:?set CREASE to the program}"
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
/usr/bin/python3 "$(dirname "$0")/hostile.py" "$CREASE" "$scratch"
