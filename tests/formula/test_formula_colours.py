"""Colours: seen where they were chosen, only valid ones, and no part of what a formula says."""

from __future__ import annotations

import re

from case_tables import every_case

from porism.formula import (
    LayoutTree,
    layout_key,
    operator_tree,
    parse_latex,
    parse_mathml,
    to_latex,
    to_mathml,
    unaccounted_tokens,
)
from porism.formula.colours import colour_value
from porism.formula.tables.colours import COLOURS, MIXED_COLOURS, PRINTERS_COLOURS


def shown(tree: LayoutTree) -> str:
    """The MathML of a formula between the tags of ``<math>``, without ``style`` attributes."""
    return re.sub(r' style="[^"]*"', "", to_mathml(tree, ids=False)).partition(">")[2].removesuffix("</math>")


RED, BLUE, GREEN, INK = (
    f'<mrow mathcolor="{value}">' for value in ("#ff0000", "#0000ff", "#008000", "#000000")
)
END = "</mrow>"
FILL = '<mrow class="filled" displaystyle="false" mathcolor="{}" mathbackground="#ffff00">'
FRAME = '<mrow class="framed" displaystyle="false" mathcolor="{}" mathbackground="#ffff00">'
FILL_BLACK, FILL_RED = (FILL.format(value) for value in ("#000000", "#ff0000"))
FRAME_BLACK, FRAME_RED = (FRAME.format(value) for value in ("#000000", "#ff0000"))
SUM = "<mi>a</mi><mo>+</mo><mi>b</mi>"


@every_case(("written", "model", "value"), [
    ("red", "", "#ff0000"), ("Red", "", "#ff0000"), (" ForestGreen ", "", "#228b22"), ("BrickRed", "", "#b80000"),
    ("brickred", "", ""), ("green", "", "#008000"), ("red!50", "", "#ff8080"), ("green!50!black", "", "#008000"),
    ("red!50!blue!50", "", "#bf80bf"), ("-red", "", "#00ffff"), ("red!101", "", "#ff0000"), ("red!x", "", ""),
    ("nothing!50", "", ""), ("red!50!nothing", "", ""), ("--red", "", ""), ("#0F0", "", "#00ff00"),
    ("#00ff7F", "", "#00ff7f"), ("#00ff7", "", ""), ("rgb(0, 128, 255)", "", "#0080ff"), ("1,.5,0", "rgb", "#ff8000"),
    ("255, 128, 0", "RGB", "#ff8000"), ("999,0,-1", "RGB", ""), ("ff8000", "HTML", "#ff8000"), ("f80", "HTML", ""),
    (".5", "gray", "#808080"), ("0,.5,1,0", "cmyk", "#ff8000"), ("0,1,1", "cmy", "#ff0000"), (".5", "cmyk", ""),
    ("0,1,1", "hsb", "#ff0000"), ("120,1,1", "Hsb", "#00ff00"), ("red", "named", "#ff0000"), ("red", "rgb", ""),
    ("1,0,0", "unknown", ""), ("", "", ""), ('red" onclick="a()', "", ""), ("url(a)", "", ""), ("1,0", "rgb", ""),
    ("!50", "", ""), ("mine", "", "#123456"), ("mine!0", "", "#ffffff"),
])
def test_a_colour_has_a_value_or_is_not_valid(written: str, model: str, value: str) -> None:
    assert colour_value(written, model, {"mine": "#123456"}) == value


def test_all_values_of_the_tables_are_valid() -> None:
    for table in (COLOURS, MIXED_COLOURS, PRINTERS_COLOURS):
        assert all(re.fullmatch("#[0-9a-f]{6}", value) for value in table.values())
    assert not COLOURS.keys() & {name.lower() for name in PRINTERS_COLOURS}
    assert MIXED_COLOURS.keys() <= COLOURS.keys()


