"""Recipes that search by tokens and by the terms of sparse encoders, alone, as stages and in sums."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from recipe_cases import errors, judged_recipe, made, stages_of
from tiny_models import need_encoders, save_encoder, save_splade

from porism.lab.recipes import run_recipe
from porism.runs.run import Run

need_encoders()

from colbert_cases import save_token_model  # noqa: E402

from porism import index_sources  # noqa: E402
from porism.vectors.colbert.encoding import TOKEN_ENCODING  # noqa: E402
from porism.vectors.splade.encoding import SPARSE_ENCODING  # noqa: E402

Write = Callable[..., Path]

RECIPE = judged_recipe("""\
[vectors.near]
model = "tiny"
length = 32

[token_vectors.own]
model = "tokens"
centroids = 16
bits = 4
length = 24

[sparse_vectors.heavy]
model = "terms"
dimensions = 20

[pipelines.structure]
kind = "structure"

[pipelines.dense]
model = "dense"

[pipelines.colbert]
model = "colbert"

[pipelines.splade]
model = "splade"

[pipelines.neural]
model = "neural"

[pipelines.beside]
model = "words"
channels.words = {weight = 1.0}
channels."splade:heavy" = {weight = 0.5}

[pipelines.all]
kind = "sum"
depth = 50
parts.default = {weight = 0.5}
parts.structure = {weight = 0.5, model = "default", settings = {kind = "structure"}}
parts.dense = {weight = 0.5}
parts.colbert = {weight = 0.5}
parts.splade = {weight = 0.5}

[rerankers.structure_dense]
of = "structure"
kind = "retriever"
model = "dense"

[rerankers.dense_colbert]
of = "dense"
kind = "retriever"
model = "colbert"

[rerankers.colbert_splade]
of = "dense_colbert"
kind = "retriever"
model = "splade"
depth = 5

[rerankers.splade_all]
of = "splade"
kind = "retriever"
model = "neural"

[fusions.apart]
of = ["structure", "splade", "dense"]
method = "linear"

[tuning.weights]
of = "all"
on = "dev"
parameters = {"parts.colbert.weight" = [0.0, 1.0], "parts.structure.weight" = [0.25, 1.0]}
folds = 2

[tuning.channel]
of = "beside"
on = "dev"
parameters = {"channels.splade:heavy.weight" = [0.0, 2.0]}
folds = 2
""", "dense", "colbert", "splade", "neural", "structure_dense", "dense_colbert", "colbert_splade", "splade_all",
    "apart", "weights", "channel")

SMALL = judged_recipe("""\
[token_vectors.own]
model = "tokens"
centroids = 16

[sparse_vectors.heavy]
model = "terms"
dimensions = 20

[pipelines.words]
model = "words"

[pipelines.splade]
model = "splade"

[rerankers.colbert]
of = "words"
kind = "retriever"
model = "colbert"
depth = 20
""", "splade", "colbert", collection='source = "notes.jsonl"\nchannels = ["words"]')


@pytest.fixture
def encoded(laboratory: Path) -> Path:
    save_encoder(laboratory / "tiny")
    save_token_model(laboratory / "tokens")
    save_splade(laboratory / "terms")
    return laboratory


@LONG_ONLY
def test_every_kind_searches_alone_as_a_stage_and_in_a_sum(write: Write, encoded: Path) -> None:
    path = write(RECIPE)
    experiment = run_recipe(path)
    stages = stages_of(experiment)
    assert stages.index("encode tokens own") < stages.index("run colbert on dev")
    assert stages.index("encode terms heavy") < stages.index("run splade on dev")
    (index,) = (encoded / ".porism-cache" / "made" / "index").iterdir()
    files = {file.parent.name: file.name for file in (index / "index").glob("*/*") if file.suffix in (".bin", ".json")}
    assert {"encoders": "near.json", "tokens": "own.bin", "sparse": "heavy.bin"}.items() <= files.items()

    def first(run: Run, topic: str) -> list[str]:
        return [found for found, _ in run[topic]]

    dense, again = experiment.run("dense", "dev"), experiment.run("dense_colbert", "dev")
    colbert, deeper = experiment.run("colbert", "dev"), experiment.run("colbert_splade", "dev")
    for topic in dense:
        assert sorted(first(again, topic)) == sorted(first(dense, topic))
        order = {found: place for place, found in enumerate(first(colbert, topic))}
        places = [order[found] for found in first(again, topic) if found in order]
        assert places == sorted(places)  # what late interaction ranks alone, it ranks so here
        assert first(deeper, topic)[5:] == first(again, topic)[5:]
    assert any(first(again, topic) != first(dense, topic) for topic in dense)
    chosen = experiment.record["tuned"]["weights"]["parameters"]
    assert set(chosen) == {"parts.colbert.weight", "parts.structure.weight"}
    assert not made(run_recipe(path))


@LONG_ONLY
def test_what_has_changed_is_encoded_and_searched_again(write: Write, encoded: Path) -> None:
    run_recipe(write(SMALL))
    (index,) = (encoded / ".porism-cache" / "made" / "index").iterdir()
    codec = (index / "index" / "tokens" / "own.bin").read_bytes()
    lost = [*index.rglob("vectors-tokens-*"), *index.rglob("vectors-splade-*"), *index.rglob("own.bin")]
    assert len(lost) >= 3
    for file in lost:
        file.unlink()
    run_recipe(write(SMALL, ("depth = 20", "depth = 30")))  # encodes what is lost
    assert (index / "index" / "tokens" / "own.bin").read_bytes() == codec
    assert list(index.rglob("vectors-tokens-*"))
    assert list(index.rglob("vectors-splade-*"))
    save_token_model(encoded / "tokens", seed=4)
    again = made(run_recipe(write(SMALL)))
    assert {"encode tokens own", "rerank colbert on dev"} <= again
    assert not {"run words on dev", "run splade on dev", "encode terms heavy"} & again
    again = made(run_recipe(write(SMALL, ("dimensions = 20", "dimensions = 10"))))
    assert {"encode terms heavy", "run splade on dev"} <= again
    assert "encode tokens own" not in again


@LONG_ONLY
def test_an_index_that_is_there_has_its_own(write: Write, encoded: Path) -> None:
    there = encoded / "there.index"
    index_sources([encoded / "notes.jsonl"], there)
    TOKEN_ENCODING.encode(there, encoded / "tokens", name="own", device="cpu", centroids=16)
    SPARSE_ENCODING.encode(there, encoded / "terms", name="heavy", device="cpu")
    recipe = judged_recipe("""\
