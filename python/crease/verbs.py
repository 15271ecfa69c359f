# SPDX-License-Identifier: MIT
"""Commands of the program from Python values: keywords become options, arrays become files.

The functions that people call are generated (native/tables.py); each of them comes here with its
options in a dict, where None is what was not given.
"""

from __future__ import annotations

import json
import os
import re
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar
from typing import Union

import numpy as np

from . import _call, _words
from ._errors import ArgumentError, Interrupted, UnsupportedError
from ._folder import Answer, File
from .arrays import (
    FilePath, Given, axes_text, coordinates, floats, given, is_sparse, mask, matrix_market, words,
)
from .result import Check, Instance, Path, RankTable, Result, RPCAResult, Scores, SPCAResult
from .result import Verdict

Columns = Union[str, int, Sequence[Union[str, int]]]
Problem = Union[Mapping[str, Any], FilePath]
Progress = _call.Progress
Threads = Optional[int]
Rank = Union[int, Sequence[int], range, str]

_A = TypeVar("_A", bound=Answer)
_ORDERS = tuple(range(2, 9))
_NOTE = re.compile(r"^crease: \w+: note: ")  # what a line of the program begins with
_WITH_DATA = ("tucker", "matrix", "pcp")  # models whose folder may have a data.npy of its own


def python_words(text: str) -> str:
    """A sentence of the program as Python spells it: ``--missing nan`` as ``missing="nan"``."""
    from ._options import FLAGS

    return _words.python_words(text, FLAGS)


# keywords as options


def _rank(value: Any, name: str) -> str:
    if isinstance(value, range):
        if value.step != 1 or value.start not in (0, 1) or value.stop < 2:
            raise ArgumentError(
                f"{name}={value}: ranks are searched from 1 on; give range(1, {value.stop}), "
                "or the one number"
            )
        return f"auto:{value.stop - 1}"
    return ",".join(words(value, name))


def _frames(value: Any, name: str) -> str:
    if not isinstance(value, slice):
        return ",".join(words(value, name))
    ends = ["" if v is None else str(int(v)) for v in (value.start, value.stop, value.step)]
    return ":".join(ends if ends[2] else ends[:2])


def _size(value: Any, name: str) -> str:
    return "x".join(words(value, name))


_SPECIAL: Dict[str, Callable[[Any, str], str]] = {
    "rank": _rank,
    "frames": _frames,
    "size": _size,
}


