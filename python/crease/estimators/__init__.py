# SPDX-License-Identifier: MIT
"""Estimators for scikit-learn, which is imported here and nowhere else.

They take matrices of samples x features; tensors go through `crease.rpca`. Arguments have the
names that scikit-learn's users know, and what is the library's own has its word:

============================  =====================================================
here                          `crease.rpca`, `crease.spca`, `crease.regress`
============================  =====================================================
``alpha``, ``alphas``         of linear models lambda_, path
``tol``, ``max_iter``         eps, max_iterations
``fit_intercept``             not no_intercept
``standardize``               not no_standardize
``feature_groups``            groups
``feature_weights``           weights
``sample_weight`` of ``fit``  row_weights
``random_state``              seed
``n_components``              rank, components
============================  =====================================================

What a fit found is in ``result_``, with its certificate; ``lambda_`` is the lambda of a model.
"""

from ._base import NotCertifiedWarning
from .cross_validation import SparseClassifierCV, SparseRegressorCV
from .regression import SparseClassifier, SparseRegressor
from .robust_pca import RobustPCA
from .sparse_pca import SparsePCA

__all__ = [
    "NotCertifiedWarning",
    "RobustPCA",
    "SparseClassifier",
    "SparseClassifierCV",
    "SparsePCA",
    "SparseRegressor",
    "SparseRegressorCV",
]
