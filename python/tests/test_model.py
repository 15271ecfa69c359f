# SPDX-License-Identifier: MIT
"""Problems made of terms: every entry of the catalogue, rewritings, updates, files, errors."""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import pickle
import pkgutil
import threading
from typing import Any, Callable, Dict, List

import numpy as np
import pytest
from scipy import special  # type: ignore[import]

import crease as cr
import crease.model
from crease.entries import catalogue
from crease.model.problem import Solution

Floats = Any
RANDOM = np.random.default_rng(0)
A, B = RANDOM.normal(size=(12, 5)), RANDOM.normal(size=12)
VALUES = {"radius": 1.3, "p": 1.5, "k": 2, "trace": 1.7, "height": 1.4, "low": -0.7, "high": 0.9}
VALUES.update(b=0.3, gamma=3.0, q=0.5, delta=0.5)


def made(function: str, size: int) -> Any:
    """An entry of the catalogue with parameters in their ranges."""
    call = getattr(cr, function)
    given: Dict[str, Any] = {}
    for name, p in inspect.signature(call).parameters.items():
        if name == "groups":
            given[name] = [2, size - 2]
        elif p.annotation == "npt.ArrayLike":
            given[name] = np.linspace(0.5, 1.5, size)
        elif p.kind is not p.KEYWORD_ONLY:
            given[name] = VALUES.get(name, 3.7 if name == "a" else 0.6)
    return call(**given)


def shape_of(entry: Any) -> Any:
    return (3, 3) if "matrices" in entry.traits else (6,)


@pytest.mark.parametrize("module", [m.name for m in pkgutil.iter_modules(crease.model.__path__)])
def test_examples_in_docstrings(module: str) -> None:
    found = doctest.testmod(importlib.import_module(f"crease.model.{module}"))
    assert found.failed == 0


# every entry of the catalogue


@pytest.mark.parametrize("entry", catalogue("regularizer"), ids=lambda e: str(e.name))
def test_regularizers(entry: Any) -> None:
    """min (1/2)|x - v|^2 + r(x) is a prox, of r, of its multiples, and of what it is shifted by."""
    shape = shape_of(entry)
    reg, v = made(entry.function, int(np.prod(shape))), RANDOM.normal(size=shape) * 2
    for factor, shift in ((1.0, 0.0), (2.0, 0.0), (2.0, 1.0)):
        x = cr.Variable(shape, "x")
        e = x - shift if shift else x
        r = cr.minimize(cr.least_squares(x - v) + factor * reg(e)).solve(eps=1e-8)
        best = reg.prox(v - shift, factor) + shift

        def objective(z: Floats) -> float:
            return float(0.5 * np.sum((z - v) ** 2) + factor * reg.value(z - shift))

        assert r.certificate.valid
        assert objective(r[x]) <= objective(best) + 1e-9
        assert abs(r.objective - objective(r[x])) <= 1e-9


@pytest.mark.parametrize(
    "entry", [e for e in catalogue("set") if e.function], ids=lambda e: str(e.name)
)
def test_sets(entry: Any) -> None:
    """The nearest point of a set, of an affine image of it, and of a set of another expression."""
    shape = shape_of(entry)
    s, v = made(entry.function, int(np.prod(shape))), RANDOM.normal(size=shape) * 2
    v = v + v.T if len(shape) == 2 else v
    x = cr.Variable(shape, "x")
    for e in (x, 2 * x - 1, x[::-1]):
        r = cr.minimize(cr.least_squares(e - v), s.contains(e)).solve(eps=1e-8)
        assert r.certificate.valid and s.excess(r[e]) <= 1e-6
        if "oracle" not in entry.traits:
            assert np.sum((r[e] - v) ** 2) <= np.sum((s.project(v) - v) ** 2) + 1e-5


def smoothed_pinball(e: Floats, tau: float, d: float) -> Floats:
    t = np.clip(e / d, tau - 1, tau)
    return t * e - d * t**2 / 2


Y = np.sign(B)
C = np.abs(np.round(3 * B))
LOSSES: Dict[str, Callable[[Any], Any]] = {
    "least_squares": lambda u: cr.least_squares(u),
    "logistic": lambda u: cr.logistic(u, Y),
    "cauchy": lambda u: cr.cauchy(u),
    "welsch": lambda u: cr.welsch(u),
    "geman": lambda u: cr.geman(u),
    "tukey": lambda u: cr.tukey(u),
    "huber": lambda u: cr.huber_loss(u, 0.5),
    "lp_loss": lambda u: cr.lp_loss(u, 1.5),
    "quantile": lambda u: cr.quantile(u, 0.3, 0.1),
    "polynomial": lambda u: cr.polynomial(u, [1, 0.5, 2]),
    "squared_hinge": lambda u: cr.squared_hinge(u, Y),
    "poisson": lambda u: cr.poisson(u, C),
    "poisson_identity": lambda u: cr.poisson_identity(u, C, 5.0),
    "softmax": lambda u: cr.softmax(u, C % 3),
}
FORMULAS: Dict[str, Callable[[Floats], Floats]] = {
    "least_squares": lambda u: u**2 / 2,
    "logistic": lambda u: np.log1p(np.exp(-Y * u)),
    "cauchy": lambda u: np.log1p(u**2) / 2,
    "welsch": lambda u: (1 - np.exp(-(u**2))) / 2,
    "geman": lambda u: u**2 / (1 + u**2) / 2,
    "tukey": lambda u: (1 - np.maximum(1 - u**2, 0) ** 3) / 6,
    "huber": lambda u: special.huber(0.5, u),
    "lp_loss": lambda u: np.abs(u) ** 1.5,
    "quantile": lambda u: smoothed_pinball(-u, 0.3, 0.1),
    "polynomial": lambda u: 1 + 0.5 * u + 2 * u**2,
    "squared_hinge": lambda u: np.maximum(0, 1 - Y * u) ** 2 / 2,
    "poisson": lambda u: np.exp(u) - C * u,
    "poisson_identity": lambda u: u + 5 - C * np.log(u + 5),
    "softmax": lambda u: special.logsumexp(u, 1) - u[np.arange(12), (C % 3).astype(int)],
}


