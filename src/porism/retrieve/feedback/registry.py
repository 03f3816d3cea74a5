"""The methods of feedback, by name. A new method is a module with its class, and a line here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from porism.errors import ConfigError
from porism.retrieve.feedback.base import FeedbackMethod
from porism.retrieve.feedback.relevance_model import RM3
from porism.retrieve.feedback.rocchio import Rocchio
from porism.retrieve.feedback.score_weighted import ScoreWeighted
from porism.settings import nearest

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
