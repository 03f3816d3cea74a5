"""A server that runs: connections, commits while it serves, the command."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from threading import enumerate as enumerate_threads
from urllib.request import urlopen

import pytest
from long_forms import LONG_ONLY

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import serving

from porism.errors import ConfigError, IndexCorrupt
from porism.index import Snapshot
from porism.search.index import Index
from porism.search.sources.indexing import index_documents
from porism.serve.web.served import Library, ServedIndex
from porism.serve.web.server import bind
from porism.serve.web.vocabulary import CompletionVocabulary
from porism.types import Content, Document, Formula


def read(url: str) -> dict[str, object]:
    with urlopen(url, timeout=20) as answer:
        found: dict[str, object] = json.load(answer)
        return found


def note(number: int) -> Document:
    return Document(f"note-{number}", {"body": Content.of("a note about ", Formula(f"x^{number}"))}, {"type": "note"})


@LONG_ONLY
def test_a_new_commit_is_served_and_no_request_is_dropped(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    index_documents([note(0)], path, jobs=1)
    with serving({"notes": path}) as url, ThreadPoolExecutor(3) as pool:
        ending = [False]

        def ask() -> list[int]:
            totals = []
            is_last = False
            while not is_last:
                is_last = ending[0]  # what is asked from now on is asked of the last commit
                total = read(f"{url}/api/v1/search?q=note")["total"]
                assert isinstance(total, int)
                totals.append(total)
            return totals

        asking = [pool.submit(ask) for _ in range(2)]
        for number in (1, 2):
            index_documents([note(number)], path, jobs=1)
            end = time.monotonic() + 100
            while read(f"{url}/api/v1/search?q=note")["total"] != number + 1:
                assert time.monotonic() < end
                time.sleep(0.05)
        ending[0] = True
        for one in asking:
            totals = one.result()
            assert totals == sorted(totals)
            assert totals[0] >= 1
            assert totals[-1] == 3


def test_a_new_commit_is_asked_a_few_questions_before_it_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "notes"
    index_documents([note(0)], path, jobs=1)
    seen: list[tuple[int, int]] = []
    monkeypatch.setattr("porism.serve.web.served.SECONDS_BETWEEN_LOOKS", 0.0)
    monkeypatch.setattr("porism.serve.web.served.warm", lambda index, ended: None)
    served = ServedIndex("notes", path)
    monkeypatch.setattr(
        "porism.serve.web.served.warm",
        lambda index, ended: seen.append((index.snapshot.generation, served.view.generation)),
    )
    index_documents([note(1)], path, jobs=1)
    end = time.monotonic() + 20
    while served.view.generation != 2:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert seen == [(2, 1)]


def test_an_index_that_cannot_be_warmed_is_served(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "notes"
    index_documents([note(0)], path, jobs=1)

    def damaged(index: object, ended: object) -> None:
        raise IndexCorrupt("a block is damaged")

    monkeypatch.setattr("porism.serve.web.served.warm", damaged)
    served = ServedIndex("notes", path)
    end = time.monotonic() + 20
    while served.view.vocabulary is None:
        assert time.monotonic() < end
        time.sleep(0.01)
    assert "not warmed: a block is damaged" in caplog.text


def test_a_server_ends_what_it_prepares_before_it_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that the end of the program cut off within compiled code took the program down: it aborted."""
    path = tmp_path / "notes"
    index_documents([note(number) for number in range(9)], path, jobs=1)
    began, questions = Event(), []

    def ask(index: Index, content: Content) -> list[object]:
        questions.append(content)
        began.set()
        time.sleep(0.2)
        return []

    monkeypatch.setattr(Index, "search", ask)
    library = Library({"notes": path})
    assert began.wait(20)
    assert [thread.daemon for thread in enumerate_threads() if thread.name.endswith(" notes")] == [False]
    library.close()
    assert len(questions) == 1
    assert library.view().vocabulary is None
    assert [thread.name for thread in enumerate_threads() if thread.name.endswith(" notes")] == []
    monkeypatch.setattr("porism.serve.web.served.SECONDS_BETWEEN_LOOKS", 0.0)
    index_documents([note(9)], path, jobs=1)
    assert library.view().generation == 1
    assert [thread.name for thread in enumerate_threads() if thread.name.endswith(" notes")] == []


