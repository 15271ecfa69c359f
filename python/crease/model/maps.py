# SPDX-License-Identifier: MIT
"""Linear maps: what they do, their adjoints, how a problem file writes them, and their algebra.

A map goes from arrays of the shape `domain` to arrays of the shape `range`. compose, add, scaled
and transposed simplify where that is exact and saves work: multiples of the identity are numbers,
matrices are added and, where the product is no larger, multiplied.
"""

from __future__ import annotations

from typing import Any, Dict, FrozenSet, List, Optional, Protocol, Sequence, Tuple

import numpy as np
from numpy.typing import NDArray

from .. import _errors as errors
from .._functions import MapFunctions
from .constants import (
    Array,
    Constant,
    Parameter,
    Shape,
    array_of,
    compute,
    constant_of,
    parameters_of,
    shape_text,
    size_of,
    value_of,
)

Json = Any
Index = NDArray[np.int64]


class Writer(Protocol):
    """Where the arrays and functions of a problem file go."""

    def array(self, constant: Any, hint: str) -> str:
        """The name of the file that holds this array."""

    def map_functions(self, functions: MapFunctions) -> str:
        """The name under which the file calls these functions."""


def json_shape(shape: Shape) -> List[int]:
    """A shape as a problem file has it; a number is a vector of one entry."""
    return list(shape) or [1]


class Map:
    """A linear map. ``A @ x`` applies it to an expression or an array, ``A.T`` is its adjoint."""

    __array_ufunc__ = None

    domain: Shape
    range: Shape

    def apply(self, x: Array) -> Array:
        """A x, for an array of the shape `domain`."""
        raise NotImplementedError

    def adjoint(self, y: Array) -> Array:
        """A' y, for an array of the shape `range`."""
        raise NotImplementedError

    def json(self, to: Writer) -> Json:
        """How a problem file writes it."""
        raise NotImplementedError

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        """The parameters that it depends on."""
        return frozenset()

    @property
    def parts(self) -> Tuple[Map, ...]:
        """The maps that it is made of."""
        return ()

    @property
    def T(self) -> Map:
        """The adjoint map."""
        return transposed(self)

    @property
    def shape(self) -> Tuple[int, int]:
        """Entries of its range and of its domain, as of a matrix."""
        return size_of(self.range), size_of(self.domain)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} from {shape_text(self.domain)} to {shape_text(self.range)}>"

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, Map):
            return compose(self, other)
        if getattr(other, "__array_ufunc__", self) is None:
            return NotImplemented  # an expression or a parameter
        x = constant_of(other, "the operand of a map")
        if x.shape != self.domain:
            raise errors.ShapeError(
                f"the map takes {shape_text(self.domain)} and the array has {shape_text(x.shape)}"
            )
        return self.apply(value_of(x))

    def __add__(self, other: Any) -> Any:
        return add(self, other) if isinstance(other, Map) else NotImplemented

    def __sub__(self, other: Any) -> Any:
        return add(self, scaled(-1, other)) if isinstance(other, Map) else NotImplemented

    def __neg__(self) -> Map:
        return scaled(-1, self)

    def __mul__(self, other: Any) -> Any:
        if getattr(other, "__array_ufunc__", self) is None or np.ndim(other):
            return NotImplemented
        return scaled(float(array_of(other, "the factor of a map")), self)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self * (1 / other)


class Identity(Map):
    """x to c x."""

    def __init__(self, shape: Shape, scale: float = 1.0) -> None:
        self.domain = self.range = shape
        self.scale = float(scale)

    def apply(self, x: Array) -> Array:
        return self.scale * x

    def adjoint(self, y: Array) -> Array:
        return self.scale * y

    def json(self, to: Writer) -> Json:
        return self.scale


class Dense(Map):
    """A matrix; the entries of its operand and of its range are taken row by row."""

    def __init__(self, matrix: Constant, domain: Shape, range: Shape) -> None:
        self.matrix, self.domain, self.range = matrix, domain, range

    def apply(self, x: Array) -> Array:
        product: Array = value_of(self.matrix) @ x.reshape(-1)
        return product.reshape(self.range)

    def adjoint(self, y: Array) -> Array:
        product: Array = value_of(self.matrix).T @ y.reshape(-1)
        return product.reshape(self.domain)

    def json(self, to: Writer) -> Json:
        return to.array(self.matrix, "matrix")

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return parameters_of(self.matrix)


def _sums(places: Index, values: Array, shape: Shape) -> Array:
    """Values added up at their places."""
    total = np.bincount(places, values, size_of(shape))
    return total.astype(np.float64, copy=False).reshape(shape)


