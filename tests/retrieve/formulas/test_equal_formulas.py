"""Which formulas equal a query formula does not depend on how documents are spread over segments."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from structure_cases import SETTINGS, Group, tree_of, write

from porism.formula import EXTRACTORS
from porism.index import Snapshot
from porism.index.engine.units import formula_units
from porism.retrieve.formulas import equal_formulas
from porism.retrieve.formulas.alignment import Aligner, QueryTree

DOCUMENTS: Group = {"a": ["(a+b)^2"], "b": ["(u+v)^2"], "c": ["a^2+2ab+b^2", "x"], "d": [r"\frac{1}{n}"]}


def equal(snapshot: Snapshot, query: str) -> set[str]:
    """The sources of the formulas that are found."""
    units = formula_units(snapshot.segments)
    finder = equal_formulas.EqualFormulas(units, frozenset(EXTRACTORS), Aligner(snapshot.segments, SETTINGS))
    tree = tree_of(query)
    return {
        segment.formula_source(formula)
        for segment, found in zip(snapshot.segments, finder.find(tree, QueryTree.of(tree)), strict=True)
        for formula in found.formulas.tolist()
    }


@every_case(("most", "expected"), [
    (3, {"(a+b)^2", "(u+v)^2", "a^2+2ab+b^2"}), (2, {"(a+b)^2", "(u+v)^2", "a^2+2ab+b^2"}), (1, set()),
])
def test_a_term_of_many_formulas_is_left_out_however_they_are_spread(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, expected: set[str]
) -> None:
    monkeypatch.setattr(equal_formulas, "MAX_HOLDING", most)
    for number, groups in enumerate(([DOCUMENTS], [{name: held} for name, held in DOCUMENTS.items()])):
        snapshot = write(tmp_path / str(number), *groups)
        assert len(snapshot.segments) == (1 if number == 0 else 4)
        assert equal(snapshot, "(a+b)^2") == expected, (number, most)


def test_formulas_of_deleted_documents_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equal_formulas, "MAX_HOLDING", 2)
    more = {**DOCUMENTS, "e": ["(p+q)^2"]}
    assert "(u+v)^2" in equal(write(tmp_path / "some", more, deleted=["e"]), "(a+b)^2")
    assert "(p+q)^2" not in equal(write(tmp_path / "gone", more, deleted=["e"]), "(a+b)^2")
