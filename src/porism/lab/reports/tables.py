"""A report as CSV: a row a run, and a row a topic and run."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterable
from pathlib import Path

from porism.lab.reports.files import check_target
from porism.lab.reports.report import Report
from porism.system.files.text import write_whole

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def summary_csv(report: Report) -> str:
    """A row a run. For each measure: value, ends of its interval, and beside the baseline difference, p-values, counts.

    ``tuned_topics`` is how many of the ``topics`` the run was tuned on; above 0, its values do not estimate others.
    """
    fields = ("low", "high", "difference", "difference_low", "difference_high", "p", "corrected_p", "wins", "ties",
              "losses")
    header = ["run", "baseline", "topics", "missing_topics", "tuned_topics"]
    for measure in report.comparison.measures:
        header += [measure, *(f"{measure} {field}" for field in fields)]
    rows: list[list[object]] = []
    for evaluation in report.comparison.evaluations:
        name = evaluation.run_name
        row: list[object] = [
            name, int(name == report.baseline), len(evaluation.topics), len(evaluation.missing_topics),
            len(evaluation.tuned_on),
        ]
        for measure in report.comparison.measures:
            value = evaluation.aggregated[measure]
            result = report.result(measure, name)
            row += [value if value == value else "", *report.intervals[measure].get(name, ("", ""))]
            row += [""] * 8 if result is None else [
                result.difference, *result.interval, result.p_value, result.adjusted, result.wins, result.ties,
                result.losses,
            ]
        rows.append(row)
    return _written(header, rows)


def topics_csv(report: Report) -> str:
    """A row for each topic and run with the value of each measure, empty where it is undefined.

    Length and share of mathematics of the query are beside the topic where queries were given; ``tuned`` is 1 where
    the run was tuned on the topic.
    """
    measures = report.comparison.measures
    header = ["topic", "run", "tuned", *(["query_length", "math_share"] if report.features else []), *measures]
    tuned = {evaluation.run_name: frozenset(evaluation.tuned_on) for evaluation in report.comparison.evaluations}
    rows: list[list[object]] = []
    for topic in report.comparison.topics:
        feature = report.features.get(topic)
        known: list[object] = [feature.length, feature.math_share] if feature else ["", ""]
        rows += [
            [
                topic, evaluation.run_name, int(topic in tuned[evaluation.run_name]),
                *(known if report.features else []),
                *(evaluation.per_topic[measure].get(topic, "") for measure in measures),
            ]
            for evaluation in report.comparison.evaluations
        ]
    return _written(header, rows)


def ablation_csv(report: Report) -> str:
    """A row for each fusion of some members: the fusion, what was kept of it or how it was chosen, value, difference.

    ``kind`` is ``all``, ``without`` (``members`` is the one left out) or ``one-per-cluster`` (``members`` are those
    fused, with a blank between them).
    """
    rows: list[list[object]] = []
    for ablation in report.ablations:
        comparison = ablation.without.comparison
        measure = comparison.measures[0]
        whole, *others = comparison.evaluations
        tuned = len(whole.tuned_on)
        rows.append([ablation.fused, "all", "", measure, whole.aggregated[measure], "", "", "", tuned])
        for name, evaluation in zip(ablation.without.names, others, strict=True):
            result = comparison.tests[measure][evaluation.run_name]
            rows.append([
                ablation.fused, "without", name, measure, evaluation.aggregated[measure], result.difference,
                result.p_value, result.adjusted, len(evaluation.tuned_on),
            ])
        if (clusters := ablation.clusters) is not None:
            rows += [
                [ablation.fused, "one-per-cluster", " ".join(names), measure, value, value - clusters.full, "", "",
                 tuned]
                for names, value in clusters.draws
            ]
    header = ["fusion", "kind", "members", "measure", "value", "difference", "p", "corrected_p", "tuned_topics"]
    return _written(header, rows)


def topics_path(path: str | os.PathLike[str]) -> Path:
    """Where the values per topic go: ``results.csv`` → ``results.topics.csv``."""
    return _beside(path, "topics")


def _beside(path: str | os.PathLike[str], contents: str) -> Path:
    target = Path(path)
    return target.with_name(f"{target.stem}.{contents}{target.suffix or '.csv'}")


def write_csv(report: Report, path: str | os.PathLike[str]) -> list[Path]:
    """Writes the summary to ``path``, and beside it the values per topic and, where there are any, ablations
    (``results.ablation.csv``); gives their paths.

    :raises SourceError: a file cannot be written.
    """
    targets = [check_target(path), check_target(topics_path(path))]
    contents = [summary_csv(report), topics_csv(report)]
    if report.ablations:
        targets.append(check_target(_beside(path, "ablation")))
        contents.append(ablation_csv(report))
    return [write_whole(target, content) for target, content in zip(targets, contents, strict=True)]


def _cell(value: object) -> object:
    """A value as a cell: an apostrophe keeps spreadsheets from computing a name that begins as a formula does."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA_STARTS) else value


def _written(header: list[str], rows: Iterable[list[object]]) -> str:
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")  # as RFC 4180 has it
    writer.writerow(header)
    writer.writerows(map(_cell, row) for row in rows)
    return buffer.getvalue()
