# SPDX-License-Identifier: MIT
"""The extension module itself: what it shows, what a call costs, and that it loses no memory."""

from __future__ import annotations

import gc
import os
import pathlib
import subprocess
import sys
from typing import List

import numpy as np
import pytest

from crease import _native
from crease.entries import Regularizer, Set

SANITIZED = bool(os.environ.get("ASAN_OPTIONS"))


def _resident() -> float:
    """Megabytes of memory that this process holds."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def test_it_is_one_file_for_the_stable_abi() -> None:
    assert str(_native.__file__).endswith("_native.abi3.so")
    version = _native.ffi.string(_native.lib.crease_version()).decode()
    assert version.count(".") == 2


def test_it_shows_its_entry_point_alone() -> None:
    try:
        nm = subprocess.run(
            ["nm", "-D", "--defined-only", str(_native.__file__)], capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("nm is not there")
    shown = [line.split()[-1] for line in nm.stdout.splitlines()]
    assert [s for s in shown if not s.startswith(("_", "asan", "ubsan"))] == ["PyInit__native"]


def test_a_call_of_an_entry_makes_few_calls() -> None:
    """What a call costs beyond the library is measured in bench/python; here it is counted."""
    v, entry = np.linspace(-5, 5, 10), Regularizer("scad:1,3.7")
    out, ball = np.empty(10), Set("l2-ball:1")
    for call in (
        lambda: entry.prox(v),
        lambda: entry.prox(v, out=out),
        lambda: entry.value(v),
        lambda: entry.dist(v, v),
        lambda: ball.project(v),
        lambda: ball.lmo(v),
    ):
        events: List[str] = []
        sys.setprofile(lambda frame, event, what: events.append(event))
        call()
        sys.setprofile(None)
        assert sum(event in ("call", "c_call") for event in events) <= 12, events


@pytest.mark.skipif(SANITIZED, reason="sanitizers keep what is freed")
def test_thousands_of_rounds_lose_no_memory() -> None:
    v = np.random.default_rng(0).normal(size=(20, 20))
    labels = np.arange(400) % 7

    def rounds(count: int) -> None:
        for _ in range(count):
            entry = Regularizer("group-mcp:1,3", labels=labels, weights=np.ones(7))
            entry.prox(v)
            Set("nuclear-ball:1").project(v)
            try:
                Regularizer("group-mcp:1,3", labels=labels, weights=np.ones(6))
            except ValueError:
                pass

    rounds(200)
    grown = []
    for _ in range(3):  # what leaks leaks every time
        gc.collect()
        before = _resident()
        rounds(1000)
        gc.collect()
        grown.append(_resident() - before)
    assert min(grown) < 1, grown


def test_imports_only_numpy() -> None:
    code = (
        "import sys, crease, crease._native; "
        "print([m for m in ('scipy', 'sklearn', 'matplotlib', 'pandas', 'xarray', 'IPython', "
        "'cffi') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
