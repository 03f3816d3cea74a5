"""RBC and what comes of it: coefficients, the choice of a model, cross-validation, provenance."""

from __future__ import annotations

import json

import fusion_reference as book
import numpy as np
import pytest
from case_tables import every_case

from porism.errors import ConfigError, QueryError
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import (
    LEARNED,
    LINEAR,
    MODELS,
    RBC,
    WIBC,
    FittedRBC,
    LearnedFusion,
    cross_validate_fusion,
    fit_wibc,
    fuse,
    make_fusion,
    weighted_by,
)
from porism.lab.fusion.regression import _ndcg
from porism.runs.provenance import Provenance
from porism.runs.run import Run

pytest.importorskip("sklearn")


def judged_runs(topics: int = 12, seed: int = 0) -> tuple[list[Run], dict[str, dict[str, int]]]:
    """Three runs of 30 documents a topic, the first good, the second fair, the third noise; and gains 0 to 3."""
    rng = np.random.default_rng(seed)
    qrels: dict[str, dict[str, int]] = {}
    results: list[dict[str, list[tuple[str, float]]]] = [{}, {}, {}]
    for topic in range(topics):
        gains = rng.integers(0, 4, 40)
        qrels[f"T{topic}"] = {f"d{doc}": int(gain) for doc, gain in enumerate(gains) if doc % 5}
        for run, noise in zip(results, (0.7, 2.0, 100.0), strict=True):
            scores = gains + noise * rng.normal(size=40)
            run[f"T{topic}"] = [(f"d{doc}", float(scores[doc])) for doc in np.argsort(-scores)[:30]]
    return [Run(given, name) for given, name in zip(results, ("good", "fair", "noise"), strict=True)], qrels


def test_scores_are_sums_of_coefficients_and_ratings() -> None:
    runs = [Run({"T": [("a", 2.0), ("b", 1.0)]}, "one"), Run({"T": [("b", 2.0)]}, "two")]
    found = dict(fuse(runs, "rbc", coefficients=[2.0, 0.5], intercept=0.1)["T"])
    assert found == pytest.approx({"a": 0.1 + 2 * 0.999, "b": 0.1 + 2 * 0.998 + 0.5 * 0.999})
    by_rank = dict(fuse(runs, "rbc", coefficients=[-2.0, -0.5], features="rank", deepest=10)["T"])
    assert by_rank == pytest.approx({"a": -2 * 1 - 0.5 * 10, "b": -2 * 2 - 0.5 * 1})
    reciprocal = dict(fuse(runs, "rbc", coefficients=[1.0, 1.0], features="reciprocal")["T"])
    assert reciprocal == pytest.approx({"a": 60 / 61, "b": 60 / 62 + 60 / 61})


def test_judged_documents_that_no_run_found_are_learnt_from_as_missing() -> None:
    runs, qrels = judged_runs()
    topics = [f"T{number}" for number in range(8)]
    rows, gains = [], []
    for topic in topics:
        rank = [{doc: at for at, (doc, _) in enumerate(run[topic], 1)} for run in runs]
        for doc, gain in qrels[topic].items():
            rows.append([1 - one[doc] / 1000 if doc in one else 0.0 for one in rank])
            gains.append(gain)
    assert [0.0, 0.0, 0.0] in rows
    design = np.column_stack([np.array(rows), np.ones(len(rows))])
    expected, *_ = np.linalg.lstsq(design, np.array(gains, float), rcond=None)
    fitted = RBC(model="linear", documents="judged").fit(runs, qrels, topics)
    assert fitted.settings.coefficients == pytest.approx(expected[:3])
    assert fitted.settings.intercept == pytest.approx(expected[3])
    assert fitted.weights != pytest.approx(RBC(model="linear").fit(runs, qrels, topics).weights)


