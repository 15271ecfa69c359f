# SPDX-License-Identifier: MIT
"""A run is a process whose last line of output is a JSON object; contenders take turns."""

from __future__ import annotations

import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
COMPUTING = ("rank", "start", "fit", "certify")  # phases of a run; the others read, check and write


@dataclass
class Usage:
    """What a process took."""

    cpu: float
    memory: float
    status: int
    wall: float


@dataclass
class Run:
    """What one run took and found; NaN: not known."""

    cpu: float  # processor seconds of the job itself
    wall: float
    whole: float = float("nan")  # of the whole command, with reading, check and writing
    check: float = float("nan")
    memory: float = float("nan")  # most resident, bytes
    value: float = float("nan")  # an objective, or an error against the truth
    note: str = ""
    course: List[Tuple[float, float]] = field(default_factory=list)  # processor seconds, objective


def child(command: Sequence[str], threads: int) -> Tuple[str, Usage]:
    """Output of a command and what it took."""
    environment = {**os.environ, **{name: str(threads) for name in THREADS}}
    read, write = os.pipe()
    launch = [sys.executable, "-I", "-S", str(HERE / "launch.py"), str(write), *command]
    begun = time.monotonic()
    done = subprocess.run(launch, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, pass_fds=[write], text=True)
    wall = time.monotonic() - begun
    os.close(write)
    with os.fdopen(read) as stream:
        said = json.loads(stream.read())
    return done.stdout, Usage(wall=wall, **said)


def crease(program: str, arguments: Sequence[str], out: pathlib.Path, threads: int = 1) -> Run:
    """A verb that writes a result; the job itself is the phases that compute."""
    shutil.rmtree(out, ignore_errors=True)
    command = [program, *arguments, "--out", str(out), "--quiet"]
    _, usage = child(command, threads)
    cpu = usage.cpu
    document = out / "result.json"
    if not document.exists():
        return Run(float("nan"), usage.wall, cpu, note=f"failed with status {usage.status}")
    result = json.loads(document.read_text())
    seconds: Dict[str, float] = result["phase_seconds"]
    total = max(sum(seconds.values()), 1e-9)
    computing = sum(seconds.get(k, 0.0) for k in COMPUTING)
    share = computing / total
    check = seconds.get("check", 0.0) / total
    return Run(
        cpu=share * cpu,
        wall=computing,
        whole=cpu,
        check=check * cpu,
        memory=usage.memory,
        note=str(result.get("verdict", "")),
        course=_course(out / "history.csv", computing, share * cpu),
    )


def _course(path: pathlib.Path, wall: float, cpu: float) -> List[Tuple[float, float]]:
    """The objectives of a run, the last of which was there after `wall` seconds and `cpu` of the processor."""
    if not path.exists():
        return []
    with open(path, newline="") as stream:
        rows = [(float(r["seconds"]), float(r["objective"])) for r in csv.DictReader(stream) if r.get("objective")]
    end = rows[-1][0] if rows else 0.0
    return [(max(0.0, (seconds - end + wall) * cpu / wall), objective) for seconds, objective in rows]


def peer(name: str, arguments: Sequence[Any], threads: int = 1) -> Run:
    """A rival of peers.py, or of a script in R: {"cpu", "wall", "value"} on its last line."""
    script = HERE / name
    runner = ["Rscript", "--vanilla"] if script.suffix == ".R" else [sys.executable]
    text, usage = child([*runner, str(script), *map(str, arguments)], threads)
    if usage.status != 0 or not text.strip():
        return Run(float("nan"), usage.wall, note=f"failed with status {usage.status}")
    said = json.loads(text.strip().splitlines()[-1])
    return Run(said["cpu"], said["wall"], memory=usage.memory, value=said.get("value", float("nan")))


@dataclass
class Goal:
    """What was to be reached, and what was measured; NaN: nothing was."""

    what: str
    wanted: float
    found: float
    at_least: bool = False  # or at most

    def verdict(self) -> str:
        if not np.isfinite(self.found):
            return "not measured"
        return "met" if (self.found >= self.wanted if self.at_least else self.found <= self.wanted) else "**missed**"


@dataclass
class Case:
    """What was measured of one job. The goal is of our time over the best peer's."""

    key: str
    title: str
    goal: Optional[float] = None
    what: str = ""  # `value` is
    command: str = ""
    runs: Dict[str, List[Run]] = field(default_factory=dict)
    ours: str = "crease"
    sooner: Optional[float] = None  # goal of our time until we have the best peer's objective, over its time
    least: Optional[float] = None  # goal: our value is at least this
    within: Optional[float] = None  # goal: our value is at most this times the best peer's
    share: Optional[float] = None  # goal of the check's time over that of the fit
    room: Optional[float] = None  # goal of the most memory, bytes

    def median(self, name: str, of: str) -> float:
        found = [getattr(r, of) for r in self.runs.get(name, [])]
        return float(np.median(found)) if found else float("nan")

    def best_peer(self) -> Optional[str]:
        there = [n for n in self.runs if n != self.ours and np.isfinite(self.median(n, "cpu"))]
        return min(there, key=lambda n: self.median(n, "cpu")) if there else None

    def until(self, objective: float) -> float:
        """Processor seconds until we had an objective as good; NaN: never."""
        found = [next((at for at, value in r.course if value <= objective), float("nan")) for r in self.runs.get(self.ours, [])]
        return float(np.median(found)) if found else float("nan")

    def over_peer(self, of: str) -> float:
        """Our median over the best peer's."""
        best = self.best_peer()
        return self.median(self.ours, of) / self.median(best, of) if best else float("nan")

    def ratio(self) -> float:
        return self.over_peer("cpu")

    def goals(self) -> Iterator[Goal]:
        best = self.best_peer() or "a peer"
        if self.goal is not None:
            yield Goal(f"time over that of {best}", self.goal, self.ratio())
        if self.sooner is not None:
            at = self.until(self.median(best, "value")) / self.median(best, "cpu")
            yield Goal(f"time until the objective of {best}, over its time", self.sooner, at)
        if self.least is not None:
            yield Goal(self.what, self.least, self.median(self.ours, "value"), at_least=True)
        if self.within is not None:
            yield Goal(f"{self.what} over that of {best}", self.within, self.over_peer("value"))
        if self.share is not None:
            yield Goal("time of the check over that of the fit", self.share, self.median(self.ours, "check") / self.median(self.ours, "cpu"))
        if self.room is not None:
            yield Goal("most memory of the command, GB", self.room / 1e9, self.median(self.ours, "memory") / 1e9)


def take_turns(case: Case, contenders: Mapping[str, Callable[[], Run]], turns: int, budget: float) -> Case:
    """At most `turns` rounds, and none after `budget` seconds; who failed once is not tried again."""
    begun, failed = time.monotonic(), set()
    for turn in range(turns):
        if turn and time.monotonic() - begun > budget:
            break
        for name, run in contenders.items():
            if name in failed:
                continue
            found = run()
            case.runs.setdefault(name, []).append(found)
            if not np.isfinite(found.cpu):
                failed.add(name)
    return case
