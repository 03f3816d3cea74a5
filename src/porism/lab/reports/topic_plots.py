"""Plots of values per topic: differences against the baseline, spread, confidence intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.extras import need
from porism.lab.evaluate.bootstrap import Interval
from porism.lab.evaluate.significance import TIE
from porism.lab.reports.canvas import Plot, bare_rows, drawing, short_names, styles
from porism.lab.reports.layout import MANY, AxisScale, grid_of_panels, linear_scale, new_figure, segments, widest
from porism.lab.reports.theme import light
from porism.lab.reports.words import others as others_are
from porism.lab.reports.words import panels_note, per_cent, signed

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROUND_NUMBERS = tuple(base * 10**power for power in range(-3, 7) for base in (1, 2, 5))
"""Where a logarithmic axis is labelled."""


def differences_plot(
    topics: Sequence[str], values: Mapping[str, ArrayLike], baseline: str, measure: str, *, named: int = 2,
    shown: Sequence[str] | None = None,
) -> Plot:
    """Each run's difference from the baseline on each topic, as bars from the best to the worst; a panel a run.

    :param values: run → value of each topic [T], NaN where the measure is undefined (such topics are left out).
    :param named: how many of the best and of the worst topics are named, where panels are wide enough.
    :param shown: the runs that have a panel, by default all.
    """
    base = np.asarray(values[baseline], np.float64)
    others = [name for name in values if name != baseline and (shown is None or name in shown)]
    left_out = len(values) - 1 - len(others)
    gaps_of = {name: np.asarray(values[name], np.float64) - base for name in others}
    known = np.concatenate([np.zeros(1), *(gaps[~np.isnan(gaps)] for gaps in gaps_of.values())])
    lowest, highest = float(known.min()), float(known.max())
    room = (highest - lowest) or 1.0  # for the words above the worst and below the best
    compact = len(others) > MANY
    words: list[str] = []
    with drawing():
        y = linear_scale(min(lowest, -0.2 * room) * 1.05, max(highest, 0.42 * room) * 1.1)
        drawn = [tick for tick in y.ticks if tick <= highest]  # no line through the words
        y = replace(y, ticks=drawn, labels=y.labels[: len(drawn)]) if len(drawn) > 1 else y
        most = max(map(len, gaps_of.values()), default=0)
        figure, panels = grid_of_panels(
            len(others), (4 if compact else 2) if len(others) > 1 else 1, 0.95 if compact else 1.5,
            AxisScale(-0.5 - 0.01 * most, most - 0.5 + 0.01 * most, (), ()), y, up=f"difference in {measure}",
        )
        labels = dict(zip(values, short_names(list(values), 20 if compact else 34), strict=True))
        for name, axes in zip(others, panels, strict=True):
            gaps = gaps_of[name]
            order = np.flatnonzero(~np.isnan(gaps))
            order = order[np.argsort(-gaps[order], kind="stable")]
            bars = gaps[order]
            wins, losses = int((bars > TIE).sum()), int((bars < -TIE).sum())
            ties = len(bars) - wins - losses
            _bars(axes, bars)
            axes.axhline(0, color=light("muted"), linewidth=0.7)
            mean = float(bars.mean()) if len(bars) else 0.0
            axes.set_title(labels[name], pad=3, fontsize=8 if compact else 9)
            best = [topics[t] for t in order[:named] if gaps[t] > TIE]
            worst = [topics[t] for t in order[::-1][:named] if gaps[t] < -TIE]
            if compact:
                lines = [f"{wins} · {ties} · {losses}", signed(mean)]
            else:
                lines = [f"{wins} better, {ties} equal, {losses} worse", f"mean {signed(mean)}"]
                if worst:
                    lines.append(f"worst: {', '.join(worst)}")
                if best:
                    axes.text(0.01, 0.02, f"best: {', '.join(best)}", transform=axes.transAxes, fontsize=7.5,
                              color=light("muted"), va="bottom")
            axes.text(1, 1.0 if compact else 1.02, "\n".join(lines), transform=axes.transAxes, ha="right", va="top",
                      fontsize=7.5, color=light("muted"), linespacing=1.25)
            words.append(f"{name}: {wins} topics better, {losses} worse, mean difference {signed(mean)}.")
    return Plot(
        "differences",
        f"Per-topic differences from {baseline}",
        f"Each bar is one topic: how far {measure} of the run is above (blue) or below (orange) that of {baseline}. "
        f"Topics are sorted by the difference{', for each run on its own' if len(others) > 1 else ''}; equal ones have "
        "no bar."
        + (" The numbers are the topics on which the run is better, equal and worse, and the mean difference."
           if compact else "")
        + (f" These are the {len(others)} runs that differ most; {others_are(left_out)} in the tables."
           if left_out else ""),
        " ".join(words),
        figure,
    )


def _bars(axes: Axes, heights: NDArray[np.float64], width: float = 0.82) -> None:
    """Bars from 0 at 0, 1, …: those above as one shape and those below as another; 0 has none."""
    paths = need("matplotlib.path", "lab", "drawing plots")
    patches = need("matplotlib.patches", "lab", "drawing plots")
    for name, drawn in (("series-1", heights > 0), ("series-2", heights < 0)):
        x = np.flatnonzero(drawn).astype(np.float64)
        if not len(x):
            continue
        zero, up = np.zeros(len(x)), heights[drawn]
        left, right = x - width / 2, x + width / 2
        corners = np.stack([[left, zero], [left, up], [right, up], [right, zero], [left, zero]])  # [5, 2, bars]
        codes = np.tile([paths.Path.MOVETO, *[paths.Path.LINETO] * 3, paths.Path.CLOSEPOLY], len(x))
        path = paths.Path(corners.transpose(2, 0, 1).reshape(-1, 2), codes)
        axes.add_artist(patches.PathPatch(path, facecolor=light(name), linewidth=0))


def boxes_plot(values: Mapping[str, ArrayLike], measure: str, *, baseline: int | None = None) -> Plot:
    """How the topics' values of each run are spread: quartiles, whiskers, median, mean, and every topic as a mark.

    :param values: run → value of each topic [T]; NaN is left out.
    """
    names = list(values)
    run_styles = styles(len(names), baseline)
    labels = short_names(names)
    words: list[str] = []
    middles: list[tuple[float, float]] = []
    means: list[tuple[float, float]] = []
    with drawing():
        figure = new_figure(height=0.6 + (0.34 if len(names) > MANY else 0.42) * len(names), left=widest(labels))
        axes = figure.subplots()
        for row, (name, look) in enumerate(zip(names, run_styles, strict=True)):
            points = np.asarray(values[name], np.float64)
            points = points[~np.isnan(points)]
            if not len(points):
                continue
            axes.plot(*segments(points, np.full(len(points), row + 0.23), points, np.full(len(points), row + 0.37)),
                      color=look.colour, alpha=0.55, linewidth=0.9, solid_capstyle="butt")
            low, middle, high = np.quantile(points, [0.25, 0.5, 0.75])
            reach = 1.5 * (high - low)
            first, last = points[points >= low - reach].min(), points[points <= high + reach].max()
            axes.plot(*segments([first, high], [row, row], [low, last], [row, row]), color=look.colour, linewidth=1.1)
            axes.plot([low, high, high, low, low], row + np.array([-0.16, -0.16, 0.16, 0.16, -0.16]),
                      color=look.colour, linewidth=1.3)
            middles.append((middle, row))
            means.append((float(points.mean()), row))
            words.append(f"{name}: median {middle:.3f}, quartiles {low:.3f} and {high:.3f}, mean {points.mean():.3f}.")
        across, rows = np.reshape(middles, (-1, 2)).T
        axes.plot(*segments(across, rows - 0.16, across, rows + 0.16), color=light("ink"), linewidth=2.2,
                  solid_capstyle="butt")
        axes.plot(*np.reshape(means, (-1, 2)).T, linestyle="none", marker="D", markersize=4.5,
                  markerfacecolor=light("surface"), markeredgecolor=light("ink"))
        bare_rows(axes, labels)
        axes.set_xlabel(f"{measure} of a topic")
    return Plot(
        "spread",
        f"How {measure} is spread over the topics",
        "The box holds the middle half of the topics, the line in it is the median and the diamond the mean; whiskers "
        f"reach the last topic within one and a half boxes. Below {'each' if len(names) > 1 else 'the'} box every "
        "topic is one stroke.",
        " ".join(words),
        figure,
    )


def intervals_plot(
    means: Mapping[str, float], intervals: Mapping[str, Interval], gaps: Mapping[str, float],
    gap_intervals: Mapping[str, Interval], measure: str, *, baseline: str, level: float = 0.95,
    stars: Mapping[str, str] | None = None, summed: bool = False,
) -> Plot:
    """Means with their confidence intervals, and the paired differences from the baseline with theirs.

    :param gaps: run → mean difference, without the baseline; ``gap_intervals`` likewise.
    :param summed: the measure is a count: sums replace means.
    """
    names = list(means)
    run_styles = styles(len(names), names.index(baseline))
    labels = short_names(names)
    digits = 0 if summed else 3
    texts = {
        name: f"{signed(gap, digits)}{' ' + stars[name] if stars and stars.get(name) else ''}"
        for name, gap in gaps.items()
    }
    words: list[str] = []
    with drawing():
        figure = new_figure(height=0.6 + 0.3 * len(names), left=widest(labels), right=widest(texts.values()), columns=2,
                            across=0.2)
        left, right = figure.subplots(1, 2, sharey=True)
        for row, (name, look) in enumerate(zip(names, run_styles, strict=True)):
            low, high = intervals[name]
            left.plot([low, high], [row, row], color=look.colour, linewidth=2, solid_capstyle="round")
            left.plot([means[name]], [row], marker=look.marker, color=look.colour, markersize=6)
            words.append(f"{name}: {means[name]:.{digits}f}, from {low:.{digits}f} to {high:.{digits}f}.")
            if name not in gaps:
                right.annotate("baseline", (0, row), xytext=(5, 0), textcoords="offset points", va="center",
                               fontsize=8, color=light("muted"))
                continue
            low, high = gap_intervals[name]
            right.plot([low, high], [row, row], color=look.colour, linewidth=2, solid_capstyle="round")
            right.plot([gaps[name]], [row], marker=look.marker, color=look.colour, markersize=6)
            right.text(1.02, row, texts[name], transform=right.get_yaxis_transform(), va="center", fontsize=8)
            words.append(
                f"Difference from {baseline}: {signed(gaps[name], digits)}, from {signed(low, digits)} to "
                f"{signed(high, digits)}."
            )
        left.axvline(means[baseline], color=light("muted"), linewidth=0.9, linestyle=(0, (3, 2)))
        right.axvline(0, color=light("muted"), linewidth=0.9, linestyle=(0, (3, 2)))
        low, high = right.get_xlim()
        right.set_xlim(low, max(high, -0.25 * low))  # room for the word beside the baseline
        for axes in (left, right):
            bare_rows(axes, labels)
            axes.locator_params(axis="x", nbins=6)
        right.tick_params(axis="y", labelleft=False)
        left.set_xlabel(f"{'sum of' if summed else 'mean'} {measure}")
        right.set_xlabel(f"difference in {measure}")
    return Plot(
        "intervals",
        f"Confidence intervals of {measure}",
        f"Left: the {'sum' if summed else 'mean'} of each run; right: {'the' if summed else 'its mean'} difference "
        f"from {baseline}, topic by topic. Lines are {per_cent(level)} bootstrap intervals over topics. Intervals on "
        "the left may overlap where the difference is certain, since topics that are hard for one run are hard for "
        "the others; the right half takes that out.",
        " ".join(words),
        figure,
    )


def feature_plot(
    feature: ArrayLike, values: Mapping[str, ArrayLike], measure: str, *, name: str, label: str, title: str,
    baseline: int | None = None, groups: int = 5, percent: bool = False, shown: Sequence[str] | None = None,
) -> Plot:
    """Each topic's value against a feature of its query, a panel a run, with the means of equally large groups.

    After figure 8 of Novotný et al. 2021, whose runs lie in one panel; here each has its own, over the others' steps.

    :param feature: of each topic [T]; NaN leaves the topic out.
    :param values: run → value of each topic [T].
    :param shown: the runs that have a panel, by default all; the others are in the background.
    """
    x = np.asarray(feature, np.float64)
    run_styles = dict(zip(values, styles(len(values), baseline), strict=True))
    names = [run for run in values if shown is None or run in shown]
    stacked = {run: np.asarray(column, np.float64) for run, column in values.items()}
    steps = {run: _stairs(*group_means(x, column, groups)) for run, column in stacked.items()}
    positive = x[~np.isnan(x)]
    logarithmic = bool(len(positive)) and not percent and positive.min() > 0 and positive.max() / positive.min() > 12
    words: list[str] = []
    means = {run: group_means(x, column, groups)[1] for run, column in stacked.items()}
    count = max(map(len, means.values()))
    compact = len(names) > MANY
    with drawing():
        figure, panels = grid_of_panels(
            len(names), 4 if compact else 3 if len(names) > 2 else 2, 1.0 if compact else 1.4,
            _feature_scale(positive, logarithmic, percent, compact), _value_scale(stacked.values()), across=label,
            up=measure,
        )
        labels = dict(zip(values, short_names(list(values), 20 if compact else 24), strict=True))
        for run, axes in zip(names, panels, strict=True):
            look = run_styles[run]
            behind = [step for other, step in steps.items() if other != run]
            if behind:
                axes.plot(*np.concatenate(behind, axis=1), color=light("grid" if compact else "context"), linewidth=0.9)
            axes.plot(x, stacked[run], linestyle="none", markersize=2.6 if compact else 3, marker=look.marker,
                      color=look.colour, alpha=0.5, markeredgewidth=0)
            axes.plot(*steps[run], color=look.colour, linewidth=2, solid_capstyle="butt")
            if len(means[run]):
                words.append(f"{run}: {', '.join(f'{mean:.3f}' for mean in means[run])}.")
            axes.set_title(labels[run], pad=3, fontsize=8 if compact else 9)
    others = f"; the grey ones those of the other {'runs' if len(values) > 2 else 'run'}" if len(values) > 1 else ""
    return Plot(
        name, title,
        "Each mark is one topic. The coloured steps are means of "
        f"{f'{count} groups of about equally many topics' if count > 1 else 'all topics'}"
        f"{others}."
        f"{' The horizontal scale is logarithmic.' if logarithmic else ''}"
        + panels_note(len(values) - len(names)),
        f"Means of {measure} from the lowest to the highest group. {' '.join(words)}",
        figure,
    )


def _stairs(edges: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outline of steps [2, 2G + 1] with a gap behind it."""
    return np.stack([
        np.append(np.repeat(edges, 2)[1:-1], np.nan) if len(means) else np.full(1, np.nan),
        np.append(np.repeat(means, 2), np.nan),
    ])


