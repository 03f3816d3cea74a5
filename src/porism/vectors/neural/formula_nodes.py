"""Operator trees as rows of numbers: what an encoder of formulas reads of each node.

Of each node it reads the label and the kind, how deep it is, and the way to it: the labels of its parent and of the
parent's parent, and which operand it is (always 0 where the order of operands does not count). Of each two nodes it
reads how they are related, so that it sees where one variable occurs again, whatever its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.formula.tree import OperatorNode

FEATURES = ("label", "kind", "depth", "parent", "edge", "above", "above_edge")
"""What is read of a node, each a table of embeddings, in the order of the rows of :class:`NodeRows`."""

KINDS = "UOVNCTWE"
EDGES = 10
DEPTHS = 16
RELATIONS = 6
"""Other, parent, child, sibling, the same variable, itself."""

NOTHING = 0
"""Stands for a node that is not there: in padding, and above the root."""

_FIRST_LABEL = 1 + len(KINDS)


class NodeRows(NamedTuple):
    """The nodes of one formula in preorder: ``features`` (int16, features × nodes), the position of each one's
    ``parents`` (int16, -1 for the root), and numbers (int16) that two nodes share where they are the same variable.

    ``known`` says whether any label is in the vocabulary.
    """

    features: NDArray[np.int16]
    parents: NDArray[np.int16]
    names: NDArray[np.int16]
    known: bool

    @property
    def size(self) -> int:
        """How many nodes are read."""
        return len(self.parents)


class NodeBatch(NamedTuple):
    """Formulas padded to one length: ``features`` (int64, features × formulas × nodes), ``relations`` (int64, formulas
    × nodes × nodes), and which nodes are there (bool, formulas × nodes)."""

    features: NDArray[np.int64]
    relations: NDArray[np.int64]
    mask: NDArray[np.bool_]


class NodeVocabulary:
    """The labels that an encoder knows, each with the letter of its kind in front (``Usum``, ``Vx``); of others it
    reads the kind."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = tuple(labels)
        self._numbers: Mapping[str, int] = {label: number for number, label in enumerate(labels, _FIRST_LABEL)}

    def __len__(self) -> int:
        """Rows of a table of labels: nothing, the kinds, and the labels."""
        return _FIRST_LABEL + len(self.labels)

    def rows(self, root: OperatorNode, most: int) -> NodeRows:
        """The first ``most`` nodes of a tree in preorder."""
        numbers, names = self._numbers, dict[str, int]()
        columns: list[tuple[int, ...]] = []
        parents: list[int] = []
        same: list[int] = []
        known = False
        stack = [(root, -1, 0, 0)]
        while stack and len(parents) < most:
            node, parent, edge, depth = stack.pop()
            kind = KINDS.find(node.kind) + 1
            label = numbers.get(node.kind + node.label, 0)
            known = known or bool(label)
            position = len(parents)
            above = columns[parent] if parent >= 0 else (NOTHING,) * len(FEATURES)
            columns.append((label or kind, kind, min(depth, DEPTHS - 1), above[0], edge, above[3], above[4]))
            parents.append(parent)
            same.append(names.setdefault(node.label, len(names)) if node.kind == "V" else -1 - position)
            unordered = node.kind == "U"
            stack.extend(
                (node.children[place], position, 0 if unordered else min(place + 1, EDGES - 1), depth + 1)
                for place in range(len(node.children) - 1, -1, -1)
            )
        features = np.array(columns, np.int16).T
        return NodeRows(features, np.array(parents, np.int16), np.array(same, np.int16), known)


def make_vocabulary(roots: Iterable[OperatorNode], least: int) -> NodeVocabulary:
    """The labels that occur in ``least`` formulas or more, the most frequent first."""
    counts: Counter[str] = Counter()
    for root in roots:
        counts.update({node.kind + node.label for node in root.walk()})
    frequent = (label for label, count in counts.items() if count >= least)
    kept = sorted(frequent, key=lambda label: (-counts[label], label))
    return NodeVocabulary(kept[: np.iinfo(np.int16).max - _FIRST_LABEL])


def node_batch(rows: Sequence[NodeRows]) -> NodeBatch:
    """Formulas as one batch, padded to the longest."""
    longest = max(row.size for row in rows)
    features = np.full((len(FEATURES), len(rows), longest), NOTHING, np.int64)
    parents = np.full((len(rows), longest), -2, np.int64)
    names = np.full((len(rows), longest), -1 - longest, np.int64)
    mask = np.zeros((len(rows), longest), np.bool_)
    for number, row in enumerate(rows):
        features[:, number, : row.size] = row.features
        parents[number, : row.size] = row.parents
        names[number, : row.size] = row.names
        mask[number, : row.size] = True
    return NodeBatch(features, _relations(parents, names), mask)


def _relations(parents: NDArray[np.int64], names: NDArray[np.int64]) -> NDArray[np.int64]:
    """How the second of two nodes is related to the first; of several relations the last of the list counts."""
    places = np.arange(parents.shape[1])
    is_parent = parents[:, :, None] == places
    relations: NDArray[np.int64] = is_parent.astype(np.int64)
    relations[is_parent.transpose(0, 2, 1)] = 2
    relations[(parents[:, :, None] == parents[:, None, :]) & (parents[:, :, None] >= 0)] = 3
    relations[(names[:, :, None] == names[:, None, :]) & (names[:, :, None] >= 0)] = 4
    relations[:, places, places] = 5
    return relations
