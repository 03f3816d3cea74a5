"""Pairs of symbols along the edges of both trees: Tangent-L, Tangent-S and Tangent-CFT.

Sources: Fraser, Kane and Tompa, *Choosing Math Features for BM25 Ranking with Tangent-L* (DocEng 2018) and the
MathDowsers papers at ARQMath 2020–2022; Davila and Zanibbi, *Layout and Semantics* (SIGIR 2017); Mansouri et al.,
*Tangent-CFT* (ICTIR 2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from porism.formula.extractors.walk import layout_walk, operator_walk
from porism.formula.tree import LayoutTree, OperatorTree

_MOST_REPETITIONS = 4
_KNOWN_LABELS = 1 << 14


@dataclass(frozen=True, slots=True)
class TangentL:
    """Which features Tangent-L takes from a layout tree; the defaults are those of its later versions.

    ``terminals``: symbols that no edge leaves; ``compounds``: all edges that leave a symbol; ``locations``: each of
    these and each pair again with the path to its first symbol, where that is shorter than ``longest_location``;
    ``duplicates``: one feature for each repetition of a variable or number; ``edge_pairs``: an edge into a symbol
    with each edge out of it; ``end_of_line``: the last symbol of a formula of at most so many symbols;
    ``long_pairs``: symbols two edges apart; ``wildcards``: every pair again with ``*`` for either symbol;
    ``delimiters``: ``#(start)#`` and ``#(end)#``.
    """

    terminals: bool = True
    compounds: bool = True
    locations: bool = True
    longest_location: int = 8
    duplicates: bool = True
    edge_pairs: bool = False
    end_of_line: int = 0
    long_pairs: bool = False
    wildcards: bool = False
    delimiters: bool = False

    def __call__(self, layout: LayoutTree) -> list[str]:
        """The features, with repetition."""
        walk = layout_walk(layout)
        labels = list(map(tangent_l_label, walk.labels))
        longest = self.longest_location if self.locations else 0
        # how the located form of a feature ends, and nothing where there is none
        locations = [f",{path or '-'})" if len(path) < longest else "" for path in walk.paths]
        terms: list[str] = []
        add = terms.append
        terminals, compounds = self.terminals, self.compounds
        for label, parent, edge, leaving, location in zip(
            labels, walk.parents, walk.edges, walk.outgoing, locations, strict=True
        ):
            if parent >= 0:
                feature = f"({labels[parent]},{label},{edge}"
                add(feature + ")")
                if locations[parent]:
                    add(feature + locations[parent])
            if not leaving:
                if not terminals:
                    continue
                feature = f"({label},!0"
            elif compounds and len(leaving) > 1:
                feature = f"({label},[{','.join(leaving)}]"
            else:
                continue
            add(feature + ")")
            if location:
                add(feature + location)
        if self.duplicates and len(set(labels)) < len(labels):
            counts: dict[str, int] = {}
            for label in labels:
                if label[1:2] == "!":
                    counts[label] = count = counts.get(label, 0) + 1
                    if 1 < count <= _MOST_REPETITIONS:
                        add(f"{{{label},{count}}}")
        if self.edge_pairs or self.long_pairs or self.wildcards or self.end_of_line:
            self._older(labels, layout, terms)
        return ["#(start)#", *terms, "#(end)#"] if self.delimiters else terms

    def _older(self, labels: list[str], layout: LayoutTree, terms: list[str]) -> None:
        walk = layout_walk(layout)
        for position, label in enumerate(labels):
            parent, edge = walk.parents[position], walk.edges[position]
            leaving = walk.outgoing[position]
            if self.edge_pairs and edge:
                terms.extend([f"({edge},{other},{label})" for other in leaving])
            if parent >= 0 and self.wildcards:
                terms.extend((f"(*,{label},{edge})", f"({labels[parent]},*,{edge})"))
            if parent >= 0 and self.long_pairs and walk.parents[parent] >= 0:
                terms.append(f"({labels[walk.parents[parent]]},{label},{walk.edges[parent]}{edge})")
            if len(labels) <= self.end_of_line and "n" not in leaving and not walk.paths[position].strip("n"):
                terms.append(f"({label},!0,n)")


@lru_cache(_KNOWN_LABELS)
def tangent_l_label(label: str) -> str:
    """A label as Tangent-L writes it: ``v!x``, ``n!2``, ``f!`` for fractions, ``r!`` for roots; a wildcard is ``*``."""
    if len(label) > 1 and label[1] == "!":
        if label[0] == "O":
            return {"O!divide": "f!", "O!root": "r!", "O!binom": "b!"}.get(label, "f!" + label[2:])
        return "*" if label[0] == "W" else label[0].lower() + label[1:]
    return label


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
