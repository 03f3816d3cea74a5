"""Components: what can be added to the scores of the candidates of a search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

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


class ScoreComponent(ABC):
    """A part of a score that is computed for candidates only.

    The scores of ``candidates`` include those of earlier components.
    """

    @abstractmethod
    def applies(self, query: Query) -> bool:
        """Whether it can add anything; if no component can, the search looks for no further candidates."""

    def further(self, query: Query) -> Sequence[tuple[int, NDArray[np.int32]]]:
        """Further candidates by segment (increasing), whatever terms they have; none by default."""
        return ()

    @abstractmethod
    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """The number it adds to the score of each candidate (float64, ≥ 0)."""

    @abstractmethod
    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """Explains the number that :meth:`scores` gives for the candidate at ``position``."""


S = TypeVar("S", bound=Settings)


class ComponentContext(NamedTuple):
    """What components are made from, beside their settings; ``lexical`` and ``reader`` are those of the same model.

    ``collection`` has the statistics of all documents, if the snapshot has only a part of them.
    """

    snapshot: Snapshot
    analyzer: Analyzer
    lexical: LexicalRetriever
    reader: QueryReader
    query_field_weights: Mapping[str, float]
    collection: CollectionStatistics | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ComponentKind(Generic[S]):
    """A kind of component, whose ``name`` models use.

    ``settings`` is the class of its settings. ``make`` returns the component, or None if it is switched off or the
    index lacks what it needs. ``prepare`` stores the derived data that it searches.
    """

    name: str
    settings: type[S]
    make: Callable[[ComponentContext, S], ScoreComponent | None]
    prepare: Callable[[Sequence[Segment], S], None] = lambda segments, settings: None
