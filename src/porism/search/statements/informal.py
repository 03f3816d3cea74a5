"""Statements in words and formulas as clauses: a sentence is one, and the last of them is what is stated."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from functools import lru_cache

from porism.analysis.folding import fold
from porism.analysis.words import WORD
from porism.formula import parse
from porism.formula.keys import layout_key
from porism.formula.operators.rules import MIRRORED_SIGNS
from porism.search.statements.canonical import Clause, Statement, Tokens
from porism.types import PLACEHOLDER, Content, Formula

MAX_TOKENS = 2_000
"""A longer text is no statement."""

SYMMETRIC = frozenset(("O!=", "O!⇔", "O!⟺", "O!↔", "O!≡", "O!≠"))

_BACKWARDS = {f"O!{sign}": f"O!{MIRRORED_SIGNS[sign]}" for sign in ">≥≫⊃⊇∋≻≽⊐⊒⇐"}
"""Relations that are written as the mirrored ones, with their sides swapped."""
_SENTENCE = re.compile(r"(?<=[.;:!?])\s+|\n\s*\n")
_VARIABLE = re.compile(r"V![a-cf-hj-zA-Z]\Z")
"""A letter that stands for something; ``d``, ``e``, ``i`` and Greek letters often have a meaning."""
_TERM = re.compile(r"(?:[VNFRGT]|M)[^!]*!.*|O![-+*/·×±∓⋅∘!()'′…⋯∑∏∫]")
"""What may stand in a side of a relation whose sides are exchanged."""
_OPENING, _CLOSING = "[", "]"


def informal_statement(content: Content) -> Statement | None:
    """The statement in a text; None where there is none, or it is too long."""
    if len(content.text) + 4 * len(content.formulas) > 4 * MAX_TOKENS:
        return None
    numbers: dict[str, int] = {}
    formulas = iter(content.formulas)
    clauses: list[Clause] = []
    for sentence in _SENTENCE.split(content.text):
        tokens = _tokens(sentence, formulas, lambda letter: numbers.setdefault(letter, len(numbers)))
        if tokens:
            clauses.append(Clause((tokens,)))
    return Statement(tuple(clauses[:-1]), clauses[-1]) if clauses else None


def _tokens(sentence: str, formulas: Iterator[Formula], number: Callable[[str], int]) -> Tokens:
    tokens: list[str | int] = []
    for place, text in enumerate(sentence.split(PLACEHOLDER)):
        if place:
            written = _formula_tokens(next(formulas))
            tokens += ("$", *(number(token) if _VARIABLE.match(token) else token for token in written), "$")
        tokens += map(fold, WORD.findall(text))
    return tuple(tokens)


@lru_cache(maxsize=20_000)
def _formula_tokens(formula: Formula) -> tuple[str, ...]:
    """The symbols of a formula, of a relation the side first that is so without its variables."""
    tokens = layout_key(parse(formula)).split(" ")
    place = _relation(tokens, SYMMETRIC)
    if place <= 0:
        place = _relation(tokens, _BACKWARDS.keys())
        if place > 0:
            return (*tokens[place + 1 :], _BACKWARDS[tokens[place]], *tokens[:place])
        return tuple(tokens)
    sides = tokens[:place], tokens[place + 1 :]
    first, second = sorted(sides, key=_masked)
    return (*first, tokens[place], *second)


def _masked(tokens: Sequence[str]) -> list[str]:
    return ["?" if _VARIABLE.match(token) else token for token in tokens]


def _relation(tokens: Sequence[str], relations: Collection[str]) -> int:
    """The place of a relation that joins the sides of a formula, whose order says nothing; else -1."""
    depth, place = 0, -1
    for number, token in enumerate(tokens):
        if depth == 0 and token in relations:
            if place >= 0:
                return -1
            place = number
        elif depth == 0 and not token.startswith(_OPENING) and not _TERM.fullmatch(token):
            return -1
        depth += token.count(_OPENING) - token.count(_CLOSING)
    return place if place < len(tokens) - 1 else -1
