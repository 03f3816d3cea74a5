"""The terms of documents, as an index has them: bags for the vectors of documents, and for pairs to train on."""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from porism.index.segment import Segment
from porism.index.strings import offsets, ranges
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.terms import PIECES, ROWS, damped, number_terms

LEFT_OUT = frozenset({"comments"})
"""Fields that say too little of what a document is about."""


class SegmentTerms:
    """The terms that carry meaning in the documents of a segment, numbered through its channels."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self._channels = [name for name in PIECES if name in (*segment.text_channels, *segment.formula_channels)]
        self._dictionaries = [segment.dictionary(name) for name in self._channels]
        self._first = offsets(np.array([len(dictionary) for dictionary in self._dictionaries], np.int64))
        self._matrices = [segment.matrix(name) for name in self._channels]
        self._entries = [segment.entries(name) for name in self._channels]

    def bags(self, documents: NDArray[np.integer], fields: Container[str] | None = None) -> Bags:
        """The terms of documents in some fields (all but :data:`LEFT_OUT` by default), by the roots of their counts."""
        names = self.segment.fields
        read = np.array([name not in LEFT_OUT if fields is None else name in fields for name in names], np.bool_)
        keys, counts = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for first, matrix, entries in zip(self._first.tolist(), self._matrices, self._entries, strict=False):
            sizes = entries.starts[documents + 1] - entries.starts[documents]
            places = ranges(entries.starts[documents], sizes)
            owners = np.repeat(np.arange(len(documents)), sizes)
            kept = read[entries.fields[places]] if len(read) else np.zeros(0, np.bool_)
            csr = matrix.select(entries.rows[places[kept]])
            owners = np.repeat(owners[kept], np.diff(csr.indptr))
            keys.append(owners * self._first[-1] + first + csr.terms)
            counts.append(csr.counts.astype(np.int64))
        distinct, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        total = np.bincount(inverse, np.concatenate(counts), len(distinct))
        owners, terms = np.divmod(distinct, max(1, self._first[-1]))
        return Bags(offsets(np.bincount(owners, minlength=len(documents))), terms.astype(np.int32), damped(total))

    def rows(self, terms: NDArray[np.integer], rows: int = ROWS) -> Bags:
        """The rows of a table of each term, given by increasing numbers."""
        bounds = np.searchsorted(terms, self._first)
        joined = Bags.none()
        for number, (name, dictionary) in enumerate(zip(self._channels, self._dictionaries, strict=True)):
            of_channel = terms[bounds[number] : bounds[number + 1]] - self._first[number]
            joined = joined.followed_by(number_terms(name, dictionary.select(of_channel), rows))
        return joined