def test_every_loss_is_here() -> None:
    coupled = {"quadratic", "squared_distance", "norm_power", "multilinear", "cp", "tucker", "sum"}
    coupled |= {"matrix_factorization", "callback"}
    assert set(LOSSES) == set(FORMULAS) == {e.name for e in catalogue("smooth")} - coupled
    for e in catalogue():
        if e.function:
            assert callable(getattr(cr, e.function))


@pytest.mark.parametrize("name", LOSSES)
def test_losses(name: str) -> None:
    """The objective is the formula, with factors and weights, and the point is stationary."""
    shape = (5, 3) if name == "softmax" else (5,)
    x = cr.Variable(shape, "x")
    linear = name in ("logistic", "squared_hinge", "poisson", "poisson_identity", "softmax")
    u = A @ x if linear else A @ x - B
    term = LOSSES[name](u)
    w = np.linspace(0, 1, 12)
    term.weights = w
    r = cr.minimize(2 * term + cr.l1(0.1)(x) + cr.squared_distance(x)).solve(eps=1e-7)

    def f(z: Floats) -> float:
        v = A @ z if linear else A @ z - B
        return 2 * float(np.sum(w * FORMULAS[name](v))) + 0.5 * float(np.sum(z**2))

    z = r[x]
    assert r.certificate.valid
    assert abs(r.objective - f(z) - 0.1 * np.abs(z).sum()) <= 1e-9 * (1 + abs(r.objective))
    np.testing.assert_allclose(r[u], A @ z if linear else A @ z - B, atol=1e-12)
    h = 1e-5
    for k in np.ndindex(shape):
        step = np.zeros(shape)
        step[k] = h
        slope = (f(z + step) - f(z - step)) / (2 * h)
        assert abs(slope + 0.1 * np.sign(z[k])) <= 1e-4 if z[k] else abs(slope) <= 0.1 + 1e-4


def test_couplings() -> None:
    """Objectives at the answer are the formulas."""
    x, y, z = (cr.Variable(3, n, start=[0.5, -0.2, 0.1]) for n in "xyz")
    Q = np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]])
    T = RANDOM.normal(size=(3, 3, 3))
    box = [cr.box(-1, 1).contains(v) for v in (x, y, z)]
    f = (
        2 * cr.quadratic(x, Q, [1, 0, -1])
        - 0.5 * cr.bilinear(x, Q, y)
        + 3 * cr.squared_distance(y, z, d=0.1, weight=-0.2)
        + cr.norm_power(z, 3, d=[1, 0, 0], weight=2)
        + cr.multilinear(T, x, y, z, weight=0.3)
        + [1.0, 2.0, 3.0] @ x
        - y.sum()
    )
    r = cr.minimize(f, *box).solve(eps=1e-8)
    a, b, c = r[x], r[y], r[z]
    expected = a @ Q @ a + 2 * (a[0] - a[2]) - 0.5 * a @ Q @ b - 0.3 * np.sum((b - c - 0.1) ** 2)
    expected += 2 / 3 * np.linalg.norm(c - [1, 0, 0]) ** 3 - b.sum() + a @ [1, 2, 3]
    expected += 0.3 * np.einsum("ijk,i,j,k", T, a, b, c)
    assert abs(r.objective - expected) <= 1e-9 and r.certificate.valid


def test_factorizations() -> None:
    u, v = RANDOM.normal(size=(4, 2)), RANDOM.normal(size=(5, 2))
    w, core = RANDOM.normal(size=(3, 2)), RANDOM.normal(size=(2, 2, 2))

    def var(shape: Any, name: str) -> Any:
        return cr.Variable(shape, name, start=RANDOM.normal(size=shape))

    x, y, t = var((4, 2), "x"), var((5, 2), "y"), var((3, 2), "t")
    r = cr.minimize(cr.matrix_factorization(x, y, u @ v.T)).solve(eps=1e-8)
    np.testing.assert_allclose(r[x] @ r[y].T, u @ v.T, atol=1e-5)
    tensor = np.einsum("ir,jr,kr->ijk", u, v, w)
    r = cr.minimize(cr.cp([x, y, t], tensor, ridge=1e-9)).solve(eps=1e-7)
    assert r.objective <= 1e-6
    c = var((2, 2, 2), "c")
    tensor = np.einsum("abc,ia,jb,kc->ijk", core, u, v, w)
    r = cr.minimize(cr.tucker([x, y, t], c, tensor)).solve(eps=1e-7)
    assert abs(r.objective) <= 1e-6
    # Z is an expression: low rank plus sparse
    s = cr.Variable((4, 5), "s")
    r = cr.minimize(cr.matrix_factorization(x, y, u @ v.T - s) + cr.l1(0.5)(s)).solve(eps=1e-6)
    fit = np.sum((u @ v.T - r[s] - r[x] @ r[y].T) ** 2) + 0.5 * np.abs(r[s]).sum()
    assert abs(r.objective - fit) <= 1e-5
    # couplings beside constraints
    p, q, o = (cr.Variable(2, n, start=1) for n in "pqo")
    f = cr.multilinear(np.eye(2), p, q) + sum(map(cr.least_squares, (p, q, o)))
    np.testing.assert_allclose(cr.minimize(f, q == o).solve(eps=1e-8)[q], 0, atol=1e-6)
    # one matrix in both places has a copy
    z = cr.Variable((4, 2), "z", start=u)
    same = cr.minimize(cr.matrix_factorization(z, z, u @ u.T))
    assert "an argument of matrix_factorization(z, z)" in repr(same.check())
    r = same.solve(eps=1e-6)
    np.testing.assert_allclose(r[z] @ r[z].T, u @ u.T, atol=1e-3)


