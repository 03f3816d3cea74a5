"""Names and signs of plain notations in a question, as characters: ``forall x in A`` as ``∀ x ∈ A``.

Names that are words too are those of symbols only where symbols, letters or numbers are beside them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from porism.formula.recognition.lexemes import APPLIED, GREEK
from porism.formula.tables.lookup import RELATION_CLASSES, SYMBOLS, token_class
from porism.formula.tables.notations import SYMBOL_NAMES

_BETWEEN = RELATION_CLASSES | {"additive", "multiplicative", "division", "set-operator"}
_BEFORE = frozenset({"big-operator", "integral"})
_PREFIXES = frozenset("∀∃∄¬□◊⋄∂∇")
_FREQUENT = frozenset("∧∨∈")
"""What prose has between letters too: it needs brackets around it, or another symbol near."""
_FENCES = frozenset({"open", "close"})
_TOKEN = re.compile(
    r"\\[A-Za-z]+|[^\W\d_]+(?:\.[a-z]+)+(?![\w.])|[^\W\d_]+|\d+(?:\.\d+)?|(?<!\S)[^\w\s]{2,}(?!\S)|[^\w\s]|_"
)
_ARTICLES = frozenset("aAI")
_DASHES = frozenset({"--", "---"})
_BOUNDS = frozenset("_^(")
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
    if not any(token.label for token in tokens):
        return text, []
    before = _mathematical(tokens)
    after = _mathematical(tokens[::-1])[::-1]
    parts: list[str] = []
    words: list[str] = []
    done = depth = 0
    for number, token in enumerate(tokens):
        depth += (token.text in "([{") - (token.text in ")]}")
        if token.label and _is_symbol(
            tokens, number, number > 0 and before[number - 1], number + 1 < len(tokens) and after[number + 1], depth > 0
        ):
            parts += [text[done:token.start], token.label]
            done = token.end
            if token.text.isalpha():
                words.append(token.text)
    return "".join((*parts, text[done:])), words


def _is_symbol(tokens: list[_Token], number: int, is_before: bool, is_after: bool, is_enclosed: bool) -> bool:
    """Whether a name is that of a symbol, where there is mathematics before it or after it, or brackets around it."""
    token = tokens[number]
    kind = token_class(token.label)
    if not token.text.isalpha() or kind in _FENCES or token.label == "∞":
        return token.text not in _DASHES
    if kind in _BEFORE:
        return is_after and tokens[number + 1].text in _BOUNDS
    if token.label in _PREFIXES:
        return is_after
    if token.label in _FREQUENT and not is_enclosed and not any(
        tokens[other].label not in ("", *_FREQUENT) for other in (number - 2, number + 1) if 0 <= other < len(tokens)
    ):
        return False
    return is_before and is_after


def _mathematical(tokens: list[_Token]) -> list[bool]:
    """Which tokens are none of prose, seen from the one after: letters, numbers, signs, and names beside these."""
    found: list[bool] = []
    previous: _Token | None = None
    for token in tokens:
        if token.text in _ENDS:
            found.append(False)
        elif token.text in _ARTICLES:
            found.append(previous is None or not previous.text.isalpha() or len(previous.text) == 1 or (
                previous.label != "" and token_class(previous.label) not in _BEFORE
            ))  # fmt: skip
        elif not token.text.isalpha() or len(token.text) == 1 or token.text in GREEK or token.text in APPLIED:
            found.append(True)
        else:
            found.append(token.label != "" and bool(found) and found[-1])
        previous = token
    return found
