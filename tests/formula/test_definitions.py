"""Definitions inside a formula: each kind that LaTeX has, expanded as in a project."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex


@every_case(("source", "plain"), [
    (r"\newcommand{\p}[2][a]{(#1,#2)}\p{x}+\p[b]{y}", "(a,x)+(b,y)"),
    (r"\newcommand*\p[1]{\{#1\}}\p{x}", r"\{x\}"),
    (r"\renewcommand{\vec}[1]{\mathbf{#1}}\vec{v}", r"\mathbf{v}"),
    (r"\providecommand{\p}{x}\providecommand{\p}{y}\p", "x"),
    (r"\DeclareRobustCommand{\p}{x}\p", "x"),
    (r"\NewDocumentCommand{\p}{s O{x} m}{#2#3\IfBooleanT{#1}{!}}\p{a}+\p*[y]{b}", "xa+yb!"),
    (r"\NewDocumentCommand{\p}{t! D(){y} r<> m}{\IfBooleanTF{#1}{u}{v}_{#2,#3,#4}}\p<a>{d}+\p!(b)<c>{d}",
     "v_{y,a,d}+u_{b,c,d}"),
    (r"\RenewDocumentCommand{\abs}{m o}{A#1\IfNoValueTF{#2}{}{_{#2}}}\abs{x}+\abs{x}[y]", "Ax+Ax_{y}"),
    (r"\NewDocumentCommand{\p}{u{;} m}{#2^{#1}}\p n+1;x", "x^{n+1}"),
    (r"\DeclarePairedDelimiter{\p}{\lvert}{\rvert}\p{x}\p*{y}\p[\big]{z}", "|x||y||z|"),
    (r"\DeclarePairedDelimiterX{\p}[2]{\langle}{\rangle}{#1\,\delimsize\vert\,#2}\p{x}{y}", r"\langle x|y\rangle"),
    (r"\DeclarePairedDelimiterXPP{\p}[1]{L}{\lVert}{\rVert}{_2}{#1}\p*{x}", r"L\left\|x\right\|_2"),
    (r"\DeclareMathOperator*{\p}{arg\,max}\p_x f", r"\operatorname*{arg\,max}_x f"),
    (r"\DeclareSIUnit[per-mode=symbol]{\p}{pc}\SI{3}{\kilo\p}", r"3\,\mathrm{kpc}"),
    (r"\def\p(#1,#2){\frac{#1}{#2}}\p(12,b)", r"\frac{12}{b}"),
    (r"\def\p#1.{[#1]}\p xy.", "[xy]"),
    (r"\def\p#1#2{#2#1 3}\p ab", "ba3"),
    (r"\let\p\varepsilon\p", r"\varepsilon"),
    (r"\let\old=\phi\let\phi\varphi\phi+\old", r"\varphi+\phi"),
    (r"\newenvironment{pm}[1][x]{#1=\begin{pmatrix}}{\end{pmatrix}}\begin{pm}1\\2\end{pm}",
     r"x=\begin{pmatrix}1\\2\end{pmatrix}"),
    (r"\NewDocumentEnvironment{pm}{m}{(}{)_{#1}}\begin{pm}{a}b\end{pm}", "(b)_{a}"),
    (r"\NewDocumentCommand{\p}{me{_^}}{#1\IfValueT{#3}{+#3}}\p{a}^c_b", "a+c"),
    (r"\newcommand{\be}[1]{\begin{#1}}\be{pmatrix}1\\2\end{pmatrix}", r"\begin{pmatrix}1\\2\end{pmatrix}"),
    (r"\def\p{x}\begingroup\def\p{y}\p\endgroup\p\endgroup\p", "yxx"),
    (r"\def\p{x}{\def\p{y}{\gdef\p{z}\p}\p}\p", "zzz"), (r"\def\p{x}{\gdef\p{z}{\def\p{y}\p}\p}\p", "yzz"),
    (r"\newenvironment{p}{(}{)}\begin{p}x\end{p}{\newenvironment{p}{[}{]}\begin{p}y\end{p}}\begin{p}z\end{p}",
     "(x){[y]}(z)"),
    (r"\newenvironment{p}{(}{)}\begingroup\newenvironment{p}{[}{]}\begin{p}y\end{p}\endgroup\begin{p}z\end{p}",
     "[y](z)"),
    (r"\def\p  #1  {[#1]}\p{x}", "[x]"), (r"\def\p #1 {[#1]}\p xy z", "[xy]z"),
    (r"\Newextarrow{\p}{10,20}{0x21C0}a\p{n}b\p[m]{n}c", r"a\xrightharpoonup{n}b\xrightharpoonup[m]{n}c"),
    (r"\Newextarrow\p{5,5}{8640}a\p{}b", r"a\rightharpoonup b"),
    (r"\MakeAboxedCommand*\p\fbox\begin{align}\p{a&=b}\\c\end{align}", r"\begin{align}a&=b\\c\end{align}"),
    (r"\DeclarePairedDelimiters{\p}{[}{]}\p{x}", "[x]"),
    (r"\newcommand{\p}{1}{\renewcommand{\p}{2}\p}\p", "{2}1"),
    (r"\newcommand{\q}[1]{\p{#1}+1}\newcommand{\p}[1]{\sqrt{#1}}\q{z}", r"\sqrt{z}+1"),
    (r"\newcommand{\p}[1]{\newcommand{\q}[1]{##1#1}}\p{x}\q{y}", "yx"),
])
def test_a_definition_is_carried_out(source: str, plain: str) -> None:
    parsed = parse_latex(source)
    assert parsed.problems == ()
    assert layout_key(parsed) == layout_key(parse_latex(plain))


@every_case(("source", "problem"), [
    (r"x\newcommand{\p}", r"\newcommand without a name or a replacement"),
    (r"\def x{y}", r"\def without a name or a replacement"),
    (r"\NewDocumentCommand{\p}{q{_}}{#1}\p",
     r"the arguments of \p are of a kind that is not read; it stays unexpanded"),
    (r"\def\p(#1){#1}\p x", r"\p is not followed by its arguments"),
    (r"\Newextarrow{\p}{1,2}{x}", r"\Newextarrow without a name or a replacement"),
    (r"\Newextarrow{\p}{1,2}{0x110000}", r"\Newextarrow without a name or a replacement"),
    (r"\newcommand{\p}[1]{#1}\p", "an argument is missing"),
    (r"\newcommand{\p}[1]{#1}\p{x", "an argument whose brace is never closed"),
])
def test_what_cannot_be_carried_out_is_reported(source: str, problem: str) -> None:
    assert problem in {found.what for found in parse_latex(source).problems}


def test_what_a_macro_takes_stays_in_its_place() -> None:
    source = r"\newcommand{\p}[2]{#2+#1}\p{x}{\frac12}"
    tree = parse_latex(source)
    assert [source[node.start:node.end] for node in tree.row] == [r"\frac12", r"\p{x}{\frac12}", "x"]


def test_an_expansion_that_grows_without_end_stops() -> None:
    tree = parse_latex(r"\def\p{\q\q}\def\q{\p\p}x\p")
    assert tree.row[0].label == "x"
    assert any("expands without end" in problem.what for problem in tree.problems)


def test_arguments_that_are_copied_too_often_are_cut_off() -> None:
    tree = parse_latex(r"\def\p#1{" + "#1" * 3_000 + r"}\p{" + "x" * 3_000 + "}")
    assert len(tree.row) < 200_000
    assert any("too much" in problem.what for problem in tree.problems)


def test_a_command_without_arguments_inside_a_macro_has_a_span() -> None:
    fraction = parse_latex(r"\abs\frac").row[1]
    assert 4 <= fraction.start <= fraction.end <= 9
