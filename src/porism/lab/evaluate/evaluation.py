"""A run scored by relevance judgments."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from porism.errors import ConfigError, QueryError, pluralise
from porism.lab.evaluate.judgments import Qrels, whole_gains
from porism.lab.evaluate.measures import DEFAULT_MEASURES, Measure, distinct_measures, parse_measure
from porism.lab.evaluate.scoring import COUNTS, Rankings
from porism.lab.evaluate.tables import aligned, shown, some, with_interval
from porism.runs.run import Run

Missing = Literal["zero", "skip"]
"""What becomes of topics that the run does not answer: they count as zero, or are left out."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a run scored: measure → topic → value, and each measure aggregated over the topics.

    The keys are the measures' names (``repr``). Counts (``num_rel_ret``, ``NumRel``, …) are summed and integers, all
    else is averaged. A measure that is undefined for a topic (``Accuracy`` without a pair to compare) has no value
    there and is averaged over the others; undefined for all, it is NaN. ``topics`` are those that count, in the order
    of the judgments. ``missing_topics`` have judgments and no results, ``unjudged_topics`` results and no judgments
    (they never count). ``tuned_on`` are those of ``topics`` whose judgments had a part in choosing how the
    run ranks them: what it scores there says little of other topics.
    """

    run_name: str
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    missing: Missing
    missing_topics: tuple[str, ...]
    unjudged_topics: tuple[str, ...]
    per_topic: Mapping[str, Mapping[str, float]]
    aggregated: Mapping[str, float]
    tuned_on: tuple[str, ...] = ()

    def __getitem__(self, measure: str | Measure) -> float:
        """The aggregated value of a measure, by any spelling of its name.

        :raises ConfigError: it was not computed.
        """
        name = repr(parse_measure(measure))
        if name not in self.aggregated:
            raise ConfigError(
                f"the measure {name} was not computed", hint=f"Computed were {', '.join(self.aggregated)}."
            )
        return self.aggregated[name]

    def is_count(self, measure: str) -> bool:
        """Whether a measure, by its name here, is a count and so summed over the topics."""
        return any(repr(known) == measure and known.resolve().NAME in COUNTS for known in self.measures)

    @property
    def tuned_note(self) -> str:
        """That the run was tuned on topics that it is scored on, as a sentence; empty where it was not."""
        if not self.tuned_on:
            return ""
        count = len(self.topics)
        which = "this topic" if count == 1 else f"{len(self.tuned_on):,} of these {count:,} topics"
        return f"tuned on {which}: not held out"

    def to_dict(self, per_topic: bool = False) -> dict[str, Any]:
        """The evaluation as plain values for JSON; ``per_topic`` adds topic → measure → value. NaN becomes None."""
        result: dict[str, Any] = {
            "run": self.run_name,
            "aggregated": {name: _plain(value) for name, value in self.aggregated.items()},
            "definitions": {repr(measure): measure.definition for measure in self.measures},
            "topics": len(self.topics),
            "missing": self.missing,
            "missing_topics": list(self.missing_topics),
            "unjudged_topics": list(self.unjudged_topics),
            "tuned_on": list(self.tuned_on),
        }
        if per_topic:
            result["per_topic"] = {
                topic: {
                    name: _plain(values[topic]) for name, values in self.per_topic.items() if topic in values
                }
                for topic in self.topics
            }
        return result

    def table(self, per_topic: bool = False, intervals: Mapping[str, tuple[float, float]] | None = None) -> str:
        """The evaluation as text: a line for each measure; with ``per_topic`` one for each topic and one for all.

        ``intervals`` (measure → lower and upper end) are beside the aggregated values that they belong to.
        """
        ends = intervals or {}
        aggregated = [with_interval(value, ends.get(name)) for name, value in self.aggregated.items()]
        if per_topic:
            rows = [["topic", *self.aggregated]]
            columns = self.per_topic.values()
            rows += [[topic, *(shown(values.get(topic)) for values in columns)] for topic in self.topics]
            rows.append(["all", *aggregated])
        else:
            rows = [["measure", "value"]]
            rows += [[name, value] for name, value in zip(self.aggregated, aggregated, strict=True)]
        return "\n".join([*aligned(rows), *self.notes()])

    def notes(self) -> list[str]:
        """What a reader must know beside the values, a line each: how many topics, which were left out."""
        notes = [pluralise(len(self.topics), "topic")]
        if self.missing_topics:
            fate = "counted as zero" if self.missing == "zero" else "left out"
            notes.append(f"{fate}, not in the run: {some(self.missing_topics)}")
        if self.unjudged_topics:
            notes.append(f"left out, without judgments: {some(self.unjudged_topics)}")
        if self.tuned_on:
            notes.append(self.tuned_note)
        return notes


def evaluate_run(
    run: Run, qrels: Qrels, measures: Iterable[Measure | str] = DEFAULT_MEASURES, *, missing: Missing = "zero",
    depth: int | None = 1000,
) -> Evaluation:
    """Scores a run.

    Rankings are those of the run, ties by its own rule. The measures see ranks in place of scores, so that no reader
    of scores in 32 bits can reorder them. Of each ranking the first ``depth`` results count (None: all), cut before
    unjudged documents are removed, as ARQMath cuts submissions.

    ``missing="zero"`` averages over every topic of the judgments, also those without a relevant document. A topic that
    the run lacks or has no results for counts as zero, as in ``trec_eval -c``. ``missing="skip"`` averages over the
    topics that the run answers, as ``trec_eval`` does without ``-c``; a topic with nothing but unjudged results is
    answered. Topics without judgments never count.

    :raises ConfigError: a measure does not exist or cannot be computed here, or an option has a wrong value.
    :raises QueryError: the run and the judgments have no topic in common.
    :raises FormatError: a gain is not a whole number.
    """
    check_missing(missing, depth)
    chosen = distinct_measures(measures)
    answered = shared_topics(run, qrels)
    gains = {topic: whole_gains(topic, judged) for topic, judged in qrels.items()}
    topics = tuple(gains) if missing == "zero" else answered
    per_measure = Rankings(ranked_documents(run, answered, depth), gains).values(chosen, topics)
    per_topic = {repr(measure): per_measure[measure] for measure in chosen}
    aggregated = {repr(measure): aggregate(measure, per_measure[measure]) for measure in chosen}
    has_results = set(answered)
    tuned_on = frozenset(run.provenance.tuned_on if run.provenance else ())
    return Evaluation(
        run_name=run.name,
        measures=chosen,
        topics=topics,
        missing=missing,
        missing_topics=tuple(topic for topic in gains if topic not in has_results),
        unjudged_topics=tuple(topic for topic in run if topic not in gains),
        per_topic=per_topic,
        aggregated=aggregated,
        tuned_on=tuple(topic for topic in topics if topic in tuned_on),
    )


def check_missing(missing: str, depth: int | None) -> None:
    """Refuses values of the two options that decide what is scored.

    :raises ConfigError: one of them has a wrong value.
    """
    if missing not in ("zero", "skip"):
        raise ConfigError(f"missing is {missing!r}", hint="It is 'zero' or 'skip'.")
    if depth is not None and depth < 1:
        raise ConfigError(f"the depth is {depth}", hint="It is 1 or more, or None for whole rankings.")


def shared_topics(run: Run, qrels: Qrels) -> tuple[str, ...]:
    """The topics of the judgments for which the run has results, in their order.

    :raises QueryError: there is none; the message names the run and topics of both sides.
    """
    answered = frozenset(
        topic for topic, results in zip(run.query_ids, np.diff(run.offsets).tolist(), strict=True) if results
    )
    shared = tuple(topic for topic in qrels if topic in answered)
    if not shared:
        raise QueryError(
            "the run and the judgments have no topic in common",
            where=run.name,
            hint=f"The run has {some(list(run)) or 'none'}; the judgments have {some(list(qrels)) or 'none'}.",
        )
    return shared


def ranked_documents(run: Run, topics: Iterable[str], depth: int | None) -> dict[str, tuple[str, ...]]:
    """Topic → documents, best first, not more than ``depth``."""
    place = {topic: number for number, topic in enumerate(run.query_ids)}
    rankings: dict[str, tuple[str, ...]] = {}
    for topic in topics:
        start, stop = (int(bound) for bound in run.offsets[place[topic] : place[topic] + 2])
        rankings[topic] = run.doc_ids[start : stop if depth is None else min(stop, start + depth)]
    return rankings


def aggregate(measure: Measure, values: Mapping[str, float]) -> float:
    """Counts summed, all else averaged over topics; NaN without a topic."""
    aggregator = measure.resolve().aggregator()
    for value in values.values():
        aggregator.add(value)
    result: float = aggregator.result()
    return result


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value
