# Data times 10^k, for every model: the answer is that of k = 0 in other units, or the data are
# refused with a sentence; never an internal error, never VALID for another answer, never slow.
# Arguments: PROGRAM FOLDER DECADES [CASE...]. DECADES are -300,-150,0,150, or -300:300:1, each of them
# also judged by crease verify; or some:N, N of the borders and every 20th decade for each case, others
# for the next. A line per case, a letter per decade: = the same answer, r refused; and what is wrong:
# ! another answer, x another exit, s slow, i an internal error.
import json, os, shutil, subprocess, sys, time

import numpy as np

program, folder = sys.argv[1], sys.argv[2]
TOLERANCE, SLOW, LEAST = 1e-6, 10, 0.5
SOME = sys.argv[3].startswith("some:")
random = np.random.default_rng(7)


def low_rank(shape, rank, outliers=0.05):
    factors = [random.standard_normal((n, rank)) for n in shape]
    letters = "abcdef"[: len(shape)]
    T = np.einsum(",".join(f"{c}z" for c in letters) + "->" + letters, *factors)
    T += 0.01 * random.standard_normal(shape)
    T[random.random(shape) < outliers] += 8
    return T


T = low_rank((12, 10, 8), 2)
M = low_rank((24, 18), 2)
P = low_rank((16, 12), 1, 0.02)
N = np.where(random.random(T.shape) < 0.1, np.nan, T)
S = np.einsum("a,b,c->abc", *[np.r_[np.ones(3), np.zeros(n - 3)] for n in (10, 9, 8)])
S = 5 * S + 0.1 * random.standard_normal(S.shape)
X = random.standard_normal((40, 8))
y = X @ np.r_[2.0, -1.5, 1, np.zeros(5)] + 0.3 * random.standard_normal(40)
y[:3] += 6
labels = (X[:, 0] + 0.5 * random.standard_normal(40) > 0).astype(float)
problem = json.load(open("examples/problems/lasso.json"))
A = np.array(problem["smooth"][0]["least_squares"]["terms"]["x"])
b = np.array(problem["smooth"][0]["least_squares"]["rhs"])


def rpca(data, *options, units=("lowrank", "sparse")):
    """options are texts, or functions of the scale; the arrays named are in the data's unit."""

    def make(at, s):
        np.save(f"{at}/T.npy", data * s)
        given = [o(s) if callable(o) else o for o in options]
        threads = [] if "pcp" in given else ["--threads", "1"]
        return ["rpca", f"{at}/T.npy", *threads, "--quiet", *given], {u: s for u in units}

    return make


def spca(*options):
    def make(at, s):
        np.save(f"{at}/T.npy", S * s)
        given = [o(s) if callable(o) else o for o in options]
        return ["spca", f"{at}/T.npy", "--components", "2", *given], \
            {"weights": s} if "gcg" in given else {"weights": s, "+factor_1": 1}

    return make


def regress(*options, of_x=0, of_y=1, target=y):
    """X times s^of_x, y times s^of_y: coefficients times s^(of_y - of_x)"""

    def make(at, s):
        unit = np.array([1.0] + [s**-of_x] * 8) * s**of_y
        np.save(f"{at}/X.npy", X * s**of_x)
        np.save(f"{at}/y.npy", target * s**of_y)
        given = [o(s) if callable(o) else o for o in options]
        return ["regress", f"{at}/X.npy", f"{at}/y.npy", "--path", "5", *given], {"coefficients": unit}

    return make


def solve(block, smooth, constraint=None, units=None, **options):
    """block, smooth and constraint are functions of the scale."""

    def make(at, s):
        document = {"crease": 1, "blocks": block(s), "smooth": smooth(s)}
        document["options"] = {"relative": True, **options}
        if constraint:
            document["constraint"] = constraint(s)
        json.dump(document, open(f"{at}/p.json", "w"))
        return ["solve", f"{at}/p.json", "--quiet"], units(s)

    return make


def predictor(s):
    return {"terms": {"x": A.tolist()}, "rhs": (b * s).tolist()}


def loss(name, reg="l1", **scaled):
    """A loss of A x - b, its parameters in the unit of b, and lambda |x|_1 that goes with it."""

    def make_smooth(s):
        return [{name: {**predictor(s), **{k: v * s for k, v in scaled.items()}}}]

    return solve(
        lambda s: [{"name": "x", "shape": 5, "regularizer": f"{reg}:{0.5 * s}"}],
        make_smooth,
        units=lambda s: {"x_x": s},
    )


