# options: every option that a verb accepts changes something, or is refused by its name
#
# 'crease help --json' says which options there are. Each is tried on small cases: the run with it
# differs from the run without it in its exit code, what it prints, its log or its files (times and
# what merely repeats the command line aside), or it ends with 64 and a sentence that names it.
source "$(dirname "$0")/common.bash"
cd "$scratch" || exit 1
cp "$OLDPWD"/examples/problems/*.json "$OLDPWD"/examples/data/* . 2>/dev/null

$python - "$CREASE" <<'PY'
import hashlib, json, os, re, shutil, subprocess, sys
import numpy as np

crease = sys.argv[1]

def sh(*argv):
    subprocess.run([crease, *argv], check=True, stdout=subprocess.DEVNULL)

# Data: what the cases read.
sh("generate", "cp", "--shape", "7,6,5", "--rank", "2", "--outliers", "0.1", "--magnitude", "5",
   "--noise", "0.05", "--seed", "3", "--out", "g")
sh("generate", "matrix", "--shape", "12,9", "--rank", "2", "--outliers", "0.1", "--magnitude", "5",
   "--noise", "0.05", "--seed", "3", "--out", "m")
rng = np.random.default_rng(0)
# Large enough for two threads.
sh("generate", "cp", "--shape", "60,50,45", "--rank", "2", "--out", "large")
os.rename("large/tensor.npy", "g/large.npy")
sh("generate", "matrix", "--shape", "400,330", "--rank", "2", "--out", "large", "--force")
os.rename("large/tensor.npy", "m/large.npy")
for name in "g", "m":
    t = np.load(f"{name}/tensor.npy")
    mask = np.ones_like(t)
    mask.flat[3] = 0
    np.save(f"{name}/mask.npy", mask)
    t.flat[5] = np.nan
    np.save(f"{name}/holes.npy", t)
X = rng.normal(size=(30, 6)) * [1, 2, 3, 1, 2, 3]
np.save("X.npy", X)
np.save("y.npy", X[:, 0] - X[:, 3] + 2 + 0.3 * rng.normal(size=30))
np.save("point.npy", np.array([0.25, -3.5, 3.75, 1.5]))
np.save("g/weights.npy", rng.uniform(0.5, 2, size=(7, 6, 5)))
np.save("m/weights.npy", rng.uniform(0.5, 2, size=(12, 9)))
json.dump({"crease": 1, "blocks": [
    {"name": "x", "shape": [4], "regularizer": "l1:0.3", "start": [1, -1, 2, 0.5]}],
    "smooth": [{"least_squares": {"terms": {"x": [[1, 2, 0, 1], [0, 1, 3, 1], [2, 0, 1, 1]]},
                                  "rhs": [1, 2, 3]}}]}, open("bcd.json", "w"))
json.dump({"crease": 1, "blocks": [
    {"name": "x", "shape": [3], "set": "simplex:1", "start": [0.2, 0.3, 0.5]}],
    "smooth": [{"least_squares": {"terms": {"x": [[1, 2, 0], [0, 1, 3]]}, "rhs": [1, 2]}}]},
    open("gcg.json", "w"))
for name, start in ("admm", [0, 0, 0]), ("feasible", [1, -2, 3]):
    json.dump({"crease": 1, "blocks": [
        {"name": "x", "shape": [3], "regularizer": "l1:0.3", "start": start},
        {"name": "u", "shape": [3]}],
        "constraint": {"maps": {"x": 1, "u": 1}, "rhs": [1, -2, 3]},
        "smooth": [{"squared_distance": {"a": "u"}}]}, open(name + ".json", "w"))
sh("rpca", "g/tensor.npy", "--rank", "2", "--quiet", "--out", "fitted")
sh("rpca", "g/tensor.npy", "--rank", "2", "--model", "tucker", "--quiet", "--out", "fitted_tucker")
sh("rpca", "m/tensor.npy", "--rank", "2", "--model", "matrix", "--quiet", "--out", "fitted_matrix")
sh("solve", "bcd.json", "--quiet", "--out", "solved")
# A result whose data have gone, and one whose problem has changed since.
shutil.copytree("g", "moved")
sh("rpca", "moved/tensor.npy", "--rank", "2", "--quiet", "--out", "lost")
os.remove("moved/tensor.npy")
shutil.copy("bcd.json", "changed.json")
sh("solve", "changed.json", "--quiet", "--out", "stale")
open("changed.json", "a").write("\n")
json.dump({**json.load(open("bcd.json")), "description": "another"}, open("changed.json", "w"))

# Cases: verb, name, arguments. A case has whatever makes the options of its kind visible.
RPCA = ["g/tensor.npy", "--rank", "2", "--out", "o"]
MATRIX = ["m/tensor.npy", "--rank", "2", "--out", "o"]
cases = [
    ("solve", "prox-bcd", ["bcd.json", "--method", "prox-bcd"]),
    ("solve", "bcd", ["bcd.json", "--method", "bcd"]),
    ("solve", "gcg", ["gcg.json", "--method", "gcg"]),
    ("solve", "admm-g", ["admm.json", "--method", "admm-g", "--out", "o"]),
    ("solve", "admm-m", ["admm.json", "--method", "admm-m"]),
    ("solve", "extension", ["admm.json", "--method", "extension"]),
    ("check", "prox-bcd", ["bcd.json", "--method", "prox-bcd"]),
    ("check", "gcg", ["gcg.json", "--method", "gcg"]),
    ("check", "admm-g", ["admm.json", "--method", "admm-g"]),
    ("check", "admm-m", ["admm.json", "--method", "admm-m"]),
    ("check", "extension", ["admm.json", "--method", "extension"]),
    ("verify", "problem", ["stale"]),
    ("verify", "rpca", ["fitted"]),
    ("rpca", "cp envelope", RPCA),
    ("rpca", "cp admm-g", RPCA + ["--method", "admm-g"]),
    ("rpca", "cp admm-m", RPCA + ["--method", "admm-m"]),
    ("rpca", "cp prox-bcd", RPCA + ["--method", "prox-bcd"]),
    ("rpca", "cp bcd", RPCA + ["--method", "bcd"]),
    ("rpca", "tucker", RPCA + ["--model", "tucker"]),
    ("rpca", "matrix", MATRIX + ["--model", "matrix"]),
    ("rpca", "matrix ridge", MATRIX + ["--model", "matrix", "--ridge", "0.1"]),
    ("rpca", "matrix eta", MATRIX + ["--model", "matrix", "--eta", "auto"]),
    ("rpca", "pcp", ["m/tensor.npy", "--model", "pcp", "--out", "o"]),
    ("spca", "prox-bcd", ["g/tensor.npy", "--out", "o", "--method", "prox-bcd"]),
    ("spca", "gcg", ["g/tensor.npy", "--out", "o", "--method", "gcg"]),
    ("regress", "squared", ["X.npy", "y.npy", "--path", "5", "--out", "o"]),
    ("apply", "cp", ["fitted", "g/tensor.npy", "--out", "o"]),
    ("apply", "tucker", ["fitted_tucker", "g/tensor.npy", "--out", "o"]),
    ("apply", "matrix", ["fitted_matrix", "m/tensor.npy", "--out", "o"]),
    ("generate", "cp", ["cp", "--shape", "6,5,4", "--rank", "2", "--out", "o"]),
    ("generate", "tucker", ["tucker", "--shape", "6,5,4", "--rank", "2", "--out", "o"]),
    ("generate", "matrix", ["matrix", "--shape", "6,5", "--rank", "2", "--out", "o"]),
    ("generate", "eem", ["eem", "--shape", "6,11,9", "--rank", "2", "--out", "o"]),
    ("report", "cp", ["fitted", "--out", "page.html"]),
    ("info", "npy", ["g/tensor.npy"]),
    ("convert", "npy", ["g/tensor.npy", "o.npy"]),
    ("list", "all", []),
    ("prox", "l1", ["l1:1", "--step", "1", "--", "0.5", "-2.5", "5", "1.5"]),
    ("prox", "group", ["group-l1:1", "--step", "1", "--groups", "2,2", "--", "0.5", "-2.5", "5", "2"]),
    ("project", "ball", ["l1-ball:2", "--", "0.5", "-2.5", "5", "1.5"]),
    ("lmo", "ball", ["l1-ball:2", "--", "0.5", "-2.5", "5", "1.5"]),
    ("lmo", "reg", ["linf-ball:2", "--reg", "l1:1", "--", "0.5", "-2.5", "5", "1.5"]),
    ("selftest", "maps", ["maps", "--trials", "1"]),
    ("help", "prox", ["prox"]),
    ("completion", "bash", ["bash"]),
]

# Values: by option, or by (verb, option), or by (verb, case, option). A list of words; several
# values are tried until one makes a difference. None replaces words of the case.
value = {
    "--eps": [["1e-3"]], "--relative": [["0"], ["1"]], "--max-iterations": [["1"], ["0"]],
    "--max-seconds": [["0"]], "--max-evaluations": [["1"]], "--certify-every": [["1"], ["3"]],
    "--theta": [["1e-2"], ["1e3"]], "--accelerate": [["0"]], "--audit": [["1"]],
    "--beta": [["300"]], "--gamma": [["0.01"]], "--h": [["50"]], "--mu": [["7"]],
    "--line-search": [["1"]], "--continuation": [["1"]], "--seed": [["17"]], "--mode": [["theory"], ["paper"]],
    "--method": [["prox-bcd"], ["admm-m"], ["gcg"]],
    "--model": [["tucker"], ["cp"], ["matrix"]], "--eta": [["0.5"], ["2"]],
    "--rank": [["1"]], "--penalty": [["mcp:1,3"]], "--groups": [["slices:0"], ["2,2"], ["3,3"]],
    "--weights": [["2,1,1,1"]], "--alpha": [["0.05"]], "--alpha-noise": [["0.3"]],
    "--ridge": [["0.5"]], "--init": [["random"], ["als"]], "--starts": [["3"]],
    "--prune": [[]], "--center": [["all"]], "--missing": [["nan"]], "--mask": [["g/mask.npy"]], "--nonneg": [[]],
    "--foreground": [[]], "--beyond": [["2"]], "--clean": [["median:3"]],
    "--merge": [["0,1"]], "--truth": [["g"]], "--threads": [["1"]], "--write": [["factors"]], "--memory": [["1k"]],
    "--checkpoint": [["ck", "--checkpoint-every", "0"]], "--resume": [["no.ck"]],
    "--checkpoint-every": [["0", "--checkpoint", "ck"]],
    "--precision": [["single"]], "--out": [["p"]], "--force": [[]], "--quiet": [[]],
    "--verbose": [[]], "--log-csv": [["log.csv"]], "--log": [["json"]], "--log-file": [["log.csv"]], "--json": [[]], "--report": [["page.html"]], "--help": [[]], "--all": [[]], "--scdoc": [[]], "--dry-run": [[]], "--color": [["always"]],
    "--markdown": [[]], "--problem": [["bcd.json"]], "--step": [["2"]],
    "--box": [["-1", "1"]], "--ball": [["1"]], "--set": [["simplex:1"]], "--reg": [["l1:1"], ["l1:2"]],
    "--shape": [["2,2"]], "--input": [["point.npy"]],
    "--trials": [["2"]], "--axis": [["1"]], "--outliers": [["0.3"]], "--magnitude": [["7"]],
    "--noise": [["0.2"]], "--components": [["2"]], "--loss": [["huber"]],
    "--path": [["4"]], "--lambda": [["0.1"]], "--cv": [["3"]], "--no-standardize": [[]],
    "--read-as": [["npy"]], "--axes": [["a,b,c"], ["a,b"]], "--absent": [["zero"]], "--columns": [["0"]],
    "--format": [["npy"]], "--as": [["f4"]], "--slice": [["0=2:5"]], "--transpose": [["1,0,2"]],
    "--drop": [["0"]], "--frames": [["0:2:1"]], "--size": [["4x4"]], "--colour": [[]],
    "--no-intercept": [[]], "--ascending": [[]], "--row-weights": [["w.npy"]],
    "--folds": [["folds.npy"]],
}
# The same for one verb, or one case of it.
own = {
    ("verify", "rpca", "--problem"): [["g/tensor.npy"]],
    ("verify", "rpca", "--threads"): [["200"]],
    ("rpca", "--noise"): [["auto"]], ("rpca", "--weights"): [["g/weights.npy"]], ("regress", "--weights"): [["1,2,1,2,1,2"]],
    ("prox", "group", "--weights"): [["2,1"]],
    ("generate", "--shape"): [["8,5,4"]], ("generate", "matrix", "--shape"): [["8,5"]],
    ("generate", "eem", "--shape"): [["7,11,9"]],
    ("spca", "gcg", "--penalty"): [["zero"]], ("lmo", "--reg"): [["l1:2"]],
    ("lmo", "reg", "--weights"): [["1,2,1,1"]],
    ("regress", "--penalty"): [["mcp"]],
    ("solve", "bcd", "--mode"): [["paper"]], ("rpca", "cp bcd", "--mode"): [["paper"]],
    ("rpca", "cp prox-bcd", "--model"): [["pcp"]], ("rpca", "cp bcd", "--model"): [["pcp"]],
    ("solve", "prox-bcd", "--method"): [["bcd"]], ("solve", "bcd", "--method"): [["prox-bcd"]],
    ("solve", "gcg", "--method"): [["prox-bcd"]], ("solve", "admm-g", "--method"): [["admm-m"]],
    ("solve", "admm-m", "--method"): [["admm-g"]], ("solve", "extension", "--method"): [["admm-g"]],
    ("check", "prox-bcd", "--method"): [["bcd"]],
    ("check", "gcg", "--method"): [["prox-bcd"]], ("check", "admm-g", "--method"): [["admm-m"]],
    ("check", "admm-m", "--method"): [["admm-g"]], ("check", "extension", "--method"): [["admm-g"]],
}
for case in ("regress",), ("rpca", "matrix"), ("rpca", "matrix ridge"), ("rpca", "matrix eta"), ("rpca", "pcp"), ("apply", "matrix"):
    own[(*case, "--axes")] = [["a,b"]]
own["info", "--read-as"] = own["convert", "--read-as"] = [["csv"]]
open("plain", "w").write("1,2\n3,4\n")
own["apply", "matrix", "--mask"] = [["m/mask.npy"]]
for model in "matrix", "matrix ridge", "matrix eta", "pcp":
    own["rpca", model, "--mask"] = [["m/mask.npy"]]
    own["rpca", model, "--truth"] = [["m"]]
    own["rpca", model, "--weights"] = [["m/weights.npy"]]
for model in "tucker", "matrix", "matrix eta", "pcp":
    own["rpca", model, "--method"] = [["extension"]]
np.save("w.npy", rng.uniform(0.5, 2, size=30))
np.save("folds.npy", np.arange(30) % 3)
# Words of the case that give way to the option.
gives_way = {"--rank", "--method", "--model", "--groups", "--ridge", "--eta", "--step", "--shape",
             "--out", "--trials", "--path", "--reg"}
# A video; models that have no --foreground refuse what belongs to it by its own name.
def video(args):
    reads = "--model" not in args or "--ridge" in args
    return [args[0].replace("m/", "g/")] + args[1:] + ["--foreground"] * reads
# A case of its own: (verb, case, option) or (verb, option) to the arguments without the option.
base_for = {
    ("info", "--read-as"): lambda args: ["plain"],
    ("convert", "--read-as"): lambda args: ["plain", "o.npy"],
    ("convert", "--format"): lambda args: ["g/tensor.npy", "o.dat"],
    ("verify", "rpca", "--problem"): lambda args: ["lost"],
    ("help", "--all"): lambda args: ["rpca"], ("help", "--markdown"): lambda args: ["formats"],
    ("prox", "l1", "--weights"): lambda args: ["l1:1", "--step", "1", "--", "5", "2", "3", "4"],
    ("prox", "--shape"): lambda args: place(args, ["--json"]),
    ("project", "--shape"): lambda args: place(args, ["--json"]),
    ("lmo", "--shape"): lambda args: place(args, ["--json"]),
    ("lmo", "reg", "--weights"): lambda args: place(args, ["--json"]),
    ("lmo", "--reg"): lambda args: place(["linf-ball:2"] + args[1:], ["--json"]),
    ("rpca", "--threads"): lambda args: [args[0].replace("/tensor", "/large")] + args[1:] + ["--max-iterations", "1"],
    ("rpca", "--missing"): lambda args: [args[0].replace("tensor", "holes")] + args[1:],
    ("regress", "--seed"): lambda args: args + ["--cv", "3"],
    ("rpca", "pcp", "--mode"): lambda args: args + ["--max-iterations", "200"],
    ("rpca", "pcp", "--mu"): lambda args: args + ["--max-iterations", "200"],
    ("rpca", "--merge"): lambda args: [args[0].replace("m/", "g/")] + args[1:],
    ("rpca", "--foreground"): lambda args: [args[0].replace("m/", "g/")] + args[1:],
    ("rpca", "--beyond"): video,
    ("rpca", "--clean"): video,
    ("rpca", "pcp", "--prune"): lambda args: args,
    ("rpca", "--prune"): lambda args: without(args, "--rank") + ["--rank", "4"],
    ("rpca", "cp envelope", "--seed"): lambda args: args + ["--init", "random"],
    ("rpca", "cp admm-g", "--seed"): lambda args: args + ["--init", "random"],
    ("rpca", "cp admm-m", "--seed"): lambda args: args + ["--init", "random"],
    ("rpca", "cp prox-bcd", "--seed"): lambda args: args + ["--init", "random"],
    ("rpca", "cp bcd", "--seed"): lambda args: args + ["--init", "random"],
    ("rpca", "matrix ridge", "--seed"): lambda args: args + ["--init", "random"],
    ("check", "extension", "--eps"): lambda args: ["feasible.json"] + args[1:] + ["--mode", "theory"],
    ("apply", "--missing"): lambda args: [args[0], args[1].replace("tensor", "holes")] + args[2:],
    ("prox", "--input"): lambda args: place(args[:args.index("--")], ["--json"]),
    ("project", "--input"): lambda args: place(args[:args.index("--")], ["--json"]),
    ("lmo", "--input"): lambda args: place(args[:args.index("--")], ["--json"]),
}
takes = {}
for v in json.loads(subprocess.check_output([crease, "help", "--json"]))["verbs"]:
    takes[v["name"]] = {o["name"]: o["values"] for o in v["options"]}

# A short run says nothing that could be left out, but with --log.
for verb in takes:
    if "--quiet" in takes[verb]: base_for[(verb, "--quiet")] = lambda args: args + ["--log", "text"]
base_for[("report", "--quiet")] = lambda args: args
base_for[("report", "--force")] = lambda args: [args[0], "--out", "text.html"]

def without(args, name):
    out, k = [], 0
    while k < len(args):
        if args[k] == name:
            k += 1 + (0 if not takes_value[name] else len(takes_value[name].split()))
        else:
            out.append(args[k]); k += 1
    return out
takes_value = {n: w for t in takes.values() for n, w in t.items()}

# Times, and members of result.json that only repeat the command line.
def settle(text):
    text = re.sub(r'"(seconds|fit_seconds|seed|init)": [^,}\n]*', "", text)
    text = re.sub(r"\d[\d.e+-]* ?(s|ms|MB)\b", "T", text)
    return re.sub(r"(?m) +\d+\.\d{3}$", "", text)  # the last column of a log

def digest(folder):
    if not os.path.isdir(folder): return None
    out = {}
    for top, _, files in os.walk(folder):
        for f in files:
            data = open(os.path.join(top, f), "rb").read()
            if f.endswith(".json"): data = settle(data.decode()).encode()
            if f.endswith(".csv") and "history" in f:
                data = re.sub(rb"(?m),[^,\n]*$", b"", data)
            out[os.path.relpath(os.path.join(top, f), folder)] = hashlib.sha1(data).hexdigest()
    return out

def contents(file):
    return open(file, "rb").read() if os.path.exists(file) else None

def run(verb, args, force=False):
    for folder in "o", "p":
        if not force: shutil.rmtree(folder, ignore_errors=True)
    for file in "o.npy", "o.dat", "o.axes.json":
        if os.path.exists(file) and not force: os.remove(file)
    for left in "log.csv", "ck":
        if os.path.exists(left): os.remove(left)
    with open("text.html", "w") as f: f.write("not a page of ours")
    r = subprocess.run([crease, verb, *args], capture_output=True, text=True, timeout=120,
                       stdin=subprocess.DEVNULL, env={**os.environ, "OMP_NUM_THREADS": "2"})
    return (r.returncode, settle(r.stdout), settle(r.stderr), digest("o"), digest("p"), contents("o.npy"), contents("o.dat"),
            os.path.exists("log.csv")), r.stderr, r.returncode

def place(args, words):  # before "--", where there is one
    at = args.index("--") if "--" in args else len(args)
    return args[:at] + words + args[at:]

memory, ignored, errors, refused, changed = {}, [], [], 0, 0
def base(verb, args, force):
    key = (verb, tuple(args), force)
    if key not in memory:
        if force: run(verb, args)
        memory[key] = run(verb, args, force)[0]
    return memory[key]

only = os.environ.get("ONLY")
covered = set()
for verb, name, args in cases:
    if only and not re.search(only, f"{verb} {name}"): continue
    covered.add(verb)
    for option in takes[verb]:
        mine = args
        for key in ((verb, name, option), (verb, option)):
            if key in base_for: mine = base_for[key](args); break
        force = option == "--force"
        outcome = "ignored"
        if option not in value: errors.append(f"no value for {option}: add it to the table"); continue
        for words in own.get((verb, name, option), own.get((verb, option), value[option])):
            here = mine
            if option in here: here = without(here, option)
            if force: run(verb, mine)
            got, stderr, code = run(verb, place(here, [option, *words]), force)
            bare = option.lstrip("-").replace("-", "[-_ ]")
            if code == 64 and re.search(r"(--|\b)" + bare + r"\b", stderr): outcome = "refused"
            elif code in (64, 65): errors.append(f"{verb} ({name}) {option} {words}: {stderr.strip()}"); outcome = "error"; continue
            elif got != base(verb, place(args, ["--json"]) if option == "--input" else mine, force):
                outcome = "changed"
            if outcome in ("refused", "changed"): break
        if outcome == "ignored": ignored.append(f"{verb} ({name}) {option}")
        if outcome == "refused": refused += 1
        if outcome == "changed": changed += 1
for verb in set(takes) - covered - {"version"}:
    if not only: errors.append(f"no case for the verb {verb}")
print(f"{changed} change something, {refused} are refused")
for line in ignored: print("ignored:", line)
for line in errors: print("error:", line)
sys.exit(bool(ignored or errors))
PY
judge $? "options"
finish
