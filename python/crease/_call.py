# SPDX-License-Identifier: MIT
"""The one door to the library: a command of the program, on files that are in memory.

A path that begins with ``memory:`` names one of the given files, or one that the command makes.
The call runs in C without the interpreter's lock. Twenty times a second C looks into Python: there
signals are heard, progress is shown and a request to stop is seen. Whatever is raised there, or in
a function of a problem, is kept; C ends, and the call raises it.
"""

from __future__ import annotations

import functools
import math
import os
import weakref
from dataclasses import dataclass, field
from typing import (
    Any, Callable, Dict, List, Mapping, NoReturn, Optional, Sequence, Tuple, TypeVar, Union,
    cast,
)

import numpy as np
from numpy.typing import NDArray

from . import _errors as errors
from . import _progress
from ._functions import MapFunctions, SmoothFunctions
from ._native import ffi, lib

_F = TypeVar("_F", bound=Callable[..., Any])
File = Union[NDArray[Any], str]  # an array (.npy) or a text (.json, .csv)
Functions = Mapping[str, Union[SmoothFunctions, MapFunctions]]
Progress = Union[None, bool, str, Callable[["_progress.State"], Optional[bool]]]

_forked = False


def _after_fork() -> None:
    """A child has none of its parent's threads, and whoever waits for them waits for ever."""
    global _forked
    _forked = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


@dataclass
class Done:
    """What a command left: its exit code, what it printed, its notes, the files of memory:out."""

    status: int
    output: str = ""
    notes: str = ""
    files: Dict[str, File] = field(default_factory=dict)


def _text(pointer: Any) -> str:
    return str(ffi.string(pointer), "utf-8", "replace") if pointer else ""


def raise_error(e: Any) -> NoReturn:
    """Raises what a call into C left in its crease_error, in the words of Python."""
    from .verbs import python_words

    name = ffi.string(ffi.cast("crease_code", e.code)).replace("CREASE_", "", 1)
    raise errors.of_code(name)(python_words(_text(e.text)))


def _own(pointer: Any, shape: Tuple[int, ...]) -> NDArray[np.float64]:
    """An array on memory of C, which goes with it."""
    size = int(np.prod(shape)) * 8
    kept = ffi.gc(pointer, lib.crease_job_release, size)
    return np.frombuffer(ffi.buffer(kept, size), dtype=np.float64).reshape(shape)


class _Callback:
    """Functions of a problem: C calls them with pointers, Python gets arrays.

    It is known to C by a handle, and knows its session by a weak reference: what a job has goes
    with it, not when the garbage is collected.
    """

    def __init__(self, session: "Session", f: Union[SmoothFunctions, MapFunctions]) -> None:
        self._session, self.f = weakref.ref(session), f
        self._views: Dict[Tuple[int, int], NDArray[np.float64]] = {}
        if isinstance(f, SmoothFunctions):
            self.table = ffi.new("crease_callback_smooth *")
            self.table.value, self.table.grad = lib.crpy_smooth_value, lib.crpy_smooth_grad
        else:
            self.table = ffi.new("crease_callback_map *")
            self.table.apply, self.table.adjoint = lib.crpy_map_apply, lib.crpy_map_adjoint

    @property
    def session(self) -> "Session":
        session = self._session()
        assert session is not None  # it is C that calls, in a run of it
        return session

    def copy(self, k: int, pointer: Any, shape: Tuple[int, ...]) -> NDArray[np.float64]:
        """The array at an address, which is the caller's to keep; C uses few over and over."""
        key = (k, int(ffi.cast("intptr_t", pointer)))
        found = self._views.get(key)
        if found is None:
            if len(self._views) > 64:
                self._views.clear()
            size = int(np.prod(shape)) * 8
            found = np.frombuffer(ffi.buffer(pointer, size), dtype=np.float64).reshape(shape)
            self._views[key] = found
        return found.copy()

    def blocks(self, x: Any) -> List[NDArray[np.float64]]:
        assert isinstance(self.f, SmoothFunctions)
        return [self.copy(k, x[k], tuple(s)) for k, s in enumerate(self.f.shapes)]


def _number(value: Any) -> float:
    """What the value function of a smooth term has returned."""
    try:
        found = float(value)
    except (TypeError, ValueError):
        raise errors.DataError(
            f"the value of a Smooth term is {value!r:.60}, of type {type(value).__name__}; return "
            "a number"
        ) from None
    if math.isnan(found) or found == -math.inf:
        raise errors.DataError(
            f"the value of a Smooth term is {found}; return a number, or numpy.inf where the "
            "function is not defined"
        )
    return found


