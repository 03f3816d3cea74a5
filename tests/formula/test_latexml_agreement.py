"""LaTeX and LaTeXML's MathML of the same real formulas give the same trees."""

from __future__ import annotations

import csv
import sys
from pathlib import Path

import pytest
from case_tables import every_case

from porism.formula import layout_key, layout_string, operator_string, operator_tree, parse_latex, parse_mathml


def formulas(path: Path) -> dict[str, str]:
    csv.field_size_limit(sys.maxsize)
    with path.open(encoding="utf-8", newline="") as file:
        return {row[0]: row[8] for row in csv.reader(file, delimiter="\t") if len(row) > 8}


@pytest.mark.needs_shared_data
def test_both_notations_agree_on_nearly_all_formulas(shared_data: Path) -> None:
    folder = shared_data / "arqmath-mini"
    latex = formulas(folder / "latex_representation_v3" / "1.tsv")
    mathml = formulas(folder / "slt_representation_v3" / "1.tsv")
    pairs = sorted({(latex[key], mathml[key]) for key in latex if mathml.get(key)})[::12]
    assert len(pairs) > 3_000
    equal = sum(layout_key(parse_latex(one)) == layout_key(parse_mathml(other)) for one, other in pairs)
    assert equal / len(pairs) > 0.975


def math(latex: str, markup: str) -> str:
    return f'<math alttext="{latex}" class="ltx_Math"><mrow>{markup}</mrow></math>'


def padded(width: str, markup: str, before: str = "0pt") -> str:
    return f'<mpadded lspace="{before}" width="+{width}">{markup}</mpadded>'


TWO_BELOW = "<mmultiscripts><mi>x</mi><mi>a</mi><none/><mi>b</mi><none/></mmultiscripts>"
WORDS = "<mtext>dual</mtext>"


@every_case(
    ("latex", "markup"),
    [
        ("{x_{a}}_{b}", TWO_BELOW), ("x_{a}{}_{b}", TWO_BELOW),
        ("{x^{a}}^{b}", "<mmultiscripts><mi>x</mi><none/><mi>a</mi><none/><mi>b</mi></mmultiscripts>"),
        ("{{x_{a}}^{c}}_{b}",
         "<mmultiscripts><mi>x</mi><mi>a</mi><none/><none/><mi>c</mi><mi>b</mi><none/></mmultiscripts>"),
        (r"{x_{a}}_{{}_{k}}",
         "<mmultiscripts><mi>x</mi><mi>a</mi><none/><msub><mi/><mi>k</mi></msub><none/></mmultiscripts>"),
        (r"\text{dual}~{}\text{dual}", padded("3.3pt", WORDS) + WORDS),
        (r"\text{dual}\ \text{dual}", padded("5pt", WORDS) + WORDS),
        (r"\text{dual}\ \text{dual}", "<mrow>" + padded("5pt", WORDS) + f"</mrow>{WORDS}"),
        (r"\text{div}\,\text{rot}V", padded("1.7pt", "<mtext>div</mtext>") + "<mtext>rot</mtext><mi>V</mi>"),
        (r"\quad x y", padded("10pt", "<mi>x</mi>", "10pt") + "<mi>y</mi>"),
        (r"x\quad yz", padded("10pt", "<mrow><mi>x</mi><mi>y</mi></mrow>") + "<mi>z</mi>"),
        (r"x\ \ y\ z", padded("10pt", "<mi>x</mi>") + padded("5pt", "<mi>y</mi>") + "<mi>z</mi>"),
    ],
)
def test_scripts_and_spaces_of_latexml(latex: str, markup: str) -> None:
    wanted, read = parse_latex(latex), parse_mathml(math(latex, markup))
    assert layout_key(read) == layout_key(wanted)
    assert operator_string(operator_tree(read)) == operator_string(operator_tree(wanted))


def test_spaces_of_padded_symbols_are_those_of_the_latex() -> None:
    markup = padded("5pt", "<mi>x</mi>") + padded("1.7pt", "<mi>y</mi>") + "<mi>z</mi>"
    assert [node.space for node in parse_mathml(math(r"x\ y\,z", markup)).row] == [0, 6, 3]


def test_many_scripts_on_scripts_are_nested_a_few_times() -> None:
    columns = "<mi>a</mi><none/>" * 2_000
    tree = parse_mathml(math("x", f"<mmultiscripts><mi>x</mi>{columns}</mmultiscripts>"))
    assert layout_string(tree).count("a") == 2_000


@every_case(
    ("wrapped", "latex"),
    [
        (r"\begin{% matrix}a&b\end{matrix% }", r"\begin{matrix}a&b\end{matrix}"),
        ("\\begin{%\n matrix}a&b\\end{%\n matrix}", r"\begin{matrix}a&b\end{matrix}"),
        (r"\text{,%  if }x", r"\text{, if }x"), (r"\text{a% b}", r"\text{ab}"), ("x+% y", "x+y"),
        ("\\text{a%rest\n  b%  c}", r"\text{ab c}"),
    ],
)
def test_wrapped_lines_of_latexml(wrapped: str, latex: str) -> None:
    assert layout_key(parse_latex(wrapped)) == layout_key(parse_latex(latex))
