# crease-mpi says and writes what crease does, on any number of ranks, and ends with its exit code.
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
mpi() { timeout 60 "$MPIEXEC" -np "$1" "$CREASE_MPI" "${@:2}"; }
"$CREASE" generate cp --shape 12,10,8 --rank 2 --seed 3 --out "$work/data" >/dev/null
tensor=$(ls "$work"/data/T.npy "$work"/data/tensor.npy 2>/dev/null | head -1)
"$CREASE" rpca "$tensor" --rank 2 --quiet --out "$work/one" >/dev/null
for ranks in 1 3; do
  check "$ranks ranks run a command" mpi $ranks rpca "$tensor" --rank 2 --quiet --out "$work/many$ranks"
  for part in "$work"/one/*.npy; do
    check "$(basename "$part") on $ranks ranks" cmp "$part" "$work/many$ranks/$(basename "$part")"
  done
  check "verify on $ranks ranks" mpi $ranks verify "$work/one"
done
"$CREASE" rpca "$work/none.npy" >/dev/null 2>&1
code=$?
mpi 3 rpca "$work/none.npy" >/dev/null 2>"$work/errors"
check "a failure has the exit code of one process" [ $? -eq $code ]
check "and is said once" [ "$(grep -c '^crease: ' "$work/errors")" -eq 1 ]
check "usage" bash -c "! timeout 60 '$MPIEXEC' -np 2 '$CREASE_MPI' 2>/dev/null"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