def test_a_linear_regression_is_the_least_squares_solution() -> None:
    runs, qrels = judged_runs()
    topics = [f"T{number}" for number in range(8)]
    fitted = RBC(model="linear").fit(runs, qrels, topics)
    rows, gains = [], []
    for topic in topics:
        lists = book.lists_of(runs, topic)
        for doc in book.candidates(lists):
            if doc in qrels[topic]:
                rows.append([1.0, *((1000 - one[doc][0]) / 1000 if doc in one else 0.0 for one in lists)])
                gains.append(qrels[topic][doc])
    solution = np.linalg.lstsq(np.asarray(rows), np.asarray(gains, float), rcond=None)[0]
    assert fitted.settings.intercept == pytest.approx(solution[0], abs=1e-6)
    assert fitted.weights == pytest.approx(solution[1:], abs=1e-6)
    fused = fitted.fuse(runs)
    lists = book.lists_of(runs, "T11")
    for doc, score in fused["T11"]:
        features = [(1000 - one[doc][0]) / 1000 if doc in one else 0.0 for one in lists]
        assert score == pytest.approx(solution[0] + np.dot(solution[1:], features), abs=1e-6)


def test_ranks_and_ratings_are_the_same_linear_regression() -> None:
    runs, qrels = judged_runs()
    by_rating = RBC(model="linear").fit(runs, qrels)
    by_rank = RBC(model="linear", features="rank").fit(runs, qrels)
    assert by_rank.weights == pytest.approx([weight / 1000 for weight in by_rating.weights], rel=1e-6)
    one, other = by_rating.fuse(runs), by_rank.fuse(runs)
    assert one.scores == pytest.approx(other.scores, abs=1e-6)


@every_case("model", MODELS)
def test_every_model_ranks_topics_it_has_not_seen(model: str) -> None:
    runs, qrels = judged_runs(seed=3)
    seen, unseen = [f"T{n}" for n in range(8)], [f"T{n}" for n in range(8, 12)]
    fitted = RBC(model=model, deepest=40).fit(runs, qrels, seen)
    fused = fitted.fuse(runs).only(unseen)
    noise = evaluate_run(runs[2].only(unseen), qrels, ["nDCG'"], missing="skip")["nDCG'"]
    assert evaluate_run(fused, qrels, ["nDCG'"], missing="skip")["nDCG'"] > noise + 0.05
    assert np.isfinite(fused.scores).all()
    again = RBC(model=model, deepest=40).fit(runs, qrels, seen[::-1]).fuse(runs).only(unseen)
    if model in ("linear", "ridge", "bayesian-ridge", "pls", "svr"):  # others draw numbers for one row after the other
        assert dict(again["T9"]) == pytest.approx(dict(fused["T9"]), abs=1e-2)
    assert RBC(model=model, deepest=40).fit(runs, qrels, seen).fuse(runs).only(unseen) == fused
    assert (fitted.settings.coefficients is not None) == (model in LINEAR)


def test_the_best_model_of_the_validation_topics_is_chosen() -> None:
    runs, qrels = judged_runs()
    seen, held = [f"T{n}" for n in range(6)], [f"T{n}" for n in range(6, 9)]
    fitted = RBC(seed=1).fit(runs, qrels, seen, validation_topics=held)
    assert set(fitted.validation) == set(MODELS)
    for model in ("linear", "knn", fitted.settings.model):
        alone = RBC(model=model, seed=1).fit(runs, qrels, seen).fuse([run.only(held) for run in runs])
        value = evaluate_run(alone, {topic: qrels[topic] for topic in held}, ["nDCG'"])["nDCG'"]
        assert fitted.validation[model] == pytest.approx(value, abs=1e-9)
    assert fitted.validation[fitted.settings.model] == max(fitted.validation.values())
    fused = fitted.fuse(runs)
    assert fused.provenance is not None
    assert set(fused.provenance.tuned_on) == {*seen, *held}
    assert fused.provenance.evidence[-1]["validation"]["models"] == fitted.validation


def test_the_measure_of_validation_is_that_of_evaluation() -> None:
    runs, qrels = judged_runs()
    qrels["T0"]["d1"] = -1
    for run in runs:
        for topic, value in evaluate_run(run, qrels, ["nDCG'"]).per_topic["nDCG'"].items():
            assert _ndcg([doc for doc, _ in run[topic]], qrels[topic]) == pytest.approx(value, abs=1e-9)


