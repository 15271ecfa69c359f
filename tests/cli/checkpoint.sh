# checkpoint: runs that are killed and resumed end in the same bits; what does not fit is refused, and
# a file that cannot be written does not end a run
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

mkdir trials && (cd trials && $python "$support/kill.py" "$CREASE" "${CREASE_KILLS:-24}" 1)
judge $? "killed and resumed"

"$CREASE" generate cp --shape 20,16,12 --rank 2 --outliers 0.1 --out g >/dev/null
"$CREASE" generate cp --shape 20,16,12 --rank 2 --outliers 0.1 --seed 1 --out h >/dev/null
# A checkpoint of a run that was stopped: by its limit of iterations.
part() { "$CREASE" rpca "$1" --rank 2 --eps 1e-13 --max-iterations 4 --checkpoint ck --checkpoint-every 0 \
    --out o --force --quiet "${@:2}"; }
part g/tensor.npy >/dev/null 2>&1
[ $? -eq 2 ] && [ -f ck ]
judge $? "a run that ends at a limit leaves its checkpoint"
cp ck whole

go_on() { "$CREASE" rpca "${data:-g/tensor.npy}" --rank 2 --eps 1e-13 --out p --force --resume ck "$@"; }
refused() { # refused PATTERN ARGUMENT...
    local pattern=$1
    shift
    run go_on "$@"
    if [ $code -eq 65 ] && [[ $err =~ $pattern ]] && [ "$(wc -l <<<"$err")" -eq 1 ]; then pass; else
        fail "$*" "  wanted: 65 and $pattern" "  exit $code, stderr: $err"
    fi
    cmp -s ck whole
    judge $? "a refused checkpoint stays as it is"
}
refused "--penalty was not given there and is mcp" --penalty mcp:1,3
refused "--seed was not given there and is 7" --seed 7
data=h/tensor.npy refused "the data was sha256"
OMP_NUM_THREADS=2 refused "number of threads.*was 1 there and is 2"
run "$CREASE" regress g/tensor.npy g/tensor.npy --out p --force --resume ck
[ $code -ne 0 ]
judge $? "the checkpoint of another verb"
expect_exit 66 "nothing.ck" rpca g/tensor.npy --out p --force --resume nothing.ck
expect_exit 64 "there is such a file" rpca g/tensor.npy --json --checkpoint ck

# With a larger limit it goes on.
run go_on
[ $code -eq 0 ] && [ ! -f ck ] && [[ $err =~ resumed ]]
judge $? "further iterations: exit $code, $err"

# Whatever a limit cuts, the starts or the run proper, a resumed run ends as one that had no limit.
alike() { # alike FOLDER FOLDER
    local part
    for part in "$1"/*.npy; do cmp -s "$part" "$2/$(basename "$part")" || return 1; done
    diff <(grep -E '"(iterations|objective|worst)"' "$1/result.json") <(grep -E '"(iterations|objective|worst)"' "$2/result.json")
}
limited() { # limited LIMIT VALUE ARGUMENT...
    local limit=$1 value=$2
    shift 2
    rm -f ck
    "$CREASE" rpca g/tensor.npy "$@" "$limit" "$value" --checkpoint ck --out o --force --quiet >/dev/null 2>&1
    "$CREASE" rpca g/tensor.npy "$@" --resume ck --out p --force --quiet >/dev/null 2>&1
    alike "$whole" p >/dev/null
    judge $? "resumed after $limit $value: rpca $*"
}
for method in envelope admm-g; do
    whole=w-$method
    "$CREASE" rpca g/tensor.npy --rank 2 --method $method --out "$whole" --quiet >/dev/null
    for value in 0 1 4; do limited --max-iterations $value --rank 2 --method $method; done
    limited --max-evaluations 5 --rank 2 --method $method
done

# Streamed data that become short: one sentence, exit code 74, and a checkpoint that leads to the same bits.
"$CREASE" generate cp --shape 520,200,200 --rank 2 --seed 3 --out large >/dev/null
stream() { "$CREASE" rpca t.npy --rank 2 --eps 1e-12 --memory 150M --threads 1 --force "$@"; }
cp large/tensor.npy t.npy
stream --out w-large --quiet >/dev/null
rm -f ck
stream --checkpoint ck --checkpoint-every 0 --out p-large >/dev/null 2>said &
for k in $(seq 3000); do [ -e ck ] && break; sleep 0.01; done
truncate -s 20000000 t.npy
wait $!
[ $? -eq 74 ] && [ -e ck ] && [ ! -e p-large ] && [ "$(grep -c 'the file has changed while it was read' said)" -eq 1 ]
judge $? "data that become short: $(cat said)"
cp large/tensor.npy t.npy
stream --resume ck --out p-large --quiet >/dev/null 2>&1
alike w-large p-large
judge $? "resumed when the data are whole again"
rm -rf large t.npy p-large w-large

# Every 100th byte of a checkpoint flipped, and every length cut: refused.
$python - "$CREASE" <<'PY'
import subprocess, sys
whole, wrong = open("whole", "rb").read(), 0
step = max(100, len(whole) // 150 // 100 * 100)
def refused(data):
    open("bad", "wb").write(data)
    r = subprocess.run([sys.argv[1], "rpca", "g/tensor.npy", "--rank", "2", "--eps", "1e-13", "--out", "p",
                        "--force", "--resume", "bad"], capture_output=True, text=True)
    return r.returncode == 65 and "damaged" in r.stderr and open("bad", "rb").read() == data
for k in range(0, len(whole), step):
    wrong += not refused(whole[:k] + bytes([whole[k] ^ 0x10]) + whole[k + 1:])
for n in 0, 1, 71, 72, 73, len(whole) // 2, len(whole) - 1:
    wrong += not refused(whole[:n])
print(f"{len(range(0, len(whole), step)) + 7} damaged files of {len(whole)} bytes, {wrong} taken")
sys.exit(wrong > 0)
PY
judge $? "damaged checkpoints"

# A full disk: a note, the run goes on, and the old file stays.
cp whole ck
run bash -c "ulimit -f 1; '$CREASE' rpca g/tensor.npy --rank 2 --method admm-g --eps 1e-15 --max-iterations 2000 --json \\
    --force --out p --checkpoint ck --checkpoint-every 0 >/dev/null"
[[ $err =~ "ck cannot be written" ]] && cmp -s ck whole
judge $? "a file that cannot be written: exit $code, $err"
finish
