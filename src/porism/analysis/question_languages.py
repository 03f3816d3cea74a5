"""The languages in which questions are read: those of an index, or of a larger collection that it is a part of."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar

Languages = Mapping[str, int] | Callable[[], Mapping[str, int]]
"""Language → number of documents, or a function that returns this mapping, called at first use."""

RARE_LANGUAGE = 0.0005
"""A language with a smaller share of documents is used for a question only if its words are in that language: its word
forms would be noise in all other questions."""

_reading_in: ContextVar[Mapping[str, int] | None] = ContextVar("languages of questions", default=None)


@contextmanager
def reading_in(languages: Mapping[str, int]) -> Iterator[None]:
    """Sets the languages of questions within the block, in this thread, with their numbers of documents.

    They are those of a larger collection, of which an index has a part. An empty mapping keeps those of the index.
    """
    token = _reading_in.set(languages)
    try:
        yield
    finally:
        _reading_in.reset(token)


def languages_given() -> Mapping[str, int] | None:
    """The languages that :func:`reading_in` sets in this thread, None outside its block."""
    return _reading_in.get()
