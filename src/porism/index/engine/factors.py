"""Channels with stored factors: for weightings that are not a function of frequency and length, and soft matching.

A :class:`FactorChannel` has the factor of each posting twice: by term, rounded to float32, to find candidates; and by
document, exactly, to score them. The cost of an exact score is that of a document's row, so a query expanded to
thousands of similar terms costs little more than a short one. :class:`FrequencyRows` are the rows of a segment,
transposed from its :class:`Postings`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.index.engine import factors_kernels as kernels
from porism.index.engine.impacts import pad
from porism.index.engine.postings import Postings
from porism.system.compiled.kernels import address, as_layout
from porism.system.concurrency.caching import cached_property

WIDTH = 7
"""The length of :meth:`FactorChannel.description`."""

_MIN_SHARE = 2e-7
"""The smallest impact relative to the largest: each occurrence of a term counts a little for candidates."""


@dataclass(frozen=True, eq=False)
class FrequencyRows:
    """The terms of a channel in N documents, each row in the same order of terms in all segments.

    ``indptr`` (int64, N + 1) bounds the rows in ``terms`` (int32, P) and ``frequencies`` (float64, P, > 0).
    """

    indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    frequencies: NDArray[np.float64]

    @cached_property
    def documents(self) -> NDArray[np.int32]:
        """The document of each posting (int32, P)."""
        return np.repeat(np.arange(len(self.indptr) - 1, dtype=np.int32), np.diff(self.indptr))

    def only(self, documents: NDArray[np.bool_]) -> FrequencyRows:
        """The same rows, but empty for documents that are False in ``documents``."""
        if documents.all():
            return self
        kept = documents[self.documents]
        lengths = np.where(documents, np.diff(self.indptr), 0)
        return FrequencyRows(np.concatenate([[0], np.cumsum(lengths)]), self.terms[kept], self.frequencies[kept])

    @classmethod
    def of(cls, postings: Postings, order: NDArray[np.int32]) -> FrequencyRows:
        """Transposes postings; the terms of each row are in the order of ``order``, which lists all terms."""
        postings.require_all()
        padded = pad(postings.tf_table)
        indptr, dense_of_term = postings.lists.indptr, postings.lists.dense_of_term
        source = (
            postings.documents, len(postings.lists), len(postings.lists.dense_terms), address(indptr),
            address(postings.docs), address(postings.sparse_codes), len(postings.sparse_escapes),
            address(postings.sparse_escapes), address(postings.sparse_values), address(dense_of_term),
            address(postings.dense_codes), len(postings.dense_escapes), address(postings.dense_escapes),
            address(postings.dense_values), address(padded), len(padded),
        )
        listed = as_layout(order, np.int32)
        starts = np.zeros(postings.documents + 1, np.int64)
        nothing = np.zeros(0, np.int32), np.zeros(0)
        if not kernels.transpose(*source, starts, *nothing, listed):
            raise postings.invalid()
        if starts[-1] == 0:
            return cls(starts, *nothing)
        terms, frequencies = np.empty(starts[-1], np.int32), np.empty(starts[-1])
        if not kernels.transpose(*source, starts, terms, frequencies, listed):
            raise postings.invalid()
        return cls(starts, terms, frequencies)


@dataclass(frozen=True, eq=False)
class FactorChannel:
    """The factors of a channel's postings in a segment of N documents and V terms, P postings.

    By term: ``indptr`` (int64, V + 1) bounds ``docs`` (int32, P, increasing within a term) and ``impacts`` (float32,
    P, > 0). By document: ``rows`` with ``factors`` (float64, P). The factor of a posting of term t is within
    ``error + lowest[t]`` (float64, V) of its impact. ``summands`` (float64, N) are added to a document's score, times a
    weight of the query, where it is found. ``most_terms`` is the largest number of terms of a document, and ``numbers``
    (int32, V) are the terms' numbers in the channel's dictionary.
    """

    rows: FrequencyRows
    factors: NDArray[np.float64]
    indptr: NDArray[np.int64]
    docs: NDArray[np.int32]
    impacts: NDArray[np.float32]
    lowest: NDArray[np.float64] | None
    peak: float
    error: float
    most_terms: int
    postings: Postings
    numbers: NDArray[np.int32]
    summands: NDArray[np.float64] | None = None

    shift = 0.0
    step = 1.0

    @classmethod
    def of(
        cls, postings: Postings, rows: FrequencyRows, factors: NDArray[np.float64], numbers: NDArray[np.int32],
        summands: NDArray[np.float64] | None = None,
    ) -> FactorChannel:
        """From the exact ``factors`` (finite) of the rows."""
        exact = as_layout(factors, np.float64)
        vocabulary = len(postings.lists)
        peak = float(exact.max(initial=0.0)) or 1.0
        least = peak * _MIN_SHARE
        indptr = np.zeros(vocabulary + 1, np.int64)
        cursor, lowest = np.zeros(vocabulary, np.int64), np.zeros(vocabulary)
        docs, impacts = np.zeros(0, np.int32), np.zeros(0, np.float32)
        source = rows.indptr, rows.terms, exact, least, indptr, cursor
        kernels.invert(*source, docs, impacts, lowest)
        if len(exact):
            docs, impacts = np.empty(len(exact), np.int32), np.empty(len(exact), np.float32)
            kernels.invert(*source, docs, impacts, lowest)
        return cls(
            rows, exact, indptr, docs, impacts, lowest if bool((lowest > least).any()) else None, peak,
            least + peak * 1.2e-7, int(np.diff(rows.indptr).max(initial=0)), postings, numbers, summands,
        )

    @property
    def vocabulary(self) -> int:
        """V."""
        return len(self.postings.lists)

    def factor(self, term: int, document: int) -> float:
        """The exact factor of a term in a document; 0 if it does not occur."""
        start, stop = int(self.rows.indptr[document]), int(self.rows.indptr[document + 1])
        places = np.flatnonzero(self.rows.terms[start:stop] == term)
        return float(self.factors[start + int(places[0])]) if len(places) else 0.0

    def description(self) -> list[int]:
        """The addresses that kernels take, in the order of their columns."""
        return [
            address(self.indptr), address(self.docs), address(self.impacts), address(self.lowest),
            address(self.rows.indptr), address(self.rows.terms), address(self.factors),
        ]
