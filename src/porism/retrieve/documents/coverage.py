"""Coverage: a document gains by the share of its words that occur in a long query.

A score by terms measures how much of the query is in a document; coverage measures how much of the document is in the
query. A long query describes its subject, and a document about nothing else fits it better. A short query only names
its subject: there coverage would prefer short documents.

A candidate gains ``weight · m · Σ tf(t) / length`` over the distinct words t of the query. Here m is the upper bound of
the query's score in the channel of words, ``Σ weight · q(t) · idf(t)``. Frequencies and lengths are weighted by field,
as in that channel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.channels import WORDS
from porism.errors import ConfigError
from porism.explanation import Explanation
from porism.index import Segment
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import HEAVIEST, ChannelStatistics, ComputedWeighting, LexicalChannel
from porism.settings import Settings
from porism.types import Query


@dataclass(frozen=True, slots=True)
class Coverage(Settings):
    """The gain of documents by the share of their words that occur in the query; ``weight`` 0 is off.

    Only queries of at least ``words`` distinct words, without stop words, count.

    :raises ConfigError: a number is out of its range.
    """

    weight: float = 0.3
    words: int = 5

    def __post_init__(self) -> None:
        if not (0 <= self.weight <= HEAVIEST and self.words >= 1):
            raise ConfigError(
                f"coverage cannot have the weight {self.weight} and ask for {self.words} words",
                hint="Use a weight ≥ 0, and at least one word.",
            )


@dataclass(frozen=True, slots=True)
class Share(ComputedWeighting):
    """A closed weighting whose score is the share of a document's terms that the query has: ``Σ tf / length``."""

    saturating = False

    def term_weights(self, df: NDArray[np.int64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        return np.ones(len(df))

    def length_values(self, lengths: NDArray[np.float64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """The lengths; 1 for an empty document, to avoid a division by 0."""
        return np.where(lengths > 0, lengths, 1.0)


class _QueryWords(NamedTuple):
    """The distinct words of a query, each of weight 1, and the upper bound of the query's score by words."""

    terms: dict[str, dict[str, float]]
    most: float


class CoveredWords(ScoreComponent):
    """The component of coverage; safe to share between threads."""

    def __init__(
        self, segments: Sequence[Segment], settings: Coverage, lexical: LexicalRetriever, reader: QueryReader
    ) -> None:
        self.settings = settings
        self._lexical, self._reader = lexical, reader
        self._shares = (
            LexicalRetriever(segments, {WORDS: LexicalChannel(1.0, Share())}, lexical.fields_of(WORDS), finds=False)
            if WORDS in lexical.channels else None
        )

    def applies(self, query: Query) -> bool:
        return (
            self.settings.weight > 0 and self._shares is not None
            and len(self._reader.words(query)) >= self.settings.words
        )

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        words = self._query_words(query)
        return self.settings.weight * words.most * self._covered(words, candidates)

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        words = self._query_words(query)
        share = float(self._covered(words, candidates.take(slice(position, position + 1)))[0])
        return Explanation(
            self.settings.weight * words.most * share,
            f"coverage: the query has {share:.4f} of the document's words · weight {self.settings.weight:g} · "
            f"what the query's words count at most {words.most:.4f}",
        )

    def _query_words(self, query: Query) -> _QueryWords:
        words = self._reader.words(query)
        counted = self._lexical.term_weights({WORDS: words})[WORDS] if words else {}
        return _QueryWords({WORDS: dict.fromkeys(words, 1.0)}, sum(counted.values()))

    def _covered(self, words: _QueryWords, candidates: UnitResults) -> NDArray[np.float64]:
        """The share of each candidate's words that the query has, from 0 to 1."""
        assert self._shares is not None
        shares = np.zeros(len(candidates.units))
        for number, mine, units in candidates.by_segment():
            shares[mine] = self._shares.score_units(words.terms, number, units)
        return np.minimum(shares, 1.0)


def _make(context: ComponentContext, settings: Coverage) -> CoveredWords | None:
    if not settings.weight > 0:
        return None
    return CoveredWords(context.snapshot.segments, settings, context.lexical, context.reader)


COVERAGE = ComponentKind(name="coverage", settings=Coverage, make=_make)
"""The component of coverage."""
