# SPDX-License-Identifier: MIT
# mypy: allow-subclassing-any, allow-untyped-calls
"""Transformers to a few components: X is about mean_ + coefficients @ components_."""

from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .._errors import ShapeError
from ..arrays import Floats
from ._base import Estimator, whole
from ._sklearn import (
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    check_array,
    check_is_fitted,
)


class Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """What the transformers share."""

    n_components: Optional[int]
    components_: Floats
    mean_: Floats
    explained_variance_: Floats
    explained_variance_ratio_: Floats

    def _most(self, X: Floats) -> int:
        """The number of components that was asked for, or the most that X has."""
        most: int = min(X.shape)
        if self.n_components is None:
            return most
        whole("n_components", self.n_components, 1, most)
        return int(self.n_components)

    def _set_variance(self, coefficients: Floats, total: float) -> None:
        """How much of the variance each component explains."""
        self.explained_variance_ = coefficients.var(axis=0)
        self.explained_variance_ratio_ = self.explained_variance_ / (total or 1.0)

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def inverse_transform(self, X: Any) -> Floats:
        """The rows that coefficients stand for.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_components)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        coefficients: Floats = check_array(X, dtype=np.float64)
        if coefficients.shape[1] != len(self.components_):
            raise ShapeError(
                f"X has {coefficients.shape[1]} columns, and there are {len(self.components_)} "
                "components; give a coefficient for each of them"
            )
        return np.asarray(coefficients @ self.components_ + self.mean_)


def with_signs(components: Floats) -> Floats:
    """The components with their largest entry positive, so that a fit has one answer."""
    largest = np.take_along_axis(
        components, np.argmax(np.abs(components), axis=1)[:, np.newaxis], axis=1
    )
    return np.asarray(np.where(largest < 0, -components, components))
