# New slices over ranks have the bytes of one process: each rank fits its own and writes them at their places. What fails on one
# rank ends all with one sentence; a run that is cut goes on with any number of ranks.
set -u
passed=0 failed=0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
check() { # check NAME COMMAND...
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then passed=$((passed + 1)); else
    failed=$((failed + 1)); echo "FAILED: $name"; cat "$work/log"
  fi
}
mpi() { timeout 60 "$MPIEXEC" -np "$1" "$CREASE_MPI" apply "${@:2}" >said 2>errors; }
python=${PYTHON:-/usr/bin/python3}
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
same() { # same FOLDER FOLDER: all files but the times, and what result.json says of every slice
  local part
  for part in "$1"/*.npy; do cmp "$part" "$2/$(basename "$part")" || return 1; done
  $python - "$1" "$2" <<'END'
import json, sys
a, b = (json.load(open(f + "/result.json")) for f in sys.argv[1:])
for key in ("files", "settings", "details", "outcome", "verdict", "objective", "residual", "axes"):
    assert a[key] == b[key], key
assert [x.get("hash") for x in a["data"]] == [x.get("hash") for x in b["data"]]
END
}
one_sentence() { # one_sentence PATTERN
  [ "$(grep -c '^crease: ' errors)" -eq 1 ] && grep '^crease: ' errors | grep -q "$1" && return
  cat errors
  return 1
}
spoils="--outliers 0.05 --magnitude 10 --noise 0.001 --seed 1"
"$CREASE" generate cp --shape 10,12,14 --rank 3 $spoils --out g >/dev/null
"$CREASE" generate cp --shape 10,12,14 --rank 1 $spoils --out g1 >/dev/null
"$CREASE" generate tucker --shape 10,12,14 --rank 2,2,3 $spoils --out gt >/dev/null
"$CREASE" generate matrix --shape 30,40 --rank 2 $spoils --out gm >/dev/null
"$CREASE" rpca g/tensor.npy --rank 3 --quiet --out r >/dev/null
"$CREASE" rpca g1/tensor.npy --rank 1 --quiet --out r1 >/dev/null
"$CREASE" rpca g/tensor.npy --rank 3 --center 1 --penalty mcp:1,3 --quiet --out rc >/dev/null
"$CREASE" rpca gt/tensor.npy --model tucker --rank 2,2,3 --quiet --out rt >/dev/null
"$CREASE" rpca gm/tensor.npy --model matrix --rank 2 --quiet --out rm >/dev/null
$python - <<'END'
import numpy as np
rng = np.random.RandomState(1)
def more(name, times):
    T = np.load(name + "/tensor.npy")
    return np.concatenate([T * s for s in rng.randn(times)])
T = more("g1", 2600)                          # 26000 slices, two slabs
np.save("two.npy", T)
np.save("one.npy", T[:13000])
T[25000, 3, 4] = np.inf
T[12000, 1, 2] = np.nan
np.save("bad.npy", T)
T = more("g", 30)
np.save("mask.npy", 1.0 * (rng.rand(*T.shape) < 0.9))
np.save("columns.npy", np.asfortranarray(T))
T[rng.rand(*T.shape) < 0.1] = np.nan
T[17] = np.nan
np.save("holes.npy", T)
np.save("far.npy", 1e-12 * more("g", 30))
np.save("tucker.npy", more("gt", 30))
np.save("matrix.npy", more("gm", 30))
np.save("few.npy", np.load("g/tensor.npy")[:3])
END
"$CREASE" convert far.npy far.h5 >/dev/null

# Every model, a center, holes, another unit, HDF5, fewer slices than ranks, two slabs.
for try in r:holes.npy:3 rc:far.npy:2 rt:tucker.npy:3 rm:matrix.npy:2 r:far.h5:2 r:few.npy:4 r1:two.npy:2 \
  r1:two.npy:3 r1:one.npy:1 r1:one.npy:4; do
  IFS=: read -r result data ranks <<<"$try"
  [ -e whole ] && [ "$was" = "$result:$data" ] ||
    "$CREASE" apply $result $data --missing nan --quiet --force --out whole >/dev/null 2>&1
  was=$result:$data
  mpi $ranks $result $data --missing nan --quiet --force --out many
  check "$try has an end as in one process" [ $? -eq 0 ]
  check "$try" same whole many
done
mpi 3 r1 one.npy --missing nan --memory 40M --quiet --force --out many
check "little memory" same whole many
check "verified" "$CREASE" verify many
mpi 2 r1 one.npy --missing nan --quiet --json
check "the document alone" diff <(grep -E '"(share|scale|verdict|residual)"' said) \
  <(grep -E '"(share|scale|verdict|residual)"' whole/result.json)
if $python -c 'import h5py' 2>/dev/null; then
  mpi 2 r far.h5 --quiet --out one.h5
  check "one file" "$CREASE" verify one.h5
fi

# Rank 0 alone: other axes, masks, other formats.
mpi 2 rm matrix.npy --axis 0 --quiet --force --out many
"$CREASE" apply r columns.npy --mask mask.npy --quiet --force --out few >/dev/null 2>&1
mpi 3 r columns.npy --mask mask.npy --quiet --force --out many
check "what is not shared" same few many

# Entries that are not finite: the first of them, by the sentence of one process.
"$CREASE" apply r1 bad.npy --out none 2>said.one >/dev/null
code=$?
mpi 3 r1 bad.npy --out none
check "nan has the exit code of one process" [ $? -eq $code ]
check "and its sentence" diff said.one <(grep '^crease: ' errors)
"$CREASE" apply r1 bad.npy --missing nan --out none 2>said.one >/dev/null
mpi 2 r1 bad.npy --missing nan --out none
check "so has inf" diff said.one <(grep '^crease: ' errors)

# The second rank works where there are no such data, or others; or where it cannot write.
mkdir here elsewhere
ln -s "$work/r1" here/r1
ln -s "$work/one.npy" here/t.npy
apart() { # apart ARGUMENTS OF RANK 0
  timeout 60 "$MPIEXEC" -np 1 -wdir "$work/here" "$CREASE_MPI" apply "$@" --missing nan --quiet --force --out own : \
    -np 1 -wdir "$work/elsewhere" "$CREASE_MPI" apply >/dev/null 2>errors
}
apart r1 t.npy
check "a rank without the data ends all" [ $? -eq 66 ]
check "with one sentence" one_sentence 'rank 1: t.npy cannot be opened'
cp matrix.npy elsewhere/t.npy
apart r1 t.npy
check "a rank with another shape ends all" [ $? -eq 65 ]
check "and is named" one_sentence 'rank 1: .*another shape than on rank 0'
cp one.npy elsewhere/t.npy
printf '\0\0\0\0\0\0\024\100' | dd of=elsewhere/t.npy bs=1 seek=$((128 + 8 * 6500 * 168)) conv=notrunc status=none
apart r1 t.npy
check "a rank with other data ends all" [ $? -eq 65 ]
check "and is named, with the slice" one_sentence 'rank 1 sees other data than rank 0 (slice 6501 of 13000 differs)'
check "nothing is left" [ ! -e here/own ]
apart r1 "$work/one.npy"
check "rank 0 writes what another cannot" same whole here/own
check "nothing is left elsewhere" [ "$(ls elsewhere)" = t.npy ]
timeout 60 "$MPIEXEC" -np 1 "$CREASE_MPI" apply r1 one.npy --missing nan --quiet --force --out many : \
  -np 1 bash -c 'ulimit -f 8000; exec "$0" apply' "$CREASE_MPI" >/dev/null 2>&1
check "and what another may not" same whole many
(ulimit -f 8000 && mpi 2 r1 one.npy --out full)
check "no room" [ $? -eq 74 ]
check "is told before the first slice" one_sentence 'for which there is no room'
check "and nothing is left of it" [ ! -e full ]

# begin COMMAND...: a run of three ranks; when its first checkpoint is there the command gets the process of mpirun.
begin() {
  local k run
  rm -rf mark part
  mpi 3 r1 one.npy --missing nan --quiet --checkpoint mark --checkpoint-every 0 --out part &
  run=$!
  for k in $(seq 3000); do [ -e mark ] && break; sleep 0.01; done
  "$@" "$(pgrep -P "$(pgrep -P $run | head -1)" | head -1)"
  wait $run
  code=$?
}
resumes() { # resumes NAME COMMAND...
  local name=$1
  shift
  cp mark again
  "$@" r1 one.npy --missing nan --force --checkpoint again --resume again --out many >said 2>errors
  check "$name goes on" same whole many
  check "$name: and says so" grep -q 'resumed from' errors
}
over_ranks() { timeout 60 "$MPIEXEC" -np "$@"; }
usr1() { kill -USR1 "$1"; }
lose() { kill -KILL "$(pgrep -P "$1" -f crease-mpi | tail -1)"; }
shorten() { truncate -s -5000000 one.npy; }
begin usr1
check "USR1 ends as a limit does" [ $code -eq 2 ]
check "and writes what there is" [ -e part/sparse.npy ]
resumes "what USR1 has stopped, on 2 ranks," over_ranks 2 "$CREASE_MPI" apply
begin lose
check "a rank that is killed ends all" [ $code -ne 0 ]
check "there is no result" [ ! -e part/result.json ]
resumes "what lost a rank, on 4 ranks," over_ranks 4 "$CREASE_MPI" apply
resumes "what lost a rank, in one process," env OMP_NUM_THREADS=2 "$CREASE" apply --memory 1G
tail -c 5000000 one.npy >end
begin shorten
cat end >>one.npy
check "data that become short end all" [ $code -eq 74 ]
check "with one sentence" one_sentence 'the file has changed while it was read'
check "and no result" [ ! -e part ]
resumes "what lost its data, on 3 ranks," over_ranks 3 "$CREASE_MPI" apply
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
