"""The colours that attributes of MathML give to an element."""

from __future__ import annotations

from porism.formula.colours import colour_value
from porism.formula.layout import set_style
from porism.formula.mathml.tokens import attributes_of
from porism.formula.tables.styles import COLOURED
from porism.formula.tree import Row


def set_colours(row: Row, attributes: str) -> None:
    """Puts the row of an element into the colours of its attributes."""
    if "mathcolor" in attributes or "mathbackground" in attributes:
        colour, background = colours_of(attributes)
        if colour or background:
            set_style(row, COLOURED, colour, background)


def colours_of(attributes: str) -> tuple[str, str]:
    """The values of ``mathcolor`` and ``mathbackground``; those that are not valid colours are empty."""
    values = attributes_of(attributes)
    return colour_value(values.get("mathcolor", "")), colour_value(values.get("mathbackground", ""))
