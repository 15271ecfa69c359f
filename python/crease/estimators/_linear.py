# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""Linear models with few coefficients, whatever way their lambda is found."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np
import numpy.typing as npt

from .._errors import ArgumentError, DataError, ShapeError
from ..arrays import Floats, floats
from ..result import CrossValidation, Path
from ._base import Estimator, row_weights, warn, warn_not_certified
from ._sklearn import (
    ClassifierMixin,
    RegressorMixin,
    check_classification_targets,
    check_is_fitted,
    compute_sample_weight,
    expit,
    log_expit,
    logsumexp,
)

_LOSSES = ("squared", "huber", "cauchy")  # of numbers; that of classes is logistic

Splits = Optional[List[Tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]]


class Choice(NamedTuple):
    """A path, which of its solutions is taken, and the cross-validation that says so."""

    path: Path
    at: int
    scores: Optional[CrossValidation] = None


class SparseLinear(Estimator):
    """What the linear models share: their penalty, their options, and how a solution is taken."""

    penalty: Any
    feature_groups: Any
    feature_weights: Any
    fit_intercept: bool
    standardize: bool
    max_seconds: Optional[float]

    # one, or one for each class where there are more than two
    lambda_: Any
    lambda_max_: Any
    result_: Any

    def _choose(
        self, X: Floats, y: Floats, loss: str, weights: Optional[Floats], splits: Splits
    ) -> Choice:
        raise NotImplementedError

    def _options(self, loss: str, rows: Optional[Floats]) -> Dict[str, Any]:
        """The options of `crease.regress`, but for the lambdas."""
        groups, weights = self._of_features()
        return {
            "penalty": self.penalty,
            "loss": loss,
            "groups": groups,
            "weights": weights,
            "row_weights": rows,
            "no_intercept": not self.fit_intercept,
            "no_standardize": not self.standardize,
            "eps": self.tol,
            "max_iterations": self.max_iter,
            "max_seconds": self.max_seconds,
            "axes": self._axes(),
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _rows(self, X: Any, **checks: Any) -> Any:
        """As `_validated`, and sparse matrices as sparse rows."""
        return self._validated(X, accept_sparse="csr", **checks)

    def _of_features(self) -> Tuple[Optional[Floats], Optional[Floats]]:
        """The label of every feature; the weights of features, or of groups of them."""
        groups = weights = None
        units = self.n_features_in_
        if self.feature_groups is not None:
            groups = floats(self.feature_groups, "feature_groups", dims=(1,))
            if groups.size != units:
                raise ShapeError(
                    f"feature_groups has {groups.size} labels, and X {units} features; give one "
                    "for each"
                )
            units = np.unique(groups).size
        if self.feature_weights is not None:
            weights = floats(self.feature_weights, "feature_weights", dims=(1,))
            if weights.size != units:
                what = "features" if groups is None else "groups of features"
                raise ShapeError(
                    f"feature_weights has {weights.size} numbers, and X {units} {what}; give one "
                    "for each"
                )
        return groups, weights

    def _take(self, choices: List[Choice]) -> Tuple[Floats, Floats]:
        """Sets what all models have, and tells of what is odd; the coefficients and the
        intercepts of the solutions."""
        for path, k, _ in choices:
            _tell(path, k)
        alone = len(choices) == 1
        each = {
            "lambda_": [float(c.path.lambdas[c.at]) for c in choices],
            "lambda_max_": [c.path.lambda_max for c in choices],
        }
        for name, values in each.items():
            setattr(self, name, values[0] if alone else np.array(values))
        self.result_ = choices[0].path if alone else tuple(c.path for c in choices)
        self.n_iter_ = max(int(c.path.details["solutions"][c.at]["sweeps"]) for c in choices)
        return (
            np.array([c.path.coefficients[c.at] for c in choices]),
            np.array([c.path.intercepts[c.at] for c in choices]),
        )


def _tell(path: Path, k: int) -> None:
    place = f"at lambda = {path.lambdas[k]:.4g}"
    if not path.details["solutions"][k]["certificate"]["certified"]:
        warn_not_certified(
            f"the solution {place}", "give a larger max_iter, tol or lambda, or more seconds"
        )
    elif not path.coefficients[k].any():
        warn(
            f"nothing selected: every coefficient is zero {place}; lambda_max is "
            f"{path.lambda_max:.4g}, a smaller lambda selects more"
        )


class Regressor(RegressorMixin, SparseLinear):
    """Predicts numbers."""

    loss: str
    coef_: Floats
    intercept_: float

    def _fit(self, X: Any, y: Any, sample_weight: Any, splits: Any = None) -> List[Choice]:
        if str(self.loss).partition(":")[0] not in _LOSSES:
            raise ArgumentError(f"loss is {self.loss!r}; give one of {', '.join(_LOSSES)}")
        X, y = self._rows(X, y=y, reset=True, y_numeric=True, ensure_min_samples=2)
        y = y.astype(np.float64, copy=False)
        weights = row_weights(sample_weight, X)
        choices = [self._choose(X, y, self.loss, weights, splits and splits(X, y))]
        coefficients, intercepts = self._take(choices)
        self.coef_, self.intercept_ = coefficients[0], float(intercepts[0])
        return choices

    def predict(self, X: Any) -> Floats:
        """The predicted numbers.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        check_is_fitted(self)
        predicted: Floats = self._rows(X) @ self.coef_ + self.intercept_
        return predicted


class Classifier(ClassifierMixin, SparseLinear):
    """Predicts classes: two by one logistic regression, more by one against the rest for each."""

    class_weight: Any
    classes_: npt.NDArray[Any]
    coef_: Floats
    intercept_: Floats

    def _fit(self, X: Any, y: Any, sample_weight: Any, splits: Any = None) -> List[Choice]:
        X, y = self._rows(X, y=y, reset=True, ensure_min_samples=2)
        check_classification_targets(y)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if self.classes_.size < 2:
            raise DataError(
                f"y has one class alone, {self.classes_[0]!r}; give rows of two classes or more"
            )
        weights = self._weights(sample_weight, X, y, labels)
        own = splits and splits(X, y)
        choices = [
            self._choose(X, (labels == code).astype(np.float64), "logistic", weights, own)
            for code in ([1] if self.classes_.size == 2 else range(self.classes_.size))
        ]
        self.coef_, self.intercept_ = self._take(choices)
        return choices

    def _weights(
        self, sample_weight: Any, X: Floats, y: Any, labels: npt.NDArray[np.intp]
    ) -> Optional[Floats]:
        """Those of the rows times those of their classes; every class keeps a row."""
        weights = row_weights(sample_weight, X)
        if self.class_weight is not None:
            of_classes: Floats = compute_sample_weight(self.class_weight, y)
            weights = row_weights(of_classes if weights is None else weights * of_classes, X)
        if weights is not None:
            mass = np.bincount(labels, weights)
            if not bool(np.all(mass > 0)):
                raise DataError(
                    f"no row of the class {self.classes_[np.argmin(mass)]!r} has a weight above "
                    "zero; give every class one, or leave its rows out"
                )
        return weights

    def decision_function(self, X: Any) -> Floats:
        """The linear scores: above 0 the second of two classes; of more classes the largest counts.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,), or (n_samples, n_classes) of more than two classes
        """
        check_is_fitted(self)
        scores: Floats = self._rows(X) @ self.coef_.T + self.intercept_
        return scores[:, 0] if self.classes_.size == 2 else scores

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The predicted classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        scores = self.decision_function(X)
        at = scores > 0 if scores.ndim == 1 else np.argmax(scores, axis=1)
        predicted: npt.NDArray[Any] = self.classes_[np.asarray(at, dtype=np.intp)]
        return predicted

    def predict_proba(self, X: Any) -> Floats:
        """The probabilities of the classes; of more than two, those of one class against the rest,
        divided by their sum.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([expit(-scores), expit(scores)])
        return np.asarray(np.exp(_log_shares(scores)))

    def predict_log_proba(self, X: Any) -> Floats:
        """The logarithms of the probabilities of the classes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
        """
        scores = self.decision_function(X)
        if scores.ndim == 1:
            return np.column_stack([log_expit(-scores), log_expit(scores)])
        return _log_shares(scores)


def _log_shares(scores: Floats) -> Floats:
    logarithms = log_expit(scores)
    return np.asarray(logarithms - logsumexp(logarithms, axis=1, keepdims=True))
