"""Documents with the same formulas."""

from __future__ import annotations

from typing import Any

from porism.search.sharing import documents_sharing_formulas


def test_documents_with_the_same_telling_formulas_are_found_one_of_each_question(reading: Any) -> None:
    sharing = documents_sharing_formulas(reading.snapshot, "paper/main.tex#thm:x")
    assert [(other.id, other.count) for other in sharing] == [
        ("paper/main.tex#lem:five", 1), ("p0", 1), ("p2", 1),
    ]
    assert [formula.source for formula in sharing[0].formulas] == ["x^2+y^2=z^2"]
    assert [other.id for other in documents_sharing_formulas(reading.snapshot, "p0")] == [
        "paper/main.tex#lem:five", "paper/main.tex#thm:x", "p2",
    ]
    assert documents_sharing_formulas(reading.snapshot, "notes/Group.md") == ()
    assert documents_sharing_formulas(reading.snapshot, "x") == ()
