"""Models that a recipe tuned, used outside of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from long_forms import LONG_ONLY
from recipe_cases import RECIPE, TOPICS

from porism.cli import main
from porism.lab.recipes import run_recipe
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.runs.run import Run

Write = Callable[..., Path]

TUNED = RECIPE.replace("[report]", """\
[tuning.sharp]
of = "words"
on = "dev"
folds = {folds}
parameters = {{words_power = [0.3, 2.0], feedback.weight = [0.0, 0.2]}}
[rerankers.better]
of = "words"
model = "plain"
[tuning.best]
of = "better"
on = "dev"
parameters = {{depth = [3, 9], words_power = [0.3, 1.0], words.words_power = [0.4, 1.0]}}
[report]""").replace('"rrf", "tuned"]', '"sharp", "best", "tuned"]').replace("parameters = {k =", "parameters = {{k =")
TUNED = TUNED.replace("[0.5, 1.0]}\n", "[0.5, 1.0]}}\n", 1)


def porism(*arguments: object) -> None:
    with pytest.raises(SystemExit) as ended:
        main([str(argument) for argument in arguments])
    assert ended.value.code == 0


def recipe(folds: int = 0) -> str:
    text = TUNED.replace("tokens = {weight = 1.0}", "tokens = {{weight = 1.0}}")
    return text.format(folds=folds)


@LONG_ONLY
def test_a_tuned_pipeline_searches_alike_outside(
    write: Write, laboratory: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = run_recipe(write(recipe()))
    (folder,) = (laboratory / ".porism-cache" / "made" / "index").iterdir()
    model = experiment.output / "models" / "sharp.json"
    output = laboratory / "outside.run"
    porism("run", "--index", folder / "index", "--topics", laboratory / "topics.tsv", "--model", model,
           "--output", output)
    outside, inside = Run.read(output), experiment.run("sharp", "dev")
    assert [outside[topic] for topic in TOPICS] == [inside[topic] for topic in TOPICS]
    assert outside.provenance is not None
    assert set(outside.provenance.tuned_on) == set(TOPICS)
    settings = json.loads(model.read_text(encoding="utf-8"))
    chosen = experiment.record["tuned"]["sharp"]["parameters"]
    assert settings["words_power"] == chosen["words_power"]
    assert settings["feedback"]["weight"] == chosen["feedback.weight"]
    capsys.readouterr()
    porism("evaluate", output, laboratory / "qrels.txt")
    assert "tuned on 6 of these 6 topics" in capsys.readouterr().out


@LONG_ONLY
def test_with_folds_it_is_what_all_topics_chose(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write(recipe(folds=3)))
    settings = json.loads((experiment.output / "models" / "sharp.json").read_text(encoding="utf-8"))
    chosen = experiment.record["tuned"]["sharp"]
    assert settings["words_power"] == chosen["parameters"]["words_power"]
    assert set(settings["tuned_on"]) == set(TOPICS)
    assert experiment.run("sharp", "dev").provenance.tuned_on == ()  # type: ignore[union-attr]


@LONG_ONLY
def test_a_tuned_reranker_orders_alike_in_another_recipe(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write(recipe()))
    parameters = experiment.record["tuned"]["best"]["parameters"]
    assert sorted(path.relative_to(experiment.output).as_posix() for path in experiment.output.glob("models/**/*")) == [
        "models/best", "models/best.json", "models/best/words.json", "models/sharp.json", "models/tuned",
        "models/tuned/tokens.json",
    ]
    other = write(RECIPE, ('model = "words"', 'model = "recipe-results/models/best/words.json"'), ("[report]", f"""\
[rerankers.best]
of = "words"
model = "recipe-results/models/best.json"
depth = {parameters["depth"]}
[report]"""), ('"rrf", "tuned"]', '"best"]'))
    again = run_recipe(other, output=laboratory / "again")
    mine, theirs = experiment.run("best", "dev"), again.run("best", "dev")
    assert [mine[topic] for topic in TOPICS] == [theirs[topic] for topic in TOPICS]
    base = SEARCH_MODELS["plain"].tuned_on
    assert set(theirs.provenance.tuned_on) == {*TOPICS, *base}  # type: ignore[union-attr]
    assert any("the model of words was tuned on" in warning.what for warning in again.warnings)


@LONG_ONLY
def test_topics_of_tuned_systems_have_their_seconds(write: Write) -> None:
    experiment = run_recipe(write(recipe()))
    for system in ("sharp", "best"):
        provenance = experiment.run(system, "dev").provenance
        assert provenance is not None
        assert set(provenance.seconds) == set(TOPICS), system
        assert min(provenance.seconds.values()) > 0


def test_models_come_from_the_cache_too(write: Write, laboratory: Path) -> None:
    path = write(recipe())
    first = run_recipe(path)
    second = run_recipe(path, output=laboratory / "second")
    assert all(stage["cached"] for stage in second.record["stages"])
    name = Path("models") / "sharp.json"
    assert (second.output / name).read_bytes() == (first.output / name).read_bytes()


@pytest.mark.parametrize("only", ["sharp", "best"])
def test_models_of_what_is_asked_only(write: Write, laboratory: Path, only: str) -> None:
    experiment = run_recipe(write(recipe()), only=[only])
    assert [path.name for path in (experiment.output / "models").glob("*.json")] == [f"{only}.json"]
