# SPDX-License-Identifier: MIT
# mypy: disable-error-code=import
"""Examples of TensorLy: gallery, user guide, and the planted data of its test of robust_pca."""

from __future__ import annotations

from copy import deepcopy
from typing import Any, Callable, Dict, Iterator, Tuple

import crease as cr
import numpy as np
import tensorly as tl
from tensorly.datasets import load_covid19_serology, load_IL2data
from tensorly.decomposition import (
    non_negative_parafac,
    non_negative_parafac_hals,
    parafac,
    robust_pca,
)
from tensorly.random import random_cp

from . import objectives as of
from .example import OURS, Example
from .objectives import Floats

PACKAGES = ("tensorly",)
ABOUT = (
    "CP fits are judged by |T - fit| / |T| over what was observed. Ours are `rpca` with an `alpha` "
    "so large that nothing is an outlier; its starts are its own, while TensorLy starts as its "
    "examples say. `robust_pca` minimizes the sum of the nuclear norms of the unfoldings, and "
    "`rpca` another model: there the table has the error against what was planted, and the row "
    "after it TensorLy's own model, solved by `minimize`."
)
MISSING = (
    "Not run: exact HALS, which takes minutes; image compression (its picture is downloaded), "
    "Tucker, PARAFAC2, tensor regression, and constraints other than nonnegativity. Tensors are "
    "float64 for both, also where an example has float32."
)
_PLAIN = 1e12  # a price of outliers that nothing is worth


def _cp(T: Floats, rank: int, **options: Any) -> Callable[[], Tuple[Floats, Any]]:
    def fit() -> Tuple[Floats, Any]:
        r = cr.rpca(T, rank, alpha=_PLAIN, **OURS, **options)
        return r.lowrank, r

    return fit


def _parafac(T: Floats, rank: int, **options: Any) -> Callable[[], Any]:
    return lambda: tl.cp_to_tensor(parafac(T, rank, **options))


def examples() -> Iterator[Example]:
    """All of them."""
    yield _cross()
    yield _line_search()
    yield from _serology()
    yield from _nonnegative()
    yield _responses()
    yield from _robust()


def _cross() -> Example:
    cross = np.zeros((12, 12))
    cross[1:11, 4:8] = cross[4:8, 1:11] = 1
    return Example(
        "parafac of a cross, rank 2 (user guide)",
        "12 x 12",
        _parafac(cross, 2),
        _cp(cross, 2),
        lambda L: of.relative_error(L, cross),
        convex=False,
        error=True,
        note="a singular value decomposition gives it; ours has starts for what is wild",
    )


def _line_search() -> Example:
    T = random_cp((10, 10, 10), 3, random_state=1234, full=True)

    options = {"n_iter_max": 2000000, "linesearch": True}
    return Example(
        "parafac with line search, rank 3",
        "10 x 10 x 10, exact",
        _parafac(T, 3, tol=1e-9, **options),
        _cp(T, 3),
        lambda L: of.relative_error(L, T),
        convex=False,
        error=True,
        closer=_parafac(T, 3, tol=1e-15, **options),
        how="tol=1e-15",
    )


def _serology() -> Iterator[Example]:
    T = np.asarray(load_covid19_serology().tensor)
    several = "ours takes several starts, since the fit leaves much"
    for rank, ours, fit in (
        (1, several, _cp(T, 1)),
        (2, several, _cp(T, 2)),
        (6, several, _cp(T, 6)),
        (6, "ours with one start", _cp(T, 6, starts=1)),
    ):
        yield Example(
            f"parafac of COVID-19 serology, rank {rank}" + ("" if ours == several else f"; {ours}"),
            " x ".join(map(str, T.shape)),
            _parafac(T, rank, tol=1e-10, n_iter_max=1000, linesearch=True, orthogonalise=2),
            fit,
            lambda L: of.relative_error(L, T),
            convex=False,
            note=several if ours == several else "",
        )


