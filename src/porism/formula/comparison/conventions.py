"""What must be true of letters and limits for expressions of one value to be equal.

Values take letters for numbers, and sums, integrals and limits for operators that may be exchanged
(``docs/explanation/values.md``). A reader is told where an equality rests on that.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from porism.formula.tree import LayoutTree
from porism.formula.values.evaluation import value
from porism.formula.values.expressions import Expression
from porism.formula.values.field import PRIMES, random, rational
from porism.formula.writers.mathml import preorder

Matrix = tuple[int, int, int, int]

_P = PRIMES[0]
_ENDLESS = frozenset({"lim", "limsup", "liminf", "int", "int over", "antiderivative", "derivative"})
_ENDED = frozenset({"sum", "prod", "sum over", "prod over", "big over"})
_TRANSPOSED = frozenset({"T", "⊤", "t"})
_BOLD = frozenset({"bf"})


def needed(
    first: Expression, second: Expression, layouts: tuple[LayoutTree, LayoutTree], is_known: bool = True
) -> list[str]:
    """The assumptions under which two expressions of one value are equal, a clause each.

    Where the second is the first but for a constant factor, ``is_known`` says that it was multiplied by that.
    """
    bold = [frozenset(_letters(layout, bold=True)) for layout in layouts]
    plain = [frozenset(_letters(layout, bold=False)) for layout in layouts]
    clauses = []
    if bold[0] != bold[1] and (bold[0] & plain[1] or bold[1] & plain[0]):
        clauses.append("bold letters are the same as plain ones")
    left, right = (_matrix(each, bold[0] | bold[1]) for each in (first, second))
    if left != right if is_known else any((a * right[0] - b * left[0]) % _P for a, b in zip(left, right, strict=True)):
        clauses.append("the letters stand for numbers, whose products have no order")
    bars = [any(node.label == "abs" for node in _walk(each)) for each in (first, second)]
    if bars[0] != bars[1] and any(_may_be_complex(node) for each in (first, second) for node in _walk(each)):
        clauses.append("the variables are real numbers")
    if _nested(first) != _nested(second):
        clauses.append("the sums, integrals and limits may be exchanged")
    names = [{node.label for node in _walk(each)} for each in (first, second)]
    bases = [any(node.label == "log" and len(node.children) == 1 for node in _walk(each)) for each in (first, second)]
    if (bases[0] and names[1] & {"ln", "exp"}) or (bases[1] and names[0] & {"ln", "exp"}) or bases[0] != bases[1]:
        clauses.append("log is the natural logarithm")
    return clauses


def _letters(layout: LayoutTree, bold: bool) -> Iterator[str]:
    return (node.label for node in preorder(layout) if node.kind == "V" and (node.font in _BOLD) == bold)


def _walk(expression: Expression) -> Iterator[Expression]:
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack += node.children


def _may_be_complex(node: Expression) -> bool:
    """Whether a node is a letter for a complex number, or makes one likely."""
    return node.label in ("bar", "overline", "re", "im") or (node.kind == "V" and node.label in "zwζω") or (
        node.kind == "C" and node.label == "i"
    )


def _nested(expression: Expression) -> frozenset[Expression]:
    """The outermost limits, integrals and endless sums that have another in them: such may not always be exchanged."""
    nested: set[Expression] = set()
    stack: list[tuple[Expression, Expression | None]] = [(expression, None)]
    while stack:
        node, outer = stack.pop()
        if not _is_endless(node):
            stack += [(child, outer) for child in node.children]
            continue
        if outer is not None and not (node.label == "derivative" and node.children[-1].kind == "B"):
            nested.add(outer)
        stack += [(child, outer or node) for child in node.children]
    return frozenset(nested)


def _is_endless(node: Expression) -> bool:
    return node.label in _ENDLESS or (
        node.label in _ENDED and any(child.label == "∞" for child in _walk(node) if child.kind == "C")
    )


# -- products with an order --------------------------------------------------------------------------------------------


def _matrix(expression: Expression, bold: frozenset[str]) -> Matrix:
    """An expression where letters that may not be numbers are random matrices: capitals, bold and other fonts, arrows.

    What is no sum, product, quotient or power of such is a random number, as what f(A) or ‖A‖ is.
    """
    if not any(_may_be_matrix(leaf, bold) for leaf in expression.leaves) and not _has_arrow(expression):
        return _scalar(_number(expression))
    if expression.is_name:
        entries = [random(0, f"entry {place}", _number(expression)) for place in range(4)]
        return entries[0], entries[1], entries[2], entries[3]
    label, children = expression.label, expression.children
    if label in ("plus", "neg", "times"):
        parts = [_matrix(child, bold) for child in children]
        total = parts[0]
        for part in parts[1:]:
            total = _add(total, part) if label == "plus" else _multiply(total, part)
        return _multiply(total, _scalar(-1)) if label == "neg" else total
    if label == "divide":
        under = _inverse(_matrix(children[1], bold))
        return _multiply(_matrix(children[0], bold), under) if under is not None else _scalar(_number(expression))
    if label == "sup":
        return _power(expression, bold)
    return _scalar(random(0, "of matrices " + label, *[_number(child) for child in children]))


def _power(expression: Expression, bold: frozenset[str]) -> Matrix:
    base, exponent = expression.children
    if exponent.kind and exponent.label.removeprefix("name ") in _TRANSPOSED:
        a, b, c, d = _matrix(base, bold)
        return a, c, b, d
    whole = exponent.exact
    if whole is None or whole.denominator > 1 or abs(whole) > 20:
        return _scalar(random(0, "power of matrices", *_matrix(base, bold), _number(exponent)))
    matrix: Matrix | None = _matrix(base, bold)
    if whole < 0:
        matrix = _inverse(matrix) if matrix is not None else None
    if matrix is None:
        return _scalar(_number(expression))
    total = _scalar(1)
    for _ in range(abs(whole.numerator)):
        total = _multiply(total, matrix)
    return total


def _number(expression: Expression) -> int:
    """A number that expressions of one value share."""
    if expression.exact is not None:
        return rational(expression.exact, 0) or 0
    known = value(expression, 0)
    return known if isinstance(known, int) else random(0, "pair", known)


def _may_be_matrix(leaf: Expression, bold: frozenset[str]) -> bool:
    """Whether a letter often stands for a matrix, a vector or another thing whose products have an order."""
    if leaf.kind != "V":
        return False
    name = unicodedata.name(leaf.label[:1], "")
    return leaf.label in bold or "CAPITAL" in name or not name.startswith(("LATIN SMALL", "GREEK"))


def _has_arrow(expression: Expression) -> bool:
    return any(node.label in ("vec", "hat", "widehat") for node in _walk(expression))


def _scalar(number: int) -> Matrix:
    return number % _P, 0, 0, number % _P


def _add(left: Matrix, right: Matrix) -> Matrix:
    return (left[0] + right[0]) % _P, (left[1] + right[1]) % _P, (left[2] + right[2]) % _P, (left[3] + right[3]) % _P


def _multiply(left: Matrix, right: Matrix) -> Matrix:
    a, b, c, d = left
    e, f, g, h = right
    return (a * e + b * g) % _P, (a * f + b * h) % _P, (c * e + d * g) % _P, (c * f + d * h) % _P


def _inverse(matrix: Matrix) -> Matrix | None:
    a, b, c, d = matrix
    determinant = (a * d - b * c) % _P
    if not determinant:
        return None
    under = pow(determinant, -1, _P)
    return d * under % _P, -b * under % _P, -c * under % _P, a * under % _P
