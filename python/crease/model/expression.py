# SPDX-License-Identifier: MIT
"""Variables and their affine expressions, with the arithmetic, shapes and indices of NumPy."""

from __future__ import annotations

import itertools
from typing import Any, Callable, Dict, FrozenSet, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _errors as errors
from .constants import (
    Array,
    Constant,
    Data,
    Parameter,
    Shape,
    array_of,
    compute,
    constant_of,
    is_sparse,
    name_of,
    parameters_of,
    shape_of,
    shape_text,
    size_of,
    value_of,
)
from .maps import (
    Dense,
    Diagonal,
    Identity,
    Map,
    Selection,
    Stack,
    Zero,
    add,
    compose,
    reshaped,
    scaled,
)
from .matrices import axes_turned, matrix_map, matrix_map_right

_numbers = itertools.count(1)


def _described(value: Any) -> str:
    """An operand for the text of an expression: a number, a parameter's name, or a shape."""
    if isinstance(value, Parameter):
        return value.name
    if isinstance(value, (Map, Data)) or is_sparse(value) or np.ndim(value):
        return f"[{shape_text(tuple(np.shape(value) if np.ndim(value) else value.shape))}]"
    return f"{value:g}" if isinstance(value, (int, float, np.number)) else str(value)


class Expression:
    """An affine function of variables, an array of the shape `shape`.

    Expressions are made from variables by ``A @ x``, ``x @ A``, ``+``, ``-``, ``c * x``, ``d * x``,
    ``x[index]``, ``.T``, ``.reshape()``, ``.sum()`` and the maps of the catalogue.
    """

    __array_ufunc__ = None  # NumPy leaves every operator to the methods below
    __pandas_priority__ = 10_000  # and so does pandas, from 2.1 on
    __iter__ = None  # or a loop would take a variable apart

    def __init__(
        self,
        shape: Shape,
        maps: Mapping[Variable, Map],
        constant: Optional[Constant],
        text: str,
        simple: bool = False,
    ) -> None:
        self.shape = shape
        self.maps: Dict[Variable, Map] = {v: m for v, m in maps.items() if not isinstance(m, Zero)}
        self.constant = constant
        self.text, self._simple = text, simple

    @property
    def ndim(self) -> int:
        """How many dimensions it has."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """How many entries it has."""
        return size_of(self.shape)

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """The variables in it."""
        return tuple(self.maps)

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        """The parameters in it."""
        return parameters_of(self.constant).union(*(m.parameters for m in self.maps.values()))

    @property
    def T(self) -> Expression:
        """The transposed expression."""
        return self.mapped(axes_turned(self.shape), text=f"{self._inner}.T")

    @property
    def _inner(self) -> str:
        return self.text if self._simple else f"({self.text})"

    def __repr__(self) -> str:
        return f"<{self.text}: {shape_text(self.shape)}>"

    def __str__(self) -> str:
        return self.text

    def __bool__(self) -> bool:
        raise TypeError(f"the expression {self.text} has no truth value")

    def at(self, point: Mapping[Variable, Any]) -> Array:
        """Its value where the variables have these values.

        Examples
        --------
        >>> import crease as cr
        >>> x = cr.Variable(2, "x")
        >>> (2 * x + 1).at({x: [3, 4]})
        array([7., 9.])
        """
        total = np.zeros(self.shape) if self.constant is None else value_of(self.constant).copy()
        for v, m in self.maps.items():
            if v not in point:
                raise errors.ArgumentError(
                    f"the point has no value for {v}, which is in {self.text}"
                )
            x = array_of(point[v], f"the value of {v}")
            if x.shape != v.shape:
                raise errors.ShapeError(
                    f"the value of {v} is {shape_text(x.shape)}; give {shape_text(v.shape)}"
                )
            total = total + m.apply(x)
        return np.asarray(total, np.float64)

    def mapped(self, m: Map, what: str = "map", text: Optional[str] = None) -> Expression:
        """What a linear map makes of it."""
        if m.domain != self.shape:
            raise errors.ShapeError(
                f"{what}({self.text}): the map takes {shape_text(m.domain)} and the expression "
                f"has {shape_text(self.shape)}; make them agree"
            )
        constant = self.constant
        if constant is not None:
            constant = (
                Data(lambda c, *_: m.apply(c), (constant, *m.parameters))
                if (m.parameters)
                else compute(m.apply, constant)
            )
        return Expression(
            m.range,
            {v: compose(m, a) for v, a in self.maps.items()},
            constant,
            text or f"{what}({self.text})",
            True,
        )

    def substituted(self, by: Mapping[Variable, Expression]) -> Expression:
        """The same with expressions in the place of variables."""
        if not any(v in by for v in self.maps):
            return self
        maps: Dict[Variable, Map] = {}
        constant = self.constant
        for v, m in self.maps.items():
            new = by[v].mapped(m) if v in by else Expression(self.shape, {v: m}, None, "")
            for w, n in new.maps.items():
                maps[w] = add(maps[w], n) if w in maps else n
            constant = _sum(constant, new.constant)
        return Expression(self.shape, maps, constant, self.text, self._simple)

    # Shapes and indices

    def __getitem__(self, index: Any) -> Expression:
        if isinstance(index, (Expression, Data)):
            raise TypeError(f"{self.text}[...]: an index must be known, not {index!r}")
        entries = np.arange(self.size).reshape(self.shape)
        taken = entries[np.asarray(index) if isinstance(index, list) else index]
        if taken.size == 0:
            raise errors.ShapeError(f"{self._inner}[{index}] has no entries")
        m = Selection(np.asarray(taken, np.int64).reshape(-1), self.shape, np.shape(taken))
        return self.mapped(m, text=f"{self._inner}[{_index_text(index)}]")

    def reshape(self, *shape: Any) -> Expression:
        """The same entries, row by row, in another shape; -1 stands for what is left."""
        new = np.empty(self.shape, np.bool_).reshape(*shape).shape
        return self._to(new, f"{self._inner}.reshape{new}")

    def ravel(self) -> Expression:
        """The same entries, row by row, as a vector."""
        return self._to((self.size,), f"{self._inner}.ravel()")

    def _to(self, shape: Shape, text: str) -> Expression:
        maps = {v: reshaped(m, shape) for v, m in self.maps.items()}
        constant = (
            None if self.constant is None else compute(lambda a: a.reshape(shape), self.constant)
        )
        return Expression(shape, maps, constant, text, True)

    def sum(self, axis: Optional[int] = None) -> Expression:
        """The sum of its entries, or of those along an axis."""
        text = f"{self._inner}.sum({'' if axis is None else axis})"
        if axis is None:
            return self.mapped(Dense(np.ones((1, self.size)), self.shape, ()), text=text)
        if not -self.ndim <= axis < self.ndim:
            raise errors.ArgumentError(f"{text}: axis={axis} is none of {shape_text(self.shape)}")
        moved = np.moveaxis(np.arange(self.size).reshape(self.shape), axis, -1)
        rest, n = moved.shape[:-1], moved.shape[-1]
        turned = self.mapped(Selection(moved.reshape(-1), self.shape, (size_of(rest), n)))
        added = turned.mapped(matrix_map_right(np.ones(n), turned.shape))
        return added._to(rest, text)

    def _broadcast(self, shape: Shape) -> Expression:
        if shape == self.shape:
            return self
        entries = np.broadcast_to(np.arange(self.size).reshape(self.shape), shape)
        return self.mapped(Selection(entries.reshape(-1), self.shape, shape), text=self.text)

    # Arithmetic

    def _plus(self, other: Any, sign: float, text: str) -> Any:
        if (
            is_sparse(other)
            or isinstance(other, (str, bytes))
            or not isinstance(other, (Expression, Data))
            and getattr(other, "__array_ufunc__", self) is None
        ):
            return NotImplemented  # a term among others, which adds an expression itself
        b = other if isinstance(other, Expression) else None
        constant = None if b is not None else constant_of(other, f"what {self.text} is added to")
        there: Shape = b.shape if b is not None else constant.shape  # type: ignore[union-attr]
        try:
            shape = np.broadcast_shapes(self.shape, there)
        except ValueError:
            raise errors.ShapeError(
                f"{text}: {shape_text(self.shape)} and {shape_text(there)} cannot be added; "
                "make them agree"
            ) from None
        left = self._broadcast(shape)
        if b is None:
            assert constant is not None
            new = compute(lambda c: np.broadcast_to(sign * c, shape), constant)
            return Expression(shape, left.maps, _sum(left.constant, new), text)
        right = b._broadcast(shape)
        maps = dict(left.maps)
        for v, m in right.maps.items():
            maps[v] = add(maps[v], scaled(sign, m)) if v in maps else scaled(sign, m)
        return Expression(shape, maps, _sum(left.constant, _times(sign, right.constant)), text)

    def __add__(self, other: Any) -> Any:
        return self if _is_zero(other) else self._plus(other, 1, f"{self.text} + {_text_of(other)}")

    def __radd__(self, other: Any) -> Any:
        return self if _is_zero(other) else self._plus(other, 1, f"{_text_of(other)} + {self.text}")

    def __sub__(self, other: Any) -> Any:
        return self._plus(other, -1, f"{self.text} - {_text_of(other, True)}")

    def __rsub__(self, other: Any) -> Any:
        return (-self)._plus(other, 1, f"{_text_of(other)} - {self._inner}")

    def __neg__(self) -> Expression:
        return self._scaled(-1, f"-{self._inner}")

    def _scaled(self, c: float, text: str) -> Expression:
        maps = {v: scaled(c, m) for v, m in self.maps.items()}
        return Expression(self.shape, maps, _times(c, self.constant), text)

    def __mul__(self, other: Any) -> Any:
        text = f"{_text_of(other, True)} * {self._inner}"
        if isinstance(other, Expression):
            raise TypeError(
                f"{text} is a product of variables and so not affine; use bilinear, "
                "matrix_factorization, cp, tucker, multilinear or a Smooth of your own"
            )
        if is_sparse(other) or isinstance(other, np.matrix):  # * is the product of matrices there
            return self.__rmatmul__(other)
        if not isinstance(other, Data) and getattr(other, "__array_ufunc__", self) is None:
            return NotImplemented
        d = constant_of(other, f"the factor of {self.text}")
        if not d.shape and not isinstance(d, Data):
            return self._scaled(float(value_of(d)), text)
        try:
            shape = np.broadcast_shapes(self.shape, d.shape)
        except ValueError:
            raise errors.ShapeError(
                f"{text}: {shape_text(d.shape)} and {shape_text(self.shape)} cannot be "
                "multiplied entry by entry; make them agree"
            ) from None
        full = compute(lambda a: np.broadcast_to(a, shape), d)
        return self._broadcast(shape).mapped(Diagonal(full), text=text)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        if isinstance(other, Expression):
            raise TypeError(
                f"{self._inner} / {other._inner} divides by a variable and so is not affine"
            )
        d = constant_of(other, f"the divisor of {self.text}")
        if (value_of(d) == 0).any():
            raise ZeroDivisionError(f"{self._inner} / {_described(other)}: a divisor is 0")
        return self * compute(lambda a: 1 / a, d)

    def __pow__(self, other: Any) -> Any:
        raise TypeError(
            f"{self._inner} ** {other} is not affine; (1/2)|x|^2 is least_squares(x), other powers "
            "are norm_power, lp_loss and polynomial"
        )

    def __matmul__(self, other: Any) -> Any:
        text = f"{self._inner} @ {_text_of(other, True)}"
        if isinstance(other, Expression):
            raise TypeError(
                f"{text} is a product of variables and so not affine; use bilinear or "
                "matrix_factorization"
            )
        return self._mapped_by(lambda: matrix_map_right(other, self.shape), text)

    def __rmatmul__(self, other: Any) -> Any:
        text = f"{_described(other)} @ {self._inner}"
        m: Callable[[], Map] = lambda: (
            other if isinstance(other, Map) else matrix_map(other, self.shape)
        )
        return self._mapped_by(m, text)

    def _mapped_by(self, make: Callable[[], Map], text: str) -> Expression:
        try:
            return self.mapped(make(), text=text)
        except errors.ShapeError as e:
            raise errors.ShapeError(f"{text}: {e}") from None

    # Relations

    def __eq__(self, other: Any) -> Any:
        difference = self - other if _comparable(other) else NotImplemented
        return (
            difference
            if difference is NotImplemented
            else Equality(difference, f"{self.text} == {_text_of(other)}")
        )

    __hash__ = object.__hash__

    def __le__(self, other: Any) -> Any:
        return self._bounded(other, "<=")

    def __ge__(self, other: Any) -> Any:
        return self._bounded(other, ">=")

    def _bounded(self, other: Any, sign: str) -> Any:
        if not _comparable(other):
            return NotImplemented
        text = f"{self.text} {sign} {_text_of(other)}"
        if isinstance(other, Expression):
            return Bounds(
                self - other, 0.0 if sign == ">=" else None, 0.0 if sign == "<=" else None, text
            )
        bound: Constant = other if isinstance(other, Data) else array_of(other, text, infinite=True)
        try:
            shape = np.broadcast_shapes(self.shape, bound.shape)
        except ValueError:
            shape = ()
        if shape != self.shape:
            raise errors.ShapeError(
                f"{text}: the bound is {shape_text(bound.shape)}; give {shape_text(self.shape)}"
            )
        full = compute(lambda b: np.broadcast_to(b, shape), bound)
        return Bounds(self, full if sign == ">=" else None, full if sign == "<=" else None, text)


def _comparable(other: Any) -> bool:
    if isinstance(other, (str, bytes)):
        return False
    numbers = hasattr(other, "__array__") or isinstance(other, (list, tuple)) or np.isscalar(other)
    return numbers or isinstance(other, (Expression, Data))


def _text_of(other: Any, inner: bool = False) -> str:
    if isinstance(other, Expression):
        return other._inner if inner else other.text
    return _described(other)


def _index_text(index: Any) -> str:
    if isinstance(index, tuple):
        return ", ".join(_index_text(i) for i in index)
    if isinstance(index, slice):
        ends = ["" if i is None else str(i) for i in (index.start, index.stop, index.step)]
        return ":".join(ends[:2] if not ends[2] else ends)
    return "..." if index is Ellipsis or np.ndim(index) else str(index)


def _is_zero(other: Any) -> bool:
    return isinstance(other, (int, float)) and other == 0  # what sum() begins with


def _sum(a: Optional[Constant], b: Optional[Constant]) -> Optional[Constant]:
    if a is None or b is None:
        return b if a is None else a
    return compute(np.add, a, b)


def _times(c: float, a: Optional[Constant]) -> Optional[Constant]:
    return None if a is None else compute(lambda x: c * x, a)


class Variable(Expression):
    """An unknown of a problem.

    Parameters
    ----------
    shape : int or tuple of int
        1 to 8 dimensions; ``()`` is a single number.
    name : str, optional
        What the problem file, the certificate and messages call it.
    start : array_like, optional
        Where a run begins, here the origin; may be set later.

    Examples
    --------
    >>> import crease as cr
    >>> x = cr.Variable(3, "x")
    >>> 2 * x[:2] - 1
    <2 * x[:2] - 1: 2>
    """

    def __init__(self, shape: Any, name: Optional[str] = None, start: Any = None) -> None:
        self.name = None if name is None else name_of(name, "Variable")
        self.label = f"v{next(_numbers)}" if self.name is None else self.name
        whole = (
            ()
            if isinstance(shape, tuple) and not shape
            else shape_of(shape, f"Variable {self.label}")
        )
        super().__init__(whole, {}, None, self.label, True)
        self.maps = {self: Identity(whole)}
        self._start: Optional[Array] = None
        self.start = start

    @property
    def start(self) -> Optional[Array]:
        """Where a run begins; None is the origin."""
        return self._start

    @start.setter
    def start(self, start: Any) -> None:
        if start is None:
            self._start = None
            return
        numbers = array_of(start, f"the start of {self.label}")
        try:
            self._start = np.array(np.broadcast_to(numbers, self.shape))
        except ValueError:
            raise errors.ShapeError(
                f"the start of {self.label} is {shape_text(numbers.shape)}; give "
                f"{shape_text(self.shape)}"
            ) from None


class Equality:
    """A constraint: an affine expression that is to be zero."""

    def __init__(self, expression: Expression, text: str) -> None:
        if not expression.maps:
            raise errors.ArgumentError(
                f"{text}: there is no variable in this constraint; leave it out"
            )
        self.expression, self.text = expression, text

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self.text} is a constraint and has no truth value; give it to minimize(), and "
            "compare variables themselves by `is`"
        )

    def __repr__(self) -> str:
        return f"<{self.text}>"


class Bounds:
    """A constraint: lower <= expression <= upper, entry by entry; None is no bound."""

    def __init__(self, expression: Expression, lower: Any, upper: Any, text: str) -> None:
        self.expression, self.text = expression, text
        self.lower, self.upper = lower, upper
        if not expression.maps:
            raise errors.ArgumentError(
                f"{text}: there is no variable in this constraint; leave it out"
            )

    def __bool__(self) -> bool:
        raise TypeError(
            f"{self.text} is a constraint and has no truth value; write a <= x, x <= b as two "
            "constraints"
        )

    def __repr__(self) -> str:
        return f"<{self.text}>"


def concatenate(expressions: Sequence[Union[Expression, Any]], axis: int = 0) -> Expression:
    """Expressions one after another along an axis, as ``numpy.concatenate`` has it.

    Examples
    --------
    >>> import crease as cr
    >>> x, t = cr.Variable(2, "x"), cr.Variable(1, "t")
    >>> cr.concatenate([x, t]).at({x: [1, 2], t: [3]})
    array([1., 2., 3.])
    """
    given = [
        (
            e
            if isinstance(e, Expression)
            else Expression(np.shape(e), {}, constant_of(e, "a part"), _described(e), True)
        )
        for e in expressions
    ]
    text = f"concatenate({', '.join(e.text for e in given)})"
    if not given:
        raise errors.ArgumentError("concatenate(): give at least one expression")
    try:
        places = np.concatenate([np.empty(e.shape, np.bool_) for e in given], axis).shape
    except ValueError as wrong:
        raise errors.ShapeError(f"{text}: {wrong}") from None
    variables: Dict[Variable, None] = {}
    for e in given:
        variables.update(dict.fromkeys(e.maps))
    maps = {v: stacked([e.maps.get(v) or Zero(v.shape, e.shape) for e in given]) for v in variables}
    constant: Optional[Constant] = None
    if any(e.constant is not None for e in given):
        parts = tuple(np.zeros(e.shape) if e.constant is None else e.constant for e in given)
        constant = compute(lambda *p: np.concatenate([q.reshape(-1) for q in p]), *parts)
    flat = Expression((sum(e.size for e in given),), maps, constant, text, True)
    # flat has the parts one after another; along another axis their entries change places
    entries, first = [], 0
    for e in given:
        entries.append(np.arange(first, first + e.size).reshape(e.shape))
        first += e.size
    order = np.concatenate(entries, axis).reshape(-1)
    return flat.mapped(Selection(order, flat.shape, places), text=text)


def stacked(maps: Sequence[Map]) -> Map:
    """x to the vector (A_1 x, A_2 x, ...); matrices become one."""
    if len(maps) == 1:
        return reshaped(maps[0], (size_of(maps[0].range),))
    rows = sum(size_of(m.range) for m in maps)
    if all(isinstance(m, Dense) for m in maps):
        matrices = [m.matrix for m in maps if isinstance(m, Dense)]
        return Dense(compute(lambda *a: np.vstack(a), *matrices), maps[0].domain, (rows,))
    return Stack(maps)
