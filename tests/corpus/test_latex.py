"""The text and the formulas of LaTeX: macros, commands, diagrams, and what bad input does."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case
from hypothesis import example, given, settings
from hypothesis import strategies as st
from latex_projects import formulas, read, text_of
from long_forms import LONG_ONLY, examples

from porism.errors import Problem


@every_case(
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
        (r"\newcommand{\LL}{\mathcal{L}}$\LL$", [r"\mathcal{L}"]),
        (r"\newcommand{\be}{\begin{equation}}\newcommand{\ee}{\end{equation}}\be a=b \ee", ["a=b"]),
        (r"\newenvironment{pm}{\begin{pmatrix}}{\end{pmatrix}}$\begin{pm}1\end{pm}$",
         [r"\begin{pmatrix}1\end{pmatrix}"]),
        (r"\NewDocumentCommand{\D}{s O{x} m}{\frac{d#3}{d#2}\IfBooleanT{#1}{!}}$\D{f}\D*[t]{g}$",
         [r"\frac{df}{dx}\frac{dg}{dt}!"]),
        (r"\NewDocumentCommand{\E}{t! D(){y} r<> G{z}}{\IfBooleanTF{#1}{p}{q}_{#2,#3,#4}}$\E<a>\E!(b)<c>{d}$",
         ["q_{y,a,z}p_{b,c,d}"]),
        (r"\NewDocumentCommand{\G}{u{;} m}{#2^{#1}}$\G n+1;x$", ["x^{n+1}"]),
        (r"\DeclarePairedDelimiterXPP\prob[1]{P}(){}{#1}\par$\prob{A}$", ["P(A)"]),
        (r"\def\bar+{x}$\bar+$", ["x"]),
        (r"\newcommand{\outer}{\newcommand{\inner}[1]{(##1)}}\outer$\inner{x}$", ["(x)"]),
        (r"{\newcommand{\x}{1}$\x$}$\x$", ["1", r"\x"]),
        (r"{\gdef\x{1}}$\x$", ["1"]),
        (r"\makeatletter\newcommand\my@x{7}\newcommand\y{\my@x}\makeatother$\y$", ["7"]),
        (r"\newif\ifbig\bigtrue\ifbig$a$\else$b$\fi\bigfalse\ifbig$c$\else$d$\fi", ["a", "d"]),
        (r"\iffalse $a$ \ifx\a\b $b$ \fi\fi$c$", ["c"]),
        (r"\expandafter\def\csname foo\endcsname{1}$\foo$", ["1"]),
        (r"\catcode`\@=11 \def\a@b{1}\def\c{\a@b}\catcode`\@=12 $\c$", ["1"]),
        (r"\providecommand{\q}{1}\providecommand{\q}{2}$\q$", ["1"]),
        (r"\makeatletter\def\all#1{\forall #1\@ifnextchar\bgroup{,\all}{:}}\makeatother$\all{x}{y}z$",
         [r"\forall x,\forall y:z"]),
        (r"\makeatletter\def\@new[#1]#2{\expandafter\def\csname B#2\endcsname{(#1)}}\def\new{\@dblarg\@new}"
         r"\makeatother\new{G}\new[x]{H}$\BG\BH$", ["(G)(x)"]),
        (r"\def\typed#1{\split#1:\stop}\def\split#1:#2\stop{\if\relax\detokenize{#2}\relax #1\else(#1)\fi}"
         r"$\typed{x}\typed{y:\R}$", ["x(y)"]),
    ],
)
def test_macros_are_expanded_in_formulas(source: str, expected: list[str], tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert formulas(source, tmp_path, problems) == expected
    assert problems == []


@every_case(
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
        (r"$x\ \ $ and $y\\$", ["x", r"y\\"]),
    ],
)
def test_formulas_are_found(source: str, expected: list[str], tmp_path: Path) -> None:
    assert [" ".join(found.split()) for found in formulas(source, tmp_path)] == expected


def test_displays_are_marked(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    path.write_text(r"$a$ \[b\] \begin{gather}c\end{gather}", encoding="utf-8")
    (document,) = read(path)
    assert [formula.display for formula in document.fields["body"].formulas] == [False, True, True]


@every_case(
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


@every_case(
    ("source", "expected"),
    [
        (r"\xymatrix{ A \ar[r]^f \ar[d]_{g \circ h} & B \ar[d] \\ C \ar[r] & B }",
         r"[diagram: $A$, $f$, $g \circ h$, $B$, $C$]"),
        (r"$$\xymatrix{ X \ar@{^{(}->}[r] & \Spec(A) }$$", r"[diagram: $X$, $\Spec(A)$]"),
        (r"\begin{tikzcd} A \arrow[r, \"\varphi\"'] & B_1 \end{tikzcd}".replace('\\"', '"'),
         r"[diagram: $A$, $\varphi$, $B_1$]"),
        (r"\[\begin{CD} A @>f>> B \end{CD}\]", "[diagram: "),
        (r"\begin{tikzpicture}\node {x};\end{tikzpicture}", "[diagram: x]"),
        (r"\tikz \draw (0,0) -- (1,1);", "[diagram]"),
        (r"\tikz[scale=2]{\draw (0,0);}", "[diagram]"),
        (r"\xy (0,0)*{A}; \endxy", "[diagram: $A$]"),
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


def test_a_recursive_macro_is_reported_once_and_the_rest_is_read(tmp_path: Path) -> None:
    problems: list[Problem] = []
    found = formulas(r"\def\a{x\a}\newcommand{\b}[1]{\b{#1#1}}$\a$ $y$ $\b{z}$ $w$", tmp_path, problems)
    assert "y" in found
    assert found[-1] == "w"
    endless = [problem.what.split()[2] for problem in problems if "without end" in problem.what]
    assert endless == ["\\a", "\\b"]  # the second may also be reported for one expansion that is too large


@every_case(
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
    r"\end{document}", r"\begin{frame}", r"\end{frame}", r"\frametitle{x}", r"\frame{", r"<2->", r"\only", r"\alt",
    r"\raisebox{1pt}", r"\hbox to 3cm", r"\parbox", r"\begin{tabular}{c}", r"\end{tabular}", r"\begin{CD}", "@>f>>",
    r"\end{CD}", r"\end{tikzcd}", r'\ar[r,"f"]', r"\ar@{->}", r"\POS", r"\begin{tikzpicture}", r"\end{tikzpicture}",
    r"\tikz", r"\xy", r"\proclaim", r"\endproclaim", r"\heading", r"\endheading", r"\beginsection", r"\eqno",
    r"\AxiomC{$a$}", r"\DisplayProof", r"\inferrule[", r"\ooalign{$a$\cr", r"\mathchoice", r"\parindent=", r"\advance",
    r"\setbox0=", r"\font", r"\newdimen", r"\catcode`\@=11", r"\mathchar`", r"\tag", r"\psmatrix",
    r"\newcommand<>{\e}[1]{#2}",
    r"\kern3pt", "\0", "\ufffc",
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


@LONG_ONLY
@pytest.mark.parametrize(
    "text",
    [
        "{", "$x ", r"\newcommand{\f}[1]{#1#1}\f{", r"\begin{theorem}[", r"\section{", r"\item[", r"\footnote{",
        "$\\text{$", r"\def\r{\r\r}\r ", r"\ensuremath{", r"\csname ", r"\begin{itemize}", r"\[\begin{matrix}",
        r"\cite[", r"\expandafter", r"\proclaim x ", r"\proclaim A. x ", r"\heading x ", r"\[{$", r"\[\text{$x ",
        r"\xymatrix{A \ar[r]^", r"\xymatrix{\POS ", r'\begin{tikzcd} A \ar[r,"', r"\begin{CD} A @>", r"\begin{frame}{",
        r"\frame{\begin", r"\only<2>{", r"$\begin{tabular}{c}", r"$\ooalign{", r"\tikz ", r"\xy ",
        r"\begin{tikzpicture}$", r"$\parbox{1cm}{$", r"\title ", r"$\uncover<2>{", r"\section{\footnote{",
        r"\edef\a{\a\a}", r"\ifx\a", r"\ifnum1", r"\if\csname a", r"\ifcase 9 ", r"\input a", r'\input "',
        r"\docsvlist{a,b}", r"\def\do#1{\docsvlist{#1,#1}}\do a", r"\makeatletter\@for\x:=", r"\ifthenelse{\equal{",
        r"\csdef{a", r"\appto\a{\a}", r"\usepackage{\a", r'\selectlanguage{german}{"a', r"$\Axiom$",
        r"\defineshorthand{a}{aa}a", r"$\begin{array}{c}$", r"\documentclass[a]{subfiles}",
        r"\begin{document}\documentclass{x}",
    ],
)  # fmt: skip
def test_time_is_linear(text: str, tmp_path: Path, assert_linear) -> None:
    def work(count: int) -> None:
        path = tmp_path / "a.tex"
        path.write_text(text * count, encoding="utf-8")
        read(path)

    assert_linear(work, 500, 2_000)
    work(8_000)
