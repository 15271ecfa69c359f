# SPDX-License-Identifier: MIT
# mypy: disable-error-code=import
"""Examples of CVXPY: its README and its gallery."""

from __future__ import annotations

from typing import Any, Iterator, Tuple

import crease as cr
import cvxpy as cp
import numpy as np

from . import objectives as of
from .example import OURS, Example
from .objectives import Floats

PACKAGES = ("cvxpy",)
ABOUT = (
    "With the solver that it chooses. Its time includes turning the problem into a standard form, "
    "ours the making of the problem."
)
MISSING = (
    "Not run: examples with a logarithm of a determinant, semidefinite matrices, integers, or data "
    "that are downloaded (inpainting, trend filtering)."
)


def examples() -> Iterator[Example]:
    """All of them."""
    yield _bounded()
    yield _lasso()
    yield _logistic()
    yield from _sparse()
    yield _kalman()


def _bounded() -> Example:
    np.random.seed(1)
    A, b = np.random.randn(30, 20), np.random.randn(30)

    def rival() -> Any:
        x = cp.Variable(20)
        cp.Problem(cp.Minimize(cp.sum_squares(A @ x - b)), [0 <= x, x <= 1]).solve()
        return x.value

    def ours() -> Tuple[Any, Any]:
        x = cr.Variable(20, "x")
        r = cr.minimize(2 * cr.least_squares(A @ x - b), x >= 0, x <= 1).solve(**OURS)
        return r[x], r

    return Example(
        "least squares in a box (README)",
        "30 x 20",
        rival,
        ours,
        lambda x: float(np.sum((A @ x - b) ** 2)),
        off=lambda x: float(np.max(np.maximum(-x, x - 1), initial=0)),
    )


def _lasso() -> Example:
    np.random.seed(1)
    truth = np.random.randn(20)
    truth[np.random.choice(20, 16, replace=False)] = 0
    X = np.random.randn(100, 20)
    y = (X @ truth + np.random.normal(0, 5, size=100))[:50]
    X = np.ascontiguousarray(X[:50])
    lambdas = np.logspace(-2, 3, 50)[::-1]

    def rival() -> Any:
        beta, lam = cp.Variable(20), cp.Parameter(nonneg=True)
        problem = cp.Problem(cp.Minimize(cp.norm2(X @ beta - y) ** 2 + lam * cp.norm1(beta)))
        return _along(problem, beta, lam, lambdas)

    def ours() -> Tuple[Any, Any]:
        r = cr.regress(X, y, lambda_=lambdas / 100, no_standardize=True, no_intercept=True, **OURS)
        return r.coefficients, r

    return Example(
        "lasso path",
        "50 x 20, 50 lambdas",
        rival,
        ours,
        lambda B: np.array([np.sum((X @ b - y) ** 2) + of.l1(b, t) for b, t in zip(B, lambdas)]),
        note="the objectives are those of the path from the largest lambda on",
    )


def _along(problem: Any, beta: Any, parameter: Any, lambdas: Floats) -> Floats:
    found = []
    for lam in lambdas:
        parameter.value = lam
        problem.solve()
        found.append(beta.value)
    return np.array(found)


def _logistic() -> Example:
    np.random.seed(0)
    truth = np.random.randn(20)
    truth[np.random.choice(20, 16, replace=False)] = 0
    X = np.random.normal(0, 5, size=(1000, 20))
    X[:, 0] = 1.0
    y = (X @ truth + np.random.normal(0, 45, size=1000) > 0).astype(float)
    lambdas = np.logspace(-2, 0, 100)[::-1]

    def rival() -> Any:
        beta, lam = cp.Variable(20), cp.Parameter(nonneg=True)
        likelihood = cp.sum(cp.multiply(y, X @ beta) - cp.logistic(X @ beta))
        problem = cp.Problem(cp.Maximize(likelihood - 1000 * lam * cp.norm1(beta)))
        return _along(problem, beta, lam, lambdas)

    def ours() -> Tuple[Any, Any]:
        r = cr.regress(
            X, y, loss="logistic", lambda_=lambdas, no_standardize=True, no_intercept=True, **OURS
        )
        return r.coefficients, r

    return Example(
        "logistic path with l1",
        "1000 x 20, 100 lambdas",
        rival,
        ours,
        lambda B: np.array(
            [of.logistic((2 * y - 1) * (X @ b)) + of.l1(b, t) for b, t in zip(B, lambdas)]
        ),
    )


