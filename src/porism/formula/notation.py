"""Reads a formula in whichever notation it was written."""

from __future__ import annotations

import re
from collections.abc import Mapping

from porism.formula.latex.macros import MacroText
from porism.formula.latex.parser import parse_latex
from porism.formula.mathml.parser import parse_mathml
from porism.formula.plain.detection import plain_notation
from porism.formula.plain.parser import parse_plain
from porism.formula.tables.notations import PLAIN_NOTATIONS
from porism.formula.tree import LayoutTree
from porism.types import Formula, Notation

_MARKUP = re.compile(r"\s*(?:<\?xml\b|<!--|<(?:[A-Za-z][\w.-]*:)?(?:math|semantics|apply|m[a-z]+)\b[^<>]*>)")

_COMMAND = re.compile(r"\\(?:[A-Za-z]|[{}|,;!:])|\$")

def detect_notation(source: str) -> Notation:
    """The notation that a formula is probably written in.

    It is LaTeX where there is a command or nothing that LaTeX does not read alike. Else the names and signs that a
    notation has for itself decide; what several have alike is AsciiMath, with characters beyond ASCII Unicode.
    """
    notation: Notation = notation_of(source)
    if notation == "mathml" or _COMMAND.search(source) is not None:
        return notation
    return plain_notation(source) or notation


def notation_of(source: str) -> Notation:
    """The notation of a formula of which nothing else is known: MathML if it begins with an element of MathML."""
    return "mathml" if _MARKUP.match(source) is not None else "latex"


def parse(
    formula: Formula | str, notation: Notation | None = None, *,
    macros: Mapping[str, MacroText] | None = None,
) -> LayoutTree:
    """The layout tree of a formula.

    A string is MathML if it begins with an element of MathML and LaTeX else, unless ``notation`` says which. ``macros``
    count for LaTeX only: name of a command → number of arguments and replacement.
    """
    if isinstance(formula, Formula):
        source, notation = formula.source, notation or formula.notation
    else:
        source = formula
    if notation is None:
        notation = notation_of(source)
    if notation in PLAIN_NOTATIONS:
        return parse_plain(source, notation)
    return parse_mathml(source) if notation == "mathml" else parse_latex(source, macros=macros)
