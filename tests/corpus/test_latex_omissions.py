"""What the settings of a LaTeX project leave out is reported, and what they choose is read."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import read

from porism.errors import Problem


def read_body(tmp_path: Path, preamble: str, body: str) -> tuple[str, list[str]]:
    (tmp_path / "a.tex").write_text(
        f"\\documentclass{{book}}{preamble}\\newtheorem{{thm}}{{Theorem}}\n\\begin{{document}}\n{body}\n\\end{{document}}",
        encoding="utf-8",
    )
    problems: list[Problem] = []
    documents = read(tmp_path, problems)
    return " ".join(document.fields["body"].text for document in documents), [str(problem) for problem in problems]


@every_case(
    ("preamble", "body", "text", "left_out"),
    [
        (r"\newif\iflong", r"\iflong\begin{thm}A\end{thm}\else B\fi", "B", "thm in line 3"),
        (r"\newif\iflong\longtrue", r"\iflong A\else\begin{thm}B\end{thm}\fi", "A", "thm in line 3"),
        (r"\newtoggle{x}\newcommand{\iftag}[3]{\def\y{#3}\iftoggle{#1}{\def\y{#2}}{}\y}",
         "\\iftag{x}{\n\\begin{thm}A\\end{thm}}{B}", "B", "thm in line 4"),
        (r"\newtoggle{x}\toggletrue{x}\newcommand{\iftag}[3]{\def\y{#3}\iftoggle{#1}{\def\y{#2}}{}\y}",
         "\\iftag{x}{A}{\n\\begin{proof}B\\end{proof}\n\\section{C}}", "A", "proof in line 4, section in line 5"),
        (r"\excludecomment{hint}", "A\n\\begin{hint}B\n\\end{hint}\nC\n\\begin{hint}D\\end{hint}", "A C",
         "hint in line 4, hint in line 7"),
        (r"\excludecomment{more}\includecomment{more}", r"A \begin{more}B\end{more}", "A B", ""),
        (r"\excludeversion{more}", r"A \begin{more}B\end{more}", "A", "more in line 3"),
        (r"\newenvironment{secret}[1]{\comment}{\endcomment}", "A\n\\begin{secret}{x}\nB\n\\end{secret}\nC", "A C",
         "secret in line 4"),
        (r"\let\thm\comment\let\endthm\endcomment", "A\n\\begin{thm}\nB\n\\end{thm}\nC", "A C", "thm in line 4"),
        ("", r"\iffalse\begin{thm}A\end{thm}\fi\if01\begin{thm}B\end{thm}\fi C", "C", ""),
        ("", r"\newcommand\x[1]{\begin{thm}#1\end{thm}}\let\oldsection\section A \x{B}", "B A", ""),
        ("", r"A $\begin{cases}1\end{cases}$\footnote{\begin{thm}B\end{thm}}", "B A", ""),
        (r"\newif\iflong", "\\iflong" + "\\begin{thm}A\\end{thm}\n" * 7 + "\\else B\\fi", "B",
         ", ".join(f"thm in line {line}" for line in range(3, 8)) + " and 2 more"),
    ],
)  # fmt: skip
def test_what_settings_leave_out_is_reported_once_for_each_file(
    preamble: str, body: str, text: str, left_out: str, tmp_path: Path
) -> None:
    found, problems = read_body(tmp_path, preamble, body)
    assert " ".join(found.split()).startswith(text)
    line = left_out.partition("line ")[2].partition(",")[0].partition(" ")[0]
    assert problems == ([f"a.tex:{line}: left out, as the project's settings say: {left_out}"] if left_out else [])


def test_a_file_that_is_included_has_a_report_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "b.tex").write_text("\n\\iflong\\begin{thm}A\\end{thm}\\fi\n\nB", encoding="utf-8")
    _, problems = read_body(tmp_path, r"\newif\iflong", "\\input{b}\n\\iflong\\section{C}\\fi")
    assert problems == [
        "b.tex:2: left out, as the project's settings say: thm in line 2",
        "a.tex:4: left out, as the project's settings say: section in line 4",
    ]


def test_a_file_that_is_loaded_again_gives_what_was_left_out_at_first(tmp_path: Path) -> None:
    (tmp_path / "chapter.tex").write_text("\\section{Again}Text.\\input{part}More.", encoding="utf-8")
    (tmp_path / "part.tex").write_text(
        "\\begin{thm}First.\\end{thm}\n"
        "\\iflong\n\\begin{thm}Second.\\end{thm}\\begin{proof}By the first.\\end{proof}\\fi\n"
        "\\ifnever\\begin{thm}Third.\\end{thm}\\fi\n", encoding="utf-8",
    )  # fmt: skip
    (tmp_path / "main.tex").write_text(
        "\\documentclass{book}\\newtheorem{thm}{Theorem}\\newif\\iflong\\newif\\ifnever\\begin{document}Before.\n"
        "\\input{chapter}\n\\longtrue\n\\input{chapter}\nAfter.\n\\input{chapter}\\end{document}", encoding="utf-8",
    )  # fmt: skip
    problems: list[Problem] = []
    documents = [
        (document.id, document.fields["body"].text, "proof" in document.fields)
        for document in read(tmp_path, problems)
    ]
    assert documents == [
        ("main.tex#text-1", "Before.", False),
        ("part.tex#theorem-1", "First.", False),
        ("chapter.tex#section-1", "Text.\n\nMore.", False),
        ("part.tex#theorem-2", "Second.", True),
        ("main.tex#text-2", "After.", False),
    ]
    assert [str(problem) for problem in problems] == [
        "part.tex:4: left out, as the project's settings say: thm in line 4"
    ]
