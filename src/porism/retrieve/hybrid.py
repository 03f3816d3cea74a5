"""Hybrid search: words and formulas in one sum of BM25 scores over channels, in stages.

1. The documents found first by the query's terms, in all channels and views.
2. Feedback adds terms of these to the query, which is asked again. This gives the candidates: as many first documents
   as the model says, or ``k`` where that is more, and those that summands know of. Their scores are exact.
3. Each summand that applies adds to the scores of the candidates (:mod:`porism.retrieve.summands`).
4. The best ``k`` of them.

Where no summand applies the results are those of stage 2; without feedback, those of stage 1.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Analyzer
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import Segment, Snapshot
from porism.index.links import prepare_links
from porism.index.trees import prepare_trees
from porism.index.units import prepare_units
from porism.provenance import Provenance
from porism.retrieve.channels import prepare
from porism.retrieve.coverage import CoveredWords
from porism.retrieve.evidence import FormulaEvidence
from porism.retrieve.feedback import Judged, QueryExpander
from porism.retrieve.kinds import NamedKinds
from porism.retrieve.lexical import LexicalRetriever, QueryTerms
from porism.retrieve.likeness import Likeness
from porism.retrieve.links import LinkedThreads
from porism.retrieve.matches import FormulaMatch
from porism.retrieve.model import DEFAULT_MODEL, ChannelSettings, SearchModel
from porism.retrieve.queries import QueryReader
from porism.retrieve.ranking import UnitResults, best_units
from porism.retrieve.summands import Summand
from porism.retrieve.weighting import LexicalChannel
from porism.run import Run
from porism.similarity import SimilarityMatrix
from porism.similarity.matrix import similarity_path
from porism.types import Query

Filters = Mapping[str, str | Sequence[str]]
"""Metadata key → the value, or the values any of which, a document must have."""


class HybridRetriever:
    """Searches a snapshot by a model. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, model: SearchModel = DEFAULT_MODEL) -> None:
        """Channels of the model that the index was made without are left out.

        :raises ConfigError: the index has none of the model's channels.
        """
        known = set(analyzer.channels)
        channels = {
            name: with_similarity(settings, snapshot.path)
            for name, settings in model.channels.items() if name in known and settings.weight > 0
        }
        if not channels:
            raise ConfigError(
                f"the index has none of the channels {', '.join(model.channels)}",
                where=str(snapshot.path), hint=f"It has {', '.join(sorted(known))}.",
            )
        self.snapshot = snapshot
        self.model = model
        self._segments = snapshot.segments
        self._described = model.to_dict()
        held = {name for segment in snapshot.segments for name in (*segment.text_channels, *segment.formula_channels)}
        self.lexical = LexicalRetriever(
            snapshot.segments, {name: channel for name, channel in channels.items() if name in held or not held},
            model.field_weights, model.views,
        )
        self.lexical.terms.open_similarities()
        self._reader = QueryReader(analyzer, model, self.lexical)
        self._evidence = FormulaEvidence(
            snapshot, analyzer, model.matches, model.query_field_weights, lexical=self.lexical, reader=self._reader
        )
        self._expander = QueryExpander(snapshot.segments, self.lexical, model.feedback)
        self.summands: tuple[Summand, ...] = self._make_summands()
        """In the order in which they are added."""

    def _make_summands(self) -> tuple[Summand, ...]:
        summands: list[Summand] = []
        if self._evidence.possible:
            summands.append(self._evidence)
        if self.model.coverage.weight > 0:
            summands.append(CoveredWords(self._segments, self.model.coverage, self.lexical, self._reader))
        if self.model.kinds.weight > 0:
            summands.append(NamedKinds(self._segments, self.model.kinds))
        if self.model.links.weight > 0:  # last: a thread counts by all that speaks for its documents
            summands.append(LinkedThreads(self._segments, self.model.links))
        return tuple(summands)

    def query_terms(self, query: Query) -> QueryTerms:
        """The query's terms by channel, each with its weight in the query."""
        return self._reader.terms(query)

    def term_worths(self, query: Query) -> dict[str, dict[str, float]]:
        """What each query term that occurs in the collection is worth: its weight times channel weight and idf."""
        return self.lexical.term_weights(self.query_terms(query))

    def search(
        self, queries: Iterable[Query], k: int = 10, *, filters: Filters | None = None, name: str = "porism",
        judged: Mapping[str, Judged] | None = None,
    ) -> Run:
        """The best ``k`` documents of each query.

        A document is a result if it shares a term with the query, or with what feedback adds to it. So one that has no
        word of the query can be found, as one that is much like those which have; a query that no document shares a
        term with has no results. ``judged`` says, by the id of a query, from which documents it learns in place of
        those found first.

        :raises QueryError: ``k`` is below 1, two queries have one id, a filter names a key that no document has, or
            the index lacks a judged document.
        """
        asked = list(queries)
        if len({query.id for query in asked}) < len(asked):
            raise QueryError("two queries have the same id")
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        allowed = self.allowed(filters) if filters else None
        results: dict[str, Iterable[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}
        for query in asked:
            started = time.perf_counter()
            found = self.search_units(query, k, allowed=allowed, judged=(judged or {}).get(query.id))
            ids = self.lexical.ids.take(found.segments, found.units)
            results[query.id] = zip(ids, found.scores.tolist(), strict=True)
            seconds[query.id] = time.perf_counter() - started
        return Run(results, name, provenance=self.provenance(seconds))

    def provenance(self, seconds: Mapping[str, float]) -> Provenance:
        """What a run of this retriever says of itself: the model, the topics that it was tuned on, the times."""
        return Provenance({"kind": "search", "model": self._described}, self.model.tuned_on, seconds=seconds)

    def search_units(
        self, query: Query, k: int, *, allowed: Sequence[NDArray[np.bool_]] | None = None,
        judged: Judged | None = None,
    ) -> UnitResults:
        """What :meth:`search` finds for one query, by number; ``allowed`` is what :meth:`allowed` gives for filters.

        :raises QueryError: ``k`` is below 1, or the index lacks a judged document.
        """
        terms = self._expander.expand(self.query_terms(query), allowed, judged)
        return self.search_terms(query, terms, k, allowed=allowed)

    def search_terms(
        self, query: Query, terms: QueryTerms, k: int, *, allowed: Sequence[NDArray[np.bool_]] | None = None
    ) -> UnitResults:
        """What is found for terms in place of those of the query, without feedback; summands see the query itself.

        :raises QueryError: ``k`` is below 1.
        """
        summands = self._applying(query)
        found = self._candidates(query, terms, k, summands, allowed)
        if not summands:
            return found
        for summand in summands:
            found = found._replace(scores=found.scores + summand.scores(query, found))
        return best_units(found, k, self.lexical.ids)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given) in a search that has these as its candidates.

        It is 0 for a document that shares nothing with the query and its feedback, and NaN for an id that the index
        does not have. With the candidates of a search it is the score in that search, bit by bit.
        """
        scores = np.full(len(doc_ids), np.nan)
        segments = np.full(len(doc_ids), -1, np.int32)
        units = np.zeros(len(doc_ids), np.int32)
        terms = self._expander.expand(self.query_terms(query))
        for number, segment in enumerate(self._segments):
            found = segment.names.find(doc_ids) if len(doc_ids) else units
            live = np.flatnonzero(found >= 0)
            live = live[segment.live[found[live]]]
            segments[live], units[live] = number, found[live]
            scores[live] = self.lexical.score_units(terms, number, found[live])
        known = np.flatnonzero(segments >= 0)
        candidates = UnitResults(segments[known], units[known], scores[known])
        for summand in self._applying(query):
            candidates = candidates._replace(scores=candidates.scores + summand.scores(query, candidates))
        scores[known] = candidates.scores
        return scores

    def _applying(self, query: Query) -> list[Summand]:
        return [summand for summand in self.summands if summand.applies(query)]

    def _candidates(
        self, query: Query, terms: QueryTerms, k: int, summands: Sequence[Summand],
        allowed: Sequence[NDArray[np.bool_]] | None,
    ) -> UnitResults:
        """The first documents by terms, and those that a summand knows of."""
        depth = max(k, self.model.candidates) if summands else k
        found = self.lexical.search_units([terms], depth, allowed=allowed)[0]
        for summand in summands:
            for segment, documents in summand.further(query):
                if allowed is not None:
                    documents = documents[allowed[segment][documents]]
                known = found.units[found.segments == segment]
                new = documents[~np.isin(documents, known)]
                if len(new):
                    found = UnitResults(
                        np.concatenate([found.segments, np.full(len(new), segment, np.int32)]),
                        np.concatenate([found.units, new]),
                        np.concatenate([found.scores, self.lexical.score_units(terms, segment, new)]),
                    )
        return found

    def explain(
        self, query: Query, doc_id: str, *, k: int = 10, filters: Filters | None = None, judged: Judged | None = None,
        allowed: Sequence[NDArray[np.bool_]] | None = None,
    ) -> Explanation:
        """Why a document has its score in a search for ``k`` results with these filters and judgments.

        ``allowed`` takes the place of filters, as in :meth:`search_units`.

        The parts are channels with their terms, what feedback gave to these, and the summands that apply. A document
        that is not among the candidates is explained as if it were one more.

        :raises QueryError: the index lacks the document or a judged one, or a filter names a key that no document has.
        """
        asked = self.query_terms(query)
        allowed = self.allowed(filters) if filters else allowed
        terms = self._expander.expand(asked, allowed, judged)
        return self.explain_terms(query, terms, doc_id, asked=asked, k=k, allowed=allowed)

    def explain_terms(
        self, query: Query, terms: QueryTerms, doc_id: str, *, asked: QueryTerms, k: int = 10,
        allowed: Sequence[NDArray[np.bool_]] | None = None,
    ) -> Explanation:
        """As :meth:`explain`, of what :meth:`search_terms` finds; ``asked`` has the terms before feedback.

        :raises QueryError: the index has no such document.
        """
        explanation = self.lexical.explain_terms(terms, doc_id, asked=asked)
        summands = self._applying(query)
        if not summands:
            return explanation
        segment, document = self.lexical.find(doc_id)
        found = self._candidates(query, terms, k, summands, allowed)
        places = np.flatnonzero((found.segments == segment) & (found.units == document))
        if not len(places):
            found = UnitResults(
                np.append(found.segments, np.int32(segment)), np.append(found.units, np.int32(document)),
                np.append(found.scores, explanation.value),
            )
        position = int(places[0]) if len(places) else len(found.units) - 1
        parts = list(explanation.parts)
        for summand in summands:
            part = summand.explain(query, found, position)
            if part.value:
                parts.append(part)
            found = found._replace(scores=found.scores + summand.scores(query, found))
        return Explanation(float(found.scores[position]), explanation.label, parts)

    def matches(self, query: Query, doc_id: str) -> list[FormulaMatch]:
        """How the formulas of a document answer those of the query: for each of these the most similar one.

        Formulas of the query that the document has nothing like are left out.

        :raises QueryError: the index has no such document.
        """
        segment, document = self.lexical.find(doc_id)
        return self._evidence.matches(query, segment, document) if self._evidence.searchable else []

    def matching_formulas(self, query: Query, doc_id: str) -> dict[tuple[str, int], Likeness] | None:
        """The formulas of a document that are to be shown as matches of those of the query, by field and number there.

        None where the index has no channels by which formulas are compared.

        :raises QueryError: the index has no such document.
        """
        if not self._evidence.possible:
            return None
        segment, document = self.lexical.find(doc_id)
        return self._evidence.matching(query, segment, document)

    def allowed(self, filters: Filters) -> list[NDArray[np.bool_]]:
        """For each segment the documents that have the metadata (bool, one a document).

        :raises QueryError: a filter names a key that no document has.
        """
        masks: list[NDArray[np.bool_]] = []
        for segment in self._segments:
            mask = np.ones(segment.doc_count, np.bool_)
            for key, values in filters.items():
                wanted = (values,) if isinstance(values, str) else values
                mask &= np.logical_or.reduce([segment.filter(key, value) for value in wanted])
            masks.append(mask)
        if not any(mask.any() for mask in masks):
            self._check_keys(filters)
        return masks

    def _check_keys(self, filters: Filters) -> None:
        """Tells a filter that names no metadata of this index from one that happens to match nothing."""
        keys = {key for segment in self._segments for key in segment.metadata_counts()}
        for key in filters:
            if key not in keys:
                raise QueryError(
                    f"no document has the metadata {key!r}", where="filter",
                    hint=f"There is {', '.join(sorted(keys))}." if keys else "The documents have no metadata.",
                )


def with_similarity(settings: ChannelSettings, index_path: Path) -> LexicalChannel:
    """A channel for the engine with the similarity matrix that it names, from the folder of an index.

    :raises ConfigError: the index has no such matrix, or the name cannot be one.
    :raises IndexCorrupt: the matrix is damaged.
    """
    channel = settings.lexical
    if not settings.similarity:
        return channel
    return replace(channel, similarity=SimilarityMatrix.open(similarity_path(index_path, settings.similarity)))


def prepare_segments(segments: Sequence[Segment], model: SearchModel = DEFAULT_MODEL) -> None:
    """Stores what searching by ``model`` needs beside the segments, so that a first query computes nothing."""
    held = {name for segment in segments for name in (*segment.text_channels, *segment.formula_channels)}
    channels = {name: settings.lexical for name, settings in model.channels.items() if name in held}
    prepare(segments, channels, model.field_weights, model.views.values())
    prepare_trees(segments)
    prepare_units(segments)
    if model.links.weight > 0:
        prepare_links(segments, model.links.thread, model.links.fields)
