"""Runs that are killed at random times and resumed end in the bits of the run that was not.

    kill.py CREASE TRIALS SEED [CASE...]

Each trial takes a case and a signal, SIGKILL and SIGINT in turn: the same command, with --checkpoint
and --resume, is interrupted up to three times at random moments and then left alone. Every array of
its folder is compared with that of an uninterrupted run without a checkpoint, bit for bit, and so
are the numbers of its JSON files (times, counts of work and names of files aside)."""
import json, os, random, shutil, signal, subprocess, sys, time
import numpy as np

crease, trials, seed, wanted = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
rng = random.Random(seed)


def sh(*argv):
    subprocess.run([crease, *argv], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=environment)


def data():
    sh("generate", "cp", "--shape", "30,24,20", "--rank", "3", "--outliers", "0.1", "--magnitude", "3",
       "--noise", "0.02", "--seed", "3", "--out", "cp")
    sh("generate", "tucker", "--shape", "24,20,16", "--rank", "3,2,2", "--outliers", "0.1", "--magnitude",
       "3", "--noise", "0.02", "--seed", "4", "--out", "tucker")
    sh("generate", "matrix", "--shape", "60,45", "--rank", "3", "--outliers", "0.1", "--magnitude", "3",
       "--noise", "0.02", "--seed", "5", "--out", "matrix")
    draw = np.random.default_rng(0)
    tensor = np.load("cp/tensor.npy")
    np.save("shifted.npy", tensor + draw.normal(size=(30, 1, 1)))
    tensor[draw.random(tensor.shape) < 0.1] = np.nan
    np.save("holes.npy", tensor)
    sh("rpca", "cp/tensor.npy", "--rank", "3", "--out", "model")
    np.save("new.npy", np.concatenate([np.load("cp/tensor.npy")] * 20))
    x = draw.normal(size=(120, 200))
    np.save("X.npy", x)
    wide = draw.normal(size=(300, 700))
    np.save("A.npy", wide)
    np.save("b.npy", wide[:, :9] @ draw.normal(size=9) + 0.3 * draw.normal(size=300))
    lasso = {"crease": 1, "blocks": [{"name": "x", "shape": 700, "regularizer": "mcp:30,3"}],
             "smooth": [{"least_squares": {"terms": {"x": "A.npy"}, "rhs": "b.npy"}}]}
    split = {"crease": 1, "blocks": [{"name": "x", "shape": 700, "regularizer": "l1:30"},
                                     {"name": "z", "shape": 300}],
             "constraint": {"maps": {"x": "A.npy", "z": -1}, "rhs": "b.npy"},
             "smooth": [{"squared_distance": {"a": "z"}}]}
    smooth = {"crease": 1, "blocks": [{"name": "x", "shape": 200, "regularizer": "tv1d:1"}],
              "constraint": {"maps": {"x": "X.npy"}, "rhs": "y.npy"}}
    json.dump(smooth, open("tv.json", "w"))
    json.dump(lasso, open("mcp.json", "w"))
    json.dump(split, open("split.json", "w"))
    np.save("y.npy", x[:, :5] @ [3, -2, 1.5, 1, -1] + draw.normal(size=120))
    np.save("labels.npy", np.sign(x[:, 0] - x[:, 1] + 0.5 * draw.normal(size=120)))


CP = ["rpca", "cp/tensor.npy"]
# name: arguments; a case is there when its verb can be resumed
cases = {
    "rpca rank": CP,
    "rpca center": ["rpca", "shifted.npy", "--rank", "3", "--center", "0"],
    "rpca missing": ["rpca", "holes.npy", "--missing", "nan", "--rank", "4", "--starts", "4"],
    "rpca admm-g": CP + ["--rank", "3", "--method", "admm-g"],
    "rpca admm-m": ["rpca", "holes.npy", "--missing", "nan", "--rank", "3", "--method", "admm-m"],
    "rpca prox-bcd": CP + ["--rank", "3", "--method", "prox-bcd", "--precision", "single"],
    "rpca groups": CP + ["--rank", "3", "--method", "admm-g", "--penalty", "group-l1", "--groups", "fibres:2"],
    "rpca tucker": ["rpca", "tucker/tensor.npy", "--model", "tucker"],
    "rpca matrix": ["rpca", "matrix/tensor.npy", "--model", "matrix", "--eta", "auto"],
    "rpca pcp": ["rpca", "matrix/tensor.npy", "--model", "pcp", "--eps", "1e-4"],
    "regress cv": ["regress", "X.npy", "y.npy", "--cv", "5"],
    "regress mcp": ["regress", "X.npy", "y.npy", "--penalty", "mcp", "--ascending", "--path", "60"],
    "regress logistic": ["regress", "X.npy", "labels.npy", "--loss", "logistic", "--path", "40"],
    "spca": ["spca", "cp/tensor.npy", "--components", "3", "--starts", "6"],
    "spca gcg": ["spca", "cp/tensor.npy", "--components", "2", "--method", "gcg", "--eps", "1e-3"],
    "solve prox-bcd": ["solve", "mcp.json", "--method", "prox-bcd", "--accelerate", "0", "--eps", "1e-7"],
    "solve admm-g": ["solve", "split.json", "--method", "admm-g", "--eps", "1e-6"],
    "solve extension": ["solve", "split.json", "--method", "extension", "--eps", "1e-5"],
    "solve panoc": ["solve", "mcp.json", "--method", "panoc", "--eps", "1e-9"],
    "solve multipliers": ["solve", "tv.json", "--method", "multipliers", "--eps", "1e-5"],
    "solve starts": ["solve", "mcp.json", "--starts", "12"],
    "apply": ["apply", "model", "new.npy"],
    "rpca mcp": CP + ["--rank", "3", "--penalty", "mcp:1,3", "--starts", "3", "--nonneg"],
}


