# SPDX-License-Identifier: MIT
"""Maps that are given by matrices: A @ x and x @ A as NumPy has them, sparse ones, and products."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _errors as errors
from .constants import (
    Constant,
    Shape,
    compute,
    constant_of,
    is_sparse,
    shape_text,
    size_of,
    value_of,
)
from .maps import (
    Dense,
    Identity,
    Kronecker,
    LowRank,
    Map,
    Mask,
    Selection,
    Sparse,
    compose,
    reshaped,
)


def sparse_matrix(matrix: Any, domain: Shape, range: Shape) -> Sparse:
    """A map from a sparse matrix of SciPy, whose numbers are copied only where they must be."""
    if np.dtype(matrix.dtype).kind not in "biuf":
        raise errors.ArgumentError(f"a sparse matrix of {matrix.dtype} is none of real numbers")
    rows = matrix.tocsr()
    value = np.asarray(rows.data, dtype=np.float64)
    if not np.isfinite(value).all():
        raise errors.DataError(
            "a sparse matrix has an entry that is not finite; give finite numbers"
        )
    start, col = np.asarray(rows.indptr, np.int64), np.asarray(rows.indices, np.int64)
    return Sparse(start, col, value, domain, range)


def matrix_map(matrix: Any, shape: Shape) -> Map:
    """``matrix @ x`` for an x of this shape, as NumPy would have it."""
    if is_sparse(matrix):
        return _sparse_left(matrix, shape)
    a = constant_of(matrix, "the matrix on the left of @")
    if len(a.shape) not in (1, 2) or len(shape) not in (1, 2):
        raise errors.ShapeError(
            f"{shape_text(a.shape)} @ {shape_text(shape)}: both must be vectors or matrices; "
            "reshape them, or use an operator"
        )
    if a.shape[-1] != shape[0]:
        raise errors.ShapeError(
            f"{shape_text(a.shape)} @ {shape_text(shape)}: {a.shape[-1]} columns "
            f"against {shape[0]} rows; make them agree"
        )
    left: Constant = a.reshape(1, -1) if len(a.shape) == 1 else a
    if len(shape) == 1:
        return Dense(left, shape, a.shape[:-1])
    return reshaped(Kronecker(left, None, shape), a.shape[:-1] + shape[1:])


def matrix_map_right(matrix: Any, shape: Shape) -> Map:
    """``x @ matrix`` for an x of this shape, as NumPy would have it."""
    if len(shape) == 1 or is_sparse(matrix):
        if len(shape) == 1:
            a = matrix if is_sparse(matrix) else constant_of(matrix, "the matrix on the right of @")
            if len(a.shape) in (1, 2):
                return matrix_map(a.T, shape)
        else:  # X B = (B' X')'
            turned = matrix_map(matrix.T, shape[::-1])
            return compose(axes_turned(turned.range), compose(turned, axes_turned(shape)))
    a = constant_of(matrix, "the matrix on the right of @")
    if len(a.shape) not in (1, 2) or len(shape) != 2 or a.shape[0] != shape[1]:
        raise errors.ShapeError(
            f"{shape_text(shape)} @ {shape_text(a.shape)}: columns on the left must "
            "be rows on the right; make them agree"
        )
    right: Constant = compute(np.transpose, a) if len(a.shape) == 2 else a.reshape(1, -1)
    return reshaped(Kronecker(None, right, shape), shape[:1] + a.shape[1:])


def axes_turned(shape: Shape) -> Map:
    """X to its transpose; a vector stays."""
    if len(shape) < 2:
        return Identity(shape)
    index = np.arange(size_of(shape)).reshape(shape).T
    return Selection(index.reshape(-1), shape, index.shape)


def _sparse_left(matrix: Any, shape: Shape) -> Map:
    rows, cols = matrix.shape
    if len(shape) not in (1, 2) or cols != shape[0]:
        raise errors.ShapeError(
            f"{rows} x {cols} @ {shape_text(shape)}: {cols} columns against "
            f"{shape[0] if shape else 0} rows; make them agree"
        )
    if len(shape) == 1:
        return sparse_matrix(matrix, shape, (rows,))
    from scipy.sparse import identity, kron  # type: ignore[import]

    return sparse_matrix(kron(matrix, identity(shape[1])), shape, (rows, shape[1]))


def kronecker(left: Any, right: Any) -> Map:
    """X to L X R'.

    Examples
    --------
    >>> import crease as cr
    >>> cr.kronecker([[1, 1]], [[1, 0], [0, 2]]) @ [[1, 2], [3, 4]]
    array([[ 4., 12.]])
    """
    a, b = constant_of(left, "left"), constant_of(right, "right")
    for what, m in (("left", a), ("right", b)):
        if len(m.shape) != 2:
            raise errors.ShapeError(f"{what} is {shape_text(m.shape)}; give a matrix")
    return Kronecker(a, b, (a.shape[1], b.shape[1]))


def low_rank(u: Any, v: Any) -> Map:
    """x to U V' x, with as many columns in U as in V.

    Examples
    --------
    >>> import crease as cr
    >>> cr.low_rank([[1], [2]], [[1], [1], [1]]) @ [1, 2, 3]
    array([ 6., 12.])
    """
    a, b = constant_of(u, "u"), constant_of(v, "v")
    if len(a.shape) != 2 or len(b.shape) != 2 or a.shape[1] != b.shape[1]:
        raise errors.ShapeError(
            f"u is {shape_text(a.shape)} and v {shape_text(b.shape)}; give matrices with "
            "equally many columns"
        )
    return LowRank(a, b)


def mask(keep: Any) -> Map:
    """x_j where keep_j is true or 1, and 0 elsewhere.

    Examples
    --------
    >>> import crease as cr
    >>> cr.mask([True, False, True]) @ [1, 2, 3]
    array([1., 0., 3.])
    """
    numbers = constant_of(keep, "keep")
    now = value_of(numbers)
    if not ((now == 0) | (now == 1)).all():
        raise errors.ArgumentError("keep holds numbers other than 0 and 1; use d * x for weights")
    return Mask(numbers)
