"""Any setting at any stage of a pipeline, tuned on the bundled sample."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from long_forms import LONG, LONG_ONLY

from porism.corpus import read_qrels, read_topics
from porism.errors import ConfigError
from porism.lab.evaluate import evaluate_run
from porism.lab.pipeline import PipelineStage, fused, pipeline
from porism.lab.tuning import (
    CoordinateSearch,
    CrossValidated,
    RunObjective,
    TrialStore,
    Tuned,
    apply_tuned,
    cross_validate,
    settings_objective,
    tune,
)
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.sample import QRELS, QUERIES
from porism.search.index import Index, open_index
from porism.settings import SettingError

SETTINGS: dict[str, Any] = {
    "model": {**DEFAULT_MODEL.to_dict(), "tuned_on": []},
    "words": {
        "channels": {"words": {"weight": 1.0, "k1": 1.2, "b": 0.75}}, "matches": {"weight": 0.0}, "tuned_on": [],
    },
    "fusion": {"k": 60, "weights": [1.0, 1.0]},
}
"""Two searches, one by words alone, and the fusion of both."""
ASKED = read_topics(QUERIES)[: None if LONG else 14]
JUDGMENTS = {topic: gains for topic, gains in read_qrels(QRELS).items() if topic in {query.id for query in ASKED}}
SPACE = {"model.feedback.weight": [0.0, 0.4], "words.channels.words.b": [0.3, 0.75], "fusion.weights.1": [0.1, 1.0]}


@pytest.fixture(scope="module")
def index(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index) as opened:
        yield opened


@pytest.fixture(scope="module")
def objective(index: Index) -> RunObjective:
    def build(settings: dict[str, Any]) -> PipelineStage:
        searches = [pipeline(index, SearchModel.from_dict(settings[name])) for name in ("model", "words")]
        return fused(*searches, method="rrf", **settings["fusion"])

    return settings_objective(build, SETTINGS, ASKED, JUDGMENTS, "nDCG@10", k=20, name="sample")


@LONG_ONLY
def test_settings_of_every_stage_are_tuned_together(objective: RunObjective, tmp_path: Path) -> None:
    found = tune(objective, SPACE, store=TrialStore(tmp_path / "trials"))
    assert isinstance(found, Tuned)
    assert len(found.trials) == 8
    scores = {tuple(trial.parameters.values()): trial.score for trial in found.trials}
    assert len(set(scores.values())) > 4  # each of the settings reaches its stage
    run = apply_tuned(found, objective.make_run)
    evaluation = evaluate_run(run, JUDGMENTS, ["nDCG@10"])
    assert evaluation["nDCG@10"] == pytest.approx(max(score or 0 for score in scores.values()))
    assert evaluation.tuned_on == objective.topics
    climbed = tune(objective, SPACE, CoordinateSearch(starts=1), store=TrialStore(tmp_path / "trials"))
    assert all(scores[tuple(trial.parameters.values())] == trial.score for trial in climbed.trials)


def test_folds_of_a_pipeline(objective: RunObjective) -> None:
    found = cross_validate(objective, {"fusion.weights.1": [0.1, 1.0]}, folds=3)
    assert isinstance(found, CrossValidated)
    run = apply_tuned(found, objective.make_run)
    evaluation = evaluate_run(run, JUDGMENTS, ["nDCG@10"])
    assert evaluation["nDCG@10"] == pytest.approx(found.score)
    assert evaluation.tuned_on == ()


def test_trials_are_known_by_settings_queries_and_judgments(index: Index, objective: RunObjective) -> None:
    def same(**changed: Any) -> str:
        given = {"settings": SETTINGS, "queries": ASKED, "qrels": JUDGMENTS,
                 "measure": "nDCG@10", "k": 20, "name": "sample", **changed}
        return settings_objective(lambda settings: pipeline(index), **given).digest

    assert same() == objective.digest
    queries, qrels = ASKED, JUDGMENTS
    others = [
        same(k=10), same(name="other"), same(measure="RR"), same(queries=queries[1:]),
        same(qrels=dict(list(qrels.items())[1:])), same(settings={**SETTINGS, "fusion": {"k": 1}}),
    ]
    assert len({objective.digest, *others}) == 7
    assert same(name="") == ""


def test_a_setting_that_does_not_exist(objective: RunObjective) -> None:
    with pytest.raises(SettingError, match=r"Did you mean model\.feedback\.weight\?") as raised:
        tune(objective, {"model.feedback.weigth": [0.1, 0.2]})
    assert raised.value.path == ("model", "feedback", "weigth")


def test_queries_without_judgments_are_not_asked(index: Index) -> None:
    asked: list[str] = []

    class Recorder:
        def search(self, queries: Any, k: int = 1000) -> Any:
            queries = list(queries)
            asked.extend(query.id for query in queries)
            return pipeline(index).search(queries, k)

    queries, qrels = read_topics(QUERIES), read_qrels(QRELS)
    two = dict(list(qrels.items())[:2])
    settings_objective(lambda settings: Recorder(), {"a": 1}, queries, two, k=5)({"a": 1})
    assert asked == [query.id for query in queries if query.id in two]


def test_judgments_of_other_topics_are_told_at_once(index: Index) -> None:
    with pytest.raises(ConfigError, match="the run and the judgments have no topic in common"):
        tune(RunObjective(lambda parameters: pipeline(index).search([], 5), {"Z.1": {"d": 1}}), {"a": [1, 2]})