COLOURED = [
    (r"\color{red}{x}+y", f"<mrow>{RED}<mi>x</mi>{END}<mo>+</mo><mi>y</mi></mrow>", "x+y"),
    (r"a\color{red}+b", f'<mrow><mi>a</mi>{RED}<mo form="infix">+</mo><mi>b</mi>{END}</mrow>', "a+b"),
    (r"{\color{red}a}+b", f"<mrow>{RED}<mi>a</mi>{END}<mo>+</mo><mi>b</mi></mrow>", "a+b"),
    (r"\color{red}a\color{blue}b", f"<mrow>{RED}<mi>a</mi>{END}{BLUE}<mi>b</mi>{END}</mrow>", "ab"),
    (r"\textcolor{red}{a+b}", f"<mrow>{RED}{SUM}{END}</mrow>", "a+b"),
    (r"\textcolor{red}ab", f"<mrow>{RED}<mi>a</mi>{END}<mi>b</mi></mrow>", "ab"),
    (r"\textcolor{red}{a\textcolor{blue}{b}}",
     f"<mrow>{RED}<mi>a</mi>{BLUE}<mi>b</mi>{END}{END}</mrow>", "ab"),
    (r"a\color{red}{=}b", f"<mrow><mi>a</mi>{RED}<mo>=</mo>{END}<mi>b</mi></mrow>", "a=b"),
    (r"\color{red}{x}^2", f"<msup>{RED}<mi>x</mi>{END}<mn>2</mn></msup>", "x^2"),
    (r"\color{red}{x^2}", f"{RED}<msup><mi>x</mi><mn>2</mn></msup>{END}", "x^2"),
    (r"{\color{red}a+b}^2", f"<msup><mrow>{RED}{SUM}{END}</mrow><mn>2</mn></msup>", "{a+b}^2"),
    (r"\hat{\color{red}{x}}",
     f'<mover accent="true">{RED}<mi>x</mi>{END}<mo stretchy="false">ˆ</mo></mover>', r"\hat x"),
    (r"\frac{\color{red}a}b", f"<mfrac>{RED}<mi>a</mi>{END}<mi>b</mi></mfrac>", r"\frac ab"),
    (r"\frac\color{red}{a}b", f"<mfrac>{RED}<mi>a</mi>{END}<mi>b</mi></mfrac>", r"\frac ab"),
    (r"\sum_{\color{red}i}x",
     f'<mrow><munder><mo lspace="0">∑</mo>{RED}<mi>i</mi>{END}</munder><mi>x</mi></mrow>', r"\sum_i x"),
    (r"\boxed{\color{red}x}",
     f'<mrow class="boxed" displaystyle="true">{RED}<mi>x</mi>{END}{END}', "x"),
    (r"\color{red}\boxed{x}y",
     f'<mrow>{RED}<mrow class="boxed" displaystyle="true"><mi>x</mi>{END}<mi>y</mi>{END}</mrow>', "xy"),
    (r"\text{\color{red}if}x", f"<mrow>{RED}<mtext>if</mtext>{END}<mi>x</mi></mrow>", r"\text{if}x"),
    (r"\text{\textcolor{red}{if $a$} so}",
     f'<mrow>{RED}<mtext>if</mtext><mspace width="0.3333em"></mspace><mi>a</mi>{END}'
     '<mspace width="0.3333em"></mspace><mtext>so</mtext></mrow>', r"\text{if $a$ so}"),
    (r"\text{a \textcolor{red}{b} c}", "<mtext>a b c</mtext>", r"\text{a b c}"),
    (r"\color[rgb]{1,0,0}x", f"{RED}<mi>x</mi>{END}", "x"), (r"\mathcolor{red}{x}", f"{RED}<mi>x</mi>{END}", "x"),
    (r"\definecolor{mine}{HTML}{FF0000}\color{mine}x", f"{RED}<mi>x</mi>{END}", "x"),
    (r"\colorlet{mine}{green!50!black}\color{mine}x", f"{GREEN}<mi>x</mi>{END}", "x"),
    (r"\def\r#1{\color{red}{#1}}\r{a+b}", f"<mrow>{RED}{SUM}{END}</mrow>", "a+b"),
    (r"\color{nothing}x", "<mi>x</mi>", "x"), (r'\color{red" id="a}x', "<mi>x</mi>", "x"),
    (r"\colorbox{yellow}{$x$}",
     f"{FILL_BLACK}<mi>x</mi>{END}", "x"),
    (r"\fcolorbox{red}{yellow}{$x$}",
     f"{FRAME_RED}{INK}<mi>x</mi>{END}{END}",
     "x"),
    (r"\fcolorbox[gray]{0}[rgb]{1,1,0}{\color{red}if}",
     f"{FRAME_BLACK}{INK}{RED}<mtext>if</mtext>{END}{END}{END}", r"\text{if}"),
    (r"\fcolorbox{red}{nothing}{$x$}", f'<mrow class="framed" displaystyle="false"><mi>x</mi>{END}', "x"),
    (r"\colorbox{nothing}{$x$}", "<mi>x</mi>", "x"),
    (r"\color{red}\colorbox{yellow}{$x$}",
     f"{RED}{FILL_RED}<mi>x</mi>{END}{END}",
     "x"),
    (r"\bbox[yellow]{x}", f'<mrow mathcolor="#000000" mathbackground="#ffff00"><mi>x</mi>{END}', "x"),
    (r"\bbox[5px,yellow,border:1px solid]{x}",
     '<mrow class="boxed" displaystyle="true"><mrow mathcolor="#000000" mathbackground="#ffff00">'
     f"<mi>x</mi>{END}{END}", "x"),
]


