"""Postings hold exactly what the term matrix says; impacts are within their error of the exact factors."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case
from term_cases import channel_case, random_counts

from porism.errors import IndexCorrupt
from porism.index.engine.impacts import Impacts
from porism.index.engine.postings import Postings
from porism.index.rows import Entries


def test_weighted_frequencies_and_lengths_by_hand():
    # two documents, fields title (0, weight 2) and body (1, weight 1), terms a b c
    counts = np.array([[[1, 0, 0], [2, 1, 0]], [[0, 0, 0], [0, 1, 3]]])
    postings = channel_case(counts, [(0, 2.0), (1, 1.0)], wide=False).postings
    assert [[postings.frequency(term, doc) for term in range(3)] for doc in range(2)] == [[4, 1, 0], [0, 1, 3]]
    assert [postings.length(0), postings.length(1)] == [5, 4]
    assert postings.df.tolist() == [1, 2, 1]
    assert postings.live_df(np.array([False, True])).tolist() == [0, 1, 1]
    uses = postings.length_counts(np.array([True, False]))
    assert dict(zip(postings.length_table, uses, strict=True)) == {4: 0, 5: 1}


def test_formula_entries_count_each_occurrence():
    # formula 0 = {a: 1, b: 2}, formula 1 = {b: 1}; the document has formula 0 twice in field 1 and formula 1 in field 0
    entries = Entries(np.array([0, 3, 3]), np.array([0, 1, 0]), np.array([1, 0, 1], np.uint16))
    postings = Postings.build(
        np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.array([1, 2, 1], np.uint8), 2, entries,
        [(0, 0.5), (1, 1.0)],
    )
    assert [postings.frequency(0, 0), postings.frequency(1, 0)] == [2.0, 0.5 + 4.0]
    assert postings.length(0) == 0.5 + 6.0
    assert [postings.frequency(0, 1), postings.length(1)] == [0.0, 0.0]


def test_a_field_without_weight_does_not_count():
    counts = np.array([[[1, 0], [2, 1]]])
    postings = channel_case(counts, [(1, 1.0)], wide=False).postings
    listed = channel_case(counts, [(0, 0.0), (1, 1.0)], wide=False).postings
    for one in (postings, listed):
        assert [one.frequency(0, 0), one.frequency(1, 0), one.length(0)] == [2, 1, 3]


@every_case("wide", [False, True])
@every_case("dense_at_least", [1, 64, 10_000])
def test_postings_equal_the_matrix(wide, dense_at_least):
    random = np.random.default_rng(3)
    counts = random_counts(random, 300, 3, 90, 0.08, 60_000 if wide else 255)
    counts[:, :, :5] = random_counts(random, 300, 3, 5, 0.9, 5)
    case = channel_case(counts, [(2, 0.3), (0, 3.0), (1, 1.7)], wide=wide, dense_at_least=dense_at_least)
    postings = case.postings
    assert len(postings.tf_table) > 255, "the case must reach the exceptions"
    frequencies = [[postings.frequency(term, doc) for term in range(90)] for doc in range(300)]
    assert np.array_equal(frequencies, case.tf)
    assert [postings.length(doc) for doc in range(300)] == case.length.tolist()
    assert postings.df.tolist() == (case.tf > 0).sum(axis=0).tolist()
    live = random.random(300) < 0.6
    assert postings.live_df(live).tolist() == (case.tf[live] > 0).sum(axis=0).tolist()


@every_case("shift", [0.0, 0.5, 3.0])
@every_case("saturating", [True, False])
def test_impacts_are_within_their_error(saturating, shift):
    random = np.random.default_rng(4)
    case = channel_case(random_counts(random, 400, 1, 40, 0.3, 400), [(0, 1.0)], wide=True)
    postings = case.postings
    y = 1.2 * (0.25 + 0.75 * postings.length_table / case.length.mean())
    impacts = Impacts.build(postings, postings.tf_table, y, saturating, shift)
    norm = 1.2 * (0.25 + 0.75 * case.length / case.length.mean())
    for term in range(40):
        tf = case.tf[:, term]
        exact = np.where(tf > 0, shift + tf / (tf + norm if saturating else norm), 0.0)
        row = postings.lists.dense_of_term[term]
        if row >= 0:
            found = impacts.dense[row, :400].astype(float)
        else:
            found = np.zeros(400)
            start, stop = postings.lists.indptr[term : term + 2]
            found[postings.docs[start:stop]] = impacts.sparse[start:stop]
        assert ((found > 0) == (exact > 0)).all()
        assert np.abs(found * impacts.step - exact).max() <= impacts.error + 1e-15
    assert impacts.error <= impacts.step


def test_error_for_another_mean_length_covers_it():
    random = np.random.default_rng(5)
    postings = channel_case(random_counts(random, 200, 1, 30, 0.4, 9), [(0, 1.0)], wide=False).postings

    def norm(mean: float) -> np.ndarray:
        return 1.2 * (0.25 + 0.75 * postings.length_table / mean)

    impacts = Impacts.build(postings, postings.tf_table, norm(50.0), True)
    assert impacts.error_for(postings.tf_table, norm(50.0), True) == impacts.error
    near = impacts.error_for(postings.tf_table, norm(50.1), True)
    assert impacts.error < near < 2 * impacts.step
    x = postings.tf_table[1:, None]
    assert np.abs(x / (x + norm(50.1)) - x / (x + norm(50.0))).max() <= near - impacts.error
    assert impacts.error_for(postings.tf_table, norm(80.0), True) == np.inf
    assert impacts.error_for(postings.tf_table, norm(50.0), False) == np.inf
    assert impacts.error_for(2 * postings.tf_table, norm(50.0), True) == np.inf
    assert impacts.error_for(postings.tf_table, norm(50.0), True, 0.5) == np.inf
    shifted = Impacts.build(postings, postings.tf_table, norm(50.0), True, 0.5)
    again = Impacts.from_arrays(postings, *shifted.to_arrays())
    assert again.error_for(postings.tf_table, norm(50.0), True, 0.5) == shifted.error
    assert again.error_for(postings.tf_table, norm(50.0), True) == np.inf


def test_arrays_round_trip_and_broken_ones_are_refused():
    random = np.random.default_rng(6)
    counts = random_counts(random, 300, 1, 30, 0.3, 9)
    counts[:, :, 20:] *= random.random((300, 1, 10)) < 0.1
    postings = channel_case(counts, [(0, 1.0)], wide=False).postings
    impacts = Impacts.build(postings, postings.tf_table, np.ones(len(postings.length_table)), True)
    again = Postings.from_arrays(postings.to_arrays())
    assert all(np.array_equal(one, other) for one, other in zip(
        postings.to_arrays().values(), again.to_arrays().values(), strict=True
    ))
    assert np.array_equal(Impacts.from_arrays(again, *impacts.to_arrays()).dense, impacts.dense)
    arrays = postings.to_arrays()
    for broken in (
        {name: array for name, array in arrays.items() if name != "docs"},
        {**arrays, "docs": arrays["docs"][:-1]},
        {**arrays, "dense_codes": arrays["dense_codes"][:-1]},
        {**arrays, "list_lengths": arrays["list_lengths"][:-1]},
    ):
        with pytest.raises(IndexCorrupt):
            Postings.from_arrays(broken)
    arrays, info = impacts.to_arrays()
    with pytest.raises(IndexCorrupt):
        Impacts.from_arrays(postings, {**arrays, "impacts": arrays["impacts"][1:]}, info)
    with pytest.raises(IndexCorrupt):
        Impacts.from_arrays(postings, arrays, {})


def test_nothing_at_all():
    postings = channel_case(np.zeros((0, 1, 0), np.int64), [(0, 1.0)], wide=False).postings
    assert (postings.documents, len(postings.lists), len(postings.df)) == (0, 0, 0)
    impacts = Impacts.build(postings, postings.tf_table, postings.length_table, True)
    assert Impacts.from_arrays(postings, *impacts.to_arrays()).sparse.size == 0
