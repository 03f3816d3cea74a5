"""Questions as they are typed: phrases, words for one field, filters, formulas with and without dollars."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import QueryError
from porism.retrieve import DEFAULT_MODEL
from porism.search.questions import LOST_BASE, NO_PARTNER, SPOKEN, Condition, make_query, read_question
from porism.types import PLACEHOLDER, Content, Formula, Query

FIELDS = ("title", "body", "labels")


def words(query: Query) -> str:
    """The words of a query with single blanks, formulas in LaTeX."""
    return " ".join(query.content.to_latex().split())


def test_plain_questions_have_no_conditions() -> None:
    asked = read_question("why does $\\sum 1/n^2$ converge: a proof?", FIELDS)
    assert words(asked.query) == "why does $\\sum 1/n^2$ converge: a proof?"
    assert (asked.conditions, asked.filters, asked.notes) == ((), {}, ())


@every_case(("text", "conditions", "rest"), [
    ('"uniform convergence" of series', [Condition(Content("uniform convergence"))], "uniform convergence of series"),
    ("“uniform convergence”", [Condition(Content("uniform convergence"))], "uniform convergence"),
    ("title:compact sets", [Condition(Content("compact"), "title", False)], "compact sets"),
    ("Title:compact", [Condition(Content("compact"), "title", False)], "compact"),
    ('a title:"compact set" b', [Condition(Content("compact set"), "title")], "a compact set b"),
    ("labels:five-lemma", [Condition(Content("five-lemma"), "labels", False)], "five-lemma"),
    ("(title:compact)", [Condition(Content("compact"), "title", False)], "( compact )"),
    ('"closed under $\\sigma$"', [Condition(Content.of("closed under ", Formula("\\sigma")))],
     "closed under $\\sigma$"),
    ("title:$x^2$ $y$", [Condition(Content.of(Formula("x^2")), "title", False)], "$x^2$ $y$"),
    ('a 5" pipe', [], 'a 5" pipe'), ('say "?" loudly', [], 'say "?" loudly'), ('open " quote', [], 'open " quote'),
    ("at 10:30 see http://a.b/c", [], "at 10:30 see http://a.b/c"), ("f:X to Y", [], "f:X to Y"),
    ("definition: a set", [], "definition: a set"),
])
def test_phrases_and_fields_are_conditions(text: str, conditions: list[Condition], rest: str) -> None:
    asked = read_question(text, FIELDS)
    assert list(asked.conditions) == conditions
    assert words(asked.query) == rest
    assert asked.text == text


def test_a_key_of_the_metadata_is_a_filter() -> None:
    asked = read_question('type:theorem type:lemma tags:"number theory" primes', FIELDS, lambda: {"type", "tags"})
    assert asked.filters == {"type": ("theorem", "lemma"), "tags": ("number theory",)}
    assert words(asked.query) == "primes"
    both = read_question("title:prime", FIELDS, lambda: {"title"})
    assert not both.filters
    with pytest.raises(QueryError, match="filters and nothing to search for"):
        read_question("type:theorem", FIELDS, lambda: {"type"})


def test_an_unknown_field_is_refused_with_the_nearest() -> None:
    with pytest.raises(QueryError, match=r"no field 'titel'. Did you mean title\? .*blank after the colon"):
        read_question("titel:compact", FIELDS)
    with pytest.raises(QueryError, match="Choose from body, labels, title"):
        read_question('zzz:"a b"', FIELDS)


@every_case(("text", "note"), [
    ("$x^2 and y", NO_PARTNER), ("$ is prime", NO_PARTNER), ("^2 + y^2 = z^2$", NO_PARTNER),
    ("^2$ and ^2$", LOST_BASE), ("$_1 + _2$ x", LOST_BASE),
])
def test_what_the_shell_took_is_noticed(text: str, note: str) -> None:
    for guess in (False, True):
        asked = read_question(text, FIELDS, guess_formulas=guess)
        assert asked.notes[0] == note
        assert "$" not in asked.query.content.text


@every_case("text", ["$x^2$ and $y^2$", "it costs \\$5", "$5 and $10", "x^2", "$a_1^2$", "a ^ b"])
def test_nothing_is_noticed_where_nothing_is_wrong(text: str) -> None:
    assert read_question(text, FIELDS).notes == ()


def test_the_empty_query_that_the_shell_left_names_the_cause() -> None:
    with pytest.raises(QueryError, match="the query is empty") as caught:
        read_question("", FIELDS)
    assert "shell" not in str(caught.value)


def test_formulas_without_dollars_are_recognised_when_asked_for() -> None:
    strict = read_question("is x^2 + 1 prime", FIELDS)
    assert (strict.query.content.formulas, strict.notes) == ((), ())
    guessed = read_question('is x^2 + 1 prime "the x^2 y"', FIELDS, guess_formulas=True)
    assert [formula.source for formula in guessed.query.content.formulas] == ["x^{2}+1"]
    assert guessed.notes == ("read as a formula: $x^{2}+1$",)
    assert guessed.conditions == (Condition(Content("the x^2 y")),)  # a phrase stays as it is
    doubtful = read_question("is n/2 prime", FIELDS, guess_formulas=True)
    assert doubtful.notes == ("read as words: n/2. Put formulas between dollars: '$n/2$'",)
    assert make_query("is x^2 prime").content.formulas == ()
    assert make_query("is x^2 prime", guess_formulas=True).content.formulas == (Formula("x^{2}"),)


def test_the_words_of_spoken_formulas_are_searched_in_a_field_of_their_own() -> None:
    text = "is A union B equals C"
    for query in (read_question(text, FIELDS, guess_formulas=True).query, make_query(text, guess_formulas=True)):
        assert query.fields == {"query": Content.of("is ", Formula(r"A\cup B=C")), SPOKEN: Content("union equals")}
    assert 0 < DEFAULT_MODEL.query_field_weights[SPOKEN] < 1


@given(st.text(alphabet='ab "“”title:$^_x2\\', max_size=40))
def test_any_text_is_a_question_or_a_query_error(text: str) -> None:
    for guess in (False, True):
        try:
            asked = read_question(text, FIELDS, guess_formulas=guess)
        except QueryError:
            continue
        content = asked.query.content
        assert content.text.count(PLACEHOLDER) == len(content.formulas)
