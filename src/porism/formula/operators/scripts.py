"""Leaves, and what is written around a symbol: accents, primes, subscripts and superscripts."""

from __future__ import annotations

from porism.formula.operators.arrays import array_node
from porism.formula.operators.frames import Frame
from porism.formula.operators.products import Factor, Prefix, make
from porism.formula.operators.rules import ACCENTS, FUNCTION, RULES, Rule, leaf_label
from porism.formula.operators.scripted import Operator, Scripted
from porism.formula.tree import LayoutNode, OperatorNode, Row

_MANY_PRIMES = 9


class RowContext:
    """The nodes of the rows read so far, for the symbols that they are written around."""

    __slots__ = ("around", "lines", "nodes")

    def __init__(self) -> None:
        self.nodes: dict[int, OperatorNode | None] = {}
        self.around: set[LayoutNode] = set()
        self.lines: dict[LayoutNode, list[Row]] = {}

    def row_node(self, row: Row | None, at: int) -> OperatorNode:
        """The node of a row, or the leaf that stands for an empty one at offset ``at``."""
        node = self.nodes.get(id(row)) if row is not None else None
        return node if node is not None else OperatorNode("", "E", None, at, at)

    def remark(self, node: LayoutNode) -> list[OperatorNode]:
        """What is written around a symbol that takes no scripts of its own."""
        rows = (node.over, node.above, node.below, node.under)
        return [inner for row in rows if row and (inner := self.nodes.get(id(row))) is not None]

    def operator(self, rule: Rule, node: LayoutNode) -> Operator:
        """The operator that a symbol is, with what is written around it."""
        leaf = leaf_node(node)
        written = self.dress(leaf, node)
        return rule.label if written is leaf else Scripted.of(rule.label, written)

    def dress(self, base: OperatorNode, node: LayoutNode) -> OperatorNode:
        """A node with the accents, pre-scripts, primes, subscript and superscript of a symbol around it."""
        if node.kind != "F":
            if node.over:
                base = self._mark(base, node.over, node, "overset")
            if node.under:
                base = self._mark(base, node.under, node, "underset")
        if (node.pre_above and node.kind != "R") or node.pre_below:
            children = [base, *(self.row_node(row, node.start) for row in self._before(node) if row)]
            base = OperatorNode("prescript", "O", children, node.start, base.end)
        return self.scripts(base, node)

    @staticmethod
    def _before(node: LayoutNode) -> tuple[Row | None, ...]:
        return (node.pre_below,) if node.kind == "R" else (node.pre_below, node.pre_above)

    def _mark(self, base: OperatorNode, row: Row, node: LayoutNode, label: str) -> OperatorNode:
        mark = row[0]
        accent = ACCENTS.get(mark.label) if len(row) == 1 and mark.kind == "O" else None
        if accent is None:
            return OperatorNode(label, "O", [base, self.row_node(row, node.start)], base.start, max(base.end, node.end))
        if label == "underset" and accent == "bar":
            accent = "underline"
        children = [base, *self.remark(mark)] if mark in self.around else [base]
        return OperatorNode(accent, "O", children, base.start, max(base.end, node.end))

    def scripts(self, base: OperatorNode, node: LayoutNode) -> OperatorNode:
        above, below = node.above, node.below
        start, end = base.start, max(base.end, node.end)
        below_node = self.row_node(below, node.start) if below else None
        if not above:
            return base if below_node is None else OperatorNode("sub", "O", [base, below_node], start, end)
        primes, power = self.superscript(above)
        if primes:
            if below_node is not None and power is None:
                base = OperatorNode("sub", "O", [base, below_node], start, end)
                below_node = None
            label = "prime" if primes == 1 else f"prime{primes}" if primes <= _MANY_PRIMES else "primes"
            base = OperatorNode(label, "O", [base], start, end)
        if power is None:
            return base if below_node is None else OperatorNode("sub", "O", [base, below_node], start, end)
        if below_node is not None:
            return OperatorNode("subsup", "O", [base, below_node, power], start, end)
        if power.label == "∘" and power.kind == "C" and (base.kind == "N" or base.label == "neg"):
            return OperatorNode("degree", "O", [base], start, end)
        return OperatorNode("sup", "O", [base, power], start, end)

    def superscript(self, row: Row) -> tuple[int, OperatorNode | None]:
        """How many primes a superscript has, and what else it holds."""
        if row[0].label != "′" or row[0].kind != "O":
            return 0, self.row_node(row, row[0].start)
        primes = 0
        for node in row:
            if node.label != "′" or node.kind != "O" or node in self.around:
                break
            primes += 1
        if primes == len(row):
            return primes, None
        node_of_rest = self.row_node(row, row[0].start)
        # the primes come first in what the row was read as; they are counted here instead
        return primes, _without_primes(node_of_rest)

    def structure(self, frame: Frame, node: LayoutNode) -> Factor:
        kind = node.kind
        around = node in self.around
        if kind == "F":
            over, under = self.row_node(node.over, node.start), self.row_node(node.under, node.start)
            label = {"/": "divide", "choose": "binom"}.get(node.label, node.label)
            result = OperatorNode(label, "O", [over, under], node.start, node.end)
            bare = not (node.above or node.below or node.pre_above or node.pre_below)
            if bare and label == "divide" and _is_derivative(over, under):
                prefix = Prefix("deriv", result, big=True)
                prefix.tail = [under, *over.children[1:]]
                frame.special = True
                return prefix
            return self.dress(result, node) if around else result
        if kind == "R":
            children = [self.row_node(node.within, node.start)]
            if node.pre_above:
                children.append(self.row_node(node.pre_above, node.start))
            label = "sqrt" if len(children) == 1 else "root"
            result = OperatorNode(label, "O", children, node.start, node.end)
            return self.dress(result, node) if around else result
        if kind == "M":
            return self.dress(array_node(node, self.lines.get(node), self.nodes), node)
        if kind == "G":
            inner = self.row_node(node.within, node.start)
            if inner.label in ("diff", "partial") and len(inner.children) == 1:
                inner.children = [self.dress(inner.children[0], node)]  # {dz}^2 is dz^2
                return inner
            return self.dress(inner, node)
        leaf = leaf_node(node)
        return self.dress(leaf, node) if around else leaf


def leaf_node(node: LayoutNode) -> OperatorNode:
    """The leaf of the operator tree for a leaf of the layout tree."""
    kind = node.kind
    label = node.label
    if kind == "V":
        rule = RULES.get(label)
        if rule is not None:
            return OperatorNode(rule.label if rule.role == FUNCTION else label, "V" if rule.role == FUNCTION else "C",
                                None, node.start, node.end)
        if node.font:
            label = leaf_label(label, node.font)
    elif kind == "O":
        kind = "C"
    elif kind == "T":
        label = " ".join(label.split())
    elif kind in "FRMG":
        kind = "E"
    return OperatorNode(label, kind, None, node.start, node.end)


def _without_primes(node: OperatorNode) -> OperatorNode:
    if node.label == "times":
        rest = [child for child in node.children if child.label != "′"]
        if len(rest) == 1:
            return rest[0]
        if rest:
            return make("times", rest)
    return node


def _is_derivative(over: OperatorNode, under: OperatorNode) -> bool:
    """Whether a fraction is ``d/dx``, ``∂²/∂x²`` or the like, which applies to what follows it."""
    sign = over.children[0] if over.label == "sup" and len(over.children) == 2 else over
    if sign.children or sign.label not in ("d", "∂"):
        return False
    return under.label in ("diff", "partial") or (
        under.label == "times" and under.children[0].label in ("diff", "partial", "d")
    )
