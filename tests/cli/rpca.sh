# rpca: certified results on small tensors, their files, every method, bad data
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 10,20,30 --rank 3 --seed 1 --out g >/dev/null

# solved NAME ARGUMENT...: exit 0, and the error of the low-rank part below 0.01.
solved() {
    local name=$1
    shift
    run "$CREASE" rpca --quiet g/tensor.npy --truth g --out "$name" "$@"
    $python - "$name" <<'END' && [ $code -eq 0 ] && [ -z "$err" ]
import json, sys
r = json.load(open(sys.argv[1] + "/result.json"))
d = r["details"]
assert d["errors"]["lowrank"] < 0.01, d["errors"]
assert r["outcome"] == "stationary" and r["verdict"] == "VALID" and r["exit_status"] == 0
assert d["certificate"]["worst_relative"] == r["residual"] <= r["eps"] == 1e-6
END
    judge $? "rpca $*: exit $code, $out $err"
}
solved plain
[[ $out == *"  components   3, chosen: error on held-out entries "*"2 leaves "*"4 is no better"* &&
    $out == *"  outliers "*"  noise "*"  fit "*"  certified "*"the steps of envelope"* ]]
judge $? "the summary: $out"
solved admm-g --method admm-g --rank 3
[[ $out == *"a theorem bounds the steps of admm-g"* ]]
judge $? "admm-g: $out"
solved admm-m --method admm-m --rank 3 --penalty mcp:1,2
solved bcd --method bcd --rank 3 --init hosvd
[[ $out == *"no theorem bounds the steps of bcd"* ]]
judge $? "bcd: $out"
solved prox-bcd --method prox-bcd --rank 3 --penalty scad:1,3.7
solved theory --mode theory --rank 3
solved random --init random --rank 3 --seed 4
solved warm --init plain
solved truth --init g --rank 3
solved groups --penalty group-l1 --groups fibres:2 --rank 3
solved slices --penalty group-l1:0.5 --groups slices:0 --rank 3
solved capped --penalty capped-l1:1,0.5 --rank 3 --ridge 1e-3
# A tiny alpha: a random start is not the answer. A penalty that ends flat: every multiplier vanishes.
run "$CREASE" rpca g/tensor.npy --rank 3 --alpha 1e-6 --init random --method admm-g --max-iterations 20 \
    --quiet --out tiny
[[ $code -eq 2 && $out == "NOT certified: iteration limit"*"asked 1e-06"*"--max-iterations"* ]]
judge $? "alpha 1e-6 from a random start: exit $code, $out"
"$CREASE" generate cp --shape 10,12,14 --rank 3 --outliers 0.05 --magnitude 10 --seed 1 --out far >/dev/null
run "$CREASE" rpca far/tensor.npy --rank 3 --penalty group-mcp:1,3 --groups slices:0 --max-iterations 300 \
    --quiet --out flat
[[ $code -eq 0 && $out == *"confirmed by the independent checker"* ]] && grep -q '"objective": 8.01783' flat/result.json
judge $? "group-mcp by slices: exit $code, $out"
solved merged --merge 0,1

# The parts: they add up, the components are normalized, the low-rank part is theirs.
$python - <<'END'
import json
import numpy as np
def parts(folder): return {k: np.load("%s/%s.npy" % (folder, k)) for k in
                           ("lowrank", "sparse", "noise", "z", "weights")}
