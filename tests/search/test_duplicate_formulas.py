"""Formulas of equal value: terms of Lean are read as such, and those whose value their types decide are left out."""

from __future__ import annotations

from pathlib import Path

from porism.index import Snapshot
from porism.search.duplicates import find_duplicates
from porism.search.sources.updating import index_sources

LEAN = """
theorem product (a b : ℝ) : a * (b + 1) = b := proof
theorem expanded (a b : ℝ) : a * b + a = b := proof
theorem tangent (a : ℝ) : tan a * cos a = sin a := proof
theorem period (a : ℝ) : sin (a + 2 * π) = sin a := proof
theorem remainder (a b : ℕ) : a % b = a - b * (a / b) := proof
theorem divides (a b : ℕ) : a % b = 0 := proof
theorem parts : (∑ i : {x // p x}, f i) + ∑ i : {x // ¬p x}, f i = ∑ i, f i := proof
theorem nothing : ∑ i, f i = 0 := proof
theorem finite : 1 + ∑ᶠ i ∈ s, f i = a := proof
theorem finset : ∑ i ∈ s, f i + 1 = a := proof
"""


def test_formulas_of_one_value_are_found_and_shown_as_written(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "A.lean").write_text(LEAN, encoding="utf-8")
    index_sources([tmp_path / "source"], tmp_path / "index", jobs=1)
    with Snapshot.open(tmp_path / "index") as snapshot:
        found = find_duplicates(snapshot, kinds=["formula"], min_size=5)
    assert [{member.text for member in group.members} for group in found.groups] == [
        {"a * (b + 1) = b", "a * b + a = b"}
    ]
