"""Matching formulas: a document gains by the best match of each query formula.

A query formula is searched for by its terms, by its value, and by its operator tree up to renaming of variables. A
document with an equal formula also gains a share ``equal`` of the score by terms that it lacks, compared with a
document that contains the query formula itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.explanation import Explanation
from porism.index import Snapshot
from porism.index.engine.trees import open_places
from porism.index.engine.units import formula_units
from porism.retrieve.documents.components import ComponentContext, ComponentKind, ScoreComponent
from porism.retrieve.documents.containing import HeldFormulas
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.documents.shown_matches import ShownMatches
from porism.retrieve.documents.weighted_formulas import Matches, WeightedFormula, WeightedFormulas
from porism.retrieve.formulas.equal_formulas import VALUES, EqualFormulas
from porism.retrieve.formulas.exact_kernels import IDENTICAL, PART, RENAMED, RENAMED_PART
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FormulaModel
from porism.retrieve.formulas.retriever import FormulaRetriever
from porism.retrieve.lexical.global_statistics import CollectionStatistics, query_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.ranking import UnitResults
from porism.system.concurrency.caching import cached_property
from porism.types import Query

_LETTER = re.compile(r"[^\W\d_]")
MAX_FURTHER = 200
"""The largest number of candidates that are found by their formulas and not by their terms."""


class _Holders(NamedTuple):
    """The live documents of a segment with a match for a query formula (int32, increasing).

    ``shares`` (float64) are their shares of a full match, ``lacking`` (float64) their gains for an equal formula.
    """

    documents: NDArray[np.int32]
    shares: NDArray[np.float64]
    lacking: NDArray[np.float64]


class _LikeFormulas(NamedTuple):
    """Formulas like a query formula, by segment and ordinal (int32); some occur twice.

    ``shares`` and ``equal`` (float64) are their shares of a full match and of an equal formula.
    """

    segments: NDArray[np.int32]
    units: NDArray[np.int32]
    shares: NDArray[np.float64]
    equal: NDArray[np.float64]


class _Prepared(NamedTuple):
    """A query formula with the documents of each segment that contain a match."""

    query: WeightedFormula
    by_segment: tuple[_Holders, ...]

    def gains(self, segment: int) -> NDArray[np.float64]:
        """The gains of the documents (float64)."""
        holders = self.by_segment[segment]
        return self.query.weight * holders.shares + holders.lacking


class MatchedFormulas(ScoreComponent):
    """The component of matching formulas; safe to share between threads."""

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, settings: Matches, query_field_weights: Mapping[str, float],
        model: FormulaModel = DEFAULT_FORMULA_MODEL, lexical: LexicalRetriever | None = None,
        reader: QueryReader | None = None, collection: CollectionStatistics | None = None,
    ) -> None:
        """``lexical`` and ``reader`` search the documents; without them equal formulas gain no more than a match.

        With a ``collection``, the statistics of a query have the numbers of documents with equal formulas.
        """
        self._model = model
        self.settings = settings
        self._snapshot, self._analyzer = snapshot, analyzer
        self._formulas = WeightedFormulas(settings, query_field_weights, lambda formula: self.retriever.read(formula))
        self.shown = ShownMatches(snapshot, analyzer, self._formulas, model)
        """Chooses the formulas of a document to show as matches."""
        self._held = HeldFormulas(lexical, reader) if lexical is not None and reader is not None else None
        self._collection = collection
        self._last: tuple[Query | None, list[_Prepared]] = (None, [])

    @property
    def possible(self) -> bool:
        """Whether it can add anything: it is switched on, and the index has channels to search formulas by."""
        return (self.settings.weight > 0 or self.settings.equal > 0) and self.searchable

    @property
    def searchable(self) -> bool:
        """Whether the index has channels to search formulas by."""
        return bool(set(self._analyzer.config.formulas) & set(self._model.channels) - {VALUES})

    @cached_property
    def retriever(self) -> FormulaRetriever:
        """Search of formulas without their values, which are expensive to compute; made at first use."""
        channels = {name: channel for name, channel in self._model.channels.items() if name != VALUES}
        return FormulaRetriever(self._snapshot, self._analyzer, replace(self._model, channels=channels))

    @cached_property
    def _equal(self) -> EqualFormulas:
        retriever = self.retriever
        return EqualFormulas(
            formula_units(self._snapshot.segments), frozenset(self._analyzer.config.formulas), retriever.aligner
        )

    def applies(self, query: Query) -> bool:
        return any(content.formulas for content in query.fields.values())

    def further(self, query: Query) -> list[tuple[int, NDArray[np.int32]]]:
        """The documents with a formula equal to one of the query that gain most by it."""
        gaining = self.gaining(query)
        best = gaining.take(first_gaining(gaining.scores))
        return [(number, np.sort(units)) for number, _, units in best.by_segment()]

    def gaining(self, query: Query) -> UnitResults:
        """All documents with a formula equal to one of the query, in any order; their scores are the gains."""
        gaining: list[UnitResults] = []
        prepared_formulas = [
            prepared for prepared in self._prepared(query) if any(part.lacking.any() for part in prepared.by_segment)
        ]
        for number, segment in enumerate(self._snapshot.segments if prepared_formulas else ()):
            total = np.zeros(segment.doc_count)
            for prepared in prepared_formulas:
                holders = prepared.by_segment[number]
                equal = np.flatnonzero(holders.lacking > 0)
                total[holders.documents[equal]] += prepared.gains(number)[equal]
            units = np.flatnonzero(total).astype(np.int32)
            gaining.append(UnitResults.of_segment(number, units, total[units]))
        return UnitResults.none().joined(*gaining)

    def formula_count(self, query: Query) -> int:
        """The number of the query's formulas that count."""
        return len(self._formulas.of(query))

    def holders(self, query: Query) -> list[int]:
        """The number of documents with a formula equal to each of the query's formulas that count."""
        worth = self._worth(query)
        matches = [self._like(formula, worth) for formula in self._formulas.of(query)]
        return [sum(int(np.count_nonzero(match.lacking)) for match in by_segment) for by_segment in matches]

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        gains = np.zeros(len(candidates.scores))
        if len(gains):
            for prepared in self._prepared(query):
                gain = np.zeros(len(gains))
                for segment, chosen, places in self._held_by(candidates, prepared):
                    gain[chosen] = prepared.gains(segment)[places]
                gains = gains + gain if self.settings.combine == "sum" else np.maximum(gains, gain)
        return gains

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """A part for each query formula that the document has a match for."""
        candidate = candidates.take(slice(position, position + 1))
        parts: list[Explanation] = []
        for prepared in self._prepared(query):
            source = prepared.query.formula.formula.source
            for segment, _, places in self._held_by(candidate, prepared):
                holders = prepared.by_segment[segment]
                share, lacking = float(holders.shares[places[0]]), float(holders.lacking[places[0]])
                weight = prepared.query.weight
                match = Explanation(weight * share, f"formula {source}: share {share:.4f} · weight {weight:.4f}")
                if not lacking:
                    parts.append(match)
                    continue
                lack = Explanation(lacking, "what its terms lack beside those of the formula itself")
                parts.append(Explanation(
                    match.value + lacking, f"formula {source}: an equal one, share {share:.4f}",
                    [match, lack] if weight else [lack],
                ))
        if self.settings.combine == "best":
            parts = sorted(parts, key=lambda part: -part.value)[:1]
        return Explanation(sum(part.value for part in parts), "best matches of the query's formulas", parts)

    def _prepared(self, query: Query) -> list[_Prepared]:
        """The query's formulas with the documents that contain matches; the last query's are cached."""
        known, prepared = self._last
        if known is not query:
            worth = self._worth(query)
            formulas = self._formulas.of(query)
            prepared = [self._holders(formula, worth, number) for number, formula in enumerate(formulas)]
            self._last = query, prepared  # one assignment, so that threads at worst compute it twice
        return prepared

    def _worth(self, query: Query) -> float:
        """The share of the lacking score that a document with an equal formula gains."""
        words = any(_LETTER.search(content.text) for content in query.fields.values())
        return self.settings.equal * (self.settings.beside_words if words else 1.0)

    def _holders(self, query: WeightedFormula, worth: float, number: int) -> _Prepared:
        """The documents with a formula like or equal to the query formula, which is the query's ``number``-th.

        Those with an equal one gain the share ``worth`` of the score they lack.
        """
        by_segment = self._like(query, worth)
        if self._collection is None:
            holders = sum(int(np.count_nonzero(part.lacking)) for part in by_segment)
        else:
            holders = query_statistics().holders[number]
        return _Prepared(query, tuple(self._with_lacking(query, worth, by_segment, holders)))

    def _like(self, query: WeightedFormula, worth: float) -> list[_Holders]:
        """The documents of each segment with a formula like or equal to the query formula; ``lacking`` is the share of
        an equal one."""
        settings = self.settings
        segments, units = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
        all_shares, all_equal = [np.zeros(0)], [np.zeros(0)]
        if settings.weight > 0:
            hits = self.retriever.lexical.search_units([query.formula.terms], settings.candidates)[0]
            similar = self.retriever.similarities(query.formula, hits)
            shares = (np.clip(similar - settings.least, 0.0, 1.0 - settings.least) / (1.0 - settings.least)) ** 2
            near = np.flatnonzero(shares)
            segments, units = [hits.segments[near]], [hits.units[near]]
            all_shares, all_equal = [shares[near]], [np.zeros(len(near))]
        if worth > 0:
            for number, equal in enumerate(self._equal.find(query.formula.operators, query.formula.tree)):
                segments.append(np.full(len(equal.formulas), number, np.int32))
                units.append(equal.formulas)
                all_shares.append(self._exact_shares[equal.kinds])
                all_equal.append(all_shares[-1])
        like = _LikeFormulas(
            np.concatenate(segments), np.concatenate(units), np.concatenate(all_shares), np.concatenate(all_equal)
        )
        return [self._in_segment(number, like) for number in range(len(self._snapshot.segments))]

    def _with_lacking(
        self, query: WeightedFormula, worth: float, by_segment: list[_Holders], holders: int
    ) -> list[_Holders]:
        """Replaces ``lacking``, the share of an equal formula, by the gain; ``holders`` is their total number."""
        if worth == 0:
            return by_segment
        factor = worth * self._rarity(holders)
        if factor == 0 or self._held is None:
            return [part._replace(lacking=np.zeros(len(part.documents))) for part in by_segment]
        places = [np.flatnonzero(part.lacking) for part in by_segment]
        documents = [part.documents[some] for part, some in zip(by_segment, places, strict=True)]
        lacking = self._held.lacking(query.formula.formula, query.fields, documents)
        for part, some, gain in zip(by_segment, places, lacking, strict=True):
            part.lacking[some] *= factor * gain
        return by_segment

    @cached_property
    def _exact_shares(self) -> NDArray[np.float64]:
        shares = np.zeros(5)
        renamed, part = self.settings.renamed, self.settings.part
        shares[[IDENTICAL, RENAMED, PART, RENAMED_PART]] = 1.0, renamed, part, renamed * part
        return shares

    def _rarity(self, documents: int) -> float:
        """The weight of a formula that this many documents have: 1 up to N^⅓ of N documents, 0 from N^⅔ on."""
        if not documents or self._documents < 2:
            return float(documents > 0)
        return min(1.0, max(0.0, 2.0 - 3.0 * math.log(documents) / math.log(self._documents)))

    @cached_property
    def _documents(self) -> int:
        if self._collection is not None:
            return self._collection.documents
        return sum(int(segment.live.sum()) for segment in self._snapshot.segments)

    def _held_by(
        self, candidates: UnitResults, prepared: _Prepared
    ) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
        """The candidates in each segment that contain a match, and their places among the holders."""
        for segment, mine, units in candidates.by_segment():
            documents = prepared.by_segment[segment].documents
            if not len(documents):
                continue
            places = np.minimum(np.searchsorted(documents, units), len(documents) - 1)
            held = documents[places] == units
            if held.any():
                yield segment, mine[held], places[held]

    def _in_segment(self, segment: int, like: _LikeFormulas) -> _Holders:
        """The live documents of a segment with one of the formulas, and the best shares of each."""
        formulas, rows = self._ordinals(segment, like)
        holders, counts = open_places(self._snapshot.segments[segment]).of_each(formulas)
        rows = np.repeat(rows, counts)
        live = self._snapshot.segments[segment].live[holders]
        if not live.all():
            holders, rows = holders[live], rows[live]
        documents, inverse = np.unique(holders, return_inverse=True)
        shares, equal = np.zeros(len(documents)), np.zeros(len(documents))
        np.maximum.at(shares, inverse, like.shares[rows])
        np.maximum.at(equal, inverse, like.equal[rows])
        return _Holders(documents, shares, equal)

    def _ordinals(self, segment: int, like: _LikeFormulas) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The ordinals of formulas in a segment, and their positions in ``like``.

        A formula is found in one segment, but others can contain it too.
        """
        mine = np.flatnonzero(like.segments == segment)
        formulas = like.units[mine].astype(np.int64)
        if len(mine) == len(like.units):
            return formulas, mine
        rest = np.flatnonzero(like.segments != segment)
        keys = self.retriever.lexical.ids.take(like.segments[rest], like.units[rest])
        others = self._snapshot.segments[segment].keys.find(keys)
        held = np.flatnonzero(others >= 0)
        return np.concatenate([formulas, others[held].astype(np.int64)]), np.concatenate([mine, rest[held]])


def first_gaining(gains: NDArray[np.float64]) -> NDArray[np.int64]:
    """The positions (increasing) of the documents that gain most: about :data:`MAX_FURTHER` of them."""
    least = np.partition(gains, -MAX_FURTHER)[-MAX_FURTHER] if len(gains) > MAX_FURTHER else 0.0
    # of many equal gains all or none are taken: their order would depend on the segments
    return np.flatnonzero(gains >= least if (gains >= least).sum() <= 2 * MAX_FURTHER else gains > least)


def matched_formulas(context: ComponentContext, settings: Matches) -> MatchedFormulas:
    """Makes the component, whether or not it adds to scores."""
    return MatchedFormulas(
        context.snapshot, context.analyzer, settings, context.query_field_weights, lexical=context.lexical,
        reader=context.reader, collection=context.collection,
    )


def _make(context: ComponentContext, settings: Matches) -> MatchedFormulas | None:
    made = matched_formulas(context, settings)
    return made if made.possible else None


MATCHES = ComponentKind(name="matches", settings=Matches, make=_make)
"""The component of matching formulas."""
