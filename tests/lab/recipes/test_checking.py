"""What is wrong with a recipe is told before any work: all of it, each with its line and the nearest word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from case_tables import every_case
from long_forms import LONG_ONLY
from recipe_cases import FUSIONS, RECIPE

from porism.analysis.analyzer import AnalysisConfig
from porism.lab.recipes import RecipeError, plan_recipe, run_recipe
from porism.search.sources.updating import index_sources
from porism.settings import SettingError

Write = Callable[..., Path]


def errors(path: Path) -> list[str]:
    with pytest.raises(RecipeError) as caught:
        run_recipe(path)
    assert not (path.parent / ".porism-cache").exists()
    assert not (path.parent / "recipe-results").exists()
    return [str(error).removeprefix(str(path)) for error in caught.value.errors]


@every_case(
    ("old", "new", "told"),
    [
        ("k = 30", 'methd = "rrf"', ":25: there is no setting 'fusions.rrf.methd'. Did you mean fusions.rrf.method?"),
        ("k = 30", "kk = 30", ":25: there is no setting 'fusions.rrf.kk'. Did you mean fusions.rrf.k?"),
        ("k = 30", "k = -1", ":25: k is -1.0. It is 0 or more."),
        ("k = 30", 'k = "a"', ":25: the setting 'fusions.rrf.k' cannot be 'a'. Input should be a valid number."),
        ("k = 30", 'method = "rff"', ":25: there is no fusion 'rff'. Did you mean rrf?"),
        ("k = 30", 'method = "linear"\nweights = [1, 2]',
         ":26: there are 2 weights for 3 systems. Give one a system, in this order: words, tokens, first."),
        ("k = 30", 'method = "rbc"', ":25: rbc has to learn from judgments. Name a topic set: train_on = \"…\"."),
        ("k = 30", 'train_on = "dev"', ":25: the fusion 'rrf' learns nothing. Those that do are rbc and wibc."),
        ("seed = 3", "sede = 3", ":2: there is no setting 'sede'. Did you mean seed?"),
        ("seed = 3", "seed = -1", ":2: the seed is -1. It is a whole number from 0 to 4,294,967,295."),
        ("seed = 3", "depth = 0", ":2: the depth is 0. It is 1 or more."),
        ("\"P@5\"", '"PP@5"', ":3: measures.1: there is no measure 'PP'."),
        ('"tokens", "first"', '"tokns", "first"', ":24: there is no system 'tokns'. Did you mean tokens?"),
        ('systems = ["words"', 'systems = ["wrds"', ":34: there is no system 'wrds'. Did you mean words?"),
        ('baseline = "words"', 'baseline = "first"',
         ":35: the baseline 'first' is none of the report's systems. Choose from words, tokens, rrf, tuned, best."),
        ('on = "dev"\nsystems', 'on = "dve"\nsystems', ":33: there is no topic set 'dve'. Did you mean dev?"),
        ("tokens = {weight = 1.0}", "tokens = {wieght = 1.0}",
         ":21: there is no setting 'pipelines.tokens.channels.tokens.wieght'. "
         "Did you mean pipelines.tokens.channels.tokens.weight?"),
        ("tokens = {weight = 1.0}", "tokns = {weight = 1.0}", ":21: there is no channel 'tokns'. Did you mean tokens?"),
        ("tokens = {weight = 1.0}", "tokens-3 = {weight = 1.0}",
         ":21: the collection has no channel 'tokens-3'. Did you mean tokens?"),
        ('model = "words"', 'model = "word"', ":18: there is no model 'word'. Did you mean words?"),
        ('model = "words"', "feedback.documnts = 3",
         ":18: there is no setting 'pipelines.words.feedback.documnts'. "
         "Did you mean pipelines.words.feedback.documents?"),
        ('channels = ["tokens"]', 'channels = ["tokns"]', ":7: collection.channels: there is no"),
        ('channels = ["tokens"]', 'unit = "page"', ":7: the setting 'collection.unit' cannot be 'page'."),
        ('channels = ["tokens"]', 'format = "jsnl"', ":7: there is no format 'jsnl'. Did you mean jsonl?"),
        ('source = "notes.jsonl"', 'source = "note.jsonl"', ":6: there is no file "),
        ('qrels = "qrels.txt"', 'qrels = "qrels.tx"', ":11: there is no file "),
        ('qrels = "qrels.txt"', "",
         ":29: the topic set 'dev' has no judgments. Write qrels = \"FILE\" in [topics.dev]."),
        ('dev = "first.run"', 'dve = "first.run"',
         ":15: there is no setting or topic set 'runs.first.dve'. Did you mean runs.first.dev?"),
        ("k = [1, 60]", "kk = [1, 60]", ":30: 'rrf' has no parameter 'kk'. Did you mean k?"),
        ("k = [1, 60]", "k = 5", ":30: tuning.tuned.parameters.k: 5 is nothing to choose from."),
        ("k = [1, 60]", "k = [1, -60]", ":30: tuning.tuned.parameters.k cannot be -60: k is -60.0. It is 0 or more."),
        ("k = [1, 60]", "k = {low = 1}", ":30: the setting 'tuning.tuned.parameters.k.high' is missing"),
        ("tokens.formulas_power", "tokens.formulas_powr",
         ":30: tuning.tuned.parameters.tokens.formulas_powr cannot be 0.5: there is no setting 'formulas_powr'. "
         "Did you mean formulas_power?"),
        ('of = "rrf"', 'of = "first"', ":28: 'first' is a run made elsewhere and has no parameters to tune"),
        ('of = "rrf"', 'of = "rrf"\nsearch = "grd"', ":29: there is no search 'grd'. Did you mean grid?"),
        ('of = "rrf"', 'of = "rrf"\ntrials = 5', ":29: there is no setting 'tuning.tuned.trials'."),
        ('of = "rrf"', 'of = "rrf"\nfolds = 7', ":29: 6 topics cannot be divided into 7 folds"),
        ('of = "rrf"', 'of = "rrf"\nfolds = 2\nby = "kind"', ":30: the topic information has no column 'kind'."),
        ('baseline = "words"', 'ablation = ["words"]', ":35: 'words' has no members to leave out. Name a fusion."),
        ('baseline = "words"', 'groups = ["categry"]',
         ":35: the topic information has no column 'categry'. Did you mean category?"),
        ('baseline = "words"', 'measures = ["nDCG@0"]', ":35: measure nDCG@0: cutoff must be from 1 to 1,000,000"),
        ('[pipelines.words]', '[pipelines.first]', ":17: the name 'first' is taken by runs.first."),
        ('[pipelines.words]', '[pipelines."../x"]', ":17: the name '../x' cannot be used."),
        ("[topics.dev]", "[topics.dev]\nsplit = {a = 2, b = 3}",
         ":10: topics.dev.split: the parts a 2, b 3 have 5 topics together, and 6 are given."),
        ("[topics.dev]", "[topics.dev]\nsplit = {a = 2, b = 4}\nby = 'level'",
         ":11: the topic information has no column 'level'."),
    ],
)
def test_one_thing_wrong_is_told_with_its_line(write: Write, old: str, new: str, told: str) -> None:
    found = errors(write(RECIPE, (old, new)))
    assert any(error.startswith(told) for error in found), found


def test_all_errors_are_told_at_once_in_the_order_of_the_file(write: Write) -> None:
    found = errors(write(
        RECIPE, ('source = "notes.jsonl"', 'source = "nowhere"'), ("k = 30", "kk = 30"), ("seed = 3", 'seed = "x"'),
        ('baseline = "words"', 'baseline = "wrds"'), ('"tokens", "first"', '"tokens", "frst"'),
    ))
    lines = [int(error.split(":")[1]) for error in found]
    assert lines == sorted(lines)
    assert set(lines) >= {2, 6, 24, 25, 35}
    assert len(found) == len(set(found))


def test_a_report_names_the_part_of_a_set_that_is_nearest(write: Write) -> None:
    split = "[topics.dev]", "[topics.dev]\nsplit = {train = 3, test = 3}"
    found = errors(write(RECIPE, split, ('on = "dev"\nsys', 'on = "dev.tset"\nsys')))
    assert found == [":34: there is no topic set 'dev.tset'. Did you mean dev.test?"]


@LONG_ONLY
def test_systems_made_of_themselves(write: Write) -> None:
    text = FUSIONS.replace("[report]", '[fusions.b]\nof = ["c", "first"]\n[fusions.c]\nof = ["b", "both"]\n[report]')
    assert errors(write(text)) == [":10: b is made of itself: b takes c takes b. Leave one of them out."]
    text = FUSIONS.replace("[report]", '[fusions.b]\nof = ["b", "first"]\n[report]')
    found = errors(write(text))
    assert ":10: there is no system 'b'. Choose from first, second, both." in found
    chain = "".join(f'[fusions.f{number}]\nof = ["f{number + 1}", "first"]\n' for number in range(1100))
    path = write(FUSIONS.replace("[report]", f'{chain}[fusions.f1100]\nof = ["first"]\n[report]\nsystems = ["f1098"]'))
    assert len(plan_recipe(path).stages) == 4  # a chain is as long as it is


@pytest.mark.parametrize(
    ("file", "content", "told"),
    [
        ("first.run", "T.1 Q0 d1 1 3.0 x\nT.1 Q0 d1 2 2.0 x\n",
         ":4: first.run:2: document d1 occurs twice for query T.1."),
        ("first.run", "T.1 Q0 d1 1 nan x\n", ":4: first.run:1: the score 'nan' is not a finite number"),
        ("first.run", "T.1 d1 3.0\n", ":4: first.run:1: 3 columns where a run has 6."),
        ("first.run", "X.1 Q0 d1 1 3.0 x\n",
         ":4: runs.first.dev and the judgments of 'dev' have no topic in common. "
         "The run has X.1; the judgments are of T.1, T.2, T.3 …."),
        ("first.run", None, ":4: there is no file "),
        ("qrels.txt", "T.1 0 d1\n", ":2: "),
    ],
)
def test_files_are_read_before_any_work(
    write: Write, laboratory: Path, file: str, content: str | None, told: str
) -> None:
    path = write(FUSIONS)
    if content is None:
        (laboratory / file).unlink()
    else:
        (laboratory / file).write_text(content, encoding="utf-8")
    found = errors(path)
    assert any(error.startswith(told) for error in found), found


def test_a_system_without_a_file_for_a_topic_set_that_is_reported(write: Write) -> None:
    test = '[topics.test]\nqrels = "qrels.txt"\n[runs.second]\ntest = "second.run"'
    found = errors(write(FUSIONS + 'systems = ["second", "both"]\n', ('[runs.second]\ndev = "second.run"', test)))
    assert found == [":7: runs.second has no file for the topics 'dev', which report needs. Add dev = \"FILE\"."]


def test_texts_that_are_no_recipe(tmp_path: Path) -> None:
    path = tmp_path / "recipe.toml"
    cases = {
        b"x = 1\ny = = 2\n": ":2: this is not valid TOML, column 5: Invalid value",
        b'x = 1\ny = "': ":2: this is not valid TOML",
        b"\xff\xfe": ": byte 1 is not UTF-8",
        b"": ": there is no system",
        b"name = 5\nruns = 3\n": ":2: 'runs' cannot be 3. Write [runs.NAME] and its settings.",
        b"report = []\n[runs]\na = 1\n": ":1: 'report' cannot be [].",
        b"[fusions]\nx = {of = []}\n": ":2: fusions.x: a fusion needs a system to fuse.",
        b"[fusions]\nx = {of = ['a', 'a']}\n": ":2: fusions.x: a fusion cannot take one system twice.",
        b"a = " + b"[" * 50_000: ": is nested too deeply",
        b".".join([b"a"] * 3_000) + b" = 1": ": is nested too deeply",
        b"[" + b".".join([b"a"] * 3_000) + b"]\nb = 1": ": is nested too deeply",
        b"a = " + b"{b = " * 600 + b"1" + b"}" * 600: ": is nested too deeply",
        b"a = " + b"9" * 5_000: ": a number has too many digits",
    }
    for content, told in cases.items():
        path.write_bytes(content)
        found = errors(path)
        assert any(error.startswith(told) for error in found), (content[:50], found)
    with pytest.raises(RecipeError, match="cannot be read"):
        run_recipe(tmp_path / "nowhere.toml")
    with pytest.raises(RecipeError, match="cannot be read"):
        run_recipe(tmp_path)


def test_plain_values_have_no_lines_and_the_same_errors(laboratory: Path) -> None:
    recipe = {"fusions": {"x": {"of": ("a",), "kk": 3}}, "runs": {"a": {"dev": laboratory / "first.run"}}}
    with pytest.raises(RecipeError) as caught:
        run_recipe(recipe, folder=laboratory)
    assert "recipe: there is no setting 'fusions.x.kk'. Did you mean fusions.x.k?" in str(caught.value)
    assert all(isinstance(error, SettingError) for error in caught.value.errors)


def test_results_must_not_be_indexed(write: Write, laboratory: Path) -> None:
    path = write(RECIPE, ('source = "notes.jsonl"', 'source = "."'))
    assert errors(path) == [
        f":6: the output folder '{laboratory / 'recipe-results'}' lies in the source '.', and would be indexed. "
        "Choose another one: output = \"FOLDER\"."
    ]


def test_an_index_that_is_not_there(write: Write) -> None:
    found = errors(write(RECIPE, ('source = "notes.jsonl"\nchannels = ["tokens"]', 'index = "nothing"')))
    assert found[0].startswith(":6: there is no file ")
    found = errors(write(RECIPE, ('source = "notes.jsonl"\nchannels = ["tokens"]', 'index = "."')))
    assert "there is no index here" in found[0]


def test_several_indexes_must_be_alike_and_nothing_can_be_trained_for_them(write: Write, laboratory: Path) -> None:
    for name, config in (("one", AnalysisConfig(formulas=("tokens",))), ("two", AnalysisConfig(("words",)))):
        index_sources([laboratory / "notes.jsonl"], laboratory / name, config=config, jobs=1)
    source = 'source = "notes.jsonl"\nchannels = ["tokens"]'
    found = errors(write(RECIPE, (source, 'index = ["one", "two"]')))
    assert "two: was indexed with text words, and one with symbols, word-pairs, words" in found[0]
    found = errors(write(RECIPE, (source, 'index = ["one", "one"]\n[embeddings.words]\nchannel = "words"')))
    assert "embeddings needs one index, and the collection has 2. Train or encode for one index" in found[0]
    assert "the list of indexes is empty" in errors(write(RECIPE, (source, "index = []")))[0]


def test_what_is_asked_for_alone_must_be_there(write: Write) -> None:
    with pytest.raises(RecipeError, match=r"no system or report 'wrods' in the recipe\. Did you mean words\?"):
        run_recipe(write(), only=["wrods"])
