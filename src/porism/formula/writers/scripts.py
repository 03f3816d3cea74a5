"""What is around one node as elements of MathML: accents, braces and notes over and under it, scripts and limits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from porism.formula.layout import child_rows, column_of, mark_order
from porism.formula.tables.commands import BRACES, MARKS
from porism.formula.tables.setting import ACCENT_SIGNS, LINES_BESIDE, default_spaces
from porism.formula.tree import LayoutNode, Row, Style
from porism.formula.writers.hints import Hints
from porism.formula.writers.spacing import DISPLAY, SCRIPT, Operator, takes_limits
from porism.formula.writers.texts import escape

ACCENT_ATTRIBUTES = {"over": "accent", "under": "accentunder"}
"""Slot → the attribute of MathML that says that what is there is an accent."""
_BESIDE_NOTE = '<mspace width="0.8em"></mspace>'


class InRow(NamedTuple):
    """A node to write, the style that it is set in, and its operator if it is one."""

    node: LayoutNode
    style: int
    operator: Operator | None
    around: Sequence[Style] = ()
    """The boxes, strokes and colours that it alone is in."""


class Side(NamedTuple):
    """A row to write as one element."""

    row: Row
    style: int


Task = str | InRow | Side


def accented(
    node: LayoutNode, base: list[Task], attributes: str, style: int, hints: Hints,
    attributes_of: Callable[[LayoutNode], str],
) -> list[Task]:
    """A node with what is over and under it; ``attributes_of`` gives those of the marks."""
    order = [slot for slot in mark_order(node) if getattr(node, slot) is not None]
    for slot in order:
        row = getattr(node, slot)
        element = "m" + slot
        inner = attributes if slot == order[-1] else ""
        mark = row[0] if len(row) == 1 and row[0].kind == "O" else None
        note = None if mark is None else mark.below if slot == "under" else mark.above
        if mark is not None and note is not None and mark.label in BRACES:
            base = [
                f"<{element}{inner}><{element}>", *base, _accent(mark, attributes_of(mark), slot, hints),
                f"</{element}>", Side(note, SCRIPT), f"</{element}>",
            ]
            continue
        if mark is None or mark.label not in MARKS:
            shown: list[Task] = [Side(row, SCRIPT)]
            if hints.command(node).startswith("x"):  # an arrow reaches beyond its notes
                shown = ["<mrow>", _BESIDE_NOTE, *shown, _BESIDE_NOTE, "</mrow>"]
            base = [f"<{element}{inner}>", *base, *shown, f"</{element}>"]
            continue
        kind = f' {ACCENT_ATTRIBUTES[slot]}="true"'
        over: Task = Side(row, style) if child_rows(mark) else _accent(mark, attributes_of(mark), slot, hints)
        base = [f"<{element}{kind}{inner}>", *base, over, f"</{element}>"]
    return base


def _accent(mark: LayoutNode, attributes: str, slot: str, hints: Hints) -> str:
    """The ``<mo>`` of an accent or a brace, which stretches over what is under it unless it is a narrow one."""
    is_narrow = hints.is_narrow(mark)
    shown = ACCENT_SIGNS.get(mark.label, mark.label)
    if mark.label == "¯" and not is_narrow:
        shown = LINES_BESIDE[slot]
    stretchy = ' stretchy="false"' if is_narrow else ""
    spaces = ' lspace="0" rspace="0"' if default_spaces(shown, "infix") != (0, 0) else ""
    return f"<mo{stretchy}{spaces}{attributes}>{escape(shown)}</mo>"


def scripted(node: LayoutNode, base: list[Task], attributes: str, style: int, hints: Hints) -> list[Task]:
    """A node with its scripts, or its limits."""
    columns = columns_of_scripts(node)
    if len(columns) > 2:
        return [f"<mmultiscripts{attributes}>", *base, *columns, "</mmultiscripts>"]
    limits = takes_limits(node, hints)
    if limits and style != DISPLAY and hints.limit_mark(node)[0]:
        limits = hints.limits(node) == "limits"  # for what is under it may not move: the mark would, too
    names = ("munder", "mover", "munderover") if limits else ("msub", "msup", "msubsup")
    scripts = [Side(row, SCRIPT) for row in (node.below, node.above) if row is not None]
    element = names[2] if len(scripts) == 2 else names[0] if node.above is None else names[1]
    return [f"<{element}{attributes}>", *base, *scripts, f"</{element}>"]


def columns_of_scripts(node: LayoutNode) -> list[Side]:
    """The scripts after a node, column by column, below before above; one column for most nodes."""
    columns: dict[int, tuple[Row, Row]] = {0: ([], [])}
    for side, scripts in enumerate((node.below, node.above)):
        column = 0
        for script in scripts or ():
            column = max(column, column_of(script))
            columns.setdefault(column, ([], []))[side].append(script)
    return [Side(row, SCRIPT) for column in sorted(columns) for row in columns[column]]
