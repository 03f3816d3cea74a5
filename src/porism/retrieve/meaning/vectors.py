"""The table of an index, trained on its own documents, and the vectors of its documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import Segment, Snapshot
from porism.index.vectors import (
    ComputedRows,
    VectorSpec,
    complete_vectors,
    content_digests,
    forget_parts,
    has_vectors,
    one_each,
    remove_vectors,
)
from porism.retrieve.meaning.collection import field_pairs
from porism.retrieve.meaning.documents import SegmentTerms
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.terms import ROWS
from porism.retrieve.meaning.training import OnBatch, TableTraining, random_table, train_table
from porism.settings import write_settings
from porism.system.files.artifacts import MODELS

MODEL = "meaning"
"""The name of the table among the models of an index."""

ENOUGH_BATCHES = 60
MAX_EPOCHS = 12
"""How many batches a training has at least, unless it would see the pairs more often than this."""

_CHUNK = 8_192


def train_meaning(
    index_path: str | os.PathLike[str], settings: TableTraining | None = None, *, start: MeaningTable | None = None,
    on_batch: OnBatch = lambda done, total: None,
) -> Path:
    """Trains a table on the pairs of fields that the documents of an index have, and encodes them; returns its file.

    A table that was there is replaced at the end, all at once.

    :param settings: by default :func:`usual_training`.
    :param start: the table to go on from, of as many dimensions; by default nothing is known of any term.
    :raises ConfigError: the documents have too few pairs of fields, and there is no table to go on from.
    :raises StorageError: the folder cannot be written.
    """
    with Snapshot.open(index_path) as snapshot:
        pairs = field_pairs(snapshot.segments, seed=1 if settings is None else settings.seed)
        settings = settings or usual_training(len(pairs.left))
        if not len(pairs.left) and start is None:
            raise ConfigError(
                "there is nothing to learn meanings from: too few documents have two fields, such as title and text",
                where=str(index_path),
            )
        table = random_table(ROWS, settings.dimensions, settings.seed) if start is None else start.decode()
        trained = train_table(
            pairs.left, pairs.right, pairs.rows, table, settings, origins=pairs.origins, on_batch=on_batch
        )
        made_of: dict[str, Any] = {
            "pairs": len(pairs.left), "losses": list(trained.losses), "documents": snapshot.doc_count,
            "generation": snapshot.generation, "training": write_settings(settings),
        }
        path = MODELS.prepare(index_path, MODEL)
        MeaningTable.of(trained.vectors, made_of).write(path)
        vectors = MeaningVectors(Path(index_path))
        for segment in snapshot.segments:
            vectors.complete(segment)
        vectors.finish(snapshot.segments)
    return path


def usual_training(pairs: int) -> TableTraining:
    """How a table is trained on so many pairs: few are seen more often."""
    usual = TableTraining()
    batches = max(1, pairs // usual.batch)
    return replace(usual, epochs=min(MAX_EPOCHS, max(usual.epochs, ENOUGH_BATCHES // batches)))


def open_table(index_path: str | os.PathLike[str]) -> MeaningTable:
    """The table of an index.

    :raises ConfigError: none was trained for it.
    :raises IndexCorrupt: it is damaged.
    """
    path = MODELS.path(index_path, MODEL)
    try:
        return MeaningTable.open(path)
    except FileNotFoundError:
        raise ConfigError(
            "no meanings were learnt for this index", where=str(index_path),
            hint="Learn them: porism.retrieve.meaning.vectors.train_meaning(INDEX).",
        ) from None


def trained_vectors(index_path: Path) -> tuple[MeaningVectors, ...]:
    """What computes the vectors of documents, if a table was trained for an index."""
    return (MeaningVectors(index_path),) if MODELS.path(index_path, MODEL).exists() else ()


class MeaningVectors:
    """Computes the vectors of documents (int8, of length 1) by the table of an index; a
    :class:`~porism.retrieve.kinds.VectorProvider`.

    :raises ConfigError: no table was trained.
    :raises IndexCorrupt: it is damaged.
    """

    origin = "the meanings that the index has learnt"

    def __init__(self, index_path: Path) -> None:
        self._index_path = index_path
        self.table = open_table(index_path)
        self.spec = VectorSpec(f"{MODEL}-{self.table.digest}", self.table.dimensions, "int8")
        self.name = self.spec.name

    def has(self, segment: Segment) -> bool:
        return has_vectors(segment, self.spec, segment.doc_count)

    def count(self, segment: Segment) -> int:
        return segment.doc_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        digests = content_digests(map(segment.stored, range(segment.doc_count)))
        terms = SegmentTerms(segment)

        def compute(documents: NDArray[np.int64]) -> ComputedRows:
            return one_each(document_vectors(terms, documents, self.table))

        return complete_vectors(segment, self.spec, digests, compute, chunk=_CHUNK, on_progress=on_progress)

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes the vectors of tables before this one."""
        forget_parts(self._index_path, self.spec)
        for segment in segments:
            remove_vectors(segment, MODEL, [self.name])


def document_vectors(
    terms: SegmentTerms, documents: NDArray[np.integer], table: MeaningTable
) -> NDArray[np.float32]:
    """The vectors of documents of a segment, of length 1 (float32); 0 where one has no terms."""
    bags = terms.bags(documents)
    distinct = np.unique(bags.terms)
    return table.vectors(bags.renumbered(distinct), terms.rows(distinct, len(table)))
