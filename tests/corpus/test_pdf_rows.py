"""Marks at their places to LaTeX: scripts, fractions, roots, matrices, accents, signs of several marks."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.pdf.clusters import clusters_of
from porism.corpus.pdf.lines import Line
from porism.corpus.pdf.marks import Kind, Mark
from porism.corpus.pdf.matrices import with_matrices
from porism.corpus.pdf.rows import row_latex
from porism.corpus.pdf.rules import with_rules
from porism.corpus.pdf.signs import joined_signs
from porism.formula import operator_string, operator_tree, parse_latex


def char(latex: str, x: float, y: float = 0.0, size: float = 10.0, width: float = 5.0, kind: Kind = "char") -> Mark:
    mark = Mark(latex, latex, kind, x, x + width, y, size, y + 0.7 * size, y - 0.2 * size)
    mark.is_math = True
    return mark


def text(letters: str, x: float, y: float = 0.0, size: float = 10.0) -> list[Mark]:
    marks = [char(letter, x + 5 * number, y, size) for number, letter in enumerate(letters)]
    for mark in marks:
        mark.is_math, mark.style = False, "rm"
    return marks


def bold(letter: str, x: float) -> Mark:
    mark = text(letter, x)[0]
    mark.style = "bf"
    return mark


def tall(latex: str, x: float, top: float, bottom: float, kind: Kind = "tall") -> Mark:
    mark = Mark(latex, latex, kind, x, x + 5, 0.0, 10.0, top, bottom)
    mark.is_math, mark.axis = True, (top + bottom) / 2
    mark.y = mark.axis - 2.5
    return mark


def scaled(latex: str, x: float, size: float = 20.0) -> Mark:
    """A sign as word processors draw it: that of text in a larger size, with its axis at that of the formula."""
    mark = Mark(latex, latex, "tall", x, x + 5, 2.5 - 0.25 * size, size, 2.5 + 0.6 * size, 2.5 - 0.6 * size)
    mark.is_math = True
    return mark


def rule(x0: float, x1: float, y: float) -> Mark:
    return Mark("", "", "rule", x0, x1, y, 0.0, y + 0.2, y - 0.2)


def read(*marks: Mark) -> str:
    return row_latex(with_matrices(with_rules(joined_signs(list(marks))), row_latex))


def same(latex: str, expected: str) -> bool:
    first, second = (operator_string(operator_tree(parse_latex(source))) for source in (latex, expected))
    return first == second


@every_case(("marks", "expected"), [
    ([char("x", 0), char("2", 5, 4, 7), char("+", 11), char("y", 18), char("i", 23, -2, 7)], "x^2+y_i"),
    ([char("a", 0), char("n", 5, 4, 7), char("i", 5, -2.5, 7), char("b", 12)], "a_i^n b"),
    ([char("x", 0), char("a", 5, 4, 7), char("b", 9, 6.5, 5)], "x^{a^b}"),
    ([char("f", 0), char("′", 5, 4, 7), char("(", 8), char("x", 12), char(")", 17)], "f'(x)"),
    ([char("F", 6), char("n", 11, -2, 7)], "F_n"),
    ([char("a", 1, 7), rule(0, 7, 2.5), char("b", 1, -7)], "\\frac{a}{b}"),
    ([char("1", 5, 7), rule(0, 14, 2.5), char("1", 0, -7), char("+", 5, -7), char("x", 9, -7)], "\\frac{1}{1+x}"),
    ([tall("√", 0, 8, -3), rule(5, 16, 8), char("x", 6), char("y", 11)], "\\sqrt{xy}"),
    ([rule(0, 10, 8), char("x", 0), char("y", 5)], "\\overline{xy}"),
    ([char("n", 1, 14, 7), tall("∑", 0, 10, -5), char("i", 0, -11, 7, 2), char("=", 2, -11, 7, 2),
      char("1", 4, -11, 7, 2), char("i", 8)], "\\sum_{i=1}^n i"),
    ([char("x", -12), char("=", -6), scaled("∫", 0), char("0", 6, -9, 7, 2), char("f", 9), char("d", 14)],
     "x=\\int_0fd"),
    ([char("T", -12), char("=", -6), scaled("(", 0, 30), char("a", 6, 8), char("b", 22, 8), char("c", 6, -8),
      char("d", 22, -8), scaled(")", 30, 30)],
     "T=\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}"),
    ([*text("lim", 0), char("x", 1, -7, 7, 4), char("→", 5, -7, 7, 4), char("0", 9, -7, 7, 4), char("x", 20)],
     "\\lim_{x\\to0}x"),
    ([*text("sin", 0), char("x", 17)], "\\sin x"),
    ([*text("det", 0), bold("K", 16)], "\\det\\mathbf{K}"),
    ([*text("Hom", 0), char("(", 15), char("A", 19), char(")", 24)], "\\operatorname{Hom}(A)"),
    ([char("\\hat", 0, 1, kind="accent"), char("x", 0), char("+", 8), char("1", 14)], "\\hat{x}+1"),
    ([char("\\widehat", 0, 1, width=11, kind="accent"), char("A", 0), char("B", 5)], "\\widehat{AB}"),
    ([char("̸", 0, width=0.1), char("=", 0), char("0", 8)], "\\ne 0"),
    ([char("−", 0), char("→", 3), char("A", 12)], "\\to A"),
    ([tall("(", 0, 7, -2), char("1", 6), char("2", 14), tall(")", 20, 7, -2)], "(1\\;2)"),
    ([char("1", 0), char("2", 5)], "12"),
    ([char("a", 0), char("b", 6), char("c", 12), tall("⏟", 0, -2.5, -5, "piece"), tall("⎴", 4, -2.5, -5, "piece"),
      tall("⏟", 6, -2.5, -5, "piece"), tall("⎴", 8, -2.5, -5, "piece"), tall("⎴", 10, -2.5, -5, "piece"),
      tall("⏟", 12, -2.5, -5, "piece"), char("n", 6, -10, 7)],
     "\\underbrace{abc}_n"),
    ([char("x", 0), char("╞", 8, width=0.1), char("→", 8), char("y", 16)], "x\\mapsto y"),
    ([char("1", 0), *(char(".", 5 + 3 * number, width=2) for number in range(3))], "1\\ldots"),
    ([tall("(", 0, 14, -10), char("a", 6, 6), char("b", 22, 6), char("c", 6, -6), char("d", 22, -6),
      tall(")", 30, 14, -10)],
     "\\begin{pmatrix}a&b\\\\c&d\\end{pmatrix}"),
    ([tall("\\{", 0, 14, -10), char("1", 6, 6), *text("if", 24, 6), char("x", 37, 6), char("0", 6, -6),
      *text("else", 24, -6)],
     "\\begin{cases}1&\\text{if }x\\\\0&\\text{else}\\end{cases}"),
    ([tall("(", 0, 14, -10), char("n", 6, 7), char("k", 6, -7), tall(")", 12, 14, -10)], "\\binom{n}{k}"),
    ([char("a", 0), char("+", 6), char("b", 12), tall("⏟", 0, -2.5, -5, "piece"), tall("⏟", 6, -2.5, -5, "piece"),
      tall("⏟", 12, -2.5, -5, "piece"), char("n", 6, -10, 7)],
     "\\underbrace{a+b}_n"),
    ([tall("(", 0, 20, 10, "piece"), tall("(", 0, 10, 0, "piece"), tall("(", 0, 0, -10, "piece"),
      char("x", 6, 2.5)], "(x"),
])
def test_marks_become_a_row(marks: list[Mark], expected: str) -> None:
    assert same(read(*marks), expected), read(*marks)


def test_a_rule_under_words_and_one_between_lines_of_a_table_are_no_fractions() -> None:
    words = [*text("a", 0), *text("heading", 10)]
    assert "frac" not in read(*words, rule(0, 45, -3), *text("somewords", 0, -12), *text("othermore", 0, -24))
    assert read(*text("word", 0), rule(0, 20, -3)) == read(*text("word", 0))


def test_depth_is_limited() -> None:
    marks = [char("x", 5.0 * number, 4.0 * number, 10 * 0.7**number) for number in range(40)]
    assert read(*marks).count("x") == 40


def test_italic_letters_in_a_fraction_are_those_of_a_formula_where_no_other_font_has_them() -> None:
    marks = [*text("a", 1, 7), rule(0, 7, 2.5), *text("b", 1, -7)]
    for mark in marks:
        mark.style = "it" if mark.kind == "char" else ""
    assert same(row_latex(with_rules(marks, italic_is_math=True)), "\\frac{a}{b}")


def test_a_relation_between_numbers_is_a_formula_where_it_has_the_spaces_of_one() -> None:
    line = Line(size=10.0)
    for gap, expected in ((2.8, True), (0.0, False)):
        line.marks = [*text("2", 0), *text("=", 5 + gap), *text("4", 10 + 2 * gap)]
        assert clusters_of(line)[1].is_seed == expected
