"""MathML to layout trees."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse, parse_latex, parse_mathml, to_mathml
from porism.types import Formula

AS_LATEX = [
    ("<math><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mn>1</mn></math>", "x^2+1"),
    ("<math><mn>2</mn><mo>&#x2062;</mo><mi>x</mi><mo>&InvisibleTimes;</mo><mi>f</mi><mo>&ApplyFunction;</mo><mi>y</mi></math>",
     "2xfy"),
    ("<m:math xmlns:m='http://www.w3.org/1998/Math/MathML'><m:mfrac><m:mi>a</m:mi><m:mi>b</m:mi></m:mfrac></m:math>",
     r"\frac ab"),
    ("<math><semantics><mi>x</mi><annotation encoding='application/x-tex'>y</annotation></semantics></math>", "x"),
    ("<msub><mi>x</mi><mrow><mi>i</mi><mo>,</mo><mi>j</mi></mrow></msub>", "x_{i,j}"),
    ("<mn>3,14</mn><mo>+</mo><mn>1,000</mn>", "3{,}14+1{,}000"),
    ("<msubsup><mo>∑</mo><mi>i</mi><mi>n</mi></msubsup>", r"\sum_i^n"),
    ("<munderover><mo>∑</mo><mi>i</mi><mi>n</mi></munderover>", r"\sum_i^n"),
    ("<munder><mi>lim</mi><mi>x</mi></munder>", r"\lim_x"),
    ("<mover accent='true'><mi>x</mi><mo>¯</mo></mover><mover><mi>y</mi><mo>^</mo></mover>", r"\bar x\hat y"),
    ("<munder><mi>x</mi><mo>_</mo></munder>", r"\underline x"),
    ("<munder><munder><mi>x</mi><mo>⏟</mo></munder><mi>n</mi></munder>", r"\underbrace{x}_n"),
    ("<msqrt><mi>x</mi><mo>+</mo><mn>1</mn></msqrt><mroot><mi>x</mi><mn>3</mn></mroot>", r"\sqrt{x+1}\sqrt[3]x"),
    ("<msup><mrow><mo>(</mo><mi>a</mi><mo>)</mo></mrow><mn>2</mn></msup>", "(a)^2"),
    ("<msup><mrow><mi>n</mi><mo>!</mo></mrow><mn>2</mn></msup>", "n!^2"),
    ("<msup><msub><mi>x</mi><mi>i</mi></msub><mn>2</mn></msup>", "x_i^2"),
    ("<msup><mi>f</mi><mo>′′</mo></msup><mi>g</mi><mo>′</mo>", "f''g'"),
    ("<mrow><mo>(</mo><mfrac linethickness='0.0pt'><mi>n</mi><mi>k</mi></mfrac><mo>)</mo></mrow>", r"\binom nk"),
    ("<mo>(</mo><mstyle displaystyle='true'><mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac></mstyle><mo>)</mo>",
     r"\binom nk"),
    ("<mfrac linethickness='0'><mi>n</mi><mi>k</mi></mfrac>", r"{n\atop k}"),
    ("<mfenced><mi>a</mi><mi>b</mi></mfenced><mfenced open='[' close='[' separators=';'><mi>a</mi><mi>b</mi></mfenced>",
     "(a,b)[a;b["),
    ("<mmultiscripts><mi>F</mi><mn>1</mn><none/><mprescripts/><mn>2</mn><none/></mmultiscripts>", "{}_2F_1"),
    ("<mrow><mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd/></mtr></mtable><mo>)</mo></mrow>",
     r"\begin{pmatrix}1&2\\3&\end{pmatrix}"),
    ("<mo>{</mo><mtable><mtr><mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd></mtr><mtr><mtd><mi>c</mi></mtd><mtd><mi>d</mi></mtd></mtr></mtable>",
     r"\begin{cases}a&b\\c&d\end{cases}"),
    ("<mtable><mtr><mtd columnalign='right'><mi>a</mi></mtd><mtd columnalign='left'><mo>=</mo><mi>b</mi></mtd></mtr>"
     "<mtr><mtd columnalign='right'><mi>c</mi></mtd><mtd columnalign='left'><mo>=</mo><mi>d</mi></mtd></mtr></mtable>",
     r"\begin{aligned}a&=b\\c&=d\end{aligned}"),
    ("<mtext>&#xA0;for all </mtext><mspace width='1em'/><mi>x</mi><mphantom><mi>y</mi></mphantom>", r"\text{for all}x"),
    ("<mi mathvariant='bold'>x</mi><mi>𝐱</mi><mi mathvariant='double-struck'>R</mi><mi>ℝ</mi>"
     "<mi mathvariant='normal'>d</mi>",
     r"\mathbf x\mathbf x\mathbb R\mathbb R\mathrm d"),
    ("<mi>sin</mi><mo>lim sup</mo><mi>𝐆𝐋</mi><mi>lcm</mi>", r"\sin\limsup\mathbf{GL}\mathrm{lcm}"),
    ("<mo>𝑑</mo><mi>x</mi><mo>:=</mo><mo>||</mo><mo>&lt;=</mo><mo>⟹̸</mo>", r"dx:=||<=\not\implies"),
    ("<mn>1.5</mn><mn>.5</mn><mn>𝟏</mn>", r"1.5\;.5\mathbf{1}"),
    ("<merror><mtext>\\gt</mtext></merror><merror><mtext>\\R</mtext></merror><merror><mtext>\\foo</mtext></merror>",
     r">\R\foo"),
    ("<menclose notation='radical'><mi>x</mi></menclose><menclose notation='box'><mi>y</mi></menclose>", r"\sqrt xy"),
    ("<maction><mi>a</mi><mi>b</mi></maction><mi>?x</mi><mws:qvar name='y'/>", r"a\qvar x\qvar y"),
    ("<mi>x</mi><mo>.</mo>", "x"),
    ("<MATH><MI>x</MI><!-- <mi>y</mi> --><mi><![CDATA[z]]></mi></MATH>", "xz"),
]


@every_case(("mathml", "latex"), AS_LATEX)
def test_mathml_gives_the_tree_of_the_latex(mathml: str, latex: str) -> None:
    assert layout_key(parse_mathml(mathml)) == layout_key(parse_latex(latex))


BROKEN = [
    ("<math><mrow><mi>x</mi></math>", "V!x", "<mrow> is not closed inside <math>"),
    ("<math><mi>x</mi></mrow></math>", "V!x", "</mrow> without <mrow>"),
    ("<math><mfrac><mi>x</mi></mfrac></math>", "F!/ [o V!x ] [u ]", ""),
    ("<msup><mi>x</mi><mi>y</mi><mi>z</mi></msup>", "V!x [a V!y V!z ]", ""),
    ("<math><mi>x</mi>loose</math>", "V!x T!loose", "text outside of a token element"),
    ("<math><mi>x", "V!x", "<mi> is never closed"),
    ("nothing", "", "text outside of MathML"),
    ("", "", ""),
]


@every_case(("source", "key", "problem"), BROKEN)
def test_broken_markup_still_gives_a_tree(source: str, key: str, problem: str) -> None:
    tree = parse_mathml(source)
    assert layout_key(tree) == key
    assert not problem or problem in [found.what for found in tree.problems]


@every_case(
    "source",
    [
        '<math alttext="\\frac{a}{b}&lt;1"><semantics></semantics></math>',
        '<math alttext="\\frac{a}{b}&lt;1"/>',
        '<math><semantics><mrow/><annotation encoding="application/x-tex">\\frac{a}{b}&lt;1</annotation>'
        "</semantics></math>",
    ],
)
def test_latex_beside_an_empty_body_is_read(source: str) -> None:
    tree = parse_mathml(source)
    assert layout_key(tree) == layout_key(parse_latex(r"\frac{a}{b}<1"))
    assert {(node.start, node.end) for node in tree.row} == {(0, len(source))}
    assert tree.problems[-1].what == "no readable MathML: its LaTeX was read instead"


def test_spans_cover_the_elements() -> None:
    source = "<math><mfrac><mi>a</mi><mn>2</mn></mfrac></math>"
    fraction = parse_mathml(source).row[0]
    assert source[fraction.start:fraction.end] == "<mfrac><mi>a</mi><mn>2</mn></mfrac>"
    assert fraction.over is not None
    assert source[fraction.over[0].start:fraction.over[0].end] == "<mi>a</mi>"


def test_parse_finds_the_notation() -> None:
    key = layout_key(parse_latex("x+1"))
    mathml = "<math><mi>x</mi><mo>+</mo><mn>1</mn></math>"
    assert layout_key(parse(mathml)) == key
    assert layout_key(parse("x+1")) == key
    assert layout_key(parse(Formula(mathml, "mathml"))) == key
    assert layout_key(parse(Formula("x+1"))) == key
    assert layout_key(parse("<x,y>")) == "O!< V!x O!, V!y O!>"
    assert layout_key(parse(r"\f x", macros={"f": (1, "#1^2")})) == "V!x [a N!2 ]"


def test_a_prime_after_an_empty_script() -> None:
    """It ended the reading with an error."""
    found = parse_mathml("<math><msup><mi>x</mi><mrow/></msup><mo>′</mo><mo>+</mo></math>")
    assert layout_key(found) == layout_key(parse_mathml("<math><msup><mi>x</mi><mo>′</mo></msup><mo>+</mo></math>"))


@every_case("source", [
    "--><mtext>if</mtext>-->", "text<msup>text</msup>",
    "<mtext>a b</mtext><mfrac linethickness='0'></mfrac><mtext>c d</mtext>",
])
def test_text_beside_nothing_is_one_text(source: str) -> None:
    """What broken markup leaves between texts is not seen, so our MathML of it reads as it did."""
    tree = parse_mathml(source)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)
