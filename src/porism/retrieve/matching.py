"""Why a formula was found: matching nodes, the substitution, equal values, and the contributions to its score."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from porism.explanation import Explanation
from porism.formula import OperatorNode, notation_of, operator_tree, parse
from porism.formula.values import expression_values
from porism.retrieve.alignment import Alignment
from porism.retrieve.matches import FormulaMatch, NodePair, Substitution, ValuePair
from porism.types import Formula

if TYPE_CHECKING:
    from porism.retrieve.formulas import AskedFormula, FormulaRetriever

_MOST_VALUES = 50
"""Subexpressions of equal value that are listed."""


def match_formulas(
    retriever: FormulaRetriever, asked: AskedFormula, segment: int, formula: int, candidate: bool
) -> FormulaMatch:
    """How a formula of a segment answers a query formula; ``candidate`` says that its alignment counts."""
    source = retriever.snapshot.segments[segment].formula_source(formula)
    found = Formula(source, notation_of(source))
    nodes = list(asked.operators.root.walk())
    found_nodes = list(operator_tree(parse(found)).root.walk())
    lexical = retriever.lexical.explain_terms(
        asked.terms, retriever.lexical.segments[segment].doc_ids([formula])[0]
    )
    parts = list(lexical.parts)
    score = lexical.value
    pairs: tuple[NodePair, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    shares = (0.0, 0.0)
    if retriever.aligner is not None:
        alignment = retriever.aligner.align(asked.tree, segment, formula)
        pairs = tuple(
            NodePair(int(query), int(other), float(worth))
            for (query, other), worth in zip(alignment.pairs.tolist(), alignment.worths.tolist(), strict=True)
            if query < len(nodes) and other < len(found_nodes)
        )
        shares = (_share(alignment.matched, alignment.query), _share(alignment.found_matched, alignment.found))
        substitutions = _substitutions(pairs, nodes, found_nodes, asked.formula, found)
        weight = retriever.model.alignment_weight if candidate else 0.0
        similarity, by_value = retriever.similarities_of_one(asked, segment, formula)
        if candidate and by_value > similarity:
            parts.append(Explanation(
                weight * by_value,
                f"equal value: {by_value:.4f} · weight {weight:g} (the alignment has a similarity of {similarity:.4f})",
            ))
            score += weight * by_value
        else:
            parts.append(_alignment_part(alignment, pairs, nodes, found_nodes, weight, similarity, candidate, shares))
            score += weight * similarity
    values = _equal_values(asked, found)
    return FormulaMatch(
        asked.formula, found, score, pairs, substitutions, values, *shares,
        Explanation(score, f"formula {found.source}", parts),
    )


def _share(part: float, whole: float) -> float:
    return min(1.0, part / whole) if whole > 0 else 0.0


def _alignment_part(
    alignment: Alignment, pairs: tuple[NodePair, ...], nodes: list[OperatorNode], found_nodes: list[OperatorNode],
    weight: float, similarity: float, candidate: bool, shares: tuple[float, float],
) -> Explanation:
    label = (
        f"alignment: {shares[0]:.0%} of the query and {shares[1]:.0%} of the formula match, similarity "
        f"{similarity:.4f} · weight {weight:g}"
    )
    if not candidate:
        return Explanation(0.0, label + " (not among the candidates that are aligned)")
    total = sum(pair.worth for pair in pairs)
    return Explanation(weight * similarity, label, [
        Explanation(
            weight * similarity * pair.worth / total,
            f"{nodes[pair.query].label} matches {found_nodes[pair.found].label}, worth {pair.worth:.2f}",
        )
        for pair in pairs
    ] if total > 0 and weight > 0 else ())


def _substitutions(
    pairs: tuple[NodePair, ...], nodes: list[OperatorNode], found_nodes: list[OperatorNode], query: Formula,
    found: Formula,
) -> tuple[Substitution, ...]:
    """What variables and wildcards of the query stand for: as in the alignment the heaviest of all first, and what
    another variable has taken is left out."""
    options: defaultdict[tuple[str, str, bool], list[NodePair]] = defaultdict(list)
    for pair in pairs:
        node, other = nodes[pair.query], found_nodes[pair.found]
        wild = node.kind == "W"
        if node.children or not (wild or (node.kind == "V" and other.kind == "V")):
            continue
        options[_written(node, query), _written(other, found), wild].append(pair)
    given: dict[tuple[str, bool], Substitution] = {}
    taken: set[str] = set()
    for name, partner, wild in sorted(options, key=lambda option: -sum(pair.worth for pair in options[option])):
        if (name, wild) not in given and (wild or partner not in taken):
            places = tuple(pair.found for pair in options[name, partner, wild])
            given[name, wild] = Substitution(name, partner, places)
            if not wild:
                taken.add(partner)
    order = dict.fromkeys((name, wild) for name, _, wild in options)
    return tuple(given[name] for name in order if name in given)


def _written(node: OperatorNode, formula: Formula) -> str:
    """A node as LaTeX where that is how the formula is written, else its symbols side by side."""
    if not node.children:
        source = formula.source[node.start : node.end].strip()
        return source if formula.notation == "latex" and source else node.label
    if formula.notation == "latex":
        below = list(node.walk())
        start, end = min(part.start for part in below), max(part.end for part in below)
        opened = unopened = 0
        for character in formula.source[start:end]:
            opened += character == "{"
            if character == "}":
                unopened += opened == 0
                opened -= opened > 0
        while opened and formula.source[end : end + 1] in ("}", " "):  # spans end with the last symbol
            opened -= formula.source[end] == "}"
            end += 1
        while unopened and start and formula.source[start - 1] in "{ ":  # and begin with the first
            start -= 1
            unopened -= formula.source[start] == "{"
        return formula.source[start:end].strip()
    return "".join(below.label for below in node.walk() if not below.children)


def _equal_values(asked: AskedFormula, found: Formula) -> tuple[ValuePair, ...]:
    """The largest subexpressions of equal value, by name where possible, else up to renaming."""
    of_query = expression_values(asked.operators)
    tree = operator_tree(parse(found))
    of_found = expression_values(tree)
    sizes, found_sizes = _sizes(asked.operators.root), _sizes(tree.root)
    chosen: list[ValuePair] = []
    covered: list[tuple[int, int]] = []
    for kind in ("named", "renamed"):
        where: dict[str, int] = {}
        for one in of_found:
            if term := getattr(one, kind):
                where.setdefault(term, one.position)
        for one in of_query:
            term = getattr(one, kind)
            position = where.get(term) if term else None
            if position is None or any(start <= one.position < stop for start, stop in covered):
                continue
            covered.append((one.position, one.position + sizes[one.position]))
            if position < len(found_sizes):
                chosen.append(ValuePair(one.position, position, kind == "renamed"))
    return tuple(chosen[:_MOST_VALUES])


def _sizes(root: OperatorNode) -> list[int]:
    """The number of nodes of each subtree, in preorder. Not recursive."""
    nodes = list(root.walk())
    sizes: dict[int, int] = {}
    for node in reversed(nodes):
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in node.children)
    return [sizes[id(node)] for node in nodes]
