"""The benchmark of Lean projects: what its plain scan of the sources finds, and what it counts."""

from __future__ import annotations

from pathlib import Path

from benchmarks.robustness.declarations import declarations, outcome

TEXT = """/- theorem a
theorem b -/
theorem c : T := p -- /- theorem
@[simp] protected lemma d : T := p
  theorem indented : T := p
/-- -- doc -/
def e := 1
@[to_additive]
theorem mul_one : T := p
definition := 1
instance : Foo := p
macro "x" : command => `(
def $f := 1)
"""


def test_declarations_are_found_by_line(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(TEXT, encoding="utf-8")
    assert declarations(tmp_path) == {
        ("A.lean", 3): "theorem", ("A.lean", 4): "lemma", ("A.lean", 7): "def", ("A.lean", 9): "theorem",
        ("A.lean", 11): "instance", ("A.lean", 13): "def",
    }  # fmt: skip


def test_an_outcome_counts_what_was_missed(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text(TEXT, encoding="utf-8")
    found = outcome(tmp_path, 500)
    assert (found.declarations, found.missing) == (6, ["A.lean:13: def"])
    assert found.reports == ["A.lean:13: def without a name that can be read"]
    assert (found.documents, found.generated, found.sample, found.wrong) == (7, 1, 6, [])
    assert found.figures()["found"] == 0.83333