T = np.load("g/tensor.npy")
p, r = parts("plain"), json.load(open("plain/result.json"))
d = r["details"]
F = [np.load("plain/factor_%d.npy" % n) for n in (1, 2, 3)]
assert np.allclose(p["lowrank"] + p["sparse"] + p["noise"], T, rtol=0, atol=1e-14 * abs(T).max())
assert d["parts"]["nonzeros"] == (p["sparse"] != 0).sum() and d["parts"]["observed"] == T.size
rest = abs(T - p["lowrank"])[p["sparse"] != 0]
assert abs(d["parts"]["threshold"] - rest.min()) < 1e-12 * abs(T).max()
assert np.allclose(p["lowrank"], np.einsum("r,ir,jr,kr->ijk", p["weights"], *F), atol=1e-12)
for f in F: assert np.allclose((f * f).sum(0), 1)
assert (np.diff(p["weights"]) <= 0).all() and (p["weights"] > 0).all()
assert (p["sparse"] != 0).sum() < 60 # 6 outliers, and what of the noise is beyond 3 deviations
E, Z, L = p["sparse"], p["z"], p["lowrank"]
B = T - E - Z
weight = float(r["settings"]["penalty"].split(":")[1])
value = ((Z - L) ** 2).sum() + weight * abs(E).sum() + (B ** 2).sum()
assert abs(value - r["objective"]) < 1e-8 * value
assert r["settings"]["alpha"] == 1 and weight == d["pilot"]["threshold"]
assert abs(weight - 3 * d["pilot"]["deviation"]) < 1e-12 and d["pilot"]["share"] < 0.01
ranks = [row["rank"] for row in d["rank_table"]]
assert {2, 3, 4} <= set(ranks) and ranks == sorted(ranks) and r["settings"]["rank_chosen"] is True
assert set(d["rank_table"][0]) == {"rank", "held_out", "loss", "gain", "error",
                                   "gain_errors", "fitted", "consistency", "congruence", "objective"}
row = {row["rank"]: row for row in d["rank_table"]}
for one in row.values():
    if one["gain"] is None: continue
    assert abs(one["gain_errors"] - one["gain"] / one["error"]) < 1e-9 * abs(one["gain_errors"])
    assert (one["gain"] > max(0.02, 2 * one["error"])) == (one["rank"] <= 3), one
assert d["rank_predicts"] == d["rank_reproduces"] == 3 and row[3]["congruence"] > 0.95
assert d["rank_reason"].startswith("3 terms predict held-out data"), d["rank_reason"]
known = json.load(open("truth/result.json"))["details"]
assert known["rank_table"] is None and known["rank_reason"] is None
assert known["rank_predicts"] is None and known["rank_reproduces"] is None
paper = json.load(open("admm-g/result.json"))["settings"]["alpha"]
assert abs(paper - 2 / np.sqrt(30)) < 1e-15
names = [b["name"] for b in d["certificate"]["residuals"]]
assert names == ["X1", "X2", "X3", "E", "Z", "B", "feasibility"], names
assert d["analysis"]["guarantee"] is False and d["analysis"]["method"] == "envelope"
theory = json.load(open("theory/result.json"))["details"]["analysis"]
assert theory["guarantee"] is True and theory["theorem"].startswith("R2")
for name in ["admm-g", "admm-m", "prox-bcd", "bcd", "groups", "theory"]:
    audit = json.load(open(name + "/result.json"))["details"]["audit"]
    assert audit["violations"] == 0 == audit["worst"] and audit["note"] == "", audit
    assert (audit["accelerated"] > 0) == (name != "theory"), (name, audit)
assert parts("merged")["lowrank"].shape == (10, 20, 30)
assert np.load("merged/factor_1.npy").shape == (200, 3)
assert json.load(open("merged/result.json"))["details"]["model_shape"] == [200, 30]
rng = np.random.RandomState(0)
hole = rng.rand(*T.shape) < 0.2
N = T.copy(); N[hole] = np.nan
np.save("holes.npy", N); np.save("mask.npy", (~hole).astype(float))
np.save("zero.npy", 0 * T); np.save("one.npy", T * 0 + 1); np.save("vector.npy", T[0, 0])
np.save("thin.npy", T[:1]); np.save("single.npy", np.full((1, 1, 1), 2.5))
bad = T[:3, :3, :3].copy()
bad[1, 2, 0] = np.nan; np.save("nan.npy", bad)
bad[1, 2, 0] = np.inf; np.save("inf.npy", bad)
np.save("halves.npy", np.ones(T.shape) / 2); np.save("other.npy", np.ones((3, 3)))
np.save("positive.npy", np.einsum("ir,jr,kr->ijk", *[rng.rand(n, 2) for n in (8, 9, 10)]))
with open("huge.npy", "wb") as f:
    np.lib.format.write_array_header_1_0(
        f, {"descr": "<f8", "fortran_order": False, "shape": (10**5, 10**4, 100)})
END
judge $? "the parts"

