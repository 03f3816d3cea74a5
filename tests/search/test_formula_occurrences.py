"""The places of formulas in an index of several segments with a deleted document, compared with a look at all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case

from porism.formula import layout_key, parse
from porism.index import IndexWriter, Snapshot
from porism.search.formula_occurrences import FormulaPlaces, Place
from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula


def formula(source: str, number: int, visual: str | None = None) -> Formula:
    return Formula(source, "latex", f"f{number}", visual)


FIRST = [
    Document("a", {"title": Content.of(formula("x^2", 1, "v1")), "body": Content.of(
        "say ", formula("y+1", 2, "v2"), " or ", formula("{x}^{2}", 3, "v3"))}, {"tags": "old"}),
    Document("gone", {"body": Content.of(formula("x^2", 4, "v4"))}, {"tags": "old"}),
]
SECOND = [
    Document("b", {"body": Content.of(formula("z", 5), formula("x^2", 6, "v1"))}, {"tags": "new"}),
    Document("c", {"body": Content("no formula")}, {"tags": "new"}),
]


def key(source: str) -> str:
    """The normalised form of a formula."""
    return layout_key(parse(source))


@pytest.fixture
def snapshot(tmp_path: Path) -> Iterator[Snapshot]:
    for documents in (FIRST, SECOND):
        index_documents(documents, tmp_path / "index", jobs=1)
    with IndexWriter(tmp_path / "index", create=False) as writer:
        writer.delete(["gone"])
        writer.commit()
    with Snapshot.open(tmp_path / "index") as snapshot:
        assert len(snapshot.segments) == 2
        yield snapshot


def found(snapshot: Snapshot, *sources: str) -> tuple[np.ndarray, np.ndarray]:
    """Segment and ordinal of formulas, as a retriever gives them: the first segment that has each."""
    pairs = [
        next(
            (number, ordinal) for number, segment in enumerate(snapshot.segments)
            if (ordinal := segment.find_formula(key(source))) is not None
        ) for source in sources
    ]
    return np.array([pair[0] for pair in pairs], np.int32), np.array([pair[1] for pair in pairs], np.int32)


def test_places_are_those_of_live_documents_in_all_segments(snapshot: Snapshot) -> None:
    places = FormulaPlaces(snapshot)
    everywhere = (
        Place("a", "title", 0, "f1", "v1"), Place("a", "body", 1, "f3", "v3"), Place("b", "body", 1, "f6", "v1")
    )
    assert set(places.places(key("x^2"))) == set(everywhere)
    assert places.places(key("z")) == (Place("b", "body", 0, "f5", None),)
    assert places.places(key("x^2"), most=1) == places.places(key("x^2"))[:1]
    assert places.places(key("unknown")) == ()
    assert Place("b", "body", 0, "f5").to_dict() == {"doc_id": "b", "field": "body", "number": 0, "id": "f5"}


def test_masks_leave_documents_out(snapshot: Snapshot) -> None:
    places = FormulaPlaces(snapshot)
    new = [segment.live & segment.filter("tags", "new") for segment in snapshot.segments]
    assert [place.doc_id for place in places.places(key("x^2"), new)] == ["b"]
    assert places.documents(*found(snapshot, "x^2", "y+1", "z"), new).tolist() == [1, 0, 1]
    assert places.names(*found(snapshot, "x^2", "y+1"), new) == [["v1"], []]


def test_documents_are_counted_once_each(snapshot: Snapshot) -> None:
    places = FormulaPlaces(snapshot)
    assert places.documents(*found(snapshot, "x^2", "z", "y+1")).tolist() == [2, 1, 1]
    assert places.documents(*found(snapshot)).tolist() == []


def test_names_are_visual_ids_each_once(snapshot: Snapshot) -> None:
    x2, y, z = FormulaPlaces(snapshot).names(*found(snapshot, "x^2", "y+1", "z"))
    assert sorted(x2) == ["v1", "v3"]
    assert (y, z) == (["v2"], [])
    assert FormulaPlaces(snapshot).every_name() == {"v1", "v2", "v3"}  # v4 is deleted


@every_case(("ids", "expected"), [(True, ["f1", "f3"]), (False, ["a/title/0", "a/body/1"])])
def test_names_where_there_are_no_visual_ids(tmp_path: Path, ids: bool, expected: list[str]) -> None:
    plain = [
        Document(document.id, {
            name: Content(content.text, tuple(
                Formula(own.source, id=own.id if ids else None)
                for own in content.formulas
            ))
            for name, content in document.fields.items()
        }) for document in FIRST[:1]
    ]
    index_documents(plain, tmp_path / "index", jobs=1)
    with Snapshot.open(tmp_path / "index") as snapshot:
        places = FormulaPlaces(snapshot)
        assert not places.has_visual_ids
        (names,) = places.names(*found(snapshot, "x^2"))
        assert sorted(names) == sorted(expected)
        assert places.every_name() == {*expected, "f2" if ids else "a/body/0"}


def test_the_best_value_of_the_documents_that_hold_a_formula(snapshot: Snapshot) -> None:
    value_of = {"a": 0.25, "gone": 9.0, "b": 0.5, "c": 1.0}
    values = [
        np.array([value_of[segment.doc_id(doc)] for doc in range(segment.doc_count)]) for segment in snapshot.segments
    ]
    assert FormulaPlaces(snapshot).best(*found(snapshot, "x^2", "y+1", "z"), values).tolist() == [0.5, 0.25, 0.5]


def test_keys_by_visual_id_and_by_document(snapshot: Snapshot) -> None:
    places = FormulaPlaces(snapshot)
    assert places.keys_of_visual_id("v3") == [key("x^2")]
    assert places.keys_of_visual_id("v4") == []  # its document is deleted
    assert set(places.keys_of_document("a")) == {key("x^2"), key("y+1")}
    assert places.keys_of_document("gone") == places.keys_of_document("c") == places.keys_of_document("nowhere") == []


def test_a_formula_has_the_ids_of_its_first_place(snapshot: Snapshot) -> None:
    places = FormulaPlaces(snapshot)
    segment = snapshot.segments[1]
    ordinal = segment.find_formula(key("x^2"))
    assert ordinal is not None
    assert places.formula(segment, ordinal, [Place("b", "body", 1, "f6", "v1")]) == Formula("x^2", "latex", "f6", "v1")
    assert places.formula(segment, ordinal).id is None
