# report: the page of robust PCA has the numbers of result.json, escapes what a folder says, keeps to its
# size, is written whole or not at all, and a damaged folder is refused with a sentence
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

$python - "$CREASE" <<'PY'
import base64, hashlib, html, json, os, re, shutil, struct, subprocess, sys
import numpy as np

crease = sys.argv[1]
failed, passed = [], 0
rng = np.random.default_rng(5)

def run(*args):
    r = subprocess.run([crease, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    return r.returncode, r.stdout, r.stderr

def check(good, text):
    global passed
    if good: passed += 1
    else: failed.append(text)

def must(*args):
    code, out, err = run(*args)
    check(code == 0, f"{' '.join(args)}: exit {code}: {err.strip()}")
    return out

def page(folder, name="page.html"):
    must("report", folder, "--out", name, "--quiet")
    return open(name, encoding="utf-8").read()

def data_of(text):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S)[1])

def words(text):
    return html.unescape(re.sub(r"<[^>]*>", " ", text.split("<script")[0].split("</style>")[1]))

# Data with structure, outliers and noise; a video; a matrix with missing entries; order 4.
t = np.einsum("ir,jr,kr->ijk", *(rng.random((n, 2)) + 0.2 for n in (6, 30, 20)))
t[rng.random(t.shape) < 0.05] += 3
np.save("tensor.npy", t + 0.01 * rng.normal(size=t.shape))
json.dump([{"name": "sample", "labels": list("abcdef")},
           {"name": "emission", "unit": "nm", "numbers": list(range(300, 450, 5))}, {"name": "x<b>y"}],
          open("tensor.axes.json", "w"))
v = np.outer(rng.random(16 * 20), 1 + 0.1 * np.sin(np.arange(24) / 4)).reshape(16, 20, 24)
for k in range(24): v[3:7, k % 20, k] = 1.5
np.save("video.npy", v + 0.01 * rng.normal(size=v.shape))
m = rng.normal(size=(40, 3)) @ rng.normal(size=(3, 30)) + 0.02 * rng.normal(size=(40, 30))
m[rng.random(m.shape) < 0.1] = np.nan
np.save("matrix.npy", m)
np.save("four.npy", np.einsum("i,j,k,l->ijkl", *(rng.random(n) + 0.5 for n in (3, 4, 5, 6))) + 0.01 * rng.normal(size=(3, 4, 5, 6)))
runs = {"cp": "tensor.npy --rank 2", "tucker": "tensor.npy --model tucker --rank 2",
        "video": "video.npy --model matrix --merge 0,1 --rank 1", "matrix": "matrix.npy --missing nan --rank 3",
        "four": "four.npy --rank 1", "pcp": "video.npy --model pcp --merge 0,1 --eps 1e-3"}
for name, words_ in runs.items(): run("rpca", *words_.split(), "--out", name, "--quiet")

# What the script rebuilds is what the files hold.
def rebuilt(V, k):
    dim = V["dim"]
    raw = lambda key, kind: np.frombuffer(base64.b64decode(V[key]), kind)
    S = np.zeros(int(np.prod(dim)))
    at, values, j = -1, raw("values", "<u2"), 0
    for g in raw("gaps", "u1"):
        at += int(g)
        if g < 255:
            S[at] = V["scale"] * np.sinh((float(values[j]) - 32768) / 32767 * V["bend"]); j += 1
    if "dense" in V: L = V["base"] + V["unit"] * raw("dense", "<u2").astype(float)
    else:
        F = [np.frombuffer(base64.b64decode(f), "<f4").reshape(-1, r).astype(float) for f, r in zip(V["factors"], V["ranks"])]
        core = np.frombuffer(base64.b64decode(V["core"]), "<f4").reshape(V["ranks"]).astype(float) if "core" in V else None
        if core is None:
            core = np.zeros(V["ranks"]); core[tuple([np.arange(V["ranks"][0])] * len(F))] = 1
        L = core
        for n, f in enumerate(F): L = np.moveaxis(np.tensordot(f, L, (1, n)), 0, n)
    return np.asarray(L).ravel().reshape(dim), S.reshape(dim)

