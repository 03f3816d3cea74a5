"""Models that compare two documents: all pairs, one order, sorted with few, in pipelines after others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from reranking_cases import QUERIES, RUN, reranked_index
from tiny_models import TEXTS, need_encoders, save_cross_encoder, save_mono

from porism.errors import ConfigError
from porism.lab.pairwise import aggregate
from porism.lab.pipeline import pipeline
from porism.lab.pipeline.rerankers import compared
from porism.lab.pipeline.rerankers.compared import ModelPairsReranker
from porism.lab.pipeline.rerankers.explaining import rerank_explained
from porism.lab.pipeline.rerankers.named import named_reranker
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.search.index import Index, open_index
from porism.settings import SettingError
from porism.types import Query
from porism.vectors.neural.scoring.base import Cost, score_texts
from porism.vectors.neural.scoring.cache import ScoreCache

need_encoders()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("comparing")
    reranked_index(folder)
    save_cross_encoder(folder / "cross")
    save_mono(folder / "t5")
    return folder


@pytest.fixture
def index(folder: Path) -> Iterator[Index]:
    with open_index(folder / "i.index") as opened:
        yield opened


MODELS = {"duo-t5": "t5", "pairwise-cross-encoder": "cross", "mono-t5": "t5", "cross-encoder": "cross"}


def made(kind: str, folder: Path, index: Index, depth: int = 50, **given: Any) -> Any:
    method = RERANKERS[kind]
    settings = method.settings(MODELS[kind], {"device": "cpu", "precision": "float32", **given}, folder)
    method.check(settings)
    return method.make(settings, depth, index)


@pytest.mark.parametrize("kind", ["duo-t5", "pairwise-cross-encoder"])
def test_all_ordered_pairs_are_compared_and_aggregated(kind: str, folder: Path, index: Index) -> None:
    reranker = made(kind, folder, index, method="sum")
    assert isinstance(reranker, ModelPairsReranker)
    costs: list[Cost] = []
    reranker.on_cost = costs.append
    run = (pipeline(RUN) >> reranker).search(QUERIES, 10)
    assert [cost.inputs for cost in costs] == [4 * 3 + 3 * 2]
    question, texts = "maximum of a continuous function", [TEXTS[2], TEXTS[1], TEXTS[0]]
    inputs = [(question, first, second) for first in texts for second in texts if first != second]
    sums = score_texts(reranker.scorer, inputs).reshape(3, 2).sum(1)
    expected = dict(zip(("d2", "d1", "d0"), sums.tolist(), strict=True))
    assert dict(run["q2"]) == pytest.approx(expected, abs=1e-4)
    assert [doc_id for doc_id, _ in run["q1"][4:]] == ["gone", "empty"]
    assert run.provenance is not None
    described = run.provenance.made_by["reranker"]
    assert (described["aggregation"]["method"], described["orders"]) == ("sum", "both")


def test_pairwise_scores_can_be_kept_and_aggregated_again(folder: Path, index: Index) -> None:
    reranker = made("duo-t5", folder, index)
    pairs = reranker.compared([(QUERIES[1], ["d2", "d1", "d0"])])
    assert pairs.pairs == 6
    assert pairs.queries[0].ranked
    again = aggregate(pairs, "sym-sum")
    assert dict(again["q2"]) == pytest.approx(dict((pipeline(RUN) >> reranker).search(QUERIES, 10)["q2"]), abs=1e-5)


def test_many_pairs_are_several_jobs(folder: Path, index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made("pairwise-cross-encoder", folder, index)
    wanted = [(QUERIES[0], ["d0", "d1", "d2", "d3"]), (Query("q3", QUERIES[1].fields), ["d0"]),
              (QUERIES[1], ["d2", "d1", "d0"])]
    expected = whole.compared(wanted)
    jobs: list[int] = []
    score = compared.score_texts

    def counting(scorer: Any, inputs: Any, **named: Any) -> Any:
        jobs.append(len(inputs))
        return score(scorer, inputs, **named)

    monkeypatch.setattr(compared, "score_texts", counting)
    monkeypatch.setattr(compared, "PAIR_BATCH_SIZE", 12)
    parts = made("pairwise-cross-encoder", folder, index)
    costs: list[Cost] = []
    steps: list[tuple[int, int]] = []
    parts.on_cost = costs.append
    parts.on_progress = lambda done, total: steps.append((done, total))
    found = parts.compared(wanted)
    assert jobs == [12, 6]
    assert [cost.inputs for cost in costs] == [18]
    assert steps[-1] == (18, 18)
    for one, other in zip(expected.queries, found.queries, strict=True):
        assert one.doc_ids == other.doc_ids
        np.testing.assert_allclose(one.matrix, other.matrix, atol=1e-6)


def test_one_order_halves_the_cost(folder: Path, index: Index) -> None:
    reranker = made("pairwise-cross-encoder", folder, index, orders="one", method="sum")
    costs: list[Cost] = []
    reranker.on_cost = costs.append
    scores = reranker.scores(QUERIES[1], ["d2", "d1", "d0"])
    assert costs[0].inputs == 3
    assert scores.sum() == pytest.approx(3)  # each pair shares 1
    both = made("pairwise-cross-encoder", folder, index).pairs(QUERIES[1], ["d2", "d1", "d0"])
    assert scores[0] == pytest.approx(both.matrix[0, 1] + both.matrix[0, 2], abs=1e-5)


def test_fewer_comparisons_by_a_sorting(folder: Path, index: Index) -> None:
    reranker = made("duo-t5", folder, index, sorting="all-pairs")
    ids = ["d0", "gone", "d1", "d2", "d3"]
    scores = reranker.scores(QUERIES[0], ids)
    summed = made("duo-t5", folder, index).scores(QUERIES[0], ids)
    assert np.argsort(-scores[[0, 2, 3, 4]]).tolist() == np.argsort(-summed[[0, 2, 3, 4]]).tolist()
    assert np.isnan(scores[1])
    few = made("duo-t5", folder, index, sorting="sliding", sorting_parameters={"passes": 1, "both": False})
    asked: list[int] = []
    forward = few.scorer.forward

    def counting(batch: Sequence[Any]) -> Any:
        asked.append(len(batch))
        return forward(batch)

    few.scorer.forward = counting
    assert sorted(few.scores(QUERIES[0], ["d0", "d1", "d2", "d3"]).tolist()) == [1, 2, 3, 4]
    assert sum(asked) == 3
    assert few.describe()["sorting"] == "sliding"


@pytest.mark.parametrize(("parameters", "inputs"), [
    ({"sorting": "sliding", "sorting_parameters": {"passes": 2, "both": False}}, 5 + 3),
    ({"sorting": "active", "sorting_parameters": {"budget": 1.0}}, 2 * (4 + 3)),
])
def test_the_cost_of_a_sorting_is_announced_once_and_for_all_rounds(
    folder: Path, index: Index, parameters: dict[str, Any], inputs: int
) -> None:
    reranker = made("pairwise-cross-encoder", folder, index, **parameters)
    costs: list[Cost] = []
    steps: list[tuple[int, int]] = []
    reranker.on_cost = costs.append
    reranker.on_progress = lambda done, total: steps.append((done, total))
    reranker.all_scores([(QUERIES[0], ["d0", "d1", "d2", "d3"]), (QUERIES[1], ["d2", "d1", "d0"])])
    assert [cost.inputs for cost in costs] == [inputs]
    assert steps[-1] == (inputs, inputs)
    assert [done for done, _ in steps] == sorted({done for done, _ in steps})
    assert {total for _, total in steps} == {inputs}


def test_what_was_scored_before_is_not_promised_of_later_rounds(folder: Path, index: Index, tmp_path: Path) -> None:
    """What the first round finds scored says nothing of the rounds after it, which ask for other pairs."""
    costs: list[Cost] = []

    def sort(ids: list[str], passes: int) -> None:
        reranker = made("pairwise-cross-encoder", folder, index, sorting="sliding",
                        sorting_parameters={"passes": passes, "both": False})
        reranker.cache, reranker.on_cost = cache, costs.append
        reranker.all_scores([(QUERIES[0], ids)])

    with ScoreCache(tmp_path / "scores") as cache:
        sort(["d2", "d3"], 1)  # what the first round below asks
        sort(["d0", "d1", "d2", "d3"], 2)
    assert costs[0][:2] == (1, 0)
    assert costs[1] == (5, 1, 0, 0.0)  # the four others are not known yet, and take a time that is not either


def test_mono_and_duo_after_a_search(folder: Path, index: Index, tmp_path: Path) -> None:
    mono, duo = made("mono-t5", folder, index, 6), made("duo-t5", folder, index, 2)
    with ScoreCache(tmp_path / "scores") as cache:
        mono.cache = duo.cache = cache
        run = (pipeline(RUN) >> mono >> duo).search(QUERIES, 10)
        assert len(cache) == 7 + 2 * 2
        before = (pipeline(RUN) >> mono).search(QUERIES, 10)
        assert len(cache) == 7 + 2 * 2
        assert "logit of true" in rerank_explained(mono, QUERIES[0], RUN).explain("d1").label
    for query in QUERIES:
        first = [doc_id for doc_id, _ in before[query.id]]
        found = [doc_id for doc_id, _ in run[query.id]]
        assert sorted(found[:2]) == sorted(first[:2])
        assert found[2:] == first[2:]


def test_explanations_name_the_comparisons(folder: Path, index: Index) -> None:
    duo, by_sorting = made("duo-t5", folder, index), made("duo-t5", folder, index, sorting="sliding")
    ids = ["d0", "d1", "d2", "d3"]
    for reranker, words in (
        (duo, ("sym-sum of 3 comparisons", "best against d")), (by_sorting, ("sorted by sliding",))
    ):
        done = rerank_explained(reranker, QUERIES[0], RUN.only(["q1"]), 6)
        scores = dict(zip(ids, reranker.scores(QUERIES[0], ids).tolist(), strict=True))
        for doc_id, score in done.run["q1"][:4]:
            explained = done.explain(doc_id)
            assert explained.value == score == pytest.approx(scores[doc_id])
            assert all(word in explained.label for word in words)
        assert "without a score" in done.explain("empty").label


def test_few_candidates(folder: Path, index: Index) -> None:
    for given in ({}, {"sorting": "heap"}):
        duo = made("duo-t5", folder, index, **given)
        assert np.isnan(duo.scores(QUERIES[0], ["gone", "empty"])).all()
        assert np.isfinite(duo.scores(QUERIES[0], ["d0"])).all()


@every_case(("given", "message"), [
    ({"method": "sums"}, "Did you mean sum"), ({"sorting": "heaps"}, "Did you mean heap"),
    ({"orders": "two"}, "orders"),
    ({"sorting": "heap", "sorting_parameters": {"top": 0}}, "top"), ({"length": -1}, "length"),
])
def test_wrong_settings(folder: Path, given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        RERANKERS["duo-t5"].settings("t5", given, folder)
    with pytest.raises(ConfigError, match="orders cannot be 'two'"):
        ModelPairsReranker(None, None, orders="two")  # type: ignore[arg-type]


def test_a_model_of_pairs_is_named_with_a_depth_of_its_own(folder: Path, index: Index) -> None:
    by_kind = named_reranker(index, f"pairwise-cross-encoder:model={folder / 'cross'};device=cpu;orders=one")
    assert isinstance(by_kind, ModelPairsReranker)
    assert (by_kind.depth, by_kind.orders, by_kind.name) == (50, "one", "pairwise-cross-encoder")
    by_folder = named_reranker(index, f"{folder / 't5'}:kind=duo-t5;device=cpu", 8)
    assert isinstance(by_folder, ModelPairsReranker)
    assert (by_folder.depth, by_folder.orders, by_folder.name) == (8, "both", "t5")
    assert by_folder.scorer.documents == 2
