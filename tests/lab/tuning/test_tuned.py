"""What was tuned, in files and in the provenance of runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

from porism.errors import ConfigError, FormatError, SourceError
from porism.lab.evaluate import evaluate_run
from porism.lab.tuning import (
    CrossValidated,
    RunObjective,
    Tuned,
    apply_tuned,
    cross_validate,
    load_tuned,
    save_tuned,
    tune,
)
from porism.runs.provenance import Provenance
from porism.runs.run import Run

QRELS = {topic: {"good": 2, "bad": 0} for topic in ("A.1", "A.2", "A.3")}


def make_run(parameters: Mapping[str, Any]) -> Run:
    """Ranks the good document first where k is at least the topic's number; for any topic, judged or not."""
    return Run({
        f"A.{number}": [("good", 1.0 if parameters["k"] >= number else 0.0), ("bad", 0.5)] for number in range(1, 5)
    }, f"k{parameters['k']}", provenance=Provenance({"kind": "toy", **parameters}, seconds={"A.1": 0.5, "A.4": 0.25}))


@pytest.fixture
def tuned() -> Tuned:
    return tune(RunObjective(make_run, QRELS, "P@1", name="toy"), {"k": [0, 1, 2, 3]}, topics=["A.1", "A.2"])


@pytest.fixture
def crossed() -> CrossValidated:
    return cross_validate(RunObjective(make_run, QRELS, "P@1"), {"k": [0, 1, 2]}, folds=[["A.1", "A.2"], ["A.3"]])


def test_the_objective_is_the_measure_of_the_run(tuned: Tuned) -> None:
    assert tuned.parameters == {"k": 2}
    assert [trial.score for trial in tuned.trials] == [0.0, 0.5, 1.0, 1.0]


def test_a_run_of_tuned_parameters_says_so_wherever_it_goes(tuned: Tuned, tmp_path: Path) -> None:
    run = apply_tuned(tuned, make_run)
    assert run == make_run({"k": 2})
    assert run.provenance is not None
    assert run.provenance.tuned_on == ("A.1", "A.2")
    assert run.provenance.made_by == {"kind": "toy", "k": 2}
    assert run.provenance.seconds == {"A.1": 0.5, "A.4": 0.25}
    run.write(tmp_path / "run")
    evaluation = evaluate_run(Run.read(tmp_path / "run"), QRELS, ["P@1"])
    assert evaluation.tuned_on == ("A.1", "A.2")
    assert "tuned on 2 of these 3 topics: not held out" in evaluation.table()
    elsewhere = evaluate_run(run, {"A.3": QRELS["A.3"]}, ["P@1"])
    assert "tuned on" not in elsewhere.table()


def test_parameters_read_from_a_file_follow_into_runs_made_later(tuned: Tuned, tmp_path: Path) -> None:
    save_tuned(tmp_path / "tuned.json", tuned)
    again = load_tuned(tmp_path / "tuned.json")
    assert isinstance(again, Tuned)
    assert again.evidence() == tuned.evidence()
    assert again == tuned
    later = apply_tuned(again, make_run)
    assert later.provenance == apply_tuned(tuned, make_run).provenance


def test_the_evidence_is_complete_and_plain(tuned: Tuned) -> None:
    evidence = json.loads(json.dumps(tuned.evidence(), allow_nan=False))
    assert evidence["parameters"] == {"k": 2}
    assert evidence["topics"] == ["A.1", "A.2"]
    assert evidence["space"] == {"k": [0, 1, 2, 3]}
    assert evidence["search"] == {"search": "grid", "most": 100_000}
    assert evidence["objective"]["measure"] == "P@1"
    assert evidence["objective"]["of"] == "toy"
    assert len(evidence["objective"]["qrels"]) == len(evidence["objective"]["digest"]) == 32
    assert evidence["trials"][2] == {"parameters": {"k": 2}, "score": 1.0, "defined": 2}
    assert {"porism", "python", "numpy"} == set(evidence["versions"])
    assert evidence["time"].startswith("20")


