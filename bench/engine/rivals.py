#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""rivals: the best known methods for each kind, in NumPy, SciPy and the packages that are there.

    rivals.py CASE RIVAL [--limit 10] [--eps 1e-6]        one solve, told as a line of JSON
    rivals.py KIND                                        the names of the rivals of a kind

The data are in memory and the packages loaded before the clock starts; `cpu` are seconds of processor of
the solve with its factorizations. Where a parameter has to be chosen, all choices are run and the fastest counts. `residual`
is the certificate of terms.py where the rival's answer has one, null where it has none: then `F` is all
there is to compare. A rival with "other" in its name solves another (convex) problem."""
import argparse
import importlib
import json
import os
import sys
import time
import warnings

import numpy as np
import scipy.fft
import scipy.io
import scipy.linalg as la
import scipy.optimize as opt
import scipy.sparse as sp
import scipy.sparse.linalg as spla

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from methods import (Clock, Direct, Linear, Quadratic, Terms, Zero, all_of, fista, multipliers, panoc)
from terms import (Ball, Loss, NuclearBall, Penalty, Simplex, Spectrahedron, Spectral)

RIVALS = {}  # kind: {rival: (function of (data, eps, clock, choice), choices, modules)}
FREE = Penalty("zero")


def rival(name, *kinds, choices=(None,), modules=()):

    def enter(function):
        for kind in kinds:
            RIVALS.setdefault(kind, {})[name] = (function, choices, modules)
        return function

    return enter


def names(kind):
    return list(RIVALS.get(kind, {}))


class Data:
    """The problem file, its arrays and matrices by name, and its blocks."""

    def __init__(self, case):
        with open(f"{case}/problem.json") as file:
            self.document = json.load(file)
        self.kind = os.path.basename(os.path.normpath(case)).rpartition("_")[0]
        self.arrays = {}
        for name in sorted(os.listdir(case)):
            stem, kind = os.path.splitext(name)
            if kind == ".npy":
                self.arrays[stem] = np.load(f"{case}/{name}")
            elif kind == ".mtx":
                self.arrays[stem] = scipy.io.mmread(f"{case}/{name}").tocsr()
        self.block = {b["name"]: b for b in self.document["blocks"]}

    def __getitem__(self, name):
        return self.arrays[name]

    def penalty(self, block, **more):
        name, _, parameters = self.block[block].get("regularizer", "zero").partition(":")
        p = tuple(float(v) for v in parameters.split(",") if v)
        if name.startswith("nonneg"):
            return Penalty(name[7:] or "zero", p, low=0.0, **more)
        return Penalty(name, p, **more)

    def set_parameter(self, block):
        return [float(v) for v in self.block[block]["set"].partition(":")[2].split(",")]


def answer(x_F_residual_iterations, **more):
    _, F, residual, iterations = x_F_residual_iterations
    return {"F": F, "residual": residual, "iterations": iterations, **more}


# Unconstrained problems, or made so by hand.


def composite(d):
    """(f, terms, start) of the kinds without constraint and of those that a substitution frees of it."""
    if d.kind == "sharing20":
        A = np.hstack([d[f"A{j}"] for j in range(20)])
        return Linear(A, Loss("least_squares", d["y"])), all_of(d.penalty("x0")), np.zeros(A.shape[1])
    if d.kind == "consensus_logistic":
        n = d["Z"].shape[1]
        return Linear((d["A"] @ -d["Z"]).toarray(), Loss("logistic", d["lab"])), all_of(d.penalty("z")), np.zeros(n)
    if d.kind == "sparse_logistic":
        return Linear(d["A"], Loss("logistic", d["lab"])), all_of(d.penalty("x")), np.zeros(d["A"].shape[1])
    if d.kind == "two_block_m":
        return eliminated(d)
    if d.kind == "completion":
        return selection(d, "least_squares")
    if d.kind in ("gcg_nuclear", "gcg_nuclear_lp"):
        return selection(d, "lp_loss" if d.kind.endswith("lp") else "least_squares")
    if d.kind == "phaselift":
        shape = d.block["X"]["shape"]
        start = np.eye(shape[0]).ravel() / shape[0]
        return Linear(d["A"], Loss("huber", d["b"], 0.5)), all_of(Spectrahedron(1.0, shape)), start
    if d.kind in ("gcg_simplex_lp", "simplex_ls"):
        loss = Loss("lp_loss", d["b"], 1.5) if d.kind.endswith("lp") else Loss("least_squares", d["b"])
        n = d["A"].shape[1]
        return Linear(d["A"], loss), all_of(Simplex(1.0)), np.full(n, 1 / n)
    return factorization(d)


class Selection:
    """x[index] as a map."""

    def __init__(self, index, n):
        self.index, self.n = index.astype(int), n

    @property
    def T(self):
        return Scatter(self)

    def __matmul__(self, x):
        return x[self.index]


class Scatter:

    def __init__(self, selection):
        self.of = selection

    def __matmul__(self, u):
        x = np.zeros(self.of.n)
        x[self.of.index] = u
        return x


def selection(d, loss):
    shape = d.block["X"]["shape"]
    n = shape[0] * shape[1]
    term = Spectral(Penalty("mcp", (3.0, 3.0)), shape) if d.kind == "completion" else NuclearBall(
        d.set_parameter("X")[0], shape)
    return Linear(Selection(d["idx"], n), Loss(loss, d["y"], 1.5)), all_of(term), np.zeros(n)


def eliminated(d):
    """1/2 |z - c|^2 with Cz = d - Bx at its least: 1/2 |C^+(d - Bx - Cc)|^2."""
    L = la.cholesky(d["C"] @ d["C"].T, lower=True)
    K = la.solve_triangular(L, d["B"], lower=True)
    b = la.solve_triangular(L, d["d"] - d["C"] @ d["c"], lower=True)
    return Linear(K, Loss("least_squares", b)), all_of(d.penalty("x")), np.zeros(K.shape[1])


def factorization(d):
    """Flat factors: |T - XY'|^2, or |T - [[X]]|^2 + ridge/2 |X|^2."""
    blocks = d.document["blocks"]
    shapes = [b["shape"] for b in blocks]
    cuts = np.cumsum([0] + [m * r for m, r in shapes])
    parts = [slice(a, b) for a, b in zip(cuts[:-1], cuts[1:])]
    start = np.concatenate([d[b["start"][:-4]].ravel() if isinstance(b["start"], str) else
                            np.full(m * r, b["start"]) for b, (m, r) in zip(blocks, shapes)])
    terms = [Ball(d.set_parameter(b["name"])[0]) if "set" in b else d.penalty(b["name"]) for b in blocks]
    T = d["T"]
    split = lambda x: [x[p].reshape(s) for p, s in zip(parts, shapes)]

    def matrix(x):
        X, Y = split(x)
        R = X @ Y.T - T
        return float((R * R).sum()), 2 * np.concatenate([(R @ Y).ravel(), (R.T @ X).ravel()])

    def tensor(x):
        A, B, C = split(x)
        n, r = A.shape
        BC = (B[:, None, :] * C[None, :, :]).reshape(-1, r)
        R = A @ BC.T - T.reshape(n, -1)
        by_A = (A.T @ R).reshape(r, n, n)
        g = [R @ BC, np.einsum("rjk,kr->jr", by_A, C), np.einsum("rjk,jr->kr", by_A, B)]
        return float((R * R).sum()) + 5e-4 * float(x @ x), 2 * np.concatenate([a.ravel() for a in g]) + 1e-3 * x

    return Direct(tensor if T.ndim == 3 else matrix), Terms(*zip(parts, terms)), start


