"""What holds for every string: a tree with spans inside the source, and the same tree again after writing it."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.formula import (
    LayoutTree,
    layout_key,
    layout_string,
    parse,
    parse_latex,
    parse_mathml,
    preorder,
    to_latex,
    to_mathml,
    to_unicode,
)

PIECES = [
    "x", "y", "12", ".5", "1", r"\alpha", r"\sum", r"\lim", "+", "-", "=", "(", ")", "[", "]", r"\{", r"\}", "|",
    r"\|", "{", "}", "^", "_",
    "'", "''", "^2", "_{n}", "^{2}", r"\frac", r"\sqrt", r"\sqrt[", r"\binom", r"\left(", r"\right)", r"\left.",
    r"\right|", r"\middle|",
    r"\begin{pmatrix}", r"\end{pmatrix}", r"\begin{cases}", r"\end{cases}", r"\begin{array}{rl}", r"\begin{matrix}",
    r"\end{matrix}", r"\begin{CD}", r"\end{CD}", "@>f>>", "@VVV", "@=", "@", ">",
    r"\end{array}", r"\begin{aligned}", r"\end{aligned}", "&", r"\\", r"\text{a b}", r"\text{if $x$ then}",
    r"\text{\underline{a", r"\text{\'", r"\emph",
    r"\mathbf", r"\mathrm",
    r"\mathbb", r"\mathcal", r"\rm ", r"\hat", r"\bar", r"\vec", r"\underbrace", r"\overbrace", r"\overset",
    r"\underset", r"\stackrel",
    r"\over", r"\choose", r"\atop", r"\root", r"\of", r"\not", r"\in", r"\prime", "?x", "?", r"\qvar{a}", r"\foo",
    "$", "#", "%", "~",
    r"\,", r"\operatorname{ab}", r"\operatorname", r"\cases{", r"\substack{", r"\xrightarrow", r"\pmod", r"\R",
    r"\def\a{x}", r"\a",
    r"\color{red}", r"\label{a}", "{}", " ", ".", ",", ":=", "<", "<=", "...", r"\limits", r"\mathop", r"\big", "é",
    "²", "½", "𝐱", "ℝ",
    "\u0304", r"\boldsymbol", r"\kern 2pt", "!", r"\tag", r"\int", r"\cos", r"\overline", r"\phantom", "&lt;", "\\",
    "\ud800", "\x00", "′",
    r"\ ", "0", "1{,}000", r"\cr", r"\hline", r"\eqalign{", r"\matrix{", r"\ldots", r"\newcommand",
    r"\prescript", r"\sideset", r"\above 1pt", r"\atopwithdelims()", r"\cfrac[l]", r"\overbracket[1pt]", r"\sb",
    r"\div",
    r"\abs*", r"\dv{f}{x}", r"\pdv[2]", r"\qty(", r"\mqty{", r"\bra{a}", r"\ket{b}", r"\ce{2H2 + O2", r"\ce{",
    r"\SI{1e3}{",
    r"\unit{\kilo\gram}", r"\begin{numcases}{x}", r"\end{numcases}", r"\begin{cases*}", r"\end{cases*}",
    r"\tensor{T}{^a_b}",
    r"\AxiomC{x}", r"\BinaryInfC{y}", r"\DisplayProof", r"\genfrac(){0pt}{}", r"\smash[b]", r"\sin[2](",
    r"\intertext{so}",
    r"\newcommand{\b}[2][c]{#1#2}", r"\b", r"\def\c(#1){[#1]}", r"\c(",
    r"\NewDocumentCommand{\d}{s m}{\IfBooleanTF{#1}{u}{v}#2}",
    r"\d*",
]
latex = st.lists(st.sampled_from(PIECES), max_size=16).map("".join)
strings = st.text(max_size=40) | st.text(alphabet=st.characters(), max_size=40) | latex
MARKUP = [
    "<math>", "</math>", "<mrow>", "</mrow>", "<mi>x</mi>", "<mo>+</mo>", "<mo>(</mo>", "<mo>)</mo>", "<mo>′</mo>",
    "<mn>2</mn>", "<mi>",
    "</mi>", "<msup>", "</msup>", "<msubsup>", "</msubsup>", "<mfrac linethickness='0'>", "<mfrac>", "</mfrac>",
    "<mtable>", "</mtable>",
    "<mtr>", "</mtr>", "<mtd columnalign='right'>", "<mtd>", "</mtd>", "<munder>", "</munder>", "<mover>", "</mover>",
    "<mmultiscripts>",
    "<mprescripts/>", "<none/>", "</mmultiscripts>", "<msqrt>", "</msqrt>", "<mroot>", "</mroot>",
    "<mtext>if</mtext>", "<mfenced>",
    "</mfenced>", "<apply>", "</apply>", "<plus/>", "<power/>", "<ci>x</ci>", "<cn>1</cn>", "<sum/>", "<bvar>",
    "</bvar>", "&lt;", "&", "<",
    ">", "text", "<!--", "-->", "<mo>∑</mo>", "<mo>⏟</mo>", "<mo>¯</mo>", "<merror>", "</merror>",
    "<mi mathvariant='bold'>", "<mspace/>",
]
mathml = st.lists(st.sampled_from(MARKUP), max_size=20).map("".join)


def check_spans(tree: LayoutTree) -> None:
    length = len(tree.source)
    for node in preorder(tree):
        assert 0 <= node.start <= node.end <= length
    for problem in tree.problems:
        assert 0 <= problem.position <= length


@settings(max_examples=examples(400), deadline=None)
@given(strings)
def test_any_string_gives_a_tree_with_spans_inside_it(source: str) -> None:
    tree = parse_latex(source)
    assert tree.source == source
    check_spans(tree)


@settings(max_examples=examples(400), deadline=None)
@given(strings)
@example(r"\foo{a+b}")
@example(r"\foo f{ab}{cd}+\foo{a}{bc}^2")
@example(r"x^{\foo{ab}}_{\sqrt{\foo{ab}{\foo{cd}}}}")
@example(r"\begin{matrix}\foo{ab}&+{ab}\\{ab}\end{matrix}")
def test_a_tree_written_as_mathml_is_read_back(source: str) -> None:
    tree = parse_latex(source)
    again = parse_mathml(to_mathml(tree))
    check_spans(again)
    assert layout_key(again) == layout_key(tree)


@settings(max_examples=examples(400), deadline=None)
@given(strings)
def test_a_tree_written_as_latex_is_read_back(source: str) -> None:
    tree = parse_latex(source)
    assert layout_key(parse_latex(to_latex(tree))) == layout_key(tree)


@settings(max_examples=examples(300), deadline=None)
@given(mathml | st.text(max_size=40))
def test_any_markup_gives_a_tree_that_is_stable_as_mathml(source: str) -> None:
    tree = parse_mathml(source)
    check_spans(tree)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


@settings(max_examples=examples(200), deadline=None)
@given(strings | mathml)
def test_every_writer_takes_every_tree(source: str) -> None:
    tree = parse(source)
    assert "\n" not in to_unicode(tree)
    assert layout_string(tree).count("[") == layout_string(tree).count("]") or "[" in source or "]" in source
    assert len(preorder(tree)) == to_mathml(tree).count(' id="m-')


@settings(max_examples=100, deadline=None)
@given(latex, latex)
def test_equal_keys_have_equal_normal_latex(one: str, other: str) -> None:
    first, second = parse_latex(one), parse_latex(other)
    assert (layout_key(first) == layout_key(second)) == (to_latex(first) == to_latex(second))
