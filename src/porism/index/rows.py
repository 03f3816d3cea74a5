"""Rows of term counts on disk, in variable bytes: the terms of each document or formula, and which make a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.columns import byte_section, damaged, starts
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.strings import offsets, ranges
from porism.system.concurrency.caching import cached_property

CHUNK_ROWS = 1 << 16


class Csr(NamedTuple):
    """Rows in compressed sparse row form: ``indptr`` int64 (rows + 1), ``terms`` int32, ``counts`` uint16."""

    indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.uint16]

    def take(self, rows: NDArray[np.int64]) -> Csr:
        """The rows at these positions; -1 gives an empty row."""
        if len(rows) == len(self.indptr) - 1 and np.array_equal(rows, np.arange(len(rows))):
            return self
        first = self.indptr[:-1]
        lengths = np.where(rows < 0, 0, (self.indptr[1:] - first)[rows] if len(first) else 0)
        indptr = offsets(lengths)
        begin = first[rows] if len(first) else np.zeros(len(rows), np.int64)
        source = ranges(begin, lengths)
        return Csr(indptr, self.terms[source], self.counts[source])


class TermRows:
    """The rows of a channel of a segment; terms are numbers of the channel's dictionary, increasing within a row.

    A text channel has a row for each document and field (``document * len(fields) + field``), a formula channel one for
    each distinct formula. :meth:`select` and :meth:`chunks` decode some rows. ``indptr``, ``terms`` and ``counts``
    decode the whole channel and keep it as long as this object lives (6 bytes a posting).
    """

    def __init__(self, container: Container, name: str, info: dict[str, Any]) -> None:
        self._container, self._name = container, name
        self._limit: int = info["terms"]
        self._data = byte_section(container, f"{name}:rows")
        self._starts = starts(container, f"{name}:starts", (np.uint32, np.uint64), len(self._data.array), info["rows"])
        self.postings: int = info["postings"]
        """The number of pairs of a row and a term in it."""
        self.tokens: int = info["tokens"]
        """The sum of all counts."""

    def __len__(self) -> int:
        return len(self._starts) - 1

    def select(self, rows: NDArray[np.integer]) -> Csr:
        """The rows at these positions, in the order given; -1 gives an empty row.

        :raises IndexError: there is no such row.
        """
        from porism.index.row_kernels import decode_rows
        from porism.system.compiled.kernels import address

        wanted = np.ascontiguousarray(rows, np.int64)
        if len(wanted) and not -1 <= int(wanted.min()) <= int(wanted.max()) < len(self):
            raise IndexError(f"rows {wanted.min()} to {wanted.max()} of {len(self)}")
        if not self._data.complete:
            taken = wanted[wanted >= 0]
            self._data.require(self._starts[taken], self._starts[taken + 1])
        wide = self._starts.dtype == np.uint64
        decoded = Csr(*decode_rows(self._data.array, address(self._starts), wide, wanted, self._limit))
        if decoded.indptr[0] < 0:
            raise damaged(self._container, f"{self._name}:rows", "no rows of its terms")
        return decoded

    def chunks(self, rows: int = CHUNK_ROWS) -> Iterator[tuple[int, Csr]]:
        """All rows in chunks of ``rows``, each with the number of its first row."""
        for first in range(0, len(self), rows):
            yield first, self.select(np.arange(first, min(first + rows, len(self)), dtype=np.int64))

    @cached_property
    def csr(self) -> Csr:
        """All rows, decoded once."""
        return self.select(np.arange(len(self), dtype=np.int64))

    @property
    def indptr(self) -> NDArray[np.int64]:
        """The bounds of rows in ``terms`` and ``counts`` (rows + 1)."""
        return self.csr.indptr

    @property
    def terms(self) -> NDArray[np.int32]:
        """The terms of all rows."""
        return self.csr.terms

    @property
    def counts(self) -> NDArray[np.uint16]:
        """The count of each term in its row, from 1 to 65,535, which stands for that many or more."""
        return self.csr.counts


def write_rows(writer: ContainerWriter, name: str, pieces: Iterable[tuple[Csr, NDArray[np.int32]]]) -> dict[str, int]:
    """Writes rows piece by piece; with each piece come the dictionary numbers (int32) of its terms.

    Returns the numbers of ``rows``, ``postings`` and ``tokens``, for :class:`TermRows` and the report of the index.
    """
    from porism.index.row_kernels import encode_rows

    lengths: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
    postings = tokens = 0

    def encoded() -> Iterator[NDArray[np.uint8]]:
        nonlocal postings, tokens
        for piece, numbers in pieces:
            data, sizes, row_sizes = encode_rows(piece.indptr, piece.terms, piece.counts, numbers)
            lengths.append(sizes)
            postings += row_sizes
            tokens += int(piece.counts.sum(dtype=np.int64))
            yield data

    writer.add_chunks(f"{name}:rows", np.uint8, encoded())
    begins = offsets(np.concatenate(lengths))
    writer.add(f"{name}:starts", begins.astype(np.uint32 if begins[-1] < 1 << 32 else np.uint64))
    return {"rows": len(begins) - 1, "postings": postings, "tokens": tokens}


@dataclass(frozen=True, slots=True)
class Entries:
    """The matrix rows of each document: ``rows`` (int64) and their ``fields`` (uint16), bounded by ``starts``.

    ``starts`` is int64 of length documents + 1.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    fields: NDArray[np.uint16]

    @classmethod
    def of_text(cls, documents: int, field_count: int) -> Entries:
        """The entries of a text channel: row ``document * field_count + field`` holds one field of a document."""
        return cls(
            np.arange(documents + 1, dtype=np.int64) * field_count,
            np.arange(documents * field_count, dtype=np.int64),
            np.tile(np.arange(field_count, dtype=np.uint16), documents),
        )