LENGTHS = {"l1": "1", "mcp": "10", "scad": "10", "box": "11", "l2-ball": "1", "l1-ball": "1", "simplex": "1"}


def times(value, s):
    """Numbers, lists of them, and the entries name:p,q or {name: {p: .}} of the catalogue, x in units of s."""
    if isinstance(value, str):
        name, _, pars = value.partition(":")
        pars = [float(p) * (s if which == "1" else 1) for p, which in zip(pars.split(","), LENGTHS[name])]
        return name + ":" + ",".join(repr(float(p)) for p in pars)
    if isinstance(value, dict):
        return {k: {p: times(v, s) if p not in ("gamma", "a", "lambda2") else v for p, v in pars.items()}
                for k, pars in value.items()}
    return (np.array(value) * s).tolist()


def example(name):
    """x and f of an example in units of s and s^2: every length in it times s."""

    def make(at, s):
        d = json.load(open(f"examples/problems/{name}.json"))
        for block in d["blocks"]:
            for key in ("regularizer", "set", "start"):
                if key in block:
                    block[key] = times(block[key], s)
        for term in d["smooth"]:
            for coupling in term.values():
                for key in ("rhs", "d", "delta"):
                    if key in coupling:
                        coupling[key] = times(coupling[key], s)
                coupling["q"] = {b: times(q, s) for b, q in coupling.get("q", {}).items()}
                if not coupling["q"]:
                    del coupling["q"]
        if "rhs" in d.get("constraint", {}):
            d["constraint"]["rhs"] = times(d["constraint"]["rhs"], s)
        d["options"] = {**d.get("options", {}), "relative": True, "eps": 1e-9}
        d.pop("$schema", None)
        json.dump(d, open(f"{at}/p.json", "w"))
        return ["solve", f"{at}/p.json", "--quiet"], {f"x_{b['name']}": s for b in d["blocks"]}

    return make


def applied(at, s):
    model = f"{folder}/model"
    if not os.path.exists(model):
        np.save(f"{folder}/M.npy", T)
        subprocess.run([program, "rpca", f"{folder}/M.npy", "--rank", "2", "--quiet", "--out", model],
                       stdout=subprocess.DEVNULL, check=True)
    np.save(f"{at}/T.npy", T[:3] * s)
    return ["apply", model, f"{at}/T.npy"], {}


def applied_whole(at, s):
    """The model and the new data in the same unit."""
    np.save(f"{at}/M.npy", T * s)
    if subprocess.run([program, "rpca", f"{at}/M.npy", "--rank", "2", "--quiet", "--out", f"{at}/model"],
                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60).returncode:
        return None, None
    np.save(f"{at}/T.npy", T[:3] * s)
    return ["apply", f"{at}/model", f"{at}/T.npy"], {"lowrank": s, "sparse": s}


def alpha(s):
    return f"--alpha={0.4 * s}"


