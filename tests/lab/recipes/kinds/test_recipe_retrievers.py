"""A recipe searches, re-ranks and tunes by models of any kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import Any

import formula_encoder_cases
import pytest
from cft_cases import random_model
from long_forms import LONG_ONLY
from recipe_cases import RECIPE
from trigram_retriever import TRIGRAMS, TrigramModel

from porism.corpus import read_topics
from porism.lab.pipeline import RetrieverReranker
from porism.lab.recipes import RecipeError, plan_recipe, run_recipe
from porism.lab.recipes.answers import answer_each
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.search.index import open_index
from porism.search.models import registry
from porism.search.models.models import read_model
from porism.search.sources.updating import index_sources
from porism.types import Query
from porism.vectors.formula_encoder.encoding import FORMULA_ENCODING
from porism.vectors.formula_encoder.ranker import FormulaEncoderModel
from porism.vectors.formula_vectors.tangent_cft import TangentCftModel

Write = Callable[..., Path]

TRIGRAM_RECIPE = RECIPE.replace("[fusions.rrf]", """\
[pipelines.near]
kind = "trigrams"
power = 2.0
[pipelines.far]
model = "trigrams"
[rerankers.better]
of = "words"
model = "trigrams"
depth = 5
[fusions.rrf]""").replace("tokens.formulas_power = [0.5, 1.0]", "near.power = [0.5, 2.0]").replace(
    'of = ["words", "tokens", "first"]', 'of = ["words", "near", "first"]'
).replace('["words", "tokens", "rrf", "tuned"]', '["words", "near", "far", "better", "rrf", "tuned"]')


@pytest.fixture(autouse=True)
def trigrams(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the registry that a new kind costs."""
    kinds = MappingProxyType({**registry.RETRIEVERS, TRIGRAMS.name: TRIGRAMS})
    monkeypatch.setattr(registry, "RETRIEVERS", kinds)


def test_a_recipe_opens_any_kind(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write(TRIGRAM_RECIPE))
    queries = read_topics(laboratory / "topics.tsv")
    (folder,) = (experiment.output.parent / ".porism-cache" / "made" / "index").iterdir()
    with open_index(folder / "index") as index:
        near = index.with_models(TrigramModel(2.0)).run(queries)
        far = index.with_models("trigrams").run(queries)
        words = index.with_models("words").run(queries)
        better = RetrieverReranker(index, read_model("trigrams"), 5).rerank(queries, words)
    for name, expected in (("near", near), ("far", far), ("better", better)):
        made = experiment.run(name, "dev")
        assert {topic: made[topic] for topic in made} == {topic: expected[topic] for topic in expected}
    provenance = experiment.run("near", "dev").provenance
    assert provenance is not None
    assert "trigrams" in str(provenance.made_by)
    tuned = experiment.run("tuned", "dev").provenance
    assert tuned is not None
    assert tuned.tuned_on


