"""Formula search by structure that explains its matches: nodes, substitution, equal values, contributions."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.formula import OperatorNode, OperatorTree, notation_of, operator_tree, parse
from porism.formula.operators.rules import is_fixed_name
from porism.formula.values.shared import shared_values
from porism.retrieve.formulas.alignment import Alignment
from porism.retrieve.formulas.exact_kernels import IDENTICAL, PART, RENAMED, RENAMED_PART
from porism.retrieve.formulas.matches import FormulaMatch, NodePair, Substitution, ValuePair
from porism.retrieve.formulas.model import FORMULA_MODELS, FormulaModel
from porism.retrieve.formulas.retriever import FormulaRetriever, QueryFormula
from porism.retrieve.kinds import FormulaKind
from porism.retrieve.lexical.explanations import explain_terms
from porism.types import Formula

_EXACT = {
    IDENTICAL: "the query formula itself", RENAMED: "the query formula, variables renamed",
    PART: "holds the query formula", RENAMED_PART: "holds the query formula, variables renamed",
}

class StructureRanker(FormulaRetriever):
    """Ranks formulas by their terms and by the alignment of their operator trees, and explains how they match."""

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores of formulas, by segment and ordinal there, in a search for the query formula (float64)."""
        return self.scores(self.read(formula), segments, units)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score for a query formula."""
        segment, unit = self.find(key)
        query, candidates = self.read_with_candidates(formula)
        return match_formulas(self, query, segment, unit, (segment, unit) in candidates)

    def aligned(self, formula: Formula, key: str) -> FormulaMatch:
        """What of a formula, given by its key, matches a query formula: :meth:`match` without its score, which is 0."""
        segment, unit = self.find(key)
        query = self.read_again(formula)
        stored, operators = _stored(self, segment, unit)
        pairs: tuple[NodePair, ...] = ()
        substitutions: tuple[Substitution, ...] = ()
        shares = (0.0, 0.0)
        if self.aligner is not None:
            nodes, found_nodes = list(query.operators.root.walk()), list(operators.root.walk())
            _, _, pairs, substitutions, shares = _aligned(self, query, segment, unit, nodes, found_nodes, stored)
        return FormulaMatch(
            query.formula, stored, 0.0, pairs, substitutions, _equal_values(query, operators), *shares,
            Explanation(0.0, f"formula {stored.source}"),
        )


STRUCTURE = FormulaKind(
    name="structure", settings=FormulaModel, models=FORMULA_MODELS, channels=lambda model: tuple(model.channels),
    make=StructureRanker,
)
"""Formula search by a weighted sum of channels and the alignment of operator trees."""


def _stored(retriever: FormulaRetriever, segment: int, formula: int) -> tuple[Formula, OperatorTree]:
    source = retriever.snapshot.segments[segment].formula_source(formula)
    read = Formula(source, notation_of(source))
    return read, operator_tree(parse(read))


class _Aligned(NamedTuple):
    """An alignment, its pairs, those that are shown, the substitutions, and the matched shares."""

    alignment: Alignment
    aligned: tuple[NodePair, ...]
    pairs: tuple[NodePair, ...]
    substitutions: tuple[Substitution, ...]
    shares: tuple[float, float]


def _aligned(
    retriever: FormulaRetriever, query: QueryFormula, segment: int, formula: int, nodes: list[OperatorNode],
    found_nodes: list[OperatorNode], found_formula: Formula,
) -> _Aligned:
    assert retriever.aligner is not None
    alignment = retriever.aligner.align(query.tree, segment, formula)
    aligned = pairs = tuple(
        NodePair(int(query), int(other), float(worth))
        for (query, other), worth in zip(alignment.pairs.tolist(), alignment.worths.tolist(), strict=True)
        if query < len(nodes) and other < len(found_nodes)
    )
    exact_pairs = retriever.aligner.exact_pairs(query.tree, segment, formula)
    if len(exact_pairs) and int(exact_pairs[:, 1].max()) < len(found_nodes):
        worths = {pair.query: pair.worth for pair in pairs}
        pairs = tuple(
            NodePair(query, other, 1.0 if _same(nodes[query], found_nodes[other]) else worths.get(query, 1.0))
            for query, other in exact_pairs.tolist()
        )
    return _Aligned(
        alignment, aligned, pairs,
        _substitutions(pairs, nodes, found_nodes, query.formula, found_formula, len(exact_pairs) > 0),
        (_share(alignment.matched, alignment.query), _share(alignment.found_matched, alignment.found)),
    )


def match_formulas(
    retriever: FormulaRetriever, query: QueryFormula, segment: int, formula: int, candidate: bool
) -> FormulaMatch:
    """The match of a formula of a segment with a query formula; ``candidate`` says whether its alignment counts."""
    stored, operators = _stored(retriever, segment, formula)
    nodes = list(query.operators.root.walk())
    found_nodes = list(operators.root.walk())
    lexical = explain_terms(retriever.lexical, query.terms, retriever.lexical.segments[segment].doc_ids([formula])[0])
    parts = list(lexical.parts)
    score = lexical.value
    pairs: tuple[NodePair, ...] = ()
    substitutions: tuple[Substitution, ...] = ()
    shares = (0.0, 0.0)
    if retriever.aligner is not None:
        alignment, aligned, pairs, substitutions, shares = _aligned(
            retriever, query, segment, formula, nodes, found_nodes, stored
        )
        weight = retriever.model.alignment_weight if candidate else 0.0
        similarity, by_value, exact, added = retriever.similarities_of_one(query, segment, formula)
        if candidate and by_value > similarity + added:
            parts.append(Explanation(
                weight * by_value,
                f"equal value: {by_value:.4f} · weight {weight:g} (the alignment has a similarity of {similarity:.4f})",
            ))
            score += weight * by_value
        else:
            parts.append(_alignment_part(alignment, aligned, nodes, found_nodes, weight, similarity, candidate, shares))
            if candidate and added:
                parts.append(Explanation(weight * added, f"{_EXACT[exact]}: {added:.4g} · weight {weight:g}"))
            score += weight * (similarity + (added if candidate else 0.0))
    return FormulaMatch(
        query.formula, stored, score, pairs, substitutions, _equal_values(query, operators), *shares,
        Explanation(score, f"formula {stored.source}", parts),
    )


def _same(node: OperatorNode, other: OperatorNode) -> bool:
    return node.kind == "W" or (node.kind == other.kind and node.label == other.label)


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
    formula: Formula, exact: bool,
) -> tuple[Substitution, ...]:
    """The substitutions of variables and wildcards of the query, the heaviest first, as in the alignment.

    Two variables never have the same replacement. Wildcards have one only if the match is exact.
    """
    options: defaultdict[tuple[str, str, bool], list[NodePair]] = defaultdict(list)
    for pair in pairs:
        node, other = nodes[pair.query], found_nodes[pair.found]
        wild = node.kind == "W"
        if node.children or not (exact if wild else _is_variable(node) and _is_variable(other)):
            continue
        options[_written(node, query, nodes), _written(other, formula, found_nodes), wild].append(pair)
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


def _is_variable(node: OperatorNode) -> bool:
    return node.kind == "V" and not node.children and not is_fixed_name(node.label)


def _written(node: OperatorNode, formula: Formula, nodes: list[OperatorNode]) -> str:
    """A node of a tree as LaTeX if the formula is written so, else its symbols side by side.

    Scripts within it that belong to other nodes are left out: in ``\\sin^2x`` the node ``sin`` is ``\\sin x``.
    """
    if not node.children:
        source = formula.source[node.start : node.end].strip()
        return source if formula.notation == "latex" and source else node.label
    if formula.notation != "latex":
        return "".join(below.label for below in node.walk() if not below.children)
    below = list(node.walk())
    own = set(map(id, below))
    start, end = min(part.start for part in below), max(part.end for part in below)
    holes = [
        (other.start, other.end) for other in nodes
        if not other.children and id(other) not in own and start < other.start < other.end < end
    ]
    start, end = _balanced(formula.source, start, end)
    text = formula.source[start:end]
    for first, last in sorted(holes, reverse=True):
        text = _without(text, first - start, last - start)
    return text.strip()


def _balanced(source: str, start: int, end: int) -> tuple[int, int]:
    """Extends a span so that its braces are balanced."""
    opened = unopened = 0
    for character in source[start:end]:
        opened += character == "{"
        if character == "}":
            unopened += opened == 0
            opened -= opened > 0
    while opened and source[end : end + 1] in ("}", " "):  # spans end with the last symbol
        opened -= source[end] == "}"
        end += 1
    while unopened and start and source[start - 1] in "{ ":  # and begin with the first
        start -= 1
        unopened -= source[start] == "{"
    return start, end


def _without(text: str, start: int, end: int) -> str:
    """Removes a script from a text, with the braces around it and the sign before them."""
    while text[:start].rstrip().endswith("{") and text[end:].lstrip().startswith("}"):
        start = len(text[:start].rstrip()) - 1
        end = len(text) - len(text[end:].lstrip()) + 1
    before = text[:start].rstrip()
    if not before.endswith(("^", "_")):
        return text
    return f"{before[:-1]} {text[end:].lstrip()}"


def _equal_values(query: QueryFormula, operators: OperatorTree) -> tuple[ValuePair, ...]:
    """The largest subexpressions of equal value, by name where possible, else up to renaming."""
    return tuple(
        ValuePair(shared.first, shared.second, shared.renamed) for shared in shared_values(query.operators, operators)
    )
