# SPDX-License-Identifier: MIT
"""Iterations and evaluations beside the machine's limit, as bench_cp_fused and bench_envelope print them."""

from __future__ import annotations

import os
import pathlib
import re
import subprocess
from typing import Any, Dict, List

SIZE = r"^ *(\d+) x *(\d+) x *(\d+) +(\d+) +"
STEP = re.compile(SIZE + r"(ADMM-g|ADMM-m|prox BCD) +(double|float) +(\d+) +([\d.]+) ms.* (\d+) %")
PASS = re.compile(SIZE + r"()()(\d+) +([\d.]+) ms.* (\d+) %")
GOALS = {("30x50x70", 40): 70, ("100x100x100", 10): 55, ("300x300x300", 10): 70}


def measured(programs: pathlib.Path) -> Dict[str, Any]:
    """Rows of both programs, and what they say of the machine."""
    rows: List[Dict[str, Any]] = []
    machine: List[str] = []
    environment = {**os.environ, "OPENBLAS_CORETYPE": _core()}
    for name, pattern in ("bench_cp_fused", STEP), ("bench_envelope", PASS):
        done = subprocess.run([str(programs / name)], capture_output=True, text=True, env=environment)
        for line in done.stdout.splitlines():
            found = pattern.match(line)
            if found:
                i, j, k, rank, method, stored, threads, ms, share = found.groups()
                rows.append({
                    "size": f"{i}x{j}x{k}", "rank": int(rank), "method": method or "envelope", "stored": stored or "double",
                    "threads": int(threads), "ms": float(ms), "share": int(share),
                })  # fmt: skip
            elif re.match(r"^(cpu|blas|kernels?):", line) and line not in machine:
                machine.append(line)
    return {"machine": machine, "rows": rows}


def _core() -> str:
    """Debian's OpenBLAS takes new processors for old ones: ask for the kernels they can run."""
    try:
        flags = pathlib.Path("/proc/cpuinfo").read_text()
    except OSError:
        return "Haswell"
    return "SkylakeX" if "avx512dq" in flags else "Haswell"
