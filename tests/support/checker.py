#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""checker: eps-stationarity of a result, from the definitions, with numpy alone.

    checker.py PROBLEM.json RESULT.json [EPS]

Shares no code with the library. One line a condition: VALID or INVALID, and the least eps for
which it holds; the last line is the whole. Exit status 0: all VALID, 1: not, 2: unknown entries.
With c_i = grad_i f(x) - A_i'lambda, a block is certified by
    dist(-c_i, d(r_i + indicator of X_i)(x_i))            no set, or a box and r_i not Lipschitz
    min over g in dr_i(x_i) of <c_i+g, x_i> + sigma(-(c_i+g))      r_i Lipschitz, X_i compact
The g taken is the best one for boxes, and for balls and simplexes away from concave kinks."""
import json
import os
import sys

import numpy as np

R = np.longdouble
INF = R(np.inf)
np.seterr(all="ignore")  # 0 inf and inf - inf are chosen away


class Unsupported(Exception):
    """An entry that this script does not know."""


def read_mtx(path):
    with open(path) as f:
        if f.readline().lower().split()[2:] != ["coordinate", "real", "general"]:
            raise Unsupported("this kind of Matrix Market file")
    data = np.loadtxt(path, comments="%", ndmin=2)
    a = np.zeros((int(data[0, 0]), int(data[0, 1])), R)
    np.add.at(a, (data[1:, 0].astype(int) - 1, data[1:, 1].astype(int) - 1), data[1:, 2])
    return a


def array(at, folder):
    """Numbers, nested lists, or the name of a file beside the document."""
    if isinstance(at, str):
        path = os.path.join(folder, at)
        if at.endswith(".mtx"):
            return read_mtx(path)
        return (np.load(path) if at.endswith(".npy") else np.loadtxt(path, delimiter=",")).astype(R)
    return np.array(at, dtype=float).astype(R)


def filled(at, shape, folder):
    a = array(at, folder)
    return np.full(shape, a) if a.ndim == 0 else a.reshape(shape)


PENALTIES = {t.split()[0]: t.split()[1:] for t in (
    "zero", "l1 lambda", "elastic-net lambda1 lambda2", "squared-l2 lambda", "l0 lambda",
    "scad lambda a", "mcp lambda gamma", "lsp lambda theta", "capped-l1 lambda theta",
    "l-half lambda", "l-two-thirds lambda", "lq lambda q", "huber lambda delta")}
SETS = {t.split()[0]: t.split()[1:] for t in (
    "box", "nonneg", "l1-ball radius", "l2-ball radius", "linf-ball radius",
    "lp-ball radius p", "simplex radius", "full-simplex radius")}


def spelled(at, names):
    """"scad:0.1,3.7" or {"scad": {"lambda": 0.1, "a": 3.7}}: the name, the numbers, the rest"""
    if isinstance(at, str):
        name, _, rest = at.partition(":")
        return name, [R(float(t)) for t in rest.split(",") if t], {}
    (name, rest), = at.items()
    return name, [R(float(rest[k])) for k in names.get(name.replace("nonneg-", ""), [])], rest


def slope(name, par, y):
    """rho'(y+) of a penalty, y >= 0, entry by entry"""
    p, q = (list(par) + [R(0), R(0)])[:2]
    first = INF if p > 0 else R(0)
    return {
        "zero": lambda: 0 * y,
        "l1": lambda: p + 0 * y,
        "elastic-net": lambda: p + q * y,
        "squared-l2": lambda: p * y,
        "l0": lambda: np.where(y > 0, 0, first),
        "scad": lambda: np.where(y <= p, p, np.where(y < q * p, (q * p - y) / (q - 1), 0)),
        "mcp": lambda: np.where(y < q * p, p - y / q, 0),
        "lsp": lambda: p / (q + y),
        "capped-l1": lambda: np.where(y < q, p, 0),
        "l-half": lambda: np.where(y > 0, p / 2 / np.sqrt(y), first),
        "l-two-thirds": lambda: np.where(y > 0, p * R(2) / 3 / np.cbrt(y), first),
        "lq": lambda: np.where(y > 0, p * q * y ** (q - 1), first),
        "huber": lambda: np.where(y <= q, p * (y / q), p),
    }[name]().astype(R)


