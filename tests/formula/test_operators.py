"""The operator tree: one hand-made case for each rule of the grammar, and its properties on any input."""

from __future__ import annotations

from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG, examples

from porism.formula.latex.parser import parse_latex
from porism.formula.operators.builder import operator_tree
from porism.formula.operators.notation import operator_string
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode


def meaning(source: str) -> str:
    """The operator tree of LaTeX as nested calls; leaves that are not a variable or number show their kind."""
    return _calls(operator_tree(parse_latex(source)).root)


def _calls(node: OperatorNode) -> str:
    if node.children:
        return f"{node.label}({', '.join(_calls(child) for child in node.children)})"
    return node.label if node.kind in "VN" else f"{node.kind}:{node.label}"


CASES = {
    "sums and products": [
        ("-a", "neg(a)"),
        ("a-b+c", "plus(a, neg(b), c)"),
        ("a+b+c", "plus(a, b, c)"),
        (r"a\pm b", "plus(a, pm(b))"),
        ("a+-b", "plus(a, neg(b))"),
        ("--a", "neg(neg(a))"),
        ("2xy", "times(2, x, y)"),
        (r"a\cdot b\times c", "times(a, b, c)"),
        (r"a\cdot -b", "times(a, neg(b))"),
        ("a(b+c)", "times(a, plus(b, c))"),
        ("(a+b)(c+d)", "times(plus(a, b), plus(c, d))"),
        (r"\frac{a}{b}", "divide(a, b)"),
        ("a/b", "divide(a, b)"),
        (r"{a \over b}", "divide(a, b)"),
        ("n(n+1)/2", "divide(times(n, plus(n, 1)), 2)"),
        ("a/b c", "times(divide(a, b), c)"),
        (r"a\bmod b", "mod(a, b)"),
        (r"f\circ g\circ h", "compose(f, g, h)"),
        (r"A\cup B\cup C", "union(A, B, C)"),
        (r"A\cup B\cap C", "union(A, inter(B, C))"),
        (r"A\cup B\setminus C", "setminus(union(A, B), C)"),
        (r"A\bigcap B", "inter(A, B)"),
        (r"V\otimes W\oplus U", "oplus(otimes(V, W), U)"),
    ],
    "relations": [
        ("a=b", "eq(a, b)"),
        ("a=b=c", "eq(a, b, c)"),
        ("a<b=c", "lt-eq(a, b, c)"),
        (r"a\le b<c\le d", "leq-lt-leq(a, b, c, d)"),
        (r"f:A\to B", "colon(f, to(A, B))"),
        (r"x\mapsto x^2", "mapsto(x, sup(x, 2))"),
        ("a|b", "divides(a, b)"),
        (r"a\mid b", "divides(a, b)"),
        (r"a\equiv b\pmod{n}", "modulo(equiv(a, b), n)"),
        (r"a\equiv b\mod n", "modulo(equiv(a, b), n)"),
        (r"A\xrightarrow{f}B", "to_overset(A, B, overset(C:→, f))"),
        ("=5", "eq(5)"),
        ("a=", "eq(a)"),
    ],
    "operators with scripts": [
        (r"A\times_S B", "times_sub(A, B, sub(C:×, S))"),
        (r"M\otimes_R N\otimes_R P", "otimes_sub(M, N, P, sub(C:⊗, R))"),
        (r"M\otimes_R N\otimes_S P", "otimes_sub(otimes_sub(M, N, sub(C:⊗, R)), P, sub(C:⊗, S))"),
        ("a+_n b+_n c-d", "plus(plus_sub(a, b, c, sub(C:+, n)), neg(d))"),
        (r"X\cup_f Y", "union_sub(X, Y, sub(C:∪, f))"),
        (r"A\mathbin{\dot\cup}B", "union_dot(A, B, dot(C:∪))"),
        (r"f\circ^{-1}g", "compose_sup(f, g, sup(C:∘, neg(1)))"),
        ("-_n x", "minus_sub(x, sub(C:-, n))"),
        (r"X/_\sim", "divide_sub(X, sub(C:/, C:∼))"),
        (r"a\equiv_n b\equiv_n c", "equiv_sub(a, b, c, sub(C:≡, n))"),
        (r"a\equiv_n b\equiv_m c", "equiv_sub-equiv_sub(a, b, c, sub(C:≡, n), sub(C:≡, m))"),
        (r"a=b\equiv_n c<d", "eq-equiv_sub-lt(a, b, c, d, sub(C:≡, n))"),
        (r"f\overset{(2)}{=}g", "eq_overset(f, g, overset(C:=, 2))"),
        (r"A\xrightarrow[g]{f}B", "to_underset(A, B, underset(overset(C:→, f), g))"),
        (r"a,b\in_R X", "in_sub(list(a, b), X, sub(C:∈, R))"),
        ("n=_i1,2", "eq_sub(n, list(1, 2), sub(C:=, i))"),
        (r"\vdash_T\phi", "proves_sub(ϕ, sub(C:⊢, T))"),
        (r"M\models_i\phi", "models_sub(M, ϕ, sub(C:⊨, i))"),
        (r"p\overset{*}{\implies}q\iff r", "iff(implies_overset(p, q, overset(C:⇒, C:*)), r)"),
        (r"a\wedge_L b", "and_sub(a, b, sub(C:∧, L))"),
        (r"(X,\leq_X,*_X,\vdash_T)", "tuple(X, sub(C:≤, X), sub(C:*, X), sub(C:⊢, T))"),
        (r"x\in\cap_i A_i", "in(x, bigcap(sub(A, i), i))"),
        (r"\oplus_{i=1}^n V_i", "bigoplus(sub(V, i), eq(i, 1), n)"),
        (r"\times_i X_i", "times_sub(sub(X, i), sub(C:×, i))"),
        (r"\forall_{x\in X}p", "forall(in(x, X), p)"),
        (r"\exists^\infty n:p", "exists_sup(n, p, sup(C:∃, C:∞))"),
        (r"f^{\circ n}", "sup(f, compose(n))"),
        (r"V^{\oplus n}", "sup(V, oplus(n))"),
        (r"\cup\mathcal A", "bigcup(𝒜)"),
        (r"\cap A_i", "bigcap(sub(A, i))"),
        (r"A\cup", "union(A)"),
        (r"\triangle ABC", "times(C:△, A, B, C)"),
        (r"A\to\bot", "to(A, C:⊥)"),
        (r"\bot\vdash A", "proves(C:⊥, A)"),
        (r"X\perp\!\!\!\perp Y", "perp(X, Y)"),
        (r"x(\cdot)", "apply(x, C:⋅)"),
        (r"\mathrm{Li}_2'(z)", "apply(prime(sub(Li, 2)), z)"),
    ],
    "fences of left and right": [
        (r"\left\{u\over3\middle|v\right\}", "setbuilder(divide(u, 3), v)"),
        (r"\left(u\middle/v\over3\right)", "divide(u, divide(v, 3))"),
        (r"\left(1-t\right)^\left(n-k\right)", "sup(plus(1, neg(t)), plus(n, neg(k)))"),
        (r"x_\left\{a\right\}", "sub(x, set(a))"),
        (r"\frac\left(a\right)\left(b\right)", "divide(a, b)"),
        (r"\hat\left(ab\right)+\sqrt\left(c\right)", "plus(hat(times(a, b)), sqrt(c))"),
    ],
    "differentials": [
        *[
            (rf"\frac{{d^2y}}{{{below}}}", "divide(diff(y, 2), diff(sup(z, 2)))")
            for below in ("dz^2", "{dz}^2", r"{\mathrm{d}z}^2")
        ],
        (r"\frac{d^2}{{dx}^2}f", "deriv(f, diff(sup(x, 2)), 2)"),
        (r"\frac{\partial y}{{\partial z}^2}", "divide(partial(y), partial(sup(z, 2)))"),
    ],
    "statements side by side and below one another": [
        (r"u=c\qquad v=d", "list(eq(u, c), eq(v, d))"),
        (r"x\equiv a\pmod 3\quad y\equiv b\pmod 5", "list(modulo(equiv(x, a), 3), modulo(equiv(y, b), 5))"),
        (r"x\equiv a\quad(\bmod m)", "modulo(equiv(x, a), m)"),
        (r"f=g\quad x>0\quad(1)", "list(eq(f, g), gt(x, 0), 1)"),
        (r"(1)\quad a=b", "list(1, eq(a, b))"),
        (r"n=1,2\quad m=3", "list(eq(n, list(1, 2)), eq(m, 3))"),
        (r"x=a\qquad-y=b", "list(eq(x, a), eq(neg(y), b))"),
        (r"f=0\quad|x|<1", "list(eq(f, 0), lt(abs(x), 1))"),
        (r"(a=b\quad c=d)", "tuple(eq(a, b), eq(c, d))"),
        (r"\forall x\in X\quad x=1", "forall(in(x, X), eq(x, 1))"),
        (r"\int f\,dx=1\quad\int g\,dy=2", "list(eq(int(f, diff(x)), 1), eq(int(g, diff(y)), 2))"),
        (r"a\quad=\quad b", "eq(a, b)"),
        (r"x=a\quad-\quad y", "eq(x, plus(a, neg(y)))"),
        (r"a\quad b", "times(a, b)"),
        (r"x=1\ y", "eq(x, times(1, y))"),
        (r"a=b\quad", "eq(a, b)"),
        (r"\{x=1\quad|\quad y\}", "setbuilder(eq(x, 1), y)"),
        (r"p=q\\r=s", "lines(eq(p, q), eq(r, s))"),
        (r"p=q\\[2pt]=s", "eq(p, q, s)"),
        (r"f(a,\\b)", "apply(f, a, b)"),
        (r"\{x=1\\y=2", "cases(eq(x, 1), eq(y, 2))"),
        (r"a=b\\+c", "eq(a, plus(b, c))"),
        (r"a=b\\-c", "eq(a, plus(b, neg(c)))"),
        (r"a=b\\-c=d", "lines(eq(a, b), eq(neg(c), d))"),
        (r"a=\\b\cdot\\c", "eq(a, times(b, c))"),
        (r"a=b\\\implies c=d", "implies(eq(a, b), eq(c, d))"),
        (r"f(a,b)=c\\\implies c=d", "implies(eq(apply(f, a, b), c), eq(c, d))"),
        (r"a,b\\\implies c", "lines(list(a, b), implies(c))"),
        (r"x^{a\\b}\\", "sup(x, lines(a, b))"),
    ],
    "restrictions": [
        (r"f\restriction_X=g", "eq(at(f, X), g)"),
        (r"t\mid_0^1=1", "eq(at(t, 1, 0), 1)"),
        (r"f|_X=g", "eq(at(f, X), g)"),
        (r"a\mid b", "divides(a, b)"),
    ],
    "divergence and curl": [
        (r"\nabla\cdot E", "div(E)"),
        (r"\nabla\times E", "curl(E)"),
        (r"\operatorname{curl} E", "curl(E)"),
        (r"\nabla\cdot(fE)=f\nabla\cdot E+E\cdot\nabla f",
         "eq(div(times(f, E)), plus(times(f, div(E)), times(E, nabla(f))))"),
        (r"\nabla\times(\nabla\times E)", "curl(curl(E))"),
        (r"\nabla_x\cdot E", "div(E, x)"),
        (r"(u\cdot\nabla)v", "times(times(u, C:∇), v)"),
        (r"\nabla\cdot", "C:div"),
    ],
    "bars that divide": [
        (r"\langle a|b\rangle", "angle(divides(a, b))"),
        (r"\langle a|H|b\rangle", "angle(divides(a, H, b))"),
        (r"\langle a|H|b|c\rangle", "angle(divides(a, H, b, c))"),
        (r"\langle+|H|+\rangle", "angle(divides(C:+, H, C:+))"),
        (r"\langle\uparrow|\downarrow\rangle", "angle(divides(C:↑, C:↓))"),
        (r"\langle j\|T\|k\rangle", "angle(parallel(j, T, k))"),
        (r"\langle |a|+|b|\rangle", "angle(plus(abs(a), abs(b)))"),
        (r"\{x||x|>1\}", "setbuilder(x, gt(abs(x), 1))"), (r"\{x|\,|x|>1\}", "setbuilder(x, gt(abs(x), 1))"),
        (r"\sin[x]y", "times(sin(x), y)"), (r"\sin[2]x", "times(sin(2), x)"), (r"\det[A]^2", "sup(det(A), 2)"),
        (r"\left\langle a\middle|H+K\middle|b\right\rangle", "angle(divides(a, plus(H, K), b))"),
        (r"\langle n,l|r|m,k\rangle", "angle(divides(list(n, l), r, list(m, k)))"),
        (r"\langle n,l,m|n,l,m\rangle", "angle(divides(list(n, l, m), list(n, l, m)))"),
        (r"\langle r,s\mid r=s=1\rangle", "angle(divides(list(r, s), eq(r, s, 1)))"),
        (r"\langle r,s|r=1,s=r\rangle", "angle(divides(list(r, s), list(eq(r, 1), eq(s, r))))"),
        (r"\langle a,|b|\rangle", "inner(a, abs(b))"),
        (r"\langle a,2|b|\rangle", "inner(a, times(2, abs(b)))"),
        (r"\langle a|b|,c\rangle", "inner(times(a, abs(b)), c)"),
        (r"\left|x\middle|y\right|", "abs(divides(x, y))"),
    ],
    "lists": [
        (r"a,b\in R", "in(list(a, b), R)"),
        (r"n=1,2,\dots", "eq(n, list(1, 2, C:…))"),
        ("x=1,y=2", "list(eq(x, 1), eq(y, 2))"),
        ("a,b,c", "list(a, b, c)"),
        ("(a,b)", "tuple(a, b)"),
        ("[a,b]", "closed(a, b)"),
        ("[a,b)", "closed_open(a, b)"),
        ("(a,b]", "open_closed(a, b)"),
        ("]a,b[", "open(a, b)"),
        (r"\{a,b\}", "set(a, b)"),
        (r"\{x\mid x>0\}", "setbuilder(x, gt(x, 0))"),
        (r"\{x:|x|<1\}", "setbuilder(x, lt(abs(x), 1))"),
        (r"\{x|x>0,y>0\}", "setbuilder(x, list(gt(x, 0), gt(y, 0)))"),
        (r"\langle x,y\rangle", "inner(x, y)"),
        ("(G,+)", "tuple(G, C:+)"),
        ("P(A;B)", "apply(P, sequence(A, B))"),
    ],
    "application": [
        ("f(x)", "apply(f, x)"),
        ("f(x,y)", "apply(f, x, y)"),
        ("2f(x+1)", "times(2, apply(f, plus(x, 1)))"),
        ("u(x+h)-u(x)", "plus(apply(u, plus(x, h)), neg(apply(u, x)))"),
        (r"k:A\to B,k(a+b)", "list(colon(k, to(A, B)), apply(k, plus(a, b)))"),
        ("f'(x)", "apply(prime(f), x)"),
        ("f''(x)", "apply(prime2(f), x)"),
        (r"f^{\prime\prime}(x)", "apply(prime2(f), x)"),
        ("f_n(x)", "apply(sub(f, n), x)"),
        ("f^{-1}(x)", "apply(sup(f, neg(1)), x)"),
        (r"(f\circ g)(x)", "apply(compose(f, g), x)"),
        (r"\operatorname{Var}(X)", "Var(X)"),
        ("P(A|B)", "apply(P, given(A, B))"),
        ("E[X]", "apply(E, X)"),
        (r"\sin x y", "sin(times(x, y))"),
        (r"\sin x\cos y", "times(sin(x), cos(y))"),
        (r"\sin x+y", "plus(sin(x), y)"),
        (r"\sin(x)y", "times(sin(x), y)"),
        (r"\sin^2 x+\cos^2 x=1", "eq(plus(sup(sin(x), 2), sup(cos(x), 2)), 1)"),
        (r"\sin^{-1}x", "arcsin(x)"),
        (r"\log_2 x", "log(x, 2)"),
        (r"\log\log x", "log(log(x))"),
        (r"\log|x|", "log(abs(x))"),
        (r"\max(a,b)", "max(a, b)"),
        (r"\sin", "sin"),
        ("sin(x)", "sin(x)"),
        ("2log_3(x)", "times(2, log(x, 3))"),
        ("asin(x)+cos^2(x)", "plus(times(a, sin(x)), sup(cos(x), 2))"),
    ],
    "bars": [
        ("|x|", "abs(x)"),
        ("2|x|+|y|", "plus(times(2, abs(x)), abs(y))"),
        ("||a|-|b||", "abs(plus(abs(a), neg(abs(b))))"),
        (r"\|x\|", "norm(x)"),
        (r"\|x\|_2", "sub(norm(x), 2)"),
        (r"|x-y|<\delta\implies|f(x)|<\epsilon", "implies(lt(abs(plus(x, neg(y))), δ), lt(abs(apply(f, x)), ϵ))"),
        (r"\lfloor x\rfloor+\lceil y\rceil", "plus(floor(x), ceil(y))"),
        (r"f|_{x=0}", "at(f, eq(x, 0))"),
        (r"\frac{d}{dt}|_{t=0}x", "times(at(deriv(diff(t)), eq(t, 0)), x)"),
    ],
    "scripts": [
        ("x_i^2", "subsup(x, i, 2)"),
        ("x^2_i", "subsup(x, i, 2)"),
        ("x_i", "sub(x, i)"),
        ("(a+b)^2", "sup(plus(a, b), 2)"),
        ("e^{-x}", "sup(e, neg(x))"),
        ("n!", "factorial(n)"),
        ("n!!", "factorial2(n)"),
        ("(n)!!", "factorial2(n)"),
        ("(n!)!", "factorial(factorial(n))"),
        (r"50\%", "percent(50)"),
        (r"90^\circ", "degree(90)"),
        ("x'^2", "sup(prime(x), 2)"),
        (r"\bar x", "bar(x)"),
        (r"\hat{f}(x)", "apply(hat(f), x)"),
        (r"\sqrt{x}", "sqrt(x)"),
        (r"\sqrt[3]{x}", "root(x, 3)"),
        (r"\binom{n}{k}", "binom(n, k)"),
        (r"{n\choose k}", "binom(n, k)"),
        ("A^T", "sup(A, T)"),
        (r"x\to 0^+", "to(x, sup(0, C:+))"),
    ],
    "big operators": [
        (r"\sum_{i=1}^n i^2+1", "plus(sum(sup(i, 2), eq(i, 1), n), 1)"),
        (r"\sum_i\sum_j a_{ij}", "sum(sum(sub(a, times(i, j)), j), i)"),
        (r"\sum", "C:∑"),
        (r"\int f dx", "int(f, diff(x))"),
        (r"\int_0^1 x^2+1\,dx=3", "eq(int(plus(sup(x, 2), 1), 0, 1, diff(x)), 3)"),
        (r"\int_0^1\frac{dx}{1+x}", "int(divide(diff(x), plus(1, x)), 0, 1)"),
        (r"\int\int f\,dx\,dy", "int(int(f, diff(x)), diff(y))"),
        (r"\iint f\,dx\,dy", "iint(f, diff(x), diff(y))"),
        (r"\lim_{x\to 0}\frac{\sin x}{x}=1", "eq(lim(divide(sin(x), x), to(x, 0)), 1)"),
        (r"\max_{x\in A}f(x)", "max(apply(f, x), in(x, A))"),
        (r"\frac{d}{dx}f(x)", "deriv(apply(f, x), diff(x))"),
        (r"\frac{dy}{dx}", "divide(diff(y), diff(x))"),
        ("dy/dx", "divide(diff(y), diff(x))"),
        (r"du=2x\,dx", "eq(diff(u), times(2, x, diff(x)))"),
        (r"\frac{\partial f}{\partial x}", "divide(partial(f), partial(x))"),
    ],
    "logic": [
        (r"p\land q\Rightarrow p\lor q", "implies(and(p, q), or(p, q))"),
        (r"x>0\land y>0", "and(gt(x, 0), gt(y, 0))"),
        (r"a\wedge b=b\wedge a", "eq(and(a, b), and(b, a))"),
        (r"\neg p\lor q", "or(not(p), q)"),
        (r"\forall x\in R,x^2\ge 0", "forall(in(x, R), geq(sup(x, 2), 0))"),
        (r"\forall x,y\in A,x<y", "forall(in(list(x, y), A), lt(x, y))"),
        (r"\forall x P(x)", "forall(x, apply(P, x))"),
        (r"\exists x\forall y(x=y)", "exists(x, forall(y, eq(x, y)))"),
        (r"\forall\epsilon>0\,\exists\delta>0:\delta<\epsilon", "forall(gt(ϵ, 0), exists(gt(δ, 0), lt(δ, ϵ)))"),
        (r"x^2\ge 0,\forall x\in R", "list(geq(sup(x, 2), 0), forall(in(x, R)))"),
        (r"\neg\exists xP(x)", "not(exists(x, apply(P, x)))"),
        (r"p\iff q\iff r", "iff(p, q, r)"),
        (r"\neg p\land q\models p\lor q", "models(and(not(p), q), or(p, q))"),
        (r"\vdash p", "proves(p)"),
        (r"\exists y(Dx\wedge\neg Dy)", "exists(y, and(times(D, x), not(times(D, y))))"),
    ],
    "arrays and text": [
        (r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "matrix(row(a, b), row(c, d))"),
        (r"\begin{vmatrix}a&b\\c&d\end{vmatrix}", "det(row(a, b), row(c, d))"),
        (r"\begin{cases}1&x>0\\0&x\le 0\end{cases}", "cases(branch(1, gt(x, 0)), branch(0, leq(x, 0)))"),
        (r"\begin{aligned}a&=b\\&=c\end{aligned}", "eq(a, b, c)"),
        (r"\begin{aligned}a&=b\\c&=d\end{aligned}", "lines(eq(a, b), eq(c, d))"),
        (r"x=5\text{ if }y>0", "list(eq(x, 5), T:if, gt(y, 0))"),
        (r"3\text{cm}", "times(3, T:cm)"),
        (r"\text{Cost}(X)=1", "eq(Cost(X), 1)"),
        (r"\text{if}(x)", "list(T:if, x)"),
        (r"\text{by }(1)", "list(T:by, 1)"),
        (r"\text{Re}(z)=\text{Im}\,w", "eq(re(z), im(w))"),
        (r"\text{rank}(A)+\textrm{Var}(X)", "plus(rank(A), Var(X))"),
        (r"\text{lim}_{x\to0}f", "lim(f, to(x, 0))"),
        (r"\int g\,\text{d}y", "int(g, diff(y))"),
        (r"\mbox{y}+\textbf{x}+\text{2}", "plus(y, x, 2)"),
        (r"i^{\text{th}}", "sup(i, T:th)"),
        (r"\text{the }i^{\rm ab}", "list(T:the, sup(i, ab))"),
        (r"x\text{ a }y", "list(x, T:a, y)"),
        (r"a\equiv b\ (\text{mod}\ n)", "modulo(equiv(a, b), n)"),
        (r"a\equiv b\text{ (mod 7)}", "modulo(equiv(a, b), 7)"),
        (r"x\equiv1\text{ mod }n\text{.}", "modulo(equiv(x, 1), n)"),
        (r"\text{for all \(x\) in }X", "list(T:for all, x, T:in, X)"),
        *[
            (name + "f", "argmin(f, A)") for name in (
                r"\arg\min_A", r"\arg\,\min\limits_A", r"\mathop{\rm arg\,min}_A", r"\underset{A}{\arg\min}",
                r"\underset{A}{\operatorname{argmin}}", r"\operatorname*{arg\,min}_A", r"\mathrm{arg}\,\mathrm{min}_A",
                r"\operatorname{arg}\min_A", r"\text{arg min}_A",
            )
        ],
        *[
            (name + "_na", "limsup(a, n)") for name in (
                r"\limsup", r"\lim\sup", r"\varlimsup", r"\overline{\lim}", r"\operatorname{lim\,sup}",
                r"\text{lim sup}",
            )
        ],
        (r"\underline{\lim}_na", "liminf(a, n)"),
        (r"\lim_x\sup_yf", "lim(supremum(f, y), x)"),
        (r"\arg z", "arg(z)"),
        (r"\qvar{x}+1", "plus(W:x, 1)"),
    ],
    "unknown commands": [
        (r"\foo", r"E:\foo"),
        (r"\foo x", r"\foo(x)"),
        (r"\foo{x}{y}=z", r"eq(\foo(x, y), z)"),
        (r"\foo xy", r"\foo(x, y)"),
        (r"\foo{a+b}{c+d}", r"\foo(plus(a, b), plus(c, d))"),
        (r"\foo f{x,y}", r"\foo(f, list(x, y))"),
        (r"\foo{S,\circ}+1", r"plus(\foo(S, C:∘), 1)"),
        (r"\foo(xy)z", r"times(\foo(times(x, y)), z)"),
        (r"\foo x\times y", r"times(\foo(x), y)"),
        (r"a\foo\sin x", r"times(a, \foo(sin(x)))"),
        (r"\foo+a-\foo", r"plus(E:\foo, a, neg(E:\foo))"),
        (r"\foo!", r"factorial(E:\foo)"),
        (r"|\foo|", r"abs(E:\foo)"),
        (r"\foo_n x", r"times(sub(E:\foo, n), x)"),
        (r"\foo+{a,b}", r"list(plus(E:\foo, a), b)"),
    ],
    "broken input": [
        ("", "E:"),
        ("+", "C:+"),
        ("((a", "a"),
        ("a)b]", "times(a, b)"),
        ("a,,b", "list(a, b)"),
        (r"f(\cdot)", "apply(f, C:⋅)"),
    ],
}


