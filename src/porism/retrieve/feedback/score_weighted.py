"""Feedback by score-weighted factors: between Rocchio's method and RM3.

Terms are worth what they hold of the documents in the channel's weighting, as for Rocchio, and documents count by
their scores, as in RM3:

- ``v(t) = Σ_d w_d · f(t, d)`` over the first documents, with ``w`` their scores, made to sum to 1. Here ``f`` is the
  factor of the channel's weighting; for BM25 ``tf / (tf + k1 · (1 − b + b · length / mean length))``.
- The terms of the largest ``v(t) · idf(t)`` are kept, those of equal ones by code point.
- A kept term's weight grows by ``weight · v(t) · Σ q / Σ v``. Here q are the query's own weights in the channel, and
  the second sum is over the kept terms: so feedback has a given share of each channel, and none where the query has
  nothing.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from porism.errors import ConfigError
from porism.retrieve.feedback.base import Examples, FeedbackMethod, Prior, TermWeights, check_prior
from porism.retrieve.feedback.sums import sums_by_number
from porism.retrieve.feedback.term_numbers import TermNumbers
from porism.retrieve.weightings.base import HEAVIEST


@dataclass(frozen=True, slots=True)
class ScoreWeighted(FeedbackMethod):
    """``weight`` is the share of what is learnt in the weights of a channel (0 is off); ``prior`` says how documents
    count.

    :raises ConfigError: the weight is out of its range, or there is no such prior.
    """

    weight: float = 0.2
    prior: Prior = "scores"

    name = "score-weighted"
    label = "score-weighted feedback"

    def __post_init__(self) -> None:
        check_prior(self.prior)
        if not 0 <= self.weight <= HEAVIEST:
            raise ConfigError(f"feedback cannot have the weight {self.weight}", hint="Use a number ≥ 0.")

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
