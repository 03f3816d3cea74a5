"""Finds the postings lists of terms without reading more of a vocabulary than a query needs.

The vocabulary of formulas grows nearly as fast as a collection, and a query has a hundred terms. So the start of a list
is not stored for each term: only the lengths of the lists, one or two bytes each, and the start of the first list of
each :data:`GROUP` terms. Adding the lengths of a group gives the other starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.container import ContainerSection
from porism.index.engine import term_list_kernels as kernels
from porism.index.engine.term_list_kernels import GROUP, TABLE_WIDTH
from porism.index.strings import offsets
from porism.system.compiled.kernels import address, as_layout

_AT_A_TIME = 1 << 20
"""Terms whose lengths are added at a time where no starts are stored."""


class TermListBounds(NamedTuple):
    """The bounds ``starts`` and ``stops`` (int64) of the sparse lists of some terms, and their ``dense`` rows (int32).

    The list of a dense term is empty; the dense row of a sparse term is -1.
    """

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    dense: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TermLists:
    """The lists of V terms, D of them dense, with ``postings`` postings in all sparse lists.

    ``lengths`` (uint8, uint16 or uint32, V) are the lengths of the sparse lists, 0 for dense terms. ``starts`` (int64)
    has the start of each :data:`GROUP` terms, and the end. ``dense_terms`` (int32, D, increasing) are in the order of
    their rows.
    """

    lengths: NDArray[np.unsignedinteger]
    starts: NDArray[np.int64]
    dense_terms: NDArray[np.int32]
    postings: int
    guards: Mapping[str, ContainerSection] = field(default_factory=dict, compare=False)
    """Sections of ``lengths`` and ``starts`` that have not been compared with their checksums."""
    where: str = ""
    """The file of the arrays, for messages; empty if they were computed."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def indptr(self) -> NDArray[np.int64]:
        """The bounds of all lists (int64, V + 1); computed at each call."""
        self.require_all()
        return offsets(self.lengths)

    @property
    def dense_of_term(self) -> NDArray[np.int32]:
        """The dense row of each term, -1 for a sparse one (int32, V); computed at each call."""
        rows = np.full(len(self), -1, np.int32)
        rows[self.dense_terms] = np.arange(len(self.dense_terms), dtype=np.int32)
        return rows

    def find(self, terms: NDArray[np.integer]) -> TermListBounds:
        """The bounds of the lists of terms."""
        wanted = as_layout(np.asarray(terms), np.int32)
        self.require(wanted)
        bounds, dense = np.empty(2 * len(wanted), np.int64), np.empty(2 * len(wanted), np.int32)
        places = np.empty(len(wanted), np.int32)
        table = np.array([self.description()], np.int64)
        if not kernels.locate(table, np.zeros(len(wanted), np.int32), wanted, bounds, dense, places):
            raise self.invalid()
        return TermListBounds(bounds[::2], bounds[1::2], dense[::2])

    def require(self, terms: NDArray[np.integer]) -> None:
        """Compares the lengths and starts that :meth:`find` reads for these terms with their checksums."""
        if self.guards:
            groups = terms.astype(np.int64) // GROUP
            if "list_lengths" in self.guards:
                self.guards["list_lengths"].require(groups * GROUP, np.minimum(groups * GROUP + GROUP, len(self)))
            if "list_starts" in self.guards:
                self.guards["list_starts"].require(groups, groups + 1)

    def require_all(self) -> None:
        """Compares all lengths and starts with their checksums."""
        for section in self.guards.values():
            section.all()

    @property
    def complete(self) -> bool:
        """Whether everything has been compared with its checksums."""
        return all(section.complete for section in self.guards.values())

    def invalid(self) -> IndexCorrupt:
        """The error for lists outside the postings."""
        return IndexCorrupt(
            "the postings name lists that are not there", where=self.where or None,
            hint="Make it again: porism check --repair.",
        )

    def description(self) -> list[int]:
        """A row of the table that :func:`~porism.index.engine.term_list_kernels.locate` takes."""
        return [
            len(self), address(self.lengths), self.lengths.itemsize, address(self.starts), self.postings,
            address(self.dense_terms), len(self.dense_terms),
        ]

    @classmethod
    def of(cls, lengths: NDArray[np.integer], dense_terms: NDArray[np.int32]) -> TermLists:
        """Takes the lengths (≥ 0) of all lists."""
        most = int(lengths.max(initial=0))
        stored: NDArray[np.unsignedinteger] = lengths.astype(next(
            dtype for dtype in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(dtype).max
        ))
        starts = group_starts(stored)
        return cls(stored, starts, dense_terms, int(starts[-1]))

    def check(self) -> None:
        """Checks the dense terms and, once they are verified, that lengths and starts agree.

        Until then each term is checked when it is used.
        """
        terms = self.dense_terms
        if len(terms) and not (terms[0] >= 0 and terms[-1] < len(self) and bool((terms[1:] > terms[:-1]).all())):
            raise IndexCorrupt("the postings name terms that are not there", where=self.where or None)
        if "list_starts" in self.guards:
            self.guards["list_starts"].require(np.array([len(self.starts) - 1]), np.array([len(self.starts)]))
        sound = len(self.starts) == -(-len(self) // GROUP) + 1 and int(self.starts[-1]) == self.postings
        if sound and self.complete:
            sound = np.array_equal(self.starts, group_starts(self.lengths))
        if not sound:
            raise self.invalid()


def no_lists() -> list[int]:
    """The description of a channel without term lists."""
    return [0] * TABLE_WIDTH


def group_starts(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """The start of each :data:`GROUP` of lists, and the end of the last (int64)."""
    sums = [np.zeros(0, np.int64)]
    for begin in range(0, len(lengths), _AT_A_TIME):
        part = lengths[begin : begin + _AT_A_TIME]
        sums.append(np.add.reduceat(part, np.arange(0, len(part), GROUP), dtype=np.int64))
    return offsets(np.concatenate(sums))
