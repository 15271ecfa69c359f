# SPDX-License-Identifier: MIT
"""From terms and constraints to blocks: what a file has a place for, and what needs a block.

A block has one regularizer, one set, and stands in the constraint once. What users write beyond
that is made so by exact rewritings: a penalty or a set of an affine expression e gets a block y
with e = y; the copies of a consensus become one block. Every rewriting leaves a note.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .. import _errors as errors
from .constants import Array, Constant, Data, compute, size_of, value_of
from .couplings import SmoothTerm
from .expression import Bounds, Equality, Expression, Variable, concatenate
from .maps import Diagonal, Identity, Map, Selection, factored, is_matrix, placed
from .terms import (
    Coupling,
    Linear,
    Loss,
    Membership,
    Number,
    Objective,
    Penalty,
    SetEntry,
    Term,
    bounds_term,
    variables_of,
)


@dataclass
class Block:
    """A variable with what belongs to it alone."""

    variable: Variable
    penalty: Optional[Tuple[Number, Penalty]] = None
    weights: Optional[Constant] = None  # of the penalty, where it is one of some entries alone
    set: Optional[SetEntry] = None


@dataclass
class Arrangement:
    """Blocks, smooth terms and constraints as a problem file has them."""

    blocks: List[Block] = field(default_factory=list)
    smooth: List[Tuple[Number, Term]] = field(default_factory=list)
    constraints: List[Equality] = field(default_factory=list)
    made: Dict[Variable, str] = field(
        default_factory=dict
    )  # variables of ours, by what they are called
    sources: Dict[Variable, Expression] = field(default_factory=dict)  # what these are equal to
    inside: Dict[Variable, Tuple[Variable, int]] = field(
        default_factory=dict
    )  # those that became part of one
    notes: List[Tuple[str, Tuple[Variable, ...]]] = field(default_factory=list)

    def block_of(self, v: Variable) -> Block:
        """The block of a variable."""
        return next(b for b in self.blocks if b.variable is v)

    def new_block(self, e: Expression, why: str) -> Block:
        """A block that equals an expression."""
        y = Variable(e.shape)
        self.made[y], self.sources[y] = "aux", e
        block = Block(y)
        self.blocks.append(block)
        self.constraints.append(Equality(e - y, f"{e.text} == {y.text}"))
        self.notes.append(
            (f"block {{v0}} = {_safe(e.text)}, so that {_safe(why)} has a block of its own", (y,))
        )
        return block

    def starts(self, point: Optional[Mapping[Variable, Array]]) -> Dict[Variable, Array]:
        """Where the blocks begin; nothing where all begin at the origin."""
        own = [b.variable for b in self.blocks if b.variable not in self.made] + list(self.inside)
        given = {v: (v.start if point is None else point.get(v, v.start)) for v in own}
        if all(s is None for s in given.values()):
            return {}
        whole = {v: np.zeros(v.shape) if s is None else s for v, s in given.items()}
        for v, e in self.sources.items():
            whole[v] = e.at(whole)
        return {b.variable: whole[b.variable] for b in self.blocks}


def _safe(text: str) -> str:
    """A text that str.format leaves as it is."""
    return text.replace("{", "{{").replace("}", "}}")


def plain(e: Expression) -> Optional[Variable]:
    """The variable that an expression is, or None."""
    if len(e.maps) != 1 or e.constant is not None:
        return None
    ((v, m),) = e.maps.items()
    return v if isinstance(m, Identity) and m.scale == 1 else None


def _selection(e: Expression) -> Optional[Tuple[Variable, Selection]]:
    """The variable whose entries, each once at most, an expression is; or None."""
    if len(e.maps) != 1 or e.constant is not None:
        return None
    ((v, m),) = e.maps.items()
    return (v, m) if isinstance(m, Selection) and m.distinct else None


def arrange(objective: Objective, constraints: Sequence[Any]) -> Arrangement:
    """The blocks of a problem."""
    a = Arrangement()
    penalties: List[Tuple[Number, Penalty]] = []
    memberships: List[Membership] = []
    for c, term in objective.parts:
        if isinstance(term, Membership):
            if isinstance(c, Data) or c <= 0:
                raise errors.ArgumentError(
                    f"{term.text} is 0 or infinite, and takes no such factor"
                )
            memberships.append(term)
        elif isinstance(term, Penalty):
            penalties.append((c, term))
        else:
            a.smooth.append((c, term))
    for given in constraints:
        if isinstance(given, Equality):
            a.constraints.append(given)
        else:
            memberships.append(bounds_term(given) if isinstance(given, Bounds) else given)
    all_terms: List[Union[Term, Equality]] = [t for _, t in objective.parts]
    a.blocks = [Block(v) for v in variables_of([*all_terms, *a.constraints, *memberships])]
    if not a.blocks:
        raise errors.ArgumentError(
            "the problem has no variable; begin with x = crease.Variable(...)"
        )
    a.smooth = [(c, t) for c, t in a.smooth if _counts(c, t)]
    penalties = [(c, p) for c, p in penalties if _counts(c, p)]
    left = [t for _, t in a.smooth] + [p for _, p in penalties]
    counted = variables_of([*left, *a.constraints, *memberships])
    for b in a.blocks:
        if b.variable not in counted:
            raise errors.ArgumentError(
                f"{b.variable} is in no constraint, and in terms with the factor 0 alone; leave it "
                "out"
            )
    for c, p in penalties:
        _place_penalty(a, c, p)
    for m in memberships:
        _place_set(a, m)
    a.smooth = [(c, _of_blocks(a, t) if isinstance(t, Coupling) else t) for c, t in a.smooth]
    _merge_copies(a)
    return a


def _counts(c: Number, term: Term) -> bool:
    """Refuses a factor that the term cannot have; False: it is 0, and the term is none."""
    now = float(c.value) if isinstance(c, Data) else c
    if isinstance(term, (Penalty, Loss)) and now < 0:
        raise errors.UnsupportedError(
            f"{now:g} * {term.text}: a factor must not be negative here; squared_distance, "
            "quadratic and multilinear take any"
        )
    if isinstance(term, Coupling) and not term.scalable and now != 1:
        raise errors.UnsupportedError(
            f"{now:g} * {term.text}: this term takes no factor; divide all others by it instead"
        )
    return now != 0 or isinstance(c, Data)


# Penalties and sets


def _separable(entry: Any) -> bool:
    """Is it a sum over single entries that takes weights, and 0 with weight 0?"""
    from .._terms import ENTRIES

    return any(
        e.kind == "regularizer"
        and e.name == entry.name
        and e.formula.startswith("sum_j rho(|x_j|)")
        for e in ENTRIES
    )


def _place_penalty(a: Arrangement, c: Number, p: Penalty) -> None:
    v = plain(p.expression)
    if v is not None and a.block_of(v).penalty is None:
        a.block_of(v).penalty = c, p
        return
    chosen = _selection(p.expression)
    if chosen is not None and a.block_of(chosen[0]).penalty is None and _separable(p.entry):
        block, index = a.block_of(chosen[0]), chosen[1].index
        own = np.ones(index.size) if p.entry.weights is None else p.entry.weights
        block.penalty = c, p
        block.weights = compute(lambda w: _scattered(w, index, block.variable.shape), own)
        return
    why = p.text if v is None else f"{p.text}, the second penalty on {v.text},"
    a.new_block(p.expression, why).penalty = c, p


def _scattered(weights: Array, index: Any, shape: Tuple[int, ...]) -> Array:
    whole = np.zeros(size_of(shape))
    whole[index] = weights.reshape(-1)
    return whole.reshape(shape)


def _is_box(entry: SetEntry) -> bool:
    return entry.name in ("box", "nonneg")


def _bound(entry: SetEntry, side: str, shape: Tuple[int, ...]) -> Constant:
    """The lower or upper bound of a box, an array."""
    low = side == "lower"
    if entry.name == "nonneg":
        return np.full(shape, 0.0 if low else np.inf)
    found = entry.parameters.get(
        side, entry.parameters.get("low" if low else "high", -np.inf if low else np.inf)
    )
    return compute(
        lambda b: np.broadcast_to(b, shape),
        found if isinstance(found, Data) else np.asarray(found, np.float64),
    )


def _box(lower: Constant, upper: Constant, text: str) -> SetEntry:
    """A box, by two numbers where they serve."""
    if isinstance(lower, Data) or isinstance(upper, Data):
        return SetEntry("box", {"lower": lower, "upper": upper}, text)
    if (lower > upper).any():
        index = tuple(int(i) for i in np.argwhere(lower > upper)[0])
        raise errors.ArgumentError(
            f"{text}: entry {index} must be at least {lower[index]:g} and at most "
            f"{upper[index]:g}; no point is"
        )
    if (lower == lower.flat[0]).all() and (upper == upper.flat[0]).all():
        if lower.flat[0] == 0 and np.isposinf(upper.flat[0]):
            return SetEntry("nonneg", {}, text)
        return SetEntry("box", {"low": lower.flat[0], "high": upper.flat[0]}, text)
    return SetEntry("box", {"lower": lower, "upper": upper}, text)


def _on_block(m: Membership) -> Optional[Tuple[Variable, SetEntry]]:
    """The set of a variable that says the same, or None: c x + d and entries of it are such."""
    e, entry = m.expression, m.entry
    if len(e.maps) != 1:
        return None
    ((v, a),) = e.maps.items()
    scale, part = factored(a)
    if not isinstance(part, Identity) and not (
        isinstance(part, Selection) and part.distinct and _is_box(entry)
    ):
        return None
    if scale != 1 or e.constant is not None:
        entry = _shifted(m, scale)
    if isinstance(part, Selection):
        index, shape = part.index, v.shape
        low = compute(lambda b: _placed(b, index, shape, -np.inf), _bound(entry, "lower", e.shape))
        high = compute(lambda b: _placed(b, index, shape, np.inf), _bound(entry, "upper", e.shape))
        entry = _box(low, high, m.text)
    return v, entry


def _shifted(m: Membership, scale: float) -> SetEntry:
    """The set that has y where the set of the term has scale y + constant."""
    e, entry = m.expression, m.entry
    d: Constant = np.zeros(e.shape) if e.constant is None else e.constant
    if not _is_box(entry):
        return _Affine(entry, 1 / scale, compute(lambda s: -s / scale, d), m.text)
    low, high = (
        compute(lambda b, s: (b - s) / scale, _bound(entry, side, e.shape), d)
        for side in ("lower", "upper")
    )
    return _box(low, high, m.text) if scale > 0 else _box(high, low, m.text)


def _placed(bound: Array, index: Any, shape: Tuple[int, ...], outer: float) -> Array:
    whole = np.full(size_of(shape), outer)
    whole[index] = bound.reshape(-1)
    return whole.reshape(shape)


class _Affine(SetEntry):
    """shift + scale * inner."""

    def __init__(self, inner: SetEntry, scale: float, shift: Constant, text: str) -> None:
        super().__init__("affine", {}, text)
        self.inner, self.scale, self.shift = inner, scale, shift

    def json(self, to: Any) -> Any:
        return {
            "affine": {
                "inner": self.inner.json(to),
                "scale": self.scale,
                "shift": to.array(self.shift, "shift"),
            }
        }


def _place_set(a: Arrangement, m: Membership) -> None:
    found = _on_block(m)
    if found is None:
        a.new_block(m.expression, m.text).set = m.entry
        return
    v, entry = found
    block = a.block_of(v)
    if block.set is None:
        block.set = entry
    elif _is_box(block.set) and _is_box(entry):
        old = block.set
        low = compute(np.maximum, _bound(old, "lower", v.shape), _bound(entry, "lower", v.shape))
        high = compute(np.minimum, _bound(old, "upper", v.shape), _bound(entry, "upper", v.shape))
        block.set = _box(low, high, f"{block.set.text} and {entry.text}")
    else:
        a.new_block(v, f"{m.text}, the second set of {v.text},").set = entry


def _of_blocks(a: Arrangement, term: Coupling) -> Coupling:
    """The term with a variable, each another, for every argument."""
    arguments: List[Expression] = []
    for e in term.arguments:
        v = plain(e)
        if v is None or any(v is plain(other) for other in arguments):
            v = a.new_block(e, f"an argument of {term.text}").variable
        arguments.append(v)
    return Coupling(term.name, arguments, term.write, term.text, term.scalable)


# Copies of a consensus


def _merge_copies(a: Arrangement) -> None:
    """Makes free variables one block, where every constraint has one that enters by the identity.

    Its map then has full row rank, which theorems ask of a last block."""
    if len(a.constraints) < 2:
        return
    members = []
    for c in a.constraints:
        own = [
            v for v, m in c.expression.maps.items() if _is_free(a, v) and isinstance(m, Identity)
        ]
        if not own:
            return
        members.append(own[0])
    sizes = [v.size for v in members]
    firsts = [int(n) for n in np.cumsum([0] + sizes[:-1])]
    whole = Variable(sum(sizes))
    parts: Dict[Variable, Expression] = {}
    for v, first in zip(members, firsts):
        parts[v] = whole[first : first + v.size].reshape(*v.shape) if v.shape else whole[first]
        a.inside[v] = whole, first
    a.made[whole] = "stacked"
    a.sources[whole] = concatenate([v.ravel() for v in members])
    a.notes.append(
        (
            "blocks "
            + ", ".join(f"{{v{k + 1}}}" for k in range(len(members)))
            + " are one block {v0}, one after another: no constraint has two of them, and together "
            "their map has full row rank",
            (whole, *members),
        )
    )
    scales = [_scale(c.expression.maps[v]) for c, v in zip(a.constraints, members)]
    a.constraints = [_one_constraint(a.constraints, members, whole, scales)]
    a.blocks = [b for b in a.blocks if b.variable not in parts] + [Block(whole)]
    a.smooth = _one_loss_each(a.smooth, parts, whole, dict(zip(members, firsts)))


def _scale(m: Map) -> float:
    assert isinstance(m, Identity)
    return m.scale


def _is_free(a: Arrangement, v: Variable) -> bool:
    """Has it no penalty and no set, is it in one constraint alone, and in losses alone?"""
    block = a.block_of(v)
    if block.penalty is not None or block.set is not None:
        return False
    if sum(v in c.expression.maps for c in a.constraints) != 1:
        return False
    return not any(isinstance(t, Coupling) and v in variables_of([t]) for _, t in a.smooth)


def _one_constraint(
    constraints: Sequence[Equality],
    members: Sequence[Variable],
    whole: Variable,
    scales: Sequence[float],
) -> Equality:
    """All constraints one over another, with one map for the stacked variable."""
    rest = [
        Expression(
            c.expression.shape,
            {w: m for w, m in c.expression.maps.items() if w is not v},
            c.expression.constant,
            c.text,
        )
        for c, v in zip(constraints, members)
    ]
    flat = concatenate([e.ravel() for e in rest])
    maps: Dict[Variable, Map] = dict(flat.maps)
    maps[whole] = (
        Identity(whole.shape, scales[0])
        if len(set(scales)) == 1
        else Diagonal(np.repeat(np.asarray(scales), [v.size for v in members]))
    )
    text = ", ".join(c.text for c in constraints)
    return Equality(Expression(flat.shape, maps, flat.constant, text), text)


def _one_loss_each(
    smooth: Sequence[Tuple[Number, Term]],
    parts: Mapping[Variable, Expression],
    whole: Variable,
    firsts: Mapping[Variable, int],
) -> List[Tuple[Number, Term]]:
    """The terms in the stacked variable; losses of one kind become one of a block-diagonal map."""
    found: List[Tuple[Number, Term]] = []
    kinds: Dict[Any, List[Tuple[Number, Loss]]] = {}
    for c, t in smooth:
        if isinstance(t, Loss) and t.name != "softmax" and set(t.expression.maps) & set(parts):
            kinds.setdefault((t.name, tuple(t.parameters.items()), _same(t)), []).append((c, t))
        elif isinstance(t, Loss):
            found.append((c, t.with_expression(t.expression.substituted(parts))))
        elif isinstance(t, SmoothTerm):
            found.append((c, t.with_expressions([e.substituted(parts) for e in t.expressions])))
        elif isinstance(t, Linear):
            found.append((c, Linear(t.expression.substituted(parts))))
        else:
            found.append((c, t))
    for group in kinds.values():
        found.append((1.0, _one_loss(group, parts, whole, firsts)))
    return found


def _same(loss: Loss) -> Any:
    """What else losses must share to be put together: the coefficients of a polynomial."""
    coefficients = loss.data.get("coefficients")
    return None if coefficients is None else value_of(coefficients).tobytes()


def _one_loss(
    group: Sequence[Tuple[Number, Loss]],
    parts: Mapping[Variable, Expression],
    whole: Variable,
    firsts: Mapping[Variable, int],
) -> Loss:
    losses = [t for _, t in group]
    flat = concatenate([t.expression.substituted(parts).ravel() for t in losses])
    maps = dict(flat.maps)
    inner = [[v for v in t.expression.maps if v in firsts] for t in losses]
    if all(len(vs) == 1 and is_matrix(t.expression.maps[vs[0]]) for vs, t in zip(inner, losses)):
        maps[whole] = placed(
            [(t.expression.maps[vs[0]], firsts[vs[0]]) for vs, t in zip(inner, losses)], whole.size
        )
    data = {
        key: (
            value
            if key == "coefficients"
            else compute(
                lambda *p: np.concatenate([q.reshape(-1) for q in p]),
                *(t.data[key] for t in losses),
            )
        )
        for key, value in losses[0].data.items()
    }
    weights: Optional[Constant] = None
    if any(isinstance(c, Data) or c != 1 or t.weights is not None for c, t in group):
        each = [
            compute(
                lambda c, w, n=t.expression.size: np.broadcast_to((c * w).reshape(-1), (n,)),
                c if isinstance(c, Data) else np.asarray(c),
                np.ones(()) if t.weights is None else t.weights,
            )
            for c, t in group
        ]
        weights = compute(lambda *p: np.concatenate(p), *each)
    text = " + ".join(t.text for t in losses)
    return Loss(
        losses[0].name,
        Expression(flat.shape, maps, flat.constant, text),
        losses[0].parameters,
        data,
        weights,
        text,
    )
