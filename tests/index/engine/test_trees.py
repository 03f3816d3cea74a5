"""Operator trees of whole segments as flat arrays, and where formulas stand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from index_cases import Doc, batch_of, packed_tree

from porism.errors import IndexCorrupt
from porism.formula import OperatorNode, OperatorTree, operator_tree, pack_tree, parse_latex, unpack_tree
from porism.formula.packed import MAX_PACKED_NODES
from porism.index import IndexWriter, Snapshot, container
from porism.index.container import Container
from porism.index.engine import trees
from porism.index.engine.trees import FormulaPostings, Trees, open_places, open_trees, prepare_trees


def packed(latex: str) -> bytes:
    return pack_tree(operator_tree(parse_latex(latex)))


def by_the_book(data: bytes) -> list[tuple[str, int, int]]:
    """(label, nodes of the subtree, children) in preorder."""
    return [
        (node.kind + node.label, sum(1 for _ in node.walk()), len(node.children)) for node in unpack_tree(data).walk()
    ]


def nodes_of(found: Trees, formula: int) -> list[tuple[str, int, int]]:
    part = slice(int(found.indptr[formula]), int(found.indptr[formula + 1]))
    return list(zip(
        map(found.label, found.labels[part].tolist()), found.sizes[part].tolist(), found.arities[part].tolist(),
        strict=True,
    ))


def test_the_arrays_of_two_trees() -> None:
    found = Trees.build([packed("x+2y"), packed("x")])
    assert found.indptr.tolist() == [0, 5, 6]
    assert [found.label(number) for number in range(found.label_count)] == ["Uplus", "Vx", "Utimes", "N2", "Vy"]
    assert found.labels.tolist() == [0, 1, 2, 3, 4, 1]
    assert found.sizes.tolist() == [5, 1, 3, 1, 1, 1]
    assert found.arities.tolist() == [2, 0, 2, 0, 0, 0]
    assert [found.number_of(label) for label in ("N2", "V2", "")] == [3, -1, -1]
    with pytest.raises(IndexError, match="label 5 of 5"):
        found.label(5)


@settings(deadline=None)  # the first call compiles or loads kernels
@given(st.lists(st.text("xyz2+-*/=^_{}()\\ ∑π\n", max_size=30), max_size=8), st.integers(1, 3))
def test_all_trees_are_as_they_were_packed(formulas: list[str], at_a_time: int) -> None:
    data = [packed(formula) for formula in formulas]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "_AT_A_TIME", at_a_time)  # labels get the same numbers in every piece
        found = Trees.build(data)
    assert len(found) == len(data)
    assert [nodes_of(found, number) for number in range(len(data))] == [by_the_book(entry) for entry in data]
    labels = [found.label(number) for number in range(found.label_count)]
    assert len(set(labels)) == len(labels)
    again = Trees.from_arrays(found.to_arrays())
    assert [again.number_of(label) for label in labels] == list(range(len(labels)))


def test_the_largest_tree() -> None:
    leaves = [OperatorNode(f"x{number}", "V") for number in range(MAX_PACKED_NODES)]
    found = Trees.build([pack_tree(OperatorTree(OperatorNode("plus", "U", leaves), ""))] * 2)
    assert (found.sizes[0], found.arities[0]) == (MAX_PACKED_NODES, MAX_PACKED_NODES - 1)
    assert found.indptr.tolist() == [0, MAX_PACKED_NODES, 2 * MAX_PACKED_NODES]


@every_case("broken", [
    b"", b"\1", b"\0\0", b"\1\0\0\0", b"\1\0\0\0Vx", b"\1\0\1\0Vx\n", b"\2\0\0\0\0\0Vx\nVy\n", b"\1\0\0\0Vx\nVy\n",
    b"\xff\xff\0\0Vx\n", b"\2\0\0\0\1\0Vx\nVy\n",
])
def test_broken_trees_are_noticed(broken: bytes) -> None:
    with pytest.raises(IndexCorrupt, match="operator trees"):
        Trees.build([packed("x"), broken])


@every_case(("name", "position", "value"), [
    ("labels", 0, 5), ("labels", 3, -1), ("sizes", 0, 4), ("sizes", 0, 6), ("sizes", 1, 0), ("sizes", 2, 2),
    ("sizes", 5, 2), ("arities", 0, 3), ("arities", 0, 1), ("arities", 4, 1), ("arities", 5, 1), ("indptr", 1, 6),
    ("indptr", 1, 4), ("indptr", 0, 1), ("label_starts", 1, 1000),
])
def test_arrays_that_are_no_trees_are_noticed(name: str, position: int, value: int) -> None:
    arrays = {key: array.copy() for key, array in Trees.build([packed("x+2y"), packed("x")]).to_arrays().items()}
    Trees.from_arrays(arrays)
    arrays[name][position] = value
    with pytest.raises(IndexCorrupt, match="not those of operator trees"):
        Trees.from_arrays(arrays)


def test_missing_and_short_arrays_are_noticed() -> None:
    arrays = Trees.build([packed("x+2y")]).to_arrays()
    with pytest.raises(IndexCorrupt, match="lack labels, sizes"):
        Trees.from_arrays({key: array for key, array in arrays.items() if key not in ("labels", "sizes")})
    for name in arrays:
        with pytest.raises(IndexCorrupt, match="not those of operator trees"):
            Trees.from_arrays({**arrays, name: arrays[name][:-1]})


DOCS = [
    Doc("a", {"body": ["w"]}, {"body": [("pq", "", ""), ("r", "", ""), ("pq", "", "")], "title": [("r", "", "")]}),
    Doc("b", {"body": ["w"]}),
    Doc("c", {"body": ["w"]}, {"body": [("s", "", ""), ("r", "", "")]}),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with IndexWriter(tmp_path / "index") as writer:
        writer.add(batch_of(DOCS))
    return tmp_path / "index"


def test_trees_and_places_of_a_segment(path: Path) -> None:
    (segment,) = Snapshot.open(path).segments
    found, places = open_trees(segment), open_places(segment)
    assert open_trees(segment) is found
    assert open_places(segment) is places
    held = {segment.formula_key(number): places.of(number).tolist() for number in range(segment.formula_count)}
    assert held == {"pq": [0], "r": [0, 2], "s": [2]}
    for number in range(segment.formula_count):
        assert nodes_of(found, number) == by_the_book(packed_tree(segment.formula_key(number)))


def test_what_is_stored_is_what_is_computed(path: Path) -> None:
    (segment,) = Snapshot.open(path).segments
    before, places = open_trees(segment), open_places(segment)
    prepare_trees([segment])
    written = segment.derived_path("trees").stat().st_mtime_ns
    prepare_trees([segment])
    assert segment.derived_path("trees").stat().st_mtime_ns == written
    for reader in (segment, Snapshot.open(path).segments[0]):
        after = open_trees(reader)
        assert after is not before
        for name, array in before.to_arrays().items():
            assert np.array_equal(array, after.to_arrays()[name])
            assert not after.to_arrays()[name].flags.owndata
        for one, other in zip(places, open_places(reader), strict=True):
            assert np.array_equal(one, other)
            assert not other.flags.owndata


@pytest.mark.parametrize("name", ["trees", "places"])
@pytest.mark.parametrize("damage", ["layout", "size", "arrays", "bytes"])
def test_damaged_derived_data_is_made_again(path: Path, name: str, damage: str) -> None:
    (segment,) = Snapshot.open(path).segments
    prepare_trees([segment])
    stored = segment.read_derived(name)
    assert stored is not None
    arrays, info = stored
    if damage == "layout":
        segment.write_derived(name, {**arrays, "indptr": arrays["indptr"] * 0}, {"layout": -1})
    elif damage == "size":
        segment.write_derived(name, {key: array[:0] for key, array in arrays.items()}, info)
    elif damage == "arrays":
        segment.write_derived(name, {}, info)
    else:
        file = segment.derived_path(name)
        file.write_bytes(file.read_bytes()[:-40])
    (segment,) = Snapshot.open(path).segments
    assert [places.tolist() for places in map(open_places(segment).of, range(3))] == [[0], [0, 2], [2]]
    assert nodes_of(open_trees(segment), 0) == by_the_book(packed_tree("pq"))
    prepare_trees([segment])
    assert segment.read_derived(name) is not None
    assert Snapshot.open(path).segments[0].read_derived(name) is not None


def test_trees_are_compared_as_they_are_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "CHECKED_BYTES", 0)  # as if they were large
    (segment,) = Snapshot.open(path).segments
    prepare_trees([segment])
    file = segment.derived_path("trees")
    labels = Trees.open(Container(file, "derived")).labels.tobytes()
    file.write_bytes(file.read_bytes().replace(labels, bytes(len(labels))))
    (segment,) = Snapshot.open(path).segments
    unread = open_trees(segment, np.zeros(0, np.int32))
    assert not unread.labels.any()
    found = open_trees(segment, np.array([0], np.int32))
    assert nodes_of(found, 0) == by_the_book(packed_tree("pq"))
    assert open_trees(segment) is found


def test_what_is_no_tree_is_found_when_it_is_read_and_made_again(path: Path) -> None:
    (segment,) = Snapshot.open(path).segments
    arrays = {name: array.copy() for name, array in open_trees(segment).to_arrays().items()}
    arrays["sizes"][arrays["indptr"][2]] += 1  # the last formula
    segment.write_derived("trees", arrays, {"layout": trees.LAYOUT})
    (segment,) = Snapshot.open(path).segments
    stored = open_trees(segment, np.array([0, 1], np.int32))
    assert open_trees(segment, np.array([1], np.int32)) is stored
    made = open_trees(segment, np.array([1, 2], np.int32))
    assert made is not stored
    assert nodes_of(made, 2) == by_the_book(packed_tree(segment.formula_key(2)))
    with pytest.raises(IndexCorrupt, match="not those of operator trees"):
        stored.to_arrays()


def test_documents_out_of_range_are_not_taken_for_places(path: Path) -> None:
    (segment,) = Snapshot.open(path).segments
    places = FormulaPostings.build(segment)
    segment.write_derived("places", {"indptr": places.indptr, "docs": places.docs + 1}, {"layout": trees.LAYOUT})
    assert np.array_equal(open_places(segment).docs, places.docs)


@settings(deadline=None)  # the first call compiles or loads kernels
@given(st.lists(st.lists(st.integers(0, 5), max_size=6), max_size=8))
def test_places_by_the_book(documents: list[list[int]]) -> None:
    from porism.index.engine import tree_kernels as kernels
    from porism.system.compiled.kernels import address

    indptr = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    formula = np.array([number for held in documents for number in held], np.int32)
    starts, docs = kernels.find_places(len(documents), 6, len(formula), address(indptr), address(formula))
    expected = [[doc for doc, held in enumerate(documents) if number in held] for number in range(6)]
    assert [docs[starts[number] : starts[number + 1]].tolist() for number in range(6)] == expected
    outside = np.append(formula, np.int32(6))
    assert len(kernels.find_places(len(documents), 6, len(outside), address(indptr), address(outside))[0]) == 0


def test_trees_survive_a_merge(path: Path) -> None:
    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc("d", {}, {"body": [("tuv", "", ""), ("r", "", "")]})]))
        writer.delete(["a"])
        writer.merge()
    (segment,) = Snapshot.open(path).segments
    found = open_trees(segment)
    assert {segment.formula_key(number): nodes_of(found, number) for number in range(len(found))} == {
        key: by_the_book(packed_tree(key)) for key in ("s", "r", "tuv")
    }
