"""Formulas that a search found, as a user sees them: a hit says where a formula is and why it was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from porism.formula import parse, to_latex, to_mathml, to_unicode
from porism.retrieve.formulas.matches import FormulaMatch
from porism.search.formula_occurrences import Place
from porism.search.highlighting import MarkedMatch
from porism.types import Formula


@dataclass(frozen=True, slots=True)
class FormulaHit:
    """One answer: its rank from 1, its score, a formula with its normalised form, and the places where it occurs.

    ``documents`` counts the documents that hold it; ``places`` lists the first thousand occurrences at most. ``match``
    says why it was found, where that was requested.
    """

    rank: int
    score: float
    formula: Formula
    key: str
    documents: int
    places: tuple[Place, ...]
    match: FormulaMatch | None = None

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
