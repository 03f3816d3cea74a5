"""One exporter at a time: the second is refused, and where no lock can tell, no state claims what is not there."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from export_cases import QUERIES, change, document, exported, write_index
from long_forms import LONG_ONLY
from memory_backend import MemoryBackend

from porism.errors import EngineError, IndexLocked, StorageError
from porism.index import Snapshot
from porism.serve.backends.base import Rows, Table
from porism.serve.exported import holding
from porism.serve.exported.exporting import export_index
from porism.serve.exported.holding import ExclusiveExporter, only_exporter
from porism.serve.exported.lexical import DOCUMENTS
from porism.serve.exported.state import ExportState, index_identity, read_state


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return write_index(tmp_path / "index")


class Interrupted(MemoryBackend):
    """An engine in which something happens before the write of this number, or right after it."""

    before: tuple[int, Callable[[], object]] | None = None
    after: tuple[int, Callable[[], object]] | None = None
    puts: int = 0

    def put(self, name: str, rows: Rows) -> None:
        self.puts += 1
        number = self.puts
        self._happens(number, "before")
        super().put(name, rows)
        self._happens(number, "after")

    def _happens(self, number: int, when: str) -> None:
        event = getattr(self, when)
        if event is not None and event[0] == number:
            setattr(self, when, None)
            event[1]()


def state_of(backend: MemoryBackend) -> ExportState:
    assert backend.state is not None
    return read_state(backend.state, "here")


def wrong_rows(backend: MemoryBackend, index: Path) -> int:
    """How many rows an engine has that it should not have, or does not have; they are put right."""
    report = export_index(index, backend, verify=True)
    assert not state_of(backend).pending
    return sum(table.sent + table.removed for table in report.tables.values())


def other_copy(index: Path, tmp_path: Path) -> Path:
    """A copy of the index that has changed since."""
    copy = tmp_path / "copy"
    shutil.copytree(index, copy)
    change(copy, [document("a1", "changed in the copy"), document("d1", "new in the copy")], delete=["b1"])
    return copy


def test_a_second_exporter_is_refused_and_told_by_whom(index: Path) -> None:
    backend = Interrupted()
    refused: list[str] = []

    def second() -> None:
        with pytest.raises(IndexLocked) as error:
            export_index(index, backend, ["words"])
        refused.append(str(error.value))

    backend.before = (1, second)
    report = export_index(index, backend, ["words"])
    (said,) = refused
    assert f"process {os.getpid()} is exporting this index to memory" in said
    assert "Wait until it is done, or stop it." in said
    assert report.tables[DOCUMENTS] == (8, 8, 0)
    assert not state_of(backend).pending
    export_index(index, backend)  # the lock was released


def test_exports_to_two_places_are_none_of_each_others_business(index: Path) -> None:
    class Elsewhere(MemoryBackend):
        def __str__(self) -> str:
            return "elsewhere"

    backend = Interrupted()
    backend.before = (1, lambda: export_index(index, Elsewhere(), ["words"]))
    assert export_index(index, backend, ["words"]).tables[DOCUMENTS].rows == 8


@LONG_ONLY
def test_a_killed_exporter_leaves_no_lock(index: Path) -> None:
    code = (
        "import sys\n"
        "from pathlib import Path\n"
        "from porism.serve.exported.holding import only_exporter\n"
        "with only_exporter(Path(sys.argv[1]), 'memory'):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(index)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    with pytest.raises(IndexLocked, match=f"process {process.pid} is exporting this index to memory"):
        export_index(index, MemoryBackend())
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()
    assert export_index(index, MemoryBackend()).tables[DOCUMENTS].rows == 8


def test_a_folder_that_cannot_be_written_is_exported(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*arguments: object) -> None:
        raise StorageError("cannot be written")

    monkeypatch.setattr(holding, "WriterLock", refused)
    with pytest.raises(StorageError), only_exporter(index, MemoryBackend()):
        pass
    monkeypatch.setattr(holding.os, "access", lambda path, mode: False)
    assert export_index(index, MemoryBackend()).tables[DOCUMENTS].rows == 8


def test_an_exporter_that_is_overtaken_before_it_wrote_stops(index: Path, tmp_path: Path) -> None:
    copy = other_copy(index, tmp_path)
    backend = Interrupted()
    write = backend.write_state

    def overtaken(state: str) -> None:
        write(state)
        backend.write_state = write  # type: ignore[method-assign]
        export_index(copy, backend, ["words"])

    backend.write_state = overtaken  # type: ignore[method-assign]
    with pytest.raises(EngineError, match=rf"process {os.getpid()} on .* has begun to export here, too, and this"):
        export_index(index, backend, ["words"])
    assert not state_of(backend).pending  # the other one has done all, and nothing was written since
    assert wrong_rows(backend, copy) == 0


@pytest.mark.parametrize("when", ["before", "after"])
def test_rows_written_while_another_exports_are_never_claimed(when: str, index: Path, tmp_path: Path) -> None:
    copy = other_copy(index, tmp_path)
    backend = Interrupted()
    setattr(backend, when, (1, lambda: export_index(copy, backend, ["words"])))
    with pytest.raises(EngineError, match="this export has stopped"):
        export_index(index, backend, ["words"])
    assert state_of(backend).pending
    with Snapshot.open(copy) as snapshot:
        assert "an export has begun and not ended" in exported(backend, snapshot, "words").notes(QUERIES[0])[0]
    report = export_index(copy, backend)
    assert report.compared
    # rows of the first that came after those of the second: one that was changed, and one that was deleted
    assert report.tables[DOCUMENTS][1:] == ((1, 1) if when == "before" else (0, 0))
    assert wrong_rows(backend, copy) == 0


def test_an_exporter_that_is_overtaken_at_its_end_claims_nothing(index: Path) -> None:
    backend = Interrupted()
    with Snapshot.open(index) as snapshot:
        nothing = ExportState(index_identity(snapshot), 0, 0)
    backend.after = (2, lambda: ExclusiveExporter(backend, nothing))  # the last request that writes rows
    with pytest.raises(EngineError, match=f"process {os.getpid()} on .* has begun to export here, too"):
        export_index(index, backend, ["words"], documents=False)
    assert backend.puts == 2
    assert state_of(backend).pending


def test_an_exporter_that_is_overtaken_changes_no_table() -> None:
    backend = MemoryBackend()
    backend.make(Table("old"))
    first, second = (ExclusiveExporter(backend, ExportState("", 0, 0)) for _ in range(2))
    state = backend.state
    nothing = Rows([], np.zeros(0), np.zeros(0), [], np.zeros((0, 1), np.float32))
    for change_tables in (
        lambda: first.engine().make(Table("new")), lambda: first.engine().drop("old"),
        lambda: first.engine().remove("old", []), lambda: first.engine().put("old", nothing),
        lambda: first.finish(ExportState("", 1, 1)),
    ):
        with pytest.raises(EngineError, match="this export has stopped"):
            change_tables()
    assert (backend.tables(), backend.state) == (["old"], state)
    second.engine().drop("old")
    assert backend.tables() == []


def test_two_that_write_at_once_both_stop(index: Path, tmp_path: Path) -> None:
    copy = other_copy(index, tmp_path)
    backend = Interrupted()
    put = backend.put

    def second(name: str, rows: Rows) -> None:
        """Writes what the second exporter sends first, and then goes on with the first."""
        backend.put = put  # type: ignore[method-assign]
        put(name, rows)
        with pytest.raises(EngineError, match=rf"process {os.getpid()} on .* has begun to export here, too"):
            first.engine().put(name, rows)

    with Snapshot.open(index) as snapshot:
        first = ExclusiveExporter(backend, ExportState(index_identity(snapshot), 0, 0))
    backend.make(Table(DOCUMENTS))
    first.engine().put(DOCUMENTS, Rows([], np.zeros(0), np.zeros(0), [], np.zeros((0, 1), np.float32)))
    backend.put = second  # type: ignore[method-assign]
    with pytest.raises(EngineError, match="another process has begun to export here, too"):
        export_index(copy, backend, ["words"])
    assert state_of(backend).pending
    assert export_index(copy, backend).compared
    assert wrong_rows(backend, copy) == 0


def test_a_state_that_was_removed_ends_an_export(index: Path) -> None:
    backend = Interrupted()
    backend.before = (1, lambda: setattr(backend, "state", None))
    with pytest.raises(EngineError, match="the state of the export was removed meanwhile"):
        export_index(index, backend)
    assert backend.state is None
