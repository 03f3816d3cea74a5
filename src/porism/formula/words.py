"""Words in text mode, and names of two words: which of them are symbols of the formula."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from porism.formula.layout import child_rows
from porism.formula.tables.commands import ACCENT_SYNONYMS, FUNCTION_NAMES, NAME_SYNONYMS
from porism.formula.tables.lookup import (
    SCRIPT_CHARACTERS,
    SYMBOLS,
    VULGAR_FRACTIONS,
    blackboard,
    canonical_name,
    character,
)
from porism.formula.tables.spaces import HALF_QUAD, QUAD
from porism.formula.tables.text_accents import TEXT_ACCENTS
from porism.formula.tree import LayoutNode, Row

_ARTICLES = frozenset("aAI")
_ORDINARY_WORDS = frozenset({"th", "ch", "sh", "real", "image"})
"""Names of functions that are other words in a text."""
_MAX_JOINED = 400
"""Longer texts are not joined, so that joining stays linear."""
_PUNCTUATION = frozenset("-'`\"/()[]!?~^")
"""Signs that are not symbols where a text has nothing else."""
_SIGNS = frozenset("$%&_#")
"""Signs that are symbols, also alone in a text."""
_MODULUS = re.compile(r"(\()?\s*(mod)\.?\s+([A-Za-z]|[0-9]+)\s*(\))?")
_TEXT_MARKS = {ACCENT_SYNONYMS[accent]: accent for accent in TEXT_ACCENTS.values() if accent in ACCENT_SYNONYMS}
"""Mark over a symbol → the combining character of the accent of text that looks like it."""
_PAIRS = {tuple(words): name for pair, name in NAME_SYNONYMS.items() if len(words := pair.split()) == 2}
FIRST_WORDS = frozenset(first for first, _ in _PAIRS)
_MARKS = re.compile(r"arg[^_+=]{0,30}?m(?:ax|in)|(?:lim|ess)[^_+=]{0,30}?(?:sup|inf(?!t))|(?:inj|proj)[^_+=]{0,30}?lim")


def printable(text: str) -> str:
    """The text with runs of white space as one space and without characters that cannot be shown."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    if not text.isprintable():
        text = "".join(char if char.isprintable() else " " for char in text)
    text = text.replace("''", "”").replace("``", "“").replace("’", "'").replace("‘", "`")
    return " ".join(text.split())


class TextRun(NamedTuple):
    """A piece of text in one font, as it is written, with its span."""

    written: str
    font: str
    start: int
    end: int


def join_runs(first: TextRun, second: TextRun, gap: int) -> TextRun | None:
    """Two texts side by side as one; None where they are two.

    They are one text where they have one font and no space between them, or where both are words; a sign alone is a
    symbol, and a letter too unless it is an article before words. ``gap`` is the space between them, in mu.
    """
    if len(first.written) + len(second.written) > _MAX_JOINED:
        return None
    if not second.written or gap < 0 or gap > HALF_QUAD:
        return None
    rows = words_row(*first), words_row(*second)
    if any(len(row) == 1 and row[0].kind == "O" for row in rows):
        return None
    is_article = first.written.strip() in _ARTICLES and (gap > 0 or first.written[-1:].isspace()) and first.font != "it"
    if (gap == 0 and first.font == second.font) or (_is_words(rows[1]) and (is_article or _is_words(rows[0]))):
        return first._replace(written=first.written + " " * bool(gap) + second.written, end=second.end)
    return None


def accented(run: TextRun, marks: Row) -> TextRun | None:
    """A letter of a text with the accent over it; None where that is not a letter, or not an accent of text."""
    accent = _TEXT_MARKS.get(marks[0].label) if len(marks) == 1 else None
    if accent is None or len(run.written) != 1 or not run.written.isalpha():
        return None
    return run._replace(written=unicodedata.normalize("NFC", run.written + accent))


def _is_words(row: Row) -> bool:
    return len(row) == 1 and row[0].kind == "T" and any(map(str.isalpha, row[0].label))


def words_row(written: str, font: str, start: int, end: int) -> Row:
    """The nodes of a text: a letter, a number, a known name or a modulus are what they are in a formula."""
    char = written.strip()
    if char in VULGAR_FRACTIONS or (char in SCRIPT_CHARACTERS and char != "°"):
        return [_small_characters(char, start, end)]
    label = char if len(char) == 1 and char in SYMBOLS else printable(written)
    if not label:
        return []
    if len(label) == 1:
        return [_character(label, written, font, start, end)]
    if label.isascii() and label.isdigit():
        return [LayoutNode(label, "N", start, end, font if font == "bf" else "")]
    modulus = _MODULUS.fullmatch(label)
    if modulus is not None and bool(modulus[1]) == bool(modulus[4]):
        return [
            LayoutNode(part, "N" if part.isdigit() else "V" if len(part) == 1 and part.isalpha() else "O", start, end)
            for part in modulus.groups() if part
        ]
    name = canonical_name(label)
    known = SYMBOLS.get("\\" + name)
    if label in FUNCTION_NAMES or label in NAME_SYNONYMS:
        return [LayoutNode(name, "V", start, end)]
    if known is not None and known[0] == name and len(name) > 1 and label not in _ORDINARY_WORDS:
        return [LayoutNode(name, known[1], start, end)]
    return [LayoutNode(label, "T", start, end)]


def _small_characters(char: str, start: int, end: int) -> LayoutNode:
    """``½`` as a fraction, ``²`` as a script of nothing."""
    if char in SCRIPT_CHARACTERS:
        slot, plain = SCRIPT_CHARACTERS[char]
        node = LayoutNode("", "G", start, start)
        node.within = []
        setattr(node, slot, [LayoutNode(*SYMBOLS[plain], start, end)])
        return node
    over, under = VULGAR_FRACTIONS[char]
    node = LayoutNode("/", "F", start, end)
    node.over, node.under = [LayoutNode(over, "N", start, end)], [LayoutNode(under, "N", start, end)]
    return node


def _character(label: str, written: str, font: str, start: int, end: int) -> LayoutNode:
    known_character = character(written.strip()) if len(written.strip()) == 1 else None
    if known_character is not None and known_character[2]:
        return LayoutNode(*known_character[:2], start, end, known_character[2])
    is_known = known_character is not None and (known_character[0] in SYMBOLS or known_character[0] in _SIGNS)
    known = SYMBOLS.get(label) if known_character is None else known_character[:2] if is_known else None
    is_article = label in _ARTICLES and written[:1].isspace() and written[-1:].isspace()
    if known is None or is_article or label in _PUNCTUATION:
        return LayoutNode(label, "T", start, end)
    if font == "bb" and (shown := blackboard(known[0])) != known[0]:
        return LayoutNode(shown, "V", start, end, font)
    kept = font if (known[1] == "V" and label.isascii() and font != "it") or font == "bf" else ""
    return LayoutNode(known[0], known[1], start, end, kept)


def has_pairs(source: str) -> bool:
    """Whether a source may have a name of two words, as in ``\\arg\\min``."""
    return ("arg" in source or "lim" in source or "ess" in source) and _MARKS.search(source) is not None


def join_pairs(row: Row) -> None:
    """Makes one name of two side by side that are one: ``\\arg\\min``, ``\\lim\\sup``."""
    for i in range(len(row) - 1, 0, -1):
        first, second = row[i - 1], row[i]
        if first.kind != "V" or second.kind != "V" or second.space >= QUAD or child_rows(first):
            continue
        name = _PAIRS.get((first.label, second.label))
        if name is not None:
            second.label, second.start, second.space = name, first.start, first.space
            del row[i - 1]
