"""Formulas in text: what is one, what is not, and how long it takes to tell."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from long_forms import LONG_ONLY

from porism.corpus.mathtext import split_math
from porism.errors import Problem
from porism.types import PLACEHOLDER, Content, Formula


def shape(text: str, *, code: bool = False) -> list[str | tuple[str, bool]]:
    """The parts of a text: strings, and (source, display) of formulas."""
    parts = split_math(text, code=code).parts
    return [part if isinstance(part, str) else (part.source, part.display) for part in parts]


def problems(text: str) -> list[Problem]:
    found: list[Problem] = []
    split_math(text, on_problem=found.append, where="here")
    return found


@every_case(
    ("text", "parts"),
    [
        ("let $x$ be", ["let ", ("x", False), " be"]),
        ("$$x^2$$ and $y$", [("x^2", True), " and ", ("y", False)]),
        (r"\(a\) then \[b\]", [("a", False), " then ", ("b", True)]),
        ("$ x $ with room", [("x", False), " with room"]),
        ("$x$$y$", [("x", False), ("y", False)]),
        (r"costs \$5, not $x$", ["costs $5, not ", ("x", False)]),
        (r"$x\$y$", [(r"x\$y", False)]),
        (r"$a \text{ if $b$ holds}$ else", [(r"a \text{ if $b$ holds}", False), " else"]),
        (r"\(a \mbox{ if \(b\)}\)", [(r"a \mbox{ if \(b\)}", False)]),
        (r"set $\{1,2\}$ and $\{3\}$", ["set ", (r"\{1,2\}", False), " and ", (r"\{3\}", False)]),
        (r"\\[2pt] $x$", ["\\\\[2pt] ", ("x", False)]),
        ("several\nlines $a\n+b$", ["several\nlines ", ("a\n+b", False)]),
        ("$$\r\na\r\n$$\r\nb", [("a", True), "\r\nb"]),
        ("$1-xyzw$ as a sum", [("1-xyzw", False), " as a sum"]),
        ("$$$$ is empty", [" is empty"]),
    ],
)
def test_delimiters(text: str, parts: list[object]) -> None:
    assert shape(text) == parts


@every_case(
    ("text", "parts"),
    [
        (
            r"So \begin{align} a&=b\\ c&=d \end{align} holds",
            ["So ", (r"\begin{align} a&=b\\ c&=d \end{align}", True), " holds"],
        ),
        (r"\begin{equation*}x\end{equation*}", [(r"\begin{equation*}x\end{equation*}", True)]),
        (
            r"\begin{cases}\begin{cases}a\end{cases}\end{cases}!",
            [(r"\begin{cases}\begin{cases}a\end{cases}\end{cases}", True), "!"],
        ),
        (r"\begin{align}\text{if $x$}\end{align}", [(r"\begin{align}\text{if $x$}\end{align}", True)]),
        (
            r"$\begin{pmatrix}1\\2\end{pmatrix}$ is",
            [(r"\begin{pmatrix}1\\2\end{pmatrix}", False), " is"],
        ),
        (r"\begin{itemize}$x$\end{itemize}", [r"\begin{itemize}", ("x", False), r"\end{itemize}"]),
        (r"\begin{align} never ends", [r"\begin{align} never ends"]),
    ],
)
def test_bare_environments_keep_their_begin_and_end(text: str, parts: list[object]) -> None:
    assert shape(text) == parts


@every_case(
    ("text", "parts"),
    [
        ("$5 and $10", ["$5 and $10"]),
        ("from $5-$10 or $3.50", ["from $5-$10 or $3.50"]),
        ("I paid $5. Then $x+1$ is", ["I paid $5. Then ", ("x+1", False), " is"]),
        ("she has $1,000 and $n$ coins", ["she has $1,000 and ", ("n", False), " coins"]),
        ("exactly $5$ apples and $2 + 2 = 4$", ["exactly ", ("5", False), " apples and ", ("2 + 2 = 4", False)]),
        ("US$ is strong and good. $x$", ["US$ is strong and good. ", ("x", False)]),
    ],
)
def test_prices_are_text(text: str, parts: list[object]) -> None:
    assert shape(text) == parts


def test_a_lonely_dollar_is_kept_and_reported_with_its_place() -> None:
    text = "where $x is a prime and $y$ is odd"
    assert shape(text) == ["where $x is a prime and ", ("y", False), " is odd"]
    (problem,) = problems(text)
    assert problem.where == "here"
    assert "character 7" in problem.what
    assert "$x is a prime" in problem.what


@every_case(
    "text",
    ["$$x$ y", "$x$$", r"\[ a", r"\( a", "$", "$$", "$a\n\nb$ c", "$a\r\n\r\nb$", r"\begin{align} a"],
)
def test_whatever_has_no_partner_is_reported_once(text: str) -> None:
    assert len(problems(text)) == 1


@every_case("text", ["$5 and $10", r"\$5", r"a \) b", "no dollars", "", "$x$", "$$$$"])
def test_nothing_is_reported_where_nothing_is_wrong(text: str) -> None:
    assert problems(text) == []


def test_an_unclosed_formula_ends_with_its_paragraph() -> None:
    assert shape("$$ a\n\nb $$ c $$ d") == ["$$ a\n\nb ", ("c", True), " d"]


def test_code_keeps_its_dollars_in_markdown_only() -> None:
    text = "`$a$` $b$\n\n```\n$c$\n```\n$d$"
    assert shape(text, code=True) == ["`$a$` ", ("b", False), "\n\n```\n$c$\n```\n", ("d", False)]
    assert [formula.source for formula in split_math(text).formulas] == ["a", "b", "c", "d"]


def test_a_backtick_left_open_does_not_hide_formulas_of_other_paragraphs() -> None:
    assert shape("don`t\n\n$x$ isn`t", code=True) == ["don`t\n\n", ("x", False), " isn`t"]


def test_a_placeholder_in_the_text_becomes_a_space() -> None:
    assert split_math(f"a{PLACEHOLDER}b") == Content("a b")
    assert split_math(f"a{PLACEHOLDER}$b$") == Content(f"a {PLACEHOLDER}", (Formula("b"),))


PIECES = [*"$$$\\{}()[]ab5 \n`~", r"\begin{align}", r"\end{align}"]


@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text())
def test_any_text_is_split_and_every_formula_stands_in_it(text: str) -> None:
    for code in (False, True):
        content = split_math(text, code=code)
        assert all(formula.source and formula.source in text for formula in content.formulas)


@given(st.lists(st.text(alphabet="abxyz+-^_", min_size=1).map(lambda body: body.strip() or "a"), max_size=8))
def test_formulas_between_words_come_back(sources: list[str]) -> None:
    content = split_math(" and ".join(f"${source}$" for source in sources))
    assert [formula.source for formula in content.formulas] == sources


@LONG_ONLY
@pytest.mark.parametrize(
    "unit",
    [
        "$", "${", "$}", r"\(", r"\[", r"\begin{align}", r"\end{align}",
        "$5 and ", "$ab cd ", "` `` $", "\n $", "$ab cde {",
    ],
)
def test_hostile_input_takes_linear_time(unit: str, assert_linear) -> None:
    def work(size: int) -> None:
        split_math(unit * (size // len(unit)), code=True, on_problem=lambda problem: None)

    assert_linear(work, 4_000, 16_000)
    work(200_000)
