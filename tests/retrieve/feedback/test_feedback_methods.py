"""Rocchio's feedback and RM3: by hand, and against the same over plain dictionaries, on any collection."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from lexical_cases import CHANNELS, FIELDS, Doc, bm25_by_the_book, queries, random_docs, write

from porism.errors import ConfigError, QueryError
from porism.index import Snapshot
from porism.retrieve.feedback.base import document_prior
from porism.retrieve.feedback.expander import QueryExpander
from porism.retrieve.feedback.learning import Judged
from porism.retrieve.feedback.settings import Feedback
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings import weighting_named
from porism.retrieve.weightings.base import BM25, LexicalChannel

Query = Mapping[str, Mapping[str, float]]
Scored = list[tuple[str, float]]


class Book:
    """One channel of documents as dictionaries: frequencies, lengths, and the weights of terms."""

    def __init__(self, docs: Sequence[Doc], name: str, settings: Feedback) -> None:
        self.weighting = CHANNELS[name].weighting
        assert isinstance(self.weighting, BM25)
        self.known = {doc.id: doc.frequencies(name, FIELDS) for doc in docs}
        lengths = Counter(length for _, length in self.known.values() if length > 0)
        self.count = sum(lengths.values())
        self.mean = math.fsum(length * uses for length, uses in lengths.items()) / (self.count or 1)
        self.df = Counter(term for frequencies, _ in self.known.values() for term in frequencies)
        self.settings = settings

    def weight(self, term: str) -> float:
        df = self.df[term]
        if not self.settings.min_df <= df <= self.settings.max_df * self.count:
            return 0.0
        return float(np.log(np.array([1.0 + (self.count - df + 0.5) / (df + 0.5)]))[0])

    def unit(self, doc_id: str) -> dict[str, float]:
        frequencies, length = self.known[doc_id]
        assert isinstance(self.weighting, BM25)
        k1, b = self.weighting.k1, self.weighting.b
        vector = {
            term: self.weight(term) * (tf / (tf + k1 * (1.0 - b + b * length / self.mean)))
            for term, tf in frequencies.items()
        }
        total = 0.0
        for square in sorted(value * value for value in vector.values()):
            total += square
        return {term: value / math.sqrt(total) if total > 0 else 0.0 for term, value in vector.items()}

    def rocchio(self, asked: Mapping[str, float], relevant: Sequence[str], other: Sequence[str]) -> dict[str, float]:
        gains: dict[str, float] = {}
        for ids, share in ((relevant, self.settings.beta), (other, -self.settings.gamma)):
            for doc_id in ids:
                for term, value in self.unit(doc_id).items():
                    gains[term] = gains.get(term, 0.0) + share / len(ids) * value
        norm = math.sqrt(math.fsum(weight * weight for weight in asked.values()))
        best = [term for term in sorted(sorted(gains), key=lambda term: -gains[term]) if gains[term] > 0]
        new = {term: self.settings.alpha * weight for term, weight in asked.items()}
        for term in {*best[: self.settings.terms], *(set(asked) & set(gains))}:
            new[term] = new.get(term, 0.0) + norm * gains[term]
        return {term: weight for term, weight in new.items() if weight > 0}

    def rm3(self, asked: Mapping[str, float], documents: Sequence[str], prior: Sequence[float]) -> dict[str, float]:
        likely: dict[str, float] = {}
        for doc_id, share in zip(documents, prior, strict=True):
            frequencies, length = self.known[doc_id]
            for term, tf in frequencies.items():
                likely[term] = likely.get(term, 0.0) + share * (tf / length)
        able = [term for term in sorted(likely) if self.weight(term) > 0]
        best = sorted(able, key=lambda term: -likely[term])[: self.settings.terms]
        if not best:
            return dict(asked)
        original = self.settings.original_weight
        unit = (1.0 - original) * math.fsum(asked.values()) / math.fsum(likely[term] for term in best)
        new = {term: original * weight for term, weight in asked.items()}
        for term in best:
            new[term] = new.get(term, 0.0) + unit * likely[term]
        return new


def prior_by_the_book(first: Scored, settings: Feedback) -> list[float]:
    scores = [score for _, score in first]
    if settings.prior == "exponential":
        scores = np.exp(np.array(scores) - max(scores)).tolist()
    elif settings.prior == "equal":
        scores = [1.0] * len(scores)
    return [score / math.fsum(scores) for score in scores]


def expanded_by_the_book(docs: Sequence[Doc], query: Query, settings: Feedback) -> dict[str, dict[str, float]]:
    found = bm25_by_the_book(docs, CHANNELS, FIELDS, query, settings.depth)
    first = found[: settings.documents]
    others = found[max(settings.documents, len(found) - settings.non_relevant) :] if settings.non_relevant else []
    expanded = {name: dict(terms) for name, terms in query.items()}
    if not first:
        return expanded
    for name, asked in query.items():
        if not math.fsum(asked.values()) or (settings.channels and name not in settings.channels):
            continue
        book = Book(docs, name, settings)
        ids = [doc_id for doc_id, _ in first]
        expanded[name] = (
            book.rocchio(asked, ids, [doc_id for doc_id, _ in others]) if settings.method == "rocchio"
            else book.rm3(asked, ids, prior_by_the_book(first, settings))
        )
    return expanded


def expander(snapshot: Snapshot, settings: Feedback) -> QueryExpander:
    return QueryExpander(snapshot.segments, LexicalRetriever(snapshot.segments, CHANNELS, FIELDS), settings)


SETTINGS = [
    Feedback(method="rocchio", documents=5, terms=6),
    Feedback(method="rocchio", documents=4, terms=500, alpha=0.7, beta=2.0),
    Feedback(method="rocchio", documents=3, terms=5, gamma=0.8, non_relevant=7, depth=40),
    Feedback(method="rocchio", documents=6, terms=9, min_df=3, max_df=0.3),
    Feedback(method="rm3", documents=5, terms=6),
    Feedback(method="rm3", documents=8, terms=7, original_weight=0.0, prior="exponential"),
    Feedback(method="rm3", documents=3, terms=400, original_weight=0.9, prior="equal", channels=("words",)),
    Feedback(method="rm3", documents=6, terms=9, min_df=3, max_df=0.3),
]


@given(st.integers(0, 10_000), st.sampled_from(SETTINGS), st.lists(st.integers(0, 60), max_size=3), st.integers(1, 9))
@hypothesis_settings(max_examples=25, deadline=None)
def test_equals_the_book_and_bit_by_bit_in_any_segmentation(seed, settings, cuts, step) -> None:
    docs = random_docs(seed, 60)
    bounds = [0, *sorted(cuts), 60]
    parts = [docs[low:high] for low, high in pairwise(bounds) if low < high]
    gone = [doc.id for doc in docs[::step]] if step > 1 else []
    left = [doc for doc in docs if doc.id not in gone]
    with tempfile.TemporaryDirectory() as folder:
        whole, cut = (
            expander(write(Path(folder, str(number)), *groups, deleted=gone if number else None), settings)
            for number, groups in enumerate(([left], parts))
        )
        for query in queries(seed, 3):
            expanded = whole.expand(query)
            assert expanded == cut.expand(query)
            expected = expanded_by_the_book(left, query, settings)
            assert expanded.keys() == expected.keys()
            for name, terms in expected.items():
                assert expanded[name] == pytest.approx(terms, rel=1e-12)


ANIMALS = [
    Doc("a", {"body": ["cat", "cat", "dog"]}), Doc("b", {"body": ["cat", "emu"]}), Doc("c", {"body": ["fox"]}),
    Doc("d", {"body": ["gnu", "gnu"]}),
]


def animals(tmp_path: Path, settings: Feedback, channel: LexicalChannel) -> QueryExpander:
    lexical = LexicalRetriever(write(tmp_path / "index", ANIMALS).segments, {"words": channel})
    return QueryExpander(lexical.segments, lexical, settings)


def test_rm3_worked_by_hand(tmp_path) -> None:
    """P(t|R) with equal priors: cat (2/3 + 1/2)/2 = 7/12, emu 1/4, dog 1/6; two are kept: 7/10 and 3/10."""
    made = animals(tmp_path, Feedback(method="rm3", terms=2, prior="equal", original_weight=0.6), LexicalChannel())
    found = made.expand({"words": {"cat": 3.0, "unheard": 2.0}})["words"]
    assert found == pytest.approx({"cat": 0.6 * 3 + 0.4 * 5 * 0.7, "unheard": 1.2, "emu": 0.4 * 5 * 0.3})
    assert math.fsum(found.values()) == pytest.approx(5.0)


def test_rm3_weighs_documents_by_their_scores(tmp_path) -> None:
    """With k1 = 0 every occurrence scores idf: both documents the same for cat, b twice that with emu asked for too."""
    weighting = LexicalChannel(1.0, BM25(0.0, 0.0))
    made = animals(tmp_path, Feedback(method="rm3", original_weight=0.0, terms=3), weighting)
    idf = {"cat": math.log(1 + 2.5 / 2.5), "emu": math.log(1 + 3.5 / 1.5)}
    a, b = idf["cat"], idf["cat"] + idf["emu"]
    expected = {"cat": (a * 2 / 3 + b / 2) / (a + b), "dog": a / 3 / (a + b), "emu": b / 2 / (a + b)}
    assert made.expand({"words": {"cat": 1.0, "emu": 1.0}})["words"] == pytest.approx(
        {term: 2 * share for term, share in expected.items()}
    )


def test_rocchio_worked_by_hand(tmp_path) -> None:
    """With k1 = 0 a document's vector is the idf of its terms; the one non-relevant document takes dog away."""
    weighting = LexicalChannel(1.0, BM25(0.0, 0.0))
    made = animals(tmp_path, Feedback(alpha=0.5, beta=2.0, gamma=3.0, terms=1), weighting)
    query = {"words": {"cat": 3.0, "dog": 4.0}}
    cat, rare = math.log(1 + 2.5 / 2.5), math.log(1 + 3.5 / 1.5)
    long = math.hypot(cat, rare)
    gains = {"cat": 2 * cat / long - 3 * cat / long, "emu": 2 * rare / long, "dog": -3 * rare / long}
    found = made.expand(query, judged=Judged(("b",), ("a",)))["words"]
    assert found == pytest.approx({"emu": 5 * gains["emu"]})  # cat: 1.5 − 5 · 0.51 and dog fall below 0
    assert 1.5 + 5 * gains["cat"] < 0
    assert 2.0 + 5 * gains["dog"] < 0
    only = made.expand(query, judged=Judged(("b",)))["words"]
    assert only == pytest.approx({"cat": 1.5 + 10 * cat / long, "dog": 2.0, "emu": 10 * rare / long})


