# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""Sparse linear models at a lambda that is given."""

from __future__ import annotations

from typing import Any, Optional

from ..arrays import Floats
from ._base import number
from ._linear import Choice, Classifier, Regressor, SparseLinear, Splits
from ._run import regress


class _Given(SparseLinear):
    alpha: Optional[float]

    def _choose(
        self, X: Floats, y: Floats, loss: str, weights: Optional[Floats], splits: Splits
    ) -> Choice:
        options = self._options(loss, weights)
        if self.alpha is None:
            options["path"] = (2, 0.1)
        else:
            number("alpha", self.alpha, 0)
            options["lambda_"] = self.alpha
        path = regress(X, y, options)
        return Choice(path, len(path.lambdas) - 1)


class SparseRegressor(Regressor, _Given):
    """Linear regression with a penalty that selects features.

    With n rows it minimizes ``(1/n) sum_i loss(y_i - b_0 - x_i'b) + sum_j rho(|b_j|)``, where rho
    is the penalty at lambda = `alpha`. With ``penalty="l1"``, ``loss="squared"`` and
    ``standardize=False`` this is scikit-learn's Lasso with the same `alpha`.

    Parameters
    ----------
    alpha : float, default None
        The lambda of the penalty. Above ``lambda_max_`` nothing is selected; None takes a tenth
        of it.
    penalty : str, default "l1"
        An entry of the catalogue without its lambda: "l1", "elastic-net:0.5", "mcp:3",
        "scad:3.7", "l0", "l-half", ... (crease.catalogue()).
    loss : str, default "squared"
        "squared", or the robust "huber" and "cauchy", with a scale of their own as "huber:1.5".
    feature_groups : array-like of shape (n_features,), default None
        A label for every feature; those with the same label are selected together.
    feature_weights : array-like, default None
        The penalty's weight of every feature, or of every group (labels ascending); a feature
        with weight 0 is always selected.
    fit_intercept : bool, default True
    standardize : bool, default True
        Penalize the features as if their root mean square were 1, after centring. The
        coefficients are those of X as given.
    tol : float, default 1e-6
        The eps of the certificate, relative.
    max_iter : int, default None
        Most sweeps over the coefficients for one lambda; None: 100000.
    max_seconds : float, default None

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    lambda_ : float
        The lambda of the penalty.
    lambda_max_ : float
        The least lambda at which nothing is selected.
    n_iter_ : int
        Sweeps over the coefficients.
    result_ : crease.Path
        The fit with its certificate.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str alone.

    Warns
    -----
    crease.estimators.NotCertifiedWarning
        The solution is not certified stationary to `tol`.
    UserWarning
        Nothing is selected; the sentence says lambda_max.

    Examples
    --------
    >>> import numpy as np
    >>> from crease.estimators import SparseRegressor
    >>> X = np.random.default_rng(0).normal(size=(40, 6))
    >>> model = SparseRegressor(alpha=0.1, penalty="mcp").fit(X, X[:, 1] - 2 * X[:, 4])
    >>> np.flatnonzero(model.coef_).tolist()
    [1, 4]
    """

    def __init__(
        self,
        alpha: Optional[float] = None,
        *,
        penalty: Any = "l1",
        loss: str = "squared",
        feature_groups: Any = None,
        feature_weights: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        tol: float = 1e-6,
        max_iter: Optional[int] = None,
        max_seconds: Optional[float] = None,
    ) -> None:
        self.alpha = alpha
        self.penalty = penalty
        self.loss = loss
        self.feature_groups = feature_groups
        self.feature_weights = feature_weights
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparseRegressor":
        """Fits the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default None
            Weights of the rows: one of weight 2 counts as two rows, one of weight 0 as none.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self


class SparseClassifier(Classifier, _Given):
    """Logistic regression with a penalty that selects features.

    With n rows it minimizes ``(1/n) sum_i log(1 + exp(-y_i (b_0 + x_i'b))) + sum_j rho(|b_j|)``
    for labels -1 and 1, where rho is the penalty at lambda = `alpha`. With ``penalty="l1"`` and
    ``standardize=False`` this is scikit-learn's LogisticRegression with C = 1 / (n alpha). More
    than two classes are fitted one against the rest.

    Parameters
    ----------
    alpha : float, default None
        The lambda of the penalty. Above ``lambda_max_`` nothing is selected; None takes a tenth
        of it.
    penalty : str, default "l1"
        An entry of the catalogue without its lambda: "l1", "elastic-net:0.5", "mcp:12",
        "scad:11.8", "l0", "l-half", ... (crease.catalogue()).
    class_weight : dict or "balanced", default None
        A weight for every class, which those of its rows are multiplied by; "balanced":
        n_samples / (n_classes * rows of the class).
    feature_groups : array-like of shape (n_features,), default None
        A label for every feature; those with the same label are selected together.
    feature_weights : array-like, default None
        The penalty's weight of every feature, or of every group (labels ascending); a feature
        with weight 0 is always selected.
    fit_intercept : bool, default True
    standardize : bool, default True
        Penalize the features as if their root mean square were 1, after centring. The
        coefficients are those of X as given.
    tol : float, default 1e-6
        The eps of the certificate, relative.
    max_iter : int, default None
        Most sweeps over the coefficients for one lambda; None: 100000.
    max_seconds : float, default None
        For each class.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) of more than two classes
    intercept_ : ndarray of shape (1,) or (n_classes,)
    lambda_, lambda_max_ : float, or ndarray of shape (n_classes,) of more than two classes
        The lambda of the penalty, and the least at which nothing is selected.
    n_iter_ : int
        Sweeps over the coefficients, the most of all classes.
    result_ : crease.Path, or a tuple of them of more than two classes
        The fit with its certificate.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str alone.

    Warns
    -----
    crease.estimators.NotCertifiedWarning
        The solution is not certified stationary to `tol`. Of classes that a few features separate
        there is none under a penalty that levels off ("mcp", "scad", "l0").
    UserWarning
        Nothing is selected; the sentence says lambda_max.

    Examples
    --------
    >>> import numpy as np
    >>> from crease.estimators import SparseClassifier
    >>> X = np.random.default_rng(0).normal(size=(60, 6))
    >>> model = SparseClassifier(alpha=0.05).fit(X, np.where(X[:, 2] > 0, "yes", "no"))
    >>> model.predict(X[:3] * 0 + [[-1, -1, -1, 0, 0, 0]]).tolist()
    ['no', 'no', 'no']
    """

    def __init__(
        self,
        alpha: Optional[float] = None,
        *,
        penalty: Any = "l1",
        class_weight: Any = None,
        feature_groups: Any = None,
        feature_weights: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        tol: float = 1e-6,
        max_iter: Optional[int] = None,
        max_seconds: Optional[float] = None,
    ) -> None:
        self.alpha = alpha
        self.penalty = penalty
        self.class_weight = class_weight
        self.feature_groups = feature_groups
        self.feature_weights = feature_weights
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SparseClassifier":
        """Fits the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The classes, numbers or texts.
        sample_weight : array-like of shape (n_samples,), default None
            Weights of the rows: one of weight 2 counts as two rows, one of weight 0 as none.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight)
        return self
