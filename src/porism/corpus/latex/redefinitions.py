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
from porism.formula.tables.lookup import SYMBOLS

_DRAWS = frozenset([
    *DRAWING_COMMANDS, *DIAGRAM_COMMANDS, *("\\" + name for name in BOXES), "\\includegraphics", "\\vcenter",
    "\\ooalign", "\\setbox", "\\rule", "\\mathpalette", "\\halign", "\\picture", "\\pgfpicture", "\\savebox", "\\sbox",
    "\\usebox", "\\rightarrowfill", "\\leftarrowfill", "\\rightarrowfill@", "\\leftarrowfill@", "\\arrowfill@",
    "\\leaders", "\\cleaders", "\\xleaders", "\\special", "\\pdfliteral", "\\@setfontsize", "\\fontsize",
    "\\selectfont", *DRAWINGS,
])  # fmt: skip
"""Commands and environments that put a symbol together from boxes and lines, or choose a size of letters."""


def is_only_appearance(name: str, macro: Macro, known: Set[str]) -> bool:
    """Whether a definition draws, with boxes or lines, a command that has a meaning in formulas already.

    So is one of a command that has a meaning in text, ``known``, or in formulas, by means of that command. Commands of
    one letter (``\\P``, ``\\L``) are not counted among these: projects give them meanings of their own.
    """
    if name in macro.body and name in known:
        return True
    if len(name) < 3 or name in MACRO_TRIGGERS or (name not in SYMBOLS and name not in HANDLERS):
        return False
    return name in macro.body or not _DRAWS.isdisjoint(part for part in macro.body if isinstance(part, str))