@every_case(("latex", "mathml", "plain"), COLOURED)
def test_colours_are_seen_and_say_nothing(latex: str, mathml: str, plain: str) -> None:
    tree = parse_latex(latex)
    assert shown(tree) == mathml
    assert not tree.problems
    assert not unaccounted_tokens(tree)
    assert layout_key(tree) == layout_key(parse_latex(plain))
    assert to_latex(tree) == to_latex(parse_latex(plain))


@every_case("latex", [latex for latex, _, _ in COLOURED])
def test_colours_are_read_back(latex: str) -> None:
    tree = parse_latex(latex)
    again = parse_mathml(to_mathml(tree))
    assert layout_key(again) == layout_key(tree)
    assert shown(again) == shown(tree)


@every_case(("mathml", "inner"), [
    ('<mi mathcolor="red">x</mi>', f"{RED}<mi>x</mi>{END}"),
    ('<mstyle mathcolor="#F00"><mi>a</mi><mo>+</mo><mi>b</mi></mstyle>', f"<mrow>{RED}{SUM}{END}</mrow>"),
    ('<mfrac mathcolor="red"><mi>a</mi><mi>b</mi></mfrac>', f"{RED}<mfrac><mi>a</mi><mi>b</mi></mfrac>{END}"),
    ('<msqrt mathbackground="red"><mi>a</mi></msqrt>', '<mrow mathbackground="#ff0000"><msqrt>'
     f'<mspace height="0.72em" depth="0.16em"></mspace><mi>a</mi></msqrt>{END}'),
    ('<mi mathcolor="url(a)">x</mi>', "<mi>x</mi>"),
])
def test_colours_of_mathml_are_kept(mathml: str, inner: str) -> None:
    assert shown(parse_mathml(f"<math>{mathml}</math>")) == inner


@every_case(("latex", "inner"), [
    (r"\left(a\color{red}+\frac bc\right)d",
     f'<mo stretchy="true">(</mo><mi>a</mi>{RED}<mo form="infix">+</mo><mfrac><mi>b</mi><mi>c</mi></mfrac>{END}'),
    (r"\begin{matrix}\color{red}a&b\end{matrix}", f"{RED}<mi>a</mi>{END}</mtd><mtd><mi>b</mi></mtd>"),
    (r"\begin{aligned}\color{red}{x^2,}\\y\end{aligned}", f"{RED}<msup><mi>x</mi><mn>2</mn></msup>{END}<mo"),
    (r"{\color{red}a\over b}", "<mfrac>"),
])
def test_a_colour_ends_where_its_group_does(latex: str, inner: str) -> None:
    assert inner in shown(parse_latex(latex))


def test_a_colour_that_overlaps_a_group_is_in_pieces() -> None:
    tree = parse_latex(r"(a\color{red}b^3)^2d")
    assert shown(tree) == (
        '<mrow><msup><mrow><mo stretchy="false">(</mo><mi>a</mi>'
        f'{RED}<msup><mi>b</mi><mn>3</mn></msup><mo stretchy="false">)</mo>{END}</mrow><mn>2</mn></msup>'
        f"{RED}<mi>d</mi>{END}</mrow>"
    )


def test_many_colours_take_linear_time_and_stay_few() -> None:
    tree = parse_latex(r"\color{red}x\color{blue}y" * 2_000)
    assert max(len(node.styles) for node in tree.row) == 1
    assert shown(parse_latex(r"{\color{red}" * 150 + "x")).count(RED) == 8


@every_case("latex", [latex for latex, _, _ in COLOURED])
def test_operator_trees_have_no_colours(latex: str) -> None:
    plain = next(plain for written, _, plain in COLOURED if written == latex)
    trees = [operator_tree(parse_latex(source)) for source in (latex, plain)]
    first, second = ([(node.kind, node.label) for node in tree.root.walk()] for tree in trees)
    assert first == second
