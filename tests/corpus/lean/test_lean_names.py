"""Names of Lean: in namespaces, of instances without one, and those that attributes give."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.lean.names import full_name, instance_name, last_part, namespace_part
from porism.corpus.lean.translations import ADDITIVE, DUAL, split_words


def test_names_in_namespaces() -> None:
    assert full_name("A.B", "c.d") == "A.B.c.d"
    assert full_name("A.B", "_root_.c") == "c"
    assert full_name("", "c") == "c"
    assert (namespace_part("A.«b.c».d"), last_part("A.«b.c».d")) == ("A.«b.c»", "d")
    assert (namespace_part("A.«b.c»"), last_part("A.«b.c»")) == ("A", "«b.c»")
    assert (namespace_part("a"), last_part("a")) == ("", "a")


@every_case(("type_text", "hypotheses", "namespace", "name"), [
    ("Monoid (α × β)", [], "", "instMonoidProd"),
    ("Group G", [], "", "instGroup"),
    ("Monoid G", ["Group G"], "", "instMonoidOfGroup"),
    ("Denumerable ℚ", [], "Rat", "instDenumerable"),
    ("Add (Vector ℕ n)", [], "", "instAddVectorNat"),
    ("Fact p.Prime", [], "", "instFactPrime"),
    ("Foo (Bar α) (Bar β)", [], "", "instFooBar"),
    ("Decidable (a ≤ b)", [], "", "instDecidableLE"),
    ("", [], "", "inst"),
])  # fmt: skip
def test_instances_without_a_name_have_one_of_their_constants(
    type_text: str, hypotheses: list[str], namespace: str, name: str
) -> None:
    assert instance_name(type_text, hypotheses, lambda part: part in ("α", "β", "p"), namespace) == name


def test_a_deeply_nested_type_has_a_name() -> None:
    assert instance_name(f"{'(' * 5_000}Foo", [], lambda name: False, "").startswith("inst")


@every_case(("name", "words"), [
    ("HMulLE_top", ["HMul", "LE", "_", "top"]),
    ("mul_one", ["mul", "_", "one"]),
    ("isLeftRegular", ["is", "Left", "Regular"]),
    ("InvConjugate₂SMul", ["Inv", "Conjugate₂", "SMul"]),
    ("CoeTCFoo", ["CoeTC", "Foo"]),
    ("a", ["a"]),
    ("", []),
])  # fmt: skip
def test_words_of_names(name: str, words: list[str]) -> None:
    assert split_words(name) == words


@every_case(("name", "translated"), [
    ("mul_comm", "add_comm"),
    ("mul_comm'", "add_comm'"),
    ("CommMonoid", "AddCommMonoid"),
    ("Finset.prod_insert_one", "Finset.sum_insert_zero"),
    ("Prod.fst_mul", "Prod.fst_add"),
    ("MonoidHom.map_inv", "AddMonoidHom.map_neg"),
    ("one_lt_mul_iff", "pos_add_iff"),
    ("eventuallyLE_one", "eventuallyLE_zero"),
    ("IsSquare.mul", "Even.add"),
    ("DivisionMonoid.inv", "SubtractionMonoid.neg"),
    ("Con.ker", "AddCon.ker"),
    ("LeftCancelMonoid", "AddLeftCancelMonoid"),
    ("finprod_mem", "finsum_mem"),
    ("Group", "AddGroup"),
])  # fmt: skip
def test_additive_names(name: str, translated: str) -> None:
    assert ADDITIVE.full_name(name) == translated


@every_case(("name", "translated"), [
    ("le_sup_left", "le_inf_left"),
    ("OrderTop.top_le", "OrderBot.bot_le"),
    ("isGLB_Ioi", "isLUB_Iio"),
    ("CategoryTheory.Limits.cone_limit", "CategoryTheory.Limits.cocone_colimit"),
    ("Codisjoint.symm", "Disjoint.symm"),
])  # fmt: skip
def test_dual_names(name: str, translated: str) -> None:
    assert DUAL.full_name(name) == translated
    assert DUAL.full_name(translated) == name
