"""A language model orders windows of results, and no document is lost."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from reranking_cases import QUERIES, RUN, reranked_index
from tiny_models import need_models, save_causal

from porism.errors import Problem
from porism.lab.pipeline import pipeline
from porism.lab.pipeline.rerankers.explaining import rerank_explained
from porism.lab.pipeline.rerankers.listwise import ListwiseReranker
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.runs.run import Run
from porism.search.index import Index, open_index
from porism.settings import SettingError
from porism.vectors.neural.scoring.base import Cost
from porism.vectors.neural.scoring.cache import ScoreCache

need_models()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("listwise")
    reranked_index(folder)
    save_causal(folder / "causal")
    return folder


@pytest.fixture
def index(folder: Path) -> Iterator[Index]:
    with open_index(folder / "i.index") as opened:
        yield opened


def made(folder: Path, index: Index, depth: int = 100, **given: Any) -> ListwiseReranker:
    kind = RERANKERS["listwise"]
    reranker = kind.make(kind.settings("causal", {"device": "cpu", **given}, folder), depth, index)
    assert isinstance(reranker, ListwiseReranker)
    return reranker


def test_nonsense_loses_no_document_and_is_counted(folder: Path, index: Index) -> None:
    reranker = made(folder, index, window=2, step=1)
    reports: list[Problem] = []
    reranker.texts.on_problem = reports.append
    run = (pipeline(RUN) >> reranker).search(QUERIES, 10)
    for query in QUERIES:
        assert sorted(doc_id for doc_id, _ in run[query.id]) == sorted(doc_id for doc_id, _ in RUN[query.id])
    assert [doc_id for doc_id, _ in run["q1"][4:]] == ["gone", "empty"]
    assert any("did not name each document once" in report.what for report in reports)
    assert run.provenance is not None
    assert run.provenance.made_by["reranker"]["window"] == 2


def test_windows_slide_from_the_end(folder: Path, index: Index) -> None:
    reranker = made(folder, index, window=2, step=1)
    assert reranker.windows(4) == [(2, 4), (1, 3), (0, 2)]
    assert made(folder, index).windows(45) == [(25, 45), (15, 35), (5, 25), (0, 20)]
    assert (reranker.windows(1), reranker.windows(2)) == ([], [(0, 2)])
    batches: list[int] = []

    def last_first(windows: Any, cache: Any) -> list[list[int]]:
        batches.append(len(windows))
        return [[1, 0]] * len(windows)

    reranker.ranker.rank = last_first  # type: ignore[method-assign]
    run = (pipeline(RUN) >> reranker).search(QUERIES, 10)
    assert [doc_id for doc_id, _ in run["q1"]][:4] == ["d3", "d0", "d1", "d2"]  # the last one rose to the top
    assert run["q1"][0][1] == 4.0
    assert batches == [1, 2, 2, 1]  # the first of them measures what the others will cost


def test_explanations(folder: Path, index: Index) -> None:
    reranker = made(folder, index)
    ids = ["d0", "empty", "d1"]
    scores = reranker.scores(QUERIES[0], ids)
    assert np.isnan(scores[1])
    done = rerank_explained(reranker, QUERIES[0], Run({"q1": [(doc_id, -at) for at, doc_id in enumerate(ids)]}, "r"))
    explained = done.explain("d1")
    assert explained.value == scores[2]
    assert "orders 1 window" in explained.label
    assert "without a score" in done.explain("empty").label


@every_case(("given", "message"), [
    ({"window": 1}, "window cannot be 1"), ({"step": 0}, "step cannot be 0"), ({"window": 5, "step": 6}, "step cannot"),
])
def test_wrong_settings(folder: Path, given: dict[str, int], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        RERANKERS["listwise"].settings("causal", given, folder)


def test_the_cost_is_told_before(folder: Path, index: Index, tmp_path: Path) -> None:
    costs: list[Cost] = []
    prompts: list[int] = []
    answered: list[int] = []
    reranker = made(folder, index, window=2, step=1)
    reranker.on_cost = costs.append
    answers = reranker.ranker._answers

    def counting(some: Any, room: int) -> list[str]:
        answered.append(len(some))
        prompts.extend(map(len, some))
        return answers(some, room)

    reranker.ranker._answers = counting  # type: ignore[method-assign]
    with ScoreCache(tmp_path / "scores") as cache:
        reranker.cache = cache
        first = reranker.rerank(QUERIES, RUN)
        (cost,) = costs
        # 4 documents of the first query with text give 3 windows, 3 of the second 2; one is ranked for the cost
        assert (cost.inputs, cost.cached, answered[0]) == (5, 0, 1)
        assert cost.tokens == round(sum(prompts[:2]) / 2 * 5)
        assert cost.seconds > 0
        assert sum(answered) == 5
        again = made(folder, index, window=2, step=1)
        again.on_cost, again.cache = costs.append, cache
        assert again.rerank(QUERIES, RUN) == first
    assert costs[1][:2] == (5, 2)
    assert costs[1].tokens == 0
