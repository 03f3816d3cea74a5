"""Results of one question as one: answers to a question, and passages of one section of a book."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment, Snapshot
from porism.index.segment import split_filter_term
from porism.search.marked_text import Value
from porism.system.concurrency.caching import cached_property
from porism.types import DECLARES, Metadata

Grouping = Literal["", "question"]
"""By what results are grouped: not at all, or by question."""

THREAD_KEYS = ("question_id", "thread")
"""Metadata keys that name the question that a document answers."""


GroupKind = Literal["question", "section"]


@dataclass(frozen=True, slots=True)
class Group(Value):
    """What several results belong to: a question, or a section of a file; ``more`` of it come after the best one."""

    kind: GroupKind
    id: str
    more: int


def thread_of(metadata: Metadata) -> str | None:
    """The id of the question that a document asks or answers, ``arqmath#123``; None where it is no post."""
    values = (metadata.get(key) for key in THREAD_KEYS)
    return next((f"{metadata.get('source', '')}#{value}" for value in values if value), None)


class GroupName(NamedTuple):
    """The group that a document belongs to, ``arqmath#123``, or ``book/a.tex#Rings#Ideals`` for a section."""

    kind: GroupKind
    id: str


def group_of(metadata: Metadata) -> GroupName | None:
    """The group of a document by its metadata, None for a document by itself.

    Declarations of formal libraries are each by themselves: a section has many.
    """
    if thread := thread_of(metadata):
        return GroupName("question", thread)
    source, section = metadata.get("source", ""), metadata.get("section", ())
    if not section or DECLARES in metadata or "file" not in metadata:
        return None
    path = (section,) if isinstance(section, str) else section
    return GroupName("section", "#".join((f"{source}/{metadata['file']}", *path)))


class DocumentGroups:
    """The groups of the documents of a snapshot; safe to share between threads.

    Questions are read from columns of the filters. The metadata of documents of a section is read once, when one of
    them is first among results.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._segments = snapshot.segments
        self._sections: list[dict[int, GroupName | None]] = [{} for _ in snapshot.segments]

    @cached_property
    def _columns(self) -> list[_GroupColumns]:
        return [_GroupColumns.of(segment) for segment in self._segments]

    def __call__(self, doc_ids: Sequence[str]) -> list[GroupName | None]:
        """The group of each document, None for one by itself."""
        groups: list[GroupName | None] = [None] * len(doc_ids)
        for segment, columns, known in zip(self._segments, self._columns, self._sections, strict=True):
            docs = segment.names.find(doc_ids)
            here = np.flatnonzero(docs >= 0)
            here = here[segment.live[docs[here]]]
            asked = here[columns.threads[docs[here]] >= 0]
            sources, threads = (_values(segment, own[docs[asked]]) for own in (columns.sources, columns.threads))
            for position, source, thread in zip(asked.tolist(), sources, threads, strict=True):
                groups[position] = GroupName("question", f"{source}#{thread}")
            sections = here[columns.in_sections[docs[here]]]
            for position in sections[np.argsort(docs[sections])].tolist():  # as they are stored, side by side
                doc = int(docs[position])
                if doc not in known:
                    known[doc] = group_of(segment.metadata(doc))
                groups[position] = known[doc]
        return groups


class _GroupColumns(NamedTuple):
    """Columns of a segment, by document: the numbers of its source and of its thread among the filters, -1 for none
    (int64). The last one says whether it may belong to a section (bool)."""

    sources: NDArray[np.int64]
    threads: NDArray[np.int64]
    in_sections: NDArray[np.bool_]

    @classmethod
    def of(cls, segment: Segment) -> _GroupColumns:
        sources, sections, files, *keyed = segment.filter_values("source", "section", "file", *THREAD_KEYS)
        threads = np.full(len(sources), -1, np.int64)
        for own in reversed(keyed):
            threads = np.where(own >= 0, own, threads)
        return cls(sources, threads, (threads < 0) & (sections >= 0) & (files >= 0))


def _values(segment: Segment, terms: NDArray[np.int64]) -> list[str]:
    """The values of filters by number, empty for -1."""
    distinct, places = np.unique(terms, return_inverse=True)
    known = segment.filters.select(distinct[distinct >= 0]).strings()
    values = [""] * (len(distinct) - len(known)) + [split_filter_term(term)[1] for term in known]
    return [values[place] for place in places.tolist()]


R = TypeVar("R")


def grouped(results: Sequence[R], groups: Sequence[GroupName | None]) -> list[tuple[R, Group | None]]:
    """The best result of each group, with the group where it has more than this one; the order stays."""
    counts = Counter(group for group in groups if group is not None)
    seen: set[GroupName] = set()
    best: list[tuple[R, Group | None]] = []
    for result, group in zip(results, groups, strict=True):
        if group is None or group not in seen:
            more = 0 if group is None else counts[group] - 1
            best.append((result, None if group is None or not more else Group(*group, more)))
        if group is not None:
            seen.add(group)
    return best


def members(results: Sequence[R], groups: Sequence[GroupName | None], group: str) -> list[R]:
    """The results of one group, by its id; the order stays."""
    return [result for result, own in zip(results, groups, strict=True) if own is not None and own.id == group]
