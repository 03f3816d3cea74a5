"""Nothing of a formula is lost: its tokens are in the tree, are layout, or have a problem."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from long_forms import examples
from test_formula_properties import PIECES

from porism.formula import LayoutNode, LayoutTree, MissingToken, ParseProblem, parse_latex, unaccounted_tokens

latex = st.lists(
    st.sampled_from([piece for piece in PIECES if piece not in (r"\tag", r"\phantom")] + [r"\tag{1}", r"\phantom{x}"]),
    max_size=16,
).map("".join)


def without_first(source: str) -> LayoutTree:
    """The tree of a formula after its first symbol got lost."""
    tree = parse_latex(source)
    del tree.row[0]
    return tree


@every_case(
    ("source", "missing"),
    [
        ("x+y", [MissingToken(0, "x")]),
        (r"\alpha+y", [MissingToken(0, r"\alpha")]),
        ("12+y", [MissingToken(0, "1"), MissingToken(1, "2")]),
        (r"\frac{a}{b}+1", [MissingToken(0, r"\frac"), MissingToken(6, "a"), MissingToken(9, "b")]),
        (r"\text{if $n$}+1", [MissingToken(6, "i"), MissingToken(7, "f")]),
        (r"\foo x", [MissingToken(0, r"\foo")]),
    ],
)
def test_what_is_not_in_the_tree_is_missing(source: str, missing: list[MissingToken]) -> None:
    tree = without_first(source)
    tree.problems = ()
    assert unaccounted_tokens(tree) == missing


def test_an_argument_that_no_node_holds_is_missing() -> None:
    tree = parse_latex(r"\xrightarrow{f}")
    assert unaccounted_tokens(tree) == []
    tree.row = [LayoutNode("→", "O", 0, len(tree.source))]
    assert unaccounted_tokens(tree) == [MissingToken(13, "f")]


def test_a_negation_has_to_be_in_the_label() -> None:
    tree = parse_latex(r"a\not=b")
    assert unaccounted_tokens(tree) == []
    tree.row[1].label = "="
    assert unaccounted_tokens(tree) == [MissingToken(1, r"\not")]


def test_a_problem_at_a_token_accounts_for_it() -> None:
    tree = without_first("x+y")
    tree.problems = (ParseProblem(0, "a lost letter"),)
    assert unaccounted_tokens(tree) == []


@every_case(
    "source",
    [
        r"\hspace{2cm}x\kern-1.5em y\rule[1pt]{2em}{.4pt}", r"\color{red}{x}\textcolor[rgb]{1,0,0}{y}",
        r"x=y\tag{3.1}\label{eq:one}", r"\begin{array}[t]{c|c}a&b\\\cline{1-2}c&d\end{array}",
        r"\begin{alignedat}{2}a&=b\end{alignedat}", r"\left.a\right|_{x=.5}", r"x,\quad y.", r"{a,b;}\ ",
        r"f''(x)+g^\prime", "\u200bx\u00ad", r"\operatorname{ctg}x+\liminf_n a_n", r"\sqrt[3]{x}\frac12\frac 1 {23}",
        r"\newcommand{\pair}[2]{(#1,#2)}\pair{a'}{\frac12}", r"\left<a,b\right>", "½+x²", r"1{,}000+2\,000",
        r"\not'y", r"\not<=", r"\not&lt;=", r"\not\vecé", r"\not\abs*=", r"\not{}", r"\not\cos!", "0.?x", r"\ce{O2é}",
        r"\mqty{a\choose", r"\text{\'$x$}", "\\text{\\underline{a\0}}", r"\prime.\begin{matrix}",
        r"\text{a b}\over x\text{b c}", r"\newcommand{\b}[2][c]{#1#2}\text{a\b d}", "\\lim\\newcommand{\\d}{}\u0304",
    ],
)
def test_layout_is_not_missing(source: str) -> None:
    assert unaccounted_tokens(parse_latex(source)) == []


def test_an_accent_after_a_line_break_has_no_symbol_before_it() -> None:
    tree = parse_latex("a\\\\\u0304b")
    assert [problem.what for problem in tree.problems] == ["a combining character without a symbol before it"]
    assert unaccounted_tokens(tree) == []


def test_macros_that_the_formula_was_parsed_with_are_expanded() -> None:
    macros = {"pair": (2, r"\langle #1,#2\rangle"), "nothing": (1, "")}
    tree = parse_latex(r"\pair{a}{\sqrt b}\nothing{c}", macros=macros)
    assert unaccounted_tokens(tree, macros) == []


@settings(max_examples=examples(400), deadline=None)
@given(latex)
def test_nothing_of_a_random_formula_is_missing(source: str) -> None:
    tree = parse_latex(source)
    assume(all(problem.what != "an argument is missing" for problem in tree.problems))
    assert unaccounted_tokens(tree) == []


@every_case(
    ("source", "text", "problem"),
    [
        (r"\text{G\"odel}", "Gödel", ""), (r"\text{It\^{o}'s rule}", "Itô's rule", ""),
        (r"\text{\color{red}{so}\textcolor{blue}{ far}}", "so far", ""), (r"\hbox{\sc so far}", "so far", ""),
        (r"\text{a \foo b}", "a foo b", r"unknown command \foo"),
    ],
)
def test_commands_in_text_are_read_or_reported(source: str, text: str, problem: str) -> None:
    tree = parse_latex(source)
    assert [node.label for node in tree.row] == [text]
    assert [found.what for found in tree.problems] == ([problem] if problem else [])
    assert unaccounted_tokens(tree) == []


@every_case(
    "source",
    [
        r"\cfrac[l]{1}{x}+\smash[t]{y}+\cancel[red]{z}", r"a\above 1pt b", r"\mathrm{Im}f+\operatorname*{Re}g",
        r"p\not|q\centernot\implies r", r"\underset{\longleftarrow}{\lim}A", r"a\cdot\cdot\cdot b: =c",
        r"\begin{array}{>{A}c@{=}c}a&b\\c&d\end{array}",
        r"\mathchoice{a}{b}{c}{d}", r"x\sp2\sb3\div y", r"\qvar{\pmod{n}}",
    ],
)
def test_commands_of_packages_are_accounted_for(source: str) -> None:
    assert unaccounted_tokens(parse_latex(source)) == []
