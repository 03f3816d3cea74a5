"""Shards that exchange their statistics answer as one index of all their documents; missing ones are named."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG

from porism.corpus import read_topics
from porism.errors import ConfigError, PorismError, QueryError
from porism.retrieve import SearchModel
from porism.retrieve.models import known_models, model_from, read_model
from porism.sample import sample_path
from porism.search.answering import answer
from porism.search.index import Index, open_index
from porism.search.shards import merging
from porism.search.shards.federated import FederatedIndex, ShardsMissing
from porism.search.shards.shard import IndexShard, Moved, Shard, check_model
from porism.search.shards.values import (
    ChannelLengths,
    ShardCandidates,
    ShardCollection,
    ShardLinks,
    ShardQuestion,
    ShardStatistics,
    WholeStatistics,
)
from porism.search.sources.indexing import index_documents
from porism.search.sources.updating import index_sources
from porism.types import Content, Document, Formula, Query


class Wrapped:
    """A shard that says what another one does; tests change a step."""

    def __init__(self, shard: Shard, name: str = "") -> None:
        self.shard, self.name = shard, name or shard.name

    def collection(self) -> ShardCollection:
        return self.shard.collection()

    def statistics(self, question: ShardQuestion) -> ShardStatistics:
        return self.shard.statistics(question)

    def candidates(
        self, question: ShardQuestion, statistics: WholeStatistics, depth: int, generation: int
    ) -> ShardCandidates:
        return self.shard.candidates(question, statistics, depth, generation)

    def links(self, threads: Sequence[str], asked: Sequence[str], generation: int) -> ShardLinks:
        return self.shard.links(threads, asked, generation)

    def hits(self, *asked: Any) -> Any:
        return self.shard.hits(*asked)


@pytest.fixture(scope="module")
def whole(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index) as index:
        yield index


@pytest.fixture(scope="module")
def shards(sample_shards: list[Path]) -> list[IndexShard]:
    return [IndexShard(path.stem, open_index(path)) for path in sample_shards]


@pytest.fixture(scope="module")
def topics() -> list[Query]:
    return list(read_topics(sample_path("queries.jsonl")))[::12]


def test_every_model_that_can_gives_the_ids_and_scores_of_one_index(
    whole: Index, sample_shards: list[Path], topics: list[Query]
) -> None:
    compared = []
    for name, model in known_models().items():
        try:
            check_model(model)
            one = whole.with_models(name)
        except ConfigError:
            continue
        together = FederatedIndex([IndexShard(path.stem, open_index(path, name)) for path in sample_shards])
        expected, found = one.run(topics, 200), together.run(topics, 200)
        for query in topics:
            assert list(found[query.id]) == list(expected[query.id]), (name, query.id)
        compared.append(name)
    assert {"default", "plain", "words", "tokens", "paths", "subtrees"} <= set(compared)


@pytest.mark.parametrize("question", [
    r"why does $\sum 1/n^2$ converge?", "definition of a compact set", r"title:theorem $x^2 + y^2$", '"mean value"',
    "tags:topology continuous function",
])
def test_answers_are_those_of_one_index(whole: Index, shards: list[IndexShard], question: str) -> None:
    expected = answer(whole, question, 6, explain=True)
    found = FederatedIndex(shards).search(question, 6, explain=True)
    assert not found.partial
    assert expected.hits
    assert [(hit.rank, hit.id, hit.score, str(hit.title), str(hit.snippet)) for hit in found.hits] == [
        (hit.rank, hit.id, hit.score, str(hit.title), str(hit.snippet)) for hit in expected.hits
    ]
    for hit, other in zip(found.hits, expected.hits, strict=True):
        assert hit.explanation is not None
        assert hit.explanation.to_dict() == other.explanation.to_dict()  # type: ignore[union-attr]
        assert hit.location.line is not None
        assert hit.location.path is None
    assert found.restricted == expected.restricted
    assert json.dumps(found.to_dict())


def thread(number: int, *, linked: Sequence[int] = (), duplicates: Sequence[int] = ()) -> Document:
    words = " ".join(f"w{place}" for place in range(12) if (number * 7 + place) % 5 < 2)
    formula = Formula("x^2 + 1") if number % 5 == 0 else Formula(f"y_{number}")
    fields = {"title": Content(f"thread {number}"), "body": Content.of(f"limit {words} ", formula)}
    return Document(f"d{number}", fields, {
        "question_id": str(number // 2), "linked": tuple(map(str, linked)), "duplicates": tuple(map(str, duplicates)),
    })


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> tuple[Index, list[IndexShard]]:
    """Linked threads in one index, and in three that have parts of them; documents of some were deleted."""
    folder = tmp_path_factory.mktemp("threads")
    documents = [
        thread(number, linked=[(number * 3) % 17, 40] if number % 2 else [], duplicates=[(number + 5) % 12])
        for number in range(24)
    ]
    index_documents(documents, folder / "whole", jobs=1)
    parts = [documents[::3], documents[1::3], documents[2::3]]
    for number, part in enumerate(parts):
        index_documents(part, folder / str(number), jobs=1)
    return open_index(folder / "whole"), [IndexShard(f"s{n}", open_index(folder / str(n))) for n in range(3)]


QUESTIONS = ("limit w1 w2 w3", "limit w4 $1 + x^2$", "thread w7 w8 w9 w10 w11 limit")


def test_links_reach_from_one_shard_into_another(threads: tuple[Index, list[IndexShard]]) -> None:
    whole, shards = threads
    together = FederatedIndex(shards)
    plain = whole.with_models(replace(whole.retriever.model, links=replace(whole.retriever.model.links, weight=0.0)))  # type: ignore[type-var,attr-defined]
    for number, question in enumerate(QUESTIONS):
        query = Query(str(number), {"query": whole.question(question).query.content})
        expected = list(whole.run([query], 30)[query.id])
        assert list(together.run([query], 30)[query.id]) == expected
        assert expected != list(plain.run([query], 30)[query.id])  # links do matter here
        first = together.search(question, 3, explain=True).hits[0]
        assert first.explanation is not None
        assert first.explanation.value == first.score
        assert sum(part.value for part in first.explanation.parts) == pytest.approx(first.score)
        assert "links" in first.explanation.parts[-1].label


def test_a_statistic_that_is_not_added_up_shows(threads: tuple[Index, list[IndexShard]]) -> None:
    whole, shards = threads
    query = Query("q", {"query": whole.question(QUESTIONS[1]).query.content})
    expected = list(whole.run([query], 30)["q"])

    class Less(Wrapped):
        def __init__(self, shard: Shard, what: str) -> None:
            super().__init__(shard)
            self.what = what

        def collection(self) -> ShardCollection:
            found = super().collection()
            if self.what == "lengths":
                return replace(found, channels=tuple(replace(one, lengths=(), counts=()) for one in found.channels))
            return replace(found, documents=0) if self.what == "documents" else found

        def statistics(self, question: ShardQuestion) -> ShardStatistics:
            found = super().statistics(question)
            if self.what == "df":
                nothing = {name: dict.fromkeys(terms, 0) for name, terms in found.df.items()}
                return replace(found, df=nothing)
            return replace(found, holders=(0,)) if self.what == "holders" else found

        def candidates(self, *asked: Any) -> ShardCandidates:
            found = super().candidates(*asked)
            if self.what == "threads":
                return replace(found, threads=())
            return found

    for what in ("lengths", "df", "holders", "documents", "threads"):
        wrong = FederatedIndex([shards[0], shards[1], Less(shards[2], what)]).run([query], 30)
        assert [score for _, score in wrong["q"]] != [score for _, score in expected], what
    right = FederatedIndex([shards[0], shards[1], Less(shards[2], "")]).run([query], 30)
    assert list(right["q"]) == expected


def test_shared_ids_get_the_name_of_their_shard(tmp_path: Path) -> None:
    for name, text in (("a", "a group has an identity"), ("b", "a ring has an identity")):
        index_documents([Document("x", {"body": Content(text)}), Document(name, {"body": Content("field")})],
                        tmp_path / name, jobs=1)
    together = FederatedIndex([IndexShard(name, open_index(tmp_path / name)) for name in "ab"])
    hits = together.search("identity field").hits
    assert {hit.id for hit in hits} == {"a:x", "b:x", "a", "b"}
    assert {hit.id: str(hit.snippet) for hit in hits}["b:x"] == "a ring has an identity"
    assert len(together) == 4


def test_a_shard_that_fails_is_named_and_the_others_answer(shards: list[IndexShard], sample_shards: list[Path]) -> None:
    class Failing(Wrapped):
        def __init__(self, shard: Shard, step: str, seconds: float = 0.0) -> None:
            super().__init__(shard)
            self.step, self.seconds = step, seconds

        def fails(self, step: str) -> None:
            if step == self.step:
                time.sleep(self.seconds)
                raise PorismError(f"{step} failed")

        def collection(self) -> ShardCollection:
            self.fails("collection")
            return super().collection()

        def statistics(self, question: ShardQuestion) -> ShardStatistics:
            self.fails("statistics")
            return super().statistics(question)

        def candidates(self, *asked: Any) -> ShardCandidates:
            self.fails("candidates")
            return super().candidates(*asked)

        def hits(self, *asked: Any) -> Any:
            self.fails("hits")
            return super().hits(*asked)

    question = r"why does $\sum 1/n^2$ converge?"
    with open_index(sample_shards[0]) as few:
        alone = [(hit.id, hit.score) for hit in few.search(few.question(question, guess_formulas=True), 5)]
    all_ids = {hit.id for hit in FederatedIndex(shards).search(question, 400).hits}
    for step in ("collection", "statistics", "candidates", "hits"):
        found = FederatedIndex([shards[0], Failing(shards[1], step)]).search(question, 5)
        assert found.partial
        assert [(one.name, one.reason) for one in found.missing] == [("many", f"{step} failed")]
        assert found.to_dict()["missing"] == [{"name": "many", "reason": f"{step} failed"}]
        assert all(shards[0].index.snapshot.find(hit.id) for hit in found.hits)
        assert {hit.id for hit in found.hits} <= all_ids
        if step in ("collection", "statistics"):  # nothing of the other counts
            assert [(hit.id, hit.score) for hit in found.hits] == alone
    slow = FederatedIndex([shards[0], Failing(shards[1], "statistics", 30.0)], seconds=0.5)
    began = time.monotonic()
    found = slow.search(question, 5)
    assert time.monotonic() - began < 20
    assert [(one.name, one.reason) for one in found.missing] == [("many", "no answer within 0.5 s")]
    with pytest.raises(ShardsMissing, match="many is missing: candidates failed"):
        FederatedIndex([shards[0], Failing(shards[1], "candidates")]).run([Query("q", {"query": Content("sum")})])
    with pytest.raises(ShardsMissing, match="no index answers: many is missing: collection failed"):
        FederatedIndex([Failing(shards[1], "collection")]).search(question)

    class Broken(Wrapped):
        def statistics(self, question: ShardQuestion) -> ShardStatistics:
            raise ZeroDivisionError("a mistake of ours")

    with pytest.raises(ZeroDivisionError):  # is not hidden as a missing shard
        FederatedIndex([shards[0], Broken(shards[1])]).search(question)


def test_a_newer_commit_begins_the_search_again(shards: list[IndexShard], sample_shards: list[Path]) -> None:
    class Reopened(Wrapped):
        moves = 1

        def candidates(self, *asked: Any) -> ShardCandidates:
            if self.moves:
                self.moves -= 1
                raise Moved("the index is at commit 9, not 1")
            return super().candidates(*asked)

    moving = Reopened(shards[1])
    found = FederatedIndex([shards[0], moving]).search("continuous function", 4)
    assert moving.moves == 0
    assert found.hits == FederatedIndex(shards).search("continuous function", 4).hits
    moving.moves = 9
    with pytest.raises(Moved):
        FederatedIndex([shards[0], moving]).search("continuous function", 4)
    asked = ShardQuestion.of(shards[0].index.question("function"), {})
    statistics = merging.add_statistics(1, merging.channel_totals([shards[0].collection()]), [])
    with pytest.raises(Moved, match="is at commit 1, not 7"):
        shards[0].candidates(asked, statistics, 10, 7)


def test_shards_that_do_not_fit_are_refused_with_what_to_do(shards: list[IndexShard]) -> None:
    class Other(Wrapped):
        def __init__(self, shard: Shard) -> None:
            super().__init__(shard)
            self.changed: dict[str, Any] = {}

        def collection(self) -> ShardCollection:
            return replace(super().collection(), **self.changed)

    other = Other(shards[1])
    for changed, message in (
        ({"protocol": 2}, "many: speaks version 2 of the protocol of shards, and this is version 1"),
        ({"version": "0.0.9"}, "many: is served by Porism 0.0.9, and few by "),
        ({"model": {"kind": "search"}}, "many: is searched by another model than few"),
        ({"config": dict(shards[1].collection().config) | {"language": "german"}},
         "many: was indexed with language german, and few with english"),
    ):
        other.changed = changed
        with pytest.raises(ConfigError) as refused:
            FederatedIndex([shards[0], other]).search("function")
        assert message in str(refused.value)
        assert refused.value.hint
    with pytest.raises(ConfigError, match="different names"):
        FederatedIndex([shards[0], shards[0]])
    with pytest.raises(ConfigError, match="cannot answer in 0 seconds"):
        FederatedIndex(shards, seconds=0)


def test_models_whose_statistics_do_not_add_up_are_refused(sample_shards: list[Path]) -> None:
    default = read_model("default")
    assert isinstance(default, SearchModel)
    for changed, reason in (
        ({"feedback": {"weight": 0.2}}, "it learns from the documents found first"),
        ({"matches": {"weight": 1.0}}, "it aligns formulas"),
        ({"channels": {"words": {"weighting": "ltc.ltc"}}}, "the channel words stores its factors"),
        ({"channels": {"words": {"similarity": "near"}}}, "the channel words matches similar terms"),
        ({"channels": {"splade": {}}}, "the channel splade is that of an encoder"),
    ):
        with pytest.raises(ConfigError, match=reason):
            check_model(model_from(changed))
    with pytest.raises(ConfigError, match="it is no sum over terms"):
        IndexShard("x", open_index(sample_shards[0], "alignment"))


def test_questions_and_filters_that_cannot_be_asked(shards: list[IndexShard]) -> None:
    together = FederatedIndex(shards)
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        together.search("function", filters={"colour": "red"})
    with pytest.raises(QueryError, match="0 results cannot be found"):
        together.search("function", 0)
    with pytest.raises(QueryError, match="has no field"):
        together.search("nofield:function")
    with pytest.raises(QueryError, match="two queries have the same id"):
        together.run([Query("q", {}), Query("q", {})])
    assert list(together.run([Query("q", {})])["q"]) == []
    for broken in ({"query": {"text": "x"}}, {"query": {"text": "", "formulas": ["x"]}}, {"query": 7}):
        with pytest.raises(QueryError, match="cannot be read"):
            ShardQuestion(broken).read()
    with pytest.raises(QueryError, match="the question is empty"):
        ShardQuestion({}).read()
    read = shards[0].index.question(r'title:"mean value" $x^2$', guess_formulas=True)
    question = ShardQuestion.of(read, {"a": ("b",)})
    assert ShardQuestion.of(question.read(), question.filters) == question


def test_values_that_make_no_sense_are_refused() -> None:
    for values in (((1.0,), ()), ((0.0,), (1,)), ((1.0,), (0,)), ((float("nan"),), (1,))):
        with pytest.raises(ValueError, match="lengths and their counts"):
            ChannelLengths("", "words", *values)  # type: ignore[arg-type]
    for column in ("terms", "scores", "gains"):
        columns = {"ids": ("x",), "terms": (1.0,), "scores": (1.0,), "gain_ids": ("x",), "gains": (1.0,)}
        with pytest.raises(ValueError, match="a score is no finite number"):
            ShardCandidates(1, **(columns | {"allowed": (True,), column: (float("inf"),)}))  # type: ignore[arg-type]
    for wrong in ({"ids": ("x",)}, {"first": 1}, {"threads": ("t",)}, {"gains": (1.0,)}, {"allowed": (True,)}):
        with pytest.raises(ValueError, match="the columns of candidates have different lengths"):
            ShardCandidates(1, **wrong)  # type: ignore[arg-type]
    for documents, mean, df, holders in ((-1, 1.0, 1, 0), (1, 0.0, 1, 0), (1, 1.0, -1, 0), (1, 1.0, 1, -1)):
        with pytest.raises(QueryError, match="counts are numbers"):
            WholeStatistics(documents, (("", "words", 1, mean),), ShardStatistics({"words": {"x": df}}, (holders,)))


def test_candidates_are_chosen_by_hand() -> None:
    class Named(Wrapped):
        def __init__(self, name: str) -> None:
            self.name = name

    one, two = Named("one"), Named("two")
    found: dict[Shard, ShardCandidates] = {
        one: ShardCandidates(1, ("a", "b"), (3.0, 1.0), (3.5, 1.0), 2, (), ("b",), (0.5,), (True,)),
        two: ShardCandidates(
            1, ("a", "c"), (2.0, 0.5), (2.0, 9.0), 1, ("t", None), ("c", "d"), (0.7, 0.9), (True, False)
        ),
    }
    assert merging.choose(found, 2).shown_ids == ["one:a", "b", "two:a", "c"]
    assert merging.choose({one: replace(found[one], gain_ids=(), gains=(), allowed=())}, 1).shown_ids == ["a"]
    ranked = merging.best(merging.choose(found, 1), 3, {"t": 5.0})
    assert [(place.shard, place.shown_id, place.id, place.score) for place in ranked] == [
        (two, "c", "c", 9.0), (one, "one:a", "a", 3.5), (one, "b", "b", 1.0),
    ]
    everything = merging.best(merging.choose(found, 4), 2, {"t": 5.0})
    assert [(place.shown_id, place.score, place.links) for place in everything] == [
        ("c", 9.0, 0.0), ("two:a", 7.0, 5.0),
    ]
    assert merging.thread_scores(merging.choose(found, 4)) == {"t": 2.0}


def test_of_equal_candidates_the_largest_ids_come_first() -> None:
    class Named(Wrapped):
        def __init__(self, name: str) -> None:
            self.name = name

    found: dict[Shard, ShardCandidates] = {
        Named("one"): ShardCandidates(1, ("d", "a", "e"), (2.0, 1.0, 1.0), (2.0, 1.0, 1.0), 3),
        Named("two"): ShardCandidates(1, ("c", "b"), (1.0, 1.0), (1.0, 1.0), 2),
    }
    assert merging.choose(found, 3).shown_ids == ["d", "e", "c"]
    assert [place.id for place in merging.best(merging.choose(found, 5), 4, {})] == ["d", "e", "c", "b"]


def test_an_empty_shard_changes_nothing(tmp_path: Path, shards: list[IndexShard]) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "gone", "body": "a function"}\n', encoding="utf-8")
    index_sources([tmp_path / "one.jsonl"], tmp_path / "empty", jobs=1)
    (tmp_path / "one.jsonl").write_text("\n", encoding="utf-8")
    from porism.index import IndexWriter

    with IndexWriter(tmp_path / "empty") as writer:
        writer.delete(["gone"])
    empty = IndexShard("empty", open_index(tmp_path / "empty"))
    assert len(empty.index) == 0
    expected, found = FederatedIndex(shards), FederatedIndex([*shards, empty])
    for question in ("continuous function", r"$\sum 1/n^2$"):
        assert found.search(question, 5).hits == expected.search(question, 5).hits


@settings(max_examples=40 if LONG else 2)
@given(st.data())
def test_any_split_of_any_collection_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("split")
    word = st.sampled_from("limit sum set group field ring map".split())
    words = st.lists(word, min_size=1, max_size=8).map(" ".join)
    formulas = st.sampled_from(["x^2 + 1", "1 + x^2", "a+b", r"\int f", "n"])
    texts = data.draw(st.lists(st.tuples(words, words, formulas), min_size=3, max_size=14))
    documents = [
        Document(f"d{number}", {"title": Content(title), "body": Content.of(f"{body} ", Formula(formula))},
                 {"question_id": str(number // 2), "linked": (str(number // 3),)})
        for number, (title, body, formula) in enumerate(texts)
    ]
    homes = data.draw(st.lists(st.integers(0, 1), min_size=len(documents), max_size=len(documents)))
    parts = [[one for one, home in zip(documents, homes, strict=True) if home == place] for place in range(2)]
    index_documents(documents, folder / "whole", jobs=1)
    shards = []
    for place, part in enumerate(parts):
        if part:
            index_documents(part, folder / str(place), jobs=1)
            shards.append(IndexShard(str(place), open_index(folder / str(place))))
    together = FederatedIndex(shards)
    with open_index(folder / "whole") as whole:
        asked = ("limit of a sum", "definition of a group $1 + x^2$", "$a+b$ field ring map set sum")
        for number, question in enumerate(asked):
            query = Query(str(number), {"query": whole.question(question).query.content})
            assert list(together.run([query], 20)[query.id]) == list(whole.run([query], 20)[query.id])
