"""Re-ranking by how often documents answered the questions of training."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pipeline_fakes import order, queries

from porism.errors import SourceError
from porism.lab.pipeline.rerankers.prior import PriorReranker, positives
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.lab.train.pairs.base import Pair
from porism.lab.train.pairs.files import write_pairs
from porism.runs.run import Run
from porism.search.searcher import IndexSearcher
from porism.settings import SettingError

RUN = Run({"q": [("a", 9.0), ("b", 8.0), ("c", 7.0), ("d", 6.0)]}, "first")
PAIRS = [Pair(f"question {number}", "text", positive_id=doc_id) for number, doc_id in enumerate("cccbx")]


def test_scores_are_logarithms_in_a_sum_with_the_first_stage() -> None:
    reranker = PriorReranker({"c": 3, "b": 1}, first_stage=0.0)
    assert reranker.scores(queries("q")[0], ["a", "b", "c"]).tolist() == [0.0, math.log(2), math.log(4)]
    assert order(reranker.rerank(queries("q"), RUN, 3), "q") == ["c", "b", "a", "d"]
    reranker.first_stage = 0.9
    assert order(reranker.rerank(queries("q"), RUN, 3), "q") == ["a", "b", "c", "d"]
    # standard scores of 9, 8, 7 are ±1.2247 and 0, and those of 0, log 2 and log 4 their opposites
    reranker.first_stage = 0.25
    assert reranker.rerank(queries("q"), RUN, 3)["q"][0] == ("c", pytest.approx(1.5**0.5 / 2))
    explained = reranker.reason(queries("q")[0], ["c"], reranker.scores(queries("q")[0], ["c"]), 0)
    assert (explained.value, explained.label) == (math.log(4), "log of 1 + the 3 training pairs whose positive it is")


def test_the_kind_reads_a_file_of_pairs(sample_index: Path, tmp_path: Path) -> None:
    write_pairs(tmp_path / "pairs.jsonl", PAIRS)
    kind = RERANKERS["prior"]
    settings = kind.settings("default", {"pairs": "pairs.jsonl", "first_stage": 0.0}, tmp_path)
    assert settings["pairs"] == str((tmp_path / "pairs.jsonl").resolve())
    assert positives(tmp_path / "pairs.jsonl") == {"c": 3, "b": 1, "x": 1}
    stored = kind.stored(settings, ("t1",))
    with IndexSearcher(sample_index) as index:
        run = kind.make(stored, 100, index).rerank(queries("q"), RUN)
        assert order(run, "q") == ["c", "b", "d", "a"]
        assert run.provenance is not None
        assert run.provenance.tuned_on == ("t1",)
        assert run.provenance.made_by["reranker"] == {"kind": "PriorReranker", "documents": 3}
        write_pairs(tmp_path / "pairs.jsonl", PAIRS[:2])
        with pytest.raises(SourceError, match="has changed meanwhile"):
            kind.make(settings, 100, index)
    assert kind.settings("default", {"pairs": "pairs.jsonl"}, tmp_path)["first_stage"] == 0.7


def test_wrong_settings(tmp_path: Path) -> None:
    kind = RERANKERS["prior"]
    with pytest.raises(SettingError, match=r"'no\.jsonl' cannot be read"):
        kind.settings("default", {"pairs": "no.jsonl"}, tmp_path)
    write_pairs(tmp_path / "bare.jsonl", [Pair("a", "b")])
    with pytest.raises(SettingError, match="no pair has the id of its positive"):
        kind.settings("default", {"pairs": "bare.jsonl"}, tmp_path)
    with pytest.raises(SettingError, match="first_stage cannot be -1"):
        kind.settings("default", {"pairs": "bare.jsonl", "first_stage": -1.0}, tmp_path)
