"""Published figures of real runs: ARQMath-1 Task 1 (PSU at ARQMath 2020) and duoT5 on TREC 2020 Deep Learning."""

from __future__ import annotations

from pathlib import Path

import pytest
from case_tables import every_case

from porism.corpus import read_qrels
from porism.lab.evaluate import evaluate_run
from porism.runs.run import Run

pytestmark = pytest.mark.needs_shared_data


@every_case(
    ("file", "missing", "expected"),
    [
        ("prim_MathDowsers-task1-alpha05noReRank-auto-both-A.tsv", "zero",
         {"nDCG'": 0.345, "MAP'": 0.139, "num_rel_ret": 804}),
        ("prim_MIRMU-task1-Ensemble-auto-both-A.tsv", "zero",
         {"nDCG'": 0.238, "MAP'": 0.064, "P'@10": 0.139, "num_rel_ret": 708}),
        ("Linked_MSE.tsv", "skip", {"nDCG'": 0.303, "MAP'": 0.210, "num_rel_ret": 395}),
        ("prim_Approach0.tsv", "skip", {"nDCG'": 0.250, "MAP'": 0.100, "num_rel_ret": 441}),
    ],
)
def test_arqmath_2020(shared_data: Path, file: str, missing: str, expected: dict[str, float]) -> None:
    qrels = read_qrels(shared_data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv")
    evaluation = evaluate_run(Run.read(shared_data / "arqmath-runs-2020" / file), qrels, missing=missing)  # type: ignore[arg-type]
    assert {name: round(evaluation[name], 3) for name in expected} == expected


@every_case(
    ("candidates", "ndcg_10", "ndcg_20", "judged_10"),
    [
        (30, 0.7308, 0.7028, 0.9852),
        (50, 0.7306, 0.7024, 0.9759),
        (100, 0.7298, 0.6985, 0.9778),
        (300, 0.7293, 0.6996, 0.9796),
    ],
)
def test_duot5(shared_data: Path, candidates: int, ndcg_10: float, ndcg_20: float, judged_10: float) -> None:
    folder = shared_data / "duot5-dl20"
    run = Run.read(folder / f"base.dl20.p.dTq.rm3.duo.{candidates}.trec")
    evaluation = evaluate_run(run, read_qrels(folder / "qrels.dl20-passage.txt"), ["nDCG@10", "nDCG@20", "judged@10"])
    assert len(evaluation.topics) == 54
    assert [round(value, 4) for value in evaluation.aggregated.values()] == [ndcg_10, ndcg_20, judged_10]
