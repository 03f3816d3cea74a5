"""Groups and fences of LaTeX: braces, ``\\left`` and ``\\right``, dollars, and closers without openers."""

from __future__ import annotations

from typing import Any

from porism.formula.latex.cells import next_cell
from porism.formula.latex.frames import ARGUMENT, CELLS, COMMAND, GROUP, LEFT, TEXT
from porism.formula.latex.machine import Machine
from porism.formula.tables.lookup import SYMBOLS, token_class
from porism.formula.tree import LayoutNode

_ANGLES = {**dict.fromkeys(("<", "\\lt", "&lt;"), "⟨"), **dict.fromkeys((">", "\\gt", "&gt;"), "⟩")}
"""Signs of order that are angle brackets where a fence is read."""
_MISSPELT = {"{": "{", "\\[": "[", "\\]": "]", "\\(": "(", "\\)": ")"}
"""Braces without a backslash, brackets with one: no fences in TeX, and often written."""


def open_group(machine: Machine, payload: Any, i: int) -> None:
    """``{``: an argument where a command waits, else a group that writes on into the row."""
    if machine.awaiting:
        machine.open_argument()
    elif machine.has_room(i):
        machine.braces += 1
        machine.push(GROUP, i)
        machine.base = len(machine.row)
    else:
        machine.overflow += 1


def close_group(machine: Machine, payload: Any, i: int) -> None:
    """``}``: ends the innermost group and what was left open in it; a stray one is a leaf."""
    if machine.overflow:
        machine.overflow -= 1
        return
    if machine.stack and not machine.awaiting and machine.infix is None:
        frame = machine.stack[-1]
        if frame.kind == ARGUMENT:
            machine.close_argument(frame, i)
            return
        if frame.kind == GROUP:
            machine.close(i)
            return
    if not machine.braces:
        machine.problem(machine.starts[i], "} without {")
        machine.add(LayoutNode("}", "O", machine.starts[i], machine.ends[i]))
        return
    if machine.awaiting:
        machine.missing(i)
    closes = False
    while not closes:
        if machine.awaiting:
            machine.missing(i)
            continue
        frame = machine.stack[-1]
        closes = frame.kind in (GROUP, ARGUMENT) or (frame.kind == CELLS and frame.closer == "}")
        machine.close(i, "" if closes else "this is not closed inside its group")


def left(machine: Machine, payload: Any, i: int) -> None:
    """``\\left`` with its fence (none for a dot); where a command waits, its argument goes up to ``\\right``."""
    wraps = machine.awaiting and machine.has_room(i)
    if wraps:
        machine.open_argument()
    elif machine.awaiting:
        machine.missing(i)
    start = machine.starts[i]
    i, label, rest = fence(machine, i)
    if machine.has_room(i):
        row = machine.row
        frame = machine.push(LEFT, i)
        frame.start = start
        frame.payload = (wraps, label)
        if label:
            row.append(LayoutNode(label, "O", start, machine.ends[i]))
        machine.base = len(row)
    elif label:
        machine.row.append(LayoutNode(label, "O", start, machine.ends[i]))
    _rest_of_fence(machine, rest, i)


def right(machine: Machine, payload: Any, i: int) -> None:
    """``\\right`` or ``\\middle`` with its fence."""
    if machine.awaiting:
        machine.missing(i)
    start = machine.starts[i]
    i, label, rest = fence(machine, i)
    wraps = False
    inside = bool(machine.stack) and machine.stack[-1].kind == LEFT
    if payload and inside:
        wraps, _ = machine.stack[-1].payload
        machine.close(i)
    elif payload:
        machine.problem(start, "\\right without \\left")
    elif inside:
        machine.finish_infix(start)
        if label == "|" and machine.stack[-1].payload[1] == "|":
            label = "∣"  # neither opens nor closes
    if label:
        machine.row.append(LayoutNode(label, "O", start, machine.ends[i]))
    machine.group_row = None
    if inside and not payload:
        machine.base = len(machine.row)  # what is between two fences is a group
    if wraps:
        machine.close_argument(machine.stack[-1], i)
    _rest_of_fence(machine, rest, i)


def fence(machine: Machine, i: int) -> tuple[int, str, str]:
    """Reads the fence after token ``i``: the token it ends at, its label, and what else was in that token."""
    i = machine.next_visible(i)
    token = machine.texts[i + 1]
    if token[:1] == ".":
        machine.take()
        return i + 1, "", token[1:]
    angle = _ANGLES.get(token) or _ANGLES.get(token[:1])
    if angle is not None:
        machine.take()
        return i + 1, angle, "" if token in _ANGLES else token[1:]
    label = SYMBOLS.get(token, ("", ""))[0]
    if label and (token_class(label) in {"open", "close", "bar", "arrow", "division", "set-operator"} or label == "∣"):
        machine.take()
        return i + 1, "|" if label == "∣" else label, ""
    misspelt = _MISSPELT.get(token, "")
    if token == "}":
        frame = machine.stack[-1] if machine.stack else None
        misspelt = "}" if frame is not None and frame.kind == LEFT and frame.payload[1] == "{" else ""
    if misspelt:
        machine.problem(machine.ends[i], f"{token} is no fence, and was read as one")
        machine.take()
        return i + 1, misspelt, ""
    machine.problem(machine.ends[i], "a fence is missing")
    return i, "", ""


def _rest_of_fence(machine: Machine, rest: str, i: int) -> None:
    if rest:
        end = machine.ends[i]
        if rest.isdigit():
            machine.add_symbol(rest, "N", end - len(rest), end)
        else:
            for sign in rest:
                machine.add(LayoutNode(sign, "O", machine.starts[i], end))


def big(machine: Machine, payload: Any, i: int) -> None:
    """``\\big`` and its kin: the size goes, the fence stays; ``<`` and ``>`` are angle brackets after them."""
    token = machine.texts[i + 1]
    if token == ".":
        machine.take()
    elif token in _ANGLES:
        machine.take()
        machine.add(LayoutNode(_ANGLES[token], "O", machine.starts[i], machine.ends[i + 1]))


def dollar(machine: Machine, payload: Any, i: int) -> None:
    """``$``: back to the text around it, else a delimiter of the formula that is dropped."""
    for frame in reversed(machine.stack):
        if frame.kind == TEXT:
            while machine.awaiting or machine.stack[-1] is not frame:
                machine.close(i)
            machine.close(i)
            frame.build(machine, frame, i)
            return
        if frame.kind not in (LEFT, GROUP, COMMAND):
            break
    if i > 1 and "".join(machine.texts[i + 1:i + 4]).strip("$ \n"):
        machine.problem(machine.starts[i], "a stray $")


def inner_end(machine: Machine, payload: Any, i: int) -> None:
    """``\\)``: back to the text around it, else a delimiter of the formula that is dropped."""
    if any(frame.kind == TEXT for frame in machine.stack):
        dollar(machine, payload, i)


def stray(machine: Machine, payload: Any, i: int) -> None:
    """A sign that means something to TeX only in other places: it stands for itself."""
    machine.problem(machine.starts[i], f"a stray {payload}")
    machine.add(LayoutNode(payload, "O", machine.starts[i], machine.ends[i]))


def last_backslash(machine: Machine, payload: Any, i: int) -> None:
    """A backslash at the end: a space was cut off after it."""
    machine.problem(machine.starts[i], "a backslash at the end")


def cell_or_stray(machine: Machine, payload: Any, i: int) -> None:
    """``&``: the next cell of a matrix, else it stands for itself."""
    if not next_cell(machine, i):
        stray(machine, "&", i)
