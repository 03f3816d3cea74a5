"""Whether a formula gives one operator tree in all its spellings: LaTeX, LaTeXML's MathML, and what Porism writes.

::

    python -m benchmarks peers spellings --data ../shared/data [--show 10]

The first line compares the LaTeX and the MathML of ``arqmath-mini`` (``latex_representation_v3`` and
``slt_representation_v3``, joined by id): all distinct pairs whose MathML is not empty. The others write the layout tree
of each distinct LaTeX formula as LaTeX and as MathML, and read that again.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from benchmarks.common.real_formulas import COLLECTIONS, distinct_formulas, formula_table
from benchmarks.common.spelling_table import HEADER, Comparison, print_comparison, tree_of
from porism.formula import parse_latex, parse_mathml, to_latex, to_mathml


def main() -> int:
    """Parses arguments, and prints a line for each comparison."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True, help="folder of the collections")
    arguments.add_argument("--sources", default="arqmath-mini", help="collections to write and read again, by commas")
    arguments.add_argument("--show", type=int, default=0, help="print so many kinds of differences, and as many pairs")
    options = arguments.parse_args()
    print(HEADER)
    print_comparison(notations(options.data / "arqmath-mini"), options.show)
    for name in options.sources.split(","):
        if name not in COLLECTIONS:
            arguments.error(f"{name} is not a valid collection: {', '.join(COLLECTIONS)}")
        latex, mathml = Comparison(f"{name} LaTeX"), Comparison(f"{name} MathML")
        for formula in distinct_formulas(options.data, name):
            tree = parse_latex(formula)
            wanted = tree_of(tree)
            written = to_latex(tree)
            latex.add(formula, written, wanted, tree_of(parse_latex(written)))
            markup = to_mathml(tree)
            mathml.add(formula, markup, wanted, tree_of(parse_mathml(markup)))
        print_comparison(latex, options.show)
        print_comparison(mathml, options.show)
    return 0


def notations(collection: Path) -> Comparison:
    """LaTeX and MathML of the formulas of an ARQMath collection."""
    found = Comparison("LaTeX and LaTeXML")
    latex = dict(formula_table(collection / "latex_representation_v3"))
    pairs: dict[tuple[str, str], None] = {}
    for key, markup in formula_table(collection / "slt_representation_v3"):
        if key in latex:
            if markup.strip():
                pairs[latex[key], markup] = None
            else:
                found.left_out += 1
    for source, markup in pairs:
        found.add(source, markup, tree_of(parse_latex(source)), tree_of(parse_mathml(markup)))
    return found


if __name__ == "__main__":
    sys.exit(main())
