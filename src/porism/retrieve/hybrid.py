"""Hybrid search: words and formulas in one sum of BM25 scores over channels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from porism.analysis import Analyzer
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import Segment, Snapshot
from porism.index.trees import prepare_trees
from porism.index.units import prepare_units
from porism.retrieve.channels import prepare
from porism.retrieve.feedback import QueryExpander
from porism.retrieve.lexical import LexicalRetriever, QueryTerms
from porism.retrieve.model import DEFAULT_MODEL, SearchModel
from porism.retrieve.queries import QueryReader
from porism.run import Run
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
        channels = {name: settings.lexical for name, settings in model.channels.items() if name in known}
        if not channels:
            raise ConfigError(
                f"the index has none of the channels {', '.join(model.channels)}",
                where=str(snapshot.path), hint=f"It has {', '.join(sorted(known))}.",
            )
        self.snapshot = snapshot
        self.model = model
        self._segments = snapshot.segments
        held = {name for segment in snapshot.segments for name in (*segment.text_channels, *segment.formula_channels)}
        self.lexical = LexicalRetriever(
            snapshot.segments, {name: channel for name, channel in channels.items() if name in held or not held},
            model.field_weights, model.views,
        )
        self._reader = QueryReader(analyzer, model, self.lexical)
        self._expander = QueryExpander(snapshot.segments, self.lexical, model.feedback)

    def query_terms(self, query: Query) -> QueryTerms:
        """The query's terms by channel, each with its weight in the query."""
        return self._reader.terms(query)

    def term_worths(self, query: Query) -> dict[str, dict[str, float]]:
        """What each query term that occurs in the collection is worth: its weight times channel weight and idf."""
        return self.lexical.term_weights(self.query_terms(query))

    def search(
        self, queries: Iterable[Query], k: int = 10, *, filters: Filters | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query; documents that share no term with it are not results.

        :raises QueryError: ``k`` is below 1, two queries have one id, or a filter names a key that no document has.
        """
        asked = list(queries)
        if len({query.id for query in asked}) < len(asked):
            raise QueryError("two queries have the same id")
        allowed = self.allowed(filters) if filters else None
        terms = [self._expander.expand(self.query_terms(query), allowed) for query in asked]
        found = self.lexical.search_terms(terms, k, allowed=allowed)
        return Run(
            {
                query.id: zip(results.ids, results.scores.tolist(), strict=True)
                for query, results in zip(asked, found, strict=True)
            },
            name,
        )

    def explain(self, query: Query, doc_id: str) -> Explanation:
        """Why a document has its score: channels, terms, and for each its parts.

        :raises QueryError: the index has no such document.
        """
        terms = self.query_terms(query)
        return self.lexical.explain_terms(self._expander.expand(terms), doc_id, asked=terms)

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


def prepare_segments(segments: Sequence[Segment], model: SearchModel = DEFAULT_MODEL) -> None:
    """Stores what searching by ``model`` needs beside the segments, so that a first query computes nothing."""
    held = {name for segment in segments for name in (*segment.text_channels, *segment.formula_channels)}
    channels = {name: settings.lexical for name, settings in model.channels.items() if name in held}
    prepare(segments, channels, model.field_weights, model.views.values())
    prepare_trees(segments)
    prepare_units(segments)
