"""Search over real segments is BM25 over the live documents, bit by bit, however they came into the index."""

from __future__ import annotations

import random

import numpy as np
import pytest
from case_tables import every_case
from lexical_cases import CHANNELS, FIELDS, Doc, batch_of, bm25_by_the_book, queries, random_docs, write

from porism.errors import ConfigError, QueryError
from porism.index import IndexWriter, Snapshot
from porism.index.engine.impacts import Impacts
from porism.retrieve.lexical.channels import prepare, scored_channel
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.lexical.settings import ChannelSettings
from porism.retrieve.weightings.base import BM25, BM25Plus, ChannelStatistics, ComputedWeighting, LexicalChannel


def check(retriever: LexicalRetriever, docs: list[Doc], k: int, seed: int = 0, channels=CHANNELS) -> None:
    asked = queries(seed, 12)
    for query, results in zip(asked, retriever.search_terms(asked, k), strict=True):
        expected = bm25_by_the_book(docs, channels, FIELDS, query, k)
        assert results.ids == [doc_id for doc_id, _ in expected]
        assert results.scores.tolist() == [score for _, score in expected]


@every_case("k", [1, 10, 1000])
def test_equals_bm25_by_the_book_in_any_segmentation(tmp_path, k):
    docs = random_docs(1, 300)
    whole = write(tmp_path / "whole", docs)
    parts = write(tmp_path / "parts", docs[200:], docs[:3], docs[3:200])
    for snapshot in (whole, parts):
        check(LexicalRetriever(snapshot.segments, CHANNELS, FIELDS), docs, k)


def test_deleted_and_replaced_documents_leave_no_trace(tmp_path):
    docs = random_docs(2, 200)
    old = [Doc(doc.id, {"title": ["w0", "gone"]}, {"title": ["xx"]}) for doc in docs[50:90]]
    snapshot = write(tmp_path / "index", [*docs[:50], *old], docs[50:], deleted=[doc.id for doc in docs[::3]])
    left = [doc for number, doc in enumerate(docs) if number % 3]
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS)
    check(retriever, left, 20)
    assert retriever.search_terms([{"words": {"gone": 1.0}}], 10)[0].ids == []


def test_stored_postings_and_impacts_give_the_same_results(tmp_path):
    docs = random_docs(3, 250)
    first = write(tmp_path / "index", docs[:200])
    prepare(first.segments, CHANNELS, FIELDS)
    reopened = Snapshot.open(tmp_path / "index")
    segment = reopened.segments[0]
    statistics = LexicalRetriever(reopened.segments, CHANNELS, FIELDS).statistics("words")
    assert not scored_channel(segment, "words", FIELDS, CHANNELS["words"].weighting, statistics).computed
    check(LexicalRetriever(reopened.segments, CHANNELS, FIELDS), docs[:200], 30)

    longer = ChannelStatistics(statistics.documents, 2 * statistics.mean_length)
    assert scored_channel(segment, "words", FIELDS, CHANNELS["words"].weighting, longer).computed
    with IndexWriter(tmp_path / "index") as writer:
        writer.add(batch_of(docs[200:]))
    grown = Snapshot.open(tmp_path / "index")
    check(LexicalRetriever(grown.segments, CHANNELS, FIELDS), docs, 30)
    prepare(grown.segments, CHANNELS, FIELDS)
    check(LexicalRetriever(Snapshot.open(tmp_path / "index").segments, CHANNELS, FIELDS), docs, 30)


def test_one_that_only_scores_computes_no_impacts(tmp_path, monkeypatch):
    docs = random_docs(5, 120)
    segments = write(tmp_path / "index", docs).segments
    (query,) = queries(5, 1)
    everything = np.arange(len(docs))
    expected = LexicalRetriever(segments, CHANNELS, FIELDS).score_units(query, 0, everything)
    assert (expected > 0).any()
    monkeypatch.setattr(Impacts, "build", lambda *_: pytest.fail("impacts were computed"))
    retriever = LexicalRetriever(segments, CHANNELS, FIELDS, finds=False)
    assert retriever.score_units(query, 0, everything).tolist() == expected.tolist()
    with pytest.raises(ValueError, match="cannot find any"):
        retriever.search_terms([query], 10)


