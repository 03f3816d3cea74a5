"""A run scored by relevance judgments."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from porism.errors import ConfigError, QueryError
from porism.evaluate.judgments import Qrels, whole_gains
from porism.evaluate.measures import DEFAULT_MEASURES, Measure, parse_measure
from porism.run import Run

Missing = Literal["zero", "skip"]
"""What becomes of topics that the run does not answer: they count as zero, or are left out."""

_COUNTS = frozenset({"NumQ", "NumRel", "NumRet"})


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a run scored: measure → topic → value, and each measure aggregated over the topics.

    The keys are the measures' names (``repr``). Counts (``num_rel_ret``, ``NumRel``, …) are summed and integers, all
    else is averaged. A measure that is undefined for a topic (``Accuracy`` without a pair to compare) has no value
    there and is averaged over the others; undefined for all, it is NaN. ``topics`` are those that count, in the order
    of the judgments. ``missing_topics`` have judgments and no results, ``unjudged_topics`` results and no judgments
    (they never count).
    """

    run_name: str
    measures: tuple[Measure, ...]
    topics: tuple[str, ...]
    missing: Missing
    missing_topics: tuple[str, ...]
    unjudged_topics: tuple[str, ...]
    per_topic: Mapping[str, Mapping[str, float]]
    aggregated: Mapping[str, float]

    def __getitem__(self, measure: str | Measure) -> float:
        """The aggregated value of a measure, by any spelling of its name.

        :raises ConfigError: it was not computed.
        """
        name = repr(measure if isinstance(measure, Measure) else parse_measure(measure))
        if name not in self.aggregated:
            raise ConfigError(
                f"the measure {name} was not computed", hint=f"Computed were {', '.join(self.aggregated)}."
            )
        return self.aggregated[name]

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
        }
        if per_topic:
            result["per_topic"] = {
                topic: {
                    name: _plain(values[topic]) for name, values in self.per_topic.items() if topic in values
                }
                for topic in self.topics
            }
        return result

    def table(self, per_topic: bool = False) -> str:
        """The evaluation as text: a line for each measure; with ``per_topic`` one for each topic and one for all."""
        if per_topic:
            rows = [["topic", *self.aggregated]]
            columns = self.per_topic.values()
            rows += [[topic, *(_shown(values.get(topic)) for values in columns)] for topic in self.topics]
            rows.append(["all", *map(_shown, self.aggregated.values())])
        else:
            rows = [["measure", "value"]]
            rows += [[name, _shown(value)] for name, value in self.aggregated.items()]
        return "\n".join([*_aligned(rows), *self._notes()])

    def _notes(self) -> list[str]:
        notes = [f"{len(self.topics):,} {'topic' if len(self.topics) == 1 else 'topics'}"]
        if self.missing_topics:
            fate = "counted as zero" if self.missing == "zero" else "left out"
            notes.append(f"{fate}, not in the run: {_some(self.missing_topics)}")
        if self.unjudged_topics:
            notes.append(f"left out, without judgments: {_some(self.unjudged_topics)}")
        return notes


