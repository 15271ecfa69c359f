# SPDX-License-Identifier: MIT
"""A problem as the program reads it: a document, its arrays, and functions of the caller."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Set, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from .. import _errors as errors
from .._functions import MapFunctions, SmoothFunctions
from .arrangement import Arrangement, Block
from .constants import Array, Data, Parameter, compute, parameters_of, value_of
from .couplings import SmoothTerm
from .expression import Equality, Variable
from .maps import Json, factored, json_shape
from .terms import Coupling, Linear, Loss, Number, SetEntry, slope_of

Functions = Dict[str, Union[SmoothFunctions, MapFunctions]]

# A solver that is kept takes new entries of these arrays; those of others need a new one.
# Right-hand sides of several constraints are such others: the reader makes one array of them.
_VECTORS = frozenset({"rhs", "labels", "counts", "weights", "d", "q"})


@dataclass
class Place:
    """Where the entries of a variable stand: in a block, from one index on."""

    block: str
    first: int
    shape: Tuple[int, ...]

    def of(self, arrays: Mapping[str, NDArray[Any]]) -> Array:
        """The variable's value in the arrays of the blocks."""
        size = int(np.prod(self.shape, dtype=np.int64))
        taken = np.asarray(arrays[self.block], np.float64).reshape(-1)[
            self.first : self.first + size
        ]
        return taken.reshape(self.shape)


@dataclass
class Document:
    """A problem file with its arrays and functions, and where the variables are in it."""

    content: Dict[str, Json]
    arrays: Dict[str, NDArray[Any]]
    functions: Functions
    fixed: Set[str]  # arrays whose entries a solver that is kept relies on
    parameters: Set[Parameter]
    places: Dict[Variable, Place]
    names: Dict[Variable, str]
    notes: List[str]

    @property
    def text(self) -> str:
        """The problem file."""
        return json.dumps(self.content, indent=1)

    @property
    def frame(self) -> str:
        """The file without regularizers and sets, which a solver that is kept takes anew."""
        blocks = [
            {k: v for k, v in b.items() if k not in ("regularizer", "set")}
            for b in self.content["blocks"]
        ]
        return json.dumps({**self.content, "blocks": blocks})


@dataclass
class _Files:
    """Arrays by the names of files, each once; functions by names."""

    arrays: Dict[str, NDArray[Any]] = field(default_factory=dict)
    functions: Functions = field(default_factory=dict)
    fixed: Set[str] = field(default_factory=set)
    parameters: Set[Parameter] = field(default_factory=set)
    _names: Dict[int, str] = field(default_factory=dict)
    _kept: List[Any] = field(default_factory=list)  # so that an id stays that of one array

    def number(self, factor: Number) -> float:
        """A factor as it is now."""
        self.parameters |= parameters_of(factor)
        return float(value_of(factor))

    def array(self, constant: Any, hint: str) -> str:
        self.parameters |= parameters_of(constant)
        if id(constant) in self._names:
            name = self._names[id(constant)]
        else:
            stem = constant.name if isinstance(constant, Parameter) else hint
            name, k = f"{stem}.npy", 1
            while name in self.arrays:
                k += 1
                name = f"{stem}_{k}.npy"
            numbers = np.asarray(value_of(constant))
            self.arrays[name] = numbers.reshape(-1) if numbers.ndim == 0 else numbers
            self._names[id(constant)] = name
            self._kept.append(constant)
        if hint not in _VECTORS:
            self.fixed.add(name)
        return name

    def map_functions(self, functions: MapFunctions) -> str:
        for name, known in self.functions.items():
            if known is functions:
                return name
        name = f"A{len(self.functions)}"
        self.functions[name] = functions
        return name

    def smooth_functions(self, functions: SmoothFunctions) -> str:
        name = f"f{len(self.functions)}"
        self.functions[name] = functions
        return name


def _names(variables: Sequence[Variable], made: Mapping[Variable, str]) -> Dict[Variable, str]:
    """A name for every variable: its own, or one that is free."""
    taken: Dict[str, Variable] = {}
    for v in variables:
        if v.name is None:
            continue
        if v.name in taken:
            raise errors.ArgumentError(
                f"two variables are called {v.name!r}; give one of them another name"
            )
        taken[v.name] = v
    found: Dict[Variable, str] = {}
    for v in variables:
        stem = made.get(v, "x")
        name = v.name or (stem if v in made else f"{stem}1")
        k = 1
        while taken.get(name, v) is not v:
            k += 1
            name = f"{stem}{k}"
        taken[name] = v
        found[v] = name
    return found


def _parameters_json(parameters: Mapping[str, Any], to: _Files, stem: str) -> Dict[str, Json]:
    """Parameters of a regularizer or a set: numbers, or arrays in files."""
    return SetEntry(stem, parameters, "").json(to)[stem]  # type: ignore[no-any-return]


