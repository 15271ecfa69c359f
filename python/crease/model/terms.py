# SPDX-License-Identifier: MIT
"""Terms of an objective: penalties, sets, losses of affine expressions, and their weighted sums."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _errors as errors
from .constants import (
    Constant,
    Data,
    Shape,
    array_of,
    compute,
    constant_of,
    shape_text,
    size_of,
    value_of,
)
from .expression import Bounds, Equality, Expression, Variable
from .maps import Dense, Json, Map, Writer

Number = Union[float, Data]  # a factor: a number, or a parameter that is one


def factor_of(value: Any, text: str) -> Number:
    """A factor of a term."""
    if isinstance(value, Data):
        if value.shape:
            raise errors.ShapeError(
                f"{value!r} * {text}: a term is multiplied by one number, not by "
                f"{shape_text(value.shape)}; use weights= for one a row"
            )
        return value
    if np.ndim(value) != 0:
        raise errors.ShapeError(
            f"{text} is multiplied by one number, not by {shape_text(np.shape(value))}; use "
            "weights= for one a row"
        )
    return float(array_of(value, f"the factor of {text}"))


class Objective:
    """A sum of terms, each times a factor."""

    __array_ufunc__ = None

    def __init__(self, parts: Sequence[Tuple[Number, Term]]) -> None:
        self.parts = tuple(parts)

    @property
    def text(self) -> str:
        """How it reads."""
        return " + ".join(
            t.text if isinstance(c, float) and c == 1 else f"{_factor_text(c)} * {t.text}"
            for c, t in self.parts
        )

    def __repr__(self) -> str:
        return f"<{self.text}>"

    def __bool__(self) -> bool:
        raise TypeError(f"the objective {self.text} has no truth value")

    def __add__(self, other: Any) -> Any:
        if isinstance(other, (int, float)) and other == 0:
            return self
        if isinstance(other, (Objective, Expression)):
            return Objective(self.parts + objective_of(other).parts)
        if isinstance(other, (Equality, Bounds)):
            raise TypeError(
                f"{other.text} is a constraint; give it to minimize() behind the objective"
            )
        if np.isscalar(other) or isinstance(other, (np.ndarray, Data)):
            raise errors.ArgumentError(
                f"{self.text} + {other!r}: a constant changes no minimizer; leave it out"
            )
        return NotImplemented

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return (
            self + -1.0 * objective_of(other)
            if isinstance(other, (Objective, Expression))
            else self + other
        )

    def __rsub__(self, other: Any) -> Any:
        return (-self) + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, (Objective, Expression)):
            raise TypeError(f"({self.text}) * ({other.text}): terms are added, not multiplied")
        c = factor_of(other, self.text)
        return Objective(
            [
                (c * d if isinstance(c, Data) or isinstance(d, Data) else float(c) * d, t)
                for d, t in self.parts
            ]
        )

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        c = factor_of(other, self.text)
        if not isinstance(c, Data) and c == 0:
            raise ZeroDivisionError(f"({self.text}) / 0")
        return self * (1 / c)

    def __neg__(self) -> Any:
        return self * -1.0


def _factor_text(c: Number) -> str:
    return f"{c:g}" if isinstance(c, float) else getattr(c, "name", "[parameter]")


class Term(Objective):
    """One term. Its kinds below say what a problem file makes of them."""

    def __init__(self, text: str) -> None:
        self._text = text
        super().__init__([(1.0, self)])

    @property
    def text(self) -> str:
        return self._text

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        """The expressions it is a function of."""
        raise NotImplementedError


class Penalty(Term):
    """A regularizer of the catalogue: its name, its parameters, and an expression."""

    def __init__(self, entry: Any, expression: Expression) -> None:
        super().__init__(f"{entry.spec}({expression.text})")
        self.entry, self.expression = entry, expression

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        return (self.expression,)


class SetEntry:
    """A set in the words of a problem file."""

    def __init__(self, name: str, parameters: Mapping[str, Any], text: str) -> None:
        self.name, self.parameters, self.text = name, dict(parameters), text

    def json(self, to: Writer) -> Json:
        """How a problem file writes it."""
        return {
            self.name: {
                key: (
                    to.array(value, f"{self.name}_{key}")
                    if isinstance(value, Data) or np.ndim(value)
                    else _extended(value)
                )
                for key, value in self.parameters.items()
            }
        }


def _extended(value: Any) -> Json:
    """A number that may be infinite; whole numbers stay whole."""
    number = float(value)
    if np.isinf(number):
        return "inf" if number > 0 else "-inf"
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


class Membership(Term):
    """An expression is to be in a set: a term that is zero there and infinite elsewhere."""

    def __init__(self, entry: SetEntry, expression: Expression, text: str) -> None:
        super().__init__(text)
        self.entry, self.expression = entry, expression

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        return (self.expression,)


class Loss(Term):
    """A loss of the catalogue: phi of every entry of an expression, or of its rows."""

    even = frozenset({"least_squares", "cauchy", "welsch", "geman", "tukey", "huber", "lp_loss"})

    def __init__(
        self,
        name: str,
        expression: Expression,
        parameters: Mapping[str, float],
        data: Mapping[str, Constant],
        weights: Optional[Constant],
        text: str,
    ) -> None:
        super().__init__(text)
        self.name, self.expression = name, expression
        self.parameters, self.data, self.weights = dict(parameters), dict(data), weights

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        return (self.expression,)

    def with_expression(self, expression: Expression) -> Loss:
        """The same loss of another expression."""
        return Loss(self.name, expression, self.parameters, self.data, self.weights, self.text)


class Linear(Term):
    """A single number that is affine in the variables, as c @ x."""

    def __init__(self, expression: Expression) -> None:
        super().__init__(expression.text)
        self.expression = expression

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        return (self.expression,)


class Coupling(Term):
    """A smooth term of whole blocks: arguments that must be variables, and how the file writes it.

    `write(names, factor, to)` gets the names of the blocks in the order of `arguments`.
    """

    def __init__(
        self,
        name: str,
        arguments: Sequence[Expression],
        write: Callable[[Sequence[str], float, Writer], Json],
        text: str,
        scalable: bool = True,
    ) -> None:
        super().__init__(text)
        self.name, self.arguments, self.write, self.scalable = (
            name,
            tuple(arguments),
            write,
            scalable,
        )

    @property
    def expressions(self) -> Tuple[Expression, ...]:
        return self.arguments


def expression_of(value: Any, what: str) -> Expression:
    """An expression with a variable in it, or a sentence that says what was given instead."""
    if not isinstance(value, Expression):
        raise errors.ArgumentError(
            f"{what} takes an expression of variables, not a {type(value).__name__}; "
            + (
                "use its .to_numpy() where variables come behind it"
                if hasattr(value, "to_numpy")
                else "begin with x = crease.Variable(...)"
            )
        )
    if not value.maps:
        raise errors.ArgumentError(
            f"{what}({value.text}): there is no variable in it; leave the term out"
        )
    return value


def objective_of(value: Any) -> Objective:
    """An objective from a term, a sum of terms, or an affine expression that is one number."""
    if isinstance(value, Objective):
        return value
    if isinstance(value, Expression):
        if value.size != 1:
            raise errors.ShapeError(
                f"{value.text} in the objective is {shape_text(value.shape)}; an objective is one "
                "number (.sum() adds entries up)"
            )
        if value.constant is not None and (value_of(value.constant) != 0).any():
            raise errors.ArgumentError(
                f"{value.text} in the objective has a constant, which changes no minimizer; "
                "leave it out"
            )
        return Linear(value)
    if isinstance(value, (int, float)) and value == 0:
        return Objective([])
    raise errors.ArgumentError(
        f"a {type(value).__name__} is no objective; give a sum of terms, as "
        "least_squares(A @ x - b) + l1(0.1)(x)"
    )


def regularizer_term(reg: Any, expression: Any) -> Penalty:
    """The term of a regularizer: ``crease.l1(1)(x)``."""
    return Penalty(reg, expression_of(expression, reg.spec))


def set_term(set: Any, expression: Any) -> Membership:
    """The term of a set: ``crease.l1_ball(2).contains(x)``."""
    e = expression_of(expression, f"{set.spec}.contains")
    entry = SetEntry(set.name, set.parameters, set.spec)
    for key in ("lower", "upper"):
        bound = entry.parameters.get(key)
        if bound is not None:
            if np.size(bound) != e.size:
                raise errors.ShapeError(
                    f"{set.spec}.contains({e.text}): {key} has {np.size(bound)} entries and the "
                    f"expression {e.size}; give one for each"
                )
            entry.parameters[key] = np.asarray(bound).reshape(e.shape)
    return Membership(entry, e, f"{set.spec}.contains({e.text})")


def bounds_term(bounds: Bounds) -> Membership:
    """The term of x >= lower or x <= upper."""
    sides: Dict[str, Any] = {}
    for name, bound in (("lower", bounds.lower), ("upper", bounds.upper)):
        if bound is not None:
            sides[name] = (
                compute(lambda b: np.broadcast_to(b, bounds.expression.shape), bound)
                if (isinstance(bound, Data))
                else np.broadcast_to(np.asarray(bound, np.float64), bounds.expression.shape)
            )
    return Membership(SetEntry("box", sides, bounds.text), bounds.expression, bounds.text)


def _rows(numbers: Constant, wanted: Shape, what: str) -> Constant:
    """One number for every row, or one for all."""
    if numbers.shape != wanted and size_of(numbers.shape) == 1 == size_of(wanted):
        return compute(lambda a: a.reshape(wanted), numbers)
    if numbers.shape != wanted:
        raise errors.ShapeError(
            f"{what} is {shape_text(numbers.shape)}; give {shape_text(wanted)}, one a row"
        )
    return numbers


def loss_term(
    name: str,
    expression: Any,
    parameters: Mapping[str, Any],
    *,
    weights: Any = None,
    labels: Any = None,
    counts: Any = None,
    coefficients: Any = None,
) -> Loss:
    """The term of a loss of the catalogue, for the functions that are called by its name."""
    e = expression_of(expression, name)
    text = f"{name}({e.text})"
    rows = e.shape
    data: Dict[str, Constant] = {}
    if name == "softmax":
        if e.ndim != 2:
            raise errors.ShapeError(
                f"{text}: the expression is {shape_text(e.shape)}; give a matrix, a row for every "
                "label and a column for every class"
            )
        rows = e.shape[:1]
        data["classes"] = np.asarray(float(e.shape[1]))
    for key, given in (("labels", labels), ("counts", counts)):
        if given is None:
            continue
        if e.constant is not None:
            raise errors.UnsupportedError(
                f"{text}: a loss of {key} takes a linear expression, and this one has a constant; "
                "put a variable t in its place, with the constraint t == constant"
            )
        data[key] = _rows(constant_of(given, f"{text}: {key}"), rows, f"{text}: {key}")
    if coefficients is not None:
        data["coefficients"] = constant_of(coefficients, f"{text}: coefficients")
    weight = None
    if weights is not None:
        weight = constant_of(weights, f"{text}: weights")
        if weight.shape:
            weight = _rows(weight, rows, f"{text}: weights")
        if (value_of(weight) < 0).any():
            raise errors.ArgumentError(f"{text}: a weight is negative; give weights >= 0")
    numbers = {key: float(array_of(value, f"{text}: {key}")) for key, value in parameters.items()}
    return Loss(name, e, numbers, data, weight, text)


def slope_of(e: Expression) -> Dict[Variable, Constant]:
    """The gradient of an affine expression that is one number, by variables."""
    found: Dict[Variable, Constant] = {}
    for v, m in e.maps.items():
        if isinstance(m, Dense):
            found[v] = compute(lambda a, s=v.shape: a.reshape(s), m.matrix)
        else:
            one = np.ones(m.range)
            found[v] = (
                Data(lambda *_, m=m, one=one: m.adjoint(one), tuple(m.parameters))
                if (m.parameters)
                else m.adjoint(one)
            )
    return found


def variables_of(terms: Sequence[Union[Term, Equality]]) -> Dict[Variable, None]:
    """The variables of terms and constraints, each once, in the order in which they come.

    They are the keys of a dict: `in` a list would compare variables, and that makes constraints.
    """
    found: Dict[Variable, None] = {}
    for term in terms:
        for e in (term.expression,) if isinstance(term, Equality) else term.expressions:
            found.update(dict.fromkeys(e.maps))
    return found


def maps_of(terms: Sequence[Union[Term, Equality]]) -> List[Map]:
    """All maps in terms and constraints."""
    return [
        m
        for term in terms
        for e in ((term.expression,) if isinstance(term, Equality) else term.expressions)
        for m in e.maps.values()
    ]
