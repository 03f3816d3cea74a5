"""Term extractors: the worked example ``x^2+\\frac{a}{b}=0`` in every format, and their bounds on any input."""

from __future__ import annotations

import re

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.analysis.analyzer import AnalysisConfig
from porism.errors import ConfigError
from porism.formula.extractors import EXTRACTORS, extract
from porism.formula.extractors.approach0 import MAX_PREFIXES
from porism.formula.extractors.tangent import operator_tuples
from porism.formula.extractors.tangent_l import TangentL
from porism.formula.latex.parser import parse_latex
from porism.formula.operators.builder import operator_tree
from porism.formula.tree import LayoutNode, LayoutTree

EXAMPLE = r"x^2+\frac{a}{b}=0"


def terms(name: str, source: str) -> list[str]:
    layout = parse_latex(source)
    return extract(name, layout, operator_tree(layout))


def test_tokens() -> None:
    assert " ".join(terms("tokens", EXAMPLE)) == r"x ^ { 2 } + \frac { a } { b } = 0"


def test_tokens_are_canonical() -> None:
    assert terms("tokens", r"\left(x\leq\mathbf y\right)") == ["(", "x", "≤", "y", ")"]
    assert terms("tokens", "x^2_i") == ["x", "_", "{", "i", "}", "^", "{", "2", "}"]
    assert terms("tokens", "f''(x)") == ["f", "′", "′", "(", "x", ")"]
    assert terms("tokens", r"\sqrt[3]{x}") == [r"\sqrt", r"[", r"3", r"]", r"{", r"x", r"}"]
    assert terms("tokens", r"\bar x") == [r"\over", r"¯", r"{", r"x", r"}"]
    assert terms("tokens", r"\mathbb R\ni\pi") == ["ℝ", "∋", "π"]
    assert terms("tokens", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}") == [
        r"\matrix()", "a", "&", "b", r"\\", "c", "&", "d", r"\\", r"\end",
    ]


def test_token_n_grams() -> None:
    assert terms("tokens-2", "a+b=c") == ["a +", "+ b", "b =", "= c"]
    assert terms("tokens-3", "a+b=c") == ["a + b", "+ b =", "b = c"]
    assert terms("tokens-2", "x") == []


def test_prefix() -> None:
    assert terms("prefix", EXAMPLE) == ["U!eq", "U!plus", "O!SUP", "V!x", "N!2", "O!divide", "V!a", "V!b", "N!0"]


def test_infix() -> None:
    assert " ".join(terms("infix", EXAMPLE)) == (
        "( ( ( V!x O!SUP N!2 ) U!plus ( V!a O!divide V!b ) ) U!eq N!0 )"
    )
    assert terms("infix", "-a") == ["(", "O!neg", "V!a", ")"]


def test_tangent_l() -> None:
    plain = [
        "(v!x,n!2,a)", "(v!x,+,n)", "(+,f!,n)", "(f!,v!a,o)", "(f!,v!b,u)", "(f!,=,n)", "(=,n!0,n)",
        "(n!2,!0)", "(v!a,!0)", "(v!b,!0)", "(n!0,!0)", "(v!x,[a,n])", "(f!,[o,u,n])",
    ]
    located = [
        "(v!x,n!2,a,-)", "(v!x,+,n,-)", "(+,f!,n,n)", "(f!,v!a,o,nn)", "(f!,v!b,u,nn)", "(f!,=,n,nn)", "(=,n!0,n,nnn)",
        "(n!2,!0,a)", "(v!a,!0,nno)", "(v!b,!0,nnu)", "(n!0,!0,n)", "(v!x,[a,n],-)", "(f!,[o,u,n],nn)",
    ]
    assert sorted(terms("tangent-l", EXAMPLE)) == sorted(plain + located)


def test_tangent_l_without_terminals_and_compounds_keeps_the_pairs() -> None:
    located = ["(v!x,n!2,a,-)", "(v!x,+,n,-)", "(+,n!1,n,n)", "(n!1,=,n,nn)", "(=,v!a,n,nnn)", "(v!a,v!x,b,n)"]
    source = "x^2+1=a_x"
    pairs = [re.sub(r",[^,]*\)$", ")", term) for term in located]
    options = "tangent-l:no-duplicates+no-locations"
    assert sorted(terms(f"{options}+no-terminals", source)) == sorted([*pairs, "(v!x,[a,n])"])
    assert sorted(terms(f"{options}+no-terminals+no-compounds", source)) == sorted(pairs)
    assert sorted(terms(options, source)) == sorted([*pairs, "(v!x,[a,n])", "(v!x,!0)", "(n!2,!0)"])


