"""Learning from examples, channel by channel: from documents of an index, or from given terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.retrieve.feedback.base import Examples, FeedbackMethod, TermWeights
from porism.retrieve.feedback.documents import DocumentTerms
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.feedback.term_numbers import TermNumbers
from porism.retrieve.lexical.query_terms import QueryTerms
from porism.retrieve.weightings.base import ChannelStatistics, ComputedWeighting, Weighting


@dataclass(frozen=True, slots=True)
class Judged:
    """Ids of documents that a user found relevant, and not relevant, to a query; the order does not matter.

    :raises QueryError: a document is in both.
    """

    relevant: tuple[str, ...] = ()
    not_relevant: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("relevant", "not_relevant"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        if both := set(self.relevant) & set(self.not_relevant):
            raise QueryError(f"the document {min(both)!r} is judged both relevant and not relevant")

    def __bool__(self) -> bool:
        return bool(self.relevant or self.not_relevant)


class ChannelExamples(NamedTuple):
    """The terms of ``relevant`` and ``other`` documents in a channel, with the channel's weighting and statistics."""

    relevant: DocumentTerms
    other: DocumentTerms
    terms: TermNumbers
    weighting: Weighting
    statistics: ChannelStatistics


def learner_of(settings: Feedback, judged: Judged | None) -> FeedbackMethod:
    """The method that learns from judged documents, or from the first results.

    :raises ConfigError: the method cannot learn from documents that are not relevant.
    """
    if not judged:
        return settings.learner
    learner = settings.judged_learner
    if judged.not_relevant and learner.learns_from_judgments == "relevant":
        raise ConfigError(
            f"{learner.label} learns nothing from documents that are not relevant",
            hint="Leave them out, or use Rocchio's method (feedback.method = \"rocchio\").",
        )
    return learner


def learn(
    query: QueryTerms, settings: Feedback, learner: FeedbackMethod, prior: NDArray[np.float64], other: int,
    channel: Callable[[str], ChannelExamples | None],
) -> dict[str, dict[str, float]]:
    """The terms of a query by channel, with those learnt from examples.

    :param prior: the probability that each relevant document is relevant (float64), see :class:`Examples`.
    :param other: the number of documents that are not relevant.
    :param channel: returns the examples in a channel, or None if nothing can be learnt from it.
    """
    expanded = {name: dict(terms) for name, terms in query.items()}
    if not (prior.any() or other):
        return expanded
    for name, weighted in query.items():
        if not math.fsum(weighted.values()) > 0 or (settings.channels and name not in settings.channels):
            continue
        if (channel_examples := channel(name)) is not None:
            examples = Examples(channel_examples.relevant, channel_examples.other, (len(prior), other), prior)
            expanded[name] = learner.learn(
                weighted, examples, channel_examples.terms, _term_weights(channel_examples, settings), settings.terms
            )
    return expanded


def term_factors(
    weighting: ComputedWeighting, statistics: ChannelStatistics, frequencies: NDArray[np.float64],
    lengths: NDArray[np.float64], places: NDArray[np.int64],
) -> NDArray[np.float64]:
    """The factors of terms (float64), from their frequencies and the ``places`` of their documents' lengths."""
    x = weighting.tf_values(frequencies)
    y = weighting.length_values(lengths, statistics)[places]
    return weighting.factor(x, y)


def _term_weights(examples: ChannelExamples, settings: Feedback) -> TermWeights:
    """A function that gives the weights of a channel's terms: 0 for terms too rare or too common to be learnt."""
    least, most = settings.min_df, settings.max_df * examples.statistics.documents

    def weights(numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        df = examples.terms.df(numbers)
        worth = examples.weighting.term_weights(df, examples.statistics)
        return np.where((worth > 0) & (df >= least) & (df <= most), worth, 0.0)

    return weights
