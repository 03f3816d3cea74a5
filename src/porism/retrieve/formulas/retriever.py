"""Formula search: the distinct formulas of a snapshot, ranked for a query formula."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer, read_formula
from porism.errors import ConfigError, QueryError
from porism.formula import LayoutTree, OperatorTree, layout_key
from porism.index import Segment, Snapshot
from porism.index.engine.trees import prepare_trees
from porism.index.engine.units import FormulaUnits, formula_units, prepare_units
from porism.retrieve.formulas.alignment import Aligner, Exactness, QueryTree
from porism.retrieve.formulas.equal_formulas import MIN_NODES, SUBTREES, VALUES, EqualValues, StructureSearch
from porism.retrieve.formulas.exact_kernels import IDENTICAL, PART, RENAMED, RENAMED_PART
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FormulaModel
from porism.retrieve.formulas.query_terms import count_terms, count_with_stand_ins, has_wildcard
from porism.retrieve.lexical.channels import prepare
from porism.retrieve.lexical.global_statistics import CollectionStatistics, global_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, SearchTerms
from porism.retrieve.ranking import SegmentHits, UnitResults, check_depth, merge, unit_numbers
from porism.retrieve.weightings.base import BM25, LexicalChannel, computed
from porism.system.concurrency.caching import Memory
from porism.types import Formula

_LAST_READ = 16


class QueryFormula(NamedTuple):
    """A query formula read for a model: its trees, and the weights of its terms by channel.

    ``mass`` is the sum of the inverse document frequencies of its terms in all channels.
    """

    formula: Formula
    layout: LayoutTree
    operators: OperatorTree
    tree: QueryTree
    terms: dict[str, dict[str, float]]
    mass: float


class Candidates(NamedTuple):
    """A query formula, and the formulas (by segment and ordinal) whose similarity to it counts."""

    query: QueryFormula
    formulas: frozenset[tuple[int, int]]


class SimilarityOfOne(NamedTuple):
    """The similarity of a formula by alignment and by value, and what is ``added`` for its kind of exact match.

    ``exact`` is the kind, a number of :mod:`porism.retrieve.formulas.exact_kernels`.
    """

    by_alignment: float
    by_value: float
    exact: int
    added: float


class FormulaRetriever:
    """Searches the formulas of a snapshot by a model. Immutable, and safe to share between threads.

    Each distinct formula is one result, however many documents contain it; formulas of deleted documents are left out.
    """

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, model: FormulaModel = DEFAULT_FORMULA_MODEL, *,
        units: Sequence[FormulaUnits] | None = None, collection: CollectionStatistics | None = None,
        search_terms: SearchTerms = LexicalRetriever,
    ) -> None:
        """Channels of the model that the index lacks are left out.

        :param units: the formulas that are searched; by default all of the snapshot.
        :param collection: the statistics of a larger collection; then those of queries must be given too
            (:mod:`porism.retrieve.lexical.global_statistics`).
        :param search_terms: makes the search by terms, with the parameters of :class:`LexicalRetriever`.
        :raises ConfigError: the index has none of the model's channels.
        """
        self.snapshot = snapshot
        self.analyzer = analyzer
        self.model = model
        known = set(analyzer.config.formulas)
        if not known & set(model.channels):
            raise ConfigError(
                f"the index has none of the formula channels {', '.join(model.channels)}", where=str(snapshot.path),
                hint=f"It has {', '.join(sorted(known)) or 'none'}; index again with others.",
            )
        units = formula_units(snapshot.segments) if units is None else units
        held = {name for segment in snapshot.segments for name in segment.formula_channels}
        channels = lexical_channels(model)
        self.lexical = search_terms(
            units, {name: channels[name] for name in channels if name in known and (name in held or not held)},
            **global_statistics(collection),
        )
        self.aligner = Aligner(snapshot.segments, model.alignment) if model.alignment else None
        there = known & (held or known) if self.aligner else set()
        self.values = EqualValues(units, model, collection, search_terms) if VALUES in there else None
        self.structure = StructureSearch(units, model, collection, search_terms, there) if SUBTREES in there else None
        self._last_query: Memory[QueryFormula] = Memory(_LAST_READ)
        self._last_read: Memory[Candidates] = Memory(_LAST_READ)

    def read(self, formula: Formula) -> QueryFormula:
        """Reads a query formula; never fails: parts that cannot be understood are left out."""
        layout, operators = read_formula(formula.source, formula.notation)
        terms: dict[str, dict[str, float]] = {}
        mass = 0.0
        for name, counts in self._counts(layout, operators).items():
            channel = self.lexical.channels[name]
            statistics = self.lexical.statistics(name)
            weighting = computed(channel.weighting)
            weights = weighting.term_weights(self.lexical.document_frequencies(name, list(counts)), statistics).clip(0)
            frequencies = np.fromiter(counts.values(), np.float64, count=len(counts))
            mass += float(weights @ frequencies)
            x = weighting.tf_values(frequencies)
            y = weighting.length_values(np.array([frequencies.sum()]), statistics)
            own = float((frequencies * weights) @ weighting.factor(x, y))
            if own > 0:
                terms[name] = dict(zip(counts, (frequencies / own).tolist(), strict=True))
        return QueryFormula(formula, layout, operators, QueryTree.of(operators), terms, mass)

    def _counts(self, layout: LayoutTree, operators: OperatorTree) -> dict[str, dict[str, float]]:
        """Channel → term → count in a query formula."""
        by_channel: dict[str, dict[str, float]] = {}
        for name in self.lexical.channels:
            stands_in = name in self.model.wildcard_channels and has_wildcard(operators)
            counts = (count_with_stand_ins if stands_in else count_terms)(name, layout, operators)
            if counts:
                by_channel[name] = counts
        return by_channel

    def terms_of(self, formula: Formula) -> dict[str, set[str]]:
        """The terms, by channel, whose statistics a search for a formula needs."""
        layout, operators = read_formula(formula.source, formula.notation)
        terms = {name: set(counts) for name, counts in self._counts(layout, operators).items()}
        for finder in self._finders:
            for name, found_terms in finder.terms(operators).items():
                terms.setdefault(name, set()).update(found_terms)
        return terms

    @property
    def _finders(self) -> list[EqualValues | StructureSearch]:
        return [finder for finder in (self.values, self.structure) if finder is not None]

    def lexicals(self) -> list[LexicalRetriever]:
        """The searches by terms: of the model's channels, and of equal values and structure."""
        return [self.lexical, *(finder.lexical for finder in self._finders)]

    def other_candidates(self, query: QueryFormula) -> list[UnitResults]:
        """Formulas whose similarity counts whatever their names: by equal values, and by structure."""
        return [hits for finder in self._finders for hits in finder.searches(query.operators)]

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula; those that share no term with it are not results."""
        return [self.search_read(self.read(formula), k) for formula in formulas]

    def search_read(self, query: QueryFormula, k: int) -> UnitResults:
        """:meth:`search` for a formula that has been read."""
        check_depth(k)
        candidates = self.model.candidates if self.aligner else 0
        hits = self.lexical.search_units([query.terms], max(k, candidates))[0]
        if self.aligner:
            hits = self._aligned(query, hits)
        return hits.first(k)

    def scores(
        self, query: QueryFormula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores (float64) of formulas, given by segment and ordinal, in a search."""
        hits = UnitResults(segments.astype(np.int32), units.astype(np.int32), np.zeros(len(units)))
        scores = self._scores_by_channels(query, hits)
        if self.aligner is None:
            return scores
        candidates, _ = self._candidates(query, self.lexical.search_units([query.terms], self.model.candidates)[0])
        hits = hits._replace(scores=scores)
        aligned = np.flatnonzero(np.isin(unit_numbers(hits), unit_numbers(candidates)))
        some = hits.take(aligned)
        by_value = np.zeros(len(aligned)) if self.values is None else self.values.similarities(query.operators, some)
        scores[aligned] = self.with_similarity(query, some, by_value)
        return scores

    def similarities(self, query: QueryFormula, hits: UnitResults) -> NDArray[np.float64]:
        """The similarity (float64, 0 to 1) of the query formula to each formula; 0 without alignment."""
        values = np.zeros(len(hits.scores))
        if self.aligner:
            for segment, mine, units in hits.by_segment():
                values[mine] = self.aligner.similarities(query.tree, segment, units)
        return values

    def exactness(self, query: QueryFormula, hits: UnitResults) -> Exactness:
        """The kinds of exact matches (:meth:`Aligner.exactness`); none without alignment."""
        exact = Exactness(np.zeros(len(hits.scores), np.int8), np.zeros(len(hits.scores)))
        if self.aligner:
            for segment, mine, units in hits.by_segment():
                exact.kinds[mine], exact.shares[mine] = self.aligner.exactness(query.tree, segment, units)
        return exact

    def exact_worths(self, query: QueryFormula, exact: Exactness) -> NDArray[np.float64]:
        """The number added to the similarity (float64) of formulas that equal or contain the query formula.

        It is smaller if the query formula is a small part, and 0 for parts that equal a tiny one after renaming.
        """
        worths = np.zeros(5)
        model = self.model
        worths[[IDENTICAL, RENAMED, PART]] = model.identical, model.renamed, model.part
        if len(query.tree.labels) >= MIN_NODES:
            worths[RENAMED_PART] = model.renamed_part
        added: NDArray[np.float64] = worths[exact.kinds] * exact.shares
        return added

    def similarities_of_one(self, query: QueryFormula, segment: int, formula: int) -> SimilarityOfOne:
        """The similarity of one formula to the query formula, and its kind of exact match."""
        hit = UnitResults.one(segment, formula)
        by_value = float(self.values.similarities(query.operators, hit)[0]) if self.values else 0.0
        exact = self.exactness(query, hit)
        return SimilarityOfOne(
            float(self.similarities(query, hit)[0]), by_value, int(exact.kinds[0]),
            float(self.exact_worths(query, exact)[0]),
        )

    def find(self, key: str) -> tuple[int, int]:
        """The segment and the ordinal of a formula by its key.

        :raises QueryError: the index has no such formula.
        """
        for number, units in enumerate(self.lexical.segments):
            unit = units.find(key)
            if unit is not None:
                return number, unit
        raise QueryError(f"there is no formula {key!r} in the index")

    def read_again(self, formula: Formula) -> QueryFormula:
        """:meth:`read`, cached for the last few formulas."""
        return self._last_query.get(formula, lambda: self.read(formula))

    def read_with_candidates(self, formula: Formula) -> Candidates:
        """Reads a query formula, and finds the formulas whose similarity to it counts.

        The last few are cached: the formula of a question is compared with those of many documents.
        """

        def compute() -> Candidates:
            query = self.read_again(formula)
            if self.aligner is None:
                return Candidates(query, frozenset())
            hits = self.lexical.search_units([query.terms], self.model.candidates)[0]
            hits, _ = self._candidates(query, hits)
            return Candidates(query, frozenset(zip(hits.segments.tolist(), hits.units.tolist(), strict=True)))

        return self._last_read.get(formula, compute)

    def _candidates(self, query: QueryFormula, hits: UnitResults) -> tuple[UnitResults, NDArray[np.float64]]:
        """The formulas whose similarity counts, and the similarity of each by value (float64).

        They are the first by channels, and :meth:`other_candidates`.
        """
        candidates = self.with_itself(query, hits.first(self.model.candidates))
        for others in self.other_candidates(query):
            candidates = self.joined(query, candidates, others)
        if self.values is None:
            return candidates, np.zeros(len(candidates.scores))
        return candidates, self.values.similarities(query.operators, candidates)

    def joined(self, query: QueryFormula, candidates: UnitResults, others: UnitResults) -> UnitResults:
        """The candidates and the others that are not among them, with their scores by channels."""
        new = others.take(~np.isin(unit_numbers(others), unit_numbers(candidates)))
        return candidates.joined(new._replace(scores=self._scores_by_channels(query, new)))

    def _scores_by_channels(self, query: QueryFormula, formulas: UnitResults) -> NDArray[np.float64]:
        """The scores (float64) of formulas by their terms alone."""
        scores = np.zeros(len(formulas.units))
        for segment, mine, units in formulas.by_segment():
            scores[mine] = self.lexical.score_units(query.terms, segment, units)
        return scores

    def with_itself(self, query: QueryFormula, hits: UnitResults) -> UnitResults:
        """Adds the query formula itself, if the index has it.

        Longer formulas that repeat its terms score higher, so a short one may not be among the candidates.
        """
        key = layout_key(query.layout)
        for segment, units in enumerate(self.lexical.segments):
            unit = units.find(key)
            if unit is None:
                continue
            if ((hits.segments == segment) & (hits.units == unit)).any():
                return hits
            score = float(self.lexical.score_units(query.terms, segment, np.array([unit], np.int32))[0])
            return hits.joined(UnitResults.one(segment, unit, score))
        return hits

    def with_similarity(
        self, query: QueryFormula, candidates: UnitResults, by_value: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The scores of candidates by channels and similarity; ``by_value`` is the similarity by value (float64)."""
        similar = self.similarities(query, candidates) + self.exact_worths(query, self.exactness(query, candidates))
        scores: NDArray[np.float64] = candidates.scores + self.model.alignment_weight * np.maximum(similar, by_value)
        return scores

    def _aligned(self, query: QueryFormula, hits: UnitResults) -> UnitResults:
        """Adds further candidates and the similarity of all candidates, and ranks again."""
        candidates, by_value = self._candidates(query, hits)
        if not len(candidates.scores):
            return hits
        scores = self.with_similarity(query, candidates, by_value)
        rest = hits.take(~np.isin(unit_numbers(hits), unit_numbers(candidates)))
        return rank(candidates._replace(scores=scores).joined(rest), self.lexical)


def rank(hits: UnitResults, lexical: LexicalRetriever) -> UnitResults:
    """Sorts units by score and then by descending id."""
    parts: list[SegmentHits] = []
    for segment, mine, units in hits.by_segment():
        scores = hits.scores[mine]
        order = np.lexsort((-lexical.segments[segment].id_order[units], -scores))
        parts.append(SegmentHits(segment, units[order], scores[order]))
    return merge(parts, max(1, len(hits.scores)), lexical.ids)


def lexical_channels(model: FormulaModel) -> dict[str, LexicalChannel]:
    """The channels of a model that count, for the engine."""
    return {name: channel.lexical for name, channel in model.channels.items() if channel.weight > 0}


def prepare_formulas(segments: Sequence[Segment], model: FormulaModel = DEFAULT_FORMULA_MODEL) -> None:
    """Stores the derived data that formula search by ``model`` reads, so that the first query computes nothing.

    :raises StorageError: the disk is full or the folder read-only.
    """
    prepare_trees(segments)
    prepare_units(segments)
    held = {name for segment in segments for name in segment.formula_channels}
    units: list[FormulaUnits] = formula_units(segments)
    looked_up = {name: LexicalChannel(1.0, BM25()) for name in (VALUES, SUBTREES)}
    channels = looked_up | lexical_channels(model)
    prepare(units, {name: channel for name, channel in channels.items() if name in held})