two, tight = ("--rank", "2"), ("--eps", "1e-9")  # two stationary points may be eps apart
TOLERANCES = {"cp-single": 1e-4}
CASES = {
    "cp": rpca(T, *two),
    "cp-nonneg": rpca(np.abs(T), *two, "--nonneg"),
    "cp-auto-rank": rpca(T),
    "cp-center": rpca(T + 3, *two, "--center", "all"),
    "cp-missing": rpca(N, *two, "--missing", "nan"),
    "cp-mcp": rpca(T, *two, "--penalty", "mcp:1,3"),
    "cp-alpha": rpca(T, *two, alpha),
    "cp-alpha-same": rpca(T, *two, "--alpha", "0.4", units=()),
    "cp-ridge": rpca(T, *two, alpha, lambda s: f"--ridge={0.1 * 10**(4 / 3 * np.log10(s))}"),
    "cp-group": rpca(T, *two, alpha, *tight, "--penalty", "group-l1:1", "--groups", "fibres:0"),
    "cp-admm-g": rpca(T, *two, alpha, "--method", "admm-g"),
    "cp-admm-m": rpca(T, *two, alpha, "--method", "admm-m"),
    "cp-prox-bcd": rpca(T, *two, alpha, "--method", "prox-bcd"),
    "cp-bcd": rpca(T, *two, alpha, "--method", "bcd"),
    "cp-single": rpca(T, *two, alpha, "--method", "admm-g", "--precision", "single"),
    "cp-scad": rpca(T, *two, "--alpha=1", lambda s: f"--penalty=scad:{0.4 * s},3.7"),
    "cp-lsp": rpca(T, *two, "--alpha=1", lambda s: f"--penalty=lsp:{0.1 * s * s},{0.4 * s}"),
    "cp-l0": rpca(T, *two, "--alpha=1", lambda s: f"--penalty=l0:{0.1 * s * s}"),
    "tucker": rpca(T, "--model", "tucker", "--rank", "2,2,2", *tight),
    "tucker-auto": rpca(T, "--model", "tucker", *tight),
    "tucker-missing": rpca(N, "--model", "tucker", "--rank", "2,2,2", "--missing", "nan", *tight),
    "tucker-alpha": rpca(T, "--model", "tucker", "--rank", "2,2,2", alpha, *tight),
    "tucker-center": rpca(T + 3, "--model", "tucker", "--rank", "2,2,2", "--center", "all", *tight),
    "matrix": rpca(M, "--model", "matrix", *two),
    "matrix-mcp": rpca(M, "--model", "matrix", *two, "--penalty", "mcp:1,3"),
    "ball": rpca(M, "--model", "matrix", *two, "--eta", "auto"),
    "ball-eta": rpca(M, "--model", "matrix", *two, *tight, lambda s: f"--eta={0.2 * s}"),
    "pcp": rpca(P, "--model", "pcp", *tight),
    "spca": spca(),
    "spca-noise": spca("--alpha", "noise"),
    "spca-alpha": spca(lambda s: f"--alpha={0.8 * s}"),
    "spca-gcg": spca("--method", "gcg", "--eps", "1e-10"),
    "regress-y": regress(),
    "regress-x": regress(of_x=1, of_y=0),
    "regress-xy": regress(of_x=1),
    "regress-huber-y": regress("--loss", "huber"),
    "regress-huber-c": regress("--loss", "huber:0.5", of_x=1, of_y=0),
    "regress-huber-yc": regress("--loss", lambda s: f"huber:{0.5 * s}"),
    "regress-cauchy-y": regress("--loss", "cauchy"),
    "regress-cauchy-xy": regress("--loss", "cauchy", of_x=1),
    "regress-logistic-x": regress("--loss", "logistic", of_x=1, of_y=0, target=labels),
    "regress-mcp-y": regress("--penalty", "mcp:3"),
    "regress-raw-y": regress("--no-standardize"),
    "regress-raw-x": regress("--no-standardize", of_x=1, of_y=0),
    "regress-raw-xy": regress("--no-standardize", "--loss", "huber", *tight, of_x=1),
    "regress-apart": regress("--no-standardize", *tight, of_x=0.5, of_y=-0.5),
    "regress-huber-apart": regress("--no-standardize", "--loss", "huber", *tight, of_x=-0.5,
                                   of_y=0.5),
    "regress-cv-y": regress("--cv", "4"),
    "apply": applied_whole,
    "apply-other": applied,
    "lasso": loss("least_squares"),
    "mcp": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": f"mcp:{0.5 * s},3"}],
                 lambda s: [{"least_squares": predictor(s)}], units=lambda s: {"x_x": s}),
    "huber": loss("huber", delta=0.5),
    "tukey": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": "squared-l2:1"}],
                   lambda s: [{"tukey": predictor(s)}], units=lambda s: {}),
    "cauchy": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": "squared-l2:1"}],
                    lambda s: [{"cauchy": predictor(s)}], units=lambda s: {}),
    "welsch": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": "squared-l2:1"}],
                    lambda s: [{"welsch": predictor(s)}], units=lambda s: {}),
    "geman": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": "squared-l2:1"}],
                   lambda s: [{"geman": predictor(s)}], units=lambda s: {}),
    "huber-same": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": "l1:0.1"}],
                        lambda s: [{"huber": {**predictor(s), "delta": 0.5}}], units=lambda s: {}),
    "lp": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": "l1:0.1"}],
                lambda s: [{"lp_loss": {**predictor(s), "p": 1.5}}], units=lambda s: {}),
    "sharing": solve(lambda s: [{"name": "x", "shape": 5, "regularizer": f"l1:{0.5 * s}"},
                                {"name": "u", "shape": 8}],
                     lambda s: [{"squared_distance": {"a": "u", "weight": 1}}],
                     lambda s: {"maps": {"x": A.tolist(), "u": 1}, "rhs": (b * s).tolist()},
                     units=lambda s: {"x_x": s, "x_u": s}),
    "box": solve(lambda s: [{"name": "x", "shape": 5, "set": {"box": {"low": -s, "high": s}}}],
                 lambda s: [{"least_squares": predictor(s)}], units=lambda s: {"x_x": s}, eps=1e-9),
    "from-zero": solve(lambda s: [{"name": "x", "shape": 3, "set": "box:0,1"}],
                       lambda s: [{"quadratic": {"Q": {"x": (s * np.eye(3)).tolist()},
                                                 "q": {"x": [-2 * s, -0.4 * s, -3 * s]}}}],
                       units=lambda s: {"x_x": 1}, eps=1e-9),
    "objective": solve(lambda s: [{"name": "x", "shape": 4, "set": "simplex:1",
                                   "start": [0.4, 0.3, 0.2, 0.1]}],
                       lambda s: [{"quadratic": {"Q": {"x": (s * np.diag([1.0, 2, 3, 4])).tolist()}}}],
                       units=lambda s: {"x_x": 1}),
}

