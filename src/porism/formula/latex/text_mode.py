"""Text inside a formula, as TeX sets it: fonts, accents, symbols, spaces, and mathematics between dollars."""

from __future__ import annotations

import unicodedata
from typing import NamedTuple

from porism.formula.latex.arguments import accent
from porism.formula.latex.frames import TEXT, LatexFrame
from porism.formula.latex.machine import Machine
from porism.formula.latex.macros import MACRO_TRIGGERS, MacroFound
from porism.formula.latex.text import colour_argument, dimension, measured_space, skip_arguments, text_of, wildcard
from porism.formula.latex.tokens import COMMENT
from porism.formula.latex.unicode import NUMBERED, named_by_number
from porism.formula.layout import set_style
from porism.formula.tables.commands import (
    ACCENTS,
    DIMENSION_COMMANDS,
    FONT_SWITCHES,
    FONTS,
    FRACTIONS,
    NAME_COMMANDS,
    TEXT_COMMANDS,
    TRANSPARENT,
)
from porism.formula.tables.layout_commands import LAYOUT_ARGUMENTS
from porism.formula.tables.spaces import SPACE_COMMANDS, WORD_SPACE
from porism.formula.tables.styles import COLOURED
from porism.formula.tables.text_accents import TEXT_ACCENTS
from porism.formula.words import TextRun, join_runs, words_row

_KEEPING_FONT = frozenset({"text", "mbox", "hbox", "vbox", "makebox", "mathchoice@text"})
"""Commands for text that leave the font as it is around them."""
_GROUP_FONTS: dict[str, str] = {
    **{"\\" + name: font.replace("boldsymbol", "bf") for name, font in FONTS.items()},
    **{"\\" + name: "" if name in _KEEPING_FONT else font for name, font in TEXT_COMMANDS.items()},
    **dict.fromkeys(("\\" + name for name in NAME_COMMANDS), "rm"),
}
"""Command → the font of its argument, empty where it stays."""
_SWITCHES = {**{"\\" + name: font or "it" for name, font in FONT_SWITCHES.items()}, "\\sc": "rm", "\\scshape": "rm"}
_ACCENTS = {"\\" + name: mark for name, mark in ACCENTS.items()}
_LAYOUT = {"\\" + name: arguments for name, arguments in LAYOUT_ARGUMENTS.items()}
_SETTINGS = frozenset("\\" + name for name in TRANSPARENT)
"""Commands that say how a text is set."""
_DOTLESS = {"ı": "i", "ȷ": "j"}
_NO_ARGUMENT = frozenset({"", "}", "&", "$", "^", "_"})


class _Group(NamedTuple):
    font: str
    closes: bool = False
    """Whether its end is that of the argument of a command, which has a row of its own."""
    colour: str = ""
    start: int = 0
    """Where in the row the text begins that has the colour."""


def text(machine: Machine, payload: str, i: int) -> None:
    """``\\text{…}``: text in a font up to its closing brace."""
    i = machine.next_visible(i)
    token = machine.texts[i + 1]
    if token != "{":
        if token in _NO_ARGUMENT or token.startswith("\\\\"):
            machine.problem(machine.starts[i], "an argument is missing")
            return
        machine.take()
        nodes = words_row(text_of(token), payload, machine.starts[i + 1], machine.ends[i + 1])
        if not nodes:
            machine.problem(machine.starts[i + 1], f"{token} is not text")
        for node in nodes:
            machine.add(node)
        return
    machine.take()
    wraps = machine.awaiting
    if wraps:
        machine.open_argument()
    _TextReader(machine, payload, wraps).read()


def text_argument(machine: Machine, font: str) -> None:
    """The text of an argument whose brace was opened before."""
    _TextReader(machine, font, True).read()


def text_sign(machine: Machine, said: str, i: int) -> None:
    """A command that says some text: ``\\textasciitilde``."""
    for node in words_row(said, "rm", machine.starts[i], machine.ends[i]):
        machine.unsettled = machine.unsettled or node.kind == "G"
        machine.add(node)


