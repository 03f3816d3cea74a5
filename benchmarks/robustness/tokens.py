"""Tokens of real formulas that are neither in the layout tree nor in a problem: the aim is 0.

::

    python -m benchmarks robustness tokens --data ../shared/data [--sources hott,openlogic] [--show 10]

The formulas are all distinct ones of the collections of :mod:`benchmarks.common.real_formulas`;
:func:`porism.formula.unaccounted_tokens` says what is missing.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

from benchmarks.common.real_formulas import COLLECTIONS, distinct_formulas
from porism.formula import parse_latex, unaccounted_tokens


def main() -> int:
    """Parses arguments, and prints a line for each collection."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the collections")
    arguments.add_argument("--sources", default=",".join(COLLECTIONS), help="names of collections, by commas")
    arguments.add_argument("--show", type=int, default=5, help="print so many of the missing tokens of each")
    options = arguments.parse_args()
    print(f"{'':22}{'formulas':>9}{'with problems':>15}{'incomplete':>12}{'missing tokens':>16}")
    for name in options.sources.split(","):
        formulas = distinct_formulas(options.data, name)
        missing: Counter[str] = Counter()
        examples: dict[str, str] = {}
        incomplete = problems = 0
        for formula in formulas:
            tree = parse_latex(formula)
            found = unaccounted_tokens(tree)
            problems += bool(tree.problems)
            incomplete += bool(found)
            for token in found:
                missing[token.text] += 1
                examples[token.text] = min(examples.get(token.text, formula), formula, key=len)
        print(f"{name:22}{len(formulas):9,}{problems:15,}{incomplete:12,}{missing.total():16,}", flush=True)
        for text, count in missing.most_common(options.show):
            print(f"    {count:6,} x {text!r}, as in {examples[text]!r}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