def test_a_client_that_sends_half_a_request_is_let_go(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.serve.web.server.HEADER_SECONDS", 0.3)
    with serving({"sample": sample_index}) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as slow:
            slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
            assert slow.recv(100) == b""
        assert read(f"{url}/api/v1/health")["status"] == "ok"


def test_connections_send_at_once() -> None:
    """The loop of asyncio sets this only for sockets that name their protocol; without it each answer waits 40 ms."""
    with bind("127.0.0.1", 0) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_a_taken_port_is_reported() -> None:
    with bind("127.0.0.1", 0) as first:
        first.listen()
        port = first.getsockname()[1]
        with pytest.raises(ConfigError, match=f"127.0.0.1:{port} cannot be used"):
            bind("127.0.0.1", port)


def received(connection: socket.socket, end: bytes) -> bytes:
    """What comes until an end, or the connection is closed."""
    found = b""
    while not found.endswith(end) and (more := connection.recv(65_536)):
        found += more
    return found


def test_a_later_request_that_trickles_is_closed_too(sample_index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte of a second head put its end off, for ever."""
    monkeypatch.setattr("porism.serve.web.server.HEADER_SECONDS", 0.6)
    with serving({"sample": sample_index}) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=60) as slow:
            for _ in range(2):  # a later one that is whole is answered
                slow.sendall(b"GET /generation HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert received(slow, b"}").startswith(b"HTTP/1.1 200")
            began = time.monotonic()
            is_open = True
            while is_open and time.monotonic() < began + 60:
                time.sleep(0.1)
                try:
                    slow.sendall(b"G")
                except OSError:
                    is_open = False
            assert not is_open


def test_a_client_that_takes_nothing_is_cut_off(
    sample_index: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It kept its answer in memory for ever."""
    protocol = pytest.importorskip("uvicorn.protocols.http.h11_impl").H11Protocol
    lost = Event()
    end = protocol.connection_lost
    monkeypatch.setattr(protocol, "connection_lost", lambda own, error: (end(own, error), lost.set()))
    monkeypatch.setattr("porism.serve.web.server.READ_SECONDS", 0.4)
    (tmp_path / "mathlive.min.js").write_bytes(b"x" * 7_900_000)
    with serving({"sample": sample_index}, editor=tmp_path) as url:
        host, port = url.removeprefix("http://").split(":")
        with socket.socket() as slow:
            slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            slow.settimeout(10)
            slow.connect((host, int(port)))
            slow.sendall(b"GET /editor/mathlive.min.js HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert lost.wait(60)
            total = 0
            try:
                while more := slow.recv(65_536):
                    total += len(more)
            except ConnectionResetError:
                pass
            assert total < 7_900_000
        with urlopen(f"{url}/editor/mathlive.min.js", timeout=20) as fast:
            assert len(fast.read()) == 7_900_000


def test_the_command_serves_until_it_is_ended(sample_index: Path) -> None:
    command = [sys.executable, "-m", "porism", "serve", "--index", str(sample_index), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        found = re.fullmatch(
            r"Serving index at (http://127\.0\.0\.1:\d+/) for this machine alone\. Ctrl-C ends it\.\n", line
        )
        assert found is not None, line
        with urlopen(found[1], timeout=20) as page:
            assert b"Find mathematics" in page.read()
        process.send_signal(signal.SIGTERM)
        status, errors = process.wait(20), process.stderr.read()
        assert status == 143, errors
        assert errors.endswith("\nInterrupted.\n")
    finally:
        process.kill()
        process.communicate()


@LONG_ONLY
def test_a_new_key_is_printed_with_its_line() -> None:
    command = [sys.executable, "-m", "porism", "serve", "--new-key", "group"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert re.search(r"^The key, which nobody can show again: porism_[\w-]{43}$", printed, re.M)
    assert re.search(r": +group [0-9a-f]{64}$", printed, re.M)


@LONG_ONLY
def test_a_folder_without_the_editor_is_refused(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "porism", "serve", "--editor", str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True)
    assert found.returncode == 2
    assert "has no mathlive.min.js" in found.stderr


def test_an_index_without_formulas_or_titles_has_a_vocabulary(tmp_path: Path) -> None:
    index_documents([Document("a", {"body": Content.of("plain words here")}, {"tags": "some"})], tmp_path / "x", jobs=1)
    found = CompletionVocabulary(Snapshot.open(tmp_path / "x"))
    assert [entry.text for entry in found.words.find("", 5)] == ["plain", "words"]
    assert (len(found.formulas), len(found.titles), found.tags.find("so", 1)[0].documents) == (0, 0, 1)