def command(case, out, *more):
    return [crease, *cases[case], "--out", out, "--force", *more]


TIMES = {"phases", "created", "command", "seal", "files", "history", "bytes",
         "sha256", "hash", "data", "problem"}


def numbers(value):
    if isinstance(value, dict):
        return {k: numbers(v) for k, v in sorted(value.items()) if k not in TIMES and "seconds" not in k}
    if isinstance(value, list):
        return [numbers(v) for v in value]
    return value


def content(folder):
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if name.endswith(".npy"):
            array = np.load(path)
            found[name] = (array.shape, array.tobytes())
        elif name.endswith(".json"):
            found[name] = numbers(json.load(open(path)))
    return found


def differences(a, b, where=""):
    if isinstance(a, dict) and isinstance(b, dict):
        return [d for k in sorted({*a, *b}) for d in differences(a.get(k), b.get(k), f"{where}/{k}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for k, (x, y) in enumerate(zip(a, b)) for d in differences(x, y, f"{where}/{k}")]
    same = a == b or (a != a and b != b)
    show = "" if isinstance(a, tuple) else f": {a} and {b}"
    return [] if same else [where + show]


def reference(case):
    begun = time.monotonic()
    sh(*cases[case], "--out", "reference", "--force")
    return content("reference"), time.monotonic() - begun


def interrupt(argv, number, after):
    """Whether it ended by itself, its exit code and log."""
    run = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=environment)
    try:
        log = run.communicate(timeout=after)[1]
    except subprocess.TimeoutExpired:
        run.send_signal(number)
        log = run.communicate(timeout=60)[1]
    return run.returncode, log


tally = {"interrupted": 0, "resumed": 0, "finished parts": 0, "in the middle": 0, "from the start": 0}
broken = []


def trial(case, number, known, length):
    shutil.rmtree("o", ignore_errors=True)
    if os.path.exists("ck"):
        os.remove("ck")
    argv = command(case, "o", "--checkpoint", "ck", "--checkpoint-every", "0.01", "--resume", "ck")
    log, code, stops = "", None, rng.randint(1, 3)
    for k in range(stops + 1):
        there = os.path.exists("ck")
        code, log = interrupt(argv, number, 120 if k == stops else rng.uniform(0.01, 1.3 * length))
        if there and ("did not fit" in log or "damaged" in log or "another run" in log):
            return f"the checkpoint was not taken: {log[-300:]}"
        tally["resumed"] += there
        tally["finished parts"] += "finished part" in log
        tally["in the middle"] += "in its middle\n" in log
        if code == 0 and "complete" in log:
            break  # not: stopped early, at a point that is certified all the same
        if code not in (-9, -2, 130, 2, 0):
            return f"exit {code}: {log[-300:]}"
        tally["interrupted"] += 1
        tally["from the start"] += not os.path.exists("ck")
    if code != 0:
        return f"exit {code} at the end: {log[-300:]}"
    if os.path.exists("ck"):
        return "the checkpoint is still there"
    off = differences(known, content("o"))
    return f"{len(off)} differences: {'; '.join(off[:3])[:300]}" if off else None


def main():
    data()
    names = [n for n in cases if not wanted or any(w in n for w in wanted)]
    begun, known = time.monotonic(), {}
    for k in range(trials):
        case, number = names[k // 2 % len(names)], (signal.SIGKILL, signal.SIGINT)[k % 2]
        if case not in known:
            known[case] = reference(case)
        wrong = trial(case, number, *known[case])
        if wrong:
            broken.append(f"{case}, {number.name}, trial {k}: {wrong}")
            print("WRONG", broken[-1], flush=True)
        for left in os.listdir("."):
            if left.endswith(".tmp") or left.startswith(("o.", ".o")):
                shutil.rmtree(left) if os.path.isdir(left) else os.remove(left)
    print(f"{trials} trials of {len(names)} cases, {time.monotonic() - begun:.0f} s: {len(broken)} wrong;",
          ", ".join(f"{v} {k}" for k, v in tally.items()))
    for case, (_, length) in known.items():
        print(f"  {case}: {length:.2f} s")
    return bool(broken)


sys.exit(main())