# Missing entries, by nan and by a mask: the same problem.
run "$CREASE" rpca --quiet holes.npy --missing nan --rank 3 --truth g --out holes --json
[ $code -eq 0 ] && [ "$out" = "$(cat holes/result.json)" ]
judge $? "--missing nan: exit $code, $err"
for more in "" "--penalty group-l1 --groups slices:0 --relative 0 --max-iterations 3"; do
    run "$CREASE" rpca --quiet holes.npy --missing nan --rank 3 $more --out alone --force --json
    whole=$out status=$code
    run "$CREASE" rpca --quiet holes.npy --missing nan --rank 3 $more --json
    [ $code -eq $status ] && alike "$whole" "$out"
    judge $? "--json without --out $more: exit $code, $err"
done
mkdir kept
expect_exit 66 "No such file" rpca --quiet nothing.npy --rank 3 --out kept
[ -d kept ] && [ ! -e x ]
judge $? "a folder that was there stays"
expect_exit 64 "exclude each other" rpca g/tensor.npy --quiet --verbose --out x
expect_exit 64 "add --out" rpca g/tensor.npy --force --json
run "$CREASE" rpca --quiet g/tensor.npy --mask mask.npy --rank 3 --truth g --out masked
[ $code -eq 0 ] && cmp -s holes/lowrank.npy masked/lowrank.npy
judge $? "--mask: exit $code, $err"
$python -c '
import json, numpy as np
r = json.load(open("holes/result.json"))["details"]
assert r["errors"]["lowrank"] < 0.01 and r["missing"] == np.isnan(np.load("holes.npy")).sum()
assert (np.load("holes/noise.npy")[np.isnan(np.load("holes.npy"))] == 0).all()'
judge $? "the low-rank part with missing entries"

# Degenerate data end certified.
for data in "zero.npy" "one.npy" "one.npy --rank 4" "thin.npy --rank 5" "single.npy --rank 3"; do
    run "$CREASE" rpca --quiet $data --out degenerate --force
    [ $code -eq 0 ] && [ -z "$err" ]
    judge $? "$data: exit $code, $out $err"
done
run "$CREASE" rpca --quiet zero.npy --rank 2 --out zeros
$python -c '
import numpy as np
for name in ("factor_1", "factor_3", "weights", "lowrank", "sparse"):
    assert not np.load("zeros/%s.npy" % name).any()'
judge $? "zeros have zero factors"
run "$CREASE" rpca --quiet positive.npy --rank 2 --nonneg --ridge 1e-3 --alpha 0.4 \
    --out nonneg
[ $code -eq 0 ] && $python -c '
import numpy as np
for n in (1, 2, 3): assert (np.load("nonneg/factor_%d.npy" % n) >= 0).all()'
judge $? "--nonneg: exit $code, $err"

# A limit is told by the exit code; the result is there all the same.
run "$CREASE" rpca --quiet g/tensor.npy --rank 3 --max-iterations 2 --init random --out limit
[ $code -eq 2 ] && [ -s limit/result.json ] && [[ $out == *"iteration limit"* ]]
judge $? "limit: exit $code, $out"
run "$CREASE" rpca --quiet g/tensor.npy --rank 3 --mode paper --truth g --out paper
[ $code -eq 2 ] && [[ $out == "NOT certified: "* ]] && grep -q '"mode": "paper"' paper/result.json
judge $? "paper mode: exit $code, $out"

