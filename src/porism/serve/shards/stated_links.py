"""Links between threads that the documents of a shard name, looked up by the names of threads.

A link counts where both of its threads have live documents, which may be in other shards; so here are all links that
live documents name, and which threads have some.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.engine.links import open_links
from porism.index.string_kernels import digests, unify
from porism.index.strings import Packed, offsets
from porism.retrieve.documents.links import Links


class StatedLinks:
    """All links that live documents of some segments name; immutable."""

    def __init__(self, segments: Sequence[Segment], settings: Links) -> None:
        parts = [open_links(segment, settings.thread, settings.fields) for segment in segments]
        joined = Packed.join([part.names for part in parts])
        ids, firsts = unify(joined.blob, joined.starts)
        self._names = joined.take(firsts)
        self._held = np.zeros(len(firsts), np.bool_)
        self._thread_of: list[NDArray[np.int64]] = []
        links = [np.zeros((0, 2), np.int64)]
        start = 0
        for part, segment in zip(parts, segments, strict=True):
            mine = np.append(ids[start : start + len(part.names)], -1)
            start += len(part.names)
            self._held[mine[:-1][part.held(segment.live)]] = True
            self._thread_of.append(mine[part.thread_of])
            stated = part.stated(segment.live)
            links.append(np.stack([mine[part.sources[stated]], mine[part.targets[stated]]], axis=1))
        ends = np.unique(np.concatenate(links), axis=0)
        self.count = len(ends)
        """How many links there are, each counted once."""
        both = np.concatenate([ends, ends[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        self._others = both[order, 1]
        self._bounds = offsets(np.bincount(both[:, 0], minlength=len(firsts)))
        self._keys = digests(self._names.blob, self._names.starts)
        self._order = np.argsort(self._keys[:, 0], kind="stable")
        self._sorted = self._keys[self._order, 0]

    def threads(self, segments: NDArray[np.int32], units: NDArray[np.int32]) -> tuple[str | None, ...]:
        """The threads of documents, None for a document of none; nothing where there are no threads at all."""
        if not len(self._names):
            return ()
        numbers = np.full(len(units), -1, np.int64)
        for segment in np.unique(segments).tolist():
            mine = segments == segment
            numbers[mine] = self._thread_of[segment][units[mine]]
        known = np.flatnonzero(numbers >= 0)
        found: list[str | None] = [None] * len(numbers)
        for place, name in zip(known.tolist(), self._names.take(numbers[known]).strings(), strict=True):
            found[place] = name
        return tuple(found)

    def links(self, threads: Sequence[str]) -> list[tuple[str, str]]:
        """The links of threads, each with the thread first that was asked about."""
        numbers = self._find(threads)
        numbers = np.unique(numbers[numbers >= 0])
        lengths = self._bounds[numbers + 1] - self._bounds[numbers]
        starts = offsets(lengths)
        places = np.repeat(self._bounds[numbers] - starts[:-1], lengths) + np.arange(starts[-1])
        ends = np.stack([np.repeat(numbers, lengths), self._others[places]], axis=1)
        names = self._names.take(ends.reshape(-1)).strings()
        return list(zip(names[::2], names[1::2], strict=True))

    def held(self, threads: Sequence[str]) -> list[str]:
        """Those of some threads that have live documents."""
        numbers = self._find(threads)
        return [
            name for name, number in zip(threads, numbers.tolist(), strict=True) if number >= 0 and self._held[number]
        ]

    def _find(self, threads: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of threads, -1 for those that nobody names."""
        if not len(self._sorted) or not threads:
            return np.full(len(threads), -1, np.int64)
        packed = Packed.of(threads)
        keys = digests(packed.blob, packed.starts)
        places = np.minimum(np.searchsorted(self._sorted, keys[:, 0]), len(self._sorted) - 1)
        numbers = self._order[places]
        return np.where((self._keys[numbers] == keys).all(axis=1), numbers, -1)
