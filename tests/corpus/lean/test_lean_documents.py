"""Files of Lean as documents: fields, metadata, ids, comments of the module, and any text."""

from __future__ import annotations

import re
from pathlib import Path

from case_tables import every_case
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.corpus import detect_format, open_source
from porism.corpus.base import clean
from porism.corpus.lean.commands import KINDS
from porism.corpus.lean.docstrings import docstring_content
from porism.corpus.lean.documents import LeanDocuments
from porism.corpus.lean.reader import LeanReader
from porism.corpus.lean.source import LeanSource
from porism.corpus.markdown.inline import markdown_text
from porism.errors import Problem
from porism.types import Document

MODULE = r"""/-
Copyright, of nobody.
-/
import Basic

/-!
# Groups

Words about $g \cdot h$.

## Tags
group
-/

open Nat
namespace Group
variable {G : Type*} [Group G]

/-! ### Laws -/

/-- The law for `a` and $a^{-1}$:
* it is *one*. -/
@[to_additive (attr := simp), deprecated "x" (since := "2025-01-02")]
theorem mul_inv (a : G) :
    a * a⁻¹ = 1 := by
  simp

/-- Plain. -/
protected def square (a : G) := a * a
theorem mul_inv : T := p
end Group
"""


def documents(text: str) -> tuple[list[Document], list[Problem]]:
    problems: list[Problem] = []
    return list(LeanDocuments(text, "A/B.lean", "lib", "A.B", problems.append).documents()), problems


def test_a_declaration_is_a_document() -> None:
    read, problems = documents(MODULE)
    assert problems == []
    theorem, additive, square, again, module = read
    assert (theorem.id, theorem.title.text) == ("A/B.lean#Group.mul_inv", "Group.mul_inv")
    assert {name: content.to_latex() for name, content in theorem.fields.items()} == {
        "title": "Group.mul_inv", "section": "Laws", "spoken": "inverse multiplication",
        "body": "The law for a and $a^{-1}$:\n- it is one.",
        "signature": "{G : Type*} [Group G] (a : G) :\na * a⁻¹ = 1",
    }  # fmt: skip
    assert theorem.metadata == {
        "source": "lib", "type": "theorem", "file": "A/B.lean", "line": "24", "kind": "theorem", "module": "A.B",
        "section": ("Groups", "Laws"), "attributes": ("to_additive", "simp", "deprecated"), "open": ("Nat",),
        "deprecated": "2025-01-02", "declares": "Group.mul_inv", "mentions": ("Group",),
    }  # fmt: skip
    signature = theorem.fields["signature"].with_terms_as_text()
    assert [signature.line_of(signature.text.index(word)) for word in ("Group G", "(a : G)", "a⁻¹")] == [0, 0, 1]
    assert (additive.id, additive.metadata["generated"], additive.metadata["of"]) == (
        "A/B.lean#AddGroup.add_neg", "to_additive", "Group.mul_inv",
    )
    assert (square.metadata["type"], square.metadata["kind"], square.metadata["modifiers"]) == (
        "definition", "def", ("protected",),
    )
    assert again.id == "A/B.lean#Group.mul_inv-2"
    assert (module.title.text, module.metadata["module"], module.id) == ("Groups", "A.B", "A/B.lean")
    assert "Words about $g \\cdot h$." in module.fields["body"].to_latex()


def test_other_names_are_a_field() -> None:
    (theorem, old), _ = documents('theorem a : T := p\n@[deprecated (since := "1")] alias b := a\n#align c a')
    assert theorem.fields["aliases"].text == "b, c"
    assert theorem.metadata["aliases"] == ("b", "c")
    assert (old.metadata["of"], old.fields["signature"].to_latex()) == ("a", ": T")


def test_ids_of_sections_are_not_those_of_declarations() -> None:
    words = "Words. " * 400
    read, _ = documents(f"/-! # a\n{words}\n## b\n{words} -/\ndef a := 1\ndef b := 2")
    assert [document.id for document in read] == [f"A/B.lean#{unit}" for unit in ("a", "b", "a-2", "b-2")]


def test_problems_have_their_lines() -> None:
    _, problems = documents("theorem a : T := p\nend B\n\ndef $x := 1\n/- never")
    assert [str(problem) for problem in problems] == [
        "A/B.lean:5: a comment that is never closed", "A/B.lean:2: ends a scope that does not begin",
        "A/B.lean:4: def without a name that can be read",
    ]  # fmt: skip


