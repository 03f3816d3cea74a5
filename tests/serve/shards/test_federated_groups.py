"""Answers of shards are grouped, and all places of a formula listed, as those of one index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from shard_cases import Wrapped

from porism.errors import PorismError, QueryError
from porism.search.answering import IndexAnswers
from porism.search.index import Index, open_index
from porism.search.occurrences import occurrences_of
from porism.search.sources.updating import index_sources
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.requests import GroupsRequest, PlacesRequest
from porism.serve.shards.shard import IndexShard


@pytest.fixture(scope="module")
def threads(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two indexes of a collection: answers to four questions, and some by themselves; half of them have a formula."""
    folder = tmp_path_factory.mktemp("threads")
    for part, numbers in (("first", range(17)), ("second", range(17, 30))):
        lines = []
        for number in numbers:
            entry = {"id": f"a{number}", "title": f"Answer {number}", "body": f"squares {'and ' * number}"}
            if number % 5:
                entry["question_id"] = str(number % 5)
            if number % 2:
                entry["body"] += "of $a^2+b^2$" * (1 + number % 3)
            lines.append(json.dumps(entry))
        (folder / part / "mse").mkdir(parents=True)
        (folder / part / "mse" / "answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
        index_sources([folder / part / "mse"], folder / f"{part}.index", jobs=1)
    return [folder / "first.index", folder / "second.index"]


@pytest.fixture(scope="module")
def joint(threads: list[Path]) -> Iterator[Index]:
    with open_index(threads) as index:
        yield index


@pytest.fixture(scope="module")
def shards(threads: list[Path]) -> list[IndexShard]:
    return [IndexShard(path.stem, open_index(path)) for path in threads]


def seen(hits: Any) -> list[Any]:
    return [(hit.rank, hit.id, hit.score, hit.group) for hit in hits]


def test_groups_are_those_of_one_index(joint: Index, shards: list[IndexShard]) -> None:
    together, one = FederatedIndex(shards), IndexAnswers(joint)
    for options in ({}, {"first": 3}, {"depth": 9}):
        asked = {"k": 6, "depth": 100, "group_by": "question", **options}
        found, expected = together.search("squares", **asked), one.search("squares", **asked)
        assert seen(found.hits) == seen(expected.hits)
        assert (found.groups, found.total) == (expected.groups, expected.total)
    best = next(hit for hit in one.search("squares", 6, depth=100, group_by="question").hits if hit.group)
    inside = {"k": 4, "depth": 100, "group": best.group.id}
    found, expected = together.search("squares", **inside), one.search("squares", **inside)
    assert seen(found.hits) == seen(expected.hits)
    assert found.total == expected.total == best.group.more + 1
    assert found.groups is None


def test_places_are_those_of_one_index_page_by_page(joint: Index, shards: list[IndexShard]) -> None:
    together = FederatedIndex(shards)
    key = together.search_formulas("a^2+b^2", 1).hits[0].key
    pages: list[str] = []
    for first in range(0, 18, 4):
        found, expected = together.occurrences(key, 4, first=first), occurrences_of(joint, key, 4, first=first)
        assert found is not None
        assert expected is not None
        assert (found.documents, found.places, found.key) == (15, expected.places, key)
        assert [(own.id, own.places, own.passages) for own in found.shown] == [
            (own.id, own.places, own.passages) for own in expected.shown
        ]
        assert found.formula == expected.formula
        pages += [own.id for own in found.shown]
    assert len(set(pages)) == len(pages) == 15
    some = together.occurrences(key, filters={"question_id": "1"})
    assert some is not None
    assert [own.id for own in some.shown] == ["a1", "a11", "a21"]
    assert together.occurrences(key, filters={"question_id": "none"}) is None
    assert occurrences_of(joint, key, filters={"question_id": "none"}) is None
    assert together.occurrences("nowhere") is None
    with pytest.raises(QueryError, match="colour"):
        together.occurrences(key, filters={"colour": "red"})


def test_a_server_that_fails_in_these_steps_is_named(shards: list[IndexShard]) -> None:
    class Failing(Wrapped):
        def ask(self, request: Any) -> Any:
            if isinstance(request, GroupsRequest) or (isinstance(request, PlacesRequest) and request.k):
                raise PorismError("no answer")
            return super().ask(request)

    together = FederatedIndex([shards[0], Failing(shards[1])])
    grouped = together.search("squares", 20, depth=100, group_by="question")
    assert [index.name for index in grouped.missing] == ["second"]
    assert {hit.id for hit in grouped.hits} <= {f"a{number}" for number in range(17)}
    places = together.occurrences(FederatedIndex(shards).search_formulas("a^2+b^2", 1).hits[0].key, 20)
    assert places is not None
    assert ([index.name for index in places.missing], len(places.shown)) == (["second"], 8)
