"""What a user waits for: starting, the first search, indexing; and how fast formulas are parsed.

::

    python -m benchmarks speed start --data ../shared/data

Everything is measured as a user meets it: wall time of whole new processes, from their start to their end, and beside
it their processor time, which other work on the machine disturbs less. Formula parsing is the loop alone, in a new
process each time, by processor time. Prints the median, the fastest and the slowest of several runs and writes them as
JSON. The files read are in the system's cache, as after a first use.
"""

from __future__ import annotations

import argparse
import json
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from benchmarks import RESULTS, WORK
from benchmarks.common.processes import disk_use

QUESTION = r"why does $\sum_{n=1}^\infty 1/n^2$ converge to $\pi^2/6$?"

PARSE = """
import json, sys, time
from porism import parse_latex
formulas = json.load(open(sys.argv[1]))
start = time.process_time()
for formula in formulas:
    parse_latex(formula)
print(len(formulas) / (time.process_time() - start))
"""

IMPORT = "import time; start = time.perf_counter(); import porism; print(time.perf_counter() - start)"


def run(command: Sequence[str]) -> tuple[float, float]:
    """Seconds of wall time of a process, and of processor time, its children included.

    :raises SystemExit: it fails; its last words are shown.
    """
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True)
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ended.stderr.strip()[-2000:]}")
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def printed(command: Sequence[str]) -> tuple[float, None]:
    """The number that a process prints.

    :raises SystemExit: it fails; its last words are shown.
    """
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(ended.stderr.strip()[-2000:])
    return float(ended.stdout), None


def porism_command() -> list[str]:
    """The installed command, or the same through this Python."""
    script = Path(sys.executable).parent / "porism"
    return [str(script)] if script.exists() else [sys.executable, "-m", "porism"]


def distinct_formulas(collection: Path) -> list[str]:
    """The different LaTeX sources of all posts and comments, in order of appearance."""
    import porism

    options = porism.ReaderOptions(unit="thread")
    return list(dict.fromkeys(
        formula.source
        for document in porism.open_source(collection, format="arqmath", options=options)
        for content in document.fields.values()
        for formula in content.formulas
    ))


class Table:
    """Figures as they come, printed at once."""

    def __init__(self) -> None:
        self.figures: dict[str, dict[str, float | int | str | None]] = {}
        print(f"{'':70}{'median':>9}{'min':>9}{'max':>9}{'CPU':>9}  runs")

    def add(self, name: str, unit: str, runs: int, once: Callable[[], tuple[float, float | None]]) -> None:
        """Measures so many times."""
        measured = [once() for _ in range(runs)]
        values = [value for value, _ in measured]
        processor = [seconds for _, seconds in measured if seconds is not None]
        found = {
            "median": median(values), "min": min(values), "max": max(values),
            "processor": median(processor) if processor else None,
        }
        shown = "".join(f"{_shown(value):>9}" for value in found.values())
        print(f"{name + ', ' + unit:70}{shown}  {runs:4}", flush=True)
        self.figures[name] = {"unit": unit, **found, "runs": runs}


def _shown(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3f}" if value < 10 else f"{value:.1f}"


def main() -> None:
    """Parses arguments, measures, prints and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with arqmath-mini")
    parser.add_argument("--runs", type=int, default=7, help="of the short figures (default: 7)")
    parser.add_argument("--long-runs", type=int, default=3, help="of indexing and parsing (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, help="analysing processes (default: 2)")
    parser.add_argument("--work", type=Path, default=WORK / "speed", help="where the index is made")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where speed.json is written")
    options = parser.parse_args()
    collection: Path = options.data / "arqmath-mini"
    if not collection.is_dir():
        parser.error(f"there is no folder {collection}")
    options.work.mkdir(parents=True, exist_ok=True)
    index: Path = options.work / "index"
    porism, python = porism_command(), sys.executable

    def make_index() -> tuple[float, float]:
        shutil.rmtree(index, ignore_errors=True)
        return run([*porism, "index", str(collection), "--index", str(index), "--jobs", str(options.jobs), "--quiet"])

    search = [*porism, "search", QUESTION, "--index", str(index)]
    formulas = options.work / "formulas.json"
    table = Table()
    table.add("python -c pass", "s", options.runs, lambda: run([python, "-c", "pass"]))
    table.add("import porism, whole process", "s", options.runs, lambda: run([python, "-c", "import porism"]))
    table.add("import porism, the import alone", "s", options.runs, lambda: printed([python, "-c", IMPORT]))
    table.add("porism --help", "s", options.runs, lambda: run([*porism, "--help"]))
    formulas.write_text(json.dumps(distinct_formulas(collection)))
    table.add("parse_latex, distinct formulas of arqmath-mini, one core", "formulas/s", options.long_runs,
              lambda: printed([python, "-c", PARSE, str(formulas)]))
    table.add(f"porism index arqmath-mini --jobs {options.jobs}", "s", options.long_runs, make_index)
    table.add("index on disk", "MB", 1, lambda: (disk_use(index)[0], None))
    table.add("porism search, first in a new process", "s", options.runs, lambda: run(search))
    options.results.mkdir(parents=True, exist_ok=True)
    output = options.results / "speed.json"
    output.write_text(json.dumps(table.figures, indent=2) + "\n")
    print(f"written to {output}")
    shutil.rmtree(options.work, ignore_errors=True)


if __name__ == "__main__":
    main()
