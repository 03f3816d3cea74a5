"""A retriever that is not a weighted sum of terms, in one module: documents by the trigrams of letters that they
share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.analysis.documents import load_document
from porism.explanation import Explanation
from porism.index import Masks, Snapshot
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.kinds import DocumentKind
from porism.retrieve.scoring import ScoringRetriever
from porism.types import Content, Query


@dataclass(frozen=True, slots=True)
class TrigramModel(RetrieverSettings):
    """A document scores the Jaccard similarity of its trigrams with the query's, to a power."""

    power: float = 1.0
    tuned_on: tuple[str, ...] = ()


class TrigramRetriever(ScoringRetriever):
    """Compares the query with every document."""

    kind = "trigrams"

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, model: TrigramModel) -> None:
        super().__init__(snapshot, model)
        self.power = model.power
        self._trigrams = [
            [trigrams(load_document(segment.stored(number)).fields) for number in range(segment.doc_count)]
            for segment in snapshot.segments
        ]

    def scores(self, query: Query) -> list[NDArray[np.float64]]:
        own = trigrams(query.fields)
        return [
            np.array([len(own & other) / max(1, len(own | other)) for other in of_segment]) ** self.power
            for of_segment in self._trigrams
        ]

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        segment, _, document = self.find(doc_id)
        return Explanation(float(self.scores(query)[segment][document]), "trigrams in common")


def trigrams(fields: dict[str, Content]) -> set[str]:
    """The trigrams of the texts of fields."""
    texts = [content.text.lower() for content in fields.values()]
    return {text[at : at + 3] for text in texts for at in range(len(text) - 2)}


TRIGRAMS = DocumentKind(
    name="trigrams", settings=TrigramModel, models={"trigrams": TrigramModel()}, make=TrigramRetriever
)
