"""What shards and whoever searches them tell each other: plain values, which JSON carries as they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from porism.analysis.documents import content_from_json, content_to_json
from porism.errors import QueryError
from porism.retrieve.lexical.given import CollectionStatistics, QueryStatistics
from porism.retrieve.weightings.base import ChannelStatistics
from porism.search.questions import Condition, Question
from porism.types import Document, Query

PROTOCOL = 5
"""Changes when a shard answers in another way than before."""


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


@dataclass(frozen=True)
class ShardCondition:
    """A condition of a question."""

    content: Any
    field: str | None = None
    exact: bool = True


@dataclass(frozen=True)
class ShardQuestion:
    """A question that was read, the filters beside it, and how many documents of all shards are in each language."""

    fields: dict[str, Any]
    conditions: tuple[ShardCondition, ...] = ()
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)
    languages: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(
        cls, question: Question, filters: Mapping[str, Sequence[str]], languages: Mapping[str, int] | None = None
    ) -> ShardQuestion:
        """A question with all filters."""
        return cls(
            {name: content_to_json(content) for name, content in question.query.fields.items()},
            tuple(ShardCondition(content_to_json(one.content), one.field, one.exact) for one in question.conditions),
            {key: tuple(values) for key, values in filters.items()}, dict(languages or {}),
        )

    def read(self) -> Question:
        """The question again; a new query each time.

        :raises QueryError: it makes no sense, or is empty.
        """
        try:
            query = Query("query", {name: content_from_json(value) for name, value in self.fields.items()})
            conditions = tuple(
                Condition(content_from_json(one.content), one.field, one.exact) for one in self.conditions
            )
        except (KeyError, TypeError, ValueError) as error:
            raise QueryError(f"the question cannot be read ({error})", where="question") from error
        if not any(query.fields.values()):
            raise QueryError("the question is empty", hint="Ask with words, formulas, or both.")
        return Question(query, conditions, self.filters)


@dataclass(frozen=True)
class ShardStatistics:
    """What a query has to be counted for: ``df`` by channel and term, and ``holders`` of a formula equal to each of the
    query's; as of a commit of the shard, or added up over all."""

    df: dict[str, dict[str, int]]
    holders: tuple[int, ...] = ()
    generation: int = 0

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
        numbers = [(self.documents, 1.0), *((documents, mean) for _, _, documents, mean in self.channels)]
        counts = [count for of in self.query.df.values() for count in of.values()]
        if not all(count >= 0 and 0 < mean < math.inf for count, mean in numbers) or min(
            (*counts, *self.query.holders), default=0
        ) < 0:
            raise QueryError("counts are numbers ≥ 0, and mean lengths above 0", where="statistics")

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
    query, ``gains`` what they gain by it, which decides which of them count, and ``allowed`` whether they can be found.
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
            raise ValueError("a score is no finite number")


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
        if not all(0 <= weight < math.inf for terms in self.question.values() for weight in terms.values()):
            raise ValueError("weights of terms are numbers ≥ 0")


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
class TextOfDocument:
    """What a document has in its ``fields``."""

    id: str
    fields: dict[str, Any]

    @classmethod
    def of(cls, document: Document) -> TextOfDocument:
        """The fields of a document."""
        return cls(document.id, {name: content_to_json(content) for name, content in document.fields.items()})

    def read(self, shown_id: str) -> Document:
        """The document again, by the id that answers give it; without metadata.

        :raises QueryError: it makes no sense.
        """
        try:
            return Document(shown_id, {name: content_from_json(value) for name, value in self.fields.items()})
        except (KeyError, TypeError, ValueError) as error:
            raise QueryError(f"a document cannot be read ({error})", where=shown_id) from error


@dataclass(frozen=True)
class ShardTexts:
    """What ``documents`` have in their fields."""

    generation: int
    documents: tuple[TextOfDocument, ...]


@dataclass(frozen=True)
class ShownPiece:
    """A piece of a title or a passage."""

    text: str
    match: bool = False
    formula: bool = False


@dataclass(frozen=True)
class ShardHit:
    """What is shown of a document; the place has what is known but its path. ``explanation`` is a tree of values,
    labels and parts, links apart."""

    id: str
    title: tuple[ShownPiece, ...]
    snippet: tuple[ShownPiece, ...]
    metadata: dict[str, Any]
    place: dict[str, Any]
    explanation: dict[str, Any] | None = None


@dataclass(frozen=True)
class ShardHits:
    """What is shown of several documents."""

    generation: int
    hits: tuple[ShardHit, ...]
