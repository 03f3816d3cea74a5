"""The rules by which symbols join into one canonical layout tree, whatever notation they were read from."""

from __future__ import annotations

from porism.formula.tables.commands import ACCENT_SYNONYMS, BRACES, MARKED_LIMITS, MARKS
from porism.formula.tables.lookup import DROPPED_AT_END, RELATION_CLASSES, is_limit_operator, token_class
from porism.formula.tables.styles import COLUMN
from porism.formula.tree import LayoutNode, Row, Style

SCRIPT_SLOTS = ("above", "below")


def is_plain(node: LayoutNode) -> bool:
    """Whether there are no rows under a node."""
    return (
        node.above is None and node.below is None and node.over is None and node.within is None
        and node.under is None and node.elements is None and node.pre_above is None and node.pre_below is None
    )


def child_rows(node: LayoutNode) -> list[Row]:
    """All rows directly under a node: its slots in a fixed order, then the cells of a matrix."""
    if is_plain(node):
        return []
    rows = [
        row for row in (
            node.pre_above, node.pre_below, node.over, node.under, node.within, node.above, node.below,
        ) if row is not None
    ]
    if node.elements is not None:
        for line in node.elements:
            rows.extend(line)
    return rows


_SLOTS = ("above", "below", "over", "under", "pre_above", "pre_below")


MAX_STYLES = 8


def set_style(row: Row, kind: str, colour: str = "", background: str = "") -> None:
    """Puts a box, a stroke or a colour around all of a row as it is now; more than eight around one symbol are left
    out."""
    if row:
        is_ended = _is_bare(row[-1], DROPPED_AT_END)  # what is before punctuation at the end gets no more scripts
        slots = _SLOTS if is_ended else [slot for slot in _SLOTS if getattr(row[-1], slot) is not None]
        style = Style(kind, frozenset(slots), 0, colour, background)
        for node in row:
            if len(node.styles) < MAX_STYLES:
                node.styles = (style, *node.styles)


def column_of(node: LayoutNode) -> int:
    """In which column of scripts a script is: the first one is 0."""
    return max((style.column for style in node.styles), default=0) if node.styles else 0


