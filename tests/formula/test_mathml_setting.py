"""How the written MathML sets formulas: spaces, fences, styles and signs as a mathematician expects them.

Each case is a difference that was seen beside KaTeX and MathJax in a browser, and mended.
"""

from __future__ import annotations

import re

from case_tables import every_case

from porism.formula import layout_key, parse_latex, parse_mathml, to_mathml


def written(latex: str, display: bool = False) -> str:
    """The MathML of a formula between the tags of ``<math>``."""
    return to_mathml(parse_latex(latex), ids=False, display=display).partition(">")[2].removesuffix("</math>")


def operators(latex: str, display: bool = False) -> str:
    """The operators of a formula with their attributes, one after the other."""
    return " ".join(
        f"{sign}[{attributes.strip()}]" if attributes else sign
        for attributes, sign in re.findall(r"<mo([^>]*)>([^<]*)</mo>", written(latex, display))
    )


SIGNS = [  # a sign without an operand before it is not a binary operator
    ("-1", '−[form="prefix"]'), ("a-1", "−"), ("a=-b", '= −[form="prefix"]'),
    ("a+-b", '+ −[form="prefix"]'), (r"x\mapsto -x", '↦ −[form="prefix"]'), ("a,-b", ', −[form="prefix"]'),
    (r"\sum -x", '∑[lspace="0"] −[form="prefix"]'), (r"\pm 1", '±[form="prefix"]'),
    ("x^+", '+[lspace="0" rspace="0"]'), ("x^*", '∗[lspace="0" rspace="0"]'),
    (r"\frac{-a}{b}", '−[form="prefix"]'), (r"\sqrt{-a}", '−[form="prefix"]'),
    ("(-1)^k", '([stretchy="false"] −[form="prefix"] )[stretchy="false"]'),
    (r"\begin{pmatrix}-1&2\end{pmatrix}", '([stretchy="true"] −[form="prefix"] )[stretchy="true"]'),
    (r"\begin{aligned}a&=b\\&-c\end{aligned}", '= −[form="infix"]'),
]


@every_case(("latex", "expected"), SIGNS)
def test_signs_before_operands_are_prefixes(latex: str, expected: str) -> None:
    assert operators(latex) == expected


OPENS, CLOSES = '|[form="prefix" fence="true" stretchy="false"]', '|[form="postfix" fence="true" stretchy="false"]'
BARS = [
    ("|x|", f"{OPENS} {CLOSES}"),
    ("|x|+|y|", f"{OPENS} {CLOSES} + {OPENS} {CLOSES}"),
    ("|-x|", f'{OPENS} −[form="prefix"] {CLOSES}'),
    (r"\left|\frac ab\right|",
     '|[form="prefix" fence="true" stretchy="true"] |[form="postfix" fence="true" stretchy="true"]'),
    (r"\left||a|-|b|\right|", f"{OPENS} {OPENS} {CLOSES} − {OPENS} {CLOSES} {CLOSES}"),
    (r"\lvert x\rvert", f"{OPENS} {CLOSES}"),
    (r"\|x\|", f"{OPENS} {CLOSES}".replace("|", "‖")),
    ("a|b", '|[lspace="0" rspace="0" stretchy="false"]'), (r"a\mid b", "∣"),
    (r"AB\parallel CD", '∥[stretchy="false"]'),
]


@every_case(("latex", "expected"), BARS)
def test_bars_open_close_or_stand_between(latex: str, expected: str) -> None:
    assert operators(latex) == expected


