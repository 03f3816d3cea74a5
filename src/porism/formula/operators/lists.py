"""Chains of relations, and lists of items between commas."""

from __future__ import annotations

from porism.formula.operators.products import make
from porism.formula.operators.rules import BAR, LOGIC, RELATION, RULES
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
_STATEMENTS = QUANTIFIERS | {"modulo", "not"} | {
    rule.label for rule in RULES.values() if rule.role == LOGIC and rule.label not in ("and", "or", "xor")
}
"""Statements are no operands of a relation after a comma; what ``∧`` and ``∨`` join may be (``a∧b, c∈L``)."""
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
        quantifiers = _open_quantifiers(item) if item is not None else []
        if item is not None and not quantifiers:
            continue
        segment = items[position + 1 : end]
        if result is not None:
            segment.append(result)
        if item is None:
            return _list_of(segment)
        if segment:
            _bind(quantifiers, segment)
        result = item
        end = position
    return _list_of(items)


def _open_quantifiers(node: OperatorNode) -> list[OperatorNode]:
    """Quantifiers inside one another, the last of which has no statement yet; none if there is a statement."""
    quantifiers: list[OperatorNode] = []
    while node.label in QUANTIFIERS and node.children:
        quantifiers.append(node)
        if len(node.children) == 1:
            return quantifiers
        node = node.children[-1]
    return []


def _bind(quantifiers: list[OperatorNode], segment: list[OperatorNode]) -> None:
    """Gives the innermost quantifier what follows: more variables of its binding, then its statement."""
    quantifier = quantifiers[-1]
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
    for outer in quantifiers:
        outer.end = statement.end


def _list_of(items: list[OperatorNode]) -> OperatorNode:
    folded: list[OperatorNode] = []
    run: list[OperatorNode] = []
    for item in items:
        if item.label == "modulo" and not is_relation(item.children[0]) and _take_values(
            folded, [*run, item.children[0]]
        ):
            folded[-1] = make("modulo", [folded[-1], item.children[1]])  # n ≡ 0, 1 (mod 4)
            run = []
            continue
        is_operand = not is_relation(item)
        if is_operand and not _is_statement(item):
            run.append(item)
            continue
        if run:
            _flush(folded, run, None if is_operand else item)
            run = []
        folded.append(item)
    if run:
        _flush(folded, run, None)
    return make("list", folded) if len(folded) > 1 else folded[0]


def _flush(folded: list[OperatorNode], run: list[OperatorNode], following: OperatorNode | None) -> None:
    """Puts the operands of ``run`` into the relation that they belong to, else among the items."""
    if _take_values(folded, run):
        return
    if following is not None and not any(item.kind == "T" for item in run) and (
        not folded or all(not item.children or item.label == "sub" for item in run)
    ):
        following.children[0] = make("list", [*run, following.children[0]])
        following.start = run[0].start
    else:
        folded.extend(run)


def _take_values(folded: list[OperatorNode], values: list[OperatorNode]) -> bool:
    """Whether the last item is a relation and takes the numbers and dots after it to its right side: it does so."""
    if not folded or not is_relation(folded[-1]) or not all(map(_is_value, values)):
        return False
    relation = folded[-1]
    right = operand_count(relation, _RELATION_SYMBOLS) - 1
    relation.children[right] = make("list", [relation.children[right], *values])
    relation.end = values[-1].end
    return True


def _is_statement(item: OperatorNode) -> bool:
    return bool(item.children) and (item.label in _STATEMENTS or is_scripted(item.label, _STATEMENTS))


def _is_value(item: OperatorNode) -> bool:
    return item.kind == "N" or (item.kind == "C" and item.label in _DOTS)
