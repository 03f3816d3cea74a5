"""Content MathML to layout trees."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import layout_key, parse_latex, parse_mathml

AS_LATEX = [
    ("<apply><plus/><ci>x</ci><cn>1</cn></apply>", "x+1"),
    ("<apply><times/><apply><plus/><ci>a</ci><ci>b</ci></apply><ci>c</ci></apply>", "(a+b)c"),
    ("<apply><minus/><ci>a</ci><apply><minus/><ci>b</ci><ci>c</ci></apply></apply>", "a-(b-c)"),
    ("<apply><minus/><ci>a</ci></apply>", "-a"),
    ("<apply><power/><apply><plus/><ci>a</ci><ci>b</ci></apply><cn>2</cn></apply>", "(a+b)^2"),
    ("<apply><divide/><ci>a</ci><apply><plus/><ci>b</ci><cn>1</cn></apply></apply>", r"\frac{a}{b+1}"),
    ("<apply><root/><ci>x</ci></apply>", r"\sqrt x"),
    ("<apply><root/><degree><cn>3</cn></degree><ci>x</ci></apply>", r"\sqrt[3]x"),
    ("<apply><sin/><ci>x</ci></apply>", r"\sin(x)"),
    ("<apply><ci>f</ci><ci>x</ci><ci>y</ci></apply>", "f(x,y)"),
    ("<apply><eq/><ci>x</ci><ci>y</ci><cn>0</cn></apply>", "x=y=0"),
    ("<apply><in/><ci>x</ci><reals/></apply>", r"x\in\mathbb R"),
    ("<apply><sum/><bvar><ci>k</ci></bvar><lowlimit><cn>1</cn></lowlimit><uplimit><ci>n</ci></uplimit><ci>k</ci></apply>",
     r"\sum_{k=1}^nk"),
    ("<apply><int/><bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit><uplimit><infinity/></uplimit><ci>x</ci></apply>",
     r"\int_0^\infty xdx"),
    ("<apply><limit/><bvar><ci>x</ci></bvar><lowlimit><cn>0</cn></lowlimit><ci>x</ci></apply>", r"\lim_{x\to0}x"),
    ("<apply><diff/><bvar><ci>x</ci></bvar><apply><ci>f</ci><ci>x</ci></apply></apply>", r"\frac{d}{dx}f(x)"),
    ("<apply><abs/><ci>x</ci></apply><apply><floor/><ci>y</ci></apply>", r"|x|\lfloor y\rfloor"),
    ("<apply><factorial/><ci>n</ci></apply>", "n!"),
    ("<apply><log/><logbase><cn>2</cn></logbase><ci>x</ci></apply>", r"\log_2(x)"),
    ("<set><ci>a</ci><ci>b</ci></set><interval closure='open-closed'><ci>a</ci><ci>b</ci></interval>", r"\{a,b\}(a,b]"),
    ("<matrix><matrixrow><cn>1</cn><cn>2</cn></matrixrow><matrixrow><cn>3</cn><cn>4</cn></matrixrow></matrix>",
     r"\begin{pmatrix}1&2\\3&4\end{pmatrix}"),
    ("<piecewise><piece><cn>1</cn><ci>x</ci></piece><otherwise><cn>0</cn></otherwise></piecewise>",
     r"\begin{cases}1&x\\0\end{cases}"),
    ("<apply><csymbol cd='ambiguous'>subscript</csymbol><ci>x</ci><ci>i</ci></apply>", "x_i"),
    ("<apply><csymbol cd='ambiguous'>superscript</csymbol><ci>x</ci><ci>i</ci></apply>", "x^i"),
    ("<apply><csymbol>binomial</csymbol><ci>n</ci><ci>k</ci></apply>", r"\binom nk"),
    ("<apply><not/><ci>p</ci></apply><apply><implies/><ci>p</ci><ci>q</ci></apply>", r"\neg pp\Rightarrow q"),
    ("<cn type='rational'>1<sep/>2</cn><pi/><emptyset/>", r"\frac12\pi\emptyset"),
    ("<cn>3<sep/>4</cn>", r"\frac34"), ("<cn type='rational'>-3<sep/>4</cn>", r"-\frac34"),
    ("<cn type='e-notation'>1.5<sep/>-3</cn>", r"1.5\cdot10^{-3}"), ("<cn>2e10</cn>", r"2\cdot10^{10}"),
    ("<cn type='complex-cartesian'>3<sep/>-4</cn>", "3-4i"),
    ("<cn type='complex-polar'>2<sep/>&pi;</cn>", r"2e^{i\pi}"),
    ("<apply><times/><cn type='complex-cartesian'>1<sep/>2</cn><ci>x</ci></apply>", "(1+2i)x"),
    ("<cn type='integer' base='2'>101</cn><cn type='constant'>&pi;</cn>", r"101_2\pi"),
    ("<ci><msub><mi>x</mi><mn>1</mn></msub></ci><ci><mover><mi>y</mi><mo>¯</mo></mover></ci>", r"x_1\bar y"),
    ("<apply><diff/><bvar><ci>x</ci><degree><cn>2</cn></degree></bvar><ci>f</ci></apply>", r"\frac{d^2}{dx^2}f"),
    ("<apply><partialdiff/><bvar><ci>x</ci></bvar><bvar><ci>y</ci><degree><cn>2</cn></degree></bvar><ci>f</ci></apply>",
     r"\frac{\partial^3}{\partial x\partial y^2}f"),
    ("<apply><forall/><bvar><ci>x</ci></bvar><bvar><ci>y</ci></bvar><ci>p</ci></apply>", r"\forall x,y:p"),
    ("<apply><exists/><bvar><ci>x</ci></bvar><condition><apply><in/><ci>x</ci><reals/></apply></condition>"
     "<ci>p</ci></apply>",
     r"\exists x\in\mathbb R:p"),
    ("<apply><sum/><bvar><ci>i</ci></bvar><domainofapplication><ci>I</ci></domainofapplication><ci>a</ci></apply>",
     r"\sum_{i\in I}a"),
    ("<lambda><bvar><ci>x</ci></bvar><bvar><ci>y</ci></bvar><ci>z</ci></lambda>", r"(x,y)\mapsto z"),
    ("<set><bvar><ci>x</ci></bvar><condition><apply><lt/><ci>x</ci><cn>1</cn></apply></condition></set>",
     r"\{x\mid x<1\}"),
    ("<apply><and/><apply><lt/><ci>a</ci><ci>b</ci></apply><apply><eq/><share href='#b'/><ci>c</ci></apply></apply>",
     "a<b=c"),
    ("<apply><limit/><bvar><ci>x</ci></bvar><condition><apply><tendsto type='above'/><ci>x</ci><cn>0</cn></apply>"
     "</condition><ci>f</ci></apply>", r"\lim_{x\to0^+}f"),
    ("<apply><moment/><degree><cn>3</cn></degree><momentabout><ci>p</ci></momentabout><ci>X</ci></apply>",
     r"\operatorname{moment}(X,3,p)"),
]


@every_case(("content", "latex"), AS_LATEX)
def test_content_gives_the_tree_of_the_latex(content: str, latex: str) -> None:
    assert layout_key(parse_mathml(f"<math>{content}</math>")) == layout_key(parse_latex(latex))
