# SPDX-License-Identifier: MIT
"""Pictures show the numbers of the result, with names and units, on light and dark paper."""

from __future__ import annotations

import pickle
from typing import Any, List, Set

import numpy as np
import pytest

import crease

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402
from matplotlib.colors import to_hex  # noqa: E402

from crease._draw import DARK, LIGHT  # noqa: E402
from crease.plot import KINDS  # noqa: E402


@pytest.fixture(autouse=True)
def closed() -> Any:
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def eem() -> Any:
    made = crease.generate("eem", shape=(6, 40, 30), seed=1)
    return crease.rpca(made.data, range(1, 5), nonneg=True)


@pytest.fixture(scope="module")
def video() -> Any:
    rows, columns = np.mgrid[:12, :16]
    clip = np.repeat((0.4 + 0.02 * rows + 0.01 * columns)[:, :, None], 10, axis=2)
    for t in range(10):
        clip[3:6, t : t + 4, t] = 0.95
    axes = ["row", "column", crease.Axis("time", "s", np.arange(10) / 25)]
    return crease.rpca(crease.Data(clip, axes), 1, model="matrix", merge=(0, 1), penalty="mcp")


@pytest.fixture(scope="module")
def path() -> Any:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 9))
    y = 2 * X[:, 1] - X[:, 4] + 0.1 * rng.normal(size=50)
    return crease.regress(X, y, cv=5, path=25)


@pytest.fixture(scope="module")
def others() -> Any:
    tensor = crease.generate("eem", shape=(6, 20, 15), seed=1).data
    problem = {
        "crease": 1,
        "blocks": [
            {"name": "x", "shape": 6, "regularizer": "l1:0.5"},
            {"name": "Z", "shape": [3, 4], "regularizer": "l1:0.1"},
        ],
        "smooth": [
            {"squared_distance": {"a": "x", "d": [2, 0.1, -1, 0, 3, 0.2]}},
            {"squared_distance": {"a": "Z", "d": np.linspace(-1, 1, 12).reshape(3, 4)}},
        ],
    }
    return {
        "spca": crease.spca(tensor, 2),
        "apply": crease.apply(crease.rpca(tensor, 2), tensor),
        "solve": crease.solve(problem, method="prox-bcd"),
    }


def flat(drawn: Any) -> List[Any]:
    panels = list(np.atleast_1d(np.asarray(drawn, dtype=object)).ravel())
    assert panels and all(isinstance(p, Axes) for p in panels)
    return panels


def colours(panel: Any) -> Set[str]:
    return {to_hex(line.get_color()) for line in panel.lines}


def test_components_are_the_columns_of_the_factors(eem: Any) -> None:
    panels = flat(eem.plot("components"))
    assert [p.get_xlabel() for p in panels] == ["sample", "emission (nm)", "excitation (nm)"]
    for mode in (1, 2):
        lines = [line for line in panels[mode].lines if len(line.get_xdata()) > 2]
        for c, line in enumerate(lines):
            assert np.array_equal(line.get_ydata(), eem.factors[mode][:, c])
            assert np.array_equal(line.get_xdata(), eem.axes[mode].numbers)
            assert to_hex(line.get_color()) == LIGHT.series[c]
        badges = sorted(t.get_text() for t in panels[mode].texts)
        assert badges == [str(c + 1) for c in range(eem.rank)]
    heights = [bar.get_height() for bar in panels[0].patches]
    assert np.allclose(heights, eem.factors[0].T.ravel())


