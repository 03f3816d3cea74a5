"""How much of a formula another formula matches, tree against tree.

Operator trees are compared as Approach Zero compares them, by their best common subtrees with a one-to-one renaming of
variables. (See Zhong and Zanibbi, *Structural similarity search for formulas using leaf-root paths in operator
subtrees*, ECIR 2019; Zhong, Rohatgi, Wu, Giles and Zanibbi, *Accelerating substructure similarity search for formula
retrieval*, ECIR 2020.) These sum over leaf-root paths of the common subtrees. Here nodes are paired one by one
(:mod:`porism.retrieve.formulas.alignment_kernels`), operators can differ within their class, and nodes can be skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import lru_cache
from itertools import count
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.formula import OperatorTree
from porism.formula.extractors.approach0 import path_class
from porism.formula.operators.lists import relates
from porism.formula.operators.rules import is_fixed_name
from porism.index import Segment
from porism.index.engine.trees import Trees, open_trees
from porism.retrieve.formulas import alignment_kernels as kernels
from porism.retrieve.formulas import exact_kernels
from porism.settings import Settings
from porism.system.compiled.kernels import address
from porism.system.concurrency.locks import Lock


@dataclass(frozen=True, slots=True)
class AlignmentSettings(Settings):
    """What pairs of nodes are worth, all between 0 and 1.

    A pair with the same symbol is worth 1. For two leaves of one kind there are ``other_variable``, ``other_number``
    and ``same_kind`` (constants, texts), for leaves of different kinds ``other_leaf``. ``same_family`` is for operators
    of one class of Approach Zero's, such as all relations or all trigonometric functions. A variable that unification
    gives to another partner keeps the share ``inconsistent`` of what its pair is worth. ``operator`` is the weight of
    an operator beside the weight 1 of a leaf. What is matched below a node skipped on one side keeps the share
    ``skip_found`` or ``skip_query`` when it competes with other matches, and counts in full if it is chosen.
    ``next_root`` is what a second common subtree is worth beside the first.

    The similarity of two formulas is ``c_q ^ power · (1 − width · (1 − c_d))``. The matched shares are c_q of the query
    and c_d of the found formula, both weighted as above.

    :raises ConfigError: a number is out of its range.
    """

    operator: float = 0.25
    other_variable: float = 0.85
    other_number: float = 0.2
    same_kind: float = 0.1
    other_leaf: float = 0.1
    same_family: float = 0.5
    skip_found: float = 0.5
    skip_query: float = 0.0
    next_root: float = 0.3
    inconsistent: float = 0.3
    width: float = 0.1
    power: float = 0.5

    def __post_init__(self) -> None:
        for setting in fields(self):
            value = getattr(self, setting.name)
            most = 10.0 if setting.name == "power" else 1.0
            if not 0 <= value <= most:
                raise ConfigError(
                    f"the alignment's {setting.name!r} cannot be {value}", hint=f"Use a number from 0 to {most:g}."
                )
        if self.operator == 0 or self.power == 0:
            raise ConfigError("the alignment's 'operator' and 'power' must be above 0")

    @property
    def parameters(self) -> NDArray[np.float64]:
        """The settings in the order of the kernels' columns."""
        return np.array([getattr(self, setting.name) for setting in fields(self)][: kernels.WIDTH + 1], np.float64)


class QueryTree(NamedTuple):
    """An operator tree in preorder, cut after :data:`~porism.retrieve.formulas.alignment_kernels.MAX_QUERY_NODES`
    nodes.

    ``labels`` have their kind letter in front; ``kinds`` (uint8), ``families`` (int32), ``sizes`` and ``arities``
    (int64) have one element a node. ``cut`` says that nodes were left out.
    """

    labels: list[str]
    kinds: NDArray[np.uint8]
    families: NDArray[np.int32]
    sizes: NDArray[np.int64]
    arities: NDArray[np.int64]
    cut: bool

    @classmethod
    def of(cls, tree: OperatorTree) -> QueryTree:
        """The arrays of a tree."""
        labels: list[str] = []
        kinds: list[int] = []
        families: list[int] = []
        parents: list[int] = []
        arities: list[int] = []
        stack = [(tree.root, -1)]
        while stack and len(labels) < kernels.MAX_QUERY_NODES:
            node, parent = stack.pop()
            position = len(labels)
            label = node.kind + node.label
            labels.append(label)
            kinds.append(ord(node.kind))
            families.append(_family(label))
            parents.append(parent)
            arities.append(0)
            if parent >= 0:
                arities[parent] += 1
            room = kernels.MAX_QUERY_NODES - position
            stack.extend((child, position) for child in reversed(node.children[:room]))
        sizes = [1] * len(labels)
        for position in range(len(labels) - 1, 0, -1):
            sizes[parents[position]] += sizes[position]
        return cls(
            labels, np.array(kinds, np.uint8), np.array(families, np.int32), np.array(sizes, np.int64),
            np.array(arities, np.int64), bool(stack),
        )


