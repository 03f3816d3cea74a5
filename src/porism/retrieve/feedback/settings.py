"""The settings of feedback in a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal

from porism.errors import ConfigError
from porism.retrieve.feedback.base import FeedbackMethod
from porism.retrieve.feedback.methods import RM3, Rocchio, ScoreWeighted
from porism.settings import Settings, nearest, read_settings

FEEDBACK_METHODS: Mapping[str, type[FeedbackMethod]] = MappingProxyType({
    method.name: method for method in (ScoreWeighted, Rocchio, RM3)
})
"""Name → the class, whose fields are the parameters."""


def feedback_method(named: str) -> type[FeedbackMethod]:
    """A method by its name.

    :raises ConfigError: there is none of this name.
    """
    if named not in FEEDBACK_METHODS:
        raise ConfigError(f"there is no feedback by {named!r}", hint=nearest(named, FEEDBACK_METHODS))
    return FEEDBACK_METHODS[named]


@dataclass(frozen=True, slots=True)
class Feedback(Settings):
    """The settings of feedback: a query learns terms from its first results.

    It learns at most ``terms`` terms of each channel from the first ``documents`` by a ``method`` of
    :data:`~porism.retrieve.feedback.settings.FEEDBACK_METHODS`:

    - ``score-weighted``: ``weight`` is the share of learnt terms; 0 is off;
    - ``rocchio``: ``alpha``, ``beta`` and ``gamma`` are the weights of the query, of the first documents and of
      ``non_relevant`` documents, which are the last of the first ``depth`` results (0: none);
    - ``rm3``: ``original_weight`` λ of the query, 1 − λ of the relevance model; documents count by ``prior``: by their
      ``scores``, by their ``exponential`` (for scores that are logarithms of likelihoods), or all ``equal``.

    ``parameters`` are other parameters of the method. Only ``channels`` learn (all by default), and only terms of at
    least ``min_df`` documents and at most a share ``max_df`` of those with the channel.

    :raises ConfigError: a number is out of its range, or there is no such method, parameter or prior.
    """

    weight: float = 0.2
    documents: int = 10
    terms: int = 40
    method: str = "score-weighted"
    alpha: float = 1.0
    beta: float = 0.75
    gamma: float = 0.15
    non_relevant: int = 0
    depth: int = 1000
    original_weight: float = 0.5
    prior: Literal["scores", "exponential", "equal"] = "scores"
    channels: tuple[str, ...] = ()
    min_df: int = 1
    max_df: float = 1.0
    parameters: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "channels", tuple(self.channels))
        if self.parameters is not None:
            object.__setattr__(self, "parameters", MappingProxyType(dict(self.parameters)))
        if not (self.documents >= 1 and self.terms >= 1):
            raise ConfigError(
                f"feedback cannot have {self.documents} documents and {self.terms} terms",
                hint="Use at least one document and one term.",
            )
        if not (0 < self.max_df <= 1 and self.min_df >= 1):
            raise ConfigError(
                f"feedback cannot have min_df {self.min_df} and max_df {self.max_df}",
                hint="min_df is at least 1; max_df is a share above 0, at most 1.",
            )
        # all methods are checked, because another one may learn from judged documents
        for method in (self.learner, *(other(**self._values(other)) for other in FEEDBACK_METHODS.values())):
            if (last := method.last_documents) is not None and last.number > last.depth - self.documents:
                raise ConfigError(
                    f"feedback cannot take {self.documents} documents and {last.number} that are not relevant from the "
                    f"first {last.depth}",
                    hint="The depth is at least the sum of both.",
                )

    @property
    def learner(self) -> FeedbackMethod:
        """The method, with its parameters.

        :raises ConfigError: there is none of this name, or it has no such parameter.
        """
        method = feedback_method(self.method)
        values = self._values(method)
        if not self.parameters:
            return method(**values)
        return read_settings(method, values | dict(self.parameters), at=("parameters",))

    @property
    def judged_learner(self) -> FeedbackMethod:
        """The method that learns from judged documents: the chosen one, or Rocchio's if that cannot."""
        learner = self.learner
        return Rocchio(**self._values(Rocchio)) if learner.learns_from_judgments == "none" else learner

    @property
    def active(self) -> bool:
        """Whether a query learns anything from its results."""
        return self.learner.active

    def _values(self, method: type[FeedbackMethod]) -> dict[str, Any]:
        """The settings that are parameters of a method."""
        own = {field.name for field in fields(self)}
        return {field.name: getattr(self, field.name) for field in fields(method) if field.name in own}
