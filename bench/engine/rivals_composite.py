# SPDX-License-Identifier: MIT
"""rivals_composite: problems without a constraint, or freed of it by hand: PANOC, FISTA, Frank-Wolfe,
coordinate descent and L-BFGS-B."""

import numpy as np
import scipy.linalg as la
import scipy.optimize as opt

from methods import Direct, Linear, Terms, all_of, fista, panoc
from register import answer, rival
from terms import Ball, Loss, NuclearBall, Penalty, Simplex, Spectrahedron, Spectral


def composite(d):
    """(f, terms, start) of the kinds without constraint and of those that a substitution frees of it."""
    if d.kind == "sharing20":
        A = np.hstack([d[f"A{j}"] for j in range(20)])
        return (
            Linear(A, Loss("least_squares", d["y"])),
            all_of(d.penalty("x0")),
            np.zeros(A.shape[1]),
        )
    if d.kind == "consensus_logistic":
        n = d["Z"].shape[1]
        return (
            Linear((d["A"] @ -d["Z"]).toarray(), Loss("logistic", d["lab"])),
            all_of(d.penalty("z")),
            np.zeros(n),
        )
    if d.kind == "sparse_logistic":
        return (
            Linear(d["A"], Loss("logistic", d["lab"])),
            all_of(d.penalty("x")),
            np.zeros(d["A"].shape[1]),
        )
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
        loss = (
            Loss("lp_loss", d["b"], 1.5) if d.kind.endswith("lp") else Loss("least_squares", d["b"])
        )
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
    term = (
        Spectral(Penalty("mcp", (3.0, 3.0)), shape)
        if d.kind == "completion"
        else NuclearBall(d.set_parameter("X")[0], shape)
    )
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
    start = np.concatenate(
        [
            (
                d[b["start"][:-4]].ravel()
                if isinstance(b["start"], str)
                else np.full(m * r, b["start"])
            )
            for b, (m, r) in zip(blocks, shapes)
        ]
    )
    terms = [
        Ball(d.set_parameter(b["name"])[0]) if "set" in b else d.penalty(b["name"]) for b in blocks
    ]
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
        return (
            float((R * R).sum()) + 5e-4 * float(x @ x),
            2 * np.concatenate([a.ravel() for a in g]) + 1e-3 * x,
        )

    return Direct(tensor if T.ndim == 3 else matrix), Terms(*zip(parts, terms)), start


@rival(
    "PANOC",
    "consensus_logistic",
    "sharing20",
    "sparse_logistic",
    "two_block_m",
    "nmf",
    "cp_nonneg",
    "dictionary",
    "completion",
    "phaselift",
    "gcg_nuclear",
    "gcg_nuclear_lp",
    "gcg_simplex_lp",
    "simplex_ls",
)
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
                low, high = (
                    (middle, high) if loss.slope(u + middle * du) @ du < 0 else (low, middle)
                )
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
    return {"F": float(((X - T) ** 2).sum()) / 2, "residual": gap, "iterations": k}


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
        y = opt.minimize(
            dual,
            y,
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": 2000, "gtol": 1e-12, "ftol": 0, "maxcor": 30},
        ).x
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
    T, X, Y = d["T"], x[: m * r].reshape(m, r).copy(), x[m * r :].reshape(n, r).copy()
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
    unfold = [
        T.reshape(n, -1),
        T.transpose(1, 0, 2).reshape(n, -1).copy(),
        T.transpose(2, 0, 1).reshape(n, -1).copy(),
    ]
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
        run = opt.minimize(
            both,
            x,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0, None)] * len(x),
            options={"maxiter": 500, "maxfun": 10**6, "maxcor": 20, "gtol": eps / 100, "ftol": 0},
        )
        x, count = run.x, count + run.nit
        residual = terms.residual(x, f.gradient(x))
        if residual <= eps or clock.over() or run.nit == 0:
            return {"F": f.value(x) + terms.value(x), "residual": residual, "iterations": count}
