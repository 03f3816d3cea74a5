"""Folders of files: a walk that nothing stops, and what the readers of single files share."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.textfile import size_of
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Document

SKIPPED_FOLDERS = frozenset(["node_modules", "__pycache__", "_build", "site-packages"])
_TOLD_EVERY = 64


def walk(root: Path, on_problem: OnProblem, whole: Callable[[Path], bool] | None = None) -> Iterator[Path]:
    """The files below a folder in sorted order; hidden ones and folders of machinery are passed over.

    A folder for which ``whole`` holds is yielded itself, and its files are not.

    A folder that cannot be read is reported; one that a link leads to again is not entered twice.
    """
    seen: set[tuple[int, int]] = set()
    waiting: list[Path] = [root]
    while waiting:
        path = waiting.pop()
        try:
            if not path.is_dir():
                if path.is_file():
                    yield path
                continue
            status = path.stat()
            if (status.st_dev, status.st_ino) in seen:
                on_problem(Problem(str(path), "a link to a folder that is read elsewhere; it is passed over"))
                continue
            seen.add((status.st_dev, status.st_ino))
            if whole is not None and whole(path):
                yield path
                continue
            with os.scandir(path) as entries:
                names = sorted(entry.name for entry in entries)
        except OSError as error:
            on_problem(Problem(str(path), f"cannot be read ({error.strerror or error})"))
            continue
        waiting.extend(
            path / name for name in reversed(names) if not name.startswith(".") and name not in SKIPPED_FOLDERS
        )


def relative_name(path: Path, root: Path) -> str:
    """The name of a file in ids and metadata: its path from the root, with slashes."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def source_name(path: Path, options: ReaderOptions) -> str:
    """What the metadata call the source."""
    return options.collection or path.name or path.resolve().name


class FileReader(ABC):
    """Reads files one by one; of a folder, those with its extensions."""

    name: str
    extensions: tuple[str, ...]

    def detect(self, path: Path) -> bool:
        """Whether the file has one of the extensions, or the folder has such files and no others."""
        if path.is_dir():
            try:
                found = {
                    entry.suffix.lower() for entry in path.iterdir() if entry.is_file() and entry.name[:1] != "."
                }
            except OSError:
                return False
            return bool(found) and found <= set(self.extensions)
        return path.suffix.lower() in self.extensions

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of a file, or of all such files of a folder.

        :raises SourceError: the file is missing, empty or unreadable, or the folder holds no such file.
        """
        source = source_name(path, options)
        if path.is_dir():
            files = [found for found in walk(path, on_problem) if found.suffix.lower() in self.extensions]
            if not files:
                raise SourceError(
                    f"holds no file of the format {self.name}", where=str(path),
                    hint=f"Its files end in {', '.join(self.extensions)}",
                )
            total, done = sum(map(size_of, files)), 0
            for number, file in enumerate(files):
                name = relative_name(file, path)
                if size_of(file) == 0:
                    on_problem(Problem(name, "the file is empty"))
                else:
                    yield from self.read_file(file, name, source, options, on_problem)
                done += size_of(file)
                if number % _TOLD_EVERY == 0:
                    on_progress(done, total)
            on_progress(total, total)
            return
        check_file(path)
        yield from self.read_file(path, path.name, source, options, on_problem)
        on_progress(size_of(path), size_of(path))

    @abstractmethod
    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        """Yields the documents of one file; what cannot be read is reported.

        :param name: of the file in ids, metadata and problems.
        :param source: the name of the collection.
        """


def check_file(path: Path) -> None:
    """Refuses what is no readable file with something in it.

    :raises SourceError: the file is missing, empty or unreadable.
    """
    try:
        if not path.exists():
            raise SourceError("there is no such file or folder", where=str(path))
        if path.is_file() and path.stat().st_size == 0:
            raise SourceError("the file is empty", where=str(path))
        with path.open("rb"):
            pass
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
