"""Boxes, strokes, script letters and columns of scripts: seen, and no part of what a formula says."""

from __future__ import annotations

import re

from case_tables import every_case

from porism.formula import (
    LayoutTree,
    layout_key,
    layout_string,
    parse_latex,
    parse_mathml,
    to_mathml,
    unaccounted_tokens,
)


def shown(tree: LayoutTree) -> str:
    """The MathML of a formula between the tags of ``<math>``, without ``style`` attributes."""
    return re.sub(r' style="[^"]*"', "", to_mathml(tree, ids=False)).partition(">")[2].removesuffix("</math>")


BOX, UP, DOWN, TWICE, ACROSS = (
    f'<mrow class="{kind}">' for kind in ("boxed", "struck-up", "struck-down", "struck-twice", "struck-across")
)
BOX = BOX.replace(">", ' displaystyle="true">')
FRAME = '<mrow class="framed" displaystyle="false">'
END = "</mrow>"
SUM = "<mi>a</mi><mo>+</mo><mi>b</mi>"

ENCLOSED = [
    (r"\boxed{a+b}", f"<mrow>{BOX}{SUM}{END}</mrow>", "a+b"),
    (r"\boxed x", f"{BOX}<mi>x</mi>{END}", "x"),
    (r"\boxed{x}^2", f"<msup>{BOX}<mi>x</mi>{END}<mn>2</mn></msup>", "x^2"),
    (r"\boxed{x^2}", f"{BOX}<msup><mi>x</mi><mn>2</mn></msup>{END}", "x^2"),
    (r"\boxed{x_1}^2", f"<msubsup>{BOX}<mi>x</mi>{END}<mn>1</mn><mn>2</mn></msubsup>", "x_1^2"),
    (r"\hat{\boxed{x}}", f'<mover accent="true">{BOX}<mi>x</mi>{END}<mo stretchy="false">ˆ</mo></mover>', r"\hat x"),
    (r"\boxed{\hat x}^2",
     f'<msup>{BOX}<mover accent="true"><mi>x</mi><mo stretchy="false">ˆ</mo></mover>{END}<mn>2</mn></msup>',
     r"\hat x^2"),
    (r"\boxed{a+b}^2", f"<msup><mrow>{BOX}{SUM}{END}</mrow><mn>2</mn></msup>", "{a+b}^2"),
    (r"\boxed{\boxed{x}}", f"{BOX}{BOX}<mi>x</mi>{END}{END}", "x"),
    (r"\boxed{a\cancel{+}b}",
     f'<mrow>{BOX}<mi>a</mi>{UP}<mo lspace="0" rspace="0">+</mo>{END}<mi>b</mi>{END}</mrow>', "a+b"),
    (r"x=\boxed{-1}", f'<mrow><mi>x</mi><mo>=</mo>{BOX}<mo form="prefix">−</mo><mn>1</mn>{END}</mrow>', "x=-1"),
    (r"\frac\cancel{a}{\bcancel b}", f"<mfrac>{UP}<mi>a</mi>{END}{DOWN}<mi>b</mi>{END}</mfrac>", r"\frac ab"),
    (r"\xcancel{a+b}", f"<mrow>{TWICE}{SUM}{END}</mrow>", "a+b"), (r"\sout{x}", f"{ACROSS}<mi>x</mi>{END}", "x"),
    (r"\cancelto{0}{x}", f"<mover>{UP}<mi>x</mi>{END}<mn>0</mn></mover>", r"\overset{0}{x}"),
    (r"\fbox{$a+b$}", f"<mrow>{FRAME}{SUM}{END}</mrow>", "a+b"),
    (r"\framebox[2cm][l]{$x$}", f"{FRAME}<mi>x</mi>{END}", "x"),
    (r"\bbox[5px,border:1px solid red]{x}", f"{BOX}<mi>x</mi>{END}", "x"), (r"\bbox[5px]{x}", "<mi>x</mi>", "x"),
    (r"\def\b#1{\boxed{#1}}\b{a+b}", f"<mrow>{BOX}{SUM}{END}</mrow>", "a+b"),
    (r"\boxed{\left(\frac ab\right)}^2",
     f'<mrow><msup><mrow>{BOX}<mo stretchy="true">(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo stretchy="true">)</mo>'
     f"{END}</mrow><mn>2</mn></msup></mrow>", r"\left(\frac ab\right)^2"),
    (r"\boxed{\left(\frac ab\right)^2}",
     f'<mrow>{BOX}<msup><mrow><mo stretchy="true">(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo stretchy="true">)</mo>'
     f"</mrow><mn>2</mn></msup>{END}</mrow>", r"\left(\frac ab\right)^2"),
]


@every_case(("latex", "mathml", "plain"), ENCLOSED)
def test_boxes_and_strokes_are_seen_and_say_nothing(latex: str, mathml: str, plain: str) -> None:
    tree = parse_latex(latex)
    assert shown(tree) == mathml
    assert not tree.problems
    assert not unaccounted_tokens(tree)
    assert layout_key(tree) == layout_key(parse_latex(plain))


@every_case("latex", [latex for latex, _, _ in ENCLOSED])
def test_boxes_and_strokes_are_read_back(latex: str) -> None:
    tree = parse_latex(latex)
    again = parse_mathml(to_mathml(tree))
    assert layout_key(again) == layout_key(tree)
    assert shown(again) == shown(tree)