def _resume(machine: Machine, frame: LatexFrame, i: int) -> None:
    """Goes on with text after the mathematics inside it."""
    frame.payload.read()


class _TextReader:
    """Reads one text; it waits in a frame while mathematics inside the text is read."""

    def __init__(self, machine: Machine, font: str, wraps: bool) -> None:
        self.machine = machine
        self.font = font
        self.groups = [_Group(font, wraps)]
        self.base = len(machine.row)
        self.pieces: list[str] = []
        self.first = self.last = -1
        self.accent = self.accent_sign = ""
        self.accent_at = 0
        """The token of an accent that waits for its letter."""

    def read(self) -> None:
        """Reads up to mathematics or the end of the text."""
        machine = self.machine
        for j, token in machine.stream:
            if token == "{":
                self.groups.append(_Group(self.font))
            elif token == "}":
                if self._close(j):
                    return
            elif token in ("$", "\\(") and machine.has_room(j):
                self._end_accent()
                self._flush()
                frame = machine.push(TEXT, j)
                frame.payload, frame.build = self, _resume
                machine.base = len(machine.row)
                return
            elif token[:1] == "\\":
                self._command(token, j)
            else:
                self._say(" " if token == "~" else token.replace(COMMENT, ""), j)
        machine.problem(machine.starts[-1], "text is never closed")
        self._end_accent()
        self._choose_colour("")
        self._flush()

    def _close(self, j: int) -> bool:
        """Ends the innermost group; whether it was the last, and the text is over."""
        machine = self.machine
        self._end_accent()
        if self.groups[-1].colour:
            self._choose_colour("", len(self.groups) == 1 and self._takes_script(j))
        group = self.groups.pop()
        if not self.groups:
            self._flush(self._takes_script(j))
            if group.closes:
                machine.close(j)
            elif len(machine.row) - self.base > 1:
                machine.group_row, machine.group_base, machine.group_end = machine.row, self.base, len(machine.row)
            else:
                machine.group_row = None
            return True
        if group.closes:
            self._flush()
            machine.close(j)
        self._set_font(group.font)
        return False

    def _end_accent(self) -> None:
        """Makes a sign of an accent on nothing; one without a sign is reported."""
        if self.accent:
            self.accent = ""
            if self.accent_sign:
                self._say(self.accent_sign, self.accent_at)
            else:
                self.machine.problem(self.machine.starts[self.accent_at], "an accent without a letter")

    def _takes_script(self, j: int) -> bool:
        return self.machine.texts[j + 1][:1] in ("^", "_", "'")

    def _set_font(self, font: str) -> None:
        if font != self.font:
            self._flush()
            self.font = font

    def _choose_colour(self, colour: str, takes_script: bool = False) -> None:
        """Sets what follows in the innermost group in a colour; what one text makes of two colours has none."""
        self._flush(takes_script)
        row, group = self.machine.row, self.groups[-1]
        set_style(row[group.start:] if group.colour else [], COLOURED, group.colour)
        self.groups[-1] = group._replace(colour=colour, start=len(row))

    def _command(self, token: str, j: int) -> None:
        machine = self.machine
        if token in MACRO_TRIGGERS and not machine.expanded:
            raise MacroFound
        name = token[1:]
        if token in TEXT_ACCENTS:
            self._end_accent()
            self.accent_at = j
            if self.first < 0:
                self.first = machine.starts[j]
            self.accent, self.accent_sign = TEXT_ACCENTS[token], name * (not name.isalpha())
        elif token in _GROUP_FONTS:
            self._open(_GROUP_FONTS[token] or self.font, token, j)
            return
        elif token in _SWITCHES:
            self._set_font(_SWITCHES[token])
        elif token in _ACCENTS and machine.texts[machine.next_visible(j) + 1] == "{" and machine.has_room(j):
            self._flush()
            accent(machine, _ACCENTS[token], machine.next_visible(j))
            self.groups.append(_Group(self.font, True))
            return
        elif SPACE_COMMANDS.get(token, WORD_SPACE) != WORD_SPACE:
            self._flush()
            machine.add_space(SPACE_COMMANDS[token])
        elif name in DIMENSION_COMMANDS:
            self._flush()
            dimension(machine, DIMENSION_COMMANDS[name], j)
            return
        elif name in ("hspace", "mspace"):
            self._flush()
            measured_space(machine, None, j)
            return
        elif token in NUMBERED:
            char, end = named_by_number(machine, j, plain=NUMBERED[token])
            self._say(char, j, end)
            return
        elif token in ("\\color", "\\textcolor"):
            colour, end = colour_argument(machine, j)
            if machine.texts[machine.next_visible(end) + 1] == "{":
                machine.take()
                self.groups.append(_Group(self.font))
            self._choose_colour(colour)
            return
        elif token in _LAYOUT:
            if name in ACCENTS or name in FRACTIONS:
                machine.problem(machine.starts[j], f"{token} is not text")
            skip_arguments(machine, _LAYOUT[token], j)
            return
        elif token == "\\qvar":
            self._flush()
            wildcard(machine, None, j)
            return
        elif token not in _SETTINGS:
            said = text_of(token)
            if not said and name.isalpha() and token != "\\textcompwordmark":
                machine.problem(machine.starts[j], f"unknown command {token}")
                self._say(name, j)
                return
            self._say(said, j)
        if name.isalpha():
            machine.next_visible(j)  # as in TeX, a space that ends the name of a command says nothing

    def _open(self, font: str, token: str, j: int) -> None:
        """Begins the argument of a command that sets it in a font; without braces it is one token."""
        machine = self.machine
        if token == "\\emph" and self.font == "it":
            font = "rm"
        i = machine.next_visible(j)
        following = machine.texts[i + 1]
        if following == "{":
            machine.take()
            self.groups.append(_Group(self.font))
            self._set_font(font)
        elif following in _NO_ARGUMENT or following[0] == "\\":
            machine.problem(machine.starts[j], "an argument is missing")
        else:
            machine.take()
            outer = self.font
            self._set_font(font)
            self._say(following, i + 1)
            self._set_font(outer)

    def _say(self, said: str, j: int, end: int = -1) -> None:
        machine = self.machine
        if self.first < 0:
            self.first = machine.starts[j]
        self.last = machine.ends[max(j, end)]
        if self.accent and said and not said.isspace():
            first = _DOTLESS.get(said[0], said[0])
            said = unicodedata.normalize("NFC", first + self.accent + said[1:])
            self.accent = ""
        self.pieces.append(said)

    def _flush(self, takes_script: bool = False) -> None:
        """Adds the words read so far; a text that goes on with the one before it is one with it."""
        machine = self.machine
        run = TextRun("".join(self.pieces), self.font, self.first, self.last)
        self.pieces, self.first = [], machine.starts[self.accent_at] if self.accent else -1
        row = machine.row
        before = machine.text_run
        if before is not None and before[0] is row and row[-1:] == [before[2]] and not takes_script and not (
            row[-1].above or row[-1].below or row[-1].over or row[-1].under or len(row) < machine.base
        ):
            gap = sum(
                space[2] for space in machine.spaces
                if space[0] is row and space[1] == len(row) and isinstance(space[2], int)
            )
            joined = join_runs(before[3], run, gap - WORD_SPACE * before[3].written[-1:].isspace())
            if joined is not None and before[1] >= machine.base:
                space = row[before[1]].space
                del row[before[1]:]
                while machine.spaces and machine.spaces[-1][0] is row:
                    machine.spaces.pop()
                self.base = min(self.base, before[1])
                self._add(joined, space)
                return
        self._add(run, 0)

    def _add(self, run: TextRun, space: int) -> None:
        machine = self.machine
        if run.written[:1].isspace() and not space:
            machine.add_space(WORD_SPACE)
        base = len(machine.row)
        nodes = words_row(*run)
        if nodes:
            nodes[0].space += space
            machine.row.extend(nodes)
            machine.unsettled = machine.unsettled or nodes[0].kind == "G"
            machine.text_run = (machine.row, base, nodes[-1], run)
            if run.written[-1:].isspace():
                machine.add_space(WORD_SPACE)
