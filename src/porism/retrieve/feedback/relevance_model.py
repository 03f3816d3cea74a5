"""RM3: the query, interpolated with a language model of the documents found first.

Lavrenko and Croft, *Relevance-Based Language Models* (SIGIR 2001), in the form of Abdul-Jaleel et al., *UMass at TREC
2004: Novelty and HARD*. In each channel

``P(t | R) ∝ Σ_d P(t | d) · P(d | q)`` with ``P(t | d) = tf(t, d) / length(d)``,

both weighted by field. ``P(d | q)``, how likely a document is to be relevant, is its share of the sum of scores (as
Anserini has it), or of the sum of ``e^score`` where scores are logarithms of likelihoods (as Indri has it), or the same
for all. The terms of the largest ``P(t | R)`` are kept, those of equal ones by code point, their probabilities made to
sum to 1, and the query becomes ``q'(t) = λ · q(t) + (1 − λ) · Q · P(t | R)`` with ``Q = Σ q``: its sum stays.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from porism.retrieve.documents.model import Feedback
from porism.retrieve.feedback.documents import ChannelTerms, DocumentTerms
from porism.retrieve.feedback.kernels import sums_by_number
from porism.retrieve.feedback.rocchio import TermWeights


def document_prior(scores: NDArray[np.float64], prior: str) -> NDArray[np.float64]:
    """How much each document counts (float64, ≥ 0, with the sum 1; all 0 where no score is above 0).

    Scores of which some are below 0 are taken from the least one on, where they are not exponentiated.
    """
    if not len(scores):
        return scores
    if prior == "equal":
        weights = np.ones(len(scores))
    elif prior == "exponential":
        weights = np.exp(scores - scores.max())
    else:
        weights = scores if scores.min() >= 0 else scores - scores.min()
    total = math.fsum(weights.tolist())
    return weights / total if 0 < total < math.inf else np.zeros(len(scores))


def rm3(
    query: Mapping[str, float],
    documents: DocumentTerms,
    prior: NDArray[np.float64],
    channel: ChannelTerms,
    weights: TermWeights,
    settings: Feedback,
) -> dict[str, float]:
    """The new weights of a channel's terms: of those of the ``query``, and of those learnt.

    :param prior: P(d | q) of each document (float64).
    """
    found, likely = sums_by_number(
        documents.terms, prior[documents.documents] * (documents.frequencies / documents.lengths)
    )
    likely[weights(found) <= 0] = 0.0
    kept = channel.best(found, likely, settings.terms)
    total = math.fsum(likely[kept].tolist())
    if not total > 0:
        return dict(query)
    unit = (1.0 - settings.original_weight) * math.fsum(query.values()) / total
    new = {term: settings.original_weight * weight for term, weight in query.items()}
    for term, probability in zip(channel.names(found[kept]), likely[kept].tolist(), strict=True):
        new[term] = new.get(term, 0.0) + unit * probability
    return new
