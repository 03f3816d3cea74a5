"""Operators with an operand missing stay in the operator tree, and signs after functions are read as what they are."""

from __future__ import annotations

from case_tables import every_case

from porism.formula import operator_string, operator_tree, parse_latex


@every_case(("latex", "expected"), [
    (r"(\Rightarrow)", "[C!⇒]"),
    (r"\to,\Rightarrow", "[O!list,0[C!→],1[C!⇒]]"),
    (r"\lnot,\land,\lor", "[O!list,0[C!¬],1[C!∧],2[C!∨]]"),
    (r"p\lor q\Leftrightarrow", "[U!iff,0[U!or,0[V!p],1[V!q]]]"),
    (r"2\times", "[U!times,0[N!2]]"),
    (r"\times 2", "[U!times,0[N!2]]"),
    (r"A\cup", "[U!union,0[V!A]]"),
    (r"A\cup\subset B", "[O!subset,0[U!union,0[V!A]],1[V!B]]"),
])
def test_an_operator_without_operands_is_in_the_tree(latex: str, expected: str) -> None:
    assert operator_string(operator_tree(parse_latex(latex))) == expected


@every_case(("latex", "expected"), [
    (r"\sin+\cos", "[U!plus,0[V!sin],1[V!cos]]"),
    (r"\sin-x", "[O!sin,0[O!neg,0[V!x]]]"),
    (r"\sin\pm x", "[O!sin,0[O!pm,0[V!x]]]"),
    (r"\nabla+A", "[U!plus,0[C!∇],1[V!A]]"),
    (r"\mathrm{cost}+\mathrm{fee}", "[U!plus,0[V!cost],1[V!fee]]"),
    (r"\mathrm{cost}-\mathrm{fee}", "[U!plus,0[V!cost],1[O!neg,0[V!fee]]]"),
    (r"\mathrm{Fe}^{3+}+\mathrm{e}^-",
     "[U!plus,0[O!SUP,0[V!Fe],1[U!plus,0[N!3],1[C!+]]],1[O!SUP,0[V!e],1[C!-]]]"),
])
def test_a_plus_after_a_function_is_no_sign(latex: str, expected: str) -> None:
    assert operator_string(operator_tree(parse_latex(latex))) == expected


@every_case(("latex", "expected"), [
    (r"\int F\cdot dr", "[O!int,0[V!F],1[O!diff,0[V!r]]]"),
    (r"\int\cdot dx", "[O!int,0[C!⋅],1[O!diff,0[V!x]]]"),
])
def test_a_product_sign_before_a_differential_is_no_operand(latex: str, expected: str) -> None:
    assert operator_string(operator_tree(parse_latex(latex))) == expected
