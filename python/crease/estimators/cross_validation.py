# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""Sparse linear models whose lambda is chosen by cross-validation along a path."""

from __future__ import annotations

from numbers import Integral
from typing import Any, List, Optional

import numpy as np

from .._errors import ArgumentError
from ..arrays import Floats, floats
from ._base import Seed, number, seed_of, whole
from ._linear import Choice, Classifier, Regressor, SparseLinear, Splits
from ._run import cross_validate, cross_validation, folds_of, regress
from ._sklearn import check_cv, is_classifier

_RULES = ("best", "one_se")


class _CrossValidated(SparseLinear):
    cv: Any
    rule: str
    alphas: Any
    ratio: Optional[float]
    random_state: Seed

    # one, or one for each class where there are more than two
    lambdas_: Any
    deviance_: Any
    deviance_error_: Any
    lambda_best_: Any
    lambda_one_se_: Any

    def _splits(self, groups: Any) -> Any:
        """None for the library's own folds; else a function of X and y that makes the splits."""
        if self.rule not in _RULES:
            raise ArgumentError(f"rule is {self.rule!r}; give one of {', '.join(_RULES)}")
        if self.cv is None or isinstance(self.cv, Integral):
            if groups is not None:
                raise ArgumentError(
                    f"groups are for splitters, and cv is {self.cv!r}; give cv=GroupKFold()"
                )
            return None

        def splits(X: Any, y: Any) -> Splits:
            return list(check_cv(self.cv, y, classifier=is_classifier(self)).split(X, y, groups))

        return splits

    def _choose(
        self, X: Floats, y: Floats, loss: str, weights: Optional[Floats], splits: Splits
    ) -> Choice:
        options = self._options(loss, weights)
        if isinstance(self.alphas, Integral):
            whole("alphas", self.alphas, 1 if self.ratio is None else 2, 100_000)
            options["path"] = int(self.alphas)
            if self.ratio is not None:
                number("ratio", self.ratio, 0, 1)
                options["path"] = (int(self.alphas), self.ratio)
        else:
            options["lambda_"] = self._lambdas()
        folds = None if splits is None else folds_of(splits, len(y))
        if splits is None:
            options["cv"] = 5 if self.cv is None else int(self.cv)
            options["seed"] = seed_of(self.random_state)
        elif folds is not None:
            options["folds"] = folds
        path = regress(X, y, options)
        if splits is None or folds is not None:
            scores = cross_validation(path)
        else:
            scores = cross_validate(path, X, y, weights, splits, options)
        return Choice(path, scores.best if self.rule == "best" else scores.one_se, scores)

    def _lambdas(self) -> Floats:
        """Those that were given."""
        alphas = floats(self.alphas, "alphas", dims=(1,))
        if not bool(np.all((alphas > 0) & np.isfinite(alphas))):
            raise ArgumentError("alphas has entries that are not above 0; give numbers that are")
        if self.ratio is not None:
            raise ArgumentError("ratio is of a number of alphas, and alphas has them; give one")
        return alphas

    def _keep(self, choices: List[Choice]) -> None:
        """Sets what cross-validation found."""
        found = []
        for path, _, scores in choices:
            assert scores is not None
            ends = [float(path.lambdas[k]) for k in (scores.best, scores.one_se)]
            found.append((path.lambdas, scores.deviance, scores.error, *ends))
        names = ("lambdas_", "deviance_", "deviance_error_", "lambda_best_", "lambda_one_se_")
        for name, values in zip(names, zip(*found)):
            single = len(choices) == 1
            many = np.array(values) if isinstance(values[0], float) else values
            setattr(self, name, values[0] if single else many)


