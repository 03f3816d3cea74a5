"""Porism beside bm25s, Lucene and Approach Zero on a small collection of ARQMath, Task 1, in one run.

::

    python benchmarks/peers.py --data ../shared/data

Prints how good the rankings are, what an index costs and how long a query takes, with ratios to Porism, and writes the
same as JSON. What is missing is left out, with the command that installs it. README.md says what is measured, and how.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import time
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
from anserini import Unavailable, find_jar
from contenders import CONTENDERS, write_terms
from processes import disk_use, run_watched
from task import YEARS, judgments, prepare, read_entries

HERE = Path(__file__).parent
MEASURES = ("nDCG'", "MAP'", "P'@10", "bpref")
ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENOUGH_SECONDS = 40.0
"""A contender whose timing took longer than this is not timed again."""

Figures = dict[str, Any]


def is_terms(name: str) -> bool:
    """Whether it is one of the contenders that are given terms."""
    return name.endswith("-terms")


class Bench:
    """Runs contenders and keeps what is known of each."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.work: Path = options.work.resolve()
        self.task = self.work / "task"
        self.settings = {"data": str(options.data.resolve())}
        if options.jobs:
            self.settings["jobs"] = str(options.jobs)
        self.figures: dict[str, Figures] = {}
        self.out: dict[str, str] = {}

    def prepare(self, names: Sequence[str]) -> list[str]:
        """Reads the collection; which contenders can take part."""
        shutil.rmtree(self.work / "indexes", ignore_errors=True)
        self.task.mkdir(parents=True, exist_ok=True)
        counts = prepare(self.options.data, self.task)
        print("Task 1:", ", ".join(f"{count:,} {name}" for name, count in counts.items()), flush=True)
        able = list(names)
        if any(name.startswith("lucene") for name in names):
            try:
                self.settings["jar"] = str(find_jar(self.work, self.options.anserini_jar))
            except Unavailable as reason:
                able = [name for name in able if not name.startswith("lucene")]
                self.out.update({name: str(reason) for name in names if name.startswith("lucene")})
        if any(map(is_terms, able)):
            try:
                write_terms(self.task)
            except Exception as error:  # the other contenders do not need them
                traceback.print_exc()
                self.out.update({name: f"terms: {type(error).__name__}: {error}" for name in able if is_terms(name)})
                able = [name for name in able if not is_terms(name)]
        return able

    def call(self, name: str, phase: str) -> Figures | None:
        """One phase of one contender; None, and it is out, where it cannot or fails."""
        folder = self.work / "indexes" / name
        folder.mkdir(parents=True, exist_ok=True)
        orders, output, log = folder / "orders.json", folder / "output.json", folder / f"{phase}.log"
        output.unlink(missing_ok=True)
        orders.write_text(json.dumps({
            "contender": name, "phase": phase, "task": str(self.task), "folder": str(folder), "output": str(output),
            "settings": self.settings, "k": self.options.k,
        }))
        python = self.options.pya0_python if name == "approach0" else sys.executable
        print(f"  {phase:7}{name}", flush=True)
        status, memory = run_watched(
            [python, str(HERE / "worker.py"), str(orders)], log, environment=None if phase == "build" else ONE_THREAD
        )
        if not output.exists():
            ended = "no end within the time limit" if status is None else f"ended with status {status}"
            self.out[name] = f"{phase}: {ended}; see {log}"
            return None
        result: Figures = json.loads(output.read_text())
        if "skipped" in result:
            self.out[name] = f"{result['skipped']}: {CONTENDERS[name].install}"
            return None
        if "failed" in result:
            self.out[name] = f"{phase}: {result['failed']}; see {log}"
            return None
        return {**result, "watched_memory": memory}

    def build(self, name: str) -> None:
        """Indexes."""
        result = self.call(name, "build")
        if result is not None:
            size, files = disk_use(self.work / "indexes" / name / "index")
            memory = result["watched_memory"] or result["own_memory"]
            self.figures[name] = {"index_seconds": result["seconds"], "index_mb": size, "index_files": files,
                                  "index_memory_mb": memory, "seconds": []}

    def answer(self, name: str, qrels: dict[str, Any]) -> None:
        """Answers all topics, and scores the answers."""
        from porism import Run
        from porism.evaluate import evaluate_run

        result = self.call(name, "answer")
        if result is None:
            return
        figures = self.figures[name]
        figures["first_answer_seconds"], figures["search_memory_mb"] = result["first"], result["memory"]
        for year in YEARS:
            run = Run({topic: [(doc, score) for doc, score in found] for topic, found in result["runs"][year].items()})
            evaluation = evaluate_run(run, qrels[year], MEASURES)
            figures[year] = {measure: evaluation[measure] for measure in MEASURES}

    def time(self, name: str) -> None:
        """Times the topics of 2021."""
        start = time.monotonic()
        result = self.call(name, "time")
        if result is not None:
            self.figures[name]["seconds"].append(result["seconds"])
            self.figures[name]["enough"] = time.monotonic() - start > ENOUGH_SECONDS

    def run(self, names: Sequence[str]) -> None:
        """Everything: builds, answers, then timings in turns."""
        able = self.prepare(names)
        ids = {entry.id for entry in read_entries(self.task / "documents.jsonl")}
        qrels = {year: judgments(self.options.data, year, ids) for year in YEARS}
        for name in able:
            self.build(name)
        for name in [name for name in able if name not in self.out]:
            self.answer(name, qrels)
        for _ in range(self.options.rounds):
            for name in [name for name in able if name not in self.out]:
                if not self.figures[name].get("enough"):
                    self.time(name)
        for name, figures in self.figures.items():
            rounds = figures.pop("seconds")
            figures.pop("enough", None)
            if rounds and name not in self.out:
                milliseconds = 1000 * np.min(np.array(rounds), axis=0)
                figures["rounds"] = len(rounds)
                figures["median_ms"] = float(np.median(milliseconds))
                figures["p95_ms"] = float(np.quantile(milliseconds, 0.95))
        self.figures = {name: figures for name, figures in self.figures.items() if name not in self.out}


