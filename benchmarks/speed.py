"""What a user waits for: starting, the first search, indexing; and how fast formulas are parsed.

::

    python benchmarks/speed.py --data ../shared/data

Everything is measured as a user meets it: whole new processes, from their start to their end (formula parsing: the loop
alone, in a new process each time). Prints the median, the fastest and the slowest of several runs and writes them as
JSON. The files read are in the system's cache, as after a first use.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median

from processes import disk_use

HERE = Path(__file__).parent
QUESTION = r"why does $\sum_{n=1}^\infty 1/n^2$ converge to $\pi^2/6$?"

PARSE = """
import json, sys, time
from porism import parse_latex
formulas = json.load(open(sys.argv[1]))
start = time.perf_counter()
for formula in formulas:
    parse_latex(formula)
print(len(formulas) / (time.perf_counter() - start))
"""

IMPORT = "import time; start = time.perf_counter(); import porism; print(time.perf_counter() - start)"


def wall(command: Sequence[str]) -> float:
    """Seconds of wall time of a process.

    :raises SystemExit: it fails; its last words are shown.
    """
    start = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if ended.returncode:
        raise SystemExit(f"{' '.join(command)}\n{ended.stderr.strip()[-2000:]}")
    return seconds


def printed(command: Sequence[str]) -> float:
    """The number that a process prints.

    :raises SystemExit: it fails; its last words are shown.
    """
    ended = subprocess.run(command, capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(ended.stderr.strip()[-2000:])
    return float(ended.stdout)


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
        self.figures: dict[str, dict[str, float | int | str]] = {}
        print(f"{'':62}{'median':>10}{'min':>10}{'max':>10}  runs")

    def add(self, name: str, unit: str, runs: int, once: Callable[[], float]) -> None:
        """Measures so many times."""
        values = [once() for _ in range(runs)]
        shown = [f"{value:,.0f}" if value >= 1000 else f"{value:.3f}" if value < 10 else f"{value:.1f}"
                 for value in (median(values), min(values), max(values))]
        print(f"{name + ', ' + unit:62}" + "".join(f"{value:>10}" for value in shown) + f"  {runs:4}", flush=True)
        self.figures[name] = {
            "unit": unit, "median": median(values), "min": min(values), "max": max(values), "runs": runs
        }


def main() -> None:
    """Parses arguments, measures, prints and writes JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with arqmath-mini")
    parser.add_argument("--runs", type=int, default=7, help="of the short figures (default: 7)")
    parser.add_argument("--long-runs", type=int, default=3, help="of indexing and parsing (default: 3)")
    parser.add_argument("--jobs", type=int, default=2, help="analysing processes (default: 2)")
    parser.add_argument("--work", type=Path, default=HERE / "work" / "speed", help="where the index is made")
    parser.add_argument("--results", type=Path, default=HERE / "results", help="where speed.json is written")
    options = parser.parse_args()
    collection: Path = options.data / "arqmath-mini"
    if not collection.is_dir():
        parser.error(f"there is no folder {collection}")
    options.work.mkdir(parents=True, exist_ok=True)
    index: Path = options.work / "index"
    porism, python = porism_command(), sys.executable

    def make_index() -> float:
        shutil.rmtree(index, ignore_errors=True)
        return wall([*porism, "index", str(collection), "--index", str(index), "--jobs", str(options.jobs), "--quiet"])

    search = [*porism, "search", QUESTION, "--index", str(index)]
    formulas = options.work / "formulas.json"
    table = Table()
    table.add("python -c pass", "s", options.runs, lambda: wall([python, "-c", "pass"]))
    table.add("import porism, whole process", "s", options.runs, lambda: wall([python, "-c", "import porism"]))
    table.add("import porism, the import alone", "s", options.runs, lambda: printed([python, "-c", IMPORT]))
    table.add("porism --help", "s", options.runs, lambda: wall([*porism, "--help"]))
    formulas.write_text(json.dumps(distinct_formulas(collection)))
    table.add("parse_latex, distinct formulas of arqmath-mini, one core", "formulas/s", options.long_runs,
              lambda: printed([python, "-c", PARSE, str(formulas)]))
    table.add(f"porism index arqmath-mini --jobs {options.jobs}", "s", options.long_runs, make_index)
    table.add("index on disk", "MB", 1, lambda: disk_use(index)[0])
    table.add("porism search, first in a new process", "s", options.runs, lambda: wall(search))
    options.results.mkdir(parents=True, exist_ok=True)
    output = options.results / "speed.json"
    output.write_text(json.dumps(table.figures, indent=2) + "\n")
    print(f"written to {output}")
    shutil.rmtree(options.work, ignore_errors=True)


if __name__ == "__main__":
    main()
