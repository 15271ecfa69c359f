# apply: slices of data that do not fit into --memory, a few at a time: the same bytes
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
spoils="--outliers 0.05 --magnitude 10 --noise 0.001 --seed 1"
"$CREASE" generate cp --shape 10,12,14 --rank 3 --seed 1 --out g >/dev/null
"$CREASE" generate tucker --shape 10,12,14 --rank 2,2,3 $spoils --out gt >/dev/null
"$CREASE" generate matrix --shape 30,40 --rank 2 $spoils --out gm >/dev/null
"$CREASE" rpca g/tensor.npy --rank 3 --quiet --out r >/dev/null
"$CREASE" rpca g/tensor.npy --rank 3 --center 1 --quiet --out rc >/dev/null
"$CREASE" rpca gt/tensor.npy --model tucker --rank 2,2,3 --quiet --out rt >/dev/null
"$CREASE" rpca gm/tensor.npy --model matrix --rank 2 --quiet --out rm >/dev/null
$python - <<'END'
import numpy as np
rng = np.random.RandomState(1)
def more(name, times):
    T = np.load(name + "/tensor.npy")
    return np.concatenate([T * s for s in rng.randn(times)])
T = more("g", 150)
np.save("cp.npy", T)
np.save("columns.npy", np.asfortranarray(T))
np.save("mask.npy", 1.0 * (rng.rand(*T.shape) < 0.9))
T[rng.rand(*T.shape) < 0.1] = np.nan
np.save("holes.npy", T)
T[1400, 3, 4] = np.inf
np.save("bad.npy", T)
np.save("far.npy", 1e-12 * more("g", 150))
np.save("tucker.npy", more("gt", 150))
np.save("matrix.npy", more("gm", 150))
END
"$CREASE" convert cp.npy cp.h5 >/dev/null

same() # FOLDER FOLDER
{
    local f
    for f in coefficients lowrank sparse noise; do cmp -s "$1/$f.npy" "$2/$f.npy" || return 1; done
    [ "$(ls "$1")" = "$(ls "$2")" ] && $python - "$1" "$2" <<'END'
import json, sys
a, b = (json.load(open(f + "/result.json")) for f in sys.argv[1:])
c, d = (json.load(open(f + "/certificate.json")) for f in sys.argv[1:])
sources = [[(x["role"], x.get("hash")) for x in y["data"]] for y in (a, b, c, d)]
assert sources[0] == sources[1] and sources[2] == sources[3]
for key in ("files", "settings", "details", "outcome", "verdict", "objective", "residual", "axes"):
    assert a[key] == b[key], key
END
}

# few_bytes RESULT DATA MORE: the least memory, as a run without it says, and some more.
few_bytes()
{
    run "$CREASE" apply "$1" "$2" --missing nan --memory 1k --out never
    least=$(grep -o 'at least [0-9.]* MB' <<<"$err" | grep -o '[0-9.]*')
    $python -c "print(int(float('${least:-0}') * 1e6 + $3))"
}

# Every model, a center, holes, HDF5, data in a unit far from those of the fit.
for try in r:cp.npy r:cp.h5 r:holes.npy rc:cp.npy r:far.npy rt:tucker.npy rm:matrix.npy; do
    result=${try%%:*} data=${try#*:}
    "$CREASE" apply $result $data --missing nan --quiet --force --out whole >/dev/null
    for more in 2e5 2e6; do
        most=$(few_bytes $result $data $more)
        [ "$most" -gt 1000000 ] && [ ! -e never ]
        judge $? "$try: too little memory is told: $most"
        run "$CREASE" apply $result $data --missing nan --memory $most --quiet --force --out few
        [ $code -eq 0 ] && same whole few
        judge $? "$try in $most bytes: exit $code, $err"
    done
    run "$CREASE" verify few
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "$try, verified: exit $code, $out $err"
done

# One file, and a run that goes on in memory or not.
most=$(few_bytes rm matrix.npy 2e5)
"$CREASE" apply rm matrix.npy --quiet --out whole.h5 >/dev/null
run "$CREASE" apply rm matrix.npy --memory "$most" --quiet --out few.h5
[ $code -eq 0 ] && "$CREASE" verify few.h5 >/dev/null &&
    for f in coefficients lowrank sparse noise; do
        "$CREASE" convert few.h5:/$f $f.npy --force >/dev/null
        cmp -s $f.npy whole/$f.npy || code=1
    done && [ $code -eq 0 ]
judge $? "one file: exit $code, $err"
run "$CREASE" apply rm matrix.npy --memory "$most" --quiet --max-seconds 0.001 --out stopped
[ $code -ne 0 ] && [ -f stopped/sparse.npy ] && grep -q time_limit stopped/result.json
judge $? "a limit: exit $code, $err"

# A checkpoint has what was done; the run goes on with any memory.
"$CREASE" apply r cp.npy --quiet --force --out whole >/dev/null
most=$(few_bytes r cp.npy 2e5)
"$CREASE" apply r cp.npy --memory "$most" --quiet --checkpoint mark --checkpoint-every 0 \
    --out never >/dev/null 2>&1 &
pid=$!
for ((k = 0; k < 2000; k++)); do
    [ -f mark ] && break
    sleep 0.01
done
sleep 0.1
kill -9 $pid
wait $pid 2>/dev/null
for more in "--memory $most" "--memory 1G"; do
    cp mark again
    run "$CREASE" apply r cp.npy $more --quiet --force --checkpoint again --resume again --out few
    [ $code -eq 0 ] && same whole few
    judge $? "resumed with $more: exit $code, $err"
done
rm -rf never*
"$CREASE" apply r cp.npy --memory "$most" --dry-run --out never | grep -q "memory  *about 2" &&
    [ ! -e never ]
judge $? "the memory is foretold"

most=$(few_bytes r bad.npy 2e5)

# What is wrong is said as in memory, and what cannot be streamed by name.
expect_exit 65 "entry .* of the data is inf" apply r bad.npy --missing nan --memory "$most" --out bad
expect_exit 65 "entry .* is nan; give finite numbers" apply r holes.npy --memory "$most" --out bad
expect_exit 71 "with --mask the data must be in memory" \
    apply r cp.npy --mask mask.npy --memory 20M --out bad
expect_exit 71 "cannot be read in parts" apply r columns.npy --memory 20M --out bad
expect_exit 71 "with another --axis" apply rm matrix.npy --axis 1 --memory 5M --out bad
expect_exit 64 "give bytes, as 800M" apply r cp.npy --memory much --out bad
[ ! -e bad ]
judge $? "a failure leaves nothing behind"
finish