@rival("PANOC", "consensus_logistic", "sharing20", "sparse_logistic", "two_block_m", "nmf", "cp_nonneg",
       "dictionary", "completion", "phaselift", "gcg_nuclear", "gcg_nuclear_lp", "gcg_simplex_lp", "simplex_ls")
def by_panoc(d, eps, clock, _):
    f, terms, x = composite(d)
    return answer(panoc(f, terms, x, eps, clock))


@rival("FISTA", "phaselift", "gcg_nuclear", "gcg_nuclear_lp", "gcg_simplex_lp", "simplex_ls")
def by_fista(d, eps, clock, _):
    f, terms, x = composite(d)
    return answer(fista(f, terms, x, eps, clock))


@rival("pairwise Frank-Wolfe", "gcg_simplex_lp", "simplex_ls")
def pairwise_simplex(d, eps, clock, _):
    """Weight moves from the worst to the best vertex of the simplex, by bisection on the slope."""
    f, _, _ = composite(d)
    A, loss = np.asfortranarray(f.K), f.loss
    x, u, k = np.zeros(A.shape[1]), A[:, 0].copy(), 0
    x[0] = 1
    while True:
        g = A.T @ loss.slope(u)
        best, gap = int(g.argmin()), float(g @ x - g.min())
        if gap <= eps or clock.over():
            return {"F": loss.value(u), "residual": gap, "iterations": k}
        support = np.flatnonzero(x)
        worst = support[g[support].argmax()]
        du = A[:, best] - A[:, worst]
        low, high = 0.0, x[worst]
        if loss.slope(u + high * du) @ du >= 0:
            for _ in range(45):
                middle = (low + high) / 2
                low, high = (middle, high) if loss.slope(u + middle * du) @ du < 0 else (low, middle)
        x[worst] -= high
        x[best] += high
        x[worst] = 0 if x[worst] < 1e-16 else x[worst]
        k += 1
        u = A @ x if k % 100 == 0 else u + high * du


