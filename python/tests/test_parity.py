# SPDX-License-Identifier: MIT
"""Python gives what the program gives: the same bits, the same documents, the same folders."""

from __future__ import annotations

import json
import pathlib
import shlex
from typing import Any, Dict, Tuple

import numpy as np
import pytest

import crease

PROBLEMS = sorted((pathlib.Path(__file__).parents[2] / "examples" / "problems").rglob("*.json"))
# what differs between two runs of one command: times, paths, and hashes of what has them
OF_A_RUN = (
    "seconds", "phase_seconds", "fit_seconds", "command", "path", "absolute_path", "files", "seal",
)

RPCA = {
    "rank given": (dict(rank=2), "--rank 2"),
    "rank chosen": (dict(penalty="mcp"), "--penalty mcp"),
    "ranks up to 3": (dict(rank=range(1, 4)), "--rank auto:3"),
    "nonneg": (dict(rank=2, nonneg=True, seed=7), "--rank 2 --nonneg --seed 7"),
    "admm-g": (
        dict(rank=2, method="admm-g", max_iterations=3000),
        "--rank 2 --method admm-g --max-iterations 3000",
    ),
    "tucker": (dict(model="tucker", rank=(2, 2, 2)), "--model tucker --rank 2,2,2"),
    "scad, alpha": (
        dict(rank=2, penalty="scad:1,3.7", alpha=0.1),
        "--rank 2 --penalty scad:1,3.7 --alpha 0.1",
    ),
    "one thread": (dict(rank=2, threads=1), "--rank 2 --threads 1"),
}
MATRICES = {
    "matrix": (dict(model="matrix", rank=2), "--model matrix --rank 2"),
    "eta": (dict(model="matrix", eta=1e-2), "--model matrix --eta 0.01"),
    "pcp": (dict(model="pcp"), "--model pcp"),
    "cp": (dict(rank=2, starts=2), "--rank 2 --starts 2"),
}
REGRESS = {
    "lasso": (dict(), ""),
    "mcp, cv": (dict(penalty="mcp", cv=3), "--penalty mcp --cv 3"),
    "huber": (dict(loss="huber:1"), "--loss huber:1"),
    "path": (dict(path=(12, 0.05)), "--path 12,0.05"),
}


def of_any_run(value: Any) -> Any:
    """A document without what is of one run alone."""
    if isinstance(value, dict):
        return {k: of_any_run(v) for k, v in value.items() if k not in OF_A_RUN}
    if isinstance(value, list):
        return [of_any_run(v) for v in value]
    return value


def contents(files: Any) -> Dict[str, Any]:
    """The files of a result in a form that two runs have in common, bit for bit."""
    found: Dict[str, Any] = {}
    for name, content in files.items():
        if isinstance(content, np.ndarray):
            found[name] = (content.shape, content.dtype.str, content.tobytes())
        elif name.endswith(".json"):
            found[name] = of_any_run(json.loads(content))
        elif name == "history.csv":
            found[name] = [line.rsplit(",", 1)[0] for line in content.splitlines()]
        else:
            found[name] = content
    return found


def on_disk(folder: pathlib.Path) -> Dict[str, Any]:
    """`contents` of a folder."""
    files: Dict[str, Any] = {}
    for f in folder.iterdir():
        files[f.name] = np.load(f) if f.suffix == ".npy" else f.read_text()
    return contents(files)


def check_folders(found: Any, folder: pathlib.Path, program: Any) -> None:
    """A result of Python is good for the program, and one of the program for Python."""
    assert found.verdict == "VALID", found
    assert crease.verify(found).valid
    written = folder.parent / "written"
    found.to_folder(written)
    assert "VALID" in program("verify", written).stdout.split("\n")[0].split()[0:1]
    page = folder.parent / "page.html"
    program("report", written, "--out", page)
    assert page.stat().st_size > 1000
    loaded = crease.load(folder)
    assert type(loaded) is type(found)
    assert crease.verify(loaded).valid and crease.verify(folder).valid
    assert contents(loaded.files).keys() >= contents(found.files).keys()