def _array(values: Any, shape: Tuple[int, ...], what: str) -> NDArray[np.float64]:
    """What a function of the caller has returned, which has to have this shape."""
    try:
        found = np.asarray(values)
        if found.dtype.kind not in "fiub":
            raise TypeError(f"entries of type {found.dtype}")
    except (TypeError, ValueError) as e:
        raise errors.DataError(f"{what} returned no array of numbers ({e}); return one") from None
    if found.shape != tuple(shape):
        raise errors.ShapeError(
            f"{what} returned an array of shape {found.shape}; return one of shape {tuple(shape)}"
        )
    return found.astype(np.float64, copy=False)


def _refuse_entry(values: NDArray[np.float64], what: str) -> NoReturn:
    """Names the first entry that is not finite."""
    at = tuple(int(k) for k in np.argwhere(~np.isfinite(values))[0])
    raise errors.DataError(
        f"{what} returned {values[at]} at {at}; its entries must be finite where those that it is "
        "given are"
    )


def _add(to: Any, a: float, values: NDArray[np.float64]) -> None:
    """to += a values"""
    into = np.frombuffer(ffi.buffer(to, values.size * 8), dtype=np.float64)
    into += a * values.ravel()


def _spoil(to: Any, shape: Tuple[int, ...]) -> None:
    """NaN, which ends a run that cannot go on."""
    np.frombuffer(ffi.buffer(to, int(np.prod(shape)) * 8), dtype=np.float64)[:] = np.nan


def _caught(kind: Any, raised: BaseException, trace: Any) -> None:
    """What was raised in a function that C has called, be it by a signal on its first line."""
    while True:
        try:
            owner = ffi.from_handle(trace.tb_frame.f_locals["user"])
            (owner if isinstance(owner, Session) else owner.session).fail(raised, trace)
            return
        except KeyboardInterrupt as again:  # a second signal, while the first is kept
            raised = again


@ffi.def_extern(error=False, onerror=_caught)
def crpy_look(state: Any, user: Any) -> bool:
    return bool(ffi.from_handle(user).look(state))


@ffi.def_extern(error=float("nan"), onerror=_caught)
def crpy_smooth_value(user: Any, x: Any) -> float:
    c = ffi.from_handle(user)
    return float("nan") if c.session.raised is not None else _number(c.f.value(c.blocks(x)))


@ffi.def_extern(onerror=_caught)
def crpy_smooth_grad(user: Any, x: Any, i: int, g: Any) -> None:
    c = ffi.from_handle(user)
    shape, what = tuple(c.f.shapes[i]), "the gradient of a Smooth term"
    if c.session.raised is not None:
        return _spoil(g, shape)
    found = _array(c.f.grad(c.blocks(x), i), shape, what)
    if not np.isfinite(found).all() and math.isfinite(_number(c.f.value(c.blocks(x)))):
        _refuse_entry(found, what)
    _add(g, 1.0, found)


def _map(c: _Callback, call: Any, a: float, given: Any, to: Any, adjoint: bool) -> None:
    """A product of a map of the caller, added to what is there."""
    domain, image = c.f.domain, c.f.range  # type: ignore[union-attr]
    if adjoint:
        domain, image = image, domain
    if c.session.raised is not None:
        return _spoil(to, image)
    what = "rmatvec" if adjoint else "matvec"
    found = _array(call(c.copy(int(adjoint), given, domain)), image, what)
    if not np.isfinite(found).all() and np.isfinite(c.copy(int(adjoint), given, domain)).all():
        _refuse_entry(found, what)
    _add(to, a, found)


@ffi.def_extern(onerror=_caught)
def crpy_map_apply(user: Any, a: float, x: Any, y: Any) -> None:
    c = ffi.from_handle(user)
    _map(c, c.f.apply, a, x, y, False)


@ffi.def_extern(onerror=_caught)
def crpy_map_adjoint(user: Any, a: float, y: Any, x: Any) -> None:
    c = ffi.from_handle(user)
    _map(c, c.f.adjoint, a, y, x, True)


def _interrupted(raised: KeyboardInterrupt, result: Optional[Done]) -> errors.Interrupted:
    """Ctrl-C as this package raises it; that of a command inside a function has its own result."""
    return errors.Interrupted(str(raised) or "stopped by Ctrl-C", result)


