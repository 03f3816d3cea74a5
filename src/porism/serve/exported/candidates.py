"""Exact results from candidates of an engine, whose scores are rounded, late, or sums of a little too much.

An engine is asked for more and more rows until no row that it has not given can be among the best: until the exact
score of the last result is above all that the engine's last score can stand for. Where it gives no more rows at a
time, they are asked for in two halves. So results and ties are those of a search of the index itself.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.index.engine.units import Units
from porism.index.segment import LINE, filter_term
from porism.index.snapshot import FilteredMasks, Masks
from porism.index.strings import Packed
from porism.retrieve.ranking import UnitIds, UnitResults, best_units
from porism.serve.backends.base import EVERYWHERE, Backend, Vectors
from porism.serve.exported.rows import digest_numbers

_MORE = 4
"""How many times as many rows are asked for as before."""

_SLACK = 16


class Located:
    """Finds the units of rows by their keys."""

    def __init__(self, segments: Sequence[Units], parse: Callable[[str], str]) -> None:
        """``parse`` gives the id of a unit in the key of a row."""
        self._segments, self._parse = tuple(segments), parse

    def find(self, keys: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The segment and the number there of the live unit of each key (int32); -1 where there is none."""
        homes = np.full(len(keys), -1, np.int32)
        units = np.full(len(keys), -1, np.int32)
        packed = Packed.of([self._parse(key) for key in keys])
        for number, segment in enumerate(self._segments):
            positions = segment.names.find_packed(packed)
            there = np.flatnonzero(positions >= 0)
            there = there[segment.live[positions[there]]]
            homes[there], units[there] = number, positions[there]
        return homes, units


@dataclass(frozen=True)
class Bound:
    """What the exact score of a row can be, at most, that an engine gives a score: ``scale`` times that, and ``offset``
    more."""

    scale: float = 1.0
    offset: float = 0.0

    def above(self, score: float) -> float:
        """The largest exact score."""
        return score * self.scale + self.offset


class CandidateSearch:
    """Searches of one table of an engine for the best units of a snapshot."""

    def __init__(self, backend: Backend, table: str, located: Located, ids: UnitIds) -> None:
        self.backend, self.table = backend, table
        self._located, self._ids = located, ids

    def best(
        self, vector: Vectors, k: int, bound: Bound,
        exact: Callable[[int, NDArray[np.int32]], NDArray[np.float64]], allowed: Masks | None = None,
    ) -> UnitResults:
        """The best ``k`` units, ties as by id.

        :param bound: for what the engine's scores can stand.
        :param exact: from a segment and units there (int32, increasing) to their exact scores; NaN for no result.
        :raises EngineError: the engine cannot be reached or refuses.
        """
        candidates = Found(self._located, exact, allowed)
        waiting = [EVERYWHERE._replace(filters=pushed(allowed))]
        limit = min(self.backend.most, max(k + _SLACK, k + k // 4))
        while waiting:
            where = waiting.pop()
            while True:
                hits = self.backend.search(self.table, vector, limit, where)
                candidates.add(hits.keys)
                if len(hits.keys) < limit or bound.above(float(hits.scores.min())) < candidates.last_of(k):
                    break
                if limit == self.backend.most:
                    if where.high - where.low > 1:
                        waiting.extend(where.halves())
                    break
                limit = min(self.backend.most, limit * _MORE)
        return best_units(candidates.results(), k, self._ids)


class Found:
    """The units that rows of an engine have named so far, with their exact scores."""

    def __init__(
        self, located: Located, exact: Callable[[int, NDArray[np.int32]], NDArray[np.float64]], allowed: Masks | None
    ) -> None:
        self._located, self._exact, self._allowed = located, exact, allowed
        self._seen: set[tuple[int, int]] = set()
        self._parts: list[UnitResults] = []
        self._scores = np.zeros(0)

    def add(self, keys: Sequence[str]) -> None:
        """Scores the units of rows that were not scored yet."""
        homes, units = self._located.find(keys)
        for segment in np.unique(homes[homes >= 0]).tolist():
            own = np.unique(units[homes == segment])
            if self._allowed is not None:
                own = own[self._allowed[segment][own]]
            new = np.array([unit for unit in own.tolist() if (segment, unit) not in self._seen], np.int32)
            if not len(new):
                continue
            self._seen.update((segment, unit) for unit in new.tolist())
            scores = self._exact(segment, new)
            there = ~np.isnan(scores)
            self._parts.append(UnitResults(np.full(int(there.sum()), segment, np.int32), new[there], scores[there]))
            self._scores = np.concatenate([self._scores, scores[there]])

    def last_of(self, k: int) -> float:
        """The exact score of the ``k``-th best, -inf where there are fewer."""
        if len(self._scores) < k:
            return -np.inf
        return float(np.partition(self._scores, len(self._scores) - k)[len(self._scores) - k])

    def results(self) -> UnitResults:
        """All of them, in any order."""
        if not self._parts:
            return UnitResults(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))
        columns = zip(*self._parts, strict=True)
        return UnitResults(*(np.concatenate(column) for column in columns))


def pushed(allowed: Masks | None) -> tuple[tuple[int, ...], ...]:
    """What the engine can look for of what is allowed: the filters that gave the masks."""
    if not isinstance(allowed, FilteredMasks):
        return ()
    groups: list[tuple[int, ...]] = []
    for key, values in allowed.filters.items():
        if key == LINE:  # the lines of documents change without these
            continue
        wanted = (values,) if isinstance(values, str) else values
        groups.append(tuple(digest_numbers(Packed.of([filter_term(key, value) for value in wanted])).tolist()))
    return tuple(groups)