@rival("pairwise Frank-Wolfe", "gcg_birkhoff")
def pairwise_birkhoff(d, eps, clock, _):
    """Lazy: an assignment is solved only when the active permutations give too little."""
    T = d["T"]
    n = len(T)
    rows, X, active, weight, k = np.arange(n), np.eye(n), [np.arange(n)], [1.0], 0
    gap, promise = np.inf, np.inf
    while not clock.over():
        G = X - T
        score = np.array([G[rows, a].sum() for a in active])
        away, toward = int(score.argmax()), int(score.argmin())
        target = active[toward]
        if score[away] - score[toward] < promise:
            target = opt.linear_sum_assignment(G)[1]
            gap = float((G * X).sum() - G[rows, target].sum())
            if gap <= eps:
                break
            promise = min(promise, gap / 2)
        D = np.zeros((n, n))
        D[rows, target] += 1
        D[rows, active[away]] -= 1
        if not D.any():
            promise /= 2
            continue
        step = min(weight[away], -float((G * D).sum()) / float((D * D).sum()))
        X, k = X + step * D, k + 1
        weight[away] -= step
        same = [i for i, a in enumerate(active) if np.array_equal(a, target)]
        if same:
            weight[same[0]] += step
        else:
            active.append(target), weight.append(step)
        if weight[away] <= 1e-15:
            active.pop(away), weight.pop(away)
    return {"F": float(((X - T)**2).sum()) / 2, "residual": gap, "iterations": k}


@rival("dual L-BFGS", "gcg_birkhoff")
def dual_birkhoff(d, eps, clock, _):
    """Projection onto the Birkhoff polytope: the dual in (row, column) potentials is smooth; the primal
    point is rounded into the set and certified by an assignment."""
    T = d["T"]
    n, count = len(T), [0]

    def dual(y):
        X = np.maximum(T + y[:n, None] + y[None, n:], 0)
        count[0] += 1
        return float((X * X).sum()) / 2 - y.sum(), np.concatenate([X.sum(1), X.sum(0)]) - 1

    y = np.zeros(2 * n)
    for _ in range(20):
        y = opt.minimize(dual, y, jac=True, method="L-BFGS-B",
                         options={"maxiter": 2000, "gtol": 1e-12, "ftol": 0, "maxcor": 30}).x
        X = np.maximum(T + y[:n, None] + y[None, n:], 0)
        X = X * np.minimum(1, 1 / X.sum(1))[:, None]
        X = X * np.minimum(1, 1 / X.sum(0))[None]
        e, c = 1 - X.sum(1), 1 - X.sum(0)
        X = X + np.outer(e, c) / max(e.sum(), 1e-300)
        G = X - T
        rows, columns = opt.linear_sum_assignment(G)
        gap = float((G * X).sum() - G[rows, columns].sum())
        if gap <= eps or clock.over():
            break
    return {"F": float((G * G).sum()) / 2, "residual": gap, "iterations": count[0]}


@rival("Frank-Wolfe", "gcg_birkhoff_concave")
def concave_birkhoff(d, eps, clock, _):
    T = d["T"]
    X, k = np.full(T.shape, 1 / len(T)), 0
    while True:
        G = T - X
        rows, columns = opt.linear_sum_assignment(G)
        gap = float((G * X).sum() - G[rows, columns].sum())
        if gap <= eps or clock.over():
            return {"F": -float((G * G).sum()) / 2, "residual": gap, "iterations": k}
        X, k = np.zeros(T.shape), k + 1
        X[rows, columns] = 1


# Factorizations by columns.


@rival("HALS", "nmf")
def hals_matrix(d, eps, clock, _):
    """Coordinate descent by columns; the compiled sweep of scikit-learn where it is there."""
    f, terms, x = composite(d)
    (m, r), (n, _) = (b["shape"] for b in d.document["blocks"])
    T, X, Y = d["T"], x[:m * r].reshape(m, r).copy(), x[m * r:].reshape(n, r).copy()
    sweep = columns_sweep()
    k = 0
    while True:
        sweep(X, 2 * Y.T @ Y, 2 * T @ Y - 0.1)
        sweep(Y, 2 * X.T @ X + 0.1 * np.eye(r), 2 * T.T @ X)
        k += 1
        if k % 10 == 0 or clock.over():
            x = np.concatenate([X.ravel(), Y.ravel()])
            residual = terms.residual(x, f.gradient(x))
            if residual <= eps or clock.over():
                return {"F": f.value(x) + terms.value(x), "residual": residual, "iterations": k}


def columns_sweep():
    """W := argmin by columns of tr(W H W')/2 - tr(W P'), W >= 0, in place."""
    try:
        from sklearn.decomposition._cdnmf_fast import _update_cdnmf_fast
    except ImportError:
        return plain_sweep
    order = {}

    def sweep(W, H, P):
        order.setdefault(W.shape[1], np.arange(W.shape[1]))
        _update_cdnmf_fast(W, np.ascontiguousarray(H), np.ascontiguousarray(P), order[W.shape[1]])

    return sweep


def plain_sweep(W, H, P):
    for j in range(W.shape[1]):
        W[:, j] = np.maximum(W[:, j] - (W @ H[:, j] - P[:, j]) / max(H[j, j], 1e-300), 0)


