# SPDX-License-Identifier: MIT
"""What calls take and give back: no copies of the data, no leaks, nothing kept by accident."""

from __future__ import annotations

import gc
import os
import pathlib
import tracemalloc
import weakref
from typing import Any, Callable, Iterator, Tuple

import numpy as np
import pytest

import crease
from crease import _call
from crease._functions import SmoothFunctions
from crease._native import ffi, lib

SANITIZED = bool(os.environ.get("ASAN_OPTIONS"))


def resident() -> float:
    """Megabytes of memory that this process holds."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def peak() -> float:
    """The most it has held since `forget_peak`."""
    status = pathlib.Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) / 1e3


def forget_peak() -> None:
    pathlib.Path("/proc/self/clear_refs").write_text("5")


def small(k: int = 0) -> Any:
    draw = np.random.default_rng(k)
    T = np.einsum("i,j,k->ijk", *[draw.normal(size=n) for n in (6, 5, 4)])
    return T + 1e-2 * draw.normal(size=T.shape)


LASSO = {
    "crease": 1,
    "blocks": [{"name": "x", "shape": 4, "regularizer": "mcp:0.5,3"}],
    "smooth": [{"squared_distance": {"a": "x", "d": [1, 2, 3, 4]}}],
}
OWN = {
    "crease": 1,
    "blocks": [{"name": "x", "shape": 3, "regularizer": "l1:0.1"}],
    "smooth": [{"callback": {"name": "f", "blocks": ["x"], "L": 1}}],
}


def own_loss() -> Any:
    return SmoothFunctions(
        lambda x: float(0.5 * ((x[0] - 1) ** 2).sum()), lambda x, i: x[0] - 1, [(3,)]
    )


def one_round(T: Any) -> None:
    """Calls of every kind, among them some that fail, at every stage."""
    crease.rpca(T, 1, progress=None)
    crease.solve(LASSO, progress=None)
    crease.solve(OWN, functions={"f": own_loss()}, progress=None)
    crease.prox("scad:1,3.7", T)
    calls: Tuple[Callable[[], Any], ...] = (
        lambda: crease.rpca(T, -1, progress=None),
        lambda: crease.rpca(T, 1, alpha=-1.0, progress=None),
        lambda: crease.solve({"crease": 1, "blocks": []}, progress=None),
        lambda: crease.prox("scad:1,1", T),
        lambda: crease.solve(
            OWN, functions={"f": SmoothFunctions(lambda x: 1 / 0, lambda x, i: x[0], [(3,)])}
        ),
    )
    for wrong in calls:
        with pytest.raises((crease.Error, ZeroDivisionError)):
            wrong()


@pytest.fixture
def no_collection() -> Iterator[None]:
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.skipif(SANITIZED, reason="sanitizers keep what is freed")
def test_a_thousand_rounds_lose_no_memory() -> None:
    T = small()
    for _ in range(150):
        one_round(T)
    gc.collect()
    before = resident()
    for _ in range(1000):
        one_round(T)
    gc.collect()
    assert resident() - before < 3


@pytest.mark.skipif(SANITIZED, reason="sanitizers bring an allocator of their own")
def test_rounds_leave_no_objects() -> None:
    T = small()
    kept = []
    tracemalloc.start()
    try:
        for _ in range(4):
            for _ in range(40):
                one_round(T)
            gc.collect()
            kept.append((tracemalloc.get_traced_memory()[0], len(gc.get_objects())))
    finally:
        tracemalloc.stop()
    grown = np.diff(kept, axis=0)[1:].min(axis=0)  # of 40 rounds
    assert grown[0] < 40 * 150 and grown[1] < 10, "caches fill, but no round leaves an array"


def test_what_a_call_was_given_goes_with_its_result(no_collection: None) -> None:
    """Data of many megabytes do not wait for the collector of garbage."""
    T = small()
    seen = weakref.ref(T)
    found = crease.rpca(T, 1, progress=None)
    assert np.array_equal(found.data, small())
    del found, T
    assert seen() is None
    f = own_loss()
    used = weakref.ref(f.value)
    crease.solve(OWN, functions={"f": f}, progress=None)
    del f
    assert used() is None


def test_a_call_that_fails_keeps_nothing(no_collection: None) -> None:
    T = small()
    seen = weakref.ref(T)
    with pytest.raises(crease.ArgumentError):
        crease.rpca(T, 1, alpha=-1.0, progress=None)
    del T
    assert seen() is None

    class Boom(Exception):
        pass

    def value(x: Any) -> float:
        raise Boom

    used = weakref.ref(value)
    try:
        crease.solve(OWN, functions={"f": SmoothFunctions(value, lambda x, i: x[0], [(3,)])})
    except Boom:
        pass
    del value
    assert used() is None


def test_an_array_of_doubles_is_read_where_it_is() -> None:
    x = np.arange(24.0).reshape(2, 3, 4)
    x.flags.writeable = False
    session = _call.Session({"x.npy": x}, keep=False)
    f = lib.crease_job_at(session._job, 0)
    assert int(ffi.cast("intptr_t", f.data)) == x.__array_interface__["data"][0]
    assert [f.shape.dim[n] for n in range(f.shape.order)] == [2, 3, 4]


@pytest.mark.skipif(SANITIZED, reason="sanitizers have memory of their own")
def test_large_data_are_not_copied_on_their_way(tmp_path: pathlib.Path) -> None:
    """64 MB in a file that is mapped, read-only: they are there once, and once as what is left."""
    path = tmp_path / "large.npy"
    np.save(path, np.random.default_rng(0).normal(size=(200, 200, 200)))
    mapped = np.load(path, mmap_mode="r")
    crease.spca(mapped[:20, :20, :20], progress=None)
    forget_peak()
    before = peak()
    found = crease.spca(mapped, max_seconds=0.3, progress=None)
    assert peak() - before < 2 * 64 + 20
    assert found.data is mapped or np.shares_memory(found.data, mapped)


@pytest.mark.skipif(SANITIZED, reason="sanitizers keep what is freed")
def test_arrays_of_a_result_are_given_back() -> None:
    def grown() -> float:
        gc.collect()
        return resident() - before

    crease.generate("cp", shape=(20, 20, 20), rank=2, progress=None)
    gc.collect()
    before = resident()
    made = crease.generate("cp", shape=(150, 150, 150), rank=2, progress=None)  # 4 of 27 MB
    assert grown() > 80
    part = made.lowrank[3]
    assert not part.flags.writeable
    expected = part.copy()
    del made
    assert 20 < grown() < 60  # a part keeps its whole, and nothing else
    assert np.array_equal(part, expected)
    del part
    assert grown() < 5
