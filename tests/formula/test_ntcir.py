"""The topics of NTCIR-12's formula browsing task: whole formulas with and without wildcards, and what they need."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus.topics import read_topics
from porism.formula import LayoutTree, layout_string, operator_string, operator_tree, parse, parse_latex, preorder
from porism.types import Formula

ROOTS = (
    "neg 𝔓 eq eq plus to to-to_overset-to_overset-to eq eq eq eq apply eq eq forall eq eq eq eq eq "  # no wildcards
    "neg sup times underbrace plus to to_overset eq eq eq eq apply eq eq forall eq plus times eq divide"
).split()
"""What each of the 40 topics is at its root."""


@pytest.fixture(scope="module")
def topics(shared_data: Path) -> list[Formula]:
    return [topic.fields["formula"].formulas[0] for topic in read_topics(shared_data / "ntcir12" / "topics.txt")]


def wildcards(tree: LayoutTree) -> tuple[list[str], list[str]]:
    """The names of the wildcards in the layout tree and in the operator tree, sorted, with repetition."""
    inside = sorted(node.label for node in operator_tree(tree).root.walk() if node.kind == "W")
    return sorted(node.label for node in preorder(tree) if node.kind == "W"), inside


@pytest.mark.needs_shared_data
def test_every_topic_is_understood(topics: list[Formula]) -> None:
    trees = [parse(topic) for topic in topics]
    assert [tree.problems for tree in trees] == [()] * 40
    roots = [operator_tree(tree).root for tree in trees]
    assert [root.label for root in roots] == ROOTS
    for root in roots:
        leaves = [node for node in root.walk() if not node.children]
        assert all(leaf.label and leaf.kind != "E" and leaf.label not in "()[]{}|." for leaf in leaves)


@pytest.mark.needs_shared_data
def test_every_wildcard_is_a_leaf_of_both_trees(topics: list[Formula]) -> None:
    with_wildcards = 0
    for topic in topics:
        written = sorted(re.findall(r"\\qvar\{([^{}]*)\}", topic.source))
        assert wildcards(parse(topic)) == (written, written)
        with_wildcards += bool(written)
    assert with_wildcards == 20


@pytest.mark.needs_shared_data
def test_wildcards_take_the_place_of_what_they_stand_for(topics: list[Formula]) -> None:
    """Topic 20 + n is topic n, or a part of it, with wildcards: the nodes above them are nodes there too."""
    for whole, pattern in ((1, 21), (5, 25), (8, 28), (9, 29), (10, 30), (11, 31), (12, 32)):
        found = {node.label for node in operator_tree(parse(topics[whole - 1])).root.walk() if node.children}
        asked = {node.label for node in operator_tree(parse(topics[pattern - 1])).root.walk() if node.children}
        assert asked <= found


def test_one_name_is_one_wildcard() -> None:
    tree = parse_latex(r"\frac{\qvar{a}-\qvar{b}}{?a}")
    assert wildcards(tree) == (["a", "a", "b"], ["a", "a", "b"])
    assert operator_string(operator_tree(tree)) == "[O!divide,0[U!plus,0[W!a],1[O!neg,0[W!b]]],1[W!a]]"


def test_a_wildcard_in_text_is_a_wildcard() -> None:
    tree = parse_latex(r"\frac{\text{price of \qvar{good} now}}{\mbox{\qvar{unit}}}")
    assert layout_string(tree) == "[F!,o[T!price of[?good[T!now]]],u[?unit]]"
    assert wildcards(tree) == (["good", "unit"], ["good", "unit"])


@every_case(
    ("source", "layout"),
    [
        (r"2.\qvar{d}+1", "[?d[+[N!1]]]"),
        ("-3.?d", "[-[?d]]"),
        (r"x^{2.\qvar{d}}", "[V!x,a[?d]]"),
        (r"x=2. ?d", "[V!x[=[N!2[.[?d]]]]]"),
        (r"2.5.?d", "[N!2.5[.[?d]]]"),
        (r"x.?d", "[V!x[.[?d]]]"),
        (r"2^n.?d", "[N!2[.[?d]],a[V!n]]"),
        (r"{2.}?d", "[N!2[.[?d]]]"),
    ],
)
def test_a_wildcard_for_the_decimals_stands_for_the_number(source: str, layout: str) -> None:
    tree = parse_latex(source)
    assert layout_string(tree) == layout
    wildcard = next(node for node in preorder(tree) if node.kind == "W")
    assert source[wildcard.start : wildcard.end].endswith(("?d", r"\qvar{d}"))


@every_case(
    ("source", "layout"),
    [
        (r"a+\,^{14}_{6}\mathrm{C}", "[V!a[+[V!C,c[N!14],d[N!6]]]]"),
        (r"a\to\ _{2}b", "[V!a[→[V!b,d[N!2]]]]"),
        (r"(\,^2b)", "[([V!b[)],c[N!2]]]"),
        (r"a\,^2", "[V!a,a[N!2]]"),
        (r"(a)\,^2", "[([V!a[),a[N!2]]]]"),
        (r"A^{+}\to^{f}B", "[V!A[→[V!B],a[V!f]],a[+]]"),
        (r"\sum\,_{i}", "[∑,b[V!i]]"),
    ],
)
def test_scripts_set_apart_from_an_operator_belong_to_what_follows(source: str, layout: str) -> None:
    assert layout_string(parse_latex(source)) == layout


@every_case(
    ("source", "operators"),
    [
        (r"p\to\forall x\,Q", "[O!to,0[V!p],1[O!forall,0[V!x],1[V!Q]]]"),
        (r"[x\neq y\to\neg\exists z\,R]",
         "[O!bracket,0[O!to,0[U!neq,0[V!x],1[V!y]],1[O!not,0[O!exists,0[V!z],1[V!R]]]]]"),
        (r"a\wedge p\to\exists x: Q, b",
         "[O!list,0[U!and,0[V!a],1[O!to,0[V!p],1[O!exists,0[V!x],1[V!Q]]]],1[V!b]]"),
        (r"u=0\;\forall x", "[O!list,0[U!eq,0[V!u],1[N!0]],1[O!forall,0[V!x]]]"),
    ],
)
def test_a_quantifier_can_be_the_right_side_of_a_relation(source: str, operators: str) -> None:
    assert operator_string(operator_tree(parse_latex(source))) == operators
