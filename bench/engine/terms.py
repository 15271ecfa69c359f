# SPDX-License-Identifier: MIT
"""terms: the penalties, sets and losses of the kinds in NumPy, for the rivals.

A nonsmooth term has value(x), prox(v, t) = argmin r(x) + |x - v|^2/(2t), which is exact, and
residual(x, c), the certificate of its block at the smooth gradient c:
    dist(-c, d(r + indicator)(x))                       no set, or r is not Lipschitz
    min over g in dr(x) of <c + g, x> + sigma(-(c + g)) r Lipschitz on a compact set
A smooth loss has value(u) and slope(u) at the predictor u."""

import numpy as np
import scipy.linalg as la


class Penalty:
    """sum rho(|x_j|): l1, mcp, scad, l0, lq, squared-l2 or zero, on [low, high]; compact: the gap is the
    certificate."""

    def __init__(self, name, parameters=(), low=-np.inf, high=np.inf, compact=False):
        self.name, self.p, self.low, self.high, self.compact = name, parameters, low, high, compact
        self.kink = {"l1": 0, "mcp": 0, "scad": 0}.get(name)
        self.kink = parameters[0] if self.kink == 0 else np.inf if name in ("l0", "lq") else 0.0

    def rho(self, y):
        p = self.p
        if self.name == "l1":
            return p[0] * y
        if self.name == "squared-l2":
            return p[0] / 2 * y * y
        if self.name == "l0":
            return p[0] * (y > 0)
        if self.name == "lq":
            return p[0] * y ** p[1]
        if self.name == "mcp":
            return np.where(y <= p[0] * p[1], p[0] * y - y * y / (2 * p[1]), p[1] * p[0] ** 2 / 2)
        if self.name == "scad":
            return np.where(
                y <= p[0],
                p[0] * y,
                np.where(
                    y <= p[1] * p[0],
                    p[0] * y - (y - p[0]) ** 2 / (2 * (p[1] - 1)),
                    p[0] ** 2 * (p[1] + 1) / 2,
                ),
            )
        return 0 * y

    def slope(self, y):
        """rho'(y), y > 0"""
        p = self.p
        if self.name == "l1":
            return p[0] + 0 * y
        if self.name == "squared-l2":
            return p[0] * y
        if self.name == "lq":
            return p[0] * p[1] * np.maximum(y, 1e-300) ** (p[1] - 1)
        if self.name == "mcp":
            return np.maximum(p[0] - y / p[1], 0)
        if self.name == "scad":
            return np.where(y <= p[0], p[0], np.maximum(p[1] * p[0] - y, 0) / (p[1] - 1))
        return 0 * y

    def value(self, x):
        return float(self.rho(np.abs(x)).sum())

    def candidates(self, w, t):
        """Points y >= 0, one of which minimizes rho(y) + (y - w)^2/(2t) over y >= 0: kinks and the roots
        of w - y = t rho'(y) on each piece."""
        p = self.p
        if self.name == "l1":
            return [np.maximum(w - t * p[0], 0)]
        if self.name == "squared-l2":
            return [w / (1 + t * p[0])]
        if self.name == "l0":
            return [0 * w, w]
        if self.name == "mcp":
            gap = np.where(np.abs(p[1] - t) > 0, p[1] - t, 1.0)
            return [
                0 * w,
                np.clip(p[1] * (w - t * p[0]) / gap, 0, p[0] * p[1]),
                np.maximum(w, p[0] * p[1]),
            ]
        if self.name == "scad":
            l, a = p
            gap = np.where(np.abs(a - 1 - t) > 0, a - 1 - t, 1.0)
            return [
                np.clip(w - t * l, 0, l),
                np.clip(((a - 1) * w - t * a * l) / gap, l, a * l),
                np.maximum(w, a * l),
            ]
        if self.name == "lq":
            return [0 * w, self.root(w, t)]
        return [w]

    def root(self, w, t):
        """The larger root of y + t rho'(y) = w where there is one, by Newton from the right."""
        l, q = self.p
        turn = (t * l * q * (1 - q)) ** (1 / (2 - q))
        y = np.maximum(w, turn)
        for _ in range(30):
            z = np.maximum(y, 1e-300)
            y = np.maximum(
                y
                - (y - w + t * l * q * z ** (q - 1))
                / np.maximum(1 - t * l * q * (1 - q) * z ** (q - 2), 1e-3),
                turn,
            )
        return y

    def prox(self, v, t):
        w = np.abs(v)
        points = self.candidates(w, t)
        if len(points) == 1 and not np.isfinite(self.low) and not np.isfinite(self.high):
            return np.sign(v) * points[0]
        best, least = None, None
        for y in points + (
            [np.full_like(w, min(max(0, self.low), self.high))] if np.isfinite(self.low) else []
        ):
            x = np.clip(np.sign(v) * y, self.low, self.high)
            merit = self.rho(np.abs(x)) + (x - v) ** 2 / (2 * t)
            best = x if best is None else np.where(merit < least, x, best)
            least = merit if least is None else np.minimum(merit, least)
        return best

    def residual(self, x, c):
        slope = np.sign(x) * self.slope(np.abs(x))
        low, high = np.where(x == 0, -self.kink, slope), np.where(x == 0, self.kink, slope)
        if self.compact:
            d = c + np.clip(-c, low, high)
            return float(np.maximum(d * (x - self.low), d * (x - self.high)).sum())
        low, high = np.where(x <= self.low, -np.inf, low), np.where(x >= self.high, np.inf, high)
        return float(np.linalg.norm(np.maximum(np.maximum(low + c, -c - high), 0)))