@every_case(("source", "expected"), [case for cases in CASES.values() for case in cases])
def test_meaning(source: str, expected: str) -> None:
    assert meaning(source) == expected


def test_the_worked_example() -> None:
    tree = operator_tree(parse_latex(r"x^2+\frac{a}{b}=0"))
    assert operator_string(tree) == (
        "[U!eq,0[U!plus,0[O!SUP,0[V!x],1[N!2]],1[O!divide,0[V!a],1[V!b]]],1[N!0]]"
    )


def test_equal_meanings_have_equal_trees() -> None:
    for left, right in [
        (r"\frac{a}{b}", "a/b"),
        (r"x\leq y", r"x\le y"),
        ("x_i^2", "x^2_i"),
        (r"a\cdot b", "ab"),
        (r"\{x:x>0\}", r"\{x\mid x>0\}"),
        (r"\mathbb R", "ℝ"),
        ("f''", r"f^{\prime\prime}"),
        (r"A\rightarrow B", r"A\to B"),
        (r"\left(a,b\right]", "(a,b]"),
    ]:
        assert meaning(left) == meaning(right)


def test_fonts_that_name_another_symbol_stay_apart() -> None:
    assert meaning(r"\mathbb{R}") == "ℝ"
    assert meaning(r"\mathcal{F}") == meaning(r"\mathscr{F}") == "ℱ"
    assert meaning(r"\mathfrak{F}") == "𝔉"
    assert meaning(r"\mathbf{x}") == "x"


