"""What members add to an ensemble; the fusion here takes the first result of each run in turn."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from porism.errors import ConfigError, QueryError
from porism.lab.evaluate import Clustering, leave_one_out, one_per_cluster
from porism.runs.provenance import Provenance
from porism.runs.run import Run

Ranked = Callable[..., Run]
QRELS = {"s": {"a": 2, "b": 2, "c": 2}, "t": {"a": 2, "b": 2, "c": 2}}


def union(runs: Sequence[Run]) -> Run:
    """All documents of the runs: recall is the share of relevant ones that any of them found."""
    return Run(
        {topic: [(doc, 0.0) for doc in sorted({doc for run in runs for doc, _ in run[topic]})] for topic in QRELS},
        provenance=Provenance.merged(run.provenance for run in runs),
    )


@pytest.fixture
def runs(ranked: Ranked) -> list[Run]:
    return [ranked("one", s="a", t="ab"), ranked("two", s="a", t="x"), ranked("three", s="c", t="x")]


def test_leave_one_out_by_hand(runs: list[Run]) -> None:
    found = leave_one_out(runs, union, QRELS, "recall", test="permutation")
    # All: a c of s and a b of t. Without one: a c and nothing. Without two: the same as all. Without three: a and a b.
    assert [one["recall"] for one in found.comparison.evaluations] == pytest.approx([4 / 6, 2 / 6, 4 / 6, 3 / 6])
    assert [found.contribution(name) for name in found.names] == pytest.approx([2 / 6, 0, 1 / 6])
    assert found.comparison.names == ("all", "without one", "without two", "without three")
    assert found.comparison.tests["recall"]["without one"].losses == 1
    assert "without three" in found.table()
    assert json.loads(json.dumps(found.to_dict()))["contributions"]["three"] == pytest.approx(1 / 6)
    with pytest.raises(ConfigError, match="there is no run 'without four'"):
        found.contribution("four")


def test_runs_of_one_name_are_told_apart(runs: list[Run]) -> None:
    found = leave_one_out([runs[0], runs[0], runs[2]], union, QRELS, "recall", test="permutation")
    assert found.names == ("one", "one (2)", "three")
    assert found.contribution("one") == found.contribution("one (2)") == 0


def test_a_tuned_member_marks_what_it_is_part_of(runs: list[Run]) -> None:
    runs[0] = runs[0].with_provenance(Provenance(tuned_on=("s",)))
    found = leave_one_out(runs, union, QRELS, "recall", test="permutation")
    assert [one.tuned_on for one in found.comparison.evaluations] == [("s",), (), ("s",), ("s",)]


def clustered(*labels: int) -> Clustering:
    return Clustering(np.empty((0, 4)), np.array(labels), {}, max(labels) + 1, tuple(range(len(labels))))


def test_one_per_cluster_by_hand(runs: list[Run]) -> None:
    found = one_per_cluster(runs, clustered(0, 0, 1), union, QRELS, "recall")
    assert found.every
    assert found.draws == ((("one", "three"), pytest.approx(4 / 6)), (("two", "three"), pytest.approx(2 / 6)))
    assert (found.full, found.mean, found.worst, found.best) == pytest.approx((4 / 6, 3 / 6, 2 / 6, 4 / 6))
    assert found.table().splitlines() == [
        "fused                                  recall",
        "all runs                               0.6667",
        "one run from each of 2 clusters, mean  0.5000",
        "worst                                  0.3333",
        "best                                   0.6667",
        "all choices: 2",
    ]
    assert json.loads(json.dumps(found.to_dict()))["mean"] == pytest.approx(0.5)


def test_draws_are_different_and_come_from_the_seed(ranked: Ranked) -> None:
    many = [ranked(f"run{number}", s="abc"[number % 3], t="x") for number in range(12)]
    clustering = clustered(*(number // 4 for number in range(12)))
    found = one_per_cluster(many, clustering, union, QRELS, "recall", draws=10, seed=3)
    assert len({names for names, _ in found.draws}) == 10
    assert not found.every
    for names, _ in found.draws:
        assert sorted(int(name.removeprefix("run")) // 4 for name in names) == [0, 1, 2]
    assert found == one_per_cluster(many, clustering, union, QRELS, "recall", draws=10, seed=3)
    assert found != one_per_cluster(many, clustering, union, QRELS, "recall", draws=10, seed=4)
    assert found.table().splitlines()[-1] == "random choices: 10"


def test_what_cannot_be_taken_apart(runs: list[Run], ranked: Ranked) -> None:
    def fail(_: Sequence[Run]) -> Run:
        raise AssertionError("something was fused")

    with pytest.raises(QueryError, match="an ablation of 1 run"):
        leave_one_out(runs[:1], fail, QRELS)
    with pytest.raises(QueryError, match=r"^other: the run and the judgments"):
        leave_one_out([*runs, ranked("other", z="a")], fail, QRELS)
    with pytest.raises(ConfigError, match="no measure 'recal'"):
        leave_one_out(runs, fail, QRELS, "recal")
    with pytest.raises(ConfigError, match="a clustering of 2 runs cannot be used for 3"):
        one_per_cluster(runs, clustered(0, 1), fail, QRELS)
    with pytest.raises(ConfigError, match="0 draws"):
        one_per_cluster(runs, clustered(0, 0, 1), fail, QRELS, draws=0)