def residual(V):
    codes, middle = np.frombuffer(base64.b64decode(V["residual"]), "u1"), 127 if V["bits"] == 8 else 7
    n = int(np.prod(V["dim"]))
    if V["bits"] == 4: codes = np.stack([codes & 15, codes >> 4], 1).ravel()[:n]
    return np.where(codes == 2 * middle + 1, np.nan, (codes.astype(float) - middle) * V["step"]).reshape(V["dim"])

for name in runs:
    text = page(name)
    r = json.load(open(f"{name}/result.json"))
    check(len(text.encode()) <= 2_000_000, f"{name}: {len(text)} bytes")
    check("http" not in re.sub(r'http-equiv', "", text).replace("http://www.w3.org", ""), f"{name}: an address in the page")
    policy = re.search(r"script-src 'sha256-([^']*)'", text)[1]
    script = text.rsplit("<script>", 1)[1].split("</script>")[0]
    check(base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() == policy, f"{name}: the hash of the script")
    levels = [int(x) for x in re.findall(r"<h([1-6])", text)]
    check(levels[0] == 1 and all(b <= a + 1 for a, b in zip(levels, levels[1:])), f"{name}: headings {levels}")
    check(len(set(re.findall(r' id="([^"]*)"', text))) == len(re.findall(r' id="([^"]*)"', text)), f"{name}: an id twice")
    check(all(f'id="{x}"' in text for x in re.findall(r'href="#([^"]*)"', text)), f"{name}: a link to nowhere")
    V = data_of(text)["view"]
    L, S = rebuilt(V, name)
    low, sparse, noise = (np.load(f"{name}/{x}.npy") for x in ("lowrank", "sparse", "noise"))
    size = np.abs(low).max()
    check(V["steps"] == [1] * low.ndim and np.abs(L - low).max() < 2e-5 * size, f"{name}: the low-rank part")
    check(np.abs(S - sparse).max() <= 3e-4 * np.abs(sparse).max() + 1e-12, f"{name}: the sparse part")
    if "residual" in V:
        rest = residual(V); seen = ~np.isnan(rest)
        inside = seen & (np.abs(noise) < 120 * V["step"])
        check(np.abs(rest - noise)[inside].max() <= 0.51 * V["step"], f"{name}: the residual")
        check((~seen).sum() == (r["details"]["missing"] or 0), f"{name}: what is missing")
    p = r["details"]["parts"]
    shown = re.search(r"<dt>(?:Clear outliers|Foreground)</dt><dd>([\d.]+)", text)
    if p.get("clear_share") is not None and shown:
        check(abs(float(shown[1]) - 100 * p["clear_share"]) <= 0.06, f"{name}: outliers {shown[1]}, {p['clear_share']}")
    check((r["verdict"] == "VALID") == ('class="verdict ok"' in text), f"{name}: verdict")

# Labels reach the page; they are escaped there.
text = page("cp")
check("emission (nm)" in text and "x&lt;b&gt;y" in text and "x<b>y" not in text, "labels")
check("crease rpca tensor.npy --rank 2 --out cp --quiet" in html.unescape(text), "the command")

# Whatever a folder says is text. Keys of any kind are survived.
evil = '</script><script>alert(1)</script><img src=x onerror=alert(2)>"\'&\u202e\u2028'
def spoil(x, depth=0):
    if isinstance(x, dict): return {k: spoil(v, depth + 1) if k not in ("verb", "model", "outcome", "verdict", "role", "shape", "model_shape") else v for k, v in x.items()}
    if isinstance(x, list): return [spoil(v, depth + 1) for v in x]
    return evil if isinstance(x, str) else x
