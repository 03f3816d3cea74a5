"""Commands that say how their content is set, which its symbols remember: boxes, strokes and colours."""

from __future__ import annotations

from typing import NamedTuple

from porism.formula.colours import colour_value
from porism.formula.latex.frames import LatexFrame
from porism.formula.latex.groups import open_group
from porism.formula.latex.machine import Machine
from porism.formula.latex.text import argument_text, colour_argument, skip_arguments
from porism.formula.latex.text_mode import text, text_argument
from porism.formula.layout import group_nodes, set_style, takes_arguments
from porism.formula.tables.styles import BOXED, COLOURED, FILLED, FRAMED
from porism.formula.tree import Style

_BORDER = "border"
_INK = "#000000"
"""The colour of what is on a background, unless another one was chosen around it."""


class _Look(NamedTuple):
    """Arguments of :func:`~porism.formula.layout.set_style`."""

    kind: str
    colour: str = ""
    background: str = ""


def styled(machine: Machine, payload: tuple[str, str], i: int) -> None:
    """``\\boxed{…}``, ``\\cancel{…}``: content in a style, after arguments that are layout."""
    signature, kind = payload
    _style_argument(machine, skip_arguments(machine, signature, i), _Look(kind))


def box_with_option(machine: Machine, payload: object, i: int) -> None:
    """``\\bbox[yellow,border:1px solid]{…}``: a box where its option says that it has a border, and a background."""
    end = skip_arguments(machine, "o", i)
    options = "".join(machine.texts[i + 1:end + 1]).strip().strip("[]").split(",")
    background = next(filter(None, (colour_value(option, "", machine.named_colours) for option in options)), "")
    looks = [_Look(COLOURED, _ink(machine), background)] * bool(background)
    looks += [_Look(BOXED)] * any(_BORDER in option for option in options)
    if looks:
        _style_argument(machine, end, *looks)


def styled_text(machine: Machine, payload: tuple[str, str], i: int) -> None:
    """``\\fbox{if $x$}``: text in a style."""
    signature, kind = payload
    _style_text(machine, skip_arguments(machine, signature, i), _Look(kind))


def filled_text(machine: Machine, payload: bool, i: int) -> None:
    """``\\colorbox{yellow}{if $x$}``, and with a frame (``payload``) ``\\fcolorbox{red}{yellow}{if $x$}``."""
    frame, i = colour_argument(machine, i) if payload else ("", i)
    background, i = colour_argument(machine, i)
    if not background:
        looks = [_Look(FRAMED)] * payload
    elif payload:
        looks = [_Look(COLOURED, _ink(machine)), _Look(FRAMED, frame, background)]
    else:
        looks = [_Look(FILLED, _ink(machine), background)]
    _style_text(machine, i, *looks)


def coloured(machine: Machine, payload: bool, i: int) -> None:
    """``\\color{red}``, a switch unless braces follow, as MathJax has it; with ``payload`` always of an argument."""
    awaiting = machine.awaiting
    colour, i = colour_argument(machine, i)
    if not colour:
        return
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "{":
        depth = len(machine.stack)
        machine.take()
        open_group(machine, None, i + 1)
        if len(machine.stack) > depth or awaiting:
            machine.choose_colour(colour)
    elif payload:
        machine.command(i, 1, _build_styled, [_Look(COLOURED, colour)])
    elif not awaiting:
        machine.choose_colour(colour)


def definition_of_colour(machine: Machine, payload: bool, i: int) -> None:
    """``\\definecolor{name}{model}{numbers}``, and without a model (no ``payload``) ``\\colorlet{name}{red!50}``."""
    name, i = argument_text(machine, skip_arguments(machine, "o", i))
    model = ""
    if payload:
        model, i = argument_text(machine, i)
    written, _ = argument_text(machine, i)
    value = colour_value(written, model, machine.named_colours)
    if value:
        machine.named_colours[name.strip()] = value


def phantom(machine: Machine, payload: str, i: int) -> None:
    """``\\phantom{x}``: room as large as its argument, which is no part of the formula."""
    first = machine.next_visible(i) + 1
    _, last = argument_text(machine, first - 1)
    if last >= first and not machine.awaiting:
        style = Style(payload)
        machine.add_space(style)
        machine.phantoms.append((style, first, last + 1))


def _ink(machine: Machine) -> str:
    return machine.colours[-1][3] if machine.colours else _INK


def _style_argument(machine: Machine, i: int, *looks: _Look) -> None:
    machine.command(machine.next_visible(i), 1, _build_styled, looks)


def _style_text(machine: Machine, i: int, *looks: _Look) -> None:
    i = machine.next_visible(i)
    if looks and machine.texts[i + 1] == "{" and machine.has_room(i):
        machine.command(i, 1, _build_styled, looks)
        text_argument(machine, "rm")
    else:
        text(machine, "rm", i)


def _build_styled(machine: Machine, frame: LatexFrame, end: int) -> None:
    content = frame.arguments[0]
    for look in frame.payload:
        set_style(content, *look)
    row = machine.row
    base = len(row)
    row += content
    if len(content) > 1 and takes_arguments(row, base, machine.base):
        group_nodes(row, base)
    machine.group_row, machine.group_base, machine.group_end = row, base, len(row)
