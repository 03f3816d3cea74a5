"""The input of a new segment: analysed batches when documents are added, older segments when they are merged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.analysis.batch import AnalyzedBatch, TermMatrix
from porism.index.rows import CHUNK_ROWS, Csr
from porism.index.runs import StringRuns
from porism.index.segment import LINE, Segment, filter_terms
from porism.index.sources import NOBODY
from porism.index.strings import Packed, encode, offsets
from porism.types import Metadata


class SegmentInput(Protocol):
    """Documents with their formulas and terms; ``docs`` (int64) are those that go into the new segment, in order.

    Methods that take positions return one item for each, in the order given. ``rows`` yields pieces; -1 gives an empty
    row.
    """

    docs: NDArray[np.int64]
    fields: tuple[str, ...]
    text_channels: tuple[str, ...]
    formula_channels: tuple[str, ...]
    occurrence_indptr: NDArray[np.int64]
    occurrence_field: NDArray[np.uint16]
    occurrence_formula: NDArray[np.int32]
    occurrence_number: NDArray[np.int32]

    def ids(self) -> Packed: ...
    def owners(self) -> NDArray[np.int32]: ...
    def digests(self) -> NDArray[np.uint64]: ...
    def lines(self) -> NDArray[np.int32]: ...
    def keys(self) -> StringRuns: ...
    def stored(self) -> Iterator[bytes]: ...
    def metadata(self) -> Iterator[bytes]: ...
    def filters(self) -> tuple[Packed, NDArray[np.int64], NDArray[np.int64]]:
        """Filter terms, and the pairs of term and document (its number before selection)."""
        ...
    def sources(self, formulas: NDArray[np.int64]) -> Iterator[bytes]: ...
    def trees(self, formulas: NDArray[np.int64]) -> Iterator[bytes]: ...
    def occurrence_ids(self, occurrences: NDArray[np.int64]) -> Iterator[bytes]: ...
    def visual_ids(self, occurrences: NDArray[np.int64]) -> Iterator[bytes]: ...
    def vocabulary(self, channel: str) -> StringRuns: ...
    def rows(self, channel: str, rows: NDArray[np.int64]) -> Iterator[Csr]: ...


class BatchPart:
    """A :class:`SegmentInput` of one batch; ``live`` (bool, one a document) leaves out documents that were replaced."""

    def __init__(self, batch: AnalyzedBatch, live: NDArray[np.bool_]) -> None:
        self.batch = batch
        self.docs: NDArray[np.int64] = np.flatnonzero(live).astype(np.int64)
        self.fields = batch.fields
        self.text_channels = tuple(batch.text)
        self.formula_channels = tuple(batch.formulas)
        self.occurrence_indptr = offsets(np.bincount(batch.occurrence_doc, minlength=len(batch.ids)))
        self.occurrence_field = batch.occurrence_field
        self.occurrence_formula = batch.occurrence_formula
        self.occurrence_number = batch.occurrence_number

    def ids(self) -> Packed:
        return Packed.of([self.batch.ids[doc] for doc in self.docs])

    def owners(self) -> NDArray[np.int32]:
        owners = self.batch.owners
        return np.full(len(self.docs), NOBODY, np.int32) if owners is None else owners[self.docs]

    def digests(self) -> NDArray[np.uint64]:
        digests = self.batch.digests
        return np.zeros(len(self.docs), np.uint64) if digests is None else digests[self.docs]

    def lines(self) -> NDArray[np.int32]:
        lines = self.batch.lines
        return np.zeros(len(self.docs), np.int32) if lines is None else lines[self.docs]

    def keys(self) -> StringRuns:
        return StringRuns.of_strings(Packed.of(self.batch.formula_keys))

    def stored(self) -> Iterator[bytes]:
        return (self.batch.stored[doc] for doc in self.docs)

    def metadata(self) -> Iterator[bytes]:
        return (dump_metadata(self.batch.metadata[doc]) for doc in self.docs)

    def filters(self) -> tuple[Packed, NDArray[np.int64], NDArray[np.int64]]:
        numbers: dict[str, int] = {}
        terms: list[int] = []
        docs: list[int] = []
        lines = self.batch.lines
        for doc in self.docs.tolist():
            metadata = self.batch.metadata[doc]
            if lines is not None and lines[doc] and metadata.get(LINE) == str(lines[doc]):
                metadata = {key: value for key, value in metadata.items() if key != LINE}
            for term in filter_terms(metadata):
                terms.append(numbers.setdefault(term, len(numbers)))
                docs.append(doc)
        return Packed.of(list(numbers)), np.asarray(terms, np.int64), np.asarray(docs, np.int64)

    def sources(self, formulas: NDArray[np.int64]) -> Iterator[bytes]:
        return (encode(self.batch.formula_sources[formula]) for formula in formulas)

    def trees(self, formulas: NDArray[np.int64]) -> Iterator[bytes]:
        return (self.batch.formula_trees[formula] for formula in formulas)

    def occurrence_ids(self, occurrences: NDArray[np.int64]) -> Iterator[bytes]:
        return _texts(self.batch.occurrence_id, occurrences)

    def visual_ids(self, occurrences: NDArray[np.int64]) -> Iterator[bytes]:
        return _texts(self.batch.occurrence_visual_id, occurrences)

    def _matrix(self, channel: str) -> TermMatrix:
        return self.batch.text[channel] if channel in self.batch.text else self.batch.formulas[channel]

    def vocabulary(self, channel: str) -> StringRuns:
        return StringRuns.of_strings(Packed.of(self._matrix(channel).vocabulary))

    def rows(self, channel: str, rows: NDArray[np.int64]) -> Iterator[Csr]:
        matrix = self._matrix(channel)
        yield Csr(matrix.indptr, matrix.terms, matrix.counts).take(rows)


class SegmentPart:
    """A :class:`SegmentInput` of one segment; ``live`` (bool, one a document) leaves out deleted documents."""

    def __init__(self, segment: Segment, live: NDArray[np.bool_]) -> None:
        self.segment = segment
        self.docs: NDArray[np.int64] = np.flatnonzero(live).astype(np.int64)
        self.fields = segment.fields
        self.text_channels = segment.text_channels
        self.formula_channels = segment.formula_channels
        self.occurrence_indptr = segment.occurrences.indptr
        self.occurrence_field = segment.occurrences.field.all()
        self.occurrence_formula = segment.occurrences.formula.all()
        self.occurrence_number = segment.occurrences.number.all()

    def ids(self) -> Packed:
        return self.segment.names.packed().take(self.docs)

    def owners(self) -> NDArray[np.int32]:
        return self.segment.owners[self.docs]

    def digests(self) -> NDArray[np.uint64]:
        return self.segment.digests[self.docs]

    def lines(self) -> NDArray[np.int32]:
        return self.segment.lines[self.docs]

    def keys(self) -> StringRuns:
        return StringRuns.of_names(self.segment.keys)

    def stored(self) -> Iterator[bytes]:
        return self._placed("stored")

    def metadata(self) -> Iterator[bytes]:
        return self._placed("metadata")

    def _placed(self, name: str) -> Iterator[bytes]:
        records = self.segment.records(name).take(self.docs)
        if not self.segment.has_moved:
            return records
        return (self.segment.placed(name, doc, record) for doc, record in zip(self.docs.tolist(), records, strict=True))

    def filters(self) -> tuple[Packed, NDArray[np.int64], NDArray[np.int64]]:
        terms, docs = self.segment.filter_pairs()
        return self.segment.filters.packed(), terms, docs

    def sources(self, formulas: NDArray[np.int64]) -> Iterator[bytes]:
        return self.segment.records("sources").take(formulas)

    def trees(self, formulas: NDArray[np.int64]) -> Iterator[bytes]:
        return self.segment.records("trees").take(formulas)

    def occurrence_ids(self, occurrences: NDArray[np.int64]) -> Iterator[bytes]:
        return self.segment.records("occurrences:id").take(occurrences)

    def visual_ids(self, occurrences: NDArray[np.int64]) -> Iterator[bytes]:
        return self.segment.records("occurrences:visual").take(occurrences)

    def vocabulary(self, channel: str) -> StringRuns:
        return StringRuns.of_dictionary(self.segment.dictionary(channel))

    def rows(self, channel: str, rows: NDArray[np.int64]) -> Iterator[Csr]:
        matrix = self.segment.matrix(channel)
        for first in range(0, len(rows), CHUNK_ROWS):
            yield matrix.select(rows[first : first + CHUNK_ROWS])


def dump_metadata(metadata: Metadata) -> bytes:
    """Metadata as JSON."""
    return orjson.dumps({key: value if isinstance(value, str) else list(value) for key, value in metadata.items()})


def _texts(texts: list[str], positions: NDArray[np.int64]) -> Iterator[bytes]:
    """The texts at ``positions``; all empty if the batch has none."""
    if not texts:
        return (b"" for _ in range(len(positions)))
    return (encode(texts[position]) for position in positions)
