# Robust PCA of a file over ranks has the bits of one process in memory; what fails on one rank ends all with one sentence.
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
mpi() { timeout 60 "$MPIEXEC" -np "$1" "$CREASE_MPI" rpca "${@:2}"; }
same() { # same FOLDER FOLDER: every array, and what result.json says of the fit
  local part
  for part in "$work/$1"/*.npy; do cmp "$part" "$work/$2/$(basename "$part")" || return 1; done
  diff <(grep -E '"(objective|worst|worst_relative|residual|iterations|hash)"' "$work/$1/result.json") \
       <(grep -E '"(objective|worst|worst_relative|residual|iterations|hash)"' "$work/$2/result.json")
}
put() { # put FILE ENTRY BYTES: the entry as 8 bytes
  printf "$3" | dd of="$1" bs=1 seek=$((128 + 8 * $2)) conv=notrunc status=none
}
nan='\0\0\0\0\0\0\370\177'
"$CREASE" generate cp --shape 220,200,200 --rank 2 --outliers 0.02 --seed 3 --out "$work/data" >/dev/null # 3 slabs
tensor=$work/data/tensor.npy
options="--rank 2 --max-iterations 6 --quiet"
for threads in 1 2 3; do
  "$CREASE" rpca "$tensor" $options --write all --threads $threads --out "$work/one$threads" >/dev/null 2>&1
done
check "1 and 2 threads" same one1 one2
check "1 and 3 threads" same one1 one3
check "all parts are there" ls "$work"/one1/{lowrank,sparse_entries,noise,z}.npy
for ranks in 1 2 3 4; do
  mpi $ranks "$tensor" $options --write all --threads 1 --memory 200M --out "$work/many$ranks" >/dev/null 2>&1
  check "$ranks ranks have the bits of one process" same one1 many$ranks
done

# Of a long first mode the rows are eliminated by the rank that has them.
"$CREASE" generate cp --shape 250001,3,6 --rank 2 --outliers 0.02 --seed 3 --out "$work/rows" >/dev/null # 2 slabs
"$CREASE" rpca "$work/rows/tensor.npy" $options --write all --threads 1 --out "$work/long1" >/dev/null 2>&1
check "rows are eliminated" grep -q '"engine": *"rows"' "$work/long1/result.json"
for ranks in 2 3; do
  mpi $ranks "$work/rows/tensor.npy" $options --write all --threads 1 --out "$work/long$ranks" >/dev/null 2>&1
  check "$ranks ranks have the bits of one process, rows eliminated" same long1 long$ranks
done
# One HDF5 file in place of the folder: every rank writes at its places.
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
  mpi 2 "$tensor" $options --write all --threads 1 --memory 200M --out "$work/two.h5" >/dev/null 2>&1
  check "2 ranks write one file" /usr/bin/python3 "$(dirname "$0")/../cli/bundle.py" parts "$work/one1" "$work/two.h5"
fi

# Rank 0 writes what another rank cannot: its working folder has no such place.
mkdir "$work/here" "$work/elsewhere"
timeout 60 "$MPIEXEC" -np 1 -wdir "$work/here" "$CREASE_MPI" rpca "$tensor" $options --write all --threads 1 --out own : \
  -np 1 -wdir "$work/elsewhere" "$CREASE_MPI" rpca "$tensor" >/dev/null 2>"$work/errors"
check "no disk in common to write to" same one1 here/own
check "nothing is left elsewhere" rmdir "$work/elsewhere"

# One entry is nan, in the second of two slabs: missing, or named.
"$CREASE" generate cp --shape 110,200,200 --rank 2 --seed 4 --out "$work/small" >/dev/null
tensor=$work/small/tensor.npy
options="$options --threads 1"
put "$tensor" 4300000 "$nan"
"$CREASE" rpca "$tensor" $options --missing nan --penalty scad --write all --out "$work/hole1" >/dev/null 2>&1
mpi 2 "$tensor" $options --missing nan --penalty scad --write all --out "$work/hole2" >/dev/null 2>&1
check "a missing entry and another penalty" same hole1 hole2
"$CREASE" rpca "$tensor" $options --out "$work/none" >/dev/null 2>"$work/said"
code=$?
mpi 3 "$tensor" $options --out "$work/none" >/dev/null 2>"$work/errors"
check "nan has the exit code of one process" [ $? -eq $code ]
check "and its sentence, once" diff "$work/said" <(grep '^crease: ' "$work/errors")

# The second rank works where there is no such file, or another.
mkdir "$work/there" "$work/empty"
ln -s "$tensor" "$work/there/t.npy"
apart() {
  timeout 60 "$MPIEXEC" -np 1 -wdir "$work/there" "$CREASE_MPI" rpca t.npy $options --missing nan --out "$work/none" : \
    -np 1 -wdir "$work/empty" "$CREASE_MPI" rpca t.npy >/dev/null 2>"$work/errors"
}
apart
check "a rank without the file ends all" [ $? -eq 66 ]
check "with one sentence" [ "$(grep -c '^crease: .*rank 1: t.npy cannot be opened' "$work/errors")" -eq 1 ]
ln -s "$work/data/factor_1.npy" "$work/empty/t.npy"
apart
check "a rank with another file ends all" [ $? -ne 0 ]
check "and is named" grep -q '^crease: .*rank 1' "$work/errors"

rm "$work/empty/t.npy"
cp "$tensor" "$work/empty/t.npy"
put "$work/empty/t.npy" 4299999 '\0\0\0\0\0\0\024\100'
apart
check "a rank with other data of this shape ends all" [ $? -eq 65 ]
check "and is named, with the slab" grep -q '^crease: .*rank 1 sees other data than rank 0 (slab 2 of 2 differs)' "$work/errors"

# A rank that is gone ends all.
gone() {
  timeout 60 "$MPIEXEC" -np 1 "$CREASE_MPI" rpca "$tensor" $options --missing nan --out "$work/none" : \
    -np 1 bash -c '"$0" rpca & sleep 0.3; kill -9 $!; wait $!' "$CREASE_MPI"
}
gone >/dev/null 2>&1
check "a rank that is killed ends all" [ $? -ne 0 ]
check "and leaves no result" [ ! -e "$work/none/result.json" ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
