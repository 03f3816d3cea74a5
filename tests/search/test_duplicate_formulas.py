"""Formulas of equal value: terms of Lean are read as such, and those whose value their types decide are left out."""

from __future__ import annotations

from pathlib import Path

from porism.index import Snapshot
from porism.search.duplicates import find_duplicates
from porism.search.sources.updating import index_sources

LEAN = """
theorem product (a b : ℝ) : 2 * (b + a) = b := proof
theorem expanded (a b : ℝ) : a + 2 * b + a = b := proof
theorem tangent (a : ℝ) : tan a * cos a = sin a := proof
theorem period (a : ℝ) : sin (a + 2 * π) = sin a := proof
theorem remainder (a b : ℕ) : a % b = a - b * (a / b) := proof
theorem divides (a b : ℕ) : a % b = 0 := proof
theorem parts : (∑ i : {x // p x}, f i) + ∑ i : {x // ¬p x}, f i = ∑ i, f i := proof
theorem nothing : ∑ i, f i = 0 := proof
theorem finite : 1 + ∑ᶠ i ∈ s, f i = a := proof
theorem finset : ∑ i ∈ s, f i + 1 = a := proof
theorem cut_off (a b : ℕ) : 0 < a - b := proof
theorem truly_less (a b : ℕ) : b < a := proof
theorem cancelled (a b c : ℕ) : c + a + b = c + b := proof
theorem cancelled_less (a b c : ℕ) : a + c = c := proof
theorem changed (a b : ℕ) : (a : ℝ) + b + b = 1 := proof
theorem arrow (a b : ℕ) : ↑a + 2 * b = 1 := proof
theorem spread (s t u : Set ℕ) : s * (t + u) = t := proof
theorem spread_out (s t u : Set ℕ) : s * t + s * u = t := proof
theorem a_function (x : ℝ≥0∞) : ∏ i ∈ s, (g i).toNNReal = x := proof
theorem another_function (x : ℝ) : ∏ i ∈ s, Real.toNNReal (g i) = x := proof
theorem summed : s.sum f + 1 = b := proof
theorem summed_otherwise : s.sum w + 1 = b := proof
theorem bound_by_i : ∑ i ∈ s, f i * g i = a := proof
theorem bound_by_j : a = ∑ j ∈ s, f j * g j := proof
theorem power (a b : ℝ) : a ^ 2 + b + b = 1 := proof
theorem power_again (a b : ℝ) : 2 * b + a ^ 2 = 1 := proof
"""


def test_formulas_of_one_value_are_found_and_shown_as_written(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "A.lean").write_text(LEAN, encoding="utf-8")
    index_sources([tmp_path / "source"], tmp_path / "index", jobs=1)
    with Snapshot.open(tmp_path / "index") as snapshot:
        found = find_duplicates(snapshot, kinds=["formula"], min_size=5)
    assert [{member.text for member in group.members} for group in found.groups] == [
        {"∑ i ∈ s, f i * g i = a", "a = ∑ j ∈ s, f j * g j"},
        {"a ^ 2 + b + b = 1", "2 * b + a ^ 2 = 1"},
        {"2 * (b + a) = b", "a + 2 * b + a = b"},
    ]
