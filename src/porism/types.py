"""The immutable values that the layers hand each other: formulas, content, documents and queries."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Literal, Protocol

MarkupNotation = Literal["latex", "mathml"]
PlainNotation = Literal["unicode", "asciimath", "typst", "lean", "spoken"]
"""Notations without markup: such a formula is text as well."""
Notation = MarkupNotation | PlainNotation
Metadata = Mapping[str, str | tuple[str, ...]]

DECLARES, MENTIONS, CITES = "declares", "mentions", "cites"
"""Metadata keys of formal texts: the full name of what a document declares, the names that its statement mentions as
they are written there, and the others that its proof or value does."""
LINKS = "links"
"""Metadata key of notes and pages: what their links lead to, each as ``note#heading|shown``."""
NAMES = frozenset((DECLARES, MENTIONS, CITES, LINKS))
"""They are no filters, and are not shown with a document."""

PLACEHOLDER = "\ufffc"
"""Stands in ``Content.text`` where a formula is (U+FFFC, OBJECT REPLACEMENT CHARACTER)."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula as it was written.

    ``source`` is LaTeX without its delimiters, a ``<math>`` element, or the text of a formula in a plain notation.
    ``id`` names this occurrence and ``visual_id`` all occurrences that look the same (ARQMath); both are None where the
    collection gives none.
    """

    source: str
    notation: Notation = "latex"
    id: str | None = None
    visual_id: str | None = None
    display: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether the source is in a plain notation, and so text as well."""
        return self.notation not in ("latex", "mathml")


@dataclass(frozen=True, slots=True)
class Content:
    """Text with formulas in place: the n-th ``PLACEHOLDER`` in ``text`` stands for ``formulas[n]``.

    ``lines`` says where the text is in its file, as pairs of a character and a number of lines. These are the lines
    between the first line of the document and that of the character; from there each line end of the text is one of the
    file. It is empty where that is not known, and nothing else depends on it.
    """

    text: str
    formulas: tuple[Formula, ...] = ()
    lines: tuple[tuple[int, int], ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        if self.text.count(PLACEHOLDER) != len(self.formulas):
            raise ValueError(f"text has {self.text.count(PLACEHOLDER)} placeholders for {len(self.formulas)} formulas")

    @classmethod
    def of(cls, *parts: str | Formula) -> Content:
        """Joins strings and formulas; a placeholder character inside a string becomes a space."""
        formulas = tuple(part for part in parts if isinstance(part, Formula))
        text = "".join(PLACEHOLDER if isinstance(part, Formula) else part.replace(PLACEHOLDER, " ") for part in parts)
        return cls(text, formulas)

    @property
    def parts(self) -> Iterator[str | Formula]:
        """The non-empty strings and the formulas, in order."""
        pieces = self.text.split(PLACEHOLDER)
        for number, piece in enumerate(pieces):
            if piece:
                yield piece
            if number < len(self.formulas):
                yield self.formulas[number]

    def to_latex(self) -> str:
        """The content as one string, formulas between dollars (``<math>`` elements and plain notations as they are)."""
        return "".join(
            part if isinstance(part, str) else part.source if part.notation != "latex"
            else f"$${part.source}$$" if part.display else f"${part.source}$"
            for part in self.parts
        )

    def with_terms_as_text(self) -> Content:
        """The content with formulas in plain notations as text: so they are read, and searched by their words."""
        if not any(formula.is_plain for formula in self.formulas):
            return self
        pieces = self.text.split(PLACEHOLDER)
        parts = [pieces[0]]
        length = kept = len(pieces[0])
        moved = [(0, 0)]  # from which character on how far
        for formula, piece in zip(self.formulas, pieces[1:], strict=True):
            is_term = formula.is_plain
            parts += (formula.source if is_term else PLACEHOLDER, piece)
            length += 1 + len(piece)
            kept += (len(formula.source) if is_term else 1) + len(piece)
            moved.append((length - len(piece), kept - length))
        return Content(
            "".join(parts), tuple(formula for formula in self.formulas if not formula.is_plain),
            tuple(
                (character + moved[bisect_right(moved, character, key=itemgetter(0)) - 1][1], line)
                for character, line in self.lines
            ),
        )

    def line_of(self, character: int) -> int:
        """How many lines after the first line of the document a character is; 0 where that is not known."""
        number = bisect_right(self.lines, character, key=itemgetter(0))
        if not number:
            return 0
        start, line = self.lines[number - 1]
        return line + self.text.count("\n", start, character)

    def character_of(self, formula: int) -> int:
        """The character that stands for the formula of this number."""
        character = -1
        for _ in range(formula + 1):
            character = self.text.index(PLACEHOLDER, character + 1)
        return character

    def __bool__(self) -> bool:
        return bool(self.formulas) or bool(self.text.strip())


@dataclass(frozen=True, slots=True)
class Document:
    """The retrieval unit: named fields of content (``title``, ``body``, ``question``, ``tags``…) and metadata."""

    id: str
    fields: Mapping[str, Content]
    metadata: Metadata = field(default_factory=dict)

    def with_terms_as_text(self) -> Document:
        """The document with formulas in plain notations as text, as it is shown."""
        fields = {name: content.with_terms_as_text() for name, content in self.fields.items()}
        return self if all(fields[name] is self.fields[name] for name in fields) else replace(self, fields=fields)

    @property
    def title(self) -> Content:
        """The field ``title``, empty where the document has none."""
        return self.fields.get("title", Content(""))


class Documents(Protocol):
    """Documents by id, wherever they are stored: what rerankers and training read."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Document]:
        """All documents."""

    def get(self, ids: Sequence[str]) -> list[Document]:
        """The documents with these ids, in their order.

        :raises QueryError: there is no such document.
        """


@dataclass(frozen=True, slots=True)
class Query:
    """A query: an id and named fields of content.

    An ad-hoc query has the one field ``query``; an ARQMath topic has ``title``, ``question`` and ``tags``, and a
    formula topic also ``formula``, which contains the one query formula.
    """

    id: str
    fields: Mapping[str, Content]
    metadata: Metadata = field(default_factory=dict)

    @property
    def content(self) -> Content:
        """All fields in one content, in their order, separated by a blank line."""
        parts: list[str | Formula] = []
        for content in self.fields.values():
            if parts:
                parts.append("\n\n")
            parts.extend(content.parts)
        return Content.of(*parts)
