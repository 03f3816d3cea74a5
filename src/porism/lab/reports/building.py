"""Reports made of runs and judgments, and as plain values for JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from porism.errors import ConfigError
from porism.lab.evaluate import DEFAULT_MEASURES, Measure, Missing, Qrels, compare_runs, evaluation_intervals
from porism.lab.evaluate.comparison import Correction, Test
from porism.lab.evaluate.diversity import Documents
from porism.lab.reports.ablations import Ablation
from porism.lab.reports.details import drawn_details, told_details, tuning_curves
from porism.lab.reports.extensions import FusionExtension, increments
from porism.lab.reports.report import Report, TuningCurve
from porism.lab.reports.statements import method, versions, warnings
from porism.runs.run import Run
from porism.settings import nearest
from porism.types import Query


def make_report(
    runs: Iterable[Run],
    qrels: Qrels,
    measures: Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    names: Sequence[str] | None = None,
    baseline: str | int = 0,
    test: Test = "t-test",
    missing: Missing = "zero",
    depth: int | None = 1000,
    level: float = 0.95,
    seed: int = 0,
    queries: Iterable[Query] = (),
    information: Mapping[str, Mapping[str, str]] | None = None,
    columns: Sequence[str] | None = None,
    fused: str | None = None,
    topic: str | None = None,
    tuning: Iterable[TuningCurve] = (),
    ablations: Iterable[Ablation] = (),
    extensions: Iterable[FusionExtension] = (),
    title: str = "Runs compared",
    judgments: str = "the judgments",
    detailed: bool = True,
    correction: Correction = "holm",
    documents: Documents = "pool",
) -> Report:
    """Compares runs, as :func:`porism.lab.evaluate.compare_runs`, and works out all else that a report shows.

    :param names: what to call the runs, in their order; by default their own names.
    :param queries: the topics' texts, for their length and share of mathematics; others than those scored do not count.
    :param information: topic → column → value, for breakdowns.
    :param columns: the columns of it to break down by; by default those of :data:`COLUMNS` that it has.
    :param fused: the run whose first documents are looked up in its sources (of which the compared ones are taken, or
        all other runs if none is known); by default every fusion of at least two compared runs that says so.
    :param topic: the topic to look them up for; by default the one on which the fusion gains most on its best source.
    :param tuning: what tuning tried, beside what the runs' own records say of it.
    :param ablations: what members add to fusions (:func:`~porism.lab.reports.ablations.make_ablation`).
    :param extensions: which runs are others with something added: what each addition gives is shown as a tree.
    :param detailed: false leaves out what only plots show.
    :param documents: those whose ranks are correlated, by which runs are alike
        (:func:`~porism.lab.evaluate.diversity.spearman`).
    :param correction: of the p-values for the number of runs: ``holm`` or ``none``.
    :raises ConfigError: an option has a wrong value, or there is no run, topic or column of that name.
    :raises QueryError: there is no run, or a run and the judgments have no topic in common.
    """
    read = list(runs)
    if names is not None and len(names) != len(read):
        raise ConfigError(f"there are {len(names)} names for {len(read)} runs")
    given = read if names is None else [run.renamed(name) for run, name in zip(read, names, strict=True)]
    comparison = compare_runs(
        given, qrels, measures, baseline=baseline, test=test, missing=missing, depth=depth, level=level, seed=seed,
        correction=correction,
    )
    named = [run.renamed(name) for run, name in zip(given, comparison.names, strict=True)]
    if fused is not None and fused not in comparison.names:
        raise ConfigError(f"there is no run {fused!r} among those compared", hint=nearest(fused, comparison.names))
    if topic is not None and topic not in comparison.topics:
        raise ConfigError(f"there is no topic {topic!r} among those scored", hint=nearest(topic, comparison.topics))
    by_run = [evaluation_intervals(e, level, seed=seed) for e in comparison.evaluations]
    intervals = {
        measure: {
            name: of_run[measure] for name, of_run in zip(comparison.names, by_run, strict=True) if measure in of_run
        }
        for measure in comparison.measures
    }
    parts = told_details(
        named, qrels, comparison, depth=depth, queries=queries, information=information, columns=columns, seed=seed
    )
    curves = list(tuning)
    for run in named:
        curves += tuning_curves(run.provenance.evidence if run.provenance else (), run.name)
    if detailed:
        # What records of fusions call their sources by.
        called = {run.name: name for run, name in zip(reversed(read), reversed(comparison.names), strict=True)}
        parts |= drawn_details(
            named, qrels, comparison, depth=depth, fused=fused, topic=topic, called=called, documents=documents
        )
    return Report(
        title=title,
        judgments=judgments,
        comparison=comparison,
        missing=missing,
        depth=depth,
        seed=seed,
        intervals=intervals,
        made_by={run.name: run.provenance.made_by for run in named if run.provenance and run.provenance.made_by},
        evidence={run.name: run.provenance.evidence for run in named if run.provenance and run.provenance.evidence},
        detailed=detailed,
        tuning=tuple(curves),
        ablations=tuple(ablations),
        extensions=increments(comparison, extensions),
        **parts,
    )


def report_values(report: Report, per_topic: bool = True) -> dict[str, Any]:
    """The report as plain values for JSON: the comparison, and what else there is."""
    values = {
        "title": report.title,
        "warnings": warnings(report),
        **report.comparison.to_dict(per_topic=per_topic),
        "intervals": {
            measure: {run: list(ends) for run, ends in runs.items()} for measure, runs in report.intervals.items()
        },
        "judged_per_mille": dict(report.judged),
        "breakdowns": [part.to_dict() for part in report.breakdowns],
        "times": {run: times.to_dict() for run, times in report.times.items()},
        "ablation": {ablation.fused: ablation.to_dict() for ablation in report.ablations},
        "extensions": [row.to_dict() for row in report.extensions],
        "method": method(report),
        "versions": versions(),
    }
    if report.diversity is not None:
        clustering = report.diversity.clustering
        values["diversity"] = {
            "rho": report.diversity.rho.tolist(),
            "rank_biased_overlap": report.diversity.overlap.tolist(),
            "clustering": clustering.to_dict(report.names) if clustering else None,
        }
    return values