class SparseRegressorCV(Regressor, _CrossValidated):
    """Linear regression with a penalty that selects features, its lambda by cross-validation.

    `SparseRegressor` along a path of lambdas, each solution starting from its neighbour, and the
    one taken that predicts rows left out best.

    Parameters
    ----------
    penalty : str, default "l1"
        An entry of the catalogue without its lambda: "l1", "elastic-net:0.5", "mcp:3",
        "scad:3.7", "l0", "l-half", ... (crease.catalogue()).
    loss : str, default "squared"
        "squared", or the robust "huber" and "cauchy", with a scale of their own as "huber:1.5".
    cv : int, splitter or iterable, default 5
        How many folds the library deals the rows to at random (None: 5); or a splitter of
        scikit-learn, or pairs of rows fitted and rows left out.
    rule : {"best", "one_se"}, default "best"
        The lambda of least deviance on rows left out, or the largest within one standard error
        of it.
    alphas : int or array-like, default 100
        How many lambdas from lambda_max down, or the lambdas themselves.
    ratio : float, default None
        Of the last lambda to the first; None: 0.05 if there are more features than rows, else
        0.001.
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
        The eps of the certificates, relative.
    max_iter : int, default None
        Most sweeps over the coefficients for one lambda; None: 100000.
    max_seconds : float, default None
        For the path and its folds; where rows are left out twice, or neither fitted nor left out,
        for the path and for each fold.
    random_state : int, RandomState or None, default 0
        Of the folds, where cv is a number.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    lambda_, lambda_best_, lambda_one_se_ : float
        The lambda that was taken, and the choice of each rule.
    lambda_max_ : float
        The least lambda at which nothing is selected.
    lambdas_, deviance_, deviance_error_ : ndarray of shape (n_lambdas,)
        The lambdas, largest first, and for each the deviance on rows left out and its standard
        error; of the squared loss the deviance is the mean of squared errors.
    n_iter_ : int
        Sweeps over the coefficients at the lambda that was taken.
    result_ : crease.Path
        The whole path with its certificates.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str alone.

    Warns
    -----
    crease.estimators.NotCertifiedWarning
        The solution that is taken is not certified stationary to `tol`.
    UserWarning
        Nothing is selected; the sentence says lambda_max.

    Examples
    --------
    >>> import numpy as np
    >>> from crease.estimators import SparseRegressorCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 20))
    >>> y = X[:, 1] - 2 * X[:, 4] + 0.1 * rng.normal(size=80)
    >>> model = SparseRegressorCV(penalty="mcp", rule="one_se").fit(X, y)
    >>> np.flatnonzero(model.coef_).tolist()
    [1, 4]
    """

    def __init__(
        self,
        *,
        penalty: Any = "l1",
        loss: str = "squared",
        cv: Any = 5,
        rule: str = "best",
        alphas: Any = 100,
        ratio: Optional[float] = None,
        feature_groups: Any = None,
        feature_weights: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        tol: float = 1e-6,
        max_iter: Optional[int] = None,
        max_seconds: Optional[float] = None,
        random_state: Seed = 0,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.cv = cv
        self.rule = rule
        self.alphas = alphas
        self.ratio = ratio
        self.feature_groups = feature_groups
        self.feature_weights = feature_weights
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None
    ) -> "SparseRegressorCV":
        """Chooses lambda, and fits the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), default None
            Weights of the rows, also of those left out: one of weight 2 counts as two rows, one
            of weight 0 as none.
        groups : array-like of shape (n_samples,), default None
            For splitters that ask for them.

        Returns
        -------
        self
        """
        self._keep(self._fit(X, y, sample_weight, self._splits(groups)))
        return self


