"""Candidates are asked for until nothing better can be left, and ties are broken by the rule of runs."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from export_cases import all_documents, change
from memory_backend import MemoryBackend
from numpy.typing import NDArray

from porism.index import Snapshot
from porism.index.snapshot import FilteredMasks
from porism.retrieve.ranking import UnitIds
from porism.serve.backends.base import EVERYWHERE, Rows, SparseRows, Table
from porism.serve.exported.candidates import Bound, CandidateSearch, Located, pushed
from porism.serve.exported.rows import digest_numbers, document_of, whole_key

IDS = ["a1", "a2", "a3", "b1", "b2", "b3", "c1", "c2"]
ONE = SparseRows(np.array([0, 1]), np.array([1], np.int64), np.array([1], np.float32))


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("candidates") / "index"
    documents = all_documents()
    change(path, documents[:5], documents[5:])
    return path


def backend_of(scores: dict[str, float], most: int = 100) -> MemoryBackend:
    """An engine that gives documents these scores."""
    backend = MemoryBackend(most=most)
    backend.make(Table("t"))
    count = len(scores)
    weights = np.array(list(scores.values()), np.float32)
    parts = np.linspace(0, 2**62, count).astype(np.int64)
    backend.put("t", Rows(
        list(scores), parts, parts, [np.zeros(0, np.int64)] * count,
        SparseRows(np.arange(count + 1), np.ones(count, np.int64), weights),
    ))
    return backend


def search(
    index: Path, backend: MemoryBackend, exact: dict[str, float], k: int, bound: Bound,
    allowed: list[NDArray[np.bool_]] | None = None,
) -> list[tuple[str, float]]:
    with Snapshot.open(index) as snapshot:
        ids = UnitIds(snapshot.segments)
        candidates = CandidateSearch(backend, "t", Located(snapshot.segments, whole_key), ids)

        def scored(segment: int, units: NDArray[np.int32]) -> NDArray[np.float64]:
            return np.array([exact.get(name, np.nan) for name in snapshot.segments[segment].doc_ids(units)])

        found = candidates.best(ONE, k, bound, scored, allowed)
        return list(zip(ids.take(found.segments, found.units), found.scores.tolist(), strict=True))


def test_documents_level_with_the_last_one_are_all_looked_at(index: Path) -> None:
    same = dict.fromkeys(IDS, 1.0)
    backend = backend_of(same, most=4)
    assert search(index, backend, same, 3, Bound()) == [("c2", 1.0), ("c1", 1.0), ("b3", 1.0)]


def test_what_an_engine_rounds_is_ranked_exactly(index: Path) -> None:
    exact = {name: 1.0 + number * 1e-12 for number, name in enumerate(IDS)}
    backend = backend_of(dict.fromkeys(reversed(IDS), 1.0), most=3)
    found = search(index, backend, exact, 2, Bound(1.0 + 1e-6))
    assert found == [("c2", exact["c2"]), ("c1", exact["c1"])]
    assert max(limit for _, limit, _ in backend.searches) == 3
    assert len({where for _, _, where in backend.searches}) > 2  # in halves


def test_a_bound_decides_how_many_are_asked_for(index: Path) -> None:
    engine = {name: float(10 - number) for number, name in enumerate(IDS)}
    exact = {**engine, "c2": 9.5}  # the engine gives it 3
    many = backend_of({**{f"z{number}": 5.0 for number in range(40)}, **engine})
    assert search(index, many, exact, 1, Bound()) == [("a1", 10.0)]
    assert [limit for _, limit, _ in many.searches] == [17]
    wide = backend_of({**{f"z{number}": 5.0 for number in range(40)}, **engine})
    assert search(index, wide, exact, 2, Bound(1.0, 6.6)) == [("a1", 10.0), ("c2", 9.5)]
    assert [limit for _, limit, _ in wide.searches] == [18, 72]
    assert search(index, wide, exact, 2, Bound(3.2)) == [("a1", 10.0), ("c2", 9.5)]


def test_rows_of_no_live_document_and_documents_without_a_score_are_no_results(index: Path) -> None:
    backend = backend_of({"gone": 9.0, "a1": 2.0, "b1": 1.5, "c1": 1.0})
    assert search(index, backend, {"a1": 2.0, "c1": 1.0}, 5, Bound()) == [("a1", 2.0), ("c1", 1.0)]


def test_what_is_not_allowed_is_passed_over(index: Path) -> None:
    engine = {name: float(10 - number) for number, name in enumerate(IDS)}
    with Snapshot.open(index) as snapshot:
        masks = snapshot.filter({"topic": ["b", "c"], "tags": "odd"}, without="b3")
        plain = [mask.copy() for mask in masks]
    assert search(index, backend_of(engine), engine, 5, Bound(), plain) == [("b1", 7.0), ("c1", 4.0)]
    assert isinstance(masks, FilteredMasks)
    groups = pushed(masks)
    assert [len(group) for group in groups] == [2, 1]
    assert pushed(plain) == pushed(None) == ()
    backend = backend_of(engine)
    for name, row in backend.rows["t"].items():
        row.filters = {groups[0][0]} if name.startswith("b") else {groups[0][1], groups[1][0]}
    assert search(index, backend, engine, 5, Bound(), masks) == [("c1", 4.0)]  # the engine says that no b is odd
    assert backend.searches[0][2] == EVERYWHERE._replace(filters=groups)


def test_lines_are_no_filter_of_an_engine() -> None:
    assert pushed(FilteredMasks([], {"line": "3", "topic": "a"})) == pushed(FilteredMasks([], {"topic": "a"}))


def test_keys_of_rows_name_their_documents() -> None:
    assert document_of("12:a:b") == "a:b"
    assert whole_key("12:a:b") == "12:a:b"
    from porism.index.strings import Packed

    numbers = digest_numbers(Packed.of(["a", "b", "a"]))
    assert numbers[0] == numbers[2] != numbers[1]
    assert (numbers >= 0).all()


def test_a_missing_library_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    from porism.errors import MissingExtra
    from porism.serve.backends.milvus import MilvusBackend

    monkeypatch.setitem(sys.modules, "pymilvus", None)
    with pytest.raises(MissingExtra, match=r"an export to Milvus needs pymilvus, .*pip install 'porism\[cluster\]'"):
        MilvusBackend()