# what users expect


def test_lasso_by_its_conditions() -> None:
    x, t = cr.Variable(5, "x"), cr.Variable((), "intercept")
    r = cr.minimize(cr.least_squares(A @ x + t - B) + cr.l1(2)(x)).solve(eps=1e-9)
    g = A.T @ (A @ r[x] + r[t] - B)
    on = r[x] != 0
    np.testing.assert_allclose(g[on], -2 * np.sign(r[x][on]), atol=1e-7)
    assert (np.abs(g[~on]) <= 2 + 1e-7).all() and abs(np.sum(A @ r[x] + r[t] - B)) <= 1e-7
    assert r[t].shape == () and r["intercept"] == r[t]


def test_entries_that_are_not_penalized() -> None:
    """A separable penalty on some entries is one with weights, and needs no block."""
    x = cr.Variable(5, "x")
    p = cr.minimize(cr.least_squares(A @ x - B) + cr.mcp(3, 3)(x[1:]))
    assert p.check().notes == () and len(p._document().content["blocks"]) == 1
    w = np.array([0.0, 1, 1, 1, 1])
    q = cr.minimize(cr.least_squares(A @ x - B) + cr.mcp(3, 3, weights=w)(x))
    np.testing.assert_array_equal(p.solve()[x], q.solve()[x])
    weighted = cr.minimize(cr.least_squares(A @ x - B) + cr.l1(1, weights=[1, 2])(x[[4, 0]]))
    same = cr.minimize(cr.least_squares(A @ x - B) + cr.l1(1, weights=[2, 0, 0, 0, 1])(x))
    np.testing.assert_array_equal(weighted.solve()[x], same.solve()[x])


def test_total_variation_by_differences() -> None:
    d = np.repeat([1.0, 4.0, 2.0], 5) + 0.1 * RANDOM.normal(size=15)
    x = cr.Variable(15, "x")
    p = cr.minimize(cr.least_squares(x - d) + cr.l1(0.7)(cr.finite_difference(x)))
    note = "block aux = finite_difference(x), so that l1:0.7(finite_difference(x)) has a block"
    assert note in repr(p.check()) and note in p.check().notes[0]
    np.testing.assert_allclose(p.solve(eps=1e-9)[x], cr.tv1d(0.7).prox(d), atol=1e-6)


def test_several_penalties_and_sets_on_one_variable() -> None:
    d = np.repeat([1.0, 4.0, -0.2], 4)
    x = cr.Variable(12, "x")
    p = cr.minimize(
        cr.least_squares(x - d) + cr.l1(0.3)(x) + cr.tv1d(0.5)(x),
        cr.l2_ball(6).contains(x),
        cr.linf_ball(3).contains(x),
    )
    assert [n.split(", so that ")[1] for n in p.check().notes] == [
        "tv1d:0.5(x), the second penalty on x, has a block of its own",
        "linf-ball:3.contains(x), the second set of x, has a block of its own",
    ]
    r = p.solve(eps=1e-7)
    y, z = cr.Variable(12, "y"), cr.Variable(12, "z")
    both = cr.minimize(
        cr.least_squares(x - d) + cr.tv1d(0.5)(z) + cr.l1(0.3)(y),
        x == y,
        z == x,
        cr.l2_ball(6).contains(y),
        cr.linf_ball(3).contains(x),
    ).solve(eps=1e-7)
    np.testing.assert_allclose(r[x], both[x], atol=1e-4)
    assert np.abs(r[x]).max() <= 3 + 1e-6 and np.linalg.norm(r[x]) <= 6 + 1e-6


