"""What two formulas have in common, to be seen: marked symbols, the substitution, equal values.

A match has nodes of operator trees; what is marked are symbols of layout trees. A symbol belongs to the
innermost operator whose place in the source holds it: the ``+`` of a sum to the sum, a fence to what it encloses.
"""

from __future__ import annotations

import html
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Literal

from porism.explanation import Explanation
from porism.formula import (
    LayoutNode,
    LayoutTree,
    OperatorNode,
    operator_tree,
    parse,
    preorder,
    to_latex,
    to_marked_unicode,
    to_mathml,
    to_unicode,
)
from porism.formula.layout import child_rows
from porism.retrieve.formulas.matches import FormulaMatch, Substitution, ValuePair
from porism.search.marked_text import Piece, Snippet, layout_of
from porism.search.printable import printable
from porism.system.concurrency.caching import cached_property
from porism.types import Formula

MarkStyle = Literal["plain", "brackets", "html", "ansi"]
"""No marks; ``[x]``; ``<mark>x</mark>`` with the text escaped; or bold and green for a terminal."""

MAX_CHANGED = 4
"""So many substitutions are told apart."""

MAX_PARTS = 5
"""Of so many parts of one contribution the largest are printed."""

_MARKS: dict[MarkStyle, tuple[str, str]] = {
    "plain": ("", ""), "brackets": ("[", "]"), "html": ("<mark>", "</mark>"), "ansi": ("\x1b[1;32m", "\x1b[0m"),
}
_SCRIPTS = ("above", "below", "pre_above", "pre_below")
_ENCLOSING = frozenset("FRMG")


class FormulaParts:
    """A formula with its two trees, and which symbols of the one belong to which operators of the other."""

    def __init__(self, formula: Formula) -> None:
        self.formula = formula
        self.layout = layout_of(formula.source, formula.notation)
        self.symbols = preorder(self.layout)
        self.operators = list(operator_tree(self.layout).root.walk())
        self._number = {id(node): number for number, node in enumerate(self.symbols)}

    @cached_property
    def owners(self) -> list[int]:
        """For each symbol, the operator it belongs to (both by preorder position), -1 where there is none."""
        owners = _innermost(self.symbols, self.operators)
        outermost: dict[tuple[int, int], int] = {}
        for number, operator in enumerate(self.operators):
            if operator.children:
                outermost.setdefault((operator.start, operator.end), number)
        for base in self.symbols:
            mark_rows = [base.above, base.below] + ([base.over, base.under] if base.kind != "F" else [])
            own = outermost.get((base.start, base.end), -1)
            for mark in (node for row in mark_rows if row is not None for node in row):
                owner = owners[self._number[id(mark)]]
                if owner < 0 or _holds(self.operators[owner], base):  # an accent or a prime: its operator is the base's
                    owners[self._number[id(mark)]] = own if own >= 0 else owner
        return owners

    @cached_property
    def _ends(self) -> list[int]:
        """For each operator the preorder position after its subtree."""
        ends = list(range(1, len(self.operators) + 1))
        number_of = {id(node): number for number, node in enumerate(self.operators)}
        for number in reversed(range(len(self.operators))):
            if self.operators[number].children:
                ends[number] = ends[number_of[id(self.operators[number].children[-1])]]
        return ends

    def subtrees(self, positions: Iterable[int]) -> set[int]:
        """The preorder positions of operators and of all below them."""
        below: set[int] = set()
        for position in positions:
            if 0 <= position < len(self.operators):
                below.update(range(position, self._ends[position]))
        return below

    def symbols_of(self, operators: set[int]) -> set[int]:
        """The symbols that belong to operators, by preorder position."""
        return {number for number, owner in enumerate(self.owners) if owner in operators}

    def shape(self, position: int) -> list[tuple[str, int]]:
        """The subtree of an operator with all variables alike: labels and numbers of operands, in preorder."""
        return [
            ("?" if operator.kind == "V" else operator.kind + operator.label, len(operator.children))
            for operator in self.operators[position : self._ends[position]]
        ]

    def subexpression(self, position: int) -> LayoutTree:
        """The formula under an operator, as a tree of its own; the whole formula where nothing can be told apart."""
        inside = self.symbols_of(self.subtrees([position]))
        row: list[LayoutNode] = []
        covered: set[int] = set()
        for number, node in enumerate(self.symbols):
            if number in inside and number not in covered:
                row.append(self._cut(node, inside))
                covered.update(self._below[number])
        return LayoutTree(row, self.layout.source) if row else self.layout

    @cached_property
    def _below(self) -> list[range]:
        """For each symbol the positions of itself and of all under it."""
        ends = list(range(1, len(self.symbols) + 1))
        for number in reversed(range(len(self.symbols))):
            for row in child_rows(self.symbols[number]):
                if row:
                    ends[number] = max(ends[number], ends[self._number[id(row[-1])]])
        return [range(number, end) for number, end in enumerate(ends)]

    def enclosed(self, number: int) -> list[range]:
        """The positions under a fraction, root, matrix or group, its scripts and accents apart; one range a row."""
        node = self.symbols[number]
        rows = [node.within, *(cell for line in node.elements or [] for cell in line)]
        if node.kind == "F":
            rows += [node.over, node.under]
        elif node.kind == "R":
            rows.append(node.pre_above)
        return [range(self._number[id(row[0])], self._below[self._number[id(row[-1])]].stop) for row in rows if row]

    def _cut(self, node: LayoutNode, inside: set[int]) -> LayoutNode:
        """A symbol without the scripts and accents that are not inside."""
        kept = {id(self.symbols[number]) for number in inside}
        copy = LayoutNode(node.label, node.kind, node.start, node.end, node.font)
        copy.within, copy.elements, copy.styles = node.within, node.elements, node.styles
        for slot in (*_SCRIPTS, "over", "under"):
            row = getattr(node, slot)
            own = (slot in ("over", "under") and node.kind == "F") or (slot == "pre_above" and node.kind == "R")
            if row is not None and (own or any(id(symbol) in kept for symbol in row)):
                setattr(copy, slot, row)
        return copy


