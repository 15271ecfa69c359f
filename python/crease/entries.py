# SPDX-License-Identifier: MIT
"""Regularizers and sets of the catalogue, as objects that are called on arrays.

An entry is written as the program writes it, ``"scad:1,3.7"``, or made by the function of its
name, ``scad(1, 3.7)``. It is set up once; a call on a small array then costs about a microsecond.
"""

from __future__ import annotations

import functools
import numbers
from typing import (
    Any,
    Dict,
    List,
    Mapping,
    NamedTuple,
    NoReturn,
    Optional,
    Tuple,
    Union,
)

import numpy as np
import numpy.typing as npt

from . import _errors as errors
from ._native import ffi, lib
from .arrays import Floats, floats

_FLOAT = np.dtype(np.float64)
_READY = 0x101  # NumPy's flags C_CONTIGUOUS and ALIGNED
_PLACE = 0x501  # and WRITEABLE

# Bound here because a call of ten entries is all overhead.
_buffer, _empty, _array = ffi.from_buffer, np.empty, np.ndarray
_prox, _value, _project = lib.crpy_prox, lib.crpy_value, lib.crpy_project

Numbers = Union[float, npt.ArrayLike]


def _text(pointer: Any) -> str:
    return str(ffi.string(pointer), "utf-8", "replace")


def _refuse() -> NoReturn:
    """Raises what the last call into C left."""
    raise errors.of_code(_text(lib.crpy_error_code()))(_text(lib.crpy_error_text()))


def _ready(value: Any, name: str) -> Floats:
    """`value` as float64 in C order, as it is where it is that already."""
    if type(value) is _array and value.dtype is _FLOAT and value.flags.num & _READY == _READY:
        return value
    return floats(value, name)


def _place(out: Any, v: Floats, given: Any) -> Tuple[Floats, Floats]:
    """`out` where results for v can be written, and v, copied where writing would disturb it."""
    if type(out) is not _array or out.dtype != _FLOAT or out.flags.num & _PLACE != _PLACE:
        raise errors.ArgumentError(
            "out is no array of float64 in C order that can be written to; leave it out, or give "
            "numpy.empty(v.shape)"
        )
    if out.shape != v.shape:
        raise errors.ShapeError(f"out has shape {out.shape} but the point {v.shape}; give as many")
    if out is not given and np.shares_memory(out, v):
        v = v.copy()
    return out, v


def _number(name: str, value: Any) -> float:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise errors.ArgumentError(f"{name} is {value!r:.80}; give a number") from None


def _written(value: float) -> str:
    return repr(value)[:-2] if repr(value).endswith(".0") else repr(value)


def spell(name: str, parameters: Mapping[str, Any]) -> str:
    """The text of an entry: ``spell("scad", {"lambda_": 1, "a": 3.7})`` is ``"scad:1,3.7"``."""
    words: List[str] = []
    for key, value in parameters.items():
        if isinstance(value, (numbers.Real, np.bool_)):
            words.append(_written(_number(key, value)))
        else:
            words += map(_written, floats(value, key).ravel().tolist())
    return f"{name}:{','.join(words)}" if words else name


def _frozen(values: Any) -> Any:
    """A copy of an array that cannot be written to."""
    copy = np.array(values, dtype=np.float64)
    copy.flags.writeable = False
    return copy


def _is_expression(x: Any) -> bool:
    """An affine expression of crease.model: it keeps NumPy from taking it apart."""
    return getattr(type(x), "__array_ufunc__", False) is None


