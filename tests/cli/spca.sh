# spca: certified components of planted spikes, their files, every penalty, both methods, bad data.
# The names X1, X2, ... are those of the list of inputs that every verb must survive.
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
PATH="$(dirname "$CREASE"):$PATH"

$python - <<'END'
import numpy as np
rng = np.random.RandomState(1)
def direction(n, k):
    u = np.zeros(n); u[rng.choice(n, k, replace=False)] = rng.choice([-1, 1], k) / np.sqrt(k)
    return u
def spikes(shape, k, strengths, noise):
    U = [np.stack([direction(n, k) for _ in strengths], 1) for n in shape]
    T = noise * rng.randn(*shape)
    for c, s in enumerate(strengths):
        term = np.array(s)
        for u in U: term = np.multiply.outer(term, u[:, c])
        T += term
    return T, U
for name, shape, k, strengths, noise in (("two", (20, 25, 30), 4, (2, 1), 0.01),
                                         ("four", (10, 10, 10, 10), 3, (1,), 0.015),
                                         ("matrix", (30, 40), 5, (3, 2), 0.02)):
    T, U = spikes(shape, k, strengths, noise)
    np.save(name + ".npy", T)
    np.savez(name + "_truth.npz", *U)
T, U = spikes((6, 5, 4), 2, (1,), 0)
np.save("exact.npy", T)
np.save("turned.npy", np.load("two.npy").transpose(2, 0, 1))
np.save("scaled.npy", np.load("two.npy") * 1e6); np.save("tiny.npy", np.load("two.npy") * 1e-6)
np.save("negated.npy", -np.load("two.npy"))
np.save("zero.npy", np.zeros((3, 4, 5))); np.save("constant.npy", np.ones((3, 4, 5)))
one = np.zeros((3, 4, 5)); one[1, 2, 3] = -7; np.save("single.npy", one)
np.save("slices.npy", np.repeat(rng.randn(1, 4, 5), 3, 0))
np.save("one.npy", np.full((1, 1, 1), -2.5)); np.save("thin.npy", rng.randn(1, 9, 1))
np.save("long.npy", rng.randn(9, 1, 1)); np.save("eight.npy", rng.randn(2, 1, 2, 1, 2, 1, 2, 2))
np.save("vector.npy", rng.randn(5))
for name, value in (("nan", np.nan), ("inf", np.inf), ("minus", -np.inf), ("huge", 1e308),
                    ("small", 1e-308)):
    bad = np.zeros((3, 3, 3)); bad[1, 2, 0] = value; np.save(name + ".npy", bad)
np.save("allnan.npy", np.full((2, 2), np.nan))
np.save("denormal.npy", np.full((2, 2), 5e-324)); np.save("mixed.npy", np.diag([1e150, 1e-150]))
with open("beyond.npy", "wb") as f:
    np.lib.format.write_array_header_1_0(
        f, {"descr": "<f8", "fortran_order": False, "shape": (10**5, 10**4, 100)})
END

