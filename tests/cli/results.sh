# results: the folder of every verb has one layout (docs/result.md), is replaced by --force whatever it
# was and only then, and is verified from anywhere, also after moving; an edited array shows
source "$(dirname "$0")/common.bash"
root=$PWD
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
mkdir here && cd here || exit 1
spoils="--outliers 0.1 --magnitude 10 --noise 0.01 --seed 3"
"$CREASE" generate cp --shape 8,9,10 --rank 2 $spoils --out cp-data >/dev/null
"$CREASE" generate tucker --shape 8,9,10 --rank 2,3,2 $spoils --out tucker-data >/dev/null
"$CREASE" generate matrix --shape 30,20 --rank 2 $spoils --out matrix-data >/dev/null
cp "$root"/examples/problems/{lasso,sharing,farthest}.json .
$python - <<'END'
import numpy as np
rng = np.random.RandomState(0)
T = np.load("cp-data/tensor.npy")
np.save("mask.npy", (rng.rand(*T.shape) > 0.1).astype(float))
np.save("weights.npy", rng.rand(*T.shape) + 0.5)
np.save("new.npy", np.load("tucker-data/tensor.npy")[:3])
X = rng.randn(40, 6)
np.save("X.npy", X); np.save("y.npy", X[:, 0] - X[:, 3] + 0.1 * rng.randn(40))
END

# verb FOLDER ARGUMENT...
declare -A made
verb() {
    local folder=$1
    shift
    run "$CREASE" "$@" --out "$folder" --json
    [ $code -eq 0 ]
    judge $? "crease $*: exit $code, $err"
    [ "$out" = "$(cat "$folder/result.json")" ]
    judge $? "$folder: --json is another document than result.json"
    made[$folder]="$*"
}
verb cp rpca cp-data/tensor.npy --rank 2 --quiet
verb masked rpca cp-data/tensor.npy --rank 2 --mask mask.npy --quiet
verb grouped rpca cp-data/tensor.npy --rank 2 --penalty group-l1 --groups slices:0 --quiet
verb weighted rpca cp-data/tensor.npy --rank 2 --penalty l1:0.05 --alpha 1 --weights weights.npy --quiet
verb positive rpca cp-data/tensor.npy --rank 2 --penalty nonneg-l1:1 --quiet
verb merged rpca cp-data/tensor.npy --rank 2 --merge 0,1 --quiet
verb tucker rpca tucker-data/tensor.npy --model tucker --rank 2,3,2 --quiet
verb holes rpca tucker-data/tensor.npy --model tucker --rank 2,3,2 --mask mask.npy --quiet
verb movie rpca tucker-data/tensor.npy --model matrix --merge 1,2 --rank 2 --quiet
verb matrix rpca matrix-data/tensor.npy --model matrix --rank 2 --quiet
verb ball rpca matrix-data/tensor.npy --model matrix --rank 2 --eta 1 --quiet
verb pcp rpca matrix-data/tensor.npy --model pcp --quiet
verb lasso solve lasso.json --quiet
verb sharing solve sharing.json --quiet
verb farthest solve farthest.json --quiet
verb seen apply tucker new.npy
verb again apply masked cp-data/tensor.npy --mask mask.npy --axis 1
verb spca spca cp-data/tensor.npy --components 2
verb regress regress X.npy y.npy --path 20
verb drawn generate cp --shape 4,5,6 --rank 2 --seed 1

# The layout: the schema, the files, the sum of the parts.
$python "$root/tests/support/schema.py" "$root/docs/result.schema.json" */result.json
judge $? "the schema is not that of these results"
$python - "${!made[@]}" <<'END'
import json, os, sys
import numpy as np
for name in sys.argv[1:]:
    r = json.load(open(name + "/result.json"))
    there = {os.path.relpath(os.path.join(d, f), name) for d, _, fs in os.walk(name) for f in fs}
    assert there == set(r["files"]) and len(there) == len(r["files"]), (name, there, r["files"])
    for source in r["data"]:
        assert os.path.samefile(os.path.join(name, source["path"]),
                                source["absolute_path"] or os.path.join(name, source["path"]))
    if r["verb"] not in ("rpca", "apply"): continue
    parts = [np.load("%s/%s.npy" % (name, p)) for p in ("lowrank", "sparse", "noise")]
    T = np.load([s["absolute_path"] for s in r["data"] if s["role"] == "data"][0])
    seen = np.load("mask.npy") > 0 if name in ("masked", "holes", "again") else np.full(T.shape, True)
    off = abs(sum(parts) - T)[seen].max()
    assert off <= 1e-14 * abs(T).max(), (name, off)
    assert all(np.isfinite(p).all() for p in parts) and not parts[2][~seen].any()
