"""Kinds: a query that names a kind of document, as in "definition of a manifold", prefers documents of that kind.

The kind of a document is a metadata value, which readers of LaTeX, notes and pages set. Only short queries name kinds:
a long question mentions definitions and theorems without asking for them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index import Segment
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import check_weight
from porism.settings import Settings
from porism.types import PLACEHOLDER, Query


@dataclass(frozen=True, slots=True)
class Kinds(Settings):
    """Documents of a kind that the query names gain ``weight`` times their score; 0 is off.

    ``key`` is the metadata key of the kind.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 0.2
    key: str = "type"

    def __post_init__(self) -> None:
        check_weight("kinds", self.weight)


MAX_WORDS = 12
"""Longer queries (in words; a formula counts as one) name no kind."""

_STATEMENTS = ("theorem", "lemma", "proposition", "corollary")
_CUES: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), kinds) for pattern, kinds in (
        (r"\bdefin(?:e|es|ed|ition|itions)\b|\bmeaning of\b|\bwhat does\b.*\bmean\b", ("definition",)),
        (r"^\s*what(?: is|'s|’s) an? |^\s*what are (?!the\b)|^\s*what(?: is|'s|’s) (?!the\b)\w+(?: \w+)?\s*\??\s*$",
         ("definition",)),
        (r"\btheorems?\b", ("theorem",)),
        (r"\blemmas?\b|\blemmata\b", ("lemma",)),
        (r"\bpropositions?\b", ("proposition",)),
        (r"\bcorollar(?:y|ies)\b", ("corollary",)),
        (r"\bcounter-?examples?\b", ("counterexample", "example")),
        (r"\bexamples?\b", ("example",)),
        (r"\bexercises?\b|\bproblems?\b", ("exercise", "problem")),
        (r"\bproofs? (?:of|that)\b|^\s*prove\b", (*_STATEMENTS, "proof")),
        (r"\bconjectures?\b", ("conjecture",)),
        (r"\baxioms?\b", ("axiom",)),
        (r"\bremarks?\b", ("remark",)),
        (r"\bidentit(?:y|ies)\b", ("identity",)),
        (r"\balgorithms?\b", ("algorithm",)),
    )
)
"""Patterns in a query and the kinds that they name."""


def kinds_named(query: Query) -> tuple[str, ...]:
    """The kinds of documents that a query names; none if it is long.

    A query for a definition may also mention theorems; then only the definition counts.
    """
    text = " ".join(content.text.replace(PLACEHOLDER, " x ") for content in query.fields.values()).strip()
    if len(text.split()) > MAX_WORDS:
        return ()
    named = [kinds for pattern, kinds in _CUES if pattern.search(text)]
    if ("definition",) in named:
        return ("definition",)
    return tuple(dict.fromkeys(kind for kinds in named for kind in kinds))


class NamedKinds(ScoreComponent):
    """Adds a share of their scores to documents of the kinds that a query names; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], settings: Kinds) -> None:
        self.settings = settings
        self._segments = tuple(segments)

    def applies(self, query: Query) -> bool:
        return self.settings.weight > 0 and bool(kinds_named(query))

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        gains = np.zeros(len(candidates.scores))
        kinds = kinds_named(query)
        for number, mine, units in candidates.by_segment():
            segment = self._segments[number]
            has_kind = np.zeros(segment.doc_count, np.bool_)
            for kind in kinds:
                has_kind |= segment.filter(self.settings.key, kind)
            gains[mine] = has_kind[units] * candidates.scores[mine]
        return self.settings.weight * gains

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        gain = float(self.scores(query, candidates)[position])
        kinds = " or ".join(kinds_named(query))
        return Explanation(
            gain, f"kind: the query names {kinds}, {float(candidates.scores[position]):.4f} · {self.settings.weight:g}"
        )


def _make(context: ComponentContext, settings: Kinds) -> NamedKinds | None:
    return NamedKinds(context.snapshot.segments, settings) if settings.weight > 0 else None


KINDS = ComponentKind(name="kinds", settings=Kinds, make=_make)
"""The component of kinds."""
