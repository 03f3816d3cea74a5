"""Document search: a sum of scores over channels of words and formulas, in stages.

1. Search all channels and zones for the terms of the query.
2. Feedback adds terms of the first documents to the query, which is searched again. The candidates are the best
   documents (the model's ``candidates``, or ``k`` if that is more) and further ones from components. Their scores are
   exact.
3. Each component that applies adds to the scores of candidates (:mod:`porism.retrieve.documents.components`).
4. The best ``k`` candidates are the results.

If no component applies the results are those of stage 2; without feedback, those of stage 1.
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
from porism.errors import ConfigError, pluralise
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
        search_terms: SearchTerms = LexicalRetriever, collection: CollectionStatistics | None = None, *,
        open_encoded: OpenEncodedChannels = no_encoded_channels,
    ) -> None:
        """Channels that the index lacks are left out if the model allows it.

        :param search_terms: makes the search by terms, with the parameters of :class:`LexicalRetriever`.
        :param collection: the statistics of all documents, if the snapshot has only a part of them.
        :param open_encoded: opens the channels of sparse encoders.
        :raises ConfigError: the index has none of the model's channels, or lacks one that the model needs.
        """
        known = set(analyzer.channels)
        encoded = open_encoded(snapshot.path, model.channels, model.query_field_weights)
        opened_channels = {opened.named: opened for opened in encoded.channels}
        channels: dict[str, LexicalChannel] = {}
        missing: list[str] = []
        for name, settings in model.channels.items():
            if settings.weight <= 0:
                continue
            if name in opened_channels:
                channels[opened_channels[name].name] = opened_channels[name].channel
            elif name in known:
                channels[name] = with_similarity(settings, snapshot.path)
            else:
                missing.append(name)
        if missing and model.needs_all_channels:
            raise ConfigError(
                f"the index lacks {', '.join(missing)}, without which this is another model", where=str(snapshot.path),
                hint=f"Make an index that has it: porism index SOURCES --index NEW {_options(missing)} (or set "
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
        """Channel of a sparse encoder → the reader of its queries."""
        self.encoded_by = {opened.name: opened.encoded_by for opened in encoded.channels}
        """Channel of a sparse encoder → the digest of the encoder and its settings."""
        self.reader = QueryReader(analyzer, model, self.lexical, self.encoded_queries)
        self.expander = QueryExpander(snapshot.segments, self.lexical, model.feedback)
        """Adds terms of documents to queries."""
        context = ComponentContext(snapshot, analyzer, self.lexical, self.reader, model.query_field_weights, collection)
        made = (kind.make(context, settings) for kind, settings in model.component_settings())
        self.components: tuple[ScoreComponent, ...] = tuple(component for component in made if component is not None)
        """The components, in the order in which they add to scores."""
        scored = (component for component in self.components if isinstance(component, MatchedFormulas))
        self._matched_formulas = next(scored, matched_formulas(context, model.matches))

    def query_terms(self, query: Query) -> QueryTerms:
        """Channel → term → weight in the query."""
        return self.reader.terms(query)

    def term_weights(self, query: Query) -> dict[str, dict[str, float]]:
        """Channel → known term → its weight in the query times channel weight and idf."""
        return self.lexical.term_weights(self.query_terms(query))

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism",
        judged: Mapping[str, Judged] | None = None,
    ) -> Run:
        """The best ``k`` documents of each query.

        A document is a result if it shares a term with the query or with its feedback terms; a query whose terms no
        document has gets no results. ``allowed`` are the documents of each segment that can be results and give
        feedback (:meth:`porism.index.Snapshot.filter`). ``judged`` maps query ids to documents for feedback, in place
        of the first results.

        :raises QueryError: ``k`` is below 1, two queries have the same id, or the index lacks a judged document.
        """
        searched = search_each(queries, k, self.lexical.ids, lambda query: self.search_units(
            query, k, allowed=allowed, judged=(judged or {}).get(query.id)
        ))
        return Run(searched.results, name, provenance=self.provenance(searched.seconds))

    def notes(self, query: Query) -> list[str]:
        """Warnings about tokens of the query that an encoder does not read."""
        return [
            f"the sparse encoder of the channel {name} did not read the question's last {pluralise(beyond, 'token')}"
            for name, queries in self.encoded_queries.items() if (beyond := queries.beyond(query))
        ]

    def provenance(self, seconds: Mapping[str, float]) -> Provenance:
        """The provenance of a run: this retriever, the topics it was tuned on, and the times."""
        return Provenance(self.describe(), self.model.tuned_on, seconds=seconds)

    def describe(self) -> dict[str, Any]:
        return {"kind": "search", "model": self._described}

    def search_units(
        self, query: Query, k: int, *, allowed: Masks | None = None, judged: Judged | None = None
    ) -> UnitResults:
        """:meth:`search` for one query, with results by number."""
        terms = self.expander.expand(self.query_terms(query), allowed, judged)
        return self.search_terms(query, terms, k, allowed=allowed)

    def search_terms(self, query: Query, terms: QueryTerms, k: int, *, allowed: Masks | None = None) -> UnitResults:
        """Searches for these terms, without feedback; components see the query itself."""
        components = self.applying(query)
        hits = self._candidates(query, terms, k, components, allowed)
        if not components:
            return hits
        for component in components:
            hits = hits._replace(scores=hits.scores + component.scores(query, hits))
        return best_units(hits, k, self.lexical.ids)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given) in a search with these candidates.

        It is 0 for a document that shares nothing with the query and its feedback, and NaN for an unknown id. For the
        candidates of a search the scores are exactly those of the search.
        """
        scores = np.full(len(doc_ids), np.nan)
        segments = np.full(len(doc_ids), -1, np.int32)
        units = np.zeros(len(doc_ids), np.int32)
        terms = self.expander.expand(self.query_terms(query))
        for number, segment in enumerate(self._segments):
            docs = segment.names.find(doc_ids) if len(doc_ids) else units
            live = np.flatnonzero(docs >= 0)
            live = live[segment.live[docs[live]]]
            segments[live], units[live] = number, docs[live]
            scores[live] = self.lexical.score_units(terms, number, docs[live])
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
        self, query: Query, terms: QueryTerms, k: int, components: Sequence[ScoreComponent], allowed: Masks | None
    ) -> UnitResults:
        """The best documents by terms, and further ones from components."""
        depth = max(k, self.model.candidates) if components else k
        hits = self.lexical.search_units([terms], depth, allowed=allowed)[0]
        for component in components:
            for segment, documents in component.further(query):
                if allowed is not None:
                    documents = documents[allowed[segment][documents]]
                known = hits.units[hits.segments == segment]
                new = documents[~np.isin(documents, known)]
                if len(new):
                    scores = self.lexical.score_units(terms, segment, new)
                    hits = hits.joined(UnitResults.of_segment(segment, new, scores))
        return hits

    def explain(
        self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None, judged: Judged | None = None
    ) -> Explanation:
        """Explains the score of a document in a search with these parameters.

        The parts are channels with their terms and feedback, and the components that apply. A document that is not a
        candidate is explained as if it were.
        """
        original = self.query_terms(query)
        terms = self.expander.expand(original, allowed, judged)
        return self.explain_terms(query, terms, doc_id, original=original, k=k, allowed=allowed)

    def explain_terms(
        self, query: Query, terms: QueryTerms, doc_id: str, *, original: QueryTerms, k: int = 10,
        allowed: Masks | None = None,
    ) -> Explanation:
        """:meth:`explain` for :meth:`search_terms`; ``original`` has the terms before feedback."""
        explanation = explain_terms(self.lexical, terms, doc_id, original=original)
        components = self.applying(query)
        if not components:
            return explanation
        segment, document = self.lexical.find(doc_id)
        hits = self._candidates(query, terms, k, components, allowed)
        places = np.flatnonzero((hits.segments == segment) & (hits.units == document))
        if not len(places):
            hits = hits.joined(UnitResults.one(segment, document, explanation.value))
        position = int(places[0]) if len(places) else len(hits.units) - 1
        parts = list(explanation.parts)
        for component in components:
            part = component.explain(query, hits, position)
            if part.value:
                parts.append(part)
            hits = hits._replace(scores=hits.scores + component.scores(query, hits))
        return Explanation(float(hits.scores[position]), explanation.label, parts)

    def matches(self, query: Query, doc_id: str) -> list[FormulaMatch]:
        """For each formula of the query, the match with the most similar formula of a document.

        Formulas of the query without a similar one are left out.
        """
        segment, document = self.lexical.find(doc_id)
        formulas = self._matched_formulas
        return formulas.shown.matches(query, segment, document) if formulas.searchable else []

    def matching_formulas(self, query: Query, doc_id: str) -> dict[tuple[str, int], ShownMatch] | None:
        """The formulas of a document to show as matches, by field and number there.

        None if the index has no channels to compare formulas by.
        """
        if not self._matched_formulas.possible:
            return None
        segment, document = self.lexical.find(doc_id)
        return self._matched_formulas.shown.matching(query, segment, document)


def with_similarity(settings: ChannelSettings, index_path: Path) -> LexicalChannel:
    """Opens a channel with the similarity matrix that it names, from the folder of an index.

    :raises ConfigError: the index has no such matrix, or its name is not valid.
    :raises IndexCorrupt: the matrix is damaged.
    """
    channel = settings.lexical
    if not settings.similarity:
        return channel
    return replace(channel, similarity=SimilarityMatrix.open(SIMILARITIES.path(index_path, settings.similarity)))


def prepare_segments(segments: Sequence[Segment], model: SearchModel = DEFAULT_MODEL) -> None:
    """Stores the derived data that ``model`` searches, so that the first query computes nothing."""
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
    options = [f"--channels {','.join(['default', *plain])}"] if plain else []
    return " ".join([*options, *(f"--tokenizer {name}=FILE" for name in tokenizers)])