@rival("HALS", "cp_nonneg")
def hals_tensor(d, eps, clock, _):
    f, terms, x = composite(d)
    T, r = d["T"], d.document["smooth"][0]["cp"]["rank"]
    n = T.shape[0]
    F = [p.reshape(n, r).copy() for p in np.split(x, 3)]
    unfold = [T.reshape(n, -1), T.transpose(1, 0, 2).reshape(n, -1).copy(), T.transpose(2, 0, 1).reshape(n, -1).copy()]
    sweep, k = columns_sweep(), 0
    while True:
        for i in range(3):
            a, b = (F[j] for j in range(3) if j != i)
            product = (a[:, None, :] * b[None, :, :]).reshape(-1, r)
            H = 2 * (a.T @ a) * (b.T @ b) + 1e-3 * np.eye(r)
            sweep(F[i], H, 2 * unfold[i] @ product)
        k += 1
        if k % 10 == 0 or clock.over():
            x = np.concatenate([p.ravel() for p in F])
            residual = terms.residual(x, f.gradient(x))
            if residual <= eps or clock.over():
                return {"F": f.value(x) + terms.value(x), "residual": residual, "iterations": k}


@rival("L-BFGS-B", "nmf", "cp_nonneg")
def lbfgsb(d, eps, clock, _):
    """Penalties of nonnegative entries are smooth."""
    f, terms, x = composite(d)
    slope = lambda x: np.concatenate([t.slope(x[p]) for p, t in terms.pairs])
    both = lambda x: (f.value(x) + terms.value(x), f.gradient(x) + slope(x))
    count = 0
    while True:
        run = opt.minimize(both, x, jac=True, method="L-BFGS-B", bounds=[(0, None)] * len(x),
                           options={"maxiter": 500, "maxfun": 10**6, "maxcor": 20, "gtol": eps / 100, "ftol": 0})
        x, count = run.x, count + run.nit
        residual = terms.residual(x, f.gradient(x))
        if residual <= eps or clock.over() or run.nit == 0:
            return {"F": f.value(x) + terms.value(x), "residual": residual, "iterations": count}


# ADMM with a cached factor.


def scaled_admm(step_x, prox_z, M, judge, z, beta, eps, clock, every=10):
    """min f(x) + r(z), Mx = z: x by step_x(M'-free right-hand side z - w), z by prox, scaled multiplier w.
    judge(x, z, y) = (F, residual) for the multiplier y = beta w."""
    w, k = np.zeros_like(z), 0
    while True:
        x = step_x(z - w)
        Mx = M(x)
        z = prox_z(Mx + w, 1 / beta)
        w = w + Mx - z
        k += 1
        if k % every == 0 or clock.over():
            F, residual = judge(x, z, beta * w)
            if residual <= eps or clock.over():
                return {"F": F, "residual": residual, "iterations": k}


def banded(n, diagonal, beta):
    """Factor of diagonal I + beta D'D, D the differences of n neighbours."""
    ab = np.zeros((2, n))
    ab[1] = diagonal + beta * np.r_[1, np.full(n - 2, 2.0), 1]
    ab[0, 1:] = -beta
    factor = la.cholesky_banded(ab)
    return lambda v: la.cho_solve_banded((factor, False), v, check_finite=False)


def differences_back(v):
    """D'v"""
    return np.r_[-v[:1], v[:-1] - v[1:], v[-1:]]


def split_judge(y, r, M, back):
    """Of 1/2 |x - y|^2 + r(z), Mx = z, with the multiplier p: x - y + M'p, p in dr(z), Mx - z."""

    def judge(x, z, p):
        F = float(((x - y)**2).sum()) / 2 + r.value(z)
        residual = max(np.linalg.norm(x - y + back(p)), r.residual(z, -p), np.linalg.norm(M(x) - z))
        return F, float(residual)

    return judge


@rival("ADMM, banded factor", "tv_split", "tv_split_mcp", choices=(0.3, 1.0, 3.0, 10.0))
def admm_tv(d, eps, clock, beta):
    y, r = d["y"], d.penalty("z")
    if r.name == "mcp":
        beta = max(beta, 0.6)  # a unique prox
    solve = banded(len(y), 1.0, beta)
    step = lambda t: solve(y + beta * differences_back(t))
    return scaled_admm(step, r.prox, np.diff, split_judge(y, r, np.diff, differences_back), np.diff(y), beta, eps, clock)


@rival("ADMM, DCT", "tv2d", choices=(0.3, 1.0, 3.0, 10.0))
def admm_tv2d(d, eps, clock, beta):
    """(I + beta G'G)^-1 by cosine transforms."""
    y, r, G = d["y"], d.penalty("z"), d["G"]
    n, back = int(round(np.sqrt(len(y)))), G.T.tocsr()
    e = 4 * np.sin(np.pi * np.arange(n) / (2 * n))**2
    scale = 1 + beta * (e[:, None] + e[None])
    solve = lambda v: scipy.fft.idctn(scipy.fft.dctn(v.reshape(n, n), norm="ortho") / scale, norm="ortho").ravel()
    step = lambda t: solve(y + beta * (back @ t))
    judge = split_judge(y, r, lambda x: G @ x, lambda p: back @ p)
    return scaled_admm(step, r.prox, lambda x: G @ x, judge, G @ y, beta, eps, clock)


