"""What a page shows, with the place of each mark: characters and straight horizontal rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

AXIS = 0.25
"""How far above the baseline fractions and large signs are centred, in em."""

Kind = Literal["char", "tall", "piece", "accent", "rule", "node"]


class Glyph(NamedTuple):
    """A character of a font.

    ``char`` is what it is in text and ``latex`` what it is in a formula. ``top`` and ``bottom`` are in em, relative to
    the baseline. ``is_math`` says that its font sets formulas alone. ``style`` is that of a text font (``rm``, ``it``,
    ``bf``, ``bi``, ``sf``, ``tt``), empty for glyphs of mathematical fonts.
    """

    char: str
    latex: str
    kind: Kind = "char"
    width: float = 0.5
    top: float = 0.7
    bottom: float = -0.22
    is_math: bool = False
    style: str = ""
    reach: float = 0.0
    """How far it goes beyond its width, in em."""


class Mark:
    """A glyph at its place, a rule, or a part of a formula that is composed already.

    ``y`` is its baseline, and ``axis`` what fractions and fences are centred on where it is known.
    """

    __slots__ = (
        "axis", "bottom", "char", "font", "is_math", "kind", "latex", "parts", "size", "style", "top", "x0", "x1", "y",
    )

    def __init__(
        self, char: str, latex: str, kind: Kind, x0: float, x1: float, y: float, size: float, top: float,
        bottom: float, font: str = "", style: str = "", is_math: bool = False,
    ) -> None:
        self.char, self.latex, self.kind = char, latex, kind
        self.x0, self.x1, self.y, self.size = x0, x1, y, size
        self.top, self.bottom = top, bottom
        self.font, self.style, self.is_math = font, style, is_math
        self.axis: float | None = None
        self.parts: Sequence[Mark] = ()

    @property
    def centre(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def middle(self) -> float:
        return (self.top + self.bottom) / 2

    def __repr__(self) -> str:
        return f"<{self.latex or self.kind} {self.x0:.1f}-{self.x1:.1f} y={self.y:.1f} s={self.size:.1f}>"


Box = tuple[float, float, float, float]
"""Left, bottom, right and top, in points from the lower left corner of the page."""


def box_of(marks: list[Mark]) -> Box:
    """The smallest box around marks."""
    return (
        min(mark.x0 for mark in marks), min(mark.bottom for mark in marks),
        max(mark.x1 for mark in marks), max(mark.top for mark in marks),
    )


def composed(latex: str, marks: list[Mark], y: float, size: float) -> Mark:
    """A part of a formula made of these marks."""
    left, bottom, right, top = box_of(marks)
    mark = Mark("", latex, "node", left, right, y, size, top, bottom)
    mark.is_math = True
    mark.parts = marks
    return mark
