"""One registry opens every kind of retriever: a toy that is not a weighted sum, and Tangent-CFT, wherever models go."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
from cft_cases import random_model
from long_forms import LONG_ONLY
from trigram_retriever import TRIGRAMS, TrigramModel, TrigramRetriever

from porism.corpus import read_qrels, read_topics
from porism.errors import ConfigError, QueryError
from porism.index import Snapshot
from porism.lab.pipeline import RetrieverReranker, formula_pipeline, pipeline
from porism.lab.tuning import model_objective, tune
from porism.retrieve import DEFAULT_MODEL, scoring
from porism.retrieve.documents.named_models import SEARCH_MODELS
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL
from porism.sample import QRELS, QUERIES
from porism.search.index import Index, open_index
from porism.search.models import registry
from porism.search.models.models import artifacts_of, channels_of, model_from, named_model, read_model, write_model
from porism.search.models.registry import DEFAULT_KINDS, RETRIEVERS, kind_of, open_retriever
from porism.settings import SettingError
from porism.system.files.artifacts import MODELS, SIMILARITIES
from porism.types import Content, Formula, Query
from porism.vectors.formula_vectors.tangent_cft import TangentCftModel

QUERY = Query("q", {"text": Content.of("the derivative of ", Formula("x^2"), " and of ", Formula("x+y"))})


@pytest.fixture(autouse=True)
def trigrams(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line of the registry that a new kind costs."""
    monkeypatch.setattr(registry, "RETRIEVERS", MappingProxyType({**RETRIEVERS, TRIGRAMS.name: TRIGRAMS}))


