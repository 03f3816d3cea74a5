"""Search by vectors of documents that an engine outside Porism compares; scores are those of the index, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.index import Masks, Snapshot
from porism.index.vectors import open_vectors
from porism.retrieve.ranking import UnitResults, merge
from porism.retrieve.vectors.nearest import product_error
from porism.serve.backends.base import Table
from porism.serve.exported.candidates import Bound, CandidateSearch, Located
from porism.serve.exported.opening import OpenExport
from porism.serve.exported.rows import DenseRows, document_of
from porism.types import Query
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.records import EncoderRecord
from porism.vectors.dense.retriever import DenseRetriever


def dense_table(record: EncoderRecord) -> Table:
    """The table of the vectors of an encoder; its name says of which, and of how it reads documents."""
    return Table(record.spec.name.replace("-", "_"), record.dimensions)


def dense_rows(snapshot: Snapshot, record: EncoderRecord) -> DenseRows:
    """What an index exports of the vectors of an encoder.

    :raises ConfigError: vectors are missing.
    """
    hint = f"Encode them: porism encode {record.model} --name {record.name} --index {snapshot.path}"
    opened = [open_vectors(segment, record.spec, segment.doc_count, hint=hint) for segment in snapshot.segments]
    return DenseRows(
        dense_table(record), record.spec.name, snapshot.segments, lambda number: opened[number].offsets,
        lambda number, rows: opened[number].take(rows),
    )


class ExportedDense(DenseRetriever):
    """As :class:`DenseRetriever`, but for where its candidates come from."""

    def __init__(self, export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, model: DenseModel) -> None:
        """
        :raises ConfigError: the index has no vectors of the encoder, or the encoder is not there.
        :raises EngineError: the engine does not have the vectors.
        """
        super().__init__(snapshot, analyzer, model)
        table = dense_table(self.record).name
        export.require(table, f"the vectors of the encoder {self.record.name}")
        self._near = CandidateSearch(export.backend, table, Located(snapshot.segments, document_of), self._ids)

    def _search(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> list[UnitResults]:
        return [self._nearest(vector, k, allowed) for vector in self._encode(queries)]

    def _nearest(self, query: NDArray[np.float32], k: int, allowed: Masks | None) -> UnitResults:
        if not query.any():
            return merge([], k, self._ids)
        longest = max((one.longest() for one in self._segments), default=1.0)
        bound = Bound(1.0, 2 * product_error(query, longest))
        return self._near.best(
            query[None, :], k, bound, lambda segment, units: self._segments[segment].scores(query, units), allowed
        )
