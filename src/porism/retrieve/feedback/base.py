"""The interface of feedback methods: their parameters, and how they change the weights of a query's terms."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.retrieve.feedback.documents import DocumentTerms
from porism.retrieve.feedback.term_numbers import TermNumbers
from porism.settings import Settings, nearest

TermWeights = Callable[[NDArray[np.int64]], NDArray[np.float64]]
"""Maps numbers of terms to their weights (float64), 0 for terms that cannot be learnt."""

Prior = Literal["scores", "exponential", "equal"]
"""The weight of each of the first documents: its score, ``e^score``, or the same for all."""

PRIORS: tuple[Prior, ...] = ("scores", "exponential", "equal")


class Examples(NamedTuple):
    """The examples of a query in one channel: the terms of ``relevant`` documents and of non-relevant ``other`` ones.

    ``counts`` are the numbers of both, documents without terms included. ``prior`` is the probability that each
    relevant document is relevant (float64, with the sum 1).
    """

    relevant: DocumentTerms
    other: DocumentTerms
    counts: tuple[int, int]
    prior: NDArray[np.float64]


class LastDocuments(NamedTuple):
    """Documents that count as not relevant: the last ``number`` of the first ``depth`` results."""

    number: int
    depth: int


@dataclass(frozen=True, slots=True)
class FeedbackMethod(Settings, ABC):
    """The base of frozen dataclasses with the parameters of a feedback method.

    ``name`` is used in settings, ``label`` in messages. ``learns_from_judgments`` are the judged documents that the
    method learns from: ``"none"`` (Rocchio's method takes its place), ``"relevant"``, or ``"all"``.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    learns_from_judgments: ClassVar[Literal["none", "relevant", "all"]] = "none"

    @property
    @abstractmethod
    def active(self) -> bool:
        """Whether a query learns anything with these parameters."""

    @property
    def document_prior(self) -> Prior:
        """The weighting of the first documents."""
        return "scores"

    @property
    def last_documents(self) -> LastDocuments | None:
        """The results that count as not relevant, if the method learns from any."""
        return None

    def search_depth(self, most: int) -> int:
        """The number of results that the method needs; the first ``most`` count as relevant."""
        last = self.last_documents
        return last.depth if last else most

    def first_other(self, most: int, count: int) -> int:
        """The position of the first document that counts as not relevant, among ``count``; ``count`` if none."""
        last = self.last_documents
        return max(most, count - last.number) if last else count

    @abstractmethod
    def learn(
        self, query: Mapping[str, float], examples: Examples, channel: TermNumbers, weights: TermWeights, most: int
    ) -> dict[str, float]:
        """The new weights of a channel's terms: those of the ``query``, and at most ``most`` others."""


def check_prior(prior: str) -> None:
    """:raises ConfigError: there is no such prior."""
    if prior not in PRIORS:
        raise ConfigError(f"feedback cannot have the prior {prior!r}", hint=nearest(prior, PRIORS))


def document_prior(scores: NDArray[np.float64], prior: Prior) -> NDArray[np.float64]:
    """The weights of documents by their scores (float64, ≥ 0, with the sum 1; all 0 if no score is above 0).

    If some scores are negative, the lowest is subtracted from all, unless they are exponentiated.
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