@every_case(("notation", "inner"), [
    ("box", f"<mrow>{BOX}{SUM}{END}</mrow>"), ("updiagonalstrike", f"<mrow>{UP}{SUM}{END}</mrow>"),
    ("downdiagonalstrike", f"<mrow>{DOWN}{SUM}{END}</mrow>"), ("horizontalstrike", f"<mrow>{ACROSS}{SUM}{END}</mrow>"),
])
def test_menclose_is_shown(notation: str, inner: str) -> None:
    assert shown(parse_mathml(f'<math><menclose notation="{notation}">{SUM}</menclose></math>')) == inner


def test_a_box_around_everything_of_a_matrix_is_kept() -> None:
    tree = parse_latex(r"\boxed{\begin{pmatrix}a&b\\c&d\end{pmatrix}}")
    assert shown(tree).startswith(f'{BOX}<mrow><mo stretchy="true">(</mo><mtable>')


def test_boxes_without_end_stay_few_and_their_time_linear() -> None:
    tree = parse_latex(r"\boxed{" * 2000 + "x")
    assert shown(tree).count(BOX) == 8


def columns(*scripts: str) -> str:
    """Scripts one after the other, ``_a`` below and ``^a`` above, as they are in ``<mmultiscripts>``."""
    return "".join(
        f"<mi>{script[1]}</mi><mrow></mrow>" if script[0] == "_" else f"<mrow></mrow><mi>{script[1]}</mi>"
        for script in scripts
    )


@every_case(("latex", "scripts", "plain"), [
    ("T_a{}^b", ["_a", "^b"], "T_a^b"), ("T^a{}_b", ["^a", "_b"], "T_b^a"),
    ("T_a{}^b{}_c", ["_a", "^b", "_c"], "T_{ac}^b"), (r"\tensor{T}{_a^b_c}", ["_a", "^b", "_c"], "T_{ac}^b"),
    (r"T\indices{_a^b_c}", ["_a", "^b", "_c"], "T_{ac}^b"), ("T{}_a{}^b", ["_a", "^b"], "T_a^b"),
    (r"\def\t#1#2{T_#1{}^#2}\t ab", ["_a", "^b"], "T_a^b"),
])
def test_staggered_scripts_are_set_one_after_the_other(latex: str, scripts: list[str], plain: str) -> None:
    tree = parse_latex(latex)
    assert shown(tree) == f"<mmultiscripts><mi>T</mi>{columns(*scripts)}</mmultiscripts>"
    assert layout_string(tree) == layout_string(parse_latex(plain))
    again = parse_mathml(to_mathml(tree))
    assert shown(again) == shown(tree)
    assert layout_string(again) == layout_string(tree)


@every_case(("latex", "mathml"), [
    ("{}^a_bT_c{}^d",
     f"<mmultiscripts><mi>T</mi>{columns('_c', '^d')}<mprescripts></mprescripts><mi>b</mi><mi>a</mi></mmultiscripts>"),
    (r"\hat T_c{}^d",
     f'<mmultiscripts><mover accent="true"><mi>T</mi><mo stretchy="false">ˆ</mo></mover>{columns("_c", "^d")}'
     "</mmultiscripts>"),
    ("T_{}^b", "<msup><mi>T</mi><mi>b</mi></msup>"), ("T_a{}'", "<msubsup><mi>T</mi><mi>a</mi><mo>′</mo></msubsup>"),
    ("T_a^b", "<msubsup><mi>T</mi><mi>a</mi><mi>b</mi></msubsup>"),
    (r"\left(\frac ab\right)_c{}^d",
     '<mrow><mmultiscripts><mrow><mo stretchy="true">(</mo><mfrac><mi>a</mi><mi>b</mi></mfrac><mo stretchy="true">)'
     f"</mo></mrow>{columns('_c', '^d')}</mmultiscripts></mrow>"),
])
def test_columns_of_scripts_go_with_what_else_a_symbol_has(latex: str, mathml: str) -> None:
    tree = parse_latex(latex)
    assert shown(tree) == mathml
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


@every_case(("latex", "mathml"), [
    (r"\mathscr A", "<mi>𝒜\ufe01</mi>"), (r"\mathcal A", "<mi>𝒜</mi>"), (r"{\scr L}", "<mi>ℒ\ufe01</mi>"),
    (r"\symscr{F}", "<mi>ℱ\ufe01</mi>"), (r"\def\L{\mathscr L}\L", "<mi>ℒ\ufe01</mi>"), (r"\mathscr 1", "<mn>1</mn>"),
])
def test_script_letters_are_of_another_hand_than_calligraphic_ones(latex: str, mathml: str) -> None:
    tree = parse_latex(latex)
    assert shown(tree) == mathml
    again = parse_mathml(to_mathml(tree))
    assert shown(again) == mathml
    assert layout_string(again) == layout_string(tree) == layout_string(parse_latex(latex.replace("scr", "cal")))


@every_case("source", ["𝒜\ufe01", "↔\ufe0f", "<math><mi>x\ufe00</mi></math>"])
def test_variation_selectors_are_no_symbols(source: str) -> None:
    tree = (parse_mathml if "<" in source else parse_latex)(source)
    assert len(tree.row) == 1
    assert not tree.problems


@every_case(("source", "written"), [
    (r"\emptyset", "∅\ufe00"), (r"\varnothing", "∅"), ("∅", "∅"), ("∅\ufe00", "∅"),
    ("<math><mi>∅\ufe00</mi></math>", "∅\ufe00"), ("<math><mi>∅</mi></math>", "∅"),
])
def test_the_empty_set_has_the_form_that_was_written(source: str, written: str) -> None:
    tree = (parse_mathml if "<" in source else parse_latex)(source)
    assert shown(tree) == f'<mi mathvariant="normal">{written}</mi>'
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree) == layout_key(parse_latex(r"\emptyset"))
