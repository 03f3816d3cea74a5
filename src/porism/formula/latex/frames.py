"""What the stack machine of the parser goes back to: groups, arguments and environments that are open."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from porism.formula.tree import Row

TOP, GROUP, LEFT, ARGUMENT, OPTION, COMMAND, CELLS, ROOT, TEXT = range(9)
"""What is open: one each of :attr:`LatexFrame.kind`."""

Build = Callable[[Any, "LatexFrame", int], None]
"""Builds the node of a command from its arguments: of the machine, the frame, and where the command ends."""


class LatexFrame:
    """What to go back to when a group, an argument or an environment ends."""

    __slots__ = (
        "arguments", "awaiting", "base", "build", "closer", "fences", "font", "infix", "inner_font", "kind", "line",
        "lines", "payload", "row", "start", "wanted",
    )
    arguments: list[Row]
    wanted: int
    build: Build
    closer: str
    fences: str
    inner_font: str
    line: list[Row]
    lines: list[list[Row]]

    def __init__(
        self, kind: int, row: Row, base: int, font: str, infix: Infix | None, awaiting: bool, start: int
    ) -> None:
        self.kind = kind
        self.row = row
        self.base = base
        self.font = font
        self.infix = infix
        self.awaiting = awaiting
        self.start = start
        self.payload: Any = ()


class Infix:
    """A ``\\over`` or ``\\choose`` that has its left side and collects the right one."""

    __slots__ = ("end", "fences", "label", "numerator", "space", "start")

    def __init__(self, label: str, fences: tuple[str, str], numerator: Row, start: int, end: int) -> None:
        self.label = label
        self.fences = fences
        self.numerator = numerator
        self.space = 0
        self.start = start
        self.end = end
