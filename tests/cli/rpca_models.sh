# rpca_models: robust PCA with --model tucker, matrix and pcp: every form certified, its files, missing
# entries, merged axes, instances of generate, bad data. The names X1, X2, ... are those of the list
# of inputs that every verb must survive.
source "$(dirname "$0")/common.bash"
here=$(cd "$(dirname "$0")" && pwd)
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
PATH="$(dirname "$CREASE"):$PATH"

spoils="--outliers 0.1 --magnitude 10 --noise 0.01 --seed 3"
run "$CREASE" generate tucker --shape 12,10,9 --rank 2,3,2 $spoils --out t
[ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"rank 2,3,2, 108 outliers, seed 3"* ]]
judge $? "generate tucker: exit $code, $out $err"
run "$CREASE" generate matrix --shape 40,30 --rank 2 $spoils --out m
[ $code -eq 0 ] && [ -z "$err" ]
judge $? "generate matrix: exit $code, $out $err"
run "$CREASE" generate tucker --shape 12,10,9 --rank 2,3,2 $spoils --out t2 --json
[ $code -eq 0 ] && diff -r t t2 >/dev/null && [ "$out" = "$(cat t2/result.json)" ]
judge $? "the same seed gives other files"
$python - <<'END'
import json
import numpy as np
for name, einsum, rank in (("t", "abc,ia,jb,kc->ijk", [2, 3, 2]), ("m", "ab,ia,jb->ij", [2, 2])):
    load = lambda part: np.load("%s/%s.npy" % (name, part))
    about = json.load(open(name + "/result.json"))
    about = dict(about["settings"], **about["details"])
    T, L, E, B, C = (load(k) for k in ("tensor", "lowrank", "sparse", "noise", "core"))
    F = [load("factor_%d" % (n + 1)) for n in range(T.ndim)]
    assert about["ranks"] == rank == list(C.shape) and about["shape"] == list(T.shape)
    assert [np.linalg.matrix_rank(f) for f in F] == rank
    assert np.allclose(L, np.einsum(einsum, C, *F), atol=1e-13)
    assert np.array_equal(T, L + E + B) and (E != 0).sum() == about["outliers"] == T.size // 10
    assert 0.4 < L.std() < 2.5 and abs(B.std() / 0.01 - 1) < 0.1
rng = np.random.RandomState(1)
T, M = np.load("t/tensor.npy"), np.load("m/tensor.npy")
W = (rng.rand(*T.shape) > 0.1).astype(float)
np.save("mask.npy", W); np.save("holes.npy", np.where(W > 0, T, np.nan))
np.save("movie.npy", M.reshape(8, 5, 30))
np.save("turned.npy", T.transpose(2, 0, 1)); np.save("negated.npy", -T)
np.save("large.npy", T * 2.0**20); np.save("little.npy", T * 2.0**-20)
np.save("million.npy", T * 1e6)
np.save("zero.npy", np.zeros((4, 5, 6))); np.save("constant.npy", np.ones((4, 5, 6)))
one = np.zeros((4, 5, 6)); one[1, 2, 3] = -7; np.save("single.npy", one)
np.save("slices.npy", np.repeat(rng.randn(1, 4, 5), 3, 0))
np.save("exact.npy", np.multiply.outer(np.outer([1, 2, 3.], [1, -1, 2, 5]), [2, 1, 4, 3, 1.]))
np.save("one.npy", np.full((1, 1, 1), -2.5)); np.save("thin.npy", rng.randn(1, 9, 1))
np.save("long.npy", rng.randn(9, 1, 1)); np.save("eight.npy", rng.randn(2, 1, 2, 1, 2, 1, 2, 2))
np.save("four.npy", rng.randn(3, 4, 3, 2)); np.save("vector.npy", rng.randn(5))
for name, value in (("nan", np.nan), ("inf", np.inf), ("minus", -np.inf), ("huge", 1e308),
                    ("small", 1e-308)):
    bad = np.zeros((3, 3, 3)); bad[1, 2, 0] = value; np.save(name + ".npy", bad)