_families: dict[str, int] = {}
_numbers = count(1)


@lru_cache(1 << 16)
def _family(label: str) -> int:
    """The number of the class of an operator, from 1; a label has its kind letter in front."""
    # numbers are drawn, not counted, so that two threads never give one to two classes
    return _families.setdefault(path_class(label[:1], label[1:], False), next(_numbers))


class Alignment(NamedTuple):
    """What an alignment came to, by weight: matched of the query, the query, the formula, matched of the formula.

    ``pairs`` (int32, n × 2) are the matching nodes by preorder position, ``worths`` (float64) what each is worth.
    """

    matched: float
    query: float
    found: float
    found_matched: float
    pairs: NDArray[np.int32]
    worths: NDArray[np.float64]


class Exactness(NamedTuple):
    """What formulas are to a query, one element a formula.

    ``kinds`` (int8) are numbers of :mod:`porism.retrieve.formulas.exact_kernels`: ``IDENTICAL`` and ``RENAMED``
    formulas are the query, the order of commutative operands aside, ``PART`` and ``RENAMED_PART`` contain it; in the
    renamed ones its variables have other names, one to one. ``shares`` (float64) are 1 for the query itself and for
    parts that stand for themselves (sides of relations, items of lists). For other parts they are the share of the
    formula's nodes, for the rest 0.
    """

    kinds: NDArray[np.int8]
    shares: NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class _Labels:
    """By label of some trees what kernels ask about nodes: ``kinds``, ``families`` and ``relating`` of operators,
    ``fixed`` of variables, 0 elsewhere."""

    kinds: NDArray[np.uint8]
    families: NDArray[np.int32]
    fixed: NDArray[np.uint8]
    relating: NDArray[np.uint8]

    @classmethod
    def of(cls, trees: Trees) -> _Labels:
        """What is asked about the labels of trees; worked out once, however many compare them with queries."""
        with _labels_lock:
            labels = _labels.get(trees)
            if labels is None:
                labels = _labels[trees] = cls._read(trees)
            return labels

    @classmethod
    def _read(cls, trees: Trees) -> _Labels:
        labels = trees.all_labels
        kinds = np.zeros(len(labels), np.uint8)
        some = np.flatnonzero(np.diff(trees.label_starts))
        kinds[some] = trees.label_blob[trees.label_starts[some]]  # all kinds are ASCII
        families, fixed, relating = np.zeros(len(labels), np.int32), kinds * 0, kinds * 0
        for number in np.flatnonzero((kinds == ord("U")) | (kinds == ord("O"))).tolist():
            families[number] = _family(labels[number])
            relating[number] = relates(labels[number][1:])
        for number in np.flatnonzero(kinds == ord("V")).tolist():
            fixed[number] = is_fixed_name(labels[number][1:])
        return cls(kinds, families, fixed, relating)


_labels: WeakKeyDictionary[Trees, _Labels] = WeakKeyDictionary()
_labels_lock = Lock()


