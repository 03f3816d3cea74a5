"""What the side-by-side benchmarks share: contenders run in processes of their own, and their figures in tables."""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import RESULTS, WORK
from benchmarks.common.anserini import Unavailable, find_jar
from benchmarks.common.processes import disk_use, run_watched
from benchmarks.common.task import YEARS, read_entries
from benchmarks.common.terms import write_terms
from benchmarks.contenders.registry import contender_class

ONE_THREAD = dict.fromkeys(("NUMBA_NUM_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
ENOUGH_SECONDS = 40.0
"""A contender whose timing took longer than this is not timed again."""

Figures = dict[str, Any]
Judgments = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Task:
    """A task that contenders are compared on.

    ``prepare(data, folder)`` writes documents and topics to the folder and counts them; ``judgments(data, year, ids)``
    are those of the documents with these ids, None where answers are not scored. ``over_rounds`` sums up the rounds in
    which a topic was timed.
    """

    name: str
    prepare: Callable[[Path, Path], dict[str, int]]
    judgments: Callable[[Path, str, set[str]], Judgments] | None
    measures: tuple[str, ...]
    over_rounds: Callable[..., Any]


def is_terms(name: str) -> bool:
    """Whether it is one of the contenders that are given terms."""
    return name.endswith("-terms")


class Bench:
    """Runs contenders and keeps what is known of each."""

    def __init__(self, task: Task, options: argparse.Namespace) -> None:
        self.compared, self.options = task, options
        self.work: Path = options.work.resolve()
        self.task = self.work / "task"
        self.settings = {"data": str(options.data.resolve())}
        if options.jobs:
            self.settings["jobs"] = str(options.jobs)
        self.figures: dict[str, Figures] = {}
        self.out: dict[str, str] = {}
        self.failures: list[str] = []
        """Contenders that failed, as opposed to those that are not installed."""

    def prepare(self, names: Sequence[str]) -> list[str]:
        """Reads the collection; which contenders can take part."""
        shutil.rmtree(self.work / "indexes", ignore_errors=True)
        self.task.mkdir(parents=True, exist_ok=True)
        counts = self.compared.prepare(self.options.data, self.task)
        print(f"{self.compared.name}:", ", ".join(f"{count:,} {name}" for name, count in counts.items()), flush=True)
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
                for name in filter(is_terms, able):
                    self.fail(name, f"terms: {type(error).__name__}: {error}")
                able = [name for name in able if not is_terms(name)]
        return able

    def folder(self, name: str) -> Path:
        """The contender's own folder."""
        return self.work / "indexes" / name.replace(":", "-")

    def call(self, name: str, phase: str) -> Figures | None:
        """One phase of one contender; None, and it is out, where it cannot or fails."""
        folder = self.folder(name)
        folder.mkdir(parents=True, exist_ok=True)
        orders, output, log = folder / "orders.json", folder / "output.json", folder / f"{phase}.log"
        output.unlink(missing_ok=True)
        orders.write_text(json.dumps({
            "contender": name, "phase": phase, "task": str(self.task), "folder": str(folder), "output": str(output),
            "settings": self.settings, "k": self.options.k,
        }))
        python = self.options.pya0_python if "approach0" in name else sys.executable
        print(f"  {phase:7}{name}", flush=True)
        status, memory = run_watched(
            [python, "-m", "benchmarks.common.worker", str(orders)], log,
            environment=None if phase == "build" else ONE_THREAD, limit=self.options.limit,
        )
        if not output.exists():
            ended = "no end within the time limit" if status is None else f"ended with status {status}"
            self.fail(name, f"{phase}: {ended}; see {log}")
            return None
        result: Figures = json.loads(output.read_text())
        if "skipped" in result:
            self.out[name] = f"{result['skipped']}: {contender_class(name).install}"
            return None
        if "failed" in result:
            self.fail(name, f"{phase}: {result['failed']}; see {log}")
            return None
        return {**result, "watched_memory": memory.resident}

    def fail(self, name: str, reason: str) -> None:
        """Leaves out a contender that failed."""
        self.out[name] = reason
        self.failures.append(name)

    def build(self, name: str) -> None:
        """Indexes, as often as ``--builds`` says unless it takes long; the median of the times counts."""
        times: list[float] = []
        while len(times) < self.options.builds and sum(times) < ENOUGH_SECONDS * max(1, len(times)):
            shutil.rmtree(self.folder(name) / "index", ignore_errors=True)
            result = self.call(name, "build")
            if result is None:
                return
            times.append(result["seconds"])
        size, files = disk_use(self.folder(name) / "index")
        memory = result["watched_memory"] or result["own_memory"]
        self.figures[name] = {"index_seconds": float(np.median(times)), "index_mb": size, "index_files": files,
                              "index_memory_mb": memory, "builds": len(times), "seconds": []}

    def answer(self, name: str, qrels: dict[str, Judgments]) -> None:
        """Answers all topics, and scores the answers of the years in ``qrels``; ``--runs`` keeps them."""
        from porism import Run
        from porism.lab.evaluate import evaluate_run

        result = self.call(name, "answer")
        if result is None:
            return
        figures = self.figures[name]
        figures["first_answer_seconds"], figures["search_memory_mb"] = result["first"], result["memory"]
        for year, judged in qrels.items():
            ranked = {topic: [(doc, score) for doc, score in found] for topic, found in result["runs"][year].items()}
            run = Run(ranked, name)
            evaluation = evaluate_run(run, judged, self.compared.measures)
            figures[year] = {measure: evaluation[measure] for measure in self.compared.measures}
            if self.options.runs:
                self.options.runs.mkdir(parents=True, exist_ok=True)
                run.write(self.options.runs / f"{name.replace(':', '-')}-{year}.run")

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
        qrels: dict[str, Judgments] = {}
        if self.compared.judgments:
            ids = {entry.id for entry in read_entries(self.task / "documents.jsonl")}
            qrels = {year: self.compared.judgments(self.options.data, year, ids) for year in YEARS}
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
                milliseconds = 1000 * self.compared.over_rounds(np.array(rounds), axis=0)
                figures["rounds"] = len(rounds)
                figures["median_ms"] = float(np.median(milliseconds))
                figures["p95_ms"] = float(np.quantile(milliseconds, 0.95))
                figures["mean_ms"] = float(np.mean(milliseconds))
        self.figures = {name: figures for name, figures in self.figures.items() if name not in self.out}

    def finish(self, output: Path) -> int:
        """Says who was left out, writes all figures as JSON, and removes the indexes unless told to keep them.

        The exit status: 1 where a contender failed.
        """
        for name, reason in self.out.items():
            print(f"\nleft out: {name}: {reason}")
        output.parent.mkdir(parents=True, exist_ok=True)
        figures = {"versions": versions(), "k": self.options.k, "contenders": self.figures, "left_out": self.out}
        output.write_text(json.dumps(figures, indent=2) + "\n")
        if not self.options.keep:
            self.remove()
        return int(bool(self.failures))

    def remove(self) -> None:
        """Removes the indexes and logs of those that took part; of those left out they tell why."""
        for name in self.figures:
            shutil.rmtree(self.folder(name), ignore_errors=True)


def title_of(name: str) -> str:
    """What a contender is called in tables."""
    variant = name.partition(":")[2]
    return f"{contender_class(name).title}, {variant}" if variant else contender_class(name).title


def effectiveness(figures: dict[str, Figures], measures: Sequence[str]) -> list[list[str]]:
    """Rows of the table of measures."""
    rows = [["", *(f"{year} {measure}" for year in YEARS for measure in measures)]]
    for name, known in figures.items():
        values = (known[year][measure] for year in YEARS for measure in measures)
        rows.append([title_of(name), *(f"{value:.3f}" for value in values)])
    return rows


COSTS = {
    "index_seconds": "index s", "index_mb": "index MB", "index_memory_mb": "index peak MB",
    "first_answer_seconds": "first answer s", "search_memory_mb": "search peak MB", "median_ms": "median ms",
    "p95_ms": "p95 ms", "mean_ms": "mean ms",
}


def costs(figures: dict[str, Figures], reference: str) -> list[list[str]]:
    """Rows of the table of costs, each figure with its ratio to the reference's."""
    rows = [["", *COSTS.values()]]
    for name, known in figures.items():
        row = [title_of(name)]
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


def options_parser(description: str | None, names: Sequence[str], name: str) -> argparse.ArgumentParser:
    """The options of a side-by-side benchmark called ``name`` of contenders ``names``."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    add = parser.add_argument
    add("--data", type=Path, required=True, help="folder with arqmath-mini and arqmath-topics")
    add("--contenders", default=",".join(names), help="a selection (default: %(default)s)")
    add("--pya0-python", default=sys.executable, help="a Python that has pya0 (default: this one)")
    add("--rounds", type=int, default=5, help="processes in which topics are timed (default: 5)")
    add("--builds", type=int, default=1, help="how often an index is built, if that is quick (default: 1)")
    add("--limit", type=float, default=3600.0, help="seconds after which a contender is ended (default: %(default)s)")
    add("--jobs", type=int, help="analysing processes of Porism (default: all cores)")
    add("-k", type=int, default=1000, help="results a topic (default: 1000)")
    add("--work", type=Path, default=WORK / name, help="where indexes are made")
    add("--keep", action="store_true", help="keep the indexes and logs")
    add("--runs", type=Path, help="keep the runs in this folder, in TREC format")
    add("--results", type=Path, default=RESULTS, help=f"where {name}.json is written")
    return parser


def parse_options(parser: argparse.ArgumentParser, known: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The options, and the contenders chosen. Told to end, the benchmark ends the process that it waits for, too."""
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    options = parser.parse_args()
    names: list[str] = options.contenders.split(",")
    if unknown := [name for name in names if name.partition(":")[0] not in known]:
        parser.error(f"no such contender: {', '.join(unknown)}")
    if not (options.data / "arqmath-mini").is_dir():
        parser.error(f"there is no folder {options.data / 'arqmath-mini'}")
    return options, names