np.save("allnan.npy", np.full((2, 2), np.nan))
np.save("denormal.npy", np.full((3, 3), 5e-324)); np.save("mixed.npy", np.diag([1e150, 1e-150]))
with open("beyond.npy", "wb") as f:
    np.lib.format.write_array_header_1_0(
        f, {"descr": "<f8", "fortran_order": False, "shape": (10**5, 10**4, 100)})
END
judge $? "the instances do not fit together"

# good NAME ERROR DATA ARGUMENT...: exit 0, VALID by verify from the files alone, the parts add up,
# the error of the low-rank part below ERROR.
good() {
    local name=$1 most=$2 data=$3
    shift 3
    run "$CREASE" rpca "$data" --out "$name" --quiet "$@"
    [ $code -eq 0 ] && [ -z "$err" ] && [[ $out == *"confirmed by the independent checker"* ]] &&
        $python - "$name" "$most" "$data" <<'END'
import json, sys
import numpy as np
name, most, T = sys.argv[1], float(sys.argv[2]), np.load(sys.argv[3])
r = json.load(open(name + "/result.json"))
d = r["details"]
L, S = np.load(name + "/lowrank.npy"), np.load(name + "/sparse.npy")
assert d["error_lowrank"] is None or d["error_lowrank"] < most, d["error_lowrank"]
assert L.shape == S.shape == T.shape == tuple(d["shape"]) and np.isfinite(L).all()
B = np.load(name + "/noise.npy")
seen = np.isfinite(T) & (np.load("mask.npy") > 0 if "mask" in name else True)
assert B.shape == T.shape and not B[~seen].any()
assert np.allclose((L + S + B)[seen], T[seen], rtol=0, atol=1e-13 * abs(T[seen]).max())
assert d["parts"]["nonzeros"] == (S[seen] != 0).sum() and d["parts"]["observed"] == seen.sum()
if r["model"] != "pcp":
    assert r["settings"]["ranks"] and d["parts"]["threshold"] > 0
    assert np.linalg.norm((T - L - S)[seen]) < 0.3 * np.linalg.norm(T[seen])
END
    judge $? "rpca $data $*: exit $code, $out $err"
    run "$CREASE" verify "$name"
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $name: exit $code, $out $err"
}
# The noise floor is near 0.002 (t) and 0.004 (m); l1 has a bias on top.
good tucker 0.01 t/tensor.npy --model tucker --rank 2,3,2 --truth t
good tucker-mcp 0.005 t/tensor.npy --model tucker --rank 2,3,2 --penalty mcp:1,3 --truth t
good tucker-scad 0.005 t/tensor.npy --model tucker --rank 2,3,2 --penalty scad:1,3.7 --truth t
run "$CREASE" generate matrix --shape 60,50 --rank 3 --outliers 0.01 --magnitude 10 --noise 0.01 \
    --seed 1 --out easy
