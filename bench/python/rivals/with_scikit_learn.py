# SPDX-License-Identifier: MIT
# mypy: disable-error-code=import
"""Examples of scikit-learn: its gallery and the docstring of SparsePCA."""

from __future__ import annotations

from functools import partial
from typing import Any, Callable, Dict, Iterator, Tuple

import crease as cr
import numpy as np
from scipy import ndimage, sparse
from sklearn.datasets import load_digits, load_iris, make_friedman1
from sklearn.decomposition import dict_learning
from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
from sklearn.preprocessing import StandardScaler
from sklearn.svm import l1_min_c

from . import objectives as of
from .example import OURS, Example
from .objectives import Floats

PACKAGES = ("scikit-learn", "scipy")
ABOUT = "The defaults and tolerances of its examples."
MISSING = "Not run: examples whose data are downloaded (MNIST, 20 newsgroups); multinomial models."


def examples() -> Iterator[Example]:
    """All of them."""
    yield from _signals()
    yield from _digits()
    yield _iris()
    yield from _tomography()
    yield from _components()


def _fits(make: Callable[..., Any], X: Any, y: Floats, **closer: Any) -> Dict[str, Any]:
    def fit(**options: Any) -> Tuple[Floats, float]:
        model = make(**options).fit(X, y)
        return np.ravel(model.coef_), float(np.squeeze(model.intercept_))

    how = ", ".join(f"{k}={v:g}" for k, v in closer.items())
    return {"rival": fit, "closer": lambda: fit(**closer), "how": how}


def _regressed(X: Any, y: Floats, **options: Any) -> Callable[[], Tuple[Any, Any]]:
    def fit() -> Tuple[Any, Any]:
        r = cr.regress(X, y, no_standardize=True, **OURS, **options)
        return (r.coef(), r.intercept()), r

    return fit


def _signals() -> Iterator[Example]:
    """Lasso and elastic net for sparse signals."""
    np.random.seed(42)
    X = np.random.randn(50, 100)
    index = np.arange(100)
    truth = np.where(index < 10, (-1.0) ** index * np.exp(-index / 10), 0)
    y = (X @ truth + 0.01 * np.random.normal(size=50))[:25]
    X = np.ascontiguousarray(X[:25])
    for name, make, penalty, value in (
        ("lasso", lambda **o: Lasso(alpha=0.1, **o), "l1", of.l1),
        (
            "elastic net",
            lambda **o: ElasticNet(alpha=0.1, l1_ratio=0.7, **o),
            "elastic-net:0.7",
            of.elastic_net(0.7),
        ),
    ):
        yield Example(
            f"sparse signals, {name}",
            "25 x 100",
            ours=_regressed(X, y, penalty=penalty, lambda_=0.1),
            value=of.squares_and(X, y, value, 0.1),
            **_fits(make, X, y, tol=1e-12, max_iter=100000),
        )


