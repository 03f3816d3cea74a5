"""Drawings of TikZ, pgfplots, PSTricks, Xy-pic and LaTeX's own: what in them is text."""

from __future__ import annotations

NODE_COMMANDS: dict[str, str] = {
    **dict.fromkeys(r"\node \put \makebox \framebox \txt \text \mbox \hbox \addlegendentry \legend".split(), ""),
    **dict.fromkeys(r"\rput \uput \cput \ncput \naput \nbput \psframebox \pscirclebox \psovalbox".split(), "g"),
    **dict.fromkeys(r"\multiput \dashbox \rnode \circlenode \ovalnode".split(), "m"),
}
"""Command whose last argument is text → the group before it: ``m``, or ``g`` where it may be missing.

Options, names and places, in brackets and parentheses, may come between them; after ``g`` a place or an option does.
"""

SHAPES = frozenset(r"\line \vector \circle \oval \qbezier \linethickness".split())
"""Commands of LaTeX's ``picture`` whose arguments are measures; with one of them, what is put somewhere is no text."""

TEXT_KEYS = frozenset(
    ("label", "pin", "edge label", "edge label'", "node contents", "title", "xlabel", "ylabel", "zlabel",
     "legend entries")
)
"""Options whose values are text."""