good auto 0.01 easy/tensor.npy --model matrix --truth easy
$python -c 'import json; assert json.load(open("auto/result.json"))["settings"]["ranks"] == [3, 3]'
judge $? "--rank auto"
good spare 0.01 t/tensor.npy --model tucker --rank 3,4,4 --truth t
good pruned 0.01 t/tensor.npy --model tucker --rank 3,4,4 --prune --truth t
good found 0.01 t/tensor.npy --model tucker --truth t
run "$CREASE" rpca t/tensor.npy --model tucker --rank 3,4,4 --out told --quiet
[[ $out == *"kept         2 x 3 x 2; 4 directions were noise, and the columns are 0"*"mode 1, "*"size "*", noise "* ]]
judge $? "what was cut is told: $out"
run "$CREASE" rpca t/tensor.npy --model tucker --out told --force --quiet
[[ $out == *"ranks        2 x 3 x 2, chosen: of the directions of a core of "*"larger than noise"* ]]
judge $? "the reason of the ranks is told: $out"
$python - <<'EOF'
import json, numpy as np
at = {k: json.load(open(k + "/result.json"))["details"] for k in ("spare", "pruned", "found")}
assert at["spare"]["rank_asked"] == at["spare"]["rank"] == at["pruned"]["rank_asked"] == [3, 4, 4]
assert at["spare"]["terms"] == at["pruned"]["terms"] == at["pruned"]["rank"] == [2, 3, 2]
assert sorted(c["mode"] for c in at["spare"]["pruned"]) == [1, 2, 3, 3]
assert all(c["reason"] and c["size"] >= 0 and c["noise"] > 0 for c in at["spare"]["pruned"])
assert at["found"]["rank_asked"] is None and at["found"]["rank"] == [2, 3, 2]
assert "larger than noise" in at["found"]["rank_reason"]
assert at["spare"]["rank_reason"] is None
core, factor = np.load("spare/core.npy"), np.load("spare/factor_1.npy")
assert core.shape == (3, 4, 4) and not core[2].any() and not factor[:, 2].any()
EOF
judge $? "asked, kept and cut are in result.json"
good tucker-alpha 0.02 t/tensor.npy --model tucker --rank 2,3,2 --alpha 0.05 --truth t
good tucker-holes 0.01 holes.npy --model tucker --rank 2,3,2 --missing nan --truth t
good tucker-mask 0.01 t/tensor.npy --model tucker --rank 2,3,2 --mask mask.npy --truth t
$python -c '
import numpy as np
a, b = np.load("tucker-holes/lowrank.npy"), np.load("tucker-mask/lowrank.npy")
assert np.allclose(a, b, atol=1e-12)'
judge $? "--mask is not --missing nan"
good matrix 0.015 m/tensor.npy --model matrix --rank 2 --truth m
good matrix-mcp 0.008 m/tensor.npy --model matrix --rank 2 --penalty mcp:1,3 --truth m
good eta 0.015 m/tensor.npy --model matrix --rank 2 --eta auto --truth m
good eta-given 0.015 m/tensor.npy --model matrix --rank 2 --eta 0.2 --truth m
good movie 0.008 movie.npy --model matrix --rank 2 --merge 0,1 --penalty mcp:1,3
good pcp 0.5 m/tensor.npy --model pcp --eps 1e-8 --truth m
cmp -s <($python -c 'import numpy as np; print(np.load("movie/lowrank.npy").ravel())') \
    <($python -c 'import numpy as np; print(np.load("matrix-mcp/lowrank.npy").ravel())')
judge $? "--merge is not the merged matrix"
good cut 0.02 m/tensor.npy --model matrix --rank 2 --method admm-m --alpha 0.05 --truth m

# A ridge on both factors: CP of order 2, the nuclear-norm model.
run "$CREASE" rpca m/tensor.npy --model matrix --rank 2 --ridge 0.01 --truth m --out ridge --quiet
[ $code -eq 0 ] && [ -s ridge/factor_2.npy ] && [ -s ridge/result.json ]
judge $? "--ridge: exit $code, $out $err"
run "$CREASE" rpca m/tensor.npy --rank 2 --ridge 0.01 --out cp --quiet
cmp -s ridge/factor_1.npy cp/factor_1.npy
judge $? "--model matrix --ridge is not --model cp --ridge"
expect_exit 65 "3 dimensions and --model matrix with --ridge is of matrices" \
    rpca t/tensor.npy --model matrix --ridge 1 --rank 2 --out x --quiet

# Convex principal component pursuit agrees with an independent method.
run "$CREASE" generate matrix --shape 25,20 --rank 2 --outliers 0.1 --magnitude 5 --noise 0 \
    --seed 2 --out g
run "$CREASE" rpca g/tensor.npy --model pcp --eps 1e-8 --truth g --out pcp2 --quiet
[ $code -eq 0 ]
judge $? "pcp: exit $code, $out $err"
run $python "$here/pcp_alm.py" pcp pcp2
[ $code -eq 0 ]
judge $? "inexact ALM: $out $err"

