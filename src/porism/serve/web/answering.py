"""Answers to questions for documents: a page of hits with counts, facets and hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from porism.errors import QueryError, counted
from porism.search.answers import Hit
from porism.search.questions import Question
from porism.serve.web import schema
from porism.serve.web.deadlines import Deadline
from porism.serve.web.facets import facets_of
from porism.serve.web.federated_answering import search_all
from porism.serve.web.parts import Parts, check_formulas, check_length, parts_of
from porism.serve.web.pieces import PieceMaker, alignment, contribution, place_of
from porism.serve.web.problems import told
from porism.serve.web.requests import Request as Request
from porism.serve.web.requests import check_page
from porism.serve.web.served import View
from porism.serve.web.settings import Limits

SORT_KEYS = ("year", "date", "creation_date", "votes", "score")
"""Keys of the metadata by which results can be sorted, where documents have them; the largest come first."""

_MOST_ALIGNMENTS = 6


def read(served: View, text: str, limits: Limits) -> Question:
    """A question as it was typed, read.

    :raises QueryError: it is empty, too long, or has too many formulas.
    """
    question = served.index.question(check_length(text, limits), guess_formulas=True)
    check_formulas(question.query.content.formulas, limits)
    return question


def read_only(served: View, text: str, limits: Limits) -> schema.Question:
    """How a question is read, for the preview as one types; what is wrong with it is part of the answer."""
    try:
        question = read(served, text, limits)
    except QueryError as error:
        return schema.Question(question=text[:200], parts=(), error=told(error) if text.strip() else None)
    return schema.Question(
        question=text, parts=tuple(parts_of(served.index, question).parts), notes=question.notes
    )


def search(served: View, request: Request, limits: Limits) -> schema.Results:
    """A page of the documents that answer a question.

    :raises QueryError: the question is empty or beyond a limit, or a filter names a key that no document has.
    """
    deadline = Deadline(limits.seconds)
    request.check(limits)
    question = read(served, request.question, limits)
    parts = parts_of(served.index, question)
    if served.federated is not None:
        return search_all(served, served.federated, question, parts, request, limits)
    ranked = _ranked(served, question, request, limits)
    sorts = ("relevance", *(key for key in SORT_KEYS if key in served.metadata_counts))
    ordered = _sorted(served, ranked, request.sort, sorts)
    first = request.first
    found = ordered[first : first + request.per_page]
    hits = served.index.hits(found, question)
    pieces = PieceMaker(served, parts, Deadline(limits.alignment_seconds))
    shown = [shown_hit(served, hit, pieces, first) for hit in hits]
    if request.explain:
        shown = [
            hit if deadline.over() else hit.model_copy(
                update={"explanation": explain(served, question, parts, hit.id, request.filters, deadline)}
            )
            for hit in shown
        ]
    return schema.Results(
        index=served.name, generation=served.generation, question=request.question, parts=tuple(parts.parts),
        hints=tuple(served.index.hints(question, request.filters)), total=len(ranked),
        total_is_exact=len(ranked) < limits.depth, page=request.page, per_page=request.per_page,
        seconds=round(deadline.elapsed, 4), partial=deadline.missed, hits=tuple(shown),
        facets=facets_of(served, [doc_id for doc_id, _ in ranked], request.filters), sort=request.sort, sorts=sorts,
    )


def count(served: View, text: str, filters: Mapping[str, tuple[str, ...]], limits: Limits) -> int:
    """How many documents a question finds, up to the depth of the limits; 0 where it cannot be asked."""
    try:
        question = read(served, text, limits)
        if served.federated is not None:
            return served.federated.search(question, 1, filters=filters, depth=limits.depth).total
        return len(_ranked(served, question, Request(text, filters), limits))
    except QueryError:
        return 0


def explain(
    served: View, question: Question, parts: Parts, doc_id: str, filters: Mapping[str, tuple[str, ...]],
    deadline: Deadline,
) -> schema.Explained:
    """Why a document has its score, and how its formulas answer those of the question.

    :raises QueryError: the index has no such document.
    """
    tree = served.index.explain(question, doc_id, filters=filters)
    alignments = []
    if question.query.content.formulas and not deadline.over():
        alignments = [alignment(one, parts) for one in served.index.matches(question, doc_id)[:_MOST_ALIGNMENTS]]
    return schema.Explained(
        id=doc_id, contributions=contribution(tree), alignments=tuple(alignments), partial=deadline.missed
    )


def explain_one(
    served: View, text: str, doc_id: str, filters: Mapping[str, tuple[str, ...]], limits: Limits
) -> schema.Explained:
    """:func:`explain` for a question as it was typed."""
    question = read(served, text, limits)
    return explain(served, question, parts_of(served.index, question), doc_id, filters, Deadline(limits.seconds))


def similar(served: View, doc_id: str, k: int, limits: Limits) -> schema.Similar:
    """The documents that are most like one.

    :raises QueryError: the index has no such document, or it has nothing to compare.
    """
    deadline = Deadline(limits.seconds)
    check_page(1, k, limits)
    hits = served.index.more_like(doc_id, k)
    pieces = PieceMaker(served, Parts(), Deadline(0))
    return schema.Similar(
        index=served.name, generation=served.generation, id=doc_id,
        hits=tuple(shown_hit(served, hit, pieces) for hit in hits), seconds=round(deadline.elapsed, 4),
    )


def _ranked(served: View, question: Question, request: Request, limits: Limits) -> list[tuple[str, float]]:
    key = ("ranked", request.question, tuple(sorted(request.filters.items())), limits.depth)
    found: list[tuple[str, float]] = served.rankings.get(
        key, lambda: list(served.index.ranked(question, limits.depth, filters=request.filters)[question.query.id])
    )
    return found


def _sorted(
    served: View, ranked: Sequence[tuple[str, float]], sort: str, sorts: tuple[str, ...]
) -> Sequence[tuple[str, float]]:
    if sort == "relevance":
        return ranked
    if sort not in sorts:
        raise QueryError(f"results cannot be sorted by {sort!r}", hint=f"Choose from {', '.join(sorts)}.")

    def value(doc_id: str) -> tuple[bool, float, str]:
        place = served.index.snapshot.find(doc_id)
        assert place is not None
        own = place[0].metadata(place[1]).get(sort, "")
        text = own if isinstance(own, str) else next(iter(own), "")
        try:
            return True, float(text), ""
        except ValueError:
            return bool(text), float("-inf"), text

    return sorted(ranked, key=lambda one: value(one[0]), reverse=True)


def shown_hit(served: View, hit: Hit, pieces: PieceMaker, before: int = 0) -> schema.Hit:
    """A hit as it is shown; ``before`` counts the hits of earlier pages."""
    several = len(served.index.snapshot.sources) > 1
    return schema.Hit(
        rank=before + hit.rank, id=hit.id, score=round(hit.score, 6), title=pieces.pieces(hit.title),
        snippet=pieces.pieces(hit.snippet), place=place_of(hit.location, several, str(hit.title)),
        metadata=dict(hit.metadata), home=served.home(hit.id),
    )


def describe_total(results: schema.Page, noun: str) -> str:
    """``3 documents``, ``more than 1,000 documents``."""
    text = counted(results.total, noun)
    return text if results.total_is_exact else f"more than {text}"
