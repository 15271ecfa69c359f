# rpca_verify: results of rpca verified again, signals, threads, the log
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 10,20,30 --rank 3 --seed 1 --out g >/dev/null
$python - <<'END'
import numpy as np
T = np.load("g/tensor.npy")
np.save("mask.npy", (np.random.RandomState(0).rand(*T.shape) < 0.8).astype(float))
np.save("data.npy", T)
np.savetxt("matrix.csv", T[0], delimiter=",")
END

# judged NAME ARGUMENT...: a run that exits 0 is VALID before verify, which says what rpca said.
judged() {
    local name=$1
    shift
    run "$CREASE" rpca --quiet --out "$name" "$@"
    [ $code -eq 0 ] && [[ $out == *"confirmed by the independent checker"* ]] && [ -z "$err" ]
    judge $? "rpca $*: exit $code, $out $err"
    run "$CREASE" verify "$name"
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $name: exit $code, $out $err"
}
judged plain data.npy
judged masked data.npy --mask mask.npy --rank 3 --method admm-g
judged merged data.npy --merge 1,2 --rank 2 --method prox-bcd
judged matrix matrix.csv --rank 2 --method bcd
judged mcp data.npy --rank 3 --penalty mcp:1,0.2 --ridge 1e-3
judged single data.npy --rank 3 --method admm-g --precision single
judged fibres data.npy --rank 3 --penalty group-l1 --groups fibres:1

# Weights and groups of the user's own, by their files; another content is found.
$python - <<'END'
import numpy as np
r = np.random.RandomState(3)
np.save("weights.npy", 0.5 + r.rand(10, 20, 30)); np.save("labels.npy", r.randint(0, 40, 6000) + 1)
np.save("group_weights.npy", 0.5 + r.rand(40))
END
judged weighted data.npy --rank 3 --penalty l1 --weights weights.npy --method prox-bcd
judged labelled data.npy --rank 3 --penalty group-l1 --groups labels.npy \
    --weights group_weights.npy --method prox-bcd
for name in weights labels; do
    cp $name.npy $name.was
    $python -c "
import numpy as np
x = np.load('$name.npy'); x.flat[7] = x.flat[7] % 5 + 1; np.save('$name.npy', x)"
    result=weighted
    [ $name = labels ] && result=labelled
    run "$CREASE" verify $result
    [ $code -eq 1 ] && [[ $out == INVALID*"the groups or weights changed since"* ]]
    judge $? "changed $name: exit $code, $out $err"
    mv $name.was $name.npy
done
run "$CREASE" verify plain --json
[ $code -eq 0 ] && $python -c '
import json, sys
r, s = json.loads(sys.argv[1]), json.load(open("plain/result.json"))
assert r["verdict"] == "VALID" and r["hash"] == s["data"][0]["hash"] and len(r["blocks"]) == 6
assert abs(r["smallest_eps"] - s["details"]["certificate"]["smallest_eps"]) <= 1e-6 * r["smallest_eps"]' "$out"
judge $? "verify --json: exit $code, $out"
run "$CREASE" verify plain --eps 1e-20
[ $code -eq 1 ] && [[ $out == INVALID* ]]
judge $? "verify --eps: exit $code, $out"

# Any change of the data or of the arrays is found.
cp -r plain spoiled
$python -c '
import numpy as np
z = np.load("spoiled/z.npy"); z[1, 2, 3] += 1e-2; np.save("spoiled/z.npy", z)'
reseal spoiled
run "$CREASE" verify spoiled
[ $code -eq 1 ] && [[ $out == INVALID*"block"* ]]
judge $? "a changed Z: exit $code, $out"
head -c 20000 plain/sparse.npy >spoiled/sparse.npy
reseal spoiled
expect_exit 65 "sparse.npy is truncated" verify spoiled
$python -c '
import numpy as np
t = np.load("data.npy"); t[0, 0, 0] += 1e-9; np.save("data.npy", t)'
run "$CREASE" verify plain
[ $code -eq 1 ] && [[ $out == *"the data changed since"* ]]
judge $? "changed data: exit $code, $out"
run "$CREASE" verify plain --problem g/tensor.npy
[ $code -eq 0 ]
judge $? "--problem: exit $code, $out"

# A signal ends the run with what was found.
for signal in INT:130 TERM:143; do
    "$CREASE" rpca g/tensor.npy --rank 3 --method admm-m --eps 0 --quiet --max-iterations 2000000000 \
        --out "by_$signal" >/dev/null 2>&1 &
    pid=$!
    sleep 1
    kill "-${signal%:*}" $pid
    wait $pid
    [ $? -eq "${signal#*:}" ] && [ -s "by_$signal/result.json" ]
    judge $? "after SIG${signal%:*}"
done

# The same bytes with one thread and two; the log; what is refused.
"$CREASE" generate cp --shape 50,60,70 --rank 2 --seed 2 --out large >/dev/null
for n in 1 2; do
    run "$CREASE" rpca large/tensor.npy --rank 2 --threads $n --quiet --out "threads$n"
    judge $code "--threads $n: $err"
done
cmp -s threads1/lowrank.npy threads2/lowrank.npy && cmp -s threads1/sparse.npy threads2/sparse.npy
judge $? "threads change the result"
run "$CREASE" rpca g/tensor.npy --rank auto --alpha auto --log-csv log.csv --verbose --out logged
[ $code -eq 0 ] && [[ $err == *"memory "* && $err == *"EXIT: eps-stationary"* ]] &&
    [ "$(head -1 log.csv)" = "phase,iteration,objective,feasibility,worst,worst_relative,theta,potential,seconds" ] &&
    cmp -s log.csv logged/history.csv
judge $? "the log: exit $code, $err"
run "$CREASE" rpca g/tensor.npy --rank 3 --mode paper --quiet --out paper
[ $code -eq 2 ] && [[ $out == *"theta fell below its limit"* || $out == *"iteration limit"* ]]
judge $? "paper mode: exit $code, $out"
expect_exit 64 "precision single is for" rpca g/tensor.npy --rank 2 --precision single --nonneg --out x
expect_exit 64 "double or single" rpca g/tensor.npy --precision half --out x
expect_exit 64 "threads" rpca g/tensor.npy --threads 0 --out x
finish
