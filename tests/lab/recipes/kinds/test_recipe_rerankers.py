"""Rerankers in recipes: what they make, what they are tuned by, what is resumed, and what is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from numpy.typing import NDArray
from recipe_cases import RECIPE, TOPICS

from porism.corpus import read_qrels, read_topics
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import fuse
from porism.lab.pipeline import RetrieverReranker, ScoringReranker
from porism.lab.pipeline.rerankers import registry as kinds
from porism.lab.pipeline.rerankers.registry import RERANKERS
from porism.lab.recipes import Experiment, RecipeError, plan_recipe, run_recipe
from porism.retrieve import SearchModel
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.runs.run import Run
from porism.search.index import Index, open_index
from porism.types import Query

Write = Callable[..., Path]

RERANKED = RECIPE.replace("[report]", """\
[rerankers.better]
of = "words"
model = "plain"
depth = 5
words_power = 0.5
[rerankers.again]
of = "first"
model = "words"
[fusions.with-better]
of = ["better", "first"]
[report]""").replace('["words", "tokens", "rrf", "tuned"]', '["words", "better", "again", "with-better"]')


def library(experiment: Experiment) -> Index:
    """The index that the experiment made."""
    (folder,) = (experiment.output.parent / ".porism-cache" / "made" / "index").iterdir()
    return open_index(folder / "index")


def same(mine: Run, other: Run) -> bool:
    return list(mine) == list(other) and all(mine[topic] == other[topic] for topic in mine)


def made(experiment: Experiment) -> set[str]:
    """The stages that were not in the cache."""
    return {stage["stage"] for stage in experiment.record["stages"] if not stage["cached"]}


def test_runs_are_those_of_the_library(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write(RERANKED))
    queries = read_topics(laboratory / "topics.tsv")
    words, better = experiment.run("words", "dev"), experiment.run("better", "dev")
    model = SearchModel.from_dict({"words_power": 0.5}, SEARCH_MODELS["plain"])
    with library(experiment) as index:
        expected = RetrieverReranker(index, model, 5).rerank(queries, words)
        first = Run.read(laboratory / "first.run")
        again = RetrieverReranker(index, SEARCH_MODELS["words"], 100).rerank(queries, first)
    assert same(better, expected)
    assert not same(better, words)
    assert same(experiment.run("again", "dev"), again)
    fused = fuse([expected.renamed("better"), first], "rrf")
    assert same(experiment.run("with-better", "dev"), fused)
    assert better.provenance is not None
    assert words.provenance is not None
    made_by = better.provenance.made_by
    assert (made_by["kind"], made_by["depth"], made_by["of"]["pipeline"]) == ("rerank", 5, "words")
    assert made_by["reranker"]["model"]["words_power"] == 0.5
    assert set(better.provenance.seconds) == set(TOPICS)
    assert all(better.provenance.seconds[topic] > words.provenance.seconds[topic] for topic in TOPICS)
    elsewhere = experiment.run("again", "dev").provenance
    assert elsewhere is not None
    assert (elsewhere.seconds, elsewhere.made_by["of"]) == ({}, {"kind": "run", "name": "first"})
    table = {run["run"]: run["aggregated"] for run in experiment.reports["report"].numbers["runs"]}
    scored = evaluate_run(expected, read_qrels(laboratory / "qrels.txt"), ["nDCG'", "P@5"])
    assert table["better"] == pytest.approx(dict(scored.aggregated))


def test_only_what_changed_is_made_again(write: Write) -> None:
    first = run_recipe(write(RERANKED))
    assert {"rerank better on dev", "rerank again on dev"} <= made(first)
    assert made(run_recipe(write(RERANKED))) == set()
    assert made(run_recipe(write(RERANKED, ("depth = 5", "depth = 6")))) == {
        "rerank better on dev", "fuse with-better on dev", "report report on dev"
    }
    plan = plan_recipe(write(RERANKED, ('model = "words"\n\n', 'model = "words"\nwords_power = 0.7\n\n')))
    assert {stage.id for stage in plan.stages} - plan.cached == {
        "run words on dev", "rerank better on dev", "fuse with-better on dev", "report report on dev"
    }


def test_an_interrupted_reranker_goes_on(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    real = RetrieverReranker.scores

    def scores(self: RetrieverReranker, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        if len(asked) == 4:
            asked.append("stop")
            raise KeyboardInterrupt
        asked.append(query.id)
        return real(self, query, doc_ids)

    monkeypatch.setattr(RetrieverReranker, "scores", scores)
    path = write(RERANKED)
    with pytest.raises(KeyboardInterrupt):
        run_recipe(path, only=["better"])
    assert asked == [*list(TOPICS)[:4], "stop"]
    run = run_recipe(path, only=["better"]).run("better", "dev")
    assert asked[5:] == list(TOPICS)[4:]
    assert same(run, run_recipe(path, only=["better"], fresh=True).run("better", "dev"))


@LONG_ONLY
def test_parameters_of_a_reranker_and_of_what_it_orders_are_tuned(write: Write, laboratory: Path) -> None:
    text = RERANKED.replace("[report]", """\
