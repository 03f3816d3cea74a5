"""Answers of a search: what is shown of the documents that were found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from porism.explanation import Explanation
from porism.formula import parse, to_latex, to_mathml, to_unicode
from porism.index.sources import Source
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.formula_occurrences import Place
from porism.search.grouping import Group
from porism.search.highlighting import MarkedMatch
from porism.search.locations import Location
from porism.search.marked_text import Piece, Snippet, Value
from porism.search.printable import one_printable_line
from porism.search.reasons import Reasons
from porism.search.snippets import FormulaStyle, SnippetMaker
from porism.types import NAMES, Content, Document, Formula, Metadata


@dataclass(frozen=True, slots=True)
class MissingIndex(Value):
    """An index that has no part in an answer, or not in all of it, and why."""

    name: str
    reason: str

    def __str__(self) -> str:
        return f"{self.name} is missing: {self.reason}"


@dataclass(frozen=True, slots=True)
class StageScore(Value):
    """The rank from 1 and the score that one stage gave a document, and where it was requested why.

    :param stage: ``search``, or the name of a reranker.
    """

    stage: str
    rank: int
    score: float
    explanation: Explanation | None = None


@dataclass(frozen=True, slots=True)
class Hit(Value):
    """A document that was found: its rank from 1, id and score, what to show, and where the passage that is shown is.

    ``explanation`` says why it has its score, ``matches`` how its formulas answer those of the question, and
    ``reasons`` why it was found, where that was requested. A document that was re-ranked has what each stage gave it in
    ``stages``, the search first. Where several indexes are searched, ``home`` is the name of the one that has it;
    ``page`` is the address of its page where that index is on a server. Where results are grouped, ``group`` is what it
    stands for, if there is more of it.
    """

    rank: int
    id: str
    score: float
    title: Snippet
    snippet: Snippet
    metadata: Metadata
    location: Location
    explanation: Explanation | None = None
    matches: tuple[FormulaMatch, ...] | None = None
    reasons: Reasons | None = None
    stages: tuple[StageScore, ...] = ()
    home: str | None = None
    page: str | None = None
    group: Group | None = None

    def to_dict(self) -> dict[str, Any]:
        value = Value.to_dict(self)
        if self.matches is not None:
            value["matches"] = [MarkedMatch(match).to_dict() for match in self.matches]
        return value


@dataclass(frozen=True, slots=True)
class FormulaDocument(Value):
    """A document that has a formula: its title, where the formula is there first, and the address of its page where it
    is on a server. Where all ``places`` were looked at, they are counted, and ``passages`` are those around them."""

    id: str
    title: Snippet
    location: Location
    page: str | None = None
    places: int = 0
    passages: tuple[Snippet, ...] = ()


@dataclass(frozen=True, slots=True)
class Occurrences(Value):
    """All places of a formula: ``documents`` and ``places`` count them, and ``shown`` is a page of the documents.

    ``missing`` are indexes on servers that did not answer.
    """

    formula: Formula
    key: str
    documents: int
    places: int
    shown: tuple[FormulaDocument, ...]
    missing: tuple[MissingIndex, ...] = ()


@dataclass(frozen=True, slots=True)
class FormulaHit:
    """A formula that was found: its rank from 1, its score, its normalised form, and the places where it occurs.

    ``documents`` counts the documents that have it; ``places`` lists the first thousand occurrences at most. ``match``
    says why it was found, where that was requested. Of several indexes ``shown`` has the first documents of each.
    """

    rank: int
    score: float
    formula: Formula
    key: str
    documents: int
    places: tuple[Place, ...]
    match: FormulaMatch | None = None
    shown: tuple[FormulaDocument, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``rank``, ``score``, ``key``, the formula as ``latex``, ``mathml`` and ``text``, ``documents``,
        ``places``, and ``match`` where there is one."""
        layout = parse(self.formula)
        value: dict[str, Any] = {
            "rank": self.rank,
            "score": self.score,
            "key": self.key,
            "latex": to_latex(layout) if self.formula.notation == "mathml" else self.formula.source,
            "text": to_unicode(layout),
            "mathml": to_mathml(layout, ids=False),
            "documents": self.documents,
            "places": [place.to_dict() for place in self.places],
        }
        return value | ({"match": MarkedMatch(self.match).to_dict()} if self.match is not None else {})


H = TypeVar("H", Hit, FormulaHit)


@dataclass(frozen=True, slots=True)
class Answer(Generic[H]):
    """The hits, best first, and hints: what in the question may have been meant otherwise, a sentence each.

    ``restricted`` says that the question has filters, phrases or fields that a document must meet. ``total`` is how
    many results were counted; where it is not exact there are more. ``matching`` counts those that match well, None
    where that is not known. ``groups`` counts them as they are grouped, None where they are not. ``missing``
    are indexes on servers that did not answer.
    """

    hits: tuple[H, ...]
    hints: tuple[str, ...] = ()
    restricted: bool = False
    total: int = 0
    total_is_exact: bool = True
    missing: tuple[MissingIndex, ...] = ()
    groups: int | None = None
    matching: int | None = None

    @property
    def partial(self) -> bool:
        """Whether an index is missing."""
        return bool(self.missing)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``hits`` as their own ``to_dict`` gives them, ``hints``, ``partial``, and the ``missing`` indexes
        with the ``reason`` of each."""
        return {
            "hits": [hit.to_dict() for hit in self.hits], "hints": list(self.hints), "partial": self.partial,
            "missing": [index.to_dict() for index in self.missing],
        }


def make_hits(
    scored: Iterable[tuple[str, float]], load: Callable[[str], Document], maker: SnippetMaker, style: FormulaStyle,
    sources: Callable[[str], Mapping[str, Source]], home: Callable[[str], str | None] = lambda doc_id: None,
) -> list[Hit]:
    """The answers for documents and their scores, best first.

    Several documents may have one text, such as the question of a thread. It is shown with the first of them only, as
    long as the others have text of their own. ``sources`` and ``home`` give, for the id of a document, the sources and
    the name of its index.
    """
    hits: list[Hit] = []
    shown: set[Content] = set()
    for rank, (doc_id, score) in enumerate(scored, 1):
        document = load(doc_id).with_terms_as_text()
        location = Location.of(document.metadata, partial(sources, doc_id), doc_id)
        passage = maker.passage(document, shown=shown)
        snippet = Snippet(())
        if passage is not None:
            shown.add(document.fields[passage.field])
            if passage.match is not None:
                location = location.at(document.fields[passage.field], passage.match)
            snippet = maker.render(document, passage, style)
        title = maker.title(document, style)
        if not title.pieces:
            title = Snippet((Piece(_name(document, location)),))
        metadata = {key: value for key, value in document.metadata.items() if key not in NAMES}
        hits.append(Hit(rank, doc_id, score, title, snippet, metadata, location, home=home(doc_id)))
    return hits


def _name(document: Document, location: Location) -> str:
    """What stands in for a title: the heading above the document, its file's name, its id."""
    if location.section:
        return location.section[-1]
    return one_printable_line(location.file.rpartition("/")[2] if location.file else document.id)
