"""The postings of a channel: the documents of each term, and its weighted frequency in each.

For given field weights, :class:`Postings` hold the exact weighted frequency of each term in each document and the
weighted length of each document. Both are codes into tables of their few distinct values. A term that occurs in more
than one of :data:`DENSE_SHARE` documents is *dense*: it has a cell for every document. All others are *sparse*: a list
of documents in order, with a code each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.columns import within
from porism.index.container import Container, ContainerSection
from porism.index.engine import postings_kernels as kernels
from porism.index.engine.compact import SPARED, STORED, are_counts, compact, expand
from porism.index.engine.term_lists import TermListBounds, TermLists, group_starts
from porism.index.rows import Entries
from porism.system.compiled.kernels import address, as_layout
from porism.system.concurrency.caching import cached_property

DENSE_SHARE = 5
"""A term is dense when it occurs in more than one of this many documents; earlier versions stored more dense terms."""

DENSE_AT_LEAST = 64
"""… and in at least this many."""

_GUARDED = ("docs", "sparse_codes", "dense_codes", "list_lengths", "list_starts")
"""Arrays from which a search reads only what its terms or the documents it scores need."""

_REPAIR = "Make it again: porism check --repair."

_ARRAYS: Mapping[str, Any] = {
    "docs": np.int32, "sparse_codes": np.uint8, "sparse_escapes": np.int64, "sparse_values": np.int32,
    "dense_codes": np.uint8, "dense_escapes": np.int64, "dense_values": np.int32, "tf_table": np.float64,
    "length_codes": np.int32, "length_table": np.float64,
}

_SPARED: Mapping[str, Any] = {"list_starts": np.int64, "dense_df": np.int32, "length_counts": np.int64}

_LIST_LENGTHS = (np.uint8, np.uint16, np.uint32)


@dataclass(frozen=True, eq=False)
class Postings:
    """The postings of one channel of N documents and V terms, P of them sparse and D dense terms.

    ``lists`` bound each term's part of ``docs`` (int32, P, increasing within a term) and ``sparse_codes`` (uint8, P),
    and number the dense terms. ``dense_codes`` (uint8, N × D) has a row for each document. ``length_codes`` (int32, N)
    index ``length_table`` (float64, increasing).

    A code indexes ``tf_table`` (float64; 0 is "does not occur"). Code 255 is an escape: the index is in
    ``sparse_values`` or ``dense_values`` (int32), where ``sparse_escapes`` or ``dense_escapes`` (int64, increasing) has
    the position of the code.
    """

    lists: TermLists
    docs: NDArray[np.int32]
    sparse_codes: NDArray[np.uint8]
    sparse_escapes: NDArray[np.int64]
    sparse_values: NDArray[np.int32]
    dense_codes: NDArray[np.uint8]
    dense_escapes: NDArray[np.int64]
    dense_values: NDArray[np.int32]
    tf_table: NDArray[np.float64]
    length_codes: NDArray[np.int32]
    length_table: NDArray[np.float64]
    guards: Mapping[str, ContainerSection] = field(default_factory=dict, compare=False)
    """Sections that have not been compared with their checksums: :meth:`require` parts before reading them."""
    where: str = ""
    """The file of the arrays, for messages; empty if they were computed."""
    stored_dense_df: NDArray[np.int32] | None = field(default=None, compare=False)
    """The document frequency of each dense term (int32, D), if stored."""
    stored_length_counts: NDArray[np.int64] | None = field(default=None, compare=False)
    """The number of documents of each length (int64), if stored."""

    @property
    def documents(self) -> int:
        """N."""
        return len(self.length_codes)

    @property
    def complete(self) -> bool:
        """Whether everything has been compared with its checksums."""
        return self.lists.complete and all(section.complete for section in self.guards.values())

    def require(self, located: TermListBounds) -> None:
        """Compares sparse lists with their checksums."""
        for name in ("docs", "sparse_codes"):
            if name in self.guards:
                self.guards[name].require(located.starts, located.stops)

    def require_documents(self, documents: NDArray[np.integer]) -> None:
        """Compares the dense codes of documents with their checksums."""
        if "dense_codes" in self.guards:
            first = documents.astype(np.int64) * len(self.lists.dense_terms)
            self.guards["dense_codes"].require(first, first + len(self.lists.dense_terms))

    def require_all(self) -> None:
        """Compares everything with its checksums."""
        self.lists.require_all()
        for section in self.guards.values():
            section.all()

    @cached_property
    def dense_df(self) -> NDArray[np.int32]:
        """The document frequency of each dense term (int32, D)."""
        if self.stored_dense_df is not None:
            return self.stored_dense_df
        if "dense_codes" in self.guards:
            self.guards["dense_codes"].all()
        cells = self.dense_codes.reshape(self.documents, len(self.lists.dense_terms))
        counts: NDArray[np.int32] = np.count_nonzero(cells, axis=0).astype(np.int32)
        return counts

    @property
    def df(self) -> NDArray[np.int32]:
        """The document frequency of each term (int32, V); computed at each call."""
        self.lists.require_all()
        df: NDArray[np.int32] = self.lists.lengths.astype(np.int32)
        df[self.lists.dense_terms] = self.dense_df
        return df

    def df_of(self, terms: NDArray[np.integer]) -> NDArray[np.int32]:
        """The document frequencies of terms (int32)."""
        return self.df_at(self.lists.find(terms))

    def df_at(self, located: TermListBounds) -> NDArray[np.int32]:
        """The document frequencies of terms whose lists are located (int32)."""
        df = (located.stops - located.starts).astype(np.int32)
        dense = located.dense >= 0
        df[dense] = self.dense_df[located.dense[dense]]
        return df

    def documents_of(self, term: int) -> NDArray[np.int32]:
        """The documents that have a term (int32, increasing)."""
        located = self.lists.find(np.array([term]))
        row = int(located.dense[0])
        if row >= 0:
            self.require_documents(np.arange(self.documents))
            return np.flatnonzero(self.dense_codes.reshape(self.documents, -1)[:, row]).astype(np.int32)
        self.require(located)
        return self.docs[located.starts[0] : located.stops[0]]

    def live_df(self, live: NDArray[np.bool_]) -> NDArray[np.int32]:
        """The document frequency of each term among live documents (int32, V); ``live`` has one element a document."""
        if live.all():
            return self.df
        self.require_all()
        gone = np.zeros(len(self.lists), np.int32)
        mask, indptr = as_layout(live, np.bool_), self.lists.indptr
        if not kernels.count_gone(
            self.documents, len(self.lists), len(self.lists.dense_terms), address(indptr), address(self.docs),
            address(self.dense_codes), address(self.lists.dense_terms), len(self.docs), address(mask), gone,
        ):
            raise self.invalid()
        return self.df - gone

    def invalid(self) -> IndexCorrupt:
        """The error for postings with invalid numbers, whether or not they have changed."""
        reason = "the postings name documents or frequencies that are not there"
        return IndexCorrupt(reason, where=self.where or None, hint=_REPAIR)

    def length_counts(self, live: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """The number of (live) documents of each length in ``length_table`` (int64)."""
        stored, lengths = self.stored_length_counts, len(self.length_table)
        if stored is None:
            codes = self.length_codes if live is None else self.length_codes[live]
            return np.bincount(codes, minlength=lengths).astype(np.int64)
        gone = np.zeros(0, np.int64) if live is None else np.flatnonzero(~live)
        left = stored - np.bincount(self.length_codes[gone], minlength=lengths) if len(gone) else stored
        if (left < 0).any():
            raise self.invalid()
        return left

    def frequency(self, term: int, document: int) -> float:
        """The weighted frequency of a term in a document, 0 where it does not occur."""
        return float(self.tf_table[self.frequency_index(term, document)])

    def frequency_index(self, term: int, document: int) -> int:
        """The position in ``tf_table`` of the frequency of a term in a document; 0 where it does not occur."""
        located = self.lists.find(np.array([term]))
        row = int(located.dense[0])
        if row >= 0:
            self.require_documents(np.array([document]))
            position = document * len(self.lists.dense_terms) + row
            code, escapes, values = int(self.dense_codes[position]), self.dense_escapes, self.dense_values
        else:
            self.require(located)
            start, stop = int(located.starts[0]), int(located.stops[0])
            position = start + int(np.searchsorted(self.docs[start:stop], document))
            if position == stop or self.docs[position] != document:
                return 0
            code, escapes, values = int(self.sparse_codes[position]), self.sparse_escapes, self.sparse_values
        if code == kernels.ESCAPE:
            place = int(np.searchsorted(escapes, position))
            code = int(values[place]) if place < len(values) else 0
        return code if code < len(self.tf_table) else 0

    def length(self, document: int) -> float:
        return float(self.length_table[self.length_codes[document]])

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The stored arrays (:mod:`porism.index.engine.compact`) by name; :meth:`from_arrays` is the inverse."""
        self.require_all()
        return compact({
            **{name: getattr(self, name) for name in _ARRAYS}, "list_lengths": self.lists.lengths,
            "list_starts": self.lists.starts, "dense_terms": self.lists.dense_terms, "dense_df": self.dense_df,
            "length_counts": self.length_counts(),
        })

    @classmethod
    def from_arrays(cls, stored: Mapping[str, NDArray[Any]]) -> Postings:
        """Postings over stored arrays, which may be memory-mapped."""
        return cls._of(expand(stored), {}, "")

    @classmethod
    def open(cls, derived: Container) -> Postings:
        """Postings in a file of derived data; searches read only the parts they need."""
        guards = {name: derived.section(name) for name in _GUARDED if name in derived}
        stored = {name: derived.array(name) for name in (*STORED, *SPARED) if name in derived and name not in guards}
        for name, section in guards.items():
            as_read = name not in _ARRAYS or section.array.dtype == np.dtype(_ARRAYS[name])
            stored[name] = section.array if as_read else section.all()
        waiting = {name: section for name, section in guards.items() if not section.complete}
        if "list_starts" not in stored and "list_lengths" in waiting:
            waiting.pop("list_lengths").all()
        arrays = expand(stored)
        for name, array in stored.items():
            if not np.may_share_memory(arrays[name], array):
                derived.unload(name)
        return cls._of(arrays, waiting, str(derived.path))

    @classmethod
    def _of(cls, arrays: Mapping[str, NDArray[Any]], guards: Mapping[str, ContainerSection], where: str) -> Postings:
        lengths, dense_terms = arrays["list_lengths"], arrays["dense_terms"]
        starts, dense_df, length_counts = (arrays.get(name) for name in _SPARED)
        if (
            any(arrays[name].dtype != np.dtype(dtype) for name, dtype in _ARRAYS.items())
            or lengths.dtype not in _LIST_LENGTHS or dense_terms.dtype != np.int32
            or any(arrays[name].dtype != np.dtype(dtype) for name, dtype in _SPARED.items() if name in arrays)
        ):
            raise IndexCorrupt("the postings' arrays are of other types")
        columns = {name: as_layout(arrays[name], dtype).reshape(-1) for name, dtype in _ARRAYS.items()}
        lists = TermLists(
            as_layout(lengths, lengths.dtype), group_starts(lengths) if starts is None else as_layout(starts, np.int64),
            as_layout(dense_terms, np.int32), len(columns["docs"]),
            {name: section for name, section in guards.items() if name in ("list_lengths", "list_starts")}, where,
        )
        lists.check()
        postings = cls(
            lists, **columns, guards={name: guards[name] for name in guards if name in columns}, where=where,
            stored_dense_df=dense_df, stored_length_counts=length_counts,
        )
        postings._check()
        return postings

    def _check(self) -> None:
        """Checks what keeps kernels within the arrays, without reading all postings.

        Kernels accept any documents and one-byte codes, so these are not checked.
        """
        dense = len(self.lists.dense_terms)
        sound = (
            len(self.docs) == len(self.sparse_codes)
            and len(self.dense_codes) == self.documents * dense
            and are_counts(self.stored_dense_df, dense, self.documents)
            and are_counts(self.stored_length_counts, len(self.length_table), self.documents)
            and (self.stored_length_counts is None or int(self.stored_length_counts.sum()) == self.documents)
            and len(self.sparse_escapes) == len(self.sparse_values)
            and len(self.dense_escapes) == len(self.dense_values)
            and len(self.tf_table) > 0
            and bool(np.isfinite(self.tf_table).all() and (self.tf_table >= 0).all())
            and bool(np.isfinite(self.length_table).all() and (self.length_table >= 0).all())
            and within(self.length_codes, 0, len(self.length_table))
            and within(self.sparse_values, 0, len(self.tf_table))
            and within(self.dense_values, 0, len(self.tf_table))
        )
        if not sound:
            raise IndexCorrupt("the sizes of the postings' arrays do not fit together")

    @classmethod
    def build(
        cls, indptr: NDArray[np.int64], terms: NDArray[np.int32], counts: NDArray[np.uint8] | NDArray[np.uint16],
        vocabulary: int, entries: Entries, field_weights: Sequence[tuple[int, float]], *,
        dense_at_least: int = DENSE_AT_LEAST,
    ) -> Postings:
        """Inverts a term matrix (``indptr``, ``terms``, ``counts``), whose rows ``entries`` assigns to documents.

        ``field_weights`` are (field number, weight); weighted counts are added in this order. Fields of weight 0 and
        unlisted fields do not count.
        """
        wide = counts.dtype != np.uint8
        matrix = (
            as_layout(entries.starts, np.int64), as_layout(entries.rows, np.int64),
            as_layout(entries.fields, np.uint16), as_layout(indptr, np.int64), as_layout(terms, np.int32),
            as_layout(counts, np.uint16 if wide else np.uint8),
        )
        documents = len(entries.starts) - 1
        used = [(number, weight) for number, weight in field_weights if weight > 0]
        source = (
            documents, len(entries.rows), *(address(array) for array in matrix), wide,
            np.array([number for number, _ in used], np.int64), np.array([weight for _, weight in used], np.float64),
        )
        df = np.zeros(vocabulary, np.int32)
        lengths = np.zeros(documents, np.float64)
        keys, uses = _count(source, df, lengths)

        # the most common frequencies get the one-byte codes
        slots = np.flatnonzero(keys)
        slots = slots[np.lexsort((keys[slots], -uses[slots]))]
        value_of_slot = np.zeros(len(keys), np.int32)
        value_of_slot[slots] = np.arange(1, len(slots) + 1)
        tf_table = np.concatenate([[0.0], keys[slots]])
        escaped = int(uses[slots[kernels.ESCAPE - 1 :]].sum())

        dense = (df.astype(np.int64) * DENSE_SHARE > documents) & (df >= dense_at_least)
        dense_count = int(dense.sum())
        dense_of_term = np.where(dense, np.cumsum(dense) - 1, -1).astype(np.int32)
        sparse_indptr = np.zeros(vocabulary + 1, np.int64)
        np.cumsum(np.where(dense, 0, df), out=sparse_indptr[1:])
        docs = np.empty(int(sparse_indptr[-1]), np.int32)
        sparse_codes = np.empty(len(docs), np.uint8)
        dense_codes = np.zeros(documents * dense_count, np.uint8)
        sparse_escapes, dense_escapes = np.empty(escaped, np.int64), np.empty(escaped, np.int64)
        sparse_values, dense_values = np.empty(escaped, np.int32), np.empty(escaped, np.int32)
        sparse_exceptions, dense_exceptions = kernels.place_postings(
            *source, keys, value_of_slot, dense_of_term, sparse_indptr[:-1].copy(), docs, sparse_codes, dense_codes,
            dense_count, sparse_escapes, sparse_values, dense_escapes, dense_values,
        )
        length_table, length_codes = np.unique(lengths, return_inverse=True)
        by_place = np.argsort(sparse_escapes[:sparse_exceptions])
        by_cell = np.argsort(dense_escapes[:dense_exceptions])
        return cls(
            TermLists.of(np.diff(sparse_indptr), np.flatnonzero(dense).astype(np.int32)), docs, sparse_codes,
            sparse_escapes[by_place], sparse_values[by_place], dense_codes, dense_escapes[by_cell],
            dense_values[by_cell], tf_table, length_codes.astype(np.int32).reshape(-1), length_table,
        )


def _count(
    source: tuple[Any, ...], df: NDArray[np.int32], lengths: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Runs the first pass with a large enough table of frequencies; returns its keys and their uses."""
    size = 1 << 14
    while True:
        keys, uses = np.zeros(size, np.float64), np.zeros(size, np.int64)
        df[:] = 0
        if kernels.count_postings(*source, df, lengths, keys, uses) >= 0:
            return keys, uses
        size *= 8
