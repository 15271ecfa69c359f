# SPDX-License-Identifier: MIT
"""An example that a rival and crease solve in turns, and what was measured of it."""

from __future__ import annotations

import gc
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

TIE = 1e-6  # objectives that differ by less, relative, count as equal
NONE = "none"  # where there is no certificate to be had
OURS: Dict[str, Any] = {"progress": None}  # of every call of ours


@dataclass(frozen=True)
class Example:
    """What both solve: `value` judges the answer of either, by its definition.

    A value is the objective, or an array of them where several problems are solved at once; `off`
    says how far an answer is from the constraints. `ours` also returns the result, for its
    certificate.
    """

    name: str
    size: str
    rival: Callable[[], Any]
    ours: Callable[[], Tuple[Any, Any]]
    value: Callable[[Any], Any]
    convex: bool = True
    off: Callable[[Any], float] = lambda answer: 0.0
    error: bool = False  # the value is an error against a truth, and the objectives differ
    note: str = ""
    closer: Optional[Callable[[], Any]] = None  # the rival again, asked for more than documented
    how: str = ""  # it was asked


@dataclass
class Closer:
    """The rival, asked for more than its example does."""

    how: str
    rival: List[float]
    cpu: float


@dataclass
class Measured:
    """Processor and elapsed seconds are medians over turns."""

    name: str
    size: str
    convex: bool
    error: bool
    note: str
    rival: List[float]
    ours: List[float]
    rival_off: float
    ours_off: float
    certificate: str
    valid: bool
    cpu: Tuple[float, float]
    elapsed: Tuple[float, float]
    unchecked: float  # processor seconds of ours without the independent check
    first: float  # what the rival's first call took longer, as for compiling
    turns: int
    closer: Optional[Closer]
    outcome: str = field(init=False, default="")

    def __post_init__(self) -> None:
        a, b = np.array(self.rival), np.array(self.ours)
        scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), np.finfo(float).tiny)
        gain = (a - b) / scale
        if self.error:  # exact to rounding is exact
            gain = np.where(scale < TIE, 0, gain)
        lower, higher = int(np.sum(gain > TIE)), int(np.sum(gain < -TIE))
        if len(gain) == 1:
            self.outcome = "ours lower" if lower else "rival lower" if higher else "same"
        else:
            same = len(gain) - lower - higher
            self.outcome = f"ours lower {lower}, same {same}, rival lower {higher}"


def _timed(f: Callable[[], Any]) -> Tuple[Any, float, float]:
    gc.collect()
    cpu, wall = time.process_time(), time.perf_counter()
    answer = f()
    return answer, time.process_time() - cpu, time.perf_counter() - wall


def _checked_share(result: Any) -> float:
    if result is None:
        return 0.0
    seconds: Dict[str, float] = result.document["phase_seconds"]
    return seconds["check"] / max(sum(seconds.values()), 1e-12)


def certificate(result: Any) -> Tuple[str, bool]:
    """What the result claims, and whether the checker confirms it."""
    if result is None:
        return NONE, True
    document = result.document
    solutions = document["details"].get("solutions")
    if solutions and document["verb"] == "regress":
        judged = [s["certificate"] for s in solutions]
        good = sum(c["verdict"] == "VALID" for c in judged)
        best = sum(c["convexity"].startswith("global") for c in judged)
        worst = max(c["relative"] for c in judged)
        text = f"{good} of {len(judged)} VALID" if len(judged) > 1 else str(document["verdict"])
        return f"{text}, {worst:.1e}; {_proved(best, len(judged))}", good == len(judged)
    verdict = document["verdict"]
    text = f"{verdict}, {document['residual']:.1e}"
    return text if verdict == "VALID" else f"{text} ({document['outcome']})", verdict == "VALID"


def _proved(best: int, count: int) -> str:
    if best == 0:
        return "stationary"
    return "global" if best == count else f"{best} global"


def measure(e: Example, turns: int = 7, budget: float = 15.0, warm: bool = False) -> Measured:
    """Solves the example in turns, at most `turns` of them and none after `budget` seconds.

    The first turn is a warm-up; where it takes long, it counts, unless it has to be one (`warm`).
    """
    rows: List[Tuple[float, ...]] = []
    spent, first, closest = 0.0, -1.0, None
    while not rows or (len(rows) < turns and spent < budget):
        theirs, a_cpu, a_wall = _timed(e.rival)
        (mine, result), b_cpu, b_wall = _timed(e.ours)
        closest, c_cpu, _ = _timed(e.closer) if e.closer else (None, 0.0, 0.0)
        spent += a_cpu + b_cpu + c_cpu
        if first < 0:
            first = a_cpu
            if warm or spent < budget / 2:
                spent = 0.0
                continue
        rows.append((a_cpu, b_cpu, a_wall, b_wall, b_cpu * (1 - _checked_share(result)), c_cpu))
    m = [float(x) for x in np.median(np.array(rows), axis=0)]
    text, valid = certificate(result)
    return Measured(
        e.name,
        e.size,
        e.convex,
        e.error,
        e.note,
        _values(e, theirs),
        _values(e, mine),
        float(e.off(theirs)),
        float(e.off(mine)),
        text,
        valid,
        (m[0], m[1]),
        (m[2], m[3]),
        m[4],
        max(first - m[0], 0.0),
        len(rows),
        Closer(e.how, _values(e, closest), m[5]) if e.closer else None,
    )


def _values(e: Example, answer: Any) -> List[float]:
    return [float(v) for v in np.atleast_1d(e.value(answer))]
