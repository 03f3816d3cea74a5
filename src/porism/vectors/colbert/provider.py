"""Tokens of documents for a token store that an index has."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.token_rows import complete_tokens, forget_token_parts, has_tokens
from porism.index.vectors import ComputedRows
from porism.vectors.colbert.stores import TOKEN_STORES, TokenStore
from porism.vectors.encoding import document_texts
from porism.vectors.neural.token_encoder import TokenEncoder, load_token_encoder
from porism.vectors.providers import DocumentProvider


class DocumentTokens(DocumentProvider[TokenStore, TokenEncoder]):
    """Computes the tokens of documents, compressed by the codec of their store."""

    what = "the token store"
    chunk = 256

    def __init__(
        self, index_path: Path, record: TokenStore, *, encoder: TokenEncoder | None = None, device: str = "auto",
        on_note: Callable[[str], None] = lambda note: None,
        known: Mapping[int, NDArray[np.float32]] | None = None,
    ) -> None:
        """``known`` are vectors of the tokens of contents, by digest, that need not be encoded any more."""
        super().__init__(index_path, record, encoder=encoder, device=device, on_note=on_note)
        self._known = known or {}

    def load(self, device: str, on_note: Callable[[str], None]) -> TokenEncoder:
        """Loads the encoder."""
        files = self._record.files(self._index_path)
        return load_token_encoder(files, device=device, precision=self._record.precision, on_note=on_note)

    def compute(self, segment: Segment, documents: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        """The tokens of documents as bytes."""
        vectors = self._vectors(segment, documents, digests)
        codec = self._record.codec
        tokens = np.concatenate([np.zeros((0, codec.dimensions), np.float32), *vectors])
        return ComputedRows(codec.rows(codec.compress(tokens)), np.array([len(one) for one in vectors], np.int64))

    def has(self, segment: Segment) -> bool:
        """Whether a segment has the tokens of its documents."""
        return has_tokens(segment, self.spec)

    def store(
        self, segment: Segment, digests: NDArray[np.uint64], compute: Callable[[NDArray[np.int64]], ComputedRows],
        on_progress: Callable[[int], None], *, at_once: int = 1,
    ) -> int:
        """Stores tokens that are not stored yet; returns of how many documents."""
        return complete_tokens(
            segment, self.spec, digests, compute, chunk=self.chunk * at_once, on_progress=on_progress
        )

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes what waited for the segments."""
        forget_token_parts(self._index_path, self.spec)

    def _vectors(
        self, segment: Segment, documents: NDArray[np.int64], digests: NDArray[np.uint64]
    ) -> list[NDArray[np.float32]]:
        """The vectors of the tokens of each document."""
        keys = digests[documents].tolist()
        found = {key: self._known[key] for key in keys if key in self._known}
        new = [number for number, key in enumerate(keys) if key not in found]
        if new:
            texts = document_texts(segment, documents[new], self._record.settings.text)
            encoded = self.encoder.encode_documents(texts)
            for number, start, stop in zip(
                new, encoded.offsets[:-1].tolist(), encoded.offsets[1:].tolist(), strict=True
            ):
                found[keys[number]] = encoded.vectors[start:stop]
        return [found[key] for key in keys]


def remembered(index_path: Path) -> list[DocumentTokens]:
    """What computes tokens of documents for an index: one for each token store that it has."""
    return [DocumentTokens(index_path, store) for store in TOKEN_STORES.all(index_path)]