@pytest.mark.parametrize("path", PROBLEMS, ids=[p.stem for p in PROBLEMS])
def test_problems(path: pathlib.Path, program: Any, tmp_path: pathlib.Path) -> None:
    program("solve", path, "--out", tmp_path / "out", "--quiet")
    theirs = on_disk(tmp_path / "out")
    texts: Tuple[Any, ...] = (path, path.read_text())
    for given in texts:
        found = crease.solve(given, progress=None)
        assert contents(found.files) == theirs
    check_folders(found, tmp_path / "out", program)
    as_dict = crease.solve(json.loads(path.read_text()), progress=None)  # of another text
    assert all(
        contents(as_dict.files)[n] == theirs[n] for n in theirs if not n.endswith(".json")
    )


@pytest.mark.parametrize("case", RPCA)
def test_rpca(case: str, tensor: Any, program: Any, tmp_path: pathlib.Path) -> None:
    keywords, words = RPCA[case]
    compare_rpca(tensor, keywords, words, program, tmp_path)


@pytest.mark.parametrize("case", MATRICES)
def test_rpca_of_matrices(case: str, matrix: Any, program: Any, tmp_path: pathlib.Path) -> None:
    keywords, words = MATRICES[case]
    compare_rpca(matrix, keywords, words, program, tmp_path)


def compare_rpca(data: Any, keywords: Any, words: str, program: Any, tmp: pathlib.Path) -> None:
    np.save(tmp / "data.npy", data)
    program("rpca", tmp / "data.npy", *shlex.split(words), "--out", tmp / "out", "--quiet")
    found = crease.rpca(data, progress=None, **keywords)
    assert contents(found.files) == on_disk(tmp / "out")
    check_folders(found, tmp / "out", program)
    of_a_file = crease.rpca(tmp / "data.npy", progress=None, **keywords)
    assert contents(of_a_file.files) == contents(found.files)


def test_rpca_with_missing_entries(tensor: Any, program: Any, tmp_path: pathlib.Path) -> None:
    holes = np.array(tensor)
    holes[np.random.default_rng(2).random(holes.shape) < 0.1] = np.nan
    np.save(tmp_path / "data.npy", holes)
    np.save(tmp_path / "mask.npy", (~np.isnan(holes)).astype(np.uint8))
    words = ("--rank", 2, "--out", tmp_path / "out", "--quiet")
    program("rpca", tmp_path / "data.npy", "--missing", "nan", *words)
    found = crease.rpca(holes, 2, missing="nan", progress=None)
    assert contents(found.files) == on_disk(tmp_path / "out")
    check_folders(found, tmp_path / "out", program)
    hidden: Any = np.ma
    masked = crease.rpca(hidden.masked_invalid(holes), 2, progress=None)
    assert masked.lowrank.tobytes() == found.lowrank.tobytes()
    assert masked.sparse.tobytes() == found.sparse.tobytes()


def test_apply(tensor: Any, program: Any, tmp_path: pathlib.Path) -> None:
    np.save(tmp_path / "old.npy", tensor[:9])
    np.save(tmp_path / "new.npy", tensor[9:])
    program("rpca", tmp_path / "old.npy", "--rank", 2, "--out", tmp_path / "model", "--quiet")
    words = ("apply", tmp_path / "model", tmp_path / "new.npy", "--out", tmp_path / "out")
    program(*words, "--quiet")
    fitted = crease.rpca(tensor[:9], 2, progress=None)
    of_program = crease.apply(crease.load(tmp_path / "model"), tensor[9:], progress=None)
    of_folder = crease.apply(tmp_path / "model", tensor[9:], progress=None)
    of_python = crease.apply(fitted, tensor[9:], progress=None)
    theirs = on_disk(tmp_path / "out")
    for found in (of_program, of_folder, of_python):
        ours = contents(found.files)
        assert {n: f for n, f in ours.items() if not n.endswith(".json")} == {
            n: f for n, f in theirs.items() if not n.endswith(".json")
        }
        assert found.verdict == "VALID"
    check_folders(of_python, tmp_path / "out", program)


@pytest.mark.parametrize("words", ["", "--components 2 --alpha noise", "--penalty mcp"])
def test_spca(words: str, tensor: Any, program: Any, tmp_path: pathlib.Path) -> None:
    given = shlex.split(words)
    keywords: Dict[str, Any] = dict(zip([w[2:] for w in given[::2]], given[1::2]))
    np.save(tmp_path / "data.npy", tensor)
    program("spca", tmp_path / "data.npy", *given, "--out", tmp_path / "out", "--quiet")
    found = crease.spca(tensor, progress=None, **keywords)
    assert contents(found.files) == on_disk(tmp_path / "out")
    check_folders(found, tmp_path / "out", program)