def begin_column(bearer: LayoutNode, scripts: list[Row]) -> None:
    """Lets scripts, which the bearer will get, begin a column to the right of those that it has."""
    last = [row[-1] for row in (bearer.above, bearer.below) if row]
    if last:
        style = Style(COLUMN, column=1 + max(map(column_of, last)))
        for node in (node for script in scripts if script[:1] and script[0].label != "′" for node in script):
            node.styles = (*node.styles, style)


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

    A script on a whole fenced expression goes to its closing fence, as it does in ``(a+b)^2``; a script on ``n!`` goes
    to the factorial sign, and one on several integrals to the last. ``slot`` is the attribute that will be set:
    ``above``, ``below``, ``over`` or ``under``.
    """
    count = len(row) - base
    if count == 1:
        node = innermost(row[base], slot)
        taken = getattr(node, slot)
        if slot in SCRIPT_SLOTS:
            if taken is None or (slot == "above" and taken and all(mark.label == "′" for mark in taken)):
                return node
        elif taken is None and node.kind != "F" and (node.above if slot == "over" else node.below) is None:
            return node
    elif count > 1 and slot in SCRIPT_SLOTS and getattr(row[-1], slot) is None and (
        ends_fenced(row, base) or _are_integrals(row, base)
    ):
        return row[-1]
    return group_nodes(row, base)


def _are_integrals(row: Row, base: int) -> bool:
    """Whether these are signs of integration, dots between them: their limits are those of the last."""
    return token_class(row[-1].label) == "integral" and all(
        node.kind == "O" and token_class(node.label) in {"integral", "dots"} for node in row[base:]
    )


def innermost(node: LayoutNode, slot: str) -> LayoutNode:
    """The node inside a group of one that can take a script, so that ``{x^2}^3_i`` and ``{x^2_i}^3`` are the same."""
    while (
        node.kind == "G" and slot in SCRIPT_SLOTS and node.within is not None and len(node.within) == 1
        and getattr(node.within[0], slot) is None and node.over is None and node.under is None
        and node.pre_above is None and node.pre_below is None
    ):
        node = node.within[0]
    return node


def group_nodes(row: Row, base: int) -> LayoutNode:
    """Puts ``row[base:]`` into one group, which takes its place."""
    content = row[base:]
    start = min((node.start for node in content), default=0)
    group = LayoutNode("", "G", start, max((node.end for node in content), default=start))
    group.within = content
    if content:
        group.space, content[0].space = content[0].space, 0
    del row[base:]
    row.append(group)
    return group


_MAX_ARGUMENTS = 8


def takes_arguments(row: Row, base: int, first: int = 0) -> bool:
    """Whether a group that begins at ``row[base]`` may be an argument of an unknown command: it follows one, as in
    ``\\foo{a+b}``, with a single symbol (``\\foo f{a+b}``) or other such groups between them. What is around the group
    begins at ``row[first]``."""
    place = base - 1
    while place > first and row[place].kind == "G" and base - place < _MAX_ARGUMENTS:
        place -= 1
    if place < first or row[place].kind == "O":
        return False
    return is_command(row[place]) or (place > first and is_command(row[place - 1]))


def is_command(node: LayoutNode) -> bool:
    """Whether this is an unknown command, which keeps its name, and not another unparsed part."""
    return node.kind == "E" and len(node.label) > 1 and node.label[0] == "\\"


def ends_fenced(row: Row, base: int) -> bool:
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
    is_mark = False
    if len(content) == 1 and content[0].kind == "O" and not child_rows(content[0]):
        label = content[0].label = ACCENT_SYNONYMS.get(content[0].label, content[0].label)
        is_mark = label in MARKS
    if is_mark and len(row) - base == 1 and row[base].label == "lim" and not child_rows(row[base]):
        named = MARKED_LIMITS.get((slot, content[0].label))
        if named is not None:
            row[base].label = named
            row[base].start = min(row[base].start, content[0].start)
            return
    if len(row) - base == 1 and not is_mark:
        node = row[base]
        script = "above" if slot == "over" else "below"
        mark = brace_mark(node, script)
        if mark is not None and getattr(mark, script) is None:
            setattr(mark, script, content)
            return
        if _takes_limit(node, slot):
            if getattr(node, script) is not None:
                node = group_nodes(row, base)
                script = slot
            setattr(node, script, content)
            return
    setattr(nucleus(row, base, slot), slot, content)


def _takes_limit(node: LayoutNode, slot: str) -> bool:
    """Whether what is over or under a symbol is its script: limits, and what is under names and infix operators."""
    if node.kind not in "OV":
        return False
    if is_limit_operator(node.label):
        return True
    return slot == "under" and (
        len(node.label) > 1 if node.kind == "V" else token_class(node.label) in _INDEXED_CLASSES
    )


_INDEXED_CLASSES = RELATION_CLASSES - {"arrow", "logic"} | {"additive", "multiplicative", "set-operator"}


def brace_mark(node: LayoutNode, slot: str) -> LayoutNode | None:
    """The brace over or under a node that a script in ``slot`` labels, if there is one."""
    if node.kind == "F":
        return None
    marks = node.under if slot == "below" else node.over
    if marks is not None and len(marks) == 1 and marks[0].label in BRACES:
        return marks[0]
    return None


def matrix(kind: str, fences: str, lines: list[list[Row]], start: int, end: int) -> Row:
    """The row that a matrix (``matrix``, ``cases``) or a display of lines (``lines``) makes.

    The cells of a display are joined: where its lines were aligned is not part of what it says. A display of one line
    is that line, and a matrix of one cell is that cell. Empty cells at the end of a line and empty lines at the end go.
    """
    if kind == "lines":
        joined: list[Row] = []
        for line in lines:
            whole: Row = []
            for cell in line:
                whole.extend(cell)
            trim(whole)
            if whole:
                joined.append(whole)
        if len(joined) <= 1:
            return joined[0] if joined else []
        lines = [[line] for line in joined]
        fences = "lines"
    else:
        for line in lines:
            while len(line) > 1 and not line[-1]:
                line.pop()
        while len(lines) > 1 and lines[-1] == [[]]:
            lines.pop()
        if len(lines) == 1 and len(lines[0]) == 1:
            return [*_fence_row(fences[:1], start), *lines[0][0], *_fence_row(fences[1:], end)]
    node = LayoutNode("" if fences == "}" else fences, "M", start, end)
    node.elements = lines
    return [node, *_fence_row("}", end)] if fences == "}" else [node]


def _fence_row(label: str, position: int) -> Row:
    return [LayoutNode(label, "O", position, position)] if label else []


def needs_group(node: LayoutNode, slot: str) -> bool:
    """Whether a group of one symbol is there because that symbol could not carry ``over`` or ``under`` itself."""
    if node.kind != "G" or node.within is None or len(node.within) != 1:
        return False
    inner = node.within[0]
    return (
        inner.kind == "F" or getattr(inner, slot) is not None
        or (inner.above if slot == "over" else inner.below) is not None
    )


def mark_order(node: LayoutNode) -> tuple[str, str]:
    """In which order ``over`` and ``under`` are put on a node so that they are read back as they are."""
    return ("over", "under") if needs_group(node, "over") else ("under", "over")
