"""Formulas of an index that are written in different ways and have one value.

Values (:mod:`porism.formula.values`) take letters for numbers, so that a product has no order, and an identity the
value of any other with these sides. So formulas with capital letters or other fonts, which mostly are no numbers, and
identities are left out, and so are formulas that differ from another in order alone. Terms of Lean, and formulas of
text, need not be about real numbers either: their sides must be equal one by one, and without differences, quotients
and types.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator

import numpy as np

from porism.formula import operator_string, operator_tree, parse
from porism.formula.keys import layout_key
from porism.formula.operators.lists import relates
from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values import WHOLE_MARKS, equal, whole_value
from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.search.formula_occurrences import FormulaPlaces, Place
from porism.search.statements.candidates import Candidates, Entry
from porism.types import Formula

MAX_COMPARED = 100
"""Of more formulas of one value only so many are compared."""

_CHANNEL = "values"
_LETTER = re.compile(r"V!.\Z")
_LEAF = re.compile(r"[VNT][^!]*!")
_SPACED = re.compile(r"\A(\w)\d+!")
"""A symbol that is written apart from the one before, as terms of Lean are."""
_NUMBER = re.compile(r"V!(?:[a-zα-ω]|[a-z]{2,})\Z|N[^!]*!")
"""A number, a letter that mostly is one, or the name of a function."""

_TYPED = re.compile(r"[∑∏∫⋃⋂⨆⨅]\s*['ᶠ⁻]|[-−/÷%⁻•:↑⇑↥]")
"""What in a term of Lean has a value by its types or is another operator: ``a - b`` and ``a / b``, which are cut off in
ℕ, ``a % b``, ``∑ᶠ i, f i``; and what says a type or changes it: ``∑ i : T, f i``, ``(n : ℝ)``, ``↑n``."""

_DOTTED = re.compile(r"[\w']*\.[^\W\d][\w']*")
"""A name with a dot: which function it is depends on what is before the dot, or on its type: ``x.toNNReal``."""


def equal_formulas(snapshot: Snapshot, min_size: int) -> Iterator[tuple[int, list[Entry]]]:
    """Groups of formulas that have one value, with the size of the first.

    :param min_size: how many nodes their operator trees have at least.
    """
    places = FormulaPlaces(snapshot)
    for size, entries in _candidates(snapshot, min_size).groups():
        comparable: list[tuple[Entry, Formula]] = []
        for entry in entries[:MAX_COMPARED]:
            segment = snapshot.segments[entry.segment]
            place = places.places(segment.formula_key(entry.number), most=1)
            if place and _is_comparable(formula := formula_as_written(snapshot, place[0])):
                comparable.append((entry, formula))
        is_typed = any(formula.is_plain for _, formula in comparable)
        groups: dict[str, dict[tuple[str, ...], Entry]] = {}
        for entry, formula in comparable:
            group = groups.setdefault(_typed_form(formula) if is_typed else "", {})
            group.setdefault(tuple(sorted(_leaves(formula))), entry)
        yield from ((size, sorted(distinct.values())) for distinct in groups.values() if len(distinct) > 1)


def formula_as_written(snapshot: Snapshot, place: Place) -> Formula:
    """The formula at a place, in the notation of its document."""
    located = snapshot.find(place.doc_id)
    assert located is not None, "the document of a place is there"
    return stored_document(*located).fields[place.field].formulas[place.number]


def _candidates(snapshot: Snapshot, min_size: int) -> Candidates:
    candidates = Candidates()
    for number, segment in enumerate(snapshot.segments):
        if _CHANNEL not in segment.formula_channels:
            continue
        terms = list(segment.dictionary(_CHANNEL))
        is_value, is_telling = (
            np.array([term.startswith(mark) for term in terms], np.bool_) for mark in WHOLE_MARKS
        )
        for first, rows in segment.matrix(_CHANNEL).chunks():
            owners = np.repeat(np.arange(len(rows.indptr) - 1), np.diff(rows.indptr))
            telling = np.zeros(len(rows.indptr) - 1, np.bool_)
            telling[owners[is_telling[rows.terms]]] = True
            chosen = np.flatnonzero(is_value[rows.terms] & telling[owners])
            for row, term in zip(owners[chosen].tolist(), rows.terms[chosen].tolist(), strict=True):
                size = _nodes(segment, first + row)
                if size >= min_size:
                    candidates.add(int(terms[term][1:], 16), size, number, first + row)
    return candidates


def _nodes(segment: Segment, formula: int) -> int:
    """How many nodes the operator tree of a formula has."""
    count: int = struct.unpack_from("<H", segment.formula_tree(formula))[0]
    return count


def _leaves(formula: Formula) -> list[str]:
    """The letters, numbers and names in a formula."""
    tokens = (token.lstrip("[") for token in layout_key(parse(formula)).split(" "))
    return [_SPACED.sub(r"\1!", token) for token in tokens if _LEAF.match(token)]


def _is_comparable(formula: Formula) -> bool:
    """Whether all that a formula is about are numbers, some of them unknown, and it is no identity."""
    if formula.is_plain and (_TYPED.search(formula.source) is not None or parse(formula).problems):
        return False
    leaves = _leaves(formula)
    if not all(map(_NUMBER.match, leaves)) or not any(map(_LETTER.match, leaves)):
        return False
    tree = operator_tree(parse(formula))
    sides = tree.root.children
    if tree.root.label != "eq" or len(sides) != 2:
        return True
    return not equal(*(OperatorTree(side, tree.source) for side in sides))


def _typed_form(formula: Formula) -> str:
    """What formulas that may be about anything must share: their sides, and the names in them that have dots."""
    names = sorted(_DOTTED.findall(formula.source)) if formula.notation == "lean" else []
    return " ".join((_sides(operator_tree(parse(formula)).root), *names))


def _sides(node: OperatorNode) -> str:
    """The value of each side of a formula, since what can be cancelled from both depends on types.

    Whether a product of letters has an order, and what it distributes over, do so too: all its letters are kept, in
    order, by numbers for their names.
    """
    if relates(node.label):
        parts = [_sides(child) for child in node.children]
        return f"{node.label}({','.join(sorted(parts) if node.kind == 'U' else parts)})"
    known = whole_value(OperatorTree(node, "")).named or operator_string(node)
    if not any(_is_product(part) for part in node.walk()):
        return known
    numbers: dict[str, int] = {}
    letters = [leaf.label for leaf in node.walk() if leaf.kind == "V" and not leaf.children]
    return f"{known}:{[numbers.setdefault(letter, len(numbers)) for letter in letters]}"


def _is_product(node: OperatorNode) -> bool:
    """Whether a node multiplies more than numbers with one another."""
    return node.label == "times" and sum(child.kind != "N" for child in node.children) > 1
