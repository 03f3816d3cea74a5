"""Formulas typed with characters of Unicode are those that LaTeX has commands for."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex


@every_case(
    ("typed", "latex"),
    [
        ("√(x+y)z", r"\sqrt{x+y}z"), ("√(x(y+1))", r"\sqrt{x(y+1)}"), ("√2x", r"\sqrt{2}x"), ("√12", r"\sqrt{12}"),
        ("√x", r"\sqrt x"), ("√{x}", r"\sqrt{x}"), ("√[3]{x}", r"\sqrt[3]{x}"), ("√(√(x)+1)", r"\sqrt{\sqrt x+1}"),
        ("∛y", r"\sqrt[3]{y}"), ("∛(x+1)", r"\sqrt[3]{x+1}"), ("∜16", r"\sqrt[4]{16}"),
        (r"\frac√(x)2", r"\frac{\sqrt x}2"), ("𝜙", r"\phi"), ("𝜑", r"\varphi"), ("ϕ", r"\phi"), ("φ", r"\varphi"),
        ("𝜖𝜗𝜘𝜚𝜛", r"\epsilon\vartheta\varkappa\varrho\varpi"),
        ("𝜀𝜃𝜅𝜌𝜋", r"\varepsilon\theta\kappa\rho\pi"), ("𝒛", r"\mathbf z"),
        ("½x", r"\frac12x"), ("x²", "x^2"), ("x¹²", "x^{12}"), ("x⁻¹", "x^{-1}"), ("aₙ₊₁", "a_{n+1}"), ("x₁²", "x_1^2"),
        ("Aᵀ", "A^T"), ("xᵃᵦ", r"x^a_\beta"), ("∑_{i}aᵢ", r"\sum_{i}a_i"), ("∑ᵢaᵢ", r"\sum_ia_i"), ("a−b", "a-b"),
        ("x\u0302", r"\hat x"), ("â", r"\hat a"), ("ẋ", r"\dot x"), ("x\u20d7", r"\vec x"),
        ("x\u0332", r"\underline x"),
        ("ẍ²", r"\ddot x^2"), ("∩\ufe00", r"\cap"),
    ],
)
def test_a_typed_formula(typed: str, latex: str) -> None:
    layout = parse_latex(typed)
    assert not layout.problems
    assert layout_key(layout) == layout_key(parse_latex(latex))


def test_a_root_sign_before_a_parenthesis_that_is_not_closed_takes_one_symbol() -> None:
    assert layout_key(parse_latex("√(x")) == layout_key(parse_latex(r"\sqrt(x"))
    assert layout_key(parse_latex("{√(x})")) == layout_key(parse_latex(r"{\sqrt(x})"))