@rival("ADMM, sparse LU", "tv2d", choices=(1.0, 3.0))
def admm_tv2d_lu(d, eps, clock, beta):
    y, r, G = d["y"], d.penalty("z"), d["G"]
    back = G.T.tocsr()
    lu = spla.splu((sp.eye(len(y)) + beta * back @ G).tocsc())
    step = lambda t: lu.solve(y + beta * (back @ t))
    judge = split_judge(y, r, lambda x: G @ x, lambda p: back @ p)
    return scaled_admm(step, r.prox, lambda x: G @ x, judge, G @ y, beta, eps, clock)


@rival("ADMM, cached factor", "fused", choices=(0.1, 0.3, 1.0, 3.0))
def admm_fused(d, eps, clock, beta):
    """Splits x = v and Dx = z; the answer is (v, z) with the multiplier p of Dx = z."""
    A, b = d["A"], d["b"]
    n, l1, tv = A.shape[1], d.penalty("x"), d.penalty("z")
    D = lambda x: np.concatenate([x, np.diff(x)])
    ridge = banded(n, beta, beta)
    BA = ridge(A.T)  # Woodbury: (A'A + beta(I + D'D))^-1, m rows
    small = la.cho_factor(np.eye(len(b)) + A @ BA)

    def step(t):
        h = ridge(A.T @ b + beta * (t[:n] + differences_back(t[n:])))
        return h - BA @ la.cho_solve(small, A @ h, check_finite=False)

    prox = lambda v, t: np.concatenate([l1.prox(v[:n], t), tv.prox(v[n:], t)])

    def judge(x, z, y):
        v, w, p = z[:n], z[n:], y[n:]
        r = A @ v - b
        F = float(r @ r) / 2 + l1.value(v) + tv.value(w)
        residual = max(np.linalg.norm(np.diff(v) - w), tv.residual(w, -p),
                       l1.residual(v, A.T @ r + differences_back(p)))
        return F, float(residual)

    return scaled_admm(step, prox, D, judge, np.zeros(2 * n - 1), beta, eps, clock)


@rival("ADMM, exact z", "two_block_m", "two_block_def", choices=(0.3, 1.0, 3.0, 10.0))
def admm_two_blocks(d, eps, clock, beta):
    """x linearized, z exact by a cached factor of CC' + I/beta."""
    B, C, c, rhs, r = d["B"], d["C"], d["c"], d["d"], d.penalty("x")
    factor = la.cho_factor(np.eye(len(C)) / beta + C @ C.T)
    tau = 1.01 * beta * np.linalg.norm(B, 2)**2
    x, z, multiplier, k = np.zeros(B.shape[1]), c.copy(), np.zeros(len(rhs)), 0
    Bx, Cz = B @ x, C @ z
    while True:
        x = r.prox(x + B.T @ (multiplier - beta * (Bx + Cz - rhs)) / tau, 1 / tau)
        Bx = B @ x
        h = c + beta * (C.T @ (rhs + multiplier / beta - Bx))
        z = h - C.T @ la.cho_solve(factor, C @ h, check_finite=False)
        Cz = C @ z
        s = Bx + Cz - rhs
        multiplier = multiplier - beta * s
        k += 1
        if k % 10 == 0 or clock.over():
            residual = max(np.linalg.norm(s), r.residual(x, -B.T @ multiplier),
                           np.linalg.norm(z - c - C.T @ multiplier))
            if residual <= eps or clock.over():
                F = float(((z - c)**2).sum()) / 2 + r.value(x)
                return {"F": F, "residual": float(residual), "iterations": k}


@rival("ADMM, cached factor", "bp_l1", "bp_mcp", choices=(0.3, 1.0, 3.0, 10.0))
def admm_basis_pursuit(d, eps, clock, beta):
    """x on {Ax = b} by projection, z by prox; the answer is z with the multiplier by least squares."""
    A, b, r = d["A"], d["b"], d.penalty("x")
    factor = la.cho_factor(A @ A.T)
    solve = lambda v: la.cho_solve(factor, v, check_finite=False)
    step = lambda t: t - A.T @ solve(A @ t - b)

    def judge(x, z, y):
        multiplier = solve(A @ y)
        return r.value(z), float(max(np.linalg.norm(A @ z - b), r.residual(z, -(A.T @ multiplier))))

    if r.name == "mcp":
        beta = max(beta, 1.05 / r.p[1])
    return scaled_admm(step, r.prox, lambda x: x, judge, A.T @ solve(b), beta, eps, clock)


