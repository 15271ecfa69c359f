# SPDX-License-Identifier: MIT
"""python3 -m page.large: time and memory of robust PCA from 10^7 to 10^9 entries, in memory and streamed.

    python3 -m page.large --program build/release/src/crease --work FOLDER [--memory 800M] [--sides 215,464]
                          [--svg docs/images/growth.svg]

Every side is a cube, drawn into FOLDER and removed again without --keep; what was measured stays in FOLDER/large.json,
so that a later call adds sides. --svg draws all that is there.
"""

from __future__ import annotations

import argparse
import json
import pathlib
import shutil
from dataclasses import asdict
from typing import Any, Dict, List

import matplotlib
import numpy as np

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

from .turns import crease  # noqa: E402

RANK = 5
COLOURS = {"memory": "#2b6cb0", "streamed": "#c05621"}


def _arguments() -> argparse.Namespace:
    parse = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parse.add_argument("--program", default="build/release/src/crease")
    parse.add_argument("--work", type=pathlib.Path, required=True)
    parse.add_argument("--memory", default="800M")
    parse.add_argument("--sides", default="")
    parse.add_argument("--ways", default="memory,streamed")
    parse.add_argument("--keep", action="store_true", help="the tensors")
    parse.add_argument("--svg", type=pathlib.Path)
    return parse.parse_args()


def _tensor(a: argparse.Namespace, side: int) -> pathlib.Path:
    """Rank 5, noise of a hundredth of the entries' deviation, and 5 % outliers of ten; drawn slice by slice."""
    path = a.work / f"cube-{side}.npy"
    if not path.exists():
        random = np.random.default_rng(1)
        x, y, z = (random.standard_normal((side, RANK)) for _ in range(3))
        to = np.lib.format.open_memmap(path, mode="w+", dtype="f8", shape=(side, side, side))
        for k in range(side):
            rows = (x[k] * y) @ z.T + 0.02 * random.standard_normal((side, side), dtype="f4")
            spoilt = random.integers(0, side * side, side * side // 20)
            rows.flat[spoilt] += 20 * random.standard_normal(len(spoilt))
            to[k] = rows
        to.flush()
    return path


def _measure(a: argparse.Namespace, side: int, way: str) -> Dict[str, Any]:
    options = ["--memory", a.memory] if way == "streamed" else []
    out = a.work / "fit"
    run = crease(a.program, ["rpca", str(_tensor(a, side)), "--rank", str(RANK), "--threads", "1", *options], out)
    document = json.loads((out / "result.json").read_text())
    shutil.rmtree(out)
    found = {**asdict(run), "way": way, "side": side, "passes": document["passes"], "elapsed": document["seconds"]}
    print(json.dumps(found), flush=True)
    return found


def _draw(runs: List[Dict[str, Any]], limit: str, to: pathlib.Path) -> None:
    figure, (left, right) = plt.subplots(1, 2, figsize=(8.4, 3.4))
    for way, colour in COLOURS.items():
        mine = sorted((r for r in runs if r["way"] == way), key=lambda r: float(r["side"]))
        at = [r["side"] ** 3 for r in mine]
        name = "in memory" if way == "memory" else f"--memory {limit}"
        left.loglog(at, [r["whole"] for r in mine], "o-", color=colour, label=f"{name}: whole command")
        left.loglog(at, [r["cpu"] for r in mine], "s:", color=colour, label=f"{name}: start, fit and certificate")
        right.loglog(at, [r["memory"] / 1e9 for r in mine], "o-", color=colour, label=name)
    sizes = sorted({r["side"] ** 3 for r in runs})
    right.loglog(sizes, [8e-9 * n for n in sizes], "--", color="#718096", label="the data")
    for axes, title in (left, "seconds of the processor"), (right, "most resident memory, GB"):
        axes.set_xlabel("entries")
        axes.set_title(title, fontsize=10)
        axes.legend(fontsize=7)
        axes.grid(True, which="major", linewidth=0.3)
    figure.tight_layout()
    figure.savefig(to, metadata={"Date": None})
    plt.close(figure)


def main() -> int:
    a = _arguments()
    a.work.mkdir(parents=True, exist_ok=True)
    store = a.work / "large.json"
    runs: List[Dict[str, Any]] = json.loads(store.read_text()) if store.exists() else []
    for side in map(int, filter(None, a.sides.split(","))):
        for way in a.ways.split(","):
            runs = [r for r in runs if (r["side"], r["way"]) != (side, way)] + [_measure(a, side, way)]
            store.write_text(json.dumps(runs, indent=1))
        if not a.keep:
            _tensor(a, side).unlink()
    if a.svg:
        _draw(runs, a.memory, a.svg)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
