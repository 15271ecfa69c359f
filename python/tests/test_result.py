# SPDX-License-Identifier: MIT
"""Results are what the program writes: frozen, complete, the same after a disk and a pickle."""

from __future__ import annotations

import copy
import html.parser
import json
import pathlib
import pickle
import re
from typing import Any, Callable, Dict, List

import numpy as np
import pytest

import crease

ma: Any = np.ma
MAKERS: Dict[str, Callable[..., Any]] = {}


def maker(f: Callable[..., Any]) -> Callable[..., Any]:
    MAKERS[f.__name__] = f
    return f


@maker
def cp(tensor: Any, **o: Any) -> Any:
    return crease.rpca(tensor, 2, **o)


@maker
def masked(tensor: Any, **o: Any) -> Any:
    seen = np.random.default_rng(0).random(tensor.shape) < 0.9
    return crease.rpca(ma.masked_array(tensor, mask=~seen), 2, **o)


@maker
def tucker(tensor: Any, **o: Any) -> Any:
    return crease.rpca(tensor, (2, 2, 2), model="tucker", center=0, **o)


@maker
def merged(tensor: Any, **o: Any) -> Any:
    seen = np.random.default_rng(0).random(tensor.shape) < 0.9
    return crease.rpca(tensor, 2, model="matrix", merge=(1, 2), mask=seen, **o)


@maker
def pcp(tensor: Any, **o: Any) -> Any:
    return crease.rpca(tensor[0], model="pcp", **o)


@maker
def spca(tensor: Any, **o: Any) -> Any:
    return crease.spca(tensor, 2, **o)


@maker
def regress(tensor: Any, **o: Any) -> Any:
    X = tensor.reshape(12, -1)[:, :6]
    return crease.regress(X, X[:, 0] - X[:, 2] ** 2, path=20, cv=3, **o)


@maker
def scores(tensor: Any, **o: Any) -> Any:
    return crease.apply(crease.rpca(tensor, 2), tensor[:5], **o)


@maker
def solve(tensor: Any, **o: Any) -> Any:
    problem = {
        "crease": 1,
        "blocks": [
            {"name": "x", "shape": 8, "regularizer": "scad:0.5,3.7"},
            {"name": "y", "shape": 10},
        ],
        "smooth": [{"squared_distance": {"a": "y", "d": tensor[0, :, 0]}}],
        "constraint": {"maps": {"x": tensor[0], "y": -np.eye(10)}, "rhs": np.zeros(10)},
    }
    return crease.solve(problem, **o)


@pytest.fixture(params=sorted(MAKERS), scope="module")
def made(request: Any, tensor: Any) -> Any:
    return request.param, MAKERS[request.param](tensor)


@pytest.mark.parametrize("ending", ["", ".h5"])
def test_a_result_is_verified_and_read_back(
    made: Any, ending: str, program: Any, tmp_path: pathlib.Path
) -> None:
    _, r = made
    folder = tmp_path / f"result{ending}"
    assert crease.verify(r).valid
    r.to_folder(folder)
    assert program("verify", folder).stdout.startswith("VALID")
    back = crease.load(folder)
    assert type(back) is type(r) and back == r and hash(back) == hash(r)
    assert crease.verify(folder).valid and crease.verify(back).valid
    for name in r.files:
        if name.endswith(".npy"):
            assert np.array_equal(back.files[name], r.files[name], equal_nan=True)
    back.to_folder(tmp_path / f"again{ending}")
    assert program("verify", tmp_path / f"again{ending}").stdout.startswith("VALID")
    with pytest.raises(OSError, match="exists already"):
        r.to_folder(folder)
    r.to_folder(folder, force=True)
    assert crease.load(folder) == r


def test_a_changed_folder_is_not_valid(tensor: Any, tmp_path: pathlib.Path) -> None:
    cp(tensor).to_folder(tmp_path / "r")
    for name in ("lowrank.npy", "data.npy"):
        path = tmp_path / "r" / name
        before = path.read_bytes()
        path.write_bytes(before[:-1] + bytes([before[-1] ^ 1]))
        verdict = crease.verify(tmp_path / "r")
        assert not verdict and verdict.changed and name in repr(verdict)
        path.write_bytes(before)
    assert crease.verify(tmp_path / "r")


