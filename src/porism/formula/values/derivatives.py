"""Reading derivatives: which notations say the same.

A function that is applied has the derivative by its argument: ``f'(x)``, ``\\frac{d}{dx}f(x)``, ``\\frac{df(x)}{dx}``
and ``Df(x)``. One that is not has ``f'``, ``Df`` and ``\\frac{df}{dx}``, which are one quotient of differentials: a
prime or a D by itself derives by x, as a dot does by t. Only letters that are functions by custom are read so; ``y'``
is another y.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from porism.formula.tree import OperatorNode
from porism.formula.values.expressions import Expression, leaf, make, number, rename

FUNCTIONS = frozenset("fghFGHϕφψΦΨ")
"""Letters of which a prime, a D before them or a quotient of differentials is the derivative."""

DERIVATION = "derivation"
"""The label of a D that derives what follows it."""

_PRIMES = {"prime": 1, "prime2": 2, "prime3": 3}
_VARIABLE = leaf("V", "the variable of a function")
_ORDERS = frozenset("1234")
MAX_ORDER = 4
"""Derivatives of a higher order are random functions."""


def _function(expression: Expression) -> Expression:
    """What is applied, with its letters as constants: functions are not renamed."""
    if expression.kind == "V":
        return leaf("C", "function " + expression.label)
    if expression.kind:
        return expression
    label = "iterate" if expression.label == "sup" else expression.label  # f^{(1)} is not f
    return make(label, *[_function(child) for child in expression.children])


def applied(label: str, operands: list[Expression]) -> Expression:
    """A function of arguments, its derivative, or ``Γ(x)``."""
    head = operands[0]
    if len(operands) == 2 and head.label == "Γ":
        return make("gamma", operands[1])
    order = _PRIMES.get(head.label, 0)
    if order and len(operands) == 2 and head.children[0].kind == "V":
        return _at(head.children[0], operands[1], order)
    if len(operands) == 2 and (known := _bare(head)) is not None:
        return _at(known.function, operands[1], known.order)
    if head.label == "sub" and len(operands) > 2 and head.children[0].kind == "V":
        variable = head.children[1]
        if variable.kind == "V" and operands[1:].count(variable) == 1:  # f_x(x,y)
            return _derived(make("apply", _function(head.children[0]), *operands[1:]), variable, variable, 1)
    return make("apply", _function(head), *operands[1:])


def _at(function: Expression, point: Expression, order: int) -> Expression:
    """The derivative of a function of one variable at a point."""
    return _derived(make("apply", _function(function), _VARIABLE), _VARIABLE, point, order)


class _Bare(NamedTuple):
    """The derivative of a function that is not applied, ``d^n f / dx^n``."""

    function: Expression
    variable: Expression
    order: int


def _bare(expression: Expression) -> _Bare | None:
    """What a quotient of differentials derives, if that is a letter for functions."""
    if expression.label != "divide":
        return None
    above, below = expression.children
    if above.label != "diff" or not _is_function(above.children[0]):
        return None
    order = _order(above.children[1]) if len(above.children) == 2 else 1
    variable = differential_variable(below, order) if order and below.label == "diff" else None
    return None if variable is None else _Bare(above.children[0], variable, order)


def _is_function(expression: Expression) -> bool:
    return expression.kind == "V" and expression.label in FUNCTIONS


def primed(label: str, operands: list[Expression]) -> Expression:
    """``f'``, which is ``df/dx``; any other letter with a prime is another letter."""
    if len(operands) == 1 and _is_function(operands[0]):
        return _of_name(operands[0], [leaf("V", "x")] * _PRIMES[label], "diff")
    return make(label, *operands)


def evaluated(label: str, operands: list[Expression]) -> Expression:
    """A derivative at a point, ``df/dx |_{x=a}``, which is ``f'(a)``."""
    if len(operands) == 2 and (known := _bare(operands[0])) is not None:
        where = operands[1]
        if where.label == "eq" and len(where.children) == 2 and where.children[0] is known.variable:
            return _at(known.function, where.children[1], known.order)
    return make(label, *operands)


def multiplied(label: str, operands: list[Expression]) -> Expression:
    """A product, in which a D that derives makes ``f'`` or ``f'(x)`` of the last factor."""
    if len(operands) > 1 and (order := _derivation(operands[-2])):
        body = operands[-1]
        if body.kind:
            derived = _of_name(body, [leaf("V", "x")] * order, "diff")
        else:
            derived = _derived(make("apply", body.children[0], _VARIABLE), _VARIABLE, body.children[1], order)
        return make(label, *operands[:-2], derived) if len(operands) > 2 else derived
    return make(label, *operands)


def _derivation(expression: Expression) -> int:
    """How often a D derives, 0 for anything else."""
    if expression.label == "sup":
        return _order(expression.children[1]) if _derivation(expression.children[0]) == 1 else 0
    return int(expression.kind == "C" and expression.label == DERIVATION)


def derives(nodes: Sequence[OperatorNode]) -> bool:
    """Whether the letter D derives throughout a formula: wherever it is, a function letter follows as the last factor.

    It does in ``Df``, ``2Df(x)`` and ``D^2f``. Elsewhere it is a letter like others: in ``D``, ``fD``, ``Dx``,
    ``Df=D``, ``Dfg``, which may be (Df)g or D(fg), and ``Df(x,y)``, where it is not said by what it derives.
    """
    seen = read = 0
    for node in nodes:
        seen += node.label == "D"
        if node.label != "times" or len(node.children) < 2:
            continue
        sign, body = node.children[-2:]
        if sign.label == "sup" and len(sign.children) == 2 and sign.children[1].label in _ORDERS:
            sign = sign.children[0]
        if body.label == "apply" and len(body.children) == 2:
            body = body.children[0]
        read += sign.label == "D" and sign.kind == "V" and body.kind == "V" and body.label in FUNCTIONS
    return 0 < seen == read


