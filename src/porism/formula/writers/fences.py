"""Which fences of a row belong together, and which of these pairs are set as a group of their own."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from itertools import accumulate

from porism.formula.layout import child_rows, ends_fenced, takes_arguments
from porism.formula.operators.prepass import BAR_CLOSES, BAR_OPENS, look_ahead
from porism.formula.tables.lookup import token_class
from porism.formula.tree import LayoutNode, Row
from porism.formula.writers.hints import Hints

OPENS, CLOSES, MIDDLE = "open", "close", "middle"
_SIDES = {
    "left": OPENS, "right": CLOSES, "middle": MIDDLE, "lvert": OPENS, "lVert": OPENS, "rvert": CLOSES, "rVert": CLOSES,
}
_SIZED_SIDES = {"l": OPENS, "r": CLOSES, "m": MIDDLE}
_NOTED_SIDES = {BAR_OPENS: OPENS, BAR_CLOSES: CLOSES}
_OTHERS = frozenset("/∖↑↓↕⇑⇓⇕∣")
_MAX_HALF_OPEN = 200
"""Longer groups of which one side is a dot do not carry scripts."""


@dataclass(slots=True)
class RowFences:
    """The fences of one row by position; groups are pairs of first and last position."""

    sides: dict[int, str] = field(default_factory=dict)
    """On which side of its content a fence is."""
    stretched: set[int] = field(default_factory=set)
    """Fences that are as high as their group."""
    groups: dict[int, list[int]] = field(default_factory=dict)
    """First position → last ones, the outermost group first."""
    ends: set[int] = field(default_factory=set)
    """The last positions of all groups."""
    scripted: set[int] = field(default_factory=set)
    """Last positions of groups whose scripts belong to the whole."""


def find_fences(row: Row, hints: Hints) -> RowFences:
    """The fences of a row. A group is what stretched fences enclose, or what the scripts of a closing fence are on."""
    fences = RowFences()
    places = [(i, kind) for i, node in enumerate(row) if (kind := _kind(node))]
    if not places:
        return fences
    written = {i: _written_side(row[i], hints) for i, _ in places}
    notes = _notes(row, written) if any(kind == "bar" and not written[i] for i, kind in places) else {}
    pairs: list[tuple[int, int]] = []
    pending: list[int] = []
    for i, kind in places:
        node = row[i]
        side = written[i] or (_NOTED_SIDES.get(notes.get(i, 0), "") if kind == "bar" else kind)
        if side in (OPENS, CLOSES, MIDDLE):
            fences.sides[i] = side
            if hints.stretches(node):
                fences.stretched.add(i)
        if side == OPENS:
            pending.append(i)
        elif side == CLOSES:
            start = _partner(row, i, fences, pending, hints)
            if start is not None:
                pairs.append((start, i))
    pairs += _open_to_the_right(row, fences, pending, hints)
    _keep_small(row, pairs, fences)
    for first, last in _nested(pairs):
        is_set_apart = bool(fences.stretched & {first, last}) or hints.command(row[last]) == "right"
        _group(fences, row, first, last, is_set_apart)
    return fences


def _kind(node: LayoutNode) -> str:
    """``open``, ``close`` or ``bar`` for a fence; ``other`` for a symbol that may be one after ``\\left``."""
    if node.kind != "O":
        return ""
    sign_class = token_class(node.label)
    return sign_class if sign_class in ("open", "close", "bar") else "other" if node.label in _OTHERS else ""


def _written_side(node: LayoutNode, hints: Hints) -> str:
    """The side that the source says of a fence."""
    return _SIDES.get(hints.command(node)) or _SIZED_SIDES.get(hints.size(node)[1], "")


def _notes(row: Row, written: dict[int, str]) -> dict[int, int]:
    """Which bars open and which close; those of which the source says it count as brackets."""
    stand_ins = {OPENS: "(", CLOSES: ")", MIDDLE: ","}
    seen = [
        LayoutNode(stand_ins[written[i]], "O") if written.get(i) and _kind(node) == "bar" else node
        for i, node in enumerate(row)
    ]
    return look_ahead(seen, set())


def _partner(row: Row, last: int, fences: RowFences, pending: list[int], hints: Hints) -> int | None:
    """Where the group begins that a closing fence ends. ``\\right`` belongs to its ``\\left``, which may be followed by
    a dot and so is not a symbol."""
    left = hints.stretched.get(row[last].start) if hints.command(row[last]) == "right" else None
    if left is not None:
        while pending and row[pending[-1]].start > left:
            pending.pop()
        if pending and row[pending[-1]].start == left:
            return pending.pop()
        first = bisect_right(row, left, 0, last, key=_start)
        return first if first < last else None
    is_stretched = last in fences.stretched
    while pending and is_stretched and pending[-1] not in fences.stretched:
        pending.pop()
    return pending.pop() if pending and (pending[-1] in fences.stretched) == is_stretched else None


def _open_to_the_right(row: Row, fences: RowFences, pending: list[int], hints: Hints) -> list[tuple[int, int]]:
    """Groups that end with ``\\right.``, which is not a symbol."""
    pairs = []
    for first in pending:
        right = hints.stretched.get(row[first].start) if first in fences.stretched else None
        last = bisect_right(row, right, first, key=_start) - 1 if right is not None else first
        if last > first:
            pairs.append((first, last))
    return pairs


def _keep_small(row: Row, pairs: list[tuple[int, int]], fences: RowFences) -> None:
    """Fences around what is no higher than a letter do not stretch: browsers keep those that do as wide as large
    ones."""
    if not fences.stretched:
        return
    high = list(accumulate((is_high(node) or fences.sides.get(i) == MIDDLE for i, node in enumerate(row)), initial=0))
    for first, last in pairs:
        if fences.stretched >= {first, last} and high[first + 1] == high[last] and last > first + 1:
            fences.stretched -= {first, last}


def is_high(node: LayoutNode) -> bool:
    """Whether a node is higher than a letter with a simple script."""
    scripts = [*(node.above or ()), *(node.below or ())]
    return (
        node.kind in "FRMG" or token_class(node.label) in ("big-operator", "integral") or node.over is not None
        or node.under is not None or node.pre_above is not None or node.pre_below is not None
        or any(script.kind in "FRMG" or child_rows(script) for script in scripts)
        or any(is_high(part) for style in node.styles for part in style.unseen)
    )


def _start(node: LayoutNode) -> int:
    return node.start


def _nested(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The pairs of first and last position, outer ones first, without those that overlap another one in part."""
    nested: list[tuple[int, int]] = []
    around: list[int] = []
    for first, last in sorted(pairs, key=lambda pair: (pair[0], -pair[1])):
        while around and around[-1] < first:
            around.pop()
        if not around or last <= around[-1]:
            around.append(last)
            nested.append((first, last))
    return nested


def _group(fences: RowFences, row: Row, first: int, last: int, is_set_apart: bool) -> None:
    """Makes a group of what two fences enclose where it has to be one and is read back as it is."""
    closing = row[last]
    has_scripts = (
        last in fences.sides and (closing.above is not None or closing.below is not None)
        and closing.over is None and closing.under is None and closing.pre_above is None and closing.pre_below is None
        and (closing.below is None or is_set_apart)  # what is below is nearer to a fence than to a group
    )
    if has_scripts and last not in fences.scripted and _is_read_back(fences, row, first, last):
        fences.scripted.add(last)
    elif not is_set_apart or takes_arguments(row, first):
        return
    fences.groups.setdefault(first, []).append(last)
    fences.ends.add(last)


def _is_read_back(fences: RowFences, row: Row, first: int, last: int) -> bool:
    """Whether a script on the whole from ``first`` to ``last`` is read as one on the closing fence."""
    opening, closing = _kind(row[first]), _kind(row[last])
    if fences.sides.get(first) == OPENS and opening in ("open", "bar"):
        return (opening, closing) == ("open", "close") or (
            opening == closing == "bar" and row[first].label == row[last].label
        )
    return last - first < _MAX_HALF_OPEN and ends_fenced(row[first:last + 1], 0)