def test_damaged_derived_data_is_computed_again(tmp_path):
    docs = random_docs(4, 60)
    snapshot = write(tmp_path / "index", docs)
    prepare(snapshot.segments, CHANNELS, FIELDS)
    files = sorted((tmp_path / "index").rglob("*.bin"))
    derived = [file for file in files if file.parent.name == "derived"]
    assert len(derived) == 4
    for file in derived:
        file.write_bytes(file.read_bytes()[:100])
    check(LexicalRetriever(Snapshot.open(tmp_path / "index").segments, CHANNELS, FIELDS), docs, 10)


def test_other_parameters_need_no_new_index(tmp_path):
    docs = random_docs(5, 80)
    snapshot = write(tmp_path / "index", docs[:50], docs[50:])
    prepare(snapshot.segments, CHANNELS, FIELDS)
    channels = {"words": LexicalChannel(2.0, BM25(0.4, 1.0))}
    weights = {"body": 0.0, "notes": 5.0}
    asked = [{"words": {"w1": 1.0, "w2": 3.0}}]
    found = LexicalRetriever(snapshot.segments, channels, weights).search_terms(asked, 50)[0]
    expected = bm25_by_the_book(docs, channels, weights, asked[0], 50)
    assert list(zip(found.ids, found.scores.tolist(), strict=True)) == expected


PLUS = {"words": LexicalChannel(1.0, BM25Plus(1.2, 0.75, 1.0)), "letters": LexicalChannel(0.7, BM25Plus(0.9, 0.4, 3.0))}


@every_case("k", [1, 10, 1000])
def test_equals_bm25_plus_by_the_book_in_any_segmentation(tmp_path, k):
    docs = random_docs(12, 300)
    for snapshot in (write(tmp_path / "whole", docs), write(tmp_path / "parts", docs[200:], docs[:3], docs[3:200])):
        prepare(snapshot.segments, PLUS, FIELDS)
        reopened = Snapshot.open(snapshot.path)
        check(LexicalRetriever(reopened.segments, PLUS, FIELDS), docs, k, channels=PLUS)
        check(LexicalRetriever(reopened.segments, CHANNELS, FIELDS), docs, k)


def test_bm25_plus_ranks_as_published():
    # two terms, in 9 and in 2 of 20 documents of mean length 10
    weighting, statistics = BM25Plus(1.2, 0.75, 1.0), ChannelStatistics(20, 10.0)
    idf = weighting.term_weights(np.array([9, 2]), statistics)
    x = weighting.tf_values(np.array([3.0, 1.0]))
    y = weighting.length_values(np.array([30.0, 4.0]), statistics)
    published = [np.log(21 / 9) * (2.2 * 3 / (3 + 1.2 * (0.25 + 0.75 * 3)) + 1),
                 np.log(21 / 2) * (2.2 * 1 / (1 + 1.2 * (0.25 + 0.75 * 0.4)) + 1)]
    assert idf * (weighting.shift + x / (x + y)) * 2.2 == pytest.approx(published)


def test_terms_that_occur_nowhere_have_a_finite_weight_in_bm25_plus() -> None:
    """What a query would score itself is a sum over all its terms, unknown ones too."""
    weights = BM25Plus().term_weights(np.array([0, 1, 20]), ChannelStatistics(20, 10.0))
    assert weights.tolist() == pytest.approx([np.log(21), np.log(21), np.log(21 / 20)])


