# SPDX-License-Identifier: MIT
"""Arrays as the library takes them: float64 in C order, with the names that came along.

Whatever NumPy can see as numbers is taken: arrays of any type, order and byte order, masked
arrays, DataFrames, xarray's DataArrays, SciPy's sparse arrays, tensors of other libraries on the
CPU. What is float64 and C-ordered already is used as it is; nothing given is ever written to.
"""

from __future__ import annotations

import hashlib
import json
import os
import struct
from dataclasses import dataclass
from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError, DataError, ShapeError

Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
FilePath = Union[str, "os.PathLike[str]"]
# an array-like, a DataFrame, a sparse array, or the path of a file in any format that is read
Values = Union[npt.ArrayLike, Any]

_ma: Any = np.ma


@dataclass(frozen=True, eq=False)
class Axis:
    """What a dimension is called.

    Attributes
    ----------
    name, unit : str or None
    numbers : ndarray or None
        Positions of its indices, as wavelengths.
    labels : ndarray of str or None
        Words for its indices.
    """

    name: Optional[str] = None
    unit: Optional[str] = None
    numbers: Optional[Floats] = None
    labels: Optional[npt.NDArray[np.str_]] = None

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Axis) and self.entry() == other.entry()

    def __hash__(self) -> int:
        return hash((self.name, self.unit))

    @property
    def title(self) -> str:
        """Its name with its unit, or an empty text."""
        name = self.name or ""
        return f"{name} ({self.unit})" if self.unit else name

    def at(self, k: int) -> str:
        """The index k in words: a label, a position with its unit, or a number from 0."""
        if self.labels is not None:
            return str(self.labels[k])
        if self.numbers is None:
            return str(k)
        return f"{self.numbers[k]:g}" + (f" {self.unit}" if self.unit else "")

    def entry(self) -> "dict[str, Any]":
        """It as an object of JSON, as result folders and ``NAME.axes.json`` have it."""
        return {
            "name": self.name,
            "unit": self.unit,
            "numbers": None if self.numbers is None else self.numbers.tolist(),
            "labels": None if self.labels is None else self.labels.tolist(),
        }


Axes = Tuple[Axis, ...]


@dataclass(frozen=True)
class Given:
    """An array with what came along: which entries were observed, what its axes are called."""

    values: Floats
    observed: Optional[Bools] = None
    axes: Optional[Axes] = None


def axes_from_json(entries: Optional[Sequence[Any]], order: int = 0) -> Axes:
    """The axes of a list of objects; of None as many without a name as `order` says."""
    if entries is None:
        return (Axis(),) * order
    return tuple(axis_of(entry) for entry in entries)


def axis_of(value: Any) -> Axis:
    """An axis from an Axis, a name, an object of JSON, or None."""
    if isinstance(value, Axis):
        return value
    if value is None or isinstance(value, str):
        return Axis(name=value)
    if not isinstance(value, dict) or set(value) - {"name", "unit", "numbers", "labels"}:
        raise ArgumentError(
            f"axes has {value!r:.80}; give a name, a crease.Axis, or a dict of name, unit, "
            "numbers and labels for every dimension"
        )
    numbers, labels = value.get("numbers"), value.get("labels")
    return Axis(
        value.get("name"),
        value.get("unit"),
        None if numbers is None else np.array(numbers, dtype=np.float64),
        None if labels is None else np.array([str(w) for w in labels], dtype=np.str_),
    )


def axes_text(axes: Sequence[Any]) -> str:
    """The file of JSON that the program reads axes from."""
    return json.dumps({"axes": [axis_of(a).entry() for a in axes]})


def _axis_of_index(name: Any, index: Any, unit: Any = None) -> Axis:
    """An axis from a pandas Index or the values of a coordinate; a plain 0, 1, 2, ... is none."""
    values = np.asarray(index)
    name = None if name is None else str(name)
    unit = None if unit is None else str(unit)
    if values.ndim != 1:
        return Axis(name, unit)
    if values.dtype.kind in "iuf" and bool(np.all(np.isfinite(values))):
        plain = values.dtype.kind in "iu" and np.array_equal(values, np.arange(values.size))
        return Axis(name, unit, None if plain else values.astype(np.float64))
    return Axis(name, unit, None, np.array([str(v) for v in values], dtype=np.str_))


