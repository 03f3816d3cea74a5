"""A collection of any size on one machine: indexing, searching, merging and updating, with memory and disk.

::

    python -m benchmarks speed big --data ../shared/data --documents 100000

Makes the collection (:mod:`grown`), indexes it with ``porism index``, which ends by merging, searches, changes 1 % of
the documents and runs ``porism update``, merges by ``porism merge``, and searches again. Each step is a process of its
own, whose memory is the highest sum of the resident sets of it and its children, and the same without pages of files
(``own``). The questions are the topics of ARQMath 2021, after those of 2020 as warm-up: each is new to the process. The
first search is ``porism search`` in a new process, from its start to its end.

Figures are written as each step ends. ``--keep`` keeps collection and index. After an interruption the same call goes
on with the step that did not end; of an index that was begun before, the figures say that it was continued.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import RESULTS, WORK
from benchmarks.common.bench import ONE_THREAD
from benchmarks.common.formula_task import read_formula_topics
from benchmarks.common.processes import disk_use, run_watched
from benchmarks.contenders.base import peak_mb
from benchmarks.speed.grown import FORMULAS, Grown, read_base, write
from benchmarks.speed.start import QUESTION, porism_command
from porism.sample import ENTRIES

COUNT = 50
"""Topics of a year that are searched, at most."""


def questions(data: Path, year: str) -> dict[str, list[Any]]:
    """The topics of a year: their titles, whole texts, and the formulas of Task 2."""
    import porism

    topics = list(porism.read_topics(data / "arqmath-topics" / year / f"Topics_Task1_{year}.xml"))[:COUNT]
    return {
        "titles": [topic.fields["title"] for topic in topics if topic.fields.get("title")],
        "topics": topics,
        "formulas": [entry.fields["formula"][0][1] for entry in read_formula_topics(data, year)][:COUNT],
    }


def answer(index: Path, data: Path, output: Path) -> None:
    """In a process of its own: milliseconds of each kind of search for the topics of 2021, by the clock and of
    processor time, which other work on the machine disturbs less."""
    import porism

    asked = {year: questions(data, year) for year in ("2020", "2021")}
    start = time.perf_counter()
    opened = porism.open_index(index)
    figures: dict[str, Any] = {"open": {"s": time.perf_counter() - start}}
    words, plain = opened.with_models("words"), opened.with_models("plain")
    kinds: dict[str, tuple[str, Callable[[Any], object]]] = {
        "default question, 10 results": ("titles", opened.search),
        "default, whole topic, 1,000 results": ("topics", lambda topic: opened.run([topic], 1000)),
        "plain, whole topic, 1,000 results": ("topics", lambda topic: plain.run([topic], 1000)),
        "words, whole topic, 1,000 results": ("topics", lambda topic: words.run([topic], 1000)),
        "formula, 10 results": ("formulas", lambda latex: opened.search_formulas(latex, 10)),
    }
    for name, (kind, ask) in kinds.items():
        for one in asked["2020"][kind]:
            ask(one)
        taken = []
        for one in asked["2021"][kind]:
            start, processor = time.perf_counter(), time.process_time()
            ask(one)
            taken.append((time.perf_counter() - start, time.process_time() - processor))
        (median, median_processor), (high, high_processor) = 1000 * np.percentile(taken, (50, 95), axis=0)
        figures[name] = {
            "median ms": median, "p95 ms": high, "median processor ms": median_processor,
            "p95 processor ms": high_processor,
        }
    status = Path("/proc/self/status").read_text()
    held = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("RssAnon"))
    figures["memory"] = {"peak MB": peak_mb(), "held MB": held / 1024}
    output.write_text(json.dumps(figures), encoding="utf-8")


class Steps:
    """Runs steps, and keeps and writes their figures."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.work: Path = options.work / str(options.documents)
        self.work.mkdir(parents=True, exist_ok=True)
        self.collection, self.index = self.work / "documents", self.work / "index"
        self._kept = self.work / "figures.json"
        self.figures: dict[str, Any] = {"documents": options.documents}
        if self._kept.exists():
            self.figures = json.loads(self._kept.read_text(encoding="utf-8"))

    def step(self, name: str, arguments: list[str], **environment: str) -> None:
        """A process: seconds of wall and processor time, and memory; nothing if it ended in an earlier call.

        :raises SystemExit: it fails; the log's last words are shown.
        """
        if name in self.figures:
            return
        log = self.work / "log"
        log.unlink(missing_ok=True)
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        status, peak = run_watched(arguments, log, environment=environment, limit=self.options.limit)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        if status != 0:
            raise SystemExit(f"{name}: {status}\n{log.read_text(errors='replace')[-2000:]}")
        processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        self.keep(name, {"s": wall, "processor s": processor, "peak MB": peak.resident, "own MB": peak.own})

    def keep(self, name: str, found: Any) -> None:
        """Writes and prints a figure."""
        self.figures[name] = found
        self.options.results.mkdir(parents=True, exist_ok=True)
        path = self.options.results / f"big-{self.options.documents}.json"
        for one in (path, self._kept):
            one.write_text(json.dumps(self.figures, indent=2) + "\n", encoding="utf-8")
        print(f"{name}: {_shown(found)}", flush=True)

    def make(self, base: Any, revision: int) -> None:
        name = f"collection, revision {revision}"
        if name in self.figures:
            return
        start = time.perf_counter()
        grown = Grown(base, self.options.seed, revision=revision)
        write(iter(grown), self.options.documents, self.collection)
        self.keep(name, {
            "s": time.perf_counter() - start, "MB": disk_use(self.collection)[0],
            "formulas": grown.formulas.occurrences, "peak MB": peak_mb(),
        })

    def sizes(self, name: str) -> None:
        """Bytes on disk, and what the index says of itself."""
        from porism.index import Snapshot

        if name in self.figures:
            return
        with Snapshot.open(self.index) as snapshot:
            segments = [segment.doc_count for segment in snapshot.segments]
            formulas = sum(segment.formula_count for segment in snapshot.segments)
            occurrences = sum(len(segment.occurrences.formula) for segment in snapshot.segments)
        megabytes = disk_use(self.index)[0]
        derived = sum(disk_use(folder)[0] for folder in self.index.rglob("derived"))
        self.keep(name, {
            "MB": megabytes, "MB derived": derived, "bytes/document": megabytes * 2**20 / self.options.documents,
            "formulas by segment": formulas, "occurrences": occurrences, "segments": segments,
        })

    def search(self, name: str) -> None:
        """First search in a new process, and latencies."""
        output = self.work / "answers.json"
        first = [*porism_command(), "search", QUESTION, "--index", str(self.index)]
        for number in (1, 2):
            self.step(f"{name}: first search, process {number}", first)
        if f"{name}: all searches" in self.figures:
            return
        self.step(f"{name}: all searches", [
            sys.executable, "-m", "benchmarks.speed.big", "--answer", str(self.index), "--data", str(self.options.data),
            "--output", str(output),
        ], **ONE_THREAD)
        for kind, found in json.loads(output.read_text(encoding="utf-8")).items():
            self.keep(f"{name}: {kind}", found)

    def run(self) -> None:
        options, porism = self.options, porism_command()
        jobs, quiet = ["--jobs", str(options.jobs)], ["--index", str(self.index), "--quiet"]
        base = read_base(options.data / "arqmath-mini", options.formulas)
        if not self.collection.is_dir():
            self.make(base, 0)
        if "index" not in self.figures:
            if self.index.is_dir():
                self.keep("continued", True)
            warm = self.work / "warm"  # kernels are compiled on first use
            self.step("compiling, and the sample", [*porism, "index", str(ENTRIES), "--index", str(warm), "--quiet"])
            shutil.rmtree(warm, ignore_errors=True)
            self.step("index", [*porism, "index", str(self.collection), *quiet, *jobs])
        self.sizes("size")
        self.search("as indexed")
        if options.update:
            self.make(base, 1)
            self.step("update of 1 %", [*porism, "update", *quiet, *jobs])
            self.step("update of nothing", [*porism, "update", *quiet, *jobs])
        if options.merge:
            self.step("merge", [*porism, "merge", "--index", str(self.index)])
            self.sizes("size, merged")
            self.search("merged")
        if not options.keep:
            shutil.rmtree(self.work)


