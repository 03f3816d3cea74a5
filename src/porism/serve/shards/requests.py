"""The requests that a shard answers, one type for each step of a search: plain values, which JSON carries as they are.

A step is a request and a method of :class:`~porism.serve.shards.shard.IndexShard` that has its name; the route of a
server, and what asks it, are made of the type.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from porism.errors import QueryError
from porism.serve.shards.values import (
    ShardCandidates,
    ShardCollection,
    ShardFrequencies,
    ShardGroups,
    ShardHits,
    ShardLinks,
    ShardPatterns,
    ShardPlaces,
    ShardQuestion,
    ShardScores,
    ShardStatistics,
    ShardTerms,
    ShardTexts,
    WholeStatistics,
    check_weights,
)

A = TypeVar("A")

ExpandedTerms = dict[str, dict[str, float]]
"""Channel → term → weight, of a question that has learnt terms of documents."""

MOVED = "moved"
"""The code by which a server says that it has :class:`StaleCommit`."""


class StaleCommit(QueryError):
    """The shard has a newer commit than the one that statistics are of, or has forgotten which formulas count in it:
    the search begins again. ``shard`` is the one, where it is known."""

    shard: Shard | None = None


class Request(Generic[A]):
    """What a shard is asked in one ``step``, which has an ``answer`` of one type; ``summary`` says what it is, and
    ``of_formulas`` that it is about formulas."""

    step: ClassVar[str]
    answer: ClassVar[type[Any]]
    summary: ClassVar[str]
    of_formulas: ClassVar[bool] = False
    columns: ClassVar[tuple[str, tuple[str, ...]]] = ("", ())
    """What is asked about, and the columns of the answer that have a row for each of it."""

    def check(self, answer: A) -> None:
        """Checks that an answer is one to this request.

        :raises QueryError: it is about more or fewer things than were asked about.
        """
        name, columns = self.columns
        if any(len(getattr(answer, column)) != len(getattr(self, name)) for column in columns):
            raise QueryError("the answer is not about what was asked")


@dataclass(frozen=True)
class CommitRequest(Request[A]):
    """A request about one commit of the shard, its ``generation``."""

    generation: int


@dataclass(frozen=True)
class PartRequest(Request[A]):
    """A request to the model of the shard, or to a ``part`` of it by name, where it is a sum of models."""

    part: str = field(default="", kw_only=True)


@dataclass(frozen=True)
class DocumentsRequest(PartRequest[A], CommitRequest[A]):
    """A request about documents."""


@dataclass(frozen=True)
class NamedDocumentsRequest(DocumentsRequest[A]):
    """A request about the documents of some ``ids``, for a question and by the statistics of the whole collection."""

    question: ShardQuestion
    statistics: WholeStatistics
    ids: tuple[str, ...]


class Shard(Protocol):
    """An index that can be searched together with others, here or on a server. Any method may raise a
    :class:`~porism.errors.PorismError`: then the shard is missing from the answer."""

    @property
    def name(self) -> str:
        """What answers call it."""

    def ask(self, request: Request[A]) -> A:
        """The answer to a request.

        :raises StaleCommit: the shard has a newer commit than the one that the request is about.
        """


@dataclass(frozen=True)
class CollectionRequest(PartRequest[ShardCollection]):
    """What the shard has, and how it makes terms."""

    step, answer, summary = "collection", ShardCollection, "What a shard has"


@dataclass(frozen=True)
class StatisticsRequest(PartRequest[ShardStatistics]):
    """How often what a question names is in the shard."""

    step, answer, summary = "statistics", ShardStatistics, "Count what a question names"
    question: ShardQuestion


@dataclass(frozen=True)
class CandidatesRequest(DocumentsRequest[ShardCandidates]):
    """What the shard finds for a question, scored by the statistics of the whole collection.

    ``expanded`` are weighted terms by channel in place of the question's own, where it has learnt some. With
    ``by_terms`` nothing but terms counts.
    """

    step, answer, summary = "candidates", ShardCandidates, "Search by given statistics"
    question: ShardQuestion
    statistics: WholeStatistics
    depth: int
    expanded: ExpandedTerms | None = None
    by_terms: bool = False

    def __post_init__(self) -> None:
        check_weights(self.expanded or {})


@dataclass(frozen=True)
class DocumentTermsRequest(NamedDocumentsRequest[ShardTerms]):
    """The terms of the documents of some ``ids`` that the shard has, from which a question learns, and its own."""

    step, answer, summary = "document_terms", ShardTerms, "Terms of documents"


@dataclass(frozen=True)
class FrequenciesRequest(DocumentsRequest[ShardFrequencies]):
    """In how many documents of the shard ``terms`` occur, each a channel and a term."""

    step, answer, summary = "frequencies", ShardFrequencies, "Count terms"
    columns = "terms", ("df",)
    terms: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class ScoresRequest(NamedDocumentsRequest[ShardScores]):
    """The scores of documents of the shard, links apart, wherever a search would find them."""

    step, answer, summary = "scores", ShardScores, "Score documents by given statistics"
    columns = "ids", ("scores",)


@dataclass(frozen=True)
class LinksRequest(DocumentsRequest[ShardLinks]):
    """Links of ``threads`` that the shard's documents name, and which of those ``asked`` about have documents."""

    step, answer, summary = "links", ShardLinks, "Links of threads"
    threads: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()


@dataclass(frozen=True)
class TextsRequest(CommitRequest[ShardTexts]):
    """What the documents of some ``ids`` have in their fields, in their order: rerankers read it."""

    step, answer, summary = "texts", ShardTexts, "Whole documents of a shard"
    columns = "ids", ("documents",)
    ids: tuple[str, ...]


@dataclass(frozen=True)
class GroupsRequest(CommitRequest[ShardGroups]):
    """The question or the section that the documents of some ``ids`` belong to, by which results are grouped."""

    step, answer, summary = "groups", ShardGroups, "Groups of documents"
    columns = "ids", ("groups",)
    ids: tuple[str, ...]


@dataclass(frozen=True)
class PlacesRequest(CommitRequest[ShardPlaces]):
    """How many documents that ``filters`` allow have the formula of a ``key``; ``k`` of them after the ``first`` are
    shown with the text around it."""

    step, answer, summary = "places", ShardPlaces, "All places of a formula"
    key: str
    first: int = 0
    k: int = 0
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.first < 0 or self.k < 0:
            raise QueryError("pages are counted from 0", where="first")


@dataclass(frozen=True)
class HitsRequest(NamedDocumentsRequest[ShardHits]):
    """What is shown of documents, in their order."""

    step, answer, summary = "hits", ShardHits, "Show documents of a shard"
    explain: bool = False
    expanded: ExpandedTerms | None = None

    def __post_init__(self) -> None:
        check_weights(self.expanded or {})


@dataclass(frozen=True)
class PatternsRequest(Request[ShardPatterns]):
    """The ``k`` smallest statements of the shard that match a pattern; with ``symmetric`` sides can change places."""

    step, answer, summary = "patterns", ShardPatterns, "Search statements by pattern"
    pattern: str
    k: int
    symmetric: bool = True
    filters: dict[str, tuple[str, ...]] = field(default_factory=dict)


DOCUMENT_REQUESTS: tuple[type[Request[Any]], ...] = (
    CollectionRequest, StatisticsRequest, DocumentTermsRequest, FrequenciesRequest, CandidatesRequest, ScoresRequest,
    LinksRequest, TextsRequest, GroupsRequest, HitsRequest, PatternsRequest, PlacesRequest,
)
"""What a shard answers about documents."""
