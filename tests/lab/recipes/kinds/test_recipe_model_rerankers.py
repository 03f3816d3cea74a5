"""A recipe with rerankers that are models, one after the other: run whole, tuned, and not made again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from dumps import write_dump
from long_forms import LONG_ONLY
from reading import read_with
from recipe_cases import RECIPE
from tiny_models import need_encoders, save_albert, save_cross_encoder, save_mono

need_encoders()

from porism.analysis.model_text import ModelText, document_text  # noqa: E402
from porism.corpus import read_topics  # noqa: E402
from porism.corpus.tables.reader import CsvReader  # noqa: E402
from porism.lab.pipeline.rerankers.registry import RERANKERS  # noqa: E402
from porism.lab.recipes import RecipeError, run_recipe  # noqa: E402
from porism.search.index import open_index  # noqa: E402
from porism.search.sources.indexing import index_documents  # noqa: E402
from porism.system.files.durable import remove_tree  # noqa: E402
from porism.types import Document  # noqa: E402
from porism.vectors.neural.scoring.base import score_texts  # noqa: E402
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder  # noqa: E402

Write = Callable[..., Path]

MODELS = RECIPE.replace("[report]", """\
[rerankers.mono]
of = "words"
kind = "mono-t5"
model = "t5"
depth = 6
device = "cpu"
[rerankers.duo]
of = "mono"
kind = "pairwise-cross-encoder"
model = "cross"
depth = 3
device = "cpu"
first_stage = 0.25
[tuning.share]
of = "duo"
on = "dev"
parameters = {first_stage = [0.0, 1.0]}
[report]""").replace('["words", "tokens", "rrf", "tuned"]', '["words", "mono", "duo", "share"]')


@pytest.fixture
def models(laboratory: Path) -> Path:
    save_mono(laboratory / "t5")
    save_cross_encoder(laboratory / "cross")
    return laboratory


def test_mono_and_duo_are_stages_of_a_recipe(write: Write, models: Path) -> None:
    experiment = run_recipe(write(MODELS))
    queries = {query.id: query for query in read_topics(models / "topics.tsv")}
    (folder,) = (experiment.output.parent / ".porism-cache" / "made" / "index").iterdir()
    runs = {name: experiment.run(name, "dev") for name in ("words", "mono", "duo")}
    topic = next(iter(runs["duo"]))
    assert [doc_id for doc_id, _ in runs["duo"][topic][3:]] == [doc_id for doc_id, _ in runs["mono"][topic][3:]]
    assert sorted(runs["mono"][topic][:6]) != sorted(runs["words"][topic][:6])
    with open_index(folder / "index") as index:
        for name, kind, model, depth, before in (
            ("mono", "mono-t5", "t5", 6, "words"), ("duo", "pairwise-cross-encoder", "cross", 3, "mono")
        ):
            given = {"device": "cpu"} | ({"first_stage": 0.25} if name == "duo" else {})
            method = RERANKERS[kind]
            reranker = method.make(method.settings(model, given, models), depth, index)
            expected = reranker.rerank([queries[topic]], runs[before].only([topic]), depth)
            assert [doc_id for doc_id, _ in expected[topic]] == [doc_id for doc_id, _ in runs[name][topic]]
            np.testing.assert_allclose(
                [score for _, score in expected[topic]], [score for _, score in runs[name][topic]], atol=1e-4
            )
    again = run_recipe(write(MODELS))
    assert all(stage["cached"] for stage in again.record["stages"])


def test_comparisons_are_made_once_and_aggregated_in_other_ways(write: Write, models: Path) -> None:
    text = MODELS.replace("first_stage = 0.25\n", "", 1).replace("[report]", """\
