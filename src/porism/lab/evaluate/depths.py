"""Runs cut at several depths, with confidence intervals and the share of results that are judged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from porism.errors import ConfigError
from porism.lab.evaluate.bootstrap import Interval, check_bootstrap, evaluation_intervals
from porism.lab.evaluate.evaluation import (
    Evaluation,
    Missing,
    check_missing,
    evaluate_run,
    ranked_documents,
    shared_topics,
)
from porism.lab.evaluate.judgments import Qrels
from porism.lab.evaluate.measures import DEFAULT_MEASURES, Measure, parse_measure
from porism.lab.evaluate.tables import aligned, with_interval
from porism.runs.run import Run

DEPTHS = (10, 100, 1000)


@dataclass(frozen=True, slots=True)
class DepthTable:
    """One run by the same measures at several depths.

    ``evaluations``, ``intervals`` (measure → interval of the aggregated value) and ``judged`` (per mille,
    :func:`judged_per_mille`) have an entry for each of ``depths``.
    """

    run_name: str
    depths: tuple[int, ...]
    evaluations: tuple[Evaluation, ...]
    intervals: tuple[Mapping[str, Interval], ...]
    judged: tuple[float, ...]
    level: float

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "run": self.run_name,
            "level": self.level,
            "depths": [
                {
                    **evaluation.to_dict(), "depth": depth, "judged_per_mille": judged,
                    "intervals": {name: list(interval) for name, interval in intervals.items()},
                }
                for depth, evaluation, intervals, judged in zip(
                    self.depths, self.evaluations, self.intervals, self.judged, strict=True
                )
            ],
        }

    def table(self) -> str:
        """The table as text: a line a measure, a column a depth, intervals in brackets."""
        rows = [["measure", *(f"first {depth:,}" for depth in self.depths)]]
        rows += [
            [
                name,
                *(
                    with_interval(evaluation.aggregated[name], intervals.get(name))
                    for evaluation, intervals in zip(self.evaluations, self.intervals, strict=True)
                ),
            ]
            for name in self.evaluations[0].aggregated
        ]
        rows.append(["judged ‰", *(f"{judged:.1f}" for judged in self.judged)])
        legend = f"in brackets: {100 * self.level:.4g}% bootstrap intervals over topics"
        return "\n".join([*aligned(rows), legend, *self.evaluations[0].notes()])


def evaluate_at_depths(
    run: Run,
    qrels: Qrels,
    measures: Iterable[Measure | str] = DEFAULT_MEASURES,
    depths: Iterable[int] = DEPTHS,
    *,
    missing: Missing = "zero",
    level: float = 0.95,
    samples: int = 10_000,
    seed: int = 0,
) -> DepthTable:
    """Scores a run on its first results alone, for several depths; the intervals are by the bootstrap.

    :raises ConfigError: there is no depth, a depth is below 1, a measure does not exist, an option has a wrong value.
    :raises QueryError: the run and the judgments have no topic in common.
    """
    chosen_depths = tuple(sorted(set(depths)))
    if not chosen_depths:
        raise ConfigError("no depth is named", hint="Give one or more, e.g. 10, 100, 1000.")
    for depth in chosen_depths:
        check_missing(missing, depth)
    check_bootstrap(level, samples)
    chosen = tuple(dict.fromkeys(m if isinstance(m, Measure) else parse_measure(m) for m in measures))
    evaluations = tuple(
        evaluate_run(run, qrels, chosen, missing=missing, depth=depth) for depth in chosen_depths
    )
    return DepthTable(
        run.name, chosen_depths, evaluations,
        tuple(evaluation_intervals(evaluation, level, samples=samples, seed=seed) for evaluation in evaluations),
        tuple(judged_per_mille(run, qrels, depth) for depth in chosen_depths), level,
    )


def judged_per_mille(run: Run, qrels: Qrels, depth: int | None = 1000) -> float:
    """How many of 1,000 results are judged: the judged share of a topic's first results, over the topics answered.

    The lower it is, the less a measure without a prime says of the run.

    :raises QueryError: the run and the judgments have no topic in common.
    :raises ConfigError: the depth is below 1.
    """
    check_missing("skip", depth)
    rankings = ranked_documents(run, shared_topics(run, qrels), depth)
    shares = [sum(map(qrels[topic].__contains__, ranking)) / len(ranking) for topic, ranking in rankings.items()]
    return 1000 * sum(shares) / len(shares)
