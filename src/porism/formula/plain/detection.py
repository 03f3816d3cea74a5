"""Which plain notation a formula is probably written in: by the names and signs that each one's tables have."""

from __future__ import annotations

import re
from functools import lru_cache

from porism.formula.plain.dialects import DIALECTS
from porism.formula.plain.phrases import phrases
from porism.formula.tables.notations import SYMBOL_NAMES
from porism.types import PlainNotation

_MAX_LENGTH = 2_000
"""Only so many characters are looked at."""
_APPLIED = re.compile(r"(?<![\w∀∃∑∏∫λ] )(?<!\w)[^\W\d_][₀-₉']* (?=[^\W\d_]['₀-₉]*(?!\w)|[0-9(])")
"""A letter beside a letter: a function and its argument, where signs are not spelled."""
_QUOTED = re.compile(r'"[^"]*"')
_SIGN_OF_FORMULA = re.compile(r"[\^_(){}\[\]=<>+*/\\&|\"#@]")
_MATHEMATICS = re.compile(r"[^\x00-\u036f]")
_NOTATIONS: tuple[PlainNotation, ...] = ("asciimath", "typst", "lean")
_SHARED = 0.4
_DOTTED = 2.0
"""What a name with points says, and one that others have too."""
_UNKNOWN: dict[PlainNotation, float] = {"asciimath": 0.5, "typst": 1.0, "lean": 0.0}
"""What a word of several letters that no table has says against a notation."""
_NAME = r"(?:[A-Za-z_][\w']*)"
_ARGUMENT = r"\((?:[^()]|\([^()]*\))*"
_CONDITION = r"\s*(?::[^,]*|∈[^,]*|[<>≤≥≠][^,]*|),"
_MARKS_OF: dict[PlainNotation, tuple[tuple[float, str], ...]] = {
    "asciimath": (
        (3, rf"\b(?:frac|binom|root|overset|underset|stackrel){_ARGUMENT}\)\("),
        (2, r"\{:|:\}|\[\[|\(\([^()]*\),\s*\("),
        (1, r"\)/\(|[_^]\(|[<>!]=|[-=]>|\|->|\.\.\.|//|(?<![_^}\w])\{"),
    ),
    "typst": (
        (3, rf"\b(?:frac|binom|root|overbrace|underbrace){_ARGUMENT},"),
        (3, r"\b(?:mat|vec|cases|attach)\([^()]*[,;]|delim:|#none|\battach\("),
        (1, r"\\(?=\s|\Z)"),
    ),
    "lean": (
        (3, rf"(?<![\w.])(?:fun\b|λ)[^,=↦]*(?:=>|↦)|(?<![\w.])(?:[A-Z]\w*\.)+{_NAME}"),
        (3, rf"[∀∃]!?\s*\(?\s*\w+(?:\s+\w+){{0,9}}{_CONDITION}|[∑∏∫⨆⨅⋃⋂⨁⨂]\s*\w+\s*(?:∈[^,]*,|in\b|:[^,]*,|,)"),
        (2, r"\([^()]*\S\s:\s[^()]*\)|\[MOD |\bif\b.*\bthen\b.*\belse\b|[a-z]_[a-z]{2,}\b"),
        (0.5, r"\w \^ [\w(]|(?<=\S) \* (?=\S)"),
    ),
}
"""What one notation has and the others have not, with what it says for it; names are in the tables."""
_MARKS = {
    notation: [(weight, re.compile(pattern)) for weight, pattern in marks] for notation, marks in _MARKS_OF.items()
}


def plain_notation(source: str) -> PlainNotation | None:
    """The plain notation that a text without commands of LaTeX is written in; None where nothing says so."""
    text = source[:_MAX_LENGTH]
    if _is_spoken(text):
        return "spoken"
    scores = {notation: _score(text, notation) for notation in _NOTATIONS}
    is_beyond_ascii = _MATHEMATICS.search(text) is not None
    if is_beyond_ascii:  # names that other notations have too say nothing
        scores = {notation: score if score >= 1 else 0 for notation, score in scores.items()}
        scores["lean"] += _APPLIED.search(text) is not None
    for notation, marks in _MARKS.items():
        scores[notation] += sum(
            weight for weight, pattern in marks
            if (weight > 1 or notation == "lean" or not is_beyond_ascii) and pattern.search(text) is not None
        )
    best = max(scores, key=lambda notation: scores[notation])
    if scores[best] >= 1 or (scores[best] > 0 and not is_beyond_ascii):
        return best
    return "unicode" if is_beyond_ascii else None


@lru_cache(8)
def _names(notation: PlainNotation) -> dict[str, float]:
    """Name or sign of a notation → what it says for it: less where others have it too."""
    own, common = SYMBOL_NAMES[notation], SYMBOL_NAMES["unicode"]
    others = [SYMBOL_NAMES[other] for other in _NOTATIONS if other != notation]
    names: dict[str, float] = {}
    if notation != "lean":
        for name in (*DIALECTS[notation].symbols, *DIALECTS[notation].structures):
            names[name] = _SHARED
        for name in DIALECTS[notation].structures:
            if not any(name in DIALECTS[other].structures or name in DIALECTS[other].symbols for other in _NOTATIONS
                       if other != notation):
                names[name] = 1.0
    for label, listed in own.items():
        for name in listed:
            is_shared = any(name in other.get(label, (name,)) for other in others[:1 + (notation == "lean")])
            names[name] = _SHARED if is_shared else 1.0
    for listed in common.values():
        for name in listed:
            names.pop(name, None)
    return {
        name: _DOTTED if "." in name.strip(".") else weight for name, weight in names.items()
        if len(name) > 1 and (notation != "lean" or name.isalpha())
    }


def _score(text: str, notation: PlainNotation) -> float:
    dialect, names = DIALECTS[notation], _names(notation)
    score = 0.0
    for match in dialect.pattern.finditer(_QUOTED.sub(" ", text)):
        token = match[0]
        if match.lastgroup == "word" and len(token) > 1:
            if notation == "lean" and "." in token and token not in DIALECTS["typst"].symbols:
                score += _DOTTED
            else:
                score += names.get(token, -_UNKNOWN[notation])
        elif match.lastgroup == "sign":
            score += names.get(token, 0.0)
    return score


def _is_spoken(text: str) -> bool:
    """Whether a text is words that say a formula, some of which no other notation has."""
    if not text.isascii() or _SIGN_OF_FORMULA.search(text) is not None:
        return False
    known = unknown = own = 0
    for phrase in phrases(text):
        if phrase.kind == "text":
            unknown += 1
        elif phrase.end - phrase.start > 1 and not text[phrase.start].isdigit():
            known += 1
            own += phrase.kind not in ("symbol", "operand") or any(
                word not in _names("asciimath") for word in text[phrase.start:phrase.end].split()
            )
    return own > 0 and known >= 2 * unknown