# found NAME DATA COMPONENTS ARGUMENT...: exit 0, every component VALID, supports those planted.
found() {
    local name=$1 data=$2 count=$3
    shift 3
    run "$CREASE" spca "$data.npy" --components "$count" --out "$name" "$@"
    $python - "$name" "$data" "$count" <<'END' && [ $code -eq 0 ] && [ -z "$err" ]
import json, sys
import numpy as np
name, data, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
r = json.load(open(name + "/result.json"))["details"]
T, U = np.load(data + ".npy"), np.load(data + "_truth.npz")
F = [np.load("%s/factor_%d.npy" % (name, n + 1)) for n in range(T.ndim)]
w, left = np.load(name + "/weights.npy"), np.load(name + "/residual_norms.npy")
assert len(r["components"]) == count
for k, c in enumerate(r["components"]):
    q = c["certificate"]
    assert q["verdict"] == "VALID" and q["smallest_eps"] <= q["eps"] == 1e-6
    assert q["theorem"].startswith("Theorem") and 1 <= c["agree"] <= c["starts"] == 10
    for n, f in enumerate(F):
        u = U["arr_%d" % n][:, k]
        assert ((f[:, k] != 0) == (u != 0)).all() and abs(f[:, k] @ u) > 0.97
        assert abs(np.linalg.norm(f[:, k]) - 1) < 1e-14
        assert c["nonzeros"][n] == (f[:, k] != 0).sum()
    value = T
    for f in F[::-1]: value = value @ f[:, k]
    assert abs(value - w[k]) < 1e-12 * abs(w[k]) and w[k] == c["sigma"] > 0, (value, w[k])
    term = w[k]
    for f in F: term = np.multiply.outer(term, f[:, k])
    T = T - term
    assert abs(np.linalg.norm(T) - left[k]) < 1e-12 * left[k] and left[k] == c["residual_norm"]
assert abs(r["explained"] - 1 + (left[-1] / r["norm"]) ** 2) < 1e-12
END
    judge $? "spca $data $*: exit $code, $out $err"
}
found plain two 2
[[ $out == *"component 1  explains "*" % of the data; 4 of 20, 4 of 25, 4 of 30 entries "* ]]
judge $? "the summary: $out"
[[ $out == *"iterations of prox-bcd; "*"(Theorem 4.5"* ]]
judge $? "the guarantee: $out"
found gcg two 2 --method gcg
[[ $out == *"(Theorem 2.7"* ]]
judge $? "the guarantee of gcg: $out"
found four four 1
found four-gcg four 1 --method gcg
found matrix matrix 2
found matrix-gcg matrix 2 --method gcg
found theory two 2 --mode theory --method prox-bcd
found fraction two 2 --alpha auto:0.2
found seeded two 2 --seed 5
found noise four 1 --alpha noise
found noise-gcg four 1 --alpha noise:5 --method gcg
run "$CREASE" spca two.npy --components 9 --alpha noise --out all
[ $code -eq 0 ] && [[ $out == *"component 3  nothing found: all 10 starts ended at 0"* && $out != *"component 4"* ]]
judge $? "noise is no component: exit $code, $out $err"
for penalty in l0 mcp:1,3 scad:1,3.7 lsp:1,1 elastic-net:1,0.1; do
    found "p-$penalty" two 2 --penalty $penalty
    found "q-$penalty" four 1 --penalty $penalty
done
found net-gcg two 2 --penalty elastic-net:1,0.1 --method gcg

# The same seed gives the same bytes; --json is the document.
run "$CREASE" spca two.npy --components 2 --out again --json
cmp -s plain/factor_2.npy again/factor_2.npy && [ "$out" = "$(cat again/result.json)" ]
judge $? "the same command gives another answer"

# verify deflates the data anew and judges every component, from any place.
for penalty in l1 l0 mcp:1,3 zero; do
    for method in prox-bcd gcg; do
        [ $method = gcg ] && [[ $penalty == l0 || $penalty == mcp* ]] && continue
        run "$CREASE" spca two.npy --components 2 --penalty $penalty --method $method \
            --out "c-$penalty-$method"
        [ $code -eq 0 ] && [ -z "$err" ]
        judge $? "$penalty, $method: exit $code, $out $err"
        run "$CREASE" verify "c-$penalty-$method"
        [ $code -eq 0 ] && [[ $out == VALID*"component 1 "*"component 2 "* ]]
        judge $? "verify $penalty by $method: $out $err"
    done
done
expect_exit 73 "exists already" spca two.npy --out c-l1-gcg
mkdir elsewhere && cp two.npy elsewhere && cp -r c-l1-gcg elsewhere && mv elsewhere moved
(cd / && run "$CREASE" verify "$scratch/moved/c-l1-gcg" && [ $code -eq 0 ] && [[ $out == VALID* ]])
judge $? "data and result moved together"
for name in factor_2 weights x_1; do
    rm -rf changed && cp -r c-l1-gcg changed
    $python -c '
import sys, numpy as np
x = np.load(sys.argv[1]); x.flat[1] += 1e-3; np.save(sys.argv[1], x)' changed/$name.npy
    reseal changed
    run "$CREASE" verify changed
    [ $code -eq 1 ] && [[ $out == INVALID* ]]
    judge $? "$name.npy changed: exit $code, $out $err"
