"""Titles of sections and theorems in LaTeX, AMS-TeX and plain TeX."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import read

from porism.errors import Problem
from porism.types import Document


def read_text(text: str, tmp_path: Path) -> list[Document]:
    """The documents of a source that is read without a complaint."""
    (tmp_path / "a.tex").write_text(text, encoding="utf-8")
    problems: list[Problem] = []
    documents = read(tmp_path, problems)
    assert problems == []
    return documents


@every_case(
    ("heading", "title", "body"),
    [
        (r"\section{Rings\footnote{With $1$.}}", "Rings", "(With $1$.) words"),
        (r"\section{Rings\protect\footnote{With $1$.} and \index{a}ideals}", "Rings and ideals", "(With $1$.) words"),
        (r"\section[Short]{Rings of $\mathbb{Z}$\thanks{To all.}}", r"Rings of $\mathbb{Z}$", "words"),
        (r"\chapter[a][b]{Rings}", "Rings", "words"),
        (r"\section{\texorpdfstring{$K$-theory}{K-theory}}", "$K$-theory", "words"),
        (r"\section{Rings\footnotemark[1]}\footnotetext{Note.}", "Rings", "(Note.) words"),
        (r"\section{A\\[1ex] B\markboth{x}{y}}", "A B", "words"),
    ],
)
def test_what_hangs_on_a_heading_is_no_part_of_it(heading: str, title: str, body: str, tmp_path: Path) -> None:
    (document,) = read_text(f"{heading} words", tmp_path)
    assert document.title.to_latex() == title
    assert document.fields["body"].to_latex() == body


def test_a_label_in_a_title_names_what_it_heads(tmp_path: Path) -> None:
    theorem, second = read_text(
        r"\section{One} \section{Two\label{sec:two}} \begin{theorem}[Euler: $e^{i\pi}=-1$\label{thm:e}\footnote{Old.}]"
        r"It holds.\end{theorem} words", tmp_path,
    )  # fmt: skip
    assert (theorem.id, second.id) == ("a.tex#thm:e", "a.tex#sec:two")
    assert theorem.title.to_latex() == r"Euler: $e^{i\pi}=-1$"
    assert theorem.fields["body"].text == "(Old.) It holds."


def test_macros_in_labels_are_expanded(tmp_path: Path) -> None:
    lemma, text = read_text(
        r"\newcommand{\own}{ch1}\newcommand{\lab}[1]{\label{\own:#1}}"
        r"\begin{lemma}\lab{a}x\end{lemma} See \ref{\own:a}.", tmp_path,
    )  # fmt: skip
    assert lemma.id == "a.tex#ch1:a"
    assert text.fields["body"].text == "See Lemma [ch1:a]."


AMS = r"""\documentstyle{amsppt}
\topmatter
\title On \it rings \endtitle
\author A. Nobody \endauthor
\address Nowhere
 at all \endaddress
\abstract We count. \endabstract
\endtopmatter
\document
\heading 1. First \endheading
Words $$\align a&=b\\ c&=d\tag 1.1\endalign$$
\proclaim\nofrills{Theorem 1.2 (Euler)} It holds. \endproclaim
\demo{Proof} Clear. \enddemo
\subheading{1.1 Second}
\definition{Definition} A ring. \enddefinition
\head{2. Third}\endhead
$\CD A @>f>> B \endCD$ \definition{kept} here
\enddocument
"""


def test_a_source_in_ams_tex(tmp_path: Path) -> None:
    documents = read_text(AMS, tmp_path)
    found = [
        (document.metadata["type"], document.metadata["line"], document.title.text, document.fields["body"].to_latex())
        for document in documents
    ]
    assert found == [
        ("abstract", "7", "On rings", "We count."),
        ("theorem", "12", "Theorem 1.2 (Euler)", "It holds."),
        ("section", "10", "1. First", r"Words $$\begin{align}a&=b\\ c&=d\tag{1.1}\end{align}$$"),
        ("definition", "15", "", "A ring."),
        ("section", "16", "2. Third", "[diagram: $A$, $f$, $B$] kept here"),
    ]
    assert documents[1].fields["proof"].text == "Clear."
    assert documents[3].metadata["section"] == ("1. First", "1.1 Second")


def test_commands_of_that_name_without_an_end_are_unknown_commands(tmp_path: Path) -> None:
    (document,) = read_text(r"\definition{Definition of x} and \abstract words \heading of $x$", tmp_path)
    assert document.fields["body"].to_latex() == "Definition of x and words of $x$"


AMS_FORMULAS = r"""\input amstex
\documentstyle{amsppt}
\rightheadtext{Rings}
\document
$\overset a\to {b+c}$ $\undersetbrace n\to{a+b}$ $\goth{so}(n)$ $\tsize\frac12$ $\sum\Sb i<j\\ k\endSb a$
$\matrix\format\l&\quad\c\\ a&b\\c&d\endmatrix$ $$\topaligned a&=b\\c&=d\endtopaligned\tag"(*)"$$
\comment not $this$ \endcomment words
\Refs
\ref\no 1\by A\paper $B$\endref
\endRefs
\enddocument
"""


def test_the_commands_of_ams_tex_in_formulas(tmp_path: Path) -> None:
    (document,) = read_text(AMS_FORMULAS, tmp_path)
    assert [formula.source for formula in document.fields["body"].formulas] == [
        r"\stackrel{a}{b+c}", r"\underbrace{a+b}_{n}", r"\mathfrak{so}(n)", r"\textstyle\frac12",
        r"\sum_{\begin{subarray}{c}i<j\\ k\end{subarray}} a", r"\begin{matrix} a&b\\c&d\end{matrix}",
        r"\begin{aligned}a&=b\\c&=d\end{aligned}\tag{(*)}",
    ]
    assert document.fields["body"].text.split()[-1] == "words"


def test_commands_of_ams_tex_mean_so_only_where_it_is_loaded(tmp_path: Path) -> None:
    (document,) = read_text(r"\documentclass{article}\begin{document}$\overset{a}{b}$\end{document}", tmp_path)
    assert document.fields["body"].to_latex() == r"$\overset{a}{b}$"


def test_a_book_in_plain_tex(tmp_path: Path) -> None:
    documents = read_text(
        "\\beginsection 1. First\n\nWords.\n\n\\proclaim Theorem 1. Let $x=1$.\nThen $y$.\n\n"
        "\\proclaim Lemma~2. It is $$x=y \\eqno(1)$$ so.\\par\nMore.\n\\bye\nNever.", tmp_path,
    )  # fmt: skip
    found = [
        (document.metadata["line"], document.title.text, document.fields["body"].to_latex()) for document in documents
    ]
    assert found == [
        ("5", "Theorem 1", "Let $x=1$. Then $y$."),
        ("8", "Lemma 2", r"It is $$x=y \tag{(1)}$$ so."),
        ("1", "1. First", "Words.\n\nMore."),
    ]
