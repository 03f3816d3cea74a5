"""Horizontal spaces: read into the layout tree, written back, and no part of what a formula says."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex, parse_mathml, to_latex
from porism.formula.layout import child_rows
from porism.formula.tables.spaces import length


def spaces(latex: str) -> list[tuple[str, int]]:
    return [(node.label, node.space) for node in parse_latex(latex).row]


@every_case(
    ("latex", "width"),
    [
        (r"a\,b", 3), (r"a\:b", 4), (r"a\;b", 5), (r"a\!b", -3), (r"a\ b", 6), ("a~b", 6), (r"a\enspace b", 9),
        (r"a\quad b", 18), (r"a\qquad b", 36), (r"a\quad\,b", 21), (r"a\hspace{1em}b", 18), (r"a\hspace*{-3mu}b", -3),
        (r"a\mspace{7mu}b", 7), (r"a\kern .5em b", 9), (r"a\mkern-3mu b", -3), (r"a\hskip 10pt b", 18),
        ("a\u2003b", 18), (r"a\vspace{1em}b", 0), ("a b", 0), (r"a\,\!b", 0),
    ],
)
def test_a_space_is_kept_at_the_symbol_after_it(latex: str, width: int) -> None:
    assert spaces(latex) == [("a", 0), ("b", width)]


def test_a_space_before_a_structure_is_before_all_of_it() -> None:
    assert spaces(r"a\,{x\over y}") == [("a", 0), ("/", 3)]
    assert spaces(r"a\,\frac xy") == [("a", 0), ("/", 3)]
    assert spaces(r"a\,\hat b") == [("a", 0), ("b", 3)]
    assert spaces(r"a\,{bc}^2") == [("a", 0), ("", 3)]
    assert spaces(r"a\,(\begin{matrix}1&2\end{matrix})") == [("a", 0), ("()", 3)]
    assert spaces(r"a\,{}^{14}C") == [("a", 0), ("C", 3)]


def test_spaces_inside_structures_belong_to_their_own_rows() -> None:
    fraction = parse_latex(r"\frac{a\,b\,}{\;c}\quad d").row[0]
    assert [[node.space for node in row] for row in child_rows(fraction)] == [[0, 3], [5]]
    assert spaces(r"\frac{a\,b\,}{\;c}\quad d")[1] == ("d", 18)


def test_spaces_around_text_are_those_of_the_text() -> None:
    assert spaces(r"x\text{ if }y") == [("x", 0), ("if", 6), ("y", 6)]
    assert spaces(r"x\text{if}y") == [("x", 0), ("if", 0), ("y", 0)]


def test_a_space_at_the_end_of_a_scripted_group_is_not_handed_on() -> None:
    assert spaces(r"{ab\quad}^2cd") == [("", 0), ("c", 0), ("d", 0)]


def test_mathml_spaces() -> None:
    tree = parse_mathml(
        '<math><mi>a</mi><mspace width="2em"/><mi>b</mi><mo>\u2003</mo><mi>c</mi><mspace width="thinmathspace"/>'
        "<mfrac><mi>d</mi><mn>2</mn></mfrac></math>"
    )
    assert [node.space for node in tree.row] == [0, 36, 18, 3]


def test_a_line_break_of_mathml_makes_two_lines() -> None:
    tree = parse_mathml('<math><mi>a</mi><mspace linebreak="newline"/><mi>b</mi></math>')
    assert layout_key(tree) == layout_key(parse_latex(r"a\\b"))


def test_lengths_of_tex_and_mathml() -> None:
    assert [length(text) for text in ("1em", "-2 mu", "1,5em", ".5em", "negativethinmathspace", "wide", "em")] == [
        18, -2, 27, 9, -3, 0, 0,
    ]


def test_spaces_make_no_other_formula() -> None:
    spaced, plain = parse_latex(r"\int f\,dx\quad"), parse_latex(r"\int f dx")
    assert layout_key(spaced) == layout_key(plain)
    assert to_latex(spaced, spaces=False) == to_latex(plain)


@every_case("latex", [r"a\,b", r"a\quad b", r"\frac{1\;2}{3}", r"a\mspace{7mu}b", r"x_{i\,j}\qquad y"])
def test_spaces_are_written_back(latex: str) -> None:
    written = to_latex(parse_latex(latex))
    assert [node.space for node in parse_latex(written).row] == [node.space for node in parse_latex(latex).row]
    assert to_latex(parse_latex(written)) == written