def test_unordered_operators_are_marked() -> None:
    kinds = {node.label: node.kind for node in operator_tree(parse_latex(r"a=b+c\cdot d,x<y,\{a\}")).root.walk()}
    assert kinds["eq"] == kinds["plus"] == kinds["times"] == kinds["set"] == "U"
    assert kinds["lt"] == "O"


@every_case(("latex", "label", "kind"), [
    (r"A\cup B", "union", "U"), (r"A\cap B", "inter", "U"), (r"A\setminus B", "setminus", "O"),
    (r"A\cong B", "cong", "U"), (r"A\approx B", "approx", "U"), (r"A\simeq B", "simeq", "U"),
    (r"A\subset B", "subset", "O"), (r"A\times B", "times", "U"), (r"A\oplus B", "oplus", "U"),
])
def test_which_operator_it_is_and_whether_its_order_counts(latex: str, label: str, kind: str) -> None:
    root = operator_tree(parse_latex(latex)).root
    assert (root.label, root.kind) == (label, kind)


@every_case(
    ("source", "expected"),
    [
        (r"a\circleddash b", "[O!⊝,0[V!a],1[V!b]]"), (r"N\triangleleft G", "[O!◁,0[V!N],1[V!G]]"),
        (r"a\lnsim b<c", "[O!⋦-lt,0[V!a],1[V!b],2[V!c]]"), ("a⨹b", "[O!⨹,0[V!a],1[V!b]]"),
        (r"\llangle a,b\rrangle", "[O!double_angle,0[V!a],1[V!b]]"), ("⦗a,b⦘", "[O!fence,0[V!a],1[V!b]]"),
        (r"\fint_B f\,dx", "[O!fint,0[V!f],1[V!B],2[O!diff,0[V!x]]]"), ("⥇", "[C!⥇]"),
    ],
)
def test_the_class_of_a_symbol_gives_it_a_role(source: str, expected: str) -> None:
    assert operator_string(operator_tree(parse_latex(source))) == expected


