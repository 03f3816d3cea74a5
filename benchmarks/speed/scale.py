"""Porism, bm25s, tantivy and Lucene side by side on a bootstrapped collection of any size.

::

    python -m benchmarks speed scale --collection ../shared/data/arqmath-mini \\
        --topics ../shared/data/arqmath-topics/2021/Topics_Task1_2021.xml --documents 200000

Each system builds its index in a process of its own and searches in another, so that memory is measured apart. Queries
are timed one at a time in one thread; the systems take turns, and of each query's rounds the fastest counts, so that
other work on the machine weighs on all alike. Lucene needs Java 17 and ``ANSERINI_JAR=anserini-0.22.1-fatjar.jar``
(from the wheel of pyserini 0.22.1), and is left out without.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed.collection import TermCorpus, bootstrap, read_posts, read_queries
from benchmarks.speed.systems import SYSTEMS, Exact

KINDS = {"long": 1000, "short": 10}


def peak_mb(process: int | None = None) -> float:
    """Peak resident memory of a running process (this one by default), as Linux keeps it."""
    status = Path(f"/proc/{process or os.getpid()}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024


def load(folder: Path) -> TermCorpus:
    """The collection that :func:`main` saved."""
    vocabulary = json.loads((folder / "vocabulary.json").read_text())
    return TermCorpus(vocabulary, np.load(folder / "tokens.npy"), np.load(folder / "starts.npy"))


def build(name: str, data: Path, folder: Path, connection: Connection) -> None:
    """In a process of its own: build, and report seconds, megabytes on disk and peak memory beyond the collection's.

    What a system builds in a further process is not seen in the memory.
    """
    corpus = load(data)
    before = peak_mb()
    start = time.perf_counter()
    SYSTEMS[name]().build(corpus, folder)
    seconds = time.perf_counter() - start
    disk = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 2**20
    connection.send({"seconds": seconds, "disk": disk, "memory": peak_mb() - before})


def serve(name: str, folder: Path, connection: Connection) -> None:
    """In a process of its own: open, then answer (queries, k) with what was found, until None comes."""
    system = SYSTEMS[name]()
    start = time.perf_counter()
    system.open(folder)
    system.search(["the"], 10)
    connection.send(time.perf_counter() - start)
    while (request := connection.recv()) is not None:
        queries, k = request
        connection.send([system.search(query, k) for query in queries])
    process = getattr(system, "process", None)
    connection.send(peak_mb(process.pid if process else None))
    if process is not None:
        process.stdin.close()
        process.wait()


def agreement(exact: Sequence[NDArray[np.float64]], found: Sequence[list[int]], k: int) -> tuple[int, int]:
    """Queries whose documents are those of the exact best k: (up to rounding of float32 and ties, in exact order)."""
    alike = identical = 0
    for scores, documents in zip(exact, found, strict=True):
        matching = np.flatnonzero(scores > 0)
        order = matching[np.lexsort((-matching, -scores[matching]))][:k]
        identical += order.tolist() == documents
        alike += len(order) == len(documents) and bool(
            np.allclose(np.sort(scores[documents]), np.sort(scores[order]), rtol=2e-6, atol=0)
        )
    return alike, identical


def measure(
    names: Sequence[str], folders: dict[str, Path], queries: dict[str, list[list[str]]], rounds: int,
) -> dict[str, dict[str, Any]]:
    """Runs all queries on all systems in turns."""
    context = multiprocessing.get_context("spawn")
    pipes: dict[str, Connection] = {}
    results: dict[str, dict[str, Any]] = {}
    for name in names:
        pipes[name], theirs = context.Pipe()
        context.Process(target=serve, args=(name, folders[name], theirs), daemon=True).start()
        results[name] = {"open": pipes[name].recv()}
    for _ in range(rounds):
        for kind, k in KINDS.items():
            for name in names:
                pipes[name].send((queries[kind], k))
                answers = pipes[name].recv()
                seconds = np.array([taken for taken, _ in answers])
                held = results[name].setdefault(kind, {"seconds": seconds})
                held["seconds"] = np.minimum(held["seconds"], seconds)
                held["found"] = [documents for _, documents in answers]
    for name in names:
        pipes[name].send(None)
        results[name]["memory"] = pipes[name].recv()
    return results


def main() -> None:
    """Parses arguments, runs everything, prints a table (and JSON with ``--json``)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--collection", type=Path, required=True, help="folder of an ARQMath collection")
    parser.add_argument("--topics", type=Path, required=True, help="ARQMath topics (Task 1)")
    parser.add_argument("--documents", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--systems", default="porism,bm25s,tantivy,lucene")
    parser.add_argument("--folder", type=Path, help="where indexes are made, and kept (a temporary folder by default)")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    options = parser.parse_args()
    names = [name for name in options.systems.split(",") if name != "lucene" or "ANSERINI_JAR" in os.environ]
    if len(names) < len(options.systems.split(",")):
        print("Lucene is left out: ANSERINI_JAR is not set.", file=sys.stderr)

    with tempfile.TemporaryDirectory() as temporary:
        base = options.folder or Path(temporary)
        base.mkdir(parents=True, exist_ok=True)
        corpus = bootstrap(read_posts(options.collection), options.documents)
        np.save(base / "tokens.npy", corpus.tokens)
        np.save(base / "starts.npy", corpus.starts)
        (base / "vocabulary.json").write_text(json.dumps(corpus.vocabulary))
        long, short = read_queries(options.topics)
        known = set(corpus.vocabulary)
        queries = {
            kind: [[term for term in query if term in known] for query in some]
            for kind, some in {"long": long, "short": short}.items()
        }
        print(
            f"{len(corpus):,} documents, {len(corpus.tokens) / len(corpus):.0f} tokens each, "
            f"{len(np.unique(corpus.tokens)):,} distinct terms; {len(long)} queries: long "
            f"{np.mean([len(set(query)) for query in queries['long']]):.0f} distinct terms, short "
            f"{np.mean([len(set(query)) for query in queries['short']]):.0f}"
        )
        folders = {name: base / name for name in names}
        built: dict[str, dict[str, float]] = {}
        context = multiprocessing.get_context("spawn")
        for name in names:
            folders[name].mkdir()
            ours, theirs = context.Pipe()
            process = context.Process(target=build, args=(name, base, folders[name], theirs))
            process.start()
            built[name] = ours.recv()
            process.join()
        results = measure(names, folders, queries, options.rounds)
        reference = Exact(corpus)
        report(names, built, results, reference, queries, options.json)


def report(
    names: Sequence[str], built: dict[str, dict[str, float]], results: dict[str, dict[str, Any]], reference: Exact,
    queries: dict[str, list[list[str]]], json_path: Path | None,
) -> None:
    """Prints one line a system and, for each kind of query, its times relative to the first system's."""
    figures: dict[str, dict[str, Any]] = {
        name: {
            "build_seconds": built[name]["seconds"], "disk_mb": built[name]["disk"],
            "build_memory_mb": built[name]["memory"], "open_seconds": results[name]["open"],
            "search_memory_mb": results[name]["memory"],
        }
        for name in names
    }
    for kind, k in KINDS.items():
        exact = [reference.scores(query) for query in queries[kind]]
        for name in names:
            milliseconds = 1000 * results[name][kind]["seconds"]
            alike, identical = agreement(exact, results[name][kind]["found"], k)
            figures[name][kind] = {
                "median_ms": float(np.median(milliseconds)), "p95_ms": float(np.quantile(milliseconds, 0.95)),
                "exact": alike, "identical": identical, "queries": len(exact),
            }
    first = names[0]
    print(f"{'':9}{'build s':>9}{'MB disk':>9}{'MB build':>10}{'open s':>8}{'MB search':>11}", end="")
    for kind, k in KINDS.items():
        print(f"   {kind + f' k={k}: median':>22}{'p95 ms':>8}{'ratio':>8}{'exact':>7}", end="")
    print()
    for name in names:
        line = figures[name]
        print(
            f"{name:9}{line['build_seconds']:9.1f}{line['disk_mb']:9.1f}{line['build_memory_mb']:10.0f}"
            f"{line['open_seconds']:8.2f}{line['search_memory_mb']:11.0f}", end="",
        )
        for kind in KINDS:
            of = line[kind]
            ratio = of["median_ms"] / figures[first][kind]["median_ms"]
            print(f"   {of['median_ms']:22.3f}{of['p95_ms']:8.2f}{ratio:8.1f}{of['exact']:7d}", end="")
        print()
    for kind in KINDS:
        same = ", ".join(f"{name} {figures[name][kind]['identical']}" for name in names)
        print(f"{kind} queries of {len(queries[kind])} whose ranking is float64's, ties included: {same}")
    if json_path:
        json_path.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
