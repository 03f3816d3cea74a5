"""Models that re-rank: pointwise cross-encoders and encoders, in pipelines, in recipes, with a cache."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from reranking_cases import QUERIES, RUN, reranked_index
from tiny_models import TEXTS, need_encoders, save_bert, save_cross_encoder

from porism.errors import Problem
from porism.lab.pipeline import pipeline
from porism.lab.pipeline.rerankers.by_encoder import EncoderReranker
from porism.lab.pipeline.rerankers.explaining import rerank_explained
from porism.lab.pipeline.rerankers.pointwise import PointwiseReranker
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.search.index import Index, open_index
from porism.settings import SettingError
from porism.vectors.neural.scoring.base import Cost, score_texts
from porism.vectors.neural.scoring.cache import ScoreCache

need_encoders()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reranking")
    reranked_index(folder)
    save_cross_encoder(folder / "cross")
    save_bert(folder / "language", limit=64)
    return folder


@pytest.fixture
def index(folder: Path) -> Iterator[Index]:
    with open_index(folder / "i.index") as opened:
        yield opened


def made(kind: str, model: str, folder: Path, index: Index, depth: int = 100, **given: Any) -> Any:
    method = RERANKERS[kind]
    settings = method.settings(model, {"device": "cpu", "precision": "float32", **given}, folder)
    method.check(settings)
    assert method.channels(settings) == ()
    return method.make(settings, depth, index)


def test_a_cross_encoder_in_a_pipeline(folder: Path, index: Index) -> None:
    reranker = made("cross-encoder", "cross", folder, index, 5)
    assert isinstance(reranker, PointwiseReranker)
    reports: list[Problem] = []
    reranker.texts.on_problem = reports.append
    run = (pipeline(RUN) >> reranker).search(QUERIES, 10)
    texts = {"d0": TEXTS[0], "d1": TEXTS[1], "d2": TEXTS[2]}
    question = "prime number\nWhat divides a product?"
    scores = score_texts(reranker.scorer, [(question, text) for text in texts.values()])
    by_score = sorted(zip(texts, scores.tolist(), strict=True), key=lambda one: -one[1])
    assert [doc_id for doc_id, _ in run["q1"][:3]] == [doc_id for doc_id, _ in by_score]
    assert [score for _, score in run["q1"][:3]] == pytest.approx([score for _, score in by_score], abs=1e-5)
    assert [doc_id for doc_id, _ in run["q1"][3:]] == ["gone", "empty", "d3"]  # d3 is beyond the depth
    assert {str(report) for report in reports} == {
        "re-ranking: 1 document in the index no more (gone): ranked below the others",
        "re-ranking: 1 document without text (empty): ranked below the others",
    }
    assert run.provenance is not None
    described = run.provenance.made_by["reranker"]
    assert (described["model"], described["kind"]) == (str(folder / "cross"), "PointwiseReranker")


def test_the_first_stage_is_a_setting(folder: Path, index: Index) -> None:
    alone, both = (made("cross-encoder", "cross", folder, index, first_stage=share) for share in (0.0, 1.0))
    assert [doc_id for doc_id, _ in alone.rerank(QUERIES, RUN)["q2"]] != ["d2", "d1", "d0"]
    assert both.rerank(QUERIES, RUN)["q2"] == [
        ("d2", pytest.approx(1.5**0.5)), ("d1", pytest.approx(0.0)), ("d0", pytest.approx(-(1.5**0.5)))
    ]


def test_all_queries_are_one_job(folder: Path, index: Index) -> None:
    reranker = made("cross-encoder", "cross", folder, index)
    costs: list[Cost] = []
    reranker.on_cost = costs.append
    together = (pipeline(RUN) >> reranker).search(QUERIES, 10)
    assert [cost.inputs for cost in costs] == [4 + 3]
    alone = pipeline(RUN).reranked(reranker, batch=False).search(QUERIES, 10)
    assert len(costs) == 3
    for query in QUERIES:
        assert [doc_id for doc_id, _ in together[query.id]] == [doc_id for doc_id, _ in alone[query.id]]
    assert (pipeline(RUN) >> reranker % 2).search(QUERIES, 10)["q1"] == together["q1"][:2]


def test_scores_are_kept(folder: Path, index: Index, tmp_path: Path) -> None:
    for kind, model in (("cross-encoder", "cross"), ("encoder", "language")):
        with ScoreCache(tmp_path / kind) as cache:
            reranker = made(kind, model, folder, index)
            reranker.cache = cache
            first = (pipeline(RUN) >> reranker).search(QUERIES, 10)
            assert len(cache) == 7
            again = made(kind, model, folder, index)
            again.cache = cache
            if kind == "encoder":
                again.encoder.encode_queries = None  # is not called
            else:
                again.scorer.forward = None
            assert (pipeline(RUN) >> again).search(QUERIES, 10) == first


def test_what_is_read_can_be_chosen(folder: Path, index: Index) -> None:
    reranker = made("cross-encoder", "cross", folder, index, query_fields=["question"], text={"formulas": "none"})
    texts = reranker.texts
    assert texts.query(QUERIES[0]) == "What divides a product?"
    assert np.isnan(reranker.scores(QUERIES[1], ["d0"])).all()  # it has no question
    assert RERANKERS["cross-encoder"].names("cross", {}, folder) == [
        "model", "digest", "text", "query_fields", "length", "precision", "device", "first_stage",
        "tuned_on",
    ]


def test_a_masked_language_model_is_the_cosine_of_means_of_the_last_layer(folder: Path, index: Index) -> None:
    import torch
    from transformers import AutoModel, AutoTokenizer

    reranker = made("encoder", "language", folder, index)
    assert isinstance(reranker, EncoderReranker)
    tokenizer = AutoTokenizer.from_pretrained(folder / "language")
    network = AutoModel.from_pretrained(folder / "language").eval()

    def mean(text: str) -> torch.Tensor:
        with torch.inference_mode():
            tokens = tokenizer(text, truncation=True, max_length=64, return_tensors="pt")
            return network(**tokens).last_hidden_state[0].mean(0)

    long = " ".join(TEXTS) * 3
    question = mean("maximum of a continuous function")
    expected = [torch.cosine_similarity(question, mean(text), dim=0).item() for text in TEXTS[:3]]
    assert reranker.scores(QUERIES[1], ["d0", "d1", "d2"]) == pytest.approx(expected, abs=1e-5)
    head = torch.nn.functional.normalize(mean(long), dim=0).numpy()  # 62 tokens and two special ones
    assert reranker.encoder.encode_documents([long]).vectors[0] == pytest.approx(head, abs=1e-5)
    tails = made("encoder", "language", folder, index, cut="head-tail", length=32, pooling="cls")
    assert (tails.encoder.settings.cut, tails.encoder.settings.pooling) == ("head-tail", "cls")
    assert tails.encoder.length == 32
    assert tails.digest != reranker.digest


def test_explanations(folder: Path, index: Index) -> None:
    cross, encoder = made("cross-encoder", "cross", folder, index), made("encoder", "language", folder, index)
    for reranker, words in (
        (cross, ("cross", "tokens of the query")), (encoder, ("cosine of the vectors",))
    ):
        done = rerank_explained(reranker, QUERIES[1], RUN.only(["q2"]))
        for doc_id, score in done.run["q2"]:
            explained = done.explain(doc_id)
            assert explained.value == score
            if doc_id in ("gone", "empty"):
                assert "without a score" in explained.label
            else:
                assert all(word in explained.label for word in words)
                assert score == pytest.approx(reranker.scores(QUERIES[1], [doc_id])[0])


def test_the_digest_of_a_recipe_is_that_of_the_files(folder: Path, tmp_path: Path) -> None:
    kind = RERANKERS["cross-encoder"]
    first = kind.settings("cross", {}, folder)
    other = kind.settings(str(save_cross_encoder(tmp_path / "other", seed=1)), {}, folder)
    assert first["digest"] != other["digest"]
    assert first["model"] == str((folder / "cross").resolve())
    assert kind.stored(first, ("q1",))["tuned_on"] == ["q1"]


@every_case(("model", "given", "message"), [
    ("default", {}, "needs a model"), ("nowhere", {}, "there is no model 'nowhere'"),
    ("cross", {"lenght": 3}, "lenght"), ("cross", {"length": -1}, "length cannot be -1"),
    ("cross", {"precision": "float8"}, "precision"), ("cross", {"first_stage": 1.5}, "first_stage cannot be 1.5"),
])
def test_wrong_settings(folder: Path, model: str, given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        RERANKERS["cross-encoder"].settings(model, given, folder)


def test_an_encoder_tells_its_cost_before(folder: Path, index: Index, tmp_path: Path) -> None:
    reranker = made("encoder", "language", folder, index)
    costs: list[Cost] = []
    steps: list[tuple[int, int]] = []
    reranker.on_cost = costs.append
    reranker.on_progress = lambda done, total: steps.append((done, total))
    with ScoreCache(tmp_path / "scores") as cache:
        reranker.cache = cache
        reranker.all_scores([(QUERIES[1], ["d0", "d1"])])
        reranker.all_scores([(QUERIES[0], ["d0", "d1", "d2"]), (QUERIES[1], ["d1", "d2", "gone"])])
        reranker.all_scores([(QUERIES[1], ["d1"])])
    lengths = dict(zip(TEXTS, reranker.encoder.read_lengths(TEXTS), strict=True))
    assert [cost[:3] for cost in costs] == [
        (2, 0, lengths[TEXTS[0]] + lengths[TEXTS[1]]), (5, 1, sum(lengths[text] for text in TEXTS[:3])), (1, 1, 0)
    ]
    assert costs[1].seconds > 0
    assert costs[2].seconds == 0
    assert steps == [(2, 2), (3, 3)]
