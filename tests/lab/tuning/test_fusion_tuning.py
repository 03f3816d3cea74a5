"""Fusions tuned: the fast measures against the slow, and known optima."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.corpus import read_qrels
from porism.errors import ConfigError, Problem, QueryError
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import FUSIONS, fuse
from porism.lab.tuning import (
    CrossValidated,
    FusionObjective,
    RandomSearch,
    TrialStore,
    Tuned,
    cross_validate,
    load_tuned,
    save_tuned,
    tune_fusion,
)
from porism.lab.tuning.objectives import qrels_digest, runs_digest
from porism.runs.run import Run
from porism.settings import SettingError

TOPICS = st.sampled_from(["A.1", "A.2", "A.3"])
DOCS = st.sampled_from("abcdefgh")
RUNS = st.lists(
    st.dictionaries(TOPICS, st.dictionaries(DOCS, st.integers(0, 3), max_size=6)).map(
        lambda results: Run({topic: [(doc, float(score)) for doc, score in found.items()]
                             for topic, found in results.items()})
    ),
    min_size=1, max_size=3,
)
QRELS = st.dictionaries(TOPICS, st.dictionaries(DOCS, st.integers(0, 3), min_size=1, max_size=6), min_size=1)


@settings(deadline=None)
@given(
    RUNS, QRELS, st.sampled_from(["nDCG'", "nDCG", "nDCG@2", "nDCG'@3", "MAP'", "AP(rel=2)", "AP(rel=1)@3", "AP'@2",
                                  "P@2", "P'@10", "P(rel=2)@1", "bpref", "RR", "Judged@2", "num_rel_ret"]),
    st.sampled_from(["zero", "skip"]), st.sampled_from([1, 2, 1000]),
)
def test_values_are_those_of_evaluation(
    runs: list[Run], qrels: dict[str, dict[str, int]], measure: str, missing: Any, depth: int
) -> None:
    objective = FusionObjective(runs, "rrf", qrels, measure, missing=missing, depth=depth)
    for parameters in ({"k": 1}, {"k": 60.5}):
        run = fuse(runs, "rrf", depth=depth, **parameters)
        if not any(run[topic] for topic in qrels):
            continue
        evaluation = evaluate_run(run, qrels, [measure], missing=missing, depth=depth)
        expected = next(iter(evaluation.per_topic.values()))
        values = objective(parameters)
        assert list(values) == list(expected) == list(objective.topics)
        assert values == pytest.approx(expected, abs=1e-12)
        if objective._gains:
            offsets, order = objective._ranked(objective.fusion(parameters).scores(objective.table))
            assert [objective.table.doc_ids[at] for at in order] == list(run.doc_ids)
            assert offsets.tolist() == run.offsets.tolist()


def test_negative_gains_are_left_to_evaluation() -> None:
    run = Run({"A.1": [("a", 2.0), ("b", 1.0)]})
    qrels = {"A.1": {"a": -1, "b": 2}}
    for measure in ("nDCG", "nDCG'", "AP(rel=1)"):
        expected = evaluate_run(run, qrels, [measure]).per_topic
        assert FusionObjective([run], "rrf", qrels, measure)({}) == expected[measure]


GOOD = Run({topic: [("yes", 3.0), ("no", 2.0), ("maybe", 1.0)] for topic in ("A.1", "A.2", "A.3", "A.4")}, "good")
POOR = Run({topic: [("no", 3.0), ("maybe", 2.0), ("yes", 1.0)] for topic in ("A.1", "A.2", "A.3", "A.4")}, "poor")
JUDGED = {topic: {"yes": 2, "no": 0, "maybe": 1} for topic in ("A.1", "A.2", "A.3")}
ALPHAS = {"weights": {"simplex": 0.1, "least": 0.1}}


def test_linear_weights_by_hand() -> None:
    # Min-max: good gives yes 1, no ½, maybe 0; poor gives no 1, maybe ½, yes 0. With the weight w of good, yes has w,
    # no 1 - w / 2, maybe ½ - w / 2: "yes" comes first from w = 0.7 on, when maybe is last.
    run, found = tune_fusion([GOOD, POOR], "linear", ALPHAS, JUDGED, "P@1")
    assert isinstance(found, Tuned)
    assert [trial.score for trial in found.trials] == [0, 0, 0, 0, 0, 0, 1, 1, 1]
    assert found.parameters == {"weights": [0.7, 0.3]}
    assert run == fuse([GOOD, POOR], "linear", weights=[0.7, 0.3])
    assert run.query_ids == ("A.1", "A.2", "A.3", "A.4")
    assert run.provenance is not None
    assert run.provenance.tuned_on == ("A.1", "A.2", "A.3")
    assert run.provenance.made_by["sources"] == ["good", "poor"]
    assert "tuned on 3 of these 3 topics" in evaluate_run(run, JUDGED).table()


def test_a_single_weight_by_its_number() -> None:
    space = {"weights.0": [0.5, 4.0]}
    run, found = tune_fusion([GOOD, POOR], "rrf", space, JUDGED, "P@1", parameters={"k": 1})
    assert found.parameters == {"weights.0": 4.0}  # type: ignore[union-attr]
    assert run == fuse([GOOD, POOR], "rrf", k=1, weights=[4.0, 1.0])


def test_a_part_of_the_topics_only() -> None:
    run, found = tune_fusion([GOOD, POOR], "linear", ALPHAS, JUDGED, "P@1", topics=["A.2"])
    assert found.topics == ("A.2",)
    assert run.provenance is not None
    assert run.provenance.tuned_on == ("A.2",)
    with pytest.raises(QueryError, match=r"1 of 2 topics have no judgments, first A\.4"):
        tune_fusion([GOOD, POOR], "linear", ALPHAS, JUDGED, topics=["A.2", "A.4"])


def test_cross_validated_weights() -> None:
    qrels = {**JUDGED, "A.3": {"no": 2, "yes": 0}}
    run, found = tune_fusion([GOOD, POOR], "linear", ALPHAS, qrels, "P@1", folds=[["A.1"], ["A.2"], ["A.3"]])
    assert isinstance(found, CrossValidated)
    # A fold of one of the first two trains on one topic of each kind: all weights are worth ½, the first is chosen.
    assert [fold.tuned.parameters["weights"][0] for fold in found.folds] == [0.1, 0.1, 0.7]
    assert found.values == {"A.1": 0, "A.2": 0, "A.3": 0}
    assert run["A.1"] == fuse([GOOD, POOR], "linear", weights=[0.1, 0.9])["A.1"]
    assert run["A.3"] == fuse([GOOD, POOR], "linear", weights=[0.7, 0.3])["A.3"]
    assert run["A.4"] == fuse([GOOD, POOR], "linear", weights=[0.7, 0.3])["A.4"]  # without judgments: by all
    assert run.provenance is not None
    assert run.provenance.tuned_on == ()
    assert evaluate_run(run, qrels, ["P@1"])["P@1"] == found.score


def test_a_source_tuned_on_the_same_topics_is_not_made_honest_by_folds() -> None:
    tuned, _ = tune_fusion([GOOD, POOR], "linear", ALPHAS, JUDGED, "P@1")
    run, _ = tune_fusion([tuned, POOR], "linear", ALPHAS, JUDGED, "P@1", folds=3)
    assert evaluate_run(run, JUDGED).tuned_on == ("A.1", "A.2", "A.3")


@every_case("method", [name for name, method in FUSIONS.items() if method.__dataclass_fields__.keys()
                                    & {"k", "norm", "weights", "sigma", "seed"} and name != "rbc"])
def test_every_fusion_can_be_tuned(method: str) -> None:
    name, values = next(
        (name, values)
        for name, values in [("k", [1, 60]), ("norm", ["rank", "min-max"]), ("weights", [[1.0, 2.0], [2.0, 1.0]]),
                             ("sigma", [0.01, 1.0]), ("seed", [0, 1])]
        if name in FUSIONS[method].__dataclass_fields__
    )
    run, found = tune_fusion([GOOD, POOR], method, {name: values}, JUDGED)
    assert isinstance(found, Tuned)
    assert [trial.problem for trial in found.trials] == [None, None]
    assert evaluate_run(run, JUDGED)["nDCG'"] == pytest.approx(max(trial.score or 0 for trial in found.trials))


@every_case(
    ("arguments", "message"),
    [
        ({"method": "rff"}, "there is no fusion 'rff'. Did you mean rrf?"),
        ({"space": {"kk": [1]}}, "there is no setting 'kk'. Did you mean k?"),
        ({"space": {"weights.7": [1.0]}}, "weights is a list of 2, counted from 0."),
        ({"measure": "nDGC"}, "there is no measure 'nDGC'"),
        ({"missing": "none"}, "missing is 'none'"),
        ({"runs": []}, "there are no runs to fuse"),
        ({"parameters": {"k": "x"}}, "the setting 'k' cannot be 'x'"),
        ({"folds": 7}, "3 topics cannot be divided into 7 folds"),
        ({"folds": 1}, "3 topics cannot be divided into 1 folds"),
        ({"space": {"k": [-1]}}, "all 1 configurations failed"),
    ],
)
def test_what_cannot_be_tuned(arguments: dict[str, Any], message: str) -> None:
    given = {"runs": [GOOD, POOR], "method": "rrf", "space": {"k": [1, 2]}, "qrels": JUDGED, **arguments}
    with pytest.raises(ConfigError) as raised:
        tune_fusion(**given)
    assert message in str(raised.value)


def test_a_value_out_of_range_is_skipped() -> None:
    problems: list[Problem] = []
    _, found = tune_fusion([GOOD, POOR], "rrf", {"k": [-1, 5]}, JUDGED, on_problem=problems.append)
    assert found.parameters == {"k": 5}  # type: ignore[union-attr]
    assert [problem.where for problem in problems] == ["k=-1"]


def test_an_unknown_parameter_is_a_setting_error_with_its_path() -> None:
    with pytest.raises(SettingError) as raised:
        tune_fusion([GOOD, POOR], "linear", {"nrom": ["rank"]}, JUDGED)
    assert raised.value.path == ("nrom",)


def test_digests_depend_on_content_only(tmp_path: Path) -> None:
    assert qrels_digest(JUDGED) == qrels_digest(dict(reversed(JUDGED.items())))
    assert qrels_digest(JUDGED) != qrels_digest({**JUDGED, "A.1": {"yes": 1}})
    assert runs_digest([GOOD, POOR]) != runs_digest([POOR, GOOD])
    one = FusionObjective([GOOD, POOR], "rrf", JUDGED)
    assert one.digest == FusionObjective([GOOD.renamed("good"), POOR], "rrf", JUDGED).digest
    others = [
        FusionObjective([GOOD, GOOD], "rrf", JUDGED),
        FusionObjective([GOOD, POOR], "isr", JUDGED),
        FusionObjective([GOOD, POOR], "rrf", {"A.1": JUDGED["A.1"]}),
        FusionObjective([GOOD, POOR], "rrf", JUDGED, "RR"),
        FusionObjective([GOOD, POOR], "rrf", JUDGED, depth=5),
        FusionObjective([GOOD, POOR], "rrf", JUDGED, missing="skip"),
        FusionObjective([GOOD, POOR], "rrf", JUDGED, parameters={"weights": [1, 2]}),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 1 + len(others)


@pytest.fixture(scope="module")
def runs_2020(shared_data: Path) -> list[Run]:
    names = [
        "DPRL_task1_auto_both_A3", "prim_Approach0", "prim_MIRMU-task1-Ensemble-auto-both-A",
        "prim_MathDowsers-task1-alpha05noReRank-auto-both-A", "prim_zbMATH-task1-auto-both-P",
    ]
    folder = shared_data / "arqmath-runs-2020"
    return [Run.read(folder / f"{name}.tsv", ranks="file", duplicates="best") for name in names]


@pytest.mark.needs_shared_data
def test_the_curve_of_k_on_the_runs_of_2020(runs_2020: list[Run], shared_data: Path, tmp_path: Path) -> None:
    """Figure 9 of Novotný et al. 2021, over these runs: it rises steeply up to k ≈ 100 and is flat after 200."""
    qrels = read_qrels(shared_data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv")
    run, found = tune_fusion(
        runs_2020, "rrf", {"k": {"low": 1, "high": 1000, "points": 31, "log": True}}, qrels,
        store=TrialStore(tmp_path / "trials"),
    )
    assert isinstance(found, Tuned)
    curve = {trial.parameters["k"]: trial.score or 0 for trial in found.trials}
    assert curve[1] < curve[10] < curve[100] < max(curve.values())
    assert max(curve.values()) - curve[1000] < 0.005 < max(curve.values()) - curve[10]
    assert 100 < found.parameters["k"] < 1000
    assert evaluate_run(run, qrels)["nDCG'"] == pytest.approx(found.score)
    save_tuned(tmp_path / "tuned.json", found)
    assert load_tuned(tmp_path / "tuned.json") == found


@pytest.mark.needs_shared_data
def test_weights_by_five_folds_on_the_runs_of_2020(runs_2020: list[Run], shared_data: Path, tmp_path: Path) -> None:
    """As Zhong et al. 2022 (section 3.4): α in {0.1, …, 0.9} of a structure search and 1 - α of another system."""
    qrels = read_qrels(shared_data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv")
    pair = [runs_2020[1], runs_2020[3]]
    run, found = tune_fusion(pair, "linear", ALPHAS, qrels, folds=5, store=TrialStore(tmp_path / "trials"))
    assert isinstance(found, CrossValidated)
    evaluation = evaluate_run(run, qrels, ["nDCG'"])
    assert evaluation["nDCG'"] == pytest.approx(found.score)
    assert evaluation.tuned_on == ()
    assert evaluation["nDCG'"] > max(evaluate_run(single, qrels, ["nDCG'"])["nDCG'"] for single in pair)
    # Held out is at most what tuning on all topics seems to reach, but for luck, and the folds' means bound it.
    assert math.isclose(found.score, math.fsum(found.values.values()) / 77)
    assert [len(fold.topics) for fold in found.folds] == [16, 16, 15, 15, 15]
    again = cross_validate(
        FusionObjective(pair, "linear", qrels), {"weights": {"simplex": 0.1, "systems": 2, "least": 0.1}},
        RandomSearch(9, seed=1), [fold.topics for fold in found.folds],
    )
    assert [fold.tuned.parameters for fold in again.folds] == [fold.tuned.parameters for fold in found.folds]
