"""What a document is related to: uses, users, counterparts, what it stands among, and what has the same formulas."""

from __future__ import annotations

import numpy as np

from porism.index.documents import stored_document
from porism.search.grouping import THREAD_KEYS
from porism.search.locations import Location
from porism.search.marked_text import show_content
from porism.search.outline import OutlineEntry, outline_of
from porism.search.related import RelatedDocuments, relations_of
from porism.search.sharing import documents_sharing_formulas
from porism.serve.web import schema
from porism.serve.web.document_schema import (
    OutlineEntryView,
    OutlineView,
    RelatedDocumentView,
    RelatedView,
    RelationsView,
    SharingView,
)
from porism.serve.web.formula_views import view as formula_view
from porism.serve.web.pieces import place_of, plain_pieces
from porism.serve.web.requests import check_page
from porism.serve.web.served import View
from porism.serve.web.settings import Limits
from porism.types import Metadata

LINKED = "linked"
"""Metadata key of posts: the questions that their question links to."""


def relations(served: View, doc_id: str, k: int, limits: Limits) -> RelationsView:
    """What a document is related to, ``k`` documents of each relation.

    :raises QueryError: the index has no such document or declaration, or ``k`` is too large.
    """
    check_page(1, k, limits)
    found = relations_of(served.index, doc_id, counterparts=k, listed=k)
    several = served.has_several_sources

    def view(related: RelatedDocuments) -> RelatedView:
        documents = tuple(
            RelatedDocumentView(
                id=document.id, title=document.title, place=place_of(document.location, several, document.title)
            )
            for document in related.documents
        )
        return RelatedView(documents=documents, count=related.count, complete=related.complete)

    return RelationsView(
        index=served.name, generation=served.generation, id=found.document.id,
        statement_uses=view(found.statement_uses), proof_uses=view(found.proof_uses), used_by=view(found.used_by),
        counterparts=view(found.counterparts), linked=_linked(served, found.document.id, k),
        outline=_outline(served, found.document.id),
        same_formulas=tuple(
            SharingView(
                id=sharing.id, title=plain_pieces(sharing.title) or (schema.PieceView(text=sharing.name),),
                formulas=tuple(map(formula_view, sharing.formulas)), count=sharing.count,
            )
            for sharing in documents_sharing_formulas(served.index.snapshot, found.document.id, k)
        ),
    )


def _outline(served: View, doc_id: str) -> OutlineView:
    outline = outline_of(served.index.snapshot, doc_id)

    def entry(own: OutlineEntry | None) -> OutlineEntryView | None:
        return None if own is None else _entry(own)

    return OutlineView(
        entries=tuple(map(_entry, outline.entries)), previous=entry(outline.previous), next=entry(outline.next),
        count=outline.count,
    )


def _entry(own: OutlineEntry) -> OutlineEntryView:
    return OutlineEntryView(
        id=own.id, title=own.title, kind=own.kind, level=own.level, is_heading=own.is_heading,
        is_current=own.is_current,
    )


def _linked(served: View, doc_id: str, k: int) -> RelatedView:
    """The posts to which those of a question link, as far as the index has them: one of each question."""
    place = served.index.snapshot.find(doc_id)
    metadata = {} if place is None else place[0].metadata(place[1])
    wanted = _values(metadata, LINKED)
    key = next((key for key in THREAD_KEYS if metadata.get(key)), None)
    if not wanted or key is None:
        return RelatedView()
    first: dict[str, RelatedDocumentView] = {}
    for segment, mask in zip(
        served.index.snapshot.segments, served.index.snapshot.filter({key: wanted}), strict=True
    ):
        for doc in np.flatnonzero(mask & segment.live).tolist():
            own = segment.metadata(doc)
            thread = str(own.get(key))
            if thread not in first and own.get("source") == metadata.get("source"):
                document = stored_document(segment, doc)
                title = show_content(document.title, "unicode")
                location = Location.of(own)
                first[thread] = RelatedDocumentView(
                    id=document.id, title=title or document.id, place=place_of(location, served.has_several_sources)
                )
    return RelatedView(documents=tuple(first[name] for name in wanted if name in first)[:k], count=len(first))


def _values(metadata: Metadata, key: str) -> tuple[str, ...]:
    value = metadata.get(key, ())
    return (value,) if isinstance(value, str) else tuple(value)
