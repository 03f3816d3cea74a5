"""LaTeX as terms: whole formulas, and symbols whose equal commands have one name."""

from __future__ import annotations

import re

from case_tables import every_case

from porism.formula import parse, parse_latex
from porism.formula.extractors.latex import source_latex, unified_names, unified_tokens, whole_latex
from porism.formula.tables.commands import ACCENTS, ENVIRONMENTS, FRACTIONS, MARKS
from porism.formula.tables.lookup import SYMBOLS


def unified(latex: str) -> str:
    return " ".join(unified_tokens(parse_latex(latex)))


def test_the_example_of_the_paper() -> None:
    assert unified(r"\|A\|_{2}\leq\sqrt{\|A\|_{1}\|A\|_{\infty}}") == (
        "<Vert> <A> <Vert> <subscript> <2> <le> <root> <{> <Vert> <A> <Vert> <subscript> <1> "
        "<Vert> <A> <Vert> <subscript> <infty> <}>"
    )


@every_case(
    ("spellings", "expected"),
    [
        ([r"\frac12", r"\dfrac{1}{2}", r"\tfrac 1 2", r"{1\over 2}"], "<frac> <1> <2>"),
        ([r"\|", r"\Vert", r"\lVert", r"\rVert", "‖"], "<Vert>"),
        ([r"a\ne b", r"a\neq b", r"a\not= b", "a≠b"], "<a> <ne> <b>"),
        ([r"\mathbb{R}", r"\Bbb R", r"\R", "ℝ"], "<mathbb-R>"),
        ([r"\mathcal{L}", r"\mathscr L"], "<mathcal-L>"),
        ([r"\overline{AB}", r"\bar{AB}"], "<bar> <{> <A> <B> <}>"),
        ([r"\hat x", r"\widehat{x}"], "<hat> <x>"),
        ([r"x''", r"x^{\prime\prime}"], "<x> <prime> <prime>"),
        ([r"\sqrt[3]{2}", r"\root 3\of 2"], "<root> <[> <3> <]> <2>"),
        ([r"\{1\}", r"\left\{1\right\}", r"\lbrace 1\rbrace"], "<{> <1> <}>"),
        ([r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"], "<pmatrix> <1> <cell> <2> <newline> <3> <cell> <4> <end>"),
        ([r"x_{ij}^n"], "<x> <subscript> <{> <i> <j> <}> <superscript> <n>"),
        ([r"{}^{14}C"], "<superscript> <14> <C>"),
        ([r"\foo"], "<foo>"),
        ([r"\text{if you}"], "if you"),
        ([r"\overset{f}{\to}", r"\stackrel{f}{\rightarrow}"], "<over> <f> <to>"),
        ([""], ""),
    ],
)
def test_equal_spellings_have_one_name(spellings: list[str], expected: str) -> None:
    assert [unified(spelling) for spelling in spellings] == [expected] * len(spellings)


def test_every_symbol_accent_fraction_and_matrix_has_a_name() -> None:
    names = unified_names()
    labels = {label for label, kind in SYMBOLS.values() if not re.fullmatch(r"[A-Za-z0-9′]", label)}
    assert labels - set(names.symbols) <= MARKS
    assert set(ACCENTS.values()) <= set(names.accents)
    assert {label for label, _, _ in FRACTIONS.values()} <= set(names.fractions)
    environments = {
        "lines" if kind == "lines" else fences for kind, fences in ENVIRONMENTS.values() if kind != "group"
    }
    assert environments == set(names.environments)


def test_every_spelling_of_a_class_gives_its_name() -> None:
    for name, spellings in unified_names().classes.items():
        for spelling in spellings:
            if spelling in SYMBOLS:
                assert f"<{name}>" in unified(spelling + " "), spelling
            elif spelling[1:] in ACCENTS or spelling[1:] in FRACTIONS:
                assert unified(spelling + "{x}{y}").startswith(f"<{name}> <x>"), spelling


def test_names_are_distinct() -> None:
    symbols = list(unified_names().symbols.values())
    assert len(symbols) == len(set(symbols))


def test_a_whole_formula_is_one_term() -> None:
    assert whole_latex(parse_latex(r"\dfrac12 +  x^2")) == [r"\frac{1}{2}+x^{2}"]
    assert whole_latex(parse_latex("")) == []


def test_the_source_is_kept_as_it_was_written() -> None:
    assert source_latex(parse_latex("\\dfrac12 +\n  x")) == r"\dfrac12 + x"
    assert source_latex(parse("<math><mfrac><mn>1</mn><mn>2</mn></mfrac></math>")) == r"\frac{1}{2}"
