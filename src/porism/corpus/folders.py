"""Folders of files of several formats: what is read together of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from porism.corpus.archives.listings import PaperListings
from porism.corpus.archives.reader import ArchiveGroup, ArchiveReader
from porism.corpus.attachments import with_entries
from porism.corpus.base import OnProgress, ReaderOptions
from porism.corpus.bibliography.reader import ReferenceReader
from porism.corpus.detection import FolderEntries, Formats
from porism.corpus.groups import (
    CollectionGroup,
    FileGroup,
    GroupedReader,
    LazyRecord,
    ReadGroup,
    SourceGroups,
    TableGroup,
    guarded,
)
from porism.corpus.inclusions import IncludingReader
from porism.corpus.lacking import lacking_texts, left_out_texts, other_form
from porism.corpus.latex.figures import figures_among
from porism.corpus.latex.reader import LatexReader
from porism.corpus.tables.reader import RecordReader
from porism.corpus.text_files import size_of
from porism.corpus.walking import FileReader, relative_name, source_name
from porism.errors import OnProblem, Problem, SourceError, pluralise
from porism.types import Document

_NAMED = 3
"""So many of the tables that are passed over are named."""


class FolderReader:
    """Reads a folder of mixed files: each goes to the reader of its format, in sorted order.

    LaTeX sources are read together, as projects; a folder that is a collection of its own (ARQMath, Stack Exchange)
    goes to its reader as a whole. Files of no known format are passed over, and so are CSV and TSV tables whose header
    names no column of text, which is reported.

    :param formats: those that a file may have.
    :param only: read the files of this one format alone, all tables among them.
    :param archives: the reader of archives, where the folder is what another one was unpacked to.
    """

    name = "folder"
    document = "what each format says"

    def __init__(self, formats: Formats, only: str | None = None, archives: ArchiveReader | None = None) -> None:
        self._formats, self._only, self._archives = formats, only, archives

    def detect(self, path: Path) -> bool:
        """Whether it is a folder."""
        return path.is_dir()

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of all files.

        :raises SourceError: there is no such folder, or no file of a known format in it.
        """
        source = self.groups(path, options, on_problem)
        done = 0
        for group in source.groups:
            for item in guarded(group, on_problem):
                document = item.read(on_problem) if isinstance(item, LazyRecord) else item
                if document is not None:
                    yield document
            done += sum(map(size_of, group.files))
            on_progress(min(done, source.size), source.size)
        on_progress(source.size, source.size)

    def groups(self, path: Path, options: ReaderOptions, on_problem: OnProblem) -> SourceGroups:
        """Its files by what is read together.

        :raises SourceError: there is no such folder, or no file of a known format in it.
        """
        if not path.is_dir():
            raise SourceError("there is no such folder", where=str(path))
        problems: list[Problem] = []
        entries = self._formats.entries(path, problems.append, self._only, options)
        files, tables, left_out, lacking = entries
        if not files:
            raise nothing_known(self._formats, path, entries, self._only, problems)
        for problem in problems:
            on_problem(problem)
        for files_and_command in lacking_texts(lacking):
            on_problem(Problem(str(path), f"left out: {files_and_command}"))
        if tables:
            on_problem(Problem(str(path), f"{_passed_over(tables, path)}; name such a file to read it"))
        if self._only is None and (figures := _figures(files)):
            files = [entry for entry in files if entry[0] not in figures]
            count = pluralise(len(figures), "PDF")
            reason = "that LaTeX includes as figures left out; name such a file to read it"
            on_problem(Problem(str(path), f"{count} {reason}"))
        size = sum(size_of(entry) for entry, _ in files)
        format = self._only or self._formats.of_all(files, tables)
        folders: dict[Path, list[ReadGroup]] = {}
        for entry, name in files:
            if isinstance(self._formats.readers[name], GroupedReader):
                try:
                    folders[entry] = groups_of_folder(
                        self._formats, name, entry, path, options, on_problem, left_out
                    )
                except SourceError as error:
                    on_problem(Problem(error.where or relative_name(entry, path), error.what))
        groups = self._groups(path, files, options, folders, left_out)
        return SourceGroups(
            format, with_entries(groups, self._attached_files(files, options)), size, left_out, lacking
        )

    def _groups(
        self, path: Path, files: list[tuple[Path, str]], options: ReaderOptions,
        folders: dict[Path, list[ReadGroup]], left_out: Counter[str],
    ) -> Iterator[ReadGroup]:
        projects: dict[str, list[Path]] = {}
        for entry, name in files:
            projects.setdefault(name, []).append(entry)
        listings = PaperListings(path, projects.get(ArchiveReader.name, []), options)
        source = source_name(path, options)
        for entry, name in files:
            where = relative_name(entry, path)
            if isinstance(reader := self._formats.readers[name], LatexReader | IncludingReader):
                if entry == projects[name][0]:
                    yield from reader.groups(path, projects[name], options, source)
            elif isinstance(reader, GroupedReader):
                yield from folders.get(entry, ())
            elif isinstance(reader, ArchiveReader):
                yield ArchiveGroup(self._archives or reader, entry, where, options, listings, left_out=left_out)
            else:
                yield group_of_file(self._formats, name, entry, where, source, options) or CollectionGroup(
                    self._formats.readers[name], entry, where, files_of(entry), options
                )

    def _attached_files(self, files: list[tuple[Path, str]], options: ReaderOptions) -> dict[str, Document]:
        """The whole paths of the files that lists of references name, each with the document of its entry."""
        lists = [(self._formats.readers[name], path) for path, name in files]
        return {
            file: entry for reader, path in lists if isinstance(reader, ReferenceReader)
            for file, entry in reader.attached(path, options)
        }


