"""IBC and WIBC: medians, drawn ratings, and Balinski and Laraki's own tie-breaking."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import replace

import fusion_reference as book
import pytest
from case_tables import every_case
from long_forms import LONG_ONLY

from porism.errors import ConfigError
from porism.lab.fusion import IBC, WIBC, FusionTable, fuse
from porism.runs.run import Run


def run_of(*docs: str, topic: str = "T", name: str = "run") -> Run:
    return Run({topic: [(doc, -float(at)) for at, doc in enumerate(docs)]}, name)


def order(run: Run, topic: str = "T") -> list[str]:
    return [doc for doc, _ in run[topic]]


def test_the_highest_median_is_elected_first() -> None:
    runs = [run_of("a", "b", "c"), run_of("b", "c", "a"), run_of("c", "b", "d")]
    # Ratings in thousandths: a 999 997 0, b 999 998 998, c 999 998 997, d 997 0 0. Medians: a 997, b 998, c 998, d 0.
    result = fuse(runs, "ibc", ties="majority")
    # b and c: without the medians b has 998 next, c 997.
    assert result["T"] == [("b", 4.0), ("c", 3.0), ("a", 2.0), ("d", 1.0)]
    assert order(fuse(runs, "ibc"))[2:] == ["a", "d"]


def test_the_median_of_an_even_number_of_ratings() -> None:
    runs = [run_of("a", "b"), run_of("c", "b")]
    # a 999 0, b 998 998, c 999 0: by the mean 499.5 and 998; by the lower one 0 and 998.
    assert order(fuse(runs, "ibc", ties="majority")) == ["b", "c", "a"]
    runs = [run_of("a"), run_of("x", "y", "a"), run_of("x", "y"), run_of("y", "z", "x")]
    # a 999 997 0 0, x 999 999 997 0, y 999 998 998 0, z 998 0 0 0; lower medians 0, 997, 998, 0; means 498.5, 998, 998.
    table = FusionTable(runs)
    assert order(IBC(median="lower", ties="majority").fuse(table)) == ["y", "x", "a", "z"]
    assert order(IBC(median="average", ties="majority").fuse(table)) == ["y", "x", "a", "z"]
    assert order(IBC(median="average").fuse(table))[2:] == ["a", "z"]


def test_ranks_beyond_the_deepest_are_rated_as_missing() -> None:
    runs = [run_of("a", "b", "c")]
    equal = [order(IBC(deepest=1, seed=seed).fuse(runs)) for seed in range(40)]
    assert len({tuple(one) for one in equal}) > 3  # all ratings are 0: chance alone decides
    assert order(IBC(deepest=1, ties="majority").fuse(runs)) == ["c", "b", "a"]


@every_case("method", [IBC(median="lower", ties="majority"), WIBC(weights=(1, 1, 1), median="lower")])
def test_a_run_without_results_abstains_or_rates_all_documents_zero(method) -> None:
    runs = [run_of("x", "a", "y"), run_of("a", "z", "x"), run_of("q", topic="other")]
    # a 998 999 and, of the silent run, 0; x 999 997 0; y and z one rating: medians of two a 998, x 997, y z 0;
    # of three a 998, x 997, y z 0 as well
    assert order(method.fuse(runs))[:2] == ["a", "x"]
    runs = [run_of("x", "a"), run_of(topic="other"), run_of("a", topic="other")]
    # a single vote: x 999, a 998; with two silent runs all medians are 0
    assert order(method.fuse(runs)) == ["x", "a"]
    votes = [order(replace(method, silent="zero", ties="random", seed=seed).fuse(runs)) if isinstance(method, IBC)
             else order(replace(method, silent="zero", seed=seed).fuse(runs)) for seed in range(30)]
    assert {tuple(one) for one in votes} == {("x", "a"), ("a", "x")}


def test_the_last_rank_that_counts_is_rated_above_a_missing_one() -> None:
    runs = [run_of("x", "y", "a"), run_of("z", "w", "a")]
    # With ratings in quarters: a 1 1, and all others one rating above and a 0; the lower medians are 1 and 0.
    for seed in range(20):
        assert order(IBC(deepest=4, median="lower", seed=seed).fuse(runs))[0] == "a"


@every_case("median", ["lower", "average"])
def test_winners_are_those_of_one_election_after_the_other(median) -> None:
    """The median by the statistics module, ratings drawn by the table's chances, and the best elected one by one."""
    middle = statistics.median_low if median == "lower" else statistics.median
    for seed in range(25):
        runs = book.random_runs(seed, systems=2 + seed % 4, gaps=seed % 2 == 0)
        table = FusionTable(runs)
        chance, last = table.random(seed, 0), table.random(seed, 1)
        elected = IBC(median=median, seed=seed).fuse(table)
        for number, topic in enumerate(table.query_ids):
            lists = book.lists_of(runs, topic)
            keys = {}
            for at in range(table.offsets[number], table.offsets[number + 1]):
                doc = table.doc_ids[at]
                grades = sorted(book.ratings(lists, doc))
                keys[doc] = (middle(grades), grades[int(chance[at] * len(grades))], last[at])
            winners = []
            while keys:
                winners.append(max(keys, key=keys.__getitem__))
                del keys[winners[-1]]
            assert order(elected, topic) == winners


