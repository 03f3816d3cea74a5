"""Files that belong to an entry of a library: their documents get its title, authors, tags and link."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from porism.corpus.base import OnProgress
from porism.corpus.groups import FileGroup, Item, Known, ReadGroup
from porism.errors import OnProblem
from porism.types import Content, Document, Metadata

_OWN = frozenset(("type", "source", "key", "attachments"))
"""Metadata of an entry that say nothing of its files."""


class AttachedGroup(ReadGroup):
    """A file with the entry that it belongs to; it is read again when the file or what is said of it has changed.

    :param group: the file by itself.
    :param entry: the document of the entry.
    """

    def __init__(self, group: ReadGroup, entry: Document) -> None:
        super().__init__(group.name, group.format, group.files)
        self._group, self._title = group, entry.title
        self._metadata: Metadata = {name: value for name, value in entry.metadata.items() if name not in _OWN}

    @property
    def _said(self) -> list[Any]:
        return [
            self._title.to_latex(),
            {name: value if isinstance(value, str) else list(value) for name, value in self._metadata.items()},
        ]

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        for item in self._group.items(on_problem, on_progress):
            yield self._with_entry(item) if isinstance(item, Document) else item
        self.files, self.digests = self._group.files, self._group.digests
        self.note = [self._said, self._group.note]

    def fits(self, note: Any, files: list[Path]) -> bool:
        return isinstance(note, list) and note[0] == self._said and self._group.fits(note[1], files)

    def recall(self, note: Any, known: Known) -> None:
        if isinstance(note, list) and note[0] == self._said:
            self._group.recall(note[1], known)

    def skip(self, note: Any, files: list[Path]) -> None:
        self._group.skip(note[1], files)

    def _with_entry(self, document: Document) -> Document:
        metadata: dict[str, str | tuple[str, ...]] = {**self._metadata, **document.metadata}
        tags = [*_entries(self._metadata, "tags"), *_entries(document.metadata, "tags")]
        if tags:
            metadata["tags"] = tuple(dict.fromkeys(tags))
        fields: Mapping[str, Content] = document.fields
        if self._title and not document.title:
            fields = {"title": self._title, **fields}
        elif self._title and document.title != self._title:
            metadata["section"] = (self._title.to_latex(), *_entries(document.metadata, "section"))
        return replace(document, fields=fields, metadata=metadata)


def with_entries(groups: Iterable[ReadGroup], attached: Mapping[str, Document]) -> Iterator[ReadGroup]:
    """The groups of a source, those of single files with the entries that they are attached to.

    :param attached: the documents of entries by the whole paths of their files.
    """
    for group in groups:
        entry = attached.get(os.path.abspath(group.files[0])) if isinstance(group, FileGroup) and attached else None
        yield group if entry is None else AttachedGroup(group, entry)


def _entries(metadata: Metadata, name: str) -> tuple[str, ...]:
    value = metadata.get(name, ())
    return (value,) if isinstance(value, str) else value
