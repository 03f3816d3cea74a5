"""The smallest pieces of a text that may have formulas, and what they are by the tables of symbols."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from porism.formula.tables.lookup import RELATION_CLASSES, SYMBOLS, token_class
from porism.formula.tables.structures import STRUCTURES

SIGNS = (
    "\u00ac\u00b2\u00b3\u00b9\u2070-\u209c\u2102-\u2134\u2190-\u21ff\u2200-\u2211\u2213-\u22ff\u25a1\u25c7\u25ca"
    "\u27c0-\u27ff\u2900-\u2aff\U0001d400-\U0001d7ff"
)
"""Characters of mathematics, as ranges of a pattern."""
LEXEME = re.compile(
    rf"(?P<sign>[{SIGNS}])|(?P<command>\\(?:[A-Za-z]+|[^A-Za-z]))|(?P<number>\d+(?:\.\d+)*|[¼-¾])"
    rf"|(?P<wildcard>\?[A-Za-z]+)|(?P<letters>[α-ωΑ-Ω]+|(?:[A-Z][A-Za-z]*\.)+[A-Za-z]\w*|(?:(?![{SIGNS}α-ωΑ-Ω])[^\W\d_])+)"
    r"|(?P<relation><=|>=|!=|:=|->|=>|[=<>]|(?<=\s)~(?=\s))|(?P<operator>[+*/×÷±·−•⁄-])|(?P<script>[\^_])"
    r"|(?P<open>[(\[{])|(?P<close>[)\]}])|(?P<bar>\|+|‖)|(?P<prime>['′]+(?![^\W_]))|(?P<dots>\.{3}|…)"
    r"|(?P<separator>[,;!&](?=\S)|!|:(?=\s))|(?P<other>.)",
    re.DOTALL,
)
OPERAND_ENDS = frozenset({"letters", "number", "wildcard", "sign", "command", "close", "prime", "bar"})
OPERAND_STARTS = frozenset({"letters", "number", "wildcard", "sign", "command", "open", "bar"})
JOINING = frozenset({"operator", "relation", "script", "sign", "command"})
_BETWEEN_OPERANDS = RELATION_CLASSES | {"additive", "multiplicative", "division", "set-operator"}
_BINDING_CLASSES = frozenset({"big-operator", "integral"})
_QUANTIFIERS = frozenset("∀∃∄")
_FUNCTION_CLASSES = frozenset({"function", "trigonometric", "logarithm", "limit"})
_STRUCTURES_OF_TEXT = frozenset({
    "\\frac{", "\\binom{", "\\sqrt{", "\\sqrt[", "\\vert", "\\Vert", "\\lfloor", "\\lceil",
})
"""Openings of structures whose names are called in plain text; those of accents and fonts are other words too."""


class Lexeme(NamedTuple):
    """One piece: its kind is the name of a group of :data:`LEXEME`."""

    kind: str
    text: str
    start: int
    end: int


def _names(classes: frozenset[str]) -> frozenset[str]:
    """Names of LaTeX without the backslash, of symbols of these classes."""
    return frozenset(
        token[1:] for token, (label, _) in SYMBOLS.items()
        if token[0] == "\\" and token[1:].isalpha() and len(token) > 2 and token_class(label) in classes
    )


GREEK = _names(frozenset({"greek"})) - {"straightphi"}
STRUCTURE_NAMES = frozenset(
    name for name, structure in STRUCTURES["asciimath"].items()
    if name.isalpha() and len(name) > 2 and structure.opening in _STRUCTURES_OF_TEXT
)
_MATHEMATICAL = frozenset(
    match.group() for structures in STRUCTURES.values() for structure in structures.values()
    if (match := re.match(r"\\[A-Za-z]+", structure.opening)) is not None
)
"""Commands of LaTeX that open structures of formulas."""
APPLIED = _names(frozenset({"trigonometric", "logarithm"})) | {"sqrt"}
"""Names of functions before their arguments, with parentheses or without."""
NAMED = _names(frozenset({"function"}))
"""Names of functions that are words too: ``rank``."""
FUNCTIONS = _names(_FUNCTION_CLASSES) | {"mod", "sqrt"}
CALLED = FUNCTIONS | STRUCTURE_NAMES
"""Names that a parenthesis may follow."""
INTEGRALS = frozenset("∫∬∭∮") | {"int"}


@lru_cache(maxsize=4096)
def class_of(text: str) -> str:
    """The class of a sign, or of a command, as :func:`~porism.formula.tables.lookup.token_class` has it."""
    known = SYMBOLS.get(text)
    return token_class(known[0] if known is not None else text) if known is not None or text[0] != "\\" else ""


def is_mathematical(command: str) -> bool:
    """Whether a command of LaTeX is one of formulas, not of text: ``\\emph`` and ``\\item`` are not."""
    return command in _MATHEMATICAL or class_of(command) not in ("", "dots", "text")


def needs_operands(lexeme: Lexeme | None) -> bool:
    """Whether what is beside a lexeme must be an operand."""
    if lexeme is None:
        return False
    if lexeme.kind in ("sign", "command"):
        return class_of(lexeme.text) in _BETWEEN_OPERANDS
    return lexeme.kind in ("operator", "relation", "script")


def is_binder(lexeme: Lexeme) -> bool:
    """Whether a lexeme introduces variables, after which a comma ends nothing: ``∀ x, x = x``, ``∑ i ∈ s, f i``."""
    if lexeme.kind not in ("sign", "command"):
        return False
    label = SYMBOLS.get(lexeme.text, (lexeme.text, ""))[0]
    return label in _QUANTIFIERS or token_class(label) in _BINDING_CLASSES


def is_dots(lexeme: Lexeme) -> bool:
    """Whether a lexeme stands for what is left out: ``…``, ``\\dots``."""
    return lexeme.kind == "dots" or (lexeme.kind == "command" and class_of(lexeme.text) == "dots")


def lexemes(text: str, start: int, end: int) -> tuple[Lexeme, ...]:
    """The pieces between two places of a text."""
    return tuple(
        Lexeme(str(match.lastgroup), match.group(), match.start(), match.end())
        for match in LEXEME.finditer(text, start, end)
    )