class Command:
    """A command that is being put together: its words, and its files in memory.

    `inputs` are those files that the result is about, `path` is the file that is read.
    """

    def __init__(self, verb: str, path: str = "") -> None:
        self.verb = verb
        self.path = path
        self.words: List[str] = []
        self.files: Dict[str, File] = {}
        self.inputs: Dict[str, File] = {}

    def file(self, name: str, content: File, *, data: bool = False) -> str:
        """Puts a file into memory; returns what the command calls it."""
        self.files[name] = content
        if data:
            self.inputs[name] = content
        return f"memory:{name}"

    def folder(self, name: str, result: Answer, *, data: bool = False) -> str:
        """Puts a result into memory; one that the new result is about with its hashes."""
        files = result._sealed if data else result.files
        for inner, content in files.items():
            self.file(f"{name}/{inner}", content, data=data)
        return f"memory:{name}"

    def data(self, value: Any, name: str, stem: str, dims: Sequence[int]) -> Optional[Given]:
        """Adds data to the words: the path of a file, or an array, which is returned."""
        if isinstance(value, (str, os.PathLike)):
            self.path = self.path or os.fspath(value)
            self.words.append(os.fspath(value))
            return None
        sparse = coordinates(value) if self.verb == "regress" else None
        if sparse is not None:
            self.words.append(self.file(f"{stem}.mtx", sparse, data=True))
            return None
        got = given(value, name, dims=dims)
        self.words.append(self.file(f"{stem}.npy", got.values, data=True))
        return got

    def options(self, options: Mapping[str, Any]) -> None:
        """Adds the options that were given."""
        from ._options import OPTIONS

        for name, value in options.items():
            if value is None:
                continue
            flag, kind = OPTIONS[self.verb][name]
            if kind == "flag":
                self.words += [flag] * self._switch(name, value)
            elif name == "size" and isinstance(value, tuple) and None in value:
                self.words += [flag, self._whole_size(options)]
            else:
                self.words += [flag, self._value(name, kind, value)]

    def _whole_size(self, options: Mapping[str, Any]) -> str:
        """A size of which one number is None: the one that keeps the shape of the frames."""
        size = options["size"]
        if len(size) != 2 or size == (None, None):
            raise ArgumentError(f"size is {size}; give (width, height), one of which may be None")
        other = Command("info")
        other.options({n: options[n] for n in ("read_as", "colour")})
        argv = ["info", self.path, *other.words, "--frames", "0:1", "--json"]
        rows, columns = json.loads(_call.run(argv).output)["array"]["shape"][:2]
        width, height = size
        if width is None:
            width = max(2, 2 * round(height * columns / rows / 2))
        else:
            height = max(2, 2 * round(width * rows / columns / 2))
        return f"{width}x{height}"

    def _switch(self, name: str, value: Any) -> bool:
        if isinstance(value, (bool, np.bool_)) or value in (0, 1):
            return bool(value)
        raise ArgumentError(f"{name} is {value!r}; give True or False")

    def _value(self, name: str, kind: str, value: Any) -> str:
        if kind == "switch":
            return str(int(self._switch(name, value)))
        if isinstance(value, os.PathLike):
            return str(os.fspath(value))
        if isinstance(value, Answer):
            return self.folder(name, value)
        if isinstance(value, str):
            return value
        if name == "axes":
            return self.file("axes.json", axes_text(value))
        if name in _SPECIAL:
            return _SPECIAL[name](value, name)
        if kind == "numbers":
            stem = name.rstrip("_")
            return self.file(f"{stem}.npy", np.atleast_1d(floats(value, name, dims=range(9))))
        if kind == "regularizer":
            return _entry(name, value)
        if kind == "whole number" and isinstance(value, (float, np.floating)):
            if not float(value).is_integer():
                raise ArgumentError(f"{name} is {value!r}; give a whole number")
            value = int(value)
        if kind in ("number", "whole number") and np.ndim(value) > 0:
            raise ArgumentError(f"{name} has {np.size(value)} numbers; give one")
        return ",".join(words(value, name))

    def run(
        self,
        kind: Type[_A],
        *,
        progress: Progress = None,
        threads: Threads = None,
        keep_data: bool = False,
        functions: Optional[Mapping[str, Any]] = None,
        session: Optional[Tuple[_call.Session, Mapping[str, File]]] = None,
    ) -> _A:
        """Runs it with a folder in memory, and makes a result of what it left.

        functions: of the problem, which the result is verified with.
        session: one that has its files and functions already, with those that changed since its
        last run.
        """
        argv = [self.verb, *self.words, "--out", "memory:out"]
        inputs = self.inputs
        if keep_data:
            inputs = {n: f.copy() if isinstance(f, np.ndarray) else f for n, f in inputs.items()}

        def answer(done: _call.Done) -> _A:
            notes = [python_words(_NOTE.sub("", n)) for n in done.notes.splitlines() if n.strip()]
            text = _summary(done.output, self.files)
            return kind(
                done.files,
                text=text,
                notes=notes,
                inputs=inputs,
                functions=functions,
                keep=keep_data,
            )

        try:
            job, changed = session or (_call.Session(self.files, functions, keep=False), {})
            done = job.run(argv, changed, progress=progress, threads=_count(threads))
        except Interrupted as e:
            if isinstance(e.result, _call.Done):
                e.result = answer(e.result) if "result.json" in e.result.files else None
            raise
        return answer(done)


def _entry(name: str, value: Any) -> str:
    """An entry of the catalogue as the program writes it."""
    text = getattr(value, "spec", None)
    if not isinstance(text, str):
        raise ArgumentError(
            f"{name} is of type {type(value).__name__}; give a text, as \"scad:1,3.7\", or an "
            "entry of the catalogue"
        )
    if getattr(value, "_data", None):
        raise ArgumentError(f"{name} has arrays of its own; give them as weights and groups")
    return text


