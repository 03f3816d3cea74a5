"""Flashcards of Anki: packages of decks and collections, and exports as text. A note is a document."""

from __future__ import annotations

import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import IO, Any

import orjson
import zstandard

from porism.corpus.base import ReaderOptions, UnitId, clean
from porism.corpus.databases import foreign_database
from porism.corpus.html.content import html_to_content
from porism.corpus.mathtext import split_math
from porism.corpus.posts.threads import join_contents
from porism.corpus.streams import BLOCK, MAX_TIMES_UNPACKED, UNPACKED_FREELY
from porism.corpus.tables.cells import read_rows
from porism.corpus.text_files import open_file
from porism.corpus.text_reader import TextFileReader
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem, SourceError
from porism.types import Content, Document

MAX_TITLE_LENGTH = 300
"""A longer first field is no title."""
_DATABASES = ("collection.anki21b", "collection.anki21", "collection.anki2")
"""The databases of a package, the newest first; older ones beside it say that they need a newer Anki."""
_CLOZE = re.compile(r"\{\{c\d+::((?:[^{}:]|:(?!:)|\{(?!\{c\d)|\}(?!\}))*)(?:::(?:[^{}]|\{[^{}]*\})*)?\}\}")
_MAX_CLOZES = 8
"""Gaps within gaps are read to this depth."""
_MARKS = (
    (re.compile(r"\[\$\$\](.{0,5000}?)\[/\$\$\]", re.DOTALL), r"\\[\1\\]"),
    (re.compile(r"\[\$\](.{0,5000}?)\[/\$\]", re.DOTALL), r"\\(\1\\)"),
    (re.compile(r"\[latex\](.{0,5000}?)\[/latex\]", re.DOTALL), r"\1"),
    (
        re.compile(r"<anki-mathjax\b[^>]{0,200}\bblock=\"true\"[^>]{0,200}>(.{0,5000}?)</anki-mathjax>", re.DOTALL),
        r"\\[\1\\]",
    ),
    (re.compile(r"<anki-mathjax\b[^>]{0,200}>(.{0,5000}?)</anki-mathjax>", re.DOTALL), r"\\(\1\\)"),
    (re.compile(r"\[sound:[^\]\n]{0,500}\]"), ""),
)
_HEADER = re.compile(r"#([a-z ]+):(.*)")


class AnkiReader(FileReader):
    """Reads packages of Anki: the notes of a deck, or of a whole collection."""

    name = "anki"
    extensions = (".apkg", ".colpkg")
    document = "a note, with its fields, tags and deck"

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        try:
            with tempfile.TemporaryDirectory() as folder, open_file(path) as file:
                database = Path(folder) / "collection.sqlite"
                _unpack(file, path, database, options.max_unpacked)
                with foreign_database(database, name) as connection:
                    yield from _notes(connection, name, source, on_problem)
        except (OSError, EOFError, ValueError, NotImplementedError, RuntimeError, zipfile.BadZipFile,
                zstandard.ZstdError) as error:
            on_problem(Problem(name, f"is not a package of Anki that can be read ({error})"))
        except SourceError as error:
            on_problem(Problem(error.where or name, error.what))


def _unpack(file: IO[bytes], path: Path, target: Path, limit: int | None) -> None:
    """Writes the database of a package to a file.

    :raises ValueError: there is none, or it is too large.
    """
    limit = limit or max(UNPACKED_FREELY, path.stat().st_size * MAX_TIMES_UNPACKED)
    with zipfile.ZipFile(file) as package:
        names = package.namelist()
        member = next((name for name in _DATABASES if name in names), None)
        if member is None:
            raise ValueError("it has no collection")
        with package.open(member) as packed, target.open("wb") as output:
            unpacked = zstandard.ZstdDecompressor().stream_reader(packed) if member.endswith("b") else packed
            while block := unpacked.read(BLOCK):
                output.write(block)
                if output.tell() > limit:
                    raise ValueError(f"its collection unpacks to more than {limit:,} bytes")


