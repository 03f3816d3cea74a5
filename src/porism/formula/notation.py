"""Reads a formula in whichever notation it was written."""

from __future__ import annotations

import re
from collections.abc import Mapping

from porism.formula.latex.macros import MacroText
from porism.formula.latex.parser import parse_latex
from porism.formula.mathml.parser import parse_mathml
from porism.formula.tree import LayoutTree
from porism.types import Formula, Notation

_MARKUP = re.compile(r"\s*(?:<\?xml\b|<!--|<(?:[A-Za-z][\w.-]*:)?(?:math|semantics|apply|m[a-z]+)\b[^<>]*>)")


def notation_of(source: str) -> Notation:
    """The notation of a formula of which nothing else is known: MathML if it begins with an element of MathML."""
    return "mathml" if _MARKUP.match(source) is not None else "latex"


def parse(
    formula: Formula | str, notation: Notation | None = None, *, macros: Mapping[str, MacroText] | None = None
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
    return parse_mathml(source) if notation == "mathml" else parse_latex(source, macros=macros)
