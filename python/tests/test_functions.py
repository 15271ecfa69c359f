# SPDX-License-Identifier: MIT
"""Functions take what the program's tables say, and spell its sentences as Python does."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import json
import pathlib
import re
import subprocess
import sys
from typing import Any, Dict, List, Tuple

import numpy as np
import numpy.typing as npt
import pytest

import crease
from crease import _call, _options, verbs
from crease._words import python_name
from crease.verbs import python_words

ROOT = pathlib.Path(__file__).resolve().parents[1]
FUNCTIONS = {"rpca", "spca", "regress", "apply", "solve", "check", "verify", "generate"}
ma: Any = np.ma
BESIDES = {"progress", "keep_data", "threads", "files", "functions"}
POSITIONAL = {"data", "X", "y", "result", "problem", "kind"}


def generator() -> Any:
    spec = importlib.util.spec_from_file_location("tables", ROOT / "native" / "tables.py")
    if spec is None or spec.loader is None or not (ROOT / "native" / "tables.py").exists():
        pytest.skip("the generator is not installed")
    module = importlib.util.module_from_spec(spec)
    sys.modules["tables"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def tables() -> Dict[str, Any]:
    return dict(json.loads(_call.run(["help", "--json"]).output))


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_keywords_are_the_options_of_the_verb(name: str, tables: Dict[str, Any]) -> None:
    left_out = generator().LEFT_OUT
    (verb,) = (v for v in tables["verbs"] if v["name"] == name)
    options = {python_name(o["name"]) for o in verb["options"] if o["name"] not in left_out}
    function = getattr(crease, name)
    signature = inspect.signature(function).parameters
    keywords = {k for k, p in signature.items() if p.default is not p.empty}
    assert keywords - BESIDES == options - BESIDES
    assert set(signature) - keywords <= POSITIONAL
    for k in keywords:
        assert signature[k].default in (None, False, "auto"), k
        assert f"\n{k} : " in (inspect.getdoc(function) or ""), k
    assert function.__module__ == "crease"


def test_docstrings_speak_of_python() -> None:
    for name in FUNCTIONS | {"read", "write"}:
        text = getattr(crease, name).__doc__ or ""
        assert not re.search(r"--[a-z]|DIR|crease (help|list)", text), name
        assert "Parameters\n" in text and ">>> " in text


def test_ranges_and_defaults_are_told() -> None:
    text = inspect.getdoc(crease.rpca) or ""
    assert "Stationarity tolerance (default 1e-06). At least 0." in text
    assert "Threads to use (default: all that help). From 1 to 256." in text
    assert 'Of model="cp", model="matrix" with ridge.' in text
    assert "relative : bool, optional\n    Eps is relative to a scale" in text


def test_what_is_generated_is_up_to_date(tables: Dict[str, Any]) -> None:
    module = generator()
    done = subprocess.run(
        [sys.executable, module.__file__], input=json.dumps(tables), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert pathlib.Path(_options.__file__).read_text() == done.stdout


@pytest.mark.parametrize(
    "program, python",
    [
        ("let nan mark gaps (--missing nan)", 'let nan mark gaps (missing="nan")'),
        ("(--method admm-m has one)", '(method="admm-m" has one)'),
        ("--rank 3.5: give one whole number", "rank=3.5: give one whole number"),
        ("--shape 2,3 has 6 entries", "shape=(2, 3) has 6 entries"),
        ("--missing foo: write --missing nan", 'missing="foo": write missing="nan"'),
        ("or mark entries by --mask FILE", "or mark entries by mask"),
        ("--penalty scad does not fit", 'penalty="scad" does not fit'),
        ("--columns says nothing of it", "columns says nothing of it"),
        ("--columns and --drop both choose columns", "columns and drop both choose columns"),
        ("--seed deals rows to the folds of --cv", "seed deals rows to the folds of cv"),
        ("this run has none; add --cv K", "this run has none; add cv=K"),
        ("raise --max-iterations or eps", "raise max_iterations or eps"),
        ("give --lambda or --path 100,0.001", "give lambda_ or path=(100, 0.001)"),
        ("try --nonneg or another --rank.", "try nonneg=True or another rank."),
        ("as --path 100,0.2, or use l1", "as path=(100, 0.2), or use l1"),
        ("'crease help rpca --all' shows its options", "help(crease.rpca) shows its options"),
        ("unknown; 'crease list sets' shows them", "unknown; crease.catalogue() shows them"),
        ("memory:X.npy has 7 rows but memory:y.npy has 3", "X has 7 rows but y has 3"),
        ("--relative 0 and --alpha auto:0.2", 'relative=0 and alpha="auto:0.2"'),
        ("a -- b --unknown c", "a -- b --unknown c"),
        ("--axes: 'x' of axis 1", "axes: 'x' of axis 1"),
        ("entry 100 (at 2,3,4) of the tensor is nan", "data[1, 2, 3] is nan"),
        ("row 5, column 3 of X is inf", "X[4, 2] is inf"),
        ("entry 5 of y is nan", "y[4] is nan"),
        ("sparse PCA: entry 15 of the tensor is inf", "sparse PCA: data.flat[14] is inf"),
    ],
)  # fmt: skip
def test_sentences_are_spelled_as_python(program: str, python: str) -> None:
    assert python_words(program) == python


def test_errors_name_the_argument() -> None:
    data = np.ones((4, 3))
    loose: Any = crease  # whose types do not matter here
    call: Any
    for call, words in (
        (lambda: loose.rpca(data, 1, alpha=-1.0), "alpha=-1"),
        (lambda: loose.rpca(data, 1, model="cpp"), 'model="cpp"'),
        (lambda: loose.rpca(data, 1, eps=[1, 2]), "eps has 2 numbers"),
        (lambda: loose.rpca(data, 1, eps=True), "eps is True"),
        (lambda: loose.rpca(data, 1, max_iterations=1.5), "max_iterations is 1.5"),
        (lambda: loose.rpca(data, 1, nonneg="yes"), "nonneg is 'yes'"),
        (lambda: loose.rpca(data, 1, relative=3), "relative is 3"),
        (lambda: loose.rpca(data, 1, merge={0, 1}), "merge is of type set"),
        (lambda: loose.rpca(data, range(2, 5)), "rank=range"),
        (lambda: loose.rpca(data, range(1, 9, 2)), "rank=range"),
        (lambda: loose.spca(data, components=0), "components"),
        (lambda: loose.spca(data, threads=0), "threads is 0"),
        (lambda: loose.regress(data, np.ones(3)), "X has 4 rows but y has 3"),
        (lambda: loose.rpca(data, 1, penalty=3), "penalty is of type int"),
        (lambda: loose.solve(3), "problem is of type int"),
        (lambda: loose.generate("cp", shape=(3, 3)), "rank"),
    ):
        with pytest.raises(ValueError) as raised:
            call()
        assert isinstance(raised.value, crease.Error) and words in str(raised.value)
    with pytest.raises(TypeError):
        loose.rpca(data, 1, nonegative=True)


def test_gaps_are_never_dropped_silently(tensor: Any) -> None:
    for hole in (np.nan, np.inf):
        data = np.array(tensor)
        data[1, 2, 3] = hole
        with pytest.raises(crease.DataError, match=r"^data\[1, 2, 3\] is (nan|inf)"):
            crease.rpca(data, 2)
    data[1, 2, 3] = np.nan
    seen = np.isfinite(data)
    by_mask = crease.rpca(data, 2, mask=seen)
    by_nan = crease.rpca(data, 2, missing="nan")
    by_numpy = crease.rpca(ma.masked_invalid(data), 2)
    both = crease.rpca(ma.masked_array(data, mask=~seen), 2, mask=np.ones(seen.shape, bool))
    for other in (by_nan, by_numpy, both):
        assert np.array_equal(by_mask.lowrank, other.lowrank)
    with pytest.raises(crease.UnsupportedError, match="X has masked entries"):
        crease.regress(ma.masked_invalid(data[1]), np.ones(10))
    with pytest.raises(crease.ArgumentError, match="mask is a file and data are masked"):
        crease.rpca(ma.masked_invalid(data), 2, mask="mask.npy")


def calls(tensor: Any) -> List[Tuple[Any, Dict[str, Any]]]:
    X, y = np.array(tensor[0]), np.array(tensor[0, :, 0])
    model = crease.rpca(np.array(tensor), 2)
    problem = {
        "crease": 1,
        "blocks": [{"name": "x", "shape": 8, "regularizer": "l1:0.1"}],
        "smooth": [{"least_squares": {"terms": {"x": X}, "rhs": y}}],
    }
    return [
        (crease.rpca, {"data": np.array(tensor), "rank": 2}),
        (crease.rpca, {"data": np.array(tensor), "rank": 2, "center": "all", "mask": tensor > -9}),
        (crease.rpca, {"data": np.array(X), "model": "pcp"}),
        (crease.rpca, {"data": np.array(tensor), "rank": (2, 2, 2), "model": "tucker"}),
        (crease.spca, {"data": np.array(tensor)}),
        (crease.regress, {"X": X, "y": y, "weights": np.ones(8), "path": 5}),
        (crease.apply, {"result": model, "data": np.array(tensor)}),
        (crease.solve, {"problem": problem}),
    ]


def flatten(value: Any) -> List[npt.NDArray[Any]]:
    if isinstance(value, np.ndarray):
        return [value]
    if isinstance(value, crease.Answer):
        return flatten(dict(value.files))
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [a for v in inside for a in flatten(v)]


def test_inputs_are_never_written_to(tensor: Any) -> None:
    for function, given in calls(tensor):
        arrays = flatten(given)
        before = [a.copy() for a in arrays]
        first = function(**given).objective
        assert all(np.array_equal(a, b, equal_nan=True) for a, b in zip(arrays, before))
        for a in arrays:
            a.flags.writeable = False
        assert np.array_equal(first, function(**given).objective, equal_nan=True)


def test_what_a_result_gives_is_its_own(tensor: Any) -> None:
    data = np.array(tensor)
    r = crease.rpca(data, 2)
    parts = r.lowrank.copy()
    data[...] = 0
    assert np.array_equal(r.lowrank, parts) and not np.shares_memory(r.lowrank, data)
    with pytest.raises(ValueError):
        r.lowrank[0] = 1


def test_layouts_give_the_same_bits(tensor: Any) -> None:
    want = crease.rpca(tensor, 2).lowrank
    big = tensor.astype(">f8")
    for same in (np.asfortranarray(tensor), tensor[::-1][::-1], tensor.tolist(), big):
        assert np.array_equal(crease.rpca(same, 2).lowrank, want)


def test_rank_is_an_int_a_tuple_a_range_or_a_word(tensor: Any) -> None:
    assert crease.rpca(tensor, int(np.int64(2))).rank == 2
    assert crease.rpca(tensor, "2").rank == 2
    assert crease.rpca(tensor, (2, 1, 2), model="tucker").rank == (2, 1, 2)
    chosen = crease.rpca(tensor, range(1, 4))
    assert chosen == crease.rpca(tensor, "auto:3") or chosen.rank == 2
    table = crease.rank_table(tensor, range(1, 4))
    assert set(table["rank"]) <= {1, 2, 3, 4, 5} and table.chosen == 2
    assert np.array_equal(table["held_out"], chosen.rank_table["held_out"])


def test_options_that_are_arrays(matrix: Any) -> None:
    X, y = matrix, matrix[:, 0] + matrix[:, 3]
    heavy = np.ones(12)
    heavy[3] = 1e6
    assert 3 not in crease.regress(X, y, weights=heavy, path=5).selected()
    groups = np.repeat([0, 1, 2], 4)
    found = crease.regress(X, y, penalty="group-l1", groups=groups, path=(5, 0.1)).coefficients
    assert all(len(set((row[:4] != 0))) == 1 for row in found)
    assert np.array_equal(crease.regress(X, y, lambda_=[0.3, 0.1]).lambdas, [0.3, 0.1])
    assert np.array_equal(crease.regress(X, y, lambda_=0.3).lambdas, [0.3])
    twice = crease.regress(np.vstack([X, X]), np.concatenate([y, y]), lambda_=[0.3]).coefficients
    light = crease.regress(X, y, row_weights=np.full(30, 2.0), lambda_=[0.3]).coefficients
    assert np.allclose(light, twice, atol=1e-6)


def test_penalties_are_entries_of_the_catalogue(matrix: Any) -> None:
    y = matrix[:, 0] + matrix[:, 3]
    by_text = crease.spca(matrix, penalty="mcp:1,3", alpha=0.1)
    by_entry = crease.spca(matrix, penalty=crease.Regularizer("mcp:1,3"), alpha=0.1)
    assert np.array_equal(by_text.weights, by_entry.weights)
    own = crease.Regularizer("group-l1:1", groups=[6, 6])
    with pytest.raises(crease.ArgumentError, match="penalty has arrays of its own"):
        crease.regress(matrix, y, penalty=own)


def test_results_and_instances_are_arguments(tmp_path: pathlib.Path) -> None:
    made = crease.generate("cp", shape=(10, 9, 8), rank=2, seed=3)
    made.to_folder(tmp_path / "made")
    r = crease.rpca(made.data, 2, truth=made)
    other = crease.rpca(made.data, 2, truth=tmp_path / "made")
    assert r.details["errors"] == other.details["errors"]
    again = crease.rpca(made.data, 2, init=r)
    assert again.verdict == "VALID" and again.objective <= r.objective * (1 + 1e-6)


def test_paths_are_read_by_the_library(tmp_path: pathlib.Path, tensor: Any) -> None:
    np.save(tmp_path / "data.npy", tensor)
    r = crease.rpca(tmp_path / "data.npy", 2)
    assert np.array_equal(r.lowrank, crease.rpca(tensor, 2).lowrank)
    assert r.document["data"][0]["absolute_path"] == str(tmp_path / "data.npy")
    with pytest.raises(FileNotFoundError, match="nothing.npy"):
        crease.rpca(str(tmp_path / "nothing.npy"), 2)
    (tmp_path / "t.csv").write_text("a,b,c\n1,2,3\n4,5,6\n7,8,10\n")
    assert crease.spca(tmp_path / "t.csv", columns=["a", "c"]).factors[1].shape == (2, 1)
    assert crease.spca(tmp_path / "t.csv", drop=2).factors[1].shape == (2, 1)


def test_problems_are_dicts_texts_and_files(tmp_path: pathlib.Path, examples: pathlib.Path) -> None:
    A, b = np.array([[2.0, 0], [0, 1], [1, 1]]), np.array([1.0, 2, 3])
    problem = {
        "crease": 1,
        "blocks": [{"name": "x", "shape": 2, "regularizer": f"l1:{np.float64(0.5)}"}],
        "smooth": [{"least_squares": {"terms": {"x": A}, "rhs": b}}],
        "options": {"eps": np.float64(1e-9)},
    }
    by_dict = crease.solve(problem)
    plain = json.dumps(problem, default=lambda v: v.tolist())
    (tmp_path / "p.json").write_text(plain)
    for same in (crease.solve(plain), crease.solve(tmp_path / "p.json")):
        assert np.array_equal(same["x"], by_dict["x"])
    named = dict(problem)
    named["smooth"] = [{"least_squares": {"terms": {"x": "A.npy"}, "rhs": "b.npy"}}]
    given = crease.solve(named, files={"A.npy": A, "b.npy": b})
    assert np.array_equal(given["x"], by_dict["x"])
    told = crease.check(named, files={"A.npy": A, "b.npy": b})
    assert told.method == by_dict.method and told.theorem == by_dict.theorem
    assert told.theorem is not None and told.theorem in repr(told) and told.assumptions
    with pytest.raises(crease.ArgumentError, match="problem has <object"):
        crease.solve({**problem, "description": object()})
    file = crease.check(examples / "lasso.json")
    assert file.bound > 0 and file.memory > 0 and file.then


def test_nothing_selected_is_said() -> None:
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.warns(UserWarning, match="nothing selected.*lambda_max is .*lambda_"):
        r = crease.regress(X, X[:, 0], lambda_=[1e3])
    assert "nothing is selected" in repr(r) and r.selected().size == 0
    with pytest.warns(UserWarning, match="nothing found"):
        crease.spca(X, alpha=1e6)


def test_doctests() -> None:
    for name in ("_options", "arrays", "verbs", "result", "_folder", "io"):
        module = importlib.import_module(f"crease.{name}")
        failed, _ = doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE)
        assert failed == 0, name


def test_import_is_light() -> None:
    code = (
        "import sys, crease; crease.rpca; "
        "print([m for m in ('scipy', 'sklearn', 'matplotlib', 'pandas', 'xarray', 'IPython') "
        "if m in sys.modules])"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "[]"


def test_every_name_is_there() -> None:
    for name in crease.__all__:
        assert getattr(crease, name) is not None
        assert name in dir(crease)
    assert crease.__version__ == json.loads(_call.run(["help", "--json"]).output)["crease"]
    with pytest.raises(AttributeError, match="no attribute 'rcpa'"):
        crease.rcpa


def test_a_size_with_none_keeps_the_shape(monkeypatch: pytest.MonkeyPatch) -> None:
    told = json.dumps({"array": {"shape": [480, 640, 1]}})
    monkeypatch.setattr(_call, "run", lambda argv: _call.Done(0, told))
    for size, want in (((None, 120), "160x120"), ((320, None), "320x240"), ((10, None), "10x8")):
        command = verbs.Command("convert", "clip.mp4")
        command.options({"size": size, "read_as": None, "colour": False})
        assert command.words == ["--size", want]
    with pytest.raises(crease.ArgumentError, match="size is"):
        verbs.Command("convert").options({"size": (None, None)})
    command = verbs.Command("convert")
    command.options({"size": (8, 6), "frames": slice(None, 600, 2)})
    assert command.words == ["--size", "8x6", "--frames", ":600:2"]