# A changed file is found out; the same command gives the same bytes; --json is the document.
cp -r matrix spoilt
$python -c '
import numpy as np
x = np.load("spoilt/factor_1.npy"); x[0, 0] += 0.5; np.save("spoilt/factor_1.npy", x)'
! cmp -s matrix/factor_1.npy spoilt/factor_1.npy
judge $? "nothing was changed"
run "$CREASE" verify spoilt
[ $code -eq 1 ] && [[ $out == INVALID* ]]
judge $? "a changed factor passes: $code $out $err"
cp -r matrix spoilt2
$python -c '
import numpy as np
x = np.load("spoilt2/sparse.npy"); x[0, 0] += 1; np.save("spoilt2/sparse.npy", x)'
run "$CREASE" verify spoilt2
[ $code -ne 0 ] && [[ $out$err != VALID* ]]
judge $? "a changed sparse part passes: $code $out $err"
cp m/tensor.npy moved.npy
run "$CREASE" rpca moved.npy --model matrix --rank 2 --out spoilt3 --quiet
$python -c '
import numpy as np
x = np.load("moved.npy"); x[0, 0] += 1; np.save("moved.npy", x)'
run "$CREASE" verify spoilt3
[ $code -ne 0 ] && [[ $out$err != VALID* ]]
judge $? "changed data pass: $code $out $err"
# A fit that cannot end goes on as a problem in blocks, whose folder holds it.
run "$CREASE" rpca m/tensor.npy --model matrix --rank 2 --eps 1e-300 --max-iterations 2 --truth m --out blocks --quiet
[ $code -eq 2 ] && [ -s blocks/problem.json ] && [ -s blocks/lowrank.npy ] && [ ! -e matrix/problem.json ]
judge $? "a fit that cannot end: exit $code, $out $err"
run "$CREASE" rpca m/tensor.npy --model matrix --rank 2 --eps 1e-300 --max-iterations 2 --json --quiet
[ $code -eq 2 ] && [ -z "$(find . -maxdepth 1 -name "*.tmp")" ]
judge $? "a fit that cannot end, --json: exit $code, $err"
run "$CREASE" rpca t/tensor.npy --model tucker --rank 2,3,2 --truth t --out again --json --quiet
cmp -s tucker/lowrank.npy again/lowrank.npy && printf '%s' "$out" | $python -c '
import json, sys
d = json.load(sys.stdin)
r = json.load(open("again/result.json"))
assert d == r and r["settings"]["ranks"] == [2, 3, 2] and d["model"] == "tucker" and d["passes"] > 0
assert r["details"]["error_lowrank"] < 0.01'
judge $? "--json: exit $code, $out $err"
for model in "tucker --rank 2,3,2" "matrix --rank 3 --merge 0,1"; do
    run "$CREASE" rpca t/tensor.npy --model $model --out also --force --json --quiet --log-csv log.csv
    whole=$out
    [ "$(head -n 1 log.csv)" = "$(head -n 1 also/history.csv)" ]
    judge $? "--log-csv of $model"
    run env TMPDIR="$scratch" "$CREASE" rpca t/tensor.npy --model $model --json --quiet
    [ $code -eq 0 ] && [ -z "$err" ] && alike "$whole" "$out"
    judge $? "--json alone of $model: exit $code, $err"
done
[ -z "$(find . -maxdepth 1 -name "*.tmp")" ]
judge $? "--json alone leaves a folder behind"

# X1: what is not finite is named.
expect_exit 65 "is nan" rpca nan.npy --model tucker --rank 1 --out x --quiet
for model in "matrix --rank 1" pcp; do
    expect_exit 65 "is nan" rpca allnan.npy --model $model --out x --quiet
done
expect_exit 65 "at 2,3,1.* is nan|is nan.*at 2,3,1" rpca nan.npy --model tucker --rank 1 --out x
expect_exit 65 "is inf" rpca inf.npy --model tucker --rank 1 --out x
expect_exit 65 "is -inf" rpca minus.npy --model tucker --rank 1 --out x
run "$CREASE" rpca allnan.npy --model tucker --rank 1 --missing nan --out x --quiet
[ $code -eq 65 ]
judge $? "X1 nothing observed: exit $code, $out $err"
# X2: never a silent NaN.
for data in huge small denormal mixed; do
    run "$CREASE" rpca $data.npy --model tucker --rank 1 --out extreme --force --quiet
    case $code in
    0 | 2 | 3)
        $python -c '
