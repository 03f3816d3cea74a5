"""LaTeX projects that program: etoolbox, ifthen, kernel macros, and what decides which text is read."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import formulas, read, text_of

from porism.errors import Problem


@every_case(
    ("source", "expected"),
    [
        (r"\newtoggle{long}\toggletrue{long}\iftoggle{long}{a}{b}\nottoggle{long}{c}{d}", "ad"),
        (r"\providetoggle{long}\togglefalse{long}\iftoggle{long}{a}{b}", "b"),
        (r"\newbool{draft}\booltrue{draft}\ifbool{draft}{a}{b}\ifdraft c\else d\fi", "ac"),
        (r"\newif\ifdraft\setbool{draft}{true}\notbool{draft}{a}{b}", "b"),
        (r"\newboolean{x}\setboolean{x}{true}\ifthenelse{\boolean{x}}{a}{b}", "a"),
        (r"\def\lang{en}\ifthenelse{\equal{\lang}{en}}{a}{b}\ifthenelse{3 > 4}{c}{d}", "ad"),
        (r"\newboolean{x}\ifthenelse{\not\boolean{x}\and\(\equal{a}{b}\or 2<3\)}{a}{b}"
         r"\ifthenelse{\boolean{x}\OR\NOT\equal{c}{c}}{c}{d}\ifthenelse{\isodd{3}}{e}{f}", "ade"),
        (r"\ifthenelse{\lengthtest{1cm<2cm}\and\equal{a}{b}}{a}{b}"
         r"\ifthenelse{\lengthtest{1cm<2cm}\or 1=1}{c}{d}", "bc"),
        (r"\newcounter{n}\setcounter{n}{3}\stepcounter{n}\addtocounter{n}{-2}\ifnum\value{n}=2 a\fi"
         r"\ifnum\value{n}>2 b\fi\ifthenelse{\value{n} < 3}{c}{d}\then\arabic{n}\thesection", "ac22"),
        (r"\newcounter{n}[section]\ifnum\value{n}=0 a\else b\fi\newcounter{m}{\stepcounter{m}}\them", "b1"),
        (r"\foreach \x in {a,b}{<\x>}\foreach\x in{1,3,...,9}{\x,}\def\all{c,d}\foreach \x in \all {\x}",
         "<a><b>1,3,5,7,9,cd"),
        (r"\foreach \x in {3,...,1}{\x}\foreach \x in {2,...,2}{[\x]}\foreach \x in {a,...,c}{\x}", "321[2][2]a...c"),
        (r"\ifdef{\unknown}{a}{b}\ifundef{\unknown}{c}{d}\ifcsdef{section}{e}{f}\ifcsundef{x}{g}{h}", "bceg"),
        (r"\def\x{}\ifdefempty{\x}{a}{b}\def\x{y}\ifdefempty{\x}{c}{d}\ifdefstring{\x}{y}{e}{f}", "ade"),
        (r"\ifstrempty{}{a}{b}\ifblank{ }{c}{d}\ifstrequal{x}{y}{e}{f}\notblank{}{g}{h}", "acfh"),
        (r"\ifnumgreater{3}{2}{a}{b}\ifnumcomp{1}{<}{0}{c}{d}\ifnumequal{2}{2}{e}{f}", "ade"),
        (r"\csdef{my name}#1{(#1)}\csuse{my name}{a}\cslet{other}{\ldots}\csuse{other}", "(a)…"),
        (r"\csuse{nothing}a\csname nothing\endcsname b", "ab"),
        (r"\def\x{a}\appto\x{b}\preto\x{c}\x", "cab"),
        (r"\newcommand\x[1]{<#1}\apptocmd{\x}{>}{}{}\x{a}", "<a>"),
        (r"\apptocmd{\ldots}{words}{}{}\ldots", "…"),
        (r"\def\do#1{[#1]}\docsvlist{a, b,{c,d}}\forcsvlist{\textbf}{e,f}", "[a][b][c,d]ef"),
        (r"\makeatletter\def\all{a,b}\@for\x:=\all\do{<\x>}\makeatother", "<a><b>"),
        (r"\def\chosen#1{\def\kept{none}\def\do##1{\iftoggle{##1}{\def\kept{#1}}{}}\docsvlist{a,b}\kept}"
         r"\providetoggle{b}\toggletrue{b}\chosen{some}", "some"),
        (r"\makeatletter\@firstoftwo{a}{b}\@secondoftwo{c}{d}\@gobble{e}\@ifundefined{nope}{f}{g}", "adf"),
        (r"\expandafter\expandafter\expandafter\def\expandafter\csname x\endcsname{a}\x", "a"),
        (r"\def\a{b}\expandafter\def\csname x\a\endcsname{c}\csname xb\endcsname", "c"),
        (r"\def\x{1}\edef\y{\x\noexpand\z}\def\x{2}\def\z{3}\y", "13"),
        (r"\def\pair #1/#2;{#1 and #2}\pair a/b;", "a and b"),
        (r"\newcounter{n}\loop a\ifnum\value{n}<2 \stepcounter{n}b{\loop c\iffalse d\repeat}\repeat e", "abcabcae"),
        (r"\loop a \repeat b \loop \ifnum\unknown<2 c\repeat d", "a b d"),
        (r"\paragraph{a} b \paragraph{} c", "a: b\n\nc"),
        (r"\setlocalecaption{german}{theorem}{Satz}\theoremname", "Satz"),
        (r"\ifnum`a=97 a\fi\ifodd3 b\fi\ifdim 1cm>2mm c\fi\if ab d\else e\fi\ifcase1 f\or g\else h\fi", "abceg"),
    ],
)  # fmt: skip
def test_what_is_programmed_is_carried_out(source: str, expected: str, tmp_path: Path) -> None:
    assert text_of(source, tmp_path).replace(" ", "") == expected.replace(" ", "")


def test_macros_in_labels_references_and_names_of_environments(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        r"""\newtheorem{satz}{Satz}\def\area{alg}\def\env{satz}\newcommand{\lab}[1]{\label{\area:#1}}
        \begin{satz}\lab{one}A.\end{satz}\begin{\env}\label{\area:two}$x \label{\area:eq}$\end{\env}
        \begin{satz}By \ref{\area:one}.\end{satz}""", encoding="utf-8",
    )  # fmt: skip
    first, second, third = read(tmp_path)
    assert (first.id, second.id) == ("a.tex#alg:one", "a.tex#alg:two")
    assert third.fields["body"].text == "By Satz [alg:one]."


def test_documents_inside_arguments_have_their_lines(tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(
        "\\newcommand{\\only}[2]{\\def\\kept{#2}\\kept}\n\\newtheorem{satz}{Satz}\\newcommand{\\begsatz}{\\begin{satz}}\n"
        "\\newcommand{\\all}{\\begsatz short \\end{satz}}\n\\only{x}{\n\\begin{satz}first\\end{satz}\n\n"
        "\\section{Second}\ntext\n\\begin{satz}third\\end{satz}\n}\n\n\\all\n", encoding="utf-8",
    )  # fmt: skip
    places = {each.fields["body"].text: each.metadata["line"] for each in read(tmp_path)}
    assert places == {"first": "5", "text": "7", "third": "9", "short": "12"}


def test_lines_of_proofs_between_dollars(tmp_path: Path) -> None:
    problems: list[Problem] = []
    source = (
        r"\newcommand{\UnaryInf}{\setbox0=\hbox{drawn}}"
        r"\[\Axiom$ A \vdash B $ \RightLabel{r}\UnaryInf$C$ \DisplayProof\]"
        r"\[\begin{cases} $1$ & x \\ 2 & y \end{cases}\]"
    )
    assert formulas(source, tmp_path, problems) == [
        r"\Axiom$ A \vdash B $ \RightLabel{r}\UnaryInf$C$ \DisplayProof",
        r"\begin{cases} 1 & x \\ 2 & y \end{cases}",
    ]
    assert problems == []


@every_case(
    ("source", "expected"),
    [
        (r"$\begin{array}{l} a $\qquad$ b\\ c \end{array}$ $d$", [r"\begin{array}{l} a \qquad b\\ c \end{array}", "d"]),
        (r"\tikz{\node{$f \text{ if $x>0$ or } g$};}", [r"f \text{ if $x>0$ or } g"]),
        ("$\\begin{array}{l} a \\\\\n\n b \\end{array}$ $c$", [r"\begin{array}{l} a \\ b \end{array}", "c"]),
    ],
)
def test_dollars_and_blank_lines_inside_what_is_open(source: str, expected: list[str], tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert formulas(source, tmp_path, problems) == expected
    assert problems == []


@every_case(
    ("use", "expected"),
    [
        (r"\pow_1^{2}", "(1,2)"), (r"\pow^2_{1}", "(1,2)"), (r"\pow_{1}", "(1,)"), (r"\pow ^2x", "(,2)x"),
        (r"\pow x^2", "(,)x^2"), (r"\pow_1^2_3", "(1,2)_3"),
    ],
)  # fmt: skip
def test_embellishments_come_in_any_order(use: str, expected: str, tmp_path: Path) -> None:
    definition = r"\NewDocumentCommand{\pow}{e{_^}}{(\IfValueT{#1}{#1},\IfValueT{#2}{#2})}"
    assert [found.replace(" ", "") for found in formulas(f"{definition}${use}$", tmp_path)] == [expected]
