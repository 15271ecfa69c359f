# SPDX-License-Identifier: MIT
"""How time and memory of a fit grow: with entries, rank, order, observed entries; one thread and two."""

from __future__ import annotations

import pathlib
from dataclasses import asdict, dataclass
from typing import Any, Dict, Iterator, List, Tuple

from .data import Data
from .turns import Run, crease


@dataclass
class Curve:
    key: str
    title: str
    axis: str
    at: List[float]
    runs: List[Dict[str, Any]]


def curves(program: str, work: pathlib.Path, most: float) -> Iterator[Curve]:
    """`most` entries at the end of the first curve."""
    data = Data(program, work / "data")
    out = work / "runs" / "growth"
    out.parent.mkdir(exist_ok=True)

    def fit(path: pathlib.Path, *options: str, threads: int = 1) -> Run:
        return crease(program, ["rpca", str(path), *options], out, threads)

    sides = [side for side in (46, 100, 215, 464, 1000) if side**3 <= most]
    yield _curve("entries", "Cubes, rank 5", "entries", [
        (float(s**3), fit(data.cp((s, s, s), 5, 0.05) / "tensor.npy", "--rank", "5")) for s in sides])  # fmt: skip
    cube = (100, 100, 100)
    yield _curve("rank", "100 x 100 x 100", "rank", [
        (float(r), fit(data.cp(cube, r, 0.05) / "tensor.npy", "--rank", str(r))) for r in (2, 5, 10, 20, 40)])  # fmt: skip
    shapes = ((1000, 1000), (100, 100, 100), (32, 32, 32, 31), (16, 16, 16, 16, 15), (10, 10, 10, 10, 10, 10))
    yield _curve("order", "About 10^6 entries, rank 3", "order", [
        (float(len(s)), fit(data.cp(s, 3, 0.05) / "tensor.npy", "--rank", "3")) for s in shapes])  # fmt: skip
    kinds = ((943, 1682, 100000), (2000, 3000, 300000), (4000, 6000, 1000000))
    yield _curve("observed", "Ratings, a twentieth observed, rank 10, ridge 10", "observed entries", [
        (float(n), fit(data.ratings(i, j, n) / "seen.mtx", "--absent", "missing", "--rank", "10", "--ridge", "10", "--alpha", "1e6"))
        for i, j, n in kinds])  # fmt: skip
    big = data.cp((215, 215, 215), 5, 0.05) / "tensor.npy"
    yield _curve("threads", "215 x 215 x 215, rank 5: elapsed seconds", "threads", [
        (float(t), fit(big, "--rank", "5", "--threads", str(t), threads=t)) for t in (1, 2, 1, 2, 1, 2)])  # fmt: skip


def _curve(key: str, title: str, axis: str, points: List[Tuple[float, Run]]) -> Curve:
    return Curve(key, title, axis, [x for x, _ in points], [asdict(run) for _, run in points])
