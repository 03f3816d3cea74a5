"""What measures are handed is as little as they look at: the values are those on whole rankings."""

from __future__ import annotations

import math
from typing import Any

import ir_measures
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.lab.evaluate import DEFAULT_MEASURES, Measure, evaluate_run, parse_measures
from porism.runs.provenance import Provenance
from porism.runs.run import Run

DOCS = [f"d{number}" for number in range(12)]
MEASURES = parse_measures(
    "nDCG' MAP' P'@3 P'@10 bpref judged@2 judged judged@10 num_rel_ret recall recall@4 recall' recall'@4"
    " nDCG nDCG@3 nDCG@20 nDCG(gains={1:0,2:1,3:5}) nDCG'(gains={1:0,2:1,3:5}) nDCG(judged_only=True)@3"
    " AP AP@4 AP(rel=2) AP(rel=2,judged_only=True)@2 AP'@2 P@5 P(rel=3)@5 R@4 R(rel=2)@4"
    " RR RR@2 RR' RR(rel=2)@3 Rprec Rprec(rel=2) Rprec' Success@2 Success(rel=3)@2 Success'@1"
    " Bpref Bpref(rel=1) Bpref(rel=3) NumRet NumRet(rel=1) NumRet(rel=2) NumRelRet"
    " IPrec@0.2 IPrec(rel=2)@0.5 SetP SetP(rel=2) SetR infAP NumRel NumQ"
)

gains = st.dictionaries(st.sampled_from(DOCS), st.integers(-1, 3), min_size=1)
rankings = st.lists(st.sampled_from(DOCS), min_size=1, unique=True)
topics = st.dictionaries(st.sampled_from("stu"), st.tuples(gains, rankings), min_size=1)


def alone(measure: Measure, ranking: list[str], judged: dict[str, int]) -> float:
    """One measure of one topic, by ir_measures on the whole ranking."""
    resolved: Any = measure.resolve()
    if measure.judged_only:
        ranking = [doc for doc in ranking if doc in judged]
    if not ranking:
        return 0.0
    gain_of = resolved.params.get("gains", {})
    if resolved.NAME == "nDCG" and all(gain_of.get(gain, gain) < 0 for gain in judged.values()):
        return 0.0  # trec_eval never returns
    scores = {doc: float(-place) for place, doc in enumerate(ranking)}
    return float(next(iter(ir_measures.iter_calc([resolved], {"t": judged}, {"t": scores}))).value)


@settings(deadline=None, max_examples=examples(150))
@given(topics)
def test_values_are_those_of_one_call_a_measure_on_whole_rankings(
    given_topics: dict[str, tuple[dict[str, int], list[str]]]
) -> None:
    qrels = {topic: judged for topic, (judged, _) in given_topics.items()}
    run = Run({
        topic: [(doc, float(-place)) for place, doc in enumerate(ranking)]
        for topic, (_, ranking) in given_topics.items()
    })
    found = evaluate_run(run, qrels, MEASURES)
    for measure in MEASURES:
        for topic, (judged, ranking) in given_topics.items():
            expected = alone(measure, ranking, judged)
            if math.isnan(expected):
                assert topic not in found.per_topic[repr(measure)]
            else:
                assert found.per_topic[repr(measure)][topic] == expected, (measure, topic)


def test_the_order_and_the_company_of_measures_do_not_matter() -> None:
    run = Run({"t": [(doc, float(-place)) for place, doc in enumerate(DOCS)]})
    qrels = {"t": {doc: place % 4 for place, doc in enumerate(DOCS) if place != 5}}
    forwards = evaluate_run(run, qrels, MEASURES).aggregated
    backwards = evaluate_run(run, qrels, MEASURES[::-1]).aggregated
    assert forwards == backwards
    assert list(forwards) == [repr(measure) for measure in MEASURES]


@every_case("name", ["nDCG", "nDCG'", "nDCG@2", "nDCG(gains={0:-1,1:2})"])
def test_judgments_that_are_all_negative_are_scored(name: str) -> None:
    gains = {"s": {"a": 0 if "gains" in name else -1}, "t": {"a": 1, "b": -1}}
    run = Run({"s": [("a", 1.0)], "t": [("a", 1.0)]})
    assert evaluate_run(run, gains, [name]).per_topic == {repr(parse_measures(name)[0]): {"s": 0.0, "t": 1.0}}


def test_recall_has_two_spellings() -> None:
    run = Run({"t": [("a", 3.0), ("x", 2.0), ("b", 1.0)]})
    qrels = {"t": {"a": 2, "b": 3, "c": 2, "d": 2, "e": 1}}
    found = evaluate_run(run, qrels, ["recall", "recall@1", "recall@2", "recall'@2", "R(rel=2)@2", "SetR(rel=2)"])
    assert list(found.aggregated.values()) == [2 / 4, 1 / 4, 1 / 4, 2 / 4, 1 / 4, 2 / 4]
    assert found.to_dict()["definitions"]["recall"] == "SetR(rel=2)"
    assert found.to_dict()["definitions"]["recall@2"] == "R(rel=2)@2"


def test_whole_rankings_are_made_only_for_measures_that_look_at_them(monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: dict[str, int] = {}
    real = ir_measures.iter_calc

    def spy(measures: list[Any], gains: Any, scored: dict[str, dict[str, float]]) -> Any:
        sizes.update({repr(measure): sum(map(len, scored.values())) for measure in measures})
        return real(measures, gains, scored)

    monkeypatch.setattr("ir_measures.iter_calc", spy)
    run = Run({"t": [(f"x{number}", float(-number)) for number in range(500)] + [("a", -900.0)]})
    evaluate_run(run, {"t": {"a": 2, "b": 1}}, [*DEFAULT_MEASURES, "nDCG@20", "RR"])
    assert sizes == {
        "nDCG": 1, "AP(rel=2)": 1, "P(rel=2)@10": 1, "Bpref(rel=2)": 1, "NumRet(rel=2)": 1,
        "Judged@10": 10, "nDCG@20": 20, "RR": 501,
    }


def test_topics_that_a_run_was_tuned_on_are_said() -> None:
    qrels = {topic: {"a": 2} for topic in "stu"}
    run = Run({"s": [("a", 1.0)], "t": [("a", 1.0)]}, provenance=Provenance(tuned_on=("t", "s", "elsewhere")))
    evaluation = evaluate_run(run, qrels)
    assert evaluation.tuned_on == ("s", "t")
    assert evaluation.table().splitlines()[-1] == "tuned on 2 of these 3 topics: not held out"
    assert evaluation.table(per_topic=True).splitlines()[-1] == "tuned on 2 of these 3 topics: not held out"
    assert evaluation.to_dict()["tuned_on"] == ["s", "t"]
    one = evaluate_run(run, {"t": {"a": 2}})
    assert one.table().splitlines()[-1] == "tuned on this topic: not held out"
    held_out = evaluate_run(run, {"u": {"a": 2}, "s": {"a": 1}}, missing="skip").tuned_on
    assert held_out == ("s",)
    assert evaluate_run(run.with_provenance(None), qrels).tuned_on == ()
    elsewhere = Run({"u": [("a", 1.0)]}, provenance=Provenance(tuned_on=("s",)))
    assert "tuned" not in evaluate_run(elsewhere, {"u": {"a": 2}}).table()