def test_an_explanation_shows_what_bm25_plus_adds(tmp_path):
    snapshot = write(tmp_path / "index", [Doc("a", {"body": ["x", "x", "y"]}), Doc("b", {"body": ["y"]})])
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(0.5, BM25Plus())})
    explanation = explain_terms(retriever, {"words": {"x": 2.0}}, "a")
    (channel,) = explanation.parts
    assert channel.label == "channel words: BM25Plus(k1=1.2, b=0.75, delta=1.0, absent=False)"
    assert explanation.parts[0].parts[0].label == (
        "'x': in the query 2 · channel weight 0.5 · term weight 1.0986 (in 1 document) · "
        "(0.4545 + 2 / (2 + 1.65)) (frequency 2, length 3)"
    )
    assert explanation.value == retriever.search_terms([{"words": {"x": 2.0}}], 5)[0].scores[0]


def test_ties_across_segments_come_by_descending_id(tmp_path):
    docs = [Doc(f"{number:03}", {"body": ["same"]}) for number in range(90)]
    chance = random.Random(6)
    chance.shuffle(docs)
    snapshot = write(tmp_path / "index", docs[:20], docs[20:50], docs[50:])
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel()})
    for k in (1, 25, 90, 1000):
        found = retriever.search_terms([{"words": {"same": 1.0}}], k)[0]
        assert found.ids == [f"{number:03}" for number in range(89, -1, -1)][:k]


def test_only_allowed_documents_are_found_and_statistics_do_not_change(tmp_path):
    docs = random_docs(7, 120)
    snapshot = write(tmp_path / "index", docs[:60], docs[60:])
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS)
    allowed = [np.array([segment.doc_id(doc).endswith("7") for doc in range(segment.doc_count)])
               for segment in snapshot.segments]
    for query in queries(7, 5):
        everything = bm25_by_the_book(docs, CHANNELS, FIELDS, query, 1000)
        found = retriever.search_terms([query], 4, allowed=allowed)[0]
        expected = [hit for hit in everything if hit[0].endswith("7")][:4]
        assert list(zip(found.ids, found.scores.tolist(), strict=True)) == expected


def test_threads_change_nothing(tmp_path):
    snapshot = write(tmp_path / "index", random_docs(8, 150))
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS)
    asked = queries(8, 40)
    alone, together = retriever.search_terms(asked, 20), retriever.search_terms(asked, 20, threads=4)
    assert [results.ids for results in alone] == [results.ids for results in together]


def test_an_explanation_adds_up_to_the_score(tmp_path):
    docs = random_docs(9, 100)
    snapshot = write(tmp_path / "index", docs[:30], docs[30:])
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS)
    for query in queries(9, 5):
        results = retriever.search_terms([query], 5)[0]
        for doc_id, score in zip(results.ids, results.scores.tolist(), strict=True):
            explanation = explain_terms(retriever, query, doc_id)
            assert explanation.value == score
            total = 0.0
            for channel in explanation.parts:
                subtotal = 0.0
                for term in channel.parts:
                    subtotal += term.value
                assert channel.value == subtotal
                total += channel.value
            assert total == score
    silent = explain_terms(retriever, {"words": {"none": 1.0}}, docs[0].id)
    assert (silent.value, list(silent.parts)) == (0.0, [])


def test_explanation_says_how(tmp_path):
    snapshot = write(tmp_path / "index", [Doc("a", {"body": ["x", "x", "y"]}), Doc("b", {"body": ["y"]})])
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(0.5)})
    explanation = explain_terms(retriever, {"words": {"x": 2.0}}, "a")
    assert [part.label for part in explanation.parts] == ["channel words: BM25(k1=1.2, b=0.75)"]
    assert explanation.parts[0].parts[0].label == (
        "'x': in the query 2 · channel weight 0.5 · term weight 0.6931 (in 1 document) · 2 / (2 + 1.65) "
        "(frequency 2, length 3)"
    )
    assert retriever.term_weights({"words": {"x": 2.0, "none": 1.0}}) == {"words": {"x": pytest.approx(np.log(2))}}


class PivotedTfIdf(ComputedWeighting):
    """tf·idf with pivoted length normalisation (Singhal et al. 1996): a weighting of the form x / y."""

    saturating = False
    shift = 0.0

    def term_weights(self, df, statistics):
        return np.log((statistics.documents + 1) / df)

    def tf_values(self, frequencies):
        return np.where(frequencies > 0, 1 + np.log(np.maximum(frequencies, 1e-9)), 0.0)

    def length_values(self, lengths, statistics):
        return 0.8 + 0.2 * lengths / statistics.mean_length


