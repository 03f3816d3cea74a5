"""LaTeX commands with mathematics as arguments: fractions, roots, accents, arrows, fonts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from porism.formula.latex.frames import OPTION, ROOT, Infix, LatexFrame
from porism.formula.latex.groups import fence, open_group
from porism.formula.latex.machine import Machine
from porism.formula.latex.text import dimension, skip_arguments
from porism.formula.layout import attach_limits, brace_mark, group_nodes
from porism.formula.tables.lookup import is_limit_operator
from porism.formula.tree import LayoutNode, Row

OPTION_END = "\\]option"
"""Stands in the list of tokens for a bracket that closes an option."""
_FARTHEST_OPTION_END = 200


def fraction(machine: Machine, payload: tuple[str, str, str], i: int) -> None:
    """``\\frac``, ``\\binom`` and their variants."""
    machine.command(i, 2, _build_fraction, payload)


def fraction_with_layout(machine: Machine, payload: tuple[str, tuple[str, str, str]], i: int) -> None:
    """``\\cfrac[l]{1}{x}``: a fraction after arguments that say only how it is set."""
    _after_layout(machine, fraction, *payload, i)


def _after_layout(
    machine: Machine, handler: Callable[[Machine, Any, int], None], signature: str, payload: Any, i: int
) -> None:
    """Has a command read its content after arguments that are layout."""
    start = machine.starts[i]
    depth = len(machine.stack)
    handler(machine, payload, skip_arguments(machine, signature, i))
    if len(machine.stack) > depth:
        machine.stack[-1].start = start


def _build_fraction(machine: Machine, frame: LatexFrame, end: int) -> None:
    label, opening, closing = frame.payload
    node = LayoutNode(str(label), "F", frame.start, end)
    node.over, node.under = frame.arguments
    if opening:
        machine.row.append(LayoutNode(str(opening), "O", frame.start, frame.start))
    machine.row.append(node)
    if closing:
        machine.row.append(LayoutNode(str(closing), "O", end, end))


def infix(machine: Machine, payload: tuple[str, str, str], i: int) -> None:
    """``\\over``, ``\\choose``, ``\\atop``: all of the group before it over all after it."""
    if machine.awaiting:
        machine.missing(i)
    start = machine.starts[i]
    if machine.infix is not None:
        machine.problem(start, "a second \\over in one group")
        machine.row.append(LayoutNode("/", "O", start, machine.ends[i]))
        return
    machine.place_spaces(machine.row)
    numerator = machine.row[machine.base:]
    del machine.row[machine.base:]
    label, opening, closing = payload
    begin = numerator[0].start if numerator else start
    machine.infix = Infix(label, (opening, closing), numerator, begin, machine.ends[i])
    if numerator:
        machine.infix.space, numerator[0].space = numerator[0].space, 0


def infix_with_fences(machine: Machine, payload: tuple[str, bool, bool], i: int) -> None:
    """``\\atopwithdelims()``, ``\\above 1pt``: an infix command with fences or a thickness after it."""
    label, has_fences, has_thickness = payload
    opening = closing = ""
    at = i
    if has_fences:
        i, opening, _ = fence(machine, i)
        i, closing, _ = fence(machine, i)
        if label == "lines" and (opening, closing) == ("(", ")"):
            label, opening, closing = "choose", "", ""
    if has_thickness:
        dimension(machine, False, i)
    infix(machine, (label, opening, closing), at)


def root(machine: Machine, payload: Any, i: int) -> None:
    """``\\sqrt`` with an optional index in brackets."""
    start = i
    i = machine.next_visible(i)
    machine.command(start, 1, build_root)
    _open_option(machine, i)


def _open_option(machine: Machine, i: int) -> None:
    """Opens an optional argument where the next token is a bracket that is closed soon."""
    if machine.texts[i + 1] == "[" and machine.awaiting and machine.has_room(i):
        end = _option_end(machine, i + 1)
        if end:
            machine.take()
            machine.texts[end] = OPTION_END
            machine.open_row(OPTION, i + 1)


def _option_end(machine: Machine, i: int) -> int:
    """The index of the ``]`` that closes the option opened by token ``i``, 0 if it is not near."""
    depth = 0
    texts = machine.texts
    for j in range(i + 1, min(len(texts), i + _FARTHEST_OPTION_END)):
        token = texts[j]
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth < 0:
                return 0
        elif token == "]" and depth == 0:
            return j
    return 0


def option_end(machine: Machine, payload: Any, i: int) -> None:
    """The ``]`` of an optional argument."""
    while machine.awaiting:
        if any(frame.kind == OPTION for frame in machine.stack):
            machine.missing(i)
        else:
            break
    for depth in range(len(machine.stack) - 1, -1, -1):
        if machine.stack[depth].kind == OPTION:
            while len(machine.stack) > depth:
                if machine.awaiting:
                    machine.missing(i)
                else:
                    machine.close(i)
            return
    machine.add(LayoutNode("]", "O", machine.starts[i], machine.ends[i]))


def build_root(machine: Machine, frame: LatexFrame, end: int) -> None:
    """Builds a root of its radicand and, in the payload, its index."""
    node = LayoutNode("√", "R", frame.start, end)
    node.within = frame.arguments[0]
    if frame.payload:
        node.pre_above = frame.payload[0] or None
    machine.row.append(node)


def plain_root(machine: Machine, payload: Any, i: int) -> None:
    """``\\root n \\of x``."""
    if machine.has_room(i):
        machine.open_row(ROOT, i)


def of(machine: Machine, payload: Any, i: int) -> None:
    """The ``\\of`` of ``\\root``."""
    if machine.awaiting:
        machine.missing(i)
    if machine.stack and machine.stack[-1].kind == ROOT:
        machine.finish_infix(machine.starts[i])
        index = machine.row
        frame = machine.restore()
        machine.command(i, 1, build_root, (index,))
        machine.stack[-1].start = frame.start
    else:
        machine.problem(machine.starts[i], "\\of without \\root")


def accent(machine: Machine, payload: tuple[str, str], i: int) -> None:
    """An accent, a line or a brace over or under its argument."""
    machine.command(i, 1, _build_accent, payload)


def accent_with_layout(machine: Machine, payload: tuple[str, tuple[str, str]], i: int) -> None:
    """``\\overbracket[1pt][2pt]{x}``: an accent whose lines have a thickness and a height."""
    _after_layout(machine, accent, *payload, i)


def _build_accent(machine: Machine, frame: LatexFrame, end: int) -> None:
    slot, mark = frame.payload
    content = frame.arguments[0]
    base = len(machine.row)
    machine.row.extend(content)
    attach_limits(machine.row, base, slot, [LayoutNode(mark, "O", frame.start, frame.start + 1)])
    if len(machine.row) == base + 1 and machine.row[base].kind == "G":
        machine.row[base].start, machine.row[base].end = frame.start, end


def stack_over(machine: Machine, payload: str, i: int) -> None:
    """``\\overset``, ``\\stackrel`` and ``\\underset``: the first argument over or under the second."""
    machine.command(i, 2, _build_stack, (payload,))


def _build_stack(machine: Machine, frame: LatexFrame, end: int) -> None:
    note, content = frame.arguments
    base = len(machine.row)
    machine.row.extend(content)
    if note:
        attach_limits(machine.row, base, str(frame.payload[0]), note)
        if len(machine.row) == base + 1 and machine.row[base].kind == "G":
            machine.row[base].start, machine.row[base].end = frame.start, end


def arrow(machine: Machine, payload: str, i: int) -> None:
    """``\\xrightarrow[below]{above}`` and its kin."""
    start = i
    i = machine.next_visible(i)
    machine.command(start, 1, _build_arrow, (payload,))
    _open_option(machine, i)


def _build_arrow(machine: Machine, frame: LatexFrame, end: int) -> None:
    node = LayoutNode(frame.payload[0], "O", frame.start, end)
    base = len(machine.row)
    machine.row.append(node)
    if frame.arguments[0]:
        attach_limits(machine.row, base, "over", frame.arguments[0])
    if len(frame.payload) > 1 and frame.payload[1]:
        attach_limits(machine.row, base, "under", frame.payload[1])


def modulus(machine: Machine, payload: Any, i: int) -> None:
    """``\\pmod{n}``: frequent enough to be read without expansion."""
    machine.command(i, 1, _build_modulus)


def _build_modulus(machine: Machine, frame: LatexFrame, end: int) -> None:
    machine.row += [
        LayoutNode("(", "O", frame.start, end), LayoutNode("mod", "O", frame.start, end), *frame.arguments[0],
        LayoutNode(")", "O", frame.start, end),
    ]


def prescript(machine: Machine, payload: Any, i: int) -> None:
    """``\\prescript{14}{6}{C}``: scripts before a symbol."""
    machine.command(i, 3, _build_prescript)


def _build_prescript(machine: Machine, frame: LatexFrame, end: int) -> None:
    above, below, content = frame.arguments
    base = len(machine.row)
    machine.row.extend(content)
    _bearer(machine, base, above, below, frame.start, end)


def _bearer(machine: Machine, base: int, above: Row, below: Row, start: int, end: int) -> LayoutNode:
    """The node that ``row[base:]`` becomes, with these scripts before it; before an operator they are on nothing."""
    row = machine.row
    machine.unsettled = True
    single = row[base] if len(row) == base + 1 and row[base].kind != "R" else None
    if single is not None and (single.pre_above or single.pre_below or not (single.kind != "G" or single.within)):
        single = None
    node = single or group_nodes(row, base)
    if not above and not below:
        return node
    is_empty = node.kind == "G" and not node.within
    if is_empty or (node.kind == "O" and not is_limit_operator(node.label)):
        nothing = node if is_empty else LayoutNode("", "G", start, start)
        nothing.within, nothing.above, nothing.below = [], above or None, below or None
        row[base:] = [nothing] if is_empty else [nothing, node]
        return row[-1]
    node.pre_above, node.pre_below = above or None, below or None
    node.start, node.end = start, end
    return node


def sideset(machine: Machine, payload: Any, i: int) -> None:
    """``\\sideset{_a^b}{_c^d}\\sum``: scripts at the four corners of an operator, whose limits come after."""
    machine.command(i, 3, _build_sideset)


def _build_sideset(machine: Machine, frame: LatexFrame, end: int) -> None:
    left, right, content = frame.arguments
    above, below, before = _corner_scripts(left)
    machine.row.extend(before)
    base = len(machine.row)
    machine.row.extend(content)
    node = _bearer(machine, base, above, below, frame.start, end)
    *corners, after = _corner_scripts(right)
    for slot, scripts in zip(("above", "below"), corners, strict=True):
        if scripts:
            bearer = brace_mark(node, slot) or node
            setattr(bearer, slot, [*(getattr(bearer, slot) or []), *scripts])
    if content and (node.below or (node.above and node.above[-1].label != "′")):
        group_nodes(machine.row, base)
    machine.row.extend(after)


def _corner_scripts(row: Row) -> tuple[Row, Row, Row]:
    """What an argument of ``\\sideset`` has above, primes too, and below, and what else stands there."""
    above: Row = []
    below: Row = []
    others: Row = []
    for node in row:
        if node.kind == "G" and not node.within:
            above += node.above or []
            below += node.below or []
        else:
            (above if node.label == "′" else others).append(node)
    return above, below, others


def font(machine: Machine, payload: str, i: int) -> None:
    """``\\mathbf{…}``: a group in a font, or one symbol."""
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "{":
        machine.take()
        open_group(machine, None, i + 1)
        machine.font = payload
        machine.word = None
    elif machine.has_room(i):
        machine.command(i, 1, _build_styled)
        machine.font = payload


def _build_styled(machine: Machine, frame: LatexFrame, end: int) -> None:
    machine.row.extend(frame.arguments[0])


def font_switch(machine: Machine, payload: str, i: int) -> None:
    """``\\rm``: the font of the rest of the group."""
    machine.font = payload
