# foreign: files that NumPy, SciPy, nibabel, R, Octave and people write, in formats whose parsers are our own, are
# read entry by entry with their names; from standard input and gzipped, too. A tool that is absent is named
# and its part left out.
source "$(dirname "$0")/common.bash"
cd "$scratch" && $python "$(dirname "$support")/cli/foreign.py" "$CREASE"
judge $? "files of other programs"
finish
