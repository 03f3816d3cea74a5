"""Answers to searches by pattern."""

from __future__ import annotations

from porism.errors import Problem
from porism.index import Filters
from porism.serve.web import schema
from porism.serve.web.parts import check_length
from porism.serve.web.pieces import place_of
from porism.serve.web.requests import Deadline, check_page
from porism.serve.web.served import View
from porism.serve.web.settings import Limits


def search_patterns(
    served: View, pattern: str, k: int, filters: Filters, directed: bool, limits: Limits
) -> schema.PatternResults:
    """The statements that match a pattern.

    :raises QueryError: there is nothing to search for in it, it is beyond a limit, or a filter names an unknown key.
    """
    check_page(1, k, limits)
    clock = Deadline(limits.seconds)
    problems: list[Problem] = []
    search = served.index.patterns.search if served.federated is None else served.federated.search_patterns
    answer = search(
        check_length(pattern, limits), k, symmetric=not directed, filters=filters, on_problem=problems.append
    )
    return schema.PatternResults(
        index=served.name, generation=served.generation, pattern=pattern, total=answer.total,
        undecided=answer.undecided, unchecked=answer.unchecked, hints=tuple(map(str, problems)),
        seconds=round(clock.elapsed, 4), hits=tuple(
            schema.PatternHitView(
                rank=hit.rank, id=hit.id, name=hit.name, statement=hit.statement, kind=hit.kind, size=hit.size,
                place=place_of(hit.location), home=hit.home,
            )
            for hit in answer.hits
        ),
        missing=answer.missing,
    )  # fmt: skip
