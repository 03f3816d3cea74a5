"""Which formulas of a document are shown as matches."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

import porism
from porism.analysis.analyzer import AnalyzedFormula, Analyzer
from porism.search.index import Index
from porism.types import Content, Document, Formula


def index_of(path: Path, *formulas: str) -> Index:
    """An index of one document with these formulas, among others that make them neither rare nor frequent."""
    others = [
        Document(f"other-{number}", {"body": Content.of("word ", Formula(rf"\alpha_{{{number}}}"))})
        for number in range(9)
    ]
    parts = [part for formula in formulas for part in (" then ", Formula(formula))]
    porism.index_documents([Document("it", {"body": Content.of("word", *parts)}), *others], path)
    return porism.open_index(path)


MARKED = [  # query, the document's formulas, those that are marked
    ("$x^2+y^2=z^2$", ["x^2+y^2=z^2", "x^2+y^3=z^4", "x^2"], {0}),
    ("$x^2+y^2=z^2$", ["x=y", "a^2+b^2=c^2"], {1}),
    (r"$\sum_{i=1}^n i^2$", [r"\sum_{k=1}^m k^2", r"\sum_{k=1}^m k^3", "k^2"], {0}),
    (r"$\sum_{i=1}^n i^2$", [r"S=\sum_{i=1}^n i^2=\frac{n(n+1)(2n+1)}{6}", r"\sum_{k=1}^m k^2"], {0, 1}),
    ("$x^n$", [r"\mathbb{R}^n", "y^n", "x+x^n"], {1, 2}), ("$x^n$", ["n", "x", "x+n"], set()),
    (r"$\sum_{i=1}^n i^2$", [r"\sum_{i=1}^n i^3", r"\sum_{i=1}^n i^2"], {1}), ("$x^n$", [r"\mathbb{R}^n", "n"], set()),
    ("$x$", ["x", "x+1"], {0}), (r"$1+\frac1x$", [r"\frac{x+1}{x}", "1+x"], {0}),
    (r"$\frac{a}{b}+c$", [r"\frac{\pi}{2}", "c"], set()),
    ("$x^2+1$ and $\\sin t$", [r"\sin t", "x^2+1", r"\cos t"], {0, 1}),
]


@every_case(("query", "formulas", "marked"), MARKED)
def test_the_right_formulas_are_marked(tmp_path, query: str, formulas: list[str], marked: set[int]) -> None:
    def found() -> set[int]:
        (hit,) = [hit for hit in index.search(f"word {query}", 20) if hit.id == "it"]
        pieces = [piece for piece in hit.snippet.pieces if piece.formula]
        assert len(pieces) == len(formulas)
        return {number for number, piece in enumerate(pieces) if piece.match}

    with index_of(tmp_path / "index", *formulas) as index:
        assert found() == marked
        # by terms alone: what comes to the same by value, or in other letters, is not seen
        index.retriever.matching_formulas = lambda *_: None  # type: ignore[method-assign]
        assert found() <= marked


def test_formulas_of_documents_are_not_read_again_to_be_marked(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    with index_of(tmp_path / "index", "x^2+y^2=z^2", "x^2+y^3=z^4", "x") as index:
        read: list[str] = []
        terms_of = Analyzer.formula_terms

        def formula_terms(self: Analyzer, formula: Formula, *channels: Any) -> AnalyzedFormula:
            read.append(formula.source)
            return terms_of(self, formula, *channels)

        monkeypatch.setattr(Analyzer, "formula_terms", formula_terms)
        hits = index.search("word $a^2+b^2=c^2$ and $x$", 20)
        marked = [piece.text for hit in hits if hit.id == "it" for piece in hit.snippet.pieces if piece.match]
        assert marked == ["word", "x² + y² = z²", "x"]
        assert set(read) == {"a^2+b^2=c^2", "x"}
