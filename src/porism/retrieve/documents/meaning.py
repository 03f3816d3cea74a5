"""Meaning: a document whose terms mean what those of the query mean gains, also where they are other terms.

A candidate gains ``weight · min(√m, m / 2) · c``. Here c is the cosine of the query's vector with that of the nearer
view of the document (:mod:`porism.retrieve.meaning`). The upper bound of the query's score is m, the sum of ``weight ·
q(t) · idf(t)`` over its terms. The root makes up for what long questions ask: no document has all of their terms.

On the development sets m to the power of 0.4 or 0.6 is about as good; with 0.75 short questions gain less, and long
ones no more. Where m is small, as in a collection of a few documents, meaning does not outweigh the words.

Only candidates are compared. To look among all documents for further ones is worth at most 0.001 on each development
set, and would cost the time of a search of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index import Segment
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.meaning.space import MeaningSpace
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import check_weight
from porism.settings import Settings
from porism.types import Query


@dataclass(frozen=True, slots=True)
class Meaning(Settings):
    """Documents that mean what the query means gain; ``weight`` 0 is off.

    They gain ``weight`` times their cosine, times the root of what the query can score at most, or half of that.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 1.4

    def __post_init__(self) -> None:
        check_weight("meaning", self.weight)


class NearInMeaning(ScoreComponent):
    """Adds to the scores of documents that are near to the query in meaning; safe to share between threads."""

    def __init__(
        self, space: MeaningSpace, settings: Meaning, lexical: LexicalRetriever, reader: QueryReader
    ) -> None:
        self.settings = settings
        self._space = space
        self._lexical, self._reader = lexical, reader

    def applies(self, query: Query) -> bool:
        return True

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        cosines = np.zeros(len(candidates.scores))
        vectors = self._space.vectors([query])
        for number, mine, units in candidates.by_segment():
            cosines[mine] = self._space.cosines(number, vectors[number][0], units)
        return self._factor(query) * np.maximum(cosines, 0.0)

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        candidate = candidates.take(slice(position, position + 1))
        number, unit = int(candidate.segments[0]), int(candidate.units[0])
        gain, factor = float(self.scores(query, candidate)[0]), self._factor(query)
        parts = self._space.explain(query, number, unit, factor) if gain > 0 else []
        cosine = gain / factor if factor > 0 else 0.0
        return Explanation(
            gain, f"meaning: cosine {cosine:.4f} · weight {self.settings.weight:g} · "
            f"by what the query can score at most {factor / self.settings.weight:.4f}", parts
        )

    def _factor(self, query: Query) -> float:
        weights = self._lexical.term_weights(self._reader.terms(query))
        most = sum(weight for of_channel in weights.values() for weight in of_channel.values())
        return self.settings.weight * float(min(np.sqrt(most), most / 2))


def _make(context: ComponentContext, settings: Meaning) -> NearInMeaning | None:
    if not settings.weight > 0:
        return None
    segments: Sequence[Segment] = context.snapshot.segments
    space = MeaningSpace.of(segments, context.analyzer)
    return None if space is None else NearInMeaning(space, settings, context.lexical, context.reader)


MEANING = ComponentKind(name="meaning", settings=Meaning, make=_make)
"""The component of meaning."""
