"""Statements and the connectives between them."""

from __future__ import annotations

from porism.formula.operators.products import make
from porism.formula.operators.scripted import Operator, Scripted, base_of
from porism.formula.tree import OperatorNode

_STRENGTHS = {
    "therefore": 0, "because": 0, "proves": 0, "nproves": 0, "models": 0, "nmodels": 0, "forces": 0,
    "iff": 1, "niff": 1, "implies": 2, "implied": 2, "nimplies": 2, "or": 3, "xor": 3, "and": 4,
}
_TURNSTILES = frozenset({"proves", "nproves", "models", "nmodels", "forces"})
_BETWEEN_JUDGMENTS = (frozenset({"iff", "niff"}), frozenset({"implies", "implied", "nimplies"}))


def fold_logic(statements: list[OperatorNode], labels: list[Operator]) -> OperatorNode | None:
    """Statements with the connectives between them as one node, the stronger connectives first. Linear."""
    if not statements:
        return None
    if not labels:
        return statements[0]
    if len(set(labels)) == 1 or len(labels) >= len(statements) == 1:
        return make(labels[0], statements)
    strengths = _strengths(labels)
    operands = [statements[0]]
    pending: list[Operator] = []
    made: dict[int, Operator] = {}

    def reduce() -> None:
        label, right, left = pending.pop(), operands.pop(), operands[-1]
        if made.get(id(left)) == label:
            left.children.insert(len(left.children) - isinstance(label, Scripted), right)
            left.end = right.end
        else:
            operands[-1] = node = make(label, [left, right])
            made[id(node)] = label

    for label, statement in zip(labels, statements[1:], strict=False):
        strength = strengths.get(base_of(label), 2)
        while pending and strengths.get(base_of(pending[-1]), 2) >= strength:
            reduce()
        pending.append(label)
        operands.append(statement)
    while pending:
        reduce()
    return operands[0] if len(labels) < len(statements) else make(labels[-1], operands)


def _strengths(connectives: list[Operator]) -> dict[str, int]:
    """How strongly connectives bind. Between two judgments an equivalence is looser, or else an implication is."""
    labels = list(map(base_of, connectives))
    if sum(label in _TURNSTILES for label in labels) > 1:
        for looser in _BETWEEN_JUDGMENTS:
            if not looser.isdisjoint(labels):
                return _STRENGTHS | dict.fromkeys(looser, -1)
    return _STRENGTHS
