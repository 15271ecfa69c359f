# penalties: whatever entry of the catalogue rpca, spca or regress takes, with any prefix, what it writes is
# the penalty it used: by name, by its prox, and by the verdict of verify, which reads it back
source "$(dirname "$0")/common.bash"
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
cd "$scratch" || exit 1
"$CREASE" generate cp --shape 4,5,6 --rank 1 --outliers 0.1 --magnitude 10 --noise 0.01 --seed 3 --out data >/dev/null
"$CREASE" generate matrix --shape 6,5 --rank 1 --outliers 0.1 --magnitude 10 --noise 0.01 --seed 3 --out flat >/dev/null
OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $python - "$CREASE" <<'PY'
import json, os, shutil, subprocess, sys
import numpy as np
def crease(*words):
    return subprocess.run([sys.argv[1], *words], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
rng = np.random.RandomState(0)
X = rng.randn(30, 4)
np.save("X.npy", X); np.save("y.npy", X[:, 0] + 0.1 * rng.randn(30))
runs = {"cp": ["rpca", "data/tensor.npy", "--rank", "1", "--alpha", "1", "--max-iterations", "60", "--quiet"],
        "two": ["rpca", "flat/tensor.npy", "--rank", "1", "--alpha", "1", "--max-iterations", "60", "--quiet"],
        "tucker": ["rpca", "data/tensor.npy", "--model", "tucker", "--rank", "1", "--max-iterations", "60", "--quiet"],
        "matrix": ["rpca", "flat/tensor.npy", "--model", "matrix", "--rank", "1", "--max-iterations", "60", "--quiet"],
        "spca": ["spca", "flat/tensor.npy", "--max-iterations", "60"],
        "regress": ["regress", "X.npy", "y.npy", "--path", "2"]}
def inside(p):
    """a number of the range with all its digits"""
    low, high = p["low"], p["high"]
    low = -1.0 if low is None else low
    if high is not None: return low + (high - low) * 0.4321098765432101
    return low + 1.2345678901234567
def same_prox(entry, a, b):
    more = ["--groups", "3,3"] if entry["traits"]["groups"] else []
    words = ["--step", "0.3", "--shape", "2,3", *more, "--", "3.25", "-2.5", "0.125", "1e-3", "-7", "0.5"]
    one, two = crease("prox", a, *words), crease("prox", b, *words)
    return one.returncode == two.returncode == 0 and one.stdout == two.stdout
failed = tried = refused = 0
for entry in json.loads(crease("list", "regularizers", "--json").stdout)["entries"]:
    if entry["data"] or entry["vector_parameter"]: continue
    name = entry["name"]
    text = name + (":" + ",".join(repr(inside(p)) for p in entry["parameters"]) if entry["parameters"] else "")
    for verb, words in runs.items():
        groups = {"cp": "slices:0", "two": "slices:0", "regress": "2,2"}.get(verb)
        more = ["--groups", groups] if entry["traits"]["groups"] and groups else []
        shutil.rmtree("out", ignore_errors=True)
        done = crease(*words, "--penalty", text, *more, "--out", "out")
        wrong = None
        if not os.path.exists("out/result.json"):
            refused += 1
            if done.returncode not in (64, 65) or done.stderr.count("\n") != 1: wrong = "refused badly"
        else:
            tried += 1
            result, certificate = (json.load(open("out/%s.json" % f)) for f in ("result", "certificate"))
            settings = certificate.get("settings", {})
            written = settings.get("penalty") or certificate.get("penalty") or result["settings"]["penalty"]
            verdict = crease("verify", "out").stdout.split("\n")[0]
            if written.split(":")[0] != name: wrong = "written as " + written
            elif verdict != result["verdict"]: wrong = "verify says %s of %s" % (verdict, result["verdict"])
            elif verb in ("cp", "two", "spca", "regress") and not same_prox(entry, text, written): wrong = "another prox: " + written
        if wrong:
            failed += 1
            print("FAILED %s --penalty %s: exit %d, %s, %s" % (verb, text, done.returncode, wrong, done.stderr[-200:]))
print("%d written and read back, %d refused" % (tried, refused))
sys.exit(bool(failed) or tried < 100)
PY
judge $? "a penalty that is written is not the one used"
finish
