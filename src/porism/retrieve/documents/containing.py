"""The score by terms that a document would have if it contained a query formula itself.

A document with an equal formula, or the same one in other letters, shares few terms with the query. The difference to
this score is the value of the equality.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.retrieve.documents.queries import QueryReader
from porism.retrieve.lexical.channels import open_postings
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import ComputedWeighting, computed
from porism.types import Formula


class _FormulaTerms(NamedTuple):
    """The terms of a formula in one channel: their counts (float64) and weights (float64)."""

    channel: str
    counts: NDArray[np.float64]
    worths: NDArray[np.float64]


class HeldFormulas:
    """Computes the scores that documents lack because they do not contain a query formula; safe to share."""

    def __init__(self, lexical: LexicalRetriever, reader: QueryReader) -> None:
        self._lexical, self._reader = lexical, reader
        self._weightings: dict[str, ComputedWeighting] = {
            name: computed(channel.weighting) for name, channel in lexical.channels.items()
            if not channel.stores_factors
        }
        self._lengths: dict[tuple[int, str], NDArray[np.float64]] = {}

    def lacking(
        self, formula: Formula, fields: Iterable[str], documents: Sequence[NDArray[np.int32]]
    ) -> list[NDArray[np.float64]]:
        """The difference (float64, ≥ 0) to the scores that documents of each segment would have with the formula.

        ``fields`` has the query field of each occurrence of the formula.
        """
        weights = self._reader.formula_weights(fields)
        weighed, counts = self._reader.formula_terms(formula, weights)
        query = {
            name: terms for name, terms in weighed.items() if terms and weights[name] > 0 and name in self._weightings
        }
        names, read = self._lexical.terms.read(query)
        there = dict(zip(zip(read.channel_of.tolist(), read.terms, strict=True), read.weights.tolist(), strict=True))
        channels = [
            self._of_channel(name, query[name], Counter(counts[name]), {
                term: there[number, term] for term in query[name] if (number, term) in there
            })
            for number, name in enumerate(names)
        ]
        shares: list[NDArray[np.float64]] = []
        for segment, held in enumerate(documents):
            if not len(held):
                shares.append(np.zeros(0))
                continue
            total = np.zeros(len(held))
            for channel in channels:
                total += self._holding(channel, segment, held)
            shares.append(np.maximum(0.0, total - self._lexical.score_read(names, read, segment, held)))
        return shares

    def _of_channel(
        self, name: str, query: dict[str, float], counts: Counter[str], known: dict[str, float]
    ) -> _FormulaTerms:
        """The weights of a formula's terms; a term of no document weighs as much as a new term would."""
        new = self._weightings[name].term_weights(np.zeros(1, np.int64), self._lexical.statistics(name)).clip(0)[0]
        share = self._lexical.channels[name].weight * new
        return _FormulaTerms(
            name, np.array([float(counts.get(term, 1)) for term in query]),
            np.array([known.get(term, share * weight) for term, weight in query.items()]),
        )

    def _holding(self, channel: _FormulaTerms, segment: int, documents: NDArray[np.int32]) -> NDArray[np.float64]:
        """The score in a channel of documents with the terms and counts of the formula."""
        name, counts, worths = channel
        weighting = self._weightings[name]
        lengths = np.maximum(self._lengths_of(segment, name)[documents], counts.sum())
        x = weighting.tf_values(counts)
        y = weighting.length_values(lengths, self._lexical.statistics(name))[:, None]
        # row sums: in a matrix product the order of additions depends on the number of rows
        held: NDArray[np.float64] = (weighting.factor(x, y) * worths).sum(axis=1)
        return held

    def _lengths_of(self, segment: int, name: str) -> NDArray[np.float64]:
        lengths = self._lengths.get((segment, name))
        if lengths is None:
            postings = open_postings(self._lexical.segments[segment], name, self._lexical.fields_of(name))
            lengths = self._lengths[segment, name] = postings.length_table[postings.length_codes]
        return lengths
