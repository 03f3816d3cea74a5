"""The share of the first stage, chosen by judgments."""

from __future__ import annotations

import pytest
from pipeline_fakes import Given, order, queries

from porism.errors import ConfigError, QueryError
from porism.lab.tuning import CrossValidated, Tuned, tune_first_stage
from porism.runs.run import Run

TOPICS = ("q1", "q2", "q3", "q4")
RUN = Run({topic: [("a", 3.0), ("b", 2.0), ("c", 1.0), ("d", 0.5)] for topic in TOPICS}, "first")


def relevant(doc_id: str) -> dict[str, dict[str, int]]:
    return {topic: {doc_id: 1} for topic in TOPICS}


def test_the_share_that_is_best_is_chosen_and_every_query_is_scored_once() -> None:
    reranker = Given({"a": 0.0, "b": 1.0, "c": 0.0}, 3)
    run, found = tune_first_stage(
        reranker, queries(*TOPICS), RUN, relevant("b"), "RR", shares=(1.0, 0.9, 0.5, 0.0), folds=0
    )
    assert isinstance(found, Tuned)
    # standard scores of a: 1.2247 and -0.7071; of b: 0 and 1.4142: b leads below a share of 0.634
    assert {trial.parameters["first_stage"]: trial.score for trial in found.trials} == {
        1.0: 0.5, 0.9: 0.5, 0.5: 1.0, 0.0: 1.0
    }
    assert found.parameters == {"first_stage": 0.5}  # of equals that with more of the first stage
    assert order(run, "q1") == ["b", "a", "c", "d"]
    assert reranker.asked == [(topic, ("a", "b", "c")) for topic in TOPICS]
    assert run.provenance is not None
    assert set(run.provenance.tuned_on) == set(TOPICS)
    assert run.provenance.made_by["first_stage"] == 0.5


def test_a_reranker_that_lowers_its_first_stage_is_left_out() -> None:
    # c has no score: any share but 1 puts it below the others
    run, found = tune_first_stage(
        Given({"a": 0.0, "b": 1.0}), queries(*TOPICS), RUN, {"q1": {"a": 1, "c": 1}}, "AP", depth=4, folds=0
    )
    assert found.parameters == {"first_stage": 1.0}
    assert [run[topic] for topic in TOPICS] == [RUN[topic] for topic in TOPICS]


def test_each_topic_is_ranked_by_what_the_others_chose() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"a": 1}, "q3": {"b": 1}}
    run, found = tune_first_stage(
        Given({"a": 0.0, "b": 1.0, "c": 0.0}, 3), queries(*TOPICS), RUN, qrels, "RR", shares=(1.0, 0.0), folds=3
    )
    assert isinstance(found, CrossValidated)
    chosen = {fold.topics[0]: fold.tuned.parameters["first_stage"] for fold in found.folds}
    assert chosen == {"q1": 1.0, "q2": 1.0, "q3": 1.0}
    assert found.whole.parameters == {"first_stage": 1.0}
    assert found.score == pytest.approx((1 + 1 + 0.5) / 3)
    assert run.provenance is not None
    assert run.provenance.tuned_on == ()
    assert order(run, "q4") == ["a", "b", "c", "d"]


def test_what_is_refused() -> None:
    reranker = Given({})
    with pytest.raises(QueryError, match="no query of the run has judgments"):
        tune_first_stage(reranker, queries(*TOPICS), RUN, {"other": {"a": 1}})
    for shares in ((1.5,), (0.5, -0.1), ()):
        with pytest.raises(ConfigError, match="shares of the first stage cannot be"):
            tune_first_stage(reranker, queries(*TOPICS), RUN, relevant("a"), shares=shares)
    assert reranker.asked == []
