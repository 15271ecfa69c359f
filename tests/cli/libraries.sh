# libraries: files that h5py, SciPy, Octave, netCDF, ImageMagick, tifffile and ffmpeg write are read entry by
# entry, and what they cannot be read for is said; hostile ones are refused within limits. A tool that is
# absent is named and its part left out.
source "$(dirname "$0")/common.bash"
cd "$scratch" && $python "$(dirname "$support")/cli/libraries.py" "$CREASE"
