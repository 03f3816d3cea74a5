"""Recipes that mine pairs and train language models and encoders on them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from recipe_cases import errors, made, stages_of
from tiny_models import need_models, save_bert

from porism.lab.recipes import plan_recipe, run_recipe

need_models()
for library in ("sentence_transformers", "datasets", "accelerate"):
    pytest.importorskip(library, reason="training needs it: pip install 'porism[neural]'")

from porism.corpus import read_topics  # noqa: E402
from porism.index import IndexWriter  # noqa: E402
from porism.lab.pipeline.rerankers.named import named_reranker  # noqa: E402
from porism.lab.recipes.kinds.encoders import read_auxiliary  # noqa: E402
from porism.lab.train.encoder.collection import TrainingCollection  # noqa: E402
from porism.lab.train.pairs.files import read_pairs  # noqa: E402
from porism.search.index import open_index  # noqa: E402
from porism.search.sources.updating import index_sources  # noqa: E402
from porism.vectors.neural.encoder import Encoder  # noqa: E402

Write = Callable[..., Path]

RECIPE = """\
name = "trained"
measures = ["nDCG'"]

[collection]
source = "notes.jsonl"
channels = ["words"]

[pairs.own]
miners = ["titles", "citations:file=links.tsv"]
exclude_topics = ["topics.tsv"]
exclude_ids = ["left.txt"]

[pairs.own.negatives]
count = 2

[language_models.math]
model = "bert"
exclude_ids = ["unread.txt"]
length = 32
steps = 3
held_out = 0.2
precision = "float32"

