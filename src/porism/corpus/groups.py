"""What is read together: a file, a LaTeX document with all that it loads, or a whole collection.

A source is read group by group, so that of a source that was read before only the groups that have changed need be
read again.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from porism.corpus.base import OnProgress, Reader, ReaderOptions, UnitId, ignore_progress
from porism.corpus.lacking import Lacking
from porism.corpus.text_files import size_of
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, PorismError, Problem
from porism.system.files.names import shown_name
from porism.types import Document


@dataclass(frozen=True, slots=True)
class LazyRecord:
    """A record that can become a document: what that would be called, and a digest of all that it is made from.

    ``line`` is where it begins in its file. ``read`` gives the document, None where the record has no text.
    """

    id: str
    line: int
    digest: int
    read: Callable[[OnProblem], Document | None]


Item = Document | LazyRecord

Known = Callable[[Sequence[UnitId]], Sequence[tuple[int, int]] | None]
"""Ids → the digest and the line that the index has of each document, None unless it has all, of the same group."""


class ReadGroup(ABC):
    """Files that are read together.

    :param name: of its file, relative to the source, with slashes; empty where the whole source is one group.
    :param format: the format it is read as.
    :param files: the files that it is known to read; once it was read, all that it did read.
    :param alone: whether it is all that its source has, so that what stops its reader is an error of the source.
    """

    note: Any = None
    """What else its reading depended on, as plain values; known once it was read."""

    def __init__(self, name: str, format: str, files: list[Path], *, alone: bool = False) -> None:
        self.name, self.format, self.files, self.alone = name, format, files, alone
        self.digests: dict[Path, str] = {}
        """Of files that it came upon while reading, the xxh3-128 of what it read."""

    @abstractmethod
    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        """Reads it: yields its documents in a stream.

        :raises SourceError: it cannot be read.
        """

    def fits(self, note: Any, files: list[Path]) -> bool:
        """Whether what its reading depended on, beside the content of its files, is as it was then."""
        return True

    def recall(self, note: Any, known: Known) -> None:  # noqa: B027 (most read everything)
        """Says what the last reading noted, which went to its end, and what the index has of it: parts of the group
        that are as they were need not be read again.
        """

    def skip(self, note: Any, files: list[Path]) -> None:  # noqa: B027 (most have nothing to do)
        """Says that it is not read because it ``fits``."""


class FileGroup(ReadGroup):
    """One file of text, and what its reading depends on."""

    def __init__(
        self, reader: FileReader, path: Path, name: str, source: str, options: ReaderOptions, *, alone: bool = False
    ) -> None:
        super().__init__(name, reader.name, [path], alone=alone)
        self._reader, self._path, self._source, self._options = reader, path, source, options

    def fits(self, note: Any, files: list[Path]) -> bool:
        return {self._path, *self._reader.companions(self._path, self.name)} == set(files)

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        companions = self._reader.companions(self._path, self.name)
        self.files, self.note = [self._path, *companions], len(companions)
        if size_of(self._path) == 0:
            on_problem(Problem(self.name, "the file is empty"))
            return
        yield from self._reader.read_in_steps(
            self._path, self.name, self._source, self._options, on_problem, on_progress
        )


OfFile = Callable[[Path], ReadGroup | None]
"""The group of one file of the source, read as its ending says; None where no reader reads it."""


class GroupedReader(ABC):
    """A reader of folders that hold several groups."""

    name: str
    document: str

    @abstractmethod
    def detect(self, path: Path) -> bool:
        """Whether a folder is of this format."""

    @abstractmethod
    def groups(
        self, path: Path, name: str, options: ReaderOptions, on_problem: OnProblem, of_file: OfFile
    ) -> Iterator[ReadGroup]:
        """Its groups.

        :param name: of the folder, relative to the source; empty for the source itself.
        """

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents, apart from those of files that other readers read."""
        for group in self.groups(path, "", options, on_problem, lambda file: None):
            for item in group.items(on_problem, on_progress):
                document = item.read(on_problem) if isinstance(item, LazyRecord) else item
                if document is not None:
                    yield document


