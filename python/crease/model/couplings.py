# SPDX-License-Identifier: MIT
"""Smooth terms of whole variables: quadratics, distances, factorizations, and losses in Python."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

from .. import _errors as errors
from .._functions import SmoothFunctions
from .constants import (
    Array,
    Constant,
    Shape,
    array_of,
    compute,
    constant_of,
    shape_text,
    size_of,
    value_of,
)
from .expression import Expression, Variable
from .maps import Identity, Json, Writer
from .terms import Coupling, Term, expression_of


def _times(c: float, constant: Constant) -> Constant:
    return constant if c == 1 else compute(lambda a: c * a, constant)


def quadratic(x: Expression, Q: Any = None, q: Any = None) -> Term:
    """(1/2) x'Qx + q'x, with any symmetric Q.

    Examples
    --------
    >>> import crease as cr
    >>> x = cr.Variable(2, "x")
    >>> cr.minimize(cr.quadratic(x, [[2, 0], [0, 4]], [-2, 4])).solve()[x]
    array([ 1., -1.])
    """
    e = expression_of(x, "quadratic")
    text = f"quadratic({e.text})"
    if Q is None and q is None:
        raise errors.ArgumentError(f"{text}: give Q, q or both")
    matrix = None if Q is None else constant_of(Q, f"{text}: Q")
    slope = None if q is None else constant_of(q, f"{text}: q")
    if matrix is not None:
        if matrix.shape != (e.size, e.size):
            raise errors.ShapeError(
                f"{text}: Q is {shape_text(matrix.shape)}; give {e.size} x {e.size}"
            )
        now = value_of(matrix)
        if np.abs(now - now.T).max() > 1e-12 * np.abs(now).max():
            raise errors.ArgumentError(f"{text}: Q is not symmetric; give (Q + Q.T) / 2")
    if slope is not None and slope.shape != e.shape:
        raise errors.ShapeError(
            f"{text}: q is {shape_text(slope.shape)}; give {shape_text(e.shape)}"
        )

    def write(names: Sequence[str], factor: float, to: Writer) -> Json:
        said: Dict[str, Json] = {}
        if matrix is not None:
            said["Q"] = {names[0]: to.array(_times(factor, matrix), "Q")}
        if slope is not None:
            said["q"] = {names[0]: to.array(_times(factor, slope), "q")}
        return {"quadratic": said}

    return Coupling("quadratic", [e], write, text)


def bilinear(x: Expression, Q: Any, y: Expression) -> Term:
    """x'Qy, for two different variables.

    Examples
    --------
    >>> import crease as cr
    >>> x, y = cr.Variable(2, "x"), cr.Variable(2, "y")
    >>> f = cr.bilinear(x, [[0, 0.5], [0.5, 0]], y) + cr.least_squares(x) + cr.least_squares(y - 3)
    >>> cr.minimize(f).solve(eps=1e-9)[x].round(6)
    array([-2., -2.])
    """
    a, b = expression_of(x, "bilinear"), expression_of(y, "bilinear")
    text = f"bilinear({a.text}, {b.text})"
    matrix = constant_of(Q, f"{text}: Q")
    if matrix.shape != (a.size, b.size):
        raise errors.ShapeError(
            f"{text}: Q is {shape_text(matrix.shape)}; give {a.size} x {b.size}"
        )
    if set(a.maps) & set(b.maps):
        raise errors.ArgumentError(
            f"{text}: both have the same variable; use quadratic for one alone"
        )

    def write(names: Sequence[str], factor: float, to: Writer) -> Json:
        return {
            "quadratic": {"Q": {f"{names[0]},{names[1]}": to.array(_times(factor, matrix), "Q")}}
        }

    return Coupling("quadratic", [a, b], write, text)


def squared_distance(
    a: Expression, b: Optional[Expression] = None, *, d: Any = None, weight: float = 1.0
) -> Term:
    """(weight/2)\\|a - b - d\\|^2, or without b; the weight may be negative.

    Examples
    --------
    >>> import crease as cr
    >>> x = cr.Variable(2, "x")
    >>> cr.minimize(cr.squared_distance(x, d=[1, 2])).solve()[x]
    array([1., 2.])
    """
    e = expression_of(a, "squared_distance")
    other = None if b is None else expression_of(b, "squared_distance")
    text = f"squared_distance({e.text}{'' if other is None else f', {other.text}'})"
    if other is not None and other.shape != e.shape:
        raise errors.ShapeError(
            f"{text}: {shape_text(e.shape)} and {shape_text(other.shape)} differ"
        )
    shift = _shift(d, e.shape, text)
    scale = float(array_of(weight, f"{text}: weight"))

    def write(names: Sequence[str], factor: float, to: Writer) -> Json:
        said: Dict[str, Json] = {"a": names[0], "weight": factor * scale}
        if other is not None:
            said["b"] = names[1]
        if shift is not None:
            said["d"] = to.array(shift, "d")
        return {"squared_distance": said}

    return Coupling("squared_distance", [e] if other is None else [e, other], write, text)


def _shift(d: Any, shape: Shape, text: str) -> Optional[Constant]:
    if d is None:
        return None
    given = constant_of(d, f"{text}: d")
    try:
        return compute(lambda a: np.broadcast_to(a, shape), given)
    except ValueError:
        raise errors.ShapeError(
            f"{text}: d is {shape_text(given.shape)}; give {shape_text(shape)}"
        ) from None


def norm_power(a: Expression, power: float, *, d: Any = None, weight: float = 1.0) -> Term:
    """(weight/power)\\|a - d\\|_2^power, power > 1; the weight may be negative.

    Examples
    --------
    >>> import crease as cr
    >>> x = cr.Variable(2, "x", start=[1, 1])
    >>> cr.minimize(cr.norm_power(x, 3, d=[1, 2])).solve(eps=1e-9)[x].round(3)
    array([1., 2.])
    """
    e = expression_of(a, "norm_power")
    text = f"norm_power({e.text})"
    p, scale = float(array_of(power, f"{text}: power")), float(array_of(weight, f"{text}: weight"))
    if not p > 1:
        raise errors.ArgumentError(f"{text}: power={power!r}; give a number above 1")
    shift = _shift(d, e.shape, text)

    def write(names: Sequence[str], factor: float, to: Writer) -> Json:
        said: Dict[str, Json] = {"a": names[0], "power": p, "weight": factor * scale}
        if shift is not None:
            said["d"] = to.array(shift, "d")
        return {"norm_power": said}

    return Coupling("norm_power", [e], write, text)


def multilinear(tensor: Any, *blocks: Expression, weight: float = 1.0) -> Term:
    """weight times T(x_1, ..., x_d): a vector for each dimension of the tensor.

    Examples
    --------
    >>> import crease as cr
    >>> u, v = cr.Variable(2, "u", start=[1, 1]), cr.Variable(2, "v", start=[1, 1])
    >>> f = cr.multilinear([[3, 0], [0, 1]], u, v, weight=-1)
    >>> r = cr.minimize(f, cr.l2_ball(1).contains(u), cr.l2_ball(1).contains(v)).solve(eps=1e-9)
    >>> round(r.objective, 6)
    -3.0
    """
    T = constant_of(tensor, "multilinear: tensor")
    given = [expression_of(b, "multilinear") for b in blocks]
    text = f"multilinear({', '.join(e.text for e in given)})"
    if tuple(e.size for e in given) != T.shape:
        raise errors.ShapeError(
            f"{text}: the tensor is {shape_text(T.shape)} and the variables have "
            f"{', '.join(str(e.size) for e in given)} entries; give one for each dimension"
        )
    scale = float(array_of(weight, f"{text}: weight"))

    def write(names: Sequence[str], factor: float, to: Writer) -> Json:
        return {
            "multilinear": {
                "tensor": to.array(T, "tensor"),
                "blocks": list(names),
                "weight": factor * scale,
            }
        }

    return Coupling("multilinear", given, write, text)


def _of_target(
    name: str,
    arguments: List[Expression],
    target: Any,
    shape: Shape,
    said: Callable[[Sequence[str]], Dict[str, Json]],
    text: str,
) -> Term:
    """A term |Z - ...|^2, where Z is a block or a constant."""
    z = target if isinstance(target, Expression) else None
    constant = None if z is not None else constant_of(target, f"{text}: target")
    found = z.shape if z is not None else constant.shape  # type: ignore[union-attr]
    if found != shape:
        raise errors.ShapeError(
            f"{text}: target is {shape_text(found)}; the factors make {shape_text(shape)}"
        )

    def write(names: Sequence[str], factor: float, to: Writer) -> Json:
        to_fit = {"z": names[-1]} if constant is None else {"target": to.array(constant, "target")}
        return {name: {**said(names), **to_fit}}

    return Coupling(
        name, arguments if z is None else [*arguments, expression_of(z, name)], write, text, False
    )


def matrix_factorization(x: Expression, y: Expression, target: Any) -> Term:
    """\\|Z - X Y'\\|^2, Z an array or an expression.

    Examples
    --------
    >>> import crease as cr
    >>> x, y = cr.Variable((2, 1), "x", start=1), cr.Variable((3, 1), "y", start=1)
    >>> r = cr.minimize(cr.matrix_factorization(x, y, [[1, 2, 3], [2, 4, 6]])).solve(eps=1e-9)
    >>> (r[x] @ r[y].T).round(6)
    array([[1., 2., 3.],
           [2., 4., 6.]])
    """
    a, b = expression_of(x, "matrix_factorization"), expression_of(y, "matrix_factorization")
    text = f"matrix_factorization({a.text}, {b.text})"
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[1]:
        raise errors.ShapeError(
            f"{text}: {shape_text(a.shape)} and {shape_text(b.shape)}; give matrices with equally "
            "many columns"
        )
    return _of_target(
        "matrix_factorization",
        [a, b],
        target,
        (a.shape[0], b.shape[0]),
        lambda names: {"x": names[0], "y": names[1]},
        text,
    )


def _factors(factors: Sequence[Expression], name: str) -> Tuple[List[Expression], str]:
    given = [expression_of(f, name) for f in factors]
    text = f"{name}({', '.join(f.text for f in given)})"
    for f in given:
        if f.ndim != 2:
            raise errors.ShapeError(
                f"{text}: the factor {f.text} is {shape_text(f.shape)}; give matrices"
            )
    return given, text


def cp(factors: Sequence[Expression], target: Any, *, ridge: float = 0.0) -> Term:
    """\\|Z - [[X_1, ..., X_d]]\\|^2 + (ridge/2) sum_n \\|X_n\\|^2, Z an array or an expression.

    Examples
    --------
    >>> import crease as cr, numpy as np
    >>> X = [cr.Variable((2, 1), f"X{n}", start=1) for n in range(3)]
    >>> cr.minimize(cr.cp(X, np.ones((2, 2, 2)))).solve().objective < 1e-9
    True
    """
    given, text = _factors(factors, "cp")
    if not given or any(f.shape[1] != given[0].shape[1] for f in given):
        raise errors.ShapeError(f"{text}: give factors with equally many columns")
    nu = float(array_of(ridge, f"{text}: ridge"))
    shape = tuple(f.shape[0] for f in given)
    return _of_target(
        "cp",
        given,
        target,
        shape,
        lambda names: {"factors": list(names[: len(given)]), **({"ridge": nu} if nu else {})},
        text,
    )


def tucker(factors: Sequence[Expression], core: Expression, target: Any) -> Term:
    """\\|Z - C x_1 X_1 ... x_d X_d\\|^2, Z an array or an expression.

    Examples
    --------
    >>> import crease as cr, numpy as np
    >>> X = [cr.Variable((2, 1), f"X{n}", start=1) for n in range(3)]
    >>> C = cr.Variable((1, 1, 1), "C", start=1)
    >>> cr.minimize(cr.tucker(X, C, np.ones((2, 2, 2)))).solve().objective < 1e-9
    True
    """
    given, text = _factors(factors, "tucker")
    middle = expression_of(core, "tucker")
    if not given or middle.shape != tuple(f.shape[1] for f in given):
        raise errors.ShapeError(
            f"{text}: the core is {shape_text(middle.shape)}; give as many rows along each axis as "
            "the factor of that axis has columns"
        )
    return _of_target(
        "tucker",
        [*given, middle],
        target,
        tuple(f.shape[0] for f in given),
        lambda names: {"factors": list(names[: len(given)]), "core": names[len(given)]},
        text,
    )


class SmoothTerm(Term):
    """A loss in Python of some expressions."""

    def __init__(self, smooth: Smooth, expressions: Sequence[Expression]) -> None:
        super().__init__(f"{smooth.name}({', '.join(e.text for e in expressions)})")
        self.smooth, self._expressions = smooth, tuple(expressions)

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        return self._expressions

    def with_expressions(self, expressions: Sequence[Expression]) -> SmoothTerm:
        """The same loss of other expressions."""
        return SmoothTerm(self.smooth, expressions)

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """The variables, each once."""
        return tuple(dict.fromkeys(v for e in self._expressions for v in e.maps))

    @property
    def plain(self) -> bool:
        """Are its expressions variables, each another?"""
        return all(isinstance(e, Variable) for e in self._expressions) and len(
            self.variables
        ) == len(self._expressions)

    def functions(self, factor: float) -> SmoothFunctions:
        """The loss as a function of its variables."""
        variables, smooth, expressions = self.variables, self.smooth, self._expressions
        memory = _Memory(smooth, [e.shape for e in expressions], self.text)

        def arguments(blocks: Sequence[Array]) -> List[Array]:
            point = {v: np.asarray(b).reshape(v.shape) for v, b in zip(variables, blocks)}
            return [point[e] if isinstance(e, Variable) else e.at(point) for e in expressions]

        def value(blocks: Sequence[Array]) -> float:
            return factor * memory.value(arguments(blocks))

        def grad(blocks: Sequence[Array], i: int) -> Array:
            slopes = memory.grad(arguments(blocks))
            v = variables[i]
            total = np.zeros(v.shape)
            for e, g in zip(expressions, slopes):
                if v in e.maps:
                    m = e.maps[v]
                    total += g if isinstance(m, Identity) and m.scale == 1 else m.adjoint(g)
            return (factor * total).reshape(shapes[i])

        shapes = [v.shape or (1,) for v in variables]
        return SmoothFunctions(value, grad, shapes)

    def constants(self, factor: float) -> Dict[str, float]:
        """What is declared of it, as the file has it."""
        found: Dict[str, float] = {}
        if self.plain and factor != 0:
            if self.smooth.L is not None:
                found["L"] = abs(factor) * self.smooth.L
            if self.smooth.lower is not None and factor > 0:
                found["lower"] = factor * self.smooth.lower
        return found

    def test(self) -> None:
        """Refuses functions that fail at the start, or whose gradient is not that of the value."""
        variables = self.variables
        start = [np.zeros(v.shape) if v.start is None else v.start for v in variables]
        f = self.functions(1.0)
        if not np.isfinite(f.value(start)):
            raise errors.DataError(
                f"{self.text} is {f.value(start)} at the start; give the variables another start="
            )
        random = np.random.default_rng(0)
        wrong = []
        for i, v in enumerate(variables):
            slope = f.grad(start, i)
            for _ in range(3):
                along = random.standard_normal(v.shape)
                along /= np.linalg.norm(along)
                step = 1e-5 * max(1.0, float(np.linalg.norm(start[i])))
                ends = [
                    [b + s * step * along if j == i else b for j, b in enumerate(start)]
                    for s in (1, -1)
                ]
                by_values = (f.value(ends[0]) - f.value(ends[1])) / (2 * step)
                by_grad = float(np.vdot(slope, along))
                noise = 1e-10 * (1 + abs(f.value(start))) / step
                wrong.append(
                    abs(by_values - by_grad) > 0.1 * max(abs(by_values), abs(by_grad)) + noise
                )
            if all(wrong):
                raise errors.ArgumentError(
                    f"{self.text}: grad does not agree with differences of value along {v} "
                    "(for the last direction "
                    f"{by_grad:.6g} against {by_values:.6g}); mend one of the two functions"
                )
            wrong.clear()


class _Memory:
    """The last point with its value and gradient, so that nothing is computed twice."""

    def __init__(self, smooth: Smooth, shapes: Sequence[Shape], text: str) -> None:
        self._smooth, self._shapes, self._text = smooth, tuple(shapes), text
        self._point: Optional[List[Array]] = None
        self._value: Optional[float] = None
        self._grad: Optional[List[Array]] = None

    def _at(self, arguments: Sequence[Array]) -> None:
        if self._point is None or not all(
            np.array_equal(a, b) for a, b in zip(self._point, arguments)
        ):
            self._point = [a.copy() for a in arguments]
            self._value, self._grad = None, None

    def _both(self, arguments: Sequence[Array]) -> None:
        assert self._smooth.value_grad is not None
        value, grad = self._smooth.value_grad(*arguments)
        self._value, self._grad = float(value), self._shaped(grad)

    def _shaped(self, grad: Any) -> List[Array]:
        given = list(grad) if isinstance(grad, (tuple, list)) and len(self._shapes) > 1 else [grad]
        if len(given) != len(self._shapes):
            raise errors.ShapeError(
                f"grad of {self._text} returns {len(given)} array{'s' * (len(given) != 1)} for "
                f"{len(self._shapes)} arguments; return a tuple with one for each"
            )
        found = []
        for g, shape in zip(given, self._shapes):
            a = np.asarray(g, dtype=np.float64)
            if a.size != size_of(shape):
                raise errors.ShapeError(
                    f"grad of {self._text} returns {shape_text(a.shape)} where {shape_text(shape)} "
                    "is wanted; return an array in the shape of the argument"
                )
            found.append(a.reshape(shape))
        return found

    def value(self, arguments: Sequence[Array]) -> float:
        self._at(arguments)
        if self._value is None:
            if self._smooth.value_grad is not None:
                self._both(arguments)
            elif self._smooth.value is not None:
                self._value = float(self._smooth.value(*arguments))
        assert self._value is not None
        return self._value

    def grad(self, arguments: Sequence[Array]) -> List[Array]:
        self._at(arguments)
        if self._grad is None:
            if self._smooth.value_grad is not None:
                self._both(arguments)
            elif self._smooth.grad is not None:
                self._grad = self._shaped(self._smooth.grad(*arguments))
        assert self._grad is not None
        return self._grad


class Smooth:
    """A smooth function of your own, written in Python.

    Parameters
    ----------
    value : callable
        ``value(x, ...)``: a number, for one array for each argument.
    grad : callable
        ``grad(x, ...)``: the gradient, an array in the shape of x; of several arguments a tuple
        with one for each.
    L : float, optional
        A Lipschitz constant of the gradient. It is trusted. Without it steps are found while
        running, and no theorem is claimed.
    value_grad : callable, optional
        ``value_grad(x, ...)``: both at once as (value, gradient), in the place of value and grad.
    lower : float, optional
        A lower bound of the values. It is trusted.
    name : str, optional
        What messages call it.

    Examples
    --------
    >>> import crease as cr, numpy as np
    >>> f = cr.Smooth(lambda x: np.sum(np.cosh(x - 1)), lambda x: np.sinh(x - 1))
    >>> x = cr.Variable(2, "x")
    >>> f(x) + cr.l1(0.1)(x)
    <smooth(x) + l1:0.1(x)>
    """

    def __init__(
        self,
        value: Optional[Callable[..., Any]] = None,
        grad: Optional[Callable[..., Any]] = None,
        L: Optional[float] = None,
        *,
        value_grad: Optional[Callable[..., Any]] = None,
        lower: Optional[float] = None,
        name: Optional[str] = None,
    ) -> None:
        if (value_grad is None) == (value is None or grad is None) or (
            value_grad is not None and (value is not None or grad is not None)
        ):
            raise errors.ArgumentError("Smooth: give value and grad, or value_grad alone")
        if L is not None and not (np.isfinite(L) and L > 0):
            raise errors.ArgumentError(
                f"Smooth: L={L!r}; give a positive number, or leave it out where none is known"
            )
        if lower is not None and not np.isfinite(lower):
            raise errors.ArgumentError(
                f"Smooth: lower={lower!r}; give a finite number, or leave it out"
            )
        self.value, self.grad, self.value_grad = value, grad, value_grad
        self.L = None if L is None else float(L)
        self.lower = None if lower is None else float(lower)
        self.name = name or "smooth"

    def __call__(self, *arguments: Expression) -> SmoothTerm:
        """The term f(x, ...) of a problem."""
        if not arguments:
            raise errors.ArgumentError(f"{self.name}(): give at least one variable")
        return SmoothTerm(self, [expression_of(a, self.name) for a in arguments])
