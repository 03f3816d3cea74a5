"""Pairs of symbols along the edges of both trees: Tangent-S and Tangent-CFT.

Sources: Davila and Zanibbi, *Layout and Semantics* (SIGIR 2017); Mansouri et al., *Tangent-CFT* (ICTIR 2019).
"""

from __future__ import annotations

from functools import lru_cache

from porism.formula.extractors.walk import layout_walk, operator_walk
from porism.formula.tree import LayoutTree, OperatorTree

_KNOWN_LABELS = 1 << 14


def layout_tuples(layout: LayoutTree, window: int = 2) -> list[str]:
    """Tangent-S tuples of the layout tree: ``symbol symbol path location``, for symbols up to ``window`` (1 or 2)
    edges apart.

    ``V!x N!2 a -``: from x one edge above to 2, at the start; the last symbol of each row is paired with ``0!``.
    """
    walk = layout_walk(layout)
    labels, parents, edges, paths = walk.labels, walk.parents, walk.edges, walk.paths
    terms: list[str] = []
    add = terms.append
    for position, label in enumerate(labels):
        parent = parents[position]
        if parent >= 0:
            edge = edges[position]
            add(f"{labels[parent]} {label} {edge} {paths[parent] or '-'}")
            above = parents[parent]
            if above >= 0 and window > 1:
                add(f"{labels[above]} {label} {edges[parent]}{edge} {paths[above] or '-'}")
        if "n" not in walk.outgoing[position]:
            add(f"{label} 0! n {paths[position] or '-'}")
    return terms


def operator_tuples(operators: OperatorTree, window: int = 1) -> list[str]:
    """Tangent-S tuples of the operator tree: ``operator operand path location``, paths in numbers of children.

    ``U!eq U!plus 0 -``: the root over its operand; every operand of an unordered operator has number 0.
    """
    walk = operator_walk(operators)
    labels, parents, edges = walk.labels, walk.parents, walk.edges
    paths: list[str] = []
    terms: list[str] = []
    add = terms.append
    for position, label in enumerate(labels):
        parent = parents[position]
        if parent < 0:
            paths.append("")
            continue
        edge = edges[position]
        path = paths[parent]
        add(f"{labels[parent]} {label} {edge} {path or '-'}")
        paths.append(path + edge if len(path) < 16 else path)
        above = parents[parent]
        if above >= 0 and window > 1:
            add(f"{labels[above]} {label} {edges[parent]}{edge} {paths[above] or '-'}")
    if len(labels) == 1:
        add(f"{labels[0]} 0! 0 -")
    return terms


def cft_words(layout: LayoutTree) -> list[str]:
    """Tangent-CFT words of the layout: each tuple without its location, type and value apart (``V x N 2 a``)."""
    walk = layout_walk(layout)
    labels = list(map(_apart, walk.labels))
    return _cft(labels, walk.parents, walk.edges, walk.outgoing)


def cft_operator_words(operators: OperatorTree) -> list[str]:
    """Tangent-CFT words of the operator tree (``U eq U plus 0``)."""
    walk = operator_walk(operators)
    return _cft(list(map(_apart, walk.labels)), walk.parents, walk.edges, None)


def _cft(labels: list[str], parents: list[int], edges: list[str], outgoing: list[str] | None) -> list[str]:
    terms: list[str] = []
    add = terms.append
    for position, label in enumerate(labels):
        parent = parents[position]
        if parent >= 0:
            edge = edges[position]
            add(f"{labels[parent]} {label} {edge}")
            above = parents[parent]
            if above >= 0 and outgoing is not None:
                add(f"{labels[above]} {label} {edges[parent]}{edge}")
        if outgoing is not None and "n" not in outgoing[position]:
            add(f"{label} 0! n")
    return terms


@lru_cache(_KNOWN_LABELS)
def _apart(label: str) -> str:
    return f"{label[0]} {label[2:]}" if label[1:2] == "!" else label


@lru_cache(_KNOWN_LABELS)
def _alike(label: str) -> str:
    return "V" if len(label) == 3 and label.startswith("V!") else label


def shapes(layout: LayoutTree, operators: OperatorTree) -> list[str]:
    """Pairs of both trees with every variable called ``V``: what stays the same when variables are renamed.

    Layout pairs up to two edges apart, and of the operator tree each operator with its operand and with the operand's
    operand.
    """
    walk = layout_walk(layout)
    terms = _cft(list(map(_alike, walk.labels)), walk.parents, walk.edges, walk.outgoing)
    tree = operator_walk(operators)
    names, parents, edges = list(map(_alike, tree.labels)), tree.parents, tree.edges
    for name, parent, edge in zip(names, parents, edges, strict=True):
        if parent > 0:
            terms.append(f"{names[parents[parent]]}>{edges[parent]} {names[parent]}>{edge} {name}")
        elif not parent:
            terms.append(f"{names[0]}>{edge} {name}")
    return terms
