"""Runs by depth: measures of their first results, the judged share, precision against recall, and ranks in sources."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.lab.evaluate.bootstrap import Interval, check_bootstrap, evaluation_intervals
from porism.lab.evaluate.evaluation import (
    Evaluation,
    Missing,
    check_missing,
    evaluate_run,
    ranked_documents,
    shared_topics,
)
from porism.lab.evaluate.judgments import Qrels, whole_gains
from porism.lab.evaluate.measures import DEFAULT_MEASURES, RELEVANT, Measure, distinct_measures
from porism.lab.evaluate.tables import aligned, some, with_interval
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
    run: Run, qrels: Qrels, measures: Iterable[Measure | str] = DEFAULT_MEASURES, depths: Iterable[int] = DEPTHS, *,
    missing: Missing = "zero", level: float = 0.95, samples: int = 10_000, seed: int = 0,
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
    chosen = distinct_measures(measures)
    evaluations = tuple(evaluate_run(run, qrels, chosen, missing=missing, depth=depth) for depth in chosen_depths)
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


RECALL_LEVELS: NDArray[np.float64] = np.arange(11) / 10
"""0, 0.1, … 1: where :func:`precision_recall` has its points."""
RECALL_LEVELS.flags.writeable = False


def precision_recall(
    run: Run, qrels: Qrels, judged_only: bool = False, *, rel: int = RELEVANT, missing: Missing = "zero",
    depth: int | None = 1000,
) -> NDArray[np.float64]:
    """The 11-point interpolated precision-recall curve, averaged over topics: float64 [11].

    At each of :data:`RECALL_LEVELS` is the highest precision of a topic at this recall or a higher one, 0 where the
    run does not reach it. ``judged_only`` removes unjudged documents first; a gain of ``rel`` or more is relevant.
    Topics count as in :func:`~porism.lab.evaluate.evaluate_run`: one without a relevant document has 0 everywhere. All
    is as in trec_eval (the measure ``IPrec@0.5``), also how it rounds recall: 2 of 3 reach the level 0.7.

    :raises ConfigError: an option has a wrong value.
    :raises QueryError: the run and the judgments have no topic in common.
    """
    check_missing(missing, depth)
    if rel < 1:
        raise ConfigError(f"rel is {rel}", hint="It is 1 or more.")
    answered = shared_topics(run, qrels)
    total = np.zeros(11)
    for topic, ranking in ranked_documents(run, answered, depth).items():
        gains = whole_gains(topic, qrels[topic])
        relevant = sum(gain >= rel for gain in gains.values())
        if not relevant:
            continue
        seen = [gains[doc] for doc in ranking if doc in gains] if judged_only else [
            gains.get(doc, 0) for doc in ranking
        ]
        places = np.flatnonzero(np.array(seen, np.int64) >= rel)
        if not len(places):
            continue
        hits = np.arange(1, len(places) + 1)
        best = np.maximum.accumulate((hits / (places + 1))[::-1])[::-1]  # the highest precision from here on
        needed = np.maximum((RECALL_LEVELS * relevant + 0.9).astype(np.int64), 1)  # trec_eval's rounding
        reached = needed <= len(places)
        total[reached] += best[needed[reached] - 1]
    return total / (len(qrels) if missing == "zero" else len(answered))


def rank_positions(fused: Run, sources: Sequence[Run], topic: str, k: int = 10) -> NDArray[np.int64]:
    """The ranks of the first ``k`` results of a fused run in each of its sources: int64 [up to k, sources].

    Ranks are from 1, those of the files for runs that were read with them; 0 where a source lacks the document. This
    is what figure 3 of Zhong et al. (2022) plots.

    :raises QueryError: the fused run does not have the topic.
    :raises ConfigError: ``k`` is below 1.
    """
    if k < 1:
        raise ConfigError(f"k is {k}", hint="It is 1 or more.")
    if topic not in fused:
        raise QueryError(
            f"there is no topic {topic}", where=fused.name, hint=f"The run has {some(list(fused)) or 'none'}."
        )
    shown = ranked_documents(fused, [topic], k)[topic]
    positions = np.zeros((len(shown), len(sources)), np.int64)
    for column, source in enumerate(sources):
        if topic not in source:
            continue
        number = source.query_ids.index(topic)
        start, stop = int(source.offsets[number]), int(source.offsets[number + 1])
        rank_of = dict(zip(source.doc_ids[start:stop], source.ranks[start:stop].tolist(), strict=True))
        positions[:, column] = [rank_of.get(doc, 0) for doc in shown]
    return positions
