"""Formulas that equal or contain a query formula, in value or in form, whatever the names of variables.

Formula search ranks them: those with a part of the query's value (:class:`EqualValues`), and those that contain its
operator tree, or are most like it, up to renaming of variables (:class:`StructureSearch`). :class:`EqualFormulas` only
classifies them, which is cheap enough to search documents by them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.term_columns import indexed_form
from porism.formula import OperatorTree
from porism.formula.extractors.approach0 import leaf_root_paths
from porism.formula.extractors.subtrees import subtrees
from porism.formula.extractors.values import values
from porism.formula.values import whole_value
from porism.index.engine.postings import Postings
from porism.index.engine.units import FormulaUnits
from porism.retrieve.formulas.alignment import Aligner, QueryTree
from porism.retrieve.formulas.exact_kernels import IDENTICAL, PART, RENAMED, RENAMED_PART
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.lexical.channels import open_postings
from porism.retrieve.lexical.global_statistics import CollectionStatistics, global_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, SearchTerms
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import BM25, LexicalChannel

VALUES = "values"
"""The channel that has the values."""

MAX_EQUAL = 100
"""The largest number of results for a value, by name and up to renaming each."""

_WEIGHTING = BM25()

SUBTREES = "subtrees"
"""The channel that has the subexpressions."""

MIN_NODES = 5
"""Smaller query formulas (``a+b``, ``f(x)``) occur nearly everywhere with other letters, as parts and in value. So with
other letters only whole formulas in the same notation count.
"""

PATHS = "approach0"
"""The channel that has the paths from symbols to the root."""

MAX_HOLDERS = 100
"""The largest number of results: of formulas that contain the query formula, the shortest first, and of those like it.
"""

MAX_HOLDING = 2_000
"""A term that more formulas have is too frequent to be looked up."""


class _ByValue(NamedTuple):
    """A term for a value, in a query for which the query formula itself scores 1.

    ``worth`` is the largest similarity it gives; if ``graded``, longer formulas get less.
    """

    worth: float
    terms: dict[str, dict[str, float]]
    graded: bool

    def similar(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The similarities (float64) of formulas with these scores."""
        similar: NDArray[np.float64] = self.worth * (
            np.minimum(1.0, scores) ** 2 if self.graded else (scores > 0).astype(np.float64)
        )
        return similar


class EqualValues:
    """Searches the channel of values for the value of a query formula."""

    def __init__(
        self, units: Sequence[FormulaUnits], model: FormulaModel, collection: CollectionStatistics | None = None,
        search_terms: SearchTerms = LexicalRetriever,
    ) -> None:
        self.lexical = search_terms(units, {VALUES: LexicalChannel(1.0, _WEIGHTING)}, **global_statistics(collection))
        self._worths = (model.equal, model.renamed_equal, model.value, model.renamed_value)
        self._last: tuple[OperatorTree | None, list[_ByValue]] = (None, [])

    def searches(self, operators: OperatorTree) -> list[UnitResults]:
        """The formulas that have the value of the query formula, for each term of it; the shortest if many."""
        return [self.lexical.search_units([query.terms], MAX_EQUAL)[0] for query in self._queries(operators)]

    def terms(self, operators: OperatorTree) -> dict[str, list[str]]:
        """All terms for the value of the formula, as a whole or in a part, by channel."""
        return {VALUES: [indexed_form(term) for term, _, _ in self._value_terms(operators)]}

    def similarities(self, operators: OperatorTree, hits: UnitResults) -> NDArray[np.float64]:
        """The similarity of each formula by equal values (float64); 0 if no part has the value."""
        similar = np.zeros(len(hits.scores))
        for query in self._queries(operators):
            for segment, mine, units in hits.by_segment():
                scores = self.lexical.score_units(query.terms, segment, units)
                similar[mine] = np.maximum(similar[mine], query.similar(scores))
        return similar

    def _queries(self, operators: OperatorTree) -> list[_ByValue]:
        """The queries for the value, as a whole and in a part; by name and, unless tiny, up to renaming."""
        known, queries = self._last
        if known is operators:
            return queries
        statistics = self.lexical.statistics(VALUES)
        length = np.array([float(len(values(operators)))])
        y = _WEIGHTING.length_values(length, statistics)
        queries = []
        for term, worth, graded in self._value_terms(operators):
            indexed = indexed_form(term)
            df = self.lexical.document_frequencies(VALUES, [indexed])
            own = float(_WEIGHTING.term_weights(df, statistics)[0] / (1.0 + y[0]))
            if own > 0 and df[0] > 0:
                queries.append(_ByValue(worth, {VALUES: {indexed: 1.0 / own}}, graded))
        self._last = operators, queries  # one assignment, so that threads at worst compute it twice
        return queries

    def _value_terms(self, operators: OperatorTree) -> list[tuple[str, float, bool]]:
        """Each term for the value, the largest similarity it gives, and whether longer formulas get less."""
        named, renamed, telling = whole_value(operators)
        whole = [named, renamed if sum(1 for _ in operators.root.walk()) >= MIN_NODES else ""]
        parts = [term and prefix + term[1:] for prefix, term in zip("=~", whole, strict=True) if telling]
        return [
            (term, worth, number > 1)
            for number, (worth, term) in enumerate(zip(self._worths, [*whole, *parts], strict=False)) if term and worth
        ]


