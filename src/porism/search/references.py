"""What references of a document lead to: labels in brackets (``Lemma [lem:five]``), links of wikis and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np

from porism.analysis.folding import fold
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.index.segment import filter_term, split_filter_term
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.types import LINKS, Document, Metadata

MAX_REFERENCES = 1_000
"""Further references of one document stay text."""

BRACKETED = re.compile(r"\[([^\[\]\n]{1,120})\]")
"""Where a label may be in a text."""

_SUFFIXES = (".md", ".markdown", ".mdx", ".qmd", ".html", ".htm", ".org", ".rst", ".txt", ".ipynb", "")


@dataclass(frozen=True, slots=True)
class Target(Value):
    """A document that a text refers to, with its title, which is empty where it has none of its own."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class References(Value):
    """What a document refers to: the documents of its labels, and its links, in order, by the text that shows them."""

    labels: dict[str, Target]
    links: tuple[tuple[str, Target], ...]


class ReferenceResolver:
    """Finds what references lead to in one snapshot."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._files: dict[str, list[str]] | None = None

    def references(self, document: Document) -> References:
        """What a document refers to in the index; references to itself, and to what is not there, are left out."""
        texts = (content.text for content in document.fields.values())
        labels = list(dict.fromkeys(label for text in texts for label in BRACKETED.findall(text)))[:MAX_REFERENCES]
        links: list[tuple[str, Target]] = []
        known: dict[str, Target | None] = {}
        for entry in _values(document.metadata, LINKS)[:MAX_REFERENCES]:
            name, _, shown = entry.partition("|")
            if name not in known:
                known[name] = self._linked(name, document)
            if (target := known[name]) is not None:
                links.append((shown, target))
        return References(self._labelled(labels, document), tuple(links))

    def _labelled(self, labels: Sequence[str], document: Document) -> dict[str, Target]:
        places: dict[str, list[tuple[Segment, int]]] = {}
        for segment in self._snapshot.segments:
            numbers = segment.filters.lookup([filter_term("labels", label) for label in labels])
            for label, number in zip(labels, np.asarray(numbers).tolist(), strict=True):
                if number >= 0:
                    docs = np.flatnonzero(segment.filter("labels", label) & segment.live)
                    places.setdefault(label, []).extend((segment, doc) for doc in docs.tolist())
        chosen = ((label, self._nearest(candidates, document)) for label, candidates in places.items())
        return {label: target for label, target in chosen if target is not None}

    def _linked(self, name: str, document: Document) -> Target | None:
        """The document that a wiki link or the path of a note leads to."""
        page, _, heading = name.partition("#")
        files = [str(document.metadata.get("file", ""))] if not page else self._files_of(page)
        places: list[tuple[Segment, int]] = []
        pairs = [("file", file) for file in files] or [("aliases", page)]
        for segment in self._snapshot.segments:
            mask = np.zeros(segment.doc_count, np.bool_)
            for key, value in pairs:
                mask |= segment.filter(key, value)
            places += [(segment, doc) for doc in np.flatnonzero(mask & segment.live).tolist()]
        wanted = fold(heading.rpartition("#")[2].strip())
        if wanted and not wanted.startswith("^"):
            headed = [place for place in places if wanted in _headings(place[0].metadata(place[1]))]
            places = headed or places
        places.sort(key=lambda place: int(place[0].lines[place[1]]))
        return self._nearest(places, document)

    def _files_of(self, page: str) -> list[str]:
        """The files that a note may be, by its name without a suffix; those whose folders fit too go first."""
        if self._files is None:
            self._files = {}
            for segment in self._snapshot.segments:
                for term in segment.filters:
                    key, value = split_filter_term(term)
                    if key == "file":
                        self._files.setdefault(_stem(value), []).append(value)
        files = self._files.get(_stem(page), [])
        folders = fold(page.replace("\\", "/").lstrip("./")).rpartition("/")[0]
        fitting = [file for file in files if f"/{fold(file)}".rpartition("/")[0].endswith(folders)] if folders else []
        return fitting or files

    def _nearest(self, places: Iterable[tuple[Segment, int]], document: Document) -> Target | None:
        """Of several documents the one of the same source and file; None for the document itself."""
        best: tuple[int, Target] | None = None
        for segment, doc in places:
            metadata = segment.metadata(doc)
            rank = sum(metadata.get(key) == document.metadata.get(key) for key in ("source", "file"))
            if best is None or rank > best[0]:
                other = stored_document(segment, doc)
                best = rank, Target(other.id, one_printable_line(show_content(other.title, "unicode")))
        return None if best is None or best[1].id == document.id else best[1]


def _values(metadata: Metadata, key: str) -> tuple[str, ...]:
    value = metadata.get(key, ())
    return (value,) if isinstance(value, str) else value


def _headings(metadata: Metadata) -> set[str]:
    return {fold(heading) for heading in _values(metadata, "section")[-1:]}


def _stem(file: str) -> str:
    name = PurePosixPath(file.replace("\\", "/")).name
    suffix = next(suffix for suffix in _SUFFIXES if name.lower().endswith(suffix))
    return fold(name[: len(name) - len(suffix)].strip())
