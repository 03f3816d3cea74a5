"""Unicode, AsciiMath, Typst and Lean are read to the trees of LaTeX, and written so that they are read back."""

from __future__ import annotations

from collections.abc import Callable

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from notation_cases import CASES

from porism.formula import (
    PLAIN_NOTATIONS,
    LayoutTree,
    PlainNotation,
    detect_notation,
    operator_string,
    operator_tree,
    parse,
    parse_latex,
    parse_plain,
    preorder,
    to_asciimath,
    to_latex,
    to_typst,
    to_unicode,
)
from porism.formula.plain.parser import plain_to_latex

EXAMPLES = [(notation, written, latex) for notation, cases in CASES.items() for written, latex in cases]
WRITERS: dict[PlainNotation, Callable[[LayoutTree], str]] = {"asciimath": to_asciimath, "typst": to_typst}
PIECES = st.sampled_from([
    *"abdxf0129(){}[]|/^_+-*=<>,;:.!'\"&@#$%~\\√∑∫∀∃λ²₁′½ℝ⟨⟩ \n", "\ud800", "\u0338", "sqrt", "frac", "root", "mat(",
    'delim: "["', "{:", ":}", "sum", "sin", "attach(", "t:", "fun ", "=>", "..", "Real.sqrt", "arrow.r", "op(", '"a b"',
    "■(", "in ", "rm(", "overbrace(", "xx", "dx", "cases(",
    "if ", "then ", "else ", ".succ", "hf.comp ", "limits(", "f ",
])
WORDS_SPOKEN = st.lists(st.sampled_from([
    *"xdnf2,(^=|'\u0338", "over", "choose", "the quantity", "the fraction", "of", "from", "to", "as", "all", "sub",
    "hat", "sum", "to the", "squared", "derivative of", "second derivative", "with respect to", "closed interval from",
    "and", "n-th root of", "the set of", "inner product of", "given", "limit", "integral", "plus", "minus", "times",
    "foo", "equals", "square root of", "base",
]), max_size=20).map(" ".join)
ANYTHING = st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=30)


def operators(tree: LayoutTree) -> str:
    return operator_string(operator_tree(tree))


@every_case(("notation", "written", "latex"), EXAMPLES)
def test_a_notation_has_the_tree_of_its_latex(notation: PlainNotation, written: str, latex: str) -> None:
    tree = parse_plain(written, notation)
    assert operators(tree) == operators(parse_latex(latex))
    assert tree.problems == ()


@every_case("notation", WRITERS)
def test_what_is_written_is_read_back(notation: PlainNotation) -> None:
    lost = {latex for _, _, latex in EXAMPLES for tree in (parse_latex(latex),)
            if operators(parse_plain(WRITERS[notation](tree), notation)) != operators(tree)}
    assert lost == set()


@every_case(
    ("latex", "asciimath", "typst"),
    [
        (r"\sum_{i=1}^n\frac{a_i}{b}", "sum_(i = 1)^n (a_i)/(b)", "sum_(i = 1)^n frac(a_i, b)"),
        (r"\alpha\le\mathbb{R}", "alpha <= RR", "alpha lt.eq RR"),
        (r"\sqrt[3]{x}+\binom nk", "root(3)(x) + binom(n)(k)", "root(3, x) + binom(n, k)"),
        (r"\begin{bmatrix}1&2\\3&4\end{bmatrix}", "[[1, 2], [3, 4]]", 'mat(delim: "[", 1, 2; 3, 4)'),
        (r"\text{if }x'\ne\mathbf v", "\"if\" x' != bb(v)", "\"if\" x' eq.not bold(v)"),
        (r"\sin\frac x2", "sin frac(x)(2)", "sin frac(x, 2)"),
        (r"\sqrt{a,b}+{}^{14}C", "sqrt(a, b) + {::}^14 C", 'sqrt(a comma b) + ""^14 C'),
    ],
)
def test_writers(latex: str, asciimath: str, typst: str) -> None:
    tree = parse_latex(latex)
    assert to_asciimath(tree) == asciimath
    assert to_typst(tree) == typst


def test_a_power_and_a_parenthesis_are_not_one_denominator_without_parentheses() -> None:
    assert to_unicode(parse_latex(r"\frac1{e^x(x+1)}")) == "1/(eˣ(x + 1))"
    assert to_unicode(parse_latex(r"\frac1{f'(x)}")) == "1/f′(x)"


@given(ANYTHING | WORDS_SPOKEN, st.sampled_from(PLAIN_NOTATIONS))
def test_every_text_gives_a_tree_with_spans_inside_it(text: str, notation: PlainNotation) -> None:
    tree = parse_plain(text, notation)
    assert all(0 <= node.start <= node.end <= len(text) for node in preorder(tree))
    assert all(0 <= problem.position <= len(text) for problem in tree.problems)
    for writer in WRITERS.values():
        assert isinstance(writer(tree), str)
    assert detect_notation(text) in ("latex", "mathml", *PLAIN_NOTATIONS)