class StructureSearch:
    """Searches the channels of subexpressions and paths, in which all variables are alike, for a query formula."""

    def __init__(
        self, units: Sequence[FormulaUnits], model: FormulaModel, collection: CollectionStatistics | None = None,
        search_terms: SearchTerms = LexicalRetriever, channels: Container[str] = (PATHS,),
    ) -> None:
        """``channels`` are those that the index has, with that of subexpressions."""
        both = PATHS in model.channels and PATHS in channels
        paths = {PATHS: replace(model.channels[PATHS].lexical, weight=1.0)} if both else {}
        self.lexical = search_terms(
            units, {SUBTREES: LexicalChannel(1.0, BM25()), **paths}, **global_statistics(collection)
        )

    def terms(self, operators: OperatorTree) -> dict[str, list[str]]:
        """The terms of the query formula by channel, if they are informative; the first subexpression is the whole."""
        if not operators.root.children or any(node.kind == "W" for node in operators.root.walk()):
            return {}
        extracted = {SUBTREES: subtrees(operators), PATHS: leaf_root_paths(operators)}
        return {name: list(map(indexed_form, extracted[name])) for name in self.lexical.channels}

    def searches(self, operators: OperatorTree) -> list[UnitResults]:
        """Formulas that contain the query formula up to renaming, and those whose structure is most like it.

        There are none for single symbols, nor any that contain very large formulas. A few that contain it are false:
        whether variables are renamed one to one is checked by alignment.
        """
        terms = self.terms(operators)
        queries = [{SUBTREES: {terms[SUBTREES][0]: 1.0}}] if terms.get(SUBTREES) else []
        queries += [{name: dict(Counter(of_channel)) for name, of_channel in terms.items()}] if terms else []
        return self.lexical.search_units(queries, MAX_HOLDERS)


class Equal(NamedTuple):
    """Formulas of a segment (int32 ordinals, increasing) and the kind of each match (int8).

    Kinds are numbers of :mod:`porism.retrieve.formulas.exact_kernels`; a part of equal value is ``PART`` or
    ``RENAMED_PART``.
    """

    formulas: NDArray[np.int32]
    kinds: NDArray[np.int8]


