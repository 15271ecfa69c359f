# Results that could not be written, or not to the end: an exit code, a line, and no folder that
# passes for a result (S1, S3, S9)
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
$python - <<'END'
import numpy as np
r = np.random.RandomState(0)
np.save("T.npy", np.einsum("ir,jr,kr->ijk", *[r.randn(n, 2) for n in (30, 30, 30)])
        + 0.01 * r.randn(30, 30, 30))
np.save("X.npy", r.randn(300, 100)); np.save("y.npy", r.randn(300))
END
"$CREASE" rpca T.npy --rank 2 --quiet --out base >/dev/null
verbs=("rpca T.npy --rank 2 --quiet" "rpca T.npy --model tucker --rank 2 --quiet"
       "spca T.npy --alpha 1000 --components 300" "regress X.npy y.npy" "generate cp --shape 30,30,30 --rank 2"
       "generate tucker --shape 30,30,30 --rank 2" "apply base T.npy")

# A file may be no longer than 50 kB; nowhere to write; standard output full.
for verb in "${verbs[@]}"; do
    (ulimit -f 50 && run "$CREASE" $verb --out limit && [ $code -eq 74 ] &&
        [[ $err == *"cannot be written: File too large"* ]] && [ "$(wc -l <<<"$err")" -eq 1 ])
    judge $? "$verb with short files"
    [ ! -e limit/result.json ] && [ -z "$(find . -name '*.tmp')" ]
    judge $? "$verb leaves half a result"
    rm -rf limit
    run "$CREASE" $verb --out T.npy
    [ $code -eq 73 ] && [ "$(wc -l <<<"$err")" -eq 1 ]
    judge $? "$verb: a file in the way of the folder: exit $code, $err"
    run "$CREASE" $verb --out no/such/folder
    [ $code -eq 73 ]
    judge $? "$verb: a folder nowhere: exit $code, $err"
    run bash -c "\"$CREASE\" $verb --out full --force >/dev/full"
    [ $code -eq 74 ] && [[ $err == *"standard output cannot be written"* ]]
    judge $? "$verb: standard output full: exit $code, $err"
    rm -rf full
done

# An earlier result stays until the new one is whole.
"$CREASE" rpca T.npy --rank 2 --quiet --out again >/dev/null
(ulimit -f 50 && run "$CREASE" rpca T.npy --rank 1 --quiet --out again --force && [ $code -eq 74 ])
judge $? "short files over an earlier result"
run "$CREASE" verify again
[ $code -eq 0 ] && [[ $out == VALID* ]]
judge $? "half a result over another: exit $code, $out"

# Killed at any moment: what verify then calls VALID is one result, whole.
kept=0 begun=$(date +%s%N)
"$CREASE" rpca T.npy --rank 2 --quiet --out kill >/dev/null
took=$((($(date +%s%N) - begun) / 1000000)) # ms
for k in $(seq 12); do
    "$CREASE" rpca T.npy --rank $((1 + k % 2)) --quiet --out kill --force >/dev/null 2>&1 &
    child=$!
    sleep "$(awk "BEGIN { print $took * (0.3 + 0.1 * $k) / 1000 }")"
    kill -KILL $child 2>/dev/null
    wait $child 2>/dev/null
    run "$CREASE" verify kill
    [[ $out != VALID* ]] && continue
    kept=$((kept + 1))
    $python - <<'END'
import json
import numpy as np
r = json.load(open("kill/result.json"))
F = [np.load("kill/factor_%d.npy" % n) for n in (1, 2, 3)]
w = np.load("kill/weights.npy")
L, S, B, Z = [np.load("kill/%s.npy" % k) for k in ("lowrank", "sparse", "noise", "z")]
assert r["settings"]["rank"] == len(w) and np.allclose(r["details"]["weights"], w, rtol=1e-12)
assert np.allclose(L, np.einsum("r,ir,jr,kr->ijk", w, *F), atol=1e-10)
assert np.allclose(L + S + B, np.load("T.npy"), atol=1e-12)
END
    judge $? "killed: VALID and yet not one result"
done
echo "$kept of 12 killed runs left a result"

# verify looks at every array.
for name in lowrank sparse noise z weights factor_2; do
    rm -rf changed && cp -r base changed
    $python -c '
import sys, numpy as np
x = np.load(sys.argv[1]); x.flat[1] += 1e-3 * (1 + abs(x).max()); np.save(sys.argv[1], x)' changed/$name.npy
    run "$CREASE" verify changed
    [ $code -ne 0 ] && [[ $out != VALID* ]]
    judge $? "$name.npy changed: exit $code, $out"
    rm changed/$name.npy
    run "$CREASE" verify changed
    [ $code -eq 1 ] && [[ $out == INVALID*"$name.npy is missing"* ]]
    judge $? "$name.npy missing: exit $code, $out $err"
done
finish