class _Entry:
    """What regularizers and sets share: the text, and what it says."""

    __slots__ = ("_handle", "_spec", "_data")

    _handle: Any
    _spec: str
    _data: Dict[str, Any]  # the arrays that came with the text, by argument

    def __init__(self, spec: str, data: Mapping[str, Any], handle: Any) -> None:
        if not handle:
            _refuse()
        self._handle = ffi.gc(handle, lib.crpy_entry_free)
        self._spec = spec
        self._data = {key: value for key, value in data.items() if value is not None}

    @property
    def spec(self) -> str:
        """The text, as the program takes it: ``"scad:1,3.7"``."""
        return self._spec

    @property
    def name(self) -> str:
        """Its name in the catalogue, as ``"scad"``."""
        return _text(lib.crpy_entry_name(self._handle))

    @property
    def parameters(self) -> Dict[str, Any]:
        """Its parameters by name, a vector parameter as an array."""
        found: Dict[str, Any] = {}
        vector: Dict[str, List[float]] = {}
        for k in range(lib.crpy_entry_count(self._handle)):
            name = _text(lib.crpy_entry_parameter(self._handle, k))
            value = lib.crpy_entry_number(self._handle, k)
            if name in found:
                vector.setdefault(name, [found[name]]).append(value)
            found.setdefault(name, value)
        found.update((name, _frozen(values)) for name, values in vector.items())
        return found

    def __reduce__(self) -> Tuple[Any, ...]:
        return functools.partial(type(self), **self._data), (self._spec,)

    def __repr__(self) -> str:
        data = "".join(f", {key}={value!r}" for key, value in self._data.items())
        return f"{type(self).__name__}({self._spec!r}{data})"

    def _identity(self) -> Tuple[Any, ...]:
        data = ((key, np.asarray(value).tobytes()) for key, value in self._data.items())
        return type(self), self._spec, tuple(data)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Entry) and self._identity() == other._identity()

    def __hash__(self) -> int:
        return hash(self._identity())


def _indices(values: npt.ArrayLike, name: str) -> npt.NDArray[np.intp]:
    """Whole numbers, in a row."""
    given = floats(values, name).ravel()
    whole = given.astype(np.intp) if np.all(np.abs(given) < 2**53) else None
    if whole is None or not np.array_equal(whole, given):
        raise errors.ArgumentError(f"{name} has entries that are no whole numbers")
    return whole


def _grouping(groups: Optional[npt.ArrayLike], labels: Optional[npt.ArrayLike]) -> Any:
    """Starts and indices of groups as the library wants them; None: none."""
    if groups is not None and labels is not None:
        raise errors.ArgumentError("groups and labels exclude each other; give one")
    if groups is not None:
        sizes = _indices(groups, "groups")
        if np.any(sizes < 1):
            raise errors.ArgumentError("groups has a size below 1; give sizes of groups in a row")
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp), None
    if labels is not None:
        marks = _indices(labels, "labels")
        order = np.argsort(marks, kind="stable").astype(np.intp)
        counts = np.unique(marks, return_counts=True)[1]
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.intp), order
    return None, None


def _pointer(kind: str, values: Any) -> Any:
    return ffi.NULL if values is None else ffi.cast(kind, ffi.from_buffer(values))


