"""Feedback: a query learns terms from documents that it finds first, or that its user judged.

The first documents are taken to be relevant, and what is characteristic of them joins the query. There are three
methods, each applied to each channel of the query apart: Rocchio's (:mod:`porism.retrieve.feedback.rocchio`), RM3
(:mod:`porism.retrieve.feedback.relevance_model`), and ``score-weighted``, which is between both: terms are worth what
they hold of the documents in the channel's weighting, as for Rocchio, and documents count by their scores, as in RM3:

- ``v(t) = Σ_d w_d · f(t, d)`` over the first documents, with ``w`` their scores, made to sum to 1, and ``f`` the
  factor of the channel's weighting (for BM25 ``tf / (tf + k1 · (1 − b + b · length / mean length))``);
- the terms of the largest ``v(t) · idf(t)`` are kept, those of equal ones by code point;
- a kept term's weight grows by ``weight · v(t) · Σ q / Σ v``, with q the query's own weights in the channel and the
  second sum over the kept terms: so feedback has a given share of each channel, and none where the query has nothing.

Documents that a user judged take the place of those found first: they count all the same, and those that are not
relevant count by Rocchio's method.

All of it depends on the live documents alone, bit by bit, and not on how they are spread over segments.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from porism.concurrency.locks import Lock
from porism.errors import ConfigError, QueryError
from porism.index import Segment
from porism.retrieve.documents.model import Feedback
from porism.retrieve.feedback.documents import ChannelTerms, DocumentTerms, FoundDocuments
from porism.retrieve.feedback.kernels import sums_by_number, weighted_frequencies
from porism.retrieve.feedback.relevance_model import document_prior, rm3
from porism.retrieve.feedback.rocchio import TermWeights, rocchio
from porism.retrieve.lexical.channels import open_postings
from porism.retrieve.lexical.retriever import LexicalRetriever, QueryTerms
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import computed, is_stored


@dataclass(frozen=True, slots=True)
class Judged:
    """Ids of documents that a user found relevant, and not relevant, to a query; the order does not matter.

    :raises QueryError: a document is in both.
    """

    relevant: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("relevant", "not_relevant"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        if both := set(self.relevant) & set(self.not_relevant):
            raise QueryError(f"the document {min(both)!r} is judged both relevant and not relevant")

    def __bool__(self) -> bool:
        return bool(self.relevant or self.not_relevant)


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
        self,
        query: QueryTerms,
        allowed: Sequence[NDArray[np.bool_]] | None = None,
        judged: Judged | None = None,
    ) -> dict[str, dict[str, float]]:
        """The query's terms with what they learn from the first documents found, among the ``allowed`` ones.

        A query that finds nothing stays as it is. Of judged documents, if there are any, the query learns in place of
        the first ones: also where the settings have feedback switched off, and by Rocchio's method unless they say RM3.

        :raises QueryError: a weight is not a finite number ≥ 0, or the index lacks a judged document.
        :raises ConfigError: the query names a channel that is not searched, or RM3 is to learn from documents that are
            not relevant.
        """
        expanded = {name: dict(terms) for name, terms in query.items()}
        if judged:
            settings = self._for_judgments(judged)
            relevant, other = self._named(judged.relevant), self._named(judged.not_relevant)
            prior = document_prior(relevant.scores, "equal")
        elif self._settings.active:
            settings = self._settings
            relevant, other = self._first(query, allowed)
            prior = document_prior(relevant.scores, "equal" if settings.method == "rocchio" else settings.prior)
        else:
            return expanded
        if not (prior.any() or len(other.units)):
            return expanded
        documents, opposed = self._documents(relevant), self._documents(other)
        for name, weighted in query.items():
            if name not in self._lexical.channels or not math.fsum(weighted.values()) > 0:
                continue
            if settings.channels and name not in settings.channels:
                continue
            channel, weights = self._channel(name), self._term_weights(name, settings)
            terms = self._terms(name, channel, documents)
            if settings.method == "rocchio":
                counts = (len(relevant.units), len(other.units))
                expanded[name] = rocchio(
                    weighted, terms, self._terms(name, channel, opposed), counts, channel, weights, settings
                )
            elif settings.method == "rm3":
                expanded[name] = rm3(weighted, terms, prior, channel, weights, settings)
            else:
                expanded[name] = _score_weighted(weighted, terms, prior, channel, weights, settings)
        return expanded

    def _for_judgments(self, judged: Judged) -> Feedback:
        if self._settings.method != "rm3":
            return replace(self._settings, method="rocchio")
        if judged.not_relevant:
            raise ConfigError(
                "RM3 learns nothing from documents that are not relevant",
                hint="Leave them out, or use Rocchio's method (feedback.method = \"rocchio\").",
            )
        return self._settings

    def _named(self, ids: Sequence[str]) -> UnitResults:
        places = [self._lexical.find(doc_id) for doc_id in ids]
        return UnitResults(
            np.array([segment for segment, _ in places], np.int32), np.array([unit for _, unit in places], np.int32),
            np.ones(len(places)),
        )

    def _first(
        self, query: QueryTerms, allowed: Sequence[NDArray[np.bool_]] | None
    ) -> tuple[UnitResults, UnitResults]:
        """The first documents and, where Rocchio's method wants them, the last ones of what is found."""
        settings = self._settings
        wanted = settings.method == "rocchio" and settings.gamma > 0 and settings.non_relevant > 0
        depth = settings.depth if wanted else settings.documents
        found = self._lexical.search_units([query], depth, allowed=allowed)[0]
        start = max(settings.documents, len(found.units) - settings.non_relevant) if wanted else len(found.units)
        last = UnitResults(found.segments[start:], found.units[start:], found.scores[start:])
        return found.first(settings.documents), last

    def _documents(self, found: UnitResults) -> dict[int, FoundDocuments]:
        """The documents found, by segment."""
        made = {}
        for number in np.unique(found.segments).tolist():
            positions = np.flatnonzero(found.segments == number)
            made[number] = FoundDocuments(self._segments[number], positions, found.units[positions].astype(np.int64))
        return made

    def _terms(self, name: str, channel: ChannelTerms, made: Mapping[int, FoundDocuments]) -> DocumentTerms:
        """What the documents have of a channel."""
        fields = self._lexical.fields_of(name)
        parts: list[DocumentTerms] = []
        if is_stored(self._lexical.channels[name].weighting):
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
            x = weighting.tf_values(frequencies)
            y = weighting.length_values(lengths, self._lexical.statistics(name))[places]
            parts.append(DocumentTerms(
                documents.positions[places], channel.ids(number, terms), frequencies, lengths[places],
                weighting.shift + (x / (x + y) if weighting.saturating else x / y),
            ))
        return DocumentTerms.join(parts)

    def _term_weights(self, name: str, settings: Feedback) -> TermWeights:
        """What gives the weights of terms of a channel: 0 for those that are too rare, or too common, to be learnt."""
        channel, statistics = self._channel(name), self._lexical.statistics(name)
        weighting = self._lexical.channels[name].weighting
        most = settings.max_df * statistics.documents

        def weights(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
            df = channel.df(numbers)
            found = weighting.term_weights(df, statistics)
            return np.where((found > 0) & (df >= settings.min_df) & (df <= most), found, 0.0)

        return weights

    def _channel(self, name: str) -> ChannelTerms:
        with self._lock:
            if name not in self._channels:
                self._channels[name] = ChannelTerms(self._segments, name, self._lexical.fields_of(name))
            return self._channels[name]


def _score_weighted(
    query: Mapping[str, float],
    documents: DocumentTerms,
    prior: NDArray[np.float64],
    channel: ChannelTerms,
    weights: TermWeights,
    settings: Feedback,
) -> dict[str, float]:
    """The new weights of a channel's terms, by the method of this module."""
    found, v = sums_by_number(documents.terms, prior[documents.documents] * documents.factors)
    kept = channel.best(found, v * weights(found), settings.terms)
    learnt = dict(zip(channel.names(found[kept]), v[kept].tolist(), strict=True))
    new = dict(query)
    sum_of_v = math.fsum(learnt.values())
    if sum_of_v > 0:
        unit = settings.weight * math.fsum(query.values()) / sum_of_v
        for term, gain in learnt.items():
            new[term] = new.get(term, 0.0) + unit * gain
    return new
