"""Answers of several shards are re-ranked as those of one index, by the whole documents that the shards give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pydantic
import pytest
from case_tables import every_case
from numpy.typing import NDArray
from shard_cases import Wrapped, split_shards

from porism.errors import ConfigError, PorismError
from porism.lab.pipeline import ScoringReranker
from porism.lab.pipeline.rerankers.explaining import RerankerChain
from porism.lab.pipeline.rerankers.named import named_reranker
from porism.lab.pipeline.rerankers.texts import DocumentSource, GivenDocuments, RerankedTexts
from porism.search.answering import IndexAnswers
from porism.search.answers import Answer, Hit
from porism.search.index import Index, open_index
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.requests import HitsRequest, StaleCommit, TextsRequest
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.values import ShardHits, ShardTexts
from porism.types import Content, Document, Formula, Query

QUESTION = r"why does $\sum 1/n^2$ converge?"


class Vowels(ScoringReranker):
    """Gives a document the share of some letters in its text, formulas included."""

    def __init__(self, source: DocumentSource, letters: str, depth: int, first_stage: float = 0.0) -> None:
        self.texts, self.letters, self.depth, self.first_stage = RerankedTexts(source), letters, depth, first_stage
        self.name = letters

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        texts = self.texts.documents(doc_ids)
        return np.array([
            sum(map(texts[one].count, self.letters)) / len(texts[one]) if one in texts else np.nan for one in doc_ids
        ])


def rerankers(source: DocumentSource) -> list[ScoringReranker]:
    return [Vowels(source, "e1", 30, 0.25), Vowels(source, "ao^", 7)]


@pytest.fixture(scope="module")
def joint(sample_shards: list[Path]) -> Iterator[Index]:
    with open_index(sample_shards) as opened:
        yield opened


@pytest.fixture(scope="module")
def shards(sample_shards: list[Path]) -> list[IndexShard]:
    return [IndexShard(path.stem, open_index(path)) for path in sample_shards]


def ask(shards: Sequence[IndexShard | Wrapped], k: int = 9, explain: bool = False) -> Answer[Hit]:
    documents = GivenDocuments()
    chain = RerankerChain(rerankers(documents), documents)
    return FederatedIndex(shards).search(QUESTION, k, rerank=chain, explain=explain)


@every_case("explain", [False, True])
def test_stages_scores_and_reasons_are_those_of_one_index(
    joint: Index, shards: list[IndexShard], explain: bool
) -> None:
    one = IndexAnswers(joint).search(QUESTION, 40, rerank=RerankerChain(rerankers(joint)), explain=explain)
    several = ask(shards, 40, explain)
    assert len(one.hits) == 40
    assert [hit.id for hit in one.hits] != [hit.id for hit in joint.search(QUESTION, 40)]
    for mine, other in zip(several.hits, one.hits, strict=True):
        assert (mine.rank, mine.id, mine.score) == (other.rank, other.id, other.score)
        assert (mine.stages[1:], mine.explanation) == (other.stages[1:], other.explanation)
        search, same = mine.stages[0], other.stages[0]
        assert (search.stage, search.rank, search.score) == (same.stage, same.rank, same.score)
        assert (search.explanation is not None) == (mine.explanation is not None) == explain
        if search.explanation is not None:  # links are told in other words
            assert search.explanation.value == pytest.approx(search.score)
        assert mine.reasons == other.reasons
    assert {hit.home for hit in several.hits} == {"few", "many"}
    assert not several.partial
    assert several.matching == one.matching != one.total


def test_a_question_that_finds_nothing(shards: list[IndexShard]) -> None:
    documents = GivenDocuments()
    found = FederatedIndex(shards).search("qqzzqq", rerank=RerankerChain(rerankers(documents), documents))
    assert (found.hits, found.total) == ((), 0)


def test_documents_of_one_id_are_told_apart(tmp_path: Path) -> None:
    documents = [
        Document("twin", {"body": Content.of("sum of eee ", Formula("e^1"))}),
        Document("twin", {"body": Content("sum of iii")}), Document("c", {"body": Content("the sum")}),
    ]
    given = GivenDocuments()
    together = FederatedIndex(split_shards(tmp_path, documents, [0, 1, 1]))
    found = together.search("sum", rerank=RerankerChain([Vowels(given, "e", 5)], given))
    assert [hit.id for hit in found.hits] == ["0:twin", "c", "1:twin"]
    assert given.document("0:twin").fields == documents[0].fields
    assert [hit.home for hit in found.hits] == ["0", "1", "1"]


class Losing(Wrapped):
    """Is lost in one of its steps."""

    lost = ""

    def texts(self, request: TextsRequest) -> ShardTexts:
        if self.lost == "texts":
            raise PorismError("cannot read its disk")
        answer: ShardTexts = self.shard.ask(request)
        return replace(answer, documents=answer.documents[::-1]) if self.lost == "order" else answer

    def hits(self, request: HitsRequest) -> ShardHits:
        if self.lost == "hits":
            raise PorismError("has gone")
        answer: ShardHits = self.shard.ask(request)
        return answer


@every_case(
    ("lost", "reason"),
    [("texts", "cannot read its disk"), ("order", "other documents than it was asked for"), ("hits", "has gone")],
)
def test_a_shard_that_is_lost_is_missing_and_the_others_are_re_ranked(
    shards: list[IndexShard], lost: str, reason: str
) -> None:
    losing = Losing(shards[1])
    losing.lost = lost
    found = ask([shards[0], losing])
    assert [one.name for one in found.missing] == ["many"]
    assert reason in found.missing[0].reason
    assert found.hits
    assert all(hit.id in shards[0].index for hit in found.hits)
    ranks = [hit.stages[-1].rank for hit in found.hits]
    assert ranks == sorted(ranks)
    if lost != "hits":  # they are re-ranked without those that are lost
        assert ranks == list(range(1, len(ranks) + 1))


def test_a_commit_between_two_steps_begins_the_search_again(shards: list[IndexShard]) -> None:
    class Committed(Wrapped):
        moves = 1

        def texts(self, request: TextsRequest) -> ShardTexts:
            self.moves -= 1
            if self.moves == 0:
                raise StaleCommit("the index is at commit 2, not 1")
            answer: ShardTexts = self.shard.ask(request)
            return answer

    assert ask([shards[0], Committed(shards[1])]).hits == ask(shards).hits


def test_texts_come_back_whole_or_are_refused(shards: list[IndexShard]) -> None:
    formula = Formula("<mi>y</mi>", notation="mathml")
    document = Document("a", {"title": Content("b"), "body": Content.of("x ", formula)})
    adapter = pydantic.TypeAdapter(ShardTexts)
    texts = ShardTexts(1, (document,))
    assert adapter.validate_json(adapter.dump_json(texts)) == texts
    for body in (3, {"text": "x \ufffc", "formulas": []}):
        with pytest.raises(ValueError, match="1 validation error"):
            adapter.validate_python({"generation": 1, "documents": [{"id": "a", "fields": {"body": body}}]})
    with pytest.raises(StaleCommit):
        shards[0].ask(TextsRequest(7, ()))
    with pytest.raises(PorismError, match="nowhere"):
        shards[0].ask(TextsRequest(shards[0].generation, ("nowhere",)))


def test_what_needs_an_index_is_refused(tmp_path: Path) -> None:
    for name in ("words", "retriever"):
        with pytest.raises(ConfigError, match="on this machine only"):
            named_reranker(GivenDocuments(), name)
    with pytest.raises(ConfigError, match="there is no reranker 'cross'"):
        named_reranker(GivenDocuments(), "cross")
    with pytest.raises(ConfigError, match="there is no reranker 'cross'"):
        named_reranker(GivenDocuments(str(tmp_path)), "cross")