def _shown(found: Any) -> str:
    if isinstance(found, dict):
        return ", ".join(f"{_shown(value)} {name}" for name, value in found.items())
    if isinstance(found, float):
        return f"{found:,.0f}" if found >= 100 else f"{found:.2f}"
    return f"{found:,}" if isinstance(found, int) else str(found)


def main() -> int:
    """Parses arguments and runs all steps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with arqmath-mini and arqmath-topics")
    parser.add_argument("--documents", type=int, default=1_400_000)
    parser.add_argument("--formulas", type=float, default=FORMULAS, help="of a document, in the mean (default: 20)")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="analysing processes (all cores)")
    parser.add_argument("--limit", type=float, default=6 * 3600.0, help="seconds of a step (default: 6 hours)")
    parser.add_argument("--no-update", dest="update", action="store_false")
    parser.add_argument("--no-merge", dest="merge", action="store_false")
    parser.add_argument("--keep", action="store_true", help="keep collection and index")
    parser.add_argument("--work", type=Path, default=WORK / "big")
    parser.add_argument("--results", type=Path, default=RESULTS)
    parser.add_argument("--answer", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--output", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.answer:
        answer(options.answer, options.data, options.output)
        return 0
    try:
        Steps(options).run()
    except subprocess.SubprocessError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