def test_parts_are_slices_of_the_parts(eem: Any) -> None:
    panels = flat(eem.plot("parts", index=2))[:4]
    parts = (eem.data, eem.lowrank, eem.sparse, eem.residual)
    for panel, part in zip(panels, parts):
        assert np.array_equal(np.asarray(panel.images[0].get_array()), part[2])
    assert panels[0].images[0].get_clim() == panels[1].images[0].get_clim()
    low, high = panels[2].images[0].get_clim()
    assert low == -high and panels[0].get_title(loc="left") == "data, sample 2"
    assert panels[0].get_ylabel() == "emission (nm)"
    turned = flat(eem.plot("parts", show=(2, 0), index=5))
    assert np.array_equal(np.asarray(turned[1].images[0].get_array()), eem.lowrank[:, 5].T)
    largest = eem.details["parts"]["largest"]["index"][0]
    assert f"sample {largest}" in flat(eem.plot("parts"))[0].get_title(loc="left")
    for bad in ({"index": 6}, {"index": (1, 2)}, {"show": (1, 1)}, {"show": (0, 1, 2)}):
        with pytest.raises(crease.ArgumentError, match="index|show"):
            eem.plot("parts", **bad)


def test_parts_need_no_data(eem: Any) -> None:
    bare = pickle.loads(pickle.dumps(eem))
    shown = flat(bare.plot("parts", index=0))[0].images[0].get_array()
    assert np.allclose(shown, eem.data[0])


def test_outliers_are_shares(eem: Any) -> None:
    panels = flat(eem.plot("outliers"))
    assert np.allclose(panels[0].images[0].get_array(), eem.outliers.mean(axis=0))
    heights = [bar.get_height() for bar in panels[1].patches]
    assert np.allclose(heights, eem.outliers.mean(axis=(1, 2)))
    flat(crease.rpca(eem.data[0], 1).plot("outliers"))


def test_ranks_and_the_chosen_one(eem: Any) -> None:
    (panel,) = flat(eem.plot("rank"))
    assert np.array_equal(panel.lines[0].get_ydata(), eem.rank_table["held_out"])
    assert panel.get_title(loc="left") == f"{eem.rank} chosen" and panel.get_yscale() == "log"
    with pytest.raises(crease.ArgumentError, match="no ranks were compared"):
        crease.rpca(eem.data, 1).plot("rank")


def test_convergence_ends_below_what_was_asked(eem: Any, others: Any) -> None:
    for r in (eem, others["solve"], others["spca"]):
        (panel,) = flat(r.plot("convergence"))
        last = [line for line in panel.lines if len(line.get_xdata()) != 2][-1].get_ydata()
        assert last[-1] <= r.certificate.eps or not np.isfinite(last[-1])
        assert panel.get_xlabel() == "iteration" and "residual" in panel.get_ylabel()


def test_videos_are_frames(video: Any) -> None:
    panels = flat(video.plot())
    panels[0].figure.canvas.draw()
    assert len(panels) == 12 and panels[0].get_title() == "time 0 s"
    assert np.array_equal(np.asarray(panels[4].images[0].get_array()), video.lowrank[:, :, 0])
    assert len(flat(video.plot("frames", frames=[0, 9]))) == 6
    for bad in ([10], []):
        with pytest.raises(crease.ArgumentError, match="frames is"):
            video.plot("frames", frames=bad)
    background, course = flat(video.plot("components"))
    assert background.images[0].get_array().shape == (12, 16)
    assert course.get_xlabel() == "time (s)"
    flat(video.plot("parts"))
    flat(video.plot("outliers"))


def test_paths_of_coefficients(path: Any) -> None:
    (panel,) = flat(path.plot())
    drawn = [line for line in panel.lines if len(line.get_xdata()) == 25]
    assert len(drawn) == 9 and panel.get_xscale() == "log"
    shown = {tuple(line.get_ydata()) for line in drawn}
    assert shown == {tuple(c) for c in path.coefficients.T}
    assert panel.get_xlim()[0] > panel.get_xlim()[1]
    assert {"column 1", "column 4"} <= {t.get_text() for t in panel.texts}


def test_cross_validation_and_coefficients(path: Any) -> None:
    (panel,) = flat(path.plot("cv"))
    assert np.array_equal(panel.lines[0].get_ydata(), path.cv.deviance)
    assert any(t.get_text().startswith("best: ") for t in panel.texts)
    (bars,) = flat(path.plot("coefficients", which="one_se"))
    widths = sorted(bar.get_width() for bar in bars.patches)
    coef = path.coef("one_se")
    assert np.allclose(widths, sorted(coef[coef != 0]))
    (none,) = flat(path.plot("coefficients", which=0))
    assert "nothing selected; lambda_max is" in none.texts[0].get_text()
    with pytest.raises(crease.ArgumentError, match="cv=5"):
        crease.regress(np.eye(4), np.arange(4.0), path=3).plot("cv")


