"""What is inside the formulas of LaTeX sources: boxes, diagrams, drawings, assignments."""

from __future__ import annotations

from pathlib import Path

from case_tables import every_case
from latex_projects import formulas, read, text_of

from porism.errors import Problem


def read_formulas(source: str, tmp_path: Path) -> list[str]:
    """The formulas of a source that is read without a complaint."""
    problems: list[Problem] = []
    found = [" ".join(formula.split()) for formula in formulas(source, tmp_path, problems)]
    assert problems == []
    return found


@every_case(
    ("source", "expected"),
    [
        (r"\raisebox{2pt}{$x$}", r"\text{$x$}"),
        (r"\raisebox{0.5ex}[0pt][0pt]{$p$ and $q$}", r"\text{$p$ and $q$}"),
        (r"\makebox[3cm][l]{$x$}", r"\makebox{$x$}"),
        (r"\hbox to 3cm{$x$}", r"\hbox{$x$}"),
        (r"\hbox spread 1em{$x$}", r"\hbox{$x$}"),
        (r"\hbox to0.5\hsize{$x$}", r"\hbox{$x$}"),
        (r"\scalebox{0.8}{$\sum$}", r"\text{$\sum$}"),
        (r"\resizebox{3cm}{!}{$\sum$}", r"\text{$\sum$}"),
        (r"\rotatebox[origin=c]{90}{$=$}", r"\text{$=$}"),
        (r"\rlap{$x$}y", r"\text{$x$}y"),
        (r"\colorbox{red}{$x$}", r"\text{$x$}"),
        (r"\parbox[t]{4cm}{if $x>0$," + "\n\n" + r"\(y\) else}", r"\text{if $x>0$, $y$ else}"),
        (r"\shortstack[l]{$a$\\$b$}", r"\text{$a$\\$b$}"),
        (r"\text{a \mbox{b $c$}}", r"\text{a {b $c$}}"),
        (r"\vcenter{\hbox{$x$}}", r"\vcenter{\hbox{$x$}}"),
        (r"\begin{tabular}{l|l} odd & $x$ \\[2pt] \hline even & $y$ \end{tabular}",
         r"\begin{matrix}\text{ odd }&\text{ $x$ }\\\text{ even }&\text{ $y$ }\end{matrix}"),
        (r"\begin{minipage}[c]{3cm}when $x$\end{minipage}", r"\text{when $x$}"),
        (r"\own{3}{where $x$}", r"\own{3}{where \text{$x$}}"),
        (r"\mathchoice{a}{b}{c}{d}", "{a}"),
        (r"\includegraphics[width=1em]{star}", r"\text{[figure]}"),
    ],
)  # fmt: skip
def test_a_dollar_in_a_box_is_inside_the_formula(source: str, expected: str, tmp_path: Path) -> None:
    assert read_formulas(f"Let ${source} = 1$ and $z$.", tmp_path) == [f"{expected} = 1", "z"]
    assert read_formulas(rf"Let \[{source} = 1\] and $z$.", tmp_path) == [f"{expected} = 1", "z"]


def test_the_dollar_of_a_tag_does_not_end_a_display(tmp_path: Path) -> None:
    assert read_formulas(r"$$a=b \tag{$*$}$$ $z$ \[a\tag*{$\dagger$}\]", tmp_path) == [
        r"a=b \tag{$*$}", "z", r"a\tag*{$\dagger$}",
    ]


