"""What retrievers of documents by their encodings have in common, whatever the encoder gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.analysis.model_text import document_text
from porism.errors import QueryError
from porism.index import Masks, Snapshot
from porism.retrieve.ranking import UnitIds
from porism.types import Document, Query
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.dense.model import DenseModel
from porism.vectors.neural.model_encoder import ModelEncoder
from porism.vectors.query_encoders import query_encoder
from porism.vectors.records import TextEncoding

M = TypeVar("M", bound=DenseModel | ColbertModel)
R = TypeVar("R", bound=TextEncoding)
E = TypeVar("E", bound=ModelEncoder)

DocumentScores = Callable[[int, NDArray[np.int32]], NDArray[np.float64]]
"""From the number of a segment and documents of it (int32) to their scores (float64)."""


class EncodedRetriever(ABC, Generic[M, R, E]):
    """Searches the documents of a snapshot by their encodings. Immutable, and safe to share between threads."""

    kind: ClassVar[str]
    """The kind of its models."""

    def __init__(self, snapshot: Snapshot, model: M, record: R, encoder_class: type[E]) -> None:
        """Opens nothing but the record of the encoding; rows are mapped, and the encoder loaded, by the first search.

        :raises ConfigError: the encoder is not there.
        """
        self.snapshot, self.record = snapshot, record
        self.model: M = model
        self._queries = query_encoder(encoder_class, record.files(snapshot.path), model.device, record.precision)
        self._ids = UnitIds(snapshot.segments)

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with the digest of the encoder and its settings."""
        described = {"kind": self.kind, **self.model.to_dict(), "encoded_by": self.record.encoded_by}
        return {"kind": "search", "model": described}

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given), as in any search; 0 where it or the query has no
        text, NaN for an id that the index does not have."""
        score = self._scores_of(query)
        scores = np.full(len(doc_ids), np.nan)
        for number, segment in enumerate(self.snapshot.segments if len(doc_ids) else ()):
            documents = segment.names.find(doc_ids)
            there = np.flatnonzero(documents >= 0)
            there = there[segment.live[documents[there]]]
            if len(there):
                scores[there] = 0.0 if score is None else score(number, documents[there].astype(np.int32))
        return scores

    def query_text(self, query: Query) -> str:
        """What the encoder reads of a query, without its prefix or marker."""
        settings = replace(self.record.settings.text, fields=self.model.fields)
        return document_text(Document(query.id, query.fields), settings)

    @abstractmethod
    def _scores_of(self, query: Query) -> DocumentScores | None:
        """What scores documents for a query; None where it has no text."""

    def _able(self, allowed: Masks | None) -> list[NDArray[np.bool_]]:
        """For each segment which documents can be results."""
        return [
            segment.live if allowed is None else segment.live & allowed[number]
            for number, segment in enumerate(self.snapshot.segments)
        ]

    def _find(self, doc_id: str) -> tuple[int, int]:
        """The number of the segment that has a document, and its number there."""
        for number, segment in enumerate(self.snapshot.segments):
            if (document := segment.find(doc_id)) is not None:
                return number, document
        raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self.snapshot.path))


def shortened(text: str, most: int) -> str:
    """A text on one line, cut after so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
