"""The answers of shards: plain values. Types and checks are all that reads them from JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from porism.analysis.languages import LANGUAGE_NAMES
from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Snapshot
from porism.index.languages import language_counts
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.lexical.global_statistics import CollectionStatistics, QueryStatistics
from porism.retrieve.weightings.base import ChannelStatistics
from porism.search.answers import FormulaDocument, Hit
from porism.search.grouping import GroupName
from porism.search.index import Index
from porism.search.models.models import write_model
from porism.search.patterns import PatternAnswer, PatternHit
from porism.search.questions import Question
from porism.search.reasons import reasons_of
from porism.types import Document, Formula
from porism.version import __version__

PROTOCOL = 7
"""Changes when a shard answers in another way than before."""

MAX_COUNT = 2**53
"""A larger count is not exact as a floating-point number."""


def check_languages(languages: Mapping[str, int]) -> None:
    """Checks the documents of each language.

    :raises QueryError: there is no such language, or a number is not a count.
    """
    for name, count in languages.items():
        if name not in LANGUAGE_NAMES:
            raise QueryError(f"{name!r} is not a known language", where="languages")
        if not 0 < count <= MAX_COUNT:
            raise QueryError(f"a language has 1 to {MAX_COUNT:,} documents", where="languages")


def check_weights(terms: Mapping[str, Mapping[str, float]]) -> None:
    """Checks the weights of terms by channel.

    :raises QueryError: one is not a finite number, or is below 0.
    """
    if not all(0 <= weight < math.inf for weights in terms.values() for weight in weights.values()):
        raise QueryError("weights of terms must be finite numbers ≥ 0")


@dataclass(frozen=True)
class ChannelLengths:
    """How many live documents have each weighted length in a channel: ``counts`` of ``lengths``, in one zone."""

    zone: str
    channel: str
    lengths: tuple[float, ...]
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        sound = all(0 < length < math.inf for length in self.lengths) and min(self.counts, default=1) > 0
        if len(self.lengths) != len(self.counts) or not sound:
            raise ValueError("lengths and their counts are numbers above 0, as many of either")


@dataclass(frozen=True)
class ShardCollection:
    """What a shard has, as of one commit, its ``generation``: the same for all queries.

    ``version`` and ``config`` say how it makes terms, ``model`` how it is searched. ``links`` is whether any of its
    documents names another thread; ``encoder`` is what has made its vectors or learnt terms, where it is searched by
    these.
    """

    protocol: int
    version: str
    generation: int
    documents: int
    config: dict[str, Any]
    model: dict[str, Any]
    fields: tuple[str, ...]
    metadata: tuple[str, ...]
    channels: tuple[ChannelLengths, ...]
    links: bool
    encoder: dict[str, Any] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)
    """Language → documents in it."""

    def __post_init__(self) -> None:
        check_languages(self.languages)
        having = [sum(lengths.counts) for lengths in self.channels]
        if self.documents < max(having, default=0):
            raise QueryError("a channel has more documents than there are")

    def check(self, statistics: ShardStatistics) -> None:
        """Checks that the shard has counted no more documents than it has.

        :raises QueryError: it has.
        """
        WholeStatistics(self.documents, channel_counts(self.channels), statistics).check()

    @classmethod
    def of(
        cls, snapshot: Snapshot, model: RetrieverSettings, *, channels: tuple[ChannelLengths, ...] = (),
        links: bool = False, encoder: Mapping[str, Any] | None = None,
    ) -> ShardCollection:
        """What an index has, as a shard of a larger collection."""
        return cls(
            PROTOCOL, __version__, snapshot.generation, snapshot.doc_count, dict(snapshot.config), write_model(model),
            tuple(dict.fromkeys(name for segment in snapshot.segments for name in segment.fields)),
            tuple(sorted({key for segment in snapshot.segments for key in segment.metadata_counts()})),
            channels, links, dict(encoder or {}), language_counts(snapshot),
        )


def channel_counts(channels: Iterable[ChannelLengths]) -> tuple[tuple[str, str, int, float], ...]:
    """Zone, channel and documents of each channel, without its mean length."""
    return tuple((lengths.zone, lengths.channel, sum(lengths.counts), 1.0) for lengths in channels)


@dataclass(frozen=True)
class ShardQuestion:
    """A question that was read, with all filters, and how many documents of all shards are in each language."""

    question: Question
    languages: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_languages(self.languages)

    def read(self) -> Question:
        """The question, with a query that no retriever has seen yet.

        :raises QueryError: it is empty.
        """
        if not any(self.question.query.fields.values()):
            raise QueryError("the question is empty", hint="Ask with words, formulas, or both.")
        return replace(self.question, query=replace(self.question.query))


@dataclass(frozen=True)
class ShardStatistics:
    """What a query has to be counted for: ``df`` by channel and term, and ``holders`` of a formula equal to each of the
    query's; as of a commit of the shard, or added up over all."""

    df: dict[str, dict[str, int]]
    holders: tuple[int, ...] = ()
    generation: int = 0

    def __post_init__(self) -> None:
        if min((*self.holders, *(count for df in self.df.values() for count in df.values())), default=0) < 0:
            raise QueryError("counts are numbers ≥ 0", where="statistics")

    @property
    def of_query(self) -> QueryStatistics:
        """The same, for a search."""
        return QueryStatistics(self.df, self.holders)


