"""What the readers of formal libraries do alike: files are recognised, read whole, and given to their documents."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import ClassVar

from porism.corpus.base import ReaderOptions, clean
from porism.corpus.formal.documents import FormalDocuments
from porism.corpus.text_files import decode, open_file, read_text
from porism.corpus.walking import FileReader
from porism.errors import OnProblem
from porism.types import Document

HEAD = 1 << 16
"""Files are recognised by so many of their first bytes."""


class FormalReader(FileReader):
    """Reads the files of one formal library."""

    signs: ClassVar[re.Pattern[str] | None] = None
    """What a file has at its beginning, where files of other kinds have the same ending."""

    def accepts(self, path: Path) -> bool:
        if self.signs is None:
            return True
        try:
            with open_file(path) as file:
                head = file.read(HEAD)
        except OSError:
            return True  # reported when it is read
        return self.signs.search(decode(head, path.name, lambda problem: None)) is not None

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = read_text(path, name, on_problem, options.encoding)
        if text is not None:
            text = clean(text.replace("\r\n", "\n").replace("\r", "\n"))
            yield from self.file_documents(text, path, name, source, on_problem).documents()

    @abstractmethod
    def file_documents(
        self, text: str, path: Path, name: str, source: str, on_problem: OnProblem
    ) -> FormalDocuments:
        """What makes the documents of a text without control characters, whose lines all end alike."""


@lru_cache(maxsize=10_000)
def folder_with(folder: Path, names: tuple[str, ...]) -> Path | None:
    """The first folder, of this one and those above it, that has a file of one of these names."""
    if any((folder / name).is_file() for name in names):
        return folder
    return folder_with(folder.parent, names) if folder != folder.parent else None


Folders = Iterable[tuple[Path, str]]
"""Folders that have the modules of a project, with what the names of these begin with."""


def module_name(path: Path, name: str, projects: tuple[str, ...], folders_of: Callable[[Path], Folders]) -> str:
    """The name of the module of a file, as its project says, or from the source where there is none.

    :param name: of the file in the source.
    :param projects: files of which the root of a project has one.
    :param folders_of: the folders of the project with this root, the innermost first.
    """
    path = path.absolute()
    root = folder_with(path.parent, projects)
    for folder, prefix in folders_of(root) if root is not None else ():
        if path.is_relative_to(folder):
            below = module_of(PurePosixPath(path.relative_to(folder).as_posix()))
            return f"{prefix}.{below}" if prefix else below
    return module_of(PurePosixPath(name))


def module_of(place: PurePosixPath) -> str:
    """The name of the module of a file, by its place below the root of the modules."""
    name = place.name.partition(".")[0]
    return ".".join((*(part for part in place.parts[:-1] if part != ".."), name))
