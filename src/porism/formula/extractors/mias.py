"""M-terms: every subtree of a formula, exact and generalised (Líška, Sojka and Růžička: MIaS at NTCIR and ARQMath)."""

from __future__ import annotations

from typing import NamedTuple

from porism.formula.operator_rules import leaf_label
from porism.formula.tree import LayoutNode, LayoutTree, Row

LARGEST_TERM = 64
"""Subtrees of more tokens are no terms, except the whole formula up to ``LARGEST_FORMULA``."""

LARGEST_FORMULA = 400
MOST_SYMBOLS = 4_000
MOST_TERMS = 2_000

_COMMUTATIVE = frozenset({"+", "=", "⋅", "×", "*", "∪", "∩", "∧", "∨", "≠", "≡", "⊕", "⊗"})
_TAGS = {"V": "I", "N": "N", "O": "O", "T": "T", "W": "I", "E": "O"}
_SORTED_BY = 60
# by the MathML names mfrac mi mn mo mover mroot mrow msqrt msub msubsup msup mtable mtext munder munderover
_ORDER = {letter: number for number, letter in enumerate("FINOVGRQKLJATUW")}


def m_terms(layout: LayoutTree) -> list[str]:
    """M-terms of every subtree that is not a single symbol, each after the level of its generalisation.

    ``R(F(I(a)I(b))O(+)N(0)O(=)J(I(x)N(2)))`` is ``x^2+\\frac{a}{b}=0``: ``R`` row, ``F`` fraction, ``J`` superscript,
    ``K`` subscript, ``L`` both, ``Q`` root, ``G`` root with index, ``V U W`` over, under, both, ``A`` table, ``B``
    binomial, ``P`` with scripts before, ``I N O T`` identifier, number, operator, text. Operands of a row whose
    operators all commute are sorted by the names of their MathML elements.

    Levels: ``=`` as written; ``v`` variables unified (named 1, 2… in their order); ``n`` numbers generalised; ``vn``
    both; ``o`` operators unified. A channel counts terms and has no weights; a model that weights as MIaS does gives
    a term 1/(number of ``(`` in it), times 0.8 for ``v``, 0.5 for ``n``, 0.4 for ``vn``, 0.8 for ``o``, and 0.7 for
    each level of the formula that it lies under the root. At most ``MOST_TERMS`` terms.
    """
    tree = _Tokens(_tree(layout.row))
    terms: list[str] = []
    for start, end in tree.spans:
        if end - start > LARGEST_TERM and (start > 0 or end < len(tree.tokens) or end > LARGEST_FORMULA):
            continue
        _add_term(terms, tree.tokens[start:end], tree.kinds[start:end])
        if len(terms) >= MOST_TERMS:
            break
    return terms


def _add_term(terms: list[str], tokens: list[str], kinds: list[str]) -> None:
    terms.append("=:" + "".join(tokens))
    variables = "I" in kinds
    numbers = "N" in kinds
    if variables:
        names: dict[str, str] = {}
        unified = [
            token if kind != "I" else names.get(token) or names.setdefault(token, f"I({len(names) + 1})")
            for token, kind in zip(tokens, kinds, strict=True)
        ]
        terms.append("v:" + "".join(unified))
        if numbers:
            terms.append("vn:" + "".join(
                ["N(*)" if kind == "N" else token for token, kind in zip(unified, kinds, strict=True)]
            ))
    if numbers:
        terms.append("n:" + "".join(
            ["N(*)" if kind == "N" else token for token, kind in zip(tokens, kinds, strict=True)]
        ))
    if "O" in kinds:
        terms.append("o:" + "".join(
            ["O(*)" if kind == "O" else token for token, kind in zip(tokens, kinds, strict=True)]
        ))


class _Node(NamedTuple):
    """A node in MathML's shape: the letter of its element, what it is sorted by, and its children (None for a leaf)."""

    letter: str
    text: str
    children: list[_Node] | None


