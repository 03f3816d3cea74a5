"""The benchmark of Lean projects: what its plain scan of the sources finds, and what it counts."""

from __future__ import annotations

from pathlib import Path

from benchmarks.robustness.declarations import declarations, outcome
from case_tables import every_case

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


@every_case(("prover", "name", "text", "lines"), [
    ("isabelle", "A.thy", "theory A begin\n(* lemma a:\n*)\nlemma b: \"x\"\n  by lemma_c\ntext \\<open>\nlemma"
                          "\\<close>\n  definition \"f = x\"\nend\n", [4, 8]),
    ("rocq", "a.v", "(* Lemma a : b. *)\nLemma c : d.\n#[local] Program Definition e := f.\nDefinition.\n", [2, 3]),
    ("agda", "a.agda", "module a where\n-- x : y\nf : A\nf = x\n  where y : A\nmodule _ (x : A) where\n  g : A\n"
                       "  g = x\ndata D : Set where\n  c : D\n", [3, 7, 9]),
    ("agda", "a.lagda.md", "x : y\n\n```agda\nf : A\n```\n\n```text\ng : A\n```\n", [4]),
    ("metamath", "a.mm", "$( th $p |- x $)\n  th $p |- x $= y $.\nax $a |- y $.\nx $e |- z $.\n", [2, 3]),
    ("mizar", "a.abs", "environ\n:: theorem\ntheorem :: A:1\n x = x;\ndefinition\n func f -> set;\nend;\n", [3, 6]),
])  # fmt: skip
def test_declarations_of_other_provers_are_found_and_read(
    prover: str, name: str, text: str, lines: list[int], tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    assert [line for _, line in declarations(tmp_path, prover)] == lines
    found = outcome(tmp_path, 10, prover)
    assert (found.missing, found.wrong) == ([], [])
