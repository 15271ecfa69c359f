# SPDX-License-Identifier: MIT
"""What a long call says while it works: one line on a terminal or in a notebook, and the log.

Nothing is said in the first two seconds. A call that is not watched by anybody says nothing at all.
"""

from __future__ import annotations

import json
import logging
import math
import shutil
import sys
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Set, Union

import numpy as np

from . import _errors as errors
from ._native import ffi, lib

logger = logging.getLogger("crease")
logger.addHandler(logging.NullHandler())

_PATIENCE = 2.0  # seconds before a line is drawn
_EVERY, _EVERY_DEBUG = 0.05, 0.001  # seconds between two looks


@dataclass(frozen=True)
class State:
    """What a call is doing. Numbers that are not known are NaN, an iteration -1."""

    phase: str
    fraction: float
    iteration: int
    objective: float
    worst: float
    eps: float
    relative: bool
    seconds: float
    message: str
    stopping: bool


def _state(s: Any) -> State:
    return State(
        phase=ffi.string(lib.crease_phase_name(s.phase)).decode(),
        fraction=s.fraction,
        iteration=s.iteration,
        objective=s.objective,
        worst=s.worst_relative if s.relative else s.worst,
        eps=s.eps,
        relative=bool(s.relative),
        seconds=s.seconds,
        message=ffi.string(s.message).decode("utf-8", "replace") if s.message else "",
        stopping=bool(s.stopping),
    )


def describe(verb: str, s: State) -> str:
    """``crease rpca  fit 45 %  iteration 18  residual 3.1e-05 -> 1e-06  4.0 s``"""
    words = [f"crease {verb}  {s.phase}"]
    if not math.isnan(s.fraction):
        words[0] += f" {100 * s.fraction:.0f} %"
    if s.stopping:
        words.append("stopping")
    if s.message:
        words.append(s.message)
    if s.iteration >= 0:
        words.append(f"iteration {s.iteration}")
    if math.isfinite(s.worst) and s.eps > 0:
        words.append(f"residual {s.worst:.1e} -> {s.eps:g}")
    if math.isfinite(s.objective):
        words.append(f"objective {s.objective:.5g}")
    words.append(f"{s.seconds:.1f} s")
    return "  ".join(words)


class _Terminal:
    """One line on standard error, drawn again and erased at the end."""

    def __init__(self) -> None:
        self._drawn = 0

    def draw(self, text: str) -> None:
        room = shutil.get_terminal_size().columns - 1
        text = text[:room]
        sys.stderr.write("\r" + text.ljust(self._drawn))
        sys.stderr.flush()
        self._drawn = len(text)

    def erase(self) -> None:
        if self._drawn:
            sys.stderr.write("\r" + " " * self._drawn + "\r")
            sys.stderr.flush()


class _Notebook:
    """One line of a notebook, which is updated and goes at the end."""

    def __init__(self) -> None:
        self._handle: Optional[Any] = None

    def draw(self, text: str) -> None:
        from html import escape

        from IPython.display import HTML, display  # type: ignore[import]

        page = HTML(f"<code>{escape(text)}</code>")
        if self._handle is None:
            self._handle = display(page, display_id=True)
        else:
            self._handle.update(page)

    def erase(self) -> None:
        if self._handle is not None:
            from IPython.display import HTML

            self._handle.update(HTML(""))


def _in_notebook() -> bool:
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    return ask is not None and "ZMQInteractiveShell" in [c.__name__ for c in type(ask()).__mro__]


def _place() -> Union[None, _Terminal, _Notebook]:
    if _in_notebook():
        return _Notebook()
    try:
        return _Terminal() if sys.stderr.isatty() else None
    except (AttributeError, ValueError):  # there is none, or it is closed
        return None


class Reporter:
    """Tells a callable, a line and the log what the looks of a call see."""

    def __init__(self, verb: str, call: Optional[Callable[[State], Optional[bool]]],
                 place: Union[None, _Terminal, _Notebook]) -> None:
        self._verb, self._call, self._place = verb, call, place
        self._seen: Set[str] = set()
        self._worst = math.nan
        self.every = _EVERY_DEBUG if logger.isEnabledFor(logging.DEBUG) else _EVERY

    def show(self, raw: Any) -> bool:
        """False: the caller asks to stop."""
        s = _state(raw)
        self._log(s)
        if s.seconds >= _PATIENCE:
            self._at_place("draw", describe(self._verb, s))
        answer = None if self._call is None else self._call(s)
        return not isinstance(answer, (bool, np.bool_)) or bool(answer)

    def _log(self, s: State) -> None:
        if s.phase not in self._seen:
            self._seen.add(s.phase)
            logger.info("%s: %s", self._verb, s.phase)
        if s.worst != self._worst and math.isfinite(s.worst):
            self._worst = s.worst
            logger.debug("%s", describe(self._verb, s))

    def _at_place(self, what: str, *words: str) -> None:
        """Draws or erases the line; a terminal that is gone ends no call."""
        if self._place is None:
            return
        try:
            getattr(self._place, what)(*words)
        except Exception as e:
            self._place = None
            logger.info("no progress is shown any more: %s", e)

    def end(self) -> None:
        """Leaves nothing of the line."""
        self._at_place("erase")


def reporter(progress: Any, verb: str) -> Reporter:
    """By the argument `progress` of a call: "auto", None or False, True, or a callable."""
    if progress is None or progress is False:
        return Reporter(verb, None, None)
    if progress is True or isinstance(progress, str) and progress == "auto":
        return Reporter(verb, None, _place())
    if callable(progress):
        return Reporter(verb, progress, None)
    raise errors.ArgumentError(
        f"progress is {progress!r}; give 'auto', None, or a function that gets the state"
    )


def log_result(verb: str, notes: str, files: Mapping[str, Any]) -> None:
    """What the library said beside its result, and its last certificate."""
    for line in notes.splitlines():
        logger.info("%s", line.replace("crease: ", "", 1))
    if "result.json" in files and logger.isEnabledFor(logging.DEBUG):
        document = json.loads(files["result.json"])
        logger.debug("%s: %s; %s", verb, document["outcome_text"], document["verdict_text"])
