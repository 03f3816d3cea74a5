"""The rules by which symbols join into one canonical layout tree, whatever notation they were read from."""

from __future__ import annotations

from porism.formula.tables import DROPPED_AT_END, MATRIX_FENCES, is_limit_operator, token_class
from porism.formula.tables_commands import ACCENT_SYNONYMS, BRACES
from porism.formula.tree import LayoutNode, Row

SCRIPT_SLOTS = ("above", "below")
CHILD_SLOTS = ("pre_above", "pre_below", "over", "under", "within", "above", "below")


def child_rows(node: LayoutNode) -> list[Row]:
    """All rows directly under a node: its slots in a fixed order, then the cells of a matrix."""
    rows = [
        row for row in (
            node.pre_above, node.pre_below, node.over, node.under, node.within, node.above, node.below,
        ) if row is not None
    ]
    if node.elements is not None:
        for line in node.elements:
            rows.extend(line)
    return rows


def trim(row: Row) -> None:
    """Drops punctuation at the end of a row, unless the row is nothing else."""
    if not row or row[-1].kind != "O":
        return
    length = len(row)
    while length and _is_bare(row[length - 1], DROPPED_AT_END):
        length -= 1
    if length:
        del row[length:]


def _is_bare(node: LayoutNode, labels: frozenset[str]) -> bool:
    return (
        node.kind == "O" and node.label in labels and node.above is None and node.below is None
        and node.over is None and node.under is None
    )


def nucleus(row: Row, base: int, slot: str) -> LayoutNode:
    """The node that carries a script or an accent put on ``row[base:]``; several symbols are grouped in place.

    A script on a whole fenced expression goes to its closing fence, as it does in ``(a+b)^2``, and a script on ``n!``
    to the factorial sign. ``slot`` is the attribute that will be set: ``above``, ``below``, ``over`` or ``under``.
    """
    count = len(row) - base
    if count == 1:
        node = row[base]
        taken = getattr(node, slot)
        if slot in SCRIPT_SLOTS:
            if taken is None or (slot == "above" and taken and all(mark.label == "′" for mark in taken)):
                return node
        elif taken is None and node.kind != "F" and node.above is None:
            return node
    elif count > 1 and slot in SCRIPT_SLOTS and getattr(row[-1], slot) is None and _ends_fenced(row, base):
        return row[-1]
    group = LayoutNode("", "G", row[base].start if count else 0, row[-1].end if count else 0)
    group.within = row[base:]
    del row[base:]
    row.append(group)
    return group


def _ends_fenced(row: Row, base: int) -> bool:
    """Whether a script on ``row[base:]`` belongs to its last symbol: a fence that closes all of it, or ``!``."""
    last = row[-1]
    if last.kind != "O":
        return False
    label = last.label
    if label == "!":
        return True
    first = row[base]
    ending = token_class(label)
    if ending == "bar":
        bars = sum(1 for node in row[base:] if node.kind == "O" and node.label == label)
        return bars % 2 == 1 or (first.kind == "O" and first.label == label)
    if ending != "close":
        return False
    depth = 0
    for node in row[base:-1]:
        if node.kind == "O":
            kind = token_class(node.label)
            if kind == "open":
                depth += 1
            elif kind == "close":
                depth -= 1
                if depth <= 0:
                    return False
    return depth == 0 or (depth == 1 and first.kind == "O" and token_class(first.label) == "open")


def attach_limits(row: Row, base: int, slot: str, content: Row) -> None:
    """Sets ``over`` or ``under`` on ``row[base:]``; for big operators and ``lim`` these are ``above`` and ``below``.

    A note on a brace (``\\underbrace{x}_n``) becomes a script of the brace.
    """
    if len(content) == 1 and content[0].kind == "O" and not child_rows(content[0]):
        content[0].label = ACCENT_SYNONYMS.get(content[0].label, content[0].label)
    if len(row) - base == 1:
        node = row[base]
        script = "above" if slot == "over" else "below"
        if node.kind in "OV" and is_limit_operator(node.label) and getattr(node, script) is None:
            setattr(node, script, content)
            return
        mark = brace_mark(node, script)
        if mark is not None and getattr(mark, script) is None:
            setattr(mark, script, content)
            return
    setattr(nucleus(row, base, slot), slot, content)