[encoders.small]
model = "math"
pairs = ["own"]
steps = 2
batch = 8
length = 32
precision = "float32"
"""
STAGES = ["index collection", "train language model math", "mine pairs own", "train encoder small"]


@pytest.fixture
def trained(laboratory: Path) -> Path:
    save_bert(laboratory / "bert", limit=64)
    (laboratory / "links.tsv").write_text("d1\td2\nd3\td4\n")
    (laboratory / "left.txt").write_text("d3\n")
    (laboratory / "unread.txt").write_text("d4\nd5\n")
    return laboratory


@LONG_ONLY
def test_one_recipe_from_a_collection_to_an_encoder(write: Write, trained: Path) -> None:
    path = write(RECIPE)
    assert sorted(stage.id for stage in plan_recipe(path).stages) == sorted(STAGES)
    experiment = run_recipe(path)
    output = experiment.output
    pairs = read_pairs(output / "pairs" / "own.jsonl")
    assert {pair.miner for pair in pairs} == {"titles", "citations"}
    assert not any("d3" in (pair.anchor_id, pair.positive_id) for pair in pairs)
    assert any(pair.negatives for pair in pairs)
    encoder = Encoder.load(output / "models" / "small", device="cpu")
    assert encoder.length == 32
    (index,) = (trained / ".porism-cache" / "made" / "index").iterdir()
    assert Encoder.load("small", index_path=index / "index", device="cpu").files.digest == encoder.files.digest
    outputs = {stage["stage"]: stage["output"] for stage in experiment.record["stages"]}
    assert outputs["train encoder small"]["steps"] == 2
    assert outputs["train language model math"]["after"]["perplexity"] > 0
    assert outputs["train language model math"]["documents"] == 34  # without two, and four of their titles
    assert outputs["mine pairs own"]["pairs"] == len(pairs)

    again = run_recipe(path)
    assert not made(again)
    (trained / "left.txt").write_text("d5\n")
    changed = run_recipe(path)
    assert made(changed) == {
        "mine pairs own", "train encoder small"
    }
    (trained / "unread.txt").write_text("d4\n")
    assert made(run_recipe(path)) == {"train language model math", "train encoder small"}


def test_an_encoder_is_trained_on_files_too(write: Write, trained: Path) -> None:
    lines = [{"anchor": f"q{number}", "positive": f"a{number}"} for number in range(9)]
    (trained / "more.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    path = write(RECIPE, ('pairs = ["own"]', 'files = ["more.jsonl"]'), ('model = "math"', 'model = "bert"'))
    experiment = run_recipe(path)
    assert "train encoder small" in stages_of(experiment)
    assert "mine pairs own" not in stages_of(experiment)


def test_former_names_of_settings_are_read_with_a_warning(write: Write, trained: Path) -> None:
    today = plan_recipe(write(RECIPE, ("steps = 2", "steps = 2\nlearning_rate = 0.01\nmicro_batch = 4")))
    former = plan_recipe(write(RECIPE, ("steps = 2", "steps = 2\nrate = 0.01\npart = 4")))
    assert [stage.key for stage in former.stages] == [stage.key for stage in today.stages]
    assert today.warnings == ()
    assert [warning.what for warning in former.warnings] == [
        "the setting 'encoders.small.rate' is now called 'learning_rate'",
        "the setting 'encoders.small.part' is now called 'micro_batch'",
    ]


@LONG_ONLY
def test_questions_are_trained_against_the_collection(
    write: Write, trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[TrainingCollection] = []

    def read(*given: Any) -> list[TrainingCollection]:
        asked.extend(found := read_auxiliary(*given))
        return found

    monkeypatch.setattr("porism.lab.recipes.kinds.encoders.read_auxiliary", read)
    path = write(RECIPE, ('pairs = ["own"]\nsteps = 2', 'pairs = ["own"]\nloss = "collection"\nsteps = 2'))
    output = run_recipe(path).output
    before, after = (Encoder.load(one, device="cpu") for one in (trained / "bert", output / "models" / "small"))
    assert after.settings.trained_on[-2:] == ("titles", "citations")
    assert before.dimensions == after.dimensions
    (trained / "notes.jsonl").write_text((trained / "notes.jsonl").read_text().replace("the", "a"))
    changed = run_recipe(path)
    assert "train encoder small" in made(changed)
    loss = 'pairs = ["own"]\nloss = "collection"\nkeep = ["own"]\nkeep_files = ["kept.jsonl"]\nsteps = 2'
    (trained / "kept.jsonl").write_text(json.dumps({"anchor": "what is kept", "positive": "nothing"}) + "\n")
    kept = write(RECIPE, ('pairs = ["own"]\nsteps = 2', loss))
    assert "train encoder small" in made(run_recipe(kept))
    assert not made(run_recipe(kept))
    (trained / "kept.jsonl").write_text(json.dumps({"anchor": "what else is kept", "positive": "nothing"}) + "\n")
    assert made(run_recipe(kept)) == {"train encoder small"}
    words = "apple banana cherry damson elder fig".split()
    others = [json.dumps({"id": f"o{number}", "body": f"{word} " * 9}) for number, word in enumerate(words)]
    (trained / "others.jsonl").write_text("\n".join(others))
    index_sources([trained / "others.jsonl"], trained / "others", jobs=1)
    pairs = [json.dumps({"anchor": f"asked {number}", "positive": f"answered {number}"}) for number in range(3)]
    (trained / "asked.jsonl").write_text("\n".join(pairs))
    (trained / "away.txt").write_text("o2\n")
    table = 'also = [{index = "others", files = ["asked.jsonl"], exclude_ids = ["away.txt"]}]'
    also = write(RECIPE, ('pairs = ["own"]\nsteps = 2', f'pairs = ["own"]\nloss = "collection"\n{table}\nsteps = 2'))
    assert made(run_recipe(also)) == {"train encoder small"}
    assert [(len(one.pairs), set(one.collection)) for one in asked] == [(3, {"o0", "o1", "o3", "o4", "o5"})]
    assert not made(run_recipe(also))
    (trained / "asked.jsonl").write_text("\n".join(pairs[:2]))
    assert made(run_recipe(also)) == {"train encoder small"}
    with IndexWriter(trained / "others") as writer:
        writer.delete(["o5"])
        writer.commit()
    assert made(run_recipe(also)) == {"train encoder small"}
    assert "o5" not in asked[-1].collection
    alone = write(
        RECIPE, ('[collection]\nsource = "notes.jsonl"\nchannels = ["words"]\n', ""),
        ('pairs = ["own"]', 'files = ["links.tsv"]\nloss = "collection"'),
    )
    assert any("the loss collection needs one" in error for error in errors(alone))


@every_case(("change", "message"), [
    (('[collection]\nsource = "notes.jsonl"\nchannels = ["words"]\n', ""), "a collection, and there is none"),
    (('"titles"', '"title"'), "there is no miner of pairs 'title'. Did you mean titles?"),
    (('exclude_ids = ["left.txt"]', 'exclude_ids = ["none.txt"]'), "there is no file"),
    (("file=links.tsv", "file=none.tsv"), "there is no file"),
    (("count = 2", "count = 0"), "count"),
    (("count = 2", 'source = "model"'), "come from a search or from tags"),
    (('pairs = ["own"]', 'pairs = ["onw"]'), "there are no pairs 'onw'. Did you mean own?"),
    (('pairs = ["own"]', 'pairs = ["own"]\nloss = "collection"\nkeep = ["onw"]'), "no pairs 'onw'. Did you mean own?"),
    (('pairs = ["own"]', 'pairs = ["own"]\nloss = "collection"\nkeep_files = ["none"]'), "there is no file"),
    (('pairs = ["own"]', 'pairs = ["own"]\nkeep = ["own"]'), "only the loss collection has questions that keep"),
    (('pairs = ["own"]', 'pairs = ["own"]\nalso = [{index = "notes", files = ["links.tsv"]}]'),
     "only the loss collection has other collections"),
    (('pairs = ["own"]', 'pairs = ["own"]\nloss = "collection"\nbeside = [{index = "none", files = ["links.tsv"]}]'),
     "there is no file"),
    (('pairs = ["own"]', 'pairs = ["own"]\nloss = "collection"\nbeside = [{index = "bert", files = ["links.tsv"]}]'),
     "there is no index here"),
    (('pairs = ["own"]', 'pairs = ["own"]\nloss = "collection"\nbeside = [{index = "bert", files = []}]'),
     "needs pairs"),
    (('pairs = ["own"]', "epochs = 1"), "an encoder needs pairs"),
    (('model = "math"', 'model = "none"'), "there is no model 'none'"),
    (("batch = 8", "batch = 1"), "nothing to compare with"),
    (("batch = 8", "bach = 8"), "Did you mean encoders.small.batch?"),
    (("held_out = 0.2", "held_out = 2"), "held_out"),
    (("unread.txt", "none.txt"), "there is no file"),
    (("length = 32\nsteps = 3", "lenght = 32"), "Did you mean language_models.math.length?"),
])
def test_what_is_wrong_is_said_before_anything_is_made(
    write: Write, trained: Path, change: tuple[str, str], message: str
) -> None:
    found = errors(write(RECIPE, change))
    assert any(message in one for one in found), found


SEARCH = RECIPE + """
[topics.dev]
path = "topics.tsv"
qrels = "qrels.txt"

