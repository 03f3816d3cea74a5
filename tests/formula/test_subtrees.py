"""Subexpressions as terms."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.formula import operator_tree, parse_latex
from porism.formula.extractors.subtrees import MAX_SUBTREE, subtrees
from porism.formula.tree import OperatorNode, OperatorTree


def terms(latex: str) -> list[str]:
    """The terms of a formula."""
    return subtrees(operator_tree(parse_latex(latex)))


def test_the_worked_example() -> None:
    assert terms(r"x^2+\frac{a}{b}=0") == [
        "eq(0,plus(divide(v0,v1),sup(v2,2)))", "plus(divide(v0,v1),sup(v2,2))", "sup(v0,2)", "divide(v0,v1)",
    ]


def test_variables_are_named_by_first_appearance() -> None:
    assert terms("a^b") == ["sup(v0,v1)"]
    assert terms("a^a") == ["sup(v0,v0)"]


def test_percent_signs_in_labels_stay() -> None:
    operands = [OperatorNode("%s", "C"), OperatorNode("x", "V"), OperatorNode("y", "V"), OperatorNode("x", "V")]
    assert subtrees(OperatorTree(OperatorNode("%d", "O", operands), "")) == ["%d(%s,v0,v1,v0)"]


@every_case(("one", "other"), [
    ("a^2+b", "y+x^2"), ("3x+1=y", "q=1+3p"), (r"\frac{n}{2}", r"k/2"), (r"\sin(x)+1", r"1+\sin t"),
])
def test_letters_and_order_do_not_matter(one: str, other: str) -> None:
    assert sorted(terms(one)) == sorted(terms(other))


@every_case(("one", "other"), [("a^2", "a^3"), ("a^b", "a_b"), ("a-b", "a+b"), ("a/2", "2/a")])
def test_different_formulas_have_different_terms(one: str, other: str) -> None:
    assert set(terms(one)) != set(terms(other))


def test_large_subtrees_make_no_term() -> None:
    sums = "+".join(f"x_{{{number}}}" for number in range(MAX_SUBTREE))
    found = terms(sums)
    assert set(found) == {f"sub(v0,{number})" for number in range(MAX_SUBTREE)}


def test_deep_trees_are_walked_without_recursion() -> None:
    node = OperatorNode("x", "V")
    for _ in range(20_000):
        node = OperatorNode("neg", "O", [node])
    assert len(subtrees(OperatorTree(node, ""))) < MAX_SUBTREE


@given(st.text())
def test_any_formula_gives_bounded_terms(latex: str) -> None:
    assert all(len(term) <= 50 * MAX_SUBTREE + len(latex) * MAX_SUBTREE for term in terms(latex))


@every_case(("bounded", "bare"), [
    (r"\sum_{n=1}^\infty\frac1{n^2}", r"\sum 1/k^2"), (r"\sum_{n\ge1}n^{-2}", r"\sum n^{-2}"),
    (r"\lim_{x\to0}\frac{\sin x}x", r"\lim\frac{\sin t}t"), (r"\prod_{i\in I}(1+x_i)", r"\prod(1+x_i)"),
    (r"\int_0^1x^2\,dx", r"\int_a^bx^2\,dx"), (r"\int_0^1x^2\,dx", r"\int x^2\,dx"),
    (r"\bigcup_{i=1}^nA_i", r"\bigcup A_i"),
])
def test_big_operators_share_a_term_whatever_their_bounds(bounded: str, bare: str) -> None:
    whole, other = terms(bounded), terms(bare)
    label = other[0].partition("(")[0]
    assert [term for term in whole if term in other and term.startswith(label)]
    assert whole[0] != other[0]