SPACES = [
    ("a+b=c", "+ ="), ("x^{a+b}", '+[lspace="0" rspace="0"]'), (r"\frac{a+b}{c}", '+[lspace="0" rspace="0"]'),
    (r"a\times b", '×[lspace="0.2222em" rspace="0.2222em"]'), ("a/b", '/[lspace="0" rspace="0"]'),
    ("f(x,y)", '([stretchy="false"] , )[stretchy="false"]'), ("x_{i,j}", ',[rspace="0"]'),
    ("a:b", ':[lspace="0.2778em" rspace="0.2778em"]'), (r"f\colon X", ":"),
    ("n!", '![form="postfix"]'), (r"\forall x", '∀'), (r"a\in A", "∈"),
    (r"\sin x", '\u2061[rspace="0.1667em"]'), (r"\sin(x)", '\u2061 ([stretchy="false"] )[stretchy="false"]'),
    (r"2\sin x", '\u2062[rspace="0.1667em"] \u2061[rspace="0.1667em"]'), (r"\sin=f", "="),
    (r"\operatorname{foo}x", '\u2061[rspace="0.1667em"]'), (r"2\mathrm{kg}", ""),
    (r"a\bmod b", "mod"),
    (r"a\equiv b\mod m", '≡ mod[lspace="0.6667em" rspace="0.3333em"]'),
    (r"a\equiv b\pmod m", '≡ ([lspace="0.4444em" stretchy="false"] mod[lspace="0" rspace="0.3333em"] '
     ')[stretchy="false"]'),
    (r"\begin{pmatrix}a\\b\end{pmatrix}c", '([stretchy="true"] )[stretchy="true"] \u2062[rspace="0.1667em"]'),
    (r"p\implies q", '⟹[lspace="0.5556em" rspace="0.5556em"]'), (r"p\Rightarrow q", "⇒"),
    (r"x=\int f", '= ∫[lspace="0"]'), (r"\partial x", ""),
    (r"a\left(\sqrt b\right)c", '([lspace="0.1667em" stretchy="true"] )[rspace="0.1667em" stretchy="true"]'),
    (r"\underbrace{a}\underbrace{b}", '⏟ \u2062[rspace="0.1667em"] ⏟'),
]


@every_case(("latex", "expected"), SPACES)
def test_spaces_are_those_of_tex(latex: str, expected: str) -> None:
    assert operators(latex) == expected


@every_case(("latex", "inner"), [
    (r"a\,b", '<mrow><mi>a</mi><mspace width="0.1667em"></mspace><mi>b</mi></mrow>'),
    (r"a\qquad b", '<mrow><mi>a</mi><mspace width="2em"></mspace><mi>b</mi></mrow>'),
    (r"a\!b", '<mrow><mi>a</mi><mspace width="-0.1667em" class="back3"></mspace><mi>b</mi></mrow>'),
    (r"x\,\text{if }y",
     '<mrow><mi>x</mi><mspace width="0.1667em"></mspace><mtext>if</mtext><mspace width="0.3333em"></mspace><mi>y</mi>'
     "</mrow>"),
    (r"\text{th}", "<mtext>th</mtext>"),
])
def test_spaces_of_the_source_are_written(latex: str, inner: str) -> None:
    assert written(latex) == inner


PAREN = '<mo stretchy="false">(</mo>', '<mo stretchy="false">)</mo>'
GROUPS = [
    ("(x)^2", f"<mrow><msup><mrow>{PAREN[0]}<mi>x</mi>{PAREN[1]}</mrow><mn>2</mn></msup></mrow>"),
    (r"\left(x\right)^2", f"<mrow><msup><mrow>{PAREN[0]}<mi>x</mi>{PAREN[1]}</mrow><mn>2</mn></msup></mrow>"),
    (r"\left(\frac xy\right)^2",
     '<mrow><msup><mrow><mo stretchy="true">(</mo><mfrac><mi>x</mi><mi>y</mi></mfrac><mo stretchy="true">)</mo>'
     '</mrow><mn>2</mn></msup></mrow>'),
    (r"\left[\frac xy\right]_0^1",
     '<mrow><msubsup><mrow><mo stretchy="true">[</mo><mfrac><mi>x</mi><mi>y</mi></mfrac><mo stretchy="true">]</mo>'
     '</mrow><mn>0</mn><mn>1</mn></msubsup></mrow>'),
    (r"\left.x\right|_0",
     '<mrow><msub><mrow><mi>x</mi><mo form="postfix" fence="true" stretchy="true">|</mo></mrow><mn>0</mn></msub>'
     '</mrow>'),
    (r"\left\{x\right.", '<mrow><mrow><mo stretchy="true">{</mo><mi>x</mi></mrow></mrow>'),
    (r"{n\brace k}",
     '<mrow><mrow><mo stretchy="true">{</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>'
     '<mo stretchy="true">}</mo></mrow></mrow>'),
    (r"[a,b)^2",
     '<mrow><msup><mrow><mo stretchy="false">[</mo><mi>a</mi><mo>,</mo><mi>b</mi><mo stretchy="false">)</mo></mrow>'
     "<mn>2</mn></msup></mrow>"),
    ("(x)_2", f"<mrow>{PAREN[0]}<mi>x</mi><msub>{PAREN[1]}<mn>2</mn></msub></mrow>"),
    ("x)^2", f"<mrow><mi>x</mi><msup>{PAREN[1]}<mn>2</mn></msup></mrow>"),
]