class Aligner:
    """Compares query trees with the formulas of segments; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], settings: AlignmentSettings) -> None:
        self.settings = settings
        self._segments = tuple(segments)
        self._parameters = settings.parameters

    def similarities(self, query: QueryTree, segment: int, formulas: NDArray[np.int32]) -> NDArray[np.float64]:
        """The similarity (0 to 1) of the query to formulas of one segment, given by their ordinals."""
        return self.similarity(self.sums(query, segment, formulas))

    def sums(self, query: QueryTree, segment: int, formulas: NDArray[np.int32]) -> NDArray[np.float64]:
        """What the alignment with each formula comes to, in the columns ``MATCHED``, ``QUERY_WEIGHT``,
        ``FOUND_WEIGHT`` and ``FOUND_MATCHED`` of the kernels (float64, n × 4)."""
        return self._align(query, segment, formulas, False)[0]

    def similarity(self, sums: NDArray[np.float64]) -> NDArray[np.float64]:
        """What :class:`AlignmentSettings` makes of the sums of alignments (float64, n × 4)."""
        of_query = np.minimum(1.0, sums[:, kernels.MATCHED] / sums[:, kernels.QUERY_WEIGHT])
        of_found = np.minimum(1.0, sums[:, kernels.FOUND_MATCHED] / np.maximum(sums[:, kernels.FOUND_WEIGHT], 1e-9))
        settings = self.settings
        similarity: NDArray[np.float64] = of_query**settings.power * (1.0 - settings.width * (1.0 - of_found))
        return similarity

    def align(self, query: QueryTree, segment: int, formula: int) -> Alignment:
        """Which nodes of the query and of a formula match."""
        sums, pairs, worths, paired = self._align(query, segment, np.array([formula], np.int32), True)
        matched, of_query, of_found, found_matched = sums[0].tolist()
        return Alignment(matched, of_query, of_found, found_matched, pairs[:paired], worths[:paired])

    def exactness(self, query: QueryTree, segment: int, formulas: NDArray[np.int32]) -> Exactness:
        """What each formula is to the query."""
        return self._exact(query, segment, formulas)[0]

    def exact_pairs(self, query: QueryTree, segment: int, formula: int) -> NDArray[np.int32]:
        """The node of a formula that each node of the query is (int32, n × 2); no rows where it does not hold it."""
        exactness, pairs = self._exact(query, segment, np.array([formula], np.int32))
        return pairs if exactness.kinds[0] else pairs[:0]

    def _exact(
        self, query: QueryTree, segment: int, formulas: NDArray[np.int32]
    ) -> tuple[Exactness, NDArray[np.int32]]:
        exactness = Exactness(np.zeros(len(formulas), np.int8), np.zeros(len(formulas)))
        pairs = np.zeros((len(query.labels), 2), np.int32)
        if query.cut or not len(formulas):
            return exactness, pairs
        trees, formulas = self._trees(segment, formulas)
        asked = _Labels.of(trees)
        fixed = np.array([is_fixed_name(label[1:]) for label in query.labels], np.uint8)
        room = np.empty(exact_kernels.room(len(query.labels)) // 8)
        exact_kernels.find_exact(
            len(query.labels), _label_numbers(query, trees), query.kinds, fixed, query.sizes, query.arities,
            address(trees.indptr), address(trees.labels), address(trees.sizes), address(trees.arities),
            address(asked.kinds), address(asked.fixed), address(asked.relating), len(trees), formulas, *exactness,
            pairs, address(room),
        )
        return exactness, pairs

    def steps(self, query: QueryTree, segment: int, formulas: NDArray[np.int32]) -> int:
        """How many pairs of nodes an alignment with formulas looks at, which its time is proportional to.

        No formula takes more than :func:`~porism.retrieve.formulas.alignment_kernels.most_steps` of both trees' nodes.
        """
        return self._align(query, segment, formulas, False)[3]

    def _align(
        self, query: QueryTree, segment: int, formulas: NDArray[np.int32], keep_pairs: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.int32], NDArray[np.float64], int]:
        trees, formulas = self._trees(segment, formulas)
        asked = _Labels.of(trees)
        size = len(query.labels)
        sums = np.zeros((len(formulas), kernels.SUMS))
        pairs, worths = np.zeros((size, 2), np.int32), np.zeros(size)
        room = np.empty(kernels.room(size) // 8)
        returned = kernels.align(
            size, _label_numbers(query, trees), query.kinds, query.families, query.sizes, query.arities,
            address(trees.indptr), address(trees.labels), address(trees.sizes), address(trees.arities),
            address(asked.kinds), address(asked.families), len(trees), formulas, self._parameters, sums, pairs, worths,
            keep_pairs, address(room),
        )
        return sums, pairs, worths, int(returned)

    def _trees(self, segment: int, formulas: NDArray[np.int32]) -> tuple[Trees, NDArray[np.int32]]:
        """The trees of a segment, those of ``formulas`` to be read, and these as kernels take them."""
        having = self._segments[segment]
        formulas = np.ascontiguousarray(formulas, np.int32)
        if len(formulas) and not 0 <= int(formulas.min()) <= int(formulas.max()) < having.formula_count:
            raise IndexError(f"formulas {formulas.min()} to {formulas.max()} of {having.formula_count}")
        return open_trees(having, formulas), formulas


def _label_numbers(query: QueryTree, trees: Trees) -> NDArray[np.int32]:
    """The numbers of the query's labels in the trees' table (int32)."""
    numbers = np.array([trees.number_of(label) for label in query.labels], np.int64)
    unknown = numbers < 0
    if unknown.any():  # the same unknown label is the same number, and no label of a formula
        names = {label: -2 - i for i, label in enumerate(dict.fromkeys(query.labels))}
        numbers[unknown] = [names[label] for label, new in zip(query.labels, unknown, strict=True) if new]
    return numbers.astype(np.int32)
