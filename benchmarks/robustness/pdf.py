"""Are the formulas of a PDF those of its source? ``python -m benchmarks robustness pdf FILE.pdf FILE.tex …``

Each PDF is compared with the LaTeX that it was made from, or with a JSON list of ``[LaTeX, is display]`` in its order.
Formulas are matched by their order and symbols. Bare numbers are left out: nothing tells ``$2$`` from a 2 in text.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from porism.corpus.opening import open_source
from porism.corpus.pdf.document import PdfText
from porism.corpus.pdf.text import FoundFormula
from porism.formula import layout_string, operator_string, operator_tree, parse_latex

_NUMBER = re.compile(r"[\s{}$,.−-]*\d*[\s{},.]*\d*[\s{},.]*")
MIN_LIKENESS = 0.45
"""Formulas that are less alike, as lists of symbols, are not the same."""


class Entry(NamedTuple):
    """A formula in its sequence."""

    latex: str
    is_display: bool
    page: int = 0


class Score(NamedTuple):
    """Of inline or display formulas: how many the source has, how many are found, right, and false."""

    expected: int
    found: int
    same_layout: int
    same_tree: int
    false: int
    edits: float

    def row(self) -> str:
        """Recall, precision, and the shares of equal trees among those found."""
        found = max(self.found, 1)
        return (
            f"{self.expected:>6} {self.found / max(self.expected, 1):>7.3f} {found / max(found + self.false, 1):>9.3f} "
            f"{self.same_layout / found:>7.3f} {self.same_tree / found:>7.3f} {self.edits / found:>7.3f}"
        )


@lru_cache(maxsize=100_000)
def keys(latex: str) -> tuple[str, str]:
    """The layout and the operator tree of a formula."""
    tree = parse_latex(latex)
    return layout_string(tree), operator_string(operator_tree(tree))


@lru_cache(maxsize=100_000)
def symbols(latex: str) -> tuple[str, ...]:
    """The symbols of a formula in order."""
    return tuple(re.findall(r"![^\[\],]+|[^\w\[\],!]", keys(latex)[0]))


def truth_of(path: Path) -> list[Entry]:
    """The formulas of a source."""
    if path.suffix == ".json":
        entries = [Entry(latex, bool(display)) for latex, display in json.loads(path.read_text())]
    else:
        placed = [
            (int(str(document.metadata["line"])) + content.line_of(content.character_of(number)), formula)
            for document in open_source(path) for name, content in document.fields.items()
            if name in ("title", "body", "proof") for number, formula in enumerate(content.formulas)
        ]
        placed.sort(key=lambda entry: entry[0])  # theorem-like blocks come after the text around them
        entries = [Entry(formula.source, formula.display) for _, formula in placed]
    return [entry for entry in entries if not _NUMBER.fullmatch(entry.latex)]


def found_in(path: Path) -> list[Entry]:
    """The formulas that the reader finds in a PDF."""
    return [
        Entry(part.latex, part.is_display, part.page)
        for page in PdfText(path).pages() for line in page.lines for part in line.parts
        if isinstance(part, FoundFormula) and not _NUMBER.fullmatch(part.latex)
    ]


def aligned(truth: Sequence[Entry], found: Sequence[Entry]) -> list[tuple[int | None, int | None]]:
    """Pairs of places in both sequences; None where one has no partner."""
    first, second = [keys(entry.latex)[1] for entry in truth], [keys(entry.latex)[1] for entry in found]
    pairs: list[tuple[int | None, int | None]] = []
    matcher = SequenceMatcher(None, first, second, autojunk=False)
    for tag, i0, i1, j0, j1 in matcher.get_opcodes():
        if tag == "equal":
            pairs += [(i0 + n, j0 + n) for n in range(i1 - i0)]
        else:
            pairs += _aligned_gap(truth, found, range(i0, i1), range(j0, j1))
    return pairs


def _aligned_gap(
    truth: Sequence[Entry], found: Sequence[Entry], left: range, right: range
) -> list[tuple[int | None, int | None]]:
    best = [[0.0] * (len(right) + 1) for _ in range(len(left) + 1)]
    if len(left) * len(right) < 40_000:
        for a in range(len(left) - 1, -1, -1):
            for b in range(len(right) - 1, -1, -1):
                match = _likeness(truth[left[a]].latex, found[right[b]].latex)
                best[a][b] = max(best[a + 1][b], best[a][b + 1], match + best[a + 1][b + 1])
    pairs: list[tuple[int | None, int | None]] = []
    a = b = 0
    while a < len(left) and b < len(right):
        match = _likeness(truth[left[a]].latex, found[right[b]].latex)
        if match and best[a][b] == match + best[a + 1][b + 1]:
            pairs.append((left[a], right[b]))
            a, b = a + 1, b + 1
        elif best[a][b] == best[a + 1][b]:
            pairs.append((left[a], None))
            a += 1
        else:
            pairs.append((None, right[b]))
            b += 1
    return [*pairs, *((i, None) for i in left[a:]), *((None, j) for j in right[b:])]


@lru_cache(maxsize=200_000)
def _likeness(first: str, second: str) -> float:
    a, b = symbols(first), symbols(second)
    shared = sum((Counter(a) & Counter(b)).values())
    ratio = 2 * shared / max(len(a) + len(b), 1)
    return ratio if ratio >= MIN_LIKENESS else 0.0


def scores(truth: Sequence[Entry], found: Sequence[Entry], show: int = 0) -> dict[str, Score]:
    """The scores of inline and display formulas."""
    counts = {kind: Counter[str]() for kind in ("inline", "display")}
    for i, j in aligned(truth, found):
        entry = truth[i] if i is not None else found[j]  # type: ignore[index]
        count = counts["display" if entry.is_display else "inline"]
        if i is None:
            count["false"] += 1
            _show(show, count, "false", "", found[j].latex, found[j].page)  # type: ignore[index]
            continue
        count["expected"] += 1
        if j is None:
            _show(show, count, "missed", truth[i].latex, "", 0)
            continue
        count["found"] += 1
        (layout, tree), (own_layout, own_tree) = keys(truth[i].latex), keys(found[j].latex)
        count["layout"] += layout == own_layout
        count["tree"] += tree == own_tree
        a, b = symbols(truth[i].latex), symbols(found[j].latex)
        count["edits"] += sum(((Counter(a) - Counter(b)) + (Counter(b) - Counter(a))).values())
        if tree != own_tree:
            _show(show, count, "differs", truth[i].latex, found[j].latex, found[j].page)
    return {
        kind: Score(c["expected"], c["found"], c["layout"], c["tree"], c["false"], c["edits"])
        for kind, c in counts.items()
    }


def _show(show: int, count: Counter[str], kind: str, truth: str, found: str, page: int) -> None:
    count[f"shown {kind}"] += 1
    if count[f"shown {kind}"] <= show:
        print(f"  {kind:<8} p. {page:<4} {' '.join(truth.split())}\n{'':<18} {found}")


def main(arguments: Sequence[str] | None = None) -> None:
    """Prints a row for each kind of formula of each file."""
    parser = argparse.ArgumentParser(prog="benchmarks robustness pdf", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, help="a PDF, and what it was made from, one after the other")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="show N errors of each kind")
    options = parser.parse_args(arguments)
    print(f"{'file':<28} {'kind':<8} source  recall precision  layout    tree   edits")
    for pdf, source in zip(options.files[::2], options.files[1::2], strict=False):
        start = time.process_time()
        found = found_in(pdf)
        seconds = time.process_time() - start
        pages = max((entry.page for entry in found), default=1)
        for kind, score in scores(truth_of(source), found, options.show).items():
            print(f"{pdf.name:<28} {kind:<8} {score.row()}")
        print(f"{pdf.name:<28} {pages / seconds:.1f} pages a second")


if __name__ == "__main__":
    main()
