# SPDX-License-Identifier: MIT
"""Arrays in files of any format, with the names of their axes."""

from __future__ import annotations

import json
import os
from typing import Any, Dict, Iterator, Optional, Sequence, Tuple

import numpy as np
import numpy.typing as npt

from . import _call
from ._errors import ArgumentError
from ._folder import Answer, dims_of
from .arrays import Axes, FilePath, Floats, axes_from_json, given
from .verbs import Command


class Data:
    """An array with what its file says of it.

    It goes wherever an array goes: ``numpy.asarray(data)``, ``data[3]``, ``data.shape``.

    Attributes
    ----------
    array : ndarray
        The numbers; nan where they are missing.
    axes : tuple of Axis
        What its dimensions are called.
    source : str or None
        The file it was read from.
    scale : float or None
        Of images and video: what 1 was in the file.
    """

    __slots__ = ("array", "axes", "source", "scale")

    array: Floats
    axes: Axes
    source: Optional[str]
    scale: Optional[float]

    def __init__(
        self,
        array: npt.ArrayLike,
        axes: Optional[Sequence[Any]] = None,
        source: Optional[str] = None,
        scale: Optional[float] = None,
    ) -> None:
        values = given(array, "array").values
        named = axes_from_json(axes, values.ndim)
        if len(named) != values.ndim:
            raise ArgumentError(f"axes has {len(named)} entries for {values.ndim} dimensions")
        for name, value in zip(self.__slots__, (values, named, source, scale)):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} cannot be set: make a new crease.Data")

    def __reduce__(self) -> Tuple[Any, ...]:
        return Data, (self.array, self.axes, self.source, self.scale)

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> npt.NDArray[Any]:
        if copy:
            return np.array(self.array, dtype=dtype)
        return np.asarray(self.array, dtype=dtype)

    def __getitem__(self, key: Any) -> Any:
        return self.array[key]

    def __len__(self) -> int:
        return len(self.array)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.array)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Data):
            return NotImplemented
        return self.axes == other.axes and np.array_equal(self.array, other.array, equal_nan=True)

    def __hash__(self) -> int:
        return hash((self.shape, self.axes))

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.array.shape

    @property
    def ndim(self) -> int:
        return self.array.ndim

    @property
    def size(self) -> int:
        return self.array.size

    @property
    def dtype(self) -> np.dtype[np.float64]:
        return self.array.dtype

    def to_xarray(self) -> Any:
        """It as an xarray DataArray."""
        import xarray

        dims, coords = dims_of(self.axes)
        return xarray.DataArray(self.array, coords, dims)

    def __repr__(self) -> str:
        text = " x ".join(str(n) for n in self.shape)
        text += f", {int(np.isnan(self.array).sum())} missing" if np.isnan(self.array).any() else ""
        lines = [f"{self.source or 'data'}: {text}"]
        for axis, n in zip(self.axes, self.shape):
            index = axis.numbers if axis.numbers is not None else axis.labels
            span = "" if index is None else f": {axis.at(0)} to {axis.at(n - 1)}"
            lines.append(f"  {axis.title or 'no name'}, {n}{span}")
        return "\n".join(lines)


@_call.interruptible
def read(options: Dict[str, Any], *, path: FilePath) -> Data:
    name = os.fspath(path)
    command = Command("convert", name)
    command.options(options)
    argv = ["convert", name, "memory:out/data.npy", *command.words, "--json"]
    done = _call.run(argv, command.files)
    told = json.loads(done.output)
    array = done.files["data.npy"]
    assert isinstance(array, np.ndarray)
    return Data(array, told["axes"], name, told.get("scale"))


@_call.interruptible
def write(options: Dict[str, Any], *, path: FilePath, data: Any, like: Any) -> None:
    command = Command("convert")
    got = given(data, "data")
    axes = got.axes if like is None else _axes_like(like, got.values.shape)
    values = got.values
    if got.observed is not None:
        values = np.where(got.observed, values, np.nan)
    words = [command.file("data.npy", values), os.fspath(path)]
    if options["axes"] is None and axes is not None:
        options["axes"] = axes
    command.options(options)
    _call.run(["convert", *words, *command.words], command.files)


def _axes_like(like: Any, shape: Tuple[int, ...]) -> Optional[Axes]:
    """The axes of data, or of a result, for an array of this shape."""
    if isinstance(like, Answer):
        return like.axes if len(like.axes) == len(shape) else None
    other = given(like, "like")
    if other.values.shape != shape:
        raise ArgumentError(f"like has the shape {other.values.shape}, and data has {shape}")
    return other.axes