# Mistakes.
expect_exit 73 "exists already.*--force" rpca g/tensor.npy --rank 3 --out plain
expect_exit 64 "add --out" rpca g/tensor.npy
expect_exit 64 "lost in the rounding" rpca g/tensor.npy --rank 3 --alpha_noise 1e12 --out x
expect_exit 64 "rank 0" rpca g/tensor.npy --rank 0 --out x
expect_exit 64 "does not suit" rpca g/tensor.npy --method gcg --out x
expect_exit 64 "lsp:lambda,theta" rpca g/tensor.npy --penalty lsp --out x
expect_exit 64 "did you mean" rpca g/tensor.npy --penalty l11:1 --out x
expect_exit 64 "no groups" rpca g/tensor.npy --groups fibres:1 --out x
expect_exit 64 "axes 0 to 2" rpca g/tensor.npy --penalty group-l1 --groups fibres:3 --out x
expect_exit 64 "whole number" rpca g/tensor.npy --penalty group-l1 --groups slices:x --out x
expect_exit 64 "alpha 0 is outside" rpca g/tensor.npy --alpha 0 --out x
expect_exit 64 "alpha-noise -1" rpca g/tensor.npy --alpha-noise -1 --out x
expect_exit 64 "ridge" rpca g/tensor.npy --ridge inf --out x
expect_exit 64 "missing nan" rpca g/tensor.npy --missing 0 --out x
expect_exit 64 "neighbouring" rpca g/tensor.npy --merge 0,2 --out x
expect_exit 64 "eps" rpca g/tensor.npy --eps -1 --out x
expect_exit 65 "1 dimension" rpca vector.npy --out x
expect_exit 65 "entry 16 .at 2,3,1. of the tensor is nan" rpca nan.npy --rank 1 --out x
expect_exit 65 "entry 16 .at 2,3,1. of the tensor is inf" rpca inf.npy --missing nan --out x
expect_exit 65 "entry 1 .* of the mask is 0.5" rpca g/tensor.npy --mask halves.npy --rank 1 --out x
expect_exit 65 "shape of the data" rpca g/tensor.npy --mask other.npy --out x
expect_exit 65 "factor 1 must be 10 x 2" rpca g/tensor.npy --init plain --rank 2 --out x
expect_exit 66 "No such file" rpca nothing.npy --out x
expect_exit 66 "lowrank.npy" rpca g/tensor.npy --truth nowhere --out x
expect_exit 66 "factor_1.npy" rpca g/tensor.npy --init nowhere --out x
expect_exit 71 "takes at least .* and --memory allows 1 GB; allow more" rpca huge.npy --memory 1G --out x
expect_exit 71 "are free" rpca g/tensor.npy --rank 16000000 --out x
[ ! -e x ]
judge $? "a refused run made its folder"

# --truth: cosines of the terms with the true factors, those that are there.
mkdir cosines && cd cosines || exit 1
"$CREASE" generate cp --shape 10,20,30 --rank 3 --outliers 0.05 --seed 1 --out g >/dev/null

run "$CREASE" rpca --quiet g/tensor.npy --rank 3 --truth g --out found
[ $code -eq 0 ] && [ "$(grep -c '^  cosines      mode [123]: [01]\.[0-9]* [01]\.[0-9]* [01]\.[0-9]*$' <<<"$out")" -eq 3 ]
judge $? "the cosines: exit $code, $out $err"

# Amounts alone, as they are known of measurements, of which there are more than were asked for.
mkdir amounts && cp g/factor_1.npy amounts
run "$CREASE" rpca --quiet g/tensor.npy --rank 2 --truth amounts --out fewer
[ $code -eq 0 ] && [[ $out == *"cosines      mode 1:"* && $out != *"mode 2:"* && $out != *errors* ]]
judge $? "one factor: exit $code, $out $err"

$python - <<'END'
import itertools, json
import numpy as np
def unit(f): return f / np.linalg.norm(f, axis=0)
T = [unit(np.load("g/factor_%d.npy" % n)) for n in (1, 2, 3)]
X = [np.load("found/factor_%d.npy" % n) for n in (1, 2, 3)]
C = [abs(t.T @ x) for t, x in zip(T, X)]
P = C[0] * C[1] * C[2]
best = max(itertools.permutations(range(3)), key=lambda p: sum(P[k, p[k]] for k in range(3)))
r = json.load(open("found/result.json"))["details"]
assert np.allclose(r["cosines"], [[c[k, best[k]] for c in C] for k in range(3)], atol=1e-12)
assert np.min(r["cosines"]) > 0.999
few = json.load(open("fewer/result.json"))["details"]
assert few["errors"] is None and [c[1:] for c in few["cosines"]] == [[None, None]] * 3
assert sum(c[0] == 0 for c in few["cosines"]) == 1
np.save("amounts/factor_2.npy", np.ones((20, 4)))
END
judge $? "the cosines by their definition"

expect_exit 65 "factor_2.npy must have 20 rows" rpca g/tensor.npy --rank 3 --truth amounts --out x
run "$CREASE" rpca --quiet g/tensor.npy --rank 3 --merge 0,1 --truth g --out merged
[[ $out == *errors* && $out != *cosines* ]]
judge $? "merged axes have no true factor: exit $code, $out $err"
[ ! -e x ]
judge $? "a refused run made its folder"
finish