def _count(threads: Threads) -> Threads:
    if threads is None:
        return None
    if isinstance(threads, bool) or int(threads) != threads or threads < 1:
        raise ArgumentError(f"threads is {threads!r}; give a whole number, at least 1")
    return int(threads)


def _summary(output: str, files: Mapping[str, File]) -> str:
    """What the program printed, without the names of files that are none."""
    text = output.strip("\n")
    end = re.search(r"^\S+  \d+ files?, .*\Z", text, re.M | re.S)
    text = text[: end.start()].rstrip() if end else text
    first, _, rest = text.partition("  ")
    if os.path.basename(first.replace("memory:", "/")) in files:
        text = rest.lstrip()
    return python_words(text)


# the functions


@_call.interruptible
def rpca(
    options: Dict[str, Any], *, data: Any, progress: Progress, keep_data: bool
) -> RPCAResult:
    command = Command("rpca")
    own = options["model"] in _WITH_DATA
    stem, got = "input" if own else "data", None
    if is_sparse(data) and options["absent"] == "missing":
        command.words.append(command.file(f"{stem}.mtx", matrix_market(data), data=True))
    else:
        if is_sparse(data) and options["absent"] == "zero":
            options["absent"] = None
        got = command.data(data, "data", stem, _ORDERS)
    _observed(command, options, got, "input_mask.npy" if own else "mask.npy")
    command.options(options)
    return command.run(RPCAResult, progress=progress, keep_data=keep_data)


def _observed(command: Command, options: Dict[str, Any], got: Optional[Given], name: str) -> None:
    """Turns the mask, that of numpy.ma and the axes of the data into files."""
    own = options["mask"]
    if own is not None and not isinstance(own, (str, os.PathLike)):
        own = mask(own, "mask")
        if got is not None and own.shape != got.values.shape:
            raise ArgumentError(
                f"mask has the shape {own.shape} and the data {got.values.shape}; give one True "
                "or False for every entry"
            )
    if got is not None and got.observed is not None:
        if isinstance(own, (str, os.PathLike)):
            raise ArgumentError("mask is a file and data are masked too; give one of them")
        own = got.observed if own is None else own & got.observed
    if isinstance(own, np.ndarray):
        command.inputs[name] = own
        own = command.file(name, own.astype(np.float64))
    options["mask"] = own
    _name_axes(options, got)


def _name_axes(options: Dict[str, Any], got: Optional[Given]) -> None:
    """Axes that the data bring are given unless the caller gives others."""
    if options["axes"] is None and got is not None:
        options["axes"] = got.axes


def _complete(got: Optional[Given], name: str) -> None:
    if got is not None and got.observed is not None:
        raise UnsupportedError(
            f"{name} has masked entries, and all are needed here; fill them, or leave rows out"
        )


@_call.interruptible
def spca(
    options: Dict[str, Any], *, data: Any, threads: Threads, progress: Progress, keep_data: bool
) -> SPCAResult:
    command = Command("spca")
    got = command.data(data, "data", "data", _ORDERS)
    _complete(got, "data")
    _name_axes(options, got)
    command.options(options)
    result = command.run(
        SPCAResult, progress=progress, threads=threads, keep_data=keep_data
    )
    if not result.weights.any():
        warnings.warn("nothing found: every component is zero; give a smaller alpha", stacklevel=3)
    return result


@_call.interruptible
def regress(
    options: Dict[str, Any], *, X: Any, y: Any, progress: Progress, keep_data: bool
) -> Path:
    command = Command("regress")
    rows = command.data(X, "X", "X", (2,))
    outcome = command.data(y, "y", "y", (1, 2))
    _complete(rows, "X")
    _complete(outcome, "y")
    _name_axes(options, rows)
    command.options(options)
    result = command.run(Path, progress=progress, keep_data=keep_data)
    if not result.coefficients.any():
        warnings.warn(
            f"nothing selected: every coefficient is zero; lambda_max is {result.lambda_max:.6g}, "
            "give lambda_ below it",
            stacklevel=3,
        )
    return result