def _digits() -> Iterator[Example]:
    """L1 penalty and sparsity in logistic regression."""
    X, digit = load_digits(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    y = np.where(digit > 4, 1.0, -1.0)
    for C in (1, 0.1, 0.01):
        lam = 1 / (C * len(y))
        yield Example(
            f"logistic regression of digits, SAGA, C = {C:g}",
            "1797 x 64",
            ours=_regressed(X, y, loss="logistic", lambda_=lam),
            value=of.logistic_and(X, y, of.l1, lam),
            **_fits(_saga(C), X, y, tol=1e-6, max_iter=100000),
        )


def _saga(C: float) -> Callable[..., Any]:
    def make(**options: Any) -> Any:
        settings = {"tol": 0.01, "random_state": 0, **options}
        return LogisticRegression(C=C, l1_ratio=1, solver="saga", **settings)

    return make


def _iris() -> Example:
    X, kind = load_iris(return_X_y=True)
    X, kind = X[kind != 2], kind[kind != 2]
    X = X / X.max()
    y = np.where(kind == 1, 1.0, -1.0)
    costs = l1_min_c(X, kind, loss="log") * np.logspace(0, 7, 16)
    lambdas = 1 / (costs * len(y))

    def rival() -> Floats:
        model = LogisticRegression(
            l1_ratio=1,
            solver="liblinear",
            tol=1e-6,
            max_iter=1000000,
            warm_start=True,
            intercept_scaling=10000.0,
        )
        found = []
        for C in costs:
            model.set_params(C=C).fit(X, kind)
            found.append(np.append(model.coef_, model.intercept_))
        return np.array(found)

    def ours() -> Tuple[Floats, Any]:
        r = cr.regress(X, y, loss="logistic", lambda_=lambdas, no_standardize=True, **OURS)
        return np.column_stack([r.coefficients, r.intercepts]), r

    return Example(
        "logistic path of iris, liblinear",
        "100 x 4, 16 lambdas",
        rival,
        ours,
        lambda B: np.array(
            [of.logistic(y * (X @ b[:-1] + b[-1])) + of.l1(b[:-1], t) for b, t in zip(B, lambdas)]
        ),
        note="the classes can be separated and the last objectives are about 1e-5: ours are higher "
        "there by less than 3e-7, as residuals are relative to a gradient's scale, not to lambda",
    )


def _projections(width: int, directions: int) -> Any:
    """Parallel projections of a square picture, each pixel shared by the two nearest detectors."""
    centre = np.arange(width) + 0.5 - width / 2
    down, right = np.meshgrid(centre, centre, indexing="ij")
    rows, columns, shares = [], [], []
    for k in range(directions):
        angle = k * np.pi / directions
        place = (np.cos(angle) * down - np.sin(angle) * right).ravel() - centre[0]
        left = np.floor(place).astype(int)
        for detector, share in ((left, left + 1 - place), (left + 1, place - left)):
            hit = (detector >= 0) & (detector < width)
            rows.append(detector[hit] + k * width)
            columns.append(np.flatnonzero(hit))
            shares.append(share[hit])
    entries = (np.concatenate(shares), (np.concatenate(rows), np.concatenate(columns)))
    return sparse.csr_matrix(entries, shape=(directions * width, width**2))


def _tomography() -> Iterator[Example]:
    """Compressive sensing: edges of random blobs from few projections."""
    width = 128
    A = _projections(width, width // 7)
    rng = np.random.RandomState(0)
    seeds = (width * rng.rand(2, 36)).astype(int)
    blobs = np.zeros((width, width))
    blobs[seeds[0], seeds[1]] = 1
    blobs = ndimage.gaussian_filter(blobs, sigma=width / 36)
    x, y = np.ogrid[:width, :width]
    inside = (blobs > blobs.mean()) & ((x - width / 2) ** 2 + (y - width / 2) ** 2 < width**2 / 4)
    picture = inside ^ ndimage.binary_erosion(inside)
    b = A @ picture.ravel() + 0.15 * rng.randn(A.shape[0])
    n = len(b)

    def ours() -> Tuple[Any, Any]:
        v, c = cr.Variable(A.shape[1], "picture"), cr.Variable(1, "intercept")
        fit = cr.least_squares(A @ v + np.ones((n, 1)) @ c - b) / n
        r = cr.minimize(fit + cr.l1(0.001)(v)).solve(**OURS)
        return (r[v], float(r[c][0])), r

    for name, fit in (("minimize", ours), ("regress", _regressed(A, b, lambda_=0.001))):
        yield Example(
            f"tomography, lasso of a sparse matrix; ours by {name}",
            f"{n} x {A.shape[1]}, {A.nnz} entries",
            ours=fit,
            value=of.squares_and(A, b, of.l1, 0.001),
            **_fits(lambda **o: Lasso(alpha=0.001, **o), A, b, tol=1e-10, max_iter=100000),
        )


def _components() -> Iterator[Example]:
    X = make_friedman1(n_samples=200, n_features=30, random_state=0)[0]
    X = X - X.mean(axis=0)

    def rival() -> Any:
        found = dict_learning(
            X.T, n_components=5, alpha=1, tol=1e-8, max_iter=1000, method="lars", random_state=0
        )
        return found[0], found[1].T

    left, size, right = np.linalg.svd(X, full_matrices=False)

    def ours(**options: Any) -> Tuple[Any, Any]:
        v = cr.Variable((30, 5), "components", start=right[:5].T * size[:5])
        u = cr.Variable((200, 5), "scores", start=left[:, :5])
        price = cr.matrix_factorization(v, u, X.T) + cr.l1(2)(v) + cr.column_balls(1).contains(u)
        r = cr.minimize(price).solve(**OURS, **options)
        return (r[v], r[u]), r

    fits: Dict[str, Callable[[], Tuple[Any, Any]]] = {
        "": ours,
        "; ours with ten starts": partial(ours, starts=10),
    }
    for name, fit in fits.items():
        yield Example(
            f"sparse PCA (docstring){name}",
            "200 x 30, 5 components",
            rival,
            fit,
            lambda f: float(np.sum((X - f[1] @ f[0].T) ** 2)) / 2 + of.l1(f[0], 1),
            convex=False,
            off=lambda f: float(max(np.linalg.norm(f[1], axis=0).max() - 1, 0)),
            note="what `SparsePCA.fit` calls; both start at the singular vectors",
        )