def _value_scale(columns: Iterable[NDArray[np.float64]]) -> AxisScale:
    values = np.concatenate(list(columns))
    values = values[~np.isnan(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 1.0)
    room = 0.06 * (high - low)
    return linear_scale(low - room, high + room)


def _feature_scale(known: NDArray[np.float64], logarithmic: bool, percent: bool, compact: bool) -> AxisScale:
    if not len(known):
        return AxisScale(0, 1, (), ())
    low, high = float(known.min()), float(known.max())
    if logarithmic:
        ticks = [tick for tick in ROUND_NUMBERS if low <= tick <= high]
        room = (high / low) ** 0.05
        return AxisScale(low / room, high * room, ticks, [f"{tick:g}" for tick in ticks], logarithmic=True)
    room = 0.05 * (high - low)
    return linear_scale(
        low - room, high + room, ticks=3 if compact else 5,
        label=(lambda tick: per_cent(round(tick, 6))) if percent else (lambda tick: f"{tick:g}"),
    )


def group_means(x: ArrayLike, y: ArrayLike, groups: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Means of ``y`` in at most ``groups`` groups of equally many points by ``x``: edges [G + 1] and means [G].

    Points with the same ``x`` stay together, so groups may be fewer; an edge lies halfway between two groups.
    """
    across, up = np.asarray(x, np.float64), np.asarray(y, np.float64)
    known = ~(np.isnan(across) | np.isnan(up))
    across, up = across[known], up[known]
    if not len(across):
        return np.empty(0), np.empty(0)
    order = np.argsort(across, kind="stable")
    across, up = across[order], up[order]
    cuts = [0]
    for number in range(1, groups):
        cut = round(number * len(across) / groups)
        while 0 < cut < len(across) and across[cut] == across[cut - 1]:
            cut += 1
        if cuts[-1] < cut < len(across):
            cuts.append(cut)
    bounds = [*cuts, len(across)]
    edges = [across[0], *((across[cut - 1] + across[cut]) / 2 for cut in cuts[1:]), across[-1]]
    return np.asarray(edges), np.asarray([up[a:b].mean() for a, b in pairwise(bounds)])

