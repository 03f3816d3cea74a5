"""MathML as converters write it: MathJax's classes, LaTeXML's errors, styles, tables, enclosures, line breaks."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex, parse_mathml

BESIDE = (
    '<mtd><mpadded height="0" depth="0" voffset="height"><mpadded>{}<mphantom><mi>a</mi></mphantom></mpadded>'
    "</mpadded></mtd>"
)
LINE = "<mtd><mi>a</mi></mtd><mtd><mi>b</mi></mtd>"
MTD = "<mtd>{}</mtd>"
MTR = "<mtr>{}</mtr>"
PROOF = '<mtable semantics="bspr_inferenceRule:{}">{}</mtable>'
PREMISES = MTR.format(MTD.format("<mtable><mtr><mtd><mi>A</mi></mtd><mtd/><mtd><mi>B</mi></mtd></mtr></mtable>"))
CONCLUSION = MTR.format(MTD.format("<mi>C</mi>"))
NAME = '<mpadded semantics="bspr_prooflabel:{}"><mi>{}</mi></mpadded>'
UNSEEN = '<mpadded width="0"><mphantom><mi>A</mi></mphantom></mpadded>'
OVERLAY = (
    '<mpadded width="0" lspace="-.5width"><mpadded width="0" lspace="-.5width">{}</mpadded><mphantom><mo>→</mo>'
    "</mphantom></mpadded>"
)
STRIKE = '<menclose notation="updiagonalstrike"><mspace height=".2em" width=".4em"/></menclose>'
GAP = '<mtd><mspace width="0.167em"/></mtd>'
ACCENTED = "<mover><mtext>e</mtext><mo>´</mo></mover>"
BECOMES = '<mo data-mjx-variant="-mhchem">\ue429</mo>'


@every_case(
    ("markup", "latex"),
    [
        ('<munder><mrow data-mjx-texclass="OP"><mi>ad</mi><mi>x</mi></mrow><mi>i</mi></munder>',
         r"{\operatorname{ad}x}_i"),
        ('<munderover><mrow data-mjx-texclass="OP"><mi>a</mi></mrow><mn>1</mn><mn>2</mn></munderover>', "a_1^2"),
        ('<mover><mrow data-mjx-texclass="OP"><mi>a</mi></mrow><mn>2</mn></mover>', r"\overset{2}{a}"),
        ('<mover><mrow data-mjx-texclass="OP"><mi>a</mi></mrow><mo>¯</mo></mover>', r"\bar a"),
        ('<mstyle mathvariant="bold"><mi>x</mi><mrow><mi>y</mi></mrow></mstyle><mi>z</mi>', r"\mathbf{x}\mathbf{y}z"),
        ('<mstyle mathvariant="bold"><mi mathvariant="normal">x</mi></mstyle>', r"\mathrm{x}"),
        ('<mi>12</mi><mo>+</mo><mo>3.5</mo>', "12+3.5"),
        ('<menclose notation="top"><mi>a</mi><mi>b</mi></menclose>', r"\overline{ab}"),
        ('<menclose notation="radical"><mi>x</mi></menclose>', r"\sqrt x"),
        ('<menclose notation="updiagonalstrike box"><mi>x</mi></menclose>', "x"),
        ('<maction actiontype="toggle" selection="2"><mi>a</mi><mi>b</mi></maction>', "b"),
        ('<mi>a</mi><mspace linebreak="newline"/><mi>b</mi>', r"\begin{gathered}a\\b\end{gathered}"),
        ('<mtable columnalign="right center left"><mtr>' + MTD.format("<mi>a</mi>") + MTD.format("<mo>=</mo>")
         + MTD.format("<mi>b</mi>") + "</mtr></mtable>", "a=b"),
        ('<mtable displaystyle="true" columnspacing="0em 2em"><mtr>' + 3 * MTD.format("<mi>a</mi>") + "</mtr></mtable>",
         "aaa"),
        ('<mtable columnspacing="1em"><mtr>' + 2 * MTD.format("<mi>a</mi>") + "</mtr></mtable>",
         r"\begin{matrix}a&a\end{matrix}"),
        ("<mmultiscripts><mi>x</mi><mi>a</mi><none/><mi>b</mi><none/></mmultiscripts>", "x_a{}_b"),
        ("<mmultiscripts><mi>T</mi><mi>a</mi><none/><none/><mi>b</mi><mi>c</mi><none/></mmultiscripts>", "T_a{}^b{}_c"),
        ("<mmultiscripts><mo>×</mo><mprescripts/><mi>X</mi><none/></mmultiscripts><mi>g</mi>", r"{}_X\times g"),
        ("<mmultiscripts><mo>∫</mo><mprescripts/><mi>n</mi><none/></mmultiscripts><mi>g</mi>", r"{}_n\int g"),
        ('<math alttext="a\\foo{b}"><mi>a</mi><merror class="ltx_ERROR"><mtext>\\foo</mtext></merror><mi>b</mi></math>',
         r"a\foo{b}"),
        ('<math alttext="m&lt;n"><mi>m</mi><mi>&amp;</mi><mi>l</mi><mi>t</mi><mo>;</mo><mi>n</mi></math>', "m<n"),
        ('<math alttext="\\begin{equation}x=y\\end{equation}"><mtext>(1)1x=y</mtext></math>', "x=y"),
        ('<math alttext="a&amp;lt;b"><mi>a</mi></math>', "a<b"),
        ('<math alttext="a\\&amp;b"><mi>a</mi><mo>&amp;</mo><mi>b</mi></math>', r"a\&b"),
        ("<mi>a</mi><mi>qvar_ missing</mi>", r"a\qvar{missing}"),
        ('<math alttext="a=b\\\\ c=d" class="ltx_Math"><mi>a</mi><mo>=</mo><mi>b</mi><mi>c</mi></math>', r"a=b\\ c=d"),
        ("<mo>√</mo><msup><mi>x</mi><mn>2</mn></msup>", "√x^2"), ("<mo>∛</mo><mn>8</mn><mi>x</mi>", r"\sqrt[3]{8}x"),
        ("<mo>√</mo><mo>(</mo><mi>x</mi><mo>+</mo><mn>1</mn><mo>)</mo><mo>-</mo><mi>y</mi>", r"\sqrt{x+1}-y"),
        ("<mi>H</mi><msub><mpadded><mphantom><mi>A</mi></mphantom></mpadded><mn>2</mn></msub><mi>O</mi>", "H_2O"),
        (f"<mi>KOH</mi><msub>{UNSEEN}<mn>2</mn></msub>", r"\ce{KOH2}"),
        (f"<mi>KOH</mi>{BECOMES}<mi>IV</mi>", r"\ce{KOH ->}\mathrm{IV}"),
        (f'<mi mathvariant="normal">K</mi><mo>(</mo><mi>aq</mi><mo>)</mo>{BECOMES}<mi>x</mi>', r"\ce{K(aq) ->}x"),
        ('<munder><mi data-mjx-texclass="OP" mathvariant="normal">a</mi><mi>b</mi></munder>', r"\mathrm{a}_b"),
        ('<mi>a</mi><mrow href="#x" class="MathJax_ref"><mtext>(2)</mtext></mrow>', r"a\eqref{x}"),
        ('<mover><mi>x</mi><mpadded style="border: 1px solid; border-bottom: none"><mphantom><mi>x</mi></mphantom>'
         "</mpadded></mover>", r"\overbracket{x}"),
        ('<mi data-mjx-variant="-bbm-normal">RN</mi>', r"\mathbb{RN}"),
        ('<mi>x</mi><mrow data-mjx-texclass="REL"><mo>:</mo><mo>:</mo><mo>=</mo></mrow><mi>y</mi>', r"x\Coloneqq y"),
        ('<mi>x</mi><mrow data-mjx-texclass="REL"><mo>=</mo><mo>:</mo></mrow><mi>y</mi>', r"x\eqqcolon y"),
        ('<mi>x</mi><mrow data-mjx-texclass="REL"><mo>=</mo><mo>:</mo><mo>:</mo></mrow><mi>y</mi>', r"x\Eqqcolon y"),
        ("<mrow><mo>(</mo><mstyle><mtable>" + 2 * MTR.format(MTD.format("<mi>a</mi>"))
         + "</mtable></mstyle><mo>)</mo></mrow>", r"\begin{psmallmatrix}a\\a\end{psmallmatrix}"),
        (PROOF.format("down", PREMISES + CONCLUSION), r"\frac{A\qquad B}{C}"),
        (PROOF.format("up", CONCLUSION + PREMISES), r"\frac{A\qquad B}{C}"),
        ("<mrow>" + NAME.format("left", "L") + PROOF.format("down", PREMISES + CONCLUSION) + NAME.format("right", "R")
         + "</mrow>", r"{\prescript{}{L}{\frac{A\qquad B}{C}}}_R"),
        ("<mover><mo>\ue429</mo><mi>x</mi></mover>", r"\xrightarrow{x}"),
        ('<menclose notation="bottom"><mtable><mtr><mtd><mi>a</mi></mtd></mtr></mtable></menclose>', "a"),
        (f"<mtable><mtr>{BESIDE.format('<mi>f</mi><mo>=</mo><mo>{</mo>')}{LINE}</mtr><mtr><mtd/>{LINE}</mtr></mtable>",
         r"f=\begin{cases}a&b\\a&b\end{cases}"),
        (f"<mtable class='lines'><mtr>{LINE}{BESIDE.format('<mo>⇐</mo><mi>R</mi>')}</mtr><mtr>{LINE}</mtr></mtable>",
         r"\begin{aligned}a&b\\a&b\end{aligned}\Leftarrow R"),
        ('<mn data-mjx-variant="-ds-rm">1</mn><mn mathvariant="double-struck">0</mn>', r"\mathbb{1}\mathbb{0}"),
        ("<mi>î</mi><mi>Å</mi>", r"\hat{i}\AA"),
        ("<mtext>``a''</mtext>", r"\text{“a”}"),
        ('<msup><menclose notation="updiagonalstrike northeastarrow"><mi>y</mi></menclose><mn>0</mn></msup>',
         r"\cancelto{0}{y}"),
        (f"<mi>a</mi><mrow><mo>→</mo>{OVERLAY.format('<mo>⧸</mo>')}</mrow><mi>b</mi>", r"a\not\to b"),
        (f"<mi>a</mi><mrow><mtext>↓</mtext>{OVERLAY.format(STRIKE)}</mrow><mi>b</mi>", r"a\not\downarrow b"),
        ('<mi>a</mi><mrow><mpadded width="0"><mtext>⧸</mtext></mpadded></mrow><mo>∼</mo><mi>b</mi>', r"a\not\sim b"),
        ('<mpadded width="0"><mtext>⧸</mtext></mpadded><mn>12</mn>', r"\text{⧸}12"),
        (f'<mtable columnlines="solid solid">{2 * MTR.format(MTD.format("<mi>a</mi>") + GAP + LINE)}</mtable>',
         r"\begin{matrix}a&a&b\\a&a&b\end{matrix}"),
        (f'<mtable>{2 * MTR.format(MTD.format("<mi>a</mi>") + GAP + LINE)}</mtable>',
         r"\begin{matrix}a&&a&b\\a&&a&b\end{matrix}"),
        (f"<mtext>caf</mtext>{ACCENTED}<mtext>s</mtext>", r"\text{caf\'es}"), (ACCENTED, r"\acute{\text{e}}"),
        (f"<mi>c</mi>{ACCENTED}", r"c\acute{\text{e}}"),
        ("<msub><mi/><mn>6</mn></msub><msup><mi/><mn>14</mn></msup><mi>C</mi>", r"\prescript{14}{6}{C}"),
    ],
)
def test_markup_gives_the_tree_of_the_latex(markup: str, latex: str) -> None:
    assert layout_key(parse_mathml(markup)) == layout_key(parse_latex(latex))
