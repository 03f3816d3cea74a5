"""Subexpressions as terms, variables renamed: ``a²+b²`` inside any formula is the term of ``x²+y²``.

Whole subtrees as terms, with variables unified, are the idea of MIaS (Sojka and Líška, *The art of mathematics
retrieval*, 2011); here they come from the operator tree, so that the order of commutative operands does not matter.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from operator import itemgetter

from porism.formula.extractors.walk import operator_walk
from porism.formula.operators.rules import BIG, INTEGRAL, RULES
from porism.formula.tree import OperatorTree

MAX_SUBTREE = 30
"""Larger subexpressions make no term: they hardly ever occur twice, and this bounds the work to linear."""


def subtrees(operators: OperatorTree) -> list[str]:
    """One term for each operator with at most :data:`MAX_SUBTREE` nodes below and with it: ``label(child,…)``.

    Operands of unordered operators are sorted by their form with all variables alike; then variables are numbered
    ``v0, v1, …`` by first appearance in the subtree. Numbers and constants stay. A big operator with bounds or a
    differential has a second term, without these: writers often leave them out.
    """
    forms: list[_Form] = []  # of the subtrees that begin to the right; the leftmost last
    terms: list[str] = []
    for node in reversed(operator_walk(operators).nodes):
        arity = len(node.children)
        if not arity:
            forms.append(_leaf(node.kind, node.label))
            continue
        operands = forms[:-arity - 1:-1]
        del forms[-arity:]
        if len(operands) < arity:  # the walk was cut here
            forms.append(_TOO_LARGE)
            continue
        if node.kind == "U":
            operands.sort(key=_alike)
        alike, templates, variables, sizes = zip(*operands, strict=True)
        size = 1 + sum(sizes)
        if size > MAX_SUBTREE:
            forms.append(_TOO_LARGE)
            continue
        label = node.label
        form = f"{label}({','.join(alike)})"
        template = f"{label.replace('%', '%%')}({','.join(templates)})"
        below = tuple(chain.from_iterable(variables))
        forms.append((form, template, below, size))
        if label in _BIG and arity > 1:
            terms.append(_numbered(f"{label}({templates[0]})", variables[0]))
        terms.append(_numbered(template, below))
    terms.reverse()
    return terms


def _numbered(template: str, variables: tuple[str, ...]) -> str:
    """The term of a template, whose variables are numbered by first appearance."""
    different = dict.fromkeys(variables)
    if len(different) == len(variables):
        return template % _NAMES[:len(variables)]
    names = dict(zip(different, _NAMES, strict=False))
    return template % tuple([names[variable] for variable in variables])


_BIG = frozenset(rule.label for rule in RULES.values() if rule.role in (BIG, INTEGRAL))

_Form = tuple[str, str, tuple[str, ...], int]
"""A subtree: its form with all variables ``v``, the same as a template with a ``%s`` for each variable, the variables,
and the number of nodes."""
_alike = itemgetter(0)
_NAMES = tuple(f"v{number}" for number in range(MAX_SUBTREE))
_TOO_LARGE: _Form = ("", "", (), MAX_SUBTREE)


@lru_cache(1 << 14)
def _leaf(kind: str, label: str) -> _Form:
    if kind == "V":
        return "v", "%s", (label,), 1
    return label, label.replace("%", "%%"), (), 1
