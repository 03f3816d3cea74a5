"""Rocchio's feedback: a query moves towards documents that are relevant, and away from those that are not.

Rocchio, *Relevance Feedback in Information Retrieval* (in Salton, *The SMART Retrieval System*, 1971); with vectors of
unit length and three parameters as in Salton and Buckley, *Improving Retrieval Performance by Relevance Feedback*
(JASIS 1990). In each channel a document is the vector of its weights in the channel's weighting, ``d(t) = w(t) ·
f(t, d)`` with ``w`` the weight of a term and ``f`` its factor, and what the query learns of a term is

``c(t) = β / |R| · Σ_{d ∈ R} d(t) / |d| − γ / |N| · Σ_{d ∈ N} d(t) / |d|``

over relevant documents R and non-relevant ones N. The query becomes ``q'(t) = α · q(t) + |q| · c(t)``, so that the
scale of its weights stays: for its own terms, and for the terms of the largest ``c(t)`` above 0, of equal ones by code
point. A term whose weight would fall to 0 or below no longer counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import numpy as np
from numpy.typing import NDArray

from porism.retrieve.documents.model import Feedback
from porism.retrieve.feedback.documents import ChannelTerms, DocumentTerms
from porism.retrieve.feedback.kernels import sums_by_number

TermWeights = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""Numbers of terms → their weights (float64), 0 for terms that are not learnt."""


def rocchio(
    query: Mapping[str, float],
    relevant: DocumentTerms,
    other: DocumentTerms,
    counts: tuple[int, int],
    channel: ChannelTerms,
    weights: TermWeights,
    settings: Feedback,
) -> dict[str, float]:
    """The new weights of a channel's terms: of those of the ``query``, and of those learnt.

    :param other: the terms of documents that are not relevant.
    :param counts: how many documents are relevant, and how many are not.
    """
    parts = [
        (vectors.terms, share / count * unit_vectors(vectors, weights))
        for vectors, share, count in zip((relevant, other), (settings.beta, -settings.gamma), counts, strict=True)
        if count
    ]
    own = sorted(query)
    new = {term: settings.alpha * query[term] for term in own}
    if not parts:
        return dict(query)
    found, gains = sums_by_number(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    norm = math.sqrt(math.fsum(weight * weight for weight in query.values()))
    kept = channel.best(found, gains, settings.terms)
    place = dict(zip(found.tolist(), gains.tolist(), strict=True))
    learnt = dict(zip(channel.names(found[kept]), gains[kept].tolist(), strict=True))
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