def test_a_changed_file_is_not_valid(tensor: Any, tmp_path: pathlib.Path) -> None:
    h5py = pytest.importorskip("h5py")
    cp(tensor).to_folder(tmp_path / "r.h5")
    with h5py.File(tmp_path / "r.h5", "r+") as f:
        f["lowrank"][0] += 1
    verdict = crease.verify(tmp_path / "r.h5")
    assert not verdict and verdict.changed and "lowrank.npy" in repr(verdict)
    with h5py.File(tmp_path / "r.h5", "r+") as f:
        del f["result.json"]
    with pytest.raises(OSError, match="has no result.json"):
        crease.load(tmp_path / "r.h5")
    (tmp_path / "r.h5").write_bytes((tmp_path / "r.h5").read_bytes()[:3000])
    with pytest.raises(crease.Error, match="damaged"):
        crease.load(tmp_path / "r.h5")
    np.save(tmp_path / "x.npy", tensor)
    with pytest.raises(OSError, match="result.json"):
        crease.load(tmp_path / "x.npy")


def test_folders_of_the_program_are_read(
    tensor: Any, program: Any, tmp_path: pathlib.Path
) -> None:
    np.save(tmp_path / "data.npy", tensor)
    program("rpca", tmp_path / "data.npy", "--rank", 2, "--out", tmp_path / "r")
    r = crease.load(tmp_path / "r")
    assert np.array_equal(r.lowrank, cp(tensor).lowrank) and r.certificate.valid
    r.to_folder(tmp_path / "copy")
    assert crease.verify(tmp_path / "copy").valid
    assert "2 components" in repr(r) and "Certified" in repr(r)
    program("generate", "cp", "--shape", "5,4", "--rank", 1, "--out", tmp_path / "g")
    assert isinstance(crease.load(tmp_path / "g"), crease.Instance)


def test_what_is_no_result_folder_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="no result.json"):
        crease.load(tmp_path)
    (tmp_path / "result.json").write_text("[1]")
    with pytest.raises(crease.DataError, match="not of a result"):
        crease.load(tmp_path)
    (tmp_path / "x.npy").write_bytes(b"no array")
    with pytest.raises(crease.DataError, match="x.npy cannot be read"):
        crease.load(tmp_path)


def test_pickles_have_no_data_unless_asked(made: Any, tensor: Any, tmp_path: pathlib.Path) -> None:
    name, r = made
    for other in (pickle.loads(pickle.dumps(r)), copy.deepcopy(r)):
        assert other == r and repr(other) == repr(r)
        with pytest.raises(crease.DataError, match="does not keep its .*data=..."):
            other.to_folder(tmp_path / "r")
    kept = MAKERS[name](tensor, keep_data=True)
    again = pickle.loads(pickle.dumps(kept))
    again.to_folder(tmp_path / "r")
    assert crease.verify(tmp_path / "r").valid


def test_data_that_changed_are_refused(tensor: Any, tmp_path: pathlib.Path) -> None:
    data = np.array(tensor)
    r = crease.rpca(data, 2)
    assert r.data is not None and np.shares_memory(r.data, data)
    kept = crease.rpca(data, 2, keep_data=True)
    data[0, 0, 0] += 1
    with pytest.raises(crease.DataError, match="data changed since"):
        r.to_folder(tmp_path / "r")
    with pytest.raises(crease.DataError, match="data changed since"):
        crease.verify(r)
    with pytest.raises(crease.DataError, match="data changed since"):
        r.to_folder(tmp_path / "r", data=data)
    r.to_folder(tmp_path / "r", data=tensor)
    kept.to_folder(tmp_path / "kept")
    assert crease.verify(tmp_path / "r").valid and crease.verify(tmp_path / "kept").valid


