"""Whether a Milvus server finds what the index finds: every model there and here, document by document.

::

    python -m benchmarks effectiveness milvus --index DIR --topics TOPICS
    python -m benchmarks effectiveness milvus --index DIR --topics TOPICS --models default,words,FILE.toml --uri ADDRESS
    python -m benchmarks effectiveness milvus --index DIR --topics FORMULA_TOPICS --formulas
    python -m benchmarks effectiveness milvus --index DIR --documents

Each model that the index has everything for is exported by itself, asked for the first ``--depth`` documents of each
topic, and compared with the same search of the index. Without ``--uri`` a server of milvus-lite is started on this
machine, and removed at the end; what was exported to another one stays there. Dense vectors are compared with an exact
search, tokens with an exhaustive one. With ``--formulas`` models rank formulas. With ``--documents`` nothing is
searched: the default model is exported with and without the documents, in turn, and what either costs is printed: bytes
of the folder of a server of milvus-lite, and seconds of the processor in the server and here. Printed else are topics,
results, in how many topics the ids or their order differ, and in how many the scores, rows of the export, searches of
the server a topic, and rows that it was asked for beside results. The exit status is 1 where anything differs. Prints a
table, writes JSON. """

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import porism
from benchmarks import RESULTS
from benchmarks.common.bench import print_table, versions
from porism import Query
from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.errors import ConfigError, EngineError
from porism.index import Snapshot
from porism.retrieve import RetrieverSettings, SearchModel
from porism.retrieve.formulas.model import FormulaModel
from porism.search.models import open_formula_ranker, open_retriever, read_model
from porism.search.models.models import known_models
from porism.serve.backends.base import Hits, RowFilter, Vectors
from porism.serve.backends.milvus import MilvusBackend
from porism.serve.exported.exporting import export_index
from porism.serve.exported.kind import ExportedFormulas, MilvusFormulaModel, search_export
from porism.serve.exported.state import open_export
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.dense.model import DenseModel

PREFIX = "porism_benchmark"


class CountingBackend(MilvusBackend):
    """Counts searches and the rows that they ask for."""

    searches = 0
    asked = 0

    def search(self, name: str, vector: Vectors, limit: int, where: RowFilter = RowFilter()) -> Hits:  # noqa: B008
        """What Milvus finds."""
        hits = super().search(name, vector, limit, where)
        self.searches += 1
        self.asked += len(hits.keys)
        return hits


@contextmanager
def server(uri: str) -> Iterator[str]:
    """The address of a server: of one on this machine while the block runs, where none is given."""
    if uri:
        yield uri
        return
    with started_server() as (address, _, _):
        yield address


