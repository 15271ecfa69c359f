# SPDX-License-Identifier: MIT
"""python -m rivals: measures crease beside the rivals that can be imported, and writes the page.

    python -m rivals [--page FILE.md] [--results FILE.json] [--rivals NAME,...] [--only WORDS]
                     [--turns 7] [--budget 15]

Every rival runs in a process of its own, with one thread; examples that take long enough run again
with two, for their elapsed time. --only takes the examples whose names have the words.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings
from dataclasses import asdict
from typing import Any, Dict, List

from . import example, page

NAMES = {
    "tensorly": "TensorLy",
    "pyproximal": "PyProximal",
    "skglm": "skglm",
    "scikit_learn": "scikit-learn",
    "cvxpy": "CVXPY",
}
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
LONG = 0.1  # seconds from which two threads are tried


def _arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parse.add_argument("--page", type=pathlib.Path)
    parse.add_argument("--results", type=pathlib.Path)
    parse.add_argument("--rivals", default=",".join(NAMES))
    parse.add_argument("--only", default="")
    parse.add_argument("--turns", type=int, default=7)
    parse.add_argument("--budget", type=float, default=15)
    parse.add_argument(
        "--measure", nargs=3, metavar=("RIVAL", "THREADS", "OUT"), help=argparse.SUPPRESS
    )
    parse.add_argument("--names", default="", help=argparse.SUPPRESS)
    return parse.parse_args()


def _measure(a: argparse.Namespace) -> None:
    """In a process of its own: the examples of one rival, into a file."""
    rival, threads, out = a.measure
    example.OURS["threads"] = int(threads)
    warnings.simplefilter("ignore")
    try:
        module = importlib.import_module(f".with_{rival}", __package__)
    except ImportError as e:
        pathlib.Path(out).write_text(json.dumps({"missing": str(e)}))
        return
    chosen = {name for name in a.names.split("\n") if name}
    rows = []
    for one in module.examples():
        if a.only not in one.name or (chosen and one.name not in chosen):
            continue
        print(f"{NAMES[rival]}, {threads} thread{'s' * (threads != '1')}: {one.name}", flush=True)
        rows.append(asdict(example.measure(one, a.turns, a.budget, warm=rival == "skglm")))
    versions = page.versions(module.PACKAGES)
    found = {"rows": rows, "versions": versions, "about": module.ABOUT, "not_run": module.MISSING}
    pathlib.Path(out).write_text(json.dumps(found))


def _in_process(
    a: argparse.Namespace, rival: str, threads: int, turns: int, names: List[str]
) -> Dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "found.json")
        command = [
            sys.executable,
            "-m",
            __package__,
            "--measure",
            rival,
            str(threads),
            out,
            "--only",
            a.only,
            "--turns",
            str(turns),
            "--budget",
            str(a.budget),
            "--names",
            "\n".join(names),
        ]
        environment = {**os.environ, **{name: str(threads) for name in THREADS}}
        done = subprocess.run(command, env=environment)
        if done.returncode != 0:
            return {"missing": f"it ended with status {done.returncode}"}
        found: Dict[str, Any] = json.loads(pathlib.Path(out).read_text())
        return found


def _beside(a: argparse.Namespace, rival: str) -> Dict[str, Any]:
    """What one rival leaves, with the elapsed times of two threads."""
    found = _in_process(a, rival, 1, a.turns, [])
    long = [
        r["name"]
        for r in found.get("rows", [])
        if LONG < max(r["cpu"]) and sum(r["cpu"]) < a.budget
    ]
    again = _in_process(a, rival, 2, 3, long) if long else {}
    found["two"] = {r["name"]: r["elapsed"] for r in again.get("rows", [])}
    return found


def main() -> int:
    """Measures, and writes what it is asked for."""
    a = _arguments()
    if a.measure:
        _measure(a)
        return 0
    of = page.commit()
    found = {NAMES[rival]: _beside(a, rival) for rival in a.rivals.split(",")}
    if a.results:
        a.results.write_text(json.dumps(found, indent=1))
    text = page.page(found, of)
    if a.page:
        a.page.write_text(text)
    else:
        print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
