"""What can be added to the scores of the first documents that a search finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.explanation import Explanation
from porism.index import Segment, Snapshot
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.lexical.global_statistics import CollectionStatistics
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.ranking import UnitResults
from porism.settings import Settings
from porism.types import Query


class ScoreComponent(Protocol):
    """A part of a score that is computed for the candidates of a query only.

    ``candidates`` are the first documents by their scores so far, those of the components before included.
    """

    def applies(self, query: Query) -> bool:
        """Whether it can add anything; where no component does, no candidates beyond the results are looked for."""

    def further(self, query: Query) -> Sequence[tuple[int, NDArray[np.int32]]]:
        """Documents by segment (increasing) that are candidates whatever terms they have."""

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """What it adds to the score of each candidate (float64, ≥ 0)."""

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """What it adds to one of the candidates; the value is that of :meth:`scores`."""


S = TypeVar("S", bound=Settings)


class ComponentContext(NamedTuple):
    """What components are made from, beside their own settings: the snapshot with the analyzer of its index, the sum
    over terms and the reader of queries that the same model has, the weights of the fields of a query, and the
    statistics of the collection where the snapshot has a part of it."""

    snapshot: Snapshot
    analyzer: Analyzer
    lexical: LexicalRetriever
    reader: QueryReader
    query_field_weights: Mapping[str, float]
    collection: CollectionStatistics | None = None


def _nothing(segments: Sequence[Segment], settings: Any) -> None:
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentKind(Generic[S]):
    """One kind of component, by the ``name`` that models give it.

    ``settings`` is the class of its settings. ``make`` returns the component, or None where it can never add anything:
    it is switched off, or the index lacks what it needs. ``prepare`` stores beside the segments what searching needs.
    """

    name: str
    settings: type[S]
    make: Callable[[ComponentContext, S], ScoreComponent | None]
    prepare: Callable[[Sequence[Segment], S], None] = _nothing
