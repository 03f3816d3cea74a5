"""Runs on groups of topics: by what is known of them, by the length and the share of mathematics of their queries."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from porism.analysis.words import WORD
from porism.errors import ConfigError, QueryError
from porism.lab.evaluate.bootstrap import Interval, confidence_intervals
from porism.lab.evaluate.evaluation import Evaluation, aggregate
from porism.lab.evaluate.significance import TIE
from porism.lab.evaluate.tables import aligned, shown, some
from porism.settings import nearest
from porism.types import Query

Groups = Mapping[str, tuple[str, ...]]
"""Name of a group → its topics."""

UNKNOWN = "unknown"
"""The group of topics of which nothing is said."""

_USUAL_ORDER = (
    "computation", "calculation", "concept", "proof",
    "text", "formula", "both",
    "low", "easy", "medium", "high", "hard",
)


class GroupDifference(NamedTuple):
    """How far the value of a run on a group is above that of the baseline, with the bootstrap ``interval`` of the
    paired difference.

    ``topics`` is the number of topics where both are defined; only these count. On ``wins`` of them it is higher, on
    ``losses`` lower, values that differ by rounding only apart.
    """

    difference: float
    interval: Interval
    topics: int
    wins: int = 0
    losses: int = 0


@dataclass(frozen=True, slots=True)
class Breakdown:
    """Runs on groups of topics.

    ``values`` is group → run → measure → aggregated value over the group's topics; a measure that is undefined for all
    of them is absent. ``topics`` is group → those of its topics that were scored; groups without any are left out.
    ``ungrouped`` are scored topics that are in no group. ``tuned`` is run → what must be said of one that was tuned on
    topics that it is scored on. ``differences`` is group → run → measure → difference to the ``baseline``, where there
    is one, with intervals of this ``level``; groups are not corrected for how many they are.
    """

    by: str
    topics: Groups
    values: Mapping[str, Mapping[str, Mapping[str, float]]]
    ungrouped: tuple[str, ...]
    tuned: Mapping[str, str] = field(default_factory=dict)
    differences: Mapping[str, Mapping[str, Mapping[str, GroupDifference]]] = field(default_factory=dict)
    baseline: str = ""
    level: float = 0.95

    @property
    def groups(self) -> tuple[str, ...]:
        """The names of the groups, in order."""
        return tuple(self.topics)

    def value(self, group: str, run: str, measure: str) -> float | None:
        """The value of a measure; None where it is undefined for all topics of the group."""
        return self.values[group][run].get(measure)

    def difference(self, group: str, run: str, measure: str) -> GroupDifference | None:
        """The difference of a run to the baseline; None for the baseline itself, or where none is defined."""
        return self.differences.get(group, {}).get(run, {}).get(measure)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        plain = self._plain()
        if self.baseline:
            plain |= {"baseline": self.baseline, "level": self.level}
            for group, runs in self.differences.items():
                plain["groups"][group]["differences"] = {
                    run: {
                        measure: {**gap._asdict(), "interval": list(gap.interval)} for measure, gap in measures.items()
                    }
                    for run, measures in runs.items()
                }
        return plain

    def _plain(self) -> dict[str, Any]:
        return {
            "by": self.by,
            "groups": {
                group: {
                    "topics": list(topics),
                    "runs": {run: dict(measures) for run, measures in self.values[group].items()},
                }
                for group, topics in self.topics.items()
            },
            "ungrouped": list(self.ungrouped),
            "tuned": dict(self.tuned),
        }

    def table(self) -> str:
        """The breakdown as text: a line for each group and run."""
        measures = list(dict.fromkeys(
            measure for runs in self.values.values() for values in runs.values() for measure in values
        ))
        several = any(len(runs) > 1 for runs in self.values.values())
        rows = [[self.by, *(["run"] if several else []), "topics", *measures]]
        for group, runs in self.values.items():
            rows += [
                [group, *([run] if several else []), str(len(self.topics[group])),
                 *(shown(values.get(measure)) for measure in measures)]
                for run, values in runs.items()
            ]
        notes = [f"in no group: {some(self.ungrouped)}"] if self.ungrouped else []
        notes += [f"{run}: {note}" if several else note for run, note in self.tuned.items()]
        return "\n".join([*aligned(rows), *notes])


def breakdown(
    evaluations: Evaluation | Iterable[Evaluation], groups: Groups, *, by: str = "group", baseline: int | None = None,
    level: float = 0.95, seed: int = 0,
) -> Breakdown:
    """Aggregates evaluations over groups of topics; a topic may be in several.

    :param baseline: the place of the run to which the others are compared, topic by topic; none are if None.
    :param level: that of the intervals of differences, which are drawn by the ``seed``.
    :raises QueryError: no group has a topic that was scored.
    :raises ConfigError: the level is not between 0 and 1.
    """
    given = [evaluations] if isinstance(evaluations, Evaluation) else list(evaluations)
    scored = dict.fromkeys(topic for evaluation in given for topic in evaluation.topics)
    topics = {
        group: kept for group, members in groups.items()
        if (kept := tuple(topic for topic in dict.fromkeys(members) if topic in scored))
    }
    if not topics:
        known = [topic for members in groups.values() for topic in members]
        raise QueryError(
            f"no topic that was scored is in a group by {by}",
            hint=f"Scored were {some(list(scored)) or 'none'}; the groups have {some(known) or 'none'}.",
        )
    values = {
        group: {evaluation.run_name: _aggregated(evaluation, members) for evaluation in given}
        for group, members in topics.items()
    }
    grouped = {topic for members in topics.values() for topic in members}
    tuned = {evaluation.run_name: evaluation.tuned_note for evaluation in given if evaluation.tuned_on}
    ungrouped = tuple(topic for topic in scored if topic not in grouped)
    if baseline is None or len(given) < 2:
        return Breakdown(by, topics, values, ungrouped, tuned)
    differences = {group: _differences(given, baseline, members, level, seed) for group, members in topics.items()}
    return Breakdown(by, topics, values, ungrouped, tuned, differences, given[baseline].run_name, level)


def _differences(
    evaluations: Sequence[Evaluation], baseline: int, topics: Iterable[str], level: float, seed: int
) -> dict[str, dict[str, GroupDifference]]:
    """Run → measure → its difference to the baseline on some topics."""
    reference, members = evaluations[baseline], list(topics)
    differences: dict[str, dict[str, GroupDifference]] = {}
    for evaluation in (*evaluations[:baseline], *evaluations[baseline + 1 :]):
        for name in map(repr, evaluation.measures):
            mine, other = evaluation.per_topic[name], reference.per_topic[name]
            values = np.array([mine[topic] - other[topic] for topic in members if topic in mine and topic in other])
            if not len(values):
                continue
            scale = len(values) if evaluation.is_count(name) else 1
            low, high = confidence_intervals(values[:, None], level, seed=seed)[0]
            differences.setdefault(evaluation.run_name, {})[name] = GroupDifference(
                float(values.mean()) * scale, (low * scale, high * scale), len(values),
                int((values > TIE).sum()), int((values < -TIE).sum()),
            )
    return differences


def _aggregated(evaluation: Evaluation, topics: Iterable[str]) -> dict[str, float]:
    values: dict[str, float] = {}
    for measure in evaluation.measures:
        per_topic = evaluation.per_topic[repr(measure)]
        if defined := {topic: per_topic[topic] for topic in topics if topic in per_topic}:
            values[repr(measure)] = aggregate(measure, defined)
    return values


def groups_by(information: Mapping[str, Mapping[str, str]], column: str) -> dict[str, tuple[str, ...]]:
    """Groups topics by a column of the topic information (:func:`porism.corpus.read_topic_information`).

    Topics with an empty cell are in the group ``unknown``, the last. Groups of ARQMath's columns are in their usual
    order (computation, concept, proof; text, formula, both; low, medium, high), numbers by size, others by name.

    :raises ConfigError: there is no such column.
    """
    columns = dict.fromkeys(name for row in information.values() for name in row)
    wanted = " ".join(column.lower().split())
    if wanted not in columns:
        raise ConfigError(f"topics have no {column!r}", hint=nearest(wanted, columns))
    members: dict[str, list[str]] = {}
    for topic, row in information.items():
        members.setdefault(row.get(wanted) or UNKNOWN, []).append(topic)
    return {name: tuple(members[name]) for name in sorted(members, key=_place)}


def _place(name: str) -> tuple[bool, int, float, str]:
    """Sorts the names of groups."""
    usual = _USUAL_ORDER.index(name.lower()) if name.lower() in _USUAL_ORDER else len(_USUAL_ORDER)
    try:
        number = float(name)
    except ValueError:
        number = math.inf
    return (name == UNKNOWN, usual, number if not math.isnan(number) else math.inf, name)


def length_groups(queries: Iterable[Query], bins: int | Sequence[float] = 4) -> dict[str, tuple[str, ...]]:
    """Groups topics by their length in tokens (:attr:`QueryFeatures.length`); bins as in :func:`value_groups`."""
    return value_groups({query.id: query_features(query).length for query in queries}, bins, "tokens")


def math_share_groups(queries: Iterable[Query], bins: int | Sequence[float] = 4) -> dict[str, tuple[str, ...]]:
    """Groups topics by the share of mathematics in per cent; bins as in :func:`value_groups`, in per cent too."""
    shares = {query.id: 100 * query_features(query).math_share for query in queries}
    return value_groups(shares, bins, "% mathematics")


def value_groups(
    values: Mapping[str, float], bins: int | Sequence[float] = 4, unit: str = ""
) -> dict[str, tuple[str, ...]]:
    """Groups topics by a number, from the lowest up.

    ``bins`` is a number of groups of about the same size (equal values stay together, so there may be fewer), or the
    inner bounds: ``[20, 50]`` makes groups below 20, from 20 to below 50, and from 50. Groups without a topic are left
    out. Groups of the first kind are named by the values in them (``17–32 tokens``), of the second by the bounds.

    :raises ConfigError: a number of groups below 1, or bounds that do not rise.
    """
    unit = unit if unit.startswith("%") else f" {unit}" if unit else ""
    if isinstance(bins, int):
        if bins < 1:
            raise ConfigError(f"{bins} groups", hint="It takes 1 or more.")
        if not values:
            return {}
        inner = np.quantile(list(values.values()), np.arange(1, bins) / bins, method="inverted_cdf").tolist()
        places = {topic: int(np.searchsorted(inner, value, side="left")) for topic, value in values.items()}
        groups: dict[str, tuple[str, ...]] = {}
        for place in sorted(set(places.values())):
            members = tuple(topic for topic in values if places[topic] == place)
            low, high = (_number(end(values[topic] for topic in members)) for end in (min, max))
            name = f"{low}{unit}" if low == high else f"{low}–{high}{unit}"
            groups[name] = (*groups.get(name, ()), *members)
        return groups
    bounds = [float(bound) for bound in bins]
    if not bounds or not all(low < high for low, high in pairwise(bounds)):
        raise ConfigError(f"the bounds {list(bins)} do not rise", hint="Give inner bounds, e.g. 20, 50.")
    names = [f"< {_number(bounds[0])}{unit}"]
    names += [f"{_number(low)} to < {_number(high)}{unit}" for low, high in pairwise(bounds)]
    names.append(f"≥ {_number(bounds[-1])}{unit}")
    by_name: dict[str, list[str]] = {name: [] for name in names}
    for topic, value in values.items():
        by_name[names[int(np.searchsorted(bounds, value, side="right"))]].append(topic)
    return {name: tuple(members) for name, members in by_name.items() if members}


def _number(value: float) -> str:
    return f"{value:.10g}" if float(value).is_integer() else f"{value:.1f}"


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """The length of a query in tokens, and what they are.

    ``words`` are runs of letters and digits in the text, stop words too. ``formula_tokens`` are the symbols of all
    ``formulas`` in prefix notation: the nodes of their operator trees in preorder (as in the topic statistics of
    figure 8 of the Masaryk group's paper at ARQMath 2021).
    """

    words: int
    formulas: int
    formula_tokens: int

    @property
    def length(self) -> int:
        """All tokens."""
        return self.words + self.formula_tokens

    @property
    def math_share(self) -> float:
        """The share of tokens of mathematics among all tokens, from 0 to 1; 0 for an empty query."""
        return self.formula_tokens / self.length if self.length else 0.0


def query_features(query: Query) -> QueryFeatures:
    """Counts the tokens of all fields of a query; an invalid formula counts for the tokens that were read."""
    from porism.formula import extract, operator_tree, parse  # here, since most evaluations read no formula

    words = formulas = tokens = 0
    for content in query.fields.values():
        words += len(WORD.findall(content.text))
        formulas += len(content.formulas)
        for formula in content.formulas:
            layout = parse(formula)
            tokens += len(extract("prefix", layout, operator_tree(layout)))
    return QueryFeatures(words, formulas, tokens)
