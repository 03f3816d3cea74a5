"""Operator trees as bytes and back."""

from __future__ import annotations

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.formula import (
    OperatorNode,
    OperatorTree,
    operator_string,
    operator_tree,
    pack_tree,
    parse_latex,
    unpack_tree,
)
from porism.formula.packed import MAX_PACKED_NODES


def tree_of(root: OperatorNode) -> OperatorTree:
    return OperatorTree(root, "")


def nodes() -> st.SearchStrategy[OperatorNode]:
    """Small trees with any characters in their labels but line feeds."""
    labels = st.text(st.characters(exclude_characters="\n"), max_size=4)
    return st.recursive(
        st.builds(OperatorNode, labels, st.sampled_from("VNCTWE")),
        lambda below: st.builds(OperatorNode, labels, st.sampled_from("UO"), st.lists(below, min_size=1, max_size=4)),
        max_leaves=12,
    )


def test_the_bytes_of_a_small_tree() -> None:
    assert pack_tree(operator_tree(parse_latex("x+2"))) == b"\x03\0" b"\x02\0\0\0\0\0" b"Uplus\nVx\nN2\n"
    assert pack_tree(operator_tree(parse_latex(""))) == b"\x01\0" b"\0\0" b"E\n"


@given(nodes())
def test_unpacking_gives_the_tree_back(root: OperatorNode) -> None:
    assert operator_string(unpack_tree(pack_tree(tree_of(root)))) == operator_string(root)


def test_a_line_feed_in_a_label_becomes_a_space() -> None:
    packed = pack_tree(tree_of(OperatorNode("a\nb", "U", [OperatorNode("\n\n", "T")])))
    assert operator_string(unpack_tree(packed)) == "[U!a b,0[T!  ]]"


def test_a_lone_surrogate_is_kept() -> None:
    assert unpack_tree(pack_tree(tree_of(OperatorNode("\ud800", "V")))).label == "\ud800"


def test_a_wide_tree_is_cut() -> None:
    leaves = [OperatorNode(f"x{number}", "V") for number in range(2 * MAX_PACKED_NODES)]
    root = unpack_tree(pack_tree(tree_of(OperatorNode("plus", "U", leaves))))
    assert [child.label for child in root.children] == [leaf.label for leaf in leaves[: MAX_PACKED_NODES - 1]]


def test_a_tree_is_cut_in_preorder() -> None:
    """Ten sums of a hundred leaves: the sixth keeps the six nodes that are left, and what follows is gone."""
    sums = [OperatorNode("plus", "U", [OperatorNode("x", "V") for _ in range(100)]) for _ in range(10)]
    root = unpack_tree(pack_tree(tree_of(OperatorNode("list", "O", sums))))
    assert [len(child.children) for child in root.children] == [100] * 5 + [MAX_PACKED_NODES - 1 - 5 * 101 - 1]
    assert sum(1 for _ in root.walk()) == MAX_PACKED_NODES


def test_a_deep_tree_is_cut() -> None:
    root = OperatorNode("x", "V")
    for _ in range(20_000):
        root = OperatorNode("not", "O", [root])
    chain = list(unpack_tree(pack_tree(tree_of(root))).walk())
    assert [(node.label, len(node.children)) for node in chain[-2:]] == [("not", 1), ("not", 0)]
    assert len(chain) == MAX_PACKED_NODES


@every_case("data", [
    b"", b"\1", b"\0\0", b"\1\0\0\0", b"\1\0\0\0Vx", b"\1\0\0\0\n", b"\1\0\1\0Vx\n", b"\1\0\0\0Vx\nVy\n",
    b"\2\0\0\0\1\0Vx\nVy\n", b"\1\0\0\0\xff\n", b"\3\0\1\0\0\0\1\0Ux\nVy\nUz\n",
])
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a packed tree"):
        unpack_tree(data)
