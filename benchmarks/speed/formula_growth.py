"""How formula search grows with the number of distinct formulas: time to index, size, memory, latency.

::

    python -m benchmarks speed formula_growth --data ../shared/data

The formulas are the real ones of the collection and, beyond these, variants of them (:mod:`formula_variants`); each
larger collection holds the smaller ones. The queries are the formulas that the topics of ARQMath Task 2 ask for. Each
size is indexed and searched in processes of its own. Writes JSON, and a plot with logarithmic axes.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common.bench import Bench, Task, options_parser, parse_options, print_table, versions
from benchmarks.common.formula_task import FIELD, read_distinct, read_formula_topics
from benchmarks.common.task import YEARS, Entry, write_entries
from benchmarks.contenders.registry import FORMULAS
from benchmarks.speed.formula_plot import plot
from benchmarks.speed.formula_variants import variants

SIZES = "10000,30000,100000,300000,1000000"
COLUMNS = {
    "formulas": "formulas", "index_seconds": "index s", "index_mb": "index MB", "index_memory_mb": "index peak MB",
    "first_answer_seconds": "first answer s", "search_memory_mb": "search peak MB", "median_ms": "median ms",
    "p95_ms": "p95 ms", "mean_ms": "mean ms",
}


def make_formulas(data: Path, count: int, path: Path, seed: int) -> None:
    """Writes so many distinct formulas, one JSON string a line."""
    real = [entry.fields[FIELD][0][1] for entry in read_distinct(data / "arqmath-mini")]
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(latex) + "\n" for latex in islice(variants(real, seed), count))


def prepare(source: Path, size: int, data: Path, folder: Path) -> dict[str, int]:
    """Writes the task's files: the first ``size`` formulas as documents, and the formulas of all topics."""
    with source.open(encoding="utf-8") as file:
        documents = (
            Entry(f"{number:07d}", {FIELD: [("math", json.loads(line))]})
            for number, line in enumerate(islice(file, size))
        )
        counts = {"formulas": write_entries(folder / "documents.jsonl", documents)}
    for year in YEARS:
        topics = read_formula_topics(data, year)
        counts[f"topics of {year}"] = write_entries(folder / f"topics-{year}.jsonl", topics)
    return counts


def measure(size: int, source: Path, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """The figures of one size; raises SystemExit where the contender could not."""
    task = Task(f"{size:,}", partial(prepare, source, size), None, (), np.median)
    work = options.work / str(size)
    bench = Bench(task, argparse.Namespace(**{**vars(options), "work": work}))
    bench.run([name])
    if name not in bench.figures:
        raise SystemExit(f"{size:,} formulas: {bench.out[name]}")
    if not options.keep:
        bench.remove()
    return {"formulas": size, **bench.figures[name]}


def table(rows: Sequence[dict[str, Any]]) -> list[list[str]]:
    """One line a size."""
    def shown(value: float | None) -> str:
        return "-" if value is None else f"{value:,.2f}" if value < 10 else f"{value:,.0f}"

    return [list(COLUMNS.values()), *([shown(row.get(key)) for key in COLUMNS] for row in rows)]


def main() -> int:
    """Parses arguments, measures every size, prints a table, writes JSON and the plot."""
    parser = options_parser(__doc__, ["formulas-porism"], "formula-growth")
    parser.add_argument("--sizes", default=SIZES, help="distinct formulas (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=7, help="of the variants (default: 7)")
    parser.add_argument("--plot", type=Path, help="the SVG file (default: formula-growth.svg beside the JSON)")
    parser.set_defaults(rounds=3, limit=7200.0)
    options, names = parse_options(parser, list(FORMULAS))
    sizes = sorted(map(int, options.sizes.split(",")))
    if len(names) > 1:
        parser.error("one contender, please")
    options.work.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    source = options.work / "formulas.jsonl"
    make_formulas(options.data, sizes[-1], source, options.seed)
    print(f"{sizes[-1]:,} distinct formulas in {time.monotonic() - start:.0f} s", flush=True)
    rows: list[dict[str, Any]] = []
    options.results.mkdir(parents=True, exist_ok=True)
    output = options.results / "formula-growth.json"
    picture = options.plot or output.with_suffix(".svg")
    for size in sizes:
        rows.append(measure(size, source, names[0], options))
        # What is measured stays, whatever becomes of the next size.
        output.write_text(json.dumps({"versions": versions(), "k": options.k, "sizes": rows}, indent=2) + "\n")
    print()
    print_table(table(rows))
    plot(rows, picture)
    if not options.keep:
        source.unlink()
    print(f"\n{time.monotonic() - start:.0f} s in all; written to {output} and {picture}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
