# corrupt: no edit of a result is VALID, none makes verify wait, and copies stay VALID (corrupt.py)
source "$(dirname "$0")/common.bash"
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python "$(dirname "$0")/corrupt.py" "$CREASE"
