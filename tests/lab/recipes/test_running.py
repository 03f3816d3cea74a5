"""Recipes from end to end: what is made, and what is said about it."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from recipe_cases import FUSIONS, RECIPE, TOPICS, contents, made

from porism.analysis.analyzer import AnalysisConfig
from porism.corpus import read_qrels, read_topics
from porism.errors import QueryError, StorageError
from porism.lab.evaluate import evaluate_run
from porism.lab.fusion import fuse
from porism.lab.recipes import plan_recipe, run_recipe
from porism.retrieve import SearchModel
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.runs.run import Run
from porism.search.index import open_index
from porism.search.searcher import IndexSearcher
from porism.search.sources.updating import index_sources

Write = Callable[..., Path]
Searched = list[list[str]]


def test_runs_and_figures_are_those_of_the_library(write: Write, laboratory: Path, tmp_path: Path) -> None:
    experiment = run_recipe(write())
    config = AnalysisConfig(formulas=("tokens",))
    index_sources([laboratory / "notes.jsonl"], tmp_path / "index", config=config, jobs=1)
    queries = read_topics(laboratory / "topics.tsv")
    with open_index(tmp_path / "index") as index:
        words = index.with_models(SEARCH_MODELS["words"]).run(queries, name="words")
        model = SearchModel.from_dict({"channels": {"tokens": {"weight": 1.0}}})  # the rest is the default's
        tokens = index.with_models(model).run(queries, name="tokens")
    first = Run.read(laboratory / "first.run")
    for mine in (words, tokens):
        found = experiment.run(mine.name, "dev")
        assert [found[topic] for topic in TOPICS] == [mine[topic] for topic in TOPICS]
    expected = fuse([words, tokens, first], "rrf", k=30)
    rrf = experiment.run("rrf", "dev")
    assert [rrf[topic] for topic in TOPICS] == [expected[topic] for topic in TOPICS]
    qrels = read_qrels(laboratory / "qrels.txt")
    evaluation = evaluate_run(expected, qrels, ["nDCG'", "P@5"])
    report = experiment.reports["report"]
    by_name = {run["run"]: run["aggregated"] for run in report.numbers["runs"]}
    assert by_name["rrf"] == pytest.approx(dict(evaluation.aggregated))
    assert list(by_name) == ["words", "tokens", "rrf", "tuned"]
    assert report.numbers["baseline"] == "words"
    assert report.numbers["test"] == "permutation"
    assert (laboratory / "recipe-results" / "report" / "report.tex").is_file()
    assert f"{by_name['rrf']['P@5']:.4f}" in report.text


def test_tuning_finds_the_best_of_what_was_tried(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write())
    qrels = read_qrels(laboratory / "qrels.txt")
    values: dict[tuple[float, float], float] = {}
    for k in (1, 60):
        for power in (0.5, 1.0):
            path = laboratory / "variant.toml"
            tokens = f"[pipelines.tokens]\nformulas_power = {power}\nchannels = {{tokens = {{weight = 1.0}}}}"
            text = RECIPE.replace("k = 30", f"k = {k}").replace(
                "[pipelines.tokens.channels]\ntokens = {weight = 1.0}", tokens
            )
            path.write_text(text, encoding="utf-8")
            run = run_recipe(path, only=["rrf"], output=laboratory / "v").run("rrf", "dev")
            values[k, power] = evaluate_run(run, qrels, ["nDCG'"])["nDCG'"]
    chosen = experiment.record["tuned"]["tuned"]
    best = max(values, key=lambda key: (values[key], -key[0], -key[1]))
    assert (chosen["parameters"]["k"], chosen["parameters"]["tokens.formulas_power"]) == best
    assert chosen["score"] == pytest.approx(values[best])
    tuned = experiment.run("tuned", "dev")
    assert evaluate_run(tuned, qrels, ["nDCG'"])["nDCG'"] == pytest.approx(values[best])


def test_what_is_reported_on_the_topics_that_tuned_it_says_so_everywhere(write: Write, laboratory: Path) -> None:
    path = write(RECIPE, ('formats = ["latex", "csv"]', 'formats = ["html", "latex", "csv"]'))
    experiment = run_recipe(path)
    report = experiment.reports["report"]
    assert "WARNING: tuned: tuned on 6 of these 6 topics: not held out." in report.text
    assert "tuned †" in report.text
    for name in ("report.html", "report.tex"):
        assert "tuned on 6 of these 6 topics" in (report.folder / name).read_text(encoding="utf-8"), name
    rows = csv.DictReader((report.folder / "report.csv").read_text(encoding="utf-8").splitlines())
    assert {row["run"]: row["tuned_topics"] for row in rows} == {"words": "0", "tokens": "0", "rrf": "0", "tuned": "6"}
    assert [str(warning) for warning in experiment.warnings] == [
        f"{path}:32: tuned is reported on 6 topics of 'dev' that it was tuned on; the report says so"
    ]
    assert experiment.record["warnings"] == [str(warning) for warning in experiment.warnings]
    provenance = experiment.run("tuned", "dev").provenance
    assert provenance is not None
    assert set(TOPICS) <= set(provenance.tuned_on)  # and those that the default model was tuned on
    assert provenance.evidence[0]["parameters"] == experiment.record["tuned"]["tuned"]["parameters"]


def test_held_out_topics_and_other_topics_need_no_warning(write: Write, laboratory: Path) -> None:
    folds = run_recipe(write(RECIPE, ('of = "rrf"', 'of = "rrf"\nfolds = 3\nby = "category"')))
    assert folds.warnings == ()
    assert "WARNING" not in folds.reports["report"].text
    assert "†" not in folds.reports["report"].text
    provenance = folds.run("tuned", "dev").provenance
    assert provenance is not None
    assert not set(TOPICS) & set(provenance.tuned_on)
    assert [len(fold["held_out"]) for fold in provenance.evidence[0]["folds"]] == [2, 2, 2]
    split = write(
        RECIPE, ("[topics.dev]", "[topics.dev]\nsplit = {train = 3, test = 3}\nby = 'category'"),
        ('of = "rrf"\non = "dev"', 'of = "rrf"\non = "dev.train"'),
        ('[report]\non = "dev"', '[report]\non = "dev.test"'),
    )
    parts = run_recipe(split)
    assert parts.warnings == ()
    assert "WARNING" not in parts.reports["report"].text
    tuned_on = set(TOPICS) & set(parts.run("tuned", "dev").provenance.tuned_on)  # type: ignore[union-attr]
    reported = parts.reports["report"].numbers["runs"][0]["per_topic"]
    assert len(tuned_on) == len(reported) == 3
    assert tuned_on | set(reported) == set(TOPICS)
    split.write_text(split.read_text(encoding="utf-8").replace("dev.test", "dev"), encoding="utf-8")
    whole = run_recipe(split)
    assert "tuned: tuned on 3 of these 6 topics: not held out." in whole.reports["report"].text


def test_a_fold_is_answered_by_what_the_others_chose(write: Write, laboratory: Path) -> None:
    path = write(FUSIONS + 'systems = ["tuned"]\n', ("[report]", (
        '[tuning.tuned]\nof = "both"\non = "dev"\nfolds = 3\nparameters = {k = [0, 5, 500]}\n[report]'
    )))
    experiment = run_recipe(path)
    runs = [Run.read(laboratory / f"{name}.run") for name in ("first", "second")]
    tuned = experiment.run("tuned", "dev")
    evidence = tuned.provenance.evidence[0]  # type: ignore[union-attr]
    for fold in evidence["folds"]:
        expected = fuse(runs, "rrf", k=fold["parameters"]["k"])
        assert all(tuned[topic] == expected[topic] for topic in fold["held_out"])
    assert sorted(topic for fold in evidence["folds"] for topic in fold["held_out"]) == sorted(TOPICS)


@pytest.mark.parametrize("folds", [0, 3])
def test_a_trained_fusion_says_what_it_learned_from(write: Write, laboratory: Path, folds: int) -> None:
    pytest.importorskip("sklearn")
    path = write(FUSIONS, ('of = ["first", "second"]', (
        f'of = ["first", "second"]\nmethod = "rbc"\nmodel = "linear"\ntrain_on = "dev"\nfolds = {folds}'
    )))
    experiment = run_recipe(path)
    tuned_on = experiment.run("both", "dev").provenance.tuned_on  # type: ignore[union-attr]
    assert set(tuned_on) == (set() if folds else set(TOPICS))
    assert [warning.what for warning in experiment.warnings] == (
        [] if folds else ["both is reported on 6 topics of 'dev' that it was trained on; the report says so"]
    )
    assert ("WARNING" in experiment.reports["report"].text) == (folds == 0)


def test_what_each_member_of_a_fusion_adds(write: Write, laboratory: Path) -> None:
    extra = 'measures = ["nDCG\'"]\nablation = ["weighted"]\nsystems = ["weighted"]\n'
    path = write(FUSIONS + extra, ("[report]", (
        '[fusions.weighted]\nof = ["first", "second"]\nmethod = "linear"\nweights = [0.3, 0.7]\n[report]'
    )))
    report = run_recipe(path).reports["report"]
    qrels = read_qrels(laboratory / "qrels.txt")
    runs = [Run.read(laboratory / f"{name}.run") for name in ("first", "second")]
    whole = evaluate_run(fuse(runs, "linear", weights=[0.3, 0.7]), qrels, ["nDCG'"])["nDCG'"]
    alone = [evaluate_run(fuse([run], "linear", weights=[1.0]), qrels, ["nDCG'"])["nDCG'"] for run in runs]
    assert report.numbers["ablation"]["weighted"]["contributions"] == {
        "first": pytest.approx(whole - alone[1]), "second": pytest.approx(whole - alone[0])
    }
    assert "without first" in report.text


@pytest.mark.parametrize("folds", [0, 3])
def test_members_of_a_tuned_fusion_are_left_out_as_honestly(write: Write, laboratory: Path, folds: int) -> None:
    path = write(FUSIONS + 'ablation = ["tuned"]\nsystems = ["first"]\n', ("[report]", (
        f'[tuning.tuned]\nof = "both"\non = "dev"\nfolds = {folds}\nparameters = {{k = [0, 5, 500]}}\n[report]'
    )))
    experiment = run_recipe(path)
    text = experiment.reports["report"].text
    told = "† all, without first, without second: tuned on 6 of these 6 topics"
    assert (told in text) == (folds == 0)
    table = experiment.reports["report"].numbers["ablation"]["tuned"]["comparison"]["runs"]
    qrels = read_qrels(laboratory / "qrels.txt")
    held_out = evaluate_run(experiment.run("tuned", "dev"), qrels, ["nDCG'"])["nDCG'"]
    assert table[0]["aggregated"]["nDCG'"] == pytest.approx(held_out)


def test_a_pipeline_whose_model_was_tuned_on_the_topics(write: Write, laboratory: Path) -> None:
    for name in ("topics.tsv", "qrels.txt", "information.csv", "first.run"):
        file = laboratory / name
        file.write_text(file.read_text(encoding="utf-8").replace("T.", "A."), encoding="utf-8")
    experiment = run_recipe(write(RECIPE, ('"rrf", "tuned"]', '"rrf"]')))
    assert [warning.what for warning in experiment.warnings] == [
        "tokens is reported on 6 topics of 'dev' that its model was tuned on; the report says so",
        "rrf is reported on 6 topics of 'dev' that the model of tokens was tuned on; the report says so",
    ]
    assert "WARNING: rrf: tuned on 6 of these 6 topics: not held out." in experiment.reports["report"].text


def test_systems_that_learned_alike_are_told_as_one(write: Write, laboratory: Path) -> None:
    names = [f"p{number}" for number in range(6)]
    pipelines = "".join(f'[pipelines.{name}]\nmodel = "words"\ntuned_on = ["T.2"]\n' for name in names)
    plan = plan_recipe(write(RECIPE, ("[fusions.rrf]", f'{pipelines}[fusions.all]\nof = {names}\n[fusions.rrf]'), (
        'systems = ["words", "tokens", "rrf", "tuned"]', f'systems = {["words", *names, "all"]}'
    )))
    assert [warning.what for warning in plan.warnings] == [
        "p0, p1, p2 … and 3 more are reported on 1 topic of 'dev' that their models were tuned on; the report says so",
        "all is reported on 1 topic of 'dev' that the models of p0, p1, p2 … and 3 more were tuned on; "
        "the report says so",
    ]


def test_an_error_says_in_which_stage_it_happened(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(*arguments: object, **options: object) -> Run:
        raise QueryError("no luck", where="query T.3", hint="Try again.")

    monkeypatch.setattr(IndexSearcher, "run", failing)
    with pytest.raises(QueryError) as told:
        run_recipe(write())
    assert str(told.value) == "run words on dev: query T.3: no luck. Try again."
    assert told.value.where == "run words on dev: query T.3"

    def broken(*arguments: object, **options: object) -> Run:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr(IndexSearcher, "run", broken)
    with pytest.raises(ZeroDivisionError) as raised:
        run_recipe(write())
    assert raised.value.__notes__ == ["This happened in the stage: run words on dev."]


def test_one_member_of_each_cluster_is_fused(write: Write, laboratory: Path) -> None:
    pytest.importorskip("scipy")
    twin = (laboratory / "first.run").read_text(encoding="utf-8").replace(" first", " twin")
    (laboratory / "twin.run").write_text(twin, encoding="utf-8")
    path = write(FUSIONS + 'ablation = ["both"]\n', ('of = ["first", "second"]', 'of = ["first", "second", "twin"]'), (
        "[fusions.both]", '[runs.twin]\ndev = "twin.run"\n[fusions.both]'
    ), ('formats = ["csv"]', 'formats = ["csv", "latex", "html"]'))
    report = run_recipe(path).reports["report"]
    found = report.numbers["ablation"]["both"]["one_per_cluster"]
    assert found["clustering"]["clusters"] == [["first", "twin"], ["second"]]
    qrels = read_qrels(laboratory / "qrels.txt")
    first, second = (Run.read(laboratory / f"{name}.run") for name in ("first", "second"))
    value = evaluate_run(fuse([first, second], "rrf"), qrels, ["nDCG'"])["nDCG'"]
    whole = evaluate_run(fuse([first, second, first.renamed("twin")], "rrf"), qrels, ["nDCG'"])["nDCG'"]
    assert found["every"] is True
    assert found["full"] == pytest.approx(whole)
    assert [draw["value"] for draw in found["draws"]] == [pytest.approx(value)] * 2
    rows = list(csv.DictReader((report.folder / "report.ablation.csv").read_text(encoding="utf-8").splitlines()))
    assert [(row["kind"], row["members"]) for row in rows] == [
        ("all", ""), ("without", "first"), ("without", "second"), ("without", "twin"),
        ("one-per-cluster", "first second"), ("one-per-cluster", "second twin"),
    ]
    said = "first, twin; second. One member of each is fused, in all choices: 2."
    assert said in report.text
    assert re.search(rf"^one of each of 2 clusters, mean +{value:.4f} +", report.text, flags=re.M)
    for name in ("report.html", "report.tex"):
        written = (report.folder / name).read_text(encoding="utf-8")
        assert said in written, name
        assert "one of each of 2 clusters, worst" in written, name


def test_formulas_are_topics_and_judgments_can_be_partial(write: Write, laboratory: Path) -> None:
    (laboratory / "formulas.tsv").write_text("F.1\t$x^2$\nF.2\t$\\sum i^2$\n", encoding="utf-8")
    with_ids = [
        {"id": f"p{number}", "body": f"a note with ${formula}$"}
        for number, formula in enumerate([r"x^2", r"\sum i^2", r"y^2", r"a+b"])
    ]
    (laboratory / "notes.jsonl").write_text("\n".join(map(json.dumps, with_ids)) + "\n", encoding="utf-8")
    (laboratory / "formula-qrels.txt").write_text(
        "F.1 0 p0/body/0 3\nF.1 0 elsewhere/body/0 3\nF.2 0 gone/body/0 2\n", encoding="utf-8"
    )
    path = write("""\
