"""Answers to formula searches: formulas with the documents that have them, and how they match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from porism.errors import Problem, QueryError
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.formula_hits import FormulaHit
from porism.search.formula_occurrences import Place
from porism.search.formula_queries import make_formula_query, read_formula_question
from porism.serve.shards.federated_formulas import FederatedFormulas
from porism.serve.web import schema
from porism.serve.web.answering import count
from porism.serve.web.deadlines import Deadline
from porism.serve.web.formula_views import equality, has_wildcard, key_of, keyed_view, same_up_to_names
from porism.serve.web.parts import Parts, check_formulas, check_length, formula_parts
from porism.serve.web.pieces import alignment, place_of, plain_pieces
from porism.serve.web.problems import told
from porism.serve.web.requests import FormulaRequest as FormulaRequest
from porism.serve.web.served import View
from porism.serve.web.settings import Limits
from porism.types import Formula

MATCHES = ("any", "renamed", "identical", "equal")
"""Which formulas count: all that are similar; those equal to the query up to names; the query itself; those equal to
it, also by value."""

_COMPARED = 200
"""So many of the best formulas are looked at where only equal ones count."""

_SHOWN_PLACES = 5
_WHOLE = 0.999


def search_formulas(served: View, request: FormulaRequest, limits: Limits) -> schema.FormulaResults:
    """A page of the formulas that answer a question.

    :raises QueryError: there is no formula in it, it is beyond a limit, or a filter names an unknown key.
    """
    deadline = Deadline(limits.seconds)
    request.check(limits)
    if request.match not in MATCHES:
        raise QueryError(f"there is no match {request.match!r}", hint=f"Choose from {', '.join(MATCHES)}.")
    content, notes = read_formula_question(check_length(request.question, limits))
    problems: list[Problem] = []
    query = make_formula_query(content, problems.append)
    check_formulas(query.formulas, limits)
    parts = formula_parts(query.formulas)
    depth = _COMPARED if request.match != "any" else min(limits.depth, _COMPARED)
    first = request.first
    keep = _keeping(request.match, query.formulas)
    missing: tuple[schema.MissingIndex, ...] = ()
    if served.federated is not None:
        of_all = served.federated.search_formulas(
            content, request.per_page, filters=request.filters, explain=request.explain, first=first, depth=depth,
            keep=keep,
        )
        shown = [
            _hit(hit, hit.match, query.formulas, parts, partial(_place_of_all, of_all)) for hit in of_all.hits
        ]
        total, is_exact = of_all.total, of_all.total_is_exact
        missing = tuple(schema.MissingIndex(name=one.name, reason=one.reason) for one in of_all.missing)
    else:
        key = ("formulas", request.question, tuple(sorted(request.filters.items())), depth)
        found: list[FormulaHit] = served.rankings.get(
            key, lambda: served.index.search_formulas(content, depth, filters=request.filters)
        )
        chosen = found if keep is None else [hit for hit in found if keep(hit.formula)]
        shown = []
        for rank, hit in enumerate(chosen[first : first + request.per_page], first + 1):
            match = None if deadline.over() or not request.explain else _match(served, query.formulas, hit.key)
            shown.append(_hit(replace(hit, rank=rank), match, query.formulas, parts, partial(_place, served)))
        total, is_exact = len(chosen), len(found) < depth
        notes = [*notes, *served.index.formulas.notes()]
    without = None
    if not total and query.context is not None:
        without = count(served, query.context.content.text.replace("￼", " "), request.filters, limits)
    hints = [*notes, *(str(problem) for problem in problems)]
    return schema.FormulaResults(
        index=served.name, generation=served.generation, question=request.question, parts=tuple(parts.parts),
        hints=tuple(hints), total=total, total_is_exact=is_exact, page=request.page,
        per_page=request.per_page, seconds=round(deadline.elapsed, 4), partial=deadline.missed or bool(missing),
        missing=missing, hits=tuple(shown), match=request.match, documents_without=without,
    )


def _keeping(match: str, formulas: tuple[Formula, ...]) -> Callable[[Formula], bool] | None:
    """Which formulas count, None for all."""
    if match == "any":
        return None
    wanted = {
        "identical": {"identical"}, "renamed": {"identical", "renamed"},
        "equal": {"identical", "renamed", "equal value"},
    }[match]
    return lambda found: _relation(formulas, found) in wanted


def explain_formula(served: View, text: str, key: str, limits: Limits) -> schema.Alignment:
    """How a formula of the index, by its key, answers a formula search.

    :raises QueryError: there is no formula in the question, or none of this key in the index.
    """
    content, _ = read_formula_question(check_length(text, limits))
    query = make_formula_query(content)
    return alignment(served.index.explain_formula(content, key), formula_parts(query.formulas))


def _match(served: View, formulas: tuple[Formula, ...], key: str) -> FormulaMatch:
    ranker = served.index.formulas.ranker
    best: FormulaMatch = served.memory.get(
        ("match", tuple(formula.source for formula in formulas), key),
        lambda: max((ranker.match(formula, key) for formula in formulas), key=lambda match: match.score),
    )
    return best


Relation = Literal["identical", "renamed", "equal value", "instance", "similar"]


def _relation(formulas: tuple[Formula, ...], found: Formula, match: FormulaMatch | None = None) -> Relation:
    """What a found formula is to the nearest of the query; an instance is all that a pattern with wildcards says."""
    if match is not None and min(match.query_share, match.found_share) > _WHOLE and has_wildcard(match.query):
        return "instance"
    if any(key_of(formula) == key_of(found) for formula in formulas):
        return "identical"
    if any(same_up_to_names(formula, found) for formula in formulas):
        return "renamed"
    equal = any(equality(formula, found).equal for formula in formulas)
    return "equal value" if equal else "similar"


def _hit(
    hit: FormulaHit, match: FormulaMatch | None, formulas: tuple[Formula, ...], parts: Parts,
    place_in_document: Callable[[Place, tuple[str, ...]], schema.FormulaPlace | None],
) -> schema.FormulaHit:
    by_document: dict[str, list[Place]] = {}
    for place in hit.places:
        by_document.setdefault(place.doc_id, []).append(place)
    places = [
        place_in_document(found[0], tuple(dict.fromkeys(place.field for place in found)))
        for found in list(by_document.values())[:_SHOWN_PLACES]
    ]
    return schema.FormulaHit(
        rank=hit.rank, score=round(hit.score, 6), formula=keyed_view(hit.formula),
        relation=_relation(formulas, hit.formula, match), documents=hit.documents,
        places=tuple(place for place in places if place is not None),
        alignment=alignment(match, parts) if match is not None else None,
    )


def _place(served: View, first: Place, fields: tuple[str, ...]) -> schema.FormulaPlace:
    """A document of the index that holds a formula, and where it is first."""
    doc_id = first.doc_id
    document, location = served.index.document(doc_id), served.index.location(doc_id, first.field, first.number)
    title = plain_pieces(document.title) or (schema.Piece(text=doc_id),)
    return schema.FormulaPlace(id=doc_id, title=title, fields=fields, place=place_of(location))


def _place_of_all(found: FederatedFormulas, first: Place, fields: tuple[str, ...]) -> schema.FormulaPlace | None:
    """A document of one of several indexes that holds a formula; None for those that are only counted."""
    document = found.documents.get(first)
    if document is None:
        return None
    title = tuple(schema.Piece(text=one.text) for one in document.title.pieces) or (schema.Piece(text=first.doc_id),)
    return schema.FormulaPlace(
        id=first.doc_id, title=title, fields=fields, place=place_of(document.location, True, str(document.title)),
        page=document.page,
    )


def read_only(text: str, limits: Limits) -> schema.Question:
    """How a formula search is read, for the preview as one types; what is wrong with it is part of the answer."""
    problems: list[Problem] = []
    try:
        content, notes = read_formula_question(check_length(text, limits))
        query = make_formula_query(content, problems.append)
        check_formulas(query.formulas, limits)
    except QueryError as error:
        return schema.Question(question=text[:200], parts=(), error=told(error) if text.strip() else None)
    shown = [str(problem) for problem in problems if not problem.where.startswith("formula ")]
    return schema.Question(
        question=text, parts=tuple(formula_parts(query.formulas).parts), notes=(*notes, *shown)
    )