for name in ("cp", "tucker"):
    shutil.copytree(name, "evil", dirs_exist_ok=True)
    r = json.load(open("evil/result.json"))
    json.dump(spoil(r), open("evil/result.json", "w"))
    text = page("evil")
    check(text.count("<script") == 2 and "<img" not in text and "\u202e" not in text, f"{name}: hostile text")
    json.loads(json.dumps(data_of(text)))
    for _ in range(150): # values of another kind, missing members, huge and odd numbers
        broken = json.loads(json.dumps(r))
        at = broken
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys: break
            key = keys[rng.integers(len(keys))]
            if isinstance(at[key], (dict, list)) and rng.random() < 0.8: at = at[key]; continue
            choice = rng.integers(8)
            if choice == 0 and isinstance(at, dict): del at[key]
            else: at[key] = [None, -1, 1e308, "", [], {}, [[1]], 0.5][choice]
            break
        json.dump(broken, open("evil/result.json", "w"))
        code, out, err = run("report", "evil", "--out", "odd.html", "--quiet")
        check(code in (0, 65, 66) and (code == 0) == (err == ""), f"broken result.json: exit {code} {err}")
    shutil.rmtree("evil")

# Damaged folders: a sentence, no file.
def refused(why, code, edit):
    shutil.copytree("cp", "bad")
    edit()
    got, out, err = run("report", "bad", "--out", "bad.html")
    check(got == code and why in err and err.count("\n") == 1 and not os.path.exists("bad.html"), f"{why}: exit {got}: {err}")
    shutil.rmtree("bad")
refused("lowrank.npy", 66, lambda: os.remove("bad/lowrank.npy"))
refused("result.json", 66, lambda: os.remove("bad/result.json"))
refused("result.json", 65, lambda: open("bad/result.json", "w").write('{"verb": '))
refused("no page", 65, lambda: open("bad/result.json", "w").write('{"verb": "generate"}'))
refused("another shape", 65, lambda: np.save("bad/sparse.npy", np.zeros((2, 3, 4))))
refused("not finite", 65, lambda: np.save("bad/noise.npy", np.full(t.shape, np.nan)))
refused("sparse.npy", 65, lambda: open("bad/sparse.npy", "r+b").truncate(200))
check(run("report", "nowhere")[0] == 66, "no folder")
# Without factors, history or details there is still a page.
shutil.copytree("cp", "old")
for x in ("factor_1.npy", "history.csv", "weights.npy"): os.remove("old/" + x)
r = json.load(open("old/result.json"))
for key in ("axes", "command", "phase_seconds", "format"): r.pop(key, None)
for key in ("parts", "pilot", "certificate", "support", "components"): r["details"].pop(key, None)
json.dump(r, open("old/result.json", "w"))
text = page("old")
L, S = rebuilt(data_of(text)["view"], "old")
check(np.abs(L - np.load("old/lowrank.npy")).max() < 1e-4 * np.abs(L).max() and 'id="certificate"' not in text, "an old folder")

# Names, files in the way.
must("report", "cp/", "--quiet")
check(os.path.exists("cp.html"), "the name by the folder")
must("report", "cp", "--quiet")
open("mine.html", "w").write("mine")
code, out, err = run("report", "cp", "--out", "mine.html")
check(code == 73 and "--force" in err and open("mine.html").read() == "mine", f"a file in the way: {code} {err}")
must("report", "cp", "--out", "mine.html", "--force", "--quiet")
check(run("report", "cp", "--out", "no/such/folder/x.html")[0] == 73, "no place to write")
must("verify", "cp")

# A large result keeps to the size of a page, and says what it leaves out.
big = np.random.default_rng(1).normal(size=(40, 300, 260)).astype(float)
os.mkdir("big")
np.save("big/lowrank.npy", np.zeros(big.shape)); np.save("big/noise.npy", big)
np.save("big/sparse.npy", np.where(np.abs(big) > 1, big, 0))
json.dump({"verb": "rpca", "model": "cp", "details": {"shape": list(big.shape)}}, open("big/result.json", "w"))
text = page("big")
V = data_of(text)["view"]
check(len(text.encode()) <= 2_000_000 and max(V["steps"]) > 1 and "every %d. mode 1" % V["steps"][0] in text, f"a large page: {len(text)}, {V['steps']}")

for line in failed[:20]: print("FAILED", line)
print(f"{passed} passed, {len(failed)} failed")
sys.exit(bool(failed))
PY
