"""Sums of models rank the documents of several shards as those of one index."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("torch", reason="needs the extra: pip install 'porism[neural]'")

from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG
from shard_cases import Wrapped
from tiny_models import TEXTS, save_encoder

from porism.errors import ConfigError, PorismError, QueryError
from porism.search.answers import Answer, Hit
from porism.search.index import Index, open_index
from porism.search.models.models import model_from
from porism.search.models.sums.retriever import SumModel
from porism.search.questions import Question, make_query
from porism.search.sources.indexing import index_documents
from porism.serve.shards.federated import FederatedIndex, ShardsMissing
from porism.serve.shards.requests import (
    CollectionRequest,
    Request,
    ScoresRequest,
    StaleCommit,
    StatisticsRequest,
)
from porism.serve.shards.shard import IndexShard, check_model
from porism.serve.shards.values import ShardQuestion, ShardScores
from porism.types import Content, Document, Formula, Query
from porism.vectors.dense.encoding import DENSE_ENCODING

QUESTION = "series converges limit $x^2 + 1$"


def sum_of(parts: dict[str, Any], **given: Any) -> SumModel:
    model = model_from({"kind": "sum", "parts": parts, **given})
    assert isinstance(model, SumModel)
    return model


MODELS = {
    "neural": sum_of({"default": {"weight": 0.5}, "dense": {"weight": 0.5}}),
    "shallow": sum_of({"default": {"weight": 2.0}, "dense": {}}, normalisation="z-score", depth=4),
    "terms": sum_of({"words": {"weight": 0.3}, "default": {"weight": 0.7}}, normalisation="max", depth=9),
    "as they are": sum_of({"dense": {}, "off": {"weight": 0.0, "model": "words"}}, normalisation="none", depth=6),
}


def document(number: int) -> Document:
    """A document of a thread, which names others; of the words of the tiny encoder, every fourth with a formula."""
    words = [word for text in TEXTS for word in text.replace("$", "").split()]
    text = " ".join(words[(number * 7 + place * (number % 5 + 1)) % len(words)] for place in range(9))
    formula = Formula("1 + x^2" if number % 4 == 0 else f"y_{number}")
    return Document(f"d{number:02}", {"body": Content.of(f"{text} ", formula)}, {
        "question_id": str(number // 2), "linked": (str((number * 3) % 11), "40"), "tenth": str(number % 10),
    })


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(save_encoder(tmp_path_factory.mktemp("encoder") / "tiny"))


def written(folder: Path, encoder: Path, parts: list[list[Document]]) -> list[Path]:
    """Indexes of parts of a collection, encoded by one model."""
    paths = []
    for number, part in enumerate(parts):
        paths.append(folder / f"i{number}")
        index_documents(part, paths[-1], jobs=1)
        DENSE_ENCODING.encode(paths[-1], encoder, device="cpu")
    return paths


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory, encoder: Path) -> list[Path]:
    documents = [document(number) for number in range(30)]
    return written(tmp_path_factory.mktemp("sums"), encoder, [documents[::3], documents[1::3], documents[2::3]])


@pytest.fixture(scope="module")
def joint(paths: list[Path]) -> Iterator[Index]:
    """All as one; vectors that were encoded in other batches would differ in their last bits."""
    with open_index(paths, MODELS["neural"]) as index:
        yield index


@pytest.fixture(scope="module")
def together(paths: list[Path]) -> FederatedIndex:
    return opened(paths, MODELS["neural"])


def opened(paths: list[Path], model: SumModel) -> FederatedIndex:
    return FederatedIndex([IndexShard(path.name, open_index(path, model)) for path in paths])


def seen(found: Answer[Hit]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in found.hits]


def topics(joint: Index) -> list[Query]:
    asked = (*TEXTS[:4], QUESTION, "limit", "$1 + x^2$")
    return [Query(str(number), joint.question(text).query.fields) for number, text in enumerate(asked)]


@every_case("name", MODELS)
def test_runs_are_those_of_one_index(name: str, joint: Index, paths: list[Path]) -> None:
    one, several = joint.with_models(MODELS[name]), opened(paths, MODELS[name])
    for k in (3, 12, 100):
        expected, found = one.run(topics(joint), k), several.run(topics(joint), k)
        for query in topics(joint):
            assert list(found[query.id]) == list(expected[query.id]), (k, query.id)
    assert found.provenance is not None
    assert found.provenance.made_by["model"] == MODELS[name].to_dict()


def test_links_of_candidates_of_other_parts_count(joint: Index, paths: list[Path]) -> None:
    without = sum_of({
        "default": {"weight": 0.5, "settings": {"links": {"weight": 0.0}}}, "dense": {"weight": 0.5},
    })
    plain = opened(paths, without).run(topics(joint), 30)
    found = opened(paths, MODELS["neural"]).run(topics(joint), 30)
    assert any(list(plain[query.id]) != list(found[query.id]) for query in topics(joint))


def test_answers_filters_and_pages_are_those_of_one_index(joint: Index, together: FederatedIndex) -> None:
    for filters in (None, {"tenth": ["3", "4", "8"]}):
        expected = joint.search(QUESTION, 7, filters=filters)
        found = together.search(QUESTION, 7, filters=filters)
        assert seen(found) == [(hit.id, hit.score) for hit in expected]
        assert all(str(hit.snippet) and str(hit.title) for hit in found.hits)
        assert not found.partial
    assert seen(together.search(QUESTION, 3, first=4, depth=30)) == seen(together.search(QUESTION, 30))[4:7]


def test_explanations_add_up_and_show_each_part(joint: Index, together: FederatedIndex) -> None:
    hits = together.search(QUESTION, 6, explain=True).hits
    assert len(hits) == 6
    for hit in hits:
        assert hit.explanation is not None
        expected = joint.explain(QUESTION, hit.id, k=6)
        assert hit.explanation.value == pytest.approx(hit.score) == pytest.approx(expected.value)
        assert [part.label for part in hit.explanation.parts] == [part.label for part in expected.parts]
        for part in hit.explanation.parts:
            assert sum(one.value for one in part.parts) == pytest.approx(part.value)


class Failing(Wrapped):
    """A shard that does not answer one step of one part, after so many ``good`` answers to it."""

    def __init__(
        self, shard: Any, step: str, part: str, error: PorismError | None = None, times: int = 99, good: int = 0
    ) -> None:
        super().__init__(shard)
        self.step, self.part, self.times, self.good = step, part, times, good
        self.error = error or PorismError(f"{step} of {part} failed")

    def ask(self, request: Request[Any]) -> Any:
        if (request.step, getattr(request, "part", "")) == (self.step, self.part) and self.times:
            if self.good:
                self.good -= 1
            else:
                self.times -= 1
                raise self.error
        return super().ask(request)


STEPS = [
    ("collection", "default"), ("collection", "dense"), ("statistics", "default"), ("candidates", "default"),
    ("links", "default"), ("candidates", "dense"), ("scores", "default"), ("scores", "dense"),
]


@every_case(("step", "part"), STEPS)
def test_a_shard_that_is_lost_counts_for_nothing(step: str, part: str, together: FederatedIndex) -> None:
    first, second, third = together.shards
    alone = seen(FederatedIndex([first, third]).search(QUESTION, 9))
    lost = FederatedIndex([first, Failing(second, step, part), third])
    found = lost.search(QUESTION, 9)
    assert [(one.name, one.reason) for one in found.missing] == [(second.name, f"{step} of {part} failed")]
    assert seen(found) == alone
    assert alone != seen(together.search(QUESTION, 9))
    with pytest.raises(ShardsMissing, match=f"{second.name} is missing"):
        lost.run([Query("q", {"query": Content("limit")})])


def test_a_shard_that_is_lost_between_scores_and_their_links_counts_for_nothing(together: FederatedIndex) -> None:
    first, second, third = together.shards
    asked = Failing(second, "links", "default", good=99)
    FederatedIndex([first, asked, third]).search(QUESTION, 9)
    alone = seen(FederatedIndex([first, third]).search(QUESTION, 9))
    assert 99 - asked.good == 4  # links and threads that are there, of the candidates of one part and of both
    for good in range(4):
        found = FederatedIndex([first, Failing(second, "links", "default", good=good), third]).search(QUESTION, 9)
        assert found.partial
        assert seen(found) == alone, good


def test_a_shard_that_is_lost_while_it_explains_shows_no_explanation(together: FederatedIndex) -> None:
    first, second, third = together.shards
    found = FederatedIndex([first, Failing(second, "hits", "dense"), third]).search(QUESTION, 9, explain=True)
    assert seen(found) == seen(together.search(QUESTION, 9))
    assert [one.name for one in found.missing] == [second.name]
    told = {hit.id: hit.explanation is not None for hit in found.hits}
    assert told == {hit.id: hit.id not in ids_of(second) for hit in found.hits}


def ids_of(shard: Any) -> set[str]:
    return {hit.id for hit in FederatedIndex([shard]).search(QUESTION, 40).hits}


@every_case(("step", "part"), [*STEPS[2:], ("hits", "")])
def test_a_commit_between_the_steps_begins_again(step: str, part: str, together: FederatedIndex) -> None:
    first, second, third = together.shards
    moving = Failing(second, step, part, StaleCommit("the index is at commit 9, not 1"), times=1)
    federated = FederatedIndex([first, moving, third])
    assert seen(federated.search(QUESTION, 9)) == seen(together.search(QUESTION, 9))
    assert not moving.times
    assert federated.group.moves == 1


def test_a_commit_between_the_parts_begins_again(tmp_path: Path, encoder: Path) -> None:
    """A shard that is reopened after one part has searched it is searched again by both."""
    old, more = [document(number) for number in range(8)], [document(number) for number in range(8, 14)]
    [path, other] = written(tmp_path, encoder, [old, [document(20), document(21)]])
    before = IndexShard("i0", open_index(path, "neural"))
    index_documents(more, path, jobs=1)
    DENSE_ENCODING.encode(path, encoder, device="cpu")
    after, beside = IndexShard("i0", open_index(path, "neural")), IndexShard("i1", open_index(other, "neural"))

    class Reopened(Wrapped):
        def statistics(self, request: StatisticsRequest) -> Any:
            if request.part == "dense":
                self.shard = after
            return self.shard.ask(request)

    found = FederatedIndex([Reopened(before), beside]).search(QUESTION, 20)
    assert seen(found) == seen(FederatedIndex([after, beside]).search(QUESTION, 20))
    assert {hit.id for hit in found.hits} & {one.id for one in more}


@every_case("forgotten", ["parts", "shards of parts", "shards"])
def test_a_search_begins_again_where_another_one_has_found_a_newer_commit(
    forgotten: str, together: FederatedIndex
) -> None:
    group = FederatedIndex(together.shards).group
    times = []

    def work(calls: Any) -> Any:
        times.append(1)
        if len(times) == 1 and forgotten == "shards":
            group.collections = dict(list(group.collections.items())[1:])
        elif len(times) == 1 and forgotten == "parts":
            group.parts = {}
        elif len(times) == 1:
            group.parts = {name: part._replace(collections={}) for name, part in group.parts.items()}
        return group.rank(ShardQuestion(Question(make_query("limit"))), 9, calls)

    found = [(one.shown_id, one.score) for one in group.ask(work).ranked]
    assert found == list(together.run([Query("q", {"query": Content("limit")})], 9)["q"])
    assert len(times) == 2


def test_scores_that_are_not_of_all_documents_show(together: FederatedIndex) -> None:
    class Wrong(Wrapped):
        what = ""

        def scores(self, request: ScoresRequest) -> ShardScores:
            found = self.shard.ask(request)
            if self.what == "threads":
                return replace(found, threads=())
            if self.what == "fewer":
                return replace(found, scores=found.scores[1:], threads=())
            return found

    wrong = Wrong(together.shards[0])
    federated = FederatedIndex([wrong, *together.shards[1:]])
    assert seen(federated.search(QUESTION, 9)) == seen(together.search(QUESTION, 9))
    wrong.what = "threads"
    assert seen(federated.search(QUESTION, 9)) != seen(together.search(QUESTION, 9))
    wrong.what = "fewer"
    found = federated.search(QUESTION, 9)
    assert [one.reason for one in found.missing] == ["it has scored other documents than it was asked about"]
    assert seen(found) == seen(FederatedIndex(together.shards[1:]).search(QUESTION, 9))
    for scores, threads in (((float("inf"),), ()), ((1.0,), ("a", "b"))):
        with pytest.raises(ValueError, match="scores are finite numbers"):
            ShardScores(1, scores, threads)


def test_sums_that_cannot_be_searched_are_refused(together: FederatedIndex, paths: list[Path]) -> None:
    for parts, reason in (
        ({"default": {"settings": {"feedback": {"weight": 0.2}}}, "dense": {}}, "its part default learns"),
        ({"neural": {}, "words": {}}, "its part neural is a sum, too"),
        ({"alignment": {}, "words": {}}, "it is not a sum over terms"),
    ):
        with pytest.raises(ConfigError, match=reason):
            check_model(sum_of(parts))
    with pytest.raises(ConfigError, match="the model does not learn from judged documents"):
        together.search(QUESTION, relevant=["d00"])
    shard = together.shards[0]
    with pytest.raises(QueryError, match="has no part 'none'"):
        shard.ask(CollectionRequest(part="none"))
    question = ShardQuestion(Question(make_query("limit")))
    with pytest.raises(ConfigError, match="does not answer the step statistics"):
        shard.ask(StatisticsRequest(question))
    asked: list[ScoresRequest] = []

    class Listening(Wrapped):
        def scores(self, request: ScoresRequest) -> ShardScores:
            asked.append(request)
            return self.shard.ask(request)

    FederatedIndex([Listening(shard)]).search("limit", 1)
    assert [one.part for one in asked] == ["default", "dense"]
    for one in asked:
        with pytest.raises(QueryError, match=r"no document 'none'|lacks a document"):
            shard.ask(replace(one, ids=("none",)))
    other = IndexShard("other", open_index(paths[1], MODELS["terms"]))
    with pytest.raises(ConfigError, match="other: is searched by another model than i0"):
        FederatedIndex([shard, other]).search("limit")


@settings(max_examples=12 if LONG else 2, deadline=None)
@given(st.data())
def test_any_split_of_any_collection_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, encoder: Path, data: st.DataObject
) -> None:
    documents = [document(number) for number in data.draw(st.lists(st.integers(0, 29), min_size=3, unique=True))]
    homes = data.draw(st.lists(st.integers(0, 1), min_size=len(documents), max_size=len(documents)))
    parts = [[one for one, home in zip(documents, homes, strict=True) if home == place] for place in range(2)]
    paths = written(tmp_path_factory.mktemp("split"), encoder, [part for part in parts if part])
    model = data.draw(st.sampled_from(list(MODELS.values())))
    with open_index(paths, model) as whole:
        asked = topics(whole)
        expected, found = whole.run(asked, 9), opened(paths, model).run(asked, 9)
        for query in asked:
            assert list(found[query.id]) == list(expected[query.id])
