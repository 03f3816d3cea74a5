"""Porism's formula search beside Approach Zero and bm25s on a small collection of ARQMath, Task 2, in one run.

::

    python -m benchmarks peers formulas --data ../shared/data --pya0-python .venv-pya0/bin/python

A document is a distinct formula, named by its visual id; a topic is one formula. Prints how good the rankings are, what
an index costs and how long a query takes, with ratios to Porism, and writes the same as JSON. Models come in by their
names: ``--contenders formulas-porism,formulas-porism:NAME,…``.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from benchmarks.common.bench import Bench, Task, costs, effectiveness, options_parser, parse_options, print_table
from benchmarks.common.formula_task import formula_judgments, prepare_formulas
from benchmarks.contenders.registry import FORMULAS

TASK = Task("Task 2", prepare_formulas, formula_judgments, ("nDCG'", "MAP'", "bpref"), np.median)


def main() -> int:
    """Parses arguments, runs everything, prints tables and writes JSON."""
    options, names = parse_options(options_parser(__doc__, list(FORMULAS), "formula-peers"), list(FORMULAS))
    start = time.monotonic()
    bench = Bench(TASK, options)
    bench.run(names)
    if bench.figures:
        print(f"\n{TASK.name}, k = {options.k:,}, one thread; ratios to the first line\n")
        print_table(effectiveness(bench.figures, TASK.measures))
        print()
        print_table(costs(bench.figures, next(iter(bench.figures))))
    output = options.results / "formula-peers.json"
    status = bench.finish(output)
    print(f"\n{time.monotonic() - start:.0f} s in all; written to {output}")
    return status


if __name__ == "__main__":
    sys.exit(main())
