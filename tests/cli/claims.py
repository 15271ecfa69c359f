"""claims.py CREASE COUNT [FIRST [LIMIT]]: what `crease solve` claims about random problem files, `crease verify`
confirms. Penalties and sets are drawn from the catalogue of the program, every one that needs numbers alone;
with losses, distances, quadratics and factorizations, and with or without a constraint. Problem k of equal k is
the same everywhere. Exits 1 when a claim was refused, a run did not end within LIMIT seconds (default 3) and a
bit, or ended with a code that no sound file may end with. FOLDER of the environment keeps such problems."""
import collections
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

import numpy as np

CREASE = os.path.abspath(sys.argv[1])
COUNT, FIRST = int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0
LIMIT = float(sys.argv[4]) if len(sys.argv) > 4 else 3.0
LATE = 20.0  # seconds more on a busy machine
CODES = {0: "stationary", 2: "a limit, or undecided", 3: "diverged", 4: "infeasible", 5: "unbounded",
         64: "refused", 65: "refused"}
os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")


def crease(*words):
    return subprocess.run([CREASE, *words], capture_output=True, text=True, timeout=LIMIT + 5 * LATE,
                          stdin=subprocess.DEVNULL, errors="replace")


ENTRIES = json.loads(crease("list", "--json").stdout)["entries"]
PLAIN = {kind: [e for e in ENTRIES if e["kind"] == kind and not e["vector_parameter"] and not e["data"] and
                not e["traits"].get("groups") and e["name"] not in ("affine", "product")]
         for kind in ("regularizer", "set")}
LOSSES = [e for e in ENTRIES if e["kind"] == "smooth" and e["name"] in (
    "least_squares", "logistic", "cauchy", "welsch", "geman", "tukey", "huber", "lp_loss", "squared_hinge")]


class Draw:
    """Problem k, as small as problems with structure are."""

    def __init__(self, k):
        self.g = np.random.default_rng([k, 2024])
        self.blocks, self.smooth = [], []

    def one(self, items):
        return items[int(self.g.integers(len(items)))]

    def chance(self, p):
        return bool(self.g.random() < p)

    def parameter(self, p):
        low, high = p["low"], p["high"]
        if p.get("integer"):
            return int(self.g.integers(1, 3))
        if p["name"] == "low":
            return round(-float(self.g.random()) * 2, 3)
        if low is not None and high is not None:
            return round(float(low + (high - low) * (0.1 + 0.8 * self.g.random())), 3)
        return round(float((low or 0.0) + np.exp(self.g.uniform(-2, 1))), 3)

    def entry(self, kind, matrix):
        """NAME:NUMBERS of an entry that fits the shape."""
        fits = [e for e in PLAIN[kind] if matrix or not e["traits"].get("matrix")]
        e = self.one(fits)
        numbers = ",".join(str(self.parameter(p)) for p in e["parameters"])
        return e["name"] + (":" + numbers if numbers else "")

    def array(self, *shape):
        return np.round(self.g.normal(size=shape), 3).tolist()

    def block(self, name, shape):
        matrix = isinstance(shape, list)
        b = {"name": name, "shape": shape}
        if self.chance(0.75):
            b["regularizer"] = self.entry("regularizer", matrix)
        if self.chance(0.2 if "regularizer" in b else 0.6):
            b["set"] = self.entry("set", matrix)
        if self.chance(0.5):
            b["start"] = self.array(*(shape if matrix else [shape]))
        self.blocks.append(b)

    def loss(self, names, sizes):
        rows = int(self.g.integers(2, 9))
        e = self.one(LOSSES)
        key = "labels" if e["name"] in ("logistic", "squared_hinge") else "rhs"
        data = self.g.choice([-1.0, 1.0], size=rows).tolist() if key == "labels" else self.array(rows)
        body = {"terms": {n: self.array(rows, sizes[n]) for n in names}, key: data}
        body.update({p["name"]: 1.5 if p["name"] == "p" else self.parameter(p) for p in e["parameters"]})
        self.smooth.append({e["name"]: body})

    def free(self):
        """Blocks with losses and distances, with a constraint or without."""
        count = int(self.g.integers(1, 4))
        square = int(self.g.integers(2, 5))
        shapes = [[square, square] if self.chance(0.3) else int(self.g.integers(2, 10)) for _ in range(count)]
        names = [f"x{i}" for i in range(count)]
        sizes = {n: s[0] * s[1] if isinstance(s, list) else s for n, s in zip(names, shapes)}
        for n, s in zip(names, shapes):
            self.block(n, s)
        if self.chance(0.8):
            self.loss([n for n in names if self.chance(0.8)] or names, sizes)
        for n, s in zip(names, shapes):
            if self.chance(0.3):
                d = self.array(*(s if isinstance(s, list) else [s]))
                self.smooth.append({"squared_distance": {"a": n, "d": d, "weight": self.one([1, 0.2, 3])}})
        document = {"blocks": self.blocks, **({"smooth": self.smooth} if self.smooth else {})}
        if self.chance(0.5) or not self.smooth:
            rows = int(self.g.integers(1, 5))
            maps = {n: self.array(rows, sizes[n]) for n in names}
            if self.chance(0.3) and not isinstance(shapes[-1], list):
                maps = {n: self.array(sizes[names[-1]], sizes[n]) for n in names}
                maps[names[-1]], rows = self.one([1, -1, 2]), sizes[names[-1]]
            document["constraint"] = {"maps": maps, "rhs": self.array(rows)}
        return document

    def split(self):
        """r(x) + s(z), Dx = z or x = z or x + z = b"""
        n = int(self.g.integers(4, 12))
        how = self.one(["finite-difference", "identity", "sum"])
        self.block("x", n)
        self.block("z", n - 1 if how == "finite-difference" else n)
        self.smooth.append({"squared_distance": {"a": "x", "d": self.array(n)}})
        x = {"finite-difference": {"axis": 0}} if how == "finite-difference" else 1
        constraint = {"maps": {"x": x, "z": 1 if how == "sum" else -1}}
        if how == "sum":
            constraint["rhs"] = self.array(n)
        return {"blocks": self.blocks, "smooth": self.smooth, "constraint": constraint}

    def factors(self):
        m, n, r = int(self.g.integers(4, 9)), int(self.g.integers(4, 9)), int(self.g.integers(1, 3))
        for name, size in (("X", m), ("Y", n)):
            self.block(name, [size, r])
            self.blocks[-1]["start"] = np.abs(self.array(size, r)).tolist()
        T = np.round(np.abs(self.g.normal(size=(m, r))) @ np.abs(self.g.normal(size=(r, n))), 3).tolist()
        return {"blocks": self.blocks, "smooth": [{"matrix_factorization": {"x": "X", "y": "Y", "target": T}}]}

    def document(self):
        make = self.one([self.free, self.free, self.split, self.factors])
        return {"crease": 1, **make()}