@every_case(("latex", "inner"), GROUPS)
def test_fences_stretch_over_their_group_which_carries_scripts(latex: str, inner: str) -> None:
    assert written(latex) == inner
    tree = parse_latex(latex)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


SUM = '<munder><mo lspace="0">∑</mo><mi>i</mi></munder><mi>x</mi>'


@every_case(("latex", "inner"), [
    (r"\left(\sum_i x\right)",
     f'<mrow><mrow><mo stretchy="true">(</mo><mrow>{SUM}</mrow><mo stretchy="true">)</mo></mrow></mrow>'),
    (r"\left.\sum_i x\right|",
     f'<mrow><mrow><mrow>{SUM}</mrow><mo form="postfix" fence="true" stretchy="true">|</mo></mrow></mrow>'),
    (r"\left(-\sum_i x\right)",
     '<mrow><mrow><mo stretchy="true">(</mo><mrow><mo form="prefix">−</mo><munder><mo>∑</mo><mi>i</mi></munder>'
     '<mi>x</mi></mrow><mo stretchy="true">)</mo></mrow></mrow>'),
    (r"(\sum_i x)", f'<mrow><mo stretchy="false">(</mo>{SUM}<mo stretchy="false">)</mo></mrow>'),
])
def test_big_operators_in_stretched_fences_are_in_a_row_of_their_own(latex: str, inner: str) -> None:
    assert written(latex) == inner
    tree = parse_latex(latex)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


def test_root_signs_around_low_letters_are_raised_to_the_line() -> None:
    assert written(r"\sqrt x") == '<msqrt><mspace height="0.72em" depth="0.16em"></mspace><mi>x</mi></msqrt>'
    assert written(r"\sqrt{\frac ab}") == "<msqrt><mfrac><mi>a</mi><mi>b</mi></mfrac></msqrt>"


@every_case(("latex", "sign"), [
    (r"\big(", '<mo stretchy="true" minsize="1.2em" maxsize="1.2em">(</mo>'),
    (r"A\big/B",
     '<mo lspace="0" rspace="0" stretchy="true" symmetric="true" minsize="1.2em" maxsize="1.2em">/</mo>'),
    (r"A\Big\backslash B",
     '<mo lspace="0" rspace="0" stretchy="true" symmetric="true" minsize="1.8em" maxsize="1.8em">\\</mo>'),
    (r"\bigl(\begin{smallmatrix}a&b\end{smallmatrix}\bigr)", '<mtable class="small" scriptlevel="1">'),
    (r"\Biggl\langle", '<mo stretchy="true" minsize="3em" maxsize="3em">⟨</mo>'),
    (r"\left(x\,\middle|\,y\right)", '<mo lspace="0" rspace="0" stretchy="true">|</mo>'),
    (r"\left|x\middle|\frac{y}{2}\right|", '<mo lspace="0" rspace="0" stretchy="true">∣</mo>'),
    (r"\uparrow", '<mo lspace="0" rspace="0" stretchy="false">↑</mo>'),
])
def test_sizes_of_fences_are_kept(latex: str, sign: str) -> None:
    assert sign in written(latex)


