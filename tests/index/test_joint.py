"""Several indexes read as one give what one index with all documents gives."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st
from lexical_cases import CHANNELS, FIELDS, batch_of, queries, random_docs, write
from long_forms import LONG

from porism.errors import ConfigError, IndexNotFound
from porism.index import IndexWriter, JointSnapshot, Snapshot
from porism.index.joint import names_of
from porism.index.strings import Packed
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.system.files.artifacts import MODELS

ZONES = {"title": Zone(0.4, {"title": 1.0})}


def ranking(snapshot: Snapshot) -> list[list[tuple[str, float]]]:
    retriever = LexicalRetriever(snapshot.segments, CHANNELS, FIELDS, ZONES)
    return [
        list(zip(found.ids, found.scores.tolist(), strict=True))
        for found in retriever.search_terms(queries(3, 12), 30)
    ]


@every_case("seed", range(4 if LONG else 2))
def test_scores_are_those_of_one_index_bit_by_bit(tmp_path: Path, seed: int) -> None:
    docs = random_docs(seed, 60)
    parts = [docs[:25], docs[25:26], docs[26:]]
    gone = [docs[3].id, docs[30].id]
    whole = write(tmp_path / "whole", docs, deleted=gone)
    for number, part in enumerate(parts):
        write(tmp_path / f"part-{number}", part[:10], part[10:], deleted=list(gone))
    joint = JointSnapshot.open_all([tmp_path / f"part-{number}" for number in range(3)])
    assert joint.doc_count == whole.doc_count == 58
    assert ranking(joint) == ranking(whole)
    assert any(len(found) > 5 for found in ranking(whole))


@settings(max_examples=60 if LONG else 5)
@given(st.data())
def test_any_split_gives_the_same(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("split")
    docs = random_docs(data.draw(st.integers(0, 99)), data.draw(st.integers(1, 25)))
    homes = data.draw(st.lists(st.integers(0, 2), min_size=len(docs), max_size=len(docs)))
    write(folder / "whole", docs)
    for number in range(3):
        write(folder / str(number), [doc for doc, home in zip(docs, homes, strict=True) if home == number])
    joint = JointSnapshot.open_all([folder / str(number) for number in range(3)])
    assert ranking(joint) == ranking(Snapshot.open(folder / "whole"))


def test_an_id_of_two_indexes_gets_the_name_of_its_index(tmp_path: Path) -> None:
    docs = random_docs(5, 6)
    write(tmp_path / "a.index", docs[:4])
    write(tmp_path / "b.index", docs[2:], deleted=[docs[3].id])
    joint = JointSnapshot.open_all([tmp_path / "a.index", tmp_path / "b.index"])
    two, three = docs[2].id, docs[3].id
    assert joint.find(two) is None
    assert joint.find(f"a:{two}") is not None
    assert joint.find(f"b:{two}") is not None
    assert joint.home(f"b:{two}") == "b"
    assert joint.home(three) == "a"  # the other one was deleted
    assert joint.home("nothing") is None
    ids = [name for segment in joint.segments for name in segment.doc_ids(np.flatnonzero(segment.live))]
    assert sorted(ids) == sorted([docs[0].id, docs[1].id, f"a:{two}", three, f"b:{two}", docs[4].id, docs[5].id])
    for segment in joint.segments:
        names = segment.names
        every = np.arange(segment.doc_count)
        known = [segment.doc_id(doc) for doc in every.tolist()]
        assert names.names(every) == names.packed().strings() == known
        assert names.find(known).tolist() == names.find_packed(Packed.of(known)).tolist() == every.tolist()
        assert [known[doc] for doc in np.argsort(segment.id_order)] == sorted(known)
        assert names.find([two, "nothing"]).tolist() == [-1, -1]
    found = {doc_id for ranked in ranking(joint) for doc_id, _ in ranked}
    assert {f"a:{two}", f"b:{two}"} <= found
    assert two not in found


def test_a_new_id_that_another_document_has_is_refused(tmp_path: Path) -> None:
    first, second, third = random_docs(1, 3)
    named = type(first)("b:x", first.words)
    write(tmp_path / "a", [type(second)("x", second.words), named])
    write(tmp_path / "b", [type(third)("x", third.words)])
    with pytest.raises(ConfigError, match="another document already has the id 'b:x'"):
        JointSnapshot.open_all([tmp_path / "a", tmp_path / "b"])


def configured(path: Path, **config: object) -> Path:
    with IndexWriter(path, config=config) as writer:
        writer.add(batch_of(random_docs(1, 2)))
    return path


def test_indexes_of_other_settings_are_refused_with_what_differs(tmp_path: Path) -> None:
    one = configured(tmp_path / "one", text=["words", "symbols"], language="english")
    other = configured(tmp_path / "other", text=["symbols", "words"], language="english")
    lacking = configured(tmp_path / "lacking", text=["words"], language="english")
    german = configured(tmp_path / "german", text=["words", "symbols"], language="german")
    JointSnapshot.open_all([one, other])
    with pytest.raises(ConfigError) as refused:
        JointSnapshot.open_all([one, lacking])
    assert refused.value.where == str(lacking)
    assert refused.value.what == (
        f"was indexed with text words, and {one} with symbols, words: they cannot be searched as one"
    )
    assert "--channels" in str(refused.value.hint)
    with pytest.raises(ConfigError, match=r"language german.*with english.*--language"):
        JointSnapshot.open_all([one, german])


def test_what_models_read_beside_the_segments_must_be_the_same(tmp_path: Path) -> None:
    paths = [configured(tmp_path / name) for name in "ab"]
    joint = JointSnapshot.open_all(paths)
    with pytest.raises(ConfigError, match="has no models"):
        joint.check_artifact(MODELS, "")
    files = [MODELS.prepare(path, "one") for path in paths]
    files[0].write_bytes(b"same")
    with pytest.raises(ConfigError, match="has no models"):
        joint.check_artifact(MODELS, "one")
    files[1].write_bytes(b"same")
    joint.check_artifact(MODELS, "one")
    joint.check_artifact(MODELS, "")
    files[1].write_bytes(b"other")
    with pytest.raises(ConfigError, match=f"{files[1]}: is another one than {files[0]}"):
        joint.check_artifact(MODELS, "one")


def test_generations_and_folders(tmp_path: Path) -> None:
    for name, commits in (("a", 1), ("b", 3)):
        with IndexWriter(tmp_path / name, config={}) as writer:
            for number in range(commits):
                writer.add(batch_of(random_docs(number, 2)))
                writer.commit()
    paths: Sequence[Path] = [tmp_path / "a", tmp_path / "b", tmp_path / "x" / ".." / "a"]
    joint = JointSnapshot.open_all(paths)
    assert list(joint.indexes) == ["a", "b"]
    assert joint.generation == sum(one.generation for one in joint.indexes.values())
    assert joint.path == tmp_path / "a"
    with pytest.raises(IndexNotFound):
        JointSnapshot.open_all([tmp_path / "a", tmp_path / "nothing"])
    with pytest.raises(ConfigError, match="no index to search"):
        JointSnapshot.open_all([])
    segments = [segment for one in joint.indexes.values() for segment in one.segments]
    assert segments
    joint.close()
    assert not any(one.segments for one in (joint, *joint.indexes.values()))


def test_names_of_folders() -> None:
    assert list(names_of([Path("/x/notes.index"), Path("/y/notes"), Path("/z/a-index")])) == ["notes", "notes-2", "a"]
