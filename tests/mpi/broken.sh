# What breaks under a run over ranks: data that change or end too early while they are read, a disk that is full, HDF5. Every
# rank ends within seconds, with one sentence and the exit code of one process; a checkpoint that was written resumes.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'umount "$work/small" 2>/dev/null; rm -rf "$work"' EXIT
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; cat "$work/log"
  fi
}
mpi() { timeout 110 "$MPIEXEC" -np "$1" "$CREASE_MPI" "${@:2}" >/dev/null 2>"$work/errors"; }
one_sentence() { # one_sentence PATTERN
  [ "$(grep '^crease: ' "$work/errors" | grep -vc ' note: ')" -eq 1 ] && grep '^crease: ' "$work/errors" | grep -q "$1" && return
  cat "$work/errors"
  return 1
}
same() { # same FOLDER FOLDER
  local part
  for part in "$work/$1"/*.npy; do cmp "$part" "$work/$2/$(basename "$part")" || return 1; done
  diff <(grep -E '"(objective|worst|residual|hash)"' "$work/$1/result.json") \
       <(grep -E '"(objective|worst|residual|hash)"' "$work/$2/result.json")
}
"$CREASE" generate cp --shape 220,200,200 --rank 2 --seed 3 --out "$work/data" >/dev/null # 3 slabs
rm "$work"/data/{lowrank,sparse,noise}.npy
{ # three times that, of which a rank keeps three slabs
  printf '\223NUMPY\001\000\166\000%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (660, 200, 200), }"
  for k in 1 2 3; do tail -c +129 "$work/data/tensor.npy"; done
} >"$work/long.npy"
options="--rank 2 --eps 1e-12 --threads 1 --memory 150M --force"
"$CREASE" rpca "$work/long.npy" $options --quiet --out "$work/whole" >/dev/null 2>&1

# The file becomes short in the middle of a fit, in the part of the last rank.
mpi 2 rpca "$work/long.npy" $options --checkpoint "$work/run.ck" --checkpoint-every 0 --out "$work/part" &
run=$!
for k in $(seq 2000); do [ -e "$work/run.ck" ] && break; sleep 0.01; done
tail -c 20000000 "$work/long.npy" >"$work/end"
truncate -s -20000000 "$work/long.npy"
wait $run
check "data that become short end all" [ $? -eq 74 ]
check "with one sentence" one_sentence 'the file has changed while it was read'
check "and no result" [ ! -e "$work/part" ]
cat "$work/end" >>"$work/long.npy"
mpi 2 rpca "$work/long.npy" $options --resume "$work/run.ck" --out "$work/again"
check "the run goes on where it was" same whole again
rm "$work/long.npy" "$work/end"

tensor=$work/data/tensor.npy
few="--rank 2 --max-iterations 6 --quiet --threads 1"
# No room for the parts is told before the fit.
(ulimit -f 20000 && mpi 2 rpca "$tensor" $few --write all --out "$work/full")
check "parts that are too large end all" [ $? -eq 74 ]
check "before the fit" one_sentence 'for which there is no room'
check "nothing is left" [ ! -e "$work/full" ]
# A small disk, where this may be mounted.
mkdir "$work/small"
if mount -t tmpfs -o size=40m tmpfs "$work/small" 2>/dev/null; then
  mpi 3 rpca "$tensor" $few --write all --memory 200M --out "$work/small/result"
  check "a full disk ends all" [ $? -eq 74 ]
  check "with one sentence that names it" one_sentence 'No space left'
  check "and is left as it was" [ -z "$(ls -A "$work/small")" ]
fi

# HDF5, in one piece and, where there is h5py to write them, in chunks.
over_ranks() { # over_ranks NAME MEMBER
  "$CREASE" rpca "$2" $few --force --out "$work/hdf1" >/dev/null 2>&1
  mpi 3 rpca "$2" $few --memory 200M --force --out "$work/hdf3"
  check "$1 over ranks" same hdf1 hdf3
}
if "$CREASE" convert "$tensor" "$work/t.h5" >/dev/null 2>&1; then
  over_ranks HDF5 "$work/t.h5:/data"
  ${PYTHON:-/usr/bin/python3} - "$work" <<'PY' 2>/dev/null && over_ranks "HDF5 in chunks" "$work/t.h5:/C"
import sys, h5py
with h5py.File(sys.argv[1] + "/t.h5", "r+") as f:
    f.create_dataset("C", data=f["data"][...], chunks=(40, 50, 200), compression="gzip", compression_opts=1)
PY
fi
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
