"""What a report says: runs compared on the same topics, with all that is known of them; numbers only, no layout."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from porism.lab.evaluate import Breakdown, Evaluation, Missing, QueryFeatures, RunComparison, TestResult
from porism.lab.evaluate.bootstrap import Interval
from porism.lab.reports.ablations import Ablation
from porism.lab.reports.extensions import Increment
from porism.types import Query

if TYPE_CHECKING:
    from porism.lab.evaluate.diversity import Clustering
    from porism.lab.evaluate.times import TimeStatistics

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
    What needs more than runs and judgments is empty where that was not given: ``features`` and ``queries`` (queries),
    ``breakdowns`` (queries, topic information), ``seconds`` and ``times`` (run files with a record), ``rank_positions``
    (a fused run and its sources), ``tuning``, ``ablations``, ``extensions``. ``detailed`` is false for a report that
    stops at tables.
    """

    title: str
    judgments: str
    comparison: RunComparison
    missing: Missing
    depth: int | None
    seed: int
    intervals: Mapping[str, Mapping[str, Interval]]
    made_by: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    evidence: Mapping[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)
    detailed: bool = True
    features: Mapping[str, QueryFeatures] = field(default_factory=dict)
    queries: Mapping[str, Query] = field(default_factory=dict)
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
    extensions: tuple[Increment, ...] = ()

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

    def best(self, measure: str) -> frozenset[str]:
        """The runs with the highest value of a measure."""
        values = {e.run_name: e.aggregated[measure] for e in self.comparison.evaluations}
        known = [value for value in values.values() if value == value]
        return frozenset(name for name, value in values.items() if known and value == max(known))