def table() -> Tuple[Any, Any]:
    """40 rows of 12 columns, of which three matter."""
    random = np.random.default_rng(3)
    X = random.normal(size=(40, 12))
    return X, X[:, :3] @ [2.0, -1.0, 0.5] + 0.1 * random.normal(size=40)


@pytest.mark.parametrize("case", REGRESS)
def test_regress(case: str, program: Any, tmp_path: pathlib.Path) -> None:
    keywords, words = REGRESS[case]
    compare_regress(*table(), keywords, words, program, tmp_path)


def test_logistic_regression(program: Any, tmp_path: pathlib.Path) -> None:
    X, y = table()
    words = "--loss logistic --lambda 0.1,0.05"
    keywords = dict(loss="logistic", lambda_=[0.1, 0.05])
    compare_regress(X, (y > 0).astype(float), keywords, words, program, tmp_path)


def compare_regress(
    X: Any, y: Any, keywords: Any, words: str, program: Any, tmp: pathlib.Path
) -> None:
    np.save(tmp / "X.npy", X)
    np.save(tmp / "y.npy", y)
    given = ("regress", tmp / "X.npy", tmp / "y.npy", *shlex.split(words))
    program(*given, "--out", tmp / "out", "--quiet")
    found = crease.regress(X, y, progress=None, **keywords)
    assert contents(found.files) == on_disk(tmp / "out")
    check_folders(found, tmp / "out", program)


@pytest.mark.parametrize("kind", ["cp", "eem"])
def test_generate(kind: Any, program: Any, tmp_path: pathlib.Path) -> None:
    words = ("--shape", "6,5,4", "--rank", 2, "--seed", 5, "--out", tmp_path / "out", "--quiet")
    program("generate", kind, *words)
    made = crease.generate(kind, shape=(6, 5, 4), rank=2, seed=5, progress=None)
    assert contents(made.files) == on_disk(tmp_path / "out")


@pytest.mark.parametrize("text", ["scad:1,3.7", "mcp:1,3", "l0:0.5", "l1:1", "lsp:1,0.5"])
def test_prox(text: str, program: Any, tmp_path: pathlib.Path) -> None:
    v = np.random.default_rng(4).normal(size=50) * 3
    np.save(tmp_path / "v.npy", v)
    printed = program("prox", text, "--step", 0.7, "--input", tmp_path / "v.npy").stdout
    assert [float(line) for line in printed.split()] == crease.prox(text, v, 0.7).tolist()


@pytest.mark.parametrize("text", ["l1-ball:2", "simplex:1", "l2-ball:1", "box:-1,1"])
def test_project(text: str, program: Any, tmp_path: pathlib.Path) -> None:
    v = np.random.default_rng(5).normal(size=50) * 3
    np.save(tmp_path / "v.npy", v)
    printed = program("project", text, "--input", tmp_path / "v.npy").stdout
    assert [float(line) for line in printed.split()] == crease.project(text, v).tolist()


def test_check(examples: pathlib.Path, program: Any) -> None:
    for path in (examples / "lasso.json", examples / "sharing_mcp.json"):
        printed = json.loads(program("check", path, "--json").stdout)
        assert of_any_run(printed) == of_any_run(dict(crease.check(path).document))


def test_a_file_is_read_as_the_program_reads_it(program: Any, tmp_path: pathlib.Path) -> None:
    random = np.random.default_rng(6)
    values = random.normal(size=(7, 3))
    np.savetxt(tmp_path / "table.csv", values, delimiter=",", fmt="%.17g", header="a,b,c", comments="")
    program("convert", tmp_path / "table.csv", tmp_path / "table.npy")
    found = crease.read(tmp_path / "table.csv")
    assert found.array.tobytes() == np.load(tmp_path / "table.npy").tobytes() == values.tobytes()
    for name in ("again.csv", "again.npy", "again.npz", "again.mtx"):
        crease.write(tmp_path / name, values)
        assert np.asarray(crease.read(tmp_path / name)).tobytes() == values.tobytes()