def test_only_documents_that_are_not_relevant(tmp_path) -> None:
    made = animals(tmp_path, Feedback(gamma=0.1), LexicalChannel(1.0, BM25(0.0, 0.0)))
    found = made.expand({"words": {"fox": 1.0, "cat": 1.0}}, judged=Judged((), ("c",)))["words"]
    assert found == pytest.approx({"fox": 1 - 0.1 * math.sqrt(2), "cat": 1.0})


def test_judged_documents_count_where_feedback_is_off_and_in_any_order(tmp_path) -> None:
    docs = random_docs(3, 60)
    snapshot = write(tmp_path / "index", docs[:20], docs[20:])
    query = queries(8, 1)[0]
    off = expander(snapshot, Feedback(weight=0.0, terms=9))
    assert off.expand(query) == query
    found = off.expand(query, judged=Judged(("d3", "d1"), ("d2", "d30")))
    assert found == off.expand(query, judged=Judged(("d1", "d3", "d1"), ("d30", "d2")))
    for name, asked in query.items():
        book = Book(docs, name, Feedback(method="rocchio", terms=9))
        expected = book.rocchio(asked, ["d1", "d3"], ["d2", "d30"]) if any(asked.values()) else asked
        assert found[name] == expected


def test_rm3_learns_from_judged_documents_all_the_same(tmp_path) -> None:
    docs = random_docs(4, 60)
    settings = Feedback(method="rm3", terms=5)
    made = expander(write(tmp_path / "index", docs), settings)
    query = {"words": {"w1": 2.0}}
    expected = Book(docs, "words", settings).rm3(query["words"], ["d1", "d6"], [0.5, 0.5])
    assert made.expand(query, judged=Judged(("d6", "d1")))["words"] == expected
    with pytest.raises(ConfigError, match="RM3 learns nothing from documents that are not relevant"):
        made.expand(query, judged=Judged(("d6",), ("d1",)))


