"""Every aggregation, computed by hand on three documents."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from pairwise_cases import NAN, THREE, made_up

from porism.errors import ConfigError
from porism.lab.pairwise import AGGREGATIONS, PairwiseRun, PairwiseScores, aggregate, make_aggregation
from porism.settings import SettingError

BY_HAND = {
    "sum": [0.9 + 0.6, 0.2 + 0.5, 0.7 + 0.4],
    "binary": [2, 0.5, 1],
    "min": [0.6, 0.2, 0.4],
    "max": [0.9, 0.5, 0.7],
    "sum-log": [log(0.9) + log(0.6), log(0.2) + log(0.5), log(0.7) + log(0.4)],
    "sym-sum": [0.9 + 0.8 + 0.6 + 0.3, 0.2 + 0.1 + 0.5 + 0.6, 0.7 + 0.4 + 0.4 + 0.5],
    "sym-sum-log": [log(0.9 * 0.8 * 0.6 * 0.3), log(0.2 * 0.1 * 0.5 * 0.6), log(0.7 * 0.4 * 0.4 * 0.5)],
    # c is the last, and a flips with it: b and c are compared with
    "out-of-flip": [log(0.9 * 0.8 * 0.6 * 0.3), log(0.5 * 0.6), log(0.4 * 0.5)],
    "score-distance": [
        0.9 * log(0.9) + 0.7 * log(0.6), 0.9 * log(0.2) + 0.9 * log(0.5), 0.7 * log(0.7) + 0.9 * log(0.4)
    ],
}


@every_case("method", BY_HAND)
def test_by_hand(method: str) -> None:
    assert make_aggregation(method).scores(THREE) == pytest.approx(BY_HAND[method], abs=1e-12)


def test_bradley_terry_of_two_documents_by_hand() -> None:
    pair = PairwiseScores("q", ("a", "b"), np.array([[NAN, 0.9], [0.2, NAN]]))
    wins, losses = 0.9 + 0.8 + 0.005, 0.1 + 0.2 + 0.005
    found = make_aggregation("bradley-terry", {"tolerance": 1e-12}).scores(pair)
    assert found == pytest.approx([0.5 * log(wins / losses), -0.5 * log(wins / losses)], abs=1e-9)


@every_case("certain", [False, True])
def test_bradley_terry_finds_the_likeliest_strengths_also_where_wins_are_certain(certain: bool) -> None:
    pairs = made_up(3, 30, scale=20.0)
    if certain:
        pairs = PairwiseScores("q", pairs.doc_ids, np.where(pairs.matrix > 0.5, 1.0, 0.0) + np.diag([NAN] * 30))
    found = make_aggregation("bradley-terry", {"tolerance": 1e-10, "prior": 0.1}).scores(pairs)
    wins = np.nan_to_num(pairs.matrix) + np.nan_to_num(1 - pairs.matrix.T) + 0.05
    np.fill_diagonal(wins, 0.0)
    expected = 1 / (1 + np.exp(-np.subtract.outer(found, found)))
    slope = wins.sum(1) - ((wins + wins.T) * expected * (1 - np.eye(30))).sum(1)  # of the likelihood, which is concave
    assert np.abs(slope).max() < 1e-6
    assert found.mean() == pytest.approx(0, abs=1e-12)


def test_bradley_terry_takes_holes() -> None:
    chain = np.full((3, 3), NAN)
    chain[0, 1] = chain[1, 2] = 0.8
    found = make_aggregation("bradley-terry").scores(PairwiseScores("q", ("a", "b", "c"), chain))
    assert found[0] > found[1] > found[2]
    assert found[1] == pytest.approx(0, abs=1e-3)


def test_bradley_terry_says_that_it_has_not_settled() -> None:
    with pytest.raises(ConfigError, match=r"query q: the strengths have not settled after 3 steps.*larger prior"):
        make_aggregation("bradley-terry", {"steps": 3, "tolerance": 1e-12}).scores(made_up(1, 20))


def test_loop_truncation_by_hand() -> None:
    # sums: a 1.5, b 0.7, c 1.1. b is cut; between a and c: a 0.6, c 0.7; then a is cut; c alone has 0.
    cut = make_aggregation("loop-truncation", {"cuts": [2], "of": "sum"})
    assert cut.scores(THREE) == pytest.approx([0.6, 0.6 - 1, 0.7])
    again = make_aggregation("loop-truncation", {"cuts": [2, 1], "of": "sum"})
    assert again.scores(THREE) == pytest.approx([0 - 1, 0 - 2, 0])


def test_loop_truncation_by_default_is_that_of_the_paper() -> None:
    pairs = made_up(2, 260)
    sym = make_aggregation("sym-sum-log")
    kept = np.arange(260)
    for cut in (200, 100, 50):  # algorithm 1
        kept = kept[np.argsort(-sym.scores(pairs.taken(kept)), kind="stable")[:cut]]
    last = sym.scores(pairs.taken(kept))
    found = make_aggregation("loop-truncation").scores(pairs)
    assert np.argsort(-found)[:50].tolist() == kept[np.argsort(-last)].tolist()
    assert len(np.unique(found)) == 260


def test_ties_at_a_cut_are_broken_as_in_runs() -> None:
    even = PairwiseScores("q", ("a", "b", "c"), np.full((3, 3), 0.5))
    found = make_aggregation("loop-truncation", {"cuts": [1], "of": "sum"}).scores(even)
    assert found.argmax() == 2  # the later id


@every_case(("parameters", "message"), [
    ({"cuts": []}, "cuts"), ({"cuts": [5, 5]}, "cuts"), ({"cuts": [0]}, "cuts"), ({"of": "sun"}, "Did you mean sum"),
    ({"of": "loop-truncation"}, "cannot repeat itself"), ({"parameters": {"leest": 1}}, "leest"),
])
def test_wrong_parameters_of_loop_truncation(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        make_aggregation("loop-truncation", parameters)


@every_case(("method", "parameters"), [
    ("sum-log", {"least": 0.0}), ("sym-sum-log", {"least": 0.5}), ("out-of-flip", {"least": -1.0}),
    ("bradley-terry", {"prior": 0.0}), ("bradley-terry", {"tolerance": float("inf")}), ("bradley-terry", {"steps": 0}),
])
def test_parameters_out_of_range(method: str, parameters: dict[str, object]) -> None:
    with pytest.raises(SettingError, match=next(iter(parameters))):
        make_aggregation(method, parameters)


def test_an_unknown_aggregation() -> None:
    with pytest.raises(ConfigError, match=r"there is no aggregation 'sim-sum'\. Did you mean sym-sum\?"):
        make_aggregation("sim-sum")


@every_case("method", ["out-of-flip", "loop-truncation"])
def test_the_order_of_the_stage_before_must_be_known(method: str) -> None:
    parameters = {"of": "out-of-flip"} if method == "loop-truncation" else {}
    aggregation = make_aggregation(method, parameters)
    assert aggregation.uses_ranks
    with pytest.raises(ConfigError, match="query q: out-of-flip needs the order"):
        aggregation.scores(PairwiseScores("q", THREE.doc_ids, THREE.matrix))


@every_case("method", AGGREGATIONS)
def test_few_candidates(method: str) -> None:
    aggregation = make_aggregation(method)
    assert aggregation.scores(PairwiseScores("q", (), np.zeros((0, 0)), ranked=True)).tolist() == []
    assert aggregation.scores(PairwiseScores("q", ("a",), np.zeros((1, 1)), ranked=True)).tolist() == [0.0]


@every_case("method", sorted(AGGREGATIONS))
def test_certain_scores_stay_finite_and_rank_as_they_say(method: str) -> None:
    certain = PairwiseScores("q", ("a", "b", "c"), np.triu(np.ones((3, 3))), ranked=True)
    found = make_aggregation(method).scores(certain)
    assert np.isfinite(found).all()
    assert found[0] >= found[1] >= found[2]
    assert found[0] > found[2]


@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 1000), count=st.integers(2, 12), method=st.sampled_from(sorted(set(AGGREGATIONS) - {
    "out-of-flip"  # it looks at who is last
})))
def test_the_order_of_candidates_changes_nothing(seed: int, count: int, method: str) -> None:
    pairs = made_up(seed, count)
    order = np.random.default_rng(seed).permutation(count)
    aggregation = make_aggregation(method)
    assert aggregation.scores(pairs.taken(order)) == pytest.approx(aggregation.scores(pairs)[order], abs=1e-3)


def test_a_run_of_pairwise_scores() -> None:
    run = aggregate(PairwiseRun((THREE,), {"kind": "duo"}), "sym-sum-log", least=1e-6)
    assert [doc_id for doc_id, _ in run["q"]] == ["a", "c", "b"]
    assert run.name == "sym-sum-log"
    assert run.provenance is not None
    made_by = run.provenance.made_by
    assert (made_by["method"], made_by["parameters"]) == ("sym-sum-log", {"least": 1e-6})
    assert made_by["of"] == {"kind": "duo"}
    with pytest.raises(ConfigError, match="'least' is given beside an aggregation"):
        aggregate(PairwiseRun((THREE,)), make_aggregation("sum"), least=1.0)


def test_one_order_of_each_pair_is_as_good_as_both_where_the_other_is_its_complement() -> None:
    both = made_up(5, 8)
    upper = np.triu(both.matrix, 1) + np.tril(1.0 - both.matrix.T, -1)
    whole = PairwiseScores("q", both.doc_ids, upper, ranked=True)
    half = PairwiseScores("q", both.doc_ids, np.where(np.tri(8, dtype=bool), NAN, upper), ranked=True)
    for method in AGGREGATIONS:
        if method != "bradley-terry":  # which counts comparisons
            assert aggregate(PairwiseRun((half,)), method) == aggregate(PairwiseRun((whole,)), method)
    with pytest.raises(ConfigError, match=r"28 of 56 pairs have no score, such as d1 and d0.*holes=complement"):
        aggregate(PairwiseRun((half,)), "sum", holes="error")