[collection]
source = "notes.jsonl"
channels = ["tokens"]
[topics.formulas]
path = "formulas.tsv"
qrels = "formula-qrels.txt"
formulas = true
partial = true
[pipelines.alike]
model = "tokens"
candidates = 50
[report]
on = "formulas"
test = "permutation"
formats = ["csv"]
""")
    experiment = run_recipe(path)
    run = experiment.run("alike", "formulas")
    assert run["F.1"][0][0] == "p0/body/0"
    assert [found["topics"] for found in experiment.reports["report"].numbers["runs"]] == [1]  # F.2 has none here
    assert experiment.reports["report"].numbers["runs"][0]["aggregated"]["nDCG'"] == 1.0
    assert set(run.provenance.seconds) == {"F.1", "F.2"}  # type: ignore[union-attr]


def test_topics_with_wildcards_can_be_left_out(write: Write, laboratory: Path) -> None:
    (laboratory / "formulas.tsv").write_text("F.1\tx^2\nF.2\t\\qvar{a}^2\n", encoding="utf-8")
    (laboratory / "notes.jsonl").write_text('{"id": "p0", "body": "a note with $x^2$"}\n', encoding="utf-8")
    (laboratory / "formula-qrels.txt").write_text("F.1 0 p0/body/0 3\nF.2 0 p0/body/0 3\n", encoding="utf-8")
    experiment = run_recipe(write("""\