import numpy as np
assert np.isfinite(np.load("extreme/lowrank.npy")).all()'
        judge $? "X2 $data: exit $code, $out $err"
        ;;
    65) [ -n "$err" ]; judge $? "X2 $data: no word" ;;
    *) fail "X2 $data: exit $code, $out $err" ;;
    esac
done
# X3: zeros have a zero low-rank part.
run "$CREASE" rpca zero.npy --model tucker --rank 2 --out zeros --quiet
[ $code -eq 0 ] && $python -c '
import numpy as np
for name in ("lowrank", "sparse", "noise"): assert not np.load("zeros/%s.npy" % name).any()'
judge $? "X3: exit $code, $out $err"
# X4, X5: constant, one entry, equal slices, rank one; sizes 1, orders 3, 4, 8.
for data in constant single slices exact one thin long eight four; do
    run "$CREASE" rpca $data.npy --model tucker --rank 1 --out degenerate --force --quiet
    [ $code -eq 0 ] && [[ $out == *"confirmed by the independent checker"* ]] && [ -z "$err" ]
    judge $? "X4, X5 $data: exit $code, $out $err"
done
expect_exit 65 "1 dimension" rpca vector.npy --model tucker --rank 1 --out x
for model in pcp matrix "matrix --eta 1"; do
    expect_exit 65 "of matrices" rpca t/tensor.npy --model $model --out x
done
# X6: ranks of 0, beyond a mode, of the wrong number, beyond the product of the others.
expect_exit 64 "whole number" rpca t/tensor.npy --model tucker --rank 0 --out x
expect_exit 64 "whole number" rpca t/tensor.npy --model tucker --rank 2,3 --out x
expect_exit 64 "whole number" rpca t/tensor.npy --model tucker --rank 2,3,10 --out x
expect_exit 64 "product of the other" rpca t/tensor.npy --model tucker --rank 5,2,2 --out x
expect_exit 71 "needs .* of memory and .* are free" \
    rpca beyond.npy --model tucker --rank 2 --out x
# X8, X12: numbers outside their ranges, options that do not go together.
expect_exit 64 "alpha" rpca m/tensor.npy --model matrix --alpha 0 --out x
expect_exit 64 "alpha" rpca m/tensor.npy --model matrix --alpha nan --out x
expect_exit 64 "eta" rpca m/tensor.npy --model matrix --eta=-1 --out x
expect_exit 64 "eps" rpca m/tensor.npy --model matrix --eps -1 --out x
expect_exit 64 "--eta is read by --model matrix; this run uses --model tucker" rpca t/tensor.npy --model tucker --eta 1 --out x
expect_exit 64 "--eta is read by --model matrix; .* with --ridge" \
    rpca m/tensor.npy --model matrix --eta 1 --ridge 1 --out x
for option in "--rank 2" "--penalty mcp:1,3" "--alpha-noise 2" "--missing nan" "--threads 1"; do
    expect_exit 64 "${option% *} is read by .*; this run uses --model pcp" \
        rpca m/tensor.npy --model pcp $option --out x
done
expect_exit 64 "mcp" rpca m/tensor.npy --model matrix --penalty mcp:1,0 --out x
expect_exit 64 "by entries" rpca m/tensor.npy --model matrix --rank 2 --penalty group-l1 --out x
expect_exit 64 "cp, tucker, matrix or pcp" rpca m/tensor.npy --model tocker --out x
expect_exit 64 "--nonneg is read by --model cp.*uses --model matrix" rpca m/tensor.npy --model matrix --nonneg --out x
expect_exit 64 "--missing is read by --model cp, --model tucker.*uses --model matrix with --eta" \
    rpca holes.npy --model matrix --merge 0,1 --eta 1 --rank 2 --missing nan --out x
