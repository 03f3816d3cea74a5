"""Whether a formula that is written in a plain notation and read again has the operator tree of its LaTeX.

::

    python -m benchmarks peers notations --data ../shared/data [--every 20] [--show 10]

Each distinct LaTeX formula of a collection is written as Unicode, AsciiMath and Typst. Formulas with matrices, cases or
several lines, and formulas with problems, are left out. ``--every 20`` takes each twentieth formula.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

from benchmarks.common.real_formulas import COLLECTIONS, distinct_formulas
from benchmarks.common.spelling_table import HEADER, Comparison, print_comparison, tree_of
from porism.formula import (
    LayoutTree,
    PlainNotation,
    parse_latex,
    parse_plain,
    preorder,
    to_asciimath,
    to_spoken,
    to_typst,
    to_unicode,
)

WRITERS: dict[PlainNotation, Callable[[LayoutTree], str]] = {
    "unicode": to_unicode, "asciimath": to_asciimath, "typst": to_typst, "spoken": to_spoken,
}


def main() -> int:
    """Parses arguments, and prints a line for each notation."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the collections")
    arguments.add_argument("--sources", default="arqmath-mini", help="collections, by commas")
    arguments.add_argument("--every", type=int, default=1, help="take only each so many formulas")
    arguments.add_argument("--show", type=int, default=0, help="print so many kinds of differences, and as many pairs")
    options = arguments.parse_args()
    print(HEADER)
    for name in options.sources.split(","):
        if name not in COLLECTIONS:
            arguments.error(f"{name} is not a valid collection: {', '.join(COLLECTIONS)}")
        comparisons = {notation: Comparison(f"{name} {notation}") for notation in WRITERS}
        for formula in distinct_formulas(options.data, name)[::options.every]:
            tree = parse_latex(formula)
            is_left_out = tree.problems or has_lines(tree)
            wanted = tree_of(tree)
            for notation, comparison in comparisons.items():
                if is_left_out:
                    comparison.left_out += 1
                    continue
                written = WRITERS[notation](tree)
                comparison.add(formula, written, wanted, tree_of(parse_plain(written, notation)))
        for comparison in comparisons.values():
            print_comparison(comparison, options.show)
    return 0


def has_lines(tree: LayoutTree) -> bool:
    """Whether a formula has a matrix, cases or several lines."""
    return any(node.kind == "M" for node in preorder(tree))


if __name__ == "__main__":
    sys.exit(main())
