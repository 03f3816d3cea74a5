"""Which documents have a match of patterns: labels rule most of them out, and the rest is compared node by node."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.formula import OperatorNode
from porism.formula.operators.rules import MIRRORED, is_fixed_name
from porism.formula.plain.lean_operators import OPERATOR_LABELS
from porism.index import Segment
from porism.index.engine.trees import Trees, open_trees
from porism.index.snapshot import Masks
from porism.retrieve.patterns import kernels
from porism.retrieve.patterns.question import Pattern, PatternQuestion
from porism.system.compiled.kernels import address

SIGNATURE = "signature"
"""The field that has the hypotheses of a formal statement and, as its last formula, the conclusion."""

_ROLES = {"anywhere": kernels.ANYWHERE, "conclusion": kernels.CONCLUSION, "hypothesis": kernels.HYPOTHESIS}
_SYMMETRIC = frozenset(("eq", "neq", "iff", "leftrightarrow", "equiv"))
_LEFT = frozenset(("plus", "times", "sqcup", "sqcap", "union", "inter"))
_RIGHT = frozenset(("and", "or", "to", "compose"))
_APPLY = "Oapply"
_MAX_BITS = 64


class PatternMatches(NamedTuple):
    """The documents of a segment that match (``documents``, int32), in their order.

    ``weights`` (int64) are the numbers of nodes of what was compared, ``places`` (int64) the occurrences of the first
    match. ``undecided`` counts documents in which the search was given up.
    """

    documents: NDArray[np.int32]
    weights: NDArray[np.int64]
    places: NDArray[np.int64]
    undecided: int


class _LabelTable(NamedTuple):
    """What is known of each label of a segment: all uint8."""

    kinds: NDArray[np.uint8]
    fixed: NDArray[np.uint8]
    orders: NDArray[np.uint8]
    functions: NDArray[np.uint8]


class PatternSearcher:
    """Searches segments for patterns; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment]) -> None:
        self._segments = tuple(segments)
        self._tables: dict[tuple[int, bool], _LabelTable] = {}

    def search(
        self, question: PatternQuestion, *, symmetric: bool = True, allowed: Masks | None = None
    ) -> list[PatternMatches]:
        """The live documents of each segment that satisfy a question, the names of documents aside.

        :param symmetric: whether the sides of equations and equivalences can change places, and those of a relation
            with its mirrored one: ``0 ≤ a`` and ``a ≥ 0``.
        :param allowed: the documents that count, by segment; all by default.
        """
        return [
            self._search(number, question, symmetric, None if allowed is None else allowed[number])
            for number in range(len(self._segments))
        ]

    def _search(
        self, number: int, question: PatternQuestion, symmetric: bool, allowed: NDArray[np.bool_] | None
    ) -> PatternMatches:
        segment = self._segments[number]
        live = segment.live if allowed is None else segment.live & allowed
        documents = np.flatnonzero(live).astype(np.int32)
        none = np.zeros(0, np.int64)
        if not (question.groups or question.names):
            return PatternMatches(documents, np.zeros(len(documents), np.int64), np.full(len(documents), -1), 0)
        trees = open_trees(segment)
        needed = _needed_labels(question, symmetric)
        bits = np.zeros(trees.label_count, np.uint64)
        for bit, labels in enumerate(needed[:_MAX_BITS]):
            numbers = [known for label in labels if (known := trees.number_of(label)) >= 0]
            if not numbers:
                return PatternMatches(documents[:0], none, none, 0)
            bits[numbers] |= np.uint64(1) << np.uint64(bit)
        masks = np.empty(len(trees), np.uint64)
        kernels.mark_formulas(len(trees), address(trees.indptr), address(trees.labels), bits, masks)
        return self._compare(number, question, symmetric, trees, masks, bits, documents)

    def _compare(
        self, number: int, question: PatternQuestion, symmetric: bool, trees: Trees, masks: NDArray[np.uint64],
        bits: NDArray[np.uint64], documents: NDArray[np.int32],
    ) -> PatternMatches:
        segment, table = self._segments[number], self._table(number, trees, symmetric)
        nodes = _QueryNodes(question.groups, trees)
        results = np.zeros(len(documents), np.int8)
        weights, places = np.zeros(len(documents), np.int64), np.full(len(documents), -1, np.int64)
        room = np.empty(kernels.room(len(nodes.labels)) // 8)
        occurrences = segment.occurrences
        formula, field = occurrences.formula[:], occurrences.field[:]
        signature = segment.fields.index(SIGNATURE) if SIGNATURE in segment.fields else -1
        kernels.match_documents(
            len(question.groups), np.array(nodes.bounds, np.int64), np.array(nodes.labels, np.int32),
            np.array(nodes.mirrored if symmetric else [-1] * len(nodes.labels), np.int32),
            np.array(nodes.kinds, np.uint8), np.array(nodes.fixed, np.uint8), np.array(nodes.roles, np.uint8),
            np.array(nodes.sizes, np.int64), np.array(nodes.arities, np.int64), np.array(nodes.parents, np.int64),
            np.array(nodes.names, np.int64), address(trees.indptr), address(trees.labels), address(trees.sizes),
            address(trees.arities), *(address(column) for column in table), address(occurrences.indptr),
            address(formula), address(field), signature, trees.number_of(_APPLY), masks,
            np.bitwise_or.reduce(bits), documents, results, weights, places, address(room),
        )
        matched = results == kernels.MATCHED
        return PatternMatches(
            documents[matched], weights[matched], places[matched], int((results == kernels.UNDECIDED).sum())
        )

    def _table(self, number: int, trees: Trees, symmetric: bool) -> _LabelTable:
        table = self._tables.get((number, symmetric))
        if table is None:
            labels = trees.all_labels
            table = self._tables[number, symmetric] = _LabelTable(
                np.array([ord(label[0]) if label else 0 for label in labels], np.uint8),
                np.array([is_fixed_name(label[1:]) for label in labels], np.uint8),
                np.array([_order(label, symmetric) for label in labels], np.uint8),
                np.array([_is_function(label) for label in labels], np.uint8),
            )
        return table


def _order(label: str, symmetric: bool) -> int:
    name = label[1:]
    if label[:1] not in ("U", "O"):
        return kernels.IN_ORDER
    if name in _SYMMETRIC and symmetric:
        return kernels.SYMMETRIC
    return kernels.LEFT if name in _LEFT else kernels.RIGHT if name in _RIGHT else kernels.IN_ORDER


def _is_function(label: str) -> bool:
    """Whether an operator is a function by its name, which a wildcard can stand for."""
    return label[:1] == "O" and label[1:] not in OPERATOR_LABELS


def _needed_labels(question: PatternQuestion, symmetric: bool) -> list[list[str]]:
    """What must occur in a statement: for each condition the labels any of which will do, rarely many."""
    needed = {name: [f"{kind}{label}" for kind in "OUVCT"] for name, label in question.names}
    for group in question.groups:
        for pattern in group:
            for node in pattern.tree.root.walk():
                label = node.kind + node.label
                if node.kind == "W" or (node.kind == "V" and not is_fixed_name(node.label)) or _is_application(node):
                    continue
                mirrored = MIRRORED.get(node.label) if node.kind == "O" and symmetric else None
                needed.setdefault(label, [label] if mirrored is None else [label, "O" + mirrored])
    return list(needed.values())


def _is_application(node: OperatorNode) -> bool:
    """Whether a wildcard is applied, which names can match too."""
    return node.label == "apply" and bool(node.children) and node.children[0].kind == "W"


class _QueryNodes:
    """The nodes of all patterns in preorder, group by group, in columns."""

    def __init__(self, groups: Sequence[Sequence[Pattern]], trees: Trees) -> None:
        self.bounds = [0]
        self.labels: list[int] = []
        self.mirrored: list[int] = []
        self.kinds: list[int] = []
        self.fixed: list[bool] = []
        self.roles: list[int] = []
        self.sizes: list[int] = []
        self.arities: list[int] = []
        self.parents: list[int] = []
        self.names: list[int] = []
        for group in groups:
            names: dict[tuple[str, str], int] = {}
            for pattern in group:
                self._add(pattern, names, trees)
            self.bounds.append(len(self.labels))

    def _add(self, pattern: Pattern, names: dict[tuple[str, str], int], trees: Trees) -> None:
        stack = [(pattern.tree.root, -1)]
        first = len(self.labels)
        while stack:
            node, parent = stack.pop()
            own = len(self.labels)
            self.labels.append(-1 if node.kind == "W" else trees.number_of(node.kind + node.label))
            mirrored = MIRRORED.get(node.label) if node.kind == "O" else None
            self.mirrored.append(-1 if mirrored is None else trees.number_of("O" + mirrored))
            self.kinds.append(ord(node.kind))
            self.fixed.append(is_fixed_name(node.label))
            self.roles.append(_ROLES[pattern.role] if parent < 0 else 0)
            self.sizes.append(1)
            self.arities.append(len(node.children))
            self.parents.append(parent)
            is_leaf = not node.children
            self.names.append(self.bounds[-1] + names.setdefault((node.kind, node.label), len(names)) if is_leaf else 0)
            stack.extend((child, own) for child in reversed(node.children))
        for own in range(len(self.labels) - 1, first, -1):
            self.sizes[self.parents[own]] += self.sizes[own]
