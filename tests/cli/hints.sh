# hints: what a refusal advises is not refused in turn, and names only options that the verb takes
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
if ! $python -c 'import numpy' 2>/dev/null; then echo "skipped: no numpy"; exit 0; fi
"$CREASE" generate cp --shape 6,5,4 --rank 2 --seed 2 --out g >/dev/null
"$CREASE" generate matrix --shape 8,6 --rank 2 --seed 2 --out m >/dev/null
$python - "$CREASE" <<'PY'
import itertools, json, re, subprocess, sys
import numpy as np
crease = sys.argv[1]
x = np.load("g/tensor.npy"); x[0, 0, 0] = np.nan; np.save("holes.npy", x)
rng = np.random.default_rng(1)
np.save("X.npy", rng.normal(size=(30, 6))); np.save("y.npy", rng.normal(size=30)); np.save("v.npy", np.ones(5))
REFUSED = (64, 65)
bad, tried, followed = [], 0, 0

def run(*words):
    r = subprocess.run([crease, *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    return r.returncode, r.stderr.strip()

takes = {v["name"]: {o["name"] for o in v["options"]}
         for v in json.loads(subprocess.check_output([crease, "help", "--json"]))["verbs"]}

# Whatever is wrong, an option in the sentence is one of the verb, unless it is the one that is refused.
wrong = [
    "rpca g/tensor.npy --out", "rpca g/tensor.npy", "rpca g/tensor.npy --out g", "rpca holes.npy --out x",
    "rpca g/tensor.npy --rank 0 --out x", "rpca g/tensor.npy --rank auto:0 --out x", "rpca v.npy --out x",
    "rpca g/tensor.npy --model matrix --out x", "rpca g/tensor.npy --model pcp --out x", "rpca g/tensor.npy --model cpp --out x",
    "rpca g/tensor.npy --penalty nuclear:1 --out x", "rpca g/tensor.npy --penalty group-l1 --out x",
    "rpca g/tensor.npy --groups 3,3 --out x", "rpca g/tensor.npy --weights 1,2 --out x", "rpca g/tensor.npy --missing x --out x",
    "rpca g/tensor.npy --method gcg --out x", "rpca g/tensor.npy --method newton --out x", "rpca g/tensor.npy --force",
    "rpca g/tensor.npy --report p.html", "rpca g/tensor.npy --format npz", "rpca g/tensor.npy --eta 1 --out x",
    "rpca g/tensor.npy --init nowhere --out x", "rpca g/tensor.npy --center 7 --out x", "rpca g/tensor.npy --merge 0,2 --out x",
    "rpca g/tensor.npy --mask v.npy --out x", "rpca g/tensor.npy --precision half --out x", "rpca g/tensor.npy --color no --out x",
    "rpca g/tensor.npy --alpha auto --method admm-g --out x", "rpca g/tensor.npy --checkpoint-every 3 --out x",
    "rpca g/tensor.npy --model matrix --merge 0,1 --nonneg --out x", "rpca m/tensor.npy --model pcp --rank 2 --out x",
    "spca g/tensor.npy --method newton --out x", "spca v.npy --out x", "spca holes.npy --out x",
    "spca g/tensor.npy --penalty nuclear:1 --out x", "spca g/tensor.npy --alpha none --out x", "spca g/tensor.npy --missing nan --out x",
    "regress X.npy y.npy --loss cubic --out x", "regress X.npy y.npy --penalty nuclear --out x", "regress X.npy v.npy --out x",
    "regress X.npy y.npy --cv 1 --out x", "regress X.npy y.npy --path 0 --out x", "regress X.npy y.npy --lambda -1 --out x",
    "regress X.npy y.npy --penalty group-l1 --out x", "regress X.npy y.npy --penalty adaptive --out x",
    "generate cp --out x", "generate cp --shape 3,4 --out x", "generate matrix --shape 3,4,5 --rank 2 --out x", "generate pc --out x",
    "apply nowhere g/tensor.npy --out x", "apply g g/tensor.npy --out x", "verify g", "verify g --eps no",
    "prox l1:1 -- 1", "prox l1 --step 1 -- 1", "prox nuclear:1 --step 1 -- 1 2 3", "prox group-l1:1 --step 1 -- 1 2",
    "prox l1:1 --step 1 --shape 2,2 -- 1", "project birkhoff -- 1 2 3", "lmo l1-ball:1 --groups 2 -- 1 2", "project simplx:1 -- 1",
    "selftest set", "list set", "help sovle", "convert g/tensor.npy out.dat", "info nowhere.npy", "report g", "completion sh",
]
for line in wrong:
    words = line.split()
    code, said = run(*words)
    tried += 1
    if code == 0: bad.append(f"{line}: is not refused")
    for name in set(re.findall(r"--[a-z][a-z-]*", re.sub(r"'crease [^']*'", "", said))) - set(w.split("=")[0] for w in words):
        if name not in takes[words[0]]: bad.append(f"{line}: speaks of {name}: {said}")
    for verb, more in re.findall(r"'crease ([a-z]+)((?: [a-z-]+)*)'", said):
        if run(verb, *more.split())[0] not in (0, 2): bad.append(f"{line}: 'crease {verb}{more}' fails: {said}")
    near = re.search(r"did you mean '([^']*)'", said)
    if near and run(*[w.replace(re.search(r"'([^']*)'", said)[1], near[1]) for w in words])[1] == said:
        bad.append(f"{line}: what it meant is refused too: {said}")

# Pairs of a regularizer and a set, by every method: each method, set or change that is advised is taken.
def problem(reg, where):
    block = {"name": "x", "shape": [3, 3], "regularizer": reg}
    if where: block["set"] = where
    return {"crease": 1, "blocks": [block], "smooth": [{"least_squares": {"terms": {"x": 1},
            "rhs": [[1, 2, -1], [0.5, 0, 3], [2, -2, 1]]}}]}
def attempt(reg, where, method):
    json.dump(problem(reg, where), open("p.json", "w"))
    return run("solve", "p.json", "--method", method, "--quiet", "--max-iterations", "20", "--max-seconds", "5")
sample = {"box": "box:0,1", "lp-ball": "lp-ball:1,3", "capped-simplex": "capped-simplex:1,0.7", "k-sparse": "k-sparse:2,1",
          "k-support": "k-support:2,1", "nonneg": "nonneg", "birkhoff": "birkhoff"}
regs, wheres = ["l1:1", "mcp:1,3", "nuclear:1", "l0:1"], [None, "nonneg", "simplex:1", "nuclear-ball:1"]
for reg, where, method in itertools.product(regs, wheres, ["auto", "gcg", "admm-g", "newton", "tangent", "prox-bcd"]):
    code, said = attempt(reg, where, method)
    if code not in REFUSED: continue
    tried += 1
    advice = said.split("; ", 1)[-1]
    tries = []
    if "use auto" in advice or "or auto" in advice: tries.append((reg, where, "auto"))
    if "sets that have one with it: " in advice and "none of" not in advice:
        tries += [(reg, sample.get(s, s + ":1"), "gcg" if "oracle" in advice or "oracle" in said else "auto") for s in advice.split(": ")[-1].split(", ")[:3]]
    if "leave the set out" in advice: tries.append((reg, None, "auto"))
    if "take a box" in advice: tries.append((reg, "box:0,1", "auto"))
    if "take a compact set" in advice: tries.append((reg, "l2-ball:1", "auto"))
    for t in tries:
        followed += 1
        again, then = attempt(*t)
        # "use auto" is about the method; what auto says of the pair itself is another matter
        if again in REFUSED and (t[:2] != (reg, where) or then.split("; ")[0] == said.split("; ")[0]):
            bad.append(f"{(reg, where, method)}: {said}\n    {t}: {then}")
print(f"{tried} refusals, {followed} pieces of advice followed")
if tried < 90 or followed < 15: bad.append("too little was tried")
sys.exit("\n".join(bad) if bad else 0)
PY
judge $? "hints"
finish
