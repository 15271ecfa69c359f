# SPDX-License-Identifier: MIT
"""Whole jobs, ours beside the peers': what is run, and what the goal was.

A job is its case and a function that draws the data and returns the contenders by name.
"""

from __future__ import annotations

import json
import pathlib
from typing import Any, Callable, Dict, Iterator, List, Tuple

import numpy as np

from .data import Data
from .turns import Case, Run, crease, peer

Contenders = Dict[str, Callable[[], Run]]
Job = Tuple[Case, Callable[[], Contenders]]
ERROR, OBJECTIVE = "error of the low-rank part", "objective"


class Cases:
    """The jobs over one program and one folder of data."""

    def __init__(self, program: str, work: pathlib.Path) -> None:
        self.program, self.work = program, work
        self.data = Data(program, work / "data")

    def all(self) -> Iterator[Job]:
        for shape, rank in ((100, 100, 100), 5), ((30, 50, 70), 10), ((300, 300, 300), 10):
            yield self._cp(shape, rank)
        yield self._matrix()
        for rank in 1, 2, 3:
            yield self._video(rank)
        for rank in 1, 2, 3:
            yield self._moving(rank)
        for m, n, rank in (300, 300, 15), (1000, 1000, 50), (4000, 100, 5), (19200, 200, 3):
            for noise in 0.0, 0.05:
                yield self._pursuit(m, n, rank, noise)
        yield self._ratings(943, 1682, 100000)
        yield self._ratings(48000, 1800, 1100000)
        for n, p, rho, ratio, goal in (500, 5000, 0.0, 0.05, 0.5), (500, 5000, 0.5, 0.05, 0.5), (20000, 2000, 0.5, 0.01, 1.0):
            for penalty in "l1", "mcp":
                yield self._path((n, p, rho), ratio, penalty, goal)
        yield self._path((20000, 10000, 0.5), 0.01, "mcp", 1.0)
        for n, p, density in (5000, 10000, 0.01), (20000, 50000, 0.002):
            for penalty in "l1", "mcp":
                yield self._logistic(n, p, density, penalty)

    def _ours(self, case: Case, arguments: List[Any], value: Callable[[pathlib.Path], float]) -> Callable[[], Run]:
        words = [str(a) for a in arguments]
        case.command = "crease " + " ".join(pathlib.Path(w).name if "/" in w else w for w in words)
        out = self.work / "runs" / case.key
        out.parent.mkdir(exist_ok=True)

        def run() -> Run:
            found = crease(self.program, words, out)
            if np.isfinite(found.cpu):
                found.value = value(out)
            return found

        return run

    def _cp(self, shape: Tuple[int, ...], rank: int) -> Job:
        size = " x ".join(map(str, shape))
        case = Case(f"cp-{shape[0]}", f"CP robust PCA {size}, rank {rank}", what=ERROR, share=0.3)

        def contenders() -> Contenders:
            folder = self.data.cp(shape, rank)
            found = {"crease": self._ours(case, ["rpca", folder / "tensor.npy", "--rank", rank, "--truth", folder], _truth)}
            if np.prod(shape) <= 1e6:
                found["ADMM-g in NumPy, 200 steps"] = lambda: peer("peers.py", ["admm", folder, rank, 200])
            return found

        return case, contenders

    def _matrix(self) -> Job:
        case = Case("matrix", "Matrix 2000 x 1000, rank 10", what=ERROR, share=0.3)

        def contenders() -> Contenders:
            folder = self.data.matrix(2000, 1000, 10, 0.05, 0.01)
            arguments = ["rpca", folder / "tensor.npy", "--model", "matrix", "--rank", 10, "--penalty", "mcp", "--truth", folder]
            return {"crease": self._ours(case, arguments, _truth), "rsvd::rrpca": lambda: peer("rrpca.R", [folder, 50])}

        return case, contenders

    def _video(self, rank: int) -> Job:
        case = Case(f"video-{rank}", f"Video 25344 x 100, rank {rank}", 0.2, OBJECTIVE)

        def contenders() -> Contenders:
            clip = self.data.video(100, 144, 176)
            arguments = ["rpca", clip / "tensor.npy", "--rank", rank, "--penalty", "mcp"]
            return {"crease": self._ours(case, arguments, _objective), "rsvd::rrpca": lambda: peer("rrpca.R", [clip, 50])}

        return case, contenders

    def _moving(self, rank: int) -> Job:
        case = Case(f"moving-{rank}", f"What moves in a clip of 120 x 160 x 200, rank {rank}", what="F of the mask", least=0.85)

        def contenders() -> Contenders:
            clip = self.data.clip(120, 160, 200)
            arguments = ["rpca", clip / "clip.npy", "--merge", "0,1", "--foreground", "--rank", rank]
            return {"crease": self._ours(case, arguments, lambda out: _overlap(out / "foreground.npy", clip / "mask.npy"))}

        return case, contenders

    def _pursuit(self, m: int, n: int, rank: int, noise: float) -> Job:
        title = f"PCP {m} x {n}, rank {rank}, {'noise' if noise else 'no noise'}"
        case = Case(f"pcp-{m}-{noise:g}", title, 4.0 if noise else 0.7, OBJECTIVE, sooner=0.5 if noise else None)

        def contenders() -> Contenders:
            path = self.data.matrix(m, n, rank, 0.1, noise) / "tensor.npy"
            return {
                "crease": self._ours(case, ["rpca", path, "--model", "pcp"], _objective),
                "inexact ALM, whole SVD": lambda: peer("peers.py", ["alm", path, "whole"]),
                "inexact ALM, partial SVD": lambda: peer("peers.py", ["alm", path, "partial"]),
            }

        return case, contenders

    def _ratings(self, m: int, n: int, observed: int) -> Job:
        title = f"Ratings {m} x {n}, {observed * 9 // 10} observed, rank 10"
        case = Case(f"ratings-{m}", title, what="RMSE of held-out entries", within=1.01)

        def contenders() -> Contenders:
            folder = self.data.ratings(m, n, observed)
            seen, held = folder / "seen.mtx", folder / "held.mtx"
            arguments = ["rpca", seen, "--absent", "missing", "--rank", 10, "--ridge", 10, "--alpha", "1e6"]
            return {
                "crease": self._ours(case, arguments, lambda out: _held(out, held)),
                "ridge ALS in NumPy, 30 sweeps": lambda: peer("peers.py", ["als", seen, 10, 10, 30, held]),
            }

        return case, contenders

    def _path(self, kind: Tuple[int, int, float], ratio: float, penalty: str, goal: float) -> Job:
        n, p, rho = kind
        title = f"Path of 100 lambdas, {n} x {p}, correlation {rho:g}, {penalty}"
        case = Case(f"path-{n}-{p}-{rho:g}-{penalty}", title, goal, "coefficients at the last lambda", share=0.3)
        if n * p >= 1e8:
            case.room = 1.2 * 8 * n * p

        def contenders() -> Contenders:
            folder = self.data.regression(n, p, rho)
            arguments = ["regress", folder / "X.npy", folder / "y.npy", "--penalty", penalty, "--path", f"100,{ratio:g}"]
            return {"crease": self._ours(case, arguments, _last), "glmnet, l1": lambda: peer("glmnet.R", [folder, ratio])}

        return case, contenders

    def _logistic(self, n: int, p: int, density: float, penalty: str) -> Job:
        title = f"{penalty}-logistic {n} x {p}, {100 * density:g} % full"
        case = Case(f"logistic-{n}-{penalty}", title, 2.0, OBJECTIVE)

        def contenders() -> Contenders:
            folder = self.data.classes(n, p, density)
            X, y, price = folder / "X.mtx", folder / "y.npy", (folder / "lambda").read_text()
            arguments = ["regress", X, y, "--loss", "logistic", "--no-intercept", "--no-standardize", "--lambda", price]
            return {
                "crease": self._ours(case, [*arguments, "--penalty", penalty], _first_objective),
                "liblinear, l1, tol 1e-6": lambda: peer("peers.py", ["liblinear", X, y, price, 1e-6]),
            }

        return case, contenders


