"""An export brings an engine in step with the commits of an index, from wherever it was stopped."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import orjson
import pytest
from export_cases import QUERIES, all_documents, change, document, exported, write_index
from long_forms import LONG
from memory_backend import MemoryBackend

from porism.errors import ConfigError, EngineError
from porism.index import Snapshot
from porism.index.joint import JointSnapshot
from porism.search.index import open_index
from porism.serve.exported import state as state_module
from porism.serve.exported.exporting import export_index
from porism.serve.exported.lexical import DOCUMENTS
from porism.serve.exported.state import read_state


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return write_index(tmp_path / "index")


def sent(backend: MemoryBackend, index: Path, **options: bool) -> tuple[list[str], list[str]]:
    """Exports, and says of which documents the terms were sent and removed."""
    backend.sent.clear()
    backend.removed.clear()
    report = export_index(index, backend, **options)
    table = report.tables[DOCUMENTS]
    assert (table.sent, table.removed, table.rows) == (
        len(backend.sent[DOCUMENTS]), len(backend.removed[DOCUMENTS]), len(backend.rows[DOCUMENTS])
    )
    return sorted(backend.sent[DOCUMENTS]), sorted(backend.removed[DOCUMENTS])


def assert_equal(backend: MemoryBackend, index: Path, named: str = "words") -> None:
    """The results of all questions are those of the index."""
    with open_index(index, named) as opened:
        retriever = exported(backend, opened.snapshot, named)
        for k in (2, 100):
            own, there = opened.run(QUERIES, k), retriever.search(QUERIES, k)
            assert {query.id: there[query.id] for query in QUERIES} == {query.id: own[query.id] for query in QUERIES}
        assert len(own["q1"]) > 2
        assert own["q4"] == []


def test_only_what_changed_is_sent(index: Path) -> None:
    backend = MemoryBackend()
    assert sent(backend, index) == (["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2"], [])
    assert_equal(backend, index, "default")
    assert sent(backend, index) == ([], [])
    change(index, [document("d1", "ideals of rings", "x^2+y^2"), document("a2", "no longer the same")])
    assert sent(backend, index) == (["a2", "d1"], [])
    assert_equal(backend, index, "default")
    change(index, delete=["a1", "c1"])
    assert sent(backend, index) == ([], ["a1", "c1"])
    assert backend.scans == 0  # segments know what was deleted, until they are merged
    assert_equal(backend, index, "default")
    change(index, merge=True)
    assert sent(backend, index) == ([], [])
    change(index, [document("a1", "it is back")], delete=["b1"], merge=True)
    assert sent(backend, index) == (["a1"], ["b1"])
    assert backend.scans == len(backend.rows)
    assert_equal(backend, index, "default")


def test_metadata_alone_are_a_change(index: Path) -> None:
    backend = MemoryBackend()
    sent(backend, index)
    other = replace(all_documents()[3], metadata={"topic": "z"})
    change(index, [other])
    assert sent(backend, index) == (["b1"], [])


def test_statistics_stay_until_they_are_refreshed(index: Path) -> None:
    backend = MemoryBackend()
    first = export_index(index, backend, ["plain"])
    assert first.drift == 0.0
    assert {view.generation for view in first.views.values()} == {2}
    change(index, [document(f"d{number}", "rings " * 30) for number in range(6)])
    second = export_index(index, backend)
    assert second.views == first.views
    assert second.tables[DOCUMENTS].sent == 6
    assert second.drift > 0.3
    assert_equal(backend, index, "plain")
    third = export_index(index, backend, refresh=True)
    assert third.tables[DOCUMENTS].sent == 14
    assert third.drift == 0.0
    assert {view.generation for view in third.views.values()} == {3}
    assert_equal(backend, index, "plain")


@pytest.mark.parametrize("weighting", ["ltc.ltc", "dirichlet"])
def test_weights_that_depend_on_all_documents_are_sent_again(weighting: str, index: Path, tmp_path: Path) -> None:
    (tmp_path / "stored.toml").write_text(
        f'model = "words"\n[channels.words]\nweighting = "{weighting}"\n', encoding="utf-8"
    )
    named = str(tmp_path / "stored.toml")
    backend = MemoryBackend()
    first = export_index(index, backend, [named])
    change(index, [document("a1", "sums and squares of sums", "x^2+y^2")])  # as many words as before
    second = export_index(index, backend)
    (before,), (after,) = first.views.values(), second.views.values()
    assert (after.documents, after.mean_length, after.base) == (before.documents, before.mean_length, before.base)
    assert second.tables[DOCUMENTS].sent > 2  # those with rings, sums or squares
    assert_equal(backend, index, named)
    change(index, [document("d1", "rings " * 40)])
    third = export_index(index, backend)
    (last,) = third.views.values()
    assert last.generation == 4
    assert last.base < after.base if weighting == "dirichlet" else last.base == 0
    assert_equal(backend, index, named)


def test_an_export_goes_on_from_wherever_it_was_stopped(index: Path) -> None:
    whole = MemoryBackend()
    export_index(index, whole, ["words"])
    writes = whole.writes
    before = {key: row.stamp for key, row in whole.rows[DOCUMENTS].items()}
    for refused in range(writes) if LONG else (0, 5, writes - 1):
        backend = MemoryBackend(refuse_after=refused)
        with pytest.raises(EngineError, match="refuses"):
            export_index(index, backend, ["words"])
        there = set(backend.rows.get(DOCUMENTS, ()))
        assert len(there) == min(max(refused - 1, 0), 8)  # the first write is that of the state
        backend.refuse_after = None
        report = export_index(index, backend, ["words"])
        assert report.compared == (refused > 0)
        assert report.tables[DOCUMENTS].sent == 8 - len(there)
        assert set(backend.sent[DOCUMENTS]) == before.keys()
        assert sent(backend, index) == ([], [])
        assert {key: row.stamp for key, row in backend.rows[DOCUMENTS].items()} == before
        assert_equal(backend, index, "words")


def test_an_update_that_was_stopped_is_found_and_finished(index: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"])
    change(index, [document("a2", "changed"), document("b2", "changed, too"), document("d1", "new")], delete=["c1"])
    backend.refuse_after = backend.writes + 2
    with pytest.raises(EngineError, match="refuses"):
        export_index(index, backend)
    backend.refuse_after = None
    with Snapshot.open(index) as snapshot:
        notes = exported(backend, snapshot, "words").notes(QUERIES[0])
    assert "an export has begun and not ended" in notes[0]
    again = sent(backend, index)
    assert len(again[0]) == 2
    assert again[1] == ["c1"]
    assert_equal(backend, index)


def test_rows_that_an_engine_loses_are_found_and_sent_again(index: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"])
    del backend.rows[DOCUMENTS]["b2"]
    with Snapshot.open(index) as snapshot, pytest.raises(EngineError, match=r"7 rows of the terms .*, and 8 were"):
        exported(backend, snapshot, "words")
    assert sent(backend, index) == (["b2"], [])
    assert_equal(backend, index)
    backend.rows[DOCUMENTS]["a3"].stamp += 1  # one that has been changed, or was lost in an older state
    assert sent(backend, index) == ([], [])
    assert sent(backend, index, verify=True) == (["a3"], [])
    backend.rows[DOCUMENTS]["stranger"] = backend.rows[DOCUMENTS]["a3"]
    assert sent(backend, index) == ([], ["stranger"])
    del backend.rows[DOCUMENTS]
    assert len(sent(backend, index)[0]) == 8


def test_a_commit_that_was_not_exported_is_noted(index: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"])
    with Snapshot.open(index) as snapshot:
        assert exported(backend, snapshot, "words").notes(QUERIES[0]) == []
    change(index, [document("d1", "prime ideals of rings")], delete=["a1"])
    with open_index(index, "words") as opened:
        retriever = exported(backend, opened.snapshot, "words")
        (note,) = retriever.notes(QUERIES[0])
        assert note.startswith("commit 2 of the index was exported, and it is at 4")
        found = [doc_id for doc_id, _ in retriever.search(QUERIES, 100)["q1"]]
        assert found == [doc_id for doc_id, _ in opened.run(QUERIES, 100)["q1"] if doc_id != "d1"]
        described = retriever.describe()["model"]
    assert described["exported_commit"] == 2
    assert described["opened"]["kind"] == "search"


def test_models_are_added_and_a_refresh_forgets_the_others(index: Path) -> None:
    backend = MemoryBackend()
    report = export_index(index, backend, ["words"])
    few = len(report.views)
    with Snapshot.open(index) as snapshot, pytest.raises(EngineError, match="was not exported as this model counts"):
        exported(backend, snapshot, "tokens")
    report = export_index(index, backend, ["tokens"])
    assert report.models == ("words", "tokens")
    assert len(report.views) > few
    assert_equal(backend, index, "words")
    report = export_index(index, backend, ["words"], refresh=True)
    assert report.models == ("words",)
    assert len(report.views) == few


def test_a_search_notices_an_export_that_came_after_it_was_opened(
    index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"])
    change(index, [document(f"d{number}", "rings of squares " * 9) for number in range(9)])
    export_index(index, backend)
    with open_index(index, "words") as opened:
        retriever = exported(backend, opened.snapshot, "words")
        own = opened.run(QUERIES, 3)
        export_index(index, backend, refresh=True)
        stale = retriever.export.state.views
        monkeypatch.setattr(state_module, "FRESH", -1.0)
        assert retriever.export.state.views != stale
        assert [retriever.search(QUERIES, 3)[one.id] for one in QUERIES] == [own[one.id] for one in QUERIES]
        export_index(index, backend, ["tokens"], refresh=True)
        with pytest.raises(EngineError, match="was not exported as this model counts"):
            retriever.search(QUERIES, 3)
        backend.state = None
        with pytest.raises(EngineError, match="no index was exported here"):
            retriever.search(QUERIES, 3)


def test_several_indexes_as_one_are_refused(index: Path, tmp_path: Path) -> None:
    backend = MemoryBackend()
    export_index(index, backend, ["words"])
    with (
        JointSnapshot.open_all([index, write_index(tmp_path / "other")]) as snapshot,
        pytest.raises(ConfigError, match="of one index, not of several"),
    ):
        exported(backend, snapshot, "words")


def test_another_index_or_version_is_refused(index: Path, tmp_path: Path) -> None:
    backend = MemoryBackend()
    with Snapshot.open(index) as snapshot, pytest.raises(EngineError, match="no index was exported here"):
        exported(backend, snapshot, "words")
    export_index(index, backend, ["words"])
    other = write_index(tmp_path / "other")
    with pytest.raises(EngineError, match=r"another index than .*other was exported here"):
        export_index(other, backend)
    with Snapshot.open(other) as snapshot, pytest.raises(EngineError, match="is another index than"):
        exported(backend, snapshot, "words")
    assert backend.state is not None
    value = orjson.loads(backend.state)
    for state, message in (
        (orjson.dumps({**value, "porism_export": 9}).decode(), "by another version of Porism .format 9"),
        ("{", "cannot be read"), ("[]", "cannot be read"),
        (orjson.dumps({**value, "views": {"x": {}}}).decode(), "cannot be read"),
    ):
        backend.state = state
        with pytest.raises(EngineError, match=message):
            export_index(index, backend)
    assert len(sent(backend, other, again=True)[0]) == 8
    assert_equal(backend, other, "default")


def test_a_state_is_read_as_it_was_written(index: Path) -> None:
    backend = MemoryBackend()
    report = export_index(index, backend, ["default", "words"])
    assert backend.state is not None
    state = read_state(backend.state, "here")
    assert read_state(state.to_text(), "here") == state
    assert (state.generation, state.documents, state.pending) == (2, 8, False)
    assert state.views == report.views
    assert [segment.live for segment in state.tables[DOCUMENTS].segments] == [5, 3]
    assert set(state.models) == {"default", "words"}


def test_what_no_engine_searches_is_refused(index: Path, tmp_path: Path) -> None:
    backend = MemoryBackend()
    with pytest.raises(ConfigError, match="a MilvusModel names an engine already"):
        export_index(index, backend, ["milvus"])
    with pytest.raises(ConfigError, match="a FormulaModel is of no kind that engines search"):
        export_index(index, backend, ["alignment"])
    assert backend.state is None


def test_progress_counts_documents(index: Path) -> None:
    steps: list[tuple[int, int]] = []
    export_index(index, MemoryBackend(), ["words"], on_progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (16, 16)  # terms and documents
    assert np.diff([done for done, _ in steps]).min() >= 0
