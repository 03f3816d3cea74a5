"""Formulas of equal value are found first, whatever their form; near misses are not found by value."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from structure_cases import named, retriever_of, sources, tree_of, write

from porism.index import Snapshot
from porism.retrieve.formulas.equal_formulas import MAX_EQUAL
from porism.retrieve.formulas.matching import StructureRanker
from porism.retrieve.ranking import UnitResults, unit_numbers
from porism.types import Formula

EQUAL = {
    r"1+\frac{1}{x}": r"\frac{1+x}{x}",
    "(a+b)^2": "a^2+2ab+b^2",
    r"\frac{1}{n}-\frac{1}{n+1}": r"\frac{1}{n(n+1)}",
    r"\sin 2x": r"2\sin x\cos x",
    "e^{a+b}": "e^ae^b",
}
RENAMED = {"(u+v)^2": "a^2+2ab+b^2", r"1+\frac{1}{t}": r"\frac{1+x}{x}", "k^3-1": "(m-1)(m^2+m+1)"}
NEAR = [
    r"1+\frac{x}{1}", r"\frac{1}{1+x}", r"1-\frac{1}{x}", r"\frac{1+x}{y}", "(a+b)^3", "a^2+b^2", "a^2+ab+b^2",
    "(a-b)^2", "a^2-2ab+b^2", r"\frac{1}{n}+\frac{1}{n+1}", r"\frac{1}{n(n-1)}", r"\sin 3x", r"2\sin x", "e^{ab}",
    "e^a+e^b",
    "(m+1)(m^2+m+1)", "x", "1", "2", "a+b", r"\frac{1}{x}", "n+1", "e^a", r"\cos x",
]


@pytest.fixture(scope="module")
def snapshot(tmp_path_factory: pytest.TempPathFactory) -> Snapshot:
    held = [*EQUAL.values(), "(m-1)(m^2+m+1)", *NEAR]
    return write(
        tmp_path_factory.mktemp("values") / "index",
        *({f"{half}{n}": [latex] for n, latex in enumerate(held[half::2])} for half in (0, 1)),
    )


@pytest.fixture(scope="module")
def retriever(snapshot: Snapshot) -> StructureRanker:
    return retriever_of(snapshot)


def by_value(retriever: StructureRanker, query: str) -> UnitResults:
    """The formulas that a search for the value finds, each once, with their similarities."""
    assert retriever.values is not None
    hits = UnitResults.none().joined(*retriever.values.searches(tree_of(query)))
    hits = hits.take(np.unique(unit_numbers(hits), return_index=True)[1])
    similar = retriever.values.similarities(tree_of(query), hits)
    return hits._replace(scores=similar).take(np.argsort(-similar, kind="stable"))


@every_case(("query", "expected"), [*EQUAL.items(), *RENAMED.items()])
def test_an_equal_formula_is_found_by_its_value(
    query: str, expected: str, retriever: StructureRanker, snapshot: Snapshot
) -> None:
    found = retriever.search([Formula(query)], 5)[0]
    place = sources(snapshot, found).index(expected)
    match = retriever.match(Formula(query), named(snapshot, found)[place][0])
    assert match.score == found.scores[place]
    assert any(part.label.startswith("equal value") for part in match.explanation.parts)
    (value,) = [value for value in match.values if value.query == 0]
    assert value.found == 0
    assert value.renamed == (query in RENAMED)


@every_case("query", [
    r"1+\frac{1}{x}", r"\frac{1}{n}-\frac{1}{n+1}", r"\sin 2x", "e^{a+b}", r"1+\frac{1}{t}",
])
def test_an_equal_formula_of_like_length_comes_first(
    query: str, retriever: StructureRanker, snapshot: Snapshot
) -> None:
    assert sources(snapshot, retriever.search([Formula(query)], 1)[0]) == [(EQUAL | RENAMED)[query]]


@every_case("query", [*EQUAL, *RENAMED])
def test_near_misses_are_not_found_by_value(query: str, retriever: StructureRanker, snapshot: Snapshot) -> None:
    equal = by_value(retriever, query)
    assert sources(snapshot, equal) == [(EQUAL | RENAMED)[query]]
    model = retriever.model
    assert equal.scores.tolist() == [model.renamed_equal if query in RENAMED else model.equal]


@every_case("query", ["x", "x+0", "?a+1", "", r"\frac{1}{x-x}", r"\cosh^2x-\sinh^2x=1"])
def test_what_says_nothing_is_not_searched_by_value(query: str, retriever: StructureRanker) -> None:
    assert len(by_value(retriever, query).scores) == 0


@every_case(("query", "found"), [(r"\sin^2x+\cos^2x", "1"), ("1", "1"), (r"\sqrt4", "2")])
def test_a_number_is_found_as_a_whole_formula_only(
    query: str, found: str, retriever: StructureRanker, snapshot: Snapshot
) -> None:
    assert sources(snapshot, by_value(retriever, query)) == [found]


def test_how_similar_a_value_makes_a_formula(tmp_path: Path) -> None:
    """The whole formula is equal, or a part of it: the more there is beside the part, the less similar."""
    snapshot = write(tmp_path / "index", {"a": ["x^2+2x+1", "y=x^2+2x+1", "a+b", r"\frac{u}{v}"]})
    retriever = retriever_of(snapshot)
    assert retriever.values is not None
    query = tree_of("(x+1)^2")
    equal = by_value(retriever, "(x+1)^2")
    found = dict(zip(sources(snapshot, equal), equal.scores.tolist(), strict=True))
    assert list(found) == ["x^2+2x+1", "y=x^2+2x+1"]
    assert 0 < found["y=x^2+2x+1"] < retriever.model.value < found["x^2+2x+1"] == retriever.model.equal
    everything = np.arange(4, dtype=np.int32)
    one_by_one = retriever.values.similarities(query, UnitResults(everything * 0, everything, np.zeros(4)))
    assert dict(zip([snapshot.segments[0].formula_source(n) for n in range(4)], one_by_one.tolist(), strict=True)) == {
        "a+b": 0.0, r"\frac{u}{v}": 0.0, **found
    }


def test_more_formulas_of_one_value_than_are_searched_for(tmp_path: Path) -> None:
    """Scores and explanations agree for all of them, those found by the value and those found by their terms."""
    letters = "abcdefghjklmnopqrstuvwyz"
    held = [f"{letter}{relation}(x+1)^2" for relation in ("+", "-", "=", "<", ">", r"\in ") for letter in letters]
    snapshot = write(tmp_path / "index", {"a": held[:70], "b": [held[0]]}, {"c": held[70:]})
    retriever = retriever_of(snapshot)
    query = Formula("x^2+2x+1")
    assert len(held) > MAX_EQUAL
    assert len(by_value(retriever, query.source).scores) < len(held)
    found = named(snapshot, retriever.search([query], 1000)[0])
    assert len(found) == len(held)
    assert [retriever.match(query, key).score for key, _ in found] == [score for _, score in found]
    assert all("equal value" in str(retriever.match(query, key).explanation) for key, _ in found[:20])


def test_values_can_be_left_out(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", {"a": ["x^2+2x+1", "a+b"]}, formulas=("tokens", "approach0"))
    retriever = retriever_of(snapshot)
    assert retriever.values is None
    assert sources(snapshot, retriever.search([Formula("(x+1)^2")], 1)[0]) == ["x^2+2x+1"]
