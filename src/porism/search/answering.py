"""Whole answers: what was found, why, and what there is to say of the question; as values, ready for JSON.

The command line prints them; a web service returns them as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

from porism.errors import OnProblem
from porism.index import Filters
from porism.retrieve.documents.more_like_this import MoreLikeThisSettings
from porism.search.answers import Hit
from porism.search.formula_hits import FormulaHit
from porism.search.formula_queries import read_formula_question
from porism.search.index import Index
from porism.search.snippets import FormulaStyle
from porism.search.suggestions import filter_hints

H = TypeVar("H", Hit, FormulaHit)


@dataclass(frozen=True, slots=True)
class Answer(Generic[H]):
    """The hits, best first, and hints: what in the question may have been meant otherwise, a sentence each.

    ``restricted`` says that the question has filters, phrases or fields that a document must meet.
    """

    hits: tuple[H, ...]
    hints: tuple[str, ...] = ()
    restricted: bool = False

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``hits`` as their own ``to_dict`` gives them, and ``hints``."""
        return {"hits": [hit.to_dict() for hit in self.hits], "hints": list(self.hints)}


def answer(
    index: Index, question: str, k: int = 10, *, filters: Filters | None = None, formulas: FormulaStyle = "unicode",
    relevant: Iterable[str] = (), not_relevant: Iterable[str] = (), explain: bool = False,
) -> Answer[Hit]:
    """The answer to a question as a person types it: formulas without dollars are recognised.

    With ``explain`` each hit has its explanation, and how its formulas match those of the question. Otherwise as
    :meth:`porism.Index.search`, errors included.
    """
    read = index.question(question, guess_formulas=True)
    judged = {"relevant": tuple(relevant), "not_relevant": tuple(not_relevant)}
    hits = index.search(read, k, filters=filters, formulas=formulas, **judged)
    if explain:
        hits = [
            replace(
                hit, explanation=index.explain(read, hit.id, k=k, filters=filters, **judged),
                matches=tuple(index.matches(read, hit.id)),
            )
            for hit in hits
        ]
    restricted = bool(read.conditions or read.filters)
    return Answer(tuple(hits), tuple(index.hints(read, filters)), restricted)


def answer_similar(
    index: Index, doc_id: str, k: int = 10, *, filters: Filters | None = None, formulas: FormulaStyle = "unicode",
    settings: MoreLikeThisSettings | None = None, explain: bool = False,
) -> Answer[Hit]:
    """The documents like one of the index; otherwise as :func:`answer` and :meth:`porism.Index.more_like`."""
    hits = index.more_like(doc_id, k, filters=filters, formulas=formulas, likeness=settings)
    if explain:
        hits = [
            replace(
                hit, explanation=index.explain_likeness(doc_id, hit.id, k=k, filters=filters, likeness=settings)
            )
            for hit in hits
        ]
    return Answer(tuple(hits), tuple(filter_hints(index.snapshot, filters or {})))


def answer_formulas(
    index: Index, question: str, k: int = 10, *, filters: Filters | None = None, explain: bool = False,
    on_problem: OnProblem | None = None,
) -> Answer[FormulaHit]:
    """The formulas that answer a question; otherwise as :func:`answer` and :meth:`porism.Index.search_formulas`."""
    content, notes = read_formula_question(question)
    hits = index.search_formulas(content, k, filters=filters, explain=explain, on_problem=on_problem)
    return Answer(tuple(hits), (*notes, *index.formulas.notes(), *filter_hints(index.snapshot, filters or {})))
