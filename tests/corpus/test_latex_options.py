"""Options of packages and classes decide which of their definitions count."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import read

STYLE = r"""
\newif\ifdraft
\DeclareOption{bold}{\newcommand{\vct}[1]{\mathbf{#1}}}
\DeclareOption{arrow}{\newcommand{\vct}[1]{\vec{#1}}}
\DeclareOption{draft}{\drafttrue}
\DeclareOption*{\edef\leftover{\CurrentOption}}
\ProcessOptions\relax
\providecommand{\vct}[1]{\underline{#1}}
\providecommand{\leftover}{none}
"""


def formulas(tmp_path: Path, preamble: str, body: str, **files: str) -> list[str]:
    for name, text in {"main.tex": preamble + r"\begin{document}" + body + r"\end{document}", **files}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (document,) = read(tmp_path, [])
    return [formula.source for formula in document.fields["body"].formulas]


@every_case(("preamble", "expected"), [
    (r"\documentclass{article}\usepackage[bold]{vct}", [r"\mathbf{x}", "none", "final"]),
    (r"\documentclass{article}\usepackage[arrow,old]{vct}", [r"\vec{x}", "old", "final"]),
    (r"\documentclass{article}\usepackage{vct}", [r"\underline{x}", "none", "final"]),
    (r"\documentclass[draft,a4paper]{article}\usepackage{vct}", [r"\underline{x}", "none", "draft"]),
    (r"\PassOptionsToPackage{bold}{vct}\documentclass{article}\usepackage{vct}", [r"\mathbf{x}", "none", "final"]),
    (r"\documentclass{article}\newcommand{\kind}{bold}\usepackage[\kind]{vct}", [r"\mathbf{x}", "none", "final"]),
])
def test_an_option_is_carried_out_where_it_is_given(preamble: str, expected: list[str], tmp_path: Path) -> None:
    body = r"$\vct{x}$ $\leftover$ $\ifdraft draft\else final\fi$"
    assert formulas(tmp_path, preamble, body, **{"vct.sty": STYLE}) == expected


def test_a_class_has_options_of_its_own_and_passes_them_on(tmp_path: Path) -> None:
    course = r"""
    \DeclareOption{solutions}{\newcommand{\answer}[1]{#1}}
    \DeclareOption{sheet}{\newcommand{\answer}[1]{\ldots}}
    \ExecuteOptions{sheet}
    \ProcessOptions*
    \RequirePackageWithOptions{vct}
    """
    files = {"course.cls": course, "vct.sty": STYLE}
    assert formulas(tmp_path, r"\documentclass{course}", r"$\answer{42}$", **files) == [r"\ldots"]
    given = r"\documentclass[bold]{course}"
    assert formulas(tmp_path, given, r"$\answer{42}$ $\vct{x}$", **files) == [r"\ldots", r"\mathbf{x}"]


@every_case(("name", "expected"), [("article", "b"), ("standalone", "a")])
def test_a_document_knows_whether_it_stands_alone(name: str, expected: str, tmp_path: Path) -> None:
    preamble = rf"\documentclass[class=article]{{{name}}}\usepackage{{standalone}}"
    assert formulas(tmp_path, preamble, r"$\ifstandalone a\else b\fi$") == [expected]
