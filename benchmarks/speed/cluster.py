"""Indexing by workers of a Dask cluster: how much faster two are than one, with results that are compared.

::

    python -m benchmarks speed cluster --data ../shared/data --workers 1,2 --rounds 3

The workers are processes on this machine. Each round indexes the collection anew with each number of workers, after a
small index has warmed them up. *Built* is from the start to the last segment: reading, parsing, analysis, writing.
*Whole* has the commit, too, with what it merges and derives, which one process does. With
fewer cores than workers, ratios say little.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import porism
from benchmarks import RESULTS
from porism.sample import ENTRIES
from porism.system.concurrency.clusters import connected

QUESTION = r"why does $\sum 1/n^2$ converge to $\pi^2/6$?"


def measure(source: Path, workers: int, folder: str) -> dict[str, Any]:
    """One round of so many workers."""
    with connected(f"local:{workers}") as cluster:
        assert cluster is not None
        address = cluster.client.scheduler.address
        porism.index_sources([ENTRIES], Path(folder) / "warm", cluster=address)
        index = Path(folder) / "index"
        built: list[float] = []
        start = time.perf_counter()
        report = porism.index_sources(
            [source], index, cluster=address, on_progress=lambda progress: built.append(time.perf_counter() - start)
        )
        whole = time.perf_counter() - start
    with porism.open_index(index) as opened:
        found = [(hit.id, hit.score) for hit in opened.search(QUESTION, 20)]
    return {"built": built[-1], "whole": whole, "documents": report.documents, "found": found}


def main() -> int:
    """Prints the medians and their ratios to the first number of workers."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with arqmath-mini")
    parser.add_argument("--source", type=Path, help="another collection than arqmath-mini")
    parser.add_argument("--workers", default="1,2", help="numbers of workers (default: 1,2)")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--results", type=Path, default=RESULTS)
    options = parser.parse_args()
    source = options.source or options.data / "arqmath-mini"
    counts = [int(count) for count in options.workers.split(",")]
    rounds: dict[int, list[dict[str, Any]]] = {count: [] for count in counts}
    for number in range(options.rounds):
        for count in counts if number % 2 == 0 else counts[::-1]:
            folder = tempfile.mkdtemp(prefix="porism-cluster-")
            try:
                rounds[count].append(measure(source, count, folder))
            finally:
                shutil.rmtree(folder)
    answers = {json.dumps(found["found"]) for of in rounds.values() for found in of}
    print(f"{rounds[counts[0]][0]['documents']:,} documents; answers of all rounds are equal: {len(answers) == 1}")
    table = {}
    for count, of in rounds.items():
        table[count] = {name: median(found[name] for found in of) for name in ("built", "whole")}
        ratios = ", ".join(f"{name} {table[counts[0]][name] / table[count][name]:.2f}×" for name in ("built", "whole"))
        print(f"{count} workers: built {table[count]['built']:.1f} s, whole {table[count]['whole']:.1f} s ({ratios})")
    options.results.mkdir(parents=True, exist_ok=True)
    (options.results / "cluster.json").write_text(json.dumps({"rounds": rounds, "medians": table}, indent=2) + "\n")
    return 0 if len(answers) == 1 else 1


if __name__ == "__main__":
    sys.exit(main())
