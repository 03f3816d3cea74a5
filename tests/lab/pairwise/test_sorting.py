"""Sortings: few comparisons, asked in batches, and the order that they give."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from pairwise_cases import made_up

from porism.errors import ConfigError, FormatError
from porism.lab.pairwise import PairwiseRun, aggregate
from porism.lab.pairwise.scores import PairwiseScores
from porism.lab.pairwise.sorting.base import Places, by_scores, expected_comparisons, sort_together
from porism.lab.pairwise.sorting.registry import SORTINGS, make_sorting
from porism.settings import SettingError


def consistent(order: list[int]) -> PairwiseScores:
    """Certain scores by which the candidates have this order, the best first."""
    rank = np.argsort(order)
    matrix = (rank[:, None] < rank[None, :]).astype(float)
    return PairwiseScores("q", tuple(f"d{number:03}" for number in range(len(order))), matrix, ranked=True)


@settings(deadline=None, max_examples=40)
@given(order=st.permutations(range(9)), count=st.integers(1, 9), both=st.booleans())
def test_consistent_preferences_are_sorted(order: list[int], count: int, both: bool) -> None:
    order = [place for place in order if place < count]
    compare = by_scores([consistent(order)])
    for method, parameters in (("all-pairs", {}), ("heap", {"top": 9}), ("sliding", {"passes": 9})):
        (found,) = sort_together(make_sorting(method, {**parameters, "both": both}), [count], compare)
        assert found.order.tolist() == order
    everything = make_sorting("active", {"budget": 100, "both": both})
    assert sort_together(everything, [count], compare)[0].order.tolist() == order


@settings(deadline=None, max_examples=40)
@given(order=st.permutations(range(12)), top=st.integers(1, 12))
def test_the_best_come_first_and_the_others_stay(order: list[int], top: int) -> None:
    compare = by_scores([consistent(order)])
    (heap,) = sort_together(make_sorting("heap", {"top": top}), [12], compare)
    assert heap.order[:top].tolist() == order[:top]
    assert heap.order[top:].tolist() == sorted(order[top:])
    (sliding,) = sort_together(make_sorting("sliding", {"passes": top}), [12], compare)
    assert sliding.order[:top].tolist() == order[:top]


def test_a_window_that_slides_once_by_hand() -> None:
    # The best of 1 3 2 0 is 1: from the end 0-3, then 1-3, ... as bubbles rise
    (found,) = sort_together(make_sorting("sliding", {"passes": 1}), [4], by_scores([consistent([3, 1, 0, 2])]))
    assert found.order.tolist() == [3, 0, 1, 2]
    assert (found.comparisons, found.rounds) == (6, 3)


def test_passes_in_step_compare_as_passes_one_after_the_other() -> None:
    pairs = made_up(4, 30, noise=6.0)  # with contradictions and circles
    preferred = (pairs.matrix + 1.0 - pairs.matrix.T) / 2
    expected = list(range(30))
    for number in range(4):
        for lower in range(29, number, -1):
            if preferred[expected[lower], expected[lower - 1]] > 0.5:
                expected[lower], expected[lower - 1] = expected[lower - 1], expected[lower]
    (found,) = sort_together(make_sorting("sliding", {"passes": 4}), [30], by_scores([pairs]))
    assert found.order.tolist() == expected
    assert found.comparisons == 2 * (29 + 28 + 27 + 26)
    assert found.rounds == 29 + 2 * 3 - 3


def test_all_pairs_have_the_order_of_sym_sum() -> None:
    pairs = made_up(1, 20)
    (found,) = sort_together(make_sorting("all-pairs"), [20], by_scores([pairs]))
    ranked = [doc_id for doc_id, _ in aggregate(PairwiseRun((pairs,)), "sym-sum")["q"]]
    assert [pairs.doc_ids[place] for place in found.order.tolist()] == ranked
    assert (found.comparisons, found.rounds) == (380, 1)


def test_few_comparisons() -> None:
    pairs = made_up(1, 100)
    costs = {
        method: sort_together(make_sorting(method), [100], by_scores([pairs]))[0].comparisons for method in SORTINGS
    }
    assert costs["all-pairs"] == 9_900
    assert costs["heap"] < 2 * (2 * 100 + 2 * 10 * 7)
    assert costs["sliding"] == 2 * sum(range(90, 100))
    assert costs["active"] == 2 * 500


def test_active_selection_is_better_than_its_first_round() -> None:
    pairs = [made_up(seed, 60, f"q{seed}", noise=1.0) for seed in range(8)]
    mixed = [one.taken(np.random.default_rng(3).permutation(60)) for one in pairs]  # the stage before knew nothing

    def quality(budget: float) -> float:
        sorting = make_sorting("active", {"budget": budget})
        found = sort_together(sorting, [60] * 8, by_scores(mixed))
        hits = [
            len({one.doc_ids[place] for place in of_one.order[:10].tolist()} & {f"d{best}" for best in range(10)})
            for one, of_one in zip(mixed, found, strict=True)
        ]
        return float(np.mean(hits))

    assert quality(8.0) > quality(1.0) + 1.0


def test_queries_are_sorted_in_step_as_if_alone() -> None:
    pairs = [made_up(seed, count, f"q{seed}") for seed, count in enumerate((12, 1, 30, 2))]
    batches: list[int] = []

    def compare(rows: Places) -> np.ndarray:
        batches.append(len(set(rows[:, 0].tolist())))
        return by_scores(pairs)(rows)

    for method in SORTINGS:
        batches.clear()
        together = sort_together(make_sorting(method), [12, 1, 30, 2], compare)
        assert batches[0] == 3  # the query of one candidate asks nothing
        assert len(batches) == max(one.rounds for one in together)
        for one, found in zip(pairs, together, strict=True):
            (alone,) = sort_together(make_sorting(method), [len(one)], by_scores([one]))
            assert (alone.order.tolist(), alone[1:]) == (found.order.tolist(), found[1:])


def test_one_order_costs_half_and_reads_the_higher_ranked_first() -> None:
    seen: list[list[int]] = []

    def compare(rows: Places) -> np.ndarray:
        seen.extend(rows[:, 1:].tolist())
        return np.full(len(rows), 0.4)

    (found,) = sort_together(make_sorting("sliding", {"both": False, "passes": 1}), [3], compare)
    assert seen == [[1, 2], [0, 2]]
    assert found.order.tolist() == [2, 0, 1]
    assert found.comparisons == 2


@every_case(("method", "parameters", "each"), [
    ("all-pairs", {}, [9 * 8, 4 * 3]), ("sliding", {"passes": 2, "both": False}, [8 + 7, 3 + 2]),
    ("active", {"budget": 2.0, "both": False}, [18, 6]),
])
def test_how_many_comparisons_are_expected(method: str, parameters: dict[str, object], each: list[int]) -> None:
    sorting = make_sorting(method, parameters)
    assert expected_comparisons(sorting, [9, 4, 9, 1, 0]) == 2 * each[0] + each[1]
    found = sort_together(sorting, [9, 4], lambda rows: (rows.sum(1) % 3) / 2.0)
    assert [one.comparisons for one in found] == each  # whatever a model says


def test_a_heap_is_expected_to_agree_with_the_stage_before() -> None:
    sorting = make_sorting("heap", {"top": 1, "both": False})
    assert expected_comparisons(sorting, [3]) == 3  # both children, one and the root, the two left


@every_case("method", SORTINGS)
def test_indifference_keeps_the_order(method: str) -> None:
    (found,) = sort_together(make_sorting(method), [12], lambda rows: np.full(len(rows), 0.5))
    assert found.order.tolist() == list(range(12))


def test_what_is_no_probability_is_refused() -> None:
    for answer in (np.array([np.nan] * 6), np.array([2.0] * 6), np.array([0.5])):
        with pytest.raises(FormatError, match="all-pairs: 6 comparisons have no probability each"):
            sort_together(make_sorting("all-pairs"), [3], lambda rows, answer=answer: answer)


@every_case(("method", "parameters"), [
    ("heap", {"top": 0}), ("sliding", {"passes": 0}), ("active", {"budget": 0.0}), ("active", {"rounds": 0}),
])
def test_wrong_parameters(method: str, parameters: dict[str, object]) -> None:
    with pytest.raises(SettingError, match=next(iter(parameters))):
        make_sorting(method, parameters)


def test_an_unknown_sorting() -> None:
    with pytest.raises(ConfigError, match=r"there is no sorting 'heaps'\. Did you mean heap\?"):
        make_sorting("heaps")
