"""The operands of a plain formula: which one a sign, a fraction or a name takes."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from porism.formula.plain.dialects import Dialect
from porism.formula.plain.frames import SCRIPT, Group, PlainFrame
from porism.formula.plain.pieces import Pieces
from porism.formula.tree import ParseProblem

_MAX_PROBLEMS = 100
_DIFFERENTIALS = frozenset("d∂")
F = TypeVar("F", bound=PlainFrame)


class PlainToken(NamedTuple):
    """One token: its kind is the name of a group of the pattern of its dialect."""

    kind: str
    text: str
    start: int
    end: int


class OperandReader(Generic[F]):
    """The state of one reading, and what becomes of an operand when the next token comes."""

    def __init__(self, source: str, dialect: Dialect, new_frame: type[F]) -> None:
        self.dialect = dialect
        self.pieces = Pieces()
        self.new_frame = new_frame
        self.frame = new_frame()
        self.outer: list[F] = []
        self.problems: list[ParseProblem] = []
        self.tokens = [
            PlainToken(match.lastgroup or "other", match.group(), match.start(), match.end())
            for match in dialect.pattern.finditer(source) if match.lastgroup != "space"
        ]
        self.tokens.append(PlainToken("end", "", len(source), len(source)))
        self.i = 0

    def problem(self, position: int, what: str) -> None:
        """Notes a part that cannot be read; the notes of one formula are limited."""
        if len(self.problems) < _MAX_PROBLEMS:
            self.problems.append(ParseProblem(position, what))

    def begin(self) -> None:
        """An operand begins."""
        frame = self.frame
        if frame.waiting:
            return
        frame.items += 1
        here = len(self.pieces.texts)
        division = frame.division
        if division is not None and division.denominator < 0:
            division.denominator = frame.operand = here
            frame.group, frame.extends = None, False
        elif frame.extends:
            frame.extends = False
        elif not self.continues():
            is_first = frame.operand < 0
            self.settle(is_multiplied=not is_first)
            frame.is_free = is_first and frame.is_loose
            frame.operand = len(self.pieces.texts)

    def continues(self) -> bool:
        """Whether the operand that begins goes on with what is before it: ``∂x`` does in ``∂²f/∂y∂x``."""
        division, token = self.frame.division, self.tokens[self.i]
        return (
            token.text == "∂" and division is not None and self.pieces.texts[division.denominator] == "∂"
            and self.tokens[self.i - 1].end == token.start
        )

    def finish(self, group: Group | None = None, *, is_named: bool = False) -> None:
        """An operand has been read, in the brackets ``group``: what waits for it takes it."""
        frame = self.frame
        while frame.waiting:
            waiting = frame.waiting[-1]
            waiting.remaining -= 1
            if waiting.remaining > 0:
                self.pieces.close(waiting.structure.separator)
                return
            frame.waiting.pop()
            self.pieces.close(waiting.structure.closing)
            group, is_named = None, False
            if waiting.base >= 0:
                self.pieces.swap(waiting.base, waiting.start)
                frame.group = None
                return
            if waiting.structure is SCRIPT and not frame.waiting:
                frame.group = None
                return
        frame.group = group if group is not None and group[0] == frame.operand else None
        frame.is_named = is_named

    def operand(self, text: str, start: int, end: int, *, is_named: bool = False) -> None:
        """Reads an operand of one token."""
        self.begin()
        self.pieces.add(text, start, end)
        self.finish(is_named=is_named)

    def missing(self) -> None:
        """Gives nothing to all that waits: what comes cannot be an operand."""
        waiting = self.frame.waiting
        if waiting:
            self.problem(self.tokens[self.i].start, "an operand is missing")
        while waiting:
            last = waiting.pop()
            for _ in range(last.remaining - 1):
                self.pieces.close(last.structure.separator)
            self.pieces.close(last.structure.closing)

    def end_arguments(self) -> None:
        """No more arguments come that are only side by side."""

    def settle(self, *, is_multiplied: bool) -> None:
        """Ends what the operand before may have been part of; ``is_multiplied`` by what comes."""
        self.end_arguments()
        frame, texts = self.frame, self.pieces.texts
        division, frame.division = frame.division, None
        frame.extends = False
        if division is None or division.denominator < 0:
            return
        is_derivation = texts[division.start] in _DIFFERENTIALS and texts[division.denominator] in _DIFFERENTIALS
        if not (self.dialect.always_divides or (division.is_free and (is_derivation or not is_multiplied))):
            frame.operand, frame.is_free = division.denominator, False
            return
        for group in (division.group, frame.group):
            if group is not None:
                texts[group[0]] = texts[group[1]] = ""
        self.pieces.put_before(division.start, "\\frac{")
        texts[division.sign], texts[division.sign + 1] = "}", "{"
        self.pieces.close("}")
        frame.operand, frame.is_free, frame.group = division.start, division.is_free, None

    def end_frame(self) -> None:
        """Ends what is still being read between two brackets."""
        self.missing()
        self.settle(is_multiplied=False)