def test_ties_are_broken_by_taking_medians_away() -> None:
    for seed in range(25):
        runs = book.random_runs(seed, systems=1 + seed % 5, gaps=seed % 2 == 0)
        elected = IBC(ties="majority", median="lower").fuse(runs)
        for topic in elected:
            lists = book.lists_of(runs, topic)
            docs = book.candidates(lists)
            taken = {doc: (book.taken_medians(book.ratings(lists, doc)), doc) for doc in docs}
            assert order(elected, topic) == sorted(docs, key=taken.__getitem__, reverse=True)


def test_a_run_without_results_for_a_topic_does_not_vote_on_it() -> None:
    runs = [run_of("a", "b"), run_of("b", "a"), run_of("a", "b")]
    absent = run_of("q", topic="other")
    assert order(fuse([*runs, absent, absent], "ibc")) == order(fuse(runs, "ibc")) == ["a", "b"]
    weights = [1.0, 1.0, 1.0, 50.0]
    assert order(fuse([*runs, absent], "wibc", weights=weights)) == ["a", "b"]


def shares_elected_first(method: IBC | WIBC, runs: list[Run], seeds: int = 3000) -> dict[str, float]:
    """In which share of seeds each candidate is elected first."""
    table = FusionTable(runs)
    counts = Counter(order(replace(method, seed=seed).fuse(table, depth=1))[0] for seed in range(seeds))
    return {doc: count / seeds for doc, count in counts.items()}


def voters(count: int) -> list[Run]:
    """Runs that rate nothing above 0, but have the topic and so vote."""
    return [Run.from_columns(["T"], [0, 1], ["z"], [1.0], "far", ranks=[1000]) for _ in range(count)]


@LONG_ONLY
def test_ratings_are_drawn_uniformly() -> None:
    """Of three runs one has ``a`` and ``b``, in this order, and two have neither, so that all medians are 0.

    ``a`` is first if its own rating is drawn (1/3), ``b`` if only its own is (2/9), and in the other 4/9 of the cases
    ``a``, ``b`` and ``z`` are equal.
    """
    share = shares_elected_first(IBC(), [run_of("a", "b"), *voters(2)])
    assert share["a"] == pytest.approx(1 / 3 + 4 / 27, abs=0.03)
    assert share["b"] == pytest.approx(2 / 9 + 4 / 27, abs=0.03)
    assert share["z"] == pytest.approx(4 / 27, abs=0.03)


def test_ratings_are_drawn_by_weight() -> None:
    # Weights 3, 1 and 6 for those that rate both 0: medians are 0; a is drawn in 3/10 of the seeds, b in 1/10.
    share = shares_elected_first(WIBC(weights=(3.0, 1.0, 4.0, 2.0)), [run_of("a"), run_of("b"), *voters(2)])
    # Both drawn (3/100): equal, half each. One drawn: it. None (63/100): a third each.
    assert share["a"] == pytest.approx(0.3 * 0.9 + 0.015 + 0.21, abs=0.03)
    assert share["b"] == pytest.approx(0.1 * 0.7 + 0.015 + 0.21, abs=0.03)


def test_what_is_drawn_depends_on_seed_topic_and_document_alone() -> None:
    topics = {f"T{n}": [(f"d{m}", 1.0) for m in range(30)] for n in range(4)}
    far = [Run.from_columns(
        list(given), range(0, 30 * len(given) + 1, 30), [doc for docs in given.values() for doc, _ in docs],
        [1.0] * 30 * len(given), "far", ranks=[1000] * 30 * len(given),
    ) for given in (topics, dict(reversed(topics.items())), {"T2": topics["T2"][::-1]})]
    all_of, turned, one = (fuse([run], "ibc", seed=7) for run in far)
    assert all_of == turned
    assert one["T2"] == all_of["T2"]
    assert order(all_of, "T1") != order(all_of, "T2")
    assert order(fuse([far[0]], "ibc", seed=8), "T1") != order(all_of, "T1")


def test_weighted_medians() -> None:
    runs = [run_of("a", "b", "c", name="first"), run_of("c", "b", name="second"), run_of("b", "c", name="third")]
    # a 999 (weight 5), 0 (4): median 999. b 998 (5), 998 (2), 999 (2): 998. c 997 (5), 999, 998: 997.
    assert order(fuse(runs, "wibc", weights=[5, 2, 2])) == ["a", "b", "c"]
    # Half of the weight is at 0 and half at 999: the mean of the two, or the lower.
    assert order(fuse(runs, "wibc", weights=[4, 2, 2]))[-1] == "a"
    assert fuse(runs, "wibc", weights=[1, 0, 0]).top(3) == fuse(runs, "wibc", weights=[7, 0, 0]).top(3)


@every_case("median", ["lower", "average"])
def test_equal_weights_elect_as_no_weights(median) -> None:
    for seed in range(20):
        runs = book.random_runs(seed, systems=3 + seed % 4)
        weights = (1 / 7,) * len(runs)
        assert WIBC(weights=weights, median=median, seed=seed).fuse(runs) == IBC(median=median, seed=seed).fuse(runs)


def test_weights_are_needed_and_checked() -> None:
    runs = [run_of("a"), run_of("b")]
    with pytest.raises(ConfigError, match="wibc has no weights"):
        fuse(runs, "wibc")
    with pytest.raises(ConfigError, match="3 weights for 2 runs"):
        fuse(runs, "wibc", weights=[1, 2, 3])
    with pytest.raises(ConfigError, match="weight 2 is -1"):
        fuse(runs, "wibc", weights=[1, -1])
    with pytest.raises(ConfigError, match="all weights are zero"):
        fuse(runs, "wibc", weights=[0, 0])
