"""Chains of relations, and lists of items between commas."""

from __future__ import annotations

from porism.formula.operators.products import make
from porism.formula.operators.rules import BAR, RELATION, RULES
from porism.formula.operators.scripted import Operator, is_scripted, label_of, operand_count, written_operators
from porism.formula.tree import OperatorNode

MAX_CHAIN_LABEL_LENGTH = 4
"""A chain of relations names at most this many changes of relation in its label."""

RELATION_LABELS = frozenset(rule.label for rule in RULES.values() if rule.role in (RELATION, BAR))
_RELATION_SYMBOLS = frozenset(symbol for symbol, rule in RULES.items() if rule.role in (RELATION, BAR))
RELATING_LABELS = RELATION_LABELS | {
    "list", "sequence", "lines", "colon", "and", "or", "implies", "iff", "not", "forall", "exists", "cases", "branch",
    "tuple", "group", "given", "in", "to", "mapsto",
}
QUANTIFIERS = frozenset({"forall", "exists", "nexists", "exists1"})
_DOTS = frozenset("…⋮⋱⋰")


def relation_node(relations: list[Operator], operands: list[OperatorNode]) -> OperatorNode | None:
    """One node for a chain of relations; different ones join their labels in order."""
    relation = relations[0]
    if not operands:
        return None
    if len(relations) > 1:
        parts = [relation]
        for relation in relations:
            if relation != parts[-1]:
                if len(parts) == MAX_CHAIN_LABEL_LENGTH:
                    break
                parts.append(relation)
        if len(parts) > 1:
            node = make("-".join(map(label_of, parts)), operands)
            node.children += written_operators(relations)
            return node
        relation = parts[0]
    return make(relation, operands)


def relates(label: str) -> bool:
    """Whether the operands of an operator stand for themselves: sides of relations, items of lists, statements."""
    # chains of relations join their labels
    return label in RELATING_LABELS or "-" in label or is_scripted(label, RELATION_LABELS)


def is_relation(node: OperatorNode) -> bool:
    """Whether a node is a chain of relations."""
    label = node.label
    return bool(node.children) and (label in RELATION_LABELS or "-" in label or is_scripted(label, RELATION_LABELS))


def fold_items(items: list[OperatorNode]) -> OperatorNode:
    """Items between commas as one node.

    Operands listed before a relation belong to it (``a,b∈R``), so do numbers and dots listed after one (``n=1,2,…``);
    a quantifier without a statement takes the items that follow it.
    """
    result: OperatorNode | None = None
    end = len(items)
    for position in range(len(items) - 1, -2, -1):
        item = items[position] if position >= 0 else None
        if item is not None and not (item.label in QUANTIFIERS and len(item.children) == 1):
            continue
        segment = items[position + 1 : end]
        if result is not None:
            segment.append(result)
        if item is None:
            return _list_of(segment)
        if segment:
            _bind(item, segment)
        result = item
        end = position
    return _list_of(items)


def _bind(quantifier: OperatorNode, segment: list[OperatorNode]) -> None:
    binding, first = quantifier.children[0], segment[0]
    while (
        len(segment) > 1 and not binding.children and first.children and first.label in RELATION_LABELS
        and first.children[0].kind == "V" and first.children[0].label != binding.label
    ):
        first.children[0] = make("list", [binding, first.children[0]])
        first.start = binding.start
        binding = quantifier.children[0] = first
        segment = segment[1:]
        first = segment[0]
    statement = _list_of(segment)
    quantifier.children.append(statement)
    quantifier.end = statement.end


def _list_of(items: list[OperatorNode]) -> OperatorNode:
    folded: list[OperatorNode] = []
    run: list[OperatorNode] = []
    for item in items:
        if not is_relation(item):
            run.append(item)
            continue
        if run:
            _flush(folded, run, item)
            run = []
        folded.append(item)
    if run:
        _flush(folded, run, None)
    return make("list", folded) if len(folded) > 1 else folded[0]


def _flush(folded: list[OperatorNode], run: list[OperatorNode], following: OperatorNode | None) -> None:
    """Puts the operands of ``run`` into the relation that they belong to, else among the items."""
    if folded and is_relation(folded[-1]) and all(_is_value(item) for item in run):
        last = folded[-1]
        right = operand_count(last, _RELATION_SYMBOLS) - 1
        last.children[right] = make("list", [last.children[right], *run])
        last.end = run[-1].end
    elif following is not None and not any(item.kind == "T" for item in run) and (
        not folded or all(not item.children or item.label == "sub" for item in run)
    ):
        following.children[0] = make("list", [*run, following.children[0]])
        following.start = run[0].start
    else:
        folded.extend(run)


def _is_value(item: OperatorNode) -> bool:
    return item.kind == "N" or (item.kind == "C" and item.label in _DOTS)
