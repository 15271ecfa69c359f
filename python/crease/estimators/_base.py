# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""What every estimator here is to scikit-learn: how it checks data, its tags, how it warns."""

from __future__ import annotations

import sys
import warnings
from numbers import Integral, Real
from types import FrameType
from typing import Any, Dict, Optional, Sequence, Type, Union

import numpy as np
import numpy.typing as npt

from .._errors import ArgumentError, DataError, NotCertifiedWarning as _NotCertifiedWarning
from ..arrays import Axis, Floats
from ._sklearn import (
    BaseEstimator,
    ConvergenceWarning,
    check_random_state,
    check_sample_weight,
    validate_data,
)

Seed = Union[None, int, np.random.RandomState]

MOST_SEED = 2_000_000_000


class NotCertifiedWarning(_NotCertifiedWarning, ConvergenceWarning):
    """The fit is not certified stationary to the tolerance that was asked for."""


class Estimator(BaseEstimator):
    """A scikit-learn estimator whose data are dense matrices of float64."""

    tol: float
    max_iter: Optional[int]

    n_features_in_: int
    feature_names_in_: npt.NDArray[Any]
    n_iter_: int

    def _takes_nan(self) -> bool:
        """Does nan mark missing entries of X?"""
        return False

    def __sklearn_tags__(self) -> Any:  # from 1.6 on, and before that:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self._takes_nan()
        return tags

    def _more_tags(self) -> Dict[str, Any]:
        return {"allow_nan": self._takes_nan()}

    def _axes(self) -> Optional[Sequence[Axis]]:
        """The names of the features, for the results."""
        names = getattr(self, "feature_names_in_", None)
        if names is None:
            return None
        return Axis(), Axis(labels=np.array(names, dtype=np.str_))

    def _validated(self, X: Any, *, reset: bool = False, **checks: Any) -> Any:
        """X, or X and y where y is given, as the library takes them; refused by scikit-learn's
        rules where they cannot be. Fits (`reset`) look at the arguments of all estimators first."""
        if reset:
            number("tol", self.tol, 0, 1)
            if self.max_iter is not None:
                whole("max_iter", self.max_iter, 0)
        checks.update(dtype=np.float64, order="C")
        finite: Any = "allow-nan" if self._takes_nan() else True
        return validate_data(self, X, reset=reset, ensure_all_finite=finite, **checks)


def number(name: str, value: Any, low: float, high: float = np.inf) -> None:
    """Refuses what is no number between low and high."""
    if not isinstance(value, Real) or isinstance(value, bool) or not low < float(value) < high:
        domain = f"between {low:g} and {high:g}" if high < np.inf else f"above {low:g}"
        raise ArgumentError(f"{name} is {value!r}; give a number {domain}")


def whole(name: str, value: Any, low: int, high: float = np.inf) -> None:
    """Refuses what is no whole number from low to high."""
    if not isinstance(value, Integral) or isinstance(value, bool) or not low <= int(value) <= high:
        domain = f"from {low} to {high:.0f}" if high < np.inf else f"of at least {low}"
        raise ArgumentError(f"{name} is {value!r}; give a whole number {domain}")


def row_weights(sample_weight: Any, X: Floats) -> Optional[Floats]:
    """A weight for every row of X, or None where none were given."""
    if sample_weight is None:
        return None
    weights: Floats = check_sample_weight(sample_weight, X, dtype=np.float64)
    if bool(np.any(weights < 0)) or not bool(np.any(weights > 0)):
        raise DataError(
            "sample_weight has weights below zero, or all of its weights are zero; give every row "
            "a weight that is not negative, and some row a positive one"
        )
    return weights


def seed_of(random_state: Seed) -> int:
    """The seed of the library: the number itself, or one drawn from the generator."""
    if isinstance(random_state, Integral):
        whole("random_state", random_state, 0, MOST_SEED)
        return int(random_state)
    return int(check_random_state(random_state).randint(MOST_SEED))


def warn(sentence: str, category: Type[Warning] = UserWarning) -> None:
    """Warns whoever called the estimator."""
    frame: Optional[FrameType] = sys._getframe()
    level = 1
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(__package__):
        frame = frame.f_back
        level += 1
    warnings.warn(sentence, category, stacklevel=level)


def warn_not_certified(what: str, mend: str) -> None:
    """Warns that a point is not certified."""
    warn(f"{what} is not certified stationary; {mend}", NotCertifiedWarning)
