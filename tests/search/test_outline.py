"""The contents around a document, and the documents before and after it."""

from __future__ import annotations

from typing import Any

import pytest

from porism.errors import QueryError
from porism.search.outline import Outline, OutlineEntry, outline_of


def _shown(outline: Outline) -> list[str]:
    return [
        f"{'  ' * entry.level}{'>' if entry.is_current else '#' if entry.is_heading else '-'} {entry.title}"
        for entry in outline.entries
    ]


def _titles(*entries: OutlineEntry | None) -> list[str | None]:
    return [entry and entry.title for entry in entries]


def test_a_statement_stands_among_the_headings_of_its_file_and_the_statements_of_its_section(reading: Any) -> None:
    outline = outline_of(reading.snapshot, "paper/main.tex#thm:x")
    assert _shown(outline) == [
        "# Beginnings", "  - Five lemma", "  - Lemma: We have a² + b² ≥ 2ab.",
        "  > Theorem: By Lemma [lem:five], Lemma [lem:bare] and Lemma …", "# Ends",
    ]
    assert _titles(outline.previous, outline.next) == ["Lemma: We have a² + b² ≥ 2ab.", "Ends"]
    assert outline.count == 5
    first = outline_of(reading.snapshot, outline.entries[0].id)
    assert _shown(first)[:2] == ["> Beginnings", "  - Five lemma"]
    assert _titles(first.previous, first.next) == [None, "Five lemma"]
    last = outline_of(reading.snapshot, outline.entries[-1].id)
    assert _shown(last) == ["# Beginnings", "> Ends"]


def test_files_of_one_document_follow_one_another(reading: Any) -> None:
    outline = outline_of(reading.snapshot, "notes/Homomorphism.md")
    assert outline.entries == ()
    assert _titles(outline.previous, outline.next) == ["Group", "Ring"]
    assert outline_of(reading.snapshot, "notes/Ring.md").next is None  # what follows is of another source


def test_a_question_comes_before_its_answers_which_are_called_by_how_they_begin(reading: Any) -> None:
    outline = outline_of(reading.snapshot, "p3")
    assert _shown(outline) == [
        "- Question 1", "- Answer: Answer 0 is x² + y² = z². And a second line of it.",
        "> Answer: Answer 3 is x² + y² = z². And a second line of it.",
    ]
    assert [entry.id for entry in outline.entries] == ["p1", "p0", "p3"]
    assert outline_of(reading.snapshot, "p2").entries == ()
    with pytest.raises(QueryError, match="no document 'x'"):
        outline_of(reading.snapshot, "x")
