# crease verify over ranks says what it says in one process, with the same numbers to the last digit; so does the check at the
# end of robust PCA, which every rank makes of its own rows.
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
put() { printf "$3" | dd of="$1" bs=1 seek=$((128 + 8 * $2)) conv=notrunc status=none; } # put FILE ENTRY BYTES
# alike NAME RANKS FOLDER: the document and the exit code are those of one process, and every rank has had rows to check.
alike() {
  "$CREASE" verify "$3" --json --threads 1 >"$work/one.json" 2>"$work/one.err"
  local code=$?
  OMP_NUM_THREADS=2 mpi "$2" verify "$3" --json --threads 2 >"$work/many.json" 2>"$work/many.err"
  check "$1: the exit code" [ $? -eq $code ]
  check "$1: every number" diff "$work/one.json" "$work/many.json"
  check "$1: what is said" diff <(grep '^crease: ' "$work/one.err") <(sed 's/rank [0-9]*: //' "$work/many.err" | grep '^crease: ')
}

"$CREASE" generate cp --shape 220,200,200 --rank 2 --outliers 0.02 --seed 3 --out "$work/data" >/dev/null # 3 slabs
tensor=$work/data/tensor.npy
"$CREASE" rpca "$tensor" --rank 2 --max-iterations 6 --quiet --out "$work/few" >/dev/null 2>&1
"$CREASE" rpca "$tensor" --rank 2 --max-iterations 6 --quiet --write all --out "$work/all" >/dev/null 2>&1
for ranks in 2 3 4; do alike "$ranks ranks" $ranks "$work/few"; done
OMP_NUM_THREADS=1 mpi 3 verify "$work/few" --threads 2 >/dev/null 2>"$work/errors"
check "what holds for all ranks is said once" [ "$(grep -c '1 can work at a time' "$work/errors")" -eq 1 ]
check "a verdict" grep -q '"verdict": "' "$work/many.json"
check "with the hash of the data" grep -q '"hash": "sha256/slabs:' "$work/many.json"
alike "all parts" 3 "$work/all"
mpi 3 rpca "$tensor" --rank 2 --max-iterations 6 --quiet --threads 1 --memory 200M --out "$work/many" >/dev/null 2>&1
check "the check at the end of a run" diff <(grep -E '"(verdict|residual)"|"reason": "' "$work/few/result.json") \
  <(grep -E '"(verdict|residual)"|"reason": "' "$work/many/result.json")

# Another model, and another way to read.
"$CREASE" rpca "$tensor" --model tucker --rank 2,2,2 --max-iterations 4 --quiet --out "$work/tucker" >/dev/null 2>&1
alike "tucker" 3 "$work/tucker"
"$CREASE" convert "$tensor" "$work/t.h5" >/dev/null 2>&1 &&
  "$CREASE" rpca "$work/t.h5:/data" --rank 2 --max-iterations 6 --quiet --memory 200M --out "$work/hdf" >/dev/null 2>&1
[ -e "$work/hdf/result.json" ] && alike "HDF5" 2 "$work/hdf"

# One entry is another: of the data, then of the sparse part, whose file is not what was certified.
cp "$tensor" "$work/kept.npy"
put "$tensor" 8000000 '\0\0\0\0\0\0\024\100'
alike "other data" 3 "$work/few"
check "are told" grep -q 'data changed' "$work/many.json"
put "$tensor" 8000000 '\0\0\0\0\0\0\370\177'
alike "an entry that is not finite" 3 "$work/few"
cp "$work/kept.npy" "$tensor"
put "$work/all/lowrank.npy" 8000000 '\0\0\0\0\0\0\024\100'
alike "another entry of a part" 3 "$work/all"

# A rank that cannot read the folder, or a file that ends too early, ends all.
mkdir "$work/elsewhere"
(cd "$work" && timeout 60 "$MPIEXEC" -np 1 "$CREASE_MPI" verify few : -np 1 -wdir "$work/elsewhere" "$CREASE_MPI" verify few) \
  >/dev/null 2>"$work/errors"
check "a rank without the folder ends all" [ $? -eq 66 ]
check "with one sentence" [ "$(grep -c '^crease: .*rank 1: ' "$work/errors")" -eq 1 ]
truncate -s 60000000 "$tensor"
alike "data that end too early" 2 "$work/few"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
