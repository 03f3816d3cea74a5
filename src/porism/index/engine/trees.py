"""The operator trees of a segment's formulas as flat arrays, and the documents that hold each formula.

Both are derived data, computed when a commit is published or at first use: from the packed trees of the segment
(``Segment.formula_tree``) and from its occurrences of formulas.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.columns import are_starts, within
from porism.index.container import Container, ContainerSection, corrupt
from porism.index.derived import LAYOUTS
from porism.index.engine import tree_kernels as kernels
from porism.index.segment import Segment
from porism.index.string_kernels import unify
from porism.index.strings import Packed, decode, ranges
from porism.system.compiled.kernels import address, as_layout
from porism.system.concurrency.caching import cached_property
from porism.system.concurrency.locks import Lock

TREES, PLACES = "trees", "places"
"""The names of the derived data."""
LAYOUT = LAYOUTS[TREES]
"""Grows when the layout of the arrays changes, so that other versions do not read them."""
_AT_A_TIME = 1 << 16
_GUARDED = ("labels", "sizes", "arities")

_ARRAYS: Mapping[str, Any] = {
    "indptr": np.int64, "labels": np.int32, "sizes": np.uint16, "arities": np.uint16, "label_blob": np.uint8,
    "label_starts": np.int64,
}


@dataclass(frozen=True, eq=False)
class Trees:
    """The operator trees of F formulas, together M nodes, in preorder.

    ``indptr`` (int64, F + 1) bounds the nodes of each formula. A node has the number of its label in the table of
    distinct labels (``labels``, int32, M). It has the size of its subtree, itself included (``sizes``, uint16, M), and
    its number of children (``arities``, uint16, M). Its first child is the next node; its next sibling follows its
    subtree. Labels begin with a kind letter, as in ``Vx``; packed strings, they are ``label_blob`` (uint8) and
    ``label_starts`` (int64, one longer than the table).

    ``guards`` are sections that are compared with their checksums as needed: :meth:`require` trees before reading them.
    """

    indptr: NDArray[np.int64]
    labels: NDArray[np.int32]
    sizes: NDArray[np.uint16]
    arities: NDArray[np.uint16]
    label_blob: NDArray[np.uint8]
    label_starts: NDArray[np.int64]
    guards: Mapping[str, ContainerSection] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.indptr) - 1

    @cached_property
    def _required(self) -> NDArray[np.bool_]:
        """Which trees have been checked (bool); pages take memory as they are written."""
        return np.zeros(len(self), np.bool_)

    def require(self, formulas: NDArray[np.int32] | None = None) -> None:
        """Compares trees with their checksums and checks that they are valid, once; all trees by default."""
        wanted = np.arange(len(self), dtype=np.int32) if formulas is None else formulas
        new = wanted[~self._required[wanted]]
        if not len(new):
            return
        starts, stops = self.indptr[new], self.indptr[new + 1]
        for section in self.guards.values():
            section.require(starts, stops)
        if not kernels.sound_trees(
            new, self.label_count, address(self.indptr), address(self.labels), address(self.sizes),
            address(self.arities),
        ):
            raise _invalid()
        self._required[new] = True

    @property
    def label_count(self) -> int:
        """The number of distinct labels."""
        return len(self.label_starts) - 1

    def label(self, number: int) -> str:
        """The label with this number, kind letter included.

        :raises IndexError: there is no such number.
        """
        if not 0 <= number < self.label_count:
            raise IndexError(f"label {number} of {self.label_count}")
        return decode(self.label_blob[self.label_starts[number] : self.label_starts[number + 1]].tobytes())

    @cached_property
    def all_labels(self) -> list[str]:
        """The table of distinct labels, kind letters included."""
        return Packed(self.label_blob, self.label_starts).strings()

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return dict(zip(self.all_labels, range(self.label_count), strict=True))

    def number_of(self, label: str) -> int:
        """The number of a label (kind letter included), -1 if no formula has it."""
        return self._numbers.get(label, -1)

    @classmethod
    def build(cls, packed: Iterable[bytes]) -> Trees:
        """Unpacks packed trees."""
        records = iter(packed)
        pieces: list[tuple[NDArray[np.int64], NDArray[np.uint16], NDArray[np.uint16], NDArray[np.int64]]] = []
        tables: list[Packed] = []
        stack = np.empty(1 << 16, np.int32)
        while chunk := list(islice(records, _AT_A_TIME)):
            blob = np.frombuffer(b"".join(chunk), np.uint8)
            room = len(blob) // 3 + 1
            indptr = np.empty(len(chunk) + 1, np.int64)
            sizes, arities = np.empty(room, np.uint16), np.empty(room, np.uint16)
            text, starts = np.empty(len(blob), np.uint8), np.empty(room + 1, np.int64)
            count = kernels.split_trees(blob, indptr, stack, sizes, arities, text, starts)
            if count < 0:
                raise IndexCorrupt("the operator trees of formulas cannot be read")
            labels = Packed(text[: starts[count]], starts[: count + 1])
            numbers, firsts = unify(labels.blob, labels.starts)
            tables.append(labels.take(firsts))
            pieces.append((np.diff(indptr), sizes[:count].copy(), arities[:count].copy(), numbers))
        table = Packed.join(tables)
        numbers, firsts = unify(table.blob, table.starts)
        bounds = np.cumsum([0, *map(len, tables)])
        new = [numbers[low:high] for low, high in pairwise(bounds)]
        distinct = table.take(firsts)
        indptr = np.zeros(1 + sum(len(lengths) for lengths, *_ in pieces), np.int64)
        if pieces:
            np.cumsum(np.concatenate([lengths for lengths, *_ in pieces]), out=indptr[1:])
        no_numbers, no_labels = np.zeros(0, np.uint16), np.zeros(0, np.int32)
        return cls(
            indptr,
            np.concatenate([no_labels, *(
                table_numbers[ids].astype(np.int32) for (*_, ids), table_numbers in zip(pieces, new, strict=True)
            )]),
            np.concatenate([no_numbers, *(sizes for _, sizes, _, _ in pieces)]),
            np.concatenate([no_numbers, *(arities for _, _, arities, _ in pieces)]),
            distinct.blob, distinct.starts,
        )

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name; :meth:`from_arrays` is the inverse."""
        self.require()
        return {name: getattr(self, name) for name in _ARRAYS}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Trees:
        """Trees over arrays that may be memory-mapped."""
        trees = cls._of(arrays, {})
        trees.require()
        return trees

    @classmethod
    def open(cls, derived: Container) -> Trees:
        """Trees in a file of derived data; searches read only the parts they need."""
        guards = {name: derived.section(name) for name in _GUARDED if name in derived}
        whole = {name: derived.array(name) for name in _ARRAYS if name in derived and name not in guards}
        return cls._of({**whole, **{name: section.array for name, section in guards.items()}}, guards)

    @classmethod
    def _of(cls, arrays: Mapping[str, NDArray[Any]], guards: Mapping[str, ContainerSection]) -> Trees:
        if missing := [name for name in _ARRAYS if name not in arrays]:
            raise IndexCorrupt(f"the trees lack {', '.join(missing)}")
        if any(arrays[name].dtype != np.dtype(dtype) for name, dtype in _ARRAYS.items()):
            raise _invalid()
        flat = {name: as_layout(arrays[name], dtype).reshape(-1) for name, dtype in _ARRAYS.items()}
        trees = cls(**flat, guards=guards)
        nodes = len(trees.labels)
        lengths = len(trees.sizes) == len(trees.arities) == nodes
        if not (lengths and are_starts(trees.indptr, nodes) and are_starts(trees.label_starts, len(trees.label_blob))):
            raise _invalid()
        return trees