class Session:
    """A job of the library with its files and functions, for one run or several.

    A second ``solve`` goes on where the first ended when nothing but the entries of `changed`
    files, regularizers and sets differ.
    """

    def __init__(
        self, files: Optional[Mapping[str, File]] = None, functions: Optional[Functions] = None,
        *, keep: bool = True,
    ) -> None:
        self._error = ffi.new("crease_error *")
        job = lib.crease_job_new(self._error)
        if not job:
            raise_error(self._error)
        self._job = ffi.gc(job, lib.crease_job_free)
        self._arrays: Dict[str, NDArray[np.float64]] = {}
        self._callbacks: List[Any] = []  # their tables and handles, which C borrows
        self.raised: Optional[BaseException] = None
        self._progress: Optional[_progress.Reporter] = None
        if keep:
            lib.crease_job_keep(self._job)
        for name, content in (files or {}).items():
            self.give(name, content, own=keep)
        for name, f in (functions or {}).items():
            self._add_function(name, f)

    def _check(self, done: bool) -> None:
        if not done:
            raise_error(self._error)

    def give(self, name: str, content: File, *, own: bool = False) -> None:
        """A file by its name; own: a copy, whose entries can be changed later."""
        if isinstance(content, str):
            text = content.encode()
            self._check(lib.crease_job_bytes(self._job, name.encode(), text, len(text),
                                             self._error))
            return
        array = np.array(content, dtype=np.float64, order="C", copy=True) if own else \
            np.ascontiguousarray(content, dtype=np.float64)
        old = self._arrays.get(name)
        if old is not None and old.shape == array.shape and own:
            old[...] = array  # C reads it where it is
            return
        space = ffi.new("crease_space *", {"order": array.ndim, "dim": list(array.shape)})
        pointer = ffi.from_buffer("double[]", array)
        self._check(lib.crease_job_array(self._job, name.encode(), space, pointer, self._error))
        self._arrays[name] = array

    def _add_function(self, name: str, f: Union[SmoothFunctions, MapFunctions]) -> None:
        c = _Callback(self, f)
        c.table.user = handle = ffi.new_handle(c)
        self._callbacks += [c.table, handle]
        add = lib.crease_job_smooth if isinstance(f, SmoothFunctions) else lib.crease_job_map
        self._check(add(self._job, name.encode(), c.table, self._error))

    def fail(self, raised: BaseException, trace: Any) -> None:
        """Keeps what a function of the caller raised, and where, and asks C to end."""
        if self.raised is None:
            self.raised = raised.with_traceback(trace)
        lib.crease_job_stop(self._job)

    def look(self, state: Any) -> bool:
        """What C calls while it works; False asks it to stop."""
        return self.raised is None and (self._progress is None or self._progress.show(state))

    def run(
        self, argv: Sequence[str], changed: Optional[Mapping[str, File]] = None, *,
        progress: Progress = None, threads: Optional[int] = None,
    ) -> Done:
        """Runs a command, as `run`."""
        if self._progress is not None:
            raise errors.ArgumentError(
                "the problem is being solved: solve another one in its functions and its progress"
            )
        for name, content in (changed or {}).items():
            self.give(name, content, own=True)
        verb = argv[0] if argv else ""
        words = [ffi.new("char[]", os.fsencode(word)) for word in argv]
        reporter = _progress.reporter(progress, verb)
        lib.crease_job_threads(self._job, 1 if _forked else threads or 0)
        done = self._watched(
            reporter, lambda: lib.crease_job_run(self._job, len(words), words, self._error)
        )
        result = self._result() if done else None
        self._raise(result)
        if result is None:
            raise_error(self._error)
        _progress.log_result(verb, result.notes, result.files)
        return result

    def _watched(self, reporter: _progress.Reporter, call: Callable[[], object]) -> bool:
        """Calls C, which looks; has it done what it should? `raised` is what came up meanwhile."""
        handle = ffi.new_handle(self)
        lib.crease_job_look(self._job, lib.crpy_look, handle, reporter.every)
        self.raised, self._progress, self._error.code = None, reporter, lib.CREASE_OK
        try:
            call()
        except KeyboardInterrupt as e:  # C has ended
            self.raised = self.raised or e
        finally:
            self._progress = None
            reporter.end()
        return bool(self._error.code == lib.CREASE_OK)

    def _raise(self, result: Optional[Done]) -> None:
        """Raises what came up while C was at work."""
        raised, self.raised = self.raised, None
        try:
            if isinstance(raised, KeyboardInterrupt):
                raise _interrupted(raised, result) from None
            if raised is not None:
                raise raised
        finally:
            del raised  # it knows this frame

    def _result(self) -> Done:
        job = self._job
        files: Dict[str, File] = {}
        for k in range(lib.crease_job_count(job)):
            f = lib.crease_job_at(job, k)
            name = _text(f.name)
            if not name.startswith("out/"):
                continue
            if f.shape.order == 0:
                files[name[4:]] = bytes(ffi.buffer(f.bytes, f.count)).decode("utf-8", "replace")
                continue
            shape = tuple(f.shape.dim[n] for n in range(f.shape.order))
            taken = lib.crease_job_take(job, f.name)
            if taken:
                files[name[4:]] = _own(taken, shape)
        return Done(lib.crease_job_status(job), _text(lib.crease_job_output(job)),
                    _text(lib.crease_job_notes(job)), files)

    def seal(self, folder: str) -> None:
        """The certificate of a result gets the hashes of the files that are there now."""
        self._check(lib.crease_job_seal(self._job, folder.encode(), self._error))

    def text(self, name: str) -> str:
        """A file that is a text."""
        for k in range(lib.crease_job_count(self._job)):
            f = lib.crease_job_at(self._job, k)
            if f.shape.order == 0 and _text(f.name) == name:
                return bytes(ffi.buffer(f.bytes, f.count)).decode("utf-8", "replace")
        raise KeyError(name)

    def save(self, folder: str, path: str, force: bool) -> None:
        """Writes a folder of the job to a disk."""
        words = folder.encode(), os.fsencode(path), force
        done = self._watched(
            _progress.reporter(None, "save"),
            lambda: lib.crease_job_save(self._job, *words, self._error),
        )
        self._raise(None)
        self._check(done)

    def load(self, path: str, folder: str) -> None:
        """The files of a result on a disk become a folder of the job."""
        self._check(lib.crease_job_load(self._job, os.fsencode(path), folder.encode(), self._error))

    def files(self) -> Dict[str, File]:
        """What is in the folder out; its arrays are the caller's from now on."""
        return self._result().files