@every_case("name", ["ltc.ltc", "Lnu.ltb", "dirichlet", "pl2"])
@every_case("method", ["score-weighted", "rocchio", "rm3"])
def test_general_weightings_in_any_segmentation(tmp_path, name, method) -> None:
    """Their factors are stored: what is learnt is finite, and does not depend on segments."""
    docs = random_docs(5, 70)
    channels = {channel: LexicalChannel(1.0, weighting_named(name)) for channel in ("words", "letters")}
    settings = Feedback(method=method, documents=4, terms=6, gamma=0.2, non_relevant=3)
    gone = [doc.id for doc in docs[::4]]
    found = []
    for folder, groups, deleted in (
        ("whole", [[doc for doc in docs if doc.id not in gone]], None), ("parts", [docs[30:], docs[:30]], gone),
    ):
        lexical = LexicalRetriever(write(tmp_path / folder, *groups, deleted=deleted).segments, channels, FIELDS)
        made = QueryExpander(lexical.segments, lexical, settings)
        found.append([made.expand(query) for query in queries(9, 4)])
    assert found[0] == found[1]
    assert found[0] != [dict(query) for query in queries(9, 4)]
    assert all(
        math.isfinite(weight) and weight >= 0 for query in found[0] for terms in query.values()
        for weight in terms.values()
    )