def _figures(files: list[tuple[Path, str]]) -> set[Path]:
    """The PDFs among files that are figures of the LaTeX among them."""
    by_format = {name: [entry for entry, format in files if format == name] for name in ("pdf", "latex")}
    return figures_among(by_format["pdf"], by_format["latex"])


def group_of_file(
    formats: Formats, format: str, path: Path, name: str, source: str, options: ReaderOptions, *, alone: bool = False
) -> ReadGroup | None:
    """The group of one file that is read by itself; None where its format reads files together."""
    reader = formats.readers[format]
    if isinstance(reader, FileReader):
        return FileGroup(reader, path, name, source, options, alone=alone)
    return TableGroup(reader, path, name, options, alone=alone) if isinstance(reader, RecordReader) else None


def groups_of_folder(
    formats: Formats, format: str, folder: Path, root: Path, options: ReaderOptions, on_problem: OnProblem,
    left_out: Counter[str],
) -> list[ReadGroup]:
    """The groups of a folder of a format that has several.

    :param left_out: counts its files that no reader reads, by their endings.
    :raises SourceError: it cannot be read.
    """
    reader = formats.readers[format]
    assert isinstance(reader, GroupedReader)
    source = source_name(root, options)

    def of_file(path: Path) -> ReadGroup | None:
        name = formats.by_name(path)
        where = relative_name(path, root)
        group = None if name is None else group_of_file(formats, name, path, where, source, options)
        if group is None:
            left_out[path.suffix.lower()] += 1
        return group

    where = "" if folder == root else relative_name(folder, root)
    return list(reader.groups(folder, where, options, on_problem, of_file))


def files_of(path: Path) -> list[Path]:
    """A file itself, or all files below a folder."""
    return [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]


def _passed_over(tables: list[Path], root: Path) -> str:
    names = ", ".join(relative_name(table, root) for table in tables[:_NAMED])
    more = f" and {len(tables) - _NAMED:,} more" if len(tables) > _NAMED else ""
    return f"tables whose header names no column of text are passed over: {names}{more}"


def nothing_known(
    formats: Formats, path: Path, entries: FolderEntries, only: str | None = None, problems: Sequence[Problem] = ()
) -> SourceError:
    """The error for a folder without any file that can be read."""
    readable = [*lacking_texts(entries.lacking), *left_out_texts({
        suffix: count for suffix, count in entries.left_out.items() if other_form(suffix)
    })]
    if readable:
        hint = f"Left out: {'; '.join(readable)}"
        return SourceError("holds no file that can be read", where=str(path), hint=hint)
    if entries.tables:
        return SourceError(
            f"holds no text ({_passed_over(entries.tables, path)})", where=str(path),
            hint="Name such a file, or its format with --format csv, to read it all the same",
        )
    if only is not None:
        endings = formats.endings(only)
        hint = f"Its files end in {', '.join(endings)}; give others by their names: {path}/*" if endings else ""
        return SourceError(f"holds no file of the format {only}", where=str(path), hint=hint or None)
    hint = f"Passed over: {problems[0]}" if problems else formats.hint
    return SourceError("holds no file of a known format", where=str(path), hint=hint)