def test_several_data_are_given_again_by_name(tensor: Any, tmp_path: pathlib.Path) -> None:
    X, y = np.array(tensor[0]), np.array(tensor[0, :, 0])
    r = pickle.loads(pickle.dumps(crease.regress(X, y, path=4)))
    with pytest.raises(crease.ArgumentError, match="give a dict of X and y"):
        r.to_folder(tmp_path / "r", data=X)
    with pytest.raises(crease.ArgumentError, match="data has 'Z'"):
        r.to_folder(tmp_path / "r", data={"Z": X})
    r.to_folder(tmp_path / "r", data={"X": X, "y": y})
    m = pickle.loads(pickle.dumps(masked(tensor)))
    seen = np.random.default_rng(0).random(tensor.shape) < 0.9
    m.to_folder(tmp_path / "m", data=ma.masked_array(tensor, mask=~seen))
    m.to_folder(tmp_path / "n", data={"data": tensor, "mask": seen})
    model = crease.rpca(tensor, 2)
    s = pickle.loads(pickle.dumps(crease.apply(model, tensor)))
    with pytest.raises(crease.DataError, match="does not keep its model"):
        s.to_folder(tmp_path / "s", data=tensor)
    for name in ("r", "m", "n"):
        assert crease.verify(tmp_path / name).valid


def test_results_are_frozen(made: Any) -> None:
    _, r = made
    with pytest.raises(AttributeError, match="frozen"):
        r.outcome = "better"
    with pytest.raises(AttributeError, match="frozen"):
        del r.files
    with pytest.raises(TypeError):
        r.files["x"] = 1
    for array in r.files.values():
        assert isinstance(array, str) or not array.flags.writeable


def test_what_every_result_has(made: Any) -> None:
    _, r = made
    assert r.verdict == "VALID" and r.outcome == "stationary" and r.method
    assert r.seconds > 0 and r.settings and r.document["schema_version"] >= 5
    certificate = r.certificate
    assert certificate and certificate.valid and certificate.worst <= certificate.eps
    assert repr(certificate).startswith("VALID: ")
    for block in certificate.blocks:
        assert block.name in repr(certificate) or len(certificate.blocks) > 12
        assert (block.relative if certificate.relative else block.residual) <= certificate.eps
    text = repr(r)
    assert "certified" in text and "memory:" not in text and ".npy" not in text
    assert not re.search(r"(^|\s)--[a-z]", text)
    if "history.csv" in r.files:
        rows = r.files["history.csv"].count("\n") - 1
        assert all(column.shape == (rows,) for column in r.history.values())
        assert set(r.history["phase"]) <= {"center", "start", "rank", "fit", "certify"}