[collection]
source = "notes.jsonl"
channels = ["tokens"]
[topics.formulas]
path = "formulas.tsv"
qrels = "formula-qrels.txt"
formulas = true
wildcards = false
[pipelines.alike]
model = "tokens"
[report]
on = "formulas"
formats = ["csv"]
"""))
    assert list(experiment.run("alike", "formulas")) == ["F.1"]
    assert experiment.reports["report"].numbers["runs"][0]["topics"] == 1


def test_an_index_that_is_there_is_used_and_its_state_counts(write: Write, laboratory: Path) -> None:
    index = laboratory / "index"
    config = AnalysisConfig(formulas=("tokens",))
    index_sources([laboratory / "notes.jsonl"], index, config=config, jobs=1)
    path = write(RECIPE, ('source = "notes.jsonl"\nchannels = ["tokens"]', 'index = "index"'))
    first = run_recipe(path, only=["words"])
    assert made(first) == {"run words on dev"}
    other = run_recipe(write(), only=["words"], output=laboratory / "other")
    assert contents(first.output) == contents(other.output)
    (laboratory / "more.jsonl").write_text('{"id": "new", "body": "prime numbers"}\n', encoding="utf-8")
    index_sources([laboratory / "more.jsonl"], index, jobs=1)
    path = write(RECIPE, ('source = "notes.jsonl"\nchannels = ["tokens"]', 'index = "index"'))
    assert made(run_recipe(path, only=["words"])) == {"run words on dev"}


def test_several_indexes_are_one_collection_and_the_state_of_each_counts(write: Write, laboratory: Path) -> None:
    config = AnalysisConfig(formulas=("tokens",))
    lines = (laboratory / "notes.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)
    for name, part in (("one", lines[::2]), ("two", lines[1::2])):
        (laboratory / f"{name}.jsonl").write_text("".join(part), encoding="utf-8")
        index_sources([laboratory / f"{name}.jsonl"], laboratory / name, config=config, jobs=1)
    source = 'source = "notes.jsonl"\nchannels = ["tokens"]'
    path = write(RECIPE, (source, 'index = ["one", "two"]'))
    first = run_recipe(path, only=["words"])
    assert made(first) == {"run words on dev"}
    other = run_recipe(write(), only=["words"], output=laboratory / "other")
    assert contents(first.output) == contents(other.output)
    path = write(RECIPE, (source, 'index = ["one", "two"]'))
    assert made(run_recipe(path, only=["words"])) == set()
    (laboratory / "more.jsonl").write_text('{"id": "new", "body": "prime numbers"}\n', encoding="utf-8")
    index_sources([laboratory / "more.jsonl"], laboratory / "two", jobs=1)
    assert made(run_recipe(path, only=["words"])) == {"run words on dev"}


def test_plain_values_are_the_same_experiment(write: Write, laboratory: Path) -> None:
    path = write()
    from_file = run_recipe(path)
    plain = tomllib.loads(path.read_text(encoding="utf-8"))
    from_values = run_recipe(plain, folder=laboratory, output=laboratory / "values")
    assert made(from_values) == set()
    assert contents(from_values.output) == contents(from_file.output)


def test_folders_that_cannot_be_written_are_errors_before_any_work(
    write: Write, laboratory: Path, searched: Searched
) -> None:
    (laboratory / "file").write_text("", encoding="utf-8")
    for options in ({"output": laboratory / "file"}, {"cache": laboratory / "file" / "cache"}):
        with pytest.raises(StorageError, match=r"cannot be written .*Name another folder"):
            run_recipe(write(), **options)
    assert searched == []


def test_only_what_was_asked_for_is_made(write: Write, laboratory: Path) -> None:
    plan = plan_recipe(write(), only=["rrf"])
    assert [stage.id for stage in plan.stages] == [
        "index collection", "run words on dev", "run tokens on dev", "fuse rrf on dev"
    ]
    assert plan.cached == frozenset()
    assert not plan.cache.exists()
    done = run_recipe(write(), only=["words"])
    assert done.reports == {}
    assert plan_recipe(write(), only=["rrf"]).cached == {"index collection", "run words on dev"}


def test_the_record_says_how_everything_was_made(write: Write, laboratory: Path) -> None:
    experiment = run_recipe(write())
    record = json.loads((experiment.output / "record.json").read_bytes())
    assert record["recipe"] == tomllib.loads(RECIPE)
    assert record["finished"] is True
    assert {"porism", "python", "numpy", "numba", "ir_measures", "scikit-learn"} <= set(record["versions"])
    stages = {stage["stage"]: stage for stage in record["stages"]}
    assert stages["fuse rrf on dev"]["parameters"] == {
        "of": ["words", "tokens", "first"], "method": "rrf", "depth": 1000, "k": 30.0
    }
    assert stages["fuse rrf on dev"]["inputs"]["run words on dev"] == stages["run words on dev"]["key"]
    assert stages["tune tuned on dev"]["parameters"]["space"] == {"k": [1, 60], "tokens.formulas_power": [0.5, 1.0]}
    assert stages["tune tuned on dev"]["parameters"]["seed"] == 3
    assert all(isinstance(stage["seconds"], float) for stage in record["stages"])
    assert str(laboratory) not in (experiment.output / "record.json").read_text(encoding="utf-8").replace(
        json.dumps([str(warning) for warning in experiment.warnings])[1:-1], ""
    )


def test_channels_that_pipelines_name_are_indexed(write: Write) -> None:
    text = RECIPE.replace('channels = ["tokens"]\n', "").replace("tokens = {weight = 1.0}", "tangent-s-layout = {}")
    plan = plan_recipe(write(text), only=["words"])
    assert "tangent-s-layout" in plan.stages[0].parameters["analysis"]["formulas"]
