"""Values that shards exchange are checked, and candidates of several are chosen as of one index."""

from __future__ import annotations

from dataclasses import replace

import pytest
from shard_cases import Wrapped

from porism.errors import QueryError
from porism.serve.shards import merging
from porism.serve.shards.requests import Shard
from porism.serve.shards.values import ChannelLengths, ShardCandidates, ShardStatistics, WholeStatistics


def test_values_that_make_no_sense_are_refused() -> None:
    for values in (((1.0,), ()), ((0.0,), (1,)), ((1.0,), (0,)), ((float("nan"),), (1,))):
        with pytest.raises(ValueError, match="lengths and their counts"):
            ChannelLengths("", "words", *values)  # type: ignore[arg-type]
    for column in ("terms", "scores", "gains"):
        columns = {"ids": ("x",), "terms": (1.0,), "scores": (1.0,), "gain_ids": ("x",), "gains": (1.0,)}
        with pytest.raises(ValueError, match="a score is not a finite number"):
            ShardCandidates(1, **(columns | {"allowed": (True,), column: (float("inf"),)}))  # type: ignore[arg-type]
    for wrong in ({"ids": ("x",)}, {"first": 1}, {"threads": ("t",)}, {"gains": (1.0,)}, {"allowed": (True,)}):
        with pytest.raises(ValueError, match="the columns of candidates have different lengths"):
            ShardCandidates(1, **wrong)  # type: ignore[arg-type]
    for documents, mean, df, holders in ((-1, 1.0, 1, 0), (1, 0.0, 1, 0), (1, 1.0, -1, 0), (1, 1.0, 1, -1)):
        with pytest.raises(QueryError, match="counts are numbers"):
            WholeStatistics(documents, (("", "words", 1, mean),), ShardStatistics({"words": {"x": df}}, (holders,)))


def test_candidates_are_chosen_by_hand() -> None:
    class Named(Wrapped):
        def __init__(self, name: str) -> None:
            self.name = name

    one, two = Named("one"), Named("two")
    found: dict[Shard, ShardCandidates] = {
        one: ShardCandidates(1, ("a", "b"), (3.0, 1.0), (3.5, 1.0), 2, (), ("b",), (0.5,), (True,)),
        two: ShardCandidates(
            1, ("a", "c"), (2.0, 0.5), (2.0, 9.0), 1, ("t", None), ("c", "d"), (0.7, 0.9), (True, False)
        ),
    }
    assert merging.choose(found, 2).shown_ids == ["one:a", "b", "two:a", "c"]
    assert merging.choose({one: replace(found[one], gain_ids=(), gains=(), allowed=())}, 1).shown_ids == ["a"]
    ranked = merging.best(merging.choose(found, 1), 3, {"t": 5.0})
    assert [(place.shard, place.shown_id, place.id, place.score) for place in ranked] == [
        (two, "c", "c", 9.0), (one, "one:a", "a", 3.5), (one, "b", "b", 1.0),
    ]
    everything = merging.best(merging.choose(found, 4), 2, {"t": 5.0})
    assert [(place.shown_id, place.score, place.links) for place in everything] == [
        ("c", 9.0, 0.0), ("two:a", 7.0, 5.0),
    ]
    assert merging.thread_scores(merging.choose(found, 4)) == {"t": 2.0}


def test_of_equal_candidates_the_largest_ids_come_first() -> None:
    class Named(Wrapped):
        def __init__(self, name: str) -> None:
            self.name = name

    found: dict[Shard, ShardCandidates] = {
        Named("one"): ShardCandidates(1, ("d", "a", "e"), (2.0, 1.0, 1.0), (2.0, 1.0, 1.0), 3),
        Named("two"): ShardCandidates(1, ("c", "b"), (1.0, 1.0), (1.0, 1.0), 2),
    }
    assert merging.choose(found, 3).shown_ids == ["d", "e", "c"]
    assert [place.id for place in merging.best(merging.choose(found, 5), 4, {})] == ["d", "e", "c", "b"]
    assert merging.choose(found, 3, all_level=True).shown_ids == ["d", "a", "e", "c", "b"]
    assert merging.choose(found, 1, all_level=True).shown_ids == ["d"]
