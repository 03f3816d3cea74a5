"""All places of a formula, page by page: the documents that have it, with passages around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from porism.index import Filters
from porism.retrieve.documents.shown_matches import ShownMatch
from porism.search.answering import formula_documents
from porism.search.answers import FormulaDocument, Occurrences
from porism.search.formula_occurrences import Place
from porism.search.index import Index
from porism.search.marked_text import Snippet
from porism.search.snippets import SnippetMaker
from porism.types import Formula

MAX_PASSAGES = 4
"""Passages of one document; further places of it are counted, and marked where it is read."""


def occurrences_of(
    index: Index, key: str, k: int = 10, *, first: int = 0, filters: Filters | None = None
) -> Occurrences | None:
    """Where the formula with a normalised form occurs: ``k`` documents after the ``first`` ones; None for nowhere.

    :raises QueryError: a filter names an unknown key.
    """
    allowed = index.snapshot.filter(filters) if filters else None
    documents, places, shown = index.formulas.places.by_document(key, allowed, slice(first, first + k))
    if not documents:
        return None
    segment, ordinal = next(
        (segment, ordinal) for segment in index.snapshot.segments if (ordinal := segment.find_formula(key)) is not None
    )
    formula = index.formulas.places.formula(segment, ordinal)
    return Occurrences(formula, key, documents, places, tuple(_shown(index, formula, own) for own in shown))


def _shown(index: Index, formula: Formula, places: Sequence[Place]) -> FormulaDocument:
    document = index.document(places[0].doc_id)
    marks = {(place.field, place.number): ShownMatch(formula, 1.0) for place in places}
    maker = SnippetMaker(index.analyzer, {}, [formula], lambda doc_id: marks)
    passages: list[Snippet] = []
    field, end = "", 0
    for place in places:
        character = document.fields[place.field].character_of(place.number)
        if place.field != field or character >= end:
            if len(passages) == MAX_PASSAGES:
                break
            passage = maker.around(document, place.field, character)
            field, end = passage.field, passage.end
            passages.append(maker.render(document, passage, "unicode"))
    (shown,) = formula_documents(index, places, 1)
    return replace(shown, places=len(places), passages=tuple(passages))