class Tags(html.parser.HTMLParser):
    """What a page names, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: List[str] = []
        self.names: List[str] = []
        self.links: List[Any] = []

    def handle_starttag(self, tag: str, attributes: Any) -> None:
        self.names.append(tag)
        self.links += [v for k, v in attributes if k in ("src", "href", "xlink:href")]
        self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: Any) -> None:
        self.names.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_notebooks_show_the_head_of_the_report(made: Any, tmp_path: pathlib.Path) -> None:
    name, r = made
    tags = Tags()
    page = r._repr_html_()
    tags.feed(page)
    assert not tags.open and not tags.links and "url(" not in page and "http" not in page
    assert "Certified." in page and "script" not in tags.names
    assert (name == "solve") or page.count('<svg class="chart') == 1
    r.report(tmp_path / "page.html")
    whole = (tmp_path / "page.html").read_text()
    assert re.findall(r'<p class="lede">.*?</p>', whole)[0] in page
    (tmp_path / "text").write_text("mine")
    with pytest.raises(OSError, match="force=True"):
        r.report(tmp_path / "text")


def test_parts_add_up_and_outliers_are_those_that_are_told(tensor: Any) -> None:
    for name in ("cp", "masked", "tucker", "merged", "pcp"):
        r = MAKERS[name](tensor)
        data = np.array(tensor[0] if name == "pcp" else tensor)
        seen = np.ones(data.shape, bool)
        if name in ("masked", "merged"):
            seen = np.random.default_rng(0).random(data.shape) < 0.9
        whole = r.lowrank + r.sparse + r.residual
        assert np.allclose(whole[seen], data[seen], atol=1e-12)
        assert not r.residual[~seen].any() and not r.outliers[~seen].any()
        parts = r.details["parts"]
        assert r.outliers.dtype == bool
        told = parts["nonzeros"] if parts["clear"] is None else parts["clear"]
        assert r.outliers.sum() == told
    assert MAKERS["cp"](tensor).explained > 0.99


@pytest.mark.parametrize("options", [{}, {"center": 1}, {"missing": "nan"}, {"merge": (1, 2)}])
def test_parts_that_were_not_written_are_made(
    tensor: Any, options: Any, tmp_path: pathlib.Path
) -> None:
    if "missing" in options:
        tensor = np.where(np.random.default_rng(0).random(tensor.shape) < 0.9, tensor, np.nan)
    whole = crease.rpca(tensor, 2, **options)
    few = crease.rpca(tensor, 2, write="factors", **options)
    assert "lowrank.npy" in whole.files and "lowrank.npy" not in few.files
    for part in ("lowrank", "sparse", "residual"):
        np.testing.assert_allclose(getattr(few, part), getattr(whole, part), rtol=0, atol=1e-10)
        assert not getattr(few, part).flags.writeable
    assert "derived: Z, B" in few.document["verdict_text"]
    few.to_folder(tmp_path / "few")
    assert crease.verify(tmp_path / "few").valid
    read = crease.load(tmp_path / "few")
    np.testing.assert_allclose(read.lowrank, whole.lowrank, rtol=0, atol=1e-10)
    few.report(tmp_path / "page.html")
    with pytest.raises(AttributeError, match='write="all"'):
        pickle.loads(pickle.dumps(few)).residual


def test_large_results_have_the_entries_that_are_not_zero() -> None:
    rng = np.random.default_rng(0)
    factors = [rng.normal(size=(n, 1)) for n in (170, 160, 160)]
    data = np.einsum("ar,br,cr->abc", *factors) + 0.01 * rng.normal(size=(170, 160, 160))
    data[3, 4, 5] = 50
    r = crease.rpca(data, 1, max_iterations=3)
    assert "sparse_entries.npy" in r.files and "sparse.npy" not in r.files
    assert r.sparse.shape == data.shape and r.sparse[3, 4, 5] > 40
    np.testing.assert_allclose(r.lowrank + r.sparse + r.residual, data, atol=1e-9)


def test_models_of_robust_pca(tensor: Any) -> None:
    r = cp(tensor)
    again = np.einsum("r,ir,jr,kr->ijk", r.weights, *r.factors)
    assert np.allclose(again, r.lowrank) and r.rank == 2
    assert all(np.allclose(np.linalg.norm(f, axis=0), 1) for f in r.factors)
    assert len(r.rank_table) == 0 and "was given" in repr(r.rank_table)
    with pytest.raises(AttributeError, match="has no core.npy"):
        r.core
    t = crease.rpca(tensor, (2, 2, 2), model="tucker")
    again = np.einsum("abc,ia,jb,kc->ijk", t.core, *t.factors)
    assert np.allclose(again, t.lowrank) and t.rank == (2, 2, 2)
    c = tucker(tensor)
    again = np.einsum("abc,ia,jb,kc->ijk", c.core, *c.factors) + c.center[0][:, None, None]
    assert np.allclose(again, c.lowrank) and set(c.center) == {0}
    assert set(crease.rpca(tensor, 2, center="all").center) == {None}
    chosen = crease.rpca(tensor)
    assert chosen.rank == chosen.rank_table.chosen == 2
    assert chosen.rank_table[1]["rank"] == 2 and "chosen" in repr(chosen.rank_table)
    assert chosen.rank_table.reason in repr(chosen.rank_table)


def test_sparse_components(tensor: Any) -> None:
    r = spca(tensor)
    assert len(r) == 2 == len(list(r))
    for k, c in enumerate(r):
        assert c.weight == r.weights[k] and c.verdict == "VALID"
        for mode in range(3):
            assert np.array_equal(c.vectors[mode], r.factors[mode][:, k])
            assert c.support(mode).size == c.details["nonzeros"][mode]
            assert (c.vectors[mode][c.support(mode)] != 0).all()
    assert r[-1].weight == r.weights[1]
    with pytest.raises(IndexError):
        r[2]
    left = np.array(tensor)
    for k, c in enumerate(r):
        left -= c.weight * np.einsum("i,j,k->ijk", *c.vectors)
        assert np.isclose(np.linalg.norm(left), r.residual_norms[k])


def test_paths_of_regressions() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 8))
    y = 3 + 2 * X[:, 1] - X[:, 5] + 0.1 * rng.normal(size=60)
    r = crease.regress(X, y, penalty="mcp", cv=5, path=30)
    assert (np.diff(r.lambdas) < 0).all() and r.lambdas[0] <= r.lambda_max * (1 + 1e-9)
    assert r.coefficients.shape == (30, 8) and r.nonzeros[0] == 0
    assert {1, 5} <= set(r.selected()) and r.index("last") == 29 and r.index(-1) == 29
    assert r.cv is not None and r.cv.deviance.argmin() == r.cv.best == r.index() == r.index("best")
    assert r.cv.one_se <= r.cv.best and r.intercept() == pytest.approx(3, abs=0.1)
    assert np.allclose(r.predict(X), X @ r.coef() + r.intercept())
    assert np.allclose(np.mean((y - r.predict(X, 7)) ** 2), r.deviance[7])
    assert "column 1 = 2" in repr(r) and "column 5 = -" in repr(r)
    for bad in ("worst", 30, -31):
        with pytest.raises(crease.ArgumentError, match="which is"):
            r.coef(bad)  # type: ignore[arg-type]
    with pytest.raises(crease.ArgumentError, match="X has 7 columns"):
        r.predict(X[:, :7])
    plain = crease.regress(X, y, path=5)
    assert plain.cv is None and plain.index() == 4
    with pytest.raises(crease.ArgumentError, match="cv=5"):
        plain.coef("best")
    bare = crease.regress(X, y, path=3, no_intercept=True)
    assert bare.coefficients.shape == (3, 8) and not bare.intercepts.any()


def test_classes_are_predicted_by_their_probability() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3))
    chance = 1 / (1 + np.exp(-3 * X[:, 0]))
    y = (rng.random(200) < chance).astype(float)
    r = crease.regress(X, y, loss="logistic", cv=5)
    p = r.predict(X)
    assert ((p > 0) & (p < 1)).all() and np.mean((p > 0.5) == y) > 0.75
    assert p[X[:, 0] > 1].mean() > 0.8


def test_names_of_columns_travel() -> None:
    pandas = pytest.importorskip("pandas")
    X = np.random.default_rng(0).normal(size=(30, 3))
    frame = pandas.DataFrame(X, columns=["age", "dose", "column 1"])
    r = crease.regress(frame, frame["dose"] * 2, path=5)
    assert r.names is not None and r.names[r.selected()].tolist() == ["dose"]
    assert "dose = " in repr(r)


def test_scores_of_slices(tensor: Any) -> None:
    r = scores(tensor)
    assert r.coefficients.shape == (5, 2) and r.axis == 0
    for values in (r.share, r.energy, r.scale, r.distance):
        assert values.shape == (5,) and np.isfinite(values).all()
    assert np.allclose(r.lowrank + r.sparse + r.residual, tensor[:5], atol=1e-12)
    one = crease.apply(crease.rpca(tensor, 2), tensor[3])
    assert one.coefficients.shape == (1, 2) and "slice" in one.to_xarray().dims


def test_points_of_problems(tensor: Any) -> None:
    class Variable:
        name = "x"

    r = solve(tensor)
    assert r["x"] is r[Variable()] is r.x["x"] and set(r.x) == {"x", "y"}
    assert r.multiplier is not None and r.multiplier.shape == (10,)
    assert np.allclose(tensor[0] @ r["x"], r["y"], atol=1e-5)
    with pytest.raises(KeyError, match="there are x, y"):
        r["z"]
    assert r.theorem is None or r.theorem in json.dumps(r.document["details"], ensure_ascii=False)
    assert all(a.status and a.reason for a in r.assumptions)


def test_proofs_are_kept(tmp_path: pathlib.Path) -> None:
    rows = {"maps": {"x": np.array([[1.0, 1.0]])}, "rhs": [5.0]}
    impossible = {"crease": 1, "blocks": [{"name": "x", "shape": 2, "set": "box:0,1"}],
                  "constraint": rows}  # fmt: skip
    r = crease.solve(impossible)
    assert r.outcome == "infeasible" and r.separator.shape == (1,)
    assert r.separator @ np.array([5.0]) > np.maximum(r.separator[0] * np.array([1, 1]), 0).sum()
    r.to_folder(tmp_path / "r")
    assert crease.verify(tmp_path / "r").valid
    falls = {"crease": 1, "blocks": [{"name": "x", "shape": 2}],
             "smooth": [{"squared_distance": {"a": "x", "d": [1, 2], "weight": -1}}]}  # fmt: skip
    u = crease.solve(falls)
    assert u.outcome == "unbounded" and u.ray["x"].shape == (2,) and u.ray["x"].any()


def test_instances_hold_the_truth(tmp_path: pathlib.Path) -> None:
    made, same = (
        crease.generate("tucker", shape=(6, 5, 4), rank=(2, 2, 1), seed=4) for _ in range(2)
    )
    assert made == same and np.array_equal(made.data, same.data)
    assert np.allclose(made.lowrank + made.sparse + made.noise, made.data)
    assert np.allclose(np.einsum("abc,ia,jb,kc->ijk", made.core, *made.factors), made.lowrank)
    made.to_folder(tmp_path / "made")
    assert crease.load(tmp_path / "made") == made
    eem = crease.generate("eem", shape=(4, 20, 10), seed=1)
    assert eem.axes[1].unit == "nm" and eem.data.axes == eem.axes


def test_xarray_has_every_array(made: Any) -> None:
    pytest.importorskip("xarray")
    name, r = made
    data = r.to_xarray()
    wanted = {
        "cp": {"lowrank", "sparse", "residual", "factor_1", "weights"},
        "tucker": {"lowrank", "core", "factor_3"},
        "merged": {"lowrank", "factor_2", "core"},
        "spca": {"factor_1", "weights", "residual_norms"},
        "regress": {"coefficients", "cv_deviance"},
        "scores": {"coefficients", "distance"},
        "solve": {"x", "y"},
    }.get(name, {"lowrank"})
    assert wanted <= set(data)
    for key in wanted & {"lowrank", "coefficients"}:
        assert np.array_equal(data[key].values, getattr(r, key))


def test_axes_travel_into_xarray() -> None:
    pytest.importorskip("xarray")
    made = crease.generate("eem", shape=(5, 20, 15), seed=2)
    data = crease.rpca(made.data, 2, nonneg=True).to_xarray()
    assert data.lowrank.dims == ("sample", "emission", "excitation")
    assert data.emission.attrs["units"] == "nm" and data.emission[0] == 270
    assert data.factor_2.dims == ("emission", "component")


def test_levels_of_noise_are_per_axis_and_bound_the_outliers(tensor):
    rng = np.random.default_rng(3)
    level = 10.0 ** np.linspace(-1, 1, tensor.shape[1])[None, :, None]
    data = np.array(tensor) + 0.05 * level * rng.normal(size=tensor.shape)
    r = crease.rpca(data, 2, noise="per-slice:1")
    assert set(r.noise_levels) == {1} and r.verdict == "VALID"
    levels = r.noise_levels[1]
    assert levels.shape == (tensor.shape[1],) and levels[-1] > 5 * levels[0]
    assert np.allclose(r.lowrank + r.sparse + r.residual, data)
    beyond = r.details["parts"]["clear_beyond"] * levels[None, :, None]
    assert np.array_equal(r.outliers, (r.sparse != 0) & (np.abs(r.sparse + r.residual) > beyond))
    assert r.outliers.sum() == r.details["parts"]["clear"]
    assert not crease.rpca(data, 2).noise_levels