@pytest.fixture(scope="module")
def trained_index(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with vectors of Tangent-CFT."""
    path = tmp_path_factory.mktemp("trained") / "index"
    shutil.copytree(sample_index, path)
    random_model(path)
    return path


@pytest.fixture
def index(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index, "trigrams") as opened:
        yield opened


def test_every_kind_has_a_name_models_and_settings_that_are_read_as_written() -> None:
    for name, kind in registry.RETRIEVERS.items():
        assert kind.name == name
        assert kind.models
        for model in kind.models.values():
            assert kind_of(model) is kind
            for formulas in {False, kind.finds == "formulas"}:
                assert model_from(write_model(model, formulas), formulas) == model
    assert set(DEFAULT_KINDS.values()) <= set(RETRIEVERS)
    assert "kind" not in write_model(DEFAULT_MODEL)
    assert write_model(DEFAULT_FORMULA_MODEL)["kind"] == "structure"
    assert "kind" not in write_model(DEFAULT_FORMULA_MODEL, formulas=True)


def test_kinds_say_what_a_model_needs() -> None:
    assert channels_of(read_model("words")) == ("words",)
    assert channels_of(read_model("trigrams")) == ()
    assert artifacts_of(TangentCftModel()) == ((MODELS, "tangent-cft"),)
    assert artifacts_of(read_model("trigrams")) == ()
    soft = [
        model for model in SEARCH_MODELS.values() if any(channel.similarity for channel in model.channels.values())
    ]
    for model in soft:
        assert SIMILARITIES in [need.kind for need in artifacts_of(model)]
    assert soft


def test_settings_name_their_kind(tmp_path: Path) -> None:
    (tmp_path / "near.toml").write_text('kind = "trigrams"\npower = 2.0\n', encoding="utf-8")
    assert read_model(str(tmp_path / "near.toml")) == TrigramModel(2.0)
    assert model_from({"model": "trigrams", "power": 3.0}) == TrigramModel(3.0)
    assert named_model("default", {"kind": "trigrams", "power": 2.0}, False, tmp_path) == TrigramModel(2.0)
    assert named_model("near.toml", {"tuned_on": ["t"]}, False, tmp_path) == TrigramModel(2.0, ("t",))
    assert model_from({"kind": "tangent-cft", "least": 0.5}, formulas=True) == TangentCftModel(0.5)
    assert model_from({"kind": "lexical", "model": "words"}) == read_model("words")


@pytest.mark.parametrize(("settings", "formulas", "message"), [
    ({"kind": "trigram"}, False, "Did you mean trigrams"),
    ({"kind": 3}, False, "cannot be 3"),
    ({"kind": "trigrams"}, True, "find no formulas"),
    ({"kind": "trigrams", "model": "words"}, False, "there is no model 'words'"),
    ({"kind": "trigrams", "b": 1.0}, False, "there is no setting 'b'"),
    ({"model": "trigrams"}, True, "there is no formula model 'trigrams'"),
])
def test_wrong_kinds_are_refused(settings: dict[str, object], formulas: bool, message: str) -> None:
    with pytest.raises(SettingError, match=message):
        model_from(settings, formulas)


def test_a_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    (tmp_path / "near.toml").write_text('kind = "trigrams"\n', encoding="utf-8")
    with pytest.raises(SettingError, match="not of the kind 'lexical'"):
        named_model("near.toml", {"kind": "lexical"}, False, tmp_path)


def test_what_is_no_model_is_refused(sample_index: Path) -> None:
    with open_index(sample_index) as index, pytest.raises(ConfigError, match="not a model of search"):
        index.with_models(object())  # type: ignore[arg-type]


def test_an_index_is_searched_by_any_kind(index: Index) -> None:
    hits = index.search("the derivative of $x^2$", 5)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert hits[0].score > 0
    assert any(piece.match for hit in hits for piece in hit.snippet.pieces)
    assert index.explain("the derivative of $x^2$", hits[0].id).value == hits[0].score
    run = index.run([QUERY], 7)
    assert len(run["q"]) == 7
    assert run["q"][:3] == index.run([QUERY], 3)["q"]
    assert run.provenance is not None
    assert run.provenance.made_by == {
        "kind": "search", "model": {"kind": "trigrams", "power": 1.0, "tuned_on": []},
    }
    scores = index.retriever.score_documents(QUERY, [doc for doc, _ in run["q"]] + ["nowhere"])
    assert scores[:-1].tolist() == [score for _, score in run["q"]]
    assert np.isnan(scores[-1])


def test_filters_and_conditions_hold_for_any_kind(index: Index) -> None:
    kind = next(iter(index.snapshot.segments[0].metadata_counts()["type"]))
    everything = index.search("theorem", 10_000)
    some = index.search("theorem", 10_000, filters={"type": kind})
    wanted = [hit.id for hit in everything if index.document(hit.id).metadata["type"] == kind]
    assert [hit.id for hit in some] == wanted
    assert 0 < len(some) < len(everything)
    phrase = index.search('"of the"', 10_000)
    assert 0 < len(phrase) < len(index.search("of the", 10_000))
    with pytest.raises(QueryError, match="no document has the metadata 'colour'"):
        index.search("theorem", filters={"colour": "red"})


def test_documents_alike_by_any_kind(index: Index) -> None:
    first = index.search("theorem", 1)[0].id
    hits = index.more_like(first, 5)
    assert first not in [hit.id for hit in hits]
    assert hits[0].score == max(hit.score for hit in hits) > 0
    assert index.explain_likeness(first, hits[0].id).value == hits[0].score


def test_what_does_not_learn_from_judgments_says_so(index: Index) -> None:
    hit = index.search("theorem", 1)[0]
    with pytest.raises(ConfigError, match="does not learn from judged documents"):
        index.search("theorem", relevant=[hit.id])


def test_what_finds_documents_alone_finds_no_formulas(sample_index: Path) -> None:
    with pytest.raises(ConfigError, match="there is no formula model 'trigrams'"):
        open_index(sample_index, formula_model="trigrams")
    index = open_index(sample_index, formula_model=TrigramModel())
    with index, pytest.raises(ConfigError, match="finds documents, not formulas"):
        index.search_formulas("x^2")


def test_pipelines_and_rerankers_open_any_kind(sample_index: Path) -> None:
    with open_index(sample_index) as index:
        stage = pipeline(index, "trigrams") % 50
        run = stage.search([QUERY], 10)
        assert run["q"] == index.with_models("trigrams").run([QUERY], 10)["q"]
        described = stage.describe()["of"]["model"]
        assert (described["kind"], described["power"]) == ("trigrams", 1.0)
        again = (pipeline(index, "words") >> RetrieverReranker(index, TrigramModel(2.0), 10)).search([QUERY], 10)
        first = [doc for doc, _ in pipeline(index, "words").search([QUERY], 10)["q"]]
        scores = index.with_models(TrigramModel(2.0)).retriever.score_documents(QUERY, first)
        assert dict(again["q"]) == pytest.approx(dict(zip(first, scores.tolist(), strict=True)))


def test_any_kind_is_tuned(sample_index: Path) -> None:
    queries, qrels = read_topics(QUERIES), read_qrels(QRELS)
    with open_index(sample_index) as index:
        objective = model_objective(index, "trigrams", queries, qrels, "nDCG@10", k=20)
        found = tune(objective, {"power": [0.5, 2.0]})
        assert len(found.trials) == 2
        assert found.trials[0].score == found.trials[1].score  # a power changes no order
        assert found.score > 0


def test_the_commands_open_any_kind(sample_index: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from porism.cli import main

    output = tmp_path / "trigrams.run"
    for arguments in (
        ["search", "derivative of $x^2$", "--index", str(sample_index), "--model", "trigrams", "--json"],
        ["run", "--index", str(sample_index), "--topics", str(QUERIES), "--output", str(output), "--model", "trigrams"],
    ):
        with pytest.raises(SystemExit) as exit_info:
            main(arguments)
        assert not exit_info.value.code
        if arguments[0] == "search":
            hits = json.loads(capsys.readouterr().out)
    with open_index(sample_index, "trigrams") as index:
        assert [hit["id"] for hit in hits] == [hit.id for hit in index.search("derivative of $x^2$", 10)]
    provenance = json.loads((tmp_path / "trigrams.run.provenance.json").read_text(encoding="utf-8"))
    assert provenance["made_by"]["model"]["kind"] == "trigrams"


@LONG_ONLY
def test_tangent_cft_is_a_model_by_name(trained_index: Path) -> None:
    with open_index(trained_index, "tangent-cft", "tangent-cft") as index:
        hits = index.search_formulas("x+y", 5, explain=True)
        assert hits[0].score == max(hit.score for hit in hits) > 0
        for hit in hits:
            assert hit.match is not None
            assert hit.match.score == hit.score
            assert sum(part.value for part in hit.match.explanation.parts) == pytest.approx(hit.score)
        run = index.run_formulas([QUERY], 10)
        assert run.provenance is not None
        assert run.provenance.made_by["model"] == {"kind": "tangent-cft", "least": 0.0, "tuned_on": []}
        assert index.run_formulas([QUERY], 10)["q"] == formula_pipeline(index, "tangent-cft").search([QUERY], 10)["q"]
        least = hits[2].score
        above = index.with_models(formula_model=TangentCftModel(least)).search_formulas("x+y", 500)
        assert [hit.key for hit in above] == [hit.key for hit in hits if hit.score > least]
        documents = index.search("$x+y$", 5)
        assert documents[0].score > 0


def test_tangent_cft_needs_training(sample_index: Path) -> None:
    with pytest.raises(ConfigError, match="no embeddings were trained"):
        open_index(sample_index, "tangent-cft")
    with pytest.raises(ConfigError, match="least cosine"):
        TangentCftModel(1.0)


@LONG_ONLY
@pytest.mark.parametrize("model", ["tangent-cft", "alignment"])
def test_documents_by_their_best_formulas(
    model: str, trained_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the definition: for each formula of the query the best of a document's, summed up."""
    monkeypatch.setattr(scoring, "FORMULAS_FOUND", 100_000)
    with open_index(trained_index, model, model) as index:
        expected: dict[str, float] = {}
        for formula in ("x^2", "x+y"):
            best: dict[str, float] = {}
            for hit in index.search_formulas(formula, 100_000):
                for place in hit.places:
                    best[place.doc_id] = max(best.get(place.doc_id, 0.0), hit.score)
            for doc_id, score in best.items():
                expected[doc_id] = expected.get(doc_id, 0.0) + score
        found = dict(index.run([QUERY], 10_000)["q"])
        assert found == pytest.approx({doc_id: score for doc_id, score in expected.items() if score > 0})
        doc_id = next(iter(found))
        explanation = index.retriever.explain(QUERY, doc_id)
        assert explanation.value == pytest.approx(found[doc_id])
        assert len(explanation.parts) == 2
        assert index.retriever.score_documents(QUERY, [doc_id])[0] == found[doc_id]
        assert index.run([Query("w", {"text": Content("words alone")})])["w"] == []


def test_the_toy_is_a_retriever(sample_index: Path, index: Index) -> None:
    with Snapshot.open(sample_index) as snapshot:
        opened = open_retriever(snapshot, index.analyzer, TrigramModel())
        assert isinstance(opened, TrigramRetriever)
        with pytest.raises(QueryError, match="there is no document 'nowhere'"):
            opened.explain(QUERY, "nowhere")
        with pytest.raises(QueryError, match="at least 1"):
            opened.search([QUERY], 0)


@LONG_ONLY
def test_the_usual_models_are_read_without_the_wings() -> None:
    code = (
        "import sys\nfrom porism.search.models import read_model\n"
        "read_model('default')\nread_model('default', formulas=True)\n"
        "print([name for name in sys.modules if name.startswith(('porism.vectors', 'porism.serve'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
