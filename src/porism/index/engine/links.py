"""The graph of linked threads of a collection, from the metadata of its documents.

A *thread* is the set of documents with the same value of one metadata key, such as a question and its answers.
Documents name other threads under further keys, such as those of linked or duplicate questions. A link holds in both
directions, and if any live document names it. The links of a segment are derived data; the graph joins those of all
segments when a snapshot is first searched.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.columns import are_starts, within
from porism.index.derived import LAYOUTS
from porism.index.segment import Segment, filter_term
from porism.index.string_kernels import sort_order, unify
from porism.index.strings import Packed, decode, encode, offsets, ranges
from porism.system.compiled.kernels import as_layout

LAYOUT = LAYOUTS["links"]
"""Grows when the layout of the arrays changes, so that other versions do not read them."""

_ARRAYS: Mapping[str, Any] = {
    "blob": np.uint8, "starts": np.int64, "thread_of": np.int32, "sources": np.int32, "targets": np.int32,
    "partial": np.int32, "partial_docs": np.int32,
}


@dataclass(frozen=True, eq=False)
class SegmentLinks:
    """The threads and links of a segment's documents, deleted ones included. Threads are numbered in code-point order.

    ``blob`` and ``starts`` are the packed names of threads; ``thread_of`` (int32) is each document's thread or -1.
    Links go from ``sources`` to ``targets`` (int32, distinct pairs). Links that only some documents of the source name
    are in ``partial`` (int32, positions of links), beside the documents that name them, ``partial_docs`` (int32).
    """

    blob: NDArray[np.uint8]
    starts: NDArray[np.int64]
    thread_of: NDArray[np.int32]
    sources: NDArray[np.int32]
    targets: NDArray[np.int32]
    partial: NDArray[np.int32]
    partial_docs: NDArray[np.int32]

    @property
    def names(self) -> Packed:
        """The names of the threads."""
        return Packed(self.blob, self.starts)

    def held(self, live: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which threads have a live document (bool)."""
        held = np.zeros(len(self.starts) - 1, np.bool_)
        threads = self.thread_of[live]
        held[threads[threads >= 0]] = True
        return held

    def stated(self, live: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which links are named by a live document (bool)."""
        stated = self.held(live)[self.sources]
        stated[self.partial] = False
        stated[self.partial[live[self.partial_docs]]] = True
        return stated

    @classmethod
    def build(cls, segment: Segment, thread: str, fields: Sequence[str]) -> SegmentLinks:
        """Reads the inverted metadata of a segment."""
        pairs, pair_docs = segment.filter_pairs()
        strings = segment.filters.packed()
        filters = [_with_key(strings, key) for key in dict.fromkeys((thread, *fields))]
        names = Packed.join([values for _, values in filters])
        ids, firsts = unify(names.blob, names.starts)
        distinct = names.take(firsts)
        order = sort_order(distinct.blob, distinct.starts)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        distinct, ids = distinct.take(order), rank[ids]

        name_of = [np.full(len(strings), -1, np.int64) for _ in filters]
        start = 0
        for (terms, _), names_of_key in zip(filters, name_of, strict=True):
            names_of_key[terms] = ids[start : start + len(terms)]
            start += len(terms)
        none = len(order)
        thread_of = np.full(segment.doc_count, none, np.int64)
        threads = name_of[0][pairs]
        np.minimum.at(thread_of, pair_docs[threads >= 0], threads[threads >= 0])  # the first by name, if several

        # a link counts once for a document, however many keys name it
        linking = [position for position, key in enumerate(dict.fromkeys((thread, *fields))) if key in fields]
        targets = np.concatenate([np.zeros(0, np.int64), *(name_of[position][pairs] for position in linking)])
        docs = np.tile(pair_docs, len(linking))
        sources = thread_of[docs]
        real = (targets >= 0) & (sources < none) & (sources != targets)
        links = np.unique(np.stack([sources[real], targets[real], docs[real]], axis=1), axis=0).reshape(-1, 3)
        new = np.ones(len(links), np.bool_)
        new[1:] = (links[1:, :2] != links[:-1, :2]).any(axis=1)
        link_of = np.cumsum(new) - 1
        thread_sizes = np.bincount(thread_of[thread_of < none], minlength=none)
        is_partial = np.bincount(link_of, minlength=np.count_nonzero(new)) < thread_sizes[links[new, 0]]
        partial = is_partial[link_of]
        return cls(
            distinct.blob, distinct.starts, np.where(thread_of < none, thread_of, -1).astype(np.int32),
            links[new, 0].astype(np.int32), links[new, 1].astype(np.int32), link_of[partial].astype(np.int32),
            links[partial, 2].astype(np.int32),
        )


def _with_key(strings: Packed, key: str) -> tuple[NDArray[np.int64], Packed]:
    """The numbers (int64) of the filters of a metadata key, and their values."""
    prefix = np.frombuffer(encode(filter_term(key, "")), np.uint8)
    lengths = np.diff(strings.starts)
    numbers = np.flatnonzero(lengths >= len(prefix))
    for step, byte in enumerate(prefix):
        numbers = numbers[strings.blob[strings.starts[numbers] + step] == byte]
    starts = offsets(lengths[numbers] - len(prefix))
    source = ranges(strings.starts[numbers] + len(prefix), np.diff(starts))
    return numbers, Packed(strings.blob[source], starts)


class LinkGraph:
    """The threads of a snapshot's live documents, numbered in code-point order, and the links between them.

    ``thread_of`` (int32, for each segment one a document) is -1 for a document of none; ``neighbours`` (int32,
    increasing) are those linked with each thread, by ``indptr`` (int64).
    """

    def __init__(self, segments: Sequence[Segment], thread: str, fields: Sequence[str]) -> None:
        parts = [open_links(segment, thread, fields) for segment in segments]
        joined = Packed.join([part.names for part in parts])
        ids, firsts = unify(joined.blob, joined.starts)
        starts = np.cumsum([0, *(len(part.names) for part in parts)]).tolist()
        held = np.zeros(len(firsts), np.bool_)
        for part, segment, start in zip(parts, segments, starts, strict=False):
            held[ids[start : start + len(part.names)][part.held(segment.live)]] = True
        kept = np.flatnonzero(held)
        names = joined.take(firsts[kept])
        order = sort_order(names.blob, names.starts)
        number = np.full(len(firsts) + 1, -1, np.int32)  # the last element stands for no thread
        number[kept[order]] = np.arange(len(order), dtype=np.int32)
        self.names = names.take(order)
        self.thread_of: list[NDArray[np.int32]] = []
        links: list[NDArray[np.int32]] = [np.zeros((0, 2), np.int32)]
        for part, segment, start in zip(parts, segments, starts, strict=False):
            mine = number[np.append(ids[start : start + len(part.names)], len(firsts))]
            self.thread_of.append(mine[part.thread_of])
            stated = part.stated(segment.live)
            links.append(np.stack([mine[part.sources[stated]], mine[part.targets[stated]]], axis=1))
        ends = np.concatenate(links)
        ends = ends[(ends >= 0).all(axis=1)].astype(np.int64)
        count = max(len(self.names), 1)
        both = np.unique(np.concatenate([ends[:, 0] * count + ends[:, 1], ends[:, 1] * count + ends[:, 0]]))
        self.neighbours = (both % count).astype(np.int32)
        self.indptr = offsets(np.bincount(both // count, minlength=len(self.names)))

    def name(self, thread: int) -> str:
        """The name of a thread."""
        return decode(self.names.blob[self.names.starts[thread] : self.names.starts[thread + 1]].tobytes())


def open_links(segment: Segment, thread: str, fields: Sequence[str]) -> SegmentLinks:
    """The links of a segment: stored, else computed.

    ``thread`` is the metadata key of a document's thread, ``fields`` are those that name others.
    """
    return _read(segment, thread, fields) or SegmentLinks.build(segment, thread, fields)


def prepare_links(segments: Sequence[Segment], thread: str, fields: Sequence[str]) -> None:
    """Stores the links of segments that lack them.

    :raises StorageError: the disk is full or the folder read-only.
    """
    for segment in segments:
        if _read(segment, thread, fields) is None:
            links = SegmentLinks.build(segment, thread, fields)
            segment.write_derived(_name(thread, fields), {name: getattr(links, name) for name in _ARRAYS}, {})


def _name(thread: str, fields: Sequence[str]) -> str:
    settings = repr((LAYOUT, thread, sorted(set(fields))))
    return f"links-{hashlib.sha256(settings.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def _read(segment: Segment, thread: str, fields: Sequence[str]) -> SegmentLinks | None:
    stored = segment.read_derived(_name(thread, fields))
    if stored is None or any(name not in stored[0] for name in _ARRAYS):
        return None
    links = SegmentLinks(**{name: as_layout(stored[0][name], dtype).reshape(-1) for name, dtype in _ARRAYS.items()})
    threads = len(links.starts) - 1
    sound = (
        are_starts(links.starts, len(links.blob))
        and len(links.thread_of) == segment.doc_count
        and len(links.sources) == len(links.targets)
        and len(links.partial) == len(links.partial_docs)
        and within(links.thread_of, -1, threads)
        and within(links.sources, 0, threads)
        and within(links.targets, 0, threads)
        and within(links.partial, 0, len(links.sources))
        and within(links.partial_docs, 0, segment.doc_count)
    )
    return links if sound else None
