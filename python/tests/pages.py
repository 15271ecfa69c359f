# SPDX-License-Identifier: MIT
"""Pages of the documentation as scripts: their Python blocks in order, and what they say of them.

A block of text right behind a block of Python is what that prints. A picture ``images/NAME.png``
is the figure that the block before it has drawn. Blocks that import a package of others which is
not installed are left out.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import pathlib
import re
import sys
from dataclasses import dataclass
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHERS = ("cvxpy", "pylops", "pyproximal", "tensorly")  # compared with, never needed

_TOKEN = re.compile(r"\.\.\.|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[^\W\d]+|[^\w\s]")
_SMALL = 1e-5  # numbers below are residuals and roundings, of which only the smallness counts


@dataclass(frozen=True)
class Piece:
    """A part of a page: a block of "python" or "text", or a "picture" with its file."""

    kind: str
    text: str
    line: int  # of the page, counted from 1


def pages() -> List[pathlib.Path]:
    """The pages with Python in them."""
    return [*sorted((ROOT / "docs" / "python").glob("*.md")), ROOT / "README.md"]


def pieces(page: pathlib.Path) -> List[Piece]:
    """The blocks and pictures of a page, in order."""
    found: List[Piece] = []
    fence, begin, lines = "", 0, page.read_text(encoding="utf-8").splitlines()
    for k, line in enumerate(lines, 1):
        picture = re.match(r"!\[[^]]*\]\((images/[^)]+\.png)\)", line)
        if line.startswith("```"):
            if fence:
                text = "\n".join(lines[begin:k - 1]) + "\n"
                found.append(Piece(fence, text, begin + 1))
                fence = ""
            else:
                fence, begin = line[3:].strip() or "none", k
        elif picture and not fence:
            found.append(Piece("picture", picture.group(1), k))
    return [p for p in found if p.kind in ("python", "text", "picture")]


def missing(block: str) -> Optional[str]:
    """The package of others that a block imports and that is not there."""
    for name in OTHERS:
        if re.search(rf"^(import|from) {name}\b", block, re.M) and not (
            importlib.util.find_spec(name)
        ):
            return name
    return None


def script(page: pathlib.Path) -> str:
    """The Python of a page as one module, with the line numbers of the page."""
    lines: List[str] = []
    for piece in pieces(page):
        if piece.kind == "python":
            lines += [""] * (piece.line - 1 - len(lines)) + piece.text.splitlines()
    return "\n".join(lines) + "\n"


def _tokens(text: str) -> List[str]:
    return _TOKEN.findall(text)


def _number(token: str) -> Optional[float]:
    return float(token) if any(c.isdigit() for c in token) else None


def _equal(shown: str, token: str) -> bool:
    a, b = _number(shown), _number(token)
    if a is None or b is None:
        return shown == token
    return abs(a - b) <= 5e-3 * max(abs(a), abs(b)) or max(abs(a), abs(b)) < _SMALL


def agrees(shown: str, printed: str) -> bool:
    """Is it what was printed, with numbers to three digits and ``...`` for anything?

    Examples
    --------
    >>> agrees("rank 3, error 0.00405 in ... s", "rank 3, error 0.0040512 in 1.2 s")
    True
    >>> agrees("rank 3", "rank 4")
    False
    """
    want, have = _tokens(shown), _tokens(printed)
    i = j = 0
    star: Optional[Tuple[int, int]] = None
    while j < len(have):
        if i < len(want) and want[i] == "...":
            star, i = (i + 1, j), i + 1
        elif i < len(want) and _equal(want[i], have[j]):
            i, j = i + 1, j + 1
        elif star is not None:
            star = (star[0], star[1] + 1)
            i, j = star
        else:
            return False
    return all(w == "..." for w in want[i:])


Drawn = Callable[[str, Any], None]


def run(page: pathlib.Path, drawn: Optional[Drawn] = None) -> Iterator[str]:
    """Runs the blocks of a page in the folder where we are; yields what is not as it says.

    `drawn` gets the file of every picture and its figure.
    """
    space: Dict[str, Any] = {"__name__": "__main__"}
    printed: Optional[str] = None
    figure: Any = None
    for piece in pieces(page):
        where = f"{page.name}:{piece.line}"
        if piece.kind == "python":
            if missing(piece.text):
                printed = None
                continue
            stream, before = io.StringIO(), _figures()
            code = compile("\n" * (piece.line - 1) + piece.text, str(page), "exec")
            with contextlib.redirect_stdout(stream):
                exec(code, space)
            printed = stream.getvalue()
            new = [f for f in _figures() if f not in before]
            figure = new[-1] if new else None
        elif piece.kind == "text" and printed is not None:
            if not agrees(piece.text, printed):
                yield f"{where}: the page says\n{piece.text}\nand this was printed:\n{printed}"
            printed = None
        elif piece.kind == "picture":
            if figure is None:
                yield f"{where}: no block before {piece.text} has drawn it"
            elif drawn:
                drawn(piece.text, figure)


def _figures() -> List[Any]:
    pyplot = sys.modules.get("matplotlib.pyplot")
    return [pyplot.figure(n) for n in pyplot.get_fignums()] if pyplot else []


@contextlib.contextmanager
def inside(folder: pathlib.Path) -> Iterator[None]:
    """In a folder of its own, without figures of others."""
    here = os.getcwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close("all")


def needs(page: pathlib.Path) -> Sequence[str]:
    """Programs that a page needs."""
    return ("ffmpeg",) if ".mp4" in script(page) else ()
