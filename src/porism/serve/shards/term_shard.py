"""The documents of an index that are found by their terms, in the steps of a search of several indexes.

All but links between threads is scored here, exactly as a single index of all documents would score it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.channels import FORMULA_TOKENS, WORDS
from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Segment
from porism.index.engine.links import open_links
from porism.index.string_kernels import digests, unify
from porism.index.strings import Packed, offsets
from porism.retrieve import DocumentRetriever, SearchModel
from porism.retrieve.documents.components import ScoreComponent
from porism.retrieve.documents.links import LinkedThreads, Links
from porism.retrieve.documents.matched_formulas import MAX_FURTHER, MatchedFormulas
from porism.retrieve.lexical.channels import open_postings
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.global_statistics import using_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms
from porism.retrieve.ranking import UnitResults
from porism.search.index import Index
from porism.search.models.wings import open_sparse_channels
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
from porism.serve.shards.values import (
    ChannelLengths,
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
from porism.system.concurrency.caching import Memory, cached_property
from porism.types import Query

_KEPT = 2
"""Retrievers for other statistics of the whole collection that stay open: a shard belongs to one collection, mostly."""


class TermShard:
    """The documents of an index here whose model is a sum over terms; safe to share between threads."""

    def __init__(self, index: Index, model: SearchModel) -> None:
        self.index, self.generation, self.model = index, index.snapshot.generation, model
        assert isinstance(index.retriever, DocumentRetriever), "a search model is searched by one"
        self._plain = index.retriever
        self._given: Memory[DocumentRetriever] = Memory(_KEPT)

    @cached_property
    def _links(self) -> StatedLinks | None:
        if not self.model.links.weight > 0:
            return None
        return StatedLinks(self.index.snapshot.segments, self.model.links)

    @cached_property
    def _collection(self) -> ShardCollection:
        snapshot, channels = self.index.snapshot, channel_lengths(self._plain.lexical)
        return ShardCollection.of(
            snapshot, self.model, channels=tuple(channels), links=self._links is not None and self._links.count > 0,
            encoder=self._plain.encoded_by,
        )

    def collection(self, request: CollectionRequest) -> ShardCollection:
        return self._collection

    def statistics(self, request: StatisticsRequest) -> ShardStatistics:
        query = request.question.read().query
        lexical = self._plain.lexical
        terms = {name: set(own) for name, own in self._plain.query_terms(query).items()}
        fields = self._plain.reader.formula_weights(query.fields)
        for content in query.fields.values():
            for formula in content.formulas:
                for name, own in self._plain.reader.formula_terms(formula, fields)[1].items():
                    if name in lexical.channels:
                        terms.setdefault(name, set()).update(own)
        for token, words in self._plain.reader.formula_words(query).items():
            terms.setdefault(WORDS, set()).update(words)
            if FORMULA_TOKENS in lexical.channels:
                terms.setdefault(FORMULA_TOKENS, set()).add(token)
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
        with using_statistics(self._counted(query, statistics)):
            terms = _terms(retriever, query, request.expanded)
            components = [] if request.by_terms else retriever.applying(query)
            results = retriever.lexical.search_units([terms], request.depth, allowed=allowed)[0]
            first = len(results.units)
            gaining = UnitResults(results.segments[:0], results.units[:0], results.scores[:0])
            for component in components:
                if isinstance(component, MatchedFormulas):
                    gaining = _largest(component.gaining(query))
            can = np.ones(len(gaining.units), np.bool_)
            for segment in np.unique(gaining.segments).tolist():
                mine = np.flatnonzero(gaining.segments == segment)
                if allowed is not None:
                    can[mine] = allowed[segment][gaining.units[mine]]
                units = gaining.units[mine[can[mine]]]
                units = units[~np.isin(units, results.units[results.segments == segment])]
                if len(units):
                    results = UnitResults(
                        np.concatenate([results.segments, np.full(len(units), segment, np.int32)]),
                        np.concatenate([results.units, units]),
                        np.concatenate([results.scores, retriever.lexical.score_units(terms, segment, units)]),
                    )
            whole = _with_components(components, query, results)
        ids = retriever.lexical.ids
        return ShardCandidates(
            self.generation, tuple(ids.take(results.segments, results.units)), tuple(results.scores.tolist()),
            tuple(whole.scores.tolist()), first, self._threads(results),
            tuple(ids.take(gaining.segments, gaining.units)), tuple(gaining.scores.tolist()), tuple(can.tolist()),
        )

    def _threads(self, results: UnitResults) -> tuple[str | None, ...]:
        return () if self._links is None else self._links.threads(results.segments, results.units)

    def scores(self, request: ScoresRequest) -> ShardScores:
        query, retriever = request.question.read().query, self._opened(request.statistics)
        columns = np.array([retriever.lexical.find(doc_id) for doc_id in request.ids], np.int32).reshape(-1, 2)
        results = UnitResults(columns[:, 0], columns[:, 1], np.zeros(len(columns)))
        with using_statistics(self._counted(query, request.statistics)):
            terms = retriever.query_terms(query)
            for segment in np.unique(results.segments).tolist():
                mine = results.segments == segment
                results.scores[mine] = retriever.lexical.score_units(terms, segment, results.units[mine])
            whole = _with_components(retriever.applying(query), query, results)
        return ShardScores(self.generation, tuple(whole.scores.tolist()), self._threads(results))

    def document_terms(self, request: DocumentTermsRequest) -> ShardTerms:
        query, statistics = request.question.read().query, request.statistics
        retriever = self._opened(statistics)
        with using_statistics(self._counted(query, statistics)):
            own = {name: dict(terms) for name, terms in retriever.query_terms(query).items()}
        ids = [doc_id for doc_id in request.ids if doc_id in self.index]
        places = [self._plain.lexical.find(doc_id) for doc_id in ids]
        columns = np.array(places, np.int32).reshape(-1, 2)
        results = UnitResults(columns[:, 0], columns[:, 1], np.zeros(len(ids)))
        channels: list[dict[str, TermsOfChannel]] = [{} for _ in ids]
        for name, terms in self._plain.expander.terms_of(results).items():
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
        if self._links is None:
            return ShardLinks(self.generation, (), ())
        links, held = self._links.links(request.threads), self._links.held(request.asked)
        return ShardLinks(self.generation, tuple(links), tuple(held))

    def hits(self, request: HitsRequest) -> ShardHits:
        question, statistics = request.question.read(), request.statistics
        query, retriever = question.query, self._opened(statistics)
        with using_statistics(self._counted(query, statistics)):
            shown = self.index.hits_by([(doc_id, 0.0) for doc_id in request.ids], retriever.term_weights(query), query)
            if not request.explain:
                return ShardHits.of(self.index, shown)
            return ShardHits.of(
                self.index, shown, None if request.part else question,
                lambda doc_id: self._explain(retriever, query, doc_id, request.expanded),
            )

    @staticmethod
    def _explain(
        retriever: DocumentRetriever, query: Query, doc_id: str, expanded: ExpandedTerms | None
    ) -> Explanation:
        """Why a document has its score, links apart."""
        terms = _terms(retriever, query, expanded)
        explanation = explain_terms(retriever.lexical, terms, doc_id, original=retriever.query_terms(query))
        segment, unit = retriever.lexical.find(doc_id)
        result = UnitResults(np.array([segment], np.int32), np.array([unit], np.int32), np.array([explanation.value]))
        parts = list(explanation.parts)
        for component in retriever.applying(query):
            if not isinstance(component, LinkedThreads):
                part = component.explain(query, result, 0)
                if part.value:
                    parts.append(part)
                result = result._replace(scores=result.scores + component.scores(query, result))
        return Explanation(float(result.scores[0]), explanation.label, parts)

    def _counted(self, query: Query, statistics: WholeStatistics) -> Any:
        """The statistics of a query.

        :raises QueryError: they are of fewer formulas.
        """
        matched = (component for component in self._plain.components if isinstance(component, MatchedFormulas))
        mine = sum(matcher.formula_count(query) for matcher in matched)
        if len(statistics.query.holders) < mine:
            raise QueryError(
                f"holders of {len(statistics.query.holders)} formulas were given, and the question has {mine}",
                where="statistics",
            )
        return statistics.query.of_query

    def _opened(self, statistics: WholeStatistics) -> DocumentRetriever:
        """The retriever for the statistics of a whole collection."""
        return self._given.get((statistics.documents, statistics.channels), lambda: DocumentRetriever(
            self.index.snapshot, self.index.analyzer, self.model, collection=statistics.of_collection,
            open_encoded=open_sparse_channels,
        ))


def _terms(retriever: DocumentRetriever, query: Query, expanded: ExpandedTerms | None) -> QueryTerms:
    """The terms of a query, in the channels that are here: its own, or what it has learnt in place of these."""
    own = retriever.query_terms(query)
    learnt = {name: terms for name, terms in (expanded or {}).items() if name in retriever.lexical.channels}
    return {**own, **learnt}


def _with_components(components: Iterable[ScoreComponent], query: Query, results: UnitResults) -> UnitResults:
    """Documents with what components add to their scores, links apart."""
    for component in components:
        if not isinstance(component, LinkedThreads):
            results = results._replace(scores=results.scores + component.scores(query, results))
    return results


def _largest(gaining: UnitResults) -> UnitResults:
    """Those that gain most: as many as can decide which count, wherever the others are."""
    order = np.argsort(-gaining.scores, kind="stable")[: 2 * MAX_FURTHER + 1]
    return UnitResults(gaining.segments[order], gaining.units[order], gaining.scores[order])


def channel_lengths(lexical: LexicalRetriever) -> list[ChannelLengths]:
    """How many live units have each weighted length, by zone and channel."""
    channels = []
    for zone, name in lexical.zone_channels(tuple(lexical.channels)):
        fields = lexical.zones[zone] if zone else lexical.fields_of(name)
        counts: dict[float, int] = {}
        for segment in lexical.segments:
            postings = open_postings(segment, name, fields)
            counted = zip(postings.length_table.tolist(), postings.length_counts(segment.live).tolist(), strict=True)
            for length, count in counted:
                counts[length] = counts.get(length, 0) + count
        having = {length: count for length, count in counts.items() if length > 0 and count}
        channels.append(ChannelLengths(zone, name, tuple(having), tuple(having.values())))
    return channels


class StatedLinks:
    """All links that live documents of some segments name, looked up by the names of threads; immutable.

    A link counts where both of its threads have live documents, which may be in other shards.
    """

    def __init__(self, segments: Sequence[Segment], settings: Links) -> None:
        parts = [open_links(segment, settings.thread, settings.fields) for segment in segments]
        joined = Packed.join([part.names for part in parts])
        ids, firsts = unify(joined.blob, joined.starts)
        self._names = joined.take(firsts)
        self._held = np.zeros(len(firsts), np.bool_)
        self._thread_of: list[NDArray[np.int64]] = []
        links = [np.zeros((0, 2), np.int64)]
        start = 0
        for part, segment in zip(parts, segments, strict=True):
            mine = np.append(ids[start : start + len(part.names)], -1)
            start += len(part.names)
            self._held[mine[:-1][part.held(segment.live)]] = True
            self._thread_of.append(mine[part.thread_of])
            stated = part.stated(segment.live)
            links.append(np.stack([mine[part.sources[stated]], mine[part.targets[stated]]], axis=1))
        ends = np.unique(np.concatenate(links), axis=0)
        self.count = len(ends)
        """How many links there are, each counted once."""
        both = np.concatenate([ends, ends[:, ::-1]])
        order = np.argsort(both[:, 0], kind="stable")
        self._others = both[order, 1]
        self._bounds = offsets(np.bincount(both[:, 0], minlength=len(firsts)))
        self._keys = digests(self._names.blob, self._names.starts)
        self._order = np.argsort(self._keys[:, 0], kind="stable")
        self._sorted = self._keys[self._order, 0]

    def threads(self, segments: NDArray[np.int32], units: NDArray[np.int32]) -> tuple[str | None, ...]:
        """The threads of documents, None for a document of none; nothing where there are no threads at all."""
        if not len(self._names):
            return ()
        numbers = np.full(len(units), -1, np.int64)
        for segment in np.unique(segments).tolist():
            mine = segments == segment
            numbers[mine] = self._thread_of[segment][units[mine]]
        known = np.flatnonzero(numbers >= 0)
        of_documents: list[str | None] = [None] * len(numbers)
        for place, name in zip(known.tolist(), self._names.take(numbers[known]).strings(), strict=True):
            of_documents[place] = name
        return tuple(of_documents)

    def links(self, threads: Sequence[str]) -> list[tuple[str, str]]:
        """The links of threads, each with the thread first that was asked about."""
        numbers = self._find(threads)
        numbers = np.unique(numbers[numbers >= 0])
        lengths = self._bounds[numbers + 1] - self._bounds[numbers]
        starts = offsets(lengths)
        places = np.repeat(self._bounds[numbers] - starts[:-1], lengths) + np.arange(starts[-1])
        ends = np.stack([np.repeat(numbers, lengths), self._others[places]], axis=1)
        names = self._names.take(ends.reshape(-1)).strings()
        return list(zip(names[::2], names[1::2], strict=True))

    def held(self, threads: Sequence[str]) -> list[str]:
        """Those of some threads that have live documents."""
        numbers = self._find(threads)
        return [
            name for name, number in zip(threads, numbers.tolist(), strict=True) if number >= 0 and self._held[number]
        ]

    def _find(self, threads: Sequence[str]) -> NDArray[np.int64]:
        """The numbers of threads, -1 for those that nobody names."""
        if not len(self._sorted) or not threads:
            return np.full(len(threads), -1, np.int64)
        packed = Packed.of(threads)
        keys = digests(packed.blob, packed.starts)
        places = np.minimum(np.searchsorted(self._sorted, keys[:, 0]), len(self._sorted) - 1)
        numbers = self._order[places]
        return np.where((self._keys[numbers] == keys).all(axis=1), numbers, -1)