def _invalid() -> IndexCorrupt:
    return IndexCorrupt("the arrays are not those of operator trees")


class FormulaPostings(NamedTuple):
    """Which documents hold each formula: ``docs`` (int32, increasing, deleted ones too) by ``indptr`` (int64)."""

    indptr: NDArray[np.int64]
    docs: NDArray[np.int32]

    def of(self, formula: int) -> NDArray[np.int32]:
        """The documents that hold a formula."""
        return self.docs[self.indptr[formula] : self.indptr[formula + 1]]

    def of_each(self, formulas: NDArray[np.integer]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """The documents that hold each of several formulas, one after another, and their number for each (int64)."""
        starts = self.indptr[formulas]
        counts = self.indptr[formulas + 1] - starts
        return self.docs[ranges(starts, counts)], counts

    @classmethod
    def build(cls, segment: Segment) -> FormulaPostings:
        """Inverts the segment's occurrences."""
        where = segment.occurrences
        indptr, formula = as_layout(where.indptr, np.int64), as_layout(where.formula.all(), np.int32)
        if len(indptr) != segment.doc_count + 1 or not are_starts(indptr, len(formula)):
            raise corrupt("has changed in section 'occurrences:indptr'", segment.container.path)
        places = cls(*kernels.find_places(
            segment.doc_count, segment.formula_count, len(formula), address(indptr), address(formula)
        ))
        if not len(places.indptr):
            raise corrupt("has changed in section 'occurrences:formula'", segment.container.path)
        return places


@dataclass(eq=False)
class _SegmentTrees:
    """The trees and postings of a segment that this process has opened or computed."""

    trees: Trees | None = None
    places: FormulaPostings | None = None
    lock: Lock = field(default_factory=Lock)


_kept: WeakKeyDictionary[Segment, _SegmentTrees] = WeakKeyDictionary()
_kept_lock = Lock()


def _keep(segment: Segment) -> _SegmentTrees:
    with _kept_lock:
        return _kept.setdefault(segment, _SegmentTrees())


def open_trees(segment: Segment, formulas: NDArray[np.int32] | None = None) -> Trees:
    """The operator trees of a segment's formulas: cached, else stored, else computed.

    The trees of ``formulas`` (all by default) are checked; :meth:`Trees.require` others.
    """
    kept = _keep(segment)
    with kept.lock:
        if kept.trees is None:
            kept.trees = _read_trees(segment) or _build_trees(segment)
        trees = kept.trees
    try:
        trees.require(formulas)
    except IndexCorrupt:  # derived data can always be computed again
        with kept.lock:
            if kept.trees is trees:
                kept.trees = _build_trees(segment)
            trees = kept.trees
    return trees


def open_places(segment: Segment) -> FormulaPostings:
    """The documents that hold each formula of a segment: cached, else stored, else computed."""
    kept = _keep(segment)
    with kept.lock:
        if kept.places is None:
            kept.places = _read_places(segment) or FormulaPostings.build(segment)
        return kept.places


def prepare_trees(segments: Iterable[Segment]) -> None:
    """Stores the trees and formula postings of segments that lack them.

    :raises StorageError: the disk is full or the folder read-only.
    """
    for segment in segments:
        kept = _keep(segment)
        if _read_trees(segment) is None:
            segment.write_derived(TREES, open_trees(segment).to_arrays(), {"layout": LAYOUT})
            kept.trees = None  # from now on they are mapped
        if _read_places(segment) is None:
            segment.write_derived(PLACES, open_places(segment)._asdict(), {"layout": LAYOUT})
            kept.places = None


def _build_trees(segment: Segment) -> Trees:
    trees = Trees.build(segment.records("trees"))
    if len(trees) != segment.formula_count:
        raise corrupt("has changed in section 'trees:data'", segment.container.path)
    return trees


def _read_trees(segment: Segment) -> Trees | None:
    derived = segment.open_derived(TREES)
    if derived is None or derived.info["info"].get("layout") != LAYOUT:
        return None
    try:
        trees = Trees.open(derived)
    except IndexCorrupt:  # derived data can always be computed again
        return None
    return trees if len(trees) == segment.formula_count else None


def _read_places(segment: Segment) -> FormulaPostings | None:
    stored = segment.read_derived(PLACES)
    if stored is None or stored[1].get("layout") != LAYOUT or not {"indptr", "docs"} <= set(stored[0]):
        return None
    indptr, docs = (as_layout(stored[0][name], dtype) for name, dtype in (("indptr", np.int64), ("docs", np.int32)))
    sound = (
        len(indptr) == segment.formula_count + 1
        and are_starts(indptr, len(docs))
        and within(docs, 0, segment.doc_count)
    )
    return FormulaPostings(indptr, docs) if sound else None
