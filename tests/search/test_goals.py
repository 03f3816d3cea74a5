"""Goals of a proof assistant as queries."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import QueryError
from porism.search.goals import MAX_GOAL, Goal, goal_query, read_goal


def test_a_goal_is_read_as_lean_prints_it() -> None:
    goal = read_goal("case inl\nx y✝ : ℕ\nh : Dvd x\n    y\n⊢ x * 2\n  ∣ y\n\ncase inr\n⊢ False")
    assert goal == Goal(("ℕ", "Dvd x y"), "x * 2 ∣ y", frozenset(("x", "y", "h")))
    assert read_goal("h : a ∣ b ⊢ a = b") == Goal(("a ∣ b",), "a = b", frozenset("h"))
    assert read_goal("a + b = b + a") == Goal((), "a + b = b + a")


def test_a_query_has_constants_and_the_names_of_symbols_but_no_variables() -> None:
    text = goal_query(read_goal("x y : Nat\nh : Even x\n⊢ ∃ z, Odd z ∧ x.succ ≤ z⁻¹")).content.text
    assert set(text.split()) == {
        "∃", ",", "Odd", "∧", ".succ", "≤", "⁻¹", "exists", "and", "le", "inv", "Nat", "Even",
    }  # fmt: skip
    assert text.count("Odd") > text.count("Even")
    assert goal_query(read_goal("x : T\n⊢ x")).content.text == "T"
    assert goal_query(Goal((), "x", frozenset("x"))).content.text == "x"


@every_case("text", ["", "h : a ⊢ ", "a" * (MAX_GOAL + 1)])
def test_what_is_no_goal_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        read_goal(text)


@given(st.text(st.sampled_from("ab✝ :⊢\n∃∀,+*∣()[]{}.=λx1")))
def test_any_text_is_a_goal_or_refused(text: str) -> None:
    try:
        goal = read_goal(text)
    except QueryError:
        return
    assert goal_query(goal).content.text
