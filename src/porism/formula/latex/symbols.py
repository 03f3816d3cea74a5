"""Symbols of LaTeX that take more than a look into a table: numbers, scripts, primes."""

from __future__ import annotations

from typing import Any

from porism.formula.latex.frames import ARGUMENT, COMMAND, LatexFrame
from porism.formula.latex.machine import Machine
from porism.formula.latex.tokens import set_apart
from porism.formula.tables.lookup import SYMBOLS, canonical_number, token_class
from porism.formula.tree import LayoutNode


def number(machine: Machine, token: str, i: int) -> None:
    """A number of several digits; a command that waits takes one digit only (``\\frac12``)."""
    start, end = machine.starts[i], machine.ends[i]
    while machine.awaiting and len(token) > 1:
        if token[0] == ".":
            machine.add(LayoutNode(".", "O", start, min(start + 1, end)))
            skipped = 1
        elif token.startswith("{,}"):
            machine.add(LayoutNode(",", "O", start, min(start + 3, end)))
            skipped = 3
        elif token[0] == "\\":
            skipped = 2
        else:
            machine.add_symbol(token[0], "N", start, min(start + 1, end))
            skipped = 1
        rest = token[skipped:].lstrip()
        start = min(start + len(token) - len(rest), end)
        token = rest
    if token.startswith("{,}"):
        machine.add(LayoutNode(",", "O", start, min(start + 3, end)))
        token = token[3:]
        start = min(start + 3, end)
    if token == ".":
        machine.add(LayoutNode(".", "O", start, end))
    elif token:
        machine.add_symbol(canonical_number(token), "N", start, end)


def script(machine: Machine, slot: str, i: int) -> None:
    """``^`` or ``_``."""
    node = machine.script_base(slot, i)
    known = SYMBOLS.get(machine.texts[i + 1])
    if known is not None and not machine.font:
        machine.take()
        label, kind = known
        i += 1
        machine.attach(node, slot, [LayoutNode(label, kind, machine.starts[i], machine.ends[i])], machine.starts[i])
    else:
        machine.command(i, 1, _build_script, (node, slot))


def _build_script(machine: Machine, frame: LatexFrame, end: int) -> None:
    node, slot = frame.payload
    machine.attach(node, slot, frame.arguments[0], frame.start)


def script_token(machine: Machine, token: str, i: int) -> None:
    """A script of one letter or digit in braces, which is one token: ``^{2}``."""
    row = machine.row
    if len(row) > machine.base and machine.group_row is not row and not (machine.awaiting or machine.font):
        # By far the most frequent case: a symbol that has no script on this side yet.
        node = row[-1]
        if (
            node.over is None and node.under is None and node.kind != "G" and machine.ends[i] - machine.starts[i] == 4
            and not set_apart(node, machine.texts[i - 1])
        ):
            start = machine.starts[i] + 2
            label, kind = SYMBOLS[token[2]]
            if token[0] == "^":
                if node.above is None:
                    node.above = [LayoutNode(label, kind, start, start + 1)]
                    return
            elif node.below is None:
                node.below = [LayoutNode(label, kind, start, start + 1)]
                return
    slot = "above" if token[0] == "^" else "below"
    node = machine.script_base(slot, i)
    position, end = machine.starts[i], machine.ends[i]
    # Inside what a macro made all spans are that of its call.
    start, end = (position + 2, position + 3) if end - position == 4 else (position, end)
    label, kind = SYMBOLS[token[2]]
    if machine.font:
        outer, base = machine.row, machine.base
        machine.row, machine.base = [], 0
        machine.add_styled(label, kind, start, end)
        machine.row, content = outer, machine.row
        machine.base = base
    else:
        content = [LayoutNode(label, kind, start, end)]
    machine.attach(node, slot, content, position)


def primes(machine: Machine, count: int, i: int) -> None:
    """A run of primes: symbols where a script is read, else a script of the symbol before them."""
    start, end = machine.starts[i], machine.ends[i]
    nodes = [LayoutNode("′", "O", min(start + k, end), min(start + k + 1, end)) for k in range(count)]
    row = machine.row
    frame = machine.stack[-1] if machine.stack else None
    is_script = frame is not None and frame.kind in (COMMAND, ARGUMENT) and frame.build is _build_script
    begins_row = not row and not is_script
    if not machine.awaiting and (begins_row or (len(row) > machine.base and row[-1].label != "′")):
        machine.attach(machine.script_base("above", i), "above", nodes, start)
        return
    # In a script of their own they stay; what else is read here may be joined with what is before it.
    if not is_script:
        machine.unsettled = True
    row.extend(nodes)
    if machine.awaiting:
        machine.deliver(end)


def prime(machine: Machine, payload: Any, i: int) -> None:
    """``\\prime``, which is what an apostrophe stands for."""
    primes(machine, 1, i)


def quote(machine: Machine, payload: Any, i: int) -> None:
    """An apostrophe that was written as an entity."""
    primes(machine, 1, i)


def dots(machine: Machine, payload: Any, i: int) -> None:
    """Three full stops."""
    machine.add(LayoutNode("…", "O", machine.starts[i], machine.ends[i]))


def alias(machine: Machine, payload: str, i: int) -> None:
    """A relation typed with two characters."""
    machine.add(LayoutNode(payload, "O", machine.starts[i], machine.ends[i]))


def division(machine: Machine, payload: Any, i: int) -> None:
    """``\\div``: the sign of division between two operands, the divergence of physics where none is before it."""
    row = machine.row
    before = row[-1] if len(row) > machine.base else None
    is_operand = before is not None and (
        before.kind != "O" or token_class(before.label) in {"close", "bar", "dots", "symbol"}
    )
    if is_operand or machine.awaiting or not machine.texts[machine.next_visible(i) + 1]:
        machine.add(LayoutNode("÷", "O", machine.starts[i], machine.ends[i]))
    else:
        row.append(LayoutNode("∇", "O", machine.starts[i], machine.ends[i]))
        row.append(LayoutNode("⋅", "O", machine.starts[i], machine.ends[i]))
