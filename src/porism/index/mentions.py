"""The declarations of a segment by name, and which documents mention a name: derived data of formal texts.

Names are digests (xxh3, 64 bits) in ascending order. What a mention means depends on the names of all segments; see
:mod:`porism.search.declarations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.index.columns import are_starts, within
from porism.index.derived import LAYOUTS
from porism.index.segment import Segment
from porism.index.strings import encode, offsets
from porism.system.compiled.kernels import as_layout
from porism.types import CITES, DECLARES, MENTIONS

NAME = "mentions"
_LAYOUT = LAYOUTS[NAME]
_SIGNATURE = "signature"
"""The field that declarations have."""
_MARK = f'"{DECLARES}"'.encode()


def digest(name: str) -> int:
    """The digest of a name."""
    return xxhash.xxh3_64_intdigest(encode(name))


def beginnings(written: str) -> Iterator[str]:
    """A name as it is written, and what it may be with the last parts left out, which then are fields of what that
    means: ``add_comm.symm`` begins with ``add_comm``. Names with a capital letter are namespaces."""
    yield written
    name, dot, _ = written.rpartition(".")
    while dot:
        if name.rpartition(".")[2][:1].islower():
            yield name
        name, dot, _ = name.rpartition(".")


class SegmentMentions(NamedTuple):
    """``names`` (uint64, ascending) are declared by ``declaring`` (int32); ``protected`` (bool) are those whose last
    part alone does not mean them. The documents that mention ``written[n]`` (uint64, ascending) are
    ``docs[starts[n]:starts[n + 1]]`` (int32).
    """

    names: NDArray[np.uint64]
    declaring: NDArray[np.int32]
    protected: NDArray[np.bool_]
    written: NDArray[np.uint64]
    starts: NDArray[np.int64]
    docs: NDArray[np.int32]

    @classmethod
    def build(cls, segment: Segment) -> SegmentMentions:
        """Reads the metadata of all documents."""
        names: list[int] = []
        declaring: list[int] = []
        protected: list[bool] = []
        written: list[int] = []
        docs: list[int] = []
        records = segment.records("metadata") if _SIGNATURE in segment.fields else ()
        for doc, record in enumerate(records):
            if _MARK not in record:
                continue
            metadata: dict[str, Any] = orjson.loads(record)
            names.append(digest(metadata[DECLARES]))
            declaring.append(doc)
            protected.append("protected" in metadata.get("modifiers", ()))
            mentions = (*metadata.get(MENTIONS, ()), *metadata.get(CITES, ()))
            own = {digest(name) for mention in mentions for name in beginnings(mention)}
            written += own
            docs += [doc] * len(own)
        order = np.argsort(np.array(names, np.uint64), kind="stable")
        by_name = np.argsort(np.array(written, np.uint64), kind="stable")
        distinct, counts = np.unique(np.array(written, np.uint64), return_counts=True)
        return cls(
            np.array(names, np.uint64)[order], np.array(declaring, np.int32)[order],
            np.array(protected, np.bool_)[order], distinct, offsets(counts), np.array(docs, np.int32)[by_name],
        )

    def declared(self, name: str) -> NDArray[np.int32]:
        """The documents that declare a name (int32)."""
        sought = np.uint64(digest(name))
        first, last = np.searchsorted(self.names, sought), np.searchsorted(self.names, sought, side="right")
        return self.declaring[first:last]

    def mentioning(self, name: str) -> NDArray[np.int32]:
        """The documents that mention a name as it is written, or one that begins with it (int32)."""
        sought = np.uint64(digest(name))
        place = int(np.searchsorted(self.written, sought))
        if place == len(self.written) or self.written[place] != sought:
            return self.docs[:0]
        return self.docs[self.starts[place] : self.starts[place + 1]]


_TYPES = {
    "names": np.uint64, "declaring": np.int32, "protected": np.bool_, "written": np.uint64, "starts": np.int64,
    "docs": np.int32,
}  # fmt: skip


def open_mentions(segment: Segment) -> SegmentMentions:
    """The names of a segment: stored, else computed."""
    return _read(segment) or SegmentMentions.build(segment)


def prepare_mentions(segments: Iterable[Segment]) -> None:
    """Stores the names of segments that have some and lack this.

    :raises StorageError: the disk is full or the folder read-only.
    """
    for segment in segments:
        if _SIGNATURE in segment.fields and _read(segment) is None:
            segment.write_derived(NAME, SegmentMentions.build(segment)._asdict(), {"layout": _LAYOUT})


def _read(segment: Segment) -> SegmentMentions | None:
    stored = segment.read_derived(NAME)
    if stored is None or not _TYPES.keys() <= stored[0].keys():
        return None
    mentions = SegmentMentions(*(as_layout(stored[0][key], dtype).reshape(-1) for key, dtype in _TYPES.items()))
    sound = (
        len(mentions.names) == len(mentions.declaring) == len(mentions.protected)
        and len(mentions.starts) == len(mentions.written) + 1
        and are_starts(mentions.starts, len(mentions.docs))
        and within(mentions.declaring, 0, segment.doc_count)
        and within(mentions.docs, 0, segment.doc_count)
    )
    return mentions if sound else None
