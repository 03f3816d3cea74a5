"""The documents of shards whose vectors are nearest are those of one index, with the same scores."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="needs the extra: pip install 'porism[neural]'")

from dense_cases import document, query, write_index
from tiny_models import TEXTS, save_encoder

from porism.errors import ConfigError, QueryError
from porism.search.index import Index, open_index
from porism.search.questions import Question
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.requests import CandidatesRequest, DocumentTermsRequest, LinksRequest, StaleCommit
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.values import ShardQuestion, ShardStatistics, WholeStatistics
from porism.vectors.dense.encoding import DENSE_ENCODING


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two indexes that have parts of forty documents, encoded by one model."""
    folder = tmp_path_factory.mktemp("vectors")
    documents = [document(number) for number in range(40)]
    model = save_encoder(folder / "tiny")
    for name, groups in (
        ("even", [documents[:20:2], documents[20::2]]), ("odd", [documents[1::2]]),
    ):
        DENSE_ENCODING.encode(write_index(folder / name, *groups), model, device="cpu")
    return folder


@pytest.fixture(scope="module")
def whole_index(encoded: Path) -> Iterator[Index]:
    """The two as one; vectors that were encoded in other batches would differ in their last bits."""
    with open_index([encoded / "even", encoded / "odd"], "dense") as index:
        yield index


@pytest.fixture(scope="module")
def together(encoded: Path) -> FederatedIndex:
    return FederatedIndex([IndexShard(name, open_index(encoded / name, "dense")) for name in ("even", "odd")])


def test_nearest_documents_scores_and_explanations_are_those_of_one_index(
    whole_index: Index, together: FederatedIndex
) -> None:
    asked = [query(text, f"q{number}") for number, text in enumerate(TEXTS[:5])]
    expected, found = whole_index.run(asked, 30), together.run(asked, 30)
    for one in asked:
        assert list(found[one.id]) == list(expected[one.id])
        assert len(found[one.id]) == 30
    hits = together.search(TEXTS[0], 4, explain=True).hits
    assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in whole_index.search(TEXTS[0], 4)]
    for hit in hits:
        assert hit.explanation is not None
        assert hit.explanation.to_dict() == whole_index.explain(TEXTS[0], hit.id).to_dict()
        assert str(hit.snippet)


def test_filters_hold_in_each_shard(whole_index: Index, together: FederatedIndex) -> None:
    found = together.search(TEXTS[1], 30, filters={"tenth": ["3", "4"]})
    assert {hit.metadata["tenth"] for hit in found.hits} == {"3", "4"}
    assert [(hit.id, hit.score) for hit in found.hits] == [
        (hit.id, hit.score) for hit in whole_index.search(TEXTS[1], 30, filters={"tenth": ["3", "4"]})
    ]
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        together.search(TEXTS[1], filters={"colour": "red"})


def test_vectors_of_other_encoders_are_refused(encoded: Path, together: FederatedIndex) -> None:
    other = DENSE_ENCODING.encode(
        write_index(encoded / "other", [document(number) for number in range(3)]), encoded / "tiny",
        settings={"cut": "head-tail"}, device="cpu",
    )
    assert other.encoded == 3
    shards = [together.shards[0], IndexShard("other", open_index(encoded / "other", "dense"))]
    with pytest.raises(ConfigError, match="other: was encoded otherwise than even: by another encoder"):
        FederatedIndex(shards).search(TEXTS[0])
    words = IndexShard("words", open_index(encoded / "odd", "words"))
    with pytest.raises(ConfigError, match="words: is searched by another model than even"):
        FederatedIndex([together.shards[0], words]).search(TEXTS[0])


def test_a_model_of_vectors_does_not_learn_from_documents(together: FederatedIndex) -> None:
    with pytest.raises(ConfigError, match="the model does not learn from judged documents"):
        together.search(TEXTS[0], relevant=["d1"])
    asked = ShardQuestion(Question(query(TEXTS[0])))
    with pytest.raises(ConfigError, match="does not answer the step document_terms"):
        together.shards[1].ask(DocumentTermsRequest(1, asked, WholeStatistics(0, (), ShardStatistics({})), ("d1",)))


def test_a_shard_has_no_links_and_keeps_to_its_commit(together: FederatedIndex) -> None:
    shard = together.shards[1]
    assert shard.ask(LinksRequest(1, ("a",), ("b",))).links == ()
    asked = ShardQuestion(Question(query(TEXTS[0]), (), {"none": ("x",)}))
    nothing = WholeStatistics(0, (), ShardStatistics({}))
    assert shard.ask(CandidatesRequest(1, asked, nothing, 5)).ids == ()
    with pytest.raises(StaleCommit, match="at commit 1, not 2"):
        shard.ask(CandidatesRequest(2, asked, nothing, 5))