class _Tokens:
    """The formula as one list of tokens: leaves are whole (``I(x)``), inner nodes open (``R(``) and close.

    ``kinds`` is the letter of a leaf and empty for the others; ``spans`` is where each inner node begins and ends,
    outer before inner.
    """

    __slots__ = ("kinds", "spans", "tokens")

    def __init__(self, root: _Node | None) -> None:
        self.tokens: list[str] = []
        self.kinds: list[str] = []
        self.spans: list[tuple[int, int]] = []
        tokens, kinds, spans = self.tokens, self.kinds, self.spans
        stack: list[_Node | int] = [] if root is None else [root]
        while stack:
            node = stack.pop()
            if isinstance(node, int):
                tokens.append(")")
                kinds.append("")
                spans[node] = (spans[node][0], len(tokens))
            elif node.children is None:
                tokens.append(node.text)
                kinds.append(node.letter)
            else:
                stack.append(len(spans))
                spans.append((len(tokens), 0))
                tokens.append(node.letter + "(")
                kinds.append("")
                stack.extend(reversed(node.children))


_EMPTY = _Node("R", "R()", None)


def _tree(top: Row) -> _Node | None:
    """The formula in MathML's shape, rows sorted; None for an empty one."""
    rows: list[Row] = [top]
    symbols = 0
    for row in rows:  # grows while it is walked
        symbols += len(row)
        if symbols > MOST_SYMBOLS:
            break
        for node in row:
            if (
                node.above is None and node.below is None and node.within is None and node.over is None
                and node.under is None and node.elements is None and node.pre_above is None
                and node.pre_below is None
            ):
                continue
            rows.extend(row for row in (
                node.above, node.below, node.within, node.over, node.under, node.pre_above, node.pre_below
            ) if row)
            for line in node.elements or ():
                rows.extend(line)
    read: dict[int, _Node] = {}
    for row in reversed(rows):
        if row:
            read[id(row)] = _row(row, read)
    return read.get(id(top))


def _row(row: Row, read: dict[int, _Node]) -> _Node:
    nodes = [_symbol(node, read) for node in row[:MOST_SYMBOLS]]
    if len(nodes) == 1:
        return nodes[0]
    if all(node.label in _COMMUTATIVE for node in row if node.kind == "O"):
        operands = sorted([node for node in nodes if node.letter != "O"], key=_order)
        if len(operands) > 1:
            remaining = iter(operands)
            nodes = [node if node.letter == "O" else next(remaining) for node in nodes]
    return _inner("R", nodes)


def _order(node: _Node) -> tuple[int, str]:
    return _ORDER.get(node.letter, 99), node.text


def _inner(letter: str, children: list[_Node]) -> _Node:
    text = f"{letter}({''.join([child.text for child in children[:_SORTED_BY]])}"
    return _Node(letter, text[:_SORTED_BY], children)


def _symbol(node: LayoutNode, read: dict[int, _Node]) -> _Node:
    kind = node.kind
    letter = _TAGS.get(kind)
    if letter is not None:
        label = leaf_label(node.label, node.font) if node.font else node.label
        base = _Node(letter, f"{letter}({label})", None)
    else:
        base = _structure(node, read)
    if node.above is None and node.below is None and node.over is None and node.under is None and (
        node.pre_above is None and node.pre_below is None
    ):
        return base
    if kind != "F":
        over, under = read.get(id(node.over)), read.get(id(node.under))
        if over is not None or under is not None:
            marks = [mark for mark in (under, over) if mark is not None]
            base = _inner("W" if len(marks) == 2 else "V" if under is None else "U", [base, *marks])
    above, below = read.get(id(node.above)), read.get(id(node.below))
    if above is not None or below is not None:
        scripts = [script for script in (below, above) if script is not None]
        base = _inner("L" if len(scripts) == 2 else "J" if below is None else "K", [base, *scripts])
    if kind != "R":
        before = [read[id(row)] for row in (node.pre_below, node.pre_above) if id(row) in read]
        if before:
            base = _inner("P", [base, *before])
    return base


def _structure(node: LayoutNode, read: dict[int, _Node]) -> _Node:
    kind = node.kind
    if kind == "F":
        found = [read.get(id(row), _EMPTY) for row in (node.over, node.under)]
        return _inner("F" if node.label == "/" else "B", found)
    if kind == "M":
        cells = [read.get(id(cell), _EMPTY) for line in node.elements or () for cell in line]
        return _inner("A", cells[:MOST_SYMBOLS]) if cells else _EMPTY
    within = read.get(id(node.within), _EMPTY)
    if kind != "R":
        return within
    index = read.get(id(node.pre_above))
    return _inner("Q", [within]) if index is None else _inner("G", [within, index])
