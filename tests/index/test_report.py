"""What ``info`` tells of an index, what its merge policy chooses, and what opening costs."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import orjson
from index_cases import Doc, batch_of

from porism.index import ChannelInfo, IndexWriter, Snapshot, info
from porism.index.container import FORMAT
from porism.index.merging import clean_index


def test_the_report_counts_everything(tmp_path: Path) -> None:
    with IndexWriter(tmp_path, config={"stemmer": "english"}) as writer:
        writer.add(batch_of([
            Doc("a", {"title": ["x"], "body": ["x", "x", "y"]}, {"body": [("pq", "f1", ""), ("r", "", "")]},
                {"source": "s", "tags": ("t", "u")}),
            Doc("b", {"body": ["z"]}, {"title": [("r", "", "")]}, {"tags": "u"}),
        ]))
        writer.commit()
        writer.add(batch_of([Doc("c", {"tags": ["x"]}, {"tags": [("r", "", ""), ("ppp", "", "")]})]))
        writer.commit()
        writer.delete(["b"])
    (first, _) = Snapshot.open(tmp_path).segments
    first.write_derived("postings", {"a": np.zeros(1000)}, {})
    report = info(tmp_path)
    assert (report.format, report.generation, report.documents, report.deleted) == (FORMAT, 3, 2, 1)
    assert report.created < report.updated
    assert report.fields == ("title", "body", "tags")
    assert report.channels == (
        ChannelInfo("words", "text", terms=3, postings=5, tokens=6),
        ChannelInfo("letters", "formula", terms=3, postings=5, tokens=7),
        ChannelInfo("pairs", "formula", terms=3, postings=5, tokens=7),
    )
    assert (report.formulas, report.occurrences) == (3, 5)
    assert report.metadata == {"source": 1, "tags": 2}
    assert [(s.name, s.documents, s.deleted, s.formulas) for s in report.segments] == [
        ("0000000001", 2, 1, 2), ("0000000002", 1, 0, 2),
    ]
    assert {segment.format for segment in report.segments} == {FORMAT}
    on_disk = sum(file.stat().st_size for file in tmp_path.rglob("*") if file.is_file())
    assert report.size == on_disk == sum(report.sizes.values())
    assert report.sizes["derived"] > 8000
    assert {"stored documents", "channel words", "channel pairs", "formulas"} <= set(report.sizes)
    assert report.config == {"stemmer": "english"}
    assert orjson.loads(orjson.dumps(report.to_dict()))["channels"][0]["terms"] == 3


def test_metadata_counts_live_documents(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([
            Doc("a", {}, {}, {"tags": ("x", "y", "x"), "5:k": "v"}), Doc("b", {}, {}, {"tags": "x"}), Doc("c", {}),
        ]))
        writer.commit()
        writer.delete(["a"])
    snapshot = Snapshot.open(tmp_path)
    allowed = snapshot.filter({"tags": ["x", "y"]}, without="b")
    assert [mask.tolist() for mask in allowed] == [[True, False, False]]
    assert allowed.filters == {"tags": ["x", "y"]}
    (segment,) = snapshot.segments
    assert segment.metadata_counts() == {"tags": {"x": 1}}
    assert segment.filter("tags", "y").tolist() == [True, False, False]
    assert segment.filter("5:k", "v").tolist() == [True, False, False]
    assert segment.filter("k", "v").tolist() == [False, False, False]
    assert segment.metadata(0) == {"tags": ("x", "y", "x"), "5:k": "v"}


def test_cleaning_leaves_what_readers_are_writing(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {})]))
    snapshot = Snapshot.open(tmp_path)
    folder = snapshot.segments[0].folder
    snapshot.segments[0].write_derived("postings", {}, {})
    young, old = folder / "derived" / "p.bin.1-a.tmp", folder / "derived" / "p.bin.2-b.tmp"
    for file in (young, old, folder / "stray", tmp_path / "manifest.json.9-c.tmp"):
        file.touch()
    (tmp_path / "segments" / "0000000009").mkdir()
    os.utime(old, (0, 0))
    clean_index(tmp_path, snapshot.manifest)
    assert {file.name for file in tmp_path.rglob("*")} == {
        "manifest.json", "write.lock", "segments", "0000000001", "segment.bin", "derived", "postings.bin", young.name,
    }