class Sparse(Map):
    """A sparse matrix in compressed rows, as Dense otherwise."""

    def __init__(self, start: Index, col: Index, value: Array, domain: Shape, range: Shape) -> None:
        self.start, self.col, self.value = start, col, value
        self.domain, self.range = domain, range

    @property
    def row(self) -> Index:
        """The row of every entry."""
        rows: Index = np.repeat(np.arange(self.start.size - 1), np.diff(self.start))
        return rows

    def apply(self, x: Array) -> Array:
        products = self.value * x.reshape(-1)[self.col]
        return _sums(self.row, products, self.range)

    def adjoint(self, y: Array) -> Array:
        products = self.value * y.reshape(-1)[self.row]
        return _sums(self.col, products, self.domain)

    def json(self, to: Writer) -> Json:
        if self.value.size == 0:
            return zero_json(self.domain, self.range)
        return {
            "csr": {
                "rows": size_of(self.range),
                "cols": size_of(self.domain),
                "start": to.array(self.start, "start"),
                "col": to.array(self.col, "col"),
                "value": to.array(self.value, "value"),
            }
        }


class Zero(Map):
    """x to 0."""

    def __init__(self, domain: Shape, range: Shape) -> None:
        self.domain, self.range = domain, range

    def apply(self, x: Array) -> Array:
        return np.zeros(self.range)

    def adjoint(self, y: Array) -> Array:
        return np.zeros(self.domain)

    def json(self, to: Writer) -> Json:
        return zero_json(self.domain, self.range)


def zero_json(domain: Shape, range: Shape) -> Json:
    """A zero map that tells its rows: a sparse matrix whose one entry is 0."""
    rows = size_of(range)
    return {
        "csr": {
            "rows": rows,
            "cols": size_of(domain),
            "start": [0] + [1] * rows,
            "col": [0],
            "value": [0],
        }
    }


class Diagonal(Map):
    """x_j to d_j x_j."""

    def __init__(self, d: Constant) -> None:
        self.d = d
        self.domain = self.range = d.shape

    def apply(self, x: Array) -> Array:
        product: Array = value_of(self.d) * x
        return product

    def adjoint(self, y: Array) -> Array:
        return self.apply(y)

    def json(self, to: Writer) -> Json:
        return {"diagonal": to.array(self.d, "diagonal")}

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return parameters_of(self.d)


class Mask(Diagonal):
    """x_j where keep_j is 1, 0 where it is 0."""

    def json(self, to: Writer) -> Json:
        return {"mask": to.array(self.d, "mask")}


class Selection(Map):
    """The entries with the given indices, counted row by row; an entry may come more than once."""

    def __init__(self, index: Index, domain: Shape, range: Shape) -> None:
        self.index, self.domain, self.range = index, domain, range

    @property
    def reshapes(self) -> bool:
        """Are all entries taken in order, so that only the shape changes?"""
        n = self.index.size
        return n == size_of(self.domain) and bool((self.index == np.arange(n)).all())

    @property
    def distinct(self) -> bool:
        """Does no entry come twice?"""
        return np.unique(self.index).size == self.index.size

    def apply(self, x: Array) -> Array:
        return x.reshape(-1)[self.index].reshape(self.range)

    def adjoint(self, y: Array) -> Array:
        return _sums(self.index, y.reshape(-1), self.domain)

    def json(self, to: Writer) -> Json:
        return {"selection": to.array(self.index, "selection")}


class Kronecker(Map):
    """X to L X R'; None is the identity."""

    def __init__(self, left: Optional[Constant], right: Optional[Constant], domain: Shape) -> None:
        self.left, self.right, self.domain = left, right, domain
        self.range = (
            domain[0] if left is None else left.shape[0],
            domain[1] if right is None else right.shape[0],
        )

    def apply(self, x: Array) -> Array:
        if self.left is not None:
            x = value_of(self.left) @ x
        if self.right is not None:
            x = x @ value_of(self.right).T
        return x

    def adjoint(self, y: Array) -> Array:
        if self.left is not None:
            y = value_of(self.left).T @ y
        if self.right is not None:
            y = y @ value_of(self.right)
        return y

    def json(self, to: Writer) -> Json:
        left = np.eye(self.domain[0]) if self.left is None else self.left
        right = np.eye(self.domain[1]) if self.right is None else self.right
        return {"kronecker": {"left": to.array(left, "left"), "right": to.array(right, "right")}}

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return parameters_of(self.left) | parameters_of(self.right)


