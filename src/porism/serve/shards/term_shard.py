"""The documents of an index that are found by their terms, in the steps of a search of several indexes.

All but links between threads is scored here, exactly as a single index of all documents would score it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from typing import Any

import numpy as np

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.retrieve import DocumentRetriever, SearchModel
from porism.retrieve.documents.components import ScoreComponent
from porism.retrieve.documents.links import LinkedThreads
from porism.retrieve.documents.matched_formulas import MOST_FURTHER, MatchedFormulas
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.given import counted
from porism.retrieve.lexical.retriever import QueryTerms
from porism.retrieve.ranking import UnitResults
from porism.search.index import Index
from porism.serve.shards.lengths import channel_lengths
from porism.serve.shards.requests import (
    CandidatesRequest,
    CollectionRequest,
    DocumentTermsRequest,
    ExpandedTerms,
    FrequenciesRequest,
    HitsRequest,
    LinksRequest,
    ScoresRequest,
    StatisticsRequest,
)
from porism.serve.shards.showing import collection_of, shard_hit
from porism.serve.shards.stated_links import StatedLinks
from porism.serve.shards.values import (
    ShardCandidates,
    ShardCollection,
    ShardFrequencies,
    ShardHits,
    ShardLinks,
    ShardScores,
    ShardStatistics,
    ShardTerms,
    TermsOfChannel,
    TermsOfDocument,
    WholeStatistics,
)
from porism.system.concurrency.caching import cached_property
from porism.system.concurrency.locks import Lock
from porism.types import Query

_KEPT = 2
"""Retrievers for other statistics of the whole collection that stay open: a shard belongs to one collection, mostly."""


class TermShard:
    """The documents of an index here whose model is a sum over terms; safe to share between threads."""

    def __init__(self, index: Index, model: SearchModel) -> None:
        self.index, self.generation, self.model = index, index.snapshot.generation, model
        assert isinstance(index.retriever, DocumentRetriever), "a search model is searched by one"
        self._plain = index.retriever
        self._lock = Lock()
        self._given: OrderedDict[Any, DocumentRetriever] = OrderedDict()

    @cached_property
    def _links(self) -> StatedLinks | None:
        if not self.model.links.weight > 0:
            return None
        return StatedLinks(self.index.snapshot.segments, self.model.links)

    @cached_property
    def _collection(self) -> ShardCollection:
        snapshot, channels = self.index.snapshot, channel_lengths(self._plain.lexical)
        return collection_of(
            snapshot, self.model, channels=tuple(channels), links=self._links is not None and self._links.count > 0,
            encoder=self._plain.encoded_by,
        )

    def collection(self, request: CollectionRequest) -> ShardCollection:
        """What the shard has."""
        return self._collection

    def statistics(self, request: StatisticsRequest) -> ShardStatistics:
        """How often what a question names is in the shard."""
        query = request.question.read().query
        lexical = self._plain.lexical
        terms = {name: set(found) for name, found in self._plain.query_terms(query).items()}
        fields = self._plain.reader.formula_weights(query.fields)
        for content in query.fields.values():
            for formula in content.formulas:
                for name, found in self._plain.reader.formula_terms(formula, fields)[1].items():
                    if name in lexical.channels:
                        terms.setdefault(name, set()).update(found)
        df = {}
        for name, of_channel in terms.items():
            ordered = sorted(of_channel)
            counts = lexical.document_frequencies(name, ordered).tolist()
            df[name] = dict(zip(ordered, counts, strict=True))
        return ShardStatistics(df, tuple(self._holders(query)), self.generation)

    def _holders(self, query: Query) -> list[int]:
        for component in self._plain.components:
            if isinstance(component, MatchedFormulas):
                return component.holders(query)
        return []

    def candidates(self, request: CandidatesRequest) -> ShardCandidates:
        """The first ``depth`` documents by terms, and those that hold a formula equal to one of the question.

        :raises QueryError: statistics are missing.
        """
        statistics, read = request.statistics, request.question.read()
        if not set(read.filters) <= set(self._collection.metadata):
            return ShardCandidates(self.generation)
        query, retriever = read.query, self._opened(statistics)
        allowed = self.index.allowed(read)
        with counted(self._counted(query, statistics)):
            terms = _terms(retriever, query, request.expanded)
            components = [] if request.by_terms else retriever.applying(query)
            found = retriever.lexical.search_units([terms], request.depth, allowed=allowed)[0]
            first = len(found.units)
            gaining = UnitResults(found.segments[:0], found.units[:0], found.scores[:0])
            for component in components:
                if isinstance(component, MatchedFormulas):
                    gaining = _largest(component.gaining(query))
            can = np.ones(len(gaining.units), np.bool_)
            for segment in np.unique(gaining.segments).tolist():
                mine = np.flatnonzero(gaining.segments == segment)
                if allowed is not None:
                    can[mine] = allowed[segment][gaining.units[mine]]
                units = gaining.units[mine[can[mine]]]
                units = units[~np.isin(units, found.units[found.segments == segment])]
                if len(units):
                    found = UnitResults(
                        np.concatenate([found.segments, np.full(len(units), segment, np.int32)]),
                        np.concatenate([found.units, units]),
                        np.concatenate([found.scores, retriever.lexical.score_units(terms, segment, units)]),
                    )
            whole = _with_components(components, query, found)
        ids = retriever.lexical.ids
        return ShardCandidates(
            self.generation, tuple(ids.take(found.segments, found.units)), tuple(found.scores.tolist()),
            tuple(whole.scores.tolist()), first, self._threads(found),
            tuple(ids.take(gaining.segments, gaining.units)), tuple(gaining.scores.tolist()), tuple(can.tolist()),
        )

    def _threads(self, found: UnitResults) -> tuple[str | None, ...]:
        return () if self._links is None else self._links.threads(found.segments, found.units)

    def scores(self, request: ScoresRequest) -> ShardScores:
        """The scores of documents, links apart.

        :raises QueryError: the index lacks one of them, or statistics are missing.
        """
        query, retriever = request.question.read().query, self._opened(request.statistics)
        columns = np.array([retriever.lexical.find(doc_id) for doc_id in request.ids], np.int32).reshape(-1, 2)
        found = UnitResults(columns[:, 0], columns[:, 1], np.zeros(len(columns)))
        with counted(self._counted(query, request.statistics)):
            terms = retriever.query_terms(query)
            for segment in np.unique(found.segments).tolist():
                mine = found.segments == segment
                found.scores[mine] = retriever.lexical.score_units(terms, segment, found.units[mine])
            whole = _with_components(retriever.applying(query), query, found)
        return ShardScores(self.generation, tuple(whole.scores.tolist()), self._threads(found))

    def document_terms(self, request: DocumentTermsRequest) -> ShardTerms:
        """The terms of documents, of those that are here, and the terms of the question.

        :raises QueryError: statistics are missing.
        """
        query, statistics = request.question.read().query, request.statistics
        retriever = self._opened(statistics)
        with counted(self._counted(query, statistics)):
            own = {name: dict(terms) for name, terms in retriever.query_terms(query).items()}
        ids = [doc_id for doc_id in request.ids if doc_id in self.index]
        places = [self._plain.lexical.find(doc_id) for doc_id in ids]
        columns = np.array(places, np.int32).reshape(-1, 2)
        found = UnitResults(columns[:, 0], columns[:, 1], np.zeros(len(ids)))
        channels: list[dict[str, TermsOfChannel]] = [{} for _ in ids]
        for name, terms in self._plain.expander.terms_of(found).items():
            names = self._plain.expander.names(name, terms.terms)
            bounds = np.searchsorted(terms.documents, np.arange(len(ids) + 1)).tolist()
            for of_document, first, last in zip(channels, bounds, bounds[1:], strict=False):
                if first < last:
                    of_document[name] = TermsOfChannel(
                        float(terms.lengths[first]), tuple(names[first:last]),
                        tuple(terms.frequencies[first:last].tolist()),
                    )
        return ShardTerms(self.generation, tuple(map(TermsOfDocument, ids, channels)), own)

    def frequencies(self, request: FrequenciesRequest) -> ShardFrequencies:
        """In how many live documents terms occur; in none, where the index lacks their channel."""
        places: dict[str, list[int]] = {}
        for place, (channel, _) in enumerate(request.terms):
            places.setdefault(channel, []).append(place)
        df = np.zeros(len(request.terms), np.int64)
        lexical = self._plain.lexical
        for channel, own in places.items():
            if channel in lexical.channels:
                df[own] = lexical.document_frequencies(channel, [request.terms[place][1] for place in own])
        return ShardFrequencies(self.generation, tuple(df.tolist()))

    def links(self, request: LinksRequest) -> ShardLinks:
        """The links of ``threads``, and which of those ``asked`` about have live documents.
        """
        if self._links is None:
            return ShardLinks(self.generation, (), ())
        links, held = self._links.links(request.threads), self._links.held(request.asked)
        return ShardLinks(self.generation, tuple(links), tuple(held))

    def hits(self, request: HitsRequest) -> ShardHits:
        """What is shown of documents, in their order.

        :raises QueryError: the index lacks one of them.
        """
        query, ids, statistics = request.question.read().query, request.ids, request.statistics
        retriever = self._opened(statistics)
        with counted(self._counted(query, statistics)):
            worths = retriever.term_weights(query)
            shown = self.index.hits_by([(doc_id, 0.0) for doc_id in ids], worths, query)
            reasons = [
                self._explain(retriever, query, doc_id, request.expanded).to_dict() if request.explain else None
                for doc_id in ids
            ]
        return ShardHits(self.generation, tuple(map(shard_hit, shown, reasons)))

    @staticmethod
    def _explain(
        retriever: DocumentRetriever, query: Query, doc_id: str, expanded: ExpandedTerms | None
    ) -> Explanation:
        """Why a document has its score, links apart."""
        terms = _terms(retriever, query, expanded)
        explanation = explain_terms(retriever.lexical, terms, doc_id, original=retriever.query_terms(query))
        segment, unit = retriever.lexical.find(doc_id)
        one = UnitResults(np.array([segment], np.int32), np.array([unit], np.int32), np.array([explanation.value]))
        parts = list(explanation.parts)
        for component in retriever.applying(query):
            if not isinstance(component, LinkedThreads):
                part = component.explain(query, one, 0)
                if part.value:
                    parts.append(part)
                one = one._replace(scores=one.scores + component.scores(query, one))
        return Explanation(float(one.scores[0]), explanation.label, parts)

    def _counted(self, query: Query, statistics: WholeStatistics) -> Any:
        """The statistics of a query.

        :raises QueryError: they are of fewer formulas.
        """
        matched = (one for one in self._plain.components if isinstance(one, MatchedFormulas))
        mine = sum(one.formula_count(query) for one in matched)
        if len(statistics.query.holders) < mine:
            raise QueryError(
                f"holders of {len(statistics.query.holders)} formulas were given, and the question has {mine}",
                where="statistics",
            )
        return statistics.query.of_query

    def _opened(self, statistics: WholeStatistics) -> DocumentRetriever:
        """The retriever for the statistics of a whole collection."""
        key = (statistics.documents, statistics.channels)
        with self._lock:
            if key not in self._given:
                self._given[key] = DocumentRetriever(
                    self.index.snapshot, self.index.analyzer, self.model, collection=statistics.of_collection
                )
                while len(self._given) > _KEPT:
                    self._given.popitem(last=False)
            self._given.move_to_end(key)
            return self._given[key]


def _terms(retriever: DocumentRetriever, query: Query, expanded: ExpandedTerms | None) -> QueryTerms:
    """The terms of a query, in the channels that are here: its own, or what it has learnt in place of these."""
    own = retriever.query_terms(query)
    learnt = {name: terms for name, terms in (expanded or {}).items() if name in retriever.lexical.channels}
    return {**own, **learnt}


def _with_components(components: Iterable[ScoreComponent], query: Query, found: UnitResults) -> UnitResults:
    """Documents with what components add to their scores, links apart."""
    for component in components:
        if not isinstance(component, LinkedThreads):
            found = found._replace(scores=found.scores + component.scores(query, found))
    return found


def _largest(gaining: UnitResults) -> UnitResults:
    """Those that gain most: as many as can decide which count, wherever the others are."""
    order = np.argsort(-gaining.scores, kind="stable")[: 2 * MOST_FURTHER + 1]
    return UnitResults(gaining.segments[order], gaining.units[order], gaining.scores[order])
