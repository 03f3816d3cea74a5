"""Formulas of shards are found as those of one index: the same formulas, scores, documents, places and explanations."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG
from shard_cases import Wrapped, split_shards

from porism.errors import ConfigError, PorismError, QueryError
from porism.retrieve.formulas.parts import FoundPart, SupplementaryHits
from porism.search.answers import FormulaHit
from porism.search.index import Index, open_index
from porism.search.models.models import known_models
from porism.search.sources.indexing import index_documents
from porism.search.sources.updating import index_sources
from porism.serve.shards.federated import FederatedIndex, ShardsMissing
from porism.serve.shards.formula_requests import (
    FormulaCollection,
    FormulaCollectionRequest,
    FormulaDigests,
    FormulaDigestsRequest,
    FormulaStatisticsRequest,
)
from porism.serve.shards.formula_shard import FormulaShard
from porism.serve.shards.requests import Shard, StaleCommit
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.values import ShardStatistics
from porism.system.concurrency.caching import Memory
from porism.types import Content, Document, Formula, Query

ASKED: tuple[str | Content, ...] = (
    r"\sum_{n=1}^\infty \frac{1}{n^2}", r"x^2 + y^2 = z^2", "?x^2 + ?y^2", "n", r"f(x)", r"1+\frac{1}{x}",
    Content.of("an integral over an interval ", Formula(r"\int_a^b f(x)\,dx")),
    Content.of(Formula("a+b"), " or ", Formula(r"\lim_{n\to\infty} a_n")),
)


@pytest.fixture(scope="module")
def joint(sample_shards: list[Path]) -> Iterator[Index]:
    """The two indexes as one that this process has all of."""
    with open_index(sample_shards) as index:
        yield index


@pytest.fixture(scope="module")
def together(shards: list[IndexShard]) -> FederatedIndex:
    return FederatedIndex(shards)


def seen(hits: Any) -> list[Any]:
    """What does not depend on which of several ways of writing a formula is shown."""
    return [(hit.rank, hit.key, hit.score, hit.documents) for hit in hits]


def nearly(hits: Any) -> list[Any]:
    """The same but for the last bits of scores, and the order of formulas that differ in these alone."""
    rounded = [(round(hit.score, 12), hit.key, hit.documents) for hit in hits]
    return sorted(rounded, key=lambda one: (-one[0], one[1]))


def values(hit: FormulaHit) -> Any:
    """All that a match says."""
    assert hit.match is not None
    return hit.match


def test_formulas_scores_and_documents_are_those_of_one_index(
    whole: Index, joint: Index, together: FederatedIndex
) -> None:
    for asked in ASKED:
        found = together.search_formulas(asked, 25)
        assert not found.partial
        assert seen(found.hits) == seen(whole.search_formulas(asked, 25)), asked
        expected = joint.search_formulas(asked, 25)
        assert [(hit.formula, hit.places) for hit in found.hits] == [(hit.formula, hit.places) for hit in expected]
        assert found.total == len(found.hits)
    alike = [hit for hit in together.search_formulas("n", 3).hits if hit.documents > 1]
    assert alike, "no formula is in several documents"


def test_formulas_are_at_their_own_lines(tmp_path: Path) -> None:
    note = "# One\n\nLet $x^2$ be.\n\nThen $y+1$ is odd.\n\nAnd\n$z_3$ even, $y+1$ too.\n"
    shards = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.md").write_text(note, encoding="utf-8")
        index_sources([tmp_path / name], tmp_path / f"{name}-index", jobs=1)
        shards.append(IndexShard(name, open_index(tmp_path / f"{name}-index")))
    together = FederatedIndex(shards)
    for asked, line in (("x^2", 3), ("y+1", 5), ("z_3", 8)):
        found = together.search_formulas(asked, 1)
        places = sorted(document.location.place() for document in found.hits[0].shown)
        assert places == [f"first.md:{line}", f"second.md:{line}"]


def test_explanations_are_those_of_one_index(joint: Index, together: FederatedIndex) -> None:
    for asked in (ASKED[0], ASKED[2], ASKED[6], ASKED[7]):
        expected = joint.search_formulas(asked, 6, explain=True)
        found = together.search_formulas(asked, 6, explain=True)
        assert [values(hit) for hit in found.hits] == [values(hit) for hit in expected]
        assert all(hit.match is not None and hit.match.score == hit.score for hit in found.hits)


def test_filters_and_later_pages_are_those_of_one_index(joint: Index, together: FederatedIndex) -> None:
    chosen = {"tags": "topology"}
    expected = joint.search_formulas("n", 12, filters=chosen)
    assert len(expected) > 0
    assert seen(together.search_formulas("n", 12, filters=chosen).hits) == seen(expected)
    later = together.search_formulas("n", 4, first=5, depth=30)
    assert seen(later.hits) == seen(joint.search_formulas("n", 9))[5:]
    assert later.total == 30
    kept = together.search_formulas("n", 4, depth=30, keep=lambda one: "=" in one.source)
    assert [hit.key for hit in kept.hits] == [
        hit.key for hit in joint.search_formulas("n", 30) if "=" in hit.formula.source
    ][:4]
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        together.search_formulas("n", filters={"colour": "red"})
    with pytest.raises(QueryError, match="0 results cannot be found"):
        together.search_formulas("n", 0)


def test_runs_name_formulas_as_those_of_one_index(joint: Index, together: FederatedIndex) -> None:
    topics = [
        Query("f", {"formula": Content.of(Formula("x^2")), "title": Content("a square")}),
        Query("words", {"title": Content("no formula")}),
        Query("n", {"formula": Content.of(Formula(r"\sum_{n=1}^\infty a_n"))}),
    ]
    for context in (False, True):
        expected = joint.run_formulas(topics, 40, context=context)
        found = together.run_formulas(topics, 40, context=context)
        for topic in topics:
            assert list(found[topic.id]) == list(expected[topic.id])
        assert found.provenance is not None
        assert set(found.provenance.made_by["shards"]) == {"few", "many"}
    assert len(expected["f"]) == 40
    assert len(expected["words"]) == 0
    with pytest.raises(QueryError, match="two queries have the same id"):
        together.run_formulas([topics[0], topics[0]])


def test_every_structure_model_gives_the_formulas_of_one_index(whole: Index, sample_shards: list[Path]) -> None:
    compared = []
    for name in known_models(formulas=True):
        if name == "milvus":  # a server has the candidates of one index
            continue
        try:
            expected = seen(whole.with_models(formula_model=name).search_formulas(ASKED[0], 15))
            shards = [IndexShard(path.stem, open_index(path, "default", name)) for path in sample_shards]
            found = FederatedIndex(shards).search_formulas(ASKED[0], 15)
        except ConfigError:
            continue
        assert seen(found.hits) == expected, name
        compared.append(name)
    assert {"default", "tokens", "paths", "subtrees", "values"} <= set(compared)


def test_formulas_that_share_no_structure_model_are_refused(
    sample_shards: list[Path], shards: list[IndexShard]
) -> None:
    tokens = IndexShard("many", open_index(sample_shards[1], "default", "tokens"))
    with pytest.raises(ConfigError, match="formulas are searched by another model than in few"):
        FederatedIndex([shards[0], tokens]).search_formulas("x^2")


def test_a_statistic_of_formulas_that_is_not_added_up_shows(shards: list[IndexShard]) -> None:
    expected = seen(FederatedIndex(shards).search_formulas(ASKED[0], 20).hits)

    class Less(Wrapped):
        def __init__(self, shard: Shard, what: str) -> None:
            super().__init__(shard)
            self.what = what

        def formula_digests(self, request: FormulaDigestsRequest) -> FormulaDigests:
            found = self.shard.ask(request)
            if self.what == "digests":
                return replace(found, digests=FormulaDigests.text(found.array() + 1))
            return found

        def formula_collection(self, request: FormulaCollectionRequest) -> FormulaCollection:
            found = self.shard.ask(request)
            if self.what == "lengths":
                return replace(found, channels=tuple(replace(one, lengths=(), counts=()) for one in found.channels))
            return found

        def formula_statistics(self, request: FormulaStatisticsRequest) -> ShardStatistics:
            found = self.shard.ask(request)
            if self.what == "df":
                return replace(found, df={name: dict.fromkeys(of, 0) for name, of in found.df.items()})
            return found

    for what in ("digests", "lengths", "df"):
        assert seen(FederatedIndex([shards[0], Less(shards[1], what)]).search_formulas(ASKED[0], 20).hits) != expected
    assert seen(FederatedIndex([shards[0], Less(shards[1], "")]).search_formulas(ASKED[0], 20).hits) == expected


def test_a_shard_that_fails_is_named_and_its_formulas_count_elsewhere(
    shards: list[IndexShard], sample_shards: list[Path]
) -> None:
    class Failing(Wrapped):
        step = ""

        def ask(self, request: Any) -> Any:
            if request.step == self.step:
                raise PorismError(f"{request.step} failed")
            return super().ask(request)

    with open_index(sample_shards[1]) as many:
        alone = seen(many.search_formulas("n", 5))
    for step in (
        "collection", "formula_digests", "formula_collection", "formula_statistics", "formulas", "formula_hits",
    ):
        failing = Failing(shards[0])
        failing.step = step
        federated = FederatedIndex([failing, shards[1]])
        found = federated.search_formulas("n", 5)
        assert [(one.name, one.reason) for one in found.missing] == [("few", f"{step} failed")]
        assert found.partial
        if step in ("collection", "formula_digests", "formula_collection"):  # what both have counts in the other one
            assert seen(found.hits) == alone
        failing.step = ""
        assert seen(federated.search_formulas("n", 5).hits) == seen(FederatedIndex(shards).search_formulas("n", 5).hits)
    failing.step = "formulas"
    with pytest.raises(ShardsMissing, match="few is missing: formulas failed"):
        federated.run_formulas([Query("q", {"formula": Content.of(Formula("n"))})])


def test_marks_are_learnt_again_where_a_shard_has_forgotten_them(sample_shards: list[Path]) -> None:
    opened = [IndexShard(path.stem, open_index(path)) for path in sample_shards]
    together = FederatedIndex(opened)
    expected = seen(together.search_formulas("x^2", 5).hits)
    opened[1].formulas._counting = Memory(1)
    assert seen(together.search_formulas("x^2", 5).hits) == expected
    sent = []

    class Listening(Wrapped):
        def formula_collection(self, request: FormulaCollectionRequest) -> FormulaCollection:
            sent.append(request)
            return self.shard.ask(request)

    once = FederatedIndex([opened[0], Listening(opened[1])])
    assert seen(once.search_formulas("x^2", 5).hits) == expected
    assert seen(once.search_formulas("y", 5).hits)
    assert len(sent) == 1  # of the same commits they are sent once
    for wrong, message in (
        ({"generation": 9}, "at commit 1, not 9"), ({"first": 3}, "cannot begin at 3"),
        ({"counting": "other"}, "are not those of their name"), ({"marks": "?"}, "not bytes in base64"),
    ):
        with pytest.raises(QueryError, match=message):
            opened[1].ask(replace(sent[0], **wrong))  # type: ignore[arg-type]
    with pytest.raises(StaleCommit, match="not known here any more"):
        opened[1].ask(FormulaStatisticsRequest(1, "unknown", (Formula("x"),)))


def test_marks_come_in_parts(shards: list[IndexShard], monkeypatch: pytest.MonkeyPatch) -> None:
    from porism.serve.shards import formula_counting, formula_shard

    expected = seen(FederatedIndex(shards).search_formulas("x^2", 5).hits)
    monkeypatch.setattr(formula_counting, "MARKS_BATCH_SIZE", 64)
    monkeypatch.setattr(formula_shard, "DIGESTS_BATCH_SIZE", 100)
    fresh = [IndexShard(one.name, one.index) for one in shards]
    assert seen(FederatedIndex(fresh).search_formulas("x^2", 5).hits) == expected


def test_values_of_formulas_that_are_not_valid_are_refused(shards: list[IndexShard]) -> None:
    good = FoundPart(("a", "b"), (2.0, 1.0), (3.0, 1.0), 2, -1, (SupplementaryHits((0,), (1.0,)),), ("a", "b"))
    for wrong in (
        {"scores": (1.0,)}, {"whole": ()}, {"sources": ("a",)}, {"first": 3}, {"itself": 2}, {"itself": -2},
        *({"lists": (SupplementaryHits(*listed),)} for listed in (((2,), (1.0,)), ((0,), ()), ((-1,), (1.0,)))),
    ):
        with pytest.raises(ValueError, match="the columns of formulas have different lengths"):
            replace(good, **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a score is not a finite number"):
        replace(good, whole=(float("nan"), 1.0))
    with pytest.raises(QueryError, match="the digests are not valid"):
        FormulaDigests(1, 1, "AAAA").array()
    with pytest.raises(QueryError, match="digests cannot begin at -1"):
        shards[0].ask(FormulaDigestsRequest(1, -1))
    formulas = FormulaShard(shards[0].index)
    count = formulas.formula_digests(FormulaDigestsRequest(1)).count
    assert count == sum(int(one.live.sum()) for one in formulas._units)


@settings(max_examples=8 if LONG else 2, deadline=None)
@given(st.data())
def test_any_split_of_formulas_gives_the_same(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("split")
    formula = st.sampled_from(["x^2 + 1", "1 + x^2", "y^2+1", "a+b", r"\int f", r"\frac{1}{x}+1", r"\frac{1+x}{x}"])
    texts = data.draw(st.lists(st.lists(formula, min_size=0, max_size=3), min_size=3, max_size=10))
    documents = [
        Document(f"d{number}", {"body": Content.of("limit ", *map(Formula, formulas))})
        for number, formulas in enumerate(texts)
    ]
    homes = data.draw(st.lists(st.integers(0, 1), min_size=len(documents), max_size=len(documents)))
    index_documents(documents, folder / "whole", jobs=1)
    together = FederatedIndex(split_shards(folder, documents, homes))
    with open_index(folder / "whole") as whole:
        for asked in ("x^2+1", "n", "a+b", Content.of("limit ", Formula(r"1+\frac{1}{x}"))):
            try:
                expected: list[FormulaHit] = whole.search_formulas(asked, 8)
            except ConfigError:
                continue  # no document has a formula
            assert nearly(together.search_formulas(asked, 8).hits) == nearly(expected)
