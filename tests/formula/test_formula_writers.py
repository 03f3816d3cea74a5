"""Layout trees written as MathML, LaTeX, plain text, keys and Tangent's notation."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from itertools import pairwise

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.formula import (
    LayoutNode,
    LayoutTree,
    layout_key,
    layout_string,
    parse_latex,
    parse_mathml,
    preorder,
    to_latex,
    to_marked_unicode,
    to_mathml,
    to_unicode,
)

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"

MATHML = [
    ("x^2", "<msup><mi>x</mi><mn>2</mn></msup>"),
    ("a+b", "<mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow>"),
    (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
    (r"\sqrt{\frac xy}\sqrt[3]x",
     '<mrow><msqrt><mfrac><mi>x</mi><mi>y</mi></mfrac></msqrt><mroot><mrow><mspace height="0.72em" depth="0.16em">'
     "</mspace><mi>x</mi></mrow><mn>3</mn></mroot></mrow>"),
    (r"x_i^2", "<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>"),
    (r"\sum_i^n", '<munderover><mo lspace="0" rspace="0">∑</mo><mi>i</mi><mi>n</mi></munderover>'),
    (r"\int_i^n", '<msubsup><mo lspace="0" rspace="0">∫</mo><mi>i</mi><mi>n</mi></msubsup>'),
    (r"\hat x", '<mover accent="true"><mi>x</mi><mo stretchy="false">ˆ</mo></mover>'),
    (r"\overset{f}{\to}", '<mover><mo lspace="0" rspace="0" stretchy="false">→</mo><mi>f</mi></mover>'),
    (r"\text{if }x", '<mrow><mtext>if</mtext><mspace width="0.3333em"></mspace><mi>x</mi></mrow>'),
    (r"(x)", '<mrow><mo stretchy="false">(</mo><mi>x</mi><mo stretchy="false">)</mo></mrow>'),
    (r"\left(\frac xy\right)",
     '<mrow><mrow><mo stretchy="true">(</mo><mfrac><mi>x</mi><mi>y</mi></mfrac><mo stretchy="true">)</mo>'
     "</mrow></mrow>"),
    (r"\binom nk",
     '<mrow><mo stretchy="true">(</mo><mfrac linethickness="0"><mi>n</mi><mi>k</mi></mfrac>'
     '<mo stretchy="true">)</mo></mrow>'),
    (r"{}_2F_1",
     "<mmultiscripts><mi>F</mi><mn>1</mn><mrow></mrow><mprescripts></mprescripts><mn>2</mn><mrow></mrow></mmultiscripts>"),
    (r"\mathbf{x}\mathbb{R}\mathcal{A}", "<mrow><mi>𝐱</mi><mi>ℝ</mi><mi>𝒜</mi></mrow>"),
    (r"a<b", "<mrow><mi>a</mi><mo>&lt;</mo><mi>b</mi></mrow>"),
    (r"\sin x", '<mrow><mi>sin</mi><mspace></mspace><mo rspace="0.1667em">\u2061</mo><mi>x</mi></mrow>'),
    (r"\foo", r"<merror><mtext>\foo</mtext></merror>"),
    (r"?x", "<mi>?x</mi>"),
    (r"\underbrace{x}_n", "<munder><munder><mi>x</mi><mo>⏟</mo></munder><mi>n</mi></munder>"),
]


@every_case(("source", "inner"), MATHML)
def test_mathml(source: str, inner: str) -> None:
    assert to_mathml(parse_latex(source), ids=False) == f'<math xmlns="http://www.w3.org/1998/Math/MathML">{inner}</math>'


def test_ids_count_the_nodes_in_preorder_and_marks_are_classes() -> None:
    tree = parse_latex(r"x^2+\frac{a}{b}")
    assert [node.label for node in preorder(tree)] == ["x", "2", "+", "/", "a", "b"]
    root = ElementTree.fromstring(to_mathml(tree, display=True, prefix="q1-", marked={0, 5}))
    ids = {element.get("id"): element for element in root.iter() if element.get("id")}
    assert sorted(ids) == [f"q1-{number}" for number in range(6)]
    assert ids["q1-0"].tag == NAMESPACE + "msup"
    assert ids["q1-3"].tag == NAMESPACE + "mfrac"
    assert {key for key, element in ids.items() if element.get("class") == "match"} == {"q1-0", "q1-5"}
    assert root.get("display") == "block"


def test_every_node_has_its_id_once_whatever_it_is() -> None:
    source = (
        r"{}_2^3X_1^2+\hat{x}_1+\underbrace{a+b}_{n}+\sqrt[3]{y}+\begin{pmatrix}1&2\\3&4\end{pmatrix}^T+\binom nk"
        r"+\begin{cases}a&b\\c&d\end{cases}+\left(\frac12\right)^2+\text{if}+\qvar{z}+\foo+\sum_{\substack{i\\j}}{x^2}^3"
        r"\underset{a}{\overset{b}{c}}"
    )
    tree = parse_latex(source)
    ids = re.findall(r' id="m-(\d+)"', to_mathml(tree))
    assert sorted(map(int, ids)) == list(range(len(preorder(tree))))


def test_marks_work_without_ids() -> None:
    assert 'class="hit"' in to_mathml(parse_latex("x+y"), ids=False, marked=[2], mark_class="hit")
    lines = to_mathml(parse_latex(r"\begin{aligned}a&=b\\c&=d\end{aligned}"), ids=False, marked=[0])
    assert 'class="match lines"' in lines or 'class="lines match"' in lines


def test_mathml_is_well_formed_for_labels_with_markup() -> None:
    tree = LayoutTree([LayoutNode("<a&b>", "T"), LayoutNode('"', "O"), LayoutNode("</x>", "E")], "")
    assert ElementTree.fromstring(to_mathml(tree)).findtext(f".//{NAMESPACE}mtext") == "<a&b>"


LATEX = [
    ("x^2", "x^{2}"), (r"\frac12", r"\frac{1}{2}"), (r"a \leqslant b", r"a\le b"),
    (r"\mathrm{lcm}(a)", r"\operatorname{lcm}(a)"),
    (r"\sin x", r"\sin x"), (r"1\;2", r"1\;2"), (r"\text{a \% b}", r"\text{a \% b}"), (r"\hat{ab}", r"\hat{{ab}}"),
    (r"{}_2F_1", "{}_{2}F_{1}"),
    (r"\root 3\of x", r"\root {3}\of{x}"), ("?x", r"\qvar{x}"), (r"\mathbb R", r"\mathbb{R}"),
    (r"a\not\in b", r"a\notin b"),
    (r"\cases{a&b\cr c&d}", r"\begin{cases}a& b\\ c& d\end{cases}"), ("f''", r"f^{\prime\prime}"),
]


@every_case(("source", "expected"), LATEX)
def test_latex(source: str, expected: str) -> None:
    assert to_latex(parse_latex(source)) == expected


TEXTS = [
    ("x^2+y_1", "x² + y₁"), (r"\sum_{k=1}^n k^2", "∑ₖ₌₁ⁿ k²"), (r"\frac{a+b}{c}", "(a + b)/c"),
    (r"\sqrt{x+1}", "√(x + 1)"), (r"\sqrt[3]{x}", "∛x"),
    (r"-x+1", "-x + 1"), (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "(1, 2; 3, 4)"), (r"\binom nk", "C(n, k)"),
    (r"\mathbf x\in\mathbb R^n", "𝐱 ∈ ℝⁿ"),
    (r"e^{-x^2}", "e^(-x²)"), (r"\hat x", "x̂"), (r"\overline{ab}", "overline(ab)"), (r"f''(x)", "f′′(x)"),
    (r"\sin x", "sin x"),
    (r"\text{if }x>0", "if x > 0"), (r"x_{ij}", "xᵢⱼ"), (r"x_{max}^A", "xₘₐₓᴬ"), (r"x_Q", "x_Q"),
    ("f(x,y)", "f(x, y)"), ("", ""),
    (r"\int_0^1\frac{\sin x}{x}dx=\frac a2b", "∫₀¹ (sin x)/x dx = (a/2)b"),
    (r"2\sum_i x_i\cdot\frac ab\cdot c", "2 ∑ᵢ xᵢ⋅a/b⋅c"),
    (r"\int f\,dx\int g\,dy", "∫ f dx ∫ g dy"),
]


GROUPED = [  # what a fraction, a root or a script holds is to be seen on one line too
    (r"\mathfrak m_A B", "𝔪_A B"), (r"\mathfrak m_{AB}", "𝔪_(AB)"), (r"\mathfrak m_A^n", "𝔪ⁿ_A"),
    (r"x^\alpha y", "x^α y"),
    (r"X_Y^Z W", "X^Z_Y W"), (r"g''_A B", "g′′_A B"), (r"x_{i_j}k", "x_(iⱼ)k"), (r"x^{y^z}w", "x^(yᶻ)w"),
    (r"e^{\sin x}", "e^(sin x)"), (r"e^{ix}", "eⁱˣ"), (r"V^*W", "V^* W"), (r"V^*(x)", "V^*(x)"), (r"a*b", "a*b"),
    (r"M\otimes_A N", "M ⊗_A N"), (r"M\otimes N", "M⊗N"), (r"\mathcal O_X(U)", "𝒪_X(U)"),
    (r"R\,{}_AM", "R _(A)M"), (r"{}_2F_1(a)", "₂F₁(a)"),
    (r"?x y", "?x y"), (r"?x+y", "?x + y"),
    (r"2\frac12", "2(1/2)"), (r"x\frac ab", "x(a/b)"), (r"\frac abc", "(a/b)c"), (r"\frac ab(c+d)", "(a/b)(c + d)"),
    (r"\frac ab\frac cd", "(a/b)(c/d)"), (r"c/\frac ab", "c/(a/b)"), (r"\frac ab/c", "a/b/c"),
    (r"f\circ\frac ab", "f∘(a/b)"),
    (r"\frac ab^2", "(a/b)²"), (r"\frac xy'", "(x/y)′"), (r"\frac xy!", "(x/y)!"), (r"-\frac12", "-1/2"),
    (r"a-\frac12b", "a - (1/2)b"), (r"\left(\frac ab\right)^2", "(a/b)²"), (r"|\frac ab|x", "|a/b|x"),
    (r"|x|\frac ab", "|x|(a/b)"),
    (r"\sin\frac x2\cos x", "sin(x/2) cos x"), (r"\lim_{x\to0}\frac{\sin x}{x}", "lim_(x → 0) (sin x)/x"),
    (r"\sum_{i=1}^N\frac1ix", "∑ᵢ₌₁ᴺ (1/i)x"), (r"\int_0^1\frac1x\,dx", "∫₀¹ 1/x dx"), (r"\int_A f\,d\mu", "∫_A f dμ"),
    (r"\frac{f(x)}{g(x)}", "f(x)/g(x)"), (r"\frac{f(x)g(x)}{2}", "(f(x)g(x))/2"), (r"\frac{(a+b)}{c}", "(a + b)/c"),
    (r"\frac{(a)(b)}{c}", "((a)(b))/c"), (r"\frac{n!}{k!(n-k)!}", "n!/(k!(n - k)!)"),
    (r"\frac{d}{dx}f(x)", "d/dx f(x)"),
    (r"\frac{\partial u}{\partial t}=k\frac{\partial^2u}{\partial x^2}", "∂u/∂t = k(∂²u/∂x²)"),
    (r"\frac{ab}{dx}", "(ab)/dx"), (r"\frac{ab}{cd}", "(ab)/(cd)"),
    (r"\sqrt xy", "√x y"), (r"\sqrt2\pi", "√2 π"), (r"\sqrt x^2", "(√x)²"), (r"\sqrt[n]{x}y", "ⁿ√x y"),
    (r"\sqrt{ab}c", "√(ab)c"), (r"u=c\qquad v=d", "u = c  v = d"), (r"u,\quad v", "u,  v"),
    (r"\binom nk^2", "C(n, k)²"), (r"f(x)=\begin{cases}x&x>0\\-x&x<0\end{cases}", "f(x) = {x, x > 0; -x, x < 0}"),
]


@every_case(("source", "expected"), [*TEXTS, *GROUPED])
def test_plain_text(source: str, expected: str) -> None:
    assert to_unicode(parse_latex(source)) == expected


TANGENT = [
    (r"x^2+\frac{a}{b}=0", "[V!x[+[F![=[N!0]],o[V!a],u[V!b]]],a[N!2]]"),
    (r"\sqrt[3]{x}", "[R!,c[N!3],w[V!x]]"),
    (r"x_i", "[V!x,b[V!i]]"),
    (r"\begin{pmatrix}1&2\end{pmatrix}", "[M!()1x2,w[N!1,e[N!2]]]"),
    (r"?a\text{if}\binom nk", "[?a[T!if[F!choose,o[V!n],u[V!k]]]]"),
    ("", ""),
]


@every_case(("source", "expected"), TANGENT)
def test_tangents_notation(source: str, expected: str) -> None:
    assert layout_string(parse_latex(source)) == expected


def test_keys_tell_structure_from_labels_that_look_like_it() -> None:
    def key(*nodes: LayoutNode) -> str:
        return layout_key(LayoutTree(list(nodes), ""))

    assert key(LayoutNode("a b", "T")) != key(LayoutNode("a", "T"), LayoutNode("b", "T"))
    assert key(LayoutNode("a T!b", "T")) != key(LayoutNode("a", "T"), LayoutNode("b", "T"))
    assert key(LayoutNode("a\\sb", "T")) != key(LayoutNode("a b", "T"))
    scripted = LayoutNode("x", "V")
    scripted.above = [LayoutNode("2", "N")]
    assert key(scripted) != key(LayoutNode("x [a N!2 ]", "V"))
    assert key(LayoutNode("x", "V", 1, 2)) == key(LayoutNode("x", "V", 5, 6))
    assert key(LayoutNode("x", "V", font="bf")) != key(LayoutNode("x", "V"))


def test_writing_does_not_change_the_tree() -> None:
    tree = parse_latex(r"\left(\frac{1}{2}\right)^2\begin{cases}a&b\\c&d\end{cases}")
    key = layout_key(tree)
    for write in (to_mathml, to_latex, to_unicode, layout_string):
        write(tree)
        assert layout_key(tree) == key
    assert layout_key(parse_mathml(to_mathml(tree))) == key


MARKED = [  # marked nodes in preorder, or None for all
    (r"x_i^2+\frac{a+b}{c}", {0, 1}, "[x]ᵢ[²] + (a + b)/c"),
    (r"x_i^2+\frac{a+b}{c}", {4, 5, 6, 7}, "xᵢ² + [(a + b)/]c"),
    (r"x_i^2+\frac{a+b}{c}", None, "[xᵢ² + (a + b)/c]"),
    (r"\sum_{i=1}^n i^2", {0, 2, 3, 4}, "[∑ᵢ₌₁]ⁿ i²"),
    (r"\sqrt[3]{x+1}", {0}, "[∛](x + 1)"), (r"\sqrt[n]{x}", {0, 1}, "[ⁿ√]x"),
    (r"\hat x+\overline{ab}", {0}, "[x̂] + overline(ab)"), (r"\binom nk", None, "[C(n, k)]"),
    (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", None, "[(a, b; c, d)]"),
    (r"x^{a/b}", {2, 3}, "x^(a[/b])"), (r"x^{\mathbb{R}}", {1}, "x[^ℝ]"), (r"𠀀+?x", {0, 2}, "𠀀 + [?x]"),
]


@every_case(("source", "marked", "expected"), MARKED)
def test_marks_in_text(source: str, marked: set[int] | None, expected: str) -> None:
    tree = parse_latex(source)
    numbers = set(range(len(preorder(tree)))) if marked is None else marked
    pieces = to_marked_unicode(tree, numbers)
    assert "".join(f"[{text}]" if is_marked else text for text, is_marked in pieces) == expected
    assert "".join(text for text, _ in pieces) == to_unicode(tree)


@given(st.text(r"\frac{}sqrt[]_^+x1()hat&matrixbegin,ABC 𝔸⋅", max_size=60), st.integers(0, 2**64))
def test_marks_do_not_change_the_text(source: str, choice: int) -> None:
    tree = parse_latex(source)
    marked = {number for number in range(len(preorder(tree))) if choice >> (number % 64) & 1}
    pieces = to_marked_unicode(tree, marked)
    assert "".join(text for text, _ in pieces) == to_unicode(tree)
    assert all(first[1] != second[1] for first, second in pairwise(pieces))


def test_a_character_for_private_use_is_no_mark() -> None:
    tree = LayoutTree([LayoutNode("\U000f0041", "O"), LayoutNode("x", "V")], "")
    assert to_marked_unicode(tree, ()) == [(to_unicode(tree), False)]
    assert to_marked_unicode(tree, {1}) == [("\ufffd", False), ("x", True)]


def test_marks_of_bare_symbols_leave_their_scripts_alone() -> None:
    tree = parse_latex("x^2+y")
    written = to_mathml(tree, ids=False, marked={0, 3}, mark_scripts=False)
    assert '<msup><mi class="match">x</mi><mn>2</mn></msup>' in written
    assert '<mi class="match">y</mi>' in written
    assert 'id="m-0"><mi class="match">' in to_mathml(tree, marked={0}, mark_scripts=False)
