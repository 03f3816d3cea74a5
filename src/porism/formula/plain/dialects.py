"""What the words and signs of each plain notation stand for, and how arguments and fractions are written in it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from porism.formula.tables.lookup import SYMBOLS, token_class
from porism.formula.tables.notations import SYMBOL_NAMES, TYPST_SPACES
from porism.formula.tables.spaces import SPACE_COMMANDS
from porism.formula.tables.structures import STRUCTURES, Structure
from porism.types import PlainNotation

_ESCAPES = {char: "\\" + char for char in "{}$%&#_"} | {"\\": "∖", "^": "\\^", "~": "\\~"}
_NAMES_OF_FUNCTIONS = frozenset({"function", "trigonometric", "logarithm", "limit", "big-operator", "integral"})
_MIN_PART_LENGTH = 3
_MAX_PART_LENGTH = 20
_SHORT_PARTS = frozenset({"pi", "mu", "nu", "xi", "ln"})
_OTHER_WORDS = frozenset("ae AE aa AA oe OE ss dh DH th sh ch tg cotg eth real image dag copyright And".split())
"""Names of LaTeX that mean something else, or nothing, in plain text."""
_TEXTS = frozenset({"if", "and", "or", "otherwise"})


def latex_of(label: str) -> str:
    """The LaTeX token for a canonical label."""
    if len(label) > 1 and "\\" + label in SYMBOLS:
        return "\\" + label
    return _ESCAPES.get(label, label)


@dataclass(frozen=True)
class Dialect:
    """One notation for the reader of plain formulas."""

    notation: PlainNotation
    pattern: re.Pattern[str]
    """Its tokens: groups ``text``, ``number``, ``word``, ``wildcard``, ``escaped`` and ``sign``."""
    symbols: dict[str, str]
    """Name or sign → canonical label."""
    structures: dict[str, Structure]
    variants: dict[str, list[tuple[frozenset[str], str]]]
    """The first part of a name with points → its other parts and the label of each symbol of this beginning."""
    spaces: dict[str, str]
    """Name of a space → its command."""
    parts: frozenset[str] = frozenset()
    """Names that are found in a word that is none itself: ``sinx``."""
    texts: frozenset[str] = frozenset()
    """Words that are text."""
    dropped: str = "({"
    """Brackets that are not seen around a script, a numerator or an argument."""
    always_divides: bool = False
    """Whether ``/`` makes a fraction of the two operands beside it; else only where nothing else is multiplied."""
    function_takes_operand: bool = False
    """Whether ``sin x/2`` is a fraction."""
    calls: bool = False
    """Whether arguments are in parentheses right after a name: ``frac(a, b)``."""
    has_matrices: bool = False
    """Whether brackets around brackets are a matrix: ``[[a,b],[c,d]]``."""


def _pattern(word: str, signs: list[str], escaped: str) -> re.Pattern[str]:
    longest_first = sorted((sign for sign in signs if len(sign) > 1), key=len, reverse=True)
    sign = "|".join(map(re.escape, longest_first))
    return re.compile(
        rf'(?P<text>"[^"]*")|(?P<number>[0-9]+(?:\.[0-9]+)?|(?<!\.)\.[0-9]+)|(?P<wildcard>\?[A-Za-z][A-Za-z0-9]*)'
        rf"|(?P<escaped>{escaped})|(?P<sign>{sign})|(?P<word>{word})|(?P<space>\s+)|(?P<other>.)",
        re.DOTALL,
    )


def _symbols(notation: PlainNotation) -> dict[str, str]:
    return {name: label for label, names in reversed(SYMBOL_NAMES[notation].items()) for name in names}


def _dialect(
    notation: PlainNotation, word: str, *, structures: str = "asciimath", other_signs: tuple[str, ...] = (),
    escaped: str = "(?!)", other_spaces: dict[str, str] | None = None, **settings: Any,
) -> Dialect:
    symbols = _symbols(notation)
    signs = [name for name in symbols if not name.replace(".", "").isalpha() or name[-1] == "."]
    for token, (label, _) in SYMBOLS.items():
        name = token[1:]
        if token[0] == "\\" and len(name) > 1 and name.isalpha() and name not in _OTHER_WORDS:
            symbols.setdefault(name, label)
    spaces = {token[1:]: token for token in SPACE_COMMANDS if token[1:].isalpha() and len(token) > 4}
    spaces.update(other_spaces or {})
    pattern = _pattern(word, [*signs, *other_signs], escaped)
    variants: dict[str, list[tuple[frozenset[str], str]]] = {}
    for name, label in reversed(symbols.items()):  # in the order of the table
        head, *modifiers = name.split(".")
        if head.isalpha() and all(modifiers):
            variants.setdefault(head, []).append((frozenset(modifiers), label))
    return Dialect(notation, pattern, symbols, STRUCTURES[structures], variants, spaces, **settings)


def _parts(notation: PlainNotation) -> frozenset[str]:
    """The names that may be a part of a word: Greek letters, functions, and what the notation itself lists."""
    listed = {name for names in SYMBOL_NAMES[notation].values() for name in names if name.isalpha() and len(name) > 1}
    return frozenset(
        listed | _SHORT_PARTS | {
            token[1:] for token, (label, _) in SYMBOLS.items()
            if token[0] == "\\" and len(token) > _MIN_PART_LENGTH and token[1:].isalpha()
            and (token_class(label) in _NAMES_OF_FUNCTIONS or token_class(label) == "greek")
        } - _OTHER_WORDS
    )


_WORD = r"\\?[A-Za-z]+"
DIALECTS: dict[PlainNotation, Dialect] = {
    "unicode": _dialect("unicode", _WORD, parts=_parts("unicode"), texts=_TEXTS, has_matrices=True),
    "asciimath": _dialect(
        "asciimath", _WORD, parts=_parts("asciimath"), texts=_TEXTS, dropped="({[", always_divides=True,
        function_takes_operand=True, has_matrices=True, other_signs=("{:", ":}"),
    ),
    "typst": _dialect(
        "typst", r"[A-Za-z]+(?:\.[A-Za-z]+)*", structures="typst", dropped="(", always_divides=True, calls=True,
        escaped=r"\\u\{[0-9A-Fa-f]{1,6}\}|\\\S", other_spaces=TYPST_SPACES,
    ),
    "lean": _dialect(
        "lean", r"[A-Za-zͰ-Ͽ][A-Za-z0-9]*(?:\.(?:[A-Za-z][A-Za-z0-9]*|[12](?![0-9])))*", structures="lean", dropped="(",
        other_signs=("..",),
    ),
    "spoken": Dialect("spoken", re.compile(r"(?P<other>(?!))"), _symbols("spoken"), {}, {}, {}),
}


def variant(name: str, dialect: Dialect) -> str | None:
    """The label of the symbol that has all these modifiers, in any order, and the fewest others."""
    head, *modifiers = name.split(".")
    wanted = set(modifiers)
    fitting = [(len(parts), label) for parts, label in dialect.variants.get(head, ()) if wanted <= parts]
    return min(fitting, key=lambda entry: entry[0])[1] if fitting else None


def names_in(word: str, dialect: Dialect) -> list[str]:
    """The names that a word is made of, the longest first, and letters: ``sin`` and ``x`` of ``sinx``."""
    parts: list[str] = []
    i = 0
    while i < len(word):
        part = next((
            word[i:i + length] for length in range(min(_MAX_PART_LENGTH, len(word) - i), 1, -1)
            if word[i:i + length] in dialect.parts
        ), word[i])
        parts.append(part)
        i += len(part)
    return parts
