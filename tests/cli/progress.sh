# progress: one line on a terminal, redrawn, cut and erased; plain lines and JSON elsewhere; the history
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
"$CREASE" generate cp --shape 40,40,40 --rank 4 --seed 1 --out g >/dev/null
"$CREASE" generate matrix --shape 40,30 --rank 2 --seed 1 --out m >/dev/null

# Elsewhere than on a terminal: nothing of a short run, all of its phases with --log, in a file with
# --log-file; nothing at all with --quiet.
run "$CREASE" rpca m/tensor.npy --rank 2 --out short
[ $code -eq 0 ] && [ -z "$err" ]
judge $? "a short run says nothing: $err"
run "$CREASE" rpca m/tensor.npy --out text --log text
phases=$(sed -n 's/^crease rpca  \([a-z]*\) .*/\1/p' "$scratch/err" | tr '\n' ' ')
[ $code -eq 0 ] && [ "$phases" = "read start rank fit certify write check " ] && ! grep -q $'\r' "$scratch/err"
judge $? "--log text: $err"
run "$CREASE" rpca m/tensor.npy --out json --log json --log-file log.jsonl --verbose
[ $code -eq 0 ] && [ -z "$err" ]
judge $? "--log-file leaves standard error alone: $err"
$python - log.jsonl json <<'PY'
import csv, json, sys
lines = [json.loads(line) for line in open(sys.argv[1])]
phases = [d["phase"] for d in lines if d["event"] == "phase"]
assert phases == ["read", "start", "rank", "fit", "certify", "write", "check"], phases
assert lines[-1]["event"] == "end" and lines[-1]["exit_status"] == 0
for kind in ("phase", "row"):
    t = [d["t"] for d in lines if d["event"] == kind]
    assert t == sorted(t) and t
result = json.load(open(sys.argv[2] + "/result.json"))
rows = list(csv.DictReader(open(sys.argv[2] + "/history.csv")))
fit = [r for r in rows if r["phase"] == "fit"]
assert int(fit[-1]["iteration"]) == result["iterations"]
assert abs(float(fit[-1]["worst_relative"]) - result["residual"]) <= 1e-12 * result["residual"]
shown = [d for d in lines if d["event"] == "row"]
assert shown[-1]["iteration"] == result["iterations"]
PY
judge $? "--log json and history.csv end with the result"
expect_exit 64 "exclude each other" rpca m/tensor.npy --quiet --log json --out x
expect_exit 64 "write text or json" rpca m/tensor.npy --log xml --out x
expect_exit 73 "no/log" rpca m/tensor.npy --log-file no/log --out x

# Every model and verb leaves a history whose last row is that of the result.
"$CREASE" generate tucker --shape 12,10,8 --rank 2 --seed 1 --out t >/dev/null
$python -c '
import numpy as np
r = np.random.default_rng(0); X = r.normal(size=(40, 12))
np.save("X.npy", X); np.save("y.npy", X[:, 0] - X[:, 3] + 0.1 * r.normal(size=40))'
while read -r name command; do
    run "$CREASE" $command --quiet --out "$name" --log-csv "$name.csv"
    [ $code -eq 0 ] && cmp -s "$name.csv" "$name/history.csv" && $python - "$name" <<'PY'
import csv, json, sys
result = json.load(open(sys.argv[1] + "/result.json"))
rows = list(csv.DictReader(open(sys.argv[1] + "/history.csv")))
assert all(float(a["seconds"]) <= float(b["seconds"]) for a, b in zip(rows, rows[1:]))
fit = [r for r in rows if r["phase"] == "fit"]
if result["verb"] == "regress":
    assert [int(r["iteration"]) for r in fit] == list(range(1, 101)), len(fit)
    last = [r for r in rows if r["phase"] == "certify"]
    assert len(last) == 100
    worst = max(float(r["worst_relative"]) for r in last)
    assert worst == result["residual"], (worst, result["residual"])
else:
    assert len(fit) > 0 and fit[-1]["worst_relative"] != ""
    if result["verb"] != "spca":
        worst = float(fit[-1]["worst_relative"])
        assert abs(worst - result["residual"]) <= 1e-9 * worst, (worst, result["residual"])
    assert float(rows[-1]["seconds"]) <= result["seconds"]
PY
    judge $? "history of $name: exit $code, $err"
done <<'END'
cp rpca g/tensor.npy --rank 4
admm rpca m/tensor.npy --rank 2 --method admm-g
tucker rpca t/tensor.npy --model tucker
matrix rpca m/tensor.npy --model matrix
pcp rpca m/tensor.npy --model pcp
spca spca m/tensor.npy --components 2
regress regress X.npy y.npy --cv 3
END

# A terminal 70 columns wide: every drawing fits, the last one is erased, the summary comes after it;
# Ctrl-C is answered by a sentence, a result and 130.
cat >terminal.py <<'PY'
import fcntl, os, pty, re, select, signal, struct, sys, termios, time
columns, stop, argv = int(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
pid, fd = pty.fork()
if pid == 0:
    time.sleep(0.2)  # the size is there
    os.execv(argv[0], argv)
fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
begun, text, asked = time.time(), b"", None
while True:
    if stop and asked is None and time.time() - begun > stop + 0.2:
        os.kill(pid, signal.SIGINT)
        asked = time.time()
    if select.select([fd], [], [], 0.02)[0]:
        try: piece = os.read(fd, 65536)
        except OSError: break
        if not piece: break
        text += piece
code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
late = time.time() - asked if asked else 0
screen, row, widest = [""], 0, 0
for c in text.decode():
    if c == "\r": row = 0
    elif c == "\n": screen.append(""); row = 0
    else:
        line = screen[-1].ljust(row)
        screen[-1] = line[:row] + c + line[row + 1:]
        row += 1
        widest = max(widest, row)
draws = re.findall(r"\r(crease \S+  [^\r\n]*)", text.decode())
print(code, len(draws), max((len(d.rstrip()) for d in draws), default=0), round(late, 2))
for line in screen: print(line.rstrip())
if draws: print("drew:", " | ".join(sorted({d.split()[2] for d in draws})))
if any("stopping" in d for d in draws): print("said: stopping")
PY
# A run that only its limit ends, to be watched for a while.
endless="rpca g/tensor.npy --rank 4 --method admm-m --eps 0"
$python terminal.py 70 0 "$CREASE" $endless --max-seconds 1.5 --out seen >"$scratch/screen" 2>&1
read -r code draws widest late <"$scratch/screen"
[ "$code" -eq 2 ] && [ "$draws" -ge 3 ] && [ "$draws" -le 20 ] && [ "$widest" -gt 20 ] && [ "$widest" -le 69 ] &&
    ! sed -n '2,/^drew:/p' "$scratch/screen" | grep -q '^crease rpca' && [ -s seen/result.json ]
judge $? "the line of a terminal: $(cat "$scratch/screen")"
$python terminal.py 200 0 "$CREASE" $endless --max-seconds 1 --quiet --out quiet >"$scratch/screen" 2>&1
read -r code draws widest late <"$scratch/screen"
[ "$code" -eq 2 ] && [ "$draws" -eq 0 ]
judge $? "--quiet on a terminal: $(cat "$scratch/screen")"
$python terminal.py 160 1 "$CREASE" $endless --out stopped >"$scratch/screen" 2>&1
read -r code draws widest late <"$scratch/screen"
[ "$code" -eq 130 ] && [ -s stopped/result.json ] && [ "${late%.*}" -lt 1 ] &&
    grep -q "said: stopping" "$scratch/screen"
judge $? "Ctrl-C: $(cat "$scratch/screen")"
finish
