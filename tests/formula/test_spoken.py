"""Formulas as spoken English."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.formula import parse_latex, parse_mathml, to_spoken
from porism.formula.tables.lookup import SYMBOLS, token_class

SPOKEN = [
    (r"x^2+1", "x squared plus 1"),
    (r"\frac{a}{b}", "a over b"),
    (r"\frac{1}{2}", "one half"),
    (r"\frac{x+1}{y}", "the fraction x plus 1 over y"),
    (r"\sum_{k=1}^n k^2", "sum from k equals 1 to n of k squared"),
    (r"\sum_{k\in S} a_k", "sum over k in S of a sub k"),
    (r"\int_0^1 f(x)\,dx", "integral from 0 to 1 of f of x d x"),
    (r"\int_{\mathbb R} e^{-x^2} dx", "integral over the real numbers of e to the power negative x squared d x"),
    (r"\lim_{x\to 0}\frac{\sin x}{x}=1", "limit as x approaches 0 of the fraction sine of x over x equals 1"),
    (r"\sqrt{x+1}", "square root of x plus 1"),
    (r"\sqrt[3]{2}", "cube root of 2"),
    (r"\frac{d}{dx} f(x)", "derivative with respect to x of f of x"),
    (r"\frac{dy}{dx}", "derivative of y with respect to x"),
    (r"\frac{\partial^2 u}{\partial x^2}", "second partial derivative of u with respect to x"),
    (r"(a+b)^2=a^2+2ab+b^2", "the quantity a plus b all squared equals a squared plus 2 a b plus b squared"),
    (r"f'(x)", "f prime of x"),
    (r"|x-y|<\epsilon", "absolute value of x minus y is less than epsilon"),
    (r"\|x\|\leq 1", "norm of x is less than or equal to 1"),
    (r"f\colon A\to B", "f from A to B"),
    (r"\{x\in\mathbb{R} : x>0\}", "the set of x in the real numbers such that x is greater than 0"),
    (r"\{x \mid x > 0\}", "the set of x such that x is greater than 0"),
    (r"a\equiv b\pmod n", "a is congruent to b modulo n"),
    (r"\binom{n}{k}", "n choose k"),
    (r"A^{-1}", "A inverse"),
    (r"A^T", "A transpose"),
    (r"\alpha+\beta\ne\Gamma", "alpha plus beta is not equal to capital gamma"),
    (r"[0,1]", "closed interval from 0 to 1"),
    (r"[0,1)", "half open interval from 0 to 1"),
    (r"\langle x,y\rangle", "inner product of x and y"),
    (r"-x", "negative x"),
    (r"\forall x\exists y", "for all x there exists y"),
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "2 by 2 matrix a, b; c, d"),
    (r"\overline{z}", "z bar"),
    (r"\vec v", "vector v"),
    (r"n!", "n factorial"),
    (r"P(A|B)", "P of A given B"),
    (r"a|b", "a divides b"),
    (r"p\mid n", "p divides n"),
    (r"\sin^2 x+\cos^2 x=1", "sine squared of x plus cosine squared of x equals 1"),
    (r"\log_2 n", "logarithm base 2 of n"),
    (r"\max_{x\in X} f(x)", "maximum over x in X of f of x"),
    (r"\lfloor x\rfloor", "floor of x"),
    (r"G/H", "G divided by H"),
    (r"A\subseteq B\cap C", "A is a subset of B intersection C"),
    (r"\mathbb{Z}/n\mathbb{Z}", "the integers divided by n the integers"),
    (r"x_1,\dots,x_n", "x sub 1, dots, x sub n"),
    (r"e^{i\pi}+1=0", "e to the power i pi plus 1 equals 0"),
    (r"\operatorname{rank}(A)", "rank of A"),
    (r"\|f\|_{L^p}", "norm of f sub L to the power p"),
    (r"(a+b)(c+d)", "the quantity a plus b the quantity c plus d"),
    (r"\sin(x+y)", "sine of x plus y"),
    (r"|x|+|y|", "absolute value of x plus absolute value of y"),
    (r"f(g(x))", "f of g of x"),
    (r"\foo{x}", "foo x"),
    (r"90^\circ", "90 degrees"),
    (r"\prod_{i} p_i", "product over i of p sub i"),
    (r"\begin{cases}1&x>0\\0&x\le0\end{cases}", "cases 1, x is greater than 0; 0, x is less than or equal to 0"),
    (r"\hat{f}", "f hat"),
    (r"\nabla f", "gradient of f"),
    (r"f:\mathbb{R}\to\mathbb{R},\ x\mapsto x^3", "f from the real numbers to the real numbers, x maps to x cubed"),
    (r"\lvert\frac{a}{b}\rvert", "absolute value of a over b"),
    (r"\|x\|^2", "norm of x all squared"),
    (r"a\not\subset b", "a is not a subset of b"),
    (r"X\not\cong Y", "X is not isomorphic to Y"),
    (r"\text{if }x=1", "if x equals 1"),
    (r"", ""),
    (r"(", ""),
    (r")x(", "x"),
    (r"|x", "absolute value of x"),
    (r"\left(\frac{a+b}{2}\right)^n", "the fraction a plus b over 2 all to the power n"),
    (r"\nabla\cdot F", "divergence of F"),
    (r"\nabla\times(\nabla\times F)=0", "curl of curl of F equals 0"),
    (r"a\nabla\cdot\nabla f", "a divergence of gradient of f"),
    (r"{}_2F_1", "F sub 1 sub 2"),
    (r"\limsup_{n\to\infty} a_n", "limit superior as n approaches infinity of a sub n"),
    (r"\iint_D f\,dA", "double integral over D of f d A"),
    (r"\bigcup_{i=1}^\infty A_i", "union from i equals 1 to infinity of A sub i"),
    (r"\ker\varphi", "kernel of phi"),
    (r"\det A", "determinant of A"),
    (r"|A|=\aleph_0", "absolute value of A equals aleph sub 0"),
    (r"y'' + y = 0", "y double prime plus y equals 0"),
    (r"a-b", "a minus b"),
    (r"x=-1", "x equals negative 1"),
    (r"\pm\sqrt{2}", "plus or minus square root of 2"),
    (r"\mathfrak{g}", "g"),
    (r"A\times_SB", "A times sub S B"),
    (r"f\overset{(2)}{=}g", "f equals with 2 above g"),
    (r"x\underset{n}{\to}y", "x to with n below y"),
    (r"\cup_{i=1}^nA_i", "union from i equals 1 to n of A sub i"),
    (r"u=c\qquad v=d", "u equals c, v equals d"),
    (r"a\not\perp b", "a not perpendicular to b"),
]


@every_case(("source", "words"), SPOKEN)
def test_formulas_are_read_aloud(source: str, words: str) -> None:
    assert to_spoken(parse_latex(source)) == words


def test_mathml_is_read_like_latex() -> None:
    mathml = "<math><mfrac><mrow><mi>x</mi><mo>+</mo><mn>1</mn></mrow><mi>y</mi></mfrac></math>"
    assert to_spoken(parse_mathml(mathml)) == "the fraction x plus 1 over y"


def test_relations_operators_and_greek_letters_are_words() -> None:
    for label, _ in SYMBOLS.values():
        if token_class(label) in ("greek", "equality", "order", "membership", "subset", "logic"):
            words = to_spoken(parse_latex(f"a {label} b"))
            assert words.isascii(), (label, words)


@given(st.text(alphabet=r"abx12^_{}()[]|\\+-=,:<>/!'& ∑∫→∈√ℝ", max_size=40))
def test_every_string_is_read(source: str) -> None:
    words = to_spoken(parse_latex(source))
    assert words == words.strip()
    assert "\n" not in words


@every_case("source", [
    "(" * 20_000 + "x", "|" * 20_000, ":" * 20_000 + r"\to", "x^{" * 5_000 + "y" + "}" * 5_000,
    r"\frac{1}{" * 5_000, r"\sin " * 10_000, r"\frac{d}{dx}" * 5_000,
])
def test_long_and_deep_formulas_are_read(source: str) -> None:
    assert len(to_spoken(parse_latex(source))) < 100 * len(source)
