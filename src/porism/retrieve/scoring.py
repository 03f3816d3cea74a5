"""The base of retrievers that score every document of an index."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Masks, Segment, Snapshot
from porism.index.engine.topk import best
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.ranking import SegmentHits, UnitIds, UnitResults, merge, search_each
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Query


class ScoringRetriever(ABC):
    """Scores all documents of a snapshot; those above 0 are results. Subclasses compute and explain the scores."""

    kind: str
    """The name of its kind of model."""

    def __init__(self, snapshot: Snapshot, model: RetrieverSettings) -> None:
        self.snapshot = snapshot
        self._model = model
        self._ids = UnitIds(snapshot.segments)

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""
        return self._model

    @abstractmethod
    def scores(self, query: Query) -> list[NDArray[np.float64]]:
        """The scores of each segment's documents (float64), deleted ones included."""

    @abstractmethod
    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Explains the score of a document as a sum of contributions; ``k`` and ``allowed`` have no effect.

        :raises QueryError: the index has no such document.
        """

    def describe(self) -> dict[str, Any]:
        return {"kind": "search", "model": {"kind": self.kind, **self.model.to_dict()}}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, ties by descending id.

        :raises QueryError: ``k`` is below 1, or two queries have the same id.
        """
        def search(query: Query) -> UnitResults:
            parts: list[SegmentHits] = []
            for number, scores in enumerate(self.scores(query)):
                segment = self.snapshot.segments[number]
                mask = segment.live if allowed is None else segment.live & allowed[number]
                documents = np.flatnonzero(mask & (scores > 0)).astype(np.int32)
                parts.append(SegmentHits(number, *best(documents, scores[documents], segment.id_order, k)))
            return merge(parts, k, self._ids)

        searched = search_each(queries, k, self._ids, search)
        provenance = Provenance(self.describe(), self.model.tuned_on, seconds=searched.seconds)
        return Run(searched.results, name, provenance=provenance)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given); NaN for unknown ids."""
        scores = np.full(len(doc_ids), np.nan)
        for segment, segment_scores in zip(self.snapshot.segments, self.scores(query), strict=True):
            for position, doc_id in enumerate(doc_ids):
                if (document := segment.find(doc_id)) is not None:
                    scores[position] = segment_scores[document]
        return scores

    def find(self, doc_id: str) -> tuple[int, Segment, int]:
        """The position of a document's segment, the segment, and the document's number there.

        :raises QueryError: the index has no such document.
        """
        for position, segment in enumerate(self.snapshot.segments):
            if (document := segment.find(doc_id)) is not None:
                return position, segment, document
        raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self.snapshot.path))
