"""What is read of a page: lines of text with formulas in place. They also go from one process to another as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from porism.corpus.pdf.marks import Box, Mark


@dataclass(slots=True)
class FoundFormula:
    """A formula of a page: LaTeX, whether it is displayed, its page (from 1) and its box in points.

    ``goes_on`` says that an operator at its end leaves it open, ``begins_line`` that nothing is before it in its line.
    """

    latex: str
    is_display: bool
    page: int
    box: Box
    marks: list[Mark] = field(repr=False, default_factory=list)
    goes_on: bool = False
    begins_line: bool = False
    rows: int = 1

    @property
    def place(self) -> str:
        """Its page and box, as the fragment of an address: ``page=12&rect=72.0,500.1,200.3,520.2``."""
        return f"page={self.page}&rect={','.join(f'{value:.1f}' for value in self.box)}"


Part = str | FoundFormula


@dataclass(slots=True)
class TextLine:
    """A line of a page: its parts, its place, and what tells paragraphs and headings apart.

    ``left`` and ``right`` are the margins of its column; ``style`` is the font of most of its letters and
    ``first_style`` that of the first one.
    """

    parts: list[Part]
    page: int
    x0: float
    x1: float
    y: float
    top: float
    bottom: float
    size: float
    left: float
    right: float
    style: str
    first_style: str
    is_display: bool = False

    @property
    def text(self) -> str:
        """The line with formulas as their LaTeX."""
        return "".join(part if isinstance(part, str) else f"${part.latex}$" for part in self.parts)

    def to_json(self) -> dict[str, Any]:
        """As a value that JSON can write."""
        return {
            "parts": [
                part if isinstance(part, str) else [part.latex, part.is_display, list(part.box)] for part in self.parts
            ],
            "at": [self.x0, self.x1, self.y, self.top, self.bottom, self.size, self.left, self.right],
            "styles": [self.style, self.first_style], "display": self.is_display,
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any], page: int) -> TextLine:
        """What :meth:`to_json` gave.

        :raises ValueError, TypeError, KeyError: it is something else.
        """
        parts: list[Part] = []
        for part in value["parts"]:
            if isinstance(part, str):
                parts.append(part)
            else:
                latex, is_display, (left, bottom, right, top) = part
                box = (float(left), float(bottom), float(right), float(top))
                parts.append(FoundFormula(str(latex), bool(is_display), page, box))
        x0, x1, y, top, bottom, size, left, right = map(float, value["at"])
        style, first_style = map(str, value["styles"])
        return cls(parts, page, x0, x1, y, top, bottom, size, left, right, style, first_style, bool(value["display"]))


@dataclass(slots=True)
class PageText:
    """The lines of a page; ``images`` counts its pictures, and ``height`` is in points."""

    number: int
    label: str
    height: float
    images: int
    lines: list[TextLine]
    is_cut: bool = False

    def to_json(self) -> dict[str, Any]:
        """As a value that JSON can write."""
        return {
            "page": self.number, "label": self.label, "height": self.height, "images": self.images, "cut": self.is_cut,
            "lines": [line.to_json() for line in self.lines],
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> PageText:
        """What :meth:`to_json` gave.

        :raises ValueError, TypeError, KeyError: it is something else.
        """
        number = int(value["page"])
        lines = [TextLine.from_json(line, number) for line in value["lines"]]
        return cls(
            number, str(value["label"]), float(value["height"]), int(value["images"]), lines, bool(value["cut"])
        )
