# SPDX-License-Identifier: MIT
"""Objectives by their definitions, in NumPy alone: what judges the answers of both sides."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Penalty = Callable[[Floats, float], float]


def l1(b: Floats, lam: float) -> float:
    return float(lam * np.abs(b).sum())


def elastic_net(ratio: float) -> Penalty:
    return lambda b, lam: l1(b, ratio * lam) + (1 - ratio) * lam / 2 * float(b @ b)


def mcp(gamma: float) -> Penalty:
    def value(b: Floats, lam: float) -> float:
        a = np.minimum(np.abs(b), gamma * lam)
        return float((lam * a - a**2 / (2 * gamma)).sum())

    return value


def scad(shape: float) -> Penalty:
    def value(b: Floats, lam: float) -> float:
        a = np.minimum(np.abs(b), shape * lam)
        bend = np.maximum(a - lam, 0) ** 2 / (2 * (shape - 1))
        return float((lam * a - bend).sum())

    return value


def power(q: float) -> Penalty:
    return lambda b, lam: float(lam * (np.abs(b) ** q).sum())


def groups_of(size: int) -> Penalty:
    return lambda b, lam: float(lam * np.linalg.norm(b.reshape(-1, size), axis=1).sum())


def squared(residual: Floats) -> float:
    return float(np.mean(residual**2)) / 2


def huber(residual: Floats, delta: float) -> float:
    a = np.abs(residual)
    return float(np.mean(np.where(a <= delta, a**2 / 2, delta * (a - delta / 2))))


def logistic(margin: Floats) -> float:
    """The mean of log(1 + exp(-margin))."""
    return float(np.mean(np.logaddexp(0, -margin)))


def squares_and(X: Any, y: Floats, penalty: Penalty, lam: float) -> Callable[[Any], float]:
    """The mean of squares, half of it, and the penalty: of coefficients and intercept."""
    return lambda b: squared(y - X @ b[0] - b[1]) + penalty(b[0], lam)


def logistic_and(X: Any, y: Floats, penalty: Penalty, lam: float) -> Callable[[Any], float]:
    """The mean logistic loss of labels -1 and 1, and the penalty."""
    return lambda b: logistic(y * (X @ b[0] + b[1])) + penalty(b[0], lam)


def nuclear(x: Floats) -> float:
    return float(np.linalg.svd(x, compute_uv=False).sum())


def relative_error(found: Floats, truth: Floats, where: Any = True) -> float:
    seen = np.broadcast_to(where, truth.shape)
    return float(np.linalg.norm((found - truth)[seen]) / np.linalg.norm(truth[seen]))