LIMITS = [
    (r"\lim_{x}f", False, '<munder><mo lspace="0" rspace="0.1667em" movablelimits="true">lim</mo><mi>x</mi></munder>'),
    (r"\limsup_n", False, "lim\u2009sup</mo>"), (r"\operatorname*{arg\,max}_n", False, "arg\u2009max</mo>"),
    (r"\operatorname{argmax}_n", False, "argmax</mo>"),
    (r"\sum\limits_n x", False, '<munder><mo lspace="0" movablelimits="false">∑</mo>'),
    (r"\sum\nolimits_n x", True, '<msub><mo lspace="0">∑</mo>'),
    (r"\int\limits_n x", True, '<munder><mo lspace="0">∫</mo>'),
    (r"\underset{x}{\max}", False, 'movablelimits="false">max</mo>'),
]


@every_case(("latex", "display", "part"), LIMITS)
def test_limits_are_where_the_style_has_them(latex: str, display: bool, part: str) -> None:
    assert part in written(latex, display)


@every_case(("latex", "part"), [
    (r"\dfrac ab", '<mfrac displaystyle="true">'), (r"\tfrac ab", '<mfrac displaystyle="false">'),
    (r"\dbinom nk", '<mrow displaystyle="true"><mo stretchy="true">(</mo>'),
    (r"\begin{smallmatrix}a&b\end{smallmatrix}", '<mtable class="small" scriptlevel="1"><mtr><mtd><mi>a</mi></mtd>'),
    (r"\displaystyle\color{blue}\sum x", "<mstyle"),
    (r"\displaystyle\sum x", '<mstyle displaystyle="true" scriptlevel="0"><mo lspace="0">∑</mo>'),
    (r"\frac{\displaystyle a}{b}", '<mstyle displaystyle="true" scriptlevel="0"><mi>a</mi></mstyle></mrow><mi>b</mi>'),
])
def test_styles_are_those_of_the_source(latex: str, part: str) -> None:
    assert part in written(latex)


@every_case(("latex", "inner"), [
    (r"\widehat{ab}", '<mover accent="true"><mrow><mi>a</mi><mi>b</mi></mrow><mo>ˆ</mo></mover>'),
    (r"\overline{ab}", '<mover accent="true"><mrow><mi>a</mi><mi>b</mi></mrow><mo>‾</mo></mover>'),
    (r"\underline{ab}", '<munder accentunder="true"><mrow><mi>a</mi><mi>b</mi></mrow><mo>_</mo></munder>'),
    (r"\bar x", '<mover accent="true"><mi>x</mi><mo stretchy="false">¯</mo></mover>'),
    (r"\vec v", '<mover accent="true"><mi>v</mi><mo stretchy="false" lspace="0" rspace="0">→</mo></mover>'),
    (r"\overrightarrow{ab}",
     '<mover accent="true"><mrow><mi>a</mi><mi>b</mi></mrow><mo lspace="0" rspace="0">→</mo></mover>'),
])
def test_wide_accents_stretch_and_narrow_ones_do_not(latex: str, inner: str) -> None:
    assert written(latex) == inner


