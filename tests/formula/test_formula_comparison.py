"""Are two formulas equal: in which sense, by which steps, or where do they differ."""

from __future__ import annotations

from porism.formula import operator_tree, parse_latex
from porism.formula.comparison import compare
from porism.formula.comparison.names import renaming
from porism.types import Formula

RELATIONS = {
    "identical": [("a+b", "a + b")],
    "renamed": [
        ("x^2+y^2", "a^2+b^2"), (r"\sum_{i=1}^n i", r"\sum_{k=1}^n k"), (r"x\in[1,2]", r"t\in[1,2]"),
        (r"\int_0^1 x^2\,dx", r"\int_0^1 t^2\,dt"),
    ],
    "same value": [
        (r"\frac{a}{b}", "a/b"), ("(a+b)^2", "a^2+2ab+b^2"), (r"\sqrt{x^2}", "|x|"), ("(AB)^{-1}", "B^{-1}A^{-1}"),
        ("(AB)^T", "B^TA^T"), (r"\sum_{k=1}^n k", r"\frac{n(n+1)}2"), (r"\sin 2x", r"2\sin x\cos x"),
        (r"\cosh^2x-\sinh^2x", "1"), ("(-1)^{2n}", "1"), (r"\frac{x^2-1}{x-1}", "x+1"),
        (r"\frac{d^2}{dx^2}f(x)", "f''(x)"), (r"\{1,2\}", r"\{2,1\}"),
        (r"\int_0^1\int_0^1xy\,dx\,dy+1", r"1+\int_0^1\int_0^1xy\,dx\,dy"),
        (r"\frac{n!}{k!(n-k)!}", r"\binom nk"), (r"e^{i\pi}", "-1"), ("f(x)+f(y)", "f(y)+f(x)"),
    ],
    "same statement": [
        ("2x+4y-3=0", "y=-x/2+3/4"), (r"-2\le x\le 7", r"x\in[-2,7]"), (r"a\le x\le b", r"x\in[a,b]"),
        (r"x<-3\text{ or }x>3", "|x|>3"), ("|x|<3", "-3<x<3"), ("x^2<9", "|x|<3"), ("x^2=4", r"x=\pm2"),
        (r"[-2,7]", r"\{x: -2\le x\le 7\}"), (r"x\in(-\infty,-3)\cup(3,\infty)", "|x|>3"), ("-2x<4", "x>-2"),
        (r"x\ne 0", r"x\in\mathbb R\setminus\{0\}"), ("2x+4y<3", r"y<-\frac x2+\frac34"), ("a=b=c", "a=c=b"),
        (r"\sqrt2x=2", r"x=\sqrt2"), (r"x\in\{1,2\}", "(x-1)(x-2)=0"), ("AX=B", "B=AX"),
    ],
    "same value after renaming": [("2a+4b=3", "y=-x/2+3/4"), ("(a+b)^2", "x^2+2xy+y^2")],
    "conditional": [
        ("AB", "BA"), ("(AB)^T", "A^TB^T"), ("A^nB^n", "(AB)^n"),
        (r"\mathbf u\times\mathbf v", r"\mathbf v\times\mathbf u"),
        ("|AB|", "|A||B|"), (r"\log x", r"\ln x"), ("(x^a)^b", "x^{ab}"), ("|z|^2", "z^2"), (r"\mathbf x+1", "x+1"),
        (r"P=\frac{nRT}V", "PV=nRT"), ("E=mc^2", r"m=\frac E{c^2}"), ("AX=B", "XA=B"),
        (r"\frac{\partial}{\partial x}\frac{\partial}{\partial y}h(x,y)",
         r"\frac{\partial}{\partial y}\frac{\partial}{\partial x}h(x,y)"),
        (r"\lim_{x\to0}\lim_{y\to0}\frac{x-y}{x+y}", r"\lim_{y\to0}\lim_{x\to0}\frac{x-y}{x+y}"),
        (r"\int_0^1\int_0^1\frac{x-y}{(x+y)^3}\,dx\,dy", r"\int_0^1\int_0^1\frac{x-y}{(x+y)^3}\,dy\,dx"),
    ],
    "different": [
        ("a-b", "b-a"), (r"\sqrt{x^2}", "x"), (r"-2\le x\le 7", "x\\in[-2,7)"), ("x=1", "x^2=x"), ("y=2x+1", "y=3x+1"),
        ("2x+4y<3", r"y>-\frac x2+\frac34"), ("xy=0", "y=0"), ("x<1/x", "x^2<1"), ("a^2-b^2", "(a+b)(a-b)+1"),
        (r"\sum_{k=1}^n k", r"\frac{n(n-1)}2"),
    ],
    "unknown": [
        ("f(x+y)", "f(x)+f(y)"), (r"\overline zz", "|z|^2"), (r"\sin^2x+\cos^2x=1", "(a+b)^2=a^2+2ab+b^2"),
        (r"\sum_{n=1}^\infty\frac1{n^2}", r"\sum_{n=2}^\infty\frac1{n^2}"), ("?x+1", "y+1"), ("", "x"),
        (r"x\equiv1\pmod3", r"2x\equiv2\pmod6"), ("(1,2)", "(2,1)"),
        ("x^2=-1", "x^2=-2"), ("x=1,x=2", "(x-1)(x-2)=0"), ("u_{xy}", "u_{yx}"), ("x=1", "(x-1)(x^2+1)=0"),
        (r"|x|<-1", "x^2<-2"),
    ],
}


