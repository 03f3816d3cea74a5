"""LaTeX in Markdown outside of formulas."""

from __future__ import annotations

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

from porism.corpus.markdown.reader import MarkdownReader
from porism.errors import Problem
from porism.types import Document


def read(text: str, problems: list[Problem] | None = None) -> list[Document]:
    return list(MarkdownReader().documents(text, "a.Rmd", "notes", ([] if problems is None else problems).append))


def body(text: str) -> str:
    (document,) = read(text)
    return document.fields["body"].to_latex()


@every_case(("text", "expected"), [
    (r"One \textbf{bold \emph{word} $z_1$} and \texttt{code}.", "One bold word $z_1$ and code."),
    ("\\newpage\n\nOne\\vspace{1cm} two \\vspace*{-2ex}\n\\noindent Three.\\hfill\n\n\\bigskip", "One two\nThree."),
    (r"See \cite{knuth, lamport}, \citep[p. 3]{knuth} and \ref{thm:a}.",
     "See [knuth, lamport], [knuth; p. 3] and Theorem [thm:a]."),
    (r"One\footnote{A note on $x$.} two \href{http://a.b}{link} \url{http://c.d}",
     "One (A note on $x$.) two link http://c.d"),
    (r"\textcolor{red}{Red} \index{red!dark}\LaTeX{} \ldots{} 5\% \& \_ x", "Red LaTeX … 5% & _ x"),
    ("\\begin{center}\nMiddle *x*.\n\\end{center}\nAfter.", "Middle x.\n\nAfter."),
    ("\\begin{minipage}[t]{3cm} In $x$. \\end{minipage}", "In $x$."),
    ("\\begin{itemize}\n\\item One $a$\n\\begin{enumerate}\n\\item Two\n\\end{enumerate}\n\\end{itemize}\nAfter.",
     "- One $a$\n\n- Two\n\nAfter."),
    ("\\begin{tabular}{ll} a & $b$ \\\\ \\hline c & d \\end{tabular}", "a $b$\nc d"),
    ("\\begin{figure}[h]\n\\includegraphics[width=3cm]{a.png}\n\\caption{A curve}\n\\end{figure}",
     "[figure]\n\nA curve"),
    ("```{=latex}\nOne \\textit{two}.\n\\clearpage\n```\n\n```{=openxml}\n<w:p/>\n```\n", "One two."),
    (r"One `\vspace{1cm}`{=latex}two `\textbf{x}`{=tex} `<br>`{=html}.", "One two x."),
    (r"Code `\textbf{x}` stays, and \verb|\x{_y}_|.", r"Code \textbf{x} stays, and \x{_y}_."),
    (r"C:\temp\new \unknown{x} \textbf and \textbf{open", r"C:\temp\new \unknown{x} \textbf and \textbf{open"),
    ("$\\begin{cases} a & b \\\\ c & d \\end{cases}$ is one.", r"$\begin{cases} a & b \\ c & d \end{cases}$ is one."),
    ("A note^[Of *two* words, $n$, [link](http://a.b).] here, x^[open.",
     "A note (Of two words, $n$, link.) here, x^[open."),
])
def test_commands_and_environments_are_what_they_print(text: str, expected: str) -> None:
    assert body(text) == expected


def test_environments_of_theorems_are_documents() -> None:
    documents = read(
        "# A\n\n\\begin{theorem}[Cauchy for $G$]\\label{thm:c}\n    Let $p$ be *prime*.\n\n"
        "    - One\n\n\\[ x = 1 \\]\n\\end{theorem}\n"
        "\\begin{proof}[Sketch] It is clear,\nand short. \\end{proof} After.\n\\begin{lem} Short. \\end{lem}\n"
        "\\subsection*{B}\n\\begin{definition}\\end{definition}\nText.\n"
    )
    section, theorem, lemma, last = documents
    assert (theorem.id, theorem.metadata["line"], theorem.metadata["labels"]) == ("a.Rmd#thm:c", "3", ("thm:c",))
    assert theorem.title.to_latex() == "Cauchy for $G$"
    assert theorem.fields["body"].to_latex() == "Let $p$ be prime.\n- One\n\n$$x = 1$$"
    assert theorem.fields["proof"].to_latex() == "Sketch.\n\nIt is clear, and short."
    assert (lemma.metadata["type"], lemma.fields["body"].text) == ("lemma", "Short.")
    assert section.fields["body"].text == "After."
    assert (last.title.text, last.fields["body"].text) == ("B", "Text.")
    assert last.metadata["line"] == "13"
    content = theorem.fields["body"]
    assert int(str(theorem.metadata["line"])) + content.line_of(content.text.index("One")) == 6


def test_environments_without_a_partner_are_reported() -> None:
    problems: list[Problem] = []
    (document,) = read("\\end{proof}\n\n\\begin{lemma}\nOne.\n\n\\begin{itemize}\nTwo.", problems)
    assert document.fields["body"].text == "One.\n\nTwo."
    assert list(map(str, problems)) == [
        "a.Rmd:1: \\end{proof} without its \\begin", "a.Rmd:7: \\begin{lemma} is never ended",
    ]


@LONG_ONLY
@pytest.mark.parametrize("unit", [
    "\\begin{itemize}\n", "\\begin{theorem}\n    x\n", "\\end{theorem}", "\\textbf{", "\\section{", "a \\end{proof}\n",
    "\\begin{theorem} \\end{theorem}", "\\begin{tabular}{l} \\end{tabular}\n",
])
def test_hostile_latex_takes_linear_time(unit: str, assert_linear) -> None:
    assert_linear(lambda count: read(unit * count), 1_000, 4_000)