def _axes_along(value: Any) -> Optional[Axes]:
    """The axes that an object brings: ours, those of xarray, or those of a DataFrame."""
    own = getattr(value, "axes", None)
    if isinstance(own, tuple) and own and all(isinstance(a, Axis) for a in own):
        return own
    if hasattr(value, "dims") and hasattr(value, "coords"):
        along = []
        for name in value.dims:
            if name in value.coords:
                c = value.coords[name]
                along.append(_axis_of_index(name, c.values, c.attrs.get("units")))
            else:
                along.append(Axis(str(name)))
        return tuple(along)
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        index = getattr(value, "index", None)
        rows = Axis() if index is None else _axis_of_index(getattr(index, "name", None), index)
        columns = value.columns
        return (rows, _axis_of_index(getattr(columns, "name", None), columns))
    return None


def _refuse_type(dtype: np.dtype[Any], name: str, why: str = "") -> None:
    what = {
        "c": "complex numbers; take the real part, the imaginary part or the absolute value",
        "O": "objects, not numbers; make them floats" + (why or ", with nan for what is missing"),
        "U": "texts, not numbers; make them floats",
        "S": "texts, not numbers; make them floats",
        "M": "dates; give numbers, as days since a first one",
        "m": "durations; give numbers, as seconds",
        "V": "records; name a field of it",
    }.get(dtype.kind)
    if what:
        raise DataError(f"{name} has {what}")


def _frame_values(value: Any, name: str) -> npt.NDArray[Any]:
    """A DataFrame's numbers, with nan for what is missing; a column of texts is named."""
    try:
        return np.asarray(value.to_numpy(dtype=np.float64, na_value=np.nan))
    except TypeError:  # a library whose frames know no na_value
        values = np.asarray(value.to_numpy())
        _refuse_type(values.dtype, name)
        return values
    except ValueError:
        for column in value.columns:
            try:
                np.asarray(value[column].to_numpy(dtype=np.float64, na_value=np.nan))
            except (TypeError, ValueError):
                raise DataError(
                    f"{name} has entries in its column {column!r} that are no numbers; make them "
                    "numbers, or leave the column out"
                ) from None
        raise


def is_sparse(value: Any) -> bool:
    """Is it a sparse matrix or array of SciPy?"""
    return hasattr(value, "tocsr") and hasattr(value, "nnz") and len(value.shape) == 2


def coordinates(value: Any) -> Optional[str]:
    """A sparse matrix of real numbers, more than two thirds of them zero, as the text of the Matrix
    Market; None of anything else."""
    if not is_sparse(value):
        return None
    rows, columns = value.shape
    few = 3 * value.nnz < rows * columns
    if value.dtype.kind not in "buif" or min(rows, columns) < 2 or not few:
        return None
    return matrix_market(value) if bool(np.all(np.isfinite(value.tocsr().data))) else None


def matrix_market(value: Any) -> str:
    """The entries that a sparse matrix of SciPy holds, zeros among them, as such a text."""
    entries = value.tocsr().tocoo()
    _refuse_type(entries.dtype, "data")
    if not bool(np.all(np.isfinite(entries.data))):
        at = int(np.flatnonzero(~np.isfinite(entries.data))[0])
        raise DataError(
            f"data is {entries.data[at]} at ({entries.row[at]}, {entries.col[at]}); give finite "
            "numbers, and leave out what was not observed"
        )
    step, line = 1 << 16, "%d %d %.17g\n".__mod__
    head = "%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n"
    pieces = [head % (*entries.shape, entries.nnz)]
    for at in range(0, entries.nnz, step):
        here = slice(at, at + step)
        rows, columns = entries.row[here].astype(np.int64), entries.col[here].astype(np.int64)
        cells = zip((rows + 1).tolist(), (columns + 1).tolist(), entries.data[here].tolist())
        pieces.append("".join(map(line, cells)))
    return "".join(pieces)


def _any_array(value: Any, name: str) -> npt.NDArray[Any]:
    if isinstance(value, np.ndarray):
        return np.asarray(value)
    if hasattr(value, "toarray") and hasattr(value, "nnz"):
        return np.asarray(value.toarray(order="C"))
    if hasattr(value, "columns") and hasattr(value, "to_numpy"):
        return _frame_values(value, name)
    try:
        if hasattr(value, "__dlpack__") and not hasattr(value, "__array__"):
            return np.from_dlpack(value)
        return np.asarray(value)
    except (ValueError, TypeError, RuntimeError, BufferError) as e:
        raise ShapeError(f"{name} cannot be read as an array: {e}") from None


