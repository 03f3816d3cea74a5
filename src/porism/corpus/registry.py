"""Every reader by the name of its format, and what is read together of a source."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.archives.listings import PaperListings
from porism.corpus.archives.reader import ArchiveGroup, ArchiveReader
from porism.corpus.base import Reader, ReaderOptions, ignore_problem
from porism.corpus.bibliography.reader import BibtexReader, CslReader, RisReader
from porism.corpus.detection import Formats
from porism.corpus.epub.reader import EpubReader
from porism.corpus.folders import FolderReader, files_of, group_of_file, groups_of_folder, nothing_known
from porism.corpus.formal.agda import AgdaReader
from porism.corpus.formal.isabelle import IsabelleReader
from porism.corpus.formal.metamath import MetamathReader
from porism.corpus.formal.mizar import MizarReader
from porism.corpus.formal.rocq import RocqReader
from porism.corpus.groups import CollectionGroup, GroupedReader, ReadGroup, SourceGroups
from porism.corpus.html.formula_pages import FormulaPageReader
from porism.corpus.html.reader import PageReader
from porism.corpus.inclusions import IncludingReader
from porism.corpus.lacking import other_form
from porism.corpus.latex.reader import LatexReader
from porism.corpus.lean.reader import LeanReader
from porism.corpus.markdown.reader import MarkdownReader
from porism.corpus.mediawiki.reader import MediaWikiReader
from porism.corpus.notebooks.reader import NotebookReader
from porism.corpus.notes.anki import AnkiReader, AnkiTextReader
from porism.corpus.notes.joplin import JoplinReader
from porism.corpus.notes.logseq import LogseqReader
from porism.corpus.notes.lyx import LyxReader
from porism.corpus.notes.mathematica import MathematicaReader
from porism.corpus.notes.xournal import XournalReader
from porism.corpus.org.reader import OrgReader
from porism.corpus.pandoc.reader import PANDOC_FORMATS, PandocReader
from porism.corpus.pdf.reader import PdfReader
from porism.corpus.plain_text import PlainReader
from porism.corpus.posts.arqmath import ArqmathReader
from porism.corpus.posts.formula_posts import FormulaTableReader
from porism.corpus.posts.stackexchange import StackExchangeReader
from porism.corpus.pretext.reader import PretextReader
from porism.corpus.rst.reader import RstReader
from porism.corpus.tables.reader import CsvReader, JsonlReader
from porism.corpus.texmacs.reader import TexmacsReader
from porism.corpus.text_files import kind_of_special, size_of
from porism.corpus.typst.reader import TypstReader
from porism.corpus.walking import SPECIAL_HINT, FileReader, check_file, source_name
from porism.corpus.zotero.reader import ZoteroReader
from porism.errors import OnProblem, Problem, SourceError


def detect_format(path: Path | str, options: ReaderOptions | None = None) -> str:
    """The name of the format of a file or folder, found by its contents, its extension or its first bytes.

    :raises SourceError: it is missing, empty, unreadable, or of no known format.
    """
    path = Path(path)
    if path.is_dir():
        if (whole := FORMATS.whole(path)) is not None:
            return whole
        problems: list[Problem] = []
        entries = FORMATS.entries(path, problems.append, options=options)
        if not entries.files and not entries.tables:
            raise nothing_known(FORMATS, path, entries, problems=problems)
        return FORMATS.of_all(entries.files, entries.tables)
    check_file(path)
    form = other_form(path.suffix.lower())
    known = None if form else FORMATS.of_file(path)
    if known is None:
        hint = f"Of files in {path.suffix}: {form}" if form else FORMATS.hint
        raise SourceError("is of no known format", where=str(path), hint=hint)
    return known


def source_groups(
    path: Path, format: str | None, options: ReaderOptions, on_problem: OnProblem = ignore_problem
) -> SourceGroups:
    """What is read together of a source; each group is to be read or skipped before the next is requested.

    :raises SourceError: the source is missing, empty, unreadable or of no known format, or there is no such format.
    """
    if format is not None and format not in READERS:
        raise SourceError(f"there is no format {format!r}", hint=FORMATS.hint)
    if format is not None and not path.exists():
        raise SourceError("there is no such file or folder", where=str(path))
    if special := kind_of_special(path):
        raise SourceError(f"is {special}, not a file", where=str(path), hint=SPECIAL_HINT)
    if format is None and path.is_dir() and FORMATS.whole(path) is None:
        return FolderReader(FORMATS).groups(path, options, on_problem)
    name = format or detect_format(path, options)
    reader = READERS[name]
    if path.is_dir() and (
        name in FORMATS.tables or name == "latex" or isinstance(reader, FileReader | FolderReader | ArchiveReader)
    ):
        return FolderReader(FORMATS, None if name == FolderReader.name else name).groups(path, options, on_problem)
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
        groups = iter(groups_of_folder(FORMATS, name, path, path, options, on_problem, left_out))
    elif isinstance(reader, ArchiveReader):
        check_file(path)
        listings = PaperListings(path.parent, [path], options)
        groups = iter([ArchiveGroup(reader, path, path.name, options, listings, left_out=left_out, alone=True)])
    else:
        if isinstance(reader, FileReader):
            check_file(path)
        groups = iter([
            group_of_file(FORMATS, name, path, path.name, source, options, alone=True)
            or CollectionGroup(reader, path, "", files_of(path), options, alone=True)
        ])
    return SourceGroups(name, groups, size_of(path) if path.is_file() else 0, left_out)


def _open_unpacked(
    path: Path, options: ReaderOptions, on_problem: OnProblem, archives: ArchiveReader
) -> SourceGroups:
    """What is read together of a folder that an archive was unpacked to."""
    collection = FORMATS.by_name(path)
    if collection is not None:
        return source_groups(path, collection, options, on_problem)
    return FolderReader(FORMATS, archives=archives).groups(path, options, on_problem)


def _is_read(name: str) -> bool:
    return FORMATS.has_reader(name)


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
    **{format.name: PandocReader(format) for format in PANDOC_FORMATS},
    "html": PageReader(),
    "html-formulas": FormulaPageReader(),
    "mediawiki": MediaWikiReader(),
    "anki": AnkiReader(),
    "anki-text": AnkiTextReader(),
    "pdf": PdfReader(),
    "text": PlainReader(),
    "archive": ArchiveReader(_open_unpacked, _is_read),
}
"""Format → its reader. The order is that of detection: collections first, then tables, then single files."""
"""Format → its reader. The order is that of detection: collections first, then tables, then single files."""

FORMATS = Formats(READERS)
READERS[FolderReader.name] = FolderReader(FORMATS)
