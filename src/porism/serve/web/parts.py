"""The parts of a question, numbered: what matches are coloured by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from porism.analysis.words import WORD
from porism.errors import QueryError
from porism.formula import operator_tree, parse
from porism.search.index import Index
from porism.search.questions import Question
from porism.serve.web.formula_views import key_of, problems_of, view
from porism.serve.web.schema import QueryPart
from porism.serve.web.settings import Limits
from porism.types import Formula

COLOURS = 5
LOOKS = 12
"""Looks of formulas, from 1; words have look 0. After :data:`COLOURS` of them the colours come again with another kind
of line, and formulas are numbered beside."""


@dataclass
class Parts:
    """The parts of a question, and the number of the part that a term or a formula belongs to."""

    parts: list[QueryPart] = field(default_factory=list)
    by_term: dict[str, int] = field(default_factory=dict)
    by_formula: dict[str, int] = field(default_factory=dict)

    def number(self, answers: str | Formula | None) -> int | None:
        """The part that a match answers, None where that is not known."""
        if isinstance(answers, Formula):
            return self.by_formula.get(key_of(answers))
        return self.by_term.get(answers) if answers is not None else None

    def colour(self, number: int | None) -> int:
        """The colour of a part."""
        return self.parts[number].colour if number is not None else 0


def parts_of(index: Index, question: Question) -> Parts:
    """The words that count, formulas, phrases and filters of a question, in order; what is repeated is one part."""
    parts = Parts()
    for piece in question.query.content.parts:
        if isinstance(piece, Formula):
            _add_formula(parts, piece)
        else:
            for match in WORD.finditer(piece):
                terms = _terms(index, match.group())
                if not terms <= parts.by_term.keys():
                    for term in terms:
                        parts.by_term.setdefault(term, len(parts.parts))
                    parts.parts.append(QueryPart(number=len(parts.parts), kind="word", text=match.group()))
    for formula in question.query.content.formulas:  # a word of a formula is a part of it, unless it is one of the text
        for token in index.analyzer.formula_words(formula):
            for term in _terms(index, token):
                parts.by_term.setdefault(term, parts.by_formula[key_of(formula)])
    for condition in question.conditions:
        if condition.exact or condition.field:
            where = f"{condition.field}:" if condition.field else ""
            text = condition.content.to_latex().strip()
            shown = f"{where}“{text}”" if condition.exact else f"{where}{text}"
            parts.parts.append(QueryPart(number=len(parts.parts), kind="phrase", text=shown))
    for key, values in question.filters.items():
        for value in values:
            parts.parts.append(QueryPart(number=len(parts.parts), kind="filter", text=f"{key}: {value}"))
    return parts


def _terms(index: Index, word: str) -> set[str]:
    """The terms of a word in any language of an index."""
    return {term for form in index.analyzer.word_forms(word) for term in form.terms if term}


def formula_parts(formulas: tuple[Formula, ...]) -> Parts:
    """The parts of a formula search."""
    parts = Parts()
    for formula in formulas:
        _add_formula(parts, formula)
    return parts


def _add_formula(parts: Parts, formula: Formula) -> None:
    key = key_of(formula)
    if key in parts.by_formula:
        return
    parts.by_formula[key] = len(parts.parts)
    colour = 1 + (len(parts.by_formula) - 1) % LOOKS
    parts.parts.append(
        QueryPart(
            number=len(parts.parts), kind="formula", text=formula.source.strip(), colour=colour,
            formula=view(formula), problems=problems_of(formula),
        )
    )


def check_length(text: str, limits: Limits) -> str:
    """The question, if it is not too long.

    :raises QueryError: it is.
    """
    if len(text) > limits.question_characters:
        raise QueryError(
            f"the question has {len(text):,} characters", hint=f"Ask with at most {limits.question_characters:,}."
        )
    return text


def check_filters(filters: Mapping[str, Sequence[str]], limits: Limits) -> None:
    """Refuses searches with too many filters: a page links to each of them with all others.

    :raises QueryError: there are more than the limit.
    """
    count = sum(map(len, filters.values()))
    if count > limits.filters:
        raise QueryError(f"the search has {count:,} filters", hint=f"Ask with at most {limits.filters}.")


def check_formulas(formulas: Sequence[Formula], limits: Limits) -> None:
    """Refuses questions of too many formulas, or of too many symbols, which macros can multiply.

    :raises QueryError: there are more than the limit.
    """
    if len(formulas) > limits.formulas:
        raise QueryError(f"the question has {len(formulas)} formulas", hint=f"Ask with at most {limits.formulas}.")
    symbols = 0
    for formula in formulas:
        symbols += sum(1 for _ in operator_tree(parse(formula)).root.walk())
        if symbols > limits.symbols:
            raise QueryError(
                f"the formulas of the question have more than {limits.symbols:,} symbols",
                hint="Ask with a part of them.",
            )
