"""A folder that is renamed while a writer has it: the writer stops, and leaves what has the name now alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from index_cases import Doc, batch_of, read_all

from porism.errors import StorageError
from porism.index import IndexWriter, Snapshot

pytestmark = pytest.mark.skipif(
    os.name == "nt",
    reason="Windows renames no folder with open files: run it on Linux or macOS",
)


def state(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture
def writer(tmp_path: Path) -> IndexWriter:
    """A writer of an index with two documents, whose folder was renamed, and another index under its name."""
    path = tmp_path / "index"
    with IndexWriter(path) as first:
        first.add(batch_of([Doc("a", {"body": ["old"]}), Doc("b", {"body": ["old"]})]))
    writer = IndexWriter(path)
    writer.add(batch_of([Doc("c", {"body": ["late"]})]))
    path.rename(tmp_path / "moved")
    with IndexWriter(path) as other:
        other.add(batch_of([Doc("x", {"body": ["other"]}), Doc("y", {"body": ["other"]})]))
        other.commit(before_publish=lambda segments: segments[0].write_derived("postings-d", {"a": np.arange(3)}, {}))
    return writer


STEPS: dict[str, Callable[[IndexWriter], object]] = {
    "commit": lambda writer: writer.commit(),
    "commit of a deletion": lambda writer: (writer.delete(["a", "c"]), writer.commit()),
    "merge": lambda writer: writer.merge(),
    "rollback": lambda writer: writer.rollback(),
    "derived data": lambda writer: writer.commit(
        before_publish=lambda segments: segments[0].write_derived("postings-d", {"a": np.arange(9)}, {})
    ),
}


@pytest.mark.parametrize("step", STEPS)
def test_nothing_of_the_other_index_is_changed(writer: IndexWriter, tmp_path: Path, step: str) -> None:
    before = state(tmp_path / "index")
    with pytest.raises(StorageError, match="was renamed or replaced while it was being written"):
        STEPS[step](writer)
    writer.close()
    assert state(tmp_path / "index") == before
    assert sorted(read_all(Snapshot.open(tmp_path / "index"))) == ["x", "y"]
    assert sorted(read_all(Snapshot.open(tmp_path / "moved"))) == ["a", "b"]


def test_a_folder_that_is_gone(tmp_path: Path) -> None:
    writer = IndexWriter(tmp_path / "index")
    writer.add(batch_of([Doc("c", {})]))
    (tmp_path / "index").rename(tmp_path / "moved")
    with pytest.raises(StorageError, match="renamed or replaced"):
        writer.commit()
    writer.close()
    assert not (tmp_path / "index").exists()


def test_a_folder_that_comes_back_in_time(tmp_path: Path) -> None:
    with IndexWriter(tmp_path / "index") as writer:
        writer.add(batch_of([Doc("c", {})]))
        (tmp_path / "index").rename(tmp_path / "moved")
        (tmp_path / "moved").rename(tmp_path / "index")
    assert sorted(read_all(Snapshot.open(tmp_path / "index"))) == ["c"]
