"""The cells of matrices and of aligned lines: how each is set, and where lines are divided."""

from __future__ import annotations

from porism.formula.layout import child_rows
from porism.formula.tables.lookup import RELATION_CLASSES, token_class
from porism.formula.tree import LayoutNode, Row
from porism.formula.writers.hints import Hints

_ALIGNMENTS = {"l": "text-align: left", "r": "text-align: right"}
_RULE_ABOVE, _RULE_BELOW = "border-top: thin solid", "border-bottom: thin solid"


def cell_opening(look: str) -> str:
    """The element that begins a cell."""
    return f'<mtd style="{look}">' if look else "<mtd>"


def column_style(columns: str, position: int) -> str:
    """The style of a cell by the preamble of its array."""
    places = [i for i, letter in enumerate(columns) if letter != "|"]
    if position >= len(places):
        return ""
    place = places[position]
    looks = [_ALIGNMENTS.get(columns[place], ""), "border-left: thin solid" if columns[:place].endswith("|") else ""]
    return "; ".join(filter(None, looks))


def row_styles(node: LayoutNode, lines: list[list[Row]], hints: Hints) -> list[str]:
    """The style of the cells of each line of a matrix: the rules above it, and below the last one."""
    styles = [""] * len(lines)
    if not hints.has_rules:
        return styles
    end = node.start
    for i, line in enumerate(lines):
        symbols = [symbol for cell in line for symbol in cell]
        if symbols and hints.has_rule(end, symbols[0].start):
            styles[i] = _RULE_ABOVE
        end = max([end, *map(end_of, symbols)])
    if styles and hints.has_rule(end, node.end):
        styles[-1] = "; ".join(filter(None, (styles[-1], _RULE_BELOW)))
    return styles


def aligned_lines(node: LayoutNode, lines: list[Row], hints: Hints) -> list[list[Row]]:
    """The lines in cells: where the source has a ``&``, else before the first relation if it is not LaTeX."""
    if not hints.is_latex:
        return [_split_at_relation(line) for line in lines]
    rows: list[list[Row]] = []
    end = node.start
    for line in lines:
        cells: list[Row] = [[]]
        for symbol in line:
            cells += [[] for _ in range(hints.divisions(end, symbol.start))]
            cells[-1].append(symbol)
            end = max(end, end_of(symbol))
        rows.append(cells)
    width = max(map(len, rows), default=1)
    return [row + [[] for _ in range(width - len(row))] for row in rows]


def end_of(node: LayoutNode) -> int:
    """Where a node ends in the source with all that is around it."""
    end, stack = node.end, child_rows(node)
    while stack:
        for inner in stack.pop():
            end = max(end, inner.end)
            stack += child_rows(inner)
    return end


def _split_at_relation(line: Row) -> list[Row]:
    """A line of a display in two cells, the second from its first relation on, as displays are mostly aligned."""
    for i, node in enumerate(line):
        if node.kind == "O" and token_class(node.label) in RELATION_CLASSES:
            return [line[:i], line[i:]]
    return [[], line]
