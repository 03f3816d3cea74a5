"""Brings a tree into its one form after it was read: fences of matrices, scripts of nothing, groups without need."""

from __future__ import annotations

from operator import attrgetter

from porism.formula.breaks import BREAK, break_lines, is_break
from porism.formula.layout import (
    MAX_STYLES,
    SCRIPT_SLOTS,
    attach_limits,
    begin_column,
    brace_mark,
    child_rows,
    group_nodes,
    is_plain,
    matrix,
    nucleus,
    takes_arguments,
    trim,
)
from porism.formula.spelled import FIRST_PARTS, join_spelled
from porism.formula.tables.lookup import MATRIX_FENCES, is_limit_operator, token_class
from porism.formula.tree import LayoutNode, Row
from porism.formula.words import FIRST_WORDS, join_pairs

_MAX_ROUNDS = 8
_LABEL = attrgetter("label")
_KIND = attrgetter("kind")
_SETTLED_LABELS = FIRST_WORDS | {"′", BREAK}
_CHANGING_LABELS = _SETTLED_LABELS | FIRST_PARTS
_CHANGING_KINDS = frozenset("MG")
CARRIED_SLOTS = ("pre_above", "pre_below", "over", "under", "above", "below")


def normalise(top: Row) -> None:
    """Lets matrices take in their fences and empty bases hand their scripts to a neighbour, in all rows of a tree."""
    for _ in range(_MAX_ROUNDS):
        rows = [top]
        for row in rows:
            for node in row:
                if not is_plain(node):
                    _drop_empty_slots(node)
                    rows.extend(child_rows(node))
        # Children come after their parents in the list, and are settled before them. A row that became empty did
        # change: its slot is dropped in the next round.
        changed = [_normalise_row(row) for row in reversed(rows)]
        if not any(changed):
            break


def _normalise_row(row: Row) -> bool:
    """Settles one row; whether that changed it, so that there may be more to do."""
    labels = set(map(_LABEL, row))
    if labels.isdisjoint(_CHANGING_LABELS) and _CHANGING_KINDS.isdisjoint(map(_KIND, row)):
        return False
    before = list(row)
    if not labels.isdisjoint(FIRST_PARTS):
        join_spelled(row)
    has_matrix = empty = prime = hollow = broken = paired = False
    for node in row:
        kind = node.kind
        if kind == "M":
            has_matrix = hollow = True
            for line in node.elements or ():
                for cell in line:
                    trim(cell)
        elif kind == "G":
            empty = empty or not node.within
            hollow = hollow or not (node.within and len(node.within) > 1 and any(_carried(node)))
        elif node.label in _SETTLED_LABELS:
            prime = prime or node.label == "′"
            paired = paired or node.label in FIRST_WORDS
            broken = broken or is_break(node)
    if paired:
        join_pairs(row)
    if broken:
        break_lines(row)
        has_matrix = True
    if hollow:
        _dissolve(row)
    if empty:
        _normalise_empty_bases(row)
    if prime:
        join_primes(row)
    if has_matrix:
        absorb_fences(row)
    return row != before


def _drop_empty_slots(node: LayoutNode) -> None:
    node.above = node.above or None
    node.below = node.below or None
    node.pre_above = node.pre_above or None
    node.pre_below = node.pre_below or None
    if node.kind != "F":
        node.over = node.over or None
        node.under = node.under or None


def _carried(node: LayoutNode) -> list[Row | None]:
    return [node.pre_above, node.pre_below, node.over, node.under, node.above, node.below]


def _dissolve(row: Row) -> None:
    """Resolves groups that are not needed, and displays that have only one line left."""
    settled: Row = []
    for node in row:
        if node.kind == "M":
            kind = "lines" if node.label == "lines" else "matrix"
            content = matrix(kind, "" if kind == "lines" else node.label, node.elements or [], node.start, node.end)
            if len(content) == 1 and content[0].kind == "M":
                node.elements = content[0].elements
                settled.append(node)
            else:
                _hand_over(node, content, settled)
        elif node.kind == "G" and node.within and not any(_carried(node)):
            if len(node.within) > 1 and takes_arguments(settled, len(settled)):
                settled.append(node)
            else:
                node.within[0].space += node.space
                _pass_styles(node, node.within)
                settled += node.within
        elif node.kind == "G" and node.within and len(node.within) == 1 and _can_carry(node.within[0], node):
            _hand_over(node, node.within, settled)
        else:
            settled.append(node)
    row[:] = settled


def _hand_over(node: LayoutNode, content: Row, settled: Row) -> None:
    """Puts content in the place of a node and what the node carried on it."""
    base = len(settled)
    _pass_styles(node, content)
    settled += content
    if content:
        settled[base].space += node.space
    for slot in ("under", "over", "below", "above"):
        carried = getattr(node, slot)
        if carried is None:
            continue
        if slot in SCRIPT_SLOTS:
            setattr(nucleus(settled, base, slot), slot, carried)
        else:
            attach_limits(settled, base, slot, carried)
    if node.pre_above is not None or node.pre_below is not None:
        bearer = settled[base] if len(settled) == base + 1 else group_nodes(settled, base)
        bearer.pre_above, bearer.pre_below = node.pre_above, node.pre_below


def _pass_styles(node: LayoutNode, content: Row) -> None:
    """Lets symbols keep the styles of the node that they come out of."""
    if node.styles:
        for inner in content:
            inner.styles = (*node.styles, *inner.styles)[-MAX_STYLES:]


