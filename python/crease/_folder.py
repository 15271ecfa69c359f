# SPDX-License-Identifier: MIT
"""A result folder in memory (docs/result.md): what the results of all commands have in common."""

from __future__ import annotations

import csv
import io
import json
import os
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple
from typing import Type, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _call
from ._errors import ArgumentError, DataError
from .arrays import Axes, FilePath, Floats, axes_from_json, digest, given, mask

File = Union[npt.NDArray[Any], str]
Files = Mapping[str, File]

_A = TypeVar("_A", bound="Answer")


def number(value: Any) -> float:
    """A number of JSON, where null is what is not known."""
    return float("nan") if value is None else float(value)


def column(rows: Sequence[Mapping[str, Any]], key: str) -> Floats:
    return np.array([number(row[key]) for row in rows], dtype=np.float64)


def text_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Columns of text, the first to the left and the others to the right."""
    lines = [list(heads), *(list(row) for row in rows)]
    widths = [max(len(line[k]) for line in lines) for k in range(len(heads))]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0])] + [w.rjust(n) for w, n in zip(line[1:], widths[1:])])
        for line in lines
    )


class Block(NamedTuple):
    """A condition of a certificate: its residual, and the scale that it is divided by."""

    name: str
    residual: float
    scale: float
    relative: float
    upper_bound: bool


class Certificate:
    """How far a result is from what was asked for, and what the independent checker says.

    Attributes
    ----------
    verdict : str or None
        VALID, INVALID, UPPER-BOUND-ONLY, UNSUPPORTED or UNFINISHED; None: nothing was checked.
    reason : str
        Its sentence.
    worst : float
        The largest residual, relative where `relative` is True.
    eps : float
        What was asked for.
    relative : bool
    blocks : tuple of Block
        Every condition by itself.
    """

    def __init__(self, document: Mapping[str, Any], blocks: Sequence[Block]) -> None:
        self.verdict: Optional[str] = document["verdict"]
        self.reason: str = document["verdict_text"] or document["outcome_text"]
        self.worst: float = number(document["residual"])
        self.eps: float = number(document["eps"])
        self.relative: bool = bool(document["relative"])
        self.blocks: Tuple[Block, ...] = tuple(blocks)

    @property
    def valid(self) -> bool:
        """Whether the independent checker confirms it."""
        return self.verdict == "VALID"

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        kind = "relative" if self.relative else "absolute"
        text = f"{self.verdict or 'not checked'}: {self.reason}\n"
        text += f"residual {self.worst:.3g}, asked {self.eps:.3g}, {kind}"
        if self.blocks:
            most = 12  # of a long path the worst ones
            size = "relative" if self.relative else "residual"
            worst = sorted(self.blocks, key=lambda b: -float(getattr(b, size)))
            shown = self.blocks if len(self.blocks) <= most else worst[:most]
            rows = [
                (b.name, f"{b.residual:.3g}", f"{b.scale:.3g}", f"{b.relative:.3g}") for b in shown
            ]
            text += "\n\n" + text_table(("condition", "residual", "scale", "relative"), rows)
            if len(shown) < len(self.blocks):
                text += f"\nand {len(self.blocks) - most} smaller ones"
        return text


class Answer:
    """What a command left: a result folder in memory.

    Attributes
    ----------
    files : mapping
        Every file of the folder, arrays and texts, by name.
    """

    _verb: ClassVar[str] = ""
    _inputs: Dict[str, File]
    _functions: Optional[_call.Functions]

    files: Files

    def __init__(
        self,
        files: Files,
        *,
        text: str = "",
        notes: Sequence[str] = (),
        inputs: Optional[Files] = None,
        functions: Optional[_call.Functions] = None,
        keep: bool = False,
    ) -> None:
        own: Dict[str, File] = {}
        for name, content in files.items():
            if isinstance(content, np.ndarray):
                content = content.view()
                content.flags.writeable = False
            own[name] = content
        self.__dict__.update(
            files=MappingProxyType(own),
            notes=tuple(notes),
            _text=text,
            _inputs=dict(inputs or {}),
            _functions=functions,  # of the caller; they are not stored
            _keep=keep,
        )

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} cannot be set: results are frozen")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{name} cannot be deleted: results are frozen")

    def __reduce__(self) -> Tuple[Any, ...]:
        own = self.__dict__
        inputs = own["_inputs"] if own["_keep"] else None
        return (
            _rebuild,
            (type(self), dict(self.files), own["_text"], own["notes"], inputs, own["_keep"]),
        )

    def _callbacks(self) -> Optional[_call.Functions]:
        """The functions of its problem; a result that was stored has lost them."""
        problem = self._inputs.get("problem.json")
        if self._functions is None and isinstance(problem, str) and '"callback"' in problem:
            raise ArgumentError(
                "the problem has functions in Python, which are not stored with its result; solve "
                "it again"
            )
        return self._functions

    def __eq__(self, other: object) -> bool:
        """Of the same run: the same numbers, wherever they have been stored meanwhile."""
        if type(self) is not type(other) or not isinstance(other, Answer):
            return NotImplemented
        if any(self.document[k] != other.document[k] for k in self.document if k != "files"):
            return False
        arrays = [n for n in self.files if n in other.files and n.endswith(".npy")]
        return all(_same(self.files[n], other.files[n]) for n in arrays)

    def __hash__(self) -> int:
        return hash((self.verb, self.model, self.objective, self.seconds))

    # what every folder has

    notes: Tuple[str, ...]

    @cached_property
    def document(self) -> Mapping[str, Any]:
        """``result.json`` as it is."""
        text = self.files["result.json"]
        assert isinstance(text, str)
        return MappingProxyType(json.loads(text))

    @property
    def verb(self) -> str:
        """The command that made it."""
        return str(self.document["verb"])

    @property
    def model(self) -> str:
        return str(self.document["model"])

    @property
    def outcome(self) -> str:
        """Why the run ended, as "stationary" or "time_limit"."""
        return str(self.document["outcome"])

    @property
    def verdict(self) -> Optional[str]:
        """What the independent checker says; None: nothing was checked."""
        verdict: Optional[str] = self.document["verdict"]
        return verdict

    @property
    def method(self) -> Optional[str]:
        method: Optional[str] = self.document["method"]
        return method

    @property
    def objective(self) -> float:
        return number(self.document["objective"])

    @property
    def iterations(self) -> Optional[int]:
        iterations: Optional[int] = self.document["iterations"]
        return iterations

    @property
    def seconds(self) -> float:
        """How long the command took."""
        return number(self.document["seconds"])

    @property
    def settings(self) -> Mapping[str, Any]:
        """What was used, whether it was given, chosen or a default."""
        return MappingProxyType(self.document["settings"])

    @property
    def details(self) -> Mapping[str, Any]:
        """What is the model's own (docs/result.md)."""
        return MappingProxyType(self.document["details"])

    @cached_property
    def axes(self) -> Axes:
        """What the dimensions of the data are called."""
        shapes = [e["shape"] for e in self.document["data"] if e["shape"]]
        return axes_from_json(self.document["axes"], len(shapes[0]) if shapes else 0)

    @cached_property
    def certificate(self) -> Certificate:
        """The residual of every condition, and the verdict."""
        return Certificate(self.document, self._blocks())

    def _blocks(self) -> List[Block]:
        certificate = self.details.get("certificate") or {}
        return [
            Block(
                r["name"],
                number(r["residual"]),
                number(r["scale"]),
                number(r["residual"]) / number(r["scale"]) if r["scale"] else 0.0,
                bool(r["upper_bound"]),
            )
            for r in certificate.get("residuals") or []
        ]

    @cached_property
    def history(self) -> Mapping[str, npt.NDArray[Any]]:
        """The course of the run, a column for each key (docs/progress.md)."""
        return MappingProxyType(self._csv("history.csv"))

    def _csv(self, name: str) -> Dict[str, npt.NDArray[Any]]:
        """A table of text by columns: numbers where all are, with nan for empty cells."""
        text = self.files.get(name)
        if not isinstance(text, str):
            return {}
        rows = list(csv.reader(io.StringIO(text)))
        table: Dict[str, npt.NDArray[Any]] = {}
        for k, head in enumerate(rows[0]):
            cells = [row[k] for row in rows[1:]]
            try:
                table[head] = np.array([float(c or "nan") for c in cells], dtype=np.float64)
            except ValueError:
                table[head] = np.array(cells, dtype=np.str_)
        return table

    def _array(self, name: str) -> Floats:
        array = self.files.get(name)
        if not isinstance(array, np.ndarray):
            raise AttributeError(f"a result of model {self.model!r} has no {name}")
        return array

    def _arrays(self, stem: str) -> Tuple[Floats, ...]:
        """``stem_1.npy``, ``stem_2.npy``, ..."""
        found: List[Floats] = []
        while f"{stem}_{len(found) + 1}.npy" in self.files:
            found.append(self._array(f"{stem}_{len(found) + 1}.npy"))
        return tuple(found)

    # how it shows itself

    @cached_property
    def summary(self) -> str:
        """The answer, how far it can be trusted, and what is not certified, as text."""
        if self.__dict__["_text"]:
            return str(self.__dict__["_text"])
        from .notebook import head_text

        return head_text(self)

    def __repr__(self) -> str:
        return self.summary

    def _repr_html_(self) -> str:
        from .notebook import head_html

        return head_html(self)

    def plot(self, kind: Optional[str] = None, *, ax: Any = None, **options: Any) -> Any:
        """Draws it with Matplotlib.

        Parameters
        ----------
        kind : str, optional
            What to draw; a word that is not known is answered with those that are.
        ax : matplotlib Axes, optional
            Where to draw; of kinds with several panels a sequence of them.
        **options
            Of the kind, as ``index`` of "parts".

        Returns
        -------
        matplotlib Axes, or an array of them
        """
        from .plot import plot

        return plot(self, kind, ax=ax, **options)

    @_call.interruptible
    def report(self, path: FilePath, *, force: bool = False) -> None:
        """Writes a page with pictures, tables and advice that any browser shows.

        Parameters
        ----------
        path : path
            The file to write, as "page.html". An earlier page is replaced.
        force : bool, default False
            Replace a file in the way that is no page.
        """
        argv = ["report", "memory:result", "--out", os.fspath(path)]
        _call.run(argv + ["--force"] * force, self._as_files())

    # files

    def _roles(self) -> Dict[str, str]:
        """The data that came from memory and are not in the folder: their names by role."""
        roles = {}
        for entry in self.document["data"]:
            place, name = entry["absolute_path"], os.path.basename(entry["path"])
            inside = entry["path"] in self.files or any(
                n.startswith(f"{entry['path']}/") for n in self.files
            )
            if not inside and (place is None or not os.path.exists(place)):
                roles[str(entry["role"])] = name
        return roles

    def _as_files(self) -> Dict[str, File]:
        """The folder as files in memory below ``result``, with its data where it looks for them."""
        files: Dict[str, File] = {f"result/{name}": f for name, f in self.files.items()}
        folder, names = "result", self._roles().values()
        for entry in self.document["data"]:
            if os.path.basename(entry["path"]) in names:
                folder = os.path.normpath(os.path.join("result", os.path.dirname(entry["path"])))
        for name, f in self.__dict__["_inputs"].items():
            files[os.path.normpath(os.path.join(folder, name))] = _numbers(f)
        return files

    @cached_property
    def _sealed(self) -> Files:
        """The files with the hashes of all of them, by which another result knows this one."""
        return _call.seal(self.files)

    def _complete(self, data: Any, remedy: str) -> Dict[str, File]:
        """The data that are in memory, as they were when the result was made."""
        inputs = dict(self.__dict__["_inputs"])
        roles = self._roles()
        if data is not None:
            inputs.update(_inputs_of(data, roles))
        for role, name in roles.items():
            if name not in inputs and not any(n.startswith(f"{name}/") for n in inputs):
                raise DataError(f"the result does not keep its {role}; {remedy}")
        for entry in self.document["data"]:
            values = inputs.get(roles.get(entry["role"], ""))
            if entry["role"] not in ("data", "X", "y") or not isinstance(values, np.ndarray):
                continue
            observed = inputs.get(roles.get("mask", "")) if entry["role"] == "data" else None
            seen = observed.astype(bool) if isinstance(observed, np.ndarray) else None
            if digest(values, seen) != entry["hash"]:
                raise DataError(f"{entry['role']} changed since the result was made; {remedy}")
        return inputs

    @_call.interruptible
    def to_folder(self, path: FilePath, *, data: Any = None, force: bool = False) -> None:
        """Writes it as a result folder, or as one HDF5 file where the path ends in ``.h5``, which
        ``crease verify`` accepts and `load` reads.

        Data that came from memory are written along.

        Parameters
        ----------
        path : path
            The folder or the file, which must not be there.
        data : array-like or dict, optional
            The data, where the result does not keep them: after unpickling, or when they were
            changed. Several as a dict, ``{"X": X, "y": y}`` or ``{"data": T, "mask": seen}``.
        force : bool, default False
            Replace an earlier result in the way.
        """
        remedy = "give it as it was, as to_folder(path, data=...)"
        files = dict(self.files)
        for name, f in self._complete(data, remedy).items():
            if not _same(files.setdefault(name, _numbers(f)), f):
                raise ArgumentError(f"the folder has a {name} of its own; give the data otherwise")
        _call.save(os.fspath(path), files, force=force)

    @property
    def data(self) -> Any:
        """The data that it was made of, where they came from memory and are kept; else None."""
        for entry in self.document["data"]:
            if entry["role"] == "data":
                name = os.path.basename(entry["path"])
                return self.__dict__["_inputs"].get(name, self.files.get(name))
        return None

    # arrays with names

    def to_xarray(self) -> Any:
        """Its arrays as an xarray Dataset, with the names, positions and labels of their axes."""
        import xarray

        dims, coords = dims_of(self.axes)
        return xarray.Dataset(self._variables(dims), coords, {"crease": self.summary})

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        raise NotImplementedError