class SparseClassifierCV(Classifier, _CrossValidated):
    """Logistic regression with a penalty that selects features, its lambda by cross-validation.

    `SparseClassifier` along a path of lambdas, each solution starting from its neighbour, and the
    one taken that predicts rows left out best. More than two classes are fitted one against the
    rest, each with a lambda of its own.

    Parameters
    ----------
    penalty : str, default "l1"
        An entry of the catalogue without its lambda: "l1", "elastic-net:0.5", "mcp:12",
        "scad:11.8", "l0", "l-half", ... (crease.catalogue()).
    cv : int, splitter or iterable, default 5
        How many folds the library deals the rows of each class to at random (None: 5); or a
        splitter of scikit-learn, or pairs of rows fitted and rows left out.
    rule : {"best", "one_se"}, default "best"
        The lambda of least deviance on rows left out, or the largest within one standard error
        of it.
    alphas : int or array-like, default 100
        How many lambdas from lambda_max down, or the lambdas themselves.
    ratio : float, default None
        Of the last lambda to the first; None: 0.05 if there are more features than rows, else
        0.001.
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
        The eps of the certificates, relative.
    max_iter : int, default None
        Most sweeps over the coefficients for one lambda; None: 100000.
    max_seconds : float, default None
        For each class: the path and its folds; where rows are left out twice, or neither fitted
        nor left out, the path and each fold.
    random_state : int, RandomState or None, default 0
        Of the folds, where cv is a number.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features), or (n_classes, n_features) of more than two classes
    intercept_ : ndarray of shape (1,) or (n_classes,)
    lambda_, lambda_best_, lambda_one_se_, lambda_max_ : float, or ndarray of shape (n_classes,)
        The lambda that was taken, the choice of each rule, and the least lambda at which nothing
        is selected; one for each class where there are more than two.
    lambdas_, deviance_, deviance_error_ : ndarray of shape (n_lambdas,), or a tuple of them
        The lambdas, largest first, and for each the deviance on rows left out (the mean of twice
        the logistic loss) and its standard error; one for each class where there are more than
        two.
    n_iter_ : int
        Sweeps over the coefficients at the lambda that was taken, the most of all classes.
    result_ : crease.Path, or a tuple of them of more than two classes
        The whole path with its certificates.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        If X has names of type str alone.

    Warns
    -----
    crease.estimators.NotCertifiedWarning
        The solution that is taken is not certified stationary to `tol`.
    UserWarning
        Nothing is selected; the sentence says lambda_max.

    Examples
    --------
    >>> import numpy as np
    >>> from crease.estimators import SparseClassifierCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 10))
    >>> y = X[:, 2] - X[:, 5] + 0.5 * rng.normal(size=200) > 0
    >>> model = SparseClassifierCV(rule="one_se").fit(X, y)
    >>> model.score(X, y) > 0.85
    True
    """

    def __init__(
        self,
        *,
        penalty: Any = "l1",
        cv: Any = 5,
        rule: str = "best",
        alphas: Any = 100,
        ratio: Optional[float] = None,
        class_weight: Any = None,
        feature_groups: Any = None,
        feature_weights: Any = None,
        fit_intercept: bool = True,
        standardize: bool = True,
        tol: float = 1e-6,
        max_iter: Optional[int] = None,
        max_seconds: Optional[float] = None,
        random_state: Seed = 0,
    ) -> None:
        self.penalty = penalty
        self.cv = cv
        self.rule = rule
        self.alphas = alphas
        self.ratio = ratio
        self.class_weight = class_weight
        self.feature_groups = feature_groups
        self.feature_weights = feature_weights
        self.fit_intercept = fit_intercept
        self.standardize = standardize
        self.tol = tol
        self.max_iter = max_iter
        self.max_seconds = max_seconds
        self.random_state = random_state

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, *, groups: Any = None
    ) -> "SparseClassifierCV":
        """Chooses lambda, and fits the coefficients.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            The classes, numbers or texts.
        sample_weight : array-like of shape (n_samples,), default None
            Weights of the rows, also of those left out: one of weight 2 counts as two rows, one
            of weight 0 as none.
        groups : array-like of shape (n_samples,), default None
            For splitters that ask for them.

        Returns
        -------
        self
        """
        self._keep(self._fit(X, y, sample_weight, self._splits(groups)))
        return self
