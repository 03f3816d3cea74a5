"""Plots of runs for pages: drawn by the reports, as SVG without the styles that the pages' policy forbids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from threading import Lock
from typing import Any

from porism.lab.evaluate import Comparison, Qrels, evaluation_intervals, precision_recall
from porism.lab.reports import Plot, svg
from porism.lab.reports.curve_plots import precision_recall_plot
from porism.lab.reports.plots import SHOWN_RUNS, most_different
from porism.lab.reports.topic_plots import boxes_plot, differences_plot, intervals_plot
from porism.runs.run import Run
from porism.serve.web.grades import Grade
from porism.serve.web.rendering import safe
from porism.serve.web.run_tables import DEPTH, values_by_run
from porism.serve.web.sanitizing import clean_drawing

_drawing = Lock()
"""matplotlib's settings are those of the process."""

STRIP_STEP, STRIP_HEIGHT = 8, 34


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plot as a page shows it."""

    title: str
    caption: str
    svg: Any


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def plots_of(comparison: Comparison, measure: str, runs: Sequence[Run], qrels: Qrels, relevant: int) -> list[Drawn]:
    """How runs differ in one measure: means with intervals, topics, the spread over topics, precision and recall."""
    values = values_by_run(comparison, measure)
    several = len(values) > 1
    baseline = comparison.baseline if several else None
    defined = all((column == column).any() for column in values.values())
    with _drawing:
        found: list[Plot] = []
        if several and defined:
            results = comparison.tests[measure]
            name = comparison.names[comparison.baseline]
            shown = most_different(values, name, SHOWN_RUNS)
            intervals = {
                one.run_name: evaluation_intervals(one)[measure] for one in comparison.evaluations
            }
            found += [
                intervals_plot(
                    {one.run_name: one.aggregated[measure] for one in comparison.evaluations}, intervals,
                    {run: result.difference for run, result in results.items()},
                    {run: result.interval for run, result in results.items()}, measure, baseline=name,
                    level=comparison.level, stars={run: result.stars for run, result in results.items()},
                    summed=comparison.evaluations[0].is_count(measure),
                ),
                differences_plot(comparison.topics, values, name, measure, shown=shown),
            ]
        if defined:
            found.append(boxes_plot(values, measure, baseline=baseline))
        curves = {
            name: precision_recall(run, qrels, True, rel=relevant, depth=DEPTH)
            for name, run in zip(comparison.names, runs, strict=True)
        }
        found.append(precision_recall_plot(
            curves, baseline=baseline,
            note=f"Unjudged documents are removed first; a gain of {relevant} or more is relevant.",
        ))
        return [Drawn(plot.title, plot.caption, safe(clean_drawing(svg(plot, styles=False)))) for plot in found]


def strip(grades: Sequence[Grade]) -> Any:
    """The first results as bars: the higher the better, a dot for one that is not judged. Grades differ by height."""
    marks = []
    for number, grade in enumerate(grades):
        x = number * STRIP_STEP
        title = f"<title>{number + 1}: {grade.text}</title>"
        if grade.level is None:
            marks.append(f'<g class="none">{title}<circle cx="{x + 3}" cy="{STRIP_HEIGHT - 4}" r="1.5"/></g>')
        else:
            height = 4 + 10 * grade.level
            marks.append(
                f'<g class="g{grade.level}">{title}'
                f'<rect x="{x}" y="{STRIP_HEIGHT - height}" width="6" height="{height}"/></g>'
            )
    width = max(1, len(grades) * STRIP_STEP)
    judged = sum(grade.level is not None for grade in grades)
    return safe(clean_drawing(
        f'<svg class="strip" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {STRIP_HEIGHT}" width="{width}" '
        f'height="{STRIP_HEIGHT}" role="img" aria-label="Grades of the first {len(grades)} results, of which {judged} '
        f'are judged">{"".join(marks)}</svg>'
    ))
