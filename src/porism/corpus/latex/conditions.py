"""The conditions of TeX, ``\\ifx``, ``\\ifnum``, ``\\if``…, evaluated as far as no typesetting is needed."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tables import (
    DROPPED,
    KEPT_COMMANDS,
    MATH_ARGUMENTS,
    REFERENCES,
    SECTION_LEVELS,
    SYMBOLS,
    TEXT_IN_MATH,
    words,
)
from porism.formula.macros.tokens import EOF_TOKEN, join
from porism.formula.tables.registers import ASSIGNMENTS

_NUMBERS = {
    "\\z@": 0, "\\@ne": 1, "\\tw@": 2, "\\thr@@": 3, "\\m@ne": -1, "\\pdfoutput": 1, "\\pdftexversion": 140,
    "\\eTeXversion": 2, "\\active": 13,
}  # fmt: skip
"""Numbers that TeX, LaTeX or pdfTeX, whose part is taken, has under a name."""

_DEFINED = KEPT_COMMANDS | REFERENCES | TEXT_IN_MATH | SYMBOLS.keys() | _NUMBERS.keys() | {
    "\\" + name for name in (*DROPPED, *ASSIGNMENTS, *MATH_ARGUMENTS, *SECTION_LEVELS)
} | words("\\document \\enddocument \\pdfcreationdate \\normalfont \\rmfamily \\hbox \\vbox \\shipout")
"""Commands that are defined although no file of the project does it."""

_DIGITS = re.compile(r"\d+")
_OTHER_BASE = re.compile(r"\"([0-9A-F]{1,8})|'([0-7]{1,10})")
_RELATION = re.compile(r"\s*([<=>])")
_DIMENSION = re.compile(r"\s*=?\s*([-+]?\d*\.?\d+)\s*(pt|mm|cm|in|em|ex|bp|pc|sp)\s?")
_POINTS = {"pt": 1, "mm": 2.845, "cm": 28.45, "in": 72.27, "em": 10, "ex": 4.3, "bp": 1.004, "pc": 12, "sp": 0}

Meaning = tuple[str, object] | None


class Conditions:
    """Reads the operands of a condition and evaluates it.

    :param flags: the value of each ``\\newif``.
    """

    def __init__(self, expander: ProjectExpander, flags: dict[str, bool]) -> None:
        self.expander, self._flags = expander, flags
        self._tests: dict[str, Callable[[], bool | None]] = {
            "\\iftrue": lambda: True, "\\iffalse": lambda: False, "\\ifmmode": lambda: expander.math,
            "\\ifdefined": self._defined, "\\ifcsname": self._name_defined, "\\ifx": self._same_meaning,
            "\\if": self._same_character, "\\ifnum": lambda: self._compare(self.number),
            "\\ifodd": lambda: None if (number := self.number()) is None else number % 2 == 1,
            "\\ifdim": lambda: self._compare(self._dimension),
        }  # fmt: skip

    def holds(self, command: str) -> bool | None:
        """Whether the condition that the command begins holds; None where only a typesetter could say it."""
        test = self._tests.get(command)
        if test is None:
            self.expander.depends_on_more()
            return self._flags.get(command)
        return test()

    def is_defined(self, name: str) -> bool:
        """Whether a control sequence has a meaning."""
        return self._meaning(name) is not None

    def _defined(self) -> bool:
        return self.is_defined(self.expander.skip_spaces() or "")

    def _name_defined(self) -> bool:
        parts: list[str] = []
        while (token := self.expander.next_expanded()) is not None and token != "\\endcsname":
            parts.append(token)
            if token == EOF_TOKEN:
                self.expander.stream.push([token])
                return False
        return self.is_defined("\\" + join(parts).strip())

    def _same_meaning(self) -> bool:
        first, second = self._meaning(self._piece()), self._meaning(self._piece())
        return first == second or {first, second} <= {None, ("primitive", "\\relax")}

    def _same_character(self) -> bool:
        first, second = self._piece(expanded=True), self._piece(expanded=True)
        if first[:1] in "\\\0" and second[:1] in "\\\0":
            return True  # TeX compares characters alone
        return first == second

    def _piece(self, *, expanded: bool = False) -> str:
        """The next control sequence or character."""
        token = self.expander.next_expanded() if expanded else self.expander.stream.next()
        if token is None or token == EOF_TOKEN:
            self.expander.stream.push([token] if token else [])
            return ""
        first, *rest = self.expander.split(token)
        if first[0] == "\\" and first[-1].isalpha() and (following := self.expander.stream.next()) is not None:
            rest = [following.lstrip(" ")]  # TeX drops blanks after a word
        self.expander.stream.push(rest)
        return first

    def _meaning(self, token: str) -> Meaning:
        token = token[1:] if token[:1] == "\0" else token
        if not token:
            return None
        if token[0] != "\\":
            return "character", token
        macro = self.expander.macro_of(token)
        if macro is not None:
            target = macro.body[0] if len(macro.body) == 1 and not macro.arguments else ""
            if isinstance(target, str) and len(target) == 1:  # as \let makes of a character
                return "character", target
            return ("primitive", target[1:]) if isinstance(target, str) and target[:2] == "\0\\" else ("macro", macro)
        if token in self.expander.primitives or token in self.expander.known or token in _DEFINED:
            return "primitive", token
        return None

    def _compare(self, read: Callable[[], float | None]) -> bool | None:
        first = read()
        if first is None:
            return None
        token = self.expander.next_expanded() or ""
        match = _RELATION.match(token)
        if match is None:
            self.expander.stream.push([token])
            return None
        self.expander.stream.push([token[match.end() :]])
        second = read()
        if second is None:
            return None
        return {"<": first < second, "=": first == second, ">": first > second}[match.group(1)]

    def number(self) -> int | None:
        """The number that follows; None, and nothing of it read, where it is not written out."""
        sign = 1
        while (token := self.expander.next_expanded()) is not None:
            rest = token.lstrip(" +")
            if rest[:1] == "-":
                sign, rest = -sign, rest[1:]
            if match := _DIGITS.match(rest):
                after = rest[match.end() :]
                self.expander.stream.push([after.removeprefix(" ")])
                return sign * int(match.group()[:18])
            if match := _OTHER_BASE.match(rest):
                self.expander.stream.push([rest[match.end() :].removeprefix(" ")])
                return sign * (int(match[1], 16) if match[1] else int(match[2], 8))
            if rest[:1] == "`" and (character := rest[1:] or self._piece()):
                self.expander.stream.push([character[1:]] if rest[1:] else [])
                return sign * ord(character[0] if rest[1:] else character[-1])
            if rest in _NUMBERS:
                return sign * _NUMBERS[rest]
            if rest:
                self.expander.stream.push([rest])
                return None
        return None

    def _dimension(self) -> float | None:
        token = self.expander.next_expanded()
        match = _DIMENSION.match(token or "")
        self.expander.stream.push([token[match.end() :] if match else token] if token else [])
        return float(match.group(1)) * _POINTS[match.group(2)] if match else None
