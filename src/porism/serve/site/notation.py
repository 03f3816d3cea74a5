"""The tables of LaTeX by which the script of a static site reads a formula, as far as an index has its symbols."""

from __future__ import annotations

from collections.abc import Collection
from string import ascii_letters
from typing import Any

from porism.formula.operators.rules import leaf_label
from porism.formula.tables.commands import (
    ACCENTS,
    ARROWS,
    BRACED_ENVIRONMENTS,
    BRACES,
    ENVIRONMENTS,
    FONT_SWITCHES,
    FONTS,
    FRACTIONS,
    INFIX,
    NAME_COMMANDS,
    TEXT_COMMANDS,
    TRANSPARENT,
    WORD_FONTS,
)
from porism.formula.tables.layout_commands import LAYOUT_ARGUMENTS, LAYOUT_ENVIRONMENTS
from porism.formula.tables.lookup import MATRIX_FENCES, SYMBOLS, blackboard, is_limit_operator
from porism.formula.tables.spaces import SPACE_COMMANDS

_DIGRAPHS = {"<=": "≤", ">=": "≥", "->": "→", "...": "…"}
"""What ASCII writes for a sign, as the parser reads it."""
_STRUCTURES = {"/": "\\frac", "choose": "\\binom"}


def notation_tables(labels: Collection[str]) -> dict[str, Any]:
    """Tables by name; of symbols those whose label is one of an index's tokens."""
    symbols = {spelling: label for spelling, (label, _) in SYMBOLS.items() if label in labels and spelling != label}
    layout = {name: arguments for name, arguments in LAYOUT_ARGUMENTS.items() if name not in TEXT_COMMANDS}
    skipped = {token[1:] for token in SPACE_COMMANDS if token[0] == "\\"} | TRANSPARENT
    letters = {
        font: {letter: leaf_label(letter, font) for letter in ascii_letters} for font in ("cal", "frak")
    } | {"bb": {letter: blackboard(letter) for letter in ascii_letters + "01"}}
    return {
        "symbols": symbols | _DIGRAPHS, "limits": sorted(filter(is_limit_operator, labels)),
        "accents": ACCENTS, "braces": "".join(BRACES),
        "fractions": {name: _STRUCTURES.get(label, f"\\{label}") for name, (label, _, _) in FRACTIONS.items()},
        "infix": {name: _STRUCTURES[label] for name, (label, _, _) in INFIX.items() if label in _STRUCTURES},
        "fonts": {name: _font(font) for name, font in FONTS.items()},
        "switches": {name: _font(font) for name, font in FONT_SWITCHES.items()},
        "letters": letters, "wordFonts": sorted(WORD_FONTS), "texts": sorted(TEXT_COMMANDS),
        "names": sorted(NAME_COMMANDS), "arrows": ARROWS,
        "layout": dict.fromkeys(sorted(skipped), "") | layout,
        "environments": {
            name: {"lines": "lines", "group": None}.get(kind, fences) for name, (kind, fences) in ENVIRONMENTS.items()
        },
        "fences": [fences for fences in MATRIX_FENCES.values() if len(fences) == 2], "braced": BRACED_ENVIRONMENTS,
        "columns": LAYOUT_ENVIRONMENTS,
    }


def _font(font: str) -> str:
    return "cal" if font == "scr" else font
