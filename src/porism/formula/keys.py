"""Strings that stand for a layout tree: a key for equality, and Tangent's notation of symbol layout trees."""

from __future__ import annotations

import re

from porism.formula.tree import LayoutNode, LayoutTree, Row

_SPECIAL = re.compile(r"[\[\]|&\\ ]")
_SLOTS = (
    ("c", "pre_above"), ("d", "pre_below"), ("o", "over"), ("u", "under"), ("w", "within"), ("a", "above"),
    ("b", "below")
)


def layout_key(tree: LayoutTree) -> str:
    """A short string that two trees share if and only if they are equal, source and spans aside.

    Nodes are separated by spaces and written kind, font, ``!``, label; rows under a node follow in brackets, as in
    ``V!x[a N!2] O!+ V!y``. Where the notation has given the operators, these are written instead: a layout may leave
    out what they need, as namespaces do not.
    """
    if tree.operators is not None:
        return " ".join([
            f"{node.kind}{len(node.children)}!{_SPECIAL.sub(_escape, node.label)}" for node in tree.operators.walk()
        ])
    parts: list[str] = []
    add = parts.append
    # Texts to add, and rows with the position from which they are still to be written.
    stack: list[str | tuple[Row, int]] = [(tree.row, 0)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            add(item)
            continue
        row, position = item
        for position in range(position, len(row)):  # noqa: B020
            node = row[position]
            label = node.label
            if _SPECIAL.search(label) is not None:
                label = _SPECIAL.sub(_escape, label)
            add(f"{node.kind}{node.font}!{label}")
            if (
                node.above is None and node.below is None and node.over is None and node.within is None
                and node.under is None and node.elements is None and node.pre_above is None and node.pre_below is None
            ):
                continue
            if position + 1 < len(row):
                stack.append((row, position + 1))
            stack.extend(reversed(_open_rows(node)))
            break
    return " ".join(parts)


def _escape(match: re.Match[str]) -> str:
    char = match.group()
    return "\\s" if char == " " else "\\" + char


def _open_rows(node: LayoutNode) -> list[str | tuple[Row, int]]:
    """The rows under a node with the texts around them, in order."""
    pending: list[str | tuple[Row, int]] = []
    for letter, slot in _SLOTS:
        row = getattr(node, slot)
        if row is not None:
            pending += ("[" + letter, (row, 0), "]")
    if node.elements is not None:
        pending.append("[e")
        for line in node.elements:
            for cell in line:
                pending += ((cell, 0), "&")
            pending.append("|")
        pending.append("]")
    return pending


def layout_string(tree: LayoutTree) -> str:
    """The tree in Tangent's notation of symbol layout trees, for instance ``[V!x[+[N!1]],a[N!2]]``.

    The bracket right after a label holds the next symbol of the row; edges ``a b o u c d w e`` (above, below, over,
    under, scripts before, within, next cell) follow after commas. Fonts are left out. Cells of a matrix form a chain:
    the first is its ``w``, each next one hangs by ``e`` on the first symbol of the one before.
    """
    parts: list[str] = []
    stack: list[str | tuple[Row, int, list[Row]]] = [(tree.row, 0, [])]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            parts.append(item)
            continue
        row, position, cells = item
        if position >= len(row):
            if not cells:
                continue
            # An empty cell still has a place in the chain of cells.
            parts.append("[")
            stack.append("]")
            stack.append((cells[0], 0, cells[1:]))
            stack.append(",e")
            continue
        node = row[position]
        parts.append("[" + tangent_label(node))
        pending: list[str | tuple[Row, int, list[Row]]] = []
        if position + 1 < len(row):
            pending.append((row, position + 1, []))
        for letter, slot in _SLOTS:
            child = getattr(node, slot)
            if child:
                pending += ("," + letter, (child, 0, []))
        if node.elements is not None:
            flat = [cell for line in node.elements for cell in line]
            pending += (",w", (flat[0], 0, flat[1:]))
        if cells:
            pending += (",e", (cells[0], 0, cells[1:]))
        pending.append("]")
        stack.extend(reversed(pending))
    return "".join(parts)


def tangent_label(node: LayoutNode) -> str:
    """The label of one symbol as Tangent writes it: ``V!x``, ``N!2``, ``T!if``, ``F!``, ``M!()2x2``, ``?x``, ``+``."""
    kind = node.kind
    if kind == "O":
        return node.label
    if kind == "F":
        return "F!" if node.label == "/" else "F!" + node.label
    if kind in "RG":
        return kind + "!"
    if kind == "W":
        return "?" + node.label
    if kind == "M":
        lines = node.elements or []
        fences = "" if node.label == "lines" else node.label
        return f"M!{fences}{len(lines)}x{max((len(line) for line in lines), default=0)}"
    return f"{kind}!{node.label}"