@rival("ADMM (IALM)", "pcp", choices=(0.5, 1.0, 2.0, 4.0))
def admm_pcp(d, eps, clock, scale):
    """Lin, Chen, Ma: beta = scale mn/(4 |M|_1), balanced by the residuals every ten steps."""
    M = d["M"]
    nuclear, l1 = Spectral(Penalty("l1", (1.0,)), M.shape), d.penalty("S")
    beta, m = scale * M.size / (4 * np.abs(M).sum()), M.ravel()
    S, y, k = np.zeros(M.size), np.zeros(M.size), 0
    while True:
        before = S
        L = nuclear.prox(m - S + y / beta, 1 / beta)
        S = l1.prox(m - L + y / beta, 1 / beta)
        gap = m - L - S
        y = y + beta * gap
        k += 1
        primal, dual = np.linalg.norm(gap), beta * np.linalg.norm(S - before)
        if max(primal, dual) <= 10 * eps or clock.over():
            residual = max(primal, nuclear.residual(L, -y), l1.residual(S, -y))
            if residual <= eps or clock.over():
                return {"F": nuclear.value(L) + l1.value(S), "residual": float(residual), "iterations": k}
        if k % 10 == 0 and k <= 100 and not 0.2 <= primal / max(dual, 1e-300) <= 5:
            beta *= float(np.clip(np.sqrt(primal / max(dual, 1e-300)), 0.5, 2))


@rival("exact alternation", "rpca_noise")
def alternate(d, eps, clock, _):
    """L and S in turn with the noise eliminated: f = 1/2 |M - L - S|^2."""
    M = d["M"].ravel()
    low, sparse = Spectral(Penalty("mcp", (2.0, 3.0)), d["M"].shape), d.penalty("S")
    S, k = np.zeros(M.size), 0
    while True:
        L = low.prox(M - S, 1.0)
        S = sparse.prox(M - L, 1.0)
        k += 1
        c = L + S - M
        residual = low.residual(L, c)  # S is exact
        if residual <= eps or clock.over():
            F = float(c @ c) / 2 + low.value(L) + sparse.value(S)
            return {"F": F, "residual": residual, "iterations": k}


# Constraints by multipliers.


@rival("ALM + PANOC", "zerosum_mcp", "portfolio_mcp", "portfolio_l0", "bp_mcp", "two_block_def",
       choices=(None, 0.1, 1.0, 10.0, 100.0))
def by_multipliers(d, eps, clock, beta):
    if d.kind == "zerosum_mcp":
        n = d["A"].shape[1]
        f, term, A, b, x = Linear(d["A"], Loss("least_squares", d["b"])), d.penalty("x"), np.ones((1, n)), np.zeros(
            1), np.zeros(n)
    elif d.kind.startswith("portfolio"):
        n = len(d["q"])
        term = d.penalty("x", low=0.0, high=0.2, compact=d.kind == "portfolio_mcp")
        f, A, b, x = Quadratic(d["Q"], d["q"]), np.ones((1, n)), np.ones(1), np.full(n, 1 / n)
    elif d.kind == "two_block_def":
        return multipliers_two_blocks(d, eps, clock, beta)
    else:
        f, term, A, b, x = Zero(), d.penalty("x"), d["A"], d["b"], np.zeros(d["A"].shape[1])
    return answer(multipliers(f, all_of(term), A, b, x, eps, clock, beta))


def multipliers_two_blocks(d, eps, clock, beta):
    n = d["B"].shape[1]
    f = Linear(sp.hstack([sp.csr_matrix((n, n)), sp.eye(n)]).tocsr(), Loss("least_squares", d["c"]))
    terms = Terms((slice(0, n), d.penalty("x")), (slice(n, 2 * n), FREE))
    A = np.hstack([d["B"], d["C"]])
    return answer(multipliers(f, terms, A, d["d"], np.concatenate([np.zeros(n), d["c"]]), eps, clock, beta))


@rival("SLSQP", "portfolio_mcp")
def slsqp(d, eps, clock, _):
    Q, q = d["Q"], d["q"]
    n, r = len(q), d.penalty("x", low=0.0, high=0.2, compact=True)
    run = opt.minimize(lambda x: (float(x @ Q @ x) / 2 + q @ x + r.value(x), Q @ x + q + r.slope(x)),
                       np.full(n, 1 / n), jac=True, bounds=[(0, 0.2)] * n, method="SLSQP",
                       constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(n)},
                       options={"maxiter": 300, "ftol": 1e-15})
    x = np.clip(run.x, 0, 0.2)
    c = Q @ x + q

    def certify():  # the gap is piecewise linear in the multiplier
        worst = min(r.residual(x, c - y) for y in np.concatenate([c, c + r.slope(x)]))
        return max(abs(x.sum() - 1), worst)

    return {"F": float(x @ Q @ x) / 2 + float(q @ x) + r.value(x), "residual": certify, "iterations": run.nit}


