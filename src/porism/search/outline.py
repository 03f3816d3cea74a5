"""What a document stands among: the contents of its file or its question, and the documents before and after it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from porism.analysis.documents import load_document
from porism.errors import QueryError
from porism.index import Segment, Snapshot
from porism.search.grouping import THREAD_KEYS
from porism.search.locations import Location
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.types import PLACEHOLDER, Content, Metadata

MAX_READ = 400
"""Of a longer file so many documents are read, those around the one that is shown."""

MAX_NEIGHBOURS = 12
"""So many documents of the same section before a document, and so many after it, are entries."""

MAX_HEADINGS = 60
"""Of a file with more headings, those outside the outermost section are left out, except the outermost ones."""

_WHOLE = ("section", "text", "document", "abstract", "")
"""Kinds that have the title of the heading above them."""
_QUESTIONS = ("question", "thread")
_READ = frozenset(("title", "body"))
_CHARACTERS = 60
"""Of documents with one title so many characters of their text are shown."""


@dataclass(frozen=True, slots=True)
class OutlineEntry(Value):
    """A heading, or a document: the ``id`` of the document that begins there, and how deep it is below the outermost.
    """

    id: str
    title: str
    kind: str = ""
    level: int = 0
    is_heading: bool = False
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Outline(Value):
    """The contents around a document of ``count`` documents, and the documents before and after it."""

    entries: tuple[OutlineEntry, ...] = ()
    previous: OutlineEntry | None = None
    next: OutlineEntry | None = None
    count: int = 0


@dataclass(frozen=True, slots=True)
class _Item:
    entry: OutlineEntry
    section: tuple[str, ...]
    beginning: str
    is_untitled: bool


def outline_of(snapshot: Snapshot, doc_id: str) -> Outline:
    """What a document stands among; empty for a document that belongs to no file and no question.

    :raises QueryError: there is no such document.
    """
    place = snapshot.find(doc_id)
    if place is None:
        raise QueryError(f"there is no document {doc_id!r} in the index", where=str(snapshot.path))
    metadata = place[0].metadata(place[1])
    together = _together(snapshot, metadata)
    if place not in together:
        return Outline()
    position = together.index(place)
    first = max(0, position - MAX_READ // 2)
    items = [_item(*other) for other in together[first : position + MAX_READ // 2]]
    current = position - first
    items = [_distinct(item, items[number - 1] if number else None) for number, item in enumerate(items)]
    previous = items[current - 1].entry if current else _beyond(*place, metadata, -1)
    following = items[current + 1].entry if current + 1 < len(items) else _beyond(*place, metadata, 1)
    items[current] = replace(items[current], entry=replace(items[current].entry, is_current=True))
    return Outline(tuple(_entries(items, current)) if len(items) > 1 else (), previous, following, len(together))


def _together(snapshot: Snapshot, metadata: Metadata) -> list[tuple[Segment, int]]:
    """The documents of a document's question, or else of its file, in the order of reading."""
    thread = next((key for key in THREAD_KEYS if metadata.get(key)), None)
    key = thread or "file"
    source, value = metadata.get("source"), metadata.get(key)
    if not isinstance(source, str) or not isinstance(value, str):
        return []
    places: list[tuple[Segment, int]] = []
    lines: list[int] = []
    for segment, mask in zip(snapshot.segments, snapshot.filter({"source": source, key: value}), strict=True):
        docs = np.flatnonzero(mask & segment.live).tolist()
        if thread:
            questions = {doc for doc in docs if segment.metadata(doc).get("type") in _QUESTIONS}
            lines += [int(doc not in questions) for doc in docs]
        else:
            lines += segment.lines[docs].tolist()
        places += [(segment, doc) for doc in docs]
    return [places[number] for number in np.argsort(lines, kind="stable").tolist()]


def entry_of(segment: Segment, doc: int) -> OutlineEntry:
    """A document by itself: one without a title has the beginning of its text."""
    return _distinct(_item(segment, doc), None).entry


def _item(segment: Segment, doc: int) -> _Item:
    document = load_document(segment.stored(doc), _READ)
    location = Location.of(document.metadata)
    title = one_printable_line(show_content(document.title, "unicode"))
    kind = location.kind or ""
    named = title or (location.section[-1] if location.section else document.id)
    beginning = _beginning(document.fields.get("body", Content("")))
    return _Item(OutlineEntry(document.id, named, kind), location.section, beginning, not title)


def _distinct(item: _Item, before: _Item | None) -> _Item:
    """A statement without a title, or an answer, which has the title of the one before it, by how it begins."""
    is_untitled = item.is_untitled and item.entry.kind not in _WHOLE
    if not item.beginning or not (is_untitled or (before is not None and item.entry.title == before.entry.title)):
        return item
    kind = item.entry.kind.replace("-", " ").capitalize()
    return replace(item, entry=replace(item.entry, title=f"{kind}: {item.beginning}" if kind else item.beginning))


def _beginning(content: Content) -> str:
    """The first words of a text on one line."""
    text = content.text[:_CHARACTERS]
    is_whole = len(text) == len(content.text)
    text = text if is_whole else f"{text.rpartition(' ')[0]} …"
    return one_printable_line(show_content(Content(text, content.formulas[: text.count(PLACEHOLDER)]), "unicode"))


def _beyond(segment: Segment, doc: int, metadata: Metadata, step: int) -> OutlineEntry | None:
    """The document that is stored beside the first or the last of a file, where it is of the same source."""
    if "file" not in metadata or any(map(metadata.get, THREAD_KEYS)):
        return None
    other = doc + step
    while 0 <= other < segment.doc_count and not segment.live[other]:
        other += step
    if not 0 <= other < segment.doc_count:
        return None
    own = segment.metadata(other)
    is_next_file = own.get("source") == metadata.get("source") and own.get("file") not in (None, metadata["file"])
    return entry_of(segment, other) if is_next_file else None


def _entries(items: list[_Item], current: int) -> list[OutlineEntry]:
    """All headings, and the documents of the section of the current one."""
    entries: list[OutlineEntry] = []
    path: tuple[str, ...] = ()
    here = items[current].section
    shared = _shared([item.section for item in items])
    few = sum(one.section != other.section for one, other in pairwise(items)) <= MAX_HEADINGS
    for number, item in enumerate(items):
        known = _shared([path, item.section])
        headed = False
        for level in range(max(known, shared), len(item.section)):
            if few or level == shared or item.section[: shared + 1] == here[: shared + 1]:
                headed = number == current and level == len(item.section) - 1
                entries.append(OutlineEntry(
                    item.entry.id, item.section[level], level=level - shared, is_heading=True, is_current=headed
                ))
        path = item.section
        is_own_heading = len(item.section) > max(known, shared) and item.entry.title == item.section[-1]
        if not is_own_heading and item.section == here and abs(number - current) <= MAX_NEIGHBOURS:
            if headed:  # the document itself is the entry
                entries[-1] = replace(entries[-1], is_current=False)
            entries.append(replace(item.entry, level=max(0, len(item.section) - shared)))
    return entries


def _shared(paths: list[tuple[str, ...]]) -> int:
    """How many headings all paths begin with."""
    count = 0
    for headings in zip(*paths, strict=False):
        if len(set(headings)) > 1:
            break
        count += 1
    return count
