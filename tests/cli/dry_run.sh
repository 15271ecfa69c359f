# dry run: what is said is what would be done; nothing is written; errors are those of the run
source "$(dirname "$0")/common.bash"
problems=$PWD/examples/problems
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 8,9,10 --rank 2 --seed 2 --out g >/dev/null
"$CREASE" generate matrix --shape 20,15 --rank 2 --seed 2 --out m >/dev/null
"$CREASE" rpca g/tensor.npy --rank 2 --quiet --out model >/dev/null
$python -c '
import numpy as np
rng = np.random.default_rng(1)
np.save("X.npy", rng.normal(size=(30, 6))); np.save("y.npy", rng.normal(size=30))
x = np.load("g/tensor.npy"); x[0, 0, 0] = np.nan; np.save("holes.npy", x)'
listing() { find . -type f ! -name out ! -name err | sort; }
before=$(listing)

# foretold VERB ARGUMENT...: the files it names are those of the run, if it names them all
foretold() {
    run "$CREASE" "$@" --out new --dry-run
    [ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"Nothing was computed, and nothing was written." ]] &&
        [ ! -e new ] && [[ $out == *"memory "*"free"*"time "*"files "* ]]
    judge $? "$* --dry-run: exit $code, $out $err"
    [ "$(awk 'length > 100' <<<"$out")" = "" ]
    judge $? "$* --dry-run is too wide: $out"
    local said=$out
    "$CREASE" "$@" --out new >/dev/null 2>&1
    $python - "$said" <<'PY'
import json, re, sys
said = " ".join(re.sub(r".*\n  files ", "", sys.argv[1], flags=re.S).split("\n\n")[0].split())
named = set(re.findall(r"[\w.]+\.(?:npy|csv|json|svg)\b", said))
there = set(json.load(open("new/result.json"))["files"])
assert named <= there, (sorted(named - there), sorted(there))
assert named == there or "and the problem" in said or "axes" in str(there - named), sorted(there - named)
PY
    judge $? "$*: the files that were named: $said"
    rm -rf new
}
foretold rpca g/tensor.npy --rank 2
foretold rpca g/tensor.npy
foretold rpca holes.npy --missing nan --rank 2
foretold rpca g/tensor.npy --rank 2 --model tucker
foretold rpca m/tensor.npy --model matrix --rank 2
foretold rpca m/tensor.npy --model pcp
foretold spca g/tensor.npy --components 2
foretold regress X.npy y.npy
foretold regress X.npy y.npy --cv 3
foretold apply model g/tensor.npy
foretold generate cp --shape 4,5,6 --rank 2
foretold generate tucker --shape 4,5,6 --rank 2
foretold generate eem
foretold solve "$problems/first.json"
foretold solve "$problems/lasso.json"

# Without --out nothing would be written, and that is said.
run "$CREASE" rpca g/tensor.npy --dry-run
[ $code -eq 0 ] && [[ $out == *"there is no --out"* ]]
judge $? "without a folder: exit $code, $out $err"

# refused VERB ARGUMENT...: the same sentence and exit code, with --dry-run and without
refused() {
    run "$CREASE" "$@" --quiet
    local was="$code $err"
    [ $code -ne 0 ]
    judge $? "$* does not fail"
    run "$CREASE" "$@" --dry-run
    [ "$code $err" = "$was" ] && [ -z "$out" ]
    judge $? "$* --dry-run: $code $err, the run: $was"
}
refused rpca nowhere.npy --out x
refused rpca holes.npy --rank 2 --out x
refused rpca g/tensor.npy --out g
refused rpca g/tensor.npy --out nowhere/x
refused rpca g/tensor.npy --rank 0 --out x
refused rpca g/tensor.npy --model matrix --out x
refused rpca g/tensor.npy --penalty group-l1 --groups 3,2 --rank 2 --out x
refused rpca g/tensor.npy --model tucker --rank 20 --out x
refused spca X.npy --components 0 --out x
refused regress X.npy X.npy --out x
refused apply model X.npy --out x
refused generate cp --shape 4,5,6 --out x
refused solve "$problems/lasso.json" --method admm-g --out x
expect_exit 64 "leave --json out" rpca g/tensor.npy --json --dry-run
run "$CREASE" rpca g/tensor.npy --rank 2 --log-file log --log-csv log.csv --checkpoint c --out x --dry-run
[ $code -eq 0 ] && [ "$(listing)" = "$before" ]
judge $? "something was written: $(diff <(listing) <(echo "$before"))"
finish
