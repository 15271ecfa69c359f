# The documentation builds without a warning: no broken link, no page that nobody lists.
set -u
command -v sphinx-build >/dev/null || { echo "skipped: sphinx-build is not installed (make docs installs it)"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
scripts/make-docs "$CREASE" "$work/out" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for page in reference/verbs reference/formats reference/c-api gallery/index tutorials/first-split; do
  [ -s "$work/out/html/$page.html" ] || { echo "FAILED: there is no $page.html"; exit 1; }
done
echo "all pages are there"