def test_relations() -> None:
    wrong = []
    for relation, pairs in RELATIONS.items():
        for first, second in pairs:
            for left, right in ((first, second), (second, first)):
                known = compare(Formula(left), Formula(right))
                if known.relation != relation:
                    wrong.append((left, right, known.relation, relation, known.explanation))
    assert wrong == []


def test_names_are_exchanged_one_to_one() -> None:
    cases = {
        ("x+y", "a+b"): True, ("x+x", "a+b"): False, ("a+b", "x+x"): False, ("x^2", "x^3"): False,
        ("x^2", "x_2"): False, ("e^x", "a^x"): False, ("1+ix", "1+kx"): False, (r"\sum_i i", r"\sum_k k"): True,
    }
    for pair, same in cases.items():
        assert (renaming(*(operator_tree(parse_latex(latex)) for latex in pair)) is not None) == same, pair


def test_what_is_said_of_two_lines() -> None:
    known = compare(Formula("2x+4y-3=0"), Formula("y=-x/2+3/4"))
    assert known.equal
    assert [(step.text, step.latex) for step in known.steps] == [
        ("The first says", "2x+4y-3=0"), ("The second says", r"\frac{1}{2}x+y-\frac{3}{4}=0"),
        ("The left side of the first is that of the second times", "4"),
    ]


def test_what_is_said_of_others() -> None:
    assert [step.latex for step in compare(Formula("(a+b)^2"), Formula("a^2+2ab+b^2")).steps] == ["a^2+2ab+b^2"]
    assert compare(Formula("n^2"), Formula("k^2")).names == (("n", "k"),)
    swapped = compare(Formula("a-b"), Formula("b-a"))
    assert swapped.difference is not None
    assert (swapped.difference.point, swapped.difference.first, swapped.difference.second) == (
        (("a", "2"), ("b", "3")), "-1", "1",
    )
    assert swapped.names == (("a", "b"), ("b", "a"))
    ends = compare(Formula(r"-2\le x\le 7"), Formula(r"x\in[-2,7)")).difference
    assert ends is not None
    assert (ends.point, ends.first, ends.second) == ((("x", "7"),), "true", "false")
    shared = compare(Formula(r"\sum_{n=1}^\infty\frac1{n^2}"), Formula(r"\sum_{n=2}^\infty\frac1{n^2}")).common
    assert [(part.first, part.second, part.size) for part in shared] == [(1, 1, 5)]
