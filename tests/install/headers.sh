# Every public header compiles by itself and twice, in C and in C++, and leaves the macro X of the program that
# includes it alone; what a macro of a header names comes with the header.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
strict="-fsyntax-only -Wall -Wextra -Wpedantic -Werror -Iinclude -I$BUILD/include"
compiles() { # compiles NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; head -20 "$work/log"
  fi
}
both() { # both NAME FILE: the same text as C and as C++
  compiles "$1 in C" "${CC:-cc}" -std=c11 $strict -x c "$2"
  compiles "$1 in C++" g++ -std=c++11 $strict -x c++ "$2"
}
keeps_X() { # keeps_X FILE HEADER...: a list X(name) of the program, before the headers and after them
  { echo '#define X(name) 42 +'
    for header in "${@:2}"; do echo "#include <crease/$header>"; done
    echo '#if X(name) 0 != 42'
    echo '#error X has changed'
    echo '#endif'
    echo 'int main(void) { return 0; }'
  } >"$1"
}
# mpi.h is that of a build with MPI.
headers=$(cd include/crease && ls *.h)
folders=$(mpicc --showme:incdirs 2>/dev/null) && for folder in $folders; do strict+=" -isystem $folder"; done ||
  headers=$(printf '%s\n' $headers | grep -vx mpi.h)
for header in $headers; do
  keeps_X "$work/alone.c" "$header" "$header"
  both "$header by itself" "$work/alone.c"
  printf '#include <crease/%s>\n#ifdef X\n#error X is defined\n#endif\nint main(void) { return 0; }\n' "$header" >"$work/leaves.c"
  both "$header defines no X" "$work/leaves.c"
done
keeps_X "$work/all.c" $headers
both "all headers in order" "$work/all.c"
keeps_X "$work/back.c" $(printf '%s\n' $headers | tac)
both "all headers in the opposite order" "$work/back.c"

cat >"$work/ranges.c" <<'END'
#include <crease/param.h>
static const crease_param list[] = {
    CREASE_PAR_NONNEGATIVE("a", "first"),
    CREASE_PAR_POSITIVE("b", "second"),
    { 0, 0, 0, 0, 0 },
};
int main(void) { return list[1].flags == 0; }
END
both "the ranges of parameters" "$work/ranges.c"
for macro in $(grep -ohE '^#define CREASE_[A-Z]+\(X\)' include/crease/*.h | grep -oE 'CREASE_[A-Z]+'); do
  echo "$macro" >>"$work/lists"
done
compiles "the lists of the headers were found" grep -q CREASE_OUTCOMES "$work/lists"
for macro in $(cat "$work/lists"); do
  printf '#define X(name) 42\n#include <crease/crease.h>\n#define IGNORE(...)\nint main(void) { %s(IGNORE) return 0; }\n' \
    "$macro" >"$work/list.c"
  both "$macro with a macro X of the program" "$work/list.c"
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
