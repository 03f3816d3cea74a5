"""A writer that is killed at any moment leaves the last commit, whole; the next one carries on."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from case_tables import every_case
from index_cases import Doc, batch_of, read_all
from long_forms import LONG_ONLY

import porism.index.pending as holding
import porism.index.writer as writing
from porism.errors import IndexNotFound
from porism.index import IndexWriter, Segment, Snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL, which Windows lacks: run it on Linux or macOS")

HARNESS = """
import sys
from pathlib import Path
from test_crash import kill_writers

print(kill_writers(Path(sys.argv[1]), 20))
"""


def write(path: Path, turn: int, report: int) -> None:
    """Commits turn after turn, tells each on ``report``, and never ends by itself."""
    with IndexWriter(path, config={"a": 1}, buffer_documents=6) as writer:
        while True:
            # All ten documents say the same: a state in which they differ was never committed.
            words, formulas = {"body": [f"turn{turn}"] * 3}, {"body": [(f"{turn}", "", "")]}
            writer.add(batch_of([Doc(f"d{number}", words, formulas) for number in range(10)]))
            if turn % 5 == 4:
                writer.merge()
            writer.commit(before_publish=derive)
            os.write(report, f"{turn}\n".encode())
            turn += 1


def derive(segments: Sequence[Segment]) -> None:
    for segment in segments:
        segment.write_derived("postings", {"ranks": segment.id_order}, {})


def kill_writers(path: Path, rounds: int) -> int:
    """Starts writers and kills each at a random moment; returns the last turn that was committed."""
    chance = random.Random(7)
    with IndexWriter(path.with_name("warm")) as writer:  # loads the kernels, which the children then have
        for doc_id in "ab":
            writer.add(batch_of([Doc(doc_id, {})]))
            writer.commit()
        writer.merge()
    last = -1
    for number in range(rounds):
        reading, report = os.pipe()
        process = os.fork()
        if process == 0:
            try:
                write(path, last + 1, report)
            finally:
                os._exit(1)
        os.close(report)
        with open(reading, encoding="ascii") as reports:
            # Every other writer is left alone until it has committed once, however slow the machine is.
            first = [reports.readline()] if number % 2 else []
            time.sleep(chance.random() * 0.1)
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            reported = [last, *map(int, [*first, *reports])]
        # What was reported was committed; one more commit may have been published before the kill.
        last = turn_of(path)
        assert last in (reported[-1], reported[-1] + 1)
    return last


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


@LONG_ONLY
def test_killed_at_random_moments(tmp_path: Path) -> None:
    path = tmp_path / "index"
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    # Writers are forked from a process of their own, so that they need not start and load kernels each time.
    result = subprocess.run(
        [sys.executable, "-c", HARNESS, str(path)], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= 9
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


STEPS = {"write_segment": writing, "write_tombstones": holding, "write_manifest": writing, "clean_index": writing}


@every_case("step", STEPS)
@every_case("when", ["before", "after"])
def test_interrupted_in_each_step_of_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, when: str
) -> None:
    """Ctrl-C in the midst: the exception goes through, and the state on disk is one of the two."""
    path = tmp_path / "index"
    old = [Doc(f"d{number}", {"body": ["old"]}) for number in range(3)]
    with IndexWriter(path) as writer:
        writer.add(batch_of(old))
    module = STEPS[step]
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


@LONG_ONLY
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of POSIX: run it on Linux or macOS")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # those that come in a destructor
def test_interrupted_at_random_moments_and_committed_then(tmp_path: Path) -> None:
    """Ctrl-C, caught, and a commit after it: documents of one batch are all there or all not."""
    chance = random.Random(3)
    true_handler = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    interruptions = 0
    turn = 0
    word = "turn0"
    try:
        with IndexWriter(tmp_path, buffer_documents=25) as writer:
            first = {"body": [("x", "", "")]}  # with a formula, for the kernels too, which the first turns would load
            writer.add(batch_of([Doc(f"d{number}", {"body": ["turn0"]}, first) for number in range(10)]))
            writer.commit()
            for _ in range(60):
                before, earlier = turn, word
                try:
                    # Again each second: Python drops an exception that comes in a destructor.
                    signal.setitimer(signal.ITIMER_REAL, chance.random() * 0.03 + 1e-4, 1.0)
                    while True:
                        turn += 1
                        words = {"body": [f"turn{turn}"]}
                        ids = [*(f"d{number}" for number in range(10)), *(f"{turn}-{number}" for number in range(3))]
                        writer.add(batch_of([Doc(doc_id, words) for doc_id in ids]))
                        writer.delete([f"{turn}-0", f"{turn}-1", f"{turn}-2"])
                        if turn % 3 == 0:
                            writer.merge()
                        if turn % 2 == 0:
                            writer.commit()
                except KeyboardInterrupt:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                    interruptions += 1
                writer.commit()
                snapshot = Snapshot.open(tmp_path)
                assert snapshot.generation == writer.generation
                documents = read_all(snapshot)
                last = {doc_id for doc_id in documents if not doc_id.startswith("d")}
                assert last in (set(), {f"{turn}-{number}" for number in range(3)})
                writer.delete(last)
                assert sorted(set(documents) - last) == [f"d{number}" for number in range(10)]
                (word,) = {word for doc in documents.values() for word in doc.words["body"]}
                assert word in (f"turn{turn}", f"turn{turn - 1}" if turn - 1 > before else earlier)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, true_handler)
    assert interruptions == 60
