"""Ends commands at random times, by --max-seconds or by SIGINT, and judges what is left: how late the
program ended, its exit code, the folder it wrote and the seconds that it tells.

    limits.py CREASE --entries N --trials K [--late S] [--only VERB] [--seed S]

Prints a line per case: the worst lateness by limits and by signals, the CPU seconds of that time (two
threads or more add up), and the phase that it was met in."""
import argparse, json, os, random, shutil, signal, subprocess, sys, tempfile, time
import numpy as np

PHASES = ["read", "center", "rank", "start", "fit", "certify", "check", "write"]


def cube(n, order):
    """A shape of about n entries."""
    side = max(4, round(n ** (1 / order)))
    return [side] * (order - 1) + [max(4, n // side ** (order - 1))]


def prepare(crease, n):
    rng = np.random.default_rng(0)
    comma = lambda s: ",".join(map(str, s))
    noise = ["--outliers", "0.05", "--magnitude", "5", "--noise", "0.1", "--seed", "1"]
    run = lambda *a: subprocess.run([crease, *a], check=True, stdout=subprocess.DEVNULL)
    run("generate", "cp", "--shape", comma(cube(n, 3)), "--rank", "4", *noise, "--out", "cp")
    run("generate", "tucker", "--shape", comma(cube(n, 3)), "--rank", "3,3,3", *noise, "--out", "tucker")
    run("generate", "matrix", "--shape", comma(cube(n, 2)), "--rank", "4", *noise, "--out", "matrix")
    small = max(400, n // 8)
    run("generate", "matrix", "--shape", comma(cube(small, 2)), "--rank", "3", *noise, "--out", "square")
    t = np.load("cp/tensor.npy")
    t[rng.uniform(size=t.shape) < 0.2] = np.nan
    np.save("holes.npy", t)
    rows = cube(n, 2)[0] // 2 + 2
    X = rng.normal(size=(rows, n // rows))
    y = X[:, :10] @ rng.normal(size=10) + rng.normal(size=rows)
    np.save("X.npy", X), np.save("y.npy", y), np.save("c.npy", (y > 0) * 1.0)
    table = rng.normal(size=(max(20, n // 400), 100))
    np.savetxt("table.csv", table, delimiter=",", fmt="%.6g")
    fit = [{"least_squares": {"terms": {"x": "X.npy"}, "rhs": "y.npy"}}]
    p, n_x = {"crease": 1, "smooth": fit}, X.shape[1]
    json.dump({**p, "blocks": [{"name": "x", "shape": n_x, "regularizer": "mcp:9,3"}]}, open("lasso.json", "w"))
    json.dump({**p, "blocks": [{"name": "z", "shape": n_x, "regularizer": "l1:9"}, {"name": "x", "shape": n_x}],
               "constraint": {"maps": {"x": 1, "z": -1}, "rhs": 0}}, open("split.json", "w"))
    json.dump({**p, "blocks": [{"name": "x", "shape": n_x, "set": "l1-ball:3"}]}, open("ball.json", "w"))
    run("rpca", "cp/tensor.npy", "--rank", "4", "--quiet", "--out", "model")


CASES = {
    "rpca cp": ["rpca", "cp/tensor.npy", "--rank", "4", "--eps", "1e-12", "--quiet"],
    "rpca cp auto": ["rpca", "cp/tensor.npy", "--eps", "1e-12", "--quiet"],
    "rpca cp starts": ["rpca", "cp/tensor.npy", "--rank", "4", "--starts", "20", "--quiet"],
    "rpca cp mcp holes": ["rpca", "holes.npy", "--missing", "nan", "--rank", "4", "--penalty", "mcp:1,3",
                          "--eps", "1e-12", "--quiet"],
    "rpca cp nonneg": ["rpca", "cp/tensor.npy", "--rank", "4", "--nonneg", "--quiet"],
    "rpca cp admm-g": ["rpca", "cp/tensor.npy", "--rank", "4", "--method", "admm-g", "--eps", "1e-12", "--quiet"],
    "rpca cp als": ["rpca", "cp/tensor.npy", "--rank", "4", "--method", "prox-bcd", "--init", "als",
                    "--eps", "1e-12", "--quiet"],
    "rpca cp groups": ["rpca", "cp/tensor.npy", "--rank", "4", "--penalty", "group-l1:1", "--groups",
                       "fibres:2", "--eps", "1e-12", "--quiet"],
    "rpca tucker": ["rpca", "tucker/tensor.npy", "--model", "tucker", "--rank", "3", "--eps", "1e-12", "--quiet"],
    "rpca tucker auto": ["rpca", "tucker/tensor.npy", "--model", "tucker", "--eps", "1e-12", "--quiet"],
    "rpca matrix": ["rpca", "matrix/tensor.npy", "--model", "matrix", "--eps", "1e-12", "--quiet"],
    "rpca ball": ["rpca", "matrix/tensor.npy", "--model", "matrix", "--rank", "4", "--eta", "auto", "--quiet"],
    "rpca pcp": ["rpca", "square/tensor.npy", "--model", "pcp", "--quiet"],
    "rpca csv": ["rpca", "table.csv", "--rank", "3", "--eps", "1e-12", "--quiet"],
    "spca": ["spca", "cp/tensor.npy", "--components", "20"],
    "spca gcg": ["spca", "cp/tensor.npy", "--components", "20", "--method", "gcg"],
    "regress": ["regress", "X.npy", "y.npy", "--cv", "5"],
    "regress logistic": ["regress", "X.npy", "c.npy", "--loss", "logistic", "--penalty", "mcp:3", "--cv", "5"],
    "apply": ["apply", "model", "cp/tensor.npy"],
    "generate": ["generate", "cp", "--shape", "SHAPE", "--rank", "4", "--noise", "1"],
    "generate tucker": ["generate", "tucker", "--shape", "SHAPE", "--rank", "4", "--noise", "1"],
    "solve": ["solve", "lasso.json", "--eps", "1e-13", "--quiet"],
    "solve admm-m": ["solve", "split.json", "--method", "admm-m", "--eps", "1e-13", "--quiet"],
    "solve admm-g": ["solve", "split.json", "--method", "admm-g", "--eps", "1e-13", "--quiet"],
    "solve gcg": ["solve", "ball.json", "--method", "gcg", "--line-search", "1", "--eps", "1e-13", "--quiet"],
    "verify": ["verify", "model"],
}


def cpu(pid):
    try:
        f = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
        return (int(f[11]) + int(f[12])) / os.sysconf("SC_CLK_TCK")
    except OSError:
        return float("nan")


def ended(argv, at, kind):
    """Runs to the end: seconds, CPU seconds after `at`, exit code, errors."""
    if kind == "limit":
        argv = argv + ["--max-seconds", "%.4f" % at]
    begun, children = time.monotonic(), sum(os.times()[2:4])
    # the leak check of a sanitizer waits for ever when a signal falls into it
    env = dict(os.environ, ASAN_OPTIONS="detect_leaks=0")
    p = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=open("stderr", "w"), env=env)
    try:
        p.wait(at)
    except subprocess.TimeoutExpired:
        pass
    used = cpu(p.pid)
    if kind == "signal" and p.poll() is None:
        p.send_signal(signal.SIGINT)
    try:
        p.wait(120)
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
    wall = time.monotonic() - begun
    return wall, sum(os.times()[2:4]) - children - used, p.returncode, open("stderr").read()


def phase_at(seconds, at):
    for name in PHASES:
        at -= seconds[name]
        if at < 0:
            return name
    return "end"


def judge(crease, verb, kind, code, late, err, wall):
    """What is wrong, or None; and where the time was."""
    # a signal may cut the check of an answer that was found: nothing is known of it, exit 2
    good = {"limit": (0, 2), "signal": (0, 2, 130, -signal.SIGINT)}[kind]
    if code not in good:
        return "exit %d: %s" % (code, err.strip()[-200:]), None
    if verb == "verify" or (verb == "generate" and not os.path.exists("out")):
        return None, None
    if not os.path.exists("out/result.json"):
        # a signal before the program has begun ends it as any other
        told = code in (130, -signal.SIGINT) or ("did not end before" in err and code == 2)
        return (None if told else "no folder, exit %d: %s" % (code, err.strip()[-200:])), "cut"
    d = json.load(open("out/result.json"))
    if verb == "generate":
        return None, None
    if d["exit_status"] != code:
        return "exit %d, result.json says %d" % (code, d["exit_status"]), None
    told = d["phase_seconds"]
    beyond = wall - d["seconds"]  # the process begins and ends, beside whatever else the machine does
    if abs(sum(told.values()) - d["seconds"]) > 1e-9 or not -0.01 < beyond < 0.5 + 0.2 * wall:
        return "%.3f s told, %.3f s were needed" % (d["seconds"], wall), None
    left = [f for f in os.listdir(".") if f.startswith("out") and f != "out" or f.endswith((".tmp", ".old"))]
    if left:
        return "left behind: %s" % left, None
    return None, told


def verified(crease, code):
    """The folder is whole, and no claim in it is false."""
    r = subprocess.run([crease, "verify", "out", "--json"], capture_output=True, text=True)
    if r.returncode not in (0, 1, 2):
        return "verify: exit %d: %s" % (r.returncode, r.stderr.strip()[-200:])
    v, d = json.loads(r.stdout), json.load(open("out/result.json"))
    if v.get("changed"):
        return "verify: the folder is not whole: %s" % v["reason"]
    if d["verdict"] == "VALID" and v["verdict"] != "VALID":
        return "verify: %s, but the result says VALID" % v["verdict"]
    return None


def trial(crease, name, argv, at, kind, late, check):
    shutil.rmtree("out", ignore_errors=True)
    verb = argv[0]
    full = [crease] + argv + ([] if verb == "verify" else ["--out", "out"])
    wall, work, code, err = ended(full, at, kind)
    over = wall - at
    wrong, told = judge(crease, verb, kind, code, over, err, wall)
    if not wrong and check and os.path.exists("out/certificate.json"):
        wrong = verified(crease, code)
    if not wrong and over > late:
        wrong = "%.2f s late" % over
    where = phase_at(told, at) if isinstance(told, dict) else told or verb
    return over, work, where, wrong


def main():
    a = argparse.ArgumentParser()
    a.add_argument("crease")
    a.add_argument("--entries", type=float, default=1e5)
    a.add_argument("--trials", type=int, default=4)
    a.add_argument("--late", type=float, default=1)
    a.add_argument("--longest", type=float, default=30)
    a.add_argument("--only", default="")
    a.add_argument("--seed", type=int, default=0)
    a.add_argument("--no-verify", action="store_true")
    a.add_argument("--work", help="folder whose data are made once and kept")
    o = a.parse_args()
    crease, draw = os.path.abspath(o.crease), random.Random(o.seed)
    work = o.work or tempfile.mkdtemp()
    os.makedirs(work, exist_ok=True)
    os.chdir(work)
    if not os.path.exists("model"):
        prepare(crease, int(o.entries))
    failed = done = 0
    for name, argv in CASES.items():
        if not name.startswith(o.only):
            continue
        argv = [",".join(map(str, cube(int(o.entries), 3))) if w == "SHAPE" else w for w in argv]
        worst = {"limit": (-9, 0, ""), "signal": (-9, 0, "")}
        shutil.rmtree("out", ignore_errors=True)
        out = [] if argv[0] == "verify" else ["--out", "out"]
        begun = time.monotonic()
        try:
            subprocess.run([crease] + argv + out, timeout=o.longest, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            pass
        length = time.monotonic() - begun
        for f in os.listdir("."):
            if f.startswith("out."):
                shutil.rmtree(f)
        for k in range(2 * o.trials):
            kind = ("limit", "signal")[k % 2]
            at = length * draw.uniform(0.02, 0.98)
            over, work, where, wrong = trial(crease, name, argv, at, kind, o.late, not o.no_verify)
            done += 1
            if over > worst[kind][0]:
                worst[kind] = over, work, where
            if wrong:
                failed += 1
                print("FAILED %s, %s at %.2f s (%s), %.2f s late: %s" % (name, kind, at, where, over, wrong))
        print("%-18s %6.2f s   limit %6.2f s late (CPU %.2f, %s)   signal %6.2f s late (CPU %.2f, %s)" %
              (name, length, *worst["limit"], *worst["signal"]), flush=True)
    print("%d passed, %d failed" % (done - failed, failed))
    if not o.work:
        os.chdir("/")
        shutil.rmtree(work)
    sys.exit(failed > 0)


main()
