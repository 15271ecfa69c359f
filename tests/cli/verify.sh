# verify: a result judged anew; tampering with any part of it shows
source "$(dirname "$0")/common.bash"
examples=$(cd "$(dirname "$0")/../../examples/problems" && pwd)
cp "$examples"/*.json "$scratch"

# judged CODE WORD ARGUMENT...: this exit code, and the verdict first on stdout.
judged() {
    local wanted=$1 word=$2
    shift 2
    run "$CREASE" verify "$@"
    [ "$code" -eq "$wanted" ] && [ "${out%%$'\n'*}" = "$word" ] && [ -z "$err" ]
    judge $? "verify $*: exit $code instead of $wanted: $out $err"
}
# edit FILE EXPRESSION: changes the JSON document d.
edit() {
    $python - "$1" "$2" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(d, open(sys.argv[1], "w"))
PY
}

# spoil FILE K X: entry K of a .npy file of doubles becomes X.
spoil() {
    $python - "$1" "$2" "$3" <<'PY'
import struct, sys
b = bytearray(open(sys.argv[1], "rb").read())
at = 10 + b[8] + 256 * b[9] + 8 * int(sys.argv[2])
b[at:at + 8] = struct.pack("<d", float(sys.argv[3]))
open(sys.argv[1], "wb").write(b)
PY
}

for file in "$examples"/*.json; do
    name=$(basename "$file" .json)
    "$CREASE" solve "$scratch/$name.json" --quiet --out "$scratch/$name" >/dev/null
    judged 0 VALID "$scratch/$name"
    eps=$($python -c 'import json,sys;print(json.load(sys.stdin)["eps"])' \
        <"$scratch/$name/result.json")
    expect_json 'd["verdict"] == "VALID" and 0 <= d["smallest_eps"] <= d["eps"] == '"$eps"' and
        len(d["blocks"]) > 0 and d["outside"] < 1e-12' verify "$scratch/$name" --json
done

# The smallest eps passes, and nothing below it.
smallest=$("$CREASE" verify "$scratch/lasso" --json |
    $python -c 'import json,sys;print(json.load(sys.stdin)["smallest_eps"])')
judged 0 VALID "$scratch/lasso" --eps "$smallest"
judged 1 INVALID "$scratch/lasso" --eps "$($python -c "print($smallest * (1 - 1e-12))")"
judged 1 INVALID "$scratch/lasso" --eps 1e-30
[[ $out == *because* ]]
judge $? "the reason is given"

# A point, a multiplier, a set membership, an eps that were tampered with: by its hash, and without.
tampered() { # tampered FOLDER FILE
    judged 1 INVALID "$1"
    [[ $out == *"$2 has changed since it was written"* ]]
    judge $? "$1: the changed file is named: $out"
    reseal "$1"
    judged 1 INVALID "$1"
    [[ $out != *"changed"* ]]
    judge $? "$1: refuted by its residuals: $out"
}
cp -r "$scratch/lasso" "$scratch/moved"
spoil "$scratch/moved/x_x.npy" 0 1.5
tampered "$scratch/moved" x_x.npy
cp -r "$scratch/consensus" "$scratch/lambda"
spoil "$scratch/lambda/lambda.npy" 1 16
tampered "$scratch/lambda" lambda.npy
cp -r "$scratch/simplex" "$scratch/outside"
spoil "$scratch/outside/x_x.npy" 0 -1
tampered "$scratch/outside" x_x.npy
cp -r "$scratch/lasso" "$scratch/tight"
edit "$scratch/tight/certificate.json" 'd["eps"] = "0x1p-80"'
tampered "$scratch/tight" certificate.json
cp -r "$scratch/lasso" "$scratch/more"
echo >"$scratch/more/notes.txt"
judged 1 INVALID "$scratch/more"
[[ $out == *"notes.txt is not a file of this result"* ]]
judge $? "a strange file is named: $out"
cp -r "$scratch/lasso" "$scratch/less"
rm "$scratch/less/history.csv"
judged 1 INVALID "$scratch/less"
[[ $out == *"history.csv is missing"* ]]
judge $? "a missing file is named: $out"
# The claims of the certificate are not believed: wrong ones change nothing.
cp -r "$scratch/lasso" "$scratch/boast"
edit "$scratch/boast/certificate.json" \
    'd["worst"] = 0; d["eps"] = "0x1p-80"'
reseal "$scratch/boast"
judged 1 INVALID "$scratch/boast"

# Another problem: the hash tells, also when only a data file changed.
printf '1\n2\n' >"$scratch/d.csv"
printf '{"crease": 1, "blocks": [{"shape": 2}],
 "smooth": [{"squared_distance": {"a": "x1", "d": "d.csv"}}]}' \
    >"$scratch/data.json"
"$CREASE" solve "$scratch/data.json" --quiet --out "$scratch/data" >/dev/null
judged 0 VALID "$scratch/data"
printf '1.0\n2.0\n' >"$scratch/d.csv"
judged 1 INVALID "$scratch/data"
[[ $out == *"changed since the result"* ]]
judge $? "the reason is the hash: $out"
mkdir "$scratch/elsewhere" && mv "$scratch/data.json" "$scratch/elsewhere"
printf '1\n2\n' >"$scratch/elsewhere/d.csv"
expect_exit 66 "No such file" verify "$scratch/data"
judged 0 VALID "$scratch/data" --problem "$scratch/elsewhere/data.json"
run "$CREASE" verify "$scratch/data" --problem "$scratch/lasso.json"
[ $code -ne 0 ]
judge $? "another problem is not verified"

# Large arrays, too.
$python - "$scratch/large.json" <<'PY'
import json, sys
json.dump({"crease": 1, "blocks": [{"name": "big", "shape": 100001, "regularizer": "l1:0.5"}],
           "smooth": [{"squared_distance": {"a": "big", "d": [k % 7 - 3 for k in range(100001)]}}],
           "options": {"eps": 1e-4}}, open(sys.argv[1], "w"))
PY
"$CREASE" solve "$scratch/large.json" --quiet --out "$scratch/large" >/dev/null
grep -q '"npy": "x_big.npy"' "$scratch/large/certificate.json"
judge $? "a long array is named, not repeated"
judged 0 VALID "$scratch/large"
cp "$scratch/large/x_big.npy" "$scratch/large/keep"
head -c 800100 "$scratch/large/keep" >"$scratch/large/x_big.npy"
rm "$scratch/large/keep"
judged 1 INVALID "$scratch/large"
reseal "$scratch/large"
expect_exit 65 "x_big.npy" verify "$scratch/large"

# Broken certificates.
expect_exit 66 "certificate.json" verify "$scratch/elsewhere"
expect_exit 66 "No such file" verify "$scratch/nowhere"
expect_exit 64 "missing argument" verify
broken() {
    rm -rf "$scratch/broken" && cp -r "$scratch/lasso" "$scratch/broken"
    edit "$scratch/broken/certificate.json" "$2"
    reseal "$scratch/broken"
    expect_exit 65 "$1" verify "$scratch/broken"
}
broken "'eps' is missing" 'del d["eps"]'
broken "'nan' is no number" 'd["eps"] = "nan"'
broken "no checker is named" 'del d["checker"]'
edit "$scratch/broken/certificate.json" 'd["checker"] = "problem"; del d["seal"]'
expect_exit 65 "it has no seal" verify "$scratch/broken"
broken "the checker 'oracle', which is unknown" 'd["checker"] = "oracle"'
broken "does not tell its problem" 'd["data"] = []'
broken "/blocks/0/x: unknown key" 'd["blocks"][0]["x"] = {"csv": "x.csv"}'
broken "/blocks/0/x: this is a list" 'd["blocks"][0]["x"] = ["0x0p+0", "0x0p+0"]'
broken "/blocks: there are 0 blocks" 'd["blocks"] = []'
rm -rf "$scratch/broken" && cp -r "$scratch/lasso" "$scratch/broken"
edit "$scratch/broken/certificate.json" 'd["blocks"][0]["x"]["npy"] = "none.npy"'
reseal "$scratch/broken"
expect_exit 66 "/blocks/0/x/npy.*cannot be opened" verify "$scratch/broken"
edit "$scratch/broken/certificate.json" 'd["blocks"][0]["x"]["npy"] = "x_x.npy"'
for odd in nan inf; do
    spoil "$scratch/broken/x_x.npy" 0 $odd
    reseal "$scratch/broken"
    expect_exit 65 "entry 1 of the file is $odd" verify "$scratch/broken"
done
printf '{' >"$scratch/broken/certificate.json"
expect_exit 65 "certificate.json:1:" verify "$scratch/broken"
expect_exit 64 "is not a number" verify "$scratch/lasso" --eps x
finish
