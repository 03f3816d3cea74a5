"""Plots of curves: precision and recall, depth, tuned parameters; and of times and groups of topics."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from porism.lab.reports.canvas import (
    LineStyle,
    Plot,
    bare_rows,
    drawing,
    label_lines,
    legend,
    legend_above,
    legend_height,
    short_names,
    styles,
)
from porism.lab.reports.layout import (
    MANY,
    AxisScale,
    grid_of_panels,
    linear_scale,
    new_figure,
    segments,
    text_width,
    widest,
)
from porism.lab.reports.theme import light
from porism.lab.reports.words import panels_note

SHOWN_VALUES = 12
"""Values of a tuned parameter that are not numbers, of which a plot has a row each."""


def precision_recall_plot(
    curves: Mapping[str, ArrayLike], *, baseline: int | None = None, note: str = "",
    shown: Sequence[str] | None = None,
) -> Plot:
    """Interpolated precision at the recall levels 0, 0.1, …, 1 of each run.

    :param curves: run → precision [11].
    :param shown: the runs that have a panel of their own where there are many, by default all.
    """
    names = list(curves)
    recall = np.linspace(0, 1, 11)
    words = [f"{name}: {', '.join(f'{value:.3f}' for value in np.asarray(curves[name]))}." for name in names]
    figure, how = _lines(
        recall, {name: np.asarray(curves[name], np.float64) for name in names}, baseline, "recall", "precision",
        ticks=[0, 0.2, 0.4, 0.6, 0.8, 1], named_at_end=False,  # where all lines meet
        shown=shown,
    )
    order = " and to the right are better; the names are in the order of the mean precision."
    return Plot(
        "precision-recall", "Precision at levels of recall",
        "Across is the share of a topic's relevant documents that was found; upwards the highest precision from the "
        f"rank on at which that share is reached, averaged over topics.{' ' + note if note else ''}"
        + (how or f" Lines further up{order}" if len(names) > 1 else ""),
        f"Precision at recall 0, 0.1, …, 1. {' '.join(words)}",
        figure,
    )


def depths_plot(
    depths: Sequence[int], values: Mapping[str, ArrayLike], measure: str, *, baseline: int | None = None,
    shown: Sequence[str] | None = None,
) -> Plot:
    """A measure of each run when only its first results count.

    :param values: run → aggregated value at each depth [D].
    :param shown: the runs that have a panel of their own where there are many, by default all.
    """
    names = list(values)
    words = [f"{name}: {', '.join(f'{value:.3f}' for value in np.asarray(values[name]))}." for name in names]
    figure, how = _lines(
        np.asarray(depths, np.float64), {name: np.asarray(values[name], np.float64) for name in names}, baseline,
        "results of each topic that count", measure, ticks=list(depths), logarithmic=len(depths) > 2, shown=shown,
    )
    return Plot(
        "depths", f"{measure} at several depths",
        f"{measure} when only the first results of each topic count, as many as the axis says. Where a line is level, "
        f"more results change nothing.{' The horizontal scale is logarithmic.' if len(depths) > 2 else ''}{how}",
        f"Depths {', '.join(map(str, depths))}. {' '.join(words)}",
        figure,
    )


def _lines(
    x: Any, lines: Mapping[str, Any], baseline: int | None, across: str, up: str, *,
    ticks: Sequence[float], logarithmic: bool = False, named_at_end: bool = True, shown: Sequence[str] | None = None,
) -> tuple[Any, str]:
    """The figure, and how it is to be read where runs have panels, as a sentence."""
    names = list(lines)
    run_styles = styles(len(names), baseline)
    if len(names) > MANY:
        return _line_panels(x, lines, dict(zip(names, run_styles, strict=True)), across, up, ticks, logarithmic, shown)
    labels = short_names(names)
    end = max(map(text_width, labels)) + (0.55 if named_at_end else 0.6)
    with drawing():
        figure = new_figure(height=3.4, right=end)
        axes = figure.subplots()
        for line, look in zip(lines.values(), run_styles, strict=True):
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
            label_lines(axes, x[-1], [float(line[-1]) for line in lines.values()], labels, run_styles)
        else:
            order = _by_mean(lines)
            place = [names.index(name) for name in order]
            legend(axes, order, [run_styles[number] for number in place], lines=True, loc="upper left",
                   bbox_to_anchor=(1.01, 1.02))
    return figure, ""


def _line_panels(
    x: Any, lines: Mapping[str, Any], run_styles: Mapping[str, LineStyle], across: str, up: str, ticks: Sequence[float],
    logarithmic: bool, shown: Sequence[str] | None,
) -> tuple[Any, str]:
    """A panel a run, from the highest mean to the lowest, each over the lines of all others."""
    order = [name for name in _by_mean(lines) if shown is None or name in shown]
    known = np.concatenate([np.ravel(line) for line in lines.values()])
    top = float(np.nanmax(known)) if np.isfinite(known).any() else 1.0
    low, high = float(x[0]), float(x[-1])
    kept = list(ticks[::2] if logarithmic or len(ticks) > 4 else ticks)
    scale = (
        AxisScale(low / (high / low) ** 0.06, high * (high / low) ** 0.06, kept, [f"{tick:g}" for tick in kept], True)
        if logarithmic else AxisScale(low - 0.06 * (high - low), high + 0.06 * (high - low), kept,
                                  [f"{tick:g}" for tick in kept])
    )
    with drawing():
        columns = 5 if max(map(len, lines)) <= 15 else 4
        labels = dict(zip(lines, short_names(list(lines), 15 if columns == 5 else 20), strict=True))
        figure, panels = grid_of_panels(
            len(order), columns, 0.95, scale, linear_scale(0, 1.05 * (top or 1.0), ticks=4), across=across, up=up
        )
        for name, axes in zip(order, panels, strict=True):
            behind = [np.append(line, np.nan) for other, line in lines.items() if other != name]
            axes.plot(np.tile(np.append(x, np.nan), len(behind)), np.concatenate(behind), color=light("grid"),
                      linewidth=0.9)
            axes.plot(x, lines[name], color=run_styles[name].colour, marker=run_styles[name].marker, markersize=2.5)
            axes.set_title(labels[name], pad=3, fontsize=8)
    return figure, (
        " Each run has its panel, from the highest mean to the lowest; the grey lines are those of the other runs."
        + panels_note(len(lines) - len(order))
    )


def _by_mean(lines: Mapping[str, Any]) -> list[str]:
    """Names from the highest mean to the lowest, those without a value last."""
    means = {name: float(np.nanmean(line)) if np.isfinite(line).any() else -np.inf for name, line in lines.items()}
    return sorted(lines, key=lambda name: -means[name])


def tuning_plot(
    trials: Sequence[tuple[Mapping[str, Any], float]], parameter: str, measure: str, *,
    chosen: Mapping[str, Any] | None = None, name: str = "tuning", run_name: str = "",
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
    keyed = [(value if numeric else str(value), score) for value, score in points]
    best: dict[Any, float] = {}
    for value, score in keyed:
        best[value] = max(score, best.get(value, score))
    top = chosen.get(parameter) if chosen else None
    top = top if numeric or top is None else str(top)
    logarithmic = numeric and len(values) > 3 and min(values) > 0 and max(values) / min(values) > 30
    several = " Grey marks are all trials; other parameters differ among them." if len(points) > len(values) else ""
    left_out = 0
    if numeric:
        figure = _tuned_number(values, keyed, best, top, parameter, measure, logarithmic)
    else:
        shown = sorted(values, key=lambda value: -best[value])
        shown = [value for number, value in enumerate(shown) if number < SHOWN_VALUES or value == top]
        left_out = len(values) - len(shown)
        figure = _tuned_words(shown, keyed, best, top, measure)
        values = shown
    return Plot(
        name, f"{measure} against {parameter}{' of ' + run_name if run_name else ''}",
        (f"The line is the best that was reached with each value tried.{several}" if numeric else
         f"Blue marks are the best that was reached with each value tried, the best value first.{several}")
        + (f" Values that reached less ({left_out}) are not shown." if left_out else "")
        + (" The ring is the value chosen." if top in best else "")
        + (" The horizontal scale is logarithmic." if logarithmic else ""),
        f"Best {measure} by {parameter}: " + ", ".join(f"{value}: {best[value]:.3f}" for value in values) + ".",
        figure,
    )


def _tuned_number(
    values: Sequence[Any], keyed: Sequence[tuple[Any, float]], best: Mapping[Any, float], top: Any, parameter: str,
    measure: str, logarithmic: bool,
) -> Any:
    with drawing():
        figure = new_figure(height=2.8)
        axes = figure.subplots()
        if len(keyed) > len(values):
            axes.plot([value for value, _ in keyed], [score for _, score in keyed], linestyle="none", marker="o",
                      markersize=3.5, markeredgewidth=0, color=light("muted"), alpha=0.45)
        axes.plot(values, [best[value] for value in values], color=light("series-1"), marker="o", markersize=4)
        if logarithmic:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(lambda tick, _: f"{tick:g}")
            axes.xaxis.set_minor_formatter(lambda tick, _: "")
        if top in best:
            axes.plot([top], [best[top]], marker="o", markersize=10, markerfacecolor="none",
                      markeredgecolor=light("series-2"), markeredgewidth=2, linestyle="none")
            share = sum(value < top for value in values) / len(values)  # words at an end turn inwards
            axes.annotate(
                f"{parameter} = {top}: {best[top]:.3f}", (top, best[top]), xytext=(0, 11), textcoords="offset points",
                ha="left" if share < 0.2 else "right" if share > 0.75 else "center", fontsize=8, fontweight="bold",
            )
        axes.margins(y=0.18)
        axes.set_xlabel(parameter)
        axes.set_ylabel(measure)
    return figure


def _tuned_words(
    values: Sequence[str], keyed: Sequence[tuple[str, float]], best: Mapping[str, float], top: str | None, measure: str
) -> Any:
    """A row a value, where values are not numbers."""
    labels = short_names(values, 40)
    row = {value: float(place) for place, value in enumerate(values)}
    texts = [f"{best[value]:.3f}" for value in values]
    with drawing():
        figure = new_figure(height=0.6 + 0.26 * len(values), left=widest(labels), right=widest(texts))
        axes = figure.subplots()
        if len(keyed) > len(best):
            trials = [(score, row[value]) for value, score in keyed if value in row]
            axes.plot(*zip(*trials, strict=True), linestyle="none", marker="o", markersize=3.5, markeredgewidth=0,
                      color=light("muted"), alpha=0.45)
        axes.plot([best[value] for value in values], list(row.values()), linestyle="none", marker="o", markersize=4.5,
                  color=light("series-1"))
        if top is not None and top in row:
            axes.plot([best[top]], [row[top]], marker="o", markersize=10, markerfacecolor="none",
                      markeredgecolor=light("series-2"), markeredgewidth=2, linestyle="none")
        for place, text in enumerate(texts):
            axes.text(1.02, place, text, transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        bare_rows(axes, labels)
        axes.set_xlabel(measure)
    return figure


def times_plot(seconds: Mapping[str, Sequence[float]], *, run_styles: Mapping[str, LineStyle] | None = None) -> Plot:
    """How long queries took: every topic, median, 95th percentile and worst of each run, on a logarithmic scale.

    :param seconds: run → wall-clock seconds of its queries.
    :param run_styles: run → its style, where other plots have more runs.
    """
    names = list(seconds)
    chosen = [run_styles[name] for name in names] if run_styles else styles(len(names))
    labels = short_names(names)
    # Zero has no logarithm.
    columns = [np.maximum(np.asarray(seconds[name], np.float64) * 1000, 1e-3) for name in names]
    middles, lates, worsts = ([float(np.quantile(times, share)) for times in columns] for share in (0.5, 0.95, 1.0))
    texts = [" · ".join(map(milliseconds, three)) for three in zip(middles, lates, worsts, strict=True)]
    with drawing():
        figure = new_figure(height=0.6 + 0.36 * len(names), left=widest(labels), right=widest(texts) + 0.08)
        axes = figure.subplots()
        for row, (look, times, middle, late, worst) in enumerate(
            zip(chosen, columns, middles, lates, worsts, strict=True)
        ):
            places = np.full(len(times), float(row))
            axes.plot(*segments(times, places + 0.21, times, places + 0.33), color=look.colour, alpha=0.5,
                      linewidth=0.9, solid_capstyle="butt")
            axes.plot([middle, late], [row, row], color=look.colour, linewidth=2)
            axes.plot([late, worst], [row, row], color=look.colour, linewidth=1, linestyle=(0, (2, 1.5)))
            axes.plot([middle], [row], marker=look.marker, color=look.colour, markersize=6)
            axes.plot([late], [row], marker="|", color=look.colour, markersize=9, markeredgewidth=2)
            axes.text(1.02, row, texts[row], transform=axes.get_yaxis_transform(), va="center", fontsize=8)
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter(lambda tick, _: milliseconds(tick))
        axes.xaxis.set_minor_formatter(lambda tick, _: "")
        bare_rows(axes, labels)
        axes.set_xlabel("time of a query, logarithmic")
    words = [
        f"{name}: median {milliseconds(middle)}, 95th percentile {milliseconds(late)}, worst {milliseconds(worst)}."
        for name, middle, late, worst in zip(names, middles, lates, worsts, strict=True)
    ]
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
    name: str, title: str, baseline: int | None = None, summed: bool = False,
) -> Plot:
    """Means of each run over groups of topics: a row a group, a mark a run; of many runs a panel a group.

    :param groups: group → how many topics it has.
    :param values: run → group → mean.
    :param summed: the measure is a count: sums replace means.
    """
    names = list(values)
    run_styles = styles(len(names), baseline)
    rows = [group for group, count in groups.items() if count]
    labels = [f"{text} ({groups[group]})" for group, text in zip(rows, short_names(rows), strict=True)]
    words = [
        f"{group} ({groups[group]} {'topics' if groups[group] != 1 else 'topic'}): "
        + ", ".join(f"{run} {values[run][group]:.3f}" for run in names if group in values[run]) + "."
        for group in rows
    ]
    with drawing():
        draw = _group_panels if len(names) > MANY else _group_rows
        statistic = "sum" if summed else "mean"
        figure = draw(rows, labels, values, run_styles, f"{statistic} {'of ' if summed else ''}{measure}", baseline)
    return Plot(
        name, title,
        f"Each mark is the {statistic} of one run over the topics of the group. The number of topics is behind its "
        "name; few topics say little."
        + (" The upright line is the baseline." if len(names) > MANY and baseline is not None else ""),
        " ".join(words),
        figure,
    )


def _group_rows(
    rows: Sequence[str], labels: Sequence[str], values: Mapping[str, Mapping[str, float]],
    run_styles: Sequence[LineStyle], across: str, baseline: int | None,
) -> Any:
    """All runs in one panel, a row a group."""
    names = list(values)
    top = legend_height(len(names))
    figure = new_figure(height=0.5 + max(0.42, 0.07 * len(names)) * len(rows) + top, left=widest(labels), top=top)
    axes = figure.subplots()
    step = min(0.1, 0.62 / max(1, len(names)))
    for position, (run, look) in enumerate(zip(names, run_styles, strict=True)):
        shift = (position - (len(names) - 1) / 2) * step
        points = [(values[run][group], row + shift) for row, group in enumerate(rows) if group in values[run]]
        axes.plot([x for x, _ in points], [y for _, y in points], linestyle="none", marker=look.marker,
                  color=look.colour, markersize=5.5)
    bare_rows(axes, labels)
    for row in range(1, len(rows)):
        axes.axhline(row - 0.5, color=light("grid"), linewidth=0.7)
    axes.set_xlabel(across)
    legend_above(figure, names, run_styles)
    return figure


def _group_panels(
    rows: Sequence[str], labels: Sequence[str], values: Mapping[str, Mapping[str, float]],
    run_styles: Sequence[LineStyle], across: str, baseline: int | None,
) -> Any:
    """A panel a group with a row a run, where one panel for all would need a long legend."""
    names = list(values)
    short = short_names(names)
    known = [value for run in names for value in values[run].values()] or [0.0, 1.0]
    room = 0.08 * (max(known) - min(known))
    figure, panels = grid_of_panels(
        len(rows), 4, 0.15 + 0.165 * len(names), linear_scale(min(known) - room, max(known) + room, ticks=4),
        AxisScale(len(names) - 0.4, -0.6, range(len(names)), short), across=across,
    )
    for group, label, axes in zip(rows, labels, panels, strict=True):
        if baseline is not None and group in values[names[baseline]]:
            axes.axvline(values[names[baseline]][group], color=light("muted"), linewidth=0.9, linestyle=(0, (3, 2)))
        for row, (run, look) in enumerate(zip(names, run_styles, strict=True)):
            if group in values[run]:
                axes.plot([values[run][group]], [row], linestyle="none", marker=look.marker, color=look.colour,
                          markersize=4.5)
        axes.set_title(label, pad=3, fontsize=8)
    return figure
