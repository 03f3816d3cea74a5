"""Documents to be read, as the API gives them: with what is around them, and beside another one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from porism.serve.web.schema import FormulaView, HitView, Model, PieceView, PlaceView, QueryPart


class Paragraph(Model):
    """Text with formulas in place."""

    pieces: tuple[PieceView, ...]


class Section(Model):
    """One field of a document."""

    name: str
    paragraphs: tuple[Paragraph, ...]


class DocumentView(Model):
    """A document to be read."""

    index: str
    generation: int
    id: str
    title: tuple[PieceView, ...]
    sections: tuple[Section, ...]
    place: PlaceView
    metadata: dict[str, str | tuple[str, ...]] = Field(default={})
    parts: tuple[QueryPart, ...] = ()
    formulas: int = 0
    bibtex: str = Field(default="", description="An entry of BibTeX to cite it by.")
    pages: tuple[int, ...] = Field(default=(), description="Of a PDF the pages that it is on.")


class Similar(Model):
    """Documents like one of the index."""

    index: str
    generation: int
    id: str
    hits: tuple[HitView, ...]
    seconds: float


class RelatedDocumentView(Model):
    """A document that another is related to."""

    id: str
    title: str
    place: PlaceView


class RelatedView(Model):
    """The first of some related documents, and how many there are: at least so many where not all are counted."""

    documents: tuple[RelatedDocumentView, ...] = ()
    count: int = 0
    complete: bool = True


class OutlineEntryView(Model):
    """A heading or a document among the contents of a file: the document that begins there, and its depth."""

    id: str
    title: str
    kind: str = ""
    level: int = 0
    is_heading: bool = False
    is_current: bool = False


class OutlineView(Model):
    """The contents of the file of a document, or its question with the answers: entries around the document."""

    entries: tuple[OutlineEntryView, ...] = ()
    previous: OutlineEntryView | None = None
    next: OutlineEntryView | None = None
    count: int = Field(default=0, description="How many documents the file or the question has.")


class SharingView(Model):
    """A document with formulas of another one: how many, and the most telling of them."""

    id: str
    title: tuple[PieceView, ...]
    formulas: tuple[FormulaView, ...]
    count: int


class RelationsView(Model):
    """What a document is related to: the declarations that its statement and its proof or value name, and those that
    name it. Counterparts are declarations for a document in words, and the other way round. Linked are the posts to
    which those of its question link."""

    index: str
    generation: int
    id: str
    statement_uses: RelatedView
    proof_uses: RelatedView
    used_by: RelatedView
    counterparts: RelatedView
    linked: RelatedView = RelatedView()
    outline: OutlineView = OutlineView()
    same_formulas: tuple[SharingView, ...] = ()


class Link(Model):
    """Formulas of two documents that correspond: their numbers among the formulas of either, in reading order.

    Those of the kinds ``other bounds`` and ``part`` share the sum or integral, or the subexpression ``part``.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    kind: Literal["same", "renamed", "equal value", "other bounds", "similar", "part"]
    share: float
    part: FormulaView | None = None


class ComparisonView(Model):
    """Two documents, and what they have in common."""

    index: str
    generation: int
    left: DocumentView
    right: DocumentView
    links: tuple[Link, ...]
    words: tuple[str, ...] = Field(default=(), description="Words of both, the most telling first.")
    partial: bool = False
