"""Arguments of LaTeX commands that are not read as mathematics: names, lengths, and what is dropped."""

from __future__ import annotations

import re
from typing import Any

from porism.formula.colours import colour_value
from porism.formula.latex.frames import GROUP
from porism.formula.latex.machine import Machine
from porism.formula.latex.macros import MACRO_TRIGGERS, MacroFound
from porism.formula.latex.tokens import SPACES
from porism.formula.layout import child_rows
from porism.formula.tables.lookup import SYMBOLS, canonical_name
from porism.formula.tables.spaces import UNITS, length
from porism.formula.tables.text_accents import TEXT_SIGNS
from porism.formula.tree import LayoutNode
from porism.formula.words import printable

MAX_NAME_LENGTH = 64
"""The most tokens of a name, its braces included."""
_FARTHEST_OPTION_END = 200
_FARTHEST_BRACE = 20


def text_of(token: str) -> str:
    """What a token says inside text: escapes and spaces resolved, other commands gone."""
    if token[0] != "\\":
        return " " if token == "~" else token
    known = SYMBOLS.get(token)
    if known is not None:
        return known[0]
    if token == "\\prime":
        return "′"
    if token[1:] in TEXT_SIGNS:
        return TEXT_SIGNS[token[1:]]
    return " " if token in SPACES or token.startswith("\\\\") else ""


def name(machine: Machine, payload: Any, i: int) -> None:
    """``\\operatorname{…}``: one name where it is only letters, else upright mathematics."""
    start = machine.starts[i]
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "*":
        machine.take()
        i = machine.next_visible(i + 1)
    if machine.texts[i + 1] != "{":
        machine.problem(start, "a name is missing")
        return
    letters: list[str] = []
    for j in range(i + 2, min(len(machine.texts), i + 2 + MAX_NAME_LENGTH)):
        token = machine.texts[j]
        if token == "}":
            for _ in range(j - i):
                machine.take()
            label = canonical_name("".join(letters))
            if label:
                font = "rm" if len(label) == 1 and label.isascii() else ""
                machine.add(LayoutNode(label, "V", start, machine.ends[j], font))
            return
        if token.isascii() and ((letters and token == "-") or (token.isalnum() and (letters or token[0].isalpha()))):
            letters.append(token)
        elif token.isspace() or token in SPACES:
            letters.append(" ")
        elif not token.startswith(("\\math", "\\rm", "\\!", "\\text")):
            break
    machine.take()
    if machine.awaiting:
        machine.open_argument()
    elif machine.has_room(i):
        machine.push(GROUP, i + 1)
        machine.braces += 1
        machine.base = len(machine.row)
    else:
        machine.overflow += 1
        return
    machine.font = "rm"


def wildcard(machine: Machine, payload: Any, i: int) -> None:
    """``\\qvar{x}``: a wildcard of the name ``x``."""
    start = machine.starts[i]
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "@":
        # LaTeXML writes out the name of its macro: \qvar@construct.
        while machine.texts[i + 1] == "@" or machine.texts[i + 1].isalpha():
            machine.take()
            i += 1
    label, i = argument_text(machine, i)
    add_wildcard(machine, printable(label).replace(" ", "") or "?", start, machine.ends[i])


def add_wildcard(machine: Machine, label: str, start: int, end: int) -> None:
    """Adds a wildcard; right after a number and its point (``0.?x``) it stands for the number with its decimals."""
    row = machine.row
    if not machine.awaiting and len(row) - machine.base >= 2:
        number, point = row[-2:]
        if (
            point.label == "." and point.end == start and number.kind == "N" and number.end == point.start
            and "." not in number.label and not (child_rows(number) or child_rows(point))
        ):
            del row[-2:]
            start = number.start
    machine.add(LayoutNode(label, "W", start, end))


def argument_text(machine: Machine, i: int) -> tuple[str, int]:
    """Consumes one argument after token ``i``: its text, braces left out, and the index of its last token."""
    i = machine.next_visible(i)
    token = machine.texts[i + 1]
    if token in ("", "}", "&", "]") or token.startswith("\\\\"):
        return "", i
    machine.take()
    if token != "{":
        return text_of(token), i + 1
    pieces: list[str] = []
    depth = 0
    for j, inner in machine.stream:
        if inner == "{":
            depth += 1
        elif inner == "}":
            if depth == 0:
                return "".join(pieces), j
            depth -= 1
        elif inner in MACRO_TRIGGERS and not machine.expanded:
            raise MacroFound
        else:
            pieces.append(text_of(inner))
    machine.problem(machine.starts[-1], "an argument is never closed")
    return "".join(pieces), len(machine.texts) - 3


def skip_option(machine: Machine, i: int) -> int:
    """Consumes an optional argument in brackets, if one follows and ends soon; the index of the last token consumed."""
    i = machine.next_visible(i)
    texts = machine.texts
    if texts[i + 1] == "[":
        for j in range(i + 2, min(len(texts), i + _FARTHEST_OPTION_END)):
            if texts[j] == "]":
                for _ in range(j - i):
                    machine.take()
                return j
    return i


def skip_arguments(machine: Machine, signature: str, i: int) -> int:
    """Consumes arguments that are layout (``mo*s``); the index of the last token consumed."""
    for kind in signature:
        i = machine.next_visible(i)
        if kind == "m":
            _, i = argument_text(machine, i)
        elif kind == "o":
            i = skip_option(machine, i)
        elif kind == "*" and machine.texts[i + 1] == "*":
            machine.take()
            i += 1
        elif kind == "s" and machine.texts[i + 1] in ("t", "s"):
            following = machine.texts[i + 1 : i + 1 + _FARTHEST_BRACE]
            if "{" in following and "".join(following).startswith(("to", "spread")):
                for _ in range(following.index("{")):
                    machine.take()
                    i += 1
    return i


def colour_argument(machine: Machine, i: int) -> tuple[str, int]:
    """Consumes a colour with its model: its value, empty if it is not valid, and the index of its last token."""
    end = skip_arguments(machine, "o", i)
    model = "".join(machine.texts[i + 1:end + 1]).strip().strip("[]")
    written, end = argument_text(machine, end)
    return colour_value(written, model, machine.named_colours), end


def space(machine: Machine, payload: int, i: int) -> None:
    """A command that makes a horizontal space."""
    machine.add_space(payload)


def measured_space(machine: Machine, payload: Any, i: int) -> None:
    """``\\hspace{2em}``: a space whose width is an argument."""
    i = machine.next_visible(i)
    if machine.texts[i + 1] == "*":
        machine.take()
        i += 1
    width, _ = argument_text(machine, i)
    machine.add_space(length(width))


def drop(machine: Machine, signature: str, i: int) -> None:
    """Consumes the arguments of a command that say nothing, and forgets them."""
    skip_arguments(machine, signature, i)


def dimension(machine: Machine, payload: bool, i: int) -> None:
    """``\\kern 2pt`` and the like; ``payload`` says whether the length is a space."""
    i = machine.next_visible(i)
    texts = machine.texts
    if texts[i + 1] == "{":
        written, _ = argument_text(machine, i)
        if payload:
            machine.add_space(length(written))
        return
    written = ""
    while texts[i + 1] in ("-", "+", "."):
        machine.take()
        i += 1
        written += texts[i]
    if re.fullmatch(r"[0-9.]+", texts[i + 1]):
        machine.take()
        written += texts[i + 1]
        i = machine.next_visible(i + 1)
    unit = texts[i + 1] + texts[min(i + 2, len(texts) - 1)]
    if unit in UNITS:
        machine.take()
        machine.take()
        if payload:
            machine.add_space(length(written + unit))
