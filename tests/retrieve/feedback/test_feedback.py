"""Feedback: what a query learns from the documents it finds first, against the same by the book."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from lexical_cases import CHANNELS, FIELDS, Doc, bm25_by_the_book, queries, random_docs, write

from porism.errors import ConfigError
from porism.index import Snapshot
from porism.retrieve.feedback.expander import QueryExpander
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.feedback.term_numbers import sums_by_number, weighted_frequencies
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import BM25, LexicalChannel

VIEWS = {"title": Zone(0.5, {"title": 1.0})}
Query = Mapping[str, Mapping[str, float]]


def expanded_by_the_book(docs: Sequence[Doc], query: Query, settings: Feedback) -> dict[str, dict[str, float]]:
    """Rocchio's feedback as the module states it, over plain dictionaries."""
    first = bm25_by_the_book(docs, CHANNELS, FIELDS, query, settings.documents, tuple(VIEWS.values()))
    total = math.fsum(score for _, score in first)
    expanded = {name: dict(terms) for name, terms in query.items()}
    for name, asked in query.items():
        weighting = CHANNELS[name].weighting
        assert isinstance(weighting, BM25)
        known = {doc.id: doc.frequencies(name, FIELDS) for doc in docs}
        lengths = Counter(length for _, length in known.values() if length > 0)
        count = sum(lengths.values())
        mean = math.fsum(length * uses for length, uses in lengths.items()) / count
        v: dict[str, float] = {}
        for doc_id, score in first:
            frequencies, length = known[doc_id]
            for term, tf in frequencies.items():
                factor = tf / (tf + weighting.k1 * (1.0 - weighting.b + weighting.b * length / mean))
                v[term] = v.get(term, 0.0) + score / total * factor
        df = Counter(term for frequencies, _ in known.values() for term in frequencies)
        idf = {term: float(np.log(np.array([1.0 + (count - df[term] + 0.5) / (df[term] + 0.5)]))[0]) for term in v}
        kept = sorted(sorted(v), key=lambda term: -v[term] * idf[term])[: settings.terms]
        if kept and (mass := math.fsum(asked.values())):
            unit = settings.weight * mass / math.fsum(v[term] for term in kept)
            for term in kept:
                expanded[name][term] = expanded[name].get(term, 0.0) + unit * v[term]
    return expanded


def expander(snapshot: Snapshot, settings: Feedback) -> QueryExpander:
    lexical = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, VIEWS)
    return QueryExpander(snapshot.segments, lexical, settings)


@every_case("settings", [Feedback(0.2, 10, 5), Feedback(1.5, 3, 4), Feedback(0.2, 200, 1000)])
def test_equals_the_book_in_any_segmentation(tmp_path, settings) -> None:
    docs = random_docs(41, 150)
    asked = queries(5, 10)
    for snapshot in (write(tmp_path / "whole", docs), write(tmp_path / "parts", docs[100:], docs[:2], docs[2:100])):
        made = expander(snapshot, settings)
        for query in asked * 2:  # what was learnt from one query changes no other
            assert made.expand(query) == expanded_by_the_book(docs, query, settings)


def test_deleted_and_replaced_documents_leave_no_trace(tmp_path) -> None:
    docs = random_docs(42, 120)
    old = [Doc(doc.id, {"title": ["w0", "gone"]}, {"title": ["xx"]}) for doc in docs[40:70]]
    snapshot = write(tmp_path / "index", [*docs[:40], *old], docs[40:], deleted=[doc.id for doc in docs[::3]])
    left = [doc for number, doc in enumerate(docs) if number % 3]
    for query in queries(6, 6):
        assert expander(snapshot, Feedback(0.3, 5, 8)).expand(query) == expanded_by_the_book(
            left, query, Feedback(0.3, 5, 8)
        )


def test_worked_by_hand(tmp_path) -> None:
    """One document found: each of its two other terms gets half of 0.5 · 4, its own term too would by its worth."""
    docs = [Doc("a", {"body": ["cat", "dog", "emu"]}), Doc("b", {"body": ["fox"]})]
    lexical = LexicalRetriever(write(tmp_path / "index", docs).segments, {"words": LexicalChannel()})
    found = QueryExpander(lexical.segments, lexical, Feedback(0.5, 10, 2)).expand({"words": {"cat": 4.0}})
    assert found == {"words": {"cat": 5.0, "dog": 1.0}}  # of three equal ones, the two first by code point


