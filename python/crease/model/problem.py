# SPDX-License-Identifier: MIT
"""Problems: minimize() puts terms and constraints together; they are checked, solved, saved."""

from __future__ import annotations

import contextlib
import json
import pathlib
import threading
from types import MappingProxyType
from typing import AbstractSet, Any, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import NDArray

from .. import _call, verbs
from .. import _errors as errors
from .._options import check as run_check
from ..result import Check, Result
from .arrangement import Arrangement, arrange
from .constants import Array, Parameter
from .couplings import SmoothTerm
from .document import Document, Place, write
from .expression import Bounds, Equality, Expression, Variable
from .maps import Map
from .operators import Operator
from .terms import Membership, Objective, Term, maps_of, objective_of

Constraint = Union[Equality, Bounds, Membership]

_SOON = 10_000  # entries up to which the program is asked when a problem is made


class ModelCheck(Check):
    """What the theory says about a problem, and how its terms became blocks.

    Attributes
    ----------
    notes : tuple of str
        What was rewritten, and is exact: blocks that stand for expressions, blocks put together.
    """

    def __init__(self, check: Check, notes: Sequence[str]) -> None:
        super().__init__(check.document, repr(check))
        self.notes = tuple(notes)

    def __repr__(self) -> str:
        return "\n".join([super().__repr__(), *(f"rewritten   {note}" for note in self.notes)])


class Solution(Result):
    """A point of a problem: ``r[x]`` is the value of a variable, or of any expression."""

    def __getitem__(self, key: Any) -> Array:
        own = self.__dict__
        if isinstance(key, Expression):
            places: Mapping[Variable, Place] = own.get("_places", {})
            point = {}
            for v in key.maps:
                if v in places:
                    point[v] = places[v].of(self.x)
                elif v.name is not None:
                    point[v] = self[v.name]  # of a result that was stored: names are what is left
                else:
                    raise KeyError(
                        f"{v} is no variable of this problem; there are {', '.join(self._named())}"
                    )
            return key.at(point)
        named = self._named()
        if key not in named:
            raise KeyError(f"{key!r} is no variable of this problem; there are {', '.join(named)}")
        return named[key].of(self.x)

    def _locate(self, document: Document) -> None:
        """Says where the variables are."""
        names = {document.names[v]: place for v, place in document.places.items()}
        self.__dict__.update(_places=document.places, _by_name=names)

    def _named(self) -> Dict[str, Place]:
        """The variables by name, and every block."""
        found = {name: Place(name, 0, x.shape) for name, x in self.x.items()}
        found.update(self.__dict__.get("_by_name", {}))
        return found

    def __reduce__(self) -> Tuple[Any, ...]:
        return (*super().__reduce__(), {"_by_name": self.__dict__.get("_by_name", {})})