def simplex_projection(v, total):
    u = np.sort(v)[::-1]
    cut = (np.cumsum(u) - total) / np.arange(1, len(v) + 1)
    return np.maximum(v - cut[np.nonzero(u - cut > 0)[0][-1]], 0)


class Set:
    """A compact set with its projection; the gap is the certificate."""

    def value(self, x):
        return 0.0


class Simplex(Set):

    def __init__(self, total):
        self.total = total

    def prox(self, v, t):
        return simplex_projection(v, self.total)

    def residual(self, x, c):
        return float(c @ x - self.total * c.min())


class Ball(Set):
    """|x| <= radius"""

    def __init__(self, radius):
        self.radius = radius

    def prox(self, v, t):
        return v * min(1, self.radius / max(np.linalg.norm(v), 1e-300))

    def residual(self, x, c):
        return float(c @ x + self.radius * np.linalg.norm(c))


class NuclearBall(Set):

    def __init__(self, radius, shape):
        self.radius, self.shape, self.svds = radius, shape, 0

    def prox(self, v, t):
        self.svds += 1
        U, s, V = la.svd(v.reshape(self.shape), full_matrices=False, check_finite=False)
        return (
            v if s.sum() <= self.radius else ((U * simplex_projection(s, self.radius)) @ V).ravel()
        )

    def residual(self, x, c):
        return float(c @ x + self.radius * np.linalg.norm(c.reshape(self.shape), 2))


class Spectrahedron(Set):

    def __init__(self, trace, shape):
        self.trace, self.shape, self.svds = trace, shape, 0

    def prox(self, v, t):
        self.svds += 1
        V = v.reshape(self.shape)
        e, Q = np.linalg.eigh((V + V.T) / 2)
        return ((Q * simplex_projection(e, self.trace)) @ Q.T).ravel()

    def residual(self, x, c):
        C = c.reshape(self.shape)
        return float(c @ x - self.trace * np.linalg.eigvalsh((C + C.T) / 2)[0])


class Spectral:
    """A penalty of the singular values. The factors of the last prox serve the residual at that point."""

    def __init__(self, penalty, shape):
        self.penalty, self.shape, self.svds, self.last = penalty, shape, 0, None

    def factors(self, x):
        if self.last is not None and self.last[0] is x:
            return self.last[1:]
        U, s, V = la.svd(x.reshape(self.shape), full_matrices=False, check_finite=False)
        k = int((s > 1e-11 * max(s[0], 1e-300)).sum())
        return U[:, :k], s[:k], V[:k]

    def value(self, x):
        return self.penalty.value(self.factors(x)[1])

    def prox(self, v, t):
        self.svds += 1
        U, s, V = la.svd(v.reshape(self.shape), full_matrices=False, check_finite=False)
        s = self.penalty.prox(s, t)
        k = int((s > 0).sum())
        x = ((U[:, :k] * s[:k]) @ V[:k]).ravel()
        self.last = x, U[:, :k], s[:k], V[:k]
        return x

    def residual(self, x, c):
        """-c = U diag(rho'(s)) V' + W, W orthogonal to U and V with singular values at most the kink."""
        U, s, V = self.factors(x)
        G = -c.reshape(self.shape)
        left, right = U.T @ G, G @ V.T
        core = left @ V.T
        rest = G - U @ left - right @ V + U @ core @ V
        square = ((core - np.diag(self.penalty.slope(s))) ** 2).sum()
        square += ((left - core @ V) ** 2).sum() + ((right - U @ core) ** 2).sum()
        if np.isfinite(self.penalty.kink):
            beyond = np.maximum(la.svd(rest, compute_uv=False) - self.penalty.kink, 0)
            square += (beyond**2).sum()
        return float(np.sqrt(square))


class Loss:
    """least_squares, huber, lp_loss of K x - b, or logistic of the labels b and K x."""

    def __init__(self, name, b, parameter=None):
        self.name, self.b, self.p = name, b, parameter

    def value(self, u):
        if self.name == "logistic":
            return float(np.logaddexp(0, -self.b * u).sum())
        r = np.abs(u - self.b)
        if self.name == "huber":
            return float(np.where(r <= self.p, r * r / 2, self.p * (r - self.p / 2)).sum())
        return float((r**self.p).sum() if self.name == "lp_loss" else (r * r).sum() / 2)

    def slope(self, u):
        if self.name == "logistic":
            return -self.b * np.exp(-np.logaddexp(0, self.b * u))
        r = u - self.b
        if self.name == "huber":
            return np.clip(r, -self.p, self.p)
        return np.sign(r) * self.p * np.abs(r) ** (self.p - 1) if self.name == "lp_loss" else r
