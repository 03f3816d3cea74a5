"""Runs scored by hand-made judgments; every expected number is worked out in the test."""

from __future__ import annotations

import json
from math import isnan, log2

import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import ConfigError, FormatError, QueryError
from porism.lab.evaluate import evaluate_run, restrict_qrels
from porism.runs.run import Run

QRELS = {"t": {"a": 3, "b": 2, "c": 1, "d": 0, "e": 0}}


def ranked(**rankings: str) -> Run:
    """A run of one-letter documents, best first."""
    return Run({topic: [(doc, -float(rank)) for rank, doc in enumerate(docs)] for topic, docs in rankings.items()})


def test_the_default_measures_on_graded_judgments_with_unjudged_documents() -> None:
    scores = evaluate_run(ranked(t="uacvdb"), QRELS).aggregated  # u and v are unjudged: a c d b remains
    ideal = 3 + 2 / log2(3) + 1 / log2(4)
    assert scores == {
        "nDCG'": pytest.approx((3 + 1 / log2(3) + 2 / log2(5)) / ideal),
        "MAP'": pytest.approx((1 / 1 + 2 / 4) / 2),  # relevant: a and b
        "P'@10": pytest.approx(2 / 10),
        "bpref": pytest.approx((1 + (1 - 2 / 2)) / 2),  # above b stand two of the judged c, d, e; capped by min(2, 3)
        "judged@10": pytest.approx(4 / 6),
        "num_rel_ret": 2,
    }
    assert isinstance(scores["num_rel_ret"], int)


def test_measures_without_a_prime_keep_unjudged_documents_and_relevance_from_one() -> None:
    evaluation = evaluate_run(ranked(t="uacvdb"), QRELS, ["nDCG", "AP", "AP(rel=2)", "P@5", "RR", "Bpref", "NumRet"])
    ideal = 3 + 2 / log2(3) + 1 / log2(4)
    assert evaluation["nDCG"] == pytest.approx((3 / log2(3) + 1 / log2(4) + 2 / log2(7)) / ideal)
    assert evaluation["AP"] == pytest.approx((1 / 2 + 2 / 3 + 3 / 6) / 3)
    assert evaluation["AP(rel=2)"] == pytest.approx((1 / 2 + 2 / 6) / 2)
    assert evaluation["P@5"] == pytest.approx(2 / 5)
    assert evaluation["RR"] == pytest.approx(1 / 2)
    assert evaluation["Bpref"] == pytest.approx((1 + 1 + (1 - 1 / 2)) / 3)
    assert evaluation["NumRet"] == 6


def test_primed_cutoffs_count_judged_documents_only() -> None:
    evaluation = evaluate_run(ranked(t="uvwxab"), QRELS, ["P'@2", "P(rel=2)@2", "nDCG'@1", "RR'", "RR(rel=2)"])
    assert evaluation.aggregated == pytest.approx(
        {"P'@2": 1.0, "P(rel=2)@2": 0.0, "nDCG'@1": 1.0, "RR'": 1.0, "RR(rel=2)": 0.2}
    )


def test_ties_go_to_the_later_id() -> None:
    run = Run({"t": [("a", 1.0), ("d", 1.0), ("e", 1.0)]})  # e d a
    assert evaluate_run(run, QRELS, ["RR"])["RR"] == pytest.approx(1 / 3)


def test_scores_that_differ_only_in_64_bits_keep_their_order() -> None:
    run = Run({"t": [("a", 1 + 1e-12), ("d", 1.0), ("e", 1e-300), ("b", 0.0)]})  # by 32 bits: d a, b e
    assert evaluate_run(run, QRELS, ["RR"])["RR"] == 1.0
    assert evaluate_run(run, QRELS, ["AP(rel=2)"])["AP(rel=2)"] == pytest.approx((1 + 2 / 4) / 2)
    huge = Run({"t": [("a", 2e300), ("d", 1e300)]})  # both infinite in 32 bits
    assert evaluate_run(huge, QRELS, ["RR"])["RR"] == 1.0


def test_missing_topics_count_as_zero_or_are_left_out() -> None:
    qrels = {"s": {"a": 2}, "t": {"a": 2, "b": 2}, "without_relevant": {"a": 0}}
    run = ranked(t="ab", other="a")
    by_zero = evaluate_run(run, qrels)
    assert by_zero["MAP'"] == pytest.approx(1 / 3)
    assert by_zero["num_rel_ret"] == 2
    assert by_zero.per_topic["MAP'"] == {"s": 0.0, "t": 1.0, "without_relevant": 0.0}
    assert by_zero.topics == ("s", "t", "without_relevant")
    by_skip = evaluate_run(run, qrels, missing="skip")
    assert by_skip["MAP'"] == 1.0
    assert by_skip.topics == ("t",)
    for evaluation in (by_zero, by_skip):
        assert evaluation.missing_topics == ("s", "without_relevant")
        assert evaluation.unjudged_topics == ("other",)


