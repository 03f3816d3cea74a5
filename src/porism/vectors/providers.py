"""What computes encodings of documents, whatever the encoder gives: new documents alone are encoded, and those of a
segment are stored when all of them are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.vectors import ComputedRows, complete_vectors, forget_parts, has_vectors
from porism.retrieve.encoding_store import Encoding
from porism.vectors.encoding import document_digests

R = TypeVar("R", bound=Encoding)
E = TypeVar("E")


class DocumentProvider(ABC, Generic[R, E]):
    """Computes the encodings of documents that an index remembers as ``record``; loads the encoder when the first
    document is to be encoded."""

    what: ClassVar[str]
    """What a record is of, for messages: ``the encoder``."""

    chunk: ClassVar[int]
    """Documents that are encoded between two times that encodings are written."""

    def __init__(
        self, index_path: Path, record: R, *, encoder: E | None = None, device: str = "auto",
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self._index_path, self._record = index_path, record
        self._encoder, self._device, self._note = encoder, device, on_note

    @abstractmethod
    def load(self, device: str, on_note: Callable[[str], None]) -> E:
        """Loads the encoder.

        :raises ConfigError: it is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        """

    @abstractmethod
    def compute(self, segment: Segment, documents: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        """The encodings of documents of a segment, by number; ``digests`` are those of all its documents."""

    @property
    def name(self) -> str:
        """The name of what is stored."""
        return self._record.spec.name

    @property
    def spec(self) -> Any:
        """The shape of what is stored, which the functions that store it take."""
        return self._record.spec

    @property
    def record(self) -> R:
        """What the index remembers."""
        return self._record

    @property
    def device(self) -> str:
        """What the encoder runs on."""
        return self._device

    @property
    def origin(self) -> str:
        """What it is of."""
        return f"{self.what} {self._record.name}"

    @property
    def encoder(self) -> E:
        """The encoder, loaded once."""
        if self._encoder is None:
            self._encoder = self.load(self._device, self._note)
        return self._encoder

    def has(self, segment: Segment) -> bool:
        """Whether a segment has the encodings of its documents."""
        return has_vectors(segment, self.spec, segment.doc_count)

    def count(self, segment: Segment) -> int:
        """The documents of a segment, deleted ones too."""
        return segment.doc_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        """Stores the encodings of the documents of a segment; returns how many documents were encoded.

        :raises ConfigError: the encoder is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """
        return self.complete_by(self.compute, segment, on_progress)

    def complete_by(
        self, compute: Callable[[Segment, NDArray[np.int64], NDArray[np.uint64]], ComputedRows], segment: Segment,
        on_progress: Callable[[int], None], *, at_once: int = 1,
    ) -> int:
        """As :meth:`complete`, where something else computes as :meth:`compute` does, ``at_once`` chunks at a time."""
        if self.has(segment):
            on_progress(segment.doc_count)
            return 0
        digests = document_digests(segment)
        return self.store(
            segment, digests, lambda documents: compute(segment, documents, digests), on_progress, at_once=at_once
        )

    def store(
        self, segment: Segment, digests: NDArray[np.uint64], compute: Callable[[NDArray[np.int64]], ComputedRows],
        on_progress: Callable[[int], None], *, at_once: int = 1,
    ) -> int:
        """Stores what ``compute`` gives for documents that have no encodings yet; returns how many these were.

        :param at_once: so many chunks are computed at once.
        """
        return complete_vectors(
            segment, self.spec, digests, compute, chunk=self.chunk * at_once, on_progress=on_progress
        )

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes what waited for the segments."""
        forget_parts(self._index_path, self.spec)
