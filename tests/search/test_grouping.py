"""Results by question and section."""

from __future__ import annotations

from porism.search.grouping import Group, group_of, grouped, members
from porism.types import Metadata


def test_answers_belong_to_a_question_and_passages_to_a_section() -> None:
    assert group_of({"question_id": "7", "source": "mse", "section": ("Rings",), "file": "a"}) == "mse#7"
    assert group_of({"thread": "7"}) == "#7"
    in_section: Metadata = {"source": "book", "file": "a.tex", "section": ("Rings", "Ideals")}
    assert group_of(in_section) == "book/a.tex#Rings#Ideals"
    assert group_of({**in_section, "section": "Rings"}) == "book/a.tex#Rings"
    for alone in ({}, {"file": "a.jsonl"}, {"section": "Rings"}, {**in_section, "declares": "Nat.add"}):
        assert group_of(alone) is None  # type: ignore[arg-type]


def test_the_best_result_of_each_group_stays_in_its_place() -> None:
    metadata: dict[str, Metadata] = {
        "a": {"question_id": "1"}, "b": {"question_id": "2"}, "c": {"question_id": "1"}, "d": {}, "e": {},
        "f": {"section": "S", "file": "x"}, "g": {"question_id": "1"}, "h": {"section": "S", "file": "x"},
    }
    results = [(name, 9.0 - rank) for rank, name in enumerate(metadata)]
    found = grouped(results, metadata)
    assert [result[0] for result, _ in found] == ["a", "b", "d", "e", "f"]
    assert [group for _, group in found] == [
        Group("question", "#1", 2), None, None, None, Group("section", "/x#S", 1),
    ]
    assert members(results, metadata, "#1") == [("a", 9.0), ("c", 7.0), ("g", 3.0)]
