# program: whole runs of the program whose n-th allocation fails (program.py); not under a sanitizer, which
# has an allocator of its own
set -u
python=/usr/bin/python3
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
if ldd "$CREASE" | grep -qE 'lib(a|ub|t)san'; then echo "skipped: a sanitizer"; exit 0; fi
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT
"${CC:-cc}" -O2 -shared -fPIC -o "$work/shim.so" tests/support/fault_shim.c -ldl &&
  $python tests/fault/program.py "$CREASE" "$work/shim.so"
