# SPDX-License-Identifier: MIT
"""Sentences of the program in the spelling of Python: ``--missing nan`` is ``missing="nan"``.

It needs nothing but the table of options, for it also writes docstrings while the package is
built.
"""

from __future__ import annotations

import keyword
import re
from typing import Any, Callable, Dict, List, Mapping, Tuple

# Of an option: the kind of its value, the word that stands for a value, and fixed values.
Option = Mapping[str, Any]

_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
_OPTION = re.compile(r"--([a-z][a-z-]*[a-z]|h)(?: (?!--)([^\s;()<>]*[^\s;()<>,.:]))?")
_VERB = re.compile(r":| (is|does|needs|has)\b")  # what the program says of a value
_PROSE = frozenset("and are as at by does for has is it of or that to which with".split())


def _from_zero(name: str, *indices: str) -> str:
    return f"{name}[{', '.join(str(int(k) - 1) for k in indices)}]"


# Entries, which the program counts from 1.
_PLACES: Tuple[Tuple["re.Pattern[str]", Callable[["re.Match[str]"], str]], ...] = (
    (
        re.compile(r"entry \d+ \(at ([\d,]+)\) of the tensor"),
        lambda m: _from_zero("data", *m[1].split(",")),
    ),
    (re.compile(r"row (\d+), column (\d+) of (\w+)"), lambda m: _from_zero(m[3], m[1], m[2])),
    (re.compile(r"entry (\d+) of y\b"), lambda m: _from_zero("y", m[1])),
    (re.compile(r"entry (\d+) of the (?:tensor|data)"), lambda m: _from_zero("data.flat", m[1])),
)


def python_name(option: str) -> str:
    """``--max-iterations`` as ``max_iterations``, ``--lambda`` as ``lambda_``."""
    name = option.lstrip("-").replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def _literal(text: str) -> str:
    """A value as Python writes it: a number, a tuple of numbers, or a text."""
    if _NUMBER.fullmatch(text):
        return text
    parts = text.split(",")
    if len(parts) > 1 and all(_NUMBER.fullmatch(p) for p in parts):
        return f"({', '.join(parts)})"
    return f'"{text}"'


def _is_value(word: str, option: Option, rest: str) -> bool:
    """Is this word behind an option its value, or does the sentence, with its rest, go on?"""
    if word == option["values"] or word.split(":")[0] in option["words"]:
        return True
    if all(_NUMBER.fullmatch(p) for p in word.split(",")) or ":" in word or "," in word:
        return True
    return word not in _PROSE and bool(_VERB.match(rest))


def python_words(text: str, options: Mapping[str, Option]) -> str:
    """The text with options, commands and files in memory as Python spells them.

    Parameters
    ----------
    text : str
        A sentence of the program.
    options : mapping
        Options by their name, as ``--rank``, with `kind`, `values` and `words` as
        ``crease help --json`` has them.
    """

    def spell(match: "re.Match[str]") -> str:
        name, word = "--" + match[1], match[2]
        option = options.get(name)
        if option is None:
            return match[0]
        python, kind = python_name(name), option["kind"]
        rest = f" {word}" if word else ""
        if kind == "flag":
            return f"{python}=True{rest}"
        follows = match.string[match.end() :] if match.start() == 0 else ""
        if not word or not _is_value(word, option, follows):
            return python + rest
        if word == option["values"] and word != "nan":
            return python if word in ("FILE", "DIR", "LIST", "AXES") else f"{python}={word}"
        return f"{python}={_literal(word)}"

    for pattern, place in _PLACES:
        text = pattern.sub(place, text)
    text = re.sub(r"'?crease help (\w+)(?: --all)?'?", r"help(crease.\1)", text)
    text = re.sub(r"'crease list( \w+)?'", "crease.catalogue()", text)
    text = re.sub(r"'crease (\w+)'", r"crease.\1", text)
    text = re.sub(r"memory:(\w+)(?:\.(?:npy|json))?", r"\1", text)
    text = re.sub(r"\bin center(_\d)?\.npy", "in center", text)
    return _OPTION.sub(spell, text)


def sentences(text: str) -> List[str]:
    """The sentences of a paragraph."""
    return re.split(r"(?<=[^.][.!?]) (?=[\w\"'-])", text.strip())


def option_table(document: Mapping[str, Any]) -> Dict[str, Dict[str, Any]]:
    """Every option of every verb, of the document that ``crease help --json`` prints."""
    table: Dict[str, Dict[str, Any]] = {}
    for verb in document["verbs"]:
        for o in verb["options"]:
            entry = {"kind": o["kind"], "values": o["values"], "words": []}
            fixed = table.setdefault(o["name"], entry)["words"]
            fixed += [w for w in o.get("words") or [] if w not in fixed]
    return table