class Regularizer:
    """sum_j w_j rho(|x_j|), restricted to x >= low"""

    def __init__(self, at, shape, folder):
        factor, self.low, (name, par, rest) = R(1), -INF, spelled(at, PENALTIES)
        while name == "scaled":
            factor *= R(rest["alpha"])
            name, par, rest = spelled(rest["regularizer"], PENALTIES)
        if name.startswith("nonneg"):
            self.low, name = R(0), name[len("nonneg-"):] or "zero"
        if name == "weighted-l1":
            name, par, rest = "l1", [R(1)], {"weights": rest.get("lambda", par)}
        if name not in PENALTIES:
            raise Unsupported(name)
        self.name, self.par = name, par
        self.weight = factor * filled(rest.get("weights", 1), shape, folder)

    def lipschitz(self):
        steep = np.any(np.isinf(slope(self.name, self.par, np.zeros(1, R))))
        return not (steep and np.any(self.weight > 0)) and self.low == -INF

    def subdifferential(self, x, low, high):
        """low and high ends of the slopes, and where only the two ends belong to it"""
        w, kink = self.weight, np.zeros(x.shape, bool)
        if self.name == "capped-l1":
            kink = (np.abs(x) == self.par[1]) & (w > 0)
        after = np.where(w > 0, w * slope(self.name, self.par, np.abs(x)), 0)
        before = np.where(kink, w * (self.par or [R(0)])[0], after)
        left, right = np.where(x > 0, before, -after), np.where(x < 0, -before, after)
        low = np.maximum(low, self.low)
        left, right = np.where(x <= low, -INF, left), np.where(x >= high, INF, right)
        outside = (x < low) | (x > high)
        return (np.where(outside, INF, left), np.where(outside, -INF, right),
                kink & (x > low) & (x < high))


def nearest(ends, t):
    a, b, two = ends
    clipped = np.where(a > b, INF, np.minimum(np.maximum(t, a), b))
    return np.where(two, np.where(np.abs(t - a) < np.abs(t - b), a, b), clipped)


def norm(x, p=2):
    x = np.abs(np.ravel(x))
    return x.max(initial=R(0)) if p == INF else np.sum(x ** p) ** (1 / R(p))


class Set:
    """A box, a ball |x|_p <= R, or a simplex sum x = R or sum x <= R with x >= 0"""

    def __init__(self, at, shape, folder):
        self.name, par, rest = spelled(at, SETS)
        if self.name not in SETS:
            raise Unsupported(self.name)
        self.R, n = (par or [INF])[0], np.prod(shape)
        self.simplex = self.name.endswith("simplex")
        self.box = self.name in ("box", "linf-ball", "nonneg")
        self.p = dict(zip(("l1-ball", "l2-ball", "lp-ball"), [R(1), R(2)] + par[1:])).get(self.name)
        low = 0 if self.simplex or self.name == "nonneg" else -self.R if self.box else -INF
        high = self.R if self.box else INF
        if self.name == "box":
            low, high = par or (float(rest.get("low", -INF)), float(rest.get("high", INF)))
        self.low = filled(rest.get("lower", low), shape, folder)
        self.high = filled(rest.get("upper", high), shape, folder)
        if self.box:
            self.diameter = norm(self.high - self.low)
        elif self.simplex:
            self.diameter = self.R * (np.sqrt(R(2)) if n > 1 else self.name == "full-simplex")
        else:
            self.diameter = 2 * self.R * R(n) ** max(R(0), R(0.5) - 1 / self.p)

    def holds(self, x):
        """up to rounding"""
        rounding = (x.size + 16) * R(2) ** -52 * norm(x, 1)
        size = np.sum(x) if self.simplex else self.R if self.box else norm(x, self.p)
        under = self.name == "simplex" and self.R - size > rounding
        low, high = (b - t * R(2) ** -51 * np.abs(b) for b, t in ((self.low, 1), (self.high, -1)))
        return np.all((x >= low) & (x <= high)) and not under and not size - self.R > rounding

    def support(self, w):
        if self.box:
            return np.sum(np.where(w == 0, 0, w * np.where(w > 0, self.high, self.low)))
        if self.simplex:
            return self.R * (w.max() if self.name == "simplex" else max(R(0), w.max()))
        return self.R * norm(w, INF if self.p == 1 else self.p / (self.p - 1))


def matrix(at, n, folder):
    """A map on a block of n entries, as a matrix"""
    if isinstance(at, (int, float)):
        return R(at) * np.eye(n, dtype=R)
    if isinstance(at, (list, str)):
        return array(at, folder).reshape(-1, n)
    (name, rest), = at.items()
    if name in ("identity", "dense"):
        return matrix(rest.get("scale", 1) if name == "identity" else rest, n, folder)
    if name in ("diagonal", "mask"):
        return np.diag(filled(rest, n, folder))
    raise Unsupported(name)


LOSSES = {
    "least_squares": lambda u: u,
    "cauchy": lambda u: u / (1 + u * u),
    "logistic": lambda u: -1 / (1 + np.exp(u)),
    "squared_hinge": lambda u: -np.maximum(1 - u, 0),
}


