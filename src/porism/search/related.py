"""A document with what it is related to: what a declaration uses, what uses it, and its counterparts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from porism.errors import QueryError
from porism.search.index import Index
from porism.search.locations import Location
from porism.search.marked_text import Value, show_content
from porism.search.printable import one_printable_line
from porism.types import Document

SHOWN = 50
"""So many documents of each relation are listed where nothing else is said."""


@dataclass(frozen=True, slots=True)
class RelatedDocument(Value):
    """A document by its id, with its title and its place."""

    id: str
    title: str
    location: Location


@dataclass(frozen=True, slots=True)
class RelatedDocuments(Value):
    """The first of some documents, and how many there are: at least so many where not all are counted."""

    documents: tuple[RelatedDocument, ...] = ()
    count: int = 0
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Relations(Value):
    """A document, its text by field, and what it is related to.

    ``statement_uses`` are the declarations that its statement names, ``proof_uses`` the others that its proof or value
    does, and ``used_by`` those that name it.
    """

    document: RelatedDocument
    text: dict[str, str]
    statement_uses: RelatedDocuments = RelatedDocuments()
    proof_uses: RelatedDocuments = RelatedDocuments()
    used_by: RelatedDocuments = RelatedDocuments()
    counterparts: RelatedDocuments = RelatedDocuments()


def find_document(index: Index, name: str) -> Document:
    """The document with an id, or the first that declares a full name.

    :raises QueryError: there is none.
    """
    if name in index:
        return index.document(name)
    declaring = index.declarations.documents(name)
    if not declaring:
        raise QueryError(
            f"there is no document or declaration {name!r} in the index", where=index.folder,
            hint="porism search lists documents; --json has their ids.",
        )
    return index.document(declaring[0])


def relations_of(index: Index, name: str, counterparts: int = 5, listed: int = SHOWN) -> Relations:
    """A document, named by its id or its full name, and what it is related to.

    :param counterparts: so many are searched for.
    :param listed: so many of what it uses, and of what uses it, are listed.
    :raises QueryError: there is no such document.
    """
    document = find_document(index, name)
    uses, used_by = index.uses(document.id), index.used_by(document.id)
    hits = index.counterparts(document.id, counterparts)

    def related(ids: Sequence[str], complete: bool = True) -> RelatedDocuments:
        shown = tuple(_shown(index, other) for other in index.documents.get(ids[:listed]))
        return RelatedDocuments(shown, len(ids), complete)

    text = {field: show_content(content, "unicode") for field, content in document.fields.items() if content}
    return Relations(
        _shown(index, document), text, related(uses.statement), related(uses.proof),
        related(used_by.documents, used_by.complete), related([hit.id for hit in hits]),
    )


def _shown(index: Index, document: Document) -> RelatedDocument:
    title = one_printable_line(show_content(document.title, "unicode"))
    return RelatedDocument(document.id, title or document.id, index.location(document.id))
