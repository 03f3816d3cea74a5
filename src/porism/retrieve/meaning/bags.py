"""Bags of terms: the terms of texts by number, each with a weight, in compressed sparse rows; and sums of rows."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from porism.index.strings import offsets, ranges
from porism.retrieve.meaning.sum_kernels import turn_bags
from porism.retrieve.meaning.training_kernels import add_up_bags
from porism.system.compiled.building import cores
from porism.system.compiled.kernels import address


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Rows of terms: ``starts`` (int64, rows + 1), ``terms`` (int32, from 0) and ``weights`` (float32)."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: NDArray[np.float32]

    def __post_init__(self) -> None:
        for name, dtype in (("starts", np.int64), ("terms", np.int32), ("weights", np.float32)):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype))
        sound = len(self.starts) > 0 and self.starts[0] == 0 and bool((np.diff(self.starts) >= 0).all())
        if not sound or not int(self.starts[-1]) == len(self.terms) == len(self.weights):
            raise ValueError("the rows of the bags do not fit their terms and weights")
        if len(self.terms) and int(self.terms.min()) < 0:
            raise ValueError("a bag has a term below 0")

    @classmethod
    def none(cls) -> Self:
        """No bag."""
        return cls(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def width(self) -> int:
        """One more than the highest term: so many rows a table needs."""
        return int(self.terms.max(initial=-1)) + 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of entries of each row."""
        return np.diff(self.starts)

    def take(self, rows: NDArray[np.integer]) -> Self:
        """The rows at these positions, in the order given."""
        begins, sizes = self.starts[rows], self.sizes[rows]
        source = ranges(begins, sizes)
        return type(self)(offsets(sizes), self.terms[source], self.weights[source])

    def renumbered(self, known: NDArray[np.integer], first: int = 0) -> Self:
        """The bags with the positions of their terms among known ones, which increase, and more by ``first``."""
        return type(self)(self.starts, (np.searchsorted(known, self.terms) + first).astype(np.int32), self.weights)

    def followed_by(self, other: Bags) -> Self:
        """These rows, then those of another."""
        starts = np.concatenate([self.starts, other.starts[1:] + self.starts[-1]])
        return type(self)(
            starts, np.concatenate([self.terms, other.terms]), np.concatenate([self.weights, other.weights])
        )

    def turned(self, slots: NDArray[np.int32] | None = None) -> TurnedBags:
        """The distinct terms, and the bags of each.

        :param slots: zeros (int32), one for each term there can be; they are left as they were.
        """
        count = len(self.terms)
        slots = np.zeros(self.width, np.int32) if slots is None else slots
        distinct, slot_of, bag_of = np.empty((3, count), np.int32)
        bounds, weights = np.empty(count + 1, np.int64), np.empty(count, np.float32)
        terms = turn_bags(
            len(self), address(self.starts), address(self.terms), address(self.weights), address(slots),
            address(distinct), address(slot_of), address(bounds), address(bag_of), address(weights),
        )
        return TurnedBags(
            distinct[:terms], Bags(self.starts, slot_of, self.weights), Bags(bounds[: terms + 1], bag_of, weights)
        )


class TurnedBags(NamedTuple):
    """The ``distinct`` terms (int32) of some bags; the bags with ``positions`` in it as terms; and for each distinct
    term a bag ``of_terms``, with the numbers of the bags that have it."""

    distinct: NDArray[np.int32]
    positions: Bags
    of_terms: Bags


def add_up(
    bags: Bags, table: NDArray[np.float32], threads: ThreadPoolExecutor | None = None
) -> NDArray[np.float32]:
    """The weighted sum of the rows of each bag's terms (float32, bags × dimensions)."""
    vectors = np.empty((len(bags), table.shape[1]), np.float32)
    arrays = (
        address(bags.starts), address(bags.terms), address(bags.weights), address(table), table.shape[1],
        address(vectors),
    )
    share(lambda first, last: add_up_bags(first, last, *arrays), bags, threads)
    return vectors


def share(work: Callable[[int, int], None], bags: Bags, threads: ThreadPoolExecutor | None) -> None:
    """Does the work on ranges of bags with about as many entries each, in threads."""
    if threads is None:
        work(0, len(bags))
        return
    ends = np.searchsorted(bags.starts, np.linspace(0, bags.starts[-1], cores() + 1)).tolist()
    ends[-1] = len(bags)
    for task in [threads.submit(work, first, last) for first, last in pairwise(ends)]:
        task.result()
