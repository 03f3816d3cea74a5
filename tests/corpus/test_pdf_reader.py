"""PDF files as documents: the text, the formulas and the structure of what TeX and Typst have made."""

from __future__ import annotations

from pathlib import Path

import pytest

from porism.corpus import open_source
from porism.formula import operator_string, operator_tree, parse_latex
from porism.types import Document

pytest.importorskip("pdfminer")
FILES = Path(__file__).parent / "pdf"


def trees(documents: list[Document]) -> list[tuple[str, bool]]:
    """The operator trees of all formulas, and which are displayed; bare numbers are left out."""
    return [
        (operator_string(operator_tree(parse_latex(formula.source))), formula.display)
        for document in documents for name in ("title", "body", "proof") if name in document.fields
        for formula in document.fields[name].formulas if not formula.source.isdigit()
    ]


@pytest.fixture(scope="module")
def series() -> list[Document]:
    return list(open_source(FILES / "series.pdf"))


def test_formulas_are_those_of_the_latex_source(series: list[Document]) -> None:
    assert sorted(trees(series)) == sorted(trees(list(open_source(FILES / "series.tex"))))


def test_formulas_of_typst() -> None:
    source = [
        "f: \\mathbb{R} \\to \\mathbb{R}", "x_0", "\\varepsilon > 0", "\\delta > 0", "|f(x) - f(x_0)| < \\varepsilon",
        "|x - x_0| < \\delta", "\\lim_{x \\to 0} \\frac{\\sin x}{x} = 1",
        "\\sum_{k=1}^n k^2 = \\frac{n(n+1)(2n+1)}{6}", "\\sqrt{a^2+b^2}", "a+b", "a, b \\ge 0",
    ]
    read = [tree for tree, _ in trees(list(open_source(FILES / "limits.pdf")))]
    assert read == [operator_string(operator_tree(parse_latex(latex))) for latex in source]


def test_documents_are_sections_and_theorem_like_blocks(series: list[Document]) -> None:
    facts = [
        (document.id, document.metadata["type"], document.title.to_latex(), document.metadata["line"])
        for document in series
    ]
    assert facts == [
        ("series.pdf#power-series", "section", "Power series", "1"),
        ("series.pdf#definition-1.1", "definition", "", "1"),
        ("series.pdf#theorem-1.2", "theorem", "Root test", "1"),
        ("series.pdf#matrices", "section", "Matrices", "1"),
    ]
    theorem = series[2]
    assert theorem.fields["body"].to_latex().startswith("Let $r=")
    assert theorem.fields["proof"].to_latex().startswith("Choose $q$ with $r<q<1$.")
    assert "difficult thing to understand" in series[0].fields["body"].text


def test_the_page_of_a_passage_is_known_and_its_number_is_no_text(series: list[Document]) -> None:
    body = series[3].fields["body"]
    assert body.line_of(body.text.index("The second page")) == 1
    assert body.line_of(body.text.index("The determinant")) == 0
    assert not body.text.rstrip().endswith(("1", "2"))


def test_each_formula_has_its_page_and_box_as_id(series: list[Document]) -> None:
    last = series[3].fields["body"].formulas[-1]
    page, _, box = (last.id or "").partition("&rect=")
    left, bottom, right, top = map(float, box.split(","))
    assert page == "page=2"
    assert 130 < left < right < 480
    assert 600 < bottom < top < 720
