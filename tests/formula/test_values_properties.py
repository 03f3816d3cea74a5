"""Properties of values: compared with exact arithmetic and with sympy, and total on anything."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.formula import operator_tree, parse_latex
from porism.formula.extractors.values import values
from porism.formula.operators.rules import RULES
from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values import MAX_EQUATED, equal, expression_values

NAMES = "xyz"


def leaf(label: str) -> OperatorNode:
    return OperatorNode(label, "V" if label in NAMES else "N")


def node(label: str, *children: OperatorNode) -> OperatorNode:
    return OperatorNode(label, "U" if label in ("plus", "times") else "O", list(children))


def _larger(below: st.SearchStrategy[OperatorNode]) -> st.SearchStrategy[OperatorNode]:
    return st.one_of(
        st.builds(node, st.sampled_from(["plus", "times", "divide"]), below, below),
        st.builds(node, st.just("neg"), below),
        st.builds(node, st.just("sup"), below, st.sampled_from("0123").map(leaf)),
    )


rational_expressions = st.recursive(st.sampled_from("xyz0123").map(leaf), _larger, max_leaves=8)


def exact(expression: OperatorNode, point: dict[str, Fraction]) -> Fraction:
    """The value at a rational point, by Python's own fractions."""
    parts = [exact(child, point) for child in expression.children]
    match expression.label:
        case "plus":
            return parts[0] + parts[1]
        case "times":
            return parts[0] * parts[1]
        case "divide":
            return parts[0] / parts[1]
        case "neg":
            return -parts[0]
        case "sup":
            return parts[0] ** parts[1].numerator
        case label:
            return point[label] if label in point else Fraction(label)


POINTS = [
    dict(zip(NAMES, map(Fraction, numbers, [7, 11, 13]), strict=True))
    for numbers in ((1009, 2003, 3001), (10007, -523, 9973), (123457, 65537, -99991))
]


def tree(root: OperatorNode) -> OperatorTree:
    return OperatorTree(root, "")


@settings(max_examples=examples(1500), deadline=None)
@given(rational_expressions, rational_expressions)
def test_rational_expressions_are_equal_where_their_exact_values_are(one: OperatorNode, other: OperatorNode) -> None:
    try:
        differ = any(exact(one, point) != exact(other, point) for point in POINTS)
    except ZeroDivisionError:
        assume(False)
    assert equal(tree(one), tree(other)) == (not differ)


@settings(max_examples=60, deadline=None)
@given(rational_expressions)
def test_any_form_that_sympy_finds_is_equal(expression: OperatorNode) -> None:
    sympy = pytest.importorskip("sympy")

    def symbolic(part: OperatorNode) -> object:
        below = [symbolic(child) for child in part.children]
        match part.label:
            case "plus":
                return below[0] + below[1]
            case "times":
                return below[0] * below[1]
            case "divide":
                return below[0] / below[1]
            case "neg":
                return -below[0]
            case "sup":
                return below[0] ** below[1]
            case label:
                return sympy.Symbol(label) if label in NAMES else sympy.Integer(label)

    try:
        exact(expression, POINTS[0])
    except ZeroDivisionError:
        assume(False)
    found = symbolic(expression)
    for form in (sympy.expand(found), sympy.factor(found), sympy.apart(found, sympy.Symbol("x"))):
        assert equal(operator_tree(parse_latex(sympy.latex(form))), tree(expression))


@pytest.mark.parametrize(("text", "latex"), [
    ("sin(x+y)*cos(z)", r"\sin(x+y)\cos z"), ("sin(x)**3+cos(x-y)**2", r"\sin^3x+\cos^2(x-y)"),
    ("tan(x+y)-sec(x)", r"\tan(x+y)-\sec x"), ("sinh(x-y)*cosh(z)", r"\sinh(x-y)\cosh(z)"),
    ("cos(3*x)*sin(2*y)", r"\cos(3x)\sin(2y)"),
])
def test_expanded_trigonometry_is_equal(text: str, latex: str) -> None:
    sympy = pytest.importorskip("sympy")
    expression = sympy.sympify(text)
    for form in (expression, sympy.expand_trig(expression), expression.rewrite(sympy.exp)):
        assert equal(operator_tree(parse_latex(sympy.latex(form))), operator_tree(parse_latex(latex)))


@settings(max_examples=examples(150), deadline=None)
@given(rational_expressions, st.permutations(NAMES))
def test_renaming_keeps_the_renamed_terms(expression: OperatorNode, names: list[str]) -> None:
    new = dict(zip(NAMES, names, strict=True))

    def renamed(part: OperatorNode) -> OperatorNode:
        label = new.get(part.label, part.label)
        return OperatorNode(label, part.kind, list(map(renamed, part.children)))

    here, there = expression_values(tree(expression)), expression_values(tree(renamed(expression)))
    assert [(found.position, found.renamed) for found in here] == [(found.position, found.renamed) for found in there]


def _any_node(below: st.SearchStrategy[OperatorNode]) -> st.SearchStrategy[OperatorNode]:
    labels = sorted({rule.label for rule in RULES.values()} | {"sub", "subsup", "sup", "sqrt", "root", "binom",
    "at", ""})
    return st.builds(OperatorNode, st.sampled_from(labels), st.sampled_from("UO"), st.lists(below, max_size=4))


any_leaf = st.builds(
    OperatorNode, st.sampled_from(["x", "i", "e", "π", "0", "1", "2", "-1", "0.5", "…", "∞", "", "\ud800", "1" * 90]),
    st.sampled_from("VNCTWE"),
)


@settings(max_examples=examples(500), deadline=None)
@given(st.recursive(any_leaf, _any_node, max_leaves=20))
def test_any_tree_has_its_values(root: OperatorNode) -> None:
    found = values(tree(root))
    assert found == values(tree(root))
    assert len(found) <= 2 + 2 * sum(1 + MAX_EQUATED**2 for _ in root.walk())
    assert all(term[0] in "=~≡≅" and len(term) == 17 for term in found)


FRAGMENTS = (
    r"\frac{", "}", "{", "^", "_", r"\sqrt", r"\sum_{k=1}^", r"\int_0^1", r"\,dx", r"\sin", r"\ln", "e^", "(-1)^",
    "!", r"\binom",
    "a", "x", "n", "i", r"\pi", "0", "1", "2", "7", "+", "-", "=", "<", "(", ")", "|", ",", r"\lim_{x\to0}",
    r"\prod_{i=1}^3", "x_i",
    r"\dots", r"\frac{d}{dx}", r"\log_", r"\cos", r"\tan", "'", r"\pm", "0^",
)


@settings(max_examples=examples(1500), deadline=None)
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map(" ".join))
def test_any_latex_has_its_values(latex: str) -> None:
    operators = operator_tree(parse_latex(latex))
    found = expression_values(operators)
    positions = [each.position for each in found]
    assert positions == sorted(set(positions))
    assert equal(operators, operators) or not any(position == 0 for position in positions)


def test_values_of_the_real_formulas(shared_data) -> None:
    from porism.corpus.posts.arqmath import read_formulas

    rows = islice(read_formulas(shared_data / "arqmath-mini"), 4_000)
    sources = {row.formula.source for row in rows}
    valued = sum(bool(values(operator_tree(parse_latex(source)))) for source in sources)
    # letters and numbers alone, text and what is too large have none
    assert valued > 0.6 * len(sources)
