# The installed library is found by pkg-config and by find_package, from C and from C++.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; cat "$work/log"
  fi
}
flags=$(grep -E '^CMAKE_C_FLAGS:' "$BUILD/CMakeCache.txt" | cut -d= -f2-)
expected=$'0\n1.7941176470588234\n5'
run() { [ "$("$@")" = "$expected" ]; }

check "install" cmake --install "$BUILD" --prefix "$work/usr"
export PKG_CONFIG_PATH=$(dirname "$(find "$work/usr" -name crease.pc)")
export LD_LIBRARY_PATH=$(dirname "$(find "$work/usr" -name libcrease.so)")
sed -i "s|^prefix=.*|prefix=$work/usr|" "$PKG_CONFIG_PATH"/crease*.pc

check "compile with pkg-config" sh -c \
  "${CC:-cc} $flags -std=c11 -Wall -Werror examples/first_prox.c $(pkg-config --cflags --libs crease) -o '$work/c'"
check "run the C consumer" run "$work/c"

sed -e 's/const crease_space space = .*/const crease_space space = crease_vector(3);/' \
    examples/first_prox.c >"$work/consumer.cpp"
check "compile as C++" sh -c \
  "g++ $flags -std=c++11 -Wall -Wextra -Wpedantic -Werror '$work/consumer.cpp' $(pkg-config --cflags --libs crease) -o '$work/cpp'"
check "run the C++ consumer" run "$work/cpp"

check "compile a job with pkg-config" sh -c \
  "${CC:-cc} $flags -std=c11 -Wall -Werror examples/job.c $(pkg-config --cflags --libs crease_job) -lm -o '$work/job'"
check "run the job" sh -c "'$work/job' | grep -qE '^outlier (49|50)'"

check "refuse -ffast-math" sh -c \
  "! ${CC:-cc} -ffast-math -std=c11 $(pkg-config --cflags crease) -fsyntax-only examples/first_prox.c"

mkdir -p "$work/project"
cp examples/first_prox.c "$work/project/main.c"
cat >"$work/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(crease 0.4 REQUIRED)
add_executable(consumer main.c)
target_link_libraries(consumer PRIVATE crease::crease)
END
check "configure with find_package" cmake -S "$work/project" -B "$work/project/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$work/usr" -DCMAKE_C_FLAGS="$flags" -DCMAKE_C_COMPILER="${CC:-cc}"
check "build with find_package" cmake --build "$work/project/build"
check "run the CMake consumer" run "$work/project/build/consumer"
soname=$(objdump -p "$work"/usr/lib*/*/libcrease.so "$work"/usr/lib*/libcrease.so 2>/dev/null | awk '$1 == "SONAME" {print $2; exit}')
check "the soname carries the ABI version" sh -c "[ '$soname' = libcrease.so.2 ]"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
