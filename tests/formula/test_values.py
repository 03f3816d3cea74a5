"""Values of subexpressions: equal formulas share terms, others do not. The pairs are those of the documentation."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from types import FrameType

import pytest
from case_tables import every_case

from porism.formula import operator_tree, parse_latex
from porism.formula.extractors.values import values
from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values import chain_values, equal, expression_values, whole_value
from porism.formula.values.evaluation import value
from porism.formula.values.expressions import MAX_KNOWN, forget, leaf
from porism.formula.values.field import PRIMES, is_positive

TABLES = (Path(__file__).resolve().parents[2] / "docs" / "explanation" / "values.md").read_text(encoding="utf-8")
EQUAL, MISSES = (
    re.findall(r"^\| `(.*)` \| `(.*)` \|$", part, flags=re.MULTILINE)
    for part in TABLES.split("## Sixty pairs that are equal")[1].split("## Near misses")
)


def tree(latex: str) -> OperatorTree:
    return operator_tree(parse_latex(latex))


def terms_of_whole(latex: str) -> list[str]:
    """The terms, by name and renamed, that the whole formula gives as a subexpression; none if it says nothing."""
    return [term for found in expression_values(tree(latex)) if not found.position for term in found[1:]]


def terms_as_whole(latex: str) -> list[str]:
    """The terms, by name and renamed, of the whole formula as a whole."""
    return [term for term in whole_value(tree(latex))[:2] if term]


def test_the_tables_are_whole() -> None:
    assert len(EQUAL) == 60
    assert len(MISSES) == 55
    assert len(set(EQUAL) | set(MISSES)) == 115


def test_arguments_of_unknown_commands_keep_their_order() -> None:
    assert terms_of_whole(r"\foo{x}{y}")[0] != terms_of_whole(r"\foo{y}{x}")[0]
    assert terms_of_whole(r"\foo{x+y}z")[0] == terms_of_whole(r"\foo{y+x}z")[0]


@every_case(("one", "other"), EQUAL)
def test_equal_formulas_share_both_terms(one: str, other: str) -> None:
    assert equal(tree(one), tree(other))
    terms = terms_as_whole(one)
    assert len(terms) == 2 - (other == "1")  # a number has no variables to rename
    assert terms_as_whole(other) == terms
    assert terms_of_whole(other) == terms_of_whole(one)


@every_case(("one", "other"), MISSES)
def test_near_misses_share_no_term(one: str, other: str) -> None:
    assert not equal(tree(one), tree(other))
    assert not set(terms_of_whole(one)) & set(terms_of_whole(other))
    assert not set(terms_as_whole(one)) & set(terms_as_whole(other))


def test_near_misses_stay_misses_when_the_memory_is_emptied() -> None:
    for number in range(MAX_KNOWN + 1):
        leaf("V", f"x_{number}")
    forget()
    assert not [pair for pair in MISSES if equal(*map(tree, pair))]
    assert all(equal(*map(tree, pair)) for pair in EQUAL)


@every_case(("one", "other"), [
    (r"\sin^2x+\cos^2x", "1"), (r"\cosh^2t-\sinh^2t", "1"), (r"e^{i\pi}", "-1"), (r"e^{2\pi i}", "1"),
    (r"\cos(x+2\pi)", r"\cos x"), (r"\sin(180^\circ-x)", r"\sin x"), (r"\sin\frac\pi6", r"\frac12"),
    (r"\cos\frac\pi{12}", r"\frac{\sqrt6+\sqrt2}4"), (r"\cos(2(x+\pi))", r"\cos2x"), (r"\tan\frac\pi4", "1"),
    (r"\sin3x", r"3\sin x-4\sin^3x"), (r"\tan(x+y)", r"\frac{\tan x+\tan y}{1-\tan x\tan y}"),
    (r"\sin(\arcsin x)", "x"), (r"\arctan(-x)", r"-\arctan x"), ("e^{e^x+y}", "e^{e^x}e^y"), (r"i^2", "-1"),
    (r"\sqrt{-4}", "2i"), (r"\sqrt{\frac ab}", r"\frac{\sqrt a}{\sqrt b}"), (r"(\sqrt{x-1})^2", "x-1"),
    (r"\sqrt{41\cdot41\cdot2}", r"41\sqrt2"), (r"\sqrt[3]{-8}", "-2"), (r"(xy)^n", "x^ny^n"), ("(x^a)^b", "x^{ab}"),
    ("(-1)^{2n}", "1"), ("(-1)^{n-1}", "(-1)^{n+1}"), ("2^{n+1}-2^n", "2^n"), (r"\ln x^n", r"n\ln x"),
    (r"\log_28", "3"), (r"\ln e^x", "x"), (r"\exp(\ln x+y)", "xe^y"),
    (r"e^{\frac{\ln x}2}", r"\sqrt x"), (r"(e^{b\ln y})^a", "y^{ab}"), (r"e^{-n\ln x}", "x^{-n}"),
    (r"\Gamma(n+1)", "n!"),
    (r"\Gamma(\frac12)", r"\sqrt\pi"), (r"\binom nk", r"\binom n{n-k}"), (r"\binom{2n}n", r"\frac{(2n)!}{(n!)^2}"),
    (r"\binom nn", "1"), ("5!", "120"), ("(n+2)!!", "(n+2)n!!"), (r"\sum_{k=1}^n5", "5n"),
    (r"\sum_{k=1}^nak", r"a\sum_{j=1}^nj"), (r"\prod_{k=1}^nk^2", r"\left(\prod_{k=1}^nk\right)^2"),
    (r"\prod_{k=1}^n2", "2^n"), (r"\sum_{i=1}^3x_i", "x_1+x_2+x_3"), (r"\sum_{k=1}^{50}k", "1275"),
    (r"\int_a^bf(x)\,dx", r"-\int_b^af(t)\,dt"), (r"\int_a^b1\,dx", "b-a"),
    (r"\int ax\,dx", r"a\int x\,dx"), (r"\int 2\,dx", "2x"),
    (r"\int_0^1f(x)\,dx+\int_1^2f(x)\,dx", r"\int_0^2f(x)\,dx"), (r"\frac{d}{dx}(3x)", "3"),
    (r"\lim_{x\to0}\frac{2\sin x}x", r"2\lim_{t\to0}\frac{\sin t}t"), (r"|a-b|", "|b-a|"), ("|ab|", "|a||b|"),
    ("|-2x|", "2|x|"), ("|x|^2", "x^2"), ("50\\%", r"\frac12"), ("a=b", "b=a"), ("a<b", "b>a"), (r"a\le b", r"a-b\le0"),
    (r"x\pm y", r"x\pm(-y)"), (r"f(x+1)", "f(1+x)"), ("x_{1+n}", "x_{n+1}"), (r"\{a,b\}", r"\{b,a\}"),
    ("0.5", r"\frac12"),
    (r"\lfloor\frac72\rfloor", "3"), ("x^0", "1"), (r"\sum_{k=1}^n(k+a)^0", "n"),
])
def test_identities(one: str, other: str) -> None:
    assert equal(tree(one), tree(other))


@every_case(("one", "other"), [
    # a function that is not applied: a prime, a D or a quotient of differentials, by x
    (r"\frac{df}{dx}", "f'"), ("Df", "f'"), (r"\frac{d}{dx}f", "f'"), (r"\mathrm{D}f", "f'"), ("D^2f", "f''"),
    (r"\frac{d^2f}{dx^2}", "f''"), (r"\frac{d^3g}{dx^3}", "g'''"), (r"\frac{d}{dx}f'", "f''"),
    (r"\frac{df'}{dx}", "f''"), (r"\frac{df}{dx}g+f\frac{dg}{dx}", "f'g+fg'"), ("Df+Dg", "f'+g'"),
    # one that is applied, by its argument
    ("Df(x)", "f'(x)"), (r"\frac{df(x)}{dx}", "f'(x)"), (r"\frac{df(t)}{dt}", r"\frac{d}{dt}f(t)"),
    (r"\frac{d^2f(t)}{dt^2}", "f''(t)"), ("D^2f(x)", r"\frac{d^2}{dx^2}f(x)"), ("2Df(x)", "f'(x)+f'(x)"),
    (r"\left.\frac{df}{dx}\right|_{x=a}", "f'(a)"), ("Df(a)=g(a)", "g(a)=f'(a)"),
    (r"\frac{\partial f(x,y)}{\partial x}", "f_x(x,y)"),
    # D is a letter like others
    ("PDP^{-1}", "DPP^{-1}"), ("Dfg", "fgD"), ("Df+D", "D+fD"),
])
def test_notations_of_derivatives(one: str, other: str) -> None:
    assert equal(tree(one), tree(other))
    assert terms_as_whole(one) == terms_as_whole(other) != []


@every_case(("one", "other"), [
    (r"\frac{df}{dx}", r"\frac{df}{dt}"), (r"\frac{df}{dx}", r"\frac{dg}{dx}"), (r"\frac{df}{dx}", "f"),
    ("y'", r"\frac{dy}{dx}"), ("f'", "f''"), ("f'", "f'(x)"), ("f'(x)", r"\frac{df(x)}{dt}"), ("Df", "f"),
    (r"\frac{df(x)}{dx}", r"\frac{f(x)}{x}"), (r"\frac{df(x)}{dx}", "f''(x)"), ("Df(x)", "f(x)"),
    (r"\left.\frac{df}{dx}\right|_{x=a}", "f'(b)"), ("f'g", "(fg)'"),
    # D is not a derivation where it is used in another way, or before what is not a function
    ("Dx", "x'"), ("Dfg", "f'g"), ("Df=D", "f'=D"), (r"x\in D,\; Df(x)", r"x\in D,\; f'(x)"), (r"D\mu", r"\mu'"),
    ("fD", "f'"), ("Df(x,y)", "f'(x,y)"), (r"f\colon D\to R,\; Df", r"f\colon D\to R,\; f'"),
])
def test_what_is_another_derivative_or_none(one: str, other: str) -> None:
    assert not equal(tree(one), tree(other))
    assert terms_as_whole(one)[:1] != terms_as_whole(other)[:1]


@every_case(("one", "other"), [
    (r"A\cup B", r"B\cup A"), (r"A\cup B\cup C", r"C\cup A\cup B"), (r"A\cap B", r"B\cap A"), ("A=B", "B=A"),
    (r"x\in A\cup B", r"x\in B\cup A"), (r"A\cong B", r"B\cong A"), (r"A\sqcup B", r"B\sqcup A"),
])
def test_the_order_of_unordered_operands_does_not_count(one: str, other: str) -> None:
    assert equal(tree(one), tree(other))
    assert terms_as_whole(one) == terms_as_whole(other) != []


@every_case(("one", "other"), [
    (r"A\setminus B", r"B\setminus A"), (r"A\cup B", r"A\cap B"), (r"A\cup B\cup C", r"A\cup B"),
    (r"A\subset B", r"B\subset A"), (r"A\cong B", r"A\approx B"), (r"A\cong B", "A=B"),
    (r"A\cong B", r"A\simeq B"), (r"A\cong B", r"A\equiv B"), ("0^x", "1"), ("0^x", "x^0"), ("0^n+1", "2"),
    ("a+_nb", "a+b"), ("a+_nb", "a+_mb"), (r"A\times_SB", "AB"), (r"a\equiv_nb", r"a\equiv b"),
    (r"f\overset{1}{=}g", "f=g"), (r"A\hat\otimes B", r"A\otimes B"),
])
def test_other_operators_and_orders_count(one: str, other: str) -> None:
    assert not equal(tree(one), tree(other))
    assert terms_as_whole(one)[:1] != terms_as_whole(other)[:1]


@every_case(("one", "other"), [
    ("|x|", "x"), ("a_{ij}", "a_{ji}"), ("(-1)^n", "1"), (r"1+2+\dots+n", r"3+\dots+n"), ("a<b", "a>b"),
    ("(a,b)", "(b,a)"),
    (r"\prod_{k=1}^nk", r"\prod_{k=1}^n(-k)"), (r"\int_0^1x\,dx", r"\int_0^1y\,dx"),
    (r"\sum_{k=1}^nk", r"\sum_{k=1}^{n+1}k"),
    ("f'(x)", "f(x)"), ("f^{(1)}(x)", "f(x)"), ("x'", "x"), (r"\bar x", "x"), ("x_1", "x_2"), (r"\arctan x", r"\tan x"),
    (r"\begin{pmatrix}1&2\end{pmatrix}\begin{pmatrix}3\\4\end{pmatrix}",
     r"\begin{pmatrix}3\\4\end{pmatrix}\begin{pmatrix}1&2\end{pmatrix}"),
    (r"\text{if}", r"\text{of}"), ("1+1=2", "2+2=4"), ("x=x+1", "y=y+1"), ("n!", "(n-1)!"), (r"\infty", "1"),
    ("x^*", "x"), (r"\int u\,dv=uv-\int v\,du", "uv=0"), (r"\int_0^1f\,dx=0", "f=0"), (r"\int y\,dx", "yx"),
    (r"\iint_Dfg\,dx\,dy", r"f\iint_Dg\,dx\,dy"), (r"\lim_{x\to0}f=L", "f=L"),
    (r"\frac d{dx}(fg)=f'g+fg'", "f'g+fg'=0"), (r"\frac d{dx}uv", "0"),
])
def test_differences(one: str, other: str) -> None:
    assert not equal(tree(one), tree(other))


@every_case(("latex", "number"), [
    ("1", "1"), ("x^0", "1"), (r"\sec^2t-\tan^2t", "1"), (r"\sqrt4", "2"), ("i^2", "-1"), (r"e^{i\pi}", "-1"),
    ("x-x", "0"), ("0^x", "0"),
])
def test_a_formula_that_is_a_number_as_a_whole(latex: str, number: str) -> None:
    assert terms_as_whole(latex) == terms_as_whole(number) != []
    assert terms_of_whole(latex) == []


@every_case("latex", ["x", "?a+1", r"\frac1{x-x}", "1=1", r"\cosh^2x-\sinh^2x=1", "", r"\text{if}"])
def test_what_has_no_value_as_a_whole(latex: str) -> None:
    assert terms_as_whole(latex) == []


def test_chains_say_the_relations_of_their_parts() -> None:
    def said(latex: str) -> set[str]:
        return set(chain_values(tree(latex)))

    def relation(latex: str) -> set[str]:
        return set(terms_of_whole(latex))

    assert relation(r"a\le b") < said(r"0<a\le b") > relation("a>0")
    assert said(r"0\le a\le b") == said(r"b\ge a\ge0")
    assert relation("a=c") < said("a=b=c")
    assert terms_of_whole("a<c")[0] not in said("a<b<c")
    assert not said("a=b") | said("a,b,c") | said("a+b+c")
    assert relation("(x+1)^2\\le b") < said("b\\ge x^2+2x+1\\ge c")
    assert terms_of_whole("a=q")[0] not in said("a=b=c=d=p=q"), "of long chains neighbours only"
    assert terms_of_whole("p=q")[0] in said("a=b=c=d=p=q")


@every_case("latex", [
    "x", "0", "1", "x_1", "-x", r"\frac xx", r"\sin^2x+\cos^2x", "x+0", "2-1", "1=1", "x=x", r"x\cdot1=x",
    r"\frac1{x-x}",
    r"\tan\frac\pi2", r"\ln0", "?a+1", r"\qvar{x}^2", "", r"\frac13",
])
def test_what_says_nothing_has_no_term(latex: str) -> None:
    assert terms_of_whole(latex) == []


@every_case("latex", [
    r"\pi^2/6", r"\sqrt2", r"\zeta(2)", "x+1", "2x", r"x^2", "x=0", r"f(x)", r"x\in A", r"1+i",
])
def test_what_says_something_has_two_terms(latex: str) -> None:
    named, renamed = terms_of_whole(latex)
    assert re.fullmatch("=[0-9a-f]{16}", named)
    assert re.fullmatch("~[0-9a-f]{16}", renamed)


def test_terms_stay_the_same_from_one_version_to_the_next() -> None:
    assert values(tree("(a+b)^2")) == [
        "=17007509405e0f5c", "~5dd4d7d482c81db0", "=617c866b984d9723", "≡17007509405e0f5c", "≅5dd4d7d482c81db0",
    ]
    assert values(tree("z=(a+b)^2"))[2:5] == ["=17007509405e0f5c", "~5dd4d7d482c81db0", "=617c866b984d9723"]


def test_parts_within_a_whole_are_known_by_name_only() -> None:
    assert [one.renamed != "" for one in expression_values(tree("z=(a+b)^2"))] == [True, True, False]
    sides = [one.renamed for one in expression_values(tree(r"u+v^2,\; w<s+t^2"))]
    assert sides[2] in sides[3:]  # u+v^2 and s+t^2, an item of a list and a side of a relation


def test_positions_are_those_of_the_tree_in_preorder() -> None:
    operators = tree(r"y=\frac{(a+b)^2}{c}")
    nodes = list(operators.root.walk())
    assert [nodes[found.position].label for found in expression_values(operators)] == ["eq", "divide", "sup", "plus"]


def test_only_what_holds_the_wildcard_has_no_value() -> None:
    operators = tree(r"?a+\frac{x}{y}")
    nodes = list(operators.root.walk())
    assert [nodes[found.position].label for found in expression_values(operators)] == ["divide"]


def test_equal_subexpressions_share_a_term_within_different_formulas() -> None:
    assert set(values(tree(r"p\in(a+b)^2"))) & set(values(tree(r"f(a^2+2ab+b^2)>1")))


@every_case(("one", "other"), [
    ("k^2+k", "m(m+1)"), ("x-y", "b-a"), ("a^2+bc", "yz+x^2"), (r"x_1+2x_2", r"2b+a"), (r"\bar x+1", "1+t"),
    ("a^2b+b^2c+c^2a", "y^2x+x^2z+z^2y"), ("a+b+c+d+p", "v+w+x+y+z"), ("ab+cd", "xy+zw"),
    (r"\sum_{k=1}^nak", r"m\sum_{i=1}^pi"),
    ("ax^2+bx+c", "r+pt^2+qt"), (r"f(x,y)", "f(u,v)"), (r"\int_a^xt\,dt", r"\int_c^ys\,ds"),
    ("(a-b)(c-d)", "(q-p)(s-r)"),
])
def test_renamed_formulas_share_the_renamed_term_only(one: str, other: str) -> None:
    (named, renamed), (other_named, other_renamed) = terms_of_whole(one), terms_of_whole(other)
    assert renamed == other_renamed
    assert named != other_named


@every_case(("one", "other"), [("x+y", "x+x"), ("a-b+c", "a-b-c"), ("xy+z", "xy+x"), ("ab+cd", "ab+ac")])
def test_variables_that_fall_together_are_no_renaming(one: str, other: str) -> None:
    assert not set(terms_of_whole(one)) & set(terms_of_whole(other))


def test_the_letter_i_is_imaginary_unless_it_is_an_index() -> None:
    assert terms_of_whole("i^2") == []
    assert terms_of_whole(r"e^{i\theta}") == terms_of_whole(r"\cos\theta+i\sin\theta")
    assert set(values(tree(r"i^2\text{ where }i=1"))) & set(values(tree("i^2>a_i")))


def test_where_a_point_gives_no_value_another_is_tried() -> None:
    pole = value(leaf("V", "x"), 0)
    (named, renamed) = terms_of_whole(rf"\frac{{1}}{{x-{pole}}}")
    assert named
    assert renamed
    assert terms_of_whole(rf"\frac{{2}}{{2x-2\cdot{pole}}}")[0] == named


def test_the_tower_of_primes() -> None:
    sympy = pytest.importorskip("sympy")
    assert all(map(sympy.isprime, PRIMES))
    assert all(larger == 2 * smaller + 1 for larger, smaller in pairwise(PRIMES))
    for level, prime in enumerate(PRIMES):
        assert prime % 4 == 3
        assert all(is_positive(small, level) for small in sympy.primerange(38))


def nested(label: str, depth: int, *others: OperatorNode) -> OperatorTree:
    node = OperatorNode("x", "V")
    for _ in range(depth):
        node = OperatorNode(label, "O", [node, *others])
    return OperatorTree(node, "")


def test_values_do_not_depend_on_what_was_seen_before() -> None:
    formulas = [tree(rf"\frac{{x^{{{n}}}+1}}{{y_{{{n}}}}}+\sin(a+{n})") for n in range(200)]
    first = [values(formula) for formula in formulas]
    assert [values(formula) for formula in reversed(formulas)] == first[::-1]


def calls(work: Callable[[], object]) -> int:
    """How many functions a call calls, the same on any machine."""
    count = 0

    def profile(frame: FrameType, event: str, argument: object) -> None:
        nonlocal count
        count += event.endswith("call")

    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


HOSTILE = {
    "sums": nested("sum", 60, tree("k=1").root, OperatorNode("60", "N")),
    "double sums": tree(r"\sum_{a=1}^{40}\sum_{b=1}^{40}\binom{a}{b}x^{ab}+" * 50),
    "sums in sums": tree(r"\sum_{a=1}^{9}\left(" * 9 + "a" + r"\right)^a" * 9),
    "open sums": nested("sum", 60, OperatorNode("x", "V")),
    "towers": tree("10^{" * 30 + "10" + "}" * 30), "powers": nested("sup", 10_000, OperatorNode("9", "N")),
    "factorials": nested("factorial", 5_000), "exponentials": tree(r"e^{\pi i" * 40 + "}" * 40),
    "digits": tree("9" * 5_000 + "+x"), "a huge factorial": tree("999999999!+x"),
    "a huge binomial": tree(r"\binom{10^{50}}{999}"),
    "many variables": tree("+".join(f"x_{{{n}}}y_{{{n}}}" for n in range(3_000))),
    "eight variables": tree("(a+b+c+d+u+v+w+x)^2" * 300), "roots": nested("sqrt", 5_000),
    "logarithms": nested("ln", 5_000),
}


@every_case("name", HOSTILE)
def test_hostile_formulas_are_bounded(name: str) -> None:
    assert calls(lambda: values(HOSTILE[name])) < 400_000


@every_case("unit", [r"\frac{x}{y}+", r"\sum_{k=1}^{9}k^2+", "(a+b)^n=", r"\sin(x+\pi),"])
def test_work_grows_no_faster_than_the_formula(unit: str, assert_linear) -> None:
    formulas = {count: tree(unit * count) for count in (50, 400)}
    assert_linear(lambda count: values(replace(formulas[count])), 50, 400)  # a copy, since the last one is remembered