class Regularizer(_Entry):
    """A regularizer r(x) of the catalogue.

    Parameters
    ----------
    spec : str
        Its name and parameters, as ``"scad:1,3.7"``; `catalogue` lists them.
    weights : array-like, optional
        A weight >= 0 for every entry of a point, or for every group.
    groups : sequence of int, optional
        Of a penalty on groups: the sizes of groups that follow each other.
    labels : array-like, optional
        Instead of `groups`: a number for every entry; equal numbers are a group. Weights of groups
        are in the order of ascending labels.

    Examples
    --------
    >>> import numpy as np
    >>> from crease import Regularizer
    >>> scad = Regularizer("scad:1,3.7")
    >>> scad.prox(np.array([0.5, 2.5, 5.0]))
    array([0.        , 1.79411765, 5.        ])
    >>> Regularizer("group-l1:1", groups=[2, 1]).value([3.0, 4.0, -2.0])
    7.0
    """

    __slots__ = ()

    def __init__(
        self,
        spec: str,
        *,
        weights: Optional[npt.ArrayLike] = None,
        groups: Optional[npt.ArrayLike] = None,
        labels: Optional[npt.ArrayLike] = None,
    ) -> None:
        start, index = _grouping(groups, labels)
        weight = None if weights is None else _frozen(floats(weights, "weights").ravel())
        data = {
            "weights": weight,
            "groups": None if groups is None else tuple(_indices(groups, "groups").tolist()),
            "labels": None if labels is None else _frozen(floats(labels, "labels").ravel()),
        }
        handle = lib.crpy_reg_new(
            spec.encode(),
            0 if weight is None else weight.size,
            _pointer("double *", weight),
            0 if start is None else start.size - 1,
            _pointer("ptrdiff_t *", start),
            _pointer("ptrdiff_t *", index),
        )
        super().__init__(spec, data, handle)

    @property
    def weights(self) -> Optional[Floats]:
        """The weights of entries or groups, or None."""
        return self._data.get("weights")

    @property
    def groups(self) -> Optional[Tuple[int, ...]]:
        """The sizes of groups that follow each other, or None."""
        return self._data.get("groups")

    @property
    def labels(self) -> Optional[Floats]:
        """The label of every entry, or None."""
        return self._data.get("labels")

    def prox(
        self,
        v: npt.ArrayLike,
        step: float = 1.0,
        out: Optional[Floats] = None,
        *,
        set: Union[None, str, "Set"] = None,
    ) -> Floats:
        """The minimizer of r(x) + \\|x - v\\|^2 / (2 step), for every step the global one.

        Parameters
        ----------
        v : array-like
            Finite numbers, in an array of 1 to 8 dimensions.
        step : float
            A number > 0.
        out : ndarray, optional
            Where the result is written: float64 in C order; v itself works in place.
        set : Set or str, optional
            Minimizes over this set; a pair without an exact rule is refused.

        Returns
        -------
        ndarray
            Of equal minimizers the one of smallest magnitude.

        Examples
        --------
        >>> from crease import Regularizer
        >>> Regularizer("l1:1").prox([3.0, -0.5])
        array([2., 0.])
        """
        given = v
        if type(v) is not _array or v.dtype is not _FLOAT or v.flags.num & _READY != _READY:
            v = floats(v, "v")
        if out is None:
            x: Floats = _empty(v.shape)
        else:
            x, v = _place(out, v, given)
        try:
            if set is not None:
                over = set_of(set)._handle
                done = lib.crpy_prox_over(
                    self._handle, over, step, v.ndim, v.shape, _buffer(v), _buffer(x)
                )
            else:
                done = _prox(self._handle, step, v.ndim, v.shape, _buffer(v), _buffer(x))
        except TypeError:
            _number("step", step)
            raise
        if not done:
            _refuse()
        return x

    def value(self, x: npt.ArrayLike) -> float:
        """r(x); infinity outside its domain.

        Examples
        --------
        >>> from crease import Regularizer
        >>> Regularizer("l0:2").value([0.0, 3.0, -1.0])
        4.0
        """
        x = _ready(x, "x")
        value = _value(self._handle, x.ndim, x.shape, _buffer(x))
        if value != value:
            _refuse()
        return value

    def dist(self, x: npt.ArrayLike, g: npt.ArrayLike) -> float:
        """The distance of g from the subdifferential of r at x; infinity where that is empty.

        With g = -grad f(x) this is how far x is from stationary for f + r.

        Examples
        --------
        >>> from crease import Regularizer
        >>> Regularizer("l1:1").dist([2.0, 0.0], [1.0, 1.5])
        0.5
        """
        x, g = _ready(x, "x"), _ready(g, "g")
        if g.shape != x.shape:
            raise errors.ShapeError(f"g has shape {g.shape} but x {x.shape}; give as many")
        dist = lib.crpy_dist(self._handle, x.ndim, x.shape, _buffer(x), _buffer(g))
        if dist != dist:
            _refuse()
        return dist

    def __call__(self, x: Any) -> Any:
        """r(x): a term of a problem where x is an expression, a number where it is an array."""
        if _is_expression(x):
            from . import model

            return model.regularizer_term(self, x)
        return self.value(x)


