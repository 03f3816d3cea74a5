"""Runs compared on the same topics; every expected number is worked out in the test."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest

from porism.corpus import read_qrels
from porism.errors import ConfigError, FormatError, QueryError
from porism.lab.evaluate import compare_runs, confidence_interval, evaluate_run, holm, paired_t_test
from porism.runs.provenance import Provenance
from porism.runs.run import Run

Ranked = Callable[..., Run]
QRELS = {topic: {"a": 2, "b": 0, "c": 0, "d": 0} for topic in "stuv"}
"""One relevant document, so RR is one by its rank."""


@pytest.fixture
def runs(ranked: Ranked) -> list[Run]:
    return [
        ranked("base", s="ba", t="ba", u="a", v="a"),  # 1/2 1/2 1 1
        ranked("good", s="a", t="a", u="a", v="ba"),  # 1 1 1 1/2: two wins, a tie, a loss
        ranked("poor", s="bca", t="bca", u="bca"),  # 1/3 1/3 1/3 0: four losses
    ]


def test_tests_by_hand(runs: list[Run]) -> None:
    comparison = compare_runs(runs, QRELS, ["RR"], test="permutation")
    good, poor = comparison.tests["RR"]["good"], comparison.tests["RR"]["poor"]
    assert (good.wins, good.ties, good.losses) == (2, 1, 1)
    assert (poor.wins, poor.ties, poor.losses, poor.topics) == (0, 0, 4, 4)
    assert good.difference == pytest.approx((1 / 2 + 1 / 2 + 0 - 1 / 2) / 4)
    assert poor.difference == pytest.approx((-1 / 6 - 1 / 6 - 2 / 3 - 1) / 4)
    # good: of the eight signs of three halves, two have a sum of ±3/2 and the other six one of ±1/2: all as far as 1/2.
    assert good.p_value == 1.0
    assert poor.p_value == 2 / 16  # all losses
    assert (poor.adjusted, good.adjusted) == (4 / 16, 1.0)  # twice the smaller, since there are two
    assert good.statistic == good.difference
    assert "base" not in comparison.tests["RR"]
    assert comparison.names == ("base", "good", "poor")
    assert comparison.topics == ("s", "t", "u", "v")


def test_the_evaluations_are_those_of_each_run(runs: list[Run]) -> None:
    comparison = compare_runs(runs, QRELS)
    assert [one.aggregated for one in comparison.evaluations] == [evaluate_run(run, QRELS).aggregated for run in runs]
    assert comparison["poor"] is comparison.evaluations[2]
    assert comparison.differences("good", "MAP'") == {"s": 0.5, "t": 0.5, "u": 0.0, "v": -0.5}


def test_p_values_intervals_and_corrections_come_from_the_differences(runs: list[Run]) -> None:
    pytest.importorskip("scipy")
    comparison = compare_runs(runs, QRELS, ["RR", "num_rel_ret"], level=0.8, seed=3)
    differences = {name: list(comparison.differences(name, "RR").values()) for name in ("good", "poor")}
    results = comparison.tests["RR"]
    for name, values in differences.items():
        assert (results[name].statistic, results[name].p_value) == (
            pytest.approx(paired_t_test(values).statistic), pytest.approx(paired_t_test(values).p_value)
        )
        assert results[name].interval == pytest.approx(confidence_interval(values, 0.8, seed=3))
    assert [results[name].adjusted for name in differences] == pytest.approx(
        holm([results[name].p_value for name in differences])
    )
    count = comparison.tests["num_rel_ret"]["poor"]
    assert count.difference == -1  # of a sum: poor lacks v
    low, high = confidence_interval([0, 0, 0, -1], 0.8, seed=3)
    assert count.interval == pytest.approx((4 * low, 4 * high))


def test_p_values_may_stay_as_they_are(runs: list[Run]) -> None:
    corrected = compare_runs(runs, QRELS, ["RR"], test="permutation")
    plain = compare_runs(runs, QRELS, ["RR"], test="permutation", correction="none")
    assert [corrected.tests["RR"]["poor"].adjusted, plain.tests["RR"]["poor"].adjusted] == [4 / 16, 2 / 16]
    assert "not corrected" in plain.table()
    assert "Holm" in corrected.table()
    assert (plain.to_dict()["correction"], corrected.to_dict()["correction"]) == ("none", "holm")
    with pytest.raises(ConfigError, match="there is no correction 'bonferoni'"):
        compare_runs(runs, QRELS, ["RR"], correction="bonferoni")  # type: ignore[arg-type]


def test_equal_runs_do_not_differ(runs: list[Run]) -> None:
    for test in ("t-test", "wilcoxon", "permutation"):
        comparison = compare_runs([runs[0], runs[0].renamed("copy")], QRELS, test=test)  # type: ignore[arg-type]
        for results in comparison.tests.values():
            result = results["copy"]
            assert (result.p_value, result.adjusted, result.difference, result.stars) == (1.0, 1.0, 0.0, "")
            assert (result.wins, result.ties, result.losses) == (0, 4, 0)
            assert result.interval == (0.0, 0.0)


def test_one_topic_is_no_evidence(ranked: Ranked) -> None:
    for test in ("t-test", "wilcoxon", "permutation"):
        comparison = compare_runs(
            [ranked("one", s="a"), ranked("two", s="ba")], {"s": {"a": 2}}, ["RR"], test=test  # type: ignore[arg-type]
        )
        result = comparison.tests["RR"]["two"]
        assert (result.p_value, result.difference, result.losses) == (1.0, -0.5, 1)
        assert result.interval == (-0.5, -0.5)


def test_topics_without_a_value_are_left_out_of_the_pair(ranked: Ranked) -> None:
    qrels = {"s": {"a": 2, "b": 0}, "t": {"a": 2, "b": 0}, "u": {"a": 0, "b": 0}}
    # Accuracy is the share of relevant documents before a non-relevant one: undefined for u, which has none.
    one, two = ranked("one", s="ab", t="ab", u="ab"), ranked("two", s="ba", t="ab", u="ab")
    result = compare_runs([one, two], qrels, ["Accuracy"], test="wilcoxon").tests["Accuracy"]["two"]
    assert (result.difference, result.wins, result.ties, result.losses) == (-0.5, 0, 1, 1)
    nothing = compare_runs([one.only("u"), two.only("u")], {"u": qrels["u"]}, ["Accuracy"]).tests["Accuracy"]["two"]
    assert nothing.to_dict() == {
        "p_value": 1.0, "adjusted": 1.0, "statistic": 0.0, "difference": 0.0, "interval": [0.0, 0.0],
        "wins": 0, "ties": 0, "losses": 0,
    }


def test_baselines(runs: list[Run]) -> None:
    assert compare_runs(runs, QRELS, ["RR"], baseline="best").baseline == 1
    assert compare_runs(runs, QRELS, ["RR"], baseline="poor").baseline == 2
    assert compare_runs(runs, QRELS, ["RR"], baseline=-1).baseline == 2
    tied = [runs[2], runs[1].renamed("first"), runs[1].renamed("second")]
    assert compare_runs(tied, QRELS, ["RR"], baseline="best").names[1] == "first"
    with pytest.raises(ConfigError, match=r"there is no run 'god'\. Did you mean good\?"):
        compare_runs(runs, QRELS, baseline="god")
    with pytest.raises(ConfigError, match="There are 3, from 0"):
        compare_runs(runs, QRELS, baseline=3)


def test_the_best_is_one_that_has_a_value(ranked: Ranked) -> None:
    qrels = {"s": {"a": 0}, "t": {"a": 2, "b": 0}}
    undefined, defined = ranked("undefined", s="a"), ranked("defined", s="a", t="ab")
    comparison = compare_runs([undefined, defined], qrels, ["Accuracy"], baseline="best", test="wilcoxon")
    assert comparison.names[comparison.baseline] == "defined"


def test_skipped_topics_are_those_that_no_run_answers(ranked: Ranked) -> None:
    one, two = ranked("one", s="a", t="a"), ranked("two", t="ba", x="a")
    comparison = compare_runs([one, two], QRELS, ["RR"], missing="skip", test="permutation")
    assert comparison.topics == ("s", "t")
    assert [evaluation["RR"] for evaluation in comparison.evaluations] == [1.0, 0.25]
    assert comparison.notes == (
        "left out, answered by none: u, v", "two: counted as zero, not in the run: s",
    )
    assert compare_runs([one, two], QRELS, ["RR"], test="permutation").topics == ("s", "t", "u", "v")


def test_runs_of_one_name_are_numbered(ranked: Ranked) -> None:
    given = [ranked("x", s="a"), ranked("x (2)", s="ba"), ranked("x", s="bca"), ranked("x", s="bcda")]
    comparison = compare_runs(given, QRELS, ["RR"], test="permutation", missing="skip")
    assert comparison.names == ("x", "x (2)", "x (3)", "x (4)")
    assert [one["RR"] for one in comparison.evaluations] == [1.0, 1 / 2, 1 / 3, 1 / 4]
    assert comparison.notes[0] == "3 runs are named x: they are numbered in the order given"


def test_one_run_has_no_tests(runs: list[Run]) -> None:
    comparison = compare_runs(runs[:1], QRELS, ["RR", "MAP'"])
    assert comparison.tests == {"RR": {}, "MAP'": {}}
    assert comparison.table().splitlines()[1].split() == ["base", "‡", "0.7500", "0.7500", "–"]


def test_wrong_input_is_refused_before_anything_is_scored(
    runs: list[Run], ranked: Ranked, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise AssertionError("something was scored")

    monkeypatch.setattr("porism.lab.evaluate.comparison.evaluate_run", fail)
    with pytest.raises(QueryError, match=r"^other: the run and the judgments have no topic in common"):
        compare_runs([*runs, ranked("other", z="a")], QRELS)
    with pytest.raises(QueryError, match=r"^base \(2\): the run and"):  # which of two runs of a name
        compare_runs([*runs, ranked("base", z="a")], QRELS)
    with pytest.raises(QueryError, match="there is no run"):
        compare_runs([], QRELS)
    with pytest.raises(ConfigError, match=r"there is no test 't'\. "):
        compare_runs(runs, QRELS, test="t")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="Did you mean wilcoxon"):
        compare_runs(runs, QRELS, test="wilcox")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="there is no measure 'nDCQ'"):
        compare_runs(runs, QRELS, ["nDCQ"])
    with pytest.raises(ConfigError, match="no measure is named"):
        compare_runs(runs, QRELS, [])
    with pytest.raises(ConfigError, match="between 0 and 1"):
        compare_runs(runs, QRELS, level=95)
    with pytest.raises(ConfigError, match="missing is 'drop'"):
        compare_runs(runs, QRELS, missing="drop")  # type: ignore[arg-type]


def test_gains_that_are_no_whole_numbers(runs: list[Run]) -> None:
    with pytest.raises(FormatError, match="is not a whole number"):
        compare_runs(runs, {"s": {"a": 0.5}})  # type: ignore[dict-item]


def test_as_a_table(runs: list[Run]) -> None:
    comparison = compare_runs(runs, QRELS, ["RR", "num_rel_ret"], test="permutation")
    assert comparison.table().splitlines() == [
        "run         RR  num_rel_ret  wins/ties/losses",
        "base ‡  0.7500            4                 –",
        "good    0.8750            4             2/1/1",
        "poor    0.2500            3             0/0/4",
        "4 topics",
        "wins, ties and losses by topic, RR; * p < 0.05, ** p < 0.01 against base (‡), two-tailed paired permutation "
        "test, Holm–Bonferroni",
        "poor: counted as zero, not in the run: v",
    ]


def test_stars_in_the_table(ranked: Ranked) -> None:
    topics = [f"t{number}" for number in range(10)]
    qrels = {topic: {"a": 2} for topic in topics}
    good, bad = ranked("good", **dict.fromkeys(topics, "a")), ranked("bad", **dict.fromkeys(topics, "ba"))
    lines = compare_runs([good, bad], qrels, ["RR"], test="permutation").table().splitlines()
    assert lines[1].split() == ["good", "‡", "1.0000", "–"]
    assert lines[2].split() == ["bad", "0.5000**", "0/0/10"]  # p = 2 / 2 ** 10


def test_runs_tuned_on_these_topics_are_marked(ranked: Ranked) -> None:
    tuned = ranked("tuned", Provenance(tuned_on=("s", "t", "elsewhere")), s="a", t="a", u="a")
    comparison = compare_runs([ranked("base", s="ba", t="ba"), tuned], QRELS, ["RR"], test="permutation")
    assert comparison.evaluations[1].tuned_on == ("s", "t")
    table = comparison.table().splitlines()
    assert table[2].startswith("tuned †")
    assert table[-2:] == [
        "† tuned: tuned on 2 of these 4 topics: not held out",
        "tests that a run marked † takes part in say nothing of topics it was not tuned on",
    ]
    as_json = json.loads(json.dumps(comparison.to_dict()))
    assert [run["tuned_on"] for run in as_json["runs"]] == [[], ["s", "t"]]
    assert "† tuned: tuned on 2 of these 4 topics: not held out" in as_json["notes"]
    elsewhere = ranked("tuned", Provenance(tuned_on=("elsewhere",)), s="a", t="a", u="a")
    assert "†" not in compare_runs([elsewhere, tuned.with_provenance(None)], QRELS, ["RR"]).table()


def test_as_plain_values(ranked: Ranked) -> None:
    qrels = {topic: {"a": 2} for topic in "st"}
    comparison = compare_runs([ranked("one", s="a", t="a"), ranked("two", s="ba", t="ba")], qrels, ["RR"])
    assert comparison.tests["RR"]["two"].statistic == -math.inf  # the same difference for all topics
    plain = json.loads(json.dumps(comparison.to_dict(per_topic=True), allow_nan=False))
    assert plain["baseline"] == "one"
    assert plain["tests"]["RR"]["two"]["statistic"] is None
    assert plain["runs"][1]["per_topic"]["s"] == {"RR": 0.5}


@pytest.mark.needs_shared_data
def test_real_runs(shared_data: Path) -> None:
    stats = pytest.importorskip("scipy.stats")
    qrels = read_qrels(shared_data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv")
    files = ("prim_MathDowsers-task1-alpha05noReRank-auto-both-A.tsv", "prim_MIRMU-task1-Ensemble-auto-both-A.tsv",
             "prim_Approach0.tsv", "Linked_MSE.tsv")
    runs = [Run.read(shared_data / "arqmath-runs-2020" / file) for file in files]
    comparison = compare_runs(runs, qrels, baseline="best")
    assert comparison.baseline == 0
    for name, results in comparison.tests.items():
        p_values = []
        for evaluation in comparison.evaluations[1:]:
            mine = [evaluation.per_topic[name][topic] for topic in comparison.topics]
            other = [comparison.evaluations[0].per_topic[name][topic] for topic in comparison.topics]
            p_values.append(stats.ttest_rel(mine, other).pvalue if mine != other else 1.0)  # SciPy says NaN
            assert results[evaluation.run_name].p_value == pytest.approx(p_values[-1])
        assert [result.adjusted for result in results.values()] == pytest.approx(holm(p_values))