def test_bounds_are_boxes() -> None:
    x = cr.Variable(4, "x")
    d = np.array([-1.0, 0.5, 3.0, 9.0])
    p = cr.minimize(cr.least_squares(x - d), x >= 0, x <= [1, 1, 1, 4], 2 * x[2] + 1 <= 2, -x <= 0)
    assert len(p._document().content["blocks"]) == 1 and p.check().notes == ()
    np.testing.assert_allclose(p.solve()[x], [0, 0.5, 0.5, 4], atol=1e-9)
    p = cr.minimize(cr.least_squares(x - d), x >= 0, x[0] >= 2, x <= np.inf)
    np.testing.assert_allclose(p.solve()[x], [2, 0.5, 3, 9], atol=1e-9)
    with pytest.raises(cr.ArgumentError, match="at least 2 and at most 1; no point is"):
        cr.minimize(cr.least_squares(x), x >= 2, x <= 1)
    rows = cr.minimize(cr.least_squares(x - d), np.ones(4) @ x <= 1).solve(eps=1e-9)
    np.testing.assert_allclose(rows[x], cr.half_space(1, np.ones(4)).project(d), atol=1e-7)
    y = cr.Variable(4, "y")
    ordered = cr.minimize(cr.least_squares(x - d) + cr.least_squares(y), x <= y).solve(eps=1e-9)
    np.testing.assert_allclose(ordered[x], np.minimum(d, d / 2), atol=1e-7)


def test_a_set_may_stand_among_terms_or_constraints() -> None:
    x = cr.Variable(3, "x")
    f, s = cr.least_squares(x - [2, 1, 0]), cr.simplex(1).contains(x)
    one, other = cr.minimize(f + s).solve(), cr.minimize(f, s).solve()
    np.testing.assert_array_equal(one[x], other[x])
    np.testing.assert_allclose(one[x], [1, 0, 0], atol=1e-9)


def test_linear_programs_and_feasibility() -> None:
    x = cr.Variable(3, "x")
    r = cr.minimize(np.array([1.0, 2, 3]) @ x, x >= 0, x.sum() == 2).solve(eps=1e-8)
    np.testing.assert_allclose(r[x], [2, 0, 0], atol=1e-6)
    r = cr.minimize(0, x.sum() == 2, x[0] - x[1] == 1).solve()
    assert abs(r[x].sum() - 2) <= 1e-5 and abs(r[x[0] - x[1]] - 1) <= 1e-5
    r = cr.minimize(cr.least_squares(x), x.sum() == 2, x <= 0).solve()
    assert r.outcome == "infeasible"


def consensus(z: Any, owners: int) -> Any:
    """Owners of data agree on z under a nonconvex penalty."""
    random = np.random.default_rng(3)
    n = z.size
    As = [random.normal(size=(n + 3, n)) for _ in range(owners)]
    bs = [a @ np.r_[2.0, np.zeros(n - 1)] + 0.1 * random.normal(size=n + 3) for a in As]
    xs = [cr.Variable(n, f"x{j}") for j in range(owners)]
    problem = cr.minimize(
        sum(cr.least_squares(a @ x - b) for a, x, b in zip(As, xs, bs)) + cr.mcp(0.1, 3)(z),
        *[x == z for x in xs],
    )
    return problem, xs, As, bs


def test_consensus_in_theory_mode() -> None:
    z = cr.Variable(6, "z")
    problem, xs, As, bs = consensus(z, 4)
    check = problem.check(mode="theory")
    assert check.theorem == "R2: ADMM with the quadratic last block minimized exactly"
    assert check.notes == (
        "blocks x0, x1, x2, x3 are one block stacked, one after another: no constraint has two of "
        "them, and together their map has full row rank",
    )
    r = problem.solve(mode="theory")
    assert r.theorem == check.theorem and r.certificate.valid
    for x in xs:
        np.testing.assert_allclose(r[x], r[z], atol=1e-5)
        np.testing.assert_array_equal(r[x], r[x.name])
    w = cr.Variable(6, "w")
    joint = cr.minimize(
        cr.least_squares(np.vstack(As) @ w - np.concatenate(bs)) + cr.mcp(0.1, 3)(w)
    ).solve(eps=1e-9)
    np.testing.assert_allclose(r[z], joint[w], atol=1e-5)
    np.testing.assert_allclose(problem.solve(eps=1e-9)[z], joint[w], atol=1e-7)


def test_copies_of_other_shapes_signs_and_losses() -> None:
    """Whatever the copies are like, the answer is that of the problem without them."""
    z, w = cr.Variable((2, 2), "z"), cr.Variable((2, 2), "w")
    x, y = cr.Variable((2, 2), "x"), cr.Variable((2, 2), "y")
    d = np.array([[1.0, 2], [-1, 4]])
    f = cr.Smooth(lambda v: float(np.sum(np.cosh(v))), np.sinh)

    def objective(a: Any, b: Any, c: Any) -> Any:
        return (
            3 * cr.huber_loss(A[:, :2] @ a - 1, 0.5)
            + cr.huber_loss(b - d, 0.5, weights=2 + 0 * d)
            + f(b)
            + b.sum()
            + cr.l1(0.2)(c)
        )

    p = cr.minimize(objective(x, y, z), 2 * x == z + 1, z - y == 0)
    assert [b["name"] for b in p._document().content["blocks"]] == ["z", "stacked"]
    r = p.solve(eps=1e-8)
    s = cr.minimize(objective(0.5 * w + 0.5, w, w)).solve(eps=1e-8)
    np.testing.assert_allclose(r[z], s[w], atol=1e-5)
    np.testing.assert_allclose(r[x], 0.5 * s[w] + 0.5, atol=1e-5)


# functions in Python


