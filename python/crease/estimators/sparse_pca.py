# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""Principal components with few features each."""

from __future__ import annotations

from typing import Any, List, Optional, Tuple, Union

import numpy as np

from ..arrays import Floats
from ..result import SPCAResult
from ._base import Seed, seed_of, warn, warn_not_certified
from ._components import Components, with_signs
from ._run import spca
from ._sklearn import check_is_fitted


class SparsePCA(Components):
    """Principal components with few features each.

    With S the covariance of X, a component minimizes ``-x' S y + alpha (R(x) + R(y))`` over unit
    balls, where x = y at a minimum, since S has no negative eigenvalue. Then what X has along the
    components so far is projected out, and the next one is sought.

    Parameters
    ----------
    n_components : int, default 1
        How many components; None: as many as there are. Those that are not found are zero.
    penalty : str, default "l1"
        R: "l1", "l0", "mcp", "scad", "elastic-net:1,1", ... (crease.catalogue()).
    alpha : float or str, default "auto"
        Weight of the penalty, in the unit of a covariance; "auto" lets entries of S x vanish that
        are below a quarter of the largest, "auto:F" those below a share F of it. It is chosen
        anew for every component.
    starts : int, default None
        Points to start from, of which the best is kept; None: 10.
    tol : float, default 1e-6
        The eps of the certificates, relative.
    max_iter : int, default None
        Most iterations of each start; None: 100000.
    max_seconds : float, default None
        For each component.
    random_state : int, RandomState or None, default 0
        Of the starts.

    Attributes
    ----------
    components_ : ndarray of shape (n_components_, n_features)
        Unit vectors, in the order in which they were found; they need not be orthogonal.
    mean_ : ndarray of shape (n_features,)
    n_components_ : int
    alpha_ : ndarray of shape (n_components_,)
        The weight of the penalty for each component.
    explained_variance_, explained_variance_ratio_ : ndarray of shape (n_components_,)
        The variance that each component adds to those before it, and its share of that of X.
    n_iter_ : int
        Iterations, the most of all components.
    result_ : tuple of crease.SPCAResult
        One for each component, of the covariance that those before it left.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str alone.

    Warns
    -----
    crease.estimators.NotCertifiedWarning
        A component is not certified stationary to `tol`.
    UserWarning
        Some of the components are zero.

    Examples
    --------
    >>> import numpy as np
    >>> from crease.estimators import SparsePCA
    >>> rng = np.random.default_rng(0)
    >>> X = 0.1 * rng.normal(size=(100, 8))
    >>> X[:, 2:5] += rng.normal(size=(100, 1))
    >>> np.flatnonzero(SparsePCA().fit(X).components_[0]).tolist()
    [2, 3, 4]
    """

    n_components_: int
    alpha_: Floats
    result_: Tuple[SPCAResult, ...]

    def __init__(
        self,
        n_components: Optional[int] = 1,
        *,
        penalty: Any = "l1",
        alpha: Union[float, str] = "auto",
        starts: Optional[int] = None,
        tol: float = 1e-6,
        max_iter: Optional[int] = None,
        max_seconds: Optional[float] = None,
        random_state: Seed = 0,
    ) -> None:
        self.n_components = n_components
        self.penalty = penalty
        self.alpha = alpha
        self.starts = starts
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state

    def _next(self, covariance: Floats, seed: int) -> SPCAResult:
        axes = self._axes()
        return spca(
            covariance,
            {
                "penalty": self.penalty,
                "alpha": self.alpha,
                "starts": self.starts,
                "eps": self.tol,
                "max_iterations": self.max_iter,
                "max_seconds": self.max_seconds,
                "seed": seed,
                "axes": axes and (axes[1], axes[1]),
            },
        )

    def fit(self, X: Any, y: Any = None) -> "SparsePCA":
        """Finds the components.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        self
        """
        X = self._validated(X, reset=True, ensure_min_samples=2)
        most, seed = self._most(X), seed_of(self.random_state)
        self.mean_ = X.mean(axis=0)
        rows = X - self.mean_
        floor = np.finfo(np.float64).eps * max(X.shape) * np.linalg.norm(rows)
        basis = np.zeros((X.shape[1], 0))
        found: List[Floats] = []
        results: List[SPCAResult] = []
        while len(found) < most:
            left = rows - (rows @ basis) @ basis.T
            if np.linalg.norm(left) <= floor:
                break
            results.append(self._next(left.T @ left / len(left), seed))
            component = results[-1].factors[0][:, 0]
            if not component.any():
                break
            found.append(component)
            basis = np.linalg.qr(np.array(found).T)[0]
        self._set_components(rows, found, results, most)
        return self

    def _set_components(
        self, rows: Floats, found: List[Floats], results: List[SPCAResult], most: int
    ) -> None:
        for k, result in enumerate(results):
            if not result.certificate.valid:
                warn_not_certified(f"component {k}", "give a larger max_iter or tol")
        if not found or (self.n_components is not None and len(found) < most):
            warn(
                f"{len(found)} components found of {most}, the others are zero; a smaller alpha "
                "may find more"
            )
        count = len(found) if found and self.n_components is None else most
        components, alphas = np.zeros((count, rows.shape[1])), np.full(count, np.nan)
        variances = np.zeros(count)
        if found:
            components[: len(found)] = with_signs(np.array(found))
            triangle = np.linalg.qr(rows @ components[: len(found)].T)[1]
            variances[: len(found)] = np.diag(triangle) ** 2 / len(rows)
        for k, result in enumerate(results[:count]):
            alphas[k] = result.details["components"][0]["alpha"]
        self.components_, self.alpha_, self.n_components_ = components, alphas, count
        self.explained_variance_ = variances
        self.explained_variance_ratio_ = variances / (rows.var(axis=0).sum() or 1.0)
        self.n_iter_ = max([1] + [r.iterations or 0 for r in results])
        self.result_ = tuple(results)

    def transform(self, X: Any) -> Floats:
        """The coefficients of rows, by least squares: components need not be orthogonal.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components_)
        """
        check_is_fitted(self)
        rows = self._validated(X) - self.mean_
        return np.asarray(rows @ np.linalg.pinv(self.components_))
