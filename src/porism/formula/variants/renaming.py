"""Renaming variables: consistently, which leaves a formula what it is, or not, which makes another one of it."""

from __future__ import annotations

from collections import Counter
from random import Random

from porism.formula.operators.rules import FUNCTION_LETTERS, is_fixed_name
from porism.formula.tree import OperatorNode
from porism.formula.variants.editing import EditRule

POOLS = ("xyzuvwts", "abcdpqrs", "nmkijlr", "fghFGHφψ", "αβγδεθλμνρστω", "ABCDEKLMNPQRSTUVWXYZ")
"""Letters that authors use alike."""

_POOL_OF: dict[str, str] = {}
for _pool in POOLS:
    for _letter in _pool:
        _POOL_OF.setdefault(_letter, _pool)

_ALL = "".join(dict.fromkeys("".join(POOLS)))
_NOT_RENAMED = frozenset({"i", "d", "D"})
"""Letters that can be more than a variable: the imaginary unit, a differential, a derivation."""


def is_variable(node: OperatorNode) -> bool:
    """Whether a node is a variable that could have another name."""
    return node.kind == "V" and not node.children and not is_fixed_name(node.label)


def renameable(root: OperatorNode) -> list[str]:
    """The variables of a tree that have another name in a variant, in the order in which they appear."""
    labels = dict.fromkeys(node.label for node in root.walk() if is_variable(node))
    return [label for label in labels if label not in _NOT_RENAMED]


def rename(root: OperatorNode, random: Random) -> bool:
    """Gives variables other names in place, different ones to different variables; whether any has one now.

    Most new names are letters that authors use like the old one; now and then all are renamed to any letters.
    """
    known = renameable(root)
    if not known:
        return False
    used = {node.label for node in root.walk() if not node.children}
    some = known if random.random() < 0.6 else random.sample(known, random.randint(1, len(known)))
    kept = used.difference(some)
    names: dict[str, str] = {}
    anything = random.random() < 0.2
    for label in some:
        pool = _ALL if anything else _POOL_OF.get(label, _ALL)
        free = [letter for letter in pool if letter not in kept and letter != label]
        free = free or [letter for letter in _ALL if letter not in kept]
        if not free:
            names[label] = label
            continue
        name = random.choice(free)
        if (label in FUNCTION_LETTERS) and len(free) > 1 and name not in FUNCTION_LETTERS:
            name = random.choice(free)
        names[label] = name
        kept.add(name)
    kept_names = {label for label in some if names[label] == label}
    if len(set(names.values())) < len(names) or len(kept_names) == len(some):
        return False
    for node in root.walk():
        if is_variable(node):
            node.label = names.get(node.label, node.label)
    return True


def _counts(root: OperatorNode) -> Counter[str]:
    return Counter(node.label for node in root.walk() if is_variable(node))


def _merge(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """All places of one variable get the name of another one."""
    if not is_variable(node):
        return False
    others = [label for label in _counts(root) if label != node.label]
    if not others:
        return False
    old, new = node.label, random.choice(others)
    for inner in root.walk():
        if is_variable(inner) and inner.label == old:
            inner.label = new
    return True


def _split(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """One place of a variable that has several gets another name, of another variable or a new one."""
    if not is_variable(node):
        return False
    counts = _counts(root)
    if counts[node.label] < 2:
        return False
    pool = [label for label in (*counts, *_POOL_OF.get(node.label, _ALL)) if label != node.label]
    node.label = random.choice(pool)
    return True


def _swap(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """Within one part of a tree two variables trade their names."""
    if not node.children or node is root:
        return False
    inside = list(_counts(node))
    if len(inside) < 2:
        return False
    first, second = random.sample(inside, 2)
    traded = {first: second, second: first}
    for leaf in node.walk():
        if is_variable(leaf):
            leaf.label = traded.get(leaf.label, leaf.label)
    return True


NAME_CHANGES = (
    EditRule("variables merged", frozenset(), _merge),
    EditRule("variable replaced in one place", frozenset(), _split),
    EditRule("variables swapped in one part", frozenset(), _swap),
)
"""Changes of names that are not renaming."""
