"""What a report says: runs compared on the same topics, with all that is known of them; numbers only, no layout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.evaluate import (
    DEFAULT_MEASURES,
    Breakdown,
    Comparison,
    Evaluation,
    Measure,
    Missing,
    Qrels,
    QueryFeatures,
    TestResult,
    compare_runs,
    evaluation_intervals,
)
from porism.evaluate.bootstrap import Interval
from porism.evaluate.comparison import Test
from porism.reports.ablations import Ablation
from porism.runs.run import Run
from porism.settings import nearest
from porism.types import Query

if TYPE_CHECKING:
    from porism.evaluate.clustering import Clustering
    from porism.evaluate.times import TimeStatistics

COLUMNS = ("category", "dependency", "difficulty")
"""Columns of the topic information by which topics are grouped, where a file has them."""

DEPTHS = (10, 20, 50, 100, 200, 500, 1000)
"""Depths at which the first measure is shown, up to that of the evaluation."""


@dataclass(frozen=True, slots=True)
class Diversity:
    """How alike the runs rank: ρ and RBO [runs, runs], and their clusters by ρ (None for fewer than three runs)."""

    rho: NDArray[np.float64]
    overlap: NDArray[np.float64]
    persistence: float
    clustering: Clustering | None


@dataclass(frozen=True, slots=True)
class RankPositions:
    """The ranks of a fused run's first documents in its sources: [k, sources], 0 where a source lacks one.

    ``why`` says how the topic was chosen.
    """

    fused: str
    sources: tuple[str, ...]
    topic: str
    positions: NDArray[np.int64]
    why: str


@dataclass(frozen=True, slots=True)
class TuningCurve:
    """What tuning tried: (parameters, value) of each trial, the parameters chosen, and what was tuned."""

    what: str
    measure: str
    trials: tuple[tuple[Mapping[str, Any], float], ...]
    chosen: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Report:
    """Everything that a report shows; :func:`make_report` makes one.

    Runs have the names of ``comparison``. ``intervals`` is measure → run → bootstrap interval of the aggregated value,
    and ``judged`` how many of a run's 1,000 results are judged.
    What needs more than runs and judgments is empty where that was not given: ``features`` (queries),
    ``breakdowns`` (queries, topic information), ``seconds`` and ``times`` (run files with a record), ``rank_positions``
    (a fused run and its sources), ``tuning``, ``ablations``. ``detailed`` is false for a report that stops at tables.
    """

    title: str
    judgments: str
    comparison: Comparison
    missing: Missing
    depth: int | None
    seed: int
    intervals: Mapping[str, Mapping[str, Interval]]
    made_by: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    evidence: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    detailed: bool = True
    features: Mapping[str, QueryFeatures] = field(default_factory=dict)
    breakdowns: tuple[Breakdown, ...] = ()
    depths: tuple[int, ...] = ()
    at_depths: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    judged: Mapping[str, float] = field(default_factory=dict)
    precision_recall: Mapping[str, NDArray[np.float64]] = field(default_factory=dict)
    diversity: Diversity | None = None
    seconds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    times: Mapping[str, TimeStatistics] = field(default_factory=dict)
    rank_positions: tuple[RankPositions, ...] = ()
    tuning: tuple[TuningCurve, ...] = ()
    notes: tuple[str, ...] = ()
    ablations: tuple[Ablation, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the runs, in the order given."""
        return self.comparison.names

    @property
    def baseline(self) -> str:
        """The name of the run that the others are tested against."""
        return self.names[self.comparison.baseline]

    @property
    def measure(self) -> str:
        """The first measure: that of the plots."""
        return self.comparison.measures[0]

    @property
    def tuned(self) -> tuple[Evaluation, ...]:
        """The runs that were tuned on topics of this report."""
        return tuple(evaluation for evaluation in self.comparison.evaluations if evaluation.tuned_on)

    def result(self, measure: str, run: str) -> TestResult | None:
        """The test of a run against the baseline; None for the baseline."""
        return self.comparison.tests[measure].get(run)

    def values(self, measure: str) -> dict[str, NDArray[np.float64]]:
        """Run → value of each topic [T], NaN where the measure is undefined."""
        topics = self.comparison.topics
        return {
            evaluation.run_name: np.array(
                [evaluation.per_topic[measure].get(topic, np.nan) for topic in topics], np.float64
            )
            for evaluation in self.comparison.evaluations
        }

    def to_dict(self, per_topic: bool = True) -> dict[str, Any]:
        """The report as plain values for JSON: the comparison, and what else there is."""
        from porism.reports.statements import method, versions, warnings

        found = {
            "title": self.title,
            "warnings": warnings(self),
            **self.comparison.to_dict(per_topic=per_topic),
            "intervals": {
                measure: {run: list(ends) for run, ends in runs.items()} for measure, runs in self.intervals.items()
            },
            "judged_per_mille": dict(self.judged),
            "breakdowns": [part.to_dict() for part in self.breakdowns],
            "times": {run: times.to_dict() for run, times in self.times.items()},
            "ablation": {ablation.fused: ablation.to_dict() for ablation in self.ablations},
            "method": method(self),
            "versions": versions(),
        }
        if self.diversity is not None:
            clustering = self.diversity.clustering
            found["diversity"] = {
                "rho": self.diversity.rho.tolist(),
                "rank_biased_overlap": self.diversity.overlap.tolist(),
                "clustering": clustering.to_dict(self.names) if clustering else None,
            }
        return found

    def best(self, measure: str) -> frozenset[str]:
        """The runs with the highest value of a measure."""
        values = {e.run_name: e.aggregated[measure] for e in self.comparison.evaluations}
        known = [value for value in values.values() if value == value]
        return frozenset(name for name, value in values.items() if known and value == max(known))


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
    title: str = "Runs compared",
    judgments: str = "the judgments",
    detailed: bool = True,
) -> Report:
    """Compares runs, as :func:`porism.evaluate.compare_runs`, and works out all else that a report shows.

    :param names: what to call the runs, in their order; by default their own names.
    :param queries: the topics' texts, for their length and share of mathematics; others than those scored do not count.
    :param information: topic → column → value, for breakdowns.
    :param columns: the columns of it to break down by; by default those of :data:`COLUMNS` that it has.
    :param fused: the run whose first documents are looked up in its sources (of which the compared ones are taken, or
        all other runs if none is known); by default every fusion of at least two compared runs that says so.
    :param topic: the topic to look them up for; by default the one on which the fusion gains most on its best source.
    :param tuning: what tuning tried, beside what the runs' own records say of it.
    :param ablations: what members add to fusions (:func:`~porism.reports.ablations.make_ablation`).
    :param detailed: false leaves out what only plots show.
    :raises ConfigError: an option has a wrong value, or there is no run, topic or column of that name.
    :raises QueryError: there is no run, or a run and the judgments have no topic in common.
    """
    read = list(runs)
    if names is not None and len(names) != len(read):
        raise ConfigError(f"there are {len(names)} names for {len(read)} runs")
    given = read if names is None else [run.renamed(name) for run, name in zip(read, names, strict=True)]
    comparison = compare_runs(
        given, qrels, measures, baseline=baseline, test=test, missing=missing, depth=depth, level=level, seed=seed
    )
    named = [run.renamed(name) for run, name in zip(given, comparison.names, strict=True)]
    if fused is not None and fused not in comparison.names:
        raise ConfigError(f"there is no run {fused!r} among those compared", hint=nearest(fused, comparison.names))
    if topic is not None and topic not in comparison.topics:
        raise ConfigError(f"there is no topic {topic!r} among those scored", hint=nearest(topic, comparison.topics))
    by_run = [evaluation_intervals(e, level, seed=seed) for e in comparison.evaluations]
    intervals = {
        measure: {
            name: found[measure] for name, found in zip(comparison.names, by_run, strict=True) if measure in found
        }
        for measure in comparison.measures
    }
    from porism.reports.details import drawn_details, told_details, tuning_curves

    parts = told_details(
        named, qrels, comparison, depth=depth, queries=queries, information=information, columns=columns
    )
    curves = list(tuning)
    for run in named:
        curves += tuning_curves(run.provenance.evidence if run.provenance else (), run.name)
    if detailed:
        # What records of fusions call their sources by.
        called = {run.name: name for run, name in zip(reversed(read), reversed(comparison.names), strict=True)}
        parts |= drawn_details(named, qrels, comparison, depth=depth, fused=fused, topic=topic, called=called)
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
        **parts,
    )

