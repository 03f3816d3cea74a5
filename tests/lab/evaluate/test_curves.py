"""Precision against recall, places of results, depths and times; expected numbers are worked out in the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.corpus import read_qrels
from porism.errors import ConfigError, QueryError
from porism.lab.evaluate import (
    RECALL_LEVELS,
    confidence_interval,
    evaluate_at_depths,
    evaluate_run,
    judged_per_mille,
    precision_recall,
    rank_positions,
    time_statistics,
)
from porism.runs.provenance import Provenance
from porism.runs.run import Run

Ranked = Callable[..., Run]


def test_a_curve_by_hand(ranked: Ranked) -> None:
    # Four relevant; found at ranks 1, 3 and 6 of x-marked a x b x x c: precision 1, 2/3, 1/2 at recall 1/4, 1/2, 3/4.
    qrels = {"t": {**dict.fromkeys("abcd", 2), "x": 0, "y": 0, "z": 1}}
    curve = precision_recall(ranked(t="axbyzc"), qrels)
    assert curve.tolist() == pytest.approx([1, 1, 1, 2 / 3, 2 / 3, 2 / 3, 1 / 2, 1 / 2, 0, 0, 0])
    # With z five are relevant and three are found in the first five.
    assert precision_recall(ranked(t="axbyzc"), qrels, rel=1)[:5].tolist() == pytest.approx([1, 1, 1, 2 / 3, 2 / 3])


def test_interpolation_takes_the_best_precision_further_on(ranked: Ranked) -> None:
    qrels = {"t": {"a": 2, "b": 2}}
    assert precision_recall(ranked(t="xyab"), qrels).tolist() == pytest.approx([1 / 2] * 11)  # 1/3 at a, 2/4 at b


def test_judged_only_is_an_option(ranked: Ranked) -> None:
    run, qrels = ranked(t="uavb"), {"t": {"a": 2, "b": 2}}
    assert precision_recall(run, qrels)[[0, 10]].tolist() == [1 / 2, 1 / 2]
    assert precision_recall(run, qrels, True)[[0, 10]].tolist() == [1, 1]
    assert precision_recall(run, qrels, depth=2)[[0, 5, 6]].tolist() == [1 / 2, 1 / 2, 0]


def test_topics_of_a_curve(ranked: Ranked) -> None:
    qrels = {"s": {"a": 2}, "t": {"a": 2}, "none": {"a": 0}}
    run = ranked(s="a", none="a")
    assert precision_recall(run, qrels).tolist() == pytest.approx([1 / 3] * 11)
    assert precision_recall(run, qrels, missing="skip").tolist() == pytest.approx([1 / 2] * 11)
    with pytest.raises(QueryError, match="no topic in common"):
        precision_recall(ranked(z="a"), qrels)
    with pytest.raises(ConfigError, match="rel is 0"):
        precision_recall(run, qrels, rel=0)


@settings(deadline=None)
@given(
    st.lists(st.sampled_from("abcdefghijkl"), min_size=1, unique=True),
    st.dictionaries(st.sampled_from("abcdefghijkl"), st.integers(0, 3), min_size=1), st.booleans(),
)
def test_a_curve_is_that_of_trec_eval(ranking: list[str], gains: dict[str, int], judged_only: bool) -> None:
    run = Run({"t": [(doc, -float(place)) for place, doc in enumerate(ranking)]})
    prime = "'" if judged_only else ""
    names = [f"IPrec{prime}(rel=2)@{level:.1f}" for level in RECALL_LEVELS]
    expected = list(evaluate_run(run, {"t": gains}, names).aggregated.values())
    assert precision_recall(run, {"t": gains}, judged_only).tolist() == pytest.approx(expected)


@pytest.mark.needs_shared_data
def test_a_curve_of_a_real_run(shared_data: Path) -> None:
    qrels = read_qrels(shared_data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv")
    run = Run.read(shared_data / "arqmath-runs-2020" / "Linked_MSE.tsv")
    expected = evaluate_run(run, qrels, [f"IPrec(rel=2)@{level:.1f}" for level in RECALL_LEVELS])
    assert precision_recall(run, qrels).tolist() == pytest.approx(list(expected.aggregated.values()))


def test_places_of_a_fusion(ranked: Ranked) -> None:
    fused = ranked(t="abcd", s="a")
    with_gaps = Run.from_columns(["t"], [0, 2], ["d", "a"], [2.0, 1.0], ranks=[3, 17])
    found = rank_positions(fused, [ranked(t="cab"), with_gaps, ranked(s="a")], "t", 3)
    assert found.tolist() == [[2, 17, 0], [3, 0, 0], [1, 0, 0]]
    assert rank_positions(fused, [], "t").shape == (4, 0)
    with pytest.raises(QueryError, match=r"fused: there is no topic z\. The run has t, s"):
        rank_positions(fused.renamed("fused"), [], "z")
    with pytest.raises(ConfigError, match="k is 0"):
        rank_positions(fused, [], "t", 0)


def test_depths_by_hand(ranked: Ranked) -> None:
    qrels = {"s": {"a": 2, "b": 2}, "t": {"a": 2, "b": 0}}
    found = evaluate_at_depths(ranked("mine", s="axyb", t="xa"), qrels, ["recall", "num_rel_ret"], [4, 1, 4], level=0.9)
    assert found.depths == (1, 4)
    assert [one["recall"] for one in found.evaluations] == [(1 / 2 + 0) / 2, (1 + 1) / 2]
    assert found.judged == (500, 500)  # of the first: s yes, t no; of all: two of four and one of two
    assert found.intervals[0]["recall"] == confidence_interval([0.5, 0], 0.9)
    assert found.intervals[1]["recall"] == (1.0, 1.0)
    assert found.table().splitlines() == [
        "measure                      first 1                  first 4",
        "recall       0.2500 [0.0000, 0.5000]  1.0000 [1.0000, 1.0000]",
        "num_rel_ret                 1 [0, 2]                 3 [2, 4]",
        "judged ‰                       500.0                    500.0",
        "in brackets: 90% bootstrap intervals over topics",
        "2 topics",
    ]
    plain = json.loads(json.dumps(found.to_dict()))
    assert [one["depth"] for one in plain["depths"]] == [1, 4]
    assert plain["depths"][1]["judged_per_mille"] == 500
    assert plain["depths"][1]["intervals"]["recall"] == [1, 1]


def test_judged_per_mille(ranked: Ranked) -> None:
    qrels = {"s": {"a": 0}, "t": {"a": 2}, "missing": {"a": 2}}
    run = ranked(s="xyza", t="ax")
    assert judged_per_mille(run, qrels) == 1000 * (1 / 4 + 1 / 2) / 2
    assert judged_per_mille(run, qrels, 1) == 1000 * (0 + 1) / 2
    long = Run({"t": [(f"d{place}", -float(place)) for place in range(1, 1002)]})
    assert judged_per_mille(long, {"t": {"d1000": 1}}) == 1.0
    assert judged_per_mille(long, {"t": {"d1001": 1}}) == 0.0  # below the first thousand
    assert judged_per_mille(long, {"t": {"d1001": 1}}, None) == pytest.approx(1000 / 1001)


def test_depths_are_checked_before_anything_is_scored(ranked: Ranked, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.lab.evaluate.depths.evaluate_run", None)
    qrels = {"t": {"a": 2}}
    for options, message in (
        ({"depths": []}, "no depth is named"), ({"depths": [10, 0]}, "the depth is 0"),
        ({"level": 95}, "between 0 and 1"), ({"missing": "drop"}, "missing is"),
        ({"measures": ["nDCQ"]}, "no measure 'nDCQ'"),
    ):
        with pytest.raises(ConfigError, match=message):
            evaluate_at_depths(ranked(t="a"), qrels, **options)  # type: ignore[arg-type]


def test_times_by_hand() -> None:
    seconds = {f"t{number}": number / 100 for number in range(1, 21)}
    found = time_statistics(Run({}, provenance=Provenance(seconds=seconds)))
    assert (found.count, found.best, found.worst) == (20, 0.01, 0.2)
    assert (found.fastest_topic, found.slowest_topic) == ("t1", "t20")
    assert found.median == pytest.approx(0.105)
    assert found.mean == pytest.approx(0.105)
    assert found.p95 == pytest.approx(0.19 + 0.05 * 0.01)  # between the 19th and the 20th
    assert str(found) == "20 queries: median 105.0 ms, 95th percentile 190.5 ms, worst 200.0 ms (t20), mean 105.0 ms"
    assert found.to_dict()["worst"] == 0.2
    one = time_statistics(Run({}, provenance=Provenance(seconds={"t": 0.5})))
    assert (one.median, one.p95, one.worst, one.mean) == (0.5, 0.5, 0.5, 0.5)


@every_case("provenance", [None, Provenance()])
def test_unknown_times(provenance: Provenance | None) -> None:
    with pytest.raises(QueryError, match="mine: nothing is known of its times"):
        time_statistics(Run({"t": [("a", 1.0)]}, "mine", provenance=provenance))


def test_the_levels_of_recall() -> None:
    assert np.array_equal(RECALL_LEVELS, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0])
