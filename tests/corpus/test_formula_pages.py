"""Pages of which each formula is a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from porism.corpus import detect_format, open_source
from porism.errors import Problem, SourceError

PAGE = """<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml"><body><p>and <math alttext="a^{2}"><msup><mi>a</mi><mn>2</mn></msup></math>
<m:math xmlns:m="http://www.w3.org/1998/Math/MathML"><m:mi>b</m:mi></m:math> <math></math> <math/>
<math display="block"><semantics><mi>c</mi><annotation encoding="application/x-tex">c</annotation></semantics></math>
</p></body></html>
"""


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    folder = tmp_path / "wiki"
    (folder / "wpmath1" / "Articles").mkdir(parents=True)
    (folder / "wpmath1" / "Articles" / "Duckworth–Lewis_method.html").write_text(PAGE, encoding="utf-8")
    (folder / "wpmath1" / "Circle.html").write_text("<math><mi>r</mi></math>", encoding="utf-8")
    (folder / "notes.txt").write_text("no page", encoding="utf-8")
    return folder


def test_each_formula_is_a_document_by_its_number_in_the_page(pages: Path) -> None:
    problems: list[Problem] = []
    documents = list(open_source(pages, format="html-formulas", on_problem=problems.append))
    assert [document.id for document in documents] == [
        "Duckworth–Lewis_method:0", "Duckworth–Lewis_method:1", "Duckworth–Lewis_method:4", "Circle:0",
    ]
    formulas = [document.fields["body"].formulas for document in documents]
    assert [(one.source, one.notation, one.display) for (one,) in (formulas[0], formulas[2])] == [
        ("a^{2}", "latex", False), ("c", "latex", True),
    ]
    assert [one.notation for (one,) in (formulas[1], formulas[3])] == ["mathml", "mathml"]
    assert documents[0].metadata == {"source": "wiki", "file": "wpmath1/Articles/Duckworth–Lewis_method.html"}
    assert [(problem.where, problem.what) for problem in problems] == [
        ("wpmath1/Articles/Duckworth–Lewis_method.html:3", "a formula without content; it keeps its number"),
    ] * 2


def test_it_is_not_detected_and_needs_pages(pages: Path) -> None:
    assert detect_format(pages / "wpmath1" / "Circle.html") == "html"
    (pages / "empty").mkdir()
    with pytest.raises(SourceError, match="holds no page"):
        list(open_source(pages / "empty", format="html-formulas"))