def test_a_dollar_in_mathematical_braces_ends_the_formula(tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert formulas(r"$\frac{a$ and $b$", tmp_path, problems) == [r"\frac{a}", "b"]
    assert [problem.what for problem in problems] == ["a brace that is never closed in a formula"]


@every_case(
    ("diagram", "shown"),
    [
        (r"\begin{tikzcd}[column sep=2em] A \ar[r,''{f_{i}}'''] \arrow{d}[swap]{g} & B \\"
         r" C \ar[ur,''\frac{a}{b}''] \end{tikzcd}",
         ["A", "f_{i}", "g", "B", "C", r"\frac{a}{b}"]),
        (r"\begin{tikzcd} A \arrow[''h_{1}''{description, near end}, from=1-1, to=1-2] \rar{k} & |[alias=Z]| B"
         r"\end{tikzcd}",
         ["A", "h_{1}", "k", "B"]),
        (r"\begin{tikzcd}[ampersand replacement=\&] A \arrow[r, to path={-- node[above]{$f$} (\tikztotarget)}] \& B"
         r"\end{tikzcd}",
         ["A", "f", "B"]),
        (r"\begin{CD} A @>f_{1}>g> B @= C\\ @VV{h}V @AA\text{a b}A @. \\ D @<<< E @>>> F\end{CD}",
         ["A", "f_{1}", "g", "B", "C", "h", "D", "E", "F"]),
        (r"\xymatrix@C=2em{ A \ar[r]^-{f_{1}} \ar@/_1pc/[dr]_(.3)g|{\alpha} & *+[F]{B} \ar@{^{(}->}[d]^\varphi \\"
         r" & C \ar@<1ex>[u]^{\mathrm{op}} \ar[r]^\mathcal{O} & (D)}",
         ["A", "f_{1}", "g", r"\alpha", "B", r"\varphi", "C", r"\mathrm{op}", r"\mathcal{O}", "(D)"]),
        (r"\xymatrix{A \rtwocell<5>^f_g{\theta} & B}", ["A", "f", "g", r"\theta", "B"]),
        (r"\begin{psmatrix}[colsep=1cm] [name=A] $A$ & B \ncline{->}{1,1}{1,2}^{f} \ncarc{A}{B}\naput{$g$}"
         r"\end{psmatrix}",
         ["A", "B", "f", "g"]),
        (r"\begin{diagram} A & \rTo^{f}_{k} & B \\ \dTo<g & & \dTo>{h} \\ C & \rTo(2,1)^l & D \end{diagram}",
         ["A", "f", "k", "B", "g", "h", "C", "l", "D"]),
        (r"\begin{diagram} \node{A} \arrow{e,t}{f} \node{B} \\ \node{C} \arrow[2]{n,l}{g}\end{diagram}",
         ["A", "f", "B", "C", "g"]),
        (r"\diagram A \rto^f \dto_{g} & B \\ C \urto|h \enddiagram", ["A", "f", "g", "B", "C", "h"]),
        (r"\begin{tikzpicture}\matrix (m) [matrix of math nodes]{A & B \\}; \draw (m) edge node {$f$} (n);"
         r"\end{tikzpicture}",
         ["A", "B", "f"]),
        (r"\entrymodifiers={+!!<0pt>}\xymatrix{A \ar[r]^{f}=''a'' \ar@(ul,dl)[]_{h} & B \ar[d]|-*[@]{\subset}"
         r" \POS''1,1'',!C*{\beta},**\dir{-} & *!L!<-.5em,0em>{C}}", ["A", "f", "h", "B", r"\subset", r"\beta", "C"]),
        (r"\begin{tikzcd} A \arrow[''''{name=0, anchor=center}, ''f'', from=1-1, to=1-2] &[2em] B \\[1em] C"
         r"\end{tikzcd}", ["A", "f", "B", "C"]),
        (r"\begin{xy}\xymatrix{A \ar[r]^f & B}\end{xy}", ["A", "f", "B"]),
        (r"\xy (0,0)*+{A}=''a''; (9,0)*{B}=''b''; \endxy", ["A", "B"]),
    ],
)  # fmt: skip
def test_nodes_and_labels_of_diagrams_are_formulas(diagram: str, shown: list[str], tmp_path: Path) -> None:
    diagram = diagram.replace("''", '"')
    assert read_formulas(f"Before {diagram} after $z$.", tmp_path) == [*shown, "z"]
    assert read_formulas(rf"Before \[\vcenter{{{diagram}}}\] after $z$.", tmp_path) == [*shown, "z"]


@every_case(
    ("begin", "end", "content", "shown"),
    [
        (r"\begin{center}\begin{tikzpicture}[scale=2]", r"\end{tikzpicture}\end{center}",
         r"\matrix [matrix of math nodes] {|(M)| M & N \\}; \draw (M) edge node {$f$} (N);", ["M", "N", "f"]),
        (r"\tikzpicture", r"\endtikzpicture", r"\node at (0,0) {$x$};", ["x"]),
        (r"\begin{equation*}\begin{tikzcd}", r"\end{tikzcd}\end{equation*}", r'A \ar[r,"f"] & B', ["A", "f", "B"]),
    ],
)
@every_case("name", ["mine", "diagram"])
def test_environments_of_the_project_that_draw(
    begin: str, end: str, content: str, shown: list[str], name: str, tmp_path: Path
) -> None:
    declared = rf"\newenvironment{{{name}}}{{{begin}}}{{{end}}}"
    assert read_formulas(rf"{declared}\begin{{{name}}}{content}\end{{{name}}} and $z$.", tmp_path) == [*shown, "z"]


def test_a_formula_around_a_diagram_is_kept(tmp_path: Path) -> None:
    assert read_formulas(r"\[ F = \vcenter{\xymatrix{A \ar[r] & B}} + c \]", tmp_path) == [
        r"F = \vcenter{\text{[diagram]}} + c", "A", "B",
    ]


def test_documents_after_a_diagram_have_their_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.tex"
    label = r"\begin{tikzcd} A \ar[r,''{f}_{i}'']  \ar[d,''{\text{x}}''] & B \end{tikzcd}".replace("''", '"')
    path.write_text(f"{label}\n\n\\begin{{lemma}}a\\end{{lemma}}\n{label}\n\\begin{{lemma}}b\\end{{lemma}}\n")
    assert [document.metadata["line"] for document in read(path)] == ["3", "5", "1"]


@every_case(
    ("definition", "formula", "expected"),
    [
        (r"\renewcommand{\xrightarrow}[2][]{\tikz[baseline]{\draw (0,0) -- node {$#2$} (1,0);}}", r"\xrightarrow{f}",
         r"\xrightarrow{f}"),
        (r"\renewcommand{\mapsto}{\begin{tikzpicture}\draw (0,0);\end{tikzpicture}}", r"\mapsto", r"\mapsto"),
        (r"\def\overline#1{\setbox0=\hbox{$#1$}\rule{\wd0}{1pt}#1}", r"\overline{x}", r"\overline{x}"),
        (r"\renewcommand{\emptyset}{\mathord{\raisebox{1pt}{\O}}}", r"\emptyset", r"\emptyset"),
        (r"\DeclareRobustCommand{\hookrightarrow}{\mathrel{\rlap{$\to$}\subset}}", r"\hookrightarrow",
         r"\hookrightarrow"),
        (r"\renewcommand{\vec}[1]{\mathbf{#1}}", r"\vec{x}", r"\mathbf{x}"),
        (r"\makeatletter\newcommand\widebar[1]{\wide@bar{#1}}\def\wide@bar#1{\mathgroup1#1}\makeatother",
         r"\widebar{x}", r"\widebar{x}"),
        (r"\makeatletter\def\vec{\@ifstar\vec@one\vec@two}\def\vec@one#1{\mathsf{#1}}\makeatother", r"\vec*{x}",
         r"\mathsf{x}"),
        (r"\renewcommand{\matrix}[1]{\begin{pmatrix}#1\end{pmatrix}}", r"\matrix{x}",
         r"\begin{pmatrix}x\end{pmatrix}"),
        (r"\let\exists\relax\DeclareMathOperator*\exists{\vcenter{\hbox{\large$E$}}}", r"\exists_x", r"\exists_x"),
        (r"\renewcommand{\Large}{\@setfontsize\Large{17}{20}}", r"\Large x", r"\Large x"),
        (r"\DeclareRobustCommand{\bf}{\@nomath\bf\fontseries{b}}", r"\bf x", r"\bf x"),
        (r"\renewcommand{\P}{\mbox{$\mathcal P$}}", r"\P", r"\mbox{$\mathcal P$}"),
        (r"\newcommand{\dotcup}{\mathbin{\mbox{$\cdot$}}}", r"\dotcup", r"\mathbin{\mbox{$\cdot$}}"),
    ],
)  # fmt: skip
def test_a_symbol_that_a_project_draws_keeps_its_meaning(
    definition: str, formula: str, expected: str, tmp_path: Path
) -> None:
    assert read_formulas(f"{definition} ${formula}$", tmp_path) == [expected]


@every_case(
    ("formula", "expected"),
    [
        (r"a\mathrel{\vcenter{\offinterlineskip\ialign{##\cr$=$\cr\noalign{\kern1pt}$\to$\cr}}} b",
         r"a\mathrel{\vcenter{ \overset{=}{\to}}} b"),
        (r"a\mathbin{\ooalign{$\cup$\cr\hfil$\cdot$\hfil\cr}} b", r"a\mathbin{\overset{\cdot}{\cup}} b"),
        (r"\ooalign{$x$\crcr $y$\crcr or $z$}", r"\substack{x\\y\\\mbox{ or $z$}}"),
        (r"a \mathchar`\= b \mathchar`-c", "a = b -c"),
    ],
)  # fmt: skip
def test_symbols_put_together_by_alignments(formula: str, expected: str, tmp_path: Path) -> None:
    assert read_formulas(f"${formula}$", tmp_path) == [expected]


def test_proof_trees(tmp_path: Path) -> None:
    tree = r"\AxiomC{$A$}\RightLabel{so $I$}\UnaryInfC{$B$}"
    source = rf"\begin{{prooftree}}{tree}\end{{prooftree}} {tree}\DisplayProof{{}} and $z$."
    assert read_formulas(source, tmp_path) == [
        rf"\begin{{prooftree}} {tree} \end{{prooftree}}", rf"{tree}\DisplayProof", "z",
    ]  # fmt: skip
    rules = r"\begin{mathpar}\inferrule*[right=$\to$I]{A \\ B}{C} \and \inferrule{D}{E}\end{mathpar}"
    assert read_formulas(rules, tmp_path) == [
        r"\inferrule*[right=$\to$I]{A \\ B}{C} \qquad \inferrule{D}{E}",
    ]


@every_case(
    "assignment",
    [
        r"\postdisplaypenalty=100 ", r"\abovedisplayskip 3pt plus 1pt minus 2pt ", r"\parindent=0pt ",
        r"\advance\count0 by 1 ", r"\hskip-1.5\parindent plus 1fil ", r"\catcode`\@=11 ", r"\mathsurround=1pt ",
        r"\newdimen\gap\gap=3pt ", r"\newcount\n\advance\n by 1 ", r"\setbox0=\hbox{$y$}", r"\let\old\new ",
        r"\setcounter{equation}{3}", r"\penalty10000 ", r"\thinmuskip=2mu plus 1mu ",
        r"\global\parskip=.5\baselineskip ",
        r"\setlength{\jot}{3pt}", r"\setlength\jot{3pt}", r"\addtolength{\jot}{3pt}", r"\kern-.1em ", r"\everymath={x}",
        r"\font\tenrm=cmr10 scaled\magstep1 ", r"\font\x=cmr10 at 12pt ", r"\magnification=\magstep1 ",
        r"\newfam\bb \textfont\bb=\tenbb ",
        r"\chardef\ten=10 ", r"\count12=3 ", r"\dimen0=2cm ", r"\allowdisplaybreaks[4]", r"\baselineskip\parskip ",
    ],
)  # fmt: skip
def test_assignments_are_no_content(assignment: str, tmp_path: Path) -> None:
    assert text_of(f"one {assignment}two", tmp_path).split() == ["one", "two"]
    assert read_formulas(f"$x{assignment}y$", tmp_path) in (["x y"], ["xy"])


@every_case(("use", "expected"), [("", "x=y"), ("[by $A$]", r"\text{by $A$}x=y"), ("[A]", r"\text{A}x=y")])
def test_a_formula_that_an_environment_opens_and_closes(use: str, expected: str, tmp_path: Path) -> None:
    (tmp_path / "lines.sty").write_text(
        r"\newenvironment{lines}[1][]{\setkeys{lines}{#1}\ln@init\ignorespaces}{\ln@end}", encoding="utf-8"
    )
    source = rf"""\documentclass{{article}}\usepackage{{lines}}
        \newenvironment{{steps}}{{\small$\begin{{lines}}{use}}}{{\end{{lines}}$\ignorespacesafterend}}
        \begin{{document}}\begin{{steps}}x=y\end{{steps}} After.\end{{document}}"""
    problems: list[Problem] = []
    assert (formulas(source, tmp_path, problems), problems) == ([expected], [])


def test_proofs_that_end_in_a_formula(tmp_path: Path) -> None:
    problems: list[Problem] = []
    assert formulas(r"\[x \pushQED{\qed} \qedhere \popQED\]", tmp_path, problems) == ["x"]
    assert problems == []


@every_case(
    ("drawing", "shown"),
    [
        (r"\begin{tikzpicture}[scale=2]\node (a) {$\R$}; \node at (0,{1+1}) {two w\"ords of $x$};\end{tikzpicture}",
         '$R$, two wörds of $x$'),
        (r"\tikz \draw (0,0) -- node[above] {over} (1,1);", "over"),
        (r"\begin{picture}(9,9)\put(1,2){hello}\put(3,4){$q$}\end{picture}", "hello, $q$"),
    ],
)  # fmt: skip
def test_texts_of_drawings_are_words(drawing: str, shown: str, tmp_path: Path) -> None:
    (tmp_path / "a.tex").write_text(rf"\newcommand\R{{R}}{drawing} $a + {drawing}$", encoding="utf-8")
    problems: list[Problem] = []
    (document,) = read(tmp_path, problems)
    text = " ".join(document.fields["body"].to_latex().split())
    assert text == rf"[diagram: {shown}] $a + \text{{[diagram]}}$ [diagram: {shown}]"
    assert problems == []

def test_the_name_of_a_font_prints_nothing(tmp_path: Path) -> None:
    fonts = r"\font\jap=dmjhira at 2ex\font\cyr wncyr10 scaled\magstep1 \newcommand{\yo}{\mathrm{\jap Y}}"
    assert read_formulas(rf"{fonts} The functor $\yo_C$ and $\hbox{{\cyr Sh}}$.", tmp_path) == [
        r"\mathrm{ Y}_C", r"\hbox{ Sh}",
    ]  # fmt: skip
