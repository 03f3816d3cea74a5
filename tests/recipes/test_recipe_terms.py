"""Recipes that train tokenizers and embeddings, build similarity matrices, and search and tune with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from porism.embeddings import open_token_vectors
from porism.recipes import Experiment, RecipeError, StageEvent, plan_recipe, run_recipe
from porism.searching import open_index
from porism.similarity import open_similarities

pytest.importorskip("tokenizers", reason="the extra 'embeddings' is not installed")
pytest.importorskip("gensim", reason="the extra 'embeddings' is not installed")
pytest.importorskip("rapidfuzz", reason="the extra 'embeddings' is not installed")

Write = Callable[..., Path]

SOFT = """\
name = "soft"
measures = ["nDCG'"]

[collection]
source = "notes.jsonl"
channels = ["words", "bpe:tex"]

[tokenizers.tex]
kind = "latex"
merges = 20

[tokenizers.unused]
kind = "text"

[embeddings.w2v]
channel = "words"
dimensions = 8
epochs = 2
min_count = 1

[embeddings.unused]
channel = "words"
method = "fasttext"

[similarities.near]
embeddings = "w2v"
alpha = [0.0, 0.5, 1.0]
top = 5

[similarities.spelling]
channel = "bpe:tex"
alpha = 1

[topics.dev]
path = "topics.tsv"
qrels = "qrels.txt"

[pipelines.hard.channels]
words = {k1 = 1.2}

[pipelines.soft.channels]
words = {similarity = "near-0.0"}

[pipelines.both.channels]
words = {weight = 0.6, similarity = "near-0.0"}
"bpe:tex" = {weight = 0.4, similarity = "spelling"}

[tuning.tuned]
of = "both"
on = "dev"
parameters = {"channels.words.similarity" = ["near-0.0", "near-1.0", ""], "channels.words.weight" = [0.3, 0.6]}

[report]
on = "dev"
systems = ["hard", "soft", "both", "tuned"]
test = "permutation"
formats = ["csv"]
"""
TRAINED = {"train tokenizer tex", "index collection", "train embeddings w2v"}


def made(experiment: Experiment) -> set[str]:
    return {stage["stage"] for stage in experiment.record["stages"] if not stage["cached"]}


def errors(path: Path) -> list[str]:
    with pytest.raises(RecipeError) as caught:
        plan_recipe(path)
    return [str(error).removeprefix(str(path)) for error in caught.value.errors]


def index_of(folder: Path) -> Path:
    (entry,) = (folder / ".porism-cache" / "made" / "index").iterdir()
    return entry / "index"


def test_one_recipe_from_a_tokenizer_to_a_report(write: Write, laboratory: Path) -> None:
    path = write(SOFT)
    plan = plan_recipe(path)
    stages = [stage.id for stage in plan.stages]
    assert stages[:2] == ["train tokenizer tex", "index collection"]
    assert set(stages) == TRAINED | {
        "build similarities near-0.0", "build similarities near-1.0", "build similarities spelling",
        "run hard on dev", "run soft on dev", "run both on dev", "tune tuned on dev", "run tuned on dev",
        "report report on dev",
    }  # neither near-0.5 nor what is called unused: nothing asks for them
    counts: dict[str, list[tuple[int, int | None]]] = {}

    def listen(event: StageEvent) -> None:
        if event.what == "progress":
            counts.setdefault(event.stage.kind, []).append((event.done, event.total))

    experiment = run_recipe(path, on_event=listen)
    assert made(experiment) == set(stages)
    assert counts["tokenizer"][-1] == (40, None)
    assert counts["embeddings"][-1][0] == counts["embeddings"][-1][1]
    assert counts["similarities"][-1][0] == counts["similarities"][-1][1]
    by_name = {run["run"]: run["aggregated"]["nDCG'"] for run in experiment.reports["report"].numbers["runs"]}
    assert list(by_name) == ["hard", "soft", "both", "tuned"]
    assert by_name["tuned"] >= by_name["both"]
    trials = experiment.record["tuned"]["tuned"]["parameters"]
    assert set(trials) == {"channels.words.similarity", "channels.words.weight"}
    outputs = {stage["stage"]: stage["output"] for stage in experiment.record["stages"]}
    assert outputs["train tokenizer tex"]["tokens"] == 256 + 20
    assert outputs["train embeddings w2v"]["dimensions"] == 8
    assert outputs["build similarities spelling"]["terms"] > 0
    folder = index_of(laboratory)
    with open_index(folder) as index:
        assert set(index.channels) == {"words", "bpe:tex"} if hasattr(index, "channels") else True
    assert len(open_token_vectors(folder, "w2v")) == outputs["train embeddings w2v"]["terms"]
    assert open_similarities(folder, "near-1.0").info["settings"]["alpha"] == 1.0
    assert open_similarities(folder, "near-0.0").info["embeddings"]["name"] == "w2v"
    assert sorted(file.name for file in (folder / "similarities").iterdir()) == [
        "near-0.0.bin", "near-1.0.bin", "spelling.bin",
    ]
    assert [file.name for file in (folder / "embeddings").iterdir()] == ["w2v.bin"]
