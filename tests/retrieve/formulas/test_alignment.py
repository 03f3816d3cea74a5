"""Tree against tree: sums computed by hand, a plain reference on random trees, and a bound on the steps."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from alignment_reference import Outcome, Reference, assigned, optimal
from case_tables import every_case
from hostile import HOSTILE
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG, examples
from structure_cases import SETTINGS, aligner_of, leaf, node, tree_of

from porism.errors import ConfigError
from porism.formula import OperatorTree, unpack_tree
from porism.formula import pack_tree as pack
from porism.retrieve.formulas.alignment import Aligner, Alignment, AlignmentSettings, QueryTree
from porism.retrieve.formulas.alignment_kernels import EXACT_GREEDY, MAX_NODES, MAX_QUERY_NODES, most_steps

OPERATOR = SETTINGS.operator


def align(query: str, found: str, settings: AlignmentSettings = SETTINGS) -> Alignment:
    return aligner_of([tree_of(found)], settings).align(QueryTree.of(tree_of(query)), 0, 0)


def similarity(query: str, found: str, settings: AlignmentSettings = SETTINGS) -> float:
    aligner = aligner_of([tree_of(found)], settings)
    return float(aligner.similarities(QueryTree.of(tree_of(query)), 0, np.array([0], np.int32))[0])


@every_case("latex", [
    "x", "a+b=c", r"\frac{a}{b}", r"\sum_{i=1}^{m}i^2", r"\sin(x+y)", r"\begin{pmatrix}a&b\\c&d\end{pmatrix}", "?a+?b",
])
def test_a_formula_matches_itself_node_by_node(latex: str) -> None:
    found = align(latex, latex)
    count = len(list(tree_of(latex).root.walk()))
    assert sorted(found.pairs.tolist()) == [[n, n] for n in range(count)]
    assert found.worths.tolist() == [1.0] * count
    assert found.matched == found.query == found.found == found.found_matched
    assert similarity(latex, latex) == 1.0


@every_case(("query", "found"), [
    ("a+b+c", "c+a+b"), ("ab=c", "c=ba"), ("x^2+2xy+y^2", "y^2+x^2+2yx"), (r"A\cup B", r"B\cup A"),
    (r"\{a,b,c\}", r"\{c,b,a\}"),
])
def test_commutative_operands_match_in_any_order(query: str, found: str) -> None:
    assert similarity(query, found) == 1.0


SUMS = [
    # equal but for one leaf
    ("x+2", "x+3", OPERATOR + 1 + 0.2),
    ("x+y", "x+z", OPERATOR + 1 + 0.85),
    ("x+2", "x+y", OPERATOR + 1 + 0.1),
    (r"x+\infty", r"x+\emptyset", OPERATOR + 1 + 0.15),
    (r"\text{if}", r"\text{or}", 0.15),
    # operators of one class, and of two
    ("a<b", "a>b", 0.5 * OPERATOR + 2),
    (r"\sin x", r"\cos x", 0.5 * OPERATOR + 1),
    (r"\sin x", r"\sqrt{x}", 1.0),
    # ordered operands keep their places; an equation beside an inequality is ordered too
    (r"\frac{a}{b}", r"\frac{b}{a}", OPERATOR + 0.85 + 0.85),
    ("a^2", "2^a", 1 + 0.3 * 1),  # the leaves by themselves say more
    ("a=b", "b<a", 0.5 * OPERATOR + 0.85 + 0.85),
    # of different numbers of ordered operands some are left out
    ("f(x,y)", "f(x,z,y)", OPERATOR + 3),
    ("f(x,y,z)", "f(z)", OPERATOR + 2),
    # one variable has one partner, and one partner one variable
    ("a+b", "x+x", OPERATOR + 0.85 + 0.85 * 0.3),
    ("x+x", "a+b", OPERATOR + 0.85 + 0.85 * 0.3),
    ("a+b", "a+a", OPERATOR + 1 + 0.85 * 0.3),
    ("x^2+y^2=xy", "u^2+v^2=uv", 5 * OPERATOR + 2 + 4 * 0.85),
    # x and y keep their names where that makes more than changing them
    ("x^2+xy", "y^2+yx", 3 * OPERATOR + 1 + 0.85 * 0.3 + 2),
    # a node between two matching ones is passed over
    ("x=y", "x=-y", OPERATOR + 2),
    (r"\frac{a}{b}", r"\frac{a^2}{b}", OPERATOR + 2),
    # unknown symbols are variables like others, each with one partner
    (r"\zeta+\zeta", "x+x", OPERATOR + 2 * 0.85),
    (r"\frac{\zeta}{\eta}", r"\frac{x}{x}", OPERATOR + 0.85 + 0.85 * 0.3),
    ("x+17", "x+2", OPERATOR + 1 + 0.2),
]


@every_case(("query", "found", "matched"), SUMS)
def test_what_pairs_are_worth(query: str, found: str, matched: float) -> None:
    assert align(query, found).matched == pytest.approx(matched)


def test_several_common_subtrees() -> None:
    query = r"a^2=\sqrt{b}"
    found = align(query, r"\{a^2,\sqrt{b}\}")
    assert found.query == pytest.approx(3 * OPERATOR + 3)
    assert found.matched == pytest.approx((OPERATOR + 2) + 0.3 * (OPERATOR + 1))
    one = align(query, r"\{a^2,\sqrt{b}\}", replace(SETTINGS, next_root=0.0))
    assert one.matched == pytest.approx(OPERATOR + 2)
    assert sorted(one.pairs.tolist()) == [[1, 1], [2, 2], [3, 3]]
    four = align("f(a^2,b^3,c^4,d^5)", r"\{a^2,b^3,c^4,d^5\}")
    assert four.matched == pytest.approx((OPERATOR + 2) * (1 + 0.3 + 0.09))


def test_nothing_in_common() -> None:
    found = align(r"\text{if}", r"\frac{\sin\sqrt{a}}{b}", replace(SETTINGS, other_leaf=0.0))
    assert (found.matched, found.found_matched, len(found.pairs)) == (0.0, 0.0, 0)
    assert similarity(r"\text{if}", r"\frac{a}{b}", replace(SETTINGS, other_leaf=0.0)) == 0.0


@every_case(("query", "found", "share"), [
    ("?a+1", r"\sin x+1", 1.0),
    ("?a+1", r"1+\frac{x}{y}", 1.0),
    (r"\frac{?a}{?a}", r"\frac{x^2}{x^2}", 1.0),
    (r"\frac{?a}{?a}", r"\frac{x^2}{y^2}", (OPERATOR + 1.3) / (OPERATOR + 2)),
    (r"\frac{?a}{?a}", r"\frac{x^2}{x^3}", (OPERATOR + 1.3) / (OPERATOR + 2)),
    (r"\frac{?a}{?b}", r"\frac{x^2}{x^2}", 1.0),
    (r"\frac{?a}{x}", r"\frac{x}{x}", 1.0),
    ("?a", r"\sum_{i=1}^{m}i^2", 1.0),
])
def test_wildcards(query: str, found: str, share: float) -> None:
    aligned = align(query, found)
    assert aligned.matched / aligned.query == pytest.approx(share)
    if share == 1.0:
        assert aligned.found_matched == aligned.found, "what a wildcard stands for is matched as a whole"
        assert similarity(query, found) == 1.0


def test_a_query_that_is_part_of_a_formula_is_measured_against_both() -> None:
    share = (OPERATOR + 2) / (OPERATOR + 3)
    assert similarity("a+b", "a+b+c") == pytest.approx(1 - 0.1 * (1 - share))
    assert similarity("a+b+c", "a+b") == pytest.approx(share**0.5)
    assert similarity("a+b", "a+b+c", replace(SETTINGS, width=0.0)) == 1.0
    assert similarity("a+b+c", "a+b", replace(SETTINGS, power=2.0)) == pytest.approx(share**2)


def test_long_formulas_are_cut() -> None:
    names = [f"x_{{{n}}}" for n in range(300)]
    leaves = "+".join(chr(0x4E00 + n) for n in range(300))
    query = QueryTree.of(tree_of(leaves))
    assert query.cut
    assert not QueryTree.of(tree_of("a+b")).cut
    assert len(query.labels) == query.sizes[0] == MAX_QUERY_NODES
    assert query.arities[0] == MAX_QUERY_NODES - 1
    found = align(leaves, leaves)
    assert found.query == found.matched == OPERATOR + MAX_QUERY_NODES - 1
    assert found.found == OPERATOR + MAX_NODES - 1
    deep = QueryTree.of(tree_of("+".join(names)))
    assert len(deep.labels) == MAX_QUERY_NODES
    assert sum(deep.arities.tolist()) == MAX_QUERY_NODES - 1
    exact = QueryTree.of(OperatorTree(node("Uplus", [leaf("Vx")] * (MAX_QUERY_NODES - 1)), ""))
    assert not exact.cut


# --- random trees, beside the reference ---

LEAVES = ["Vx", "Vy", "Vz", "N1", "N2", "Tif", "Tor", "C∞"]
OPERATORS = ["Uplus", "Utimes", "Ueq", "Olt", "Ogt", "Osup", "Osub", "Osin", "Ocos", "Odivide", "Oapply"]


def trees(leaves: list[str]) -> st.SearchStrategy[OperatorTree]:
    nodes = st.recursive(
        st.sampled_from(leaves).map(leaf),
        lambda below: st.builds(node, st.sampled_from(OPERATORS), st.lists(below, min_size=1, max_size=4)),
        max_leaves=14,
    )
    return nodes.map(lambda root: OperatorTree(unpack_tree(pack(OperatorTree(root, ""))), ""))


SHARES = st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.85, 1.0])
ANY_SETTINGS = st.builds(
    AlignmentSettings, operator=st.sampled_from([0.25, 0.5, 1.0]),
    **{field.name: SHARES for field in fields(AlignmentSettings) if field.name not in ("operator", "power")},
)


def outcome(aligner: Aligner, query: OperatorTree, formula: int) -> tuple[list[float], list[tuple[int, int, float]]]:
    found = aligner.align(QueryTree.of(query), 0, formula)
    pairs = [(u, v, worth) for (u, v), worth in zip(found.pairs.tolist(), found.worths.tolist(), strict=True)]
    return [found.matched, found.query, found.found, found.found_matched], pairs


ASKED = trees([*LEAVES, "Wa", "Wb", "Vunknown", "Vother"])


@settings(max_examples=examples(150), deadline=None)
@given(ASKED, st.lists(trees(LEAVES), min_size=1, max_size=6), ANY_SETTINGS)
def test_random_trees_align_as_the_reference_says(
    query: OperatorTree, found: list[OperatorTree], chosen: AlignmentSettings
) -> None:
    aligner = aligner_of(found, chosen)
    for number, tree in enumerate(found):
        expected: Outcome = Reference(query.root, tree.root, chosen).run()
        sums, pairs = outcome(aligner, query, number)
        assert sums == pytest.approx(expected[:4], rel=1e-12)
        assert [pair[:2] for pair in pairs] == [pair[:2] for pair in expected.pairs]
        assert [pair[2] for pair in pairs] == pytest.approx([pair[2] for pair in expected.pairs], rel=1e-12)
        assert len({pair[0] for pair in pairs}) == len({pair[1] for pair in pairs}) == len(pairs), "one to one"
    all_at_once = aligner.similarities(QueryTree.of(query), 0, np.arange(len(found), dtype=np.int32))
    assert ((all_at_once >= 0) & (all_at_once <= 1)).all()
    one_by_one = [
        float(aligner.similarities(QueryTree.of(query), 0, np.array([number], np.int32))[0])
        for number in range(len(found))
    ]
    assert all_at_once.tolist() == one_by_one
    best = Reference(query.root, found[0].root, chosen, optimal).run().best
    assert Reference(query.root, found[0].root, chosen).run().best <= best * (1 + 1e-12)


@settings(max_examples=60, deadline=None)
@given(trees(LEAVES), ANY_SETTINGS)
def test_any_formula_matches_itself_in_full(tree: OperatorTree, chosen: AlignmentSettings) -> None:
    chosen = replace(chosen, skip_found=min(chosen.skip_found, 0.5), skip_query=min(chosen.skip_query, 0.5))
    chosen = replace(chosen, other_variable=min(chosen.other_variable, 0.85), same_kind=0.1, other_leaf=0.1,
                     other_number=0.2, same_family=0.5)
    aligner = aligner_of([tree], chosen)
    assert aligner.similarities(QueryTree.of(tree), 0, np.array([0], np.int32)).tolist() == [pytest.approx(1.0)]


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(1, 5), st.integers(1, 5), st.data())
def test_an_assignment_is_at_least_half_the_best_and_for_two_operands_the_best(
    rows: int, columns: int, data: st.DataObject
) -> None:
    worth = st.sampled_from([0.0, 0.1, 0.85, 1.0, 2.25, 2.5, 3.5])
    worths = [[data.draw(worth) for _ in range(columns)] for _ in range(rows)]
    found, best = assigned(worths, True)[0], optimal(worths, True)[0]
    assert best / 2 - 1e-12 <= found <= best + 1e-12
    if min(rows, columns) <= 2:
        assert found == pytest.approx(best)


@every_case(("query", "found"), [
    ("?a+1", r"1+\frac{x}{y}"), (r"1+?a+x", r"x+\frac{x}{y}+1"), (r"?a\cdot 2\cdot ?b", r"2xy"),
    ("+".join(["?w", *"abcdefghj"]), "+".join(["a^2", *"bcdefghja"])),
])
def test_wildcards_leave_to_others_what_these_match(query: str, found: str) -> None:
    assert similarity(query, found) == 1.0


def test_the_best_pair_of_operands_is_not_always_in_the_best_assignment() -> None:
    assert assigned([[3.0, 2.5], [2.5, 0.0]], True) == (5.0, {0: 1, 1: 0})
    query = OperatorTree(node("Utimes", [node("Osin", [leaf("Vx"), leaf("N1")]), leaf("Wa")]), "")
    found = OperatorTree(node("Utimes", [node("Osin", [leaf("Vx"), leaf("N1")]), node("Ocos", [leaf("Vx")])]), "")
    aligned = aligner_of([found]).align(QueryTree.of(query), 0, 0)
    assert aligned.matched == aligned.query


def flat(label: str, names: list[str]) -> OperatorTree:
    return OperatorTree(node(label, [leaf(name) for name in names]), "")


@every_case("count", [8, 9, 20, 120])
def test_many_operands_are_matched_whatever_their_order(count: int) -> None:
    names = [f"V{chr(0x4E00 + n)}" for n in range(count)]
    aligner = aligner_of([flat("Uplus", names[::-1]), flat("Uplus", names[3:] + ["Vnew"] * 3)])
    found = aligner.align(QueryTree.of(flat("Uplus", names)), 0, 0)
    if count * count <= EXACT_GREEDY:  # the best pair comes first
        assert found.matched == found.query
    expected = Reference(flat("Uplus", names).root, flat("Uplus", names[3:] + ["Vnew"] * 3).root, SETTINGS).run()
    assert outcome(aligner, flat("Uplus", names), 1)[0] == pytest.approx(expected[:4], rel=1e-12)


# --- bounds ---

@every_case("chosen", [SETTINGS, replace(SETTINGS, skip_query=1.0, skip_found=1.0)])
def test_steps_are_bounded_by_the_nodes_of_both_trees(chosen: AlignmentSettings) -> None:
    hostile = [tree_of(make(700)) for make in list(HOSTILE.values())[:: 1 if LONG else 3]]
    aligner = aligner_of(hostile, chosen)
    nodes = [min(MAX_NODES, len(list(unpack_tree(pack(tree)).walk()))) for tree in hostile]
    queries = [QueryTree.of(tree) for tree in hostile]
    assert max(len(query.labels) for query in queries) == MAX_QUERY_NODES
    assert max(nodes) == MAX_NODES
    largest = 0
    for query in queries:
        size = len(query.labels)
        taken = [aligner.steps(query, 0, np.array([n], np.int32)) for n in range(len(hostile))]
        assert all(size * count <= steps <= most_steps(size, count) for steps, count in zip(taken, nodes, strict=True))
        assert aligner.steps(query, 0, np.arange(len(hostile), dtype=np.int32)) == sum(taken)
        largest = max(largest, *taken)
    assert largest <= most_steps(MAX_QUERY_NODES, MAX_NODES) == 2_048_000


@settings(max_examples=60, deadline=None)
@given(trees([*LEAVES, "Wa", "Wb"]), st.lists(trees(LEAVES), min_size=1, max_size=4), ANY_SETTINGS)
def test_steps_of_random_trees_are_bounded(
    query: OperatorTree, found: list[OperatorTree], chosen: AlignmentSettings
) -> None:
    aligner, asked = aligner_of(found, chosen), QueryTree.of(query)
    for number, tree in enumerate(found):
        steps = aligner.steps(asked, 0, np.array([number], np.int32))
        assert 0 < steps <= most_steps(len(asked.labels), len(list(tree.root.walk())))


# --- what is refused ---

def test_settings_out_of_range() -> None:
    for name in (field.name for field in fields(AlignmentSettings)):
        for wrong in (-0.1, 10.5, float("nan"), float("inf")):
            with pytest.raises(ConfigError, match=name):
                AlignmentSettings(**{name: wrong})
    for name in ("operator", "power"):
        with pytest.raises(ConfigError, match="must be above 0"):
            AlignmentSettings(**{name: 0.0})


def test_formulas_that_are_not_there() -> None:
    aligner = aligner_of([tree_of("x")])
    for wrong in (-1, 1):
        with pytest.raises(IndexError, match="of 1"):
            aligner.similarities(QueryTree.of(tree_of("x")), 0, np.array([wrong], np.int32))
    assert aligner.similarities(QueryTree.of(tree_of("x")), 0, np.zeros(0, np.int32)).tolist() == []
