"""The terms of a channel while a batch of documents is analysed, and the form of a term in an index."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import count

import numpy as np
import xxhash

from porism.analysis.batch import TermMatrix

MAX_TERM_LENGTH = 40
"""Longer terms are cut and get a digest: whole formulas as terms would fill the dictionary."""


def indexed_form(term: str) -> str:
    """The form of a term in an index: a long term is its beginning and its digest."""
    if len(term) <= MAX_TERM_LENGTH:
        return term
    return f"{term[: MAX_TERM_LENGTH - 17]}…{xxhash.xxh3_64_hexdigest(term.encode('utf-8', 'surrogatepass'))}"


def indexed_forms(terms: Iterable[str]) -> list[str]:
    """:func:`indexed_form` of each term."""
    return [term if len(term) <= MAX_TERM_LENGTH else indexed_form(term) for term in terms]


@dataclass
class TermColumns:
    """The terms of a channel while a batch is filled: flat lists of rows and tokens."""

    rows: list[int] = field(default_factory=list)
    lengths: list[int] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)

    def add(self, row: int, terms: list[str]) -> None:
        if terms:
            self.rows.append(row)
            self.lengths.append(len(terms))
            self.tokens.extend(terms)

    def matrix(self, row_count: int) -> TermMatrix:
        vocabulary: defaultdict[str, int] = defaultdict(count().__next__)  # numbers tokens by first appearance
        ids = np.fromiter(map(vocabulary.__getitem__, self.tokens), np.int64, count=len(self.tokens))
        rows = np.repeat(np.asarray(self.rows, np.int64), np.asarray(self.lengths, np.int64))
        cells, counts = np.unique(rows * max(1, len(vocabulary)) + ids, return_counts=True)
        cell_rows, terms = np.divmod(cells, max(1, len(vocabulary)))
        indptr = np.zeros(row_count + 1, np.int64)
        np.cumsum(np.bincount(cell_rows, minlength=row_count), out=indptr[1:])
        return TermMatrix(
            indexed_forms(vocabulary),
            indptr,
            terms.astype(np.int32),
            np.minimum(counts, 65_535).astype(np.uint16),
        )
