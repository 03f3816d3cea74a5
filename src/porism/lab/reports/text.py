"""A report as plain text, for a terminal."""

from __future__ import annotations

from porism.lab.evaluate.breakdown import Breakdown
from porism.lab.evaluate.comparison import marked_name
from porism.lab.evaluate.tables import aligned
from porism.lab.reports.canvas import printable
from porism.lab.reports.extensions import EXTENSION_NOTE, extension_table
from porism.lab.reports.report import Report
from porism.lab.reports.statements import method, versions, warnings
from porism.lab.reports.words import number, p_value, signed


def text_table(report: Report, *, p_values: bool = False, breakdowns: bool = True) -> str:
    """The report's tables: runs by measures with stars, and how each run differs from the baseline.

    By default the differences are those of the first measure; with ``p_values`` those of all measures, with the
    p-values before and after correction. Breakdowns, times, ablations and extensions follow where the report has them,
    then how it was measured. Warnings come first.
    """
    lines: list[str] = []
    if warned := warnings(report):
        lines += [*(f"WARNING: {sentence}" for sentence in warned), ""]
    lines += _summary(report)
    for measure in report.comparison.measures if p_values else report.comparison.measures[:1]:
        lines += ["", *_against(report, measure, p_values)]
    if breakdowns:
        for part in report.breakdowns:
            lines += ["", *_by_group(report, part)]
    if report.times:
        lines += ["", *_times(report)]
    for ablation in report.ablations:
        lines += ["", *aligned(ablation.table()), *ablation.notes()]
    if report.extensions:
        lines += ["", *aligned(extension_table(report.extensions, report.measure)), EXTENSION_NOTE]
    lines += [
        "", *method(report), f"Versions: {', '.join(f'{name} {version}' for name, version in versions().items())}.",
    ]
    return "\n".join(printable(line).replace("\u00a0", " ").rstrip() for line in lines)


def _marked(report: Report) -> list[str]:
    return [
        marked_name(evaluation, position == report.comparison.baseline and len(report.names) > 1)
        for position, evaluation in enumerate(report.comparison.evaluations)
    ]


def _summary(report: Report) -> list[str]:
    measures = report.comparison.measures
    rows = [["run", *(f"{measure}  " for measure in measures)]]
    for name, evaluation in zip(_marked(report), report.comparison.evaluations, strict=True):
        cells = [name]
        for measure in measures:
            result = report.result(measure, evaluation.run_name)
            cells.append(f"{number(evaluation.aggregated[measure], 4)}{(result.stars if result else '').ljust(2)}")
        rows.append(cells)
    marks = []
    if len(report.names) > 1:
        marks.append(f"‡ baseline; * p < 0.05, ** p < 0.01 against it, {report.comparison.corrected}")
    if report.tuned:
        marks.append("† tuned on topics that it is scored on here")
    return [*aligned(rows), *marks]


def _against(report: Report, measure: str, p_values: bool) -> list[str]:
    level = f"{100 * report.comparison.level:.10g} % interval"
    rows = [[measure, "mean" if not report.comparison.evaluations[0].is_count(measure) else "sum", level]]
    if len(report.names) > 1:
        tested = ["p", f"{report.comparison.corrected} p"] if p_values else []
        rows[0] += ["difference  ", level, "wins", "ties", "losses", *tested]
    for name, evaluation in zip(_marked(report), report.comparison.evaluations, strict=True):
        low_high = report.intervals[measure].get(evaluation.run_name)
        digits = 0 if evaluation.is_count(measure) else 4
        cells = [
            name, number(evaluation.aggregated[measure], 4),
            f"{low_high[0]:.{digits}f}–{low_high[1]:.{digits}f}" if low_high else "–",
        ]
        result = report.result(measure, evaluation.run_name)
        if result is not None:
            low, high = result.interval
            cells += [
                f"{signed(result.difference, digits)}{result.stars.ljust(2)}",
                f"{signed(low, digits)} to {signed(high, digits)}",
                str(result.wins), str(result.ties), str(result.losses),
                *([p_value(result.p_value), p_value(result.adjusted)] if p_values else []),
            ]
        rows.append([*cells, *[""] * (len(rows[0]) - len(cells))])
    return aligned(rows)


def _by_group(report: Report, part: Breakdown) -> list[str]:
    rows = [[f"{report.measure} by {part.by}", *part.groups]]
    rows.append(["topics", *(str(len(part.topics[group])) for group in part.groups)])
    for name, marked in zip(report.names, _marked(report), strict=True):
        rows.append([marked, *(number(part.value(group, name, report.measure), 4) for group in part.groups)])
        if part.baseline and name != part.baseline:
            gaps = [part.difference(group, name, report.measure) for group in part.groups]
            cells = [
                (signed(gap.difference, 4), f"{signed(gap.interval[0], 4)} to {signed(gap.interval[1], 4)}",
                 f"{gap.wins}/{gap.losses}")
                if gap else ("–", "–", "–") for gap in gaps
            ]
            labels = (f"  less {part.baseline}", f"  interval, {100 * part.level:.10g} %", "  wins/losses")
            rows += [[label, *row] for label, row in zip(labels, zip(*cells, strict=True), strict=True)]
    return aligned(rows)


def _times(report: Report) -> list[str]:
    rows = [["seconds a query", "median", "95 %", "worst", "mean", "queries"]]
    for name, marked in zip(report.names, _marked(report), strict=True):
        if (times := report.times.get(name)) is not None:
            rows.append([
                marked, *(f"{value:.3f}" for value in (times.median, times.p95, times.worst, times.mean)),
                str(times.count),
            ])
    return aligned(rows)
