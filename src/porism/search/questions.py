"""What a person types, read: words, formulas, quoted phrases, words for one field, and what there is to say about it.

``"uniform convergence" title:compact $x^2$`` asks for documents that contain the phrase and have ``compact`` in their
title; they are ranked by all its words and formulas.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from porism.corpus.base import clean
from porism.corpus.mathtext import split_parts
from porism.errors import QueryError
from porism.formula.recognition.recognising import recognise_formulas
from porism.settings import nearest
from porism.types import PLACEHOLDER, Content, Formula, Query

MAX_QUERY_LENGTH = 1_000_000
"""Characters of a query beyond these are refused: it is a document, not a question."""

_NAME = r"[A-Za-z][A-Za-z0-9_-]*[A-Za-z0-9]"
_CONDITION = re.compile(
    rf"(?<![^\s(])(?:(?P<name>{_NAME}):)?(?:\"(?P<straight>[^\"]+)\"|“(?P<curly>[^“”]+)”)(?!\w)"
    rf"|(?<![^\s(])(?P<field>{_NAME}):(?P<word>{PLACEHOLDER}|\w[\w'’-]*)"
)
_SOLID = re.compile(rf"[^\W_]|{PLACEHOLDER}")
_LOST_BASE = re.compile(r"(?:\A|[\s(])[\^_](?=[\w{])")

SPOKEN = "spoken"
"""The field of a query that has the words of its spoken formulas."""

NO_PARTNER = "a dollar has no partner. Formulas are between two dollars"
LOST_BASE = "a power or an index has no base"


@dataclass(frozen=True, slots=True)
class Condition:
    """What a document must have: a phrase, word by word as it is ``exact``, or words as the index reads them; in one
    field or in any."""

    content: Content
    field: str | None = None
    exact: bool = True


@dataclass(frozen=True, slots=True)
class Question:
    """A question that was read: the query that ranks documents, what they must have, metadata that they must have (as
    filters), notes for the user, and the text as it was typed."""

    query: Query
    conditions: tuple[Condition, ...] = ()
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    text: str = ""


def make_query(question: str | Content | Query, guess_formulas: bool = False) -> Query:
    """A query from words and formulas between dollars (``$…$``, ``$$…$$``, ``\\(…\\)``, ``\\[…\\]``), or from content.

    :param guess_formulas: whether formulas without dollars are recognised in a string
        (:mod:`porism.formula.recognition`).
    :raises QueryError: there is nothing in it, or it is longer than :data:`MAX_QUERY_LENGTH`.
    """
    if isinstance(question, Query):
        return _checked(question)
    content = question if isinstance(question, Content) else _split(question)[0]
    if guess_formulas and isinstance(question, str):
        guess = recognise_formulas(content)
        return _checked(_query(guess.content, guess.spoken))
    return _checked(_query(content))


def read_question(
    text: str, fields: Collection[str], metadata: Callable[[], Collection[str]] = tuple, guess_formulas: bool = False
) -> Question:
    """Reads a question with phrases between quotes and ``field:word``, for an index with these fields.

    ``key:value`` with a key of the ``metadata`` is a filter.

    :param guess_formulas: whether formulas without dollars are recognised.
    :raises QueryError: there is nothing in it, it is too long, or it names a field that the index does not have.
    """
    content, notes = _split(text)
    conditions: list[Condition] = []
    filters: dict[str, tuple[str, ...]] = {}
    parts: list[str | Formula] = []
    spoken: list[str] = []
    reading = _QuestionParts(parts, spoken, notes, guess_formulas)
    done = 0
    for match in _CONDITION.finditer(content.text):
        name = match["name"] or match["field"]
        phrase = match["straight"] or match["curly"]
        value = phrase or match["word"]
        if _SOLID.search(value) is None:
            continue
        start = match.start("straight" if match["straight"] else "curly" if match["curly"] else "word")
        own = _part(content, start, start + len(value))
        reading.plain(_part(content, done, match.start()))
        done = match.end()
        known = _find(name, fields) if name else None
        if name and known is None and (key := _find(name, metadata())) is not None:
            filters[key] = (*filters.get(key, ()), own.to_latex().strip())
            continue
        if name and known is None:
            raise _no_field(name, fields)
        conditions.append(Condition(own, known, phrase is not None))
        parts.extend([" ", *own.parts, " "])
    reading.plain(_part(content, done, len(content.text)))
    query = _checked(_query(Content.of(*parts), spoken), bool(filters), content)
    return Question(query, tuple(conditions), filters, tuple(notes), text)


def _query(content: Content, spoken: Sequence[str] = ()) -> Query:
    """The query of a content, with the words of its spoken formulas in a field of their own."""
    return Query("query", {"query": content} | ({SPOKEN: Content(" ".join(spoken))} if spoken else {}))


class _QuestionParts(NamedTuple):
    """The parts of the query, the words of its spoken formulas and the notes so far."""

    parts: list[str | Formula]
    spoken: list[str]
    notes: list[str]
    guess: bool

    def plain(self, content: Content) -> None:
        """Takes what is neither a phrase nor for a field."""
        if self.guess:
            guessed = recognise_formulas(content)
            content = guessed.content
            self.spoken.extend(guessed.spoken)
            self.notes.extend(f"read as a formula: ${source}$" for source in guessed.formulas)
            if guessed.doubtful:
                shown = ", ".join(guessed.doubtful)
                self.notes.append(f"read as words: {shown}. Put formulas between dollars: '${guessed.doubtful[0]}$'")
        self.parts.extend(content.parts)


def _split(text: str) -> tuple[Content, list[str]]:
    """A text with the formulas between delimiters, and notes on delimiters without a partner, which are left out."""
    if len(text) > MAX_QUERY_LENGTH:
        raise QueryError(f"the query has {len(text):,} characters", hint=f"Ask with at most {MAX_QUERY_LENGTH:,}.")
    cleaned = clean(text)
    lonely: list[int] = []
    content = Content.of(*split_parts(cleaned, on_unbalanced=lonely.append))
    notes = [NO_PARTNER] if any(cleaned[position] == "$" for position in lonely) else []
    if not notes and "$" in cleaned and _LOST_BASE.search(cleaned):
        notes.append(LOST_BASE)
    if notes:
        content = Content(content.text.replace("$", " "), content.formulas)
    return content, notes


def _part(content: Content, start: int, end: int) -> Content:
    """The part of a content between two positions of its text."""
    first = content.text.count(PLACEHOLDER, 0, start)
    text = content.text[start:end]
    return Content(text, content.formulas[first : first + text.count(PLACEHOLDER)])


def _find(name: str, known: Collection[str]) -> str | None:
    return name if name in known else next((other for other in known if other.lower() == name.lower()), None)


def _no_field(name: str, fields: Collection[str]) -> QueryError:
    return QueryError(
        f"the index has no field {name!r}", where="query",
        hint=f"{nearest(name, sorted(fields))} To search for the words, put a blank after the colon.",
    )


def _checked(query: Query, filtered: bool = False, written: Content | None = None) -> Query:
    if any(query.fields.values()):
        return query
    if filtered:
        raise QueryError("the query has filters and nothing to search for", hint="Add words or formulas.")
    hint = "Ask with words, formulas between dollars, or both."
    if written is not None and "$" in written.text:
        hint += " In double quotes the shell takes $x for one of its variables: use single quotes."
    raise QueryError("the query is empty", hint=hint)
