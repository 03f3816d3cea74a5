"""Coverage: a document gains by the share of its words that a long query has.

The terms that both share say how much of the query a document holds; this says how much of the document the query
holds. A statement or a question of some length describes what it is about, and a document that speaks of nothing else
fits it better than one that speaks of more. A short query only names something: there it would prefer short documents.

A candidate gains ``weight · m · Σ tf(t) / length`` over the distinct words t of the query, where m is what the query's
words count at most in the channel of words: ``Σ weight · q(t) · idf(t)``. Frequencies and lengths are weighted by
field, as in that channel.
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
from porism.retrieve.documents.components import ComponentContext, ComponentKind
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import HEAVIEST, ChannelStatistics, CountedQuery, LexicalChannel
from porism.settings import Settings
from porism.types import Query


@dataclass(frozen=True, slots=True)
class Coverage(Settings):
    """How much documents gain by the share of their words that the query has: ``weight`` times that share times
    what the query's words count at most; 0 is off. Only queries of at least ``words`` distinct words, stop words left
    out, count: what a shorter one names can be in a document of any length.

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
class Share(CountedQuery):
    """A closed weighting whose score is the share of a document's terms that the query has: ``Σ tf / length``."""

    @property
    def saturating(self) -> bool:
        """The factor is a quotient of frequency and length."""
        return False

    @property
    def shift(self) -> float:
        """Nothing."""
        return 0.0

    def term_weights(self, df: NDArray[np.int64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """All terms weigh the same."""
        return np.ones(len(df))

    def tf_values(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """The frequency itself."""
        return frequencies

    def length_values(self, lengths: NDArray[np.float64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """The length; 1 for an empty document, which has no frequency to divide."""
        return np.where(lengths > 0, lengths, 1.0)


class _QueryWords(NamedTuple):
    """The distinct words of a query, each once, and what they count at most."""

    terms: dict[str, dict[str, float]]
    most: float


class CoveredWords:
    """Adds to documents what the query has of their words; safe to share."""

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
        """Whether the query has enough distinct words."""
        return (
            self.settings.weight > 0 and self._shares is not None
            and len(self._reader.words(query)) >= self.settings.words
        )

    def further(self, query: Query) -> Sequence[tuple[int, NDArray[np.int32]]]:
        """None: what shares no word with the query gains nothing."""
        return ()

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """What each candidate gains (float64)."""
        words = self._query_words(query)
        return self.settings.weight * words.most * self._covered(words, candidates)

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """What one candidate gains."""
        words = self._query_words(query)
        here = slice(position, position + 1)
        one = UnitResults(candidates.segments[here], candidates.units[here], candidates.scores[here])
        share = float(self._covered(words, one)[0])
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
        for number in np.unique(candidates.segments).tolist():
            mine = candidates.segments == number
            shares[mine] = self._shares.score_units(words.terms, number, candidates.units[mine])
        return np.minimum(shares, 1.0)


def _make(context: ComponentContext, settings: Coverage) -> CoveredWords | None:
    if not settings.weight > 0:
        return None
    return CoveredWords(context.snapshot.segments, settings, context.lexical, context.reader)


COVERAGE = ComponentKind(name="coverage", settings=Coverage, make=_make)
"""What documents gain by the share of their words that the query has."""