def test_tangent_l_leaves_out_long_locations() -> None:
    found = terms("tangent-l", "a+b+c+d+e+f")
    assert "(+,v!e,n,nnnnnnn)" in found
    assert not any(term.startswith("(v!e,+,n,") for term in found)
    assert "(v!e,+,n)" in found


def test_tangent_l_measures_locations_from_the_closest_relation() -> None:
    source = r"a+b+c+d+e=x\leq y_i"
    found = terms("tangent-l", source)
    assert {"(v!x,≤,n,n)", "(≤,v!y,n,nn)", "(v!y,v!i,b,n)", "(v!i,!0,nb)"} <= set(found)
    assert "(v!a,+,n,-)" in found
    assert {"(v!x,≤,n,n)", "(≤,v!y,n,nn)"}.isdisjoint(terms("tangent-l:no-anchors", source))


def test_tangent_l_says_where_a_symbol_is_again() -> None:
    def repeated(source: str) -> list[str]:
        return [term for term in terms("tangent-l", source) if term.startswith("{")]

    # the second n is on the way to the third; the third and the first hang from y
    assert repeated("y^n=n+x^n") == [
        "{v!n,nna}", "{v!n,nna,n}", "{?v,nna}", "{?v,nna,n}",
        "{v!n,nnnna,a}", "{v!n,nnnna,a,-}", "{?v,nnnna,a}", "{?v,nnnna,a,-}",
    ]
    assert repeated("2a-2") == ["{n!2,nnn}", "{n!2,nnn,-}", "{?n,nnn}", "{?n,nnn,-}"]
    assert repeated("a+b+c") == ["{+,nn}", "{+,nn,n}", "{?o,nn}", "{?o,nn,n}"]
    letters = "bcdefghijklmnop"
    assert repeated(f"a{letters}a") == ["{v!a," + 16 * "n" + end for end in ("}", ",-}")] + [
        "{?v," + 16 * "n" + end for end in ("}", ",-}")
    ]
    assert repeated(f"a{letters}qa") == []


def test_tangent_l_older_options() -> None:
    layout = parse_latex("x^2+1")
    assert sorted(set(TangentL(edge_pairs=True)(layout)) - set(TangentL()(layout))) == ["(n,n,+)", "(n,n,+,n)"]
    assert "(n!1,!0,n)" in TangentL(end_of_line=8)(layout)
    assert "(n!1,!0,n)" not in TangentL(end_of_line=3)(layout)
    assert {"(v!x,n!1,nn)", "(v!x,n!1,nn,-)"} <= set(TangentL(long_pairs=True)(layout))
    assert {"(*,+,n)", "(v!x,*,n)", "(*,[a,n])", "(*,+,n,-)"} <= set(TangentL(wildcards=True)(layout))
    assert TangentL(delimiters=True)(layout)[::len(TangentL()(layout)) + 1] == ["#(start)#", "#(end)#"]


def test_a_wildcard_meets_only_what_was_expanded_for_it() -> None:
    asked = set(terms("tangent-l:wildcards", r"\qvar{a}+1"))
    assert asked == set(terms("tangent-l", r"\qvar{a}+1"))
    assert "(*,+,n)" in asked & set(terms("tangent-l:wildcards", "x+1"))
    assert "(*,+,n)" not in terms("tangent-l", "x+1")


@every_case(("formula", "expected"), [
    ("x!! - y^2 = 0", "U!eq O!minus O!double-factorial V!x O!SUP V!y N!2 N!0"),  # the example of section 2.1.2
    ("a-b+c-d", "O!minus U!plus O!minus V!a V!b V!c V!d"),
    ("a+b-c+d+e", "U!plus O!minus U!plus V!a V!b V!c V!d V!e"),
    ("-a+b", "U!plus O!minus V!a V!b"),
    ("a+b+c", "U!plus V!a V!b V!c"),
    ("x-(y-z)", "O!minus V!x O!minus V!y V!z"),
])
def test_prefix_notation_of_the_trees_of_latexml(formula: str, expected: str) -> None:
    assert terms("prefix:latexml", formula) == expected.split()


def test_tangent_l_as_the_system_of_2022_reads_it() -> None:
    assert sorted(terms("tangent-l:delimiters+identifiers", r"\triangle / l")) == sorted([
        "#(start)#", "(v!△,/,n,-)", "(v!△,/,n)", "(/,v!l,n,n)", "(/,v!l,n)", "(v!l,!0,nn)", "(v!l,!0)", "#(end)#",
    ])


