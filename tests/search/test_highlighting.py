"""What a match shows: marked symbols, the substitution, equal values; on matches made by hand."""

from __future__ import annotations

import re
from collections.abc import Iterable

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.explanation import Explanation
from porism.formula import operator_tree, parse, to_latex, to_unicode
from porism.retrieve.formulas.matches import FormulaMatch, NodePair, Substitution, ValuePair
from porism.search.highlighting import (
    FormulaParts,
    MarkedMatch,
    highlight_mathml,
    highlight_text,
    match_lines,
    short_lines,
)
from porism.types import Formula


def match_of(
    query: str | Formula,
    found: str | Formula,
    pairs: Iterable[tuple[int, int]] = (),
    substitutions: Iterable[Substitution] = (),
    values: Iterable[ValuePair] = (),
) -> FormulaMatch:
    """A match of two formulas by the preorder positions of their operator trees."""
    return FormulaMatch(
        query if isinstance(query, Formula) else Formula(query),
        found if isinstance(found, Formula) else Formula(found),
        3.0, tuple(NodePair(first, second, 1.0) for first, second in pairs), tuple(substitutions), tuple(values),
        1.0, 0.5, Explanation(3.0, "formula", (Explanation(2.0, "paths"), Explanation(1.0, "symbols"))),
    )


def everything(source: str | Formula) -> list[tuple[int, int]]:
    """All nodes of a formula, each paired with itself."""
    return [(number, number) for number, _ in enumerate(operator_tree(parse(source)).root.walk())]


@every_case(("source", "expected"), [
    (r"\sum_{i=1}^n i^2", "[∑ᵢ₌₁ⁿ i²]"),
    (r"\hat x+f'(x)=\left|y\right|", "[x̂ + f′(x) = |y|]"),
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}^T", "[(a, b; c, d)ᵀ]"),
    (r"\frac{a+b}{\sqrt[3]{c}}\le\binom nk", "[(a + b)/∛c ≤ C(n, k)]"),
    (r"\int_0^1 f(t)\,dt, \quad \lim_{x\to 0}\sin x", None),
    (r"{}_2F_1 + x^{-1}, \{x \mid x>0\}", None),
    ("<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mi>y</mi></math>", "[x² + y]"),
])
def test_every_symbol_of_a_formula_belongs_to_an_operator(source: str, expected: str | None) -> None:
    parts = FormulaParts(Formula(source, "mathml" if source.startswith("<") else "latex"))
    assert -1 not in parts.owners
    _, found = highlight_text(match_of(parts.formula, parts.formula, everything(parts.formula)))
    assert found == (expected or f"[{to_unicode(parts.layout)}]")


@every_case(("source", "nodes", "expected"), [
    # sum: 0 sum, 1 power, 2 i, 3 two, 4 equality, 5 i, 6 one, 7 n
    (r"\sum_{i=1}^n i^2", {0, 4, 6}, "[∑]ᵢ[₌₁]ⁿ i²"),
    (r"\sum_{i=1}^n i^2", {1, 2, 3}, "∑ᵢ₌₁ⁿ [i²]"),
    (r"\sum_{i=1}^n i^2", {3}, "∑ᵢ₌₁ⁿ i[²]"),
    # 0 plus, 1 hat, 2 x, 3 prime, 4 f
    (r"\hat x+f'", {1}, "x̂ + f′"),
    (r"\hat x+f'", {2}, "[x̂] + f′"),
    (r"\hat x+f'", {3, 4}, "x̂ + [f′]"),
    (r"\hat x+f'", {3}, "x̂ + f[′]"),
    # 0 power, 1 sum, 2 a, 3 b, 4 two: the parentheses belong to what they enclose
    ("(a+b)^2", {1}, "[(]a [+] b[)]²"),
    ("(a+b)^2", {0, 4}, "(a + b)[²]"),
    ("a+b+c", {0, 1, 3}, "[a +] b [+ c]"),
])
def test_symbols_are_marked_with_their_operators(source: str, nodes: set[int], expected: str) -> None:
    query, found = highlight_text(match_of("x", source, [(0, node) for node in nodes]))
    assert found == expected
    assert query == "[x]"


def test_styles() -> None:
    match = match_of("x+1", "x+2", [(0, 0), (1, 1)])
    assert highlight_text(match) == ("[x +] 1", "[x +] 2")
    assert highlight_text(match, "plain") == ("x + 1", "x + 2")
    assert highlight_text(match, "html") == ("<mark>x +</mark> 1", "<mark>x +</mark> 2")
    dangerous = match_of("x<1", r"x<\text{<script>}", [(0, 0), (1, 1)])
    assert highlight_text(dangerous, "html")[1] == "<mark>x &lt;</mark> &lt;script&gt;"
    assert highlight_text(match, "ansi")[0] == "\x1b[1;32mx +\x1b[0m 1"


def test_mathml_marks_symbols_and_not_what_hangs_on_them() -> None:
    _, found = highlight_mathml(match_of("x", "x^2+\\frac{a}{b}", [(0, 2), (0, 4), (0, 5)]))
    inner = re.sub(r"</?math[^>]*>", "", found)
    assert inner == (
        '<mrow><msup><mi class="match">x</mi><mn>2</mn></msup><mo>+</mo>'
        '<mfrac><mi class="match">a</mi><mi>b</mi></mfrac></mrow>'
    )
    _, whole = highlight_mathml(match_of("x", "x^2+\\frac{a}{b}", [(0, 4), (0, 5), (0, 6)]), mark_class="hit")
    assert '<mfrac class="hit"><mi class="hit">a</mi><mi class="hit">b</mi></mfrac>' in whole


