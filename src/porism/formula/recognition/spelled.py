"""Names and signs of plain notations in a question, as characters: ``forall x in A`` as ``∀ x ∈ A``.

Names that are words too are those of symbols only where symbols, letters or numbers are beside them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from porism.formula.recognition.lexemes import APPLIED, GREEK, class_of
from porism.formula.tables.lookup import RELATION_CLASSES, SYMBOLS, token_class
from porism.formula.tables.notations import SYMBOL_NAMES

_BETWEEN = RELATION_CLASSES | {"additive", "multiplicative", "division", "set-operator"}
_BEFORE = frozenset({"big-operator", "integral"})
_PREFIXES = frozenset("∀∃∄¬□◊⋄∂∇")
_CONJUNCTIONS = frozenset("∧∨")
_FENCES = frozenset({"open", "close"})
_TOKEN = re.compile(r"[^\W\d_]+(?:\.[a-z]+)+(?![\w.])|[^\W\d_]+|\d+(?:\.\d+)?|(?<!\S)[^\w\s]{2,}(?!\S)|[^\w\s]|_")
_ARTICLES = frozenset("aAI")
_ENDS = frozenset(".,;:?!")


class _Token(NamedTuple):
    text: str
    label: str
    """The character of a name."""
    start: int
    end: int


@lru_cache(1)
def _labels() -> dict[str, str]:
    """Name or sign of a symbol → its character."""
    names = {name: label for notation in ("typst", "asciimath") for label, listed in SYMBOL_NAMES[notation].items()
             for name in listed}
    latex = {token[1:]: label for token, (label, _) in SYMBOLS.items() if token[0] == "\\" and token[1:].isalpha()}
    return {
        name: label for name, label in (latex | names).items()
        if len(name) > 1 and len(label) == 1 and not label.isalnum() and (
            label in _PREFIXES or label == "∞" or token_class(label) in _BETWEEN | _BEFORE | _FENCES
        )
    }


def with_signs(text: str) -> tuple[str, list[str]]:
    """A text with the characters of symbols in place of their names, and the words that these were."""
    tokens = [_Token(match[0], _labels().get(match[0], ""), *match.span()) for match in _TOKEN.finditer(text)]
    parts, words, done, depth = [], [], 0, 0
    for number, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}")
        if token.label and _is_symbol(tokens, number, depth > 0):
            parts += [text[done:token.start], token.label]
            done = token.end
            if token.text.isalpha():
                words.append(token.text)
    return "".join((*parts, text[done:])), words


def _is_symbol(tokens: list[_Token], number: int, is_enclosed: bool) -> bool:
    token = tokens[number]
    kind = token_class(token.label)
    if not token.text.isalpha() or kind in _FENCES or token.label == "∞":
        return token.text not in ("--", "---")
    is_before = number > 0 and _is_mathematical(tokens, number - 1, -1)
    is_after = number + 1 < len(tokens) and _is_mathematical(tokens, number + 1, 1)
    if token.label in _PREFIXES or kind in _BEFORE:
        return is_after
    if token.label in _CONJUNCTIONS and not is_enclosed:
        return (is_before and is_after) and any(
            tokens[other].label in _PREFIXES for other in (number - 2, number + 1) if 0 <= other < len(tokens)
        )
    return is_before and is_after


def _is_mathematical(tokens: list[_Token], number: int, step: int) -> bool:
    """Whether a token is none of prose: a letter, a number, a sign, or a name beside which there is one."""
    token = tokens[number]
    if token.text in _ENDS:
        return False
    if token.text in _ARTICLES:
        beside = tokens[number + step] if 0 <= number + step < len(tokens) else None
        return beside is None or not beside.text.isalpha() or len(beside.text) == 1 or bool(beside.label)
    if not token.text.isalpha() or len(token.text) == 1 or token.text in GREEK or token.text in APPLIED:
        return True
    if token.label and 0 <= number + step < len(tokens):
        return _is_mathematical(tokens, number + step, step)
    return bool(token.label) or (token.text.isupper() and class_of(token.text) != "")