@rival("IRLS", "bp_lq")
def irls(d, eps, clock, _):
    """Chartrand, Yin (2008): weights (x^2 + e)^(q/2 - 1), e falling; then least squares on the support."""
    A, b, r = d["A"], d["b"], d.penalty("x")
    x, e, k = A.T @ la.solve(A @ A.T, b, assume_a="pos"), 1.0, 0
    while e > 1e-14 and not clock.over():
        weight = (x * x + e)**(1 - r.p[1] / 2)
        W = A * weight
        new = W.T @ la.solve(W @ A.T, b, assume_a="pos")
        k += 1
        if np.linalg.norm(new - x) <= np.sqrt(e) / 100 * max(1, np.linalg.norm(x)):
            e /= 10
        x = new
    support = np.flatnonzero(np.abs(x) > 1e-5 * np.abs(x).max())
    z = np.zeros(len(x))
    z[support] = la.lstsq(A[:, support], b)[0]
    multiplier = la.lstsq(A[:, support].T, np.sign(z[support]) * r.slope(np.abs(z[support])))[0]
    residual = max(np.linalg.norm(A @ z - b), r.residual(z, -(A.T @ multiplier)))
    return {"F": r.value(z), "residual": float(residual), "iterations": k}


# Compiled solvers.


@rival("HiGHS", "bp_l1")
def highs_basis_pursuit(d, eps, clock, _):
    A, b = d["A"], d["b"]
    n = A.shape[1]
    run = opt.linprog(np.ones(2 * n), A_eq=np.hstack([A, -A]), b_eq=b, method="highs")
    x = run.x[:n] - run.x[n:]
    x[np.abs(x) < 1e-12] = 0
    residual = max(np.linalg.norm(A @ x - b), d.penalty("x").residual(x, -(A.T @ run.eqlin.marginals)))
    return {"F": float(np.abs(x).sum()), "residual": float(residual), "iterations": int(run.nit)}


@rival("HiGHS", "transport")
def highs_transport(d, eps, clock, _):
    A, b, c = d["A"], d["b"], d["C"].ravel()
    run = opt.linprog(c, A_eq=A, b_eq=b, method="highs")
    residual = max(np.linalg.norm(A @ run.x - b),
                   Penalty("zero", low=0.0).residual(np.maximum(run.x, 0), c - A.T @ run.eqlin.marginals))
    return {"F": float(run.fun), "residual": float(residual), "iterations": int(run.nit)}


@rival("HiGHS, feasibility only", "infeasible", "infeasible_box")
def highs_infeasible(d, eps, clock, _):
    A = np.array(d.document["constraint"]["maps"]["x"])
    run = opt.linprog(np.zeros(A.shape[1]), A_eq=A, b_eq=d.document["constraint"]["rhs"], bounds=(0, 1), method="highs")
    assert run.status == 2, run.message  # 2: infeasible
    return {"F": None, "residual": 0.0, "iterations": int(run.nit)}


@rival("taut string (condat_tv)", "tv_prox", "tv_split", modules=("condat_tv",))
def condat(d, eps, clock, _):
    """Direct and exact up to rounding; the multiplier is a cumulative sum."""
    import condat_tv
    y = d["y"]
    x = condat_tv.tv_denoise(y, 2.0)
    p = -np.cumsum(x - y)[:-1]  # D'p = -(x - y)
    z = np.diff(x)
    z[np.abs(z) < 1e-13 * np.abs(y).max()] = 0
    r = Penalty("l1", (2.0,))
    residual = max(r.residual(z, p), np.linalg.norm(x - y - differences_back(p)))
    return {"F": float(((x - y)**2).sum()) / 2 + r.value(z), "residual": float(residual), "iterations": 1}


TIGHT = (1e-5, 1e-7, 1e-9, 1e-11)  # tolerances of liblinear, which are relative


def l1_logistic(K, labels, C, tolerance):
    from sklearn.linear_model import LogisticRegression
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(penalty="l1", C=C, solver="liblinear", fit_intercept=False, tol=tolerance,
                                   max_iter=20000).fit(K, labels)
    return model.coef_.ravel(), int(np.max(model.n_iter_))


@rival("liblinear, l1: other problem", "sparse_logistic", "consensus_logistic", choices=TIGHT,
       modules=("sklearn.linear_model",))
def liblinear(d, eps, clock, tolerance):
    """Logistic loss + lambda |x|_1, lambda the slope of the MCP at 0: convex, the nearest it solves."""
    f, terms, _ = composite(d)
    l1 = Penalty("l1", terms.pairs[0][1].p[:1])
    x, count = l1_logistic(f.K, f.loss.b, 1 / l1.p[0], tolerance)
    u = f.predict(x)
    return {"F": f.value(u) + l1.value(x), "residual": l1.residual(x, f.gradient(u)), "iterations": count}


@rival("liblinear in LLA steps", "sparse_logistic", "consensus_logistic", choices=(1e-7, 1e-9, 1e-11),
       modules=("sklearn.linear_model",))