def _holds(operator: OperatorNode, symbol: LayoutNode) -> bool:
    return operator.start <= symbol.start and symbol.end <= operator.end


def _innermost(symbols: list[LayoutNode], operators: list[OperatorNode]) -> list[int]:
    """The innermost operator that holds each symbol, -1 for none; spans are nested but for broken formulas."""
    innermost = [-1] * len(symbols)
    outside_in = [(operator.start, -operator.end, number) for number, operator in enumerate(operators)]
    waiting = [number for _, _, number in sorted(outside_in, reverse=True)]
    opened: list[int] = []
    for number in sorted(range(len(symbols)), key=lambda number: symbols[number].start):
        symbol = symbols[number]
        while waiting and operators[waiting[-1]].start <= symbol.start:
            opened.append(waiting.pop())
            while len(opened) > 1 and operators[opened[-2]].end <= operators[opened[-1]].start:
                del opened[-2]
        while opened and operators[opened[-1]].end <= symbol.start:
            opened.pop()
        innermost[number] = next((number for number in reversed(opened) if _holds(operators[number], symbol)), -1)
    return innermost


@dataclass(frozen=True)
class MarkedMatch:
    """A match with the trees of both formulas, ready to be shown."""

    match: FormulaMatch

    @cached_property
    def query(self) -> FormulaParts:
        """The query's formula."""
        return FormulaParts(self.match.query)

    @cached_property
    def found(self) -> FormulaParts:
        """The formula that was found."""
        return FormulaParts(self.match.found)

    @cached_property
    def marked(self) -> tuple[set[int], set[int]]:
        """The matched symbols of the query and of the found formula, by preorder position in their layout trees.

        Those are the symbols of paired nodes, of all that a symbol or wildcard stands for, and of equal values.
        """
        match = self.match
        query_nodes, found_nodes = {pair.query for pair in match.pairs}, {pair.found for pair in match.pairs}
        query_nodes |= self.query.subtrees(value.query for value in match.values)
        found_nodes |= self.found.subtrees(value.found for value in match.values)
        found_nodes |= self.found.subtrees(place for entry in match.substitutions for place in entry.found_at)
        return self.query.symbols_of(query_nodes), self.found.symbols_of(found_nodes)

    def text(self, style: MarkStyle) -> tuple[str, str]:
        """Query and found formula as lines of text with the matched symbols marked."""
        before, after = _MARKS[style]
        query_text, found_text = (
            "".join(
                f"{before}{shown}{after}" if piece.match else shown
                for piece in snippet.pieces for shown in [html.escape(piece.text) if style == "html" else piece.text]
            )
            for snippet in self.pieces
        )
        return query_text, found_text

    @cached_property
    def pieces(self) -> tuple[Snippet, Snippet]:
        """Query and found formula as lines of text in pieces, those of matched symbols marked."""
        query_snippet, found_snippet = (
            Snippet(tuple(
                Piece(printable(text), own, True) for text, own in to_marked_unicode(parts.layout, marked)
            ))
            for parts, marked in zip((self.query, self.found), self.marked, strict=True)
        )
        return query_snippet, found_snippet

    def mathml(self, mark_class: str = "match", changed_class: str = "") -> tuple[str, str]:
        """Query and found formula as ``<math>`` elements in which matched symbols have a CSS class.

        A fraction, root, matrix or group has it where all that it encloses has. With a ``changed_class``, what stands
        for something else has that class too with a number from 1, the same in both formulas.
        """
        return self._mathml(0, mark_class, changed_class), self._mathml(1, mark_class, changed_class)

    def found_mathml(self, mark_class: str = "match") -> str:
        """The found formula alone, as :meth:`mathml` gives it."""
        return self._mathml(1, mark_class)

    def _mathml(self, side: int, mark_class: str, changed_class: str = "") -> str:
        parts = (self.query, self.found)[side]
        changed = self._changed[side] if changed_class else {}
        return to_mathml(
            parts.layout, ids=False, display=parts.formula.display, mark_scripts=False, marked={
                number: f"{mark_class} {changed_class}{changed[number]}" if number in changed else mark_class
                for number in _whole(parts, self.marked[side])
            },
        )

    @cached_property
    def _changed(self) -> tuple[dict[int, int], dict[int, int]]:
        """The symbols of the query and of the found formula that stand for something else, each with the number of the
        substitution; the first :data:`MAX_CHANGED`."""
        in_query: dict[int, int] = {}
        in_found: dict[int, int] = {}
        entries = [entry for entry in self.match.substitutions if not entry.identical]
        for number, entry in enumerate(entries[:MAX_CHANGED], 1):
            places = {pair.query for pair in self.match.pairs if pair.found in entry.found_at}
            in_query |= dict.fromkeys(self.query.symbols_of(self.query.subtrees(places)), number)
            in_found |= dict.fromkeys(self.found.symbols_of(self.found.subtrees(entry.found_at)), number)
        return in_query, in_found

    def substitution(self) -> str:
        """``i ↦ k, m ↦ n``: what stands for something else, in the order of the query; empty where nothing does."""
        source = self.match.query.source
        order = {source[symbol.start : symbol.end]: symbol.start for symbol in reversed(self.query.symbols)}
        entries = sorted(self.match.substitutions, key=lambda entry: order.get(entry.query, len(source)))
        changed = dict.fromkeys((entry.query, entry.found) for entry in entries if not entry.identical)
        return ", ".join(f"{_shown(old)} ↦ {_shown(new)}" for old, new in changed)

    def values(self) -> list[str]:
        """``a(b + c) = ab + ac``: a line for each two subexpressions of equal value that are built differently.

        Those that differ in the names of variables alone are left out: the substitution says it.
        """
        lines: dict[str, None] = {}
        for pair, (query_text, found_text) in zip(self.match.values, self._value_trees(to_unicode), strict=True):
            if self.query.shape(pair.query) != self.found.shape(pair.found) and query_text != found_text:
                lines[f"{query_text} = {found_text}" + (", with variables renamed" if pair.renamed else "")] = None
        return list(lines)

    def _value_trees(self, write: Callable[[LayoutTree], str]) -> list[tuple[str, str]]:
        return [
            (write(self.query.subexpression(pair.query)), write(self.found.subexpression(pair.found)))
            for pair in self.match.values
        ]

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready: the shares that match, both formulas as text in pieces and as MathML with matched symbols marked,
        the substitution, equal values and the explanation."""
        match = self.match
        query_text, found_text = self.pieces
        query_mathml, found_mathml = self.mathml()
        return {
            "score": match.score,
            "query": {**query_text.to_dict(), "mathml": query_mathml, "share": match.query_share},
            "found": {**found_text.to_dict(), "mathml": found_mathml, "share": match.found_share},
            "substitution": [_substitution_dict(entry) for entry in match.substitutions],
            "values": [
                _value_dict(pair, query_part, found_part)
                for pair, (query_part, found_part) in zip(match.values, self._value_trees(to_latex), strict=True)
            ],
            "explanation": match.explanation.to_dict(),
        }


def highlight_text(match: FormulaMatch, style: MarkStyle = "brackets") -> tuple[str, str]:
    """Query and found formula of a match as lines of text, with the matched symbols marked."""
    return MarkedMatch(match).text(style)


def highlight_mathml(match: FormulaMatch, mark_class: str = "match") -> tuple[str, str]:
    """Query and found formula of a match as MathML, in which the matched symbols have a CSS class."""
    return MarkedMatch(match).mathml(mark_class)


def match_lines(match: FormulaMatch, style: MarkStyle = "brackets", *, tree: bool = True) -> list[str]:
    """What there is to say of a match: both formulas marked, substitution, equal values, and the contribution tree."""
    marked = MarkedMatch(match)
    query_text, found_text = marked.text(style)
    lines = [
        f"asked for  {query_text}  ({match.query_share:.0%} matched)",
        f"found      {found_text}  ({match.found_share:.0%} matched)",
    ]
    if substitution := marked.substitution():
        lines.append(f"with       {substitution}")
    lines += [f"as         {line}" for line in marked.values()]
    return [*lines, *short_lines(match.explanation)] if tree else lines


def short_lines(explanation: Explanation, most: int = MAX_PARTS) -> list[str]:
    """An explanation as text, one line a node; of many parts of one node the largest, and the rest in one line."""
    lines: list[str] = []
    stack: list[tuple[Explanation, int]] = [(explanation, 0)]
    while stack:
        node, depth = stack.pop()
        lines.append(f"{'  ' * depth}{node.value:.4f}  {node.label}")
        parts = list(node.parts)
        if len(parts) > most + 1:
            parts.sort(key=lambda part: -abs(part.value))
            rest = parts[most:]
            parts[most:] = [Explanation(sum(part.value for part in rest), f"{len(rest)} more, each smaller than these")]
        stack.extend((part, depth + 1) for part in reversed(parts))
    return lines


def _whole(parts: FormulaParts, marked: set[int]) -> set[int]:
    """The marked symbols without those that enclose one which is not marked."""
    missing = [0, *accumulate(number not in marked for number in range(len(parts.symbols)))]
    return {
        number for number in marked
        if parts.symbols[number].kind not in _ENCLOSING
        or all(missing[inner.start] == missing[inner.stop] for inner in parts.enclosed(number))
    }


def _shown(latex: str) -> str:
    """A symbol or formula in LaTeX as text."""
    return to_unicode(parse(latex, "latex")) or latex


def _substitution_dict(entry: Substitution) -> dict[str, str]:
    return {"query": entry.query, "found": entry.found}


def _value_dict(pair: ValuePair, query_text: str, found_text: str) -> dict[str, Any]:
    return {"query": query_text, "found": found_text, "renamed": pair.renamed}