def test_a_loss_of_ones_own() -> None:
    x = cr.Variable(5, "x")
    f = cr.Smooth(
        value=lambda v: np.logaddexp(A @ v - B, B - A @ v).sum(),
        grad=lambda v: A.T @ np.tanh(A @ v - B),
    )
    p = cr.minimize(f(x) + cr.scad(4, 3.7)(x))
    assert "no bound" in repr(p.check())
    r = p.solve(eps=1e-8)
    g = A.T @ np.tanh(A @ r[x] - B)
    assert cr.scad(4, 3.7).dist(r[x], -g) <= 1e-7


def test_known_constants_and_joint_functions() -> None:
    calls: List[int] = []

    def both(u: Floats, v: Floats) -> Any:
        calls.append(1)
        e = u - 2 * v - 1
        return 0.5 * e @ e + 0.5 * v @ v, (e, -2 * e + v)

    x, y = cr.Variable(3, "x"), cr.Variable(3, "y")
    L = float(np.linalg.norm([[1, -2], [-2, 5]], 2))
    f = cr.Smooth(value_grad=both, L=L, lower=0, name="joint")
    p = cr.minimize(f(x, y) + cr.l1(0.1)(x) + cr.l1(0.1)(y))
    assert p.check(mode="theory").theorem is not None
    r = p.solve(eps=1e-8)
    s = cr.minimize(
        cr.least_squares(x - 2 * y - 1) + cr.least_squares(y) + cr.l1(0.1)(x) + cr.l1(0.1)(y)
    ).solve(eps=1e-8)
    np.testing.assert_allclose(r[x], s[x], atol=1e-6)
    assert calls


def test_functions_of_expressions() -> None:
    x, y = cr.Variable(5, "x"), cr.Variable((2, 2), "y")
    f = cr.Smooth(
        lambda u, v: float(np.sum(u**4)) / 4 + float(np.sum(v**2)) / 2, lambda u, v: (u**3, v)
    )
    r = cr.minimize(f(A @ x - B, 2 * y.T - 1 + x[:2]) + cr.squared_distance(x)).solve(eps=1e-9)
    u, v = A @ r[x] - B, 2 * r[y].T - 1 + r[x][:2]
    np.testing.assert_allclose(A.T @ u**3 + r[x] + np.r_[v.sum(0), 0, 0, 0], 0, atol=1e-7)
    np.testing.assert_allclose(v, 0, atol=1e-7)


def test_wrong_functions_are_refused() -> None:
    x = cr.Variable(3, "x")
    wrong = cr.Smooth(lambda v: v @ v, lambda v: 2.5 * v + 1, name="f")
    with pytest.raises(cr.ArgumentError, match=r"f\(x\): grad does not agree with differences"):
        cr.minimize(wrong(x))
    with pytest.raises(cr.DataError, match=r"log\(x\) is -inf at the start"):
        with np.errstate(divide="ignore"):
            cr.minimize(cr.Smooth(lambda v: np.log(v).sum(), lambda v: 1 / v, name="log")(x))
    with pytest.raises(cr.ShapeError, match=r"grad of f\(x\) returns 2 where 3 is wanted"):
        cr.minimize(cr.Smooth(lambda v: v @ v, lambda v: v[:2], name="f")(x))
    with pytest.raises(cr.ShapeError, match="returns 1 array for 2 arguments"):
        cr.minimize(cr.Smooth(lambda v, w: v @ w, lambda v, w: w, name="f")(x, x[::-1]))
    wrong_sets: List[Dict[str, Any]] = [{}, {"value": np.sum}]
    wrong_sets.append({"value": np.sum, "grad": np.sum, "value_grad": np.sum})
    for bad in wrong_sets:
        with pytest.raises(cr.ArgumentError, match="value_grad alone"):
            cr.Smooth(**bad)
    with pytest.raises(cr.ArgumentError, match="L=-1"):
        cr.Smooth(np.sum, np.ones_like, L=-1)


def test_what_a_function_raises_comes_back() -> None:
    class Own(Exception):
        pass

    calls = [0]

    def value(v: Floats) -> float:
        calls[0] += 1
        if calls[0] > 30:
            raise Own("here")
        return float(np.sum(np.cosh(v - 3)))

    x = cr.Variable(3, "x")
    p = cr.minimize(cr.Smooth(value, lambda v: np.sinh(v - 3))(x))
    calls[0] = 29
    with pytest.raises(Own, match="here"):
        p.solve()
    calls[0] = -1000
    np.testing.assert_allclose(p.solve()[x], 3, atol=1e-5)


# starts, updates, files


def test_starts() -> None:
    x = cr.Variable((), "x", start=3)
    f = cr.polynomial(x, [0, 0.1, -1, 0, 0.25])  # two valleys
    assert cr.minimize(f).solve()[x] > 1
    x.start = np.array(-3.0)
    p = cr.minimize(f)
    first = p.solve()
    assert first[x] < -1
    x.start = np.array(3.0)
    assert p.solve()[x] > 1
    assert p.solve(start=first)[x] < -1
    x.start = None
    assert x.start is None


def test_a_result_is_where_the_next_run_begins() -> None:
    z = cr.Variable(6, "z")
    p, xs, _, _ = consensus(z, 3)
    first = p.solve(method="multipliers", eps=1e-9)
    q = cr.minimize(cr.least_squares(cr.Variable(6, "other")))
    again = p.solve(method="multipliers", eps=1e-8, start=first)
    assert again.iterations <= first.iterations
    np.testing.assert_allclose(again[z], first[z], atol=1e-6)
    with pytest.raises(cr.ArgumentError, match="start: give a result of problem.solve"):
        p.solve(start=np.zeros(3))
    with pytest.raises(cr.ArgumentError, match="another problem and has no other; set other.start"):
        q.solve(start=first)


