"""Arguments of LaTeX commands that are not read as mathematics: text, names, and what is dropped."""

from __future__ import annotations

import unicodedata
from typing import Any

from porism.formula.latex.frames import GROUP, TEXT, Frame
from porism.formula.latex.machine import Machine
from porism.formula.latex.macros import MACRO_TRIGGERS, MacroFound
from porism.formula.latex.tokens import SPACES
from porism.formula.layout import child_rows
from porism.formula.tables.commands import FONT_SWITCHES, FONTS, NAME_COMMANDS, TEXT_COMMANDS, TRANSPARENT
from porism.formula.tables.layout_commands import LAYOUT_ARGUMENTS
from porism.formula.tables.lookup import SYMBOLS, canonical_name
from porism.formula.tables.spaces import WORD_SPACE, length
from porism.formula.tables.text_accents import TEXT_ACCENTS
from porism.formula.tree import LayoutNode
from porism.formula.words import printable, words_row

_LONGEST_NAME = 64
_FARTHEST_OPTION_END = 200
_FARTHEST_BRACE = 20
_SETTINGS = frozenset(
    "\\" + name for name in (*FONTS, *FONT_SWITCHES, *NAME_COMMANDS, *TEXT_COMMANDS, *TRANSPARENT, "sc")
)
"""Commands that say how a text is set."""


def text_of(token: str) -> str:
    """What a token says inside text: escapes and spaces resolved, other commands gone."""
    if token[0] != "\\":
        return " " if token == "~" else token
    known = SYMBOLS.get(token)
    if known is not None:
        return known[0]
    if token == "\\prime":
        return "′"
    return " " if token in SPACES or token.startswith("\\\\") else ""


def text(machine: Machine, payload: str, i: int) -> None:
    """``\\text{…}``: text in a font up to its closing brace, with mathematics between dollars."""
    i = machine.next_visible(i)
    token = machine.texts[i + 1]
    if token != "{":
        if token in ("", "}", "&", "$", "^", "_") or token.startswith("\\\\"):
            machine.problem(machine.starts[i], "an argument is missing")
            return
        machine.take()
        for node in words_row(text_of(token), payload, machine.starts[i + 1], machine.ends[i + 1]):
            machine.add(node)
        return
    machine.take()
    wraps = machine.awaiting
    if wraps:
        machine.open_argument()
    _read_text(machine, 0, wraps, payload)


def resume_text(machine: Machine, frame: Frame, i: int) -> None:
    """Goes on with text after the mathematics inside it."""
    depth, wraps, font = frame.payload
    _read_text(machine, depth, wraps, font)


def _read_text(machine: Machine, depth: int, wraps: bool, font: str) -> None:
    pieces: list[str] = []
    first = last = -1
    accent = ""
    for j, token in machine.stream:
        if token == "{":
            depth += 1
        elif token == "}":
            if depth == 0:
                _add_text(machine, pieces, font, first, last)
                if wraps:
                    machine.close(j)
                else:
                    machine.group_row = None
                return
            depth -= 1
        elif token in ("$", "\\(") and machine.has_room(j):
            _add_text(machine, pieces, font, first, last)
            frame = machine.push(TEXT, j)
            frame.payload = (depth, wraps, font)
            machine.base = len(machine.row)
            return
        elif token[1:] in LAYOUT_ARGUMENTS and token[0] == "\\":
            skip_arguments(machine, LAYOUT_ARGUMENTS[token[1:]], j)
        elif token in TEXT_ACCENTS:
            accent = TEXT_ACCENTS[token]
        elif token in MACRO_TRIGGERS and not machine.expanded:
            raise MacroFound
        elif token == "\\qvar":
            _add_text(machine, pieces, font, first, last)
            pieces, first = [], -1
            wildcard(machine, None, j)
        else:
            if first < 0:
                first = machine.starts[j]
            last = machine.ends[j]
            said = text_of(token)
            if not said and token[1:].isalpha() and token not in _SETTINGS:
                machine.problem(machine.starts[j], f"unknown command {token}")
                said = token[1:]
            if accent and said and not said.isspace():
                said, accent = unicodedata.normalize("NFC", said[0] + accent + said[1:]), ""
            pieces.append(said)
    machine.problem(machine.starts[-1], "text is never closed")
    _add_text(machine, pieces, font, first, last)


def _add_text(machine: Machine, pieces: list[str], font: str, start: int, end: int) -> None:
    written = "".join(pieces)
    if written[:1].isspace():
        machine.add_space(WORD_SPACE)
    row = words_row(written, font, start, end)
    if row:
        machine.row.extend(row)
        if written[-1:].isspace():
            machine.add_space(WORD_SPACE)


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
    for j in range(i + 2, min(len(machine.texts), i + 2 + _LONGEST_NAME)):
        token = machine.texts[j]
        if token == "}":
            for _ in range(j - i):
                machine.take()
            label = canonical_name("".join(letters))
            if label:
                font = "rm" if len(label) == 1 and label.isascii() else ""
                machine.add(LayoutNode(label, "V", start, machine.ends[j], font))
            return
        if token.isascii() and (token.isalpha() or (letters and token.isdigit()) or (letters and token == "-")):
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
