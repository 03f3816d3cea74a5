"""The engine ranks distinct formulas as it ranks documents: by the book, however documents are spread over segments."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from lexical_cases import Doc, batch_of, bm25_by_the_book

from porism.errors import ConfigError, QueryError
from porism.index import IndexWriter, Snapshot
from porism.index.engine.units import formula_units
from porism.retrieve.lexical.channels import prepare
from porism.retrieve.lexical.explanations import explain_terms
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import BM25, BM25Plus, LexicalChannel

CHANNELS = {"letters": LexicalChannel(0.7, BM25(0.9, 0.4))}


def random_docs(seed: int, count: int) -> list[Doc]:
    """Documents that share formulas; some have none."""
    chance = random.Random(seed)

    def formulas() -> list[str]:
        return ["".join(chance.choices("abcxyz+=", k=chance.randrange(1, 6))) for _ in range(chance.randrange(0, 4))]

    return [
        Doc(f"d{number}", {"body": ["w"]}, {"body": formulas(), "title": formulas()[:1]}) for number in range(count)
    ]


def as_units(docs: Sequence[Doc]) -> list[Doc]:
    """Each distinct formula as a document by itself."""
    keys = dict.fromkeys(key for doc in docs for held in doc.formulas.values() for key in held)
    return [Doc(key, {}, {"formula": [key]}) for key in keys]


def write(path: Path, *groups: Sequence[Doc], deleted: Sequence[str] = (), merge: bool = False) -> Snapshot:
    with IndexWriter(path, config={}) as writer:
        for group in groups:
            writer.add(batch_of(group))
            writer.commit()
        writer.delete(deleted)
        if merge:
            writer.commit()
            writer.merge()
    return Snapshot.open(path)


def queries(seed: int, count: int) -> list[dict[str, dict[str, float]]]:
    chance = random.Random(seed)
    return [
        {"letters": {letter: float(chance.randrange(0, 3)) for letter in chance.sample("abcxyz+=?", 5)}}
        for _ in range(count)
    ]


def retriever_of(snapshot: Snapshot, channels=CHANNELS) -> LexicalRetriever:
    return LexicalRetriever(formula_units(snapshot.segments), channels)


def check(snapshot: Snapshot, docs: Sequence[Doc], k: int, channels=CHANNELS) -> None:
    """Ids, scores and numbers are those by the book, and so are the scores of all formulas one by one."""
    retriever, asked, units = retriever_of(snapshot, channels), queries(k, 8), as_units(docs)
    for query, results, found in zip(
        asked, retriever.search_terms(asked, k), retriever.search_units(asked, k), strict=True
    ):
        expected = bm25_by_the_book(units, channels, {}, query, k)
        assert list(zip(results.ids, results.scores.tolist(), strict=True)) == expected
        assert found.scores.tolist() == results.scores.tolist()
        places = zip(found.segments.tolist(), found.units.tolist(), strict=True)
        assert [snapshot.segments[segment].formula_key(unit) for segment, unit in places] == results.ids
        known = dict(bm25_by_the_book(units, channels, {}, query, 10**6))
        for number, one in enumerate(formula_units(snapshot.segments)):
            chosen = np.flatnonzero(one.live)[::-2]
            scores = retriever.score_units(query, number, chosen)
            assert scores.tolist() == [known.get(key, 0.0) for key in one.doc_ids(chosen)]


@every_case("k", [1, 10, 1000])
def test_equals_bm25_by_the_book_in_any_segmentation(tmp_path: Path, k: int) -> None:
    docs = random_docs(1, 200)
    without = [Doc("none", {"body": ["w"]})]
    check(write(tmp_path / "whole", docs), docs, k)
    check(write(tmp_path / "parts", docs[150:], without, docs[:3], docs[3:150]), docs, k)


def test_deleted_documents_take_their_formulas_with_them(tmp_path: Path) -> None:
    docs = random_docs(2, 150)
    deleted = [doc.id for doc in docs[::3]]
    left = [doc for number, doc in enumerate(docs) if number % 3]
    for number, parts in enumerate(([docs], [docs[100:], docs[:40], docs[40:100]])):
        check(write(tmp_path / f"deleted{number}", *parts, deleted=deleted), left, 20)
        check(write(tmp_path / f"merged{number}", *parts, deleted=deleted, merge=True), left, 20)


def test_bm25_plus_of_formulas(tmp_path: Path) -> None:
    docs = random_docs(3, 120)
    one, several = write(tmp_path / "one", docs), write(tmp_path / "several", docs[:50], docs[50:])
    channels = {"letters": LexicalChannel(1.0, BM25Plus(1.2, 0.75, 1.0))}
    asked = queries(3, 5)
    for whole, parts in zip(
        retriever_of(one, channels).search_terms(asked, 50), retriever_of(several, channels).search_terms(asked, 50),
        strict=True,
    ):
        assert (whole.ids, whole.scores.tolist()) == (parts.ids, parts.scores.tolist())
    retriever = retriever_of(one, channels)
    for query, found in zip(asked, retriever.search_units(asked, 50), strict=True):
        assert retriever.score_units(query, 0, found.units).tolist() == found.scores.tolist()


def test_ties_come_by_descending_key(tmp_path: Path) -> None:
    docs = [Doc(f"d{number}", {}, {"body": [f"s{chr(0x4e00 + 37 * number % 97)}"]}) for number in range(80)]
    keys = sorted((key for doc in docs for key in doc.formulas["body"]), reverse=True)
    for snapshot in (write(tmp_path / "a", docs), write(tmp_path / "b", docs[:10], docs[10:60], docs[60:])):
        for k in (1, 25, 1000):
            assert retriever_of(snapshot).search_terms([{"letters": {"s": 1.0}}], k)[0].ids == keys[:k]


def test_stored_postings_are_apart_from_those_of_documents(tmp_path: Path) -> None:
    docs = random_docs(4, 150)
    snapshot = write(tmp_path / "index", docs[:100], docs[100:])
    prepare(snapshot.segments, CHANNELS)
    prepare(formula_units(snapshot.segments), CHANNELS)
    for segment in snapshot.segments:
        names = sorted(file.name.partition("-letters")[0] for file in segment.derived_path("x").parent.iterdir())
        assert names == ["formulas-impacts", "formulas-postings", "impacts", "postings"]
    reopened = Snapshot.open(tmp_path / "index")
    check(reopened, docs, 30)
    query = queries(4, 1)
    of_documents = LexicalRetriever(reopened.segments, CHANNELS).search_terms(query, 30)[0]
    assert list(zip(of_documents.ids, of_documents.scores.tolist(), strict=True)) == bm25_by_the_book(
        docs, CHANNELS, {}, query[0], 30
    )
    for segment in snapshot.segments:
        for file in segment.derived_path("x").parent.glob("formulas-*"):
            file.write_bytes(file.read_bytes()[:100])
    check(Snapshot.open(tmp_path / "index"), docs, 30)


def test_what_the_terms_are_worth(tmp_path: Path) -> None:
    docs = [Doc("a", {}, {"body": ["xy", "xx"]}), Doc("b", {}, {"body": ["xy", "z"]}), Doc("c", {}, {"body": ["xyy"]})]
    snapshot = write(tmp_path / "index", docs[:1], docs[1:], deleted=["c"])
    retriever = retriever_of(snapshot)
    assert retriever.statistics("letters").documents == 3
    assert retriever.statistics("letters").mean_length == 5 / 3
    assert retriever.document_frequencies("letters", ["x", "y", "z", "?"]).tolist() == [2, 1, 1, 0]
    assert retriever.term_weights({"letters": {"x": 2.0, "?": 1.0}}) == {
        "letters": {"x": pytest.approx(0.7 * 2 * np.log(1 + 1.5 / 2.5))}
    }
    explanation = explain_terms(retriever, {"letters": {"x": 2.0}}, "xx")
    assert explanation.label == "formula xx"
    assert explanation.value == retriever.search_terms([{"letters": {"x": 2.0}}], 1)[0].scores[0] > 0
    with pytest.raises(QueryError, match="no formula 'xyy' in the index"):
        explain_terms(retriever, {"letters": {"x": 2.0}}, "xyy")


def test_scores_of_given_formulas(tmp_path: Path) -> None:
    docs = [Doc("a", {}, {"body": ["x", "xy", "z"]})]
    retriever = retriever_of(write(tmp_path / "index", docs))
    query = {"letters": {"x": 1.0, "y": 1.0}}
    known = dict(bm25_by_the_book(as_units(docs), CHANNELS, {}, query, 10))
    chosen = np.array([2, 0, 1, 0], np.int32)
    assert retriever.score_units(query, 0, chosen).tolist() == [0.0, known["x"], known["xy"], known["x"]]
    assert retriever.score_units({"letters": {"?": 1.0}}, 0, chosen).tolist() == [0.0] * 4
    assert retriever.score_units(query, 0, chosen[:0]).tolist() == []
    for wrong in (-1, 3):
        with pytest.raises(IndexError, match="of 3"):
            retriever.score_units(query, 0, np.array([wrong]))


def test_allowed_formulas_and_threads(tmp_path: Path) -> None:
    docs = random_docs(5, 100)
    snapshot = write(tmp_path / "index", docs[:50], docs[50:])
    retriever, asked = retriever_of(snapshot), queries(5, 6)
    allowed = [np.array(["x" in key for key in segment.keys.packed().strings()]) for segment in snapshot.segments]
    for query, found in zip(asked, retriever.search_units(asked, 7, allowed=allowed, threads=3), strict=True):
        everything = bm25_by_the_book(as_units(docs), CHANNELS, {}, query, 1000)
        assert found.scores.tolist() == [score for key, score in everything if "x" in key][:7]


def test_an_index_without_formulas(tmp_path: Path) -> None:
    snapshot = write(tmp_path / "index", [Doc("a", {"body": ["w"]})], [Doc("b", {"body": ["w"]})])
    retriever = retriever_of(snapshot)
    prepare(formula_units(snapshot.segments), CHANNELS)
    assert retriever.search_terms([{"letters": {"x": 1.0}}], 5)[0].ids == []
    assert len(retriever.search_units([{"letters": {"x": 1.0}}], 5)[0].units) == 0
    assert LexicalRetriever(formula_units([]), CHANNELS).search_terms([{}], 5)[0].ids == []
    with pytest.raises(ConfigError, match=r"no channel 'words'.*It has letters"):
        retriever_of(snapshot, {"words": LexicalChannel()})