END
judge $? "files or parts"

# Verified from elsewhere, and with its data at another place.
cd / || exit 1
certified=(cp masked grouped weighted positive merged tucker holes movie matrix ball pcp lasso sharing farthest spca regress seen again)
for name in "${certified[@]}"; do
    run "$CREASE" verify "$scratch/here/$name"
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $name from /: exit $code, $out $err"
done
mv "$scratch/here" "$scratch/moved" && cd "$scratch" || exit 1
for name in "${certified[@]}"; do
    run "$CREASE" verify moved/$name
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $name after moving: exit $code, $out $err"
done
mkdir apart && cp -r moved/cp apart/cp
expect_exit 66 "tensor.npy" verify apart/cp # neither path leads anywhere now
run "$CREASE" verify apart/cp --problem moved/cp-data/tensor.npy
[ $code -eq 0 ] && [[ $out == VALID* ]]
judge $? "--problem: exit $code, $out $err"

# Every array counts.
cd moved || exit 1
for name in cp tucker holes matrix ball pcp lasso sharing spca regress seen again; do
    cp $name/certificate.json keep.json
    for file in $name/*.npy; do
        cp "$file" keep.npy
        $python - "$file" <<'END'
import sys
import numpy as np
x = np.load(sys.argv[1])
x.flat[x.size // 2] += 1e-3 * (1 + abs(x).max())
np.save(sys.argv[1], x)
END
        run "$CREASE" verify $name
        [ $code -eq 1 ] && [[ $out == INVALID*"${file#*/} has changed since it was written"* ]]
        judge $? "$file was edited: exit $code, $out $err"
        reseal $name
        run "$CREASE" verify $name
        [ $code -ne 0 ] && [[ $out != VALID* ]]
        judge $? "$file was edited with its hash: exit $code, $out $err"
        head -c -8 keep.npy >"$file"
        reseal $name
        run "$CREASE" verify $name
        [ $code -ne 0 ] && [[ $out != VALID* ]]
        judge $? "$file was cut with its hash: exit $code, $out $err"
        mv keep.npy "$file"
        cp keep.json $name/certificate.json
    done
    run "$CREASE" verify $name
    [ $code -eq 0 ]
    judge $? "$name as it was: exit $code, $out $err"
done

# --force: any result over any other, without stale files; never anything else.
for name in cp tucker pcp lasso seen spca regress drawn cp lasso; do
    run "$CREASE" ${made[$name]} --out target --force
    [ $code -eq 0 ] && [ "$(ls target)" = "$(ls $name)" ]
    judge $? "$name over another result: exit $code, $err, $(ls target | tr '\n' ' ')"
    run "$CREASE" ${made[$name]} --out target
    [ $code -eq 73 ] && [[ $err == *"exists already"* ]]
    judge $? "$name without --force: exit $code, $err"
done
touch target/notes.txt
for name in cp lasso drawn; do
    run "$CREASE" ${made[$name]} --out target --force
    [ $code -eq 73 ] && [[ $err == *"not a result of crease alone"* ]] && [ -e target/notes.txt ]
    judge $? "$name over a folder with notes: exit $code, $err"
done
mkdir empty letters && touch letters/letter
run "$CREASE" ${made[lasso]} --out empty
[ $code -eq 0 ] && [ -s empty/result.json ]
judge $? "an empty folder: exit $code, $err"
expect_exit 73 "exists already" ${made[lasso]} --out letters
expect_exit 73 "not a result" ${made[lasso]} --out letters --force
expect_exit 73 "cannot be written" ${made[lasso]} --out no/such/place
[ -z "$(find . -name '*.tmp' -o -name '*.old')" ]
judge $? "something is left half-written: $(find . -name '*.tmp' -o -name '*.old')"

# A folder that loses its place while the run goes on: an exit code and a sentence.
mkdir dd
"$CREASE" rpca tucker-data/tensor.npy --model tucker --rank 2,3,2 --method admm-m --eps 1e-15 --quiet \
    --max-iterations 300 --out dd/x >lost.out 2>lost.err &
child=$!
sleep 0.3
mv dd gone
wait $child
code=$?
[ $code -eq 74 ] || [ $code -eq 0 ] || [ $code -eq 2 ]
judge $? "its parent moved away: exit $code, $(cat lost.err)"
finish
