"""Answers to questions for documents: a page of hits with counts, facets and hints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.answering import IndexAnswers, SearchOptions, StagedRanking
from porism.search.answers import Answer, Hit
from porism.search.exporting import bibtex, csv_table
from porism.search.questions import Question
from porism.search.reasons import Reasons, reason_line, reasons_of
from porism.serve.web import document_schema, schema
from porism.serve.web.facets import facets_of
from porism.serve.web.parts import Parts, check_filters, check_formulas, check_length, parts_of
from porism.serve.web.pieces import PieceMaker, alignment, contribution, place_of
from porism.serve.web.problems import error_sentence
from porism.serve.web.requests import Deadline, SearchRequest, check_page
from porism.serve.web.served import HERE, View
from porism.serve.web.settings import Limits

SORT_KEYS = ("year", "date", "creation_date", "votes", "score")
"""Keys of the metadata by which results can be sorted, where documents have them; the largest come first."""

_MAX_ALIGNMENTS = 6


def read(served: View, text: str, limits: Limits) -> Question:
    """A question as it was typed, read.

    :raises QueryError: it is empty, too long, or has too many formulas.
    """
    question = served.index.question(check_length(text, limits), guess_formulas=True)
    check_formulas(question.query.content.formulas, limits)
    return question


def read_only(served: View, text: str, limits: Limits) -> schema.QuestionView:
    """How a question is read, for the preview as one types; what is wrong with it is part of the answer."""
    try:
        question = read(served, text, limits)
    except QueryError as error:
        return schema.QuestionView(question=text[:200], parts=(), error=error_sentence(error) if text.strip() else None)
    return schema.QuestionView(question=text, parts=tuple(parts_of(served.index, question).parts), notes=question.notes)


def search(
    served: View, request: SearchRequest, limits: Limits, question: Question | None = None
) -> schema.SearchResults:
    """A page of the documents that answer a question.

    Facets and other orders than that of relevance are those of one index, not of several servers.

    :param question: in place of what the request asks, where something else has read that.
    :raises QueryError: the question is empty or beyond a limit, a filter names a key that no document has, or there is
        no such order or reranker.
    :raises ConfigError: a server cannot be searched together with the others.
    """
    deadline = Deadline(limits.seconds)
    request.check(limits)
    correction = None
    if question is None:
        question = read(served, request.q, limits)
        correction = served.index.correction(question) if served.federated is None else None
        if correction is not None and correction.sure and request.correct:
            question, correction = read(served, correction.question, limits), replace(correction, followed=True)
    parts = parts_of(served.index, question)
    options = SearchOptions(
        request.k, request.first, limits.depth, request.filters, request.explain, is_over=deadline.over,
        rerank=served.reranking(request.rerank), group_by=request.group_by, group=request.group,
    )
    sorts = _sorts(served)
    shown_facets: tuple[schema.Facet, ...] = ()
    if served.federated is None:
        ranking = _ranking(served, question, options, request.rerank)
        shown_facets = facets_of(served, ranking.matching, request.filters)
    answer = _answer(served, question, options, request)
    pieces = PieceMaker(served, parts, Deadline(limits.alignment_seconds))
    return schema.SearchResults(
        index=served.name, generation=served.generation, question=request.q, parts=tuple(parts.parts),
        hints=answer.hints, total=answer.total, total_is_exact=answer.total_is_exact, page=request.page,
        per_page=request.k, seconds=round(deadline.elapsed, 4), partial=deadline.missed or answer.partial,
        missing=answer.missing, hits=tuple(shown_hit(served, hit, pieces, parts) for hit in answer.hits),
        facets=shown_facets, correction=correction, groups=answer.groups, sort=request.sort, sorts=sorts,
        rerank=request.rerank, rerankers=served.rerankers, model=request.model, models=served.models,
        matching=answer.matching,
    )


def export(served: View, request: SearchRequest, form: Literal["bibtex", "csv", "json"], limits: Limits) -> str:
    """The results of a question as a file, with passages and formulas in LaTeX; a page may have all that are counted.

    :raises QueryError: as :func:`search`.
    """
    request.check(replace(limits, results=limits.depth))
    question = read(served, request.q, limits)
    options = SearchOptions(
        request.k, request.first, limits.depth, request.filters, formulas="unicode" if form == "json" else "latex",
        rerank=served.reranking(request.rerank), group_by=request.group_by, group=request.group,
    )
    hits = _answer(served, question, options, request).hits
    if form == "bibtex":
        return bibtex(hits)
    if form == "csv":
        return csv_table(hits)
    pieces = PieceMaker(served, Parts(), Deadline(0))
    return schema.HitList(hits=tuple(shown_hit(served, hit, pieces, Parts()) for hit in hits)).model_dump_json()


def _answer(served: View, question: Question, options: SearchOptions, request: SearchRequest) -> Answer[Hit]:
    if served.federated is not None:
        return served.federated.answer(question, options)
    ranking = _ranking(served, question, options, request.rerank)
    ordered = replace(ranking, results=_sorted(served, ranking.results, request.sort, _sorts(served)))
    return IndexAnswers(served.index).show(ordered, options)


def _sorts(served: View) -> tuple[str, ...]:
    """The orders that results can have."""
    if served.federated is not None:
        return ("relevance",)
    return ("relevance", *(key for key in SORT_KEYS if key in served.metadata_counts))


def count(served: View, text: str, filters: Mapping[str, tuple[str, ...]], limits: Limits) -> int:
    """How many documents a question finds, up to the depth of the limits; 0 where it cannot be asked."""
    options = SearchOptions(1, depth=limits.depth, filters=filters)
    try:
        question = read(served, text, limits)
        if served.federated is not None:
            return served.federated.answer(question, options).total
        return len(_ranking(served, question, options).results)
    except QueryError:
        return 0


def facets(served: View, text: str, filters: Mapping[str, tuple[str, ...]], limits: Limits) -> schema.FacetList:
    """How often the values of metadata are among the documents of an index here that match a question well."""
    check_filters(filters, limits)
    question = read(served, text, limits)
    ranking = _ranking(served, question, SearchOptions(depth=limits.depth, filters=filters))
    return schema.FacetList(
        index=served.name, generation=served.generation, total=len(ranking.results), matching=len(ranking.matching),
        facets=facets_of(served, ranking.matching, filters),
    )


def explain(
    served: View, question: Question, parts: Parts, doc_id: str, filters: Mapping[str, tuple[str, ...]],
    deadline: Deadline,
) -> schema.Explained:
    """Why a document has its score, and how its formulas answer those of the question.

    :raises QueryError: the index has no such document.
    """
    tree = served.index.explain(question, doc_id, filters=filters)
    matches = served.index.matches(question, doc_id) if not deadline.over() else []
    return _explained_here(served, question, doc_id, tree, matches, parts).model_copy(
        update={"partial": deadline.missed}
    )


def _explained_here(
    served: View, question: Question, doc_id: str, explanation: Explanation, matches: Sequence[FormulaMatch],
    parts: Parts,
) -> schema.Explained:
    reasons = reasons_of(question.query, served.index.document(doc_id), matches, served.index.analyzer)
    return _explained(doc_id, explanation, matches, reasons, parts)


def _explained(
    doc_id: str, explanation: Explanation, matches: Sequence[FormulaMatch], reasons: Reasons | None, parts: Parts
) -> schema.Explained:
    known = reasons.formulas if reasons is not None else [None] * len(matches)
    number_of = {part.text: part.number for part in parts.parts if part.kind == "word"}
    return schema.Explained(
        id=doc_id, contributions=contribution(explanation),
        alignments=tuple(
            alignment(match, parts, reason) for match, reason in zip(matches[:_MAX_ALIGNMENTS], known, strict=False)
        ),
        summary=reason_line(reasons, matches) if reasons is not None else "",
        words=() if reasons is None else tuple(
            schema.WordView(
                word=word.word, part=number_of.get(word.word), in_title=word.in_title, in_text=word.in_text,
                where=word.where,
            )
            for word in reasons.words
        ),
    )


def explain_one(
    served: View, text: str, doc_id: str, filters: Mapping[str, tuple[str, ...]], limits: Limits, reranker: str = ""
) -> schema.Explained:
    """:func:`explain` for a question as it was typed; of an index here also why a reranker gave the score.

    :raises QueryError: as there, or the document is not among the results that were re-ranked.
    """
    question = read(served, text, limits)
    parts = parts_of(served.index, question)
    if not reranker or served.federated is not None:
        return explain(served, question, parts, doc_id, filters, Deadline(limits.seconds))
    options = SearchOptions(depth=limits.depth, filters=filters, rerank=served.reranking(reranker))
    stage = _ranking(served, question, options, reranker).stages[-1]
    matches = served.index.matches(question, doc_id)
    return _explained_here(served, question, doc_id, stage.explain(doc_id), matches, parts)


def similar(served: View, doc_id: str, k: int, limits: Limits) -> document_schema.Similar:
    """The documents that are most like one.

    :raises QueryError: the index has no such document, or it has nothing to compare.
    """
    deadline = Deadline(limits.seconds)
    check_page(1, k, limits)
    hits = served.index.more_like(doc_id, k)
    pieces = PieceMaker(served, Parts(), Deadline(0))
    return document_schema.Similar(
        index=served.name, generation=served.generation, id=doc_id,
        hits=tuple(shown_hit(served, hit, pieces, Parts()) for hit in hits), seconds=round(deadline.elapsed, 4),
    )


def _ranking(served: View, question: Question, options: SearchOptions, reranker: str = "") -> StagedRanking:
    """What a question finds, kept for its other pages."""
    key = ("ranked", question.text, tuple(sorted(options.filters.items())), options.depth, reranker)
    ranking: StagedRanking = served.rankings.get(key, lambda: IndexAnswers(served.index).rank(question, options))
    return ranking


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

    return sorted(ranked, key=lambda entry: value(entry[0]), reverse=True)


def shown_hit(served: View, hit: Hit, pieces: PieceMaker, parts: Parts) -> schema.HitView:
    """A hit as it is shown."""
    explained = None if hit.explanation is None else _explained(
        hit.id, hit.explanation, hit.matches or (), hit.reasons, parts
    )
    return schema.HitView(
        rank=hit.rank, id=hit.id, score=round(hit.score, 6), title=pieces.pieces(hit.title),
        snippet=pieces.pieces(hit.snippet), place=place_of(hit.location, served.has_several_sources, str(hit.title)),
        metadata=dict(hit.metadata), explanation=explained, page=hit.page,
        stages=tuple(
            schema.StageView(stage=stage.stage, rank=stage.rank, score=round(stage.score, 6)) for stage in hit.stages
        ),
        home=None if hit.home == HERE else hit.home, group=hit.group,
    )
