"""Folders of files: a walk that nothing stops, and what the readers of single files share."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.text_files import kind_of_special, open_file, size_of
from porism.errors import OnProblem, Problem, SourceError
from porism.extras import Extra
from porism.types import Document

SKIPPED_FOLDERS = frozenset(["node_modules", "__pycache__", "_build", "site-packages"])
_PAGE_SOURCES = "_sources"
"""Where Sphinx copies the sources of the pages beside it, which say the same."""
SPECIAL_HINT = "Write what it gives to a file, and name that"
OUTSIDE = "leads out of the source; it is passed over (--outside allows it)"
"""What is wrong with a link."""
_TOLD_EVERY = 64
_COPIED = frozenset([".rst", ".rest", ".md", ".markdown", ".ipynb"])
_LITERATE = ".lagda"


def is_inside(path: Path, root: Path) -> bool:
    """Whether a file lies below a folder once all links on the way are followed."""
    try:
        return path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # links in a circle
        return False


def only_inside(paths: Iterable[Path], root: Path, options: ReaderOptions, on_problem: OnProblem) -> list[Path]:
    """The paths that do not lead out of a folder; others are reported, unless the options allow them."""
    kept: list[Path] = []
    for path in paths:
        if options.outside or is_inside(path, root):
            kept.append(path)
        else:
            on_problem(Problem(str(path), OUTSIDE))
    return kept


def walk(
    root: Path, on_problem: OnProblem, whole: Callable[[Path], bool] | None = None, *, outside: bool = False,
    wanted: Callable[[Path], bool] = lambda path: True,
) -> Iterator[Path]:
    """The files below a folder in sorted order; hidden ones and folders of machinery are passed over.

    So are copies of the sources of a site beside its pages. A folder for which ``whole`` holds is yielded itself, and
    its files are not.

    Pipes, sockets and devices, and a folder that cannot be read, are reported; a folder that a link leads to again is
    not entered twice.

    :param outside: whether links to files and folders that are not below the root are followed, rather than reported.
    :param wanted: whether a file would be read, by its name; of others nothing is reported.
    """
    seen: set[tuple[int, int]] = set()
    waiting: list[Path] = [root]
    while waiting:
        path = waiting.pop()
        try:
            if not outside and path != root and path.is_symlink() and path.exists() and not is_inside(path, root):
                if path.is_dir() or wanted(path):
                    on_problem(Problem(str(path), OUTSIDE))
                continue
            if not path.is_dir():
                if path.is_file():
                    yield path
                elif (special := kind_of_special(path)) and wanted(path):
                    on_problem(Problem(str(path), f"is {special}, not a file; it is passed over"))
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
            if _PAGE_SOURCES in names and any(name.endswith(".html") for name in names):
                names.remove(_PAGE_SOURCES)
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


def ending(path: Path) -> str:
    """The extension by which a file is read, in small letters: ``.rst`` of ``page.rst.txt``, as Sphinx copies pages,
    and both of ``module.lagda.md``.
    """
    suffix = path.suffix.lower()
    before = Path(path.stem).suffix.lower()
    if before == _LITERATE:
        return before + suffix
    return before if suffix == ".txt" and before in _COPIED else suffix


class FileReader(ABC):
    """Reads files one by one; of a folder, those with its extensions."""

    name: str
    extensions: tuple[str, ...]
    document = "a section; a theorem-like block with its proof"
    needs: Mapping[str, Extra] = {}
    """Of extensions whose files are read with an optional package: the extra that has it."""

    def detect(self, path: Path) -> bool:
        """Whether the file has one of the extensions, or the folder has such files and no others."""
        if path.is_dir():
            try:
                extensions = {
                    ending(entry) for entry in path.iterdir() if entry.is_file() and entry.name[:1] != "."
                }
            except OSError:
                return False
            return bool(extensions) and extensions <= set(self.extensions)
        return self._has_extension(path)

    def accepts(self, path: Path) -> bool:
        """Whether a file with one of the extensions is of this format, and not of another that has it too."""
        return True

    def _has_extension(self, path: Path) -> bool:
        return ending(path) in self.extensions and self.accepts(path)

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of a file, or of all such files of a folder.

        :raises SourceError: the file is missing, empty or unreadable, or the folder holds no such file.
        """
        source = source_name(path, options)
        if path.is_dir():
            below = walk(path, on_problem, outside=options.outside, wanted=self._has_extension)
            files = list(filter(self._has_extension, below))
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

    def companions(self, path: Path, name: str) -> list[Path]:
        """Other files that the reading of a file depends on."""
        return []

    def read_in_steps(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """As :meth:`read_file`; readers of large files say how far they are."""
        return self.read_file(path, name, source, options, on_problem)

    @abstractmethod
    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        """Yields the documents of one file; what cannot be read is reported.

        :param name: of the file in ids, metadata and problems.
        :param source: the name of the collection.
        """


def check_file(path: Path) -> None:
    """Refuses what is not a readable file with something in it.

    :raises SourceError: the file is missing, empty or unreadable.
    """
    try:
        if not path.exists():
            raise SourceError("there is no such file or folder", where=str(path))
        if path.is_file() and path.stat().st_size == 0:
            raise SourceError("the file is empty", where=str(path))
        if special := kind_of_special(path):
            raise SourceError(f"is {special}, not a file", where=str(path), hint=SPECIAL_HINT)
        with open_file(path):
            pass
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
