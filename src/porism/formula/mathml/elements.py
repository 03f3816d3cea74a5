"""Open elements of MathML, and what finished ones hand to their parents."""

from __future__ import annotations

from typing import NamedTuple

from porism.formula.mathml.tokens import attributes_of
from porism.formula.tree import Row
from porism.formula.words import TextRun


class Child(NamedTuple):
    """The row that a child element makes, and the space in mu that it stands for.

    ``precedence`` counts in Content MathML only.
    """

    name: str
    row: Row
    precedence: int = 99
    cells: tuple[tuple[Row, str], ...] = ()
    parts: tuple[Row, ...] = ()
    space: int = 0
    space_after: int = 0
    """The space at its end, in mu."""
    side: str = ""
    """On which side of an inference it stands as its name; its row is the first of ``parts``."""
    is_operator: bool = False
    """Whether it is TeX's operator (``\\mathop``) for MathJax, or struck by an arrow: scripts are over and under it."""
    run: TextRun | None = None
    """Its words, where it is text and nothing else."""
    is_beside: bool = False
    """Whether MathJax sets it beside the lines of a display, in one cell of the first."""
    belongs_before: bool = False
    """Whether these are scripts of something invisible, or a stroke, which belong to what is before them."""


class Element:
    """An open element: its name, raw attributes, offset, and its content so far."""

    __slots__ = ("attributes", "children", "has_phantom", "name", "start", "text")

    def __init__(self, name: str, attributes: str, start: int) -> None:
        self.name = name
        self.attributes = attributes
        self.start = start
        self.children: list[Child] = []
        self.text: list[str] = []
        self.has_phantom = False
        """Whether what is in it is there, but not seen."""


def is_operator(attributes: str) -> bool:
    """Whether MathJax marks an element as TeX's operator."""
    return "OP" in attributes and attributes_of(attributes).get("data-mjx-texclass") == "OP"
