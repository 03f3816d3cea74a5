"""TeX's registers of numbers and dimensions: what a project assigns to them, and values that are read from them.

A variable that a project declares is a register with a number: ``\\newcount\\n`` makes ``\\n`` mean ``\\count256``. The
value of a register is kept as a macro under a name that no source can write, so that groups and updates treat it as all
macros.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from typing import TypeVar

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.skipping import skip_assignment, skip_by, skip_equals, skip_stretches, skip_value
from porism.formula.macros.definition import Macro
from porism.formula.macros.tokens import PAR

NUMBERS = {
    "\\z@": 0, "\\@ne": 1, "\\tw@": 2, "\\thr@@": 3, "\\m@ne": -1, "\\pdfoutput": 1, "\\pdftexversion": 140,
    "\\eTeXversion": 2, "\\active": 13,
    **dict(zip(("\\year", "\\month", "\\day"), date.today().timetuple()[:3], strict=True)),
}  # fmt: skip
"""Numbers that TeX, LaTeX or pdfTeX, whose part is taken, has under a name; the date is that of the reading, as in
TeX."""

SCALED_POINTS = {
    "pt": 65_536, "in": 4_736_286.72, "cm": 1_864_679.811, "mm": 186_467.981_1, "bp": 65_781.76, "pc": 786_432,
    "dd": 70_124.086_43, "cc": 841_489.037_16, "sp": 1, "em": 655_361, "ex": 282_168,
}  # fmt: skip
"""Unit → how many scaled points it is; of ``em`` and ``ex`` what they are in TeX's own font."""

FIRST_FREE = 256
"""Registers below this number are TeX's and LaTeX's own."""
MAX_VALUE = 2**31 - 1

_KINDS = {"newcount": "\\count", "newdimen": "\\dimen", "newskip": "\\skip", "newlength": "\\skip"}
"""What declares a variable → the kind of its register."""
_OF_STYLE = " of a style"
"""After the name of a register: the macro that says that a class or style file has declared it."""
_QUANTITIES = frozenset(["\\count", "\\dimen", "\\skip", "\\numexpr", "\\dimexpr"])
_DIGITS = re.compile(r"\d+")
_OTHER_BASE = re.compile(r"\"([0-9A-F]{1,8})|'([0-7]{1,10})")
_DIMENSION = re.compile(rf"\s*(\d+\.?\d*|\.\d+)\s*(?:true\s*)?({'|'.join(SCALED_POINTS)})\s?")
_FACTOR = re.compile(r"\s*(\d+\.?\d*|\.\d+)\s*\Z")
_SIGN = re.compile(r"[\s+]*(-?)")
_OPERATOR = re.compile(r"\s*([-+*/)])")
_PARENTHESIS = re.compile(r"\s*\(")


_T = TypeVar("_T")


