"""``porism rerank``."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from reranking_cases import QUERIES, RUN, reranked_index
from tiny_models import need_encoders, save_bert, save_cross_encoder

from porism.runs.run import Run

need_encoders()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rerank")
    reranked_index(folder)
    save_cross_encoder(folder / "cross")
    save_bert(folder / "language", limit=64)
    RUN.write(folder / "first.run")
    topics = [{"id": query.id, **{name: part.text for name, part in query.fields.items()}} for query in QUERIES]
    lines = map(json.dumps, topics)
    (folder / "topics.jsonl").write_text("\n".join(lines) + "\n")
    return folder


def arguments(files: Path, output: Path) -> tuple[object, ...]:
    return (files / "first.run", "--index", files / "i.index", "--topics", files / "topics.jsonl", "--output", output,
            "--set", "device=cpu", "--set", "precision=float32")


@pytest.mark.parametrize(("kind", "model"), [("cross-encoder", "cross"), ("encoder", "language")])
def test_a_run_is_reranked_and_its_scores_are_kept(porism, files, tmp_path, kind, model) -> None:
    output = tmp_path / "out.run"
    result = porism("rerank", *arguments(files, output), "--kind", kind, "--model", files / model, "--depth", 5)
    assert result.status == 0
    assert f"2 topics re-ranked by {kind} in " in result.out
    assert "1 document in the index no more (gone)" in result.err
    assert "1 document without text (empty)" in result.err
    found = Run.read(output)
    assert sorted(doc_id for doc_id, _ in found["q1"]) == sorted(doc_id for doc_id, _ in RUN["q1"])
    assert [doc_id for doc_id, _ in found["q1"][3:]] == ["gone", "empty", "d3"]
    assert found.provenance is not None
    assert found.provenance.made_by["depth"] == 5
    assert (tmp_path / "out.run.scores").exists()
    if kind == "cross-encoder":
        assert "6 inputs; " in result.err
        again = porism("rerank", *arguments(files, tmp_path / "again.run"), "--model", files / model, "--depth", 50,
                       "--cache", tmp_path / "out.run.scores")
        assert "7 inputs, 6 of them scored before; " in again.err
        assert "the run has 6 results a topic at most, fewer than the depth of 50" in again.err


def test_a_longer_sorting_says_that_its_cost_is_not_known_yet(porism, files, tmp_path) -> None:
    given = arguments(files, tmp_path / "out.run")
    settings = ("--kind", "pairwise-cross-encoder", "--model", files / "cross", "--set", "sorting=sliding",
                "--cache", tmp_path / "scores")
    assert porism("rerank", *given, *settings, "--set", "sorting_parameters.passes=1").status == 0
    longer = porism("rerank", *given, *settings, "--set", "sorting_parameters.passes=2")
    assert "of them scored before; how long the others take is not known yet" in longer.err


def test_pairwise_scores_are_written(porism, files, tmp_path) -> None:
    given = arguments(files, tmp_path / "out.run")
    result = porism("rerank", *given, "--kind", "pairwise-cross-encoder", "--model", files / "cross",
                    "--pairs", tmp_path / "pairs.npz")
    assert result.status == 0
    assert "18 inputs; " in result.err
    again = porism("aggregate", tmp_path / "pairs.npz", "--run", files / "first.run",
                   "--output", tmp_path / "again.run")
    assert again.status == 0
    first, second = Run.read(tmp_path / "out.run"), Run.read(tmp_path / "again.run")
    assert {query: [doc for doc, _ in first[query]] for query in first} == {
        query: [doc for doc, _ in second[query]] for query in second
    }
    trained = shutil.copytree(files / "cross", tmp_path / "trained")
    (trained / "training.json").write_text('{"settings": {"kind": "pairwise-cross-encoder"}}')
    by_training = porism("rerank", *arguments(files, tmp_path / "third.run"), "--model", trained)
    assert "2 topics re-ranked by pairwise-cross-encoder in " in by_training.out
    assert Run.read(tmp_path / "third.run") == first
    refused = porism("rerank", *given, "--model", files / "cross", "--pairs", tmp_path / "other.npz")
    assert (refused.status, "--pairs is for kinds that compare all pairs" in refused.err) == (2, True)


def test_no_scores_are_kept_and_nothing_is_said(porism, files, tmp_path) -> None:
    given = arguments(files, tmp_path / "out.run")
    result = porism("rerank", *given, "--model", files / "cross", "--no-cache", "--quiet")
    assert (result.status, result.out, result.err) == (0, "", "")
    assert not (tmp_path / "out.run.scores").exists()


def test_the_kind_of_searches_needs_no_model(porism, files, tmp_path) -> None:
    result = porism("rerank", files / "first.run", "--index", files / "i.index", "--topics", files / "topics.jsonl",
                    "--output", tmp_path / "out.run", "--kind", "retriever", "--model", "words")
    assert result.status == 0
    assert Run.read(tmp_path / "out.run")["q1"][0][0] == "d1"


def test_a_search_re_ranks_its_first_results_and_says_why(porism, files, tmp_path) -> None:
    models = files / "i.index" / "models"
    models.mkdir(exist_ok=True)
    shutil.copytree(files / "cross", models / "trained", dirs_exist_ok=True)
    (models / "trained" / "training.json").write_text('{"settings": {"kind": "cross-encoder"}}')
    question = ("search", "prime number divides a product", "--index", files / "i.index")
    plain = json.loads(porism(*question, "--json").out)
    result = porism(*question, "--rerank", "trained:device=cpu;precision=float32", "--depth", 3, "--json", "--explain")
    assert (result.status, result.err) == (0, "")
    found = json.loads(result.out)
    assert sorted(hit["id"] for hit in found) == sorted(hit["id"] for hit in plain)
    by_id = {hit["id"]: hit for hit in plain}
    for hit in found:
        search, last = hit["stages"]
        assert (search["stage"], search["rank"], search["score"]) == (
            "search", by_id[hit["id"]]["rank"], by_id[hit["id"]]["score"]
        )
        assert (last["stage"], last["rank"], last["score"]) == ("trained", hit["rank"], hit["score"])
        assert last["explanation"]["value"] == hit["score"]
    assert "logit of relevance" in found[0]["explanation"]["label"]
    run = tmp_path / "first.run"
    Run({"q": [(hit["id"], hit["score"]) for hit in plain[:3]]}).write(run)
    (tmp_path / "q.tsv").write_text("q\tprime number divides a product\n")
    porism("rerank", run, "--index", files / "i.index", "--topics", tmp_path / "q.tsv", "--model", "trained",
           "--set", "device=cpu", "--set", "precision=float32", "--output", tmp_path / "second.run")
    assert [doc_id for doc_id, _ in Run.read(tmp_path / "second.run")["q"]] == [hit["id"] for hit in found[:3]]
    shown = porism(*question, "--rerank", "trained:first_stage=0.5;device=cpu", "--explain", "-k", 1).out
    assert f"trained: rank 1\n{' ' * 8}" in shown
    assert "sum of standard scores over the " in shown
    assert f"{' ' * 6}search: rank " in shown
    assert "search: rank" not in porism(*question, "--rerank", "trained:device=cpu", "-k", 1).out


def test_what_a_search_cannot_re_rank(porism, files) -> None:
    question = ("search", "prime number", "--index", files / "i.index")
    assert "no reranker 'trianed'" in porism(*question, "--rerank", "trianed").err
    for wrong, message in (
        (("--depth", 3), "--depth works with --rerank only"),
        (("--formulas", "--rerank", "words"), "--rerank does not work with --formulas"),
    ):
        result = porism(*question, *wrong)
        assert (result.status, message in result.err) == (2, True)


def test_what_is_refused(porism, files, tmp_path) -> None:
    given = arguments(files, tmp_path / "out.run")
    assert "needs a model" in porism("rerank", *given).err
    assert "no kind of reranker" in porism("rerank", *given, "--kind", "none").err
    assert "would be random numbers" in porism("rerank", *given, "--model", files / "language").err
    both = porism("rerank", *given, "--model", files / "cross", "--cache", tmp_path / "c", "--no-cache")
    assert (both.status, "exclude each other" in both.err) == (2, True)
    assert not (tmp_path / "out.run").exists()
    assert porism("rerank", "--list").out.split()[:3] == ["retriever", "prior", "stored-pairs"]
