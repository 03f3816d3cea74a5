"""Text inside a formula: what TeX has in text mode, and which texts side by side are one."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, operator_string, operator_tree, parse_latex, parse_mathml, unaccounted_tokens
from porism.formula.tables.text_accents import TEXT_ACCENTS, TEXT_SIGNS


def tree_of(source: str) -> str:
    tree = parse_latex(source)
    assert unaccounted_tokens(tree) == []
    assert tree.problems == ()
    return operator_string(operator_tree(tree))


@every_case(
    ("written", "plain"),
    [
        (r"caf\'e", "café"), (r"na\"{\i}ve", "naïve"), (r"H\~{}K\^{}", "H~K^"), (r"\u a\v{c}", "ăč"), (r"\’a\‘e", "áè"),
        (r"5\% of \S 2\dag", "5% of §2†"), (r"\textdollar 5 \ss\AA\o", "$5 ßÅø"), (r"the \LaTeX\ way", "the LaTeX way"),
        (r"\textasciitilde x\textbraceleft", "~x{"), (r"\unicode{x2260} or \char`b or \char'141", "≠ or b or a"),
        (r"a ``b'' don’t ‘c’", "a “b” don't `c'"), ("ab%rest\n  cd", "abcd"),
        (r"{\small so}me \tiny words", "some words"),
        (r"\color{red}red \colorbox{blue}{blue}", "red blue"),
        (r"line\rule{1em}{2pt} \ref{a}here~now", "line here now"),
        (r"for \emph{all {\bf these} words}", "for all these words"), (r"\mbox{an \fbox{inner} box}", "an inner box"),
        (r"thin\,space", "thin space"), (r"\textbf{bold}ly", "boldly"),
    ],
)
def test_commands_of_text_mode(written: str, plain: str) -> None:
    assert tree_of(rf"\text{{{written}}}") == f"[T!{plain}]"


@every_case(
    ("source", "same"),
    [
        (r"\text{a{\bf x}c}", r"\text{a}\mathbf{x}\text{c}"), (r"\text{rank \textit{A}}", r"\text{rank }A"),
        (r"\text{a \underline{b c $x^2$} d}", r"\text{a }\underline{\text{b c }x^2}\text{ d}"),
        (r"\text{\overline{AB}}", r"\overline{\text{AB}}"), (r"\text{5\,km}", r"\text{5}\,\text{km}"),
        (r"\text{so\hskip 1em and\quad if}", r"\text{so}\quad\text{and}\quad\text{if}"),
        (r"\text{if \(x\) is $y$}", r"\text{if }x\text{ is }y"), (r"\text{\Bbb R}", r"\mathbb{R}"),
        (r"\textbf{$x$ or {\rm y}}", r"x\text{ or }y"), (r"\text{a$b$}^2", "{ab}^2"),
        (r"\textonehalf", r"\frac12"), (r"x\texttwosuperior", "x^2"), (r"\char`A+\char'101", "A+A"),
    ],
)
def test_text_is_what_it_says_in_parts(source: str, same: str) -> None:
    assert tree_of(source) == tree_of(same)


@every_case(
    ("source", "tree"),
    [
        (r"\text{a }\text{b}", "[T!a b]"), (r"\text{so}\ \text{on}", "[T!so on]"),
        (r"\text{for }\textit{all}", "[T!for all]"),
        (r"\text{a \textbf{bold} and \textit{it}}", "[T!a bold and it]"), (r"\text{A}\ \text{set}", "[T!A set]"),
        (r"\text{a}\text{ set}", "[T!a set]"), (r"\textit{a}\ \text{set}", "[U!times,0[V!a],1[T!set]]"),
        (r"\text{so}\quad\text{on}", "[O!list,0[T!so],1[T!on]]"), (r"\text{a}\,\text{b}", "[U!times,0[V!a],1[V!b]]"),
        (r"\text{a}\textbf{b}", "[U!times,0[V!a],1[V!b]]"),
        (r"\text{a}\text{b}^2", "[U!times,0[V!a],1[O!SUP,0[V!b],1[N!2]]]"),
        (r"\text{x}\text{+}\text{y}", "[U!plus,0[V!x],1[V!y]]"),
        (r"\text{so}^2\text{on}", "[O!list,0[O!SUP,0[T!so],1[N!2]],1[T!on]]"),
    ],
)
def test_texts_side_by_side(source: str, tree: str) -> None:
    assert tree_of(source) == tree


@every_case(
    ("mathml", "latex"),
    [
        ("<mtext>a b</mtext><mtext>&#xA0;c</mtext>", r"\text{a b c}"),
        ("<mtext>so</mtext><mspace width='.2em'/><mtext>on</mtext>", r"\text{so on}"),
        ("<mtext>for </mtext><mtext mathvariant='italic'>all</mtext>", r"\text{for all}"),
        ("<mtext>a</mtext><mtext mathvariant='bold'>b</mtext>", r"\text{a}\textbf{b}"),
        ("<mtext>a </mtext><mstyle mathcolor='red'><mtext>red</mtext></mstyle><mtext> b</mtext>", r"\text{a red b}"),
        ("<msup><mtext>a</mtext><mtext>b</mtext></msup>", r"\text{a}^{\text{b}}"),
        ("<mtext>½</mtext><mtext>℃</mtext>", r"\frac12℃"),
        ("<mtext>so</mtext><mspace width='1em'/><mtext>on</mtext>", r"\text{so}\quad\text{on}"),
    ],
)
def test_texts_side_by_side_in_mathml(mathml: str, latex: str) -> None:
    assert layout_key(parse_mathml(f"<math><mrow>{mathml}</mrow></math>")) == layout_key(parse_latex(latex))


def test_many_texts_side_by_side_keep_all_their_words() -> None:
    tree = parse_latex(r"\text{word }" * 2_000)
    assert sum(node.label.count("word") for node in tree.row) == 2_000
    assert unaccounted_tokens(tree) == []


def test_what_cannot_be_read_in_a_text_is_reported_and_kept() -> None:
    tree = parse_latex(r"\text{a \foo bar \char9 \unicode{xq}}")
    assert [problem.what for problem in tree.problems] == [
        r"unknown command \foo", "not the number of a character", "not the number of a character",
    ]
    assert [node.label for node in tree.row] == ["a foo bar"]


@every_case("source", [
    r"\text{a\underline{b", r"\text{\underline{$x}}",
        r"\text{\textbf", r"\frac\text{\hat{a}}2", r"\text{\'",
])
def test_texts_that_are_cut_off_give_a_tree(source: str) -> None:
    assert unaccounted_tokens(parse_latex(source)) == []


def test_signs_of_text_mode_are_read_in_formulas_too() -> None:
    for name, said in TEXT_SIGNS.items():
        assert layout_key(parse_latex(rf"x\{name}")) == layout_key(parse_latex(rf"x\text{{\{name}}}")), said
    assert all(len(accent) == 1 for accent in TEXT_ACCENTS.values())


@every_case(
    ("source", "tree"),
    [
        (r"\verb|x_1 + $y|", "[T!x_1 + $y]"), (r"a=\verb*+f(x)+", "[U!eq,0[V!a],1[T!f(x)]]"),
        (r"\text{see \verb!{a}%~^&#!}", "[T!see {a}%~^&#]"), (r"\verb|x|^2", "[O!SUP,0[V!x],1[N!2]]"),
        (r"\verb +a_1+=b", "[U!eq,0[T!a_1],1[V!b]]"), (r"\verb ++", "[E!]"),
    ],
)
def test_verbatim_text_is_as_it_is_typed(source: str, tree: str) -> None:
    assert tree_of(source) == tree


def test_verbatim_text_without_an_end_is_reported() -> None:
    assert [problem.what for problem in parse_latex(r"\verb|x").problems] == [r"unknown command \verb"]


@every_case(
    ("source", "same"),
    [
        (r"\bbalpha\bfbbOmega\txtbbmu", r"\alpha\Omega\mu"), (r"\bbLparen x\bbRparen", "(x)"), (r"\imathbb", r"\imath"),
        (r"\text{\textbb{R}}", r"\mathbb{R}"),
    ],
)
def test_letters_of_bboldx(source: str, same: str) -> None:
    assert tree_of(source) == tree_of(same)


@every_case(("source", "reasons"), [
    (r"\emph\b1", [r"\b is not text"]), (r"\emph\frac12", [r"\frac is not text"]),
    (r"\emph{\b}1", ["an accent without a letter"]), (r"\text{\overbracket[1pt]{x}}", [r"\overbracket is not text"]),
    (r"\text{\'\R x}", []), (r"\text{\'}", []),
])
def test_what_is_not_text_is_reported(source: str, reasons: list[str]) -> None:
    tree = parse_latex(source)
    assert [problem.what for problem in tree.problems] == reasons
    assert unaccounted_tokens(tree) == []
