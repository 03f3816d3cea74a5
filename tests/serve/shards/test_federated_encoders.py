"""ExpandedQuestion terms and tokens of documents in shards are searched as those of one index."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from case_tables import every_case

pytest.importorskip("torch", reason="needs the extra: pip install 'porism[neural]'")
pytest.importorskip("faiss", reason="centroids need faiss: pip install 'porism[neural]'")

from colbert_cases import save_token_model
from dense_cases import document, query, write_index
from tiny_models import TEXTS, save_splade

from porism.errors import ConfigError, QueryError
from porism.retrieve import SearchModel
from porism.retrieve.lexical.settings import ChannelSettings
from porism.search.index import Index, open_index
from porism.search.models.models import model_from
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.shard import IndexShard
from porism.system.files.artifacts import TOKENS
from porism.vectors.colbert.encoding import TOKEN_ENCODING
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.splade.encoding import SPARSE_ENCODING

SPLADE = SearchModel({"splade": ChannelSettings()})
MIXED = SearchModel({"words": ChannelSettings(), "splade": ChannelSettings(weight=0.5)})
FEW = ColbertModel(probes=3, candidates=9)
SUM = model_from({"kind": "sum", "depth": 8, "parts": {
    "words": {"weight": 0.4}, "splade": {"weight": 0.3}, "colbert": {"weight": 0.3},
}})
MODELS = {
    "splade": SPLADE, "with words": MIXED, "few tokens": FEW, "tokens": ColbertModel(probes=3),
    "all tokens": ColbertModel(exhaustive=True), "sum": SUM,
}
NAMES = ("one", "two", "three")
ASKED = [query(text, f"q{number}") for number, text in enumerate(TEXTS[:6])]


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three indexes that have parts of sixty documents, with terms and tokens by the same models and centroids; and
    ``whole`` with all of them."""
    folder = tmp_path_factory.mktemp("encoded")
    documents = [document(number, 4 + number % 9) for number in range(60)]
    splade, tokens = save_splade(folder / "splade"), save_token_model(folder / "tokens")
    for name, groups in (
        ("whole", [documents[:35], documents[35:]]), ("one", [documents[:30:3], documents[30::3]]),
        ("two", [documents[1::3]]), ("three", [documents[2::3]]),
    ):
        path = write_index(folder / name, *groups)
        SPARSE_ENCODING.encode(path, splade, device="cpu")
        if name != "whole":
            shutil.copy(TOKENS.path(folder / "whole", "tokens"), TOKENS.prepare(path, "tokens"))
        TOKEN_ENCODING.encode(path, tokens, centroids=16, device="cpu")
    return folder


@pytest.fixture(scope="module", params=MODELS.values(), ids=MODELS)
def pair(request: pytest.FixtureRequest, encoded: Path) -> Iterator[tuple[Index, FederatedIndex]]:
    """The three as one, here and in shards; vectors that were encoded in other batches differ in their last bits."""
    with open_index([encoded / name for name in NAMES], request.param) as joint:
        yield joint, FederatedIndex([IndexShard(name, open_index(encoded / name, request.param)) for name in NAMES])


def test_order_scores_and_explanations_are_those_of_one_index(pair: tuple[Index, FederatedIndex]) -> None:
    joint, together = pair
    for k in (5, 60):
        expected, found = joint.run(ASKED, k), together.run(ASKED, k)
        for one in ASKED:
            assert list(found[one.id]) == list(expected[one.id])
            assert len(found[one.id]) >= 5
    hits = together.search(TEXTS[0], 4, explain=True).hits
    assert [(hit.id, hit.score) for hit in hits] == [(hit.id, hit.score) for hit in joint.search(TEXTS[0], 4)]
    for hit in hits:
        assert hit.explanation is not None
        assert hit.explanation.to_dict() == joint.explain(TEXTS[0], hit.id).to_dict()


def test_results_are_those_of_an_index_of_all_documents(pair: tuple[Index, FederatedIndex], encoded: Path) -> None:
    joint, together = pair
    with open_index(encoded / "whole", joint.retriever.model) as whole:
        expected, found = whole.run(ASKED, 20), together.run(ASKED, 20)
    for one in ASKED:
        assert {doc_id: pytest.approx(score, abs=0.02) for doc_id, score in expected[one.id]} == dict(found[one.id])


def test_filters_hold_in_each_shard(pair: tuple[Index, FederatedIndex]) -> None:
    joint, together = pair
    wanted = {"tenth": ["3", "4"]}
    found = together.search(TEXTS[1], 30, filters=wanted)
    assert {hit.metadata["tenth"] for hit in found.hits} == {"3", "4"}
    assert [(hit.id, hit.score) for hit in found.hits] == [
        (hit.id, hit.score) for hit in joint.search(TEXTS[1], 30, filters=wanted)
    ]
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        together.search(TEXTS[1], filters={"colour": "red"})


def test_of_many_near_documents_those_are_compared_that_one_index_would_compare(encoded: Path) -> None:
    together = FederatedIndex([IndexShard(name, open_index(encoded / name, FEW)) for name in NAMES])
    found = together.run(ASKED, 60)
    assert [len(found[one.id]) for one in ASKED] == [9] * len(ASKED)
    each = [open_index(encoded / name, FEW).run(ASKED, 60) for name in NAMES]
    best = {
        one.id: sorted((score for run in each for _, score in run[one.id]), reverse=True)[:9] for one in ASKED
    }
    assert {name: [score for _, score in found[name]] for name in best} != best


@every_case("model", [SPLADE, FEW], ids=["splade", "tokens"])
def test_what_was_encoded_otherwise_is_refused(
    encoded: Path, tmp_path: Path, model: SearchModel | ColbertModel
) -> None:
    path = write_index(tmp_path / "other", [document(number) for number in range(12)])
    SPARSE_ENCODING.encode(path, encoded / "splade", name="otherwise", device="cpu")
    TOKEN_ENCODING.encode(path, encoded / "tokens", centroids=8, device="cpu")  # with centroids of its own
    shards = [IndexShard("one", open_index(encoded / "one", model)), IndexShard("other", open_index(path, model))]
    with pytest.raises(ConfigError, match="other: was encoded otherwise than one"):
        FederatedIndex(shards).search(TEXTS[0])
