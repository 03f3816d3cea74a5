"""The query formula itself in other formulas: whole or in part, variables renamed one to one, wildcards bound whole."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples
from structure_cases import aligner_of, node, retriever_of, sources, tree_of, write

import porism
from porism.formula import OperatorNode, OperatorTree
from porism.formula.operators.rules import is_fixed_name
from porism.index import Snapshot
from porism.retrieve.formulas.alignment import QueryTree
from porism.retrieve.formulas.exact_kernels import IDENTICAL, NOTHING, PART, RENAMED, RENAMED_PART
from porism.retrieve.formulas.matching import StructureRanker
from porism.sample import ENTRIES
from porism.types import Formula


def exactness(query: str, found: str) -> int:
    return int(aligner_of([tree_of(found)]).exactness(QueryTree.of(tree_of(query)), 0, np.zeros(1, np.int32)).kinds[0])


@every_case(("query", "found", "expected"), [
    ("a+b", "a+b", IDENTICAL), ("a+b", "b+a", IDENTICAL), ("a+b", "x+y", RENAMED), ("a+a", "x+y", NOTHING),
    ("a+b", "x+x", NOTHING), ("a+b", "a+b+c", NOTHING), ("a+b", "a-b", NOTHING), ("a-b", "b-a", RENAMED),
    (r"\frac{a}{b}", r"\frac{b}{a}", RENAMED), ("a+b", r"\sqrt{a+b}", PART), ("a+b", r"\sqrt{u+v}", RENAMED_PART),
    (r"\sum_{j=1}^{N}j^2", r"P_m=\sum_{i=1}^{m}i^{2}", RENAMED_PART),
    (r"\sum_{j=1}^{N}j^2", r"\sum_{j=1}^{N}j^3", NOTHING),
    (r"\sin^2t+\cos^2t=1", r"\cos^2\theta+\sin^2\theta=1", RENAMED),
    (r"\sin^2t+\cos^2t=1", r"\cosh^2t-\sinh^2t=1", NOTHING),
    # a renaming that holds throughout is found even where the first partners do not fit
    ("ab+b^2", "u^2+vu", RENAMED), ("ab+bc+ca+a", "xy+yz+zx+z", RENAMED), ("ab+bc+cd+da", "xy+xz+zw+wz", NOTHING),
    ("a^2b", "a^2a", NOTHING), ("f(x)=y", "g(t)=s", RENAMED),
    # constants keep their names
    (r"2\pi r", r"2ks", NOTHING), (r"2\pi r", r"2\pi s", RENAMED), ("e^x", "a^x", NOTHING),
    (r"x\in\mathbb R", "t\\in M", NOTHING),
    # wildcards take whole subexpressions, one of a name everywhere the same
    ("?x^2+?y^2", "x^2+y^2", IDENTICAL), ("?x^2+?y^2", r"\sin^2x+\cos^2x", IDENTICAL),
    ("?x^2+?y^2", "E[X^2]-E[X]^2", NOTHING), ("?x^2+?y^2", "x^2+y^2+z^2", NOTHING),
    ("?x^2+?y^2", "x^2-y^2", NOTHING), ("?x+?x", "ab+ba", IDENTICAL), ("?x+?x", "ab+ca", NOTHING),
    (r"\frac{?a}{?b}=1+?c", r"\frac{1+x}{x}=1+\frac{1}{x}", IDENTICAL), ("?a^n+?b^n", "(u+v)^k+w^k", RENAMED),
    ("?a+1", r"\frac{2}{x+1}", PART), ("?f+x", "y+x^2", RENAMED),
    # single symbols
    ("x", "x", IDENTICAL), ("x", "y", NOTHING), ("x", "x+1", NOTHING), ("5", "5", IDENTICAL),
])
def test_what_a_formula_is_to_the_query(query: str, found: str, expected: int) -> None:
    assert exactness(query, found) == expected


@every_case(("query", "found", "share"), [
    ("a+b", "b+a", 1), ("a+b", "x+y", 1), ("a+b", "a-b", 0),
    # a part that stands for itself: a side of a relation, an item of a list, also where it stands within others before
    ("a+b", "c=a+b", 1), ("a+b", "x<y=u+v", 1), ("a+b", "p, a+b", 1), ("a+b", r"\sqrt{a+b}=a+b", 1),
    ("a+b", r"\sqrt{u+v}=u+v", 1), ("a+b", "(p,a+b)", 1),
    # another part: its share of the nodes
    ("a+b", r"\sqrt{a+b}", 3 / 4), ("a+b", r"c=\sqrt{(a+b)^2}", 3 / 8), ("a+b", r"\frac{c}{2(x+y)}", 3 / 7),
    # wildcards take what they take
    ("?a+b", r"\sqrt{xyz+b}", 6 / 7),
])
def test_how_much_of_a_formula_the_query_is(query: str, found: str, share: float) -> None:
    exact = aligner_of([tree_of(found)]).exactness(QueryTree.of(tree_of(query)), 0, np.zeros(1, np.int32))
    assert exact.shares.tolist() == pytest.approx([share])


def test_a_small_part_among_others_gains_little_and_a_tiny_formula_nothing_with_other_letters(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", {"notes": [
        r"\frac{a+b^2}{c}", r"\frac{a+b^2}{c}+d-\frac{p}{q}+\sqrt{r}-\int_0^1\ln(x)\,dx", "y=a+b^2", r"\sqrt{u+v^2}",
        r"\sqrt{u+v}", "n=u+v",
    ]})
    retriever: StructureRanker = retriever_of(snapshot)

    def added(query: str, found: str) -> float:
        segment, unit = retriever.find(key_of(snapshot, found))
        return retriever.similarities_of_one(retriever.read(Formula(query)), segment, unit).added

    model = retriever.model
    assert added("a+b^2", "y=a+b^2") == model.part
    assert added("a+b^2", r"\frac{a+b^2}{c}") == pytest.approx(model.part * 5 / 7)
    large = r"\frac{a+b^2}{c}+d-\frac{p}{q}+\sqrt{r}-\int_0^1\ln(x)\,dx"
    assert 0 < added("a+b^2", large) < model.part / 3
    assert added("a+b^2", r"\sqrt{u+v^2}") == pytest.approx(model.renamed_part * 5 / 6)
    assert added("a+b", r"\sqrt{u+v}") == added("a+b", "n=u+v") == 0
    assert added("a+b", "y=a+b^2") == 0


SMALL = st.recursive(
    st.sampled_from(["Va", "Vb", "Vc", "N1", "N2"]).map(lambda label: OperatorNode(label[1:], label[0])),
    lambda below: st.builds(
        node, st.sampled_from(["Uplus", "Utimes", "Odivide", "Osup"]), st.lists(below, min_size=2, max_size=2)
    ) | st.builds(node, st.just("Uplus"), st.lists(below, min_size=3, max_size=3)),
    max_leaves=7,
)


def same(one: OperatorNode, other: OperatorNode, names: dict[str, str]) -> bool:
    """By all orders and with the renaming given."""
    if one.kind != other.kind or len(one.children) != len(other.children):
        return False
    if not one.children:
        return names.get(one.label, one.label) == other.label
    orders: Iterator[tuple[OperatorNode, ...]] = (
        permutations(other.children) if one.kind == "U" else iter([tuple(other.children)])
    )
    return one.label == other.label and any(
        all(same(a, b, names) for a, b in zip(one.children, order, strict=True)) for order in orders
    )


def renamings(root: OperatorNode) -> Iterator[dict[str, str]]:
    letters = sorted({each.label for each in root.walk() if each.kind == "V"})
    for chosen in permutations("abc", len(letters)):
        yield dict(zip(letters, chosen, strict=True))


@settings(max_examples=examples(400), deadline=None)
@given(SMALL, SMALL)
def test_all_renamings_and_orders_agree_with_the_kernel(query: OperatorNode, found: OperatorNode) -> None:
    parts = list(found.walk())
    tree = QueryTree.of(OperatorTree(query, ""))
    result = int(aligner_of([OperatorTree(found, "")]).exactness(tree, 0, np.zeros(1, np.int32)).kinds[0])
    if not query.children:
        expected = IDENTICAL if same(query, found, {}) else NOTHING
    elif same(query, found, {}):
        expected = IDENTICAL
    elif any(same(query, found, names) for names in renamings(query)):
        expected = RENAMED
    elif any(same(query, part, {}) for part in parts):
        expected = PART
    elif any(same(query, part, names) for part in parts for names in renamings(query)):
        expected = RENAMED_PART
    else:
        expected = NOTHING
    assert result == expected


def test_pairs_of_nodes_are_those_of_the_match() -> None:
    query, found = tree_of(r"\frac{?a}{k+1}"), tree_of(r"y=\frac{uv}{1+n}")
    aligner = aligner_of([found])
    pairs = aligner.exact_pairs(QueryTree.of(query), 0, 0)
    nodes, others = list(query.root.walk()), list(found.root.walk())
    assert [(nodes[one].label, others[other].label) for one, other in pairs.tolist()] == [
        ("divide", "divide"), ("a", "times"), ("plus", "plus"), ("k", "n"), ("1", "1"),
    ]
    assert len(aligner.exact_pairs(QueryTree.of(tree_of("a-b")), 0, 0)) == 0


def test_the_work_is_bounded() -> None:
    """Of a sum of products in which nearly every order fits and none does, so many orders are not tried."""
    letters = "abcdefgh"
    ring = "+".join(f"{one}{other}" for one, other in zip(letters, letters[1:] + letters[0], strict=True))
    two = "+".join(
        f"{one}{other}" for four in ("abcd", "efgh") for one, other in zip(four, four[1:] + four[0], strict=True)
    )
    assert exactness(ring, two) == NOTHING
    assert exactness(ring, ring.replace("a", "z")) in (RENAMED, NOTHING)


@every_case(("label", "fixed"), [
    ("π", True), ("e", True), ("ℝ", True), ("rank", True), ("x", False), ("i", False),
])
def test_what_keeps_its_name(label: str, fixed: bool) -> None:
    assert is_fixed_name(label) == fixed


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[porism.Index]:
    path = tmp_path_factory.mktemp("sample") / "index"
    porism.index_sources([ENTRIES], path, jobs=1)
    with porism.open_index(path) as index:
        yield index


SQUARES = {
    r"P_m=\sum_{i=1}^{m} i^{2}", r"\sum_{k=1}^n k^2=1^2+2^2+\dots+n^2=\frac{n(n+1)(2n+1)}{6}.",
    r"\frac{1}{6}m(m+1)(2m+1)",  # of equal value
}


@every_case(("query", "first"), [
    (r"\sum_{j=1}^{N} j^2", SQUARES), (r"\sum_{i=1}^m i^2", SQUARES),
    (r"\sin^2 t+\cos^2 t=1", {r"\sin^{2}\theta+\cos^{2}\theta=1 ,"}),
])
def test_true_renamings_come_before_formulas_that_share_letters(
    query: str, first: set[str], sample: porism.Index
) -> None:
    assert {hit.formula.source for hit in sample.search_formulas(query, k=len(first))} == first


def test_wildcards_bind_exactly(sample: porism.Index) -> None:
    hits = sample.search_formulas("?x^2+?y^2", k=200, explain=True)
    bound = {
        hit.formula.source: {entry.query: entry.found for entry in hit.match.substitutions}
        for hit in hits if hit.match is not None
    }
    assert bound[r"\sin^{2}x+\cos^{2}x"] == {"?x": r"\sin x", "?y": r"\cos x"}
    assert bound["x^{2}+y^{2}=z^{2}"] == {"?x": "x", "?y": "y"}
    assert not any(bound.get(r"u=x^2-y^2", {}).values())
    exact = [bool(found) for found in bound.values()]
    assert exact == sorted(exact, reverse=True), "exact matches come first, and only they bind wildcards"
    assert {"x^2+y^2", r"\sin^{2}x+\cos^{2}x"} == {hit.formula.source for hit in hits[:2]}


def test_the_examples_of_the_readme(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", {"notes": [
        r"\sum_{k=1}^n k^2", r"\sum_{i=1}^m i^3", r"\sum_{i=1}^m x_i^2", r"\frac{1+x}{x}", r"\frac{1}{1+x}",
        r"1-\frac1x", "a^2+b^2=c^2", "x^n+y^n=z^m", "x^n+y^n+z^n=0", "x^n+y^n=z^n",
    ]})
    retriever: StructureRanker = retriever_of(snapshot)

    def first(query: str, k: int = 1) -> list[str]:
        return sources(snapshot, retriever.search([Formula(query)], k)[0])

    assert first(r"\sum_{i=1}^m i^2") == [r"\sum_{k=1}^n k^2"]
    match = retriever.match(Formula(r"\sum_{i=1}^m i^2"), key_of(snapshot, r"\sum_{k=1}^n k^2"))
    assert {entry.query: entry.found for entry in match.substitutions} == {"i": "k", "m": "n"}
    assert first(r"1+\frac1x") == [r"\frac{1+x}{x}"]
    assert set(first("?x^{?n}+?y^{?n}=?z^{?n}", 2)) == {"x^n+y^n=z^n", "a^2+b^2=c^2"}


def key_of(snapshot: Snapshot, source: str) -> str:
    segment = snapshot.segments[0]
    (number,) = [n for n in range(segment.formula_count) if segment.formula_source(n) == source]
    return segment.formula_key(number)
