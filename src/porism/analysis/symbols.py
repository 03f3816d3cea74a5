"""Mathematical symbols as terms, by one name wherever they occur: in plain text, as a command, or in a formula.

``⊔``, ``\\sqcup`` and ``$A \\sqcup B$`` share the term ``⊔``; ``ℝ``, ``\\R`` and ``$\\mathbb{R}$`` the term ``ℝ``;
``<=`` and ``\\leq`` the term ``≤``. Names are those of the canonical layout tree (:mod:`porism.formula.tables.lookup`).
What counts is what one ASCII character cannot write: signs and letters of mathematical alphabets. Greek and other
letters are words; brackets and dots say too little.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from functools import lru_cache

from porism.formula import LayoutTree, parse
from porism.formula.extractors.tokens import latex_tokens
from porism.types import PLACEHOLDER, Content, Formula

_ALPHABETS = "ℂℍℕℙℚℝℤℬℰℱℋℐℒℳℛℯℊℴℭℌℑℜℨℎℓ℘\U0001d400-\U0001d6a5\U0001d7ce-\U0001d7ff"
_DIGRAPHS = {
    "->": "→", "-->": "→", "=>": "⇒", "==>": "⇒", "<->": "↔", "<-->": "↔", "<=>": "⇔", "<==>": "⇔", "|->": "↦",
    "<=": "≤", ">=": "≥", "/=": "≠", "=/=": "≠", "|-": "⊢", "/\\": "∧", "\\/": "∨",
}
"""What ASCII writes for a sign, as terms of signs in proof assistants and in plain text."""

_WRITTEN = "|".join(re.escape(signs) for signs in sorted(_DIGRAPHS, key=len, reverse=True))
_SIGN = r"[-+*/=<>^|&!~]"
_CANDIDATE = re.compile(
    rf"(?<!{_SIGN})(?:{_WRITTEN}|(?<=\s)!=)(?!{_SIGN})|\\[A-Za-z]+|[^\w\s\x00-\x7f{PLACEHOLDER}]|[{_ALPHABETS}]"
)
_ALPHABET = re.compile(rf"[{_ALPHABETS}]")


@lru_cache(4096)
def is_symbol(token: str) -> bool:
    """Whether a canonical token of a formula is a term here: one sign or letter of an alphabet beyond ASCII."""
    if len(token) != 1 or token.isascii():
        return False
    return unicodedata.category(token)[0] == "S" or _ALPHABET.match(token) is not None


@lru_cache(4096)
def text_symbol(written: str) -> str:
    """The term of a character or a command in plain text; empty for one that is not a symbol."""
    if written in _DIGRAPHS or written == "!=":  # which is a factorial too, so not without a blank before it
        return _DIGRAPHS.get(written, "≠")
    tokens = latex_tokens(parse(Formula(written)))
    return tokens[0] if len(tokens) == 1 and is_symbol(tokens[0]) else ""


def text_symbols(text: str) -> Iterator[tuple[int, int, str]]:
    """The symbols of a plain text: where each starts and ends, and its term."""
    for match in _CANDIDATE.finditer(text):
        term = text_symbol(match.group())
        if term:
            yield match.start(), match.end(), term


def formula_symbols(layout: LayoutTree) -> list[str]:
    """The symbols of a formula, with repetition."""
    return [token for token in latex_tokens(layout) if is_symbol(token)]


def formula_words(layout: LayoutTree) -> list[str]:
    """What a text without marked formulas writes of a formula as words, each once: letters, numbers and names.

    ``W(3,30)\\ge\\sin x`` has ``W``, ``3``, ``30``, ``sin`` and ``x``.
    """
    return list(dict.fromkeys(token for token in latex_tokens(layout) if token.isalnum() and not is_symbol(token)))


def content_symbols(content: Content, formula_terms: Callable[[Formula], list[str]]) -> list[str]:
    """The symbols of a text, then those of its formulas as ``formula_terms`` gives them (:func:`formula_symbols`)."""
    symbols = [term for _, _, term in text_symbols(content.text)]
    for formula in content.formulas:
        symbols += formula_terms(formula)
    return symbols
