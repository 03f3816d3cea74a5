"""What is not seen keeps its room, and is no part of what a formula says."""

from __future__ import annotations

import re

from case_tables import every_case

from porism.formula import layout_key, parse_latex, parse_mathml, to_mathml, unaccounted_tokens


def shown(latex: str) -> str:
    """The MathML of a formula between the tags of ``<math>``."""
    return to_mathml(parse_latex(latex), ids=False).partition(">")[2].removesuffix("</math>")


X, MINUS = "<mphantom><mi>x</mi></mphantom>", '<mphantom><mo lspace="0" rspace="0">−</mo></mphantom>'


@every_case(("latex", "mathml", "plain"), [
    (r"a=\phantom{-}0", f"<mrow><mi>a</mi><mo>=</mo>{MINUS}<mn>0</mn></mrow>", "a=0"),
    (r"\phantom x y", f"<mrow>{X}<mi>y</mi></mrow>", "y"),
    (r"\phantom{x}\phantom{-}y", f"<mrow>{X}{MINUS}<mi>y</mi></mrow>", "y"),
    (r"y\phantom{x}\phantom{-}", f"<mrow><mi>y</mi>{X}{MINUS}</mrow>", "y"),
    (r"{y\phantom{x}}z", f"<mrow><mi>y</mi>{X}<mi>z</mi></mrow>", "yz"),
    (r"R^i_{\phantom{x}j}", f"<msubsup><mi>R</mi><mrow>{X}<mi>j</mi></mrow><mi>i</mi></msubsup>", "R^i_j"),
    (r"y\hphantom{x}",
     '<mrow><mi>y</mi><mphantom><mpadded height="0" depth="0"><mi>x</mi></mpadded></mphantom></mrow>', "y"),
    (r"y\vphantom{x}", '<mrow><mi>y</mi><mphantom><mpadded width="0"><mi>x</mi></mpadded></mphantom></mrow>', "y"),
    (r"\left(\vphantom{\frac ab}y\right)",
     '<mrow><mrow><mo stretchy="true">(</mo><mphantom><mpadded width="0"><mfrac><mi>a</mi><mi>b</mi></mfrac></mpadded>'
     '</mphantom><mi>y</mi><mo stretchy="true">)</mo></mrow></mrow>', r"\left(y\right)"),
    (r"\color{red}{y\phantom{x}z}",
     f'<mrow><mrow mathcolor="#ff0000"><mi>y</mi>{X}<mi>z</mi></mrow></mrow>', "yz"),
    (r"\def\p#1{\phantom{#1}}\p{x}y", f"<mrow>{X}<mi>y</mi></mrow>", "y"),
    (r"y\phantom{x}^2", f"<mrow><msup><mi>y</mi><mn>2</mn></msup>{X}</mrow>", "y^2"),
    (r"\phantom{x}", "<mrow></mrow>", ""),
    (r"y\phantom{\phantom{x}}", "<mi>y</mi>", "y"),
])
def test_phantoms_keep_their_room_and_say_nothing(latex: str, mathml: str, plain: str) -> None:
    tree = parse_latex(latex)
    assert shown(latex) == mathml
    assert not tree.problems
    assert not unaccounted_tokens(tree)
    assert layout_key(tree) == layout_key(parse_latex(plain)) == layout_key(parse_mathml(to_mathml(tree)))


def test_what_is_not_seen_has_no_ids_and_no_problems() -> None:
    tree = parse_latex(r"\phantom{\unknown\frac}a+b")
    assert not tree.problems
    assert re.findall('id="([^"]*)"', to_mathml(tree)) == ["m-0", "m-1", "m-2"]