def test_spans_point_into_the_source() -> None:
    source = r"\frac{f(x)}{2} + \sqrt{y} = 10"
    tree = operator_tree(parse_latex(source))
    spans = {node.label: source[node.start : node.end] for node in tree.root.walk()}
    assert spans["f"] == "f"
    assert spans["y"] == "y"
    assert spans["10"] == "10"
    assert spans["apply"] == "f(x)"
    assert spans["divide"] == r"\frac{f(x)}{2}"
    assert spans["eq"] == source


def _nested(depth: int) -> LayoutTree:
    inner = [LayoutNode("x", "V", 0, 1)]
    for _ in range(depth):
        outer = LayoutNode("√", "R", 0, 1)
        outer.within = inner
        inner = [outer]
    return LayoutTree(inner, "x")


def test_ten_thousand_levels() -> None:
    tree = operator_tree(_nested(10_000))
    assert sum(1 for _ in tree.root.walk()) == 10_001
    assert operator_string(tree).count("O!sqrt") == 10_000


@every_case(
    "unit",
    [
        "(", "x+", r"\int ", "|", r"\forall ", "a,", "-", r"\sin ", "{", "[", r"\sum_i", "x'", "a=", r"\lnot ", "d x",
        ")", "!", r"\land x=1", "a:", r"\int x dx", "|x|", r"\{x|", "P(",
    ],
)
def test_time_is_linear(unit: str, assert_linear) -> None:
    symbols = parse_latex(unit).row
    assert_linear(lambda count: operator_tree(LayoutTree(symbols * count, "")), 200, 1_000)
    operator_tree(LayoutTree(symbols * (20_000 if LONG else 4_000), ""))


