# SPDX-License-Identifier: MIT
"""Writes crease/_options.py: the functions of the package, made of the program's tables.

    crease help --json | python3 tables.py > crease/_options.py

Names, kinds, ranges, defaults and texts of keywords are those of the program's options. What only
Python needs to know stands in the tables below: what an option takes in Python, which options
are left out and why, and what the functions take besides.
"""

from __future__ import annotations

import importlib.util
import json
import pathlib
import re
import sys
import textwrap
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple



def _load_words() -> Any:
    """crease/_words.py, whose package is not there yet."""
    path = pathlib.Path(__file__).resolve().parent.parent / "crease" / "_words.py"
    spec = importlib.util.spec_from_file_location("_words", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_words = _load_words()

WIDTH = 96

# Options without a meaning in Python.
LEFT_OUT = {
    "--out": "a result is an object; its method to_folder writes it",
    "--force": "nothing is written, so nothing is in the way",
    "--format": "crease.write writes arrays in any format",
    "--report": "a method of the result",
    "--json": "a result has attributes",
    "--dry-run": "crease.check and the errors say it",
    "--quiet": "the keyword progress",
    "--verbose": "the keyword progress and the attribute history",
    "--log": "the logger crease",
    "--log-file": "the logger crease",
    "--log-csv": "the attribute history",
    "--color": "there is no terminal",
    "--help": "the function help",
}

# What options take that are no plain numbers, words or flags: the annotation, its words in the
# docstring, and what there is to say besides.
TAKES: Dict[str, Tuple[str, str, str]] = {
    "--rank": (
        "Rank",
        "int, sequence of int, range or str",
        'A range, as ``range(1, 9)``, is ``"auto:8"``: chosen from the data, from 1 to its end.',
    ),
    "--alpha": ("Union[float, str]", "float or str", ""),
    "--eta": ("Union[float, str]", "float or str", ""),
    "--center": ("Union[str, int, Sequence[int]]", "str, int or sequence of int", ""),
    "--merge": ("Sequence[int]", "sequence of int", ""),
    "--shape": ("Sequence[int]", "sequence of int", ""),
    "--path": ("Union[int, Tuple[int, float], str]", "int or tuple", ""),
    "--columns": ("Columns", "str, int or sequence of these", ""),
    "--drop": ("Columns", "str, int or sequence of these", ""),
    "--frames": ("Union[slice, str]", "slice or str", "A slice counts them likewise."),
    "--size": (
        "Union[str, Tuple[Optional[int], Optional[int]]]",
        "tuple or str",
        "A tuple is (width, height); None for one of them keeps the shape of the frames.",
    ),
    "--axes": (
        "Union[str, Sequence[Any]]",
        "sequence or str",
        "A sequence has a name, a crease.Axis or a dict of name, unit, numbers and labels for "
        "every dimension. Data that bring names of their own need none.",
    ),
    "--mask": ("Values", "array-like or path", "True: observed. Masked arrays need none."),
    "--init": ("Union[FilePath, Answer]", "str, path or result", "A result may be given itself."),
    "--truth": ("Union[FilePath, Answer]", "path or Instance", "An Instance may be given itself."),
    "--groups": ("Values", "array-like or str", "An array has a label for every one."),
    "--weights": ("Values", "array-like or str", ""),
    "--row-weights": ("Values", "array-like or str", ""),
    "--folds": ("Values", "array-like or str", ""),
    "--lambda": ("Values", "float, array-like or str", ""),
    "--penalty": ("Any", "str or entry of the catalogue", ""),
    "--checkpoint": ("FilePath", "path", ""),
    "--resume": ("FilePath", "path", ""),
    "--problem": ("FilePath", "path", ""),
}

# How a file is read: said once the rest is said.
READING = (
    "--shape", "--read-as", "--columns", "--drop", "--absent", "--frames", "--size", "--colour",
)  # fmt: skip

# Sentences about folders, exit codes and terminals say nothing about Python.
ELSEWHERE = ("folder", "exit code", "standard output", "standard error", "Ctrl-C", "printed")

PROGRESS = (
    "progress",
    "Progress",
    '"auto"',
    '"auto", callable or None, default "auto"',
    "A line on a terminal or in a notebook after two seconds; a callable is given the state, and "
    "ends the run by returning False; None: nothing is shown.",
)
THREADS = (
    "threads",
    "Optional[int]",
    "None",
    "int, optional",
    "Threads to use (default: all that help). At least 1.",
)
KEEP = (
    "keep_data",
    "bool",
    "False",
    "bool, default False",
    "Keep a copy of the data in the result and in its pickles.",
)
FILES = (
    "files",
    "Optional[Mapping[str, Any]]",
    "None",
    "mapping of str to array-like, optional",
    "Arrays by the names that stand in the problem.",
)
FUNCTIONS = (
    "functions",
    "Optional[Mapping[str, Any]]",
    "None",
    "mapping of str to callables, optional",
    "Functions by the names that stand in the problem.",
)
DATA = "An array-like, a DataFrame, a DataArray, or the path of a file in any format that is read."
PROBLEM = (
    "A problem: as a dict, whose arrays may be NumPy's, as a text of JSON, or as the path of a "
    "file."
)


@dataclass(frozen=True)
class Function:
    """A function of the package: its verb, what it takes besides options, what it returns."""

    name: str
    verb: str
    takes: Tuple[Tuple[str, str, str, str], ...]  # name, annotation, type, text
    returns: Tuple[str, str]
    example: str
    besides: Tuple[Tuple[str, str, str, str, str], ...] = ()  # name, annotation, default, ...
    leading: Tuple[str, ...] = ()  # options that may be given by position
    only: Optional[Tuple[str, ...]] = None  # of the options
    about: str = ""  # in place of the verb's text


def table_of_functions() -> List[Function]:
    return [
        Function(
            "rpca",
            "rpca",
            (("data", "Values", "array-like or path", DATA),),
            ("RPCAResult", "The parts, the factors, the certificate and the course of the run."),
            """
            >>> import crease
            >>> made = crease.generate("cp", shape=(12, 10, 8), rank=2, seed=1)
            >>> r = crease.rpca(made.data, rank=2)
            >>> r.verdict, r.lowrank.shape, len(r.factors)
            ('VALID', (12, 10, 8), 3)
            """,
            (PROGRESS, KEEP),
            ("--rank",),
        ),
        Function(
            "spca",
            "spca",
            (("data", "Values", "array-like or path", DATA),),
            ("SPCAResult", "The components, one after the other when it is iterated."),
            """
            >>> import crease, numpy as np
            >>> rng = np.random.default_rng(0)
            >>> u, v = np.eye(1, 30)[0], np.eye(1, 20)[0]
            >>> r = crease.spca(9 * np.outer(u, v) + 0.1 * rng.normal(size=(30, 20)))
            >>> [c.support(0).tolist() for c in r]
            [[0]]
            """,
            (THREADS, PROGRESS, KEEP),
            ("--components",),
        ),
        Function(
            "regress",
            "regress",
            (
                ("X", "Values", "array-like or path", DATA + " Sparse arrays stay sparse where few entries are nonzero."),
                ("y", "Values", "array-like or path", "The outcome, a number for every row of X."),
            ),
            ("Path", "The coefficients along the path, and what is chosen of it."),
            """
            >>> import crease, numpy as np
            >>> X = np.random.default_rng(0).normal(size=(40, 6))
            >>> r = crease.regress(X, X[:, 1] - 2 * X[:, 4], penalty="mcp", cv=5)
            >>> r.selected().tolist()
            [1, 4]
            """,
            (PROGRESS, KEEP),
        ),
        Function(
            "apply",
            "apply",
            (
                ("result", "Union[FilePath, Answer]", "RPCAResult or path", "A result of `rpca`."),
                ("data", "Values", "array-like or path", DATA),
            ),
            ("Scores", "Coefficients, parts and scores of every slice."),
            """
            >>> import crease
            >>> made = crease.generate("cp", shape=(12, 10, 8), rank=2, seed=1)
            >>> r = crease.rpca(made.data, rank=2)
            >>> crease.apply(r, made.data).coefficients.shape
            (12, 2)
            """,
            (THREADS, PROGRESS, KEEP),
        ),
        Function(
            "solve",
            "solve",
            (("problem", "Problem", "dict, str or path", PROBLEM),),
            ("Result", "The point, block by block, with its certificate."),
            """
            >>> import crease, numpy as np
            >>> lasso = {
            ...     "crease": 1,
            ...     "blocks": [{"name": "x", "shape": 3, "regularizer": "l1:0.5"}],
            ...     "smooth": [{"least_squares": {"terms": {"x": np.eye(3)}, "rhs": [2, 0.1, -1]}}],
            ... }
            >>> crease.solve(lasso)["x"]
            array([ 1.5,  0. , -0.5])
            """,
            (FILES, FUNCTIONS, PROGRESS, KEEP),
            about="Solve a problem of your own. Keywords override the options that stand in it. "
            "The answer is a point that is certified stationary to eps, or a proof that the "
            "constraint has no solution, or that the objective falls without end.",
        ),
        Function(
            "check",
            "check",
            (("problem", "Problem", "dict, str or path", PROBLEM),),
            ("Check", "The method, the theorem, and its assumptions one by one."),
            """
            >>> import crease
            >>> problem = {"crease": 1, "blocks": [{"shape": 2, "regularizer": "l1:1"}]}
            >>> crease.check(problem).method
            'direct'
            """,
            (FILES, FUNCTIONS),
        ),
        Function(
            "verify",
            "verify",
            (("result", "Union[FilePath, Answer]", "result or path", "A result, or its folder."),),
            ("Verdict", "What the independent checker says."),
            """
            >>> import crease
            >>> made = crease.generate("cp", shape=(12, 10, 8), rank=2, seed=1)
            >>> crease.verify(crease.rpca(made.data, rank=2)).valid
            True
            """,
            (PROGRESS,),
        ),
        Function(
            "generate",
            "generate",
            (("kind", "Literal", "str", "What to draw."),),
            ("Instance", "The tensor and the parts it is made of."),
            """
            >>> import crease
            >>> made = crease.generate("eem", shape=(6, 30, 20), seed=1)
            >>> [a.name for a in made.data.axes]
            ['sample', 'emission', 'excitation']
            """,
            (PROGRESS,),
        ),
        Function(
            "read",
            "convert",
            (("path", "FilePath", "path", "The file; one of several arrays in it as FILE:NAME."),),
            ("Data", "The array with the names of its axes."),
            """
            >>> import crease
            >>> crease.read("table.csv").axes[1].labels  # doctest: +SKIP
            array(['weight', 'height'], dtype='<U6')
            """,
            only=("--axes", *READING),
            about="Read an array from a file of any format. Entries that are missing are nan.",
        ),
        Function(
            "write",
            "convert",
            (
                ("path", "FilePath", "path", "The file; its ending tells the format."),
                ("data", "Values", "array-like", "The array; booleans are written as 0 and 1."),
            ),
            ("None", ""),
            """
            >>> import crease
            >>> crease.write("lowrank.h5", r.lowrank, like=data)  # doctest: +SKIP
            """,
            (
                (
                    "like",
                    "Optional[Values]",
                    "None",
                    "data, optional",
                    "What has the axes that the array is to be written with, as what `read` "
                    "returned.",
                ),
            ),
            only=("--axes", "--as", "--format", "--force"),
            about="Write an array to a file of any format. Names of axes that the format cannot "
            "hold go to a file of their own beside it, NAME.axes.json.",
        ),
    ]


def kind_of(option: Dict[str, Any]) -> str:
    """Its kind; whole numbers from 0 to 1 are switches."""
    if option["kind"] == "whole number" and (option["low"], option["high"]) == (0, 1):
        return "switch"
    return str(option["kind"])


def range_of(option: Dict[str, Any]) -> str:
    """The range of a number in words; empty where every number will do."""
    low, high = option.get("low"), option.get("high")
    if kind_of(option) not in ("number", "whole number"):
        return ""
    above = "above" if option.get("low_open") else "at least"
    if high is None or high >= 2e9:
        return "" if low is None else f"{above} {low:g}"
    return f"from {low:g} to {high:g}"


def annotation_of(option: Dict[str, Any]) -> Tuple[str, str]:
    """The annotation of a keyword, and its type in the docstring."""
    kind, words = kind_of(option), option.get("words") or []
    if option["name"] in TAKES:
        annotation, words_of_type, _ = TAKES[option["name"]]
        return f"Optional[{annotation}]", f"{words_of_type}, optional"
    if kind == "flag":
        return "bool", "bool, default False"
    if kind == "one of":
        listed = ", ".join(f'"{w}"' for w in words)
        return f"Optional[Literal[{listed}]]", f"{{{listed}}}, optional"
    plain = {"number": "float", "whole number": "int", "switch": "bool"}.get(kind, "str")
    return f"Optional[{plain}]", f"{plain}, optional"


def text_of(option: Dict[str, Any], spell: Any, every_kind: List[str]) -> str:
    """The text of a keyword: the option's own, its range, and the models that it belongs to."""
    text = str(option["text"])
    if kind_of(option) == "switch":
        text = re.sub("^1: ", "", text).replace("default 0", "default False")
        text = text.replace("default 1", "default True")
    if text.split(" ")[0].rstrip(",;") not in (option.get("words") or []):
        text = text[0].upper() + text[1:]
    besides = TAKES.get(option["name"], ("", "", ""))[2]
    if option["name"] == "--rank" and "auto:R" not in text:
        besides = ""  # of a tensor that is drawn, no rank is searched
    about = [text, range_of(option).capitalize(), besides]
    of = option["kinds"]
    if of and of != every_kind:
        others = [k for k in every_kind if k not in of]
        listed, word = (others, "Not of ") if len(others) < len(of) else (of, "Of ")
        about.append(word + ", ".join(listed))
    return " ".join(spell(a).rstrip(".") + "." for a in about if a)


def parameter(name: str, kind: str, text: str) -> List[str]:
    lines = textwrap.wrap(text, WIDTH - 8)
    return [f"{name} : {kind}", *("    " + line for line in lines)]


def write_function(f: Function, verb: Dict[str, Any], spell: Any) -> List[str]:
    """The lines of one function."""
    options = {o["name"]: o for o in verb["options"]}
    names = [n for n in options if (n in f.only if f.only is not None else n not in LEFT_OUT)]
    order = {"common": 0, "model": 1, "output": 2, "method": 3}
    late = () if verb["name"] == "generate" else READING
    names.sort(key=lambda n: (n in late, order[options[n]["group"]]))  # else as they are listed
    names = [*f.leading, *(n for n in names if n not in f.leading)]
    every_kind = max((o["kinds"] for o in options.values()), key=len)

    signature, doc = [], []
    for name, annotation, kind, text in f.takes:
        if annotation == "Literal":
            listed = ", ".join(f'"{w}"' for w in verb["argument"]["words"])
            annotation, kind = f"Literal[{listed}]", f"{{{listed}}}"
        signature.append(f"    {name}: {annotation},")
        doc += parameter(name, kind, text)
    for at, name in enumerate(names):
        if at == len(f.leading):
            signature.append("    *,")
        annotation, kind = annotation_of(options[name])
        default = "False" if annotation == "bool" else "None"
        signature.append(f"    {_words.python_name(name)}: {annotation} = {default},")
        doc += parameter(_words.python_name(name), kind, text_of(options[name], spell, every_kind))
    for name, annotation, default, kind, text in f.besides:
        signature.append(f"    {name}: {annotation} = {default},")
        doc += parameter(name, kind, text)

    about = _words.sentences(f.about or verb["text"])
    about = [about[0]] + [s for s in about[1:] if not any(w in s for w in ELSEWHERE)]
    lines = [f"def {f.name}(", *signature, f") -> {f.returns[0]}:"]
    if len(about[0]) > WIDTH and ": " in about[0]:
        first, _, more = about[0].partition(": ")
        about[:1] = [first + ".", more[0].upper() + more[1:]]
    head = spell(about[0])
    lines.append(f'    """{head}')
    if about[1:]:
        lines += ["", *("    " + w for w in textwrap.wrap(spell(" ".join(about[1:])), WIDTH - 4))]
    lines += ["", "    Parameters", "    ----------", *("    " + line for line in doc)]
    if f.returns[1]:
        lines += ["", "    Returns", "    -------", f"    {f.returns[0]}"]
        lines += ["        " + w for w in textwrap.wrap(f.returns[1], WIDTH - 8)]
    lines += ["", "    Examples", "    --------"]
    lines += ["    " + line for line in textwrap.dedent(f.example).strip().splitlines()]
    lines.append('    """')
    given = [t[0] for t in f.takes] + [b[0] for b in f.besides]
    lines.append("    options: Dict[str, Any] = {")
    lines += [f'        "{_words.python_name(n)}": {_words.python_name(n)},' for n in names]
    lines += ["    }", f"    return _{f.name}(", "        options,"]
    lines += [f"        {name}={name}," for name in given]
    lines += ["    )", "", ""]
    return [line.rstrip() for line in lines]


def write_tables(document: Dict[str, Any]) -> List[str]:
    """What the hand-written part needs: every option by name, the keywords of every verb."""
    lines = [f'VERSION = "{document["crease"]}"', ""]
    lines += ["FLAGS: Dict[str, Dict[str, Any]] = {"]
    for name, entry in _words.option_table(document).items():
        lines.append(f'    "{name}": {json.dumps(entry)},')
    lines += ["}", "", "OPTIONS: Dict[str, Dict[str, Tuple[str, str]]] = {"]
    for verb in document["verbs"]:
        lines.append(f'    "{verb["name"]}": {{')
        for o in verb["options"]:
            keyword = _words.python_name(o["name"])
            lines.append(f'        "{keyword}": ("{o["name"]}", "{kind_of(o)}"),')
        lines.append("    },")
    return [*lines, "}", "", ""]


HEAD = '''\
# SPDX-License-Identifier: MIT
"""The functions of the package. Generated from the program's tables; do not edit."""

from __future__ import annotations

from typing import Any, Dict, Literal, Mapping, Optional, Sequence, Tuple, Union

from .arrays import FilePath, Values
from .io import Data, read as _read, write as _write
from .result import Answer, Check, Instance, Path, Result, RPCAResult, Scores, SPCAResult, Verdict
from .verbs import (
    Columns,
    Problem,
    Progress,
    Rank,
    apply as _apply,
    check as _check,
    generate as _generate,
    regress as _regress,
    rpca as _rpca,
    solve as _solve,
    spca as _spca,
    verify as _verify,
)
'''


def main() -> None:
    document = json.load(sys.stdin)
    flags = _words.option_table(document)
    verbs = {v["name"]: v for v in document["verbs"]}
    unknown = set(LEFT_OUT) | set(TAKES)
    unknown -= set(flags)
    if unknown:
        sys.exit(f"tables.py: the program has no {', '.join(sorted(unknown))}; mend the tables")
    functions = table_of_functions()
    lines = [HEAD, *write_tables(document)]
    for f in functions:
        lines += write_function(f, verbs[f.verb], lambda text: _words.python_words(text, flags))
    lines += ["for _f in (", *(f"    {f.name}," for f in functions), "):"]
    lines += ['    _f.__module__ = "crease"', ""]
    print("\n".join(lines), end="")


if __name__ == "__main__":
    main()
