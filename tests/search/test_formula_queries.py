"""What becomes of the things that a formula search can be asked, broken ones too."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import Problem, QueryError
from porism.search.formula_queries import (
    MAX_FORMULA_LENGTH,
    MAX_FORMULAS,
    MAX_QUERY_LENGTH,
    FormulaQuery,
    make_formula_query,
    read_formula_question,
)
from porism.types import Content, Formula, Query

MATHML = "<math><msup><mi>x</mi><mn>2</mn></msup></math>"


def asked(question: str | Formula | Content | Query) -> tuple[list[str], list[str]]:
    """The sources of the formulas asked for, and what was reported."""
    problems: list[Problem] = []
    query = make_formula_query(question, problems.append)
    return [formula.source for formula in query.formulas], [str(problem) for problem in problems]


@every_case(("question", "sources"), [
    ("$x^2$", ["x^2"]), ("x^2", ["x^2"]), (r"\(x^2\)", ["x^2"]), ("$$x^2$$", ["x^2"]), (f"  {MATHML} ", [MATHML]),
    (r"\frac{\text{if $n$ is}}{2}", [r"\frac{\text{if $n$ is}}{2}"]), ("{x} and $y$", ["y"]),
    ("$a+b$ and $c$, then $a+b$", ["a+b", "c"]), ("?x + ?y", ["?x + ?y"]),
    (r"\begin{align}a&=b\end{align}", [r"\begin{align}a&=b\end{align}"]),
])
def test_formulas_are_found_however_they_are_written(question: str, sources: list[str]) -> None:
    assert asked(question) == (sources, [])


@every_case(("typed", "read"), [
    ("sqrt(x+1)", r"\sqrt{x+1}"), ("x squared plus one", "x^{2}+1"),
    ("∀ x : ℝ, 0 ≤ x ^ 2", r"\forall x\in\mathbb{R}:0\le x^{2}"),
    ("frac(a, b)", r"\frac{a}{b}"), ("the value of sqrt(x) here", r"the value of $\sqrt{x}$ here"),
])
def test_what_is_typed_in_a_plain_notation_is_read_in_it(typed: str, read: str) -> None:
    content, notes = read_formula_question(typed)
    assert isinstance(content, Content)
    assert content.to_latex() == (read if "$" in read else f"${read}$")
    assert notes == [f"read as a formula: ${read.split('$')[1] if '$' in read else read}$"]


@every_case("typed", [
    "x^2+1", "∑ a ≤ b", r"\sqrt x", "$sqrt(x)$", "a b", MATHML, "words and no formula", "",
])
def test_what_latex_reads_alike_stays_as_it_is(typed: str) -> None:
    assert read_formula_question(typed) == (typed, [])


def test_formulas_and_contents_are_taken_as_they_are() -> None:
    formula = Formula("x^2", id="7", display=True)
    assert make_formula_query(formula) == FormulaQuery((formula,))
    assert make_formula_query(Content.of(formula)).formulas == (formula,)
    assert make_formula_query(MATHML).formulas[0].notation == "mathml"


def test_words_beside_formulas_are_the_context() -> None:
    assert make_formula_query("$x$, $y$ (1).").context is None
    context = make_formula_query("roots of $x^2$").context
    assert context is not None
    assert context.content.to_latex() == "roots of $x^2$"


def test_the_formula_of_a_topic_is_asked_for_and_the_rest_is_context() -> None:
    formula, title = Content.of(Formula("x^2", id="q_1")), Content.of("The square ", Formula("y"))
    topic = Query("B.1", {"formula": formula, "title": title, "tags": Content("")}, {"formula_id": "q_1"})
    query = make_formula_query(topic)
    assert query.formulas == formula.formulas
    assert query.context == Query("B.1", {"title": title}, {"formula_id": "q_1"})
    assert make_formula_query(Query("B.2", {"formula": formula})).context is None
    assert [found.source for found in make_formula_query(Query("A.1", {"title": title})).formulas] == ["y"]


@every_case(("question", "sources", "report"), [
    ("$x", ["x"], "a delimiter of formulas has no partner"),
    (r"x \] y", ["x   y"], "a delimiter of formulas has no partner"),
    ("sum of squares", ["sum of squares"], "no formula between dollars"),
    ("$?x$", ["?x"], "is only a wildcard"),
    (r"$\frac{a}{$", [r"\frac{a}{"], "never closed"),
    (r"$\foo x$", [r"\foo x"], r"unknown command \foo"),
    ("$x$ and ${}$", ["x"], "nothing in it"),
    ("x" * 100_000, ["x" * MAX_FORMULA_LENGTH], "has 100,000 characters, of which the first 20,000 count"),
])
def test_what_is_not_understood_is_reported_and_the_rest_asked(question: str, sources: list[str], report: str) -> None:
    found, problems = asked(question)
    assert found == sources
    assert report in problems[0]


def test_reports_of_one_formula_are_few_and_in_order() -> None:
    _, problems = asked("$" + "{x" * 10 + "$" + "$y$")
    assert len(problems) == 4
    assert problems[0].startswith("formula '{x{x{x{x{x{x{x{x{x{x': character 0: ")
    assert "7 more things" in problems[-1]


def test_of_many_formulas_the_longest_count() -> None:
    formulas = [f"x^{{{number}}}" for number in range(MAX_FORMULAS + 5)]
    found, problems = asked(" ".join(f"${formula}$" for formula in formulas))
    assert found == [*formulas[:5], *formulas[10:]]
    assert f"of its {MAX_FORMULAS + 5} formulas the {MAX_FORMULAS} longest count" in problems[0]


@every_case("question", ["", "  ", "$", "$$", "$ $", "{}", "$~$", "\x00", Content(""), Formula(" ")])
def test_nothing_to_search_for_is_refused(question: str) -> None:
    with pytest.raises(QueryError, match="the query has no formula"):
        make_formula_query(question)


def test_a_document_is_no_query() -> None:
    with pytest.raises(QueryError, match="1,000,001 characters"):
        make_formula_query("x" * (MAX_QUERY_LENGTH + 1))


@given(st.text(r"$\frac{}[]()<mathi>/ ^_xyé?'&", max_size=60))
def test_any_text_is_asked_or_refused(question: str) -> None:
    try:
        query = make_formula_query(question, lambda problem: None)
    except QueryError:
        return
    assert query.formulas