class Registers:
    """Carries out assignments to registers and reads numbers and dimensions; installs itself in an expander."""

    def __init__(self, expander: ProjectExpander) -> None:
        self.expander = expander
        self._depends_on_style = False
        """Whether the last value that was not known is that of a variable of a class or style."""
        expander.install({
            self._declare: " ".join(_KINDS), self._assign: "count dimen skip", self._change: "advance multiply divide",
            self._print: "the number", self._set_length: "setlength addtolength",
        })
        expander.expandable.update(["\\the", "\\number"])

    def _declare(self, command: str) -> None:
        """``\\newcount\\n``: the next free register gets this name."""
        kind = _KINDS[command[1:]]
        name = self.expander.control_word()
        if name is not None:
            number = (self._value(f"{kind} last") or FIRST_FREE - 1) + 1
            self._put(f"{kind} last", number, everywhere=True)
            self._put(f"{kind} {number}", 0, everywhere=True)
            if self.expander.in_class:
                self.expander.define(f"{kind} {number}{_OF_STYLE}", Macro((), ()), everywhere=True)
            self.expander.define(name, Macro((), (kind, f"{number} ")), everywhere=True)

    def _value(self, register: str) -> int | None:
        macro = self.expander.macro_of(register)
        text = macro.fixed[0] if macro is not None and macro.fixed else ""
        if text.lstrip("-").isdecimal():
            return int(text)
        self._depends_on_style = register + _OF_STYLE in self.expander.macros
        return None

    def _put(self, register: str, value: float | None, *, everywhere: bool = False) -> None:
        """Gives a register its value; without one, it is unknown from here on. Counters of LaTeX are global."""
        text = "?" if value is None or abs(value) > MAX_VALUE else str(int(value))
        self.expander.define(register, Macro((), (text,)), everywhere=everywhere or register.startswith("\\c@"))

    def _register(self) -> str | None:
        """The register that follows: ``\\count1``, a variable of the project, ``\\c@page``; None, and nothing read,
        for anything else."""
        token = self.expander.skip_spaces()
        if token is not None and token in ("\\count", "\\dimen", "\\skip"):
            number = self.number()
            return None if number is None else f"{token} {number}"
        macro = self.expander.macro_of(token) if token is not None and token[0] == "\\" else None
        if token is not None and macro is not None:
            if token.startswith("\\c@") and self._value(token) is not None:
                return token
            if not macro.arguments and macro.body and self.expander.expand(token, macro):
                return self._register()
        self.expander.stream.push([token] if token is not None else [])
        return None

    def _assign(self, command: str) -> None:
        """``\\count1=2``, which a variable of the project means, too."""
        number = self.number()
        if number is None:
            skip_assignment(self.expander, command[1:])
            return
        skip_equals(self.expander)
        self._take(f"{command} {number}")

    def _take(self, register: str) -> None:
        """Assigns the value that follows."""
        is_length = register[1] in "ds"
        self._put(register, self._amount(is_length=is_length))

    def _amount(self, *, is_length: bool) -> float | None:
        """The value that follows; one that is not known is passed over."""
        value = self.dimension() if is_length else self.number()
        if value is None:
            skip_value(self.expander, is_length=is_length)
        elif is_length:
            skip_stretches(self.expander)
        return value

    def _change(self, command: str) -> None:
        """``\\advance\\n by 1``, ``\\multiply\\n by 2``, ``\\divide\\n by 2``."""
        register = self._register()
        if register is None:
            skip_assignment(self.expander, command[1:])
            return
        skip_by(self.expander)
        is_length = command == "\\advance" and register[1] in "ds"
        amount = self._amount(is_length=is_length)
        before = self._value(register)
        if before is None or amount is None:
            self._put(register, None)
        elif command == "\\divide":
            self._put(register, int(before / amount) if amount else None)
        else:
            self._put(register, before + amount if command == "\\advance" else before * amount)

    def _set_length(self, command: str) -> None:
        """``\\setlength{\\gap}{3pt}``; LaTeX's own lengths only say how a page looks."""
        target, amount = self.expander.group() or [], self.expander.group() or []
        register = self.read(target, self._register)
        if register is None or register[1] not in "ds":
            return
        value = self.read(amount, self._whole_dimension)
        before = self._value(register) if command == "\\addtolength" else 0
        self._put(register, None if value is None or before is None else value + before)

    def _whole_dimension(self) -> float | None:
        value = self.dimension()
        skip_stretches(self.expander)
        return value if self.expander.skip_spaces() is None else None

    def unknown(self, message: str) -> None:
        """Reports, once, what cannot be computed, but for what styles compute, which are sizes of pages and boxes."""
        reported = f"{message}, reported"
        is_of_style, self._depends_on_style = self._depends_on_style or self.expander.in_class, False
        if not is_of_style and reported not in self.expander.macros:
            self.expander.define(reported, Macro((), ()), everywhere=True)
            self.expander.report(message)

    def read(self, tokens: list[str], reader: Callable[[], _T]) -> _T:
        """What a function reads from these tokens alone."""
        frames = self.expander.stream.swap(tokens)
        try:
            return reader()
        finally:
            self.expander.stream.restore(frames)

    def _print(self, command: str) -> None:
        """``\\the\\n``, ``\\number\\n``: the value, in digits; of what has none that is known, the command stays."""
        reader = self.expander
        token = reader.next_expanded()
        reader.stream.push([token] if token is not None else [])
        is_length = token in ("\\dimen", "\\skip", "\\dimexpr") and command == "\\the"
        value = self.dimension() if is_length else self.number()
        if value is not None:
            reader.stream.push([_points(int(value)) if is_length else str(int(value))])
        else:
            self.unknown(f"the value of {token} cannot be computed")
            reader.stream.push(["\0\\the"] if command == "\\the" and token not in _QUANTITIES else [])

    def number(self) -> int | None:
        """The number that follows; None where it is not known. What is not a number stays unread."""
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
            if rest[:1] == "`" and (character := rest[1:] or self.expander.piece()):
                self.expander.stream.push([character[1:]] if rest[1:] else [])
                return sign * ord(character[0] if rest[1:] else character[-1])
            if rest in NUMBERS:
                return sign * NUMBERS[rest]
            if rest in _QUANTITIES:
                value = self._quantity(rest, self.number if rest == "\\numexpr" else self.dimension)
                return None if value is None else sign * int(value)
            if rest:
                self.expander.stream.push([rest])
                return None
        return None

    def dimension(self) -> float | None:
        """The dimension that follows, in scaled points; None where it is not known. What is not one stays unread."""
        token = self.expander.next_expanded()
        if token is None:
            return None
        match = _SIGN.match(token)
        sign, rest = (-1 if match[1] else 1, token[match.end() :]) if match is not None else (1, token)
        if match is not None and not rest and token.strip():
            value = self.dimension()
            return None if value is None else sign * value
        if not rest:
            return self.dimension()
        if measure := _DIMENSION.match(rest):
            self.expander.stream.push([rest[measure.end() :]] if rest[measure.end() :] else [])
            return sign * int(float(measure[1]) * SCALED_POINTS[measure[2]])
        if factor := _FACTOR.match(rest):
            value = self.dimension()
            return None if value is None else sign * float(factor[1]) * value
        if rest in ("\\dimen", "\\skip", "\\dimexpr"):
            value = self._quantity(rest, self.dimension)
            return None if value is None else sign * value
        if rest == "\\z@":
            return 0
        if rest == "\\p@":
            return sign * SCALED_POINTS["pt"]
        self.expander.stream.push([token])
        return None

    def _quantity(self, command: str, operand: Callable[[], float | None]) -> float | None:
        """The value of a register or an expression, whose command has been read."""
        if command.endswith("expr"):
            value = self.expression(operand)
            token = self.expander.next_expanded()
            if token is not None and token != "\\relax":
                self.expander.stream.push([token.lstrip()] if token.isspace() else [token])
            return value
        number = self.number()
        return None if number is None else self._value(f"{command} {number}")

    def expression(self, operand: Callable[[], float | None]) -> float | None:
        """A sum of products, as e-TeX's ``\\numexpr`` computes it; None where an operand is not known."""
        total: float | None = 0
        operator = "+"
        while True:
            term = self._product(operand)
            if term is None or total is None:
                total = None
            else:
                total += term if operator == "+" else -term
            following = self._operator("+-")
            if not following:
                return total
            operator = following

    def _product(self, operand: Callable[[], float | None]) -> float | None:
        value = self._factor(operand)
        while operator := self._operator("*/"):
            factor = self._factor(self.number)
            if value is not None and factor is not None:
                value = value * factor if operator == "*" else _rounded_quotient(value, factor)
            else:
                value = None
        return value

    def _factor(self, operand: Callable[[], float | None]) -> float | None:
        token = self.expander.next_expanded()
        while token is not None and token.isspace() and token != PAR:
            token = self.expander.next_expanded()
        match = _PARENTHESIS.match(token or "")
        self.expander.stream.push([(token or "")[match.end() :] if match else token] if token else [])
        if match is None:
            return operand()
        value = self.expression(operand)
        self._operator(")")
        return value

    def _operator(self, wanted: str) -> str:
        """The operator that follows, where it is one of these."""
        token = self.expander.next_expanded()
        while token is not None and token.isspace() and token != PAR:
            token = self.expander.next_expanded()
        match = _OPERATOR.match(token or "")
        if match is None or match[1] not in wanted:
            self.expander.stream.push([token] if token is not None else [])
            return ""
        self.expander.stream.push([(token or "")[match.end() :]])
        return match[1]


def _rounded_quotient(value: float, divisor: float) -> float | None:
    """e-TeX's ``/``, which rounds halves away from zero."""
    if not divisor:
        return None
    quotient = abs(value / divisor)
    return int(quotient + 0.5) * (1 if (value < 0) == (divisor < 0) else -1)


def _points(scaled: int) -> str:
    """A dimension as TeX prints it: ``3.0pt``, with as many digits as tell it from its neighbours."""
    whole, fraction = divmod(abs(scaled), 65_536)
    digits, rest, delta = "", 10 * fraction + 5, 10
    while True:  # The TeXbook's program, part 103
        if delta > 65_536:
            rest += 32_768 - 50_000
        digits += str(rest // 65_536)
        rest = 10 * (rest % 65_536)
        delta *= 10
        if rest <= delta:
            break
    return f"{'-' if scaled < 0 else ''}{whole}.{digits}pt"
