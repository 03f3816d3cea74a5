"""Papers run whole on the bundled sample, and say what they need, what they left out and what they found."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest
from case_tables import every_case
from click.testing import CliRunner
from long_forms import LONG_ONLY
from tiny_models import bpe_tokenizer, need_encoders

from porism.cli import porism
from porism.errors import ConfigError, FormatError
from porism.lab.pairwise import aggregate, read_pairwise
from porism.lab.recipes import RecipeError, run_recipe
from porism.lab.recipes.papers import PAPERS, MissingData, Reproduction, build_recipe, read_paper, reproduce
from porism.lab.recipes.papers.figures import MeasuredRow, MeasuredTable, checked_claims, shown_figure
from porism.lab.recipes.papers.pages import Bullets, FigureGrid, Heading, as_html, as_markdown, as_text, page
from porism.lab.recipes.papers.paper import FOLDER, Claim, PaperRow, PaperTable
from porism.lab.recipes.papers.results import PaperResults, recipe_digest
from porism.lab.recipes.papers.tiny_model import can_train, write_tiny_model

pytest.importorskip("matplotlib", reason="the extra 'lab' is not installed")
SMOKE = FOLDER / "smoke"


@pytest.fixture(scope="module")
def duot5(tmp_path_factory: pytest.TempPathFactory) -> Reproduction:
    return reproduce("duot5", scale="smoke", output=tmp_path_factory.mktemp("duot5"))


def test_every_paper_can_be_read_and_names_only_what_it_has() -> None:
    for name in PAPERS:
        paper = read_paper(name)
        for scale in paper.scales:
            models = dict.fromkeys(paper.models, "somewhere")
            reports = {table.report for table in paper.tables} | {claim.report for claim in paper.claims}
            if scale == "smoke":
                built = build_recipe(paper, scale, None, models)
                assert set(built.recipe["report"]) <= reports | set(built.recipe["report"])
                assert built.systems
        shown = {row.system for table in paper.tables for row in table.rows if row.system}
        known = {
            system for part in paper.parts for recipe in (part.recipe, *(one.recipe for one in part.scales.values()))
            for table in ("runs", "pipelines", "rerankers", "aggregations", "fusions", "tuning")
            for system in recipe.get(table, {})
        }
        assert shown <= known
        assert {system for claim in paper.claims for system in (claim.better, claim.worse)} <= known


def test_duot5_aggregates_stored_pairs(duot5: Reproduction) -> None:
    pairs = read_pairwise(SMOKE / "duot5.pairs.tsv")
    assert duot5.left_out["sym-sum-log-50"].startswith("it needs duot5-dl20/pairs.npz")
    run = duot5.experiment.run("sym-sum-log-30", "dl20")
    expected = aggregate(pairs, "sym-sum-log")
    for topic in expected:
        assert [doc for doc, _ in run[topic]][:6] == [doc for doc, _ in expected[topic]]
        assert len(run[topic]) > 6  # what was not compared follows
    table = duot5.tables[1]
    measured = {one.row.system: one.measured for one in table.rows}
    assert measured["sym-sum-log-50"] == (None, None, None, None)
    assert measured["sym-sum-log-30"][0] == pytest.approx(
        duot5.experiment.reports["dl20"].numbers["runs"][2]["aggregated"]["nDCG@10"]
    )
    assert "0.7309" in duot5.text
    assert {"report.txt", "report.html", "report.md", "reproduction.json"} <= {
        file.name for file in duot5.output.iterdir()
    }


def test_results_are_kept_and_give_the_page_again(duot5: Reproduction, tmp_path: Path) -> None:
    stored = duot5.output / "results.json"
    results = PaperResults.read(stored)
    assert as_text(page(results)) in duot5.text  # which also has the addresses of the reports
    assert results.recipe == recipe_digest(read_paper("duot5"), "smoke") != recipe_digest(read_paper("duot5"), "mini")
    content = json.loads(stored.read_text(encoding="utf-8"))
    (tmp_path / "other.json").write_text(json.dumps({**content, "claims": content["claims"][1:]}), encoding="utf-8")
    with pytest.raises(FormatError, match="does not have the results of a paper as it is now"):
        PaperResults.read(tmp_path / "other.json")


def test_what_was_made_is_not_made_again(duot5: Reproduction) -> None:
    again = reproduce("duot5", scale="smoke", output=duot5.output)
    assert {stage["cached"] for stage in again.experiment.record["stages"]} == {True}
    assert again.text == duot5.text


def test_an_aggregation_is_cut_at_its_depth(tmp_path: Path) -> None:
    """A table ``[aggregations.NAME]`` orders the first results of another system and leaves the others below."""
    recipe = {
        "topics": {"t": {"qrels": str(SMOKE / "duot5.qrels.txt")}},
        "runs": {"mono": {"t": str(SMOKE / "duot5.mono.run")}},
        "aggregations": {"two": {"of": "mono", "pairs": str(SMOKE / "duot5.pairs.tsv"), "depth": 2}},
        "report": {"on": "t", "formats": [], "test": "permutation"},
    }
    run = run_recipe(recipe, folder=tmp_path).run("two", "t")
    mono = run_recipe({**recipe, "report": {"on": "t", "systems": ["mono"], "formats": [], "test": "permutation"}},
                      folder=tmp_path)
    source = mono.recipe.tables["runs"]["mono"].files["t"]
    lines = [line.split() for line in Path(source).read_text().splitlines()]
    for topic in run:
        before = [line[2] for line in lines if line[0] == topic]
        after = [doc for doc, _ in run[topic]]
        assert set(after[:2]) == set(before[:2])
        assert after[2:] == before[2:]


@every_case(("change", "message"), [
    ({"method": "sum-of"}, "there is no aggregation 'sum-of'"),
    ({"cut": 3}, "there is no setting 'aggregations.two.cut'"),
    ({"pairs": "nowhere.tsv"}, "there is no file"),
    ({"of": "mon"}, "there is no system 'mon'. Did you mean mono"),
])
def test_errors_of_aggregations(tmp_path: Path, change: dict[str, object], message: str) -> None:
    recipe = {
        "topics": {"t": {"qrels": str(SMOKE / "duot5.qrels.txt")}},
        "runs": {"mono": {"t": str(SMOKE / "duot5.mono.run")}},
        "aggregations": {"two": {"of": "mono", "pairs": str(SMOKE / "duot5.pairs.tsv"), **change}},
    }
    with pytest.raises(RecipeError) as caught:
        run_recipe(recipe, folder=tmp_path)
    assert any(message in str(error) for error in caught.value.errors)


@LONG_ONLY
def test_psu2020_with_a_language_model(tmp_path: Path) -> None:
    need_encoders()
    from transformers import BertConfig, BertForMaskedLM

    model = tmp_path / "mlm"
    tokenizer = bpe_tokenizer(
        pad_token="<pad>", mask_token="<mask>", cls_token="<s>", sep_token="</s>", unk_token="<u>"
    )
    tokenizer.model_max_length = 64
    tokenizer.save_pretrained(model)
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32,
        max_position_embeddings=64,
    )
    BertForMaskedLM(config).save_pretrained(model)
    done = reproduce("psu2020", scale="smoke", models={"mlm": str(model)}, output=tmp_path / "out")
    systems = [run["run"] for run in done.experiment.reports["task1"].numbers["runs"]]
    assert systems == ["bm25", "tf", "tf.BERT", "tf+tf.BERT", "bm25+tf", "bm25+tf+tf.BERT"]
    assert set(done.left_out) == {"MathDowsers", "DPRL", "MIRMU", "Approach0", "zbMATH", "Linked-MSE"}
    assert {claim.verdict for claim in done.claims} <= {"holds", "does not hold", "no difference"}
    first = done.experiment.run("tf", "task1")
    second = done.experiment.run("tf.BERT", "task1")
    assert all({doc for doc, _ in first[topic]} == {doc for doc, _ in second[topic]} for topic in first)
    assert any([doc for doc, _ in first[topic]] != [doc for doc, _ in second[topic]] for topic in first)


def test_missing_data_lists_the_files_and_their_sources(tmp_path: Path) -> None:
    with pytest.raises(MissingData) as caught:
        build_recipe(read_paper("psu2020"), "mini", tmp_path)
    assert [file.path for file in caught.value.files] == [
        "arqmath-mini", "arqmath-topics/2020/Topics_Task1_2020.xml", "arqmath-topics/2020/qrel_task1_2020.tsv",
    ]
    shown = str(caught.value)
    assert shown.startswith(f"psu2020 at the scale mini needs files that {tmp_path} does not have. Put them there")
    assert shown.endswith(f"  {caught.value.files[-1].path}\n      {caught.value.files[-1].source}")
    with pytest.raises(MissingData, match=r"needs its data\. Give the folder that has these files: --data FOLDER"):
        build_recipe(read_paper("psu2020"), "mini")


def test_systems_without_what_they_need_are_left_out_with_all_that_is_made_of_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("porism.lab.recipes.papers.building.can_train", lambda: False)
    built = build_recipe(read_paper("psu2020"), "smoke")
    assert built.left_out["bm25+tf+tf.BERT"] == "it is made of tf.BERT"
    assert "--model mlm=FOLDER" in built.left_out["tf.BERT"]
    assert list(built.systems) == ["bm25", "tf", "bm25+tf"]
    assert built.recipe["report"]["task1"]["systems"] == ["bm25", "tf", "bm25+tf"]
    assert "official" not in built.recipe["report"]
    alone = build_recipe(read_paper("psu2020"), "smoke", only=["tf"])
    assert alone.recipe["report"]["task1"]["systems"] == ["tf"]
    assert "baseline" not in alone.recipe["report"]["task1"]
    with pytest.raises(ConfigError, match=r"'tf.BERT' cannot run: it needs a masked language model"):
        build_recipe(read_paper("psu2020"), "smoke", only=["tf.BERT"])
    with pytest.raises(ConfigError, match="there is no system 'tff'"):
        build_recipe(read_paper("psu2020"), "smoke", only=["tff"])
    with pytest.raises(ConfigError, match="has no model 'mml'"):
        build_recipe(read_paper("psu2020"), "smoke", models={"mml": "x"})


def test_figures_count_as_equal_with_the_digits_of_the_paper() -> None:
    rows = PaperRow("a", (0.303, 395.0), "a"), PaperRow("b", (0.25, None))
    table = PaperTable("T", "r", ("nDCG'", "num_rel_ret"), rows)
    measured = MeasuredTable(table, (
        MeasuredRow(table.rows[0], (0.3034, 394.0)), MeasuredRow(table.rows[1], (0.2496, 1.0)),
    ))
    assert (measured.compared, measured.exact) == (3, 2)
    assert [shown_figure(value, table) for value in (0.25, 395.0, None)] == ["0.250", "395", "–"]


def test_claims_are_checked_topic_by_topic() -> None:
    def run(name: str, *values: float) -> dict[str, object]:
        topics = {f"t{number}": {"RR": value} for number, value in enumerate(values)}
        return {"run": name, "aggregated": {"RR": sum(values) / len(values)}, "per_topic": topics}

    numbers = {"r": {"runs": [run("a", 1.0, 0.5, 0.5), run("b", 0.5, 0.25, 0.25), run("c", 1.0, 0.5, 0.5)]}}
    paper = replace(read_paper("duot5"), claims=tuple(
        Claim(better, worse, "r", "RR", "?") for better, worse in (("a", "b"), ("b", "a"), ("a", "c"), ("a", "x"))
    ))
    checked = checked_claims(paper, numbers)
    assert [one.verdict for one in checked] == ["holds", "does not hold", "no difference", "not measured"]
    assert checked[0].p_value == 3 * 2 / 8  # all three differences have one sign; three claims were tested
    assert [one.significant for one in checked] == [False, False, False, False]
    assert replace(checked[0], p_value=0.049).significant
    assert (checked[0].better, checked[0].worse) == (pytest.approx(2 / 3), pytest.approx(1 / 3))


def test_pages() -> None:
    blocks = [Heading("T", 1), Bullets(("a < b",)), FigureGrid(("x", "y|z"), (("1", "*"),))]
    assert as_text(blocks) == "T\n=\n\n- a < b\n\nx  y|z\n1    *\n"
    assert as_markdown(blocks) == "# T\n\n- a &lt; b\n\n| x | y\\|z |\n| --- | --- |\n| 1 | \\* |\n"
    html = as_html(blocks)
    assert "<h1>T</h1>" in html
    assert "<li>a &lt; b</li>" in html
    assert "<title>T</title>" in html


def test_the_command_lists_papers_and_systems_and_resumes(tmp_path: Path) -> None:
    runner = CliRunner()
    assert "duot5: Improving" in runner.invoke(porism, ["reproduce"]).output
    shown = runner.invoke(porism, ["reproduce", "psu2020", "--scale", "smoke", "--list-systems"]).output
    assert "bm25+tf  (fusions)" in shown
    assert "tf.BERT  (rerankers)" in shown if can_train() else "tf.BERT  cannot run: it needs a masked" in shown
    folder = tmp_path / "out"
    first = runner.invoke(porism, [
        "reproduce", "duot5", "--scale", "smoke", "--only", "sym-sum-30", "--output", str(folder), "--json",
    ])
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["scale"] == "smoke"
    assert json.loads((folder / "reproduction.json").read_text())["only"] == ["sym-sum-30"]
    again = runner.invoke(porism, ["reproduce", "duot5", "--resume", "--output", str(folder), "--quiet"])
    assert again.exit_code == 0
    assert "(smoke)" in again.output
    nothing = runner.invoke(porism, ["reproduce", "duot5", "--resume", "--output", str(tmp_path / "none")])
    assert isinstance(nothing.exception, ConfigError)
    assert "nothing to resume" in str(nothing.exception)


def test_a_plan_lists_all_that_a_paper_needs_and_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.lab.recipes.papers.building.can_train", lambda: True)
    (tmp_path / "arqmath").mkdir()
    (tmp_path / "arqmath" / "Posts.V1.3.xml").write_text("<posts/>")
    command = ["reproduce", "emnlp2022", "--scale", "full", "--plan", "--data", str(tmp_path)]
    plan = json.loads(CliRunner().invoke(porism, [*command, "--json"]).stdout)
    there = {file["path"]: file["is_there"] for file in plan["files"]}
    assert there["arqmath/Posts.V1.3.xml"]
    assert not there["arqmath-topics/2021/qrel_task1_2021.tsv"]
    assert {name: model["here"] for name, model in plan["models"].items()} == dict.fromkeys(("base", "dpr", "colbert"))
    assert plan["steps"]["train encoders"] == ["trained-dpr", "trained-colbert"]
    assert plan["steps"]["evaluate"] == ["2021", "fusions"]
    assert plan["left_out"] == {}
    text = CliRunner().invoke(porism, command).output
    assert "file arqmath/Posts.V1.3.xml: there; ARQMath lab" in text
    assert f"takes {plan['time']}; 64 GB of memory; 200 GB of disk ({plan['estimate']})" in text
    assert "3. train encoders: trained-dpr, trained-colbert" in text
    assert list(tmp_path.iterdir()) == [tmp_path / "arqmath"]


def test_every_full_scale_says_how_its_needs_were_estimated() -> None:
    scales = {name: read_paper(name).scales.get("full") for name in PAPERS}
    assert [name for name, full in scales.items() if full is not None and not full.estimate] == []


@pytest.mark.needs_shared_data
def test_the_given_runs_give_table_1_of_duot5_exactly(shared_data: Path, tmp_path: Path) -> None:
    done = reproduce("duot5", data=shared_data, scale="mini", output=tmp_path)
    assert (done.tables[0].exact, done.tables[0].compared) == (16, 16)
    verdicts = {claim.claim.says: claim.verdict for claim in done.claims}
    assert verdicts["the sum of both orders loses from 100 to 300 candidates"] == "holds"


@LONG_ONLY
def test_ensemble2021_shrinks_to_the_systems_that_can_run(tmp_path: Path) -> None:
    for module in ("gensim", "rapidfuzz", "sklearn"):
        pytest.importorskip(module, reason="the extras 'embeddings' and 'lab' are not installed")
    done = reproduce("ensemble2021", scale="smoke", output=tmp_path, only=["mg", "pz", "am", "rrf-275", "wibc", "rbc"])
    assert ("compubert" in done.left_out) is not can_train()
    assert {"MathDowsers", "submissions-rrf"} <= set(done.left_out), "the sample has no submitted runs"
    numbers = done.experiment.reports["2021"].numbers
    assert [run["run"] for run in numbers["runs"]] == ["mg", "pz", "am", "rrf-275", "wibc", "rbc"]
    tuned = {run["run"]: len(run["tuned_on"]) for run in numbers["runs"]}
    assert tuned == {"mg": 0, "pz": 0, "am": 0, "rrf-275": 0, "wibc": 10, "rbc": 10}
    assert done.experiment.recipe.tables["fusions"]["wibc"].of == (
        "mg", "pz", "scm", *(["compubert"] if can_train() else []), "mh", "lm", "mp", "jk", "am", "vs",
    )
    assert {claim.claim.better: claim.verdict for claim in done.claims}["pz"] == "not measured"
    figures = {row.row.system: row.measured[0] for row in done.tables[1].rows}
    assert figures["compubert"] is None
    assert figures["mg"] is not None
    assert figures["mg"] < figures["pz"]  # strings between blanks find less than words, in so small a collection


@LONG_ONLY
def test_scm2022_tunes_one_gamma_for_documents_and_questions(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers", reason="the extra 'embeddings' is not installed")
    done = reproduce("scm2022", scale="smoke", output=tmp_path, only=["text", "tangent-l", "text-tuned"])
    assert set(done.left_out) == {
        "text-transformer", "joint-transformer", "text-transformer-tuned", "joint-transformer-tuned",
    }
    stages = [stage["stage"] for stage in done.experiment.record["stages"]]
    assert not any("embeddings" in stage or "similarities" in stage for stage in stages), "nothing shown needs them"
    model = json.loads((tmp_path / "models" / "text-tuned.json").read_text())
    (channel,) = model["channels"].values()
    assert channel["field_weights"]["title"] == channel["query_field_weights"]["title"] in (1, 2, 3, 4, 5)
    figures = {row.row.system: row.measured[0] for row in done.tables[0].rows}
    assert figures["tangent-l"] > figures["text"]
    rows = done.experiment.reports["2021"].numbers["extensions"]  # of those systems that are shown
    assert [(row["system"], row["depth"]) for row in rows] == [("text", 0), ("tangent-l", 1)]
    gained = figures["tangent-l"] - figures["text"]
    row = f"+ Tangent-L in a space of its own +0.114 +{gained:.3f} {figures['tangent-l']:.3f}"
    assert any(" ".join(line.split()).startswith(row) for line in done.text.splitlines())


@LONG_ONLY
def test_emnlp2022_with_tiny_encoders_of_passages_and_of_tokens(tmp_path: Path) -> None:
    need_encoders()
    from colbert_cases import save_token_model
    from tiny_models import save_encoder

    models = {"dpr": str(save_encoder(tmp_path / "dpr")), "colbert": str(save_token_model(tmp_path / "colbert"))}
    done = reproduce("emnlp2022", scale="smoke", models=models, output=tmp_path / "out")
    assert not done.left_out
    assert not any("train" in stage["stage"] for stage in done.experiment.record["stages"]), "models are given"
    reports = {name: result.numbers for name, result in done.experiment.reports.items()}
    assert [run["run"] for run in reports["fusions"]["runs"]] == ["borda", "combsum", "isr", "log-isr", "rrf", "linear"]
    assert reports["2021"]["correction"] == "none"
    tuned = {run["run"]: len(run["tuned_on"]) for name in reports for run in reports[name]["runs"]}
    assert tuned["structure+dpr"] == 0, "each fold is answered by what the others chose"
    assert tuned["linear"] == 56
    first, second = (done.experiment.run(name, "2021") for name in ("structure", "structure-colbert"))
    assert all({doc for doc, _ in first[topic]} == {doc for doc, _ in second[topic]} for topic in first)
    assert "not measured" not in {claim.verdict for claim in done.claims}


@LONG_ONLY
def test_emnlp2022_trains_what_is_not_given(tmp_path: Path) -> None:
    need_encoders()
    pytest.importorskip("datasets", reason="training needs it: pip install 'porism[neural]'")
    done = reproduce("emnlp2022", scale="smoke", output=tmp_path / "out", only=["structure+colbert"])
    assert not done.left_out
    stages = {stage["stage"]: stage["output"] for stage in done.experiment.record["stages"]}
    assert [stage for stage in stages if "train" in stage] == ["train encoder trained-colbert"], "DPR is not shown"
    assert stages["train encoder trained-colbert"]["steps"] == 2
    assert stages["encode tokens colbert"]["dimensions"] == 16
    tiny = tmp_path / "out" / "tiny-model" / "model.safetensors"
    before = tiny.read_bytes()
    assert write_tiny_model(tmp_path / "again").joinpath(tiny.name).read_bytes() == before
    again = reproduce("emnlp2022", scale="smoke", output=tmp_path / "out", only=["structure+colbert"])
    assert {stage["cached"] for stage in again.experiment.record["stages"]} == {True}


def test_ntcir12_searches_formulas_of_articles_as_they_are_distributed(tmp_path: Path) -> None:
    done = reproduce("ntcir12", scale="smoke", output=tmp_path / "out")
    assert done.left_out["dpr"].endswith("--model dpr=FOLDER"), "nothing to train one on"
    run = done.experiment.run("structure", "concrete")
    assert [doc for doc, _ in run["NTCIR12-MathWiki-1"]][:2] == ["Right_triangle:0", "Circle:0"]
    assert run["NTCIR12-MathWiki-2"][0][0] == "Circle:2"
    figures = {row.row.system: row.measured for row in done.tables[0].rows}
    assert figures["structure"] == (1.0, 1.0)
    assert figures["tangent-s"][0] < 1.0
    with pytest.raises(MissingData) as caught:
        build_recipe(read_paper("ntcir12"), "mini", tmp_path)
    assert [file.path for file in caught.value.files] == [
        "ntcir12/MathTagArticles", "ntcir12/topics.txt", "ntcir12/qrels.txt",
    ]


def test_what_is_trained_and_why_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def trained(**models: str) -> tuple[dict[str, object], dict[str, str]]:
        built = build_recipe(read_paper("emnlp2022"), "smoke", None, models)
        return {name: table["model"] for name, table in built.recipe.get("encoders", {}).items()}, dict(built.left_out)

    monkeypatch.setattr("porism.lab.recipes.papers.building.can_train", lambda: True)
    assert trained() == ({"trained-dpr": "tiny-model", "trained-colbert": "tiny-model"}, {})
    assert trained(base="bert") == ({"trained-dpr": "bert", "trained-colbert": "bert"}, {})
    assert trained(dpr="mine") == ({"trained-colbert": "tiny-model"}, {})
    vectors = build_recipe(read_paper("emnlp2022"), "smoke").recipe["vectors"]
    assert vectors["dpr"]["model"] == "trained-dpr"
    monkeypatch.setattr("porism.lab.recipes.papers.building.can_train", lambda: False)
    tables, left_out = trained()
    assert tables == {}
    assert left_out["dpr"].startswith("it needs a bi-encoder of passages, such as the authors' DPR")
    assert left_out["dpr"].endswith("--model dpr=FOLDER; or, to train one, pip install 'porism[neural]'")
    assert left_out["structure+colbert"] == "it is made of structure+colbert-half"


@LONG_ONLY
def test_porism_is_measured_beside_the_papers_without_published_figures(tmp_path: Path) -> None:
    done = reproduce("porism", scale="smoke", output=tmp_path, only=["default", "psu-bm25", "no-titles"])
    assert {"neural", "dense"} <= set(done.left_out)
    assert set(done.experiment.reports) == {"systems", "stages"}
    table = done.tables[0]
    assert (table.compared, table.exact) == (0, 0)
    figures = {row.row.system: row.measured for row in table.rows}
    assert figures["default"][0] > figures["psu-bm25"][0]
    assert figures["plain"] == (None, None, None, None)
    assert "  here" not in done.text.split("What the paper found")[0]
    costs = done.text.partition("What a query costs\n")[2].split("\n\n")[1].splitlines()
    assert [line.split()[0] for line in costs] == ["system", "default", "psu-bm25", "no-titles"]
    assert all(float(line.split()[1]) <= float(line.split()[2]) for line in costs[1:])


def test_what_an_extra_is_missing_for_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def without(module: str) -> object:
        return None if module in ("gensim", "sentence_transformers") else find_spec(module)

    monkeypatch.setattr("porism.lab.recipes.papers.paper.find_spec", without)
    monkeypatch.setattr("porism.lab.recipes.papers.tiny_model.find_spec", without)
    built = build_recipe(read_paper("porism"), "smoke")
    assert built.left_out["scm"] == built.left_out["tangent-l"] == "it needs pip install 'porism[embeddings]'"
    assert {"scm", "tangent-l", "compubert"}.isdisjoint(built.systems)
    assert built.recipe["fusions"]["rbc"]["of"] == ["mg", "pz", "mh", "lm", "mp", "jk", "am", "vs"]
    assert built.recipe["collection"]["channels"][:2] == ["mirmu2021", "default"]
    assert "tokenizers" not in built.recipe
