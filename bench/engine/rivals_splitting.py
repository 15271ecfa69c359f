# SPDX-License-Identifier: MIT
"""rivals_splitting: constraints by ADMM with a cached factor, by multipliers, by reweighting."""

import numpy as np
import scipy.fft
import scipy.linalg as la
import scipy.optimize as opt
import scipy.sparse as sp
import scipy.sparse.linalg as spla

from methods import Linear, Quadratic, Terms, Zero, all_of, multipliers
from register import answer, rival
from terms import Loss, Penalty, Spectral

FREE = Penalty("zero")


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
        F = float(((x - y) ** 2).sum()) / 2 + r.value(z)
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
    return scaled_admm(
        step,
        r.prox,
        np.diff,
        split_judge(y, r, np.diff, differences_back),
        np.diff(y),
        beta,
        eps,
        clock,
    )


@rival("ADMM, DCT", "tv2d", choices=(0.3, 1.0, 3.0, 10.0))
def admm_tv2d(d, eps, clock, beta):
    """(I + beta G'G)^-1 by cosine transforms."""
    y, r, G = d["y"], d.penalty("z"), d["G"]
    n, back = int(round(np.sqrt(len(y)))), G.T.tocsr()
    e = 4 * np.sin(np.pi * np.arange(n) / (2 * n)) ** 2
    scale = 1 + beta * (e[:, None] + e[None])
    solve = lambda v: scipy.fft.idctn(
        scipy.fft.dctn(v.reshape(n, n), norm="ortho") / scale, norm="ortho"
    ).ravel()
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
        residual = max(
            np.linalg.norm(np.diff(v) - w),
            tv.residual(w, -p),
            l1.residual(v, A.T @ r + differences_back(p)),
        )
        return F, float(residual)

    return scaled_admm(step, prox, D, judge, np.zeros(2 * n - 1), beta, eps, clock)


@rival("ADMM, exact z", "two_block_m", "two_block_def", choices=(0.3, 1.0, 3.0, 10.0))
def admm_two_blocks(d, eps, clock, beta):
    """x linearized, z exact by a cached factor of CC' + I/beta."""
    B, C, c, rhs, r = d["B"], d["C"], d["c"], d["d"], d.penalty("x")
    factor = la.cho_factor(np.eye(len(C)) / beta + C @ C.T)
    tau = 1.01 * beta * np.linalg.norm(B, 2) ** 2
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
            residual = max(
                np.linalg.norm(s),
                r.residual(x, -B.T @ multiplier),
                np.linalg.norm(z - c - C.T @ multiplier),
            )
            if residual <= eps or clock.over():
                F = float(((z - c) ** 2).sum()) / 2 + r.value(x)
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
                return {
                    "F": nuclear.value(L) + l1.value(S),
                    "residual": float(residual),
                    "iterations": k,
                }
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


@rival(
    "ALM + PANOC",
    "zerosum_mcp",
    "portfolio_mcp",
    "portfolio_l0",
    "bp_mcp",
    "two_block_def",
    choices=(None, 0.1, 1.0, 10.0, 100.0),
)
def by_multipliers(d, eps, clock, beta):
    if d.kind == "zerosum_mcp":
        n = d["A"].shape[1]
        f, term, A, b, x = (
            Linear(d["A"], Loss("least_squares", d["b"])),
            d.penalty("x"),
            np.ones((1, n)),
            np.zeros(1),
            np.zeros(n),
        )
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
    return answer(
        multipliers(f, terms, A, d["d"], np.concatenate([np.zeros(n), d["c"]]), eps, clock, beta)
    )


@rival("SLSQP", "portfolio_mcp")
def slsqp(d, eps, clock, _):
    Q, q = d["Q"], d["q"]
    n, r = len(q), d.penalty("x", low=0.0, high=0.2, compact=True)
    run = opt.minimize(
        lambda x: (float(x @ Q @ x) / 2 + q @ x + r.value(x), Q @ x + q + r.slope(x)),
        np.full(n, 1 / n),
        jac=True,
        bounds=[(0, 0.2)] * n,
        method="SLSQP",
        constraints={"type": "eq", "fun": lambda x: x.sum() - 1, "jac": lambda x: np.ones(n)},
        options={"maxiter": 300, "ftol": 1e-15},
    )
    x = np.clip(run.x, 0, 0.2)
    c = Q @ x + q

    def certify():  # the gap is piecewise linear in the multiplier
        worst = min(r.residual(x, c - y) for y in np.concatenate([c, c + r.slope(x)]))
        return max(abs(x.sum() - 1), worst)

    return {
        "F": float(x @ Q @ x) / 2 + float(q @ x) + r.value(x),
        "residual": certify,
        "iterations": run.nit,
    }


@rival("IRLS", "bp_lq")
def irls(d, eps, clock, _):
    """Chartrand, Yin (2008): weights (x^2 + e)^(q/2 - 1), e falling; then least squares on the support."""
    A, b, r = d["A"], d["b"], d.penalty("x")
    x, e, k = A.T @ la.solve(A @ A.T, b, assume_a="pos"), 1.0, 0
    while e > 1e-14 and not clock.over():
        weight = (x * x + e) ** (1 - r.p[1] / 2)
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