@contextmanager
def started_server() -> Iterator[tuple[str, Path, subprocess.Popen[bytes]]]:
    """The address, the folder and the process of a server on this machine while the block runs."""
    folder = tempfile.mkdtemp(prefix="porism-milvus-")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    process = subprocess.Popen(
        [
            sys.executable, "-m", "milvus_lite", "server", "--data-dir", folder, "--host", "127.0.0.1", "--port",
            str(port),
        ],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(300):
            try:
                MilvusBackend(address).close()
                break
            except EngineError:
                time.sleep(0.2)
        yield address, Path(folder), process
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def chosen(path: Path, names: Sequence[str], formulas: bool) -> dict[str, RetrieverSettings]:
    """The models named, or all that engines search and an index has everything for."""
    kinds = FormulaModel if formulas else SearchModel | DenseModel | ColbertModel
    models = {name: read_model(name, formulas) for name in names} or {
        name: model for name, model in known_models(formulas).items() if isinstance(model, kinds)
    }
    able: dict[str, RetrieverSettings] = {}
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        for name, model in models.items():
            try:
                (open_formula_ranker if formulas else open_retriever)(snapshot, analyzer, model)
                able[name] = model
            except ConfigError as error:
                print(f"{name} is left out: {error.what}", file=sys.stderr)
    return able


def reference(model: RetrieverSettings) -> RetrieverSettings:
    """The model that compares everything."""
    if isinstance(model, DenseModel):
        return replace(model, search="exact")
    return replace(model, exhaustive=True) if isinstance(model, ColbertModel) else model


def compare(
    path: Path, backend: CountingBackend, name: str, model: RetrieverSettings, queries: Sequence[Query], depth: int
) -> dict[str, Any]:
    """The figures of one model."""
    started = time.process_time()
    report = export_index(path, backend, [name], again=True, documents=False)
    exporting = time.process_time() - started
    backend.searches = backend.asked = 0
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        export = open_export(backend, snapshot)
        there = search_export(export, snapshot, analyzer, model).search(queries, depth)
        here = open_retriever(snapshot, analyzer, reference(model)).search(queries, depth)
    results = sum(len(here[query.id]) for query in queries)
    same = [[one for one, _ in here[query.id]] == [one for one, _ in there[query.id]] for query in queries]
    return {
        "model": name, "topics": len(queries), "results": results,
        "other ids": same.count(False),
        "other scores": sum(list(here[query.id]) != list(there[query.id]) for query in queries),
        "rows": sum(table.rows for table in report.tables.values()),
        "searches a topic": backend.searches / len(queries), "rows asked a result": backend.asked / max(1, results),
        "export s": exporting,
    }


def compare_formulas(
    path: Path, backend: CountingBackend, name: str, model: RetrieverSettings, queries: Sequence[Query], depth: int
) -> dict[str, Any]:
    """The figures of one model of formulas, asked for the first formula of each topic."""
    assert isinstance(model, FormulaModel)
    started = time.process_time()
    report = export_index(path, backend, formula_models=[name], again=True, documents=False)
    exporting = time.process_time() - started
    asked = [query.content.formulas[0] for query in queries if query.content.formulas]
    backend.searches = backend.asked = 0
    with Snapshot.open(path) as snapshot:
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        there = ExportedFormulas(
            open_export(backend, snapshot), snapshot, analyzer, model, MilvusFormulaModel(name)
        ).search(asked, depth)
        here = open_formula_ranker(snapshot, analyzer, model).search(asked, depth)
    ids = [
        not all(np.array_equal(*columns) for columns in zip(one[:2], other[:2], strict=True))
        for one, other in zip(here, there, strict=True)
    ]
    results = sum(len(one.scores) for one in here)
    return {
        "model": name, "topics": len(asked), "results": results, "other ids": sum(ids),
        "other scores": sum(
            not np.array_equal(one.scores, other.scores) for one, other in zip(here, there, strict=True)
        ),
        "rows": sum(table.rows for table in report.tables.values()),
        "searches a topic": backend.searches / len(asked), "rows asked a result": backend.asked / max(1, results),
        "export s": exporting,
    }


def cost_of_documents(path: Path) -> list[dict[str, Any]]:
    """What an export with and without documents takes, three rounds in turn, each with a server of its own."""
    rows: list[dict[str, Any]] = []
    for _ in range(3):
        for documents in (False, True):
            with started_server() as (address, folder, process):
                backend = MilvusBackend(address, PREFIX, 600.0)
                before, used = time.process_time(), processor_seconds(process)
                report = export_index(path, backend, ["default"], documents=documents)
                rows.append({
                    "documents": documents, "rows": sum(table.rows for table in report.tables.values()),
                    "bytes": sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()),
                    "server s": processor_seconds(process) - used, "here s": time.process_time() - before,
                })
                backend.close()
            print(rows[-1], flush=True)
    return rows


def processor_seconds(process: subprocess.Popen[bytes]) -> float:
    """What another process has used of the processor so far (Linux)."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--topics", type=Path)
    parser.add_argument("--formulas", action="store_true", help="compare models of formulas, by topics of formulas")
    parser.add_argument("--documents", action="store_true", help="measure what documents cost; no topics")
    parser.add_argument("--models", default="", help="names or files, separated by commas; all if not given")
    parser.add_argument("--depth", type=int, default=1_000)
    parser.add_argument("--uri", default="", help="a Milvus server; one of milvus-lite is started if not given")
    arguments = parser.parse_args()
    if arguments.documents:
        rows = cost_of_documents(arguments.index)
    elif arguments.topics is None:
        parser.error("--topics or --documents is needed")
    else:
        rows = compare_all(arguments)
    columns = list(rows[0]) if rows else []
    print_table([columns, *([_shown(row[column]) for column in columns] for row in rows)])
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / "milvus.json").write_text(json.dumps({"rows": rows, "versions": versions()}, indent=1))
    return int(any(row.get("other ids") or row.get("other scores") for row in rows))


def compare_all(arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """The figures of all models."""
    queries = list(porism.read_topics(arguments.topics))
    names = list(filter(None, arguments.models.split(",")))
    models: Mapping[str, RetrieverSettings] = chosen(arguments.index, names, arguments.formulas)
    compared = compare_formulas if arguments.formulas else compare
    rows: list[dict[str, Any]] = []
    with server(arguments.uri) as address:
        backend = CountingBackend(address, PREFIX, 600.0)
        for name, model in models.items():
            rows.append(compared(arguments.index, backend, name, model, queries, arguments.depth))
            print(rows[-1], flush=True)
        backend.close()
    return rows


def _shown(value: Any) -> str:
    return f"{value:.1f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else str(value)


if __name__ == "__main__":
    sys.exit(main())
