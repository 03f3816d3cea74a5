"""Canonical Content MathML: every subexpression as markup in which the order of commutative operands does not count.

Canonicalised MathML is one of the representations of mathematics of Novotný et al. (2021, section 2), after Formánek,
Líška, Růžička and Sojka (2012). Theirs rewrites the Presentation MathML of a converter; here the operator tree is
written, which the parser has already made alike where notations are.
"""

from __future__ import annotations

from functools import lru_cache
from html import escape

from porism.formula.extractors.walk import operator_walk
from porism.formula.tree import OperatorNode, OperatorTree

MAX_EXPRESSION = 30
"""Larger subexpressions are not terms: they hardly ever occur twice, and this bounds the work to linear."""

_ELEMENTS = {
    "abs": "abs", "apply": "", "arccos": "arccos", "arcsin": "arcsin", "arctan": "arctan", "cos": "cos",
    "cosh": "cosh", "cot": "cot", "divide": "divide", "eq": "eq", "equiv": "equivalent", "exp": "exp",
    "factorial": "factorial", "gcd": "gcd", "geq": "geq", "gt": "gt", "in": "in", "int": "int", "inter": "intersect",
    "lcm": "lcm", "leq": "leq", "lim": "limit", "ln": "ln", "log": "log", "lt": "lt", "max": "max", "min": "min",
    "neg": "minus", "neq": "neq", "notin": "notin", "plus": "plus", "root": "root", "sqrt": "root", "sec": "sec",
    "sin": "sin", "sinh": "sinh", "sum": "sum", "sup": "power", "tan": "tan", "tanh": "tanh", "times": "times",
    "union": "union",
}
"""Operators of Porism → elements of Content MathML; application has none. Others are a ``csymbol`` of their name."""

_ASSOCIATIVE = frozenset({"plus", "times", "union", "inter"})

_LEAVES = {"V": "ci", "N": "cn", "C": "ci", "T": "mtext", "W": "ci", "E": "cerror"}

_Form = tuple[str, int, str, tuple[str, ...]]
"""A subexpression as markup, the number of its nodes, and its operator and operands where brackets around it only group
in an expression of the same operator."""
_TOO_LARGE: _Form = ("", MAX_EXPRESSION, "", ())


def canonical_mathml(operators: OperatorTree) -> list[str]:
    """Each subexpression as canonical Content MathML, outer ones first: ``b+a`` has
    ``<apply><plus/><ci>a</ci><ci>b</ci></apply>``, ``<ci>b</ci>`` and ``<ci>a</ci>``.

    Operands that can stand in any order (those of sums, products, equations, unions …) are sorted by their markup.
    A sum in a sum is part of it, brackets or not, and so with products, unions and intersections; ``a−b`` is a sum with
    ``−b``, and equal commands and characters have one name, as in any operator tree. Fonts and spaces are gone.
    Identifiers keep their names, as with the authors' program, and numbers their digits. Subexpressions of more than
    :data:`MAX_EXPRESSION` nodes are not terms.
    """
    forms: list[_Form] = []  # of the subexpressions that begin to the right; the leftmost last
    terms: list[str] = []
    for node in reversed(operator_walk(operators).nodes):
        arity = len(node.children)
        operands = forms[: -arity - 1 : -1] if arity else []
        if arity:
            del forms[-arity:]
        if len(operands) < arity:  # the walk was cut here
            forms.append(_TOO_LARGE)
            continue
        form = _applied(node, operands) if arity else (_leaf(node.kind, node.label), 1, "", ())
        if form[1] <= MAX_EXPRESSION and form[0]:
            terms.append(form[0])
        forms.append(form)
    terms.reverse()
    return terms


def _applied(node: OperatorNode, operands: list[_Form]) -> _Form:
    size = 1 + sum(count for _, count, _, _ in operands)
    if size > MAX_EXPRESSION:
        return _TOO_LARGE
    label = node.label
    if node.kind != "U":
        return f"<apply>{_operator(label)}{''.join([markup for markup, *_ in operands])}</apply>", size, "", ()
    parts: list[str] = []
    for markup, _, inner, below in operands:
        parts.extend(below if inner == label else (markup,))
    parts.sort()
    grouped = (label, tuple(parts)) if label in _ASSOCIATIVE else ("", ())
    return f"<apply>{_operator(label)}{''.join(parts)}</apply>", size, *grouped


@lru_cache(1 << 12)
def _operator(label: str) -> str:
    element = _ELEMENTS.get(label)
    if element is None:
        return f"<csymbol>{escape(label, quote=False)}</csymbol>"
    return f"<{element}/>" if element else ""


@lru_cache(1 << 14)
def _leaf(kind: str, label: str) -> str:
    """A symbol, a wildcard with a question mark before its name; nothing for an operand that is missing."""
    if not label:
        return ""
    element = _LEAVES[kind]
    text = escape(f"?{label}" if kind == "W" else label, quote=False)
    return f"<{element}>{text}</{element}>"
