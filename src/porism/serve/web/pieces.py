"""Passages as pieces of the API: words with the part of the question that they match, formulas with their MathML."""

from __future__ import annotations

import os
import re

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.retrieve.base import Aligning
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.highlighting import MarkedMatch
from porism.search.locations import Location, editor_address
from porism.search.marked_text import Piece as ShownPiece
from porism.search.marked_text import Snippet, tidy
from porism.search.reasons import FormulaReason
from porism.serve.web import schema
from porism.serve.web.formula_views import both_views, key_of, matched_view, view
from porism.serve.web.parts import Parts
from porism.serve.web.requests import Deadline
from porism.serve.web.served import View
from porism.types import Content, Formula

_PAGE_BOX = re.compile(r"page=(?P<page>\d{1,7})&rect=(?P<box>-?\d+\.\d(?:,-?\d+\.\d){3})", re.ASCII)


class PieceMaker:
    """Makes the pieces of one answer; symbols within formulas are marked until ``deadline``, later ones as wholes."""

    def __init__(self, served: View, parts: Parts, deadline: Deadline) -> None:
        self._served, self._parts, self._deadline = served, parts, deadline
        ranker = served.index.formulas.ranker
        self._match = ranker.aligned if isinstance(ranker, Aligning) else ranker.match

    def pieces(self, snippet: Snippet) -> tuple[schema.PieceView, ...]:
        """A title or passage."""
        return tuple(self._piece(piece) for piece in snippet.pieces)

    def _piece(self, piece: ShownPiece) -> schema.PieceView:
        part = self._parts.number(piece.answers)
        if piece.written is None:
            return schema.PieceView(text=piece.text, match=piece.match, part=part)
        shown = None
        if isinstance(piece.answers, Formula) and len(piece.written.source) < 400:
            shown = self._marked(piece.answers, piece.written)
        return schema.PieceView(
            text=piece.text, match=piece.match, part=part, formula=shown or view(piece.written),
            box=page_box(piece.written.id),
        )

    def _marked(self, query: Formula, formula: Formula) -> schema.FormulaView | None:
        key = ("marked", query.source, formula.source, formula.display)
        if key not in self._served.memory and self._deadline.over():
            return None
        shown: schema.FormulaView | None = self._served.memory.get(key, lambda: self._align(query, formula))
        return shown

    def _align(self, query: Formula, formula: Formula) -> schema.FormulaView | None:
        try:
            match = self._match(query, key_of(formula))
        except QueryError:
            return None
        if match.found.source != formula.source:  # the index keeps one way of writing it; positions are of that one
            return None
        return matched_view(match, formula.display)


def page_box(formula_id: str | None) -> schema.PageBox | None:
    """The place that the id of a formula of a PDF says, None for other ids."""
    match = _PAGE_BOX.fullmatch(formula_id or "")
    if match is None:
        return None
    left, bottom, right, top = map(float, match["box"].split(","))
    return schema.PageBox(page=int(match["page"]), box=(left, bottom, right, top))


def plain_pieces(content: Content) -> tuple[schema.PieceView, ...]:
    """Content without marks, white space folded."""
    shown = [
        ShownPiece(part, written=None) if isinstance(part, str) else ShownPiece(view(part).text, False, True, part)
        for part in content.with_terms_as_text().parts
    ]
    return tuple(
        schema.PieceView(text=piece.text, formula=view(piece.written) if piece.written else None)
        for piece in tidy(shown)
    )


def place_of(location: Location, several_sources: bool = False, title: str = "") -> schema.PlaceView:
    """A location without the path on this machine, unless ``PORISM_EDITOR_URL`` says how editors open it."""
    return schema.PlaceView(
        text=location.text(several_sources, title, 90), source=location.source, file=location.file,
        line=location.line, kind=location.kind, section=location.section, tag=location.tag, url=location.url,
        editor=editor_address(location, os.environ.get("PORISM_EDITOR_URL", "")),
    )


def contribution(explanation: Explanation, depth: int = 12) -> Explanation:
    """An explanation, its parts largest first, down to some depth."""
    below = sorted(explanation.parts, key=lambda part: -abs(part.value)) if depth else ()
    return Explanation(
        round(explanation.value, 6), explanation.label, tuple(contribution(part, depth - 1) for part in below)
    )


def alignment(
    match: FormulaMatch, parts: Parts, reason: FormulaReason | None = None, *, explained: bool = True
) -> schema.AlignmentView:
    """How two formulas match: both with their matched symbols marked, what stands for what, equal values; with the
    ``reason``, what the one is to the other and how often a document has it. Where it is not ``explained``, symbols of
    the found one alone are marked."""
    marked = MarkedMatch(match)
    query_view, found_view = both_views(match) if explained else (view(match.query), matched_view(match))
    changed = dict.fromkeys((entry.query, entry.found) for entry in match.substitutions if not entry.identical)
    return schema.AlignmentView(
        part=parts.number(match.query), score=match.score, query=query_view, found=found_view,
        query_share=match.query_share, found_share=match.found_share,
        substitution=tuple((view(Formula(old)), view(Formula(new))) for old, new in changed),
        equal_values=tuple(marked.values()) if explained else (),
        explanation=contribution(match.explanation) if explained else None,
        relation=reason.relation if reason else None,
        said=reason.text if reason else "", where=reason.where if reason else "",
    )