def test_a_topic_without_results_is_missing_and_one_with_unjudged_results_alone_is_not() -> None:
    qrels = {"s": {"a": 2}, "t": {"a": 2}, "u": {"a": 2}}
    run = Run({"s": [], "t": [("z", 1.0)], "u": [("a", 1.0)]})
    evaluation = evaluate_run(run, qrels, missing="skip")
    assert evaluation.topics == ("t", "u")
    assert evaluation["nDCG'"] == 0.5
    assert evaluation["judged@10"] == 0.5


def test_counts_of_judgments_include_missing_topics() -> None:
    qrels = {"s": {"a": 2, "b": 1}, "t": {"a": 2, "b": 0}}
    assert evaluate_run(ranked(t="a"), qrels, ["NumRel", "NumQ", "NumRet"]).aggregated == {
        "NumRel": 3, "NumQ": 2, "NumRet": 1,
    }
    assert evaluate_run(ranked(t="a"), qrels, ["NumRel", "NumQ"], missing="skip").aggregated == {"NumRel": 1, "NumQ": 1}


def test_several_measures_do_not_disturb_each_other() -> None:
    run = ranked(t="cabd")
    names = ["P(rel=3)@1", "nDCG(gains={1: 0, 2: 0, 3: 1})", "nDCG", "P@1", "NumRet", "nDCG'"]
    together = evaluate_run(run, QRELS, names).aggregated
    alone = [evaluate_run(run, QRELS, [name])[name] for name in names]
    assert list(together.values()) == alone
    assert together["P(rel=3)@1"] == 0.0
    assert together["P@1"] == 1.0


def test_results_below_the_depth_do_not_count() -> None:
    assert evaluate_run(ranked(t="ab"), QRELS, depth=1)["num_rel_ret"] == 1
    deep = Run({"t": [(f"x{n}", -float(n)) for n in range(1000)] + [("a", -2000.0)]})
    assert evaluate_run(deep, QRELS)["num_rel_ret"] == 0
    assert evaluate_run(deep, QRELS, depth=None)["num_rel_ret"] == 1
    assert evaluate_run(deep, QRELS, ["RR'"], depth=None)["RR'"] == 1.0


def test_gains_written_as_floats_are_whole_numbers() -> None:
    as_floats = {"t": {doc: float(gain) for doc, gain in QRELS["t"].items()}}
    assert evaluate_run(ranked(t="bac"), as_floats).aggregated == evaluate_run(ranked(t="bac"), QRELS).aggregated  # type: ignore[arg-type]


@every_case("gain", [1.5, float("nan"), float("inf"), -float("inf"), 10**6, -(10**30)])
def test_gains_that_cannot_be_counted_are_refused(gain: float) -> None:
    with pytest.raises(FormatError, match=r"judgments of topic t: the gain .* of document a is not a whole number"):
        evaluate_run(ranked(t="a"), {"t": {"a": gain}})  # type: ignore[dict-item]


def test_a_negative_gain_is_not_relevant() -> None:
    evaluation = evaluate_run(ranked(t="xa"), {"t": {"a": 2, "x": -2}}, ["nDCG'", "P'@1", "num_rel_ret"])
    assert evaluation.aggregated == pytest.approx({"nDCG'": 1 / log2(3), "P'@1": 0.0, "num_rel_ret": 1})


def test_no_common_topic_says_what_each_side_has() -> None:
    with pytest.raises(QueryError) as caught:
        evaluate_run(Run({f"A.{n}": [("a", 1.0)] for n in range(7)}, "mine"), {"B.1": {"a": 2}})
    assert str(caught.value) == (
        "mine: the run and the judgments have no topic in common. "
        "The run has A.0, A.1, A.2, A.3, A.4 and 2 more; the judgments have B.1."
    )
    with pytest.raises(QueryError, match="The run has none; the judgments have none"):
        evaluate_run(Run({}), {})


def test_wrong_options() -> None:
    with pytest.raises(ConfigError, match="It is 'zero' or 'skip'"):
        evaluate_run(ranked(t="a"), QRELS, missing="ignore")  # type: ignore[arg-type]
    with pytest.raises(ConfigError, match="the depth is 0"):
        evaluate_run(ranked(t="a"), QRELS, depth=0)
    with pytest.raises(ConfigError, match=r"RR was not computed\. Computed were AP"):
        evaluate_run(ranked(t="a"), QRELS, ["AP"])["RR"]


