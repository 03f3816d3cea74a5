"""Rerankers, which order anew what was found, and what pipelines check and say of their parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol, runtime_checkable

from porism.errors import QueryError
from porism.runs.run import Run
from porism.types import Query

DEPTH = 100
"""So many results of each query are re-ranked where nothing else is said."""


@runtime_checkable
class Reranker(Protocol):
    """Orders the first results of a run anew. May have ``describe()`` as a :class:`~porism.retrieve.Searcher`, and an
    attribute ``depth``: how many results it re-ranks where a pipeline does not say. Also an attribute ``batch``:
    whether it wants all queries at once.

    The documents below ``depth`` keep their order beneath the others (:func:`~porism.lab.pipeline.rescored` does this).
    """

    def rerank(self, queries: Iterable[Query], run: Run, depth: int = DEPTH) -> Run:
        """The run with the first ``depth`` results of each query in another order; ``queries`` are those of the run."""


def check_queries(queries: Iterable[Query]) -> list[Query]:
    """The queries as a list.

    :raises QueryError: two have one id, or one is not a :class:`~porism.types.Query`.
    """
    if isinstance(queries, Query):
        raise QueryError("a pipeline takes a list of queries", hint=f"Write [{queries.id!r} query].")
    checked = list(queries)
    for query in checked:
        if not isinstance(query, Query):
            raise QueryError(
                f"{query!r} is not a query", hint="Make one of text by porism.search.index.make_query, or read topics."
            )
    seen: set[str] = set()
    for query in checked:
        if query.id in seen:
            raise QueryError(f"two queries have the id {query.id!r}")
        seen.add(query.id)
    return checked


def check_count(count: int, name: str) -> int:
    """A number of results.

    :raises QueryError: it is not a whole number of at least 1.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise QueryError(f"{name} cannot be {count!r}", hint="Use a whole number of at least 1.")
    return count


def describe(thing: object) -> dict[str, Any]:
    """What a retriever or a reranker says of itself, as plain values for JSON; its type where it says nothing."""
    description = getattr(thing, "describe", None)
    if callable(description):
        said = description()
        if isinstance(said, Mapping):
            return dict(said)
    return {"kind": type(thing).__qualname__}
