# SPDX-License-Identifier: MIT
"""Linear maps by functions: a LinearOperator, or a product and one with the adjoint."""

from __future__ import annotations

from typing import Any, Callable, Optional, Tuple

import numpy as np

from .. import _errors as errors
from .._functions import MapFunctions
from .constants import Array, Shape, array_of, is_sparse, shape_of, shape_text, size_of
from .maps import Json, Map, Writer, json_shape


class Operator(Map):
    """A map that is known by what it does."""

    def __init__(
        self,
        apply: Callable[[Array], Any],
        adjoint: Callable[[Array], Any],
        domain: Shape,
        range: Shape,
        norm: Optional[float],
        text: str,
    ) -> None:
        self._apply, self._adjoint = apply, adjoint
        self.domain, self.range, self.norm, self.text = domain, range, norm, text
        self._functions = MapFunctions(self.apply, self.adjoint, domain, range)
        self._tested = False

    def _call(
        self, function: Callable[[Array], Any], given: Array, shape: Shape, what: str
    ) -> Array:
        result = array_of(function(given), f"what {what} of {self.text} returns")
        if result.size != size_of(shape):
            raise errors.ShapeError(
                f"{what} of {self.text} returns {shape_text(result.shape)}; it must be "
                f"{shape_text(shape)}"
            )
        return result.reshape(shape)

    def apply(self, x: Array) -> Array:
        return self._call(self._apply, x, self.range, "matvec")

    def adjoint(self, y: Array) -> Array:
        return self._call(self._adjoint, y, self.domain, "rmatvec")

    def json(self, to: Writer) -> Json:
        said: Json = {"name": to.map_functions(self._functions), "shape": json_shape(self.range)}
        return {"callback": said if self.norm is None else {**said, "norm": self.norm}}

    def test(self) -> None:
        """Refuses functions that are not each other's adjoint, by two random vectors."""
        if self._tested:
            return
        random = np.random.default_rng(0)
        x, y = random.standard_normal(self.domain), random.standard_normal(self.range)
        ax, aty = self.apply(x), self.adjoint(y)
        one, other = float(np.vdot(ax, y)), float(np.vdot(x, aty))
        scale = np.linalg.norm(ax) * np.linalg.norm(y) + np.linalg.norm(x) * np.linalg.norm(aty)
        if abs(one - other) > 1e-8 * scale:
            raise errors.ArgumentError(
                f"{self.text}: rmatvec is not the adjoint of matvec: <A x, y> = {one:.6g} and "
                f"<x, A' y> = {other:.6g} for random x and y; mend one of the two functions"
            )
        self._tested = True


def _two_shapes(shape: Any) -> Tuple[Shape, Shape]:
    """(range, domain) of shape=(m, n), each a number or a tuple."""
    if not isinstance(shape, (tuple, list)) or len(shape) != 2:
        raise errors.ArgumentError(
            f"operator: shape={shape!r}; give (m, n), or the shapes of A x and of x"
        )
    return shape_of(shape[0], "operator"), shape_of(shape[1], "operator")


def operator(
    linear: Any = None,
    *,
    matvec: Optional[Callable[[Array], Any]] = None,
    rmatvec: Optional[Callable[[Array], Any]] = None,
    shape: Any = None,
    norm: Optional[float] = None,
) -> Map:
    """A linear map from a LinearOperator, or from two functions.

    Parameters
    ----------
    linear : object with ``shape``, ``matvec`` and ``rmatvec``
        As ``scipy.sparse.linalg.LinearOperator``.
    matvec, rmatvec : callables
        A x and A' y, in the place of `linear`; that they are adjoint to each other is tested.
    shape : (m, n)
        Entries of A x and of x, or their shapes.
    norm : float, optional
        An upper bound of the largest singular value of A. It is trusted. A small map is measured
        where it is left out; a large one needs it.

    Examples
    --------
    >>> import crease as cr, numpy as np
    >>> A = cr.operator(matvec=np.cumsum, rmatvec=lambda y: np.cumsum(y[::-1])[::-1], shape=(3, 3))
    >>> A @ [1, 2, 3]
    array([1., 3., 6.])
    """
    text = "the operator"
    if linear is not None:
        if matvec is not None or rmatvec is not None or shape is not None:
            raise errors.ArgumentError(
                "operator: give a LinearOperator, or matvec, rmatvec and shape; not both"
            )
        if isinstance(linear, np.ndarray) or is_sparse(linear):
            raise errors.ArgumentError("operator: a matrix needs none; write A @ x")
        if not all(hasattr(linear, a) for a in ("shape", "matvec", "rmatvec")):
            raise errors.ArgumentError(
                f"operator: a {type(linear).__name__} has no shape, matvec and rmatvec; give a "
                "LinearOperator, or matvec=, rmatvec= and shape="
            )
        if np.dtype(getattr(linear, "dtype", None) or float).kind == "c":
            raise errors.ArgumentError("operator: it is complex; real numbers are wanted")
        matvec, rmatvec, shape = linear.matvec, linear.rmatvec, linear.shape
        text = f"the {type(linear).__name__}"
    if matvec is None or rmatvec is None or shape is None:
        raise errors.ArgumentError(
            "operator: give a LinearOperator, or all of matvec, rmatvec and shape"
        )
    if norm is not None and not (np.isfinite(norm) and norm > 0):
        raise errors.ArgumentError(
            f"operator: norm={norm!r}; give a positive bound of the largest singular value"
        )
    range, domain = _two_shapes(shape)
    return Operator(matvec, rmatvec, domain, range, None if norm is None else float(norm), text)
