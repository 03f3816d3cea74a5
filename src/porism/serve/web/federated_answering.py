"""Answers of indexes here and on other servers together: a page of hits that names the servers that are missing."""

from __future__ import annotations

from porism.search.answers import Hit
from porism.search.marked_text import Snippet
from porism.search.questions import Question
from porism.serve.shards.federated import FederatedIndex
from porism.serve.web import schema
from porism.serve.web.deadlines import Deadline
from porism.serve.web.parts import Parts
from porism.serve.web.pieces import contribution, place_of
from porism.serve.web.requests import Request
from porism.serve.web.served import HERE, View
from porism.serve.web.settings import Limits


def search_all(
    served: View, federated: FederatedIndex, question: Question, parts: Parts, request: Request, limits: Limits
) -> schema.Results:
    """A page of the documents of all indexes; without facets, which are counted of one index.

    :raises QueryError: a filter names a key that no document has.
    :raises ConfigError: a server cannot be searched together with the others.
    """
    deadline = Deadline(limits.seconds)
    found = federated.search(
        question, request.per_page, filters=request.filters, explain=request.explain,
        first=request.first, depth=limits.depth,
    )
    pages = found.pages or {}
    return schema.Results(
        index=served.name, generation=served.generation, question=request.question, parts=tuple(parts.parts),
        hints=found.hints, total=found.total, total_is_exact=found.total < limits.depth, page=request.page,
        per_page=request.per_page, seconds=round(deadline.elapsed, 4), partial=found.partial,
        missing=tuple(schema.MissingIndex(name=one.name, reason=one.reason) for one in found.missing),
        hits=tuple(_hit(hit, pages.get(hit.id), _home(served, *found.homes[hit.id])) for hit in found.hits),
    )


def _home(served: View, shard: str, doc_id: str) -> str | None:
    return served.home(doc_id) if shard == HERE else shard


def _hit(hit: Hit, page: str | None, home: str | None) -> schema.Hit:
    explanation = None
    if hit.explanation is not None:
        explanation = schema.Explained(id=hit.id, contributions=contribution(hit.explanation))
    return schema.Hit(
        rank=hit.rank, id=hit.id, score=round(hit.score, 6), title=_pieces(hit.title), snippet=_pieces(hit.snippet),
        place=place_of(hit.location, True, str(hit.title)), metadata=dict(hit.metadata), explanation=explanation,
        page=page, home=home,
    )


def _pieces(snippet: Snippet) -> tuple[schema.Piece, ...]:
    return tuple(schema.Piece(text=one.text, match=one.match) for one in snippet.pieces)
