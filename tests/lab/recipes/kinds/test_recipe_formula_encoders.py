"""Recipes that train an encoder of formulas, encode the formulas of the collection by it, and search by both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case
from formula_encoder_cases import random_model
from long_forms import LONG_ONLY
from recipe_cases import errors, made, stages_of
from tiny_models import need_models

from porism.lab.recipes import run_recipe

need_models()
for library in ("accelerate", "safetensors"):
    pytest.importorskip(library, reason="training needs it: pip install 'porism[neural]'")

from porism.corpus import read_topics  # noqa: E402
from porism.search.index import open_index  # noqa: E402
from porism.search.sources.updating import index_sources  # noqa: E402
from porism.vectors.formula_encoder.encoding import FORMULA_RECORDS  # noqa: E402
from porism.vectors.formula_encoder.ranker import FormulaEncoderModel  # noqa: E402

Write = Callable[..., Path]

RECIPE = """\
measures = ["nDCG'"]
[collection]
source = "notes.jsonl"
[formula_encoders.fe]
exclude_topics = ["left.tsv"]
network = {dimensions = 8, layers = 1, heads = 2, width = 12, nodes = 24}
min_count = 1
steps = 2
batch = 4
held_out = 0
[formula_vectors.near]
model = "fe"
[topics.dev]
path = "formulas.tsv"
qrels = "formulas.txt"
formulas = true
[pipelines.structure]
kind = "structure"
[pipelines.encoder]
kind = "formula-encoder"
encoder = "near"
[pipelines.both]
kind = "formula-sum"
depth = 50
parts.default = {weight = 0.5}
parts.formula-encoder = {weight = 0.5}
[fusions.rrf]
of = ["structure", "encoder"]
[tuning.weights]
of = "both"
on = "dev"
parameters = {"parts.formula-encoder.weight" = [0.25, 1.0]}
[report]
on = "dev"
systems = ["structure", "encoder", "both", "rrf", "weights"]
"""


@pytest.fixture
def formulas(laboratory: Path) -> Path:
    (laboratory / "formulas.tsv").write_text("F.1\t$x^3$\nF.2\t$a+c$\n")
    (laboratory / "formulas.txt").write_text("F.1 0 d0/body/0 1\nF.2 0 d1/body/1 1\n")
    (laboratory / "left.tsv").write_text("L.1\t$b+a$\n")
    return laboratory


@LONG_ONLY
def test_one_recipe_trains_encodes_and_searches_formulas(write: Write, formulas: Path) -> None:
    path = write(RECIPE)
    experiment = run_recipe(path, jobs=1)
    stages = stages_of(experiment)
    order = ["index collection", "train encoder of formulas fe", "encode formulas near", "run encoder on dev"]
    assert [stage for stage in stages if stage in order] == order
    assert {"run both on dev", "fuse rrf on dev", "tune weights on dev"} <= set(stages), stages
    outputs = {stage["stage"]: stage["output"] for stage in experiment.record["stages"]}
    trained = outputs["train encoder of formulas fe"]
    assert (trained["formulas"], trained["excluded"], trained["steps"]) == (6, 1, 2)
    assert outputs["encode formulas near"]["dimensions"] == 8
    assert (experiment.output / "models" / "fe" / "porism.json").exists()
    (index,) = (formulas / ".porism-cache" / "made" / "index").iterdir()
    queries = read_topics(formulas / "formulas.tsv")
    with open_index(index / "index", formula_model=FormulaEncoderModel(encoder="near")) as opened:
        expected = opened.run_formulas(queries, 1000)
    run = experiment.run("encoder", "dev")
    assert {topic: run[topic] for topic in run} == {topic: expected[topic] for topic in expected}
    assert len(run["F.1"]) > 3

    assert not made(run_recipe(path, jobs=1))
    for file in index.rglob("vectors-formula-encoder-*.bin"):
        file.unlink()
    (formulas / "left.tsv").write_text("L.1\t$n!$\n")
    changed = made(run_recipe(path, jobs=1))  # another model; the run of structure is in the cache
    assert {"train encoder of formulas fe", "encode formulas near", "run encoder on dev", "run both on dev"} <= changed
    assert not {"index collection", "run structure on dev"} & changed
    assert list(index.rglob("vectors-formula-encoder-*.bin"))


@LONG_ONLY
def test_formulas_are_encoded_by_a_model_that_is_there(write: Write, formulas: Path) -> None:
    random_model(formulas / "somewhere")
    start, end = RECIPE.index("[formula_encoders.fe]"), RECIPE.index("[formula_vectors.near]")
    untrained = RECIPE[:start] + RECIPE[end:]
    path = write(untrained, ('model = "fe"', 'model = "somewhere/models/fe"'))
    assert "encode formulas near" in stages_of(run_recipe(path, jobs=1))
    index_sources([formulas / "notes.jsonl"], formulas / "own", jobs=1)
    path = write(path.read_text(), ('source = "notes.jsonl"', 'index = "own"'))
    run_recipe(path, jobs=1)
    assert FORMULA_RECORDS.find(formulas / "own", "near").dimensions == 8
    assert not made(run_recipe(path, jobs=1))
    random_model(formulas / "somewhere", seed=3)  # another model under a name that the index has
    with pytest.raises(Exception, match=r"the index has another encoder 'near'"):
        run_recipe(path, jobs=1)
    random_model(formulas / "somewhere")
    without = write(path.read_text(), ('[formula_vectors.near]\nmodel = "somewhere/models/fe"\n', ""))
    assert "encode formulas near" not in stages_of(run_recipe(without, jobs=1))  # that of the index serves


@every_case(("change", "message"), [
    (('[formula_vectors.near]\nmodel = "fe"\n', ""), "the model needs vectors 'near', and there are none"),
    (('model = "fe"', 'model = "none"'), "there is no model 'none'"),
    (('model = "fe"', 'model = "wrong"'), "the model 'wrong' does not give formula vectors"),
    (("steps = 2", "stps = 2"), "Did you mean formula_encoders.fe.steps?"),
    (("heads = 2", "heads = 3"), "8 dimensions cannot be shared by 3 heads"),
    (('"left.tsv"', '"none.tsv"'), "none.tsv"),
    (('encoder = "near"', 'encoder = "far"'), "needs vectors 'far'"),
    (("parts.formula-encoder =", "parts.dense ="), "there is no model 'dense'"),
])
def test_what_cannot_be_is_said_before_anything_runs(
    write: Write, formulas: Path, change: tuple[str, str], message: str
) -> None:
    (formulas / "wrong").mkdir(exist_ok=True)
    (formulas / "wrong" / "config.json").write_text(json.dumps({}))
    assert any(message in error for error in errors(write(RECIPE, change)))
