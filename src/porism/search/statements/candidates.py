"""Digests of many statements or formulas, in little memory, and which of them are equal."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

import numpy as np

_LOW = 0xFFFF_FFFF_FFFF_FFFF


class Entry(NamedTuple):
    """Where a statement or formula is: the number of its segment, and its own there."""

    segment: int
    number: int


class Candidates:
    """Digests of statements or formulas, 32 bytes each."""

    def __init__(self) -> None:
        self._columns = (array("Q"), array("Q"), array("q"), array("q"), array("q"))

    def add(self, digest: int, size: int, segment: int, number: int) -> None:
        for column, value in zip(
            self._columns, (digest >> 64, digest & _LOW, size, segment, number), strict=True
        ):
            column.append(value)

    def groups(self) -> Iterator[tuple[int, list[Entry]]]:
        """Entries of one digest, where there are several, with the size of the first."""
        high, low, sizes, segments, numbers = map(np.asarray, self._columns)
        order = np.lexsort((numbers, segments, low, high))
        rows = zip(*(column[order].tolist() for column in (high, low, sizes, segments, numbers)), strict=True)
        for _, group in groupby(rows, key=lambda row: row[:2]):
            entries = list(group)
            if len(entries) > 1:
                yield entries[0][2], [Entry(*row[3:]) for row in entries]
