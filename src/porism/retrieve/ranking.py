"""Merging the results of segments, and looking up their ids."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.index.engine.units import Units
from porism.types import Query

_DECODED_BATCH_SIZE = 32
"""How many times cheaper it is to decode an id as part of its whole segment."""


class Results(NamedTuple):
    """The ranked results of a query: ids of documents (or keys of formulas) and scores (float64), best first."""

    ids: list[str]
    scores: NDArray[np.float64]


class UnitResults(NamedTuple):
    """The ranked results of a query by number, best first, ties by id.

    ``segments`` (int32) are positions in the retriever's segments, ``units`` (int32) are documents or formulas there;
    ``scores`` are float64.
    """

    segments: NDArray[np.int32]
    units: NDArray[np.int32]
    scores: NDArray[np.float64]

    @classmethod
    def none(cls) -> UnitResults:
        """No results."""
        return cls(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))

    @classmethod
    def one(cls, segment: int, unit: int, score: float = 0.0) -> UnitResults:
        """A single result."""
        return cls(np.array([segment], np.int32), np.array([unit], np.int32), np.array([score]))

    @classmethod
    def of_segment(
        cls, segment: int, units: NDArray[np.int32], scores: NDArray[np.float64] | None = None
    ) -> UnitResults:
        """Results that are all in one segment; their scores are 0 unless they are given."""
        return cls(np.full(len(units), segment, np.int32), units, np.zeros(len(units)) if scores is None else scores)

    def joined(self, *others: UnitResults) -> UnitResults:
        """These results and others, one after another."""
        return UnitResults(*map(np.concatenate, zip(self, *others, strict=True)))

    def take(self, chosen: NDArray[Any] | slice) -> UnitResults:
        """The chosen results."""
        return UnitResults(self.segments[chosen], self.units[chosen], self.scores[chosen])

    def first(self, count: int) -> UnitResults:
        """The best ``count`` results."""
        return self.take(slice(count))

    def by_segment(self) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int32]]]:
        """Each segment with results, in order: its number, the positions of its results, and their units."""
        for segment in np.unique(self.segments).tolist():
            positions = np.flatnonzero(self.segments == segment)
            yield segment, positions, self.units[positions]


def unit_numbers(hits: UnitResults) -> NDArray[np.int64]:
    """A unique number (int64) for each unit of all segments."""
    numbers: NDArray[np.int64] = hits.segments.astype(np.int64) << 32 | hits.units
    return numbers


class SegmentHits(NamedTuple):
    """The results of one segment: ``units`` (int32) and their ``scores`` (float64), best first."""

    segment: int
    units: NDArray[np.int32]
    scores: NDArray[np.float64]


class UnitIds:
    """The ids of the units of several segments; decoded ids are cached."""

    def __init__(self, segments: Sequence[Units]) -> None:
        self._by_segment = [_SegmentIds(segment) for segment in segments]

    def take(self, segments: NDArray[np.int32], units: NDArray[np.int32]) -> list[str]:
        """The ids of units, in the order given."""
        if not len(segments):
            return []
        first = int(segments[0])
        if bool((segments == first).all()):
            return cast("list[str]", self._by_segment[first].take(units).tolist())
        ids = np.empty(len(units), object)
        for number in np.unique(segments).tolist():
            mine = segments == number
            ids[mine] = self._by_segment[number].take(units[mine])
        return cast("list[str]", ids.tolist())


class _SegmentIds:
    def __init__(self, segment: Units) -> None:
        self._segment = segment
        self._known: NDArray[np.object_] | None = None
        self._selected = 0
        self._bytes = b""
        self._starts: NDArray[np.int64] | None = None

    def take(self, units: NDArray[np.int32]) -> NDArray[np.object_]:
        if self._known is None:
            self._known = np.empty(self._segment.doc_count, object)
        known = self._known
        ids = known[units]
        nothing: Any = None
        unknown = np.flatnonzero(np.equal(ids, nothing))
        if len(unknown):
            ids[unknown] = known[units[unknown]] = self._decode(units[unknown])
        return ids

    def _decode(self, units: NDArray[np.int32]) -> list[str]:
        if self._starts is None:
            self._selected += len(units)
            if self._selected * _DECODED_BATCH_SIZE < self._segment.doc_count:
                return self._segment.doc_ids(units)
            packed = self._segment.names.packed()
            self._bytes, self._starts = packed.blob.tobytes(), packed.starts
        data = self._bytes
        bounds = zip(self._starts[units].tolist(), self._starts[units + 1].tolist(), strict=True)
        return [data[start:stop].decode("utf-8", "surrogatepass") for start, stop in bounds]


def merge(parts: Sequence[SegmentHits], k: int, ids: UnitIds) -> UnitResults:
    """The best k of all segments, by score and then by descending id."""
    if not parts:
        return UnitResults.none()
    segments = np.repeat(np.array([hits.segment for hits in parts], np.int32), [len(hits.scores) for hits in parts])
    if len(parts) == 1:
        return UnitResults(segments, parts[0].units, parts[0].scores)
    units = np.concatenate([hits.units for hits in parts])
    scores = np.concatenate([hits.scores for hits in parts])
    return best_units(UnitResults(segments, units, scores), k, ids)


def best_units(results: UnitResults, k: int, ids: UnitIds) -> UnitResults:
    """The best k of results in any order, sorted by score and then by descending id."""
    if len(results.scores) > k:
        kth = len(results.scores) - k
        results = results.take(results.scores >= np.partition(results.scores, kth)[kth])
    segments, units, scores = results
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    equal = ranked[1:] == ranked[:-1]
    if bool(equal.any()):  # ids are needed only to order units of equal scores
        level = np.flatnonzero(np.append(equal, False) | np.append(False, equal))
        tied = order[level]
        names = ids.take(segments[tied], units[tied])
        by_id = np.array(sorted(range(len(names)), key=names.__getitem__, reverse=True), np.int64)
        order[level] = tied[by_id[np.argsort(-ranked[level[by_id]], kind="stable")]]
    return results.take(order[:k])


class Searched(NamedTuple):
    """The results (ids and scores, best first) and times in seconds of queries, by query id."""

    results: dict[str, Iterable[tuple[str, float]]]
    seconds: dict[str, float]


def check_depth(k: int) -> None:
    """:raises QueryError: ``k`` is below 1."""
    if k < 1:
        raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")


def distinct_queries(queries: Iterable[Query], k: int) -> list[Query]:
    """The queries of a search for ``k`` results each.

    :raises QueryError: ``k`` is below 1, or two queries have the same id.
    """
    listed = list(queries)
    if len({query.id for query in listed}) < len(listed):
        raise QueryError("two queries have the same id")
    check_depth(k)
    return listed


def search_each(queries: Iterable[Query], k: int, ids: UnitIds, search: Callable[[Query], UnitResults]) -> Searched:
    """Runs ``search`` for each query and looks up the ids.

    :raises QueryError: ``k`` is below 1, or two queries have the same id.
    """
    searched = Searched({}, {})
    for query in distinct_queries(queries, k):
        started = time.perf_counter()
        hits = search(query)
        names = ids.take(hits.segments, hits.units)
        searched.results[query.id] = zip(names, hits.scores.tolist(), strict=True)
        searched.seconds[query.id] = time.perf_counter() - started
    return searched
