# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""Principal components of data with outliers in single entries."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._call import seal
from .._errors import ArgumentError
from .._options import apply, rpca
from ..arrays import Floats
from ..result import RPCAResult
from ._base import Seed, seed_of, warn_not_certified
from ._components import Components, with_signs
from ._sklearn import check_is_fitted

# What new rows need of a result; the rest is as large as the data, and its hashes take time.
_MODEL = ("result.json", "certificate.json", "core.npy", "factor_1.npy", "factor_2.npy")


class RobustPCA(Components):
    """Principal components that single wild entries do not move.

    X is split into a mean, a low-rank part, a sparse part and noise. Rows are transformed by a
    robust fit of their coefficients, so that outliers among the entries of new rows do no harm
    either.

    Parameters
    ----------
    n_components : int, default None
        How many components; None: chosen from the data. Of those asked for that the noise
        explains, components and coefficients are zero.
    penalty : str, default "mcp"
        Of the sparse part, with parameters in units of the threshold that is learned from the
        residual: "mcp" and "scad" leave far outliers alone, "l1" lets them pull a little.
    alpha : float, default None
        Weight of the penalty, whose parameters then are in the unit of the data; None: learned.
    center : bool, default True
        Take the mean of the low-rank part out first.
    missing : {None, "nan"}, default None
        "nan": entries that are nan were not observed.
    tol : float, default 1e-6
        The eps of the certificate, relative.
    max_iter : int, default None
        Most iterations; None: 100000.
    max_seconds : float, default None
        For each of two fits, one to find the mean.
    random_state : int, RandomState or None, default 0

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Orthonormal directions, those of largest variance first.
    mean_ : ndarray of shape (n_features,)
    n_components_ : int
    singular_values_ : ndarray of shape (n_components_,)
        Of the low-rank part without the mean.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components_,)
        The variance of each coefficient over the samples, and its share of the variance of X
        without outliers.
    noise_ : float
        The robust standard deviation of the noise.
    n_iter_ : int
        Passes over the data.
    result_ : crease.RPCAResult
        Of X - mean_: low-rank part, sparse part, certificate.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str alone.

    Warns
    -----
    crease.estimators.NotCertifiedWarning
        The fit is not certified stationary to `tol`.

    Examples
    --------
    >>> import numpy as np
    >>> from crease.estimators import RobustPCA
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 10)) + 0.01 * rng.normal(size=(60, 10))
    >>> X[np.arange(0, 60, 7), rng.permutation(10)[:9]] += 50
    >>> pca = RobustPCA().fit(X)
    >>> pca.n_components_
    2
    >>> int(np.argmin(pca.score_samples(X))) % 7
    0
    """

    n_components_: int
    singular_values_: Floats
    noise_: float
    result_: RPCAResult

    def __init__(
        self,
        n_components: Optional[int] = None,
        *,
        penalty: Any = "mcp",
        alpha: Optional[float] = None,
        center: bool = True,
        missing: Optional[str] = None,
        tol: float = 1e-6,
        max_iter: Optional[int] = None,
        max_seconds: Optional[float] = None,
        random_state: Seed = 0,
    ) -> None:
        self.n_components = n_components
        self.penalty = penalty
        self.alpha = alpha
        self.center = center
        self.missing = missing
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state

    def _takes_nan(self) -> bool:
        return self.missing == "nan"

    def _split(self, X: Floats, rank: Optional[int], seed: int) -> RPCAResult:
        return rpca(
            X,
            rank,
            model="matrix",
            penalty=self.penalty,
            alpha=self.alpha,
            missing="nan" if self._takes_nan() else None,
            eps=self.tol,
            max_iterations=self.max_iter,
            max_seconds=self.max_seconds,
            seed=seed,
            axes=self._axes(),
            progress=None,
        )

    def fit(self, X: Any, y: Any = None) -> "RobustPCA":
        """Finds the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        if self.missing not in (None, "nan"):
            raise ArgumentError(f'missing is {self.missing!r}; give "nan" or None')
        X = self._validated(X, reset=True, ensure_min_samples=2)
        most, seed = self._most(X), seed_of(self.random_state)
        rank = None if self.n_components is None else most
        self.mean_ = np.zeros(X.shape[1])
        if self.center:  # the mean of a low-rank part, which has one rank more with it
            more = None if rank is None else min(rank + 1, *X.shape)
            self.mean_ = self._split(X, more, seed).lowrank.mean(axis=0)
        result = self._split(X - self.mean_, rank, seed)
        if not result.certificate.valid:
            warn_not_certified("the fit", "give a larger max_iter or tol, or more seconds")
        self._set_components(result)
        self.result_ = result
        self._model = RPCAResult(seal({name: result.files[name] for name in _MODEL}))
        return self

    def _set_components(self, result: RPCAResult) -> None:
        """The singular value decomposition of the low-rank part, by that of its small core."""
        (left, inner), (right, other) = (np.linalg.qr(f) for f in result.factors)
        u, values, v = np.linalg.svd(inner @ result.core @ other.T)
        floor = values[0] * max(result.lowrank.shape) * np.finfo(np.float64).eps
        self.singular_values_ = np.where(values > floor, values, 0.0)
        kept = self.singular_values_ > 0
        self.components_ = with_signs(np.where(kept[:, np.newaxis], v @ right.T, 0.0))
        self.n_components_ = len(values)
        clean = result.lowrank + result.residual
        self._set_variance((left @ u) * self.singular_values_, float(clean.var(axis=0).sum()))
        self.noise_ = result.noise
        self.n_iter_ = max(result.document["passes"] or 0, result.iterations or 0, 1)

    def _lowrank(self, X: Floats) -> Floats:
        """The low-rank part of rows without the mean, each fitted robustly by itself."""
        scores = apply(
            self._model,
            X - self.mean_,
            missing="nan" if self._takes_nan() else None,
            progress=None,
        )
        if not scores.certificate.valid:
            warn_not_certified("the fit of a row", "look at it for entries that are out of scale")
        return scores.lowrank

    def transform(self, X: Any) -> Floats:
        """The coefficients of rows, fitted robustly, each row by itself.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        return self._lowrank(self._validated(X)) @ self.components_.T

    def score_samples(self, X: Any) -> Floats:
        """How well rows fit, outliers lowest: minus their distance from the components.

        It is the root mean square of the entries of X - inverse_transform(transform(X)), in
        deviations of the noise: about -1 for a row without outliers, nan for one of which nothing
        was observed.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        X = self._validated(X)
        rest = X - self.mean_ - self._lowrank(X)
        with np.errstate(invalid="ignore"):
            means = np.nansum(rest**2, axis=1) / np.count_nonzero(~np.isnan(X), axis=1)
        return np.asarray(-np.sqrt(means) / (self.noise_ or 1.0))