class Set(_Entry):
    """A closed set of the catalogue.

    Parameters
    ----------
    spec : str
        Its name and parameters, as ``"l1-ball:2"``; `catalogue` lists them.
    lower, upper : array-like, optional
        Of a box: bounds of every entry, instead of those in the text.

    Examples
    --------
    >>> from crease import Set
    >>> Set("simplex:1").project([0.9, 0.8, -0.3])
    array([0.55, 0.45, 0.  ])
    """

    __slots__ = ()

    def __init__(
        self,
        spec: str,
        *,
        lower: Optional[npt.ArrayLike] = None,
        upper: Optional[npt.ArrayLike] = None,
    ) -> None:
        low = None if lower is None else _frozen(floats(lower, "lower").ravel())
        high = None if upper is None else _frozen(floats(upper, "upper").ravel())
        sides = [side for side in (low, high) if side is not None]
        if len(sides) == 2 and sides[0].size != sides[1].size:
            raise errors.ShapeError(
                f"lower has {sides[0].size} entries but upper {sides[1].size}; give as many"
            )
        handle = lib.crpy_set_new(
            spec.encode(),
            sides[0].size if sides else 0,
            _pointer("double *", low),
            _pointer("double *", high),
        )
        super().__init__(spec, {"lower": low, "upper": high}, handle)

    @property
    def parameters(self) -> Dict[str, Any]:
        """Its parameters by name, a vector parameter and bounds of every entry as arrays."""
        found = super().parameters
        for key, side in (("low", "lower"), ("high", "upper")):
            if side in self._data:
                del found[key]
                found[side] = self._data[side]
        return found

    @property
    def lower(self) -> Optional[Floats]:
        """The lower bound of every entry where it was given so, else None."""
        return self._data.get("lower")

    @property
    def upper(self) -> Optional[Floats]:
        """The upper bound of every entry where it was given so, else None."""
        return self._data.get("upper")

    def project(self, v: npt.ArrayLike, out: Optional[Floats] = None) -> Floats:
        """The nearest point of the set.

        Parameters
        ----------
        v : array-like
            Finite numbers.
        out : ndarray, optional
            Where the result is written: float64 in C order; v itself works in place.

        Examples
        --------
        >>> from crease import Set
        >>> Set("l2-ball:1").project([3.0, 4.0])
        array([0.6, 0.8])
        """
        given = v
        if type(v) is not _array or v.dtype is not _FLOAT or v.flags.num & _READY != _READY:
            v = floats(v, "v")
        if out is None:
            x: Floats = _empty(v.shape)
        else:
            x, v = _place(out, v, given)
        if not _project(self._handle, v.ndim, v.shape, _buffer(v), _buffer(x)):
            _refuse()
        return x

    def lmo(
        self, c: npt.ArrayLike, *, reg: Union[None, str, Regularizer] = None
    ) -> Floats:
        """A point of the set that minimizes <c, y>, or <c, y> + r(y).

        Parameters
        ----------
        c : array-like
            Finite numbers.
        reg : Regularizer or str, optional
            A convex r; a pair without a closed form is refused.

        Examples
        --------
        >>> from crease import Set
        >>> Set("l1-ball:2").lmo([0.5, -3.0, 1.0])
        array([0., 2., 0.])
        """
        c = _ready(c, "c")
        y: Floats = _empty(c.shape)
        if reg is None:
            done = lib.crpy_lmo(self._handle, c.ndim, c.shape, _buffer(c), _buffer(y))
        else:
            done = lib.crpy_lmo_with(
                self._handle, regularizer_of(reg)._handle, c.ndim, c.shape, _buffer(c), _buffer(y)
            )
        if not done:
            _refuse()
        return y

    def excess(self, x: npt.ArrayLike) -> float:
        """By how much x violates the inequalities that define the set; 0 inside.

        Examples
        --------
        >>> from crease import Set
        >>> Set("box:0,1").excess([0.5, 3.0])
        2.0
        """
        x = _ready(x, "x")
        excess = lib.crpy_excess(self._handle, x.ndim, x.shape, _buffer(x))
        if excess != excess:
            _refuse()
        return excess

    def contains(self, x: Any, tol: float = 1e-9) -> Any:
        """Is x in the set, but for `tol`? Of an expression: the term that says it is.

        Examples
        --------
        >>> from crease import Set
        >>> Set("l1-ball:2").contains([1.0, -1.0])
        True
        """
        if _is_expression(x):
            from . import model

            return model.set_term(self, x)
        return self.excess(x) <= tol


def box_of(name: str, parameters: Dict[str, Any]) -> Set:
    """A set with the bounds `low` and `high`, each of them a number or an array."""
    sides: Dict[str, Floats] = {}
    for key, side, outer in (("low", "lower", np.min), ("high", "upper", np.max)):
        if not isinstance(parameters[key], numbers.Real):
            sides[side] = floats(parameters[key], key)
            parameters = {**parameters, key: float(outer(sides[side]))}
    return Set(spell(name, parameters), **sides)


_from_text = functools.lru_cache(maxsize=256)(Regularizer)
_set_from_text = functools.lru_cache(maxsize=256)(Set)