class Problem:
    """A problem: minimize an objective subject to constraints. :func:`minimize` makes it.

    Arrays are used where they are, and not copied; what is to change is a :class:`Parameter`.
    """

    def __init__(
        self, objective: Objective, constraints: Sequence[Constraint], options: Mapping[str, Any]
    ) -> None:
        self.objective, self.constraints, self.options = (
            objective,
            tuple(constraints),
            dict(options),
        )
        self._terms: List[Union[Term, Equality]] = [t for _, t in objective.parts]
        self._terms += [c for c in constraints if isinstance(c, (Equality, Membership))]
        self._arrangement: Arrangement = arrange(objective, constraints)
        self._lock = threading.RLock()
        self._session: Optional[Tuple[_call.Session, Document]] = None
        for m in _all_maps(
            maps_of(self._terms) + [m for c in constraints for m in c.expression.maps.values()]
        ):
            if isinstance(m, Operator):
                m.test()
        for t in self._terms:
            if isinstance(t, SmoothTerm):
                t.test()
        document = self._document()
        self._parameters = _by_name(document.parameters)
        if sum(a.size for a in document.arrays.values()) <= _SOON:
            with _as_sentences():
                files: Dict[str, _call.File] = {**document.arrays}
                files["problem.json"] = document.text
                _call.run(["check", "memory:problem.json"], files, functions=document.functions)

    @property
    def variables(self) -> Tuple[Variable, ...]:
        """The variables, in the order in which they came."""
        a = self._arrangement
        return tuple(b.variable for b in a.blocks if b.variable not in a.made) + tuple(a.inside)

    @property
    def parameters(self) -> Dict[str, Parameter]:
        """The parameters by name."""
        return dict(self._parameters)

    def __repr__(self) -> str:
        lines = [f"minimize    {self.objective.text or '0'}"]
        lines += [
            f"{'subject to' if k == 0 else '':10s}  {c.text}"
            for k, c in enumerate(self.constraints)
        ]
        return "\n".join(lines)

    def _document(
        self, start: Optional[Solution] = None, options: Mapping[str, Any] = MappingProxyType({})
    ) -> Document:
        if start is None:
            return write(self._arrangement, None, None, self.options)
        point = {v: _value_in(start, v) for v in self.variables}
        settings = {**self.options, **options}
        free = settings.get("mode", "practical") == "practical"  # theorems begin with 0
        takes = free and settings.get("method", "auto") in ("auto", "multipliers")
        return write(self._arrangement, point, start.multiplier if takes else None, self.options)

    def check(self, **options: Any) -> ModelCheck:
        """What the theory says: method, theorem, each assumption with the number behind it.

        Parameters
        ----------
        **options
            Of :func:`crease.check`, as ``mode="theory"``.

        Examples
        --------
        >>> import crease as cr
        >>> x = cr.Variable(2, "x")
        >>> cr.minimize(cr.least_squares(x - [1, 2]) + cr.l1(1)(x)).check().method
        'direct'
        """
        document = self._document()
        with _as_sentences():
            check = run_check(
                document.text, files=document.arrays, functions=document.functions, **options
            )
        return ModelCheck(check, document.notes)

    def solve(
        self,
        *,
        start: Optional[Result] = None,
        progress: Any = "auto",
        **options: Any,
    ) -> Solution:
        """A certified point, or a proof that there is none.

        A second solve after :meth:`update` goes on from the first where only data vectors, weights,
        penalties or sets have changed, with all that was computed of the matrices.

        Parameters
        ----------
        start : Solution, optional
            Begin at the point and multiplier of an earlier result; else at the variables' starts.
        progress
            As of :func:`crease.solve`.
        **options
            Of :func:`crease.solve`, as ``eps=1e-8`` or ``mode="theory"``.

        Examples
        --------
        >>> import crease as cr
        >>> x = cr.Variable(3, "x")
        >>> r = cr.minimize(cr.least_squares(x - [3, 0.5, -2]) + cr.l1(1)(x)).solve()
        >>> r[x], r[2 * x.sum()]
        (array([ 2.,  0., -1.]), array(2.))
        """
        if start is not None and not isinstance(start, Solution):
            raise errors.ArgumentError(
                "start: give a result of problem.solve(); set x.start for other points"
            )
        with self._lock:
            document = self._document(start, options)
            command = verbs.Command("solve")
            for name, array in document.arrays.items():
                command.file(name, array, data=True)
            command.words.append(command.file("problem.json", document.text, data=True))
            command.options(_known(options))
            session = self._kept(document)
            try:
                with _as_sentences():
                    result = command.run(
                        Solution,
                        progress=progress,
                        functions=document.functions,
                        session=session,
                    )
            except BaseException as e:
                self._session = None
                if isinstance(e, errors.Interrupted) and isinstance(e.result, Solution):
                    e.result._locate(document)
                raise
        result._locate(document)
        return result

    def _kept(self, document: Document) -> Tuple[_call.Session, Dict[str, _call.File]]:
        """A session for the next run, with the files that changed: the last one where it serves."""
        if self._session is not None:
            session, before = self._session
            changed: Dict[str, _call.File] = {
                name: array
                for name, array in document.arrays.items()
                if not _equal(array, before.arrays.get(name))
            }
            if document.frame == before.frame and not document.fixed & set(changed):
                self._session = session, document
                return session, {**changed, "problem.json": document.text}
        keep = bool(document.parameters) and not document.functions
        session = _call.Session({}, document.functions, keep=keep)
        for name, array in document.arrays.items():
            session.give(name, array, own=keep and name not in document.fixed)
        session.give("problem.json", document.text)
        self._session = (session, document) if keep else None
        return session, {}

    def update(self, **values: Any) -> Problem:
        """Gives parameters new values, by their names.

        Examples
        --------
        >>> import crease as cr
        >>> b = cr.Parameter([1.0, 2.0], name="b")
        >>> x = cr.Variable(2, "x")
        >>> p = cr.minimize(cr.least_squares(x - b))
        >>> p.update(b=[3.0, 4.0]).solve()[x]
        array([3., 4.])
        """
        for name in values:
            if name not in self._parameters:
                raise errors.ArgumentError(
                    f"no parameter of this problem is called {name!r}; there "
                    f"{'is ' + ', '.join(self._parameters) if self._parameters else 'are none'}"
                )
        before = {name: self._parameters[name].value for name in values}
        try:
            for name, value in values.items():
                self._parameters[name].value = value
        except errors.Error:
            for name, old in before.items():
                self._parameters[name].value = old
            raise
        return self

    def save(self, path: Union[str, pathlib.Path]) -> None:
        """Writes the problem file that ``crease solve`` reads, and its arrays beside it.

        Parameters
        ----------
        path : path
            The file, as ``"problem.json"``; arrays become ``problem_matrix.npy`` and so on.
        """
        target = pathlib.Path(path)
        document = self._document()
        if document.functions:
            names = [t.text for t in self._terms if isinstance(t, SmoothTerm)] or ["an operator"]
            raise errors.UnsupportedError(
                f"{names[0]} is made of functions in Python, which a file cannot hold; use terms "
                "and maps of the catalogue, or solve it here"
            )
        target.parent.mkdir(parents=True, exist_ok=True)
        renamed = {name: f"{target.stem}_{name}" for name in document.arrays}
        for name, array in document.arrays.items():
            np.save(target.parent / renamed[name], array)
        target.write_text(document_text(document, renamed), encoding="utf-8")