for name in ("consensus", "consensus_mcp", "elastic_net", "farthest", "first", "indefinite_box", "l1_ball",
             "mcp_regression", "rank_deficient", "sharing", "sharing_mcp", "simplex"):
    CASES[f"example-{name}"] = example(name)


def run(case, s):
    """(letter, arrays, seconds, sentence)"""
    at = f"{folder}/{case}"
    shutil.rmtree(at, ignore_errors=True)
    os.makedirs(at)
    begun = time.time()
    with np.errstate(all="ignore"):
        command, units = CASES[case](at, np.float64(s))
    if command is None:
        return 64, {}, time.time() - begun, "the model was refused"
    try:
        done = subprocess.run([program, *command, "--out", f"{at}/out"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return -1, {}, 60, "no end after 60 s"
    seconds = time.time() - begun
    if done.returncode in (0, 2) and not SOME:
        again = subprocess.run([program, "verify", f"{at}/out"], stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True, timeout=120)
        if again.returncode != (0 if done.returncode == 0 else again.returncode):
            return -2, {}, seconds, f"verify: {again.stdout[-200:]} {again.stderr[-200:]}"
    arrays = {}
    for name, unit in units.items() if done.returncode in (0, 2) else ():
        arrays[name] = np.load(f"{at}/out/{name.lstrip('+')}.npy") / unit
        if name[0] == "+":  # signs are free
            arrays[name] = np.abs(arrays[name])
    return done.returncode, arrays, seconds, done.stderr.strip()[-300:]


def judge(first, now, free):
    code, arrays, seconds, text = now
    if code == 70:
        return "i"
    if code in (64, 65):
        return "r" if text else "x"
    if code not in ((0, 2) if free else (first[0],)):
        return "x"
    for name, reference in first[1].items():
        off = np.abs(arrays[name] - reference).max()
        if not off <= TOLERANCES.get(case, TOLERANCE) * np.abs(reference).max():
            return "!"
    return "s" if seconds > SLOW * max(first[2], LEAST) else "="


def decades(text, number):
    if SOME:
        spread = [-300, -155, -146, -143, -139, *range(-120, 121, 20), 139, 142, 145, 155, 300]
        return [spread[(number * 7 + k * 9) % len(spread)] for k in range(int(text[5:]))]
    if ":" in text:
        low, high, step = map(int, text.split(":"))
        return list(range(low, high + 1, step))
    return [int(k) for k in text.split(",")]


wrong = 0
for number, case in enumerate(sys.argv[4:] or CASES):
    first = run(case, 1.0)
    if first[0] not in (0, 2):
        print(f"{case}: exit {first[0]} at scale 1: {first[3]}")
        wrong += 1
        continue
    line, notes = "", []
    for k in decades(sys.argv[3], number):
        now = run(case, float(f"1e{k}"))
        letter = judge(first, now, not first[1])
        line += letter
        if letter not in "=r":
            wrong += 1
            notes.append(f"    1e{k}: {letter} exit {now[0]} (scale 1: {first[0]}), {now[2]:.1f} s; {now[3]}")
    print(f"{case:20} {line}", flush=True)
    if notes:
        print("\n".join(notes[:4]), flush=True)
print(f"{wrong} wrong")
sys.exit(wrong > 0)