def test_weights_of_wibc_are_the_coefficients() -> None:
    runs, qrels = judged_runs()
    regression = RBC(model="linear").fit(runs, qrels)
    fitted = fit_wibc(runs, qrels, settings=WIBC(seed=4))
    positive = [max(0.0, weight) for weight in regression.weights]
    assert fitted.weights == pytest.approx([weight / sum(positive) for weight in positive])
    assert fitted.weights[0] > fitted.weights[1]
    assert fitted.fuse(runs) == WIBC(weights=fitted.weights, seed=4).fuse(runs)
    provenance = fitted.fuse(runs).provenance
    assert provenance is not None
    assert set(provenance.tuned_on) == set(qrels)
    assert provenance.made_by["parameters"]["weights"] == list(fitted.weights)


def test_negative_coefficients_are_no_votes() -> None:
    regression = FittedRBC(
        RBC(model="linear", coefficients=(2.0, -1.0, 6.0)), ("T",), (), {}, "", ("a", "b", "c")
    )
    assert weighted_by(regression).weights == (0.25, 0.0, 0.75)
    downwards = FittedRBC(RBC(model="linear", coefficients=(-1.0, 0.0)), ("T",), (), {}, "", ("a", "b"))
    with pytest.raises(ConfigError, match="no run has a coefficient above 0"):
        weighted_by(downwards)


def test_linear_models_are_stored_as_plain_numbers() -> None:
    runs, qrels = judged_runs()
    fitted = RBC(model="ridge", options={"alpha": 2.0}).fit(runs, qrels)
    stored = FittedRBC.from_dict(json.loads(json.dumps(fitted.to_dict())))
    assert stored == fitted
    assert stored.fuse(runs) == fitted.fuse(runs)
    with pytest.raises(ConfigError, match="knn has no coefficients"):
        RBC(model="knn").fit(runs, qrels).to_dict()
    for broken in ({}, {"kind": "regression"}, {**fitted.to_dict(), "sources": ["one"]}, []):
        with pytest.raises(ConfigError, match="stored regression"):
            FittedRBC.from_dict(broken)


@every_case("method", [RBC(model="linear"), WIBC()])
def test_no_topic_is_ranked_by_its_own_judgments(method) -> None:
    """Poisoned judgments of one topic change its ranking when trained on it, and not when cross-validated."""
    runs, qrels = judged_runs()
    poisoned = {**qrels, "T5": {doc: 100 if doc in dict(runs[2]["T5"][:3]) else 0 for doc in qrels["T5"]}}
    one = cross_validate_fusion(method, runs, qrels, folds=4)
    other = cross_validate_fusion(method, runs, poisoned, folds=4)
    assert one["T5"] == other["T5"]
    assert one != other
    assert method.fit(runs, qrels).fuse(runs)["T5"] != method.fit(runs, poisoned).fuse(runs)["T5"]


def test_cross_validation_holds_each_topic_out_once() -> None:
    runs, qrels = judged_runs()
    trained = [f"T{n}" for n in range(10)]
    given = [run.with_provenance(Provenance(tuned_on=("T1",))) for run in runs]
    fused = cross_validate_fusion(RBC(model="linear"), given, qrels, trained, folds=3, seed=2, name="held out")
    assert fused.name == "held out"
    assert fused.query_ids == runs[0].query_ids
    assert fused.provenance is not None
    assert fused.provenance.tuned_on == ("T1",)  # what the sources were tuned on
    folds = fused.provenance.evidence[-1]["folds"]
    assert sorted(topic for fold in folds for topic in fold["held_out"]) == sorted(trained)
    assert all(not set(fold["held_out"]) & set(fold["training_topics"]) for fold in folds)
    assert [len(fold["held_out"]) for fold in folds] == [4, 3, 3]
    for fold in folds:
        alone = RBC(model="linear").fit(runs, qrels, fold["training_topics"]).fuse(runs)
        assert all(alone[topic] == fused[topic] for topic in fold["held_out"])
    every = RBC(model="linear").fit(runs, qrels, trained).fuse(runs)
    assert fused["T11"] == every["T11"]
    turned = cross_validate_fusion(RBC(model="linear"), runs, qrels, trained[::-1], folds=3, seed=2)
    assert all(dict(turned[topic]) == pytest.approx(dict(fused[topic])) for topic in fused)


