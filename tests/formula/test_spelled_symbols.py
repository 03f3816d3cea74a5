"""What several characters spell is one symbol: numbers, typed relations, dots, limits with a line or an arrow."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, operator_string, operator_tree, parse_latex, parse_mathml, to_latex, to_mathml


@every_case(
    ("spellings", "expected"),
    [
        (["57.2", "57 . 2", "57{.}2", "<mn>57</mn><mo>.</mo><mn>2</mn>"], "N!57.2"),
        (["1000", "1,000", "1 , 000", "1{,}000", "<mn>1</mn><mo>,</mo><mn>000</mn>", "<mn>1,000</mn>"], "N!1000"),
        (["12,345,000.5", "<mn>12,345,000.5</mn>", "<mn>12</mn><mo>,</mo><mn>345</mn><mo>,</mo><mn>000.5</mn>"],
         "N!12345000.5"),
        (["57 . 2^3", "<mn>57</mn><mo>.</mo><msup><mn>2</mn><mn>3</mn></msup>"], "N!57.2 [a N!3 ]"),
        (["1,100", "<mn>1</mn><mo>,</mo><mn>100</mn>"], "N!1 O!, N!100"),
        (["0,000", "<mn>0</mn><mo>,</mo><mn>000</mn>"], "N!0 O!, N!000"),
        (["x^2.5", "<msup><mi>x</mi><mn>2</mn></msup><mn>.5</mn>"], "V!x [a N!2 ] N!0.5"),
        (["3^2 . 5", "<msup><mn>3</mn><mn>2</mn></msup><mo>.</mo><mn>5</mn>"], "N!3 [a N!2 ] O!. N!5"),
        (["a:=b", "a: =b", r"a\colon=b", "<mi>a</mi><mo>:</mo><mo>=</mo><mi>b</mi>"], "V!a O!≔ V!b"),
        (["a>=b", "a> =b", r"a\gt=b", "a&gt;=b", "<mi>a</mi><mo>&gt;</mo><mo>=</mo><mi>b</mi>"], "V!a O!≥ V!b"),
        (["a->b", "a- >b", "<mi>a</mi><mo>-</mo><mo>&gt;</mo><mi>b</mi>"], "V!a O!→ V!b"),
        (["a...b", "a. . .b", r"a\cdot\cdot\cdot b", r"a\cdot\cdot\cdot\cdot b", r"a\cdots b",
          "<mi>a</mi><mo>.</mo><mo>.</mo><mo>.</mo><mi>b</mi>"], "V!a O!… V!b"),
        ([r"a\cdot\cdot b"], "V!a O!⋅ O!⋅ V!b"),
        ([r"\varlimsup_n", r"\overline{\lim}_n", r"\limsup_n"], "V!limsup [b V!n ]"),
        ([r"\varinjlim", r"\underrightarrow{\lim}", r"\underset{\longrightarrow}{\lim}",
          "<munder><mi>lim</mi><mo>→</mo></munder>"], "V!injlim"),
        ([r"X\underset{S}{\times}Y", r"X\times_S Y"], "V!X O!× [b V!S ] V!Y"),
        ([r"\underset{n}{\operatorname{plim}}", r"\operatorname{plim}_n"], "V!plim [b V!n ]"),
        (["n!!", "<mi>n</mi><mo>!!</mo>"], "V!n O!! O!!"),
        (["f^{{}^\\prime}", "f'", "<msup><mi>f</mi><msup><mrow/><mo>′</mo></msup></msup>"], "V!f [a O!′ ]"),
        (["x²", "<mi>x²</mi>", "<mi>x</mi><mo>²</mo>"], "V!x [a N!2 ]"),
    ],
)
def test_spellings_of_one_symbol(spellings: list[str], expected: str) -> None:
    for spelling in spellings:
        tree = parse_mathml(spelling) if spelling[0] == "<" else parse_latex(spelling)
        assert layout_key(tree) == expected, spelling
        assert layout_key(parse_latex(to_latex(tree))) == layout_key(tree)
        assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


def test_the_double_factorial_of_mathml_is_that_of_latex() -> None:
    for tree in (parse_latex("n!!"), parse_mathml("<mi>n</mi><mo>!!</mo>")):
        assert operator_string(operator_tree(tree)) == "[O!factorial2,0[V!n]]"


@every_case("infix", ["over", "choose"])
def test_an_infix_ends_with_the_first_argument_of_a_fraction(infix: str) -> None:
    label = "divide" if infix == "over" else "binom"
    tree = operator_tree(parse_latex(rf"\frac{{n\{infix} k}}{{k+1}}"))
    assert operator_string(tree) == f"[O!divide,0[O!{label},0[V!n],1[V!k]],1[U!plus,0[V!k],1[N!1]]]"
