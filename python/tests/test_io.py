# SPDX-License-Identifier: MIT
"""Files of any format become arrays with the names of their axes, and the other way round."""

from __future__ import annotations

import pathlib
import pickle
from typing import Any

import numpy as np
import pytest

import crease


@pytest.fixture(scope="module")
def eem() -> Any:
    return crease.generate("eem", shape=(4, 12, 9), seed=1).data


@pytest.mark.parametrize("ending", ["npy", "npz", "h5", "mat", "tns", "nii"])
def test_arrays_come_back(eem: Any, ending: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / f"data.{ending}"
    try:
        crease.write(path, eem)
    except crease.UnsupportedError as e:  # a format that was left out of the build
        pytest.skip(str(e))
    back = crease.read(path)
    assert back.array.dtype == np.float64 and back.source == str(path)
    assert np.allclose(back, eem, rtol=1e-6 if ending == "nii" else 0, atol=0)
    if ending in ("npy", "npz", "h5", "tns"):
        assert back.axes == eem.axes


def test_tables_have_names_and_gaps(tmp_path: pathlib.Path) -> None:
    (tmp_path / "t.csv").write_text("name,weight,height\nada,1.5,\nbob,NA,4\n")
    data = crease.read(tmp_path / "t.csv")
    assert np.array_equal(data, [[1.5, np.nan], [np.nan, 4]], equal_nan=True)
    assert [list(a.labels) for a in data.axes if a.labels is not None] == [
        ["ada", "bob"],
        ["weight", "height"],
    ]
    assert "2 missing" in repr(data) and "ada to bob" in repr(data)
    named = crease.read(tmp_path / "t.csv", axes=["person", crease.Axis("size", "m")])
    assert named.axes[0].name == "person" and named.axes[1].unit == "m"
    wide = crease.read(tmp_path / "t.csv", columns=["height", "weight"])
    assert wide.shape == (2, 2)
    with pytest.raises(crease.ArgumentError, match="columns: .* has no column 'length'"):
        crease.read(tmp_path / "t.csv", columns="length")


def test_frames_of_images(tmp_path: pathlib.Path) -> None:
    for k in range(4):
        crease.write(tmp_path / f"f_{k}.png", np.full((6, 5), k / 4))
    clip = crease.read(str(tmp_path / "f_*.png"), frames=slice(1, None, 2))
    assert clip.shape == (6, 5, 2) and np.allclose(clip[0, 0], [0.25, 0.75], atol=1 / 255)
    assert [a.name for a in clip.axes] == ["row", "column", "frame"]
    mask = np.zeros((6, 5), bool)
    mask[2, 3] = True
    crease.write(tmp_path / "mask.png", mask)
    assert np.array_equal(crease.read(tmp_path / "mask.png"), mask)


def test_axes_are_those_of_another(eem: Any, tmp_path: pathlib.Path) -> None:
    r = crease.rpca(eem, 2)
    crease.write(tmp_path / "a.npz", r.lowrank, like=eem)
    crease.write(tmp_path / "b.npz", r.lowrank, like=r)
    crease.write(tmp_path / "c.npz", r.lowrank)
    for name in "ab":
        assert crease.read(tmp_path / f"{name}.npz") == crease.Data(r.lowrank, eem.axes)
    assert crease.read(tmp_path / "c.npz").axes == (crease.Axis(),) * 3
    with pytest.raises(crease.ArgumentError, match="like has the shape"):
        crease.write(tmp_path / "d.npz", r.lowrank[0], like=eem)
    crease.write(tmp_path / "e.npz", r.lowrank, axes=["x", "y", "z"], like=eem)
    assert [a.name for a in crease.read(tmp_path / "e.npz").axes] == ["x", "y", "z"]


def test_files_in_the_way_stay(eem: Any, tmp_path: pathlib.Path) -> None:
    crease.write(tmp_path / "a.npy", eem)
    with pytest.raises(OSError, match="exists already; .* add force=True"):
        crease.write(tmp_path / "a.npy", eem[0])
    crease.write(tmp_path / "a.npy", eem[0], force=True)
    assert crease.read(tmp_path / "a.npy").shape == (12, 9)
    crease.write(tmp_path / "half.npy", eem, as_="f4")
    assert np.load(tmp_path / "half.npy").dtype == np.float32
    crease.write(tmp_path / "odd", eem[0], format="csv")
    assert crease.read(tmp_path / "odd", read_as="csv").shape == (12, 9)


def test_masked_entries_are_written_as_missing(tmp_path: pathlib.Path) -> None:
    ma: Any = np.ma
    masked = ma.masked_array(np.eye(3), mask=np.eye(3) > 0)
    crease.write(tmp_path / "a.npy", masked)
    assert np.array_equal(np.isnan(np.load(tmp_path / "a.npy")), np.eye(3) > 0)


def test_what_cannot_be_read_is_said(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileNotFoundError, match="none.npy"):
        crease.read(tmp_path / "none.npy")
    (tmp_path / "bad.npy").write_bytes(b"\x93NUMPY\x01\x00 rubbish")
    with pytest.raises(crease.DataError, match="bad.npy"):
        crease.read(tmp_path / "bad.npy")
    with pytest.raises(crease.Error, match="unknown|ending|format"):
        crease.write(tmp_path / "a.unknown", np.eye(2))
    with pytest.raises(OSError):
        crease.write(tmp_path / "no" / "folder" / "a.npy", np.eye(2))


def test_data_go_where_arrays_go(eem: Any) -> None:
    assert eem.shape == (4, 12, 9) and eem.ndim == 3 and eem.size == 432 and len(eem) == 4
    assert eem.dtype == np.float64 and np.array_equal(eem[1], np.asarray(eem)[1])
    assert np.sum(eem) == eem.array.sum() and len(list(eem)) == 4
    assert np.shares_memory(np.asarray(eem), eem.array)
    assert not np.shares_memory(np.array(eem), eem.array)
    assert np.asarray(eem, dtype=np.float32).dtype == np.float32
    again = pickle.loads(pickle.dumps(eem))
    assert again == eem and hash(again) == hash(eem)
    assert eem != crease.Data(eem.array) and (eem == 3) is False
    with pytest.raises(AttributeError, match="make a new"):
        eem.axes = ()
    with pytest.raises(crease.ArgumentError, match="axes has 2 entries for 3"):
        crease.Data(eem.array, ["a", "b"])
    assert repr(eem).splitlines()[2] == "  emission (nm), 12: 270 nm to 570 nm"


def test_data_that_are_given_are_not_copied() -> None:
    values = np.arange(6.0).reshape(2, 3)
    assert crease.Data(values).array is values
