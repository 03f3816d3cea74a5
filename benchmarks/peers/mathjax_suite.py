"""The test suite of MathJax: LaTeX and MathML of its snapshots, and why some of them do not give one tree."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import HERE
from benchmarks.common.spelling_table import HEADER, Comparison, print_comparison, tree_of
from porism.formula import parse_latex, parse_mathml

DIFFERENCES = HERE / "peers" / "mathjax_differences.toml"
_SNAPSHOT = re.compile(r'^exports\[`(?:[^`\\]|\\.)*`\] = `\s*"(<math.*?)"\s*`;$', re.DOTALL | re.MULTILINE)
_ESCAPED = re.compile(r"\\(\\|`|\$\{)")
_SOURCE = re.compile(r'<math[^>]*? data-latex="([^"]*)"')
_DATA = re.compile(r' data-latex(?:-item)?="[^"]*"')


@dataclass(frozen=True, slots=True)
class DifferenceKind:
    """Why snapshots differ that are in one of these files and whose LaTeX and MathML contain these patterns."""

    name: str
    reason: str
    files: frozenset[str]
    latex: re.Pattern[str]
    mathml: re.Pattern[str]

    def holds(self, file: str, latex: str, mathml: str) -> bool:
        """Whether a snapshot that differs is of this kind."""
        return (
            (not self.files or file in self.files) and self.latex.search(latex) is not None
            and self.mathml.search(mathml) is not None
        )


def difference_kinds() -> list[DifferenceKind]:
    """All kinds of differences that are not to be mended, in their order."""
    table = tomllib.loads(DIFFERENCES.read_text(encoding="utf-8"))
    return [
        DifferenceKind(
            name, entry["reason"], frozenset(entry.get("files", ())), re.compile(entry.get("latex", "")),
            re.compile(entry.get("mathml", "")),
        )
        for name, entry in table.items()
    ]


def snapshots(path: Path) -> Iterator[tuple[str, str]]:
    """LaTeX and MathML of each snapshot of a file; the LaTeX is empty where none can be read or it is an error."""
    for escaped in _SNAPSHOT.findall(path.read_text(encoding="utf-8")):
        text = _ESCAPED.sub(r"\1", escaped)
        source = _SOURCE.match(text)
        latex = html.unescape(source[1]) if source is not None and "<merror" not in text else ""
        yield latex, _DATA.sub("", text)


def compare_suite(suite: Path, show: int) -> None:
    """The whole suite: a line for each of its files and one for all, and how many of which kind differ."""
    print(HEADER)
    kinds = difference_kinds()
    counts = dict.fromkeys(kinds, 0)
    unexplained: list[tuple[str, str, str]] = []
    total = Comparison("all")
    for path in sorted(suite.rglob("*.test.ts.snap")):
        file = path.name.split(".")[0]
        found = Comparison(file)
        for latex, mathml in snapshots(path):
            if latex:
                found.add(latex, mathml, tree_of(parse_latex(latex)), tree_of(parse_mathml(mathml)))
            else:
                found.left_out += 1
        if found.compared:
            print_comparison(found, show)
        total.compared += found.compared
        total.equal += found.equal
        total.left_out += found.left_out
        for latex, mathml, _, _ in found.differences:
            kind = next((kind for kind in kinds if kind.holds(file, latex, mathml)), None)
            if kind is None:
                unexplained.append((file, latex, mathml))
            else:
                counts[kind] += 1
    print_comparison(total, 0)
    print(f"\n{total.compared - total.equal} differ:")
    for kind, count in counts.items():
        print(f"{count:5} {kind.name}: {kind.reason}")
    print(f"{len(unexplained):5} of no kind")
    for file, latex, _ in unexplained:
        print(f"      {file}: {latex}")