def test_other_weightings_use_the_same_engine(tmp_path):
    docs = [doc for doc in random_docs(10, 150) if any(doc.words.values())]
    snapshot = write(tmp_path / "index", docs[:70], docs[70:])
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(1.0, PivotedTfIdf())})
    found = retriever.search_terms([{"words": {"w0": 1.0, "w3": 1.0}}], 1000)[0]
    known = {doc.id: doc.frequencies("words", {}) for doc in docs}
    mean = np.mean([length for _, length in known.values()])
    scores = {
        doc_id: sum(
            np.log((len(docs) + 1) / sum(term in others for others, _ in known.values()))
            * (1 + np.log(frequencies[term])) / (0.8 + 0.2 * length / mean)
            for term in ("w0", "w3") if term in frequencies
        )
        for doc_id, (frequencies, length) in known.items() if {"w0", "w3"} & set(frequencies)
    }
    assert set(found.ids) == set(scores)
    assert found.scores == pytest.approx([scores[doc_id] for doc_id in found.ids])
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)


def test_bad_requests_say_what_to_do(tmp_path):
    snapshot = write(tmp_path / "index", random_docs(11, 20))
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel()})
    with pytest.raises(ConfigError, match=r"no channel 'word'.*It has letters, words.*--channels default,word"):
        LexicalRetriever(snapshot.segments, {"word": LexicalChannel()})
    with pytest.raises(ConfigError, match="'letters', which is not searched"):
        retriever.search_terms([{"letters": {"a": 1.0}}], 10)
    with pytest.raises(QueryError, match="at least 1"):
        retriever.search_terms([{"words": {"w0": 1.0}}], 0)
    for weight in (-1.0, float("nan"), float("inf"), 1e101):
        with pytest.raises(QueryError, match="finite"):
            retriever.search_terms([{"words": {"w0": weight}}], 10)
    with pytest.raises(QueryError, match="no document 'nowhere'"):
        explain_terms(retriever, {"words": {"w0": 1.0}}, "nowhere")
    with pytest.raises(ConfigError, match="field 'title'"):
        LexicalRetriever(snapshot.segments, {"words": LexicalChannel()}, {"title": -1.0}).statistics("words")
    for bad in (lambda: BM25(-1.0), lambda: BM25(1.2, 1.5), lambda: BM25Plus(delta=-1.0),
                lambda: LexicalChannel(float("nan"))):
        with pytest.raises(ConfigError):
            bad()


def test_extreme_numbers_stay_numbers(tmp_path):
    snapshot = write(tmp_path / "index", [Doc("a", {"body": ["x"]}), Doc("b", {"body": ["y", "y"]})])
    retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(1e6, BM25(1e6, 1.0))}, {"body": 1e6})
    ids, scores = retriever.search_terms([{"words": {"x": 1e100, "y": 1e-99}}], 10**30)[0]
    assert ids == ["a", "b"]
    assert np.isfinite(scores).all()
    assert retriever.search_terms([{"words": {"x": 1e-320}}], 10)[0].ids == []


def test_an_empty_index_finds_nothing(tmp_path):
    with IndexWriter(tmp_path / "index", config={}):
        pass
    retriever = LexicalRetriever(Snapshot.open(tmp_path / "index").segments, CHANNELS)
    assert retriever.search_terms([{"words": {"w0": 1.0}}, {}], 10) == [([], pytest.approx([]))] * 2


def test_settings_with_delta_are_bm25_plus():
    assert ChannelSettings(2.0, 0.9, 0.4).lexical == LexicalChannel(2.0, BM25(0.9, 0.4))
    assert ChannelSettings(2.0, 0.9, 0.4, 1.0).lexical == LexicalChannel(2.0, BM25Plus(0.9, 0.4, 1.0))
    with pytest.raises(ConfigError, match="delta"):
        ChannelSettings(delta=-1.0)