def document_text(document: Document, renamed: Mapping[str, str]) -> str:
    """The problem file with other names of arrays."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: walk(v) for k, v in value.items()}
        if isinstance(value, list):
            return [walk(v) for v in value]
        return renamed.get(value, value) if isinstance(value, str) else value

    return json.dumps(walk(document.content), indent=1) + "\n"


def _value_in(start: Solution, v: Variable) -> Array:
    try:
        value = start[v]
    except KeyError:
        raise errors.ArgumentError(
            f"start: the result is of another problem and has no {v}; set {v}.start instead"
        ) from None
    return value


def _equal(a: NDArray[Any], b: Optional[NDArray[Any]]) -> bool:
    return b is not None and (a is b or a.shape == b.shape and bool((a == b).all()))


def _known(options: Mapping[str, Any]) -> Dict[str, Any]:
    """The options, each one of `solve`."""
    from .._options import OPTIONS

    for name in options:
        if name not in OPTIONS["solve"]:
            raise errors.ArgumentError(
                f"solve has no option {name!r}; help(crease.solve) lists them"
            )
    return dict(options)


@contextlib.contextmanager
def _as_sentences() -> Iterator[None]:
    """Sentences of the program about a file become ones about the problem."""
    try:
        yield
    except errors.Error as e:
        said = str(e).replace("memory:problem.json: ", "").replace("problem.json: ", "")
        if "leave the set out" in said:
            said += ", or put it on a copy: y in the set, and y == x"
        raise type(e)(said) from None


def _by_name(parameters: AbstractSet[Parameter]) -> Dict[str, Parameter]:
    found: Dict[str, Parameter] = {}
    for p in sorted(parameters, key=lambda p: p.name):
        if found.setdefault(p.name, p) is not p:
            raise errors.ArgumentError(
                f"two parameters are called {p.name!r}; give one of them another name"
            )
    return found


def _all_maps(maps: Sequence[Map]) -> List[Map]:
    """The maps and those that they are made of."""
    found: List[Map] = []
    for m in maps:
        found.append(m)
        found += _all_maps(m.parts)
    return found


def minimize(objective: Any, *constraints: Any, **options: Any) -> Problem:
    """The problem of minimizing an objective subject to constraints.

    Parameters
    ----------
    objective : sum of terms
        Losses, penalties, sets, couplings, and linear functions of variables.
    *constraints
        Relations by ``==``, ``<=`` and ``>=``, and ``set.contains(expression)``.
    **options
        Options of :func:`crease.solve` that belong to the problem, as ``eps=1e-8``.

    Returns
    -------
    Problem
        With ``check()``, ``solve()``, ``update()`` and ``save()``.

    Examples
    --------
    >>> import crease as cr
    >>> x = cr.Variable(3, "x")
    >>> p = cr.minimize(cr.least_squares(x - [2, 1, 0]), x >= 0, x.sum() == 1)
    >>> p.solve(eps=1e-9)[x].round(6)
    array([1., 0., 0.])
    """
    given: List[Constraint] = []
    for c in constraints:
        if not isinstance(c, (Equality, Bounds, Membership)):
            what = "False" if c is False else "True" if c is True else f"a {type(c).__name__}"
            raise errors.ArgumentError(
                f"{what} is no constraint; write x == b, A @ x <= b or set.contains(x)"
            )
        given.append(c)
    return Problem(objective_of(objective), given, options)