def floats(value: Any, name: str, *, dims: Optional[Sequence[int]] = None) -> Floats:
    """The numbers of `value`, as float64 in C order; as they are where they are that already.

    Parameters
    ----------
    value : array-like
    name : str
        What errors call it.
    dims : sequence of int, optional
        How many dimensions it may have.
    """
    if isinstance(value, np.ma.MaskedArray) and _ma.is_masked(value):
        raise DataError(f"{name} is masked, and every entry of it is needed; fill it first")
    values = _any_array(value, name)
    _refuse_type(values.dtype, name)
    if dims is not None and values.ndim not in dims:
        wanted = f"{dims[0]}" if len(dims) == 1 else f"{dims[0]} to {dims[-1]}"
        raise ShapeError(
            f"{name} has {values.ndim} dimensions, shape {values.shape}; give {wanted}"
            + (": numpy.atleast_2d or reshape makes a matrix of it" if values.ndim < 2 else "")
        )
    if values.size == 0:
        raise ShapeError(f"{name} is empty, shape {values.shape}; give at least one entry")
    with np.errstate(over="ignore"):  # of long doubles; the library names the entry
        return np.require(values, dtype=np.float64, requirements=["C", "A"])


def given(value: Any, name: str, *, dims: Optional[Sequence[int]] = None) -> Given:
    """`floats` of data, with the mask of numpy.ma and the names of its axes."""
    axes = _axes_along(value)
    observed: Optional[Bools] = None
    if isinstance(value, np.ma.MaskedArray):
        if _ma.is_masked(value):
            observed = np.logical_not(_ma.getmaskarray(value))
        value = _ma.getdata(value)
    values = floats(value, name, dims=dims)
    if axes is not None and len(axes) != values.ndim:
        axes = None
    return Given(values, observed, axes)


def mask(value: Any, name: str) -> Bools:
    """A mask of booleans, or of zeros and ones: True where an entry was observed."""
    values = _any_array(value, name)
    if values.dtype.kind == "b":
        return np.require(values, requirements=["C"])
    _refuse_type(values.dtype, name)
    if not bool(np.all((values == 0) | (values == 1))):
        raise DataError(f"{name} has entries other than True and False; True: it was observed")
    return np.require(values != 0, requirements=["C"])


def words(value: Any, name: str) -> List[str]:
    """The numbers of a scalar or a short list as the program reads them."""
    if isinstance(value, (bool, np.bool_)):
        raise ArgumentError(f"{name} is {value}; give a number")
    if isinstance(value, (int, np.integer)):
        return [str(int(value))]
    if isinstance(value, (float, np.floating)):
        return [repr(float(value))]
    if isinstance(value, str):
        return [value]
    if isinstance(value, (Sequence, np.ndarray)):
        return [w for item in value for w in words(item, name)]
    raise ArgumentError(f"{name} is of type {type(value).__name__}; give a number or a text")


def _slab(shape: Sequence[int]) -> Tuple[int, int]:
    """Entries of a slab, and of what slabs never cross: how a shape is cut (src/slab/look.c)."""
    most = max(1 << 22, min(1 << 25, (1 << 10) * sum(shape[1:])))
    mode, right = 0, int(np.prod(shape[1:], dtype=object)) if len(shape) > 1 else 1
    while right > most:
        mode += 1
        right //= shape[mode]
    length = shape[mode]
    per = -(-length // min(length, most // right))
    return -(-length // per) * right, length * right


def digest(values: Floats, observed: Optional[Bools] = None) -> str:
    """The hash by which result.json knows its data: every missing entry is the same nan. Of several
    slabs it is the hash of their hashes."""
    whole = hashlib.sha256(struct.pack("<q", values.ndim))
    for n in values.shape:
        whole.update(struct.pack("<q", n))
    flat = values.reshape(-1)
    seen = None if observed is None else observed.reshape(-1)
    slab, block = _slab(values.shape)
    step = 1 << 16
    for begin in range(0, flat.size, block):
        for first in range(begin, begin + block, slab):
            end = min(first + slab, begin + block)
            h = whole if slab >= flat.size else hashlib.sha256()
            for at in range(first, end, step):
                piece = flat[at : min(at + step, end)]
                gone = np.isnan(piece)
                if seen is not None:
                    gone |= ~seen[at : min(at + step, end)]
                if bool(gone.any()):
                    piece = np.where(gone, np.nan, piece)
                h.update(piece.astype("<f8", copy=False).tobytes())
            if slab < flat.size:
                whole.update(h.digest())
    return ("sha256:" if slab >= flat.size else "sha256/slabs:") + whole.hexdigest()
