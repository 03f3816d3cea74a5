"""Content MathML to layout: each operator is written as a mathematician would, with the parentheses that it needs."""

from __future__ import annotations

from porism.formula.layout import matrix, nucleus
from porism.formula.mathml.content_binders import (
    Qualifiers,
    binder,
    collection,
    derivative,
    function,
    split_qualifiers,
    variable,
)
from porism.formula.mathml.content_rows import fenced, listed, scripted, sign_node
from porism.formula.mathml.content_tables import BIG, FENCES, INFIX, LEAVES, NAMED
from porism.formula.mathml.elements import Child, Element
from porism.formula.mathml.leaves import error, identifier, operator, text_run
from porism.formula.mathml.numbers import typed_number
from porism.formula.mathml.tokens import attributes_of
from porism.formula.tables.lookup import SYMBOLS, canonical_name
from porism.formula.tree import LayoutNode, Row
from porism.formula.words import words_row

__all__ = ["build_content", "is_content_leaf"]


def is_content_leaf(name: str) -> bool:
    """Whether this is a token element of Content MathML."""
    return name in LEAVES


def build_content(element: Element, end: int) -> Child:
    """The row of a content element; ``name`` of the result is that of the operator."""
    name, start = element.name, element.start
    children = element.children
    if name in LEAVES:
        return _leaf(element, end)
    if name in ("apply", "bind", "reln"):
        return _apply(children, start, end) if children else Child(name, [])
    if name in ("piecewise", "matrix"):
        lines = [[row for row, _ in child.cells] or [child.row] for child in children] or [[[]]]
        return Child(name, matrix("matrix", "{" if name == "piecewise" else "()", lines, start, end))
    if name in ("piece", "otherwise", "matrixrow"):
        return Child(name, [], cells=tuple((child.row, "") for child in children))
    if name in FENCES and children:
        return Child(name, collection(children, *FENCES[name], start, end))
    if name == "interval":
        closure = attributes_of(element.attributes).get("closure", "closed")
        opening = "(" if closure in ("open", "open-closed") else "["
        closing = ")" if closure in ("open", "closed-open") else "]"
        return Child(name, collection(children, opening, closing, start, end))
    if name == "lambda" and children:
        return function(children, start, end)
    if name == "bvar":
        return variable(children)
    if name == "tendsto" and attributes_of(element.attributes).get("type") in ("above", "below"):
        name = f"tendsto-{attributes_of(element.attributes)['type']}"
    if name == "share":
        return Child(name, [])
    if not children:
        return Child(name, _operator_row(name, start, end))
    row = []
    for child in children:
        row += child.row
    return Child(name, row, min(child.precedence for child in children))


def _leaf(element: Element, end: int) -> Child:
    """``<ci>``, ``<cn>`` and ``<csymbol>``; presentation markup inside them stands for itself."""
    start = element.start
    text = "".join(element.text).strip()
    if element.name == "cn":
        attributes = attributes_of(element.attributes)
        row, precedence = typed_number(text, attributes.get("type", ""), attributes.get("base", ""), start, end)
        return Child("cn", row, precedence)
    if element.name == "cerror":
        return Child("cerror", error(text, start, end))
    if element.name == "cs":
        return Child("cs", words_row(*text_run(text, "", start, end)))
    if element.name == "csymbol":
        return Child(text, _operator_row(text, start, end))
    return Child("ci", identifier(text, "", start, end))


def _operator_row(name: str, start: int, end: int) -> Row:
    """The row of an operator by itself."""
    if name in INFIX:
        return [sign_node(INFIX[name][0], start, end)] if INFIX[name][0] else []
    if name in NAMED:
        return [sign_node(NAMED[name], start, end)]
    if not name:
        return []
    known = SYMBOLS.get("\\" + name)
    if known is not None:
        return [LayoutNode(known[0], known[1], start, end)]
    if len(name) == 1:
        return operator(name, "", start, end)
    return [LayoutNode(canonical_name(name), "V", start, end)]


