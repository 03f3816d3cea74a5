"""What a document is related to: uses, users and counterparts."""

from __future__ import annotations

from porism.search.related import RelatedDocuments, relations_of
from porism.serve.web import schema
from porism.serve.web.pieces import place_of
from porism.serve.web.requests import check_page
from porism.serve.web.served import View
from porism.serve.web.settings import Limits


def relations(served: View, doc_id: str, k: int, limits: Limits) -> schema.RelationsView:
    """What a document is related to, ``k`` documents of each relation.

    :raises QueryError: the index has no such document or declaration, or ``k`` is too large.
    """
    check_page(1, k, limits)
    found = relations_of(served.index, doc_id, counterparts=k, listed=k)
    several = served.has_several_sources

    def view(related: RelatedDocuments) -> schema.RelatedView:
        documents = tuple(
            schema.RelatedDocumentView(
                id=document.id, title=document.title, place=place_of(document.location, several, document.title)
            )
            for document in related.documents
        )
        return schema.RelatedView(documents=documents, count=related.count, complete=related.complete)

    return schema.RelationsView(
        index=served.name, generation=served.generation, id=found.document.id,
        statement_uses=view(found.statement_uses), proof_uses=view(found.proof_uses), used_by=view(found.used_by),
        counterparts=view(found.counterparts),
    )
