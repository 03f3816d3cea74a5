"""Statements in words and formulas: equal up to letters, order of sentences and direction of equations."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus import split_math
from porism.search.statements.canonical import canonical_form
from porism.search.statements.informal import MAX_TOKENS, informal_statement


def form(text: str) -> str:
    statement = informal_statement(split_math(text))
    assert statement is not None
    return canonical_form(statement)


@every_case(("first", "second"), [
    ("Let $x$ be even. Then $x+5$ is odd.", "Let $n$ be even. Then $n+5$ is odd."),
    ("Let $x > 0$. Let $y < 0$. Then $xy < 0$.", "Let $b < 0$. Let $a > 0$. Then $ab < 0$."),
    (r"We have $x \ge 0$.", r"We have $0 \le x$."),
    ("We have $a^2 = b + c$.", "We have $x + y = z^2$."),
])
def test_equal_statements_share_a_form(first: str, second: str) -> None:
    assert form(first) == form(second)


@every_case(("first", "second"), [
    ("Let $x$ be even. Then $x+5$ is odd.", "Let $x$ be odd. Then $x+5$ is even."),
    ("We have $a < b$.", "We have $a < a$."),
    (r"Let $a$ be odd. Then $a \ge b$.", r"Let $a$ be odd. Then $a \le b$."),
    (r"A set is $G_\delta$.", r"A set is $F_\sigma$."),
    (r"$f(e) = 1$", r"$f(a) = 1$"),
    (r"$a, b = c$", r"$c = a, b$"),
    (r"$\mathbb{R}$ is a field.", r"$\mathbb{Q}$ is a field."),
])
def test_others_do_not(first: str, second: str) -> None:
    assert form(first) != form(second)


def test_long_and_empty_texts_have_no_statement() -> None:
    assert informal_statement(split_math("")) is None
    assert informal_statement(split_math("word " * 4 * MAX_TOKENS)) is None