def _penalty_json(block: Block, to: _Files) -> Json:
    assert block.penalty is not None
    factor, entry = to.number(block.penalty[0]), block.penalty[1].entry
    said = _parameters_json(entry.parameters, to, entry.name)
    if block.weights is not None:
        said["weights"] = to.array(block.weights, "weights")
    elif entry.weights is not None:
        said["weights"] = to.array(_in_shape(entry.weights, block.variable), "weights")
    if entry.groups is not None:
        said["groups"] = [int(n) for n in entry.groups]
    elif entry.labels is not None:
        said["groups"] = {"labels": to.array(_in_shape(entry.labels, block.variable), "labels")}
    whole: Json = {entry.name: said}
    return whole if factor == 1 else {"scaled": {"alpha": factor, "regularizer": whole}}


def _in_shape(numbers: Any, v: Variable) -> Any:
    """One number for each entry, in the shape of the variable; those of groups as they are."""
    if np.size(numbers) == v.size and not isinstance(numbers, Data):
        return np.asarray(numbers).reshape(v.shape)
    return numbers


def _loss_json(factor: float, loss: Loss, names: Mapping[Variable, str], to: _Files) -> Json:
    e = loss.expression
    if loss.name in Loss.even and all(factored(m)[0] < 0 for m in e.maps.values()):
        e = -e  # phi(-u) = phi(u), and maps are then as they were given
    said: Dict[str, Json] = {"terms": {names[v]: m.json(to) for v, m in e.maps.items()}}
    said.update(loss.parameters)
    for key, value in loss.data.items():
        said[key] = to.array(value, key) if np.ndim(value_of(value)) else int(value_of(value))
    if not {"labels", "counts"} & set(loss.data):
        rhs = np.zeros(e.shape) if e.constant is None else compute(np.negative, e.constant)
        said["rhs"] = to.array(rhs, "rhs")
    if loss.weights is not None:
        said["weights"] = to.array(compute(lambda w: factor * w, loss.weights), "weights")
    elif factor != 1:
        said["weights"] = factor
    return {loss.name: said}


def _smooth_json(arrangement: Arrangement, names: Mapping[Variable, str], to: _Files) -> List[Json]:
    found: List[Json] = []
    for c, term in arrangement.smooth:
        factor = to.number(c)
        if isinstance(term, Loss):
            found.append(_loss_json(factor, term, names, to))
        elif isinstance(term, Linear):
            slopes = slope_of(term.expression)
            found.append(
                {
                    "quadratic": {
                        "q": {
                            names[v]: to.array(compute(lambda a: factor * a, s), "q")
                            for v, s in slopes.items()
                        }
                    }
                }
            )
        elif isinstance(term, SmoothTerm):
            said = {
                "name": to.smooth_functions(term.functions(factor)),
                "blocks": [names[v] for v in term.variables],
            }
            found.append({"callback": {**said, **term.constants(factor)}})
        else:
            assert isinstance(term, Coupling)
            found.append(term.write([names[v] for e in term.arguments for v in e.maps], factor, to))
    return found


def _rows_json(constraint: Equality, names: Mapping[Variable, str], to: _Files, hint: str) -> Json:
    e = constraint.expression
    said: Dict[str, Json] = {
        "maps": {names[v]: m.json(to) for v, m in e.maps.items()},
        "shape": json_shape(e.shape),
    }
    if e.constant is not None:
        said["rhs"] = to.array(compute(np.negative, e.constant), hint)
    return said


def write(
    arrangement: Arrangement,
    point: Optional[Mapping[Variable, Array]],
    multiplier: Optional[Array],
    options: Mapping[str, Any],
) -> Document:
    """The document of a problem, beginning at `point` (None: at the variables' own starts)."""
    to = _Files()
    names = _names(
        [b.variable for b in arrangement.blocks] + list(arrangement.inside), arrangement.made
    )
    starts = arrangement.starts(point)
    blocks: List[Json] = []
    for b in arrangement.blocks:
        said: Dict[str, Json] = {"name": names[b.variable], "shape": json_shape(b.variable.shape)}
        if b.penalty is not None:
            said["regularizer"] = _penalty_json(b, to)
        if b.set is not None:
            said["set"] = b.set.json(to)
        if b.variable in starts:
            said["start"] = to.array(starts[b.variable], f"start_{names[b.variable]}")
        blocks.append(said)
    content: Dict[str, Json] = {"crease": 1, "blocks": blocks}
    smooth = _smooth_json(arrangement, names, to)
    if smooth:
        content["smooth"] = smooth
    hint = "rhs" if len(arrangement.constraints) == 1 else "rows_rhs"
    rows = [_rows_json(c, names, to, hint) for c in arrangement.constraints]
    if rows and multiplier is not None:
        ends = np.cumsum([c.expression.size for c in arrangement.constraints])
        if multiplier.size == ends[-1]:
            for said, part in zip(rows, np.split(multiplier.reshape(-1), ends[:-1])):
                said["multiplier"] = to.array(part.reshape(said["shape"]), "multiplier")
    if rows:
        content["constraint"] = rows[0] if len(rows) == 1 else rows
    if options:
        content["options"] = dict(options)
    places = {b.variable: Place(names[b.variable], 0, b.variable.shape) for b in arrangement.blocks}
    for v, (whole, first) in arrangement.inside.items():
        places[v] = Place(names[whole], first, v.shape)
    notes = [
        note.format(**{f"v{k}": names[v] for k, v in enumerate(used)})
        for note, used in arrangement.notes
    ]
    return Document(content, to.arrays, to.functions, to.fixed, to.parameters, places, names, notes)
