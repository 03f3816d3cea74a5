"""Which format a file or folder has: by its name, by what is in it, by its first bytes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from porism.corpus.archives.formats import archive_kind, compression
from porism.corpus.base import Reader, ReaderOptions
from porism.corpus.lacking import Lacking
from porism.corpus.latex.loading import EXTENSIONS as LATEX_EXTENSIONS
from porism.corpus.latex.loading import STYLES
from porism.corpus.tables.headers import has_text_column
from porism.corpus.tables.reader import RecordReader
from porism.corpus.text_files import guess_encoding, open_file
from porism.corpus.walking import FileReader, ending, walk
from porism.errors import OnProblem
from porism.extras import Extra

COLLECTIONS = ("arqmath", "stackexchange", "zotero", "joplin")
"""Formats of folders that go to their reader as a whole."""
_FORMULA_TABLES = "arqmath-formulas"
_DETECTED = ("notebook", "pretext", "mediawiki", "archive")
"""Other formats whose files are found by more than their endings."""
_SNIFFED = 4096


class FolderEntries(NamedTuple):
    """What a folder has: files to read with their formats, tables that hold no text, other files by endings, and files
    whose readers lack an extra.
    """

    files: list[tuple[Path, str]]
    tables: list[Path]
    left_out: Counter[str]
    lacking: Counter[Lacking]


class Formats:
    """The formats of a table of readers, and which of them a file has.

    :param readers: in the order of detection. Several may have one extension: a file is of the first that accepts it.
    """

    def __init__(self, readers: Mapping[str, Reader]) -> None:
        self.readers = readers
        tables = {name: reader.extensions for name, reader in readers.items() if isinstance(reader, RecordReader)}
        self.tables = tuple(tables)
        self._detected = (*COLLECTIONS, *tables, *_DETECTED)
        self._table_extensions = frozenset((".xml", *(suffix for endings in tables.values() for suffix in endings)))
        self._by_extension: dict[str, list[str]] = {suffix: ["latex"] for suffix in LATEX_EXTENSIONS}
        for name, reader in readers.items():
            for suffix in reader.extensions if isinstance(reader, FileReader) else ():
                self._by_extension.setdefault(suffix, []).append(name)

    @property
    def hint(self) -> str:
        """What a message about an unknown format says."""
        return f"The formats are {', '.join(self.readers)}"

    def endings(self, format: str) -> Sequence[str]:
        """The endings of the files of a format; of collections that are folders, and of folders of everything, none."""
        if format == "latex":
            return LATEX_EXTENSIONS
        reader = self.readers.get(format)
        return (*getattr(reader, "extensions", ()), *getattr(reader, "detected_extensions", ()))

    def extras(self, format: str) -> Mapping[str, Extra]:
        """Of endings whose files are read with an optional package, the extra that has it."""
        extras: Mapping[str, Extra] = getattr(self.readers.get(format), "needs", {})
        return extras

    def missing_extra(self, format: str, path: Path) -> Extra | None:
        """The extra that the reading of a file needs and that is not installed; None where nothing is missing."""
        extra = self.extras(format).get(ending(path))
        return extra if extra is not None and not extra.is_installed else None

    def has_reader(self, name: str) -> bool:
        """Whether a reader reads files of such a name whatever is in them."""
        return ending(Path(name)) in self._by_extension or bool(archive_kind(name) or compression(name))

    def by_name(self, path: Path) -> str | None:
        """The format by name alone (and of a folder, by what is in it)."""
        if path.is_dir():
            return next((name for name in COLLECTIONS if self.readers[name].detect(path)), None)
        for name in self._by_extension.get(ending(path), ()):
            reader = self.readers[name]
            if not isinstance(reader, FileReader) or reader.accepts(path):
                return name
        return next((name for name in self._detected if self.readers[name].detect(path)), None)

    def whole(self, path: Path) -> str | None:
        """The format of a source that is no folder of everything, as far as names tell.

        Formula tables are detected only where they are named themselves: beside other files they belong to posts.
        """
        named = self.by_name(path) if path.is_dir() else None
        return named or (_FORMULA_TABLES if self.readers[_FORMULA_TABLES].detect(path) else None)

    def of_file(self, path: Path) -> str | None:
        """The format of a file by its name, else by its first bytes."""
        return self.whole(path) or self.by_name(path) or _format_of_bytes(path)

    def of_all(self, files: Iterable[tuple[Path, str]], tables: Sequence[Path]) -> str:
        """The format of a folder of these files: theirs where it is one and no table, else ``folder``."""
        alone = {*COLLECTIONS, _FORMULA_TABLES, *self.tables}  # their readers take no folder of such files
        kinds = {name for _, name in files}
        return kinds.pop() if len(kinds) == 1 and not tables and kinds.isdisjoint(alone) else "folder"

    def entries(
        self, path: Path, on_problem: OnProblem, only: str | None = None, options: ReaderOptions | None = None
    ) -> FolderEntries:
        """The files of a folder; hidden ones and those of ignored folders are in none of the lists."""
        wanted = [*(options.fields or {}).values()] if options is not None else []
        entries = FolderEntries([], [], Counter(), Counter())
        follow = options is not None and options.outside
        for entry in walk(
            path, on_problem, lambda folder: any(self.readers[name].detect(folder) for name in COLLECTIONS),
            outside=follow, wanted=lambda entry: self._is_named_as_source(entry, only),
        ):
            name = self.by_name(entry)
            if name is None and only is None and entry.suffix.lower() not in STYLES:
                entries.left_out[entry.suffix.lower()] += 1
            if name is None or (only is not None and name != only):
                continue
            if (extra := self.missing_extra(name, entry)) is not None:
                entries.lacking[Lacking(extra, ending(entry))] += 1
            elif name == "csv" and only is None and not has_text_column(entry, wanted):
                entries.tables.append(entry)
            else:
                entries.files.append((entry, name))
        return entries

    def _is_named_as_source(self, path: Path, only: str | None) -> bool:
        suffix = ending(path.with_suffix("") if path.suffix.lower() == ".gz" else path)
        if only is not None and (endings := self.endings(only)):
            return suffix in endings
        return suffix in self._by_extension or suffix in self._table_extensions or archive_kind(path.name) != ""


def _format_of_bytes(path: Path) -> str | None:
    with open_file(path) as file:
        head = file.read(_SNIFFED)
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html", b"<?xml")) and b"<html" in start:
        return "html"
    if b"\\documentclass" in start or b"\\begin{document}" in start:
        return "latex"
    if start.startswith(b"{"):
        return "notebook" if b'"cells"' in start else "jsonl"
    if b"\0" in head and guess_encoding(head) is None:
        return None
    if start.startswith((b"%pdf", b"pk\x03\x04", b"\x1f\x8b", b"\x89png", b"\xff\xd8\xff", b"<?xml")):
        return None
    return "text"
