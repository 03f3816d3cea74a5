"""Lean's terms are read by the precedence of their operators, to the trees of LaTeX."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.formula import operator_string, operator_tree, parse
from porism.formula.plain.lean_terms import read_term

SAME = [
    ("a + b - c ≤ d * e / f", r"a + b - c \le \frac{d \cdot e}{f}"),
    ("?a ⊔ (?b ⊓ ?c) = d", r"?a \sqcup (?b \sqcap ?c) = d"),
    ("∑ i ∈ s, f i = 0", r"(\sum_{i \in s} f(i)) = 0"),
    ("∫ x in a..b, f x = 0", r"(\int_a^b f(x) dx) = 0"),
    ("{x : α | 0 < x}", r"\{x \mid 0 < x\}"),
    ("√x * ‖y‖ = |z|⁻¹", r"\sqrt x \cdot \|y\| = |z|^{-1}"),
    ("Nat.choose n k = n.choose k", r"\binom n k = \binom n k"),
    ("p ∧ q ∧ r → s → t", r"(p \land q \land r) \to s \to t"),
    ("x₁ + x' = f (g x)", "x_1 + x' = f(g(x))"),
    ("-x ^ 2 < n !", "-x^2 < n!"),
    ("s.sum f = Finset.prod s g", r"(\sum_s f) = (\prod_s g)"),
    ("(f ∘ g) x = fun y ↦ y", r"(f \circ g)(x) = (y \mapsto y)"),
]

TREES = [
    ("(s • t).Nonempty", "Nonempty(smul(s,t))"),
    ("s.sup f ^ 2", "sup(supremum(s,f),2)"),
    ("f.comp g x", "comp(f,g,x)"),
    ("(f.comp g) x", "apply(comp(f,g),x)"),
    ("CostructuredArrow.proj L Y ⋙ F", "⋙(proj(L,Y),F)"),
    ("∫ x, f x ∂μ = 0", "eq(int(apply(f,x),diff(x),μ),0)"),
    ("∫ x, f x + g x ∂μ", "int(plus(apply(f,x),apply(g,x)),diff(x),μ)"),
    ("∫ x, f x ∂?μ + ∫ x, g x ∂μ = a",
     "eq(plus(int(apply(f,x),diff(x),μ),int(apply(g,x),diff(x),μ)),a)"),
    ("f =o[l] g", "=o(f,g)"), ("M →ₗ[R] N", "→ₗ(M,N)"), ("s ×ˢ t ⊆ u", "subseteq(×ˢ(s,t),u)"),
    ("f (a := 1) x", "apply(f,x)"), ("(a : ℤ) = b", "eq(a,b)"), ("@foo.{u} a", "foo(a)"),
    ("LipschitzWith 1 fun p : A × A => p.1 ⊔ p.2", "LipschitzWith(1,mapsto(p,sqcup(sub(p,1),sub(p,2))))"),
    ("f <| x + y", "apply(f,plus(x,y))"), ("¬ a = b ∧ c", "and(not(eq(a,b)),c)"), ("⟪x, y⟫_ℝ", "inner(x,y)"),
    ("∃ x ∈ s, ∀ y z, x ≤ y", "exists(in(x,s),forall(y,forall(z,leq(x,y))))"),
    ("if p then a else b", "cases(branch(a,p),branch(b,otherwise))"), ("a - b - c", "plus(a,neg(b),neg(c))"),
]

PIECES = st.sampled_from([
    *"abfxyz019()[]{}⟨⟩|‖,:=+-*/^∑∫∀∃λ¬√!·.'\"«»_ \n", ":=", "=>", "fun ", "∈", "→", "//", "..", "∂", "?a", "f.g", "<|",
    "⁻¹", "₁", "²", "by ", "if ", "→ₗ[R]", "\ud800", "⟫", "⁻¹'",
])


def short(source: str) -> str:
    def written(node: object) -> str:
        label, children = node.label, node.children  # type: ignore[attr-defined]
        return f"{label}({','.join(map(written, children))})" if children else label

    return written(read_term(source)[0].root)


@every_case(("lean", "latex"), SAME)
def test_a_term_has_the_tree_of_its_latex(lean: str, latex: str) -> None:
    nodes, expected = (
        [(node.kind, node.label, len(node.children)) for node in tree.root.walk()]
        for tree in (read_term(lean)[0], operator_tree(parse(latex)))
    )
    assert nodes == expected


@every_case(("source", "tree"), TREES)
def test_terms_are_read_as_lean_reads_them(source: str, tree: str) -> None:
    assert short(source) == tree
    assert read_term(source)[1] == []


def test_what_cannot_be_read_is_reported_with_its_place() -> None:
    assert [(problem.position, problem.what) for problem in read_term("a + ) (b")[1]] == [
        (4, ") closes nothing"), (6, "a bracket is never closed"),
    ]
    assert [problem.position for problem in read_term("a +")[1]] == [2]


@given(st.lists(PIECES, max_size=30).map("".join) | st.text(max_size=30))
def test_any_text_is_read_and_places_are_nested(source: str) -> None:
    tree, problems = read_term(source)
    for node in tree.root.walk():
        assert 0 <= node.start <= node.end <= len(source)
    assert all(0 <= problem.position <= len(source) for problem in problems)


def test_deep_nesting_is_read_without_recursion() -> None:
    for source in ("(" * 5_000, "f (" * 5_000, "∀ x, " * 5_000, "-" * 5_000, "a ^ " * 5_000 + "a", "|" * 5_000):
        read_term(source)


def test_a_formula_of_lean_has_the_tree_of_its_term() -> None:
    layout = parse("s.card = (2 : ℕ)", "lean")
    assert operator_string(operator_tree(layout)) == operator_string(read_term("s.card = (2 : ℕ)")[0])
