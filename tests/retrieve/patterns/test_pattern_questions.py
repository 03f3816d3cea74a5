"""What patterns say: names, hypotheses, conclusions, wildcards."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import Problem, QueryError
from porism.retrieve.patterns.question import MAX_LENGTH, MAX_PATTERN_NODES, PatternQuestion, read_patterns

PIECES = st.sampled_from([
    "?a", "?f ", "_", "+", " → ", "⊢", ",", ";", '"', "comm", "Real.sqrt", "\\sqrt{", "}", "(", ")", "∀ x, ", "=", "|-",
    "\\implies ", "fun x => ", "\ud800",
])


def roles(question: PatternQuestion) -> list[list[tuple[str, str]]]:
    return [[(pattern.role, pattern.source) for pattern in group] for group in question.groups]


@every_case(("text", "expected"), [
    ("?a ⊔ ?b = _", [[("anywhere", "?a ⊔ ?b = _")]]),
    ("⊢ ?a < ?b", [[("conclusion", "?a < ?b")]]),
    ("|- ?a < ?b", [[("conclusion", "?a < ?b")]]),
    ("?a < ?b; ?b < ?c ⊢", [[("hypothesis", "?a < ?b"), ("hypothesis", "?b < ?c")]]),
    ("?a ≤ ?b → ?a < ?c", [[("hypothesis", "?a ≤ ?b"), ("conclusion", "?a < ?c")]]),
    (r"?a \le ?b \implies ?a < ?c", [[("hypothesis", r"?a \le ?b"), ("conclusion", "?a < ?c")]]),
    ("?a ≤ ?b → _", [[("hypothesis", "?a ≤ ?b")]]),
    ("∑ i ∈ s, ?f i = 0, ?a + ?b", [[("anywhere", "∑ i ∈ s, ?f i = 0")], [("anywhere", "?a + ?b")]]),
    ("?f (?a, ?b) = 1", [[("anywhere", "?f (?a, ?b) = 1")]]),
])  # fmt: skip
def test_parts_have_their_roles(text: str, expected: list[list[tuple[str, str]]]) -> None:
    assert roles(read_patterns(text)) == expected


def test_names_and_parts_of_names() -> None:
    question = read_patterns('Real.sqrt, Nat.choose, "comm", mul')
    assert question.names == (("Real.sqrt", "sqrt"), ("Nat.choose", "binom"), ("mul", "mul"))
    assert question.name_parts == ("comm",)


def test_holes_are_wildcards_of_their_own() -> None:
    ((pattern,),) = read_patterns("_ + _ = ?a + ?a").groups
    wildcards = [node.label for node in pattern.tree.root.walk() if node.kind == "W"]
    assert len(wildcards) == 4
    assert len(set(wildcards)) == 3


def test_problems_have_their_places() -> None:
    problems: list[Problem] = []
    read_patterns("?a = ?b, ?a +", problems.append)
    assert [str(problem) for problem in problems] == ["pattern: character 13: nothing follows +"]


@every_case("text", ["", " , ", '""', "?a" * MAX_LENGTH, "+".join(["?a"] * MAX_PATTERN_NODES)])
def test_what_says_nothing_or_too_much_is_refused(text: str) -> None:
    with pytest.raises(QueryError):
        read_patterns(text)


@given(st.lists(PIECES, max_size=20).map("".join) | st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_patterns(text)
    except QueryError:
        return
