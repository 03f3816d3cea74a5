"""The methods of feedback: score-weighted factors, RM3, and Rocchio's."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.retrieve.feedback.base import Examples, FeedbackMethod, LastDocuments, Prior, TermWeights, check_prior
from porism.retrieve.feedback.documents import DocumentTerms
from porism.retrieve.feedback.term_numbers import TermNumbers, sums_by_number
from porism.retrieve.weightings.base import HEAVIEST, check_weight


@dataclass(frozen=True, slots=True)
class ScoreWeighted(FeedbackMethod):
    """Feedback by score-weighted factors: between Rocchio's method and RM3.

    Terms are worth what they hold of the documents in the channel's weighting, as for Rocchio, and documents count by
    their scores, as in RM3:

    - ``v(t) = Σ_d w_d · f(t, d)`` over the first documents, with ``w`` their scores, made to sum to 1. Here ``f`` is
      the factor of the channel's weighting; for BM25 ``tf / (tf + k1 · (1 − b + b · length / mean length))``.
    - The terms of the largest ``v(t) · idf(t)`` are kept, those of equal ones by code point.
    - A kept term's weight grows by ``weight · v(t) · Σ q / Σ v``. Here q are the query's own weights in the channel,
      and the second sum is over the kept terms: so feedback has a given share of each channel, and none where the query
      has nothing.

    ``weight`` is the share of what is learnt in the weights of a channel (0 is off); ``prior`` says how documents
    count.

    :raises ConfigError: the weight is out of its range, or there is no such prior.
    """

    weight: float = 0.2
    prior: Prior = "scores"

    name = "score-weighted"
    label = "score-weighted feedback"

    def __post_init__(self) -> None:
        check_prior(self.prior)
        check_weight("feedback", self.weight)

    @property
    def active(self) -> bool:
        return self.weight > 0

    @property
    def document_prior(self) -> Prior:
        return self.prior

    def learn(
        self, query: Mapping[str, float], examples: Examples, channel: TermNumbers, weights: TermWeights, most: int
    ) -> dict[str, float]:
        documents = examples.relevant
        terms, v = sums_by_number(documents.terms, examples.prior[documents.documents] * documents.factors)
        kept = channel.best(terms, v * weights(terms), most)
        learnt = dict(zip(channel.names(terms[kept]), v[kept].tolist(), strict=True))
        new = dict(query)
        sum_of_v = math.fsum(learnt.values())
        if sum_of_v > 0:
            unit = self.weight * math.fsum(query.values()) / sum_of_v
            for term, gain in learnt.items():
                new[term] = new.get(term, 0.0) + unit * gain
        return new


@dataclass(frozen=True, slots=True)
class RM3(FeedbackMethod):
    """RM3: the query, interpolated with a language model of the documents found first.

    Lavrenko and Croft, *Relevance-Based Language Models* (SIGIR 2001), in the form of Abdul-Jaleel et al., *UMass at
    TREC 2004: Novelty and HARD*. In each channel

    ``P(t | R) ∝ Σ_d P(t | d) · P(d | q)`` with ``P(t | d) = tf(t, d) / length(d)``,

    both weighted by field. ``P(d | q)`` is how likely a document is to be relevant. It is the share of the document in
    the sum of scores (as Anserini has it), or the same for all. Where scores are logarithms of likelihoods, it is the
    share in the sum of ``e^score`` (as Indri has it). The terms of the largest ``P(t | R)`` are kept, those of equal
    ones by code point, their probabilities made to sum to 1. The query becomes
    ``q'(t) = λ · q(t) + (1 − λ) · Q · P(t | R)`` with ``Q = Σ q``: its sum stays.

    ``original_weight`` is λ, the weight of the query, and ``prior`` says how P(d | q) is computed.

    :raises ConfigError: the weight is out of its range, or there is no such prior.
    """

    original_weight: float = 0.5
    prior: Prior = "scores"

    name = "rm3"
    label = "RM3"
    learns_from_judgments = "relevant"

    def __post_init__(self) -> None:
        check_prior(self.prior)
        if not 0 <= self.original_weight <= 1:
            raise ConfigError(
                f"feedback cannot have the original weight {self.original_weight}", hint="Use a number from 0 to 1."
            )

    @property
    def active(self) -> bool:
        return self.original_weight < 1

    @property
    def document_prior(self) -> Prior:
        return self.prior

    def learn(
        self, query: Mapping[str, float], examples: Examples, channel: TermNumbers, weights: TermWeights, most: int
    ) -> dict[str, float]:
        documents = examples.relevant
        terms, likely = sums_by_number(
            documents.terms, examples.prior[documents.documents] * (documents.frequencies / documents.lengths)
        )
        likely[weights(terms) <= 0] = 0.0
        kept = channel.best(terms, likely, most)
        total = math.fsum(likely[kept].tolist())
        if not total > 0:
            return dict(query)
        unit = (1.0 - self.original_weight) * math.fsum(query.values()) / total
        new = {term: self.original_weight * weight for term, weight in query.items()}
        for term, probability in zip(channel.names(terms[kept]), likely[kept].tolist(), strict=True):
            new[term] = new.get(term, 0.0) + unit * probability
        return new


@dataclass(frozen=True, slots=True)
class Rocchio(FeedbackMethod):
    """Rocchio's feedback: a query moves towards documents that are relevant, and away from those that are not.

    Rocchio, *Relevance Feedback in Information Retrieval* (in Salton, *The SMART Retrieval System*, 1971); with vectors
    of unit length and three parameters as in Salton and Buckley, *Improving Retrieval Performance by Relevance
    Feedback* (JASIS 1990). In each channel a document is the vector of its weights in the channel's weighting. That is
    ``d(t) = w(t) · f(t, d)`` with ``w`` the weight of a term and ``f`` its factor. What the query learns of a term is

    ``c(t) = β / |R| · Σ_{d ∈ R} d(t) / |d| − γ / |N| · Σ_{d ∈ N} d(t) / |d|``

    over relevant documents R and non-relevant ones N. The query becomes ``q'(t) = α · q(t) + |q| · c(t)``, so that the
    scale of its weights stays: for its own terms, and for the terms of the largest ``c(t)`` above 0, of equal ones by
    code point. A term whose weight would fall to 0 or below no longer counts.

    ``alpha``, ``beta`` and ``gamma`` are the weights of the query, of relevant documents and of others.

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
