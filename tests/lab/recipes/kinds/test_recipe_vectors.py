"""Recipes that search by vectors of documents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from recipe_cases import errors, judged_recipe, made, stages_of
from tiny_models import need_encoders, save_encoder

from porism.lab.recipes import run_recipe

need_encoders()

Write = Callable[..., Path]

RECIPE = judged_recipe("""\
[vectors.near]
model = "tiny"
numbers = "float16"
length = 32

[pipelines.dense]
model = "dense"

[pipelines.both]
kind = "sum"
depth = 50
parts.words = {weight = 0.5}
parts.dense = {weight = 0.5}

[pipelines.words]
model = "words"

[rerankers.again]
of = "words"
kind = "retriever"
model = "dense"

[tuning.weights]
of = "both"
on = "dev"
parameters = {"parts.dense.weight" = [0.25, 1.0]}
folds = 2
""", "dense", "both", "again", "weights", collection='source = "notes.jsonl"\nchannels = ["words"]')


@pytest.fixture
def encoded(laboratory: Path) -> Path:
    save_encoder(laboratory / "tiny")
    return laboratory


@LONG_ONLY
def test_pipelines_rerankers_and_tuning_search_by_vectors(write: Write, encoded: Path) -> None:
    path = write(RECIPE)
    experiment = run_recipe(path)
    stages = stages_of(experiment)
    assert stages.index("index collection") < stages.index("encode documents near") < stages.index("run dense on dev")
    assert {"run both on dev", "rerank again on dev"} <= set(stages)
    (index,) = (encoded / ".porism-cache" / "made" / "index").iterdir()
    record = json.loads((index / "index" / "encoders" / "near.json").read_text())
    assert (record["numbers"], record["settings"]["length"]) == ("float16", 32)
    assert not made(run_recipe(path))
    for file in index.rglob("vectors-dense-*.bin"):
        file.unlink()
    write(RECIPE, ('weight = 0.5}\nparts.dense', 'weight = 0.6}\nparts.dense'))
    again = run_recipe(path)  # what is lost is encoded again
    assert made(again) >= {"run both on dev"}
    assert list(index.rglob("vectors-dense-*.bin"))
    save_encoder(encoded / "tiny", seed=4)
    other = made(run_recipe(path))
    assert {"encode documents near", "run dense on dev"} <= other
    assert "run words on dev" not in other


@every_case(("change", "message"), [
    (('[vectors.near]\nmodel = "tiny"\nnumbers = "float16"\nlength = 32\n', ""), "needs vectors of documents"),
    (('model = "tiny"', 'model = "none"'), "there is no model 'none'"),
    (("length = 32", "lenght = 32"), "Did you mean vectors.near.length?"),
    (("length = 32", "length = 0"), "length cannot be 0"),
    (('numbers = "float16"', 'numbers = "int4"'), "numbers"),
    (('[pipelines.dense]\nmodel = "dense"', '[pipelines.dense]\nmodel = "dense"\nencoder = "far"'), "vectors 'far'"),
])
def test_what_cannot_be_is_said_before_anything_runs(
    write: Write, encoded: Path, change: tuple[str, str], message: str
) -> None:
    assert any(message in error for error in errors(write(RECIPE, change)))
