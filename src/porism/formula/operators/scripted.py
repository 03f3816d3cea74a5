"""Operators with scripts or notes: ``×_S``, ``≡_n``, ``→`` with ``f`` over it.

Such an operator is another one than the bare one. The label of its node says both, the bare operator and how it is
marked (``times_sub``, ``to_overset``). The last child of the node is the operator as it is written.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.formula.operators.notation import operator_string
from porism.formula.operators.rules import UNORDERED
from porism.formula.tree import OperatorNode

_MARK = "_"
_NAMES = {"neg": "minus"}
"""Labels of signs that are named otherwise between two operands."""


@dataclass(frozen=True, slots=True)
class Scripted:
    """An operator with scripts: the ``base`` that is without them, the label of its nodes, and how it is written.

    Two are equal where they are written alike.
    """

    base: str
    label: str
    written: str
    node: OperatorNode = field(compare=False)

    @classmethod
    def of(cls, base: str, node: OperatorNode) -> Scripted:
        """The operator ``base`` written as ``node``, a leaf with its scripts."""
        return cls(base, _NAMES.get(base, base) + _MARK + node.label, operator_string(node), node)

    @property
    def unordered(self) -> bool:
        """Whether the operands may be swapped."""
        return self.base in UNORDERED


Operator = str | Scripted
"""The label of a bare operator, or an operator with scripts."""


def label_of(operator: Operator) -> str:
    """The label of a node of this operator."""
    return operator if isinstance(operator, str) else operator.label


def base_of(operator: Operator) -> str:
    """The label that the operator has without its scripts."""
    return operator if isinstance(operator, str) else operator.base


def is_scripted(label: str, bases: frozenset[str]) -> bool:
    """Whether a node of this label has an operator with scripts whose bare one is among ``bases``."""
    return _MARK in label and label.partition(_MARK)[0] in bases


def written_operators(operators: list[Operator]) -> list[OperatorNode]:
    """The distinct ones among operators that have scripts, as they are written."""
    return [each.node for each in dict.fromkeys(operators) if isinstance(each, Scripted)]


def operand_count(node: OperatorNode, labels: frozenset[str]) -> int:
    """How many children of a node are its operands: all but the operators with scripts, of ``labels``, at its end."""
    children = node.children
    count = len(children)
    if _MARK in node.label:
        while count and _is_written(children[count - 1], labels):
            count -= 1
    return count


def _is_written(node: OperatorNode, labels: frozenset[str]) -> bool:
    base = node
    while base.children:
        base = base.children[0]
    return base is not node and base.kind == "C" and base.label in labels
