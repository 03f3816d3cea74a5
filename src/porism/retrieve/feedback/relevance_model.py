"""RM3: the query, interpolated with a language model of the documents found first.

Lavrenko and Croft, *Relevance-Based Language Models* (SIGIR 2001), in the form of Abdul-Jaleel et al., *UMass at TREC
2004: Novelty and HARD*. In each channel

``P(t | R) ∝ Σ_d P(t | d) · P(d | q)`` with ``P(t | d) = tf(t, d) / length(d)``,

both weighted by field. ``P(d | q)`` is how likely a document is to be relevant. It is the share of the document in the
sum of scores (as Anserini has it), or the same for all. Where scores are logarithms of likelihoods, it is the share in
the sum of ``e^score`` (as Indri has it). The terms of the largest ``P(t | R)`` are kept, those of equal ones by code
point, their probabilities made to sum to 1. The query becomes ``q'(t) = λ · q(t) + (1 − λ) · Q · P(t | R)`` with
``Q = Σ q``: its sum stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from porism.errors import ConfigError
from porism.retrieve.feedback.base import Examples, FeedbackMethod, Prior, TermWeights, check_prior
from porism.retrieve.feedback.sums import sums_by_number
from porism.retrieve.feedback.term_numbers import TermNumbers


@dataclass(frozen=True, slots=True)
class RM3(FeedbackMethod):
    """``original_weight`` is λ, the weight of the query, and ``prior`` says how P(d | q) is computed.

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
