# SPDX-License-Identifier: MIT
"""methods: the general first-order rivals: PANOC, FISTA with restart, multipliers around PANOC.

They minimize f(x) + sum of terms, f given by predict(x) = u, linear in x, value(u) and gradient(u). A run
ends at residual <= eps, the certificate of terms.py, or when Clock has no seconds of processor left.
"""

import time

import numpy as np


class Clock:

    def __init__(self, seconds):
        self.end = time.process_time() + seconds

    def over(self):
        return time.process_time() > self.end


class Linear:
    """loss(K x)"""

    def __init__(self, K, loss):
        self.K, self.loss = K, loss

    def predict(self, x):
        return self.K @ x

    def value(self, u):
        return self.loss.value(u)

    def gradient(self, u):
        return self.K.T @ self.loss.slope(u)


class Quadratic:
    """x'Qx/2 + q'x; the predictor is (x, Qx)."""

    def __init__(self, Q, q):
        self.Q, self.q = Q, q

    def predict(self, x):
        return np.concatenate([x, self.Q @ x])

    def value(self, u):
        x, Qx = np.split(u, 2)
        return float(x @ Qx / 2 + self.q @ x)

    def gradient(self, u):
        return np.split(u, 2)[1] + self.q


class Zero:

    def predict(self, x):
        return np.zeros(0)

    def value(self, u):
        return 0.0

    def gradient(self, u):
        return 0.0


class Direct:
    """A function of x with its gradient, not of a linear predictor."""

    def __init__(self, value_gradient):
        self.call, self.last = value_gradient, None

    def at(self, x):
        if self.last is None or self.last[0] is not x:
            self.last = (x, *self.call(x))
        return self.last

    def predict(self, x):
        return x

    def value(self, u):
        return self.at(u)[1]

    def gradient(self, u):
        return self.at(u)[2]


class Augmented:
    """f(x) - <lambda, s> + beta/2 |s|^2, s = A x - b"""

    def __init__(self, f, A, b):
        self.f, self.A, self.b, self.multiplier, self.beta = f, A, b, np.zeros(len(b)), 1.0

    def predict(self, x):
        return np.concatenate([self.f.predict(x), self.A @ x])

    def parts(self, u):
        cut = len(u) - len(self.b)
        return u[:cut], u[cut:] - self.b

    def value(self, u):
        v, s = self.parts(u)
        return self.f.value(v) - float(self.multiplier @ s) + self.beta / 2 * float(s @ s)

    def gradient(self, u):
        v, s = self.parts(u)
        return self.f.gradient(v) + self.A.T @ (self.beta * s - self.multiplier)


class Terms:
    """Nonsmooth terms on slices of x."""

    def __init__(self, *pairs):
        self.pairs = pairs  # (slice, term)

    def value(self, x):
        return sum(term.value(x[part]) for part, term in self.pairs)

    def prox(self, v, t):
        if len(self.pairs) == 1:
            return self.pairs[0][1].prox(v, t)
        return np.concatenate([term.prox(v[part], t) for part, term in self.pairs])

    def residual(self, x, c):
        if len(self.pairs) == 1:
            return self.pairs[0][1].residual(x, c)
        return max(term.residual(x[part], c[part]) for part, term in self.pairs)


def all_of(term):
    return Terms((slice(None), term))


def step_size(f, x, g):
    """1 over the curvature along a random direction; backtracking mends it."""
    d = np.random.default_rng(0).normal(size=len(x))
    d *= 1e-4 * (1 + np.linalg.norm(x)) / np.linalg.norm(d)
    change = np.linalg.norm(f.gradient(f.predict(x + d)) - g)
    return 0.95 * np.linalg.norm(d) / max(change, 1e-12 * np.linalg.norm(d))


class Memory:
    """L-BFGS on the fixed-point residual."""

    def __init__(self, length=20):
        self.length, self.pairs = length, []

    def add(self, s, y):
        if s @ y > 1e-12 * np.linalg.norm(s) * np.linalg.norm(y):
            self.pairs = (self.pairs + [(s, y, 1 / (s @ y))])[-self.length :]

    def direction(self, r):
        q, weights = -r, []
        for s, y, rho in reversed(self.pairs):
            weights.append(rho * (s @ q))
            q = q - weights[-1] * y
        if self.pairs:
            s, y, rho = self.pairs[-1]
            q = q / (rho * (y @ y))
        for (s, y, rho), a in zip(self.pairs, reversed(weights)):
            q = q + (a - rho * (y @ q)) * s
        return q


