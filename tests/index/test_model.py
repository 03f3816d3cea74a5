"""An index is a dictionary of documents with commits: random operations against that model."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from index_cases import Doc, batch_of, normal, read_all
from long_forms import LONG

from porism.errors import IndexNotFound
from porism.index import IndexWriter, Snapshot
from porism.index.merging import FACTOR

WORDS = ["sum", "integral", "α", "𝑥", "", "prime", *(f"w{number}" for number in range(30))]
FIELDS = ["title", "body", "tags"]


def random_doc(chance: random.Random, doc_id: str) -> Doc:
    fields = chance.sample(FIELDS, chance.randrange(4))
    return Doc(
        doc_id,
        {name: chance.choices(WORDS, k=chance.randrange(12)) for name in fields},
        {
            name: [
                ("".join(chance.choices("xyz+^", k=chance.randrange(4))), chance.choice(["", f"f{chance.random()}"]),
                 chance.choice(["", "v1", "v2"]))
                for _ in range(chance.randrange(4))
            ]
            for name in chance.sample(FIELDS, chance.randrange(3))
        },
        chance.choice([{}, {"source": "s"}, {"tags": tuple(chance.sample(["a", "b", "c"], chance.randrange(4)))}]),
    )


def expect(path: Path, committed: dict[str, Doc]) -> Snapshot:
    snapshot = Snapshot.open(path)
    assert read_all(snapshot) == committed
    for doc_id in committed:
        segment, doc = snapshot.find(doc_id)
        assert segment.doc_id(doc) == doc_id
        assert segment.stored(doc) == committed[doc_id].stored
    assert snapshot.find("no such document") is None
    for key, value in [("source", "s"), ("tags", "a"), ("tags", "z")]:
        found = {
            doc_id for segment in snapshot.segments
            for doc_id in segment.doc_ids(np.flatnonzero(segment.filter(key, value) & segment.live))
        }
        holders = {
            doc.id for doc in committed.values()
            if (value == doc.metadata.get(key) if key == "source" else value in doc.metadata.get(key, ()))
        }
        assert found == holders
    return snapshot


@every_case("seed", range(12 if LONG else 2))
def test_random_operations(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    path = tmp_path / "index"
    committed: dict[str, Doc] = {}
    pending: dict[str, Doc] = {}
    older: list[tuple[Snapshot, dict[str, Doc]]] = []
    ids = [f"d{number}" for number in range(40)] + ["é", "\U0001d44e", "\uffff", ""]
    limit = chance.choice([5, 1000])
    writer = IndexWriter(path, config={"stemmer": "none"}, buffer_documents=limit)
    for _ in range(60):
        action = chance.choices(["add", "delete", "match", "commit", "merge", "rollback", "reopen"],
                                [10, 4, 1, 5, 1, 1, 1])[0]
        if action == "add":
            docs = [random_doc(chance, doc_id) for doc_id in chance.choices(ids, k=chance.randrange(1, 6))]
            writer.add(batch_of(docs))
            pending.update((doc.id, normal(doc)) for doc in docs)
        elif action == "delete":
            chosen = chance.choices([*ids, "never there"], k=3)
            assert writer.delete(chosen) == len(set(chosen) & set(pending))
            for doc_id in chosen:
                pending.pop(doc_id, None)
        elif action == "match":
            matching = [doc_id for doc_id, doc in pending.items() if "b" in doc.metadata.get("tags", ())]
            assert writer.delete_matching("tags", "b") == len(matching)
            for doc_id in matching:
                del pending[doc_id]
        elif action == "merge":
            most = chance.choice([1, 2, 3])
            writer.merge(max_segments=most)
        elif action in ("rollback", "reopen"):
            if action == "rollback":
                writer.rollback()
            else:
                writer.close()
                writer = IndexWriter(path, buffer_documents=limit)
            pending = dict(committed)
        else:
            writer.commit()
            committed = dict(pending)
            older.append((expect(path, committed), committed))
        assert writer.doc_count == len(pending)
        assert writer.contains([*ids, "?"]).tolist() == [doc_id in pending for doc_id in [*ids, "?"]]
    writer.close()
    for snapshot, documents in chance.sample(older, min(4, len(older))):
        assert read_all(snapshot) == documents
    if committed:
        with IndexWriter(path) as writer:
            writer.merge()
        final = expect(path, committed)
        assert len(final.segments) == 1
        assert final.segments[0].live.all()
        final.verify()


def test_nothing_is_seen_before_the_first_commit(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path / "index")
    writer.add(batch_of([Doc("a", {"body": ["x"]})]))
    with pytest.raises(IndexNotFound, match="porism index"):
        Snapshot.open(tmp_path / "index")
    assert writer.commit() == 1
    assert Snapshot.open(tmp_path / "index").doc_count == 1
    assert writer.commit() == 1
    writer.close()


def test_many_small_commits_make_few_segments(tmp_path: Path) -> None:
    count = 100 if LONG else 50
    with IndexWriter(tmp_path) as writer:
        for number in range(count):
            writer.add(batch_of([Doc(f"d{number}", {"body": [f"w{number}"]})]))
            writer.commit()
            assert len(Snapshot.open(tmp_path).segments) <= 3 * FACTOR
    snapshot = Snapshot.open(tmp_path)
    assert snapshot.doc_count == count
    assert len(snapshot.segments) < 2 * FACTOR
    assert {folder.name for folder in (tmp_path / "segments").iterdir()} == {s.name for s in snapshot.segments}


def test_the_later_of_two_with_one_id_stays(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {"body": ["old"]}), Doc("b", {}), Doc("a", {"body": ["new"]})]))
        assert writer.doc_count == 2
    assert read_all(Snapshot.open(tmp_path))["a"].words == {"body": ["new"]}


def test_formulas_and_terms_that_no_document_uses_go(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([
            Doc("a", {"body": ["only here"]}, {"body": [("x+y", "", "")]}),
            Doc("b", {"body": ["there"]}, {"body": [("z", "", "")]}),
        ]))
        writer.commit()
        writer.add(batch_of([Doc("c", {"body": ["there"]}, {"title": [("z", "", ""), ("w", "", "")]})]))
        writer.delete(["a"])
        writer.merge()
    (segment,) = Snapshot.open(tmp_path).segments
    assert list(segment.dictionary("words")) == ["there"]
    assert [segment.formula_key(formula) for formula in range(segment.formula_count)] == ["z", "w"]
    assert segment.find_formula("x+y") is None
    assert segment.fields == ("body", "title")
    assert segment.matrix("words").tokens == 2
    assert sorted(segment.dictionary("letters")) == ["letters:w", "letters:z"]


def test_an_index_without_documents(tmp_path: Path) -> None:
    with IndexWriter(tmp_path, config={"a": 1}) as writer:
        writer.commit()
    snapshot = Snapshot.open(tmp_path)
    assert (snapshot.doc_count, snapshot.segments, snapshot.generation) == (0, (), 1)
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {})]))
        writer.commit()
        writer.delete(["a"])
    assert Snapshot.open(tmp_path).segments == ()


def test_channels_and_fields_may_differ_between_batches(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {"x": ["1"]}, {"x": [("p", "", "")]})], channels=["letters"]))
        writer.add(batch_of([Doc("b", {"y": ["2"]}, {"y": [("q", "", "")]})], channels=["letters", "pairs"]))
    (segment,) = Snapshot.open(tmp_path).segments
    assert segment.fields == ("x", "y")
    assert segment.formula_channels == ("letters", "pairs")
    pairs = segment.matrix("pairs")
    assert pairs.indptr.tolist() == [0, 0, 1]
    assert segment.dictionary("pairs").term(int(pairs.terms[0])) == "pairs:q"
    assert segment.matrix("words").indptr.tolist() == [0, 1, 1, 1, 2]