def add_gradient(term, x, g, folder):
    (name, rest), = term.items()
    if name in LOSSES:
        maps = {b: matrix(m, x[b].size, folder) for b, m in rest["terms"].items()}
        u = sum(m @ x[b].ravel() for b, m in maps.items())
        data = filled(rest.get("labels", rest.get("rhs", 0)), u.shape, folder)
        v = data * LOSSES[name](data * u) if "labels" in rest else LOSSES[name](u - data)
        v = v * filled(rest.get("weights", 1), u.shape, folder)
        for b, m in maps.items():
            g[b] += (m.T @ v).reshape(g[b].shape)
    elif name == "quadratic":
        for pair, q in rest.get("Q", {}).items():
            a, _, b = pair.partition(",")
            q = array(q, folder).reshape(x[a].size, x[b or a].size)
            g[a] += (q @ x[b or a].ravel()).reshape(g[a].shape)
            if b and a != b:
                g[b] += (q.T @ x[a].ravel()).reshape(g[b].shape)
        for b, q in rest.get("q", {}).items():
            g[b] += filled(q, g[b].shape, folder)
    elif name == "squared_distance":
        a, b = rest["a"], rest.get("b")
        away = x[a] - (x[b] if b else 0) - filled(rest.get("d", 0), x[a].shape, folder)
        g[a] += R(rest.get("weight", 1)) * away
        if b:
            g[b] -= R(rest.get("weight", 1)) * away
    else:
        raise Unsupported(name)


def block_residual(r, s, x, c):
    """the residual, and |g| and |x| + diameter for its scale in setting 1"""
    if s is None or not (s.diameter < INF and r.lipschitz()):
        if s is not None and not s.box:
            raise Unsupported(r.name + " on " + s.name)
        low, high = (s.low, s.high) if s else (-INF, INF)
        return norm(-c - nearest(r.subdifferential(x, low, high), -c)), R(0), R(1)
    ends = r.subdifferential(x, -INF, INF)
    g = nearest(ends, np.where((x == 0) & s.simplex, INF, -c))
    if s.box:  # of the two slopes at a kink the better one
        gap = [np.maximum((c + t) * (x - s.low), (c + t) * (x - s.high)) for t in ends[:2]]
        g = np.where(ends[2], np.where(gap[0] < gap[1], ends[0], ends[1]), g)
    residual = max(R(0), np.sum((c + g) * x) + s.support(-(c + g)))
    return residual, norm(g), norm(x) + s.diameter


def check(problem, result, home, there, relative, say):
    x, A, blocks = {}, {}, {}
    for i, b in enumerate(problem["blocks"]):
        name = b.get("name", "x%d" % (i + 1))
        shape = tuple(np.ravel(b["shape"]).astype(int))
        at = (result.get("x") or {}).get(name)
        x[name] = filled(result["x_files"][name] if at is None else at, shape, there)
        s = Set(b["set"], shape, home) if "set" in b else None
        blocks[name] = (Regularizer(b.get("regularizer", "zero"), shape, home), s)
        if not np.all(np.isfinite(x[name])) or (s and not s.holds(x[name])):
            say("block %s is not finite or outside its set" % name, INF)
    if result.get("method") == "gcg" and (len(x) > 1 or blocks[name][0].name != "zero"):
        raise Unsupported("gcg with regularizers")
    grad = {name: np.zeros(v.shape, R) for name, v in x.items()}
    for term in problem.get("smooth", []):
        add_gradient(term, x, grad, home)
    if "constraint" in problem:
        at = problem["constraint"]
        A = {b: matrix(m, x[b].size, home) for b, m in at["maps"].items()}
        parts = [m @ x[b].ravel() for b, m in A.items()]
        rhs = filled(at.get("rhs", 0), parts[0].shape, home)
        lam = filled(result.get("lambda") or "lambda.npy", rhs.shape, there)
        size = sum(norm(p) for p in parts) + norm(rhs)
        say("constraint", norm(sum(parts) - rhs) / (size if relative and size > 0 else 1))
    for name, (r, s) in blocks.items():
        pull = (A[name].T @ lam).reshape(x[name].shape) if name in A else R(0) * x[name]
        residual, size, reach = block_residual(r, s, x[name], grad[name] - pull)
        scale = (norm(grad[name]) + norm(pull) + size) * reach
        say("block " + name, residual / (scale if relative and scale > 0 else 1))


def main(args):
    path = os.path.join(args[2], "result.json") if os.path.isdir(args[2]) else args[2]
    with open(args[1]) as p, open(path) as r:
        problem, result = json.load(p), json.load(r)
    result.update(result.get("details", {}))
    claim, lines = result if "eps" in result else result.get("certificate", {}), []
    eps = R(args[3] if len(args) > 3 else claim["eps"])

    def say(what, need):
        lines.append((not need <= eps, need))  # NaN is not VALID
        print("INVALID" if lines[-1][0] else "VALID", "%.6g" % need, what)

    try:
        check(problem, result, os.path.dirname(args[1]), os.path.dirname(path),
              claim.get("relative", False), say)
    except Unsupported as what:
        print("UNSUPPORTED", what)
        return 2
    bad = any(line[0] for line in lines)
    print("INVALID" if bad else "VALID", "%.6g" % max(line[1] for line in lines))
    return int(bad)


if __name__ == "__main__":
    sys.exit(main(sys.argv) if len(sys.argv) in (3, 4) else __doc__)