@pytest.mark.parametrize(("change", "message"), [
    (('kind = "trigrams"', 'kind = "trigram"'), "Did you mean trigrams"),
    (("power = 2.0", "pwer = 2.0"), "Did you mean pipelines.near.power"),
    (("power = 2.0", 'power = "two"'), "power"),
])
def test_what_a_kind_does_not_take_is_refused(write: Write, change: tuple[str, str], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        plan_recipe(write(TRIGRAM_RECIPE, change))


CFT_RECIPE = """\
measures = ["nDCG'"]
[collection]
index = "trained"
[topics.dev]
path = "topics.tsv"
qrels = "qrels.txt"
[pipelines.cft]
model = "tangent-cft"
least = 0.1
[report]
on = "dev"
"""


@LONG_ONLY
def test_tangent_cft_searches_an_index_that_it_was_trained_for(write: Write, laboratory: Path) -> None:
    index_sources([laboratory / "notes.jsonl"], laboratory / "trained", jobs=1)
    with pytest.raises(RecipeError, match="'tangent-cft' has to be trained for an index, and there is none"):
        plan_recipe(write(CFT_RECIPE))
    random_model(laboratory / "trained")
    experiment = run_recipe(write(CFT_RECIPE))
    queries = read_topics(laboratory / "topics.tsv")
    with open_index(laboratory / "trained", TangentCftModel(0.1)) as index:
        expected = index.run(queries)
    made = experiment.run("cft", "dev")
    found = {topic: expected[topic] for topic in expected if expected[topic]}  # the others have no formula
    assert {topic: made[topic] for topic in made} == found
    assert len(found) == 4
    random_model(laboratory / "trained", seed=3)
    again = run_recipe(write(CFT_RECIPE)).run("cft", "dev")
    assert {topic: again[topic] for topic in again} != {topic: made[topic] for topic in made}  # not from the cache


@LONG_ONLY
def test_an_encoder_of_formulas_searches_an_index_that_has_one(write: Write, laboratory: Path) -> None:
    pytest.importorskip("safetensors", reason="models need safetensors: pip install 'porism[neural]'")
    index_sources([laboratory / "notes.jsonl"], laboratory / "trained", jobs=1)
    recipe = write(CFT_RECIPE, ("tangent-cft", "formula-encoder"))
    with pytest.raises(RecipeError, match=r"needs vectors of formulas, and there are none.*\[formula_vectors.NAME\]"):
        plan_recipe(recipe)
    formula_encoder_cases.random_model(laboratory / "trained")
    FORMULA_ENCODING.encode(laboratory / "trained", "fe")
    made = run_recipe(recipe).run("cft", "dev")
    with open_index(laboratory / "trained", FormulaEncoderModel(least=0.1)) as index:
        expected = index.run(read_topics(laboratory / "topics.tsv"))
    assert {topic: made[topic] for topic in made} == {topic: expected[topic] for topic in expected if expected[topic]}
    formula_encoder_cases.random_model(laboratory / "trained", seed=3)
    FORMULA_ENCODING.encode(laboratory / "trained", "fe")
    again = run_recipe(recipe).run("cft", "dev")
    assert {topic: again[topic] for topic in again} != {topic: made[topic] for topic in made}  # not from the cache


def test_tangent_cft_is_not_trained_by_a_recipe(write: Write) -> None:
    with pytest.raises(RecipeError, match="porism train tangent-cft"):
        plan_recipe(write(CFT_RECIPE, ('index = "trained"', 'source = "notes.jsonl"')))


def test_linked_parameters_have_one_value(write: Write, laboratory: Path) -> None:
    linked = "words.field_weights.title = words.query_field_weights.title"
    recipe = RECIPE.replace("parameters = {k = [1, 60], tokens.formulas_power = [0.5, 1.0]}", (
        f'parameters = {{"{linked}" = [2, 5]}}'
    ))
    experiment = run_recipe(write(recipe))
    model = json.loads((experiment.output / "models" / "tuned" / "words.json").read_text())
    assert model["field_weights"]["title"] == model["query_field_weights"]["title"]
    assert model["field_weights"]["title"] in (2, 5)
    wrong = recipe.replace("words.query_field_weights.title", "words.query_field_weight.title")
    with pytest.raises(RecipeError, match="there is no setting 'query_field_weight"):
        plan_recipe(write(wrong))


def test_times_are_the_mean_of_repeated_searches(write: Write, laboratory: Path, searched: list[list[str]]) -> None:
    path = write(RECIPE, ('[pipelines.words]\nmodel = "words"\n', '[pipelines.words]\nmodel = "words"\nrepeats = 3\n'))
    run = run_recipe(path, only=["words"]).run("words", "dev")
    assert sorted(searched) == sorted([[topic] for topic in run] * 3)
    with pytest.raises(RecipeError, match="each topic cannot be searched 0 times"):
        plan_recipe(write(path.read_text(), ("repeats = 3", "repeats = 0")))
    times = iter([1.0, 2.0, 6.0])
    stage: Any = SimpleNamespace(search=lambda queries, k: Run(
        {"q": [("d", 1.0)]}, provenance=Provenance({}, seconds={"q": next(times)})
    ))
    ranked, seconds = answer_each(lambda query: stage, [Query("q", {})], 5, repeats=3)
    assert (ranked, seconds) == ({"q": [("d", 1.0)]}, {"q": 3.0})
