"""Soft vector space models equal sums over all pairs of terms, in any segmentation."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_cases import FIELDS, WORDS, Doc, random_docs, write
from soft_cases import matrix_of, random_similar, soft_by_the_book

from porism.errors import ConfigError
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings import weighting_named
from porism.retrieve.weightings.base import BM25, LexicalChannel


def asked(seed: int, count: int = 8) -> list[dict[str, float]]:
    chance = random.Random(seed)
    return [
        {word: float(chance.randrange(1, 4)) for word in [*chance.sample(WORDS, chance.randrange(1, 8)), "nowhere"]}
        for _ in range(count)
    ]


@every_case("normalised", [False, True, "maintain"])
@every_case(("k", "softness"), [(3, 1.0), (1000, 1.0), (1000, 0.3), (20, 1.5)])
def test_scores_are_those_of_all_pairs(tmp_path, normalised, k, softness):
    docs = random_docs(21, 120)
    similar = random_similar(3, [*WORDS[:30], "unheard"])  # ten words are similar to themselves only
    matrix = matrix_of(tmp_path / "s.bin", similar)
    channel = LexicalChannel(0.7, BM25(1.2, 0.75), matrix, normalised, softness=softness)
    snapshot = write(tmp_path / "index", docs)
    retriever = LexicalRetriever(snapshot.segments, {"words": channel}, FIELDS)
    fuzzy = 0
    for query in asked(4):
        expected = soft_by_the_book(docs, "words", channel, FIELDS, similar, query)
        found = retriever.search_terms([{"words": query}], k)[0]
        assert len(found.ids) == min(k, len(expected))
        assert found.scores.tolist() == pytest.approx([expected[doc_id] for doc_id in found.ids], rel=1e-12)
        assert found.scores.tolist() == pytest.approx(sorted(expected.values(), reverse=True)[:k], rel=1e-12)
        fuzzy += len(expected) - sum(
            any(word in query for words in doc.words.values() for word in words) for doc in docs
        )
    assert fuzzy > 0, "some documents are found by similar terms alone"


@every_case("weighting", ["", "Lnu.ltb", "ltc.ltc", "pl2", "dirichlet"])
@every_case("normalised", [False, True, "maintain"])
def test_segments_and_deleted_documents_change_no_bit(tmp_path, weighting, normalised):
    docs = random_docs(22, 150)
    matrix = matrix_of(tmp_path / "s.bin", random_similar(5, WORDS))
    others = [Doc(f"x{number}", {"body": ["w1", "w2", "other"]}) for number in range(20)]
    whole = write(tmp_path / "whole", docs)
    parts = write(
        tmp_path / "parts", [*others[:5], *docs[100:]], [*docs[:30], *others[5:]], docs[30:100],
        deleted=[doc.id for doc in others],
    )
    channels = {"words": LexicalChannel(1.0, weighting_named(weighting), matrix, normalised)}
    zones = {"title": Zone(0.5, {"title": 1.0})}
    queries = [{"words": query} for query in asked(6)]
    one, other = (
        LexicalRetriever(snapshot.segments, channels, FIELDS, zones).search_terms(queries, 40)
        for snapshot in (whole, parts)
    )
    for mine, theirs in zip(one, other, strict=True):
        assert mine.ids == theirs.ids
        assert mine.scores.tolist() == theirs.scores.tolist()
    assert any(len(mine.ids) for mine in one)


@every_case("normalised", [False, True, "maintain"])
@every_case("weighting", ["", "Lnu.ltb", "dirichlet"])
def test_explanations_add_up_to_the_score(tmp_path, weighting, normalised):
    docs = random_docs(23, 60)
    similar = random_similar(7, WORDS[:30])
    matrix = matrix_of(tmp_path / "s.bin", similar)
    channels = {
        "words": LexicalChannel(0.6, weighting_named(weighting), matrix, normalised, softness=0.8),
        "letters": LexicalChannel(0.4),
    }
    snapshot = write(tmp_path / "index", docs)
    retriever = LexicalRetriever(snapshot.segments, channels, FIELDS, {"title": Zone(0.5, {"title": 1.0})})
    query = {"words": {"w1": 2.0, "w35": 1.0, "nowhere": 1.0}, "letters": {"x": 1.0}}
    found = retriever.search_terms([query], 10)[0]
    matches: list[str] = []
    for doc_id, score in zip(found.ids, found.scores.tolist(), strict=True):
        explanation = explain_terms(retriever, query, doc_id)
        assert explanation.value == pytest.approx(score)
        for channel in explanation.parts:
            assert channel.value == pytest.approx(sum(leaf.value for leaf in channel.parts))
            matches += [leaf.label for leaf in channel.parts]
    assert any(label.startswith("exact 'w1'") for label in matches)
    assert any(label.startswith("fuzzy 'w1' ~ ") for label in matches)


def test_a_pair_of_terms_by_hand(tmp_path):
    matrix = matrix_of(tmp_path / "s.bin", {("a", "a"): 1.0, ("b", "b"): 1.0, ("a", "b"): 0.5, ("b", "a"): 0.5})
    docs = [Doc("d1", {"body": ["b", "b"]}), Doc("d2", {"body": ["a"]}), Doc("d3", {"body": ["c"]})]
    snapshot = write(tmp_path / "index", docs)
    channel = LexicalChannel(1.0, BM25(1.0, 0.0), matrix)
    found = LexicalRetriever(snapshot.segments, {"words": channel}).search_terms([{"words": {"a": 3.0}}], 10)[0]
    idf = np.log(1 + 2.5 / 1.5)  # one of three documents has the term
    assert dict(zip(found.ids, found.scores.tolist(), strict=True)) == pytest.approx(
        {"d1": 3 * 0.5 * idf * 2 / 3, "d2": 3 * idf * 1 / 2}
    )
    cosine = LexicalRetriever(snapshot.segments, {"words": replace(channel, normalised=True)})
    found = cosine.search_terms([{"words": {"a": 3.0}}], 10)[0]
    assert dict(zip(found.ids, found.scores.tolist(), strict=True)) == pytest.approx({"d1": 0.5, "d2": 1.0})
    found = cosine.search_terms([{"words": {"c": 1.0}}], 10)[0]  # not in the matrix
    assert dict(zip(found.ids, found.scores.tolist(), strict=True)) == pytest.approx({"d3": 1.0})


def test_maintained_lengths_by_hand(tmp_path):
    matrix = matrix_of(tmp_path / "s.bin", {("a", "a"): 1.0, ("b", "b"): 1.0, ("a", "b"): 0.5, ("b", "a"): 0.5})
    snapshot = write(tmp_path / "index", [Doc("d1", {"body": ["a", "b"]}), Doc("d2", {"body": ["c"]})])
    channel = LexicalChannel(1.0, BM25(1.0, 0.0), matrix, "maintain")
    retriever = LexicalRetriever(snapshot.segments, {"words": channel})
    found = retriever.search_terms([{"words": {"a": 3.0, "b": 4.0}}], 10)[0]
    w = np.log(1 + 1.5 / 1.5) / 2  # of a and of b in d1, which is (w, w)
    product = 3 * w + 4 * w + 0.5 * (3 * w + 4 * w)
    query = 5 / np.sqrt(9 + 16 + 2 * 0.5 * 12)  # ‖q‖ over √(q S q)
    document = np.sqrt(2 * w * w) / np.sqrt(3 * w * w)
    assert found.ids == ["d1"]
    assert found.scores[0] == pytest.approx(product * query * document)
    assert "lengths maintained" in str(explain_terms(retriever, {"words": {"a": 3.0}}, "d1"))


def test_maintained_lengths_are_those_of_gensim(tmp_path):
    gensim = pytest.importorskip("gensim.similarities")
    from scipy.sparse import csc_matrix

    values = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]])
    terms = "abc"
    similar = {(terms[i], terms[j]): values[i, j] for i in range(3) for j in range(3) if values[i, j]}
    docs = [Doc("d1", {"body": [*"aabc"]}), Doc("d2", {"body": [*"bcc"]}), Doc("d3", {"body": [*"dd"]})]
    snapshot = write(tmp_path / "index", docs)
    matrix = matrix_of(tmp_path / "s.bin", similar)
    retriever = LexicalRetriever(
        snapshot.segments, {"words": LexicalChannel(1.0, BM25(1.5, 0.75), matrix, "maintain")}
    )
    found = retriever.search_terms([{"words": {"a": 1.0, "c": 2.0}}], 10)[0]
    weights = {  # Lucene's BM25; lengths 4, 3 and 2
        doc.id: [
            (terms.index(term), np.log(1 + (3 - df + 0.5) / (df + 0.5)) * tf / (tf + 1.5 * (0.25 + 0.75 * length / 3)))
            for term in terms
            for tf, length, df in [(doc.words["body"].count(term), len(doc.words["body"]), 1 if term == "a" else 2)]
            if tf
        ]
        for doc in docs[:2]
    }
    theirs = gensim.SparseTermSimilarityMatrix(csc_matrix(values)).inner_product(
        [[(0, 1.0), (2, 2.0)]], list(weights.values()), normalized=("maintain", "maintain")
    ).toarray()[0]
    expected = dict(zip(weights, theirs, strict=True))
    assert dict(zip(found.ids, found.scores.tolist(), strict=True)) == pytest.approx(expected, rel=1e-6)


def test_without_similar_pairs_soft_is_hard(tmp_path):
    docs = random_docs(24, 100)
    snapshot = write(tmp_path / "index", docs[:40], docs[40:])
    matrix = matrix_of(tmp_path / "s.bin", {(word, word): 1.0 for word in WORDS})
    queries = [{"words": query} for query in asked(8)]
    soft = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(1.0, BM25(), matrix)}, FIELDS)
    hard = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(1.0, BM25())}, FIELDS)
    for one, other in zip(soft.search_terms(queries, 30), hard.search_terms(queries, 30), strict=True):
        assert one.ids == other.ids
        assert one.scores.tolist() == pytest.approx(other.scores.tolist(), rel=1e-13)


def test_some_documents_are_scored_as_they_are_found(tmp_path):
    docs = random_docs(25, 80)
    snapshot = write(tmp_path / "index", docs)
    matrix = matrix_of(tmp_path / "s.bin", random_similar(1, WORDS))
    channels = {"words": LexicalChannel(1.0, weighting_named("dirichlet"), matrix)}
    retriever = LexicalRetriever(snapshot.segments, channels, FIELDS)
    query = {"words": {"w3": 1.0, "w9": 2.0}}
    found = retriever.search_units([query], 1000)[0]
    assert len(found.units) > 5
    assert retriever.score_units(query, 0, found.units).tolist() == found.scores.tolist()


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_the_best_k_are_the_best(tmp_path_factory, data):
    seed = data.draw(st.integers(0, 10_000))
    folder = tmp_path_factory.mktemp("soft")
    docs = random_docs(seed, data.draw(st.integers(1, 60)))
    similar = random_similar(seed, WORDS[: data.draw(st.integers(1, 40))], data.draw(st.integers(0, 40)))
    channel = LexicalChannel(1.0, BM25(), matrix_of(folder / "s.bin", similar), data.draw(st.booleans()))
    retriever = LexicalRetriever(write(folder / "index", docs).segments, {"words": channel}, FIELDS)
    held = {word for doc in docs for words in doc.words.values() for word in words}
    if held and not held & {term for term, _ in similar}:
        with pytest.raises(ConfigError, match="none of the terms"):
            retriever.terms.open_similarities()
        return
    k = data.draw(st.integers(1, 20))
    for query in asked(seed, 3):
        every = retriever.search_terms([{"words": query}], 1000)[0]
        first = retriever.search_terms([{"words": query}], k)[0]
        assert first.ids == every.ids[:k]
        assert first.scores.tolist() == every.scores.tolist()[:k]


def test_matrices_of_other_channels_and_vocabularies_are_refused(tmp_path):
    snapshot = write(tmp_path / "index", random_docs(26, 20))
    other = matrix_of(tmp_path / "o.bin", random_similar(1, WORDS), "letters")
    foreign = matrix_of(tmp_path / "f.bin", random_similar(1, ["no", "such", "terms"]), "words")
    for matrix, message in ((other, "was built for the channel 'letters'"), (foreign, "none of the terms of the chan")):
        retriever = LexicalRetriever(snapshot.segments, {"words": LexicalChannel(1.0, BM25(), matrix)})
        with pytest.raises(ConfigError, match=message):
            retriever.terms.open_similarities()


def test_an_empty_index_answers_nothing(tmp_path):
    matrix = matrix_of(tmp_path / "s.bin", random_similar(1, WORDS), "words")
    snapshot = write(tmp_path / "index", random_docs(27, 5), deleted=[doc.id for doc in random_docs(27, 5)])
    channels = {"words": LexicalChannel(1.0, BM25(), matrix, True)}
    retriever = LexicalRetriever(snapshot.segments, channels, FIELDS)
    assert retriever.search_terms([{"words": {"w1": 1.0}}], 5)[0].ids == []