def interruptible(f: _F) -> _F:
    """Ctrl-C anywhere in this function of the package is an Interrupted."""

    @functools.wraps(f)
    def call(*args: Any, **keywords: Any) -> Any:
        try:
            return f(*args, **keywords)
        except errors.Interrupted:
            raise
        except KeyboardInterrupt as e:
            raise _interrupted(e, None) from None

    return cast(_F, call)


def run(
    argv: Sequence[str], files: Optional[Mapping[str, File]] = None, *,
    functions: Optional[Functions] = None, progress: Progress = None,
    threads: Optional[int] = None,
) -> Done:
    """Runs ``crease argv[0] argv[1:]``.

    Parameters
    ----------
    argv
        The words of the command, its verb first.
    files
        Arrays and texts, by the names that stand behind ``memory:`` in argv and in a problem file;
        arrays that are float64 and C-ordered are not copied.
    functions
        Functions of the caller that a problem file names (crease.model).
    progress
        "auto", None for none, or a callable that gets the state and may return False.
    threads
        At most so many; None: all there are.

    Raises
    ------
    crease.Error
        By the kind of failure. Interrupted after Ctrl-C; that of `Session.run` has the Done so far
        as its result.
    """
    try:
        return Session(files, functions, keep=False).run(argv, progress=progress, threads=threads)
    except errors.Interrupted as e:
        e.result = None
        raise


def save(path: str, files: Mapping[str, File], *, force: bool = False) -> None:
    """Writes a result that ``crease verify`` accepts, whole or not at all: a folder, or where the
    path ends in .h5 one HDF5 file."""
    Session({"out/" + name: f for name, f in files.items()}, keep=False).save("out", path, force)


def load(path: str) -> Dict[str, File]:
    """The files of a result on a disk."""
    job = Session(keep=False)
    job.load(path, "out")
    return job.files()


def seal(files: Mapping[str, File]) -> Dict[str, File]:
    """The files of a result with the hashes of all of them in its certificate."""
    job = Session({"out/" + name: f for name, f in files.items()}, keep=False)
    job.seal("out")
    sealed = dict(files)
    sealed["result.json"] = job.text("out/result.json")
    sealed["certificate.json"] = job.text("out/certificate.json")
    return sealed
