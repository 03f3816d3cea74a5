"""Declarations of Lean: their names, variables, statements, docstrings, attributes and other names."""

from __future__ import annotations

from collections.abc import Mapping

from case_tables import every_case

from porism.corpus.lean.declarations import Declaration, DeclarationReader
from porism.corpus.lean.source import DocComment, LeanSource


def read(text: str) -> tuple[dict[str, Declaration], list[tuple[int, str]]]:
    source, problems = LeanSource(text), []
    reader = DeclarationReader(source, lambda place, problem: problems.append((source.line(place), problem)))
    assert len({declaration.name for declaration in reader.declarations}) == len(reader.declarations)
    return {declaration.name: declaration for declaration in reader.declarations}, problems


def declared(text: str) -> dict[str, Declaration]:
    declarations, problems = read(text)
    assert problems == []
    return declarations


def kinds(declarations: Mapping[str, Declaration]) -> dict[str, tuple[str, int]]:
    return {name: (declaration.kind, declaration.line) for name, declaration in declarations.items()}


def test_every_kind_is_declared_in_its_line() -> None:
    assert kinds(declared("""theorem a : 1 = 1 := rfl
lemma b : 1 = 1 := rfl
  def c := 1
@[simp]
abbrev d := 1
structure E where
  e : Nat
class F (α : Type)
class inductive G
  | g
class abbrev H := F
inductive I | i
axiom j : 1 = 1
opaque k : Nat
irreducible_def l := 1
private noncomputable
def m := 1
alias n := a
example : 1 = 1 := rfl
@[simp, to_additive "x ] y"] protected theorem o.p : 1 = 1 := rfl
open Nat in theorem q : 1 = 1 := rfl
local instance (priority := 10) r : F Nat := ⟨⟩
scoped[Foo] instance s : F Nat := ⟨⟩
""")) == {
        "a": ("theorem", 1), "b": ("lemma", 2), "c": ("def", 3), "d": ("abbrev", 5), "E": ("structure", 6),
        "F": ("class", 8), "G": ("class inductive", 9), "H": ("class abbrev", 11), "I": ("inductive", 12),
        "j": ("axiom", 13), "k": ("opaque", 14), "l": ("irreducible_def", 15), "m": ("def", 17), "n": ("alias", 18),
        "o.p": ("theorem", 20), "q": ("theorem", 21), "r": ("instance", 22), "s": ("instance", 23),
    }  # fmt: skip


def test_words_that_only_begin_like_keywords_declare_nothing() -> None:
    assert declared("lemma_one\ndefine x\n  theorem.foo\ninstance_of\n-- theorem a : b\n/- \ntheorem c : d -/") == {}


def test_names_have_their_namespaces() -> None:
    assert list(declared("""namespace A.B
theorem a : T := p
section C
theorem b : T := p
namespace D
theorem _root_.c : T := p
end D
end C
noncomputable section
theorem d : T := p
end
mutual
  def e := 1
  def f := 1
end
end A.B
@[expose] public section
theorem g : T := p
namespace A
namespace B
theorem h : T := p
end A.B
theorem «i j».k : T := p
""")) == ["A.B.a", "A.B.b", "c", "A.B.d", "A.B.e", "A.B.f", "g", "A.B.h", "«i j».k"]  # fmt: skip


def test_ends_that_fit_nothing_are_reported() -> None:
    text = "namespace A\nsection\nend A\ntheorem a : T := p\nend\nnamespace B\nend C\ndef b := 1"
    declarations, problems = read(text)
    assert list(declarations) == ["a", "B.b"]
    assert problems == [
        (3, "ends A where another scope is open"), (5, "ends a scope that does not begin"),
        (7, "ends C, which does not begin"),
    ]  # fmt: skip


def test_names_that_cannot_be_read_are_reported() -> None:
    declarations, problems = read("def $name := 1\ntheorem\nalias := x\nstructure where\ntheorem a : T := p")
    assert list(declarations) == ["a"]
    assert [line for line, _ in problems] == [1, 2, 3, 4]
    assert problems[0][1] == "def without a name that can be read"


VARIABLES = """
variable {α β : Type*} [Group α] (a b : α)
theorem one : a * b = b * a := p
theorem two (x : ℕ) : x = x := p
theorem three : ∀ a : β, a = a := p
section
variable (α) [Finite β] in
theorem four (f : α → β) : f = f := p
theorem five (f : α → β) : f = f := p
variable {α : Type} (h : a = b)
theorem six (y : α) : y = y := p
end
theorem seven {α : Type} (b : α) : b = b := p
def eight : α := a
"""


def test_statements_have_the_variables_that_they_use() -> None:
    declarations = declared(VARIABLES)
    assert {name: declaration.variables for name, declaration in declarations.items()} == {
        "one": "{α : Type*} [Group α] (a b : α)", "two": "", "three": "{β : Type*}",
        "four": "(α : Type*) {β : Type*} [Group α] [Finite β]", "five": "{α β : Type*} [Group α]",
        "six": "{α : Type}", "seven": "", "eight": "{α : Type*} [Group α]",
    }  # fmt: skip


