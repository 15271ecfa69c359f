# SPDX-License-Identifier: MIT
"""Pictures of results, drawn with Matplotlib.

A component has the same number and colour in every picture. Lines stand for axes with positions,
bars for those without.
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Tuple, Type, Union

import numpy as np

from ._draw import Theme, bar_beside, colour_of, draw_columns, dress, dress_map, image, mpl
from ._draw import name_of, panels_for, positions, signed_map, signed_norm, theme_of, tick_labels
from ._draw import log_ticks, percent_ticks, top_of, whole_ticks
from ._errors import ArgumentError
from ._folder import Answer
from .arrays import Axis, Floats, floats, given
from .result import Path, Result, RPCAResult, Scores, SPCAResult, Which

Drawing = Callable[..., Any]

_EXTEND = {
    (False, False): "neither",
    (False, True): "max",
    (True, False): "min",
    (True, True): "both",
}


# robust PCA


def _pictured(r: RPCAResult) -> Optional[Tuple[int, Tuple[int, int]]]:
    """The mode whose columns are pictures, since it is two axes in one, and these axes."""
    merged = [int(k) for k in (r.settings.get("merge") or "").split(",") if k]
    return (merged[0], (merged[0], merged[1])) if len(merged) == 2 else None


def _components(r: RPCAResult, ax: Any) -> Any:
    if not r.factors:
        raise ArgumentError(f'model {r.model!r} has no components; plot "parts" or "outliers"')
    places: List[Tuple[int, int]] = []  # a mode, and the column that is a picture
    pictured = _pictured(r)
    for k, factor in enumerate(r.factors):
        several = pictured is not None and pictured[0] == k
        places += [(k, c) for c in range(factor.shape[1])] if several else [(k, -1)]
    panels = panels_for(len(places), ax)
    for panel, (k, c) in zip(panels, places):
        theme, factor = theme_of(panel), r.factors[k]
        if c < 0 or pictured is None:
            draw_columns(panel, theme, r.model_axes[k], k, factor)
            continue
        rows, columns = pictured[1]
        picture = factor[:, c].reshape(r.lowrank.shape[rows], r.lowrank.shape[columns])
        axes = (r.axes[rows], r.axes[columns])
        look: Dict[str, Any] = {"cmap": signed_map(theme), "norm": signed_norm(top_of(picture))}
        if _is_video(r):
            look = {"cmap": "gray" if picture.mean() >= 0 else "gray_r", "aspect": "equal"}
        names = (name_of(axes[0], rows), name_of(axes[1], columns))
        image(panel, theme, picture, axes, names, **look)
        panel.set_title(f"component {c + 1}", loc="left", fontsize=10, color=colour_of(theme, c))
    if places[0][1] < 0:
        unit = "weights.npy" in r.files
        panels[0].set_ylabel("component (unit length)" if unit else "factor")
    return panels


def _is_video(r: Answer) -> bool:
    names = [a.name for a in r.axes]
    return len(names) == 3 and names[:2] == ["row", "column"] and names[2] in ("time", "frame")


def _whole(r: Union[RPCAResult, Scores]) -> Floats:
    """The data: those that are kept, or the sum of the parts, which is the same to rounding."""
    own = r.data
    if isinstance(own, np.ndarray) and own.shape == r.lowrank.shape:
        return np.asarray(own, dtype=np.float64)
    return np.asarray(r.lowrank + r.sparse + r.residual, dtype=np.float64)


def _slice_of(
    r: RPCAResult, show: Optional[Sequence[int]], index: Union[None, int, Sequence[int]]
) -> Tuple[Tuple[int, int], Tuple[Any, ...], str]:
    """Two axes to show, the index that leaves them, and what it is called."""
    order = r.lowrank.ndim
    if show is None:
        show = (0, 1) if _is_video(r) else (order - 2, order - 1)
    if len(show) != 2 or len({s % order for s in show}) != 2:
        raise ArgumentError(f"show is {tuple(show)}; give two of the axes 0 to {order - 1}")
    rows, columns = (s % order for s in show)
    rest = [k for k in range(order) if k not in (rows, columns)]
    if index is None:
        largest = (r.details.get("parts") or {}).get("largest")
        at = [largest["index"][k] if largest else r.lowrank.shape[k] // 2 for k in rest]
    else:
        at = list(np.atleast_1d(np.asarray(index)))
    if len(at) != len(rest):
        raise ArgumentError(f"index has {len(at)} numbers, and {len(rest)} axes are not shown")
    key: List[Any] = [slice(None)] * order
    words = []
    for k, i in zip(rest, at):
        if not -r.lowrank.shape[k] <= i < r.lowrank.shape[k]:
            raise ArgumentError(f"index {i} is outside of axis {k}, of length {r.lowrank.shape[k]}")
        key[k] = int(i) % r.lowrank.shape[k]
        words.append(f"{r.axes[k].name or f'axis {k}'} {r.axes[k].at(key[k])}")
    return (rows, columns), tuple(key), ", ".join(words)


def _parts(
    r: RPCAResult,
    ax: Any,
    *,
    show: Optional[Sequence[int]] = None,
    index: Union[None, int, Sequence[int]] = None,
) -> Any:
    (rows, columns), key, where = _slice_of(r, show, index)
    video = _is_video(r)
    panels = panels_for(4, ax, 3.5, 3.1)
    data = _whole(r)

    def cut(part: Floats) -> Floats:
        return np.asarray(part[key] if rows < columns else part[key].T)

    low, high = 0.0, 1.0
    if not video:
        low, high = (float(v) for v in np.percentile(r.lowrank, (0.1, 99.9)))
        low = 0.0 if float(r.lowrank.min()) > -1e-3 * high else low
    noise = r.noise if np.isfinite(r.noise) and r.noise > 0 else top_of(cut(r.residual)) / 4
    titles = (
        f"data{', ' + where if where else ''}", "low-rank part", "sparse part", "residual",
    )  # fmt: skip
    pictures = (data, r.lowrank, r.sparse, r.residual)
    for k, (panel, part, title) in enumerate(zip(panels, pictures, titles)):
        theme = theme_of(panel)
        axes = (r.axes[rows], r.axes[columns])
        names = (name_of(axes[0], rows), name_of(axes[1], columns))
        look: Dict[str, Any] = {"aspect": "equal"} if video else {}
        extend = "neither"
        if k < 2:
            look.update(cmap="gray" if video else "viridis", vmin=low, vmax=high)
            over, under = bool((cut(part) > high).any()), bool((cut(part) < low).any())
            extend = _EXTEND[under, over]
        else:
            limit = top_of(cut(r.sparse)) if k == 2 else 4 * noise
            look.update(cmap=signed_map(theme), norm=signed_norm(limit))
            extend = "both" if top_of(cut(part)) > limit * (1 + 1e-9) else "neither"
        shown = image(panel, theme, cut(part), axes, names, **look)
        flat = r.lowrank.shape[rows] / r.lowrank.shape[columns] if video else 1
        bar_beside(panel, theme, shown, extend, min(0.85, 0.85 * flat))
        panel.set_title(title, loc="left", fontsize=10)
        if k and ax is None:
            panel.set_ylabel("")
    return panels


def _outliers(r: RPCAResult, ax: Any) -> Any:
    LinearSegmentedColormap = mpl("colors").LinearSegmentedColormap

    order = r.outliers.ndim
    axis = order - 1 if _is_video(r) else 0
    shown_axes = [k for k in range(order) if k != axis][-2:] if order > 2 else [0, 1]
    panels = panels_for(2, ax, 4.8, 3.3)
    theme = theme_of(panels[0])
    over = tuple(k for k in range(order) if k not in shown_axes)
    share: Floats = r.outliers.mean(axis=over) if over else r.outliers.astype(np.float64)
    colours = LinearSegmentedColormap.from_list("share", (theme.paper, *theme.share[1:]))
    rows, columns = shown_axes
    names = (name_of(r.axes[rows], rows), name_of(r.axes[columns], columns))
    look = {"aspect": "equal"} if _is_video(r) else {}
    shown = image(
        panels[0], theme, share, (r.axes[rows], r.axes[columns]), names,
        cmap=colours, vmin=0, vmax=max(float(share.max()), 1e-12), **look,
    )  # fmt: skip
    flat = share.shape[0] / share.shape[1] if _is_video(r) else 1
    bar_beside(panels[0], theme, shown, shrink=min(0.85, flat))
    panels[0].set_title("share of outliers", loc="left", fontsize=10)

    theme = theme_of(panels[1])
    along = r.outliers.mean(axis=tuple(k for k in range(order) if k != axis))
    x = positions(r.axes[axis], along.size)
    if r.axes[axis].numbers is not None:
        panels[1].plot(x, along, color=theme.series[1], linewidth=1.8)
        panels[1].set_ylim(bottom=0)
    else:
        panels[1].bar(x, along, 0.8, color=theme.series[1])
        whole_ticks(panels[1])
    percent_ticks(panels[1])
    panels[1].set_xlabel(name_of(r.axes[axis], axis))
    panels[1].set_title(
        f"{100 * r.outliers.mean():.3g} % of all entries", loc="left", fontsize=10
    )
    dress(panels[1], theme)
    tick_labels(panels[1], r.axes[axis], along.size)
    return panels


def _rank(r: RPCAResult, ax: Any) -> Any:
    table = r.rank_table
    if not len(table):
        raise ArgumentError("no ranks were compared, since rank was given; leave it out")
    (panel,) = panels_for(1, ax, 4.8, 3.3)
    theme = theme_of(panel)
    ranks = table["rank"]
    for key, words, colour in (
        ("held_out", "held-out entries", theme.series[0]),
        ("fitted", "fitted entries", theme.muted),
    ):
        panel.plot(ranks, table[key], "o-", color=colour, markersize=4, linewidth=1.8)
        panel.annotate(
            words, (ranks[-1], table[key][-1]), (6, 6 if key == "held_out" else -6),
            textcoords="offset points", color=colour, va="center", fontsize=9,
            annotation_clip=False,
        )  # fmt: skip
    chosen = int(np.flatnonzero(ranks == table.chosen)[0]) if table.chosen in ranks else None
    if chosen is not None:
        panel.plot(
            ranks[chosen], table["held_out"][chosen], "o", markersize=12, fillstyle="none",
            color=theme.accent, markeredgewidth=2,
        )  # fmt: skip
        panel.set_title(f"{table.chosen} chosen", loc="left", fontsize=10)
    log_ticks(panel)
    panel.set_xticks(ranks)
    panel.set_xlabel("components")
    panel.set_ylabel("median error")
    panel.margins(x=0.06)
    dress(panel, theme)
    return panel


def _frames(
    r: RPCAResult, ax: Any, *, frames: Union[int, Sequence[int]] = 4
) -> Any:
    if r.lowrank.ndim != 3:
        raise ArgumentError(f"frames needs rows x columns x frames; the data are {r.lowrank.shape}")
    count = r.lowrank.shape[2]
    if isinstance(frames, int):
        chosen = np.unique(np.linspace(0, count - 1, min(frames, count)).round().astype(int))
    else:
        chosen = np.asarray(frames, dtype=int)
    if chosen.size == 0 or chosen.min() < -count or chosen.max() >= count:
        raise ArgumentError(f"frames is {frames}; give numbers from 0 to {count - 1}")
    rows, columns = r.lowrank.shape[:2]
    width = 2.3
    panels = panels_for(3 * len(chosen), ax, width, width * rows / columns + 0.25, len(chosen))
    parts = (("data", _whole(r)), ("low-rank part", r.lowrank), ("sparse part", r.sparse))
    limit = top_of(r.sparse[:, :, chosen])
    for k, panel in enumerate(panels):
        title, part = parts[k // len(chosen)]
        theme, frame = theme_of(panel), int(chosen[k % len(chosen)])
        look: Dict[str, Any] = {"cmap": "gray", "vmin": 0, "vmax": 1}
        if k >= 2 * len(chosen):
            look = {"cmap": signed_map(theme), "norm": signed_norm(limit)}
        panel.imshow(part[:, :, frame], aspect="equal", interpolation="nearest", **look)
        panel.set_xticks([])
        panel.set_yticks([])
        dress_map(panel, theme)
        if k % len(chosen) == 0:
            panel.set_ylabel(title)
        if k < len(chosen):
            panel.set_title(f"{r.axes[2].name or 'frame'} {r.axes[2].at(frame)}", fontsize=10)
    return panels


def _convergence(r: Answer, ax: Any) -> Any:
    history = r.history
    if not history or "worst_relative" not in history:
        raise ArgumentError("the run left no history; it may have had no iterations")
    (panel,) = panels_for(1, ax, 5.2, 3.3)
    theme = theme_of(panel)
    relative = bool(r.document["relative"])
    of_fit = history["phase"] == "fit"
    if not of_fit.any():
        of_fit = np.ones(of_fit.shape, dtype=bool)
    steps = history["iteration"][of_fit]
    worst = history["worst_relative" if relative else "worst"][of_fit]
    runs = np.split(np.arange(steps.size), np.flatnonzero(np.diff(steps) <= 0) + 1)
    for k, run in enumerate(runs):
        last = k == len(runs) - 1
        values = np.where(worst[run] > 0, worst[run], np.nan)
        panel.plot(
            steps[run], values, color=theme.accent if last else theme.muted,
            linewidth=1.8 if last else 0.8, alpha=1 if last else 0.5,
            marker="o" if run.size < 15 else None, markersize=4,
        )  # fmt: skip
    eps = r.certificate.eps
    panel.axhline(eps, color=theme.series[1], linewidth=1.5, linestyle=(0, (5, 4)))
    panel.annotate(
        f"asked {eps:g}", (1, eps), (0, 4), xycoords=("axes fraction", "data"),
        textcoords="offset points", ha="right", color=theme.series[1], fontsize=9,
    )  # fmt: skip
    log_ticks(panel)
    whole_ticks(panel)
    panel.set_xlabel("iteration")
    panel.set_ylabel("largest residual, relative" if relative else "largest residual")
    dress(panel, theme)
    return panel


# regression


def _column_name(r: Path, k: int) -> str:
    names = r.names
    return str(names[k]) if names is not None else f"column {k}"


def _lambda_axis(panel: Any, r: Path) -> None:
    positive = r.lambdas[r.lambdas > 0]
    if positive.size == r.lambdas.size:
        panel.set_xscale("log")
    if r.lambdas.size > 1:
        panel.set_xlim(r.lambdas.max(), r.lambdas.min())
    panel.set_xlabel("lambda")


def _mark_lambdas(panel: Any, theme: Theme, r: Path) -> None:
    """Lines at the lambdas that a cross-validation chooses."""
    if r.cv is None:
        return
    marks = [(r.cv.best, "best")]
    marks += [(r.cv.one_se, "one error")] if r.cv.one_se != r.cv.best else []
    for k, name in marks:
        words = f"{name}: {r.nonzeros[k]} columns" if r.nonzeros[k] != 1 else f"{name}: 1 column"
        panel.axvline(r.lambdas[k], color=theme.muted, linewidth=1.2, linestyle=(0, (5, 4)))
        panel.annotate(
            words, (r.lambdas[k], 1), (3, 3), xycoords=("data", "axes fraction"),
            textcoords="offset points", color=theme.muted, fontsize=8, annotation_clip=False,
            ha="left" if name == "best" else "right",
        )  # fmt: skip


def _path(r: Path, ax: Any) -> Any:
    (panel,) = panels_for(1, ax, 5.6, 3.6)
    theme = theme_of(panel)
    at = r.coef()
    ranked = [k for k in np.argsort(-np.abs(at), kind="stable") if at[k] != 0]
    for k in range(at.size):
        if k not in ranked:
            panel.plot(r.lambdas, r.coefficients[:, k], color=theme.muted, linewidth=0.8, alpha=0.4)
    ends = []
    for place, k in enumerate(ranked):
        named = place < len(theme.series)
        colour = colour_of(theme, place) if named else theme.muted
        panel.plot(r.lambdas, r.coefficients[:, k], color=colour, linewidth=1.8 if named else 1)
        if named:
            ends.append((float(r.coefficients[-1, k]), k, colour))
    panel.axhline(0, color=theme.muted, linewidth=0.8)
    _lambda_axis(panel, r)
    panel.margins(y=0.08)
    low, high = panel.get_ylim()
    room, last = (high - low) * 0.055, -np.inf
    for y, k, colour in sorted(ends):
        last = max(y, last + room)  # names do not lie on each other
        panel.text(
            1.02, (last - low) / (high - low), _column_name(r, k), transform=panel.transAxes,
            color=colour, va="center", fontsize=9,
        )  # fmt: skip
    _mark_lambdas(panel, theme, r)
    panel.set_ylabel("coefficient")
    dress(panel, theme)
    return panel


def _cv(r: Path, ax: Any) -> Any:
    if r.cv is None:
        raise ArgumentError("there was no cross-validation; fit with cv=5")
    (panel,) = panels_for(1, ax, 5.6, 3.6)
    theme = theme_of(panel)
    low, high = r.cv.deviance - r.cv.error, r.cv.deviance + r.cv.error
    panel.fill_between(r.lambdas, low, high, color=theme.series[0], alpha=0.18, linewidth=0)
    panel.plot(r.lambdas, r.cv.deviance, color=theme.series[0], linewidth=1.8)
    for k in {r.cv.best, r.cv.one_se}:
        panel.plot(r.lambdas[k], r.cv.deviance[k], "o", color=theme.series[0], markersize=6)
    _lambda_axis(panel, r)
    _mark_lambdas(panel, theme, r)
    if (low > 0).all() and high.max() > 20 * low.min():
        log_ticks(panel)
    panel.set_ylabel("deviance of rows left out")
    dress(panel, theme)
    return panel


def _coefficients(r: Path, ax: Any, *, which: Which = None, most: int = 30) -> Any:
    at = r.coef(which)
    ranked = [int(k) for k in np.argsort(-np.abs(at), kind="stable") if at[k] != 0][:most]
    (panel,) = panels_for(1, ax, 5.2, max(1.6, 0.26 * max(len(ranked), 1) + 1.0))
    theme = theme_of(panel)
    lam = r.lambdas[r.index(which)]
    if not ranked:
        panel.text(
            0.5, 0.5, f"nothing selected; lambda_max is {r.lambda_max:.4g}",
            transform=panel.transAxes, ha="center", va="center", color=theme.muted,
        )  # fmt: skip
        panel.set_yticks([])
    y = np.arange(len(ranked))[::-1]
    colours = [colour_of(theme, k) if k < len(theme.series) else theme.muted for k in range(len(y))]
    panel.barh(y, at[ranked], 0.7, color=colours)
    if ranked:
        panel.set_yticks(y, [_column_name(r, k) for k in ranked])
    panel.axvline(0, color=theme.muted, linewidth=0.8)
    panel.set_xlabel("coefficient")
    hidden = int(np.count_nonzero(at)) - len(ranked)
    panel.set_title(
        f"lambda {lam:.3g}" + (f", {hidden} smaller ones left out" if hidden else ""),
        loc="left", fontsize=10,
    )  # fmt: skip
    dress(panel, theme, grid=False)
    panel.grid(True, axis="x", color=theme.grid, linewidth=1)
    panel.set_axisbelow(True)
    panel.spines["left"].set_visible(False)
    panel.tick_params(axis="y", length=0)
    return panel


def _fit(r: Path, ax: Any, *, X: Any = None, y: Any = None, which: Which = None) -> Any:
    kept = r.__dict__["_inputs"]
    X = kept.get("X.npy", r.files.get("X.npy")) if X is None else X
    y = kept.get("y.npy", r.files.get("y.npy")) if y is None else y
    if X is None or y is None:
        raise ArgumentError('the data are not kept; give them, as plot("fit", X=X, y=y)')
    outcome = floats(y, "y").ravel()
    expected = r.predict(given(X, "X").values, which)
    (panel,) = panels_for(1, ax, 4.0, 3.8)
    theme = theme_of(panel)
    if r.model.startswith("logistic"):
        order = np.argsort(-expected, kind="stable")
        positive = outcome[order] == outcome.max()
        true = np.concatenate([[0.0], np.cumsum(positive) / max(1, positive.sum())])
        false = np.concatenate([[0.0], np.cumsum(~positive) / max(1, (~positive).sum())])
        area = float(np.sum(np.diff(false) * (true[1:] + true[:-1]) / 2))
        panel.plot(false, true, color=theme.series[0], linewidth=1.8, drawstyle="steps-post")
        panel.plot((0, 1), (0, 1), color=theme.muted, linewidth=1, linestyle=(0, (5, 4)))
        panel.set_xlabel("false positives")
        panel.set_ylabel("true positives")
        panel.set_title(f"area under the curve {area:.3f}", loc="left", fontsize=10)
    else:
        panel.plot(expected, outcome, "o", color=theme.series[0], markersize=4, alpha=0.7)
        ends = (min(expected.min(), outcome.min()), max(expected.max(), outcome.max()))
        room = 0.05 * (ends[1] - ends[0] or 1)
        ends = (ends[0] - room, ends[1] + room)
        panel.plot(ends, ends, color=theme.muted, linewidth=1, linestyle=(0, (5, 4)))
        panel.set_xlim(ends)
        panel.set_ylim(ends)
        panel.set_xlabel("predicted")
        panel.set_ylabel("observed")
        spread = float(np.sum((outcome - outcome.mean()) ** 2))
        share = 1 - float(np.sum((outcome - expected) ** 2)) / spread if spread > 0 else np.nan
        panel.set_title(f"{100 * share:.1f} % explained", loc="left", fontsize=10)
    panel.set_aspect("equal")
    dress(panel, theme)
    return panel


# the others


def _loadings(r: SPCAResult, ax: Any) -> Any:
    modes = len(r.factors)
    panels = panels_for(len(r) * modes, ax, 4.2, 2.1, modes)
    for k, panel in enumerate(panels):
        component, mode = divmod(k, modes)
        theme, axis = theme_of(panel), r.axes[mode]
        values = r.factors[mode][:, component]
        x, colour = positions(axis, values.size), colour_of(theme, component)
        there = values != 0
        panel.vlines(x[there], 0, values[there], color=colour, linewidth=1.4)
        panel.plot(x[there], values[there], "o", color=colour, markersize=3.5)
        panel.axhline(0, color=theme.muted, linewidth=0.8)
        gap = (x[-1] - x[0]) / max(1, x.size - 1)
        panel.set_xlim(x[0] - gap, x[-1] + gap)
        panel.margins(y=0.12)
        panel.set_title(f"{there.sum()} of {values.size} are not 0", loc="left", fontsize=9)
        if mode == 0:
            panel.set_ylabel(f"component {component + 1}")
        if component == len(r) - 1:
            panel.set_xlabel(name_of(axis, mode))
        dress(panel, theme)
        tick_labels(panel, axis, values.size)
    return panels


def _scores(r: Scores, ax: Any, *, most: int = 5) -> Any:

    (panel,) = panels_for(1, ax, 4.8, 3.6)
    theme = theme_of(panel)
    panel.plot(r.distance, r.share, "o", color=theme.series[0], markersize=5, alpha=0.8)
    axis = r.axes[r.axis] if len(r.axes) > r.axis else Axis()
    if axis.numbers is not None and axis.numbers.size != r.share.size:
        axis = Axis(axis.name, axis.unit)

    def beyond(values: Floats) -> Floats:
        middle = np.nanmedian(values)
        spread = 1.4826 * np.nanmedian(np.abs(values - middle))
        return np.asarray((values - middle) / (spread or 1))

    far = np.maximum(beyond(r.distance), beyond(r.share))
    for k in np.argsort(-far)[:most]:
        if far[k] > 2.5:
            panel.annotate(
                f"{axis.name or 'slice'} {axis.at(int(k))}", (r.distance[k], r.share[k]), (6, 0),
                textcoords="offset points", fontsize=8, color=theme.ink, va="center",
                annotation_clip=False,
            )  # fmt: skip
    percent_ticks(panel)
    panel.set_xlim(left=0)
    panel.set_ylim(bottom=0)
    panel.set_xlabel("distance from the slices of the model (robust deviations)")
    panel.set_ylabel("outliers")
    dress(panel, theme)
    return panel


def _blocks(r: Result, ax: Any) -> Any:
    panels = panels_for(len(r.x), ax, 4.2, 3.0)
    for panel, (name, x) in zip(panels, r.x.items()):
        theme = theme_of(panel)
        zeros = int(np.count_nonzero(x == 0))
        about = f"{name}: {zeros} of {x.size} are 0" if zeros else name
        panel.set_title(about, loc="left", fontsize=10)
        if x.ndim >= 2 and min(x.shape[0], x.size // x.shape[0]) > 1:
            matrix = x.reshape(x.shape[0], -1)
            shown = image(
                panel, theme, matrix, (Axis(), Axis()), ("row", "column"),
                cmap=signed_map(theme), norm=signed_norm(top_of(matrix)),
            )  # fmt: skip
            bar_beside(panel, theme, shown)
            continue
        values = x.ravel()
        there, at = values != 0, np.arange(values.size)
        panel.vlines(at[there], 0, values[there], color=theme.series[0], linewidth=1.4)
        panel.plot(at[there], values[there], "o", color=theme.series[0], markersize=3.5)
        panel.axhline(0, color=theme.muted, linewidth=0.8)
        panel.set_xlim(-0.6, values.size - 0.4)
        panel.set_xlabel("entry")
        dress(panel, theme)
    return panels


KINDS: Dict[Type[Answer], Dict[str, Drawing]] = {
    RPCAResult: {
        "components": _components,
        "parts": _parts,
        "outliers": _outliers,
        "rank": _rank,
        "convergence": _convergence,
        "frames": _frames,
    },
    SPCAResult: {"loadings": _loadings, "convergence": _convergence},
    Path: {"path": _path, "cv": _cv, "coefficients": _coefficients, "fit": _fit},
    Scores: {"scores": _scores},
    Result: {"blocks": _blocks, "convergence": _convergence},
}


def _kinds(r: Answer) -> Dict[str, Drawing]:
    """The pictures of a result, or of what it is a kind of."""
    return next((KINDS[c] for c in type(r).__mro__ if c in KINDS), {})


def _usual(r: Answer) -> str:
    if isinstance(r, RPCAResult) and _is_video(r):
        return "frames"
    if isinstance(r, RPCAResult) and not r.factors:
        return "parts"
    return next(iter(_kinds(r)))


def plot(r: Answer, kind: Optional[str] = None, *, ax: Any = None, **options: Any) -> Any:
    """Draws a result; see `crease.Answer.plot`."""
    kinds = _kinds(r)
    if not kinds:
        raise ArgumentError(f"a result of {r.verb} has no pictures")
    if kind is None:
        kind = _usual(r)
    if kind not in kinds:
        raise ArgumentError(f"kind is {kind!r}; give one of {', '.join(kinds)}")
    try:
        drawing = kinds[kind]
        allowed = (drawing.__kwdefaults__ or {}).keys()
        unknown = options.keys() - allowed
        if unknown:
            takes = f"takes {', '.join(allowed)}" if allowed else "takes no options"
            raise ArgumentError(f"{kind!r} does not take {', '.join(sorted(unknown))}; it {takes}")
        return drawing(r, ax, **options)
    except ImportError as e:
        raise ImportError("pictures need Matplotlib; install it, or use report()") from e
