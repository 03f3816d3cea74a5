"""The best k are exactly those of BM25 by the book: same documents, same order, same bits of the scores."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from term_cases import Case, channel_case, random_counts

from porism.index.engine.impacts import Impacts
from porism.index.engine.topk import ScoredChannel, SegmentSearcher, best


def by_the_book(parts, k, order, mask, shift=0.0):
    """``parts`` are (case, norms, terms, weights), one a channel: (documents, scores) by score, then by ``order``.

    What a term that occurs adds to its factor is ``shift``.
    """
    documents = len(order)
    total, matches = np.zeros(documents), np.zeros(documents, bool)
    for case, norms, terms, weights in parts:
        subtotal = np.zeros(documents)
        for term, weight in zip(terms, weights, strict=True):
            tf = case.tf[:, term]
            found = np.flatnonzero(tf)
            subtotal[found] += weight * (shift + tf[found] / (tf[found] + norms[found]))
            matches |= tf > 0
        total += subtotal
    candidates = np.flatnonzero(matches & mask)
    ranked = sorted(candidates.tolist(), key=lambda doc: (-total[doc], -order[doc]))[:k]
    return ranked, total[ranked]


def norms_of(lengths, mean, k1, b):
    return k1 * (1.0 - b + b * lengths / mean)


def searcher_for(case: Case, *, k1: float = 1.2, b: float = 0.75, order=None, live=None) -> SegmentSearcher:
    documents = len(case.length)
    mean = float(case.length.mean()) if documents and case.length.any() else 1.0
    channel = ScoredChannel.of(
        case.postings, case.postings.tf_table, norms_of(case.postings.length_table, mean, k1, b), True
    )
    if order is None:
        order = np.arange(documents)
    return SegmentSearcher(documents, [channel], np.asarray(order, np.int32), live)


def query(terms, weights, channel=0):
    return np.full(len(terms), channel, np.int32), np.asarray(terms, np.int32), np.asarray(weights, np.float64)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    documents=st.sampled_from([1, 2, 70, 500, 9000]),
    vocabulary=st.sampled_from([1, 5, 40]),
    channels=st.integers(1, 3),
    density=st.sampled_from([0.002, 0.05, 0.5]),
    most=st.sampled_from([1, 3, 400]),
    k1=st.sampled_from([0.0, 1.2, 30.0]),
    b=st.sampled_from([0.0, 0.75, 1.0]),
    drift=st.sampled_from([1.0, 1.002, 1.02, 1.2]),
    spread=st.sampled_from([None, 1.0, 1e-9]),
    shift=st.sampled_from([0.0, 0.0, 1 / 2.2, 1.0, 40.0]),
)
def test_exact_for_any_collection(seed, documents, vocabulary, channels, density, most, k1, b, drift, spread, shift):
    random = np.random.default_rng(seed)
    scored, parts, asked = [], [], []
    for number in range(channels):
        fields = int(random.integers(1, 3))
        counts = random_counts(random, documents, fields, vocabulary, density, most)
        field_weights = [(field, float(random.choice([1, 0.3, 3]))) for field in random.permutation(fields).tolist()]
        case = channel_case(
            counts, field_weights, wide=most > 255 or bool(seed % 2), dense_at_least=int(random.choice([1, 64]))
        )
        mean = float(case.length.mean()) or 1.0
        old = norms_of(case.postings.length_table, mean * drift, k1, b)
        impacts = Impacts.build(case.postings, case.postings.tf_table, old, True, shift)
        new = norms_of(case.postings.length_table, mean, k1, b)
        scored.append(ScoredChannel.of(case.postings, case.postings.tf_table, new, True, impacts, shift))
        terms = random.permutation(vocabulary)[: random.integers(0, 31)]
        weights = np.ones(len(terms)) if spread is None else random.random(len(terms)) * spread + 1e-300
        parts.append((case, norms_of(case.length, mean, k1, b), terms, weights))
        asked.append(query(terms, weights, number))
    order = random.permutation(documents).astype(np.int32)
    live = random.random(documents) < random.choice([0.5, 1.0])
    allowed = None if random.random() < 0.6 else random.random(documents) < random.choice([0.5, 0.01])
    searcher = SegmentSearcher(documents, scored, order, live)
    joined = tuple(np.concatenate(column) for column in zip(*asked, strict=True))
    mask = live if allowed is None else live & allowed
    for k in (1, 10, 1000, documents + 5):
        expected, scores = by_the_book(parts, k, order, mask, shift)
        found, found_scores = searcher.top(*joined, k, allowed=allowed)
        assert found.tolist() == expected
        assert found_scores.tolist() == scores.tolist()
        if len(scores):
            again, _ = searcher.top(*joined, k, allowed=allowed, floor=float(scores[-1]))
            assert again.tolist() == expected


def test_more_frequencies_than_codes():
    """Every document has a frequency of its own, so that most are stored as exceptions, in lists and in tables."""
    documents = 700
    counts = np.zeros((documents, 1, 2), np.int64)
    counts[:, 0, 0] = np.random.default_rng(2).permutation(documents) + 1
    counts[::9, 0, 1] = counts[::9, 0, 0] + 5
    for dense_at_least in (64, 10_000):
        case = channel_case(counts, [(0, 1.0)], wide=True, dense_at_least=dense_at_least)
        norms = norms_of(case.length, float(case.length.mean()), 1.2, 0.75)
        order = np.arange(documents)
        for terms in ([0], [1], [0, 1]):
            weights = [1.0, 0.25][: len(terms)]
            expected, scores = by_the_book([(case, norms, terms, weights)], documents, order, np.ones(documents, bool))
            found, found_scores = searcher_for(case).top(*query(terms, weights), documents)
            assert found.tolist() == expected
            assert found_scores.tolist() == scores.tolist()


def test_bm25_by_hand():
    # documents: "a a b", "a", "b c"; lengths 3, 1, 2, mean 2
    case = channel_case(np.array([[[2, 1, 0]], [[1, 0, 0]], [[0, 1, 1]]]), [(0, 1.0)], wide=False)
    idf = np.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    found, scores = searcher_for(case).top(*query([0], [idf]), 10)
    assert found.tolist() == [1, 0]
    assert scores == pytest.approx([0.470004 * 1 / (1 + 0.75), 0.470004 * 2 / (2 + 1.65)], abs=1e-6)


def test_ties_come_by_descending_id():
    case = channel_case(np.ones((20_000, 1, 2), np.int64), [(0, 1.0)], wide=False)
    order = np.random.default_rng(1).permutation(20_000)
    found, scores = searcher_for(case, order=order).top(*query([0, 1], [1.0, 1.0]), 100)
    assert order[found].tolist() == list(range(19_999, 19_899, -1))
    assert len(set(scores.tolist())) == 1


def test_ties_at_the_boundary_are_cut_by_id_whatever_the_method():
    random = np.random.default_rng(2)
    for size in (50, 5000):
        scores = random.integers(1, 4, size).astype(float)
        documents, order = np.arange(size, dtype=np.int32), random.permutation(size).astype(np.int32)
        for k in (1, 7, size // 2, size, size + 1):
            found, kept = best(documents, scores, order, k)
            expected = sorted(range(size), key=lambda doc: (-scores[doc], -order[doc]))[:k]
            assert found.tolist() == expected
            assert kept.tolist() == scores[expected].tolist()


def test_documents_without_a_term_are_no_results():
    case = channel_case(np.array([[[1, 0]], [[0, 1]], [[0, 0]]]), [(0, 1.0)], wide=False)
    searcher = searcher_for(case)
    assert searcher.top(*query([0], [1.0]), 10)[0].tolist() == [0]
    assert searcher.top(*query([], []), 10)[0].tolist() == []
    assert searcher.top(*query([0, 1], [1.0, 1.0]), 10, allowed=np.zeros(3, bool))[0].tolist() == []


def test_a_term_of_vanishing_weight_still_finds_its_documents():
    case = channel_case(np.array([[[1, 0]], [[0, 1]]]), [(0, 1.0)], wide=False)
    found, scores = searcher_for(case).top(*query([0, 1], [1e-200, 1e200]), 10)
    assert found.tolist() == [1, 0]
    assert scores[1] == 1e-200 * (1 / 2.2)


def test_rare_terms_in_a_large_segment():
    counts = np.zeros((60_000, 1, 3), np.int64)
    counts[[5, 40_000, 59_999], 0, 0] = 1, 2, 3
    counts[[5, 59_998], 0, 1] = 1
    case = channel_case(counts, [(0, 1.0)], wide=False)
    found, _ = searcher_for(case, b=0.0).top(*query([0, 1, 2], [1.0, 1.0, 1.0]), 10)
    assert found.tolist() == [5, 59_999, 40_000, 59_998]


def test_scores_agree_with_bm25s():
    bm25s = pytest.importorskip("bm25s")
    random = np.random.default_rng(8)
    counts = random_counts(random, 300, 1, 50, 0.2, 4)
    counts[:, 0, 0] = np.maximum(counts[:, 0, 0], 1)  # bm25s counts empty documents too
    case = channel_case(counts, [(0, 1.0)], wide=False)
    corpus = [[str(term) for term in range(50) for _ in range(counts[doc, 0, term])] for doc in range(300)]
    peer = bm25s.BM25(method="lucene", k1=1.2, b=0.75, backend="numpy")
    peer.index(corpus, show_progress=False)
    searcher = searcher_for(case)
    df = case.postings.df.astype(float)
    idf = np.log(1 + (300 - df + 0.5) / (df + 0.5))
    for terms in ([1, 2, 3], list(range(50)), [49]):
        expected = peer.get_scores([str(term) for term in terms])
        found, scores = searcher.top(*query(terms, idf[terms]), 300)
        assert scores == pytest.approx(expected[found], rel=1e-5)
        assert len(found) == (expected > 0).sum()
