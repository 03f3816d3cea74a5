"""The conditions of TeX, ``\\ifx``, ``\\ifnum``, ``\\if``…, evaluated as far as no typesetting is needed."""

from __future__ import annotations

import re
from collections.abc import Callable

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.registers import NUMBERS, Registers
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

_DEFINED = KEPT_COMMANDS | REFERENCES | TEXT_IN_MATH | SYMBOLS.keys() | NUMBERS.keys() | {
    "\\" + name for name in (*DROPPED, *ASSIGNMENTS, *MATH_ARGUMENTS, *SECTION_LEVELS)
} | words("\\document \\enddocument \\pdfcreationdate \\normalfont \\rmfamily \\hbox \\vbox \\shipout")
"""Commands that are defined although no file of the project does it."""

_RELATION = re.compile(r"\s*([<=>])")

Meaning = tuple[str, object] | None


class Conditions:
    """Reads the operands of a condition and evaluates it.

    :param flags: the value of each ``\\newif``.
    """

    def __init__(self, expander: ProjectExpander, flags: dict[str, bool]) -> None:
        self.expander, self._flags = expander, flags
        self.registers = Registers(expander)
        self._tests: dict[str, Callable[[], bool | None]] = {
            "\\iftrue": lambda: True, "\\iffalse": lambda: False, "\\ifmmode": lambda: expander.math,
            "\\ifdefined": self._defined, "\\ifcsname": self._name_defined, "\\ifx": self._same_meaning,
            "\\if": self._same_character, "\\ifnum": lambda: self.compare(self.registers.number),
            "\\ifodd": lambda: None if (number := self.registers.number()) is None else number % 2 == 1,
            "\\ifdim": lambda: self.compare(self.registers.dimension),
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
        first, second = self._meaning(self.expander.piece()), self._meaning(self.expander.piece())
        return first == second or {first, second} <= {None, ("primitive", "\\relax")}

    def _same_character(self) -> bool:
        first, second = self.expander.piece(expanded=True), self.expander.piece(expanded=True)
        if first[:1] in "\\\0" and second[:1] in "\\\0":
            return True  # TeX compares characters alone
        return first == second

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

    def compare(self, read: Callable[[], float | None]) -> bool | None:
        """Whether a relation between two numbers or dimensions holds; None where it is not known."""
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
