"""M-terms: every subtree of a formula, exact and generalised (Líška, Sojka and Růžička: MIaS at NTCIR and ARQMath)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from operator import attrgetter, itemgetter

from porism.formula.operators.rules import leaf_label
from porism.formula.tree import LayoutNode, LayoutTree, Row

MAX_TERM = 64
"""Subtrees of more tokens are not terms, except the whole formula up to ``MAX_FORMULA``."""

MAX_FORMULA = 400
MAX_SYMBOLS = 4_000
MAX_TERMS = 2_000

_COMMUTATIVE = frozenset({"+", "=", "⋅", "×", "*", "∪", "∩", "∧", "∨", "≠", "≡", "⊕", "⊗"})
_TAGS = {"V": "I", "N": "N", "O": "O", "T": "T", "W": "I", "E": "O"}
_SORTED_BY = 60
# by the MathML names mfrac mi mn mo mover mroot mrow msqrt msub msubsup msup mtable mtext munder munderover
_ORDER = {letter: number for number, letter in enumerate("FINOVGRQKLJATUW")}
_UNORDERED = len(_ORDER)
_VARIABLE, _NUMBER, _OPERATOR = _ORDER["I"], _ORDER["N"], _ORDER["O"]

_Node = tuple[int, str, str, "list[_Node] | None"]
"""A node in MathML's shape: the rank of its element in :data:`_ORDER` and a text, by which it is sorted; how it opens
(``R(``) and its children, or for a leaf nothing and None, and the text is the whole leaf."""
_sorted_by = itemgetter(0, 1)
_rows_of = attrgetter("above", "below", "within", "over", "under", "pre_above", "pre_below")
_EMPTY: _Node = (_ORDER["R"], "R()", "", None)
_Position = tuple[int, int, int, int]
_Span = tuple[_Position, _Position]


def m_terms(layout: LayoutTree) -> list[str]:
    """M-terms of every subtree that is not a single symbol, each after the level of its generalisation.

    ``R(F(I(a)I(b))O(+)N(0)O(=)J(I(x)N(2)))`` is ``x^2+\\frac{a}{b}=0``. The letters are ``R`` row, ``F`` fraction,
    ``J`` superscript, ``K`` subscript, ``L`` both, ``Q`` root, ``G`` root with index; ``V U W`` over, under, both;
    ``A`` table, ``B`` binomial, ``P`` with scripts before; ``I N O T`` identifier, number, operator, text. Operands of
    a row whose operators all commute are sorted by the names of their MathML elements.

    Levels: ``=`` as written; ``v`` variables unified (named 1, 2… in their order); ``n`` numbers generalised; ``vn``
    both; ``o`` operators unified. A channel counts terms and has no weights; a model that weights as MIaS does gives a
    term 1/(number of ``(`` in it). That is multiplied by 0.8 for ``v``, 0.5 for ``n``, 0.4 for ``vn`` and 0.8 for
    ``o``; and by 0.7 for each level of the formula that the term lies under the root. At most ``MAX_TERMS`` terms.
    """
    root = _tree(layout.row)
    return [] if root is None else _Tokens(root).terms()


class _Tokens:
    """The formula as one list of tokens: leaves are whole (``I(x)``), inner nodes open (``R(``) and close.

    ``variables``, ``numbers`` and ``operators`` are where those leaves are. ``spans`` has, for each inner node, outer
    before inner, where it begins and ends in ``tokens``, and where its leaves begin and end in each of the three.
    """

    __slots__ = ("numbers", "operators", "spans", "tokens", "variables")

    def __init__(self, root: _Node) -> None:
        self.tokens: list[str] = []
        self.variables: list[int] = []
        self.numbers: list[int] = []
        self.operators: list[int] = []
        self.spans: list[_Span] = []
        tokens, variables, numbers, operators = self.tokens, self.variables, self.numbers, self.operators
        begins: list[_Position] = []
        opened: list[tuple[int, Iterator[_Node]]] = []
        ends: dict[int, _Position] = {}
        children = iter([root])
        while True:
            for rank, text, opening, below in children:
                if below is not None:
                    opened.append((len(begins), children))
                    begins.append((len(tokens), len(variables), len(numbers), len(operators)))
                    tokens.append(opening)
                    children = iter(below)
                    break
                if rank == _VARIABLE:
                    variables.append(len(tokens))
                elif rank == _NUMBER:
                    numbers.append(len(tokens))
                elif rank == _OPERATOR:
                    operators.append(len(tokens))
                tokens.append(text)
            else:
                if not opened:
                    break
                number, children = opened.pop()
                tokens.append(")")
                ends[number] = (len(tokens), len(variables), len(numbers), len(operators))
        self.spans = [(begin, ends[number]) for number, begin in enumerate(begins)]

    def terms(self) -> list[str]:
        """The M-terms of all spans."""
        tokens = self.tokens
        any_number = tokens.copy()
        for position in self.numbers:
            any_number[position] = "N(*)"
        any_operator = tokens.copy()
        for position in self.operators:
            any_operator[position] = "O(*)"
        terms: list[str] = []
        for (start, variable, number, operator), (end, no_variable, no_number, no_operator) in self.spans:
            if end - start > MAX_TERM and (start > 0 or end < len(tokens) or end > MAX_FORMULA):
                continue
            terms.append("=:" + "".join(tokens[start:end]))
            if variable < no_variable:
                unified = tokens[start:end]
                names: dict[str, str] = {}
                for position in self.variables[variable:no_variable]:
                    name = tokens[position]
                    unified[position - start] = names.get(name) or names.setdefault(name, f"I({len(names) + 1})")
                terms.append("v:" + "".join(unified))
                if number < no_number:
                    for position in self.numbers[number:no_number]:
                        unified[position - start] = "N(*)"
                    terms.append("vn:" + "".join(unified))
            if number < no_number:
                terms.append("n:" + "".join(any_number[start:end]))
            if operator < no_operator:
                terms.append("o:" + "".join(any_operator[start:end]))
            if len(terms) >= MAX_TERMS:
                break
        return terms


def _tree(top: Row) -> _Node | None:
    """The formula in MathML's shape, rows sorted; None for an empty one."""
    rows: list[Row] = [top]
    drafts: list[list[_Node | None]] = []
    commute: list[bool] = []
    symbols = 0
    for row in rows:  # grows while it is walked
        symbols += len(row)
        draft: list[_Node | None] = []
        sortable = True
        for node in row:
            kind = node.kind
            label = node.label
            if kind == "O" and label not in _COMMUTATIVE:
                sortable = False
            if (
                node.above is None and node.below is None and node.within is None and node.over is None
                and node.under is None and node.elements is None and node.pre_above is None
                and node.pre_below is None
            ):
                draft.append(_leaf(kind, label, node.font))
                continue
            draft.append(None)
            if symbols > MAX_SYMBOLS:
                continue
            rows.extend(filter(None, _rows_of(node)))
            if node.elements is not None:
                for line in node.elements:
                    rows.extend(line)
        drafts.append(draft)
        commute.append(sortable)
    read: dict[int, _Node] = {}
    for number in range(len(rows) - 1, -1, -1):
        row = rows[number]
        draft = drafts[number]
        if len(row) == 1:
            read[id(row)] = draft[0] or _symbol(row[0], read)
        elif row:
            nodes = [leaf or _symbol(node, read) for leaf, node in zip(draft[:MAX_SYMBOLS], row, strict=False)]
            read[id(row)] = _row(nodes, commute[number])
    return read.get(id(top))


def _row(nodes: list[_Node], sortable: bool) -> _Node:
    if sortable:
        operands = [node for node in nodes if node[0] != _OPERATOR]
        if len(operands) > 1:
            operands.sort(key=_sorted_by)
            remaining = iter(operands)
            nodes = [node if node[0] == _OPERATOR else next(remaining) for node in nodes]
    return _inner("R(", nodes)


@lru_cache(1 << 14)
def _leaf(kind: str, label: str, font: str) -> _Node | None:
    """The node of a symbol without rows; None for a structure, whose node depends on its rows even without any."""
    letter = _TAGS.get(kind)
    if letter is None:
        return None
    return _ORDER[letter], f"{letter}({leaf_label(label, font) if font else label})", "", None


def _inner(opening: str, children: list[_Node]) -> _Node:
    text = opening + "".join([child[1] for child in children[:_SORTED_BY]])
    return _ORDER.get(opening[0], _UNORDERED), text[:_SORTED_BY], opening, children


def _symbol(node: LayoutNode, read: dict[int, _Node]) -> _Node:
    kind = node.kind
    base = _leaf(kind, node.label, node.font) or _structure(node, read)
    if node.above is None and node.below is None and node.over is None and node.under is None and (
        node.pre_above is None and node.pre_below is None
    ):
        return base
    if kind != "F" and (node.over is not None or node.under is not None):
        over, under = read.get(id(node.over)), read.get(id(node.under))
        if over is not None or under is not None:
            marks = [mark for mark in (under, over) if mark is not None]
            base = _inner("W(" if len(marks) == 2 else "V(" if under is None else "U(", [base, *marks])
    above, below = read.get(id(node.above)), read.get(id(node.below))
    if above is not None or below is not None:
        scripts = [script for script in (below, above) if script is not None]
        base = _inner("L(" if len(scripts) == 2 else "J(" if below is None else "K(", [base, *scripts])
    if kind != "R" and (node.pre_above is not None or node.pre_below is not None):
        before = [read[id(row)] for row in (node.pre_below, node.pre_above) if id(row) in read]
        if before:
            base = _inner("P(", [base, *before])
    return base


def _structure(node: LayoutNode, read: dict[int, _Node]) -> _Node:
    kind = node.kind
    if kind == "F":
        inner = [read.get(id(row), _EMPTY) for row in (node.over, node.under)]
        return _inner("F(" if node.label == "/" else "B(", inner)
    if kind == "M":
        cells = [read.get(id(cell), _EMPTY) for line in node.elements or () for cell in line]
        return _inner("A(", cells[:MAX_SYMBOLS]) if cells else _EMPTY
    within = read.get(id(node.within), _EMPTY)
    if kind != "R":
        return within
    index = read.get(id(node.pre_above))
    return _inner("Q(", [within]) if index is None else _inner("G(", [within, index])
