"""The palette: symbols that a keyboard does not have, each with the LaTeX that a click puts into the question."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from porism.serve.web.formula_views import view
from porism.types import Formula


class Key(NamedTuple):
    """A key of the palette: ``insert`` is LaTeX, in which ``|`` is where the cursor goes; ``mathml`` is shown."""

    insert: str
    name: str
    mathml: str


_GROUPS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "Structures": (
        (r"\frac{|}{}", r"\frac{a}{b}", "fraction"), ("^{|}", "x^n", "power"), ("_{|}", "x_n", "index"),
        (r"\sqrt{|}", r"\sqrt{x}", "square root"), (r"\sqrt[|]{}", r"\sqrt[n]{x}", "root"),
        (r"\sum_{|}^{}", r"\sum", "sum"), (r"\prod_{|}^{}", r"\prod", "product"),
        (r"\int_{|}^{}", r"\int", "integral"), (r"\lim_{|\to }", r"\lim", "limit"),
        (r"\binom{|}{}", r"\binom{n}{k}", "binomial"), (r"\left|{|}\right|", "|x|", "absolute value"),
        (r"\overline{|}", r"\overline{x}", "bar"), (r"\hat{|}", r"\hat{x}", "hat"),
        (r"\begin{pmatrix}|&\\&\end{pmatrix}", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "matrix"),
        ("?|", "?x", "wildcard: any subexpression"),
    ),
    "Greek": tuple(
        (f"\\{name} ", f"\\{name}", name) for name in (
            "alpha", "beta", "gamma", "delta", "varepsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu",
            "xi", "pi", "rho", "sigma", "tau", "varphi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda",
            "Sigma", "Phi", "Psi", "Omega",
        )
    ),
    "Relations": tuple(
        (f"\\{name} ", f"\\{name}", words) for name, words in (
            ("leq", "at most"), ("geq", "at least"), ("neq", "not equal"), ("approx", "about"), ("equiv", "congruent"),
            ("sim", "similar"), ("cong", "isomorphic"), ("mid", "divides"), ("propto", "proportional"),
            ("to", "to"), ("mapsto", "maps to"), ("implies", "implies"), ("iff", "if and only if"),
        )
    ),
    "Sets and logic": tuple(
        (f"\\{latex} ", f"\\{latex}", words) for latex, words in (
            ("in", "element of"), ("notin", "not element of"), ("subseteq", "subset"), ("cup", "union"),
            ("cap", "intersection"), ("setminus", "without"), ("emptyset", "empty set"), ("forall", "for all"),
            ("exists", "there is"), ("neg", "not"), ("land", "and"), ("lor", "or"),
            ("mathbb{N}", "naturals"), ("mathbb{Z}", "integers"), ("mathbb{Q}", "rationals"), ("mathbb{R}", "reals"),
            ("mathbb{C}", "complex numbers"),
        )
    ),
    "Other": tuple(
        (f"\\{name} ", f"\\{name}", words) for name, words in (
            ("infty", "infinity"), ("partial", "partial"), ("nabla", "nabla"), ("cdot", "dot"), ("times", "times"),
            ("pm", "plus or minus"), ("circ", "composed with"), ("otimes", "tensor product"), ("oplus", "direct sum"),
            ("ell", "ell"), ("sin", "sine"), ("cos", "cosine"), ("log", "logarithm"), ("ln", "natural logarithm"),
            ("det", "determinant"), ("dots", "and so on"),
        )
    ),
}


@lru_cache(1)
def palette() -> dict[str, tuple[Key, ...]]:
    """The keys by group."""
    return {
        group: tuple(Key(insert, name, view(Formula(shown)).mathml) for insert, shown, name in keys)
        for group, keys in _GROUPS.items()
    }
