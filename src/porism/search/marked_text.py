"""Text to be shown with the parts of it that match, as plain pieces: whoever shows them marks and escapes them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from porism.formula import LayoutTree, parse, to_latex, to_unicode
from porism.types import Content, Formula, Notation

FormulaStyle = Literal["unicode", "latex"]


_NOT_SHOWN = re.compile("[\u00ad\u200b\u2060-\u2064\ufeff]")
"""Characters inside words that show nothing: soft hyphens and spaces without width."""

_JOINERS = "\u200c\u200d"
"""Characters by which letters of some scripts are joined, or not."""


class Value:
    """What a search gives: a dataclass that can be written as JSON."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the fields that are shown and do not have their default, by name."""
        known = ((own, getattr(self, own.name)) for own in fields(self) if own.repr)  # type: ignore[arg-type]
        return {own.name: _plain(value) for own, value in known if value != own.default}


def _plain(value: Any) -> Any:
    """A field of a value JSON-ready."""
    if isinstance(value, Mapping):
        return {key: _plain(own) for key, own in value.items()}
    if isinstance(value, (tuple, list)):
        return [_plain(own) for own in value]
    if isinstance(value, Path):
        return str(value)
    return value.to_dict() if hasattr(value, "to_dict") else value


@dataclass(frozen=True, slots=True)
class Piece(Value):
    """A run of plain text or one formula (as it is to be shown), and whether it matches the query.

    ``written`` is the formula behind the text. ``answers`` is what of the query it matches, where that is known: the
    term of a word, or one of the query's formulas. Neither counts when pieces are compared.
    """

    text: str
    match: bool = False
    formula: bool = False
    written: Formula | None = field(default=None, compare=False, repr=False)
    answers: str | Formula | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage or a title as pieces, in order; ``str`` of it is its plain text."""

    pieces: tuple[Piece, ...]

    def marked(self, before: str, after: str) -> str:
        """One string with matches between ``before`` and ``after``; nothing is escaped, see :meth:`html` for pages."""
        return "".join(f"{before}{piece.text}{after}" if piece.match else piece.text for piece in self.pieces)

    def html(self) -> str:
        """The passage for a page: its text escaped, matches in ``<mark>``."""
        return "".join(
            f"<mark>{html.escape(piece.text)}</mark>" if piece.match else html.escape(piece.text)
            for piece in self.pieces
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the plain ``text``, and the ``pieces`` that it is made of."""
        return {"text": str(self), "pieces": [piece.to_dict() for piece in self.pieces]}

    def __str__(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def show_formula(formula: Formula, style: FormulaStyle) -> str:
    """A formula as readable text: one line of Unicode, or LaTeX between dollars."""
    if style == "unicode":
        return unicode_text(formula.source, formula.notation) or formula.source.strip()
    latex = to_latex(parse(formula)) if formula.notation == "mathml" else formula.source.strip()
    return f"${' '.join(latex.split())}$"


@lru_cache(16_384)
def unicode_text(source: str, notation: Notation) -> str:
    """A formula as one line of Unicode, empty where it has no symbol; remembered, as results often share formulas."""
    return to_unicode(layout_of(source, notation))


@lru_cache(1_024)
def layout_of(source: str, notation: Notation) -> LayoutTree:
    """The layout tree of a formula, remembered for a while: it is written in one notation after the other."""
    return parse(Formula(source, notation))


def show_content(content: Content, style: FormulaStyle) -> str:
    """Content on one line, formulas shown in ``style``; those in plain notations as they are written."""
    parts = content.with_terms_as_text().parts
    shown = (part if isinstance(part, str) else show_formula(part, style) for part in parts)
    return " ".join("".join(shown).split())


def tidy(pieces: Iterable[Piece] | Sequence[Piece]) -> tuple[Piece, ...]:
    """White space folded to single blanks, control characters gone, outer blanks removed."""
    tidied: list[Piece] = []
    blank = True
    for piece in pieces:
        text = piece.text
        if not text.isprintable():
            text = "".join(
                character if character.isprintable() or character in _JOINERS else " "
                for character in _NOT_SHOWN.sub("", text)
            )
        folded = " ".join(text.split())
        if text[:1].isspace() and not blank:
            folded = f" {folded}"
        if text[-1:].isspace() and folded.strip():
            folded += " "
        if folded:
            tidied.append(replace(piece, text=folded))
            blank = folded.endswith(" ")
    if tidied and tidied[-1].text.endswith(" "):
        last = tidied.pop()
        if last.text.strip():
            tidied.append(replace(last, text=last.text.rstrip()))
    return tuple(tidied)
