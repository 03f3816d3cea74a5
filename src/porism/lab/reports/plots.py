"""The plots of a report, and their files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.errors import SourceError
from porism.lab.evaluate import Breakdown
from porism.lab.reports.canvas import Plot, styles
from porism.lab.reports.curve_plots import depths_plot, groups_plot, precision_recall_plot, times_plot, tuning_plot
from porism.lab.reports.diversity_plots import dendrogram_plot, rank_positions_plot, similarity_plot
from porism.lab.reports.extensions import extensions_plot
from porism.lab.reports.files import check_folder
from porism.lab.reports.picture import svg
from porism.lab.reports.report import RankPositions, Report, TuningCurve
from porism.lab.reports.topic_plots import boxes_plot, differences_plot, feature_plot, intervals_plot
from porism.system.files.text import write_whole

SHOWN_PARAMETERS = 6
"""Parameters of one tuning that are plotted."""

SHOWN_RUNS = 25
"""Runs that have a panel of their own in a plot."""

SHOWN_FUSIONS = 4
"""Fusions whose sources are looked into."""


def plots(report: Report) -> list[Plot]:
    """Every plot for which the report has the numbers, by the first measure, in the order in which they are read.

    :raises MissingExtra: matplotlib (for clusters also SciPy) is not installed.
    """
    drawn: list[Plot] = []
    comparison, measure = report.comparison, report.measure
    values = report.values(measure)
    topics = comparison.topics
    baseline = comparison.baseline if len(report.names) > 1 else None
    run_styles = dict(zip(report.names, styles(len(report.names), baseline), strict=True))
    shown = most_different(values, report.baseline, SHOWN_RUNS)
    summed = comparison.evaluations[0].is_count(measure)
    if len(report.names) > 1:
        results = comparison.tests[measure]
        drawn += [
            intervals_plot(
                {evaluation.run_name: evaluation.aggregated[measure] for evaluation in comparison.evaluations},
                report.intervals[measure],
                {name: result.difference for name, result in results.items()},
                {name: result.interval for name, result in results.items()},
                measure, baseline=report.baseline, level=comparison.level,
                stars={name: result.stars for name, result in results.items()}, summed=summed,
            ),
            differences_plot(topics, values, report.baseline, measure, shown=shown),
        ]
    if report.extensions:
        drawn.append(extensions_plot(report.extensions, measure))
    drawn.append(boxes_plot(values, measure, baseline=baseline))
    if report.precision_recall:
        drawn.append(precision_recall_plot(
            report.precision_recall, baseline=baseline,
            note="Unjudged documents are removed first; a gain of 2 or more is relevant, and a topic without such a "
                 "document counts as 0.",
            shown=shown,
        ))
    if len(report.depths) > 1:
        drawn.append(depths_plot(report.depths, report.at_depths, measure, baseline=baseline, shown=shown))
    if report.features:
        lengths = [report.features[topic].length if topic in report.features else np.nan for topic in topics]
        shares = [report.features[topic].math_share if topic in report.features else np.nan for topic in topics]
        drawn += [
            feature_plot(
                lengths, values, measure, name="length", label="length of the query in words and symbols",
                title=f"{measure} against the length of the query", baseline=baseline, shown=shown,
            ),
            feature_plot(
                shares, values, measure, name="math-share", label="share of symbols of formulas in the query",
                title=f"{measure} against the share of mathematics", baseline=baseline, percent=True,
                shown=shown,
            ),
        ]
    drawn += [_groups(report, part, baseline) for part in report.breakdowns]
    drawn += _diversity(report)
    fusions = len(report.rank_positions)
    others = f" Of {fusions} fusions the best {SHOWN_FUSIONS} have this plot." if fusions > SHOWN_FUSIONS else ""
    for number, part in enumerate(_best_fusions(report)):
        plot = rank_positions_plot(
            part.positions, part.sources, part.fused, part.topic, run_styles=run_styles,
            note=f"{part.why}{others}".strip(),
        )
        drawn.append(_numbered(plot, number))
    number = 0
    for curve in report.tuning:
        for parameter in varied(curve)[:SHOWN_PARAMETERS]:
            plot = tuning_plot(curve.trials, parameter, curve.measure, chosen=curve.chosen, run_name=curve.what)
            drawn.append(_numbered(plot, number))
            number += 1
    if report.seconds:
        seconds = {name: list(times.values()) for name, times in report.seconds.items()}
        drawn.append(times_plot(seconds, run_styles=run_styles))
    return drawn


def most_different(values: Mapping[str, NDArray[np.float64]], baseline: str, most: int) -> tuple[str, ...]:
    """The baseline and the runs whose values per topic differ most from its, in the order given; ``most`` in all."""
    if len(values) <= most:
        return tuple(values)
    base = values[baseline]

    def apart(name: str) -> float:
        gaps = np.abs(values[name] - base)
        return float(gaps[~np.isnan(gaps)].sum())

    others = sorted((name for name in values if name != baseline), key=lambda name: -apart(name))
    chosen = {baseline, *others[: most - 1]}
    return tuple(name for name in values if name in chosen)


def _best_fusions(report: Report) -> list[RankPositions]:
    """Those with the highest value of the first measure, in the order of the report."""
    parts = report.rank_positions

    def value(part: RankPositions) -> float:
        aggregated = report.comparison[part.fused].aggregated[report.measure]
        return aggregated if aggregated == aggregated else -np.inf

    best = sorted(range(len(parts)), key=lambda place: -value(parts[place]))[:SHOWN_FUSIONS]
    return [parts[place] for place in sorted(best)]


def _groups(report: Report, part: Breakdown, baseline: int | None) -> Plot:
    values = {
        name: {
            group: value for group in part.groups
            if (value := part.value(group, name, report.measure)) is not None
        }
        for name in report.names
    }
    return groups_plot(
        {group: len(topics) for group, topics in part.topics.items()}, values, report.measure,
        name=f"by-{'-'.join(part.by.split())}", title=f"{report.measure} by {part.by}", baseline=baseline,
        summed=report.comparison.evaluations[0].is_count(report.measure),
    )


def _diversity(report: Report) -> Iterator[Plot]:
    diversity = report.diversity
    if diversity is None:
        return
    clustering = diversity.clustering
    order = clustering.order if clustering else None
    if clustering is not None:
        yield dendrogram_plot(
            report.names, clustering.linkage, clustering.labels.tolist(), silhouettes=clustering.silhouettes,
            coefficient="ρ",
        )
    yield similarity_plot(
        report.names, diversity.rho, "Spearman's ρ", name="similarity-rho", order=order,
        note="It is the mean over the topics; documents that a list lacks and another run has are tied behind its end.",
    )
    yield similarity_plot(
        report.names, diversity.overlap, "rank-biased overlap", name="similarity-rbo", order=order,
        note=f"It is extrapolated, with p = {diversity.persistence:g}, so that the first "
             f"{1 / (1 - diversity.persistence):.0f} ranks count most; the mean over the topics.",
    )


def varied(curve: TuningCurve) -> list[str]:
    """The parameters that tuning tried more than one value of."""
    tried: dict[str, set[str]] = {}
    for parameters, _ in curve.trials:
        for name, value in parameters.items():
            tried.setdefault(name, set()).add(repr(value))
    return [name for name, values in tried.items() if len(values) > 1]


def _numbered(plot: Plot, number: int) -> Plot:
    """Another name for the second plot of a kind, the third, …"""
    return replace(plot, name=f"{plot.name}-{number + 1}") if number else plot


def write_plots(drawn: list[Plot], folder: str | os.PathLike[str]) -> list[Path]:
    """Writes each plot as ``<name>.svg`` into a folder, which is made if it is not there; gives the paths.

    :raises SourceError: the folder or a file cannot be written.
    """
    target = check_folder(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"cannot be made ({error.strerror or error})", where=str(target)) from error
    return [write_whole(target / f"{plot.name}.svg", svg(plot, standalone=True)) for plot in drawn]
