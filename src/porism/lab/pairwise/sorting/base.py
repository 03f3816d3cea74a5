"""What a sorting is: it asks for batches of comparisons until it knows an order; many queries are sorted in step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import FormatError
from porism.lab.pairwise.scores import Floats, PairwiseScores
from porism.settings import SettingError, Settings

Places = NDArray[np.int64]

Sorts = Generator[Places, Floats, Places]
"""Yields pairs of candidates (int64 [n, 2], distinct, n > 0), gets how far the first of each is preferred (float64 [n],
from 0 to 1), and returns all candidates, the best first (int64 [k])."""

Compare = Callable[[Places], Floats]
"""Ordered pairs as rows of query, first and second (int64 [n, 3]) → P(first > second) of each (float64 [n])."""


@dataclass(frozen=True, slots=True)
class Sorting(Settings, ABC):
    """A way of sorting the candidates of a query, which come in the order of the stage before.

    :param both: whether a model reads each pair in both orders. Then the preference is the mean of pᵢⱼ and 1 - pⱼᵢ, and
        a comparison costs two of the model's. Otherwise the candidate that was ranked higher is read first.
    """

    name: ClassVar[str]
    """What the method is called."""

    both: bool = True

    @abstractmethod
    def sort(self, count: int) -> Sorts:
        """Sorts so many candidates, numbered from 0 in the order of the stage before."""


class Sorted(NamedTuple):
    """The candidates of one query, sorted.

    :param order: all candidates, the best first (int64 [k]).
    :param comparisons: how many ordered pairs the model read.
    :param rounds: in how many batches, one after the other.
    """

    order: Places
    comparisons: int
    rounds: int


def sort_together(sorting: Sorting, counts: Sequence[int], compare: Compare) -> list[Sorted]:
    """Sorts the candidates of several queries in step: what all of them ask at one time is one batch.

    :param counts: how many candidates each query has.
    :raises FormatError: a preference is not a number from 0 to 1.
    """
    running = {query: sorting.sort(count) for query, count in enumerate(counts) if count > 1}
    orders: dict[int, Places] = {query: np.arange(count) for query, count in enumerate(counts)}
    comparisons, rounds = [0] * len(counts), [0] * len(counts)
    asked: dict[int, Places] = {}
    for query, sort in list(running.items()):
        _advance(sort, None, query, asked, orders)
    while asked:
        ordered = [
            np.column_stack([np.full(len(pairs), query), pairs.min(1), pairs.max(1)]) for query, pairs in asked.items()
        ]
        one_way = np.concatenate(ordered)
        rows = np.concatenate([one_way, one_way[:, [0, 2, 1]]]) if sorting.both else one_way
        answers = np.asarray(compare(rows), np.float64)
        if answers.shape != (len(rows),) or not ((answers >= 0) & (answers <= 1)).all():
            raise FormatError(f"{len(rows):,} comparisons have no probability each", where=sorting.name)
        higher_first = (answers[: len(one_way)] + 1.0 - answers[len(one_way) :]) / 2 if sorting.both else answers
        start = 0
        answered, asked = asked, {}
        for query, pairs in answered.items():
            of_query = higher_first[start : start + len(pairs)]
            start += len(pairs)
            comparisons[query] += len(pairs) * (2 if sorting.both else 1)
            rounds[query] += 1
            preferred = np.where(pairs[:, 0] < pairs[:, 1], of_query, 1.0 - of_query)
            _advance(running[query], preferred, query, asked, orders)
    return [Sorted(orders[query], comparisons[query], rounds[query]) for query in range(len(counts))]


def expected_comparisons(sorting: Sorting, counts: Sequence[int]) -> int:
    """How many ordered pairs a model reads to sort the candidates of several queries, where it agrees with the stage
    before. They are those of ``sliding`` and ``active`` whatever it says, of ``heap`` about so many.

    :param counts: how many candidates each query has.
    """
    queries = Counter(counts)
    results = sort_together(sorting, list(queries), lambda rows: (rows[:, 1] < rows[:, 2]).astype(np.float64))
    return sum(result.comparisons * times for result, times in zip(results, queries.values(), strict=True))


def _advance(
    sort: Sorts, preferred: Floats | None, query: int, asked: dict[int, Places], orders: dict[int, Places]
) -> None:
    """Lets a query go on to what it asks next, or to its order."""
    try:
        asked[query] = next(sort) if preferred is None else sort.send(preferred)
    except StopIteration as done:
        orders[query] = done.value


def by_scores(pairs: Sequence[PairwiseScores]) -> Compare:
    """Comparisons that are looked up among pairwise scores that are known; a pair without a score is 1/2."""

    def compare(rows: Places) -> Floats:
        scores = np.array([pairs[query].matrix[first, second] for query, first, second in rows.tolist()], np.float64)
        return np.where(np.isnan(scores), 0.5, scores)

    return compare


def check_whole(value: int, name: str) -> None:
    """Refuses a parameter below 1.

    :raises SettingError: it is.
    """
    if value < 1:
        raise SettingError(f"{name} cannot be {value}", path=(name,), hint="At least 1.")