def test_variants_of_tangent_l_have_names() -> None:
    layout = parse_latex("x^2+1=a_x")
    tree = operator_tree(layout)
    for options, variant in (
        ("edge-pairs+long-pairs", TangentL(edge_pairs=True, long_pairs=True)),
        ("no-locations+no-duplicates", TangentL(locations=False, duplicates=False)),
        ("end-of-line=8+longest-location=3", TangentL(end_of_line=8, longest_location=3)),
    ):
        name = f"tangent-l:{options}"
        assert extract(name, layout, tree) == variant(layout) != TangentL()(layout)
        config = AnalysisConfig(formulas=("tokens", name))
        assert AnalysisConfig.from_dict(config.to_dict()) == config
    assert not any(":" in name for name in EXTRACTORS)


@every_case(
    "options", ["", "edge-pear", "no-end-of-line=3", "end-of-line", "edge-pairs=1", "end-of-line=x", "end-of-line=-1"]
)
def test_an_unknown_option_of_tangent_l_is_refused(options: str) -> None:
    with pytest.raises(ConfigError, match=r"(Choose from terminals, .*longest-location=N)|whole number"):
        AnalysisConfig(formulas=(f"tangent-l:{options}",))


def test_tangent_s_layout() -> None:
    assert sorted(terms("tangent-s-layout", EXAMPLE)) == sorted([
        "V!x N!2 a -", "V!x + n -", "V!x O!divide nn -", "+ O!divide n n", "+ V!a no n", "+ V!b nu n", "+ = nn n",
        "O!divide V!a o nn", "O!divide V!b u nn", "O!divide = n nn", "O!divide N!0 nn nn", "= N!0 n nnn",
        "N!2 0! n a", "V!a 0! n nno", "V!b 0! n nnu", "N!0 0! n nnnn",
    ])


def test_tangent_s_operators() -> None:
    assert terms("tangent-s-operators", EXAMPLE) == [
        "U!eq U!plus 0 -", "U!plus O!SUP 0 0", "O!SUP V!x 0 00", "O!SUP N!2 1 00", "U!plus O!divide 0 0",
        "O!divide V!a 0 00", "O!divide V!b 1 00", "U!eq N!0 0 -",
    ]
    tree = operator_tree(parse_latex(EXAMPLE))
    assert "U!eq O!divide 00 -" in operator_tuples(tree, window=2)
    assert terms("tangent-s-operators", "x") == ["V!x 0! 0 -"]
    assert terms("tangent-s-operators", "-x") == ["O!neg V!x 0 -"]


def test_unordered_operands_give_the_same_tuples() -> None:
    assert sorted(terms("tangent-s-operators", "a+b=c")) == sorted(terms("tangent-s-operators", "c=b+a"))
    assert sorted(terms("tangent-s-operators", "a<b")) != sorted(terms("tangent-s-operators", "b<a"))


def test_tangent_cft() -> None:
    assert {"V x N 2 a", "V x O divide nn", "+ V a no", "N 0 0! n"} <= set(terms("tangent-cft", EXAMPLE))
    assert len(terms("tangent-cft", EXAMPLE)) == len(terms("tangent-s-layout", EXAMPLE))
    assert terms("tangent-cft-operators", EXAMPLE)[0] == "U eq U plus 0"


def test_approach0() -> None:
    assert terms("approach0", EXAMPLE) == [
        "VAR/BASE/SUBSUP", "VAR/BASE/SUBSUP/ADD", "VAR/BASE/SUBSUP/ADD/GTLS",
        "NUM/SUPSCRIPT/SUBSUP", "NUM/SUPSCRIPT/SUBSUP/ADD", "NUM/SUPSCRIPT/SUBSUP/ADD/GTLS",
        "VAR/BASE/SUBSUP/rank1/FRAC", "VAR/BASE/SUBSUP/rank1/FRAC/ADD", "VAR/BASE/SUBSUP/rank1/FRAC/ADD/GTLS",
        "VAR/BASE/SUBSUP/rank2/FRAC", "VAR/BASE/SUBSUP/rank2/FRAC/ADD", "VAR/BASE/SUBSUP/rank2/FRAC/ADD/GTLS",
        "ZERO/GTLS",
    ]


def test_approach0_paths_do_not_depend_on_names_or_order() -> None:
    assert sorted(terms("approach0", "x^2+y=1")) == sorted(terms("approach0", "b+a^2=1"))
    assert terms("approach0", "a/b") != terms("approach0", "a+b")


def test_approach0_keeps_the_names_of_unknown_commands() -> None:
    assert terms("approach0", r"\foo=\Foo") == [r"\foo/GTLS", r"\Foo/GTLS"]
    assert terms("approach0", r"\foo{x}{y}") == [
        "VAR/BASE", "VAR/BASE/SUBSUP", r"VAR/BASE/SUBSUP/rank1/\foo",
        "VAR/BASE", "VAR/BASE/SUBSUP", r"VAR/BASE/SUBSUP/rank2/\foo",
    ]