[tuning.best]
of = "better"
on = "dev"
parameters = {depth = [2, 8], channels.tokens.weight = [0.0, 9.0], words.feedback.weight = [0.0, 0.9]}
[report]""").replace('"with-better"]', '"best"]')
    experiment = run_recipe(write(text))
    queries, qrels = read_topics(laboratory / "topics.tsv"), read_qrels(laboratory / "qrels.txt")
    base = SearchModel.from_dict({"words_power": 0.5}, SEARCH_MODELS["plain"]).to_dict()
    found: dict[tuple[float, ...], tuple[float, Run]] = {}
    with library(experiment) as index:
        for feedback in (0.0, 0.9):
            words = SearchModel.from_dict({"feedback": {"weight": feedback}}, SEARCH_MODELS["words"])
            source = index.with_models(words).run(queries)
            for depth in (2, 8):
                for weight in (0.0, 9.0):
                    channels = {**base["channels"], "tokens": {**base["channels"]["tokens"], "weight": weight}}
                    model = SearchModel.from_dict(base | {"channels": channels})
                    run = RetrieverReranker(index, model, depth).rerank(queries, source)
                    found[depth, weight, feedback] = evaluate_run(run, qrels, ["nDCG'"])["nDCG'"], run
    best = max(score for score, _ in found.values())
    chosen = experiment.record["tuned"]["best"]
    parameters = chosen["parameters"]
    key = (parameters["depth"], parameters["channels.tokens.weight"], parameters["words.feedback.weight"])
    rankings = {tuple(doc for topic in run for doc, _ in run[topic]) for _, run in found.values()}
    assert len(rankings) == len(found)  # each of the parameters counts
    assert chosen["score"] == pytest.approx(best) == pytest.approx(found[key][0])
    tuned = experiment.run("best", "dev")
    assert same(tuned, found[key][1])
    assert tuned.provenance is not None
    assert set(tuned.provenance.tuned_on) == {*TOPICS, *SEARCH_MODELS["plain"].tuned_on}
    assert [warning.what for warning in experiment.warnings] == [
        "best is reported on 6 topics of 'dev' that it was tuned on; the report says so"
    ]


def test_a_reranker_knows_what_its_model_and_its_source_were_tuned_on(write: Write) -> None:
    text = RERANKED.replace("words_power = 0.5", 'words_power = 0.5\ntuned_on = ["T.1"]').replace(
        '[pipelines.words]\nmodel = "words"', '[pipelines.words]\nmodel = "words"\ntuned_on = ["T.2", "elsewhere"]'
    )
    experiment = run_recipe(write(text))
    provenance = experiment.run("better", "dev").provenance
    assert provenance is not None
    assert set(provenance.tuned_on) == {"T.1", "T.2", "elsewhere", *SEARCH_MODELS["plain"].tuned_on}
    assert [warning.what for warning in experiment.warnings] == [
        "words is reported on 1 topic of 'dev' that its model was tuned on; the report says so",
        "better and with-better are reported on 1 topic of 'dev' that the model of words was tuned on; "
        "the report says so",
        "better is reported on 1 topic of 'dev' that its model was tuned on; the report says so",
        "with-better is reported on 1 topic of 'dev' that the model of better was tuned on; the report says so",
    ]


@every_case(("old", "new", "error"), [
    ('of = "words"\n', 'of = "wrds"\n', "there is no system 'wrds'. Did you mean words?"),
    ('of = "words"\n', "", "the setting 'rerankers.better.of' is missing"),
    ("depth = 5", "depth = 0", "the depth is 0. It is 1 or more."),
    ("depth = 5", 'kind = "retreiver"', "there is no kind of reranker 'retreiver'. Did you mean retriever?"),
    ("words_power = 0.5", "words_pwer = 0.5",
     "there is no setting 'rerankers.better.words_pwer'. Did you mean rerankers.better.words_power?"),
    ('model = "plain"', 'model = "plane"', "there is no model 'plane'. Did you mean plain?"),
    ("words_power = 0.5", "words_power = -1.0", "rerankers.better: powers and the mass offset must be positive"),
    ('of = "words"\n', 'of = "with-better"\n', "is made of itself: "),
    ("words_power = 0.5", "channels = {subtrees = {weight = 1.0}}", "has none of the channels subtrees"),
    ("[topics.dev]", "[topics.dev]\nformulas = true",
     "rerankers.better orders documents, and the topics 'dev' ask for formulas"),
])
def test_what_is_wrong_with_a_reranker_is_reported(write: Write, old: str, new: str, error: str) -> None:
    with pytest.raises(RecipeError) as told:
        plan_recipe(write(RERANKED, (old, new)))
    assert any(error in str(one) for one in told.value.errors), told.value
    assert all(":" in (one.where or "") for one in told.value.errors)


@every_case(("parameters", "error"), [
    ("{depth = [0, 5]}", "tuning.best.parameters.depth cannot be 0: the depth is 0"),
    ('{depth = ["deep"]}', "tuning.best.parameters.depth cannot be 'deep'"),
    ("{dpth = [1]}", "'better' has no parameter 'dpth'. Did you mean depth?"),
    ("{wrds.words_power = [1]}", "'better' has no parameter 'wrds.words_power'. Did you mean words?"),
    ("{channels.wrds.weight = [1.0]}", "channels.wrds"),
])
def test_what_is_wrong_with_its_tuning_is_reported(write: Write, parameters: str, error: str) -> None:
    tuning = f'[tuning.best]\nof = "better"\non = "dev"\nparameters = {parameters}\n[report]'
    with pytest.raises(RecipeError) as told:
        plan_recipe(write(RERANKED, ("[report]", tuning)))
    assert error in str(told.value)


class Named(ScoringReranker):
    """Documents by the number in their name, the lowest first, times a factor."""

    def __init__(self, factor: float, depth: int) -> None:
        self.factor, self.depth = factor, depth

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return np.array([-self.factor * int(doc_id[1:]) for doc_id in doc_ids])


class NamedKind:
    """As a kind that is not a model of search."""

    def names(self, model: str, given: Mapping[str, Any], folder: Path) -> list[str]:
        return ["factor"]

    def settings(self, model: str, given: Mapping[str, Any], folder: Path) -> dict[str, Any]:
        return {"factor": 1.0, **given}

    def check(self, settings: Mapping[str, Any]) -> None:
        float(settings["factor"])

    def channels(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        return ()

    def make(self, settings: Mapping[str, Any], depth: int, index: Index) -> Named:
        return Named(settings["factor"], depth)

    def stored(self, settings: Mapping[str, Any], tuned_on: tuple[str, ...]) -> dict[str, Any]:
        return {**settings, "tuned_on": list(tuned_on)}


def test_another_kind_takes_its_place_among_them(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kinds, "RERANKERS", {**RERANKERS, "named": NamedKind()})
    text = RERANKED.replace('model = "plain"\ndepth = 5\nwords_power = 0.5', 'kind = "named"\ndepth = 3').replace(
        "[report]", '[tuning.best]\nof = "better"\non = "dev"\nparameters = {factor = [1.0, -1.0]}\n[report]'
    ).replace('"with-better"]', '"best"]')
    experiment = run_recipe(write(text))
    words = experiment.run("words", "dev")
    better = experiment.run("better", "dev")
    for topic in TOPICS:
        first = [doc for doc, _ in words[topic][:3]]
        assert [doc for doc, _ in better[topic][:3]] == sorted(first, key=lambda doc: int(doc[1:]))
        assert [doc for doc, _ in better[topic][3:]] == [doc for doc, _ in words[topic][3:]]
    assert experiment.record["tuned"]["best"]["parameters"]["factor"] in (1.0, -1.0)
