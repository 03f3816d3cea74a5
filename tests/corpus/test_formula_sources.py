"""The LaTeX of formulas as texts have it: rows without an environment, equations between blank lines."""

from __future__ import annotations

from case_tables import every_case

from porism.corpus.formula_sources import aligned, equations, is_escaped, unescaped
from porism.formula import parse_latex


@every_case(
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


@every_case(
    "source", [r"a &= b", r"a &= b \\ c &= d", r"a = b \\ c = d", r"x \begin{matrix} 1 \end{matrix} &= A"]
)
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


@every_case(
    ("escaped", "meant"),
    [
        (r"x\_{i}", "x_{i}"),
        (r"\\{a\\} \\alpha \, b", r"\{a\} \alpha \, b"),
        ("a \\\\\\\n b", "a \\\\\n b"),
        (r"a \\\\ b", r"a \\ b"),
        (r"a \\ b \\& c", r"a \\ b \\& c"),
        (r"a\_1 \* b \\\_c", r"a_1 * b \_c"),
    ],
)
def test_what_generators_escape_reads_as_it_was_meant(escaped: str, meant: str) -> None:
    assert unescaped(escaped) == meant


@every_case(
    ("latex", "surely"),
    [
        (r"x\_{i}", True), (r"a \\\\ b", True), (r"\\{a, b\\}", True),
        (r"H\_f", True), (r"\beta\_1 x", True), (r"\left\\{ x \right.", True), (r"\\{a \in A\\}", True),
        (r"get\_last\_best(k)", False), (r"\text{x\_i}", False), (r"\mathrm{a\_b}", False),
        (r"a \\ b", False), (r"\{a\} \\ b", False),
    ],
)  # fmt: skip
def test_whether_latex_between_dollars_was_escaped(latex: str, surely: bool) -> None:
    assert is_escaped(latex) is surely