def test_approach0_is_capped() -> None:
    assert len(terms("approach0", "+".join("ab" * 200))) <= MAX_PREFIXES


def test_mias() -> None:
    whole = "R(F(I(a)I(b))O(+)N(0)O(=)J(I(x)N(2)))"
    found = terms("mias", EXAMPLE)
    assert [term[2:] for term in found if term.startswith("=:")] == [whole, "F(I(a)I(b))", "J(I(x)N(2))"]
    assert "v:R(F(I(1)I(2))O(+)N(0)O(=)J(I(3)N(2)))" in found
    assert "n:J(I(x)N(*))" in found
    assert "vn:J(I(1)N(*))" in found
    assert "o:R(F(I(a)I(b))O(*)N(0)O(*)J(I(x)N(2)))" in found
    assert len(found) == 11


def test_mias_sorts_only_what_commutes() -> None:
    assert terms("mias", "b+a") == terms("mias", "a+b")
    assert terms("mias", "b-a")[0] == "=:R(I(b)O(-)I(a))"
    assert terms("mias", "yx")[0] == "=:R(I(x)I(y))"


def test_mias_unifies_variables_in_each_subtree() -> None:
    left, right = terms("mias", r"\frac{a}{b}+c"), terms("mias", r"\frac{x}{y}+z")
    assert set(left) & set(right) == {"v:R(F(I(1)I(2))O(+)I(3))", "v:F(I(1)I(2))"}


def test_shapes_ignore_the_names_of_variables() -> None:
    assert sorted(terms("shapes", r"\frac{x^2}{y}=3")) == sorted(terms("shapes", r"\frac{u^2}{v}=3"))
    assert sorted(terms("shapes", "x^2")) != sorted(terms("shapes", "x^3"))


def test_an_unknown_name_says_which_there_are() -> None:
    layout = parse_latex("x")
    with pytest.raises(ConfigError, match="tangent-l"):
        extract("tangent", layout, operator_tree(layout))


def test_the_registry_names_each_extractor() -> None:
    assert {name: extractor.name for name, extractor in EXTRACTORS.items()} == {name: name for name in EXTRACTORS}
    assert all(extractor.what for extractor in EXTRACTORS.values())


def test_extractors_do_not_share_lists() -> None:
    layout = parse_latex(EXAMPLE)
    operators = operator_tree(layout)
    for name in EXTRACTORS:
        first = extract(name, layout, operators)
        expected = list(first)
        first.clear()
        assert extract(name, layout, operators) == expected


def _row_of(unit: str, count: int) -> LayoutTree:
    return LayoutTree(parse_latex(unit).row * count, "")


def _nested(depth: int) -> LayoutTree:
    inner = [LayoutNode("x", "V")]
    for _ in range(depth):
        outer = LayoutNode("y", "V")
        outer.above = inner
        inner = [outer, LayoutNode("+", "O"), LayoutNode("1", "N")]
    return LayoutTree(inner, "")


@every_case(
    "layout", [_row_of("x_1+", 20_000), _row_of(r"\frac{a}{b}", 5_000), _nested(10_000), _row_of("(", 20_000)],
    ids=["long", "fractions", "deep", "open"],
)
def test_hostile_formulas_cost_little(layout: LayoutTree) -> None:
    operators = operator_tree(layout)
    for name in EXTRACTORS:
        found = extract(name, layout, operators)
        assert len(found) <= 70_000
        assert sum(map(len, found)) < 4_000_000


@settings(max_examples=examples(150), deadline=None)
@given(st.text(max_size=40) | st.text(alphabet=r"\frac{}^_()ab12+=,|'!&$ ", max_size=60))
def test_any_text_gives_terms(source: str) -> None:
    layout = parse_latex(source)
    operators = operator_tree(layout)
    for name in EXTRACTORS:
        found = extract(name, layout, operators)
        assert all(isinstance(term, str) and term for term in found)
        assert len(found) <= 40 * (len(source) + 4)


def test_an_empty_formula_has_no_layout_terms() -> None:
    assert terms("tokens", "") == terms("tangent-l", "") == terms("mias", "") == []


@every_case(
    "source",
    ["\ud800", "\\text{\ud800}", "\\qvar{\ud800}", "\\operatorname{\ud800}", "\\\ud800", "\\begin{\ud800}", "a\x00b"],
)
def test_terms_can_be_stored(source: str) -> None:
    layout = parse_latex(source)
    operators = operator_tree(layout)
    for name in EXTRACTORS:
        for term in extract(name, layout, operators):
            assert term.encode("utf-8")
            assert "\x00" not in term