def liblinear_lla(d, eps, clock, tolerance):
    """Zou, Li (2008): the MCP linearized at the last point, each weighted l1 problem by liblinear in
    columns scaled by its weight; a weight of 0 is a small one, so that the end is not quite exact."""
    f, terms, x = composite(d)
    mcp, K = terms.pairs[0][1], sp.csr_matrix(f.K)
    for k in range(1, 50):
        weight = np.maximum(mcp.slope(np.abs(x)), 1e-7 * mcp.p[0])
        x, _ = l1_logistic(K @ sp.diags(1 / weight), f.loss.b, 1.0, tolerance)
        x = x / weight
        u = f.predict(x)
        residual = mcp.residual(x, f.gradient(u))
        if residual <= eps or clock.over():
            break
    return {"F": f.value(u) + mcp.value(x), "residual": residual, "iterations": k}


def conic(d):
    """(problem of CVXPY, objective) of the convex kinds that it can say."""
    import cvxpy as cp
    if d.kind in ("tv_split", "tv2d"):
        x = cp.Variable(len(d["y"]))
        D = d["G"] if d.kind == "tv2d" else sp.diags([-1.0, 1.0], [0, 1], (len(d["y"]) - 1, len(d["y"])))
        return cp.Problem(cp.Minimize(cp.sum_squares(x - d["y"]) / 2 + d.penalty("z").p[0] * cp.norm1(D @ x)))
    if d.kind == "fused":
        x = cp.Variable(d["A"].shape[1])
        return cp.Problem(cp.Minimize(cp.sum_squares(d["A"] @ x - d["b"]) / 2 + 0.02 * cp.norm1(x) + 0.1 * cp.norm1(cp.diff(x))))
    if d.kind == "simplex_ls":
        x = cp.Variable(d["A"].shape[1], nonneg=True)
        return cp.Problem(cp.Minimize(cp.sum_squares(d["A"] @ x - d["b"]) / 2), [cp.sum(x) == 1])
    if d.kind == "bp_l1":
        x = cp.Variable(d["A"].shape[1])
        return cp.Problem(cp.Minimize(cp.norm1(x)), [d["A"] @ x == d["b"]])
    X = cp.Variable(d["T"].shape, nonneg=True)
    return cp.Problem(cp.Minimize(cp.sum_squares(X - d["T"]) / 2), [cp.sum(X, 0) == 1, cp.sum(X, 1) == 1])


CONIC = "tv_split", "tv2d", "fused", "simplex_ls", "bp_l1", "gcg_birkhoff"


def by_cvxpy(solver, **options):

    def run(d, eps, clock, _):
        problem = conic(d)
        problem.solve(solver=solver, **options)
        stats = problem.solver_stats
        return {"F": float(problem.value), "residual": None, "iterations": int(stats.num_iters or 0),
                "cpu": float((stats.solve_time or 0) + (stats.setup_time or 0))}

    return run


rival("Clarabel", *CONIC, modules=("cvxpy", "clarabel"))(by_cvxpy("CLARABEL", tol_gap_abs=1e-8, tol_gap_rel=1e-8, tol_feas=1e-8))
rival("OSQP", *CONIC, modules=("cvxpy", "osqp"))(by_cvxpy("OSQP", eps_abs=1e-7, eps_rel=1e-7, max_iter=100000))
rival("SCS", "tv2d", "fused", modules=("cvxpy", "scs"))(by_cvxpy("SCS", eps_abs=1e-7, eps_rel=1e-7, max_iters=100000))


def measured(function, d, eps, limit, choices):
    """The fastest choice that reaches eps, or the one of least residual."""
    runs = []
    for choice in choices:
        began = time.process_time()
        run = function(d, eps, Clock(limit), choice)
        run = {"cpu": time.process_time() - began, **run}
        if callable(run["residual"]):
            run["residual"] = float(run["residual"]())
        if choice is not None:
            run["choice"] = choice
        runs.append(run)
    reached = [r for r in runs if r["residual"] is None or r["residual"] <= eps]
    return min(reached, key=lambda r: r["cpu"]) if reached else min(runs, key=lambda r: r["residual"])


def main():
    if len(sys.argv) == 2 and sys.argv[1] in RIVALS:
        return print("\n".join(names(sys.argv[1])))
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("case")
    parse.add_argument("rival")
    parse.add_argument("--limit", type=float, default=10)
    parse.add_argument("--eps", type=float, default=1e-6)
    asked = parse.parse_args()
    data = Data(asked.case)
    if asked.rival not in names(data.kind):
        sys.exit(f"no rival {asked.rival} of {data.kind}; there are {', '.join(names(data.kind))}")
    function, choices, modules = RIVALS[data.kind][asked.rival]
    for module in modules:
        importlib.import_module(module)
    warm = np.linalg.svd(np.ones((9, 9)))[1][0]  # libraries are loaded before the clock starts
    assert warm > 0
    print(json.dumps(measured(function, data, asked.eps, asked.limit, choices)))


if __name__ == "__main__":
    main()
