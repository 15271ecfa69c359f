# SPDX-License-Identifier: MIT
"""Arrays of every kind become float64 in C order, with the same numbers, and stay as they were."""

from __future__ import annotations

import itertools
from typing import Any, Tuple

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given as drawn
from hypothesis import settings, strategies as st
from hypothesis.extra import numpy as hnp

import crease
from crease import arrays
from crease.arrays import Axis

Array = npt.NDArray[Any]
ma: Any = np.ma

NUMBERS = [
    np.dtype(order + code)
    for code in ("?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "g")
    for order in ("<", ">")
]


def laid_out(values: Array, layout: str) -> Array:
    """The same numbers in another order of memory."""
    if layout == "C":
        return np.ascontiguousarray(values).reshape(values.shape)
    if layout == "Fortran":
        return np.asfortranarray(values).reshape(values.shape)
    if layout == "strided":
        wide = np.zeros(values.shape[:-1] + (2 * values.shape[-1],), dtype=values.dtype)
        wide[..., ::2] = values
        return wide[..., ::2]
    if layout == "reversed":
        return np.ascontiguousarray(values[::-1])[::-1]
    if layout == "unaligned":
        raw = np.zeros(values.nbytes + 1, dtype=np.uint8)
        view = raw[1:].view(values.dtype).reshape(values.shape)
        view[...] = values
        return view
    frozen = np.array(values)
    frozen.flags.writeable = False
    return frozen


LAYOUTS = ("C", "Fortran", "strided", "reversed", "unaligned", "read-only")


@settings(max_examples=150, deadline=None)
@drawn(
    st.sampled_from(NUMBERS),
    hnp.array_shapes(min_dims=1, max_dims=8, min_side=1, max_side=3),
    st.sampled_from(LAYOUTS),
    st.integers(0, 2**32 - 1),
)
def test_numbers_of_every_type_and_layout(
    dtype: "np.dtype[Any]", shape: Tuple[int, ...], layout: str, seed: int
) -> None:
    plain = np.random.default_rng(seed).integers(0, 2 if dtype.kind == "b" else 100, shape)
    given = laid_out(plain.astype(dtype), layout)
    before, stride = given.copy(), given.strides
    got = arrays.floats(given, "x")
    assert got.dtype == np.float64 and got.dtype.isnative
    assert got.flags.c_contiguous and got.flags.aligned and got.shape == shape
    assert np.array_equal(got, plain)
    assert given.strides == stride and np.array_equal(given, before)


@pytest.mark.parametrize("layout", ["C", "read-only"])
def test_what_is_ready_is_not_copied(layout: str) -> None:
    x = laid_out(np.arange(24.0).reshape(2, 3, 4), layout)
    assert np.shares_memory(arrays.floats(x, "x"), x)
    assert np.shares_memory(arrays.given(ma.masked_array(x), "x").values, x)


@pytest.mark.parametrize(
    "bad, words",
    [
        (np.ones((2, 2), dtype=complex), "complex"),
        (np.array([[1, None]], dtype=object), "objects"),
        ([[1, "a"]], "texts"),
        (np.array([[b"a"]]), "texts"),
        (np.array([["2020-01-01"]], dtype="M8[D]"), "dates"),
        (np.array([[3]], dtype="m8[s]"), "durations"),
        (np.zeros((2, 2), dtype=[("a", float)]), "records"),
        ([[10**40, 1]], "objects"),
        (object(), "objects"),
    ],
)
def test_what_is_no_number_is_refused_by_name(bad: Any, words: str) -> None:
    with pytest.raises(crease.DataError, match=f"^signal has .*{words}"):
        arrays.floats(bad, "signal")


@pytest.mark.parametrize("bad", [[], np.zeros((0, 3)), np.zeros((2, 0, 4)), [[1, 2], [3]]])
def test_what_is_empty_or_ragged_is_refused(bad: Any) -> None:
    with pytest.raises(crease.ShapeError, match="^signal "):
        arrays.floats(bad, "signal")


@pytest.mark.parametrize("bad", [3.0, [1.0, 2.0], np.zeros((1,) * 9)])
def test_the_number_of_dimensions_is_said(bad: Any) -> None:
    with pytest.raises(crease.ShapeError, match="data has . dimensions, shape .*; give 2 to 8"):
        crease.rpca(bad, 1)


def test_masked_arrays_tell_what_was_observed() -> None:
    values = np.arange(6.0).reshape(2, 3)
    masked = ma.masked_array(values, mask=values == 4)
    got = arrays.given(masked, "data")
    assert got.observed is not None and np.array_equal(got.observed, values != 4)
    assert arrays.given(ma.masked_array(values), "data").observed is None
    with pytest.raises(crease.DataError, match="y is masked"):
        arrays.floats(masked, "y")


def test_masks_are_booleans_or_zeros_and_ones() -> None:
    for mask in ([[True, False]], [[1, 0]], np.array([[1.0, 0.0]])):
        assert np.array_equal(arrays.mask(mask, "mask"), [[True, False]])
    for bad in ([[2, 0]], [[np.nan, 1]]):
        with pytest.raises(crease.DataError, match="mask has entries other than True and False"):
            arrays.mask(bad, "mask")
    with pytest.raises(crease.ArgumentError, match="mask has the shape"):
        crease.rpca(np.eye(4), 1, mask=np.ones((2, 2), dtype=bool))


def test_data_frames_bring_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2, 3], "b": [0.5, None, 2]}, index=["x", "y", "z"])
    got = arrays.given(frame, "X")
    assert got.axes is not None
    assert np.array_equal(got.values, np.array([[1, 0.5], [2, np.nan], [3, 2]]), equal_nan=True)
    assert got.axes[0].labels is not None and got.axes[0].labels.tolist() == ["x", "y", "z"]
    assert got.axes[1].labels is not None and got.axes[1].labels.tolist() == ["a", "b"]
    plain = arrays.given(pandas.DataFrame([[1, 2], [3, 4]]), "X")
    assert plain.axes == (Axis(), Axis())
    nullable = pandas.DataFrame({"a": pandas.array([1, None], dtype="Int64")})
    assert np.array_equal(arrays.floats(nullable, "X"), np.array([[1], [np.nan]]), equal_nan=True)
    with pytest.raises(crease.DataError, match="X has entries in its column 'name'"):
        arrays.floats(pandas.DataFrame({"a": [1], "name": ["x"]}), "X")
    assert np.array_equal(arrays.floats(frame["a"], "y"), np.array([1, 2, 3]))


