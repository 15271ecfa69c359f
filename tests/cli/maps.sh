# maps: a problem with a transform, a convolution, a gradient or several groups of rows has the answer
# of the same problem with the matrix that NumPy makes of the definition
source "$(dirname "$0")/common.bash"
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
cd "$scratch" || exit 1
$python - <<'PY'
import itertools, json
import numpy as np

rng = np.random.default_rng(5)
n = (8, 6)
size, cells = 48, list(itertools.product(range(8), range(6)))
at = {cell: k for k, cell in enumerate(cells)}
image = np.zeros(n); image[2:6, 1:4] = 3; image[5:, 3:] = -2
data = image + 0.3 * rng.normal(size=n)
kernel = np.outer([1, 2, 1], [1, 3, 1]) / 20


def matrix_of(rule):
    a = np.zeros((size, size))
    for t in cells:
        for s in itertools.product(range(3), range(3)):
            source = rule(tuple(t[i] - s[i] + 1 for i in range(2)))
            if source in at: a[at[t], at[source]] += kernel[s]
    return a


def cosine(m):
    c = np.cos(np.pi * np.outer(np.arange(m), 2 * np.arange(m) + 1) / (2 * m)) * np.sqrt(2 / m)
    c[0] /= np.sqrt(2)
    return c


def daubechies(m):  # one level of Daubechies' four coefficients
    q = np.sqrt(3)
    h = np.array([1 + q, 3 + q, 3 - q, 1 - q]) / (4 * np.sqrt(2))
    w = np.zeros((m, m))
    for k in range(m // 2):
        for i in range(4):
            w[k, (2 * k + i) % m] += h[i]
            w[m // 2 + k, (2 * k + i) % m] += (-1) ** i * h[3 - i]
    return w


rows = [(a, b) for axis in (0, 1) for a in cells
        for b in [tuple(a[i] + (i == axis) for i in range(2))] if b in at]
gradient = np.zeros((len(rows), size))
for k, (a, b) in enumerate(rows): gradient[k, at[a]], gradient[k, at[b]] = -1, 1
left, right = rng.normal(size=(5, 8)), rng.normal(size=(4, 6))
u, v = rng.normal(size=(20, 3)), rng.normal(size=(48, 3))
dct, wave = np.kron(cosine(8), cosine(6)), np.kron(daubechies(8), daubechies(6))
k = kernel.tolist()
fits = {
    "circular": ({"circular-convolution": {"kernel": k, "origin": [1, 1]}}, matrix_of(lambda t: (t[0] % 8, t[1] % 6))),
    "convolution": ({"convolution": {"kernel": k}}, matrix_of(lambda t: t)),
    "dct": ({"composition": {"outer": {"mask": [[int(j % 3 > 0) for j in range(6)]] * 8}, "inner": {"dct": {}}}},
            np.diag([float(c[1] % 3 > 0) for c in cells]) @ dct),
    "synthesis": ({"transposed": {"map": {"wavelet": {"levels": 1}}, "shape": list(n)}}, wave.T),
    "kronecker": ({"kronecker": {"left": left.tolist(), "right": right.tolist()}}, np.kron(left, right)),
    "low-rank": ({"low-rank": {"u": u.tolist(), "v": v.tolist()}}, u @ v.T),
    "stack": ({"stack": {"maps": [{"gradient": {}}, {"scaled": {"scale": 0.5, "map": {"dct": {}}}}]}},
              np.vstack([gradient, 0.5 * dct])),
}


def write(name, kind, problem):
    json.dump({"crease": 1, "options": {"eps": 1e-8}, **problem}, open(f"{name}.{kind}.json", "w"))


for name, (quick, a) in fits.items():
    b = a @ image.ravel() + 0.05 * rng.normal(size=len(a))
    for kind, form in ("map", quick), ("matrix", a.tolist()):
        shape = {size: n, 20: (5, 4)}.get(len(b), (-1,)) if kind == "map" and name != "low-rank" else (-1,)
        write(name, kind, {"blocks": [{"name": "x", "shape": list(n), "regularizer": "l1:0.02"}], "smooth": [
            {"least_squares": {"terms": {"x": form}, "rhs": b.reshape(shape).tolist()}},
            {"squared_distance": {"a": "x", "weight": 0.01}}]})
tv = {"blocks": [{"name": "x", "shape": list(n)}, {"name": "z", "shape": len(rows), "regularizer": "l1:0.3"}],
      "smooth": [{"squared_distance": {"a": "x", "d": data.tolist()}}]}
write("tv", "map", {**tv, "constraint": {"maps": {"x": {"gradient": {}}, "z": -1}}})
write("tv", "matrix", {**tv, "constraint": {"maps": {"x": gradient.tolist(), "z": -1}}})
q = rng.normal(size=(9, 6)); total = np.ones((1, 6)); some = rng.normal(size=(2, 6)); there = rng.uniform(size=6)
books = {"blocks": [{"name": "x", "shape": 6, "regularizer": "l1:0.1"}, {"name": "w", "shape": 6}],
         "smooth": [{"least_squares": {"terms": {"w": q.tolist()}, "rhs": rng.normal(size=9).tolist()}}]}
write("groups", "map", {**books, "constraint": [
    {"maps": {"x": 1, "w": -1}}, {"maps": {"w": total.tolist()}, "rhs": [1]},
    {"maps": {"x": some.tolist(), "w": some.tolist()}, "rhs": (some @ there).tolist()}]})
write("groups", "matrix", {**books, "constraint": {
    "maps": {"x": np.vstack([np.eye(6), 0 * total, some]).tolist(), "w": np.vstack([-np.eye(6), total, some]).tolist()},
    "rhs": [0] * 6 + [1] + (some @ there).tolist()}})
PY
judge $? "the problems are written"

for problem in *.map.json; do
    name=${problem%.map.json}
    for kind in map matrix; do
        run "$CREASE" solve "$name.$kind.json" --quiet --out "$name.$kind"
        [ "$code" -eq 0 ]
        judge $? "$name.$kind: exit $code $err"
        run "$CREASE" verify "$name.$kind" --problem "$name.$kind.json"
        [ "$code" -eq 0 ]
        judge $? "$name.$kind: the checker: exit $code $err"
    done
    $python - "$name" <<'PY'
import json, sys
import numpy as np
of = lambda kind: json.load(open(f"{sys.argv[1]}.{kind}/result.json"))["objective"]
part = lambda kind, file: np.load(f"{sys.argv[1]}.{kind}/{file}.npy").ravel()
near = lambda a, b, most: np.abs(a - b).max() <= most * (1 + np.abs(b).max())
good = abs(of("map") - of("matrix")) <= 1e-7 * (1 + abs(of("matrix")))
good = good and near(part("map", "x_x"), part("matrix", "x_x"), 1e-4)
if sys.argv[1] == "groups": good = good and near(part("map", "lambda"), part("matrix", "lambda"), 1e-4)
print(sys.argv[1], of("map"), of("matrix"))
sys.exit(not good)
PY
    judge $? "$name: the map and its matrix have one answer"
done
finish