def _rebuild(
    kind: Type[_A], files: Files, text: str, notes: Tuple[str, ...], inputs: Files, keep: bool
) -> _A:
    return kind(files, text=text, notes=notes, inputs=inputs, keep=keep)


def _same(a: File, b: File) -> bool:
    if isinstance(a, str) or isinstance(b, str):
        return isinstance(a, str) and isinstance(b, str) and a == b
    return a is b or (a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=True)))


def _numbers(f: File) -> File:
    """A mask as the numbers 0 and 1; anything else as it is."""
    return f.astype(np.float64) if isinstance(f, np.ndarray) and f.dtype.kind == "b" else f


def _inputs_of(data: Any, roles: Mapping[str, str]) -> Dict[str, File]:
    """Data that are given again, by their names in memory."""
    if not isinstance(data, Mapping):
        if len(set(roles) - {"mask", "model"}) > 1:
            raise ArgumentError(f"data is one of several; give a dict of {' and '.join(roles)}")
        role = next((r for r in roles if r not in ("mask", "model")), "data")
        data = {role: data}
    inputs: Dict[str, File] = {}
    for role, value in data.items():
        if role not in roles:
            raise ArgumentError(f"data has {role!r}, and the result is about {', '.join(roles)}")
        if isinstance(value, Answer):
            inputs.update({f"{roles[role]}/{name}": f for name, f in value.files.items()})
        elif isinstance(value, str):
            inputs[roles[role]] = value
        elif role == "mask":
            inputs[roles[role]] = mask(value, "mask")
        else:
            got = given(value, role)
            inputs[roles[role]] = got.values
            if got.observed is not None and "mask" in roles:
                inputs[roles["mask"]] = got.observed
    return inputs


def dims_of(axes: Axes) -> Tuple[List[str], Dict[str, Any]]:
    """Names of dimensions, each another, and their coordinates."""
    dims: List[str] = []
    coords: Dict[str, Any] = {}
    for k, axis in enumerate(axes):
        name = axis.name or f"axis_{k}"
        name = name if name not in dims else f"{name}_{k}"
        dims.append(name)
        index = axis.numbers if axis.numbers is not None else axis.labels
        if index is not None:
            coords[name] = (name, index, {"units": axis.unit} if axis.unit else {})
    return dims, coords


