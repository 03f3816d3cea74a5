"""What computes encodings of documents or formulas: only new ones are encoded, and those of a segment are stored when
all of them are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.analysis.model_text import ModelText, document_text
from porism.index import Segment
from porism.index.documents import stored_document
from porism.index.vectors import (
    ComputedRows,
    Split,
    complete_vectors,
    content_digests,
    forget_parts,
    has_vectors,
    open_vectors,
)
from porism.vectors.neural.model_encoder import ModelEncoder
from porism.vectors.records import TextEncoding

R = TypeVar("R", bound=TextEncoding)
E = TypeVar("E", bound=ModelEncoder)

_TOKEN_BYTES = 8
"""At most about so many bytes of a text are a token."""

_PART_BYTES = 1 << 15
"""About so many bytes of documents are encoded at once: two batches of a model."""

_DELETED = 0
"""Stands for the digest of a document that was deleted before it was encoded: it gets nothing."""


class SegmentProvider(ABC):
    """Computes and stores one set of rows beside the segments of an index."""

    chunk: ClassVar[int]
    """Documents or formulas that are encoded at most between two times that encodings are written."""

    def __init__(self, index_path: Path, record: Any = None, device: str = "auto") -> None:
        self._index_path, self.record, self.device = index_path, record, device

    @property
    @abstractmethod
    def spec(self) -> Any:
        """The shape of what is stored, which the functions that store it take."""

    @property
    @abstractmethod
    def origin(self) -> str:
        """What it is of, for messages: ``the encoder minilm``."""

    @abstractmethod
    def count(self, segment: Segment) -> int:
        """The documents (deleted ones too) or formulas of a segment."""

    @abstractmethod
    def digests(self, segment: Segment) -> NDArray[np.uint64]:
        """Of each of them the digest of all that its rows depend on."""

    @abstractmethod
    def compute(self, segment: Segment, numbers: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        """The rows of documents or formulas of a segment, by number; ``digests`` are those of all of them."""

    def split(self, segment: Segment, numbers: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
        """Those of the documents or formulas of a chunk that are encoded at once."""
        return [numbers]

    @property
    def name(self) -> str:
        """The name of what is stored."""
        return str(self.spec.name)

    def has(self, segment: Segment) -> bool:
        """Whether a segment has its rows."""
        return has_vectors(segment, self.spec, self.count(segment))

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        """Stores the rows of a segment; returns of how many documents or formulas they were computed.

        :raises ConfigError: what computes them is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """
        return self.complete_by(self.compute, segment, on_progress, split=partial(self.split, segment))

    def complete_by(
        self, compute: Callable[[Segment, NDArray[np.int64], NDArray[np.uint64]], ComputedRows], segment: Segment,
        on_progress: Callable[[int], None], *, chunks: int = 1, split: Split = lambda numbers: [numbers],
    ) -> int:
        """As :meth:`complete`, where something else computes as :meth:`compute` does, so many chunks at once."""
        if self.has(segment):
            on_progress(self.count(segment))
            return 0
        digests = self.digests(segment)
        return self.store(
            segment, digests, lambda numbers: compute(segment, numbers, digests), on_progress,
            chunk=self.chunk * chunks, split=split,
        )

    def store(
        self, segment: Segment, digests: NDArray[np.uint64], compute: Callable[[NDArray[np.int64]], ComputedRows],
        on_progress: Callable[[int], None], *, chunk: int, split: Split,
    ) -> int:
        """Stores what ``compute`` gives where rows are missing; returns of how many. ``chunk`` and ``split`` are those
        of :func:`porism.index.vectors.complete_vectors`."""
        return complete_vectors(segment, self.spec, digests, compute, chunk=chunk, split=split, on_progress=on_progress)

    def size(self, segment: Segment) -> tuple[int, int]:
        """The rows of a segment, which are all there, and their bytes on disk."""
        rows = open_vectors(segment, self.spec, self.count(segment))
        scales = 0 if rows.scales is None else rows.scales.nbytes
        return len(rows.vectors), rows.vectors.nbytes + rows.offsets.nbytes + scales

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes what waited until all segments had their rows."""
        forget_parts(self._index_path, self.spec)


class DocumentProvider(SegmentProvider, Generic[R, E]):
    """Computes the encodings of documents that an index records as ``record``; loads the encoder when the first
    document is to be encoded."""

    noun: ClassVar[str]
    """What a record is of, for messages: ``the encoder``."""

    encoder_class: type[E]

    record: R

    def __init__(self, index_path: Path, record: R, *, encoder: E | None = None, device: str = "auto") -> None:
        super().__init__(index_path, record, device)
        self._encoder = encoder

    @property
    def spec(self) -> Any:
        return self.record.spec

    @property
    def origin(self) -> str:
        return f"{self.noun} {self.record.name}"

    @property
    def encoder(self) -> E:
        """The encoder itself.

        :raises ConfigError: it is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        """
        if self._encoder is None:
            files = self.record.files(self._index_path)
            self._encoder = self.encoder_class.load(files, device=self.device, precision=self.record.precision)
        return self._encoder

    def count(self, segment: Segment) -> int:
        return segment.doc_count

    def digests(self, segment: Segment) -> NDArray[np.uint64]:
        return document_digests(segment)

    def split(self, segment: Segment, numbers: NDArray[np.int64]) -> Iterable[NDArray[np.int64]]:
        """Documents of about one length together, so many as take a model seconds at most."""
        settings = self.record.settings
        sizes = np.array([len(segment.stored(number)) for number in numbers.tolist()], np.int64)
        read = sizes if settings.cut == "chunks" else np.minimum(sizes, _TOKEN_BYTES * self.encoder.length)
        order = np.argsort(-read, kind="stable")
        before = np.cumsum(read[order]) - read[order]
        return np.split(numbers[order], np.flatnonzero(np.diff(before // _PART_BYTES)) + 1)

    def texts(self, segment: Segment, numbers: NDArray[np.int64]) -> list[str]:
        """What the encoder reads of documents, by number."""
        return document_texts(segment, numbers, self.record.settings.text)


def document_digests(segment: Segment) -> NDArray[np.uint64]:
    """The digest of the content of each document of a segment (uint64), 0 of one that was deleted."""
    digests = content_digests(orjson.dumps(orjson.loads(stored)["fields"]) for stored in segment.records("stored"))
    digests[~segment.live] = _DELETED
    return digests


def document_texts(segment: Segment, documents: NDArray[np.int64], settings: ModelText) -> list[str]:
    """What an encoder reads of documents, by number; nothing of those that were deleted."""
    return [
        document_text(stored_document(segment, document), settings) if segment.live[document] else ""
        for document in documents.tolist()
    ]