def test_xarray_brings_axes() -> None:
    xarray = pytest.importorskip("xarray")
    given = xarray.DataArray(
        np.arange(6.0).reshape(2, 3),
        dims=("sample", "emission"),
        coords={"emission": ("emission", [270.0, 273.0, 276.0], {"units": "nm"})},
    )
    got = arrays.given(given, "data")
    assert got.axes == (Axis("sample"), Axis("emission", "nm", np.array([270.0, 273, 276])))
    back = crease.Data(got.values, got.axes).to_xarray()
    assert back.equals(given) and back.emission.attrs == {"units": "nm"}


def test_sparse_arrays_are_made_dense() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    dense = np.array([[0, 1.5], [2, 0]])
    for made in (sparse.csr_matrix(dense), sparse.csc_array(dense), sparse.coo_matrix(dense)):
        got = arrays.floats(made, "X")
        assert np.array_equal(got, dense) and got.flags.c_contiguous


class ByDlpack:
    def __init__(self, values: Array) -> None:
        self.values = values

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


class ByArray:
    def __init__(self, values: Array) -> None:
        self.values = values

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        return np.asarray(self.values, dtype=dtype)


class OnAnotherDevice:
    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise RuntimeError("copy it to the CPU first")


def test_tensors_of_other_libraries() -> None:
    values = np.arange(6.0).reshape(2, 3)
    for kind in (ByDlpack, ByArray):
        assert np.array_equal(arrays.floats(kind(values), "x"), values)
    with pytest.raises(crease.ShapeError, match="x cannot be read as an array: copy it to the CPU"):
        arrays.floats(OnAnotherDevice(), "x")


