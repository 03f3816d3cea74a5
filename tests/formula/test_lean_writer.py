"""Formulas as terms of Lean."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.formula import operator_string, operator_tree, parse_latex, parse_plain, to_lean

READ_BACK = [
    (r"\frac{x+1}{y}", "(x + 1) / y"), ("ab", "a * b"), ("f(x,y+1)", "f x (y + 1)"),
    (r"\sum_{i=1}^n i^2", "∑ i ∈ Finset.Icc 1 n, i ^ 2"),
    (r"\int_0^1 e^{-x^2}dx", "∫ x in 0..1, e ^ (-x ^ 2)"), (r"\forall x\in A: p", "∀ x ∈ A, p"),
    (r"\exists x: p(x)", "∃ x, p x"), (r"A\subset B", "A ⊂ B"), (r"\binom nk", "Nat.choose n k"), ("f'", "f'"),
    (r"\{x\in A|x>0\}", "{x ∈ A | x > 0}"), ("[a,b]", "Set.Icc a b"), (r"\sin^2 x", "Real.sin x ^ 2"),
    ("n!", "Nat.factorial n"), ("(x,y)", "(x, y)"), (r"f: X\to Y", "f : X → Y"), (r"x\mapsto x+1", "fun x => x + 1"),
    ("a=b+c-d", "a = b + c - d"), ("a-(b-c)", "a - (b - c)"), (r"\{a,b\}", "{a, b}"), ("x^{-1}", "x⁻¹"),
    (r"\lfloor x\rfloor", "⌊x⌋"), (r"|x|\le\|y\|", "|x| ≤ ‖y‖"), ("x_1^2", "x₁ ^ 2"), (r"\sqrt{x+1}", "√(x + 1)"),
    (r"\pi r^2", "Real.pi * r ^ 2"), ("a(b+c)d", "a * (b + c) * d"), (r"a\sqcup b\sqcap c", "a ⊔ b ⊓ c"),
    (r"\prod_p (1-p)", "∏ p, (1 - p)"), (r"p\land\neg q", "p ∧ ¬q"), (r"m\mid n", "m ∣ n"),
    (r"\lambda x", "lambda * x"),
    (r"\begin{cases}1&x>0\\0&\text{otherwise}\end{cases}", "if x > 0 then 1 else 0"), ("-x", "-x"), ("", "_"),
]
ONLY_WRITTEN = [
    ("a_n", "a n"), ("x_{n+1}", "x (n + 1)"), (r"x<y\le z", "x < y ∧ y ≤ z"), (r"p\Rightarrow q\iff r", "p → q ↔ r"),
    (r"a\equiv b\pmod n", "a ≡ b [MOD n]"), (r"\frac{d}{dx}f(x)", "deriv (fun x => f x) x"),
    (r"\sqrt[3]{n}", "n ^ (1 / 3)"),
    (r"\begin{pmatrix}1&2\\3&4\end{pmatrix}", "!![1, 2; 3, 4]"), (r"f=\sum_{i\in s}i", "f = ∑ i ∈ s, i"),
    (r"\ln x", "Real.log x"), (r"a\text{ if }b", 'a, "if", b'),
    (r"\begin{cases}1&a\\2&b\\3&c\end{cases}", "if a then 1 else if b then 2 else 3"), (r"?x+\qvar{y}", "?x + ?y"),
]


@every_case(("latex", "lean"), [*READ_BACK, *ONLY_WRITTEN])
def test_a_formula_is_a_term(latex: str, lean: str) -> None:
    assert to_lean(parse_latex(latex)) == lean


@every_case(("latex", "lean"), READ_BACK[:-1])
def test_what_is_written_is_read_back(latex: str, lean: str) -> None:
    read = parse_plain(lean, "lean")
    assert operator_string(operator_tree(read)) == operator_string(operator_tree(parse_latex(latex)))


@given(st.lists(st.sampled_from([
    *"abfx12+-=<,;|!'()[]", "^", "_", "{", "}", "\\frac", "\\sum_", "\\int_", "\\forall ", "\\text{if}", "\\sqrt",
    "\\begin{cases}", "&", "\\\\", "\\end{cases}", "\\le ", "\\to ", "\\mapsto ", "\\sin ", "\\qvar{", "\\frac{d}{dx}",
    "\\pm ",
]), max_size=25).map("".join))
def test_every_formula_is_written(latex: str) -> None:
    assert to_lean(parse_latex(latex))


def test_a_chain_of_long_terms_is_not_written_twice() -> None:
    term = "x"
    for _ in range(30):
        term = f"(a<b+{term}\\le c)"
    assert len(to_lean(parse_latex(term))) < 2_000


def test_depth_is_no_matter() -> None:
    assert to_lean(parse_latex("(" * 500 + "x" + ")^2" * 500)).startswith("(")
