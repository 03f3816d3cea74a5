"""Compressed token vectors of documents, stored beside their segments, for late interaction.

A set of tokens has a name and a file in the derived data of each segment, and is carried over to new segments, as
vectors are (:mod:`porism.index.vectors`). A token has a *head*, which holds the number of its centroid and a correction
of its length, and a *residual* of some bytes. The file also lists the documents that have a token of each centroid:
searches begin there (Santhanam et al., *PLAID*, CIKM 2022).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container, ContainerSection
from porism.index.segment import Segment
from porism.index.strings import offsets
from porism.index.vector_rows import PartFile, VectorRows
from porism.index.vectors import (
    Compute,
    Split,
    VectorSources,
    gather,
    rows_of_others,
    vectors_path,
    writing_vectors,
)

HEAD_BYTES = 4
"""Bytes of a head; the residual follows."""

_CODE = (1 << 24) - 1


class TokenSpec(NamedTuple):
    """A set of tokens: its ``name``, the bytes of a residual (``width``), and the number of ``centroids``."""

    name: str
    width: int
    centroids: int


class TokenRows(NamedTuple):
    """The tokens of several documents; those of document ``i`` are ``offsets[i]`` to ``offsets[i + 1] - 1`` (int64).

    ``heads`` are uint32, whose lower 24 bits are a centroid. ``residuals`` is a section of uint8 (tokens × width):
    :meth:`require` rows before reading them. The documents with a token of centroid ``c``, each once, are ``list_docs``
    (int32) from ``list_starts[c]`` to ``list_starts[c + 1] - 1`` (int64).
    """

    offsets: NDArray[np.int64]
    heads: NDArray[np.uint32]
    residuals: ContainerSection
    list_starts: NDArray[np.int64]
    list_docs: NDArray[np.int32]

    def require(self, documents: NDArray[np.integer]) -> None:
        """Compares the residuals of documents with their checksums."""
        if not self.residuals.complete:
            width = self.residuals.array.shape[1]
            self.residuals.require(self.offsets[documents] * width, self.offsets[documents + 1] * width)


def open_tokens(segment: Segment, spec: TokenSpec, hint: str) -> TokenRows:
    """The tokens of the documents of a segment, memory-mapped; ``hint`` says what to do if they are missing.

    :raises ConfigError: they were not computed, or belong to another segment.
    """
    tokens = _stored(segment, spec)
    if tokens is None:
        raise ConfigError(
            f"the tokens of {segment.doc_count:,} documents are missing", where=str(segment.folder), hint=hint
        )
    return tokens


def has_tokens(segment: Segment, spec: TokenSpec) -> bool:
    """Whether the tokens of a segment are stored and complete."""
    return _stored(segment, spec) is not None


def complete_tokens(
    segment: Segment, spec: TokenSpec, digests: NDArray[np.uint64], compute: Compute, *, chunk: int = 512,
    split: Split = lambda items: [items], on_progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Stores the tokens of a segment if they are missing; returns the number of documents that had to be computed.

    ``digests`` identify the contents of its documents. ``compute`` gives the tokens of documents as bytes, each head
    followed by its residual (uint8, tokens × (:data:`HEAD_BYTES` + width)). Tokens of the same content are reused from
    other segments and from an interrupted run. ``chunk`` and ``split`` are those of
    :func:`porism.index.vectors.complete_vectors`.

    :raises StorageError: the folder cannot be written.
    """
    if has_tokens(segment, spec):
        on_progress(len(digests))
        return 0
    sources, computed = gather(
        _part(segment.folder.parents[1], spec),
        lambda: rows_of_others(segment, spec.name, lambda derived, count: _joined(derived, spec, count)), digests,
        compute, chunk=chunk, split=split, on_progress=on_progress,
    )
    counts = sources.counts(digests)
    heads = np.concatenate([np.zeros(0, np.uint32), *(_heads(piece) for piece in _pieces(sources, digests, spec))])
    starts, docs = _lists(heads, counts, spec.centroids)
    info = {"width": spec.width, "centroids": spec.centroids}
    with writing_vectors(segment, spec.name, digests, info) as writer:
        writer.add("offsets", offsets(counts))
        writer.add("heads", heads)
        writer.add_chunks(
            "residuals", np.uint8, (piece[:, HEAD_BYTES:].reshape(-1) for piece in _pieces(sources, digests, spec))
        )
        writer.add("list_starts", starts)
        writer.add("list_docs", docs)
    return computed


