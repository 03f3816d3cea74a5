"""How content is set without meaning more by it: boxes, strokes and colours, by command, by notation of MathML, and as
CSS."""

from __future__ import annotations

BOXED, FRAMED, FILLED = "boxed", "framed", "filled"
"""The kinds of style of a formula in a box, of text in one, and of text on a background."""
COLOURED = "coloured"
"""The kind of style of content in a colour, or on one, without room around it."""

STYLED: dict[str, tuple[str, str]] = {
    "boxed": ("", BOXED), "cancel": ("o", "struck-up"), "bcancel": ("o", "struck-down"),
    "xcancel": ("o", "struck-twice"), "sout": ("", "struck-across"),
}
"""Command with mathematics as its argument → its arguments before that, and the kind of style."""

STYLED_TEXTS: dict[str, str] = dict.fromkeys(("fbox", "framebox", "tcbox", "ovalbox", "shadowbox", "doublebox"), FRAMED)
"""Command of :data:`~porism.formula.tables.boxes.BOXES` → the kind of style of its text."""

NOTATIONS: dict[str, str] = {
    **dict.fromkeys(("box", "roundedbox", "circle"), BOXED), "updiagonalstrike": "struck-up",
    "downdiagonalstrike": "struck-down", "horizontalstrike": "struck-across",
}
"""Notation of ``<menclose>`` → the kind of style."""

PHANTOMS: dict[str, tuple[str, str]] = {
    "phantom": ("<mphantom>", "</mphantom>"),
    "hphantom": ('<mphantom><mpadded height="0" depth="0">', "</mpadded></mphantom>"),
    "vphantom": ('<mphantom><mpadded width="0">', "</mpadded></mphantom>"),
}
"""Command, and kind of style, that leaves room for what is not seen → what is around it in MathML."""
ROUNDHAND = "roundhand"
"""The kind of style of ``\\\\mathscr``, which has letters of another hand than ``\\\\mathcal``."""
COLUMN = "column"
"""The kind of style of scripts in a further column."""
ROUNDHAND_SELECTOR = "\ufe01"
"""Unicode's variation selector after a script letter for that hand."""


def _stroke(side: str) -> str:
    first, last = "calc(50% - .025em)", "calc(50% + .025em)"
    return f"linear-gradient(to {side}, transparent {first}, currentColor {first} {last}, transparent {last})"


_UP, _DOWN, _ACROSS = (_stroke(side) for side in ("bottom right", "top right", "bottom"))
_BEYOND = "padding: .15em .05em; margin: -.15em -.05em"
"""Slanted strokes reach beyond their content, which keeps its place."""
ENCLOSURES: dict[str, str] = {
    BOXED: "border: thin solid; padding: .3em", FRAMED: "border: thin solid; padding: .3em", FILLED: "padding: .3em",
    "struck-up": f"{_BEYOND}; background: {_UP}",
    "struck-down": f"{_BEYOND}; background: {_DOWN}", "struck-twice": f"{_BEYOND}; background: {_UP}, {_DOWN}",
    "struck-across": f"background: {_ACROSS}",
}
"""Kind of style that is drawn around or through content → its declarations in CSS; the kind is a class, too."""
