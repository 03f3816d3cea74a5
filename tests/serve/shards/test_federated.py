"""Shards that exchange their statistics answer as one index of all their documents; missing ones are named."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pydantic
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG
from shard_cases import Wrapped, split_shards

from porism.analysis.configuration import AnalysisConfig
from porism.corpus import read_topics
from porism.errors import ConfigError, QueryError
from porism.retrieve import SearchModel
from porism.sample import sample_path
from porism.search.answering import IndexAnswers
from porism.search.index import Index, open_index
from porism.search.models.models import known_models, model_from, read_model
from porism.search.questions import Question
from porism.search.sources.indexing import index_documents
from porism.search.sources.updating import index_sources
from porism.serve.shards.federated import FederatedIndex, ShardsMissing
from porism.serve.shards.requests import CandidatesRequest, CollectionRequest, Shard, StatisticsRequest
from porism.serve.shards.shard import IndexShard, check_model
from porism.serve.shards.values import ShardCandidates, ShardCollection, ShardQuestion, ShardStatistics
from porism.types import Content, Document, Formula, Query


@pytest.fixture(scope="module")
def topics() -> list[Query]:
    return list(read_topics(sample_path("queries.jsonl")))[4::12]


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


@every_case("question", [
    r"why does $\sum 1/n^2$ converge?", "definition of a compact set", r"title:theorem $x^2 + y^2$", '"mean value"',
    "tags:topology continuous function", r"value $\sin 0 + 12345 = q$",
])
def test_answers_are_those_of_one_index(whole: Index, shards: list[IndexShard], question: str) -> None:
    expected = IndexAnswers(whole).search(question, 6, explain=True)
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

        def collection(self, request: CollectionRequest) -> ShardCollection:
            found = self.shard.ask(request)
            if self.what == "lengths":
                return replace(found, channels=tuple(replace(one, lengths=(), counts=()) for one in found.channels))
            return replace(found, documents=0) if self.what == "documents" else found

        def statistics(self, request: StatisticsRequest) -> ShardStatistics:
            found = self.shard.ask(request)
            if self.what == "df":
                nothing = {name: dict.fromkeys(terms, 0) for name, terms in found.df.items()}
                return replace(found, df=nothing)
            return replace(found, holders=(0,)) if self.what == "holders" else found

        def candidates(self, request: CandidatesRequest) -> ShardCandidates:
            found = self.shard.ask(request)
            if self.what == "threads":
                return replace(found, threads=())
            return found

    for what in ("df", "holders", "threads"):
        wrong = FederatedIndex([shards[0], shards[1], Less(shards[2], what)]).run([query], 30)
        assert [score for _, score in wrong["q"]] != [score for _, score in expected], what
    for what in ("lengths", "documents"):  # counts that cannot be
        with pytest.raises(ShardsMissing, match="s2 is missing: a c"):
            FederatedIndex([shards[0], shards[1], Less(shards[2], what)]).run([query], 30)
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


def test_models_whose_statistics_do_not_add_up_are_refused(sample_shards: list[Path]) -> None:
    default = read_model("default")
    assert isinstance(default, SearchModel)
    for changed, reason in (
        ({"matches": {"weight": 1.0}}, "it aligns formulas"),
        ({"channels": {"words": {"weighting": "ltc.ltc"}}}, "the channel words stores its factors"),
        ({"channels": {"words": {"similarity": "near"}}}, "the channel words matches similar terms"),
    ):
        with pytest.raises(ConfigError, match=reason):
            check_model(model_from(changed))
    with pytest.raises(ConfigError, match="it is not a sum over terms"):
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
    with pytest.raises(QueryError, match="the question is empty"):
        ShardQuestion(Question(Query("q", {}))).read()
    question = ShardQuestion(shards[0].index.question(r'title:"mean value" $x^2$', guess_formulas=True), {"german": 3})
    assert question.read() == question.question
    assert question.read().query is not question.read().query  # what retrievers keep of a query is of one search
    adapter = pydantic.TypeAdapter(ShardQuestion)
    assert adapter.validate_json(adapter.dump_json(question)) == question
    for broken in ({"text": "", "formulas": [{"source": "x"}]}, {"text": 7}):
        fields = {"query": {"id": "q", "fields": {"query": broken}}}
        with pytest.raises(ValueError, match="1 validation error"):
            adapter.validate_python({"question": fields})


def test_an_empty_shard_changes_nothing(tmp_path: Path, shards: list[IndexShard]) -> None:
    (tmp_path / "one.jsonl").write_text('{"id": "gone", "body": "a function"}\n', encoding="utf-8")
    config = AnalysisConfig.named(["default", "tangent-l"])
    index_sources([tmp_path / "one.jsonl"], tmp_path / "empty", config=config, jobs=1)
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
    index_documents(documents, folder / "whole", jobs=1)
    together = FederatedIndex(split_shards(folder, documents, homes))
    with open_index(folder / "whole") as whole:
        asked = ("limit of a sum", "definition of a group $1 + x^2$", "$a+b$ field ring map set sum")
        for number, question in enumerate(asked):
            query = Query(str(number), {"query": whole.question(question).query.content})
            assert list(together.run([query], 20)[query.id]) == list(whole.run([query], 20)[query.id])
