# SPDX-License-Identifier: MIT
"""Affine expressions do what NumPy does, their adjoints are adjoint, and files say the same."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Tuple

import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.sparse as sp  # type: ignore[import]
from hypothesis import HealthCheck, assume, given, settings
from scipy.sparse.linalg import (  # type: ignore[import]
    LinearOperator,
    aslinearoperator,
)

import crease as cr
from crease.model.expression import Expression
from crease.model.maps import Map

Floats = Any
Value = Callable[[Mapping[Any, Floats]], Floats]
Pair = Tuple[Expression, Value]  # an expression, and what NumPy makes of the same point

Kind = Callable[[Any, Any, int, Pair], Pair]

LIMITS = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))


def numbers(draw: Any, shape: Tuple[int, ...]) -> Floats:
    """Small whole numbers, some of them zero, so that sums are exact."""
    seed = draw(st.integers(0, 2**32 - 1))
    return np.random.default_rng(seed).integers(-2, 3, shape).astype(float)


def with_map(pair: Pair, make: Callable[[Any], Any]) -> Pair:
    """The pair after a map of the catalogue, whose arrays come from its own product."""
    e, value = pair
    m: Map = make(e.shape)
    return make(e), lambda p: m @ value(p)


@st.composite
def trees(draw: Any, variables: Tuple[Any, ...], depth: int) -> Pair:
    """An expression of the variables together with its definition in NumPy."""
    if depth == 0:
        x = draw(st.sampled_from(variables))
        return x, lambda p: p[x]
    e, f = draw(trees(variables, depth - 1))
    kind: Kind = draw(st.sampled_from(KINDS))
    return kind(draw, variables, depth, (e, f))


def plus(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    (e, f), (d, g) = pair, draw(trees(variables, depth - 1))
    sign = draw(st.sampled_from([1, -1]))
    try:
        np.broadcast_shapes(e.shape, d.shape)
    except ValueError:
        d, h = d.sum(), g
        g = lambda p: h(p).sum()
    return (e + d, lambda p: f(p) + g(p)) if sign > 0 else (e - d, lambda p: f(p) - g(p))


def shift(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    e, f = pair
    b = numbers(draw, draw(st.sampled_from([e.shape, ()])))
    way = draw(st.integers(0, 3))
    if way == 0:
        return e + b, lambda p: f(p) + b
    if way == 1:
        return b - e, lambda p: b - f(p)
    if way == 2:
        q = cr.Parameter(b)
        return e - 2 * q, lambda p: f(p) - 2 * b
    return -e, lambda p: -f(p)


def scale(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    e, f = pair
    way = draw(st.integers(0, 3))
    c, d = draw(st.sampled_from([2.0, -0.5, 3])), numbers(draw, e.shape)
    if way == 0:
        return c * e, lambda p: c * f(p)
    if way == 1:
        return e / c, lambda p: f(p) / c
    if way == 2:
        return d * e, lambda p: d * f(p)
    return cr.Parameter(d) * e, lambda p: d * f(p)


def product(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    e, f = pair
    assume(e.ndim in (1, 2))
    rows = draw(st.integers(1, 4))
    if draw(st.booleans()):
        A = numbers(draw, draw(st.sampled_from([(rows, e.shape[0]), (e.shape[0],)])))
        kinds: List[Any] = [A, cr.Parameter(A)] + ([sp.csr_matrix(A)] if A.ndim == 2 else [])
        return draw(st.sampled_from(kinds)) @ e, lambda p: A @ f(p)
    B = numbers(draw, draw(st.sampled_from([(e.shape[-1], rows), (e.shape[-1],)])))
    kinds = [B] + ([sp.csc_matrix(B)] if B.ndim == 2 else [])
    return e @ draw(st.sampled_from(kinds)), lambda p: f(p) @ B


def index(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    e, f = pair
    assume(e.ndim > 0)
    n = e.shape[0]
    choices: List[Any] = [0, -1, slice(None, None, -1), slice(0, n, 2), [0, n - 1, 0], None, ...]
    if e.ndim > 1:
        choices += [(slice(None), 0), (0, -1), (slice(None), slice(0, 1))]
    choices.append(np.arange(n) % 2 == 0)
    at = draw(st.sampled_from(choices))
    return e[at], lambda p: f(p)[np.asarray(at) if isinstance(at, list) else at]


def shape(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    e, f = pair
    way = draw(st.integers(0, 4))
    if way == 0:
        return e.T, lambda p: f(p).T
    if way == 1:
        return e.reshape(-1), lambda p: f(p).reshape(-1)
    if way == 2:
        return e.sum(), lambda p: f(p).sum()
    if way == 3 and e.ndim:
        return e.sum(e.ndim - 1), lambda p: f(p).sum(-1)
    d, g = draw(trees(variables, depth - 1))
    c = np.ones(2)
    return (
        cr.concatenate([e.ravel(), c, d.ravel()]),
        lambda p: np.concatenate([f(p).ravel(), c, g(p).ravel()]),
    )


def transform(draw: Any, variables: Any, depth: int, pair: Pair) -> Pair:
    e = pair[0]
    assume(e.ndim > 0 and e.size > 1)
    way = draw(st.integers(0, 4))
    axis = draw(st.integers(0, e.ndim - 1))
    if way == 0 and e.shape[axis] > 1:
        return with_map(pair, lambda x: cr.finite_difference(x, axis))
    if way == 1:
        return with_map(pair, cr.gradient)
    if way == 2 and all(n == 1 or n % 2 == 0 for n in e.shape):
        return with_map(pair, lambda x: cr.wavelet(x, 1))
    if way == 3:
        kernel = numbers(draw, tuple(min(n, 2) for n in e.shape))
        return with_map(pair, lambda x: cr.circular_convolution(x, kernel))
    return with_map(pair, cr.dct)


KINDS = [plus, shift, scale, product, index, shape, transform]


def blocks(draw: Any) -> Tuple[Any, Any]:
    shapes = [(4,), (2, 3), (4, 2), (), (1,), (2, 2, 2)]
    return (
        cr.Variable(draw(st.sampled_from(shapes)), "x"),
        cr.Variable(draw(st.sampled_from(shapes[:3])), "y"),
    )


@given(st.data())
@LIMITS
def test_values_are_those_of_numpy(data: Any) -> None:
    variables = blocks(data.draw)
    e, value = data.draw(trees(variables, data.draw(st.integers(1, 4))))
    random = np.random.default_rng(1)
    point = {v: random.normal(size=v.shape) for v in variables}
    expected = np.asarray(value(point))
    found = e.at(point)
    assert e.shape == expected.shape == found.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-9)


@given(st.data())
@LIMITS
def test_adjoints_are_adjoint(data: Any) -> None:
    e, _ = data.draw(trees(blocks(data.draw), data.draw(st.integers(1, 4))))
    random = np.random.default_rng(1)
    for v, m in e.maps.items():
        x, y = random.normal(size=v.shape), random.normal(size=e.shape)
        one, other = np.vdot(m.apply(x), y), np.vdot(x, m.adjoint(y))
        assert abs(one - other) <= 1e-9 * (1 + abs(one))
        np.testing.assert_allclose(m.T.apply(y), m.adjoint(y), rtol=1e-10, atol=1e-9)
        assert m.T.domain == e.shape and m.T.range == v.shape


def jacobian(e: Expression, variables: Tuple[Any, ...]) -> Floats:
    """The matrix of the linear part, by its values at unit vectors."""
    at = {v: np.zeros(v.shape) for v in variables}
    zero, columns = e.at(at), []
    for v in variables:
        for k in range(v.size):
            unit = np.zeros(v.size)
            unit[k] = 1
            columns.append((e.at({**at, v: unit.reshape(v.shape)}) - zero).ravel())
    return np.array(columns).T, zero.ravel()


def minimized(*parts: Any) -> Any:
    """The problem; a map for which this build lacks FFTW is left out."""
    try:
        return cr.minimize(*parts)
    except cr.DataError as e:
        assume("need FFTW" not in str(e))
        raise


@given(st.data())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_the_program_reads_the_same_map(data: Any) -> None:
    """Least squares with a ridge: the minimizer is that of the dense normal equations."""
    variables = blocks(data.draw)
    e, _ = data.draw(trees(variables, data.draw(st.integers(1, 4))))
    assume(e.maps)
    M, c = jacobian(e, e.variables)
    assume(np.linalg.norm(M, 2) < 1e3)
    problem = minimized(
        cr.least_squares(e) + sum(cr.squared_distance(v, weight=0.5) for v in e.variables)
    )
    r = problem.solve(eps=1e-9)
    x = np.linalg.solve(M.T @ M + 0.5 * np.eye(M.shape[1]), -M.T @ c)
    found = np.concatenate([r[v].ravel() for v in e.variables])
    np.testing.assert_allclose(found, x, atol=1e-6)
    assert r.certificate.valid


@given(st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_constraints_hold_at_the_nearest_point(data: Any) -> None:
    """The projection onto {e = 0} where it is feasible, by the pseudoinverse."""
    variables = blocks(data.draw)
    e, _ = data.draw(trees(variables, data.draw(st.integers(1, 3))))
    assume(e.maps)
    M, c = jacobian(e, e.variables)
    assume(np.linalg.norm(M, 2) < 1e2)
    target = M @ np.ones(M.shape[1])  # e takes this value where all entries are 1
    goal = (c + target).reshape(e.shape)
    problem = minimized(sum(cr.least_squares(v) for v in e.variables), e == goal)
    r = problem.solve(eps=1e-8)
    nearest = np.linalg.pinv(M) @ target
    np.testing.assert_allclose(
        np.concatenate([r[v].ravel() for v in e.variables]), nearest, atol=1e-4
    )
    np.testing.assert_allclose(r[e], goal, atol=1e-6)


LEFT: Dict[str, Callable[[Floats], Any]] = {
    "ndarray": lambda A: A,
    "fortran": np.asfortranarray,
    "float32": lambda A: A.astype(np.float32),
    "int": lambda A: A.astype(int),
    "strided": lambda A: np.repeat(A, 2, axis=1)[:, ::2],
    "matrix": np.matrix,
    "csr_matrix": sp.csr_matrix,
    "csc_matrix": sp.csc_matrix,
    "coo_matrix": sp.coo_matrix,
    "csr_array": sp.csr_array,
    "csc_array": sp.csc_array,
    "coo_array": sp.coo_array,
    "Parameter": cr.Parameter,
    "LinearOperator": lambda A: cr.operator(aslinearoperator(A)),
    "callables": lambda A: cr.operator(
        matvec=lambda x: A @ x, rmatvec=lambda y: A.T @ y, shape=A.shape
    ),
    "low rank": lambda A: cr.low_rank(A, np.eye(A.shape[1])),
    "kronecker": lambda A: cr.kronecker(A, [[1.0]]),
}


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")  # of numpy.matrix
@pytest.mark.parametrize("kind", LEFT)
def test_left_operands(kind: str) -> None:
    A = np.array([[1.0, 2.0, 0.0], [0.0, -1.0, 3.0]])
    left = LEFT[kind](A)
    x = cr.Variable((3, 1) if kind == "kronecker" else 3, "x")
    e = left @ x
    v = np.array([1.0, -2.0, 0.5]).reshape(x.shape)
    assert isinstance(e, Expression)
    np.testing.assert_array_equal(e.at({x: v}), A @ v)
    r = cr.minimize(cr.least_squares(e - A @ v) + cr.squared_distance(x, d=v)).solve(eps=1e-9)
    np.testing.assert_allclose(r[x], v, atol=1e-7)
    assert r.certificate.valid or kind in ("LinearOperator", "callables")


@pytest.mark.filterwarnings("ignore::PendingDeprecationWarning")
def test_operators_between_arrays_and_expressions() -> None:
    x = cr.Variable(3, "x")
    v, b = np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0])
    for e, expected in (
        (b + x, b + v),
        (b - x, b - v),
        (b * x, b * v),
        (x * b, b * v),
        (np.float64(2) * x, 2 * v),
        (np.float32(2) * x, 2 * v),
        (x * np.int64(3), 3 * v),
        (sum([x, x, x]), 3 * v),
        (x / b, v / b),
        ([1, 2, 3] + x, v + [1, 2, 3]),
        (np.ones((2, 3)) @ x, np.ones((2, 3)) @ v),
        (x @ np.ones((3, 2)), v @ np.ones((3, 2))),
        (x @ b, v @ b),
        (b @ x, v @ b),
        (np.matrix([[1, 2, 3]]) * x, np.array([14.0])),
        (sp.csr_matrix([[1, 2, 3]]) * x, np.array([14.0])),
    ):
        np.testing.assert_allclose(e.at({x: v}), expected)
    for relation in (b == x, x == b, x == 1, 1 == x, b <= x, x >= b, x <= 3, 3 >= x, x == x[::-1]):
        with pytest.raises(TypeError, match="has no truth value"):
            bool(relation)
    assert x in {x: 1} and x is not cr.Variable(3)


def test_inputs_are_neither_written_nor_copied() -> None:
    A, b = np.ones((4, 3)), np.arange(4.0)
    A.flags.writeable = b.flags.writeable = False
    x = cr.Variable(3, "x")
    problem = cr.minimize(cr.least_squares(A @ x - b) + cr.l1(0.1)(x))
    assert any(a is A for a in problem._document().arrays.values())
    problem.solve()


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda x: np.ones((2, 4)) @ x, cr.ShapeError, "[2 x 4] @ x: 2 x 4 @ 3: 4 columns"),
        (lambda x: sp.eye(4).tocsr() @ x, cr.ShapeError, "4 columns against 3"),
        (lambda x: x + np.ones(4), cr.ShapeError, "x + [4]: 3 and 4 cannot be added"),
        (lambda x: x == np.ones(4), cr.ShapeError, "cannot be added"),
        (lambda x: x <= np.ones(4), cr.ShapeError, "x <= [4]: the bound is 4; give 3"),
        (lambda x: x * x, TypeError, "product of variables"),
        (lambda x: x @ x, TypeError, "product of variables"),
        (lambda x: 1 / x, TypeError, ""),
        (lambda x: x / x, TypeError, "divides by a variable"),
        (lambda x: x / 0, ZeroDivisionError, "a divisor is 0"),
        (lambda x: x**2, TypeError, "least_squares"),
        (lambda x: x[5], IndexError, "out of bounds"),
        (lambda x: x[3:], cr.ShapeError, "has no entries"),
        (lambda x: iter(x), TypeError, "not iterable"),
        (lambda x: len(x), TypeError, "len"),
        (lambda x: bool(x), TypeError, "has no truth value"),
        (lambda x: bool(x == 1), TypeError, "x == 1 is a constraint"),
        (lambda x: x + [1, np.nan, 2], cr.DataError, "nan at index (1,)"),
        (lambda x: x + np.array([1, 2, 3j]), cr.DataError, "complex"),
        (lambda x: np.array(["a", "b", "c"]) * x, cr.DataError, "texts"),
        (lambda x: cr.dct(x[0]), cr.ShapeError, "a single number has no axis"),
        (lambda x: cr.wavelet(x, 1), cr.ShapeError, "not divisible by 2^1"),
        (lambda x: cr.finite_difference(x, 1), cr.ArgumentError, "axis=1"),
        (lambda x: cr.convolution(x, np.ones((2, 2))), cr.ShapeError, "give as many axes"),
        (lambda x: cr.circular_convolution(x, np.ones(4)), cr.ShapeError, "longer than"),
        (lambda x: cr.kronecker(np.eye(2), np.eye(2)) @ x, cr.ShapeError, "the map takes 2 x 2"),
        (lambda x: cr.mask([0, 2, 1]), cr.ArgumentError, "other than 0 and 1"),
        (lambda x: cr.low_rank(np.eye(2), np.eye(3)), cr.ShapeError, "equally many columns"),
        (lambda x: cr.concatenate([x, np.ones((2, 2))]), cr.ShapeError, "concatenate(x, "),
        (lambda x: cr.operator(np.eye(3)), cr.ArgumentError, "A @ x"),
        (lambda x: cr.operator(matvec=np.sin), cr.ArgumentError, "all of matvec"),
        (lambda x: cr.operator(7), cr.ArgumentError, "a int has no shape"),
        (lambda x: x.at({}), cr.ArgumentError, "no value for x"),
        (lambda x: x.at({x: np.ones(2)}), cr.ShapeError, "the value of x is 2"),
        (lambda x: cr.Variable(0), cr.ArgumentError, "shape 0"),
        (lambda x: cr.Variable((2, -1)), cr.ArgumentError, "whole numbers"),
        (lambda x: cr.Variable(2.5), cr.ArgumentError, "whole numbers"),
        (lambda x: cr.Variable([1] * 9), cr.ArgumentError, "9 dimensions"),
        (lambda x: cr.Variable(2, "a b"), cr.ArgumentError, "no name"),
        (lambda x: cr.Variable(2, start=[1, 2, 3]), cr.ShapeError, "the start of"),
        (lambda x: np.asarray(cr.Parameter([1.0])), TypeError, "take its .value"),
    ],
)
def test_what_is_wrong_is_said(make: Callable[[Any], Any], error: Any, says: str) -> None:
    with pytest.raises(error) as e:
        make(cr.Variable(3, "x"))
    assert says in str(e.value)


def test_a_wrong_adjoint_is_refused() -> None:
    A = np.arange(6.0).reshape(2, 3)
    x = cr.Variable(3, "x")
    wrong = cr.operator(matvec=lambda v: A @ v, rmatvec=lambda y: A.T @ y[::-1], shape=(2, 3))
    with pytest.raises(cr.ArgumentError, match="rmatvec is not the adjoint of matvec"):
        cr.minimize(cr.least_squares(wrong @ x))
    short = cr.operator(matvec=lambda v: A @ v, rmatvec=lambda y: y, shape=(2, 3))
    with pytest.raises(cr.ShapeError, match="rmatvec of the operator returns 2; it must be 3"):
        cr.minimize(cr.least_squares(2 * (short @ x) - 1))


def test_operators_of_arrays_of_any_shape() -> None:
    turn = cr.operator(matvec=np.transpose, rmatvec=np.transpose, shape=((3, 2), (2, 3)), norm=1)
    X = cr.Variable((2, 3), "X")
    M = np.arange(6.0).reshape(3, 2)
    r = cr.minimize(cr.least_squares(turn @ X - M)).solve()
    np.testing.assert_allclose(r[X], M.T, atol=1e-6)
    np.testing.assert_allclose(r[turn.T @ M - X], 0, atol=1e-6)

    class Cumulative(LinearOperator):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(np.dtype(float), (4, 4))

        def _matvec(self, x: Floats) -> Floats:
            return np.cumsum(x)

        def _rmatvec(self, y: Floats) -> Floats:
            return np.cumsum(y[::-1])[::-1]

    x = cr.Variable(4, "x")
    r = cr.minimize(cr.least_squares(cr.operator(Cumulative()) @ x - [1, 3, 6, 10])).solve(eps=1e-8)
    np.testing.assert_allclose(r[x], [1, 2, 3, 4], atol=1e-6)