def test_priors() -> None:
    assert document_prior(np.array([3.0, 1.0]), "scores").tolist() == [0.75, 0.25]
    assert document_prior(np.array([1.0, -1.0, -3.0]), "scores").tolist() == [4 / 6, 2 / 6, 0.0]
    assert document_prior(np.array([-1000.0, -1000.0]), "exponential").tolist() == [0.5, 0.5]
    assert document_prior(np.array([0.0, 0.0]), "scores").tolist() == [0.0, 0.0]
    assert document_prior(np.zeros(0), "scores").tolist() == []


@every_case("query", [{}, {"words": {}}, {"words": {"unheard": 2.0}}, {"words": {"w1": 0.0}}])
@every_case("method", ["rocchio", "rm3"])
def test_a_query_that_finds_nothing_learns_nothing(tmp_path, query, method) -> None:
    assert expander(write(tmp_path / "index", random_docs(44, 30)), Feedback(method=method)).expand(query) == query


def test_bad_judgments_and_channels(tmp_path) -> None:
    snapshot = write(tmp_path / "index", random_docs(6, 30))
    with pytest.raises(QueryError, match="no document 'nowhere'"):
        expander(snapshot, Feedback()).expand({"words": {"w1": 1.0}}, judged=Judged(("nowhere",)))
    with pytest.raises(QueryError, match="'a' is judged both relevant and not relevant"):
        Judged(("a", "b"), ("a",))
    with pytest.raises(ConfigError, match="limited to paths, and none of these channels is searched"):
        expander(snapshot, Feedback(channels=("paths",)))


@every_case("wrong", [
    {"method": "rm4"}, {"prior": "none"}, {"alpha": -1.0}, {"beta": math.nan}, {"gamma": math.inf},
    {"original_weight": 1.1}, {"min_df": 0}, {"max_df": 0.0}, {"max_df": 1.5}, {"non_relevant": -1},
    {"non_relevant": 20, "depth": 25},
])
def test_settings_out_of_range_are_refused(wrong) -> None:
    with pytest.raises(ConfigError):
        replace(Feedback(), **wrong)


@every_case(("settings", "active"), [
    (Feedback(), True), (Feedback(0.0), False), (Feedback(0.0, method="rm3"), True),
    (Feedback(method="rm3", original_weight=1.0), False), (Feedback(0.0, method="rocchio"), True),
    (Feedback(method="rocchio", beta=0.0), False), (Feedback(method="rocchio", beta=0.0, non_relevant=2), True),
])
def test_what_is_off(settings, active) -> None:
    assert settings.active is active
