"""From the nodes of an operator tree to expressions: which letters are variables, and what binds which."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple, cast

from porism.formula.operators.rules import BIG, RELATION, UNORDERED
from porism.formula.operators.rules import RULES as OPERATORS
from porism.formula.tree import OperatorNode
from porism.formula.values.derivatives import (
    DERIVATION,
    applied,
    derivative,
    derives,
    differential_variable,
    divided,
    dotted,
    evaluated,
    may_depend_on,
    multiplied,
    partial,
    primed,
)
from porism.formula.values.expressions import (
    MAX_EXPRESSION,
    MAX_WORK,
    Expression,
    leaf,
    make,
    number,
    numeral,
    put,
    rename,
)

_SETS = frozenset("ℂℍℕℙℚℝℤ𝔼𝔽ℵ")
_INTEGRALS = frozenset({"int", "iint", "iiint", "iiiint", "oint", "oiint", "oiiint"})
_LIMITS = frozenset({"lim", "limsup", "liminf"})
_BIG = frozenset({rule.label for rule in OPERATORS.values() if rule.role == BIG}) - _LIMITS
_RELATIONS = frozenset({rule.label for rule in OPERATORS.values() if rule.role == RELATION})
_ONE = (
    "neg pm mp percent degree abs sqrt exp cis ln lg factorial factorial2 floor ceil arcsin arctan arcsinh arctanh erf "
    "sgn Si sin cos tan cot sec csc sinh cosh tanh coth sech csch"
)
_ARITIES: Mapping[str, tuple[int, int]] = MappingProxyType({
    **dict.fromkeys(_ONE.split(), (1, 1)), "divide": (2, 2), "sup": (2, 2), "sub": (2, 2), "subsup": (3, 3),
    "binom": (2, 2), "root": (2, 2), "log": (1, 2), "plus": (1, 1 << 30), "times": (1, 1 << 30),
})
"""Least and greatest number of operands; with another number an operator is a random function."""


class Letters(NamedTuple):
    """Which letters mean something else than a variable: i the imaginary unit, D the derivation."""

    imaginary: bool
    derivation: bool

    @classmethod
    def of(cls, *formulas: Sequence[OperatorNode]) -> Letters:
        """What they mean in all of several formulas, each given by its nodes in preorder."""
        derivation = all(derives(nodes) or not any(node.label == "D" for node in nodes) for nodes in formulas)
        return cls(all(map(may_be_imaginary, formulas)), derivation)


def expressions_of(nodes: Sequence[OperatorNode], letters: Letters) -> list[Expression | None]:
    """The expression of each node, given in preorder; None for one that has no value: with a wildcard, or too large.

    ``nodes`` may be cut at the end.
    """
    expressions: list[Expression | None] = [None] * len(nodes)
    waiting: list[Expression | None] = []  # of the subtrees that begin to the right; the leftmost last
    for position in range(len(nodes) - 1, -1, -1):
        node = nodes[position]
        arity = len(node.children)
        expression: Expression | None
        if arity:
            operands = waiting[:-arity - 1:-1]
            del waiting[-arity:]
            if None in operands or len(operands) < arity:
                expression = None
            else:
                expression = _operator(node.label, cast("list[Expression]", operands))
        else:
            expression = _leaf(node, letters)
        waiting.append(expression)
        expressions[position] = expression
    return expressions


def _leaf(node: OperatorNode, letters: Letters) -> Expression | None:
    kind, label = node.kind, node.label
    if kind == "V":
        if label == "e" or label == "π" or (label == "i" and letters.imaginary):
            return leaf("C", label)
        if label == "D" and letters.derivation:
            return leaf("C", DERIVATION)
        if label in _SETS or (len(label) > 1 and label.isalpha()):
            return leaf("C", "name " + label)
        return leaf("V", label)
    if kind == "N":
        return numeral(label)
    if kind == "C":
        return leaf("C", label)
    if kind == "W":
        return None
    return leaf("C", f"{kind} {label}")


def _operator(label: str, operands: list[Expression]) -> Expression | None:
    if len(operands) > MAX_EXPRESSION:
        return None
    arity = _ARITIES.get(label)
    if arity is not None and not arity[0] <= len(operands) <= arity[1]:
        expression = make("odd " + label, *operands)
    elif len(operands) > 2 and (links := _links(label, operands)):
        expression = make("chain", *links)
    else:
        reader = _READERS.get(label)
        expression = make(label, *operands) if reader is None else reader(label, operands)
    return expression if expression.size <= MAX_EXPRESSION and expression.work <= MAX_WORK else None


def _links(label: str, operands: list[Expression]) -> list[Expression]:
    """The relations of a chain such as ``a<b=c``: of each neighbours; none of what is not a chain, or of equal
    things."""
    labels = label.split("-")
    if len(labels) == 1:
        labels *= len(operands) - 1
    if len(labels) != len(operands) - 1 or not _RELATIONS.issuperset(labels) or label in UNORDERED:
        return []
    return [make(relation, *pair) for relation, pair in zip(labels, pairwise(operands), strict=True)]


def _below(index: Expression) -> Expression:
    """An index, in which order counts: x_{ij} is not x_{ji}."""
    return make("index", *index.children) if index.label in ("times", "list") else index


def _sub(label: str, operands: list[Expression]) -> Expression:
    return make("sub", operands[0], _below(operands[1]))


def _subsup(label: str, operands: list[Expression]) -> Expression:
    return make("sup", make("sub", operands[0], _below(operands[1])), operands[2])


def _root(label: str, operands: list[Expression]) -> Expression:
    degree = operands[1].exact
    if degree is not None and degree.denominator == 1 and 2 <= degree <= 64:
        return make("root", *operands)
    return make("sup", operands[0], make("divide", number(1), operands[1]))


def _degree(label: str, operands: list[Expression]) -> Expression:
    return make("times", operands[0], make("divide", leaf("C", "π"), number(180)))


def _group(label: str, operands: list[Expression]) -> Expression:
    return operands[0] if len(operands) == 1 else make(label, *operands)


def _bind(body: Expression, variable: Expression) -> tuple[Expression, Expression]:
    """The body with a variable replaced by a leaf that is not in it, and that leaf."""
    depth = 1 + max((int(known.label) for known in body.leaves if known.kind == "B"), default=0)
    bound = leaf("B", str(depth))
    return (put(body, variable, bound) if variable.kind else rename(body, {variable: bound})), bound


def _big(label: str, operands: list[Expression]) -> Expression:
    """A sum or another big operator: over an interval, or over what is below it."""
    body, bounds = operands[0], operands[1:]
    over = f"{label} over" if label in ("sum", "prod") else "big over"
    mark = () if label in ("sum", "prod") else (leaf("C", "operator " + label),)
    if not bounds:
        return make("bare " + label, body)
    lower = bounds[0]
    sides = _sides(lower)
    is_chain = {child.label for child in lower.children} == {"leq"}
    if len(sides) == 3 and len(bounds) == 1 and sides[1].is_name and is_chain:
        bounds = [make("eq", sides[1], sides[0]), sides[2]]  # 1 ≤ k ≤ n
        lower = bounds[0]
    if lower.is_name:
        return make(over, *_bind(body, lower), *mark, *bounds[1:])
    parts = lower.children
    if len(parts) == 2 and parts[0].is_name and lower.label != "list":
        interval = lower.label == "eq" and len(bounds) == 2 and label in ("sum", "prod")
        if interval and (short := _short(label, body, parts, bounds[1])) is not None:
            return short
        bound = _bind(body, parts[0])
        if interval:
            return make(label, *bound, parts[1], bounds[1])
        return make(over, *bound, *mark, leaf("C", "below " + lower.label), *parts[1:], *bounds[1:])
    if lower.label == "list":
        inner = parts
    else:
        inner = sides[1:-1] or (parts[1:-1] if lower.label in _RELATIONS else ())
    variables = [part for part in inner if part.is_name]
    if not variables:
        return make("bare " + label, *operands)
    key = lower
    for place, variable in enumerate(variables):
        key = rename(key, {variable: leaf("S", f"bound {place}")})
    for variable in variables:
        body = make(over, *_bind(body, variable), *mark, key, *bounds[1:])
    return body


def _sides(chain: Expression) -> tuple[Expression, ...]:
    """What a chain of relations relates, in order; nothing of anything else."""
    links = chain.children
    return (links[0].children[0], *(link.children[1] for link in links)) if chain.label == "chain" else ()


def _short(label: str, body: Expression, lower: tuple[Expression, ...], upper: Expression) -> Expression | None:
    """A sum or product of few small terms, written out: so the ``x_k`` in it are the variables ``x_1``, ``x_2``."""
    variable, first, last = lower[0], lower[1].exact, upper.exact
    if variable.kind != "V" or first is None or last is None or first.denominator != 1 or last.denominator != 1:
        return None
    if not 1 < last - first + 1 <= MAX_EXPRESSION // body.size:
        return None
    steps = range(first.numerator, last.numerator + 1)
    return make("plus" if label == "sum" else "times", *[put(body, variable, number(step)) for step in steps])


def _limit(label: str, operands: list[Expression]) -> Expression:
    if len(operands) == 2 and len(operands[1].children) == 2 and operands[1].children[0].is_name:
        towards = operands[1]
        if may_depend_on(operands[0], towards.children[:1]):
            return make("bare " + label, *operands)
        return make(label, *_bind(operands[0], towards.children[0]), leaf("C", towards.label), towards.children[1])
    return make("bare " + label, *operands)


def _integral(label: str, operands: list[Expression]) -> Expression:
    differentials = [operand for operand in operands[1:] if operand.label == "diff" and len(operand.children) == 1]
    bounds = [operand for operand in operands[1:] if operand.label != "diff"]
    variables = [differential.children[0] for differential in differentials if differential.children[0].is_name]
    body = operands[0]
    if not differentials and (inner := _with_differential(body)) is not None:
        body, variable = inner
        differentials, variables = [variable], [variable]
    if not variables or len(variables) < len(differentials) or may_depend_on(body, variables):
        return make("bare " + label, *operands)
    if len(variables) == 1 and label == "int":
        if len(bounds) == 2:
            return make("int", *_bind(body, variables[0]), *bounds)
        if not bounds:
            return make("antiderivative" if variables[0].kind else "bare int", body, variables[0])
    for variable in variables:
        body = make("int over", *_bind(body, variable), leaf("C", "operator " + label), *bounds)
    return body


def _with_differential(body: Expression) -> tuple[Expression, Expression] | None:
    """The integrand and the variable of ``\\frac{f\\,dx}{g}``, where the differential is above a fraction line."""
    if body.label != "divide":
        return None
    above, below = body.children
    factors = list(above.children) if above.label == "times" else [above]
    places = [place for place, factor in enumerate(factors) if differential_variable(factor, 1) is not None]
    if len(places) != 1 or factors[places[0]].label != "diff":
        return None
    variable = factors.pop(places[0]).children[0]
    rest = number(1) if not factors else factors[0] if len(factors) == 1 else make("times", *factors)
    return make("divide", rest, below), variable


_READERS: Mapping[str, Callable[[str, list[Expression]], Expression]] = MappingProxyType({
    "sub": _sub, "subsup": _subsup, "root": _root, "degree": _degree, "group": _group, "apply": applied,
    "deriv": derivative, "divide": divided, "partial": partial, "dot": dotted, "ddot": dotted, "at": evaluated,
    "times": multiplied, **dict.fromkeys(("prime", "prime2", "prime3"), primed),
    **dict.fromkeys(_BIG, _big), **dict.fromkeys(_LIMITS, _limit),
    **dict.fromkeys(_INTEGRALS, _integral),
})


def may_be_imaginary(nodes: Sequence[OperatorNode]) -> bool:
    """Whether the letter i can be the imaginary unit throughout a formula.

    It cannot where it is an index, is counted, or is by itself in a relation or list. Nor can it where it is an
    exponent by itself (but of e), or is the argument of a function; or where the letter j is used as well.
    """
    for node in nodes:
        children = node.children
        if not children:
            if node.label == "j" and node.kind == "V":
                return False
            continue
        label = node.label
        if label == "sub" or label == "subsup":
            if any(_is_i(inner) for index in children[1:2] for inner in index.walk()):
                return False
        elif label == "sup":
            if children[0].label != "e" and any(map(_is_i, children[1:])):
                return False
        elif label in _INDEXED or label.split("-")[0] in _RELATIONS:
            if any(_is_i(child) for child in children):
                return False
        elif label == "apply" and any(_is_i(child) for child in children[1:]):
            return False
    return True


def _is_i(node: OperatorNode) -> bool:
    return node.kind == "V" and node.label == "i"


_INDEXED = frozenset({"list", "tuple", "binom", "factorial", "diff", "forall", "exists", *_BIG})
