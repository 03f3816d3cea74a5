"""Names in Lean's terms: variables with indices and primes, constants in namespaces, and what is applied with a dot."""

from __future__ import annotations

import re

from porism.formula.tables.lean import NAMES
from porism.formula.tree import OperatorNode

DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹₀₁₂₃₄₅₆₇₈₉", "01234567890123456789")
_INDEXED = re.compile(r"(?P<base>.[^\W\d_₀-₉]*)(?P<number>[0-9₀-₉]+)\Z")
_VARIABLE = re.compile(r"[^\W\d_][0-9₀-₉ₐ-ₜᵢ-ᵪ']*\Z|[^\W\d_A-ZΑ-Ω]")
"""What begins the name of a variable, if anything does: a letter alone, or one that is small."""


def name_label(name: str) -> str:
    """The label that a name has in trees, as an operator or as a leaf; of one with dots the last part counts."""
    name = name.rpartition(".")[2]
    return NAMES.get(name, name)


def with_part(node: OperatorNode, part: str, end: int) -> OperatorNode:
    """What follows a dot applied to what is before it; ``p.1`` is ``p`` with an index."""
    if part.isdigit():
        return OperatorNode("sub", "O", [node, OperatorNode(part, "N", None, end - len(part), end)], node.start, end)
    return OperatorNode(name_label(part), "O", [node], node.start, end)


def named_node(text: str, start: int, end: int) -> OperatorNode:
    """The leaf of a name, or the application of the parts of it to an expression at its beginning."""
    if "." not in text:
        return _leaf(text, start, end)
    first, *others = text.split(".")
    if _VARIABLE.match(first) is None:
        last = others[-1]
        if last.isdigit():
            return with_part(_leaf(first, start, end - len(last) - 1), last, end)
        return _leaf(last, end - len(last), end)
    node = _leaf(first, start, start + len(first))
    place = start + len(first)
    for part in others:
        place += 1 + len(part)
        node = with_part(node, part, place)
    return node


def _leaf(name: str, start: int, end: int) -> OperatorNode:
    """A variable, with its index and its primes, or another name."""
    plain = name.rstrip("'")
    primes = len(name) - len(plain)
    indexed = _INDEXED.match(plain) if len(plain) > 1 and not plain[-1].isalpha() else None
    base = indexed["base"] if indexed is not None else plain
    if len(base) > 1 or not base:
        label = NAMES.get(name, name)
        return OperatorNode(label, "V" if label.isalpha() else "C", None, start, end)
    node = OperatorNode(base, "C" if base in "⊤⊥∞∅" else "V", None, start, start + len(base))
    if indexed is not None:
        number = OperatorNode(indexed["number"].translate(DIGITS), "N", None, start + 1, start + len(plain))
        node = OperatorNode("sub", "O", [node, number], start, start + len(plain))
    if primes:
        node = OperatorNode("prime" if primes == 1 else f"prime{primes}", "O", [node], start, end)
    return node
