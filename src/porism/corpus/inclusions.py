"""Files that name others to be read in their places: which are read on their own, and what is read with each."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from porism.corpus.base import OnProgress, ReaderOptions, ignore_problem
from porism.corpus.groups import Item, ReadGroup
from porism.corpus.text_files import read_bytes, size_of
from porism.corpus.walking import FileReader, check_file, is_inside, relative_name, source_name, walk
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Document

MAX_FILES = 10_000
"""So many files are read together with one; the others are read on their own."""


class IncludingReader(FileReader):
    """Reads files with those that they include; a file that another one includes is not read on its own."""

    @abstractmethod
    def names_in(self, data: bytes) -> list[str]:
        """The files that a file names, as they are written in it."""

    @abstractmethod
    def read_whole(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem, silent: frozenset[str]
    ) -> Iterator[Document]:
        """Yields the documents of a file and of all that it includes.

        :param silent: the names of files whose documents another one gives.
        """

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        yield from self.read_whole(path, name, source, options, on_problem, frozenset())

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        root, files = path.parent, [path]
        if path.is_dir():
            root = path
            files = list(filter(self.detect, walk(path, on_problem, outside=options.outside, wanted=self.detect)))
            if not files:
                raise SourceError(f"holds no file of the format {self.name}", where=str(path))
        else:
            check_file(path)
        for group in self.groups(root, files, options, source_name(path, options)):
            yield from (item for item in group.items(on_problem, on_progress) if isinstance(item, Document))

    def groups(
        self, root: Path, files: Sequence[Path], options: ReaderOptions, source: str, *, alone: bool = False
    ) -> Iterator[ReadGroup]:
        """The files that are read on their own, each with those that it includes and no file before it did."""
        named = {target for file in files for target in self.included(file, root, options) if target != file}
        done: set[Path] = set()
        for file in (*(file for file in files if file not in named), *(file for file in files if file in named)):
            if file in done:
                continue
            reached = self.reached(file, root, options)
            silent = frozenset(relative_name(other, root) for other in reached if other in done)
            done.update(reached)
            yield InclusionGroup(self, reached, relative_name(file, root), source, options, silent, alone=alone)

    def reached(self, path: Path, root: Path, options: ReaderOptions) -> list[Path]:
        """A file and all those that it includes, directly or through others."""
        reached = {path: None}
        waiting = [path]
        while waiting and len(reached) < MAX_FILES:
            new = [file for file in self.included(waiting.pop(), root, options) if file not in reached]
            reached.update(dict.fromkeys(new))
            waiting += reversed(new)
        return list(reached)

    def included(self, path: Path, root: Path, options: ReaderOptions) -> list[Path]:
        """The files that a file names, as far as they are there and may be read."""
        targets = (target_of(name, path, root) for name in _names_in(self, path, size_of(path), _modified(path)))
        return [target for target in targets if may_read(target, root, options)]


def target_of(name: str, path: Path, root: Path) -> Path:
    """The file that another one calls ``name``: relative to its folder, or to the root where a slash begins it."""
    return Path(os.path.normpath(root / name.lstrip("/") if name.startswith("/") else path.parent / name))


def may_read(target: Path, root: Path, options: ReaderOptions) -> bool:
    """Whether a file is there, and does not lead out of the source."""
    try:
        return target.is_file() and (options.outside or is_inside(target, root))
    except (OSError, ValueError):  # a name that no file can have
        return False


@lru_cache(maxsize=16_384)
def _names_in(reader: IncludingReader, path: Path, size: int, modified: int) -> tuple[str, ...]:
    return tuple(reader.names_in(read_bytes(path, path.name, ignore_problem) or b""))


def _modified(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


class InclusionGroup(ReadGroup):
    """A file with all those that it includes; its ``note`` names those of them whose documents another group gives."""

    def __init__(
        self, reader: IncludingReader, reached: list[Path], name: str, source: str, options: ReaderOptions,
        silent: frozenset[str], *, alone: bool = False,
    ) -> None:
        super().__init__(name, reader.name, reached, alone=alone)
        self._reader, self._path, self._source, self._options = reader, reached[0], source, options
        self._silent = silent
        self.note = sorted(silent)

    def fits(self, note: Any, files: list[Path]) -> bool:
        return bool(note == sorted(self._silent)) and set(files) == set(self.files)

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        if size_of(self._path) == 0:
            on_problem(Problem(self.name, "the file is empty"))
            return
        yield from self._reader.read_whole(
            self._path, self.name, self._source, self._options, on_problem, self._silent
        )
