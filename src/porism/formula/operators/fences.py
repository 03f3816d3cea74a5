"""Fences and bars: what is opened and closed, and whether a letter before a bracket is a function."""

from __future__ import annotations

from porism.formula.operators.frames import Frame
from porism.formula.operators.prepass import BAR_CLOSES, BAR_DIVIDES, BAR_EVALUATES, BAR_OPENS
from porism.formula.operators.products import Prefix, Written, make, spanning
from porism.formula.operators.rules import FENCES, FUNCTION_LETTERS, OPERATOR_LETTERS, RULES, Rule
from porism.formula.operators.scripts import RowContext, leaf_node
from porism.formula.operators.upright import UPRIGHT_SYMBOLS
from porism.formula.tree import LayoutNode, OperatorNode

_TRANSPARENT = frozenset({"plus", "times", "neg", "divide", "pm", "mp"})
_APPLIED = frozenset({"sub", "sup", "subsup", "prime", "prime2", "prime3", "hat", "bar", "tilde", "vec", "dot", "ddot"})


class Fences(RowContext):
    """What happens at fences and bars. ``declared`` are letters known as functions, ``remarks`` what is written
    around operators."""

    __slots__ = ("declared", "remarks")

    def __init__(self) -> None:
        super().__init__()
        self.declared: set[str] = set()
        self.remarks: list[OperatorNode] = []

    def open(self, frame: Frame, node: LayoutNode) -> Frame:
        if node in self.around:
            self.remarks.extend(self.remark(node))
        return Frame(frame, node.label, node.start)

    def bar(self, frame: Frame, rule: Rule, node: LayoutNode, note: int) -> Frame:
        if note == BAR_OPENS:
            return self.open(frame, node)
        if note == BAR_CLOSES and frame.opener in (node.label, "⟨"):
            return self.close(frame, node)
        if (note == BAR_EVALUATES or node.label == "∣") and self.evaluates(frame, node):
            return frame
        parent = frame.parent
        if frame.opener == "{" and frame.before is None:
            frame.bar("setbuilder", node)
            self.remarks.extend(self.remark(node))
        elif (
            frame.opener in ("(", "[") and frame.before is None and parent is not None and parent.factors
            and isinstance(last := parent.factors[-1], Prefix | OperatorNode)
            and (isinstance(last, Prefix) or last.kind in "VT")
        ):
            frame.bar("given", node)
            self.remarks.extend(self.remark(node))
        elif frame.opener == "⟨" and (note == BAR_DIVIDES or node.label == "∣") and node not in self.around:
            frame.bar(rule.label, node)
        elif note or not frame.expects_operand() or node.label == "∣":
            frame.relate(self.operator(rule, node) if node in self.around else rule.label, node)
        else:
            frame.factors.append(self.dress(leaf_node(node), node) if node in self.around else leaf_node(node))
        return frame

    def evaluates(self, frame: Frame, node: LayoutNode) -> bool:
        """Reads a bar or ``↾`` with scripts as what the factor before it is evaluated at or restricted to."""
        if node.below is None and node.above is None:
            return False
        if not frame.factors or isinstance(last := frame.factors[-1], Written):
            return False
        operand = last.apply(None) if isinstance(last, Prefix) else last
        frame.factors[-1] = make("at", [operand, *self.remark(node)])
        return True

    def close(self, frame: Frame, node: LayoutNode) -> Frame:
        while frame.integral is not None and frame.parent is not None:
            inner, prefix, frame = frame.finish(), frame.integral[0], frame.parent
            frame.factors.append(prefix.apply(inner))
        parent = frame.parent
        if parent is None:
            # nothing was opened: the symbol goes, what is written around it stays with what is before it
            if node in self.around:
                if frame.factors and isinstance(last := frame.factors[-1], OperatorNode):
                    frame.factors[-1] = self.dress(last, node)
                else:
                    frame.factors.append(self.dress(leaf_node(node), node))
            return frame
        inner = frame.finish()
        if frame.pmod:
            if node in self.around:
                inner = self.dress(inner if inner is not None else leaf_node(node), node)
            if inner is not None:
                parent.add_modulus(inner)
            return parent
        if inner is None and frame.opener == node.label == "|" and not parent.expects_operand():
            parent.relate(RULES["∥"].label, node)  # typed as ``a||b``
            return parent
        group = _fenced(frame, inner, node)
        factors = parent.factors
        before = factors[-1] if factors else None
        if isinstance(before, Prefix) and before.immediate:
            factors.pop()
            if group.label == "bracket":
                group = group.children[0]
            group = spanning(before.apply(group), node.end)
        elif isinstance(before, OperatorNode):
            if (frame.opener == "(" or (frame.opener == "[" and before.label in OPERATOR_LETTERS)) and self._applies(
                before, group
            ):
                factors.pop()
                keeps = group.label not in ("tuple", "bracket", "closed")
                arguments = [] if group.kind == "E" else [group] if keeps else group.children
                group = OperatorNode("apply", "O", [before, *arguments], before.start, node.end)
            elif parent.special:
                factors.append(Written("times", node))
        factors.append(self.dress(group, node) if node in self.around else group)
        return parent

    def _applies(self, function: OperatorNode, group: OperatorNode) -> bool:
        """Whether a factor before round brackets is a function applied to what they hold."""
        base = function
        while base.label in _APPLIED and base.children:
            base = base.children[0]
        if base.kind == "T":
            return True
        if base.kind != "V":
            return base.label == "compose" and not group.children
        label = base.label
        if label in UPRIGHT_SYMBOLS and not function.label.startswith("prime"):
            return False
        if len(label) > 1 or label in FUNCTION_LETTERS or label in self.declared or label in OPERATOR_LETTERS:
            return True
        if function.label in ("sup", "subsup"):
            return False
        if group.kind == "C" and not group.children:
            return True  # a place for an argument, as in f(⋅), or a constant
        return group.label == "tuple" or group.kind in "VNE" or group.label in ("given", "…")


def _fenced(frame: Frame, inner: OperatorNode | None, closer: LayoutNode) -> OperatorNode:
    """What two fences make of what is between them."""
    opener = frame.opener
    start, end = frame.start, closer.end
    if inner is None:
        return OperatorNode(opener + closer.label, "E", None, start, end)
    is_list = inner.label == "list"
    pair = opener + closer.label
    if not is_list and (pair == "()" or (pair == "[]" and inner.label in _TRANSPARENT)):
        if inner.children:
            inner.start, inner.end = start, end
        return inner
    label = FENCES.get(pair, "fence")
    if label == "abs" and inner.label == "abs":  # typed as ``||x||``
        return OperatorNode("norm", "O", inner.children, start, end)
    if label == "set":
        if inner.label == "setbuilder":
            inner.start, inner.end = start, end
            return inner
        return OperatorNode(label, "U", inner.children if is_list else [inner], start, end)
    if not is_list and label in ("closed", "inner"):
        label = "bracket" if label == "closed" else "angle"
    return OperatorNode(label, "O", inner.children if is_list else [inner], start, end)
