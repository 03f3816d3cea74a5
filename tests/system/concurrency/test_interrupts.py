"""Interruptions that come where a state in memory is half changed wait until it is whole."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from index_cases import Doc, batch_of, read_all

import porism.index.writer as writer_module
from porism.index import IndexWriter, Snapshot
from porism.system.concurrency.interrupts import uninterrupted


@pytest.fixture(params=[signal.SIGINT, signal.SIGTERM])
def number(request: pytest.FixtureRequest) -> Iterator[signal.Signals]:
    """A signal that raises KeyboardInterrupt."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(request.param, interrupt)
    yield request.param
    signal.signal(request.param, before)


def test_a_block_runs_to_its_end(number: signal.Signals) -> None:
    steps: list[str] = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(number)
            steps.append("the rest")
        steps.append("what follows")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["the rest"]
    with pytest.raises(KeyboardInterrupt):  # the handler is back
        signal.raise_signal(number)


def test_blocks_within_blocks_and_in_other_threads(number: signal.Signals) -> None:
    steps: list[str] = []

    def work() -> None:
        with uninterrupted():
            with uninterrupted():
                signal.raise_signal(number)
                steps.append("inside")
            steps.append("outside")

    with pytest.raises(KeyboardInterrupt):
        work()
    assert steps == ["inside", "outside"]

    def elsewhere() -> None:
        with uninterrupted():
            steps.append("thread")

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert steps[-1] == "thread"


def test_a_document_that_is_being_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    """Between the deletion of the old one and the addition of the new one."""
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {"body": ["old"]})]))
    true_delete = IndexWriter._delete_held

    def deleting(self: IndexWriter, ids: list[str]) -> int:
        count = true_delete(self, ids)
        signal.raise_signal(number)
        return count

    writer = IndexWriter(tmp_path)
    monkeypatch.setattr(IndexWriter, "_delete_held", deleting)
    with pytest.raises(KeyboardInterrupt):
        writer.add(batch_of([Doc("a", {"body": ["new"]})]))
    with pytest.raises(KeyboardInterrupt):
        writer.delete(["b"])
    monkeypatch.undo()
    writer.commit()
    writer.close()
    assert {key: doc.words for key, doc in read_all(Snapshot.open(tmp_path)).items()} == {"a": {"body": ["new"]}}


def test_a_commit_that_was_published_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    true_write = writer_module.write_manifest

    def writing(*arguments: object) -> None:
        true_write(*arguments)  # type: ignore[arg-type]
        signal.raise_signal(number)

    writer = IndexWriter(tmp_path)
    writer.add(batch_of([Doc("a", {"body": ["x"]})]))
    monkeypatch.setattr(writer_module, "write_manifest", writing)
    with pytest.raises(KeyboardInterrupt):
        writer.commit()
    monkeypatch.undo()
    assert writer.generation == Snapshot.open(tmp_path).generation == 1
    writer.delete(["a"])
    assert writer.commit() == 2
    writer.close()
    assert np.array_equal(Snapshot.open(tmp_path).doc_count, 0)
