# SPDX-License-Identifier: MIT
"""The documentation is true: its Python runs, prints what it says, draws its pictures, has types.

Pages and README run block after block; docstrings are doctests; notebooks are executed; what the
pages have of Python passes mypy --strict.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import pathlib
import pkgutil
import re
import shutil
import subprocess
import sys
import threading
from typing import Any, Dict, Iterator, List, Optional, Set

import pytest

import crease
import pages

DOCS = pages.ROOT / "docs"
NOTEBOOKS = sorted((DOCS / "notebooks").glob("*.ipynb"))
PICTURE_LIMIT = 100_000  # bytes
NOTEBOOK_LIMIT = 300_000
_FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def _name(path: pathlib.Path) -> str:
    return path.stem


class _Background:
    """A command that runs beside the tests; `result` waits for it."""

    def __init__(self, argv: List[str], **options: Any) -> None:
        self._done: Optional["subprocess.CompletedProcess[str]"] = None

        def run() -> None:
            self._done = subprocess.run(
                argv, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options
            )

        self._thread = threading.Thread(target=run)
        self._thread.start()

    def result(self) -> "subprocess.CompletedProcess[str]":
        self._thread.join()
        assert self._done is not None
        return self._done


@pytest.fixture(scope="module", autouse=True)
def types(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Optional[_Background]]:
    """mypy over the Python of all pages at once, beside the other tests."""
    if importlib.util.find_spec("mypy") is None:
        yield None
        return
    folder = tmp_path_factory.mktemp("types")
    for page in pages.pages():
        module = re.sub(r"\W", "_", page.stem.lower())
        (folder / f"page_{module}.py").write_text(pages.script(page), encoding="utf-8")
    package = pathlib.Path(crease.__file__).absolute().parents[1]
    argv = [
        sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
        "--allow-untyped-calls", "--follow-imports=silent", "--cache-dir", str(folder / "cache"),
        *sorted(str(p) for p in folder.glob("page_*.py")),
    ]
    installed = package.name in ("site-packages", "dist-packages")  # mypy looks there itself
    path = {} if installed else {"MYPYPATH": str(package)}
    work = _Background(argv, cwd=folder, env={**os.environ, **path})
    yield work
    work.result()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("page", pages.pages(), ids=_name)
def test_page_runs_and_prints_what_it_says(page: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for program in pages.needs(page):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}")
    try:
        with pages.inside(tmp_path):
            troubles = list(pages.run(page))
    except crease.UnsupportedError as e:
        if "this build has no" in str(e):
            pytest.skip(str(e))
        raise
    assert not troubles, "\n".join(troubles)


def test_every_picture_is_there_and_small_and_shown() -> None:
    shown = {
        page.parent / piece.text
        for page in pages.pages()
        for piece in pages.pieces(page)
        if piece.kind == "picture"
    }
    there = set((DOCS / "python" / "images").glob("*"))
    assert shown == there
    assert all(p.stat().st_size <= PICTURE_LIMIT for p in there)


def test_numbers_are_compared_to_three_digits() -> None:
    assert pages.agrees("0.123 and -2e-07", "0.12301 and -8e-09")
    assert not pages.agrees("0.123", "0.125")
    assert not pages.agrees("[1. 2.]", "[1. 2. 3.]")
    assert doctest.testmod(pages).failed == 0
    assert pages.agrees("a ... d", "a b c d") and not pages.agrees("a ... d", "a b c")


def _modules() -> List[str]:
    names = ["crease"]
    for module in pkgutil.walk_packages(crease.__path__, "crease."):
        if "estimators" in module.name and importlib.util.find_spec("sklearn") is None:
            continue
        names.append(module.name)
    return names


@pytest.mark.filterwarnings("ignore")
def test_every_example_of_a_docstring(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tried, failed = 0, 0
    for name in _modules():
        module = importlib.import_module(name)
        result = doctest.testmod(module, optionflags=_FLAGS)
        tried, failed = tried + result.attempted, failed + result.failed
    assert failed == 0 and tried > 50


def _public() -> Dict[str, Any]:
    return {name: getattr(crease, name) for name in crease.__all__}


def test_every_public_name_is_explained() -> None:
    silent = [name for name, value in _public().items() if not (value.__doc__ or "").strip()]
    assert not silent


def test_names_in_the_text_of_pages_are_there() -> None:
    unknown: Set[str] = set()
    for page in pages.pages():
        for name in re.findall(r"`[^`]*?\bcr\.(\w+)", page.read_text(encoding="utf-8")):
            if not hasattr(crease, name):
                unknown.add(f"{page.name}: cr.{name}")
    assert not unknown


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=_name)
def test_notebook_runs(notebook: pathlib.Path, tmp_path: pathlib.Path) -> None:
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    execute = pytest.importorskip("nbconvert.preprocessors").ExecutePreprocessor
    if "mp4" in notebook.read_text(encoding="utf-8") and shutil.which("ffmpeg") is None:
        pytest.skip("needs ffmpeg")
    assert notebook.stat().st_size <= NOTEBOOK_LIMIT
    book = nbformat.read(str(notebook), as_version=4)
    assert not any(cell.get("outputs") for cell in book.cells), "clear its outputs"
    execute(timeout=120, kernel_name="python3").preprocess(
        book, {"metadata": {"path": str(tmp_path)}}
    )


def test_pages_have_types(types: Optional[_Background]) -> None:
    if types is None:
        pytest.skip("needs mypy")
    done = types.result()
    assert done.returncode == 0, done.stdout
