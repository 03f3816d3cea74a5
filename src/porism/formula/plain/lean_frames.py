"""What the reader of Lean's terms keeps of unfinished parts, and the nodes that it makes of finished ones."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.formula.tables.lean import BINDERS, DEGREES, VARIABLE_FIRST, Operator
from porism.formula.tree import OperatorNode

_CHAINS = frozenset(("to", "compose"))
"""Operators besides commutative ones whose operands are listed: ``f ∘ g ∘ h``."""
_BOUNDED = frozenset(("sum", "prod"))
"""What has an interval as bounds: ``∑ i ∈ Icc a b, f i``."""
MEASURE = "∂"


@dataclass(slots=True)
class PendingOperator:
    """An operator that waits for its operand on the right."""

    precedence: int
    is_right: bool
    operator: Operator
    sign: str
    start: int
    is_prefix: bool = False


@dataclass(slots=True)
class TermFrame:
    """What is between two brackets, or from a sign that introduces variables to the end of its scope."""

    opener: str
    start: int
    lowest: int = -1
    """Operators that bind less end the frame; -1 of brackets, which nothing but the closing one ends."""
    values: list[tuple[OperatorNode, bool]] = field(default_factory=list)
    """Operands, and whether operators outside all inner brackets made them."""
    waiting: list[PendingOperator] = field(default_factory=list)
    arguments: list[OperatorNode] = field(default_factory=list)
    """A function and its arguments so far."""
    is_method: bool = False
    """Whether the function has got an argument before its name."""
    prefixes: list[tuple[str, int]] = field(default_factory=list)
    """Signs before the next argument, and where they are."""
    items: list[OperatorNode] = field(default_factory=list)
    kept: OperatorNode | None = None
    """What is before a colon, or before ``|`` in a set."""
    is_head: bool = False
    """Whether variables are being introduced."""
    is_cut: bool = False
    """Whether what follows a colon is being read, which is left out."""
    is_set: bool = False
    is_dropped: bool = False
    head: list[OperatorNode] = field(default_factory=list)
    domain: OperatorNode | None = None


def prefixed(label: str, sign: str, start: int, operand: OperatorNode) -> OperatorNode:
    """An operator before its operand; a root of another degree than two has it as well."""
    children = [operand]
    if sign in DEGREES:
        children.append(OperatorNode(DEGREES[sign], "N", None, start, start + 1))
    return OperatorNode(label, "O", children, start, operand.end)


def raised(base: OperatorNode, exponent: OperatorNode) -> OperatorNode:
    """A power; one of a letter with an index is one operator, as in LaTeX."""
    parts = base.children if base.label == "sub" else [base]
    label = "subsup" if base.label == "sub" else "sup"
    return OperatorNode(label, "O", [*parts, exponent], base.start, exponent.end)


def joined(
    pending: PendingOperator, left: OperatorNode, right: OperatorNode, left_is_open: bool = False,
    right_is_open: bool = False,
) -> OperatorNode:
    """An operator with its operands; one that goes on, as a sum, takes those of the operand it goes on from."""
    label, kind = pending.operator
    if label == "sup":
        return raised(left, right)
    if pending.sign == "-":
        label, kind = "plus", "U"
        right = OperatorNode("neg", "O", [right], pending.start, right.end)
    children = [left, right]
    if pending.is_right:
        if right_is_open and right.label == label and (kind == "U" or label in _CHAINS):
            children = [left, *right.children]
    elif left_is_open and left.label == label and kind == "U" :
        children = [*left.children, right]
    return OperatorNode(label, kind, children, left.start, right.end)


def bound(frame: TermFrame, body: OperatorNode | None, end: int) -> OperatorNode:
    """What a sign that introduces variables makes of them and of its scope."""
    label = BINDERS[frame.opener][0]
    node = body if body is not None else OperatorNode("", "E", None, end, end)
    end = node.end
    measure: list[OperatorNode] = []
    if node.label == MEASURE and len(node.children) == 2:
        node, *measure = node.children
    variables = frame.head or [OperatorNode("", "E", None, frame.start, frame.start)]
    if frame.domain is not None and label != "int":
        last = variables[-1]
        variables = [*variables[:-1], OperatorNode("in", "O", [last, frame.domain], last.start, frame.domain.end)]
    for variable in reversed(variables):
        if label in VARIABLE_FIRST:
            children = [variable, node]
        elif label == "int":
            domain = frame.domain
            limits = [] if domain is None else domain.children if domain.label == ".." else [domain]
            children = [node, *limits, OperatorNode("diff", "O", [variable], variable.start, variable.end), *measure]
        else:
            children = [node, *(_bounds(variable) if label in _BOUNDED else [variable])]
        node = OperatorNode(label, "O", children, frame.start, end)
    return node


def _bounds(variable: OperatorNode) -> list[OperatorNode]:
    """``i ∈ Icc a b`` as the bounds ``i = a`` and ``b``."""
    if variable.label != "in" or len(variable.children) != 2 or variable.children[1].label != "closed":
        return [variable]
    name, interval = variable.children
    if len(interval.children) != 2:
        return [variable]
    lower, upper = interval.children
    return [OperatorNode("eq", "U", [name, lower], variable.start, lower.end), upper]


def chosen(frame: TermFrame, otherwise: OperatorNode | None, end: int) -> OperatorNode:
    """``if p then a else b``, as LaTeX writes the distinction of cases."""
    cases = [frame.items[0], OperatorNode("otherwise", "T", None, end, end)]
    values = [*frame.items[1:], *([] if otherwise is None else [otherwise])]
    branches = [
        OperatorNode("branch", "O", [value, case], value.start, value.end)
        for value, case in zip(values, cases, strict=False)
    ]
    return OperatorNode("cases", "O", branches or cases[:1], frame.start, end)


def applied(arguments: list[OperatorNode], is_method: bool) -> OperatorNode:
    """A function with its arguments; a name that is no variable is the operator itself."""
    head = arguments[0]
    if len(arguments) == 1:
        return head
    rest, end = arguments[1:], arguments[-1].end
    if head.kind == "N" and not is_method:
        return OperatorNode("times", "U", arguments, head.start, end)
    if is_method or (not head.children and head.kind in "VC" and len(head.label) > 1):
        operands = [*head.children, *rest]
        if head.label in _BOUNDED and len(operands) == 2:  # sum s f is ∑ over s of f
            operands.reverse()
        return OperatorNode(head.label, "O", operands, head.start, end)
    return OperatorNode("apply", "O", arguments, head.start, end)
