"""What an engine outside Porism must be able to do.

An engine keeps *tables*. A row of a table has a key, one vector (sparse or dense), and three things that are compared
and filtered by: its *part*, a number from 0 to before 2⁶³ that spreads rows evenly; its *stamp*, a digest of all that
it has; and its *filters*, digests of its metadata. In some tables it has a *document*, too, which is only shown. Beside
the tables an engine keeps a *state*, one text that is replaced as a whole. The score of a row is the inner product of
its vector with that of a query, and a search is exact: no row that scores more than the last result is left out, as far
as the engine's numbers of 32 bits go. """

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

PARTS = 1 << 63
"""Parts, stamps and filters are below this."""

DIMENSIONS = (1 << 32) - 2
"""Dimensions of a sparse vector are from 0 to this."""

MAX_FILTERS = 4_000
"""Filters that a row can have."""

ANY_FILTER = -1
"""The one filter of a row that has more than :data:`MAX_FILTERS`: every search allows it, and its caller looks."""

DOCUMENT_BYTES = 65_000
"""Bytes that the document of a row can have."""


class Table(NamedTuple):
    """A table by its ``name`` (letters, digits and underscores); ``dimensions`` are those of its dense vectors, 0 where
    they are sparse. ``documents`` is whether its rows have documents."""

    name: str
    dimensions: int = 0
    documents: bool = False


class SparseRows(NamedTuple):
    """Sparse vectors: row i has ``dimensions`` (int64, increasing) and ``weights`` (float32, > 0) from ``indptr[i]`` to
    before ``indptr[i + 1]`` (int64)."""

    indptr: NDArray[np.int64]
    dimensions: NDArray[np.int64]
    weights: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.indptr) - 1

    def take(self, numbers: NDArray[np.int64]) -> SparseRows:
        """Some rows, in the order given."""
        counts = np.diff(self.indptr)[numbers]
        indptr = np.zeros(len(numbers) + 1, np.int64)
        np.cumsum(counts, out=indptr[1:])
        places = np.repeat(self.indptr[numbers] - indptr[:-1], counts) + np.arange(int(indptr[-1]))
        return SparseRows(indptr, self.dimensions[places], self.weights[places])

    def row(self, number: int) -> dict[int, float]:
        """One row as dimension → weight."""
        own = slice(int(self.indptr[number]), int(self.indptr[number + 1]))
        return dict(zip(self.dimensions[own].tolist(), self.weights[own].tolist(), strict=True))


Vectors = SparseRows | NDArray[np.float32]
"""The vectors of some rows: sparse ones, or dense ones (float32, rows × dimensions)."""


class Rows(NamedTuple):
    """Some rows: ``keys``, ``parts`` and ``stamps`` (int64), the ``filters`` of each (int64), and their vectors; in a
    table of documents these, each a JSON object in UTF-8 of at most :data:`DOCUMENT_BYTES`."""

    keys: list[str]
    parts: NDArray[np.int64]
    stamps: NDArray[np.int64]
    filters: list[NDArray[np.int64]]
    vectors: Vectors
    documents: list[bytes] | None = None

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, numbers: NDArray[np.int64]) -> Rows:
        """Some of them, in the order given."""
        chosen = numbers.tolist()
        vectors = self.vectors.take(numbers) if isinstance(self.vectors, SparseRows) else self.vectors[numbers]
        return Rows(
            [self.keys[number] for number in chosen], self.parts[numbers], self.stamps[numbers],
            [self.filters[number] for number in chosen], vectors,
            None if self.documents is None else [self.documents[number] for number in chosen],
        )


class RowFilter(NamedTuple):
    """Which rows a search looks at: those whose part is from ``low`` to before ``high``, and that have, of each group
    in ``filters``, one at least."""

    low: int = 0
    high: int = PARTS
    filters: tuple[tuple[int, ...], ...] = ()

    def halves(self) -> tuple[RowFilter, RowFilter]:
        """The same rows in two groups of about the same size."""
        middle = (self.low + self.high) // 2
        return self._replace(high=middle), self._replace(low=middle)


EVERYWHERE = RowFilter()
"""All rows."""


class Hits(NamedTuple):
    """What a search has found, best first: keys and scores (float64)."""

    keys: list[str]
    scores: NDArray[np.float64]


class Backend(Protocol):
    """An engine with the tables and the state of one exported index; safe to share between threads.

    Every method raises :class:`~porism.errors.EngineError` where the engine cannot be reached or refuses. When a method
    that writes has returned, what it wrote survives the end of the engine's processes, and every later call sees it.
    """

    most: int
    """The most results of one search."""

    def __str__(self) -> str:
        """What it is and where, for messages."""

    def read_state(self) -> str | None:
        """The state, None where there is none."""

    def write_state(self, state: str) -> None:
        """Replaces the state."""

    def tables(self) -> list[str]:
        """The names of the tables that there are."""

    def make(self, table: Table) -> None:
        """Makes a table where it is not there."""

    def drop(self, name: str) -> None:
        """Removes a table where it is there."""

    def count(self, name: str) -> int:
        """How many rows a table has."""

    def stamps(self, name: str, keys: Sequence[str] | None = None) -> Iterator[tuple[list[str], NDArray[np.int64]]]:
        """The rows with these keys, or all: batches of keys and stamps, in any order; keys of no row are left out."""

    def put(self, name: str, rows: Rows) -> None:
        """Adds rows, and replaces those that have the same key."""

    def remove(self, name: str, keys: Sequence[str]) -> None:
        """Removes the rows with these keys, where they are there."""

    def flush(self, name: str) -> None:
        """Called when much was written, so that the engine can build what makes it fast."""

    def search(self, name: str, vector: Vectors, limit: int, where: RowFilter = EVERYWHERE) -> Hits:
        """The best ``limit`` rows for one vector (of one row); rows that share no dimension with a sparse one are left
        out."""

    def close(self) -> None:
        """Ends the connection."""
