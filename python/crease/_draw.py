# SPDX-License-Identifier: MIT
"""How pictures look: colours, panels, axes, badges and maps.

Colours follow the background that Matplotlib draws on, light or dark.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Dict, NamedTuple, Tuple

import numpy as np

from ._errors import ArgumentError
from .arrays import Axis, Floats


def mpl(module: str) -> Any:
    """A module of Matplotlib, which is imported where something is drawn."""
    return import_module(f"matplotlib.{module}")


class Theme(NamedTuple):
    """Colours of a background."""

    paper: str
    ink: str
    muted: str
    grid: str
    accent: str
    low: str  # of signed values
    high: str
    series: Tuple[str, ...]
    share: Tuple[str, ...]  # from nothing to all


LIGHT = Theme(
    "#ffffff", "#1b1f24", "#5b6470", "#e6eaef", "#1f5fa8", "#1f5fa8", "#a32020",
    ("#1f6fb4", "#bb4d08", "#12805c", "#8350b8", "#b8336a", "#7a6a1a"),
    ("#ffffff", "#fbd9bd", "#ec9c58", "#b35914", "#652403"),
)  # fmt: skip
DARK = Theme(
    "#14171b", "#e7eaee", "#a2abb6", "#2a3038", "#7db4f0", "#6cb2f2", "#ff9c92",
    ("#6cb2f2", "#f79a5a", "#5fcf9f", "#c39bf0", "#f58ab2", "#d6c25a"),
    ("#14171b", "#4f3420", "#965621", "#e08a3c", "#ffe1c4"),
)  # fmt: skip


def theme_of(ax: Any = None) -> Theme:
    """The one for the background of these axes, or for what Matplotlib is set to."""
    to_rgb = mpl("colors").to_rgb

    face = mpl("pyplot").rcParams["axes.facecolor"] if ax is None else ax.get_facecolor()
    red, green, blue = to_rgb(face)
    dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    paper = "#{:02x}{:02x}{:02x}".format(*(round(255 * c) for c in (red, green, blue)))
    return (DARK if dark else LIGHT)._replace(paper=paper)


def panels_for(
    count: int, ax: Any, width: float = 4.2, height: float = 3.0, columns: int = 4
) -> Any:
    """An array of axes: those that were given, or new ones in rows."""
    if ax is not None:
        given_axes = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if given_axes.size != count:
            raise ArgumentError(f"ax has {given_axes.size} axes and this has {count} panels")
        return given_axes
    plt = mpl("pyplot")

    columns = min(columns, count)
    rows = -(-count // columns)
    size = (width * columns, height * rows)
    _, made = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    flat = made.ravel()
    for spare in flat[count:]:
        spare.remove()
    return flat[:count]


def dress(ax: Any, theme: Theme, grid: bool = True) -> None:
    """Two spines, a horizontal grid, quiet ticks."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        ax.spines[side].set_color(theme.muted)
    ax.spines["left"].set_visible(not grid)
    ax.tick_params(colors=theme.muted, length=3)
    if grid:
        ax.grid(True, axis="y", color=theme.grid, linewidth=1)
        ax.set_axisbelow(True)
        ax.tick_params(axis="y", length=0)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(theme.ink)


def dress_map(ax: Any, theme: Theme) -> None:
    for spine in ax.spines.values():
        spine.set_color(theme.grid)
    ax.tick_params(colors=theme.muted, length=2)
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        text.set_color(theme.ink)


def whole_ticks(ax: Any) -> None:
    """Ticks of an axis that counts."""
    ax.xaxis.set_major_locator(mpl("ticker").MaxNLocator(8, integer=True, min_n_ticks=1))


def percent_ticks(ax: Any) -> None:
    ax.yaxis.set_major_formatter(mpl("ticker").FuncFormatter(lambda v, _: f"{100 * v:.6g} %"))


def log_ticks(ax: Any) -> None:
    """A logarithmic axis: powers of ten, or 1-2-5 where it has few of them."""
    ax.set_yscale("log")
    low, high = ax.get_ylim()
    if high < 300 * low:
        ticker = mpl("ticker")
        ax.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter(ticker.FuncFormatter(lambda v, _: f"{v:g}"))
    ax.yaxis.set_minor_locator(mpl("ticker").NullLocator())


def name_of(axis: Axis, k: int) -> str:
    return axis.title or f"axis {k}"


def positions(axis: Axis, n: int) -> Floats:
    return axis.numbers if axis.numbers is not None else np.arange(n, dtype=np.float64)