@every_case(("latex", "shown"), [
    (r"\Gamma", '<mi mathvariant="normal">Γ</mi>'), (r"\mathrm d", '<mi mathvariant="normal">d</mi>'),
    (r"\boldsymbol\alpha", "<mi>𝜶</mi>"), (r"\bm{x}", "<mi>𝒙</mi>"), (r"\mathbf{x}", "<mi>𝐱</mi>"),
    (r"\arctan x", "<mi>arctan</mi>"),
    (r"\operatorname{arctg}x", "<mi>arctg</mi>"), (r"\liminf", "<mi>lim\u2009inf</mi>"),
    (r"1{,}000", "<mn>1,000</mn>"), (r"3{,}14", "<mn>3,14</mn>"), (r"10\,000", "<mn>10\u2009000</mn>"),
    ("1 000", "<mn>1000</mn>"), (r"2^{1{,}000}", "<mn>1,000</mn>"), (r"\mathbf{1{,}5}", "<mn>𝟏,𝟓</mn>"),
    (r"\mathit{diff}", "<mi>𝑑𝑖𝑓𝑓</mi>"), (r"\partial", "<mi>∂</mi>"), (r"\nabla", ">∇</mo>"),
    (r"a\leqslant b", "<mo>⩽</mo>"), (r"a\le b", "<mo>≤</mo>"), ("a ⟹ b", "<mo>⟹</mo>"),
    (r"x\longrightarrow y", "<mo>⟶</mo>"),
    (r"1+\dots+n", ">⋯</mo>"), (r"1,\dots,n", ">…</mo>"), (r"a\cdots b", ">⋯</mo>"),
])
def test_letters_and_signs_are_shown_as_they_were_written(latex: str, shown: str) -> None:
    assert shown in written(latex)
    tree = parse_latex(latex)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


LIM = '<mo lspace="0" rspace="0" movablelimits="false">lim</mo>'
BELOW = f'<munder accentunder="true">{LIM}<mo>_</mo></munder>'


@every_case(("latex", "display", "inner"), [
    (r"\varliminf", False, BELOW), (r"\underline{\lim}", False, BELOW),
    (r"\varlimsup", False, f'<mover accent="true">{LIM}<mo>‾</mo></mover>'),
    (r"\varinjlim", False, f'<munder accentunder="true">{LIM}<mo>→</mo></munder>'),
    (r"\varprojlim", False, f'<munder accentunder="true">{LIM}<mo>←</mo></munder>'),
    (r"\varliminf_n", True, f"<munder>{BELOW}<mi>n</mi></munder>"),
    (r"\varliminf_n", False, f"<msub>{BELOW}<mi>n</mi></msub>"),
    (r"\liminf_n", False,
     '<munder><mo lspace="0" rspace="0" movablelimits="true">lim\u2009inf</mo><mi>n</mi></munder>'),
])
def test_limits_with_a_line_or_an_arrow_have_it(latex: str, display: bool, inner: str) -> None:
    assert written(latex, display) == inner
    tree = parse_latex(latex)
    again = parse_mathml(to_mathml(tree, ids=False, display=display))
    assert layout_key(again) == layout_key(tree)
    assert to_mathml(again, ids=False, display=display) == to_mathml(tree, ids=False, display=display)


@every_case(("latex", "shown"), [
    ("x=1,", "x=1,"), (r"x^{2}\;.", "x2."), (r"x\,", "x"), ("x,y", "x,y"), (r"\{a,b\};", "{a,b};"), ("x...", "x…"),
    (r"\begin{cases}a,&b\\c&d.\end{cases}", "{a,bcd."), (r"\begin{aligned}a&=b,\\&=c.\end{aligned}", "a=b,=c."),
])
def test_punctuation_that_ends_a_formula_is_shown_and_is_not_part_of_it(latex: str, shown: str) -> None:
    assert re.sub(r"<[^>]*>", "", written(latex)) == shown
    tree = parse_latex(latex)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


def test_lines_are_aligned_where_they_were_written_so() -> None:
    lines = written(r"\begin{aligned}a+b&=c&d&=e\\&=f\end{aligned}")
    assert re.findall(r'text-align: (\w+)', lines) == ["right", "left", "right", "left"] * 2
    assert written(r"\begin{gathered}a=b\\c=d\end{gathered}").count("text-align") == 0
    cells = re.findall(r"<mtd[^>]*>(.*?)</mtd>", lines)
    assert [re.sub(r"<[^>]*>", "", cell) for cell in cells] == ["a+b", "=c", "d", "=e", "", "=f", "", ""]


