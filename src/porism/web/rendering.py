"""Pieces of the API as HTML: text escaped, matches in the colours of the parts of the question that they match."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from porism.extras import need
from porism.web.schema import FormulaView, Piece, QueryPart
from porism.web.urls import formula_search

MOST_FORMULAS = 2_000
"""Of a very long document further formulas are shown as lines of text."""


def safe(html: str) -> Any:
    """HTML that was made here, for templates not to escape it again."""
    return need("markupsafe", "web", "the pages").Markup(html)


def colour_of(part: int | None, parts: Sequence[QueryPart]) -> int:
    """The colour of a part of the question; that of words where the part is not known."""
    return parts[part].colour if part is not None and part < len(parts) else 0


def pieces_html(pieces: Sequence[Piece], parts: Sequence[QueryPart] = ()) -> Any:
    """A title or a passage."""
    return safe("".join(_piece(piece, parts) for piece in pieces))


def plain_html(pieces: Sequence[Piece]) -> Any:
    """The same without marks."""
    shown = (f'<span class="f">{one.formula.mathml}</span>' if one.formula else escape(one.text) for one in pieces)
    return safe("".join(shown))


def _piece(piece: Piece, parts: Sequence[QueryPart]) -> str:
    if piece.formula is not None:
        return f"<span{_attributes(piece, parts, 'f')}>{piece.formula.mathml}</span>"
    if piece.match:
        return f"<mark{_attributes(piece, parts)}>{escape(piece.text)}</mark>"
    return escape(piece.text)


def _attributes(piece: Piece, parts: Sequence[QueryPart], kind: str = "") -> str:
    classes = kind
    if piece.match:
        classes = f"{kind} hit c{colour_of(piece.part, parts)}".strip()
    text = f' class="{classes}"' if classes else ""
    return text + (f' data-part="{piece.part}"' if piece.match and piece.part is not None else "")


class FormulaLinker:
    """Writes passages whose formulas are links to a search for them, numbered in reading order."""

    def __init__(
        self, parts: Sequence[QueryPart] = (), index: str = "", links: Mapping[int, Sequence[str]] | None = None
    ) -> None:
        """``links`` has for the number of a formula the names of the links that it belongs to."""
        self._parts, self._index, self._links = parts, index, links or {}
        self._number = -1

    def pieces(self, pieces: Sequence[Piece]) -> Any:
        """One passage; formulas go on being numbered from those of the one before."""
        return safe("".join(self._one(piece) for piece in pieces))

    def _one(self, piece: Piece) -> str:
        if piece.formula is None:
            return _piece(piece, self._parts)
        self._number += 1
        if self._number >= MOST_FORMULAS:
            return escape(piece.text)
        classes = ["f", "pick"]
        if piece.match:
            classes += ["hit", f"c{colour_of(piece.part, self._parts)}"]
        links = self._links.get(self._number, ())
        if links:
            classes.append("linked")
        if 'display="block"' in piece.formula.mathml[:90]:
            classes.append("block")
        data = f' data-links="{escape(" ".join(links))}"' if links else ""
        if piece.match and piece.part is not None:
            data += f' data-part="{piece.part}"'
        return (
            f'<a class="{" ".join(classes)}"{data} href="{escape(formula_search(piece.formula.latex, self._index))}" '
            f'aria-label="{escape(piece.formula.text)}" data-latex="{escape(piece.formula.latex)}" '
            f'data-text="{escape(piece.formula.text)}">'
            f"{piece.formula.mathml}</a>"
        )


def formula_html(formula: FormulaView) -> Any:
    """A formula by itself."""
    return safe(formula.mathml)
