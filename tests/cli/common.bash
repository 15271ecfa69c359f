# Shared by the scripts of this folder. CREASE is the program; each check counts itself.
set -u
: "${CREASE:?set CREASE to the program}"
passed=0 failed=0
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
python=/usr/bin/python3
support=$(cd "$(dirname "${BASH_SOURCE[0]}")/../support" && pwd)
schema=5 # schema_version of the documents
unset LC_ALL LC_NUMERIC LANG

pass() { passed=$((passed + 1)); }
fail() {
    failed=$((failed + 1))
    printf 'FAILED %s\n' "$@"
}

# judge STATUS MESSAGE: the status of the test before it.
judge() { if [ "$1" -eq 0 ]; then pass; else fail "$2"; fi; }

# run COMMAND...: its output, errors and exit code in $out, $err and $code.
run() {
    "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    code=$?
    out=$(cat "$scratch/out") err=$(cat "$scratch/err")
}

# expect_out TEXT ARGUMENT...: exit 0, this text on stdout, nothing on stderr.
expect_out() {
    local wanted=$1
    shift
    run "$CREASE" "$@"
    if [ $code -eq 0 ] && [ "$out" = "$wanted" ] && [ -z "$err" ]; then pass; else
        fail "crease $*" "  wanted: $wanted" "  exit $code, stdout: $out" "  stderr: $err"
    fi
}

# expect_exit CODE PATTERN ARGUMENT...: this code, one line on stderr that matches, no stdout.
expect_exit() {
    local wanted=$1 pattern=$2
    shift 2
    run "$CREASE" "$@"
    local lines
    lines=$(wc -l <"$scratch/err")
    if [ $code -eq "$wanted" ] && [ "$lines" -eq 1 ] && [ ! -s "$scratch/out" ] &&
        [[ $err == "${CREASE##*/}:"* ]] && [[ $err =~ $pattern ]]; then pass; else
        fail "crease $*" "  wanted: exit $wanted and one line with: $pattern" \
            "  exit $code, stdout: $out" "  stderr ($lines lines): $err"
    fi
}

# expect_near TOLERANCE "a b ..." ARGUMENT...: these numbers on stdout, to a relative tolerance.
expect_near() {
    local tolerance=$1 wanted=$2
    shift 2
    run "$CREASE" "$@"
    if [ $code -eq 0 ] && [ -z "$err" ] && $python - "$tolerance" "$wanted" "$out" <<'PY'; then
import sys
tolerance, wanted, got = float(sys.argv[1]), sys.argv[2].split(), sys.argv[3].split()
sys.exit(not (len(wanted) == len(got) and all(
    abs(float(w) - float(g)) <= tolerance * (1 + abs(float(w))) for w, g in zip(wanted, got))))
PY
        pass
    else
        fail "crease $*" "  wanted: $wanted" "  exit $code, stdout: ${out//$'\n'/ }" \
            "  stderr: $err"
    fi
}

# expect_json EXPRESSION ARGUMENT...: stdout is one JSON document d for which this holds.
expect_json() {
    local expression=$1
    shift
    run "$CREASE" "$@"
    if [ $code -eq 0 ] && [ -z "$err" ] && $python - "$expression" "$scratch/out" $schema <<'PY'; then
import json, math, sys
def refuse(word): raise ValueError(word)
d = json.load(open(sys.argv[2]), parse_constant=refuse)
ok = d["schema_version"] == int(sys.argv[3]) and eval("(" + sys.argv[1] + ")")
sys.exit(not ok)
PY
        pass
    else
        fail "crease $*" "  wanted: $expression" "  exit $code, stdout: ${out:0:600}" \
            "  stderr: $err"
    fi
}

# reseal FOLDER...: certificates bound anew to edited files: the recomputation alone can tell now.
reseal() { $python "$support/reseal.py" "$@"; }

# alike A B: the same document, but for times, and for paths and the list of files, which a run without
# a folder has otherwise.
alike() {
    $python - "$1" "$2" <<'PY'
import json, sys
def plain(v):
    if isinstance(v, list): return [plain(w) for w in v]
    if not isinstance(v, dict): return v
    return {k: plain(w) for k, w in v.items() if k not in ("files", "path", "command") and "seconds" not in k}
sys.exit(plain(json.loads(sys.argv[1])) != plain(json.loads(sys.argv[2])))
PY
}

finish() {
    printf '%d passed, %d failed\n' $passed $failed
    [ $failed -eq 0 ]
}
