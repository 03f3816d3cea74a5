"""Statements: connectives between judgments, and statements in lists before relations."""

from case_tables import every_case

from porism.formula import OperatorNode, operator_tree, parse_latex


def written(node: OperatorNode) -> str:
    """A node as ``label(children)``."""
    return f"{node.label}({', '.join(map(written, node.children))})" if node.children else node.label


@every_case(("latex", "tree"), [
    (r"\Gamma\vdash A\Rightarrow B", "proves(Γ, implies(A, B))"),
    (r"\Gamma\vdash A\Leftrightarrow B", "proves(Γ, iff(A, B))"),
    (r"\phi\vDash\psi \iff \Gamma\nvdash\bot", "iff(models(ϕ, ψ), nproves(Γ, ⊥))"),
    (r"\Gamma\vdash A \Rightarrow \Gamma\models A", "implies(proves(Γ, A), models(Γ, A))"),
    (r"\Gamma\vdash A\land B\implies\Gamma\vdash A", "implies(proves(Γ, and(A, B)), proves(Γ, A))"),
    (
        r"\Gamma\vdash A\Rightarrow B\iff\Gamma\models A\Rightarrow B",
        "iff(proves(Γ, implies(A, B)), models(Γ, implies(A, B)))",
    ),
])
def test_equivalences_and_implications_between_judgments_bind_less_than_turnstiles(latex: str, tree: str) -> None:
    assert written(operator_tree(parse_latex(latex)).root) == tree


@every_case(("latex", "tree"), [
    (r"a\equiv b\pmod n, c\nmid d", "list(modulo(equiv(a, b), n), ndivides(c, d))"),
    (r"a\equiv b\pmod n, \quad c,d\in S", "list(modulo(equiv(a, b), n), in(list(c, d), S))"),
    (r"A\implies B, x,y\in C", "list(implies(A, B), in(list(x, y), C))"),
    (r"\neg p, q=r", "list(not(p), eq(q, r))"),
    (r"A\vdash_T B, x\in C", "list(proves_sub(A, B, sub(⊢, T)), in(x, C))"),
    (r"a\land b, c\in L", "in(list(and(a, b), c), L)"),
    (r"(a,b),(c,d)\in R", "in(list(tuple(a, b), tuple(c, d)), R)"),
])
def test_statements_before_a_comma_are_no_operands_of_the_relation_after_it(latex: str, tree: str) -> None:
    assert written(operator_tree(parse_latex(latex)).root) == tree


@every_case(("latex", "tree"), [
    (r"n\equiv 0,1,2\pmod 5", "modulo(equiv(n, list(0, 1, 2)), 5)"),
    (r"n\equiv 0,1,\ldots,4\pmod 5, m\in S", "list(modulo(equiv(n, list(0, 1, …, 4)), 5), in(m, S))"),
    (r"5\pmod 7, 3", "list(modulo(5, 7), 3)"),
])
def test_a_modulus_after_listed_values_is_that_of_the_relation(latex: str, tree: str) -> None:
    assert written(operator_tree(parse_latex(latex)).root) == tree


@every_case(("latex", "tree"), [
    (r"\forall x, y\in A, \exists z, x+y=z", "forall(in(list(x, y), A), exists(z, eq(plus(x, y), z)))"),
    (
        r"\forall a\in A\,\forall x,y\in X, d(x,y)\ge 0",
        "forall(in(a, A), forall(in(list(x, y), X), geq(apply(d, x, y), 0)))",
    ),
    (r"\exists\delta\,\forall x\,\exists y, x<\delta", "exists(δ, forall(x, exists(y, lt(x, δ))))"),
])
def test_the_innermost_quantifier_takes_what_follows_the_comma(latex: str, tree: str) -> None:
    root = operator_tree(parse_latex(latex)).root
    assert written(root) == tree
    assert root.end == len(latex)
