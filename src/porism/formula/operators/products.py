"""Products: factors, functions and big operators side by side, and what applies to what among them."""

from __future__ import annotations

from typing import NamedTuple

from porism.formula.operators.rules import LEADING_FORMS, UNORDERED
from porism.formula.operators.scripted import Operator, Scripted
from porism.formula.tree import LayoutNode, OperatorNode

_INVERSE = {name: "arc" + name for name in ("sin", "cos", "tan", "cot", "sec", "csc")} | {
    name: "ar" + name for name in ("sinh", "cosh", "tanh", "coth", "sech", "csch")
}


def make(operator: Operator, children: list[OperatorNode]) -> OperatorNode:
    """An operator over ``children`` (at least one) that spans from the first to the last."""
    first, last = children[0], children[-1]
    start = first.start if first.start < last.start else last.start
    end = last.end if last.end > first.end else first.end
    if isinstance(operator, Scripted):
        start, end = min(start, operator.node.start), max(end, operator.node.end)
        kind = "U" if operator.unordered else "O"
        return OperatorNode(operator.label, kind, [*children, operator.node], start, end)
    return OperatorNode(operator, "U" if operator in UNORDERED else "O", children, start, end)


def spanning(node: OperatorNode, end: int) -> OperatorNode:
    """The node, made to reach ``end``."""
    node.end = max(node.end, end)
    return node


class Written(NamedTuple):
    """A written operator among factors or terms: what its node is labelled with, and the symbol."""

    label: Operator
    symbol: LayoutNode

    def leaf(self) -> OperatorNode:
        """What stands for the operator where it has no operands."""
        if isinstance(self.label, Scripted):
            return self.label.node
        return OperatorNode(self.symbol.label, "C", None, self.symbol.start, self.symbol.end)


class Prefix:
    """A function or big operator among the factors, waiting for what it applies to.

    ``tail`` are its bounds, which follow the body; ``power`` a superscript that belongs to the value. An ``operator``
    with scripts stands for itself where there is no body, and where it has no bounds it makes the node. ``big`` ones
    take the rest of the product, functions what is before the next function or written operator; ``tight`` ones
    (``¬ ∂ ∇``) one factor. An ``immediate`` one takes a fenced argument as soon as it is closed. What a ``separate``
    one applies to are its arguments in order, and no product.
    """

    __slots__ = ("big", "immediate", "label", "leaf", "operator", "power", "separate", "start", "tail", "tight")

    def __init__(
        self, label: str, leaf: OperatorNode, *, big: bool = False, immediate: bool = True, separate: bool = False
    ) -> None:
        self.label = label
        self.operator: Scripted | None = None
        self.leaf = leaf
        self.start = leaf.start
        self.tail: list[OperatorNode] = []
        self.power: OperatorNode | None = None
        self.big = big
        self.immediate = immediate
        self.separate = separate
        self.tight = False

    def raise_to(self, power: OperatorNode) -> None:
        """Takes a superscript: ``sin^{-1}`` becomes ``arcsin``, every other one a power of the value."""
        if power.label == "neg" and power.children[0].label == "1" and self.label in _INVERSE:
            self.label = _INVERSE[self.label]
        else:
            self.power = power

    def apply(self, body: OperatorNode | None) -> OperatorNode:
        """The node of the operator applied to ``body``, or what stands for it where there is no body."""
        if body is None:
            if self.operator is not None:
                node = self.operator.node
            elif not self.tail:
                node = self.leaf
            else:
                node = OperatorNode(self.label, "O", self.tail, self.start, self.tail[-1].end)
        elif self.operator is not None and not self.tail:
            node = make(self.operator, [body])
        else:
            arguments = body.children if body.label in ("list", "tuple") and not self.big else [body]
            children = [*arguments, *self.tail] if self.tail else arguments
            node = OperatorNode(self.label, "O", children, self.start, body.end)
        if self.power is not None:
            node = OperatorNode("sup", "O", [node, self.power], self.start, node.end)
        return node


Factor = OperatorNode | Prefix | Written


def read_product(factors: list[Factor]) -> OperatorNode:
    """Factors with functions, big operators and written operators among them, as one node. Linear.

    Big operators nest to the right and take the rest of the product. A function takes what is before the next
    function or written operator (``sin x y`` is ``sin(xy)``), a function right after it as its argument
    (``log log x``). An unknown command takes the same as arguments of its own: ``\\foo x y`` is ``\\foo(x, y)``.
    """
    stack: list[tuple[Prefix, list[OperatorNode | Written]]] = []
    group: list[OperatorNode | Written] = []

    def close_prefix() -> None:
        nonlocal group
        prefix, before = stack.pop()
        body = _multiply(group) if group else None
        if body is not None and prefix.separate and len(group) > 1:
            body = OperatorNode("list", "O", body.children, body.start, body.end)
        before.append(prefix.apply(body))
        group = before

    for factor in factors:
        if isinstance(factor, Prefix):
            while stack and not stack[-1][0].big and group:
                close_prefix()
            stack.append((factor, group))
            group = []
        elif isinstance(factor, Written):
            while stack and not stack[-1][0].big:
                close_prefix()
            group.append(factor)
        else:
            group.append(factor)
            while stack and stack[-1][0].tight:
                close_prefix()
    while stack:
        close_prefix()
    return _multiply(group)


def _multiply(factors: list[OperatorNode | Written]) -> OperatorNode:
    """A product of nodes and written operators, read from the left; equal operators make one flat node."""
    product: list[OperatorNode] = []
    result: OperatorNode | None = None
    made: Operator = ""  # the operator of ``result``
    label: Operator = ""
    for factor in factors:
        if isinstance(factor, OperatorNode):
            if label:
                left = _times(product)
                if left is None:
                    product = [make(LEADING_FORMS.get(label, label) if isinstance(label, str) else label, [factor])]
                elif left is result and made == label and label != "divide":
                    left.children.insert(len(left.children) - isinstance(label, Scripted), factor)
                    left.end = factor.end
                else:
                    result = make(label, [left, factor])
                    made = label
                    product = [result]
                label = ""
            else:
                product.append(factor)
        elif factor.label == "times":
            label = ""
        else:
            label = factor.label
    node = _times(product)
    if node is None:
        last = factors[-1]
        return last.leaf() if isinstance(last, Written) else last
    if not label and len(product) == 1 and _is_product_sign(factors[0], factors[-1]):
        label = "times"
    if label:
        node = make(label, [node])
    return node


def _is_product_sign(*factors: OperatorNode | Written) -> bool:
    return any(isinstance(factor, Written) and factor.label == "times" for factor in factors)


def _times(factors: list[OperatorNode]) -> OperatorNode | None:
    if len(factors) > 1:
        return OperatorNode("times", "U", factors, factors[0].start, factors[-1].end)
    return factors[0] if factors else None
