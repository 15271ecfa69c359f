# SPDX-License-Identifier: MIT
# mypy: disable-error-code=import
"""Examples of PyProximal: its tutorials and its gallery."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Iterator, Tuple

import crease as cr
import numpy as np
import pylops
import pyproximal as pp
from pyproximal.optimization.palm import PALM, iPALM
from pyproximal.optimization.primal import (
    ADMM,
    AndersonProximalGradient,
    LinearizedADMM,
    ProximalGradient,
)
from pyproximal.optimization.primaldual import AdaptivePrimalDual, PrimalDual
from skimage.data import camera

from . import objectives as of
from .example import OURS, Example
from .objectives import Floats

PACKAGES = ("pyproximal", "pylops", "scikit-image")
ABOUT = (
    "Its solvers run a number of iterations that the caller gives, with steps that the caller "
    "gives; ours are given neither, and end with a certificate. Ours are problems of one's own "
    "(`minimize`), default eps 1e-6 unless the row says otherwise. The pictures are the camera man "
    "of scikit-image, also where a tutorial downloads another one."
)
MISSING = (
    "Not run: complex unknowns and groups of exactly k (group sparsity), data that are no part of "
    "the packages (deblurring, deblending, MRI, structure from motion), plug-and-play denoisers, "
    "segmentation."
)


def _solved(make: Callable[[], Tuple[Any, Any]], **options: Any) -> Callable[[], Tuple[Any, Any]]:
    """Solves what `make` returns: a variable, or several, and a problem."""

    def solve() -> Tuple[Any, Any]:
        x, problem = make()
        r = problem.solve(**OURS, **options)
        return tuple(r[v] for v in x) if isinstance(x, tuple) else r[x], r

    return solve


def examples() -> Iterator[Example]:
    """All of them."""
    yield from _pursuit()
    yield from _compressed()
    yield _box()
    yield _rosenbrock()
    yield from _factorized()
    yield _hankel()
    yield from _completed()
    yield from _denoised()
    yield from _proxes()


def _pursuit() -> Iterator[Example]:
    np.random.seed(10)
    x = np.zeros(100)
    x[np.random.permutation(100)[:10]] = np.random.normal(0, 1, 10)
    A = np.random.normal(0, 1, (40, 100))
    y = A @ x
    operator = pylops.MatrixMult(A)
    operator.explicit = False

    def ours(relation: Callable[[Any], Any]) -> Callable[[], Tuple[Any, Any]]:
        v = cr.Variable(100, "x")
        return _solved(lambda: (v, cr.minimize(cr.l1(1)(v), relation(A @ v - y))))

    def admm() -> Any:
        exact = pp.AffineSet(operator, y, niter=20)
        return ADMM(exact, pp.L1(), np.zeros(100), 0.1, niter=150)[0]

    yield Example(
        "basis pursuit, ADMM, 150 iterations",
        "40 x 100",
        admm,
        ours(lambda rest: rest == 0),
        lambda v: of.l1(v, 1),
        off=lambda v: float(np.linalg.norm(A @ v - y)),
    )
    norm2 = float(np.linalg.norm(A, 2)) ** 2

    def rival(iterations: int) -> Any:
        ball = pp.proximal.EuclideanBall(y, 0.1)
        return PrimalDual(
            pp.L1(), ball, operator, np.zeros(100), 0.99, 0.99 / norm2, niter=iterations
        )

    yield Example(
        "basis pursuit with noise, primal-dual, 1000 iterations",
        "40 x 100",
        lambda: rival(1000),
        ours(cr.l2_ball(0.1).contains),
        lambda v: of.l1(v, 1),
        off=lambda v: max(float(np.linalg.norm(A @ v - y)) - 0.1, 0.0),
        closer=lambda: rival(10000),
        how="10,000 iterations",
    )


def _compressed() -> Iterator[Example]:
    np.random.seed(0)
    A = np.random.randn(15, 20)
    A /= np.linalg.norm(A, axis=0)
    x = np.random.rand(20)
    x[x < 0.9] = 0
    y = A @ x
    step = 0.95 / float(np.linalg.norm(A, 2)) ** 2

    def gradient(g: Any, accelerated: Any, iterations: int = 100) -> Any:
        f = pp.L2(Op=pylops.MatrixMult(A), b=y)
        if accelerated == "anderson":
            return AndersonProximalGradient(
                f, g, tau=step, x0=np.zeros(20), epsg=5e-3, niter=iterations, nhistory=5
            )
        return ProximalGradient(
            f, g, tau=step, x0=np.zeros(20), epsg=5e-3, niter=iterations, acceleration=accelerated
        )

    def fit(v: Floats) -> float:
        return float(np.sum((A @ v - y) ** 2)) / 2

    def lasso() -> Tuple[Any, Any]:
        v = cr.Variable(20, "x")
        return v, cr.minimize(cr.least_squares(A @ v - y) + cr.l1(5e-3)(v))

    def sparse() -> Tuple[Any, Any]:
        v = cr.Variable(20, "x")
        return v, cr.minimize(cr.least_squares(A @ v - y) + cr.l0_ball(3).contains(v))

    for name, accelerated in (("ISTA", None), ("FISTA", "fista"), ("Anderson's ISTA", "anderson")):
        yield Example(
            f"compressive sensing, {name}, 100 iterations",
            "15 x 20",
            partial(gradient, pp.L1(), accelerated),
            _solved(lasso),
            lambda v: fit(v) + of.l1(v, 5e-3),
            closer=partial(gradient, pp.L1(), accelerated, 1000),
            how="1000 iterations",
        )
    yield Example(
        "compressive sensing, at most 3 entries, IHT, 100 iterations",
        "15 x 20",
        lambda: gradient(pp.proximal.L0Ball(3), "fista"),
        _solved(sparse),
        lambda v: np.sqrt(2 * fit(v)) / np.linalg.norm(y),
        convex=False,
        error=True,
        off=lambda v: max(np.count_nonzero(v) - 3.0, 0),
        note="the error |Ax - y| / |y|; the data are exact",
    )


def _box() -> Example:
    G = np.array([[10.0, 9], [9, 10]])
    d = G @ [1, 0]

    def rival() -> Any:
        f = pp.L2(Op=pylops.MatrixMult(G), b=d, niter=2)
        step = 1 / np.linalg.eigvalsh(G).max()
        return ProximalGradient(
            f, pp.Box(1.5, 3), tau=step, x0=np.array([4.0, 3]), epsg=1.0, niter=10
        )

    def ours() -> Tuple[Any, Any]:
        v = cr.Variable(2, "x")
        return v, cr.minimize(cr.least_squares(G @ v - d), v >= 1.5, v <= 3)

    return Example(
        "quadratic over a box, 10 iterations",
        "2",
        rival,
        _solved(ours),
        lambda v: float(np.sum((G @ v - d) ** 2)) / 2,
    )


class _Rosenbrock(pp.proximal.Nonlinear):  # type: ignore[misc]
    """(1 - x)^2 + 10 (y - x^2)^2; its prox by twenty steps of gradient descent."""

    def fun(self, v: Floats) -> Any:
        return np.array((1 - v[0]) ** 2 + 10 * (v[1] - v[0] ** 2) ** 2)

    def grad(self, v: Floats) -> Floats:
        bend = v[1] - v[0] ** 2
        return np.array([-2 * (1 - v[0]) - 40 * bend * v[0], 20 * bend])

    def optimize(self) -> Floats:
        v = np.asarray(self.x0, dtype=float)
        for _ in range(self.niter):
            v = v - 0.02 * self._gradprox(v, self.tau)
        return v


def _rosenbrock() -> Example:
    function = _Rosenbrock(niter=20, x0=np.zeros(2), warm=True)

    def ours() -> Tuple[Any, Any]:
        v = cr.Variable(2, "x")
        return v, cr.minimize(
            cr.Smooth(value=function.fun, grad=function.grad)(v), v >= 0.6, v <= 1.2
        )

    def rival() -> Any:
        f = _Rosenbrock(niter=20, x0=np.zeros(2), warm=True)
        return ADMM(f, pp.Box(0.6, 1.2), tau=1.0, x0=np.zeros(2), niter=30)[0]

    return Example(
        "Rosenbrock over a box, ADMM, 30 iterations",
        "2",
        rival,
        _solved(ours),
        lambda v: float(function.fun(np.clip(v, 0.6, 1.2))),
        convex=False,
        note="the least value is 0; ours takes a hundred and more steps of proximal gradient, by "
        "functions in Python",
    )


def _factorized() -> Iterator[Example]:
    np.random.seed(10)
    n, m, k = 100, 90, 10

    def factor(*shape: int) -> Floats:
        return np.maximum(np.random.normal(0, 1, shape), 0) + 1.0

    A = factor(n, k) @ factor(k, m)
    X0, Y0 = factor(n, k), factor(k, m)
    nonneg = pp.Box(lower=0)

    def rival(method: Any, **options: Any) -> Callable[[], Any]:
        product = pp.utils.bilinear.LowRankFactorizedMatrix(X0, Y0, A.ravel())
        return lambda: method(
            product, nonneg, nonneg, X0.ravel(), Y0.ravel(), niter=2000, **options
        )

    def ours() -> Tuple[Any, Any]:
        x, y = cr.Variable((n, k), "X", start=X0), cr.Variable((m, k), "Y", start=Y0.T)
        return (x, y), cr.minimize(cr.matrix_factorization(x, y, A), x >= 0, y >= 0)

    def value(found: Any) -> float:
        x, y = found
        second = y.reshape(k, m) if y.ndim == 1 else y.T
        return float(np.linalg.norm(x.reshape(n, k) @ second - A) / np.linalg.norm(A))

    for name, theirs in (
        ("PALM", rival(PALM, gammaf=2, gammag=2)),
        ("PALM with backtracking", rival(PALM, gammaf=None, gammag=None)),
        ("iPALM", rival(iPALM, gammaf=2, gammag=2, a=[0.8, 0.8])),
    ):
        yield Example(
            f"nonnegative factors, {name}, 2000 iterations",
            "100 x 90, rank 10",
            theirs,
            _solved(ours),
            value,
            convex=False,
            error=True,
            note="|A - XY| / |A| from the same start; the data are exact",
        )


def _hankel() -> Example:
    np.random.seed(0)
    t, signal = np.linspace(-1, 1, 200), np.zeros(200)
    for _ in range(5):
        decay = np.random.uniform(-1, 1)
        phase = np.random.uniform(-40 * np.pi, 40 * np.pi)
        shift = np.random.uniform(-1, 1)
        signal += np.exp(decay * (t - shift)) * np.cos(phase * (t - shift))
    index = np.add.outer(np.arange(51), np.arange(150))
    noisy = signal[index] + np.random.normal(0, 1, index.shape)
    counts = np.bincount(index.ravel())

    def averaged(X: Floats) -> Floats:
        return np.asarray(np.bincount(index.ravel(), X.ravel()) / counts)

    def rival() -> Floats:
        rank = pp.proximal.QuadraticEnvelopeRankL2(noisy.shape, 10, noisy)
        X = ADMM(rank, pp.proximal.Hankel(noisy.shape), x0=noisy.ravel(), tau=0.5, niter=200)[0]
        return averaged(X)

    def ours() -> Tuple[Any, Any]:
        v = cr.Variable(200, "signal", start=averaged(noisy))
        H = v[index.ravel()].reshape(index.shape)
        return v, cr.minimize(cr.least_squares(H - noisy) + cr.rank_ball(10).contains(H))

    return Example(
        "Hankel matrix of rank 10, ADMM, 200 iterations",
        "51 x 150",
        rival,
        _solved(ours),
        lambda v: float(np.sum((v[index] - noisy) ** 2)) / 2,
        convex=False,
        off=lambda v: float(np.linalg.svd(v[index], compute_uv=False)[10:].sum()),
        note="PyProximal has a quadratic envelope of the rank, ours the rank itself, by 700 steps "
        "of the method of multipliers, each with a decomposition",
    )


def _completed() -> Iterator[Example]:
    np.random.seed(0)
    X = camera() / 255.0
    seen = np.random.permutation(X.size)[: int(0.4 * X.size)]
    restriction = pylops.Restriction(X.size, seen)
    y = X.ravel()[seen]

    def rival(g: Any) -> Callable[[], Any]:
        return lambda: ProximalGradient(
            pp.L2(restriction, y),
            g,
            np.zeros(X.size),
            acceleration="vandenberghe",
            tau=1.0,
            niter=100,
        ).reshape(X.shape)

    def fit(x: Floats) -> float:
        return float(np.sum((x.ravel()[seen] - y) ** 2)) / 2

    def ours(constrained: bool) -> Tuple[Any, Any]:
        v = cr.Variable(X.shape, "x")
        low = cr.nuclear_ball(radius).contains(v) if constrained else cr.nuclear(0.8)(v)
        return v, cr.minimize(cr.least_squares(v.ravel()[seen] - y) + low)

    radius = 0.8 * of.nuclear(X)
    yield Example(
        "completion, nuclear norm, 100 iterations",
        "512 x 512, 40 % seen",
        rival(pp.Nuclear(X.shape, 0.8)),
        _solved(lambda: ours(False)),
        lambda x: fit(x) + 0.8 * of.nuclear(x),
    )
    yield Example(
        "completion, nuclear ball, 100 iterations",
        "512 x 512, 40 % seen",
        rival(pp.proximal.NuclearBall(X.shape, radius)),
        _solved(lambda: ours(True)),
        fit,
        off=lambda x: max(of.nuclear(x) / radius - 1, 0.0),
    )


def _differences(x: Floats) -> Tuple[Floats, Floats]:
    down, right = np.zeros_like(x), np.zeros_like(x)
    down[:-1], right[:, :-1] = np.diff(x, axis=0), np.diff(x, axis=1)
    return down, right


def _denoised() -> Iterator[Example]:
    np.random.seed(10)
    clean = camera() / 255.0
    noisy = clean + 0.2 * np.random.uniform(-1, 1, clean.shape)

    def squares(x: Floats, data: Floats) -> float:
        return float(np.sum((x - data) ** 2)) / 2

    def rival(iterations: int) -> Floats:
        D = pylops.Gradient(
            dims=noisy.shape, sampling=1.0, edge=False, kind="forward", dtype="float64"
        )
        found = LinearizedADMM(
            pp.L2(b=noisy.ravel()),
            pp.L1(sigma=0.1),
            D,
            tau=1.0,
            mu=1 / 8,
            x0=np.zeros(noisy.size),
            niter=iterations,
        )
        return np.asarray(found[0].reshape(noisy.shape))

    def ours() -> Tuple[Any, Any]:
        v = cr.Variable(noisy.shape, "x")
        return v, cr.minimize(cr.least_squares(v - noisy) + cr.l1(0.1)(cr.gradient(v)))

    for eps in (1e-3, 1e-6):
        yield Example(
            f"anisotropic TV, linearized ADMM, 100 iterations; ours eps {eps:g}",
            "512 x 512",
            lambda: rival(100),
            _solved(ours, eps=eps),
            lambda x: squares(x, noisy)
            + 0.1 * sum(float(np.abs(d).sum()) for d in _differences(x)),
            closer=lambda: rival(1000),
            how="1000 iterations",
        )
    yield from _isotropic()


def _isotropic() -> Iterator[Example]:
    np.random.seed(10)
    noisy = (camera() + np.random.normal(0, 20, (512, 512)))[:64, :64]
    pixels = np.arange(noisy.size).reshape(noisy.shape)
    labels = np.concatenate([pixels[:-1].ravel(), pixels[:, :-1].ravel()])
    step = 0.95 / np.sqrt(8)

    def rival(method: Any, **options: Any) -> Callable[[], Floats]:
        D = pylops.Gradient(
            dims=noisy.shape, sampling=1.0, edge=False, kind="forward", dtype="float64"
        )
        f, g = pp.L2(b=noisy.ravel(), sigma=0.04), pp.L21(ndim=2)

        def run() -> Floats:
            found = method(f, g, D, tau=step, mu=step, x0=np.zeros(noisy.size), **options)
            return np.asarray(found[0] if isinstance(found, tuple) else found).reshape(noisy.shape)

        return run

    def ours() -> Tuple[Any, Any]:
        v = cr.Variable(noisy.shape, "x")
        fit = 0.04 * cr.least_squares(v - noisy)
        return v, cr.minimize(fit + cr.group_l1(1, labels=labels)(cr.gradient(v)))

    def value(x: Floats) -> float:
        down, right = _differences(x)
        return 0.02 * float(np.sum((x - noisy) ** 2)) + float(np.hypot(down, right).sum())

    note = (
        "a corner of the example's 512 x 512, at which ours does not end within minutes: groups of "
        "differences go to the method of multipliers, while anisotropic TV has a core of its own"
    )
    yield Example(
        "isotropic TV, primal-dual, 300 iterations; ours eps 1e-3",
        "64 x 64",
        rival(PrimalDual, theta=1.0, gfirst=False, niter=300),
        _solved(ours, eps=1e-3),
        value,
        note=note,
        closer=rival(PrimalDual, theta=1.0, gfirst=False, niter=3000),
        how="3000 iterations",
    )
    yield Example(
        "isotropic TV, adaptive primal-dual, 45 iterations; ours eps 1e-6",
        "64 x 64",
        rival(AdaptivePrimalDual, niter=45, xytol=0.05),
        _solved(ours),
        value,
        note=note,
        closer=rival(PrimalDual, theta=1.0, gfirst=False, niter=30000),
        how="30,000 iterations of primal-dual",
    )


def _proxes() -> Iterator[Example]:
    """The gallery's proximal operators of nonconvex penalties, at its points and steps."""
    points, steps = np.linspace(-5, 5, 101), (0.25, 0.5, 0.75, 1.0)

    def log(y: Floats) -> Floats:
        return np.asarray(np.log(1 + 0.5 * y) / np.log(1.5))

    for name, theirs, ours, rho in (
        (
            "SCAD",
            pp.SCAD(1, 3.7),
            cr.scad(1, 3.7),
            lambda y: np.array([of.scad(3.7)(v, 1) for v in y]),
        ),
        ("log", pp.Log(1, 0.5), cr.lsp(1 / np.log(1.5), 2), log),
        (
            "quadratic envelope of l0",
            pp.QuadraticEnvelopeCard(1.5),
            cr.mcp(np.sqrt(3), 1),
            lambda y: np.array([of.mcp(1)(v, np.sqrt(3)) for v in y]),
        ),
    ):
        yield _prox(name, theirs, ours, rho, points, steps)


def _prox(
    name: str, theirs: Any, ours: Any, rho: Any, points: Floats, steps: Tuple[float, ...]
) -> Example:
    def value(found: Any) -> float:
        return sum(
            float(np.sum(t * rho(np.abs(x)) + (x - points) ** 2 / 2)) for t, x in zip(steps, found)
        )

    return Example(
        f"prox of {name}",
        "101 points, 4 steps",
        lambda: [theirs.prox(points, t) for t in steps],
        lambda: ([ours.prox(points, t) for t in steps], None),
        value,
        convex=False,
        note="ours is exact by its tests; a prox has no certificate",
    )
