# crease-mpi generate cp writes the bytes of one process, each rank its own slabs at their places.
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
cp="generate cp --shape 130,190,200 --rank 2 --outliers 0.03 --noise 0.1 --seed 5" # 2 slabs
"$CREASE" $cp --out "$work/one" >"$work/said" 2>/dev/null
for ranks in 1 2 3; do
  check "$ranks ranks" timeout 60 "$MPIEXEC" -np $ranks "$CREASE_MPI" $cp --out "$work/many" --force
  check "$ranks ranks write the same bytes" diff -r "$work/one" "$work/many"
done

# A rank that cannot write has its part written by rank 0: its working folder has no such place.
mkdir "$work/here" "$work/elsewhere"
timeout 60 "$MPIEXEC" -np 1 -wdir "$work/here" "$CREASE_MPI" $cp --out many : \
  -np 1 -wdir "$work/elsewhere" "$CREASE_MPI" generate cp >/dev/null 2>&1
check "a rank that cannot write" diff -r "$work/one" "$work/here/many"
timeout 60 "$MPIEXEC" -np 1 "$CREASE_MPI" $cp --out "$work/many" --force : \
  -np 1 bash -c 'ulimit -f 20000; exec "$0" generate cp' "$CREASE_MPI" >/dev/null 2>&1
check "a rank that may write no large files" diff -r "$work/one" "$work/many"
(ulimit -f 20000 && timeout 60 "$MPIEXEC" -np 2 "$CREASE_MPI" $cp --out "$work/full") >/dev/null 2>"$work/errors"
check "no room" [ $? -eq 74 ]
check "is told once" [ "$(grep -c '^crease: .*no room' "$work/errors")" -eq 1 ]
check "and nothing is left" [ ! -e "$work/full" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
