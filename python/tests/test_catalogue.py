# SPDX-License-Identifier: MIT
"""Prox, projection and linear oracle against their definitions, and what the catalogue accepts."""

from __future__ import annotations

import copy
import inspect
import math
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, Tuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crease import _errors as errors
from crease import _terms as terms
from crease.entries import Regularizer, Set, catalogue, lmo, project, prox

Array = npt.NDArray[np.float64]
SETTINGS = settings(max_examples=60, deadline=None, derandomize=True)

# rho(y), y >= 0, from the definitions; parameters lam and second.
RHO: Dict[str, Callable[[float, float, Array], Any]] = {
    "zero": lambda l, s, y: 0 * y,
    "l1": lambda l, s, y: l * y,
    "elastic-net": lambda l, s, y: l * y + s * y**2 / 2,
    "squared-l2": lambda l, s, y: l * y**2 / 2,
    "l0": lambda l, s, y: l * (y > 0),
    "scad": lambda l, s, y: np.where(
        y <= l,
        l * y,
        np.where(y <= s * l, l * y - (y - l) ** 2 / (2 * (s - 1)), l**2 * (s + 1) / 2),
    ),
    "mcp": lambda l, s, y: np.where(y <= s * l, l * y - y**2 / (2 * s), s * l**2 / 2),
    "lsp": lambda l, s, y: l * np.log1p(y / s),
    "capped-l1": lambda l, s, y: l * np.minimum(y, s),
    "l-half": lambda l, s, y: l * np.sqrt(y),
    "l-two-thirds": lambda l, s, y: l * y ** (2 / 3),
    "lq": lambda l, s, y: l * y**s,
    "huber": lambda l, s, y: np.where(y <= s, l * y**2 / (2 * s), l * (y - s / 2)),
}
SECOND: Dict[str, Any] = {  # the range of the second parameter
    "elastic-net": (0.0, 3.0),
    "scad": (2.01, 6.0),
    "mcp": (0.1, 5.0),
    "lsp": (0.05, 3.0),
    "capped-l1": (0.05, 3.0),
    "lq": (0.1, 0.9),
    "huber": (0.05, 3.0),
}

numbers = st.floats(-6, 6, allow_nan=False)
weights = st.floats(0, 3, allow_nan=False)
steps = st.floats(0.05, 5, allow_nan=False)


def _spec(name: str, lam: float, share: float) -> Tuple[str, float]:
    """The text of a penalty, and its second parameter at this share of its range."""
    if name == "zero":
        return name, 0.0
    if name not in SECOND:
        return f"{name}:{lam!r}", 0.0
    low, high = SECOND[name]
    second = low + share * (high - low)
    return f"{name}:{lam!r},{second!r}", second


def _least(rho: Callable[[Array], Any], w: float, step: float, at: float) -> float:
    """The least value of rho(y) + (y - w)^2/(2 step) on a grid over [0, w], fine around `at`."""
    y = np.concatenate([np.linspace(0, max(w, 0.0), 2001), at + np.linspace(-1e-3, 1e-3, 401)])
    y = np.append(np.maximum(y, 0), [0.0, at])
    return float(np.min(rho(y) + (y - w) ** 2 / (2 * step)))


@pytest.mark.parametrize("name", sorted(RHO))
@SETTINGS
@given(lam=weights, share=st.floats(0, 1), v=numbers, step=steps)
def test_prox_is_a_global_minimizer(
    name: str, lam: float, share: float, v: float, step: float
) -> None:
    spec, second = _spec(name, lam, share)

    def rho(y: Array) -> Any:
        return RHO[name](lam, second, y)

    entry = Regularizer(spec)
    x = entry.prox([v], step)[0]
    y = abs(x)
    assert x == 0 or math.copysign(1, x) == math.copysign(1, v)
    value = float(rho(np.array(y)))
    assert math.isclose(entry.value([x]), value, rel_tol=1e-12, abs_tol=1e-14)
    reached = value + (y - abs(v)) ** 2 / (2 * step)
    scale = max(1.0, abs(v), v * v / step)
    assert reached <= _least(rho, abs(v), step, y) + 1e-11 * scale

    # On x >= 0 the same penalty, also left of zero.
    z = Regularizer(f"nonneg-{spec}").prox([v], step)[0]
    assert z >= 0
    reached = float(rho(np.array(z))) + (z - v) ** 2 / (2 * step)
    assert reached <= _least(rho, v, step, z) + 1e-11 * scale


