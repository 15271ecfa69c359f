# SPDX-License-Identifier: MIT
"""The page: what the measurements say in short, the losses, and a table for every rival."""

from __future__ import annotations

import datetime
import importlib.metadata
import os
import pathlib
import platform
import subprocess
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple

import numpy as np

from .example import NONE, TIE, Closer, Measured

SLOWER = 1.25  # a ratio that counts as slower
HEAD = """# crease in Python beside other packages

Written by `make bench-python`; {date}, {machine}. {versions}.

The examples are those that the packages document, with their data, seeds, settings and iterations
(where they have no seed: 0; the largest tensor of `robust_pca`, which is none of theirs: 1 and 2);
no rule of crease was tuned on them, and crease runs with its defaults but for what a row says. One
process for each rival; both sides in turns, one thread, processor time, medians over {turns} turns
after a warm-up (fewer where one takes long). The objective F of both answers is computed by the
same NumPy function from its definition; `same` means equal to {tie:g}, relative. Where F is an
error against a truth, below {tie:g} counts as exact.

`ratio` is our time over theirs: **below 1 we are ahead**. It includes the independent check that
every answer of ours comes with; `no check` is without it. `2 threads` is the ratio of elapsed times
where both may use two, for examples that take longer than 0.1 s; the machine may have had other
work, so it is rough. `certificate`: the verdict of the checker, the residual (of `rpca` and
`regress` relative), and of regressions whether a global minimum is proved.
"""


def versions(packages: Sequence[str]) -> Dict[str, str]:
    """What is installed of the packages."""
    return {name: importlib.metadata.version(name) for name in packages}


def commit() -> str:
    """The commit of this tree, in parentheses; empty where it is none."""
    here = os.path.dirname(os.path.abspath(__file__))
    command = ["git", "-C", here, "rev-parse", "--short", "HEAD"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return f" ({done.stdout.strip()})"


def _machine() -> str:
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        kind = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        kind = platform.machine()
    return f"{kind}, {os.cpu_count()} cores"


def _number(v: float) -> str:
    return f"{v:.8g}" if 1e-4 <= abs(v) < 1e7 else f"{v:.3e}"


def _value(values: Sequence[float]) -> str:
    return _number(values[0]) if len(values) == 1 else f"sum {_number(float(np.sum(values)))}"


def _ratio(x: float) -> str:
    return f"{x:.3g}" if x < 100 else f"{x:.0f}"


def _rows(found: Mapping[str, Any]) -> List[Measured]:
    rows = []
    for r in found.get("rows", []):
        given = {k: v for k, v in r.items() if k != "outcome"}
        given["closer"] = Closer(**r["closer"]) if r["closer"] else None
        rows.append(Measured(**given))
    return rows


def _worse(m: Measured) -> int:
    """How many of the rival's answers are lower, and no farther from the constraints."""
    if outside(m):
        return 0
    a, b = np.array(m.rival), np.array(m.ours)
    scale = np.maximum(np.maximum(np.abs(a), np.abs(b)), TIE if m.error else np.finfo(float).tiny)
    return int(np.sum((b - a) / scale > TIE))


def outside(m: Measured) -> bool:
    """The rival's answer is off the constraints, and ours is not."""
    return m.rival_off > 1e-5 and m.rival_off > 10 * m.ours_off


def _notes(m: Measured) -> str:
    ratio = m.cpu[1] / m.cpu[0]
    share = 1 - m.unchecked / m.cpu[1]
    notes = [m.note] if m.note else []
    if outside(m):
        notes.append(f"the rival's answer is off by {m.rival_off:.1e}, ours by {m.ours_off:.1e}")
    if m.closer:
        same = _value(m.closer.rival)
        notes.append(
            f"the rival with {m.closer.how}: F {same}, ratio {_ratio(m.cpu[1] / m.closer.cpu)}"
        )
    if m.first > 0.5:
        notes.append(f"the rival's first call took {m.first:.1f} s longer")
    if ratio > 1 and share > 0.25:
        notes.append(f"{share:.0%} of ours is the check")
    if ratio > 1 and m.cpu[1] < 0.004:
        notes.append("ours is mostly the fixed cost of a call, a millisecond or two")
    return "; ".join(notes)


def _table(name: str, found: Mapping[str, Any], rows: Sequence[Measured]) -> List[str]:
    lines = [
        f"| example | size | {name}: F | crease: F | | ratio | no check | 2 threads | certificate "
        "| notes |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for m in rows:
        two: Optional[Tuple[float, float]] = found["two"].get(m.name)
        cells = [
            m.name,
            m.size,
            _value(m.rival),
            _value(m.ours),
            "rival lower, outside" if outside(m) and m.outcome == "rival lower" else m.outcome,
            _ratio(m.cpu[1] / m.cpu[0]),
            _ratio(m.unchecked / m.cpu[0]),
            _ratio(two[1] / two[0]) if two else "",
            m.certificate,
            _notes(m),
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def _summary(name: str, rows: Sequence[Measured]) -> str:
    count = len(rows)
    fine = sum(_worse(m) == 0 for m in rows)
    ratios = [m.cpu[1] / m.cpu[0] for m in rows]
    faster = sum(r < 1 for r in ratios)
    judged = [m.valid for m in rows if m.certificate != NONE]
    return (
        f"- {name}: same or lower F on {fine} of {count}, faster on {faster}, median ratio "
        f"{_ratio(float(np.median(ratios)))}; certified {sum(judged)} of {len(judged)}"
    )


def _losses(name: str, rows: Sequence[Measured]) -> List[str]:
    lines = []
    for m in rows:
        ratio, worse, said = m.cpu[1] / m.cpu[0], _worse(m), []
        if worse:
            said.append(f"F higher{f' on {worse} of {len(m.ours)}' if len(m.ours) > 1 else ''}")
        if ratio > SLOWER:
            lower = ", with a lower F" if m.outcome == "ours lower" else ""
            again = f" ({_ratio(m.cpu[1] / m.closer.cpu)} with {m.closer.how})" if m.closer else ""
            said.append(f"{_ratio(ratio)} times slower{again}{lower}")
        if not m.valid:
            said.append("not certified")
        if said:
            lines.append(f"- {name}, {m.name}: {', '.join(said)}")
    return lines


def page(found: Mapping[str, Dict[str, Any]], of: str) -> str:
    """Markdown of what was measured, of the commit that it was measured at."""
    import crease

    there = {name: _rows(f) for name, f in found.items()}
    turns = max((m.turns for rows in there.values() for m in rows), default=0)
    installed = {
        "crease": crease.__version__ + of,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
    }
    for f in found.values():
        installed.update(f.get("versions", {}))
    head = HEAD.format(
        date=datetime.date.today().isoformat(),
        machine=_machine(),
        turns=turns,
        tie=TIE,
        versions=", ".join(f"{name} {version}" for name, version in installed.items()),
    )
    lines = [head, "## In short", ""]
    lines += [_summary(name, rows) for name, rows in there.items() if rows]
    lines += ["", f"Losses: a higher F, a ratio above {SLOWER:g}, or no certificate.", ""]
    lines += [line for name, rows in there.items() for line in _losses(name, rows)]
    for name, f in found.items():
        lines += ["", f"## {name}", ""]
        if "missing" in f:
            lines.append(f"Not measured: {f['missing']}.")
            continue
        lines += [f["about"], "", *_table(name, f, there[name]), "", f["not_run"]]
    return "\n".join(lines) + "\n"
