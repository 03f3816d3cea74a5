"""Statements of Lean: which are equal up to names, order and direction, and which are not."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.corpus.lean.resolution import DeclaredNames
from porism.search.statements.canonical import canonical_form, masked_form
from porism.search.statements.formal import formal_statement
from porism.search.statements.meanings import Meanings

DECLARED = DeclaredNames({"Set.image": False, "Finset.image": False, "Set.univ": False}.get)


def form(text: str, name: str = "x", opened: tuple[str, ...] = (), instances: tuple[str, ...] = ()) -> str:
    statement = formal_statement(text, Meanings(DECLARED, name, opened, instances))
    assert statement is not None
    return canonical_form(statement)


@every_case(("first", "second"), [
    ("(a b : G) : a * b = b", "{x y : G} : x * y = y"),
    ("(a b : G) : a * b = b", "(b : G) (a : G) : b = a * b"),
    ("{a : α} (h : 0 < a) (k : p a) : a ≠ 0", "{a : α} (k : p a) (h : 0 < a) : 0 ≠ a"),
    ("{a b : α} (h : a = b) : b = a", "{a b : α} (h : b = a) : b = a"),
    ("(a : ℝ) (h : 0 < a) : 0 ≤ a", "(a : ℝ) (h : a > 0) : a ≥ 0"),
    ("[Group G] (a : G) : a = a", "{_ : Group G} (a : G) : a = a"),
    ("(a : G) (h : p a) : q a", "(a : G) : p a → q a"),
    ("(a : G) (h : p a) : q a", ": ∀ a : G, p a → q a"),
    ("(a b : G) (h : p a b) : q a", ": ∀ (y x : G), p y x → q y"),
    ("(s : Set G) : (∃ x ∈ s, p x) ↔ q s", "(t : Set G) : q t ↔ (∃ y ∈ t, p y)"),
    ("{α : Type u} (a : α) : p a", "{β : Type*} (b : β) : p b"),
    ("(f : A → B) : f.comp g = fun x ↦ f x", "(h : A → B) : h.comp g = fun y ↦ h y"),
    ("(a b c : G) : a + b = c + b ↔ a = c", "(x y z : G) : y = z ↔ y + x = z + x"),
])
def test_equal_statements_have_one_form(first: str, second: str) -> None:
    assert form(first) == form(second)


@every_case(("first", "second"), [
    ("(a b : G) : a * b = b", "(a b : G) : a * b = a"),
    ("(a b : G) : a ≤ b", "(a b : G) : a < b"),
    ("(a b : G) (h : q a) : a ≤ b", "(a b : G) (h : q a) : a ≥ b"),
    ("(a b : G) (h : a ≤ b) : p a", "(a b : G) (h : b ≤ a) : p a"),
    ("(a b : G) : a - b = b - a", "(a b : G) : a - b = a - b"),
    ("(a b : G) : f (zero, b) = a", "(a b : G) : f (one, b) = a"),
    ("(a : G) : (pi : R) = a", "(a : G) : (e : R) = a"),
    ("{α β : Type u} (a : α) (b : β) : p a b", "{α : Type u} {β : Type v} (a : α) (b : β) : p a b"),
    ("(p q : Prop) : (p ↔ q → r) → p", "(p q : Prop) : p ↔ (q → r → p)"),
    ("(p : A → Prop) : (∀ᶠ x in atTop, p x)", "(p : A → Prop) : (∀ᶠ x in atBot, p x)"),
    ("(p : A → Prop) : (∀ᶠ (x : A) in atTop, p x)", "(p : A → Prop) : (∀ᶠ (x : A) in atBot, p x)"),
    ("(a : G) : ⅟a = a", "(a b : G) : ⅟b = a"),
    ("(s : S) : sᶜ = univ", "(s t : S) : tᶜ = univ"),
    (": ¬ a = b", ": a ≠ b"),
    ("(a b : A) (x : F a) : ∀ a, p a b", "(a b : A) (x : F a) : ∀ b, p a b"),
])
def test_other_statements_have_another(first: str, second: str) -> None:
    assert form(first) != form(second)


def test_what_is_open_says_what_names_and_symbols_are() -> None:
    image = "(f s t : Prop) : image f s = t"
    assert form(image, opened=("Set",)) == form("(f s t : Prop) : Set.image f s = t")
    assert form(image, name="Set.foo") != form(image, name="Finset.foo")
    swap, star, plain = "(f : Prop) : swap f = f", "(x : Prop) : x ⋆ x = x", "(x : Prop) : x = x"
    assert form(swap, name="Prod.foo") != form(swap, name="Sum.foo")
    assert form(star, opened=("A",)) != form(star, opened=("B",))
    assert form(plain, opened=("A",)) == form(plain, opened=("B",))
    assert form(plain, instances=("i",)) != form(plain)


def test_a_signature_without_a_statement_has_none() -> None:
    meanings = Meanings(DECLARED, "x", (), ())
    assert formal_statement("(a b : G)", meanings) is None
    assert formal_statement("", meanings) is None


TOKENS = [*"(){}[]⦃⦄⟨⟩:,∀∃→↔=≠ ab.⁻", " fun ", " in ", " : ", "Type u ", " let ", "↦"]
TEXT = st.lists(st.sampled_from(TOKENS), max_size=60).map("".join)


@settings(max_examples=examples(300))
@given(TEXT)
def test_any_text_is_read(text: str) -> None:
    statement = formal_statement(text, Meanings(DECLARED, "x", (), ()))
    assert statement is None or (canonical_form(statement) and masked_form(statement))


NAMES = st.permutations(["a", "b", "c", "x", "y", "z"])


@settings(max_examples=examples(100))
@given(NAMES, st.permutations(["({0} {1} : G)", "({2} : G)", "(h{2} : {0} < {1})", "(k : {1} ≤ {2})"]), st.booleans())
def test_names_order_and_direction_do_not_count(names: list[str], binders: list[str], turned: bool) -> None:
    sides = ["{0} * {2}", "{1} + {0}"]
    text = " ".join(binders) + " : " + " = ".join(sides[::-1] if turned else sides)
    plain = "({0} {1} : G) ({2} : G) (h : {0} < {1}) (k : {1} ≤ {2}) : {0} * {2} = {1} + {0}"
    assert form(text.format(*names)) == form(plain.format("u", "v", "w"))


def test_reading_is_linear(assert_linear) -> None:
    def read(size: int) -> None:
        form(f"({' '.join(f'a{number}' for number in range(size))} : G) : " + "(p → " * size + "q" + ")" * size)

    assert_linear(read, 20, 200)
