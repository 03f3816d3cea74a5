"""The formulas of a snapshot that equal or contain a query formula, looked up by single index terms.

Formula search ranks them (:mod:`porism.retrieve.formulas.equal_values`, :mod:`porism.retrieve.formulas.exact`). Here
they are only classified, which is cheap enough to search documents by them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.term_columns import indexed_form
from porism.formula import OperatorTree
from porism.formula.extractors.subtrees import subtrees
from porism.formula.values import whole_value
from porism.index.engine.postings import Postings
from porism.index.engine.units import FormulaUnits
from porism.retrieve.formulas.alignment import Aligner, QueryTree
from porism.retrieve.formulas.equal_values import VALUES
from porism.retrieve.formulas.exact import MIN_NODES, SUBTREES
from porism.retrieve.formulas.exact_kernels import IDENTICAL, PART, RENAMED, RENAMED_PART
from porism.retrieve.lexical.channels import open_postings
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import BM25, LexicalChannel

MAX_HOLDING = 2_000
"""A term that more formulas have is too frequent to be looked up."""


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
        numbers = {
            name: self._telling(name, wanted) for name, wanted in terms.items() if wanted
        }
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
        return [
            (indexed_form(term), kind) for term, kind in ((named, IDENTICAL), (renamed, RENAMED), *parts) if term
        ]

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
