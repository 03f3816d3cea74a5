"""A writer that is killed at any moment leaves the last commit, whole; the next one carries on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from index_cases import Doc, batch_of, read_all

from porism.errors import IndexNotFound
from porism.index import IndexWriter, Snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="SIGKILL")

WRITER = """
import sys
from index_cases import Doc, batch_of
from porism.index import IndexWriter

path, rounds, start = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with IndexWriter(path, config={"a": 1}, buffer_documents=6) as writer:
    for turn in range(start, start + rounds):
        # All ten documents say the same: a state in which they differ was never committed.
        writer.add(batch_of([Doc(f"d{n}", {"body": [f"turn{turn}"] * 3}, {"body": [(f"{turn}", "", "")]})
                             for n in range(10)]))
        if turn % 5 == 4:
            writer.merge()
        writer.commit(before_publish=lambda segments: [
            segment.write_derived("postings", {"x": segment.id_order}, {}) for segment in segments])
        print(turn, flush=True)
"""


def start(path: Path, rounds: int, turn: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(Path(__file__).parent), *sys.path]))}
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), str(rounds), str(turn)],
        stdout=subprocess.PIPE, text=True, env=environment,
    )


def turn_of(path: Path) -> int:
    """The turn that was committed last, -1 where none was; checks that the whole of it is there."""
    try:
        snapshot = Snapshot.open(path)
    except IndexNotFound:
        return -1
    snapshot.verify()
    documents = read_all(snapshot)
    assert sorted(documents) == [f"d{number}" for number in range(10)]
    (turn,) = {word for doc in documents.values() for word in doc.words["body"]}
    return int(turn.removeprefix("turn"))


def test_killed_at_random_moments(tmp_path: Path) -> None:
    chance = random.Random(7)
    path = tmp_path / "index"
    last = -1
    for _ in range(20):
        process = start(path, 10_000, last + 1)
        assert process.stdout is not None
        # Kernels are loaded after the first turn: from then on every moment is one of real work.
        assert process.stdout.readline() == f"{last + 1}\n"
        time.sleep(chance.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        reported = [last + 1, *map(int, process.stdout.read().split("\n")[:-1])]
        process.wait()
        # What was reported was committed; one more commit may have been published before the kill.
        last = turn_of(path)
        assert last in (reported[-1], reported[-1] + 1)
    assert last > 20
    # The next writer is let in, cleans up, and works.
    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc("new", {"body": ["x"]})]))
    snapshot = Snapshot.open(path)
    assert snapshot.doc_count == 11
    assert {folder.name for folder in (path / "segments").iterdir()} == {segment.name for segment in snapshot.segments}
    kept = {"segment.bin", "derived"}
    for entry in snapshot.manifest.segments:
        tombstones = {entry.tombstones.file} if entry.tombstones else set()
        assert {file.name for file in (path / "segments" / entry.name).iterdir()} <= kept | tombstones
    assert sorted(file.name for file in path.iterdir()) == ["manifest.json", "segments", "write.lock"]


STEPS = ["write_segment", "write_tombstones", "write_manifest", "clean_index"]


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("when", ["before", "after"])
def test_interrupted_in_each_step_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    """Ctrl-C in the midst: the exception goes through, and the state on disk is one of the two."""
    path = tmp_path / "index"
    old = [Doc(f"d{number}", {"body": ["old"]}) for number in range(3)]
    with IndexWriter(path) as writer:
        writer.add(batch_of(old))
    import porism.index.writer as module

    true_step = getattr(module, step)

    def interrupted(*arguments: object) -> object:
        if when == "after":
            true_step(*arguments)
        monkeypatch.setattr(module, step, true_step)
        raise KeyboardInterrupt

    def change() -> None:
        with IndexWriter(path) as writer:
            writer.add(batch_of([Doc("d1", {"body": ["new"]}), Doc("d9", {"body": ["new"]})]))
            monkeypatch.setattr(module, step, interrupted)
            writer.commit()

    with pytest.raises(KeyboardInterrupt):
        change()
    documents = read_all(Snapshot.open(path))
    published = step == "clean_index" or (step == "write_manifest" and when == "after")
    assert sorted(documents) == (["d0", "d1", "d2", "d9"] if published else ["d0", "d1", "d2"])
    assert documents["d1"].words == {"body": ["new" if published else "old"]}
    with IndexWriter(path) as writer:
        writer.add(batch_of([Doc("d1", {"body": ["new"]}), Doc("d9", {"body": ["new"]})]))
    assert sorted(read_all(Snapshot.open(path))) == ["d0", "d1", "d2", "d9"]


def test_an_exception_goes_back_to_the_last_commit(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of([Doc("a", {})]))

    def fail() -> None:
        with IndexWriter(tmp_path, buffer_documents=1) as writer:
            writer.add(batch_of([Doc("b", {})]))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert list(read_all(Snapshot.open(tmp_path))) == ["a"]
    assert len(list((tmp_path / "segments").iterdir())) == 1
