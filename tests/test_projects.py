"""The benchmark of LaTeX projects: what its plain scan of the sources finds, and what it counts."""

from __future__ import annotations

from pathlib import Path

from benchmarks.robustness.environments import environments, theorem_names
from benchmarks.robustness.projects import outcome

STYLE = r"""
\newtheorem{satz}{Satz}
\declaretheorem[name=Aufgabe]{auf, auf*}
\def\own#1#2{\newcounter{#1}\newtheorem{#1}{#2}}
\own{fact}{Fact}
\newenvironment{hard}[1]{\begin{auf}[#1]}{\end{auf}}
"""

TEXT = r"""\documentclass{article}
\usepackage{own}
\begin{document}
% \begin{satz} commented out \end{satz}
\section{One} 5\% of \begin{satz}all\begin{fact}inner\end{fact}\end{satz}
\begin{proof}
\begin{lemma} part of the proof \end{lemma}
\end{proof}
\begin{verbatim}
\begin{satz}
\end{verbatim}
\iffalse
\begin{satz} hidden \end{satz}
\fi
\begin{hard}{T} words \end{hard}
\begin{fact}[Of
two lines] words \end{fact}
\end{document}
\begin{satz} never read \end{satz}
"""


def test_names_come_from_declarations_and_what_is_built_on_them() -> None:
    names = theorem_names([STYLE])
    assert {"satz", "auf", "auf*", "fact", "hard", "lemma"} <= names
    assert "#1" not in names


def test_outermost_environments_are_found_by_line(tmp_path: Path) -> None:
    (tmp_path / "own.sty").write_text(STYLE, encoding="utf-8")
    (tmp_path / "a.tex").write_text(TEXT, encoding="utf-8")
    assert environments(tmp_path) == {("a.tex", 5): "satz", ("a.tex", 15): "hard", ("a.tex", 16): "fact"}


def test_an_outcome_counts_what_was_missed(tmp_path: Path) -> None:
    (tmp_path / "own.sty").write_text(STYLE, encoding="utf-8")
    (tmp_path / "a.tex").write_text(TEXT, encoding="utf-8")
    (tmp_path / "b.tex").write_text("words of \\input{nowhere}\n\\begin{satz}\n\\end{satz}", encoding="utf-8")
    found = outcome(tmp_path)
    assert (found.environments, found.missing) == (4, ["b.tex:2: satz"])  # which is empty
    assert found.untitled == [f"{tmp_path.name}/b.tex#text-1"]
    assert [report.split(": ", 1)[1] for report in found.reports] == ["\\input names nowhere, which is not there"]