def _apply(children: list[Child], start: int, end: int) -> Child:
    head = children[0]
    name = head.name
    qualifiers, arguments = split_qualifiers(children[1:])
    binds = bool(qualifiers.variables) or "lowlimit" in qualifiers.rows
    if name in BIG or (binds and name not in ("diff", "partialdiff")):
        return binder(head, qualifiers, arguments, start, end)
    if name in INFIX:
        return _infix(name, arguments, start, end)
    if name in FENCES and arguments:
        return Child(name, listed([child.row for child in arguments], *FENCES[name], start, end))
    if len(arguments) == 2 and name in ("divide", "quotient"):
        node = LayoutNode("/", "F", start, end)
        node.over, node.under = arguments[0].row, arguments[1].row
        return Child(name, [node])
    if len(arguments) == 2 and name in ("power", "superscript", "subscript", "selector"):
        row = list(fenced(arguments[0], 70, start, end))
        slot = "above" if name in ("power", "superscript") else "below"
        return Child(name, scripted(row, slot, arguments[1].row), 80)
    if len(arguments) == 2 and name == "binomial":
        node = LayoutNode("choose", "F", start, end)
        node.over, node.under = arguments[0].row, arguments[1].row
        return Child(name, [node])
    if arguments and name in ("root", "square-root", "nth-root"):
        node = LayoutNode("√", "R", start, end)
        node.within = arguments[0].row
        degree = qualifiers.take("degree", start, end) or (arguments[1].row if len(arguments) > 1 else None)
        node.pre_above = None if degree and len(degree) == 1 and degree[0].label == "2" else degree
        return Child(name, [node])
    if len(arguments) == 1:
        special = _unary(name, arguments[0], qualifiers, start, end)
        if special is not None:
            return special
    row = list(fenced(head, 60, start, end))
    base = qualifiers.take("logbase", start, end)
    if base:
        scripted(row, "below", base)
    rows = [child.row for child in arguments] + [part for parts in qualifiers.rows.values() for part in parts]
    return Child("apply", row + listed(rows, "(", ")", start, end), 70)


def _unary(name: str, argument: Child, qualifiers: Qualifiers, start: int, end: int) -> Child | None:
    if name == "factorial":
        return Child(name, [*fenced(argument, 70, start, end), LayoutNode("!", "O", end, end)], 75)
    if name == "not":
        return Child(name, [sign_node("¬", start, end), *fenced(argument, 60, start, end)], 25)
    if name in ("exp", "transpose", "inverse"):
        if name == "exp":
            return Child(name, scripted([LayoutNode("e", "V", start, end)], "above", argument.row), 80)
        script = [LayoutNode("T", "V", end, end)]
        if name == "inverse":
            script = [LayoutNode("-", "O", end, end), LayoutNode("1", "N", end, end)]
        return Child(name, scripted(list(fenced(argument, 70, start, end)), "above", script), 80)
    if name in ("conjugate", "mean"):
        row = list(argument.row)
        nucleus(row, 0, "over").over = [LayoutNode("¯", "O", start, end)]
        return Child(name, row)
    if name in ("diff", "partialdiff"):
        return derivative(name, argument, qualifiers, start, end)
    return None


def _infix(name: str, arguments: list[Child], start: int, end: int) -> Child:
    sign, precedence = INFIX[name]
    row: Row = []
    if len(arguments) == 1 and sign:
        return Child(name, [sign_node(sign, start, end), *fenced(arguments[0], precedence + 1, start, end)], precedence)
    for position, child in enumerate(arguments):
        goes_on = name == "and" and child.name == _CHAINED
        if position and sign and not goes_on:
            row.append(sign_node(sign, start, end))
        # Only sums and products may be nested without parentheses, and not on the right of a minus.
        tight = precedence if name in ("plus", "times", "and", "or") or position == 0 else precedence + 1
        row += fenced(child, tight, start, end)
    if name.startswith("tendsto-"):
        row[-1:] = scripted(row[-1:], "above", [sign_node("+" if name == "tendsto-above" else "-", end, end)])
    return Child(_CHAINED if arguments and arguments[0].name == "share" else name, row, precedence)


_CHAINED = "chained"
"""Name of a relation whose left side is shared with the relation before it: ``a < b = c``."""