class LowRank(Map):
    """x to U V' x."""

    def __init__(self, u: Constant, v: Constant) -> None:
        self.u, self.v = u, v
        self.domain, self.range = (v.shape[0],), (u.shape[0],)

    def apply(self, x: Array) -> Array:
        product: Array = value_of(self.u) @ (value_of(self.v).T @ x)
        return product

    def adjoint(self, y: Array) -> Array:
        product: Array = value_of(self.v) @ (value_of(self.u).T @ y)
        return product

    def json(self, to: Writer) -> Json:
        return {"low-rank": {"u": to.array(self.u, "u"), "v": to.array(self.v, "v")}}

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return parameters_of(self.u) | parameters_of(self.v)


class Composition(Map):
    """x to B (C x)."""

    def __init__(self, outer: Map, inner: Map) -> None:
        self.outer, self.inner = outer, inner
        self.domain, self.range = inner.domain, outer.range

    def apply(self, x: Array) -> Array:
        return self.outer.apply(self.inner.apply(x))

    def adjoint(self, y: Array) -> Array:
        return self.inner.adjoint(self.outer.adjoint(y))

    def json(self, to: Writer) -> Json:
        return {
            "composition": {
                "outer": self.outer.json(to),
                "inner": self.inner.json(to),
                "between": json_shape(self.inner.range),
            }
        }

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return self.outer.parameters | self.inner.parameters

    @property
    def parts(self) -> Tuple[Map, ...]:
        return self.outer, self.inner


class Sum(Map):
    """x to s_1 A_1 x + s_2 A_2 x + ..."""

    def __init__(self, maps: Sequence[Map], scales: Sequence[float]) -> None:
        self.maps, self.scales = tuple(maps), tuple(scales)
        self.domain, self.range = maps[0].domain, maps[0].range

    def apply(self, x: Array) -> Array:
        total: Array = sum(
            (s * m.apply(x) for m, s in zip(self.maps, self.scales)), np.zeros(self.range)
        )
        return total

    def adjoint(self, y: Array) -> Array:
        total: Array = sum(
            (s * m.adjoint(y) for m, s in zip(self.maps, self.scales)), np.zeros(self.domain)
        )
        return total

    def json(self, to: Writer) -> Json:
        if len(self.maps) == 1:
            return {"scaled": {"scale": self.scales[0], "map": self.maps[0].json(to)}}
        return {"sum": {"maps": [m.json(to) for m in self.maps], "scale": list(self.scales)}}

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return frozenset().union(*(m.parameters for m in self.maps))

    @property
    def parts(self) -> Tuple[Map, ...]:
        return self.maps


class Transposed(Map):
    """The adjoint of a map."""

    def __init__(self, inner: Map) -> None:
        self.inner = inner
        self.domain, self.range = inner.range, inner.domain

    def apply(self, x: Array) -> Array:
        return self.inner.adjoint(x)

    def adjoint(self, y: Array) -> Array:
        return self.inner.apply(y)

    def json(self, to: Writer) -> Json:
        return {"transposed": {"map": self.inner.json(to), "shape": json_shape(self.inner.domain)}}

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return self.inner.parameters

    @property
    def parts(self) -> Tuple[Map, ...]:
        return (self.inner,)


class Stack(Map):
    """x to (A_1 x, A_2 x, ...), one vector."""

    def __init__(self, maps: Sequence[Map]) -> None:
        self.maps = tuple(maps)
        self.domain = maps[0].domain
        self.range = (sum(size_of(m.range) for m in maps),)

    def apply(self, x: Array) -> Array:
        return np.concatenate([m.apply(x).reshape(-1) for m in self.maps])

    def adjoint(self, y: Array) -> Array:
        ends = np.cumsum([size_of(m.range) for m in self.maps])[:-1]
        total: Array = sum(
            (m.adjoint(part.reshape(m.range)) for m, part in zip(self.maps, np.split(y, ends))),
            np.zeros(self.domain),
        )
        return total

    def json(self, to: Writer) -> Json:
        return {"stack": {"maps": [m.json(to) for m in self.maps]}}

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return frozenset().union(*(m.parameters for m in self.maps))

    @property
    def parts(self) -> Tuple[Map, ...]:
        return self.maps


def factored(m: Map) -> Tuple[float, Map]:
    """A map as a number times a map."""
    if isinstance(m, Identity):
        return m.scale, Identity(m.domain)
    if isinstance(m, Sum) and len(m.maps) == 1:
        return m.scales[0], m.maps[0]
    return 1.0, m