def brace_mark(node: LayoutNode, slot: str) -> LayoutNode | None:
    """The brace over or under a node that a script in ``slot`` labels, if there is one."""
    if node.kind == "F":
        return None
    marks = node.under if slot == "below" else node.over
    if marks is not None and len(marks) == 1 and marks[0].label in BRACES:
        return marks[0]
    return None


def settle(top: Row) -> None:
    """Lets matrices take in their fences and empty bases hand their scripts to a neighbour, in all rows of a tree."""
    stack = [top]
    while stack:
        row = stack.pop()
        matrix = empty = False
        for node in row:
            kind = node.kind
            if kind == "M":
                matrix = True
            elif kind == "G" and not node.within:
                empty = True
            stack.extend(child_rows(node))
        if empty:
            _settle_empty_bases(row)
        if matrix:
            _absorb_fences(row)


def _absorb_fences(row: Row) -> None:
    closing_brace_follows = False
    for i in range(len(row) - 1, -1, -1):
        node = row[i]
        if node.kind == "O":
            closing_brace_follows = closing_brace_follows or node.label == "}"
        elif node.kind == "M" and node.label in {"", "lines"} and i and _is_plain_symbol(row[i - 1]):
            opening = row[i - 1]
            closing = row[i + 1] if i + 1 < len(row) and row[i + 1].kind == "O" else None
            fences = MATRIX_FENCES.get((opening.label, closing.label)) if closing is not None else None
            if fences is not None and closing is not None and node.label == "" and _can_take(node, closing):
                node.label = fences
                node.end = max(node.end, closing.end)
                for slot in SCRIPT_SLOTS:
                    if getattr(closing, slot) is not None:
                        setattr(node, slot, getattr(closing, slot))
                row[i + 1] = node
                _take_opening(row, i, opening, node, 2)
            elif opening.label == "{" and not closing_brace_follows:
                node.label = "{"
                _take_opening(row, i, opening, node, 1)
    for node in row:
        if node.kind == "M" and node.label == "" and all(len(line) <= 1 for line in node.elements or ()):
            # A column without fences is a display of lines.
            node.label = "lines"


def _take_opening(row: Row, i: int, opening: LayoutNode, node: LayoutNode, width: int) -> None:
    """Replaces the fence at ``i - 1`` and what follows, ``width`` nodes more, by the matrix."""
    node.start = min(node.start, opening.start)
    row[i - 1:i + width] = [node]


def _is_plain_symbol(node: LayoutNode) -> bool:
    return node.kind == "O" and not child_rows(node)


def _can_take(node: LayoutNode, closing: LayoutNode) -> bool:
    """Whether the scripts of a closing fence fit on the matrix."""
    return not child_rows(closing) or (
        node.above is None and node.below is None and closing.over is None and closing.under is None
        and closing.pre_above is None and closing.pre_below is None
    )


def _settle_empty_bases(row: Row) -> None:
    """Scripts on nothing belong to the symbol before (``R^a{}_b``) or after (``{}_n C_k``)."""
    settled: Row = []
    count = len(row)
    for i, node in enumerate(row):
        if node.kind != "G" or node.within or node.over or node.under or node.pre_above or node.pre_below:
            settled.append(node)
            continue
        previous = settled[-1] if settled and _takes_scripts(settled[-1]) else None
        following = row[i + 1] if i + 1 < count and row[i + 1].kind in "VNFMWE" else None
        if following is not None and (following.pre_above or following.pre_below):
            following = None
        if previous is not None and (following is None or _continues(previous, node, following)):
            for slot in SCRIPT_SLOTS:
                script = getattr(node, slot)
                if script is not None:
                    setattr(previous, slot, [*(getattr(previous, slot) or []), *script])
        elif following is not None:
            following.pre_above, following.pre_below = node.above, node.below
        elif node.above or node.below:
            settled.append(node)
    row[:] = settled


def _takes_scripts(node: LayoutNode) -> bool:
    return (node.kind in "VNFRMWE" or (node.kind == "G" and bool(node.within))) or (
        node.kind == "O" and token_class(node.label) in {"close", "bar"}
    )


def _continues(previous: LayoutNode, node: LayoutNode, following: LayoutNode) -> bool:
    """Whether an empty base goes on with staggered indices of the symbol before it rather than opening the next one."""
    if node.above is not None:
        return node.below is None and previous.below is not None and previous.above is None
    return previous.above is not None and previous.below is None and following.below is None
