# browser: the pages of every verb in Chromium, both themes, wide and narrow: no console message, no
# request, labels, contrast, headings, keys, slider, links, sorting, and the numbers of result.json
set -u
: "${CREASE:?set CREASE to the program}"
here=$(cd "$(dirname "$0")" && pwd)
missing=$(/usr/bin/python3 -c "import sys; sys.path.insert(0, '$here'); import browser; print(browser.available() or '')")
if [ -n "$missing" ]; then
    echo "SKIPPED: $missing is not installed; scripts/install-dependencies test brings it"
    exit 77
fi
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
timeout --kill-after=10 300 /usr/bin/python3 "$here/pages.py" "$CREASE" "$scratch"