def _notes(database: sqlite3.Connection, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    """The notes of a collection, of the older form with all decks in one JSON or of the newer with tables."""
    tables = {table for table, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    fields: dict[str, list[str]] = {}
    decks: dict[str, str] = {}
    if "notetypes" in tables:
        for notetype, field in database.execute("SELECT ntid, name FROM fields ORDER BY ntid, ord"):
            fields.setdefault(str(notetype), []).append(str(field))
        rows = database.execute("SELECT id, name FROM decks")
        decks = {str(deck): str(own).replace("\x1f", "::") for deck, own in rows}
    else:
        models, stated = next(database.execute("SELECT models, decks FROM col"), ("{}", "{}"))
        for key, model in _objects(models):
            stated_fields = model.get("flds")
            fields[key] = [_name(field) for field in stated_fields] if isinstance(stated_fields, list) else []
        decks = {key: _name(deck) for key, deck in _objects(stated)}
    deck_of = {
        note: decks.get(str(deck), "")
        for note, deck in database.execute("SELECT nid, did FROM cards ORDER BY nid, ord DESC")
    }
    for number, notetype, tags, values in database.execute("SELECT id, mid, tags, flds FROM notes ORDER BY id"):
        document = _document(
            UnitId(name, str(number)), fields.get(str(notetype), ()), str(values).split("\x1f"), str(tags).split(),
            deck_of.get(number, ""), source, on_problem,
        )
        if document is not None:
            yield document


def _objects(text: Any) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The objects in an object of JSON."""
    values = orjson.loads(text)
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, dict):
            yield key, value


def _name(value: Any) -> str:
    return str(value.get("name", "")) if isinstance(value, dict) else ""


def _document(
    doc_id: UnitId, names: Sequence[str], values: Sequence[str], tags: Sequence[str], deck: str, source: str,
    on_problem: OnProblem, *, html: bool = True,
) -> Document | None:
    """The document of a note: its first field is the title, unless it is all; others are named where there are many."""
    where = f"{doc_id.file}: note {doc_id.unit}"
    contents = [_content(value, where, on_problem, html=html) for value in values]
    filled = [number for number, content in enumerate(contents) if content]
    if not filled:
        return None
    fields: dict[str, Content] = {}
    if len(filled) > 1 and filled[0] == 0 and len(contents[0].text) <= MAX_TITLE_LENGTH:
        fields["title"] = Content(" ".join(contents[0].text.split()), contents[0].formulas)
        filled = filled[1:]
    named = [
        join_contents([Content(f"{clean(names[number])}:"), contents[number]], " ")
        if len(filled) > 1 and number < len(names) else contents[number]
        for number in filled
    ]
    fields["body"] = join_contents(named, "\n\n")
    metadata: dict[str, str | tuple[str, ...]] = {"source": source, "type": "flashcard"}
    if tags:
        fields["tags"] = Content(", ".join(map(clean, tags)))
        metadata["tags"] = tuple(map(clean, tags))
    if deck:
        parts = clean(deck).split("::")
        metadata["deck"] = tuple("::".join(parts[:count]) for count in range(1, len(parts) + 1))
    return Document(doc_id, fields, metadata)


def _content(text: str, where: str, on_problem: OnProblem, *, html: bool) -> Content:
    for _ in range(_MAX_CLOZES):
        opened = _CLOZE.sub(r"\1", text)
        if opened == text:
            break
        text = opened
    for mark, replacement in _MARKS:
        text = mark.sub(replacement, text)
    if html:
        return html_to_content(text, where=where, on_problem=on_problem)
    return split_math(text, where=where, on_problem=on_problem)


class AnkiTextReader(TextFileReader):
    """Reads what Anki exports as text: a note a row, below lines such as ``#separator:tab``."""

    name = "anki-text"
    extensions = (".txt",)
    document = "a note, with its fields, tags and deck"

    def accepts(self, path: Path) -> bool:
        try:
            with open_file(path) as file:
                return file.read(14).removeprefix(b"\xef\xbb\xbf").startswith((b"#separator:", b"#html:"))
        except OSError:
            return False

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        lines = text.splitlines(keepends=True)
        header: dict[str, str] = {}
        first = 0
        while first < len(lines) and (match := _HEADER.fullmatch(lines[first].rstrip("\r\n"))) is not None:
            header[match.group(1)] = match.group(2).strip()
            first += 1
        tabbed = header.get("separator", "tab").lower() in ("tab", "\\t")
        columns = {
            name.removesuffix(" column"): int(number) - 1
            for name, number in header.items() if name.endswith(" column") and number.isdecimal()
        }
        names = header.get("columns", "").split("\t" if tabbed else ",")
        rows = read_rows(BytesIO("".join(lines[first:]).encode()), name, on_problem, tabbed=tabbed)
        for line, _, _, cells in rows:
            def cell(column: str, cells: list[str] = cells) -> str:
                place = columns.get(column, -1)
                return cells[place] if 0 <= place < len(cells) else ""

            kept = [number for number in range(len(cells)) if number not in columns.values()]
            own_names = [names[number] for number in kept if number < len(names)]
            document = _document(
                UnitId(name, cell("guid") or str(line + first)), own_names,
                [cells[number] for number in kept], [*header.get("tags", "").split(), *cell("tags").split()],
                cell("deck") or header.get("deck", ""), source, on_problem,
                html=header.get("html", "true").lower() == "true",
            )
            if document is not None:
                yield Document(document.id, document.fields, {**document.metadata, "line": str(line + first)})
