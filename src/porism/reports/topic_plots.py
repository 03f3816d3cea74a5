"""Plots of values per topic: differences against the baseline, spread, confidence intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.evaluate.significance import TIE
from porism.extras import need
from porism.reports.canvas import Plot, drawing, grid_of_panels, new_figure, short_names, styles
from porism.reports.theme import light
from porism.reports.words import per_cent, signed

Interval = tuple[float, float]

ROUND_NUMBERS = tuple(base * 10**power for power in range(-3, 7) for base in (1, 2, 5))
"""Where a logarithmic axis is labelled."""


def differences_plot(
    topics: Sequence[str], values: Mapping[str, ArrayLike], baseline: str, measure: str, *, named: int = 2
) -> Plot:
    """Each run's difference from the baseline on each topic, as bars from the best to the worst; a panel a run.

    :param values: run → value of each topic [T], NaN where the measure is undefined (such topics are left out).
    :param named: how many of the best and of the worst topics are named.
    """
    base = np.asarray(values[baseline], np.float64)
    others = [name for name in values if name != baseline]
    labels = dict(zip(others, short_names(others, 34), strict=True))
    words: list[str] = []
    lowest = highest = 0.0
    with drawing():
        figure, panels = grid_of_panels(len(others), 2 if len(others) > 1 else 1, 1.75, sharey=True)
        for name, axes in zip(others, panels, strict=True):
            gaps = np.asarray(values[name], np.float64) - base
            known = np.flatnonzero(~np.isnan(gaps))
            order = known[np.argsort(-gaps[known], kind="stable")]
            bars = gaps[order]
            wins, losses = int((bars > TIE).sum()), int((bars < -TIE).sum())
            axes.bar(
                np.arange(len(bars)), bars, width=0.82,
                color=[light("series-1") if bar > 0 else light("series-2") for bar in bars], linewidth=0,
            )
            axes.axhline(0, color=light("muted"), linewidth=0.7)
            axes.set_xticks([])
            axes.spines["bottom"].set_visible(False)
            axes.margins(x=0.01)
            mean = float(bars.mean()) if len(bars) else 0.0
            axes.set_title(labels[name])
            lines = [f"{wins} better, {len(bars) - wins - losses} equal, {losses} worse", f"mean {signed(mean)}"]
            best = [topics[t] for t in order[:named] if gaps[t] > TIE]
            worst = [topics[t] for t in order[::-1][:named] if gaps[t] < -TIE]
            if worst:
                lines.append(f"worst: {', '.join(worst)}")
            axes.text(1, 1.02, "\n".join(lines), transform=axes.transAxes, ha="right", va="top", fontsize=7.5,
                      color=light("muted"), linespacing=1.25)
            if best:
                axes.text(0.01, 0.02, f"best: {', '.join(best)}", transform=axes.transAxes, fontsize=7.5,
                          color=light("muted"), va="bottom")
            lowest, highest = min([lowest, *bars]), max([highest, *bars])
            words.append(f"{name}: {wins} topics better, {losses} worse, mean difference {signed(mean)}.")
        room = (highest - lowest) or 1.0  # for the words above the worst and below the best
        panels[0].set_ylim(min(lowest, -0.2 * room) * 1.05, max(highest, 0.42 * room) * 1.1)
        figure.supylabel(f"difference in {measure}", fontsize=9, color=light("muted"))
    return Plot(
        "differences",
        f"Per-topic differences from {baseline}",
        f"Each bar is one topic: how far {measure} of the run is above (blue) or below (orange) that of {baseline}. "
        "Topics are sorted by the difference, for each run on its own; equal ones have no bar.",
        " ".join(words),
        figure,
    )


def boxes_plot(values: Mapping[str, ArrayLike], measure: str, *, baseline: int | None = None) -> Plot:
    """How the topics' values of each run are spread: quartiles, whiskers, median, mean, and every topic as a mark.

    :param values: run → value of each topic [T]; NaN is left out.
    """
    names = list(values)
    looks = styles(len(names), baseline)
    words: list[str] = []
    with drawing():
        patches = need("matplotlib.patches", "lab", "drawing plots")
        figure = new_figure(height=0.9 + 0.42 * len(names))
        axes = figure.subplots()
        for row, (name, look) in enumerate(zip(names, looks, strict=True)):
            found = np.asarray(values[name], np.float64)
            found = found[~np.isnan(found)]
            if not len(found):
                continue
            axes.scatter(
                found, np.full(len(found), row + 0.3), marker="|", s=22, color=look.colour, alpha=0.55, linewidths=0.9
            )
            low, middle, high = np.quantile(found, [0.25, 0.5, 0.75])
            reach = 1.5 * (high - low)
            first, last = found[found >= low - reach].min(), found[found <= high + reach].max()
            for start, stop in ((first, low), (high, last)):
                axes.plot([start, stop], [row, row], color=look.colour, linewidth=1.1)
            axes.add_patch(patches.Rectangle(
                (low, row - 0.16), high - low, 0.32, facecolor="none", edgecolor=look.colour, linewidth=1.3
            ))
            axes.plot([middle] * 2, [row - 0.16, row + 0.16], color=light("ink"), linewidth=2.2, solid_capstyle="butt")
            axes.plot([found.mean()], [row], marker="D", markersize=4.5, markerfacecolor=light("surface"),
                      markeredgecolor=light("ink"))
            words.append(f"{name}: median {middle:.3f}, quartiles {low:.3f} and {high:.3f}, mean {found.mean():.3f}.")
        axes.set_yticks(range(len(names)), short_names(names))
        axes.tick_params(axis="y", length=0, labelcolor=light("ink"))
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(f"{measure} of a topic")
    return Plot(
        "spread",
        f"How {measure} is spread over the topics",
        "The box holds the middle half of the topics, the line in it is the median and the diamond the mean; whiskers "
        "reach the last topic within one and a half boxes. Below each box every topic is one stroke.",
        " ".join(words),
        figure,
    )


def intervals_plot(
    means: Mapping[str, float],
    intervals: Mapping[str, Interval],
    gaps: Mapping[str, float],
    gap_intervals: Mapping[str, Interval],
    measure: str,
    *,
    baseline: str,
    level: float = 0.95,
    stars: Mapping[str, str] | None = None,
) -> Plot:
    """Means with their confidence intervals, and the paired differences from the baseline with theirs.

    :param gaps: run → mean difference, without the baseline; ``gap_intervals`` likewise.
    """
    names = list(means)
    looks = styles(len(names), names.index(baseline))
    words: list[str] = []
    with drawing():
        figure = new_figure(height=0.95 + 0.3 * len(names))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[1, 1])
        for row, (name, look) in enumerate(zip(names, looks, strict=True)):
            low, high = intervals[name]
            left.plot([low, high], [row, row], color=look.colour, linewidth=2, solid_capstyle="round")
            left.plot([means[name]], [row], marker=look.marker, color=look.colour, markersize=6)
            words.append(f"{name}: {means[name]:.3f}, from {low:.3f} to {high:.3f}.")
            if name not in gaps:
                right.annotate("baseline", (0, row), xytext=(5, 0), textcoords="offset points", va="center",
                               fontsize=8, color=light("muted"))
                continue
            low, high = gap_intervals[name]
            right.plot([low, high], [row, row], color=look.colour, linewidth=2, solid_capstyle="round")
            right.plot([gaps[name]], [row], marker=look.marker, color=look.colour, markersize=6)
            right.annotate(
                f"{signed(gaps[name])}{' ' + stars[name] if stars and stars.get(name) else ''}", (1.02, row),
                xycoords=("axes fraction", "data"), va="center", fontsize=8, annotation_clip=False,
            )
            words.append(f"Difference from {baseline}: {signed(gaps[name])}, from {signed(low)} to {signed(high)}.")
        left.axvline(means[baseline], color=light("muted"), linewidth=0.9, linestyle=(0, (3, 2)))
        right.axvline(0, color=light("muted"), linewidth=0.9, linestyle=(0, (3, 2)))
        left.set_yticks(range(len(names)), short_names(names))
        left.set_ylim(len(names) - 0.4, -0.6)
        left.set_xlabel(f"mean {measure}")
        right.set_xlabel(f"difference in {measure}")
        for axes in (left, right):
            axes.locator_params(axis="x", nbins=6)
            axes.grid(True, axis="x")
            axes.grid(False, axis="y")
            axes.spines["left"].set_visible(False)
            axes.tick_params(axis="y", length=0, labelcolor=light("ink"))
    return Plot(
        "intervals",
        f"Confidence intervals of {measure}",
        f"Left: the mean of each run; right: its mean difference from {baseline}, topic by topic. Lines are "
        f"{per_cent(level)} bootstrap intervals over topics. Intervals on the left may overlap where the difference is "
        "certain, since topics that are hard for one run are hard for the others; the right half takes that out.",
        " ".join(words),
        figure,
    )


def feature_plot(
    feature: ArrayLike,
    values: Mapping[str, ArrayLike],
    measure: str,
    *,
    name: str,
    label: str,
    title: str,
    baseline: int | None = None,
    groups: int = 5,
    percent: bool = False,
) -> Plot:
    """Each topic's value against a feature of its query, a panel a run, with the means of equally large groups.

    After figure 8 of Novotný et al. 2021, whose runs lie in one panel; here each has its own, over the others' steps.

    :param feature: of each topic [T]; NaN leaves the topic out.
    :param values: run → value of each topic [T].
    """
    x = np.asarray(feature, np.float64)
    names = list(values)
    labels = short_names(names, 24)
    looks = styles(len(names), baseline)
    stacked = {run: np.asarray(values[run], np.float64) for run in names}
    steps = {run: group_means(x, stacked[run], groups) for run in names}
    positive = x[~np.isnan(x)]
    logarithmic = bool(len(positive)) and not percent and positive.min() > 0 and positive.max() / positive.min() > 12
    words: list[str] = []
    count = max(len(means) for _, means in steps.values())
    faint = light("context" if len(names) <= 8 else "grid")
    with drawing():
        figure, panels = grid_of_panels(len(names), 3 if len(names) > 2 else 2, 1.75, sharex=True, sharey=True)
        for run, text, look, axes in zip(names, labels, looks, panels, strict=True):
            for other in names:
                edges, means = steps[other]
                if other != run and len(means):
                    axes.stairs(means, edges, baseline=None, color=faint, linewidth=0.9)
            axes.scatter(x, stacked[run], s=9, marker=look.marker, color=look.colour, alpha=0.5, linewidths=0)
            edges, means = steps[run]
            if len(means):
                axes.stairs(means, edges, baseline=None, color=look.colour, linewidth=2)
                words.append(f"{run}: {', '.join(f'{mean:.3f}' for mean in means)}.")
            axes.set_title(text)
            if logarithmic:
                axes.set_xscale("log")
                ticks = [tick for tick in ROUND_NUMBERS if positive.min() <= tick <= positive.max()]
                axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
                axes.minorticks_off()
            elif percent:
                axes.xaxis.set_major_formatter(lambda tick, _: f"{100 * tick:g} %")
        figure.supxlabel(label, fontsize=9, color=light("muted"))
        figure.supylabel(measure, fontsize=9, color=light("muted"))
    return Plot(
        name, title,
        f"Each mark is one topic. The coloured steps are means of {count} groups of about equally many topics; the "
        f"grey ones those of the other runs.{' The horizontal scale is logarithmic.' if logarithmic else ''}",
        f"Means of {measure} from the lowest to the highest group. {' '.join(words)}",
        figure,
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

