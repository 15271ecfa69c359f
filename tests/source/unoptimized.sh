# The numerical core does not lean on the optimizer: its steps over balls pass their tests at -O0 as well.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
flags="$(grep -E '^CMAKE_C_FLAGS:' "$BUILD/CMakeCache.txt" | cut -d= -f2-) -O0 -std=c11 -fopenmp"
flags+=" -Iinclude -I$BUILD/include -Isrc -Itests"
lapack=$(grep -E "^(LAPACKE|FFTW_THREADS|FFTW|CHOLMOD|BLAS_[a-z0-9_]+)_LIBRARY:.*=/" "$BUILD/CMakeCache.txt" | cut -d= -f2)
objects=()
for source in src/core/*.c src/dense/*.c src/smooth/{quadratic,least_squares,tucker,cp}.c; do
  object=$work/$(echo "$source" | tr / _).o
  ${CC:-cc} $flags -c "$source" -o "$object" || { echo "FAILED: $source does not compile"; exit 1; }
  objects+=("$object")
done
for test in smooth/quadratic dense/ballquad; do
  program=$work/$(basename "$test")
  if ${CC:-cc} $flags "tests/unit/$test.c" "${objects[@]}" "$BUILD/src/libcrease.a" -lcmocka $lapack \
       -lm -o "$program" 2>"$work/log" && "$program" >"$work/log" 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1)); echo "FAILED: unit/$test at -O0"; tail -20 "$work/log"
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
