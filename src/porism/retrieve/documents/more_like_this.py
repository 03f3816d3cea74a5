"""More like this: a document as the query.

A document is read as a query, with its words and formulas and the weights of document fields; the model's channels,
powers and formula masses apply. In each channel only the most informative terms are searched for. They are ranked by
their weight in the query times the weight of the term (for BM25 its idf), ties by code point. Terms of no other
document are left out. There is no feedback, since a document has enough words. Lucene's *MoreLikeThis* chooses terms in
this way, by tf·idf.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import Masks
from porism.retrieve.documents.model import SearchModel
from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.documents.retriever import DocumentRetriever
from porism.retrieve.lexical.channels import OTHER_FIELDS, FieldWeights
from porism.retrieve.lexical.retriever import QueryTerms
from porism.retrieve.ranking import UnitResults
from porism.settings import Settings
from porism.types import Document, Query


@dataclass(frozen=True, slots=True)
class MoreLikeThisSettings(Settings):
    """Which terms of a document are searched for: at most ``terms`` of each channel.

    They occur in at least ``min_df`` documents, the document itself included, and in at most a share ``max_df`` of
    those with the channel. ``fields`` are the fields of the document that count, all by default.

    :raises ConfigError: a number is out of its range.
    """

    terms: int = 80
    min_df: int = 2
    max_df: float = 1.0
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "fields", tuple(self.fields))
        if not (self.terms >= 1 and self.min_df >= 1 and 0 < self.max_df <= 1):
            raise ConfigError(
                f"documents cannot be compared by {self.terms} terms, min_df {self.min_df}, max_df {self.max_df}",
                hint="Use at least one term, min_df ≥ 1, and a max_df above 0, at most 1.",
            )


class MoreLikeThis:
    """Finds documents like a given one, by the model of a retriever; safe to share between threads."""

    def __init__(
        self, retriever: DocumentRetriever, analyzer: Analyzer, settings: MoreLikeThisSettings | None = None
    ) -> None:
        self.retriever = retriever
        self.settings = settings or MoreLikeThisSettings()
        self._reader = QueryReader(
            analyzer, self._as_document(retriever.model), retriever.lexical, retriever.encoded_queries
        )

    def _as_document(self, model: SearchModel) -> SearchModel:
        """The model with the weights of document fields as those of query fields."""
        fields = sorted({name for segment in self.retriever.lexical.segments for name in segment.fields})

        def named(weights: FieldWeights) -> dict[str, float]:
            others = weights.get(OTHER_FIELDS, 1.0)
            return {name: weights.get(name, others) for name in fields}

        channels = {
            name: channel if channel.field_weights is None and channel.query_field_weights is None else replace(
                channel, query_field_weights=named(
                    model.field_weights if channel.field_weights is None else channel.field_weights
                ),
            )
            for name, channel in model.channels.items()
        }
        return replace(model, channels=channels, query_field_weights=named(model.field_weights))

    def query(self, document: Document) -> Query:
        """The fields of a document that count, as a query.

        :raises QueryError: it lacks these fields, or they are empty.
        """
        names = self.settings.fields or tuple(document.fields)
        fields = {name: content for name, content in document.fields.items() if name in names and content}
        if not fields:
            held = ", ".join(name for name, content in document.fields.items() if content)
            raise QueryError(
                f"the document {document.id!r} has nothing in the fields that count",
                hint=f"It has {held}." if held else "It is empty.",
            )
        return Query(document.id, fields)

    def terms(self, query: Query) -> dict[str, dict[str, float]]:
        """Channel → term → weight in the query, for the most informative terms of :meth:`query`.

        :raises QueryError: it has no terms in the channels that are searched.
        """
        by_channel = self._reader.terms(query)
        if not by_channel:
            raise QueryError(
                f"the document {query.id!r} has no words and no formulas in the channels that are searched",
                hint=f"Searched are {', '.join(self.retriever.lexical.channels)}.",
            )
        return {name: telling for name, terms in by_channel.items() if (telling := self._telling(name, terms))}

    def _telling(self, name: str, terms: dict[str, float]) -> dict[str, float]:
        lexical = self.retriever.lexical
        ordered = sorted(terms)
        statistics = lexical.statistics(name)
        df = lexical.document_frequencies(name, ordered)
        weights = np.array([terms[term] for term in ordered])
        allowed = (df >= self.settings.min_df) & (df <= self.settings.max_df * statistics.documents)
        gains = np.zeros(len(ordered))
        gains[allowed] = weights[allowed] * lexical.channels[name].weighting.term_weights(df[allowed], statistics)
        best = np.argsort(-gains, kind="stable")[: self.settings.terms]
        return {ordered[i]: terms[ordered[i]] for i in best.tolist() if gains[i] > 0}

    def search_units(self, query: Query, k: int, *, allowed: Masks | None = None) -> UnitResults:
        """The best ``k`` documents for a :meth:`query`, by number; the document itself included if allowed."""
        return self.retriever.search_terms(query, self.terms(query), k, allowed=allowed)

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Explains why a document is like that of the query: a tree of contributions that adds up to its score."""
        terms: QueryTerms = self.terms(query)
        return self.retriever.explain_terms(query, terms, doc_id, original=terms, k=k, allowed=allowed)
