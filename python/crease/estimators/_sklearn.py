# SPDX-License-Identifier: MIT
"""What the estimators use of scikit-learn and SciPy, which have no types, from scikit-learn 1.2 on.

Names that scikit-learn changed between 1.2 and today are known here and in `_base` alone.
"""

from scipy.special import expit, log_expit, logsumexp  # type: ignore
from sklearn.base import BaseEstimator, ClassifierMixin  # type: ignore
from sklearn.base import ClassNamePrefixFeaturesOutMixin, RegressorMixin, TransformerMixin
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning  # type: ignore
from sklearn.model_selection import check_cv  # type: ignore
from sklearn.utils import check_array, check_random_state  # type: ignore
from sklearn.utils.class_weight import compute_sample_weight  # type: ignore
from sklearn.utils.multiclass import check_classification_targets  # type: ignore
from sklearn.utils.validation import _check_sample_weight as check_sample_weight  # type: ignore
from sklearn.utils.validation import check_is_fitted

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # before 1.6 it is a method, with another word for its check of finiteness

    def validate_data(estimator, X, *, ensure_all_finite, **checks):  # type: ignore
        return estimator._validate_data(X, force_all_finite=ensure_all_finite, **checks)


__all__ = [
    "BaseEstimator",
    "ClassNamePrefixFeaturesOutMixin",
    "ClassifierMixin",
    "ConvergenceWarning",
    "RegressorMixin",
    "TransformerMixin",
    "check_array",
    "check_classification_targets",
    "check_cv",
    "check_is_fitted",
    "check_random_state",
    "check_sample_weight",
    "compute_sample_weight",
    "expit",
    "is_classifier",
    "log_expit",
    "logsumexp",
    "validate_data",
]