[pipelines.words]
channels.words = {weight = 1.0}

[vectors.small]
model = "small"

[pipelines.meaning]
kind = "dense"
encoder = "small"

[pipelines.both]
kind = "sum"
parts.words = {model = "words"}
parts.meaning = {model = "dense"}

[report]
on = "dev"
systems = ["words", "meaning", "both"]
test = "permutation"
formats = ["csv"]
"""


def test_one_recipe_from_mining_to_a_search_by_what_was_trained(write: Write, trained: Path) -> None:
    path = write(SEARCH)
    experiment = run_recipe(path)
    runs = {run["run"]: run["aggregated"]["nDCG'"] for run in experiment.reports["report"].numbers["runs"]}
    assert list(runs) == ["words", "meaning", "both"]
    assert runs["meaning"] > 0
    assert experiment.run("meaning", "dev") != experiment.run("words", "dev")
    assert not made(run_recipe(path))
    changed = run_recipe(write(SEARCH, ("steps = 2", "steps = 1")))
    assert made(changed) == {
        "train encoder small", "encode documents small", "run meaning on dev", "run both on dev", "report report on dev"
    }


RERANKED = RECIPE.split("[encoders.small]")[0] + """\
[topics.dev]
path = "topics.tsv"
qrels = "qrels.txt"

[pipelines.words]
channels.words = {weight = 1.0}

[reranker_models.cross]
model = "math"
pairs = ["own"]
negatives = 2
head_rate = 0.01
steps = 2
batch = 4
length = 32
max_tokens = 48
precision = "float32"

[reranker_models.pairs]
kind = "pairwise-cross-encoder"
model = "bert"
pairs = ["own"]
steps = 1
batch = 4
length = 32
precision = "float32"

[rerankers.second]
of = "words"
kind = "cross-encoder"
model = "cross"
depth = 6
device = "cpu"

[rerankers.third]
of = "second"
kind = "pairwise-cross-encoder"
model = "pairs"
depth = 3
device = "cpu"

