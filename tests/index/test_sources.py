"""The table of sources: what is written is read, with the commit it belongs to, and documents keep their origin."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from index_cases import Doc, batch_of, read_all

from porism.corpus.base import ReaderOptions
from porism.errors import IndexCorrupt
from porism.index import IndexWriter, Snapshot
from porism.index.snapshot import ABSENT
from porism.index.sources import FileProblem, Source, SourceFile, SourceGroup, SourceTable

OPTIONS = ReaderOptions(
    unit="thread", comments=False, formulas="mathml", fields={"body": "text"}, id_field="key",
    metadata_fields=("a", "b"), encoding="cp1252", collection="notes",
)
TABLE = SourceTable(
    {
        "notes": Source(
            "notes", Path("/home/käthe/notes"), "markdown", "markdown", OPTIONS, 17.5,
            {"a#b c.md": SourceFile(3, 1_700_000_000_123_456_789, "0" * 32), "é.md": SourceFile(0, 0, "")},
            {
                "a#b c.md": SourceGroup(
                    4, "markdown", ("a#b c.md", "é.md"), True, 2, {"first": "x", "lookups": [["a", None]]},
                    (FileProblem("notes/a#b c.md", "a#b c.md:3", "broken"),), 7,
                ),
            },
        ),
        "empty": Source("empty", Path("/e")),
    },
    5,
)


def test_what_is_written_is_read(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.sources = TABLE
    with Snapshot.open(tmp_path) as snapshot:
        assert snapshot.source_table == TABLE
        assert snapshot.sources["notes"].options == OPTIONS
        assert snapshot.sources["notes"].problem_count == 8
    with IndexWriter(tmp_path) as writer:
        assert writer.sources == TABLE


def test_an_index_without_sources_has_an_empty_table(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("d", {})]))
    assert Snapshot.open(tmp_path).sources == {}


def test_a_table_belongs_to_its_commit(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.sources = TABLE
        writer.commit()
        before = Snapshot.open(tmp_path)
        assert writer.commit() == 1  # nothing has changed
        writer.sources = replace(TABLE, next_group=9)
        writer.rollback()
        assert writer.sources == TABLE
        writer.sources = replace(TABLE, next_group=9)
        assert writer.commit() == 2
        assert len(list(tmp_path.glob("sources-*"))) == 1
        writer.add(batch_of([Doc("d", {})]))
        writer.commit()
    assert before.source_table == TABLE
    assert Snapshot.open(tmp_path).source_table.next_group == 9


def test_a_changed_table_is_noticed(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.sources = TABLE
    (file,) = tmp_path.glob("sources-*")
    data = bytearray(file.read_bytes())
    data[80] ^= 1
    file.write_bytes(data)
    with pytest.raises(IndexCorrupt, match="sources-"):
        Snapshot.open(tmp_path)
    os.unlink(file)
    with pytest.raises(IndexCorrupt, match="is missing"):
        Snapshot.open(tmp_path)


def test_documents_keep_their_origin_through_merges(tmp_path: Path) -> None:
    origins = [(number % 3, (1 << 63) + number, 10 * number) for number in range(9)]
    docs = [Doc(f"d{number}", {"body": ["x"]}, origin=origin) for number, origin in enumerate(origins)]
    with IndexWriter(tmp_path) as writer:
        for start in (0, 3, 6):
            writer.add(batch_of(docs[start : start + 3]))
            writer.commit()
        writer.delete(["d4"])
        writer.merge()
    found = read_all(Snapshot.open(tmp_path))
    assert {doc_id: doc.origin for doc_id, doc in found.items()} == {
        doc.id: doc.origin for doc in docs if doc.id != "d4"
    }


def test_origins_are_looked_up(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {}, origin=(2, 5, 7)), Doc("b", {})]))
        writer.commit()
        writer.add(batch_of([Doc("c", {}, origin=(2, 6, 8))]))
        writer.commit()
        found = Snapshot.open(tmp_path).look_up(["b", "none", "a"])
        assert found.owners.tolist() == [-1, ABSENT, 2]
        assert found.digests.tolist() == [0, 0, 5]
        assert found.lines.tolist() == [0, 0, 7]
        assert writer.owned(np.array([2, 3])) == ["a", "c"]
        writer.delete(["a"])
        assert writer.owned(np.array([2])) == ["c"]
        writer.add(batch_of([Doc("c", {}, origin=(4, 0, 0))]))
        assert writer.owned(np.array([2])) == []
        writer.commit()
    assert Snapshot.open(tmp_path).look_up(["a", "c"]).owners.tolist() == [ABSENT, 4]
