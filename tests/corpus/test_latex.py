"""LaTeX projects: macros, text, structure, files, and what bad input does."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_forms import LONG, examples

from porism.corpus.base import ReaderOptions, ignore_problem, ignore_progress
from porism.corpus.latex.reader import LatexReader
from porism.errors import Problem, SourceError
from porism.types import Document


def read(
    path: Path, problems: list[Problem] | None = None, options: ReaderOptions | None = None
) -> list[Document]:
    report = ignore_problem if problems is None else problems.append
    return list(LatexReader().read(path, options or ReaderOptions(), report, ignore_progress))


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


def formulas(text: str, tmp_path: Path, problems: list[Problem] | None = None) -> list[str]:
    path = tmp_path / "main.tex"
    path.write_text(text, encoding="utf-8")
    return [
        formula.source for document in read(path, problems)
        for content in document.fields.values() for formula in content.formulas
    ]


def text_of(source: str, tmp_path: Path) -> str:
    path = tmp_path / "main.tex"
    path.write_text(source, encoding="utf-8")
    (document,) = read(path)
    return document.fields["body"].to_latex()


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\newcommand{\RR}{\mathbb R}$x\in\RR$", [r"x\in\mathbb R"]),
        (r"\newcommand\RR{\mathbb{R}}$x^\RR$", [r"x^{\mathbb{R}}"]),
        (r"\newcommand{\ol}{\overline}\newcommand{\QQ}{\mathbb Q}$\ol\QQ$", [r"\overline{\mathbb Q}"]),
        (r"\newcommand{\inv}{^{-1}}$x\inv y$", [r"x^{-1} y"]),
        (r"\newcommand{\Zc}[1]{\mathbb Z/#1}$\Zc2+\Zc{100}$", [r"\mathbb Z/2+\mathbb Z/100"]),
        (r"\newcommand{\f}[2][x]{#2(#1)}$\f{g}\f[t]{h}$", ["g(x)h(t)"]),
        (r"\def\pair(#1,#2){\langle #1|#2\rangle}$\pair(a,b)$", [r"\langle a|b\rangle"]),
        (r"\def\up#1.{#1^2}$\up x.$", ["x^2"]),
        (r"\DeclareMathOperator{\rk}{rk}\DeclareMathOperator*{\am}{arg\,min}$\rk A, \am_x$",
         [r"\operatorname{rk} A, \operatorname*{arg\,min}_x"]),
        (r"\DeclarePairedDelimiter{\abs}{\lvert}{\rvert}$\abs{x}\abs*{y}\abs[\big]{z}$",
         [r"\lvert x\rvert\left\lvert y\right\rvert\big\lvert z\big\rvert"]),
        (r"\let\old\phi\let\phi\varphi\let\varphi\old$\phi\varphi$", [r"\varphi\phi"]),
        (r"\renewcommand{\vec}[1]{\mathbf{#1}}$\vec v$", [r"\mathbf{v}"]),
        (r"\newcommand{\R}{\ensuremath{\mathbb R}}The set \R{} and $\R^2$", [r"\mathbb R", r"{\mathbb R}^2"]),
        (r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}\be a=b \ee", ["a=b"]),
        (r"\newenvironment{pm}{\begin{pmatrix}}{\end{pmatrix}}$\begin{pm}1\end{pm}$",
         [r"\begin{pmatrix}1\end{pmatrix}"]),
        (r"\NewDocumentCommand{\D}{s O{x} m}{\frac{d#3}{d#2}\IfBooleanT{#1}{!}}$\D{f}\D*[t]{g}$",
         [r"\frac{df}{dx}\frac{dg}{dt}!"]),
        (r"\newcommand{\outer}{\newcommand{\inner}[1]{(##1)}}\outer$\inner{x}$", ["(x)"]),
        (r"{\newcommand{\x}{1}$\x$}$\x$", ["1", r"\x"]),
        (r"{\gdef\x{1}}$\x$", ["1"]),
        (r"\makeatletter\newcommand\my@x{7}\newcommand\y{\my@x}\makeatother$\y$", ["7"]),
        (r"\newif\ifbig\bigtrue\ifbig$a$\else$b$\fi\bigfalse\ifbig$c$\else$d$\fi", ["a", "d"]),
        (r"\iffalse $a$ \ifx\a\b $b$ \fi\fi$c$", ["c"]),
        (r"\expandafter\def\csname foo\endcsname{1}$\foo$", ["1"]),
        (r"\providecommand{\q}{1}\providecommand{\q}{2}$\q$", ["1"]),
    ],
)
def test_macros_are_expanded_in_formulas(source: str, expected: list[str], tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert formulas(source, tmp_path, problems) == expected
    assert problems == []


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"$a$ \(b\) \[c\] $$d$$", ["a", "b", "c", "d"]),
        (r"\begin{equation}\label{e} x \end{equation}", ["x"]),
        (r"\begin{align*} a &= b \\ c &= d \nonumber \end{align*}",
         [r"\begin{align*} a &= b \\ c &= d \end{align*}"]),
        (r"$\text{if $x>0$ then}$", [r"\text{if $x>0$ then}"]),
        ("$a % comment $\n b$", ["a b"]),
        (r"$a$$b$", ["a", "b"]),
        (r"\begin{tikzcd}[sep=2em] A \ar[r, \"f\"] & B \arrow[d] \\ C\end{tikzcd}".replace('\\"', '"'),
         ["A", "f", "B", "C"]),
        (r"\[\xymatrix@C+2pc{A \ar@{->}[r]^f & B}\]", ["A", "f", "B"]),
        (r"$a\kern3pt b\hspace{1em}c$", ["a b c"]),
        (r"$x \text{ by \eqref{eq:main}}$", [r"x \text{ by Equation [eq:main]}"]),
        ("$  $ $$ $$ $x$", ["x"]),
    ],
)
def test_formulas_are_found(source: str, expected: list[str], tmp_path: Path) -> None:
    assert [" ".join(found.split()) for found in formulas(source, tmp_path)] == expected


def test_displays_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text(r"$a$ \[b\] \begin{gather}c\end{gather}", encoding="utf-8")
    (document,) = read(path)
    assert [formula.display for formula in document.fields["body"].formulas] == [False, True, True]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\emph{a} \textbf{b \textit{c}} {\bfseries d} \textcolor{red}{e}", "a b c d e"),
        ("``quoted'' -- and --- it's", "“quoted” – and — it's"),
        (r"stra\ss e caf\'e na\"{\i}ve Erd\H{o}s \v{C}ech \c c \'{E}", "straße café naïve Erdős Čech ç É"),
        (r"50\% \& \$3 \#1 \_x \{y\} \S 2", "50% & $3 #1 _x {y} § 2"),
        (r"Theorem~\ref{thm:first-iso}, \Cref{lem:a_b}, \eqref{eq:x}",
         "Theorem [thm:first-iso], Lemma [lem:a_b], Equation [eq:x]"),
        (r"\cite{Knu} and \cite[p.~3]{A,B}", "[Knu] and [A, B; p. 3]"),
        (r"\begin{itemize}\item a \item[(ii)] b\end{itemize}", "- a\n- (ii) b"),
        (r"a\footnote{b $c$}.", "a (b $c$)."),
        ("a\\verb|$x$ \\y|b", "a$x$ \\yb"),
        ("\\begin{verbatim}\n$x$ % y\n\\end{verbatim}", "$x$ % y"),
        (r"\unknown[opt]{kept} \vspace{3pt}\hspace*{1em} x \rule{1pt}{2pt}", "kept x"),
        ("a % comment\nb\n%\nc\n\nd", "a b c\n\nd"),
        (r"\TeX is \LaTeX{} here", "TeX is LaTeX here"),
        (r"\url{http://a.b/c%20d#e} \href{http://x%y}{text}", "http://a.b/c%20d#e text"),
        (r"\begin{tabular}{c|c} a & $b$ \\ \hline c & d \end{tabular}", "a $b$\nc d"),
        (r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}x", "[diagram] x"),
        (r"\begin{comment}hidden $x$\end{comment}y", "y"),
        (r"\section", ""),
        (r"interval [0,1) and \\ [2", "interval [0,1) and\n[2"),
    ],
)
def test_commands_become_what_they_print(source: str, expected: str, tmp_path: Path) -> None:
    if expected:
        assert text_of(source, tmp_path) == expected
    else:
        path = tmp_path / "main.tex"
        path.write_text(source, encoding="utf-8")
        assert read(path) == []


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


@pytest.mark.parametrize(
    ("declaration", "use", "kind", "title"),
    [
        (r"\declaretheorem[name=Aufgabe,style=x]{auf}", r"\begin{auf}[T]b\end{auf}", "aufgabe", "T"),
        (r"\spnewtheorem{sthm}{Satz}{\bf}{\it}", r"\begin{sthm}b\end{sthm}", "satz", None),
        (r"\newtcbtheorem[auto]{mythm}{Theorem}{colback=red}{th}", r"\begin{mythm}{T}{l}b\end{mythm}", "theorem", "T"),
        (r"\newmdtheoremenv[frame]{boxed}{Lemma}", r"\begin{boxed}b\end{boxed}", "lemma", None),
        (r"\newenvironment{soln}{\begin{exercise}[T]}{\end{exercise}}", r"\begin{soln}b\end{soln}", "exercise", "T"),
        (r"\newenvironment{theorem}[1]{\par\bfseries #1}{\par}", r"\begin{theorem}{T}b\end{theorem}", "theorem", "T"),
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


@pytest.mark.parametrize("how", ["relative", "absolute", "link", "package", "import"])
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


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (r"\xymatrix{ A \ar[r]^f \ar[d]_{g \circ h} & B \ar[d] \\ C \ar[r] & B }",
         r"[diagram: $A$, $f$, $g \circ h$, $B$, $C$]"),
        (r"$$\xymatrix{ X \ar@{^{(}->}[r] & \Spec(A) }$$", r"[diagram: $X$, $\Spec(A)$]"),
        (r"\begin{tikzcd} A \arrow[r, \"\varphi\"'] & B_1 \end{tikzcd}".replace('\\"', '"'),
         r"[diagram: $A$, $\varphi$, $B_1$]"),
        (r"\[\begin{CD} A @>f>> B \end{CD}\]", "[diagram: "),
        (r"\begin{tikzpicture}\node {x};\end{tikzpicture}", "[diagram]"),
        (r"\tikz \draw (0,0) -- (1,1);", "[diagram]"),
        (r"\tikz[scale=2]{\draw (0,0);}", "[diagram]"),
        (r"\xy (0,0)*{A}; \endxy", "[diagram]"),
        (r"\begin{figure}[h]\includegraphics[width=2cm]{a.png}\caption{A map}\end{figure}", "[figure] A map"),
    ],
)  # fmt: skip
def test_diagrams_are_said_to_be_diagrams(source: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(f"before {source} after", encoding="utf-8")
    problems: list[Problem] = []
    (document,) = read(tmp_path, problems)
    text = " ".join(document.fields["body"].to_latex().split())
    assert text.startswith(f"before {expected}")
    assert text.endswith("after")
    assert problems == []


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


def test_a_recursive_macro_is_reported_once_and_the_rest_is_read(tmp_path: Path) -> None:
    problems: list[Problem] = []
    found = formulas(r"\def\a{x\a}\newcommand{\b}[1]{\b{#1#1}}$\a$ $y$ $\b{z}$ $w$", tmp_path, problems)
    assert "y" in found
    assert found[-1] == "w"
    assert len(problems) == 2
    assert all("expands without end" in problem.what for problem in problems)


@pytest.mark.parametrize(
    ("source", "complaint", "kept"),
    [
        ("$a\n\nb", "a formula that is never closed", "b"),
        (r"\begin{theorem}a\section{B}b", r"\begin{theorem} of line 1 is never ended", "a"),
        (r"a\end{lemma}", r"\end{lemma} without its \begin", "a"),
        (r"\[a\section{B}b", "a formula that is never closed", "b"),
        ("$a}$b", "a closing brace without an opening one in a formula", "b"),
        (r"\begin{verbatim}a", r"\begin{verbatim} is never ended", "a"),
        (r"a\iffalse b", r"a conditional without \fi hides the rest of the file", "a"),
        (r"$$a$ b", "a display formula opened by $$ and closed by $", "b"),
    ],
)
def test_broken_sources_are_reported_and_read_on(source: str, complaint: str, kept: str, tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text(source, encoding="utf-8")
    problems: list[Problem] = []
    documents = read(path, problems)
    assert complaint in [problem.what for problem in problems]
    assert any(kept in document.fields["body"].to_latex() for document in documents)


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


FRAGMENTS = [
    r"\newcommand{\a}[1]{x#1\b}", r"\def\b{\a{y}}", r"\a", r"\b", "{", "}", "[", "]", "$", "$$", r"\[", r"\]",
    r"\(", r"\)", r"\begin{theorem}", r"\end{theorem}", r"\begin{proof}", r"\end{proof}", r"\begin{align*}",
    r"\end{align*}", r"\section{x}", r"\section", r"\item", r"\\", "%c\n", "\n\n", " ", "x", "^", "_", "&", "#",
    "#1", "~", r"\begin", r"\end", r"\left", r"\text{", r"\label{a}", r"\ref{a}", r"\verb|x|",
    r"\begin{verbatim}", r"\iffalse", r"\fi", r"\else", r"\let\c=\a", r"\let", r"\def", r"\def\c#1.{#1}", r"\c",
    r"\expandafter", r"\csname", r"\endcsname", r"\frac", r"\'",
    r"\newenvironment{foo}[1]{\begin{theorem}[#1]}{\end{theorem}}", r"\begin{foo}", r"\end{foo}", r"\title{t}",
    r"\begin{tikzcd}", r"\ar[r]", r"\xymatrix{", r"\footnote{", r"\ensuremath", r"\url{", r"\cite[",
    r"\newif\ifq", r"\ifq", r"\DeclarePairedDelimiter{\n}{|}{|}", r"\n*", r"\begin{document}",
    r"\end{document}", r"\kern3pt", "\0", "\ufffc",
]  # fmt: skip


@settings(max_examples=examples(250), deadline=None)
@given(st.one_of(st.lists(st.sampled_from(FRAGMENTS), max_size=40).map("".join), st.text(max_size=60)))
@example("\\")
@example("\\let")
@example("\\def\\a")
def test_any_text_gives_documents(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = tmp_path_factory.getbasetemp() / "fuzz.tex"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    documents = read(path)
    assert len({document.id for document in documents}) == len(documents)
    assert all(document.fields["body"] or "proof" in document.fields for document in documents)


@pytest.mark.parametrize(
    "text",
    [
        "{", "$x ", r"\newcommand{\f}[1]{#1#1}\f{", r"\begin{theorem}[", r"\section{", r"\item[", r"\footnote{",
        "$\\text{$", r"\def\r{\r\r}\r ", r"\ensuremath{", r"\csname ", r"\begin{itemize}", r"\[\begin{matrix}",
        r"\cite[", r"\expandafter",
    ],
)  # fmt: skip
def test_time_is_linear(text: str, tmp_path: Path, assert_linear) -> None:
    def work(count: int) -> None:
        path = tmp_path / "a.tex"
        path.write_text(text * count, encoding="utf-8")
        read(path)

    assert_linear(work, 500, 2_000, in_full=True)
    if LONG:
        work(8_000)


@pytest.mark.needs_shared_data
def test_the_napkin(shared_data: Path) -> None:
    problems: list[Problem] = []
    documents = read(shared_data / "napkin", problems)
    assert [problem.where for problem in problems] == ["tex/backmatter/hintsol.tex:4", "tex/backmatter/hintsol.tex:10"]
    kinds = [document.metadata["type"] for document in documents]
    assert (kinds.count("theorem"), kinds.count("definition"), kinds.count("lemma")) == (268, 468, 57)
    sources = [
        formula.source for document in documents for content in document.fields.values() for formula in content.formulas
    ]
    assert len(sources) > 30_000
    assert not [source for source in sources if r"\ZZ" in source or r"\Zc" in source or r"\opname" in source]
