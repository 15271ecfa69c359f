# sharing, consensus: the problem files with nonconvex penalties solve to what the problem without
# the split solves to, and their certificates are VALID
source "$(dirname "$0")/common.bash"
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi

cat >"$scratch/reduced.py" <<'END'
import json, sys
import numpy as np
problem = json.load(open(sys.argv[1]))
load = lambda name: np.load("%s/x_%s.npy" % (sys.argv[2], name))
maps, rhs = problem["constraint"]["maps"], problem["constraint"].get("rhs", 0)
def soft(v, t): return np.sign(v) * np.maximum(abs(v) - t, 0)
def mcp(v, t, lam, g):  # the prox, t < g
    return np.where(abs(v) <= g * lam, soft(v, t * lam) * g / (g - t), v)
def descend(A, slope, prox):
    x, t = np.zeros(A.shape[1]), 1 / np.linalg.norm(A, 2) ** 2
    for _ in range(20000): x = prox(x - t * A.T @ slope(A @ x), t)
    return x
if "u" in maps:
    A = np.hstack([np.array(maps["x1"]), np.array(maps["x2"])])
    x = descend(A, lambda ax: np.clip(ax - rhs, -1, 1),
                lambda v, t: np.concatenate([mcp(v[:3], t, 2, 3), soft(v[3:], t)]))
    found = np.concatenate([load("x1"), load("x2")])
else:
    f = problem["smooth"][0]["least_squares"]
    A = np.array(f["terms"]["x"]) @ -np.array(maps["z"])
    x = descend(A, lambda ax: ax - f["rhs"], lambda v, t: mcp(v, t, 1, 3))
    found = load("z")
    assert np.allclose(load("x"), found, atol=1e-8)
assert np.allclose(found, x, atol=1e-7), (found, x)
assert ((found == 0) == (x == 0)).all() and (found == 0).any()
END
for name in sharing_mcp consensus_mcp; do
    run "$CREASE" solve "examples/problems/$name.json" --quiet --out "$scratch/$name"
    [ $code -eq 0 ] && [[ $out == *"confirmed by the independent checker"* && $out == *"bounds their number (Theorem S"* ]]
    judge $? "$name: exit $code, $out $err"
    run $python "$scratch/reduced.py" "examples/problems/$name.json" "$scratch/$name"
    judge $code "$name is not the solution without the split: $err"
    run "$CREASE" verify "$scratch/$name" --problem "examples/problems/$name.json"
    [ $code -eq 0 ] && [[ $out == VALID* ]]
    judge $? "verify $name: $out $err"
    run "$CREASE" solve "examples/problems/$name.json" --quiet --mode theory --eps 1e-5
    [ $code -eq 0 ] && [[ $out == *"confirmed by the independent checker"* ]]
    judge $? "$name in theory mode: exit $code, $out $err"
done
# X7: a last block that the method cannot use is refused by name.
sed 's/"u": 1/"u": [[1,0,0,0,0,0,0,0],[0,1,0,0,0,0,0,0],[0,0,1,0,0,0,0,0],[0,0,0,1,0,0,0,0],[0,0,0,0,1,0,0,0],[0,0,0,0,0,1,0,0],[0,0,0,0,0,0,1,0],[0,0,0,0,0,0,1,0]]/' \
    examples/problems/sharing_mcp.json >"$scratch/singular.json"
expect_exit 64 "A_N = c I" solve "$scratch/singular.json" --method admm-g
expect_exit 64 "full row rank" solve "$scratch/singular.json" --method admm-m
finish
