# SPDX-License-Identifier: MIT
"""Problems of your own: variables, expressions, terms, constraints, and what to do with them."""

from __future__ import annotations

from .constants import Parameter
from .couplings import (
    Smooth,
    bilinear,
    cp,
    matrix_factorization,
    multilinear,
    norm_power,
    quadratic,
    squared_distance,
    tucker,
)
from .expression import Bounds, Equality, Expression, Variable, concatenate
from .maps import Map
from .matrices import kronecker, low_rank, mask
from .operators import operator
from .problem import ModelCheck, Problem, Solution, minimize
from .terms import Loss, Objective, Term, loss_term, regularizer_term, set_term
from .transforms import circular_convolution, convolution, dct, finite_difference, gradient, wavelet

__all__ = [
    "Bounds",
    "Equality",
    "Expression",
    "Loss",
    "Map",
    "ModelCheck",
    "Objective",
    "Parameter",
    "Problem",
    "Smooth",
    "Solution",
    "Term",
    "Variable",
    "bilinear",
    "circular_convolution",
    "concatenate",
    "convolution",
    "cp",
    "dct",
    "finite_difference",
    "gradient",
    "kronecker",
    "loss_term",
    "low_rank",
    "mask",
    "matrix_factorization",
    "minimize",
    "multilinear",
    "norm_power",
    "operator",
    "quadratic",
    "regularizer_term",
    "set_term",
    "squared_distance",
    "tucker",
    "wavelet",
]
