"""Links: documents gain from threads that are linked with theirs and score well.

The score of a thread is the best score of its candidates, 0 without any. A candidate gains ``weight`` times the mean
score of the threads linked with its own. This is one step of spreading activation over the link graph (Savoy, *Ranking
schemes in hybrid Boolean systems: a new approach*, JASIS 48, 1997; Frei and Stieger, *The use of semantic links in
hypertext information retrieval*, 1995).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index import Segment
from porism.index.engine.links import LinkGraph, prepare_links
from porism.index.strings import offsets, ranges
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import check_weight
from porism.settings import Settings
from porism.system.concurrency.locks import Lock
from porism.types import Query


@dataclass(frozen=True, slots=True)
class Links(Settings):
    """The gain of documents from linked threads; ``weight`` 0 is off.

    ``thread`` is the metadata key of a document's thread, ``fields`` are the keys that name linked threads.

    :raises ConfigError: the weight is out of its range.
    """

    weight: float = 0.3
    thread: str = "question_id"
    fields: tuple[str, ...] = ("linked", "duplicates")

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        check_weight("links", self.weight)


class _Spread(NamedTuple):
    """The threads of candidates and the scores that flow between them.

    ``place_of`` (int64, one a candidate) is a position in ``threads`` (int64, increasing), -1 for a document without a
    thread; ``best`` (float64) has the scores of threads. Thread ``i`` is linked with the threads
    ``linked[indptr[i] : indptr[i + 1]]`` (int64), whose scores are in ``received`` (float64).
    """

    place_of: NDArray[np.int64]
    threads: NDArray[np.int64]
    best: NDArray[np.float64]
    indptr: NDArray[np.int64]
    linked: NDArray[np.int64]
    received: NDArray[np.float64]


class LinkedThreads(ScoreComponent):
    """The component of links; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], settings: Links) -> None:
        self.settings = settings
        self._segments = tuple(segments)
        self._made: LinkGraph | None = None
        self._lock = Lock()

    @property
    def graph(self) -> LinkGraph:
        """The links of the snapshot, joined at first use."""
        with self._lock:
            if self._made is None:
                self._made = LinkGraph(self._segments, self.settings.thread, self.settings.fields)
            return self._made

    def applies(self, query: Query) -> bool:
        return self.settings.weight > 0 and len(self.graph.neighbours) > 0

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        spread = self._spread(candidates)
        if not len(spread.linked):
            return np.zeros(len(candidates.scores))
        counts = np.diff(spread.indptr)
        sums = np.bincount(np.repeat(np.arange(len(counts)), counts), weights=spread.received, minlength=len(counts))
        gains = self.settings.weight * (sums / np.maximum(counts, 1))
        return np.append(gains, 0.0)[spread.place_of]

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """A part for each linked thread that has a candidate."""
        spread = self._spread(candidates)
        place = int(spread.place_of[position])
        gain = float(self.scores(query, candidates)[position])
        if place < 0:
            return Explanation(gain, "links: the document is of no thread")
        mine = slice(int(spread.indptr[place]), int(spread.indptr[place + 1]))
        linked, received = spread.linked[mine].tolist(), spread.received[mine].tolist()
        weight, count = self.settings.weight, len(linked)
        parts = [
            Explanation(
                weight * (score / count),
                f"thread {self.graph.name(thread)}: best score {score:.4f} · weight {weight:g} / {count}",
            )
            for thread, score in zip(linked, received, strict=True) if score > 0
        ]
        name = self.graph.name(int(spread.threads[place]))
        return Explanation(gain, f"links: mean over the {count} threads linked with thread {name}", parts)

    def _spread(self, candidates: UnitResults) -> _Spread:
        graph = self.graph
        thread_of = np.empty(len(candidates.units), np.int64)
        for number, mine, units in candidates.by_segment():
            thread_of[mine] = graph.thread_of[number][units]
        threads, place_of = np.unique(thread_of, return_inverse=True)
        best = np.zeros(len(threads))
        np.maximum.at(best, place_of, candidates.scores)
        if len(threads) and threads[0] < 0:
            threads, best, place_of = threads[1:], best[1:], place_of - 1
        first = graph.indptr[threads]
        indptr = offsets(graph.indptr[threads + 1] - first)
        linked = graph.neighbours[ranges(first, np.diff(indptr))].astype(np.int64)
        places = np.searchsorted(threads, linked)
        there = np.append(threads, -1)[places] == linked
        return _Spread(place_of, threads, best, indptr, linked, np.where(there, np.append(best, 0.0)[places], 0.0))


def _make(context: ComponentContext, settings: Links) -> LinkedThreads | None:
    return LinkedThreads(context.snapshot.segments, settings) if settings.weight > 0 else None


def _prepare(segments: Sequence[Segment], settings: Links) -> None:
    if settings.weight > 0:
        prepare_links(segments, settings.thread, settings.fields)


LINKS = ComponentKind(name="links", settings=Links, make=_make, prepare=_prepare)
"""The component of links."""