def effectiveness(figures: dict[str, Figures]) -> list[list[str]]:
    """Rows of the table of measures."""
    rows = [["", *(f"{year} {measure}" for year in YEARS for measure in MEASURES)]]
    for name, known in figures.items():
        values = (known[year][measure] for year in YEARS for measure in MEASURES)
        rows.append([CONTENDERS[name].title, *(f"{value:.3f}" for value in values)])
    return rows


COSTS = {
    "index_seconds": "index s", "index_mb": "index MB", "index_memory_mb": "index peak MB",
    "first_answer_seconds": "first answer s", "search_memory_mb": "search peak MB", "median_ms": "median ms",
    "p95_ms": "p95 ms",
}


def costs(figures: dict[str, Figures], reference: str) -> list[list[str]]:
    """Rows of the table of costs, each figure with its ratio to the reference's."""
    rows = [["", *COSTS.values()]]
    for name, known in figures.items():
        row = [CONTENDERS[name].title]
        for key in COSTS:
            value, base = known.get(key), figures.get(reference, {}).get(key)
            shown = "-" if value is None else f"{value:,.2f}" if value < 10 else f"{value:,.0f}"
            row.append(f"{shown} ({value / base:.2g}x)" if value is not None and base and name != reference else shown)
        rows.append(row)
    return rows


def print_table(rows: Sequence[Sequence[str]]) -> None:
    """The first column to the left, the others to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  ".join(cells))


def versions() -> dict[str, str | int | None]:
    """What the figures depend on."""
    found: dict[str, str | int | None] = {
        "python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count()
    }
    for package in ("porism", "numpy", "numba", "bm25s"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def main() -> int:
    """Parses arguments, runs everything, prints tables and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with arqmath-mini and arqmath-topics")
    parser.add_argument("--contenders", default=",".join(CONTENDERS), help="a selection (default: %(default)s)")
    parser.add_argument("--pya0-python", default=sys.executable, help="a Python that has pya0 (default: this one)")
    parser.add_argument("--anserini-jar", help="Anserini's jar (default: ANSERINI_JAR, or fetched with pip)")
    parser.add_argument("--rounds", type=int, default=5, help="processes in which topics are timed (default: 5)")
    parser.add_argument("--jobs", type=int, help="analysing processes of Porism (default: all cores)")
    parser.add_argument("-k", type=int, default=1000, help="results a topic (default: 1000)")
    parser.add_argument("--work", type=Path, default=HERE / "work" / "peers", help="where indexes are made")
    parser.add_argument("--keep", action="store_true", help="keep the indexes and logs")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where peers.json is written")
    options = parser.parse_args()
    names = options.contenders.split(",")
    if unknown := [name for name in names if name not in CONTENDERS]:
        parser.error(f"no such contender: {', '.join(unknown)}")
    if not (options.data / "arqmath-mini").is_dir():
        parser.error(f"there is no folder {options.data / 'arqmath-mini'}")
    start = time.monotonic()
    bench = Bench(options)
    bench.run(names)
    kinds = {
        "Whole systems": {name: known for name, known in bench.figures.items() if not is_terms(name)},
        "Engines on the same terms, known before the clock starts": {
            name: known for name, known in bench.figures.items() if is_terms(name)
        },
    }
    for heading, figures in kinds.items():
        if figures:
            print(f"\n{heading}, Task 1, k = {options.k:,}, one thread; ratios to the first line\n")
            print_table(effectiveness(figures))
            print()
            print_table(costs(figures, next(iter(figures))))
    for name, reason in bench.out.items():
        print(f"\nleft out: {name}: {reason}")
    options.results.mkdir(parents=True, exist_ok=True)
    output = options.results / "peers.json"
    output.write_text(json.dumps(
        {"versions": versions(), "k": options.k, "contenders": bench.figures, "left_out": bench.out}, indent=2
    ) + "\n")
    print(f"\n{time.monotonic() - start:.0f} s in all; written to {output}")
    if not options.keep:
        for name in bench.figures:
            shutil.rmtree(bench.work / "indexes" / name, ignore_errors=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