def judge(k, folder, tally):
    """What is wrong with the run on problem k, or None."""
    path, out = f"{folder}/{k}.json", f"{folder}/result"
    with open(path, "w") as file:
        json.dump(Draw(k).document(), file)
    shutil.rmtree(out, ignore_errors=True)
    began = time.monotonic()
    try:
        run = crease("solve", path, "--quiet", "--max-seconds", str(LIMIT), "--audit", "1", "--out", out)
    except subprocess.TimeoutExpired:
        return "does not end"
    tally[CODES.get(run.returncode, run.returncode)] += 1
    if run.returncode not in CODES:
        return f"exit {run.returncode}: {run.stderr.strip()[-200:]}"
    if time.monotonic() - began > LIMIT + LATE:
        return f"{time.monotonic() - began:.1f} s of {LIMIT}"
    if run.returncode in (0, 4, 5):
        check = crease("verify", out)
        if check.returncode != 0:
            return f"claims {CODES[run.returncode]}, verify ends with {check.returncode}"
    if run.returncode < 64:
        with open(f"{out}/result.json") as file:
            result = json.load(file)
        violations = (result.get("details") or {}).get("audit_violations") or 0
        if violations:
            return f"the audit is violated {violations} times"
        if "assumption false" in (result["details"].get("note") or ""):
            return result["details"]["note"]
    os.remove(path)
    return None


def main():
    tally, faults = collections.Counter(), 0
    keep = os.environ.get("FOLDER")
    with tempfile.TemporaryDirectory(prefix="claims-") as folder:
        for k in range(FIRST, FIRST + COUNT):
            wrong = judge(k, keep or folder, tally)
            if wrong:
                faults += 1
                print(f"problem {k}: {wrong}", flush=True)
    print(f"{COUNT} problems: " + ", ".join(f"{n} {name}" for name, n in tally.most_common()) + f"; {faults} wrong")
    sys.exit(faults > 0)


if __name__ == "__main__":
    main()