done
cp four.npy moved/two.npy
run "$CREASE" verify moved/c-l1-gcg
[ $code -ne 0 ] && [[ $out != VALID* ]]
judge $? "other data: exit $code, $out $err"
run "$CREASE" verify moved/c-l1-gcg --problem two.npy
[ $code -eq 0 ] && [[ $out == VALID* ]]
judge $? "data by --problem: exit $code, $out $err"

# The example of the help works as pasted, after that of generate.
run bash -c "$("$CREASE" help generate | sed -n '/^Example$/{n;p;}')"
run bash -c "$("$CREASE" help spca | sed -n '/^Example$/{n;p;}')"
[ $code -eq 0 ] && [[ $out == *"component 2  explains"* ]] && [ -z "$err" ]
judge $? "the example: exit $code, $out $err"

# X1: what is not finite is named.
expect_exit 65 "entry 16 of the tensor is nan" spca nan.npy --out x
expect_exit 65 "entry 16 of the tensor is inf" spca inf.npy --out x
expect_exit 65 "entry 16 of the tensor is -inf" spca minus.npy --out x
expect_exit 65 "entry 1 of the tensor is nan" spca allnan.npy --out x
# X2: products that would overflow or vanish are refused.
expect_exit 65 "1e.308, too large.*divide" spca huge.npy --out x
expect_exit 65 "1e-308, the largest in magnitude, too small.*multiply" spca small.npy --out x
expect_exit 65 "too small.*multiply" spca denormal.npy --out x
expect_exit 65 "1e.150, too large.*divide" spca mixed.npy --out x
# X3: zeros have zero factors, after no iteration.
run "$CREASE" spca zero.npy --components 3 --out zeros
[ $code -eq 0 ] && [[ $out == *"for the data are 0"* && $out == *"0 iterations of"* ]] && $python -c '
import numpy as np
for name in ("factor_1", "factor_3", "weights", "residual_norms"):
    assert not np.load("zeros/%s.npy" % name).any()
assert np.load("zeros/factor_2.npy").shape == (4, 3)'
judge $? "X3: exit $code, $out $err"
# X4, X5: constant, one entry, equal slices, rank one; sizes 1, orders 2 to 8.
for data in constant single slices exact one thin long eight matrix; do
    for method in prox-bcd gcg; do
        run "$CREASE" spca $data.npy --method $method --out degenerate --force
        [ $code -eq 0 ] && [[ $out == *"component 1  explains"* ]] && [ -z "$err" ]
        judge $? "X4, X5 $data $method: exit $code, $out $err"
    done
done
$python -c '
import json, subprocess, sys
def sigma(data, *more):
    out = subprocess.run([sys.argv[1], "spca", data + ".npy", "--out", "d", "--force", "--json",
                          *more], stdout=subprocess.PIPE, check=True).stdout
    return [c["sigma"] for c in json.loads(out)["details"]["components"]]
assert abs(sigma("single")[0] - 7) < 1e-12 and abs(sigma("one")[0] - 2.5) < 1e-12
assert abs(sigma("constant", "--alpha", "1e-3")[0] - 60 ** 0.5) < 1e-9
assert abs(sigma("exact")[0] - 1) < 1e-12
two = ["--components", "2", "--eps", "1e-10"]
plain = sigma("two", *two)
for data, factor in (("scaled", 1e6), ("tiny", 1e-6), ("negated", 1)):  # X16
    for a, b in zip(plain, sigma(data, *two)): assert abs(b / factor - a) < 1e-8 * a, (data, a, b)
