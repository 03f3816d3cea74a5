"""Answers to formula searches: formulas with the documents that have them, and how they match."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Literal

from porism.errors import Problem, QueryError
from porism.formula.comparison.names import renaming
from porism.retrieve.base import Aligning
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.answering import IndexAnswers, SearchOptions
from porism.search.answers import FormulaHit
from porism.search.formula_queries import make_formula_query, read_formula_question
from porism.search.formulas import FormulaRanking
from porism.search.occurrences import occurrences_of
from porism.serve.web import schema
from porism.serve.web.answering import count
from porism.serve.web.formula_views import (
    equal_in_value,
    has_wildcard,
    key_of,
    operators_of,
    read_formula,
    view,
)
from porism.serve.web.parts import Parts, check_filters, check_formulas, check_length, formula_parts
from porism.serve.web.pieces import PieceMaker, alignment, contribution, page_box, place_of
from porism.serve.web.problems import NotFound, error_sentence
from porism.serve.web.requests import Deadline, FormulaSearchRequest, PageRequest, check_page
from porism.serve.web.served import View
from porism.serve.web.settings import Limits
from porism.types import Formula

_COMPARED = 200
"""So many of the best formulas are looked at where only equal ones count."""

_SHOWN_PLACES = 5
_WHOLE = 0.999


def search_formulas(
    served: View, request: FormulaSearchRequest, limits: Limits, *, aligned: bool = False
) -> schema.FormulaResults:
    """A page of the formulas that answer a question.

    :param aligned: whether what matches is shown where it is not asked why.
    :raises QueryError: there is no formula in it, it is beyond a limit, or a filter names an unknown key.
    """
    deadline = Deadline(limits.seconds)
    request.check(limits)
    content, notes = read_formula_question(check_length(request.q, limits))
    problems: list[Problem] = []
    query = make_formula_query(content, problems.append)
    check_formulas(query.formulas, limits)
    parts = formula_parts(query.formulas)
    depth = _COMPARED if request.match != "any" else min(limits.depth, _COMPARED)
    options = SearchOptions(
        request.k, request.first, depth, request.filters, request.explain, keep=_keeping(request.match, query.formulas),
        documents=_SHOWN_PLACES, all_places=False,
    )
    if served.federated is not None:
        answer = served.federated.answer_formulas(content, options)
    else:
        key = ("formulas", request.q, tuple(sorted(request.filters.items())), depth)
        answers = IndexAnswers(served.index)
        ranking: FormulaRanking = served.rankings.get(key, lambda: answers.rank_formulas(content, options))
        answer = answers.show_formulas(ranking, replace(options, explain=False))
        if request.explain or aligned:
            match = _match if request.explain else _aligned
            answer = replace(answer, hits=tuple(
                hit if deadline.over() else replace(hit, match=match(served, query.formulas, hit))
                for hit in answer.hits
            ))
    pieces = PieceMaker(served, parts, deadline)
    without = None
    if not answer.total and query.context is not None:
        without = count(served, query.context.content.text.replace("￼", " "), request.filters, limits)
    hints = [*notes, *answer.hints, *(str(problem) for problem in problems)]
    return schema.FormulaResults(
        index=served.name, generation=served.generation, question=request.q, parts=tuple(parts.parts),
        hints=tuple(hints), total=answer.total, total_is_exact=answer.total_is_exact, page=request.page,
        per_page=request.k, seconds=round(deadline.elapsed, 4), partial=deadline.missed or answer.partial,
        missing=answer.missing, match=request.match, documents_without=without, hits=tuple(
            _hit(served, hit, query.formulas, parts, pieces, explained=request.explain) for hit in answer.hits
        ),
    )


def _keeping(match: str, formulas: tuple[Formula, ...]) -> Callable[[Formula], bool] | None:
    """Which formulas count, None for all."""
    if match == "any":
        return None
    wanted = {
        "identical": {"identical"}, "renamed": {"identical", "renamed"},
        "equal": {"identical", "renamed", "equal value"},
    }[match]
    return lambda candidate: _relation(formulas, candidate, key_of(candidate)) in wanted


def explain_formula(
    served: View, text: str, key: str, limits: Limits
) -> tuple[schema.Explained, tuple[schema.QueryPart, ...]]:
    """How a formula of the index, by its key, answers a formula search, and the parts of that.

    :raises QueryError: there is no formula in the question, or none of this key in the index.
    """
    content, _ = read_formula_question(check_length(text, limits))
    parts = formula_parts(make_formula_query(content).formulas)
    match = served.index.explain_formula(content, key, "key")
    explained = schema.Explained(
        id=key, contributions=contribution(match.explanation), alignments=(alignment(match, parts),)
    )
    return explained, tuple(parts.parts)


def occurrences(served: View, text: str, key: str, request: PageRequest, limits: Limits) -> schema.Occurrences:
    """A page of the documents that have a formula: the one of a ``key``, else the one of a ``text``.

    :raises NotFound: no document has it, or there is no such page.
    :raises QueryError: the text is empty, a page is too large, or a filter names an unknown key.
    """
    check_page(1, request.k, limits)
    check_filters(request.filters, limits)
    if request.page < 1:
        raise QueryError(f"page {request.page} does not exist", hint="Pages are counted from 1.")
    key = key or key_of(read_formula(check_length(text, limits)))
    look_up = partial(occurrences_of, served.index) if served.federated is None else served.federated.occurrences
    answer = look_up(key, request.k, first=request.first, filters=request.filters)
    if answer is None:
        raise NotFound("no document has this formula", hint="Search for formulas like it.")
    if not answer.shown and not answer.missing:
        raise NotFound(f"page {request.page} does not exist", hint=f"{answer.documents:,} documents have the formula.")
    parts = formula_parts((answer.formula,))
    pieces = PieceMaker(served, parts, Deadline(0))
    return schema.Occurrences(
        index=served.name, generation=served.generation,
        formula=view(answer.formula).model_copy(update={"key": key}), parts=tuple(parts.parts),
        documents=answer.documents, places=answer.places, page=request.page, per_page=request.k,
        missing=answer.missing, hits=tuple(
            schema.FormulaPlace(
                id=document.id, title=pieces.pieces(document.title) or (schema.PieceView(text=document.id),),
                page=document.page,
                place=place_of(document.location, served.has_several_sources, str(document.title)),
                count=document.places, passages=tuple(map(pieces.pieces, document.passages)),
            )
            for document in answer.shown
        ),
    )


def _match(served: View, formulas: tuple[Formula, ...], hit: FormulaHit) -> FormulaMatch:
    """Why a formula has its score: the best match of any query formula."""
    ranker = served.index.formulas.ranker
    best: FormulaMatch = served.memory.get(
        ("match", tuple(formula.source for formula in formulas), hit.key),
        lambda: max((ranker.match(formula, hit.key) for formula in formulas), key=lambda match: match.score),
    )
    return best


def _aligned(served: View, formulas: tuple[Formula, ...], hit: FormulaHit) -> FormulaMatch:
    """What of a formula matches, where why it has its score is not asked."""
    ranker = served.index.formulas.ranker
    if not isinstance(ranker, Aligning):
        return _match(served, formulas, hit)
    best = max((ranker.aligned(formula, hit.key) for formula in formulas), key=lambda match: match.query_share)
    return replace(best, score=hit.score)


Relation = Literal["identical", "renamed", "equal value", "instance", "similar"]


def _relation(
    formulas: tuple[Formula, ...], candidate: Formula, key: str, match: FormulaMatch | None = None
) -> Relation:
    """What a found formula is to the nearest of the query; an instance is all that a pattern with wildcards says."""
    if match is not None and min(match.query_share, match.found_share) > _WHOLE and has_wildcard(match.query):
        return "instance"
    if any(key_of(formula) == key for formula in formulas):
        return "identical"
    tree = operators_of(candidate)
    if any(renaming(operators_of(formula), tree) is not None for formula in formulas):
        return "renamed"
    equal = any(equal_in_value(formula, candidate) for formula in formulas)
    return "equal value" if equal else "similar"


def _hit(
    served: View, hit: FormulaHit, formulas: tuple[Formula, ...], parts: Parts, pieces: PieceMaker, *, explained: bool
) -> schema.FormulaHitView:
    fields: dict[str, dict[str, None]] = {}
    boxes: dict[str, schema.PageBox | None] = {}
    for place in hit.places:
        fields.setdefault(place.doc_id, {})[place.field] = None
        boxes.setdefault(place.doc_id, page_box(place.id))
    places = tuple(
        schema.FormulaPlace(
            id=document.id, title=pieces.pieces(document.title) or (schema.PieceView(text=document.id),),
            fields=tuple(fields.get(document.id, ())), page=document.page, box=boxes.get(document.id),
            place=place_of(document.location, served.has_several_sources, str(document.title)),
        )
        for document in hit.shown[:_SHOWN_PLACES]
    )
    aligned = None if hit.match is None else alignment(hit.match, parts, explained=explained)
    shown = view(hit.formula) if explained or aligned is None else aligned.found
    return schema.FormulaHitView(
        rank=hit.rank, score=round(hit.score, 6), formula=shown.model_copy(update={"key": hit.key}),
        relation=_relation(formulas, hit.formula, hit.key, hit.match), documents=hit.documents, places=places,
        alignment=aligned,
    )


def read_only(text: str, limits: Limits) -> schema.QuestionView:
    """How a formula search is read, for the preview as one types; what is wrong with it is part of the answer."""
    problems: list[Problem] = []
    try:
        content, notes = read_formula_question(check_length(text, limits))
        query = make_formula_query(content, problems.append)
        check_formulas(query.formulas, limits)
    except QueryError as error:
        return schema.QuestionView(question=text[:200], parts=(), error=error_sentence(error) if text.strip() else None)
    shown = [str(problem) for problem in problems if not problem.where.startswith("formula ")]
    return schema.QuestionView(question=text, parts=tuple(formula_parts(query.formulas).parts), notes=(*notes, *shown))