def test_only_allowed_documents_are_learnt_from(tmp_path) -> None:
    docs = random_docs(43, 90)
    snapshot = write(tmp_path / "index", docs[:50], docs[50:])
    wanted = {doc.id for doc in docs[::2]}
    allowed = [
        np.array([doc_id in wanted for doc_id in segment.doc_ids(np.arange(segment.doc_count))])
        for segment in snapshot.segments
    ]
    gone = Doc("extra", {"body": ["w1", "secret"]}, {"body": ["xyz"]})
    with_secret = write(tmp_path / "secret", [*docs[:50], gone], docs[50:])
    allowed_there = [np.append(allowed[0], False), allowed[1]]
    query = {"words": {"w1": 1.0}}
    assert "secret" not in expander(with_secret, Feedback(0.2, 200, 500)).expand(query, allowed_there)["words"]
    assert "secret" in expander(with_secret, Feedback(0.2, 200, 500)).expand(query)["words"]
    nothing = [np.zeros(segment.doc_count, np.bool_) for segment in snapshot.segments]
    assert expander(snapshot, Feedback()).expand(query, nothing) == query


@every_case("query", [{}, {"words": {}}, {"words": {"unheard": 2.0}}, {"words": {"w1": 0.0}}])
def test_a_query_that_finds_nothing_learns_nothing(tmp_path, query) -> None:
    assert expander(write(tmp_path / "index", random_docs(44, 30)), Feedback()).expand(query) == query


def test_a_channel_that_the_query_has_nothing_in_learns_nothing(tmp_path) -> None:
    made = expander(write(tmp_path / "index", random_docs(45, 60)), Feedback())
    assert set(made.expand({"words": {"w1": 1.0}})) == {"words"}
    assert made.expand({"words": {"w1": 1.0}, "letters": {"x": 0.0}})["letters"] == {"x": 0.0}


def test_feedback_of_weight_zero_is_off(tmp_path) -> None:
    made = expander(write(tmp_path / "index", random_docs(46, 30)), Feedback(0.0))
    assert made.expand({"words": {"w1": 1.0}}) == {"words": {"w1": 1.0}}


@every_case("make", [
    lambda: Feedback(-0.1), lambda: Feedback(math.nan), lambda: Feedback(0.2, 0), lambda: Feedback(0.2, 10, 0),
])
def test_settings_out_of_range_are_refused(make) -> None:
    with pytest.raises(ConfigError):
        make()


ROWS = st.lists(
    st.tuples(st.integers(0, 3), st.lists(st.tuples(st.integers(0, 9), st.integers(1, 65_535)), max_size=6)), max_size=9
)


@given(ROWS)
def test_frequencies_by_document_and_term(rows) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    postings = [posting for _, row in rows for posting in row]
    weights = [0.1 * (number + 1) for number in range(len(rows))]
    found = weighted_frequencies(
        np.cumsum([0, *(len(row) for _, row in rows)]), np.array([term for term, _ in postings], np.int32),
        np.array([count for _, count in postings], np.uint16), np.array([place for place, _ in rows], np.int64),
        np.array(weights, np.float64),
    )
    expected: dict[tuple[int, int], float] = {}
    for (place, row), weight in zip(rows, weights, strict=True):
        for term, count in row:
            expected[place, term] = expected.get((place, term), 0.0) + weight * count
    pairs = zip(found[0].tolist(), found[1].tolist(), strict=True)
    assert dict(zip(pairs, found[2].tolist(), strict=True)) == expected
    assert found[0].tolist() == sorted(found[0].tolist())


@given(st.lists(st.tuples(st.integers(0, 2**40), st.floats(0, 1e9)), max_size=60))
def test_sums_by_number(pairs) -> None:
    numbers, sums = sums_by_number(
        np.array([number for number, _ in pairs], np.int64), np.array([value for _, value in pairs], np.float64)
    )
    expected: dict[int, float] = {}
    for number, value in pairs:
        expected[number] = expected.get(number, 0.0) + value
    assert list(zip(numbers.tolist(), sums.tolist(), strict=True)) == list(expected.items())
