"""Redefinitions in appearance only: where a project draws a symbol itself, it means what it means elsewhere."""

from __future__ import annotations

from collections.abc import Set

from porism.corpus.latex.arrows import DIAGRAM_COMMANDS
from porism.corpus.latex.drawings import DRAWING_COMMANDS
from porism.corpus.latex.tables import DRAWINGS
from porism.formula.latex.commands import HANDLERS
from porism.formula.latex.macros import MACRO_TRIGGERS
from porism.formula.macros.definition import Macro
from porism.formula.tables.boxes import BOXES
from porism.formula.tables.commands import ACCENTS
from porism.formula.tables.lookup import SYMBOLS

_DRAWS = frozenset([
    *DRAWING_COMMANDS, *DIAGRAM_COMMANDS, *("\\" + name for name in BOXES), "\\includegraphics", "\\vcenter",
    "\\ooalign", "\\setbox", "\\rule", "\\mathpalette", "\\halign", "\\picture", "\\pgfpicture", "\\savebox", "\\sbox",
    "\\usebox", "\\rightarrowfill", "\\leftarrowfill", "\\rightarrowfill@", "\\leftarrowfill@", "\\arrowfill@",
    "\\leaders", "\\cleaders", "\\xleaders", "\\special", "\\pdfliteral", "\\@setfontsize", "\\fontsize",
    "\\selectfont", *DRAWINGS,
])  # fmt: skip
"""Commands and environments that put a symbol together from boxes and lines, or choose a size of letters."""
_MARKS = frozenset("\\" + name for name in ACCENTS)


def is_only_appearance(name: str, macro: Macro, known: Set[str]) -> bool:
    """Whether a definition draws, with boxes or lines, a command that has a meaning in formulas already.

    The same holds for a command with a meaning in text (``known``) or in formulas that is defined by means of itself.
    It also holds for an accent that is defined by a style's private commands, ``\\wide@bar``. Commands of one letter
    (``\\P``, ``\\L``) are not counted among these: projects give them meanings of their own.
    """
    if name in macro.body and name in known:
        return True
    if len(name) < 3 or name in MACRO_TRIGGERS or (name not in SYMBOLS and name not in HANDLERS):
        return False
    parts = {part for part in macro.body if isinstance(part, str)}
    return name in parts or not _DRAWS.isdisjoint(parts) or (name in _MARKS and _is_machinery(parts))


def _is_machinery(parts: set[str]) -> bool:
    """Whether private commands of a style do the work, which a star does not choose between."""
    return "\\@ifstar" not in parts and any(part[0] == "\\" and "@" in part for part in parts)
