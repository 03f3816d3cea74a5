"""Formulas as a reader sees them: MathML from Porism's own trees, other notations, trees as values."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from html import escape
from typing import NamedTuple

from porism.errors import QueryError
from porism.formula import (
    LayoutTree,
    OperatorNode,
    OperatorTree,
    ParseProblem,
    layout_key,
    layout_string,
    notation_of,
    operator_string,
    operator_tree,
    parse,
    to_latex,
    to_mathml,
    to_spoken,
    to_unicode,
)
from porism.formula.tables.styles import ENCLOSURES
from porism.formula.values import WholeValue, whole_value
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.highlighting import MarkedMatch
from porism.search.marked_text import layout_of, unicode_text
from porism.serve.web.sanitizing import clean_drawing, clean_formula
from porism.serve.web.schema import Converted, FormulaView, ParsedFormula, TreeNode
from porism.types import Formula, Notation

NOTATIONS = ("latex", "mathml", "unicode", "spoken", "operators", "layout")

MAX_TREE_NODES = 400
"""A larger operator tree is not sent as nested values: nobody reads it, and readers of JSON limit the depth."""

_MAX_TREE_DEPTH = 60
_CELL_CLASSES = {
    "text-align: left": "left", "text-align: right": "right", "border-left: thin solid": "line",
    "border-top: thin solid": "above", "border-bottom: thin solid": "below",
}
"""What cells of arrays look like → their classes on pages."""
_TEXT_FONTS = {
    ' mathvariant="bold" style="font-weight: bold"': "bold",
    ' mathvariant="italic" style="font-style: italic"': "italic",
}
"""Fonts of texts as they are written → their classes on pages."""
_CELL_LOOK = "|".join(_CELL_CLASSES)
_STYLE = re.compile(rf' style="((?:{_CELL_LOOK})(?:; (?:{_CELL_LOOK}))*)"')


def view(formula: Formula) -> FormulaView:
    """A formula in LaTeX, Unicode and MathML; remembered, as results often share formulas."""
    return _view(formula.source, formula.notation, formula.display)


@lru_cache(16_384)
def _view(source: str, notation: Notation, display: bool) -> FormulaView:
    latex, text = _lines(source, notation)
    return FormulaView(latex=latex, text=text, mathml=markup(layout_of(source, notation), display))


@lru_cache(16_384)
def _lines(source: str, notation: Notation) -> tuple[str, str]:
    """A formula in LaTeX and in Unicode."""
    latex = to_latex(layout_of(source, notation)) if notation == "mathml" else source.strip()
    return latex, unicode_text(source, notation) or latex


def keyed_view(formula: Formula) -> FormulaView:
    """The same with the normalised form."""
    return view(formula).model_copy(update={"key": key_of(formula)})


@lru_cache(16_384)
def _key(source: str, notation: Notation) -> str:
    return layout_key(layout_of(source, notation))


def key_of(formula: Formula) -> str:
    """The normalised form of a formula, by which an index finds it."""
    return _key(formula.source, formula.notation)


def markup(layout: LayoutTree, display: bool = False) -> str:
    """A tree as MathML for pages."""
    return for_pages(to_mathml(layout, ids=False, display=display))


def for_pages(mathml: str) -> str:
    """MathML of Porism's writer as pages have it: sanitized, and without ``style`` attributes, which their
    Content-Security-Policy forbids."""
    return clean_formula(with_classes(mathml))


def with_classes(mathml: str) -> str:
    """MathML with classes in place of ``style`` attributes."""
    def classes(style: re.Match[str]) -> str:
        return f' class="{" ".join(_CELL_CLASSES[look] for look in style[1].split("; "))}"'

    shown = _STYLE.sub(classes, mathml)
    for written, name in _TEXT_FONTS.items():
        shown = shown.replace(written, f' class="{name}"')
    for declarations in ENCLOSURES.values():  # their classes are there
        shown = shown.replace(f' style="{declarations}"', "")
    return shown


def matched_view(match: FormulaMatch, display: bool = False) -> FormulaView:
    """The formula that a match found, its matched symbols with the class ``m``."""
    mathml = for_pages(MarkedMatch(match).found_mathml("m"))
    if display and 'display="block"' not in mathml[:90]:
        mathml = mathml.replace("<math ", '<math display="block" ', 1)
    latex, text = _lines(match.found.source, match.found.notation)
    return FormulaView(latex=latex, text=text, mathml=mathml)


def both_views(match: FormulaMatch) -> tuple[FormulaView, FormulaView]:
    """The formula of the question and the one that was found, matched symbols with the class ``m``, and those that
    stand for others with ``s1``, ``s2`` and so on too."""
    query_mathml, found_mathml = (for_pages(shown) for shown in MarkedMatch(match).mathml("m", "s"))
    return (
        view(match.query).model_copy(update={"mathml": query_mathml}),
        view(match.found).model_copy(update={"mathml": found_mathml}),
    )


def problems_of(formula: Formula) -> tuple[ParseProblem, ...]:
    """What of a formula could not be read, by position."""
    return tuple(sorted(parse(formula).problems, key=lambda problem: problem.position))


def read_formula(text: str) -> Formula:
    """A formula that a person typed: LaTeX with or without dollars, or MathML.

    :raises QueryError: it is empty.
    """
    stripped = text.strip()
    for opening, closing in (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]")):
        inner = stripped[len(opening) : -len(closing)]
        if len(stripped) > len(opening) + len(closing) and stripped.startswith(opening) and stripped.endswith(closing):
            if opening[0] != "$" or "$" not in inner:
                stripped = inner.strip()
            break
    if not stripped:
        raise QueryError("the formula is empty", hint=r"Give LaTeX, such as \frac{a}{b}, or MathML.")
    return Formula(stripped, notation_of(stripped))


def parsed(formula: Formula) -> ParsedFormula:
    """A formula in all notations with its operator tree."""
    layout = parse(formula)
    operators = operator_tree(layout)
    small = sum(1 for _ in operators.root.walk()) <= MAX_TREE_NODES and _depth(operators.root) <= _MAX_TREE_DEPTH
    return ParsedFormula(
        formula=keyed_view(formula),
        spoken=to_spoken(layout),
        layout=layout_string(layout),
        operators=operator_string(operators),
        tree=_tree(operators.root) if small else None,
        svg=clean_drawing(draw_tree(operators.root)) if small else "",
        problems=problems_of(formula),
    )


def _depth(root: OperatorNode) -> int:
    deepest, stack = 0, [(root, 1)]
    while stack:
        node, depth = stack.pop()
        deepest = max(deepest, depth)
        stack += [(child, depth + 1) for child in node.children]
    return deepest


def _tree(node: OperatorNode) -> TreeNode:
    return TreeNode(label=node.label, kind=node.kind, children=tuple(map(_tree, node.children)))


def converted(formula: Formula, notation: str) -> Converted:
    """A formula in another notation.

    :raises QueryError: there is no such notation.
    """
    if notation not in NOTATIONS:
        raise QueryError(f"there is no notation {notation!r}", hint=f"Choose from {', '.join(NOTATIONS)}.")
    layout = parse(formula)
    if notation == "operators":
        text = operator_string(operator_tree(layout))
    else:
        writers: dict[str, Callable[[LayoutTree], str]] = {
            "latex": to_latex, "mathml": markup, "unicode": to_unicode, "spoken": to_spoken, "layout": layout_string,
        }
        text = writers[notation](layout)
    return Converted(notation=notation, text=text, problems=problems_of(formula))


def equal_in_value(first: Formula, second: Formula) -> bool:
    """Whether two formulas have one value, by name or up to renaming: cheap enough for lists of formulas. For what that
    assumes see :mod:`porism.serve.web.equality`."""
    values = [_value(formula.source, formula.notation) for formula in (first, second)]
    return any(one and one == other for one, other in zip(values[0][:2], values[1][:2], strict=True))


@lru_cache(4_096)
def _value(source: str, notation: Notation) -> WholeValue:
    return whole_value(_operators(source, notation))


@lru_cache(1_024)
def _operators(source: str, notation: Notation) -> OperatorTree:
    return operator_tree(layout_of(source, notation))


def operators_of(formula: Formula) -> OperatorTree:
    """The operator tree of a formula; those that were asked for lately are remembered."""
    return _operators(formula.source, formula.notation)


def has_wildcard(formula: Formula) -> bool:
    """Whether a formula is a pattern."""
    return any(node.kind == "W" for node in _operators(formula.source, formula.notation).root.walk())


ROW = 58
GAP = 18
CHARACTER = 8.6
HEIGHT = 28

WIDE = 560
"""A wider tree keeps its size and scrolls; others shrink to what is there, on a phone to two thirds at least."""

_SIGNS = {
    "eq": "=", "plus": "+", "minus": "−", "times": "×", "divide": "÷", "sum": "∑", "product": "∏", "int": "∫",
    "sup": "power", "sub": "index", "subsup": "index, power", "leq": "≤", "geq": "≥", "lt": "<", "gt": ">",
    "neq": "≠", "in": "∈", "root": "√", "lim": "lim",
}
"""What is drawn for an operator that has a better known sign than its name."""


class _DrawnFormula(NamedTuple):
    """A node with its centre and its width."""

    node: OperatorNode
    x: float
    y: float
    width: float


def draw_tree(root: OperatorNode) -> str:
    """An operator tree as an ``<svg>`` element: operators in boxes, leaves in rounded ones, edges between them."""
    nodes = list(root.walk())
    width = {id(node): max(30.0, CHARACTER * len(_label(node)) + 18) for node in nodes}
    span: dict[int, float] = {}
    for node in reversed(nodes):
        below = sum(span[id(child)] for child in node.children) + GAP * max(0, len(node.children) - 1)
        span[id(node)] = max(width[id(node)], below)
    placed: dict[int, _DrawnFormula] = {}
    stack: list[tuple[OperatorNode, float, int]] = [(root, 0.0, 0)]
    deepest = 0
    while stack:
        node, left, depth = stack.pop()
        deepest = max(deepest, depth)
        placed[id(node)] = _DrawnFormula(node, left + span[id(node)] / 2, depth * ROW + HEIGHT / 2 + 1, width[id(node)])
        below = sum(span[id(child)] for child in node.children) + GAP * max(0, len(node.children) - 1)
        at = left + (span[id(node)] - below) / 2
        for child in node.children:
            stack.append((child, at, depth + 1))
            at += span[id(child)] + GAP
    edges, boxes = [], []
    for node in nodes:
        own = placed[id(node)]
        for child in node.children:
            below_it = placed[id(child)]
            top, bottom = own.y + HEIGHT / 2, below_it.y - HEIGHT / 2
            middle = (top + bottom) / 2
            edges.append(
                f'<path class="edge" d="M{own.x:.1f} {top:.1f}C{own.x:.1f} {middle:.1f} '
                f'{below_it.x:.1f} {middle:.1f} {below_it.x:.1f} {bottom:.1f}"/>'
            )
        kind = "operator" if node.children else "wildcard" if node.kind == "W" else "leaf"
        boxes.append(
            f'<g class="{kind}"><rect x="{own.x - own.width / 2:.1f}" y="{own.y - HEIGHT / 2:.1f}" '
            f'width="{own.width:.1f}" height="{HEIGHT}" rx="{5 if node.children else HEIGHT / 2}"/>'
            f'<text x="{own.x:.1f}" y="{own.y + 5:.1f}">{escape(_label(node))}</text></g>'
        )
    total, height = span[id(root)] + 2, deepest * ROW + HEIGHT + 2
    look = "tree wide" if total > WIDE else "tree"
    return (
        f'<svg class="{look}" xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 {total:.0f} {height}" '
        f'width="{total:.0f}" height="{height}" role="img" aria-label="Operator tree">'
        f"{''.join(edges)}{''.join(boxes)}</svg>"
    )


def _label(node: OperatorNode) -> str:
    label = _SIGNS.get(node.label, node.label) if node.children else node.label
    label = f"?{label}" if node.kind == "W" else label
    return label if len(label) <= 24 else f"{label[:23]}…"
