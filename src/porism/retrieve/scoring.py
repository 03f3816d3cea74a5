"""Retrievers that score every document of an index: what they have in common."""

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
from porism.retrieve.ranking import Found, UnitIds, UnitResults, merge, search_each
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Query


class ScoringRetriever(ABC):
    """Ranks the documents of a snapshot by scores that it gives to all of them; those above 0 are results.

    A subclass says what the scores are, and why a document has its own.
    """

    kind: str
    """The name of the kind of its model."""

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
        """For each segment the scores of its documents (float64, one a document, deleted ones too)."""

    @abstractmethod
    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: a tree of contributions that adds up to it; ``k`` and ``allowed`` change
        nothing.

        :raises QueryError: the index has no such document.
        """

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with the kind of that."""
        return {"kind": "search", "model": {"kind": self.kind, **self.model.to_dict()}}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, ties by descending id.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        """
        def found(query: Query) -> UnitResults:
            parts: list[Found] = []
            for number, scores in enumerate(self.scores(query)):
                segment = self.snapshot.segments[number]
                able = segment.live if allowed is None else segment.live & allowed[number]
                documents = np.flatnonzero(able & (scores > 0)).astype(np.int32)
                parts.append(Found(number, *best(documents, scores[documents], segment.id_order, k)))
            return merge(parts, k, self._ids)

        searched = search_each(queries, k, self._ids, found)
        provenance = Provenance(self.describe(), self.model.tuned_on, seconds=searched.seconds)
        return Run(searched.results, name, provenance=provenance)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given), as in any search for the query; NaN for an id that
        the index does not have."""
        scores = np.full(len(doc_ids), np.nan)
        for segment, of_segment in zip(self.snapshot.segments, self.scores(query), strict=True):
            for position, doc_id in enumerate(doc_ids):
                if (document := segment.find(doc_id)) is not None:
                    scores[position] = of_segment[document]
        return scores

    def find(self, doc_id: str) -> tuple[int, Segment, int]:
        """The segment of a document, by position and itself, and the document's number there.

        :raises QueryError: the index has no such document.
        """
        for position, segment in enumerate(self.snapshot.segments):
            if (document := segment.find(doc_id)) is not None:
                return position, segment, document
        raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self.snapshot.path))
