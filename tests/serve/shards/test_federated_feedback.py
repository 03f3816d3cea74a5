"""Questions learn from documents of several shards what they would learn from one index of all of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import LONG
from shard_cases import Wrapped, split_shards

from porism.corpus import read_topics
from porism.errors import ConfigError, PorismError, QueryError
from porism.retrieve import SearchModel
from porism.sample import sample_path
from porism.search.answering import IndexAnswers
from porism.search.answers import Answer, Hit
from porism.search.index import Index, open_index
from porism.search.models.models import model_from
from porism.search.sources.indexing import index_documents
from porism.serve.shards.federated import FederatedIndex, ShardsMissing
from porism.serve.shards.requests import (
    CandidatesRequest,
    DocumentTermsRequest,
    FrequenciesRequest,
    HitsRequest,
    Request,
    StaleCommit,
)
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.values import (
    ShardCandidates,
    ShardFrequencies,
    ShardTerms,
    TermsOfChannel,
)
from porism.types import Content, Document, Formula, Query

METHODS: dict[str, dict[str, Any]] = {
    "score-weighted": {"weight": 0.3, "documents": 5, "terms": 20},
    "exponential": {"method": "rm3", "prior": "exponential", "documents": 4, "terms": 15, "min_df": 2, "max_df": 0.2},
    "rm3": {"method": "rm3", "documents": 10, "terms": 10, "original_weight": 0.4},
    "words alone": {"method": "rm3", "channels": ["words"], "documents": 3},
    "rocchio": {"method": "rocchio", "documents": 6, "alpha": 0.8, "non_relevant": 7, "gamma": 0.4, "depth": 60},
}


def learning(feedback: dict[str, Any]) -> SearchModel:
    model = model_from({"model": "default", "feedback": feedback})
    assert isinstance(model, SearchModel)
    return model


def opened(paths: list[Path], model: SearchModel) -> list[IndexShard]:
    return [IndexShard(path.stem, open_index(path, model)) for path in paths]


def seen(found: Answer[Hit]) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in found.hits]


@pytest.fixture(scope="module")
def model() -> SearchModel:
    return learning(METHODS["rocchio"])


@pytest.fixture(scope="module")
def together(sample_shards: list[Path], model: SearchModel) -> FederatedIndex:
    return FederatedIndex(opened(sample_shards, model))


@every_case("method", METHODS if LONG else ["rm3"])
def test_runs_by_every_method_are_those_of_one_index(method: str, whole: Index, sample_shards: list[Path]) -> None:
    model = learning(METHODS[method])
    topics = list(read_topics(sample_path("queries.jsonl")))[::11]
    one, plain = whole.with_models(model), whole.with_models(learning({"weight": 0.0}))
    expected, unlearnt = one.run(topics, 100), plain.run(topics, 100)
    found = FederatedIndex(opened(sample_shards, model)).run(topics, 100)
    for query in topics:
        assert list(found[query.id]) == list(expected[query.id]), query.id
    assert any(list(expected[query.id]) != list(unlearnt[query.id]) for query in topics)


def test_answers_and_explanations_are_those_of_one_index(
    whole: Index, together: FederatedIndex, model: SearchModel
) -> None:
    for question in (r"why does $\sum 1/n^2$ converge?", "tags:topology continuous function"):
        expected = IndexAnswers(whole.with_models(model)).search(question, 6, explain=True)
        found = together.search(question, 6, explain=True)
        assert [(hit.id, hit.score, str(hit.snippet)) for hit in found.hits] == [
            (hit.id, hit.score, str(hit.snippet)) for hit in expected.hits
        ]
        assert [str(hit.explanation) for hit in found.hits] == [str(hit.explanation) for hit in expected.hits]
        assert "feedback" in str(found.hits[0].explanation)
    later = together.search("continuous function", 3, first=4)
    assert seen(later) == seen(together.search("continuous function", 7))[4:]


JUDGED = (
    {"relevant": ["basel-by-parseval"]}, {"relevant": ["harmonic-series-diverges", "basel-by-parseval"]},
    {"relevant": ["basel-by-parseval"], "not_relevant": ["harmonic-series-diverges"]},
    {"not_relevant": ["basel-by-parseval"]},
)


@every_case("judged", JUDGED if LONG else JUDGED[2:])
@every_case("feedback", [METHODS["rocchio"], METHODS["rm3"], {"weight": 0.0}] if LONG else [METHODS["rocchio"]])
def test_judged_documents_are_learnt_from_wherever_they_are(
    judged: dict[str, list[str]], feedback: dict[str, Any], whole: Index, sample_shards: list[Path]
) -> None:
    model = learning(feedback)
    one, several = whole.with_models(model), FederatedIndex(opened(sample_shards, model))
    question = "sum of reciprocal squares $\\sum 1/n^2$"
    if feedback is METHODS["rm3"] and "not_relevant" in judged:
        with pytest.raises(ConfigError, match="RM3 learns nothing from documents that are not relevant"):
            several.search(question, **judged)  # type: ignore[arg-type]
        return
    expected = IndexAnswers(one).search(question, 8, explain=True, **judged)  # type: ignore[arg-type]
    found = several.search(question, 8, explain=True, **judged)  # type: ignore[arg-type]
    assert seen(found) == [(hit.id, hit.score) for hit in expected.hits]
    assert [str(hit.explanation) for hit in found.hits] == [str(hit.explanation) for hit in expected.hits]
    assert seen(found) != seen(several.search(question, 8))


def test_judged_documents_that_are_nowhere_or_in_several_indexes(tmp_path: Path, together: FederatedIndex) -> None:
    with pytest.raises(QueryError, match=r"no index has a document 'nothing'$"):
        together.search("closed set", relevant=["nothing"])
    with pytest.raises(QueryError, match="judged both relevant and not relevant"):
        together.search("closed set", relevant=["x"], not_relevant=["x"])
    with pytest.raises(QueryError, match="Give a list of ids"):
        together.search("closed set", relevant="x")
    for name, text in (("a", "a group has an identity"), ("b", "a ring has an identity and a unit")):
        index_documents(
            [Document("x", {"body": Content(text)}), Document(name, {"body": Content("field identity")})],
            tmp_path / name, jobs=1,
        )
    two = FederatedIndex([IndexShard(name, open_index(tmp_path / name)) for name in "ab"])
    with pytest.raises(QueryError, match="several indexes have a document 'x'") as refused:
        two.search("identity", relevant=["x"])
    assert refused.value.hint == "Say which is meant: a:x or b:x."
    with open_index([tmp_path / "a", tmp_path / "b"]) as joint:
        for judged in ({"relevant": ["b:x"]}, {"relevant": ["a:x", "b"]}, {"not_relevant": ["a:x"]}):
            assert seen(two.search("identity", 4, **judged)) == [  # type: ignore[arg-type]
                (hit.id, hit.score) for hit in joint.search("identity", 4, **judged)  # type: ignore[arg-type]
            ]


def test_a_count_that_is_not_added_up_shows(together: FederatedIndex) -> None:
    expected = seen(together.search("continuous function", 9))

    class Less(Wrapped):
        what = ""

        def frequencies(self, request: FrequenciesRequest) -> ShardFrequencies:
            found = self.shard.ask(request)
            return replace(found, df=(0,) * len(found.df)) if self.what == "df" else found

        def document_terms(self, request: DocumentTermsRequest) -> ShardTerms:
            found = self.shard.ask(request)
            if self.what == "terms":
                return replace(found, documents=tuple(replace(one, channels={}) for one in found.documents))
            return found

    less = Less(together.shards[1])
    for what in ("df", "terms"):
        less.what = what
        assert seen(FederatedIndex([together.shards[0], less]).search("continuous function", 9)) != expected, what
    less.what = ""
    assert seen(FederatedIndex([together.shards[0], less]).search("continuous function", 9)) == expected


class Failing(Wrapped):
    """A shard that does not answer one step; of ``candidates`` the one by terms alone is the first."""

    def __init__(self, shard: Any, step: str, error: PorismError | None = None, times: int = 99) -> None:
        super().__init__(shard)
        self.step, self.error, self.times = step, error or PorismError(f"{step} failed"), times

    def ask(self, request: Request[Any]) -> Any:
        step = "first" if isinstance(request, CandidatesRequest) and request.by_terms else request.step
        if step == self.step and self.times:
            self.times -= 1
            raise self.error
        return super().ask(request)


def test_a_shard_that_is_lost_while_a_question_learns_counts_for_nothing(together: FederatedIndex) -> None:
    question = "continuous function"
    few, many = together.shards
    alone, whole = seen(FederatedIndex([few]).search(question, 9)), seen(together.search(question, 9))
    for step in ("statistics", "first", "document_terms", "frequencies"):
        failing = Failing(many, step)
        found = FederatedIndex([few, failing]).search(question, 9)
        assert [(one.name, one.reason) for one in found.missing] == [("many", str(failing.error))]
        assert found.partial
        assert seen(found) == alone, step
        with pytest.raises(ShardsMissing, match="many is missing"):
            FederatedIndex([few, failing]).run([Query("q", {"query": Content(question)})])
    found = FederatedIndex([few, Failing(many, "candidates")]).search(question, 9)
    assert found.partial
    scores = dict(seen(together.search(question, 300)))
    assert all(scores[doc_id] == score for doc_id, score in seen(found))  # the question has learnt from both
    assert seen(found) != alone
    assert whole != alone
    judged = next(iter(open_ids(many)))
    lost = FederatedIndex([few, Failing(many, "document_terms")])
    with pytest.raises(QueryError, match=rf"no index has a document '{judged}' \(many is missing: document_terms"):
        lost.search(question, relevant=[judged])
    elsewhere = next(iter(open_ids(few)))
    assert seen(lost.search(question, 9, relevant=[elsewhere])) == seen(
        FederatedIndex([few]).search(question, 9, relevant=[elsewhere])
    )
    nobody = FederatedIndex([Failing(few, "document_terms"), Failing(many, "document_terms")]).search(question)
    assert nobody.hits == ()
    assert {one.name for one in nobody.missing} == {"few", "many"}


def open_ids(shard: Any) -> list[str]:
    return [hit.id for hit in FederatedIndex([shard]).search("continuous function", 2).hits]


@every_case("step", ["first", "document_terms", "frequencies", "candidates", "hits"])
def test_a_commit_between_the_steps_begins_again(step: str, together: FederatedIndex) -> None:
    few, many = together.shards
    expected = seen(together.search("continuous function", 5))
    moving = Failing(many, step, StaleCommit("the index is at commit 9, not 1"), times=1)
    assert seen(FederatedIndex([few, moving]).search("continuous function", 5)) == expected
    assert not moving.times
    twice = FederatedIndex([few, Failing(many, step, moving.error, 2)])
    assert seen(twice.search("continuous function", 5)) == expected
    again = FederatedIndex([few, Failing(many, step, moving.error)]).search("continuous function", 5)
    assert [(missing.name, missing.reason) for missing in again.missing] == [
        ("many", "a newer commit again and again")
    ]


def test_a_commit_with_other_documents_is_learnt_from(tmp_path: Path) -> None:
    """A shard is reopened after its documents were found, and before they give their terms."""
    model = learning(METHODS["score-weighted"])
    old = [Document(f"a{number}", {"body": Content(f"limit of a sequence w{number}")}) for number in range(6)]
    index_documents(old, tmp_path / "a", jobs=1)
    before = IndexShard("a", open_index(tmp_path / "a", model))
    new = [Document(f"n{number}", {"body": Content(f"limit point v{number}")}) for number in range(4)]
    index_documents(new, tmp_path / "a", jobs=1)
    after = IndexShard("a", open_index(tmp_path / "a", model))
    index_documents([Document("b", {"body": Content("limit w3 v2")})], tmp_path / "b", jobs=1)
    other = IndexShard("b", open_index(tmp_path / "b", model))

    class Reopened(Wrapped):
        def document_terms(self, request: DocumentTermsRequest) -> ShardTerms:
            self.shard = after
            return self.shard.ask(request)

    found = FederatedIndex([Reopened(before), other]).search("limit", 20)
    assert seen(found) == seen(FederatedIndex([after, other]).search("limit", 20))
    assert {"n0", "a0"} <= {hit.id for hit in found.hits}


def test_models_that_learn_nothing_say_so(sample_shards: list[Path], together: FederatedIndex) -> None:
    asked = []

    class Listening(Wrapped):
        def ask(self, request: Request[Any]) -> Any:
            asked.append(request)
            return super().ask(request)

    plain = [Listening(one) for one in opened(sample_shards, learning({"weight": 0.0}))]
    FederatedIndex(plain).search("continuous function", 3)
    assert not [one for one in asked if isinstance(one, DocumentTermsRequest | FrequenciesRequest)]
    assert all(one.expanded is None for one in asked if isinstance(one, CandidatesRequest | HitsRequest))
    nothing = together.search("zzzz", 3)
    assert (nothing.hits, nothing.partial) == ((), False)


def test_values_that_make_no_sense_are_refused(together: FederatedIndex) -> None:
    for wrong in ((0.0, ("a",), (1.0,)), (1.0, ("a",), ()), (1.0, ("a",), (float("nan"),)), (1.0, ("a",), (-1.0,))):
        with pytest.raises(ValueError, match="numbers above 0"):
            TermsOfChannel(*wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="numbers ≥ 0"):
        ShardFrequencies(1, (-1,))
    few, many = together.shards

    class Wrong(Wrapped):
        def frequencies(self, request: FrequenciesRequest) -> ShardFrequencies:
            return ShardFrequencies(1, (1,))

    class Lacking(Wrapped):
        def document_terms(self, request: DocumentTermsRequest) -> ShardTerms:
            return replace(self.shard.ask(request), documents=())

    alone = seen(FederatedIndex([few]).search("continuous function"))
    for wrong_shard, reason in (
        (Wrong(many), "it has counted other terms"), (Lacking(many), "it lacks a document that it has found"),
    ):
        found = FederatedIndex([few, wrong_shard]).search("continuous function")
        assert [one.name for one in found.missing] == ["many"]
        assert reason in found.missing[0].reason
        assert seen(found) == alone
    with pytest.raises(QueryError, match="weights of terms"):
        ShardTerms(1, (), {"words": {"a": float("inf")}})
    counted = few.ask(FrequenciesRequest(1, (("words", "function"), ("none", "x"), ("words", "zzzz"))))
    assert counted.df[0] > 0
    assert counted.df[1:] == (0, 0)


def test_candidates_by_terms_are_the_first_ones(together: FederatedIndex) -> None:
    asked: list[tuple[CandidatesRequest, ShardCandidates]] = []

    class Listening(Wrapped):
        def candidates(self, request: CandidatesRequest) -> ShardCandidates:
            asked.append((request, self.shard.ask(request)))
            return asked[-1][1]

    few, many = together.shards
    FederatedIndex([few, Listening(many)]).search("limit $1 + x^2$", 3)
    (first, found), (second, _) = asked
    assert (first.by_terms, first.expanded, second.by_terms) == (True, None, False)
    assert second.expanded is not None
    assert found.terms == found.scores
    assert found.first == len(found.ids)
    assert len(second.expanded["words"]) > len(second.statistics.query.df["words"]) - len(second.expanded["words"])
    assert set(second.expanded["words"]) <= set(second.statistics.query.df["words"])


@settings(max_examples=30 if LONG else 3)
@given(st.data())
def test_any_split_of_any_collection_teaches_the_same(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("split")
    words = st.lists(st.sampled_from("limit sum set group field ring map".split()), min_size=1, max_size=8)
    formulas = st.sampled_from(["x^2 + 1", "1 + x^2", "a+b", r"\int f", "n"])
    texts = data.draw(st.lists(st.tuples(words, words, formulas), min_size=3, max_size=14))
    contents = [(Content(" ".join(title)), Content.of(" ".join(body), Formula(one))) for title, body, one in texts]
    documents = [
        Document(f"d{number}", {"title": title, "body": body}) for number, (title, body) in enumerate(contents)
    ]
    homes = data.draw(st.lists(st.integers(0, 2), min_size=len(documents), max_size=len(documents)))
    model = learning(data.draw(st.sampled_from(list(METHODS.values()))) | {"documents": data.draw(st.integers(1, 4))})
    judged: dict[str, list[str]] = data.draw(st.sampled_from([
        {}, {"relevant": ["d0"]}, {"relevant": ["d2", "d1"]},
        *([{"relevant": ["d1"], "not_relevant": ["d0", "d2"]}] if model.feedback.method != "rm3" else []),
    ]))
    index_documents(documents, folder / "whole", jobs=1)
    together = FederatedIndex(split_shards(folder, documents, homes, model))
    with open_index(folder / "whole", model) as whole:
        for question in ("limit of a sum", "definition of a group $1 + x^2$", "$a+b$ field ring map set sum"):
            expected = whole.search(whole.question(question, guess_formulas=True), 20, **judged)  # type: ignore[arg-type]
            found = together.search(question, 20, **judged)  # type: ignore[arg-type]
            assert seen(found) == [(hit.id, hit.score) for hit in expected]
