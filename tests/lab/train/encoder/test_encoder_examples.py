"""Batches have pairs of one miner, none of which answers the anchor of another one."""

from __future__ import annotations

import itertools
import random

from porism.lab.train.encoder.examples import plan_batches
from porism.lab.train.pairs.base import Pair


def many() -> list[Pair]:
    draw = random.Random(5)
    links = [Pair(f"s{draw.randrange(40)}", f"s{draw.randrange(40)}", miner="links") for _ in range(200)]
    return [*links, *(Pair(f"q{number}", "x" * (number % 7 + 1) + str(number), miner="titles") for number in range(90))]


def test_each_epoch_has_each_pair_once_but_for_a_few() -> None:
    pairs = many()
    planned = plan_batches(pairs, 8, 2, seed=1)
    counts = [sum(batch.count(number) for batch in planned) for number in range(200, 290)]
    assert max(counts) == 2
    assert sum(counts) > 170
    assert {len(batch) for batch in planned} <= {2, 3, 4, 5, 6, 7, 8}
    assert sum(len(batch) == 8 for batch in planned) > len(planned) / 2


def test_no_pair_answers_the_anchor_of_another_one() -> None:
    pairs = many()
    known = {(pair.anchor, pair.positive) for pair in pairs} | {(pair.anchor, pair.anchor) for pair in pairs}
    planned = plan_batches(pairs, 8, 1, seed=2)
    assert len(planned) > 1
    for batch in planned:
        assert len({pairs[number].miner for number in batch}) == 1
        for one, other in itertools.permutations(batch, 2):
            assert (pairs[one].anchor, pairs[other].positive) not in known


def test_negatives_do_not_stand_beside_their_anchor() -> None:
    pairs = [Pair("a", "b", ("n",)), Pair("c", "n", ("m",)), *(Pair(f"{x}", f"p{x}", (f"n{x}",)) for x in range(4))]
    pairs.append(Pair("a", "m", ("o",)))
    for seed in range(20):
        planned = plan_batches(pairs, 3, 1, seed)
        assert max(map(len, planned)) > 1
        for batch in planned:
            assert not {0, 6} <= set(batch)
            assert not {1, 6} <= set(batch)  # m is a negative of c, and answers a


def test_batches_depend_on_the_seed_alone_and_are_sorted_by_length() -> None:
    pairs = many()
    assert plan_batches(pairs, 8, 2, seed=1) == plan_batches(pairs, 8, 2, seed=1)
    assert plan_batches(pairs, 8, 2, seed=1) != plan_batches(pairs, 8, 2, seed=2)
    for batch in plan_batches(pairs, 8, 1, seed=1):
        lengths = [len(pairs[number].positive) for number in batch]
        assert lengths == sorted(lengths)


def test_few_pairs_make_one_batch() -> None:
    pairs = [Pair("a", "b"), Pair("c", "d")]
    assert [sorted(batch) for batch in plan_batches(pairs, 64, 2, seed=1)] == [[0, 1], [0, 1]]


def test_triplets_can_stand_anywhere() -> None:
    pairs = [Pair("a", str(number), ("n",)) for number in range(10)]
    assert sorted(map(len, plan_batches(pairs, 4, 1, seed=1, apart=False))) == [2, 4, 4]


def test_pairs_of_several_miners_stand_together_where_they_are_no_negatives() -> None:
    pairs = [Pair("a", str(number), miner="titles" if number % 2 else "links") for number in range(40)]
    mixed = plan_batches(pairs, 10, 1, seed=1, apart=False)
    assert sorted(map(len, mixed)) == [10, 10, 10, 10]
    assert all(len({pairs[number].miner for number in batch}) == 2 for batch in mixed)
