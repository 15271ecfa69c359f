# SPDX-License-Identifier: MIT
"""What the tests of the package share: the program beside it, and small data with a known truth."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
from typing import Any, Callable

import numpy as np
import pytest

Floats = Any
Program = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="session")
def program() -> Program:
    """Runs the program with these words; a code that is no verdict on a result fails the test."""
    path = os.environ.get("CREASE_PROGRAM") or shutil.which("crease")
    if path is None:
        pytest.skip("the program is not there: set CREASE_PROGRAM")

    def run(*words: Any) -> "subprocess.CompletedProcess[str]":
        argv = [str(path), *map(str, words)]
        done = subprocess.run(argv, capture_output=True, text=True, timeout=300)
        assert done.returncode in (0, 2, 3), (argv, done.returncode, done.stderr)
        return done

    return run


@pytest.fixture(scope="session")
def tensor() -> Floats:
    """12 x 10 x 8: two components, outliers and noise; read-only."""
    random = np.random.default_rng(0)
    factors = [random.normal(size=(n, 2)) for n in (12, 10, 8)]
    values = np.einsum("ir,jr,kr->ijk", *factors) + 1e-2 * random.normal(size=(12, 10, 8))
    values[random.random(values.shape) < 0.05] += 3
    values.flags.writeable = False
    return values


@pytest.fixture(scope="session")
def matrix() -> Floats:
    """30 x 12 of rank 2 with outliers and noise; read-only."""
    random = np.random.default_rng(1)
    values = random.normal(size=(30, 2)) @ random.normal(size=(2, 12))
    values += 1e-2 * random.normal(size=values.shape)
    values[random.random(values.shape) < 0.05] -= 4
    values.flags.writeable = False
    return values


@pytest.fixture(scope="session")
def examples() -> pathlib.Path:
    """The folder of problem files."""
    return pathlib.Path(__file__).resolve().parents[2] / "examples" / "problems"
