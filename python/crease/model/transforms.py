# SPDX-License-Identifier: MIT
"""Linear maps that need no matrix: differences, cosine and wavelet transforms, convolutions.

Each function takes an expression, and gives the expression of what the map makes of it; or a shape,
and gives the map, which has an adjoint ``.T`` for synthesis.
"""

from __future__ import annotations

from typing import Any, Callable, FrozenSet, List, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _errors as errors
from .constants import (
    Array,
    Constant,
    Parameter,
    Shape,
    constant_of,
    parameters_of,
    shape_of,
    shape_text,
    size_of,
    value_of,
)
from .expression import Expression
from .maps import Json, Map, Writer


class Difference(Map):
    """x_{k+1} - x_k along one axis, which is one shorter then."""

    def __init__(self, domain: Shape, axis: int) -> None:
        self.domain, self.axis = domain, axis
        self.range = domain[:axis] + (domain[axis] - 1,) + domain[axis + 1 :]

    def apply(self, x: Array) -> Array:
        return np.diff(x, axis=self.axis)

    def adjoint(self, y: Array) -> Array:
        none = np.zeros(self.domain[: self.axis] + (1,) + self.domain[self.axis + 1 :])
        return -np.diff(np.concatenate([none, y, none], self.axis), axis=self.axis)

    def json(self, to: Writer) -> Json:
        return {"finite-difference": {"axis": self.axis}}


class Gradient(Map):
    """The differences along every axis, one vector; those along the first axis come first."""

    def __init__(self, domain: Shape) -> None:
        self.domain = domain
        self._along = [Difference(domain, i) for i, n in enumerate(domain) if n > 1]
        self.range = (sum(size_of(d.range) for d in self._along),)

    def apply(self, x: Array) -> Array:
        return np.concatenate([d.apply(x).reshape(-1) for d in self._along])

    def adjoint(self, y: Array) -> Array:
        parts = np.split(y, np.cumsum([size_of(d.range) for d in self._along])[:-1])
        total: Array = sum(
            (d.adjoint(p.reshape(d.range)) for d, p in zip(self._along, parts)),
            np.zeros(self.domain),
        )
        return total

    def json(self, to: Writer) -> Json:
        return {"gradient": {}}


def _along_axes(x: Array, matrices: Sequence[Array]) -> Array:
    """Every axis multiplied by its matrix."""
    for axis, m in enumerate(matrices):
        x = np.moveaxis(np.tensordot(m, x, (1, axis)), 0, axis)
    return x


class Cosine(Map):
    """The orthonormal cosine transform along every axis."""

    def __init__(self, domain: Shape) -> None:
        self.domain = self.range = domain

    def _matrices(self) -> List[Array]:
        matrices = []
        for n in self.domain:
            k, t = np.arange(n)[:, None], np.arange(n)[None, :]
            m = np.cos(np.pi * k * (2 * t + 1) / (2 * n)) * np.sqrt(2 / n)
            m[0] = np.sqrt(1 / n)
            matrices.append(m)
        return matrices

    def apply(self, x: Array) -> Array:
        return _along_axes(x, self._matrices())

    def adjoint(self, y: Array) -> Array:
        return _along_axes(y, [m.T for m in self._matrices()])

    def json(self, to: Writer) -> Json:
        return {"dct": {}}


