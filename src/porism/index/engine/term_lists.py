"""Where the postings of each term are, for a vocabulary of which a search reads no more than its terms.

A vocabulary grows nearly as fast as a collection of formulas does, and a query has a hundred of its terms. So positions
are not kept for all terms: stored are the lengths of their lists, one or two bytes each, and where the first list of
each :data:`GROUP` terms begins. The lengths of a group, added up, give the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.container import Section
from porism.index.engine import term_list_kernels as kernels
from porism.index.engine.term_list_kernels import GROUP, TABLE_WIDTH
from porism.index.strings import offsets
from porism.system.compiled.kernels import address, as_layout

_AT_A_TIME = 1 << 20
"""Terms whose lengths are added up at a time where no positions are stored."""


class Located(NamedTuple):
    """Where m terms are: ``starts`` and ``stops`` (int64, m) of their sparse lists, ``dense`` (int32, m) the number of
    their dense rows, -1 for sparse terms. The list of a dense term is empty."""

    starts: NDArray[np.int64]
    stops: NDArray[np.int64]
    dense: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class TermLists:
    """The lists of V terms, D of them dense, with ``postings`` postings in all sparse lists.

    ``lengths`` (uint8, uint16 or uint32, V) are those of the sparse lists, 0 for dense terms; ``starts`` (int64, one
    for each :data:`GROUP` terms, and the end) is where the first list of each group begins; ``dense_terms`` (int32, D,
    increasing) are the dense terms in the order of their rows.
    """

    lengths: NDArray[np.unsignedinteger]
    starts: NDArray[np.int64]
    dense_terms: NDArray[np.int32]
    postings: int
    guards: Mapping[str, Section] = field(default_factory=dict, compare=False)
    """Sections of ``lengths`` and ``starts`` that were not compared with their checksums."""
    where: str = ""
    """The file of the arrays, for messages; empty where they were computed."""

    def __len__(self) -> int:
        return len(self.lengths)

    @property
    def indptr(self) -> NDArray[np.int64]:
        """Where each list begins, and the end of the last (int64, V + 1); made anew each time."""
        self.require_all()
        return offsets(self.lengths)

    @property
    def dense_of_term(self) -> NDArray[np.int32]:
        """The dense row of each term, -1 for a sparse one (int32, V); made anew each time."""
        rows = np.full(len(self), -1, np.int32)
        rows[self.dense_terms] = np.arange(len(self.dense_terms), dtype=np.int32)
        return rows

    def find(self, terms: NDArray[np.integer]) -> Located:
        """Where the lists of terms are.

        :raises IndexCorrupt: the lengths were changed, or make no sense.
        """
        wanted = as_layout(np.asarray(terms), np.int32)
        self.require(wanted)
        bounds, dense = np.empty(2 * len(wanted), np.int64), np.empty(2 * len(wanted), np.int32)
        places = np.empty(len(wanted), np.int32)
        table = np.array([self.description()], np.int64)
        if not kernels.locate(table, np.zeros(len(wanted), np.int32), wanted, bounds, dense, places):
            raise self.senseless()
        return Located(bounds[::2], bounds[1::2], dense[::2])

    def require(self, terms: NDArray[np.integer]) -> None:
        """Compares what :meth:`find` reads of terms with its checksums, where it was not yet.

        :raises IndexCorrupt: it was changed.
        """
        if self.guards:
            groups = terms.astype(np.int64) // GROUP
            if "list_lengths" in self.guards:
                self.guards["list_lengths"].require(groups * GROUP, np.minimum(groups * GROUP + GROUP, len(self)))
            if "list_starts" in self.guards:
                self.guards["list_starts"].require(groups, groups + 1)

    def require_all(self) -> None:
        """Compares everything with its checksums that was not yet.

        :raises IndexCorrupt: it was changed.
        """
        for section in self.guards.values():
            section.all()

    @property
    def complete(self) -> bool:
        """Whether everything was compared with its checksums."""
        return all(section.complete for section in self.guards.values())

    def senseless(self) -> IndexCorrupt:
        """The error for lists that are not within the postings."""
        return IndexCorrupt(
            "the postings name lists that are not there", where=self.where or None,
            hint="Make it again: porism check --repair.",
        )

    def description(self) -> list[int]:
        """What :func:`~porism.index.engine.term_list_kernels.locate` needs to know, in the order of its columns."""
        return [
            len(self), address(self.lengths), self.lengths.itemsize, address(self.starts), self.postings,
            address(self.dense_terms), len(self.dense_terms),
        ]

    @classmethod
    def of(cls, lengths: NDArray[np.integer], dense_terms: NDArray[np.int32]) -> TermLists:
        """From the lengths (≥ 0) of all lists."""
        most = int(lengths.max(initial=0))
        stored: NDArray[np.unsignedinteger] = lengths.astype(next(
            dtype for dtype in (np.uint8, np.uint16, np.uint32) if most <= np.iinfo(dtype).max
        ))
        starts = group_starts(stored)
        return cls(stored, starts, dense_terms, int(starts[-1]))

    def check(self) -> None:
        """Whether lengths and starts agree, as far as they were compared with their checksums; else each term is looked
        at when it is used.

        :raises IndexCorrupt: they do not, or dense terms are not there.
        """
        terms = self.dense_terms
        if len(terms) and not (
            terms[0] >= 0 and terms[-1] < len(self) and bool((terms[1:] > terms[:-1]).all())
        ):
            raise IndexCorrupt("the postings name terms that are not there", where=self.where or None)
        if "list_starts" in self.guards:
            self.guards["list_starts"].require(np.array([len(self.starts) - 1]), np.array([len(self.starts)]))
        sound = len(self.starts) == -(-len(self) // GROUP) + 1 and int(self.starts[-1]) == self.postings
        if sound and self.complete:
            sound = np.array_equal(self.starts, group_starts(self.lengths))
        if not sound:
            raise self.senseless()


def no_lists() -> list[int]:
    """The description of a channel that has no such lists."""
    return [0] * TABLE_WIDTH


def group_starts(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where the first list of each :data:`GROUP` begins, and the end of the last (int64)."""
    sums = [np.zeros(0, np.int64)]
    for begin in range(0, len(lengths), _AT_A_TIME):
        part = lengths[begin : begin + _AT_A_TIME]
        sums.append(np.add.reduceat(part, np.arange(0, len(part), GROUP), dtype=np.int64))
    return offsets(np.concatenate(sums))
