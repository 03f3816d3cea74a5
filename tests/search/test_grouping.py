"""Results by question and section."""

from __future__ import annotations

import json
from pathlib import Path

from porism.search.grouping import Group, group_of, grouped, members
from porism.search.index import open_index
from porism.search.sources.updating import index_sources
from porism.types import Metadata


def test_answers_belong_to_a_question_and_passages_to_a_section() -> None:
    assert group_of({"question_id": "7", "source": "mse", "section": ("Rings",), "file": "a"}) == ("question", "mse#7")
    assert group_of({"thread": "7"}) == ("question", "#7")
    in_section: Metadata = {"source": "book", "file": "a.tex", "section": ("Rings", "Ideals")}
    assert group_of(in_section) == ("section", "book/a.tex#Rings#Ideals")
    assert group_of({**in_section, "section": "Rings"}) == ("section", "book/a.tex#Rings")
    for alone in ({}, {"file": "a.jsonl"}, {"section": "Rings"}, {**in_section, "declares": "Nat.add"}):
        assert group_of(alone) is None  # type: ignore[arg-type]


def test_the_best_result_of_each_group_stays_in_its_place() -> None:
    metadata: dict[str, Metadata] = {
        "a": {"question_id": "1"}, "b": {"question_id": "2"}, "c": {"question_id": "1"}, "d": {}, "e": {},
        "f": {"section": "S", "file": "x"}, "g": {"question_id": "1"}, "h": {"section": "S", "file": "x"},
    }
    groups = [group_of(own) for own in metadata.values()]
    found = grouped(list(metadata), groups)
    assert found == [
        ("a", Group("question", "#1", 2)), ("b", None), ("d", None), ("e", None), ("f", Group("section", "/x#S", 1)),
    ]
    assert members(list(metadata), groups, "#1") == ["a", "c", "g"]


def test_an_index_has_the_groups_that_metadata_says(tmp_path: Path) -> None:
    entries = [
        {"question_id": "1"}, {"question_id": "2", "thread": "9"}, {"thread": "1"}, {"section": ["A", "B"]},
        {"section": ["B", "A"]}, {"section": "A"}, {"section": ["A", "A"]}, {}, {"question_id": ""},
    ]
    lines = [json.dumps({"id": f"d{number}", "body": "x", **entry}) for number, entry in enumerate(entries)]
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.jsonl").write_text("\n".join(lines).replace('"d', f'"{name}'), encoding="utf-8")
        index_sources([tmp_path / name], tmp_path / "index", jobs=1)
    with open_index(tmp_path / "index") as index:
        segments = index.snapshot.segments
        ids = [segment.doc_id(doc) for segment in segments for doc in range(segment.doc_count) if segment.live[doc]]
        assert len(ids) == 2 * len(entries)
        asked = [*reversed(ids), "unknown"]
        expected = [group_of(index.document(doc_id).metadata) for doc_id in reversed(ids)]
        assert index.groups(asked) == [*expected, None]
        assert len(set(expected)) > 8