[aggregations.again]
of = "mono"
reranker = "duo"
[aggregations.logs]
of = "mono"
reranker = "duo"
method = "sym-sum-log"
depth = 2
[report]""").replace('"share"]', '"share", "again", "logs"]')
    experiment = run_recipe(write(text))
    duo, again, logs = (experiment.run(name, "dev") for name in ("duo", "again", "logs"))
    for topic in duo:
        assert [doc_id for doc_id, _ in again[topic]] == [doc_id for doc_id, _ in duo[topic]]
        assert {doc_id for doc_id, _ in logs[topic]} == {doc_id for doc_id, _ in duo[topic]}
    cache = experiment.output.parent / ".porism-cache"
    (kept,) = (folder for folder in (cache / "topics").iterdir() if folder.is_dir())
    damaged = next(kept.iterdir())
    damaged.write_bytes(b"no archive")
    for name in ("rerank", "aggregate"):
        remove_tree(cache / "made" / name)
    once_more = run_recipe(write(text))
    assert [once_more.run(name, "dev")[topic] for name in ("again", "logs") for topic in again] == [
        run[topic] for run in (again, logs) for topic in again
    ]
    assert damaged.read_bytes() != b"no archive"
    with pytest.raises(RecipeError, match="'mono' does not compare all pairs of documents"):
        run_recipe(write(text.replace('reranker = "duo"', 'reranker = "mono"')))


def test_a_model_that_is_not_there_is_reported(write: Write, models: Path) -> None:
    with pytest.raises(RecipeError, match="there is no model 't6'"):
        run_recipe(write(MODELS.replace('"t5"', '"t6"')))
    with pytest.raises(RecipeError, match=r"first_stage cannot be 2"):
        run_recipe(write(MODELS.replace("first_stage = 0.25", "first_stage = 2.0")))


@LONG_ONLY
def test_the_recipe_of_ms_marco_runs_on_files_as_they_are_distributed(tmp_path: Path) -> None:
    recipe = Path(__file__).parents[4] / "docs" / "examples" / "msmarco-dl20.toml"
    (tmp_path / "recipe.toml").write_text(recipe.read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "collection.tsv").write_text(
        "0\tThe \"scientific\" minds of the project.\n1\t\"Quotes\" open a passage about projects.\n"
        "2\tIt costs $12 or $5 to paint a project.\n", encoding="utf-8",
    )
    (tmp_path / "msmarco-test2020-queries.tsv").write_text("17\twhat does a project cost\n18\tminds\n")
    (tmp_path / "2020qrels-pass.txt").write_text("17 0 2 3\n17 0 0 1\n18 0 0 2\n")
    save_mono(tmp_path / "models" / "monot5")
    save_mono(tmp_path / "models" / "duot5")
    index_documents(read_with(CsvReader(), tmp_path / "collection.tsv"), tmp_path / "msmarco.index", jobs=1)
    experiment = run_recipe(tmp_path / "recipe.toml")
    first, mono, duo = (experiment.run(name, "dl20") for name in ("bm25-rm3", "mono", "duo"))
    assert {doc_id for doc_id, _ in first["17"]} == {"0", "1", "2"}  # projects are found as a project is
    assert first["18"][0][0] == "0"  # the others share words with it, which RM3 adds
    for run in (mono, duo):
        assert {doc_id for doc_id, _ in run["17"]} == {"0", "1", "2"}
        assert {doc_id for doc_id, _ in run["18"]} == {"0", "1", "2"}
    numbers = {run["run"]: run["aggregated"]["nDCG@10"] for run in experiment.reports["report"].numbers["runs"]}
    assert set(numbers) == {"bm25-rm3", "mono", "duo"}
    assert all(0 < number <= 1 for number in numbers.values())


TOPIC = """\
<?xml version="1.0"?>
<Topics><Topic number="A.201"><Title>When is $n^2$ even?</Title>
<Question>&lt;p&gt;For which integers, and what grows?&lt;/p&gt;</Question><Tags>parity</Tags></Topic></Topics>
"""


@LONG_ONLY
def test_the_recipe_of_arqmath_cross_encoders_runs_on_files_as_they_are_distributed(tmp_path: Path) -> None:
    recipe = Path(__file__).parents[4] / "docs" / "examples" / "arqmath-cross-encoders.toml"
    (tmp_path / "recipe.toml").write_text(recipe.read_text(encoding="utf-8"), encoding="utf-8")
    write_dump(tmp_path / "ARQMath_Collection", ".V1.3")
    (tmp_path / "Topics_Task1_2021.xml").write_text(TOPIC, encoding="utf-8")
    (tmp_path / "qrel_task1_2021.tsv").write_text("A.201\t0\t12\t3\nA.201\t0\t21\t0\nA.201\t0\t11\t1\n")
    models = tmp_path / "models"
    save_albert(models / "albert")
    save_cross_encoder(models / "question-question", seed=1)
    save_cross_encoder(models / "question-answer", seed=2)
    experiment = run_recipe(tmp_path / "recipe.toml")
    first, albert, questions, qasim = (
        experiment.run(name, "2021") for name in ("first", "tu-dbs", "similar-questions", "qasim")
    )
    found = {doc_id for doc_id, _ in first["A.201"]}
    assert found == {"11", "12", "21"}
    (topic,) = read_topics(tmp_path / "Topics_Task1_2021.xml")
    (folder,) = (tmp_path / ".porism-cache" / "made" / "index").iterdir()

    def scores(model: str, *read: str) -> dict[str, float]:
        scorer = CrossEncoder(models / model, device="cpu")
        with open_index(folder / "index") as index:
            texts = {one: document_text(index.document(one), ModelText(read)) for one in sorted(found)}
        asked = document_text(Document("", topic.fields), ModelText(("title", "question")))
        return dict(zip(texts, score_texts(scorer, [(asked, text) for text in texts.values()]), strict=True))

    assert dict(albert["A.201"]) == pytest.approx(scores("albert", "body"), abs=1e-2)
    by_question = scores("question-question", "title", "question")
    assert by_question["12"] == by_question["21"]  # answers to one question
    assert dict(questions["A.201"]) == pytest.approx(by_question, abs=1e-2)
    by_answer = scores("question-answer", "body")

    def standard(given: dict[str, float]) -> np.ndarray:
        values = np.array([given[one] for one in sorted(found)])
        return (values - values.mean()) / values.std()

    both = dict(zip(sorted(found), (standard(by_question) + standard(by_answer)) / 2, strict=True))
    assert dict(qasim["A.201"]) == pytest.approx(both, abs=5e-2)
    numbers = {run["run"]: run["aggregated"]["nDCG'"] for run in experiment.reports["report"].numbers["runs"]}
    assert set(numbers) == {"first", "tu-dbs", "similar-questions", "qasim"}
