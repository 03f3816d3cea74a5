"""Feedback: a query learns terms from documents that it finds first, or that its user judged.

The first documents are taken to be relevant, and what is characteristic of them joins the query. A *method* computes
the new weights of the query's terms, in each channel separately (:mod:`porism.retrieve.feedback.settings`).

Documents that a user judged take the place of those found first. They all count the same. A method that cannot learn
from judged documents gives way to Rocchio's.

All of it depends on the live documents alone, bit by bit, and not on how they are spread over segments.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import Segment
from porism.retrieve.feedback.base import FeedbackMethod, document_prior
from porism.retrieve.feedback.documents import ChannelTerms, DocumentTerms, FoundDocuments
from porism.retrieve.feedback.learning import ChannelExamples, Judged, learn, learner_of, term_factors
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.feedback.term_numbers import weighted_frequencies
from porism.retrieve.lexical.channels import has_channel, open_postings
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import StoredWeighting, computed
from porism.system.concurrency.locks import Lock


class QueryExpander:
    """Adds terms of the first documents to queries, over one snapshot; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], lexical: LexicalRetriever, settings: Feedback) -> None:
        """``segments`` are those of ``lexical``, whose units are documents.

        :raises ConfigError: feedback is limited to channels none of which is searched.
        """
        self._segments = tuple(segments)
        self._lexical = lexical
        self._settings = settings
        self._channels: dict[str, ChannelTerms] = {}
        self._lock = Lock()
        if settings.channels and lexical.channels and not set(settings.channels) & set(lexical.channels):
            raise ConfigError(
                f"feedback is limited to {', '.join(settings.channels)}, and none of these channels is searched",
                hint=f"Searched are {', '.join(lexical.channels)}.",
            )

    def expand(
        self, query: QueryTerms, allowed: Sequence[NDArray[np.bool_]] | None = None, judged: Judged | None = None
    ) -> dict[str, dict[str, float]]:
        """The query's terms with what they learn from the first documents found, among the ``allowed`` ones.

        A query that finds nothing stays as it is. If there are judged documents, the query learns from these and not
        from the first ones, even where the settings have feedback off; by Rocchio's method, unless that of the settings
        can learn from them.

        :raises QueryError: a weight is not a finite number ≥ 0, or the index lacks a judged document.
        :raises ConfigError: the query names a channel that is not searched, or the method cannot learn from documents
            that are not relevant.
        """
        learner = learner_of(self._settings, judged)
        if judged:
            relevant, other = self._named(judged.relevant), self._named(judged.not_relevant)
            prior = document_prior(relevant.scores, "equal")
        elif learner.active:
            relevant, other = self._first(query, learner, allowed)
            prior = document_prior(relevant.scores, learner.document_prior)
        else:
            return {name: dict(terms) for name, terms in query.items()}
        documents, opposed = self._documents(relevant), self._documents(other)

        def examples(name: str) -> ChannelExamples | None:
            if name not in self._lexical.channels or not self._has(name):
                return None
            return ChannelExamples(
                self._terms(name, documents), self._terms(name, opposed), self._channel(name),
                self._lexical.channels[name].weighting, self._lexical.statistics(name),
            )

        return learn(query, self._settings, learner, prior, len(other.units), examples)

    def terms_of(self, hits: UnitResults) -> dict[str, DocumentTerms]:
        """What documents have of the channels that can be learnt from, by number (:meth:`names`)."""
        documents = self._documents(hits)
        return {name: self._terms(name, documents) for name in self._lexical.channels if self._has(name)}

    def names(self, channel: str, terms: NDArray[np.int64]) -> list[str]:
        """Terms of a channel as strings."""
        return self._channel(channel).names(terms)

    def _has(self, channel: str) -> bool:
        """Whether documents have the channel in themselves: what encoders say of them teaches nothing new."""
        return not self._segments or any(has_channel(segment, channel) for segment in self._segments)

    def _named(self, ids: Sequence[str]) -> UnitResults:
        places = [self._lexical.find(doc_id) for doc_id in ids]
        return UnitResults(
            np.array([segment for segment, _ in places], np.int32), np.array([unit for _, unit in places], np.int32),
            np.ones(len(places)),
        )

    def _first(
        self, query: QueryTerms, learner: FeedbackMethod, allowed: Sequence[NDArray[np.bool_]] | None
    ) -> tuple[UnitResults, UnitResults]:
        """The first documents and, where the method learns from them, the last ones of those that are found."""
        most = self._settings.documents
        hits = self._lexical.search_units([query], learner.search_depth(most), allowed=allowed)[0]
        start = learner.first_other(most, len(hits.units))
        return hits.first(most), hits.take(slice(start, None))

    def _documents(self, hits: UnitResults) -> dict[int, FoundDocuments]:
        """The documents found, by segment."""
        return {
            number: FoundDocuments(self._segments[number], positions, units.astype(np.int64))
            for number, positions, units in hits.by_segment()
        }

    def _terms(self, name: str, made: Mapping[int, FoundDocuments]) -> DocumentTerms:
        """What the documents have of a channel."""
        channel = self._channel(name)
        fields = self._lexical.fields_of(name)
        parts: list[DocumentTerms] = []
        if isinstance(self._lexical.channels[name].weighting, StoredWeighting):
            for number, documents in made.items():
                stored = documents.stored(self._lexical.forward(name)[number])
                parts.append(stored._replace(terms=channel.ids(number, stored.terms)))
            return DocumentTerms.join(parts)
        weighting = computed(self._lexical.channels[name].weighting)
        for number, documents in made.items():
            rows = channel.rows[number]
            if rows is None:
                continue
            places, wanted, row_weights = documents.of(name, fields)
            places, terms, frequencies = weighted_frequencies(*rows.select(wanted), places, row_weights)
            postings = open_postings(self._segments[number], name, fields)
            lengths = postings.length_table[postings.length_codes[documents.units]]
            factors = term_factors(weighting, self._lexical.statistics(name), frequencies, lengths, places)
            parts.append(DocumentTerms(
                documents.positions[places], channel.ids(number, terms), frequencies, lengths[places], factors,
            ))
        return DocumentTerms.join(parts)

    def _channel(self, name: str) -> ChannelTerms:
        with self._lock:
            if name not in self._channels:
                self._channels[name] = ChannelTerms(self._segments, name, self._lexical.fields_of(name))
            return self._channels[name]
