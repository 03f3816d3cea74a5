"""Commands of packages: each is read once, with a hand-written expectation where it means something of its own."""

from __future__ import annotations

import pytest

from porism.formula import operator_string, operator_tree, parse_latex


def tree(source: str) -> str:
    return operator_string(operator_tree(parse_latex(source)))


@pytest.mark.parametrize(("source", "plain"), [
    (r"\abs*{x}", "|x|"), (r"\norm[\big]{x}", r"\|x\|"), (r"\dv{f}{x}", r"\frac{\mathrm{d}f}{\mathrm{d}x}"),
    (r"\pdv[2]{f}{x}", r"\frac{\partial^2 f}{\partial x^2}"),
    (r"\pmqty{a&b\\c&d}", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}"),
    (r"\ce{2H2 + O2 -> 2H2O}", r"2\mathrm{H}_2+\mathrm{O}_2\to 2\mathrm{H}_2\mathrm{O}"),
    (r"\sin[2](x)", r"\sin^2(x)"), (r"\SI{3}{\kilo\meter}", r"3\,\mathrm{km}"),
])
def test_a_command_is_read_as_what_it_stands_for(source: str, plain: str) -> None:
    parsed = parse_latex(source)
    assert parsed.problems == ()
    assert operator_string(operator_tree(parsed)) == tree(plain)