PIECES = [
    "x", "f", "d", "(", ")", "[", "]", r"\{", r"\}", "|", r"\|", "+", "-", "=", "<", ",", ";", ":", "^2", "_i", "!",
    "'", r"\sin ", r"\sum ", r"\int ", r"\frac{a}{b}", r"\frac{d}{dy}", r"\forall ", r"\exists ", r"\land ", r"\lnot ",
    r"\Rightarrow ", r"\bmod ", r"\pmod n", r"\mid ", "/", r"\cdot ", r"\circ ", r"\text{if}", r"\lim ", r"\max ",
    r"\partial ", "2", r"\to ", r"\cup ", "|_{a}", ".",
]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30))
def test_any_sequence_of_symbols_gives_a_tree_that_keeps_its_operands(pieces: list[str]) -> None:
    source = "".join(pieces)
    tree = operator_tree(parse_latex(source))
    nodes = list(tree.root.walk())
    assert all(0 <= node.start <= node.end <= len(source) for node in nodes)
    assert all(node.kind in "UOVNCTWE" for node in nodes)
    assert all(node.kind in "UO" for node in nodes if node.children)
    digits = sum(node.label.count("2") for node in nodes if node.kind == "N")
    assert digits == sum("2" in piece for piece in pieces)
    assert sum(node.label == "x" and node.kind == "V" for node in nodes) == pieces.count("x")


@settings(max_examples=examples(200), deadline=None)
@given(st.text(max_size=60))
def test_any_text_gives_a_tree(source: str) -> None:
    tree = operator_tree(parse_latex(source))
    assert tree.source == parse_latex(source).source
    assert all(node.kind in "UOVNCTWE" for node in tree.root.walk())
