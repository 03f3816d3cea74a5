"""Characters that a project makes active: in formulas by ``\\mathcode``, anywhere by ``\\catcode``.

The codes of characters are kept as macros whose names no source can write, so that they end with their groups and are
part of what an update remembers.
"""

from __future__ import annotations

from porism.corpus.latex.conditions import Conditions
from porism.corpus.latex.macros import ACTIVE, ACTIVE_CODES, ProjectExpander
from porism.corpus.latex.skipping import skip_assignment, skip_equals
from porism.formula.macros.definition import Macro

_LOWER = "\\lccode "
_STRUCTURE = frozenset("\\{}$%#&^_~[]' \n")
"""Characters that keep their meaning: those of TeX's syntax, blanks, and the prime."""

_IN_FONTS = {
    1: {0x3A: ".", 0x3B: ",", 0x3C: "<", 0x3D: "/", 0x3E: ">"},
    2: {0x00: "-", 0x01: "\\cdot", 0x02: "\\times", 0x03: "*", 0x0E: "\\circ", 0x6A: "|", 0x6B: "\\|"},
}
"""Of TeX's families of italic letters and of symbols: the signs that authors name by number."""


def mathematical_character(number: int) -> str:
    """What ``\\mathchar`` prints for a number: class, family and place in a font; empty for other fonts."""
    family, place = number >> 8 & 15, number & 255
    if family == 0 or (family == 1 and chr(place).isalpha()):
        return chr(place) if place < 0x7F and chr(place).isprintable() else ""
    return _IN_FONTS.get(family, {}).get(place, "")


class ActiveCharacters:
    """Follows ``\\catcode``, ``\\mathcode`` and ``\\lccode``; installs itself in an expander."""

    def __init__(self, expander: ProjectExpander, conditions: Conditions) -> None:
        self.expander, self._conditions = expander, conditions
        self._names: set[str] = set()
        self._preamble_groups: list[dict[str, Macro]] = []
        expander.install({
            self._code: "catcode mathcode lccode", self._lowercase: "lowercase", self._symbol: "mathchardef",
        })

    def preamble_token(self, token: str) -> None:
        """Codes end with the braces of a preamble; definitions stay, as the brace may be of an unknown command."""
        macros = self.expander.macros
        if token == "{":
            self._preamble_groups.append({name: macros[name] for name in self._names if name in macros})
        elif token == "}" and self._preamble_groups:
            before = self._preamble_groups.pop()
            for name in self._names:
                macros.pop(name, None)
            macros.update(before)

    def _code(self, command: str) -> None:
        """``\\mathcode`\\!="8000`` and its like."""
        number = self._conditions.registers.number()
        if number is None:
            skip_assignment(self.expander, command[1:])
            return
        skip_equals(self.expander)
        value = self._conditions.registers.number()
        if value is None:
            skip_assignment(self.expander, "penalty")
        character = chr(number) if 0 < number < 0x110000 else ""
        file = self.expander.stream.file
        if command == "\\catcode" and character == "@":
            if file is not None:
                file.at_letter = value == 11
        elif command == "\\lccode":
            self._keep(_LOWER + character, value)
        elif character not in _STRUCTURE:
            if value == ACTIVE_CODES[command]:
                self.expander.shorthands.setdefault(character, Macro((), (ACTIVE + character,)))
            if character in self.expander.shorthands:
                self._keep(f"{command} {character}", value)

    def _keep(self, name: str, value: int | None) -> None:
        self._names.add(name)
        self.expander.define(name, Macro((), (str(value),)))

    def _symbol(self, command: str) -> None:
        """``\\mathchardef\\colon="303A``: of a character that has only a number in its font, the name is kept."""
        name = self.expander.defined_name()
        skip_equals(self.expander)
        number = self._conditions.registers.number()
        if number is None:
            skip_assignment(self.expander, "penalty")
        elif name is not None and name[0] == "\\" and mathematical_character(number):
            self.expander.define(name, Macro((), ("\\mathchar", f"{number} ")))

    def _lowercase(self, command: str) -> None:
        """``\\lccode`~=`! \\lowercase{…~…}`` is how an active ``!`` is written where ``!`` is an ordinary character."""
        taken: list[str] = []
        for token in self.expander.group() or []:
            if token[0] in "\\\0":
                taken.append(token)
            elif token == "~" and (code := self._lower_of("~")) is not None:
                taken.append(ACTIVE + code)
            else:
                taken.append("".join(self._lower_of(character) or character.lower() for character in token))
        self.expander.stream.push(taken)

    def _lower_of(self, character: str) -> str | None:
        macro = self.expander.macros.get(_LOWER + character)
        code = macro.fixed[0] if macro is not None else ""
        return chr(int(code)) if code.isdigit() and 0 < int(code) < 0x110000 else None
