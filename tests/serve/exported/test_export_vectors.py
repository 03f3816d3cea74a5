"""Vectors of documents and tokens in an engine: the ranks of an exact, or exhaustive, search of the index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from dense_cases import WORDS, document, encoded_index, query
from memory_backend import MemoryBackend
from sparse_cases import sparse_index
from tiny_models import need_encoders

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import EngineError
from porism.index import IndexWriter, Snapshot
from porism.retrieve import RetrieverSettings
from porism.search.models import open_retriever
from porism.search.models.models import read_model, write_model
from porism.search.models.sums.retriever import Part, SumModel
from porism.search.models.vectors import prepare_vectors
from porism.serve.exported.exporting import ExportReport, export_index
from porism.serve.exported.kind import search_export
from porism.serve.exported.state import open_export
from porism.types import Query
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.dense.model import DenseModel
from porism.vectors.neural.encoder_settings import EncoderSettings
from porism.vectors.splade.encoding import SPARSE_ENCODING

need_encoders()

ASKED = [query(" ".join(WORDS[start : start + 5]), f"q{start}") for start in range(0, 20, 4)] + [query("", "none")]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return encoded_index(tmp_path_factory.mktemp("vectors"))[0]


def exported(path: Path, backend: MemoryBackend, model: RetrieverSettings, tmp_path: Path) -> ExportReport:
    """Exports a model as a file of settings."""
    import orjson

    file = tmp_path / "model.json"
    file.write_bytes(orjson.dumps(write_model(model)))
    return export_index(path, backend, [str(file)], documents=False)


def compare(
    path: Path, backend: MemoryBackend, model: RetrieverSettings, queries: list[Query], k: int,
    here: RetrieverSettings | None = None, **filters: Any,
) -> int:
    """Compares results of the engine with those of the index; how many there are."""
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        allowed = snapshot.filter(filters) if filters else None
        there = search_export(open_export(backend, snapshot), snapshot, analyzer, model)
        found = there.search(queries, k, allowed=allowed)
        own = open_retriever(snapshot, analyzer, here or model).search(queries, k, allowed=allowed)
        assert {one.id: found[one.id] for one in queries} == {one.id: own[one.id] for one in queries}
        return sum(len(own[one.id]) for one in queries)


@every_case("k", [1, 7, 100])
def test_nearest_documents_are_those_of_an_exact_search(index: Path, k: int, tmp_path: Path) -> None:
    backend = MemoryBackend(most=20)
    report = exported(index, backend, DenseModel(device="cpu"), tmp_path)
    (name,) = report.tables
    assert name.startswith("dense_")
    assert report.tables[name].rows == 55  # those with text
    assert compare(index, backend, DenseModel(device="cpu"), ASKED, k) == 5 * min(k, 55)
    assert compare(index, backend, DenseModel(device="cpu"), ASKED, k, half="1", tenth=["1", "3", "4"]) > 0


def test_of_chunks_the_nearest_counts_and_updates_remove_the_others(tmp_path: Path) -> None:
    path, _ = encoded_index(
        tmp_path, 20, 40, settings=EncoderSettings(cut="chunks", length=16, overlap=2)
    )
    backend, model = MemoryBackend(), DenseModel(device="cpu")
    first = exported(path, backend, model, tmp_path)
    (name,) = first.tables
    assert first.tables[name].rows > 40
    assert compare(path, backend, model, ASKED, 5) == 25
    analyzer = Analyzer(AnalysisConfig.named(["words"]))
    with IndexWriter(path, config=analyzer.config.to_dict()) as writer:
        writer.add(analyzer.analyze([replace(document(3, 6), id="d003"), document(40, 40)])[0])
        writer.delete(["d004"])
        writer.commit(before_publish=prepare_vectors)
    second = exported(path, backend, model, tmp_path)
    of = {key.partition(":")[2]: sum(other.endswith(":" + key.partition(":")[2]) for other in backend.rows[name])
          for key in backend.rows[name]}
    assert of["d003"] == 1
    assert "d004" not in of
    assert second.tables[name].sent == 1 + of["d040"]
    assert second.tables[name].removed >= 3
    assert compare(path, backend, model, ASKED, 100) == 5 * 19


def test_sums_search_their_parts_there(index: Path, tmp_path: Path) -> None:
    backend = MemoryBackend()
    model = SumModel({"words": Part(0.5), "dense": Part(0.5, settings={"device": "cpu"})})
    report = exported(index, backend, model, tmp_path)
    assert len(report.tables) == 2
    assert compare(index, backend, model, ASKED, 10) >= 50
    assert len({name for name, _, _ in backend.searches}) == 2


def test_terms_of_a_sparse_encoder_are_a_view_of_its_weights(tmp_path: Path) -> None:
    path, _ = sparse_index(tmp_path)
    backend, model = MemoryBackend(), read_model("splade")
    report = exported(path, backend, model, tmp_path)
    assert compare(path, backend, model, ASKED, 10) > 20
    SPARSE_ENCODING.encode(path, tmp_path / "tiny", name="tiny", device="cpu", settings=EncoderSettings(length=8))
    again = exported(path, backend, model, tmp_path)
    assert not again.views.keys() & report.views.keys()
    assert compare(path, backend, model, ASKED, 10) > 20


def test_vectors_that_were_not_exported_are_named(index: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"])
    with pytest.raises(EngineError, match="the vectors of the encoder tiny were not exported"):
        compare(index, backend, DenseModel(device="cpu"), ASKED, 1)


def test_tokens_are_compared_until_nothing_better_is_left(tmp_path: Path) -> None:
    pytest.importorskip("faiss", reason="centroids need faiss: pip install 'porism[neural]'")
    from colbert_cases import token_index

    path, report = token_index(tmp_path)
    backend, model = MemoryBackend(), ColbertModel(device="cpu")
    tables = exported(path, backend, model, tmp_path).tables
    (name,) = tables
    assert tables[name].rows == report.rows
    everything = ColbertModel(exhaustive=True, device="cpu")
    for k in (1, 5, 100):
        assert compare(path, backend, model, ASKED, k, everything) == 5 * min(k, 55)
    assert compare(path, backend, model, ASKED, 3, everything, half="0") > 0
    few = [limit for _, limit, _ in backend.searches]
    assert min(few) == 256
    cut = MemoryBackend(most=8)  # approximate: what the nearest eight of each token name
    exported(path, cut, model, tmp_path)
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        there = search_export(open_export(cut, snapshot), snapshot, analyzer, model)
        here = open_retriever(snapshot, analyzer, everything)
        found, own = there.search(ASKED, 3), here.search(ASKED, 3)
        scores = dict(own["q0"])
        assert all(score == scores[doc_id] for doc_id, score in found["q0"] if doc_id in scores)
        assert 0 < len(found["q0"]) <= 3