@pytest.mark.parametrize(
    "axes",
    [
        ["sample", None, Axis("t", "s", np.array([0.0, 0.5]))],
        [{"name": "a", "labels": ["x", "y"]}, "b", {"numbers": [1, 2]}],
    ],
)
def test_axes_are_the_same_after_the_program(axes: Any) -> None:
    data = np.random.default_rng(0).random((2, 2, 2))
    named = crease.Data(data, axes)
    assert crease.rpca(named, 1).axes == named.axes
    assert crease.rpca(data, 1, axes=axes).axes == named.axes


def test_bad_axes_are_refused() -> None:
    bad: Any
    for bad in ([1, 2], [{"nam": "x"}, None]):
        with pytest.raises(crease.ArgumentError, match="axes has"):
            crease.rpca(np.eye(3), 1, axes=bad)


def test_words_of_an_axis() -> None:
    axis = Axis("emission", "nm", np.array([270.0, 273.5]))
    assert axis.title == "emission (nm)" and axis.at(1) == "273.5 nm"
    assert Axis(labels=np.array(["x"])).at(0) == "x" and Axis().at(7) == "7"
    assert hash(axis) == hash(Axis("emission", "nm")) and axis != Axis("emission", "nm")


@pytest.mark.parametrize("gaps, masked", itertools.product([False, True], repeat=2))
def test_the_hash_is_that_of_the_program(gaps: bool, masked: bool) -> None:
    rng = np.random.default_rng(1)
    data = rng.random((9, 8)) @ rng.random((8, 7))
    seen = rng.random(data.shape) < 0.9 if masked else None
    if gaps:
        data[2, 3] = -np.nan
    r = crease.rpca(data, 1, mask=seen, missing="nan" if gaps else None)
    (entry,) = (e for e in r.document["data"] if e["role"] == "data")
    assert arrays.digest(data, seen) == entry["hash"]


def test_what_a_sparse_matrix_does_not_hold_was_not_observed() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    data = np.outer(1 + rng.random(30), 1 + rng.random(20)) + 0.01 * rng.normal(size=(30, 20))
    data[rng.random(data.shape) < 0.8] = np.nan
    at = np.nonzero(~np.isnan(data))
    dense = crease.rpca(data, 1, missing="nan")
    for kind in (sparse.csr_matrix, sparse.csc_array, sparse.coo_matrix):
        made = kind(sparse.coo_matrix((data[at], at), data.shape))
        found = crease.rpca(made, 1, absent="missing")
        assert found.verdict == "VALID"
        np.testing.assert_array_equal(found.factors[0], dense.factors[0])
        np.testing.assert_allclose(found.lowrank_at(*at), found.lowrank[at], rtol=1e-12)
    with pytest.raises(crease.DataError, match="data is nan at"):
        crease.rpca(sparse.coo_matrix(([np.nan], ([0], [1])), (30, 20)), 1, absent="missing")


def test_sparse_rows_of_regressions_are_not_filled_in(tmp_path: Any) -> None:
    sparse = pytest.importorskip("scipy.sparse")
    rng = np.random.default_rng(0)
    X = np.where(rng.random((60, 12)) < 0.2, rng.normal(size=(60, 12)), 0)
    y = X[:, 1] - 2 * X[:, 4] + 0.1 * rng.normal(size=60)
    dense = crease.regress(X, y, path=6, eps=1e-10)
    for made in (sparse.csr_matrix(X), sparse.csc_array(X), sparse.coo_matrix(X)):
        rows = crease.regress(made, y, path=6, eps=1e-10)
        np.testing.assert_allclose(rows.coefficients, dense.coefficients, atol=1e-9)
        assert rows.certificate.valid
        assert rows.document["data"][0]["hash"] == dense.document["data"][0]["hash"]
    rows.to_folder(tmp_path / "rows")
    assert (tmp_path / "rows" / "X.mtx").exists() and crease.verify(tmp_path / "rows").valid
