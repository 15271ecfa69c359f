# SPDX-License-Identifier: MIT
"""Ctrl-C at random times of every function, and what is left of the call.

    interrupts.py --entries N --trials K [--late S] [--longest S] [--only NAME]

Each call is ended by SIGINT at a random time of its course. It must end within `late` seconds by
crease.Interrupted, with a result that can be used or None, and leave the handler of the signal as
it was. Prints a line for each case; the exit code is 1 when one has failed.
"""

from __future__ import annotations

import argparse
import os
import pathlib
import random
import signal
import sys
import tempfile
import threading
import time
from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple

import numpy as np

import crease
from crease._functions import SmoothFunctions

Call = Callable[[], Any]


def cube(entries: float, order: int) -> List[int]:
    """A shape of about so many entries."""
    side = max(4, round(entries ** (1 / order)))
    return [side] * (order - 1) + [max(4, int(entries) // side ** (order - 1))]


def low_rank(shape: List[int], rank: int, draw: np.random.Generator) -> Any:
    """Low rank, noise and outliers."""
    letters = "abcdefg"[: len(shape)]
    factors = [draw.normal(size=(n, rank)) for n in shape]
    spec = ",".join(c + "z" for c in letters) + "->" + letters
    values = np.einsum(spec, *factors, optimize=True) + 0.1 * draw.normal(size=shape)
    values[draw.random(shape) < 0.05] += 5
    return values


def own_loss(draw: np.random.Generator, called: Call = lambda: None) -> Call:
    """A problem whose loss is a function of Python, and which is never solved to the end."""
    n = 200
    A, b = draw.normal(size=(n, n)), draw.normal(size=n)

    def value(x: Sequence[Any]) -> float:
        called()
        return float(np.logaddexp(A @ x[0] - b, b - A @ x[0]).sum())

    f = SmoothFunctions(
        value,
        lambda x, i: np.asarray(A.T @ np.tanh(A @ x[0] - b)),
        [(n,)],
    )
    block = {"name": "x", "shape": n, "regularizer": "scad:1,3.7"}
    smooth = [{"callback": {"name": "f", "blocks": ["x"]}}]
    problem = {"crease": 1, "blocks": [block], "smooth": smooth}
    return lambda: crease.solve(problem, functions={"f": f}, eps=1e-15, relative=False)


def cases(entries: float, folder: pathlib.Path) -> Dict[str, Call]:
    """Every function on data of about so many entries."""
    draw = np.random.default_rng(0)
    T, M = low_rank(cube(entries, 3), 4, draw), low_rank(cube(entries, 2), 4, draw)
    square = low_rank(cube(max(400, entries / 8), 2), 3, draw)
    holes = np.where(draw.random(T.shape) < 0.2, np.nan, T)
    rows = cube(entries, 2)[0] // 2 + 2
    X = draw.normal(size=(rows, int(entries) // rows))
    y = X[:, :10] @ draw.normal(size=10) + draw.normal(size=rows)
    fit = [{"least_squares": {"terms": {"x": X}, "rhs": y}}]
    n = X.shape[1]
    lasso = {"crease": 1, "smooth": fit,
             "blocks": [{"name": "x", "shape": n, "regularizer": "mcp:9,3"}]}
    split = {"crease": 1, "smooth": fit, "constraint": {"maps": {"x": 1, "z": -1}, "rhs": 0},
             "blocks": [{"name": "z", "shape": n, "regularizer": "l1:9"},
                        {"name": "x", "shape": n}]}
    model = crease.rpca(T, 4)
    csv, h5 = folder / "table.csv", folder / "tensor.h5"
    np.savetxt(csv, M, delimiter=",", fmt="%.9g")
    try:
        crease.write(h5, T)
    except crease.UnsupportedError:  # a format that was left out of the build
        h5 = csv
    return {
        "rpca": lambda: crease.rpca(T, 4, eps=1e-12),
        "rpca rank": lambda: crease.rpca(T, eps=1e-12),
        "rpca holes": lambda: crease.rpca(holes, 4, missing="nan", penalty="mcp", eps=1e-12),
        "rpca admm-g": lambda: crease.rpca(T, 4, method="admm-g", eps=1e-12),
        "rpca tucker": lambda: crease.rpca(T, model="tucker", eps=1e-12),
        "rpca matrix": lambda: crease.rpca(M, model="matrix", eps=1e-12),
        "rpca eta": lambda: crease.rpca(M, 4, model="matrix", eta="auto"),
        "rpca pcp": lambda: crease.rpca(square, model="pcp"),
        "spca": lambda: crease.spca(T, 20),
        "regress": lambda: crease.regress(X, y, cv=5),
        "regress logistic": lambda: crease.regress(
            X, (y > 0).astype(float), loss="logistic", penalty="mcp", cv=5
        ),
        "solve": lambda: crease.solve(lasso, eps=1e-13),
        "solve admm-m": lambda: crease.solve(split, method="admm-m", eps=1e-13),
        "solve own loss": own_loss(draw),
        "apply": lambda: crease.apply(model, T),
        "verify": lambda: crease.verify(model),
        "generate": lambda: crease.generate("cp", shape=T.shape, rank=4, noise=1),
        "read csv": lambda: crease.read(csv),
        "read h5": lambda: crease.read(h5),
        "write csv": lambda: crease.write(folder / "new.csv", M, force=True),
        "to_folder": lambda: model.to_folder(folder / "out", force=True),
    }


def interrupted(call: Call, at: float) -> Tuple[Optional[BaseException], Optional[float]]:
    """Calls, with SIGINT after so many seconds: what was raised, and how long that took."""
    sent: List[float] = []
    ended = threading.Event()

    def send() -> None:
        if not ended.wait(at):
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

    sender = threading.Thread(target=send)
    raised: Optional[BaseException] = None
    end = 0.0
    try:
        sender.start()
        try:
            call()
        except BaseException as e:
            raised = e
        end = time.monotonic()
        ended.set()
        sender.join()
        time.sleep(0.001)
    except KeyboardInterrupt:  # of a call that had ended, or not yet begun
        ended.set()
        return raised, None
    return raised, end - sent[0] if sent else None


def judge(raised: Optional[BaseException], late: Optional[float], most: float) -> Optional[str]:
    """What is wrong with it; None: nothing."""
    if late is None:
        return None if raised is None else f"{type(raised).__name__}: {raised}"
    if not isinstance(raised, crease.Interrupted):
        return f"not Interrupted but {raised!r}"
    if late > most:
        return f"{late:.2f} s late"
    result = raised.result
    if result is None:
        return None
    if not isinstance(result, crease.Answer) or "in " not in repr(result):
        return f"its result is {result!r:.80}"
    if result.verdict == "VALID" and not crease.verify(result).valid:
        return "its result is not as valid as it says"
    return None


def main() -> int:
    options = argparse.ArgumentParser()
    options.add_argument("--entries", type=float, default=1e5)
    options.add_argument("--trials", type=int, default=4)
    options.add_argument("--late", type=float, default=1)
    options.add_argument("--longest", type=float, default=20)
    options.add_argument("--only", default="")
    given = options.parse_args()
    draw, handler = random.Random(0), signal.getsignal(signal.SIGINT)
    done = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, call in cases(given.entries, pathlib.Path(folder)).items():
            if not name.startswith(given.only):
                continue
            begun = time.monotonic()
            interrupted(call, given.longest)
            length, worst, results = time.monotonic() - begun, 0.0, 0
            for _ in range(given.trials):
                at = length * draw.uniform(0.02, 0.98)
                raised, late = interrupted(call, at)
                wrong = judge(raised, late, given.late)
                if signal.getsignal(signal.SIGINT) is not handler:
                    wrong = "the handler of the signal is another"
                worst = max(worst, late or 0)
                results += getattr(raised, "result", None) is not None
                done, failed = done + 1, failed + (wrong is not None)
                if wrong:
                    print(f"FAILED {name} at {at:.2f} s of {length:.2f}: {wrong}")
            line = f"{name:18s} {length:6.2f} s   at most {worst:5.2f} s late"
            print(f"{line}   {results} of {given.trials} with a result", flush=True)
    print(f"{done - failed} passed, {failed} failed")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