def panoc(f, terms, x, eps, clock, limit=200000):
    """Stella, Themelis, Sopasakis, Patrinos (2017): the envelope
    f(x) + <g, z - x> + r(z) + |z - x|^2/(2 gamma), z = prox(x - gamma g), decreases along
    x + (1 - tau)(z - x) + tau d. Returns (z, F, residual, iterations)."""
    u = f.predict(x)
    value, g = f.value(u), f.gradient(u)
    gamma, memory, previous = step_size(f, x, g), Memory(), None
    z = terms.prox(x - gamma * g, gamma)
    best = (z, np.inf, np.inf)
    for k in range(limit):
        while True:
            d = z - x
            uz = f.predict(z)
            fz = f.value(uz)
            if (
                fz <= value + g @ d + 0.95 * (d @ d) / (2 * gamma) + 1e-13 * abs(value)
                or gamma < 1e-16
            ):
                break
            gamma, memory, previous = gamma / 2, Memory(), None
            z = terms.prox(x - gamma * g, gamma)
        r = -d / gamma
        if np.linalg.norm(r) <= 100 * eps or k % 20 == 0 or clock.over():
            residual = terms.residual(z, f.gradient(uz))
            if residual < best[2]:
                best = (z, fz + terms.value(z), residual)
            if residual <= eps or clock.over():
                break
        envelope = value + g @ d + terms.value(z) + (d @ d) / (2 * gamma)
        if previous is not None:
            memory.add(x - previous[0], r - previous[1])
        previous = x, r
        step = memory.direction(r) if memory.pairs else d
        us, tau = f.predict(step), 1.0
        while True:
            new = x + (1 - tau) * d + tau * step
            un = u + (1 - tau) * (uz - u) + tau * us
            if k % 20 == 0:
                un = f.predict(new)
            vn, gn = f.value(un), f.gradient(un)
            zn = terms.prox(new - gamma * gn, gamma)
            dn = zn - new
            en = vn + gn @ dn + terms.value(zn) + (dn @ dn) / (2 * gamma)
            if en <= envelope - 0.025 / gamma * (d @ d) + 1e-13 * abs(envelope) or tau < 1e-3:
                break
            tau = tau / 2 if tau > 2e-3 else 0.0
        x, u, value, g, z = new, un, vn, gn, zn
    return (*best, k + 1)


def fista(f, terms, x, eps, clock, limit=200000):
    """Beck, Teboulle (2009) with backtracking and gradient restart (O'Donoghue, Candes 2015)."""
    gamma = step_size(f, x, f.gradient(f.predict(x)))
    y, t, residual, F, z = x, 1.0, np.inf, np.inf, x
    for k in range(limit):
        u = f.predict(y)
        value, g = f.value(u), f.gradient(u)
        while True:
            z = terms.prox(y - gamma * g, gamma)
            d = z - y
            uz = f.predict(z)
            fz = f.value(uz)
            if fz <= value + g @ d + (d @ d) / (2 * gamma) + 1e-13 * abs(value) or gamma < 1e-16:
                break
            gamma /= 2
        if k % 5 == 0 or clock.over() or np.linalg.norm(d) / gamma <= 100 * eps:
            residual = terms.residual(z, f.gradient(uz))
            F = fz + terms.value(z)
            if residual <= eps or clock.over():
                break
        if (y - z) @ (z - x) > 0:
            t = 1.0
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        y, t, x = z + (t - 1) / after * (z - x), after, z
    return z, F, residual, k + 1


def multipliers(f, terms, A, b, x, eps, clock, beta=None, outer=60):
    """The augmented Lagrangian with PANOC inside; residual = max(|s|, of the inner problem). beta counts in
    units of the curvature of f over that of |s|^2/2."""
    inner = Augmented(f, A, b)
    curvature = 1 / step_size(f, x, f.gradient(f.predict(x))) if f.predict(x).size else 1.0
    inner.beta = (
        beta * curvature / np.linalg.norm(A, 2) ** 2
        if beta
        else 10
        * max(1, abs(f.value(f.predict(x)) + terms.value(x)))
        / max(1e-2, float(np.sum((A @ x - b) ** 2)))
    )
    tolerance, before, total = 1e-1, np.inf, 0
    best = (x, np.inf, np.inf)
    for _ in range(outer):
        x, _, residual, count = panoc(inner, terms, x, tolerance, clock)
        total += count
        s = A @ x - b
        norm = float(np.linalg.norm(s))
        inner.multiplier = inner.multiplier - inner.beta * s
        F = f.value(f.predict(x)) + terms.value(x)
        best = (x, F, max(norm, residual))
        if best[2] <= eps or clock.over():
            break
        if norm > 0.25 * before:
            inner.beta *= 5
        before = norm
        tolerance = max(eps / 2, min(tolerance / 10, norm / 10))
    return (*best, total)
