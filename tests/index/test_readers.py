"""Many readers beside one writer, each with a consistent view."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from index_cases import Doc, batch_of, read_all
from long_forms import LONG, LONG_ONLY

from porism.errors import IndexCorrupt
from porism.index import IndexWriter, Segment, Snapshot

TURNS = 60 if LONG else 15


def turn(number: int) -> list[Doc]:
    return [Doc(f"d{n}", {"body": [f"turn{number}"]}, {"body": [(f"{number}", "", "")]}) for n in range(6)]


def check(snapshot: Snapshot) -> int:
    documents = read_all(snapshot)
    assert len(documents) == 6
    (word,) = {word for doc in documents.values() for word in doc.words["body"]}
    return int(word.removeprefix("turn"))


READER = """
import sys, time
from test_readers import Snapshot, check

last, opened = -1, 0
print("reading", flush=True)
while last < int(sys.argv[2]):
    with Snapshot.open(sys.argv[1]) as snapshot:
        now = check(snapshot)
        assert check(snapshot) == now >= last
        last = now
        opened += 1
    time.sleep(0.005)  # else the writer waits for a processor
print(opened)
"""


@LONG_ONLY
def test_readers_in_other_processes_and_threads(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with IndexWriter(path) as writer:
        writer.add(batch_of(turn(0)))
        writer.commit()
        environment = {
            **os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(Path(__file__).parent), *sys.path]))
        }
        readers = [
            subprocess.Popen([sys.executable, "-c", READER, str(path), str(TURNS)], stdout=subprocess.PIPE, text=True,
                             env=environment)
            for _ in range(2)
        ]
        for reader in readers:  # else the writer works while they start
            assert reader.stdout is not None
            assert reader.stdout.readline() == "reading\n"
        failures: list[BaseException] = []
        stop = threading.Event()

        def read() -> None:
            try:
                while not stop.wait(0.005):  # else the writer waits for the interpreter
                    check(Snapshot.open(path))
            except BaseException as failure:
                failures.append(failure)

        thread = threading.Thread(target=read)
        thread.start()
        first = Snapshot.open(path)
        number = 0
        # The writer goes on until the readers have seen the last turn and ended.
        while number < TURNS or any(reader.poll() is None for reader in readers):
            number += 1
            writer.add(batch_of(turn(number)))
            if number % 7 == 0:
                writer.merge()
            writer.commit()
        stop.set()
        thread.join()
    assert failures == []
    for reader in readers:
        output, _ = reader.communicate()
        assert reader.returncode == 0
        assert int(output) > 0
    assert check(first) == 0
    assert check(Snapshot.open(path)) == number


def test_a_reader_that_lost_a_race_opens_the_newer_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of(turn(0)))
    import porism.index.snapshot as module

    true_open = module.open_segments

    def late(*arguments: object) -> tuple[Segment, ...]:
        monkeypatch.setattr(module, "open_segments", true_open)
        with IndexWriter(tmp_path) as writer:
            writer.add(batch_of(turn(1)))
        return true_open(*arguments)

    monkeypatch.setattr(module, "open_segments", late)
    snapshot = Snapshot.open(tmp_path)
    assert snapshot.generation == 2
    assert check(snapshot) == 1


def test_a_file_that_is_missing_without_a_newer_state_is_named(tmp_path: Path) -> None:
    with IndexWriter(tmp_path) as writer:
        writer.add(batch_of(turn(0)))
    (tmp_path / "segments" / "0000000001" / "segment.bin").unlink()
    with pytest.raises(IndexCorrupt, match=r"0000000001/segment\.bin: is missing"):
        Snapshot.open(tmp_path)
    with pytest.raises(IndexCorrupt, match=r"0000000001/segment\.bin: is missing"):
        IndexWriter(tmp_path)