class Wavelet(Map):
    """Daubechies' wavelet of four coefficients, periodic, along every axis longer than 1."""

    def __init__(self, domain: Shape, levels: int) -> None:
        self.domain = self.range = domain
        self.levels = levels

    @staticmethod
    def _level(n: int) -> Array:
        """The matrix of one level along a line of n entries: averages, then details."""
        q, f = np.sqrt(3), 4 * np.sqrt(2)
        h = np.array([1 + q, 3 + q, 3 - q, 1 - q]) / f
        g = np.array([h[3], -h[2], h[1], -h[0]])
        m = np.zeros((n, n))
        for k in range(n // 2):
            for i in range(4):
                m[k, (2 * k + i) % n] += h[i]
                m[n // 2 + k, (2 * k + i) % n] += g[i]
        return m

    def _corner(self, level: int) -> Tuple[slice, ...]:
        return tuple(slice(n >> level if n > 1 else 1) for n in self.domain)

    def _matrices(self, level: int) -> List[Array]:
        return [self._level(n >> level) if n > 1 else np.eye(1) for n in self.domain]

    def apply(self, x: Array) -> Array:
        y = x.copy()
        for level in range(self.levels):
            at = self._corner(level)
            y[at] = _along_axes(y[at], self._matrices(level))
        return y

    def adjoint(self, y: Array) -> Array:
        x = y.copy()
        for level in reversed(range(self.levels)):
            at = self._corner(level)
            x[at] = _along_axes(x[at], [m.T for m in self._matrices(level)])
        return x

    def json(self, to: Writer) -> Json:
        return {"wavelet": {"levels": self.levels}}


class Convolution(Map):
    """y_t = sum_s h_s x_{t-s+o}, with x periodic or zero outside."""

    def __init__(self, domain: Shape, kernel: Constant, origin: Shape, circular: bool) -> None:
        self.domain = self.range = domain
        self.kernel, self.origin, self.circular = kernel, origin, circular

    @property
    def parameters(self) -> FrozenSet[Parameter]:
        return parameters_of(self.kernel)

    def _by_fourier(self, x: Array, turn: Callable[[Any], Any]) -> Array:
        h = value_of(self.kernel)
        axes = tuple(range(len(self.domain)))
        size = self.domain if self.circular else tuple(n + k for n, k in zip(self.domain, h.shape))
        long = np.zeros(size)
        long[tuple(slice(k) for k in h.shape)] = h
        long = np.roll(long, tuple(-o for o in self.origin), axes)
        wide = np.zeros(size)
        wide[tuple(slice(n) for n in self.domain)] = x
        product = np.fft.fftn(wide) * turn(np.fft.fftn(long))
        inside: Array = np.fft.ifftn(product).real[tuple(slice(n) for n in self.domain)]
        return np.ascontiguousarray(inside)

    def apply(self, x: Array) -> Array:
        return self._by_fourier(x, lambda h: h)

    def adjoint(self, y: Array) -> Array:
        return self._by_fourier(y, np.conj)

    def json(self, to: Writer) -> Json:
        name = "circular-convolution" if self.circular else "convolution"
        return {name: {"kernel": to.array(self.kernel, "kernel"), "origin": list(self.origin)}}


Of = Union[Expression, int, Tuple[int, ...]]


def _on(x: Any, what: str, make: Callable[[Shape], Map]) -> Any:
    """The map for this shape, or what it makes of this expression."""
    if not isinstance(x, Expression):
        return make(shape_of(x, what))
    if not x.shape:
        raise errors.ShapeError(f"{what}({x}): a single number has no axis; give an array")
    return x.mapped(make(x.shape), what)


def finite_difference(x: Of, axis: int = 0) -> Any:
    """x_{k+1} - x_k along an axis.

    Examples
    --------
    >>> import crease as cr
    >>> cr.finite_difference(4) @ [1, 4, 9, 16]
    array([3., 5., 7.])
    """

    def make(shape: Shape) -> Map:
        if not -len(shape) <= axis < len(shape):
            raise errors.ArgumentError(f"axis={axis} is none of {shape_text(shape)}")
        at = axis % len(shape)
        if shape[at] < 2:
            raise errors.ShapeError(
                f"axis {axis} of {shape_text(shape)} has one entry and so no differences"
            )
        return Difference(shape, at)

    return _on(x, "finite_difference", make)


def gradient(x: Of) -> Any:
    """All differences of neighbours, one vector: those along the first axis, then the second, ...

    Examples
    --------
    >>> import crease as cr
    >>> cr.gradient((2, 2)) @ [[1, 2], [4, 8]]
    array([3., 6., 1., 4.])
    """

    def make(shape: Shape) -> Map:
        if size_of(shape) < 2:
            raise errors.ShapeError("one entry has no differences")
        return Gradient(shape)

    return _on(x, "gradient", make)


def dct(x: Of) -> Any:
    """The orthonormal cosine transform along every axis.

    Examples
    --------
    >>> import crease as cr
    >>> abs(cr.dct(4) @ [1, 1, 1, 1]).round(12)
    array([2., 0., 0., 0.])
    """
    return _on(x, "dct", Cosine)


def wavelet(x: Of, levels: int) -> Any:
    """Coefficients of Daubechies' wavelet with four coefficients, periodic, averages first.

    Every length but 1 must be divisible by ``2**levels``.

    Examples
    --------
    >>> import crease as cr
    >>> W = cr.wavelet(8, 1)
    >>> abs(W.T @ (W @ range(8))).round(12)
    array([0., 1., 2., 3., 4., 5., 6., 7.])
    """
    if not isinstance(levels, (int, np.integer)) or levels < 1:
        raise errors.ArgumentError(f"levels={levels!r}: give a whole number from 1 on")

    def make(shape: Shape) -> Map:
        if any(n > 1 and n % (1 << int(levels)) for n in shape):
            raise errors.ShapeError(
                f"wavelet: {shape_text(shape)} is not divisible by 2^{levels}; use fewer "
                "levels or pad the data"
            )
        return Wavelet(shape, int(levels))

    return _on(x, "wavelet", make)


def _convolve(x: Of, kernel: Any, origin: Optional[Sequence[int]], circular: bool) -> Any:
    what = "circular_convolution" if circular else "convolution"
    h = constant_of(kernel, "kernel")

    def make(shape: Shape) -> Map:
        if len(h.shape) != len(shape):
            raise errors.ShapeError(
                f"{what}: the kernel is {shape_text(h.shape)} and its operand "
                f"{shape_text(shape)}; give as many axes"
            )
        if circular and any(k > n for k, n in zip(h.shape, shape)):
            raise errors.ShapeError(
                f"{what}: a kernel of {shape_text(h.shape)} is longer than its operand "
                f"of {shape_text(shape)}; cut it"
            )
        at = (
            tuple((k - 1) // 2 * (not circular) for k in h.shape)
            if origin is None
            else tuple(int(o) for o in np.atleast_1d(origin))
        )
        if len(at) != len(h.shape) or any(not 0 <= o < k for o, k in zip(at, h.shape)):
            raise errors.ArgumentError(
                f"{what}: origin={origin!r} is no index of a kernel of {shape_text(h.shape)}"
            )
        return Convolution(shape, h, at, circular)

    return _on(x, what, make)


def convolution(x: Of, kernel: Any, origin: Optional[Sequence[int]] = None) -> Any:
    """y_t = sum_s h_s x_{t-s+o}, x zero outside; the origin o is the middle of the kernel.

    Examples
    --------
    >>> import crease as cr
    >>> cr.convolution(4, [1, 1, 1]) @ [1, 0, 0, 2]
    array([1., 1., 2., 2.])
    """
    return _convolve(x, kernel, origin, False)


def circular_convolution(x: Of, kernel: Any, origin: Optional[Sequence[int]] = None) -> Any:
    """y_t = sum_s h_s x_{t-s+o}, x periodic; the origin o is the start of the kernel.

    Examples
    --------
    >>> import crease as cr
    >>> cr.circular_convolution(4, [1, 2]) @ [1, 0, 0, 3]
    array([7., 2., 0., 3.])
    """
    return _convolve(x, kernel, origin, True)
