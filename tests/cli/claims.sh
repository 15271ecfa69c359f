# claims: what solve claims of random problem files, verify confirms (claims.py). 10,000 of them are the target
# campaign.
source "$(dirname "$0")/common.bash"
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python "$(dirname "$0")/claims.py" "$CREASE" 80 0 1
