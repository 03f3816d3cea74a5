"""What a scan of sources hands out: batches of documents, the groups that they belong to, and counts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.analysis.documents import dump_document
from porism.corpus.lacking import Lacking
from porism.index.sources import NOBODY, Source, SourceFile, SourceGroup
from porism.types import Document

BATCH_DOCUMENTS = 512
BATCH_CHARACTERS = 3_000_000
"""A batch ends at so many documents or characters, whichever comes first."""


@dataclass(slots=True)
class Tally:
    """What was done: documents by what became of them, and files by what was done with them."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    files_read: int = 0
    files_unchanged: int = 0
    files_failed: int = 0
    unreachable: list[str] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    lacking: Counter[Lacking] = field(default_factory=Counter)


_NO_GROUP = SourceGroup(NOBODY, "")


@dataclass(frozen=True, slots=True)
class PartialGroup:
    """A group of which the batch has the first documents."""

    source: Source
    name: str
    group: SourceGroup


@dataclass(frozen=True, slots=True)
class CompleteGroup:
    """A group all of whose documents are in this batch or an earlier one, with its files as they were read.

    ``kept`` is one that was not read and whose files have only other times, ``gone`` one whose files are no longer
    there. ``whole`` says that the source was read to its end, and ``forget`` that it is a source no more.
    """

    source: Source
    name: str = ""
    group: SourceGroup = _NO_GROUP
    files: dict[str, SourceFile] = field(default_factory=dict)
    kept: bool = False
    gone: bool = False
    whole: bool = False
    forget: bool = False


@dataclass(slots=True)
class ChangeBatch:
    """Documents to analyse, where each came from, and what is to be recorded once they are in the index.

    ``moved`` are documents that stay as they are at other lines of their files.
    """

    documents: list[Document] = field(default_factory=list)
    origins: list[tuple[int, int, int]] = field(default_factory=list)
    begun: list[PartialGroup] = field(default_factory=list)
    finished: list[CompleteGroup] = field(default_factory=list)
    moved: dict[str, int] = field(default_factory=dict)
    characters: int = 0
    added: int = 0
    changed: int = 0

    @property
    def is_full(self) -> bool:
        """Whether it has as many documents or characters as one is to have."""
        return len(self.documents) >= BATCH_DOCUMENTS or self.characters >= BATCH_CHARACTERS

    def add(self, document: Document, group: int, digest: int, line: int) -> None:
        """Adds a document of a group, with the digest of what it was made from and its line there."""
        self.documents.append(document)
        self.origins.append((group, digest, line))
        self.characters += character_count(document)

    @property
    def owners(self) -> NDArray[np.int32]:
        """The group of each document."""
        return np.asarray([owner for owner, _, _ in self.origins], np.int32)

    @property
    def digests(self) -> NDArray[np.uint64]:
        """The digest of what each document was made from."""
        return np.asarray([digest for _, digest, _ in self.origins], np.uint64)

    @property
    def lines(self) -> NDArray[np.int32]:
        """The line of each document in its file, 0 for none."""
        return np.asarray([line for _, _, line in self.origins], np.int32)


def character_count(document: Document) -> int:
    """The characters of the texts and the formulas of a document."""
    return sum(
        len(content.text) + sum(len(formula.source) for formula in content.formulas)
        for content in document.fields.values()
    )


def document_digest(document: Document) -> int:
    """A digest of a document, its line apart."""
    metadata = {key: value for key, value in document.metadata.items() if key != "line"}
    return xxhash.xxh3_64_intdigest(dump_document(replace(document, metadata=metadata)))


def line_of(document: Document) -> int:
    """The line of its file where a document begins, as its metadata say; 0 where they do not."""
    line = document.metadata.get("line", "")
    return int(line) if isinstance(line, str) and line.isdecimal() and len(line) < 10 else 0
