"""LaTeX that stays LaTeX whatever runs are called."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from long_forms import LONG_ONLY

from porism.errors import SourceError
from porism.lab.reports import Report, latex_tables, make_report, write_latex
from porism.lab.reports.latex import escape
from porism.runs.run import Run


def test_special_characters_by_hand() -> None:
    assert escape(r"50% & a_b $x$ #1 {y} \z") == (
        r"50\% \& a\_b \$x\$ \#1 \{y\} \textbackslash{}z"
    )
    assert escape("a~b^c<d>") == r"a\textasciitilde{}b\textasciicircum{}c\textless{}d\textgreater{}"


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=30))
def test_nothing_special_stays_and_brackets_balance(text: str) -> None:
    found = escape(text)
    assert not re.search(r"(?<!\\)[$&#_%^]", found.replace("~", ""))
    bare = re.sub(r"\\[{}]", "", found)
    depth = 0
    for ch in bare:
        depth += (ch == "{") - (ch == "}")
        assert depth >= 0
    assert depth == 0


def test_tables_have_a_row_a_run_and_equal_columns(report: Report) -> None:
    text = latex_tables(report)
    for table, columns in zip(re.findall(r"\\midrule\n(.*?)\\bottomrule", text, flags=re.S), (4, 9), strict=True):
        rows = table.strip().split("\n")
        assert len(rows) == 4
        assert all(row.endswith(r"\\") for row in rows)
        assert all(len(re.findall(r"(?<!\\)&", row)) == columns - 1 for row in rows)
    assert text.count(r"\toprule") == text.count(r"\bottomrule") == text.count(r"\begin{table}") == 2
    assert "nDCG$'$" in text


def test_stars_best_values_and_marks(report: Report) -> None:
    rows = re.findall(r"\\midrule\n(.*?)\\bottomrule", latex_tables(report), flags=re.S)[0].strip().split("\n")
    assert r"\textdaggerdbl" in rows[0]
    assert r"\textbf{1.000}" in rows[0]
    assert r"\_fused\textsuperscript{\textdagger}" in rows[2]
    for row, name in zip(rows[1:], report.names[1:], strict=True):
        result = report.result("nDCG'", name)
        cell = row.split(" & ")[1]
        assert (f"{{{result.stars}}}" in cell) == bool(result.stars)


def test_the_caption_says_topics_tests_and_what_was_tuned(report: Report) -> None:
    caption = re.findall(r"\\caption\{(.*)\}", latex_tables(report))
    assert r"\textbf{\_fused: tuned on 2 of these 6 topics: not held out." in caption[0]
    assert r"\textbf{\_fused: tuned on 2 of these 6 topics: not held out." in caption[1]
    for part in (r"6 topics of qrels\_\&.txt", r"paired t{-}test, two{-}tailed", "Holm--Bonferroni", "seed 0"):
        assert part in caption[0]


def test_labels_come_from_the_file(report: Report, tmp_path: Path) -> None:
    text = write_latex(report, tmp_path / "my runs.tex").read_text(encoding="utf-8")
    assert r"\label{tab:my-runs}" in text
    assert r"\ref{tab:my-runs}" in text


def test_a_name_in_brackets_is_no_argument_of_the_row_before() -> None:
    run = Run({"t": [("a", 1.0)]}, "[1ex]")
    text = latex_tables(make_report([run], {"t": {"a": 1}}, ["nDCG'"], detailed=False))
    assert "\n{}[1ex] &" in text
    assert text.count(r"\begin{table}") == 1


def test_a_folder_that_does_not_exist_is_an_error(report: Report, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="folder does not exist"):
        write_latex(report, tmp_path / "no" / "x.tex")


@LONG_ONLY
def test_latex_takes_it(report: Report, tmp_path: Path) -> None:
    is_there = shutil.which("pdflatex") is not None
    if not is_there or subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True).returncode:
        pytest.skip("needs pdflatex and its package booktabs: apt-get install texlive-latex-recommended, or TeX Live")
    (tmp_path / "tables.tex").write_text(latex_tables(report), encoding="utf-8")
    (tmp_path / "all.tex").write_text(
        r"\documentclass{article}\usepackage{booktabs}\usepackage[T1]{fontenc}\begin{document}\input{tables}\end{document}"
    )
    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"], cwd=tmp_path, capture_output=True,
    )
    assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    assert (tmp_path / "all.pdf").stat().st_size > 1000
