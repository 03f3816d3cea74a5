"""Formulas: LaTeX and MathML to layout trees, layout trees to operator trees and back to notations."""

from porism.formula.keys import layout_key, layout_string
from porism.formula.latex import parse_latex
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode, OperatorTree, ParseProblem

__all__ = [
    "LayoutNode", "LayoutTree", "OperatorNode", "OperatorTree", "ParseProblem", "layout_key", "layout_string", "parse_latex",
]