def test_the_module_is_named_from_the_package(tmp_path: Path) -> None:
    folder = tmp_path / "src" / "Lib" / "Sub"
    folder.mkdir(parents=True)
    (folder / "A.lean").write_text("\ufefftheorem a : T :=\r\n  p\r\ntheorem b : T := p\r\n", encoding="utf-8")
    assert detect_format(tmp_path) == "lean"
    assert {document.metadata["module"] for document in open_source(folder)} == {"A"}
    (tmp_path / "elsewhere").mkdir()
    package = tmp_path / "elsewhere" / "package"
    (tmp_path / "src").rename(package)
    (package / "lakefile.toml").write_text("", encoding="utf-8")
    first, second = open_source(package / "Lib")
    assert (first.metadata["module"], first.id) == ("Lib.Sub.A", "Lib/Sub/A.lean#a")
    assert [first.metadata["line"], second.metadata["line"]] == ["1", "3"]


@every_case("text", [
    "Plain words, (in brackets); with 1.5 and 2.", "Code `x ≤ y` and `f`.", "Two\n  lines `a`\nof it.",
    "`foo` begins.", "A colon: `x`.", "Ends with `x`",
])  # fmt: skip
def test_docstrings_that_need_no_parser_read_as_with_it(text: str) -> None:
    assert docstring_content(text, "a", 1, lambda problem: None) == markdown_text(text, "a")


@every_case(("text", "read"), [
    ("The *sum* of $a$\nand `$b`.", "The sum of $a$\nand $b."),
    ("First.\n\n    Second, indented in the source.", "First.\n\nSecond, indented in the source."),
    ("A list:\n- one `x`\n- two", "A list:\n- one x\n- two"),
    ("# Head\n\nwords", "Head\n\nwords"),
    ("```\n$ code\n```", "$ code"),
])  # fmt: skip
def test_docstrings_are_markdown(text: str, read: str) -> None:
    assert docstring_content(text, "a", 1, lambda problem: None).to_latex() == read


def test_problems_of_docstrings_have_their_lines() -> None:
    _, problems = documents("\n\n/-- An open $x -/\ntheorem a : T := p\n/-- A\n$x\n\nb -/\ndef b := 1")
    assert [problem.where for problem in problems] == ["A/B.lean:3", "A/B.lean:6"]


PIECES = st.sampled_from([
    *(f"{kind} " for kind in KINDS), "\n", "\n", "\n  ", "a", "b.c", "_root_.d", " : T", " := ", "(x : α)", "[Foo α]",
    "{y}", "(", ")", "[", "]", "@[", "@[simp]\n", "@[to_additive (attr := simps) foo]\n", "/-", "-/", "let x := 1",
    "/-- doc `x` $y$ -/\n", "/-! # M -/\n", '"', 'r#"', "'", "«", "»", "-- c\n", "namespace A\n", "section\n",
    "end A\n", "end\n", "open B in ", "variable (x : α) {β}\n", "variable (x) in\n", "include x\n", "omit [Foo α] in\n",
    "|", "=>", "attribute [simp] a\n", "private ", "instance : Foo (α × β) where\n  x := 1\n", "#align a b\n",
    "⟨a, _⟩", "where", "initialize_simps_projections A (x → y)\n", "\x00", "\ufffc",
])  # fmt: skip


@given(st.one_of(st.text(max_size=200), st.lists(PIECES, max_size=40).map("".join)))
@settings(max_examples=examples(2_000), deadline=None)
@example('"\\"\\"\\"')
@example("@[" * 50)
@example("theorem " * 20)
def test_any_text_is_read_and_no_keyword_at_the_margin_is_lost(text: str) -> None:
    read, problems = documents(text)
    assert len({document.id for document in read}) == len(read)
    told = {int(problem.where.split(":")[1]) for problem in problems}
    told |= {int(str(document.metadata["line"])) for document in read if "kind" in document.metadata}
    lines = LeanSource(clean(text)).bare.split("\n")[1:]
    keyword = re.compile(rf"(?:{'|'.join(KINDS)})(?=\s|\Z)")
    assert {number for number, line in enumerate(lines, 1) if keyword.match(line)} <= told


def test_the_reader_reads_files(tmp_path: Path) -> None:
    (tmp_path / "A.lean").write_text("theorem a : T := p", encoding="utf-8")
    (tmp_path / "b.md").write_text("# B\nwords", encoding="utf-8")
    assert LeanReader.name == "lean"
    assert [document.metadata["file"] for document in open_source(tmp_path)] == ["A.lean", "b.md"]
