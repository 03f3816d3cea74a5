"""LaTeX projects: the documents of their files, what is included, and what labels refer to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from case_tables import every_case
from latex_projects import read
from long_forms import LONG_ONLY

from porism.corpus.base import ReaderOptions
from porism.errors import Problem, SourceError
from porism.types import Document


@pytest.fixture
def project(tmp_path: Path):
    def build(problems: list[Problem] | None = None, /, **files: str) -> dict[str, Document]:
        for name, text in files.items():
            path = tmp_path / (name.replace("__", "/") + ".tex")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        documents = read(tmp_path, problems)
        found = {document.id: document for document in documents}
        assert len(found) == len(documents)
        return found

    return build


BOOK = r"""
\documentclass{book}
\usepackage{amsthm}
\newtheorem{thm}{Theorem}[section]
\newtheorem*{bigclaim}{Big Claim}
\newcommand{\N}{\mathbb N}
\title{A Book on $\N$}
\begin{document}
\maketitle
Opening words.
\chapter{Numbers}\label{ch:numbers}
Chapter text.
\section[short]{Primes in $\N$}
Before.
\begin{thm}[Euclid]\label{thm:euclid}
  There are infinitely many primes $p\in\N$.
\end{thm}
\begin{proof} Multiply and add $1$. \end{proof}
\begin{bigclaim} Everything is prime. \end{bigclaim}
\begin{remark} Not so. \begin{example} Take $4$. \end{example} \end{remark}
After.
\begin{proof}[Proof of Theorem~\ref{thm:euclid}] Again. \end{proof}
\section*{Unnumbered}
Last.
\end{document}
Never read.
"""


def test_theorems_and_sections_are_documents(project) -> None:
    problems: list[Problem] = []
    documents = project(problems, main=BOOK)
    assert problems == []
    assert list(documents) == [
        "main.tex#text-1", "main.tex#ch:numbers", "main.tex#thm:euclid", "main.tex#big-claim-1", "main.tex#remark-1",
        "main.tex#section-2", "main.tex#section-3",
    ]  # fmt: skip
    theorem = documents["main.tex#thm:euclid"]
    assert theorem.title.text == "Euclid"
    assert theorem.fields["body"].to_latex() == r"There are infinitely many primes $p\in\mathbb N$."
    assert theorem.fields["proof"].to_latex() == "Multiply and add $1$.\n\nProof of Theorem [thm:euclid]. Again."
    assert theorem.metadata["type"] == "theorem"
    assert theorem.metadata["section"] == ("Numbers", r"Primes in $\mathbb N$")
    assert theorem.metadata["labels"] == ("thm:euclid",)
    assert theorem.metadata["file"] == "main.tex"
    assert theorem.metadata["line"] == "15"
    assert documents["main.tex#text-1"].title.to_latex() == r"A Book on $\mathbb N$"
    assert documents["main.tex#section-2"].fields["body"].text == "Before.\n\nAfter."
    assert documents["main.tex#section-2"].title.to_latex() == r"Primes in $\mathbb N$"
    assert documents["main.tex#remark-1"].fields["body"].to_latex() == "Not so.\n\nExample. Take $4$."
    claim = documents["main.tex#big-claim-1"]
    assert "title" not in claim.fields  # a heading is not its own name
    assert claim.fields["section"].to_latex() == r"Primes in $\mathbb N$"
    assert theorem.fields["section"].to_latex() == r"Primes in $\mathbb N$"
    assert theorem.fields["labels"].text == "thm:euclid"
    assert documents["main.tex#section-2"].fields["section"].text == "Numbers"


@every_case(
    ("declaration", "use", "kind", "title"),
    [
        (r"\declaretheorem[name=Aufgabe,style=x]{auf}", r"\begin{auf}[T]b\end{auf}", "aufgabe", "T"),
        (r"\spnewtheorem{sthm}{Satz}{\bf}{\it}", r"\begin{sthm}b\end{sthm}", "satz", None),
        (r"\newtcbtheorem[auto]{mythm}{Theorem}{colback=red}{th}", r"\begin{mythm}{T}{l}b\end{mythm}", "theorem", "T"),
        (r"\newmdtheoremenv[frame]{boxed}{Lemma}", r"\begin{boxed}b\end{boxed}", "lemma", None),
        (r"\newenvironment{soln}{\begin{exercise}[T]}{\end{exercise}}", r"\begin{soln}b\end{soln}", "exercise", "T"),
        (r"\newenvironment{theorem}[1]{\par\bfseries #1}{\par}", r"\begin{theorem}{T}b\end{theorem}", "theorem", "T"),
        ("", r"\begin{theoreme}[T]b\end{theoreme}", "théorème", "T"),
        ("", r"\begin{Beispiel}b\end{Beispiel}", "beispiel", None),
        ("", r"\begin{definición}b\end{definición}", "definición", None),
        ("", "\\begin{prop}\n\n  [T]b\\end{prop}", "proposition", None),
        ("", "\\begin{prop}\n  [T]b\\end{prop}", "proposition", "T"),
    ],
)
def test_theorem_declarations(declaration: str, use: str, kind: str, title: str | None, tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text(declaration + use, encoding="utf-8")
    (document,) = read(path)
    assert document.metadata["type"] == kind
    assert document.title.text == (title or "")
    assert document.fields["body"].text.endswith("b")


def test_included_files_and_local_packages(project, tmp_path: Path) -> None:
    (tmp_path / "local.sty").write_text(r"\newcommand{\own@x}{\beta}\newcommand{\own}{\own@x}", encoding="utf-8")
    problems: list[Problem] = []
    documents = project(
        problems,
        main="\\documentclass{article}\\usepackage{local,amsmath}\\input{defs}\\begin{document}\\input parts/one.tex\n"
        "\\include{parts/two}\\import{parts/}{three}\\input{gone}\\input{gone}\\end{document}",
        defs=r"\newcommand{\a}{\alpha}",
        parts__one=r"\section{One}$\a\own$",
        parts__two=r"\section{Two}\input{parts/one}\input{three}$2\a$",
        parts__three=r"\section{Three}$3$",
        unused=r"\section{Unused}$\a$",
    )
    assert [problem.what for problem in problems] == [r"\input names gone, which is not there"]
    bodies = {key: document.fields["body"].to_latex() for key, document in documents.items()}
    assert bodies == {
        "parts/one.tex#section-1": r"$\alpha\beta$",
        "parts/three.tex#section-1": "$3$\n\n$2\\alpha$",
        "unused.tex#section-1": r"$\alpha$",
    }


@every_case("how", ["relative", "absolute", "link", "package", "import"])
def test_nothing_outside_the_project_is_read_unless_asked(how: str, tmp_path: Path) -> None:
    outside = tmp_path / "private"
    outside.mkdir()
    (outside / "secret.tex").write_text("the secret \\word", encoding="utf-8")
    (outside / "secret.sty").write_text(r"\newcommand\word{spoken}", encoding="utf-8")
    home = tmp_path / "work" / "book"
    home.mkdir(parents=True)
    os.symlink(outside / "secret.tex", home / "link.inc")
    command = {
        "relative": r"\input{../../private/secret}", "absolute": rf"\input{{{outside}/secret.tex}}",
        "link": r"\input{link.inc}", "package": r"\usepackage{../../private/secret}\word",
        "import": r"\import{../../private/}{secret}",
    }[how]  # fmt: skip
    (home / "a.tex").write_text(f"here {command} there", encoding="utf-8")
    for source in (home, home / "a.tex"):
        problems: list[Problem] = []
        (document,) = read(source, problems)
        assert "secret" not in document.fields["body"].text
        assert "spoken" not in document.fields["body"].text
        assert [problem.where for problem in problems] == ["a.tex:1"]
        assert "which is outside the source; it is not read (--outside allows it)" in problems[0].what
        problems.clear()
        found = read(source, problems, ReaderOptions(outside=True))
        text = " ".join(document.fields["body"].text for document in found)
        assert ("spoken" if how == "package" else "secret") in text
        assert problems == []


def test_absolute_names_and_links_inside_the_project_are_read(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "b.inc").write_text("second", encoding="utf-8")
    os.symlink("parts/b.inc", tmp_path / "c.inc")
    (tmp_path / "a.tex").write_text(rf"first \input{{{tmp_path}/parts/../parts/b.inc}} third", encoding="utf-8")
    problems: list[Problem] = []
    (document,) = read(tmp_path, problems)
    assert document.fields["body"].text.split() == ["first", "second", "third"]
    (tmp_path / "a.tex").write_text(r"first \input{c.inc} third", encoding="utf-8")
    (document,) = read(tmp_path / "a.tex", problems)
    assert document.fields["body"].text.split() == ["first", "second", "third"]
    assert problems == []


CLASS = r"""
\ProvidesClass{house}[2020/01/01]
\newcount\@depth \def\@toodeep{\errmessage{Too deep}}
\renewenvironment{enumerate}{%
  \ifnum\@depth>3 \@toodeep\else\advance\@depth\@ne\edef\@counter{enum\romannumeral\the\@depth}%
  \list{\csname label\@counter\endcsname}{\usecounter{\@counter}\def\makelabel##1{\hss\llap{##1}}}\fi
}{\endlist}
\def\footnote#1{\insert\footins{#1 set small}}
\newenvironment{proof}[1][Proof]{\pushQED{\qed}\item[\hskip\labelsep\itshape #1\@addpunct{.}]}{\popQED\endtrivlist}
\newenvironment{boxed-theorem}[1]{\hrule Printed by the class \begin{theorem}[#1]}{\end{theorem}\hrule height}
\newenvironment{aside}[1]{\trivlist\item[Printed: #1]}{\endtrivlist ended}
\def\@broken{ \fi } } text of the class
\begin{nothing} \end{something} $ unclosed
\newcommand{\Spec}{\operatorname{Spec}}
\def\subparagraph#1{Printed by the class: #1}
\newcommand{\late}{ \ifx\never\ended
"""


def test_a_class_is_read_for_its_macros_alone(tmp_path: Path) -> None:
    (tmp_path / "house.cls").write_text(CLASS, encoding="utf-8")
    (tmp_path / "a.tex").write_text(
        r"""\documentclass{house}\newtheorem{theorem}{Theorem}
        \renewenvironment{itemize}{Printed by the preamble}{}
        \begin{document}
        \begin{enumerate}\item one\footnote{note} $\Spec A$\item two\end{enumerate}
        \begin{itemize}\item three\end{itemize}\subparagraph{four}
        \begin{aside}{A remark}inside\end{aside}
        \begin{boxed-theorem}{Main}It holds.\end{boxed-theorem}
        \begin{proof}By looking.\end{proof}
        \begin{theorem}Again.\end{theorem}\begin{proof}[Second proof]Look twice.\end{proof}
        \end{document}""", encoding="utf-8",
    )  # fmt: skip
    problems: list[Problem] = []
    main, again, text = read(tmp_path, problems)
    assert problems == []
    assert " ".join(text.fields["body"].to_latex().split()) == (
        r"- one (note) $\operatorname{Spec} A$ - two - three four: A remark: inside"
    )
    assert main.fields["title"].text == "Main"
    assert main.fields["body"].text == "It holds."
    assert main.fields["proof"].text == "By looking."
    assert again.fields["proof"].text == "Second proof. Look twice."


def test_a_document_has_the_line_where_its_source_begins(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        "\\newtheorem{satz}{Satz}\n\\section{On\ntwo lines}\ntext\n\\begin{satz}\n\nfirst\n\\end{satz}\n"
        "\\begin{satz}\n  [A title\n  of two lines]\nsecond\n\\end{satz}\n\\begin{proof}\n\nalone\\end{proof}",
        encoding="utf-8",
    )
    places = {document.id: document.metadata["line"] for document in read(tmp_path)}
    assert places == {"a.tex#section-1": "2", "a.tex#satz-1": "5", "a.tex#satz-2": "9"}


def test_references_say_what_they_refer_to(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        r"""\newtheorem{lm}{Lemma}\section{One}\label{first}\begin{lm}\label{five}A.\end{lm}
        \begin{equation}\label{euler}x\end{equation}
        By \ref{five}, Lemma~\ref{five}, Lemmas \ref{five} and \ref{five}, \eqref{euler}, equation (\ref{euler}),
        \ref{first}, \cref{lemma-later,thm:later}, \ref{unknown} and \S\ref{unknown}, \nameref{five}.""",
        encoding="utf-8",
    )  # fmt: skip
    section = next(document for document in read(tmp_path) if document.metadata["type"] == "section")
    text = " ".join(section.fields["body"].text.split())
    assert text.endswith(
        "By Lemma [five], Lemma [five], Lemmas [five] and Lemma [five], Equation [euler], equation ([euler]), "
        "Section [first], Lemma [lemma-later], Theorem [thm:later], [unknown] and §[unknown], Lemma [five]."
    )


def test_tags_of_labels_are_metadata(tmp_path: Path) -> None:
    (tmp_path / "tags").mkdir()
    (tmp_path / "tags" / "tags").write_text("# tags\n01AB,algebra-lemma-five\n01AC,lemma-six\n,x\nbad\n")
    (tmp_path / "algebra.tex").write_text(
        r"\begin{lemma}\label{lemma-five}A.\end{lemma}\begin{lemma}\label{lemma-six}B.\end{lemma}"
        r"\begin{lemma}\label{lemma-seven}C.\end{lemma}", encoding="utf-8",
    )  # fmt: skip
    assert [document.metadata.get("tag") for document in read(tmp_path)] == ["01AB", "01AC", None]


def test_a_file_that_includes_itself_is_reported(project) -> None:
    problems: list[Problem] = []
    documents = project(problems, a=r"\section{A}$a$\input{b}", b=r"$b$\input{a}")
    assert len(documents) == 1
    assert [problem.what for problem in problems] == [r"\input{a} includes a file in itself"]


def test_a_label_used_twice_is_reported_and_both_documents_stay(project) -> None:
    problems: list[Problem] = []
    documents = project(problems, a=r"\begin{lemma}\label{l}x\end{lemma}\begin{lemma}\label{l}y\end{lemma}")
    assert list(documents) == ["a.tex#l", "a.tex#lemma-2"]
    assert [str(problem) for problem in problems] == ["a.tex:1: the label l is used twice"]


def test_encodings(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    problems: list[Problem] = []
    path.write_bytes("\\usepackage[latin1]{inputenc} Möbius".encode("latin-1"))
    assert read(path, problems)[0].fields["body"].text.endswith("Möbius")
    assert problems == []
    path.write_bytes("ok\nMöbius".encode("latin-1"))
    assert read(path, problems)[0].fields["body"].text == "ok Möbius"
    assert [problem.where for problem in problems] == ["a.tex:2"]
    path.write_bytes(b"\xef\xbb\xbfa\r\nb\r\n\r\nc\x00\x01d")
    assert read(path)[0].fields["body"].text == "a b\n\nc d"


def test_missing_and_empty_sources(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no such file"):
        read(tmp_path / "none.tex")
    with pytest.raises(SourceError, match="holds no LaTeX"):
        read(tmp_path)
    (tmp_path / "e.tex").write_text("", encoding="utf-8")
    assert read(tmp_path) == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file: run it as another user")
def test_an_unreadable_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text("a", encoding="utf-8")
    (tmp_path / "b.tex").write_text("b", encoding="utf-8")
    (tmp_path / "a.tex").chmod(0)
    problems: list[Problem] = []
    assert len(read(tmp_path, problems)) == 1
    assert problems[0].where == "a.tex"


@LONG_ONLY
@pytest.mark.needs_shared_data
def test_the_napkin(shared_data: Path) -> None:
    problems: list[Problem] = []
    documents = read(shared_data / "napkin", problems)
    assert [problem.where for problem in problems] == ["tex/backmatter/hintsol.tex:4", "tex/backmatter/hintsol.tex:10"]
    kinds = [document.metadata["type"] for document in documents]
    found = (kinds.count("theorem"), kinds.count("definition"), kinds.count("lemma"))
    assert found == (266, 464, 56)  # without what \endinput cuts off
    sources = [
        formula.source for document in documents for content in document.fields.values() for formula in content.formulas
    ]
    assert len(sources) > 30_000
    assert not [source for source in sources if r"\ZZ" in source or r"\Zc" in source or r"\opname" in source]
