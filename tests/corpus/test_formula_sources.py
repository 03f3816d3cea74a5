"""The LaTeX of formulas as texts have it: rows without an environment, equations between blank lines."""

from __future__ import annotations

import pytest

from porism.corpus.formula_sources import aligned, equations
from porism.formula import parse_latex


@pytest.mark.parametrize(
    "source",
    [
        "x = y",
        r"\begin{pmatrix} a & b \\ c & d \end{pmatrix} = A",
        r"\substack{a \\ b} \& c",
        r"\begin{aligned} a &= b \end{aligned} % c & d",
        r"\sum_{\begin{matrix} a & b \end{matrix}} x",
    ],
)
def test_a_formula_whose_rows_have_an_environment_stays(source: str) -> None:
    assert aligned(source) == source


@pytest.mark.parametrize("source", [r"a &= b", r"a &= b \\ c &= d", r"a = b \\ c = d", r"x \begin{matrix} 1 \end{matrix} &= A"])
def test_rows_outside_environments_are_an_aligned_block(source: str) -> None:
    assert aligned(source) == rf"\begin{{aligned}} {source} \end{{aligned}}"
    assert not parse_latex(aligned(source)).problems


def test_a_comment_at_the_end_leaves_the_environment_closed() -> None:
    assert aligned("a &= b % so") == "\\begin{aligned}\na &= b % so\n\\end{aligned}"


def test_blank_lines_divide_equations_but_no_environments() -> None:
    block = "a &= b \\\\\nc &= d\n\ne = f\n\n\\begin{align}\ng &= h\n\ni &= j\n\\end{align}\n\n$$k$$\n"
    assert equations(block) == [
        r"\begin{aligned} a &= b \\ c &= d \end{aligned}",
        "e = f",
        r"\begin{align} g &= h i &= j \end{align}",
        "k",
    ]
