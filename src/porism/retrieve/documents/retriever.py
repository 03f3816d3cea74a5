"""Document search: words and formulas in one sum of scores over channels, in stages.

1. The documents found first by the query's terms, in all channels and zones.
2. Feedback adds terms of these to the query, which is searched again. This gives the candidates: as many first
   documents as the model says, or ``k`` where that is more, and those that components know of. Their scores are exact.
3. Each component that applies adds to the scores of the candidates (:mod:`porism.retrieve.documents.components`).
4. The best ``k`` of them.

Where no component applies the results are those of stage 2; without feedback, those of stage 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.analysis.channels import parse_channel
from porism.errors import ConfigError, counted
from porism.explanation import Explanation
from porism.index import Masks, Segment, Snapshot
from porism.index.engine.trees import prepare_trees
from porism.index.engine.units import prepare_units
from porism.retrieve.documents.components import ComponentContext, ScoreComponent
from porism.retrieve.documents.encoded_channels import OpenEncodedChannels, no_encoded_channels
from porism.retrieve.documents.matched_formulas import MatchedFormulas, matched_formulas
from porism.retrieve.documents.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.documents.shown_matches import ShownMatch
from porism.retrieve.feedback.expander import QueryExpander
from porism.retrieve.feedback.learning import Judged
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.lexical.channels import prepare
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.global_statistics import CollectionStatistics, global_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms, SearchTerms
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix
from porism.retrieve.ranking import UnitResults, best_units, search_each
from porism.retrieve.weightings.base import LexicalChannel
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.files.artifacts import SIMILARITIES
from porism.types import Query


class DocumentRetriever:
    """Searches a snapshot by a model. Immutable, and safe to share between threads."""

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, model: SearchModel = DEFAULT_MODEL,
        search_terms: SearchTerms = LexicalRetriever,
        collection: CollectionStatistics | None = None, *,
        open_encoded: OpenEncodedChannels = no_encoded_channels,
    ) -> None:
        """Channels that the index was made without are left out where the model allows it.

        :param search_terms: what finds documents by terms, made as a :class:`LexicalRetriever` is.
        :param collection: the statistics of all documents, where the snapshot has a part of them.
        :param open_encoded: what opens the channels of sparse encoders.
        :raises ConfigError: the index has none of the model's channels, or lacks one that the model needs.
        """
        known = set(analyzer.channels)
        encoded = open_encoded(snapshot.path, model.channels, model.query_field_weights)
        of_encoders = {opened.named: opened for opened in encoded.channels}
        channels = {
            of_encoders[name].name if name in of_encoders else name:
            of_encoders[name].channel if name in of_encoders else with_similarity(settings, snapshot.path)
            for name, settings in model.channels.items()
            if (name in known or name in of_encoders) and settings.weight > 0
        }
        lost = [name for name, settings in model.channels.items()
                if settings.weight > 0 and name not in known and name not in of_encoders]
        if lost and model.needs_all_channels:
            raise ConfigError(
                f"the index lacks {', '.join(lost)}, without which this is another model", where=str(snapshot.path),
                hint=f"Make an index that has it: porism index SOURCES --index NEW {_options(lost)} (or set "
                "needs_all_channels = false, to search by the others alone).",
            )
        if not channels:
            raise ConfigError(
                f"the index has none of the channels {', '.join(model.channels)}",
                where=str(snapshot.path), hint=f"It has {', '.join(sorted(known))}.",
            )
        self.snapshot = snapshot
        self.model = model
        self._segments = snapshot.segments
        self._described = model.to_dict()
        units = encoded.units(snapshot.segments)
        held = {name for segment in units for name in (*segment.text_channels, *segment.formula_channels)}
        self.lexical = search_terms(
            units, {name: channel for name, channel in channels.items() if name in held or not held},
            model.field_weights, model.zones, **global_statistics(collection),
        )
        self.lexical.terms.open_similarities()
        self.encoded_queries = {opened.name: opened.queries for opened in encoded.channels}
        """What reads queries for the channels of sparse encoders."""
        self.encoded_by = {opened.name: opened.encoded_by for opened in encoded.channels}
        """For each of these channels the digest of the encoder and its settings."""
        self.reader = QueryReader(analyzer, model, self.lexical, self.encoded_queries)
        self.expander = QueryExpander(snapshot.segments, self.lexical, model.feedback)
        """What adds terms of documents to queries."""
        context = ComponentContext(
            snapshot, analyzer, self.lexical, self.reader, model.query_field_weights, collection
        )
        made = (kind.make(context, settings) for kind, settings in model.component_settings())
        self.components: tuple[ScoreComponent, ...] = tuple(one for one in made if one is not None)
        """In the order in which they are added."""
        scored = (one for one in self.components if isinstance(one, MatchedFormulas))
        self._matched_formulas = next(scored, matched_formulas(context, model.matches))

    def query_terms(self, query: Query) -> QueryTerms:
        """The query's terms by channel, each with its weight in the query."""
        return self.reader.terms(query)

    def term_weights(self, query: Query) -> dict[str, dict[str, float]]:
        """What each query term that occurs in the collection is worth: its weight times channel weight and idf."""
        return self.lexical.term_weights(self.query_terms(query))

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism",
        judged: Mapping[str, Judged] | None = None,
    ) -> Run:
        """The best ``k`` documents of each query.

        A document is a result if it shares a term with the query, or with what feedback adds to it. So one that has no
        word of the query can be found, as one that is much like those which have; a query that no document shares a
        term with has no results. ``allowed`` says which documents of each segment can be results, and are learnt from
        (:meth:`porism.index.Snapshot.filter`). ``judged`` says, by the id of a query, from which documents it learns
        in place of those found first.

        :raises QueryError: ``k`` is below 1, two queries have one id, or the index lacks a judged document.
        """
        searched = search_each(queries, k, self.lexical.ids, lambda query: self.search_units(
            query, k, allowed=allowed, judged=(judged or {}).get(query.id)
        ))
        return Run(searched.results, name, provenance=self.provenance(searched.seconds))

    def notes(self, query: Query) -> list[str]:
        """What whoever asked should know: how much of the query an encoder does not read."""
        return [
            f"the sparse encoder of the channel {name} did not read the last {counted(beyond, 'token')} of the question"
            for name, queries in self.encoded_queries.items() if (beyond := queries.beyond(query))
        ]

    def provenance(self, seconds: Mapping[str, float]) -> Provenance:
        """What a run of this retriever says of itself: the model, the topics that it was tuned on, the times."""
        return Provenance(self.describe(), self.model.tuned_on, seconds=seconds)

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``."""
        return {"kind": "search", "model": self._described}

    def search_units(
        self, query: Query, k: int, *, allowed: Masks | None = None,
        judged: Judged | None = None,
    ) -> UnitResults:
        """What :meth:`search` finds for one query, by number.

        :raises QueryError: ``k`` is below 1, or the index lacks a judged document.
        """
        terms = self.expander.expand(self.query_terms(query), allowed, judged)
        return self.search_terms(query, terms, k, allowed=allowed)

    def search_terms(
        self, query: Query, terms: QueryTerms, k: int, *, allowed: Masks | None = None
    ) -> UnitResults:
        """What is found for terms in place of those of the query, without feedback; components see the query itself.

        :raises QueryError: ``k`` is below 1.
        """
        components = self.applying(query)
        found = self._candidates(query, terms, k, components, allowed)
        if not components:
            return found
        for component in components:
            found = found._replace(scores=found.scores + component.scores(query, found))
        return best_units(found, k, self.lexical.ids)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given) in a search that has these as its candidates.

        It is 0 for a document that shares nothing with the query and its feedback, and NaN for an id that the index
        does not have. With the candidates of a search it is the score in that search, bit by bit.
        """
        scores = np.full(len(doc_ids), np.nan)
        segments = np.full(len(doc_ids), -1, np.int32)
        units = np.zeros(len(doc_ids), np.int32)
        terms = self.expander.expand(self.query_terms(query))
        for number, segment in enumerate(self._segments):
            found = segment.names.find(doc_ids) if len(doc_ids) else units
            live = np.flatnonzero(found >= 0)
            live = live[segment.live[found[live]]]
            segments[live], units[live] = number, found[live]
            scores[live] = self.lexical.score_units(terms, number, found[live])
        known = np.flatnonzero(segments >= 0)
        candidates = UnitResults(segments[known], units[known], scores[known])
        for component in self.applying(query):
            candidates = candidates._replace(scores=candidates.scores + component.scores(query, candidates))
        scores[known] = candidates.scores
        return scores

    def applying(self, query: Query) -> list[ScoreComponent]:
        """The components that can add to the scores of documents for a query."""
        return [component for component in self.components if component.applies(query)]

    def _candidates(
        self, query: Query, terms: QueryTerms, k: int, components: Sequence[ScoreComponent],
        allowed: Masks | None,
    ) -> UnitResults:
        """The first documents by terms, and those that a component knows of."""
        depth = max(k, self.model.candidates) if components else k
        found = self.lexical.search_units([terms], depth, allowed=allowed)[0]
        for component in components:
            for segment, documents in component.further(query):
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
        self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None, judged: Judged | None = None
    ) -> Explanation:
        """Why a document has its score in a search for ``k`` results with these documents allowed and judged.

        The parts are channels with their terms, what feedback gave to these, and the components that apply. A document
        that is not among the candidates is explained as if it were one more.

        :raises QueryError: the index lacks the document or a judged one.
        """
        original = self.query_terms(query)
        terms = self.expander.expand(original, allowed, judged)
        return self.explain_terms(query, terms, doc_id, original=original, k=k, allowed=allowed)

    def explain_terms(
        self, query: Query, terms: QueryTerms, doc_id: str, *, original: QueryTerms, k: int = 10,
        allowed: Masks | None = None,
    ) -> Explanation:
        """As :meth:`explain`, of what :meth:`search_terms` finds; ``original`` has the terms before feedback.

        :raises QueryError: the index has no such document.
        """
        explanation = explain_terms(self.lexical, terms, doc_id, original=original)
        components = self.applying(query)
        if not components:
            return explanation
        segment, document = self.lexical.find(doc_id)
        found = self._candidates(query, terms, k, components, allowed)
        places = np.flatnonzero((found.segments == segment) & (found.units == document))
        if not len(places):
            found = UnitResults(
                np.append(found.segments, np.int32(segment)), np.append(found.units, np.int32(document)),
                np.append(found.scores, explanation.value),
            )
        position = int(places[0]) if len(places) else len(found.units) - 1
        parts = list(explanation.parts)
        for component in components:
            part = component.explain(query, found, position)
            if part.value:
                parts.append(part)
            found = found._replace(scores=found.scores + component.scores(query, found))
        return Explanation(float(found.scores[position]), explanation.label, parts)

    def matches(self, query: Query, doc_id: str) -> list[FormulaMatch]:
        """How the formulas of a document answer those of the query: for each of these the most similar one.

        Formulas of the query that the document has nothing like are left out.

        :raises QueryError: the index has no such document.
        """
        segment, document = self.lexical.find(doc_id)
        formulas = self._matched_formulas
        return formulas.shown.matches(query, segment, document) if formulas.searchable else []

    def matching_formulas(self, query: Query, doc_id: str) -> dict[tuple[str, int], ShownMatch] | None:
        """The formulas of a document that are to be shown as matches of those of the query, by field and number there.

        None where the index has no channels by which formulas are compared.

        :raises QueryError: the index has no such document.
        """
        if not self._matched_formulas.possible:
            return None
        segment, document = self.lexical.find(doc_id)
        return self._matched_formulas.shown.matching(query, segment, document)


