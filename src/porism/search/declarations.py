"""What the declarations of an index use, and what uses them, as far as the texts tell.

A name counts where the namespaces around a declaration and those that are open leave it one meaning; ``add_comm.symm``
counts as ``add_comm``. What types would decide is left out: ``h.le`` of a hypothesis, and names that two open
namespaces have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.corpus.lean.names import namespace_part
from porism.corpus.lean.resolution import DeclaredNames
from porism.index import Segment, Snapshot
from porism.index.mentions import SegmentMentions, beginnings, digest, open_mentions
from porism.search.marked_text import Value
from porism.types import CITES, DECLARES, MENTIONS, Metadata

MAX_MENTIONING = 10_000
"""Of more documents that mention the words of a name only so many are read."""


@dataclass(frozen=True, slots=True)
class Uses(Value):
    """The documents of the declarations that a statement names, and of the others that its proof or value does."""

    statement: tuple[str, ...]
    proof: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UsedBy(Value):
    """The documents that name a declaration; there may be more where they are not ``complete``."""

    documents: tuple[str, ...]
    complete: bool = True


class Declarations:
    """The declarations of a snapshot, by name."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._mentions = [open_mentions(segment) for segment in snapshot.segments]
        self._protection: dict[int, bool] = {}
        for segment, mentions in zip(snapshot.segments, self._mentions, strict=True):
            live = segment.live[mentions.declaring]
            self._protection.update(zip(mentions.names[live].tolist(), mentions.protected[live].tolist(), strict=True))
        self.names = DeclaredNames(lambda name: self._protection.get(digest(name)))

    def declaring(self) -> list[NDArray[np.bool_]]:
        """Which documents declare something: a mask for each segment (bool)."""
        masks: list[NDArray[np.bool_]] = []
        for segment, mentions in self._segments:
            mask = np.zeros(segment.doc_count, np.bool_)
            mask[mentions.declaring] = True
            masks.append(mask)
        return masks

    def documents(self, name: str) -> list[str]:
        """The ids of the documents that declare a full name; another index or package may declare it too."""
        return [
            segment.doc_id(doc) for segment, mentions in self._segments for doc in mentions.declared(name).tolist()
            if segment.live[doc]
        ]

    def uses(self, metadata: Metadata) -> Uses:
        """What the document with this metadata names, in order; what it declares itself is left out."""
        named = {key: list(self._named(metadata, key)) for key in (MENTIONS, CITES)}
        own = metadata.get(DECLARES, "")
        stated = [name for name in dict.fromkeys(named[MENTIONS]) if name != own]
        cited = [name for name in dict.fromkeys(named[CITES]) if name != own and name not in stated]
        return Uses(tuple(self._all_documents(stated)), tuple(self._all_documents(cited)))

    def used_by(self, metadata: Metadata) -> UsedBy:
        """What names the declaration of the document with this metadata, in the order of the index."""
        own = metadata.get(DECLARES)
        if not isinstance(own, str):
            return UsedBy(())
        documents: list[str] = []
        left = MAX_MENTIONING
        for segment, mentions in self._segments:
            docs = np.unique(np.concatenate([mentions.mentioning(end) for end in _endings(own)]))
            docs = docs[segment.live[docs]]
            for doc in docs[:left].tolist():
                other = segment.metadata(doc)
                if other.get(DECLARES) != own and own in self._all_named(other):
                    documents.append(segment.doc_id(doc))
            left -= len(docs)
        return UsedBy(tuple(documents), left >= 0)

    def use_counts(self) -> list[NDArray[np.int32]]:
        """How many documents name what each document declares (int32, an array for each segment)."""
        totals: dict[int, int] = {}
        for segment in self._snapshot.segments:
            for metadata in _declaring(segment):
                for name in set(self._all_named(metadata)) - {metadata[DECLARES]}:
                    key = digest(str(name))
                    totals[key] = totals.get(key, 0) + 1
        counts: list[NDArray[np.int32]] = []
        for segment, mentions in self._segments:
            own = np.zeros(segment.doc_count, np.int32)
            own[mentions.declaring] = [totals.get(name, 0) for name in mentions.names.tolist()]
            counts.append(own)
        return counts

    @property
    def _segments(self) -> Iterator[tuple[Segment, SegmentMentions]]:
        return zip(self._snapshot.segments, self._mentions, strict=True)

    def _all_documents(self, names: Iterable[str]) -> Iterator[str]:
        for name in names:
            yield from self.documents(name)

    def _all_named(self, metadata: Metadata) -> Iterator[str]:
        for key in (MENTIONS, CITES):
            yield from self._named(metadata, key)

    def _named(self, metadata: Metadata, key: str) -> Iterator[str]:
        """The full names that the names of a document mean, where they have one meaning."""
        namespace = namespace_part(str(metadata.get(DECLARES, "")))
        opened = tuple(metadata.get("open", ()))
        for written in metadata.get(key, ()):
            resolved = self.names.resolve(written, namespace, opened)
            if len(resolved.names) == 1 and (
                not resolved.rest or written.removesuffix(resolved.rest) in beginnings(written)
            ):
                yield resolved.names[0]


def _declaring(segment: Segment) -> Iterator[Metadata]:
    """The metadata of the live documents that declare something."""
    live = segment.live
    for doc, record in enumerate(segment.records("metadata")):
        if live[doc] and f'"{DECLARES}"'.encode() in record:
            yield orjson.loads(record)


def _endings(name: str) -> Iterator[str]:
    """How a full name may be written: with all its namespaces, without the outer ones, and by its last part."""
    yield f"_root_.{name}"
    while name:
        yield name
        name = name.partition(".")[2]
