# SPDX-License-Identifier: MIT
"""report.md and its plots, of what was measured."""

from __future__ import annotations

import datetime
import math
import os
import pathlib
import platform
import shutil
import subprocess
from typing import Any, Dict, List, Sequence

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

from .kernels import GOALS  # noqa: E402
from .turns import Case  # noqa: E402

HEAD = """# How fast crease is

Written by `make bench` on {date}: {machine}, {load}. crease {version}; {peers}.

Whole jobs run in turns with their peers, every run in a process of its own, on one thread; seconds are of the processor, medians
over the turns. The clock of a peer runs around its computation alone, from arrays in memory to arrays in memory. Ours is what a
run spends on starts, fit and certificate; `command` is all of it, with reading, the independent check and writing.
**A ratio below 1 means that we are ahead**; one above 1 is a loss and in bold, as is a goal that was missed.
"""

LAST = """
What takes too long for this page, where the time goes and what was tried: [notes on speed](performance-notes.md),
[large data](scale.md#measured), [32 kinds of problem beside rivals](../study/results/engine.md), [examples of other Python
packages](../study/results/python.md), [the paper's tables](../study/results/tables.md).
"""


def _number(x: float, digits: int = 3) -> str:
    return "" if not math.isfinite(x) else f"{x:.{digits}g}"


def machine_of(program: str) -> str:
    """The processor by its name, and the BLAS that the program is linked with."""
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text().splitlines()
        names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    except OSError:
        names = []
    try:
        linked = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
    except OSError:
        linked = ""
    found = [line.split("=>")[1].split()[0] for line in linked.splitlines() if "blas" in line and "=> /" in line]
    libraries = sorted((os.path.basename(os.path.realpath(path)) for path in found), key=lambda name: name.startswith("libblas"))
    core = os.environ.get("OPENBLAS_CORETYPE")
    blas = (libraries[0] if libraries else "unknown") + (f" with OPENBLAS_CORETYPE={core}" if core else "")
    return f"{names[0] if names else platform.machine()}, BLAS {blas}"


def _load() -> str:
    one, _, _ = os.getloadavg()
    return f"load {one:.1f} when it was written, {os.cpu_count()} cores"


