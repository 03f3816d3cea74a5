"""Drawings of TikZ inside a formula: what their nodes say is content, how they are drawn is not."""

from __future__ import annotations

from case_tables import every_case
from long_forms import LONG_ONLY

from porism.formula import layout_key, parse_latex, unaccounted_tokens
from porism.formula.latex.drawings import drawn_contents
from porism.formula.tree import ParseProblem


@every_case(
    ("source", "same"),
    [
        (r"a+\begin{tikzpicture}[scale=2]\node (a) {$x$}; \node at (0,{1+1}) {two words};\end{tikzpicture}",
         r"a+x\quad\text{two words}"),
        (r"\tikz{\node {$x+1$};}y", "x+1y"), (r"\tikz[baseline=(a.base)]\node[draw] (a) {$x$};+y", "x+y"),
        (r"\tikz\draw (0,0) -- node[above] {$f$} ($(a)+(b)$);", "f"), (r"\tikz\node[label={$g$}] {};", "g"),
        (r"\tikz\node at ($(a)!(b)!(c)$) {so $y$};", r"\text{so }y"),
        (r"\tikz[every node/.style={draw}]\node[nodes={red}, label={[blue]above:so $y$}] {};", r"\text{so }y"),
        (r"\tikz\matrix (m) [row sep=1em, matrix of math nodes] {a & |[red]| b \\};", r"a\quad b"),
        (r"\tikz\draw (0,0) edge[\"f\", pin=90:x] (1,1);".replace('\\"', '"'), r"\text{f}\quad\text{x}"),
        (r"\tikzmarknode[x]{a}{x+y}\tikzmark{b}", "x+y"),
    ],
)
def test_texts_of_nodes_are_read(source: str, same: str) -> None:
    tree = parse_latex(source)
    assert layout_key(tree) == layout_key(parse_latex(same))
    assert tree.problems == ()
    assert unaccounted_tokens(tree) == []


@every_case(
    ("source", "same", "place"),
    [
        (r"x\tikz{\draw (0,0) circle (1);}y", "xy", 1),
        (r"\begin{tikzpicture}\draw (0,0);\end{tikzpicture}=5", "=5", 0),
        (r"\tikz\node {a};\tikz\fill (0,0);+\tikz\fill (1,1);", r"\text{a}+", 15),
        (r"\newcommand\x{y}\tikz\fill (0,0);\x", "y", 16),
    ],
)  # fmt: skip
def test_the_first_drawing_without_text_is_reported(source: str, same: str, place: int) -> None:
    tree = parse_latex(source)
    assert layout_key(tree) == layout_key(parse_latex(same))
    assert tree.problems == (ParseProblem(place, "a drawing without text is left out"),)


@every_case("source", [r"\tikz{\node {$x$};", r"a\begin{tikzpicture}\node {x", r"\tikz \node {x} + y"])
def test_a_drawing_without_an_end_stays_and_is_reported(source: str) -> None:
    tree = parse_latex(source)
    assert r"unknown command \node" in [problem.what for problem in tree.problems]
    assert unaccounted_tokens(tree) == []


def test_positions_in_a_drawing_are_those_of_the_source() -> None:
    source = r"\tikz\node (a) {$x$};"
    node, = parse_latex(source).row
    assert source[node.start:node.end] == "x"


@LONG_ONLY
def test_many_drawings_take_linear_time() -> None:
    assert len(parse_latex(r"\tikz{\node {$x$};}" * 1_000).row) == 1_000
    assert unaccounted_tokens(parse_latex(r"\tikz{" * 2_000)) == []


@every_case(
    ("source", "contents"),
    [
        (r"\put(1,2){\makebox(0,0)[l]{far $x$}}\put(0,0){\line(1,0){50}}"
         r"\multiput(0,0)(1,0){5}{\circle*{2}}\put(0,0){o}",
         [r"\text{far $x$}", r"\text{o}"]),
        (r"\rput{90}(0,0){up}\uput[45](1,1){right}\rnode{A}{node}", [r"\text{up}", r"\text{right}", r"\text{node}"]),
        (r"(0,0)*+<1em>{A}; (1,1)*\txt{end}; **@/^1em/{-} \ar@{->}^-{f}_g", ["A", r"\text{end}", "f", "g"]),
        (r"\matrix[matrix of nodes] {one & two $x$ \\[1em] three \\};",
         [r"\text{one}", r"\text{two $x$}", r"\text{three}"]),
        (r"\begin{axis}[title={Growth of $f$}, xlabel=time, width=3cm]\addplot {x};\addlegendentry{fast}\end{axis}",
         [r"\text{Growth of $f$}", r"\text{time}", r"\text{fast}"]),
        (r'label("Area", (0,0)); label("\gamma_1");', [r"\text{Area}", r"\gamma_1"]),
        (r"\begin{tikzpicture}[node distance=2cm]\tikzstyle{every state}=[red]\node at (0,0) {x};", [r"\text{x}"]),
        ('dot("$z_{" + (string) i + "}$", A[i]); draw(A[0], red); dot("$"+f(x)+"$", B[i]);',
         ['z_{" + (string) i + "}', '"+f(x)+"']),
        ("\\node {a}; % \\node {no};\n\\node {b};", [r"\text{a}", r"\text{b}"]),
    ],
)  # fmt: skip
def test_contents_of_drawings_for_readers_of_documents(source: str, contents: list[str]) -> None:
    assert list(drawn_contents(source)) == contents
