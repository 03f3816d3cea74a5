"""What a symbol does to the factors before and after it: products, functions, big operators, signs after an operand,
differentials, quantifiers, and words between formulas."""

from __future__ import annotations

from porism.formula.operators.fences import Fences
from porism.formula.operators.frames import Frame
from porism.formula.operators.prepass import is_letter
from porism.formula.operators.products import Prefix, Written, spanning
from porism.formula.operators.rules import (
    ADD,
    BIG,
    BIG_FORMS,
    CONNECTIVES,
    EXTREMA,
    FUNCTION,
    LOGIC,
    NABLA_PRODUCTS,
    PREFIX,
    RELATION,
    RULES,
    Rule,
)
from porism.formula.operators.scripted import Operator, Scripted
from porism.formula.operators.scripts import leaf_node
from porism.formula.tree import LayoutNode, OperatorNode, Row


class Factors(Fences):
    """What happens at operators that are not relations, sums or fences."""

    __slots__ = ()

    def scripted(self, frame: Frame, rule: Rule, node: LayoutNode, *, joins: bool = False) -> None:
        """An operator with scripts, between operands or, where none is before it, before its only one.

        ``joins`` says that ``∧`` or ``∨`` joins statements. Without an operand before it a union is that of a family
        (``\\cup_i A_i``), and so are others of which there are big ones.
        """
        role = rule.role
        if node.label == "↾" and self.evaluates(frame, node):
            return
        operator = self.operator(rule, node)
        if role == RELATION:
            frame.relate(operator, node)
        elif role == LOGIC or joins:
            frame.connect(operator, node)
        elif isinstance(operator, Scripted) and frame.expects_operand():
            big = BIG_FORMS.get(rule.label) if node.below or node.above else None
            if big is not None:
                prefix = self.big(Rule(BIG, big), node)
            else:
                prefix = Prefix(rule.label, operator.node, big=True, immediate=False)
            prefix.operator = operator
            frame.factors.append(prefix)
            frame.special = True
        elif role == ADD:
            frame.add(operator, node)
        else:
            self.multiply(frame, operator, node)

    def multiply(self, frame: Frame, label: Operator, node: LayoutNode) -> None:
        last = frame.factors[-1] if frame.factors else None
        if (
            isinstance(last, Prefix) and last.label == "nabla" and last.power is None and isinstance(label, str)
            and node.label in NABLA_PRODUCTS
        ):
            last.label = NABLA_PRODUCTS[node.label]
            last.leaf = OperatorNode(last.label, "C", None, last.start, node.end)
            return
        if not frame.factors and label in ("or", "and"):
            frame.connect(label, node)
            return
        frame.factors.append(Written(label, node))
        frame.special = True

    def prefix(self, frame: Frame, rule: Rule, node: LayoutNode) -> None:
        prefix = self.big(rule, node) if rule.role == BIG else Prefix(rule.label, leaf_node(node))
        if rule.role == PREFIX:
            # a negation takes the product after it, a derivative one factor
            prefix.tight = rule.label != "not"
            prefix.immediate = False
        if rule.role != BIG and node in self.around:
            if node.below:
                prefix.tail.append(self.row_node(node.below, node.start))
                prefix.big = rule.label in EXTREMA
            if node.above:
                primes, power = self.superscript(node.above)
                if primes or (power is not None and len(node.label) > 1 and power.kind == "C"):
                    # a primed or starred name is another function
                    frame.factors.append(self.dress(leaf_node(node), node))
                    return
                if power is not None:
                    prefix.raise_to(power)
            for row in (node.under, node.over, node.pre_below, node.pre_above):
                if row:
                    prefix.tail.append(self.row_node(row, node.start))
        frame.factors.append(prefix)
        frame.special = True

    def spelled(self, frame: Frame, letters: Row) -> None:
        """A function whose name is written as letters, the last of which carries its scripts."""
        last = letters[-1]
        name = LayoutNode("".join(node.label for node in letters), "V", letters[0].start, last.end)
        for slot in ("above", "below", "over", "under", "pre_above", "pre_below"):
            setattr(name, slot, getattr(last, slot))
        if last in self.around:
            self.around.add(name)
        self.prefix(frame, RULES[name.label], name)

    def big(self, rule: Rule, node: LayoutNode) -> Prefix:
        leaf = OperatorNode(node.label, "C", None, node.start, node.end)
        label = rule.label
        lined: Row | None = None
        if label == "lim" and node in self.around:
            label, lined = _lined_limit(node)
        prefix = Prefix(label, leaf, big=True, immediate=False)
        if node in self.around:
            for row in (node.below, node.under, node.above, node.over, node.pre_below, node.pre_above):
                if row and row is not lined:
                    prefix.tail.append(self.row_node(row, node.start))
        return prefix

    def postfix(self, frame: Frame, label: str, node: LayoutNode) -> None:
        factors = frame.factors
        if factors and isinstance(name := factors[-1], Prefix) and name.separate:
            factors[-1] = name.leaf
        if not factors or not isinstance(last := factors[-1], OperatorNode):
            factors.append(self.dress(leaf_node(node), node))
            return
        is_bare = last.label == label == "factorial" and last.start == last.children[0].start  # n!, and not (n!)
        if is_bare and node.start <= last.end and not node.space:
            last.label = "factorial2"
            last.end = node.end
        else:
            factors[-1] = OperatorNode(label, "O", [last], last.start, node.end)
        if node in self.around:
            factors[-1] = self.dress(factors[-1], node)  # type: ignore[arg-type]

    def modulo(self, frame: Frame, node: LayoutNode) -> None:
        if frame.opener == "(" and not frame.factors and frame.chain is None and frame.items is None:
            frame.pmod = True
        elif frame.relations and frame.relations[-1] in ("equiv", "nequiv") and not frame.inline_modulus:
            operand = frame.close_sum()
            if operand is not None and frame.chain is not None:
                frame.chain.append(operand)
            frame.inline_modulus = True
        else:
            frame.factors.append(Written("mod", node))
            frame.special = True

    def differential(self, frame: Frame, row: Row, position: int) -> Frame:
        """``d`` before the variable at ``position``: ends an integral that waits for it."""
        node = self.diff(row, position)
        last = frame.factors[-1] if frame.factors else None
        if isinstance(last, Written) and last.label == "times" and len(frame.factors) > 1:
            frame.factors.pop()  # F · dr
        if frame.integral is None:
            last = frame.factors[-1] if frame.factors else None
            if isinstance(last, OperatorNode) and last.children and last.children[-1].label == "diff":
                last.children.append(node)
                last.end = node.end
            else:
                frame.factors.append(node)
            return frame
        prefix, missing = frame.integral
        prefix.tail.append(node)
        if missing > 1:
            frame.integral = (prefix, missing - 1)
            return frame
        parent = frame.parent
        assert parent is not None
        parent.factors.append(spanning(prefix.apply(frame.finish()), node.end))
        return parent

    def diff(self, row: Row, position: int) -> OperatorNode:
        sign, variable = row[position - 1], row[position]
        operand = leaf_node(variable)
        if variable in self.around:
            operand = self.dress(operand, variable)
        children = [operand]
        if sign.above:
            children.append(self.row_node(sign.above, sign.start))
        return OperatorNode("diff", "O", children, sign.start, operand.end)

    def quantify(self, frame: Frame, rule: Rule, row: Row, position: int) -> int:
        label = rule.label
        if label == "exists" and position < len(row) and row[position].label == "!":
            label = "exists1"
            position += 1
        sign = row[position - 1]
        if sign in self.around and sign.below and not (sign.above or sign.over):
            frame.quantify(label, sign)
            frame.quantifier = None
            frame.push_head(label, self.row_node(sign.below, sign.start))
            return position
        operator = self.operator(Rule(rule.role, label), sign) if sign in self.around else label
        frame.quantify(operator, sign)
        if position + 1 < len(row) and is_letter(row[position]) and _begins_operand(row[position + 1]):
            variable = leaf_node(row[position])
            if row[position] in self.around:
                variable = self.dress(variable, row[position])
            frame.quantifier = None
            frame.push_head(operator, variable)
            position += 1
        return position

    def text(self, frame: Frame, node: LayoutNode, row: Row, position: int) -> None:
        words = node.label.split()
        if _is_applied(node, row, position):
            self.prefix(frame, Rule(FUNCTION, node.label), node)
            return
        leaf = OperatorNode(" ".join(words), "T", None, node.start, node.end)
        if node in self.around:
            leaf = self.dress(leaf, node)
        if not words:
            return
        joins = words[0].lower().strip(",.;:()") in CONNECTIVES or words[-1].lower().strip(",.;:()") in CONNECTIVES
        alone = len(words) > 2 and frame.parent is None
        if joins or alone:
            frame.comma()
            frame.factors.append(leaf)
            if position < len(row):
                frame.comma()
        else:
            frame.factors.append(leaf)


def _is_applied(node: LayoutNode, row: Row, position: int) -> bool:
    """Whether a word is the name of a function: a parenthesis follows it without a space."""
    return (
        position < len(row) and row[position].label == "(" and not row[position].space and node.label.isalpha()
        and node.label.lower() not in CONNECTIVES
    )


def _lined_limit(node: LayoutNode) -> tuple[str, Row | None]:
    """A limit with a line over or under it is the upper or lower one: its label, and the line."""
    for label, row in (("limsup", node.over), ("liminf", node.under)):
        if row is not None and len(row) == 1 and row[0].label == "¯":
            return label, row
    return "lim", None


def _begins_operand(node: LayoutNode) -> bool:
    return node.kind in "NFRM" or is_letter(node) or node.label in ("(", "[", "∃", "∀", "¬", "∄")