def _version(repository: pathlib.Path) -> str:
    command = ["git", "-C", str(repository), "describe", "--always", "--dirty"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.stdout.strip() or "of unknown commit"


def _peers() -> str:
    import numpy
    import scipy
    import sklearn

    names = [f"Python {platform.python_version()}", f"NumPy {numpy.__version__}", f"SciPy {scipy.__version__}"]
    names.append(f"scikit-learn {sklearn.__version__}")
    for package in "rsvd", "glmnet":
        command = ["Rscript", "-e", f'cat(as.character(packageVersion("{package}")))']
        try:
            done = subprocess.run(command, capture_output=True, text=True)
        except OSError:
            names.append("R is not installed")
            break
        names.append(f"{package} {done.stdout}" if done.returncode == 0 else f"{package} is not installed")
    return ", ".join(names)


def _goals(cases: Sequence[Case], kernels: Dict[str, Any]) -> List[str]:
    lines = ["## Goals", "", "| job | goal | at most | measured | |", "|---|---|---|---|---|"]
    for c in cases:
        for g in c.goals():
            wanted = f"at least {_number(g.wanted)}" if g.at_least else _number(g.wanted)
            lines.append(f"| {c.title} | {g.what} | {wanted} | {_number(g.found)} | {g.verdict()} |")
    for r in kernels.get("rows", []):
        goal = GOALS.get((r["size"], r["rank"]))
        if goal and r["threads"] == 1 and r["stored"] == "double":
            verdict = "met" if r["share"] >= goal else "**missed**"
            title = f"Kernels: {r['method']}, {r['size'].replace('x', ' x ')}, rank {r['rank']}"
            lines.append(f"| {title} | share of the machine's limit | at least {goal} % | {r['share']} % | {verdict} |")
    return lines + [""]


def _ratio(case: Case) -> str:
    ratio = _number(case.ratio())
    return f"**{ratio}**" if case.ratio() > 1 else ratio


def _jobs(cases: Sequence[Case]) -> List[str]:
    lines = ["## Jobs", "", "![ratios](ratios.svg)", ""]
    lines += ["| job | ours, s | command, s | memory, MB | best peer | s | ratio | ours / peer | certificate |", "|---|---|---|---|---|---|---|---|---|"]
    for c in cases:
        best = c.best_peer()
        notes = sorted({r.note for r in c.runs.get(c.ours, [])})
        values = f"{_number(c.median(c.ours, 'value'), 5)} / {_number(c.median(best, 'value'), 5) if best else ''}"
        lines.append(
            f"| {c.title} | {_number(c.median(c.ours, 'cpu'))} | {_number(c.median(c.ours, 'whole'))} | "
            f"{_number(c.median(c.ours, 'memory') / 1e6)} | {best or 'none'} | {_number(c.median(best, 'cpu')) if best else ''} | "
            f"{_ratio(c)} | {values} ({c.what}) | {', '.join(notes)} |"
        )
    lines += ["", "| job | turns | command |", "|---|---|---|"]
    return lines + [f"| {c.title} | {len(c.runs.get(c.ours, []))} | `{c.command}` |" for c in cases]


def _checks(cases: Sequence[Case]) -> List[str]:
    lines = ["", "## The check", "", "Processor seconds of the independent check beside those of the fit it judges.", ""]
    lines += ["| job | fit, s | check, s | share |", "|---|---|---|---|"]
    for c in cases:
        fit, check = c.median(c.ours, "cpu"), c.median(c.ours, "check")
        if math.isfinite(check):
            lines.append(f"| {c.title} | {_number(fit)} | {_number(check)} | {100 * check / fit:.0f} % |")
    return lines


def _kernels(found: Dict[str, Any]) -> List[str]:
    lines = ["", "## Kernels", "", "Milliseconds of an iteration or evaluation, and its share of the limit: the larger of bytes over"]
    lines += ["bandwidth and flops over DGEMM, both measured in the same turns.", ""]
    lines += ["```text", *found["machine"], "```", ""]
    lines += ["| size, R | | stored | 1 thread, ms | of the limit | goal | 2 threads, ms | gain |", "|---|---|---|---|---|---|---|---|"]
    two = {(r["size"], r["rank"], r["method"], r["stored"]): r["ms"] for r in found["rows"] if r["threads"] == 2}
    for r in found["rows"]:
        if r["threads"] != 1:
            continue
        goal = GOALS.get((r["size"], r["rank"]))
        share = f"{r['share']} %" if not goal or r["share"] >= goal else f"**{r['share']} %**"
        both = two.get((r["size"], r["rank"], r["method"], r["stored"]), math.nan)
        lines.append(
            f"| {r['size']}, {r['rank']} | {r['method']} | {r['stored']} | {r['ms']:.3f} | {share} | {goal or ''} | "
            f"{_number(both, 4)} | {_number(r['ms'] / both)} |"
        )
    return lines + ["", "Bold: below its goal."]


def _growth(curves: Sequence[Dict[str, Any]]) -> List[str]:
    lines = ["", "## Growth", ""]
    for c in curves:
        lines += [f"### {c['title']}", ""]
        if c["key"] != "threads":
            lines += [f"![{c['title']}]({c['key']}.svg)", ""]
        lines += [f"| {c['axis']} | start, fit and certificate, s of the processor | elapsed | command | memory, MB |", "|---|---|---|---|---|"]
        for x, r in zip(c["at"], c["runs"]):
            lines.append(
                f"| {x:g} | {_number(r['cpu'])} | {_number(r['wall'])} | {_number(r['whole'])} | {_number(r['memory'] / 1e6)} |"
            )
        lines.append("")
    return lines


def _plot_ratios(cases: Sequence[Case], out: pathlib.Path) -> None:
    there = [c for c in cases if math.isfinite(c.ratio())]
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(there) + 1.2))
    for k, c in enumerate(reversed(there)):
        ratio = c.ratio()
        axes.barh(k, math.log10(ratio), color="#2b6cb0" if ratio < 1 else "#c05621", height=0.62)
        if c.goal:
            axes.plot([math.log10(c.goal)] * 2, [k - 0.4, k + 0.4], color="black", linewidth=1.4)
        axes.annotate(_number(ratio, 2), (math.log10(ratio), k), xytext=(4 if ratio >= 1 else -4, 0), va="center",
                      bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5}, ha="left" if ratio >= 1 else "right", textcoords="offset points", fontsize=8)  # fmt: skip
    axes.set_yticks(range(len(there)), [c.title for c in reversed(there)], fontsize=8)
    low, high = axes.get_xlim()
    axes.set_xlim(low - 0.25, high + 0.25)
    ticks = [t for t in range(math.floor(low), math.ceil(high) + 1)]
    axes.set_xticks(ticks, [f"{10.0 ** t:g}" for t in ticks])
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("our processor time over the best peer's; black mark: the goal")
    for side in "top", "right":
        axes.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(out / "ratios.svg")
    plt.close(figure)


def _plot_curve(c: Dict[str, Any], out: pathlib.Path) -> None:
    figure, axes = plt.subplots(figsize=(5.6, 3.4))
    axes.loglog(c["at"], [r["cpu"] for r in c["runs"]], "o-", label="start, fit and certificate, s", color="#2b6cb0")
    axes.loglog(c["at"], [r["whole"] for r in c["runs"]], "o--", label="whole command, s", color="#718096")
    axes.loglog(c["at"], [r["memory"] / 1e9 for r in c["runs"]], "s:", label="memory, GB", color="#c05621")
    axes.set_xlabel(c["axis"])
    axes.legend(fontsize=8)
    axes.grid(True, which="major", linewidth=0.3)
    axes.set_title(c["title"], fontsize=10)
    figure.tight_layout()
    figure.savefig(out / f"{c['key']}.svg")
    plt.close(figure)


def write(found: Dict[str, Any], cases: Sequence[Case], out: pathlib.Path, repository: pathlib.Path) -> None:
    head = HEAD.format(date=datetime.date.today().isoformat(), machine=found["machine"], load=_load(), version=_version(repository), peers=_peers())
    lines = [head, *_goals(cases, found["kernels"]), *_jobs(cases), *_checks(cases)]
    if found["kernels"]:
        lines += _kernels(found["kernels"])
    if found["growth"]:
        lines += _growth(found["growth"])
    (out / "report.md").write_text("\n".join(lines).rstrip() + "\n")
    _plot_ratios(cases, out)
    for curve in found["growth"]:
        if curve["key"] != "threads":
            _plot_curve(curve, out)


def publish(out: pathlib.Path, page: pathlib.Path) -> None:
    """The report as a page of the documentation, its plots in a folder of images beside it."""
    images = page.parent / "images" / page.stem
    shutil.rmtree(images, ignore_errors=True)
    images.mkdir(parents=True)
    text = (out / "report.md").read_text()
    for plot in sorted(out.glob("*.svg")):
        if f"({plot.name})" in text:
            text = text.replace(f"({plot.name})", f"(images/{page.stem}/{plot.name})")
            shutil.copy(plot, images)
    page.write_text(text + LAST)
