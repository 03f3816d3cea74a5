"""An index in step with its sources: what changes is found soon after, whatever happens meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Thread

import pytest
from long_forms import LONG_ONLY
from updated_indexes import Write, contents

from porism.errors import IndexLocked, IndexNotFound, MissingExtra, PorismError
from porism.index import IndexWriter
from porism.search.sources import watching
from porism.search.sources.updating import UpdateReport, index_sources, update_index
from porism.search.sources.watching import watch_index


@pytest.fixture(autouse=True)
def watchfiles(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_SECONDS", 0.3)
    if "without" not in request.node.name:
        pytest.importorskip("watchfiles", reason="files are watched by watchfiles: pip install 'porism[web]'")


@dataclass
class Seen:
    """What a watch reported."""

    updates: list[UpdateReport] = field(default_factory=list)
    errors: list[PorismError] = field(default_factory=list)


@contextmanager
def watched(index: Path) -> Iterator[Seen]:
    """The reports of a watch that goes on meanwhile."""
    seen, stop = Seen(), Event()
    options = {"jobs": 1, "stop": stop, "on_update": seen.updates.append, "on_error": seen.errors.append}
    thread = Thread(target=watch_index, args=[index], kwargs=options, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join(20)
    assert not thread.is_alive()


def wait_until(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 30
    while not true():
        assert time.monotonic() < until, "it did not happen within 30 s"
        time.sleep(0.05)


def test_what_is_added_changed_renamed_and_removed_is_found(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write(**{"notes/a.md": "words a", "notes/deep/b.md": "words b"})
    index = root / "notes" / "index"  # what is written there is no change of the notes
    index_sources([root / "notes"], index, jobs=1)
    write(**{"notes/before.md": "written while nothing was watched"})
    calls = []
    monkeypatch.setattr(watching, "update_index", lambda *a, **o: (calls.append(a), update_index(*a, **o))[1])
    with watched(index) as seen:
        wait_until(lambda: "notes/before.md" in contents(index))
        write(**{"notes/new/c.md": "words c", "notes/deep/b.md": "other words"})
        wait_until(lambda: "notes/new/c.md" in contents(index))
        (root / "notes" / "a.md").rename(root / "notes" / "d.md")
        wait_until(lambda: set(contents(index)) == {
            "notes/before.md", "notes/new/c.md", "notes/d.md", "notes/deep/b.md",
        })
        wait_until(lambda: sum(report.added for report in seen.updates) == 3)
        time.sleep(1)
        settled = len(calls)
        time.sleep(1)
        assert len(calls) == settled  # its own commits wake nothing
    assert sum(report.changed for report in seen.updates) == 1
    assert sum(report.removed for report in seen.updates) == 1
    assert not seen.errors


@LONG_ONLY
def test_a_file_that_an_editor_replaces(write: Write) -> None:
    root = write(**{"one.md": "words", "other.md": "not a source"})
    index = root / "index"
    index_sources([root / "one.md"], index, jobs=1)
    with watched(index) as seen:
        for number in range(2):
            time.sleep(1.5)  # the watch has begun, and is not begun anew by what follows
            (root / "new").write_text(f"words {number}")
            os.replace(root / "new", root / "one.md")
            wait_until(lambda number=number: len(seen.updates) == number + 1)
    assert [(report.added, report.changed, report.removed) for report in seen.updates] == [(0, 1, 0)] * 2


@LONG_ONLY
def test_a_source_that_goes_and_comes_back_and_one_that_is_added(write: Write) -> None:
    root = write(**{"notes/a.md": "words a", "more/b.md": "words b"})
    index = root / "index"
    index_sources([root / "notes"], index, jobs=1)
    with watched(index) as seen:
        time.sleep(1)
        (root / "notes").rename(root / "away")
        wait_until(lambda: any(report.unreachable == ("notes",) for report in seen.updates))
        assert set(contents(index)) == {"notes/a.md"}
        (root / "away").rename(root / "notes")
        time.sleep(3 * watching.LOOK_SECONDS)
        write(**{"notes/c.md": "words c"})
        wait_until(lambda: any(report.added for report in seen.updates))  # after it gave the lock back
        assert "notes/c.md" in contents(index)
        index_sources([root / "more"], index, jobs=1)
        time.sleep(3 * watching.LOOK_SECONDS)
        write(**{"more/d.md": "words d"})
        wait_until(lambda: "more/d.md" in contents(index))


def test_it_waits_for_another_writer(write: Write) -> None:
    root = write(**{"notes/a.md": "words a"})
    index = root / "index"
    index_sources([root / "notes"], index, jobs=1)
    writer = IndexWriter(index, create=False)
    with watched(index) as seen:
        wait_until(lambda: len(seen.errors) == 1)
        write(**{"notes/b.md": "words b"})
        time.sleep(3 * watching.LOOK_SECONDS)
        assert "notes/b.md" not in contents(index)
        assert len(seen.errors) == 1
        assert isinstance(seen.errors[0], IndexLocked)
        writer.close()
        wait_until(lambda: "notes/b.md" in contents(index))


def test_there_must_be_an_index(tmp_path: Path) -> None:
    with pytest.raises(IndexNotFound):
        watch_index(tmp_path)


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[web\]'"):
        watch_index(tmp_path)


@LONG_ONLY
def test_the_command_follows_changes_until_it_is_interrupted(write: Write) -> None:
    root = write(**{"notes/a.md": "words a"})
    process = subprocess.Popen(
        [sys.executable, "-u", "-m", "porism", "watch", "notes", "--index", "index", "--jobs", "1"], cwd=root,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("+1 ~0 −0 documents in ")
    assert process.stdout.readline() == "Watching the sources of index. Ctrl-C ends it.\n"
    time.sleep(1)
    write(**{"notes/b.md": "words b"})
    assert "  +1 ~0 −0 documents in " in process.stdout.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=30)
    assert (process.returncode, output, errors) == (0, "Stopped.\n", "")