def test_mathml_of_enclosing_symbols() -> None:
    source = r"\sqrt[3]{x}^2+\begin{pmatrix}a&b\end{pmatrix}"
    symbols = FormulaParts(Formula(source)).symbols
    _, found = highlight_mathml(match_of("x", source, everything(source)))
    assert found.count('class="match"') == len(symbols)
    _, some = highlight_mathml(match_of("x", r"\sqrt[3]{x}", [(0, 0), (0, 1)]))
    assert '<mi class="match">x</mi></mrow><mn>3</mn></mroot>' in some


def test_wildcards_mark_all_that_they_stand_for() -> None:
    match = match_of(
        "?x+1", r"\frac{a}{b}+1", [(0, 0), (2, 4)], [Substitution("?x", r"\frac{a}{b}", (1,))]
    )
    assert highlight_text(match) == ("?x [+ 1]", "[a/b + 1]")
    assert MarkedMatch(match).substitution() == "?x ↦ a/b"


def test_the_substitution_leaves_out_what_stays() -> None:
    match = match_of(
        r"\sum_i i^m+x\alpha", r"\sum_k k^n+x\beta_1", [], [
            Substitution(r"\alpha", r"\beta_1"), Substitution("m", "n"), Substitution("x", "x"), Substitution("i", "k"),
            Substitution("z_1", "w"),
        ],
    )
    assert MarkedMatch(match).substitution() == "i ↦ k, m ↦ n, α ↦ β₁, z₁ ↦ w"  # in the order of the query


def test_equal_values_are_shown_as_formulas_and_marked() -> None:
    # query: 0 equality, 1 product a(b+c); found: 0 sum, 1 ab, 4 ac, 7 d
    match = match_of("y=a(b+c)^2", "ab^2+c", [], [], [ValuePair(2, 1, False), ValuePair(2, 1, False)])
    assert MarkedMatch(match).values() == ["a(b + c)² = ab²"]
    assert highlight_text(match) == ("y = [a(b + c)²]", "[ab²] + c")
    renamed = match_of("x^2", "tt+1", [], [], [ValuePair(0, 1, True)])
    assert MarkedMatch(renamed).values() == ["x² = tt, with variables renamed"]
    other_letters = match_of("x^2", "t^2+1", [], [], [ValuePair(0, 1, True)])
    assert MarkedMatch(other_letters).values() == []


@every_case(("source", "position", "expected"), [
    (r"\sum_{i=1}^n i^2", 1, "i^{2}"), (r"\sum_{i=1}^n i^2", 2, "i"), (r"\sum_{i=1}^n i^2", 4, "i=1"),
    (r"\sum_{i=1}^n i^2", 0, r"\sum_{i=1}^{n}i^{2}"), (r"\hat x+y", 1, r"\hat{x}"), (r"\hat x+y", 2, "x"),
    (r"x_1^{a+b}", 0, "x_{1}^{a+b}"), ("<math><msup><mi>x</mi><mn>2</mn></msup></math>", 0, "x^{2}"),
    ("x", 7, "x"),
])
def test_subexpressions(source: str, position: int, expected: str) -> None:
    parts = FormulaParts(Formula(source, "mathml" if source.startswith("<") else "latex"))
    assert to_latex(parts.subexpression(position)) == expected


def test_lines_and_json_say_all_of_it() -> None:
    match = match_of("i^2", "k^2+1", [(0, 1), (1, 2), (2, 3)], [Substitution("i", "k", (2,))])
    assert match_lines(match) == [
        "asked for  [i²]  (100% matched)", "found      [k²] + 1  (50% matched)", "with       i ↦ k",
        "3.0000  formula", "  2.0000  paths", "  1.0000  symbols",
    ]
    assert len(match_lines(match, tree=False)) == 3
    value = MarkedMatch(match).to_dict()
    assert value["found"]["text"] == "k² + 1"
    assert value["found"]["pieces"] == [
        {"text": "k²", "match": True, "formula": True}, {"text": " + 1", "formula": True}
    ]
    assert value["query"]["share"] == 1.0
    assert value["substitution"] == [{"query": "i", "found": "k"}]
    assert value["values"] == []
    assert value["explanation"]["parts"][0] == {"value": 2.0, "label": "paths"}


def test_of_many_contributions_the_largest_are_printed() -> None:
    parts = [Explanation(float(value), f"part {value}") for value in (1, 5, 2, 4, 3)]
    assert short_lines(Explanation(15.0, "all", parts), 2) == [
        "15.0000  all", "  5.0000  part 5", "  4.0000  part 4", "  6.0000  3 more, each smaller than these",
    ]
    assert len(short_lines(Explanation(15.0, "all", parts), 4)) == 6  # no line stands for one part


@given(st.text(r"\frac{}sqrt[]_^+x1()hat&='|matrixbegin,sum∑", max_size=60), st.sets(st.integers(0, 40)))
def test_any_formula_can_be_marked_anywhere(source: str, nodes: set[int]) -> None:
    match = match_of(source, source, [(node, node) for node in nodes], [Substitution("x", "1", tuple(nodes))])
    marked, _ = highlight_text(match, "ansi")
    assert re.sub(r"\x1b\[[\d;]*m", "", marked) == to_unicode(parse(Formula(source)))
    highlight_mathml(match)


def test_long_formulas_take_linear_time(assert_linear) -> None:
    assert_linear(lambda size: highlight_mathml(match_of("x", "x^2+" * size, [(0, 0), (0, 1)])), 200, 1_000)
    assert_linear(lambda size: highlight_mathml(match_of("x", r"\sqrt{" * size, [(0, 0), (0, 1)])), 20, 100)