UPDATES: Dict[str, Callable[[Any, Any], Any]] = {
    "rhs": lambda x, b: cr.minimize(cr.least_squares(A @ x - b) + cr.l1(1)(x)),
    "rhs from the left": lambda x, b: cr.minimize(cr.least_squares(2 * b - A @ x) + cr.l1(1)(x)),
    "weights": lambda x, b: cr.minimize(cr.least_squares(A @ x - B, weights=b * b) + cr.l1(0.1)(x)),
    "counts": lambda x, b: cr.minimize(cr.poisson(A @ x, b * b) + cr.l1(0.1)(x)),
    "linear": lambda x, b: cr.minimize((b @ A) @ x + cr.least_squares(x) + cr.l1(0.1)(x)),
    "constraint": lambda x, b: cr.minimize(cr.least_squares(A @ x - B), x[:2] == b[:2]),
    "constraints": lambda x, b: cr.minimize(
        cr.least_squares(A @ x - B), x[0] == b[0], x[1] + x[2] == b[1]
    ),
    "constraint of a map": lambda x, b: cr.minimize(
        cr.least_squares(A @ x - B), A[:2] @ (x - b[:5]) == 0
    ),
    "bound": lambda x, b: cr.minimize(cr.least_squares(A @ x - B), x <= b[:5]),
    "factor": lambda x, b: cr.minimize(
        cr.least_squares(A @ x - B) + (1 + b[0] * b[0]) * cr.l1(1)(x)
    ),
    "factor of a loss": lambda x, b: cr.minimize(
        (1 + b[0] * b[0]) * cr.least_squares(A @ x - B) + cr.l1(1)(x)
    ),
    "matrix": lambda x, b: cr.minimize(
        cr.least_squares((A + b.reshape(12, 1)) @ x - B) + cr.l1(1)(x)
    ),
    "diagonal": lambda x, b: cr.minimize(cr.least_squares(A @ (b[:5] * x) - B) + cr.l1(1)(x)),
    "quadratic": lambda x, b: cr.minimize(
        cr.quadratic(x, np.eye(5) * (1 + b[0] * b[0]), b[:5]) + cr.l1(0.1)(x)
    ),
    "distance": lambda x, b: cr.minimize(cr.squared_distance(x, d=b[:5]) + cr.l1(0.1)(x)),
    "kernel": lambda x, b: cr.minimize(
        cr.least_squares(cr.convolution(x, b[:3]) - 1) + cr.squared_distance(x)
    ),
    "penalty of an expression": lambda x, b: cr.minimize(
        cr.least_squares(A @ x - B) + cr.l1(1)(x - b[:5])
    ),
}


@pytest.mark.parametrize("kind", UPDATES)
def test_an_update_is_a_fresh_problem(kind: str) -> None:
    x = cr.Variable(5, "x")
    b = cr.Parameter(B, name="b")
    try:
        p = UPDATES[kind](x, b)
    except cr.DataError as e:
        if "need FFTW" in str(e):
            pytest.skip("this build has no FFTW")
        raise
    p.solve(eps=1e-9)
    for new in (B[::-1], 2 * B, B):
        found = p.update(b=new).solve(eps=1e-9)
        fresh = UPDATES[kind](x, cr.Parameter(new, name="b")).solve(eps=1e-9)
        np.testing.assert_allclose(found[x], fresh[x], atol=1e-6)
        assert found.certificate.valid
        assert abs(found.objective - fresh.objective) <= 1e-6 * (1 + abs(fresh.objective))


def test_an_update_keeps_what_was_set_up() -> None:
    x, b = cr.Variable(5, "x"), cr.Parameter(B, name="b")
    p = cr.minimize(cr.least_squares(A @ x - b) + cr.l1(1)(x))
    p.solve()
    assert p._session is not None
    kept = p._session[0]
    p.update(b=2 * B).solve()
    assert p._session[0] is kept
    x.start = np.ones(5)
    p.solve()
    assert p._session[0] is not kept


def test_parameters_are_checked() -> None:
    x, b = cr.Variable(12, "x"), cr.Parameter(B, name="b")
    p = cr.minimize(cr.least_squares(x - b))
    assert p.parameters == {"b": b}
    with pytest.raises(
        cr.ArgumentError, match="no parameter of this problem is called 'c'; there is b"
    ):
        p.update(c=1)
    with pytest.raises(cr.ShapeError, match="make a new problem for data of another size"):
        p.update(b=[1.0])
    with pytest.raises(cr.DataError, match="nan at index"):
        p.update(b=np.full(12, np.nan))
    np.testing.assert_array_equal(b.value, B)
    with pytest.raises(cr.ArgumentError, match="two parameters are called 'b'"):
        cr.minimize(cr.least_squares(x - b - cr.Parameter(B, name="b")))


def arrays_of(folder: Any) -> Dict[str, Floats]:
    return {f.name: np.load(f) for f in folder.glob("*.npy")}