[rerankers.psu]
of = "words"
kind = "encoder"
model = "math"
device = "cpu"

[tuning.share]
of = "second"
on = "dev"
parameters = {first_stage = [0.0, 1.0]}

[report]
on = "dev"
systems = ["words", "second", "third", "psu", "share"]
test = "permutation"
formats = ["csv"]
"""


@LONG_ONLY
def test_one_recipe_trains_what_re_ranks(write: Write, trained: Path) -> None:
    path = write(RERANKED)
    experiment = run_recipe(path)
    outputs = {stage["stage"]: stage["output"] for stage in experiment.record["stages"]}
    pairs = read_pairs(experiment.output / "pairs" / "own.jsonl")
    able = [pair for pair in pairs if pair.negatives]
    assert outputs["train reranker cross"]["steps"] == 2
    assert outputs["train reranker cross"]["pairs"] == len(able)
    assert outputs["train reranker cross"]["negatives"] == sum(len(pair.negatives) for pair in able)
    report = json.loads((experiment.output / "models" / "cross" / "training.json").read_bytes())
    assert (report["settings"]["kind"], report["settings"]["length"], report["settings"]["max_tokens"]) == (
        "cross-encoder", 32, 48
    )
    runs = {name: experiment.run(name, "dev") for name in ("words", "second", "third", "psu", "share")}
    (index,) = (trained / ".porism-cache" / "made" / "index").iterdir()
    topics = {query.id: query for query in read_topics(trained / "topics.tsv")}
    for name, model, before, depth in (("second", "cross", "words", 6), ("psu", "math", "words", 100)):
        kind = "cross-encoder" if name == "second" else "encoder"
        with open_index(index / "index") as opened:
            reranker = named_reranker(
                opened, f"{kind}:model={experiment.output / 'models' / model};device=cpu;depth={depth}"
            )
            expected = reranker.rerank([topics[one] for one in runs[before]], runs[before], depth)
        for topic in expected:
            assert [doc_id for doc_id, _ in expected[topic]] == [doc_id for doc_id, _ in runs[name][topic]]
    assert runs["second"] != runs["words"]
    assert all(
        [one for one, _ in runs["third"][topic][3:]] == [one for one, _ in runs["second"][topic][3:]]
        for topic in runs["third"]
    )
    assert not made(run_recipe(path))
    changed = run_recipe(write(RERANKED, ("negatives = 2\nhead_rate", "negatives = 1\nhead_rate")))
    assert "train reranker cross" in made(changed)
    assert {"run psu on dev", "rerank psu on dev", "train reranker pairs", "mine pairs own"}.isdisjoint(made(changed))
    assert "rerank third on dev" in made(changed)


@every_case(("change", "message"), [
    (('kind = "cross-encoder"\nmodel = "cross"', 'kind = "mono-t5"\nmodel = "cross"'),
     "'cross' is trained as a cross-encoder, and the reranker is of the kind 'mono-t5'"),
    (('kind = "cross-encoder"\nmodel = "cross"', 'model = "cross"'), 'Set kind = "cross-encoder".'),
    (("[pairs.own.negatives]\ncount = 2\n", ""), "the pairs 'own' have no negatives"),
    (("head_rate = 0.01", "head_rate = -1.0"), "a learning rate is above 0"),
    (("head_rate = 0.01", "haed_rate = 0.01"), "Did you mean reranker_models.cross.head_rate?"),
    (('pairs = ["own"]\nsteps = 1', "steps = 1"), "a model that re-ranks needs pairs"),
    (('pairs = ["own"]\nsteps = 1', 'pairs = ["onw"]\nsteps = 1'), "there are no pairs 'onw'. Did you mean own?"),
    (('pairs = ["own"]\nsteps = 1', 'files = ["none"]\nsteps = 1'), "there is no file"),
    (('model = "bert"\npairs', 'model = "none"\npairs'), "there is no model 'none'"),
    (("depth = 6\n", "depth = 6\nfirst_stage = 2.0\n"), "first_stage cannot be 2"),
])
def test_what_is_wrong_with_a_model_that_re_ranks_is_said_first(
    write: Write, trained: Path, change: tuple[str, str], message: str
) -> None:
    found = errors(write(RERANKED, change))
    assert any(message in one for one in found), found