@pytest.mark.parametrize("name", sorted(RHO))
@settings(max_examples=15, deadline=None, derandomize=True)
@given(lam=weights, share=st.floats(0, 1), step=steps, seed=st.integers(0, 10**6))
def test_prox_of_groups_and_matrices_is_that_of_lengths(
    name: str, lam: float, share: float, step: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    spec, _ = _spec(name, lam, share)
    scalar = Regularizer(spec)

    v = rng.normal(size=7) * 2
    labels = np.array([2, 1, 1, 2, 3, 1, 2])
    for_groups = Regularizer(f"group-{spec}", labels=labels).prox(v, step)
    for k in (1, 2, 3):
        part, length = v[labels == k], np.linalg.norm(v[labels == k])
        wanted = part * (scalar.prox([length], step)[0] / length)
        np.testing.assert_allclose(for_groups[labels == k], wanted, rtol=1e-9, atol=1e-9)
    in_a_row = Regularizer(f"group-{spec}", groups=[3, 4]).prox(v, step)
    lengths = np.array([np.linalg.norm(v[:3]), np.linalg.norm(v[3:])])
    factors = scalar.prox(lengths, step) / lengths
    np.testing.assert_allclose(in_a_row, v * np.repeat(factors, [3, 4]), rtol=1e-9, atol=1e-9)

    m = rng.normal(size=(4, 3)) * 2
    u, sigma, w = np.linalg.svd(m, full_matrices=False)
    wanted = (u * scalar.prox(sigma, step)) @ w
    found = Regularizer(f"spectral-{spec}").prox(m, step)
    np.testing.assert_allclose(found, wanted, rtol=1e-7, atol=1e-7)


@SETTINGS
@given(v=st.lists(numbers, min_size=1, max_size=8), step=steps, data=st.data())
def test_weights_multiply_the_penalty(v: Any, step: float, data: Any) -> None:
    w = data.draw(st.lists(weights, min_size=len(v), max_size=len(v)))
    weighted = Regularizer("l1:0.7", weights=w)
    wanted = [Regularizer(f"l1:{0.7 * a!r}").prox([x], step)[0] for x, a in zip(v, w)]
    np.testing.assert_allclose(weighted.prox(v, step), wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(
        terms.weighted_l1(0.7 * np.array(w)).prox(v, step), wanted, rtol=1e-12, atol=1e-12
    )


@SETTINGS
@given(v=st.lists(numbers, min_size=2, max_size=8), lam=weights, step=steps)
def test_tv1d_is_no_worse_than_its_neighbours(v: Any, lam: float, step: float) -> None:
    point = np.array(v)
    entry = terms.tv1d(lam)

    def objective(x: Array) -> float:
        return entry.value(x) + float(np.sum((x - point) ** 2)) / (2 * step)

    x = entry.prox(point, step)
    rng = np.random.default_rng(0)
    trials = [x + 10.0 ** -rng.integers(0, 6) * rng.normal(size=x.size) for _ in range(30)]
    assert objective(x) <= min(map(objective, trials)) + 1e-10


def test_dist_is_zero_at_a_prox() -> None:
    rng = np.random.default_rng(3)
    v = rng.normal(size=20) * 3
    for spec in ("scad:1,3.7", "mcp:1,2", "l0:0.5", "lq:1,0.4", "l1:1"):
        entry = Regularizer(spec)
        x = entry.prox(v, 0.8)
        assert entry.dist(x, (v - x) / 0.8) < 1e-10
    assert Regularizer("l1:1").dist([1.0], [3.0]) == 2.0


def test_prox_over_a_set() -> None:
    v = np.array([3.0, -2.0, 0.4])
    entry = terms.mcp(0.5, 3)
    x = entry.prox(v, set="box:-1,2")
    assert np.all((-1 <= x) & (x <= 2))
    grid = np.linspace(-1, 2, 3001)
    for at, found in zip(v, x):
        values = [entry.value([y]) + (y - at) ** 2 / 2 for y in grid]
        assert entry.value([found]) + (found - at) ** 2 / 2 <= min(values) + 1e-9
    with pytest.raises(errors.UnsupportedError):
        terms.tv1d(1).prox(v, set=terms.simplex(1))
    with pytest.raises(errors.ArgumentError, match="set is of type int"):
        entry.prox(v, set=3)  # type: ignore[arg-type]


SQUARE = {"spectrahedron", "birkhoff", "psd", "capped-psd"}
VALUES = {"radius": 1.3, "p": 2.5, "k": 2, "trace": 1.7, "height": 1.4, "low": -0.7, "high": 0.9}


def _make(function: str, size: int) -> Any:
    """The entry that a function makes, on points of this many entries."""
    call = getattr(terms, function)
    given: Dict[str, Any] = {}
    for name, p in inspect.signature(call).parameters.items():
        if name == "groups":
            given[name] = [2, size - 2]
        elif name == "a" and p.annotation == "npt.ArrayLike":
            given[name] = np.linspace(0.5, 1.5, size)
        elif p.annotation == "npt.ArrayLike":
            given[name] = np.full(size, 0.5)
        elif name == "b":
            given[name] = 0.3
        elif p.kind is not p.KEYWORD_ONLY:
            given[name] = VALUES.get(name, 3.7 if name == "a" else 0.6)
    return call(**given)


SETS = [e for e in catalogue("set") if e.function]


def _shape(entry: Any) -> Tuple[int, ...]:
    if entry.name in SQUARE:
        return (3, 3)
    return (4, 3) if "matrices" in entry.traits else (6,)


@pytest.mark.parametrize("entry", SETS, ids=[e.name for e in SETS])
def test_projection_and_oracle_by_definition(entry: Any) -> None:
    rng = np.random.default_rng(7)
    shape = _shape(entry)
    made = _make(entry.function, int(np.prod(shape)))
    convex = "not convex" not in entry.formula
    points = [rng.normal(size=shape) * 10 ** rng.uniform(-1, 1) for _ in range(25)]
    if "linear oracle only" in entry.traits:
        with pytest.raises(errors.UnsupportedError):
            made.project(points[0])
        inside = [made.lmo(p) for p in points]
    else:
        inside = [made.project(p) for p in points]
        for v, x in zip(points, inside):
            assert made.contains(x), made.excess(x)
            np.testing.assert_allclose(made.project(x), x, atol=1e-8)
            nearest = np.linalg.norm(v - x)
            for y in inside:
                assert nearest <= np.linalg.norm(v - y) + 1e-8
                if convex:
                    assert np.sum((v - x) * (y - x)) <= 1e-7 * (1 + np.linalg.norm(v) ** 2)
    if "not always compact" in entry.traits:
        return
    for c in points:
        y = made.lmo(c)
        assert made.contains(y, 1e-8)
        assert np.sum(c * y) <= min(np.sum(c * z) for z in inside) + 1e-7 * np.linalg.norm(c)


def test_oracle_of_an_unbounded_set_is_refused() -> None:
    with pytest.raises(errors.DataError, match="unbounded below"):
        lmo("nonneg", [1.0, -1.0])
    np.testing.assert_array_equal(lmo("nonneg", [1.0, 2.0]), [0.0, 0.0])


def test_oracle_with_a_regularizer() -> None:
    c = np.array([1.0, -3.0, 0.2])
    y = lmo("l1-ball:2", c, reg="l1:0.5")
    assert float(c @ y) + 0.5 * float(np.abs(y).sum()) <= -2 * (3 - 0.5) + 1e-12


def test_box_with_bounds_of_every_entry() -> None:
    box = terms.box([0.0, -1.0, -np.inf], [1.0, np.inf, 0.0])
    np.testing.assert_array_equal(box.project([2.0, -3.0, 4.0]), [1.0, -1.0, 0.0])
    assert set(box.parameters) == {"lower", "upper"}
    half = terms.box(low=0)
    assert half.spec == "box:0,inf" and half.parameters == {"low": 0.0, "high": math.inf}
    with pytest.raises(errors.ShapeError, match="made for 3"):
        box.project([1.0])
    with pytest.raises(errors.ShapeError, match="lower has 2 entries but upper 3"):
        terms.box([0.0, 0.0], [1.0, 1.0, 1.0])
    with pytest.raises(errors.Error):
        terms.box([2.0, 0.0], 1.0).project([0.0, 0.0])
    row = terms.box_hyperplane([0.0, 0.0], [1.0, 0.25], 1.0, [1.0, 1.0])
    np.testing.assert_allclose(row.project([0.5, 0.5]), [0.75, 0.25], atol=1e-12)


MADE = [e for e in (*catalogue("regularizer"), *SETS) if e.function]


@pytest.mark.parametrize("entry", MADE, ids=[str(e.function) for e in MADE])
def test_every_function_makes_its_entry(entry: Any) -> None:
    made = _make(entry.function, 12)
    assert made.name == entry.name
    expected = [p.name.rstrip("_") for p in entry.parameters]
    expected += [entry.vector.rstrip("_")] if entry.vector else []
    assert list(made.parameters) == expected
    doc = inspect.getdoc(getattr(terms, entry.function))
    assert doc is not None and "".join(entry.formula.split()) in "".join(doc.split())
    again = pickle.loads(pickle.dumps(made))
    assert again == made == copy.deepcopy(made) and hash(again) == hash(made)
    assert again != "text"


def test_the_catalogue_is_that_of_the_program() -> None:
    assert {e.kind for e in catalogue()} == {"regularizer", "set", "map", "smooth"}
    assert {e.name for e in catalogue("set") if not e.function} == {"affine", "product"}
    names = [e.function for e in catalogue() if e.function]
    assert len(names) == len(set(names)) and set(names) >= set(terms.__all__)
    assert {e.function for e in MADE} <= set(terms.__all__)
    assert "scad(lambda_, a)\n    sum_j rho(|x_j|), rho(y) = lambda y if" in repr(catalogue())
    assert set(terms.LOSSES) >= {"least_squares", "logistic", "huber"}
    with pytest.raises(errors.ArgumentError, match="kind is 'sets'; give one of map"):
        catalogue("sets")


def test_bits_are_those_of_the_program(program: Any) -> None:
    v = np.random.default_rng(0).normal(size=9) * 3
    words = ["--", *map(repr, v.tolist())]
    for verb, spec, found in (
        ("prox", "scad:1,3.7", prox("scad:1,3.7", v, 0.3)),
        ("prox", "lq:1,0.3", prox("lq:1,0.3", v, 0.3)),
        ("project", "l1-ball:2", project("l1-ball:2", v)),
        ("lmo", "l2-ball:2", lmo("l2-ball:2", v)),
    ):
        step = ["--step", "0.3"] if verb == "prox" else []
        lines = program(verb, spec, *step, *words).stdout.split()
        assert [float(line) for line in lines] == found.tolist()


def test_inputs_are_taken_as_they_come() -> None:
    entry = Regularizer("l1:1")
    v = np.random.default_rng(1).normal(size=(4, 6)) * 3
    wanted = np.sign(v) * np.maximum(np.abs(v) - 1, 0)
    frozen = v.copy()
    frozen.flags.writeable = False
    for given_v in (v, frozen, np.asfortranarray(v), v.tolist(), v.astype(">f8"), v.astype("O")):
        if isinstance(given_v, np.ndarray) and given_v.dtype == object:
            with pytest.raises(errors.DataError, match="v has objects"):
                entry.prox(given_v)
            continue
        found = entry.prox(given_v)
        assert found.flags.c_contiguous and found.flags.owndata and found.flags.writeable
        np.testing.assert_array_equal(found, wanted)
    np.testing.assert_array_equal(entry.prox(v[::2, ::-1]), wanted[::2, ::-1])
    single = entry.prox(v.astype(np.float32))
    assert single.dtype == np.float64
    np.testing.assert_allclose(single, wanted, atol=1e-6)
    np.testing.assert_array_equal(entry.prox([3, -2, 0]), [2.0, -1.0, 0.0])
    np.testing.assert_array_equal(entry.prox([True, False], 0.5), [0.5, 0.0])
    unaligned = np.frombuffer(b"\0" + v.tobytes(), dtype=np.float64, offset=1)
    np.testing.assert_array_equal(entry.prox(unaligned), wanted.ravel())


def test_inputs_are_never_written_to() -> None:
    v = np.random.default_rng(2).normal(size=(3, 3))
    kept = v.copy()
    calls: List[Callable[[Array], Array]] = [terms.nuclear(1).prox, terms.psd().project]
    calls.append(terms.nuclear_ball(1).lmo)
    for call in calls:
        call(v)
        np.testing.assert_array_equal(v, kept)


def test_out_and_in_place() -> None:
    entry, v = terms.mcp(1, 3), np.random.default_rng(5).normal(size=10) * 3
    wanted = entry.prox(v)
    out = np.full(10, np.nan)
    assert entry.prox(v, out=out) is out
    np.testing.assert_array_equal(out, wanted)
    both = v.copy()
    assert entry.prox(both, out=both) is both
    np.testing.assert_array_equal(both, wanted)
    long = np.append(v, 0.0)
    entry.prox(long[:-1], out=long[1:])  # they overlap
    np.testing.assert_array_equal(long[1:], wanted)
    ball = terms.l1_ball(2)
    np.testing.assert_array_equal(ball.project(v, out=out), ball.project(v))
    for wrong in (np.empty(10, np.float32), np.empty(20)[::2], [0.0] * 10, both[:0]):
        with pytest.raises(errors.Error, match="^out "):
            entry.prox(v, out=wrong)  # type: ignore[arg-type]
    both.flags.writeable = False
    with pytest.raises(errors.ArgumentError, match="^out "):
        entry.prox(v, out=both)


@pytest.mark.parametrize(
    "v, sentence",
    [
        ([1.0, np.nan], r"v\[1\] is nan; give finite numbers"),
        ([[1.0, 2.0], [np.inf, 0.0]], r"v\[1, 0\] is inf"),
        ([], "v is empty"),
        (np.zeros((2, 0)), "v is empty"),
        (1.0, "v has 0 dimensions"),
        (np.zeros((1,) * 9), "v has 9 dimensions"),
        ([1 + 2j], "v has complex numbers"),
        (["a"], "v has texts"),
        ([[1.0], [1.0, 2.0]], "v cannot be read as an array"),
        (np.ma.masked_equal([1.0, 2.0], 2.0), "v is masked"),  # type: ignore[no-untyped-call]
    ],
)
def test_what_is_no_point_is_refused(v: Any, sentence: str) -> None:
    with pytest.raises(errors.Error, match=sentence):
        prox("l1:1", v)
    with pytest.raises(errors.Error, match=sentence):
        project("l1-ball:1", v)
    with pytest.raises(errors.Error, match=sentence.replace("v", "x", 1)):
        Regularizer("l1:1").value(v)
    with pytest.raises(errors.Error, match=sentence.replace("v", "c", 1)):
        lmo("l1-ball:1", v)


@pytest.mark.parametrize(
    "call, kind, sentence",
    [
        (lambda: Regularizer("scda:1,3.7"), errors.ArgumentError, "scad"),
        (lambda: Regularizer("scad:1"), errors.ArgumentError, "scad takes 2 parameters"),
        (lambda: Regularizer("scad:1,1"), errors.ArgumentError, "a"),
        (lambda: Regularizer("scad:1,x"), errors.Error, "x"),
        (lambda: Set("affine"), errors.UnsupportedError, "affine"),
        (lambda: terms.scad("a", 3), errors.Error, "lambda_"),  # type: ignore[arg-type]
        (lambda: terms.l1(-1), errors.ArgumentError, "lambda"),
        (lambda: terms.l1(float("nan")), errors.ArgumentError, "lambda"),
        (lambda: prox("l1:1", [1.0], 0.0), errors.ArgumentError, "step"),
        (lambda: prox("l1:1", [1.0], "a"), ValueError, "step is 'a'"),  # type: ignore[arg-type]
        (lambda: prox(1, [1.0]), ValueError, "reg is of type int"),  # type: ignore[arg-type]
        (lambda: project(1, [1.0]), ValueError, "set is of type int"),  # type: ignore[arg-type]
        (lambda: prox("nuclear:1", [1.0]), errors.ShapeError, "matri"),
        (lambda: project("psd", [1.0]), errors.ShapeError, "psd"),
        (lambda: Regularizer("l1:1", weights=[1, -1]), errors.ArgumentError, r"weights\[1\]"),
        (lambda: Regularizer("tv1d:1", weights=[1]), errors.UnsupportedError, "no weights"),
        (lambda: prox(terms.l1(1, weights=[1, 1]), [1.0]), errors.ShapeError, "made for 2"),
        (lambda: Regularizer("group-l1:1"), errors.ArgumentError, "needs groups"),
        (lambda: Regularizer("l1:1", groups=[1]), errors.ArgumentError, "has no groups"),
        (
            lambda: terms.group_l1(1, groups=[1], labels=[1]),
            errors.ArgumentError,
            "exclude each other",
        ),
        (lambda: terms.group_l1(1, groups=[0, 1]), errors.ArgumentError, "size below 1"),
        (lambda: terms.group_l1(1, labels=[0.5, 1]), errors.ArgumentError, "labels"),
        (lambda: terms.group_l1(1, groups=[2], weights=[1, 2]), errors.ShapeError, "weights: 2"),
        (lambda: prox(terms.group_l1(1, groups=[2]), [1.0]), errors.ShapeError, "made for 2"),
        (lambda: prox(terms.weighted_l1([1, 2]), [1.0]), errors.ShapeError, "made for 2"),
        (lambda: Regularizer("weighted-l1"), errors.ArgumentError, "weighted-l1"),
        (lambda: project(terms.permutahedron([1, 2]), [1.0]), errors.ShapeError, "made for 2"),
        (lambda: terms.l1(1).dist([1.0], [1.0, 2.0]), errors.ShapeError, "g has shape"),
    ],
)
def test_refusals_say_what_is_wrong(
    call: Callable[[], Any], kind: Any, sentence: str
) -> None:
    with pytest.raises(kind, match=sentence):
        call()


def test_values_outside_the_domain_are_infinite() -> None:
    assert Regularizer("nonneg").value([-1.0]) == math.inf
    assert terms.box_indicator(0, 1)([0.5]) == 0.0
    assert terms.nonneg_l1(1).dist([-1.0], [0.0]) == math.inf


def test_texts_and_objects_are_one() -> None:
    made = terms.scad(1, 3.7)
    assert made == Regularizer("scad:1,3.7") and made.spec == "scad:1,3.7"
    assert made.parameters == {"lambda": 1.0, "a": 3.7}
    assert repr(made) == "Regularizer('scad:1,3.7')" and made.weights is None
    assert terms.group_l1(1, groups=[2, 3]).groups == (2, 3)
    labelled = terms.group_l1(1, labels=[5, 4, 5], weights=[1, 2])
    assert labelled.labels is not None and labelled.labels.tolist() == [5.0, 4.0, 5.0]
    assert labelled.value([3.0, 1.0, 4.0]) == 1 * 1 + 2 * 5
    assert made != terms.scad(1, 3.8) and labelled != terms.group_l1(1, labels=[5, 4, 5])
    with pytest.raises(AttributeError):
        made.lam = 2  # type: ignore[attr-defined]
    with pytest.raises(ValueError):
        labelled.labels[0] = 1


def test_threads_share_an_entry() -> None:
    entry, bad = terms.nuclear(0.5), np.full((30, 30), np.nan)
    points = [np.random.default_rng(k).normal(size=(30, 30)) for k in range(8)]
    wanted = [entry.prox(p) for p in points]

    def many(k: int) -> bool:
        for _ in range(20):
            np.testing.assert_allclose(entry.prox(points[k]), wanted[k], atol=1e-12)
            with pytest.raises(errors.DataError, match=r"v\[0, 0\] is nan"):
                entry.prox(bad)
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(many, range(8)))