def test_saved_files_are_what_is_solved(tmp_path: Any, program: Any) -> None:
    z = cr.Variable(6, "z")
    x = cr.Variable(5, "x", start=np.ones(5))
    problems = {
        "consensus": consensus(z, 3)[0],
        "lasso": cr.minimize(cr.least_squares(A @ x - B) + 0.5 * cr.l1(1)(x), eps=1e-9),
        "groups": cr.minimize(
            cr.huber_loss(A @ x - B, 1) + cr.group_l1(1, groups=[2, 3])(x), A[0] @ x <= 0.1
        ),
        "labels": cr.minimize(
            cr.least_squares(x - 1) + cr.group_mcp(1, 3, labels=[0, 1, 0, 1, 1])(x)
        ),
        "box": cr.minimize(cr.logistic(A @ x, Y), x >= -1, x[1:3] <= [1, np.inf]),
        "poly": cr.minimize(cr.polynomial(A @ x - B, [0, 0, 1, 0, 1]), cr.simplex(2).contains(x)),
    }
    for name, p in problems.items():
        p.save(tmp_path / f"{name}.json")
        r = p.solve()
        program("solve", tmp_path / f"{name}.json", "--out", tmp_path / name, "--quiet")
        theirs = arrays_of(tmp_path / name)
        assert theirs and all(np.array_equal(a, r.files[f]) for f, a in theirs.items())
        assert "VALID" in program("verify", tmp_path / name).stdout
        content = json.loads((tmp_path / f"{name}.json").read_text())
        assert content["crease"] == 1


def test_functions_cannot_be_saved(tmp_path: Any) -> None:
    x = cr.Variable(3, "x")
    f = cr.Smooth(lambda v: v @ v / 2, lambda v: v, name="mine")
    with pytest.raises(cr.UnsupportedError, match=r"mine\(x\) is made of functions in Python"):
        cr.minimize(f(x)).save(tmp_path / "p.json")
    op = cr.operator(matvec=lambda v: v, rmatvec=lambda v: v, shape=(3, 3))
    with pytest.raises(cr.UnsupportedError, match="an operator is made of functions"):
        cr.minimize(cr.least_squares(op @ x)).save(tmp_path / "p.json")
    assert not list(tmp_path.iterdir())


def test_results_are_solutions() -> None:
    x, y = cr.Variable(3), cr.Variable(3, "y")
    r = cr.minimize(cr.least_squares(x - 1) + cr.least_squares(y - x)).solve()
    assert isinstance(r, Solution) and set(r.x) == {"x1", "y"}
    np.testing.assert_allclose(r[x + y], 2, atol=1e-6)
    again = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(again["x1"], r[x])
    np.testing.assert_array_equal(again[y], r[y])
    for key in (cr.Variable(3), "z", cr.Variable(3, "z") + 1):
        with pytest.raises(KeyError, match="is no variable of this problem; there are x1, y"):
            r[key]
    z = cr.Variable(6, "z")
    p, xs, _, _ = consensus(z, 3)
    r = p.solve()
    again = pickle.loads(pickle.dumps(r))
    np.testing.assert_array_equal(again["x2"], r[xs[2]])
    np.testing.assert_array_equal(again[xs[1]], r[xs[1]])


def test_problems_show_themselves() -> None:
    x = cr.Variable(3, "x")
    p = cr.minimize(2 * cr.least_squares(np.eye(3) @ x - 1) + cr.l1(1)(x), x >= 0, x.sum() == 1)
    assert repr(p) == (
        "minimize    2 * least_squares([3 x 3] @ x - 1) + l1:1(x)\n"
        "subject to  x >= 0\n"
        "            x.sum() == 1"
    )
    assert p.variables == (x,) and "theorem" in repr(p.check())


