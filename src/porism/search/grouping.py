"""Results of one question as one: answers to a question, and passages of one section of a book."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from porism.index import Snapshot
from porism.search.marked_text import Value
from porism.types import DECLARES, Metadata

Grouping = Literal["", "question"]
"""By what results are grouped: not at all, or by question."""

THREAD_KEYS = ("question_id", "thread")
"""Metadata keys that name the question that a document answers."""


@dataclass(frozen=True, slots=True)
class Group(Value):
    """What several results belong to: a question, or a section of a file; ``more`` of it come after the best one."""

    kind: Literal["question", "section"]
    id: str
    more: int


def thread_of(metadata: Metadata) -> str | None:
    """The id of the question that a document asks or answers, ``arqmath#123``; None where it is no post."""
    values = (metadata.get(key) for key in THREAD_KEYS)
    return next((f"{metadata.get('source', '')}#{value}" for value in values if value), None)


def group_of(metadata: Metadata) -> str | None:
    """The id of the question that a document belongs to, ``arqmath#123``, or of its section of a file,
    ``book/a.tex#Rings#Ideals``.

    None for a document by itself. Declarations of formal libraries are each by themselves: a section has many.
    """
    if thread := thread_of(metadata):
        return thread
    source, section = metadata.get("source", ""), metadata.get("section", ())
    if not section or DECLARES in metadata or "file" not in metadata:
        return None
    return "#".join((f"{source}/{metadata['file']}", *((section,) if isinstance(section, str) else section)))


def metadata_of(snapshot: Snapshot, results: Iterable[tuple[str, float]]) -> dict[str, Metadata]:
    """The metadata of results, read in the order in which they are stored, where neighbours cost next to nothing."""
    ids = [doc_id for doc_id, _ in results]
    metadata: dict[str, Metadata] = {}
    for segment in snapshot.segments:
        docs = segment.names.find(ids)
        for position in np.argsort(docs, kind="stable").tolist():
            if (doc := int(docs[position])) >= 0 and segment.live[doc]:
                metadata[ids[position]] = segment.metadata(doc)
    return metadata


def grouped(
    results: Iterable[tuple[str, float]], metadata: Mapping[str, Metadata]
) -> list[tuple[tuple[str, float], Group | None]]:
    """The best result of each group, with the group where it has more than this one; the order stays."""
    best: list[tuple[tuple[str, float], str | None, Metadata]] = []
    counts: dict[str, int] = {}
    for result in results:
        own = metadata[result[0]]
        group = group_of(own)
        if group is None or group not in counts:
            best.append((result, group, own))
        if group is not None:
            counts[group] = counts.get(group, 0) + 1
    return [
        (result, Group(_kind(own), group, counts[group] - 1) if group is not None and counts[group] > 1 else None)
        for result, group, own in best
    ]


def _kind(metadata: Metadata) -> Literal["question", "section"]:
    return "question" if any(map(metadata.get, THREAD_KEYS)) else "section"


def members(
    results: Iterable[tuple[str, float]], metadata: Mapping[str, Metadata], group: str
) -> Sequence[tuple[str, float]]:
    """The results of one group; the order stays."""
    return [result for result in results if group_of(metadata[result[0]]) == group]
