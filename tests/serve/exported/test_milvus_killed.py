"""Exports to a real server of milvus-lite go on where they were, whichever of the two is killed: nothing is lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from export_cases import QUERIES, write_index
from long_forms import LONG_ONLY
from milvus_servers import MilvusServer, need_milvus

from porism.corpus import read_topics
from porism.errors import EngineError, IndexLocked
from porism.sample import QUERIES as SAMPLE_QUERIES
from porism.search.index import open_index
from porism.serve.backends.base import Rows
from porism.serve.exported import exporting
from porism.serve.exported.exporting import export_index
from porism.serve.exported.kind import MilvusFormulaModel, MilvusModel
from porism.serve.exported.lexical import DOCUMENTS, FORMULAS
from porism.serve.exported.texts import TEXTS
from porism.types import Formula

need_milvus()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MilvusServer]:
    """A server that does not run yet."""
    made = MilvusServer(tmp_path / "data")
    yield made
    made.kill()


def test_a_server_that_is_killed_keeps_what_it_acknowledged(server: MilvusServer, tmp_path: Path) -> None:
    index = write_index(tmp_path / "index")
    server.start()
    backend = server.backend("killed")
    export_index(index, backend, ["default"], formula_models=["default"])
    server.kill()
    with pytest.raises(EngineError, match="cannot be read"):
        backend.count(DOCUMENTS)
    with open_index(index) as opened, pytest.raises(EngineError, match="cannot be reached"):
        opened.with_models(MilvusModel(uri=server.uri, collection="killed"))
    server.start()
    again = server.backend("killed")
    report = export_index(index, again, verify=True)
    assert report.tables == {DOCUMENTS: (8, 0, 0), FORMULAS: (8, 0, 0), TEXTS: (8, 0, 0)}
    with open_index(index) as opened:
        place = {"uri": server.uri, "collection": "killed"}
        searched = opened.with_models(MilvusModel(**place), MilvusFormulaModel(**place))
        own = opened.run(QUERIES, 100)
        formula = Formula("x^2+y^2")
        (ranked,) = opened.formulas.ranker.search([formula], 100)
        for _ in range(2):  # and once more, by the same client after another end of the server
            there = searched.run(QUERIES, 100)
            assert [there[query.id] for query in QUERIES] == [own[query.id] for query in QUERIES]
            (found,) = searched.formulas.ranker.search([formula], 100)
            assert [column.tolist() for column in found] == [column.tolist() for column in ranked]
            server.kill()
            server.start()
    backend.close()
    again.close()


def test_a_server_that_is_killed_during_an_export_gets_the_rest(
    server: MilvusServer, sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = tmp_path / "index"
    shutil.copytree(sample_index, index)
    send = exporting.TableSync._send
    sent: list[int] = []

    def killed(bringing: exporting.TableSync, rows: Rows) -> int:
        if bringing._name == TEXTS and sent:
            server.kill()
        sent.append(send(bringing, rows))
        return sent[-1]

    server.start()
    backend = server.backend("cut")
    monkeypatch.setattr(exporting.TableSync, "_send", killed)
    with pytest.raises(EngineError, match="cannot be read"):
        export_index(index, backend, ["words"], formula_models=["tokens"])
    monkeypatch.undo()
    assert sum(sent) > 300
    server.start()
    again = server.backend("cut")
    report = export_index(index, again)
    assert report.compared
    assert [report.tables[name].sent for name in (DOCUMENTS, FORMULAS)] == [0, 0]
    assert report.tables[TEXTS] == (report.documents, report.documents, 0)
    assert (report.models, report.formula_models) == (("words",), ("tokens",))
    backend.close()
    again.close()


@LONG_ONLY
def test_an_exporter_that_is_killed_goes_on_where_it_was(
    server: MilvusServer, sample_index: Path, tmp_path: Path
) -> None:
    server.start()
    index = tmp_path / "index"
    shutil.copytree(sample_index, index)
    code = (
        "import sys, time\n"
        "from porism.serve.backends.milvus import MilvusBackend\n"
        "from porism.serve.exported import exporting, terms\n"
        "terms._BATCH_SIZE = 40\n"
        "bring = exporting.TableSync._send\n"
        "def slowly(*arguments):\n"
        "    sent = bring(*arguments)\n"
        "    print('sent', flush=True)\n"
        "    time.sleep(0.5)\n"
        "    return sent\n"
        "exporting.TableSync._send = slowly\n"
        "exporting.export_index(sys.argv[1], MilvusBackend(sys.argv[2], 'stopped'), ['words'])\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, str(index), server.uri], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    for _ in range(2):
        assert process.stdout.readline() == "sent\n"
    backend = server.backend("stopped")
    with pytest.raises(IndexLocked, match=f"process {process.pid} is exporting this index to Milvus at {server.uri}"):
        export_index(index, backend)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    there = backend.count(DOCUMENTS)
    with open_index(index) as opened:
        assert 80 <= there < len(opened)
        report = export_index(index, backend, ["words"])
        assert report.tables[DOCUMENTS] == (len(opened), len(opened) - there, 0)
        assert report.compared
        queries = list(read_topics(SAMPLE_QUERIES))[::9]
        run = opened.with_models(MilvusModel("words", uri=server.uri, collection="stopped")).run(queries)
        own = opened.with_models("words").run(queries)
        assert [run[query.id] for query in queries] == [own[query.id] for query in queries]
    backend.close()
