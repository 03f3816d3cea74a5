"""Every reader by its name, the detection of formats, and folders that mix them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from porism.corpus.archives.formats import archive_kind, compression
from porism.corpus.archives.listings import PaperListings
from porism.corpus.archives.reader import ArchiveGroup, ArchiveReader
from porism.corpus.attachments import with_entries
from porism.corpus.base import OnProgress, Reader, ReaderOptions, ignore_problem
from porism.corpus.bibliography.reader import BibtexReader, CslReader, ReferenceReader, RisReader
from porism.corpus.epub.reader import EpubReader
from porism.corpus.formal.agda import AgdaReader
from porism.corpus.formal.isabelle import IsabelleReader
from porism.corpus.formal.metamath import MetamathReader
from porism.corpus.formal.mizar import MizarReader
from porism.corpus.formal.rocq import RocqReader
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
from porism.corpus.html.reader import FormulaPageReader, PageReader
from porism.corpus.inclusions import IncludingReader
from porism.corpus.lacking import Lacking, lacking_texts
from porism.corpus.latex.loading import EXTENSIONS as LATEX_EXTENSIONS
from porism.corpus.latex.loading import STYLES
from porism.corpus.latex.reader import LatexReader
from porism.corpus.lean.reader import LeanReader
from porism.corpus.markdown.reader import MarkdownReader
from porism.corpus.mediawiki.reader import MediaWikiReader
from porism.corpus.notebooks.reader import NotebookReader
from porism.corpus.notebooks.scripts import SCRIPT_LANGUAGES
from porism.corpus.notes.anki import AnkiReader, AnkiTextReader
from porism.corpus.notes.joplin import JoplinReader
from porism.corpus.notes.logseq import LogseqReader
from porism.corpus.notes.lyx import LyxReader
from porism.corpus.notes.mathematica import MathematicaReader
from porism.corpus.notes.xournal import XournalReader
from porism.corpus.org.reader import OrgReader
from porism.corpus.pandoc.reader import FORMATS, PandocReader
from porism.corpus.pdf.reader import PdfReader
from porism.corpus.plain_text import PlainReader
from porism.corpus.posts.arqmath import ArqmathReader
from porism.corpus.posts.formula_posts import FormulaTableReader
from porism.corpus.posts.stackexchange import StackExchangeReader
from porism.corpus.pretext.reader import PretextReader
from porism.corpus.rst.reader import RstReader
from porism.corpus.tables.headers import has_text_column
from porism.corpus.tables.reader import CsvReader, JsonlReader, RecordReader
from porism.corpus.texmacs.reader import TexmacsReader
from porism.corpus.text_files import guess_encoding, kind_of_special, open_file, size_of
from porism.corpus.typst.reader import TypstReader
from porism.corpus.walking import SPECIAL_HINT, FileReader, check_file, ending, relative_name, source_name, walk
from porism.corpus.zotero.reader import ZoteroReader
from porism.errors import OnProblem, Problem, SourceError
from porism.extras import Extra
from porism.types import Document

_SNIFFED = 4096


class FolderReader:
    """Reads a folder of mixed files: each goes to the reader of its format, in sorted order.

    LaTeX sources are read together, as projects; a folder that is a collection of its own (ARQMath, Stack Exchange)
    goes to its reader as a whole. Files of no known format are passed over, and so are CSV and TSV tables whose header
    names no column of text, which is reported.

    :param only: read the files of this one format alone, all tables among them.
    :param archives: the reader of archives, where the folder is what another one was unpacked to.
    """

    name = "folder"
    document = "what each format says"

    def __init__(self, only: str | None = None, archives: ArchiveReader | None = None) -> None:
        self._only, self._archives = only, archives

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
        files, tables, left_out, lacking = _entries(path, problems.append, self._only, options)
        if not files:
            raise _nothing_known(path, tables, self._only, problems, lacking)
        for problem in problems:
            on_problem(problem)
        for files_and_command in lacking_texts(lacking):
            on_problem(Problem(str(path), f"left out: {files_and_command}"))
        if tables:
            on_problem(Problem(str(path), f"{_passed_over(tables, path)}; name such a file to read it"))
        size = sum(size_of(entry) for entry, _ in files)
        format = self._only or _format_of_all(files, tables)
        folders: dict[Path, list[ReadGroup]] = {}
        for entry, name in files:
            if isinstance(READERS[name], GroupedReader):
                try:
                    folders[entry] = _groups_of_folder(name, entry, path, options, on_problem, left_out)
                except SourceError as error:
                    on_problem(Problem(error.where or relative_name(entry, path), error.what))
        groups = with_entries(self._groups(path, files, options, folders, left_out), _attached_files(files, options))
        return SourceGroups(format, groups, size, left_out, lacking)

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
            if isinstance(reader := READERS[name], LatexReader | IncludingReader):
                if entry == projects[name][0]:
                    yield from reader.groups(path, projects[name], options, source)
            elif isinstance(reader, GroupedReader):
                yield from folders.get(entry, ())
            elif isinstance(reader, ArchiveReader):
                yield ArchiveGroup(self._archives or reader, entry, where, options, listings, left_out=left_out)
            else:
                yield _group_of_file(name, entry, where, source, options) or CollectionGroup(
                    READERS[name], entry, where, _files_of(entry), options
                )


def _attached_files(files: list[tuple[Path, str]], options: ReaderOptions) -> dict[str, Document]:
    """The whole paths of the files that lists of references name, each with the document of its entry.

    :param files: those of a folder, with their formats.
    """
    lists = [(READERS[name], path) for path, name in files]
    return {
        file: entry for reader, path in lists if isinstance(reader, ReferenceReader)
        for file, entry in reader.attached(path, options)
    }


def _group_of_file(
    format: str, path: Path, name: str, source: str, options: ReaderOptions, *, alone: bool = False
) -> ReadGroup | None:
    """The group of one file that is read by itself; None where its format reads files together."""
    reader = READERS[format]
    if isinstance(reader, FileReader):
        return FileGroup(reader, path, name, source, options, alone=alone)
    return TableGroup(reader, path, name, options, alone=alone) if isinstance(reader, RecordReader) else None


def _groups_of_folder(
    format: str, folder: Path, root: Path, options: ReaderOptions, on_problem: OnProblem, left_out: Counter[str]
) -> list[ReadGroup]:
    """The groups of a folder of a format that has several.

    :param left_out: counts its files that no reader reads, by their endings.
    :raises SourceError: it cannot be read.
    """
    reader = READERS[format]
    assert isinstance(reader, GroupedReader)
    source = source_name(root, options)

    def of_file(path: Path) -> ReadGroup | None:
        name = _format_of(path)
        where = relative_name(path, root)
        group = None if name is None else _group_of_file(name, path, where, source, options)
        if group is None:
            left_out[path.suffix.lower()] += 1
        return group

    where = "" if folder == root else relative_name(folder, root)
    return list(reader.groups(folder, where, options, on_problem, of_file))


class _Entries(NamedTuple):
    """What a folder has: files to read with their formats, tables that hold no text, other files by endings, and files
    whose readers lack an extra.
    """

    files: list[tuple[Path, str]]
    tables: list[Path]
    left_out: Counter[str]
    lacking: Counter[Lacking]


def _files_of(path: Path) -> list[Path]:
    """A file itself, or all files below a folder."""
    return [path] if path.is_file() else [file for file in sorted(path.rglob("*")) if file.is_file()]


def _open_unpacked(
    path: Path, options: ReaderOptions, on_problem: OnProblem, archives: ArchiveReader
) -> SourceGroups:
    """What is read together of a folder that an archive was unpacked to."""
    collection = _format_of(path)
    if collection is not None:
        return source_groups(path, collection, options, on_problem)
    return FolderReader(archives=archives).groups(path, options, on_problem)


def _is_read(name: str) -> bool:
    """Whether a reader reads files of such a name whatever is in them."""
    return ending(Path(name)) in _BY_EXTENSION or bool(archive_kind(name) or compression(name))


READERS: dict[str, Reader] = {
    "arqmath": ArqmathReader(),
    "stackexchange": StackExchangeReader(),
    "zotero": ZoteroReader(),
    "joplin": JoplinReader(),
    "arqmath-formulas": FormulaTableReader(),
    "bibtex": BibtexReader(),
    "ris": RisReader(),
    "csl-json": CslReader(),
    "jsonl": JsonlReader(),
    "csv": CsvReader(),
    "latex": LatexReader(),
    "logseq": LogseqReader(),
    "pretext": PretextReader(),
    "typst": TypstReader(),
    "markdown": MarkdownReader(),
    "rst": RstReader(),
    "org": OrgReader(),
    "lyx": LyxReader(),
    "texmacs": TexmacsReader(),
    "xournal": XournalReader(),
    "mathematica": MathematicaReader(),
    "lean": LeanReader(),
    "isabelle": IsabelleReader(),
    "rocq": RocqReader(),
    "agda": AgdaReader(),
    "metamath": MetamathReader(),
    "mizar": MizarReader(),
    "notebook": NotebookReader(),
    "epub": EpubReader(),
    **{format.name: PandocReader(format) for format in FORMATS},
    "html": PageReader(),
    "html-formulas": FormulaPageReader(),
    "mediawiki": MediaWikiReader(),
    "anki": AnkiReader(),
    "anki-text": AnkiTextReader(),
    "pdf": PdfReader(),
    "text": PlainReader(),
    "archive": ArchiveReader(_open_unpacked, _is_read),
    "folder": FolderReader(),
}
"""Format → its reader. The order is that of detection: collections first, then tables, then single files."""

_ENDINGS_OF_TABLES = {
    name: reader.extensions for name, reader in READERS.items() if isinstance(reader, RecordReader)
}
_COLLECTIONS = ("arqmath", "stackexchange", "zotero", "joplin")
_TABLES = tuple(_ENDINGS_OF_TABLES)
_DETECTED = (*_COLLECTIONS, *_TABLES, "notebook", "pretext", MediaWikiReader.name, ArchiveReader.name)
"""Formats whose files are found by more than their endings."""
_READ_ALONE = frozenset((*_COLLECTIONS, "arqmath-formulas", *_TABLES))
"""Formats whose readers take no folder of such files."""
_NAMED = 3
"""So many of the tables that are passed over are named."""
_TABLE_EXTENSIONS = frozenset((".xml", *(suffix for endings in _ENDINGS_OF_TABLES.values() for suffix in endings)))
_DETECTED_ENDINGS: dict[str, Sequence[str]] = {
    **_ENDINGS_OF_TABLES, "joplin": JoplinReader.extensions, "notebook": (".ipynb", *SCRIPT_LANGUAGES)
}
_BY_EXTENSION: dict[str, list[str]] = {suffix: ["latex"] for suffix in LATEX_EXTENSIONS}
"""Extension → the formats whose files have it; a file is of the first that accepts it."""
for _name, _reader in READERS.items():
    for _suffix in _reader.extensions if isinstance(_reader, FileReader) else ():
        _BY_EXTENSION.setdefault(_suffix, []).append(_name)


def endings_of(format: str) -> list[str]:
    """The endings of the files of a format; of collections, and of folders of everything, none."""
    return [*_DETECTED_ENDINGS.get(format, ())] or [
        suffix for suffix, names in _BY_EXTENSION.items() if format in names
    ]


def extras_of(format: str) -> Mapping[str, Extra]:
    """Of endings whose files are read with an optional package, the extra that has it."""
    extras: Mapping[str, Extra] = getattr(READERS.get(format), "needs", {})
    return extras


def missing_extra(format: str, path: Path) -> Extra | None:
    """The extra that the reading of a file needs and that is not installed; None where nothing is missing."""
    extra = extras_of(format).get(ending(path))
    return extra if extra is not None and not extra.is_installed else None


def detect_format(path: Path | str, options: ReaderOptions | None = None) -> str:
    """The name of the format of a file or folder, found by its contents, its extension or its first bytes.

    :raises SourceError: it is missing, empty, unreadable, or of no known format.
    """
    path = Path(path)
    if path.is_dir():
        collection = _format_of(path) or _format_of_tables(path)
        if collection is not None:
            return collection
        problems: list[Problem] = []
        files, tables, _, lacking = _entries(path, problems.append, options=options)
        if not files and not tables:
            raise _nothing_known(path, tables, problems=problems, lacking=lacking)
        return _format_of_all(files, tables)
    check_file(path)
    known = _format_of_tables(path) or _format_of(path) or _format_of_bytes(path)
    if known is None:
        raise SourceError("is of no known format", where=str(path), hint=_hint())
    return known


def _format_of_all(files: list[tuple[Path, str]], tables: list[Path]) -> str:
    """The format of a folder of these files: theirs where it is one and no table, else ``folder``."""
    kinds = {name for _, name in files}
    return kinds.pop() if len(kinds) == 1 and not tables and kinds.isdisjoint(_READ_ALONE) else FolderReader.name


def source_groups(
    path: Path, format: str | None, options: ReaderOptions, on_problem: OnProblem = ignore_problem
) -> SourceGroups:
    """What is read together of a source; each group is to be read or skipped before the next is requested.

    :raises SourceError: the source is missing, empty, unreadable or of no known format, or there is no such format.
    """
    if format is not None and format not in READERS:
        raise SourceError(f"there is no format {format!r}", hint=_hint())
    if format is not None and not path.exists():
        raise SourceError("there is no such file or folder", where=str(path))
    if special := kind_of_special(path):
        raise SourceError(f"is {special}, not a file", where=str(path), hint=SPECIAL_HINT)
    if format is None and path.is_dir() and (_format_of(path) or _format_of_tables(path)) is None:
        return FolderReader().groups(path, options, on_problem)
    name = format or detect_format(path, options)
    reader = READERS[name]
    if path.is_dir() and (
        name in _TABLES or name == "latex" or isinstance(reader, FileReader | FolderReader | ArchiveReader)
    ):
        return FolderReader(None if name == FolderReader.name else name).groups(path, options, on_problem)
    if isinstance(reader, FolderReader):
        raise SourceError("there is no such folder", where=str(path))
    source = source_name(path, options)
    groups: Iterator[ReadGroup]
    left_out: Counter[str] = Counter()
    if isinstance(reader, LatexReader):
        groups = reader.groups(path.parent, [path], options, source)
    elif isinstance(reader, IncludingReader):
        check_file(path)
        groups = reader.groups(path.parent, [path], options, source, alone=True)
    elif isinstance(reader, GroupedReader):
        groups = iter(_groups_of_folder(name, path, path, options, on_problem, left_out))
    elif isinstance(reader, ArchiveReader):
        check_file(path)
        listings = PaperListings(path.parent, [path], options)
        groups = iter([ArchiveGroup(reader, path, path.name, options, listings, left_out=left_out, alone=True)])
    else:
        if isinstance(reader, FileReader):
            check_file(path)
        groups = iter([
            _group_of_file(name, path, path.name, source, options, alone=True)
            or CollectionGroup(reader, path, "", _files_of(path), options, alone=True)
        ])
    return SourceGroups(name, groups, size_of(path) if path.is_file() else 0, left_out)



def _is_collection(path: Path) -> bool:
    return any(READERS[name].detect(path) for name in _COLLECTIONS)


def _format_of(path: Path) -> str | None:
    """The format by name alone (and of a folder, by what is in it)."""
    if path.is_dir():
        return next((name for name in _COLLECTIONS if READERS[name].detect(path)), None)
    for name in _BY_EXTENSION.get(ending(path), ()):
        reader = READERS[name]
        if not isinstance(reader, FileReader) or reader.accepts(path):
            return name
    return next((name for name in _DETECTED if READERS[name].detect(path)), None)


def _is_named_as_source(path: Path, only: str | None) -> bool:
    suffix = ending(path.with_suffix("") if path.suffix.lower() == ".gz" else path)
    if only is not None and (endings := endings_of(only)):
        return suffix in endings
    return suffix in _BY_EXTENSION or suffix in _TABLE_EXTENSIONS or archive_kind(path.name) != ""


def _format_of_tables(path: Path) -> str | None:
    """Formula tables are detected only where they are named themselves: beside other files they belong to posts."""
    name = FormulaTableReader.name
    return name if READERS[name].detect(path) else None


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


def _entries(
    path: Path, on_problem: OnProblem, only: str | None = None, options: ReaderOptions | None = None
) -> _Entries:
    """The files of a folder; hidden ones and those of ignored folders are in none of the lists."""
    wanted = [*(options.fields or {}).values()] if options is not None else []
    files: list[tuple[Path, str]] = []
    tables: list[Path] = []
    left_out: Counter[str] = Counter()
    lacking: Counter[Lacking] = Counter()
    follow = options is not None and options.outside
    for entry in walk(
        path, on_problem, _is_collection, outside=follow, wanted=lambda entry: _is_named_as_source(entry, only)
    ):
        name = _format_of(entry)
        if name is None and only is None and entry.suffix.lower() not in STYLES:
            left_out[entry.suffix.lower()] += 1
        if name is None or (only is not None and name != only):
            continue
        if (extra := missing_extra(name, entry)) is not None:
            lacking[Lacking(extra, ending(entry))] += 1
        elif name == "csv" and only is None and not has_text_column(entry, wanted):
            tables.append(entry)
        else:
            files.append((entry, name))
    return _Entries(files, tables, left_out, lacking)


def _passed_over(tables: list[Path], root: Path) -> str:
    names = ", ".join(relative_name(table, root) for table in tables[:_NAMED])
    more = f" and {len(tables) - _NAMED:,} more" if len(tables) > _NAMED else ""
    return f"tables whose header names no column of text are passed over: {names}{more}"


def _nothing_known(
    path: Path, tables: list[Path], only: str | None = None, problems: Sequence[Problem] = (),
    lacking: Mapping[Lacking, int] | None = None,
) -> SourceError:
    if lacking:
        texts = "; ".join(lacking_texts(lacking))
        return SourceError("holds no file that can be read", where=str(path), hint=f"Left out: {texts}")
    if tables:
        return SourceError(
            f"holds no text ({_passed_over(tables, path)})", where=str(path),
            hint="Name such a file, or its format with --format csv, to read it all the same",
        )
    if only is not None:
        endings = endings_of(only)
        hint = f"Its files end in {', '.join(endings)}; give others by their names: {path}/*" if endings else None
        return SourceError(f"holds no file of the format {only}", where=str(path), hint=hint)
    hint = f"Passed over: {problems[0]}" if problems else _hint()
    return SourceError("holds no file of a known format", where=str(path), hint=hint)


def _hint() -> str:
    return f"The formats are {', '.join(READERS)}"
