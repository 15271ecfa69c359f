# Runs over ranks that are cut or lose a rank: a checkpoint remains, from which any number of ranks, any memory and any number of
# threads lead to the same bits.
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
same() { # same FOLDER: every array is that of the run that was not cut, and so is what was certified
  local part
  for part in "$work/whole"/*.npy; do cmp "$part" "$work/$1/$(basename "$part")" || return 1; done
  diff <(grep -E '"(objective|worst|worst_relative|residual|hash)"' "$work/whole/result.json") \
       <(grep -E '"(objective|worst|worst_relative|residual|hash)"' "$work/$1/result.json")
}
mpi() { timeout 60 "$MPIEXEC" -np "$1" "$CREASE_MPI" rpca "$tensor" $options --memory "$2" "${@:3}"; }
"$CREASE" generate cp --shape 220,200,200 --rank 2 --seed 3 --out "$work/data" >/dev/null # 3 slabs
tensor=$work/data/tensor.npy
options="--rank 2 --eps 1e-12"
"$CREASE" rpca "$tensor" $options --quiet --out "$work/whole" >/dev/null 2>&1
check "the whole run" [ -e "$work/whole/result.json" ]

# begin SIGNAL: three ranks run until their first checkpoint is there, then the signal goes to mpirun, or to the last rank.
ck=$work/run.ck
begin() {
  rm -rf "$ck" "$work/part"
  mpi 3 200M --threads 1 --checkpoint "$ck" --checkpoint-every 0 --out "$work/part" >/dev/null 2>"$work/errors" &
  local run=$! k mpirun last
  for k in $(seq 2000); do [ -e "$ck" ] && break; sleep 0.01; done
  mpirun=$(pgrep -P "$(pgrep -P $run | head -1)" | head -1)
  last=$(pgrep -P "$mpirun" -f crease-mpi | tail -1)
  case $1 in
    rank) kill -KILL "$last" ;;
    *) kill -"$1" "$mpirun" ;;
  esac
  wait $run
  code=$?
}
resumes() { # resumes NAME RANKS MEMORY THREADS
  cp "$ck" "$work/again.ck"
  OMP_NUM_THREADS=$4 mpi "$2" "$3" --resume "$work/again.ck" --force --out "$work/again" >/dev/null 2>"$work/errors"
  check "$1 goes on with $2 ranks" same again
  check "and says so" grep -q resumed "$work/errors"
}
begin USR1
check "USR1 ends as a limit does" [ $code -eq 2 ]
check "and writes the best point" [ -e "$work/part/result.json" ]
check "and a checkpoint" [ -e "$ck" ]
resumes "what USR1 has stopped" 1 150M 1
cp "$ck" "$work/again.ck"
OMP_NUM_THREADS=2 "$CREASE" rpca "$tensor" $options --resume "$work/again.ck" --force --out "$work/again" >/dev/null 2>&1
check "it goes on in one process, in memory" same again
begin rank
check "a rank that is killed ends all" [ $code -ne 0 ]
check "there is no result" [ ! -e "$work/part/result.json" ]
resumes "what lost a rank" 4 200M 2
begin TERM
check "TERM ends all" [ $code -ne 0 ]
# mpirun leaves the ranks a second, which may be enough to end by themselves.
if [ -e "$ck" ]; then resumes "what TERM has ended" 2 300M 2; else check "or was done" same part; fi

# The limit of the command, and that of the job by what Slurm says.
options="--rank auto:4"
rm -f "$ck"
mpi 3 200M --checkpoint "$ck" --max-seconds 1 --force --out "$work/part" >/dev/null 2>&1
check "the time limit" [ $? -eq 2 ]
SLURM_JOB_END_TIME=$(($(date +%s) + 1)) mpi 2 200M --force --out "$work/part" >/dev/null 2>"$work/errors"
check "the end of the job is a limit" [ $? -eq 2 ]
check "and is said" grep -q "Slurm ends the job" "$work/errors"

# A checkpoint that cannot be written.
options="--rank 2 --eps 1e-12"
mpi 2 200M --checkpoint /dev/full/run.ck --checkpoint-every 0 --force --out "$work/again" >/dev/null 2>"$work/errors"
check "a checkpoint that cannot be written does not end the run" same again
check "and is said once" [ "$(grep -c 'the run goes on' "$work/errors")" -eq 1 ]
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
