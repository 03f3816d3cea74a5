"""Subexpressions in canonical MathML."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import operator_tree, parse_latex
from porism.formula.extractors.canonical import MAX_EXPRESSION, canonical_mathml
from porism.formula.tree import OperatorNode, OperatorTree


def terms(latex: str) -> list[str]:
    """The terms of a formula."""
    return canonical_mathml(operator_tree(parse_latex(latex)))


def test_each_subexpression_from_the_outside() -> None:
    power, fraction = "<apply><power/><ci>x</ci><cn>2</cn></apply>", "<apply><divide/><ci>b</ci><ci>a</ci></apply>"
    whole = f"<apply><plus/>{fraction}{power}</apply>"
    assert terms(r"x^2+\frac{b}{a}") == [
        whole, power, "<ci>x</ci>", "<cn>2</cn>", fraction, "<ci>b</ci>", "<ci>a</ci>",
    ]


@every_case(("one", "other"), [
    ("b+a", "a+b"), ("c(b+a)", "(a+b)c"), ("x=y+1", "1+y=x"), (r"B\cup A", r"A\cup B"),
    ("a-b", "-b+a"), (r"a\cdot b", "b a"),
])
def test_the_order_of_commutative_operands_does_not_count(one: str, other: str) -> None:
    assert sorted(terms(one)) == sorted(terms(other))
    assert terms(one)[0] == terms(other)[0]


def test_brackets_that_only_group_do_not_count() -> None:
    assert terms("a+(b+c)")[0] == terms("(c+a)+b")[0] == terms("a+b+c")[0]
    inner = "<apply><plus/><ci>b</ci><ci>c</ci></apply>"
    assert terms("a+(b+c)")[1:] == ["<ci>a</ci>", inner, "<ci>b</ci>", "<ci>c</ci>"]
    assert terms("a(b+c)")[0] != terms("ab+c")[0]
    assert terms("a=(b=c)")[0] != terms("(a=b)=c")[0]


@every_case(("one", "other"), [
    ("a-b", "b-a"), ("a/b", "b/a"), ("a^b", "b^a"), ("a+b", "x+y"), ("x+1", "x+1.0"), ("a<b", "b>a"), ("a_1", "a^1"),
])
def test_other_formulas_stay_different(one: str, other: str) -> None:
    assert terms(one)[0] != terms(other)[0]


@every_case(("latex", "markup"), [
    (r"\mathbf{x}\le 3", "<apply><leq/><ci>x</ci><cn>3</cn></apply>"),
    ("f(y,x)", "<apply><ci>f</ci><ci>y</ci><ci>x</ci></apply>"),
    (r"\sqrt{x}", "<apply><root/><ci>x</ci></apply>"),
    (r"B\cap A", "<apply><intersect/><ci>A</ci><ci>B</ci></apply>"),
    ("x_i", "<apply><csymbol>sub</csymbol><ci>x</ci><ci>i</ci></apply>"),
    (r"\qvar{x}!", "<apply><factorial/><ci>?x</ci></apply>"),
    (r"\text{a<b}", "<mtext>a&lt;b</mtext>"),
    (r"\sin x", "<apply><sin/><ci>x</ci></apply>"),
])
def test_elements(latex: str, markup: str) -> None:
    assert terms(latex)[0] == markup


def test_large_expressions_are_no_terms() -> None:
    found = terms("+".join(f"x_{{{number}}}" for number in range(MAX_EXPRESSION // 3)))
    assert found[0].startswith("<apply><csymbol>sub")
    assert len(found) == MAX_EXPRESSION
    whole = terms("+".join("x" * (MAX_EXPRESSION - 1)))
    assert whole[0] == f"<apply><plus/>{'<ci>x</ci>' * (MAX_EXPRESSION - 1)}</apply>"
    assert len(terms("+".join("x" * MAX_EXPRESSION))) == MAX_EXPRESSION


def test_deep_trees_are_walked_without_recursion() -> None:
    node = OperatorNode("x", "V")
    for _ in range(20_000):
        node = OperatorNode("neg", "O", [node])
    assert canonical_mathml(OperatorTree(node, "")) == []  # the innermost nodes are beyond the symbols that are read
