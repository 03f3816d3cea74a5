"""More like this: a document as the query.

A document is read as a query is, words and formulas, with the weights that its fields have in the documents: so what a
model says of channels, powers and masses of formulas holds for it too. Of all its terms only the most telling ones are
searched for, those of the largest weight in the query times weight of the term (for BM25 its idf), in each channel
apart, those of equal ones by code point. What a document alone has can find no other, and is left out. There is no
feedback: a document has words enough. Lucene's *MoreLikeThis* chooses terms so, by tf·idf.
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
    """Which terms of a document ask for others like it: at most ``terms`` of each channel.

    They occur in at least ``min_df`` documents, the document itself included, and in at most a share ``max_df`` of
    those that have the channel. ``fields`` are those of the document that count (all, where none is named).

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
    """Finds documents like one of the index, by the model of a retriever; safe to share between threads."""

    def __init__(
        self, retriever: DocumentRetriever, analyzer: Analyzer, settings: MoreLikeThisSettings | None = None
    ) -> None:
        self.retriever = retriever
        self.settings = settings or MoreLikeThisSettings()
        self._reader = QueryReader(
            analyzer, self._as_document(retriever.model), retriever.lexical, retriever.encoded_queries
        )

    def _as_document(self, model: SearchModel) -> SearchModel:
        """The model with the weights of fields in documents as those in queries."""
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
        """The document, or the fields of it that count, as a query.

        :raises QueryError: it has none of these fields, or nothing in them.
        """
        wanted = self.settings.fields or tuple(document.fields)
        fields = {name: content for name, content in document.fields.items() if name in wanted and content}
        if not fields:
            held = ", ".join(name for name, content in document.fields.items() if content)
            raise QueryError(
                f"the document {document.id!r} has nothing in the fields that count",
                hint=f"It has {held}." if held else "It is empty.",
            )
        return Query(document.id, fields)

    def terms(self, query: Query) -> dict[str, dict[str, float]]:
        """Channel → term → weight in the query, of the most telling terms of :meth:`query`.

        :raises QueryError: it has no terms in the channels that are searched.
        """
        found = self._reader.terms(query)
        if not found:
            raise QueryError(
                f"the document {query.id!r} has no words and no formulas in the channels that are searched",
                hint=f"Searched are {', '.join(self.retriever.lexical.channels)}.",
            )
        return {name: telling for name, terms in found.items() if (telling := self._telling(name, terms))}

    def _telling(self, name: str, terms: dict[str, float]) -> dict[str, float]:
        lexical = self.retriever.lexical
        ordered = sorted(terms)
        statistics = lexical.statistics(name)
        df = lexical.document_frequencies(name, ordered)
        weights = np.array([terms[term] for term in ordered])
        able = (df >= self.settings.min_df) & (df <= self.settings.max_df * statistics.documents)
        worth = np.zeros(len(ordered))
        worth[able] = weights[able] * lexical.channels[name].weighting.term_weights(df[able], statistics)
        best = np.argsort(-worth, kind="stable")[: self.settings.terms]
        return {ordered[i]: terms[ordered[i]] for i in best.tolist() if worth[i] > 0}

    def search_units(self, query: Query, k: int, *, allowed: Masks | None = None) -> UnitResults:
        """The best ``k`` documents for a :meth:`query` made of a document, by number, the document itself too if
        it is allowed.

        :raises QueryError: ``k`` is below 1, or the document has no terms.
        """
        return self.retriever.search_terms(query, self.terms(query), k, allowed=allowed)

    def explain(self, query: Query, found: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why the document ``found`` is like that of the query: a tree of contributions that adds up to its score.

        :raises QueryError: as :meth:`search_units`; or the index has no document ``found``.
        """
        terms: QueryTerms = self.terms(query)
        return self.retriever.explain_terms(query, terms, found, original=terms, k=k, allowed=allowed)