def reshaped(m: Map, range: Shape) -> Map:
    """The map with its result in another shape, row by row."""
    if m.range == range:
        return m
    return compose(Selection(np.arange(size_of(range)), m.range, range), m)


def _products_fit(outer: Constant, inner: Constant) -> bool:
    """Has the product of two matrices no more entries than both together?"""
    (m, k), n = outer.shape, inner.shape[1]
    return m * n <= m * k + k * n


def _select(outer: Selection, inner: Map) -> Optional[Map]:
    """A selection from the result of a map, where another map of the same kind has it."""
    if isinstance(inner, Selection):
        index = inner.index[outer.index]
        both = Selection(index, inner.domain, outer.range)
        return Identity(inner.domain) if both.reshapes and both.domain == both.range else both
    if isinstance(inner, Dense) and (outer.reshapes or outer.index.size <= inner.shape[0]):
        rows = inner.matrix if outer.reshapes else compute(lambda a: a[outer.index], inner.matrix)
        return Dense(rows, inner.domain, outer.range)
    if isinstance(inner, (Sparse, Stack)) and outer.reshapes and len(outer.range) == 1:
        return (
            inner
            if isinstance(inner, Stack)
            else Sparse(inner.start, inner.col, inner.value, inner.domain, outer.range)
        )
    return None


def _fold(outer: Map, inner: Map) -> Optional[Map]:
    """outer after inner as one simple map, or None where it is none."""
    if isinstance(outer, Zero) or isinstance(inner, Zero):
        return Zero(inner.domain, outer.range)
    if isinstance(outer, Selection):
        return _select(outer, inner)
    if isinstance(inner, Selection) and inner.reshapes:
        if isinstance(outer, Dense):
            return Dense(outer.matrix, inner.domain, outer.range)
        if isinstance(outer, Sparse):
            return Sparse(outer.start, outer.col, outer.value, inner.domain, outer.range)
    if isinstance(outer, Dense) and isinstance(inner, Dense):
        fits = _products_fit(outer.matrix, inner.matrix)
        matrix = compute(np.matmul, outer.matrix, inner.matrix) if fits else None
        return None if matrix is None else Dense(matrix, inner.domain, outer.range)
    if isinstance(outer, Diagonal) and isinstance(inner, Diagonal):
        return Diagonal(compute(np.multiply, outer.d, inner.d))
    if isinstance(outer, Diagonal) and isinstance(inner, Dense):
        rows = compute(lambda d, a: d.reshape(-1, 1) * a, outer.d, inner.matrix)
        return Dense(rows, inner.domain, outer.range)
    if isinstance(outer, Dense) and isinstance(inner, Diagonal):
        columns = compute(lambda a, d: a * d.reshape(1, -1), outer.matrix, inner.d)
        return Dense(columns, inner.domain, outer.range)
    if isinstance(outer, Kronecker) and isinstance(inner, Kronecker):
        left, right = _product(outer.left, inner.left), _product(outer.right, inner.right)
        return Kronecker(left, right, inner.domain)
    return None


def _product(a: Optional[Constant], b: Optional[Constant]) -> Optional[Constant]:
    """A product of matrices of which None is the identity."""
    if a is None or b is None:
        return b if a is None else a
    return compute(np.matmul, a, b)


def compose(outer: Map, inner: Map) -> Map:
    """x to outer(inner(x))."""
    if outer.domain != inner.range:
        raise errors.ShapeError(
            f"a map of {shape_text(outer.domain)} cannot follow one into "
            f"{shape_text(inner.range)}; make them agree"
        )
    if isinstance(inner, Identity):
        return scaled(inner.scale, outer)
    if isinstance(outer, Identity):
        return scaled(outer.scale, inner)
    if isinstance(outer, Sum) and len(outer.maps) == 1:
        return scaled(outer.scales[0], compose(outer.maps[0], inner))
    if isinstance(inner, Sum) and len(inner.maps) == 1:
        return scaled(inner.scales[0], compose(outer, inner.maps[0]))
    folded = _fold(outer, inner)
    return Composition(outer, inner) if folded is None else folded


def scaled(c: float, m: Map) -> Map:
    """x to c A x."""
    if c == 1 or isinstance(m, Zero):
        return m
    if c == 0:
        return Zero(m.domain, m.range)
    if isinstance(m, Identity):
        return Identity(m.domain, c * m.scale)
    if isinstance(m, Sum):
        return (
            Sum(m.maps, [c * s for s in m.scales])
            if any(c * s != 1 for s in m.scales) or len(m.maps) > 1
            else m.maps[0]
        )
    return Sum([m], [c])


