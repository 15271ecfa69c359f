# SPDX-License-Identifier: MIT
"""Results: what the commands left, as frozen objects.

A result is a result folder in memory: its arrays and texts, and nothing of the library.
Attributes are views of these files; `to_folder` writes them and `load` reads them back.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import re
from functools import cached_property
from types import MappingProxyType
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Type
from typing import Union, cast

import numpy as np
import numpy.typing as npt

from . import _call
from ._errors import ArgumentError, DataError
from ._folder import Answer, Block, Certificate, File, column, dims_of, number, text_table
from .arrays import Axes, Bools, FilePath, Floats, axes_from_json, given

Which = Union[None, str, int]


class RankTable(Sequence[Mapping[str, Any]]):
    """The ranks that were compared, a row each, and why one of them was chosen.

    ``table["held_out"]`` is a column as an array, ``table[2]`` a row; ``pandas.DataFrame(table)``
    makes a frame of it. It has no rows where no ranks were compared.
    """

    def __init__(self, rows: Sequence[Mapping[str, Any]], chosen: Any, reason: str) -> None:
        self.rows = tuple(dict(r) for r in rows)
        self.chosen = chosen
        self.reason = reason

    def __getitem__(self, key: Any) -> Any:
        return column(self.rows, key) if isinstance(key, str) else self.rows[key]

    def __len__(self) -> int:
        return len(self.rows)

    def __repr__(self) -> str:
        keys = ("rank", "held_out", "fitted", "gain", "error", "consistency", "congruence")
        rows = [
            ["" if r[k] is None else f"{r[k]:.4g}" for k in keys]
            + ["chosen" if r["rank"] == self.chosen else ""]
            for r in self.rows
        ]
        text = text_table((*keys, ""), rows) + "\n" if rows else ""
        return text + (self.reason or "the rank was given, so no ranks were compared")


def _frozen(made: Floats) -> Floats:
    made.flags.writeable = False
    return made


class _Parts(Answer):
    """What rpca and apply have in common: data = lowrank + sparse + residual."""

    @property
    def lowrank(self) -> Floats:
        """The low-rank part, also where nothing was observed."""
        return self._array("lowrank.npy")

    @property
    def sparse(self) -> Floats:
        """The sparse part."""
        return self._array("sparse.npy")

    @property
    def residual(self) -> Floats:
        """What is left, data - lowrank - sparse; 0 where nothing was observed."""
        return self._array("noise.npy")

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        return {name: (dims, getattr(self, name)) for name in ("lowrank", "sparse", "residual")}


class RPCAResult(_Parts):
    """Data taken apart into a low-rank part, a sparse part and noise.

    Attributes
    ----------
    lowrank, sparse, residual : ndarray
        The parts, in the shape of the data. Those that were not written (``write``) are made when
        they are asked for: ``lowrank`` of the factors, ``residual`` of the data where they are
        kept.
    outliers : ndarray of bool
        Entries farther than five deviations of the noise from the low-rank part.
    factors : tuple of ndarray
        One for each mode; of model "cp" with unit columns.
    weights : ndarray
        Of the components of model "cp", largest first.
    core : ndarray
        Of models "tucker" and "matrix".
    rank : int or tuple of int
    rank_table : RankTable
        The ranks that were compared.
    noise : float
        The robust standard deviation of the noise.
    explained : float
        The share of the data without outliers that the low-rank part explains.
    """

    _verb = "rpca"

    @property
    def shape(self) -> Tuple[int, ...]:
        """The shape of the data."""
        return tuple(self.details["shape"])

    @cached_property
    def lowrank(self) -> Floats:
        """The low-rank part, also where nothing was observed."""
        self._refuse_large("lowrank", "lowrank_at(rows, columns, ...) has single entries of it")
        terms, shape = "weights.npy" in self.files, [len(factor) for factor in self.factors]
        if "lowrank.npy" in self.files or not (terms or "core.npy" in self.files):
            return self._array("lowrank.npy")
        if terms:
            rows = self.factors[0] * self.weights
            for factor in self.factors[1:-1]:
                rows = (rows[:, None, :] * factor[None, :, :]).reshape(-1, len(self.weights))
        else:
            rows = self.core
            for mode, factor in enumerate(self.factors[:-1]):
                rows = np.moveaxis(np.tensordot(factor, rows, (1, mode)), 0, mode)
            rows = rows.reshape(-1, rows.shape[-1])
        made: Floats = (rows @ self.factors[-1].T).reshape(shape)
        for axis, constants in self.center.items():
            along = [1] * len(shape)
            along[0 if axis is None else axis] = constants.size
            made += constants.reshape(along)
        return _frozen(made.reshape(self.shape))

    def lowrank_at(self, *index: Any) -> Floats:
        """Single entries of the low-rank part of a CP model, by an array of indices per mode.

        Parameters
        ----------
        *index : array-like of int
            As in ``lowrank[rows, columns]``: one for every mode, of shapes that broadcast.

        Returns
        -------
        ndarray
        """
        if "weights.npy" not in self.files or self.center:
            return cast(Floats, np.asarray(self.lowrank[tuple(index)]))
        if len(index) != len(self.factors):
            raise ArgumentError(
                f"{len(index)} arrays of indices for {len(self.factors)} modes; give one for each"
            )
        at = np.broadcast_arrays(*[np.asarray(i, dtype=np.intp) for i in index])
        made = np.zeros(at[0].shape)
        for r, weight in enumerate(self.weights):
            term = np.full(at[0].shape, weight)
            for factor, places in zip(self.factors, at):
                term *= factor[:, r][places]
            made += term
        return made

    def _refuse_large(self, name: str, instead: str) -> None:
        """An array of the shape of the data is not made where there is no memory for it."""
        size = 8.0 * math.prod(self.shape)
        pages = os.sysconf("SC_AVPHYS_PAGES") if hasattr(os, "sysconf") else 0
        free = float(pages) * os.sysconf("SC_PAGE_SIZE") if pages > 0 else math.inf
        if size > free:
            raise MemoryError(
                f"{name} would take {size / 1e9:.3g} GB and {free / 1e9:.3g} GB are free; {instead}"
            )

    @cached_property
    def sparse(self) -> Floats:
        """The sparse part."""
        if "sparse_entries.npy" not in self.files:
            return self._array("sparse.npy")
        self._refuse_large(
            "sparse", 'files["sparse_entries.npy"] has a row (place in row order, value) for each '
            "entry of it that is not 0"
        )
        pairs = self._array("sparse_entries.npy")
        made = np.zeros(self.shape)
        made.reshape(-1)[pairs[:, 0].astype(np.intp)] = pairs[:, 1]
        return _frozen(made)

    @cached_property
    def foreground(self) -> Floats:
        """With foreground=True: 1 where something moves before the background, 0 elsewhere."""
        return self._array("foreground.npy")

    @cached_property
    def residual(self) -> Floats:
        """What is left, data - lowrank - sparse; 0 where nothing was observed."""
        if "noise.npy" in self.files:
            return self._array("noise.npy")
        data = self.data
        if not isinstance(data, np.ndarray):
            raise AttributeError(
                "the result has no noise.npy and does not keep its data: it is data - lowrank - "
                'sparse where they were observed; or fit with write="all" (--write all)'
            )
        made = np.asarray(data, dtype=np.float64).reshape(self.shape) - self.lowrank - self.sparse
        seen = self._inputs.get("mask.npy")
        if isinstance(seen, np.ndarray):
            made[np.asarray(seen).reshape(self.shape) == 0] = 0
        return _frozen(np.nan_to_num(made, copy=False, nan=0.0))

    @property
    def factors(self) -> Tuple[Floats, ...]:
        return self._arrays("factor")

    @property
    def weights(self) -> Floats:
        return self._array("weights.npy")

    @property
    def core(self) -> Floats:
        return self._array("core.npy")

    @property
    def rank(self) -> Union[None, int, Tuple[int, ...]]:
        rank = self.details.get("rank")
        return tuple(rank) if isinstance(rank, list) else rank

    @property
    def center(self) -> Mapping[Optional[int], Floats]:
        """Constants that were removed and are in the low-rank part, by axis; None: one of all."""
        found: Dict[Optional[int], Floats] = {}
        for name, array in self.files.items():
            match = re.fullmatch(r"center(?:_(\d+))?\.npy", name)
            if match and isinstance(array, np.ndarray):
                found[int(match[1]) - 1 if match[1] else None] = array
        return found

    @property
    def noise_levels(self) -> Mapping[int, Floats]:
        """Of noise that differs: the level of every index of a model axis, their median being 1."""
        found: Dict[int, Floats] = {}
        for name, array in self.files.items():
            match = re.fullmatch(r"noise_levels_(\d+)\.npy", name)
            if match and isinstance(array, np.ndarray):
                found[int(match[1]) - 1] = array
        return found

    @property
    def _level(self) -> Union[float, Floats]:
        """The level of every entry of the data."""
        for axis, levels in self.noise_levels.items():
            shape = tuple(self.details["model_shape"])
            column = levels.reshape((-1,) + (1,) * (len(shape) - axis - 1))
            return np.broadcast_to(column, shape).reshape(self.details["shape"])
        return 1.0

    @property
    def _share(self) -> Mapping[str, Any]:
        parts: Mapping[str, Any] = self.details["parts"]
        return parts

    @property
    def noise(self) -> float:
        return number(self._share["noise"])

    @property
    def explained(self) -> float:
        return number(self._share["explained"])

    @cached_property
    def outliers(self) -> Bools:
        found: Bools = self.sparse != 0
        beyond = self._share["clear_beyond"]
        if beyond is not None:
            found &= np.abs(self.sparse + self.residual) > beyond * self._level
        found.flags.writeable = False
        return found

    @cached_property
    def rank_table(self) -> RankTable:
        d = self.details
        return RankTable(d.get("rank_table") or [], d.get("rank"), d.get("rank_reason") or "")

    @property
    def model_axes(self) -> Axes:
        """The axes of the factors, which differ from those of the data where some were merged."""
        merged = self.details.get("model_axes")
        if merged is None and self.details["shape"] != self.details["model_shape"]:
            return axes_from_json(None, len(self.details["model_shape"]))
        return self.axes if merged is None else axes_from_json(merged)

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        variables = super()._variables(dims)
        names, _ = dims_of(self.model_axes)
        merged = list(names) != list(dims)
        terms = "weights.npy" in self.files
        for k, factor in enumerate(self.factors):
            row = f"model_{names[k]}" if merged else names[k]
            variables[f"factor_{k + 1}"] = ((row, "component" if terms else f"rank_{k}"), factor)
        if terms:
            variables["weights"] = (("component",), self.weights)
        if "core.npy" in self.files:
            variables["core"] = (tuple(f"rank_{k}" for k in range(self.core.ndim)), self.core)
        return variables


class Component(NamedTuple):
    """A sparse component: its weight and a unit vector for each mode."""

    weight: float
    vectors: Tuple[Floats, ...]
    verdict: str
    details: Mapping[str, Any]

    def support(self, mode: int) -> npt.NDArray[np.intp]:
        """The indices along a mode at which its vector is not zero."""
        return np.flatnonzero(self.vectors[mode])


class SPCAResult(Answer):
    """Sparse components, one after the other when it is iterated.

    Attributes
    ----------
    factors : tuple of ndarray
        One for each mode, a unit column for each component.
    weights : ndarray
    residual_norms : ndarray
        The norm of what is left after each component.
    explained : float
        The share of the squared size of the data that they explain.
    """

    _verb = "spca"

    @property
    def factors(self) -> Tuple[Floats, ...]:
        return self._arrays("factor")

    @property
    def weights(self) -> Floats:
        return self._array("weights.npy")

    @property
    def residual_norms(self) -> Floats:
        return self._array("residual_norms.npy")

    @property
    def explained(self) -> float:
        return number(self.details["explained"])

    def __len__(self) -> int:
        return int(self.weights.size)

    def __getitem__(self, k: int) -> Component:
        if not -len(self) <= k < len(self):
            raise IndexError(f"component {k} of {len(self)}")
        entry = self.details["components"][k]
        vectors = tuple(factor[:, k] for factor in self.factors)
        verdict = str(entry["certificate"]["verdict"])
        return Component(float(self.weights[k]), vectors, verdict, MappingProxyType(entry))

    def __iter__(self) -> Iterator[Component]:
        return (self[k] for k in range(len(self)))

    def _blocks(self) -> List[Block]:
        blocks = []
        for k, entry in enumerate(self.details["components"]):
            worst = number(entry["certificate"]["smallest_eps"])
            blocks.append(Block(f"component {k + 1}", worst, 1.0, worst, False))
        return blocks

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        variables: Dict[str, Any] = {
            f"factor_{k + 1}": ((dims[k], "component"), factor)
            for k, factor in enumerate(self.factors)
        }
        variables["weights"] = (("component",), self.weights)
        variables["residual_norms"] = (("component",), self.residual_norms)
        return variables


class CrossValidation(NamedTuple):
    """The deviance on rows that were left out, for every lambda, and the lambdas it chooses."""

    deviance: Floats
    error: Floats
    best: int
    one_se: int


class Path(Answer):
    """Regressions along a path of lambdas, largest first.

    A lambda is named by "best" (least error on rows that were left out), "one_se" (the largest
    within one standard error of it), "last", or its index; by default it is the best one of a
    cross-validation, else the last one.

    Attributes
    ----------
    lambdas : ndarray
    coefficients : ndarray
        A row for every lambda, a column for every column of X.
    intercepts : ndarray
    nonzeros : ndarray of int
        How many coefficients are not zero, for every lambda.
    deviance, objectives : ndarray
    lambda_max : float
        Above it nothing is selected.
    cv : CrossValidation or None
    """

    _verb = "regress"

    @cached_property
    def summary(self) -> str:
        """The answer as text; columns without a name are counted from 0, as `selected` does."""
        text = super().summary
        if self.names is None:
            text = re.sub(
                r"\bcolumn(\s+)(\d+) =", lambda m: f"column{m[1]}{int(m[2]) - 1} =", text
            )
        return text

    @property
    def _solutions(self) -> List[Mapping[str, Any]]:
        solutions: List[Mapping[str, Any]] = self.details["solutions"]
        return solutions

    @cached_property
    def lambdas(self) -> Floats:
        return column(self._solutions, "lambda")

    @property
    def coefficients(self) -> Floats:
        return self._array("coefficients.npy")[:, 1:]

    @property
    def intercepts(self) -> Floats:
        return self._array("coefficients.npy")[:, 0]

    @property
    def nonzeros(self) -> npt.NDArray[np.intp]:
        return np.asarray(np.count_nonzero(self.coefficients, axis=1), dtype=np.intp)

    @cached_property
    def deviance(self) -> Floats:
        return column(self._solutions, "deviance")

    @cached_property
    def objectives(self) -> Floats:
        return column(self._solutions, "objective")

    @property
    def lambda_max(self) -> float:
        return number(self.details["lambda_max"])

    @property
    def names(self) -> Optional[npt.NDArray[np.str_]]:
        """What the columns of X are called; None: nothing."""
        names = self.details.get("column_names")
        if names is not None:
            return np.array(names, dtype=np.str_)
        return self.axes[1].labels if len(self.axes) == 2 else None

    @cached_property
    def cv(self) -> Optional[CrossValidation]:
        found = self.details.get("cross_validation")
        if not found:
            return None
        table = self._csv("cv.csv")
        best, one_se = int(found["best"]) - 1, int(found["one_se"]) - 1
        return CrossValidation(table["deviance"], table["standard_error"], best, one_se)

    def index(self, which: Which = None) -> int:
        """The index of a lambda of the path: of "best", "one_se", "last", or of itself."""
        if which is None:
            which = "best" if self.cv else "last"
        if isinstance(which, str):
            if which == "last":
                return len(self.lambdas) - 1
            if which not in ("best", "one_se"):
                raise ArgumentError(
                    f'which is {which!r}; give "best", "one_se", "last" or an index'
                )
            if self.cv is None:
                raise ArgumentError(f"{which!r} needs a cross-validation; fit with cv=5")
            return self.cv.best if which == "best" else self.cv.one_se
        if not -len(self.lambdas) <= which < len(self.lambdas):
            raise ArgumentError(f"which is {which}, and the path has {len(self.lambdas)} lambdas")
        return which % len(self.lambdas)

    def coef(self, which: Which = None) -> Floats:
        """The coefficients at a lambda."""
        row: Floats = self.coefficients[self.index(which)]
        return row

    def intercept(self, which: Which = None) -> float:
        """The intercept at a lambda."""
        return float(self.intercepts[self.index(which)])

    def selected(self, which: Which = None) -> npt.NDArray[np.intp]:
        """The columns of X whose coefficients are not zero at a lambda."""
        return np.flatnonzero(self.coef(which))

    def predict(self, X: Any, which: Which = None) -> Floats:
        """What the model expects of rows; of the logistic loss the probability of the larger y."""
        rows = given(X, "X", dims=(2,)).values
        if rows.shape[1] != self.coefficients.shape[1]:
            raise ArgumentError(
                f"X has {rows.shape[1]} columns, and the model {self.coefficients.shape[1]}"
            )
        value: Floats = rows @ self.coef(which) + self.intercept(which)
        if self.model.startswith("logistic"):
            value = 0.5 * (1 + np.tanh(value / 2))
        return value

    def _blocks(self) -> List[Block]:
        return [
            Block(
                f"lambda {s['lambda']:.3g}",
                number(s["certificate"]["residual"]),
                number(s["certificate"]["scale"]),
                number(s["certificate"]["relative"]),
                False,
            )
            for s in self._solutions
        ]

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        column = dims[1] if len(dims) == 2 else "column"
        variables: Dict[str, Any] = {
            "coefficients": (("lambda", column), self.coefficients),
            "lambdas": (("lambda",), self.lambdas),
            "intercepts": (("lambda",), self.intercepts),
            "deviance": (("lambda",), self.deviance),
        }
        if self.cv:
            variables["cv_deviance"] = (("lambda",), self.cv.deviance)
            variables["cv_error"] = (("lambda",), self.cv.error)
        return variables


class Scores(_Parts):
    """New slices, fitted with the components of a result.

    Attributes
    ----------
    coefficients : ndarray
        A row for every slice.
    lowrank, sparse, residual : ndarray
    share : ndarray
        Of every slice the share of its entries that are outliers,
    energy : ndarray
        their energy relative to the noise,
    scale : ndarray
        the median error,
    distance : ndarray
        and how far its coefficients are from those that the model was fitted to.
    axis : int
        The axis along which the slices are.
    """

    _verb = "apply"

    @property
    def coefficients(self) -> Floats:
        return self._array("coefficients.npy")

    @property
    def axis(self) -> int:
        return int(self.settings["axis"])

    @cached_property
    def share(self) -> Floats:
        return column(self.details["slices"], "share")

    @cached_property
    def energy(self) -> Floats:
        return column(self.details["slices"], "energy")

    @cached_property
    def scale(self) -> Floats:
        return column(self.details["slices"], "scale")

    @cached_property
    def distance(self) -> Floats:
        return column(self.details["slices"], "distance")

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        variables = super()._variables(dims)
        along = dims[self.axis] if len(self.share) == self.lowrank.shape[self.axis] else "slice"
        variables["coefficients"] = ((along, "component"), self.coefficients)
        for name in ("share", "energy", "scale", "distance"):
            variables[name] = ((along,), getattr(self, name))
        return variables


class Assumption(NamedTuple):
    """An assumption of a theorem, whether it holds, and the number behind it."""

    name: str
    block: Optional[str]
    status: str
    number: float
    reason: str


def _theorem(document: Mapping[str, Any]) -> Optional[str]:
    return None if document["guarantee"] == "none" else str(document["guarantee"])


def _assumptions(analysis: Mapping[str, Any]) -> Tuple[Assumption, ...]:
    return tuple(
        Assumption(a["name"], a["block"], a["status"], number(a["number"]), a["reason"])
        for a in analysis.get("assumptions") or []
    )


class Result(Answer):
    """A point of a problem: ``r["x"]``, or ``r[x]`` for a Variable x, is the block x.

    Attributes
    ----------
    x : mapping of str to ndarray
        Every block.
    multiplier : ndarray or None
        Of the constraint.
    theorem : str or None
        The theorem that bounds the steps; None: none does.
    assumptions : tuple of Assumption
        What the theorem takes for granted, and what of it is proved.
    """

    _verb = "solve"

    @cached_property
    def x(self) -> Mapping[str, Floats]:
        return MappingProxyType(
            {name: self._array(f) for name, f in self.details["x_files"].items()}
        )

    def __getitem__(self, block: Any) -> Floats:
        name = block if isinstance(block, str) else getattr(block, "name", None)
        if name not in self.x:
            raise KeyError(f"{block!r} is no block; there are {', '.join(self.x)}")
        return self.x[str(name)]

    @property
    def multiplier(self) -> Optional[Floats]:
        found = self.files.get("lambda.npy")
        return found if isinstance(found, np.ndarray) else None

    @property
    def theorem(self) -> Optional[str]:
        return _theorem(self.details)

    @property
    def assumptions(self) -> Tuple[Assumption, ...]:
        return _assumptions(self.details["analysis"])

    @property
    def separator(self) -> Floats:
        """Of an infeasible problem its proof: a number for each row of the constraint."""
        return self._array("separator.npy")

    @property
    def ray(self) -> Mapping[str, Floats]:
        """Of an unbounded problem its proof: the direction of every block that falls forever."""
        return {name: self._array(f"ray_{name}.npy") for name in self.x}

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        return {
            name: (tuple(f"{name}_{k}" for k in range(x.ndim)), x) for name, x in self.x.items()
        }


class Instance(Answer):
    """A drawn tensor with its truth.

    Attributes
    ----------
    data : Data
        The tensor, with the names of its axes.
    lowrank, sparse, noise : ndarray
        The parts that add up to it.
    factors : tuple of ndarray
    core : ndarray
        Of "tucker" and "matrix".
    """

    _verb = "generate"

    @cached_property
    def data(self) -> Any:
        from .io import Data

        tensor = self._array("tensor.npy")
        return Data(tensor, axes_from_json(self.document["axes"], tensor.ndim))

    @property
    def lowrank(self) -> Floats:
        return self._array("lowrank.npy")

    @property
    def sparse(self) -> Floats:
        return self._array("sparse.npy")

    @property
    def noise(self) -> Floats:
        return self._array("noise.npy")

    @property
    def factors(self) -> Tuple[Floats, ...]:
        return self._arrays("factor")

    @property
    def core(self) -> Floats:
        return self._array("core.npy")

    @cached_property
    def axes(self) -> Axes:
        axes: Axes = self.data.axes
        return axes

    def _variables(self, dims: Sequence[str]) -> Dict[str, Any]:
        parts: Dict[str, Any] = {"tensor": (dims, self.data.array)}
        parts.update({n: (dims, getattr(self, n)) for n in ("lowrank", "sparse", "noise")})
        return parts


class Verdict:
    """What the independent checker says of a result.

    Attributes
    ----------
    verdict : str
        VALID, INVALID, UPPER-BOUND-ONLY, UNSUPPORTED or UNFINISHED.
    reason : str
    smallest_eps, eps : float
        The smallest eps that passes, and the one that was asked for.
    feasibility : float
    blocks : ndarray
        The residual of every block.
    changed : bool
        Whether a file is not as it was written.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.verdict: str = document["verdict"]
        self.reason: str = document["reason"]
        self.smallest_eps: float = number(document["smallest_eps"])
        self.eps: float = number(document["eps"])
        self.feasibility: float = number(document["feasibility"])
        self.blocks: Floats = np.array([number(b) for b in document["blocks"]])
        self.changed: bool = document["changed"]

    @property
    def valid(self) -> bool:
        return self.verdict == "VALID"

    def __bool__(self) -> bool:
        return self.valid

    def __repr__(self) -> str:
        return f"{self.verdict}: {self.reason}"