@dataclass(frozen=True)
class WholeStatistics:
    """Statistics of a whole collection: its ``documents``, and of each channel (``zone``, ``channel``) how many
    documents have it and their mean length; and those of the query."""

    documents: int
    channels: tuple[tuple[str, str, int, float], ...]
    query: ShardStatistics

    def __post_init__(self) -> None:
        counts = [self.documents, *self.query.holders, *(documents for _, _, documents, _ in self.channels)]
        counts += [count for df in self.query.df.values() for count in df.values()]
        means = [mean for _, _, _, mean in self.channels]
        if not all(0 <= count <= MAX_COUNT for count in counts) or not all(0 < mean < math.inf for mean in means):
            raise QueryError("counts are numbers ≥ 0, and mean lengths above 0", where="statistics")

    def check(self) -> None:
        """Checks that no term and no formula is in more documents than there are.

        :raises QueryError: one is.
        """
        having = {channel: documents for zone, channel, documents, _ in self.channels if not zone}
        possible = max((*having.values(), *self.query.holders), default=0) <= self.documents and all(
            max(df.values(), default=0) <= having.get(channel, self.documents) for channel, df in self.query.df.items()
        )
        if not possible:
            raise QueryError("a count is above that of the documents", where="statistics")

    @property
    def of_collection(self) -> CollectionStatistics:
        """Those of the collection, for a search."""
        return CollectionStatistics(self.documents, {
            (zone, channel): ChannelStatistics(documents, mean) for zone, channel, documents, mean in self.channels
        })


@dataclass(frozen=True)
class ShardCandidates:
    """What a shard found, in columns: the ``first`` documents by their terms, and behind them others by what they hold.

    Of each document the ``terms`` are worth so much, and it has one of the ``scores`` in all, links apart; it is of a
    thread (empty where the shard has no threads). ``gain_ids`` are documents that hold a formula equal to one of the
    query. ``gains`` are what they gain by it, which decides which of them count; ``allowed`` says whether they can be
    found.
    """

    generation: int
    ids: tuple[str, ...] = ()
    terms: tuple[float, ...] = ()
    scores: tuple[float, ...] = ()
    first: int = 0
    threads: tuple[str | None, ...] = ()
    gain_ids: tuple[str, ...] = ()
    gains: tuple[float, ...] = ()
    allowed: tuple[bool, ...] = ()

    def __post_init__(self) -> None:
        count = len(self.ids)
        if not (
            len(self.terms) == len(self.scores) == count and len(self.threads) in (0, count)
            and 0 <= self.first <= count and len(self.gain_ids) == len(self.gains) == len(self.allowed)
        ):
            raise ValueError("the columns of candidates have different lengths")
        if not np.isfinite(np.array([*self.terms, *self.scores, *self.gains])).all():
            raise ValueError("a score is not a finite number")


