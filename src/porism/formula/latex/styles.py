"""Commands that say how their content is set, which its symbols remember: boxes and strokes."""

from __future__ import annotations

from porism.formula.latex.frames import Frame
from porism.formula.latex.machine import Machine
from porism.formula.latex.text import skip_arguments
from porism.formula.latex.text_mode import text, text_argument
from porism.formula.layout import group_nodes, set_style, takes_arguments

_BORDER = "border"


def styled(machine: Machine, payload: tuple[str, str], i: int) -> None:
    """``\\boxed{…}``, ``\\cancel{…}``: content in a style, after arguments that are layout."""
    signature, kind = payload
    i = machine.next_visible(skip_arguments(machine, signature, i))
    machine.command(i, 1, _build_styled, kind)


def box_with_border(machine: Machine, payload: str, i: int) -> None:
    """``\\bbox[border:1px solid]{…}``: a box where its option says that it has a border."""
    end = skip_arguments(machine, "o", i)
    has_border = _BORDER in "".join(machine.texts[i + 1:end + 1])
    if has_border:
        machine.command(machine.next_visible(end), 1, _build_styled, payload)


def styled_text(machine: Machine, payload: tuple[str, str], i: int) -> None:
    """``\\fbox{if $x$}``: text in a style."""
    signature, kind = payload
    i = machine.next_visible(skip_arguments(machine, signature, i))
    if machine.texts[i + 1] == "{" and machine.has_room(i):
        machine.command(i, 1, _build_styled, kind)
        text_argument(machine, "rm")
    else:
        text(machine, "rm", i)


def _build_styled(machine: Machine, frame: Frame, end: int) -> None:
    content = frame.arguments[0]
    set_style(content, frame.payload)
    row = machine.row
    base = len(row)
    row += content
    if len(content) > 1 and takes_arguments(row, base, machine.base):
        group_nodes(row, base)
    machine.group_row, machine.group_base, machine.group_end = row, base, len(row)