class Check:
    """What the theory says about a problem.

    Attributes
    ----------
    method : str
        The method that would run, and after it those of `then`.
    theorem : str or None
        The theorem that covers the problem; None: none does.
    assumptions : tuple of Assumption
    bound : float
        At most so many iterations; nan: no bound.
    presolve : tuple of str
        What is simplified before a run.
    memory : float
        Bytes that a run takes.
    """

    def __init__(self, document: Mapping[str, Any], text: str) -> None:
        self._text = text
        self.document = MappingProxyType(dict(document))
        self.method: str = document["method"]
        self.mode: str = document["mode"]
        self.then: Tuple[str, ...] = tuple(document["then"] or ())
        self.theorem: Optional[str] = _theorem(document)
        self.assumptions = _assumptions(document["analysis"] or {})
        self.bound: float = number(document["K"])
        self.presolve: Tuple[str, ...] = tuple(document["presolve"] or ())
        self.memory: float = number(document["memory"])

    def __repr__(self) -> str:
        return self._text


KINDS: Dict[str, Type[Answer]] = {
    kind._verb: kind for kind in (RPCAResult, SPCAResult, Path, Scores, Result, Instance)
}


def load(folder: FilePath) -> Any:
    """Reads a result, of Python or of the program.

    Parameters
    ----------
    folder : path
        A folder, or the one HDF5 file of ``to_folder("result.h5")`` and ``--out result.h5``.

    Returns
    -------
    RPCAResult, SPCAResult, Path, Scores, Result or Instance
        As its ``result.json`` says.
    """
    root = pathlib.Path(folder)
    if root.is_file():
        return _made_of(_call.load(os.fspath(root)), root)
    if not (root / "result.json").is_file():
        raise FileNotFoundError(f"{root} is no result folder: it has no result.json")
    return _made_of(_read(root), root)


def _read(root: pathlib.Path) -> Dict[str, File]:
    """The files of a folder."""
    files: Dict[str, File] = {}
    for path in sorted(p for p in root.rglob("*") if p.is_file()):
        name = path.relative_to(root).as_posix()
        try:
            files[name] = (
                np.load(path, allow_pickle=False)
                if name.endswith(".npy")
                else path.read_bytes().decode("utf-8", "surrogateescape")
            )
        except ValueError as e:
            raise DataError(f"{path} cannot be read: {e}; write the result anew") from None
    return files


def _made_of(files: Dict[str, File], root: pathlib.Path) -> Any:
    """The result that these files are."""
    try:
        document = json.loads(str(files["result.json"]))
        kind = KINDS[document["verb"]]
    except (ValueError, KeyError, TypeError):
        raise DataError(f"{root / 'result.json'} is not of a result; write it anew") from None
    return kind(files)


__all__ = [
    "Answer",
    "Assumption",
    "Block",
    "Certificate",
    "Check",
    "Component",
    "CrossValidation",
    "Instance",
    "Path",
    "RPCAResult",
    "RankTable",
    "Result",
    "SPCAResult",
    "Scores",
    "Verdict",
    "load",
]