class TableReader(Reader, Protocol):
    """A reader that can tell records apart without making documents of them."""

    def unread(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[LazyRecord]:
        """Yields the records of a table in a stream.

        :raises SourceError: the file is missing, empty or has no record that can be read.
        """
        ...


class TableGroup(ReadGroup):
    """One table of documents: lines of JSON, or CSV."""

    def __init__(
        self, reader: TableReader, path: Path, name: str, options: ReaderOptions, *, alone: bool = False
    ) -> None:
        super().__init__(name, reader.name, [path], alone=alone)
        self._reader, self._path, self._options = reader, path, options

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        if not self.alone and size_of(self._path) == 0:
            on_problem(Problem(self.name, "the file is empty"))
            return
        for item in self._reader.unread(self._path, self._options, on_problem, on_progress):
            yield replace(item, id=UnitId(self.name, item.id.unit)) if isinstance(item.id, UnitId) else item


class CollectionGroup(ReadGroup):
    """A collection of several files, or of a format whose files are not told apart."""

    def __init__(
        self, reader: Reader, path: Path, name: str, files: list[Path], options: ReaderOptions, *, alone: bool = False
    ) -> None:
        super().__init__(name, reader.name, files, alone=alone)
        self._reader, self._path, self._options = reader, path, options

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        for document in self._reader.read(self._path, self._options, on_problem, on_progress):
            if self.name and isinstance(document.id, UnitId):
                file = self.name if self._path.is_file() else f"{self.name}/{document.id.file}"
                document = replace(document, id=UnitId(file, document.id.unit))
            yield document


class SourceGroups(NamedTuple):
    """A source to be read: its format, what is read together of it, and its size in bytes.

    It also counts the files that no reader reads, by their ending (``.png``, or nothing where the name has no ending),
    and those whose readers lack an extra; those in archives are counted when these have been read.
    """

    format: str
    groups: Iterator[ReadGroup]
    size: int
    left_out: Mapping[str, int] = {}
    lacking: Mapping[Lacking, int] = {}


def guarded(group: ReadGroup, on_problem: OnProblem, on_progress: OnProgress = ignore_progress) -> Iterator[Item]:
    """What a group gives; what stops its reader is reported where there are other groups."""
    try:
        yield from group.items(on_problem, on_progress)
    except PorismError as error:
        if group.alone:
            raise
        on_problem(Problem(error.where or group.name, error.what))


class Placer:
    """Gives documents the ids and metadata that they have among those of other sources.

    :param source: the unique name of the source.
    :param file: the name of the file where the source is a single one, else empty.
    """

    def __init__(self, source: str, file: str = "") -> None:
        self.source, self._file = source, file

    def id(self, wanted: str) -> str:
        """The id of a document: its own where its collection gives it one, else source, file and unit."""
        if not isinstance(wanted, UnitId):
            return wanted
        if self._file and (wanted.file == self._file or wanted.file.startswith(f"{self._file}/")):
            return f"{self.source}{shown_name(wanted.removeprefix(self._file))}"
        return f"{self.source}/{UnitId(shown_name(wanted.file), wanted.unit)}"

    def longer_id(self, own: str, group: ReadGroup) -> str:
        """An id for a document whose own id another one has."""
        where = self.source if group.name in ("", self._file) else f"{self.source}/{shown_name(group.name)}"
        return f"{where}#{own}"

    def place(self, document: Document, doc_id: str, group: ReadGroup, line: int = 0) -> Document:
        """The document with its id in all sources, the name of its source, its file, and its line."""
        metadata = dict(document.metadata)
        metadata["source"] = self.source
        if isinstance(document.id, UnitId) and not isinstance(group, TableGroup):
            metadata["file"] = shown_name(document.id.file)
        elif group.name and not isinstance(group, CollectionGroup):
            metadata.setdefault("file", shown_name(group.name))
        if line:
            metadata["line"] = str(line)
        return Document(doc_id, document.fields, metadata)
