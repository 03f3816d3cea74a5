"""Plots of curves: precision and recall, depth, tuned parameters; and of times and groups of topics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from porism.reports.canvas import (
    Plot,
    Style,
    drawing,
    grid_of_panels,
    label_lines,
    legend,
    new_figure,
    short_names,
    styles,
)
from porism.reports.theme import light


def precision_recall_plot(curves: Mapping[str, ArrayLike], *, baseline: int | None = None, note: str = "") -> Plot:
    """Interpolated precision at the recall levels 0, 0.1, …, 1 of each run.

    :param curves: run → precision [11].
    """
    names = list(curves)
    recall = np.linspace(0, 1, 11)
    words = [f"{name}: {', '.join(f'{value:.3f}' for value in np.asarray(curves[name]))}." for name in names]
    figure = _lines(
        recall, [np.asarray(curves[name], np.float64) for name in names], names, baseline, "recall", "precision",
        ticks=[0, 0.2, 0.4, 0.6, 0.8, 1], named_at_end=False,  # where all lines meet
    )
    return Plot(
        "precision-recall", "Precision at levels of recall",
        "Across is the share of a topic's relevant documents that was found; upwards the highest precision from the "
        f"rank on at which that share is reached, averaged over topics.{' ' + note if note else ''} Lines further up "
        "and to the right are better; the names stand in the order of the mean precision.",
        f"Precision at recall 0, 0.1, …, 1. {' '.join(words)}",
        figure,
    )


def depths_plot(
    depths: Sequence[int], values: Mapping[str, ArrayLike], measure: str, *, baseline: int | None = None
) -> Plot:
    """A measure of each run when only its first results count.

    :param values: run → mean at each depth [D].
    """
    names = list(values)
    words = [f"{name}: {', '.join(f'{value:.3f}' for value in np.asarray(values[name]))}." for name in names]
    figure = _lines(
        np.asarray(depths, np.float64), [np.asarray(values[name], np.float64) for name in names], names, baseline,
        "results of each topic that count", measure, ticks=list(depths), logarithmic=len(depths) > 2,
    )
    return Plot(
        "depths", f"{measure} at several depths",
        f"{measure} when only the first results of each topic count, as many as stand below. A line that no longer "
        f"rises has found what it finds.{' The horizontal scale is logarithmic.' if len(depths) > 2 else ''}",
        f"Depths {', '.join(map(str, depths))}. {' '.join(words)}",
        figure,
    )


def _lines(
    x: Any, lines: Sequence[Any], names: Sequence[str], baseline: int | None, across: str, up: str, *,
    ticks: Sequence[float], logarithmic: bool = False, named_at_end: bool = True,
) -> Any:
    looks = styles(len(names), baseline)
    with drawing():
        figure = new_figure(height=max(3.4, 0.6 + 0.17 * len(names)))
        axes = figure.subplots()
        for line, look in zip(lines, looks, strict=True):
            axes.plot(x, line, color=look.colour, linestyle=look.dash, marker=look.marker, markersize=4)
        if logarithmic:
            axes.set_xscale("log")
            axes.minorticks_off()
        axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
        axes.set_xlabel(across)
        axes.set_ylabel(up)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.02)
        if named_at_end:
            figure.draw_without_rendering()
            label_lines(axes, x[-1], [float(line[-1]) for line in lines], short_names(names), looks)
        else:
            order = sorted(range(len(names)), key=lambda number: -float(np.nanmean(lines[number])))
            legend(axes, [names[number] for number in order], [looks[number] for number in order], lines=True,
                   loc="upper left", bbox_to_anchor=(1.01, 1.02))
    return figure


def tuning_plot(
    trials: Sequence[tuple[Mapping[str, Any], float]], parameter: str, measure: str, *,
    chosen: Mapping[str, Any] | None = None, name: str = "tuning", what: str = "",
) -> Plot:
    """A measure against one tuned parameter, such as *k* of reciprocal rank fusion: each trial, the best of each value.

    :param trials: (parameters, value of the measure); those without the parameter are left out.
    :param chosen: the parameters that tuning settled on.
    """
    points = [(given[parameter], float(score)) for given, score in trials if parameter in given]
    numeric = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value, _ in points)
    values: list[Any] = sorted({value for value, _ in points}) if numeric else list(
        dict.fromkeys(str(value) for value, _ in points)
    )
    place: dict[Any, float] = {value: float(value) if numeric else float(at) for at, value in enumerate(values)}
    keyed = [(value if numeric else str(value), score) for value, score in points]
    best = {value: max(score for other, score in keyed if other == value) for value in values}
    top = chosen.get(parameter) if chosen else None
    top = top if numeric or top is None else str(top)
    logarithmic = numeric and len(values) > 3 and min(values) > 0 and max(values) / min(values) > 30
    with drawing():
        figure = new_figure(height=3.0)
        axes = figure.subplots()
        if len(points) > len(values):
            axes.scatter([place[value] for value, _ in keyed], [score for _, score in keyed], s=12, linewidths=0,
                         color=light("muted"), alpha=0.45)
        axes.plot([place[value] for value in values], [best[value] for value in values],
                  color=light("series-1"), marker="o", markersize=4, linestyle="-" if numeric else "none")
        if logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda tick, _: f"{tick:g}")
            axes.xaxis.set_minor_formatter(lambda tick, _: "")
        elif not numeric:
            axes.set_xticks(range(len(values)), short_names([str(value) for value in values]))
        if top in best:
            axes.plot([place[top]], [best[top]], marker="o", markersize=10, markerfacecolor="none",
                      markeredgecolor=light("series-2"), markeredgewidth=2, linestyle="none")
            axes.annotate(f"{parameter} = {top}: {best[top]:.3f}", (place[top], best[top]), xytext=(0, 11),
                          textcoords="offset points", ha="center", fontsize=8, fontweight="bold")
        axes.margins(y=0.18)
        axes.set_xlabel(parameter)
        axes.set_ylabel(measure)
    several = " Grey marks are all trials; other parameters differ among them." if len(points) > len(values) else ""
    return Plot(
        name, f"{measure} against {parameter}{' of ' + what if what else ''}",
        f"The line is the best that was reached with each value tried.{several}"
        + (" The ring is the value chosen." if top in best else "")
        + (" The horizontal scale is logarithmic." if logarithmic else ""),
        f"Best {measure} by {parameter}: " + ", ".join(f"{value}: {best[value]:.3f}" for value in values) + ".",
        figure,
    )


def times_plot(seconds: Mapping[str, Sequence[float]], *, looks: Mapping[str, Style] | None = None) -> Plot:
    """How long queries took: every topic, median, 95th percentile and worst of each run, on a logarithmic scale.

    :param seconds: run → wall-clock seconds of its queries.
    :param looks: run → its style, where other plots have more runs.
    """
    names = list(seconds)
    chosen = [looks[name] for name in names] if looks else styles(len(names))
    words: list[str] = []
    with drawing():
        figure = new_figure(height=0.95 + 0.36 * len(names))
        axes = figure.subplots()
        for row, (name, look) in enumerate(zip(names, chosen, strict=True)):
            times = np.maximum(np.asarray(seconds[name], np.float64) * 1000, 1e-3)  # zero has no logarithm
            middle, late = np.quantile(times, [0.5, 0.95])
            axes.scatter(times, np.full(len(times), row + 0.27), marker="|", s=18, color=look.colour, alpha=0.5,
                         linewidths=0.9)
            axes.plot([middle, late], [row, row], color=look.colour, linewidth=2)
            axes.plot([late, times.max()], [row, row], color=look.colour, linewidth=1, linestyle=(0, (2, 1.5)))
            axes.plot([middle], [row], marker=look.marker, color=look.colour, markersize=6)
            axes.plot([late], [row], marker="|", color=look.colour, markersize=9, markeredgewidth=2)
            axes.annotate(f"{milliseconds(middle)} · {milliseconds(late)} · {milliseconds(times.max())}", (1.02, row),
                          xycoords=("axes fraction", "data"), va="center", fontsize=8, annotation_clip=False)
            words.append(f"{name}: median {milliseconds(middle)}, 95th percentile {milliseconds(late)}, "
                         f"worst {milliseconds(times.max())}.")
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda tick, _: milliseconds(tick))
        axes.xaxis.set_minor_formatter(lambda tick, _: "")
        axes.set_yticks(range(len(names)), short_names(names))
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0, labelcolor=light("ink"))
        axes.set_xlabel("time of a query, logarithmic")
    return Plot(
        "times", "Time of a query",
        "The mark is the median, the line reaches the 95th percentile and the dots the slowest query; strokes below "
        "are single queries. At the right: median, 95th percentile, worst.",
        " ".join(words),
        figure,
    )


def milliseconds(value: float) -> str:
    """A time given in milliseconds, with two digits that count: ``0.25 ms``, ``18 ms``, ``1.2 s``."""
    if value >= 60_000:
        return f"{value / 60_000:.3g} min"
    if value >= 1000:
        return f"{value / 1000:.2g} s" if value < 9950 else f"{value / 1000:.0f} s"
    digits = max(0, 1 - math.floor(math.log10(value))) if value > 0 else 0
    return f"{round(value, digits):g} ms"


def groups_plot(
    groups: Mapping[str, int], values: Mapping[str, Mapping[str, float]], measure: str, *,
    name: str, title: str, baseline: int | None = None,
) -> Plot:
    """Means of each run over groups of topics: a row a group, a mark a run.

    :param groups: group → how many topics it has.
    :param values: run → group → mean.
    """
    names = list(values)
    looks = styles(len(names), baseline)
    words: list[str] = []
    rows = [group for group, count in groups.items() if count]
    with drawing():
        figure, (axes,) = grid_of_panels(
            1, 1, 0.55 + max(0.42, 0.07 * len(names)) * len(rows) + 0.2 * -(-len(names) // 3)
        )
        step = min(0.1, 0.62 / max(1, len(names)))
        for position, (run, look) in enumerate(zip(names, looks, strict=True)):
            shift = (position - (len(names) - 1) / 2) * step
            points = [(values[run][group], row + shift) for row, group in enumerate(rows) if group in values[run]]
            axes.plot([x for x, _ in points], [y for _, y in points], linestyle="none", marker=look.marker,
                      color=look.colour, markersize=5.5)
        for group in rows:
            found = ", ".join(f"{run} {values[run][group]:.3f}" for run in names if group in values[run])
            words.append(f"{group} ({groups[group]} topics): {found}.")
        labels = [f"{text} ({groups[group]})" for group, text in zip(rows, short_names(rows), strict=True)]
        axes.set_yticks(range(len(rows)), labels)
        axes.set_ylim(len(rows) - 0.45, -0.55)
        for row in range(1, len(rows)):
            axes.axhline(row - 0.5, color=light("grid"), linewidth=0.7)
        axes.grid(True, axis="x")
        axes.grid(False, axis="y")
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0, labelcolor=light("ink"))
        axes.set_xlabel(f"mean {measure}")
        legend(figure, names, looks, loc="outside upper left", ncols=3)
    return Plot(
        name, title,
        "Each mark is the mean of one run over the topics of the group. How many topics these are stands behind its "
        "name; few topics say little.",
        " ".join(words),
        figure,
    )