def may_depend_on(body: Expression, variables: Sequence[Expression]) -> bool:
    """Whether a body has letters but none of the variables: then the letters may be functions of these."""
    return bool(body.variables) and not any(variable in body.variables for variable in variables)


def _derived(body: Expression, variable: Expression, point: Expression, order: int) -> Expression:
    """The derivative of a body by a variable at a point; of higher order, the derivative of that by the point."""
    depth = 1 + max((int(known.label) for known in body.leaves | point.leaves if known.kind == "B"), default=0)
    bounds = [leaf("B", str(depth + step)) for step in range(order)]
    for number_, bound in enumerate(bounds):
        body = rename(body, {variable: bound}) if number_ == 0 else body
        at = bounds[number_ + 1] if number_ + 1 < order else point
        body = make("derivative", body, bound, at)
    return body


def derivative(label: str, operands: list[Expression]) -> Expression:
    """A derivative ``d/dx`` or ``∂/∂x`` that is applied to what follows."""
    body = operands[0]
    for differential in operands[1:2]:
        order = _order(operands[2]) if len(operands) > 2 else 1
        variable = differential_variable(differential, order)
        if variable is None or not order:
            break
        if (known := _bare(body)) is not None and known.variable is variable and differential.label == "diff":
            return _of_name(known.function, [variable] * (order + known.order), "diff")
        if body.is_name and body is not variable:
            return _of_name(body, [variable] * order, differential.label)
        if may_depend_on(body, [variable]):
            break
        return _derived(body, variable, variable, order)
    return make("bare deriv", *operands)


def _order(number_: Expression) -> int:
    """The order of a derivative, 0 if it is none that is read."""
    exact = number_.exact
    return exact.numerator if exact is not None and exact.denominator == 1 and 1 <= exact <= MAX_ORDER else 0


def differential_variable(expression: Expression, order: int) -> Expression | None:
    """The variable of ``dx``, ``∂x`` or, of a derivative of this order, ``dx^2``."""
    if expression.label not in ("diff", "partial") or len(expression.children) != 1:
        return None
    variable = expression.children[0]
    if order > 1:
        if variable.label != "sup" or _order(variable.children[1]) != order:
            return None
        variable = variable.children[0]
    return variable if variable.kind == "V" else None


def _of_name(body: Expression, variables: list[Expression], label: str) -> Expression:
    """The derivative of a quantity that is one letter: ``∂u/∂t`` is ``u_t``, ``dy/dx`` a quotient of differentials."""
    if label == "partial":
        return make("sub", body, variables[0] if len(variables) == 1 else make("index", *variables))
    order = len(variables)
    if order == 1:
        return make("divide", make("diff", body), make("diff", variables[0]))
    exponent = number(order)
    return make("divide", make("diff", body, exponent), make("diff", make("sup", variables[0], exponent)))


def divided(label: str, operands: list[Expression]) -> Expression:
    """A quotient, or a derivative written as one of differentials.

    Of a quantity that is one letter ``∂u/∂t`` and ``∂²u/∂x∂y``, of a function that is applied ``df(x)/dx`` and
    ``∂f(x,y)/∂x``.
    """
    above, below = operands
    order = 1
    if above.label == "sup" and above.children[0].label == "partial":
        order = _order(above.children[1])
        above = above.children[0]
    if above.label == "partial" and len(above.children) == 1 and order:
        body = above.children[0]
        variables = _partials(below, order)
        if variables and body.is_name:
            return _of_name(body, variables, "partial")
        if len(set(variables)) == 1 and body.label == "apply":
            return _derived(body, variables[0], variables[0], order)
    if above.label == "times" and len(above.children) == 2 and above.children[0].label == "diff":
        derived = _bare(make("divide", above.children[0], below))  # the parser reads df(x) as df·x
        if derived is not None:
            body = make("apply", _function(derived.function), above.children[1])
            return _derived(body, derived.variable, derived.variable, derived.order)
    if above.label == below.label == "diff" and len(above.children) == 1:
        known = _bare(above.children[0])
        if known is not None and differential_variable(below, 1) is known.variable:  # df'/dx
            return _of_name(known.function, [known.variable] * (1 + known.order), "diff")
    return make(label, *operands)


def _partials(below: Expression, order: int) -> list[Expression]:
    """The variables of ``∂t``, ``∂x∂y`` or ``∂x^2``; none if they are not so many."""
    if below.label == "times":
        variables = [differential_variable(part, 1) for part in below.children]
    else:
        variables = [differential_variable(below, order)] * order
    known = [variable for variable in variables if variable is not None]
    return known if len(known) == len(variables) == order else []


def partial(label: str, operands: list[Expression]) -> Expression:
    """``∂_t u``, which is ``u_t``."""
    if len(operands) == 2 and operands[0].is_name and operands[1].kind == "V":
        return _of_name(operands[0], [operands[1]], label)
    return make(label, *operands)


def dotted(label: str, operands: list[Expression]) -> Expression:
    """``\\dot x`` and ``\\ddot x``, the derivatives by time."""
    if len(operands) == 1 and operands[0].is_name:
        return _of_name(operands[0], [leaf("V", "t")] * (1 if label == "dot" else 2), "diff")
    return make(label, *operands)
