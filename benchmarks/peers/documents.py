"""Porism beside bm25s, Lucene and Approach Zero on a small collection of ARQMath, Task 1, in one run.

::

    python -m benchmarks peers documents --data ../shared/data

Prints how good the rankings are, what an index costs and how long a query takes, with ratios to Porism, and writes the
same as JSON. What is missing is left out, with the command that installs it. README.md says what is measured, and how.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from benchmarks.common.bench import (
    Bench,
    Task,
    costs,
    effectiveness,
    is_terms,
    options_parser,
    parse_options,
    print_table,
)
from benchmarks.common.task import judgments, prepare
from benchmarks.contenders.registry import DOCUMENTS

TASK = Task("Task 1", prepare, judgments, ("nDCG'", "MAP'", "P'@10", "bpref"), np.min)


def main() -> int:
    """Parses arguments, runs everything, prints tables and writes JSON."""
    parser = options_parser(__doc__, list(DOCUMENTS), "peers")
    parser.add_argument("--anserini-jar", help="Anserini's jar (default: ANSERINI_JAR, or fetched with pip)")
    options, names = parse_options(parser, list(DOCUMENTS))
    start = time.monotonic()
    bench = Bench(TASK, options)
    bench.run(names)
    kinds = {
        "Whole systems": {name: known for name, known in bench.figures.items() if not is_terms(name)},
        "Engines on the same terms, known before the clock starts": {
            name: known for name, known in bench.figures.items() if is_terms(name)
        },
    }
    for heading, figures in kinds.items():
        if figures:
            print(f"\n{heading}, {TASK.name}, k = {options.k:,}, one thread; ratios to the first line\n")
            print_table(effectiveness(figures, TASK.measures))
            print()
            print_table(costs(figures, next(iter(figures))))
    status = bench.finish(options.results / "peers.json")
    print(f"\n{time.monotonic() - start:.0f} s in all; written to {options.results / 'peers.json'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