NAMES = [r"a\ {\rm mod}\ n", r"\mathbf{AA}", r"\boldsymbol{\ell}", r"\mathtt{int}", r"\hat f", r"0.\dot9",
         r"\mathrm{È}", r"1\cdot\ldots\cdot n", r"\operatorname{Im}z"]


@every_case("latex", NAMES)
def test_names_and_accents_are_read_back(latex: str) -> None:
    tree = parse_latex(latex)
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


@every_case(("before", "after"), [("", ""), (r"\left(", r"\right)"), (r"\left \{ ", r"\right.")])
def test_columns_of_an_array_are_aligned_and_ruled_as_its_preamble_says(before: str, after: str) -> None:
    array = written(before + r"\begin{array}{l|r}a&b\\c&d\end{array}" + after)
    looks = re.findall(r'<mtd style="([^"]*)">', array)
    assert looks == ["text-align: left", "text-align: right; border-left: thin solid"] * 2
    assert '<mtable class="array">' in array


@every_case(("body", "rules"), [
    (r"a\\\hline b", ["", "top"]), (r"\hline a\\b\\\hline", ["top", "bottom"]), (r"a\\b", ["", ""]),
    (r"\toprule x_{a}\\\midrule\frac{a}{b}\\\bottomrule", ["top", "top bottom"]),
    (r"\begin{matrix}a\\\hline b\end{matrix}\\c", ["", "", "top", ""]),
])
def test_rules_between_lines_are_shown(body: str, rules: list[str]) -> None:
    tree = parse_latex(rf"\begin{{bmatrix}}{body}\end{{bmatrix}}")
    cells = re.findall(r"<mtd([^>]*)>", to_mathml(tree))
    assert [" ".join(re.findall(r"border-(\w+): thin solid", cell)) for cell in cells] == rules
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


BOLD = '<mtext mathvariant="bold" style="font-weight: bold">{}</mtext>'
ITALIC = '<mtext mathvariant="italic" style="font-style: italic">{}</mtext>'


@every_case(("latex", "shown"), [
    (r"\text{so \textbf{very} much}",
     "<mrow><mtext>so\u00a0</mtext>" + BOLD.format("very") + "<mtext>\u00a0much</mtext></mrow>"),
    (r"\textbf{if so} x", "<mrow>" + BOLD.format("if so") + "<mi>x</mi></mrow>"),
    (r"\textbf{if} \emph{so}", "<mrow>" + BOLD.format("if") + ITALIC.format("so") + "</mrow>"),
    (r"\text{so \textit{it \textbf{is}}}",
     "<mrow><mtext>so\u00a0</mtext>" + ITALIC.format("it\u00a0") + BOLD.format("is") + "</mrow>"),
    (r"\text{if so}", "<mtext>if so</mtext>"), (r"\text{caf\'e \textbf{so}}", "<mtext>café so</mtext>"),
    (r"\textbf{so}^2", "<msup>" + BOLD.format("so") + "<mn>2</mn></msup>"),
])
def test_text_is_shown_in_its_fonts(latex: str, shown: str) -> None:
    tree = parse_latex(latex)
    assert to_mathml(tree, ids=False).partition(">")[2].removesuffix("</math>") == shown
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)


@every_case(("latex", "apart"), [
    (r"\sin x", 1), (r"\sin^2 x", 1), (r"a\cos\theta", 2), (r"\mathrm dx", 1), (r"x\Gamma", 1), (r"\emptyset x", 1),
    (r"\sin\Gamma", 2), (r"xy", 0), (r"\mathbf xy", 0), (r"\sin(x)", 0), (r"\mathrm d\,x", 0), (r"2\sin 2", 2),
    (r"\partial x", 0), (r"\lim_x\sin y", 1), (r"\mathrm{kg}\,m", 0),
])
def test_firefox_sets_no_space_of_its_own_beside_something_upright(latex: str, apart: int) -> None:
    tree = parse_latex(latex)
    assert to_mathml(tree, ids=False).count("<mspace></mspace>") == apart
    assert layout_key(parse_mathml(to_mathml(tree))) == layout_key(tree)
