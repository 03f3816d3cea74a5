"""What a library of Zotero has: items with their fields, creators, tags and collections; notes, annotations, files."""

from __future__ import annotations

import json
import re
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_NAMES = {
    "title": "title", "caseName": "title", "subject": "title", "nameOfAct": "title", "abstractNote": "abstract",
    "date": "date", "DOI": "doi", "url": "url", "language": "language", "extra": "note", "publicationTitle": "journal",
    "bookTitle": "booktitle", "proceedingsTitle": "booktitle", "encyclopediaTitle": "booktitle", "websiteTitle":
    "booktitle", "series": "series", "publisher": "publisher", "university": "school", "institution": "institution",
    "archiveID": "eprint",
}
"""What fields are called in BibTeX."""
_INNER_KINDS = frozenset(("note", "attachment", "annotation"))
_DEPTH = 50
"""Collections are nested no deeper."""


@dataclass(slots=True)
class ZoteroItem:
    """An item of any kind, also a note, a file or an annotation; ``values`` have the names of BibTeX."""

    number: int
    name: str
    """Its key, with the group before it where it is in the library of one."""
    kind: str
    link: str
    """Its address, as Zotero opens it."""
    parent: int | None = None
    values: dict[str, Any] = field(default_factory=dict)
    collections: tuple[str, ...] = ()


class ZoteroLibrary:
    """All that a database has, apart from what is in the bin and in feeds.

    :raises sqlite3.Error: it is not a database of Zotero.
    """

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self.items: dict[int, ZoteroItem] = {item.number: item for item in self._items()}
        self._add_values()
        self._add_collections()
        for kind, read in (("note", self._notes), ("attachment", self._attachments), ("annotation", self._annotations)):
            for number, parent, values in read():
                item = self.items.get(number)
                if item is not None and item.kind == kind:
                    item.parent = parent
                    item.values.update(values)
                    if parent is not None and parent not in self.items:  # in the bin
                        del self.items[number]

    def works(self) -> Iterator[ZoteroItem]:
        """The items that stand for themselves."""
        return (item for item in self.items.values() if item.kind not in _INNER_KINDS)

    def of_kind(self, kind: str) -> Iterator[ZoteroItem]:
        """The notes, attachments or annotations."""
        return (item for item in self.items.values() if item.kind == kind)

    def work_of(self, item: ZoteroItem) -> ZoteroItem:
        """The item that a note, a file or an annotation belongs to in the end; itself where it belongs to none."""
        for _ in range(3):
            parent = self.items.get(item.parent) if item.parent is not None else None
            if parent is None:
                break
            item = parent
        return item

    def _rows(self, query: str, table: str = "") -> Iterator[tuple[Any, ...]]:
        if table and not self._database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", (table,)).fetchone():
            return
        yield from self._database.execute(query)

    def _items(self) -> Iterator[ZoteroItem]:
        groups = dict(self._rows("SELECT libraryID, groupID FROM groups", "groups"))
        kinds = dict(self._rows("SELECT itemTypeID, typeName FROM itemTypes"))
        left_out = {number for number, in self._rows("SELECT itemID FROM deletedItems", "deletedItems")}
        left_out.update(number for number, in self._rows("SELECT itemID FROM feedItems", "feedItems"))
        for number, kind, library, key in self._rows("SELECT itemID, itemTypeID, libraryID, key FROM items"):
            if number in left_out or kind not in kinds or not isinstance(key, str):
                continue
            group = groups.get(library)
            link = f"zotero://select/{'library' if group is None else f'groups/{group}'}/items/{key}"
            name = key if group is None else f"{group}/{key}"
            item = ZoteroItem(number, name, kinds[kind], link)
            item.values["kind"] = re.sub("([A-Z])", r" \1", str(kinds[kind])).lower()
            item.values["key"] = key
            yield item

    def _add_values(self) -> None:
        for number, name, value in self._rows(
            "SELECT itemID, fieldName, value FROM itemData JOIN fields USING (fieldID) "
            "JOIN itemDataValues USING (valueID)"
        ):
            item = self.items.get(number)
            if item is not None and name in _NAMES and value is not None:
                item.values.setdefault(_NAMES[name], str(value))
        for number, first, last, role in self._rows(
            "SELECT itemID, firstName, lastName, creatorType FROM itemCreators JOIN creators USING (creatorID) "
            "JOIN creatorTypes USING (creatorTypeID) ORDER BY itemID, orderIndex"
        ):
            if (item := self.items.get(number)) is not None:
                role = "editor" if role in ("editor", "seriesEditor", "translator", "contributor") else "author"
                item.values.setdefault(role, []).append(" ".join(str(part) for part in (first, last) if part))
        query = "SELECT itemID, name FROM itemTags JOIN tags USING (tagID) ORDER BY itemID, name"
        for number, tag in self._rows(query):
            if (item := self.items.get(number)) is not None:
                item.values.setdefault("keywords", []).append(str(tag))

    def _add_collections(self) -> None:
        query = "SELECT collectionID, collectionName, parentCollectionID FROM collections"
        in_bin = self._rows("SELECT collectionID FROM deletedCollections", "deletedCollections")
        left_out = {number for number, in in_bin}
        known = {
            number: (str(name), parent) for number, name, parent in self._rows(query) if number not in left_out
        }
        names: defaultdict[int, dict[str, None]] = defaultdict(dict)
        query = "SELECT itemID, collectionID FROM collectionItems ORDER BY itemID, collectionID"
        for number, collection in self._rows(query):
            for _ in range(_DEPTH):
                if collection not in known:
                    break
                name, collection = known[collection]
                names[number][name] = None
        for number, item in self.items.items():
            item.collections = tuple(names[number]) if number in names else ()

    def _notes(self) -> Iterator[tuple[int, int | None, dict[str, Any]]]:
        for number, parent, note, title in self._rows("SELECT itemID, parentItemID, note, title FROM itemNotes"):
            yield number, parent, {"note": str(note or ""), "title": str(title or "")}

    def _attachments(self) -> Iterator[tuple[int, int | None, dict[str, Any]]]:
        for number, parent, path in self._rows("SELECT itemID, parentItemID, path FROM itemAttachments"):
            yield number, parent, {"path": str(path or "")}

    def _annotations(self) -> Iterator[tuple[int, int | None, dict[str, Any]]]:
        for number, parent, text, comment, label, position in self._rows(
            "SELECT itemID, parentItemID, text, comment, pageLabel, position FROM itemAnnotations", "itemAnnotations"
        ):
            try:
                place = json.loads(position or "{}")
            except (ValueError, TypeError, RecursionError):
                place = {}
            index = place.get("pageIndex") if isinstance(place, dict) else None
            page = index + 1 if isinstance(index, int) else ""
            yield number, parent, {
                "text": str(text or ""), "comment": str(comment or ""), "page": str(label or page), "number": str(page),
            }
