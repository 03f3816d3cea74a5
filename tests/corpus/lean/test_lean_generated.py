"""Declarations that attributes make of others."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.lean.declarations import DeclarationReader
from porism.corpus.lean.generated import generated
from porism.corpus.lean.source import LeanSource


def made(text: str) -> list[str]:
    reader = DeclarationReader(LeanSource(text), lambda place, problem: None)
    return [each.name for declaration in reader.declarations for each in generated(declaration, reader)]


@every_case(("text", "names"), [
    ("@[to_additive] theorem mul_comm : T := p", ["add_comm"]),
    ("@[to_additive foo] theorem A.mul_comm : T := p", ["A.foo"]),
    ("@[to_additive Foo.bar] theorem Monoid.mul_comm : T := p", ["Foo.bar"]),
    ("namespace A\n@[to_additive Foo.bar] theorem Monoid.mul_comm : T := p", ["A.Foo.bar"]),
    ('@[to_additive (attr := simp) "A sum."] lemma mul_one : T := p', ["add_zero"]),
    ("@[to_additive (reorder := a b) foo /-- Doc. -/] lemma mul_one : T := p", ["foo"]),
    ("@[to_additive existing] theorem mul_comm : T := p", []),
    ("@[to_additive self] theorem mul_comm : T := p", []),
    ("theorem mul_comm : T := p\nattribute [to_additive] mul_comm", ["add_comm"]),
    ("@[to_additive (attr := reassoc)] theorem mul_comm : T := p", ["add_comm", "mul_comm_assoc", "add_comm_assoc"]),
    ("@[to_dual] theorem le_sup : T := p", ["le_inf"]),
    ("@[reassoc (attr := simp), elementwise] theorem a : T := p", ["a_assoc", "a_apply"]),
    ("@[ext] structure A where", ["A.ext", "A.ext_iff"]),
    ("@[ext] theorem A.ext : T := p", ["A.ext_iff"]),
    ("@[ext (iff := false)] theorem A.ext : T := p", []),
    ("@[mk_iff] class A.IsB : Prop", ["A.isB_iff"]),
    ("@[mk_iff foo] class A.IsB : Prop", ["A.foo"]),
    ("irreducible_def A.b := 1", ["A.b_def"]),
    ("@[simps apply symm_apply] def a : B := p", ["a_apply", "a_symm_apply"]),
    ("@[simps! -isSimp (attr := simp)] def a : B where\n  toFun := f\n  map_mul' x := p\n  invFun y := g",
     ["a_apply", "a_symm_apply"]),
    ("@[simps] def A.b : C := { obj := f, map := fun x => g, map_id := p }", ["A.b_obj", "A.b_map"]),
    ("initialize_simps_projections C (toFun → coe, as_prefix coe, other → o)\n"
     "@[simps] def A.b : C n where\n  toFun := f\n  other := g", ["A.coe_b", "A.b_o"]),
    ("@[simp] theorem a : T := p", []),
])  # fmt: skip
def test_names_of_what_is_made(text: str, names: list[str]) -> None:
    assert made(text) == names


def test_what_is_made_says_of_what() -> None:
    text = "/-- A product. -/\n@[to_additive (attr := simp) /-- A sum. -/, reassoc]\ntheorem mul_a (x : ℕ) : x = x := p"
    reader = DeclarationReader(LeanSource(text), lambda place, problem: None)
    additive, theorem = generated(reader.declarations[0], reader)
    assert (additive.generated, additive.origin, additive.statement, additive.line) == (
        "to_additive", "mul_a", "(x : ℕ) : x = x", 3,
    )
    assert additive.docstring is not None
    assert not isinstance(additive.docstring, str)
    assert additive.docstring.text == "A sum."
    assert [attribute.name for attribute in additive.attributes] == ["simp"]
    assert (theorem.kind, theorem.docstring, theorem.generated) == ("theorem", None, "reassoc")