fixed = ["--alpha", "0.1", "--components", "2", "--eps", "1e-12"]  # x is known to sqrt(eps)
for a, b in zip(sigma("two", *fixed), sigma("turned", *fixed)): assert abs(b - a) < 1e-6 * a
' "$CREASE"
judge $? "X4, X16: values"
expect_exit 65 "1 dimension" spca vector.npy --out x
# X6: no components, more than there are, more than fit.
expect_exit 64 "components 0" spca two.npy --components 0 --out x
expect_exit 64 "starts 0" spca two.npy --starts 0 --out x
run "$CREASE" spca one.npy --components 3 --out many
[ $code -eq 0 ] && [[ $out == *"component 2  nothing found"* || $out == *"component 3  nothing found"* ]]
judge $? "X6: exit $code, $out $err"
expect_exit 71 "needs .* of memory and .* are free" spca beyond.npy --out x
# X8, X12: parameters outside their ranges.
expect_exit 64 "h = nan|h" spca two.npy --h nan --out x
expect_exit 64 "eps" spca two.npy --eps -1 --out x
expect_exit 64 "alpha 0 is outside" spca two.npy --alpha 0 --out x
expect_exit 64 "alpha -1 is outside" spca two.npy --alpha=-1 --out x
expect_exit 64 "alpha nan is outside" spca two.npy --alpha nan --out x
expect_exit 64 "alpha some is outside" spca two.npy --alpha some --out x
expect_exit 64 "times the noise" spca two.npy --alpha noise:0 --out x
expect_exit 64 "between 0 and 1" spca two.npy --alpha auto:1 --out x
expect_exit 64 "scad.* a " spca two.npy --penalty scad:1,2 --out x
expect_exit 64 "mcp" spca two.npy --penalty mcp:1,0 --out x
expect_exit 64 "no exact joint prox" spca two.npy --penalty capped-l1:1,1 --out x
expect_exit 64 "no exact joint prox" spca two.npy --penalty lq:1,0.5 --out x
expect_exit 64 "every length" spca two.npy --penalty weighted-l1:1,2 --out x
expect_exit 64 "every length" spca two.npy --penalty group-l1 --out x
expect_exit 64 "did you mean" spca two.npy --penalty l11:1 --out x
expect_exit 64 "prox-bcd or gcg" spca two.npy --method admm-g --out x
expect_exit 64 "mcp" spca two.npy --penalty mcp:1,3 --method gcg --out x
expect_exit 64 "add --out" spca two.npy
expect_exit 64 "does not take --rank" spca two.npy --rank 3 --out x
expect_exit 66 "No such file" spca nothing.npy --out x
expect_exit 73 "exists already.*--force" spca two.npy --out plain
[ ! -e x ]
judge $? "a refused run made its folder"

# A weight beyond every entry: only 0 remains, and it is said.
run "$CREASE" spca two.npy --alpha 100 --components 4 --out none
[ $code -eq 0 ] && [[ $out == *"component 1  nothing found: all 10 starts ended at 0"*"smaller --alpha"* ]]
judge $? "only 0: exit $code, $out $err"
# A limit is told by the exit code; the result is there all the same.
run "$CREASE" spca two.npy --max-iterations 0 --eps 1e-14 --out limit
[ $code -eq 2 ] && [ -s limit/result.json ] && [[ $out == "NOT certified: "*"what may help: "* ]]
judge $? "limit: exit $code, $out $err"
# So is the clock: of 500 components there are fewer, and all that are there were looked for.
run "$CREASE" spca two.npy --components 500 --max-seconds 0.05 --out clock
[ $code -eq 2 ] && [[ $out == *"stopped      after "*" of 500 components"* ]] && $python -c '
import json, numpy as np
r = json.load(open("clock/result.json"))["details"]
k = len(r["components"])
assert r["stopped"] is True and 0 < k < 500
w = np.load("clock/weights.npy")
assert len(w) == 500 and not w[k:].any() and (w[:k - 1] > 0).all()'
judge $? "--max-seconds: exit $code, $out $err"

# Signals: what was found is written, 130 and 143.
for pair in INT:130 TERM:143; do
    signal=${pair%:*} wanted=${pair#*:}
    "$CREASE" spca two.npy --components 3 --eps 0 --max-iterations 2000000000 --out "$signal" \
        >signal.out 2>signal.err &
    child=$!
    sleep 0.5
    kill -s "$signal" $child
    wait $child
    code=$?
    [ "$code" -eq "$wanted" ] && $python -c '
import json, sys
r = json.load(open(sys.argv[1] + "/result.json"))["details"]
assert r["stopped"] is True and len(r["components"]) < 3' "$signal"
    judge $? "SIG$signal: exit $code instead of $wanted, $(cat signal.out signal.err)"
done
finish