def forget_token_parts(index_path: Path, spec: TokenSpec) -> None:
    """Removes the tokens of interrupted runs; call it when all segments have their tokens."""
    _part(index_path, spec).remove()


def _part(index_path: Path, spec: TokenSpec) -> PartFile:
    return PartFile(index_path, spec.name, HEAD_BYTES + spec.width, "uint8")


def _pieces(sources: VectorSources, digests: NDArray[np.uint64], spec: TokenSpec) -> Iterator[NDArray[np.uint8]]:
    """The tokens of documents as bytes, in the order given, in pieces."""
    for piece in sources.rows(digests):
        yield cast("NDArray[np.uint8]", piece).reshape(-1, HEAD_BYTES + spec.width)


def _heads(piece: NDArray[np.uint8]) -> NDArray[np.uint32]:
    return np.ascontiguousarray(piece[:, :HEAD_BYTES]).view("<u4").reshape(-1).astype(np.uint32, copy=False)


def _lists(
    heads: NDArray[np.uint32], counts: NDArray[np.int64], centroids: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The start of each centroid's list, and the documents of all lists."""
    documents = np.repeat(np.arange(len(counts), dtype=np.int64), counts)
    pairs = np.unique((heads & _CODE).astype(np.int64) * max(1, len(counts)) + documents)
    codes, docs = np.divmod(pairs, max(1, len(counts)))
    return offsets(np.bincount(codes, minlength=centroids)), docs.astype(np.int32)


def _stored(segment: Segment, spec: TokenSpec) -> TokenRows | None:
    derived = segment.open_derived(vectors_path(segment, spec.name).stem)
    return None if derived is None else _rows(derived, spec, segment.doc_count)


def _rows(derived: Container, spec: TokenSpec, count: int) -> TokenRows | None:
    """The tokens in a file; None if they do not match ``spec`` and ``count``."""
    try:
        bounds, heads = derived.array("offsets"), derived.array("heads")
        starts, docs = derived.array("list_starts"), derived.array("list_docs")
        residuals = derived.section("residuals")
    except IndexCorrupt:
        return None
    sound = (
        len(bounds) == count + 1 and bounds[0] == 0 and bounds[-1] == len(heads)
        and residuals.array.size == len(heads) * spec.width and heads.dtype == np.uint32
        and len(starts) == spec.centroids + 1 and starts[-1] == len(docs)
        and derived.info.get("info") == {"width": spec.width, "centroids": spec.centroids}
    )
    if not sound:
        return None
    residuals.array = residuals.array.reshape(-1, spec.width)
    return TokenRows(bounds, heads, residuals, starts, docs)


def _joined(derived: Container, spec: TokenSpec, count: int) -> VectorRows | None:
    """The tokens in a file as bytes; None if they do not match ``spec`` and ``count``."""
    rows = _rows(derived, spec, count)
    if rows is None:
        return None
    residuals = derived.array("residuals").reshape(-1, spec.width)
    return VectorRows(cast("NDArray[np.uint8]", _TokenBytes(rows.heads, residuals)), rows.offsets)


class _TokenBytes:
    """Heads and residuals as rows of bytes, joined when they are read."""

    dtype = np.dtype(np.uint8)

    def __init__(self, heads: NDArray[np.uint32], residuals: NDArray[np.uint8]) -> None:
        self._heads, self._residuals = heads, residuals
        self.shape = len(heads), HEAD_BYTES + residuals.shape[1]

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> NDArray[np.uint8]:
        heads = self._heads[rows].astype("<u4").view(np.uint8).reshape(-1, HEAD_BYTES)
        return np.concatenate([heads, self._residuals[rows]], axis=1)
