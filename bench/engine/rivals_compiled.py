# SPDX-License-Identifier: MIT
"""rivals_compiled: HiGHS of SciPy, a taut string, liblinear of scikit-learn, and the cones of CVXPY."""

import warnings

import numpy as np
import scipy.optimize as opt
import scipy.sparse as sp

from register import rival
from rivals_composite import composite
from rivals_splitting import differences_back
from terms import Penalty


@rival("HiGHS", "bp_l1")
def highs_basis_pursuit(d, eps, clock, _):
    A, b = d["A"], d["b"]
    n = A.shape[1]
    run = opt.linprog(np.ones(2 * n), A_eq=np.hstack([A, -A]), b_eq=b, method="highs")
    x = run.x[:n] - run.x[n:]
    x[np.abs(x) < 1e-12] = 0
    residual = max(
        np.linalg.norm(A @ x - b), d.penalty("x").residual(x, -(A.T @ run.eqlin.marginals))
    )
    return {"F": float(np.abs(x).sum()), "residual": float(residual), "iterations": int(run.nit)}


@rival("HiGHS", "transport")
def highs_transport(d, eps, clock, _):
    A, b, c = d["A"], d["b"], d["C"].ravel()
    run = opt.linprog(c, A_eq=A, b_eq=b, method="highs")
    residual = max(
        np.linalg.norm(A @ run.x - b),
        Penalty("zero", low=0.0).residual(np.maximum(run.x, 0), c - A.T @ run.eqlin.marginals),
    )
    return {"F": float(run.fun), "residual": float(residual), "iterations": int(run.nit)}


@rival("HiGHS, feasibility only", "infeasible", "infeasible_box")
def highs_infeasible(d, eps, clock, _):
    A = np.array(d.document["constraint"]["maps"]["x"])
    run = opt.linprog(
        np.zeros(A.shape[1]),
        A_eq=A,
        b_eq=d.document["constraint"]["rhs"],
        bounds=(0, 1),
        method="highs",
    )
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
    return {
        "F": float(((x - y) ** 2).sum()) / 2 + r.value(z),
        "residual": float(residual),
        "iterations": 1,
    }


TIGHT = ("loosest first", 1e-5, 1e-7, 1e-9, 1e-11)  # tolerances of liblinear, which are relative


def l1_logistic(K, labels, C, tolerance):
    from sklearn.linear_model import LogisticRegression

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(
            penalty="l1",
            C=C,
            solver="liblinear",
            fit_intercept=False,
            tol=tolerance,
            max_iter=3000,
        ).fit(K, labels)
    return model.coef_.ravel(), int(np.max(model.n_iter_))


@rival(
    "liblinear, l1: other problem",
    "sparse_logistic",
    "consensus_logistic",
    choices=TIGHT,
    modules=("sklearn.linear_model",),
)
def liblinear(d, eps, clock, tolerance):
    """Logistic loss + lambda |x|_1, lambda the slope of the MCP at 0: convex, the nearest it solves."""
    f, terms, _ = composite(d)
    l1 = Penalty("l1", terms.pairs[0][1].p[:1])
    x, count = l1_logistic(f.K, f.loss.b, 1 / l1.p[0], tolerance)
    u = f.predict(x)
    return {
        "F": f.value(u) + l1.value(x),
        "residual": l1.residual(x, f.gradient(u)),
        "iterations": count,
    }


@rival(
    "liblinear in LLA steps",
    "sparse_logistic",
    "consensus_logistic",
    choices=TIGHT,
    modules=("sklearn.linear_model",),
)
def liblinear_lla(d, eps, clock, tolerance):
    """Zou, Li (2008): the MCP linearized at the last point, each weighted l1 problem by liblinear in
    columns scaled by its weight; a weight of 0 is a small one, so that the end is not quite exact.
    """
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
        D = (
            d["G"]
            if d.kind == "tv2d"
            else sp.diags([-1.0, 1.0], [0, 1], (len(d["y"]) - 1, len(d["y"])))
        )
        return cp.Problem(
            cp.Minimize(cp.sum_squares(x - d["y"]) / 2 + d.penalty("z").p[0] * cp.norm1(D @ x))
        )
    if d.kind == "fused":
        x = cp.Variable(d["A"].shape[1])
        return cp.Problem(
            cp.Minimize(
                cp.sum_squares(d["A"] @ x - d["b"]) / 2
                + 0.02 * cp.norm1(x)
                + 0.1 * cp.norm1(cp.diff(x))
            )
        )
    if d.kind == "simplex_ls":
        x = cp.Variable(d["A"].shape[1], nonneg=True)
        return cp.Problem(cp.Minimize(cp.sum_squares(d["A"] @ x - d["b"]) / 2), [cp.sum(x) == 1])
    if d.kind == "bp_l1":
        x = cp.Variable(d["A"].shape[1])
        return cp.Problem(cp.Minimize(cp.norm1(x)), [d["A"] @ x == d["b"]])
    X = cp.Variable(d["T"].shape, nonneg=True)
    return cp.Problem(
        cp.Minimize(cp.sum_squares(X - d["T"]) / 2), [cp.sum(X, 0) == 1, cp.sum(X, 1) == 1]
    )


CONIC = "tv_split", "tv2d", "fused", "simplex_ls", "bp_l1", "gcg_birkhoff"


def by_cvxpy(solver, **options):

    def run(d, eps, clock, _):
        problem = conic(d)
        problem.solve(solver=solver, **options)
        stats = problem.solver_stats
        return {
            "F": float(problem.value),
            "residual": None,
            "iterations": int(stats.num_iters or 0),
            "cpu": float((stats.solve_time or 0) + (stats.setup_time or 0)),
        }

    return run


rival("Clarabel", *CONIC, modules=("cvxpy", "clarabel"))(
    by_cvxpy("CLARABEL", tol_gap_abs=1e-8, tol_gap_rel=1e-8, tol_feas=1e-8)
)
rival("OSQP", *CONIC, modules=("cvxpy", "osqp"))(
    by_cvxpy("OSQP", eps_abs=1e-7, eps_rel=1e-7, max_iter=100000)
)
rival("SCS", "tv2d", "fused", modules=("cvxpy", "scs"))(
    by_cvxpy("SCS", eps_abs=1e-7, eps_rel=1e-7, max_iters=100000)
)