@every_case(
    ("notation", "written", "spans"),
    [
        ("asciimath", "alpha/(x+12)", ["alpha/(x+12)", "alpha", "x", "+", "12"]),
        ("typst", "frac(a, RR)", ["frac(a, RR)", "a", "RR"]),
        ("unicode", "√(x+1)", ["√(x+1)", "x", "+", "1"]),
        ("lean", "foo x", ["foo", "x"]),
    ],
)
def test_symbols_have_their_places_in_the_source(notation: PlainNotation, written: str, spans: list[str]) -> None:
    tree = parse_plain(written, notation)
    assert [written[node.start:node.end] for node in preorder(tree) if node.end > node.start] == spans


@every_case(
    ("written", "latex"),
    [
        (r"f\( x \) \, y", r"f(x),y"), (r"A \\ B", r"A\setminus B"), (r"\u{211d} \{ x \}", r"\mathbb{R}\{x\}"),
        ("f thin g med h", r"f\,g\:h"),
        ('upright("if ") x', r"\mathrm{\text{if }}x"), ('upright("d") x', r"\mathrm{d}x"),
        ('"Hom"(A, B)', r"\operatorname{Hom}(A,B)"),
        ('"end" x', r"\text{end}x"), ("A arrow.r^f B", r"A\overset{f}\to B"),
        ('a =^"def" b', r"a\overset{\text{def}}=b"), ("arrow.double", r"\Rightarrow"), ("arrow.long.r", r"\to"),
        ("tack.t xor tack.r.double.not", r"\bot\oplus\nvDash"), ("a &= b \\\n &= c", r"a&=b\\&=c"),
        ('mat(1, 2; 3, 4; delim: "[")', r"\begin{bmatrix}1&2\\3&4\\\end{bmatrix}"),
        ("cases(gap: #1em, 1, 2)", r"\begin{cases}1\\2\end{cases}"), ('text("so") alpha', r"{\text{so}}\alpha"),
    ],
)
def test_typst_as_latex(written: str, latex: str) -> None:
    assert plain_to_latex(written, "typst") == (latex, [])


@every_case(
    ("notation", "written", "problems"),
    [
        ("asciimath", "sqrt(x", [(4, "this is never closed")]),
        ("asciimath", "x^ , y", [(3, "an operand is missing")]),
        ("asciimath", "x)", [(1, "nothing opens this")]),
        ("typst", "x + foo", [(4, "unknown name foo")]),
        ("typst", "mat(gup: 1, 2)", [(4, "unknown argument gup")]),
    ],
)
def test_what_cannot_be_read_is_reported(
    notation: PlainNotation, written: str, problems: list[tuple[int, str]]
) -> None:
    assert [(problem.position, problem.what) for problem in parse_plain(written, notation).problems] == problems


def test_long_and_deep_formulas_are_read_flat_and_reported() -> None:
    assert parse_plain("x+" * 10, max_length=5).problems[0].position == 5
    deep = parse_plain("sqrt(" * 3_000 + "x" + ")" * 3_000, "asciimath")
    assert any("nested deeper" in problem.what for problem in deep.problems)


@every_case(
    ("written", "notation"),
    [
        (r"\frac ab", "latex"), ("x^2+1", "latex"), ("<math><mi>x</mi></math>", "mathml"), ("sqrt(x)", "asciimath"),
        ("int_0^1 e^{-x^2} dx", "asciimath"), ("x^(n+1)", "asciimath"), ("√(x+1) ≤ 2", "unicode"),
        ("RR arrow.r CC", "typst"), ("mat(1, 2; 3, 4)", "typst"), ("∀ x : ℝ, 0 ≤ x ^ 2", "lean"),
        ("fun x => x + 1", "lean"), ("f x ≤ g x", "lean"), ("s.card ≤ n", "lean"),
        ("∑ i in s, f i", "lean"), ("x squared plus one", "spoken"), ("the square root of n", "spoken"),
        ("f of x", "spoken"), ("sin x", "asciimath"), ("a lt.eq b", "typst"), ("frac(a, b)", "typst"),
        ("frac(a)(b)", "asciimath"), ("RR nn QQ", "asciimath"), ("bold(x) dot bold(y)", "typst"),
        ("a ∪ b", "unicode"), ("some words only", "latex"), ("ab", "latex"), ("Real.sqrt x", "lean"),
        ("∑ i ∈ s, f i", "lean"),
    ],
)
def test_notations_are_detected(written: str, notation: str) -> None:
    assert detect_notation(written) == notation


def test_parse_takes_plain_notations_and_does_not_guess_them() -> None:
    assert to_latex(parse("frac(a, b)", "typst")) == r"\frac{a}{b}"
    assert operators(parse("sqrt(x)")) == operators(parse_latex("sqrt(x)"))


@every_case("name", ["IsOpen", "T2Space", "ab1c23", "a" * 63, "a" * 64, "a" * 70])
def test_names_of_lean_are_names_of_latex(name: str) -> None:
    latex = parse_latex(f"\\operatorname{{{name}}}(\\operatorname{{{name}}}, x)")
    assert to_latex(parse_plain(f"{name} {name} x", "lean")) == to_latex(latex)
