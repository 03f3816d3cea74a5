"""Tokens of documents for a token store that an index has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.token_rows import complete_tokens, forget_token_parts, has_tokens
from porism.index.vectors import ComputedRows
from porism.neural.token_encoder import TokenEncoder, load_token_encoder
from porism.retrieve.colbert.stores import TokenStore, stores
from porism.retrieve.encoding import document_digests, document_texts

CHUNK_DOCUMENTS = 256
"""Documents that are encoded between two times that tokens are written."""


class DocumentTokens:
    """Computes the tokens of documents for one store; loads the encoder when the first document is to be encoded."""

    def __init__(
        self, index_path: Path, store: TokenStore, *, encoder: TokenEncoder | None = None, device: str = "auto",
        on_note: Callable[[str], None] = lambda note: None,
        known: Mapping[int, NDArray[np.float32]] | None = None,
    ) -> None:
        """``known`` are vectors of the tokens of contents, by digest, that need not be encoded any more."""
        self._index_path, self._store = index_path, store
        self._encoder, self._device, self._note = encoder, device, on_note
        self._known = known or {}

    @property
    def name(self) -> str:
        """The name of the tokens."""
        return self._store.spec.name

    @property
    def origin(self) -> str:
        """What the tokens are of."""
        return f"the token store {self._store.name}"

    def has(self, segment: Segment) -> bool:
        """Whether a segment has them."""
        return has_tokens(segment, self._store.spec)

    def count(self, segment: Segment) -> int:
        """The documents of a segment, deleted ones too."""
        return segment.doc_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        """Stores the tokens of the documents of a segment; returns how many documents were encoded.

        :raises ConfigError: the encoder is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """
        if self.has(segment):
            on_progress(segment.doc_count)
            return 0
        digests = document_digests(segment)

        def compute(documents: NDArray[np.int64]) -> ComputedRows:
            vectors = self._vectors(segment, documents, digests)
            codec = self._store.codec
            tokens = np.concatenate([np.zeros((0, codec.dimensions), np.float32), *vectors])
            return ComputedRows(codec.rows(codec.compress(tokens)), np.array([len(one) for one in vectors], np.int64))

        return complete_tokens(
            segment, self._store.spec, digests, compute, chunk=CHUNK_DOCUMENTS, on_progress=on_progress
        )

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes what waited for the segments."""
        forget_token_parts(self._index_path, self._store.spec)

    def _vectors(
        self, segment: Segment, documents: NDArray[np.int64], digests: NDArray[np.uint64]
    ) -> list[NDArray[np.float32]]:
        """The vectors of the tokens of each document."""
        keys = digests[documents].tolist()
        found = {key: self._known[key] for key in keys if key in self._known}
        new = [number for number, key in enumerate(keys) if key not in found]
        if new:
            texts = document_texts(segment, documents[new], self._store.settings.text)
            encoded = self._loaded().encode_documents(texts)
            for number, start, stop in zip(
                new, encoded.offsets[:-1].tolist(), encoded.offsets[1:].tolist(), strict=True
            ):
                found[keys[number]] = encoded.vectors[start:stop]
        return [found[key] for key in keys]

    def _loaded(self) -> TokenEncoder:
        if self._encoder is None:
            self._encoder = load_token_encoder(
                self._store.files(self._index_path), device=self._device, precision=self._store.precision,
                on_note=self._note,
            )
        return self._encoder


def remembered(index_path: Path) -> list[DocumentTokens]:
    """What computes tokens of documents for an index: one for each token store that it has."""
    return [DocumentTokens(index_path, store) for store in stores(index_path)]
