"""Hostile and huge formulas: always a tree, in time that grows with the length and no faster."""

from __future__ import annotations

import pytest
from case_tables import every_case
from long_forms import LONG, LONG_ONLY

from porism.formula import (
    LayoutTree,
    layout_key,
    layout_string,
    parse_latex,
    parse_mathml,
    to_latex,
    to_mathml,
    to_unicode,
)
from porism.formula.layout import child_rows

HUGE = {
    "primes": "f" + "'" * 100_000, "prime commands": "f" + r"\prime" * 30_000, "open braces": "{" * 100_000,
    "nested braces": "{" * 10_000 + "x" + "}" * 10_000, "nested scripts": "x^{" * 10_000 + "y" + "}" * 10_000,
    "nested fractions": r"\frac{1}{" * 10_000 + "x" + "}" * 10_000,
    "nested fences": r"\left(" * 10_000 + r"\right)" * 10_000,
    "nested matrices": r"\begin{matrix}" * 10_000 + r"\end{matrix}" * 10_000, "nested accents": r"\hat" * 50_000,
    "open options": r"\sqrt[" * 20_000, "fractions": r"\over x" * 50_000, "parentheses": "(" * 100_000,
    "closers": "}" * 100_000,
    "dollars": "$" * 100_000, "backslashes": "\\" * 100_000, "ampersands": "&" * 50_000, "comments": "%" * 100_000,
    "texts": r"\text{" * 30_000, "mathematics in texts": r"\text{$" * 20_000, "colours": r"\color[" * 20_000,
    "long name": r"\mathrm{" + "a" * 100_000 + "}", "spaces": "1" + " " * 100_000 + "1",
    "environments": r"\begin{" * 30_000,
    "matrices": r"\begin{pmatrix}1&2\\3&4\end{pmatrix}" * 2_000, "empty bases": "{}_a" * 20_000, "carets": "^" * 50_000,
    "definitions": r"\newcommand" * 30_000, "macros": r"\R" * 30_000, "line breaks": r"\\[" * 30_000,
    "matrices of packages": r"\imat{20}" * 3_000, "brackets of packages": r"\mqty(" * 5_000,
    "chemistry": r"\ce{" * 5_000, "chemical arrows": r"\ce{" + "H2O->[" * 5_000, "quantities": r"\SI{3}{\m}" * 3_000,
    "units": r"\unit{" + r"\kilo\metre\per" * 3_000, "numbers": r"\num{" + "1x" * 10_000, "texts in cells":
    r"\begin{numcases}{x}&" * 2_000, "premises": r"\AxiomC{x}" * 3_000 + r"\BinaryInfC{y}" * 3_000,
    "staggered indices": r"\tensor{T}{" + "^a_b" * 5_000, "corner scripts": r"\sideset" * 5_000,
    "columns with content": r"\begin{array}{>{A}c}" * 2_000,
    "content of columns": r"\begin{array}{*{9}{>{abcdefgh}c}}" + r"x&y\\" * 8_000 + r"\end{array}",
    "columns that never end": r"\begin{array}{" * 3_000, "arguments until a sign": r"\def\a#1;{x}" + r"\a " * 5_000,
    "a macro of itself": r"\def\a{\a\a}\a",
    "a bomb of macros": (
        r"\def\a{xx}\def\b{" + r"\a" * 9 + r"}\def\c{" + r"\b" * 9 + r"}\def\d{" + r"\c" * 9 + "}" + r"\d" * 9
    ),
}


def everything(tree: LayoutTree) -> None:
    layout_key(tree)
    layout_string(tree)
    to_mathml(tree)
    to_latex(tree)
    to_unicode(tree)


@LONG_ONLY
@pytest.mark.parametrize("name", HUGE)
def test_huge_latex_is_read_in_linear_time(name: str, assert_linear) -> None:
    source = HUGE[name]
    assert_linear(lambda size: parse_latex(source[:size]), 2_000, 8_000)
    tree = parse_latex(source)
    everything(tree)
    assert tree.source == source


def test_a_megabyte_is_read_to_its_end() -> None:
    source = r"\alpha_{i}^{2}+\frac{x}{y}\sin(z) " * 30_000
    tree = parse_latex(source, max_length=2_000_000)
    assert len(source) > 1_000_000
    assert len(tree.row) == 7 * 30_000
    assert tree.problems == ()


def depth_of(tree: LayoutTree) -> int:
    depth = 0
    rows = [tree.row]
    while rows:
        rows = [child for row in rows for node in row for child in child_rows(node)]
        depth += 1
    return depth


def test_depth_is_capped_and_the_rest_is_read_flat() -> None:
    tree = parse_latex("x^{" * 50 + "y" + "}" * 50 + "z", max_depth=10)
    assert depth_of(tree) <= 12
    assert [node.label for node in tree.row] == ["x", "z"]
    assert any("deeper than 10 levels" in problem.what for problem in tree.problems)


def test_length_is_capped() -> None:
    tree = parse_latex("x+" * 100, max_length=7)
    assert layout_key(tree) == "V!x O!+ V!x O!+ V!x O!+ V!x"
    assert [(problem.position, problem.what) for problem in tree.problems] == [
        (7, "longer than 7 characters: the rest was dropped")
    ]


HUGE_MATHML = {
    "nested rows": "<math>" + "<mrow>" * 10_000 + "<mi>x</mi>" + "</mrow>" * 10_000 + "</math>",
    "open scripts": "<msup>" * 10_000,
    "rows in rows": "<math>" + "<mrow><mi>x</mi>" * 10_000, "open tags": "<a " * 50_000, "open quotes": '<a "' * 50_000,
    "brackets": "<" * 100_000, "closers": "</mrow>" * 30_000, "comments": "<math><!--" * 20_000,
    "primes": "<mi>f</mi>" + "<mo>′</mo>" * 20_000,
    "entities": "<mi>&" * 30_000, "CDATA": "<![CDATA[" * 30_000, "attributes": "<mi " + "a=b " * 50_000 + ">x</mi>",
    "applications": "<apply><plus/>" * 5_000 + "<ci>x</ci>", "tables": "<mtable><mtr><mtd>" * 5_000,
}


@every_case("name", HUGE_MATHML)
def test_huge_mathml_is_read_in_linear_time(name: str, assert_linear) -> None:
    source = HUGE_MATHML[name]
    assert_linear(lambda size: parse_mathml(source[:size]), 10_000, 30_000, in_full=True)
    everything(parse_mathml(source[: len(source) if LONG else 10_000]))


def test_entities_of_a_document_type_are_not_expanded() -> None:
    bomb = '<!DOCTYPE m [<!ENTITY a "xxxxxxxxxx"><!ENTITY b "&a;&a;&a;&a;&a;&a;">]><math><mi>&b;</mi><mi>y</mi></math>'
    tree = parse_mathml(bomb)
    assert len(tree.row) < 20
    assert tree.row[-1].label == "y"
