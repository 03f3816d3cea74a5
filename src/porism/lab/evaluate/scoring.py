"""The values of measures topic by topic, computed by ir_measures on as little of the rankings as they look at."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from porism.errors import ConfigError
from porism.lab.evaluate.measures import Measure
from porism.system.concurrency.caching import cached_property

Gains = dict[str, int]
Scores = dict[str, dict[str, float]]

COUNTS = frozenset({"NumQ", "NumRel", "NumRet"})
"""Measures that count, and are summed over topics."""

_CUT = frozenset({"AP", "ERR", "Judged", "P", "R", "RR", "Success", "nDCG"})
"""With a cutoff, these see no further than it."""

_TOGETHER = frozenset({"AP", "Bpref", "NumRet", "P", "R", "Rprec", "Success", "nDCG"})
"""trec_eval computes these in one pass, if they agree from which gain a document is relevant."""


class Rankings:
    """The rankings of a run that have judgments, best first, and what measures see of them.

    ir_measures is handed falling numbers in place of scores. What is made of the rankings is made once, for all
    measures: those of judged documents, which are all that most measures look at, and those cut at some rank.
    """

    def __init__(self, rankings: Mapping[str, Sequence[str]], gains: Mapping[str, Gains]) -> None:
        """``rankings`` are topic → documents, best first; ``gains`` topic → document → gain, for each of them."""
        self._rankings = rankings
        self._gains = gains
        self._cut: dict[int, Scores] = {}

    @cached_property
    def judged(self) -> Scores:
        """Without unjudged documents; topics that have no judged document are left out."""
        return _scores({
            topic: list(filter(self._gains[topic].__contains__, ranking)) for topic, ranking in self._rankings.items()
        })

    @cached_property
    def whole(self) -> Scores:
        """All results."""
        return _scores(self._rankings)

    def cut(self, cutoff: int) -> Scores:
        """The first results."""
        if cutoff not in self._cut:
            self._cut[cutoff] = _scores({topic: ranking[:cutoff] for topic, ranking in self._rankings.items()})
        return self._cut[cutoff]

    def seen_by(self, measure: Measure, resolved: Any) -> Scores:
        """What a measure must be handed for its exact value; topics that it leaves out are 0."""
        name, parameters = resolved.NAME, resolved.params
        cutoff = parameters.get("cutoff")
        if measure.judged_only or name == "Bpref" or (name == "NumRet" and "rel" in parameters):
            seen = self.judged
        elif name in _CUT and isinstance(cutoff, int) and not parameters.get("judged_only"):
            seen = self.cut(cutoff)
        else:
            seen = self.whole
        if name == "nDCG":
            gain_of = parameters.get("gains") or {}
            # trec_eval never returns from a topic without a gain of 0 or more.
            endless = {
                topic for topic in seen if not any(gain_of.get(gain, gain) >= 0 for gain in self._gains[topic].values())
            }
            if endless:
                seen = {topic: scores for topic, scores in seen.items() if topic not in endless}
        return seen

    def values(self, measures: Sequence[Measure], topics: Sequence[str]) -> dict[Measure, dict[str, float]]:
        """Measure → topic → value, in the order of ``topics``; undefined values are absent.

        :raises ConfigError: a measure cannot be computed here.
        """
        resolved = {measure: measure.resolve() for measure in measures}
        scores = {measure: self.seen_by(measure, library) for measure, library in resolved.items()}
        computed: dict[Measure, dict[str, float]] = {}
        # ir_measures computes several at once with the gains or the relevance level of the first, so only those that
        # agree in both go together.
        groups: dict[tuple[Any, ...], list[Measure]] = {}
        for measure, library in resolved.items():
            groups.setdefault(_group(library, id(scores[measure])), []).append(measure)
        for group in groups.values():
            seen = scores[group[0]]
            judged = {topic: self._gains[topic] for topic in seen}
            libraries = {measure: resolved[measure] for measure in group}
            computed.update(_computed(libraries, judged, seen))
        return {
            measure: self._completed(resolved[measure], computed[measure], scores[measure], topics)
            for measure in measures
        }

    def _completed(
        self, resolved: Any, computed: Mapping[str, float], seen: Scores, topics: Sequence[str]
    ) -> dict[str, float]:
        values: dict[str, float] = {}
        for topic in topics:
            if topic in seen:
                if topic not in computed:
                    continue
                value = computed[topic]
            elif resolved.NAME == "NumRel":  # a property of the judgments, not of the results
                value = sum(gain >= resolved["rel"] for gain in self._gains[topic].values())
            else:
                value = 1 if resolved.NAME == "NumQ" else resolved.DEFAULT
            values[topic] = round(value) if resolved.NAME in COUNTS else float(value)
        return values


def _group(resolved: Any, scores: int) -> tuple[Any, ...]:
    """Measures of one group can be computed in one call."""
    parameters = dict(resolved.params)
    alike = resolved.NAME in _TOGETHER and "gains" not in parameters and "judged_only" not in parameters
    if alike and resolved.NAME == "NumRet" and "rel" not in parameters:
        alike = False
    if not alike:
        return (scores, repr(resolved))
    # nDCG has no relevance level; with others of the usual one it goes along.
    return (scores, 2 if resolved.NAME == "nDCG" else resolved["rel"])


def _scores(rankings: Mapping[str, Sequence[str]]) -> Scores:
    """Topic → document → a falling number; topics without documents are left out."""
    return {
        topic: dict(zip(ranking, count(float(len(ranking)), -1.0), strict=False))
        for topic, ranking in rankings.items() if ranking
    }


def _computed(
    measures: Mapping[Measure, Any], gains: Mapping[str, Gains], scored: Scores
) -> dict[Measure, dict[str, float]]:
    """Measure → topic → value as ir_measures gives it, without NaN."""
    values: dict[Measure, dict[str, float]] = {measure: {} for measure in measures}
    if not scored:
        return values
    import ir_measures

    same: dict[Any, list[Measure]] = {}  # bpref and Bpref(rel=2) are one measure there
    for measure, resolved in measures.items():
        same.setdefault(resolved, []).append(measure)
    by_identity = {id(resolved): chosen for resolved, chosen in same.items()}  # to hash one is to write its name
    try:
        for metric in ir_measures.iter_calc(list(same), gains, scored):
            if not math.isnan(metric.value):
                for measure in by_identity.get(id(metric.measure)) or same[metric.measure]:
                    values[measure][metric.query_id] = metric.value
    except (ValueError, TypeError, KeyError, ArithmeticError, RuntimeError, ImportError, OSError,
            AssertionError, subprocess.SubprocessError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise ConfigError(
            f"cannot be computed here ({reason})", where=f"measure {', '.join(map(repr, measures))}",
            hint="It may need an argument or another package; leave it out or see the documentation of ir_measures.",
        ) from error
    return values
