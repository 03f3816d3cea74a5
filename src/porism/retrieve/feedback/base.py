"""What the methods of feedback have in common: their parameters, and how they change the weights of a query's terms."""

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
"""Numbers of terms → their weights (float64), 0 for terms that are not learnt."""

Prior = Literal["scores", "exponential", "equal"]
"""How much each of the first documents counts: by its score, by ``e^score``, or all the same."""

PRIORS: tuple[Prior, ...] = ("scores", "exponential", "equal")


class Examples(NamedTuple):
    """What a query learns from in one channel: the terms of ``relevant`` documents and of ``other`` ones, which are
    not relevant; ``counts`` says how many of both there are, terms or not.

    ``prior`` is how likely each relevant document is to be relevant (float64, with the sum 1).
    """

    relevant: DocumentTerms
    other: DocumentTerms
    counts: tuple[int, int]
    prior: NDArray[np.float64]


class LastDocuments(NamedTuple):
    """Documents that count as not relevant: the last ``number`` of the first ``depth`` that are found."""

    number: int
    depth: int


@dataclass(frozen=True, slots=True)
class FeedbackMethod(Settings, ABC):
    """The base of frozen dataclasses that hold the parameters of one method of feedback.

    ``name`` is the name in settings, ``label`` the one in messages. ``learns_from_judgments`` says from which judged
    documents the method learns: ``"none"`` (Rocchio's method takes its place), ``"relevant"``, or ``"all"``.
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
        """How much each of the first documents counts."""
        return "scores"

    @property
    def last_documents(self) -> LastDocuments | None:
        """The documents found that count as not relevant, if the method learns from any."""
        return None

    def search_depth(self, most: int) -> int:
        """How many documents are to be found first, of which ``most`` count as relevant."""
        last = self.last_documents
        return last.depth if last else most

    def first_other(self, most: int, found: int) -> int:
        """Where the documents begin that count as not relevant, among those ``found``; their number for none."""
        last = self.last_documents
        return max(most, found - last.number) if last else found

    @abstractmethod
    def learn(
        self, query: Mapping[str, float], examples: Examples, channel: TermNumbers, weights: TermWeights, most: int
    ) -> dict[str, float]:
        """The new weights of a channel's terms: of those of the ``query``, and of at most ``most`` others."""


def check_prior(prior: str) -> None:
    """Whether there is such a prior.

    :raises ConfigError: there is none.
    """
    if prior not in PRIORS:
        raise ConfigError(f"feedback cannot have the prior {prior!r}", hint=nearest(prior, PRIORS))


def document_prior(scores: NDArray[np.float64], prior: Prior) -> NDArray[np.float64]:
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
