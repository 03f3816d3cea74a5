"""Statements of shards are found by pattern as those of one index."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case
from shard_cases import Wrapped

from porism.errors import PorismError, Problem, QueryError
from porism.search.index import Index, open_index
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.requests import PatternsRequest
from porism.serve.shards.shard import IndexShard

ASKED = ("?a < ?b", r"\|?x\| \le _", "?a ≥ ?b", "?a = ?b", '"rule"')


@pytest.fixture(scope="module")
def joint(sample_shards: list[Path]) -> Iterator[Index]:
    with open_index(sample_shards) as index:
        yield index


def seen(hits: Any) -> list[Any]:
    return [(hit.rank, hit.id, hit.name, hit.statement, hit.size, hit.location.line) for hit in hits]


@every_case("asked", ASKED)
@every_case("k", [1, 7, 1000])
def test_statements_are_those_of_one_index(joint: Index, shards: list[IndexShard], asked: str, k: int) -> None:
    found, expected = FederatedIndex(shards).search_patterns(asked, k), joint.patterns.search(asked, k)
    assert seen(found.hits) == seen(expected.hits)
    assert (found.total, found.undecided, found.missing) == (expected.total, expected.undecided, ())
    assert {hit.home for hit in found.hits} <= {shard.name for shard in shards}
    assert expected.total


def test_filters_and_directions_are_those_of_one_index(joint: Index, shards: list[IndexShard]) -> None:
    together = FederatedIndex(shards)
    for settings in ({"filters": {"type": "theorem"}}, {"symmetric": False}):
        found, expected = together.search_patterns("?a ≥ 0", 50, **settings), joint.patterns.search(
            "?a ≥ 0", 50, **settings
        )
        assert seen(found.hits) == seen(expected.hits)
        assert found.total == expected.total
    with pytest.raises(QueryError, match="nothing"):
        together.search_patterns("?a", filters={"nothing": "x"})


def test_what_is_wrong_is_said_before_a_shard_is_asked(shards: list[IndexShard]) -> None:
    together = FederatedIndex(shards)
    problems: list[Problem] = []
    together.search_patterns("?a + (", on_problem=problems.append)
    assert problems
    for pattern, k, message in (("?a", 0, "k is 0"), (" , ", 5, "nothing to search for")):
        with pytest.raises(QueryError, match=message):
            together.search_patterns(pattern, k)


class Silent(Wrapped):
    """A shard that answers everything but patterns."""

    def patterns(self, request: PatternsRequest) -> Any:
        raise PorismError("it is out of order")


def test_a_shard_that_fails_is_missing(shards: list[IndexShard]) -> None:
    first, second = shards
    found = FederatedIndex([first, Silent(second)]).search_patterns("?a = ?b", 5)
    assert seen(found.hits) == seen(first.index.patterns.search("?a = ?b", 5).hits)
    assert [index.name for index in found.missing] == [second.name]


def test_an_id_that_two_shards_have_is_preceded_by_their_names(shards: list[IndexShard]) -> None:
    found = FederatedIndex([shards[0], Wrapped(shards[0], "copy")]).search_patterns("?a = ?b", 4)
    assert {hit.id.partition(":")[0] for hit in found.hits} == {shards[0].name, "copy"}
