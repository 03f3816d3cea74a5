"""Recipes that train tokenizers and embeddings, build similarity matrices, and search and tune with them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

from porism.index.manifest import read_manifest
from porism.lab.recipes import Experiment, RecipeError, StageEvent, plan_recipe, run_recipe
from porism.retrieve.lexical.similarity_matrix import open_similarities
from porism.system.files.artifacts import EMBEDDINGS
from porism.vectors.embeddings import (
    open_token_vectors,
    write_token_vectors,
)
from porism.vectors.embeddings.decontextual import Decontextualised

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
    config = read_manifest(folder).config
    assert (config["text"], config["formulas"], list(config["tokenizers"])) == (["words"], ["bpe:tex"], ["tex"])
    assert len(open_token_vectors(folder, "w2v")) == outputs["train embeddings w2v"]["terms"]
    assert open_similarities(folder, "near-1.0").info["settings"]["alpha"] == 1.0
    assert open_similarities(folder, "near-0.0").info["embeddings"]["name"] == "w2v"
    assert sorted(file.name for file in (folder / "similarities").iterdir()) == [
        "near-0.0.bin", "near-1.0.bin", "spelling.bin",
    ]
    assert [file.name for file in (folder / "embeddings").iterdir()] == ["w2v.bin"]


@LONG_ONLY
def test_what_is_cached_and_what_a_change_makes_again(write: Write, laboratory: Path) -> None:
    one = SOFT.replace('"both", "tuned"', '"both"')
    first = run_recipe(write(one))
    folder = index_of(laboratory)
    vectors, matrix = open_token_vectors(folder, "w2v").digest, open_similarities(folder, "near-0.0").digest
    assert made(run_recipe(write(one))) == set()
    changed = run_recipe(write(one, ("0.0, 0.5", "0.25, 0.5"), ("near-0.0", "near-0.25")))
    assert made(changed) == {
        "build similarities near-0.25", "run soft on dev", "run both on dev", "report report on dev",
    }
    spelled = run_recipe(write(one, ("alpha = 1\n", "alpha = 1\ntop = 2\n")))
    assert made(spelled) == {"build similarities spelling", "run both on dev", "report report on dev"}
    # Another recipe with the same cache has other vectors under the same name; each finds its own again.
    other = run_recipe(write(one, ("epochs = 2", "epochs = 1")))
    assert made(other) == made(first) - {
        "train tokenizer tex", "index collection", "build similarities spelling", "run hard on dev",
    }
    assert open_token_vectors(folder, "w2v").digest != vectors
    assert made(run_recipe(write(one))) == set()
    assert open_token_vectors(folder, "w2v").digest == vectors
    assert open_similarities(folder, "near-0.0").digest == matrix
    merged = plan_recipe(write(one, ("merges = 20", "merges = 21")))
    assert merged.cached == set()  # the index, and all that is made of it


def test_interrupted_training_goes_on(write: Write, laboratory: Path) -> None:
    text = SOFT.replace("epochs = 2", 'epochs = 3\nmethod = "positional"\npositional = 4')
    stopped: list[int] = []

    def stop(event: StageEvent) -> None:
        is_training = event.stage.kind == "embeddings" and event.total is not None and event.total > 40
        if is_training and event.done * 3 >= event.total * 2 and not stopped:  # type: ignore[operator]
            stopped.append(event.done)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_recipe(write(text), only=["soft"], on_event=stop)
    folder = index_of(laboratory)
    (state,) = (folder / "embeddings").iterdir()
    assert state.name.startswith("recipe-")
    assert state.name.endswith(".training")
    record = json.loads((laboratory / "recipe-results" / "record.json").read_bytes())
    assert [stage["stage"] for stage in record["stages"]] == ["train tokenizer tex", "index collection"]
    resumed = run_recipe(write(text), only=["soft"])
    assert made(resumed) == {"train embeddings w2v", "build similarities near-0.0", "run soft on dev"}
    assert [file.name for file in (folder / "embeddings").iterdir()] == ["w2v.bin"]
    vectors = open_token_vectors(folder, "w2v").vectors.copy()
    run_recipe(write(text), only=["soft"], fresh=True)
    assert (open_token_vectors(index_of(laboratory), "w2v").vectors == vectors).all()


def test_an_index_that_is_there_keeps_what_it_has(write: Write, laboratory: Path) -> None:
    run_recipe(write(SOFT), only=["soft"])
    shutil.copytree(index_of(laboratory), laboratory / "there")
    no_tokenizers = SOFT[: SOFT.index("[tokenizers.tex]")] + SOFT[SOFT.index("[embeddings.w2v]"):]
    there = no_tokenizers.replace('source = "notes.jsonl"\nchannels = ["words", "bpe:tex"]', 'index = "there"')
    told = errors(write(there))
    assert len(told) == 2
    assert told[0].startswith(":7: ")
    assert "the index has embeddings 'w2v' of its own. Choose another name in the recipe, or leave" in told[0]
    assert "the index has similarities 'near-0.0' of its own" in told[1]
    own = there[: there.index("[embeddings.w2v]")] + there[there.index("[similarities.spelling]"):]
    own = own[: own.index("[tuning.tuned]")]
    used = [stage.id for stage in plan_recipe(write(own), only=["soft"]).stages]
    assert used == ["run soft on dev"]
    before = plan_recipe(write(own), only=["soft"]).stages[0].key
    (laboratory / "there" / "similarities" / "near-0.0.bin").unlink()
    assert "there is no similarity matrix 'near-0.0'" in "".join(errors(write(own)))
    (laboratory / "there" / "embeddings" / "w2v.bin").unlink()
    done = run_recipe(write(there), only=["soft"])
    assert {"train embeddings w2v", "build similarities near-0.0"} < made(done)
    assert open_similarities(laboratory / "there", "near-0.0").channel == "words"
    changed = run_recipe(write(there, ("top = 5", "top = 4")), only=["soft"])  # its own file is replaced
    assert made(changed) == {"build similarities near-0.0", "run soft on dev"}
    assert plan_recipe(write(own), only=["soft"]).stages[0].key != before


def test_a_tuning_chooses_from_the_matrices_of_every_alpha(write: Write) -> None:
    plan = plan_recipe(write(SOFT, ('["near-0.0", "near-1.0", ""]', '{matrices = "near"}')))
    stages = [stage.id for stage in plan.stages if stage.id.startswith("build similarities near")]
    assert stages == [f"build similarities near-{alpha}" for alpha in (0.0, 0.5, 1.0)]
    (tune,) = (stage for stage in plan.stages if stage.id == "tune tuned on dev")
    assert tune.parameters["space"]["channels.words.similarity"] == ["near-0.0", "near-0.5", "near-1.0", ""]


@every_case(
    ("old", "new", "told"),
    [
        ("merges = 20", "merge = 20", ":10: there is no setting 'tokenizers.tex.merge'. Did you mean"),
        ("merges = 20", "merges = 0", ":10: merges cannot be 0. It is at least 1."),
        ("merges = 20", "vocabulary = 256", ":10: tokenizers.tex.vocabulary: a vocabulary of 256 tokens leaves no"),
        ('kind = "latex"', 'kind = "tex"', ":9: the setting 'tokenizers.tex.kind' cannot be 'tex'"),
        ('kind = "latex"\nmerges = 20', 'file = "tex.json"', ":9: "),
        ('kind = "latex"', 'file = "tex.json"', ":9: tokenizers.tex: a tokenizer from a file is not trained"),
        ("[tokenizers.unused]", '[tokenizers."a+b"]', ":12: tokenizers.a+b: 'a+b' cannot be the name of a tokenizer"),
        ("[tokenizers.tex]", "[tokenizers.xet]",
         ":6: there is no tokenizer for the channel 'bpe:tex'. Add [tokenizers.tex] with its kind, or with file"),
        ("epochs = 2", "epoch = 2", ":18: there is no setting 'embeddings.w2v.epoch'. Did you mean embeddings.w2v.epo"),
        ("epochs = 2", "epochs = 0", ":18: epochs cannot be 0 in training"),
        ("epochs = 2", 'method = "word3vec"', ":18: there is no method of training embeddings 'word3vec'. Did you"),
        ("epochs = 2", 'model = "x"', ":18: embeddings.w2v.model: word2vec has no model. Leave it out."),
        ("epochs = 2", 'method = "decontextualised"', ":17: there is no setting 'embeddings.w2v.dimensions'"),
        ('[embeddings.w2v]\nchannel = "words"', '[embeddings.w2v]\nchannel = "wrds"',
         ":16: there is no channel 'wrds'. Did you mean words?"),
        ('[embeddings.w2v]\nchannel = "words"', '[embeddings.w2v]\nchannel = "plain"',
         ":16: the collection has no channel 'plain'"),
        ('[embeddings.w2v]\nchannel = "words"', '[embeddings.w2v]\nchannel = "bpe:unused"',
         ":16: the collection has no channel 'bpe:unused'. Add it: channels = [\"bpe:unused\", …] in [collection]."),
        ('embeddings = "w2v"', 'embeddings = "w3v"',
         ":26: there are no embeddings 'w3v'. Did you mean w2v? Or add [embeddings.w3v]."),
        ("alpha = [0.0, 0.5, 1.0]", "alpha = [0.0, 1.5]", ":27: similarities.near.alpha.1: alpha of token"),
        ("alpha = [0.0, 0.5, 1.0]", "alpha = [0.0, 0]", ":27: similarities.near.alpha.1: alpha 0 is given twice"),
        ("alpha = [0.0, 0.5, 1.0]", "alpha = []", ":27: there is no alpha. For example"),
        ("alpha = [0.0, 0.5, 1.0]", 'alpha = "x"', ":27: the setting 'similarities.near.alpha' cannot be 'x'"),
        ("top = 5", "tops = 5", ":28: there is no setting 'similarities.near.tops'. Did you mean"),
        ("top = 5", "top = 0", ":28: top of token similarities cannot be 0"),
        ('embeddings = "w2v"', 'channel = "words"', ":27: similarities.near.alpha.0: similarities with alpha 0 need"),
        ("[similarities.spelling]", '[similarities."near-0.5"]', ":30: the matrix 'near-0.5' is one of"),
        ('words = {similarity = "near-0.0"}', 'words = {similarity = "far"}',
         ":42: there is no similarity matrix 'far'. Add [similarities.far] with channel = \"words\"."),
        ('words = {similarity = "near-0.0"}', 'words = {similarity = "near-0.1"}',
         ":42: there is no similarity matrix 'near-0.1'. Did you mean near-0.5? Or add [similarities.\"near-0.1\"]"),
        ('words = {similarity = "near-0.0"}', 'words = {similarity = "spelling"}',
         ":42: the similarities 'spelling' are those of the channel 'bpe:tex', not of 'words'"),
        ('["near-0.0", "near-1.0", ""]', '["near-0.0", "near"]', ":51: there is no similarity matrix 'near'."),
        ('["near-0.0", "near-1.0", ""]', '{matrices = "nar"}',
         ":51: there are no matrices of a table 'nar'. Did you mean near?"),
        ("[pipelines.hard.channels]\nwords = {k1 = 1.2}", '[pipelines.hard]\nmodel = "scm2022-joint-word2vec"',
         ":39: there is no tokenizer for the channel 'bpe:scm-joint'. Add [tokenizers.scm-joint]"),
        ("[pipelines.hard.channels]\nwords = {k1 = 1.2}", '[pipelines.hard]\nmodel = "scm2022-joint-word2vec"',
         ":39: there is no similarity matrix 'scm2022-joint-word2vec'. Add [similarities.scm2022-joint-word2vec] with "
         'channel = "bpe:scm-joint".'),
        ('"bpe:tex" = {weight = 0.4, similarity = "spelling"}', '"bpe:text" = {weight = 0.4}',
         ":46: there is no tokenizer for the channel 'bpe:text'. Did you mean tex? Or add [tokenizers.text]"),
    ],
)
def test_errors_have_their_line_and_what_to_do(write: Write, old: str, new: str, told: str) -> None:
    found = errors(write(SOFT, (old, new)))
    assert len(found) <= 4  # of one thing
    assert any(error.startswith(told) for error in found), found


def test_a_tokenizer_from_a_file_and_no_channel_of_the_default_model(write: Write, laboratory: Path) -> None:
    text = SOFT[: SOFT.index("[similarities.near]")] + SOFT[SOFT.index("[topics.dev]"): SOFT.index("[pipelines.hard.")]
    text = text.replace('"words", "bpe:tex"', '"plain", "bpe:tex"').replace('channel = "words"', 'channel = "plain"')
    text += '[pipelines.tex.channels]\n"bpe:tex" = {weighting = "ltc.ltc"}\n'
    trained = run_recipe(write(text))
    assert made(trained) == {"train tokenizer tex", "index collection", "run tex on dev"}
    (entry,) = (laboratory / ".porism-cache" / "made" / "tokenizer").iterdir()
    shutil.copy(entry / "tex.json", laboratory / "mine.json")
    given = run_recipe(write(text, ('kind = "latex"\nmerges = 20', 'file = "mine.json"')))
    assert made(given) == {"index collection", "run tex on dev"}
    mine, other = trained.run("tex", "dev"), given.run("tex", "dev")
    assert [mine[topic] for topic in mine] == [other[topic] for topic in mine]
    before = [stage.key for stage in plan_recipe(laboratory / "recipe.toml").stages]
    value = json.loads((laboratory / "mine.json").read_bytes())
    (laboratory / "mine.json").write_text(json.dumps({**value, "info": {}}), encoding="utf-8")
    assert not set(before) & {stage.key for stage in plan_recipe(laboratory / "recipe.toml").stages}


def test_libraries_that_are_missing_are_told_before_any_work(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    missing = ("gensim", "rapidfuzz")
    monkeypatch.setattr("porism.lab.recipes.preparing.find_spec", lambda name: None if name in missing else name)
    assert errors(write(SOFT)) == [
        ":15: training embeddings needs gensim, which is not installed. Install it: pip install 'porism[embeddings]'.",
        ":25: the lexical similarity of tokens needs rapidfuzz, which is not installed. "
        "Install it: pip install 'porism[embeddings]'.",
        ":30: the lexical similarity of tokens needs rapidfuzz, which is not installed. "
        "Install it: pip install 'porism[embeddings]'.",
    ]
    hard = SOFT[: SOFT.index("[pipelines.soft.")] + "[report]\non = \"dev\"\ntest = \"permutation\"\nformats = []\n"
    assert [stage.kind for stage in plan_recipe(write(hard)).stages] == ["tokenizer", "index", "run", "report"]


@every_case("name", ["sample.toml", "soft.toml"])
def test_the_examples_of_the_documentation_are_recipes(tmp_path: Path, name: str) -> None:
    docs = Path(__file__).parents[4] / "docs"
    text = (docs / "examples" / name).read_text(encoding="utf-8")
    assert f"```toml\n{text}```" in (docs / "reference" / "recipes.md").read_text(encoding="utf-8")
    kinds = {stage.kind for stage in plan_recipe(docs / "examples" / name, cache=tmp_path, output=tmp_path).stages}
    assert {"index", "run", "tune", "report"} <= kinds
    assert ({"tokenizer", "embeddings", "similarities"} <= kinds) is (name == "soft.toml")


def test_decontextualised_embeddings_of_a_model(
    write: Write, laboratory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Any, ...]] = []

    def train(index: Path, name: str, channel: str, model: Any, settings: Decontextualised, **given: Any) -> Any:
        asked.append((channel, model, settings.layer, given["device"], given["batch"], given["restart"]))
        if len(asked) > 1:
            terms = ["group", "prime", "proof", "sum"]
            write_token_vectors(EMBEDDINGS.path(index, name), terms, np.eye(4) + 0.5, {"channel": channel})
        return SimpleNamespace(interrupted=len(asked) == 1)

    monkeypatch.setattr("porism.vectors.embeddings.methods.train_decontextualised", train)
    monkeypatch.setattr("porism.lab.recipes.preparing.find_spec", lambda name: name)
    (laboratory / "encoder").mkdir()
    (laboratory / "encoder" / "weights").write_text("1", encoding="utf-8")
    method = 'method = "decontextualised"\nmodel = "encoder"\nlayer = 2\nbatch = 64'
    path = write(SOFT, ("dimensions = 8\nepochs = 2\nmin_count = 1", method))
    with pytest.raises(KeyboardInterrupt):
        run_recipe(path, only=["soft"])
    done = run_recipe(path, only=["soft"])
    assert made(done) == {"train embeddings w2v", "build similarities near-0.0", "run soft on dev"}
    assert asked == [("words", laboratory / "encoder", 2, "auto", 64, False)] * 2
    (laboratory / "encoder" / "weights").write_text("2", encoding="utf-8")
    assert {"train embeddings w2v", "run soft on dev"} <= (
        {stage.id for stage in plan_recipe(path).stages} - plan_recipe(path).cached
    )
