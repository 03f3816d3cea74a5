"""Hypotheses and conclusions of declarations are formulas in their places."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.lean.documents import LeanDocuments
from porism.corpus.lean.signatures import statement_spans
from porism.corpus.lean.translated import translated
from porism.corpus.lean.translations import ADDITIVE, DUAL, Translation
from porism.types import Content, Document, Formula

SIGNATURES = {
    "(a b : G) [Group G] {s : Set (α × β)} (h : a ≤ b := by simp) : a * b = b * a":
        ["Group G", "Set (α × β)", "a ≤ b", "a * b = b * a"],
    "{α : Type*} [Lattice α] : ∀ {a b : α}, a ≤ b → b ≤ c → ∀ x ∈ s, a → b":
        ["Lattice α", "a ≤ b", "b ≤ c", "∀ x ∈ s, a → b"],
    ": a = b → c = d ↔ e = f": ["a = b → c = d ↔ e = f"],
    ": (f : M →ₗ[R] N) → ∃ x, p x → q": ["M →ₗ[R] N", "∃ x, p x → q"],
    ": ∀ x, ∀ (h : p x), q x → r": ["p x", "q x", "r"],
    "(n : ℕ) : ℕ → Fin n": ["Fin n"],
    "(h : a = b)": [],
    ": ∀ᶠ x in f, p x → q x": ["∀ᶠ x in f, p x → q x"],
}  # fmt: skip

TRANSLATED = [
    (ADDITIVE, "(a * b)⁻¹ = b⁻¹ / 1", "(-(a + b)) = (-b) - 0"),
    (ADDITIVE, "∏ i ∈ range (n + 1), f i = 1", "∑ i ∈ range (n + 1), f i = 0"),
    (ADDITIVE, "∏ i, f i * g i = c * d", "∑ i, (f i + g i) = c + d"),
    (ADDITIVE, "a ^ (n + 1) = s.prod f", "((n + 1) • a) = s.sum f"),
    (DUAL, "a ⊔ b ≤ c ↔ a < ⊤", "c ≤ a ⊓ b ↔ ⊥ < a"),
]


def read(text: str) -> list[Document]:
    return list(LeanDocuments(text, "A.lean", "lib", "A", lambda problem: None).documents())


@every_case(("text", "formulas"), SIGNATURES.items())
def test_a_signature_is_parted(text: str, formulas: list[str]) -> None:
    assert [text[start:end] for start, end in statement_spans(text)] == formulas


def test_a_signature_has_its_text_and_its_lines() -> None:
    (document,) = read("theorem foo\n    (h : a ≤\n      b) :\n    a = b →\n    c = d := by simp\n")
    signature = document.fields["signature"]
    assert [formula.source for formula in signature.formulas] == ["a ≤\nb", "a = b", "c = d"]
    assert [signature.line_of(signature.character_of(number)) for number in range(3)] == [1, 3, 4]
    text = signature.with_terms_as_text()
    assert text.text == "(h : a ≤\nb) :\na = b →\nc = d"
    assert [text.line_of(text.text.index(part)) for part in ("(h", "b)", "a = b", "c = d")] == [1, 2, 3, 4]


def test_text_and_formulas_of_other_notations_stay() -> None:
    content = Content.of("a ", Formula("x"), " b ", Formula("y z", "lean"), "c")
    assert content.with_terms_as_text() == Content.of("a ", Formula("x"), " b y zc")
    plain = Content.of("a ", Formula("x"))
    assert plain.with_terms_as_text() is plain


def test_structures_are_text() -> None:
    (document,) = read("structure Foo (h : a = b) where\n  x : ℕ\n")
    assert document.fields["signature"].formulas == ()


@every_case(("translation", "written", "expected"), TRANSLATED)
def test_statements_are_translated(translation: Translation, written: str, expected: str) -> None:
    assert translated(written, translation) == expected


def test_what_attributes_make_has_its_own_statement_or_none() -> None:
    original, additive, simplified = read(
        "@[to_additive, simps apply]\ntheorem mul_comm [CommMonoid M] (a b : M) : a * b = b * a := proof\n"
    )
    assert original.fields["signature"].formulas[-1].source == "a * b = b * a"
    assert additive.title.text == "add_comm"
    assert additive.fields["signature"].to_latex() == "[AddCommMonoid M] (a b : M) : a + b = b + a"
    assert simplified.fields["signature"].formulas == ()