@every_case("failure", [ValueError("Unsupported\n measures"), OSError(2, "no perl"), ImportError()])
def test_a_measure_that_cannot_be_computed_is_named(monkeypatch: pytest.MonkeyPatch, failure: Exception) -> None:
    def fail(*_: object) -> None:
        raise failure

    monkeypatch.setattr("ir_measures.iter_calc", fail)
    with pytest.raises(ConfigError, match=r"measure RBP: cannot be computed here \((Unsup.* measures|.*perl|Import)"):
        evaluate_run(ranked(t="a"), QRELS, ["RBP"])


def test_an_undefined_value_is_left_out() -> None:
    qrels = {"s": {"a": 0}, "t": {"a": 2, "b": 0}}
    both = evaluate_run(ranked(s="a", t="ab"), qrels, ["Accuracy"])  # no pair to compare in s
    assert both.per_topic == {"Accuracy": {"t": 1.0}}
    assert both["Accuracy"] == 1.0
    assert "s" in both.table(per_topic=True)
    none = evaluate_run(ranked(s="a"), {"s": {"a": 0}}, ["Accuracy"])
    assert isnan(none["Accuracy"])
    assert none.to_dict()["aggregated"] == {"Accuracy": None}


def test_as_plain_values() -> None:
    evaluation = evaluate_run(ranked(t="a", x="a"), {"t": {"a": 2}, "s": {"a": 1}}, ["bpref", "num_rel_ret"])
    expected = {
        "run": "porism",
        "aggregated": {"bpref": 0.5, "num_rel_ret": 1},
        "definitions": {"bpref": "Bpref(rel=2)", "num_rel_ret": "NumRet(rel=2)"},
        "topics": 2,
        "missing": "zero",
        "missing_topics": ["s"],
        "unjudged_topics": ["x"],
        "tuned_on": [],
    }
    assert json.loads(json.dumps(evaluation.to_dict())) == expected
    expected["per_topic"] = {"t": {"bpref": 1.0, "num_rel_ret": 1}, "s": {"bpref": 0.0, "num_rel_ret": 0}}
    assert json.loads(json.dumps(evaluation.to_dict(per_topic=True))) == expected


def test_as_a_table() -> None:
    evaluation = evaluate_run(ranked(t="a", x="a"), {"t": {"a": 2}, "s": {"a": 1}}, ["bpref", "num_rel_ret"])
    assert evaluation.table().splitlines() == [
        "measure       value",
        "bpref        0.5000",
        "num_rel_ret       1",
        "2 topics",
        "counted as zero, not in the run: s",
        "left out, without judgments: x",
    ]
    assert evaluation.table(per_topic=True).splitlines()[:4] == [
        "topic   bpref  num_rel_ret",
        "t      1.0000            1",
        "s      0.0000            0",
        "all    0.5000            1",
    ]


def test_judgments_of_a_partial_collection() -> None:
    qrels = {"s": {"a": 2, "b": 0}, "t": {"a": 1, "b": 3}, "u": {"c": 2}}
    assert restrict_qrels(qrels, {"b", "d"}) == {"t": {"b": 3}}
    assert restrict_qrels(qrels, {"a", "b", "c"}) == qrels
    assert restrict_qrels(qrels, set()) == {}


DOCS = "abcdefgh"


@given(
    st.dictionaries(st.sampled_from(DOCS), st.integers(0, 3), min_size=1),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from([0.0, 1.0, 1.0 + 1e-12, 2.0]), min_size=1),
)
def test_the_default_measures_agree_with_their_definitions(gains: dict[str, int], scores: dict[str, float]) -> None:
    order = sorted(sorted(scores, reverse=True), key=lambda doc: -scores[doc])
    judged = [doc for doc in order if doc in gains]
    relevant = {doc for doc, gain in gains.items() if gain >= 2}
    others = len(gains) - len(relevant)

    def dcg(values: list[int]) -> float:
        return sum(value / log2(rank + 1) for rank, value in enumerate(values, 1))

    ideal = dcg(sorted(gains.values(), reverse=True))
    precision_sum = preference_sum = 0.0
    seen = above = 0
    for rank, doc in enumerate(judged, 1):
        if doc in relevant:
            seen += 1
            precision_sum += seen / rank
            preference_sum += 1 - min(above, len(relevant)) / min(len(relevant), others) if above else 1
        else:
            above += 1
    assert evaluate_run(Run({"t": scores.items()}), {"t": gains}).aggregated == pytest.approx({
        "nDCG'": dcg([gains[doc] for doc in judged]) / ideal if ideal else 0.0,
        "MAP'": precision_sum / len(relevant) if relevant else 0.0,
        "P'@10": seen / 10,
        "bpref": preference_sum / len(relevant) if relevant else 0.0,
        "judged@10": len(judged) / len(order),
        "num_rel_ret": seen,
    })
