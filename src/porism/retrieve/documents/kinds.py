"""Kinds: a query that names what it wants, as in "definition of a manifold", prefers documents of that kind.

The kind of a document is a value of its metadata: readers of LaTeX, notes and pages say there what a unit is. Only
short queries are read so: a long question mentions definitions and theorems that it does not ask for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.explanation import Explanation
from porism.index import Segment
from porism.retrieve.documents.components import ComponentContext, ComponentKind
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import HEAVIEST
from porism.settings import Settings
from porism.types import PLACEHOLDER, Query


@dataclass(frozen=True, slots=True)
class Kinds(Settings):
    """How much documents of the kind gain that a short query names, as in "definition of a manifold": ``weight`` times
    their score; 0 is off. ``key`` is the metadata that has the kind.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 0.2
    key: str = "type"

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= HEAVIEST:
            raise ConfigError(f"kinds cannot have the weight {self.weight}", hint="Use a number ≥ 0.")


MOST_WORDS = 12
"""Queries of more words, formulas counted as one each, name no kind."""

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
"""What in a query names which kinds."""


def kinds_named(query: Query) -> tuple[str, ...]:
    """The kinds of documents that a query names, none where it is long or names none.

    A query for a definition also mentions theorems; the definition is what it wants.
    """
    text = " ".join(content.text.replace(PLACEHOLDER, " x ") for content in query.fields.values()).strip()
    if len(text.split()) > MOST_WORDS:
        return ()
    named = [kinds for pattern, kinds in _CUES if pattern.search(text)]
    if ("definition",) in named:
        return ("definition",)
    return tuple(dict.fromkeys(kind for kinds in named for kind in kinds))


class NamedKinds:
    """Adds a share of their scores to documents of the kinds that a query names; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], settings: Kinds) -> None:
        self.settings = settings
        self._segments = tuple(segments)

    def applies(self, query: Query) -> bool:
        """Whether the query names a kind."""
        return self.settings.weight > 0 and bool(kinds_named(query))

    def further(self, query: Query) -> Sequence[tuple[int, NDArray[np.int32]]]:
        """None: kinds only reorder."""
        return ()

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """What each candidate gains (float64)."""
        gains = np.zeros(len(candidates.scores))
        kinds = kinds_named(query)
        for number in np.unique(candidates.segments).tolist():
            mine = candidates.segments == number
            segment = self._segments[number]
            of_kind = np.zeros(segment.doc_count, np.bool_)
            for kind in kinds:
                of_kind |= segment.filter(self.settings.key, kind)
            gains[mine] = of_kind[candidates.units[mine]] * candidates.scores[mine]
        return self.settings.weight * gains

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """What one candidate gains."""
        gain = float(self.scores(query, candidates)[position])
        kinds = " or ".join(kinds_named(query))
        return Explanation(
            gain, f"kind: the query names {kinds}, {float(candidates.scores[position]):.4f} · {self.settings.weight:g}"
        )


def _make(context: ComponentContext, settings: Kinds) -> NamedKinds | None:
    return NamedKinds(context.snapshot.segments, settings) if settings.weight > 0 else None


KINDS = ComponentKind(name="kinds", settings=Kinds, make=_make)
"""What documents gain by their kind."""
