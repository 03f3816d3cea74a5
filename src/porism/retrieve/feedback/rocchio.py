"""Rocchio's feedback: a query moves towards documents that are relevant, and away from those that are not.

Rocchio, *Relevance Feedback in Information Retrieval* (in Salton, *The SMART Retrieval System*, 1971); with vectors of
unit length and three parameters as in Salton and Buckley, *Improving Retrieval Performance by Relevance Feedback*
(JASIS 1990). In each channel a document is the vector of its weights in the channel's weighting. That is
``d(t) = w(t) · f(t, d)`` with ``w`` the weight of a term and ``f`` its factor. What the query learns of a term is

``c(t) = β / |R| · Σ_{d ∈ R} d(t) / |d| − γ / |N| · Σ_{d ∈ N} d(t) / |d|``

over relevant documents R and non-relevant ones N. The query becomes ``q'(t) = α · q(t) + |q| · c(t)``, so that the
scale of its weights stays: for its own terms, and for the terms of the largest ``c(t)`` above 0, of equal ones by code
point. A term whose weight would fall to 0 or below no longer counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.retrieve.feedback.base import Examples, FeedbackMethod, LastDocuments, Prior, TermWeights
from porism.retrieve.feedback.documents import DocumentTerms
from porism.retrieve.feedback.sums import sums_by_number
from porism.retrieve.feedback.term_numbers import TermNumbers
from porism.retrieve.weightings.base import HEAVIEST


@dataclass(frozen=True, slots=True)
class Rocchio(FeedbackMethod):
    """``alpha``, ``beta`` and ``gamma`` are the weights of the query, of relevant documents and of others.

    Where no user judges documents, the last ``non_relevant`` of the first ``depth`` that are found count as not
    relevant (0: none).

    :raises ConfigError: a number is out of its range.
    """

    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.15
    non_relevant: int = 0
    depth: int = 1000

    name = "rocchio"
    label = "Rocchio's method"
    learns_from_judgments = "all"

    def __post_init__(self) -> None:
        if not all(0 <= number <= HEAVIEST for number in (self.alpha, self.beta, self.gamma)):
            raise ConfigError(
                f"Rocchio's feedback cannot have alpha {self.alpha}, beta {self.beta} and gamma {self.gamma}",
                hint="Use numbers ≥ 0.",
            )
        if self.non_relevant < 0 or 0 < self.non_relevant >= self.depth:
            raise ConfigError(
                f"Rocchio's feedback cannot take {self.non_relevant} documents that are not relevant from the first "
                f"{self.depth}",
                hint="Use a number ≥ 0, and a depth above it.",
            )

    @property
    def active(self) -> bool:
        return self.beta > 0 or (self.gamma > 0 and self.non_relevant > 0)

    @property
    def document_prior(self) -> Prior:
        return "equal"

    @property
    def last_documents(self) -> LastDocuments | None:
        return LastDocuments(self.non_relevant, self.depth) if self.gamma > 0 and self.non_relevant > 0 else None

    def learn(
        self, query: Mapping[str, float], examples: Examples, channel: TermNumbers, weights: TermWeights, most: int
    ) -> dict[str, float]:
        vectors_of, shares = (examples.relevant, examples.other), (self.beta, -self.gamma)
        parts = [
            (vectors.terms, share / count * unit_vectors(vectors, weights))
            for vectors, share, count in zip(vectors_of, shares, examples.counts, strict=True) if count
        ]
        if not parts:
            return dict(query)
        own = sorted(query)
        new = {term: self.alpha * query[term] for term in own}
        terms, gains = sums_by_number(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        norm = math.sqrt(math.fsum(weight * weight for weight in query.values()))
        kept = channel.best(terms, gains, most)
        place = dict(zip(terms.tolist(), gains.tolist(), strict=True))
        learnt = dict(zip(channel.names(terms[kept]), gains[kept].tolist(), strict=True))
        for term, number in zip(own, channel.find(own).tolist(), strict=True):
            if number in place:
                learnt[term] = place[number]
        for term, gain in learnt.items():
            new[term] = new.get(term, 0.0) + norm * gain
        return {term: weight for term, weight in new.items() if weight > 0}


def unit_vectors(vectors: DocumentTerms, weights: TermWeights) -> NDArray[np.float64]:
    """The weight of each entry (float64) in the vector of its document, which has length 1.

    Squares are added from small to large: the order of a document's terms depends on the segment that has it.
    """
    values = weights(vectors.terms) * vectors.factors
    squares = values * values
    order = np.lexsort((squares, vectors.documents))
    sums = np.bincount(vectors.documents[order], weights=squares[order])
    norms: NDArray[np.float64] = np.sqrt(sums)[vectors.documents] if len(values) else values
    return np.divide(values, norms, out=np.zeros_like(values), where=norms > 0)
