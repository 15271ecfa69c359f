# SPDX-License-Identifier: MIT
"""terms.py: reads what ``crease list --json`` prints and writes the module crease/_terms.py.

A regularizer, a set and a loss get a function with explicit parameters and a docstring; every entry
a line of the table that `crease.catalogue` shows.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from typing import Any, Dict, List, Optional

Entry = Dict[str, Any]

# Sets that are built from other sets: no text spells them.
COMBINED = {"affine", "product"}

# What crease.model makes by a function of its own.
MODELLED = {
    "map": "mask finite-difference gradient kronecker low-rank wavelet dct circular-convolution "
    "convolution",
    "smooth": "quadratic squared_distance norm_power multilinear matrix_factorization cp tucker",
}

# What a loss is made of besides its expression, as the table calls it, with what Python says of it.
ROWS = {
    "labels": "a label for every row: -1 or +1, of softmax 0, 1, ...",
    "counts": "a number >= 0 for every row",
    "coefficients": "c_0, c_1, ..., at most nine of them",
}

HEAD = '''\
# SPDX-License-Identifier: MIT
"""The entries of the catalogue, written by python/native/terms.py from the library's tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Optional, Tuple

import numpy.typing as npt

from .entries import Entry, Numbers, Parameter, Regularizer, Set, box_of, spell

if TYPE_CHECKING:
    from .model import Expression, Loss