def _sparse() -> Iterator[Example]:
    np.random.seed(1)
    A, x0 = np.random.randn(100, 50), np.random.randn(50)
    b = A @ x0 + np.random.random(100)
    delta = 1e-8

    def rival(rounds: int) -> Any:
        x, weights = cp.Variable(50), cp.Parameter(50, nonneg=True)
        weights.value = np.ones(50)
        problem = cp.Problem(cp.Minimize(weights @ cp.abs(x)), [A @ x <= b])
        for _ in range(rounds):
            problem.solve()
            weights.value = 1 / (delta + np.abs(x.value))
        return x.value

    def ours(penalty: Any) -> Tuple[Any, Any]:
        x = cr.Variable(50, "x")
        r = cr.minimize(penalty(x), A @ x <= b).solve(**OURS)
        return r[x], r

    def off(x: Floats) -> float:
        return float(np.max(A @ x - b, initial=0))

    yield Example(
        "sparse solution of inequalities, l1",
        "100 x 50",
        lambda: rival(1),
        lambda: ours(cr.l1(1)),
        lambda x: of.l1(x, 1),
        off=off,
    )
    yield Example(
        "the same, log heuristic, 15 rounds",
        "100 x 50",
        lambda: rival(15),
        lambda: ours(cr.lsp(1, delta)),
        lambda x: float(np.log(delta + np.abs(x)).sum()),
        convex=False,
        off=off,
        note="other stationary points, with 33 entries both; ours starts at zero, the heuristic at "
        "the l1 solution",
    )


def _kalman() -> Example:
    """Robust Kalman filtering; a point is judged by its inputs and where it starts."""
    n, damping, tau, rho = 1000, 0.05, 2.0, 2.0
    step = 50 / (n - 1)
    A, B, C = np.eye(4), np.zeros((4, 2)), np.eye(2, 4)
    A[0, 2] = A[1, 3] = (1 - damping * step / 2) * step
    A[2, 2] = A[3, 3] = 1 - damping * step
    B[0, 0] = B[1, 1] = step**2 / 2
    B[2, 0] = B[3, 1] = step
    np.random.seed(6)
    noise = np.random.randn(2, n)
    wild = np.random.rand(n) <= 0.2
    noise[:, wild] = 20 * np.random.randn(2, n)[:, wild]
    drive = np.random.randn(2, n)

    def driven(start: Floats, w: Floats) -> Floats:
        x = np.zeros((4, n))
        x[:, 0] = start
        for k in range(n - 1):
            x[:, k + 1] = A @ x[:, k] + B @ w[:, k]
        return x

    y = C @ driven(np.zeros(4), drive) + noise

    def rival() -> Any:
        x, w, v = cp.Variable((4, n + 1)), cp.Variable((2, n)), cp.Variable((2, n))
        price = cp.sum_squares(w) + cp.sum(tau * cp.huber(cp.norm(v, axis=0), rho))
        cp.Problem(
            cp.Minimize(price), [x[:, 1:] == A @ x[:, :-1] + B @ w, y == C @ x[:, :-1] + v]
        ).solve()
        return x.value[:, 0], w.value[:, :-1]

    def ours() -> Tuple[Any, Any]:
        x, w = cr.Variable((4, n), "x"), cr.Variable((2, n - 1), "w")
        times = np.tile(np.arange(n), (2, 1))
        price = 2 * cr.least_squares(w) + cr.group_huber(2 * tau * rho, rho, labels=times)(
            y - C @ x
        )
        r = cr.minimize(price, x[:, 1:] == A @ x[:, :-1] + B @ w).solve(**OURS)
        return (r[x][:, 0], r[w]), r

    def value(found: Any) -> float:
        start, w = found
        s = np.linalg.norm(y - C @ driven(start, w), axis=0)
        return float(np.sum(w**2) + tau * 2 * n * of.huber(s, rho))

    return Example(
        "robust Kalman filter",
        "1000 steps of 4 states",
        rival,
        ours,
        value,
        note="a chain of 1000 equations, on which a method of first order takes thousands of "
        "steps, and an interior point method 15 or 20",
    )