def test_one_problem_in_several_threads() -> None:
    x = cr.Variable(5, "x")
    p = cr.minimize(cr.least_squares(A @ x - B) + cr.l1(1)(x))
    found: List[Floats] = []
    threads = [threading.Thread(target=lambda: found.append(p.solve()[x])) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 4 and all(np.allclose(f, found[0], atol=1e-6) for f in found)


@pytest.mark.parametrize(
    "make, error, says",
    [
        (lambda x: cr.minimize(x), cr.ShapeError, "an objective is one number"),
        (lambda x: cr.minimize(3), cr.ArgumentError, "a int is no objective"),
        (lambda x: cr.minimize(0), cr.ArgumentError, "the problem has no variable"),
        (lambda x: cr.minimize(x.sum() + 1), cr.ArgumentError, "has a constant"),
        (lambda x: cr.l1(1)(x) + 3, cr.ArgumentError, "a constant changes no minimizer"),
        (lambda x: cr.l1(1)(x) + (x == 1), TypeError, "is a constraint"),
        (lambda x: cr.l1(1)(x) * cr.l1(1)(x), TypeError, "added, not multiplied"),
        (lambda x: cr.l1(1)(x) * [1, 2], cr.ShapeError, "one number"),
        (lambda x: cr.minimize(-cr.l1(1)(x)), cr.UnsupportedError, "-1 * l1:1(x): a factor must"),
        (lambda x: cr.minimize(-cr.least_squares(x)), cr.UnsupportedError, "squared_distance"),
        (
            lambda x: cr.minimize(
                2 * cr.matrix_factorization(x.reshape(3, 1), x.reshape(3, 1), np.ones((3, 3)))
            ),
            cr.UnsupportedError,
            "divide all others by it",
        ),
        (lambda x: cr.minimize(-cr.nonneg().contains(x)), cr.ArgumentError, "takes no such factor"),
        (lambda x: cr.minimize(cr.l1(1)(x), True), cr.ArgumentError, "True is no constraint"),
        (lambda x: cr.minimize(cr.l1(1)(x), x), cr.ArgumentError, "a Variable is no constraint"),
        (
            lambda x: getattr(cr, "least_squares")(np.ones(3)),
            cr.ArgumentError,
            "expression of variables",
        ),
        (lambda x: cr.least_squares(x - x), cr.ArgumentError, "there is no variable in it"),
        (lambda x: cr.minimize(cr.l1(1)(x), x - x == 1), cr.ArgumentError, "no variable in this"),
        (lambda x: cr.l1(1)(cr.Parameter([1.0])), cr.ArgumentError, "takes an expression"),
        (
            lambda x: cr.minimize(0 * cr.l1(1)(x)),
            cr.ArgumentError,
            "x is in no constraint, and in terms",
        ),
        (lambda x: cr.l1(1, weights=cr.Parameter([1.0])), cr.ShapeError, "take its .value"),
        (lambda x: cr.logistic(x, [1, 1]), cr.ShapeError, "labels is 2; give 3, one a row"),
        (lambda x: cr.logistic(x + 1, [1, 1, 1]), cr.UnsupportedError, "t == constant"),
        (lambda x: cr.softmax(x, [1]), cr.ShapeError, "a column for every class"),
        (lambda x: cr.least_squares(x, weights=[-1, 0, 1]), cr.ArgumentError, "negative"),
        (lambda x: cr.least_squares(x, weights=[1, 2]), cr.ShapeError, "weights is 2; give 3"),
        (lambda x: cr.quadratic(x), cr.ArgumentError, "give Q, q or both"),
        (lambda x: cr.quadratic(x, np.eye(2)), cr.ShapeError, "Q is 2 x 2; give 3 x 3"),
        (lambda x: cr.quadratic(x, np.tri(3)), cr.ArgumentError, "not symmetric"),
        (lambda x: cr.bilinear(x, np.eye(3), x), cr.ArgumentError, "same variable"),
        (lambda x: cr.norm_power(x, 1), cr.ArgumentError, "power=1"),
        (lambda x: cr.squared_distance(x, d=[1, 2]), cr.ShapeError, "d is 2; give 3"),
        (lambda x: cr.multilinear(np.ones((3, 3)), x), cr.ShapeError, "one for each dimension"),
        (lambda x: cr.matrix_factorization(x, x, 1), cr.ShapeError, "equally many columns"),
        (lambda x: cr.cp([x], np.ones(3)), cr.ShapeError, "give matrices"),
        (lambda x: cr.box([1, 2], 3).contains(x), cr.ShapeError, "lower has 2 entries"),
        (
            lambda x: cr.minimize(cr.least_squares(x) + cr.l1(1)(cr.Variable(2, "x"))),
            cr.ArgumentError,
            "two variables are called 'x'",
        ),
        (
            lambda x: cr.minimize(cr.least_squares(x) + cr.tv1d(1)(x), cr.l1_ball(1).contains(x)),
            cr.UnsupportedError,
            "tv1d on l1-ball has no computable stationarity residual; leave the set out, or put it",
        ),
        (lambda x: cr.minimize(cr.least_squares(x), epsilon=1), cr.Error, "epsilon"),
        (lambda x: cr.minimize(cr.least_squares(x)).solve(epsilon=1), cr.ArgumentError, "epsilon"),
        (lambda x: cr.minimize(cr.least_squares(x)).solve(eps=-1), cr.ArgumentError, "eps"),
        (lambda x: cr.minimize(cr.poisson(x, [1, -1, 1])), cr.Error, "count"),
        (lambda x: cr.minimize(cr.nuclear(1)(x)), cr.Error, "matri"),
    ],
)
def test_what_is_wrong_is_said(make: Callable[[Any], Any], error: Any, says: str) -> None:
    with pytest.raises(error) as e:
        make(cr.Variable(3, "x"))
    assert says in str(e.value)
    assert "memory:" not in str(e.value)


def test_python_losses_are_verified_with_their_functions() -> None:
    x = cr.Variable(3, "x")
    f = cr.Smooth(lambda v: np.sum(np.cosh(v - 1)), lambda v: np.sinh(v - 1))
    r = cr.minimize(f(x) + cr.l1(0.1)(x)).solve()
    assert cr.verify(r).valid
    with pytest.raises(cr.DataError, match="keep"):
        cr.verify(pickle.loads(pickle.dumps(r)))


@pytest.mark.parametrize("declared", [{}, {"lower": 3.0}, {"L": 2.0}, {"L": 2.0, "lower": 3.0}])
def test_only_a_declared_bound_is_taken_for_one(declared: Dict[str, float]) -> None:
    x = cr.Variable(3, "x")
    f = cr.Smooth(lambda v: np.sum(np.cosh(v - 1)), lambda v: np.sinh(v - 1), **declared)
    (below,) = [a for a in cr.minimize(f(x)).check().assumptions if a.name == "f bounded below"]
    assert below.status == ("proved" if "lower" in declared else "unknown")


def test_solutions_have_the_pictures_of_solve() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    x = cr.Variable(4, "x")
    r = cr.minimize(cr.least_squares(x - [3, 0.5, -2, 1]) + cr.l1(1)(x)).solve()
    for kind in (None, "blocks", "convergence"):
        assert r.plot(kind) is not None
