"""Formulas: LaTeX, MathML and plain notations to layout trees, to operator trees, terms, and back to notations."""

from porism.formula.coverage import MissingToken, unaccounted_tokens
from porism.formula.extractors import EXTRACTORS, Extractor, extract, find_extractor
from porism.formula.keys import layout_key, layout_string
from porism.formula.latex.parser import parse_latex
from porism.formula.mathml.parser import parse_mathml
from porism.formula.notation import detect_notation, notation_of, parse
from porism.formula.operators.builder import operator_tree
from porism.formula.operators.notation import operator_string
from porism.formula.packed import pack_tree, unpack_tree
from porism.formula.plain.parser import parse_plain
from porism.formula.tables.notations import PLAIN_NOTATIONS
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode, OperatorTree, ParseProblem
from porism.formula.writers.latex import to_latex
from porism.formula.writers.lean import to_lean
from porism.formula.writers.mathml import preorder, to_mathml
from porism.formula.writers.plain import to_asciimath, to_typst
from porism.formula.writers.spoken import to_spoken
from porism.formula.writers.text import to_marked_unicode, to_unicode
from porism.types import PlainNotation

__all__ = [
    "EXTRACTORS",
    "PLAIN_NOTATIONS",
    "Extractor",
    "LayoutNode",
    "LayoutTree",
    "MissingToken",
    "OperatorNode",
    "OperatorTree",
    "ParseProblem",
    "PlainNotation",
    "detect_notation",
    "extract",
    "find_extractor",
    "layout_key",
    "layout_string",
    "notation_of",
    "operator_string",
    "operator_tree",
    "pack_tree",
    "parse",
    "parse_latex",
    "parse_mathml",
    "parse_plain",
    "preorder",
    "to_asciimath",
    "to_latex",
    "to_lean",
    "to_marked_unicode",
    "to_mathml",
    "to_spoken",
    "to_typst",
    "to_unicode",
    "unaccounted_tokens",
    "unpack_tree",
]
