# colour: on a terminal only, not with NO_COLOR or TERM=dumb; --color overrules; nothing but colour differs
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
escape=$'\033'
problem=$OLDPWD/examples/problems/first.json

"$CREASE" solve "$problem" --quiet --out plain >piped
! grep -q "$escape" piped
judge $? "a pipe has colours: $(cat -v piped)"
"$CREASE" solve "$problem" --quiet --color always --out plain --force >coloured
grep -q "$escape" coloured
judge $? "--color always has none"
times() { sed 's/in [0-9.e-]* s.*//; s/[0-9.]* kB//' "$1"; } # these two differ from run to run
diff <(times piped) <(sed "s/$escape\[[0-9]*m//g" coloured | times /dev/stdin) >difference
judge $? "more than colours differ: $(cat difference)"
expect_exit 64 "write auto, always or never" solve "$problem" --color sometimes

# seen VARIABLE=VALUE... -- ARGUMENT...: what a terminal gets
seen() {
    $python - "$@" <<'PY'
import os, pty, sys
at = sys.argv.index("--")
env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
env["TERM"] = "xterm"
env.update(word.split("=", 1) for word in sys.argv[1:at])
pid, terminal = pty.fork()
if pid == 0: os.execvpe(sys.argv[at + 1], sys.argv[at + 1:], env)
text = b""
while True:
    try: got = os.read(terminal, 4096)
    except OSError: break
    if not got: break
    text += got
os.waitpid(pid, 0)
sys.stdout.buffer.write(text)
PY
}
seen -- "$CREASE" verify plain | grep -q "$escape\[32mVALID"
judge $? "a terminal has no colours"
! seen NO_COLOR=1 -- "$CREASE" verify plain | grep -q "$escape"
judge $? "NO_COLOR is not obeyed"
seen NO_COLOR= -- "$CREASE" verify plain | grep -q "$escape"
judge $? "an empty NO_COLOR counts"
! seen TERM=dumb -- "$CREASE" verify plain | grep -q "$escape"
judge $? "a dumb terminal has colours"
! seen -- "$CREASE" verify plain --color never | grep -q "$escape"
judge $? "--color never is not obeyed"
seen NO_COLOR=1 -- "$CREASE" verify plain --color always | grep -q "$escape"
judge $? "--color always is not obeyed"
"$CREASE" solve "$problem" --quiet --max-iterations 1 --method admm-g --color always --out limit >limited
[ $? -eq 2 ] && head -1 limited | grep -q "${escape}\[33mNOT certified:"
judge $? "what is not certified says so first: $(cat -v limited)"
finish