[pipelines.colbert]
model = "colbert"
[pipelines.splade.channels]
"splade:heavy" = {weight = 1.0}
""", "colbert", "splade", collection='index = "there.index"')
    path = write(recipe)
    assert {"run colbert on dev", "run splade on dev"} <= made(run_recipe(path))
    assert not made(run_recipe(path))
    TOKEN_ENCODING.encode(there, encoded / "tokens", name="own", device="cpu", centroids=8)
    assert "run colbert on dev" in (again := made(run_recipe(path)))
    assert "run splade on dev" not in again
    clash = write(recipe, ("[topics.dev]", '[token_vectors.own]\nmodel = "tokens"\n[topics.dev]'))
    with pytest.raises(Exception, match="the index has another encoder 'own'"):
        run_recipe(clash)


@LONG_ONLY
def test_a_recipe_trains_the_model_that_it_searches_with(write: Write, encoded: Path) -> None:
    pairs = [{"anchor": f"limit of {word}", "positive": f"{word} and derivative"} for word in ("sum", "group", "prime")]
    (encoded / "pairs.jsonl").write_text("".join(json.dumps(pair) + "\n" for pair in pairs), encoding="utf-8")
    experiment = run_recipe(write(judged_recipe("""\
[encoders.late]
model = "tiny"
kind = "colbert"
files = ["pairs.jsonl"]
batch = 2
dimensions = 8
length = 32
precision = "float32"
[token_vectors.late]
model = "late"
centroids = 8
[pipelines.colbert]
model = "colbert"
""", "colbert")))

    stages = stages_of(experiment)
    assert stages.index("train encoder late") < stages.index("encode tokens late") < stages.index("run colbert on dev")


@every_case(("change", "message"), [
    (("bits = 4", "bitz = 4"), "Did you mean token_vectors.own.bits?"),
    (('model = "tokens"', 'model = "tiny"'), "the model 'tiny' does not give token vectors"),
    (('model = "terms"', 'model = "tiny"'), "the model 'tiny' does not give sparse vectors"),
    (('model = "tiny"', 'model = "tokens"'), "the model 'tokens' does not give vectors"),
    (("bits = 4", "bits = 3"), "bits"),
    (("length = 24", "length = 0"), "length cannot be 0"),
    (('"splade:heavy" = {weight = 0.5}', '"splade:light" = {weight = 0.5}'), "terms of a sparse encoder 'light'"),
    (('[pipelines.colbert]\nmodel = "colbert"', '[pipelines.colbert]\nmodel = "colbert"\nstore = "far"'),
     "vectors of tokens 'far'"),
    (("[sparse_vectors.heavy]\nmodel = \"terms\"\ndimensions = 20\n", ""),
     "the model needs terms of a sparse encoder of documents, and there are none. Add [sparse_vectors.NAME]"),
])
def test_what_cannot_be_is_said_before_anything_runs(
    write: Write, encoded: Path, change: tuple[str, str], message: str
) -> None:
    assert any(message in error for error in errors(write(RECIPE, change)))
