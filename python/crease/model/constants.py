# SPDX-License-Identifier: MIT
"""Constants of a problem: arrays, and parameters whose values may change between two solves."""

from __future__ import annotations

import itertools
import re
from typing import Any, Callable, FrozenSet, Optional, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from .. import _errors as errors
from ..arrays import floats

Array = NDArray[np.float64]
Shape = Tuple[int, ...]

_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,59}")
_numbers = itertools.count(1)


def shape_text(shape: Shape) -> str:
    """(3, 4) as "3 x 4", for sentences."""
    return " x ".join(str(n) for n in shape) if shape else "a number"


def size_of(shape: Shape) -> int:
    """How many entries an array of this shape has."""
    return int(np.prod(shape, dtype=np.int64))


def shape_of(shape: Any, what: str) -> Shape:
    """A shape from a whole number or a tuple of them, each at least 1, at most 8 of them."""
    given = tuple(shape) if isinstance(shape, (tuple, list, np.ndarray)) else (shape,)
    for n in given:
        if isinstance(n, (bool, np.bool_)) or not isinstance(n, (int, np.integer)) or n < 1:
            raise errors.ArgumentError(
                f"{what}: shape {shape!r} is no shape; give whole numbers from 1 on"
            )
    if len(given) > 8:
        raise errors.ArgumentError(
            f"{what}: shape {shape!r} has {len(given)} dimensions; give at most 8"
        )
    return tuple(int(n) for n in given)


def name_of(name: Any, what: str) -> str:
    """A name that a problem file takes: letters, digits, _ and -."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise errors.ArgumentError(
            f"{what}: name={name!r} is no name; use 1 to 60 letters, digits, _ or -"
        )
    return name


def is_sparse(value: Any) -> bool:
    """Is it a sparse matrix or array of SciPy?"""
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def array_of(value: Any, what: str, *, infinite: bool = False) -> Array:
    """The numbers of an array-like as `floats` has them, without nan, and finite unless told."""
    if is_sparse(value):
        raise errors.ArgumentError(
            f"{what} is sparse; sparse matrices stand beside @ only (use .toarray() here)"
        )
    numbers = floats(value, what)
    bad = np.isnan(numbers) if infinite else ~np.isfinite(numbers)
    if bad.any():
        index = tuple(int(i) for i in np.argwhere(bad)[0])
        raise errors.DataError(f"{what} is {numbers[index]} at index {index}; give finite numbers")
    return numbers


class Data:
    """An array computed from parameters, anew whenever it is asked for.

    It follows the arithmetic of NumPy; its shape stays, its `value` is that of the moment.
    """

    __array_ufunc__ = None  # NumPy leaves +, -, *, @ and == to the methods below

    def __init__(self, function: Callable[..., Any], operands: Tuple[Any, ...]) -> None:
        self._function, self._operands = function, operands
        found: FrozenSet[Parameter] = frozenset()
        for operand in operands:
            found |= parameters_of(operand)
        self.parameters = found
        self.shape: Shape = self.value.shape

    @property
    def value(self) -> Array:
        """The numbers, by the parameters' values of now."""
        return np.asarray(self._function(*(value_of(o) for o in self._operands)), np.float64, "C")

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def T(self) -> Data:
        """The transposed array."""
        return Data(np.transpose, (self,))

    def reshape(self, *shape: Any) -> Data:
        """The same numbers in another shape, row by row."""
        return Data(lambda a: a.reshape(*shape), (self,))

    def __array__(self, *arguments: Any, **keywords: Any) -> Array:
        raise TypeError(
            "a parameter is no array: it may change; take its .value for what it is now"
        )

    def __getitem__(self, index: Any) -> Data:
        return Data(lambda a: a[index], (self,))

    def _with(self, other: Any, function: Callable[..., Any], swap: bool = False) -> Any:
        if not isinstance(other, Data):
            if hasattr(other, "__array_ufunc__") and other.__array_ufunc__ is None:
                return NotImplemented  # an expression, which knows better
            other = array_of(other, "the other operand of a parameter")
        return Data(function, (other, self) if swap else (self, other))

    def __add__(self, other: Any) -> Any:
        return self._with(other, np.add)

    def __radd__(self, other: Any) -> Any:
        return self._with(other, np.add, True)

    def __sub__(self, other: Any) -> Any:
        return self._with(other, np.subtract)

    def __rsub__(self, other: Any) -> Any:
        return self._with(other, np.subtract, True)

    def __mul__(self, other: Any) -> Any:
        return self._with(other, np.multiply)

    def __rmul__(self, other: Any) -> Any:
        return self._with(other, np.multiply, True)

    def __truediv__(self, other: Any) -> Any:
        return self._with(other, np.divide)

    def __rtruediv__(self, other: Any) -> Any:
        return self._with(other, np.divide, True)

    def __matmul__(self, other: Any) -> Any:
        return self._with(other, np.matmul)

    def __rmatmul__(self, other: Any) -> Any:
        return self._with(other, np.matmul, True)

    def __neg__(self) -> Data:
        return Data(np.negative, (self,))


class Parameter(Data):
    """A constant whose value may change between two solves, without a new set-up.

    Parameters
    ----------
    value : array_like
        The value to begin with; later ones have its shape.
    name : str, optional
        What :meth:`crease.Problem.update` calls it.

    Examples
    --------
    >>> import crease as cr
    >>> b = cr.Parameter([1.0, -3.0], name="b")
    >>> x = cr.Variable(2, "x")
    >>> p = cr.minimize(cr.least_squares(x - b) + cr.l1(1)(x))
    >>> p.solve()[x]
    array([ 0., -2.])
    >>> p.update(b=[5.0, 0.5]).solve()[x]
    array([4., 0.])
    """

    def __init__(self, value: Any, name: Optional[str] = None) -> None:
        self.name = f"p{next(_numbers)}" if name is None else name_of(name, "Parameter")
        self._now: Array = array_of(value, f"parameter {self.name}").copy()
        self.parameters = frozenset({self})
        self.shape = self._now.shape

    @property
    def value(self) -> Array:
        """Its numbers of now."""
        return self._now

    @value.setter
    def value(self, value: Any) -> None:
        numbers = array_of(value, f"parameter {self.name}")
        if numbers.shape != self.shape:
            raise errors.ShapeError(
                f"parameter {self.name} has shape {self.shape} and its new value {numbers.shape}; "
                "make a new problem for data of another size"
            )
        self._now = numbers.copy()

    def __repr__(self) -> str:
        return f"Parameter({shape_text(self.shape)}, name={self.name!r})"


Constant = Union[Array, Data]


def value_of(constant: Any) -> Any:
    """The numbers of a constant."""
    return constant.value if isinstance(constant, Data) else constant


def parameters_of(constant: Any) -> FrozenSet[Parameter]:
    """The parameters that it depends on."""
    return constant.parameters if isinstance(constant, Data) else frozenset()


def constant_of(value: Any, what: str) -> Constant:
    """A constant from an array-like or from parameters."""
    return value if isinstance(value, Data) else array_of(value, what)


def compute(function: Callable[..., Any], *operands: Constant) -> Constant:
    """function(*operands): now, or whenever asked where a parameter is among them."""
    if any(isinstance(o, Data) for o in operands):
        return Data(function, operands)
    return np.asarray(function(*operands), np.float64, "C")