expect_exit 64 "write --missing nan" rpca m/tensor.npy --model matrix --missing 0 --out x
expect_exit 64 "add --out" rpca m/tensor.npy --model matrix --rank 2
expect_exit 66 "No such file" rpca nothing.npy --model matrix --rank 2 --out x
expect_exit 73 "exists already.*--force" rpca m/tensor.npy --model matrix --rank 2 --out matrix
mkdir other && touch other/letter
expect_exit 73 "other" rpca m/tensor.npy --model matrix --rank 2 --out other --force
[ -e other/letter ]
judge $? "--force removed a stranger's file"
for kind in tucker matrix; do
    expect_exit 64 "shape is missing" generate $kind --rank 2 --out x
    expect_exit 64 "rank is missing" generate $kind --shape 4,5 --out x
    expect_exit 64 "whole number" generate $kind --shape 4,5 --rank 5 --out x
    expect_exit 64 "fraction of outliers" generate $kind --shape 4,5 --rank 2 --outliers 2 --out y
done
expect_exit 64 "give two" generate matrix --shape 4,5,6 --rank 2 --out x
[ ! -e x ] && [ -z "$(find . -maxdepth 1 -name '.*' ! -name .)" ]
judge $? "a refused run left something behind: $(ls -A)"

# X16: what is done to the data is done to the result.
$python - "$CREASE" <<'END'
import subprocess, sys
import numpy as np
def lowrank(data, rank="2,3,2", penalty=("mcp:1,3",)):
    subprocess.run([sys.argv[1], "rpca", data + ".npy", "--model", "tucker", "--rank", rank,
                    "--penalty", *penalty, "--eps", "1e-11", "--out", "meta", "--force",
                    "--quiet"], stdout=subprocess.DEVNULL, check=True)
    return np.load("meta/lowrank.npy")
plain = lowrank("t/tensor")
size = np.linalg.norm(plain)
for data, scale in (("negated", -1), ("large", 2.0**20), ("little", 2.0**-20)):
    off = np.linalg.norm(lowrank(data) / scale - plain)
    assert off < 1e-8 * size, (data, off / size)
off = np.linalg.norm(lowrank("million") / 1e6 - plain)
assert off < 1e-8 * size, ("million", off / size)
fixed = ("mcp:0.03,3", "--alpha", "1")  # what is learned depends on the way there, which differs
off = np.linalg.norm(lowrank("turned", "2,2,3", fixed).transpose(1, 2, 0) -
                     lowrank("t/tensor", "2,3,2", fixed))
assert off < 1e-8 * size, ("turned", off / size)
END
judge $? "X16: metamorphic"

# A video whose pixels are one axis is tall: its rows are eliminated, whatever the number of threads. Both models of
# a matrix are certified, at one objective where both keep the rank.
$python - <<'END'
import numpy as np
rng = np.random.RandomState(4)
y, x = np.mgrid[:18, :20]
scene = (90 + 3 * x + 20 * np.sin(y / 3.0))[:, :, None] + 4 * np.cos(x)[:, :, None] * np.sin(np.arange(30) / 4.0)
scene += rng.normal(size=scene.shape)
for k in range(30):
    scene[5:9, (k // 2) : (k // 2) + 4, k] = 220
np.save("video.npy", np.rint(scene))
END
for threads in 1 2; do
  run "$CREASE" rpca video.npy --merge 0,1 --rank 2 --alpha 2 --threads $threads --out video$threads --quiet
  [ $code -eq 0 ] && [ -z "$err" ]
  judge $? "video, $threads threads: exit $code, $out $err"
done
cmp -s video1/lowrank.npy video2/lowrank.npy
judge $? "the number of threads changes a video's background"
for model in cp matrix; do
  run "$CREASE" rpca video.npy --merge 0,1 --model $model --rank 1 --alpha 2 --out video_$model --quiet
  [ $code -eq 0 ] && [ -z "$err" ]
  judge $? "video, $model: exit $code, $out $err"
done
$python - <<'END'
import json
F = [json.load(open("video_%s/result.json" % k))["objective"] for k in ("cp", "matrix")]
assert abs(F[0] / F[1] - 1) < 1e-6, F
END
judge $? "the two models of a video have other objectives"

# A limit is told by the exit code; the result is there all the same.
run "$CREASE" rpca m/tensor.npy --model pcp --max-iterations 1 --out limit --quiet
[ $code -eq 2 ] && [ -s limit/result.json ]
judge $? "limit: exit $code, $out $err"
finish