def tick_labels(ax: Any, axis: Axis, n: int, which: str = "x") -> None:
    """Labels of an axis, as many as there is room for."""
    if axis.labels is None:
        return
    step = max(1, -(-n // 12))
    at = np.arange(0, n, step)
    texts = [str(axis.labels[k]) for k in at]
    long = which == "x" and sum(map(len, texts)) > 45
    if which == "x":
        ax.set_xticks(at, texts, rotation=40 if long else 0, ha="right" if long else "center")
    else:
        ax.set_yticks(at, texts)


def badge(ax: Any, theme: Theme, x: float, y: float, text: str, colour: str) -> None:
    """A number in a dot: a legend at its place."""
    ax.annotate(
        text, (x, y), (0, 9 if y >= 0 else -9), textcoords="offset points", ha="center",
        va="center", color=theme.paper, fontsize=8, fontweight="bold", annotation_clip=False,
        bbox={"boxstyle": "circle,pad=0.22", "facecolor": colour, "edgecolor": theme.paper},
    )  # fmt: skip


def colour_of(theme: Theme, k: int) -> str:
    return theme.series[k % len(theme.series)]


def draw_columns(ax: Any, theme: Theme, axis: Axis, k: int, columns: Floats) -> None:
    """The columns of a factor along an axis: lines, or bars where the axis has no positions."""
    n, count = columns.shape
    x = positions(axis, n)
    lines = axis.numbers is not None or n > 60
    peaks = np.abs(columns).argmax(axis=0)
    used: Dict[int, int] = {}
    for c in range(count):
        colour = colour_of(theme, c)
        at = x + (0 if lines else (c - (count - 1) / 2) * 0.8 / count)
        if lines:
            ax.plot(x, columns[:, c], color=colour, linewidth=1.8)
        else:
            ax.bar(at, columns[:, c], 0.8 / count, color=colour)
        if columns[:, c].any():
            peak = int(peaks[c])
            close = used.get(peak // max(1, n // 25), 0)
            used[peak // max(1, n // 25)] = close + 1
            shift = close * (x[-1] - x[0]) * 0.045 if lines else 0
            badge(ax, theme, at[peak] + shift, columns[peak, c], str(c + 1), colour)
    ax.margins(x=0.03, y=0.14)
    if columns.min() >= 0:
        ax.set_ylim(bottom=0)
    ax.set_xlabel(name_of(axis, k))
    if axis.numbers is None:
        whole_ticks(ax)
    ax.axhline(0, color=theme.muted, linewidth=0.8)
    dress(ax, theme)
    tick_labels(ax, axis, n)


def signed_map(theme: Theme) -> Any:
    LinearSegmentedColormap = mpl("colors").LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("signed", (theme.low, theme.paper, theme.high))


def signed_norm(limit: float) -> Any:
    """Symmetric about zero, with small values a little larger than they are."""
    FuncNorm = mpl("colors").FuncNorm

    def bend(x: Any) -> Any:
        return np.sign(x) * np.abs(x) ** 0.75

    def back(y: Any) -> Any:
        return np.sign(y) * np.abs(y) ** (1 / 0.75)

    return FuncNorm((bend, back), -limit, limit)


def image(
    ax: Any,
    theme: Theme,
    values: Floats,
    axes: Tuple[Axis, Axis],
    names: Tuple[str, str],
    **look: Any,
) -> Any:
    """A matrix as a picture whose ticks are positions or labels."""
    rows, columns = values.shape
    extent = []
    for axis, n in ((axes[1], columns), (axes[0], rows)):
        at = axis.numbers
        even = at is not None and n > 1 and np.ptp(np.diff(at)) <= 1e-3 * abs(at[1] - at[0])
        half = (at[1] - at[0]) / 2 if even and at is not None else 0.5
        ends = (at[0], at[-1]) if even and at is not None else (0, n - 1)
        extent.append((ends[0] - half, ends[1] + half))
    (left, right), (top, bottom) = extent
    ax.set_facecolor(theme.grid)
    shown = ax.imshow(
        values, extent=(left, right, bottom, top), aspect=look.pop("aspect", "auto"),
        interpolation="nearest", **look,
    )  # fmt: skip
    ax.set_xlabel(names[1])
    ax.set_ylabel(names[0])
    tick_labels(ax, axes[1], columns)
    tick_labels(ax, axes[0], rows, "y")
    dress_map(ax, theme)
    return shown


def bar_beside(
    ax: Any, theme: Theme, shown: Any, extend: str = "neither", shrink: float = 0.85
) -> None:
    bar = ax.figure.colorbar(shown, ax=ax, shrink=shrink, pad=0.02, extend=extend)
    bar.outline.set_visible(False)
    bar.ax.tick_params(colors=theme.muted, length=2, labelsize=8)
    bar.ax.yaxis.set_major_locator(mpl("ticker").MaxNLocator(5))


def top_of(values: Floats) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(finite.max()) if finite.size and finite.max() > 0 else 1.0