def test_a_cross_validated_run_is_held_out_by_fold(crossed: CrossValidated) -> None:
    # Without A.1 and A.2, A.3 stays unanswered whatever k is, so the first k; without A.3 the best is 2.
    assert [fold.tuned.parameters["k"] for fold in crossed.folds] == [0, 2]
    assert crossed.whole.parameters == {"k": 2}
    run = apply_tuned(crossed, make_run)
    assert run.query_ids == ("A.1", "A.2", "A.3", "A.4")
    assert {topic: run[topic][0][0] for topic in run} == {"A.1": "bad", "A.2": "bad", "A.3": "bad", "A.4": "bad"}
    assert run["A.2"] == make_run({"k": 0})["A.2"] != make_run({"k": 2})["A.2"]
    assert run.provenance is not None
    assert run.provenance.tuned_on == ()
    assert run.provenance.seconds == {"A.1": 0.5, "A.4": 0.25}
    evaluation = evaluate_run(run, QRELS, ["P@1"])
    assert evaluation.tuned_on == ()
    assert evaluation["P@1"] == crossed.score == 0.0
    assert dict(evaluation.per_topic["P@1"]) == crossed.values
    evidence = run.provenance.evidence[0]
    assert evidence["kind"] == "cross-validation"
    assert [(fold["held_out"], fold["parameters"]) for fold in evidence["folds"]] == [
        (["A.1", "A.2"], {"k": 0}), (["A.3"], {"k": 2}),
    ]
    assert evidence["all"] == {"parameters": {"k": 2}, "training_score": pytest.approx(2 / 3)}
    assert evidence["trials"][1] == {"parameters": {"k": 1}, "scores": [0.0, 0.5], "all": pytest.approx(1 / 3)}


def test_a_cross_validation_read_from_a_file(crossed: CrossValidated, tmp_path: Path) -> None:
    save_tuned(tmp_path / "crossed.json", crossed)
    again = load_tuned(tmp_path / "crossed.json")
    assert isinstance(again, CrossValidated)
    assert again == crossed
    assert apply_tuned(again, make_run) == apply_tuned(crossed, make_run)


def test_what_a_source_was_tuned_on_stays_for_its_own_topics(crossed: CrossValidated) -> None:
    """The pipeline below was tuned on A.1 by hand: holding A.1 out of the folds on top of that does not undo it."""

    def pipeline(parameters: Mapping[str, Any]) -> Run:
        return make_run(parameters).with_provenance(Provenance(tuned_on=("A.1", "B.9")))

    run = apply_tuned(crossed, pipeline)
    assert run.provenance is not None
    assert run.provenance.tuned_on == ("A.1",)


def test_the_parameters_of_one_fold_used_elsewhere_are_tuned_on_its_training_topics(crossed: CrossValidated) -> None:
    chosen = crossed.folds[1].tuned
    run = chosen.applied(make_run(chosen.parameters))
    assert evaluate_run(run, QRELS, ["P@1"]).tuned_on == ("A.1", "A.2")


def test_runs_that_do_not_fit_the_folds(crossed: CrossValidated) -> None:
    with pytest.raises(ConfigError, match="1 run for 2 folds"):
        crossed.applied([make_run({"k": 0})])


def test_summaries(tuned: Tuned, crossed: CrossValidated) -> None:
    assert tuned.summary() == "k=2: P@1 1.0000 on the 2 topics that chose it"
    assert crossed.summary().splitlines() == [
        "P@1 0.0000, held out, 3 topics in 2 folds",
        "fold 1: k=0 (0.0000 in training)",
        "fold 2: k=2 (1.0000 in training)",
        "all: k=2 (0.6667 in training), for other topics",
    ]


@every_case(
    ("content", "message"),
    [
        ("", "this is not JSON"),
        ("[]", "this is not a file of tuned parameters"),
        ('{"porism_tuned": 9}', "this is not a file of tuned parameters, or one of another version"),
        ('{"porism_tuned": 1, "kind": "tuning"}', "this is not a record of a tuning"),
        ('{"porism_tuned": 1, "kind": "tuning", "parameters": {}, "score": 1, "topics": "A.1", "trials": []}',
         "topics are not a list of ids"),
        ('{"porism_tuned": 1, "kind": "cross-validation", "folds": [{}]}', "is not a record of a cross-validation"),
    ],
)
def test_files_of_something_else(tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "file").write_text(content)
    with pytest.raises(FormatError, match=message):
        load_tuned(tmp_path / "file")


def test_files_that_cannot_be_used(tmp_path: Path, tuned: Tuned) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        load_tuned(tmp_path / "none")
    with pytest.raises(SourceError, match="cannot be written"):
        save_tuned(tmp_path / "none" / "file", tuned)
    assert list(tmp_path.iterdir()) == []