def _can_carry(inner: LayoutNode, group: LayoutNode) -> bool:
    """Whether the only symbol of a group can take over all that the group carries."""
    for slot in CARRIED_SLOTS:
        if getattr(group, slot) is not None and getattr(inner, slot) is not None:
            return False
    if (group.over is not None or group.under is not None) and inner.kind == "F":
        return False
    if (group.pre_above is not None or group.pre_below is not None) and inner.kind not in "VNFMWE":
        return False
    return not (
        (group.over is not None and inner.above is not None) or (group.under is not None and inner.below is not None)
    )


def absorb_fences(row: Row) -> None:
    """Makes the fences around a matrix its label, and a brace before it too that nothing closes."""
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
        if node.kind == "M" and node.label == "" and node.elements and all(len(line) == 1 for line in node.elements):
            # A column without fences is a display of lines.
            filled = [line for line in node.elements if line[0]]
            if len(filled) > 1:
                node.elements = filled
                node.label = "lines"


def _take_opening(row: Row, i: int, opening: LayoutNode, node: LayoutNode, width: int) -> None:
    """Replaces the fence at ``i - 1`` and what follows, ``width`` nodes more, by the matrix."""
    node.start = min(node.start, opening.start)
    node.space += opening.space
    row[i - 1:i + width] = [node]


def _is_plain_symbol(node: LayoutNode) -> bool:
    return node.kind == "O" and not child_rows(node)


def _can_take(node: LayoutNode, closing: LayoutNode) -> bool:
    """Whether the scripts of a closing fence fit on the matrix."""
    return not child_rows(closing) or (
        node.above is None and node.below is None and closing.over is None and closing.under is None
        and closing.pre_above is None and closing.pre_below is None
    )


def _normalise_empty_bases(row: Row) -> None:
    """Scripts on nothing belong to the symbol before (``R^a{}_b``) or after (``{}_n C_k``)."""
    settled: Row = []
    count = len(row)
    for i, node in enumerate(row):
        if node.kind != "G" or node.within or node.over or node.under or node.pre_above or node.pre_below:
            if (
                node.kind == "G" and not node.within and not node.below and not (node.pre_above or node.pre_below)
                and node.above and all(mark.label == "′" for mark in node.above)
            ):
                node.within, node.above = node.above, None  # primes with a mark
                if len(node.within) == 1:
                    node.label, node.kind, node.within = "′", "O", None
            settled.append(node)
            continue
        before = settled[-1] if settled else None
        if before is not None and before.kind == "G" and not before.within and (node.above or node.below):
            # Nothing has taken its scripts: with these they stand before what follows.
            node.space += before.space
            for slot in SCRIPT_SLOTS:
                scripts = getattr(before, slot) or []
                scripts.extend(getattr(node, slot) or ())
                setattr(node, slot, scripts or None)
            settled.pop()
        previous = settled[-1] if settled and _takes_scripts(settled[-1]) else None
        following = row[i + 1] if i + 1 < count and _takes_prescripts(row[i + 1]) else None
        if following is not None and (following.pre_above or following.pre_below):
            following = None
        if previous is not None and (following is None or _continues(previous, node, following)):
            begin_column(previous, [node.above or [], node.below or []])
            for slot in SCRIPT_SLOTS:
                script = getattr(node, slot)
                if script is not None:
                    bearer = brace_mark(previous, slot) or previous
                    scripts = getattr(bearer, slot) or []
                    # Only the last script can take primes in, so that many scripts stay linear.
                    joined = [*scripts[-1:], *script]
                    join_primes(joined)
                    scripts[-1:] = joined
                    setattr(bearer, slot, scripts)
        elif following is not None:
            following.pre_above, following.pre_below = node.above, node.below
            following.space += node.space
        elif node.above and not node.below and all(mark.label == "′" for mark in node.above):
            settled += node.above
        elif node.above or node.below:
            settled.append(node)
    row[:] = settled


def _takes_prescripts(node: LayoutNode) -> bool:
    return node.kind in "VNFMWE" or (node.kind == "O" and is_limit_operator(node.label))


def _takes_scripts(node: LayoutNode) -> bool:
    return (node.kind in "VNFRMWE" or (node.kind == "G" and bool(node.within))) or (
        node.kind == "O" and token_class(node.label) in {"close", "bar"}
    )


def _continues(previous: LayoutNode, node: LayoutNode, following: LayoutNode) -> bool:
    """Whether an empty base goes on with staggered indices of the symbol before it rather than opening the next one."""
    if node.above is not None:
        return node.below is None and previous.below is not None and previous.above is None
    return previous.above is not None and previous.below is None and following.below is None


def join_primes(row: Row) -> None:
    """Makes primes after a symbol its script."""
    stack = [row]
    while stack:
        nodes = stack.pop()
        joined: Row = []
        for node in nodes:
            base = joined[-1] if joined else None
            if (
                base is not None and node.label == "′" and node.kind == "O" and base.label != "′"
                and node.over is None and node.under is None and (node.below is None or base.below is None)
            ):
                extends = bool(base.above and base.above[-1].label != "′")
                base = brace_mark(base, "above") or base
                scripts = base.above
                if scripts is None:
                    scripts = base.above = []
                scripts.append(node)
                scripts.extend(node.above or ())
                if node.below is not None:
                    base.below = node.below
                node.above = node.below = None
                if extends:
                    stack.append(scripts)
            else:
                joined.append(node)
        nodes[:] = joined
