"""Libraries of Zotero: a document for each item, note and annotation, and those of the files that belong to items.

The database is one group, whose records are told apart by what they hold; each file is a group of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import xxhash

from porism.corpus.attachments import AttachedGroup
from porism.corpus.base import OnProgress, ReaderOptions, UnitId, ignore_problem
from porism.corpus.bibliography.entries import entry_document
from porism.corpus.databases import foreign_database
from porism.corpus.groups import GroupedReader, Item, LazyRecord, OfFile, ReadGroup
from porism.corpus.html.content import html_to_content
from porism.corpus.posts.threads import body_content, join_contents
from porism.corpus.walking import OUTSIDE, is_inside
from porism.corpus.zotero.library import ZoteroItem, ZoteroLibrary
from porism.errors import OnProblem, Problem, pluralise
from porism.types import Content, Document
from porism.version import __version__

DATABASE = "zotero.sqlite"
PARTS = ("note", "annotation")
"""What is a document beside the item that it belongs to."""
_MATH = re.compile(r'<pre class="math">(.*?)</pre>', re.DOTALL)


_RELATIVE = "attachments:"
"""Before the path of a linked file below a folder that the preferences of Zotero name."""


class ZoteroReader(GroupedReader):
    """Reads the folder of a library, which has ``zotero.sqlite`` and the files in ``storage``."""

    name = "zotero"
    document = "an item, a note, an annotation, and what the files of items give"

    def detect(self, path: Path) -> bool:
        """Whether the folder has the database of a library."""
        return (path / DATABASE).is_file()

    def groups(
        self, path: Path, name: str, options: ReaderOptions, on_problem: OnProblem, of_file: OfFile
    ) -> Iterator[ReadGroup]:
        where = f"{name}/{DATABASE}" if name else DATABASE
        with foreign_database(path / DATABASE, where) as database:
            library = ZoteroLibrary(database)
        records = _Records(library, where, options)
        missing: list[str] = []
        relative: list[str] = []
        yield _DatabaseGroup(path / DATABASE, records)
        for item in library.of_kind("attachment"):
            stored = _file(item, path)
            if stored is None or not stored.is_file():
                stated = str(item.values.get("path", ""))
                (relative if stated.startswith(_RELATIVE) else missing).extend([stated] if stated else [])
                continue
            if not (options.outside or is_inside(stored, path)):
                on_problem(Problem(f"{where}: {item.name}", f"its file {stored.name} {OUTSIDE}"))
                continue
            group = of_file(stored)
            work = records.work(library.work_of(item), on_problem)
            if group is not None:
                yield group if work is None else AttachedGroup(group, work)
        reasons = ("not in the library's folder", f"where only Zotero knows ({_RELATIVE})")
        for names, why in zip((missing, relative), reasons, strict=True):
            if names:
                count = pluralise(len(names), "attached file")
                on_problem(Problem(where, f"{count} left out: {why}, such as {names[0]}"))


def _file(item: ZoteroItem, folder: Path) -> Path | None:
    """The file of an attachment, None where it has none."""
    path = str(item.values.get("path", ""))
    if path.startswith("storage:"):
        return folder / "storage" / str(item.values["key"]) / path.removeprefix("storage:")
    return Path(path) if path and not path.startswith(_RELATIVE) else None


class _DatabaseGroup(ReadGroup):
    """The database of a library, apart from the files."""

    def __init__(self, path: Path, records: _Records) -> None:
        super().__init__(records.where, ZoteroReader.name, [path])
        self._records = records

    def items(self, on_problem: OnProblem, on_progress: OnProgress) -> Iterator[Item]:
        yield from self._records.all()


class _Records:
    """Makes documents of what a library has.

    :param where: the name of the database in ids and problems.
    """

    def __init__(self, library: ZoteroLibrary, where: str, options: ReaderOptions) -> None:
        self._library, self.where = library, where
        self._source = options.collection or where
        self._last: tuple[int, Document | None] = (-1, None)  # the item that was read last, whose parts follow
        self._seed = xxhash.xxh3_64_intdigest(f"{__version__} {self._source} {options!r}".encode())

    def all(self) -> Iterator[LazyRecord]:
        """The records of all items, notes and annotations."""
        for item in self._library.works():
            yield self._record(item)
        for kind in PARTS:
            for item in self._library.of_kind(kind):
                if any(item.values.get(name) for name in ("note", "text", "comment")):
                    yield self._record(item)

    def _record(self, item: ZoteroItem) -> LazyRecord:
        work = self._library.work_of(item)
        data = orjson.dumps([item.values, item.link, work.values, work.collections])

        def read(on_problem: OnProblem) -> Document | None:
            return self._part(item, on_problem) if item.kind in PARTS else self.work(item, on_problem)

        return LazyRecord(UnitId(self.where, item.name), 0, xxhash.xxh3_64_intdigest(data, self._seed), read)

    def work(self, item: ZoteroItem, on_problem: OnProblem) -> Document | None:
        """The document of an item."""
        where = f"{self.where}: {item.name}"
        document = entry_document(
            item.values, UnitId(self.where, item.name), self._source,
            lambda text, field: body_content(text, f"{where}: {field}", on_problem),
        )
        if document is None:
            return None
        metadata = dict(document.metadata)
        if "url" in metadata:
            metadata["page"] = metadata["url"]
        metadata["url"] = item.link
        if item.collections:
            metadata["collections"] = item.collections
        return Document(document.id, document.fields, metadata)

    def _part(self, item: ZoteroItem, on_problem: OnProblem) -> Document:
        """The document of a note or an annotation, with what is said of the item that it belongs to."""
        values: dict[str, Any] = item.values
        where = f"{self.where}: {item.name}"
        html = _MATH.sub(r'<div>\1</div>', values.get("note", ""))
        texts = [
            html_to_content(html, where=where, on_problem=on_problem),
            *(body_content(values.get(name, ""), f"{where}: {name}", on_problem) for name in ("text", "comment")),
        ]
        body = join_contents([text for text in texts if text], "\n\n")
        work = self._library.work_of(item)
        if work is item:
            document = None
        elif self._last[0] == work.number:
            document = self._last[1]
        else:
            document = self.work(work, ignore_problem)
            self._last = work.number, document
        metadata: dict[str, str | tuple[str, ...]] = {"source": self._source}
        fields: dict[str, Content] = {}
        if document is not None:
            metadata |= document.metadata
            metadata["section"] = (document.title.to_latex(),)
            fields["section"] = document.title
        if title := values.get("title"):
            fields["title"] = body_content(title, f"{where}: title", on_problem)
        if tags := values.get("keywords"):
            metadata["tags"] = tuple(tags)
            fields["tags"] = Content(", ".join(tags))
        if work.collections:
            metadata["collections"] = work.collections
        metadata |= {"type": item.kind, "key": values["key"], "url": self._link(item)}
        if values.get("page"):
            metadata["page_number"] = values["page"]
        return Document(UnitId(self.where, item.name), {**fields, "body": body}, metadata)

    def _link(self, item: ZoteroItem) -> str:
        """Where Zotero shows a note, or an annotation in its file."""
        file = self._library.items.get(item.parent) if item.parent is not None else None
        if item.kind != "annotation" or file is None:
            return item.link
        opened = file.link.replace("zotero://select/", "zotero://open-pdf/")
        return f"{opened}?page={item.values['number']}&annotation={item.values['key']}"
