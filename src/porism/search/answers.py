"""Answers of a search: what is shown of the documents that were found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from porism.explanation import Explanation
from porism.index.sources import Source
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.highlighting import MarkedMatch
from porism.search.locations import Location
from porism.search.marked_text import Piece, Snippet, plain_json
from porism.search.printable import one_printable_line
from porism.search.snippets import FormulaStyle, SnippetMaker
from porism.types import Content, Document, Metadata


@dataclass(frozen=True, slots=True)
class StageScore:
    """The rank from 1 and the score that one stage gave a document, and where it was requested why.

    :param stage: ``search``, or the name of a reranker.
    """

    stage: str
    rank: int
    score: float
    explanation: Explanation | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``stage``, ``rank``, ``score``, and ``explanation`` where it has one."""
        value: dict[str, Any] = {"stage": self.stage, "rank": self.rank, "score": self.score}
        return value if self.explanation is None else value | {"explanation": self.explanation.to_dict()}


@dataclass(frozen=True, slots=True)
class Hit:
    """One document found: its rank from 1, its id and score, where the passage that is shown is, and what to show.

    ``explanation`` says why it has its score, and ``matches`` how its formulas answer those of the question, where that
    was requested. A document that was re-ranked has what each stage gave it in ``stages``, the search first.
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
    stages: tuple[StageScore, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: ``rank``, ``id``, ``score``, ``title`` and ``snippet`` (see :meth:`Snippet.to_dict`),
        ``location`` and ``metadata``; ``explanation``, ``matches`` and ``stages`` where it has them."""
        value: dict[str, Any] = {
            "rank": self.rank,
            "id": self.id,
            "score": self.score,
            "title": self.title.to_dict(),
            "snippet": self.snippet.to_dict(),
            "location": self.location.to_dict(),
            "metadata": plain_json(self.metadata),
        }
        if self.explanation is not None:
            value["explanation"] = self.explanation.to_dict()
        if self.matches is not None:
            value["matches"] = [MarkedMatch(match).to_dict() for match in self.matches]
        if self.stages:
            value["stages"] = [stage.to_dict() for stage in self.stages]
        return value


def make_hits(
    found: Iterable[tuple[str, float]], load: Callable[[str], Document], maker: SnippetMaker, style: FormulaStyle,
    sources: Callable[[str], Mapping[str, Source]],
) -> list[Hit]:
    """The answers for documents and their scores, best first.

    A text that several documents have, such as the question of a thread, is shown with the first of them only, as long
    as the others have text of their own. ``sources`` gives, for the id of a document, the sources of its index.
    """
    hits: list[Hit] = []
    shown: set[Content] = set()
    for rank, (doc_id, score) in enumerate(found, 1):
        document = load(doc_id)
        location = Location.of(document.metadata, partial(sources, doc_id))
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
        hits.append(Hit(rank, doc_id, score, title, snippet, document.metadata, location))
    return hits


def _name(document: Document, location: Location) -> str:
    """What stands in for a title: the heading above the document, its file's name, its id."""
    if location.section:
        return location.section[-1]
    return one_printable_line(location.file.rpartition("/")[2] if location.file else document.id)