def test_fits_need_the_data(path: Any) -> None:
    (panel,) = flat(path.plot("fit"))
    X, y = (path.__dict__["_inputs"][n] for n in ("X.npy", "y.npy"))
    assert np.array_equal(panel.lines[0].get_ydata(), y)
    assert np.allclose(panel.lines[0].get_xdata(), path.predict(X))
    bare = pickle.loads(pickle.dumps(path))
    with pytest.raises(crease.ArgumentError, match="X=X, y=y"):
        bare.plot("fit")
    flat(bare.plot("fit", X=X, y=y))
    classes = crease.regress(X, (y > 0).astype(float), loss="logistic", path=10)
    (curve,) = flat(classes.plot("fit"))
    x, true = curve.lines[0].get_data()
    assert x[0] == true[0] == 0 and x[-1] == true[-1] == 1 and (np.diff(true) >= 0).all()


def test_the_others(others: Any) -> None:
    r = others["spca"]
    panels = flat(r.plot())
    assert len(panels) == 6
    for k, panel in enumerate(panels):
        component, mode = divmod(k, 3)
        values = r[component].vectors[mode]
        assert np.array_equal(panel.lines[0].get_ydata(), values[values != 0])
    (panel,) = flat(others["apply"].plot())
    assert np.array_equal(panel.lines[0].get_xdata(), others["apply"].distance)
    stems, cells = flat(others["solve"].plot())
    assert np.array_equal(stems.lines[0].get_ydata(), [x for x in others["solve"]["x"] if x])
    assert np.array_equal(np.asarray(cells.images[0].get_array()), others["solve"]["Z"])


def test_every_kind_on_light_and_dark(eem: Any, video: Any, path: Any, others: Any) -> None:
    for style, theme in (("default", LIGHT), ("dark_background", DARK)):
        with plt.style.context(style):
            for r in (eem, path, *others.values()):
                for kind in KINDS[type(r)]:
                    if kind == "frames":
                        continue
                    panels = flat(r.plot(kind))
                    if theme is DARK:
                        panels[0].figure.canvas.draw()
                    for panel in panels:
                        ink = to_hex(panel.xaxis.label.get_color())
                        assert ink == theme.ink and panel.get_facecolor() is not None
                    plt.close("all")
            drawn = flat(eem.plot("components"))[1]
            assert theme.series[0] in colours(drawn)


def test_pictures_are_drawn_where_they_are_wanted(eem: Any, path: Any) -> None:
    figure, places = plt.subplots(1, 3)
    assert list(eem.plot("components", ax=places)) == list(places)
    assert path.plot("cv", ax=places[0]) is places[0]
    with pytest.raises(crease.ArgumentError, match="ax has 3 axes and this has 4 panels"):
        eem.plot("parts", ax=places)
    before = len(plt.get_fignums())
    path.plot("path", ax=places[1])
    assert len(plt.get_fignums()) == before


def test_what_is_not_drawn_is_said(eem: Any) -> None:
    with pytest.raises(crease.ArgumentError, match="kind is 'component'; give one of components"):
        eem.plot("component")
    with pytest.raises(crease.ArgumentError, match="'rank' does not take index; it takes no opt"):
        eem.plot("rank", index=3)
    with pytest.raises(crease.ArgumentError, match="it takes show, index"):
        eem.plot("parts", indx=3)
    with pytest.raises(crease.ArgumentError, match="has no components"):
        crease.rpca(eem.data[0], model="pcp").plot("components")
    with pytest.raises(crease.ArgumentError, match="generate has no pictures"):
        crease.generate("cp", shape=(3, 3), rank=1).plot()
    with pytest.raises(crease.ArgumentError, match="frames needs rows x columns x frames"):
        crease.rpca(eem.data[0], 1).plot("frames")
