"""Zones: the same channels over some fields only, with lengths of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from case_tables import every_case
from lexical_cases import CHANNELS, FIELDS, Doc, batch_of, bm25_by_the_book, queries, random_docs, write

from porism.errors import ConfigError
from porism.index import IndexWriter, Snapshot
from porism.retrieve.lexical.channels import Zone, prepare, weighted_fields, zone_terms
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.retriever import LexicalRetriever

ZONES = {"title": Zone(0.5, {"title": 1.0}), "aside": Zone(2.0, {"notes": 0.3, "title": 2.0, "missing": 4.0})}


def check(retriever: LexicalRetriever, docs: list[Doc], k: int) -> None:
    asked = queries(3, 8)
    for query, results in zip(asked, retriever.search_terms(asked, k), strict=True):
        expected = bm25_by_the_book(docs, CHANNELS, FIELDS, query, k, tuple(ZONES.values()))
        assert results.ids == [doc_id for doc_id, _ in expected]
        assert results.scores.tolist() == [score for _, score in expected]


@every_case("k", [3, 1000])
def test_equals_the_book_in_any_segmentation(tmp_path, k) -> None:
    docs = random_docs(31, 200)
    for snapshot in (write(tmp_path / "whole", docs), write(tmp_path / "parts", docs[150:], docs[:2], docs[2:150])):
        check(LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, ZONES), docs, k)


def test_deleted_and_replaced_documents_leave_no_trace(tmp_path) -> None:
    docs = random_docs(32, 150)
    old = [Doc(doc.id, {"title": ["w0", "gone"]}, {"title": ["xx"]}) for doc in docs[50:90]]
    snapshot = write(tmp_path / "index", [*docs[:50], *old], docs[50:], deleted=[doc.id for doc in docs[::3]])
    left = [doc for number, doc in enumerate(docs) if number % 3]
    check(LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, ZONES), left, 20)


def test_stored_zones_give_the_same_results_and_are_made_again_when_damaged(tmp_path) -> None:
    docs = random_docs(33, 120)
    prepare(write(tmp_path / "index", docs[:100]).segments, CHANNELS, FIELDS, ZONES.values())
    with IndexWriter(tmp_path / "index") as writer:
        writer.add(batch_of(docs[100:]))
    check(LexicalRetriever(Snapshot.open(tmp_path / "index").segments, CHANNELS, FIELDS, ZONES), docs, 30)
    prepare(Snapshot.open(tmp_path / "index").segments, CHANNELS, FIELDS, ZONES.values())
    check(LexicalRetriever(Snapshot.open(tmp_path / "index").segments, CHANNELS, FIELDS, ZONES), docs, 30)
    stored = list((tmp_path / "index").rglob("view-*.bin"))
    assert len(stored) == 2 * len(ZONES) * len(CHANNELS)
    for file in stored:
        file.write_bytes(file.read_bytes()[:90])
    check(LexicalRetriever(Snapshot.open(tmp_path / "index").segments, CHANNELS, FIELDS, ZONES), docs, 30)


def test_a_zone_holds_only_the_terms_of_its_fields(tmp_path) -> None:
    docs = [Doc("a", {"title": ["one"], "body": ["two", "three"]}), Doc("b", {"body": ["four", "one"]})]
    segment = write(tmp_path / "index", docs).segments[0]
    terms = segment.dictionary("words").select(zone_terms(segment, "words", ZONES["title"])).strings()
    assert terms == ["one"]


def test_a_zone_without_fields_costs_and_changes_nothing(tmp_path) -> None:
    docs = random_docs(34, 60)
    snapshot = write(tmp_path / "index", docs)
    zones = {"none": Zone(1.0, {"abstract": 1.0}), "off": Zone(0.0, {"title": 1.0})}
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, zones)
    assert retriever.zones == {}
    prepare(snapshot.segments, CHANNELS, FIELDS, zones.values())
    assert not list((tmp_path / "index").rglob("view-*.bin"))
    query = queries(1, 1)[0]
    plain = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS).search_terms([query], 10)[0]
    found = retriever.search_terms([query], 10)[0]
    assert found.ids == plain.ids
    assert found.scores.tolist() == plain.scores.tolist()


def test_explanations_and_scores_of_given_documents_have_zones(tmp_path) -> None:
    docs = random_docs(35, 80)
    snapshot = write(tmp_path / "index", docs[:50], docs[50:])
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, ZONES)
    query = queries(2, 1)[0]
    results = retriever.search_terms([query], 20)[0]
    labels = set()
    for doc_id, score in zip(results.ids, results.scores.tolist(), strict=True):
        explanation = explain_terms(retriever, query, doc_id)
        assert explanation.value == score
        assert math.isclose(sum(part.value for part in explanation.parts), score)
        for part in explanation.parts:
            assert math.isclose(sum(leaf.value for leaf in part.parts), part.value)
            labels.add(part.label.partition(":")[0])
        segment, document = retriever.find(doc_id)
        assert retriever.score_units(query, segment, np.array([document]))[0] == score
    assert labels >= {"channel words", "zone title, channel words", "zone aside, channel letters"}


def test_what_a_query_term_weighs_is_that_of_the_whole_document(tmp_path) -> None:
    snapshot = write(tmp_path / "index", random_docs(36, 50))
    query = queries(4, 1)[0]
    plain = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS)
    assert LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, ZONES).term_weights(query) == plain.term_weights(query)


def test_fields_that_are_not_named_can_have_a_weight(tmp_path) -> None:
    docs = [Doc("a", {"title": ["x"], "body": ["y"], "notes": ["z"]})]
    segment = write(tmp_path / "index", docs).segments[0]
    named = {segment.fields[number]: weight for number, weight in weighted_fields(segment, {"title": 3.0, "*": 0.25})}
    assert named == {"body": 0.25, "notes": 0.25, "title": 3.0}


@every_case("make", [
    lambda: Zone(-1.0, {}), lambda: Zone(math.nan, {}), lambda: Zone(1.0, {"title": -2.0}),
    lambda: Zone(1.0, {"title": math.inf}),
])
def test_weights_out_of_range_are_refused(make) -> None:
    with pytest.raises(ConfigError):
        make()