def _result(out: pathlib.Path) -> Any:
    return json.loads((out / "result.json").read_text())


def _objective(out: pathlib.Path) -> float:
    return float(_result(out)["objective"])


def _truth(out: pathlib.Path) -> float:
    details = _result(out)["details"]
    return float(details["errors"]["lowrank"] if "errors" in details else details["error_lowrank"])


def _last(out: pathlib.Path) -> float:
    return float(_result(out)["details"]["solutions"][-1]["nonzero"])


def _first_objective(out: pathlib.Path) -> float:
    return float(_result(out)["details"]["solutions"][0]["objective"])


def _held(out: pathlib.Path, path: pathlib.Path) -> float:
    rows = np.loadtxt(path, skiprows=2)
    i, j = rows[:, 0].astype(int) - 1, rows[:, 1].astype(int) - 1
    U, W, size = (np.load(out / name) for name in ("factor_1.npy", "factor_2.npy", "weights.npy"))
    return float(np.sqrt(np.mean((rows[:, 2] - (U[i] * W[j]) @ size) ** 2)))


def _overlap(found: pathlib.Path, truth: pathlib.Path) -> float:
    """F, the harmonic mean of the mask's precision and recall."""
    a, b = np.load(found) != 0, np.load(truth)
    return float(2 * (a & b).sum() / (a.sum() + b.sum()))