def add(a: Map, b: Map) -> Map:
    """x to A x + B x."""
    if a.domain != b.domain or a.range != b.range:
        raise errors.ShapeError(f"{a!r} and {b!r} cannot be added; make them agree")
    if isinstance(a, Zero) or isinstance(b, Zero):
        return b if isinstance(a, Zero) else a
    total: Dict[int, Tuple[Map, float]] = {}
    for m in (a, b):
        for part, s in zip(m.maps, m.scales) if isinstance(m, Sum) else [(m, 1.0)]:
            _gather(total, part, s)
    left = [(m, s) for m, s in total.values() if s != 0]
    if not left:
        return Zero(a.domain, a.range)
    if len(left) == 1:
        return scaled(left[0][1], left[0][0])
    return Sum([m for m, _ in left], [s for _, s in left])


def _gather(total: Dict[int, Tuple[Map, float]], part: Map, s: float) -> None:
    """One more map of a sum, put together with one of its kind that is there already."""
    for key, (m, t) in total.items():
        if m is part:
            total[key] = m, t + s
            return
        both = _both(m, t, part, s)
        if both is not None:
            total[key] = both
            return
    total[id(part)] = part, s


def _both(a: Map, s: float, b: Map, t: float) -> Optional[Tuple[Map, float]]:
    """s A + t B as a map of the same kind, or None."""
    if isinstance(a, Identity) and isinstance(b, Identity):
        return Identity(a.domain), s * a.scale + t * b.scale
    if isinstance(a, Dense) and isinstance(b, Dense):
        if a.matrix is b.matrix:
            return a, s + t
        matrix = compute(lambda p, q: s * p + t * q, a.matrix, b.matrix)
        return Dense(matrix, a.domain, a.range), 1.0
    if isinstance(a, Diagonal) and isinstance(b, Diagonal):
        return Diagonal(compute(lambda p, q: s * p + t * q, a.d, b.d)), 1.0
    return None


def transposed(m: Map) -> Map:
    """The adjoint of a map, simplified where it is of the same kind."""
    if isinstance(m, (Identity, Diagonal)):
        return m
    if isinstance(m, Zero):
        return Zero(m.range, m.domain)
    if isinstance(m, Dense):
        return Dense(compute(np.transpose, m.matrix), m.range, m.domain)
    if isinstance(m, Kronecker):
        left, right = (None if a is None else compute(np.transpose, a) for a in (m.left, m.right))
        return Kronecker(left, right, m.range)
    if isinstance(m, LowRank):
        return LowRank(m.v, m.u)
    if isinstance(m, Transposed):
        return m.inner
    if isinstance(m, Composition):
        return compose(transposed(m.inner), transposed(m.outer))
    if isinstance(m, Sum):
        return Sum([transposed(p) for p in m.maps], m.scales)
    return Transposed(m)


def placed(parts: Sequence[Tuple[Map, int]], columns: int) -> Sparse:
    """Matrices one over another, each beginning at a column of its own: one sparse matrix."""
    starts, cols, values = [np.zeros(1, np.int64)], [], []
    entries = 0
    for part, first in parts:
        start, col, value = _rows_of(part)
        starts.append(start[1:] + entries)
        cols.append(col + first)
        values.append(value)
        entries += value.size
    rows = sum(size_of(part.range) for part, _ in parts)
    return Sparse(
        np.concatenate(starts), np.concatenate(cols), np.concatenate(values), (columns,), (rows,)
    )


def is_matrix(m: Map) -> bool:
    """Are its entries at hand, and do they stay?"""
    if isinstance(m, Sum):
        return len(m.maps) == 1 and is_matrix(m.maps[0])
    return isinstance(m, (Dense, Sparse, Identity, Diagonal)) and not m.parameters


def _rows_of(m: Map) -> Tuple[Index, Index, Array]:
    """Compressed rows of a map that is_matrix."""
    if isinstance(m, Sum):
        start, col, value = _rows_of(m.maps[0])
        return start, col, m.scales[0] * value
    if isinstance(m, Sparse):
        return m.start, m.col, m.value
    rows, cols = m.shape
    if isinstance(m, Dense):
        matrix: Array = value_of(m.matrix)
        return (np.arange(rows + 1) * cols, np.tile(np.arange(cols), rows), matrix.reshape(-1))
    diagonal = (
        value_of(m.d).reshape(-1)
        if isinstance(m, Diagonal)
        else np.full(cols, m.scale if isinstance(m, Identity) else 1.0)
    )
    return np.arange(rows + 1), np.arange(cols), diagonal