def _nonnegative() -> Iterator[Example]:
    T = np.arange(24000.0).reshape(30, 40, 20)
    start = random_cp(T.shape, 10, random_state=0)
    for name, fit in (
        ("MU", lambda: tl.cp_to_tensor(non_negative_parafac(T, 10, init=deepcopy(start)))),
        ("HALS", lambda: tl.cp_to_tensor(non_negative_parafac_hals(T, 10, init=deepcopy(start)))),
    ):
        yield Example(
            f"nonnegative parafac by {name}, rank 10",
            "30 x 40 x 20, 0 to 23999",
            fit,
            _cp(T, 10, nonneg=True),
            lambda L: of.relative_error(L, T),
            convex=False,
        )


def _responses() -> Example:
    T = np.asarray(load_IL2data().tensor)
    seen = np.isfinite(T)
    filled = np.nan_to_num(T)
    return Example(
        "nonnegative parafac of IL-2 responses, rank 3",
        "13 x 4 x 12 x 8, 4 % missing",
        lambda: tl.cp_to_tensor(
            non_negative_parafac(
                filled, init="random", rank=3, mask=seen, n_iter_max=5000, tol=1e-9, random_state=1
            )
        ),
        _cp(filled, 3, nonneg=True, mask=seen),
        lambda L: of.relative_error(L, filled, seen),
        convex=False,
    )


def _robust() -> Iterator[Example]:
    rng = np.random.RandomState(12345)
    clean = np.vstack([np.array([[1.0, 2, 3, 4], [2, 4, 6, 8]])[None]] * 100)
    wild = _outliers(rng, clean.shape, 0.05, 100.0)
    observed = rng.choice([0, 1], clean.shape, p=[0.05, 0.95])
    settings = {"reg_E": 0.4, "mu_max": 1e13, "learning_rate": 1.2, "n_iter_max": 200, "tol": 1e-5}
    yield _planted("robust_pca of its test", clean, clean + wild, np.ones(clean.shape), settings, 1)
    yield _unfoldings(clean + wild, settings)
    holes = np.where(observed == 0, 1, clean) + wild
    yield _planted("robust_pca of its test, 5 % missing", clean, holes, observed, settings, 1)
    low = random_cp((30, 30, 30), 3, random_state=1, full=True)
    spoiled = low + _outliers(np.random.RandomState(2), low.shape, 0.1, 10 * float(low.std()))
    settings = {**settings, "reg_E": 1 / np.sqrt(30)}
    yield _planted(
        "robust_pca, three terms, 10 % outliers", low, spoiled, np.ones(low.shape), settings, 3
    )


def _outliers(rng: Any, shape: Tuple[int, ...], share: float, size: float) -> Floats:
    return np.asarray(
        rng.choice([0.0, size, -size], size=shape, p=[1 - share, share / 2, share / 2])
    )


def _planted(
    name: str, low: Floats, data: Floats, observed: Floats, settings: Any, rank: int
) -> Example:
    mask: Dict[str, Any] = {} if observed.all() else {"mask": observed}

    def ours() -> Tuple[Floats, Any]:
        r = cr.rpca(data, rank, **mask, **OURS)
        return r.lowrank, r

    return Example(
        name,
        " x ".join(map(str, data.shape)),
        lambda: robust_pca(data, verbose=False, **mask, **settings)[0],
        ours,
        lambda L: of.relative_error(L, low),
        convex=False,
        error=True,
        note="the error against what was planted; the models differ",
    )


def _unfoldings(data: Floats, settings: Any) -> Example:
    order = [tl.unfold(np.arange(data.size).reshape(data.shape), k) for k in range(data.ndim)]

    def value(sparse: Floats) -> float:
        low = (data - sparse).ravel()
        return sum(of.nuclear(low[index]) for index in order) + of.l1(sparse, settings["reg_E"])

    def ours() -> Tuple[Floats, Any]:
        low, sparse = cr.Variable(data.shape, "low"), cr.Variable(data.shape, "sparse")
        price = cr.l1(settings["reg_E"])(sparse)
        for index in order:
            price = price + cr.nuclear(1)(low.ravel()[index.ravel()].reshape(index.shape))
        r = cr.minimize(price, low + sparse == data).solve(**OURS)
        return r[sparse], r

    return Example(
        "the model of robust_pca on these data",
        " x ".join(map(str, data.shape)),
        lambda: robust_pca(data, verbose=False, **settings)[1],
        ours,
        value,
        note="ours stops at a certificate, TensorLy when a growing penalty made the point feasible",
    )
