"""Exports of Joplin: archives (``.jex``) and RAW folders. Notes are Markdown; their notebooks and tags are metadata."""

from __future__ import annotations

import re
import tarfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from porism.corpus.base import OnProgress, ReaderOptions, UnitId, clean
from porism.corpus.html.reader import page_documents
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.sections import FileUnits
from porism.corpus.text_files import decode, open_file, read_bytes
from porism.corpus.walking import check_file, source_name
from porism.errors import OnProblem, Problem
from porism.types import Document

MAX_NOTE_LENGTH = 32 << 20
"""Larger items, in bytes, are left out."""
_ITEM = re.compile(r"[0-9a-f]{32}\.md\Z")
_PROPERTIES = re.compile(r"(?:\A|\n\n)((?:[a-z_]+:[^\n]*\n)*type_: *(\d+))\s*\Z")
_TITLE_END = re.compile(r"\n\n?")
_NOTE, _FOLDER, _TAG, _TAGGING = "1", "2", "5", "6"
_MAX_DEPTH = 50

_Items = Callable[[OnProblem], Iterator[tuple[str, bytes]]]
"""Gives the names and bytes of all items, each time anew."""


@dataclass(frozen=True, slots=True)
class _Item:
    """A note, a notebook, a tag, or that a note has a tag."""

    kind: str
    title: str
    body: str
    body_line: int
    values: Mapping[str, str]

    @classmethod
    def parse(cls, text: str) -> _Item | None:
        """The item that a text is, None where it is none."""
        text = text.replace("\r\n", "\n")
        match = _PROPERTIES.search(text, max(0, len(text) - 20_000))
        if match is None:
            return None
        values = dict(line.split(": ", 1) for line in match.group(1).split("\n") if ": " in line)
        said = text[: match.start()]
        end = _TITLE_END.search(said)
        title, start = (said, len(said)) if end is None else (said[: end.start()], end.end())
        return cls(match.group(2), title.strip(), said[start:], 1 + said.count("\n", 0, start), values)


class JoplinReader:
    """Reads archives and RAW folders that Joplin exports."""

    name = "joplin"
    extensions = (".jex",)
    document = "a note, or a section of it; a theorem-like block with its proof"

    def detect(self, path: Path) -> bool:
        """Whether it is an archive by its ending, or a folder of items, the first of which says its kind."""
        if not path.is_dir():
            return path.suffix.lower() in self.extensions
        try:
            first = next((file for file in sorted(path.glob("*.md")) if _ITEM.match(file.name)), None)
            if first is None:
                return False
            with open_file(first) as file:
                return _Item.parse(file.read(MAX_NOTE_LENGTH).decode("utf-8", "replace")) is not None
        except OSError:
            return False

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of all notes.

        :raises SourceError: there is no such file.
        """
        packed = not path.is_dir()
        if packed:
            check_file(path)
        export = _Export((lambda report: _packed(path, report)) if packed else (lambda report: _files(path, report)))
        for document in export.documents(source_name(path, options), on_problem):
            assert isinstance(document.id, UnitId)
            if packed:
                note = document.id.file.removesuffix(".md")
                unit = f"{note}/{document.id.unit}" if document.id.unit else note
                metadata = {name: value for name, value in document.metadata.items() if name != "line"}
                document = replace(document, id=UnitId(path.name, unit), metadata=metadata)
            yield document


def _packed(path: Path, on_problem: OnProblem) -> Iterator[tuple[str, bytes]]:
    try:
        with open_file(path) as file, tarfile.open(fileobj=file, mode="r:") as archive:
            for member in archive:
                name = member.name.rpartition("/")[2]
                if not member.isreg() or not _ITEM.match(name):
                    continue
                if member.size > MAX_NOTE_LENGTH:
                    on_problem(Problem(f"{path.name}/{name}", f"an item of {member.size:,} bytes is left out"))
                elif (data := archive.extractfile(member)) is not None:
                    yield name, data.read()
            file.seek(archive.offset)
            if file.read(tarfile.BLOCKSIZE).strip(b"\0"):  # what tarfile passes over in silence
                raise tarfile.ReadError(f"no item at byte {archive.offset:,}")
    except (OSError, EOFError, tarfile.TarError, ValueError) as error:
        on_problem(Problem(path.name, f"the archive breaks off or is damaged ({error})"))


def _files(folder: Path, on_problem: OnProblem) -> Iterator[tuple[str, bytes]]:
    for file in sorted(folder.glob("*.md")):
        if _ITEM.match(file.name) and (data := read_bytes(file, file.name, on_problem, MAX_NOTE_LENGTH)) is not None:
            yield file.name, data


class _Export:
    """All items of an export."""

    def __init__(self, items: _Items) -> None:
        self._items = items
        self._notebooks: dict[str, _Item] = {}
        self._tags: dict[str, str] = {}
        self._tags_of: defaultdict[str, list[str]] = defaultdict(list)

    def documents(self, source: str, on_problem: OnProblem) -> Iterator[Document]:
        """The documents of all notes, after a first look at notebooks and tags."""
        for name, data in self._items(on_problem):
            item = _Item.parse(data.decode("utf-8", "replace"))
            number = name.removesuffix(".md")
            if item is None:
                on_problem(Problem(name, "is not an item of Joplin; it is left out"))
            elif item.kind == _FOLDER:
                self._notebooks[number] = item
            elif item.kind == _TAG:
                self._tags[number] = item.title
            elif item.kind == _TAGGING:
                self._tags_of[item.values.get("note_id", "")].append(item.values.get("tag_id", ""))
        for name, data in self._items(lambda problem: None):
            item = _Item.parse(decode(data, name, on_problem))
            if item is None or item.kind != _NOTE:
                continue
            if item.values.get("encryption_applied") == "1":
                on_problem(Problem(name, "is encrypted; export it from Joplin once it is decrypted"))
                continue
            yield from self._note(name, item, source, on_problem)

    def _note(self, name: str, item: _Item, source: str, on_problem: OnProblem) -> Iterator[Document]:
        number = name.removesuffix(".md")
        tags = tuple(self._tags[tag] for tag in self._tags_of.get(number, ()) if tag in self._tags)
        extra: dict[str, str | tuple[str, ...]] = {"url": f"joplin://x-callback-url/openNote?id={number}"}
        if notebooks := self._notebooks_above(item):
            extra["notebook"] = notebooks
        if tags:
            extra["tags"] = tags
        if page := item.values.get("source_url"):
            extra["page"] = page
        title = markdown_text(clean(item.title), name, on_problem) if item.title else None
        if item.values.get("markup_language") == "2":
            for document in page_documents(item.body, name, source, "latex", on_problem):
                fields = {"title": title, **document.fields} if title and not document.title else document.fields
                yield replace(document, fields=fields, metadata={**document.metadata, **extra})
            return
        units = FileUnits(name, source, on_problem, title, extra)
        MarkdownBlocks(units, name, on_problem).read(item.body, item.body_line)
        yield from units.documents()

    def _notebooks_above(self, item: _Item) -> tuple[str, ...]:
        """The notebook of a note with those around it, the outermost first: ``Maths``, ``Maths/Algebra``."""
        titles: list[str] = []
        while len(titles) < _MAX_DEPTH and (above := self._notebooks.get(item.values.get("parent_id", ""))) is not None:
            titles.append(above.title)
            item = above
        titles.reverse()
        return tuple("/".join(titles[:count]) for count in range(1, len(titles) + 1))
