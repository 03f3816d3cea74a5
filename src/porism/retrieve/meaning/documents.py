"""The terms of documents, as an index has them: bags for the vectors of documents, and for pairs to train on.

A document has two views, and a vector for each: what says what it is about, as its title or a question, and the rest.
A question is as near to it as to the nearer one. Compared with one vector of all its terms that is worth +0.008 on
synonyms of PlanetMath, +0.002 on ARQMath 2021, and within ±0.002 elsewhere.
"""

from __future__ import annotations

from collections.abc import Container

import numpy as np
from numpy.typing import NDArray

from porism.index.segment import Segment
from porism.index.strings import offsets, ranges
from porism.index.vectors import ComputedRows
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.table import MeaningTable
from porism.retrieve.meaning.terms import PIECES, ROWS, damped, number_terms

LEFT_OUT = frozenset({"comments"})
"""Fields that say too little of what a document is about."""

PROOF = frozenset({"proof"})
"""A proof is paired with what it proves, and in no view: it says how, not what."""

SUBJECT = frozenset({"title", "aliases", "question", "labels", "section", "spoken", "tags"})
"""Fields that say what a document is about; the others are a view of their own."""


class SegmentTerms:
    """The terms that carry meaning in the documents of a segment, numbered through its channels."""

    def __init__(self, segment: Segment) -> None:
        self.segment = segment
        self._channels = [name for name in PIECES if name in (*segment.text_channels, *segment.formula_channels)]
        self._dictionaries = [segment.dictionary(name) for name in self._channels]
        self._first = offsets(np.array([len(dictionary) for dictionary in self._dictionaries], np.int64))
        self._matrices = [segment.matrix(name) for name in self._channels]
        self._entries = [segment.entries(name) for name in self._channels]

    def bags(self, documents: NDArray[np.integer], fields: Container[str]) -> Bags:
        """The terms of documents in some fields, by the roots of their counts."""
        read = np.array([name in fields for name in self.segment.fields], np.bool_)
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

    def names(self, terms: NDArray[np.integer]) -> list[str]:
        """The channels and terms of numbers, such as ``words: group``."""
        channels = np.searchsorted(self._first, terms, "right") - 1
        of_channels = zip(channels.tolist(), (terms - self._first[channels]).tolist(), strict=True)
        return [f"{self._channels[channel]}: {self._dictionaries[channel].term(term)}" for channel, term in of_channels]

    @property
    def views(self) -> tuple[set[str], set[str]]:
        """The fields of both views of a document."""
        fields = set(self.segment.fields) - LEFT_OUT
        return fields & SUBJECT, fields - SUBJECT - PROOF

    def vectors(self, documents: NDArray[np.integer], table: MeaningTable) -> ComputedRows:
        """The vectors of documents, of length 1 (float32): one for each view that has terms."""
        of_views = []
        for view in self.views:
            bags = self.bags(documents, view)
            distinct = np.unique(bags.terms)
            of_views.append(table.vectors(bags.renumbered(distinct), self.rows(distinct, len(table))))
        vectors = np.stack(of_views, axis=1)
        has_terms = vectors.any(axis=2)
        return ComputedRows(vectors[has_terms], has_terms.sum(axis=1))