def test_what_cannot_be_learnt_is_reported() -> None:
    runs, qrels = judged_runs()
    with pytest.raises(ConfigError, match="rbc is not fitted"):
        fuse(runs, "rbc")
    with pytest.raises(ConfigError, match="2 coefficients for 3 runs"):
        fuse(runs, "rbc", coefficients=[1, 2])
    with pytest.raises(ConfigError, match="topic T99 has no judgments"):
        RBC().fit(runs, qrels, ["T1", "T99"])
    with pytest.raises(ConfigError, match="topics are 'T1'"):
        RBC().fit(runs, qrels, "T1")
    with pytest.raises(ConfigError, match="topic T1 is for training and for validation"):
        RBC().fit(runs, qrels, ["T1", "T2"], validation_topics=["T1"])
    with pytest.raises(QueryError, match="no judged document"):
        RBC(model="linear").fit(runs, {"other": {"d1": 1, "d2": 0}})
    with pytest.raises(ConfigError, match="the same gain"):
        RBC(model="linear").fit(runs, {"T1": {"d1": 1, "d2": 1, "d3": 1}})
    with pytest.raises(ConfigError, match="too few to choose a model by"):
        RBC().fit(runs, qrels, ["T1"])
    with pytest.raises(ConfigError, match="cannot be divided into 5 folds"):
        cross_validate_fusion(RBC(), runs, qrels, ["T1", "T2"])
    with pytest.raises(ConfigError, match=r"no option 'alpa'. Did you mean alpha\?"):
        RBC(model="ridge", options={"alpa": 1}).fit(runs, qrels)
    with pytest.raises(ConfigError, match="the model ridge cannot be fitted"):
        RBC(model="ridge", options={"alpha": -1.0}).fit(runs, qrels)
    with pytest.raises(ConfigError, match="coefficients and judgments"):
        RBC(coefficients=(1.0, 1.0, 1.0)).fit(runs, qrels)
    nonlinear = RBC(model="knn").fit(runs, qrels)
    for fitted in (nonlinear, RBC(model="linear").fit(runs, qrels), fit_wibc(runs, qrels)):
        with pytest.raises(ConfigError, match="fitted to 3 runs and is given 2"):
            fitted.fuse(runs[:2])
        with pytest.raises(ConfigError, match=r"in another order. It takes them in this one: good, fair, noise\."):
            fitted.fuse(runs[::-1])
        renamed = [run.renamed(f"next-{run.name}") for run in runs]
        assert fitted.fuse(renamed) == fitted.fuse(runs)


def test_few_examples_are_enough_for_every_model() -> None:
    runs, _ = judged_runs()
    few = {"T1": {"d1": 1, "d2": 0, "d3": 2}, "T2": {"d1": 0}}
    for model in MODELS:
        assert len(RBC(model=model).fit(runs[:1], few, ["T1"]).fuse(runs[:1])["T3"]) == 30


@every_case("name", LEARNED)
def test_every_method_that_learns_is_stored_and_restored(name: str) -> None:
    runs, qrels = judged_runs()
    method = make_fusion(name, {"model": "linear"} if name == "rbc" else {})
    assert isinstance(method, LearnedFusion)
    fitted = method.fit(runs, qrels, ["T1", "T2", "T3"])
    learnt = json.loads(json.dumps(fitted.to_dict()))
    assert method.restored(learnt).fuse(runs) == fitted.fuse(runs)
    assert fitted.fuse(runs).provenance.tuned_on == ("T1", "T2", "T3")
    assert fitted.evidence()["training_topics"] == ["T1", "T2", "T3"]
    with pytest.raises(ConfigError, match="not a stored regression"):
        method.restored({})


def test_the_methods_that_learn() -> None:
    assert LEARNED == ("rbc", "wibc")
    assert [name for name in LEARNED if make_fusion(name).must_learn] == ["rbc"]
