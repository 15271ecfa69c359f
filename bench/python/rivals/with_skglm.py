# SPDX-License-Identifier: MIT
# mypy: disable-error-code=import
"""Examples of skglm: its README and its gallery."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, Iterator, Tuple

import crease as cr
import numpy as np
from sklearn.model_selection import train_test_split
from skglm import GeneralizedLinearEstimator as _estimator
from skglm import Lasso, WeightedLasso
from skglm.datafits import Huber, Logistic, LogisticGroup, Quadratic, QuadraticGroup
from skglm.estimators import MCPRegression
from skglm.penalties import (
    L0_5,
    L1,
    L2_3,
    SCAD,
    L1_plus_L2,
    MCPenalty,
    WeightedGroupL2,
    WeightedL1GroupL2,
)
from skglm.solvers import AndersonCD, GroupBCD, GroupProxNewton
from skglm.utils.data import grp_converter, make_correlated_data
from skglm.utils.jit_compilation import compiled_clone

from . import objectives as of
from .example import OURS, Example
from .objectives import Floats

PACKAGES = ("skglm", "scikit-learn")
ABOUT = (
    "The examples of its README and gallery. It compiles with Numba at the first call; this first "
    "call is a warm-up, and what it took longer stands in the notes."
)
MISSING = (
    "Not run: the timing comparison and the U-curve (their data are downloaded), Cox and Poisson "
    "regression, the graphical lasso."
)


DEFAULT = 1e-4  # its tol
CLOSER = 1e-10


def _fitted(make: Callable[[float], Any], X: Floats, y: Floats) -> Dict[str, Any]:
    """A fit by skglm as documented, and one with a smaller tol: coefficients and intercept."""

    def fit(tol: float) -> Tuple[Floats, float]:
        model = make(tol).fit(X, y)
        return np.ravel(model.coef_), float(np.squeeze(model.intercept_))

    return {"rival": lambda: fit(DEFAULT), "closer": lambda: fit(CLOSER), "how": f"tol={CLOSER:g}"}


def _as_documented(fits: Dict[str, Any]) -> Dict[str, Any]:
    """Without the closer fit, which would take a minute."""
    return {"rival": fits["rival"]}


def _regressed(X: Floats, y: Floats, **options: Any) -> Callable[[], Tuple[Any, Any]]:
    """The same by crease, at one lambda."""

    def fit() -> Tuple[Any, Any]:
        r = cr.regress(X, y, no_standardize=True, **OURS, **options)
        return (r.coef(), r.intercept()), r

    return fit


def examples() -> Iterator[Example]:
    """All of them."""
    yield from _readme()
    yield from _recovery()
    yield from _logistic()
    yield from _weighted()
    yield _sparse_groups()


def _readme() -> Iterator[Example]:
    X, y, _ = make_correlated_data(n_samples=10, n_features=100, random_state=0)
    mcp = of.mcp(3)
    yield Example(
        "MCP regression (README)",
        "10 x 100",
        ours=_regressed(X, y, penalty="mcp:3", lambda_=1.0),
        value=of.squares_and(X, y, mcp, 1.0),
        convex=False,
        **_fitted(lambda tol: MCPRegression(tol=tol), X, y),
    )
    yield Example(
        "Huber loss and MCP (README)",
        "10 x 100",
        ours=_regressed(X, y, loss="huber:1", penalty="mcp:3", lambda_=1e-2),
        value=lambda b: of.huber(y - X @ b[0] - b[1], 1) + mcp(b[0], 1e-2),
        convex=False,
        **_fitted(
            lambda tol: _estimator(Huber(1.0), MCPenalty(1e-2, 3.0), AndersonCD(tol=tol)), X, y
        ),
    )


def _recovery() -> Iterator[Example]:
    """Sparse recovery with nonconvex penalties: paths of thirty lambdas."""
    np.random.seed(0)
    w = np.zeros(1000)
    w[np.random.choice(1000, size=100, replace=False)] = 1
    X, y, w = make_correlated_data(
        n_samples=1000, n_features=1000, snr=5, random_state=2, rho=0.5, w_true=w
    )
    X /= np.linalg.norm(X, axis=0) / np.sqrt(len(X))
    X, _, y, _ = train_test_split(X, y, test_size=0.5)
    lambdas = np.abs(X.T @ y).max() / len(y) * np.geomspace(1, 1e-2, 30)
    rows, columns = np.ascontiguousarray(X), np.asfortranarray(X)
    for name, theirs, ours, penalty in (
        ("lasso", L1(1.0), "l1", of.l1),
        ("MCP", MCPenalty(1.0, 3.0), "mcp:3", of.mcp(3)),
        ("SCAD", SCAD(1.0, 3.0), "scad:3", of.scad(3)),
        ("l1/2", L0_5(1.0), "l-half", of.power(1 / 2)),
        ("l2/3", L2_3(1.0), "l-two-thirds", of.power(2 / 3)),
    ):
        yield _path(name, theirs, ours, penalty, lambdas, rows, columns, y)


def _path(
    name: str,
    theirs: Any,
    ours: str,
    penalty: of.Penalty,
    lambdas: Floats,
    rows: Floats,
    columns: Floats,
    y: Floats,
) -> Example:
    def rival(tol: float = DEFAULT) -> Floats:
        solver = AndersonCD(ws_strategy="fixpoint", fit_intercept=False, tol=tol)
        path = solver.path(
            columns, y, compiled_clone(Quadratic()), compiled_clone(theirs), alphas=lambdas
        )
        return np.asarray(path[1].T)

    def solve() -> Tuple[Floats, Any]:
        r = cr.regress(
            rows, y, penalty=ours, lambda_=lambdas, no_standardize=True, no_intercept=True, **OURS
        )
        return r.coefficients, r

    return Example(
        f"sparse recovery, {name}",
        "500 x 1000, 30 lambdas",
        rival,
        solve,
        lambda B: np.array([of.squared(y - rows @ b) + penalty(b, t) for b, t in zip(B, lambdas)]),
        convex=ours == "l1",
        note=(
            ""
            if ours == "l1"
            else "not convex: both arrive at stationary points, and neither always at the lower one"
        ),
        closer=lambda: rival(CLOSER),
        how=f"tol={CLOSER:g}",
    )


def _classifier(penalty: Any, tol: float) -> Any:
    return _estimator(Logistic(), penalty, AndersonCD(tol=tol))


def _logistic() -> Iterator[Example]:
    X, y, _ = make_correlated_data(n_samples=50, n_features=100, random_state=0)
    y = np.sign(y)[:25]
    X /= np.linalg.norm(X, axis=0) / np.sqrt(len(X))
    X = np.asfortranarray(X[:25])
    for name, theirs, ours, penalty in (
        ("elastic net", L1_plus_L2(0.005, 0.3), "elastic-net:0.3", of.elastic_net(0.3)),
        ("MCP", MCPenalty(0.005, 3.0), "mcp:3", of.mcp(3)),
    ):
        fits = _fitted(partial(_classifier, theirs), X, y)
        yield Example(
            f"logistic regression, {name}",
            "25 x 100",
            ours=_regressed(X, y, loss="logistic", penalty=ours, lambda_=0.005),
            value=of.logistic_and(X, y, penalty, 0.005),
            convex=name != "MCP",
            note="ours takes 27,000 sweeps; the rival stops early, higher" if name == "MCP" else "",
            **(_as_documented(fits) if name == "MCP" else fits),
        )
    Z, z, _ = make_correlated_data(n_samples=10, n_features=30, random_state=0)
    z = np.sign(z)
    indices, pointers = grp_converter(3, n_features=30)
    groups = of.groups_of(3)
    yield Example(
        "group logistic regression",
        "10 x 30, groups of 3",
        ours=_regressed(
            Z,
            z,
            loss="logistic",
            penalty="group-l1",
            groups=np.repeat(np.arange(10), 3),
            weights=np.ones(10),
            lambda_=0.01,
            no_intercept=True,
        ),
        value=of.logistic_and(Z, z, groups, 0.01),
        **_fitted(
            lambda tol: _estimator(
                LogisticGroup(pointers, indices),
                WeightedGroupL2(0.01, np.ones(10), pointers, indices),
                GroupProxNewton(tol=tol),
            ),
            Z,
            z,
        ),
    )


def _weighted() -> Iterator[Example]:
    np.random.seed(0)
    w = np.zeros(100)
    w[np.random.choice(100, 10, replace=False)] = np.random.choice([-1, 1], 10)
    X, y, _ = make_correlated_data(n_samples=100, n_features=100, random_state=0, w_true=w)
    weights = np.repeat([0.0, 5.0, 1.0], [10, 40, 50])
    lam = np.max(np.abs(X[:, 10:].T @ y / weights[10:])) / 100 / 50
    yield _lasso("weighted lasso, ten weights zero", X, y, weights, lam)

    X, _, _ = make_correlated_data(n_samples=50, n_features=30, random_state=0)
    X[:, :5] *= 0.1
    signal, noise = X[:, :5].sum(axis=1), np.random.randn(50)
    y = signal + 0.5 * np.linalg.norm(signal) / np.linalg.norm(noise) * noise
    lam = np.max(np.abs(X.T @ y)) / 50 / 10
    yield _lasso("lasso, small columns matter", X, y, np.ones(30), lam)
    yield _lasso("weighted lasso, small columns matter", X, y, np.linalg.norm(X, axis=0), lam)


def _lasso(name: str, X: Floats, y: Floats, weights: Floats, lam: float) -> Example:
    plain = bool(np.all(weights == 1))

    def make(tol: float) -> Any:
        if plain:
            return Lasso(alpha=lam, tol=tol, fit_intercept=False)
        return WeightedLasso(alpha=lam, tol=tol, weights=weights, fit_intercept=False)

    ours: Dict[str, Any] = {} if plain else {"penalty": "weighted-l1", "weights": weights}
    return Example(
        name,
        f"{X.shape[0]} x {X.shape[1]}",
        ours=_regressed(X, y, lambda_=lam, no_intercept=True, **ours),
        value=lambda b: of.squared(y - X @ b[0]) + of.l1(weights * b[0], lam),
        **_fitted(make, X, y),
    )


def _sparse_groups() -> Example:
    X, y, _ = make_correlated_data(n_samples=10, n_features=30, random_state=0)
    indices, pointers = grp_converter(10, 30)
    groups = of.groups_of(10)

    def rival() -> Floats:
        penalty = WeightedL1GroupL2(
            alpha=0.5,
            weights_groups=np.ones(3),
            weights_features=0.5 * np.ones(30),
            grp_indices=indices,
            grp_ptr=pointers,
        )
        solver = GroupBCD(ws_strategy="fixpoint", fit_intercept=False, tol=1e-10)
        return np.ravel(
            _estimator(QuadraticGroup(pointers, indices), penalty, solver).fit(X, y).coef_
        )

    def ours() -> Tuple[Floats, Any]:
        b = cr.Variable(30, "b")
        fit = cr.least_squares(X @ b - y) / 10
        r = cr.minimize(fit + cr.l1(0.25)(b) + cr.group_l1(0.5, groups=[10, 10, 10])(b)).solve(
            **OURS
        )
        return r[b], r

    return Example(
        "sparse group lasso",
        "10 x 30, groups of 10",
        rival,
        ours,
        lambda b: of.squared(y - X @ b) + of.l1(b, 0.25) + groups(b, 0.5),
        note="ours as a problem of one's own (`minimize`)",
    )
