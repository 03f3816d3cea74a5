"""Environments of LaTeX: matrices, cases, and displays of several lines."""

from __future__ import annotations

import re

from porism.formula.breaks import line_break
from porism.formula.latex.columns import FILLED_ENVIRONMENTS, MAX_COLUMN_TOKENS, are_columns, filling_columns
from porism.formula.latex.frames import CELLS, COMMAND, LEFT, OPTION, ROOT, LatexFrame
from porism.formula.latex.machine import Machine
from porism.formula.latex.macros import MACRO_TRIGGERS, MacroFound
from porism.formula.latex.text import argument_text, skip_option
from porism.formula.layout import matrix, trim
from porism.formula.tables.commands import ENVIRONMENTS
from porism.formula.tables.layout_commands import LAYOUT_ENVIRONMENTS

_ALIGNMENT_COLUMNS = re.compile(r"(?:rc?l)+")
"""Columns of an array that is used to align equations."""
_POSITIONS = frozenset({"t]", "b]", "c]"})
"""Where a display stands beside its line."""


def begin(machine: Machine, token: str, i: int) -> None:
    """``\\begin{…}`` with the environment's arguments."""
    name = token[token.index("{") + 1:-1].strip()
    if f"\\begin{{{name}}}" in MACRO_TRIGGERS and not machine.expanded:
        raise MacroFound
    plain = name.rstrip("*")
    spec = ENVIRONMENTS.get(plain)
    if spec is None:
        machine.problem(machine.starts[i], f"unknown environment {name}")
        spec = ("lines", "")
    kind, fences = spec
    start = machine.starts[i]
    for argument in LAYOUT_ENVIRONMENTS.get(name, LAYOUT_ENVIRONMENTS.get(plain, "")):
        if argument == "o":
            j = machine.next_visible(i)
            # After a space, only a position is the option of a display; other brackets are its content.
            is_near = kind != "lines" or j == i or "".join(machine.texts[j + 2:j + 4]) in _POSITIONS
            i = skip_option(machine, j) if is_near else j
            continue
        columns, i = _columns(machine, i, plain)
        if kind == "matrix" and _ALIGNMENT_COLUMNS.fullmatch("".join(c for c in columns if c in "lcr")):
            kind = "lines"
    if machine.has_room(i):
        _open(machine, i, kind, fences, "\\end", plain).start = start
        machine.environments += 1


def _columns(machine: Machine, i: int, name: str) -> tuple[str, int]:
    """Consumes the columns that an environment has as its argument; what cannot be columns is content and stays."""
    j = machine.next_visible(i)
    texts = machine.texts
    token = texts[j + 1]
    counts = name.endswith("at")
    if token != "{":
        if token.isdigit() if counts else (j == i and token in ("l", "c", "r")):
            machine.take()
            return token, j + 1
        machine.problem(machine.ends[i], f"{name} without its columns")
        return "", j
    depth = 0
    for k in range(j + 1, min(len(texts), j + MAX_COLUMN_TOKENS)):
        depth += (texts[k] == "{") - (texts[k] == "}")
        if depth == 0:
            break
    else:
        machine.problem(machine.ends[i], f"the columns of {name} never end")
        return "", j
    written = texts[j + 2:k]
    if "".join(written).strip().isdigit() if counts else are_columns(written):
        if filling_columns(written):
            if name in FILLED_ENVIRONMENTS and not machine.expanded:
                raise MacroFound
            machine.problem(machine.starts[j + 1], f"what the columns of {name} put into each row is left out")
        return argument_text(machine, j)
    machine.problem(machine.starts[j + 1], f"these are not valid columns of {name}; they are kept as content")
    texts[j + 1] = texts[k] = " "
    return "", j


def braced_environment(machine: Machine, payload: str, i: int) -> None:
    """``\\matrix{…}``, ``\\substack{…}`` and the like; ``payload`` is the environment they stand for."""
    start = machine.starts[i]
    i = machine.next_visible(i)
    if machine.texts[i + 1] != "{":
        machine.problem(start, "{ is missing")
    elif machine.has_room(i):
        machine.take()
        kind, fences = ENVIRONMENTS[payload]
        _open(machine, i + 1, kind, fences, "}", payload).start = start
        machine.braces += 1


def _open(machine: Machine, i: int, kind: str, fences: str, closer: str, name: str) -> LatexFrame:
    frame = machine.open_row(CELLS, i)
    frame.closer = closer
    frame.fences = fences
    frame.payload = (kind, name)
    frame.lines = []
    frame.line = []
    frame.build = _finish
    return frame


def end_environment(machine: Machine, token: str, i: int) -> None:
    """``\\end{…}``: ends the innermost environment and what was left open in it."""
    if not machine.environments:
        machine.problem(machine.starts[i], "\\end without \\begin")
        return
    wanted = machine.environments - 1
    while machine.environments > wanted:
        if machine.awaiting:
            machine.missing(i)
            continue
        frame = machine.stack[-1]
        if frame.kind == CELLS and frame.closer == "\\end":
            name = token[token.index("{") + 1:-1].strip().rstrip("*")
            if name != frame.payload[1]:
                machine.problem(machine.starts[i], f"\\end{{{name}}} ends {frame.payload[1]}")
            machine.close(i)
        else:
            machine.close(i, "this is not closed inside its environment")


def next_cell(machine: Machine, i: int) -> bool:
    """``&``; False where there is no matrix or display to which it could belong."""
    frame = _enclosing(machine, i)
    if frame is None:
        return False
    _end_cell(machine, frame, i)
    return True


def next_line(machine: Machine, payload: object, i: int) -> None:
    """``\\\\`` or ``\\cr``: the next line of a matrix or display; outside of environments the row becomes one."""
    frame = _enclosing(machine, i)
    if frame is None:
        if machine.awaiting:
            machine.missing(i)
        machine.row.append(line_break(machine.starts[i], machine.ends[i]))
        machine.group_row = None
        machine.unsettled = True
    else:
        _end_cell(machine, frame, i)
        frame.lines.append(frame.line)
        frame.line = []


def _enclosing(machine: Machine, i: int) -> LatexFrame | None:
    """The environment that the current position is a cell of, after what is open inside the cell was closed."""
    environment = None
    for frame in reversed(machine.stack):
        if frame.kind == CELLS:
            environment = frame
            break
        if frame.kind not in (LEFT, COMMAND, ROOT, OPTION):
            return None
    if environment is None:
        return None
    while machine.stack[-1] is not environment:
        machine.close(i, "" if machine.awaiting else "this is not closed inside its cell")
    return environment


def _end_cell(machine: Machine, frame: LatexFrame, i: int) -> None:
    machine.finish_infix(machine.starts[i])
    machine.place_spaces(machine.row)
    if frame.payload[0] != "lines":
        trim(machine.row)
    if machine.colours:
        machine.end_colours()
    frame.line.append(machine.row)
    machine.row = []
    machine.base = 0
    machine.font = frame.font


def _finish(machine: Machine, frame: LatexFrame, i: int) -> None:
    _end_cell(machine, frame, i)
    lines = frame.lines
    lines.append(frame.line)
    machine.restore()
    if frame.closer == "}":
        machine.braces -= 1
    else:
        machine.environments -= 1
    before = len(machine.row)
    node = matrix(str(frame.payload[0]), frame.fences, lines, frame.start, machine.ends[i])
    machine.unsettled = True
    machine.row.extend(node)
    machine.group_row, machine.group_base, machine.group_end = machine.row, before, len(machine.row)
    if machine.awaiting and len(machine.row) > before:
        machine.deliver(machine.ends[i])
