"""Re-ranking by pairwise scores of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from pairwise_cases import THREE

from porism.errors import SourceError
from porism.explanation import Explanation
from porism.lab.pairwise import PairwiseRun, PairwiseScores, make_aggregation, write_pairwise
from porism.lab.pipeline import StoredPairsReranker, pipeline
from porism.lab.pipeline.rerankers.explaining import rerank_explained
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.runs.run import Run
from porism.settings import SettingError
from porism.types import Content, Query

KIND = RERANKERS["stored-pairs"]
RUN = Run({"q": [("a", 5.0), ("b", 4.0), ("c", 3.0), ("d", 2.0)], "r": [("a", 1.0)]}, "first")
QUERIES = [Query(query_id, {"query": Content("words")}) for query_id in ("q", "r")]


def test_a_pipeline_by_stored_pairs() -> None:
    stage = pipeline(RUN) >> StoredPairsReranker(PairwiseRun((THREE,), {"kind": "duo"}), "sum", 3)
    run = stage.search(QUERIES, 10)
    assert run["q"][:3] == [("a", 1.5), ("c", pytest.approx(1.1)), ("b", pytest.approx(0.7))]
    assert [doc_id for doc_id, _ in run["q"]] == ["a", "c", "b", "d"]
    assert run["r"] == [("a", 1.0)]
    assert run.provenance is not None
    described = run.provenance.made_by["reranker"]
    assert described["aggregation"] == {"method": "sum", "parameters": {}}
    assert described["of"] == {"kind": "duo"}


def test_an_explanation_counts_the_pairs_that_were_won() -> None:
    done = rerank_explained(StoredPairsReranker(PairwiseRun((THREE,)), "sum", 3), QUERIES[0], RUN)
    explained = done.explain("a")
    assert explained.value == pytest.approx(1.5)
    assert explained.label == "sum of 2 comparisons, of which 1 is won; best against b 0.85, c 0.45"
    assert done.explain("b").label == "sum of 2 comparisons, of which 1 is won; best against c 0.55, a 0.15"
    four = np.array([[0.5, 0.9, 0.8, 0.7, 0.6], *[[0.5] * 5] * 4])
    wide = PairwiseScores("q", ("a", "b", "c", "d", "e"), four)
    found = StoredPairsReranker(PairwiseRun((wide,))).reason(QUERIES[0], ["a", "b", "c", "d", "e"], np.ones(5), 0)
    assert found.label == (
        "sym-sum of 4 comparisons, of which 4 are won; best against b 0.70, c 0.65, d 0.60, worst against e 0.55"
    )
    alone = StoredPairsReranker(PairwiseRun((THREE,))).reason(QUERIES[0], ["a"], np.ones(1), 0)
    assert alone == Explanation(1.0, "sym-sum of 0 comparisons")


def test_the_depth_says_which_candidates_are_compared() -> None:
    reranker = StoredPairsReranker(PairwiseRun((THREE,)), make_aggregation("sum"))
    assert reranker.scores(QUERIES[0], ["b", "a"]).tolist() == [0.2, 0.9]
    found = reranker.scores(QUERIES[0], ["d", "c", "a"])
    assert np.isnan(found[0])
    assert found[1:].tolist() == [0.7, 0.6]


def test_the_order_of_the_run_is_that_of_the_stage_before() -> None:
    reranker = StoredPairsReranker(PairwiseRun((THREE,)), "out-of-flip")
    last_is_b = reranker.scores(QUERIES[0], ["c", "a", "b"])  # nothing flips with b: all count
    assert last_is_b[1] == pytest.approx(np.log(0.9 * 0.8 * 0.6 * 0.3))
    assert last_is_b[0] == pytest.approx(np.log(0.7 * 0.4 * 0.4 * 0.5))


def test_settings_of_a_recipe(tmp_path: Path) -> None:
    write_pairwise(tmp_path / "pairs.npz", PairwiseRun((THREE,)))
    settings = KIND.settings("default", {"pairs": "pairs.npz", "method": "loop-truncation",
                                         "parameters": {"cuts": [2], "of": "sum"}}, tmp_path)
    KIND.check(settings)
    reranker = KIND.make(settings, 3, None)  # type: ignore[arg-type]  # no index is needed
    assert isinstance(reranker, StoredPairsReranker)
    assert (pipeline(RUN) >> reranker).search(QUERIES, 10)["q"][0][0] == "c"
    write_pairwise(tmp_path / "pairs.npz", PairwiseRun((THREE.first(2),)))
    assert KIND.settings("default", {"pairs": "pairs.npz"}, tmp_path)["digest"] != settings["digest"]
    with pytest.raises(SourceError, match="has changed meanwhile"):
        KIND.make(settings, 3, None)  # type: ignore[arg-type]


@every_case(("given", "message"), [
    ({"pairs": "none.npz"}, "the file of pairwise scores 'none.npz' cannot be read"),
    ({"pairs": "p", "method": "sums"}, "Did you mean sum"), ({"pears": "p"}, "pears"),
    ({"pairs": "p", "holes": "zero"}, "holes"),
])
def test_wrong_settings(tmp_path: Path, given: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        KIND.settings("default", given, tmp_path)