class EqualFormulas:
    """Looks up equal formulas; safe to share between threads."""

    def __init__(self, units: Sequence[FormulaUnits], channels: frozenset[str], aligner: Aligner | None) -> None:
        """``channels`` are those of the index."""
        self._units = tuple(units)
        self._aligner = aligner
        known = [name for name in (VALUES, SUBTREES) if name in channels and (name == VALUES or aligner is not None)]
        self._lexical = LexicalRetriever(units, {name: LexicalChannel(1.0, BM25()) for name in known})
        self._known = frozenset(known)
        self._postings: dict[tuple[int, str], Postings] = {}

    def find(self, operators: OperatorTree, tree: QueryTree) -> list[Equal]:
        """The live formulas of each segment that equal or contain the query formula."""
        by_value = self._by_value(operators) if VALUES in self._known else []
        root = self._root(operators, tree) if SUBTREES in self._known else ""
        terms = {VALUES: [term for term, _ in by_value], SUBTREES: [root] if root else []}
        numbers = {name: self._telling(name, wanted) for name, wanted in terms.items() if wanted}
        equal: list[Equal] = []
        for segment in range(len(self._units)):
            formulas = [np.zeros(0, np.int32)]
            kinds = [np.zeros(0, np.int8)]
            for position, (_, kind) in enumerate(by_value):
                holders = self._holders(segment, VALUES, int(numbers[VALUES][segment, position]))
                if not len(holders):
                    continue
                formulas.append(holders)
                kinds.append(np.full(len(holders), kind, np.int8))
            if root and self._aligner is not None:
                holders = self._holders(segment, SUBTREES, int(numbers[SUBTREES][segment, 0]))
                if len(holders):
                    formulas.append(holders)
                    kinds.append(self._aligner.exactness(tree, segment, holders).kinds)
            equal.append(_best(np.concatenate(formulas), np.concatenate(kinds)))
        return equal

    def _telling(self, channel: str, terms: list[str]) -> NDArray[np.int32]:
        """The number of each term in each segment (int32, segments × terms), -1 if too many formulas have it."""
        numbers = self._lexical.terms.vocabulary(channel).find(terms)
        return np.where(numbers.df[None, :] > MAX_HOLDING, np.int32(-1), numbers.numbers)

    @staticmethod
    def _by_value(operators: OperatorTree) -> list[tuple[str, int]]:
        named, renamed, telling = whole_value(operators)
        parts = (("=" + named[1:], PART), ("~" + renamed[1:] if renamed else "", RENAMED_PART)) if telling else ()
        return [(indexed_form(term), kind) for term, kind in ((named, IDENTICAL), (renamed, RENAMED), *parts) if term]

    @staticmethod
    def _root(operators: OperatorTree, tree: QueryTree) -> str:
        terms = subtrees(operators) if len(tree.labels) >= MIN_NODES and not tree.cut else []
        return indexed_form(terms[0]) if terms and _is_whole(operators, terms) else ""

    def _holders(self, segment: int, channel: str, number: int) -> NDArray[np.int32]:
        """The live formulas of a segment that have a term (int32, increasing)."""
        if number < 0:
            return np.zeros(0, np.int32)
        postings = self._postings.get((segment, channel))
        if postings is None:
            postings = self._postings[segment, channel] = open_postings(
                self._units[segment], channel, self._lexical.fields_of(channel)
            )
        formulas = postings.documents_of(number)
        return formulas[self._units[segment].live[formulas]]


def _is_whole(operators: OperatorTree, terms: list[str]) -> bool:
    """Whether the first term is that of the root, which very large formulas lack."""
    return terms[0].startswith(f"{operators.root.label}(")


def _best(formulas: NDArray[np.int32], kinds: NDArray[np.int8]) -> Equal:
    """Each formula once, with its best kind."""
    some = kinds > 0
    if not some.any():
        return Equal(formulas[:0], kinds[:0])
    formulas, kinds = formulas[some], kinds[some]
    order = np.lexsort((-kinds, formulas))
    _, first = np.unique(formulas[order], return_index=True)
    return Equal(formulas[order][first], kinds[order][first])
