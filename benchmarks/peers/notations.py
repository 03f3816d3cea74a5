"""Whether a formula that is written in a plain notation and read again has the operator tree of its LaTeX.

::

    python -m benchmarks peers notations --data ../shared/data [--every 20] [--show 10]

Each distinct LaTeX formula of a collection is written in each plain notation. Formulas with matrices, cases or several
lines, and formulas with problems, are left out. ``--every 20`` takes each twentieth formula. The second table says as
which notation each one is detected, and the share that is read to the tree of the right notation: where it is another
one, nothing of the formula differs in both.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.common.real_formulas import COLLECTIONS, distinct_formulas
from benchmarks.common.spelling_table import HEADER, Comparison, print_comparison, tree_of
from porism.formula import (
    PLAIN_NOTATIONS,
    LayoutTree,
    PlainNotation,
    detect_notation,
    parse,
    parse_latex,
    parse_plain,
    preorder,
    to_asciimath,
    to_lean,
    to_spoken,
    to_typst,
    to_unicode,
)

WRITERS: dict[PlainNotation, Callable[[LayoutTree], str]] = {
    "unicode": to_unicode, "asciimath": to_asciimath, "typst": to_typst, "lean": to_lean, "spoken": to_spoken,
}

DETECTED = ("latex", "mathml", *PLAIN_NOTATIONS)


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
        detections = {notation: Detections() for notation in ("latex", *WRITERS)}
        if name not in COLLECTIONS:
            arguments.error(f"{name} is not a valid collection: {', '.join(COLLECTIONS)}")
        comparisons = {notation: Comparison(f"{name} {notation}") for notation in WRITERS}
        for formula in distinct_formulas(options.data, name)[::options.every]:
            tree = parse_latex(formula)
            is_left_out = tree.problems or has_lines(tree)
            wanted = tree_of(tree)
            if not is_left_out:
                detections["latex"].add("latex", formula, wanted)
            for notation, comparison in comparisons.items():
                if is_left_out:
                    comparison.left_out += 1
                    continue
                written = WRITERS[notation](tree)
                read = tree_of(parse_plain(written, notation))
                comparison.add(formula, written, wanted, read)
                detections[notation].add(notation, written, read)
        for comparison in comparisons.values():
            print_comparison(comparison, options.show)
        print(f"{'written':22}{'read alike':>12}" + "".join(f"{detected:>10}" for detected in DETECTED))
        for notation, detection in detections.items():
            print(f"{name + ' ' + notation:22}{detection.share:12.4f}" + "".join(
                f"{detection.counts[detected]:10,}" for detected in DETECTED
            ))
            if options.show:
                for detected, written in detection.wrong[:options.show]:
                    print(f"    {detected}: {written!r}")
    return 0


@dataclass
class Detections:
    """What formulas in one notation were detected as; ``wrong`` are those that are read to another tree so."""

    counts: Counter[str] = field(default_factory=Counter)
    alike: int = 0
    wrong: list[tuple[str, str]] = field(default_factory=list)

    def add(self, notation: str, written: str, tree: str) -> None:
        """Counts one formula with the tree that it has in its own notation."""
        detected = detect_notation(written)
        self.counts[detected] += 1
        if detected == notation or tree_of(parse(written, detected)) == tree:
            self.alike += 1
        else:
            self.wrong.append((detected, written))

    @property
    def share(self) -> float:
        """The share that is read alike; 1 where there is nothing."""
        return self.alike / self.counts.total() if self.counts else 1.0


def has_lines(tree: LayoutTree) -> bool:
    """Whether a formula has a matrix, cases or several lines."""
    return any(node.kind == "M" for node in preorder(tree))


if __name__ == "__main__":
    sys.exit(main())
