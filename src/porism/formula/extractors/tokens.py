"""Linear notations: normalised LaTeX tokens and their n-grams, prefix and infix notation of the operator tree."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from porism.formula.extractors.walk import MAX_NODES, operator_walk
from porism.formula.operators.notation import tangent_label
from porism.formula.operators.rules import leaf_label
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode, OperatorTree, Row

_PLAIN = frozenset("VNO")
_CLOSING = ")" * MAX_NODES

_last: tuple[LayoutTree | None, list[str]] = (None, [])


def latex_tokens(layout: LayoutTree) -> list[str]:
    """Normalised LaTeX, token by token: canonical symbols, and ``^ _ { } \\frac \\binom \\sqrt \\matrix & \\\\ …``
    for structure.

    ``x^2+\\frac{a}{b}=0`` is ``x ^ { 2 } + \\frac { a } { b } = 0``. Subscript before superscript. At most
    ``MAX_NODES`` symbols.
    """
    global _last
    known, tokens = _last
    if known is not layout:
        tokens = _linearise(layout.row)
        _last = (layout, tokens)
    return tokens


def _linearise(top: Row) -> list[str]:
    tokens: list[str] = []
    add = tokens.append
    stack: list[tuple[Row, int] | str] = [(top, 0)]
    while stack and len(tokens) < 2 * MAX_NODES:
        entry = stack.pop()
        if isinstance(entry, str):
            add(entry)
            continue
        row, position = entry
        length = len(row)
        while position < length:
            node = row[position]
            position += 1
            kind = node.kind
            if kind in _PLAIN:
                label = node.label
                if node.font:
                    label = leaf_label(label, node.font)
                if node.over is None and node.under is None and node.pre_above is None and node.pre_below is None:
                    add(label)
                    if node.above is None and node.below is None:
                        continue
                    if position < length:
                        stack.append((row, position))
                    _push_scripts(stack, node)
                    break
                opening, parts = "", [label]
            else:
                opening, parts = _opening(node)
            if position < length:
                stack.append((row, position))
            _push_scripts(stack, node)
            _push_structure(stack, node, opening, parts)
            break
    return tokens


def _push_scripts(stack: list[tuple[Row, int] | str], node: LayoutNode) -> None:
    if node.above is not None:
        if len(node.above) and node.above[0].label == "′" and all(mark.label == "′" for mark in node.above):
            stack.append((node.above, 0))
        else:
            stack.extend(("}", (node.above, 0), "{", "^"))
    if node.below is not None:
        stack.extend(("}", (node.below, 0), "{", "_"))


def _opening(node: LayoutNode) -> tuple[str, list[str]]:
    kind = node.kind
    if kind == "F":
        return ("\\frac" if node.label == "/" else "\\binom" if node.label == "choose" else "\\" + node.label), []
    if kind == "R":
        return "\\sqrt", []
    if kind == "M":
        return "\\matrix" + node.label, []
    if kind == "T":
        return "", node.label.split()
    if kind == "W":
        return "\\qvar", [node.label]
    return "", [node.label] if node.label else []


def _push_structure(stack: list[tuple[Row, int] | str], node: LayoutNode, opening: str, parts: list[str]) -> None:
    """Pushes, last first, the accents, the symbol or structure itself, and what is before it."""
    if node.kind == "F":
        for row in (node.under, node.over):
            stack.extend(("}", (row or [], 0), "{"))
    else:
        marks = [row for row in (node.under, node.over) if row]
        if marks:
            stack.append("}")
        if node.elements is not None:
            stack.append("\\end")
            for line in reversed(node.elements):
                stack.append("\\\\")
                for cell in reversed(line):
                    stack.append((cell, 0))
                    stack.append("&")
                stack.pop()
        if node.within is not None:
            stack.extend(("}", (node.within, 0), "{") if node.kind == "R" else ((node.within, 0),))
        if node.kind == "R" and node.pre_above is not None:
            stack.extend(("]", (node.pre_above, 0), "["))
        stack.extend(reversed(parts))
        if opening:
            stack.append(opening)
            opening = ""
        if marks:
            stack.append("{")
            for row in marks:
                stack.append((row, 0))
                stack.append("\\over" if row is node.over else "\\under")
    if opening:
        stack.append(opening)
    if node.pre_above is not None and node.kind != "R":
        stack.extend(("}", (node.pre_above, 0), "{", "^"))
    if node.pre_below is not None:
        stack.extend(("}", (node.pre_below, 0), "{", "_"))


def token_bigrams(layout: LayoutTree) -> list[str]:
    """Pairs of neighbouring tokens."""
    tokens = latex_tokens(layout)
    return list(map(" ".join, pairwise(tokens)))


def token_trigrams(layout: LayoutTree) -> list[str]:
    """Triples of neighbouring tokens."""
    tokens = latex_tokens(layout)
    return list(map(" ".join, zip(tokens, tokens[1:], tokens[2:], strict=False)))


def prefix_notation(operators: OperatorTree) -> list[str]:
    """Labels in preorder (MIR-MU): ``U!eq U!plus O!SUP V!x N!2 O!divide V!a V!b N!0``."""
    return operator_walk(operators).labels


_LATEXML_NAMES = {"O!factorial2": "O!double-factorial", "O!neg": "O!minus"}


def latexml_prefix_notation(operators: OperatorTree) -> list[str]:
    """As :func:`prefix_notation`, of the operator tree that LaTeXML makes: ``a − b`` is a binary ``O!minus``, and a sum
    with differences is read from left to right; ``!!`` is ``O!double-factorial``.

    ``x!! - y^2 = 0`` is ``U!eq O!minus O!double-factorial V!x O!SUP V!y N!2 N!0`` (Novotný et al. 2021, section 2.1.2).
    """
    tokens: list[str] = []
    stack: list[OperatorNode | str] = [operators.root]
    while stack and len(tokens) < MAX_NODES:
        node = stack.pop()
        if isinstance(node, str):
            tokens.append(node)
        elif node.label == "plus" and any(map(_is_negative, node.children)):
            stack.extend(reversed(_differences(node.children)))
        else:
            label = tangent_label(node) if node.children else f"{node.kind}!{node.label}"
            tokens.append(_LATEXML_NAMES.get(label, label) if node.children else label)
            stack.extend(reversed(node.children))
    return tokens


def _is_negative(node: OperatorNode) -> bool:
    return node.label == "neg" and len(node.children) == 1


def _differences(summands: Sequence[OperatorNode]) -> list[OperatorNode | str]:
    """Summands, of which some are negative, in preorder of what a reader from left to right makes: what is added is
    one n-ary sum up to the next difference."""
    groups: list[list[OperatorNode]] = []  # alternately what is added, and single ones that are subtracted
    for node in summands:
        if groups and not _is_negative(node) and not _is_negative(groups[-1][0]):
            groups[-1].append(node)
        else:
            groups.append([node])
    before: list[OperatorNode | str] = []
    differences: list[OperatorNode | str] = []
    for number, group in enumerate(groups):
        if number == 0:
            differences = [*(["U!plus"] if len(group) > 1 else []), *group]
        elif _is_negative(group[0]):
            before.insert(0, "O!minus")
            differences.extend(group[0].children)
        else:
            before.insert(0, "U!plus")
            differences.extend(group)
    return [*before, *differences]


def infix_notation(operators: OperatorTree) -> list[str]:
    """Each operator between its operands, in round brackets; a lone operand follows its operator (MIR-MU)."""
    walk = operator_walk(operators)
    labels, parents = walk.labels, walk.parents
    arities = [0] * len(labels)
    for parent in parents:
        arities[parent] += 1
    arities[-1] = 0  # where the -1 of the root went; the last node is a leaf
    tokens: list[str] = []
    add = tokens.append
    depths: list[int] = []
    last = -1
    for label, parent, arity in zip(labels, parents, arities, strict=True):
        depth = depths[parent] + 1 if parent >= 0 else 0
        depths.append(depth)
        if depth <= last:  # not a first operand
            tokens.extend(_CLOSING[:last - depth])
            add(labels[parent])
        if arity:
            add("(")
            if arity == 1:
                add(label)
        else:
            add(label)
        last = depth
    tokens.extend(_CLOSING[:last])
    return tokens