def regularizer_of(reg: Union[str, Regularizer]) -> Regularizer:
    """The regularizer itself, or the one that a text names."""
    if isinstance(reg, Regularizer):
        return reg
    if isinstance(reg, str):
        return _from_text(reg)
    raise errors.ArgumentError(
        f'reg is of type {type(reg).__name__}; give a regularizer, as crease.l1(1) or "l1:1"'
    )


def set_of(set: Union[str, Set]) -> Set:
    """The set itself, or the one that a text names."""
    if isinstance(set, Set):
        return set
    if isinstance(set, str):
        return _set_from_text(set)
    raise errors.ArgumentError(
        f'set is of type {type(set).__name__}; give a set, as crease.l1_ball(1) or "l1-ball:1"'
    )


def prox(
    reg: Union[str, Regularizer],
    v: npt.ArrayLike,
    step: float = 1.0,
    out: Optional[Floats] = None,
    *,
    set: Union[None, str, Set] = None,
) -> Floats:
    """The minimizer of r(x) + \\|x - v\\|^2 / (2 step): `Regularizer.prox`.

    Examples
    --------
    >>> from crease import prox
    >>> prox("scad:1,3.7", [0.5, 2.5, 5.0])
    array([0.        , 1.79411765, 5.        ])
    """
    return regularizer_of(reg).prox(v, step, out, set=set)


def project(set: Union[str, Set], v: npt.ArrayLike, out: Optional[Floats] = None) -> Floats:
    """The point of a set nearest to v: `Set.project`.

    Examples
    --------
    >>> from crease import project
    >>> project("box:0,1", [0.5, 3.0])
    array([0.5, 1. ])
    """
    return set_of(set).project(v, out)


def lmo(
    set: Union[str, Set], c: npt.ArrayLike, *, reg: Union[None, str, Regularizer] = None
) -> Floats:
    """A point of a set that minimizes <c, y>, or <c, y> + r(y): `Set.lmo`.

    Examples
    --------
    >>> from crease import lmo
    >>> lmo("simplex:1", [0.2, -0.1, 0.5])
    array([0., 1., 0.])
    """
    return set_of(set).lmo(c, reg=reg)


class Parameter(NamedTuple):
    """A parameter of an entry: its name in Python, its range, and what it means."""

    name: str
    range: str
    text: str


class Entry(NamedTuple):
    """A line of the catalogue.

    `kind` is regularizer, set, map or smooth; `name` what the program calls it; `function` what
    makes it in Python, or None; `formula` says what it is; `vector` names the parameter that has a
    number for every entry of a point; `data` says what a smooth function is made of; `traits` what
    is known of it.
    """

    kind: str
    name: str
    function: Optional[str]
    formula: str
    parameters: Tuple[Parameter, ...]
    vector: Optional[str]
    data: Optional[str]
    traits: str

    def __str__(self) -> str:
        words = [p.name for p in self.parameters] + ([f"{self.vector}, ..."] if self.vector else [])
        call = f"{self.function}({', '.join(words)})" if self.function else self.name
        lines = [call, f"    {self.formula}"]
        lines += [f"    {p.name} in {p.range}: {p.text}" for p in self.parameters]
        lines += [f"    {self.vector}: one number per entry"] if self.vector else []
        lines += [f"    data: {self.data}"] if self.data else []
        return "\n".join(lines + ([f"    {self.traits}"] if self.traits else []))


class Catalogue(Tuple[Entry, ...]):
    """Entries of the catalogue; printed, they are a page."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n\n".join(map(str, self))


def catalogue(kind: Optional[str] = None) -> Catalogue:
    """Everything the library knows by name, with formulas, parameters and ranges.

    Parameters
    ----------
    kind : {"regularizer", "set", "map", "smooth"}, optional
        Only these.

    Examples
    --------
    >>> from crease import catalogue
    >>> print([e for e in catalogue("set") if e.name == "l1-ball"][0])
    l1_ball(radius)
        {x : |x|_1 <= R}
        radius in (0, inf): R
        compact
    """
    from ._terms import ENTRIES

    kinds = sorted({entry.kind for entry in ENTRIES})
    if kind is not None and kind not in kinds:
        raise errors.ArgumentError(f"kind is {kind!r}; give one of {', '.join(kinds)}")
    return Catalogue(entry for entry in ENTRIES if kind in (None, entry.kind))