@dataclass(frozen=True)
class TermsOfChannel:
    """The ``terms`` of a document in one channel, with their ``frequencies`` and the ``length`` of the document, both
    weighted by field."""

    length: float
    terms: tuple[str, ...]
    frequencies: tuple[float, ...]

    def __post_init__(self) -> None:
        numbers = (self.length, *self.frequencies)
        if len(self.terms) != len(self.frequencies) or not all(0 < number < math.inf for number in numbers):
            raise ValueError("frequencies and lengths are numbers above 0, a frequency for each term")


@dataclass(frozen=True)
class TermsOfDocument:
    """What a document has of the channels in which it has any terms."""

    id: str
    channels: dict[str, TermsOfChannel]


@dataclass(frozen=True)
class ShardTerms:
    """The terms of ``documents``, those that were asked about and that the shard has; and the terms of the question by
    channel, with their weights."""

    generation: int
    documents: tuple[TermsOfDocument, ...]
    question: dict[str, dict[str, float]]

    def __post_init__(self) -> None:
        check_weights(self.question)


@dataclass(frozen=True)
class ShardFrequencies:
    """In how many live documents of a shard each of some terms occurs."""

    generation: int
    df: tuple[int, ...]

    def __post_init__(self) -> None:
        if min(self.df, default=0) < 0:
            raise ValueError("counts are numbers ≥ 0")


@dataclass(frozen=True)
class ShardScores:
    """The ``scores`` of documents, links apart, and their ``threads`` (empty where the shard has no threads)."""

    generation: int
    scores: tuple[float, ...]
    threads: tuple[str | None, ...] = ()

    def __post_init__(self) -> None:
        if len(self.threads) not in (0, len(self.scores)) or not np.isfinite(np.array(self.scores)).all():
            raise ValueError("scores are finite numbers, one for each document")


@dataclass(frozen=True)
class ShardLinks:
    """Links of some threads that live documents of a shard name, as pairs; and which of the threads that were asked
    about have live documents."""

    generation: int
    links: tuple[tuple[str, str], ...]
    held: tuple[str, ...]


@dataclass(frozen=True)
class ShardTexts:
    """Whole documents."""

    generation: int
    documents: tuple[Document, ...]


@dataclass(frozen=True)
class ShardGroups:
    """The question or the section that each of some documents belongs to, None for one by itself."""

    generation: int
    groups: tuple[GroupName | None, ...]


@dataclass(frozen=True)
class ShardPlaces:
    """How many ``documents`` of a shard have a formula, at how many ``places``, and a page of them; None for a formula
    that none has."""

    generation: int
    documents: int = 0
    places: int = 0
    formula: Formula | None = None
    shown: tuple[FormulaDocument, ...] = ()

    def __post_init__(self) -> None:
        if not len(self.shown) <= self.documents <= self.places or (self.formula is None) != (not self.documents):
            raise ValueError("a formula is at as many places as documents at least")


@dataclass(frozen=True)
class ShardHits:
    """Hits of a shard, without rank and score; explanations leave links out."""

    generation: int
    hits: tuple[Hit, ...]

    @classmethod
    def of(
        cls, index: Index, hits: Iterable[Hit], question: Question | None = None,
        explain: Callable[[str], Explanation | None] = lambda doc_id: None,
    ) -> ShardHits:
        """Hits of an index without paths of this machine; where a question is given, with how formulas match it, and
        why they were found."""
        def of_hit(hit: Hit) -> Hit:
            shown = replace(hit, location=replace(hit.location, path=None), explanation=explain(hit.id))
            if question is None:
                return shown
            matches = tuple(index.matches(question, hit.id))
            reasons = reasons_of(question.query, index.document(hit.id), matches, index.analyzer)
            return replace(shown, matches=matches, reasons=reasons)

        return cls(index.snapshot.generation, tuple(map(of_hit, hits)))


@dataclass(frozen=True)
class ShardPatterns:
    """The smallest statements of a shard that match a pattern, without paths of this machine, and how many match."""

    generation: int
    hits: tuple[PatternHit, ...]
    total: int
    undecided: int

    @classmethod
    def of(cls, index: Index, answer: PatternAnswer) -> ShardPatterns:
        """The answer of an index."""
        hits = tuple(replace(hit, location=replace(hit.location, path=None)) for hit in answer.hits)
        return cls(index.snapshot.generation, hits, answer.total, answer.undecided)