def test_theorems_have_the_variables_that_are_included_and_not_those_that_are_omitted() -> None:
    declarations = declared("""variable {α : Type*} [Group α] [Finite α] (a : α) (h : a = a)
include h
theorem a : T := p
def b : T := p
omit [Group α] in
theorem c : T := p
omit h
theorem d (x : α) : x = x := p
""")
    assert {name: declaration.variables for name, declaration in declarations.items()} == {
        "a": "{α : Type*} [Group α] [Finite α] (a : α) (h : a = a)", "b": "",
        "c": "{α : Type*} [Finite α] (a : α) (h : a = a)", "d": "{α : Type*} [Group α] [Finite α]",
    }  # fmt: skip


@every_case(("text", "statement"), [
    ("theorem a (n : ℕ := 3) : n = n := p", "(n : ℕ := 3) : n = n"),
    ("theorem a.{u, v} {α : Type u} : T := p", "{α : Type u} : T"),
    ("theorem a : let x := 1; x = x := p", ": let x := 1; x = x"),
    ("theorem a :\n    |x| ≤ 1   -- why\n    ∧ y := p", ":\n|x| ≤ 1\n∧ y"),
    ("def a : ℕ → ℕ\n  | 0 => 1\n  | n + 1 => n", ": ℕ → ℕ"),
    ("instance a : Foo where\n  bar := 1", ": Foo"),
    ("structure A (α : Type) extends B where\n  -- no\n  x : α\n  /-- y -/\n  y : α := x\n\ntheorem b : T := p",
     "(α : Type) extends B where\nx : α\ny : α := x"),
    ("axiom a : T\n#check a", ": T"),
    ("abbrev a := Foo Bar\n\nend", ":= Foo Bar"),
    ("theorem a : f (g [x) := p", ": f (g [x) := p"),
    ("theorem a : \"x := y\" = s := p", ': "x := y" = s'),
])  # fmt: skip
def test_a_statement_ends_before_the_value(text: str, statement: str) -> None:
    first = next(iter(read(text)[0].values()))
    assert first.statement == statement


def test_docstrings_belong_to_what_follows() -> None:
    declarations = declared("""/-- First. -/
-- a note
@[simp]
theorem a : T := p
/-- Second. -/ @[inline] def b := 1
theorem c : T := p
/-- Of the structure. -/
structure D where
  /-- Of the field. -/
  x : ℕ

/-- Of the example. -/
example : T := p
theorem e : T := p
""")
    texts = {
        name: declaration.docstring.text for name, declaration in declarations.items()
        if isinstance(declaration.docstring, DocComment)
    }  # fmt: skip
    assert texts == {"a": "First.", "b": "Second.", "D": "Of the structure."}
    assert [comment.text for comment in declarations["D"].inner] == ["Of the field."]


def test_attributes_and_modifiers() -> None:
    declarations = declared("""@[simp, to_additive (attr := norm_cast, simp) add_a /-- Sum, of. -/,
  deprecated b (since := "1")]
protected noncomputable theorem a : T := p
attribute [local ext high, -simp] a
attribute [simp] nowhere a in
theorem b : T := p
""")
    first = declarations["a"]
    assert [attribute.name for attribute in first.attributes] == ["simp", "to_additive", "deprecated", "ext"]
    additive = first.attributes[1]
    assert [attribute.name for attribute in additive.nested] == ["norm_cast", "simp"]
    assert (additive.words, isinstance(additive.doc, DocComment) and additive.doc.text) == (["add_a"], "Sum, of.")
    assert first.modifiers == ("protected", "noncomputable")
    assert first.attribute("norm_cast") is not None
    assert first.attribute("nothing") is None


def test_namespaces_are_open_as_long_as_their_section() -> None:
    declarations = declared("""open A B.C (d e)
theorem a : T := p
section
open scoped F
  G
open H hiding i in
theorem b : T := p
  open J in
theorem c : T := p
end
theorem d : T := p
""")
    assert {name: declaration.opened for name, declaration in declarations.items()} == {
        "a": ("A", "B.C"), "b": ("A", "B.C", "F", "G", "H"), "c": ("A", "B.C", "F", "G"), "d": ("A", "B.C"),
    }  # fmt: skip


def test_aliases_stand_for_others_and_give_them_names() -> None:
    declarations = declared("""namespace N
theorem a (x : ℕ) : x = x ↔ T := p
alias b := a
@[deprecated (since := "2025-01-01")] alias old := a
alias ⟨c, _⟩ := a
protected alias ⟨_root_.d,
  e⟩ := a
alias f := Other.g
end N
#align n.a N.a
#align nowhere Nowhere
""")
    assert list(declarations) == ["N.a", "N.b", "N.old", "N.c", "d", "N.e", "N.f"]
    assert declarations["N.a"].names == ["N.old", "n.a"]
    assert {declaration.origin for name, declaration in declarations.items() if name != "N.f"} == {"", "N.a"}
    assert declarations["N.f"].origin == "Other.g"
    assert declarations["d"].statement == "(x : ℕ) : x = x ↔ T"


def test_instances_without_names_are_numbered() -> None:
    assert list(declared("""variable {α : Type}
instance : Inhabited (List α) := p
instance [Foo α] : Inhabited (List α) := p
instance (priority := low) : Inhabited (List α) := p
namespace List
instance : Inhabited (List α) := p
end List
""")) == ["instInhabitedList", "instInhabitedListOfFoo", "instInhabitedList_1", "List.instInhabited"]  # fmt: skip