Values = Any  # array-like, or a crease.Parameter
'''


def python_name(word: str) -> str:
    """A name of the catalogue as Python can have it."""
    word = word.replace("-", "_")
    return word + "_" if keyword.iskeyword(word) else word


def function_of(entry: Entry, sets: List[str], regularizers: List[str]) -> Optional[str]:
    """What makes the entry in Python: sets keep their names, others step aside for them."""
    name = python_name(entry["name"])
    if entry["kind"] == "set":
        return None if entry["name"] in COMBINED else name
    if entry["kind"] == "regularizer":
        return f"{name}_indicator" if entry["name"] in sets else name
    if is_loss(entry):
        return f"{name}_loss" if entry["name"] in regularizers else name
    return name if entry["name"] in MODELLED.get(entry["kind"], "").split() else None


def is_loss(entry: Entry) -> bool:
    """A function of an affine expression, entry by entry or row by row."""
    return entry["kind"] == "smooth" and str(entry["data"]).startswith("terms {")


def range_of(p: Entry) -> str:
    """The range of a parameter, as "[0, inf)"."""
    low = "-inf" if p["low"] is None else f"{p['low']:g}"
    high = "inf" if p["high"] is None else f"{p['high']:g}"
    ends = "(" if p["low_open"] else "[", ")" if p["high_open"] else "]"
    return f"{ends[0]}{low}, {high}{ends[1]}" + (", integer" if p["integer"] else "")


def formula_of(entry: Entry) -> str:
    """The formula; of a penalty also that of rho."""
    return str(entry["formula"]) + (f", rho(y) = {entry['rho']}" if entry["rho"] else "")


def traits_of(entry: Entry) -> str:
    """What is known of the entry, in words."""
    t = entry["traits"]
    if entry["kind"] == "regularizer":
        words = ["convex" if t["convex"] else "nonconvex", f"Lipschitz constant {t['lipschitz']}"]
        words += [f"weak convexity {t['weak_convexity']}"]
    elif entry["kind"] == "set":
        words = ["compact" if t["compact"] else "not always compact"]
        words += [] if t["projection"] else ["linear oracle only"]
    else:
        words = []
    return "; ".join(words + (["matrices"] if t.get("matrix") else []))


def takes_weights(entry: Entry) -> bool:
    """A regularizer that is a sum over entries or groups of a penalty."""
    return bool(entry["rho"]) and not entry["traits"]["matrix"]


def paragraph(text: str, indent: str = "    ") -> str:
    """Lines of at most 96 columns."""
    return textwrap.fill(
        text, 96, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def documented(name: str, kind: str, text: str) -> List[str]:
    """A parameter in a docstring."""
    return [f"    {name} : {kind}", paragraph(text, "        ")]


def function_text(entry: Entry, function: str) -> str:
    """The function that makes a regularizer or a set."""
    boxed = entry["kind"] == "set" and any(p["name"] == "low" for p in entry["parameters"])
    inputs, given, doc = [], [], []
    for p in entry["parameters"]:
        name = python_name(p["name"])
        given.append(f'"{name}": {name}')
        bound = boxed and name in ("low", "high")
        kind = "float or array" if bound else "int" if p["integer"] else "float"
        side = {"low": "-", "high": ""}.get(name) if entry["name"] == "box" and bound else None
        default = "" if side is None else f' = float("{side}inf")'
        inputs.append(f"{name}: {'Numbers' if bound else 'float'}{default}")
        doc += documented(name, f"{kind} in {range_of(p)}", p["text"])
    if entry["vector_parameter"]:
        name = python_name(entry["vector_parameter"])
        given.append(f'"{name}": {name}')
        inputs.append(f"{name}: npt.ArrayLike")
        doc += documented(name, "array-like", "one number per entry")
    options = []
    if entry["kind"] == "regularizer" and takes_weights(entry):
        of = "group" if entry["traits"]["groups"] else "entry"
        options.append("weights")
        doc += documented("weights", "array-like, optional", f"a factor >= 0 for every {of}")
    if entry["traits"].get("groups"):
        options += ["groups", "labels"]
        doc += documented("groups", "sequence of int, optional", "sizes of groups in a row, or")
        doc += documented("labels", "array-like, optional", "equal labels are a group")
    if options:
        inputs.append("*")
    inputs += [f"{name}: Optional[npt.ArrayLike] = None" for name in options]
    arguments = "".join(f", {name}={name}" for name in options)
    text = f'"{entry["name"]}", {{{", ".join(given)}}}'
    result = f"{entry['kind'].capitalize()}"
    call = f"box_of({text})" if boxed else f"{result}(spell({text}){arguments})"
    traits = traits_of(entry)
    sign = f"def {function}({', '.join(inputs)}) -> {result}:"
    if len(sign) > 100:
        sign = f"def {function}(\n    " + ",\n    ".join(inputs) + f",\n) -> {result}:"
    lines = ["", "", sign, f'    r"""{entry["kind"].capitalize()} {entry["name"]}.', ""]
    lines += [paragraph(formula_of(entry)), "", paragraph(traits[0].upper() + traits[1:] + ".")]
    lines += ["", "    Parameters", "    ----------", *doc] if doc else []
    return "\n".join([*lines, '    """', f"    return {call}"])


def loss_text(entry: Entry, function: str) -> str:
    """The function that makes a loss."""
    words = [word.split(" [")[0] for word in entry["data"].split(", ")]
    inputs, numbers = ["expression: Expression"], []
    of = "A x - rhs, affine" if "rhs" in words else "A x, linear"
    doc = documented("expression", "Expression", f"{of} in the variables")
    for word in (w for w in words if w in ROWS):
        inputs.append(f"{word}: Values")
        doc += documented(word, "array-like", ROWS[word])
    for p in entry["parameters"]:
        name = python_name(p["name"])
        inputs.append(f"{name}: float")
        numbers.append(f'"{p["name"]}": {name}')
        doc += documented(name, f"float in {range_of(p)}", p["text"])
    inputs += ["*", "weights: Optional[Values] = None"]
    doc += documented("weights", "array-like, optional", "a factor >= 0 for every row")
    data = "".join(f", {word}={word}" for word in ("weights", *ROWS) if word in words)
    call = f'loss_term("{entry["name"]}", expression, {{{", ".join(numbers)}}}{data})'
    sign = f"def {function}({', '.join(inputs)}) -> Loss:"
    if len(sign) > 100:
        sign = f"def {function}(\n    " + ",\n    ".join(inputs) + ",\n) -> Loss:"
    lines = ["", "", sign, f'    r"""Loss {entry["name"]}.', "", paragraph(formula_of(entry)), ""]
    lines += ["    Parameters", "    ----------", *doc, '    """']
    return "\n".join([*lines, "    from .model import loss_term", "", f"    return {call}"])


def table_line(entry: Entry, function: Optional[str]) -> str:
    """The entry in the table."""
    parameters = "".join(
        f"Parameter({python_name(p['name'])!r}, {range_of(p)!r}, {p['text']!r}), "
        for p in entry["parameters"]
    )
    vector = entry["vector_parameter"] and python_name(entry["vector_parameter"])
    values = [entry["kind"], entry["name"], function, formula_of(entry)]
    tail = [vector, entry["data"], traits_of(entry)]
    words = [*map(repr, values), f"({parameters})", *map(repr, tail)]
    return f"    Entry({', '.join(words)}),"


def module(entries: List[Entry]) -> str:
    """The text of crease/_terms.py."""
    sets = [e["name"] for e in entries if e["kind"] == "set"]
    regularizers = [e["name"] for e in entries if e["kind"] == "regularizer"]
    functions = [function_of(e, sets, regularizers) for e in entries]
    own = [e["kind"] in ("regularizer", "set") or is_loss(e) for e in entries]
    made = [f for f, here in zip(functions, own) if f and here]
    parts = [HEAD, "__all__ = [" + ", ".join(f'"{name}"' for name in made) + "]"]
    for e, f in zip(entries, functions):
        if f in made:
            parts.append(loss_text(e, f) if is_loss(e) else function_text(e, f))
    parts += ["", "", "ENTRIES: Tuple[Entry, ...] = ("]
    parts += [table_line(e, f) for e, f in zip(entries, functions)]
    parts += [")", "", "# Smooth functions of affine expressions, by name."]
    parts += ['LOSSES: Dict[str, Entry] = {e.name: e for e in ENTRIES if e.kind == "smooth"}', ""]
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(module(json.load(sys.stdin)["entries"]))
