# SPDX-License-Identifier: MIT
"""peers.py NAME ARGUMENTS: one rival on one data set; {"cpu", "wall", "value"} on the last line.

The clock runs around the computation alone, from arrays in memory to arrays in memory.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any, Callable, Dict, Tuple

import numpy as np


def soft(x: Any, t: float) -> Any:
    return x - np.clip(x, -t, t)


# Principal component pursuit by the inexact augmented Lagrangian method of Lin, Chen and Ma (2010).
def _whole(X: Any, least: float, state: Dict[str, Any]) -> Tuple[Any, Any, Any]:
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    r = int((s > least).sum())
    return U[:, :r], s[:r], Vt[:r]


def _partial(X: Any, least: float, state: Dict[str, Any]) -> Tuple[Any, Any, Any]:
    """Leading triplets by subspace iteration from the last ones, as many as were predicted; whole
    where that is more than a fifth of the shorter side."""
    n = min(X.shape)
    while True:
        k = state.setdefault("k", min(n, 10))
        if k > n / 5:
            U, s, Vt = _whole(X, least, state)
        else:
            V = state.get("V", np.empty((X.shape[1], 0)))[:, :k]
            V = np.hstack([V, state["random"].standard_normal((X.shape[1], k + 5 - V.shape[1]))])
            for _ in range(2):
                V = np.linalg.qr(X.T @ (X @ V))[0]
            U, s, Wt = np.linalg.svd(X @ V, full_matrices=False)
            Vt = Wt @ V.T
            state["V"] = Vt.T
            r = int((s > least).sum())
            if r > k:
                state["k"] = min(n, 2 * k)
                continue
            U, s, Vt = U[:, :r], s[:r], Vt[:r]
        r = len(s)
        state["k"] = min(n, r + 1 if r < k else r + max(1, int(0.05 * n)))
        return U, s, Vt


def alm(path: str, how: str) -> Callable[[], float]:
    M = np.load(path)
    decompose = {"whole": _whole, "partial": _partial}[how]

    def run() -> Tuple[Any, Any]:
        lam, size = 1 / np.sqrt(max(M.shape)), np.linalg.norm(M)
        top = np.sqrt(np.linalg.eigvalsh(M.T @ M if M.shape[0] >= M.shape[1] else M @ M.T)[-1])
        Y = M / max(top, np.abs(M).max() / lam)
        mu, S, state = 1.25 / top, np.zeros_like(M), {"random": np.random.default_rng(0)}
        for _ in range(1000):
            U, s, Vt = decompose(M - S + Y / mu, 1 / mu, state)
            L = (U * (s - 1 / mu)) @ Vt
            S = soft(M - L + Y / mu, lam / mu)
            Z = M - L - S
            Y = Y + mu * Z
            mu = min(1.5 * mu, 1e7 * 1.25 / top)
            if np.linalg.norm(Z) <= 1e-7 * size:
                break
        return s - 1 / mu, M - L

    def value(answer: Tuple[Any, Any]) -> float:
        return float(answer[0].sum() + np.abs(answer[1]).sum() / np.sqrt(max(M.shape)))

    return _timed(run, value)


# CP robust PCA by the paper's ADMM-g, dense arrays and BLAS, from a random start.
def admm(folder: str, rank: str, steps: str) -> Callable[[], float]:
    T, truth = np.load(folder + "/tensor.npy"), np.load(folder + "/lowrank.npy")
    R, beta, h, alpha = int(rank), 4.0, 2.0, 2 / np.sqrt(max(T.shape))

    def rest(x: Any, n: int) -> Any:
        K = np.ones((1, R))
        for m in range(T.ndim):
            if m != n:
                K = (K[:, None, :] * x[m][None, :, :]).reshape(-1, R)
        return K

    def run() -> Any:
        random = np.random.default_rng(1)
        x = [random.standard_normal((d, R)) for d in T.shape]
        Z, E, B, L = T.copy(), np.zeros_like(T), np.zeros_like(T), np.zeros_like(T)
        for _ in range(int(steps)):
            for n in range(T.ndim):
                K = rest(x, n)
                Zn = np.moveaxis(Z, n, 0).reshape(T.shape[n], -1)
                x[n] = np.linalg.solve(K.T @ K + h / 2 * np.eye(R), (Zn @ K + h / 2 * x[n]).T).T
            low = (x[0] @ rest(x, 0).T).reshape(T.shape)
            E = soft(beta * (T - Z - B) + L + h * E, alpha) / (beta + h)
            Z = (2 * low + h * Z + L - beta * (E + B - T)) / (2 + beta + h)
            B = B - (2 * B - L + beta * (Z + E + B - T)) / beta
            L = L - beta * (Z + E + B - T)
        return low

    return _timed(run, lambda low: float(np.linalg.norm(low - truth) / np.linalg.norm(truth)))


# Completion: ridge ALS over the observed entries, one small system a row, as many tutorials have it.
def als(path: str, rank: str, ridge: str, sweeps: str, held: str) -> Callable[[], float]:
    import scipy.io
    import scipy.sparse

    A = scipy.sparse.csr_matrix(scipy.io.mmread(path))
    test = scipy.sparse.coo_matrix(scipy.io.mmread(held))
    R, nu = int(rank), float(ridge)

    def rows(A: Any, W: Any) -> Any:
        U = np.zeros((A.shape[0], R))
        for i in range(A.shape[0]):
            at = slice(A.indptr[i], A.indptr[i + 1])
            Wi = W[A.indices[at]]
            U[i] = np.linalg.solve(Wi.T @ Wi + nu * np.eye(R), Wi.T @ A.data[at])
        return U

    def run() -> Tuple[Any, Any]:
        W = np.random.default_rng(1).standard_normal((A.shape[1], R))
        transposed = scipy.sparse.csr_matrix(A.T)
        for _ in range(int(sweeps)):
            U = rows(A, W)
            W = rows(transposed, U)
        return U, W

    def value(answer: Tuple[Any, Any]) -> float:
        U, W = answer
        off = test.data - np.einsum("ir,ir->i", U[test.row], W[test.col])
        return float(np.sqrt(np.mean(off**2)))

    return _timed(run, value)


# l1-logistic regression without an intercept: F = sum log(1 + exp(-y x'b)) / n + lambda |b|_1.
def liblinear(x: str, y: str, lam: str, tolerance: str) -> Callable[[], float]:
    import scipy.io
    import scipy.sparse
    from sklearn.linear_model import LogisticRegression

    X, labels = scipy.sparse.csr_matrix(scipy.io.mmread(x)), np.load(y)
    n, price = X.shape[0], float(lam)
    model = LogisticRegression(
        penalty="l1", C=1 / (n * price), solver="liblinear", fit_intercept=False, tol=float(tolerance), max_iter=10000
    )

    def run() -> Any:
        return model.fit(X, labels).coef_[0]

    def value(b: Any) -> float:
        return float(np.logaddexp(0, -(2 * labels - 1) * (X @ b)).mean() + price * np.abs(b).sum())

    return _timed(run, value)


def lasso(folder: str, lam: str) -> Callable[[], float]:
    from sklearn.linear_model import Lasso

    X, y = np.load(folder + "/X.npy"), np.load(folder + "/y.npy")
    model = Lasso(alpha=float(lam), fit_intercept=False, tol=1e-8, max_iter=100000)
    X = np.asfortranarray(X)

    def value(b: Any) -> float:
        return float(((y - X @ b) ** 2).mean() / 2 + float(lam) * np.abs(b).sum())

    return _timed(lambda: model.fit(X, y).coef_, value)


def _timed(run: Callable[[], Any], value: Callable[[Any], float]) -> Callable[[], float]:
    def measure() -> float:
        cpu, wall = time.process_time(), time.perf_counter()
        answer = run()
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        print(json.dumps({"cpu": cpu, "wall": wall, "value": value(answer)}))
        return cpu

    return measure


if __name__ == "__main__":
    {"alm": alm, "admm": admm, "als": als, "liblinear": liblinear, "lasso": lasso}[sys.argv[1]](*sys.argv[2:])()
