"""Pieces of the API as HTML: text escaped, matches in the colours of the parts of the question that they match.

Every part of it that comes from a document or a question is sanitized: text and tags here, formulas and drawings where
they are made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from porism.extras import need
from porism.serve.web.sanitizing import clean_text, element
from porism.serve.web.schema import FormulaView, PieceView, QueryPart
from porism.serve.web.urls import address, formula_search

MAX_FORMULAS = 2_000
"""Of a very long document further formulas are shown as lines of text."""


def safe(html: str) -> Any:
    """HTML that was made here, for templates not to escape it again."""
    return need("markupsafe", "web", "the pages").Markup(html)


def colour_of(part: int | None, parts: Sequence[QueryPart]) -> int:
    """The colour of a part of the question; that of words where the part is not known."""
    return parts[part].colour if part is not None and part < len(parts) else 0


def pieces_html(pieces: Sequence[PieceView], parts: Sequence[QueryPart] = ()) -> Any:
    """A title or a passage."""
    return safe("".join(_piece(piece, parts) for piece in pieces))


def plain_html(pieces: Sequence[PieceView]) -> Any:
    """The same without marks."""
    return safe("".join(
        element("span", piece.formula.mathml, **{"class": "f"}) if piece.formula else clean_text(piece.text)
        for piece in pieces
    ))


def _piece(piece: PieceView, parts: Sequence[QueryPart]) -> str:
    look, part = _look(piece, parts)
    if piece.formula is not None:
        return element(
            "span", piece.formula.mathml,
            **{"class": " ".join(["f", *look]), "data_latex": piece.formula.latex, "data_part": part},
        )
    if piece.match:
        return element("mark", clean_text(piece.text), **{"class": " ".join(look), "data_part": part})
    return clean_text(piece.text)


def _look(piece: PieceView, parts: Sequence[QueryPart]) -> tuple[list[str], str | None]:
    """The classes of a piece, and the number of the part that it matches, where it matches one."""
    if not piece.match:
        return [], None
    return ["hit", f"c{colour_of(piece.part, parts)}"], None if piece.part is None else str(piece.part)


class FormulaLinker:
    """Writes passages whose formulas are links to a search for them, numbered in reading order."""

    def __init__(
        self, parts: Sequence[QueryPart] = (), index: str = "", links: Mapping[int, Sequence[str]] | None = None
    ) -> None:
        """``links`` has for the number of a formula the names of the links that it belongs to."""
        self._parts, self._index, self._links = parts, index, links or {}
        self._number = -1

    def pieces(self, pieces: Sequence[PieceView]) -> Any:
        """One passage; formulas go on being numbered from those of the one before."""
        return safe("".join(self._one(piece) for piece in pieces))

    def _one(self, piece: PieceView) -> str:
        if piece.target is not None:
            href = address("/document", id=piece.target, index=self._index)
            return element("a", clean_text(piece.text), **{"class": "ref"}, href=href)
        if piece.formula is None:
            return _piece(piece, self._parts)
        self._number += 1
        if self._number >= MAX_FORMULAS:
            return clean_text(piece.text)
        look, part = _look(piece, self._parts)
        links = self._links.get(self._number, ())
        classes = ["f", "pick", *look]
        if links:
            classes.append("linked")
        if 'display="block"' in piece.formula.mathml[:90]:
            classes.append("block")
        return element(
            "a", piece.formula.mathml, **{"class": " ".join(classes)}, data_links=" ".join(links) or None,
            data_part=part, href=formula_search(piece.formula.latex, self._index), aria_label=piece.formula.text,
            data_latex=piece.formula.latex, data_text=piece.formula.text,
        )


def code_html(text: str) -> Any:
    """A description, what is between backticks as code."""
    shown = [
        f"<code>{clean_text(part)}</code>" if number % 2 else clean_text(part)
        for number, part in enumerate(text.replace("``", "`").split("`"))
    ]
    return safe("".join(shown))


def formula_html(formula: FormulaView) -> Any:
    """A formula by itself."""
    return safe(formula.mathml)