def evaluate_run(
    run: Run,
    qrels: Qrels,
    measures: Iterable[Measure | str] = DEFAULT_MEASURES,
    *,
    missing: Missing = "zero",
    depth: int | None = 1000,
) -> Evaluation:
    """Scores a run.

    Rankings are those of the run, ties by its own rule: the measures see ranks in place of scores, so that no reader
    of scores in 32 bits can reorder them. Of each ranking the first ``depth`` results count (None: all), cut before
    unjudged documents are removed, as ARQMath cuts submissions.

    ``missing="zero"`` averages over every topic of the judgments, also those without a relevant document, and a topic
    that the run lacks or has no results for counts as zero; so does ``trec_eval -c``. ``missing="skip"`` averages over
    the topics that the run answers, as ``trec_eval`` does without ``-c``; a topic with nothing but unjudged results is
    answered. Topics without judgments never count.

    :raises ConfigError: a measure does not exist or cannot be computed here, or an option has a wrong value.
    :raises QueryError: the run and the judgments have no topic in common.
    :raises FormatError: a gain is not a whole number.
    """
    if missing not in ("zero", "skip"):
        raise ConfigError(f"missing is {missing!r}", hint="It is 'zero' or 'skip'.")
    if depth is not None and depth < 1:
        raise ConfigError(f"the depth is {depth}", hint="It is 1 or more, or None for whole rankings.")
    chosen = tuple(dict.fromkeys(m if isinstance(m, Measure) else parse_measure(m) for m in measures))
    gains = {topic: whole_gains(topic, judged) for topic, judged in qrels.items()}
    rankings = {topic: ranking for topic in gains if (ranking := [doc for doc, _ in run[topic][:depth]])}
    if not rankings:
        raise QueryError(
            "the run and the judgments have no topic in common",
            where=run.name,
            hint=f"The run has {_some(list(run)) or 'none'}; the judgments have {_some(list(gains)) or 'none'}.",
        )
    topics = tuple(gains) if missing == "zero" else tuple(rankings)
    per_topic: dict[str, dict[str, float]] = {}
    aggregated: dict[str, float] = {}
    for measure in chosen:
        values = _values(measure, rankings, gains, topics)
        per_topic[repr(measure)] = values
        aggregated[repr(measure)] = _aggregate(measure, values)
    return Evaluation(
        run_name=run.name,
        measures=chosen,
        topics=topics,
        missing=missing,
        missing_topics=tuple(topic for topic in gains if topic not in rankings),
        unjudged_topics=tuple(topic for topic in run if topic not in gains),
        per_topic=per_topic,
        aggregated=aggregated,
    )


def _values(
    measure: Measure,
    rankings: Mapping[str, Sequence[str]],
    gains: Mapping[str, dict[str, int]],
    topics: Sequence[str],
) -> dict[str, float]:
    """Topic → value, in the order of ``topics``; undefined values are absent."""
    resolved = measure.resolve()
    scored: dict[str, dict[str, float]] = {}
    for topic, ranking in rankings.items():
        seen = [doc for doc in ranking if doc in gains[topic]] if measure.judged_only else ranking
        if seen:
            scored[topic] = {doc: float(len(seen) - position) for position, doc in enumerate(seen)}
    # One measure a call: ir_measures computes several at once with the gains or the relevance level of the first.
    found = {
        metric.query_id: metric.value
        for metric in _computed(measure, resolved, {topic: gains[topic] for topic in scored}, scored)
        if not math.isnan(metric.value)
    }
    values: dict[str, float] = {}
    for topic in topics:
        if topic in scored:
            if topic not in found:
                continue
            value = found[topic]
        elif resolved.NAME == "NumRel":  # a property of the judgments, not of the results
            value = sum(gain >= resolved["rel"] for gain in gains[topic].values())
        else:
            value = 1 if resolved.NAME == "NumQ" else resolved.DEFAULT
        values[topic] = round(value) if resolved.NAME in _COUNTS else float(value)
    return values


def _computed(
    measure: Measure, resolved: Any, gains: Mapping[str, dict[str, int]], scored: Mapping[str, dict[str, float]]
) -> list[Any]:
    if not scored:
        return []
    import ir_measures

    try:
        return list(ir_measures.iter_calc([resolved], gains, scored))
    except (ValueError, TypeError, KeyError, ArithmeticError, RuntimeError, ImportError, OSError,
            AssertionError, subprocess.SubprocessError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(
            f"cannot be computed here ({reason})", where=f"measure {measure!r}",
            hint="It may need an argument or another package; leave it out or see the documentation of ir_measures.",
        ) from error


def _aggregate(measure: Measure, values: Mapping[str, float]) -> float:
    aggregator = measure.resolve().aggregator()
    for value in values.values():
        aggregator.add(value)
    result: float = aggregator.result()
    return result


def _plain(value: float) -> float | None:
    return None if math.isnan(value) else value


def _shown(value: float | None) -> str:
    if value is None or math.isnan(value):
        return "–"
    return str(value) if isinstance(value, int) else f"{value:.4f}"


def _some(names: Sequence[str], most: int = 5) -> str:
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Columns two blanks apart, the first to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