def with_similarity(settings: ChannelSettings, index_path: Path) -> LexicalChannel:
    """A channel for the engine with the similarity matrix that it names, from the folder of an index.

    :raises ConfigError: the index has no such matrix, or the name cannot be one.
    :raises IndexCorrupt: the matrix is damaged.
    """
    channel = settings.lexical
    if not settings.similarity:
        return channel
    return replace(channel, similarity=SimilarityMatrix.open(SIMILARITIES.path(index_path, settings.similarity)))


def prepare_segments(segments: Sequence[Segment], model: SearchModel = DEFAULT_MODEL) -> None:
    """Stores what searching by ``model`` needs beside the segments, so that a first query computes nothing."""
    held = {name for segment in segments for name in (*segment.text_channels, *segment.formula_channels)}
    channels = {name: settings.lexical for name, settings in model.channels.items() if name in held}
    prepare(segments, channels, model.field_weights, model.zones.values())
    prepare_trees(segments)
    prepare_units(segments)
    for kind, component in model.component_settings():
        kind.prepare(segments, component)


def _options(channels: Sequence[str]) -> str:
    """The options of ``porism index`` that add channels."""
    tokenizers = [name for channel in channels if (name := parse_channel(channel).tokenizer)]
    plain = [channel for channel in channels if parse_channel(channel).tokenizer is None]
    options = [f"--channels {','.join(plain)}"] if plain else []
    return " ".join([*options, *(f"--tokenizer {name}=FILE" for name in tokenizers)])
