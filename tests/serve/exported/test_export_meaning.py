"""Vectors of meaning in an engine: the ranks of an exact search of the index."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from memory_backend import MemoryBackend

import porism
from porism.analysis.analyzer import Analyzer
from porism.errors import EngineError
from porism.index import Snapshot
from porism.index.languages import snapshot_analyzer
from porism.retrieve.meaning.retriever import MeaningModel, MeaningRetriever
from porism.search.sources.updating import index_sources
from porism.serve.exported.exporting import export_index
from porism.serve.exported.kind import search_export
from porism.serve.exported.state import open_export
from porism.types import Content, Document, Formula, Query

WORDS = "ring field group prime ideal matrix kernel integral series limit norm basis graph tree set".split()


def documents(count: int, first: int = 0) -> list[Document]:
    """Documents of a title and a text: two vectors each."""
    return [
        Document(
            f"d{number}", {
                "title": Content(f"{WORDS[number % 15]} {WORDS[number * 7 % 13]}"),
                "body": Content(f"{WORDS[number * 4 % 11]} of \ufffc name{number}", (Formula(f"x^{number % 5}+y"),)),
            }, {"half": str(number % 2)},
        )
        for number in range(first, first + count)
    ]


ASKED = [Query(f"q{start}", {"text": Content(" ".join(WORDS[start : start + 3]))}) for start in range(0, 15, 3)]


def compare(path: Path, backend: MemoryBackend, k: int, **filters: Any) -> int:
    """Compares results of the engine with those of the index; how many there are."""
    with Snapshot.open(path) as snapshot:
        analyzer: Analyzer = snapshot_analyzer(snapshot)
        allowed = snapshot.filter(filters) if filters else None
        there = search_export(open_export(backend, snapshot), snapshot, analyzer, MeaningModel())
        found = there.search(ASKED, k, allowed=allowed)
        own = MeaningRetriever(snapshot, analyzer, MeaningModel()).search(ASKED, k, allowed=allowed)
        assert {query.id: found[query.id] for query in ASKED} == {query.id: own[query.id] for query in ASKED}
        return sum(len(own[query.id]) for query in ASKED)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("meaning") / "index"
    porism.index_documents(documents(60), path, jobs=1)
    porism.index_documents(documents(30, 60), path, jobs=1)
    return path


@every_case("k", [1, 7, 100])
def test_nearest_documents_are_those_of_an_exact_search(index: Path, k: int) -> None:
    backend = MemoryBackend(most=20)
    report = export_index(index, backend, ["meaning"], documents=False)
    (name,) = report.tables
    assert name.startswith("meaning_")
    assert report.tables[name].rows == 2 * 90
    assert compare(index, backend, k) == 5 * min(k, 90)
    assert compare(index, backend, k, half="1") == 5 * min(k, 45)
    assert backend.searches


def test_of_an_update_only_new_rows_are_sent(tmp_path: Path) -> None:
    path, backend = tmp_path / "index", MemoryBackend()
    porism.index_documents(documents(20), path, jobs=1)
    export_index(path, backend, ["meaning"], documents=False)
    porism.index_documents(documents(3, 20), path, jobs=1)
    (table,) = export_index(path, backend, documents=False).tables.values()
    assert (table.rows, table.sent, table.removed) == (46, 6, 0)
    assert compare(path, backend, 100) == 5 * 23


def test_vectors_that_were_not_exported_or_do_not_exist_are_named(index: Path, tmp_path: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"], documents=False)
    with pytest.raises(EngineError, match="the vectors of meaning were not exported"):
        compare(index, backend, 1)
    (tmp_path / "note.md").write_text("# A ring\n\nIt has a kernel.\n")
    index_sources([tmp_path / "note.md"], tmp_path / "off", meaning="off")
    with pytest.raises(porism.PorismError, match="no vectors of meaning"):
        export_index(tmp_path / "off", MemoryBackend(), ["meaning"])
