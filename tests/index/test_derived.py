"""Derived data of another version: never read, and removed by the next writer."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from helpers.index_cases import Doc, batch_of
from porism.index import IndexWriter, Segment, Snapshot
from porism.index.container_writer import ContainerWriter
from porism.index.derived import LAYOUTS, kind_of


def write_file(segment: Segment, name: str, layout: int | None) -> Path:
    """Derived data as a version with this layout wrote it; None is what none says."""
    path = segment.derived_path(name)
    path.parent.mkdir(exist_ok=True)
    with ContainerWriter(path, "derived") as writer:
        writer.add("a", np.arange(3))
        marked = {} if layout is None else {"layout": layout}
        writer.finish({"segment": list(segment.stamp), "info": {}, **marked})
    return path


@pytest.fixture
def segment(tmp_path: Path) -> Segment:
    with IndexWriter(tmp_path / "index") as writer:
        writer.add(batch_of([Doc("a", {"body": ["x"]})]))
    (segment,) = Snapshot.open(tmp_path / "index").segments
    return segment


def test_kinds_are_found_in_names() -> None:
    assert kind_of("postings-words-0123") == kind_of("formulas-postings-tokens-0123") == "postings"
    assert kind_of("key-digests") == "key-digests"
    assert kind_of("trees") == "trees"
    assert kind_of("treesome") is None
    assert kind_of("window-words-0123") is None


def test_what_no_reader_opens_is_removed_by_the_next_writer(segment: Segment, tmp_path: Path) -> None:
    kept = [
        write_file(segment, "postings-new", LAYOUTS["postings"]), write_file(segment, "trees-unmarked", None),
        write_file(segment, "formulas-impacts-new", LAYOUTS["impacts"]),
    ]
    damaged = segment.derived_path("postings-damaged")
    damaged.write_bytes(b"x" * 100)
    gone = [
        write_file(segment, "postings-old", LAYOUTS["postings"] - 1), write_file(segment, "window-words", 1),
        write_file(segment, "formulas-impacts-old", LAYOUTS["impacts"] + 1),
    ]
    assert [segment.read_derived(file.stem) is None for file in (*kept, *gone)] == [False] * 3 + [True] * 3
    with IndexWriter(tmp_path / "index") as writer:
        assert all(file.exists() for file in (*kept, damaged))
        assert not any(file.exists() for file in gone)
        late = write_file(segment, "postings-late", 0)
        writer.delete(["b"])
    assert late.exists()


def test_derived_data_are_of_a_kind(segment: Segment) -> None:
    with pytest.raises(ValueError, match="'window-words' are of no kind"):
        segment.write_derived("window-words", {}, {})
    segment.write_derived("postings-x", {"a": np.arange(2)}, {"b": 1})
    found = segment.read_derived("postings-x")
    assert found is not None
    assert found[1] == {"b": 1}
