# SPDX-License-Identifier: MIT
"""Calls beside each other: in threads, after a fork, in processes of a pool."""

from __future__ import annotations

import multiprocessing
import os
import pathlib
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import crease

SEEDS = range(4)


def tensor(seed: int, side: int = 18) -> Any:
    draw = np.random.default_rng(seed)
    shape = (side, side - 1, side - 2)
    values = np.einsum("ir,jr,kr->ijk", *[draw.normal(size=(n, 3)) for n in shape])
    values += 0.01 * draw.normal(size=shape)
    values[draw.random(shape) < 0.05] += 3
    return values


def bits(answer: crease.Answer) -> Dict[str, bytes]:
    return {n: f.tobytes() for n, f in answer.files.items() if isinstance(f, np.ndarray)}


def fit(seed: int) -> Dict[str, bytes]:
    return bits(crease.rpca(tensor(seed), None if seed % 2 else 3, progress=None))


def regress(seed: int) -> Dict[str, bytes]:
    draw = np.random.default_rng(seed)
    X = draw.normal(size=(60, 80))
    y = X[:, :4].sum(axis=1) + draw.normal(size=60)
    return bits(crease.regress(X, y, cv=3, penalty="mcp", progress=None))


def matrix(seed: int) -> Dict[str, bytes]:
    return bits(crease.rpca(tensor(seed)[:, :, 0], 2, model="matrix", progress=None))


def problem(seed: int) -> Dict[str, bytes]:
    draw = np.random.default_rng(seed)
    A, b = draw.normal(size=(30, 40)), draw.normal(size=30)
    smooth = [{"least_squares": {"terms": {"x": A}, "rhs": b}}]
    blocks = [{"name": "x", "shape": 40, "regularizer": "scad:1,3.7"}]
    return bits(
        crease.solve({"crease": 1, "blocks": blocks, "smooth": smooth}, progress=None)
    )


def entry(seed: int) -> Dict[str, bytes]:
    v = np.random.default_rng(seed).normal(size=1000)
    return {str(k): crease.prox(f"mcp:{1 + k % 3},3", v, 0.5).tobytes() for k in range(200)}


@pytest.mark.parametrize("call", [fit, regress, matrix, problem, entry])
def test_four_at_once_give_what_one_after_the_other_gives(
    call: Callable[[int], Dict[str, bytes]]
) -> None:
    alone = [call(seed) for seed in SEEDS]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(call, [*SEEDS, *SEEDS]))
    assert together == alone + alone


def test_errors_of_threads_are_their_own() -> None:
    def wrong(k: int) -> str:
        with pytest.raises(crease.ArgumentError) as caught:
            crease.rpca(tensor(k, 5), 2, alpha=-1 - k, progress=None)
        return str(caught.value)

    with ThreadPoolExecutor(4) as pool:
        for k, text in enumerate(pool.map(wrong, range(40))):
            assert f"alpha={-1 - k}" in text


def test_other_threads_run_during_a_fit() -> None:
    ticks: List[float] = []
    over = threading.Event()

    def tick() -> None:
        while not over.wait(0.005):
            ticks.append(time.monotonic())

    clock = threading.Thread(target=tick)
    clock.start()
    begun = time.monotonic()
    while time.monotonic() - begun < 1:
        fit(1)
    over.set()
    clock.join()
    assert len(ticks) > 20 and max(np.diff(ticks)) < 0.5


def test_files_are_read_beside_threads_that_compute(tmp_path: pathlib.Path) -> None:
    """A file of HDF5 is read in a process of its own; BLAS has threads that do not survive that."""
    A = np.random.default_rng(0).random((300, 300))
    try:
        crease.write(tmp_path / "a.h5", A[:20])
    except crease.UnsupportedError as e:  # a format that was left out of the build
        pytest.skip(str(e))
    over = threading.Event()

    def compute() -> None:
        while not over.is_set():
            A @ A

    busy = [threading.Thread(target=compute, daemon=True) for _ in range(2)]
    for thread in busy:
        thread.start()
    read: List[bool] = []
    reader = threading.Thread(
        target=lambda: read.extend(
            bool((np.asarray(crease.read(tmp_path / "a.h5")) == A[:20]).all()) for _ in range(40)
        ),
        daemon=True,
    )
    reader.start()
    reader.join(60)
    over.set()
    for thread in busy:
        thread.join(10)
    assert read == [True] * 40 and not any(t.is_alive() for t in busy)


def in_a_child(work: Callable[[], bool], patience: float = 60) -> bool:
    """Whether it is true in a process that is forked here."""
    pid = os.fork()
    if pid == 0:
        right = False
        try:
            right = work()
        finally:
            os._exit(0 if right else 1)
    end = time.monotonic() + patience
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.01)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    raise AssertionError("the child has not ended")


def threads_now() -> int:
    return len(os.listdir("/proc/self/task"))


def test_a_child_of_a_process_that_had_threads_works_with_one() -> None:
    T = tensor(0, 60)  # large enough for two threads
    here = crease.rpca(T, 3, progress=None)

    def again() -> bool:
        before = threads_now()
        there = crease.rpca(T, 3, progress=None)
        return bits(there) == bits(here) and threads_now() <= max(before, 2)

    assert in_a_child(again)
    assert in_a_child(lambda: in_a_child(again))
    assert bits(crease.rpca(T, 3, progress=None)) == bits(here)  # the parent goes on as before


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_pools_of_processes(how: str) -> None:
    fit(0)
    with multiprocessing.get_context(how).Pool(2) as pool:
        assert pool.map(problem, SEEDS) == [problem(seed) for seed in SEEDS]


def certified(seed: int) -> Any:
    found = crease.rpca(tensor(seed), 3, progress=None)
    return found.certificate.valid, found


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib(backend: str) -> None:
    """Results travel between processes. BLAS has other threads there, so bits may differ."""
    joblib = pytest.importorskip("joblib")
    run = joblib.Parallel(n_jobs=2, backend=backend)
    there = run(joblib.delayed(certified)(seed) for seed in SEEDS)
    assert all(valid for valid, _ in there)
    for seed, (_, found) in zip(SEEDS, there):
        here = certified(seed)[1]
        assert found.rank == here.rank
        assert np.abs(found.lowrank - here.lowrank).max() < 1e-4


def test_threads_of_a_call_are_as_many_as_it_is_given() -> None:
    T = tensor(0, 60)
    one = crease.rpca(T, 3, threads=1, progress=None)
    assert bits(one) == bits(crease.rpca(T, 3, progress=None))
    wrong: List[Any] = [0, -1, 1.5, True]
    for given in wrong:
        with pytest.raises(crease.ArgumentError, match="threads"):
            crease.spca(T, threads=given)
