"""Beamer's lectures: frames, blocks, overlays."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import formulas, read, text_of

from porism.errors import Problem

LECTURE = r"""\documentclass{beamer}
\begin{document}
\frame{\titlepage}
\section{Primes}
\begin{frame}<1->[fragile]{How many, $n$}{A question}
Count them.
\begin{theorem}<2->[Euclid] No end of $p$. \end{theorem}
\end{frame}
\begin{frame}
\frametitle<presentation>[Gaps]{Gaps\footnote{between them}}
\framesubtitle{Small ones}
Two.
\end{frame}
\begin{frame}
Untitled words.
\end{frame}
\frame{\frametitle{Last} Goodbye.}
\end{document}
"""


def test_frames_are_sections(tmp_path: Path) -> None:
    (tmp_path / "talk.tex").write_text(LECTURE, encoding="utf-8")
    problems: list[Problem] = []
    documents = read(tmp_path, problems)
    assert problems == []
    found = [
        (document.metadata["line"], document.title.to_latex(), document.fields["body"].to_latex())
        for document in documents
    ]
    assert found == [
        ("7", "Euclid", "No end of $p$."),
        ("5", "How many, $n$", "A question\n\nCount them."),
        ("9", "Gaps", "(between them) Small ones\n\nTwo."),
        ("14", "Primes", "Untitled words."),
        ("17", "Last", "Goodbye."),
    ]
    assert documents[0].metadata["section"] == ("Primes", "How many, $n$")
    assert documents[2].metadata["section"] == ("Primes", "Gaps")


@every_case(
    ("source", "expected"),
    [
        (r"\begin{block}<2->{A title} words \end{block} after", "A title: words\n\nafter"),
        (r"\begin{alertblock}{Why?} words \end{alertblock}", "Why? words"),
        (r"\begin{exampleblock}{} words \end{exampleblock}", "words"),
        (r"one \begin{block}{B} words \end{block}", "one\n\nB: words"),
        (r"\begin{itemize}[<+->]\item<1-> a\pause \item<2-|alert@2>[(i)] b\end{itemize}", "- a\n- (i) b"),
        (r"\only<2>{a} \uncover<3->{b} \visible<1,4>{c} \invisible<2>{d} \onslide<+->{e} \alert<3>{f}", "a b c d e f"),
        (r"\onslide<2-> a \alt<2>{yes}{no} \temporal<2>{past}{now}{soon}", "a yes no past now soon"),
        (r"\textbf<2>{a} \textcolor<2>{red}{b} \color<2>{red} c \includegraphics<2>[width=1cm]{x}", "a b c [figure]"),
        (r"\begin{columns}[t]\begin{column}<1>{.5\textwidth}a\end{column}\column{2cm} b\end{columns}", "a\n\nb"),
        (r"a \note<2>[item]{b} c", "a\n\nb\n\nc"),
        (r"\begin{onlyenv}<2> a \end{onlyenv}\begin{overlayarea}{2cm}{3cm} b \end{overlayarea}", "a\n\nb"),
        (r"a < b and \item c < d > e", "a < b and\n- c < d > e"),
        (r"\newcommand<>{\hl}[1]{\only#2{\textbf{#1}}}\hl<2->{a} \hl{b} \onslide*<2>{c} \onslide+<3->d", "a b c d"),
        (r"\newenvironment<>{mine}[1]{\begin{block}#2{#1}}{\end{block}}\begin{mine}<2>{T}a\end{mine}", "T: a"),
        (r"\unknown<2->{a} b", "a b"),
        (r"\newenvironment{block}[1]{(#1) }{!}\begin{block}{T}a\end{block}", "(T) a!"),
    ],
)
def test_blocks_and_overlays_in_text(source: str, expected: str, tmp_path: Path) -> None:
    assert text_of(source, tmp_path) == expected


@every_case(
    ("formula", "expected"),
    [
        (r"a \only<2->{+ b} = c", "a {+ b} = c"),
        (r"a \pause = \alert<3>{c}", "a = {c}"),
        (r"\uncover<2>{x}\visible<3>{y}\onslide<4>{z}", "{x}{y}{z}"),
        (r"\alt<2>{x}{y} + \temporal<3>{p}{q}{r}", "{x} + {q}"),
        (r"\textcolor<2>{red}{x}", r"\textcolor{red}{x}"),
        (r"x \onslide<2-> < y", "x < y"),
        (r"\begin{aligned} a \uncover<2->{&= b \\} c \visible<3>{d}\end{aligned}",
         r"\begin{aligned} a &= b \\ c {d}\end{aligned}"),
    ],
)
def test_overlays_in_formulas(formula: str, expected: str, tmp_path: Path) -> None:
    (found,) = formulas(f"${formula}$", tmp_path)
    assert " ".join(found.split()) == expected


@every_case(
    ("formula", "left_out"),
    [
        (r"\alt<2>{x}{y+1} = z", ["y+1"]), (r"\temporal<3>{p}{q}{r}", ["p, r"]), (r"\alt<2>{\mathbf{x}}{x}", []),
        (r"\alt<2>{x}{}", []), (r"\temporal<3>{p}{p}{r}", ["r"]),
    ],
)
def test_alternatives_that_a_formula_does_without_are_reported(
    formula: str, left_out: list[str], tmp_path: Path
) -> None:
    problems: list[Problem] = []
    formulas(f"${formula}$", tmp_path, problems)
    assert [problem.what.partition("left out is ")[2] for problem in problems] == left_out