@_call.interruptible
def apply(
    options: Dict[str, Any],
    *,
    result: Union[FilePath, Answer],
    data: Any,
    threads: Threads,
    progress: Progress,
    keep_data: bool,
) -> Scores:
    command = Command("apply")
    if isinstance(result, Answer):
        command.words.append(command.folder("model", result, data=True))
    else:
        command.words.append(os.fspath(result))
    got = command.data(data, "data", "data", _ORDERS)
    _observed(command, options, got, "mask.npy")
    command.options(options)
    return command.run(Scores, progress=progress, threads=threads, keep_data=keep_data)


def _problem(command: Command, problem: Problem, files: Optional[Mapping[str, Any]]) -> None:
    """Adds a problem to the words; a dict and its arrays become files in memory."""
    for name, value in (files or {}).items():
        content: File = value if isinstance(value, str) else floats(value, name, dims=range(9))
        command.file(name, content, data=True)

    def text_of(value: Any) -> Any:
        if isinstance(value, np.generic):
            return value.item()
        if np.ndim(value) == 0 and not hasattr(value, "toarray"):
            raise ArgumentError(f"problem has {value!r:.80}, which is no number, text or array")
        name = f"problem_{len(command.inputs)}.npy"
        # a copy, since a result is about the problem as it was solved
        return command.file(name, floats(value, "problem").copy(), data=True)[len("memory:") :]

    if isinstance(problem, Mapping):
        text = json.dumps(problem, default=text_of)
    elif isinstance(problem, str) and problem.lstrip().startswith("{"):
        text = problem
    elif isinstance(problem, (str, os.PathLike)):
        command.words.append(os.fspath(problem))
        return
    else:
        raise ArgumentError(
            f"problem is of type {type(problem).__name__}; give a dict, a text of JSON or a path"
        )
    command.words.append(command.file("problem.json", text, data=True))


@_call.interruptible
def solve(
    options: Dict[str, Any],
    *,
    problem: Problem,
    files: Optional[Mapping[str, Any]],
    functions: Optional[Mapping[str, Any]],
    progress: Progress,
    keep_data: bool,
) -> Result:
    command = Command("solve")
    _problem(command, problem, files)
    command.options(options)
    return command.run(Result, progress=progress, keep_data=keep_data, functions=functions)


@_call.interruptible
def check(
    options: Dict[str, Any],
    *,
    problem: Problem,
    files: Optional[Mapping[str, Any]],
    functions: Optional[Mapping[str, Any]],
) -> Check:
    command = Command("check")
    _problem(command, problem, files)
    command.options(options)
    argv = ["check", *command.words]
    text = _call.run(argv, command.files, functions=functions).output
    told = _call.run([*argv, "--json"], command.files, functions=functions).output
    return Check(json.loads(told), _problem_text(text))


def _problem_text(text: str) -> str:
    """The table of a check, without the name of a file that is none."""
    return python_words(re.sub(r"^(problem +)\S*problem\.json: ", r"\1", text)).rstrip("\n")


@_call.interruptible
def verify(
    options: Dict[str, Any],
    *,
    result: Union[FilePath, Answer],
    progress: Progress,
) -> Verdict:
    command, functions = Command("verify"), None
    if isinstance(result, Answer):
        functions = result._callbacks()
        result._complete(None, "write it with to_folder(path, data=...) and verify the folder")
        command.files = result._as_files()
        command.words.append("memory:result")
    else:
        command.words.append(os.fspath(result))
    command.options(options)
    argv = ["verify", *command.words, "--json"]
    done = _call.run(argv, command.files, functions=functions, progress=progress)
    return Verdict(json.loads(done.output))


@_call.interruptible
def generate(options: Dict[str, Any], *, kind: str, progress: Progress) -> Instance:
    command = Command("generate")
    command.words.append(kind)
    command.options(options)
    return command.run(Instance, progress=progress)


def rank_table(data: Any, rank: Rank = "auto", **options: Any) -> RankTable:
    """Compare ranks of a CP model on held-out entries.

    Parameters
    ----------
    data : array-like or path
    rank : range or str, default "auto"
        ``range(1, 9)`` or ``"auto:8"`` compares no more than 8.
    **options
        Of `crease.rpca`.

    Returns
    -------
    RankTable
        That of the result of `crease.rpca`.
    """
    from ._options import rpca as run

    return run(data, rank, **options).rank_table

