# Data of any size: every model at a few of the scales 1e-300 .. 1e300. The whole table, decade by decade, is
# the target extreme_data.
source "${BASH_SOURCE%/*}/common.bash"
export OPENBLAS_NUM_THREADS=1
$python tests/cli/extreme.py "$CREASE" "$scratch" some:3
judge $? "data in another unit"
finish
